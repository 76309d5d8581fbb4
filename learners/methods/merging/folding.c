/* Red nodes, and blue trees that are folded into them: the data of merger.c, which follows this file.
 *
 * Red nodes are states of the result; blue ones are the other nodes that red edges lead to, roots of trees. A blue tree is
 * folded into a red node edge by edge: what is known twice must agree, what is new is grafted. Folds are undone from a log. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1, APART = -1, UNKNOWN = -2, MOVES = 5 };
enum { NO_MEMORY = -1, FEW = 4096 /* dependants, which are not worth a sweep */ };

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
  int64_t blues, blue_room, edges, edge_room, grafts, graft_room, pair_room, met_count, met_room;
  int64_t dependants, dependant_room, depending, sweep_at; /* depending: those that are not free */
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
  free(m->edge), free(m->head), free(m->red_of), free(m->place), free(m->parent), free(m->size);
  free(m->row), free(m->list), free(m->does), free(m->node_of), free(m->popular), free(m->blue), free(m->graft), free(m->pair), free(m->met), free(m->dependant), free(m);
}

/* The root is red; NULL without memory. */
merger *merger_new(int32_t symbols, int64_t edges, const int32_t *source, const int32_t *symbol, const int32_t *action,
                   const int32_t *target) {
  merger *m = calloc(1, sizeof *m);
  if (m == NULL) return NULL;
  size_t nodes = (size_t)edges + 1;
  m->symbols = symbols, m->edges = edges, m->edge_room = 2 * edges + 16, m->spare = NONE, m->sweep_at = FEW;
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
    m->size[source[i]]++;
    if (target[i] == NONE) continue;
    m->parent[target[i]] = source[i];
    m->size[source[i]] += m->size[target[i]];
  }
  if (good && promote(m, 0)) return m;
  merger_free(m);
  return NULL;
}
