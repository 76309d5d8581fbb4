/* How a run ends, and why: numbered as in gridlang/outcomes.py. */

enum {
  RUNNING,
  HALTED,
  STUCK,
  BUDGET,
  LOOPING,
  MEMORY,
  WALKS_OFF,
  ALL_ZERO,
  NOT_FINITE,
  NONE_POSITIVE,
  OFF_CODEBOOK,
  DIFFERS,
  FAR,
};

