/* Blocks: a few cells are one number. What a machine does between entering a block and leaving it is one look-up
 * in a table, which is worked out as it is needed, and takes about as long as a step as data. */

enum { BLOCK_CELLS = 8, CROSSINGS = 1 << 14, MOST_STEPS = UINT8_MAX }; /* at most; the table takes 128 kB */
enum { PARTS = 1 << 12 }; /* of 16 x 16 cells, or WIDE on one row, that are read at a time */
/* Cycles, as measured: of a crossing, of a new one and of each of its steps, of a part read and put back. */
enum { CROSSING = 12, NEW_CROSSING = 100, CROSSING_STEP = 14, PART = 2000 };

typedef struct crossing {
  uint8_t lane, steps; /* of the block that comes next, among those around: bits below it; 0 while unknown */
  uint16_t row, write; /* of the crossings that come next; what it leaves */
  int16_t offset;
} crossing;

typedef struct part {
  cell *corner;
  uint16_t *block;
} part;

typedef struct blocks {
  const agent *agent;
  int wide, high;           /* of a block; both are powers of two, and these their exponents */
  uint32_t cells, patterns; /* of a block; pattern 0 is one that was not read */
  int64_t part_wide, part_high;
  int64_t columns, rows, across; /* parts; blocks of a row, with a border */
  int64_t left, top;             /* of the first cell */
  uint64_t work, learnt;        /* cycles: of a run beside its crossings, and of all that the table holds */
  uint32_t parts;
  part part[PARTS];
  crossing crossing[CROSSINGS]; /* by state, cell and pattern */
  cell cell_of[CROSSINGS];      /* by pattern */
  uint16_t block[];
} blocks;

typedef struct spot {
  uint16_t *p;
  const crossing *row; /* the crossings of its state and cell */
  uint64_t left, crossed;
} spot;

/* One look-up a block, as run_in_tiles has one a step. */
#if defined __x86_64__ && defined __linux__ && defined __GNUC__ && !defined __clang__
__attribute__((target_clones("bmi2", "default")))
#endif
RARELY spot run_in_blocks(const blocks *b, spot at) {
  const crossing *crossings = b->crossing, *row = at.row;
  int64_t across = b->across;
  uint16_t *p = at.p, c = *p;
  uint64_t left = at.left, crossed = at.crossed;
  for (;;) {
    crossing r = row[c];
    if (r.steps - UINT64_C(1) >= left) break;
    uint64_t above = p[-across], below = p[across], before = p[-1], behind = p[1];
    uint64_t around = (above | below << 16) | (before | behind << 16) << 32;
    *p = r.write;
    p += r.offset;
    row = crossings + r.row;
    left -= r.steps;
    crossed++;
    c = (uint16_t)(around >> r.lane);
  }
  return (spot){p, row, left, crossed};
}

/* The largest blocks for which the table stays small; NULL where there are none. */
static blocks *new_blocks(const agent *a) {
  int wide = 0, high = 0;
  uint64_t cells = 1, patterns = a->symbols;
  for (; cells < BLOCK_CELLS && a->states * 2 * cells * (patterns * patterns + 1) <= CROSSINGS; patterns *= patterns) {
    a->flat || wide == high ? wide++ : high++;
    cells *= 2;
  }
  if (cells == 1) return NULL;
  int64_t part_wide = a->flat ? WIDE : HIGH, part_high = a->flat ? 1 : HIGH;
  int64_t columns = a->flat ? PARTS / 16 : 64, rows = a->flat ? 1 : PARTS / 64;
  int64_t across = (columns * part_wide >> wide) + 2, down = (rows * part_high >> high) + 2;
  blocks *b = calloc(1, sizeof *b + (size_t)(across * down) * sizeof *b->block);
  if (b == NULL) return NULL;
  b->agent = a;
  b->wide = wide;
  b->high = high;
  b->cells = (uint32_t)cells;
  b->patterns = (uint32_t)patterns + 1;
  b->part_wide = part_wide;
  b->part_high = part_high;
  b->columns = columns;
  b->rows = rows;
  b->across = across;
  for (uint32_t i = 0; i < patterns; i++)
    for (uint32_t at = b->cells, rest = i; at-- > 0; rest /= a->symbols)
      b->cell_of[at * b->patterns + i + 1] = (cell)(rest % a->symbols);
  return b;
}

static uint16_t *block_at(blocks *b, int64_t x, int64_t y) {
  return b->block + (((y - b->top) >> b->high) + 1) * b->across + ((x - b->left) >> b->wide) + 1;
}

/* The number of a cell within its block. */
static uint32_t place_in_block(const blocks *b, int64_t x, int64_t y) {
  return (uint32_t)((y & ((1 << b->high) - 1)) << b->wide | (x & ((1 << b->wide) - 1)));
}

/* A pattern with one cell more behind it. */
static uint16_t longer(const blocks *b, uint16_t pattern, cell c) {
  return (uint16_t)((pattern - (pattern > 0)) * b->agent->symbols + c + 1);
}

static void read_part(const blocks *b, part p) {
  for (int64_t y = 0; y < b->part_high; y++)
    for (int64_t x = 0; x < b->part_wide; x++) {
      uint16_t *block = p.block + (y >> b->high) * b->across + (x >> b->wide);
      *block = longer(b, *block, p.corner[y * STRIDE + x]);
    }
}

static void put_back(blocks *b) {
  while (b->parts > 0) {
    part p = b->part[--b->parts];
    for (int64_t y = 0; y < b->part_high; y++) {
      uint16_t *row = p.block + (y >> b->high) * b->across;
      for (int64_t x = 0; x < b->part_wide; x++)
        p.corner[y * STRIDE + x] = b->cell_of[place_in_block(b, x, y) * b->patterns + row[x >> b->wide]];
      if (place_in_block(b, 0, y + 1) == 0) memset(row, 0, (size_t)(b->part_wide >> b->wide) * sizeof *row);
    }
  }
}

/* Reads the part around a cell; all others are put back first if they lie too far off. The cell's block. */
static uint16_t *read_around(blocks *b, world *w, int64_t x, int64_t y) {
  tile *t = tile_around(w, x, y);
  if (t == NULL) return NULL;
  int64_t left = floor_div(x + MID_X, b->part_wide) * b->part_wide - MID_X;
  int64_t top = floor_div(y + MID_Y, b->part_high) * b->part_high - MID_Y;
  int64_t column = floor_div(x - b->left, b->part_wide), row = floor_div(y - b->top, b->part_high);
  if (b->parts == 0 || column < 0 || column >= b->columns || row < 0 || row >= b->rows) {
    put_back(b);
    b->left = left - b->columns / 2 * b->part_wide;
    b->top = top - b->rows / 2 * b->part_high;
  }
  b->part[b->parts] = (part){cell_at(t, left, top), block_at(b, left, top)};
  read_part(b, b->part[b->parts++]);
  b->work += PART;
  return block_at(b, x, y);
}

/* A crossing that the table does not hold, or not for as many steps as are left. */
static spot cross_block(blocks *b, spot at) {
  uint32_t place = (uint32_t)(at.row - b->crossing);
  cell draft[BLOCK_CELLS];
  for (uint32_t i = 0; i < b->cells; i++) draft[i] = b->cell_of[i * b->patterns + *at.p];
  uint64_t most = at.left < LONGEST ? at.left : LONGEST;
  way_through way = go_through(b->agent, draft, 1 << b->wide, 1 << b->high, place / b->patterns, most);
  const int64_t offsets[] = {-b->across, b->across, -1, 1, 0};
  uint16_t write = 0, row = (uint16_t)(way.out * b->patterns);
  int16_t offset = (int16_t)offsets[way.side];
  for (uint32_t i = 0; i < b->cells; i++) write = longer(b, write, draft[i]);
  int lasting = way.side != HERE && way.steps <= MOST_STEPS;
  if (lasting) b->crossing[place + *at.p] = (crossing){(uint8_t)(16 * way.side), (uint8_t)way.steps, row, write, offset};
  *(lasting ? &b->learnt : &b->work) += NEW_CROSSING + CROSSING_STEP * way.steps;
  *at.p = write;
  return (spot){at.p + offset, b->crossing + row, at.left - way.steps, at.crossed};
}

/* At most `budget` steps; fewer where single steps are to go on, where what they cost beyond `each` cycles a step
 * comes to `credit`, and where the table has cost more than `most`. The cycles, but for those of the table. */
static uint64_t block_steps(world *w, blocks *b, uint64_t budget, double each, double credit, uint64_t most) {
  int64_t x = w->x, y = w->y;
  b->work = 0;
  spot at = {read_around(b, w, x, y), NULL, budget, 0};
  if (at.p == NULL) return 0;
  uint32_t in = (uint32_t)w->state * b->cells + place_in_block(b, x - b->left, y - b->top);
  at.row = b->crossing + in * b->patterns;
  for (uint64_t before = 0; at.left != before;) {
    at = run_in_blocks(b, at);
    in = (uint32_t)(at.row - b->crossing) / b->patterns;
    int64_t block = at.p - b->block, cell_in = in % b->cells;
    x = b->left + (block % b->across - 1) * (1 << b->wide) + (cell_in & ((1 << b->wide) - 1));
    y = b->top + (block / b->across - 1) * (1 << b->high) + (cell_in >> b->wide);
    if (*at.p == 0) {
      if (walks_on_blank(b->agent, in / b->cells) && find_tile(w, tile_x(x), tile_y(y)) == NULL) break;
      uint16_t *read = read_around(b, w, x, y);
      if (read == NULL) break;
      at.p = read;
    }
    if ((double)(b->work + CROSSING * at.crossed) > each * (double)(budget - at.left) + credit) break;
    if (b->learnt > most) break;
    before = at.left;
    at = cross_block(b, at);
  }
  w->steps += budget - at.left;
  w->x = x;
  w->y = y;
  w->state = (int32_t)(in / b->cells);
  put_back(b);
  return b->work + CROSSING * at.crossed;
}
