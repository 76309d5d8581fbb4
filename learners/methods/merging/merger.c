/* Merging of the states of a prefix tree, red and blue: what plain_merger.py defines, step by step. It follows folding.c.
 *
 * Scores are kept: nodes only gain edges, so what disagrees once disagrees for ever. An edge from a red node to a red one never
 * changes, so a score can change only where its fold met a slot of a red node that was empty or led to a blue one. Each slot
 * keeps a list of the scores that depend on it. A state that is silent on all that a blue node itself reads has score 0, and
 * needs no fold. */

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
  m->spare = number, m->depending--;
}

/* Frees the dependants that are of no score any more, where there may be more of them than of others. */
static void sweep(merger *m) {
  if (m->depending <= m->sweep_at) return;
  for (int32_t slot = 0; slot < m->reds * m->symbols; slot++)
    for (int32_t *at = &m->list[slot]; *at != NONE;) {
      int32_t number = *at;
      if (candidate_of(m, m->dependant[number]) != NULL) {
        at = &m->dependant[number].next;
        continue;
      }
      *at = m->dependant[number].next;
      set_free(m, number);
    }
  m->sweep_at = 4 * m->depending > FEW ? 4 * m->depending : FEW;
}

/* A score depends on a slot; 0 without memory. */
static int depend(merger *m, int32_t slot, dependant added) {
  int32_t number = m->spare;
  if (number == NONE) {
    if (!enough((void **)&m->dependant, &m->dependant_room, m->dependants, sizeof *m->dependant)) return 0;
    number = (int32_t)m->dependants++;
  } else
    m->spare = m->dependant[number].next;
  added.next = m->list[slot];
  m->dependant[number] = added;
  m->list[slot] = number, m->depending++;
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

/* Tries the states that are new to a blue node; 0 without memory. */
static int try_states(merger *m, blue *b) {
  for (; (b->tried = next_alike(m, b, b->tried)) < m->reds; b->tried++) {
    int64_t score = score_at_once(m, b, b->tried);
    if (score == 0) b->silent++;
    if (score > 0 && !add_candidate(b, b->tried)) return 0;
  }
  return 1;
}

static int is_single(const merger *m, const blue *b) {
  return m->head[b->node] != NONE && m->edge[m->head[b->node]].next == NONE;
}

/* The same for a blue node with one edge, as most have, in two plain loops. */
static int try_single(merger *m, blue *b) {
  edge only = m->edge[m->head[b->node]];
  const int32_t *known = done_on(m, 0, only.symbol);
  int32_t silent = 0;
  for (int32_t red = b->tried; red < m->reds; red++) silent += known[red] == UNKNOWN;
  for (int32_t red = b->tried; red < m->reds; red++)
    if (known[red] == only.action && !add_candidate(b, red)) return 0;
  b->silent += silent, b->tried = m->reds;
  return 1;
}

/* Brings the candidates of a blue node up to date; 0 without memory. */
static int rate(merger *m, blue *b) {
  int64_t kept = b->stale ? 0 : b->candidates; /* These are up to date. */
  if (!b->stale && b->tried == m->reds) return 1;
  if (!(is_single(m, b) ? try_single(m, b) : try_states(m, b))) return 0;
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
    first->score = (int32_t)score_at_once(m, first, at);
    if (first->score > 0) first->score = (int32_t)score_of(m, first, at);
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
  sweep(m);
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
