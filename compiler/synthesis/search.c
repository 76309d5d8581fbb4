/* Agents by depth-first search over their rules: a rule is chosen when a run first needs it.

   A branch ends where an input halts with a wrong result, takes too many steps or runs away, where two inputs have come
   to stand alike though no result is right for both, and where no rule is left to halt by. States that no rule leads to
   yet, and marks that no rule writes yet, are alike, so only the first of them is tried.

   Where letters may be permuted, a state is either plain or one of a family with a member for each letter, and a rule
   is chosen together with its permuted ones.

   The search is a loop over a stack, so that it can stop at a candidate, or after some nodes, and go on. */

#define MOST_STATES 240
#define MOST_IMAGES 24
#define MOST_MOVES 5

enum { EXHAUSTED, FOUND, PAUSED, CUT }; /* a search */

/* A pair of a state and a symbol, the option that is tried for it, the end of them, and all else as it was before. */
struct node {
    int32_t pair, option, last, changed, used, marks, halts, open, waiting, checked, cost, count;
    int32_t images[MOST_IMAGES];
};

struct search {
    struct runs runs;
    int32_t *later; /* inputs that are not active, those that failed last first */
    struct node *stack;
    struct rule *options, *fewest;
    int32_t depth, start, split, marks, halts, open, checked, cost, most_cost, must_halt;
    int32_t base[MOST_STATES], letter[MOST_STATES]; /* of a state: the first of its family, its letter or -1 */
    int32_t entered[MOST_STATES][MOST_MOVES];       /* rules that lead to a state, by their moves */
    uint8_t *holes;                                 /* pairs without a rule in states that have some */
    int64_t nodes, best;
};

/* ---- options ---- */

static int32_t letter_of(const struct problem *of, int32_t symbol) {
    int32_t letter = symbol - of->first_letter;
    return of->letters > 1 && letter >= 0 && letter < of->letters ? letter : -1;
}

static int32_t image_of_symbol(const struct problem *of, int32_t order, int32_t symbol) {
    int32_t letter = letter_of(of, symbol);
    return letter < 0 ? symbol : of->first_letter + of->permutations[order * of->letters + letter];
}

static int32_t image_of_state(const struct search *search, int32_t order, int32_t state) {
    const struct problem *of = &search->runs.of;
    if (state >= ENDS || search->letter[state] < 0)
        return state;
    return search->base[state] + of->permutations[order * of->letters + search->letter[state]];
}

static int32_t image_of_pair(const struct search *search, int32_t order, int32_t pair) {
    const struct problem *of = &search->runs.of;
    return image_of_state(search, order, pair / of->symbols) * of->symbols +
           image_of_symbol(of, order, pair % of->symbols);
}

/* Whether permutations that keep a pair keep its rule too. */
static int permutes(const struct search *search, int32_t pair, struct rule rule) {
    const struct problem *of = &search->runs.of;
    for (int32_t order = 1; order < of->orders; order++)
        if (image_of_pair(search, order, pair) == pair &&
            (image_of_symbol(of, order, rule.write) != rule.write ||
             image_of_state(search, order, rule.next) != rule.next))
            return 0;
    return 1;
}

/* Names the states of a new family, or a new plain state. */
static void name_states(struct search *search, int32_t size) {
    int32_t used = search->runs.used;
    for (int32_t i = 0; i < size; i++)
        search->base[used + i] = used, search->letter[used + i] = size > 1 ? i : -1;
}

static int32_t cost_of(const struct search *search, int32_t pair, struct rule rule);

static void add_option(struct search *search, struct node *node, struct rule rule) {
    const struct problem *of = &search->runs.of;
    int is_new_mark = rule.write >= of->marks && rule.write > of->marks + search->marks;
    if (!is_new_mark && node->cost + cost_of(search, node->pair, rule) <= search->most_cost &&
        (of->orders == 1 || permutes(search, node->pair, rule)))
        search->options[node->last++] = rule;
}

/* Whether this is the last pair, and no rule halts yet. */
static int must_halt_here(const struct search *search, int32_t pair) {
    if (!search->must_halt || search->halts || search->open > search->runs.of.orders)
        return 0;
    int32_t open = search->open;
    for (int32_t order = 0; order < search->runs.of.orders; order++) {
        int32_t image = image_of_pair(search, order, pair), is_new = 1;
        for (int32_t other = 0; other < order; other++)
            is_new &= image_of_pair(search, other, pair) != image;
        open -= is_new;
    }
    return open == 0;
}

/* Rules that lead to a state that is not used yet, of a family of this size: the member for a letter. */
static void add_new_state(struct search *search, struct node *node, int32_t size, int32_t letter) {
    const struct problem *of = &search->runs.of;
    if (search->runs.used + size > of->states)
        return;
    name_states(search, size);
    for (int32_t write = 0; write < of->symbols; write++)
        for (int32_t move = 0; move < of->moves; move++)
            add_option(search, node, (struct rule){write, move, search->runs.used + letter, size});
}

/* The rules to try for a pair: halting, then moving on to a state that is used, or to a new one. */
static void list_options(struct search *search, struct node *node) {
    const struct problem *of = &search->runs.of;
    int32_t symbol = node->pair % of->symbols, used = search->runs.used;
    if (of->stuck)
        add_option(search, node, (struct rule){symbol, 0, STUCK, 0});
    int32_t asked = of->asked[search->runs.slots[__builtin_ctzll(search->runs.watching[node->pair])]];
    if (asked >= DECIDE)
        add_option(search, node, (struct rule){symbol, 0, ENDS + asked - DECIDE, 0});
    for (int32_t write = 0; asked < DECIDE && write < of->symbols; write++)
        add_option(search, node, (struct rule){write, 0, HALT, 0});
    if (must_halt_here(search, node->pair))
        return;
    for (int32_t next = 0; next < used; next++)
        for (int32_t write = 0; write < of->symbols; write++)
            for (int32_t move = 0; move < of->moves; move++)
                add_option(search, node, (struct rule){write, move, next, 0});
    add_new_state(search, node, 1, 0);
    int32_t of_state = search->letter[node->pair / of->symbols], of_symbol = letter_of(of, symbol);
    if (of_state >= 0)
        add_new_state(search, node, of->letters, of_state);
    if (of_symbol >= 0 && of_symbol != of_state)
        add_new_state(search, node, of->letters, of_symbol);
}

/* ---- nodes ---- */

/* Goes through the later inputs once all active ones are right; 0 where one is wrong, which is asked sooner then. */
static int ask_later_inputs(struct search *search) {
    struct runs *runs = &search->runs;
    int32_t first = search->checked, count = runs->of.inputs - runs->of.active;
    while (runs->waiting == 0 && search->checked < count) {
        int32_t input = search->later[search->checked++];
        runs->slots[SLOTS - 1] = input;
        runs->waiting++;
        if (!advance(runs, SLOTS - 1)) {
            int32_t *to = search->later + first;
            memmove(to + 1, to, (search->checked - 1 - first) * sizeof *to);
            *to = input;
            return 0;
        }
    }
    return 1;
}

/* The pair that most waiting inputs need. */
static int32_t needed_pair(const struct runs *runs) {
    int32_t found = 0, best = 0, pairs = runs->used * runs->of.symbols;
    for (int32_t pair = 0; pair < pairs; pair++) {
        int32_t count = __builtin_popcountll(runs->watching[pair]);
        if (count > best)
            found = pair, best = count;
    }
    return found;
}

static void look_ahead(struct search *search, struct node *node);

static void push(struct search *search) {
    const struct runs *runs = &search->runs;
    int32_t first = search->depth ? search->stack[search->depth - 1].last : 0;
    struct node *node = &search->stack[search->depth++];
    node->pair = needed_pair(runs), node->option = first - 1, node->last = first, node->count = 0;
    node->changed = runs->changed, node->used = runs->used, node->waiting = runs->waiting;
    node->marks = search->marks, node->halts = search->halts, node->open = search->open;
    node->checked = search->checked, node->cost = search->cost;
    if (runs->of.every && runs->of.every < LAST_ALONE)
        look_ahead(search, node);
    else
        list_options(search, node);
}

static void take_back_node(struct search *search, struct node *node) {
    struct runs *runs = &search->runs;
    take_back(runs, node->changed);
    while (node->count) {
        struct rule *rule = &runs->rules[node->images[--node->count]];
        if (rule->next < ENDS)
            search->entered[rule->next][rule->move]--;
        rule->next = OPEN;
    }
    search->marks = node->marks, search->halts = node->halts, search->open = node->open, search->cost = node->cost;
    search->checked = node->checked, runs->used = node->used, runs->waiting = node->waiting;
}

/* Whether the steps so far, and one of each input that has not finished, are fewer than the best known. */
static int can_be_best(const struct search *search) {
    const struct runs *runs = &search->runs;
    return runs->steps + runs->waiting + runs->of.inputs - runs->of.active - search->checked < search->best;
}

/* Chooses a rule with its permuted ones, and lets all inputs that wait for them go on; 0 where that is wrong. */
static int try_rule(struct search *search, struct node *node, struct rule rule) {
    struct runs *runs = &search->runs;
    const struct problem *of = &runs->of;
    name_states(search, rule.adds);
    runs->used += rule.adds;
    search->marks += rule.write >= of->marks && rule.write == of->marks + search->marks;
    search->halts += rule.next >= ENDS && rule.next != STUCK;
    search->cost += cost_of(search, node->pair, rule);
    for (int32_t order = 0; order < of->orders; order++) {
        int32_t image = image_of_pair(search, order, node->pair);
        if (runs->rules[image].next != OPEN)
            continue;
        node->images[node->count++] = image;
        runs->rules[image] = (struct rule){image_of_symbol(of, order, rule.write), rule.move,
                                           image_of_state(search, order, rule.next), 0};
        if (rule.next < ENDS)
            search->entered[runs->rules[image].next][rule.move]++;
    }
    search->open -= node->count;
    for (int32_t i = 0; i < node->count; i++)
        for (uint64_t left = runs->watching[node->images[i]]; left; left &= left - 1)
            if (!advance(runs, __builtin_ctzll(left)))
                return 0;
    return can_be_best(search) && (search->split || (ask_later_inputs(search) && can_be_best(search)));
}

/* Goes on for some nodes: to the next candidate, the next cut at depth `split`, a pause, or the end. */
int search_on(struct search *search, int64_t nodes) {
    int64_t until = search->nodes + nodes;
    while (search->depth > search->start) {
        struct node *node = &search->stack[search->depth - 1];
        if (node->count)
            take_back_node(search, node);
        if (search->nodes >= until)
            return PAUSED;
        if (++node->option == node->last) {
            search->depth--;
            continue;
        }
        search->nodes++;
        if (!try_rule(search, node, search->options[node->option]))
            continue;
        if (search->split && (search->runs.waiting == 0 || search->depth == search->split))
            return CUT;
        if (search->runs.waiting == 0)
            return FOUND;
        push(search);
    }
    return EXHAUSTED;
}

/* Lets the inputs run by the rules that are written, then takes the options of a path; PAUSED if there is more to do. */
int search_start(struct search *search, const int32_t *path, int32_t length, int32_t split, int32_t most_cost,
                 int64_t best) {
    struct runs *runs = &search->runs;
    search->split = split, search->most_cost = most_cost, search->best = best;
    for (int32_t slot = 0; slot < runs->of.active; slot++)
        if (!advance(runs, slot))
            return EXHAUSTED;
    if (!length && !ask_later_inputs(search))
        return EXHAUSTED;
    while (search->depth < length) {
        push(search);
        struct node *node = &search->stack[search->start++];
        node->option = path[search->depth - 1];
        if (!try_rule(search, node, search->options[node->option]))
            return EXHAUSTED;
    }
    if (runs->waiting == 0)
        return FOUND;
    push(search);
    return PAUSED;
}

/* The options that led here; how many. */
int search_path(const struct search *search, int32_t *path) {
    for (int32_t i = 0; i < search->depth; i++)
        path[i] = search->stack[i].option;
    return search->depth;
}

/* The rules of a candidate, and the families and letters of its states; the steps that it takes on all inputs. */
int64_t search_found(const struct search *search, uint8_t *rules, int32_t *base, int32_t *letter) {
    memcpy(base, search->base, sizeof search->base);
    memcpy(letter, search->letter, sizeof search->letter);
    memcpy(rules, search->runs.rules, sizeof(struct rule) * search->runs.of.states * search->runs.of.symbols);
    return search->runs.steps;
}

int64_t search_nodes(const struct search *search) { return search->nodes; }
