/* The machine: a table as data. Walks, the steps of a state that keeps itself and goes on one way, are scanned. */

typedef union rule {
  struct {
    uint32_t lane : 8;  /* of the cell that comes next, among those around: bits below it */
    uint32_t next : 24; /* state times columns, plus what is written where the head stays */
    uint16_t write;
    int16_t offset; /* of the move; HALT and above: no step within a tile */
  };
  uint64_t bits;
} rule;
enum { STAY = 4, HALT = 5000, UNDEFINED, BORDER, UP, DOWN, LANE = 8 * sizeof(cell) };
#define BUT_WRITE (~(UINT64_C(0xFFFF) << 32))

typedef struct agent {
  uint32_t columns, states; /* one column more than symbols, for the border */
  rule rules[];
} agent;

#if IN_ROWS
static const uint8_t lanes[] = {63, 63, 0, LANE, 2 * LANE, 63, 63}; /* 63: no way to walk */
#else
static const uint8_t lanes[] = {0, 8, 16, 24, 32, 63, 63}; /* times sizeof(cell): shifted twice */
#endif
static const int16_t offsets[] = {IN_ROWS ? UP : -STRIDE, IN_ROWS ? DOWN : STRIDE, -1, 1, 0, HALT, UNDEFINED};

/* U D L R S, of an offset */
static uint32_t move_of(rule r) {
  uint32_t move = 0;
  while (move < STAY && offsets[move] != r.offset) move++;
  return move;
}

/* state times columns */
static uint32_t state_after(rule r) { return r.offset == 0 ? r.next - r.write : r.next; }

static int walks(const agent *a, uint32_t state, uint32_t symbol) {
  rule r = a->rules[state * a->columns + symbol];
  return r.offset != 0 && (r.offset < HALT || r.offset >= UP) && r.next == state * a->columns && r.write == symbol;
}

/* The two longest ranges of symbols that a state walks over along its row, all the same way, in its rule at the
 * border, which needs nothing else: the way in `lane`, then first, span, first, span. One that is empty is as the other. */
static void note_walks(agent *a, uint32_t state) {
  uint32_t edge = a->columns - 1, first[2] = {1, 1}, span[2] = {0, 0};
  rule *row = a->rules + state * a->columns;
  int way = 0;
  for (uint32_t c = 0; c < edge; c++)
    if (walks(a, state, c) && (row[c].offset == 1 || row[c].offset == -1)) way += row[c].offset;
  way = way > 0 ? 1 : -1;
  for (uint32_t c = 0, from = 0; c <= edge; c++) {
    if (c < edge && walks(a, state, c) && row[c].offset == way) continue;
    uint32_t shorter = span[1] < span[0];
    if (c - from > span[shorter]) first[shorter] = from, span[shorter] = c - from;
    from = c + 1;
  }
  if (span[0] == 0) first[0] = first[1], span[0] = span[1];
  if (span[1] == 0) first[1] = first[0], span[1] = span[0];
  row[edge].lane = span[0] > 0 ? (uint8_t)way : 0;
  row[edge].next = (first[0] & 255) | ((span[0] - 1) & 255) << 8;
  row[edge].write = (uint16_t)((first[1] & 255) | ((span[1] - 1) & 255) << 8);
}

/* From words of 64 bits, from the lowest: next state 32, write 16, move 16 (5 halts, 6 is undefined). */
agent *grid_agent(const uint64_t *words, uint32_t states, uint32_t symbols) {
  uint32_t columns = symbols + 1;
  agent *a = malloc(sizeof *a + (size_t)states * columns * sizeof(rule));
  if (a == NULL) return NULL;
  *a = (agent){columns, states};
  for (uint32_t state = 0; state < states; state++) {
    rule *row = a->rules + state * columns;
    for (uint32_t c = 0; c < symbols; c++, words++) {
      uint32_t next = (uint32_t)*words * columns, write = *words >> 32 & UINT16_MAX, move = (uint32_t)(*words >> 48);
      row[c] = (rule){{lanes[move], move == STAY ? next + write : next, (uint16_t)write, offsets[move]}};
    }
    row[symbols] = (rule){{0, 0, 0, BORDER}};
    if (sizeof(cell) == 1) note_walks(a, state);
  }
  return a;
}

void grid_forget(agent *a) { free(a); }

typedef struct place {
  tile *t;
  cell *p;
  const rule *row;        /* the rules of its state */
  uint64_t left, scanned; /* steps that may still be done; those that cost next to nothing */
} place;

typedef uint8_t bytes __attribute__((vector_size(16)));

/* Sixteen cells at a time, to the first that stops a walk; the border does. */
#define SCAN_BYTES(at, high_first, low_first, advance)                  \
  for (;; p += advance) {                                               \
    bytes v;                                                            \
    memcpy(&v, at, 16);                                                 \
    bytes stops = (bytes)((v - first > span) & (v - other > width));    \
    uint64_t half[2];                                                   \
    memcpy(half, &stops, 16);                                           \
    if (half[0] | half[1]) return half[high_first] ? low_first;         \
  }
MAYBE cell *scan_right(cell *p, bytes first, bytes span, bytes other, bytes width) {
  SCAN_BYTES(p, 0, p + __builtin_ctzll(half[0]) / 8 : p + 8 + __builtin_ctzll(half[1]) / 8, 16)
}
MAYBE cell *scan_left(cell *p, bytes first, bytes span, bytes other, bytes width) {
  SCAN_BYTES(p - 15, 1, p - __builtin_clzll(half[1]) / 8 : p - 8 - __builtin_clzll(half[0]) / 8, -16)
}

/* Where a walk by a rule ends, after at most so many steps: at a symbol with another move or state after it. */
static inline __attribute__((always_inline)) cell *walk(const agent *a, const rule *row, rule r, cell *p, uint64_t most) {
  int64_t step = r.offset;
  cell *end = p + (int64_t)most * step;
  rule set = row[a->columns - 1];
  if (sizeof(cell) == 1 && (int8_t)set.lane == step) {
    uint32_t f = set.next & 255, s = set.next >> 8 & 255, o = set.write & 255, d = set.write >> 8;
    bytes none = {0};
    cell *to = step > 0 ? scan_right(p, none + (uint8_t)f, none + (uint8_t)s, none + (uint8_t)o, none + (uint8_t)d)
                        : scan_left(p, none + (uint8_t)f, none + (uint8_t)s, none + (uint8_t)o, none + (uint8_t)d);
    p = (to - end) * step > 0 ? end : to;
  }
  for (uint64_t same = r.bits & BUT_WRITE; p != end; p += step) {
    rule now = row[*p];
    if ((now.bits & BUT_WRITE) != same) break;
    *p = (cell)now.write;
  }
  return p;
}

enum { GROUP = 8 }; /* steps between two looks for a walk */

/* One look-up a step, and no jump that depends on what is read: the cells around the head are loaded while the rule
 * is. Ends at the border of what is linked, before a step that ends the run or leaves the row, or after the last. */
#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("bmi2", "default"))) /* which shifts by any number in a cycle */
#endif
RARELY place run_in_tiles(const agent *a, place at) {
  static const int64_t shift[] = {HIGH * STRIDE, -HIGH * STRIDE, WIDE, -WIDE};
  const rule *rules = a->rules, *row = at.row;
  const cell edge = (cell)(a->columns - 1);
  tile *t = at.t;
  cell *p = at.p, c = *p;
  uint64_t left = at.left, scanned = at.scanned, b;
  rule r;
#define STEP                                                                                  \
  b = row[c].bits;                                                                            \
  int64_t offset = (int64_t)b >> 48;                                                          \
  if (__builtin_expect(offset >= HALT, 0)) goto special;                                      \
  uint64_t around = IN_ROWS ? p[-1] | (uint64_t)p[1] << LANE                                     \
                         : (p[-STRIDE] | (uint64_t)p[STRIDE] << LANE)                         \
                               | (p[-1] | (uint64_t)p[1] << LANE) << 2 * LANE;                \
  *p = (cell)(b >> 32);                                                                       \
  p += offset;                                                                                \
  row = rules + ((uint32_t)b >> 8);                                                           \
  c = (cell)(IN_ROWS || LANE == 8 ? around >> (b & 63) : around >> (b & 63) >> (b & 63));        \
  if (__builtin_expect(c == edge, 0)) goto border;
  for (;;) {
    int i = 0;
    if (left < GROUP) {
      for (; left > 0; left--) {
        STEP
      }
      break;
    }
    cell *from = p;
#pragma GCC unroll 16
    for (i = 0; i < GROUP; i++) {
      STEP
    }
    left -= GROUP;
    r = row[c];
    if (p - from == r.offset * GROUP && row == rules + r.next && r.offset != 0) goto walk;
    continue;
  walk:;
    uint64_t most = left < WIDE + HIGH ? left : WIDE + HIGH;
    cell *to = walk(a, row, r, p, most);
    int64_t length = r.offset * r.offset == 1 ? (to - p) * r.offset : (to - p) / r.offset;
    p = to;
    c = *p;
    left -= (uint64_t)length;
    scanned += (uint64_t)(length - 4); /* a walk costs about four steps */
    if (c != edge) continue;
    b = r.bits;
    goto cross;
  special:
    left -= (uint64_t)i;
    break;
  border:
    left -= (uint64_t)i + 1;
  cross:;
    uint32_t side = (uint32_t)(b & 63) / (IN_ROWS ? LANE : 8) + 2 * IN_ROWS;
    tile *next = t->near[side];
    if (next == NULL) break;
    p = next->cells + (p - t->cells) + shift[side];
    t = next;
    c = *p;
    r = row[c];
    if (left > 0 && row == rules + r.next && (r.bits & 63) == (b & 63)) goto walk;
  }
  return (place){t, p, rules + (uint64_t)(row - rules) / a->columns * a->columns, left, scanned};
}

/* Quarters of a cycle of a step, and of one that is scanned; cycles of a leap over what is empty, and of a tile
 * that is looked at for it. */
enum { DATA = 40, SCANNED = 1, LEAP = 50, PROBED = 4 };
enum { PAUSED = FAR + 1, TALL }; /* instead of an outcome: much was done; rows do not fit this run */
enum { SELDOM = 64 };            /* of so many steps, one may leave its row */
#ifdef SMALL
enum { BURST = 256 };
#else
enum { BURST = 4096 }; /* steps, for as many as of these */
#endif
#ifdef EAGER /* tests try macro steps all the time, and never find them slow */
enum { SOON = 1, AGAIN = 8 };
#else
enum { SOON = 1 << 17, AGAIN = 1 << 12 }; /* cycles before the first try; steps between two looks at what they cost */
#endif
enum { MUCH = 20 }; /* of the memory: the part that may be laid anew, in tiles of which each holds a piece of a row */

static const int across[] = {0, 0, -1, 1, 0}, down[] = {-1, 1, 0, 0, 0}; /* U D L R S */

/* How many tiles away the next one is; 0 for none. Where much is empty, it is sought among all there are. */
static uint64_t next_tile(world *w, uint32_t way, int64_t x, int64_t y) {
  int64_t dx = across[way], dy = down[way];
  if (dx < 0 ? x <= w->low_x : dx > 0 ? x >= w->high_x : dy < 0 ? y <= w->low_y : y >= w->high_y) return 0;
  for (int64_t n = 1; n <= (int64_t)w->capacity; n++) {
    w->work += PROBED;
    if (find_tile(w, x + n * dx, y + n * dy) != NULL) return (uint64_t)n;
  }
  uint64_t least = 0;
  w->work += PROBED * w->capacity;
  for (uint64_t i = 0; i < w->capacity; i++) {
    const tile *t = w->table[i];
    if (t == NULL || (dx == 0 ? t->x != x : t->y != y)) continue;
    int64_t away = dx == 0 ? (t->y - y) * dy : (t->x - x) * dx;
    if (away > 0 && (least == 0 || (uint64_t)away < least)) least = (uint64_t)away;
  }
  return least;
}

/* A walk over blanks where no tiles are: they are passed without making them. */
static void leap(world *w, uint32_t way, uint64_t left) {
  int64_t x = tile_x(w->x), y = tile_y(w->y), in_x = w->x + MID_X - x * WIDE, in_y = w->y + MID_Y - y * HIGH;
  uint64_t side = across[way] != 0 ? WIDE : HIGH, away = next_tile(w, way, x, y);
  uint64_t out = (uint64_t)(way == 0 ? in_y + 1 : way == 1 ? HIGH - in_y : way == 2 ? in_x + 1 : WIDE - in_x);
  uint64_t run = away == 0 || out + (away - 1) * side > left ? left : out + (away - 1) * side;
  w->x += across[way] * (int64_t)run;
  w->y += down[way] * (int64_t)run;
  w->steps += run;
  w->work += LEAP;
}

/* A step out of its row. */
static int leave_row(world *w, const agent *a, rule r) {
  w->y += r.offset == UP ? -1 : 1;
  w->state = (int32_t)(r.next / a->columns);
  w->steps++;
  w->work += DATA / 4;
  if (w->vertical < w->steps) w->vertical = w->steps;
  w->vertical += SELDOM;
  return w->vertical > w->steps + BURST && w->count * MUCH < w->limit ? TALL : BUDGET;
}

/* Where a place is in the world. */
static void stand(world *w, const agent *a, place at) {
  w->x = column_of(at.t, at.p);
  w->y = row_of(at.t, at.p);
  w->state = (int32_t)((uint32_t)(at.row - a->rules) / a->columns);
}

/* Up to `end` steps, and about as much work as `until`. */
RARELY int interpret(world *w, const agent *a, uint64_t end, uint64_t until) {
  while (w->steps < end) {
    if (w->work >= until) return PAUSED;
    const rule *row = a->rules + (uint32_t)w->state * a->columns;
    int leaps = walks(a, (uint32_t)w->state, 0);
    if (leaps && find_tile(w, tile_x(w->x), tile_y(w->y)) == NULL) {
      leap(w, move_of(*row), end - w->steps);
      continue;
    }
    tile *t = tile_around(w, w->x, w->y);
    if (t == NULL) return MEMORY;
    uint64_t size = (until - w->work) / (DATA / 4) + AGAIN;
    if (size > end - w->steps) size = end - w->steps;
    place at = {t, cell_at(t, w->x, w->y), row, size, 0};
    for (cell *next;; at.p = next) { /* until what is met is no border */
      at = run_in_tiles(a, at);
      if (*at.p != w->edge || at.left == 0) break;
      next = cross(w, &at.t, at.p, !walks(a, (uint32_t)(at.row - a->rules) / a->columns, 0));
      if (next == NULL) break; /* a leap, or memory is spent */
    }
    stand(w, a, at);
    uint64_t done = size - at.left;
    int64_t spent = (int64_t)(done - at.scanned) * DATA + (int64_t)done * SCANNED;
    w->steps += done;
    w->work += spent > 0 ? (uint64_t)spent / 4 + 1 : 1;
    if (at.left == 0 || *at.p == w->edge) continue;
    rule r = at.row[*at.p];
    if (r.offset == HALT || r.offset == UNDEFINED) {
      w->steps += r.offset == HALT;
      return r.offset == HALT ? HALTED : STUCK;
    }
    *at.p = (cell)r.write;
    if (leave_row(w, a, r) == TALL) return TALL;
  }
  return BUDGET;
}

/* At most `budget` steps, and all of them are looked at. */
RARELY int observe(world *w, const agent *a, uint64_t budget) {
  tile *t = tile_around(w, w->x, w->y);
  if (t == NULL) return MEMORY;
  place at = {t, cell_at(t, w->x, w->y), a->rules + (uint32_t)w->state * a->columns, budget, 0};
  int outcome = BUDGET;
  for (; at.left > 0; w->steps++) {
    if (*at.p == w->edge) {
      cell *next = cross(w, &at.t, at.p, 1);
      if (next == NULL) {
        outcome = MEMORY;
        break;
      }
      at.p = next;
    }
    cell c = *at.p;
    rule r = at.row[c];
    if (r.offset == UNDEFINED) {
      outcome = STUCK;
      break;
    }
    if (w->reads != NULL) {
      *w->reads++ = (int16_t)c;
      *w->writes++ = (int16_t)r.write;
      *w->moves++ = (int16_t)(r.offset == HALT ? STAY : move_of(r));
    }
    if (w->counts != NULL) w->counts[(uint64_t)(at.row - a->rules) / a->columns * (a->columns - 1) + c]++;
    at.left--;
    if (r.offset == HALT) {
      outcome = HALTED;
      w->steps++;
      break;
    }
    *at.p = (cell)r.write;
    at.row = a->rules + state_after(r);
    at.p += r.offset;
  }
  stand(w, a, at);
  return outcome;
}
