/* ---- wide: more states; the rows are shared out over the blocks of a cluster ---- */

#define DS (D < CLUSTER ? CLUSTER : D)     /* states, with idle ones where there are fewer than blocks */
#define DW ((DS + 3) / 4 * 4)
#define GD ((DS + CLUSTER - 1) / CLUSTER)  /* states a block owns, or one less */
#define EX ((RX + CLUSTER - 1) / CLUSTER)  /* outputs a block owns, at most */
#define RC (GD + EX)                       /* rows of a block, at most 32: one a lane */
#define IMAGE (K * RC * DW)                /* O[x][row][j] lies at (x * RC + row) * DW + j */
#define TEAMS (SLOTS < WARPS ? SLOTS : WARPS)
#define TEAM (WARPS / TEAMS)               /* warps that follow one trace */
#define EIGHTS ((DW + 31) / 32)            /* a row in pieces of 8 lanes, 4 numbers each */
#define FOURS ((RC + 3) / 4)
#define TASKS (FOURS < DS / CLUSTER ? FOURS : DS / CLUSTER) /* forward: each has a state, so each is waited for */
#define PASSES ((RC + 4 * TASKS - 1) / (4 * TASKS))
#define EACH ((TASKS + TEAM - 1) / TEAM * PASSES)   /* rows that eight lanes sum, forward */
#define EACH_BACK ((EIGHTS + TEAM - 1) / TEAM)      /* pieces of 32 columns that a warp sums, backward */
#define FETCH_AHEAD (EACH * EIGHTS <= 8)
#define FETCH_BACK_AHEAD (EACH_BACK == 1)

struct Shared {
  float h[2][SLOTS][DW];
  float inbox[3][SLOTS][GD][CLUSTER]; /* three: a block may be two steps ahead of another block's slowest warp */
  unsigned long long forward[2][SLOTS], backward[3][SLOTS]; /* barriers: h has come, the inbox is full */
  float losses[WARPS];
  Cast cast;
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

/* Stores into the shared memory of a block of the cluster, and counts at its barrier. */
__device__ __forceinline__ void send(const float *place, const unsigned long long *barrier, int rank, float value) {
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(
                   at_rank(address(place), rank)),
               "f"(value), "r"(at_rank(address(barrier), rank))
               : "memory");
}

__device__ __forceinline__ void prepare(unsigned long long *barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(barrier)) : "memory");
}

__device__ __forceinline__ void expect(unsigned long long *barrier, int numbers) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(4 * numbers)
               : "memory");
}

__device__ __forceinline__ void wait(const unsigned long long *barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{\n\t.reg .pred p;\n\t"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(address(barrier)), "r"(parity)
                 : "memory");
}

__device__ __forceinline__ int first_state(int rank) { return rank * DS / CLUSTER; }

/* Where a thread stands: its trace's team and part of the work; eight lanes together, and which of them. */
struct Role {
  int lane, eight, among, team, part, rank, first, owned;
};

__device__ __forceinline__ Role role() {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, rank = cluster_rank(), first = first_state(rank);
  return {lane, lane / 8, lane % 8, warp / TEAM, warp % TEAM, rank, first, first_state(rank + 1) - first};
}

/* The n-th row that these eight lanes sum, or RC and more if there is none. */
__device__ __forceinline__ int row_of(const Role &me, int n) {
  const int task = me.part + n / PASSES * TEAM;
  return task < TASKS ? task + (n % PASSES * 4 + me.eight) * TASKS : RC;
}

__device__ __forceinline__ void fetch_row(float4 *to, const float *weights, const Role &me, int symbol, int row) {
  const float4 *from = (const float4 *)(weights + (symbol * RC + min(row, RC - 1)) * DW);
#pragma unroll
  for (int i = 0; i < EIGHTS; i++)
    to[i] = me.among + 8 * i < DW / 4 ? from[me.among + 8 * i] : make_float4(0, 0, 0, 0);
}

/* The rows r with r % 4 == me.eight, in four columns. */
__device__ __forceinline__ void fetch_columns(float4 *to, const float *weights, const Role &me, int symbol, int piece) {
  const float4 *from = (const float4 *)(weights + symbol * RC * DW) + min(piece * 8 + me.among, DW / 4 - 1);
#pragma unroll
  for (int i = 0; i < FOURS; i++) to[i] = from[min(4 * i + me.eight, RC - 1) * (DW / 4)];
}

__device__ __forceinline__ float sum_eight(float a) {
  a += __shfl_xor_sync(EVERY, a, 1);
  a += __shfl_xor_sync(EVERY, a, 2);
  return a + __shfl_xor_sync(EVERY, a, 4);
}

/* Sums over the four eights; each lane is left with one of its columns: 2 * (eight / 2) + eight % 2. */
__device__ __forceinline__ float sum_fours(const Role &me, const float4 &a) {
  const bool high = me.eight & 2, odd = me.eight & 1;
  const float u = (high ? a.z : a.x) + __shfl_xor_sync(EVERY, high ? a.x : a.z, 16);
  const float v = (high ? a.w : a.y) + __shfl_xor_sync(EVERY, high ? a.y : a.w, 16);
  return (odd ? v : u) + __shfl_xor_sync(EVERY, odd ? u : v, 8);
}

/* One trace, all steps: every block computes its rows and sends the states to all; the barrier of
 * h_t, one for even and one for odd t, completes when all of them have come. Every warp that reads h_t sends
 * some of h_{t+1}, so nobody can send h_{t+2} before all have read h_t. */
__device__ float forward_wide(Shared &z, const Job &job, const Role &me, const float *weights, int slot, float *h,
                              float *q) {
  if (me.part >= TASKS) return 0;
  const int length = z.cast.length[slot];
  const size_t trace = (size_t)z.cast.index[slot] * job.pitch;
  const byte *x = job.x + trace, *s = job.s + trace, *m = job.m + trace;
  const float scale = 1.0f / ((float)length * BATCH);
  float4 a[EACH][EIGHTS], b[EIGHTS];
  float loss = 0;
  h += (size_t)slot * job.pitch * DP;
  q += (size_t)slot * job.pitch * RQ;
  int symbol = x[0], next_symbol = x[1], written = s[0], moved = m[0];
#pragma unroll
  for (int n = 0; n < EACH; n++)
    if (FETCH_AHEAD) fetch_row(a[n], weights, me, symbol, row_of(me, n));
  for (int t = 0; t < length; t++) {
    const int coming = x[t + 2], next_written = s[t + 1], next_moved = m[t + 1];
    unsigned long long *barrier = &z.forward[(t + 1) % 2][slot];
    if (t) wait(&z.forward[t % 2][slot], (t - 1) / 2 % 2);
    const float4 *in = (const float4 *)z.h[t % 2][slot];
#pragma unroll
    for (int i = 0; i < EIGHTS; i++) b[i] = in[min(me.among + 8 * i, DW / 4 - 1)];
    float sums[EACH];
#pragma unroll
    for (int n = 0; n < EACH; n++) { /* first all sums, then all that is sent: sending is a fence for the compiler */
      if (!FETCH_AHEAD) fetch_row(a[n], weights, me, symbol, row_of(me, n));
      sums[n] = sum_eight(dot<EIGHTS>(a[n], b));
    }
#pragma unroll
    for (int n = 0; n < EACH; n++) {
      const int row = row_of(me, n), output = me.rank * EX + row - GD;
      const float sum = sums[n];
      if (row < me.owned && t + 1 < length) {
        if (me.among < CLUSTER) send(&z.h[(t + 1) % 2][slot][me.first + row], barrier, me.among, sum);
        if (me.among == 0 && me.first + row < D) h[(size_t)(t + 1) * DP + me.first + row] = sum;
      }
      if (me.among == 0 && row >= GD && row < RC && output < RX) {
        const float e = sum - WANTED(output, written, moved);
        q[(size_t)(t + 1) * RQ + DP + output] = e * scale;
        loss = fmaf(0.5f * scale * e, e, loss);
      }
    }
    if (me.part == 0 && me.lane == 0 && t + 1 < length) expect(barrier, DS);
#pragma unroll
    for (int n = 0; n < EACH; n++)
      if (FETCH_AHEAD) fetch_row(a[n], weights, me, next_symbol, row_of(me, n));
    symbol = next_symbol, next_symbol = coming, written = next_written, moved = next_moved;
  }
  return loss;
}

/* One trace, backwards: every block sends its rows' share of g_t to the blocks that own the states;
 * the barrier of g_t completes when the shares of all blocks have come. */
__device__ void backward_wide(Shared &z, const Job &job, const Role &me, const float *weights, int slot, float *q) {
  if (me.part >= EIGHTS) return;
  const int length = z.cast.length[slot], state = me.first + me.lane, output = me.rank * EX + me.lane - GD;
  const bool is_state = me.lane < me.owned, is_output = me.lane >= GD && me.lane < RC && output < RX;
  const byte *x = job.x + (size_t)z.cast.index[slot] * job.pitch;
  float4 a[FOURS];
  q += (size_t)slot * job.pitch * RQ;
  int symbol = x[length - 1], next_symbol = x[max(length - 2, 0)];
  float residual = is_output ? q[(size_t)length * RQ + DP + output] : 0;
  if (FETCH_BACK_AHEAD) fetch_columns(a, weights, me, symbol, me.part);
  for (int t = length - 1; t >= -1; t--) {
    const int coming = x[max(t - 2, 0)], n = length - 2 - t; /* g_{t+1} is the n-th to come */
    const float next_residual = is_output && t >= 0 ? q[(size_t)t * RQ + DP + output] : 0;
    float value = residual;
    if (n >= 0) {
      wait(&z.backward[n % 3][slot], n / 3 % 2);
      const float *shares = z.inbox[n % 3][slot][min(me.lane, GD - 1)];
      float sum = 0;
#pragma unroll
      for (int i = 0; i < CLUSTER; i++) sum += shares[i];
      if (is_state) value = sum;
    }
    if (is_state && me.part == 0 && state < D) q[(size_t)(t + 1) * RQ + state] = value;
    if (t < 0) break;
    unsigned long long *barrier = &z.backward[(n + 1) % 3][slot];
    float shares[EACH_BACK];
#pragma unroll
    for (int k = 0; k < EACH_BACK; k++) {
      if (!FETCH_BACK_AHEAD) fetch_columns(a, weights, me, symbol, me.part + k * TEAM);
      float4 sums = {0, 0, 0, 0};
#pragma unroll
      for (int i = 0; i < FOURS; i++) {
        const float b = __shfl_sync(EVERY, value, min(4 * i + me.eight, 31));
        fma4(sums, 4 * i + me.eight < RC ? b : 0, a[i]);
      }
      shares[k] = sum_fours(me, sums);
    }
#pragma unroll
    for (int k = 0; k < EACH_BACK; k++) {
      const int j = ((me.part + k * TEAM) * 8 + me.among) * 4 + me.eight, owner = ((j + 1) * CLUSTER - 1) / DS;
      if (j < DS) send(&z.inbox[(n + 1) % 3][slot][j - first_state(owner)][me.rank], barrier, owner, shares[k]);
    }
    if (me.part == 0 && me.lane == 0) expect(barrier, me.owned * CLUSTER);
    if (FETCH_BACK_AHEAD) fetch_columns(a, weights, me, next_symbol, me.part);
    symbol = next_symbol, next_symbol = coming, residual = next_residual;
  }
}

/* One part of dO[symbol], over a stretch of the list; the rows come from the cache, four at a time. */
__device__ void gradient_tile(const float *h, const float *q, const int *list, int begin, int end, int symbol,
                              int number, float *part) {
  const int lane = threadIdx.x % 32;
  Tile<DP / 4> tile(number);
  const float *hs = h + tile.column, *qs = q + RQ + (tile.works ? tile.row : 0);
  int ahead = begin + lane < end ? list[begin + lane] : -1;
  for (int base = begin; base < end; base += 32) {
    const int mine = ahead, count = min(32, end - base);
    ahead = base + 32 + lane < end ? list[base + 32 + lane] : -1;
    for (int i = 0; i < count; i += 4) {
      float4 a[4][TALL], b[4];
#pragma unroll
      for (int n = 0; n < 4; n++) {
        const int at = __shfl_sync(EVERY, mine, i + n);
        b[n] = *(const float4 *)(hs + (size_t)max(at, 0) * DP);
#pragma unroll
        for (int r = 0; r < TALL; r++) {
          const bool there = at >= 0 && tile.row + 4 * r < RQ;
          a[n][r] = there ? *(const float4 *)(qs + (size_t)at * RQ + 4 * r) : make_float4(0, 0, 0, 0);
        }
      }
#pragma unroll
      for (int n = 0; n < 4; n++) tile.add(a[n], b[n]);
    }
  }
  tile.store(symbol, part);
}

__device__ void gradient_parts(const Cast &z, const float *h, const float *q, const int *list, int worker, float *parts) {
  for (int work = worker; work < K * Tile<DP / 4>::COUNT; work += WARPS * CLUSTER) {
    const int symbol = work / Tile<DP / 4>::COUNT, number = work % Tile<DP / 4>::COUNT;
    gradient_tile(h, q, list, z.begin[symbol], z.begin[symbol + 1], symbol, number, parts);
  }
}

extern "C" __global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(WARPS * 32, 1) wide(Job job) {
  extern __shared__ float4 memory[];
  Shared &z = *(Shared *)memory;
  const Role me = role();
  const int model = blockIdx.y, group = blockIdx.x / CLUSTER, first = group * SLOTS;
  const int slots = min(SLOTS, BATCH - first);
  const size_t before = ((size_t)model * BATCH + first) * job.pitch;
  float *h = job.h + before * DP, *q = job.q + before * RQ;
  int *list = job.list + before;
  const float *weights = job.images + ((size_t)model * CLUSTER + me.rank) * IMAGE;
  choose(z.cast, job, model, first, slots);
  if (me.rank == 0) list_steps(z.cast, job, slots, list);
  wait_for_weights();
#ifdef RESIDENT
  float4 *own = memory + (sizeof(Shared) + 15) / 16;
  copy_image<IMAGE / 4>(own, (const float4 *)weights);
  weights = (const float *)own;
#endif
  for (int i = threadIdx.x; i < slots * DW; i += WARPS * 32) {
    const int j = i % DW, slot = i / DW;
    const float value = j < D ? job.w[(size_t)model * P + K * ROWS * D + j] : 0;
    z.h[0][slot][j] = value;
    z.h[1][slot][j] = 0;
    if (me.rank == 0 && j < DP) h[(size_t)slot * job.pitch * DP + j] = value;
  }
  for (int i = threadIdx.x; i < slots; i += WARPS * 32) {
    for (int n = 0; n < 2; n++) prepare(&z.forward[n][i]);
    for (int n = 0; n < 3; n++) prepare(&z.backward[n][i]);
  }
  meet();
  float loss = 0;
  if (me.team < TEAMS)
    for (int i = me.team; i < slots; i += TEAMS) loss += forward_wide(z, job, me, weights, z.cast.order[i], h, q);
  loss = sum_warp(loss);
  if (me.lane == 0) z.losses[threadIdx.x / 32] = loss;
  meet();
  if (threadIdx.x == 0) {
    loss = 0;
    for (int i = 0; i < WARPS; i++) loss += z.losses[i];
    job.losses[model * gridDim.x + blockIdx.x] = loss;
  }
  if (me.team < TEAMS)
    for (int i = me.team; i < slots; i += TEAMS) backward_wide(z, job, me, weights, z.cast.order[i], q);
  meet();
  float *parts = job.parts + ((size_t)model * (gridDim.x / CLUSTER) + group) * PARTS * P;
  const int worker = threadIdx.x / 32 * CLUSTER + me.rank;
  gradient_parts(z.cast, h, q, list, worker, parts);
  gradient_of_start(job, q, slots, worker, WARPS * CLUSTER, parts);
}

/* Puts a weight where the image holds it. */
__device__ void place(const Job &job, int model, int i, float value) {
  const int j = i % D, row = i / D % ROWS, symbol = i / (D * ROWS);
  if (symbol == K) return;
  const int rank = row < D ? ((row + 1) * CLUSTER - 1) / DS : (row - D) / EX;
  const int own = row < D ? row - first_state(rank) : GD + (row - D) % EX;
  job.images[((size_t)model * CLUSTER + rank) * IMAGE + (symbol * RC + own) * DW + j] = value;
}
