/* What the library offers to its caller. */

world *grid_new(uint64_t tiles) {
  world *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->capacity = 16;
  w->limit = tiles;
  w->high_x = w->high_y = -1; /* no tiles: nothing is inside */
  w->table = calloc(w->capacity, sizeof *w->table);
  if (w->table == NULL) {
    free(w);
    return NULL;
  }
  return w;
}

void grid_free(world *w) {
  for (uint64_t i = 0; i < w->capacity; i++) free(w->table[i]);
  free(w->table);
  free(w);
}

int grid_put(world *w, int64_t count, const int64_t *xs, const int64_t *ys, const int32_t *symbols) {
  for (int64_t i = 0; i < count; i++) {
    tile *t = get_tile(w, floor_div(xs[i], WIDE), floor_div(ys[i], HIGH));
    if (t == NULL) return 0;
    *cell_at(t, xs[i], ys[i]) = (cell)symbols[i];
  }
  return 1;
}

void grid_start(world *w, int64_t x, int64_t y) {
  w->x = x;
  w->y = y;
  w->state = 0;
  w->steps = 0;
}

void grid_observe(world *w, int16_t *reads, int16_t *writes, int16_t *moves, uint64_t *counts) {
  w->reads = reads;
  w->writes = writes;
  w->moves = moves;
  w->counts = counts;
}

void grid_where(const world *w, int64_t *numbers) {
  numbers[0] = (int64_t)w->steps;
  numbers[1] = w->state;
  numbers[2] = w->x;
  numbers[3] = w->y;
  numbers[4] = (int64_t)w->count;
}

/* The cells that are not blank; with NULL it only counts them. */
int64_t grid_cells(const world *w, int64_t *xs, int64_t *ys, int32_t *symbols) {
  int64_t found = 0;
  for (uint64_t i = 0; i < w->capacity; i++) {
    const tile *t = w->table[i];
    if (t == NULL) continue;
    for (int y = 0; y < HIGH; y++) {
      const cell *row = t->cells + PAD + (y + 1) * STRIDE + 1;
      for (int x = 0; x < WIDE; x++) {
        if (row[x] == 0) continue;
        if (xs != NULL) {
          xs[found] = t->x * WIDE + x;
          ys[found] = t->y * HIGH + y;
          symbols[found] = row[x];
        }
        found++;
      }
    }
  }
  return found;
}
