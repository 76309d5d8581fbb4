
/* At most `steps` steps; BUDGET with fewer where memory is spent. */
static int run(world *w, uint64_t steps) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  int outcome = BUDGET;
  tile *t = tile_around(w, 0, 0);
  cell *p = t == NULL ? NULL : cell_at(t, 0, 0);
  while (p != NULL && outcome == BUDGET && w->steps < steps) {
    const rule *r = &rules[w->state * SYMBOLS + *p];
    if (r->write < 0) {
      outcome = STUCK;
      break;
    }
    if (r->write == *p && r->move == 4) outcome = HALTED;
    *p = (cell)r->write;
    w->state = r->next;
    w->steps++;
    p += offsets[r->move];
    if (*p == w->edge) p = cross(w, &t, p, 1);
  }
  return outcome;
}

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

/* A box of more cells is read by nobody: an agent that walks far and leaves little can span far more. */
#define DRAWABLE UINT64_C(1000000000)

/* The smallest box around all that is not blank: left, top, right, bottom. The number of its cells. */
static int64_t box_of(const world *w, int64_t *box) {
  int64_t count = 0;
  for (uint64_t i = 0; i < w->capacity; i++) {
    const tile *t = w->table[i];
    for (int at = 0; t != NULL && at < WIDE * HIGH; at++) {
      int64_t x = left_of(t) + at % WIDE, y = top_of(t) + at / WIDE;
      if (*cell_at((tile *)t, x, y) == 0) continue;
      if (count == 0 || x < box[0]) box[0] = x;
      if (count == 0 || y < box[1]) box[1] = y;
      if (count == 0 || x > box[2]) box[2] = x;
      if (count == 0 || y > box[3]) box[3] = y;
      count++;
    }
  }
  return count;
}

static void print_row(const world *w, int64_t y, int64_t left, int64_t right) {
  for (int64_t x = left; x <= right;) {
    tile *t = find_tile(w, tile_x(x), tile_y(y));
    int64_t end = (tile_x(x) + 1) * WIDE - MID_X;
    for (; x <= right && x < end; x++) fputs(symbols[t == NULL ? 0 : *cell_at(t, x, y)], stdout);
  }
  putchar('\n');
}

/* The result, row by row: it needs no memory beside the world. */
static void print_result(const world *w) {
  int64_t box[4] = {0, 0, -1, -1}, count = box_of(w, box);
  uint64_t wide = (uint64_t)box[2] - (uint64_t)box[0] + 1, high = (uint64_t)box[3] - (uint64_t)box[1] + 1;
  if (count == 0) {
    putchar('\n');
  } else if (wide > DRAWABLE / high) {
    fprintf(stderr, "the result, %lld cells in a box of %llu x %llu, is too large to be printed\n", (long long)count,
            (unsigned long long)wide, (unsigned long long)high);
  } else {
    for (int64_t y = box[1]; y <= box[3]; y++) print_row(w, y, box[0], box[2]);
  }
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

/* Bytes for the world. */
#define WORLD_BYTES UINT64_C(256000000)

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
  world *w = grid_new(WORLD_BYTES, SYMBOLS);
  if (w == NULL || input == NULL || !put_input(w, input)) return 2;
  int outcome = run(w, steps);
  print_result(w);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("cannot write the result");
    return 2;
  }
  int spent = outcome == BUDGET && w->steps < steps;
  fprintf(stderr, "%s after %llu steps in state %s", spent ? "stopped" : outcomes[outcome],
          (unsigned long long)w->steps, states[w->state]);
  if (spent) fprintf(stderr, ": its memory budget of %d MB is spent", (int)(WORLD_BYTES / 1000000));
  fputc('\n', stderr);
  grid_free(w);
  free(typed);
  return outcome == HALTED ? 0 : 1;
}
