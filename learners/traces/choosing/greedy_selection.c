/* The greedy choice of rows, and what they show: what greedy_selection.py defines, mark by mark.
 *
 * All that any row shows has a number, by a hash of its mark; so a row is a list of numbers without repetition. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* DEPTH and RATIO_BITS are given from Python. */
#define MIX 0x9E3779B97F4A7C15u

typedef struct selection {
  int64_t *keys;    /* of the hash, whose capacity is a power of two */
  int32_t *numbers; /* of a key: 1 + its number, or 0 */
  int64_t capacity, count, rows;
  int64_t *stamp; /* of a number: the last row that shows it */
  int64_t *value;
} selection;

void selection_free(selection *s) { free(s->keys), free(s->numbers), free(s->stamp), free(s->value), free(s); }

static int64_t slot_of(const selection *s, int64_t key) {
  uint64_t at = (uint64_t)key * MIX;
  for (at ^= at >> 32;; at++) {
    int64_t slot = (int64_t)(at & (uint64_t)(s->capacity - 1));
    if (s->numbers[slot] == 0 || s->keys[slot] == key) return slot;
  }
}

static int grow(selection *s) {
  selection old = *s;
  s->capacity = old.capacity == 0 ? 1 << 16 : 2 * old.capacity;
  size_t size = (size_t)s->capacity;
  int64_t *stamp = realloc(s->stamp, size * sizeof *stamp), *value = NULL;
  if (stamp != NULL) s->stamp = stamp, value = realloc(s->value, size * sizeof *value);
  if (value != NULL) s->value = value;
  s->keys = malloc(size * sizeof *s->keys);
  s->numbers = calloc(size, sizeof *s->numbers);
  int good = value != NULL && s->keys != NULL && s->numbers != NULL;
  if (good)
    for (int64_t i = 0; i < old.capacity; i++)
      if (old.numbers[i] != 0) {
        int64_t slot = slot_of(s, old.keys[i]);
        s->keys[slot] = old.keys[i], s->numbers[slot] = old.numbers[i];
      }
  free(old.keys), free(old.numbers);
  return good;
}

selection *selection_new(void) {
  selection *s = calloc(1, sizeof *s);
  if (s != NULL && !grow(s)) {
    selection_free(s);
    s = NULL;
  }
  return s;
}

/* Puts the number of a mark into the list of the row, unless it is there; how long that is then, -1 without memory. */
static int64_t add(selection *s, int64_t mark, int depth, int32_t *list, int64_t length) {
  int64_t slot = slot_of(s, mark);
  if (s->numbers[slot] == 0) {
    if (2 * s->count >= s->capacity) {
      if (!grow(s)) return -1;
      slot = slot_of(s, mark);
    }
    s->value[s->count] = (int64_t)1 << RATIO_BITS * (depth == 0 ? DEPTH : DEPTH - 1 - depth);
    s->stamp[s->count] = -1;
    s->keys[slot] = mark, s->numbers[slot] = (int32_t)++s->count;
  }
  int32_t number = s->numbers[slot] - 1;
  if (s->stamp[number] == s->rows) return length;
  s->stamp[number] = s->rows;
  list[length] = number;
  return length + 1;
}

/* What rows of `wide` rules show, which end with the first that is negative. `list` has room for DEPTH numbers a rule, `room`
 * for three numbers; `ends` are told. 0 without memory. */
int selection_shown(selection *s, const int64_t *rules, int64_t rows, int64_t wide, int64_t symbols, int32_t *list,
                    int64_t *ends, uint64_t *room) {
  uint64_t *stays = room, *way = room + wide, *stay = room + 2 * wide;
  int64_t length = 0;
  for (int64_t row = 0; row < rows; row++, s->rows++) {
    const int64_t *steps = rules + row * wide;
    int64_t count = 0, known = 0;
    for (; count < wide && steps[count] >= 0; count++) {
      uint64_t state = (uint64_t)(steps[count] / symbols);
      if (count == 0 || state != stays[known - 1]) way[known] = stays[known] = state, known++;
      stay[count] = (uint64_t)(known - 1);
      length = add(s, steps[count], 0, list, length);
      if (length < 0) return 0;
    }
    for (int depth = 1; depth < DEPTH; depth++) {
      for (int64_t i = depth; i < known; i++) way[i] = way[i] * MIX + stays[i - depth] + (uint64_t)depth;
      for (int64_t i = 0; i < count; i++) {
        if (stay[i] < (uint64_t)depth) continue;
        uint64_t ways = (way[stay[i]] * MIX + (uint64_t)steps[i]) * MIX;
        length = add(s, -1 - (int64_t)(ways >> 5) * DEPTH - depth, depth, list, length);
        if (length < 0) return 0;
      }
    }
    ends[row] = length;
  }
  return 1;
}

typedef struct choice {
  int64_t gain, row;
} choice;

static int before(choice a, choice b) { return a.gain > b.gain || (a.gain == b.gain && a.row < b.row); }

static void sink(choice *heap, int64_t size, int64_t at) {
  for (;;) {
    int64_t best = at, left = 2 * at + 1, right = left + 1;
    if (left < size && before(heap[left], heap[best])) best = left;
    if (right < size && before(heap[right], heap[best])) best = right;
    if (best == at) return;
    choice moved = heap[at];
    heap[at] = heap[best], heap[best] = moved, at = best;
  }
}

static int64_t gain_of(const int64_t *wanted, const int32_t *items, const int64_t *ends, int64_t row) {
  int64_t gain = 0;
  for (int64_t i = row == 0 ? 0 : ends[row - 1]; i < ends[row]; i++) gain += wanted[items[i]];
  return gain;
}

/* At most `most` of the rows in the order of choice, in `passes` passes; how many, -1 without memory. */
int64_t selection_spread(const selection *s, const int32_t *items, const int64_t *ends, int64_t rows, const int32_t *seen,
                         int64_t seen_items, int64_t passes, int64_t most, int64_t *chosen) {
  size_t numbers = (size_t)s->count + 1;
  int64_t *wanted = malloc(numbers * sizeof *wanted), count = 0;
  choice *heap = malloc(((size_t)rows + 1) * sizeof *heap);
  uint8_t *taken = calloc((size_t)rows + 1, 1);
  int good = wanted != NULL && heap != NULL && taken != NULL;
  for (int64_t pass = 0; good && pass < passes && count < most; pass++) {
    memcpy(wanted, s->value, (numbers - 1) * sizeof *wanted);
    for (int64_t i = 0; pass == 0 && i < seen_items; i++) wanted[seen[i]] = 0;
    int64_t size = 0;
    for (int64_t row = 0; row < rows; row++) {
      int64_t gain = taken[row] ? 0 : gain_of(wanted, items, ends, row);
      if (gain > 0) heap[size++] = (choice){gain, row};
    }
    for (int64_t i = size / 2; i-- > 0;) sink(heap, size, i);
    while (size > 0 && count < most) {
      int64_t row = heap[0].row, gain = gain_of(wanted, items, ends, row);
      if (gain > 0 && gain == heap[0].gain) {
        chosen[count++] = row;
        taken[row] = 1;
        for (int64_t i = row == 0 ? 0 : ends[row - 1]; i < ends[row]; i++) wanted[items[i]] = 0;
        gain = 0;
      }
      heap[0] = gain > 0 ? (choice){gain, row} : heap[--size];
      sink(heap, size, 0);
    }
  }
  for (int64_t row = 0; good && row < rows && count < most; row++)
    if (!taken[row]) chosen[count++] = row;
  free(wanted), free(heap), free(taken);
  return good ? count : -1;
}
