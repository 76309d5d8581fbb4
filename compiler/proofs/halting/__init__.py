"""That an agent halts: rankings of the steps that it takes on a strip."""
