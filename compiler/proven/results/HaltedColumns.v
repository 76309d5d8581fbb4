(** (V9 b): where LEFT halts, every column holds what is wanted there. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Closures Rows Readings.
Import ListNotations.
Local Open Scope Z_scope.

Fixpoint gather {A B} (f : A -> option (list B)) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | a :: l => match f a, gather f l with Some x, Some y => Some (x ++ y) | _, _ => None end
  end.
Lemma gather_in {A B} (f : A -> option (list B)) l : forall m, gather f l = Some m -> forall a, In a l ->
  exists x, f a = Some x /\ forall b, In b x -> In b m.
Proof.
  induction l as [|c l IH]; intros m H a Ha; [contradiction|]. cbn [gather] in H.
  destruct (f c) as [x|] eqn:E; [|discriminate]. destruct (gather f l) as [y|]; [|discriminate]. injection H as <-.
  destruct Ha as [<-|Ha].
  - exists x. split; [exact E|]. intros b Hb. apply in_or_app. left. exact Hb.
  - destruct (IH y eq_refl a Ha) as (x' & E' & Hin). exists x'. split; [exact E'|]. intros b Hb. apply in_or_app. right.
    auto.
Qed.

(** What stands in one row of a column, all its other cells being blank. *)
Definition is_blank (v : known) : bool := match v with Is s => (s =? 0)%N | Of_class _ => false end.
Fixpoint only_at (k : nat) (cells : list known) {struct cells} : option symbol :=
  match cells with
  | [] => None
  | v :: cells =>
      match k with
      | O => match v with Is s => if forallb is_blank cells then Some s else None | Of_class _ => None end
      | S k => if is_blank v then only_at k cells else None
      end
  end.
Lemma is_blank_eq v : is_blank v = true -> v = Is 0%N.
Proof. destruct v; simpl; [|discriminate]. intros H. apply N.eqb_eq in H. congruence. Qed.
Lemma only_at_ok cells : forall k s, only_at k cells = Some s -> forall i v, nth_error cells i = Some v ->
  v = Is (if Nat.eqb i k then s else 0%N).
Proof.
  induction cells as [|v cells IH]; intros k s H i u Hi; [discriminate|]. cbn [only_at] in H. destruct k as [|k].
  - destruct v as [t|]; [|discriminate]. destruct (forallb is_blank cells) eqn:E; [|discriminate]. injection H as <-.
    destruct i as [|i]; simpl in *; [congruence|]. apply is_blank_eq. rewrite forallb_forall in E. apply E.
    eapply nth_error_In. exact Hi.
  - destruct (is_blank v) eqn:E; [|discriminate]. destruct i as [|i]; simpl in *; [apply is_blank_eq in E; congruence|].
    eapply IH; eauto.
Qed.

Section Chains.
  Variables (numeric : bool) (d : nat) (coarse_at : N -> N) (kind_at : N -> option held) (grams : list gram).
  Variable ahead : bool -> N -> list N -> list gram.
  Hypothesis ahead_ok : forall sd K x w, In (sd, K, x, w) grams ->
    In (sd, K, x, w) (ahead sd K (coarse_at x :: firstn d w)).

  Definition chain : Type := bool * N * list N * held.
  (* side, kind, what is known of the next columns, the last one *)
  Definition held_eqb (a b : held) : bool :=
    match a, b with Bare, Bare | Digit, Digit | Omitted, Omitted => true | _, _ => false end.
  Definition chain_eqb (a b : chain) : bool :=
    let '(s, K, w, h) := a in let '(s', K', w', h') := b in
    Bool.eqb s s' && (K =? K')%N && same_text w w' && held_eqb h h'.
  Lemma chain_eqb_eq a b : chain_eqb a b = true -> a = b.
  Proof.
    destruct a as [[[s K] w] h], b as [[[s' K'] w'] h']. simpl. rewrite !andb_true_iff. intros [[[H1 H2] H3] H4].
    apply eqb_prop in H1. apply N.eqb_eq in H2. apply same_text_eq in H3. destruct h, h'; try discriminate; congruence.
  Qed.
  Definition chain_hash (a : chain) : positive :=
    let '(s, K, w, h) := a in
    Maps.key (mixes (mix (mix (if s then 1 else 2)%N K) (match h with Bare => 0 | Digit => 1 | Omitted => 2 end)%N) w).

  Definition beside_each_other (sd : bool) (near far : held) : bool :=
    negb numeric || (if sd then ordered near far else ordered far near).
  Definition next_chains (a : chain) : option (list chain) :=
    let '(sd, K, near, h) := a in
    gather (fun g : gram => let '(sd', K', x, w) := g in
      if Bool.eqb sd' sd && (K' =? K)%N && same_text (coarse_at x :: firstn d w) near then
        match kind_at x with
        | Some far => if beside_each_other sd h far then Some [(sd, K, w, far)] else None
        | None => None
        end
      else Some []) (ahead sd K near).

  Variable S_ : list chain.
  Hypothesis closed_ : forall a, In a S_ -> exists l, next_chains a = Some l /\ forall b, In b l -> In b S_.
  Variables (sd : bool) (K : N) (lab : Z -> N) (x : Z).
  Hypothesis beyond : forall X, 0 < sg sd * (X - x) -> In (sd, K, lab X, near coarse_at (S d) (sg sd) lab X) grams.
  Definition kind_of_column (X : Z) : held := match kind_at (lab X) with Some h => h | None => Bare end.

  Lemma next_column X h : 0 <= sg sd * (X - x) -> In (sd, K, near coarse_at (S d) (sg sd) lab X, h) S_ ->
    exists far, kind_at (lab (X + sg sd)) = Some far /\ beside_each_other sd h far = true /\
      In (sd, K, near coarse_at (S d) (sg sd) lab (X + sg sd), far) S_.
  Proof.
    intros HX HS. destruct (closed_ _ HS) as (l & Hl & Hin). unfold next_chains in Hl.
    pose proof (beyond (X + sg sd) ltac:(destruct sd; unfold sg in *; lia)) as Hg.
    pose proof (ahead_ok _ _ _ _ Hg) as Ha. rewrite near_firstn in Ha.
    change (coarse_at (lab (X + sg sd)) :: near coarse_at d (sg sd) lab (X + sg sd)) with
      (near coarse_at (S d) (sg sd) lab X) in Ha.
    destruct (gather_in _ _ _ Hl _ Ha) as (y & Hy & Hm). cbv beta iota in Hy.
    rewrite Bool.eqb_reflx, N.eqb_refl, near_firstn in Hy.
    change (coarse_at (lab (X + sg sd)) :: near coarse_at d (sg sd) lab (X + sg sd)) with
      (near coarse_at (S d) (sg sd) lab X) in Hy.
    rewrite same_text_refl in Hy. cbn [andb] in Hy.
    destruct (kind_at (lab (X + sg sd))) as [far|]; [|discriminate].
    destruct (beside_each_other sd h far) eqn:E; [|discriminate]. injection Hy as <-.
    exists far. split; [reflexivity|]. split; [exact E|]. apply Hin, Hm. left. reflexivity.
  Qed.
  Lemma all_columns h : kind_at (lab x) = Some h -> In (sd, K, near coarse_at (S d) (sg sd) lab x, h) S_ ->
    forall i, let X := x + sg sd * Z.of_nat i in
      In (sd, K, near coarse_at (S d) (sg sd) lab X, kind_of_column X) S_ /\ kind_at (lab X) = Some (kind_of_column X).
  Proof.
    intros Hh HS. induction i as [|i IH]; cbv zeta in *.
    - replace (x + sg sd * Z.of_nat 0) with x by lia. unfold kind_of_column. rewrite Hh. auto.
    - destruct IH as [IH _]. apply next_column in IH as (far & Hf & _ & Hin); [|destruct sd; unfold sg; lia].
      replace (x + sg sd * Z.of_nat i + sg sd) with (x + sg sd * Z.of_nat (S i)) in * by lia.
      unfold kind_of_column. rewrite Hf. auto.
  Qed.
  Lemma ordered_columns h : kind_at (lab x) = Some h -> In (sd, K, near coarse_at (S d) (sg sd) lab x, h) S_ ->
    forall i, let X := x + sg sd * Z.of_nat i in
      beside_each_other sd (kind_of_column X) (kind_of_column (X + sg sd)) = true.
  Proof.
    intros Hh HS i. cbv zeta. destruct (all_columns h Hh HS i) as [H _]. cbv zeta in H.
    apply next_column in H as (far & Hf & Ho & _); [|destruct sd; unfold sg; lia].
    unfold kind_of_column at 2. rewrite Hf. exact Ho.
  Qed.
End Chains.
