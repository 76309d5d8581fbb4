/* NAMES */
static int symbol_of(const char **text) {
  for (int i = 0; i < SYMBOLS; i++) {
    size_t size = strlen(symbols[i]);
    if (strncmp(*text, symbols[i], size) == 0) {
      *text += size;
      return i;
    }
  }
  return -1;
}

static int put_input(world *w, const char *text) {
  const char *at = text;
  for (int64_t x = 0; *at != '\0' && *at != '\n'; x++) {
    int32_t symbol = symbol_of(&at);
    int64_t y = 0;
    if (symbol < 0) {
      fprintf(stderr, "character %d of the input is not in the alphabet\n", (int)(at - text) + 1);
      return 0;
    }
    if (!grid_put(w, 1, &x, &y, &symbol)) return 0;
  }
  return 1;
}

static int symbol_at(const world *w, int64_t x, int64_t y) {
  tile *t = find_tile(w, floor_div(x, WIDE), floor_div(y, HIGH));
  return t == NULL ? 0 : *cell_at(t, x, y);
}

/* A box of more cells is read by nobody. */
#define DRAWABLE UINT64_C(25000000)

static void too_large(int64_t count) {
  fprintf(stderr, "the result, of %lld cells, is too large to be printed\n", (long long)count);
}

/* The smallest box around all that is not blank. */
static void print_result(const world *w) {
  int64_t count = grid_cells(w, NULL, NULL, NULL);
  if ((uint64_t)count > DRAWABLE) {
    too_large(count);
    return;
  }
  size_t room = (size_t)count + 1;
  int64_t *xs = malloc(room * sizeof *xs), *ys = malloc(room * sizeof *ys);
  int32_t *held = malloc(room * sizeof *held);
  if (xs == NULL || ys == NULL || held == NULL) exit(3);
  grid_cells(w, xs, ys, held);
  int64_t left = 0, right = -1, top = 0, bottom = -1;
  for (int64_t i = 0; i < count; i++) {
    if (i == 0 || xs[i] < left) left = xs[i];
    if (i == 0 || xs[i] > right) right = xs[i];
    if (i == 0 || ys[i] < top) top = ys[i];
    if (i == 0 || ys[i] > bottom) bottom = ys[i];
  }
  uint64_t wide = (uint64_t)right - (uint64_t)left + 1, high = (uint64_t)bottom - (uint64_t)top + 1;
  int large = count > 0 && wide > DRAWABLE / high;
  if (large) too_large(count);
  for (int64_t y = top; !large && y <= bottom; y++) {
    for (int64_t x = left; x <= right; x++) fputs(symbols[symbol_at(w, x, y)], stdout);
    putchar('\n');
  }
  if (count == 0) putchar('\n');
  free(xs);
  free(ys);
  free(held);
}

/* NULL where there is no memory, or the line has no end. */
#define LONGEST_LINE 4000000
static char *read_line(void) {
  size_t size = 0, room = 256;
  char *text = malloc(room);
  for (int c; text != NULL && (c = getchar()) != EOF && c != '\n';) {
    if (size == LONGEST_LINE) {
      fprintf(stderr, "the input has more than %d bytes\n", LONGEST_LINE);
      free(text);
      return NULL;
    }
    if (size + 2 > room) text = realloc(text, room *= 2);
    if (text != NULL) text[size++] = (char)c;
  }
  if (text != NULL) text[size] = '\0';
  return text;
}

/* At most 350 MB of tiles. */
#define TILES (UINT64_C(1) << 18)

/* Usage: program [INPUT [STEPS]]; without INPUT it is read from stdin. Exits with 0 if it halted. */
int main(int argc, char **argv) {
  static const char *const outcomes[] = {"", "halted", "stuck", "still running"};
  char *typed = argc > 1 ? NULL : read_line();
  const char *input = argc > 1 ? argv[1] : typed;
  uint64_t steps = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000000000u;
  if (steps > INT64_MAX) {
    fprintf(stderr, "steps are counted up to %lld\n", (long long)INT64_MAX);
    return 2;
  }
  world *w = grid_new(TILES);
  if (w == NULL || input == NULL || !put_input(w, input)) return 2;
  grid_start(w, 0, 0);
  int outcome = grid_go(w, steps);
  print_result(w);
  fprintf(stderr, "%s after %llu steps in state %s\n", outcomes[outcome], (unsigned long long)w->steps,
          states[w->state]);
  grid_free(w);
  free(typed);
  return outcome == HALTED ? 0 : 1;
}
