/* A model in lockstep with the expert's table, or alone, on the world of world.c.
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
enum { DECIDED, STAYS = 4 };
#define LEAST 0x1p-32f /* between these is the largest number of a hidden vector */
#define MOST 0x1p32f
enum { STEP, HALT, UNDEFINED };

#define EDGE SYMBOLS
#define AWAY 1e38f /* added where nothing is compared; finite, so that what is not finite still shows */

typedef struct entry {
  uint32_t next; /* state times SYMBOLS */
  uint16_t write, wanted_write; /* the table's number of a symbol, and the model's */
  uint8_t move, wanted_move;
  uint8_t kind, spare;
} entry;

typedef struct model {
  vec weights[SYMBOLS][PANELS][DIM][PANEL];
  vec write_bias[SYMBOLS][OUT_VECS]; /* by what is wanted: 0 for the other writes, AWAY elsewhere */
  vec move_bias[MOVES + 1][OUT_VECS];
  vec start[DIM_VECS];
  float faint; /* leads of a hidden vector that must be scaled up are smaller */
  int64_t period; /* steps that make no vector too large for its numbers */
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

static float larger(float a, float b) { return a > b ? a : b; }

static float *weight(model *m, int symbol, int row, int column) {
  int v = row / LANES;
  return (float *)&m->weights[symbol][v / PANEL][column][v % PANEL] + row % LANES;
}

static void fill_bias(vec *rows, int first, int count) {
  for (int wanted = 0; wanted < count; wanted++)
    for (int i = 0; i < OUT_VECS * LANES; i++) {
      int output = FIRST_OUT * LANES + i - first;
      ((float *)(rows + wanted * OUT_VECS))[i] = output == wanted || output < 0 || output >= count ? AWAY : 0;
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
  for (int i = 0; i < OUT_VECS * LANES; i++) ((float *)m->move_bias[MOVES])[i] = -AWAY; /* never right */
  memcpy(m->start, h0, DIM * sizeof *h0);
  float most = 0, norm = 2;
  for (size_t i = 0; i < (size_t)SYMBOLS * SYMBOLS * DIM; i++) most = larger(most, fabsf(B[i]));
  for (size_t i = 0; i < (size_t)SYMBOLS * MOVES * DIM; i++) most = larger(most, fabsf(C[i]));
  for (size_t i = 0; i < (size_t)SYMBOLS * DIM; i++) {
    float row = 0;
    for (int j = 0; j < DIM; j++) row += fabsf(A[i * DIM + j]);
    norm = larger(norm, row);
  }
  m->faint = larger(most * 4 * DIM * LEAST, FLT_TRUE_MIN); /* of a tie, too */
  m->period = norm < 0x1p80f ? (int64_t)(80 / log2f(norm)) : 1;
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
  r->least[0] = SYMBOLS > 1 ? FLT_MAX : AWAY / 2; /* one output alone leads by nothing that could be less */
  r->least[1] = MOVES > 1 ? FLT_MAX : AWAY / 2;
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
  r->least[which] = larger(lead, r->model->faint);
}

/* Why these outputs decide nothing, as `decide` in compiler/tensors/closed_loop.py says; DECIDED if they do. */
static int undecided(const float *outputs) {
  int finite = 1, zero = 1, positive = 0;
  for (int i = 0; i < SYMBOLS + MOVES; i++) {
    finite &= outputs[i] - outputs[i] == 0;
    zero &= outputs[i] == 0;
    positive |= outputs[i] > 0;
  }
  return !finite ? NOT_FINITE : zero ? ALL_ZERO : STRICT && !positive ? NONE_POSITIVE : DECIDED;
}

/* What the quick comparison does not settle: a new least margin, a tie, or a mistake. True if all is well. */
RARELY int judge(run *r, const float *rows, const entry *e, int64_t step, const tile *t, const cell *p) {
  report *told = &r->report;
  told->stuck = undecided(rows + OUTPUT);
  if (told->stuck) return e->kind == UNDEFINED;
  float lead[2];
  told->write = winner(rows + OUTPUT, SYMBOLS, &lead[0]);
  told->move = winner(rows + MOVE_OUTPUT, MOVES, &lead[1]);
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

/* The next hidden vector, the writes, the moves. */
INLINE void sums_of(const model *m, cell read, const vec *hidden, vec *rows) {
  for (int i = 0; i < PANELS; i++) panel_times(m->weights[read][i], hidden, rows + i * PANEL);
}

/* Scales a hidden vector by a power of two, as `rescaled` in compiler/tensors/dfst.py defines it. */
RARELY void rescale(vec *hidden) {
  float *h = (float *)hidden, largest = 0;
  int power;
  for (int i = 0; i < DIM; i++) largest = larger(largest, fabsf(h[i]));
  if ((largest >= LEAST && largest <= MOST) || !(largest > 0 && largest <= FLT_MAX)) return;
  frexpf(largest, &power);
  for (int i = 0; i < DIM; i++) h[i] = ldexpf(h[i], 1 - power);
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
  int64_t left = 0, later = (int64_t)budget;
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
    if (left == 0) {
      if (later == 0) break;
      left = later < r->model->period ? later : r->model->period;
      later -= left;
      rescale(hidden);
    }
    if (e->kind == UNDEFINED) {
      outcome = STUCK;
      if (STRICT) {
        sums_of(r->model, c, hidden, rows);
        if (!judge(r, (const float *)rows, e, 0, t, p)) outcome = DIFFERS;
      }
      break;
    }
    /* The expert goes first: by the time the sums are done, the next symbol and its rule are known. */
    cell *here = p;
    *here = (cell)e->write;
    p += offsets[e->move];
    cell next = *p;
    sums_of(r->model, c, hidden, rows);
    if (__builtin_expect(unclear(r, rows, e), 0)) {
      if (!judge(r, (const float *)rows, e, told->steps + (int64_t)budget - later - left + 1, t, here)) {
        p = here;
        *p = c;
        outcome = DIFFERS;
        break;
      }
      later += left - 1; /* then the vector is looked at */
      left = 1;
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
  told->steps += (int64_t)budget - later - left;
  told->state = q / SYMBOLS;
  told->x = column_of(t, p);
  told->y = row_of(t, p);
  told->read = *p == EDGE ? 0 : *p;
  return outcome;
}

/* The model alone: it reads what its outputs wrote. At most `budget` steps from a hidden vector on. */
int lockstep_alone(const model *m, float *from, world *w, uint64_t budget) {
  static const int dx[] = {0, 0, -1, 1, 0}, dy[] = {-1, 1, 0, 0, 0};
  tile *t = tile_around(w, w->x, w->y);
  if (t == NULL) return MEMORY;
  cell *p = cell_at(t, w->x, w->y);
  int outcome = BUDGET, may_be_far = !is_near(w->x + (int64_t)budget, w->y + (int64_t)budget) ||
                                     !is_near(w->x - (int64_t)budget, w->y - (int64_t)budget);
  vec rows[PANELS * PANEL], hidden[DIM_VECS] = {0};
  memcpy(hidden, from, DIM * sizeof *from);
  for (uint64_t end = w->steps + budget; w->steps < end && outcome == BUDGET;) {
    if (*p == w->edge) {
      cell *next = cross(w, &t, p, 1);
      if (next == NULL) {
        outcome = MEMORY;
        break;
      }
      p = next;
    }
    sums_of(m, *p, hidden, rows);
    const float *outputs = (const float *)rows + OUTPUT;
    float lead;
    int write = winner(outputs, SYMBOLS, &lead), move = winner(outputs + SYMBOLS, MOVES, &lead);
    int stuck = undecided(outputs), far = may_be_far && !is_near(column_of(t, p) + dx[move], row_of(t, p) + dy[move]);
    if (stuck || far) {
      outcome = stuck ? stuck : FAR;
      break;
    }
    if (write == *p && move == STAYS) outcome = HALTED;
    *p = (cell)write;
    p += dx[move] + dy[move] * STRIDE;
    w->steps++;
    rescale(rows);
    memcpy(hidden, rows, sizeof hidden);
  }
  memcpy(from, hidden, DIM * sizeof *from);
  w->x = column_of(t, p);
  w->y = row_of(t, p);
  return outcome;
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
      sums_of(m, (cell)x[at], hidden, rows);
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
