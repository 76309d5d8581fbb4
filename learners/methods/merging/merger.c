/* Red-blue merging of a prefix tree's states: what compiler/automata/state_merger.py defines, step by step.
 *
 * A blue tree is folded into a red node edge by edge: what is known twice must agree, what is new is grafted. Folds are undone
 * from a log. Scores are kept: nodes only gain edges, so what disagrees once disagrees for ever, and an edge from a red node to a
 * red one never changes; so a score can change only where its fold met a slot of a red node that was empty or led to a blue
 * tree. Slots are remembered by their number modulo 64. A state that is silent on all that a blue node itself reads has score 0
 * without a fold. */

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, APART = -1, UNKNOWN = -2, MOVES = 5, NO_MEMORY = -1, SLOTS = 64 };

typedef struct edge {
  int32_t symbol, action, target, next;
} edge;

typedef struct node {
  int32_t head;   /* its first edge, of those that are not red */
  int32_t state;  /* or NONE */
  int32_t parent; /* of one that is not red */
  int32_t size;   /* the edges of the tree below it */
  int32_t place;  /* of a blue one: where it is in `blue`, else NONE */
} node;

typedef struct graft {
  int32_t node, edge;
} graft;

typedef struct pair {
  int32_t kept, folded;
} pair;

typedef struct state {
  int32_t node, popular; /* popular: the red edges that lead to it */
} state;

typedef struct candidate {
  int32_t red, score; /* how many edges agree, or UNKNOWN */
  uint64_t met;       /* the slots that the score depends on */
} candidate;

typedef struct blue {
  int32_t node, slot;   /* of the red edge that leads to it: state times symbols plus symbol */
  candidate *candidate; /* the states that agree with it in some edge, in order */
  int64_t candidates, room, turn; /* turn: when it was rated */
  int32_t tried;         /* The states below this one are candidates, or silent, or disagree. */
  int32_t silent;        /* the states of which nothing is known that it does itself: it may be any of them, with score 0 */
  int32_t score, second; /* the best and the next, APART without one */
  uint64_t met;          /* the slots that its candidates depend on */
} blue;

typedef struct merger {
  int32_t symbols, reds;
  int64_t red_room, blues, blue_room, edges, edge_room, grafts;
  int64_t turn;
  uint64_t *changed; /* the slots that a turn has changed */
  edge *edge;
  node *node;
  state *red;
  int32_t *row;   /* (states, symbols): an edge, or NONE */
  int32_t **does; /* (symbols, states): the action, or UNKNOWN; by symbol, as a new blue node is held to all states */
  blue *blue;
  graft *graft; /* of the last fold */
  pair *pair;
  uint64_t met; /* the slots at which the last fold may end otherwise once they change */
  jmp_buf no_memory;
} merger;

/* The array, with room for one more. */
static void *enough(merger *m, void *items, int64_t *room, int64_t used, size_t size) {
  if (used < *room) return items;
  int64_t wanted = used < 8 ? 16 : 2 * used;
  void *larger = realloc(items, (size_t)wanted * size);
  if (larger == NULL) longjmp(m->no_memory, 1);
  *room = wanted;
  return larger;
}

static uint64_t bit(int32_t slot) { return (uint64_t)1 << (slot % SLOTS); }

static int32_t *slot_of(const merger *m, int32_t red, int32_t symbol) { return &m->row[(int64_t)red * m->symbols + symbol]; }

static int32_t edge_on(const merger *m, int32_t node, int32_t symbol) {
  if (m->node[node].state != NONE) return *slot_of(m, m->node[node].state, symbol);
  int32_t at = m->node[node].head;
  while (at != NONE && m->edge[at].symbol != symbol) at = m->edge[at].next;
  return at;
}

/* Where the number of the last edge of a node is, or of a red one that on a symbol; NONE is there after it. */
static int32_t *end_of(merger *m, int32_t node, int32_t symbol, int32_t last) {
  if (m->node[node].state != NONE) return slot_of(m, m->node[node].state, symbol);
  int32_t *place = &m->node[node].head;
  while (*place != last) place = &m->edge[*place].next;
  return place;
}

static void add_graft(merger *m, int32_t node, edge grafted) {
  m->edge = enough(m, m->edge, &m->edge_room, m->edges, sizeof *m->edge);
  *end_of(m, node, grafted.symbol, NONE) = (int32_t)m->edges;
  grafted.next = NONE;
  m->edge[m->edges] = grafted;
  m->graft[m->grafts++] = (graft){node, (int32_t)m->edges++};
  if (m->node[node].state != NONE) m->met |= bit(m->node[node].state * m->symbols + grafted.symbol);
}

static void undo(merger *m) {
  while (m->grafts > 0) {
    graft last = m->graft[--m->grafts];
    *end_of(m, last.node, m->edge[last.edge].symbol, last.edge) = NONE;
    m->edges--;
  }
}

/* Folds a tree into a red node: how many edges agree, or APART. */
static int32_t fold(merger *m, int32_t red, int32_t folded) {
  int64_t waiting = 1;
  int32_t score = 0;
  m->grafts = 0, m->met = 0;
  m->pair[0] = (pair){red, folded};
  while (waiting > 0) {
    pair now = m->pair[--waiting];
    int32_t state = m->node[now.kept].state;
    for (int32_t at = m->node[now.folded].head; at != NONE; at = m->edge[at].next) {
      edge seen = m->edge[at];
      int32_t known = edge_on(m, now.kept, seen.symbol);
      if (known == NONE) {
        add_graft(m, now.kept, seen);
        continue;
      }
      if (m->edge[known].action != seen.action) return APART;
      score++;
      if (seen.target == NONE) continue;
      int32_t next = m->edge[known].target;
      if (state != NONE && m->node[next].place != NONE) m->met |= bit(state * m->symbols + seen.symbol);
      m->pair[waiting++] = (pair){next, seen.target};
    }
  }
  return score;
}

static void add_blue(merger *m, int32_t node, int32_t slot) {
  m->blue = enough(m, m->blue, &m->blue_room, m->blues, sizeof *m->blue);
  m->node[node].place = (int32_t)m->blues;
  m->blue[m->blues++] = (blue){.node = node, .slot = slot, .score = APART, .second = APART, .met = bit(slot), .turn = m->turn};
}

static void remove_blue(merger *m, int32_t node) {
  int32_t place = m->node[node].place;
  free(m->blue[place].candidate);
  m->blue[place] = m->blue[--m->blues];
  m->node[m->blue[place].node].place = place;
  m->node[node].place = NONE;
}

/* Makes a node red, and what it leads to blue. */
static void promote(merger *m, int32_t node) {
  int32_t first = m->reds * m->symbols;
  int64_t room = m->red_room;
  m->row = enough(m, m->row, &room, m->reds, (size_t)m->symbols * sizeof *m->row);
  for (int32_t x = 0; x < m->symbols; x++) {
    room = m->red_room;
    m->does[x] = enough(m, m->does[x], &room, m->reds, sizeof *m->does[x]);
    m->does[x][m->reds] = UNKNOWN, m->row[first + x] = NONE;
  }
  m->red = enough(m, m->red, &m->red_room, m->reds, sizeof *m->red);
  m->red[m->reds] = (state){node, m->reds > 0};
  m->node[node].state = m->reds++;
  for (int32_t at = m->node[node].head; at != NONE; at = m->edge[at].next) {
    int32_t symbol = m->edge[at].symbol;
    m->row[first + symbol] = at, m->does[symbol][m->reds - 1] = m->edge[at].action;
    if (m->edge[at].target != NONE) add_blue(m, m->edge[at].target, first + symbol);
  }
}

/* The next state that a blue node agrees with on its first edge: most are ruled out by that. */
static int32_t next_alike(const merger *m, const blue *b, int32_t red) {
  int32_t first = m->node[b->node].head;
  if (first == NONE) return red;
  const int32_t action = m->edge[first].action, *known = m->does[m->edge[first].symbol];
  while (red < m->reds && known[red] != UNKNOWN && known[red] != action) red++;
  return red;
}

/* How many edges of a blue node itself agree with a state, but for one symbol, or APART. */
static int32_t score_at_once(const merger *m, const blue *b, int32_t red, int32_t but_for) {
  int32_t score = 0;
  for (int32_t at = m->node[b->node].head; at != NONE; at = m->edge[at].next) {
    int32_t known = m->does[m->edge[at].symbol][red];
    if (known == UNKNOWN || m->edge[at].symbol == but_for) continue;
    if (known != m->edge[at].action) return APART;
    score++;
  }
  return score;
}

/* The score of a blue node with a red one, by a fold that is undone. */
static int32_t score_of(merger *m, const blue *b, int32_t red) {
  m->edge[m->row[b->slot]].target = m->red[red].node;
  int32_t score = fold(m, m->red[red].node, b->node);
  undo(m);
  m->edge[m->row[b->slot]].target = b->node;
  return score;
}

static void add_candidate(merger *m, blue *b, int32_t red) {
  b->candidate = enough(m, b->candidate, &b->room, b->candidates, sizeof *b->candidate);
  int64_t at = b->candidates++;
  for (; at > 0 && b->candidate[at - 1].red > red; at--) b->candidate[at] = b->candidate[at - 1];
  b->candidate[at] = (candidate){red, UNKNOWN, 0};
}

/* Brings the candidates of a blue node up to date. */
static void rate(merger *m, blue *b) {
  uint64_t changed = 0;
  for (int64_t turn = b->turn; turn < m->turn; turn++) changed |= m->changed[turn];
  int is_old = (b->met & changed) != 0;
  if (!is_old && b->tried == m->reds) return;
  int64_t kept = is_old ? 0 : b->candidates; /* These are up to date. */
  for (; (b->tried = next_alike(m, b, b->tried)) < m->reds; b->tried++) {
    int32_t score = score_at_once(m, b, b->tried, NONE);
    b->silent += score == 0;
    if (score > 0) add_candidate(m, b, b->tried);
  }
  if (is_old) b->score = b->second = APART, b->met = bit(b->slot);
  b->turn = m->turn;
  for (int64_t i = kept; i < b->candidates; i++) {
    candidate now = b->candidate[i];
    if (now.score == UNKNOWN || now.met & changed) now.score = score_of(m, b, now.red), now.met = m->met | bit(b->slot);
    if (now.score == APART) continue;
    b->met |= now.met;
    if (now.score > b->second) b->second = now.score < b->score ? now.score : b->score;
    if (now.score > b->score) b->score = now.score;
    b->candidate[kept++] = now;
  }
  b->candidates = kept;
  if (b->score == APART && b->silent > 0) b->score = 0;
}

/* How many rules of the state that leads to a blue node move as that rule does and lead to a red node. */
static int32_t neighbours(const merger *m, const blue *b, int32_t red) {
  int32_t first = b->slot / m->symbols * m->symbols, count = 0, move = m->edge[m->row[b->slot]].action % MOVES;
  for (int32_t slot = first; slot < first + m->symbols; slot++) {
    int32_t at = m->row[slot];
    count += at != NONE && m->edge[at].target == m->red[red].node && m->edge[at].action % MOVES == move;
  }
  return count;
}

/* Of the states with the best score the one to which most rules lead, near ones first; NONE if there are none. */
static int32_t best_red(const merger *m, const blue *b) {
  int32_t best = NONE, most = NONE;
  int64_t i = 0;
  for (int32_t red = 0; b->score != APART && (red = next_alike(m, b, red)) < m->reds; red++) {
    while (i < b->candidates && b->candidate[i].red < red) i++;
    int is_candidate = i < b->candidates && b->candidate[i].red == red;
    if (is_candidate ? b->candidate[i].score != b->score : b->score || score_at_once(m, b, red, NONE)) continue;
    int32_t near = neighbours(m, b, red);
    if (near > most || (near == most && m->red[red].popular > m->red[best].popular)) best = red, most = near;
  }
  return best;
}

static int before(const merger *m, const blue *one, const blue *other) {
  int32_t size = m->node[one->node].size, second = m->node[other->node].size;
  return size > second || (size == second && one->node < other->node);
}

/* Blue nodes by the size of their trees, the largest first; few move, so that they are inserted. */
static void sort_blues(merger *m) {
  for (int64_t i = 1; i < m->blues; i++) {
    if (before(m, &m->blue[i - 1], &m->blue[i])) continue;
    blue now = m->blue[i];
    int64_t at = i;
    for (; at > 0 && before(m, &now, &m->blue[at - 1]); at--)
      m->blue[at] = m->blue[at - 1], m->node[m->blue[at].node].place = (int32_t)at;
    m->blue[at] = now, m->node[now.node].place = (int32_t)at;
  }
}

/* By how much the best candidate exceeds the next one, or nothing. */
static int32_t margin(const blue *b) { return b->score == APART ? 0 : b->score - (b->second > 0 ? b->second : 0); }

/* The blue node with the greatest margin, or the first that agrees with no red one. No margin exceeds the size of a tree. */
static blue *by_evidence(merger *m, int32_t *red) {
  sort_blues(m);
  blue *best = NULL;
  for (int64_t i = 0; i < m->blues && (best == NULL || margin(best) < m->node[m->blue[i].node].size); i++) {
    blue *here = &m->blue[i];
    rate(m, here);
    int better = best == NULL || margin(here) > margin(best) || (margin(here) == margin(best) && here->score > best->score);
    if (better || here->score == APART) best = here;
    if (here->score == APART) break;
  }
  *red = best_red(m, best);
  return best;
}

/* The first blue node, breadth first, and the first red one that it agrees with. */
static blue *by_breadth(merger *m, int32_t *red) {
  blue *first = m->blue;
  for (int64_t i = 1; i < m->blues; i++)
    if (m->blue[i].node < first->node) first = &m->blue[i];
  first->score = first->second = APART, *red = NONE;
  for (int32_t at = 0; *red == NONE && (at = next_alike(m, first, at)) < m->reds; at++) {
    first->score = score_at_once(m, first, at, NONE);
    if (first->score > 0) first->score = score_of(m, first, at);
    if (first->score != APART) *red = at;
  }
  return first;
}

static void change(merger *m, int32_t slot) { m->changed[m->turn - 1] |= bit(slot); }

/* An edge was grafted for good on a node of a tree: all above it have grown. A root knows no more who is silent. */
static void settle(merger *m, int32_t at, edge added) {
  int32_t root = at, more = 1 + (added.target == NONE ? 0 : m->node[added.target].size);
  for (int32_t up = at; m->node[up].state == NONE; up = m->node[up].parent) m->node[root = up].size += more;
  if (m->node[root].place == NONE) return;
  blue *tree = &m->blue[m->node[root].place];
  change(m, tree->slot);
  if (root == at) tree->tried = tree->silent = 0, tree->candidates = 0;
}

/* A state has gained a rule, which counts for the blue nodes that read its symbol and of which it was silent. */
static void fill(merger *m, int32_t red, int32_t symbol) {
  for (int64_t i = 0; i < m->blues; i++) {
    blue *b = &m->blue[i];
    if (b->tried <= red || edge_on(m, b->node, symbol) == NONE || score_at_once(m, b, red, symbol) != 0) continue;
    b->met = ~(uint64_t)0, b->silent--;
    if (score_at_once(m, b, red, NONE) > 0) add_candidate(m, b, red);
  }
}

/* Folds a tree for good. */
static void merge(merger *m, int32_t folded, int32_t slot, int32_t red) {
  m->edge[m->row[slot]].target = m->red[red].node;
  m->red[red].popular++;
  fold(m, m->red[red].node, folded);
  for (int64_t i = 0; i < m->grafts; i++) {
    edge added = m->edge[m->graft[i].edge];
    int32_t at = m->graft[i].node, state = m->node[at].state;
    if (added.target != NONE) m->node[added.target].parent = at;
    if (state == NONE) {
      settle(m, at, added);
      continue;
    }
    change(m, state * m->symbols + added.symbol);
    m->does[added.symbol][state] = added.action;
    fill(m, state, added.symbol);
    if (added.target != NONE) add_blue(m, added.target, state * m->symbols + added.symbol);
  }
}

/* One promotion or merge; it tells the blue node, the red one, the score and the margin. */
static void step(merger *m, int breadth_first, int64_t told[4]) {
  int32_t red;
  const blue *best = breadth_first ? by_breadth(m, &red) : by_evidence(m, &red);
  int32_t node = best->node, slot = best->slot;
  told[0] = node, told[1] = red, told[2] = best->score, told[3] = margin(best);
  m->turn++;
  remove_blue(m, node);
  change(m, slot);
  if (red == NONE)
    promote(m, node);
  else
    merge(m, node, slot, red);
}

/* As many promotions and merges as are wanted, or all that are left: how many; NO_MEMORY without memory. */
int merger_steps(merger *m, int breadth_first, int wanted, int64_t (*told)[4]) {
  volatile int done = 0;
  if (setjmp(m->no_memory)) return NO_MEMORY;
  for (; done < wanted && m->blues > 0; done++) step(m, breadth_first, told[done]);
  return done;
}

int32_t merger_states(const merger *m) { return m->reds; }

/* Of all states and symbols the action, UNKNOWN where there is none, and the next state, NONE where nothing follows. */
void merger_rows(const merger *m, int32_t *action, int32_t *next) {
  for (int64_t slot = 0; slot < (int64_t)m->reds * m->symbols; slot++) {
    int32_t at = m->row[slot];
    action[slot] = at == NONE ? UNKNOWN : m->edge[at].action;
    next[slot] = at == NONE || m->edge[at].target == NONE ? NONE : m->node[m->edge[at].target].state;
  }
}

void merger_free(merger *m) {
  for (int64_t i = 0; i < m->blues; i++) free(m->blue[i].candidate);
  for (int32_t x = 0; m->does != NULL && x < m->symbols; x++) free(m->does[x]);
  free(m->does), free(m->changed), free(m->edge), free(m->node);
  free(m->red), free(m->row), free(m->blue), free(m->graft), free(m->pair), free(m);
}

/* The root is red; NULL without memory. */
merger *merger_new(int32_t symbols, int64_t edges, const int32_t *source, const int32_t *symbol, const int32_t *action,
                   const int32_t *target) {
  merger *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  m->symbols = symbols, m->edges = edges, m->edge_room = 2 * edges + 16;
  m->edge = malloc((size_t)m->edge_room * sizeof *m->edge);
  m->node = malloc(((size_t)edges + 1) * sizeof *m->node);
  m->graft = malloc(((size_t)edges + 1) * sizeof *m->graft);
  m->pair = malloc(((size_t)edges + 1) * sizeof *m->pair);
  m->does = calloc((size_t)symbols, sizeof *m->does);
  m->changed = calloc((size_t)edges + 1, sizeof *m->changed);
  int is_whole = m->edge && m->node && m->graft && m->pair && m->does && m->changed;
  if (!is_whole || setjmp(m->no_memory)) {
    merger_free(m);
    return NULL;
  }
  for (int64_t i = 0; i <= edges; i++) m->node[i] = (node){NONE, NONE, NONE, 0, NONE};
  for (int64_t i = edges; i-- > 0;) {
    node *from = &m->node[source[i]];
    m->edge[i] = (edge){symbol[i], action[i], target[i], from->head};
    from->head = (int32_t)i, from->size++;
    if (target[i] == NONE) continue;
    m->node[target[i]].parent = source[i];
    from->size += m->node[target[i]].size;
  }
  promote(m, 0);
  return m;
}
