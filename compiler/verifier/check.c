/* The second checker of gridlang's certificates: it shares nothing with the first one but the theorems.

   Build:  cc -O2 -std=c11 -o check check.c
   Use:    check CERT.json    prints `valid: ...` and exits with 0, or `not valid: WHERE: WHY` and exits with 1;
                              a file that cannot be read, or is too large to be checked here, exits with 2.

   A certificate (gridlang-certificate/4) is JSON: two tables, a claim about them, and evidence. It is valid if the
   theorem for its kind of evidence gives the claim. The theorems (V1) to (V10) are stated and proven in
   compiler/verifier/ and in docs/reference/evidence.md; comments here say where each of their conditions is checked.

   (V1) Runs. A world has a symbol in each cell of the plane. An agent in a state reads the symbol under its head; its
        table has an entry (write, move, next state) for that pair, or none: then it is stuck. An entry that writes
        what it reads and stays is idle: with it the agent has halted. It starts in state 0.
   (V2) Claim. RIGHT does what LEFT does on a run, if at every step until LEFT is stuck or has halted, the step with
        which it halts included, RIGHT writes and moves as LEFT does. With stuck "same", RIGHT is also stuck where LEFT
        is; with "never", LEFT is never stuck.

   The file goes from JSON and digests to sets, tables, clauses, the kinds of evidence and the claim. Whatever is wrong
   ends the program at once, so nothing has to be undone, and no memory is given back before the end. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_LIMIT ((size_t)128 << 20)   /* Bytes of a certificate. */
#define MEMORY_LIMIT ((size_t)2 << 30)   /* Bytes in all. */
#define WORK_LIMIT ((uint64_t)4 << 30)   /* Numbers looked up: some ten seconds. */
#define NUMBER_LIMIT ((Int)1 << 62)      /* As in the format: one may be added to a number. */
#define DEPTH_LIMIT 200                  /* Nesting of JSON. */
#define PIECE_LIMIT 150                  /* Nesting of an input clause; that of the language is 100. */
#define CELL_LIMIT 4096                  /* Cells of an input clause: its automaton has a square of bits. */
#define NODE_LIMIT 1000000               /* Sets of columns that inputs lead to. */
#define FARTHEST ((Int)1 << 40)          /* Cells of worlds are nearer, as in the format. */
#define SIZE_LIMIT 1000                  /* Rows and depth of strips. */
#define COVER_LIMIT 100000               /* Sets of places, with states of both clauses. */
#define EDGE_LIMIT 2000000               /* Columns of folded inputs, told apart by what may follow. */
#define OUTPUT_LIMIT 99                  /* Nodes of an output clause. */
#define LITERAL_LIMIT 1000000000         /* Numbers in an output clause, as in the language. */
#define CONSTANT_LIMIT 1000              /* Numbers in an output clause: states are as many. */
#define STATE_LIMIT 10000                /* As in the language. */
#define SYMBOL_LIMIT 1000                /* As in the language. */

typedef int64_t Int;

static const char *place = "certificate"; /* What is being checked, */
static Int place_index = -1;              /* and which one, where there are several. */

static _Noreturn void stop(int code, const char *verdict, const char *why) {
    printf("%s: %s", verdict, place);
    if (place_index >= 0) printf(" %lld", (long long)place_index);
    printf(": %s\n", why);
    exit(code);
}

static _Noreturn void wrong(const char *why) { stop(1, "not valid", why); }
static _Noreturn void refuse(const char *why) { stop(2, "refused", why); }

static void need(bool holds, const char *why) {
    if (!holds) wrong(why);
}

static void at(const char *where, Int index) { place = where, place_index = index; }

static void work(size_t amount) {
    static uint64_t done;
    if ((done += amount + 1) > WORK_LIMIT) refuse("it takes too long");
}

/* Zeroed memory; all of it hangs on one list. */
static void *take(size_t count, size_t size) {
    static union Block {
        union Block *next;
        max_align_t unused;
    } *blocks;
    static size_t used;
    if (count > MEMORY_LIMIT / size || (used += count * size + sizeof *blocks) > MEMORY_LIMIT)
        refuse("it takes too much memory");
    union Block *block = calloc(1, sizeof *block + count * size);
    if (!block) refuse("there is not enough memory");
    block->next = blocks, blocks = block;
    return block + 1;
}

static Int *take_ints(size_t count) { return take(count + 1, sizeof(Int)); }

/* JSON: a text is its code points, an object its keys and values in turn, sorted by key; all numbers are whole. */
typedef struct Value {
    enum { NIL, NO, YES, INTEGER, TEXT, ARRAY, OBJECT } kind;
    uint32_t size; /* Code points of a text, items of an array, keys of an object. */
    union {
        Int integer, *text;
        struct Value *items;
    };
} Value;

static char *file_end, *cursor; /* The rest of the file, which ends with a zero. */
static Value *open_items; /* Items of arrays and objects that are still open. */
static size_t open_used, open_room;

static const char NO_JSON[] = "this is not JSON", NOT_BUILT[] = "it is not built as it must be";
static const char ODD_KEYS[] = "something is missing or unknown", NO_UTF8[] = "this is not UTF-8";

static int peek(void) {
    while (*cursor == ' ' || *cursor == '\t' || *cursor == '\n' || *cursor == '\r') cursor++;
    return *cursor;
}

static void push(Value value) {
    if (open_used == open_room) {
        open_room = 2 * open_room + 1024;
        if (open_room > MEMORY_LIMIT / sizeof value || !(open_items = realloc(open_items, open_room * sizeof value)))
            refuse("it takes too much memory");
    }
    open_items[open_used++] = value;
}

static Int hex_digit(Int c) {
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *digit = c > 0 && c < 0x80 ? strchr(digits, (int)c) : NULL;
    return !digit ? -1 : digit - digits < 16 ? digit - digits : digit - digits - 6;
}

static Int read_escape(void) {
    static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    char c = *cursor++;
    if (strchr(names, c) && c) return meant[strchr(names, c) - names];
    need(c == 'u', NO_JSON);
    Int unit = 0;
    for (int i = 0; i < 4; i++) {
        need(hex_digit(*cursor) >= 0, NO_JSON);
        unit = unit << 4 | hex_digit(*cursor++);
    }
    return unit;
}

static Int read_utf8(unsigned char lead) {
    static const Int least[] = {0, 0x80, 0x800, 0x10000};
    int more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    Int c = lead & 0x3F >> more;
    need(lead >= 0xC0 && lead < 0xF8, NO_UTF8);
    for (int i = 0; i < more; i++, cursor++) {
        need((*cursor & 0xC0) == 0x80, NO_UTF8);
        c = c << 6 | (*cursor & 0x3F);
    }
    need(c >= least[more] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF), NO_UTF8);
    return c;
}

static Value read_text(void) {
    char *end = ++cursor;
    while (*end && *end != '"') end += 1 + (*end == '\\' && end[1]);
    need(*end, NO_JSON);
    Value v = {.kind = TEXT, .text = take_ints((size_t)(end - cursor))};
    while (cursor < end) {
        unsigned char byte = (unsigned char)*cursor++;
        need(byte >= 0x20, NO_JSON);
        Int c = byte == '\\' ? read_escape() : byte < 0x80 ? byte : read_utf8(byte);
        if (c >= 0xD800 && c < 0xDC00 && cursor[0] == '\\' && cursor[1] == 'u') {
            cursor++;
            Int low = read_escape();
            need(low >= 0xDC00 && low < 0xE000, "half a character");
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        }
        need(c < 0xD800 || c >= 0xE000, "half a character");
        v.text[v.size++] = c;
    }
    cursor++;
    return v;
}

static Value read_number(void) {
    bool negative = *cursor == '-';
    cursor += negative;
    char *digits = cursor;
    Int n = 0;
    for (; *cursor >= '0' && *cursor <= '9'; cursor++) {
        need(n <= (NUMBER_LIMIT - 1 - (*cursor - '0')) / 10, "a number is too large");
        n = 10 * n + (*cursor - '0');
    }
    need(cursor > digits && (*digits != '0' || (cursor == digits + 1 && !negative)), NO_JSON);
    need(*cursor != '.' && *cursor != 'e' && *cursor != 'E', "a number is not a whole one");
    return (Value){.kind = INTEGER, .integer = negative ? -n : n};
}

static int compare_texts(const void *a, const void *b) {
    const Value *v = a, *w = b;
    for (uint32_t i = 0; i < v->size && i < w->size; i++)
        if (v->text[i] != w->text[i]) return v->text[i] < w->text[i] ? -1 : 1;
    return (v->size > w->size) - (v->size < w->size);
}

static Value read_value(int depth);

static Value read_items(int depth, bool object) {
    size_t start = open_used;
    int close = object ? '}' : ']', next = ',';
    cursor++;
    if (peek() == close) next = close, cursor++;
    while (next == ',') {
        if (object) {
            need(peek() == '"', NO_JSON);
            push(read_text());
            need(peek() == ':', NO_JSON);
            cursor++;
        }
        push(read_value(depth + 1));
        next = peek();
        need(next == ',' || next == close, NO_JSON);
        cursor++;
    }
    size_t count = open_used - start, keys = object ? count / 2 : count;
    Value v = {.kind = object ? OBJECT : ARRAY, .size = (uint32_t)keys, .items = take(count + 1, sizeof v)};
    if (count) memcpy(v.items, open_items + start, count * sizeof v);
    open_used = start;
    if (object) qsort(v.items, keys, 2 * sizeof v, compare_texts);
    for (size_t i = 2; object && i < count; i += 2)
        need(compare_texts(&v.items[i - 2], &v.items[i]), "a key stands twice in one object");
    return v;
}

static Value read_value(int depth) {
    need(depth < DEPTH_LIMIT, "it is nested too deep");
    int c = peek();
    if (c == '{' || c == '[') return read_items(depth, c == '{');
    if (c == '"') return read_text();
    if (c == '-' || (c >= '0' && c <= '9')) return read_number();
    if (!strncmp(cursor, "null", 4)) return cursor += 4, (Value){.kind = NIL};
    if (!strncmp(cursor, "true", 4)) return cursor += 4, (Value){.kind = YES};
    if (!strncmp(cursor, "false", 5)) return cursor += 5, (Value){.kind = NO};
    wrong(NO_JSON);
}

static bool is_text(const Value *v, const char *text) {
    bool same = v->kind == TEXT && v->size == strlen(text);
    for (uint32_t i = 0; same && i < v->size; i++) same = v->text[i] == text[i];
    return same;
}

/* NULL where an object has no such key. */
static const Value *find_key(const Value *object, const char *key) {
    need(object->kind == OBJECT, NOT_BUILT);
    for (uint32_t i = 0; i < object->size; i++)
        if (is_text(&object->items[2 * i], key)) return &object->items[2 * i + 1];
    return NULL;
}

static const Value *get_any(const Value *object, const char *key) {
    const Value *v = find_key(object, key);
    if (!v) wrong(ODD_KEYS);
    return v;
}

static const Value *get(const Value *object, const char *key, int kind) {
    const Value *v = get_any(object, key);
    need((int)v->kind == kind, NOT_BUILT);
    return v;
}

static bool get_truth(const Value *object, const char *key) {
    return get_any(object, key)->kind == YES || get(object, key, NO)->kind == YES;
}

/* Wrong unless an object has these keys, with spaces between them, and no others. */
static void need_keys(const Value *object, const char *keys) {
    char key[32];
    uint32_t count = 0;
    for (int used; sscanf(keys, "%31s%n", key, &used) == 1; keys += used, count++) get_any(object, key);
    need(object->size == count, ODD_KEYS);
}

static void need_list(const Value *v, size_t size) { need(v->kind == ARRAY && v->size == size, NOT_BUILT); }

/* The numbers of a list, all of them `low` at least. */
static Int *numbers(const Value *list, size_t size, Int low) {
    need_list(list, size);
    Int *read = take_ints(size);
    for (size_t i = 0; i < size; i++) {
        read[i] = list->items[i].integer;
        need(list->items[i].kind == INTEGER && read[i] >= low, "a number is missing or out of range");
    }
    return read;
}

/* SHA-256, as in FIPS 180-4. */
typedef struct {
    uint32_t h[8];
    unsigned char block[64];
    uint64_t size;
} Sha;

static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void sha_block(Sha *s) {
    static const uint32_t k[64] = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 4; j++) w[i] = (j ? w[i] << 8 : 0) | s->block[4 * i + j];
    for (int i = 16; i < 64; i++) {
        uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
        w[i] = w[i - 16] + a + w[i - 7] + (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t e = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25);
        uint32_t one = v[7] + e + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] + w[i];
        uint32_t a = turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22);
        uint32_t two = a + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one, v[0] = one + two;
    }
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

static void sha_byte(Sha *s, Int byte) {
    s->block[s->size++ % 64] = (unsigned char)byte;
    if (s->size % 64 == 0) sha_block(s);
}

static void sha_add(Sha *s, const char *text) {
    while (*text) sha_byte(s, (unsigned char)*text++);
}

static void sha_character(Sha *s, Int c) {
    static const char special[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *named = c > 0 && c < 0x80 ? strchr(special, (int)c) : NULL;
    char escape[8] = {'\\'};
    if (named) escape[1] = names[named - special], sha_add(s, escape);
    else if (c < 0x20) snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c), sha_add(s, escape);
    else if (c < 0x80) sha_byte(s, c);
    else {
        int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        sha_byte(s, (0xF0 << (3 - more) & 0xFF) | c >> 6 * more);
        while (more-- > 0) sha_byte(s, 0x80 | (c >> 6 * more & 0x3F));
    }
}

/* The one canonical spelling: sorted keys, no spaces, nothing escaped that need not be. */
static void spell(Sha *s, const Value *v) {
    static const char *const words[] = {"null", "false", "true"}, *const brackets[] = {"[]", "{}"};
    char number[24];
    if (v->kind <= YES) sha_add(s, words[v->kind]);
    else if (v->kind == INTEGER) snprintf(number, sizeof number, "%lld", (long long)v->integer), sha_add(s, number);
    else if (v->kind == TEXT) {
        sha_byte(s, '"');
        for (uint32_t i = 0; i < v->size; i++) sha_character(s, v->text[i]);
        sha_byte(s, '"');
    } else {
        bool object = v->kind == OBJECT;
        sha_byte(s, brackets[object][0]);
        for (uint32_t i = 0; i < v->size; i++) {
            if (i) sha_byte(s, ',');
            if (object) spell(s, &v->items[2 * i]), sha_byte(s, ':');
            spell(s, &v->items[object ? 2 * i + 1 : i]);
        }
        sha_byte(s, brackets[object][1]);
    }
}

static void need_digest(const Value *part, const Value *given, const char *why) {
    Sha s = {.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
    char text[65];
    spell(&s, part);
    uint64_t bits = 8 * s.size;
    for (sha_byte(&s, 0x80); s.size % 64 != 56;) sha_byte(&s, 0);
    for (int i = 56; i >= 0; i -= 8) sha_byte(&s, (Int)(bits >> i & 0xFF));
    for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08x", (unsigned)s.h[i]);
    need(is_text(given, text), why);
}

/* A set of keys, each a row of numbers; keys are numbered from 0 in the order in which they came. */
typedef struct {
    size_t count, room, used, keys_room; /* `room` is a power of two, or 0. */
    uint32_t *slots;                     /* The number of a key, plus one. */
    size_t *ends;                        /* Where each key ends in `keys`. */
    Int *keys;
} Set;

static const Int *key_at(const Set *s, size_t n) { return s->keys + (n ? s->ends[n - 1] : 0); }
static size_t key_size(const Set *s, size_t n) { return s->ends[n] - (n ? s->ends[n - 1] : 0); }

static size_t slot_of(const Set *s, const Int *key, size_t size) {
    uint64_t hash = size;
    for (size_t i = 0; i < size; i++) hash = (hash ^ (uint64_t)key[i]) * 0x9E3779B97F4A7C15u, hash ^= hash >> 32;
    for (size_t i = hash & (s->room - 1);; i = (i + 1) & (s->room - 1)) {
        size_t n = s->slots[i];
        work(size);
        if (!n) return i;
        const Int *other = key_at(s, n - 1);
        if (key_size(s, n - 1) == size && !memcmp(other, key, size * sizeof *key)) return i;
    }
}

/* The number of a key; -1 if it is not there. */
static Int find(const Set *s, const Int *key, size_t size) {
    return s->room ? (Int)s->slots[slot_of(s, key, size)] - 1 : -1;
}

static void *grown(const void *old, size_t used, size_t room, size_t size) {
    void *larger = take(room, size);
    if (used) memcpy(larger, old, used * size);
    return larger;
}

/* The number of a key, which is added if it is not there. */
static Int add(Set *s, const Int *key, size_t size) {
    Int old = find(s, key, size);
    if (old >= 0) return old;
    if (2 * s->count + 2 > s->room) {
        s->room = s->room ? 2 * s->room : 16;
        s->ends = grown(s->ends, s->count, s->room, sizeof *s->ends);
        s->slots = take(s->room, sizeof *s->slots);
        for (size_t n = 0; n < s->count; n++)
            s->slots[slot_of(s, key_at(s, n), key_size(s, n))] = (uint32_t)n + 1;
    }
    if (s->used + size >= s->keys_room) {
        s->keys_room = 2 * (s->used + size) + 1;
        s->keys = grown(s->keys, s->used, s->keys_room, sizeof *s->keys);
    }
    memcpy(s->keys + s->used, key, size * sizeof *key);
    s->ends[s->count] = s->used += size;
    s->slots[slot_of(s, key, size)] = (uint32_t)s->count + 1;
    return (Int)s->count++;
}

static void add_once(Set *s, const Int *key, size_t size, const char *twice) {
    size_t before = s->count;
    need(add(s, key, size) == (Int)before, twice);
}

/* Items by number, in groups that have keys. */
typedef struct {
    Set keys;
    Int *first, *next; /* [group] and [item]: the items of a group; 0 ends them, 1 is item 0. */
} Groups;

static Groups groups_of(size_t items) { return (Groups){.first = take_ints(items), .next = take_ints(items)}; }

static void put(Groups *g, size_t item, const Int *key, size_t size) {
    Int group = add(&g->keys, key, size);
    g->next[item] = g->first[group], g->first[group] = (Int)item + 1;
}

/* The first item of a group, plus one; 0 if there is none. */
static Int first_of(const Groups *g, const Int *key, size_t size) {
    Int group = find(&g->keys, key, size);
    return group < 0 ? 0 : g->first[group];
}

/* Sets of small numbers, a bit each. */
typedef uint64_t *Bits;

static Bits no_bits(size_t bits) { return take(bits / 64 + 1, sizeof(uint64_t)); }
static bool has_bit(const uint64_t *b, Int i) { return b[i / 64] >> i % 64 & 1; }
static void set_bit(Bits b, Int i) { b[i / 64] |= (uint64_t)1 << i % 64; }
static void join(Bits b, const uint64_t *more, size_t bits) {
    for (size_t i = 0; i <= bits / 64; i++) b[i] |= more[i];
}

/* The table of one side, by numbers; state 0 is the start, symbol 0 the blank, symbols are LEFT's. */
typedef struct {
    Int write, move, next; /* The move is one of MOVES, counted from 1; 0 where there is no entry. */
} Entry;
typedef struct {
    Int states;
    Entry *does;                             /* [state * symbols + symbol] */
    const Value *input, *output;             /* Clauses, as trees. */
    const Value *labels;                     /* Of the symbols but the blank, in its own order; NULL for none. */
} Table;

static const char MOVES[] = "UDLRS";
enum { UP = 1, DOWN, LEFTWARDS, RIGHTWARDS, STAY };
static const Int DX[] = {0, 0, 0, -1, 1, 0}, DY[] = {0, -1, 1, 0, 0, 0}; /* y grows downwards. */

static Table left, right;
static Int symbols;            /* How many LEFT has; both have the same. */
static Set symbol_names;       /* LEFT's symbols: keys of one code point each. */

static const Entry *entry_of(const Table *t, Int state, Int symbol) { return &t->does[state * symbols + symbol]; }

static Int number_of(const Set *names, const Value *v) {
    need(v->kind == TEXT && find(names, v->text, v->size) >= 0, "it names a state or a symbol that does not exist");
    return find(names, v->text, v->size);
}

static Int move_of(const Value *v) {
    for (Int move = UP; move <= STAY; move++)
        if (v->kind == TEXT && v->size == 1 && v->text[0] == MOVES[move - 1]) return move;
    wrong("there is no such move");
}

static Set read_names(const Value *list, size_t most, const char *twice) {
    Set names = {0};
    if (list->size > most) refuse("its table is too large");
    for (uint32_t i = 0; i < list->size; i++) {
        need(list->items[i].kind == TEXT, NOT_BUILT);
        add_once(&names, list->items[i].text, list->items[i].size, twice);
    }
    return names;
}

static void check_classes(const Value *list, const Set *names) {
    Set known = {0};
    for (uint32_t i = 0; i < list->size; i++) {
        const Value *class = &list->items[i];
        need_list(class, 2);
        need(class->items[0].kind == TEXT && class->items[1].kind == TEXT, "its classes are wrong");
        add_once(&known, class->items[0].text, class->items[0].size, "its classes are wrong");
        for (uint32_t j = 0; j < class->items[1].size; j++)
            need(find(names, &class->items[1].text[j], 1) >= 0, "its classes are wrong");
    }
}

/* What the symbols but the blank stand for, if the table says so; RIGHT's must then be LEFT's, if that has some. */
static void read_labels(const Value *labels, const Value *alphabet, Table *to) {
    need_list(labels, alphabet->size - 1);
    read_names(labels, SYMBOL_LIMIT, "its labels are wrong");
    to->labels = labels->items;
    for (uint32_t i = 1; to == &right && left.labels && i < alphabet->size; i++) {
        Int same = find(&symbol_names, alphabet->items[i].text, 1);
        need(!compare_texts(&labels->items[i - 1], &left.labels[same - 1]), "its labels are not LEFT's");
    }
}

static void read_table(const Value *table, Table *to) {
    const Value *labels = find_key(table, "labels");
    need_keys(table, labels ? "name symbols blank moves states start classes input output rules labels"
                            : "name symbols blank moves states start classes input output rules");
    const Value *moves = get_any(table, "moves"), *input = get_any(table, "input"), *output = get_any(table, "output");
    const Value *alphabet = get(table, "symbols", ARRAY), *states = get(table, "states", ARRAY);
    const Value *rules = get(table, "rules", ARRAY), *start = get(table, "start", TEXT);
    get(table, "name", TEXT);
    need(input->kind == NIL || input->kind == TEXT || input->kind == ARRAY, NOT_BUILT);
    need(output->kind == NIL || output->kind == TEXT || output->kind == OBJECT, NOT_BUILT);
    need_list(moves, 5);
    for (int i = 0; i < 5; i++) need(move_of(&moves->items[i]) == i + 1, NOT_BUILT);
    Set names = read_names(alphabet, SYMBOL_LIMIT, "its alphabet is wrong");
    Set state_names = read_names(states, STATE_LIMIT, "a state is named twice");
    for (uint32_t i = 0; i < alphabet->size; i++) need(alphabet->items[i].size == 1, "its alphabet is wrong");
    need(alphabet->size && is_text(&alphabet->items[0], "_") && is_text(get_any(table, "blank"), "_"),
         "its first symbol is not the blank");
    need(states->size && !compare_texts(&states->items[0], start), "its start is not its first state");
    check_classes(get(table, "classes", ARRAY), &names);
    if (to == &left)
        symbol_names = names, symbols = alphabet->size;
    bool same = alphabet->size == symbols;
    for (Int i = 0; same && i < symbols; i++) same = find(&symbol_names, alphabet->items[i].text, 1) >= 0;
    need(same, "its alphabet is not LEFT's");
    if (labels) read_labels(labels, alphabet, to);
    to->input = input, to->output = output;
    to->states = states->size, to->does = take((size_t)(to->states * symbols), sizeof(Entry));
    for (uint32_t i = 0; i < rules->size; i++) {
        const Value *rule = &rules->items[i];
        need_list(rule, 5);
        Int before = number_of(&state_names, &rule->items[0]), after = number_of(&state_names, &rule->items[4]);
        Int read = number_of(&symbol_names, &rule->items[1]), write = number_of(&symbol_names, &rule->items[2]);
        Entry *entry = &to->does[before * symbols + read];
        need(!entry->move, "its table has two rules for one pair");
        *entry = (Entry){write, move_of(&rule->items[3]), after};
        bool idle = write == read && entry->move == STAY;
        need(!idle || before == after, "a rule of its table is idle but changes the state");
    }
}

static enum { WORLDS, INPUTS, OBSERVED, TABLE } scope; /* What the claim says, */
static enum { UNASKED, SAME, NEVER } stuck_claim;
static Int stuck_branches, unobserved_branches; /* and what has been counted. */

/* One step of both, by (V2): false where LEFT is stuck, which is counted, or halts with this step. */
static bool joint_step(Int p, Int q, Int symbol, Entry *mine, Entry *theirs) {
    *mine = *entry_of(&left, p, symbol), *theirs = *entry_of(&right, q, symbol);
    if (!mine->move) {
        stuck_branches++;
        need(stuck_claim != NEVER, "LEFT is stuck");
        need(stuck_claim != SAME || !theirs->move, "LEFT is stuck, and RIGHT is not");
        return false;
    }
    need(theirs->write == mine->write && theirs->move == mine->move, "RIGHT does not do what LEFT does");
    return mine->write != symbol || mine->move != STAY;
}

/* Numbers that begin with a state of LEFT and one of RIGHT. */
static Int *read_element(const Value *v, size_t size, Int low) {
    need(v->kind == ARRAY && v->size == size && size >= 2, "it is cut short");
    Int *e = numbers(v, size, low);
    need(e[0] >= 0 && e[1] >= 0 && e[0] < left.states && e[1] < right.states, "there are no such states");
    return e;
}

/* (V3) Pairs: with (0, 0) in the set, and the set closed under joint steps, both are at a pair of it after each step.
   For "observed", sequences end where RIGHT has no entry. */
static Int check_pairs(const Value *evidence) {
    Set listed = {0};
    Entry mine, theirs;
    need_keys(evidence, "kind pairs");
    const Value *pairs = get(evidence, "pairs", ARRAY);
    for (uint32_t i = 0; i < pairs->size; i++) {
        at("evidence, pair", i);
        add_once(&listed, read_element(&pairs->items[i], 2, 0), 2, "it stands twice");
    }
    at("evidence", -1);
    need(find(&listed, (Int[]){0, 0}, 2) >= 0, "the pair of start states is missing");
    for (uint32_t i = 0; i < pairs->size; i++) {
        at("evidence, pair", i);
        Int p = key_at(&listed, i)[0], q = key_at(&listed, i)[1];
        for (Int symbol = 0; symbol < symbols; symbol++)
            if (scope == OBSERVED && entry_of(&left, p, symbol)->move && !entry_of(&right, q, symbol)->move)
                unobserved_branches++;
            else if (joint_step(p, q, symbol, &mine, &theirs))
                need(find(&listed, (Int[]){mine.next, theirs.next}, 2) >= 0, "the pair after it is missing");
    }
    return pairs->size;
}

/* An element of (V4): states p and q, then x, y and a number for each known cell, sorted by x and y. The
   cells stay sorted when the head moves. */
typedef struct {
    size_t size; /* Of all these numbers. */
    Int *data;
} Element;

static int compare_cells(const void *a, const void *b) {
    const Int *m = a, *n = b;
    return m[0] != n[0] ? (m[0] > n[0]) - (m[0] < n[0]) : (m[1] > n[1]) - (m[1] < n[1]);
}

/* Where a cell stands in an element, or NULL. */
static Int *cell_at(const Element *e, Int x, Int y) {
    work(1);
    return bsearch((Int[]){x, y}, e->data + 2, e->size / 3, 3 * sizeof(Int), compare_cells);
}

static void set_cell(Element *e, Int x, Int y, Int value) {
    Int *cell = cell_at(e, x, y), *first = e->data + 2;
    if (!cell) {
        cell = e->data + e->size, e->size += 3;
        for (; cell > first && compare_cells(cell - 3, (Int[]){x, y}) > 0; cell -= 3)
            memcpy(cell, cell - 3, 3 * sizeof *cell);
    }
    cell[0] = x, cell[1] = y, cell[2] = value;
}

static Element *read_elements(const Value *list, Int top, Set *listed) {
    Element *elements = take((size_t)list->size + 1, sizeof *elements);
    for (uint32_t i = 0; i < list->size; i++) {
        at("evidence, element", i);
        size_t size = list->items[i].size;
        Element e = elements[i] = (Element){size, read_element(&list->items[i], size, INT64_MIN)};
        need(size % 3 == 2, "it is cut short");
        for (size_t j = 4; j < size; j += 3) need(e.data[j] >= 0 && e.data[j] < top, "it knows what does not exist");
        qsort(e.data + 2, size / 3, 3 * sizeof *e.data, compare_cells);
        for (size_t j = 5; j < size; j += 3) need(compare_cells(e.data + j - 3, e.data + j), "a cell stands twice");
        add_once(listed, e.data, size, "it stands twice");
    }
    at("evidence", -1);
    return elements;
}

/* An element with room for one cell more than any of a list. */
static Element wide_element(const Value *list) {
    uint32_t widest = 0;
    for (uint32_t i = 0; i < list->size; i++)
        if (list->items[i].size > widest) widest = list->items[i].size;
    return (Element){0, take_ints((size_t)widest + 3)};
}

/* The element after a step: with what is written, seen from where the head goes, less what lies beyond the radius. */
static void step_to(const Element *from, Element *to, Int radius, const Entry *mine, const Entry *theirs) {
    memcpy(to->data, from->data, from->size * sizeof *to->data);
    to->size = from->size;
    set_cell(to, 0, 0, mine->write);
    size_t cells = to->size;
    to->size = 2, to->data[0] = mine->next, to->data[1] = theirs->next;
    for (size_t i = 2; i < cells; i += 3) {
        Int x = to->data[i] - DX[mine->move], y = to->data[i + 1] - DY[mine->move], *kept = to->data + to->size;
        if (llabs(x) > radius - llabs(y)) continue;
        kept[0] = x, kept[1] = y, kept[2] = to->data[i + 2], to->size += 3;
    }
}

/* (V4) Windows: an element (p, q, K) stands for all worlds in which each cell of K holds what K says. (0, 0, {}) is
   there, and every joint step leads to an element again, less what lies beyond the radius. */
static Int check_windows(const Value *evidence, Value *radius) {
    need_keys(evidence, "kind radius elements");
    const Value *list = get(evidence, "elements", ARRAY);
    Set listed = {0};
    Element *elements = read_elements(list, symbols, &listed), after = wide_element(list);
    Entry mine, theirs;
    *radius = *get(evidence, "radius", INTEGER);
    need(radius->integer >= 0, NOT_BUILT);
    need(find(&listed, (Int[]){0, 0}, 2) >= 0, "the start, where nothing is known, is missing");
    for (uint32_t i = 0; i < list->size; i++) {
        at("evidence, element", i);
        const Element *e = &elements[i];
        const Int *known = cell_at(e, 0, 0);
        for (Int symbol = known ? known[2] : 0; symbol < (known ? known[2] + 1 : symbols); symbol++) {
            if (!joint_step(e->data[0], e->data[1], symbol, &mine, &theirs)) continue;
            step_to(e, &after, radius->integer, &mine, &theirs);
            need(find(&listed, after.data, after.size) >= 0, "what follows it is missing");
        }
    }
    return list->size;
}

/* An input clause, a tree, as its position automaton: a position for each of its cells, which of them may come first,
   and which may follow which. One more position, the last one, reads the blanks after the input. */
typedef struct {
    Bits first, last;
    bool nullable;
} Expression;

static size_t positions;      /* How many there are, with the last one. */
static Int endless;           /* How many have been read; in the end, the one that reads blanks. */
static bool *cell_symbols;    /* [position * symbols + symbol]: whether it may stand there. */
static Bits *follow, first_positions;
static Int parts, *part_of;   /* How many parts were read to their end, and the part of each position. */
static Value *part_members;   /* The symbols of all cells of a part, in their order; none if they differ. */

static const char NO_PIECE[] = "its input clause has a piece that is none";

static bool holds(const Value *text, Int c) {
    for (uint32_t i = 0; i < text->size; i++)
        if (text->text[i] == c) return true;
    return false;
}

/* Puts down a cell of the part that is being read. */
static void add_position(const Value *members) {
    for (uint32_t i = 0; i < members->size; i++) {
        Int member = find(&symbol_names, &members->text[i], 1);
        need(member >= 0, "its input clause has a cell that is not of its alphabet");
        cell_symbols[endless * symbols + member] = true;
    }
    bool first = !endless || part_of[endless - 1] != parts;
    if (first) part_members[parts] = *members;
    else if (compare_texts(&part_members[parts], members)) part_members[parts].size = 0;
    part_of[endless++] = parts;
}

static void link_all(const uint64_t *sources, const uint64_t *targets) {
    for (Int i = 0; i < (Int)positions; i++)
        if (has_bit(sources, i)) join(follow[i], targets, positions);
}

/* Wrong unless a piece is a cell, or a list with its kind first; counts cells. */
static void check_piece(const Value *piece, int depth) {
    need(depth < PIECE_LIMIT, "its input clause is nested too deep");
    if (piece->kind == TEXT) {
        need(piece->size, "its input clause has an empty cell");
        positions++;
        return;
    }
    need(piece->kind == ARRAY && piece->size > 1, NO_PIECE);
    const Value *kind = &piece->items[0];
    bool several = is_text(kind, ",") || is_text(kind, "|");
    bool repeated = is_text(kind, "+") || is_text(kind, "*") || is_text(kind, "?");
    need(several || (repeated && piece->size == 2), NO_PIECE);
    for (uint32_t i = 1; i < piece->size; i++) check_piece(&piece->items[i], depth + 1);
}

/* One expression behind another. */
static Expression chained(Expression whole, Expression next) {
    link_all(whole.last, next.first);
    if (whole.nullable) join(whole.first, next.first, positions);
    if (next.nullable) join(next.last, whole.last, positions);
    return (Expression){whole.first, next.last, whole.nullable && next.nullable};
}

static Expression read_piece(const Value *piece) {
    if (piece->kind == TEXT) {
        Expression cell = {no_bits(positions), no_bits(positions), false};
        set_bit(cell.first, endless), set_bit(cell.last, endless);
        add_position(piece);
        return cell;
    }
    Int kind = *piece->items[0].text;
    Expression whole = read_piece(&piece->items[1]);
    for (uint32_t i = 2; i < piece->size; i++) {
        Expression next = read_piece(&piece->items[i]);
        if (kind == ',') whole = chained(whole, next);
        else {
            join(whole.first, next.first, positions), join(whole.last, next.last, positions);
            whole.nullable |= next.nullable;
        }
    }
    if (kind == '+' || kind == '*') link_all(whole.last, whole.first);
    whole.nullable |= kind == '*' || kind == '?';
    return whole;
}

static void read_clause(void) {
    const Value *clause = left.input;
    at("left", -1);
    need(clause->kind == ARRAY && clause->size, "its input clause is not a list of parts");
    for (uint32_t i = 0; i < clause->size; i++) check_piece(&clause->items[i], 0);
    if (++positions > CELL_LIMIT + 1) refuse("its input clause is too long");
    part_of = take_ints(positions), part_members = take(positions, sizeof *part_members);
    cell_symbols = take(positions * (size_t)symbols, sizeof *cell_symbols);
    follow = take(positions, sizeof *follow);
    for (size_t i = 0; i < positions; i++) follow[i] = no_bits(positions);
    Expression whole = read_piece(&clause->items[0]);
    for (parts = 1; parts < clause->size; parts++) whole = chained(whole, read_piece(&clause->items[parts]));
    cell_symbols[endless * symbols] = true;
    Bits blanks = no_bits(positions);
    set_bit(blanks, endless);
    link_all(whole.last, blanks), link_all(blanks, blanks);
    if (whole.nullable) set_bit(whole.first, endless);
    first_positions = whole.first;
}

/* Joins what may follow a symbol at one of some positions; the part that it belongs to, or -1 if none reads it. */
static Int read_symbol(const uint64_t *options, Int symbol, Bits later, bool one_part) {
    Int part = -1;
    for (Int p = 0; symbol >= 0 && p < endless; p++) {
        if (!has_bit(options, p) || !cell_symbols[p * symbols + symbol]) continue;
        need(part < 0 || part == part_of[p] || !one_part, "a symbol may be of several parts of an input");
        part = part_of[p], join(later, follow[p], positions);
    }
    return part;
}

static bool is_input(const Value *text) {
    Bits options = first_positions;
    for (uint32_t i = 0; i < text->size; i++) {
        Bits later = no_bits(positions);
        read_symbol(options, find(&symbol_names, &text->text[i], 1), later, false);
        options = later;
    }
    return has_bit(options, endless);
}

/* The graph of columns of a certificate; there are no starts where it has none, and all worlds are meant. */
static const Value *column_starts, *column_steps;

static const Value *next_columns(Int column, Int symbol) { return &column_steps->items[column].items[symbol]; }

static void check_below(const Value *list, size_t top) {
    need(list->kind == ARRAY, NOT_BUILT);
    for (uint32_t i = 0; i < list->size; i++) {
        const Value *v = &list->items[i];
        need(v->kind == INTEGER && v->integer >= 0 && (size_t)v->integer < top, "one of them does not exist");
    }
}

/* A node of (V7): a position that is to be read next, and the set of columns where one may be. */
static void add_nodes(Set *nodes, const uint64_t *from, Int *node, size_t size) {
    for (Int p = 0; p <= endless; p++)
        if (has_bit(from, p)) node[0] = p, add(nodes, node, size);
}

static void add_columns(Int *node, const Value *list) {
    for (uint32_t i = 0; i < list->size; i++) set_bit((Bits)(node + 1), list->items[i].integer);
}

static void read_columns(const Value *columns) {
    at("evidence, columns", -1);
    need(scope == INPUTS, "all worlds have none");
    need_keys(columns, "starts steps");
    column_starts = get(columns, "starts", ARRAY), column_steps = get(columns, "steps", ARRAY);
    check_below(column_starts, column_steps->size);
    for (uint32_t c = 0; c < column_steps->size; c++) {
        need_list(&column_steps->items[c], (size_t)symbols);
        for (Int s = 0; s < symbols; s++) check_below(next_columns(c, s), column_steps->size);
    }
}

/* (V7) Columns: the row of every input, blanks after it for ever, is a path from one of the starts, since no set of
   columns becomes empty. */
static void check_columns(const Value *columns) {
    if (columns->kind == NIL) return;
    read_columns(columns);
    size_t size = column_steps->size / 64 + 2;
    Set nodes = {0};
    Int *node = take_ints(size), *later = take_ints(size);
    add_columns(node, column_starts), add_nodes(&nodes, first_positions, node, size);
    for (size_t n = 0; n < nodes.count; n++) {
        memcpy(node, key_at(&nodes, n), size * sizeof *node);
        for (Int s = 0; s < symbols; s++) {
            if (!cell_symbols[node[0] * symbols + s]) continue;
            if (nodes.count > NODE_LIMIT) refuse("too many sets of columns");
            work(column_steps->size);
            memset(later, 0, size * sizeof *later);
            for (Int c = 0; c < column_steps->size; c++)
                if (has_bit((Bits)(node + 1), c)) add_columns(later, next_columns(c, s));
            bool some = false;
            for (size_t i = 1; i < size; i++) some |= later[i] != 0;
            need(some, "an input is left out");
            add_nodes(&nodes, follow[node[0]], later, size);
        }
    }
}

/* A mark and a kind for each of LEFT's states, and which kinds follow each other. */
static Int *marks, *kinds;
static Set flows;

static void read_marks_and_kinds(const Value *evidence, size_t kinds_of_one_side, size_t of_the_other) {
    at("evidence", -1);
    marks = numbers(get_any(evidence, "marks"), (size_t)left.states, 0);
    kinds = numbers(get_any(evidence, "kinds"), (size_t)left.states, 0);
    for (Int i = 0; i < left.states; i++)
        need(kinds[i] < (Int)kinds_of_one_side && kinds[i] < (Int)of_the_other, "there is no such kind");
}

/* An output clause, a tree. */
typedef struct Node {
    char op; /* i number, t text, p part, w number of a part, q quantity, s number as text, ? choice, ! not, & and,
                | or, / div, % mod, e n l g for == != <= >=; or a mark. */
    Int value;              /* The number, the part, or the quantity. */
    const Value *text;
    struct Node *a, *b, *c; /* Of a choice: the condition, what it is then, and what it is else. */
} Node;

/* What is counted along an input: symbols of a part, or one symbol in it, or the number that is written there. */
typedef struct {
    Int part, symbol;    /* -1 for all symbols. */
    const Value *digits; /* Null unless it is a number. */
} Quantity;

static Quantity quantities[2 * OUTPUT_LIMIT];
static size_t quantity_count;
static Value digits; /* Numbers are written in these. */
static bool numeric; /* Whether the result is a number by (R1), so that zeros may stand before it. */

static const char NO_FORM[] = "its output clause is of none of the known forms";
static const char BAD_DIGITS[] = "the digits of its output clause, or of a part that it reads, are none";

static void need_digits(const Value *members) {
    Set once = {0};
    need(members->size > 1, BAD_DIGITS);
    for (uint32_t i = 0; i < members->size; i++) add_once(&once, &members->text[i], 1, BAD_DIGITS);
}

static Node *read_node(const Value *tree);

/* ["part", i] */
static Int read_part(const Value *tree) {
    const Node *part = read_node(tree);
    need(part->op == 'p', NO_FORM);
    return part->value;
}

/* ["number", part], ["length", part] or ["count", part, "x"] */
static void read_quantity(const Value *tree, Node *n) {
    Int part = read_part(&tree->items[1]);
    Quantity *q = &quantities[quantity_count];
    if (n->op == 'w') {
        n->value = part;
        need_digits(&part_members[part]);
        need(!holds(&part_members[part], '-'), BAD_DIGITS);
        return;
    }
    n->value = (Int)quantity_count++, q->part = part, q->symbol = -1;
    if (tree->size == 2) return;
    const Value *what = &tree->items[2];
    need(what->kind == TEXT && what->size == 1, NO_FORM);
    q->symbol = find(&symbol_names, what->text, 1) < 0 ? symbols : find(&symbol_names, what->text, 1);
}

static Node *read_node(const Value *tree) {
    static const struct {
        const char *name;
        char op;
        uint32_t size;
    } kinds[] = {{"part", 'p', 2}, {"number", 'w', 2}, {"length", 'q', 2}, {"count", 'q', 3}, {"text", 's', 2},
                 {"not", '!', 2}, {"+", '+', 3}, {"*", '*', 3}, {"div", '/', 3}, {"mod", '%', 3}, {"and", '&', 3},
                 {"or", '|', 3}, {"==", 'e', 3}, {"!=", 'n', 3}, {"<", '<', 3}, {"<=", 'l', 3}, {">", '>', 3},
                 {">=", 'g', 3}, {"if", '?', 4}};
    static size_t count;
    Node *n = take(1, sizeof *n);
    need(++count <= OUTPUT_LIMIT, "its output clause is too long");
    if (tree->kind == TEXT) return n->op = 't', n->text = tree, n;
    if (tree->kind == INTEGER) {
        need(tree->integer >= 0 && tree->integer <= LITERAL_LIMIT, "its output clause has too large numbers");
        return n->op = 'i', n->value = tree->integer, n;
    }
    need(tree->kind == ARRAY && tree->size, NO_FORM);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (is_text(&tree->items[0], kinds[i].name) && tree->size == kinds[i].size) n->op = kinds[i].op;
    need(n->op, NO_FORM);
    const Value *first = &tree->items[1];
    if (n->op == 'p') {
        need(first->kind == INTEGER && first->integer >= 0 && first->integer < parts, NO_FORM);
        n->value = first->integer;
    } else if (n->op == 'w' || n->op == 'q') read_quantity(tree, n);
    else {
        n->a = read_node(first);
        if (tree->size > 2) n->b = read_node(first + 1);
        if (tree->size > 3) n->c = read_node(first + 2);
    }
    return n;
}

static Node *read_output(void) {
    at("left", -1);
    need(left.output->kind == OBJECT, "its output clause has other parts");
    need_keys(left.output, "digits value");
    digits = *get(left.output, "digits", TEXT);
    if (digits.size) need_digits(&digits);
    for (uint32_t i = 0; i < digits.size; i++) need(find(&symbol_names, &digits.text[i], 1) > 0, BAD_DIGITS);
    return read_node(get_any(left.output, "value"));
}

/* A reading is a machine that reads an input from the left and says what is wanted in each column: a symbol, LEADING
   to the left of a number, or NOTHING. It guesses, and comes to the end only if it has guessed right.
   (R1) LINE: factor * a + addend, a the first part. A state is what comes into a column at its left, or OVER after a:
        base * state + wanted = factor * digit + next state. QUOTIENT: a div divisor; a state is the rest so far.
   (R2) COPY: a part that is no number, as it is.
   (R3) TOLD: one of finitely many texts, which is guessed at first. A state is the number of the text; the column,
        counted from the start, or how many remain, or PAST; and the quantities: each as it is below `bound`, which is
        above all numbers in the clause, and from there on but for multiples of `period`, which all divisors divide. */
enum { LEADING = -1, NOTHING = -2, OVER = -1, PAST = -1 };
static enum { LINE, QUOTIENT, COPY, TOLD } form;
static Node *told_clause;
static Int factor = 1, divisor = 1, addend, copied_part;
static Int bound = 1, period = 1, offset;
static bool from_end;
static Set carries, texts;
static size_t state_size = 1, longest_text, option_count;
static Int *reading_options; /* States, each with what is wanted in the column that leads there behind it. */

static Int digit_symbol(Int digit) { return find(&symbol_names, &digits.text[digit], 1); }

static Int digit_value(const Value *of, Int symbol) {
    Int value = 0;
    while (of->text[value] != symbol_names.keys[symbol]) value++;
    return value;
}

static Int at_most(Int a, Int most) { return a < most ? a : most; }

/* Whether a node is sum[0] * a + sum[1] * b + sum[2], a and b the numbers of parts 0 and 2. */
static bool find_sum(const Node *n, Int sum[3]) {
    Int a[3] = {0}, b[3] = {0};
    memset(sum, 0, 3 * sizeof *sum);
    if (n->op == 'i') return sum[2] = n->value, true;
    if (n->op == 'w') return sum[n->value == 2] = 1, n->value == 0 || n->value == 2;
    if ((n->op != '+' && n->op != '*') || !find_sum(n->a, a) || !find_sum(n->b, b)) return false;
    bool first = !a[0] && !a[1];
    if (n->op == '*' && !first && (b[0] || b[1])) return false;
    for (int i = 0; i < 3; i++)
        sum[i] = at_most(n->op == '+' ? a[i] + b[i] : first ? a[2] * b[i] : b[2] * a[i], LITERAL_LIMIT);
    return true;
}

/* Whether a clause is of the form (R1); sets factor, addend and divisor. */
static bool is_linear(const Node *n) {
    Int sum[3];
    if (n->op == '/') return divisor = n->b->value, n->a->op == 'w' && !n->a->value && n->b->op == 'i' && divisor > 1;
    bool linear = find_sum(n, sum) && sum[0] && !sum[1];
    return factor = sum[0], addend = sum[2], linear;
}

/* Adds a text, of characters, less the blanks at its ends; gives its number. */
static Int add_text(const Int *text, size_t size) {
    while (size && *text == '_') text++, size--;
    while (size && text[size - 1] == '_') size--;
    Int *word = take_ints(size);
    for (size_t i = 0; i < size; i++) {
        word[i] = find(&symbol_names, &text[i], 1);
        need(word[i] >= 0, "its output clause has a symbol that LEFT does not know");
    }
    if (size > longest_text) longest_text = size;
    return add(&texts, word, size);
}

/* Adds a number, written in the digits. */
static Int add_number(Int number) {
    Int text[64], base = digits.size;
    size_t at_end = 64;
    need(base, "its output clause has a number and no digits");
    do text[--at_end] = digits.text[number % base];
    while (number /= base);
    return add_text(text + at_end, 64 - at_end);
}

static Int text_of(const Node *n) {
    return n->op == 'i' ? add_number(n->value) : add_text(n->text->text, n->text->size);
}

/* Puts down a quantity, or one mod a number; a part that is compared is its number. */
static void note(Node *n) {
    if (n->op == '%') {
        Int by = n->b->op == 'i' ? n->b->value : 0, multiple = by;
        need(by > 0, "its output clause divides by what is not known");
        while (multiple % period && multiple <= CONSTANT_LIMIT) multiple += by;
        need(multiple <= CONSTANT_LIMIT, "its output clause has too large numbers");
        period = multiple;
        n = n->a;
    }
    if (n->op == 'w') {
        quantities[quantity_count] = (Quantity){n->value, -1, &part_members[n->value]};
        n->op = 'q', n->value = (Int)quantity_count++;
    }
    need(n->op == 'q', NO_FORM);
}

static void note_condition(Node *n) {
    if (strchr("&|!", n->op)) {
        note_condition(n->a);
        if (n->b) note_condition(n->b);
        return;
    }
    need(strchr("en<l>g", n->op) && (n->a->op == 'i') != (n->b->op == 'i'), NO_FORM);
    Int number = n->a->op == 'i' ? n->a->value : n->b->value;
    if (number >= bound) bound = number + 1;
    note(n->a->op == 'i' ? n->b : n->a);
}

/* Every value and condition of the clause must be of a known form. */
static void note_values(Node *n) {
    if (n->op == '?') note_condition(n->a), note_values(n->b), note_values(n->c);
    else if (n->op == 'i' || n->op == 't') text_of(n);
    else {
        if (n->op == 's') n = n->a;
        need(n->op == '%', NO_FORM);
        note(n);
        for (Int rest = 0; rest < n->b->value; rest++) add_number(rest);
    }
}

static void find_form(const Value *anchor) {
    Node *n = told_clause = read_output();
    numeric = is_linear(n);
    if (numeric) {
        need(digits.size && !compare_texts(&part_members[0], &digits), NO_FORM);
        need(factor <= CONSTANT_LIMIT && divisor <= CONSTANT_LIMIT && addend <= CONSTANT_LIMIT, NO_FORM);
        form = divisor > 1 ? QUOTIENT : LINE;
        add(&carries, &addend, 1);
        for (size_t i = 0; form == LINE && i < carries.count; i++)
            for (Int digit = 0; digit < digits.size; digit++)
                add(&carries, (Int[]){(factor * digit + *key_at(&carries, i)) / digits.size}, 1);
    } else if (n->op == 'p') form = COPY, copied_part = n->value;
    else {
        form = TOLD;
        note_values(n);
        need(bound <= CONSTANT_LIMIT, "its output clause has too large numbers");
        at("evidence, result", -1);
        need(anchor->kind == ARRAY, "it does not say where the text stands");
        state_size = 2 + quantity_count;
    }
    reading_options = take_ints((carries.count + 3) * (state_size + 1));
}

static Int value_of(const Int *values, const Node *n) {
    if (n->op == 'i') return n->value;
    return n->op == '%' ? value_of(values, n->a) % n->b->value : values[n->value];
}

static bool compares(char op, Int a, Int b) {
    if (op == 'e' || op == 'n') return (a == b) == (op == 'e');
    return op == '<' ? a < b : op == 'l' ? a <= b : op == '>' ? a > b : a >= b;
}

static bool is_so(const Int *values, const Node *n) {
    if (n->op == '!') return !is_so(values, n->a);
    if (n->op == '&') return is_so(values, n->a) && is_so(values, n->b);
    if (n->op == '|') return is_so(values, n->a) || is_so(values, n->b);
    return compares(n->op, value_of(values, n->a), value_of(values, n->b));
}

/* The number of the text that the clause wants. */
static Int told(const Int *values) {
    const Node *n = told_clause;
    while (n->op == '?') n = is_so(values, n->a) ? n->b : n->c;
    if (n->op == 's') n = n->a;
    return n->op == '%' ? add_number(value_of(values, n)) : text_of(n);
}

/* What is wanted where a text has this index. */
static Int wanted_of(Int text, Int index) {
    return index >= 0 && index < (Int)key_size(&texts, (size_t)text) ? key_at(&texts, (size_t)text)[index] : NOTHING;
}

static void add_option(const Int *state, Int at_column, Int wanted) {
    Int *option = reading_options + option_count++ * (state_size + 1);
    memcpy(option, state, state_size * sizeof *option);
    if (form == TOLD) option[1] = at_column;
    option[state_size] = wanted;
}

static void step_told(const Int *state, Int part, Int symbol) {
    Int *later = reading_options + 2 * (state_size + 1), text = state[0], column = state[1]; /* It has two options. */
    memcpy(later, state, state_size * sizeof *later);
    for (size_t i = 0; i < quantity_count; i++) {
        const Quantity *q = &quantities[i];
        Int *value = &later[2 + i];
        if (q->part != part) continue;
        if (q->digits) *value = *value * q->digits->size + digit_value(q->digits, symbol);
        else *value += q->symbol < 0 || q->symbol == symbol;
        if (*value >= bound) *value = bound + (*value - bound) % period;
    }
    if (!from_end) {
        bool past = column == PAST || column + 1 >= offset + (Int)key_size(&texts, (size_t)text);
        add_option(later, past ? PAST : column + 1, column == PAST ? NOTHING : wanted_of(text, column - offset));
    } else if (column == PAST) {
        if (offset < 0) add_option(later, -offset, NOTHING);
        add_option(later, PAST, NOTHING);
    } else if (column) add_option(later, column - 1, wanted_of(text, -column - offset));
}

/* The states after a symbol of a part. */
static void step_reading(const Int *state, Int part, Int symbol) {
    static const Int over = OVER;
    option_count = 0;
    if (form == TOLD) step_told(state, part, symbol);
    else if (form == COPY) add_option(state, 0, part == copied_part ? symbol : NOTHING);
    else if (part) {
        if (form == QUOTIENT || *state == addend || *state == OVER) add_option(&over, 0, NOTHING);
    } else if (form == QUOTIENT) {
        Int number = *state * digits.size + digit_value(&digits, symbol), rest = number % divisor;
        add_option(&rest, 0, digit_symbol(number / divisor));
    } else
        for (size_t i = 0; i < carries.count; i++) {
            const Int *carry = key_at(&carries, i);
            Int digit = factor * digit_value(&digits, symbol) + *carry - digits.size * *state;
            if (digit >= 0 && digit < digits.size) add_option(carry, 0, digit_symbol(digit));
        }
}

/* Whether an input may end in a state, and what is then wanted after it. */
static bool end_reading(const Int *state, Int *after, size_t *size) {
    *size = 0;
    if (form != TOLD) return form != LINE || *state == addend || *state == OVER;
    Int text = state[0], column = state[1], length = (Int)key_size(&texts, (size_t)text);
    if (told(state + 2) != text || (from_end && offset < 0 && column != 0)) return false;
    Int from = from_end ? -offset : column - offset;
    for (Int i = from; (from_end || column != PAST) && i < length; i++) after[(*size)++] = wanted_of(text, i);
    return true;
}

/* (V9) (a) Cover: every input has a path of places on which is wanted what the clause says of it. Sets of places are
   where one may be, together with the state of the reading and the positions of the input clause that come next. */
typedef struct {
    size_t count;
    Int *wanted;
    const Value *(*next)(Int place); /* After a blank, or to the left. */
    Bits endless, here, later;       /* Places from which a path goes on for ever with the last thing wanted. */
} Places;

static Places within_row, to_the_left;
static const Value *left_of_places, *left_of_starts;
static Set covered; /* State, positions, places. */
static Int *cover_made;
static size_t position_words, place_words;

static const Value *next_right(Int p) { return next_columns(p, 0); }
static const Value *next_left(Int p) { return &left_of_places->items[p]; }

static bool meets(const Value *list, const uint64_t *some) {
    for (uint32_t i = 0; i < list->size; i++)
        if (has_bit(some, list->items[i].integer)) return true;
    return false;
}

static void read_places(Places *p, const Value *wanted, size_t count, const Value *(*next)(Int), Int last) {
    p->wanted = numbers(wanted, p->count = count, NOTHING), p->next = next;
    p->endless = no_bits(count), p->here = no_bits(count), p->later = no_bits(count);
    for (size_t i = 0; i < count; i++) need(p->wanted[i] < symbols, "what is wanted does not exist");
    for (Int i = 0; i < (Int)count; i++)
        if (p->wanted[i] == last) set_bit(p->endless, i);
    for (bool fewer = true; fewer;) {
        fewer = false;
        for (Int i = 0; i < (Int)count; i++)
            if (has_bit(p->endless, i) && (work(next(i)->size), !meets(next(i), p->endless)))
                p->endless[i / 64] &= ~((uint64_t)1 << i % 64), fewer = true;
    }
}

/* Whether a path from one of some places wants these, and then the last thing for ever. */
static bool spells(Places *p, const uint64_t *from, const Int *word, size_t size) {
    size_t bytes = (p->count / 64 + 1) * sizeof *from;
    memcpy(p->here, from, bytes);
    for (size_t i = 0; i < size; i++) {
        memset(p->later, 0, bytes), work(p->count);
        for (Int at_place = 0; at_place < (Int)p->count; at_place++)
            if (has_bit(p->here, at_place) && p->wanted[at_place] == word[i])
                for (uint32_t j = 0; j < p->next(at_place)->size; j++)
                    set_bit(p->later, p->next(at_place)->items[j].integer);
        memcpy(p->here, p->later, bytes);
    }
    bool some = false;
    for (size_t i = 0; i <= p->count / 64; i++) some |= (p->here[i] & p->endless[i]) != 0;
    return some;
}

/* A first state of the reading, which wants a word to the left of the input, nearest first. */
static void begin_reading(const Int *state, const Int *outwards, size_t size) {
    Bits near = no_bits(to_the_left.count);
    memset(cover_made, 0, (state_size + position_words + place_words) * sizeof *cover_made);
    memcpy(cover_made, state, state_size * sizeof *cover_made);
    memcpy(cover_made + state_size, first_positions, position_words * sizeof *cover_made);
    for (uint32_t i = 0; i < column_starts->size; i++) {
        const Value *lefts = &left_of_starts->items[i];
        bool fits = false;
        for (uint32_t j = 0; j < lefts->size && !fits; j++) {
            memset(near, 0, (to_the_left.count / 64 + 1) * sizeof *near), set_bit(near, lefts->items[j].integer);
            fits = spells(&to_the_left, near, outwards, size);
        }
        if (fits) set_bit((Bits)(cover_made + state_size + position_words), column_starts->items[i].integer);
    }
    add(&covered, cover_made, state_size + position_words + place_words);
}

/* What a text that begins in a column wants to the left of column 0. */
static void begin_told(Int *state, Int column, Int *outwards) {
    size_t size = 0;
    for (Int x = -1; x >= column; x--) outwards[size++] = wanted_of(state[0], x - column);
    begin_reading(state, outwards, size);
}

static void begin_readings(Int *state, Int *outwards) {
    for (size_t i = 0; form == LINE && i < carries.count; i++) {
        size_t size = 0;
        for (Int rest = *key_at(&carries, i); rest; rest /= digits.size)
            outwards[size++] = digit_symbol(rest % digits.size);
        begin_reading(key_at(&carries, i), outwards, size);
    }
    for (size_t text = 0; form == TOLD && text < texts.count; text++) {
        state[0] = (Int)text, state[1] = from_end ? PAST : 0;
        begin_told(state, from_end ? 0 : offset, outwards);
        for (Int length = 0; from_end && length <= -offset && offset < 0; length++)
            state[1] = length, begin_told(state, length + offset, outwards);
    }
    if (form == QUOTIENT || form == COPY) begin_reading(state, outwards, 0);
}

/* One step of all that reads an input, with a symbol. */
static void step_cover(const Int *node, Int symbol) {
    const uint64_t *next_positions = (const uint64_t *)(node + state_size), *places = next_positions + position_words;
    size_t size = state_size + position_words + place_words;
    Bits options = (Bits)(cover_made + state_size), later = options + position_words;
    memset(cover_made, 0, size * sizeof *cover_made);
    Int part = read_symbol(next_positions, symbol, options, true);
    if (part < 0) return;
    step_reading(node, part, symbol);
    for (size_t i = 0; i < option_count; i++) {
        const Int *option = reading_options + i * (state_size + 1);
        memcpy(cover_made, option, state_size * sizeof *cover_made);
        memset(later, 0, place_words * sizeof *later), work(within_row.count);
        for (Int c = 0; c < (Int)within_row.count; c++)
            for (uint32_t j = 0; has_bit(places, c) && within_row.wanted[c] == option[state_size] &&
                                 j < next_columns(c, symbol)->size; j++)
                set_bit(later, next_columns(c, symbol)->items[j].integer);
        add(&covered, cover_made, size);
    }
    if (covered.count > COVER_LIMIT) refuse("too many sets of places");
}

static void check_cover(void) {
    position_words = positions / 64 + 1, place_words = within_row.count / 64 + 1;
    size_t size = state_size + position_words + place_words, room = longest_text + 2 * CONSTANT_LIMIT, wanted;
    Int *node = take_ints(size), *after = take_ints(room), *state = take_ints(state_size);
    cover_made = take_ints(size);
    for (Int p = 0; p < endless; p++)
        need(!cell_symbols[p * symbols], "a blank may stand in an input, so its end cannot be seen");
    begin_readings(state, after);
    for (size_t n = 0; n < covered.count; n++) {
        memcpy(node, key_at(&covered, n), size * sizeof *node);
        const uint64_t *options = (uint64_t *)(node + state_size);
        if (has_bit(options, endless) && end_reading(node, after, &wanted))
            need(spells(&within_row, options + position_words, after, wanted), "an input is left out");
        for (Int s = 1; s < symbols; s++) step_cover(node, s);
    }
}

/* (V8) Strips. The head stays in rows lo to hi, so the world is a row of columns, each `height` cells high. A label of
   a column is its cells (a symbol, or -1-c for any symbol of class c), its place in the input and its mark; `coarse`
   is how it is told from others at a distance. An element is p, q, the head's row, the coarse labels of the `depth`
   columns to the left, nearest first, the label of the head's own column, and the coarse labels to the right. A gram
   (x; w) of a side and a kind says that a column on that side may have label x, the columns beyond it coarse w. */
static Set labels;
static Int low_row;
static size_t height, depth, strip_size;
static Int *coarse;       /* [label] */
static Int *class_of;     /* [symbol] */
static Set strips, grams; /* A gram's key is its side (0 left, 1 right), kind, label and coarse numbers. */
static Groups grams_ahead; /* By what a head beside one knows of it: side, kind, coarse label, numbers but the last. */
static Int *label_made, *gram_made, *strip_made; /* Each is made anew for each look at the sets. */
static Set descents;
/* Places to the left of the input, for each of them those left of it, and for each start those left of that. There is
   one, left of itself, unless places tell what is wanted: (V9). */
static const Value *before, *beside_starts;
#define DESCENT_LIMIT 10000 /* Steps of a descent, as in the format. */

static const char NO_COLUMN[] = "a column of the first world is missing";

static void need_gram(Int side, Int kind, const char *why) {
    gram_made[0] = side, gram_made[1] = kind;
    need(find(&grams, gram_made, depth + 3) >= 0, why);
}

static void need_strip(const char *why) { need(find(&strips, strip_made, strip_size) >= 0, why); }

static Int find_label(void) { return find(&labels, label_made, height + 2); }

static void read_grams(const Value *lists, Int side) {
    for (uint32_t kind = 0; kind < lists->size; kind++) {
        const Value *list = &lists->items[kind];
        need(list->kind == ARRAY, NOT_BUILT);
        for (uint32_t i = 0; i < list->size; i++) {
            memcpy(gram_made + 2, numbers(&list->items[i], depth + 1, INT64_MIN), (depth + 1) * sizeof(Int));
            need(gram_made[2] >= 0 && gram_made[2] < (Int)labels.count, "there is no such label");
            gram_made[0] = side, gram_made[1] = kind;
            add(&grams, gram_made, depth + 3);
        }
    }
}

static void group_grams(void) {
    grams_ahead = groups_of(grams.count);
    for (size_t n = 0; n < grams.count; n++) {
        memcpy(gram_made, key_at(&grams, n), (depth + 2) * sizeof(Int));
        gram_made[2] = coarse[gram_made[2]];
        put(&grams_ahead, n, gram_made, depth + 2);
    }
}

static void read_strip_labels(const Value *list) {
    Int places = column_steps ? column_steps->size : 1;
    for (uint32_t i = 0; i < list->size; i++) {
        at("evidence, label", i);
        Int *label = numbers(&list->items[i], height + 2, INT64_MIN);
        for (size_t j = 0; j < height; j++) {
            bool known = label[j] >= 0 && label[j] < symbols;
            for (Int s = 0; s < symbols; s++) known |= label[j] == -1 - class_of[s];
            need(known, "it knows what does not exist");
        }
        need(label[height] >= -(Int)before->size && label[height] < places, "it knows what does not exist");
        add_once(&labels, label, height + 2, "it stands twice");
    }
}

static void read_strips(const Value *evidence) {
    const Value *lefts = get(evidence, "left", ARRAY), *rights = get(evidence, "right", ARRAY);
    const Value *list = get(evidence, "elements", ARRAY), *given = get(evidence, "labels", ARRAY);
    Int *rows = numbers(get_any(evidence, "rows"), 2, INT64_MIN), deep = get(evidence, "depth", INTEGER)->integer;
    need(rows[0] <= 0 && rows[1] >= 0 && deep >= 1, "row 0 or the depth is missing");
    if (rows[0] < -SIZE_LIMIT || rows[1] > SIZE_LIMIT || deep > SIZE_LIMIT) refuse("its strip is too large");
    low_row = rows[0], height = (size_t)(rows[1] - low_row + 1), depth = (size_t)deep, strip_size = 2 * depth + 4;
    label_made = take_ints(height + 2), gram_made = take_ints(depth + 3), strip_made = take_ints(strip_size);
    class_of = numbers(get_any(evidence, "classes"), (size_t)symbols, 0);
    read_strip_labels(given);
    coarse = numbers(get_any(evidence, "coarse"), labels.count, INT64_MIN);
    read_marks_and_kinds(evidence, lefts->size, rights->size);
    at("evidence, grams", -1);
    read_grams(lefts, 0), read_grams(rights, 1), group_grams();
    for (uint32_t i = 0; i < list->size; i++) {
        at("evidence, element", i);
        Int *e = read_element(&list->items[i], strip_size, INT64_MIN);
        need(e[2] >= rows[0] && e[2] <= rows[1], "its head is outside of the strip");
        need(e[3 + depth] >= 0 && e[3 + depth] < (Int)labels.count, "there is no such label");
        add_once(&strips, e, strip_size, "it stands twice");
    }
}

/* The label of a column before the first step: its row 0 holds a symbol, and the rest is blank. On all worlds,
   `symbol` counts through all columns that there may be. */
static Int fresh_column(Int column, Int symbol) {
    memset(label_made, 0, height * sizeof *label_made);
    if (column_steps) label_made[-low_row] = symbol;
    for (size_t i = 0; !column_steps && i < height; i++, symbol /= symbols) label_made[i] = symbol % symbols;
    label_made[height] = column, label_made[height + 1] = -1;
    Int label = find_label();
    need(label >= 0, NO_COLUMN);
    return label;
}

/* The start on inputs, for all paths of columns, which are made where the grams and the elements have them: the label
   of one column, and the coarse numbers of those to its right. Each path may be anywhere to the right of the head;
   one that starts an input also begins under it. */
static void check_first_paths(Int column, size_t length, bool start) {
    if (length > depth) {
        need_gram(1, kinds[0], NO_COLUMN);
        memcpy(strip_made + 3 + depth, gram_made + 2, (depth + 1) * sizeof(Int));
        if (start) need_strip("a start is missing");
        return;
    }
    for (Int s = 0; s < symbols; s++) {
        const Value *next = next_columns(column, s);
        Int label = next->size ? fresh_column(column, s) : 0;
        for (uint32_t i = 0; i < (length < depth || !next->size ? next->size : 1); i++) {
            gram_made[2 + length] = length ? coarse[label] : label;
            check_first_paths(next->items[i].integer, length + 1, start);
        }
    }
}

/* The paths of places to the left, likewise: into grams, or, with a start (not -1), into elements with its paths. */
static void check_left_paths(Int place_left, size_t length, Int start) {
    work(1);
    if (start < 0 && length > depth) need_gram(0, kinds[0], NO_COLUMN);
    else if (start >= 0 && length == depth) check_first_paths(start, 0, true);
    else {
        Int label = fresh_column(-1 - place_left, 0);
        const Value *next = &before->items[place_left];
        for (uint32_t i = 0; i < next->size; i++) {
            if (start < 0) gram_made[2 + length] = length ? coarse[label] : label;
            else strip_made[3 + length] = coarse[label];
            check_left_paths(next->items[i].integer, length + 1, start);
        }
    }
}

/* The start on all worlds: any column may stand under the head, and beside any others, told apart by `rough`. */
static void check_first_worlds(size_t length, const Int *fresh, size_t count, const Set *rough) {
    for (size_t i = 0; length < 2 * depth && i < rough->count; i++) {
        strip_made[(length < depth ? 3 : 4) + length] = *key_at(rough, i);
        check_first_worlds(length + 1, fresh, count, rough);
    }
    for (size_t i = 0; length == 2 * depth && i < count; i++) {
        strip_made[3 + depth] = gram_made[2] = fresh[i];
        need_strip("a start is missing");
        for (Int side = 0; side < 2; side++) {
            memcpy(gram_made + 3, strip_made + (side ? 4 + depth : 3), depth * sizeof(Int));
            need_gram(side, kinds[0], NO_COLUMN);
        }
    }
}

/* An element, with states 0 and row 0, stands for each world of the scope before the first step. */
static void check_first_strips(void) {
    at("evidence, columns at the start", -1);
    if (column_steps) {
        for (uint32_t i = 0; i < before->size; i++) check_left_paths(i, 0, -1);
        for (Int c = 0; c < column_steps->size; c++) check_first_paths(c, 0, false);
        for (uint32_t i = 0; i < column_starts->size; i++) {
            const Value *near = beside_starts ? &beside_starts->items[i] : &before->items[0];
            for (uint32_t j = 0; j < near->size; j++)
                check_left_paths(near->items[j].integer, 0, column_starts->items[i].integer);
        }
        return;
    }
    Set rough = {0};
    size_t count = 1, starts;
    for (size_t i = 0; i < height && count <= labels.count; i++) count *= (size_t)symbols;
    need(count <= labels.count, NO_COLUMN);
    Int *fresh = take_ints(count);
    for (size_t i = 0; i < count; i++) fresh[i] = fresh_column(0, (Int)i), add(&rough, &coarse[fresh[i]], 1);
    starts = count; /* All of them must be there, so there are not too many to go through. */
    for (size_t i = 0; i < 2 * depth && starts <= strips.count; i++) starts *= rough.count;
    need(starts <= strips.count, "a start is missing");
    check_first_worlds(0, fresh, count, &rough);
}

/* (V9) Results: (V8) on inputs, of one table that is never stuck; (a) places tell what is wanted in their columns; (b)
   wherever LEFT halts, all columns hold it. A column is B: blank, and nothing is wanted; D: it holds what is wanted, or
   a 0 before a number; Z: it is blank before a number, or where a 0 of one is wanted. Of a number, from left to right,
   they are Z..Z D..D B..B. */
static Set chains; /* Side, kind, the coarse numbers that come next on that side, and what the column before them is. */
static Int *chain_made, result_row;

static void read_row(Int row) {
    at("evidence, result", -1);
    need(row >= low_row && row < low_row + (Int)height, "its row is not of the strip");
    result_row = row - low_row, chain_made = take_ints(depth + 3);
}

static const char WRONG_RESULT[] = "LEFT may halt where a result is wrong";

/* B, D or Z for the cell of a column in the row of the result. */
static Int as_wanted(Int cell, Int wanted) {
    Int zero = numeric ? digit_symbol(0) : NOTHING;
    if (wanted == NOTHING && cell == 0) return 'B';
    if (cell >= 0 && cell == (wanted == LEADING ? zero : wanted)) return 'D';
    need(cell == 0 && (wanted == LEADING || (numeric && wanted == zero)), WRONG_RESULT);
    return 'Z';
}

/* Wrong if a column cannot be beside the one nearer to the head, of a number. */
static void need_order(Int side, Int column, Int next) {
    Int one = side ? column : next, other = side ? next : column;
    bool ordered = one == other || (one == 'Z' && other == 'D') || (one == 'D' && other == 'B');
    need(!numeric || ordered, "a result has a gap");
}

static Int column_kind(Int label) {
    const Int *cells = key_at(&labels, (size_t)label), cell = cells[result_row];
    Int at_place = cells[height];
    Int wanted = at_place < 0 ? to_the_left.wanted[-1 - at_place] : within_row.wanted[at_place];
    bool alone = true;
    for (Int i = 0; i < (Int)height; i++) alone &= i == result_row || cells[i] == 0;
    need(alone, "LEFT may halt where more stands than a result");
    return as_wanted(cell, wanted);
}

static void add_chain(Int side, Int kind, const Int *near, Int column) {
    chain_made[0] = side, chain_made[1] = kind, chain_made[depth + 2] = column;
    memcpy(chain_made + 2, near, depth * sizeof *near);
    add(&chains, chain_made, depth + 3);
}

static void add_halt(const Int *e) {
    Int column = column_kind(e[3 + depth]);
    add_chain(0, kinds[e[0]], e + 3, column), add_chain(1, kinds[e[0]], e + 4 + depth, column);
}

/* All columns that may be beside each other, from those at a halt outwards. */
static void check_halts(void) {
    at("evidence, columns at a halt", -1);
    for (size_t i = 0; i < chains.count; i++) {
        memcpy(gram_made, key_at(&chains, i), (depth + 2) * sizeof *gram_made);
        Int side = gram_made[0], kind = gram_made[1], column = key_at(&chains, i)[depth + 2];
        for (Int n = first_of(&grams_ahead, gram_made, depth + 2); n; n = grams_ahead.next[n - 1]) {
            const Int *gram = key_at(&grams, (size_t)n - 1);
            Int next = column_kind(gram[2]);
            need_order(side, column, next);
            add_chain(side, kind, gram + 3, next);
        }
    }
}

/* (a): reads the places and what is wanted there. */
static void check_wanted(const Value *evidence) {
    const Value *result = get_any(evidence, "result");
    at("evidence, descents", -1);
    need(!get(evidence, "descents", ARRAY)->size, "there must be none where results are claimed");
    at("evidence, result", -1);
    need_keys(result, "row anchor before beside expects expects_before");
    const Value *anchor = get_any(result, "anchor");
    if (anchor->kind != NIL) {
        need_list(anchor, 2);
        from_end = is_text(&anchor->items[0], "end"), offset = anchor->items[1].integer;
        need((from_end || is_text(&anchor->items[0], "start")) && anchor->items[1].kind == INTEGER &&
                 offset >= -100 && offset <= 100, "it does not say where the text stands");
    }
    find_form(anchor);
    read_columns(get_any(evidence, "columns"));
    before = left_of_places = get(result, "before", ARRAY);
    beside_starts = left_of_starts = get(result, "beside", ARRAY);
    need_list(beside_starts, column_starts->size);
    for (uint32_t i = 0; i < before->size; i++) check_below(&before->items[i], before->size);
    Set once = {0};
    for (uint32_t i = 0; i < beside_starts->size; i++) {
        check_below(&beside_starts->items[i], before->size);
        add_once(&once, &column_starts->items[i].integer, 1, "a start stands twice");
    }
    at("evidence, result", -1);
    read_places(&within_row, get_any(result, "expects"), column_steps->size, next_right, NOTHING);
    read_places(&to_the_left, get_any(result, "expects_before"), before->size, next_left, numeric ? LEADING : NOTHING);
    at("evidence, columns", -1);
    check_cover();
}

/* (a) to (e) for one element, with a symbol that may be under its head. */
static void check_strip(const Int *e, Int symbol, bool dim) {
    Entry mine, theirs;
    Int p = e[0], kind = kinds[p], row = e[2] - low_row;
    if (!joint_step(p, e[1], symbol, &mine, &theirs)) { /* (a) */
        if (beside_starts) add_halt(e);
        return;
    }
    Int later = kinds[mine.next], side = mine.move == RIGHTWARDS;
    add(&flows, (Int[]){kind, later}, 2);
    memcpy(label_made, key_at(&labels, (size_t)e[3 + depth]), (height + 2) * sizeof(Int)); /* (c) */
    label_made[row] = mine.write, label_made[height + 1] = marks[p];
    for (size_t i = 0; dim && i < height; i++) {
        Int alike = 0, held = label_made[i];
        for (Int s = 0; held >= 0 && s < symbols; s++) alike += class_of[s] == class_of[held];
        if (alike > 1) label_made[i] = -1 - class_of[held];
    }
    Int new = find_label();
    need(new >= 0, "the label that it writes is missing");
    memcpy(strip_made, e, strip_size * sizeof(Int));
    strip_made[0] = mine.next, strip_made[1] = theirs.next, strip_made[2] += DY[mine.move], strip_made[3 + depth] = new;
    if (!DX[mine.move]) { /* (b) and (d) */
        if (row + DY[mine.move] >= 0 && row + DY[mine.move] < (Int)height) need_strip("what follows it is missing");
        else need(find(&descents, (Int[]){mine.next, theirs.next, DY[mine.move]}, 3) >= 0, "the head leaves the strip");
        return;
    }
    size_t behind = side ? 3 : 4 + depth, ahead = side ? 4 + depth : 3; /* (e) */
    gram_made[2] = new;
    memcpy(gram_made + 3, e + behind, depth * sizeof(Int));
    need_gram(!side, later, "the column that the head leaves is not remembered");
    strip_made[behind] = coarse[new];
    memcpy(strip_made + behind + 1, e + behind, (depth - 1) * sizeof(Int));
    gram_made[0] = side, gram_made[1] = kind;
    memcpy(gram_made + 2, e + ahead, depth * sizeof(Int));
    for (Int n = first_of(&grams_ahead, gram_made, depth + 2); n; n = grams_ahead.next[n - 1]) {
        const Int *gram = key_at(&grams, (size_t)n - 1);
        strip_made[3 + depth] = gram[2];
        memcpy(strip_made + ahead, gram + 3, depth * sizeof(Int));
        need_strip("what follows it is missing");
    }
}

/* (g): from a row whose cells are blank from there outwards, both do the same and never come back, until LEFT halts
   or is stuck (0 steps), or, after `steps`, come to a row further out than all before, with a descent again. */
static void check_descent(Int p, Int q, Int side, Int steps) {
    Set cells = {0};
    Entry mine, theirs;
    Int *holds = take_ints(DESCENT_LIMIT), head[2] = {0, 0}, furthest = 0, before = 0;
    for (Int i = 0; i < (steps ? steps : DESCENT_LIMIT); i++) {
        Int cell = add(&cells, head, 2);
        if (!joint_step(p, q, holds[cell], &mine, &theirs)) {
            need(steps == 0, "one ends before it goes on");
            return;
        }
        holds[cell] = mine.write, p = mine.next, q = theirs.next;
        head[0] += DX[mine.move], head[1] += side * DY[mine.move];
        need(head[1] >= 0, "the head comes back from one");
        before = furthest, furthest = head[1] > furthest ? head[1] : furthest;
    }
    need(steps && head[1] > before && find(&descents, (Int[]){p, q, side}, 3) >= 0, "one does not go on as it says");
}

static void check_descents(const Value *list) {
    at("evidence, descents", -1);
    need(!list->size || column_steps, "all worlds have none");
    for (uint32_t i = 0; i < list->size; i++) {
        Int *d = read_element(&list->items[i], 4, -1);
        need((d[2] == 1 || d[2] == -1) && d[3] >= 0 && d[3] <= DESCENT_LIMIT, "one has no side, or no number of steps");
        add_once(&descents, d, 3, "one stands twice");
    }
    for (uint32_t i = 0; i < list->size; i++) {
        const Int *d = key_at(&descents, i);
        check_descent(d[0], d[1], d[2], list->items[i].items[3].integer);
    }
}

static Int check_strips(const Value *evidence, Value *radius) {
    static Value none = {.kind = INTEGER}, itself = {.kind = ARRAY, .size = 1, .items = &none};
    static Value one = {.kind = ARRAY, .size = 1, .items = &itself};
    bool results = is_text(get_any(evidence, "kind"), "results");
    need_keys(evidence, results ? "kind rows depth columns classes dim marks kinds labels coarse left right elements "
                                  "descents result"
                                : "kind rows depth columns classes dim marks kinds labels coarse left right elements "
                                  "descents");
    before = &one;
    if (results) check_wanted(evidence);
    else check_columns(get_any(evidence, "columns"));
    at("evidence", -1);
    bool dim = get_truth(evidence, "dim");
    read_strips(evidence), check_first_strips(), check_descents(get(evidence, "descents", ARRAY));
    if (results) read_row(get(get_any(evidence, "result"), "row", INTEGER)->integer);
    for (size_t i = 0; i < strips.count; i++) {
        at("evidence, element", (Int)i);
        const Int *e = key_at(&strips, i);
        Int cell = key_at(&labels, (size_t)e[3 + depth])[e[2] - low_row];
        for (Int s = 0; s < symbols; s++)
            if (cell == s || cell == -1 - class_of[s]) check_strip(e, s, dim);
    }
    check_halts();
    at("evidence, grams", -1);
    for (size_t i = 0; i < flows.count; i++) /* (f) */
        for (size_t n = 0; n < grams.count; n++) {
            work(1);
            if (key_at(&grams, n)[1] != key_at(&flows, i)[0]) continue;
            memcpy(gram_made, key_at(&grams, n), (depth + 3) * sizeof(Int));
            need_gram(gram_made[0], key_at(&flows, i)[1], "columns are forgotten from one kind to the next");
        }
    *radius = *get(evidence, "depth", INTEGER);
    return (Int)strips.count;
}

/* (V10) Folds: two numbers on one tape, digits of equal weight in one column. The strip is cut in three: a left part, a
   column between, and a right part. Column i of the folded tape has in its first track the column of the left part
   that lay i + 1 to the left of the sign at the start, in its second the one of the right part that lay i to the left
   of the last digit; a track is absent, -1 in all cells, where its part has no such column. A control is LEFT's state,
   a phase, LEFT's row, and the cells of the column between; a label is both tracks, what is wanted, and where the
   column lies: to the right of both numbers (0), their last digits (1), other digits (2), to the left of both (3).
   For each control and side there are grams (x; w), a label and the coarse number of a neighbour on that side: those
   of the folded head's own column, and those of columns on that side. They must have all inputs, and be closed under
   steps.
   (F1) a number, fold_sum[0] * a + fold_sum[1] * b + fold_sum[2]: a state is a carry. It stands in one track.
   (F2) a symbol by how a compares with b: a state is 0, 1 or 2 for less, equal and greater. It stands between. */
enum { IN_FIRST, IN_SECOND, BETWEEN, PUT = 8, PICK = 10, PHASES };
static const struct Leg {
    bool track, there;
    Int walk, next, step;
} LEGS[PHASES] = {/* A phase is held while this track is there or not, with this step; then the next, with that. */
    [3] = {0, true, 1, 4, -1},  [4] = {0, false, -1, IN_FIRST, 0}, [5] = {1, true, -1, 6, 1},
    [6] = {1, false, 1, IN_SECOND, 0}, [7] = {1, false, 1, 8, -1}, [8] = {1, true, -1, 9, 0},
    [9] = {0, true, 1, 10, -1}, [10] = {0, false, -1, BETWEEN, 0}};
static bool is_sum;
static Int fold_sum[3], verdicts[3], result_track;
static Bits sign_symbols;
static Set shifts, controls, fold_heads[2], fold_grams[2]; /* Keys of grams: control, label, coarse number. */
static Groups fold_ahead[2]; /* Grams by control, and the coarse number of their label. */
static Set fold_lines, fold_edges, fold_entered, fold_flows, fold_chains;
static Int *fold_made; /* A control, or a label. */

/* Whether a condition holds of numbers that compare so. */
static bool holds_of(const Node *n, Int order) {
    if (n->op == '!') return !holds_of(n->a, order);
    if (n->op == '&' || n->op == '|') {
        bool a = holds_of(n->a, order), b = holds_of(n->b, order);
        return n->op == '&' ? a && b : a || b;
    }
    need(strchr("en<l>g", n->op) && n->a->op == 'w' && n->b->op == 'w', NO_FORM);
    need(n->a->value + n->b->value == 2 && n->a->value != 1, NO_FORM);
    return n->a->value ? compares(n->op, 1, order) : compares(n->op, order, 1);
}

/* What may stand between two numbers: every input must be two, with one symbol between them. */
static void read_signs(void) {
    static const char other[] = "its inputs are not two numbers with a sign between them";
    static const Int onward[4][3] = {{1, 0, 0}, {1, 2, 0}, {0, 0, 3}, {0, 0, 3}}; /* How far, and the part read. */
    size_t size = positions / 64 + 2;
    Set seen = {0};
    Int *node = take_ints(size), *later = take_ints(size);
    need(parts == 3 && digits.size && !compare_texts(&part_members[0], &digits), other);
    need(!compare_texts(&part_members[2], &digits), other);
    memcpy(node + 1, first_positions, (size - 1) * sizeof *node);
    add(&seen, node, size);
    sign_symbols = no_bits((size_t)symbols);
    for (size_t n = 0; n < seen.count; n++) {
        memcpy(node, key_at(&seen, n), size * sizeof *node);
        need(!has_bit((Bits)(node + 1), endless) || node[0] == 3, other);
        for (Int s = 0; s < symbols; s++) {
            memset(later, 0, size * sizeof *later);
            Int part = read_symbol((Bits)(node + 1), s, (Bits)(later + 1), true);
            if (part < 0) continue;
            later[0] = onward[node[0]][part];
            need(later[0], other);
            if (part == 1) set_bit(sign_symbols, s);
            add(&seen, later, size);
        }
        if (seen.count > COVER_LIMIT) refuse("its input clause has too many states");
    }
    for (Int s = 0; s < symbols; s++)
        need(!has_bit(sign_symbols, s) || (s && !holds(&digits, symbol_names.keys[s])),
             "a sign of its inputs is a digit or a blank");
}

static void find_folded_form(void) {
    const Node *n = told_clause = read_output();
    read_signs();
    numeric = is_sum = find_sum(n, fold_sum);
    for (int i = 0; i < 3 && is_sum; i++)
        need(fold_sum[i] <= CONSTANT_LIMIT, "its output clause has too large numbers");
    for (Int order = 0; order < 3 && !is_sum; order++) {
        for (n = told_clause; n->op == '?';) n = holds_of(n->a, order) ? n->b : n->c;
        need(n->op == 'i' || n->op == 't', NO_FORM);
        size_t text = (size_t)text_of(n);
        need(key_size(&texts, text) == 1, "its output clause has a text that is not one symbol");
        verdicts[order] = *key_at(&texts, text);
    }
}

/* The state after two digits, and what is wanted in their column. */
static Int step_folded(Int state, Int a, Int b, Int *wanted) {
    Int total = fold_sum[0] * a + fold_sum[1] * b + state;
    *wanted = is_sum ? digit_symbol(total % digits.size) : a < b ? 0 : a > b ? 2 : state;
    return is_sum ? total / digits.size : *wanted;
}

static const Int *track_of(const Int *label, int track) { return label + (track ? height : 0); }
static bool is_there(const Int *label, int track) { return *track_of(label, track) >= 0; }

static bool is_blank(const Int *cells) {
    for (size_t i = 0; i < height; i++)
        if (cells[i]) return false;
    return true;
}

/* Writes a track of a column of the input: a digit, 0 for a blank, or -1 where it is absent. */
static void make_track(int track, Int symbol) {
    Int *cells = fold_made + (track ? height : 0);
    for (size_t i = 0; i < height; i++) cells[i] = symbol < 0 ? -1 : 0;
    if (symbol >= 0) cells[-low_row] = symbol;
}

static Int made_label(void) {
    Int label = find(&labels, fold_made, 2 * height + 2);
    need(label >= 0, "a column of an input, or what a step makes of one, is missing");
    return label;
}

static void add_edge(Int line, Int first, Int second, Int wanted, Int where, const Int later[4]) {
    make_track(0, first), make_track(1, second);
    fold_made[2 * height] = wanted, fold_made[2 * height + 1] = where;
    add(&fold_edges, (Int[]){line, made_label(), add(&fold_lines, later, 4)}, 3);
    if (fold_edges.count > EDGE_LIMIT) refuse("its output clause has too many states");
}

/* The columns that may come next to the left in an input. A line is where it is, the state, and which numbers go on. */
static void add_edges(Int number) {
    Int line[4], wanted, after;
    memcpy(line, key_at(&fold_lines, (size_t)number), sizeof line);
    if (!line[0]) add_edge(number, -1, 0, NOTHING, 0, line);
    else {
        after = step_folded(line[1], 0, 0, &wanted);
        if (is_sum && !line[1]) wanted = LEADING;
        add_edge(number, 0, -1, wanted, 3, (Int[]){3, after, 0, 0});
    }
    for (Int a = -1; a < (line[2] ? digits.size : 0); a++)
        for (Int b = -1; b < (line[3] ? digits.size : 0); b++) {
            if ((a < 0 && b < 0) || (!line[0] && (a < 0 || b < 0))) continue;
            after = step_folded(line[1], a < 0 ? 0 : a, b < 0 ? 0 : b, &wanted);
            add_edge(number, a < 0 ? 0 : digit_symbol(a), b < 0 ? -1 : digit_symbol(b), wanted, line[0] ? 2 : 1,
                     (Int[]){2, after, a >= 0, b >= 0});
        }
}

static const char NO_GRAM[] = "a gram that must be there is missing";

static void need_fold_gram(const Set *some, Int control, Int label, Int near) {
    need(find(some, (Int[]){control, label, near}, 3) >= 0, NO_GRAM);
}

static void need_fold_grams(const Set *some, Int control, Int label, const Set *near) {
    for (size_t i = 0; i < near->count; i++) need_fold_gram(some, control, label, *key_at(near, i));
}

/* A control in state 0 with a sign between must stand for all inputs, LEFT's head on the first digit. */
static void check_first_folds(void) {
    at("evidence, labels", -1);
    add(&fold_lines, (Int[]){0, is_sum ? fold_sum[2] : 1, 1, 1}, 4);
    for (size_t i = 0; i < fold_lines.count; i++) add_edges((Int)i);
    Set *rights = take(fold_lines.count, sizeof *rights), *blanks = take(fold_lines.count, sizeof *blanks);
    for (size_t i = 0; i < fold_edges.count; i++) {
        const Int *edge = key_at(&fold_edges, i), *rough = &coarse[edge[1]];
        add(&rights[edge[2]], rough, 1);
        if (is_blank(key_at(&labels, (size_t)edge[1]))) add(&blanks[edge[0]], rough, 1);
    }
    for (Int sign = 0; sign < symbols; sign++) {
        if (!has_bit(sign_symbols, sign)) continue;
        at("evidence, controls", -1);
        memset(fold_made, 0, (height + 3) * sizeof *fold_made), fold_made[3 - low_row] = sign;
        Int control = find(&controls, fold_made, height + 3);
        need(control >= 0, "the start is missing");
        at("evidence, grams", -1);
        for (size_t i = 0; i < fold_edges.count; i++) {
            const Int *edge = key_at(&fold_edges, i), *label = key_at(&labels, (size_t)edge[1]);
            if (is_blank(label)) need_fold_grams(&fold_grams[0], control, edge[1], &blanks[edge[2]]);
            else need_fold_grams(&fold_grams[1], control, edge[1], &rights[edge[0]]);
            if (is_blank(label) || !is_there(label, 0) || !blanks[edge[2]].count) continue;
            need_fold_grams(&fold_heads[0], control, edge[1], &blanks[edge[2]]);
            need_fold_grams(&fold_heads[1], control, edge[1], &rights[edge[0]]);
        }
    }
}

static Set read_fold_keys(const Value *list, size_t size, const char *name) {
    Set keys = {0};
    at(name, -1);
    for (uint32_t i = 0; i < list->size; i++)
        add_once(&keys, numbers(&list->items[i], size, -SIZE_LIMIT), size, "one of them stands twice");
    return keys;
}

static bool are_symbols(const Int *cells) {
    for (size_t i = 0; i < height; i++)
        if (cells[i] < 0 || cells[i] >= symbols) return false;
    return true;
}

static bool is_track(const Int *cells) {
    bool absent = true;
    for (size_t i = 0; i < height; i++) absent &= cells[i] == -1;
    return absent || are_symbols(cells);
}

static void read_fold_grams(const Value *lists, Set *to, const char *name) {
    Set once = {0};
    at(name, -1);
    need_list(lists, controls.count);
    for (Int control = 0; control < (Int)controls.count; control++) {
        const Value *list = &lists->items[control];
        need(list->kind == ARRAY, NOT_BUILT);
        for (uint32_t i = 0; i < list->size; i++) {
            const Value *gram = &list->items[i];
            need(gram->kind == ARRAY && gram->size > 1, "one of them is none");
            const Int *n = numbers(gram, gram->size, 0);
            need(n[0] < (Int)labels.count, "one of them is none");
            add_once(&once, (Int[]){control, n[0]}, 2, "a label stands twice");
            for (uint32_t j = 1; j < gram->size; j++) add(to, (Int[]){control, n[0], n[j]}, 3);
        }
    }
}

static void group_fold_grams(int side) {
    const Set *some = &fold_grams[side];
    fold_ahead[side] = groups_of(some->count);
    for (size_t i = 0; i < some->count; i++) {
        const Int *gram = key_at(some, i);
        put(&fold_ahead[side], i, (Int[]){gram[0], coarse[gram[1]]}, 2);
    }
}

/* The first gram of a control and a side whose label has a coarse number, plus one; 0 if there is none. */
static Int first_fold_gram(Int side, Int control, Int near) {
    return first_of(&fold_ahead[side], (Int[]){control, near}, 2);
}

static void read_folds(const Value *evidence) {
    const Int *rows = numbers(get_any(evidence, "rows"), 2, -SIZE_LIMIT);
    Int row = get(evidence, "row", INTEGER)->integer;
    const Value *stands = get_any(evidence, "stands");
    low_row = rows[0];
    need(low_row <= 0 && rows[1] >= 0 && rows[1] <= SIZE_LIMIT, "row 0 is missing");
    height = (size_t)(rows[1] - low_row) + 1;
    need(row >= low_row && row <= rows[1], "the row of the result is not of the strip");
    result_row = row - low_row, result_track = is_text(stands, "second");
    need(is_sum ? result_track || is_text(stands, "first") : is_text(stands, "between"),
         "it does not say where the result stands");
    fold_made = take_ints(2 * height + 3);
    shifts = read_fold_keys(get(evidence, "shifts", ARRAY), height, "evidence, shifts");
    controls = read_fold_keys(get(evidence, "controls", ARRAY), height + 3, "evidence, controls");
    labels = read_fold_keys(get(evidence, "labels", ARRAY), 2 * height + 2, "evidence, labels");
    for (size_t i = 0; i < controls.count; i++) {
        const Int *c = key_at(&controls, i);
        need(c[0] >= 0 && c[0] < left.states && c[1] >= 0 && c[1] < PHASES && c[2] >= low_row && c[2] <= rows[1] &&
                 are_symbols(c + 3), "a control does not exist");
    }
    for (size_t i = 0; i < labels.count; i++) {
        const Int *label = key_at(&labels, i), wanted = label[2 * height], where = label[2 * height + 1];
        need(is_track(label) && is_track(label + height) && where >= 0 && where <= 3 && wanted >= NOTHING &&
                 wanted < (is_sum ? symbols : 3) && (is_sum || where != 3 || wanted >= 0), "a label does not exist");
    }
    coarse = numbers(get_any(evidence, "coarse"), labels.count, 0);
    read_fold_grams(get_any(evidence, "head_left"), &fold_heads[0], "evidence, grams");
    read_fold_grams(get_any(evidence, "head_right"), &fold_heads[1], "evidence, grams");
    read_fold_grams(get_any(evidence, "left"), &fold_grams[0], "evidence, grams");
    read_fold_grams(get_any(evidence, "right"), &fold_grams[1], "evidence, grams");
    group_fold_grams(0), group_fold_grams(1);
}

/* LEFT acts on a column; false if it halts. The state and the row of a control are changed. */
static bool act(Int *control, Int *cells, Int *dx) {
    Int symbol = cells[control[2] - low_row];
    const Entry *entry = entry_of(&left, control[0], symbol);
    need(entry->move, "LEFT may be stuck");
    if (entry->write == symbol && entry->move == STAY) return false;
    cells[control[2] - low_row] = entry->write;
    control[0] = entry->next, control[2] += DY[entry->move], *dx = DX[entry->move];
    need(control[2] >= low_row && control[2] < low_row + (Int)height, "LEFT may leave the strip");
    return true;
}

/* The step of a control in a column; false if LEFT halts. */
static bool step_fold(Int control, Int label, Int *after, Int *later, Int *dx) {
    static Int *made;
    if (!made) made = take_ints(height + 3);
    memcpy(made, key_at(&controls, (size_t)control), (height + 3) * sizeof *made);
    memcpy(fold_made, key_at(&labels, (size_t)label), (2 * height + 2) * sizeof *fold_made);
    Int phase = made[1], *between = made + 3, *second = fold_made + height;
    *dx = 0;
    if (phase > BETWEEN) {
        const struct Leg *leg = &LEGS[phase];
        size_t bytes = height * sizeof *between;
        if (is_there(fold_made, leg->track) == leg->there)
            return *after = control, *later = label, *dx = leg->walk, true;
        if (phase == PUT) memcpy(second, between, bytes), memset(between, 0, bytes);
        if (phase == PICK) memcpy(between, fold_made, bytes), make_track(0, -1);
        made[1] = leg->next, *dx = leg->step;
    } else if (phase < BETWEEN && !is_there(fold_made, (int)phase)) made[1] = BETWEEN;
    else {
        if (!act(made, phase == BETWEEN ? between : phase ? second : fold_made, dx)) return false;
        if (phase == BETWEEN) {
            bool shift = find(&shifts, between, height) >= 0;
            made[1] = !*dx ? BETWEEN : *dx > 0 ? 5 : shift ? 7 : 3, *dx = 0;
        }
    }
    *after = find(&controls, made, height + 3);
    need(*after >= 0, "the control after a step is missing");
    *later = made_label();
    return true;
}

/* B, D or Z as for strips, and B for a verdict. */
static Int fold_kind(Int control, Int label) {
    static const char more[] = "LEFT may halt where more stands than a result";
    const Int *c = key_at(&labels, (size_t)label), *between = key_at(&controls, (size_t)control) + 3;
    Int wanted = c[2 * height], cell = 0;
    for (Int i = 0; i < (Int)height; i++) {
        need(!between[i] || (!is_sum && i == result_row), more);
        for (int track = 0; track < 2; track++)
            if (track_of(c, track)[i] > 0) {
                need(is_sum && track == result_track && i == result_row, more);
                cell = track_of(c, track)[i];
            }
    }
    if (!is_sum) {
        need(c[2 * height + 1] != 3 || between[result_row] == verdicts[wanted], WRONG_RESULT);
        return 'B';
    }
    return as_wanted(cell, wanted);
}

/* (a) to (c) for one gram of a head, and where (d) and (e) begin. */
static void check_fold(int side, const Int *gram) {
    Int control = gram[0], near = gram[2], after, later, dx;
    if (!step_fold(control, gram[1], &after, &later, &dx)) {
        add(&fold_chains, (Int[]){side, control, near, fold_kind(control, gram[1])}, 4);
        return;
    }
    bool enters = dx && (dx > 0) == (side == 1);
    if (!enters) {
        need_fold_gram(dx ? &fold_grams[side] : &fold_heads[side], after, later, near);
        add(&fold_flows, (Int[]){side, control, after, near}, 4);
        return;
    }
    size_t known = fold_entered.count;
    if (add(&fold_entered, (Int[]){side, control, near, after, coarse[later]}, 5) < (Int)known) return;
    for (Int n = first_fold_gram(side, control, near); n; n = fold_ahead[side].next[n - 1]) {
        const Int *come_to = key_at(&fold_grams[side], (size_t)n - 1);
        need_fold_gram(&fold_heads[side], after, come_to[1], come_to[2]);
        need_fold_gram(&fold_heads[!side], after, come_to[1], coarse[later]);
        add(&fold_flows, (Int[]){side, control, after, come_to[2]}, 4);
    }
}

static Int check_folds(const Value *evidence, Value *radius) {
    need_keys(evidence, "kind rows row stands shifts controls labels coarse head_left head_right left right");
    find_folded_form();
    at("evidence", -1);
    read_folds(evidence), check_first_folds();
    at("evidence, grams", -1);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < fold_heads[side].count; i++) check_fold(side, key_at(&fold_heads[side], i));
    for (size_t i = 0; i < fold_flows.count; i++) { /* (d) */
        const Int *flow = key_at(&fold_flows, i);
        Int side = flow[0], control = flow[1], after = flow[2], near = flow[3];
        for (Int n = control == after ? 0 : first_fold_gram(side, control, near); n; n = fold_ahead[side].next[n - 1]) {
            const Int *gram = key_at(&fold_grams[side], (size_t)n - 1);
            need_fold_gram(&fold_grams[side], after, gram[1], gram[2]);
            add(&fold_flows, (Int[]){side, control, after, gram[2]}, 4);
        }
    }
    at("evidence, columns at a halt", -1);
    for (size_t i = 0; i < fold_chains.count; i++) { /* (e) */
        const Int *chain = key_at(&fold_chains, i);
        Int side = chain[0], control = chain[1], near = chain[2], column = chain[3];
        for (Int n = first_fold_gram(side, control, near); n; n = fold_ahead[side].next[n - 1]) {
            const Int *gram = key_at(&fold_grams[side], (size_t)n - 1);
            Int next = fold_kind(control, gram[1]);
            need_order(side, column, next);
            add(&fold_chains, (Int[]){side, control, gram[2], next}, 4);
        }
    }
    *radius = (Value){.kind = INTEGER, .integer = 1};
    return (Int)(fold_heads[0].count + fold_heads[1].count);
}

/* (V6) Difference: both are run on the reads, and on the world where there is one. They do the same up to the last
   step, and there LEFT does something that RIGHT does not, or is stuck where the claim does not allow it. */
static bool shows(const Entry *entry, const Value *v) {
    if (!entry->move || v->kind == NIL) return !entry->move && v->kind == NIL;
    need_list(v, 2);
    return number_of(&symbol_names, &v->items[0]) == entry->write && move_of(&v->items[1]) == entry->move;
}

/* At scope inputs, the world is the row of a declared input, and the head starts on its first cell. */
static void check_input_world(const Value *text, const Set *places, const Int *holds, const Int *head) {
    static const char other[] = "the world is not that of the input";
    size_t cells = 0;
    need(text->kind == TEXT, "the input is missing");
    for (uint32_t x = 0; x < text->size; x++) {
        Int symbol = find(&symbol_names, &text->text[x], 1), cell = find(places, (Int[]){x, 0}, 2);
        need(symbol == 0 ? cell < 0 : symbol > 0 && cell >= 0 && holds[cell] == symbol, other);
        cells += symbol > 0;
    }
    need(cells == places->count && head[0] == 0 && head[1] == 0, other);
    need(is_input(text), "the input is not a declared one");
}

static void check_difference(const Value *evidence) {
    need_keys(evidence, "kind input start cells reads left right");
    const Value *reads = get(evidence, "reads", ARRAY), *mine = get(evidence, "left", ARRAY);
    const Value *theirs = get(evidence, "right", ARRAY), *cells = get_any(evidence, "cells");
    const Value *start = get_any(evidence, "start"), *input = get_any(evidence, "input");
    bool world = cells->kind == ARRAY;
    need(reads->size > 0 && mine->size == reads->size && theirs->size == reads->size, "there is no step");
    need(world || (cells->kind == NIL && start->kind == NIL), "there is a start, but no world");
    need(world || scope == TABLE || scope == OBSERVED, "the world is missing");
    Set places = {0};
    Int *holds = take_ints((world ? (size_t)cells->size : 0) + reads->size), head[2] = {0, 0}, p = 0, q = 0;
    if (world) memcpy(head, numbers(start, 2, -FARTHEST), sizeof head);
    for (uint32_t i = 0; world && i < cells->size; i++) {
        need_list(&cells->items[i], 3);
        holds[i] = number_of(&symbol_names, &cells->items[i].items[2]);
        Value place_of_it = {.kind = ARRAY, .size = 2, .items = cells->items[i].items};
        add_once(&places, numbers(&place_of_it, 2, -FARTHEST), 2, "a cell of the world stands twice");
        need(key_at(&places, i)[0] < FARTHEST && key_at(&places, i)[1] < FARTHEST, "a cell of the world is nowhere");
    }
    need(head[0] < FARTHEST && head[1] < FARTHEST, "a cell of the world is nowhere");
    if (scope == INPUTS) check_input_world(input, &places, holds, head);
    else need(input->kind == NIL, "only a declared input is one");
    for (uint32_t i = 0; i < reads->size; i++) {
        at("evidence, step", (Int)i + 1);
        Int read = number_of(&symbol_names, &reads->items[i]), cell = world ? add(&places, head, 2) : 0;
        need(!world || read == holds[cell], "this is not what stands there");
        const Entry *entry = entry_of(&left, p, read), *other = entry_of(&right, q, read);
        need(shows(entry, &mine->items[i]) && shows(other, &theirs->items[i]), "the tables do something else");
        bool last = i + 1 == reads->size, same = entry->move == other->move && entry->write == other->write;
        if (!entry->move) {
            need(last && (stuck_claim == NEVER || (stuck_claim == SAME && other->move)),
                 "LEFT is stuck here, and the claim allows it");
            return;
        }
        need(last || same, "they differ here, so it must be the last step");
        need(!last || !same, "they do not differ");
        need(!last || scope != OBSERVED || other->move, "RIGHT was not observed here");
        need(last || entry->write != read || entry->move != STAY, "LEFT has halted, so nothing is asked of RIGHT");
        holds[cell] = entry->write;
        head[0] += DX[entry->move], head[1] += DY[entry->move], p = entry->next, q = other->next;
    }
}

/* What a side says of where its table comes from. It is not checked, but that it is said. */
static void check_side(const Value *side, const char *name) {
    static const char *const counts[] = {"worlds", "inputs", "longest", "steps", "guessed", "states", "clusters"};
    at(name, -1);
    need_keys(side, "file arguments source_sha256 table_sha256 table extracted extraction snapping");
    need_digest(get_any(side, "table"), get_any(side, "table_sha256"), "its table was changed: its digest is another");
    const Value *source = get(side, "source_sha256", TEXT), *arguments = get(side, "arguments", OBJECT);
    const Value *extraction = get_any(side, "extraction");
    get(side, "file", TEXT);
    for (uint32_t i = 0; i < arguments->size; i++) need(arguments->items[2 * i + 1].kind == TEXT, NOT_BUILT);
    need(get_truth(side, "extracted") == (extraction->kind != NIL), "it does not say how its table was extracted");
    if (extraction->kind == NIL) return;
    need_keys(extraction, "weights_sha256 scope seed worlds inputs longest steps merging guessed states clusters");
    for (int i = 0; i < 7; i++) need(get(extraction, counts[i], INTEGER)->integer >= 0, NOT_BUILT);
    get(extraction, "seed", INTEGER), get(extraction, "scope", TEXT);
    const Value *merging = get_any(extraction, "merging");
    bool raw = is_text(merging, "none");
    need(raw || is_text(merging, "folded"), "its states were merged in no known way");
    need(!raw || get_any(extraction, "guessed")->integer == 0, "pairs were guessed, but nothing was merged");
    need(!compare_texts(get(extraction, "weights_sha256", TEXT), source), "it was extracted from other weights");
}

static int choice(const Value *v, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (is_text(v, words[i])) return i;
    wrong("it is none that a certificate can make");
}

/* Checks that the claim says what its fields say, that the evidence shows it, and what was counted. */
static void check_claim(const Value *claim, bool same, const Value *evidence, char *says, size_t room) {
    static const char *const scopes[] = {"worlds", "inputs", "observed", "table"}, *const where[] = {
        "on every world, from every start cell", "on every declared input of LEFT",
        "on every sequence of reads that RIGHT was observed on", "on every sequence of reads"};
    static const char *const stuck[] = {"unasked", "same", "never"}, *const where_stuck[2][3] = {
        {"", ", or is not stuck where LEFT is", ", or LEFT is stuck"},
        {"", ", and is stuck wherever LEFT is", ", and LEFT is never stuck"}};
    static const char leaves[] = ", and where LEFT halts it leaves what its output clause says";
    static const char *const names[] = {"radius", "product_states", "stuck_branches", "unobserved_branches"};
    at("claim", -1);
    bool equal = get_truth(claim, "equivalent");
    scope = (unsigned)choice(get_any(claim, "scope"), scopes, 4);
    stuck_claim = (unsigned)choice(get_any(claim, "stuck"), stuck, 3);
    bool output = get_truth(claim, "output");
    snprintf(says, room, "RIGHT %s what LEFT does %s%s%s", equal ? "does" : "does not do", where[scope],
             where_stuck[equal][stuck_claim], output ? leaves : "");
    need(is_text(get_any(claim, "says"), says), "what it says is not what it claims");
    need(!output || (equal && scope == INPUTS && stuck_claim == NEVER),
         "a result can be claimed only of inputs on which LEFT is never stuck");
    need(scope != OBSERVED || stuck_claim == UNASKED, "where RIGHT was not observed nothing is known");
    need(scope != INPUTS || left.input->kind != NIL, "LEFT declares no inputs");
    at("right", -1);
    need(!output || same, "a result is claimed of one table, so both must be the same");
    if (scope == INPUTS) read_clause();
    at("evidence", -1);
    const Value *kind = get_any(evidence, "kind");
    Value radius = {.kind = NIL};
    Int elements = 0;
    need((is_text(kind, "results") || is_text(kind, "folds")) == output, "it does not show what is claimed of the output");
    need(is_text(kind, "difference") != equal, "a difference is shown by two traces, and nothing else is");
    bool pairs = is_text(kind, "pairs"), of_worlds = scope == WORLDS || scope == INPUTS;
    need(!equal || pairs != of_worlds, "it is no evidence for a claim of this scope");
    if (!equal) check_difference(evidence);
    else if (pairs) elements = check_pairs(evidence);
    else if (is_text(kind, "windows")) elements = check_windows(evidence, &radius);
    else if (is_text(kind, "strips") || is_text(kind, "results")) elements = check_strips(evidence, &radius);
    else if (is_text(kind, "folds")) elements = check_folds(evidence, &radius);
    else wrong("there is no evidence of this kind");
    at("claim", -1);
    Int counted[] = {radius.kind == NIL ? -1 : radius.integer, elements, stuck_branches, unobserved_branches};
    for (int i = 0; i < 4; i++) {
        const Value *v = get_any(claim, names[i]);
        bool none = !equal || counted[i] < 0;
        need(none ? v->kind == NIL : v->kind == INTEGER && v->integer == counted[i],
             "its numbers are not those of the evidence");
    }
}

/* Nothing is claimed of LEFT alone; what could show it is not known here. */
static void check_total(const Value *claim, const Value *total) {
    bool halts = get_truth(claim, "halts");
    at("total", -1);
    need_keys(total, "halting output");
    bool empty = get_any(total, "halting")->kind == NIL && get_any(total, "output")->kind == NIL;
    if (!empty) refuse("this checker does not know evidence that LEFT halts, or of what it leaves");
    at("claim", -1);
    need(!halts, "its `total` does not show what is claimed of halting");
}

static char *read_file(const char *name) {
    FILE *file = fopen(name, "rb");
    static char *text;
    size_t used = 0, room = 1 << 16;
    bool good = file && (text = malloc(room));
    while (good && !feof(file) && !ferror(file)) {
        used += fread(text + used, 1, room - used - 1, file);
        if (used > FILE_LIMIT) refuse("it is too large");
        if (used + 1 == room) good = (text = realloc(text, room *= 2));
    }
    if (!good || ferror(file)) {
        fprintf(stderr, "check: this file cannot be read\n");
        exit(2);
    }
    text[used] = 0;
    file_end = text + used;
    return text;
}

int main(int count, char **arguments) {
    static const char *const parts[] = {"claim", "left", "right", "evidence", "total"};
    static const char *const subjects[] = {"table", "snapped model"};
    if (count != 2) {
        fprintf(stderr, "usage: check CERT.json\n");
        return 2;
    }
    cursor = read_file(arguments[1]);
    Value root = read_value(0);
    need(!peek() && cursor == file_end, NO_JSON);
    at("format", -1);
    need(root.kind == OBJECT, "this is no certificate");
    const Value *format = get_any(&root, "format");
    need(!is_text(format, "gridlang-certificate/1") && !is_text(format, "gridlang-certificate/2") &&
         !is_text(format, "gridlang-certificate/3"), "this certificate is of an older format: make it again with "
         "what wrote it: `gridlang equiv`, `prove` or `learn`, with `--certificate FILE`");
    need(is_text(format, "gridlang-certificate/4"), "this is no certificate");
    at("certificate", -1);
    need_keys(&root, "format claim left right evidence total digests");
    const Value *digests = get_any(&root, "digests"), *claim = get_any(&root, "claim");
    const Value *sides[] = {get_any(&root, "left"), get_any(&root, "right")};
    at("digests", -1);
    need_keys(digests, "claim left right evidence total");
    for (int i = 0; i < 5; i++) {
        at(parts[i], -1);
        need_digest(get_any(&root, parts[i]), get_any(digests, parts[i]), "it was changed: its digest is another");
    }
    at("claim", -1);
    need_keys(claim, "says equivalent scope subject stuck halts output "
                     "radius product_states stuck_branches unobserved_branches");
    check_total(claim, get_any(&root, "total"));
    bool snapped = choice(get_any(claim, "subject"), subjects, 2) == 1;
    check_side(sides[0], "left"), check_side(sides[1], "right");
    const Value *extraction = get_any(sides[1], "extraction"), *snapping = get_any(sides[1], "snapping");
    at("left", -1), get(sides[0], "snapping", NIL);
    at("claim", -1), need(snapped == (snapping->kind != NIL), "its subject is not what RIGHT is made of");
    at("right", -1);
    need(!snapped || (snapping->kind == OBJECT && extraction->kind == OBJECT &&
                      is_text(get_any(extraction, "merging"), "none")), "the table of snapped weights must be the raw one");
    at("left", -1), read_table(get_any(sides[0], "table"), &left);
    at("right", -1), read_table(get_any(sides[1], "table"), &right);
    char says[300];
    bool same = !compare_texts(get_any(sides[0], "table_sha256"), get_any(sides[1], "table_sha256"));
    check_claim(claim, same, get_any(&root, "evidence"), says, sizeof says);
    printf("valid: %s\n", says);
    if (snapped) printf("the tables were checked; the weights, and how they are snapped, were not looked at\n");
    return 0;
}
