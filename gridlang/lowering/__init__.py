"""From a tree and the values of parameters to a table: values, alphabets, domains, instances of states."""
