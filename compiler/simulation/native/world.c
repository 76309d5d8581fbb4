/* The world: tiles of WIDE x HIGH cells, made when they are first touched.
 *
 * A tile has a border of EDGE, a symbol that no agent knows. So a step needs no bounds check: the
 * machine moves its pointer, and meets EDGE when it has left the tile. */

#define MAYBE static __attribute__((unused))
#define RARELY static __attribute__((unused, noinline)) /* keeps the machine small, and quick to compile */

enum { WIDE = 64, HIGH = 16, STRIDE = WIDE + 2, PAD = 16, AREA = (HIGH + 2) * STRIDE };
enum { MID_X = WIDE / 2, MID_Y = HIGH / 2 }; /* of tile (0, 0), where (0, 0) lies: most runs begin there */

typedef struct tile {
  struct tile *near[4]; /* neighbours U D L R, NULL while unknown */
  int64_t x, y;         /* in tiles */
  cell cells[PAD + AREA + PAD];
} tile;

typedef struct world {
  tile **table; /* open addressing; capacity is a power of two */
  uint64_t capacity, count, limit, taken;
  int64_t low_x, low_y, high_x, high_y; /* of all tiles, in tiles */
  uint64_t steps;                       /* the machine: steps done, state, head */
  int64_t x, y;
  int32_t state;
  uint64_t saved;                  /* steps that took no jump: scanned, leapt, or done in a lap */
  uint64_t work;                   /* cycles that the runner counts */
  void *plan, *memo, *blocks;      /* its own */
  int16_t *reads, *writes, *moves; /* where a trace goes, or NULL */
  uint64_t *counts;                /* how often each pair was used, or NULL */
} world;

MAYBE uint64_t hash_of(int64_t x, int64_t y) {
  uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu;
  return h ^ h >> 29;
}

MAYBE tile *find_tile(const world *w, int64_t x, int64_t y) {
  if (x < w->low_x || x > w->high_x || y < w->low_y || y > w->high_y) return NULL;
  for (uint64_t i = hash_of(x, y);; i++) {
    tile *t = w->table[i & (w->capacity - 1)];
    if (t == NULL || (t->x == x && t->y == y)) return t;
  }
}

MAYBE void insert_tile(world *w, tile *t) {
  uint64_t i = hash_of(t->x, t->y);
  while (w->table[i & (w->capacity - 1)] != NULL) i++;
  w->table[i & (w->capacity - 1)] = t;
}

MAYBE int grow_table(world *w) {
  tile **old = w->table;
  uint64_t size = w->capacity;
  tile **table = calloc(size * 2, sizeof *table);
  if (table == NULL) return 0;
  w->table = table;
  w->capacity = size * 2;
  for (uint64_t i = 0; i < size; i++)
    if (old[i] != NULL) insert_tile(w, old[i]);
  free(old);
  return 1;
}

/* The tile at (x, y), made if need be; NULL when the memory budget is spent. */
RARELY tile *get_tile(world *w, int64_t x, int64_t y) {
  tile *t = find_tile(w, x, y);
  if (t != NULL) return t;
  if (w->count >= w->limit) return NULL;
  if (w->count * 2 >= w->capacity && !grow_table(w)) return NULL;
  t = calloc(1, sizeof *t);
  if (t == NULL) return NULL;
  t->x = x;
  t->y = y;
  cell *area = t->cells + PAD;
  for (int i = 0; i < STRIDE; i++) area[i] = EDGE;
  for (int i = AREA - STRIDE; i < AREA; i++) area[i] = EDGE;
  for (int i = STRIDE; i < AREA - STRIDE; i += STRIDE) area[i] = area[i + STRIDE - 1] = EDGE;
  if (w->count == 0 || x < w->low_x) w->low_x = x;
  if (w->count == 0 || x > w->high_x) w->high_x = x;
  if (w->count == 0 || y < w->low_y) w->low_y = y;
  if (w->count == 0 || y > w->high_y) w->high_y = y;
  insert_tile(w, t);
  w->count++;
  return t;
}

/* Rows of cells between a tile and a caller, who knows of no border. */
MAYBE int copy_out(const tile *t, cell *cells) {
  cell any = 0;
  for (int y = 0; y < HIGH; y++) {
    const cell *row = t->cells + PAD + (y + 1) * STRIDE + 1;
    for (int x = 0; x < WIDE; x++) any |= row[x];
    memcpy(cells + y * WIDE, row, WIDE * sizeof *row);
  }
  return any != 0;
}
MAYBE void copy_in(tile *t, const cell *cells) {
  for (int y = 0; y < HIGH; y++)
    memcpy(t->cells + PAD + (y + 1) * STRIDE + 1, cells + y * WIDE, WIDE * sizeof *cells);
}

MAYBE int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
MAYBE int64_t tile_x(int64_t x) { return floor_div(x + MID_X, WIDE); }
MAYBE int64_t tile_y(int64_t y) { return floor_div(y + MID_Y, HIGH); }
MAYBE tile *tile_around(world *w, int64_t x, int64_t y) { return get_tile(w, tile_x(x), tile_y(y)); }

/* Of the upper left cell of a tile. */
MAYBE int64_t left_of(const tile *t) { return t->x * WIDE - MID_X; }
MAYBE int64_t top_of(const tile *t) { return t->y * HIGH - MID_Y; }

MAYBE cell *cell_at(tile *t, int64_t x, int64_t y) {
  return t->cells + PAD + (y - top_of(t) + 1) * STRIDE + (x - left_of(t) + 1);
}

/* What stands at a cell. */
MAYBE cell symbol_at(const world *w, int64_t x, int64_t y) {
  tile *t = find_tile(w, tile_x(x), tile_y(y));
  return t == NULL ? 0 : *cell_at(t, x, y);
}

/* Where a pointer into a tile, border included, stands on the grid. */
MAYBE int64_t column_of(const tile *t, const cell *p) {
  return left_of(t) + (p - t->cells - PAD) % STRIDE - 1;
}
MAYBE int64_t row_of(const tile *t, const cell *p) {
  return top_of(t) + (p - t->cells - PAD) / STRIDE - 1;
}

/* Which border a pointer is on: U D L R. */
MAYBE int side_of(int64_t offset) {
  int64_t column = offset % STRIDE, row = offset / STRIDE;
  return row == 0 ? 0 : row == HIGH + 1 ? 1 : column == 0 ? 2 : 3;
}

MAYBE cell *enter(tile **here, tile *next, int side, int64_t offset) {
  static const int shift[] = {HIGH * STRIDE, -HIGH * STRIDE, WIDE, -WIDE};
  (*here)->near[side] = next;
  next->near[side ^ 1] = *here;
  *here = next;
  return next->cells + PAD + offset + shift[side];
}

/* From the border of a tile into its neighbour; NULL when the memory budget is spent. */
RARELY cell *cross(world *w, tile **here, cell *p) {
  tile *t = *here;
  int64_t offset = p - t->cells - PAD;
  int side = side_of(offset);
  tile *next = t->near[side];
  if (next == NULL) next = get_tile(w, t->x + (side == 3) - (side == 2), t->y + (side == 1) - (side == 0));
  return next == NULL ? NULL : enter(here, next, side, offset);
}

/* Like cross, for a machine that walks one way over blanks: tiles that do not exist are passed
 * without making them, and past the last one nothing can stop it. */
RARELY cell *leap(world *w, tile **here, cell *p, int way, uint64_t *left) {
  static const int dx[] = {0, 0, -1, 1}, dy[] = {-1, 1, 0, 0};
  tile *t = *here;
  int64_t offset = p - t->cells - PAD;
  tile *next = t->near[side_of(offset)];
  if (next != NULL) return enter(here, next, side_of(offset), offset);
  int64_t x = column_of(t, p), y = row_of(t, p);
  while (*left > 0) {
    int64_t tx = tile_x(x), ty = tile_y(y);
    if (find_tile(w, tx, ty) != NULL) break;
    int beyond = way == 0 ? ty < w->low_y : way == 1 ? ty > w->high_y : way == 2 ? tx < w->low_x : tx > w->high_x;
    int64_t in_x = x + MID_X - tx * WIDE, in_y = y + MID_Y - ty * HIGH;
    uint64_t run = (uint64_t)(way == 0 ? in_y + 1 : way == 1 ? HIGH - in_y : way == 2 ? in_x + 1 : WIDE - in_x);
    if (beyond || run > *left) run = *left;
    w->saved += run;
    x += dx[way] * (int64_t)run;
    y += dy[way] * (int64_t)run;
    *left -= run;
  }
  t = tile_around(w, x, y);
  if (t == NULL) {
    w->x = x;
    w->y = y;
    return NULL;
  }
  *here = t;
  return cell_at(t, x, y);
}
