/* A DFST in closed loop on the world of world.c, as closed_loop.py defines it. */

enum { MOVES = 5, STAY = 4 };

typedef struct loop {
  const float *weights; /* (symbols, dim, rows): A above B above C, column after column */
  int64_t dim, symbols;
  float *hidden, *rows; /* (dim,), (rows,): the vector, and room for a product */
} loop;

/* The largest, ties to the lowest. */
static int winner(const float *outputs, int64_t count) {
  int best = 0;
  for (int i = 1; i < count; i++)
    if (outputs[i] > outputs[best]) best = i;
  return best;
}

/* Goes on for at most `budget` steps. */
int closed_loop(loop *l, world *w, uint64_t budget) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  int64_t dim = l->dim, symbols = l->symbols, rows = dim + symbols + MOVES;
  float *hidden = l->hidden, *sums = l->rows;
  tile *t = tile_around(w, w->x, w->y);
  cell *p = t == NULL ? NULL : cell_at(t, w->x, w->y);
  int outcome = RUNNING;
  while (outcome == RUNNING && p != NULL) {
    if (*p == w->edge) {
      cell *next = cross(w, &t, p, 1);
      if (next == NULL) break;
      p = next;
    }
    if (budget-- == 0) break;
    const float *columns = l->weights + *p * dim * rows;
    memset(sums, 0, (size_t)rows * sizeof *sums);
    for (int64_t j = 0; j < dim; j++, columns += rows)
      for (int64_t i = 0; i < rows; i++) sums[i] += columns[i] * hidden[j];
    int finite = 1, zero = 1;
    for (int64_t i = dim; i < rows; i++) {
      finite &= sums[i] - sums[i] == 0;
      zero &= sums[i] == 0;
    }
    if (!finite || zero) {
      outcome = finite ? STUCK : NOT_FINITE;
      break;
    }
    int write = winner(sums + dim, symbols), move = winner(sums + dim + symbols, MOVES);
    if (write == *p && move == STAY) outcome = HALTED;
    *p = (cell)write;
    p += offsets[move];
    memcpy(hidden, sums, (size_t)dim * sizeof *hidden);
    w->steps++;
  }
  if (p != NULL) {
    w->x = column_of(t, p);
    w->y = row_of(t, p);
  }
  return outcome == RUNNING ? BUDGET : outcome;
}
