/* Making a search, and giving its memory back. */

static int make_room(struct search *search) {
    struct runs *runs = &search->runs;
    const struct problem *of = &runs->of;
    size_t pairs = (size_t)of->states * of->symbols, inputs = of->inputs;
    int64_t limits = 0, limit = 0, far = 0;
    for (size_t i = 0; i < inputs; i++) {
        limits += of->limits[i] + 1;
        limit = of->limits[i] > limit ? of->limits[i] : limit;
    }
    for (int32_t i = 0; i < of->begins[inputs]; i++)
        far = most(far, most(abs(of->cell_x[i]), abs(of->cell_y[i])));
    int64_t reach = limit + far + 2;
    runs->width = 2 * reach;
    /* as far again on all sides: a run is compared with others, head on head */
    int64_t cells = of->flat ? 4 * reach : 4 * reach * runs->width;
    runs->rules = malloc(pairs * sizeof *runs->rules);
    runs->watching = calloc(pairs, sizeof *runs->watching);
    runs->runs = calloc(inputs, sizeof *runs->runs);
    int shows = of->every > 0;
    runs->cells = calloc(inputs, (1 + shows) * cells);
    runs->conflict = malloc((size_t)of->active * of->active + 1);
    runs->changes = malloc((pairs * SLOTS + inputs) * sizeof *runs->changes);
    runs->writes = malloc(limits * sizeof *runs->writes);
    search->holes = malloc(pairs);
    search->later = malloc(inputs * sizeof *search->later);
    search->stack = malloc((pairs + 1) * sizeof *search->stack);
    size_t rules = ((size_t)(of->states + 3) * of->moves + 2) * of->symbols;
    search->options = malloc((pairs + 1) * rules * sizeof *search->options);
    search->fewest = malloc(rules * sizeof *search->fewest);
    if (!runs->rules || !runs->watching || !runs->runs || !runs->cells || !runs->conflict || !runs->changes ||
        !runs->writes || !search->holes || !search->later || !search->stack || !search->options || !search->fewest)
        return 0;
    for (size_t i = 0; i < inputs; i++) {
        runs->runs[i].origin = runs->cells + i * cells + cells / 2;
        runs->runs[i].target = shows ? runs->runs[i].origin + inputs * cells : NULL;
    }
    return 1;
}

void search_free(struct search *search) {
    struct runs *runs = &search->runs;
    free(runs->rules), free(runs->watching), free(runs->runs), free(runs->cells), free(runs->conflict);
    free(runs->changes), free(runs->writes), free(search->later), free(search->stack), free(search->options);
    free(search->fewest), free(search->holes);
    free(search);
}

/* The cells of an input as they are before the first step. */
static void place_cells(struct runs *runs, int32_t input) {
    const struct problem *of = &runs->of;
    struct run *run = &runs->runs[input];
    for (int32_t i = of->begins[input]; i < of->begins[input + 1]; i++) {
        int32_t place = place_of(runs, of->cell_x[i], of->cell_y[i]);
        run->origin[place] = of->cell_symbols[i];
        if (of->every)
            run->target[place] = of->cell_symbols[i];
        run->low = least(run->low, place), run->high = most(run->high, place);
    }
}

static void note_holes(struct search *search) {
    const struct problem *of = &search->runs.of;
    const struct rule *rules = search->runs.rules;
    for (int32_t state = 0; state < of->states; state++) {
        int has_rules = 0, first = state * of->symbols;
        for (int32_t symbol = 0; symbol < of->symbols; symbol++)
            has_rules |= rules[first + symbol].next != OPEN;
        for (int32_t pair = first; pair < first + of->symbols; pair++)
            search->holes[pair] = has_rules && rules[pair].write != WANTED;
    }
}

struct search *search_new(const struct problem *of) {
    struct search *search = calloc(1, sizeof *search);
    if (!search)
        return NULL;
    struct runs *runs = &search->runs;
    runs->of = *of;
    if (!make_room(search)) {
        search_free(search);
        return NULL;
    }
    memcpy(runs->rules, of->rules, sizeof(struct rule) * of->states * of->symbols);
    memcpy(runs->deltas, (int32_t[]){-1, 1, -runs->width, runs->width, 0}, sizeof runs->deltas);
    runs->used = of->named, runs->waiting = of->active;
    for (int32_t state = 0; state < of->states; state++)
        search->letter[state] = -1;
    for (int32_t pair = 0; pair < of->states * of->symbols; pair++) {
        search->open += runs->rules[pair].next == OPEN;
        search->halts += runs->rules[pair].next == HALT;
        if (runs->rules[pair].next < ENDS)
            search->entered[runs->rules[pair].next][runs->rules[pair].move]++;
    }
    note_holes(search);
    for (int32_t i = 0; i < of->inputs; i++) {
        place_cells(runs, i);
        if (of->every)
            show(runs, &runs->runs[i], of->grids[i]);
        search->must_halt |= of->asked[i] != GET_STUCK;
        if (i < of->active)
            runs->slots[i] = i;
        else
            search->later[i - of->active] = i;
        for (int32_t j = 0; i < of->active && j < of->active; j++)
            runs->conflict[(size_t)i * of->active + j] = in_conflict(of, i, j);
    }
    return search;
}
