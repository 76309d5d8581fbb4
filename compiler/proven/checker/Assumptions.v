(** The theorems of this folder, and what they rest on: assumptions.txt, which `make assumptions` compares. *)
From Gridlang Require Import Check Multiplies Weights Learned Float32 Float32Engines.
Set Printing Width 120.
Check check_sound.
Print Assumptions check_sound.
Check engines_do_what.
Print Assumptions engines_do_what.
Check careful_engines_do_what.
Print Assumptions careful_engines_do_what.
Check table_is_engine.
Print Assumptions table_is_engine.
Check learned_engines.
Print Assumptions learned_engines.
Check learned_total.
Print Assumptions learned_total.
Check float32_engine.
Print Assumptions float32_engine.
Check sums_small.
Print Assumptions sums_small.
Check on_numbers.
Print Assumptions on_numbers.
