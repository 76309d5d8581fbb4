/* A model in closed loop on the world of world.c, while its hidden vectors are gathered into points, as explorer.py
 * defines it. An edge is a step as a codebook saw it.
 *
 * In a world, 0 is a cell that nobody has seen, and 1 + x the symbol x. */

#include <float.h>
#include <math.h>

enum { EDGES_A_POINT = 4 /* that a codebook has room for */ };
enum { STUCK_HERE = -3 /* write and move of an edge or a rule where a strict model is stuck */ };
enum { UNDECIDED = -2 /* is written where the model was unsure or stuck, and is not strict */ };
enum { NONE = -1, WORLD_BYTES = 50000000 };
#define EDGE UINT16_MAX
#define MOST_MOVES 5
enum { MARKS = 4, MEASURED = 16 /* numbers at a time of a distance */ };
enum { PANEL = 12 /* vectors of sums that registers hold, on all processors that have 16 of them */ };
#define SELDOM 0.25f /* a symbol that would end the run is drawn so much less often */
#define FAINT 0.01f /* an output below this part of the largest is nothing to be sure of */

typedef struct edge {
  int32_t point, next; /* next is NONE after the idle step, and where nothing was decided */
  int16_t symbol, write, move;
  float margin; /* the least lead of an output over the second largest, as a part of it */
  int64_t count;
} edge;

typedef struct codebook {
  float tolerance;
  int32_t points, edges, max_points, full;
  float *centres;  /* (max_points, width) */
  float *farthest; /* of each point: how far its vectors were at most, squared */
  float *marks;    /* (MARKS, max_points): some numbers of each centre, to pass over most points at once */
  int32_t *last;   /* (max_points, k): the edge seen last, or NONE */
  int32_t *bucket; /* hashes of edges: an edge, or NONE */
  edge *list;
} codebook;

/* What a table does, by the model's numbers; write is NONE where it is stuck, or STUCK_HERE for a strict model. */
typedef struct rule {
  int32_t write, move, next;
} rule;

/* The outputs of a network on a symbol and what it keeps then; its place in the unit ball. */
typedef void step_function(const void *network, int symbol, const float *state, float *after, float *out);
typedef void point_function(const void *network, const float *state, float *point);

typedef struct explorer {
  int32_t d, k, moves, codebooks, max_points, blank, idle, strict; /* idle: a move, or NONE */
  int32_t shift[MOST_MOVES];                                        /* from the model's moves to those of the world */
  const rule *rules;
  const void *network; /* in place of the weights; or NULL */
  uint64_t network_step, network_point; /* the addresses of its functions */
  uint64_t random;
  int32_t width, outs, rows; /* from here on, explorer_new sets what is not 0 at first */
  float gain; /* the largest output so far, of a hidden vector of length one */
  float *weights; /* (k, d, rows): columns of A over B over C, padded */
  float *start;
  codebook *codebook;
  float *room; /* 2 * width + rows + k numbers of a run */
  int32_t *at; /* the point of a run in each codebook */
  int64_t steps; /* of all runs */
  int64_t work;  /* numbers compared in the search for points */
} explorer;

typedef struct task {
  const int64_t *xs, *ys;
  const int32_t *symbols;
  int64_t count, x, y, steps;
  float doubt;                 /* the run ends where outputs are further from one-hot than this */
  int32_t ruled;               /* the run ends where the rules are stuck, or the model does not follow them */
  const float *symbol_weights; /* for cells that are drawn when they are first read; or NULL */
} task;

typedef float quad __attribute__((vector_size(16)));

/* fmaxf is a function call, because it handles NaN */
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float lesser(float a, float b) { return a < b ? a : b; }
static size_t up(size_t n) { return (n + LANES - 1) / LANES * LANES; }

static void *cleared(size_t count, size_t size, int byte) {
  size_t bytes = (count * size + 63) / 64 * 64;
  void *memory = aligned_alloc(64, bytes);
  if (memory != NULL) memset(memory, byte, bytes);
  return memory;
}

static size_t most_edges(const codebook *b) { return EDGES_A_POINT * (size_t)b->max_points; }
static size_t buckets(const codebook *b) { return 4 * most_edges(b); }
static float *centre(const explorer *e, const codebook *b, int point) {
  return b->centres + (size_t)point * (size_t)e->width;
}
static int32_t *last_edge(const explorer *e, const codebook *b, int point, int symbol) {
  return &b->last[(size_t)point * (size_t)e->k + (size_t)symbol];
}

void explorer_free(explorer *e) {
  for (int i = 0; e->codebook != NULL && i < e->codebooks; i++) {
    codebook *b = &e->codebook[i];
    free(b->centres), free(b->farthest), free(b->last), free(b->bucket), free(b->list), free(b->marks);
  }
  free(e->codebook), free(e->weights), free(e->start), free(e->room), free(e->at), free(e);
}

static int open_codebook(const explorer *e, codebook *b, float tolerance) {
  size_t most = (size_t)e->max_points;
  b->tolerance = tolerance, b->max_points = e->max_points;
  b->centres = cleared(most * (size_t)e->width, sizeof *b->centres, 0);
  b->farthest = cleared(most, sizeof *b->farthest, 0);
  b->last = cleared(most * (size_t)e->k, sizeof *b->last, 0xFF);
  b->bucket = cleared(buckets(b), sizeof *b->bucket, 0xFF);
  b->list = cleared(most_edges(b), sizeof *b->list, 0);
  b->marks = cleared(MARKS * up(most), sizeof *b->marks, 0);
  return b->centres && b->farthest && b->last && b->bucket && b->list && b->marks;
}

/* An explorer of the sizes, rules and seed of another. A network has no A, B and C. NULL without memory. */
explorer *explorer_new(const explorer *given, const float *A, const float *B, const float *C, const float *h0,
                       const float *tolerances) {
  explorer *e = malloc(sizeof *e);
  if (e == NULL) return NULL;
  *e = *given;
  size_t d = (size_t)e->d, k = (size_t)e->k, moves = (size_t)e->moves;
  size_t width = up(d), outs = up(k + moves), rows = width + outs;
  e->width = (int32_t)width, e->outs = (int32_t)outs, e->rows = (int32_t)rows;
  e->weights = cleared(A != NULL ? k * d * rows : 1, sizeof *e->weights, 0);
  e->start = cleared(width, sizeof *e->start, 0);
  e->room = cleared(2 * width + rows + k, sizeof *e->room, 0);
  e->at = cleared((size_t)e->codebooks + 1, sizeof *e->at, 0);
  e->codebook = calloc((size_t)e->codebooks + 1, sizeof *e->codebook);
  int good = e->weights && e->start && e->room && e->at && e->codebook;
  for (int i = 0; good && i < e->codebooks; i++) good = open_codebook(e, &e->codebook[i], tolerances[i]);
  if (!good) {
    explorer_free(e);
    return NULL;
  }
  for (size_t x = 0; x < k && A != NULL; x++)
    for (size_t j = 0; j < d; j++) {
      float *column = e->weights + (x * d + j) * rows;
      for (size_t i = 0; i < d; i++) column[i] = A[(x * d + i) * d + j];
      for (size_t i = 0; i < k; i++) column[width + i] = B[(x * k + i) * d + j];
      for (size_t i = 0; i < moves; i++) column[width + k + i] = C[(x * moves + i) * d + j];
    }
  memcpy(e->start, h0, d * sizeof *h0);
  return e;
}

/* The sums of `vecs` vectors of rows: columns of a matrix times the hidden vector. */
INLINE void columns_times(const float *columns, size_t rows, int d, const float *hidden, int vecs, float *sums) {
  vec sum[PANEL];
  for (int n = 0; n < vecs; n++) sum[n] = (vec){0};
  for (int j = 0; j < d; j++) {
    const vec *column = (const vec *)(columns + (size_t)j * rows);
    for (int n = 0; n < vecs; n++) sum[n] += column[n] * hidden[j];
  }
  for (int n = 0; n < vecs; n++) ((vec *)sums)[n] = sum[n];
}

/* Rows `first` to `end` of a symbol's matrix, times the hidden vector, in panels of nearly one size. */
#define PANEL_OF(n) \
  case n: columns_times(weights + i, rows, e->d, hidden, n, sums + i); break
static void times(const explorer *e, int symbol, const float *hidden, int first, int end, float *sums) {
  if (e->network != NULL) {
    ((step_function *)(uintptr_t)e->network_step)(e->network, symbol, hidden, sums, sums + e->width);
    return;
  }
  const size_t rows = (size_t)e->rows;
  const float *weights = e->weights + (size_t)symbol * (size_t)e->d * rows;
  int vecs = (end - first) / LANES, panels = (vecs + PANEL - 1) / PANEL;
  for (int i = first; panels > 0; panels--) {
    int now = (vecs + panels - 1) / panels;
    switch (now) {
      PANEL_OF(1); PANEL_OF(2); PANEL_OF(3); PANEL_OF(4); PANEL_OF(5); PANEL_OF(6);
      PANEL_OF(7); PANEL_OF(8); PANEL_OF(9); PANEL_OF(10); PANEL_OF(11); PANEL_OF(12);
    }
    i += now * LANES, vecs -= now;
  }
}

static float sum_of(vec numbers) {
  quad parts[LANES / 4], sum = {0};
  memcpy(parts, &numbers, sizeof parts);
  for (int i = 0; i < LANES / 4; i++) sum += parts[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static float length_of(const float *v, int width) {
  vec sum = {0};
  for (int i = 0; i < width; i += LANES) sum += *(const vec *)(v + i) * *(const vec *)(v + i);
  return sqrtf(sum_of(sum));
}

/* The square of a distance. */
static float squares(const float *a, const float *b, int width) {
  vec sum = {0};
  for (int i = 0; i < width; i += LANES) {
    vec gap = *(const vec *)(a + i) - *(const vec *)(b + i);
    sum += gap * gap;
  }
  return sum_of(sum);
}

/* What the outputs say, as `decide` in compiler/tensors/closed_loop.py defines it, and how clearly. */
typedef struct choice {
  int write, move, stuck;
  float margin; /* the least lead over the second, as a part of the largest; of a strict model over zero too */
  float noise;  /* how far from one-hot, likewise */
  float top;
} choice;

typedef struct winner {
  int at;
  float value, lead, rest; /* rest: the largest of the others, without its sign */
} winner;

static winner winner_of(const float *out, int count) {
  winner w = {0, out[0], FLT_MAX, 0};
  float lowest = out[0], second = -FLT_MAX;
  for (int i = 1; i < count; i++) {
    int first = out[i] > w.value;
    second = first ? w.value : larger(second, out[i]);
    w.at = first ? i : w.at;
    w.value = larger(w.value, out[i]);
    lowest = lesser(lowest, out[i]);
  }
  if (count > 1) w.lead = w.value - second, w.rest = larger(fabsf(second), -lowest);
  return w;
}

static choice decide(const explorer *e, const float *out) {
  choice c = {0};
  int finite = 1, zero = 1;
  float largest = -FLT_MAX, longest = 0;
  for (int i = 0; i < e->k + e->moves; i++) {
    finite &= out[i] - out[i] == 0;
    zero &= out[i] == 0;
    largest = larger(largest, out[i]);
    longest = larger(longest, fabsf(out[i]));
  }
  c.stuck = !finite || zero || (e->strict && !(largest > 0));
  c.margin = e->strict && !zero ? fabsf(largest) / longest : FLT_MAX;
  if (c.stuck) {
    c.write = c.move = e->strict && finite ? STUCK_HERE : NONE;
    return c;
  }
  winner write = winner_of(out, e->k), move = winner_of(out + e->k, e->moves);
  float least = lesser(write.value, move.value);
  c.write = write.at, c.move = move.at;
  c.top = larger(write.value, move.value);
  c.margin = lesser(c.margin, lesser(write.lead / fabsf(write.value), move.lead / fabsf(move.value)));
  c.noise = least > 0 ? larger(larger(write.rest, move.rest), c.top - least) / least : FLT_MAX;
  return c;
}

static int same(const edge *a, const edge *b) {
  return a->point == b->point && a->next == b->next && a->symbol == b->symbol && a->write == b->write &&
         a->move == b->move;
}

/* The place of an edge among the buckets; what stands there is NONE if it is new. */
static int32_t *bucket_of(const codebook *b, const edge *seen) {
  uint64_t key = (uint64_t)seen->point;
  key = key * 0x9E3779B97F4A7C15u + (uint64_t)(seen->next + 1);
  key = key * 0x9E3779B97F4A7C15u + (uint64_t)seen->symbol;
  key = key * 0x9E3779B97F4A7C15u + (uint64_t)(seen->write * MOST_MOVES + seen->move);
  key *= 0x9E3779B97F4A7C15u;
  size_t at = (key >> 32) % buckets(b);
  while (b->bucket[at] != NONE && !same(&b->list[b->bucket[at]], seen)) at = at + 1 < buckets(b) ? at + 1 : 0;
  return &b->bucket[at];
}

/* Counts an edge; 0 when the codebook is full. */
static int note(const explorer *e, codebook *b, const edge *seen) {
  int32_t *last = last_edge(e, b, seen->point, seen->symbol);
  if (*last == NONE || !same(&b->list[*last], seen)) {
    int32_t *found = bucket_of(b, seen);
    if (*found == NONE) {
      if ((size_t)b->edges == most_edges(b)) return 0;
      b->list[b->edges] = *seen;
      *found = b->edges++;
    }
    *last = *found;
  }
  edge *known = &b->list[*last];
  known->count++;
  known->margin = lesser(known->margin, seen->margin);
  return 1;
}

/* The square of a distance, or a part of it that is beyond `least`: most points are after the first few numbers. */
static float measured(explorer *e, const float *point, const float *unit, float least) {
  float far = 0;
  int n = 0;
  while (n < e->width && far <= least) {
    int end = n + MEASURED < e->width ? n + MEASURED : e->width;
    far += squares(point + n, unit + n, end - n);
    n = end;
  }
  e->work += n;
  return far;
}

/* The number that is a point's mark. */
static int marked(const explorer *e, int mark) { return mark * e->d / MARKS; }

/* The lanes of points from `first` on that may be near: none of their marks is further away than the tolerance. */
static mask likely(const explorer *e, const codebook *b, const float *unit, int first) {
  const float *marks = b->marks + first;
  const float most = b->tolerance + 1e-4f; /* far above rounding */
  mask found = ~(mask){0};
  for (int i = 0; i < MARKS; i++, marks += up((size_t)b->max_points)) {
    vec gap = *(const vec *)marks - unit[marked(e, i)];
    found &= (gap <= most) & (gap >= -most);
  }
  return found;
}

static void nearest(explorer *e, const codebook *b, const float *unit, int *best, float *least) {
  for (int first = 0; first < b->points; first += LANES) {
    mask found = likely(e, b, unit, first);
    if (!any(found)) continue;
    for (int point = first; point < first + LANES && point < b->points; point++) {
      if (!found[point - first]) continue;
      float far = measured(e, centre(e, b, point), unit, *least);
      if (far < *least || (far == *least && (*best == NONE || point < *best))) *best = point, *least = far;
    }
  }
}

static int added(const explorer *e, codebook *b, const float *unit) {
  int point = b->points++;
  memcpy(centre(e, b, point), unit, (size_t)e->width * sizeof *unit);
  for (int i = 0; i < MARKS; i++) b->marks[(size_t)i * up((size_t)b->max_points) + (size_t)point] = unit[marked(e, i)];
  return point;
}

/* The point nearest to a unit vector, a new one where none is near; NONE when the codebook is full.
 * A point within half a tolerance is the nearest, so a good guess ends the search. */
static int point_of(explorer *e, codebook *b, const float *unit, int guess) {
  float least = b->tolerance * b->tolerance;
  float near = guess == NONE ? FLT_MAX : squares(centre(e, b, guess), unit, e->width);
  int best = near <= least ? guess : NONE;
  if (4 * near > least) {
    if (best != NONE) least = near;
    nearest(e, b, unit, &best, &least);
    near = least;
  }
  if (best == NONE) {
    if (b->points == b->max_points) return NONE;
    best = added(e, b, unit), near = 0;
  }
  b->farthest[best] = larger(b->farthest[best], near);
  return best;
}

/* Where one run stands. */
typedef struct walk {
  float *hidden, *sums, *unit, *weight;
  int32_t *at; /* the point in each codebook */
  int state;   /* of the rules */
  float length;
} walk;

/* Keeps the length of the hidden vector near one, by a power of two: that changes no digit of it. */
static void rescale(explorer *e, walk *w) {
  if (e->network != NULL) { /* a network is not free of scale */
    w->length = 1;
    ((point_function *)(uintptr_t)e->network_point)(e->network, w->hidden, w->unit);
    return;
  }
  w->length = length_of(w->hidden, e->width);
  if (w->length > 0 && w->length <= FLT_MAX && (w->length < 0.5f || w->length > 2)) {
    int power;
    w->length = frexpf(w->length, &power);
    for (int i = 0; i < e->width; i++) w->hidden[i] = ldexpf(w->hidden[i], -power);
  }
  float scale = w->length > 0 ? 1 / w->length : 0;
  for (int i = 0; i < e->width; i += LANES) *(vec *)(w->unit + i) = *(const vec *)(w->hidden + i) * scale;
}

/* Finds the points of a new hidden vector, reached by a step or at the start; 0 when all codebooks are full. */
static int arrive(explorer *e, walk *w, const edge *by) {
  rescale(e, w);
  int open = e->codebooks == 0;
  for (int i = 0; i < e->codebooks; i++) {
    codebook *b = &e->codebook[i];
    if (b->full) continue;
    int32_t last = by == NULL ? NONE : *last_edge(e, b, w->at[i], by->symbol);
    int point = point_of(e, b, w->unit, last == NONE ? NONE : b->list[last].next);
    if (by != NULL && point != NONE) {
      edge seen = *by;
      seen.point = w->at[i], seen.next = point;
      if (!note(e, b, &seen)) point = NONE;
    }
    b->full = point == NONE;
    w->at[i] = point;
    open += !b->full;
  }
  return open;
}

/* The idle step leads nowhere, and neither does a symbol on which a strict model is stuck. */
static void halt(explorer *e, const walk *w, edge by) {
  by.next = NONE;
  for (int i = 0; i < e->codebooks; i++) {
    by.point = w->at[i];
    if (!e->codebook[i].full && !note(e, &e->codebook[i], &by)) e->codebook[i].full = 1;
  }
}

/* The codebook of the largest tolerance that is not full, if any is not. */
static int coarsest(const explorer *e) {
  int coarse = 0;
  for (int i = 0; i < e->codebooks; i++)
    if (!e->codebook[i].full) coarse = i;
  return coarse;
}

static const rule *rule_of(const explorer *e, const walk *w, int symbol) {
  return &e->rules[(size_t)w->state * (size_t)e->k + (size_t)symbol];
}

/* What the model does on a symbol, and with `all` the next hidden vector. RUNNING, or why the run ends before that. */
static int judge(const explorer *e, const walk *w, const task *t, int symbol, int all, choice *c) {
  if (t->ruled && rule_of(e, w, symbol)->write == NONE) return UNSURE;
  times(e, symbol, w->hidden, all ? 0 : e->width, e->rows, w->sums);
  const float *out = w->sums + e->width;
  *c = decide(e, out);
  if (c->stuck) return STUCK;
  int faint = c->top < FAINT * e->gain * w->length;
  return t->doubt < FLT_MAX && (faint || c->noise > t->doubt) ? UNSURE : RUNNING;
}

/* `judge`, and what the model leaves undecided is kept; where the rules are stuck it was not asked. */
static int asked(explorer *e, const walk *w, const task *t, int symbol, int all, choice *c) {
  *c = (choice){0};
  int outcome = judge(e, w, t, symbol, all, c);
  if (outcome != RUNNING && c->write != STUCK_HERE && !(t->ruled && rule_of(e, w, symbol)->write == NONE))
    halt(e, w, (edge){.symbol = (int16_t)symbol, .write = UNDECIDED, .margin = FLT_MAX});
  return outcome;
}

static float drawn(explorer *e) {
  e->random ^= e->random << 13;
  e->random ^= e->random >> 7;
  e->random ^= e->random << 17;
  return (float)(e->random >> 40) / 16777216.0f;
}

/* A symbol for a cell that nobody has seen: the less it was read at this point, the likelier. NONE if none will do. */
static int draw(explorer *e, const walk *w, const task *t) {
  int coarse = coarsest(e);
  const codebook *b = &e->codebook[coarse];
  float total = 0;
  int some = NONE;
  for (int x = 0; x < e->k; x++) {
    choice c = {0};
    w->weight[x] = 0;
    int ending = asked(e, w, t, x, 0, &c);
    if (ending != RUNNING && c.write != STUCK_HERE) continue;
    int32_t last = *last_edge(e, b, w->at[coarse], x);
    float share = ending == RUNNING ? 1 : SELDOM;
    w->weight[x] = share * t->symbol_weights[x] / (1 + (last == NONE ? 0 : (float)b->list[last].count));
    total += w->weight[x];
    if (some == NONE || w->weight[x] > w->weight[some]) some = x;
  }
  float left = drawn(e) * total;
  for (int x = 0; x < e->k; x++) {
    left -= w->weight[x];
    if (w->weight[x] > 0 && left < 0) return x;
  }
  return some;
}

/* One step on the symbol under the head; RUNNING, or how the run ended. */
static int step(explorer *e, walk *w, const task *t, int symbol, choice *c) {
  int outcome = asked(e, w, t, symbol, 1, c);
  if (outcome == STUCK && c->write == STUCK_HERE) {
    halt(e, w, (edge){.symbol = (int16_t)symbol, .write = STUCK_HERE, .move = STUCK_HERE, .margin = c->margin});
    return t->ruled && rule_of(e, w, symbol)->write != STUCK_HERE ? DIFFERS : STUCK;
  }
  if (outcome != RUNNING) return outcome;
  if (t->ruled) {
    const rule *wanted = rule_of(e, w, symbol);
    if (wanted->write != c->write || wanted->move != c->move) outcome = DIFFERS;
    w->state = wanted->next;
  }
  e->steps++;
  e->gain = larger(e->gain, c->top / w->length);
  edge by = {.symbol = (int16_t)symbol, .write = (int16_t)c->write, .move = (int16_t)c->move, .margin = c->margin};
  if (c->write == symbol && c->move == e->idle) {
    halt(e, w, by);
    return outcome == RUNNING ? HALTED : outcome;
  }
  memcpy(w->hidden, w->sums, (size_t)e->width * sizeof *w->hidden);
  return arrive(e, w, &by) ? outcome : FULL;
}

int explorer_run(explorer *e, const task *t) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  float *room = e->room;
  walk w = {room, room + e->width, room + e->width + e->rows, room + 2 * e->width + e->rows, e->at, 0, 0};
  world *g = grid_new(WORLD_BYTES, EDGE);
  if (g == NULL) return MEMORY;
  tile *here = grid_put(g, t->count, t->xs, t->ys, t->symbols)
                   ? tile_around(g, t->x, t->y) : NULL;
  cell *p = here == NULL ? NULL : cell_at(here, t->x, t->y);
  memcpy(w.hidden, e->start, (size_t)e->width * sizeof *w.hidden);
  int outcome = arrive(e, &w, NULL) ? RUNNING : FULL;
  for (int x = 0; x < e->k && e->steps == 0; x++) { /* before the first step of all: what is faint? */
    times(e, x, w.hidden, e->width, e->rows, w.sums);
    e->gain = larger(e->gain, decide(e, w.sums + e->width).top / w.length);
  }
  for (int64_t left = t->steps; outcome == RUNNING; left--) {
    if (p != NULL && *p == EDGE) p = cross(g, &here, p, 1);
    if (p == NULL || left == 0) {
      outcome = p == NULL ? MEMORY : BUDGET;
      break;
    }
    int symbol = *p != 0 ? *p - 1 : t->symbol_weights != NULL ? draw(e, &w, t) : e->blank;
    choice c;
    outcome = symbol == NONE ? UNSURE : step(e, &w, t, symbol, &c);
    if (outcome == RUNNING) {
      *p = (cell)(1 + c.write);
      p += offsets[e->shift[c.move]];
    }
  }
  grid_free(g);
  return outcome;
}
