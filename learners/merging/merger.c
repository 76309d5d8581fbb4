/* Merging of the states of a prefix tree, red and blue: what plain_merger.py defines, step by step.
 *
 * Red nodes are states of the result; blue ones are the other nodes that red edges lead to, roots of trees. A blue tree is
 * folded into a red node edge by edge: what is known twice must agree, what is new is grafted. Folds are undone from a log.
 * Scores are kept: nodes only gain edges, so what disagrees once disagrees for ever, and a score stays while none of the
 * red nodes that its fold went through, nor what hangs on them, has gained an edge. */

#include <stdint.h>
#include <stdlib.h>

enum { NONE = -1, APART = -1, UNKNOWN = -2, MOVES = 5 };
enum { NO_MEMORY = -1, DONE = 0, PROMOTED = 1, MERGED = 2 };
typedef uint64_t mask; /* of red nodes, by their numbers modulo 64 */

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
  mask through;       /* the red nodes that its fold went through */
} candidate;

typedef struct blue {
  int32_t node, slot; /* of the red edge that leads to it: state times symbols plus symbol */
  int64_t size;       /* the edges of its tree, UNKNOWN after it has changed */
  candidate *candidate;
  int64_t candidates, room;
  int32_t tried; /* The red nodes below this one are candidates or disagree. */
  int stale;
  mask through; /* all that its candidates went through */
  int64_t score, margin; /* APART if there is no candidate */
} blue;

typedef struct merger {
  int32_t symbols, reds, red_room;
  int64_t blues, blue_room, edges, edge_room, grafts, graft_room, pair_room;
  edge *edge;
  int32_t *head;   /* of a node: its first edge, of those that are not red */
  int32_t *red_of; /* of a node: its state, or NONE */
  int32_t *place;  /* of a blue node: where it is in `blue`, else NONE */
  int32_t *row;    /* (states, symbols): an edge, or NONE */
  int32_t *node_of; /* of a state */
  int32_t *popular; /* of a state: the red edges that lead to it */
  blue *blue;
  graft *graft;
  pair *pair;
  mask through;
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

/* The red node on which a tree hangs that has gained an edge. */
static mask grown(const merger *m, blue *tree, int kept) {
  if (kept) tree->size = UNKNOWN;
  return (mask)1 << (tree->slot / m->symbols & 63);
}

/* Folds a tree into a red node: how many edges agree, or APART; UNKNOWN without memory. It tells
 * which red nodes have gained an edge, or a tree that hangs on them; a tree on no red node yet is a part of what is folded. */
static int64_t fold(merger *m, int32_t red, int32_t folded, int kept, mask *changed) {
  int64_t waiting = 0, score = 0;
  m->grafts = 0, m->through = 0;
  if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
  m->pair[waiting++] = (pair){red, folded, NONE};
  while (waiting > 0) {
    pair now = m->pair[--waiting];
    int32_t state = m->red_of[now.kept];
    if (state != NONE) m->through |= (mask)1 << (state & 63);
    for (int32_t at = m->head[now.folded]; at != NONE; at = m->edge[at].next) {
      edge seen = m->edge[at];
      int32_t known = edge_on(m, now.kept, seen.symbol);
      if (known == NONE) {
        if (!add_graft(m, now.kept, seen)) return UNKNOWN;
        if (state != NONE)
          *changed |= (mask)1 << (state & 63);
        else if (m->place[now.root] != NONE)
          *changed |= grown(m, &m->blue[m->place[now.root]], kept);
        continue;
      }
      if (m->edge[known].action != seen.action) return APART;
      score++;
      if (seen.target == NONE) continue;
      int32_t next = m->edge[known].target;
      if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
      m->pair[waiting++] = (pair){next, seen.target, m->red_of[next] != NONE ? NONE : state != NONE ? next : now.root};
    }
  }
  return score;
}

/* The edges of a tree, UNKNOWN without memory. */
static int64_t tree_size(merger *m, int32_t root) {
  int64_t waiting = 0, size = 0;
  if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
  m->pair[waiting++].folded = root;
  while (waiting > 0)
    for (int32_t at = m->head[m->pair[--waiting].folded]; at != NONE; at = m->edge[at].next, size++) {
      if (m->edge[at].target == NONE) continue;
      if (!enough((void **)&m->pair, &m->pair_room, waiting, sizeof *m->pair)) return UNKNOWN;
      m->pair[waiting++].folded = m->edge[at].target;
    }
  return size;
}

static int add_blue(merger *m, int32_t node, int32_t slot) {
  if (!enough((void **)&m->blue, &m->blue_room, m->blues, sizeof *m->blue)) return 0;
  m->place[node] = (int32_t)m->blues;
  m->blue[m->blues++] = (blue){.node = node, .slot = slot, .size = UNKNOWN, .stale = 1};
  return 1;
}

static void remove_blue(merger *m, int32_t node) {
  int32_t place = m->place[node];
  free(m->blue[place].candidate);
  m->blue[place] = m->blue[--m->blues];
  m->place[m->blue[place].node] = place;
  m->place[node] = NONE;
}

/* Makes a node red, and what it leads to blue; 0 without memory. */
static int promote(merger *m, int32_t node) {
  if (m->reds == m->red_room) {
    size_t wanted = m->red_room == 0 ? 16 : 2 * (size_t)m->red_room;
    int32_t *row = realloc(m->row, wanted * (size_t)m->symbols * sizeof *row);
    if (row != NULL) m->row = row;
    int32_t *node_of = realloc(m->node_of, wanted * sizeof *node_of);
    if (node_of != NULL) m->node_of = node_of;
    int32_t *popular = realloc(m->popular, wanted * sizeof *popular);
    if (popular != NULL) m->popular = popular;
    if (row == NULL || node_of == NULL || popular == NULL) return 0;
    m->red_room = (int32_t)wanted;
  }
  int32_t first = m->reds * m->symbols;
  for (int32_t x = 0; x < m->symbols; x++) m->row[first + x] = NONE;
  m->red_of[node] = m->reds, m->node_of[m->reds] = node, m->popular[m->reds++] = 0;
  for (int32_t at = m->head[node]; at != NONE; at = m->edge[at].next) {
    int32_t slot = first + m->edge[at].symbol;
    m->row[slot] = at;
    if (m->edge[at].target != NONE && !add_blue(m, m->edge[at].target, slot)) return 0;
  }
  return 1;
}

void merger_free(merger *m) {
  for (int64_t i = 0; i < m->blues; i++) free(m->blue[i].candidate);
  free(m->edge), free(m->head), free(m->red_of), free(m->place), free(m->row), free(m->node_of), free(m->popular);
  free(m->blue), free(m->graft), free(m->pair), free(m);
}

/* The root is red; NULL without memory. */
merger *merger_new(int32_t symbols, int64_t edges, const int32_t *source, const int32_t *symbol, const int32_t *action,
                   const int32_t *target) {
  merger *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  size_t nodes = (size_t)edges + 1;
  m->symbols = symbols, m->edges = edges, m->edge_room = 2 * edges + 16;
  m->edge = malloc((size_t)m->edge_room * sizeof *m->edge);
  m->head = malloc(nodes * sizeof *m->head);
  m->red_of = malloc(nodes * sizeof *m->red_of);
  m->place = malloc(nodes * sizeof *m->place);
  int good = m->edge != NULL && m->head != NULL && m->red_of != NULL && m->place != NULL;
  for (size_t i = 0; good && i < nodes; i++) m->head[i] = m->red_of[i] = m->place[i] = NONE;
  for (int64_t i = edges; good && i-- > 0;) {
    m->edge[i] = (edge){symbol[i], action[i], target[i], m->head[source[i]]};
    m->head[source[i]] = (int32_t)i;
  }
  if (good && promote(m, 0)) return m;
  merger_free(m);
  return NULL;
}

/* The score of a blue node with a red one, by a fold that is undone; UNKNOWN without memory. */
static int64_t score_of(merger *m, const blue *b, int32_t red) {
  mask changed = 0;
  m->edge[m->row[b->slot]].target = m->node_of[red];
  int64_t score = fold(m, m->node_of[red], b->node, 0, &changed);
  undo(m);
  m->edge[m->row[b->slot]].target = b->node;
  return score;
}

/* Brings the candidates of a blue node up to date, or finds the first; 0 without memory. */
static int rate(merger *m, blue *b, int only_first) {
  if (!b->stale && b->tried == m->reds) return 1;
  int64_t kept = 0, second = 0;
  for (; b->tried < m->reds && !(only_first && b->candidates > 0); b->tried++) {
    if (!enough((void **)&b->candidate, &b->room, b->candidates, sizeof *b->candidate)) return 0;
    b->candidate[b->candidates] = (candidate){b->tried, UNKNOWN, 0};
    if (only_first && score_of(m, b, b->tried) == APART) continue;
    b->candidates++;
  }
  b->score = APART, b->through = 0, b->stale = 0;
  for (int64_t i = 0; i < b->candidates; i++) {
    candidate now = b->candidate[i];
    if (now.score == UNKNOWN) {
      int64_t score = score_of(m, b, now.red);
      if (score == UNKNOWN) return 0;
      if (score == APART) continue;
      now.score = (int32_t)score, now.through = m->through;
    }
    if (now.score > b->score)
      second = b->score > 0 ? b->score : 0, b->score = now.score;
    else if (now.score > second)
      second = now.score;
    b->through |= now.through;
    b->candidate[kept++] = now;
  }
  b->candidates = kept;
  b->margin = kept == 0 ? 0 : b->score - second;
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

static int likelier(const merger *m, const blue *b, int32_t red, int32_t other) {
  int32_t near = neighbours(m, b, red), less = neighbours(m, b, other);
  return near > less || (near == less && m->popular[red] > m->popular[other]);
}

/* Of the candidates with the best score the likeliest; NONE if there are none. */
static int32_t best_red(const merger *m, const blue *b) {
  int32_t best = NONE;
  for (int64_t i = 0; i < b->candidates; i++)
    if (b->candidate[i].score == b->score && (best == NONE || likelier(m, b, b->candidate[i].red, best)))
      best = b->candidate[i].red;
  return best;
}

/* Blue nodes by the size of their trees, the largest first; few move, so that they are inserted. 0 without memory. */
static int sort_blues(merger *m) {
  for (int64_t i = 0; i < m->blues; i++) {
    blue now = m->blue[i];
    if (now.size == UNKNOWN) now.size = tree_size(m, now.node);
    if (now.size == UNKNOWN) return 0;
    int64_t at = i;
    for (; at > 0; at--) {
      blue before = m->blue[at - 1];
      if (before.size > now.size || (before.size == now.size && before.node < now.node)) break;
      m->blue[at] = before, m->place[before.node] = (int32_t)at;
    }
    m->blue[at] = now, m->place[now.node] = (int32_t)at;
  }
  return 1;
}

/* The blue node with the greatest margin, or the first that agrees with no red one; NULL without memory. No margin exceeds
 * the size of a tree. */
static blue *by_evidence(merger *m) {
  if (!sort_blues(m)) return NULL;
  blue *best = NULL;
  for (int64_t i = 0; i < m->blues && (best == NULL || best->margin < m->blue[i].size); i++) {
    blue *here = &m->blue[i];
    if (!rate(m, here, 0)) return NULL;
    if (here->candidates == 0) return here;
    if (best == NULL || here->margin > best->margin || (here->margin == best->margin && here->score > best->score))
      best = here;
  }
  return best;
}

static blue *by_breadth(merger *m) {
  blue *first = m->blue;
  for (int64_t i = 1; i < m->blues; i++)
    if (m->blue[i].node < first->node) first = &m->blue[i];
  return rate(m, first, 1) ? first : NULL;
}

/* Scores that went through a red node that has changed, or are of a tree that has, are no longer known. */
static void forget(merger *m, mask changed) {
  for (int64_t i = 0; i < m->blues; i++) {
    blue *b = &m->blue[i];
    if (b->size != UNKNOWN && (b->through & changed) == 0) continue;
    b->stale = 1;
    for (int64_t j = 0; j < b->candidates; j++)
      if (b->size == UNKNOWN || (b->candidate[j].through & changed) != 0) b->candidate[j].score = UNKNOWN;
  }
}

/* Folds a tree for good; 0 without memory. */
static int merge(merger *m, int32_t node, int32_t slot, int32_t red, mask *changed) {
  m->edge[m->row[slot]].target = m->node_of[red];
  m->popular[red]++;
  if (fold(m, m->node_of[red], node, 1, changed) < 0) return 0;
  for (int64_t i = 0; i < m->grafts; i++) {
    edge added = m->edge[m->graft[i].edge];
    int32_t state = m->red_of[m->graft[i].node];
    if (state != NONE && added.target != NONE && !add_blue(m, added.target, state * m->symbols + added.symbol)) return 0;
  }
  return 1;
}

/* One promotion or merge; it tells the blue node, the red one, the score and the margin. */
int merger_step(merger *m, int breadth_first, int64_t told[4]) {
  if (m->blues == 0) return DONE;
  const blue *best = breadth_first ? by_breadth(m) : by_evidence(m);
  if (best == NULL) return NO_MEMORY;
  int32_t node = best->node, slot = best->slot, red = best_red(m, best);
  mask changed = (mask)1 << (slot / m->symbols & 63);
  told[0] = node, told[1] = red, told[2] = best->score, told[3] = best->margin;
  remove_blue(m, node);
  if (!(red == NONE ? promote(m, node) : merge(m, node, slot, red, &changed))) return NO_MEMORY;
  if (red == NONE) m->popular[m->reds - 1] = 1;
  forget(m, changed);
  return red == NONE ? PROMOTED : MERGED;
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
