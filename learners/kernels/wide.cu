/* ---- wide: more states; the rows are shared out over the blocks of a cluster ---- */

#define GD ((D + CLUSTER - 1) / CLUSTER)  /* states a block owns */
#define EX ((RX + CLUSTER - 1) / CLUSTER) /* outputs a block owns */
#define RC (GD + EX)                      /* rows of a block, at most 32: one a lane */
#define SC (RC | 1)                       /* odd, so that rows and columns are free of bank conflicts */
#define IMAGE ((K * DP * SC + 3) / 4 * 4) /* O[x][row][j] lies at (x * DP + j) * SC + row */
#define TEAMS (SLOTS < WARPS ? SLOTS : WARPS)
#define TEAM (WARPS / TEAMS)                       /* warps that follow one trace */
#define STRETCH (((D + TEAM - 1) / TEAM + 3) / 4 * 4) /* states that a warp sums over, on the way forward */
#define SPANS ((D + 31) / 32)                      /* of 32 states, on the way back */
#define LAYERS (TEAM / SPANS > 1 ? TEAM / SPANS : 1)
#define LAYER ((RC + LAYERS - 1) / LAYERS) /* rows that a warp sums over, on the way back */

struct Shared {
  float h[2][SLOTS][DP];
  float partial[TEAMS][TEAM][32];
  float inbox[2][SLOTS][CLUSTER * LAYERS][GD];
  unsigned long long forward[2][SLOTS], backward[2][SLOTS]; /* barriers: h has come, the inbox is full */
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

__device__ __forceinline__ void team_meets(int team) {
  if (TEAM > 1) asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "r"(TEAM * 32) : "memory");
}

/* Where a thread stands: its trace's team, its part of the work, the row that it owns. */
struct Role {
  int lane, team, part, rank, state, output;
  bool is_state, is_output;
};

__device__ __forceinline__ Role role() {
  const int lane = threadIdx.x % 32, rank = cluster_rank(), state = rank * GD + lane, output = rank * EX + lane - GD;
  return {lane, (int)threadIdx.x / 32 / TEAM, (int)threadIdx.x / 32 % TEAM, rank, state, output,
          lane < GD && state < D, lane >= GD && lane < RC && output < RX};
}

/* One trace, all steps: every block computes its rows and sends the states to all; the barrier of
 * h_t, one for even and one for odd t, completes when all D of them have come. */
__device__ float forward_wide(Shared &z, const Job &job, const Role &me, const float *weights, int slot, float *h,
                              float *q) {
  const int length = z.cast.length[slot];
  const size_t trace = (size_t)z.cast.index[slot] * job.pitch;
  const byte *x = job.x + trace, *s = job.s + trace, *m = job.m + trace;
  const float *mine = weights + min(me.lane, RC - 1) + me.part * STRETCH * SC;
  const float scale = 1.0f / ((float)length * BATCH);
  float loss = 0;
  int symbol = x[0], written = s[0], moved = m[0];
  for (int t = 0; t < length; t++) {
    const int next_symbol = x[t + 1], next_written = s[t + 1], next_moved = m[t + 1];
    const float *column = mine + symbol * DP * SC;
    const float4 *in = (const float4 *)(z.h[t % 2][slot] + me.part * STRETCH);
    if (t) wait(&z.forward[t % 2][slot], (t - 1) / 2 % 2);
    float4 sums = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < STRETCH / 4; i++) {
      if (me.part * STRETCH + 4 * i >= D) break;
      const float4 b = in[i];
      sums.x = fmaf(column[(4 * i) * SC], b.x, sums.x);
      sums.y = fmaf(column[(4 * i + 1) * SC], b.y, sums.y);
      sums.z = fmaf(column[(4 * i + 2) * SC], b.z, sums.z);
      sums.w = fmaf(column[(4 * i + 3) * SC], b.w, sums.w);
    }
    float sum = (sums.x + sums.y) + (sums.z + sums.w);
    if (TEAM > 1) z.partial[me.team][me.part][me.lane] = sum;
    team_meets(me.team);
    if (me.part == 0) {
#pragma unroll
      for (int i = 1; i < TEAM; i++) sum += z.partial[me.team][i][me.lane];
      unsigned long long *barrier = &z.forward[(t + 1) % 2][slot];
      if (me.is_state && t + 1 < length) {
#pragma unroll
        for (int other = 0; other < CLUSTER; other++) send(&z.h[(t + 1) % 2][slot][me.state], barrier, other, sum);
        h[((size_t)slot * job.pitch + t + 1) * DP + me.state] = sum;
      }
      if (me.is_output) {
        const float e = sum - (me.output == written || me.output == K + moved);
        q[((size_t)slot * job.pitch + t + 1) * RQ + DP + me.output] = e * scale;
        loss = fmaf(0.5f * scale * e, e, loss);
      }
      if (me.lane == 0 && t + 1 < length) expect(barrier, D);
    }
    symbol = next_symbol, written = next_written, moved = next_moved;
  }
  return loss;
}

/* One trace, backwards: every block sends its rows' share of g_t to the blocks that own the states;
 * the barrier of g_t completes when the shares of all blocks have come. */
__device__ void backward_wide(Shared &z, const Job &job, const Role &me, const float *weights, int slot, float *q) {
  const int length = z.cast.length[slot], owned = max(0, min(GD, D - me.rank * GD));
  const byte *x = job.x + (size_t)z.cast.index[slot] * job.pitch;
  q += (size_t)slot * job.pitch * RQ;
  int symbol = x[length - 1];
  float residual = me.is_output ? q[(size_t)length * RQ + DP + me.output] : 0;
  for (int t = length - 1; t >= -1; t--) {
    const int next_symbol = x[max(t - 1, 0)], n = length - 2 - t; /* g_{t+1} is the n-th to come */
    const float next_residual = me.is_output && t >= 0 ? q[(size_t)t * RQ + DP + me.output] : 0;
    float value = me.is_output ? residual : 0;
    if (n >= 0) {
      wait(&z.backward[n % 2][slot], n / 2 % 2);
      if (me.is_state) {
#pragma unroll
        for (int i = 0; i < CLUSTER * LAYERS; i++) value += z.inbox[n % 2][slot][i][me.lane];
      }
    }
    if (me.is_state && me.part == 0) q[(size_t)(t + 1) * RQ + me.state] = value;
    if (t < 0) break;
    team_meets(me.team); /* nobody sends before all have read */
    unsigned long long *barrier = &z.backward[(n + 1) % 2][slot];
#pragma unroll
    for (int task = me.part; task < SPANS * LAYERS; task += TEAM) {
      const int j = task % SPANS * 32 + me.lane, layer = task / SPANS;
      const float *column = weights + (symbol * DP + min(j, D - 1)) * SC + layer * LAYER;
      float sums[2] = {0, 0};
#pragma unroll
      for (int i = 0; i < LAYER; i++) {
        const float b = __shfl_sync(EVERY, value, min(layer * LAYER + i, RC - 1));
        if (layer * LAYER + i < RC) sums[i % 2] = fmaf(column[i], b, sums[i % 2]);
      }
      const float *place = &z.inbox[(n + 1) % 2][slot][me.rank * LAYERS + layer][j % GD];
      if (j < D) send(place, barrier, j / GD, sums[0] + sums[1]);
    }
    if (me.part == 0 && me.lane == 0) expect(barrier, owned * CLUSTER * LAYERS);
    symbol = next_symbol;
    residual = next_residual;
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
#ifdef RESIDENT
  float4 *own = memory + (sizeof(Shared) + 15) / 16;
  copy_image<IMAGE / 4>(own, (const float4 *)weights);
  weights = (const float *)own;
#endif
  choose(z.cast, job, model, first, slots);
  if (me.rank == 0) list_steps(z.cast, job, slots, list);
  for (int i = threadIdx.x; i < slots * DP; i += WARPS * 32) {
    const int j = i % DP, slot = i / DP;
    const float value = j < D ? job.w[(size_t)model * P + K * ROWS * D + j] : 0;
    z.h[0][slot][j] = value;
    z.h[1][slot][j] = 0;
    if (me.rank == 0) h[(size_t)slot * job.pitch * DP + j] = value;
  }
  for (int i = threadIdx.x; i < 2 * slots; i += WARPS * 32) {
    prepare(&z.forward[i % 2][i / 2]);
    prepare(&z.backward[i % 2][i / 2]);
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
  const int rank = row < D ? row / GD : (row - D) / EX, own = row < D ? row % GD : GD + (row - D) % EX;
  job.images[((size_t)model * CLUSTER + rank) * IMAGE + (symbol * DP + j) * SC + own] = value;
}
