/* Checks a derivation of the empty clause: each clause of it must follow by unit propagation (RUP).
 *
 * A literal is coded as 2 * variable + sign. What is derived without assumptions stays true, also when a clause
 * that it came from is deleted: deleting only saves time.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct list {
    int64_t *items, held, room;
};

struct state {
    int64_t variables;
    int8_t *value;        /* of each literal: 1 true, -1 false, 0 open */
    int32_t *trail;       /* the literals that are true, in order */
    int64_t held, looked; /* of the trail; up to `looked` it was propagated */
    int32_t *arena;       /* each clause: its size, or 0 once deleted, then its literals */
    int64_t used, room;
    struct list *watches; /* of each literal, the clauses that watch it */
    struct list *named;   /* clauses by a hash of their literals */
    int64_t names;
    int contradiction, no_memory;
};

static void push(struct state *s, struct list *list, int64_t item) {
    if (list->held == list->room) {
        int64_t room = list->room ? 2 * list->room : 4;
        int64_t *items = realloc(list->items, room * sizeof *items);
        if (!items) {
            s->no_memory = 1;
            return;
        }
        list->items = items;
        list->room = room;
    }
    list->items[list->held++] = item;
}

static void set(struct state *s, int32_t literal) {
    s->value[literal] = 1;
    s->value[literal ^ 1] = -1;
    s->trail[s->held++] = literal;
}

/* 1 if some clause is false. */
static int propagate(struct state *s) {
    while (s->looked < s->held) {
        int32_t false_one = s->trail[s->looked++] ^ 1;
        struct list *list = &s->watches[false_one];
        int64_t kept = 0, i = 0;
        int conflict = 0;
        while (i < list->held) {
            int64_t at = list->items[i++];
            int32_t size = s->arena[at], *c = s->arena + at + 1;
            if (!size)
                continue;
            if (c[0] == false_one) {
                c[0] = c[1];
                c[1] = false_one;
            }
            int moved = 0;
            if (s->value[c[0]] != 1)
                for (int32_t j = 2; j < size && !moved; j++)
                    if (s->value[c[j]] != -1) {
                        c[1] = c[j];
                        c[j] = false_one;
                        push(s, &s->watches[c[1]], at);
                        moved = 1;
                    }
            if (moved)
                continue;
            list->items[kept++] = at;
            if (s->value[c[0]] == 0)
                set(s, c[0]);
            else if (s->value[c[0]] == -1) {
                conflict = 1;
                break;
            }
        }
        if (i < list->held)
            memmove(list->items + kept, list->items + i, (size_t)(list->held - i) * sizeof *list->items);
        list->held = kept + list->held - i;
        if (conflict)
            return 1;
    }
    return 0;
}

static int64_t hash(const struct state *s, const int32_t *literals, int64_t n) {
    uint64_t sum = (uint64_t)n;
    for (int64_t i = 0; i < n; i++) {
        uint64_t mixed = ((uint64_t)literals[i] + 1) * 0x9E3779B97F4A7C15u;
        sum += mixed ^ (mixed >> 29);
    }
    return (int64_t)((sum ^ (sum >> 31)) % (uint64_t)s->names);
}

/* Adds a clause that is known to hold. */
static void add(struct state *s, const int32_t *literals, int64_t n) {
    if (s->used + n + 1 > s->room) {
        int64_t room = 2 * (s->room + n + 1);
        int32_t *arena = realloc(s->arena, room * sizeof *arena);
        if (!arena) {
            s->no_memory = 1;
            return;
        }
        s->arena = arena;
        s->room = room;
    }
    int32_t *c = s->arena + s->used + 1;
    int64_t open = 0;
    memcpy(c, literals, (size_t)n * sizeof *c);
    for (int64_t i = 0; i < n && open < 2; i++)
        if (s->value[c[i]] != -1) {
            int32_t first = c[open];
            c[open++] = c[i];
            c[i] = first;
        }
    if (open < 2) {
        if (open && s->value[c[0]] == 0)
            set(s, c[0]);
        s->contradiction |= !open || propagate(s);
        return;
    }
    s->arena[s->used] = (int32_t)n;
    push(s, &s->watches[c[0]], s->used);
    push(s, &s->watches[c[1]], s->used);
    push(s, &s->named[hash(s, literals, n)], s->used);
    s->used += n + 1;
}

static int has_all(const int32_t *c, int32_t size, const int32_t *literals, int64_t n) {
    if (size != n)
        return 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t j = 0;
        while (j < size && c[j] != literals[i])
            j++;
        if (j == size)
            return 0;
    }
    return 1;
}

static void forget(struct state *s, const int32_t *literals, int64_t n) {
    struct list *list = &s->named[hash(s, literals, n)];
    for (int64_t i = 0; i < list->held; i++) {
        int32_t *c = s->arena + list->items[i];
        if (has_all(c + 1, c[0], literals, n)) {
            c[0] = 0;
            list->items[i] = list->items[--list->held];
            return;
        }
    }
}

static int follows(struct state *s, const int32_t *literals, int64_t n) {
    int64_t before = s->held;
    int answer = 0;
    for (int64_t i = 0; i < n && !answer; i++) {
        if (s->value[literals[i]] == 1)
            answer = 1;
        else if (s->value[literals[i]] == 0)
            set(s, literals[i] ^ 1);
    }
    answer = answer || propagate(s);
    while (s->held > before) {
        int32_t literal = s->trail[--s->held];
        s->value[literal] = s->value[literal ^ 1] = 0;
    }
    s->looked = before;
    return answer;
}

static void release(struct state *s) {
    for (int64_t i = 0; s->watches && i < 2 * s->variables + 2; i++)
        free(s->watches[i].items);
    for (int64_t i = 0; s->named && i < s->names; i++)
        free(s->named[i].items);
    free(s->value), free(s->trail), free(s->arena), free(s->watches), free(s->named);
}

/* 1: the empty clause is derived. 0: it is not, and `where` is the line that does not follow, or -1 if all do.
 * -1: no memory. -2: this is no derivation. Clauses are literals 1, -1, 2, … each ended by 0, in its shape. */
int derive(const int32_t *formula, int64_t numbers, const uint8_t *lines, int64_t bytes, int64_t variables,
           int64_t *where) {
    struct state s = {.variables = variables, .names = 1 + numbers / 4 + bytes / 16, .room = 1024};
    int64_t literals = 2 * variables + 2, most = numbers > bytes ? numbers : bytes;
    s.value = calloc((size_t)literals, sizeof *s.value);
    s.trail = malloc((size_t)literals * sizeof *s.trail);
    s.watches = calloc((size_t)literals, sizeof *s.watches);
    s.named = calloc((size_t)s.names, sizeof *s.named);
    s.arena = malloc((size_t)s.room * sizeof *s.arena);
    int32_t *clause = malloc((size_t)(most + 1) * sizeof *clause);
    int answer = 0;
    *where = -1;
    if (!s.value || !s.trail || !s.watches || !s.named || !s.arena || !clause)
        s.no_memory = 1;
    int64_t n = 0;
    for (int64_t i = 0; i < numbers && !s.contradiction && !s.no_memory; i++) {
        if (formula[i]) {
            clause[n++] = formula[i] > 0 ? 2 * formula[i] : -2 * formula[i] + 1;
        } else {
            add(&s, clause, n);
            n = 0;
        }
    }
    int64_t at = 0;
    for (int64_t line = 0; at < bytes && !s.contradiction && !s.no_memory && !answer; line++) {
        uint8_t kind = lines[at++];
        uint64_t code = 1;
        n = 0;
        while (code && (kind == 'a' || kind == 'd')) {
            int shift = 0;
            code = 0;
            do {
                if (at == bytes || shift > 28)
                    goto malformed;
                code |= (uint64_t)(lines[at] & 127) << shift;
                shift += 7;
            } while (lines[at++] & 128);
            if (code == 1 || code > 2 * (uint64_t)variables + 1)
                goto malformed;
            if (code)
                clause[n++] = (int32_t)code;
        }
        if (kind == 'd') {
            forget(&s, clause, n);
        } else if (kind != 'a') {
        malformed:
            answer = -2;
        } else if (follows(&s, clause, n)) {
            add(&s, clause, n);
        } else {
            *where = line;
            break;
        }
    }
    if (s.no_memory)
        answer = -1;
    else if (!answer)
        answer = s.contradiction;
    release(&s);
    free(clause);
    return answer;
}
