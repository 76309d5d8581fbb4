/* ---- narrow: up to 32 states, weights in shared memory, one trace a warp (or two) ---- */

#define LANES (D <= 16 && RX <= 16 ? 16 : 32) /* threads that follow one trace */
#define PER_WARP (32 / LANES)
#define AHEAD (DP / 4 % 2 ? DP : DP + 4) /* pitch of O[x][row]: rows start in different banks */
#define COLUMNS (K * ROWS * AHEAD)       /* where the columns of A begin in the image, of the same pitch */
#define START (COLUMNS + K * D * AHEAD)   /* where h0 begins */
#define IMAGE (START + DP)
#define WIDE4 ((DP + RQ) / 4) /* a row of h and a row of q, in fours */
#define EACH4 ((8 * WIDE4 + 31) / 32)
#define STAGES (SLOTS > 4) /* whether residuals are worth it */
#define STAGED4 (RQ / 4 | 1) /* pitch, in fours, of rows that a warp holds: they start in different banks */
#define STAGE4 (8 * WIDE4 > 32 * STAGED4 || !STAGES ? 8 * WIDE4 : 32 * STAGED4)

struct Shared {
  float image[IMAGE];
  float exchange[WARPS * PER_WARP][2][DP];
  float4 stage[WARPS][STAGE4];
  float losses[WARPS];
  Cast cast;
  int next;
};

/* What one thread knows of the trace that it follows. */
struct Follower {
  int lane, length, pieces;
  bool is_state, stores;
  size_t trace;
  float *h, *q;
  float (*exchange)[DP];
};

__device__ Follower follow(Shared &z, const Job &job, int slot, float *h, float *q) {
  Follower f;
  f.lane = threadIdx.x % LANES;
  f.length = slot < 0 ? 0 : z.cast.length[slot];
  const int longest = PER_WARP == 1 ? f.length : max(f.length, __shfl_xor_sync(EVERY, f.length, 16));
  f.pieces = (longest + 7) / 8;
  f.is_state = f.lane < D;
  f.stores = f.lane < DP && slot >= 0;
  f.trace = (size_t)(slot < 0 ? 0 : z.cast.index[slot]) * job.pitch;
  f.h = h + (size_t)max(slot, 0) * job.pitch * DP + f.lane;
  f.q = q + (size_t)max(slot, 0) * job.pitch * RQ + f.lane;
  f.exchange = z.exchange[threadIdx.x / LANES];
  return f;
}

#define EIGHT(array, trace, piece) (*(const unsigned long long *)((array) + (trace) + 8 * (piece)))
#define ONE(codes, j) ((int)((codes) >> 8 * (j) & 255))

/* h_t for all t, in pieces of eight steps: what a piece needs from memory is fetched a piece ahead, its
 * weights a step ahead. Steps past the end of a trace compute what nobody reads. */
__device__ void forward_chain(Shared &z, const Job &job, int slot, float *h, float *q) {
  const Follower f = follow(z, job, slot, h, q);
  const float *rows = z.image + min(f.lane, D - 1) * AHEAD;
  unsigned long long codes = EIGHT(job.x, f.trace, 0);
  float value = f.lane < DP ? z.image[START + f.lane] : 0;
  float4 a[2][DP / 4];
  copy<DP / 4>(a[0], (const float4 *)(rows + ONE(codes, 0) * ROWS * AHEAD));
  if (f.stores) f.h[0] = value;
  for (int n = 0; n < f.pieces; n++) {
    const unsigned long long coming = EIGHT(job.x, f.trace, n + 1);
#pragma unroll
    for (int j = 0; j < 8; j++) {
      const int next = j < 7 ? ONE(codes, j + 1) : ONE(coming, 0);
      if (f.lane < DP) f.exchange[j % 2][f.lane] = value;
      __syncwarp();
      copy<DP / 4>(a[(j + 1) % 2], (const float4 *)(rows + next * ROWS * AHEAD));
      const float sum = dot<DP / 4>(a[j % 2], (const float4 *)f.exchange[j % 2]);
      value = f.is_state ? sum : 0;
      if (f.stores) f.h[(8 * n + j + 1) * DP] = value;
    }
    codes = coming;
  }
}

/* g_t for all t, backwards; row t of q holds what the residuals of step t send to it. */
__device__ void backward_chain(Shared &z, const Job &job, int slot, float *h, float *q) {
  const Follower f = follow(z, job, slot, h, q);
  const float *columns = z.image + COLUMNS + min(f.lane, D - 1) * AHEAD;
  const int last = f.pieces - 1;
  unsigned long long codes = EIGHT(job.x, f.trace, last);
  float value = 0, u[8], ahead[8];
  float4 a[2][DP / 4];
  copy<DP / 4>(a[0], (const float4 *)(columns + ONE(codes, 7) * D * AHEAD));
  if (f.stores) f.q[f.length * RQ] = 0;
#pragma unroll
  for (int j = 0; j < 8; j++) u[j] = f.stores && 8 * last + j < f.length ? f.q[(8 * last + j) * RQ] : 0;
  for (int n = last; n >= 0; n--) {
    const int before = max(n - 1, 0);
    const unsigned long long coming = EIGHT(job.x, f.trace, before);
#pragma unroll
    for (int j = 0; j < 8; j++) ahead[j] = f.stores && 8 * before + j < f.length ? f.q[(8 * before + j) * RQ] : 0;
#pragma unroll
    for (int j = 7; j >= 0; j--) {
      const int t = 8 * n + j, next = j ? ONE(codes, j - 1) : ONE(coming, 7);
      float *exchange = f.exchange[j % 2];
      if (f.lane < DP) exchange[f.lane] = value;
      __syncwarp();
      copy<DP / 4>(a[j % 2], (const float4 *)(columns + next * D * AHEAD));
      const float sum = dot<DP / 4>(a[(j + 1) % 2], (const float4 *)exchange);
      value = f.is_state && t < f.length ? sum + u[j] : 0;
      if (f.stores && t < f.length) f.q[t * RQ] = value;
    }
    codes = coming;
#pragma unroll
    for (int j = 0; j < 8; j++) u[j] = ahead[j];
  }
}

/* The residuals of one step, and what they send back to the states; its loss. The lanes of a warp do steps that
 * read the same symbol, so that each weight comes from shared memory once for all of them. */
__device__ float residuals(const Shared &z, const Job &job, int at, int symbol, const float4 *from, float4 *to,
                           float4 *errors) {
  const int slot = at / job.pitch;
  const size_t place = (size_t)z.cast.index[slot] * job.pitch + at % job.pitch;
  const int written = job.s[place], moved = job.m[place];
  const float scale = 1.0f / ((float)z.cast.length[slot] * BATCH);
  const float *rows = z.image + (symbol * ROWS + D) * AHEAD;
  float4 state[DP / 4], row[DP / 4], back[DP / 4] = {};
  float loss = 0;
  copy<DP / 4>(state, from);
#pragma unroll 1
  for (int first = 0; first < RX; first += 4) {
    float e[4] = {};
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int output = first + i;
      if (output >= RX) break;
      copy<DP / 4>(row, (const float4 *)(rows + output * AHEAD));
      const float error = dot<DP / 4>(row, state) - WANTED(output, written, moved);
      e[i] = error * scale;
      loss = fmaf(0.5f * e[i], error, loss);
#pragma unroll
      for (int j = 0; j < DP / 4; j++) fma4(back[j], e[i], row[j]);
    }
    errors[first / 4] = make_float4(e[0], e[1], e[2], e[3]);
  }
  copy<DP / 4>(to, back);
  return loss;
}

/* Calls act(row, its step, four) for all fours of the rows of 32 steps; lanes side by side have fours side by side. */
template <int FOURS, typename Do>
__device__ __forceinline__ void for_all_fours(int at, Do act) {
  const int lane = threadIdx.x % 32, four = lane % FOURS, down = lane / FOURS;
#pragma unroll 4
  for (int base = 0; base < 32; base += 32 / FOURS) {
    const int row = base + down, there = __shfl_sync(EVERY, at, min(row, 31));
    if (down < 32 / FOURS && row < 32 && there >= 0) act(row, there, four);
  }
  __syncwarp();
}

/* The residuals of up to 32 steps. Where there are many, rows go between memory and the lanes that want them
 * through a stage, as wholes; few are over sooner without. */
__device__ float residuals_of_unit(Shared &z, const Job &job, int at, int symbol, const float *h, float *q) {
  float4 *stage = z.stage[threadIdx.x / 32], *own = stage + threadIdx.x % 32 * STAGED4;
  float loss = 0;
  if (!STAGES) {
    float4 *row = (float4 *)(q + (size_t)at * RQ);
    return at < 0 ? 0 : residuals(z, job, at, symbol, (const float4 *)(h + (size_t)at * DP), row, row + (RQ + DP) / 4);
  }
  for_all_fours<DP / 4>(at, [&](int row, int there, int four) {
    stage[row * STAGED4 + four] = ((const float4 *)(h + (size_t)there * DP))[four];
  });
  if (at >= 0) loss = residuals(z, job, at, symbol, own, own, own + DP / 4);
  __syncwarp();
  for_all_fours<RQ / 4>(at, [&](int row, int there, int four) {
    ((float4 *)(q + (size_t)(there + (four >= DP / 4)) * RQ))[four] = stage[row * STAGED4 + four];
  });
  return loss;
}

__device__ void all_residuals(Shared &z, const Job &job, const int *list, const float *h, float *q, float *total) {
  int unit = 0;
  float loss = 0;
  for (int symbol = 0; symbol < K; symbol++)
    for (int base = z.cast.begin[symbol], end = z.cast.begin[symbol + 1]; base < end; base += 32)
      if (unit++ % WARPS == threadIdx.x / 32) {
        const int mine = base + threadIdx.x % 32;
        loss += residuals_of_unit(z, job, mine < end ? list[mine] : -1, symbol, h, q);
      }
  __syncwarp();
  loss = sum_warp(loss);
  if (threadIdx.x % 32 == 0) z.losses[threadIdx.x / 32] = loss;
  __syncthreads();
  if (threadIdx.x) return;
  for (int i = 1; i < WARPS; i++) loss += z.losses[i];
  *total = loss;
}

template <bool BACK>
__device__ void all_chains(Shared &z, const Job &job, int slots, float *h, float *q) {
  const int lane = threadIdx.x % 32;
  for (;;) {
    int unit = 0;
    if (lane == 0) unit = atomicAdd(&z.next, PER_WARP);
    unit = __shfl_sync(EVERY, unit, 0);
    if (unit >= slots) break;
    const int mine = unit + lane / LANES, slot = mine < slots ? z.cast.order[mine] : -1;
    if (BACK)
      backward_chain(z, job, slot, h, q);
    else
      forward_chain(z, job, slot, h, q);
  }
  __syncthreads();
  if (threadIdx.x == 0) z.next = 0;
  __syncthreads();
}

/* Eight rows of h and q, fetched by all lanes together; what is past the end counts as zero. */
__device__ __forceinline__ void fetch(float4 *to, const float *h, const float *q, int mine, int first) {
#pragma unroll
  for (int i = 0; i < EACH4; i++) {
    const int place = i * 32 + threadIdx.x % 32, n = place / WIDE4, part = place % WIDE4;
    const int at = __shfl_sync(EVERY, mine, first + min(n, 7));
    to[i] = {0, 0, 0, 0};
    if (n < 8 && at >= 0)
      to[i] = part < DP / 4 ? ((const float4 *)(h + (size_t)at * DP))[part]
                            : ((const float4 *)(q + (size_t)(at + 1) * RQ))[part - DP / 4];
  }
}

/* One part of dO[symbol], over a stretch of the list: eight steps are summed while eight are fetched. */
__device__ void gradient_tile(Shared &z, const float *h, const float *q, const int *list, int begin, int end,
                              int symbol, int number, float *part) {
  const int lane = threadIdx.x % 32;
  float4(*stage)[WIDE4] = (float4(*)[WIDE4])z.stage[threadIdx.x / 32], next[EACH4];
  Tile<DP / 4> tile(number);
  const int column = tile.column / 4, row = DP / 4 + (tile.works ? tile.row / 4 : 0);
  int mine = begin + lane < end ? list[begin + lane] : -1, ahead = begin + 32 + lane < end ? list[begin + 32 + lane] : -1;
  fetch(next, h, q, mine, 0);
  for (int base = begin; base < end; base += 8) {
    __syncwarp();
#pragma unroll
    for (int i = 0; i < EACH4; i++)
      if (i * 32 + lane < 8 * WIDE4) (&stage[0][0])[i * 32 + lane] = next[i];
    __syncwarp();
    const int then = (base - begin + 8) % 32;
    if (then == 0) {
      mine = ahead;
      ahead = base + 40 + lane < end ? list[base + 40 + lane] : -1;
    }
    fetch(next, h, q, mine, then);
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

__device__ void gradient_parts(Shared &z, const float *h, const float *q, const int *list, float *parts) {
  for (int work = threadIdx.x / 32; work < PARTS * K * Tile<DP / 4>::COUNT; work += WARPS) {
    const int part = work % PARTS, number = work / PARTS % Tile<DP / 4>::COUNT;
    const int symbol = work / (PARTS * Tile<DP / 4>::COUNT);
    const int begin = z.cast.begin[symbol], count = z.cast.begin[symbol + 1] - begin;
    gradient_tile(z, h, q, list, begin + count * part / PARTS, begin + count * (part + 1) / PARTS, symbol, number,
                  parts + (size_t)part * P);
  }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, 1) narrow(Job job) {
  extern __shared__ float4 memory[];
  Shared &z = *(Shared *)memory;
  const int model = blockIdx.y, first = blockIdx.x * SLOTS, slots = min(SLOTS, BATCH - first);
  const size_t before = ((size_t)model * BATCH + first) * job.pitch;
  float *h = job.h + before * DP, *q = job.q + before * RQ;
  int *list = job.list + before;
  if (threadIdx.x == 0) z.next = 0;
  choose(z.cast, job, model, first, slots);
  list_steps(z.cast, job, slots, list);
  wait_for_weights();
  copy_image<IMAGE / 4>((float4 *)z.image, (const float4 *)(job.images + (size_t)model * IMAGE));
  __syncthreads();
  all_chains<false>(z, job, slots, h, q);
  all_residuals(z, job, list, h, q, job.losses + model * gridDim.x + blockIdx.x);
  all_chains<true>(z, job, slots, h, q);
  float *parts = job.parts + ((size_t)model * gridDim.x + blockIdx.x) * PARTS * P;
  gradient_parts(z, h, q, list, parts);
  gradient_of_start(job, q, slots, threadIdx.x / 32, WARPS, parts);
}

/* Puts a weight where the image holds it. */
__device__ void place(const Job &job, int model, int i, float value) {
  const int j = i % D, row = i / D % ROWS, symbol = i / (D * ROWS);
  float *image = job.images + (size_t)model * IMAGE;
  if (symbol == K) {
    image[START + j] = value;
  } else {
    image[(symbol * ROWS + row) * AHEAD + j] = value;
    if (row < D) image[COLUMNS + (symbol * D + j) * AHEAD + row] = value;
  }
}
