/* Pairs of states that two tables reach together. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STAY = 4, NONE = -1 };

typedef struct entry {
  int32_t write, move, next; /* NONE where nothing is defined */
} entry;

typedef struct together {
  int64_t *pairs; /* what is held times all pairs, plus LEFT's state times RIGHT's states plus RIGHT's */
  int32_t *from, *by; /* the number of the pair before, and the symbol */
  int64_t *at;        /* number + 1 by hash; 0 is free */
  int64_t count, room, slots;
  int64_t left_stuck, unobserved; /* branches that end so */
  int64_t differs, symbol;        /* the pair that differs, or NONE, and on which symbol */
} together;

static uint64_t spread(int64_t pair) {
  uint64_t h = (uint64_t)pair * 0x9E3779B97F4A7C15u;
  return h ^ h >> 32;
}

void together_free(together *t) {
  if (t == NULL) return;
  free(t->pairs);
  free(t->from);
  free(t->by);
  free(t->at);
  free(t);
}

static int grown(together *t) {
  t->room = t->room ? 2 * t->room : 1024;
  int64_t *pairs = realloc(t->pairs, (size_t)t->room * sizeof *pairs);
  if (pairs != NULL) t->pairs = pairs;
  int32_t *from = realloc(t->from, (size_t)t->room * sizeof *from);
  if (from != NULL) t->from = from;
  int32_t *by = realloc(t->by, (size_t)t->room * sizeof *by);
  if (by != NULL) t->by = by;
  free(t->at);
  t->slots = 2 * t->room;
  t->at = calloc((size_t)t->slots, sizeof *t->at);
  if (pairs == NULL || from == NULL || by == NULL || t->at == NULL) return 0;
  for (int64_t i = 0; i < t->count; i++) {
    uint64_t h = spread(t->pairs[i]);
    while (t->at[h & (uint64_t)(t->slots - 1)] != 0) h++;
    t->at[h & (uint64_t)(t->slots - 1)] = i + 1;
  }
  return 1;
}

/* Adds a pair that is new; 0 without memory. */
static int add(together *t, int64_t pair, int64_t from, int32_t by) {
  for (uint64_t h = spread(pair);; h++) {
    int64_t *at = &t->at[h & (uint64_t)(t->slots - 1)];
    if (*at != 0 && t->pairs[*at - 1] == pair) return 1;
    if (*at != 0) continue;
    *at = t->count + 1;
    t->pairs[t->count] = pair;
    t->from[t->count] = (int32_t)from;
    t->by[t->count] = by;
    return ++t->count < t->room || grown(t);
  }
}

enum { UNASKED, SAME, NEVER }; /* what is claimed where LEFT is stuck */

/* All pairs that two tables reach on the same reads, up to the first that differs, as joint_step.py says it;
 * one more than `most` are not looked at. On `worlds` a head that stays reads what it wrote: 1 + that symbol is
 * held. NULL without memory. */
together *together_new(const entry *left, const entry *right, int64_t left_states, int64_t right_states,
                       int32_t symbols, int32_t claim, int32_t observed, int32_t worlds, int64_t most) {
  together *t = calloc(1, sizeof *t);
  int64_t all = left_states * right_states;
  if (t == NULL) return NULL;
  t->differs = NONE;
  if (!grown(t) || !add(t, 0, NONE, 0)) goto failed;
  for (int64_t i = 0; i < t->count && t->count <= most; i++) {
    int64_t pair = t->pairs[i] % all, p = pair / right_states, q = pair % right_states;
    int32_t held = (int32_t)(t->pairs[i] / all);
    for (int32_t x = held ? held - 1 : 0; x < (held ? held : symbols); x++) {
      const entry *mine = &left[p * symbols + x], *other = &right[q * symbols + x];
      int differs;
      if (mine->write == NONE) {
        differs = claim == NEVER || (claim == SAME && other->write != NONE);
        t->left_stuck += !differs;
      } else {
        differs = mine->write != other->write || mine->move != other->move;
      }
      if (differs && observed && other->write == NONE) {
        t->unobserved++;
      } else if (differs) {
        t->differs = i;
        t->symbol = x;
        return t;
      } else if (mine->write != NONE && (mine->move != STAY || mine->write != x)) {
        int64_t after = mine->next * right_states + other->next;
        if (worlds && mine->move == STAY) after += (1 + mine->write) * all;
        if (!add(t, after, i, x)) goto failed;
      }
    }
  }
  return t;
failed:
  together_free(t);
  return NULL;
}

/* How many pairs, where they differ and on which symbol, and how many branches ended so. */
void together_counts(const together *t, int64_t *counts) {
  counts[0] = t->count;
  counts[1] = t->differs;
  counts[2] = t->symbol;
  counts[3] = t->left_stuck;
  counts[4] = t->unobserved;
}

void together_pairs(const together *t, int64_t *pairs) { memcpy(pairs, t->pairs, (size_t)t->count * sizeof *pairs); }

/* The symbols on the way to a pair, the last first; how many. */
int64_t together_path(const together *t, int64_t pair, int32_t *symbols) {
  int64_t count = 0;
  for (; t->from[pair] != NONE; pair = t->from[pair]) symbols[count++] = t->by[pair];
  return count;
}
