/* Decoding by a table, in C: the search that `tests/support/plain_decoder.py` defines, and fast.

   A layer holds the hypotheses about one step of a trace; two in the same state on the same world are one
   node, reached by several edges. What was given up is gone; of the rest, forward and backward sums give the
   probability of each edge. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STAY = 4, MOVES = 5 };

typedef struct {
    int32_t symbols, states, width;
    double familiar, dropped, untimely, deviate, jump, unruled;
    const int32_t *write, *move, *next; /* (states, symbols); next < 0 where there is no rule */
    const double *reading; /* (symbols * MOVES + 1, symbols): shares of what an unvisited cell holds, see `before` */
    const double *lies; /* (2, 8): nats of a step by what is wrong in it, after one that is right or is not, see `lied` */
} Machine;

typedef struct {
    int64_t steps; /* the length of a row */
    const int16_t *x, *s, *m;
} Records;

typedef struct {
    int16_t *x, *s, *m;
    int32_t *state;
    float *sure;
    double *mass;
    double *wrote, *moved, *went, *read, *wrong; /* expected counts, see `decoding.py` */
} Account;

typedef struct {
    uint64_t world;
    int64_t place;
    double best, forward, backward;
    int32_t state, parent, by; /* the node before on the likeliest way, and the edge from there */
    int32_t jumped;            /* whether all ways here change the state against the table */
} Node;

typedef struct {
    double cost;
    int32_t from, to;
    int16_t x, s, m;
    int16_t known;
} Edge;

typedef struct {
    Node *nodes;
    Edge *edges;
    int64_t node_count, node_room, edge_count, edge_room;
    int64_t *node_start, *edge_start; /* (steps + 2) */
    int32_t *slots, *order;
    int32_t *drawn; /* (nodes, symbols + 1): what unvisited cells held on the way to each node, and how many */
    int64_t slot_count, order_room, drawn_room;
    double bound;
} Lattice;

static uint64_t mixed(uint64_t word) {
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

static uint64_t cell(int64_t place, int32_t symbol) {
    return mixed((uint64_t)place * 0x9E3779B97F4A7C15u + (uint64_t)(symbol + 1) * 0xD1B54A32D192ED03u);
}

static double log_sum(double one, double other) {
    double high = one > other ? one : other, low = one > other ? other : one;
    return low == -INFINITY ? high : high + log1p(exp(low - high));
}

static int64_t shift(int32_t move) {
    static const int64_t by[MOVES] = {-((int64_t)1 << 32), (int64_t)1 << 32, -1, 1, 0};
    return by[move];
}

static int grown(void **array, int64_t *room, int64_t needed, size_t size) {
    if (needed <= *room) return 1;
    int64_t more = *room * 2 > needed ? *room * 2 : needed + 1024;
    void *moved = realloc(*array, (size_t)more * size);
    if (!moved) return 0;
    *array = moved;
    *room = more;
    return 1;
}

/* What a cell was left with on the way to a node; -1 where it was not visited. */
static int32_t held(const Lattice *lattice, int32_t at, int64_t place) {
    while (lattice->nodes[at].parent >= 0) {
        const Node *node = &lattice->nodes[at];
        if (lattice->nodes[node->parent].place == place) return lattice->edges[node->by].s;
        at = node->parent;
    }
    return -1;
}

/* What tells of an unvisited cell: what was read in the step before, and where it moved; the last at first. */
static int64_t before(const Machine *machine, const Lattice *lattice, const Node *node) {
    if (node->by < 0) return (int64_t)machine->symbols * MOVES;
    const Edge *edge = &lattice->edges[node->by];
    return (int64_t)edge->x * MOVES + edge->m;
}

/* Nats of a symbol in a cell that was not visited: worlds are made of what they have shown so far. */
static double fresh(const Machine *machine, const double *reading, const int32_t *drawn, int32_t x) {
    return -log((drawn[x] + machine->familiar * reading[x]) / (drawn[machine->symbols] + machine->familiar));
}

/* An edge to a node of the layer that begins at `start`, made if there is none. */
static int reached(Lattice *lattice, int64_t start, int32_t state, int64_t place, uint64_t world, Edge edge,
                   int jumps) {
    double total = lattice->nodes[edge.from].best + edge.cost;
    if (total > lattice->bound) return 1;
    if (!grown((void **)&lattice->edges, &lattice->edge_room, lattice->edge_count + 1, sizeof(Edge))) return 0;
    uint64_t slot = mixed(world + (uint64_t)place * 31 + (uint64_t)state) & (uint64_t)(lattice->slot_count - 1);
    int32_t to;
    for (; (to = lattice->slots[slot]) >= start; slot = (slot + 1) & (uint64_t)(lattice->slot_count - 1)) {
        const Node *node = &lattice->nodes[to];
        if (node->state == state && node->place == place && node->world == world) break;
    }
    if (to < start) {
        if (lattice->node_count - start + 1 >= lattice->slot_count / 2) return 1; /* far more than are kept */
        if (!grown((void **)&lattice->nodes, &lattice->node_room, lattice->node_count + 1, sizeof(Node)))
            return 0;
        to = (int32_t)lattice->node_count++;
        lattice->slots[slot] = to;
        lattice->nodes[to] = (Node){world, place, INFINITY, -INFINITY, -INFINITY, state, -1, -1, 1};
    }
    Node *node = &lattice->nodes[to];
    edge.to = to;
    if (total < node->best) {
        node->best = total;
        node->parent = edge.from;
        node->by = (int32_t)lattice->edge_count;
    }
    node->forward = log_sum(node->forward, lattice->nodes[edge.from].forward - edge.cost);
    node->jumped &= jumps;
    lattice->edges[lattice->edge_count++] = edge;
    return 1;
}

typedef struct {
    double total;
    Edge edge;
} Base;

static double timely(const Machine *machine, int idle, int last, int halted) {
    return (last ? halted && !idle : idle) ? machine->untimely : 0;
}

/* What of a step is not as it was recorded: 1 the read, 2 the write, 4 the move, added. */
static int wrongs(int32_t x, int32_t s, int32_t m, const int16_t seen[3]) {
    return (x != seen[0]) | (s != seen[1]) << 1 | (m != seen[2]) << 2;
}

/* Where `lies` and `wrong` have a step that leaves a node: noise in bursts makes one lie after the other. */
static int lied(const Lattice *lattice, const Node *node, const int16_t *seen, const Edge *edge) {
    int after = 0;
    if (node->by >= 0) {
        const Edge *by = &lattice->edges[node->by];
        after = wrongs(by->x, by->s, by->m, seen - 3) != 0;
    }
    return after * 8 + wrongs(edge->x, edge->s, edge->m, seen);
}

/* All that may follow a layer; 0 without memory. */
static int stepped(const Machine *machine, Lattice *lattice, int64_t from, int64_t to, const int16_t *seen,
                   int last, int halted) {
    int32_t k = machine->symbols;
    Base base = {INFINITY, {0}};
    int32_t old = -1, parent = -1; /* Those that jumped come from one node, to one cell. */
    int64_t place = 0;
    for (int64_t at = from; at < to; at++) {
        Node node = lattice->nodes[at];
        if (!node.jumped || node.parent != parent || node.place != place) {
            old = held(lattice, (int32_t)at, node.place);
            parent = node.parent, place = node.place;
        }
        const double *reading = machine->reading + before(machine, lattice, &node) * k;
        const int32_t *drawn = lattice->drawn + at * (k + 1);
        for (int32_t x = old < 0 ? 0 : old; x < (old < 0 ? k : old + 1); x++) {
            if (node.jumped && old < 0 && x != seen[0]) continue; /* No lie tells where to jump. */
            int32_t rule = node.state * k + x, after = machine->next[rule];
            double read = old < 0 ? fresh(machine, reading, drawn, x) : 0;
            uint64_t world = node.world - (old < 0 ? 0 : cell(node.place, old));
            for (int says = after >= 0; says >= 0; says--) {
                int32_t s = says ? machine->write[rule] : seen[1], m = says ? machine->move[rule] : seen[2];
                if (!says && after >= 0 && s == machine->write[rule] && m == machine->move[rule]) break;
                Edge edge = {0, (int32_t)at, -1, (int16_t)x, (int16_t)s, (int16_t)m, old >= 0};
                double cost = read + machine->lies[lied(lattice, &node, seen, &edge)] +
                              timely(machine, s == x && m == STAY, last, halted);
                if (!says) cost += after >= 0 ? machine->deviate : machine->unruled;
                edge.cost = cost;
                double total = node.best + cost + (after >= 0 ? machine->jump : 0);
                if (total < base.total) base = (Base){total, edge};
                int32_t goes = after >= 0 ? after : 0;
                if ((after >= 0 || last) && !reached(lattice, to, goes, node.place + shift(m),
                                                     world + cell(node.place, s), edge, 0))
                    return 0;
                if (node.best + cost + machine->dropped < lattice->bound)
                    lattice->bound = node.best + cost + machine->dropped;
            }
        }
    }
    if (last || base.total > lattice->bound) return 1;
    Node node = lattice->nodes[base.edge.from];
    uint64_t world = node.world + cell(node.place, base.edge.s);
    if (base.edge.known) world -= cell(node.place, held(lattice, base.edge.from, node.place));
    base.edge.cost = base.total - node.best;
    int32_t rule = node.state * k + base.edge.x, after = machine->next[rule];
    for (int32_t state = 0; state < machine->states; state++)
        if (state != after && !reached(lattice, to, state, node.place + shift(base.edge.m), world, base.edge, 1))
            return 0;
    return 1;
}

static _Thread_local const Node *compared_nodes; /* qsort hands nothing on */

static int by_cost(const void *one, const void *other) {
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    double x = compared_nodes[a].best, y = compared_nodes[b].best;
    return x < y ? -1 : x > y ? 1 : a < b ? -1 : a > b;
}

/* Keeps the best of the layer that begins at `start`; the edges to others lead nowhere. */
static int pruned(const Machine *machine, Lattice *lattice, int64_t start, int64_t edges) {
    int64_t count = lattice->node_count - start;
    if (!grown((void **)&lattice->order, &lattice->order_room, 2 * count, sizeof(int32_t))) return 0;
    for (int64_t i = 0; i < count; i++) lattice->order[i] = (int32_t)(start + i);
    compared_nodes = lattice->nodes;
    qsort(lattice->order, (size_t)count, sizeof(int32_t), by_cost);
    int32_t *place = lattice->order + count, kept = 0;
    int64_t ruled = 0;
    double bound = lattice->nodes[lattice->order[0]].best + machine->dropped;
    for (int64_t i = 0; i < count; i++) place[i] = -1;
    for (int64_t i = 0; i < count; i++) {
        const Node *node = &lattice->nodes[lattice->order[i]];
        if (node->best <= bound && (node->jumped || ruled++ < machine->width))
            place[lattice->order[i] - start] = 0;
    }
    for (int64_t i = 0; i < count; i++)
        if (place[i] >= 0) {
            lattice->nodes[start + kept] = lattice->nodes[start + i];
            place[i] = (int32_t)(start + kept++);
        }
    lattice->node_count = start + kept;
    int64_t k = machine->symbols;
    if (!grown((void **)&lattice->drawn, &lattice->drawn_room, lattice->node_count * (k + 1), sizeof(int32_t)))
        return 0;
    for (int64_t at = start; at < lattice->node_count; at++) {
        const Edge *by = &lattice->edges[lattice->nodes[at].by];
        int32_t *drawn = lattice->drawn + at * (k + 1);
        memcpy(drawn, lattice->drawn + lattice->nodes[at].parent * (k + 1), (size_t)(k + 1) * sizeof(int32_t));
        if (!by->known) drawn[by->x]++, drawn[k]++;
    }
    for (int64_t i = edges; i < lattice->edge_count; i++)
        lattice->edges[i].to = place[lattice->edges[i].to - start];
    return 1;
}

/* What was recorded of step t, at `at`, after what was of the step before. */
static void recorded(const Records *records, int64_t at, int64_t t, int16_t seen[6]) {
    for (int64_t i = t ? 0 : 1; i < 2; i++) {
        seen[3 * i] = records->x[at + i - 1];
        seen[3 * i + 1] = records->s[at + i - 1];
        seen[3 * i + 2] = records->m[at + i - 1];
    }
}

static void told(const Machine *machine, Lattice *lattice, const Records *records, int64_t row, int64_t length,
                 const Account *account) {
    int64_t k = machine->symbols, n = machine->states, base = row * records->steps;
    int64_t first = lattice->node_start[length], end = lattice->node_count;
    int32_t best = (int32_t)first;
    double whole = -INFINITY;
    for (int64_t at = first; at < end; at++) {
        lattice->nodes[at].backward = 0;
        whole = log_sum(whole, lattice->nodes[at].forward);
        if (lattice->nodes[at].best < lattice->nodes[best].best) best = (int32_t)at;
    }
    account->mass[row] = -whole;
    for (int64_t t = length - 1; t >= 0; t--) {
        const Edge *by = &lattice->edges[lattice->nodes[best].by];
        int64_t at = base + t;
        account->x[at] = by->x, account->s[at] = by->s, account->m[at] = by->m;
        int16_t seen[6];
        recorded(records, at, t, seen);
        double sure = 0;
        for (int64_t i = lattice->edge_start[t]; i < lattice->edge_start[t + 1]; i++) {
            const Edge *edge = &lattice->edges[i];
            if (edge->to < 0) continue;
            Node *from = &lattice->nodes[edge->from];
            const Node *to = &lattice->nodes[edge->to];
            from->backward = log_sum(from->backward, to->backward - edge->cost);
            double share = exp(from->forward - edge->cost + to->backward - whole);
            if (edge->x == by->x && edge->s == by->s && edge->m == by->m) sure += share;
            int64_t rule = from->state * k + edge->x;
            account->wrote[rule * k + seen[4]] += share;
            account->moved[rule * MOVES + seen[5]] += share;
            if (t + 1 < length) account->went[rule * n + to->state] += share;
            if (!edge->known) account->read[before(machine, lattice, from) * k + edge->x] += share;
            account->wrong[lied(lattice, from, seen + 3, edge)] += share;
        }
        best = lattice->nodes[best].parent;
        account->state[at] = lattice->nodes[best].state;
        account->sure[at] = (float)(sure < 1 ? sure : 1);
    }
}

static int decoded(const Machine *machine, const Records *records, int64_t row, int64_t length, int halted,
                   Lattice *lattice, const Account *account) {
    lattice->node_count = lattice->edge_count = 0;
    memset(lattice->slots, 0xFF, (size_t)lattice->slot_count * sizeof(int32_t));
    int64_t k = machine->symbols;
    if (!grown((void **)&lattice->nodes, &lattice->node_room, 1, sizeof(Node))) return 0;
    if (!grown((void **)&lattice->drawn, &lattice->drawn_room, k + 1, sizeof(int32_t))) return 0;
    memset(lattice->drawn, 0, (size_t)(k + 1) * sizeof(int32_t));
    lattice->nodes[lattice->node_count++] = (Node){0, 0, 0, 0, -INFINITY, 0, -1, -1, 0};
    lattice->node_start[0] = 0;
    for (int64_t t = 0; t < length; t++) {
        int64_t at = row * records->steps + t, from = lattice->node_start[t], to = lattice->node_count;
        int16_t seen[6];
        recorded(records, at, t, seen);
        lattice->node_start[t + 1] = to;
        lattice->edge_start[t] = lattice->edge_count;
        lattice->bound = INFINITY;
        if (!stepped(machine, lattice, from, to, seen + 3, t + 1 == length, halted)) return 0;
        /* Slots of nodes that are given up would be taken for those of the next layer. */
        for (int64_t i = to; i < lattice->node_count; i++) {
            const Node *node = &lattice->nodes[i];
            uint64_t slot = mixed(node->world + (uint64_t)node->place * 31 + (uint64_t)node->state) &
                            (uint64_t)(lattice->slot_count - 1);
            while (lattice->slots[slot] >= 0) {
                lattice->slots[slot] = -1;
                slot = (slot + 1) & (uint64_t)(lattice->slot_count - 1);
            }
        }
        if (!pruned(machine, lattice, to, lattice->edge_start[t])) return 0;
        lattice->edge_start[t + 1] = lattice->edge_count;
    }
    told(machine, lattice, records, row, length, account);
    return 1;
}

/* Decodes some rows; 0 where there is no memory. */
int decoder_decode(const Machine *machine, const Records *records, const int32_t *length, const int32_t *halted,
                   int64_t first, int64_t end, const Account *account) {
    Lattice lattice = {0};
    lattice.slot_count = 1024;
    while (lattice.slot_count < 16 * (int64_t)(machine->width + machine->states) * machine->symbols)
        lattice.slot_count *= 2;
    lattice.slots = malloc((size_t)lattice.slot_count * sizeof(int32_t));
    lattice.node_start = malloc((size_t)(records->steps + 2) * sizeof(int64_t));
    lattice.edge_start = malloc((size_t)(records->steps + 2) * sizeof(int64_t));
    int fine = lattice.slots && lattice.node_start && lattice.edge_start;
    for (int64_t row = first; fine && row < end; row++)
        fine = decoded(machine, records, row, length[row], halted[row], &lattice, account);
    free(lattice.nodes), free(lattice.edges), free(lattice.slots), free(lattice.order), free(lattice.drawn);
    free(lattice.node_start), free(lattice.edge_start);
    return fine;
}
