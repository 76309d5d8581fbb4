/* What rules cost: about as much as they add to the length of a source. */

enum { A_STATE = 2, AN_ERASURE = 2, A_MARK = 3, BOTH = -1, A_TURN = 2, A_NEW_STATE = 1, A_HOLE = 4 };

/* Whether the state does the same at another symbol. */
static int is_repeated(const struct search *search, int32_t pair, struct rule rule) {
    int32_t symbols = search->runs.of.symbols, read = pair % symbols;
    const struct rule *rules = search->runs.rules + pair - read;
    for (int32_t symbol = 0; symbol < symbols; symbol++)
        if (symbol != read && rules[symbol].next == rule.next && rules[symbol].move == rule.move &&
            (rules[symbol].write == rule.write || (rule.write == read && rules[symbol].write == symbol)))
            return 1;
    return 0;
}

/* Whether rules so far lead to its state by other moves alone: a state mostly goes one way. */
static int turns(const struct search *search, struct rule rule) {
    int32_t others = 0;
    for (int32_t move = 0; move < MOST_MOVES; move++)
        others += search->entered[rule.next][move];
    return others && !search->entered[rule.next][rule.move];
}

/* Where a run ends nothing branches, so that is free. A written state with rules is likely to be whole. */
static int32_t cost_of(const struct search *search, int32_t pair, struct rule rule) {
    int32_t symbols = search->runs.of.symbols, state = pair / symbols;
    int32_t cost = search->holes[pair] ? A_HOLE : 0;
    if (rule.next >= ENDS || is_repeated(search, pair, rule))
        return cost;
    int writes = rule.write != pair % symbols, leaves = rule.next != state;
    cost += writes ? (rule.write ? A_MARK : AN_ERASURE) : 0;
    cost += leaves ? A_STATE : 0;
    cost += writes && leaves ? BOTH : 0;
    return cost + (turns(search, rule) ? A_TURN : 0) + (rule.adds ? A_NEW_STATE : 0);
}
