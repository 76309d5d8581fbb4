"""Words and marks that a clause may be made of, right or wrong, and the alphabet that it is about."""

SYMBOLS = ("_", "0", "1", "a", "'", "\\")
CLASSES = {"bit": "01", "n": "a1", "é": "_'"}
TOKENS = [
    "bit", "n", "é", "any", "except", "x", "U", "_", "0", "01", "1", "10", "000000001", "0000000001", "'a'", "'1'",
    r"'\''", r"'\\'", "'b'", "'ab'", "''", "'\\'", "'", '"01"', "٣", "..", ",", "|", "+", "*", "?", "(", ")", "=", ":",
    "# all\n", "#", "\t", "\n", "\u2028", "n =", "any =", "except =", "1 =",
]  # fmt: skip
