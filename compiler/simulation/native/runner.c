/* The machine as data: it runs any table at once, while a compiler makes code of it, and far faster than code
 * where a run repeats itself. */

typedef struct rule {
  uint32_t lane : 8;  /* of the cell that comes next, among those around: bits below it */
  uint32_t next : 24; /* state times symbols, 10,000 times 1,000 at most, plus what is written where the head stays */
  uint16_t write;
  int16_t offset; /* of the move; HALT and UNDEFINED end a run */
} rule;
enum { STAY = 4, HALT = 1000, UNDEFINED };
enum { LANE = 8 * sizeof(cell) };

typedef int machine(world *, uint64_t);

typedef struct agent {
  rule *rules; /* by state times symbols plus symbol */
  uint32_t symbols, states;
  uint32_t flat;         /* it never leaves its row */
  machine *code;         /* the same table, compiled; NULL as long as it is not */
  const uint16_t *cases; /* of its code, by state times symbols plus symbol: twice a number, plus 1 for walks */
} agent;

/* U D L R S, of an offset */
MAYBE uint32_t move_of(rule r) {
  return r.offset == -STRIDE ? 0 : r.offset == STRIDE ? 1 : r.offset == -1 ? 2 : r.offset == 1 ? 3 : STAY;
}

/* state times symbols */
MAYBE uint32_t state_after(rule r) { return r.offset == 0 ? r.next - r.write : r.next; }

/* Whether a state keeps blanks, and itself, and goes on. */
MAYBE int walks_on_blank(const agent *a, uint32_t state) {
  rule r = a->rules[state * a->symbols];
  return r.offset != 0 && r.offset < HALT && r.next == state * a->symbols && r.write == 0;
}

/* Words of 64 bits, from the lowest: next state times symbols 32, write 16, move 16, become rules in their place. */
void grid_prepare(uint64_t *words, uint64_t count) {
  static const int16_t offsets[] = {-STRIDE, STRIDE, -1, 1, 0, HALT, UNDEFINED};
  for (uint64_t i = 0; i < count; i++) {
    uint32_t next = (uint32_t)words[i], write = words[i] >> 32 & UINT16_MAX, move = (uint32_t)(words[i] >> 48);
    rule made = {move * 8, move == STAY ? next + write : next, (uint16_t)write, offsets[move]};
    memcpy(&words[i], &made, sizeof made);
  }
}

/* PREDICT */

typedef struct place {
  tile *t;
  cell *p;
  const rule *row; /* the rules of its state */
  uint64_t left;   /* steps that may still be done */
} place;

/* One look-up a step, and no jump that depends on what is read. The four cells around the head are loaded while
 * the rule is: no step waits for the cell that it comes to. Ends at the border of what is linked, before a step
 * that ends the run, or after the last; a function of its own, as all that it has fits into registers. */
#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("bmi2", "default"))) /* which shifts by any number in a cycle */
#endif
RARELY place run_in_tiles(const agent *a, place at) {
  static const int64_t shift[] = {HIGH * STRIDE, -HIGH * STRIDE, WIDE, -WIDE};
  const rule *rules = a->rules, *row = at.row;
  tile *t = at.t;
  cell *p = at.p, c = *p;
  uint64_t left = at.left;
  while (left > 0) {
    rule r = row[c];
    if (r.offset >= HALT) break;
    uint64_t above = p[-STRIDE], below = p[STRIDE], before = p[-1], behind = p[1];
    uint64_t around = (above | below << LANE) | (before | behind << LANE) << 2 * LANE;
    *p = (cell)r.write;
    p += r.offset;
    row = rules + r.next;
    left--;
    c = (cell)(LANE == 8 ? around >> r.lane : around >> r.lane >> r.lane);
    if (c == EDGE) {
      int side = r.lane / 8;
      tile *next = t->near[side];
      if (next == NULL) break;
      p = next->cells + (p - t->cells) + shift[side];
      t = next;
      c = *p;
    }
  }
  return (place){t, p, rules + (uint64_t)(row - rules) / a->symbols * a->symbols, left};
}

/* The same, and all steps are looked at. */
static place observe_in_tile(world *w, const agent *a, place at, uint64_t done, forecast *seen) {
  for (; at.left > 0; at.left--, done++) {
    cell c = *at.p;
    if (c == EDGE) break;
    const rule *r = at.row + c;
    if (r->offset == UNDEFINED) break;
    if (w->reads != NULL) {
      w->reads[done] = (int16_t)c;
      w->writes[done] = (int16_t)r->write;
      w->moves[done] = (int16_t)move_of(*r);
    }
    if (w->counts != NULL) w->counts[r - a->rules]++;
    if (seen != NULL) see(seen, a->cases[r - a->rules]);
    if (r->offset == HALT) break;
    *at.p = (cell)r->write;
    at.row = a->rules + state_after(*r);
    at.p += r->offset;
  }
  return at;
}

/* At most `budget` steps as data; `seen` is told of the jumps that code would take. */
RARELY int interpret(world *w, const agent *a, uint64_t budget, forecast *seen) {
  int observed = w->reads != NULL || w->counts != NULL, outcome = BUDGET;
  tile *t = tile_around(w, w->x, w->y);
  if (t == NULL) return BUDGET;
  place at = {t, cell_at(t, w->x, w->y), a->rules + (uint32_t)w->state * a->symbols, budget};
  while (at.left > 0) {
    at = observed || seen != NULL ? observe_in_tile(w, a, at, budget - at.left, seen) : run_in_tiles(a, at);
    if (at.left == 0) break;
    if (*at.p != EDGE) {
      outcome = at.row[*at.p].offset == HALT ? HALTED : STUCK;
      at.left -= outcome == HALTED;
      break;
    }
    int leaps = !observed && walks_on_blank(a, (uint32_t)(at.row - a->rules) / a->symbols);
    cell *next = leaps ? leap(w, &at.t, at.p, (int)move_of(*at.row), &at.left) : cross(w, &at.t, at.p);
    if (next == NULL) {
      if (!leaps) break;
      w->steps += budget - at.left; /* the head is known */
      w->state = (int32_t)((uint32_t)(at.row - a->rules) / a->symbols);
      return BUDGET;
    }
    at.p = next;
  }
  w->x = column_of(at.t, at.p);
  w->y = row_of(at.t, at.p);
  w->steps += budget - at.left;
  w->state = (int32_t)((uint32_t)(at.row - a->rules) / a->symbols);
  return outcome;
}

/* MACRO */
/* BLOCKS */
/* MODES */
