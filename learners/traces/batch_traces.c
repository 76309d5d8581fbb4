/* Traces of one agent on many worlds: short runs take far less time than to make a world from outside. */

enum { WORLD_BYTES = 50000000 }; /* far more than a short run comes to */

typedef struct batch {
  const agent *agent;
  int64_t symbols, worlds, limit;
  const int64_t *ends;             /* of each world: where its cells end */
  const int64_t *xs, *ys;          /* of all cells */
  const int32_t *held;
  const int64_t *heads;            /* (worlds, 2) */
  int64_t *length;                 /* told of each, and how it ended */
  int32_t *outcome;
  int16_t *reads, *writes, *moves; /* (worlds, limit) */
} batch;

/* 0 where a world needs too much memory. */
int batch_traces(const batch *b) {
  for (int64_t i = 0, first = 0; i < b->worlds; first = b->ends[i++]) {
    int64_t row = i * b->limit;
    world *w = grid_new(WORLD_BYTES, (int32_t)b->symbols);
    if (w == NULL) return 0;
    int outcome = MEMORY;
    if (grid_put(w, b->ends[i] - first, b->xs + first, b->ys + first, b->held + first)) {
      grid_start(w, b->heads[2 * i], b->heads[2 * i + 1], 0, 0);
      grid_observe(w, b->reads + row, b->writes + row, b->moves + row, NULL);
      outcome = grid_run(w, b->agent, (uint64_t)b->limit, INT64_MAX);
    }
    b->length[i] = (int64_t)w->steps;
    b->outcome[i] = outcome;
    grid_free(w);
    if (outcome != HALTED && outcome != STUCK && outcome != BUDGET) return 0;
  }
  return 1;
}
