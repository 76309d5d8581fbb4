/* The machine as data: it runs any table at once, while a compiler makes code of it, and far faster than code
 * where a run repeats itself. */

typedef uint64_t rule; /* from the lowest bit: next state times symbols 24, write 16, move 8, offset of the move 16 */
enum { STAY = 4, HALT, UNDEFINED };

typedef int machine(world *, uint64_t);

typedef struct agent {
  rule *rules; /* by state times symbols plus symbol */
  uint32_t symbols;
  uint32_t flat; /* it never leaves its row */
  machine *code; /* the same table, compiled; NULL as long as it is not */
} agent;

MAYBE uint32_t next_of(rule r) { return (uint32_t)r & 0xFFFFFF; }
MAYBE cell write_of(rule r) { return (cell)(r >> 24 & 0xFFFF); }
MAYBE uint32_t move_of(rule r) { return (uint32_t)(r >> 40 & 0xFF); }
MAYBE int64_t offset_of(rule r) { return (int64_t)(int16_t)(r >> 48); }

/* Whether a state keeps blanks, and itself, and goes on. */
MAYBE int walks_on_blank(const agent *a, uint32_t state) {
  rule r = a->rules[state * a->symbols];
  return move_of(r) < STAY && next_of(r) == state * a->symbols && write_of(r) == 0;
}

/* Adds the offsets, which the caller does not know. */
void grid_prepare(rule *rules, uint64_t count) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0, 0, 0};
  for (uint64_t i = 0; i < count; i++) rules[i] |= (uint64_t)(uint16_t)offsets[move_of(rules[i])] << 48;
}

/* One look-up a step. */
static inline __attribute__((always_inline)) int interpret(world *w, const agent *a, uint64_t budget, int observed) {
  const rule *rules = a->rules;
  uint64_t left = budget, at = 0;
  uint32_t q = (uint32_t)w->state * a->symbols;
  int outcome = BUDGET;
  tile *t = get_tile(w, floor_div(w->x, WIDE), floor_div(w->y, HIGH));
  if (t == NULL) return BUDGET;
  cell *p = cell_at(t, w->x, w->y);
  while (left > 0) {
    cell c = *p;
    if (c == EDGE) {
      int leaps = !observed && walks_on_blank(a, q / a->symbols);
      tile *here = t; /* copies, so that the rest stays in registers */
      uint64_t rest = left;
      cell *next = leaps ? leap(w, &here, p, (int)move_of(rules[q]), &rest) : cross(w, &here, p);
      left = rest;
      t = here;
      if (next == NULL) {
        if (!leaps) break;
        w->steps += budget - left; /* the head is known */
        w->state = (int32_t)(q / a->symbols);
        return BUDGET;
      }
      p = next;
      continue;
    }
    rule r = rules[q + c];
    if (move_of(r) == UNDEFINED) {
      outcome = STUCK;
      break;
    }
    if (observed) {
      if (w->reads != NULL) {
        w->reads[at] = (int16_t)c;
        w->writes[at] = (int16_t)write_of(r);
        w->moves[at++] = (int16_t)(move_of(r) == HALT ? STAY : move_of(r));
      }
      if (w->counts != NULL) w->counts[q + c]++;
    }
    left--;
    if (move_of(r) == HALT) {
      outcome = HALTED;
      break;
    }
    *p = write_of(r);
    q = next_of(r);
    p += offset_of(r);
  }
  w->x = column_of(t, p);
  w->y = row_of(t, p);
  w->steps += budget - left;
  w->state = (int32_t)(q / a->symbols);
  return outcome;
}

RARELY int interpret_plainly(world *w, const agent *a, uint64_t budget) { return interpret(w, a, budget, 0); }
RARELY int interpret_observed(world *w, const agent *a, uint64_t budget) { return interpret(w, a, budget, 1); }

/* MACRO */

/* Single steps before macro steps are tried. Where they are of no use, the next try comes when WAIT times as
 * many are done, so that trying is soon a small part of a run. Tests are eager. */
#define QUICK 2e-10   /* seconds a step: single steps that scan memory, or leap over it, are not to be beaten */
#define SCANNING 1e-9 /* seconds a step: there is less to be won, and the first try comes ten times as late */
#define SOON 1e-4     /* seconds of single steps before the first try, which takes half as long */
#ifdef EAGER
enum { FIRST = 8, AGAIN = 8, WAIT = 0, EAGERLY = 1 };
#else
enum { FIRST = 1 << 15, AGAIN = LONGEST, WAIT = 8, EAGERLY = 0 };
#endif

/* Runs for at most `budget` more steps. */
int grid_run(world *w, const agent *a, uint64_t budget) {
  if (w->reads != NULL || w->counts != NULL)
    return a->code != NULL ? a->code(w, budget) : interpret_observed(w, a, budget);
  uint64_t slice = FIRST, single = 0;
  double spent = 0;
  memo *m = NULL;
  int outcome;
  for (;;) {
    uint64_t size = slice < budget ? slice : budget, before = w->steps;
    double begun = seconds();
    outcome = a->code != NULL ? a->code(w, size) : interpret_plainly(w, a, size);
    double taken = EAGERLY + seconds() - begun, each = taken / (double)size;
    budget -= w->steps - before;
    if (outcome != BUDGET || w->steps - before < size || budget == 0) break;
    single += size;
    spent += taken;
    if (spent < (each < SCANNING ? 10 * SOON : SOON) && each > QUICK) {
      if (each < SCANNING) slice *= 2; /* scans are not to be cut short */
      continue;
    }
    if (m == NULL && each > QUICK) m = new_memo(w, a);
    if (m == NULL || each <= QUICK) {
      slice = budget;
      continue;
    }
    before = w->steps;
    int quick = macro_steps(m, budget, each);
    budget -= w->steps - before;
    if (budget == 0) break;
    slice = quick && w->steps - before > LONGEST ? AGAIN : FIRST + WAIT * single;
  }
  free(m);
  return outcome;
}
