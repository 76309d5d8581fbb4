(** (V16), the checker: every element at which the agent is stuck is excluded. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Unknowns
  Facts Values Findings Invariants
  Stretches Goals Saturation Computed ValueCheck Inequalities.
Import ListNotations.
Local Open Scope N_scope.

Section Check.
  Variables (n : N) (table : rules) (declaration : inputs) (v : values).

  Definition no_levels : row_levels := Row_levels (fun _ _ _ => Unknown_level) (fun _ => []) (fun _ _ _ => []).
  Definition check_ends (sc : scene) (rights : list told) (nexts : place -> symbol -> list place) (p : proof) : bool :=
    let un := @unknowns_of sc (p_by_part p) (p_systems p) in
    let fi := @findings_of sc un no_levels [] true (v_words v) (p_nodes p (map (@name_at un) (below (@count un)))) in
    @kept_ok n table declaration v sc un fi rights nexts && at_reads stuck_on (@skipped declaration v sc un fi).
  Definition check_never_stuck : bool :=
    let '(told_list, starts, steps) := places_for n declaration (v_near v) (v_far v) in
    let e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v)
      (v_near v) starts steps in
    let sc := scene_of n table declaration v e told_list in
    existsb (check_ends sc told_list (nexts_of e)) (v_proofs v).

  Theorem check_never_stuck_sound : check_never_stuck = true -> forall parts, declared declaration parts ->
    does_what Never (table_of table) (table_of table) (input_world (concat parts)) 0 0.
  Proof.
    unfold check_never_stuck. destruct (places_for n declaration (v_near v) (v_far v)) as [[rights starts] steps].
    set (e := strip_for _ _ _ _ _ _ _ _ _ _ _).
    intros H parts Hd k c Hrun Hbefore. exists c. repeat (split; [first [exact Hrun | reflexivity]|]).
    destruct (acts (table_of table) c) as [a|] eqn:Ha; [reflexivity|].
    apply existsb_exists in H as (p & _ & H). unfold check_ends in H.
    set (sc := scene_of n table declaration v e rights) in *. set (un := @unknowns_of sc _ _) in *.
    set (fi := @findings_of sc un _ _ _ _ _) in *. apply andb_true_iff in H as [Hkept Hends].
    destruct (kept_right n table declaration v e rights _ _ no_levels [] true _ eq_refl Hkept) as
      (un_ok & fi_ok & Never_ & Hgood).
    destruct (Hgood parts k c Hd Hrun Hbefore) as (q & lab & lo & m & now & Hv).
    fold sc un fi in un_ok, fi_ok, now, Hv, Never_.
    pose proof (Never_ parts Hd _ _ _ _ _ _ _ _ now Hv) as Hno. clear Hgood Never_.
    assert (Hrule : forall q s, @rule sc q s = table_of table q s) by (intros q' s; apply find_rows).
    apply (at_reads_ok parts _ _ _ _ _ _ _ _ now) in Hends; [|unfold stuck_on; rewrite Hrule; unfold acts, reads in Ha;
      rewrite Ha; reflexivity].
    congruence.
  Qed.
End Check.

(** What is never stuck on inputs is so, whatever is compared with it. *)
Lemma never_besides L R w : does_what Unasked L R w 0 0 -> does_what Never L L w 0 0 -> does_what Never L R w 0 0.
Proof.
  intros A B k c Hr Hno. destruct (A k c Hr Hno) as (d & Hd & Ex & Ey & Ec & Hs). exists d.
  repeat (split; [assumption|]).
  destruct (B k c Hr Hno) as (c' & _ & _ & _ & _ & K). destruct (acts L c); [exact Hs | exact K].
Qed.
