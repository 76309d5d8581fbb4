(** (V8) on declared inputs: how runs begin. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents.
Import ListNotations.

(** Columns of the first world from a place outwards: symbols, each with what is next. *)
Section Words.
  Variables (options : place -> list (symbol * place)) (fresh : symbol -> place -> option N).

  Fixpoint all_words (len : nat) (at_ : place) (P : list N -> bool) : bool :=
    match len with
    | O => P []
    | S len => forallb (fun o => match fresh (fst o) at_ with
                                 | None => false
                                 | Some i => all_words len (snd o) (fun w => P (i :: w))
                                 end) (options at_)
    end.
  Definition fx (s : symbol) (at_ : place) : N := match fresh s at_ with Some i => i | None => 0%N end.
  Definition way (sy : nat -> symbol) (pl : nat -> place) : Prop := forall i, In (sy i, pl (S i)) (options (pl i)).

  Lemma all_words_ok len : forall sy pl P, way sy pl -> all_words len (pl O) P = true ->
    P (map (fun i => fx (sy i) (pl i)) (seq 0 len)) = true.
  Proof.
    induction len as [|len IH]; intros sy pl P Hp H; [exact H|]. cbn [all_words] in H.
    rewrite forallb_forall in H. specialize (H _ (Hp O)). cbn [fst snd] in H.
    cbn [seq map]. unfold fx at 1. destruct (fresh (sy O) (pl O)) as [i|]; [|discriminate].
    specialize (IH (fun i => sy (S i)) (fun i => pl (S i)) (fun w => P (i :: w)) (fun i => Hp (S i)) H).
    rewrite <- seq_shift, map_map. exact IH.
  Qed.
  Lemma all_words_from len sy pl P X : way sy pl -> all_words len (pl X) P = true ->
    P (map (fun i => fx (sy (X + i)%nat) (pl (X + i)%nat)) (seq 0 len)) = true.
  Proof.
    intros Hp H. apply (all_words_ok len (fun i => sy (X + i)%nat) (fun i => pl (X + i)%nat)).
    - intros i. rewrite Nat.add_succ_r. apply Hp.
    - rewrite Nat.add_0_r. exact H.
  Qed.
  Lemma all_words_fresh len sy pl P X : way sy pl -> all_words (S len) (pl X) P = true ->
    fresh (sy X) (pl X) = Some (fx (sy X) (pl X)).
  Proof.
    intros Hp H. cbn [all_words] in H. rewrite forallb_forall in H. specialize (H _ (Hp X)). cbn [fst] in H.
    unfold fx. destruct (fresh (sy X) (pl X)); [reflexivity | discriminate].
  Qed.
End Words.

(** The number of a place in labels: in the input and after it, or to the left of it, [count] being those of
    the former. *)
Definition right_place (at_ : place) : N := N.succ at_.
Definition left_place (count : N) (at_ : place) : N := if (at_ =? 0)%N then 0%N else (count + at_)%N.
Definition place_at (count : N) (lefts pl : nat -> place) (X : Z) : N :=
  if (X <? 0)%Z then left_place count (lefts (Z.to_nat (-1 - X))) else right_place (pl (Z.to_nat X)).

Section First.
  Variables (n : N) (low : Z) (height d : nat) (class_of : symbol -> N).
  Variable kind0 : N.
  Variables (label_at : N -> label) (coarse_at : N -> N) (number : label -> option N).
  Hypothesis number_ok : forall l i, number l = Some i -> label_at i = l.
  Variables (elements : list Strips.element) (grams : list gram).
  Variables (is_element : Strips.element -> bool) (is_gram : gram -> bool).
  Hypothesis is_element_ok : forall e, is_element e = true -> In e elements.
  Hypothesis is_gram_ok : forall g, is_gram g = true -> In g grams.
  Variables (nexts : place -> symbol -> list place) (count : N).
  Variables (before : place -> list place) (left_count : N).
  Variable starts : list (place * list place).         (* with the places that may be left of each *)

  Definition on_row_0 (s : symbol) : list known :=
    map (fun i => if (low + Z.of_nat i =? 0)%Z then Is s else Is 0%N) (seq 0 height).
  Definition fresh (s : symbol) (at_ : place) : option N := number (on_row_0 s, right_place at_, 0%N).
  Definition fresh_left (s : symbol) (at_ : place) : option N := number (on_row_0 s, left_place count at_, 0%N).
  Definition rightwards (at_ : place) : list (symbol * place) :=
    flat_map (fun s => map (pair s) (nexts at_ s)) (below n).
  Definition leftwards (at_ : place) : list (symbol * place) := map (pair 0%N) (before at_).

  Definition closed : bool :=
    forallb (fun s => (fst s <? count)%N && forallb (fun c => (c <? left_count)%N) (snd s)) starts &&
    forallb (fun at_ => forallb (fun o => (snd o <? count)%N) (rightwards at_)) (below count) &&
    forallb (fun at_ => forallb (fun to => (to <? left_count)%N) (before at_)) (below left_count).
  Definition grams_ok (side : bool) (options : place -> list (symbol * place)) (number : symbol -> place -> option N)
      (at_ : place) : bool :=
    all_words options number (S (S d)) at_ (fun ws => match ws with
      | x :: rest => is_gram (side, kind0, x, map coarse_at rest) | [] => false end).
  Definition first_ok : bool :=
    (0 <? n)%N && (low <=? 0)%Z && (0 <? low + Z.of_nat height)%Z && closed &&
    forallb (grams_ok true rightwards fresh) (below count) &&
    forallb (grams_ok false leftwards fresh_left) (below left_count) &&
    forallb (fun s => forallb (fun left =>
      all_words leftwards fresh_left (S d) left (fun near =>
      all_words rightwards fresh (S (S d)) (fst s) (fun ws => match ws with
        | x :: rest => is_element (0%N, 0%N, 0%Z, x, map coarse_at near, map coarse_at rest)
        | [] => false end))) (snd s)) starts.

  Lemma on_row_0_fits w X s pl mk :
    (forall i, (i < height)%nat -> w X (low + Z.of_nat i)%Z = if (low + Z.of_nat i =? 0)%Z then s else 0%N) ->
    fits low height class_of w X (on_row_0 s, pl, mk).
  Proof.
    intros H i Hi. unfold cells_of, on_row_0. cbn [fst].
    exists (if (low + Z.of_nat i =? 0)%Z then Is s else Is 0%N). split.
    - rewrite nth_error_map. rewrite (nth_error_nth' _ O) by (rewrite seq_length; exact Hi).
      rewrite seq_nth by exact Hi. reflexivity.
    - rewrite (H i Hi). destruct (low + Z.of_nat i =? 0)%Z; reflexivity.
  Qed.

  Definition begins_with (lefts pl : nat -> place) (t : list symbol) : Prop :=
    (exists near, In (pl O, near) starts /\ In (lefts O) near) /\
    path nexts pl t /\ (forall i, In (lefts (S i)) (before (lefts i))) /\ (forall i, (row_symbol t i < n)%N).

  Lemma rightwards_way t pl : path nexts pl t -> (forall i, (row_symbol t i < n)%N) -> way rightwards (row_symbol t) pl.
  Proof.
    intros Hp Hs i. unfold rightwards. apply in_flat_map. exists (row_symbol t i).
    split; [apply in_below, Hs | apply in_map, Hp].
  Qed.
  Lemma all_below (t : list symbol) pl lefts : closed = true -> begins_with lefts pl t ->
    (forall i, (pl i < count)%N) /\ (forall i, (lefts i < left_count)%N).
  Proof.
    intros Hc ((near & H0 & H1) & Hp & Hl & Hs). apply andb_true_iff in Hc as [Hc Hc3].
    apply andb_true_iff in Hc as [Hc1 Hc2].
    rewrite forallb_forall in Hc1, Hc2, Hc3. specialize (Hc1 _ H0). apply andb_true_iff in Hc1 as [Ha Hb].
    rewrite forallb_forall in Hb. pose proof (rightwards_way t pl Hp Hs) as Hway.
    split; induction i as [|i IH]; try (apply N.ltb_lt; auto; fail).
    - specialize (Hc2 _ (in_below _ _ IH)). rewrite forallb_forall in Hc2. apply N.ltb_lt. exact (Hc2 _ (Hway i)).
    - specialize (Hc3 _ (in_below _ _ IH)). rewrite forallb_forall in Hc3. apply N.ltb_lt. exact (Hc3 _ (Hl i)).
  Qed.

  (** The label of a column at the start, the columns being on paths of places. *)
  Definition label_from (t : list symbol) (lefts pl : nat -> place) (X : Z) : label :=
    (on_row_0 (if (X <? 0)%Z then 0%N else row_symbol t (Z.to_nat X)), place_at count lefts pl X, 0%N).

  Lemma first_stands t pl lefts : first_ok = true -> begins_with lefts pl t -> forall kind_of, kind_of 0%N = kind0 ->
    exists lab, labelled n low height d class_of kind_of label_at coarse_at elements grams 0%N 0%N 0%Z 0%Z
      (input_world t) lab /\
      (forall X, label_at (lab X) = label_from t lefts pl X) /\ forall i, (pl i < count)%N.
  Proof.
    intros H Hbegin kind_of Hk. unfold first_ok in H.
    apply andb_true_iff in H as [H Hel]. apply andb_true_iff in H as [H Hleft]. apply andb_true_iff in H as [H Hright].
    apply andb_true_iff in H as [H Hcl]. apply andb_true_iff in H as [H Hhi]. apply andb_true_iff in H as [Hn Hlow].
    apply N.ltb_lt in Hn. apply Z.leb_le in Hlow. apply Z.ltb_lt in Hhi.
    destruct (all_below t pl lefts Hcl Hbegin) as [Hpl Hlefts]. destruct Hbegin as ((near_ & H0 & H1) & Hp & Hl & Hsym).
    rewrite forallb_forall in Hright, Hleft, Hel.
    specialize (Hel _ H0). rewrite forallb_forall in Hel. specialize (Hel _ H1). cbn [fst] in Hel.
    pose proof (rightwards_way t pl Hp Hsym) as Wr.
    assert (Wl : way leftwards (fun _ => 0%N) lefts) by (intros i; apply in_map, Hl).
    set (g := fun j => fx fresh (row_symbol t j) (pl j)). set (gl := fun j => fx fresh_left 0%N (lefts j)).
    set (lab := fun X : Z => if (X <? 0)%Z then gl (Z.to_nat (-1 - X)) else g (Z.to_nat X)).
    assert (HlabR : forall x : nat, lab (Z.of_nat x) = g x).
    { intros x. unfold lab. destruct (Z.ltb_spec (Z.of_nat x) 0); [lia|]. rewrite Nat2Z.id. reflexivity. }
    assert (HlabL : forall x : nat, lab (- Z.of_nat x + -1)%Z = gl x).
    { intros x. unfold lab. destruct (Z.ltb_spec (- Z.of_nat x + -1) 0); [|lia]. f_equal. lia. }
    assert (HnR : forall m x, near coarse_at m 1 lab (Z.of_nat x) = map (fun i => coarse_at (g (x + i)%nat)) (seq 1 m)).
    { induction m as [|m IH]; intros x; [reflexivity|]. cbn [near seq map].
      replace (Z.of_nat x + 1)%Z with (Z.of_nat (S x)) by lia. rewrite HlabR, IH.
      replace (x + 1)%nat with (S x) by lia. f_equal. rewrite <- (seq_shift m 1), map_map.
      apply map_ext. intros i. f_equal. f_equal. lia. }
    assert (HnL : forall m x, near coarse_at m (-1) lab (- Z.of_nat x) = map (fun i => coarse_at (gl (x + i)%nat))
      (seq 0 m)).
    { induction m as [|m IH]; intros x; [reflexivity|]. cbn [near seq map]. rewrite HlabL, Nat.add_0_r. f_equal.
      replace (- Z.of_nat x + -1)%Z with (- Z.of_nat (S x))%Z by lia. rewrite IH.
      rewrite <- seq_shift, map_map. apply map_ext. intros i. f_equal. f_equal. lia. }
    assert (Hlab : forall X, label_at (lab X) = label_from t lefts pl X).
    { intros X. unfold lab, label_from, place_at. destruct (Z.ltb_spec X 0) as [HX|HX]; apply number_ok.
      - pose proof (Hleft _ (in_below _ _ (Hlefts (Z.to_nat (-1 - X))))) as Hg. unfold grams_ok in Hg.
        exact (all_words_fresh _ _ _ _ _ _ _ Wl Hg).
      - pose proof (Hright _ (in_below _ _ (Hpl (Z.to_nat X)))) as Hg. unfold grams_ok in Hg.
        exact (all_words_fresh _ _ _ _ _ _ _ Wr Hg). }
    exists lab. split; [|split; [exact Hlab | exact Hpl]]. split; [|split; [|split; [|split; [|split]]]].
    - intros x y. unfold input_world. destruct ((y =? 0) && (0 <=? x))%Z; [apply Hsym | exact Hn].
    - unfold inside. lia.
    - intros X Y HY. unfold input_world. destruct (Z.eqb_spec Y 0); [|reflexivity]. exfalso. apply HY. unfold inside.
      lia.
    - intros X. rewrite Hlab. apply on_row_0_fits. intros i Hi. unfold input_world.
      destruct (Z.ltb_spec X 0); destruct (Z.leb_spec 0 X); try lia; destruct (low + Z.of_nat i =? 0)%Z; reflexivity.
    - apply (all_words_ok _ _ _ (fun _ => 0%N) lefts _ Wl) in Hel.
      apply (all_words_ok _ _ _ (row_symbol t) pl _ Wr) in Hel.
      change (seq 0 (S (S d))) with (O :: seq 1 (S d)) in Hel. cbn [map] in Hel.
      apply is_element_ok in Hel. unfold here.
      change (near coarse_at (S d) (-1) lab 0) with (near coarse_at (S d) (-1) lab (- Z.of_nat 0)).
      rewrite HnL. change 0%Z with (Z.of_nat 0) at 2 3. rewrite HlabR, HnR. rewrite !map_map in Hel. exact Hel.
    - intros side X HX. rewrite Hk. destruct side; unfold sg in *.
      + replace X with (Z.of_nat (Z.to_nat X)) by lia. rewrite HlabR, HnR.
        pose proof (Hright _ (in_below _ _ (Hpl (Z.to_nat X)))) as Hg. unfold grams_ok in Hg.
        apply (all_words_from _ _ _ _ _ _ _ Wr) in Hg.
        change (seq 0 (S (S d))) with (O :: seq 1 (S d)) in Hg. cbn [map] in Hg.
        rewrite Nat.add_0_r in Hg. apply is_gram_ok in Hg. rewrite map_map in Hg. exact Hg.
      + set (x := Z.to_nat (-1 - X)). replace X with (- Z.of_nat x + -1)%Z by (unfold x; lia). rewrite HlabL.
        replace (- Z.of_nat x + -1)%Z with (- Z.of_nat (S x))%Z by lia. rewrite HnL.
        pose proof (Hleft _ (in_below _ _ (Hlefts x))) as Hg. unfold grams_ok in Hg.
        apply (all_words_from _ _ _ _ _ _ _ Wl) in Hg.
        change (seq 0 (S (S d))) with (O :: seq 1 (S d)) in Hg. cbn [map] in Hg.
        rewrite Nat.add_0_r in Hg. apply is_gram_ok in Hg. rewrite map_map in Hg.
        rewrite <- (seq_shift (S d) 0), map_map in Hg.
        erewrite map_ext; [exact Hg|]. intros i. unfold gl. rewrite Nat.add_succ_r. reflexivity.
  Qed.
End First.

(** The same where nothing is told of the columns to the left. *)
Definition first_label (low : Z) (height : nat) (t : list symbol) (pl : nat -> place) (X : Z) : label :=
  if (X <? 0)%Z then (on_row_0 low height 0%N, 0%N, 0%N)
  else (on_row_0 low height (row_symbol t (Z.to_nat X)), N.succ (pl (Z.to_nat X)), 0%N).
