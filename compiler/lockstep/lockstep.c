/* A model in lockstep with the expert's table, on the world of world.c.
 *
 * Compiled for one size: DIM, SYMBOLS and MOVES are given, and whether the model is STRICT. While model and expert agree they share
 * one world and one head, so the expert walks and the model is only asked what it would have done.
 *
 * The weights of a symbol, A over B over C, are one matrix. It is cut into panels of PANEL vectors
 * of rows, each stored column after column, so that a product streams through memory and its sums
 * stay in registers. */

#include <float.h>
#include <math.h>

enum {
  OUTPUT = DIM, /* where the outputs begin among the rows, which have no gaps */
  MOVE_OUTPUT = OUTPUT + SYMBOLS,
  ROWS = MOVE_OUTPUT + MOVES,
  DIM_VECS = (DIM + LANES - 1) / LANES,
  ROW_VECS = (ROWS + LANES - 1) / LANES,
  FIRST_OUT = OUTPUT / LANES, /* the vector where the outputs begin */
  OUT_VECS = ROW_VECS - FIRST_OUT,
  PANELS = (ROW_VECS + 11) / 12,
  PANEL = (ROW_VECS + PANELS - 1) / PANELS,
};
enum { DECIDED };
enum { STEP, HALT, UNDEFINED };

#define EDGE SYMBOLS
#define FAR 1e38f /* added where nothing is compared; finite, so that what is not finite still shows */

typedef struct entry {
  uint32_t next; /* state times SYMBOLS */
  uint16_t write, wanted_write; /* the table's number of a symbol, and the model's */
  uint8_t move, wanted_move;
  uint8_t kind, spare;
} entry;

typedef struct model {
  vec weights[SYMBOLS][PANELS][DIM][PANEL];
  vec write_bias[SYMBOLS][OUT_VECS]; /* by what is wanted: 0 for the other writes, FAR elsewhere */
  vec move_bias[MOVES + 1][OUT_VECS];
  vec start[DIM_VECS];
} model;

typedef struct margin {
  double least;
  int64_t step, x, y; /* where it was seen first */
} margin;

typedef struct report {
  int64_t steps, state, x, y, read;
  int64_t write, move, stuck; /* the last thing the model did, once it differs */
  margin margins[2];          /* of writes, of moves */
} report;

typedef struct run {
  vec hidden[DIM_VECS];
  world *world;
  const model *model;
  const entry *table;
  float least[2]; /* below this a margin is new, or no margin at all */
  report report;
} run;

static void *aligned(size_t size) {
  void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
  if (memory != NULL) memset(memory, 0, size);
  return memory;
}

static float *weight(model *m, int symbol, int row, int column) {
  int v = row / LANES;
  return (float *)&m->weights[symbol][v / PANEL][column][v % PANEL] + row % LANES;
}

static void fill_bias(vec *rows, int first, int count) {
  for (int wanted = 0; wanted < count; wanted++)
    for (int i = 0; i < OUT_VECS * LANES; i++) {
      int output = FIRST_OUT * LANES + i - first;
      ((float *)(rows + wanted * OUT_VECS))[i] = output == wanted || output < 0 || output >= count ? FAR : 0;
    }
}

/* The model's tensors by the table's symbols read; outputs in the model's own order. */
model *lockstep_model(const float *A, const float *B, const float *C, const float *h0) {
  model *m = aligned(sizeof *m);
  if (m == NULL) return NULL;
  for (int x = 0; x < SYMBOLS; x++)
    for (int j = 0; j < DIM; j++) {
      for (int i = 0; i < DIM; i++) *weight(m, x, i, j) = A[((size_t)x * DIM + i) * DIM + j];
      for (int i = 0; i < SYMBOLS; i++)
        *weight(m, x, OUTPUT + i, j) = B[((size_t)x * SYMBOLS + i) * DIM + j];
      for (int i = 0; i < MOVES; i++)
        *weight(m, x, MOVE_OUTPUT + i, j) = C[((size_t)x * MOVES + i) * DIM + j];
    }
  fill_bias(&m->write_bias[0][0], OUTPUT, SYMBOLS);
  fill_bias(&m->move_bias[0][0], MOVE_OUTPUT, MOVES);
  for (int i = 0; i < OUT_VECS * LANES; i++) ((float *)m->move_bias[MOVES])[i] = -FAR; /* never right */
  memcpy(m->start, h0, DIM * sizeof *h0);
  return m;
}

void lockstep_forget(model *m) { free(m); }

/* `wide` cells a row from (x, y) on, `high` rows; blank where there is no tile. */
void lockstep_look(const run *r, int64_t x, int64_t y, int64_t wide, int64_t high, int32_t *symbols) {
  for (int64_t i = 0; i < wide * high; i++) symbols[i] = symbol_at(r->world, x + i % wide, y + i / wide);
}

void lockstep_free(run *r) {
  grid_free(r->world);
  free(r);
}

run *lockstep_new(const model *m, const entry *table, uint64_t memory, int64_t x, int64_t y) {
  run *r = aligned(sizeof *r);
  if (r == NULL) return NULL;
  r->model = m;
  r->table = table;
  r->world = grid_new(memory, EDGE);
  if (r->world == NULL) {
    free(r);
    return NULL;
  }
  memcpy(r->hidden, m->start, sizeof r->hidden);
  r->least[0] = SYMBOLS > 1 ? FLT_MAX : FAR / 2; /* one output alone leads by nothing that could be less */
  r->least[1] = MOVES > 1 ? FLT_MAX : FAR / 2;
  r->report.margins[0].least = r->report.margins[1].least = INFINITY;
  r->report.x = x;
  r->report.y = y;
  return r;
}

int lockstep_put(run *r, int64_t count, const int64_t *xs, const int64_t *ys, const int32_t *symbols) {
  return grid_put(r->world, count, xs, ys, symbols);
}

const report *lockstep_report(const run *r) { return &r->report; }

/* The largest output, ties to the lowest, and by how much it leads. */
static int winner(const float *outputs, int count, float *lead) {
  int best = 0;
  float second = -INFINITY;
  for (int i = 1; i < count; i++) {
    if (outputs[i] > outputs[best]) {
      second = outputs[best];
      best = i;
    } else if (outputs[i] > second) {
      second = outputs[i];
    }
  }
  *lead = outputs[best] - second;
  return best;
}

static void remember(run *r, int which, float lead, int64_t step, const tile *t, const cell *p) {
  margin *seen = &r->report.margins[which];
  if (!(lead < seen->least)) return;
  *seen = (margin){lead, step, column_of(t, p), row_of(t, p)};
  r->least[which] = lead > FLT_TRUE_MIN ? lead : FLT_TRUE_MIN; /* a tie is always looked at */
}

/* What the quick comparison does not settle: a new least margin, a tie, or a mistake. True if all is well.
 * The decision is that of `decide` in compiler/tensors/closed_loop.py. */
RARELY int judge(run *r, const float *rows, const entry *e, int64_t step, const tile *t, const cell *p) {
  const float *writes = rows + OUTPUT, *moves = rows + MOVE_OUTPUT;
  int finite = 1, zero = 1, positive = 0;
  for (int i = 0; i < SYMBOLS + MOVES; i++) {
    float value = i < SYMBOLS ? writes[i] : moves[i - SYMBOLS];
    finite &= value - value == 0;
    zero &= value == 0;
    positive |= value > 0;
  }
  report *told = &r->report;
  told->stuck = !finite ? NOT_FINITE : zero ? ALL_ZERO : STRICT && !positive ? NONE_POSITIVE : DECIDED;
  if (told->stuck) return e->kind == UNDEFINED;
  float lead[2];
  told->write = winner(writes, SYMBOLS, &lead[0]);
  told->move = winner(moves, MOVES, &lead[1]);
  if (e->kind == UNDEFINED) return 0;
  for (int i = 0; i < 2; i++) remember(r, i, lead[i], step, t, p);
  return told->write == e->wanted_write && told->move == e->wanted_move;
}

#define UNROLLED _Pragma("GCC unroll 64")
#if DIM <= 32
#define SMALL_UNROLLED UNROLLED
#else
#define SMALL_UNROLLED
#endif

/* Sums of one panel: its columns times the hidden vector. */
INLINE void panel_times(const vec (*columns)[PANEL], const vec *hidden, vec *sums) {
  vec sum[PANEL];
  UNROLLED for (int i = 0; i < PANEL; i++) sum[i] = (vec){0};
#if defined(__ARM_NEON) /* multiplies by a lane of a register */
  SMALL_UNROLLED for (int v = 0; v < DIM / LANES; v++) {
    vec h = hidden[v];
    UNROLLED for (int lane = 0; lane < LANES; lane++)
      UNROLLED for (int i = 0; i < PANEL; i++) sum[i] += columns[v * LANES + lane][i] * h[lane];
  }
  UNROLLED for (int j = DIM / LANES * LANES; j < DIM; j++)
    UNROLLED for (int i = 0; i < PANEL; i++) sum[i] += columns[j][i] * hidden[j / LANES][j % LANES];
#else /* loads a number into all lanes */
  const float *h = (const float *)hidden;
  SMALL_UNROLLED for (int j = 0; j < DIM; j++)
    UNROLLED for (int i = 0; i < PANEL; i++) sum[i] += columns[j][i] * h[j];
#endif
  UNROLLED for (int i = 0; i < PANEL; i++) sums[i] = sum[i];
}

/* All bits set in lanes that are not at least `least`, or not finite. */
INLINE mask doubtful(vec lead, float least) {
  return ~((lead >= least) & (lead <= FLT_MAX));
}

/* Whether the outputs need a closer look. If not, the wanted write and move lead by the least margins. */
INLINE int unclear(const run *r, const vec *rows, const entry *e) {
  const float *out = (const float *)rows;
  const vec *outputs = rows + FIRST_OUT;
  const vec *write_bias = r->model->write_bias[e->wanted_write];
  const vec *move_bias = r->model->move_bias[e->wanted_move];
  float write = out[OUTPUT + e->wanted_write], move = out[MOVE_OUTPUT + e->wanted_move];
  mask found = {0};
  UNROLLED for (int i = 0; i <= (MOVE_OUTPUT - 1) / LANES - FIRST_OUT; i++)
    found |= doubtful(write - outputs[i] + write_bias[i], r->least[0]);
  UNROLLED for (int i = MOVE_OUTPUT / LANES - FIRST_OUT; i < OUT_VECS; i++)
    found |= doubtful(move - outputs[i] + move_bias[i], r->least[1]);
  return any(found) || (STRICT && !(write > 0 || move > 0));
}

/* Goes on for at most `budget` steps of the expert. After DIFFERS the world is as it was before that step. */
int lockstep_go(run *r, uint64_t budget) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  world *w = r->world;
  report *told = &r->report;
  const entry *table = r->table;
  tile *t = tile_around(w, told->x, told->y);
  if (t == NULL) return MEMORY;
  cell *p = cell_at(t, told->x, told->y);
  uint32_t q = (uint32_t)told->state * SYMBOLS;
  uint64_t left = budget;
  int outcome = BUDGET;
  vec rows[PANELS * PANEL + 1] = {0}; /* the next hidden vector, the writes, the moves, one the model has not */
  vec hidden[DIM_VECS];
  memcpy(hidden, r->hidden, sizeof hidden);
  cell c = *p;
  for (;;) {
    if (c == EDGE) {
      cell *next = cross(w, &t, p, 1);
      if (next == NULL) {
        outcome = MEMORY;
        break;
      }
      p = next;
      c = *p;
    }
    const entry *e = &table[q + c];
    if (left == 0) break;
    if (e->kind == UNDEFINED) {
      outcome = STUCK;
      if (STRICT) {
        for (int i = 0; i < PANELS; i++) panel_times(r->model->weights[c][i], hidden, rows + i * PANEL);
        if (!judge(r, (const float *)rows, e, 0, t, p)) outcome = DIFFERS;
      }
      break;
    }
    /* The expert goes first: by the time the sums are done, the next symbol and its rule are known. */
    cell *here = p;
    *here = (cell)e->write;
    p += offsets[e->move];
    cell next = *p;
    for (int i = 0; i < PANELS; i++) panel_times(r->model->weights[c][i], hidden, rows + i * PANEL);
    if (__builtin_expect(unclear(r, rows, e), 0) &&
        !judge(r, (const float *)rows, e, told->steps + (int64_t)(budget - left) + 1, t, here)) {
      p = here;
      *p = c;
      outcome = DIFFERS;
      break;
    }
    UNROLLED for (int i = 0; i < DIM_VECS; i++) hidden[i] = rows[i];
    left--;
    if (e->kind == HALT) {
      outcome = HALTED;
      break;
    }
    q = e->next;
    c = next;
  }
  memcpy(r->hidden, hidden, sizeof hidden);
  told->steps += (int64_t)(budget - left);
  told->state = q / SYMBOLS;
  told->x = column_of(t, p);
  told->y = row_of(t, p);
  told->read = *p == EDGE ? 0 : *p;
  return outcome;
}

/* Inputs on row 0, one after the other, until one is got wrong or `budget` steps are spent. 1: all are right,
 * 0: one is not, -1: the budget, or memory, ended before the answer. Input i is symbols[starts[i]] and on. */
int lockstep_inputs(const model *m, const entry *table, uint64_t memory, int64_t count, const int64_t *starts,
                    const int64_t *columns, const int64_t *rows, const int32_t *symbols, int64_t *budget) {
  for (int64_t i = 0; i < count; i++) {
    run *r = lockstep_new(m, table, memory, 0, 0);
    if (r == NULL) return -1;
    int outcome = MEMORY;
    if (lockstep_put(r, starts[i + 1] - starts[i], columns, rows, symbols + starts[i]))
      outcome = lockstep_go(r, (uint64_t)*budget);
    *budget -= r->report.steps;
    lockstep_free(r);
    if (outcome == DIFFERS) return 0;
    if (outcome == MEMORY || outcome == BUDGET) return -1;
  }
  return 1;
}

/* By how much the right output leads the others; without a right one, how far all are below zero. */
static float lead_of(const float *outputs, int count, int right) {
  float least = INFINITY;
  for (int i = 0; i < count; i++) {
    float lead = (right < 0 ? 0 : outputs[right]) - outputs[i];
    if (lead != lead) return lead;
    if (i != right && lead < least) least = lead;
  }
  return least;
}

/* The least lead of what is right over all steps of traces, which lie in rows of `pitch` steps. */
float lockstep_lead(const model *m, int64_t count, int64_t pitch, const int16_t *x, const int16_t *s,
                    const int16_t *moved, const int32_t *length) {
  float least = INFINITY;
  vec rows[PANELS * PANEL], hidden[DIM_VECS];
  for (int64_t i = 0; i < count; i++) {
    memcpy(hidden, m->start, sizeof hidden);
    for (int64_t at = i * pitch; at < i * pitch + length[i]; at++) {
      for (int p = 0; p < PANELS; p++) panel_times(m->weights[x[at]][p], hidden, rows + p * PANEL);
      const float *out = (const float *)rows;
      float write = lead_of(out + OUTPUT, SYMBOLS, s[at]), move = lead_of(out + MOVE_OUTPUT, MOVES, moved[at]);
      if (write != write || move != move) return NAN;
      if (write < least) least = write;
      if (move < least) least = move;
      memcpy(hidden, rows, sizeof hidden);
    }
  }
  return least;
}
