/* What runs when: single steps, and now and then a look for rounds and a try of macro steps. Cycles are counted from
 * what is done and never measured: the same run goes the same way on every machine. */

enum { CREDIT = 1 << 15, SHARE = 16 };  /* cycles, and the part of all work, that macro steps may waste in a try */
enum { ROUND = 1 << 12, TOUCHED = 64 }; /* steps and cells of a round that is looked for */

/* A run that comes back to a configuration repeats itself: whole rounds are skipped. */
static void skip_rounds(world *w, const agent *a, uint64_t left) {
  cell *touched[TOUCHED], was[TOUCHED];
  int count = 0, changed = 0, i;
  tile *t = tile_around(w, w->x, w->y);
  if (t == NULL) return;
  const rule *first = a->rules + (uint32_t)w->state * a->columns;
  cell *start = cell_at(t, w->x, w->y);
  place at = {t, start, first, left, 0};
  uint64_t done = 0;
  while (done < left && done < ROUND && at.row[*at.p].offset < HALT) {
    rule r = at.row[*at.p];
    for (i = 0; i < count && touched[i] != at.p; i++) continue;
    w->work += 8 + (uint64_t)i;
    if (i == TOUCHED) break;
    if (i == count) touched[i] = at.p, was[count++] = *at.p;
    changed += (r.write != was[i]) - (*at.p != was[i]);
    *at.p = (cell)r.write;
    at.row = a->rules + state_after(r);
    at.p += r.offset;
    done++;
    cell *next = *at.p == w->edge ? cross(w, &at.t, at.p, 1) : at.p;
    if (next == NULL) break;
    at.p = next;
    if (at.p == start && at.row == first && changed == 0) {
      done += (left - done) / done * done;
      break;
    }
  }
  w->steps += done;
  stand(w, a, at);
}

/* Whether macro steps were worth it. */
static int try_macro_steps(world *w, const agent *a, uint64_t left, uint64_t most) {
  int paid = 0;
  if (w->memo == NULL) w->memo = new_memo(w, a);
  if (w->memo == NULL) return 0;
#ifdef EAGER
  double each = 1e9;
#else
  double each = w->each < 0.75 * NEW_STEP ? w->each : 0.75 * NEW_STEP; /* most passages must be known */
#endif
  w->work += macro_steps(w->memo, left, each, (double)(CREDIT + w->work / SHARE), most, &paid);
  return paid;
}

/* Steps that keep the head within the bound of coordinates. */
static uint64_t room_of(const world *w, const agent *a) {
  uint64_t x = (uint64_t)(w->x < 0 ? -w->x : w->x), y = (uint64_t)(w->y < 0 ? -w->y : w->y);
  if (x < BOUND && y < BOUND) return BOUND - (x > y ? x : y);
  rule r = a->rules[(uint32_t)w->state * a->columns + symbol_at(w, w->x, w->y)];
  return r.offset == HALT || r.offset == UNDEFINED || is_near(w->x + across[move_of(r)], w->y + down[move_of(r)]);
}

static int run_on(world *w, const agent *a, uint64_t budget, uint64_t cycles) {
  uint64_t end = w->steps + budget, pause = w->work + cycles;
  if (w->reads != NULL || w->counts != NULL) {
    uint64_t most = cycles / (DATA / 4) + 1;
    int outcome = observe(w, a, budget < most ? budget : most);
    return outcome == BUDGET && most < budget ? PAUSED : outcome;
  }
  if (w->next_try == 0) w->next_try = SOON, w->each = DATA / 4;
  while (w->steps < end) {
    if (w->work >= pause) return PAUSED;
    if (w->work >= w->next_try) {
      skip_rounds(w, a, end - w->steps);
      int paid = w->each > 0.25 && try_macro_steps(w, a, end - w->steps, pause - w->work);
      w->next_try = paid ? w->work + LONGEST : 2 * w->work;
      if (w->steps == end) break;
    }
    uint64_t before = w->steps, work = w->work;
    int outcome = interpret(w, a, end, w->next_try < pause ? w->next_try : pause);
    w->each = (double)(w->work - work + 1) / (double)(w->steps - before + 1);
    if (outcome != PAUSED) return outcome;
  }
  return BUDGET;
}

/* At most `budget` steps; pauses after so many cycles. */
int grid_run(world *w, const agent *a, uint64_t budget, uint64_t cycles) {
  uint64_t room = room_of(w, a);
  if (room == 0 && budget > 0) return FAR;
  int outcome = run_on(w, a, budget < room ? budget : room, cycles);
  return outcome == BUDGET && room < budget ? PAUSED : outcome;
}

/* ---- What the library offers to its caller. */

void grid_start(world *w, int64_t x, int64_t y, int64_t state, int64_t steps) {
  w->x = x;
  w->y = y;
  w->state = (int32_t)state;
  w->steps = (uint64_t)steps;
}

void grid_observe(world *w, int16_t *reads, int16_t *writes, int16_t *moves, uint64_t *counts) {
  w->reads = reads;
  w->writes = writes;
  w->moves = moves;
  w->counts = counts;
}

void grid_where(const world *w, int64_t *numbers) {
  int64_t told[] = {(int64_t)w->steps, w->state, w->x, w->y, (int64_t)w->count, (int64_t)w->work, WIDE, HIGH};
  memcpy(numbers, told, sizeof told);
}

/* Cells along a row; 0 when the memory budget is spent. */
static int put_cells(world *w, int64_t x, int64_t y, const cell *cells, int64_t count) {
  for (int64_t size; count > 0; x += size, cells += size, count -= size) {
    size = (tile_x(x) + 1) * WIDE - MID_X - x;
    if (size > count) size = count;
    cell any = 0;
    for (int64_t i = 0; i < size; i++) any |= cells[i];
    if (any == 0) continue;
    tile *t = tile_around(w, x, y);
    if (t == NULL) return 0;
    memcpy(cell_at(t, x, y), cells, (size_t)size * sizeof(cell));
  }
  return 1;
}

/* Pieces of wide x high cells, row by row, at places (x, y) that count them. */
int grid_put_tiles(world *w, int64_t count, const int64_t *places, const cell *cells, int64_t wide, int64_t high) {
  for (int64_t i = 0; i < count * high; i++) {
    const int64_t *at = places + i / high * 2;
    if (!put_cells(w, at[0] * wide - wide / 2, at[1] * high - high / 2 + i % high, cells + i * wide, wide)) return 0;
  }
  return 1;
}

/* Lays anew what stands in a world of rows, and its machine. */
int grid_lay(world *w, const world *rows) {
  grid_start(w, rows->x, rows->y, rows->state, (int64_t)rows->steps);
  for (uint64_t i = 0; i < rows->capacity; i++) {
    const tile *t = rows->table[i];
    if (t != NULL && !put_cells(w, t->x * ROW - ROW / 2, t->y, t->cells + PAD + 1, ROW)) return 0;
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
    cell any = 0, *to = cells + count * WIDE * HIGH;
    for (int y = 0; y < HIGH; y++, to += WIDE) {
      memcpy(to, t->cells + PAD + (y + ROOF) * STRIDE + 1, WIDE * sizeof(cell));
      for (int x = 0; x < WIDE; x++) any |= to[x];
    }
    places[2 * count] = t->x;
    places[2 * count + 1] = t->y;
    count += any != 0;
    w->table[w->taken] = NULL;
    free(t);
  }
  return count;
}

static void around(const tile *t, int64_t *box) {
  for (int y = 0; y < HIGH; y++)
    for (int x = 0; x < WIDE; x++) {
      if (t->cells[PAD + (y + ROOF) * STRIDE + x + 1] == 0) continue;
      int64_t column = left_of(t) + x, row = top_of(t) + y;
      if (column < box[0]) box[0] = column;
      if (row < box[1]) box[1] = row;
      if (column > box[2]) box[2] = column;
      if (row > box[3]) box[3] = row;
    }
}

/* A run on a text in one call: a short one takes far less time than to make a world, and to read it, from outside.
 * At most `steps` steps from (0, 0) on, all counted. Tells steps, state, x and y, then the box around
 * what is left: left, top, right, bottom, with its cells row by row, where there is room. */
int grid_text(agent *a, int64_t count, const int32_t *text, uint64_t steps, uint64_t memory, uint64_t *counts,
              int64_t *numbers, int64_t room, int32_t *left) {
  world *w = grid_new(memory, a->columns - 1);
  memset(numbers, 0, 8 * sizeof *numbers);
  if (w == NULL) return MEMORY;
  int outcome = MEMORY, fits = 1;
  for (int64_t i = 0; i < count && fits; i++) {
    tile *t = tile_around(w, i, 0);
    fits = t != NULL;
    if (fits) *cell_at(t, i, 0) = (cell)text[i];
  }
  w->counts = counts;
  if (fits) outcome = observe(w, a, steps);
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
