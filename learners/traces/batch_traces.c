/* Short traces of one table on many worlds: what `simulate.run` with a trace does. */

enum { NONE = -1, STAY = 4, WORLD_BYTES = 50000000 /* bytes of one world, far more than a short run comes to */ };
#define EDGE UINT16_MAX

typedef struct rule {
  int32_t write, move, next; /* NONE where there is none */
} rule;

typedef struct batch {
  const rule *rules;
  int64_t symbols, worlds, limit;
  const int64_t *ends;            /* of each world: where its cells end */
  const int64_t *xs, *ys;         /* of all cells */
  const int32_t *held;
  const int64_t *heads;           /* (worlds, 2) */
  int64_t *length;                /* told by a first call, and how each ended */
  int32_t *outcome;
  int64_t wide;                   /* of the rows that a second call fills */
  int16_t *reads, *writes, *moves; /* (worlds, wide); NULL in the first call */
  int32_t *fired;                 /* likewise: state * symbols + symbol */
} batch;

/* One world; 0 without memory. */
static int follow(const batch *b, int64_t number) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  int64_t first = number == 0 ? 0 : b->ends[number - 1], count = b->ends[number] - first;
  int64_t x = b->heads[2 * number], y = b->heads[2 * number + 1], row = number * b->wide, state = 0, step = 0;
  world *w = grid_new(WORLD_BYTES, EDGE);
  if (w == NULL) return 0;
  int fits = grid_put(w, count, b->xs + first, b->ys + first, b->held + first);
  tile *here = fits ? tile_around(w, x, y) : NULL;
  cell *p = here == NULL ? NULL : cell_at(here, x, y);
  int outcome = RUNNING;
  while (outcome == RUNNING) {
    if (p != NULL && *p == EDGE) p = cross(w, &here, p, 1);
    if (p == NULL || step == b->limit) {
      outcome = BUDGET;
      break;
    }
    int symbol = *p;
    const rule *now = &b->rules[state * b->symbols + symbol];
    if (now->write == NONE) {
      outcome = STUCK;
      break;
    }
    if (b->reads != NULL) {
      int64_t at = row + step;
      b->reads[at] = (int16_t)symbol, b->writes[at] = (int16_t)now->write, b->moves[at] = (int16_t)now->move;
      b->fired[at] = (int32_t)(state * b->symbols + symbol);
    }
    step++;
    if (now->move == STAY && now->write == symbol) outcome = HALTED;
    *p = (cell)now->write;
    p += offsets[now->move];
    state = now->next;
  }
  b->length[number] = step;
  b->outcome[number] = outcome;
  int enough = p != NULL;
  grid_free(w);
  return enough;
}

int batch_traces(const batch *b) {
  for (int64_t i = 0; i < b->worlds; i++)
    if (!follow(b, i)) return 0;
  return 1;
}
