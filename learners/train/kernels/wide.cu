/* ---- wide: more states; the rows are shared out over the blocks of a cluster ----
 *
 * A step takes a vector of DW numbers to the next: the states, padded to DP, the outputs, and zeros. All rows are
 * treated alike, so that fours of them are sent at once; weights of what is no state are zero. */

#define RC ((DP + RX + 4 * CLUSTER - 1) / (4 * CLUSTER) * 4) /* rows of a block, at most 32: one a lane */
#define DS (RC * CLUSTER)
#define DW ((DS + 31) / 32 * 32)
#define IMAGE (K * RC * DW)     /* O[x][row][j], but fours of a row in the order that IN_BANK says */
#define IN_BANK(row, four) ((four) ^ (row) % 8) /* neither a row nor a column of fours lies in few banks */
#define TEAMS (WARPS / TEAM)
#define EIGHTS (DW / 32)        /* a row in pieces of 8 lanes, 4 numbers each */
#define FOURS (RC / 4)
#define EACH ((FOURS + TEAM - 1) / TEAM)       /* fours of rows that a warp sums, forward */
#define EACH_BACK ((EIGHTS + TEAM - 1) / TEAM) /* pieces of 32 columns that a warp sums, backward */
#if defined(RESIDENT) && TEAM == 1
#define ROW_A_LANE /* instead of eight lanes a row: less to do for many traces, but each takes longer */
#endif
#define FETCH_AHEAD (EACH * EIGHTS <= 8)
#define FETCH_BACK_AHEAD (EACH_BACK == 1 && TEAM > 1)

struct __align__(16) Shared {
  float4 h[2][SLOTS][DW / 4];
  float4 inbox[3][SLOTS][FOURS][CLUSTER]; /* three: a block may be two steps ahead of another block's slowest warp */
  unsigned long long forward[2][SLOTS], backward[3][SLOTS]; /* barriers: h has come, the inbox is full */
  float losses[WARPS], spread[WARPS][32];
  Cast casts[2];
};

__device__ __forceinline__ int cluster_rank() {
  int rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ __forceinline__ void meet() { /* all blocks of the cluster */
  asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned address(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

__device__ __forceinline__ unsigned at_rank(unsigned local, int rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(rank));
  return there;
}

/* These store into the shared memory of a block of the cluster, and count at its barrier. */
__device__ __forceinline__ void send(const float *place, const unsigned long long *barrier, int rank, float value) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   at_rank(address(place), rank)),
               "f"(value), "r"(at_rank(address(barrier), rank))
               : "memory");
}

__device__ __forceinline__ void send(const float4 *place, const unsigned long long *barrier, int rank, float4 value) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                   at_rank(address(place), rank)),
               "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w), "r"(at_rank(address(barrier), rank))
               : "memory");
}

__device__ __forceinline__ void prepare(unsigned long long *barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
}

__device__ __forceinline__ void forget(unsigned long long *barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(barrier)) : "memory");
}

__device__ __forceinline__ void expect(unsigned long long *barrier, int numbers) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(4 * numbers)
               : "memory");
}

__device__ __forceinline__ void wait(const unsigned long long *barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(address(barrier)), "r"(parity)
                 : "memory");
}

/* Where a thread stands: its trace's team and part of the work; eight lanes together, and which of them. */
struct Role {
  int lane, eight, among, team, part, rank;
};

__device__ __forceinline__ Role role() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {lane, lane / 8, lane % 8, warp / TEAM, warp % TEAM, cluster_rank()};
}

__device__ __forceinline__ void fetch_row(float4 *to, const float *weights, const Role &me, int symbol, int four) {
  const int row = min(four, FOURS - 1) * 4 + me.eight;
  const float4 *from = (const float4 *)(weights + (symbol * RC + row) * DW);
#pragma unroll
  for (int i = 0; i < EIGHTS; i++) to[i] = from[IN_BANK(row, me.among + 8 * i)];
}

/* The rows r with r % 4 == me.eight, in four columns. */
__device__ __forceinline__ void fetch_columns(float4 *to, const float *weights, const Role &me, int symbol, int piece) {
  const float4 *from = (const float4 *)(weights + symbol * RC * DW);
  const int four = min(piece, EIGHTS - 1) * 8 + me.among;
#pragma unroll
  for (int i = 0; i < FOURS; i++) to[i] = from[(4 * i + me.eight) * (DW / 4) + IN_BANK(4 * i + me.eight, four)];
}

__device__ __forceinline__ float sum_eight(float a) {
  a += __shfl_xor_sync(EVERY, a, 1);
  a += __shfl_xor_sync(EVERY, a, 2);
  return a + __shfl_xor_sync(EVERY, a, 4);
}

/* Sums over the four eights; each lane is left with one of its columns, the one of its eight. */
__device__ __forceinline__ float sum_fours(const Role &me, const float4 &a) {
  const bool high = me.eight & 2, odd = me.eight & 1;
  const float u = (high ? a.z : a.x) + __shfl_xor_sync(EVERY, high ? a.x : a.z, 16);
  const float v = (high ? a.w : a.y) + __shfl_xor_sync(EVERY, high ? a.y : a.w, 16);
  return (odd ? v : u) + __shfl_xor_sync(EVERY, odd ? u : v, 8);
}

/* What four lanes have. */
__device__ __forceinline__ float4 gather(float a, int first) {
  return {__shfl_sync(EVERY, a, first), __shfl_sync(EVERY, a, first + 1), __shfl_sync(EVERY, a, first + 2),
          __shfl_sync(EVERY, a, first + 3)};
}

/* One trace, all steps: every block computes its rows and sends them to all; the barrier of h_t, one for even and
 * one for odd t, completes when all of them have come. Every warp that reads h_t sends some of h_{t+1}, so nobody can
 * send h_{t+2} before all have read h_t. */
__device__ float forward_wide(Shared &z, const Cast &cast, const Job &job, const Role &me, const float *weights,
                              int slot, float *h, float *q) {
  if (me.part >= FOURS) return 0;
  const int length = cast.length[slot];
  const size_t trace = (size_t)cast.index[slot] * job.pitch;
  const byte *x = job.x + trace, *s = job.s + trace, *m = job.m + trace;
  const float scale = 1.0f / ((float)length * BATCH);
  float4 a[EACH][EIGHTS], b[EIGHTS];
  float loss = 0;
  h += (size_t)slot * job.pitch * DP;
  q += (size_t)slot * job.pitch * RQ;
  unsigned long long xs = EIGHT(x, 0), ss = EIGHT(s, 0), ms = EIGHT(m, 0), next_xs = 0, next_ss = 0, next_ms = 0;
  int symbol = ONE(xs, 0);
#pragma unroll
  for (int n = 0; n < EACH; n++)
    if (FETCH_AHEAD) fetch_row(a[n], weights, me, symbol, me.part + n * TEAM);
  for (int t = 0; t < length; t++) {
    if (t % 8 == 0) next_xs = EIGHT(x, t / 8 + 1), next_ss = EIGHT(s, t / 8 + 1), next_ms = EIGHT(m, t / 8 + 1);
    const int written = ONE(ss, 0), moved = ONE(ms, 0), next_symbol = t % 8 < 7 ? ONE(xs, 1) : ONE(next_xs, 0);
    xs = t % 8 < 7 ? xs >> 8 : next_xs, ss = t % 8 < 7 ? ss >> 8 : next_ss, ms = t % 8 < 7 ? ms >> 8 : next_ms;
    const auto show = [&](int output, float sum) {
      if (output < 0 || output >= RX) return;
      const float e = sum - WANTED(output, written, moved);
      q[(size_t)(t + 1) * RQ + DP + output] = e * scale;
      loss = fmaf(0.5f * scale * e, e, loss);
    };
    unsigned long long *barrier = &z.forward[(t + 1) % 2][slot];
    if (t) wait(&z.forward[t % 2][slot], (t - 1) / 2 % 2);
    const float4 *in = z.h[t % 2][slot];
#ifdef ROW_A_LANE
    const int own = min(me.lane, RC - 1);
    const float4 *from = (const float4 *)(weights + (symbol * RC + own) * DW);
    float4 sums = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < DW / 4; i++) fma4(sums, from[IN_BANK(own, i)], in[i]);
    const float sum = (sums.x + sums.y) + (sums.z + sums.w);
#pragma unroll
    for (int m = 0; m < DS / 4; m += 32) {
      const int four = (m + me.lane) % FOURS, to = (m + me.lane) / FOURS, row = me.rank * RC + 4 * four;
      const float4 all = gather(sum, 4 * four);
      if (to >= CLUSTER || t + 1 >= length) continue;
      send(&z.h[(t + 1) % 2][slot][row / 4], barrier, to, all);
      if (to == me.rank && row < DP) *(float4 *)(h + (size_t)(t + 1) * DP + row) = all;
    }
    if (me.lane < RC) show(me.rank * RC + me.lane - DP, sum);
#else
#pragma unroll
    for (int i = 0; i < EIGHTS; i++) b[i] = in[me.among + 8 * i];
    float sums[EACH];
#pragma unroll
    for (int n = 0; n < EACH; n++) { /* first all sums, then all that is sent: sending is a fence for the compiler */
      if (!FETCH_AHEAD) fetch_row(a[n], weights, me, symbol, me.part + n * TEAM);
      sums[n] = sum_eight(dot<EIGHTS>(a[n], b));
    }
#pragma unroll
    for (int n = 0; n < EACH; n++) {
      const int four = me.part + n * TEAM, row = (me.rank * FOURS + four) * 4 + me.eight;
      if (four >= FOURS) break;
      if (t + 1 < length) {
        if (me.among < CLUSTER) send((const float *)z.h[(t + 1) % 2][slot] + row, barrier, me.among, sums[n]);
        if (me.among == 0 && row < DP) h[(size_t)(t + 1) * DP + row] = sums[n];
      }
      if (me.among == 0) show(row - DP, sums[n]);
    }
#endif
    if (me.part == 0 && me.lane == 0 && t + 1 < length) expect(barrier, DS);
#pragma unroll
    for (int n = 0; n < EACH; n++)
      if (FETCH_AHEAD) fetch_row(a[n], weights, me, next_symbol, me.part + n * TEAM);
    symbol = next_symbol;
  }
  return loss;
}

/* One trace, backwards: every block sends its rows' share of g_t to the blocks that own the states;
 * the barrier of g_t completes when the shares of all blocks have come. */
__device__ void backward_wide(Shared &z, const Cast &cast, const Job &job, const Role &me, const float *weights,
                              int slot, float *q) {
  if (me.part >= EIGHTS) return;
  const int length = cast.length[slot], row = me.rank * RC + me.lane;
  const bool is_state = me.lane < RC && row < DP, is_output = me.lane < RC && row >= DP && row < DP + RX;
  const byte *x = job.x + (size_t)cast.index[slot] * job.pitch;
  float4 a[FOURS];
  q += (size_t)slot * job.pitch * RQ + row;
  int symbol = x[length - 1], next_symbol = x[max(length - 2, 0)];
  float residual = is_output ? q[(size_t)length * RQ] : 0;
  if (FETCH_BACK_AHEAD) fetch_columns(a, weights, me, symbol, me.part);
  for (int t = length - 1; t >= -1; t--) {
    const int coming = x[max(t - 2, 0)], n = length - 2 - t; /* g_{t+1} is the n-th to come */
    const float next_residual = is_output && t >= 0 ? q[(size_t)t * RQ] : 0;
    float value = residual;
    if (n >= 0) {
      wait(&z.backward[n % 3][slot], n / 3 % 2);
      const float *shares = (const float *)z.inbox[n % 3][slot][min(me.lane, RC - 1) / 4] + me.lane % 4;
      float sum = 0;
#pragma unroll
      for (int i = 0; i < CLUSTER; i++) sum += shares[4 * i];
      if (is_state) value = sum;
    }
    if (is_state && me.part == 0) q[(size_t)(t + 1) * RQ] = value;
    if (t < 0) break;
    unsigned long long *barrier = &z.backward[(n + 1) % 3][slot];
#ifdef ROW_A_LANE
    float *spread = z.spread[me.team];
    __syncwarp();
    spread[me.lane] = value;
    __syncwarp();
#pragma unroll
    for (int m = 0; m < DS / 4; m += 32) {
      const int four = m + me.lane;
      float4 sums = {0, 0, 0, 0};
#pragma unroll
      for (int row = 0; row < RC; row++) {
        const int place = (symbol * RC + row) * (DW / 4) + IN_BANK(row, min(four, DW / 4 - 1));
        fma4(sums, spread[row], ((const float4 *)weights)[place]);
      }
      if (four < DS / 4) send(&z.inbox[(n + 1) % 3][slot][four % FOURS][me.rank], barrier, four / FOURS, sums);
    }
#else
    float shares[EACH_BACK];
#pragma unroll
    for (int k = 0; k < EACH_BACK; k++) {
      if (!FETCH_BACK_AHEAD) fetch_columns(a, weights, me, symbol, me.part + k * TEAM);
      float4 sums = {0, 0, 0, 0};
#pragma unroll
      for (int i = 0; i < FOURS; i++) fma4(sums, __shfl_sync(EVERY, value, 4 * i + me.eight), a[i]);
      shares[k] = sum_fours(me, sums);
    }
#pragma unroll
    for (int k = 0; k < EACH_BACK; k++) {
      const int four = (me.part + k * TEAM) * 8 + me.among;
      if (four < DS / 4)
        send(&z.inbox[(n + 1) % 3][slot][four % FOURS][me.rank].x + me.eight, barrier, four / FOURS, shares[k]);
    }
#endif
    if (me.part == 0 && me.lane == 0) expect(barrier, DS);
    if (FETCH_BACK_AHEAD) fetch_columns(a, weights, me, next_symbol, me.part);
    symbol = next_symbol, next_symbol = coming, residual = next_residual;
  }
}

__device__ void take_weights(Shared &z, const Job &job, int model) {
#ifdef RESIDENT
  const float *image = job.images + ((size_t)model * CLUSTER + cluster_rank()) * IMAGE;
  copy_image<IMAGE / 4>((float4 *)(&z + 1), (const float4 *)image);
#endif
}

/* Forward and backward through a group of traces; meanwhile the last warp prepares the next ones. */
__device__ void pass(Shared &z, const Job &job, int model, int cluster, const Turn &turn, int number) {
  const Role me = role();
  const Cast &cast = z.casts[number % 2];
  const int slots = turn.slots(), group = model * GROUPS + turn.group;
  const size_t before = (size_t)(model * CLUSTERS + cluster) * SLOTS * job.pitch;
  float *h = job.h + before * DP, *q = job.q + before * RQ, *start = job.w + (size_t)model * P + K * ROWS * DP;
  int2 *list = job.list + before;
#ifdef RESIDENT
  const float *weights = (const float *)(&z + 1);
#else
  const float *weights = job.images + ((size_t)model * CLUSTER + me.rank) * IMAGE;
#endif
  if (me.rank == 0) list_steps(cast, job, slots, list);
  for (int i = threadIdx.x; i < slots * DW; i += WARPS * 32) {
    const int j = i % DW, slot = i / DW;
    const float value = j < DP ? start[j] : 0;
    ((float *)z.h[0][slot])[j] = value;
    ((float *)z.h[1][slot])[j] = 0;
    if (me.rank == 0 && j < DP) h[(size_t)slot * job.pitch * DP + j] = value;
  }
  for (int i = threadIdx.x; i < slots; i += WARPS * 32) {
    for (int n = 0; n < 2; n++) prepare(&z.forward[n][i]);
    for (int n = 0; n < 3; n++) prepare(&z.backward[n][i]);
  }
  meet();
  if (threadIdx.x / 32 == WARPS - 1) choose(z.casts[(number + 1) % 2], job, model, turn.next());
  float loss = 0;
  if (me.team < TEAMS)
    for (int i = 0; i * TEAMS < slots; i++) {
      const int slot = trace_of(me.team, TEAMS, i, slots);
      if (slot >= 0) loss += forward_wide(z, cast, job, me, weights, slot, h, q);
    }
  loss = sum_warp(loss);
  if (me.lane == 0) z.losses[threadIdx.x / 32] = loss;
  meet();
  if (threadIdx.x == 0) {
    loss = 0;
    for (int i = 0; i < WARPS; i++) loss += z.losses[i];
    losses_of(job, model, turn.iteration)[turn.group * CLUSTER + me.rank] = loss;
  }
  if (threadIdx.x / 32 == WARPS - 1) count(z.casts[(number + 1) % 2], job, turn.next());
  if (me.team < TEAMS)
    for (int i = 0; i * TEAMS < slots; i++) {
      const int slot = trace_of(me.team, TEAMS, i, slots);
      if (slot >= 0) backward_wide(z, cast, job, me, weights, slot, q);
    }
  meet();
  for (int i = threadIdx.x; i < slots; i += WARPS * 32) {
    for (int n = 0; n < 2; n++) forget(&z.forward[n][i]);
    for (int n = 0; n < 3; n++) forget(&z.backward[n][i]);
  }
  gradient_parts(cast, job, q, slots, threadIdx.x / 32 * CLUSTER + me.rank, WARPS * CLUSTER,
                 job.parts + (size_t)group * PARTS * P, [&](int begin, int end, int symbol, int tile, float *part) {
                   gradient_tile(h, q, list, begin, end, symbol, tile, part);
                 });
  meet();
}

/* Puts four weights where the image holds them. */
__device__ void place(Shared &, const Job &job, int model, int i, const float4 &value) {
  const int row = i / (DP / 4) % ROWS, symbol = i / (DP / 4 * ROWS), padded = row < D ? row : row - D + DP;
  float *image = job.images + ((size_t)model * CLUSTER + padded / RC) * IMAGE + (symbol * RC + padded % RC) * DW;
  if (symbol < K) ((float4 *)image)[IN_BANK(padded % RC, i % (DP / 4))] = value;
}
