/* Macro steps: what a machine does between entering a patch of cells and leaving it depends on what stands in
 * the patch, on the cell where it enters and on its state. It is worked out once, remembered as a passage, and
 * looked up from then on. */

enum { PATTERNS = 1 << 11, PASSAGES = 1 << 12, PATCHES = 1 << 11 }; /* a megabyte; what is full begins anew */
enum { LONGEST = 1 << 12 };                                         /* steps that a passage may take */
enum { CREDIT = 256, MISS = 8 };                                    /* visits between looks at the clock; one that is new counts more */

typedef struct passage {
  uint32_t from, to; /* patterns */
  uint32_t in, out;  /* state times cells plus cell, here and in the patch that is entered next */
  uint32_t steps;    /* 0 where the machine does not leave */
  uint32_t side;     /* U D L R, by which it leaves */
  struct passage *after; /* the one that followed last time */
} passage;

typedef struct patch {
  uint32_t now, was; /* patterns */
  int64_t x, y;      /* in patches */
  cell *corner;
  struct patch *near[4];
} patch;

typedef struct memo {
  const agent *agent;
  world *w;
  int64_t wide, high; /* of a patch */
  uint32_t cells;
  uint32_t patterns, passages, patches; /* how many there are */
  uint16_t pattern_at[2 * PATTERNS], passage_at[2 * PASSAGES], patch_at[2 * PATCHES]; /* number + 1; 0 is free */
  passage passage[PASSAGES];
  patch patch[PATCHES];
  cell cell_of[]; /* by pattern */
} memo;

static uint64_t mixed(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

/* Where the next pattern is put together; NULL when there is no room for it. */
static cell *draft_of(memo *m) {
  return m->patterns == PATTERNS - 1 ? NULL : m->cell_of + m->patterns * m->cells;
}

/* The number of the pattern that stands in the draft. */
static uint32_t interned(memo *m) {
  size_t size = m->cells * sizeof(cell);
  const cell *draft = m->cell_of + m->patterns * m->cells;
  uint64_t h = 0, word;
  for (size_t i = 0; i < size; i += sizeof word) {
    memcpy(&word, (const char *)draft + i, sizeof word);
    h = mixed(h, word);
  }
  for (;; h++) {
    uint16_t *at = &m->pattern_at[h & (2 * PATTERNS - 1)];
    if (*at == 0) *at = (uint16_t)++m->patterns;
    if (memcmp(m->cell_of + (*at - 1u) * m->cells, draft, size) == 0) return *at - 1u;
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
  memset(m->cell_of, 0, m->cells * sizeof(cell));
  interned(m); /* the blank pattern is number 0 */
}

/* A patch lies within one tile. On one row it is long, so that most steps stay inside. */
static memo *new_memo(world *w, const agent *a) {
  int64_t wide = a->flat ? WIDE : HIGH, high = a->flat ? 1 : HIGH;
  memo *m = malloc(sizeof *m + (size_t)(PATTERNS * wide * high) * sizeof(cell));
  if (m == NULL) return NULL;
  m->agent = a;
  m->w = w;
  m->wide = wide;
  m->high = high;
  m->cells = (uint32_t)(wide * high);
  forget_passages(m);
  return m;
}

/* Most patches that are met for the first time are blank. */
static int is_blank(const memo *m, const patch *p) {
  uint64_t any = 0, word;
  for (int64_t row = 0; row < m->high; row++)
    for (size_t i = 0; i < (size_t)m->wide * sizeof(cell); i += sizeof word) {
      memcpy(&word, (const char *)(p->corner + row * STRIDE) + i, sizeof word);
      any |= word;
    }
  return any == 0;
}

static int read_patch(memo *m, patch *p) {
  if (is_blank(m, p)) return 1;
  cell *draft = draft_of(m);
  if (draft == NULL) return 0;
  for (int64_t row = 0; row < m->high; row++)
    memcpy(draft + row * m->wide, p->corner + row * STRIDE, (size_t)m->wide * sizeof(cell));
  p->now = p->was = interned(m);
  return 1;
}

/* The patch at (x, y), read from its tile if it is new; NULL where there is no room for it. */
RARELY patch *patch_for(memo *m, int64_t x, int64_t y, uint32_t state) {
  for (uint64_t h = mixed(mixed(0, (uint64_t)x), (uint64_t)y);; h++) {
    uint16_t *at = &m->patch_at[h & (2 * PATCHES - 1)];
    if (*at == 0) {
      if (m->patches == PATCHES) return NULL;
      int64_t tx = floor_div(x * m->wide, WIDE), ty = floor_div(y * m->high, HIGH);
      tile *t = find_tile(m->w, tx, ty);
      if (t == NULL && walks_on_blank(m->agent, state)) return NULL; /* single steps make no tiles there */
      if (t == NULL) t = get_tile(m->w, tx, ty);
      if (t == NULL) return NULL;
      patch *made = &m->patch[m->patches];
      *made = (patch){.x = x, .y = y, .corner = cell_at(t, x * m->wide, y * m->high)};
      if (!read_patch(m, made)) return NULL;
      *at = (uint16_t)++m->patches;
    }
    patch *known = &m->patch[*at - 1];
    if (known->x == x && known->y == y) return known;
  }
}

/* Works a passage out, a step at a time, on a copy of its pattern. */
static int work_out(memo *m, passage *made) {
  static const int dx[] = {0, 0, -1, 1, 0}, dy[] = {-1, 1, 0, 0, 0};
  const agent *a = m->agent;
  cell *draft = draft_of(m);
  if (draft == NULL) return 0;
  memcpy(draft, m->cell_of + made->from * m->cells, m->cells * sizeof(cell));
  uint32_t q = made->in / m->cells * a->symbols, at = made->in % m->cells;
  int64_t x = at % m->wide, y = at / m->wide;
  for (uint32_t steps = 1; steps <= LONGEST; steps++) {
    cell *c = draft + y * m->wide + x;
    rule r = a->rules[q + *c];
    if (move_of(r) > STAY) return 1; /* single steps end the run */
    *c = write_of(r);
    q = next_of(r);
    x += dx[move_of(r)];
    y += dy[move_of(r)];
    if (x >= 0 && x < m->wide && y >= 0 && y < m->high) continue;
    made->steps = steps;
    made->side = move_of(r);
    made->out = q / a->symbols * m->cells + (uint32_t)((y + m->high) % m->high * m->wide + (x + m->wide) % m->wide);
    made->to = interned(m);
    return 1;
  }
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
    for (int64_t row = 0; row < m->high; row++)
      memcpy(p->corner + row * STRIDE, m->cell_of + p->now * m->cells + row * m->wide, (size_t)m->wide * sizeof(cell));
  }
}

static double seconds(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Macro steps as long as they are quicker than `each` second a step, twice in a row, and the machine leaves its
 * patches within `budget` steps. Where the machine then stands, single steps go on. Whether it was quick. */
static int macro_steps(memo *m, uint64_t budget, double each) {
  static const int dx[] = {0, 0, -1, 1}, dy[] = {-1, 1, 0, 0};
  world *w = m->w;
  int64_t px = floor_div(w->x, m->wide), py = floor_div(w->y, m->high);
  uint32_t in = (uint32_t)w->state * m->cells + (uint32_t)((w->y - py * m->high) * m->wide + w->x - px * m->wide);
  if (m->patterns > PATTERNS * 7 / 8 || m->passages > PASSAGES * 7 / 8) forget_passages(m);
  forget_patches(m);
  patch *here = patch_for(m, px, py, (uint32_t)w->state);
  passage none = {.from = PATTERNS, .after = &none}, *last = &none;
  uint64_t left = budget, before = budget;
  int credit = CREDIT, slow = 0;
  double begun = seconds();
  while (here != NULL) {
    passage *now = last->after;
    if (now->from != here->now || now->in != in) {
      credit -= MISS;
      now = passage_for(m, here->now, in);
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
      px = here->x + dx[now->side];
      py = here->y + dy[now->side];
      next = patch_for(m, px, py, in / m->cells);
      if (next != NULL) {
        here->near[now->side] = next;
        next->near[now->side ^ 1] = here;
      }
    }
    here = next;
    if (--credit > 0) continue;
    double ended = seconds();
    slow = ended - begun > each * (double)(before - left) ? slow + 1 : 0;
    if (slow == 2) break;
    credit = CREDIT;
    before = left;
    begun = ended;
  }
  if (here != NULL) px = here->x, py = here->y;
  w->x = px * m->wide + in % m->cells % m->wide;
  w->y = py * m->high + in % m->cells / m->wide;
  w->state = (int32_t)(in / m->cells);
  w->steps += budget - left;
  write_back(m);
  return slow == 0;
}
