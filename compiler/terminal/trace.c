/* The lines of a trace, as compiler/terminal/run_output.py makes them: what differs from step to step is
 * put before the text of a pair of state and symbol. */

#include <stdint.h>
#include <string.h>

typedef struct place {
  int64_t step, x, y, state;
} place;

static char *number(char *out, int64_t value) {
  char digits[20];
  int count = 0;
  uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  if (value < 0) *out++ = '-';
  do digits[count++] = (char)('0' + rest % 10);
  while (rest /= 10);
  while (count > 0) *out++ = digits[--count];
  return out;
}

static char *text(char *out, const char *words) {
  size_t size = strlen(words);
  memcpy(out, words, size);
  return out + size;
}

/* The number of the step to the right of `digits` columns, and the cell in ten or more. */
static char *plain(char *out, const place *at, int64_t digits) {
  char counted[24];
  int64_t size = number(counted, at->step) - counted;
  while (digits-- > size) *out++ = ' ';
  memcpy(out, counted, (size_t)size);
  char *begin = text(out + size, "  ("), *end = begin + 9;
  out = text(number(text(number(begin, at->x), ", "), at->y), ")");
  while (out < end) *out++ = ' ';
  return out;
}

static char *json(char *out, const place *at) {
  out = text(number(text(out, "{\"step\": "), at->step), ", \"cell\": [");
  return text(number(text(number(out, at->x), ", "), at->y), "]");
}

/* Writes lines while there is room for the longest; gives how many, and their bytes. `digits` is 0 for JSON. */
int64_t trace_lines(place *at, int64_t count, const int16_t *reads, int64_t symbols, const int32_t *nexts,
                    const int8_t *moves, const char *texts, const int64_t *offsets, int64_t digits, int64_t longest,
                    char *out, int64_t room, int64_t *size) {
  static const int dx[] = {0, 0, -1, 1, 0}, dy[] = {-1, 1, 0, 0, 0};
  char *start = out;
  int64_t done = 0;
  for (; done < count && room - (out - start) >= longest; done++) {
    int64_t pair = at->state * symbols + reads[done], length = offsets[pair + 1] - offsets[pair];
    at->step++;
    out = digits ? plain(out, at, digits) : json(out, at);
    memcpy(out, texts + offsets[pair], (size_t)length);
    out += length;
    at->x += dx[moves[pair]];
    at->y += dy[moves[pair]];
    at->state = nexts[pair];
  }
  *size = out - start;
  return done;
}
