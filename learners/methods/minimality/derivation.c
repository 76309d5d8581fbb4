/* Checks a derivation of the empty clause: each clause of it must follow by unit propagation (RUP).
 *
 * A literal is coded as 2 * variable + sign. What is derived without assumptions stays true, also when a clause
 * that it came from is deleted: deleting only saves time. Hints are the lines from which each clause follows, in the
 * order in which they leave one literal open; the last one leaves none.
 */

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct list {
    int64_t *items, held, room;
};

struct state {
    int8_t *value;        /* of each literal: 1 true, -1 false, 0 open */
    int32_t *trail;       /* the literals that are true, in order */
    int32_t *reason;      /* of each literal that is true, the line that it follows from, or -1 */
    const int32_t *lines;
    int64_t *starts;      /* of each line */
    int32_t conflict;     /* the line that became false */
    int8_t *marked;       /* literals whose reasons are hints */
    int32_t *hints;
    int64_t hinted, room;
    int64_t held, looked; /* of the trail; up to `looked` it was propagated */
    int32_t *arena;       /* each clause: its size, or 0 once deleted, its line, then its literals */
    int64_t used;
    struct list *watches; /* of each literal, the clauses that watch it */
    struct list *named;   /* clauses by a hash of their literals */
    int64_t names;
    int contradiction;
    jmp_buf no_memory;
};

static void push(struct state *s, struct list *list, int64_t item) {
    if (list->held == list->room) {
        list->room = list->room ? 2 * list->room : 4;
        int64_t *items = realloc(list->items, (size_t)list->room * sizeof *items);
        if (!items) longjmp(s->no_memory, 1);
        list->items = items;
    }
    list->items[list->held++] = item;
}

static void set(struct state *s, int32_t literal, int32_t reason) {
    s->reason[literal] = reason;
    s->value[literal] = 1;
    s->value[literal ^ 1] = -1;
    s->trail[s->held++] = literal;
}

/* Watches another literal of a clause whose second one is false; 0 if there is none, or it is not needed. */
static int moved(struct state *s, int64_t at) {
    int32_t size = s->arena[at], *c = s->arena + at + 2, false_one = c[1];
    for (int32_t j = 2; s->value[c[0]] != 1 && j < size; j++)
        if (s->value[c[j]] != -1) {
            c[1] = c[j], c[j] = false_one;
            push(s, &s->watches[c[1]], at);
            return 1;
        }
    return 0;
}

/* 1 if some clause is false. */
static int propagate(struct state *s) {
    int conflict = 0;
    while (!conflict && s->looked < s->held) {
        int32_t false_one = s->trail[s->looked++] ^ 1;
        struct list *list = &s->watches[false_one];
        int64_t kept = 0;
        for (int64_t i = 0; i < list->held; i++) {
            int64_t at = list->items[i];
            int32_t *c = s->arena + at + 2;
            if (!s->arena[at]) continue;
            if (c[0] == false_one) c[0] = c[1], c[1] = false_one;
            if (!conflict && moved(s, at)) continue;
            list->items[kept++] = at;
            if (!conflict && s->value[c[0]] == 0) set(s, c[0], s->arena[at + 1]);
            if (!conflict && s->value[c[0]] == -1) conflict = 1, s->conflict = s->arena[at + 1];
        }
        list->held = kept;
    }
    return conflict;
}

static void mark(struct state *s, int32_t line, int32_t but) {
    for (const int32_t *c = s->lines + s->starts[line] + 1; *c; c++)
        if (*c != but) s->marked[*c ^ 1] = 1;
}

static void hint(struct state *s, int32_t number) {
    if (s->hinted < s->room) s->hints[s->hinted] = number;
    s->hinted++;
}

/* How many lines lead to the line that is false, and these: first those that others need. */
static void hint_at(struct state *s, int32_t conflict, int32_t but) {
    int64_t first = s->hinted + 1, last;
    hint(s, 0);
    if (conflict < 0) return; /* it has a literal and its opposite */
    hint(s, conflict);
    mark(s, conflict, but);
    for (int64_t i = s->held; i-- > 0;) {
        int32_t literal = s->trail[i];
        if (!s->marked[literal]) continue;
        s->marked[literal] = 0;
        if (s->reason[literal] < 0) continue;
        hint(s, s->reason[literal]);
        mark(s, s->reason[literal], literal);
    }
    last = s->hinted;
    if (last > s->room) return;
    s->hints[first - 1] = (int32_t)(last - first);
    for (int64_t i = first, j = last - 1; i < j; i++, j--) {
        int32_t other = s->hints[i];
        s->hints[i] = s->hints[j], s->hints[j] = other;
    }
}

/* The same for literals in any order. */
static uint64_t hash(const int32_t *literals, int64_t n) {
    uint64_t sum = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        uint64_t mixed = ((uint64_t)literals[i] + 1) * 0x9E3779B97F4A7C15u;
        sum += mixed ^ (mixed >> 29);
    }
    return sum ^ (sum >> 31);
}

/* Adds a clause that is known to hold. */
static void add(struct state *s, const int32_t *literals, int64_t n, int32_t line) {
    int32_t *c = s->arena + s->used + 2;
    int64_t open = 0;
    memcpy(c, literals, (size_t)n * sizeof *c);
    for (int64_t i = 0; i < n && open < 2; i++)
        if (s->value[c[i]] != -1) {
            int32_t first = c[open];
            c[open++] = c[i], c[i] = first;
        }
    if (open < 2) {
        if (open && s->value[c[0]] == 0) set(s, c[0], line);
        s->conflict = line;
        s->contradiction |= !open || propagate(s);
        return;
    }
    s->arena[s->used] = (int32_t)n, s->arena[s->used + 1] = line;
    push(s, &s->watches[c[0]], s->used);
    push(s, &s->watches[c[1]], s->used);
    push(s, &s->named[hash(literals, n) % (uint64_t)s->names], s->used);
    s->used += n + 2;
}

static void forget(struct state *s, const int32_t *literals, int64_t n) {
    uint64_t name = hash(literals, n);
    struct list *list = &s->named[name % (uint64_t)s->names];
    for (int64_t i = 0; i < list->held; i++) {
        int32_t *c = s->arena + list->items[i];
        if (hash(c + 2, c[0]) != name) continue;
        c[0] = 0;
        list->items[i] = list->items[--list->held];
        return;
    }
}

static int follows(struct state *s, const int32_t *literals, int64_t n) {
    int64_t before = s->held;
    int answer = 0;
    int32_t but = 0;
    for (int64_t i = 0; i < n && !answer; i++) {
        answer = s->value[literals[i]] == 1;
        if (answer) but = literals[i], s->conflict = s->reason[but];
        if (s->value[literals[i]] == 0) set(s, literals[i] ^ 1, -1);
    }
    answer = answer || propagate(s);
    if (answer) hint_at(s, s->conflict, but);
    while (s->held > before) {
        int32_t literal = s->trail[--s->held];
        s->value[literal] = s->value[literal ^ 1] = 0;
    }
    s->looked = before;
    return answer;
}

/* The first line that does not follow; the number of lines if all do, but not to the empty clause; -1 if that is derived,
 * -2 without memory. Each line has its kind, 'i' for a clause that is given, 'a' for one that follows or 'd' for one that is
 * deleted; its literals, all below `literals`; and 0. Of each clause that follows, and last of the empty one, `hints` has the
 * number of its hints, and these; `hinted` is the room that they need. */
int64_t derive(const int32_t *lines, int64_t numbers, int64_t count, int64_t literals, int32_t *hints, int64_t room,
               int64_t *hinted) {
    struct state s = {.names = 1 + count, .lines = lines, .hints = hints, .room = room};
    int64_t line = 0, at = 0;
    s.value = calloc((size_t)literals, sizeof *s.value);
    s.trail = malloc((size_t)literals * sizeof *s.trail);
    s.reason = malloc((size_t)literals * sizeof *s.reason);
    s.marked = calloc((size_t)literals, sizeof *s.marked);
    s.starts = malloc((size_t)(count + 1) * sizeof *s.starts);
    s.watches = calloc((size_t)literals, sizeof *s.watches);
    s.named = calloc((size_t)s.names, sizeof *s.named);
    s.arena = malloc((size_t)(numbers + 1) * sizeof *s.arena);
    volatile int64_t answer = -2;
    if (s.value && s.trail && s.reason && s.marked && s.starts && s.watches && s.named && s.arena && !setjmp(s.no_memory)) {
        for (; line < count && !s.contradiction; line++) {
            const int32_t *clause = lines + at + 1;
            int32_t kind = lines[at], n = 0;
            while (clause[n]) n++;
            s.starts[line] = at;
            if (kind == 'a' && !follows(&s, clause, n)) break;
            if (kind == 'd')
                forget(&s, clause, n);
            else
                add(&s, clause, n, (int32_t)line);
            at += n + 2;
        }
        if (s.contradiction) hint_at(&s, s.conflict, 0);
        answer = s.contradiction ? -1 : line;
        *hinted = s.hinted;
    }
    for (int64_t i = 0; s.watches && i < literals; i++) free(s.watches[i].items);
    for (int64_t i = 0; s.named && i < s.names; i++) free(s.named[i].items);
    free(s.value), free(s.trail), free(s.reason), free(s.marked), free(s.starts), free(s.arena), free(s.watches), free(s.named);
    return answer;
}
