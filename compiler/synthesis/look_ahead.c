/* Where runs show much, most rules fail at once: of all pairs that runs wait for, the one is taken that the fewest rules
   fit, and only these are tried. */

static void look_ahead(struct search *search, struct node *node) {
    struct runs *runs = &search->runs;
    int32_t first = node->last, fewest = INT32_MAX, pairs = runs->used * runs->of.symbols;
    for (int32_t pair = 0; pair < pairs && fewest > 1; pair++) {
        if (!runs->watching[pair])
            continue;
        struct node tried = *node;
        tried.pair = pair;
        list_options(search, &tried);
        int32_t kept = first;
        for (int32_t i = first; i < tried.last && kept - first < fewest; i++) {
            struct rule rule = search->options[i];
            search->nodes++;
            if (try_rule(search, &tried, rule))
                search->options[kept++] = rule;
            take_back_node(search, &tried);
        }
        if (kept - first < fewest) {
            fewest = kept - first, node->pair = pair;
            memcpy(search->fewest, search->options + first, fewest * sizeof *search->fewest);
        }
    }
    memcpy(search->options + first, search->fewest, fewest * sizeof *search->fewest);
    node->last = first + fewest;
}
