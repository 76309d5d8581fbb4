/* Two tables together on one world, as `joint_run` in compiler/proofs/joint_step.py defines it.
 *
 * A step of both is an edge: LEFT's state, RIGHT's, and the symbol that they read. Those that no run before has taken
 * are put down with the cell where they were taken first. */

enum { NONE = -1, STAY = 4, WORLD_BYTES = 10000000 /* bytes of one world; a run of some thousand steps takes less */ };
#define EDGE UINT16_MAX
enum { LEFT_STUCK = 1, RIGHT_DIFFERS = 2, BOTH_HALT = 3, UNENDED = 4, NO_MEMORY = 5 };
enum { UNASKED, SAME, NEVER }; /* what is claimed where LEFT is stuck */

typedef struct rule {
  int32_t write, move, next; /* NONE where there is none */
} rule;

typedef struct edge {
  int32_t left, right, symbol, spare;
  int64_t x, y;
} edge;

typedef struct joint {
  const rule *left, *right;
  int64_t symbols, right_states, claim;
  uint8_t *taken; /* (LEFT's states, RIGHT's, symbols) */
  edge *fresh;    /* room for an edge a step, and one more */
  int64_t found, steps; /* of the last run: edges put down, and steps begun */
} joint;

/* What both do at one place, under the claim; RUNNING where they go on. */
static int outcome_of(const rule *l, const rule *r, int symbol, int64_t claim) {
  if (l->write == NONE) {
    int allowed = claim == UNASKED || (claim == SAME && r->write == NONE);
    return allowed ? LEFT_STUCK : RIGHT_DIFFERS;
  }
  if (l->write != r->write || l->move != r->move) return RIGHT_DIFFERS;
  return l->move == STAY && l->write == symbol ? BOTH_HALT : RUNNING;
}

/* One run of at most `limit` steps. The edge of its end is told as `fresh[found]`. */
int joint_run(joint *j, const int64_t *xs, const int64_t *ys, const int32_t *symbols, int64_t count, int64_t x, int64_t y,
              int64_t limit) {
  static const int offsets[] = {-STRIDE, STRIDE, -1, 1, 0};
  j->found = j->steps = 0;
  world *w = grid_new(WORLD_BYTES, EDGE);
  if (w == NULL) return NO_MEMORY;
  tile *here = grid_put(w, count, xs, ys, symbols) ? tile_around(w, x, y) : NULL;
  cell *p = here == NULL ? NULL : cell_at(here, x, y);
  int64_t left = 0, right = 0;
  int outcome = RUNNING;
  while (outcome == RUNNING) {
    if (p != NULL && *p == EDGE) p = cross(w, &here, p, 1);
    if (p == NULL || j->steps == limit) {
      outcome = p == NULL ? NO_MEMORY : UNENDED;
      break;
    }
    int symbol = *p;
    const rule *l = &j->left[left * j->symbols + symbol], *r = &j->right[right * j->symbols + symbol];
    uint8_t *taken = &j->taken[(left * j->right_states + right) * j->symbols + symbol];
    j->steps++;
    outcome = outcome_of(l, r, symbol, j->claim);
    if (!*taken || outcome != RUNNING) {
      edge seen = {(int32_t)left, (int32_t)right, symbol, 0, column_of(here, p), row_of(here, p)};
      j->fresh[j->found] = seen;
      if (!*taken) j->fresh[++j->found] = seen;
      *taken = 1;
    }
    *p = (cell)l->write;
    if (outcome == RUNNING) p += offsets[l->move];
    left = l->next, right = r->next;
  }
  grid_free(w);
  return outcome;
}
