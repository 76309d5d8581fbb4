"""What tag.grid must leave: gridlang test examples/tag.grid --oracle examples/tag.py:tag"""

ADDED = {"a": "bc", "b": "a", "c": "aaa"}


def tag(word):
    for _ in range(10_000):
        if len(word) == 1:
            return word
        word = word[2:] + ADDED[word[0]]
    return None  # too long to say
