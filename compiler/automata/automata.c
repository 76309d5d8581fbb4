/* Tables as graphs: pairs of states that two tables reach together, and states that do the same for ever. */

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

/* A partition that is refined: sets are marked, then split into what is marked and the rest, of which the smaller
 * is the new set (Valmari, Fast brief practical DFA minimization, 2012). */
typedef struct partition {
  int32_t sets, touched;
  int32_t *elements, *place, *set; /* elements set by set; where each is; its set */
  int32_t *first, *past, *marked;  /* of each set */
  int32_t *waiting;                /* sets with marks */
} partition;

static int make_partition(partition *p, int64_t size) {
  int32_t *all = malloc(7 * (size_t)(size + 1) * sizeof *all);
  *p = (partition){.elements = all};
  if (all == NULL) return 0;
  int32_t **parts[] = {&p->place, &p->set, &p->first, &p->past, &p->marked, &p->waiting};
  for (int i = 0; i < 6; i++) *parts[i] = all + (i + 1) * (size + 1);
  return 1;
}

/* Elements by their sets, which are given. */
static void fill(partition *p, int64_t size, int32_t sets) {
  p->sets = sets;
  memset(p->past, 0, (size_t)(sets + 1) * sizeof *p->past);
  memset(p->marked, 0, (size_t)(size + 1) * sizeof *p->marked);
  for (int64_t e = 0; e < size; e++) p->past[p->set[e]]++;
  for (int32_t s = 0, sum = 0; s < sets; s++) {
    p->first[s] = sum;
    sum += p->past[s];
    p->past[s] = p->first[s];
  }
  for (int32_t e = 0; e < size; e++) {
    p->place[e] = p->past[p->set[e]]++;
    p->elements[p->place[e]] = e;
  }
}

static void mark(partition *p, int32_t e) {
  int32_t s = p->set[e], i = p->place[e], j = p->first[s] + p->marked[s];
  p->elements[i] = p->elements[j];
  p->place[p->elements[i]] = i;
  p->elements[j] = e;
  p->place[e] = j;
  if (p->marked[s]++ == 0) p->waiting[p->touched++] = s;
}

static void split(partition *p) {
  while (p->touched > 0) {
    int32_t s = p->waiting[--p->touched], middle = p->first[s] + p->marked[s], new = p->sets;
    p->marked[s] = 0;
    if (middle == p->past[s]) continue;
    if (middle - p->first[s] <= p->past[s] - middle) {
      p->first[new] = p->first[s];
      p->past[new] = p->first[s] = middle;
    } else {
      p->past[new] = p->past[s];
      p->first[new] = p->past[s] = middle;
    }
    for (int32_t i = p->first[new]; i < p->past[new]; i++) p->set[p->elements[i]] = new;
    p->marked[new] = 0;
    p->sets++;
  }
}

/* States with the same actions on all symbols get the same set; 0 without memory. */
static int by_actions(const int32_t *write, const int32_t *move, int64_t states, int32_t symbols, partition *p) {
  int64_t slots = 4;
  while (slots < 2 * states) slots *= 2;
  int32_t *at = malloc((size_t)slots * sizeof *at), sets = 0;
  if (at == NULL) return 0;
  memset(at, 255, (size_t)slots * sizeof *at);
  for (int64_t q = 0; q < states; q++) {
    const int32_t *w = write + q * symbols, *m = move + q * symbols;
    uint64_t h = 0;
    for (int32_t x = 0; x < symbols; x++) h = (h ^ (uint64_t)(uint32_t)w[x] << 8 ^ (uint32_t)m[x]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
    for (;; h++) {
      int32_t *found = &at[h & (uint64_t)(slots - 1)];
      if (*found == NONE) {
        *found = (int32_t)q;
        p->set[q] = sets++;
        break;
      }
      size_t size = (size_t)symbols * sizeof *w;
      int64_t known = (int64_t)*found * symbols;
      if (memcmp(w, write + known, size) != 0 || memcmp(m, move + known, size) != 0) continue;
      p->set[q] = p->set[*found];
      break;
    }
  }
  free(at);
  fill(p, states, sets);
  return 1;
}

/* The first state that does the same for ever as each, of tables states times symbols with -1 where nothing is
 * known, or follows; 0 without memory. */
int equivalent(const int32_t *write, const int32_t *move, const int32_t *next, int64_t states, int32_t symbols,
               int32_t *firsts) {
  int64_t edges = 0, cells = states * symbols;
  for (int64_t i = 0; i < cells; i++) edges += next[i] >= 0;
  partition blocks, cords; /* of states, and of edges: sets of one symbol into one block */
  int32_t *tail = malloc((size_t)(2 * edges + states + 2) * sizeof *tail);
  int32_t *into = tail + edges, *begin = into + edges; /* edges by their heads, and where those of each begin */
  int fits = make_partition(&blocks, states) & make_partition(&cords, edges) & (tail != NULL);
  if (!fits || !by_actions(write, move, states, symbols, &blocks)) {
    fits = 0;
    goto done;
  }
  memset(begin, 0, (size_t)(states + 2) * sizeof *begin);
  for (int64_t i = 0; i < cells; i++)
    if (next[i] >= 0) begin[next[i] + 2]++;
  for (int64_t q = 2; q < states + 2; q++) begin[q] += begin[q - 1];
  int32_t e = 0, labels = 0;
  for (int32_t x = 0; x < symbols; x++) {
    int32_t before = e;
    for (int64_t q = 0; q < states; q++) {
      int32_t head = next[q * symbols + x];
      if (head < 0) continue;
      tail[e] = (int32_t)q;
      cords.set[e] = labels;
      into[begin[head + 1]++] = e++;
    }
    labels += e > before;
  }
  fill(&cords, edges, labels);
  for (int32_t b = 1, c = 0; c < cords.sets || b < blocks.sets;) {
    while (b < blocks.sets) {
      for (int32_t i = blocks.first[b]; i < blocks.past[b]; i++) {
        int32_t q = blocks.elements[i];
        for (int32_t j = begin[q]; j < begin[q + 1]; j++) mark(&cords, into[j]);
      }
      split(&cords);
      b++;
    }
    if (c == cords.sets) break;
    for (int32_t i = cords.first[c]; i < cords.past[c]; i++) mark(&blocks, tail[cords.elements[i]]);
    split(&blocks);
    c++;
  }
  for (int32_t s = 0; s < blocks.sets; s++) blocks.marked[s] = NONE;
  for (int32_t q = 0; q < states; q++) {
    int32_t *first = &blocks.marked[blocks.set[q]];
    if (*first == NONE) *first = q;
    firsts[q] = *first;
  }
done:
  free(blocks.elements);
  free(cords.elements);
  free(tail);
  return fits;
}
