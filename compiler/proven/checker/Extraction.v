(** The checker, runs, and values of output clauses, as an OCaml program. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
From Gridlang Require Import Check Runs.
Extraction Language OCaml.
Extraction "gridcheck_core.ml" check run_file answer_file.
