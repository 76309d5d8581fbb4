/* Runs of which grids were seen: each must show the same grids after the same steps, and is given up as soon as it
   cannot reach what the next grid changes. */

static int32_t place_of(const struct runs *all, int32_t x, int32_t y) { return all->of.flat ? x : y * all->width + x; }

/* Steps between two places. */
static int32_t distance(const struct runs *all, int32_t one, int32_t other) {
    if (all->of.flat)
        return abs(one - other);
    int32_t width = all->width, half = width / 2, room = width * width; /* places may be negative */
    int32_t rows = (one + half + room) / width - (other + half + room) / width;
    return abs(rows) + abs(one - other - rows * width);
}

/* Grid by number of all grids; the run is right so far, and this is what it must show next. */
static void show(struct runs *all, struct run *run, int32_t grid) {
    const struct problem *of = &all->of;
    run->grid = grid;
    for (int32_t i = of->changes[grid]; i < of->changes[grid + 1]; i++) {
        run->target[place_of(all, of->change_x[i], of->change_y[i])] = of->symbol_after[i];
        run->wrong++;
    }
}

static void unshow(struct runs *all, int32_t input, int32_t grid) {
    const struct problem *of = &all->of;
    struct run *run = &all->runs[input];
    for (; run->grid > grid; run->grid--)
        for (int32_t i = of->changes[run->grid]; i < of->changes[run->grid + 1]; i++)
            run->target[place_of(all, of->change_x[i], of->change_y[i])] = of->symbol_before[i];
}

/* The step at which a grid was seen, or at the latest for the last one. */
static int32_t time_of(const struct runs *all, int32_t input, int32_t grid) {
    return (grid - all->of.grids[input] + 1) * all->of.every;
}

static int is_last(const struct runs *all, int32_t input, int32_t grid) {
    return grid + 1 == all->of.grids[input + 1];
}

static int is_seen_there(const struct runs *all, const struct run *run) {
    const struct problem *of = &all->of;
    int32_t x = of->head_x[run->grid];
    return x == HIDDEN || run->head == place_of(all, x, of->head_y[run->grid]);
}

/* One step more: 0 where a grid was seen that is not this one. */
static int takes_step(struct runs *all, int32_t input) {
    struct run *run = &all->runs[input];
    if (++run->steps >= all->of.limits[input])
        return 0;
    if (run->steps < time_of(all, input, run->grid))
        return 1;
    if (run->wrong || is_last(all, input, run->grid) || !is_seen_there(all, run))
        return 0;
    show(all, run, run->grid + 1);
    return 1;
}

static void put(struct runs *all, struct run *run, uint8_t symbol) {
    uint8_t *cell = run->origin + run->head, wanted = run->target[run->head];
    if (*cell == symbol)
        return;
    run->wrong += (symbol != wanted) - (*cell != wanted);
    all->writes[all->written++] = (struct write){cell, *cell};
    *cell = symbol;
}

/* Whether the cells that change next can be reached in time; a step writes one of them. */
static int can_be_shown(const struct runs *all, int32_t input) {
    const struct problem *of = &all->of;
    const struct run *run = &all->runs[input];
    int32_t grid = run->grid, end = of->grids[input + 1];
    if (run->wrong > time_of(all, input, grid) - run->steps)
        return 0;
    if (of->head_x[grid] != HIDDEN && !is_last(all, input, grid) &&
        distance(all, run->head, place_of(all, of->head_x[grid], of->head_y[grid])) >
            time_of(all, input, grid) - run->steps)
        return 0;
    while (!run->wrong && ++grid < end && of->changes[grid] == of->changes[grid + 1])
        ;
    if (grid == end)
        return 1;
    int32_t left = time_of(all, input, grid) - run->steps;
    for (int32_t i = of->changes[grid]; i < of->changes[grid + 1]; i++) {
        int32_t place = place_of(all, of->change_x[i], of->change_y[i]);
        int is_done = grid == run->grid && run->origin[place] == run->target[place];
        if (!is_done && distance(all, run->head, place) >= left)
            return 0;
    }
    return 1;
}

/* Halting is a step, and writing before it another one. */
static int halts_as_shown(struct runs *all, int32_t input, struct rule rule) {
    struct run *run = &all->runs[input];
    run->status = FINISHED;
    if (rule.write != run->origin[run->head]) {
        put(all, run, rule.write);
        if (!takes_step(all, input))
            return 0;
    }
    run->steps++;
    return is_last(all, input, run->grid) && !run->wrong && is_seen_there(all, run);
}

static int go_on_as_shown(struct runs *all, int32_t input) {
    struct run *run = &all->runs[input];
    int32_t fresh = 0; /* new cells in a row, to the left if negative */
    for (;;) {
        int32_t pair = run->state * all->of.symbols + run->origin[run->head];
        struct rule rule = all->rules[pair];
        run->pair = pair, run->status = WAITING;
        if (rule.next == OPEN)
            return can_be_shown(all, input) ? NEEDS_RULE : WRONG;
        if (rule.next >= STUCK)
            return rule.next == HALT && halts_as_shown(all, input, rule) ? RIGHT : WRONG;
        put(all, run, rule.write);
        run->head += all->deltas[rule.move], run->state = rule.next;
        if (!takes_step(all, input))
            return WRONG;
        fresh = run->head > run->high ? most(fresh, 0) + 1 : run->head < run->low ? least(fresh, 0) - 1 : 0;
        run->low = least(run->low, run->head), run->high = most(run->high, run->head);
        if (abs(fresh) > all->used) /* On blanks alone some state has come again: it runs away. */
            return WRONG;
    }
}
