/* A run on a text in one call: a short one takes far less time than to make a world, and to read it, from outside. */

static void around(const tile *t, int64_t *box) {
  for (int y = 0; y < HIGH; y++)
    for (int x = 0; x < WIDE; x++) {
      if (t->cells[PAD + (y + 1) * STRIDE + x + 1] == 0) continue;
      int64_t column = left_of(t) + x, row = top_of(t) + y;
      if (column < box[0]) box[0] = column;
      if (row < box[1]) box[1] = row;
      if (column > box[2]) box[2] = column;
      if (row > box[3]) box[3] = row;
    }
}

/* At most `steps` steps on a text from (0, 0) on, all counted. Tells steps, state, x and y, then the box around
 * what is left: left, top, right, bottom, with its cells row by row, where there is room. BUDGET without memory, too. */
int grid_text(agent *a, int64_t count, const int32_t *text, uint64_t steps, uint64_t tiles, uint64_t *counts,
              int64_t *numbers, int64_t room, int32_t *left) {
  world *w = grid_new(tiles);
  memset(numbers, 0, 8 * sizeof *numbers);
  if (w == NULL) return BUDGET;
  int outcome = BUDGET, fits = 1;
  for (int64_t i = 0; i < count && fits; i++) {
    tile *t = tile_around(w, i, 0);
    fits = t != NULL;
    if (fits) *cell_at(t, i, 0) = (cell)text[i];
  }
  w->counts = counts;
  if (fits) outcome = a->code != NULL ? a->code(w, steps) : interpret(w, a, steps, NULL);
  int64_t told[] = {(int64_t)w->steps, w->state, w->x, w->y}, box[] = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN};
  for (uint64_t i = 0; i < w->capacity; i++)
    if (w->table[i] != NULL) around(w->table[i], box);
  memcpy(numbers, told, sizeof told);
  memcpy(numbers + 4, box, sizeof box);
  int64_t wide = 0, high = 0;
  if (box[0] <= box[2]) wide = box[2] - box[0] + 1, high = box[3] - box[1] + 1;
  if (wide > room || (wide > 0 && high > room / wide)) wide = 0;
  for (int64_t i = 0; i < wide * high; i++) {
    left[i] = symbol_at(w, box[0] + i % wide, box[1] + i / wide);
  }
  grid_free(w);
  return outcome;
}
