/* Macro steps: what a machine does between entering a patch of cells and leaving it depends on what stands in
 * the patch, on the cell where it enters and on its state. It is worked out once, remembered as a passage, and
 * looked up from then on. */

enum { PATTERNS = 1 << 11, PASSAGES = 1 << 12, PATCHES = 1 << 11 }; /* a megabyte; what is full begins anew */
/* Cycles, as measured: of a passage that follows the one it followed before, of one that is looked up, of a new
 * passage and of each of its steps, of a new patch. */
enum { LONGEST = 1 << 12 }; /* steps that a passage may take; then it ends within */
enum { FOLLOWED = 16, LOOKED_UP = 60, NEW_PASSAGE = 400, NEW_STEP = 8, NEW_PATCH = 300 };
enum { WINDOW = 1 << 12 }; /* cycles between two looks at what they brought */

enum { HERE = 4 };
/* A patch lies within one tile. On one row it is long, so that most steps stay inside. */
#ifdef SMALL
enum { PATCH_WIDE = IN_ROWS ? 16 : HIGH, PATCH_HIGH = HIGH, CELLS = PATCH_WIDE * PATCH_HIGH };
#else
enum { PATCH_WIDE = IN_ROWS ? 64 : HIGH, PATCH_HIGH = HIGH, CELLS = PATCH_WIDE * PATCH_HIGH };
#endif

typedef struct passage {
  uint32_t from, to; /* patterns */
  uint32_t in, out;  /* state times cells plus cell, here and in the patch that is entered next */
  uint32_t steps;    /* 0 where the first ends the run */
  uint32_t side;     /* U D L R, by which it leaves, or HERE */
  struct passage *after; /* the one that followed last time */
} passage;

typedef struct patch {
  uint32_t now, was; /* patterns */
  int64_t x, y;      /* in patches */
  cell *corner;
  struct patch *near[5]; /* the last is itself */
} patch;

typedef struct memo {
  const agent *agent;
  world *w;
  uint32_t patterns, passages, patches; /* how many there are */
  uint64_t worked_out;                  /* cycles that all passages took */
  uint16_t pattern_at[2 * PATTERNS], passage_at[2 * PASSAGES], patch_at[2 * PATCHES]; /* number + 1; 0 is free */
  passage passage[PASSAGES];
  patch patch[PATCHES];
  cell cell_of[PATTERNS * CELLS]; /* by pattern */
} memo;

static uint64_t mixed(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

/* Where the next pattern is put together; NULL when there is no room for it. */
static cell *draft_of(memo *m) {
  return m->patterns == PATTERNS - 1 ? NULL : m->cell_of + m->patterns * CELLS;
}

/* The number of the pattern that stands in the draft. */
static uint32_t interned(memo *m) {
  size_t size = CELLS * sizeof(cell);
  const cell *draft = m->cell_of + m->patterns * CELLS;
  uint64_t h = 0, word;
  for (size_t i = 0; i < size; i += sizeof word) {
    memcpy(&word, (const char *)draft + i, sizeof word);
    h = mixed(h, word);
  }
  for (;; h++) {
    uint16_t *at = &m->pattern_at[h & (2 * PATTERNS - 1)];
    if (*at == 0) *at = (uint16_t)++m->patterns;
    if (memcmp(m->cell_of + (*at - 1u) * CELLS, draft, size) == 0) return *at - 1u;
  }
}

static void forget_patches(memo *m) {
  memset(m->patch_at, 0, sizeof m->patch_at);
  m->patches = 0;
}

static void forget_passages(memo *m) {
  memset(m->pattern_at, 0, sizeof m->pattern_at);
  memset(m->passage_at, 0, sizeof m->passage_at);
  m->patterns = m->passages = 0;
  memset(m->cell_of, 0, CELLS * sizeof(cell));
  interned(m); /* the blank pattern is number 0 */
}

static memo *new_memo(world *w, const agent *a) {
  memo *m = malloc(sizeof *m);
  if (m == NULL) return NULL;
  m->agent = a;
  m->w = w;
  forget_passages(m);
  return m;
}

/* Most patches that are met for the first time are blank. */
static int is_blank(const patch *p) {
  uint64_t any = 0, word;
  for (int64_t row = 0; row < PATCH_HIGH; row++)
    for (size_t i = 0; i < PATCH_WIDE * sizeof(cell); i += sizeof word) {
      memcpy(&word, (const char *)(p->corner + row * STRIDE) + i, sizeof word);
      any |= word;
    }
  return any == 0;
}

static int read_patch(memo *m, patch *p) {
  if (is_blank(p)) return 1;
  cell *draft = draft_of(m);
  if (draft == NULL) return 0;
  for (int64_t row = 0; row < PATCH_HIGH; row++)
    memcpy(draft + row * PATCH_WIDE, p->corner + row * STRIDE, PATCH_WIDE * sizeof(cell));
  p->now = p->was = interned(m);
  return 1;
}

/* The patch at (x, y), read from its tile if it is new; NULL where there is no room for it. */
RARELY patch *patch_for(memo *m, int64_t x, int64_t y, uint32_t state) {
  for (uint64_t h = mixed(mixed(0, (uint64_t)x), (uint64_t)y);; h++) {
    uint16_t *at = &m->patch_at[h & (2 * PATCHES - 1)];
    if (*at == 0) {
      if (m->patches == PATCHES) return NULL;
      int64_t left = x * PATCH_WIDE - MID_X, top = y * PATCH_HIGH - MID_Y;
      tile *t = find_tile(m->w, tile_x(left), tile_y(top));
      if (t == NULL && walks(m->agent, state, 0)) return NULL; /* single steps make no tiles there */
      if (t == NULL) t = tile_around(m->w, left, top);
      if (t == NULL) return NULL;
      patch *made = &m->patch[m->patches];
      *made = (patch){.x = x, .y = y, .corner = cell_at(t, left, top), .near[HERE] = made};
      if (!read_patch(m, made)) return NULL;
      *at = (uint16_t)++m->patches;
    }
    patch *known = &m->patch[*at - 1];
    if (known->x == x && known->y == y) return known;
  }
}

/* How a machine goes through a patch: from a state times cells plus cell to another, there or in the patch that
 * is entered next, by a side U D L R, or HERE. */
typedef struct way_through {
  uint32_t out, steps, side;
  uint64_t cycles; /* that it takes to work it out */
} way_through;

/* At most LONGEST steps, and none that ends the run or leaves its row by a border that rows do not have. */
static way_through go_through(const agent *a, cell *cells, uint32_t in) {
  uint32_t q = in / CELLS * a->columns, steps = 0, side = HERE;
  int64_t x = in % CELLS % PATCH_WIDE, y = in % CELLS / PATCH_WIDE;
  uint64_t cycles = 0;
  while (steps < LONGEST && side == HERE) {
    cell *c = cells + y * PATCH_WIDE + x;
    rule r = a->rules[q + *c];
    if (r.offset >= HALT) break;
    int64_t room[] = {y + 1, PATCH_HIGH - y, x + 1, PATCH_WIDE - x, 1}, most = LONGEST - steps, run = 0;
    uint32_t move = move_of(r);
    int self = r.next == q && r.offset != 0;
    if (!self) most = 1;
    if (most > room[move]) most = room[move];
    uint64_t same = r.bits & BUT_WRITE;
    do { /* a walk */
      *c = (cell)r.write;
      c += across[move] + down[move] * PATCH_WIDE;
      run++;
    } while (run < most && ((r = a->rules[q + *c]).bits & BUT_WRITE) == same);
    q = self ? q : state_after(r);
    x += across[move] * run;
    y += down[move] * run;
    steps += (uint32_t)run;
    cycles += NEW_STEP + (uint64_t)run;
    if (x < 0 || x >= PATCH_WIDE || y < 0 || y >= PATCH_HIGH) side = move;
  }
  uint32_t at = (uint32_t)((y + PATCH_HIGH) % PATCH_HIGH * PATCH_WIDE + (x + PATCH_WIDE) % PATCH_WIDE);
  return (way_through){q / a->columns * CELLS + at, steps, side, cycles};
}

/* Works a passage out on a copy of its pattern. */
static int work_out(memo *m, passage *made) {
  cell *draft = draft_of(m);
  if (draft == NULL) return 0;
  memcpy(draft, m->cell_of + made->from * CELLS, CELLS * sizeof(cell));
  way_through way = go_through(m->agent, draft, made->in);
  made->out = way.out;
  made->steps = way.steps;
  made->side = way.side;
  m->worked_out += way.cycles;
  made->to = interned(m);
  return 1;
}

/* NULL where there is no room for it. */
RARELY passage *passage_for(memo *m, uint32_t from, uint32_t in) {
  for (uint64_t h = mixed(0, (uint64_t)from << 32 | in);; h++) {
    uint16_t *at = &m->passage_at[h & (2 * PASSAGES - 1)];
    if (*at == 0) {
      if (m->passages == PASSAGES) return NULL;
      passage *made = &m->passage[m->passages];
      *made = (passage){.from = from, .in = in, .after = made};
      if (!work_out(m, made)) return NULL;
      *at = (uint16_t)++m->passages;
    }
    passage *known = &m->passage[*at - 1];
    if (known->from == from && known->in == in) return known;
  }
}

/* What the patches hold goes back to the tiles. */
static void write_back(memo *m) {
  for (uint32_t i = 0; i < m->patches; i++) {
    patch *p = &m->patch[i];
    if (p->now == p->was) continue;
    for (int64_t row = 0; row < PATCH_HIGH; row++)
      memcpy(p->corner + row * STRIDE, m->cell_of + p->now * CELLS + row * PATCH_WIDE, PATCH_WIDE * sizeof(cell));
  }
}

/* Where the machine stands at the end of macro steps. */
static void put_head(const memo *m, int64_t px, int64_t py, uint32_t in) {
  world *w = m->w;
  w->x = px * PATCH_WIDE - MID_X + in % CELLS % PATCH_WIDE;
  w->y = py * PATCH_HIGH - MID_Y + in % CELLS / PATCH_WIDE;
  w->state = (int32_t)(in / CELLS);
}

/* Macro steps as long as the machine leaves its patches within `budget` steps, and as all that they cost beyond
 * `each` cycles a step stays below `credit`. Where the machine then stands, single steps go on.
 * The cycles; `*paid` is whether they were worth it. */
static uint64_t macro_steps(memo *m, uint64_t budget, double each, double credit, uint64_t most, int *paid) {
  world *w = m->w;
  int64_t x = w->x + MID_X, y = w->y + MID_Y, px = floor_div(x, PATCH_WIDE), py = floor_div(y, PATCH_HIGH);
  uint32_t in = (uint32_t)w->state * CELLS + (uint32_t)((y - py * PATCH_HIGH) * PATCH_WIDE + x - px * PATCH_WIDE);
  if (m->patterns > PATTERNS * 7 / 8 || m->passages > PASSAGES * 7 / 8) forget_passages(m);
  forget_patches(m);
  patch *here = patch_for(m, px, py, (uint32_t)w->state);
  passage none = {.from = PATTERNS, .after = &none}, *last = &none;
  uint64_t left = budget, before = budget, cycles = NEW_PATCH, looked = 0;
  double debt = 0;
  while (here != NULL) {
    passage *now = last->after;
    cycles += FOLLOWED;
    if (now->from != here->now || now->in != in) {
      uint32_t known = m->passages;
      uint64_t steps = m->worked_out;
      now = passage_for(m, here->now, in);
      cycles += LOOKED_UP + (m->passages - known) * NEW_PASSAGE + m->worked_out - steps;
      if (now == NULL) break;
      last->after = now;
    }
    if (now->steps == 0 || now->steps > left) break;
    left -= now->steps;
    here->now = now->to;
    in = now->out;
    last = now;
    patch *next = here->near[now->side];
    if (next == NULL) {
      px = here->x + across[now->side];
      py = here->y + down[now->side];
      next = patch_for(m, px, py, in / CELLS);
      cycles += NEW_PATCH;
      if (next != NULL) {
        here->near[now->side] = next;
        next->near[now->side ^ 1] = here;
      }
    }
    here = next;
    if (cycles - looked < WINDOW) continue;
    debt += (double)(cycles - looked) - each * (double)(before - left);
    if (debt < 0) debt = 0;
    if (debt > credit || cycles > most) break;
    looked = cycles;
    before = left;
  }
  if (here != NULL) px = here->x, py = here->y;
  put_head(m, px, py, in);
  w->steps += budget - left;
  write_back(m);
  *paid = debt <= credit && (double)cycles < each * (double)(budget - left);
  return cycles;
}
