/* The world: tiles of WIDE x HIGH cells, made when they are first touched.
 *
 * A tile has a border of `edge`, the number after those of all symbols. So a step needs no bounds check: the
 * machine moves its pointer, and meets `edge` when it has left the tile. With IN_ROWS a tile is a piece of one row,
 * which makes a tape cheap; it has no border above and below, and whoever leaves the row has to say so. */

#ifndef IN_ROWS
#define IN_ROWS 0
#endif
#ifdef SMALL /* tests meet more borders */
enum { ROW = 32, WIDE = IN_ROWS ? ROW : 16, HIGH = IN_ROWS ? 1 : 8 };
#else
enum { ROW = 1024, WIDE = IN_ROWS ? ROW : 64, HIGH = IN_ROWS ? 1 : 16 };
#endif
enum { ROOF = !IN_ROWS, STRIDE = WIDE + 2, PAD = 16, AREA = (HIGH + 2 * ROOF) * STRIDE };
enum { MID_X = WIDE / 2, MID_Y = HIGH / 2 }; /* of tile (0, 0), where (0, 0) lies: most runs begin there */
enum { MORE = 48 };                          /* bytes beside a tile: its places in a table, and what malloc adds */

#define MAYBE static __attribute__((unused))
#define RARELY static __attribute__((unused, noinline))

typedef struct tile {
  struct tile *near[4]; /* U D L R, NULL while unknown */
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
  cell edge;
  uint64_t vertical;               /* a measure of steps that left their row */
  uint64_t work, next_try;         /* cycles, as counted from what is done; when to try macro steps again */
  double each;                     /* cycles a step */
  void *memo;                      /* of macro steps */
  int16_t *reads, *writes, *moves; /* where a trace goes, or NULL */
  uint64_t *counts;                /* how often each pair was used, or NULL */
} world;

MAYBE uint64_t hash_of(int64_t x, int64_t y) {
  uint64_t h = (uint64_t)x * 0x9E3779B97F4A7C15u ^ (uint64_t)y * 0xC2B2AE3D27D4EB4Fu;
  return h ^ h >> 29;
}

/* Where the tile at (x, y) is, or goes. */
MAYBE tile **slot_of(const world *w, int64_t x, int64_t y) {
  for (uint64_t i = hash_of(x, y);; i++) {
    tile **slot = &w->table[i & (w->capacity - 1)];
    if (*slot == NULL || ((*slot)->x == x && (*slot)->y == y)) return slot;
  }
}

MAYBE tile *find_tile(const world *w, int64_t x, int64_t y) {
  if (x < w->low_x || x > w->high_x || y < w->low_y || y > w->high_y) return NULL;
  return *slot_of(w, x, y);
}

MAYBE int grow_table(world *w) {
  tile **old = w->table;
  uint64_t size = w->capacity;
  tile **table = calloc(size * 2, sizeof *table);
  if (table == NULL) return 0;
  w->table = table;
  w->capacity = size * 2;
  for (uint64_t i = 0; i < size; i++)
    if (old[i] != NULL) *slot_of(w, old[i]->x, old[i]->y) = old[i];
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
  for (int i = 0; i < AREA; i += STRIDE) area[i] = area[i + STRIDE - 1] = w->edge;
  for (int i = 0; i < ROOF * STRIDE; i++) area[i] = area[AREA - 1 - i] = w->edge;
  if (x < w->low_x) w->low_x = x;
  if (x > w->high_x) w->high_x = x;
  if (y < w->low_y) w->low_y = y;
  if (y > w->high_y) w->high_y = y;
  *slot_of(w, x, y) = t;
  w->count++;
  return t;
}

MAYBE int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
MAYBE int64_t tile_x(int64_t x) { return floor_div(x + MID_X, WIDE); }
MAYBE int64_t tile_y(int64_t y) { return floor_div(y + MID_Y, HIGH); }
MAYBE tile *tile_around(world *w, int64_t x, int64_t y) { return get_tile(w, tile_x(x), tile_y(y)); }

/* Whether a cell is within the bound of coordinates: more of them could not be counted in 64 bits. */
#define BOUND (UINT64_C(1) << 62)
MAYBE int is_near(int64_t x, int64_t y) {
  return x <= (int64_t)BOUND && -x <= (int64_t)BOUND && y <= (int64_t)BOUND && -y <= (int64_t)BOUND;
}

/* Of the upper left cell of a tile. */
MAYBE int64_t left_of(const tile *t) { return t->x * WIDE - MID_X; }
MAYBE int64_t top_of(const tile *t) { return t->y * HIGH - MID_Y; }

MAYBE cell *cell_at(tile *t, int64_t x, int64_t y) {
  return t->cells + PAD + (y - top_of(t) + ROOF) * STRIDE + (x - left_of(t) + 1);
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
  return top_of(t) + (p - t->cells - PAD) / STRIDE - ROOF;
}

/* From the border of a tile into its neighbour, which is made if need be and if `make`; NULL where there is none. */
MAYBE cell *cross(world *w, tile **here, cell *p, int make) {
  static const int dx[] = {0, 0, -1, 1}, dy[] = {-1, 1, 0, 0};
  static const int64_t shift[] = {HIGH * STRIDE, -HIGH * STRIDE, WIDE, -WIDE};
  tile *t = *here;
  int64_t at = p - t->cells - PAD, column = at % STRIDE, row = at / STRIDE;
  int side = ROOF && row == 0 ? 0 : row == HIGH + ROOF ? 1 : column == 0 ? 2 : 3;
  tile *next = t->near[side];
  if (next == NULL) {
    int64_t x = t->x + dx[side], y = t->y + dy[side];
    next = make ? get_tile(w, x, y) : find_tile(w, x, y);
    if (next == NULL) return NULL;
    t->near[side] = next;
    next->near[side ^ 1] = t;
  }
  *here = next;
  return next->cells + (p - t->cells) + shift[side];
}

/* A world that takes at most so many bytes. */
world *grid_new(uint64_t bytes, uint64_t edge) {
  world *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  *w = (world){.capacity = 16, .limit = bytes / (sizeof(tile) + MORE), .edge = (cell)edge};
  w->low_x = w->low_y = INT64_MAX;
  w->high_x = w->high_y = INT64_MIN;
  w->table = calloc(w->capacity, sizeof *w->table);
  if (w->table != NULL) return w;
  free(w);
  return NULL;
}

void grid_free(world *w) {
  for (uint64_t i = 0; i < w->capacity; i++) free(w->table[i]);
  free(w->memo);
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
