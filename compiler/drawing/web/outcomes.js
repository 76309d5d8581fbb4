// How a run ends: the words of gridlang/outcomes.py, in the order of their numbers.

export const Outcome = Object.freeze({
  RUNNING: "running", HALTED: "halted", STUCK: "stuck", BUDGET: "budget", LOOPING: "looping",
});
