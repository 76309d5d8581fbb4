(** Input clauses by their derivatives, and places: a graph in which every declared input is a path. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps.
Import ListNotations.

(** * Partial derivatives (Antimirov): only that none is missed is needed *)
Fixpoint nullable (c : clause) : bool :=
  match c with
  | Nothing => true
  | Cell _ => false
  | Then a b => nullable a && nullable b
  | Or a b => nullable a || nullable b
  | Many _ => true
  end.
Definition then_ (a b : clause) : clause := match a with Nothing => b | _ => Then a b end.
Fixpoint derive (s : symbol) (c : clause) : list clause :=
  match c with
  | Nothing => []
  | Cell l => if existsb (N.eqb s) l then [Nothing] else []
  | Then a b => map (fun a' => then_ a' b) (derive s a) ++ (if nullable a then derive s b else [])
  | Or a b => derive s a ++ derive s b
  | Many a => map (fun a' => then_ a' (Many a)) (derive s a)
  end.

Lemma nullable_ok c t : matches c t -> t = [] -> nullable c = true.
Proof.
  induction 1; intros E; simpl; auto; try discriminate.
  - apply app_eq_nil in E as [E1 E2]. rewrite IHmatches1, IHmatches2; auto.
  - rewrite IHmatches; auto.
  - rewrite IHmatches; auto. apply orb_true_r.
Qed.
Lemma then_ok a b t u : matches a t -> matches b u -> matches (then_ a b) (t ++ u).
Proof.
  intros Ha Hb. destruct a; simpl; try (constructor; assumption).
  inversion Ha; subst. exact Hb.
Qed.
Lemma derive_ok c t : matches c t -> forall s u, t = s :: u -> exists d, In d (derive s c) /\ matches d u.
Proof.
  induction 1; intros s0 u0 E; simpl; try discriminate.
  - injection E as -> <-. exists Nothing. split; [|constructor].
    assert (X : existsb (N.eqb s0) l = true) by (apply existsb_exists; exists s0; split; [assumption|apply N.eqb_refl]).
    rewrite X. left. reflexivity.
  - destruct t as [|x t]; simpl in E.
    + destruct (IHmatches2 _ _ E) as (d & Hd & Hm). exists d. split; [|exact Hm].
      apply in_or_app. right. rewrite (nullable_ok a [] H eq_refl). exact Hd.
    + injection E as -> <-. destruct (IHmatches1 _ _ eq_refl) as (d & Hd & Hm). exists (then_ d b). split.
      * apply in_or_app. left. apply (in_map (fun a' => then_ a' b)). exact Hd.
      * apply then_ok; assumption.
  - destruct (IHmatches _ _ E) as (d & Hd & Hm). exists d. split; [apply in_or_app; left|]; assumption.
  - destruct (IHmatches _ _ E) as (d & Hd & Hm). exists d. split; [apply in_or_app; right|]; assumption.
  - destruct t as [|x t]; simpl in E.
    + exact (IHmatches2 _ _ E).
    + injection E as -> <-. destruct (IHmatches1 _ _ eq_refl) as (d & Hd & Hm). exists (then_ d (Many a)). split.
      * apply (in_map (fun a' => then_ a' (Many a))). exact Hd.
      * apply then_ok; assumption.
Qed.

Fixpoint symbols_of_clause (c : clause) : list symbol :=
  match c with
  | Nothing => [] | Cell l => l | Then a b | Or a b => symbols_of_clause a ++ symbols_of_clause b
  | Many a => symbols_of_clause a
  end.
Lemma symbols_of_clause_ok c t : matches c t -> forall s, In s t -> In s (symbols_of_clause c).
Proof.
  induction 1; simpl; intros s0 Hs; try contradiction.
  - destruct Hs as [<-|[]]. assumption.
  - apply in_app_or in Hs. apply in_or_app. intuition.
  - apply in_or_app. left. auto.
  - apply in_or_app. right. auto.
  - apply in_app_or in Hs as [Hs|Hs]; auto.
Qed.

(** * Places: a graph in which every input, and blanks after it for ever, must have a path *)
Definition place := N.
Section Places.
  Variable nexts : place -> symbol -> list place.

  Definition path (pl : nat -> place) (t : list symbol) : Prop :=
    forall i, In (pl (S i)) (nexts (pl i) (row_symbol t i)).

  (** Sets of places as sorted lists *)
  Fixpoint add_place (c : place) (l : list place) : list place :=
    match l with
    | [] => [c]
    | d :: l' => match (c ?= d)%N with Lt => c :: l | Eq => l | Gt => d :: add_place c l' end
    end.
  Lemma in_add_place c d l : In c (add_place d l) -> c = d \/ In c l.
  Proof.
    induction l as [|e l IH]; simpl; [intuition congruence|].
    destruct (d ?= e)%N; simpl; intuition congruence.
  Qed.
  Definition post (C : list place) (s : symbol) : list place :=
    fold_right add_place [] (flat_map (fun c => nexts c s) C).
  Lemma in_post c C s : In c (post C s) -> exists b, In b C /\ In c (nexts b s).
  Proof.
    intros H. apply in_flat_map. unfold post in H.
    induction (flat_map (fun c => nexts c s) C) as [|d l IH]; simpl in *; [contradiction|].
    apply in_add_place in H as [->|H]; auto.
  Qed.

  (** Places from which blanks may follow for ever *)
  Definition in_set (E : list place) (c : place) : bool := existsb (N.eqb c) E.
  Definition trim (E : list place) : list place := filter (fun c => existsb (in_set E) (nexts c 0%N)) E.
  Fixpoint endless (fuel : nat) (E : list place) : list place :=
    match fuel with
    | O => E
    | S f => let E' := trim E in if Nat.eqb (length E') (length E) then E else endless f E'
    end.
  Definition endless_ok (E : list place) : bool := forallb (fun c => existsb (in_set E) (nexts c 0%N)) E.

  Lemma endless_path E : endless_ok E = true -> forall c, In c E ->
    exists pl, pl O = c /\ path pl [] /\ forall i, In (pl i) E.
  Proof.
    intros H c Hc. unfold endless_ok in H. rewrite forallb_forall in H.
    set (f := fun c => match find (in_set E) (nexts c 0%N) with Some d => d | None => c end).
    assert (F : forall c, In c E -> In (f c) (nexts c 0%N) /\ In (f c) E).
    { intros d Hd. specialize (H d Hd). apply existsb_exists in H as (e & He & Hs). unfold f.
      destruct (find (in_set E) (nexts d 0%N)) as [g|] eqn:G.
      - apply find_some in G as [G1 G2]. split; [exact G1|].
        apply existsb_exists in G2 as (z & Hz & Ez). apply N.eqb_eq in Ez. subst. exact Hz.
      - exfalso. pose proof (find_none _ _ G _ He). congruence. }
    assert (E1 : forall i, In (Nat.iter i f c) E) by (induction i; simpl; [exact Hc | apply F; exact IHi]).
    exists (fun i => Nat.iter i f c). split; [reflexivity|]. split; [|exact E1]. intros i.
    replace (row_symbol [] i) with 0%N by (destruct i; reflexivity). simpl. apply F. apply E1.
  Qed.
End Places.

(** * Equality *)
Lemma same_text_eq a : forall b, same_text a b = true <-> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; split; try congruence.
  - intros H. apply andb_true_iff in H as [H1 H2]. apply N.eqb_eq in H1. apply IH in H2. congruence.
  - intros H. injection H as -> ->. rewrite N.eqb_refl. apply IH. reflexivity.
Qed.
Fixpoint clause_eqb (a b : clause) : bool :=
  match a, b with
  | Nothing, Nothing => true
  | Cell l, Cell m => same_text l m
  | Then a b, Then c d | Or a b, Or c d => clause_eqb a c && clause_eqb b d
  | Many a, Many b => clause_eqb a b
  | _, _ => false
  end.
Lemma clause_eqb_eq a : forall b, clause_eqb a b = true -> a = b.
Proof.
  induction a; intros [] H; simpl in H; try discriminate; try reflexivity;
    try (apply andb_true_iff in H as [H1 H2]; apply IHa1 in H1; apply IHa2 in H2; congruence).
  - apply same_text_eq in H. congruence.
  - apply IHa in H. congruence.
Qed.

(** * Clauses of several pieces *)
(** Pieces one behind the other. *)
Definition one_after_another (l : list clause) : clause := fold_right Then Nothing l.
Lemma parts_matched l : forall t, matches (one_after_another l) t -> exists parts, Forall2 matches l parts /\
  t = concat parts.
Proof.
  induction l as [|c l IH]; intros t H; cbn [one_after_another fold_right] in H; inversion H; subst.
  - exists []. split; [constructor | reflexivity].
  - destruct (IH u) as (parts & Hp & ->); [assumption|]. exists (t0 :: parts).
    split; [constructor; assumption | reflexivity].
Qed.
Lemma matches_parts pieces parts : Forall2 matches pieces parts -> matches (one_after_another pieces) (concat parts).
Proof. induction 1; simpl; constructor; assumption. Qed.

(** * Clauses by themselves *)

(** The symbols of an input are below n. *)
Definition input_below (n : N) (c : clause) : bool := (0 <? n)%N && forallb (fun s => (s <? n)%N) (symbols_of_clause c).
Lemma input_below_sound n c : input_below n c = true -> forall t, matches c t -> forall x y, (input_world t x y < n)%N.
Proof.
  intros H t Ht x y. apply andb_true_iff in H as [Hn H]. apply N.ltb_lt in Hn. rewrite forallb_forall in H.
  unfold input_world. destruct ((y =? 0) && (0 <=? x))%Z; [|exact Hn]. unfold row_symbol.
  destruct (nth_in_or_default (Z.to_nat x) t 0%N) as [Hi | ->]; [|exact Hn].
  apply N.ltb_lt, H. eapply symbols_of_clause_ok; eauto.
Qed.

(** Whether a text is an input: by what is left of the clause after each symbol. *)
Fixpoint add_clause (c : clause) (l : list clause) : list clause :=
  match l with [] => [c] | d :: l' => if clause_eqb c d then l else d :: add_clause c l' end.
Definition derive_all (s : symbol) (l : list clause) : list clause :=
  fold_right add_clause [] (flat_map (derive s) l).
Definition is_input (c : clause) (t : list symbol) : bool :=
  existsb nullable (fold_left (fun l s => derive_all s l) t [c]).

Lemma nullable_matches c : nullable c = true -> matches c [].
Proof.
  induction c; simpl; intros H; try discriminate.
  - constructor.
  - apply andb_true_iff in H as [H1 H2]. change (@nil symbol) with (@nil symbol ++ []). constructor; auto.
  - apply orb_true_iff in H as [H|H]; [apply m_or_l | apply m_or_r]; auto.
  - constructor.
Qed.
Lemma then_matches a b u : matches (then_ a b) u -> matches (Then a b) u.
Proof.
  destruct a; simpl; auto. intros H. change u with ([] ++ u). constructor; [constructor | exact H].
Qed.
Lemma derive_matches s c : forall d u, In d (derive s c) -> matches d u -> matches c (s :: u).
Proof.
  induction c as [|l|a IHa b IHb|a IHa b IHb|a IHa]; intros d u Hin Hm; simpl in Hin.
  - contradiction.
  - destruct (existsb (N.eqb s) l) eqn:E; [|contradiction]. destruct Hin as [<-|[]]. inversion Hm; subst.
    apply existsb_exists in E as (x & Hx & Ex). apply N.eqb_eq in Ex. subst. constructor. exact Hx.
  - apply in_app_or in Hin as [Hin|Hin].
    + apply in_map_iff in Hin as (a' & <- & Hin). apply then_matches in Hm. inversion Hm; subst.
      change (s :: t ++ u0) with ((s :: t) ++ u0). constructor; [eapply IHa; eauto | assumption].
    + destruct (nullable a) eqn:E; [|contradiction]. change (s :: u) with ([] ++ s :: u).
      constructor; [apply nullable_matches; exact E | eapply IHb; eauto].
  - apply in_app_or in Hin as [Hin|Hin]; [apply m_or_l; eapply IHa; eauto | apply m_or_r; eapply IHb; eauto].
  - apply in_map_iff in Hin as (a' & <- & Hin). apply then_matches in Hm. inversion Hm; subst.
    change (s :: t ++ u0) with ((s :: t) ++ u0). constructor; [eapply IHa; eauto | assumption].
Qed.
Lemma in_add_clause c d l : In c (add_clause d l) -> c = d \/ In c l.
Proof.
  induction l as [|e l IH]; simpl; [intuition congruence|].
  destruct (clause_eqb d e); simpl; intuition congruence.
Qed.
Lemma in_derive_all c s l : In c (derive_all s l) -> exists d, In d l /\ In c (derive s d).
Proof.
  intros H. apply in_flat_map. unfold derive_all in H.
  induction (flat_map (derive s) l) as [|d m IH]; simpl in *; [contradiction|].
  apply in_add_clause in H as [->|H]; auto.
Qed.
Theorem is_input_sound c t : is_input c t = true -> matches c t.
Proof.
  unfold is_input.
  assert (G : forall t l, existsb nullable (fold_left (fun l s => derive_all s l) t l) = true ->
              exists c, In c l /\ matches c t).
  { clear. induction t as [|s t IH]; intros l H; simpl in H.
    - apply existsb_exists in H as (c & Hc & Hn). exists c. split; [exact Hc | apply nullable_matches; exact Hn].
    - apply IH in H as (c & Hc & Hm). apply in_derive_all in Hc as (d & Hd & Hc).
      exists d. split; [exact Hd | eapply derive_matches; eauto]. }
  intros H. apply G in H as (d & [<-|[]] & Hm). exact Hm.
Qed.
