/* Training many DFSTs at once, many iterations in one kernel. An iteration is
 *
 *   a pass    forward and backward through a batch, a part of the gradient for each group of traces
 *   reduce    sums the parts; squares for the norm
 *   adam      clips, updates, notices divergence
 *
 * after each of which the blocks of a model wait for each other; blocks of different models never do.
 *
 * dealing.c, this file, narrow.cu or wide.cu, and train.cu are compiled together at run time for one shape: D states,
 * K symbols, BATCH traces of one of BANDS bands in GROUPS groups of at most SLOTS, CLUSTER blocks a group, CLUSTERS groups of a model at
 * once, WARPS warps a block, TEAM warps a trace (of wide), PARTS parts of a gradient a group, TALL fours of rows
 * that a lane sums; RESIDENT where weights lie in shared memory, LOCAL where histories do, PRIVATE where what Adam
 * keeps does, STRICT where traces show that an agent is stuck. Nothing is summed in an order that depends on timing,
 * so a run can be repeated bit for bit.
 *
 * The parameters of a model are rows of DP numbers, D and zeros: for each symbol the rows of A, B and C stacked
 * (D + K + 5), then h0. So are its gradients. h_t has DP numbers; row t of q holds g_t (DP numbers) and the scaled
 * residuals of step t - 1 (RX numbers), so that the gradient of step t is the outer product of row t + 1 of q
 * with h_t. */

#define DP ((D + 3) / 4 * 4)
#define RX (K + 5)
#define ROWS (D + RX)
#ifdef LOCAL
#define RQ (DP + (RX + 3) / 4 * 4)
#else
#define RQ ((DP + RX + 7) / 8 * 8) /* whole sectors of memory */
#endif
#define P ((K * ROWS + 1) * DP)
#define EVERY 0xffffffffu
#define BLOCKS (CLUSTERS * CLUSTER) /* of a model */
#define SORTED 128                  /* traces that are sorted by length together */
#if CLUSTER == 1 && (BLOCKS == 1 || defined(PRIVATE))
#define ALONE /* a block has all weights; it need not tell them others */
#endif

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
  const unsigned *sorted;       /* (traces, pitch) time steps, sorted by the symbol read; what s and m say there */
  const unsigned short *starts; /* (traces, K + 1) where each symbol begins in `sorted` */
  const int *length;            /* (traces) */
  const int *ranked;            /* the traces as they are dealt */
  const int *firsts, *counts;   /* (models) those of a model: `counts` in `ranked`, from `firsts` on */
  const unsigned *seeds;        /* (models) */
  float *w, *mean, *variance;   /* (models, P) */
  float *h, *q;                 /* (models, CLUSTERS * SLOTS, pitch, DP) and (…, RQ), where not LOCAL */
  int2 *list;                   /* (models, CLUSTERS * SLOTS, pitch) the steps of a group, sorted by symbol */
  float *parts, *gradient;      /* (models, GROUPS * PARTS, P) and (models, P) */
  double *squares;              /* (models, BLOCKS) */
  float *losses, *curve;        /* (models, 2, GROUPS * CLUSTER) and (models, room) */
  const float *step, *root, *keep; /* (room) Adam's numbers; what weight decay leaves */
  float *images;                /* (models, CLUSTER, IMAGE) the weights as shared memory holds them */
  long long *diverged;          /* (models) iteration, or -1 */
  unsigned *arrivals;           /* (models) how often a block has come to where all wait; 0 before a launch */
  int pitch, room, first, count; /* iterations `first` to `first + count` */
  float clip, beta1, beta2, epsilon;
};

/* ---- all blocks of a model wait for each other; what one wrote before, all can read after ---- */

__device__ __forceinline__ void wait_for_all(const Job &job, int model, unsigned &met) {
  __syncthreads();
#if BLOCKS > 1
  unsigned seen, *arrivals = job.arrivals + model;
  met += BLOCKS;
  if (threadIdx.x == 0) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrivals) : "memory");
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(arrivals) : "memory");
    while (seen < met);
  }
  __syncthreads();
#endif
}

/* ---- small pieces ---- */

#define EIGHT(array, piece) (*(const unsigned long long *)((array) + 8 * (piece)))
#define ONE(codes, j) ((int)((codes) >> 8 * (j) & 255))

/* Opaque: what depends on it is computed where it is used, not kept in registers through all iterations. */
__device__ __forceinline__ int lane_here() {
  int lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}

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

__device__ __forceinline__ void fma4(float4 &c, const float4 &a, const float4 &b) {
  c.x = fmaf(a.x, b.x, c.x);
  c.y = fmaf(a.y, b.y, c.y);
  c.z = fmaf(a.z, b.z, c.z);
  c.w = fmaf(a.w, b.w, c.w);
}

template <int N>
__device__ __forceinline__ float dot(const float4 *a, const float4 *b) {
  float4 c = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < N; i++) {
    const float4 u = a[i], v = b[i];
    fma4(c, u, v);
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

/* The losses of even iterations and of odd ones: a block may write its next while another still reads. */
__device__ __forceinline__ float *losses_of(const Job &job, int model, int iteration) {
  return job.losses + (model * 2 + iteration % 2) * GROUPS * CLUSTER;
}

/* ---- the traces of a block, and the gradient that they give ---- */

struct Cast {
  int2 drawn[BATCH];                         /* all traces of the iteration: which, and how long */
  int index[SLOTS], length[SLOTS];           /* those of the block, the longest first */
  int first[SLOTS][K + 1], offset[SLOTS][K]; /* where symbols begin in a trace; from there to the list */
  int total[K], begin[K + 1];                /* how often each symbol is read; where it begins in the list */
};

/* The traces of one group in one iteration. The groups of a round are followed at once, so each has long traces and
 * short ones; rounds come one after another, so the first has the longest traces, the last the shortest. */
struct Turn {
  int iteration, group;

  __device__ int begin(int more) const { return (group / CLUSTERS + more) * BATCH / (GROUPS / CLUSTERS); }
  __device__ int column(int row) const {
    return row % 2 ? CLUSTERS - 1 - group % CLUSTERS : group % CLUSTERS;
  }
  __device__ int slots() const {
    const int all = begin(1) - begin(0), rows = all / CLUSTERS;
    return rows + (column(rows) < all % CLUSTERS);
  }
  /* The slot of the trace that is longer than all but `rank`; or -1. */
  __device__ int slot(int rank) const {
    const int place = rank - begin(0), row = place / CLUSTERS;
    return place >= 0 && rank < begin(1) && place % CLUSTERS == column(row) ? row : -1;
  }
  __device__ Turn next() const {
    return group + CLUSTERS < GROUPS ? Turn{iteration, group + CLUSTERS} : Turn{iteration + 1, group % CLUSTERS};
  }
};

/* Chooses the traces of a group. One warp does this while others follow the traces before forward. */
__device__ void choose(Cast &z, const Job &job, int model, const Turn &turn) {
  const int lane = threadIdx.x % 32;
  for (int i = lane; i < BATCH; i += 32) {
    const unsigned place = dealt(job.seeds[model], turn.iteration, i, BATCH, job.counts[model], BANDS);
    const int index = job.ranked[job.firsts[model] + place];
    z.drawn[i] = {index, job.length[index]};
  }
  __syncwarp();
  for (int i = lane; i < BATCH; i += 32) {
    const int2 mine = z.drawn[i];
    int rank = i / SORTED * SORTED;
#pragma unroll 8
    for (int j = rank, end = min(rank + SORTED, BATCH); j < end; j++) {
      const int length = z.drawn[j].y;
      rank += length > mine.y || (length == mine.y && j < i);
    }
    const int slot = turn.slot(rank);
    if (slot >= 0) z.index[slot] = mine.x, z.length[slot] = mine.y;
  }
  __syncwarp();
}

/* Counts how often the traces of a group read each symbol. The same warp does this while others go backward. */
__device__ void count(Cast &z, const Job &job, const Turn &turn) {
  const int lane = threadIdx.x % 32, slots = turn.slots();
#pragma unroll 4
  for (int j = lane; j < slots * (K + 1); j += 32)
    z.first[j / (K + 1)][j % (K + 1)] = job.starts[(size_t)z.index[j / (K + 1)] * (K + 1) + j % (K + 1)];
  __syncwarp();
  for (int i = lane; i < K; i += 32) {
    int sum = 0;
#pragma unroll 8
    for (int slot = 0; slot < slots; slot++) {
      z.offset[slot][i] = sum - z.first[slot][i];
      sum += z.first[slot][i + 1] - z.first[slot][i];
    }
    z.total[i] = sum;
  }
  __syncwarp();
  for (int i = lane; i <= K; i += 32) {
    int sum = 0;
    for (int symbol = 0; symbol < i; symbol++) sum += z.total[symbol];
    z.begin[i] = sum;
#pragma unroll 8
    for (int slot = 0; i < K && slot < slots; slot++) z.offset[slot][i] += sum;
  }
}

/* The n-th trace of a team, the longest first, so that all teams have about as much to do; or -1. */
__device__ __forceinline__ int trace_of(int team, int teams, int n, int slots) {
  const int place = n * teams + (n % 2 ? teams - 1 - team : team);
  return place < slots ? place : -1;
}

/* Lists all steps, sorted by symbol: a row of the histories; its slot, and what was written and moved. */
__device__ void list_steps(const Cast &z, const Job &job, int slots, int2 *list) {
  for (int slot = (2 * WARPS - 2 - threadIdx.x / 32) % WARPS; slot < slots; slot += WARPS) {
    const size_t trace = (size_t)z.index[slot] * job.pitch;
#pragma unroll 4
    for (int i = threadIdx.x % 32; i < z.length[slot]; i += 32) {
      const unsigned step = job.sorted[trace + i], t = step & 65535;
      list[z.offset[slot][job.x[trace + t]] + i] = {int(slot * job.pitch + t), int(slot << 16 | step >> 16)};
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

  __device__ Tile(int number, int lane) {
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
      __stcg((float4 *)(part + (symbol * ROWS + real) * DP + column), sums[r]);
    }
  }
};

/* One part of dO[symbol], over a stretch of the list; the rows come from where they lie, four at a time. */
__device__ void gradient_tile(const float *h, const float *q, const int2 *list, int begin, int end, int symbol,
                              int number, float *part) {
  const int lane = lane_here();
  Tile<DP / 4> tile(number, lane);
  const float *hs = h + tile.column, *qs = q + RQ + (tile.works ? tile.row : 0);
  int ahead = begin + lane < end ? list[begin + lane].x : -1;
  for (int base = begin; base < end; base += 32) {
    const int mine = ahead, count = min(32, end - base);
    ahead = base + 32 + lane < end ? list[base + 32 + lane].x : -1;
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

/* All parts of a group, and those of the gradient of h0. */
template <typename Do>
__device__ void gradient_parts(const Cast &z, const Job &job, const float *q, int slots, int worker, int workers,
                               float *parts, Do sum_tile) {
  const int tiles = Tile<DP / 4>::COUNT;
  for (int work = worker; work < PARTS * K * tiles; work += workers) {
    const int part = work % PARTS, number = work / PARTS % tiles, symbol = work / (PARTS * tiles);
    const int begin = z.begin[symbol], count = z.begin[symbol + 1] - begin;
    sum_tile(begin + count * part / PARTS, begin + count * (part + 1) / PARTS, symbol, number,
             parts + (size_t)part * P);
  }
  for (int i = worker * 32 + threadIdx.x % 32; i < PARTS * DP; i += workers * 32) {
    float sum = 0;
#pragma unroll 8
    for (int slot = i / DP; slot < slots; slot += PARTS) sum += q[(size_t)slot * job.pitch * RQ + i % DP];
    parts[(size_t)(i / DP) * P + K * ROWS * DP + i % DP] = sum;
  }
}
