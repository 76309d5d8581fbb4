/* Training many DFSTs at once: three kernels an iteration.
 *
 *   narrow | wide   forward and backward through a batch, a part of the gradient for each block
 *   reduce          sums the parts; squares for the norm
 *   adam            clips, updates, notices divergence
 *
 * Compiled at run time for one shape: D states, K symbols, BATCH traces, SLOTS traces a block (or a
 * cluster of CLUSTER blocks), WARPS warps a block, PARTS parts of a gradient for each of them, TALL fours of
 * rows that a lane sums.
 * Nothing is summed in an order that depends on timing, so a run can be repeated bit for bit.
 *
 * The parameters of a model lie flat: for each symbol the rows of A, B and C stacked (D + K + 5 rows
 * of D numbers), then h0. Histories are padded: h_t has DP numbers; row t of q holds g_t (DP numbers)
 * and the scaled residuals of step t - 1 (RX numbers), so that the gradient of step t is the outer
 * product of row t + 1 of q with h_t. */

#define DP ((D + 3) / 4 * 4)
#define RX (K + 5)
#define ROWS (D + RX)
#define RQ (DP + (RX + 3) / 4 * 4)
#define P (K * ROWS * D + D)
#define EVERY 0xffffffffu

typedef unsigned char byte;

struct Job {
  const byte *x, *s, *m;        /* (traces, pitch) what was read, written, moved */
  const unsigned short *sorted; /* (traces, pitch) time steps, sorted by the symbol read */
  const unsigned short *starts; /* (traces, K + 1) where each symbol begins in `sorted` */
  const int *length;            /* (traces) */
  const unsigned *seeds;        /* (models) */
  float *w, *mean, *variance;   /* (models, P) */
  float *h, *q;                 /* (models, BATCH, pitch, DP) and (models, BATCH, pitch, RQ) */
  int *list;                    /* (models, BATCH, pitch) all steps of a block, sorted by symbol */
  float *parts, *gradient;      /* (models, parts, P) and (models, P) */
  double *squares;              /* (models, blocks of reduce) */
  float *losses, *curve;        /* (models, blocks) and (models, room) */
  const float *step, *root, *keep; /* (room) Adam's numbers; what weight decay leaves */
  float *images;                /* (models, CLUSTER, IMAGE) the weights as shared memory holds them */
  long long *clock;             /* iteration for the gradient, iteration for adam, first of this piece */
  long long *diverged;          /* (models) iteration, or -1 */
  int traces, pitch, parts_count, room;
  float clip, beta1, beta2, epsilon;
};

/* ---- the order of the data: a permutation of the traces for each epoch ---- */

__device__ unsigned mix(unsigned a) {
  a ^= a >> 16;
  a *= 0x85EBCA6Bu;
  a ^= a >> 13;
  a *= 0xC2B2AE35u;
  return a ^ a >> 16;
}

__device__ int trace_at(unsigned seed, unsigned long long position, unsigned count) {
  unsigned epoch = (unsigned)(position / count), v = (unsigned)(position % count), half = 1;
  while ((1ull << 2 * half) < count) half++;
  unsigned mask = (1u << half) - 1, key = mix(mix(seed) + mix(epoch + 0x9E3779B9u));
  do {
    unsigned left = v >> half, right = v & mask;
    for (unsigned r = 0; r < 6; r++) {
      unsigned next = left ^ (mix(right + key + r * 0x85EBCA6Bu) & mask);
      left = right;
      right = next;
    }
    v = left << half | right;
  } while (v >= count);
  return (int)v;
}

/* ---- small pieces ---- */

__device__ __forceinline__ float sum_warp(float a) {
  for (int i = 16; i; i /= 2) a += __shfl_xor_sync(EVERY, a, i);
  return a;
}

__device__ double sum_block(double a) {
  __shared__ double sums[32];
  for (int i = 16; i; i /= 2) a += __shfl_xor_sync(EVERY, a, i);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = a;
  __syncthreads();
  double sum = 0;
  for (int i = 0; i < blockDim.x / 32; i++) sum += sums[i];
  __syncthreads();
  return sum;
}

__device__ __forceinline__ void fma4(float4 &c, float a, const float4 &b) {
  c.x = fmaf(a, b.x, c.x);
  c.y = fmaf(a, b.y, c.y);
  c.z = fmaf(a, b.z, c.z);
  c.w = fmaf(a, b.w, c.w);
}

template <int N>
__device__ __forceinline__ float dot(const float4 *a, const float4 *b) {
  float4 c = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < N; i++) {
    const float4 u = a[i], v = b[i];
    c.x = fmaf(u.x, v.x, c.x);
    c.y = fmaf(u.y, v.y, c.y);
    c.z = fmaf(u.z, v.z, c.z);
    c.w = fmaf(u.w, v.w, c.w);
  }
  return (c.x + c.y) + (c.z + c.w);
}

template <int N>
__device__ __forceinline__ void copy(float4 *to, const float4 *from) {
#pragma unroll
  for (int i = 0; i < N; i++) to[i] = from[i];
}

/* A model's weights into shared memory. */
template <int N>
__device__ __forceinline__ void copy_image(float4 *to, const float4 *from) {
#pragma unroll 8
  for (int i = threadIdx.x; i < N; i += WARPS * 32) to[i] = from[i];
}

/* ---- the traces of a block, and the gradient that they give ---- */

struct Cast {
  int index[SLOTS], length[SLOTS], order[SLOTS]; /* which traces; the longest first */
  int first[SLOTS][K + 1], offset[SLOTS][K];     /* where symbols begin in a trace; from there to the list */
  int total[K], begin[K + 1];                    /* how often each symbol is read; where it begins in the list */
};

__device__ void choose(Cast &z, const Job &job, int model, int before, int slots) {
  const int i = threadIdx.x;
  if (i < slots) z.index[i] = trace_at(job.seeds[model], job.clock[0] * BATCH + before + i, job.traces);
  __syncthreads();
  for (int j = i; j < slots * (K + 1); j += WARPS * 32)
    z.first[j / (K + 1)][j % (K + 1)] = job.starts[(size_t)z.index[j / (K + 1)] * (K + 1) + j % (K + 1)];
  __syncthreads();
  if (i < slots) {
    int rank = 0;
    z.length[i] = z.first[i][K];
    for (int j = 0; j < slots; j++) rank += z.first[j][K] > z.length[i] || (z.first[j][K] == z.length[i] && j < i);
    z.order[rank] = i;
  }
  if (i < K) {
    int sum = 0;
    for (int slot = 0; slot < slots; slot++) {
      z.offset[slot][i] = sum - z.first[slot][i];
      sum += z.first[slot][i + 1] - z.first[slot][i];
    }
    z.total[i] = sum;
  }
  __syncthreads();
  if (i <= K) {
    int sum = 0;
    for (int symbol = 0; symbol < i; symbol++) sum += z.total[symbol];
    z.begin[i] = sum;
    for (int slot = 0; i < K && slot < slots; slot++) z.offset[slot][i] += sum;
  }
  __syncthreads();
}

/* Lists all steps, as rows of the histories, sorted by symbol. */
__device__ void list_steps(const Cast &z, const Job &job, int slots, int *list) {
  for (int slot = WARPS - 1 - threadIdx.x / 32; slot < slots; slot += WARPS) {
    const size_t trace = (size_t)z.index[slot] * job.pitch;
    for (int i = threadIdx.x % 32; i < z.length[slot]; i += 32) {
      const int t = job.sorted[trace + i];
      list[z.offset[slot][job.x[trace + t]] + i] = slot * job.pitch + t;
    }
  }
}

/* A lane sums a tile of the gradient: 4 * TALL rows and 4 columns; ACROSS lanes lie side by side. */
template <int ACROSS>
struct Tile {
  enum { DOWN = 32 / ACROSS, COUNT = (RQ + 4 * TALL * DOWN - 1) / (4 * TALL * DOWN) };
  int column, row;
  bool works;
  float4 sums[4 * TALL];

  __device__ explicit Tile(int number) {
    const int lane = threadIdx.x % 32;
    column = lane % ACROSS * 4;
    row = (number * DOWN + lane / ACROSS) * 4 * TALL;
    works = lane < DOWN * ACROSS && row < RQ;
#pragma unroll
    for (int r = 0; r < 4 * TALL; r++) sums[r] = {0, 0, 0, 0};
  }

  __device__ __forceinline__ void add(const float4 *q, const float4 &h) {
#pragma unroll
    for (int r = 0; r < TALL; r++) {
      fma4(sums[4 * r], q[r].x, h);
      fma4(sums[4 * r + 1], q[r].y, h);
      fma4(sums[4 * r + 2], q[r].z, h);
      fma4(sums[4 * r + 3], q[r].w, h);
    }
  }

  __device__ void store(int symbol, float *part) const {
    if (!works) return;
#pragma unroll
    for (int r = 0; r < 4 * TALL; r++) {
      const int padded = row + r, real = padded < DP ? padded : padded - DP + D;
      if (padded < DP ? padded >= D : padded >= DP + RX) continue;
      float *out = part + (symbol * ROWS + real) * D + column;
      if (column < D) out[0] = sums[r].x;
      if (column + 1 < D) out[1] = sums[r].y;
      if (column + 2 < D) out[2] = sums[r].z;
      if (column + 3 < D) out[3] = sums[r].w;
    }
  }
};

/* The gradient of h0, in parts too. */
__device__ void gradient_of_start(const Job &job, const float *q, int slots, int worker, int workers, float *parts) {
  for (int i = worker * 32 + threadIdx.x % 32; i < PARTS * D; i += workers * 32) {
    float sum = 0;
    for (int slot = i / D; slot < slots; slot += PARTS) sum += q[(size_t)slot * job.pitch * RQ + i % D];
    parts[(size_t)(i / D) * P + K * ROWS * D + i % D] = sum;
  }
}

/* ---- narrow: up to 32 states, weights in shared memory, one trace a warp (or two) ---- */

#ifdef NARROW
#define LANES (D <= 16 && RX <= 16 ? 16 : 32) /* threads that follow one trace */
#define PER_WARP (32 / LANES)
#define AHEAD (DP / 4 % 2 ? DP : DP + 4) /* pitch of O[x][row]: rows start in different banks */
#define BEHIND (RQ / 4 % 2 ? RQ : RQ + 4) /* pitch of O[x]'s columns, padded as q is */
#define COLUMNS (K * ROWS * AHEAD)       /* where they begin in the image */
#define START (COLUMNS + K * D * BEHIND)  /* where h0 begins */
#define IMAGE (START + DP)
#define WIDE4 ((DP + RQ) / 4) /* a row of h and a row of q, in fours */
#define EACH4 ((8 * WIDE4 + 31) / 32)

struct Shared {
  float image[IMAGE];
  float exchange[WARPS * PER_WARP][2][DP];
  float states[WARPS][8][DP], errors[WARPS][8][RQ - DP];
  float4 stage[WARPS][8][WIDE4];
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
  const float *columns = z.image + COLUMNS + min(f.lane, D - 1) * BEHIND;
  const int last = f.pieces - 1;
  unsigned long long codes = EIGHT(job.x, f.trace, last);
  float value = 0, u[8], ahead[8];
  float4 a[2][DP / 4];
  copy<DP / 4>(a[0], (const float4 *)(columns + ONE(codes, 7) * D * BEHIND));
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
      copy<DP / 4>(a[j % 2], (const float4 *)(columns + next * D * BEHIND));
      const float sum = dot<DP / 4>(a[(j + 1) % 2], (const float4 *)exchange);
      value = f.is_state && t < f.length ? sum + u[j] : 0;
      if (f.stores && t < f.length) f.q[t * RQ] = value;
    }
    codes = coming;
#pragma unroll
    for (int j = 0; j < 8; j++) u[j] = ahead[j];
  }
}

/* The residuals of eight steps, and what they send back to the states; the loss of this lane's output. */
__device__ float residuals(Shared &z, const Job &job, int slot, int piece, const float *h, float *q) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, length = z.cast.length[slot];
  const size_t trace = (size_t)z.cast.index[slot] * job.pitch;
  const float *outs = z.image + (D + min(lane, RX - 1)) * AHEAD;
  const float *columns = z.image + COLUMNS + min(lane, D - 1) * BEHIND + DP;
  const unsigned long long x = EIGHT(job.x, trace, piece), s = EIGHT(job.s, trace, piece), m = EIGHT(job.m, trace, piece);
  const float scale = 1.0f / ((float)length * BATCH);
  float loss = 0;
  h += ((size_t)slot * job.pitch + 8 * piece) * DP + lane;
  q += ((size_t)slot * job.pitch + 8 * piece) * RQ + lane;
  if (lane < DP) {
#pragma unroll
    for (int j = 0; j < 8; j++) z.states[warp][j][lane] = h[j * DP];
  }
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const float said = dot<DP / 4>((const float4 *)(outs + ONE(x, j) * ROWS * AHEAD), (const float4 *)z.states[warp][j]);
    const bool counts = 8 * piece + j < length && lane < RX;
    const float e = counts ? said - (lane == ONE(s, j) || lane == K + ONE(m, j)) : 0;
    loss = fmaf(e, e, loss);
    if (counts) q[(j + 1) * RQ + DP] = e * scale;
    if (lane < RQ - DP) z.errors[warp][j][lane] = e * scale;
  }
  __syncwarp();
#pragma unroll
  for (int j = 0; j < 8; j++) {
    const float u = dot<(RQ - DP) / 4>((const float4 *)(columns + ONE(x, j) * D * BEHIND), (const float4 *)z.errors[warp][j]);
    if (8 * piece + j < length && lane < DP) q[j * RQ] = lane < D ? u : 0;
  }
  __syncwarp();
  return 0.5f * scale * loss;
}

__device__ void all_residuals(Shared &z, const Job &job, int slots, const float *h, float *q, float *total) {
  const int pieces = (z.cast.length[z.cast.order[0]] + 7) / 8;
  float loss = 0;
  for (int unit = threadIdx.x / 32; unit < slots * pieces; unit += WARPS)
    if (unit / slots * 8 < z.cast.length[unit % slots]) loss += residuals(z, job, unit % slots, unit / slots, h, q);
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
  float4(*stage)[WIDE4] = z.stage[threadIdx.x / 32], next[EACH4];
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
  copy_image<IMAGE / 4>((float4 *)z.image, (const float4 *)(job.images + (size_t)model * IMAGE));
  choose(z.cast, job, model, first, slots);
  list_steps(z.cast, job, slots, list);
  all_chains<false>(z, job, slots, h, q);
  all_residuals(z, job, slots, h, q, job.losses + model * gridDim.x + blockIdx.x);
  all_chains<true>(z, job, slots, h, q);
  float *parts = job.parts + ((size_t)model * gridDim.x + blockIdx.x) * PARTS * P;
  gradient_parts(z, h, q, list, parts);
  gradient_of_start(job, q, slots, threadIdx.x / 32, WARPS, parts);
}
#endif

/* ---- wide: more states; the rows are shared out over the blocks of a cluster ---- */

#ifdef WIDE
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
#endif

/* ---- the optimiser ---- */

extern "C" __global__ void reduce(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  float sum = 0;
  if (i < P) {
    const float *part = job.parts + (size_t)model * job.parts_count * P + i;
#pragma unroll 16
    for (int p = 0; p < job.parts_count; p++) sum += part[(size_t)p * P];
    job.gradient[(size_t)model * P + i] = sum;
  }
  const double total = sum_block((double)sum * sum);
  if (threadIdx.x == 0) job.squares[model * gridDim.x + blockIdx.x] = total;
  if (i == 0 && model == 0) job.clock[1] = job.clock[0];
}

/* Puts a weight where the images hold it. */
__device__ void place(const Job &job, int model, int i, float value) {
  const int j = i % D, row = i / D % ROWS, symbol = i / (D * ROWS);
#ifdef NARROW
  float *image = job.images + (size_t)model * IMAGE;
  if (symbol == K) {
    image[START + j] = value;
  } else {
    image[(symbol * ROWS + row) * AHEAD + j] = value;
    image[COLUMNS + (symbol * D + j) * BEHIND + (row < D ? row : row - D + DP)] = value;
  }
#else
  if (symbol == K) return;
  const int rank = row < D ? row / GD : (row - D) / EX, own = row < D ? row % GD : GD + (row - D) % EX;
  job.images[((size_t)model * CLUSTER + rank) * IMAGE + (symbol * DP + j) * SC + own] = value;
#endif
}

extern "C" __global__ void arrange(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  if (i < P) place(job, model, i, job.w[(size_t)model * P + i]);
}

extern "C" __global__ void adam(Job job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, model = blockIdx.y;
  const long long iteration = job.clock[1], now = iteration - job.clock[2];
  double squares = 0, loss = 0;
  for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) squares += job.squares[model * gridDim.x + b];
  for (int b = threadIdx.x; b < LOSSES; b += blockDim.x) loss += job.losses[model * LOSSES + b];
  squares = sum_block(squares);
  loss = sum_block(loss);
  const bool lost = job.diverged[model] >= 0 || !isfinite(squares) || !isfinite((float)loss);
  if (i == 0) {
    job.curve[(size_t)model * job.room + now] = lost ? nanf("") : (float)loss;
    if (lost && job.diverged[model] < 0) job.diverged[model] = iteration;
    if (model == 0) job.clock[0] = iteration + 1;
  }
  if (lost || i >= P) return;
  const size_t place_of = (size_t)model * P + i;
  const float norm = (float)sqrt(squares);
  const float scale = job.clip > 0 ? fminf(1.0f, job.clip / (norm + 1e-6f)) : 1.0f;
  const float g = job.gradient[place_of] * scale;
  const float mean = job.beta1 * job.mean[place_of] + (1 - job.beta1) * g;
  const float variance = job.beta2 * job.variance[place_of] + (1 - job.beta2) * g * g;
  const float value = job.keep[now] * job.w[place_of] - job.step[now] * mean / (sqrtf(variance) / job.root[now] + job.epsilon);
  job.mean[place_of] = mean;
  job.variance[place_of] = variance;
  job.w[place_of] = value;
  place(job, model, i, value);
}
