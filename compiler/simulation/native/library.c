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
  free(w->plan);
  free(w->memo);
  free(w->blocks);
  free(w->table);
  free(w);
}

int grid_put(world *w, int64_t count, const int64_t *xs, const int64_t *ys, const int32_t *symbols) {
  for (int64_t i = 0; i < count; i++) {
    tile *t = tile_around(w, xs[i], ys[i]);
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
  numbers[5] = (int64_t)w->work;
}

/* Tiles of WIDE x HIGH cells, row by row, at places (x, y) that count tiles. */
int grid_put_tiles(world *w, int64_t count, const int64_t *places, const cell *cells) {
  for (int64_t i = 0; i < count; i++) {
    tile *t = get_tile(w, places[2 * i], places[2 * i + 1]);
    if (t == NULL) return 0;
    copy_in(t, cells + i * WIDE * HIGH);
  }
  return 1;
}

/* Takes up to `room` tiles that are not blank out of the world and frees them, so that a caller who keeps
 * them needs no second world beside the first; 0 when none is left. */
int64_t grid_take_tiles(world *w, int64_t room, int64_t *places, cell *cells) {
  int64_t count = 0;
  for (; w->taken < w->capacity && count < room; w->taken++) {
    tile *t = w->table[w->taken];
    if (t == NULL) continue;
    places[2 * count] = t->x;
    places[2 * count + 1] = t->y;
    count += copy_out(t, cells + count * WIDE * HIGH);
    w->table[w->taken] = NULL;
    free(t);
  }
  return count;
}
