/* Trains one DFST on the CPU: batches, gradients, clipping and Adam, for DIM hidden numbers and SYMBOLS symbols.

   A symbol's matrix O maps a hidden vector to the next one and to what is written and where the head moves:
   rows 0..DIM-1 are A, then come B and C. Inside, rows and columns are padded with zeros to whole vectors, so that
   A has DP rows and B and C together EP; zeros stay zeros under training. O is kept by rows (for the gradient going
   back) and by columns (for the step going forward): both are then sums of scaled vectors.

   A batch is split into GROUPS parts, each with a gradient of its own, added up in a fixed order: the result
   does not depend on the number of threads. */

#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#ifdef __AVX__
#define W 8 /* numbers in a vector */
#else
#define W 4
#endif

#define MOVES 5
#define UP(n) (((n) + W - 1) / W * W)
#define SEEN (SYMBOLS + MOVES) /* numbers that a step shows: the symbol written, the move */
#define DP UP(DIM)
#define EP UP(SEEN)
#define RP (DP + EP)
#define DV (DP / W)
#define EV (EP / W)
#define RV (RP / W)
#define BLOCKS (SYMBOLS * RV)              /* of W rows, over all symbols */
#define MATRICES ((size_t)BLOCKS * W * DP) /* numbers in all matrices; h0 follows them */
#define WEIGHTS (MATRICES + DP)

#define GROUPS 4
#define SPINS 4000 /* before a waiting worker lets others run */
#define KEPT 65536 /* bytes of steps kept before their gradient is added up: what caches hold */
#define WIDE 12    /* vectors summed at once in a product */
#if defined(__aarch64__) || defined(__AVX512VL__)
#define TALL 8 /* rows summed at once in a gradient, of 3 vectors: the sums fill the registers */
#else
#define TALL 4
#endif

typedef float vec __attribute__((vector_size(4 * W), may_alias));
#define INLINE static inline __attribute__((always_inline))

#if defined(__aarch64__) /* multiplies by one lane of a register */
#define LANES(name, from) const vec name = load(from)
#else /* loads a number into all lanes */
#define LANES(name, from) const float *const name = (from)
#endif

struct run_constants {
  const int16_t *x, *s, *m; /* (count, steps) */
  const int32_t *length;
  int64_t count, steps, batch, bands;
  float clip, beta1, beta2, rest1, rest2, eps; /* rest is 1 - beta */
  int32_t threads;
};

struct group {
  float *gradient; /* WEIGHTS */
  double loss;     /* of its traces, added up */
  double squares;  /* of its share of the whole gradient */
};

struct run {
  const struct run_constants *constants;
  uint32_t seed;
  int64_t first, count, diverged;
  const float *step, *root, *keep;
  float *losses;
  float *weights, *momentum, *variance; /* WEIGHTS each, matrices by rows */
  float *columns;                       /* matrices by columns */
  struct group group[GROUPS];
  int64_t kept; /* steps that a worker keeps */
  int workers;
  atomic_int started, arrived, turn;
};

struct worker {
  struct run *run;
  int number;
  float *hidden;              /* (kept, DP): h_t */
  float *out;                 /* (kept, RP): [h_{t+1}; e_t], then q_t */
  int32_t *symbol, *sorted;   /* (kept,): what was read, and the steps by what was read */
  int32_t start[SYMBOLS + 1]; /* of each symbol in sorted */
};

/* ---- products ---- */

INLINE vec load(const float *from) { return *(const vec *)from; }
INLINE void store(float *to, vec v) { *(vec *)to = v; }

/* sum[i] += factor[l] * rows[l][i] for `lanes` rows of `wide` vectors, `stride` numbers apart; row l is added to the
   stream l % streams, so that sums are not waited for. */
INLINE void add_rows(vec sum[][WIDE], const float *rows, int stride, const float *factor, const int lanes,
                     const int wide, const int streams) {
  LANES(by, factor);
#pragma GCC unroll 8
  for (int l = 0; l < lanes; l++)
#pragma GCC unroll 12
    for (int i = 0; i < wide; i++) sum[l % streams][i] += load(rows + l * stride + i * W) * by[l];
}

INLINE void add_product(vec sum[][WIDE], const float *rows, int stride, const float *factor, const int count,
                        const int wide, const int streams) {
  for (int j = 0; j + W <= count; j += W) add_rows(sum, rows + j * stride, stride, factor + j, W, wide, streams);
  const int done = count / W * W;
  if (done < count) add_rows(sum, rows + done * stride, stride, factor + done, count - done, wide, streams);
}

INLINE int streams_for(const int wide) { return wide >= 8 ? 1 : wide >= 4 ? 2 : 4; }

/* to = the sum of the rows, scaled: `count` rows, and `more` rows after row `skip`. */
INLINE void product_block(float *to, const float *rows, int stride, const float *factor, const int count,
                          const int skip, const int more, const int wide) {
  const int streams = streams_for(wide);
  vec sum[4][WIDE] = {0};
  add_product(sum, rows, stride, factor, count, wide, streams);
  add_product(sum, rows + skip * stride, stride, factor + skip, more, wide, streams);
#pragma GCC unroll 12
  for (int i = 0; i < wide; i++) {
    vec whole = sum[0][i];
    if (streams == 2) whole += sum[1][i];
    if (streams == 4) whole = (whole + sum[1][i]) + (sum[2][i] + sum[3][i]);
    store(to + i * W, whole);
  }
}

/* to[0..vectors) in blocks of about equal width. */
INLINE void product(float *to, const float *rows, const float *factor, const int count, const int skip,
                    const int more, const int vectors) {
  const int blocks = (vectors + WIDE - 1) / WIDE, wide = (vectors + blocks - 1) / blocks, whole = vectors / wide;
  for (int b = 0; b < whole; b++)
    product_block(to + b * wide * W, rows + b * wide * W, vectors * W, factor, count, skip, more, wide);
  if (whole * wide < vectors)
    product_block(to + whole * wide * W, rows + whole * wide * W, vectors * W, factor, count, skip, more,
                  vectors - whole * wide);
}

/* ---- one trace, forward and back ---- */

struct trace {
  const int16_t *x, *s, *m;
  int length;
  float *hidden, *out; /* of its first step, among those that the worker keeps */
};

/* Leaves [h_{t+1}; e_t] in `out`. */
static void forward(const struct run *run, const struct trace *trace) {
  const float *h = run->weights + MATRICES;
  float *out = trace->out;
  for (int t = 0; t < trace->length; t++, h = out, out += RP) {
    product(out, run->columns + (size_t)trace->x[t] * DP * RP, h, DIM, 0, 0, RV);
    if (trace->s[t] < 0) { /* The agent is stuck: all outputs shall be -1. */
      for (int i = 0; i < SEEN; i++) out[DP + i] += 1;
      continue;
    }
    out[DP + trace->s[t]] -= 1;
    out[DP + SYMBOLS + trace->m[t]] -= 1;
  }
}

/* Leaves q_t in `out` and h_t in `hidden`, adds to the gradient of h0, and returns the loss. */
static double backward(const struct run *run, const struct trace *trace, float *h0) {
  const float scale = 1 / ((float)trace->length * (float)run->constants->batch);
  float back[DP] __attribute__((aligned(4 * W))) = {0}; /* g_{t+1} */
  vec squares[EV] = {0};
  for (int t = trace->length - 1; t >= 0; t--) {
    float *q = trace->out + (size_t)t * RP;
    memcpy(trace->hidden + (size_t)t * DP, t ? q - RP : run->weights + MATRICES, sizeof back);
    memcpy(q, back, sizeof back);
    for (int i = 0; i < EV; i++) {
      vec e = load(q + DP + i * W);
      squares[i] += e * e;
      store(q + DP + i * W, e * scale);
    }
    product(back, run->weights + (size_t)trace->x[t] * RP * DP, q, DIM, DP, SEEN, DV);
  }
  for (int i = 0; i < DIM; i++) h0[i] += back[i];
  double sum = 0;
  for (int i = 0; i < SEEN; i++) sum += squares[i / W][i % W];
  return sum / (2.0 * trace->length);
}

/* ---- the gradient of the matrices: of one symbol, the sum of q_t h_tᵀ over its steps ---- */

INLINE void add_tile(float *gradient, const float *out, const float *hidden, const int32_t *steps, int count,
                     const int tall, const int wide) {
  vec sum[TALL][3];
#pragma GCC unroll 8
  for (int r = 0; r < tall; r++)
#pragma GCC unroll 3
    for (int i = 0; i < wide; i++) sum[r][i] = load(gradient + r * DP + i * W);
  for (int n = 0; n < count; n++) {
    const float *q = out + (size_t)steps[n] * RP, *h = hidden + (size_t)steps[n] * DP;
    vec column[3];
#pragma GCC unroll 3
    for (int i = 0; i < wide; i++) column[i] = load(h + i * W);
#pragma GCC unroll 2
    for (int high = 0; high < tall; high += 4) {
      LANES(by, q + high);
#pragma GCC unroll 4
      for (int r = 0; r < 4; r++)
#pragma GCC unroll 3
        for (int i = 0; i < wide; i++) sum[high + r][i] += column[i] * by[r];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < tall; r++)
#pragma GCC unroll 3
    for (int i = 0; i < wide; i++) store(gradient + r * DP + i * W, sum[r][i]);
}

INLINE void add_rows_of_tiles(float *gradient, const float *out, const float *hidden, const int32_t *steps, int count,
                              const int tall) {
  int c = 0;
  for (; c + 3 <= DV; c += 3) add_tile(gradient + c * W, out, hidden + c * W, steps, count, tall, 3);
  if (DV % 3) add_tile(gradient + c * W, out, hidden + c * W, steps, count, tall, DV % 3);
}

static void add_gradient(float *gradient, const float *out, const float *hidden, const int32_t *steps, int count) {
  int r = 0;
  for (; r + TALL <= RP; r += TALL) add_rows_of_tiles(gradient + r * DP, out + r, hidden, steps, count, TALL);
  if (RP % TALL) add_rows_of_tiles(gradient + r * DP, out + r, hidden, steps, count, RP % TALL);
}

static void sort_steps(struct worker *worker, int used) {
  int32_t place[SYMBOLS + 1] = {0};
  for (int i = 0; i < used; i++) place[worker->symbol[i] + 1]++;
  for (int x = 0; x < SYMBOLS; x++) place[x + 1] += place[x];
  memcpy(worker->start, place, sizeof place);
  for (int i = 0; i < used; i++) worker->sorted[place[worker->symbol[i]]++] = i;
}

static void add_kept(struct worker *worker, float *gradient, int used) {
  sort_steps(worker, used);
  for (int x = 0; x < SYMBOLS; x++) {
    int from = worker->start[x], count = worker->start[x + 1] - from;
    if (count)
      add_gradient(gradient + (size_t)x * RP * DP, worker->out, worker->hidden, worker->sorted + from, count);
  }
}

/* Loss and gradient of every GROUPS-th trace of a batch. */
static void train_group(struct worker *worker, int number, int64_t iteration) {
  struct run *run = worker->run;
  const struct run_constants *p = run->constants;
  struct group *group = &run->group[number];
  memset(group->gradient, 0, WEIGHTS * sizeof(float));
  group->loss = 0;
  int64_t used = 0;
  for (int64_t b = number; b < p->batch; b += GROUPS) {
    const int64_t row = dealt(run->seed, (uint64_t)iteration, (unsigned)b, (unsigned)p->batch, (unsigned)p->count,
                              (unsigned)p->bands);
    const int64_t at = row * p->steps;
    struct trace trace = {.x = p->x + at, .s = p->s + at, .m = p->m + at, .length = p->length[row]};
    if (used + trace.length > run->kept) {
      add_kept(worker, group->gradient, (int)used);
      used = 0;
    }
    trace.hidden = worker->hidden + used * DP;
    trace.out = worker->out + used * RP;
    for (int t = 0; t < trace.length; t++) worker->symbol[used++] = trace.x[t];
    forward(run, &trace);
    group->loss += backward(run, &trace, group->gradient + MATRICES);
  }
  add_kept(worker, group->gradient, (int)used);
}

/* ---- clipping and Adam, by shares of the weights ---- */

/* Adds the groups' gradients up in the first one. */
static double add_groups(struct run *run, size_t from, size_t to) {
  float *g = run->group[0].gradient;
  double squares[W] = {0}, sum = 0;
  for (size_t i = from; i < to; i += W)
    for (int l = 0; l < W; l++) {
      float whole = g[i + l];
      for (int other = 1; other < GROUPS; other++) whole += run->group[other].gradient[i + l];
      g[i + l] = whole;
      squares[l] += (double)whole * whole;
    }
  for (int l = 0; l < W; l++) sum += squares[l];
  return sum;
}

static void adam(const struct run *run, size_t from, size_t to, float scale, float step, float root,
                 float keep) {
  const struct run_constants *p = run->constants;
  const float beta1 = p->beta1, beta2 = p->beta2, rest1 = p->rest1, rest2 = p->rest2, eps = p->eps;
  const float *restrict gradient = run->group[0].gradient;
  float *restrict w = run->weights, *restrict m = run->momentum, *restrict v = run->variance;
  for (size_t i = from; i < to; i++) {
    float g = gradient[i] * scale;
    m[i] = beta1 * m[i] + rest1 * g;
    v[i] = beta2 * v[i] + rest2 * (g * g);
    w[i] = keep * w[i] - step * m[i] / (sqrtf(v[i]) / root + eps);
  }
}

/* The columns of W rows of a matrix. */
static void copy_columns(struct run *run, int block) {
  const float *restrict rows = run->weights + (size_t)block * W * DP;
  float *restrict columns = run->columns + (size_t)(block / RV) * DP * RP + block % RV * W;
  for (int j = 0; j < DIM; j++)
    for (int l = 0; l < W; l++) columns[j * RP + l] = rows[l * DP + j];
}

/* ---- all iterations ---- */

static void wait_for_all(struct run *run) {
  int turn = atomic_load(&run->turn), spins = 0;
  if (atomic_fetch_add(&run->arrived, 1) + 1 == run->workers) {
    atomic_store(&run->arrived, 0);
    atomic_store(&run->turn, turn + 1);
    return;
  }
  while (atomic_load_explicit(&run->turn, memory_order_acquire) == turn)
    if (++spins > SPINS) sched_yield();
}

/* The first block of a share of the weights; h0 belongs to the last share. */
static int share(int number) { return (int)((int64_t)BLOCKS * number / GROUPS); }

static size_t share_end(int number) {
  return number + 1 == GROUPS ? WEIGHTS : (size_t)share(number + 1) * W * DP;
}

static void update_share(struct run *run, int number, int64_t i, float scale) {
  adam(run, (size_t)share(number) * W * DP, share_end(number), scale, run->step[i], run->root[i],
       run->keep[i]);
  for (int block = share(number); block < share(number + 1); block++) copy_columns(run, block);
}

/* One worker's part of an iteration; every worker finds the same answer to whether it was finite. */
static int iterate(struct worker *worker, int64_t i) {
  struct run *run = worker->run;
  for (int g = worker->number; g < GROUPS; g += run->workers) train_group(worker, g, run->first + i);
  wait_for_all(run);
  for (int g = worker->number; g < GROUPS; g += run->workers)
    run->group[g].squares = add_groups(run, (size_t)share(g) * W * DP, share_end(g));
  wait_for_all(run);
  double loss = 0, squares = 0;
  for (int g = 0; g < GROUPS; g++) loss += run->group[g].loss, squares += run->group[g].squares;
  float mean = (float)(loss / (double)run->constants->batch), clip = run->constants->clip, scale = 1;
  if (!isfinite(mean) || !isfinite(squares)) return 0;
  if (!(clip > 0) && !isfinite((float)squares)) return 0; /* Adam's variance would stay infinite */
  if (clip > 0) scale = (float)fmin(1, clip / (sqrt(squares) + 1e-6));
  for (int g = worker->number; g < GROUPS; g += run->workers) update_share(run, g, i, scale);
  if (worker->number == 0) run->losses[i] = mean;
  wait_for_all(run);
  return 1;
}

/* Gradients fade out over long traces, and x86 is slow with numbers below 1e-38: there, TINY_IS_ZERO. */
#define TINY_IS_ZERO 0x9FC0

static unsigned set_float_mode(unsigned mode) {
  unsigned before = mode;
#ifdef __SSE__
  before = _mm_getcsr();
  _mm_setcsr(mode);
#endif
  return before;
}

static void *work(void *argument) {
  struct worker *worker = argument;
  struct run *run = worker->run;
  while (!atomic_load(&run->started)) sched_yield();
  const unsigned mode = set_float_mode(TINY_IS_ZERO);
  int64_t i = 0;
  while (i < run->count && iterate(worker, i)) i++;
  if (i < run->count && worker->number == 0) run->diverged = run->first + i;
  set_float_mode(mode);
  return 0;
}

static void run_workers(struct run *run, struct worker *workers) {
  pthread_t threads[GROUPS];
  int count = 1;
  while (count < run->workers && !pthread_create(&threads[count], 0, work, &workers[count])) count++;
  run->workers = count;
  atomic_store(&run->started, 1);
  work(&workers[0]);
  while (--count) pthread_join(threads[count], 0);
}

/* ---- between the caller's weights and ours ---- */

/* Copies flat parameters (matrices by rows, then h0) to padded ones, or back. */
static void copy_weights(float *flat, float *padded, int back) {
  for (int x = 0; x < SYMBOLS; x++)
    for (int r = 0; r < DIM + SEEN; r++, flat += DIM) {
      float *row = padded + ((size_t)x * RP + (r < DIM ? r : r - DIM + DP)) * DP;
      memcpy(back ? flat : row, back ? row : flat, DIM * sizeof(float));
    }
  float *h0 = padded + MATRICES;
  memcpy(back ? flat : h0, back ? h0 : flat, DIM * sizeof(float));
}

/* The next `count` zero numbers of `memory`, from a cache line's start; only counted if there is no memory. */
static void *take(char *memory, size_t *used, size_t count) {
  char *here = memory ? memory + *used : 0;
  *used += (count * 4 + 127) / 64 * 64;
  return here;
}

static size_t lay_out(struct run *run, struct worker *workers, char *memory) {
  size_t used = 0, kept = (size_t)run->kept;
  run->weights = take(memory, &used, WEIGHTS);
  run->momentum = take(memory, &used, WEIGHTS);
  run->variance = take(memory, &used, WEIGHTS);
  run->columns = take(memory, &used, MATRICES);
  for (int g = 0; g < GROUPS; g++) run->group[g].gradient = take(memory, &used, WEIGHTS);
  for (int i = 0; i < run->workers; i++) {
    workers[i].run = run;
    workers[i].number = i;
    workers[i].hidden = take(memory, &used, kept * DP);
    workers[i].out = take(memory, &used, kept * RP);
    workers[i].symbol = take(memory, &used, kept);
    workers[i].sorted = take(memory, &used, kept);
  }
  return used;
}

/* Runs `count` iterations on flat weights, momentum and variance, and returns the iteration that diverged, -1 for
   none, or -2 if there is no memory. The caller has filled `losses` with NaN. */
int64_t train_advance(const struct run_constants *constants, uint32_t seed, float *weights, float *momentum, float *variance,
                      int64_t first, int64_t count, const float *step, const float *root,
                      const float *keep, float *losses) {
  struct run run = {.constants = constants, .seed = seed, .first = first, .count = count, .diverged = -1};
  struct worker workers[GROUPS];
  run.step = step;
  run.root = root;
  run.keep = keep;
  run.losses = losses;
  run.workers = constants->threads < 1 ? 1 : constants->threads > GROUPS ? GROUPS : constants->threads;
  run.kept = KEPT / (4 * (DP + RP)) > constants->steps ? KEPT / (4 * (DP + RP)) : constants->steps;
  size_t bytes = lay_out(&run, workers, 0);
  char *memory = aligned_alloc(64, bytes);
  if (!memory) return -2;
  memset(memory, 0, bytes);
  lay_out(&run, workers, memory);
  copy_weights(weights, run.weights, 0);
  copy_weights(momentum, run.momentum, 0);
  copy_weights(variance, run.variance, 0);
  for (int block = 0; block < BLOCKS; block++) copy_columns(&run, block);
  run_workers(&run, workers);
  copy_weights(weights, run.weights, 1);
  copy_weights(momentum, run.momentum, 1);
  copy_weights(variance, run.variance, 1);
  free(memory);
  return run.diverged;
}
