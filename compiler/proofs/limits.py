"""Budgets of proofs and of searches for differences, all counted: no answer depends on a clock."""

from __future__ import annotations


class Limits:
    """How far each kind of proof and search goes before it is given up."""

    # abstractions
    most_window_nodes: int = 200_000  # about a second, 60 MB
    most_strip_nodes: int = 200_000  # about three seconds; proofs that were found took at most a tenth
    most_kinds: int = 300  # of states; mult10, the largest example, has 95 states
    most_nodes_of_all_strips: int = 400_000  # no proof in the bank took a tenth
    most_strip_rows: int = 5  # Labels grow with a power of the rows.
    most_ranked_nodes: int = 40_000  # sort in base ten takes 28,000
    most_ranked_steps: int = 20_000  # of one component; sort in base ten takes 8,000
    most_ranking_rounds: int = 200  # of linear systems; `tag` takes 17, other examples fewer than 8
    most_quick_nodes: int = 40_000  # proofs of mult10's models have at most 15,000
    most_dead_rule_nodes: int = 10_000  # about a second, as long as one waits for a warning
    # `any*, 'x'` with nine times `any` after it takes 1,537 states
    most_input_states: int = 2_000
    nodes_per_report: int = 1_024  # often enough for a line on a terminal

    # differences: steps of all runs together, unless said otherwise
    first_search_steps: int = 20_000  # Most differences take far fewer.
    last_search_steps: int = 500_000  # about ten seconds where there is nothing to find
    most_steps_replayed: int = 4_000  # of one history, which every branch lives again
    first_sample_steps: int = 20_000
    last_sample_steps: int = 200_000  # a fraction of a second
    steps_of_a_sample: int = 1_000  # Most differences show at once.
    later: int = 2  # A smaller input may show its difference this many times as late.
    boxes_tried: int = 500  # of each size: those of many symbols would leave no steps for larger ones
    random_side: int = 7  # of the square that random worlds fill, the start in its middle
    longest_drawn_first: int = 3  # repetition in random inputs
    drawn_of_a_length: int = 200  # before repetitions may be longer by one
    longest_short_input: int = 24  # symbols, for languages of one input a length
    most_symbols_tried: int = 2_000_000  # by shrinking an input, about a second
    most_edges: int = 50_000_000  # bytes; larger tables run in Python

    # results
    most_clause_nodes: int = 99  # of a clause that checkers read
    most_value_nodes: int = 50_000  # of all things to show; mult in base ten takes 7,000, a minute
    farthest_end: int = 8  # columns between an end of the input and that of a result
    value_steps_of_a_node: int = 200  # steps of runs whose values are taken; of mult in base ten, a second
    idle_value_texts: int = 50  # in a row that show nothing new
    most_value_texts: int = 10_000  # drawn for them
    most_invariant_rounds: int = 30  # mult in base ten takes eight
    most_steps_fed: int = 400  # between rounds, about a second
    most_numbers_fed: int = 150_000_000  # of one search, some seconds; a sum in binary takes 70,000,000
    most_monomials: int = 600  # of one search; agents that are proven take at most 154
    most_failed_steps: int = 60  # of a round; more would fail for the same reasons
    most_cases: int = 64  # of a condition
    texts_of_a_clause: int = 100  # short ones, and as many for its cells: some ten milliseconds
    steps_of_all_cells: int = 100_000  # of runs on an input for each cell, a tenth of a second
    samples: int = 200  # short inputs, run to see where results stand
    longest_sample: int = 12  # symbols
    steps_of_a_result: int = 20_000  # of one short input


LIMITS = Limits()
