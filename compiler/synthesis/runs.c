/* Runs of one partial agent on many inputs, each until it ends or needs a rule that is not chosen yet.

   All that a run does is noted, so that it can be taken back. */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OPEN 255  /* `next` of a rule that is not chosen */
#define WANTED 1  /* `write` of one that is likely to be needed, though its state has rules */
#define HALT 254  /* write, and halt */
#define STUCK 253 /* no rule, for good */
#define ENDS 245  /* from here on: the run has ended; up to STUCK, with a decision for one of several results */
#define SLOTS 64

enum { RESULT, ACCEPT, GET_STUCK, DECIDE }; /* what is asked of an input; from DECIDE on, one of several results */
enum { NEW_ROW = 127, ZEROS = 128 }; /* in patterns: the next row; any number of this symbol */
enum { NEW, WAITING, FINISHED };     /* a run */
enum { WRONG, RIGHT, NEEDS_RULE };   /* a run that went on */
enum { HIDDEN = 1 << 30 };           /* a head that was not seen */
enum { LAST_ALONE = 1 << 28 };       /* steps between grids, where only the last one was seen */

struct rule {
    uint8_t write, move, next, adds; /* how many states are used by it for the first time */
};

/* What is searched for. Symbols from `marks` on stand in no input and no result, and the `letters` from
   `first_letter` on may be permuted, in `orders` ways, by an agent whose rules permute alike. The first `named`
   states are there from the start. A `flat` agent never leaves its row. Inputs from `active` on are asked only where
   all before are right.

   If `every` is not 0, grids were seen during the runs: one after each `every` steps, and the last when a run ended.
   `grids` has the first grid of each input, `changes` of each grid the first cell that has changed since the one
   before: its place from where the head began, and both symbols. A head is HIDDEN where it was not seen. */
struct problem {
    int32_t states, named, symbols, marks, moves, flat, stuck, first_letter, letters, orders, inputs, active;
    const uint8_t *rules, *permutations; /* of each state and symbol; orders of the letters */
    const int32_t *begins, *cell_x, *cell_y, *limits, *asked, *pattern_begins;
    const uint8_t *cell_symbols, *patterns; /* cells are those of each input that are not blank */
    int32_t every;
    const int32_t *grids, *changes, *change_x, *change_y, *head_x, *head_y;
    const uint8_t *symbol_before, *symbol_after;
};

struct run {
    uint8_t *origin, *target; /* cells, and those of the next grid that was seen */
    int32_t head, low, high, state, steps, pair, status;
    int32_t grid, wrong; /* the number of that grid, and how many cells are not as in it */
};

/* A run before it went on. */
struct change {
    int32_t slot, input, writes;
    struct run before;
};

struct write {
    uint8_t *cell, symbol;
};

struct runs {
    struct problem of;
    int32_t width, deltas[5];
    struct rule *rules;
    struct run *runs;
    uint8_t *cells, *conflict;
    uint64_t *watching;   /* of each pair: the slots whose inputs wait for its rule */
    int32_t slots[SLOTS]; /* active inputs; the last slot is for those that are asked later */
    struct change *changes;
    struct write *writes;
    int32_t changed, written, used, waiting;
    int64_t steps;
};

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }
static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

/* ---- results ---- */

/* Places in a pattern with those behind zeros, which may be missing. */
static uint64_t past_zeros(const uint8_t *pattern, int32_t length, uint64_t places) {
    for (int32_t i = 0; i < length; i++)
        if (pattern[i] & ZEROS && places >> i & 1)
            places |= (uint64_t)1 << (i + 1);
    return places;
}

static uint64_t after(const uint8_t *pattern, int32_t length, uint64_t places, uint8_t token) {
    uint64_t next = 0;
    for (int32_t i = 0; i < length; i++)
        if (places >> i & 1 && (pattern[i] & 127) == token)
            next |= (uint64_t)1 << (pattern[i] & ZEROS ? i : i + 1);
    return past_zeros(pattern, length, next);
}

/* The places after one row, without the blanks at its ends. */
static uint64_t after_row(const uint8_t *pattern, int32_t length, uint64_t places, const uint8_t *from,
                          const uint8_t *to) {
    while (from < to && !*from)
        from++;
    while (from < to && !to[-1])
        to--;
    for (; from < to && places; from++)
        places = after(pattern, length, places, *from);
    return places;
}

static int is_blank(const uint8_t *from, const uint8_t *to) {
    while (from < to)
        if (*from++)
            return 0;
    return 1;
}

/* Whether a run has left what is asked. */
static int is_right(const struct runs *all, int32_t input) {
    const struct problem *of = &all->of;
    const struct run *run = &all->runs[input];
    const uint8_t *pattern = of->patterns + of->pattern_begins[input];
    int32_t length = of->pattern_begins[input + 1] - of->pattern_begins[input];
    uint64_t places = past_zeros(pattern, length, 1);
    if (of->flat) {
        places = after_row(pattern, length, places, run->origin + run->low, run->origin + run->high + 1);
        return places >> length & 1;
    }
    int32_t width = all->width, half = width / 2; /* low <= 0 <= high */
    int32_t top = -((width - 1 - run->low - half) / width), bottom = (run->high + half) / width;
    const uint8_t *row = run->origin - half;
    while (top < bottom && is_blank(row + top * width, row + (top + 1) * width))
        top++;
    while (top < bottom && is_blank(row + bottom * width, row + (bottom + 1) * width))
        bottom--;
    for (int32_t y = top; y <= bottom && places; y++) {
        if (y > top)
            places = after(pattern, length, places, NEW_ROW);
        places = after_row(pattern, length, places, row + y * width, row + (y + 1) * width);
    }
    return places >> length & 1;
}

/* Whether some result fits both patterns. */
static int fit_together(const uint8_t *left, int32_t n, const uint8_t *right, int32_t m) {
    uint64_t reached[SLOTS] = {past_zeros(right, m, 1)}; /* by places of left: places of right */
    for (int32_t i = 0; i < n; i++) {
        uint64_t here = reached[i];
        if (left[i] & ZEROS) {
            for (uint64_t next = here; (next = after(right, m, next, left[i] & 127) & ~here);)
                here |= next;
            reached[i + 1] |= here;
        } else {
            reached[i + 1] |= after(right, m, here, left[i]);
        }
    }
    return reached[n] >> m & 1;
}

static int in_conflict(const struct problem *of, int32_t i, int32_t j) {
    if (of->asked[i] != of->asked[j])
        return most(of->asked[i], of->asked[j]) >= GET_STUCK;
    const int32_t *begins = of->pattern_begins;
    return of->asked[i] == RESULT && !fit_together(of->patterns + begins[i], begins[i + 1] - begins[i],
                                                   of->patterns + begins[j], begins[j + 1] - begins[j]);
}

/* ---- runs ---- */

/* Whether another input waits for the same rule on the same cells, with no result that is right for both. */
static int meets_its_rival(const struct runs *all, int32_t slot) {
    int32_t input = all->slots[slot];
    const struct run *run = &all->runs[input];
    if (slot == SLOTS - 1) /* all others have finished */
        return 0;
    const uint8_t *rivals = all->conflict + (size_t)input * all->of.active;
    for (uint64_t left = all->watching[run->pair]; left; left &= left - 1) {
        int32_t other = all->slots[__builtin_ctzll(left)];
        if (!rivals[other])
            continue;
        const struct run *rival = &all->runs[other];
        int32_t from = least(run->low - run->head, rival->low - rival->head);
        int32_t to = most(run->high - run->head, rival->high - rival->head);
        if (!memcmp(run->origin + run->head + from, rival->origin + rival->head + from, to - from + 1))
            return 1;
    }
    return 0;
}

static int ends_right(struct runs *all, int32_t input, uint8_t *cell, struct rule rule) {
    struct run *run = &all->runs[input];
    int32_t asked = all->of.asked[input];
    run->status = FINISHED;
    if (rule.next == STUCK)
        return asked == GET_STUCK;
    if (rule.next < STUCK)
        return asked == DECIDE + rule.next - ENDS;
    run->steps += rule.write == *cell ? 1 : 2; /* The idle step counts, and writing is another one. */
    all->writes[all->written++] = (struct write){cell, *cell};
    *cell = rule.write;
    return asked == ACCEPT || (asked != GET_STUCK && is_right(all, input));
}

/* Lets a run go on: it is wrong, right, or needs a rule. */
static int go_on(struct runs *all, int32_t input) {
    struct run *run = &all->runs[input];
    const struct rule *rules = all->rules;
    const int32_t symbols = all->of.symbols, limit = all->of.limits[input], states = all->used;
    uint8_t *const origin = run->origin;
    int32_t head = run->head, state = run->state, steps = run->steps, low = run->low, high = run->high;
    int32_t fresh = 0; /* new cells in a row, to the left if negative */
    struct rule rule;
    uint8_t *cell;
    for (;;) {
        cell = origin + head;
        rule = rules[state * symbols + *cell];
        if (rule.next >= ENDS)
            break;
        if (++steps >= limit)
            return WRONG;
        if (rule.write != *cell) {
            all->writes[all->written++] = (struct write){cell, *cell};
            *cell = rule.write;
        }
        head += all->deltas[rule.move];
        state = rule.next;
        if (head > high) {
            high = head;
            fresh = fresh > 0 ? fresh + 1 : 1;
        } else if (head < low) {
            low = head;
            fresh = fresh < 0 ? fresh - 1 : -1;
        } else {
            fresh = 0;
            continue;
        }
        if (fresh > states || fresh < -states) /* On blanks alone some state has come again: it runs away. */
            return WRONG;
    }
    run->head = head, run->state = state, run->steps = steps, run->low = low, run->high = high;
    run->pair = state * symbols + *cell;
    run->status = WAITING;
    return rule.next == OPEN ? NEEDS_RULE : ends_right(all, input, cell, rule) ? RIGHT : WRONG;
}

static int go_on_as_shown(struct runs *all, int32_t input);
static void unshow(struct runs *all, int32_t input, int32_t grid);

/* Lets the input of a slot go on until it waits or has finished; 0 where something is wrong. */
static int advance(struct runs *all, int32_t slot) {
    int32_t input = all->slots[slot];
    struct run *run = &all->runs[input];
    uint64_t bit = (uint64_t)1 << slot;
    all->changes[all->changed++] = (struct change){slot, input, all->written, *run};
    all->watching[run->pair] &= ~bit;
    all->steps -= run->steps;
    int answer = all->of.every ? go_on_as_shown(all, input) : go_on(all, input);
    all->steps += run->steps;
    if (answer == NEEDS_RULE) {
        if (meets_its_rival(all, slot))
            return 0;
        all->watching[run->pair] |= bit;
    } else if (answer == RIGHT) {
        all->waiting--;
    }
    return answer != WRONG;
}

static void take_back(struct runs *all, int32_t changed) {
    while (all->changed > changed) {
        const struct change *change = &all->changes[--all->changed];
        struct run *run = &all->runs[change->input];
        uint64_t bit = (uint64_t)1 << change->slot;
        while (all->written > change->writes) {
            const struct write *write = &all->writes[--all->written];
            *write->cell = write->symbol;
        }
        unshow(all, change->input, change->before.grid);
        all->steps -= run->steps - change->before.steps;
        all->watching[run->pair] &= ~bit;
        *run = change->before;
        all->slots[change->slot] = change->input;
        if (run->status == WAITING)
            all->watching[run->pair] |= bit;
    }
}
