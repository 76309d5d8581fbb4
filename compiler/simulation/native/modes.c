/* Which mode runs: code, data, blocks or macro steps, whichever takes the fewest cycles. Cycles are counted from
 * what is done and never measured: the same run goes the same way, however busy the machine is. */

enum { DATA = 10, JUMP = 5, SURPRISE = 26 }; /* cycles: a step as data; a jump of code; more, if it is not foreseen */
/* Cycles before macro steps are tried, and before the jumps of code are looked at, and again; the fewest single steps
 * between two tries; how many steps are looked at. Tests are eager for macro steps, or for blocks. */
#ifdef EAGER
enum { SOON = 1, LOOK = 1, LATER = 1, AGAIN = 8, SAMPLE = 8 };
#else
enum { SOON = 1 << 17, LOOK = 1 << 15, LATER = 1 << 18, AGAIN = LONGEST, SAMPLE = 1 << 10 };
#define EAGER LAZILY
#endif
enum { LAZILY, FOR_MACRO_STEPS, FOR_BLOCKS, EAGERLY = EAGER };
#define SCANNING 2.0 /* cycles a step: there is less to be won, and the first try comes later */
#define HOPELESS 0.25 /* scans and leaps are not to be beaten */
#define NO_NEWS (0.75 * NEW_STEP) /* cycles a step that macro steps may take: most passages must be known */
/* Cycles, and the parts of all work, that macro steps and blocks may waste in a try, and that the table of blocks may
 * take, which is kept. Blocks are tried once there was work enough to pay for it. */
enum { CREDIT = 1 << 15, SHARE = 64, BLOCKS_SHARE = 16, TABLE_SHARE = 2, BLOCKS_SOON = 4 * SOON };
enum { ENOUGH = EAGERLY ? 1 : 1 << 16 }; /* steps by blocks */
enum { GROWTH = 4 }; /* of a slice, as an agent that leaps may do something else at any time */
enum { ROUND = 1 << 12, TOUCHED = 64 }; /* steps and cells of a round that is looked for */
enum { PAUSED = BUDGET + 1 };

typedef struct plan {
  machine *code;          /* what there is to choose from */
  int by_data, by_blocks; /* though there is code; as long as they can */
  int first;              /* no macro steps were tried */
  double surprises;       /* a jump */
  double each, plain;     /* cycles a single step, by the last of them, and by the last without blocks */
  uint64_t last;          /* how many they were, without blocks */
  uint64_t sample, macro, blocks; /* the work at which to look at jumps, and to try macro steps and blocks */
} plan;

static plan new_plan(const agent *a, uint64_t work) {
  uint64_t sample = a->code != NULL && a->cases != NULL ? work + LOOK : UINT64_MAX;
  return (plan){.code = a->code, .by_data = 1, .first = 1, .each = DATA, .plain = DATA, .last = AGAIN,
                .sample = sample, .macro = work + SOON, .blocks = BLOCKS_SOON};
}

/* Outcomes of single steps, RUNNING where memory is spent. */
static int ended(const world *w, int outcome, uint64_t end) { return outcome == BUDGET && w->steps < end ? RUNNING : outcome; }

/* Blocks for `wanted` steps, or for as many as pay for the parts that are read. The cycles. */
static double steps_by_blocks(world *w, plan *now, double wanted, uint64_t left) {
  blocks *b = w->blocks;
  uint64_t before = w->steps, learnt = b->learnt, size = wanted > ENOUGH ? (uint64_t)wanted : ENOUGH;
  double credit = EAGERLY ? 1e18 : (double)(CREDIT + w->work / BLOCKS_SHARE);
  uint64_t most = EAGERLY ? UINT64_MAX : w->work / TABLE_SHARE;
  double spent = (double)block_steps(w, b, size < left ? size : left, now->plain, credit, most);
  double steps = (double)(w->steps - before), more = spent - now->plain * steps;
  now->by_blocks = EAGERLY || more < (steps < ENOUGH ? credit : 0);
  if (!now->by_blocks) now->blocks = 4 * w->work;
  return spent + (double)(b->learnt - learnt);
}

/* At most `left` steps, and about what this number of cycles suffices for. */
static int single_steps(world *w, const agent *a, plan *now, uint64_t left, uint64_t cycles) {
  uint64_t begun = w->steps, most = GROWTH * now->last;
  double wanted = (double)cycles / now->each, spent = 1;
  if (now->by_blocks) spent += steps_by_blocks(w, now, wanted, left);
  uint64_t before = w->steps, saved = w->saved, done = before - begun;
  wanted -= (double)done;
  uint64_t size = wanted < (double)most ? (uint64_t)(wanted > 0 ? wanted : 0) : most;
  if (done == 0 && size < AGAIN) size = AGAIN;
  if (size > left - done) size = left - done;
  int by_data = now->code == NULL || now->by_data;
  int outcome = by_data ? interpret(w, a, size, NULL) : a->code(w, size);
  uint64_t last = w->steps - before;
  double jumps = (double)(int64_t)(last - (w->saved - saved));
  spent += jumps * (by_data ? DATA : JUMP + SURPRISE * now->surprises);
  if (done == 0) now->plain = spent / (double)(last + 1);
  if (done == 0 || done + last > AGAIN) now->each = spent / (double)(done + last + 1);
  now->last = last > AGAIN ? last : AGAIN;
  w->work += (uint64_t)spent;
  return ended(w, outcome, before + size);
}

/* Single steps that tell how well the jumps of code are foreseen: if badly, data is faster. */
static int sample(world *w, const agent *a, plan *now, uint64_t left) {
  now->sample = w->work + (w->work / 8 > LATER ? w->work / 8 : LATER);
  if (!EAGERLY && !now->by_data && now->each * (JUMP + SURPRISE) < DATA * JUMP) return BUDGET;
  forecast *f = calloc(1, sizeof *f);
  if (f == NULL) return BUDGET;
  uint64_t size = left < SAMPLE ? left : SAMPLE, before = w->steps;
  int outcome = interpret(w, a, size / 2, f);
  f->steps = f->jumps = f->missed = 0;
  if (outcome == BUDGET) outcome = interpret(w, a, size - size / 2, f);
  w->work += (w->steps - before) * DATA;
  now->surprises = (double)f->missed / (double)(f->jumps + 1);
  double code = (double)f->jumps / (double)(f->steps + 1) * (JUMP + SURPRISE * now->surprises);
  now->by_data = code > DATA;
  now->plain = now->by_data ? DATA : code;
  now->each = now->plain;
  free(f);
  return ended(w, outcome, before + size);
}

/* A run that comes back to a configuration repeats itself: whole rounds are skipped. At most `left` steps, and few
 * of them unless there is such a round. */
static void skip_rounds(world *w, const agent *a, uint64_t left) {
  cell *touched[TOUCHED], was[TOUCHED];
  int count = 0, changed = 0, i;
  tile *t = tile_around(w, w->x, w->y);
  if (t == NULL) return;
  const rule *first = a->rules + (uint32_t)w->state * a->symbols, *row = first;
  cell *start = cell_at(t, w->x, w->y), *p = start;
  uint64_t done = 0;
  while (done < left && done < ROUND && row[*p].offset < HALT) {
    rule r = row[*p];
    for (i = 0; i < count && touched[i] != p; i++) continue;
    w->work += 8 + (uint64_t)i;
    if (i == TOUCHED) break;
    if (i == count) touched[i] = p, was[count++] = *p;
    changed += (r.write != was[i]) - (*p != was[i]);
    *p = (cell)r.write;
    row = a->rules + state_after(r);
    p += r.offset;
    done++;
    cell *next = *p == EDGE ? cross(w, &t, p) : p;
    if (next == NULL) break;
    p = next;
    if (p == start && row == first && changed == 0) {
      done += (left - done) / done * done;
      break;
    }
  }
  w->steps += done;
  w->x = column_of(t, p);
  w->y = row_of(t, p);
  w->state = (int32_t)((uint32_t)(row - a->rules) / a->symbols);
}

/* The work at which macro steps are tried again: later while little was done that could pay for a try. */
static uint64_t next_try(uint64_t work) { return work * (work < BLOCKS_SOON ? 4 : 2); }

static void try_macro_steps(world *w, const agent *a, plan *now, uint64_t left, uint64_t pause) {
  int first = now->first, paid = 0;
  now->first = 0;
  now->macro = first && now->each < SCANNING ? w->work * 8 : next_try(w->work);
  if (!EAGERLY && (now->each < HOPELESS || (first && now->each < SCANNING))) return;
  if (EAGERLY != FOR_BLOCKS) {
    if (w->memo == NULL) w->memo = new_memo(w, a);
    if (w->memo == NULL) return;
    double each = EAGERLY ? 1e9 : now->each < NO_NEWS ? now->each : NO_NEWS;
    w->work += macro_steps(w->memo, left, each, (double)(CREDIT + w->work / SHARE), pause - w->work, &paid);
  }
  now->macro = paid ? w->work + LONGEST : next_try(w->work);
  if (paid || (!EAGERLY && (2 * now->each < CROSSING || w->work < now->blocks))) return;
  if (w->blocks == NULL) w->blocks = new_blocks(a);
  now->by_blocks = w->blocks != NULL;
}

/* Runs for at most `budget` more steps, and pauses after `cycles` cycles of work; RUNNING if memory is spent. */
int grid_run(world *w, const agent *a, uint64_t budget, uint64_t cycles) {
  uint64_t begun = w->steps, end = begun + budget;
  if (w->reads != NULL || w->counts != NULL) {
    int observed = a->code != NULL ? a->code(w, budget) : interpret(w, a, budget, NULL);
    w->work += (w->steps - begun) * JUMP;
    return ended(w, observed, end);
  }
  if (w->plan == NULL) w->plan = calloc(1, sizeof(plan));
  plan *now = w->plan;
  if (now == NULL) return RUNNING;
  if (now->macro == 0 || now->code != a->code) *now = new_plan(a, w->work);
  uint64_t pause = w->work + cycles;
  int outcome = BUDGET;
  while (outcome == BUDGET && w->steps < end) {
    if (w->work >= pause) return PAUSED;
    if (w->work >= now->macro) {
      skip_rounds(w, a, end - w->steps);
      try_macro_steps(w, a, now, end - w->steps, pause);
    }
    if (w->work >= now->sample && !now->by_blocks && w->steps < end) {
      outcome = sample(w, a, now, end - w->steps);
      if (now->first && outcome == BUDGET) skip_rounds(w, a, end - w->steps);
    }
    if (outcome != BUDGET || w->steps == end) break;
    uint64_t next = now->macro < now->sample || now->by_blocks ? now->macro : now->sample;
    if (pause < next) next = pause;
    outcome = single_steps(w, a, now, end - w->steps, next > w->work ? next - w->work : 0);
  }
  return outcome;
}
