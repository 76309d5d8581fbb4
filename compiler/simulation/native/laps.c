/* Laps: what the steps of a loop leave, by all that can stand in its cells and by the state it begins in.
 * From the lowest bit: whether the lap goes its way, LAP_BITS a cell that it can change, the place of the
 * state among those of its block. */
typedef struct way {
  int steps, cells;
  const uint8_t *moves, *cell; /* of each step */
  int changes;
  const uint8_t *changed; /* cells */
  uint32_t count;
  const uint32_t *states; /* times SYMBOLS */
} way;

enum { MOST_CELLS = 16 };
/* failures on end after which laps are not tried for a while */
enum { TRUST = 16, DISTRUST = -256 };

static lap lap_of(const way *a, const cell *before, uint32_t q) {
  cell held[MOST_CELLS];
  memcpy(held, before, sizeof held);
  for (int i = 0; i < a->steps; i++) {
    cell *c = &held[a->cell[i]];
    uint32_t pair = q + *c;
    if (moves[pair] != a->moves[i]) return 0;
    *c = writes[pair];
    q = nexts[pair];
  }
  uint32_t place = places[q / SYMBOLS];
  if (place >= a->count || a->states[place] != q) return 0;
  lap e = (lap)place;
  for (int i = a->changes; i-- > 0; held[a->changed[i]] = before[a->changed[i]])
    e = (lap)(e << LAP_BITS | held[a->changed[i]]);
  return memcmp(held, before, sizeof held) == 0 ? (lap)(e << 1 | 1) : 0; /* another family may change another cell */
}

static void fill_laps(lap *laps, const way *a) {
  cell held[MOST_CELLS] = {0};
  for (;;) {
    for (uint32_t i = 0; i < a->count; i++) *laps++ = lap_of(a, held, a->states[i]);
    int digit = a->cells - 1;
    while (digit >= 0 && ++held[digit] == SYMBOLS) held[digit--] = 0;
    if (digit < 0) return;
  }
}

