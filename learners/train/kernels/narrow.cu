/* ---- narrow: up to 32 states, weights in shared memory, one trace a warp (or two) ---- */

#define LANES (D <= 16 && RX <= 16 ? 16 : 32) /* threads that follow one trace */
#define PER_WARP (32 / LANES)
#define AHEAD (DP / 4 % 2 ? DP : DP + 4) /* pitch of O[x][row]: rows start in different banks */
#define COLUMNS (K * ROWS * AHEAD)       /* where the columns of A begin in the image, of the same pitch */
#define START (COLUMNS + K * D * AHEAD)   /* where h0 begins */
#define IMAGE (START + DP)
#define EARLY (DP <= 20) /* weights are fetched a step ahead; of longer rows that would delay the next vector */
#define WIDE4 ((DP + RQ) / 4) /* a row of h and a row of q, in fours */
#define EACH4 ((8 * WIDE4 + 31) / 32)
#define STAGED4 (RQ / 4 | 1) /* pitch, in fours, of rows that a warp holds: they start in different banks */
#define STAGE4 (8 * WIDE4 > 32 * STAGED4 ? 8 * WIDE4 : 32 * STAGED4)

#if defined(LOCAL) && PARTS == 1           /* Few steps read a symbol: */
#define SPLIT 4                            /* lanes that share the outputs of a step */
#define AT_ONCE ((RX + SPLIT - 1) / SPLIT) /* outputs that a lane computes at once */
#else
#define SPLIT 1
#define AT_ONCE 4
#endif

struct __align__(16) Shared {
  float image[IMAGE];
#ifndef LOCAL
  float exchange[WARPS * PER_WARP][2][DP];
  float4 stage[WARPS][STAGE4]; /* where LOCAL, histories and the list lie after this struct instead */
#endif
  float losses[WARPS];
  Cast casts[2];
#ifdef PRIVATE
  float4 w[P / 4], mean[P / 4], variance[P / 4];
#endif
};

/* h_t for all t, or, backwards, g_t; row t of q holds what the residuals of step t send to it. In pieces of eight
 * steps: what a piece needs from memory is fetched a piece ahead; steps past the end of a trace compute what nobody
 * reads. */
template <bool BACK>
__device__ void chain(Shared &z, const Cast &cast, const Job &job, int slot, float *h, float *q) {
  const int lane = threadIdx.x % LANES, length = slot < 0 ? 0 : cast.length[slot];
  const int longest = PER_WARP == 1 ? length : max(length, __shfl_xor_sync(EVERY, length, 16));
  const int pieces = (longest + 7) / 8, width = BACK ? RQ : DP, own = (BACK ? D : ROWS) * AHEAD;
  const bool stores = lane < DP && slot >= 0;
  const byte *x = job.x + (size_t)(slot < 0 ? 0 : cast.index[slot]) * job.pitch;
  const float *weights = z.image + (BACK ? COLUMNS : 0) + min(lane, D - 1) * AHEAD;
  float *out = (BACK ? q : h) + max(slot, 0) * job.pitch * width + lane;
  float value = BACK || lane >= DP ? 0 : z.image[START + lane], u[8], ahead[8];
  float4 a[2][DP / 4];
  int n = BACK ? pieces - 1 : 0;
  unsigned long long codes = EIGHT(x, n);
  if (EARLY) copy<DP / 4>(a[0], (const float4 *)(weights + ONE(codes, BACK ? 7 : 0) * own));
#ifndef LOCAL
  float(*exchange)[DP] = z.exchange[threadIdx.x / LANES];
  if (lane < DP) exchange[BACK][lane] = value;
#endif
  if (stores) out[BACK ? length * width : 0] = value;
#pragma unroll
  for (int j = 0; BACK && j < 8; j++) u[j] = stores && 8 * n + j < length ? out[(8 * n + j) * width] : 0;
  for (int left = pieces; left; left--, n += BACK ? -1 : 1) {
    const int then = BACK ? max(n - 1, 0) : n + 1;
    const unsigned long long coming = EIGHT(x, then);
#pragma unroll
    for (int j = 0; BACK && j < 8; j++) ahead[j] = stores && 8 * then + j < length ? out[(8 * then + j) * width] : 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      const int j = BACK ? 7 - k : k, t = 8 * n + j;
      const int next = k < 7 ? ONE(codes, BACK ? j - 1 : j + 1) : ONE(coming, BACK ? 7 : 0);
      __syncwarp();
      copy<DP / 4>(a[EARLY && k % 2 == 0], (const float4 *)(weights + (EARLY ? next : ONE(codes, j)) * own));
#ifdef LOCAL
      const float *in = out - lane + (t + BACK) * width;
#else
      const float *in = exchange[j % 2];
#endif
      float sum = dot<DP / 4>(a[EARLY && k % 2], (const float4 *)in);
      asm volatile("" : "+f"(sum)); /* Lanes that store nothing compute as well: a branch would take longer. */
      value = lane >= D || (BACK && t >= length) ? 0 : BACK ? sum + u[j] : sum;
#ifndef LOCAL
      if (lane < DP) exchange[(j + 1) % 2][lane] = value;
#endif
      if (stores && (!BACK || t < length)) out[(t + !BACK) * width] = value;
    }
    codes = coming;
#pragma unroll
    for (int j = 0; BACK && j < 8; j++) u[j] = ahead[j];
  }
  __syncwarp();
}

template <bool BACK>
__device__ void all_chains(Shared &z, const Cast &cast, const Job &job, int slots, float *h, float *q) {
  const int teams = WARPS * PER_WARP, team = threadIdx.x / LANES;
  for (int n = 0; n * teams < slots; n++) {
    const int slot = trace_of(team, teams, n, slots);
    if (__any_sync(EVERY, slot >= 0)) chain<BACK>(z, cast, job, slot, h, q);
  }
  __syncthreads();
}

/* The residuals of one step, and what they send back to the states; the loss of this lane's outputs. The lanes of a
 * warp do steps that read the same symbol, so that each weight comes from shared memory once for all of them. */
__device__ float residuals(const Shared &z, const Cast &cast, int shown, int symbol, bool there, const float4 *from,
                           float4 *to, float4 *errors) {
  const int share = threadIdx.x % SPLIT, written = shown & 255, moved = shown >> 8 & 255;
  const float scale = 1.0f / ((float)cast.length[shown >> 16] * BATCH);
  const float *rows = z.image + (symbol * ROWS + D) * AHEAD;
  float4 state[DP / 4], row[DP / 4], back[DP / 4] = {};
  float loss = 0;
  copy<DP / 4>(state, from);
#pragma unroll 1
  for (int first = share; first < RX; first += AT_ONCE * SPLIT) {
    float e[AT_ONCE] = {};
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      const int output = first + i * SPLIT;
      if (output >= RX) break;
      copy<DP / 4>(row, (const float4 *)(rows + output * AHEAD));
      const float error = dot<DP / 4>(row, state) - WANTED(output, written, moved);
      e[i] = error * scale;
      loss = fmaf(0.5f * e[i], error, loss);
#pragma unroll
      for (int j = 0; j < DP / 4; j++) fma4(back[j], e[i], row[j]);
    }
    if (SPLIT == 1 && there) errors[first / 4] = make_float4(e[0], e[1], e[2], e[3]);
#pragma unroll
    for (int i = 0; SPLIT > 1 && i < AT_ONCE; i++)
      if (there && first + i * SPLIT < RX) ((float *)errors)[first + i * SPLIT] = e[i];
  }
  __syncwarp();
#pragma unroll
  for (int i = 0; i < DP; i++)
    for (int apart = 1; apart < SPLIT; apart *= 2)
      ((float *)back)[i] += __shfl_xor_sync(EVERY, ((float *)back)[i], apart);
  if (there && share == 0) copy<DP / 4>(to, back);
  return there ? loss : 0;
}

/* Calls act(row, its step, four) for all fours of the rows of 32 steps; lanes side by side have fours side by side. */
template <int FOURS, typename Do>
__device__ __forceinline__ void for_all_fours(int at, Do act) {
  const int lane = lane_here(), four = lane % FOURS, down = lane / FOURS;
#pragma unroll 8
  for (int base = 0; base < 32; base += 32 / FOURS) {
    const int row = base + down, there = __shfl_sync(EVERY, at, min(row, 31));
    if (down < 32 / FOURS && row < 32 && there >= 0) act(row, there, four);
  }
  __syncwarp();
}

/* The residuals of up to 32 / SPLIT steps. Rows go between memory and the lanes that want them through a stage,
 * as wholes. */
__device__ float residuals_of_unit(Shared &z, const Cast &cast, int2 step, int symbol, const float *h, float *q) {
  const int at = max(step.x, 0);
  const bool there = step.x >= 0;
#ifdef LOCAL
  float4 *row = (float4 *)(q + at * RQ);
  return residuals(z, cast, step.y, symbol, there, (const float4 *)(h + at * DP), row, row + (RQ + DP) / 4);
#else
  float4 *stage = z.stage[threadIdx.x / 32], *own = stage + threadIdx.x % 32 * STAGED4;
  for_all_fours<DP / 4>(step.x, [&](int row, int from, int four) {
    stage[row * STAGED4 + four] = ((const float4 *)(h + (size_t)from * DP))[four];
  });
  const float loss = residuals(z, cast, step.y, symbol, there, own, own, own + DP / 4);
  __syncwarp();
  for_all_fours<RQ / 4>(step.x, [&](int row, int to, int four) {
    ((float4 *)(q + (size_t)(to + (four >= DP / 4)) * RQ))[four] = stage[row * STAGED4 + four];
  });
  return loss;
#endif
}

__device__ void all_residuals(Shared &z, const Cast &cast, const int2 *list, const float *h, float *q, float *total) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int units = lane < K ? (cast.begin[lane + 1] - cast.begin[lane] + 32 / SPLIT - 1) / (32 / SPLIT) : 0;
  for (int i = 1; i < 32; i *= 2) { /* sums up to the lane's symbol */
    const int before = __shfl_up_sync(EVERY, units, i);
    units += lane >= i ? before : 0;
  }
  float loss = 0;
  for (int unit = warp; unit < __shfl_sync(EVERY, units, 31); unit += WARPS) {
    const int symbol = __popc(__ballot_sync(EVERY, units <= unit));
    const int before = symbol ? __shfl_sync(EVERY, units, symbol - 1) : 0;
    const int mine = cast.begin[symbol] + (unit - before) * (32 / SPLIT) + lane / SPLIT;
    const bool there = mine < cast.begin[symbol + 1];
    loss += residuals_of_unit(z, cast, there ? list[mine] : int2{-1, 0}, symbol, h, q);
  }
  loss = sum_warp(loss);
  if (lane == 0) z.losses[warp] = loss;
  __syncthreads();
  if (threadIdx.x != 32) return; /* warp 0 has the longest trace to follow */
  loss = 0;
  for (int i = 0; i < WARPS; i++) loss += z.losses[i];
  *total = loss;
}

#ifndef LOCAL
/* Eight rows of h and q, fetched by all lanes together; what is past the end counts as zero. */
__device__ __forceinline__ void fetch(float4 *to, const float *h, const float *q, int lane, int mine, int first) {
#pragma unroll
  for (int i = 0; i < EACH4; i++) {
    const int place = i * 32 + lane, n = place / WIDE4, part = place % WIDE4;
    const int at = __shfl_sync(EVERY, mine, first + min(n, 7));
    to[i] = {0, 0, 0, 0};
    if (n < 8 && at >= 0)
      to[i] = part < DP / 4 ? ((const float4 *)(h + (size_t)at * DP))[part]
                            : ((const float4 *)(q + (size_t)(at + 1) * RQ))[part - DP / 4];
  }
}

/* One part of dO[symbol], over a stretch of the list: eight steps are summed while eight are fetched. */
__device__ void staged_gradient_tile(Shared &z, const float *h, const float *q, const int2 *list, int begin, int end,
                                     int symbol, int number, float *part) {
  const int lane = lane_here();
  float4(*stage)[WIDE4] = (float4(*)[WIDE4])z.stage[threadIdx.x / 32], next[EACH4];
  Tile<DP / 4> tile(number, lane);
  const int column = tile.column / 4, row = DP / 4 + (tile.works ? tile.row / 4 : 0);
  int mine = begin + lane < end ? list[begin + lane].x : -1;
  int ahead = begin + 32 + lane < end ? list[begin + 32 + lane].x : -1;
  fetch(next, h, q, lane, mine, 0);
  for (int base = begin; base < end; base += 8) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH4; i++)
      if (i * 32 + lane < 8 * WIDE4) (&stage[0][0])[i * 32 + lane] = next[i];
    __syncwarp();
    const int then = (base - begin + 8) % 32;
    if (then == 0) {
      mine = ahead;
      ahead = base + 40 + lane < end ? list[base + 40 + lane].x : -1;
    }
    fetch(next, h, q, lane, mine, then);
#pragma unroll
    for (int n = 0; n < 8; n++) {
      float4 a[TALL];
#pragma unroll
      for (int r = 0; r < TALL; r++) a[r] = stage[n][min(row + r, WIDE4 - 1)];
      tile.add(a, stage[n][column]);
    }
  }
  tile.store(symbol, part);
}
#endif

__device__ void take_weights(Shared &z, const Job &job, int model) {
#ifndef ALONE
  copy_image<IMAGE / 4>((float4 *)z.image, (const float4 *)(job.images + (size_t)model * IMAGE));
#endif
  __syncthreads();
}

/* Forward and backward through a group of traces; meanwhile the last warp prepares the next ones. */
__device__ void pass(Shared &z, const Job &job, int model, int cluster, const Turn &turn, int number) {
  const Cast &cast = z.casts[number % 2];
  const int slots = turn.slots(), group = model * GROUPS + turn.group;
#ifdef LOCAL
  float *h = (float *)(&z + 1), *q = h + SLOTS * job.pitch * DP;
  int2 *list = (int2 *)(q + SLOTS * job.pitch * RQ);
#else
  const size_t before = (size_t)(model * CLUSTERS + cluster) * SLOTS * job.pitch;
  float *h = job.h + before * DP, *q = job.q + before * RQ;
  int2 *list = job.list + before;
#endif
  list_steps(cast, job, slots, list);
  if (threadIdx.x / 32 == WARPS - 1) choose(z.casts[(number + 1) % 2], job, model, turn.next());
  all_chains<false>(z, cast, job, slots, h, q);
  all_residuals(z, cast, list, h, q, losses_of(job, model, turn.iteration) + turn.group);
  if (threadIdx.x / 32 == WARPS - 1) count(z.casts[(number + 1) % 2], job, turn.next());
  all_chains<true>(z, cast, job, slots, h, q);
  gradient_parts(cast, job, q, slots, threadIdx.x / 32, WARPS, job.parts + (size_t)group * PARTS * P,
                 [&](int begin, int end, int symbol, int tile, float *part) {
#ifdef LOCAL
                   gradient_tile(h, q, list, begin, end, symbol, tile, part);
#else
                   staged_gradient_tile(z, h, q, list, begin, end, symbol, tile, part);
#endif
                 });
  __syncthreads();
}

/* Puts four weights where the image holds them. */
__device__ void place(Shared &z, const Job &job, int model, int i, const float4 &value) {
  const int j = i % (DP / 4) * 4, row = i / (DP / 4) % ROWS, symbol = i / (DP / 4 * ROWS);
#ifdef ALONE
  float *image = z.image;
#else
  float *image = job.images + (size_t)model * IMAGE;
#endif
  *(float4 *)(image + (symbol == K ? START : (symbol * ROWS + row) * AHEAD) + j) = value;
  if (symbol == K || row >= D) return;
  float *column = image + COLUMNS + (symbol * D + j) * AHEAD + row;
  column[0] = value.x;
  if (j + 1 < D) column[AHEAD] = value.y;
  if (j + 2 < D) column[2 * AHEAD] = value.z;
  if (j + 3 < D) column[3 * AHEAD] = value.w;
}
