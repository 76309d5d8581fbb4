/* Merging the states of the prefix tree of noisy traces: what tests/support/tolerant_merger.py defines, step by step. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
  NOWHERE = -1,
  FEWEST = 4,     /* visits of a node from which on it may be a state */
  LOOKED_AT = 16, /* blue nodes that are looked at before one is chosen */
  COST = 10       /* records in common that one lost record outweighs */
};

typedef struct {
  int32_t symbols, depth, most;
  double share, spare;
} tolerance;

/* How often an action was recorded; the next one of the same edge. */
typedef struct { int32_t action, count, next; } tally;
typedef struct { int32_t child, tallies, visits; } edge;
typedef struct { int32_t one, other, depth; } pair;

typedef struct {
  const tolerance *how;
  int32_t *at; /* by node and symbol: its edge */
  edge *edges;
  tally *tallies; /* of all edges; an edge that is folded gives its own away, so that there are never more */
  int32_t nodes, number_of_edges, number_of_tallies;
  int32_t *red, *state; /* nodes by state, and states by node */
  int32_t states;
  pair *waiting;
  int32_t *met, *heads, number_of_met; /* edges that a comparison met, and what it counted on each */
  tally *counted;
  int32_t number_counted;
} merger;

static int32_t *slot(const merger *m, int32_t node, int32_t symbol) { return &m->at[(int64_t)node * m->how->symbols + symbol]; }

static int32_t new_node(merger *m) {
  for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) *slot(m, m->nodes, symbol) = NOWHERE;
  m->state[m->nodes] = NOWHERE;
  return m->nodes++;
}

/* The tally of an action in a list, or NULL. */
static tally *find(tally *all, int32_t head, int32_t action) {
  for (int32_t i = head; i != NOWHERE; i = all[i].next)
    if (all[i].action == action) return &all[i];
  return NULL;
}

static void count(tally *all, int32_t *number, int32_t *head, int32_t action, int32_t times) {
  tally *known = find(all, *head, action);
  if (known != NULL) {
    known->count += times;
    return;
  }
  all[*number] = (tally){action, times, *head};
  *head = (*number)++;
}

static int32_t most_of(const tally *all, int32_t head) {
  int32_t most = 0;
  for (int32_t i = head; i != NOWHERE; i = all[i].next)
    if (all[i].count > most) most = all[i].count;
  return most;
}

static void add_trace(merger *m, const int32_t *read, const int32_t *action, int32_t length) {
  int32_t node = 0;
  for (int32_t t = 0; t < length; t++) {
    int32_t *here = slot(m, node, read[t]);
    if (*here == NOWHERE) {
      *here = m->number_of_edges++;
      m->edges[*here] = (edge){NOWHERE, NOWHERE, 0};
    }
    edge *e = &m->edges[*here];
    e->visits++;
    count(m->tallies, &m->number_of_tallies, &e->tallies, action[t], 1);
    if (t + 1 < length) {
      if (e->child == NOWHERE) e->child = new_node(m);
      node = e->child;
    }
  }
}

/* What two trees have in common, and what of it is lost. */
static void compare(merger *m, int32_t red, int32_t blue, int64_t *common, int64_t *lost) {
  int32_t waiting = 0;
  m->number_of_met = m->number_counted = 0;
  m->waiting[waiting++] = (pair){red, blue, 1};
  while (waiting) {
    pair p = m->waiting[--waiting];
    for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) {
      int32_t known = *slot(m, p.one, symbol), other = *slot(m, p.other, symbol);
      if (known == NOWHERE || other == NOWHERE) continue;
      if (m->heads[known] == NOWHERE) m->met[m->number_of_met++] = known;
      for (int32_t i = m->edges[other].tallies; i != NOWHERE; i = m->tallies[i].next)
        count(m->counted, &m->number_counted, &m->heads[known], m->tallies[i].action, m->tallies[i].count);
      int32_t one = m->edges[known].child, two = m->edges[other].child;
      if (p.depth < m->how->depth && one != NOWHERE && two != NOWHERE) m->waiting[waiting++] = (pair){one, two, p.depth + 1};
    }
  }
  *common = *lost = 0;
  for (int32_t i = 0; i < m->number_of_met; i++) {
    const edge *known = &m->edges[m->met[i]];
    int32_t head = m->heads[m->met[i]], visits = 0, together = most_of(m->tallies, known->tallies);
    for (int32_t j = head; j != NOWHERE; j = m->counted[j].next) {
      const tally *same = find(m->tallies, known->tallies, m->counted[j].action);
      int32_t both = m->counted[j].count + (same != NULL ? same->count : 0);
      visits += m->counted[j].count;
      if (both > together) together = both;
    }
    *common += visits < known->visits ? visits : known->visits;
    *lost += most_of(m->tallies, known->tallies) + most_of(m->counted, head) - together;
    m->heads[m->met[i]] = NOWHERE;
  }
}

static void fold(merger *m, int32_t red, int32_t blue) {
  int32_t waiting = 0;
  m->waiting[waiting++] = (pair){red, blue, 0};
  while (waiting) {
    pair p = m->waiting[--waiting];
    for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) {
      int32_t other = *slot(m, p.other, symbol), *known = slot(m, p.one, symbol);
      if (other == NOWHERE) continue;
      if (*known == NOWHERE) {
        *known = other;
        continue;
      }
      edge *one = &m->edges[*known], *two = &m->edges[other];
      for (int32_t i = two->tallies, next; i != NOWHERE; i = next) {
        tally *same = find(m->tallies, one->tallies, m->tallies[i].action);
        next = m->tallies[i].next;
        if (same != NULL)
          same->count += m->tallies[i].count;
        else
          m->tallies[i].next = one->tallies, one->tallies = i;
      }
      one->visits += two->visits;
      if (two->child == NOWHERE) continue;
      if (one->child == NOWHERE)
        one->child = two->child;
      else
        m->waiting[waiting++] = (pair){one->child, two->child, 0};
    }
  }
}

/* The busiest blue edges, the busiest first; of equals the first. */
static int32_t look(const merger *m, int32_t *blue) {
  int32_t found = 0;
  for (int32_t state = 0; state < m->states; state++)
    for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) {
      int32_t number = *slot(m, m->red[state], symbol), place;
      if (number == NOWHERE) continue;
      const edge *e = &m->edges[number];
      if (e->child == NOWHERE || m->state[e->child] != NOWHERE || e->visits < FEWEST) continue;
      for (place = found; place > 0 && m->edges[blue[place - 1]].visits < e->visits; place--)
        if (place < LOOKED_AT) blue[place] = blue[place - 1];
      if (place < LOOKED_AT) blue[place] = number;
      if (found < LOOKED_AT) found++;
    }
  return found;
}

static int32_t rules_of(const merger *m, int32_t node) {
  int32_t rules = 0;
  for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) rules += *slot(m, node, symbol) != NOWHERE;
  return rules;
}

/* The state that a blue node fits best, or NOWHERE; the score of that. */
static int32_t best_state(merger *m, int32_t blue, double *score) {
  int32_t best = NOWHERE;
  double spare = m->how->spare * rules_of(m, blue);
  for (int32_t state = 0; state < m->states; state++) {
    int64_t common, lost;
    compare(m, m->red[state], blue, &common, &lost);
    if ((double)lost > m->how->share * (double)common + spare) continue;
    double here = (double)(common - COST * lost);
    if (best == NOWHERE || here > *score) best = state, *score = here;
  }
  return best;
}

/* One promotion or fold; 0 if nothing is left to do. */
static int step(merger *m) {
  int32_t blue[LOOKED_AT + 1], found = look(m, blue), chosen = NOWHERE, into = NOWHERE;
  double highest = 0;
  for (int32_t i = 0; i < found; i++) {
    double score = 0;
    edge *e = &m->edges[blue[i]];
    int32_t state = best_state(m, e->child, &score);
    if (state == NOWHERE) {
      if (m->states < m->how->most)
        m->state[e->child] = m->states, m->red[m->states++] = e->child;
      else
        e->child = NOWHERE;
      return 1;
    }
    if (chosen == NOWHERE || score > highest) chosen = blue[i], into = state, highest = score;
  }
  if (chosen == NOWHERE) return 0;
  int32_t node = m->edges[chosen].child;
  m->edges[chosen].child = m->red[into];
  fold(m, m->red[into], node);
  return 1;
}

static void tell(const merger *m, int32_t *action, int32_t *after, int32_t *visits) {
  for (int32_t state = 0; state < m->states; state++)
    for (int32_t symbol = 0; symbol < m->how->symbols; symbol++) {
      int64_t place = (int64_t)state * m->how->symbols + symbol;
      int32_t number = *slot(m, m->red[state], symbol), most = 0;
      action[place] = after[place] = NOWHERE, visits[place] = 0;
      if (number == NOWHERE) continue;
      const edge *e = &m->edges[number];
      for (int32_t i = e->tallies; i != NOWHERE; i = m->tallies[i].next) {
        const tally *t = &m->tallies[i];
        if (t->count > most || (t->count == most && t->action < action[place])) most = t->count, action[place] = t->action;
      }
      after[place] = e->child == NOWHERE ? NOWHERE : m->state[e->child], visits[place] = e->visits;
    }
}

/* The states that were found, their rows filled in; -1 without memory. */
int32_t tolerant_merge(const tolerance *how, int64_t traces, int64_t width, const int32_t *read, const int32_t *action,
                       const int32_t *length, int32_t *acts, int32_t *after, int32_t *visits) {
  int64_t steps = 1;
  for (int64_t i = 0; i < traces; i++) steps += length[i];
  merger m = {.how = how};
  m.at = malloc(steps * how->symbols * sizeof *m.at), m.edges = malloc(steps * sizeof *m.edges);
  m.tallies = malloc(steps * sizeof *m.tallies), m.counted = malloc(steps * sizeof *m.counted);
  m.red = malloc(how->most * sizeof *m.red), m.state = malloc(steps * sizeof *m.state);
  m.waiting = malloc(steps * sizeof *m.waiting), m.met = malloc(steps * sizeof *m.met), m.heads = malloc(steps * sizeof *m.heads);
  int32_t states = NOWHERE;
  if (m.at && m.edges && m.tallies && m.counted && m.red && m.state && m.waiting && m.met && m.heads) {
    memset(m.heads, 0xFF, steps * sizeof *m.heads);
    m.red[0] = new_node(&m), m.state[0] = 0, m.states = 1;
    for (int64_t i = 0; i < traces; i++) add_trace(&m, read + i * width, action + i * width, length[i]);
    while (step(&m)) {}
    tell(&m, acts, after, visits);
    states = m.states;
  }
  free(m.at), free(m.edges), free(m.tallies), free(m.counted), free(m.red);
  free(m.state), free(m.waiting), free(m.met), free(m.heads);
  return states;
}
