/* Training many DFSTs at once: three kernels an iteration.
 *
 *   narrow | wide   forward and backward through a batch, a part of the gradient for each group of traces
 *   reduce          sums the parts; squares for the norm
 *   adam            clips, updates, notices divergence
 *
 * This file, then narrow.cu or wide.cu, then adam.cu are compiled together at run time for one shape: D states,
 * K symbols, BATCH traces, SLOTS traces a group, CLUSTER blocks a group, WARPS warps a block, PARTS parts of a
 * gradient a group, TALL fours of rows that a lane sums; STRICT where traces show that an agent is stuck.
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

/* What an output shall be after a step that wrote s and moved m. Where the agent is stuck, all shall be -1. */
#ifdef STRICT
#define STUCK 255
#define WANTED(output, s, m) ((s) == STUCK ? -1.0f : (float)((output) == (s) || (output) == K + (m)))
#else
#define WANTED(output, s, m) ((output) == (s) || (output) == K + (m))
#endif

typedef unsigned char byte;

struct Job {
  const byte *x, *s, *m;        /* (traces, pitch) what was read, written, moved */
  const unsigned short *sorted; /* (traces, pitch) time steps, sorted by the symbol read */
  const unsigned short *starts; /* (traces, K + 1) where each symbol begins in `sorted` */
  const int *length;            /* (traces) */
  const int *firsts, *counts;   /* (models) the traces of a model: `counts` of them from `firsts` on */
  const unsigned *seeds;        /* (models) */
  float *w, *mean, *variance;   /* (models, P) */
  float *h, *q;                 /* (models, BATCH, pitch, DP) and (models, BATCH, pitch, RQ) */
  int *list;                    /* (models, BATCH, pitch) all steps of a block, sorted by symbol */
  float *parts, *gradient;      /* (models, parts, P) and (models, P) */
  double *squares;              /* (models, blocks of reduce) */
  float *losses, *curve;        /* (models, blocks) and (models, room) */
  const float *step, *root, *keep; /* (room) Adam's numbers; what weight decay leaves */
  float *images;                /* (models, CLUSTER, IMAGE) the weights as shared memory holds them */
  long long *clock;             /* next iteration, iteration for adam, first of this piece */
  long long *diverged;          /* (models) iteration, or -1 */
  int pitch, parts_count, room;
  float clip, beta1, beta2, epsilon;
};

/* ---- the next kernel starts while this one runs, and waits where it needs what this one writes ---- */

__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Before this, an iteration reads only traces and its number, which are there when `adam` lets it start. */
__device__ __forceinline__ void wait_for_weights() {
  wait_for_kernel_before();
  let_next_kernel_start();
}

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
  if (i < slots)
    z.index[i] =
        job.firsts[model] + trace_at(job.seeds[model], __ldcg(job.clock) * BATCH + before + i, job.counts[model]);
  __syncthreads();
  for (int j = i; j < slots * (K + 1); j += WARPS * 32)
    z.first[j / (K + 1)][j % (K + 1)] = job.starts[(size_t)z.index[j / (K + 1)] * (K + 1) + j % (K + 1)];
  __syncthreads();
  if (i < slots) {
    int rank = 0;
    z.length[i] = z.first[i][K];
#pragma unroll 8
    for (int j = 0; j < slots; j++) rank += z.first[j][K] > z.length[i] || (z.first[j][K] == z.length[i] && j < i);
    z.order[rank] = i;
  }
  if (i < K) {
    int sum = 0;
#pragma unroll 8
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
#pragma unroll 8
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
#pragma unroll 8
    for (int slot = i / D; slot < slots; slot += PARTS) sum += q[(size_t)slot * job.pitch * RQ + i % D];
    parts[(size_t)(i / D) * P + K * ROWS * D + i % D] = sum;
  }
}
