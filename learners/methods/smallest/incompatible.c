/* Which nodes of a prefix tree cannot be one state: some reads after both end in different acts. */

#include <stdint.h>
#include <stdlib.h>

struct tree {
    const int64_t *begins;
    const int32_t *read, *act, *child;
    const int32_t *shape; /* Nodes of one shape have equal subtrees. */
};

struct pair {
    int32_t u, v;
};

struct stack {
    struct pair *pairs;
    int64_t room;
};

/* Whether two nodes differ, as far as the first `most` pairs of nodes below them show; -1 without memory. */
static int differ(const struct tree *tree, int32_t u, int32_t v, int64_t most, struct stack *stack) {
    int64_t held = 1;
    stack->pairs[0] = (struct pair){u, v};
    while (held && most--) {
        struct pair top = stack->pairs[--held];
        if (tree->shape[top.u] == tree->shape[top.v])
            continue;
        int64_t i = tree->begins[top.u], j = tree->begins[top.v];
        while (i < tree->begins[top.u + 1] && j < tree->begins[top.v + 1]) {
            if (tree->read[i] < tree->read[j]) {
                i++;
            } else if (tree->read[i] > tree->read[j]) {
                j++;
            } else {
                if (tree->act[i] != tree->act[j])
                    return 1;
                if (tree->child[i] >= 0 && tree->child[j] >= 0) {
                    if (held == stack->room) {
                        struct pair *more = realloc(stack->pairs, 2 * stack->room * sizeof *more);
                        if (!more)
                            return -1;
                        stack->pairs = more;
                        stack->room *= 2;
                    }
                    stack->pairs[held++] = (struct pair){tree->child[i], tree->child[j]};
                }
                i++;
                j++;
            }
        }
    }
    return 0;
}

/* differs[i * columns + j]: whether rows[i] and columns[j] differ; 0 without memory. */
int incompatible(const struct tree *tree, const int32_t *rows, int64_t n, const int32_t *columns, int64_t m,
                 int64_t most, uint8_t *differs) {
    struct stack stack = {malloc(256 * sizeof(struct pair)), 256};
    int answer = stack.pairs != NULL;
    for (int64_t i = 0; i < n && answer; i++)
        for (int64_t j = 0; j < m && answer; j++) {
            int different = differ(tree, rows[i], columns[j], most, &stack);
            answer = different >= 0;
            differs[i * m + j] = different > 0;
        }
    free(stack.pairs);
    return answer;
}
