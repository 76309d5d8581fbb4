/* Merging of the states of a prefix tree, red and blue: what plain_merger.py defines, step by step.
 *
 * Red nodes are states of the result; blue ones are the other nodes that red edges lead to, roots of trees. A blue tree is
 * folded into a red node edge by edge: what is known twice must agree, what is new is grafted. Folds are undone from a log.
 * Scores are kept: nodes only gain edges, so what disagrees once disagrees for ever. An edge from a red node to a red one never
 * changes, so a score can change only where its fold met a slot of a red node that was empty or led to a blue one. Each slot
 * keeps a list of the scores that depend on it. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, APART = -1, UNKNOWN = -2, MOVES = 5 };
enum { NO_MEMORY = -1 };

typedef struct edge {
  int32_t symbol, action, target, next;
} edge;

typedef struct graft {
  int32_t node, edge;
} graft;

typedef struct pair {
  int32_t kept, folded;
  int32_t root; /* the blue node below which the kept one is, NONE for a red one */
} pair;

typedef struct candidate {
  int32_t red, score; /* how many edges agree, or UNKNOWN */
  int32_t turn;       /* the scores that the blue node had had by then */
} candidate;

typedef struct likeliest {
  int32_t red, near; /* a state, and how many near rules lead to it */
} likeliest;

typedef struct dependant {
  int32_t blue, red, turn; /* a score, as long as it is of this turn */
  int32_t next;            /* in the list of a slot, or of those to spare */
} dependant;

typedef struct blue {
  int32_t node, slot; /* of the red edge that leads to it: state times symbols plus symbol */
  candidate *candidate; /* the states that agree with it in some edge, in order */
  int64_t candidates, room;
  int32_t turn;   /* how many scores it has had */
  int32_t tried;  /* The states below this one are candidates, or silent, or disagree. */
  int32_t silent; /* the states of which nothing is known that it does itself: it may be any of them, with score 0 */
  int stale, grown; /* whether some score is unknown, and because its tree has gained an edge */
  int32_t score, second; /* the best and the next, APART without one */
} blue;

typedef struct merger {
  int32_t symbols, reds, red_room;
  int64_t blues, blue_room, edges, edge_room, grafts, graft_room, pair_room, met_count, met_room, dependants, dependant_room;
  edge *edge;
  int32_t *head;   /* of a node: its first edge, of those that are not red */
  int32_t *red_of; /* of a node: its state, or NONE */
  int32_t *parent; /* of a node that is not red */
  int32_t *size;   /* the edges of the tree below it */
  int32_t *place;  /* of a blue node: where it is in `blue`, else NONE */
  int32_t *row;    /* (states, symbols): an edge, or NONE */
  int32_t *list;   /* (states, symbols): the first dependant of the slot, or NONE */
  int32_t *does;   /* (symbols, states): the action, or UNKNOWN; by symbol, as a new blue node is held to all states */
  int32_t *node_of; /* of a state */
  int32_t *popular; /* of a state: the red edges that lead to it */
  blue *blue;
  graft *graft;
  pair *pair;
  int32_t *met; /* the slots at which the last fold may end otherwise once they change */
  dependant *dependant;
  int32_t spare; /* the first dependant of those that are free, or NONE */
} merger;

/* Room for one more; 0 without memory. */
static int enough(void **items, int64_t *room, int64_t used, size_t size) {
  if (used < *room) return 1;
  int64_t wanted = *room < 8 ? 16 : 2 * *room;
  void *larger = realloc(*items, (size_t)wanted * size);
  if (larger == NULL) return 0;
  *items = larger, *room = wanted;
  return 1;
}

static int32_t edge_on(const merger *m, int32_t node, int32_t symbol) {
  if (m->red_of[node] != NONE) return m->row[(int64_t)m->red_of[node] * m->symbols + symbol];
  int32_t at = m->head[node];
  while (at != NONE && m->edge[at].symbol != symbol) at = m->edge[at].next;
  return at;
}

/* Where the number of a new edge goes: the row of a red node, else the end of the list, which is short. */
static int32_t *end_of(merger *m, int32_t node, int32_t symbol) {
  if (m->red_of[node] != NONE) return &m->row[(int64_t)m->red_of[node] * m->symbols + symbol];
  int32_t *place = &m->head[node];
  while (*place != NONE) place = &m->edge[*place].next;
  return place;
}

static int add_graft(merger *m, int32_t node, edge grafted) {
  if (!enough((void **)&m->edge, &m->edge_room, m->edges, sizeof *m->edge)) return 0;
  if (!enough((void **)&m->graft, &m->graft_room, m->grafts, sizeof *m->graft)) return 0;
  int32_t number = (int32_t)m->edges++;
  *end_of(m, node, grafted.symbol) = number;
  grafted.next = NONE;
  m->edge[number] = grafted;
  m->graft[m->grafts++] = (graft){node, number};
  return 1;
}

static void undo(merger *m) {
  while (m->grafts > 0) {
    graft last = m->graft[--m->grafts];
    int32_t state = m->red_of[last.node];
    int32_t *place = &m->head[last.node];
    if (state != NONE) place = &m->row[(int64_t)state * m->symbols + m->edge[last.edge].symbol];
    while (*place != last.edge) place = &m->edge[*place].next;
    *place = NONE;
    m->edges--;
  }
}

/* A tree has gained an edge: scores are not known any more, nor after one of the root who is silent. */
static void grow(blue *tree, int at_root) {
  if (at_root) tree->tried = tree->silent = 0, tree->candidates = 0, tree->stale = 1;
  if (tree->grown) return;
  tree->grown = tree->stale = 1;
  for (int64_t i = 0; i < tree->candidates; i++) tree->candidate[i].score = UNKNOWN;
}

static int meet(merger *m, int32_t slot) {
  if (m->met_count > 0 && m->met[m->met_count - 1] == slot) return 1;
  if (!enough((void **)&m->met, &m->met_room, m->met_count, sizeof *m->met)) return 0;
  m->met[m->met_count++] = slot;
  return 1;
}

/* Grafts an edge. A slot is met if it was empty, or in a fold for good if its tree grows; a tree on no slot is part of what
 * is folded. */
static int grow_by(merger *m, pair now, edge seen, int for_good) {
  int32_t state = m->red_of[now.kept];
  if (!add_graft(m, now.kept, seen)) return 0;
  if (state != NONE) return meet(m, state * m->symbols + seen.symbol);
  if (!for_good || m->place[now.root] == NONE) return 1;
  blue *tree = &m->blue[m->place[now.root]];
  grow(tree, now.kept == now.root);
  return meet(m, tree->slot);
}

/* Folds a tree into a red node: how many edges agree, or APART; UNKNOWN without memory. A trial meets the slots with trees
 * that it goes into. */
static int64_t fold(merger *m, int32_t red, int32_t folded, int for_good) {
  int64_t waiting = 0, score = 0;
  m->grafts = 0, m->met_count = 0;
  if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
  m->pair[waiting++] = (pair){red, folded, NONE};
  while (waiting > 0) {
    pair now = m->pair[--waiting];
    int32_t state = m->red_of[now.kept];
    for (int32_t at = m->head[now.folded]; at != NONE; at = m->edge[at].next) {
      edge seen = m->edge[at];
      int32_t known = edge_on(m, now.kept, seen.symbol);
      if (known == NONE) {
        if (!grow_by(m, now, seen, for_good)) return UNKNOWN;
        continue;
      }
      if (m->edge[known].action != seen.action) return APART;
      score++;
      if (seen.target == NONE) continue;
      int32_t next = m->edge[known].target, root = now.root;
      if (state != NONE) {
        root = m->red_of[next] != NONE ? NONE : next;
        if (!for_good && root != NONE && m->place[root] != NONE && !meet(m, state * m->symbols + seen.symbol)) return UNKNOWN;
      }
      if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
      m->pair[waiting++] = (pair){next, seen.target, root};
    }
  }
  return score;
}

static int add_blue(merger *m, int32_t node, int32_t slot) {
  if (!enough((void **)&m->blue, &m->blue_room, m->blues, sizeof *m->blue)) return 0;
  m->place[node] = (int32_t)m->blues;
  m->blue[m->blues++] = (blue){.node = node, .slot = slot, .stale = 1};
  return 1;
}

static void remove_blue(merger *m, int32_t node) {
  int32_t place = m->place[node];
  free(m->blue[place].candidate);
  m->blue[place] = m->blue[--m->blues];
  m->place[m->blue[place].node] = place;
  m->place[node] = NONE;
}

/* What a state does on a symbol. */
static int32_t *done_on(const merger *m, int32_t state, int32_t symbol) {
  return &m->does[(int64_t)symbol * m->red_room + state];
}

/* Makes a node red, and what it leads to blue; 0 without memory. */
static int promote(merger *m, int32_t node) {
  if (m->reds == m->red_room) {
    size_t wanted = m->red_room == 0 ? 16 : 2 * (size_t)m->red_room;
    int32_t **arrays[] = {&m->row, &m->list, &m->does, &m->node_of, &m->popular};
    for (int i = 0; i < 5; i++) {
      int32_t *larger = realloc(*arrays[i], wanted * (i < 3 ? (size_t)m->symbols : 1) * sizeof *larger);
      if (larger == NULL) return 0;
      *arrays[i] = larger;
    }
    for (int32_t x = m->symbols; x-- > 0;)
      memmove(m->does + x * wanted, m->does + (size_t)x * (size_t)m->red_room, (size_t)m->reds * sizeof *m->does);
    m->red_room = (int32_t)wanted;
  }
  int32_t first = m->reds * m->symbols;
  for (int32_t slot = first; slot < first + m->symbols; slot++) m->row[slot] = m->list[slot] = NONE;
  for (int32_t x = 0; x < m->symbols; x++) *done_on(m, m->reds, x) = UNKNOWN;
  m->red_of[node] = m->reds, m->node_of[m->reds] = node, m->popular[m->reds++] = 0;
  for (int32_t at = m->head[node]; at != NONE; at = m->edge[at].next) {
    int32_t slot = first + m->edge[at].symbol;
    m->row[slot] = at, *done_on(m, m->red_of[node], m->edge[at].symbol) = m->edge[at].action;
    if (m->edge[at].target != NONE && !add_blue(m, m->edge[at].target, slot)) return 0;
  }
  return 1;
}

void merger_free(merger *m) {
  for (int64_t i = 0; i < m->blues; i++) free(m->blue[i].candidate);
  free(m->edge), free(m->head), free(m->red_of), free(m->place), free(m->parent), free(m->size), free(m->row), free(m->node_of), free(m->popular);
  free(m->does), free(m->list), free(m->blue), free(m->graft), free(m->pair), free(m->met), free(m->dependant), free(m);
}

/* The root is red; NULL without memory. */
merger *merger_new(int32_t symbols, int64_t edges, const int32_t *source, const int32_t *symbol, const int32_t *action,
                   const int32_t *target) {
  merger *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  size_t nodes = (size_t)edges + 1;
  m->symbols = symbols, m->edges = edges, m->edge_room = 2 * edges + 16, m->spare = NONE;
  m->edge = malloc((size_t)m->edge_room * sizeof *m->edge);
  m->head = malloc(nodes * sizeof *m->head);
  m->red_of = malloc(nodes * sizeof *m->red_of);
  m->place = malloc(nodes * sizeof *m->place);
  m->parent = malloc(nodes * sizeof *m->parent);
  m->size = calloc(nodes, sizeof *m->size);
  int good = m->edge && m->head && m->red_of && m->place && m->parent && m->size;
  for (size_t i = 0; good && i < nodes; i++) m->head[i] = m->red_of[i] = m->place[i] = NONE;
  for (int64_t i = edges; good && i-- > 0;) {
    m->edge[i] = (edge){symbol[i], action[i], target[i], m->head[source[i]]};
    m->head[source[i]] = (int32_t)i;
    m->parent[i + 1] = source[i];
    m->size[source[i]] += 1 + (target[i] == NONE ? 0 : m->size[i + 1]);
  }
  if (good && promote(m, 0)) return m;
  merger_free(m);
  return NULL;
}

/* The candidate that is some red node, or NULL. */
static candidate *candidate_with(blue *b, int32_t red) {
  int64_t low = 0, high = b->candidates;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (b->candidate[middle].red < red)
      low = middle + 1;
    else
      high = middle;
  }
  return low < b->candidates && b->candidate[low].red == red ? &b->candidate[low] : NULL;
}

/* The candidate of a dependant; NULL if the blue node is gone, or the score is of another turn. */
static candidate *candidate_of(merger *m, dependant d) {
  if (m->place[d.blue] == NONE) return NULL;
  candidate *c = candidate_with(&m->blue[m->place[d.blue]], d.red);
  return c != NULL && c->turn == d.turn ? c : NULL;
}

static void set_free(merger *m, int32_t number) {
  m->dependant[number].next = m->spare;
  m->spare = number;
}

/* Frees the dependants that are of no score any more; how many are left. */
static int64_t sweep(merger *m) {
  int64_t left = 0;
  for (int32_t slot = 0; slot < m->reds * m->symbols; slot++)
    for (int32_t *at = &m->list[slot]; *at != NONE;) {
      int32_t number = *at;
      if (candidate_of(m, m->dependant[number]) != NULL) {
        at = &m->dependant[number].next, left++;
        continue;
      }
      *at = m->dependant[number].next;
      set_free(m, number);
    }
  return left;
}

/* A score depends on a slot; 0 without memory. There is room for four times those that are needed. */
static int depend(merger *m, int32_t slot, dependant added) {
  if (m->spare == NONE && m->dependants == m->dependant_room && (m->dependants < 4096 || 4 * sweep(m) > m->dependants) &&
      !enough((void **)&m->dependant, &m->dependant_room, m->dependants, sizeof *m->dependant))
    return 0;
  int32_t number = m->spare != NONE ? m->spare : (int32_t)m->dependants++;
  if (m->spare != NONE) m->spare = m->dependant[number].next;
  added.next = m->list[slot];
  m->dependant[number] = added;
  m->list[slot] = number;
  return 1;
}

/* Scores that depend on a slot are no longer known. */
static void change(merger *m, int32_t slot) {
  while (m->list[slot] != NONE) {
    int32_t number = m->list[slot];
    dependant d = m->dependant[number];
    candidate *c = candidate_of(m, d);
    if (c != NULL) c->score = UNKNOWN, m->blue[m->place[d.blue]].stale = 1;
    m->list[slot] = d.next;
    set_free(m, number);
  }
}

/* The next state that a blue node agrees with on its first edge: most are ruled out by that. */
static int32_t next_alike(const merger *m, const blue *b, int32_t red) {
  int32_t first = m->head[b->node];
  if (first == NONE) return red;
  const int32_t action = m->edge[first].action, *known = done_on(m, 0, m->edge[first].symbol);
  while (red < m->reds && known[red] != UNKNOWN && known[red] != action) red++;
  return red;
}

/* How many edges of a blue node itself agree with a red one, or APART. */
static int64_t score_at_once(const merger *m, const blue *b, int32_t red) {
  int64_t score = 0;
  for (int32_t at = m->head[b->node]; at != NONE; at = m->edge[at].next) {
    int32_t known = *done_on(m, red, m->edge[at].symbol);
    if (known == UNKNOWN) continue;
    if (known != m->edge[at].action) return APART;
    score++;
  }
  return score;
}

/* Whether nothing is known of a state on what a blue node reads, but for one symbol. */
static int is_silent(const merger *m, const blue *b, int32_t red, int32_t but_for) {
  for (int32_t at = m->head[b->node]; at != NONE; at = m->edge[at].next)
    if (m->edge[at].symbol != but_for && *done_on(m, red, m->edge[at].symbol) != UNKNOWN) return 0;
  return 1;
}

/* The score of a blue node with a red one, by a fold that is undone; UNKNOWN without memory. */
static int64_t score_of(merger *m, const blue *b, int32_t red) {
  int64_t first = score_at_once(m, b, red);
  m->met_count = 0;
  if (first <= 0) return first;
  m->edge[m->row[b->slot]].target = m->node_of[red];
  int64_t score = fold(m, m->node_of[red], b->node, 0);
  undo(m);
  m->edge[m->row[b->slot]].target = b->node;
  return score;
}

/* Scores a candidate anew, or drops it as APART; 0 without memory. */
static int score_anew(merger *m, blue *b, candidate *c) {
  int64_t score = score_of(m, b, c->red);
  if (score == UNKNOWN) return 0;
  c->score = (int32_t)score, c->turn = ++b->turn;
  for (int64_t i = 0; score != APART && i < m->met_count; i++)
    if (!depend(m, m->met[i], (dependant){b->node, c->red, c->turn, NONE})) return 0;
  return 1;
}

static int add_candidate(blue *b, int32_t red) {
  if (!enough((void **)&b->candidate, &b->room, b->candidates, sizeof *b->candidate)) return 0;
  int64_t at = b->candidates++;
  for (; at > 0 && b->candidate[at - 1].red > red; at--) b->candidate[at] = b->candidate[at - 1];
  b->candidate[at] = (candidate){red, UNKNOWN, 0};
  return 1;
}

/* Brings the candidates of a blue node up to date; 0 without memory. */
static int rate(merger *m, blue *b) {
  int64_t kept = b->stale ? 0 : b->candidates; /* These are up to date. */
  if (!b->stale && b->tried == m->reds) return 1;
  for (; (b->tried = next_alike(m, b, b->tried)) < m->reds; b->tried++) {
    int64_t score = score_at_once(m, b, b->tried);
    if (score == 0) b->silent++;
    if (score > 0 && !add_candidate(b, b->tried)) return 0;
  }
  int32_t best = b->stale ? APART : b->score, second = b->stale ? APART : b->second;
  for (int64_t i = kept; i < b->candidates; i++) {
    candidate *now = &b->candidate[i];
    if (now->score == UNKNOWN && !score_anew(m, b, now)) return 0;
    if (now->score == APART) continue;
    if (now->score > second) second = now->score < best ? now->score : best;
    if (now->score > best) best = now->score;
    b->candidate[kept++] = *now;
  }
  if (best == APART && b->silent > 0) best = 0;
  b->candidates = kept, b->stale = b->grown = 0;
  b->score = best, b->second = second;
  return 1;
}

/* How many rules of the state that leads to a blue node move as that rule does and lead to a red node. */
static int32_t neighbours(const merger *m, const blue *b, int32_t red) {
  int32_t first = b->slot / m->symbols * m->symbols, count = 0, move = m->edge[m->row[b->slot]].action % MOVES;
  for (int32_t slot = first; slot < first + m->symbols; slot++) {
    int32_t at = m->row[slot];
    if (at != NONE && m->edge[at].target == m->node_of[red] && m->edge[at].action % MOVES == move) count++;
  }
  return count;
}

static likeliest likelier(const merger *m, const blue *b, int32_t red, likeliest than) {
  int32_t near = neighbours(m, b, red);
  if (near > than.near || (near == than.near && m->popular[red] > m->popular[than.red])) return (likeliest){red, near};
  return than;
}

/* Of the states with the best score the one to which most rules lead, near ones first; NONE if there are none. */
static int32_t best_red(const merger *m, const blue *b) {
  likeliest best = {NONE, NONE};
  for (int64_t i = 0; i < b->candidates; i++)
    if (b->candidate[i].score == b->score) best = likelier(m, b, b->candidate[i].red, best);
  for (int32_t red = 0; b->score == 0 && (red = next_alike(m, b, red)) < m->reds; red++)
    if (is_silent(m, b, red, NONE)) best = likelier(m, b, red, best);
  return best.red;
}

static int before(const merger *m, const blue *one, const blue *other) {
  int32_t size = m->size[one->node], second = m->size[other->node];
  return size > second || (size == second && one->node < other->node);
}

/* Blue nodes by the size of their trees, the largest first; few move, so that they are inserted. */
static void sort_blues(merger *m) {
  for (int64_t i = 1; i < m->blues; i++) {
    if (before(m, &m->blue[i - 1], &m->blue[i])) continue;
    blue now = m->blue[i];
    int64_t at = i;
    for (; at > 0 && before(m, &now, &m->blue[at - 1]); at--)
      m->blue[at] = m->blue[at - 1], m->place[m->blue[at].node] = (int32_t)at;
    m->blue[at] = now, m->place[now.node] = (int32_t)at;
  }
}

/* By how much the best candidate exceeds the next one, or nothing. */
static int32_t margin(const blue *b) { return b->score == APART ? 0 : b->score - (b->second > 0 ? b->second : 0); }

/* The blue node with the greatest margin, or the first that agrees with no red one; NULL without memory. No margin exceeds
 * the size of a tree. */
static blue *by_evidence(merger *m, int32_t *red) {
  sort_blues(m);
  blue *best = NULL;
  for (int64_t i = 0; i < m->blues && (best == NULL || margin(best) < m->size[m->blue[i].node]); i++) {
    blue *here = &m->blue[i];
    if (!rate(m, here)) return NULL;
    if (here->score == APART) {
      best = here;
      break;
    }
    if (best == NULL || margin(here) > margin(best) || (margin(here) == margin(best) && here->score > best->score))
      best = here;
  }
  *red = best_red(m, best);
  return best;
}

/* The first blue node, breadth first, and the first red one that it agrees with; NULL without memory. */
static blue *by_breadth(merger *m, int32_t *red) {
  blue *first = m->blue;
  for (int64_t i = 1; i < m->blues; i++)
    if (m->blue[i].node < first->node) first = &m->blue[i];
  first->score = first->second = APART, *red = NONE;
  for (int32_t at = 0; *red == NONE && (at = next_alike(m, first, at)) < m->reds; at++) {
    first->score = (int32_t)score_of(m, first, at);
    if (first->score == UNKNOWN) return NULL;
    if (first->score != APART) *red = at;
  }
  return first;
}

/* An edge is grafted for good on a node of a tree. */
static void settle(merger *m, int32_t node, edge added) {
  int32_t more = 1 + (added.target == NONE ? 0 : m->size[added.target]);
  for (; m->red_of[node] == NONE; node = m->parent[node]) m->size[node] += more;
}

/* A state has gained a rule, which counts for the blue nodes that read its symbol; 0 without memory. */
static int fill(merger *m, int32_t red, int32_t symbol) {
  for (int64_t i = 0; i < m->blues; i++) {
    blue *b = &m->blue[i];
    if (b->tried <= red || edge_on(m, b->node, symbol) == NONE) continue;
    candidate *c = candidate_with(b, red);
    if (c != NULL) c->score = UNKNOWN, b->stale = 1;
    if (c != NULL || !is_silent(m, b, red, symbol)) continue;
    b->silent--, b->stale = 1;
    if (score_at_once(m, b, red) != APART && !add_candidate(b, red)) return 0;
  }
  return 1;
}

/* Folds a tree for good; 0 without memory. */
static int merge(merger *m, int32_t folded, int32_t slot, int32_t red) {
  m->edge[m->row[slot]].target = m->node_of[red];
  m->popular[red]++;
  if (fold(m, m->node_of[red], folded, 1) < 0) return 0;
  for (int64_t i = 0; i < m->met_count; i++) change(m, m->met[i]);
  for (int64_t i = 0; i < m->grafts; i++) {
    edge added = m->edge[m->graft[i].edge];
    int32_t node = m->graft[i].node, state = m->red_of[node];
    if (added.target != NONE) m->parent[added.target] = node;
    if (state == NONE) {
      settle(m, node, added);
      continue;
    }
    slot = state * m->symbols + added.symbol;
    *done_on(m, state, added.symbol) = added.action;
    if (!fill(m, state, added.symbol)) return 0;
    if (added.target != NONE && !add_blue(m, added.target, slot)) return 0;
  }
  return 1;
}

/* One promotion or merge; it tells the blue node, the red one, the score and the margin. 0 without memory. */
static int step(merger *m, int breadth_first, int64_t told[4]) {
  int32_t red;
  const blue *best = breadth_first ? by_breadth(m, &red) : by_evidence(m, &red);
  if (best == NULL) return 0;
  int32_t node = best->node, slot = best->slot;
  told[0] = node, told[1] = red, told[2] = best->score, told[3] = margin(best);
  remove_blue(m, node);
  change(m, slot);
  if (!(red == NONE ? promote(m, node) : merge(m, node, slot, red))) return 0;
  if (red == NONE) m->popular[m->reds - 1] = 1;
  return 1;
}

/* As many promotions and merges as are wanted, or all that are left: how many; NO_MEMORY without memory. */
int merger_steps(merger *m, int breadth_first, int wanted, int64_t (*told)[4]) {
  int done = 0;
  for (; done < wanted && m->blues > 0; done++)
    if (!step(m, breadth_first, told[done])) return NO_MEMORY;
  return done;
}

int32_t merger_states(const merger *m) { return m->reds; }

/* Of all states and symbols the action, UNKNOWN where there is none, and the next state, NONE where nothing follows. */
void merger_rows(const merger *m, int32_t *action, int32_t *next) {
  for (int64_t slot = 0; slot < (int64_t)m->reds * m->symbols; slot++) {
    int32_t at = m->row[slot];
    action[slot] = at == NONE ? UNKNOWN : m->edge[at].action;
    next[slot] = at == NONE || m->edge[at].target == NONE ? NONE : m->red_of[m->edge[at].target];
  }
}
