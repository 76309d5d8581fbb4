(** Readings: machines that read an input from the left, may guess, and tell what is wanted in each column. *)
From Coq Require Import NArith List Bool.
From Gridlang Require Import Statement.
Import ListNotations.

(** A symbol; a zero of a number, or nothing before it; nothing. *)
Inductive wanted := Wants (s : symbol) | Leads | Empty.
Definition wanted_eqb (a b : wanted) : bool :=
  match a, b with Wants s, Wants t => (s =? t)%N | Leads, Leads | Empty, Empty => true | _, _ => false end.
Lemma wanted_eqb_eq a b : wanted_eqb a b = true -> a = b.
Proof. destruct a, b; simpl; try discriminate; auto. intros H. apply N.eqb_eq in H. congruence. Qed.


Lemma same_text_refl t : same_text t t = true.
Proof. induction t; cbn; [|rewrite N.eqb_refl]; auto. Qed.

Record reading (S : Type) := Reading {
  r_starts : list (S * list wanted);                  (* with what is wanted to the left, nearest first *)
  r_left : wanted;                                    (* what is wanted further left *)
  r_step : S -> nat -> symbol -> list (S * wanted);   (* by the number of the part and the symbol *)
  r_ended : S -> option (option (list wanted)) }.
  (* if it may end here, what is wanted after it; None if nothing is known *)
Arguments r_starts {S}. Arguments r_left {S}. Arguments r_step {S}. Arguments r_ended {S}. Arguments Reading {S}.

(** From part i on, what is left of it and the others: what is wanted in their columns, and after them. *)
Inductive accepts {S} (r : reading S) : nat -> S -> list symbol -> list (list symbol) -> list wanted ->
  option (list wanted) -> Prop :=
| accepts_symbol i q s u us q' w ws after : In (q', w) (r_step r q i s) -> accepts r i q' u us ws after ->
    accepts r i q (s :: u) us (w :: ws) after
| accepts_part i q u us ws after : accepts r (Datatypes.S i) q u us ws after -> accepts r i q [] (u :: us) ws after
| accepts_end i q after : r_ended r q = Some after -> accepts r i q [] [] [] after.

(** What something that advances with each symbol is after all parts, the first of them part i. *)
Section Parts.
  Context {A : Type}.
  Variable advance : A -> nat -> symbol -> A.
  Fixpoint read_parts (a : A) (i : nat) (us : list (list symbol)) : A :=
    match us with [] => a | u :: us => read_parts (fold_left (fun a s => advance a i s) u a) (S i) us end.
End Parts.

(** A machine that tells of each column its part, and guesses nothing. *)
Fixpoint labels (f : nat -> wanted) (i : nat) (parts : list (list symbol)) : list wanted :=
  match parts with [] => [] | u :: us => repeat (f i) (length u) ++ labels f (S i) us end.
Definition labelling (f : nat -> wanted) : reading unit :=
  Reading [(tt, [])] Empty (fun _ i _ => [(tt, f i)]) (fun _ => Some (Some [])).
Lemma labelling_accepts f us : forall u i, accepts (labelling f) i tt u us (labels f i (u :: us)) (Some []).
Proof.
  induction us as [|v us IH]; induction u as [|s u IHu]; intros i; cbn [labels length repeat app].
  - apply accepts_end. reflexivity.
  - eapply accepts_symbol; [left; reflexivity | apply IHu].
  - apply accepts_part, IH.
  - eapply accepts_symbol; [left; reflexivity | apply IHu].
Qed.

(** A machine beside which something advances, that refuses to end. *)
Section Beside.
  Context {S A : Type}.
  Variables (r : reading S) (first : A) (advance : A -> nat -> symbol -> A) (refused : A -> bool).
  Definition conditioned : reading (S * A) :=
    Reading (map (fun e => ((fst e, first), snd e)) (r_starts r)) (r_left r)
      (fun q i s => map (fun e => ((fst e, advance (snd q) i s), snd e)) (r_step r (fst q) i s))
      (fun q => if refused (snd q) then None else r_ended r (fst q)).
  Lemma conditioned_accepts i q u us ws known : accepts r i q u us ws known -> forall a,
    refused (read_parts advance a i (u :: us)) = false -> accepts conditioned i (q, a) u us ws known.
  Proof.
    induction 1 as [i q s u us q' w ws known Hs _ IH | i q u us ws known _ IH | i q known Hq]; intros a Ha.
    - eapply accepts_symbol; [|apply (IH (advance a i s)); exact Ha]. apply in_map_iff. exists (q', w).
      split; [reflexivity | exact Hs].
    - apply accepts_part, IH. exact Ha.
    - apply accepts_end. cbn in *. rewrite Ha. exact Hq.
  Qed.
End Beside.
