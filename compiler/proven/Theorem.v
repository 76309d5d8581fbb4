(** What is proven, in the words of Statement.v and Engines.v, and what each rests on (checker/assumptions.txt). *)
From Coq Require Import ZArith NArith List String.
From Gridlang Require Import Statement Engines Json Certificate Check Weights Models Learned Float32 Float32Engines
  Multiplies.
Import ListNotations.

(** A file that the checker calls valid claims what is true. [claim_in] of a file is what [claim_of] reads. *)
Theorem check_sound : forall bytes, check bytes = Valid ->
  exists j c, json_of bytes = Some j /\ claim_of j = Some c /\ holds c.
Proof. exact Check.check_sound. Qed.
Theorem claim_in_holds : forall bytes, check bytes = Valid -> holds (claim_in bytes).
Proof. exact Check.claim_in_holds. Qed.

(** Whatever runs the weights of a learned model does what LEFT does. *)
Theorem learned_engines : forall certificate model,
  check certificate = Valid -> weights_verdict certificate model = Valid ->
  let c := claim_in certificate in equal c = true -> asks_for_stops (stuck c) (at_scope c) = false ->
  forall T, engine (weights_for certificate model) T -> equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) T.
Proof. exact Learned.learned_engines. Qed.

(** So it halts, and leaves what the output clause says, if that is claimed of LEFT. *)
Theorem learned_total : forall certificate model,
  check certificate = Valid -> weights_verdict certificate model = Valid ->
  let c := claim_in certificate in equal c = true -> stuck c = Never -> halting c = true ->
  forall o, leaves c = Some o -> at_scope c = Inputs (o_inputs o) ->
  forall T, engine (weights_for certificate model) T -> forall parts, declared (o_inputs o) parts ->
  exists n d, halts_after T n (input_world (List.concat parts)) 0 0 d /\
    exists r l, value_of o parts = Some r /\ stands (cells d) l /\ says (o_digits o) r l.
Proof. exact Learned.learned_total. Qed.

(** In words of numbers: on the digits of a, a sign and the digits of b, it leaves digits of what the clause makes of
    both. *)
Theorem on_numbers : forall T ds sign op,
  let o := Output_clause (Declared [number_piece ds; Cell [sign]; number_piece ds] ds [])
             (Operation op (Spelled 0) (Spelled 2)) in
  distinct_symbols ds = true -> (2 <= List.length ds)%nat ->
  (forall parts, declared (o_inputs o) parts ->
     exists n c, halts_after T n (input_world (List.concat parts)) 0 0 c /\
       exists r l, value_of o parts = Some r /\ stands (cells c) l /\ says (o_digits o) r l) ->
  forall a b z, (0 <= a)%Z -> (0 <= b)%Z -> operate op a b = Some z ->
  exists n c l, halts_after T n (input_world (digits_of ds a ++ sign :: digits_of ds b)) 0 0 c /\
    stands (cells c) l /\ l <> [] /\ spells ds l = Some z.
Proof. exact Multiplies.on_numbers. Qed.

(** What sums in float32, in whatever order, is an engine; so is the table, so there are some. *)
Theorem float32_engine : forall W right, check_weights W right = true -> known_ok W right ->
  forall stands_for T, runs W float32 stands_for T -> engine W T.
Proof. exact Float32Engines.float32_engine. Qed.
Theorem table_is_engine : forall W right, check_weights W right = true -> known_ok W right ->
  careful_engine W (table_of right).
Proof. exact Weights.table_is_engine. Qed.

Print Assumptions check_sound.
Print Assumptions claim_in_holds.
Print Assumptions learned_engines.
Print Assumptions learned_total.
Print Assumptions on_numbers.
Print Assumptions float32_engine.
Print Assumptions table_is_engine.
Print Assumptions sums_small.
