/* A world that grows under an agent's walk, of the symbols that its rules have used least: what `grown_by_use` in
 * random_worlds.py defines, number by number. Its cells hold 0 until they are first read, and then 1 + symbol. */

enum { NONE = -1, STAY = 4, TILES = 4000 /* 20 MB, far more than a walk of some thousand steps comes to */ };

typedef struct rule {
  int32_t write, move, next; /* NONE where there is none */
} rule;

typedef struct walk {
  const rule *rules;
  int64_t symbols;
  int64_t *uses;             /* (states, symbols) */
  const double *preferred;   /* of each symbol */
  const double *drawn;       /* numbers below one; each choice takes the next */
  double *sums;              /* room for a number a symbol */
  int64_t *xs, *ys;          /* the cells in the order in which they were read */
  int32_t *chosen;
  int64_t cells;
} walk;

/* `random.choices` of Python: among the symbols with a rule, by their weights; NONE where there is no rule. */
static int choose(const walk *w, const rule *row, const int64_t *uses, double drawn) {
  int64_t known = 0, some = 0;
  double total = 0;
  for (int64_t x = 0; x < w->symbols; x++) {
    if (row[x].write == NONE) continue;
    double weight = w->preferred[x] / (double)(1 + uses[x]);
    total = known == 0 ? weight : total + weight;
    some |= weight != 0;
    w->sums[known++] = total;
  }
  if (known == 0) return NONE;
  int64_t place = 0;
  if (some)
    while (place < known - 1 && w->sums[place] <= drawn * total) place++;
  else
    place = (int64_t)(drawn * (double)known);
  for (int x = 0; x < w->symbols; x++)
    if (row[x].write != NONE && place-- == 0) return x;
  return NONE;
}

/* The walk, of at most `steps` steps; 0 without memory. */
int grow(walk *w, int64_t steps) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  world *g = grid_new(TILES);
  tile *here = g == NULL ? NULL : get_tile(g, 0, 0);
  cell *p = here == NULL ? NULL : cell_at(here, 0, 0);
  int64_t state = 0;
  w->cells = 0;
  for (; steps > 0; steps--) {
    if (p != NULL && *p == EDGE) p = cross(g, &here, p);
    if (p == NULL) break;
    const rule *row = w->rules + state * w->symbols;
    int64_t *uses = w->uses + state * w->symbols;
    int symbol = *p - 1;
    if (symbol == NONE) {
      symbol = choose(w, row, uses, w->drawn[w->cells]);
      if (symbol == NONE) break;
      w->xs[w->cells] = column_of(here, p), w->ys[w->cells] = row_of(here, p);
      w->chosen[w->cells++] = symbol;
    }
    const rule *now = &row[symbol];
    if (now->write == NONE) break;
    uses[symbol]++;
    if (now->move == STAY && now->write == symbol) break;
    *p = (cell)(1 + now->write);
    p += offsets[now->move];
    state = now->next;
  }
  if (g != NULL) grid_free(g);
  return p != NULL;
}
