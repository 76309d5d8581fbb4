(** Where the columns of an input lie: in which part, and how far from its first and from its last column. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Joint Maps Columns.
Import ListNotations.

(** Parts are counted from 1; 0 is before the input, one more than there are is after it. *)
Record told := Told { in_part : N; from_first : option Z; from_end : option Z }.

Fixpoint column_parts (j : N) (parts : list (list symbol)) : list N :=
  match parts with [] => [] | t :: parts => repeat j (length t) ++ column_parts (N.succ j) parts end.
Definition offset (parts : list (list symbol)) (k : nat) : nat := length (concat (firstn k parts)).

Section Told.
  Variable n : N.
  Variable nexts : place -> symbol -> list place.
  Variable at_place : place -> told.
  Variable pieces : list clause.
  Definition after_all : N := N.succ (N.of_nat (length pieces)).

  (** * Every input is a path of places in the right parts *)
  Definition stage : Type := list place * list clause.  (* where one may be; what is left of a piece, and the others *)
  Fixpoint clauses_eqb (a b : list clause) : bool :=
    match a, b with [], [] => true | c :: a, d :: b => clause_eqb c d && clauses_eqb a b | _, _ => false end.
  Lemma clauses_eqb_eq a : forall b, clauses_eqb a b = true -> a = b.
  Proof.
    induction a as [|c a IH]; intros [|d b] H; simpl in H; try discriminate; [reflexivity|].
    apply andb_true_iff in H as [H1 H2]. apply clause_eqb_eq in H1. apply IH in H2. congruence.
  Qed.
  Definition stage_eqb (a b : stage) : bool := nlist_eqb (fst a) (fst b) && clauses_eqb (snd a) (snd b).
  Definition has_stage (l : list stage) (a : stage) : bool := existsb (stage_eqb a) l.
  Lemma has_stage_in l a : has_stage l a = true -> In a l.
  Proof.
    intros H. apply existsb_exists in H as ([C d] & Hin & E). destruct a as [C' d'].
    unfold stage_eqb in E. cbn [fst snd] in E. apply andb_true_iff in E as [E1 E2].
    apply nlist_eqb_eq in E1. apply clauses_eqb_eq in E2. congruence.
  Qed.

  Definition part_now (rest : list clause) : N := (N.of_nat (length pieces) - N.of_nat (length rest))%N.
  Definition those_in (j : N) (C : list place) : list place := filter (fun c => (in_part (at_place c) =? j)%N) C.
  Definition later_stages (a : stage) : list stage :=
    match snd a with
    | [] => []
    | d :: rest =>
        (if nullable d then match rest with [] => [] | _ => [(fst a, rest)] end else []) ++
        flat_map (fun s => map (fun d' => (post nexts (those_in (part_now rest) (fst a)) s, d' :: rest)) (derive s d)) (below n)
    end.
  Fixpoint stages (fuel : nat) (todo seen : list stage) : list stage :=
    match fuel, todo with
    | O, _ | _, [] => seen
    | S f, a :: todo => if has_stage seen a then stages f todo seen else stages f (later_stages a ++ todo) (a :: seen)
    end.
  Definition may_end (a : stage) : bool := match snd a with [d] => nullable d | _ => false end.
  Definition covers_parts (fuel : nat) (places starts : list place) : bool :=
    let E := endless nexts (S (length places)) (those_in after_all places) in
    let first := (fold_right add_place [] starts, pieces) in
    let seen := stages fuel [first] [] in
    endless_ok nexts E && forallb (fun c => (in_part (at_place c) =? after_all)%N) E && has_stage seen first &&
    forallb (fun s => (s <? n)%N) (flat_map symbols_of_clause pieces) &&
    forallb (fun a => forallb (has_stage seen) (later_stages a) && implb (may_end a) (existsb (in_set E) (fst a))) seen.

  Lemma in_all_places c starts : In c (fold_right add_place [] starts) -> In c starts.
  Proof.
    induction starts as [|x l IH]; simpl; [auto|]. intros H. apply in_add_place in H as [->|H]; auto.
  Qed.

  Theorem covers_parts_sound fuel places starts : covers_parts fuel places starts = true ->
    forall parts, Forall2 matches pieces parts -> pieces <> [] ->
    exists pl, In (pl O) starts /\ path nexts pl (concat parts) /\
      forall i, in_part (at_place (pl i)) = nth i (column_parts 1 parts) after_all.
  Proof.
    intros H parts Hparts Hne. unfold covers_parts in H.
    set (E := endless nexts _ _) in H. set (seen := stages _ _ _) in H. clearbody E seen.
    apply andb_true_iff in H as [H Hall]. apply andb_true_iff in H as [H Hsym]. apply andb_true_iff in H as [H Hfirst].
    apply andb_true_iff in H as [HE Hafter]. rewrite forallb_forall in Hall, Hsym, Hafter.
    assert (G : forall rest us, Forall2 matches rest us -> (length rest < length pieces)%nat ->
              (forall s, In s (flat_map symbols_of_clause rest) -> (s < n)%N) ->
              forall u d C, (forall s, In s u -> (s < n)%N) -> In (C, d :: rest) seen -> matches d u ->
              exists pl, In (pl O) C /\ path nexts pl (u ++ concat us) /\
                forall i, in_part (at_place (pl i)) = nth i (column_parts (part_now rest) (u :: us)) after_all).
    { induction 1 as [|r u2 rest us Hr Hrest IHrest]; intros Hlen Hs.
      - induction u as [|s u IHu]; intros d C Hu Hin Hm.
        + specialize (Hall _ Hin). apply andb_true_iff in Hall as [_ He]. unfold may_end in He. cbn [snd fst] in He.
          rewrite (nullable_ok _ _ Hm eq_refl) in He. cbn [implb] in He. apply existsb_exists in He as (e & He & Hes).
          apply existsb_exists in Hes as (z & Hz & Ez). apply N.eqb_eq in Ez. subst z.
          destruct (endless_path nexts E HE e Hz) as (pl & <- & Hp & HinE). exists pl.
          split; [exact He|]. split; [exact Hp|]. intros i. cbn [column_parts length repeat app].
          rewrite (proj1 (N.eqb_eq _ _) (Hafter _ (HinE i))). destruct i; reflexivity.
        + destruct (derive_ok _ _ Hm s u eq_refl) as (d' & Hd & Hm').
          pose proof (Hall _ Hin) as Ha. apply andb_true_iff in Ha as [Hon _]. rewrite forallb_forall in Hon.
          assert (Hn : In (post nexts (those_in (part_now []) C) s, d' :: []) seen).
          { apply has_stage_in, Hon. unfold later_stages. cbn [snd fst]. apply in_or_app. right. apply in_flat_map.
            exists s. split; [apply in_below, Hu; left; reflexivity|].
            apply (in_map (fun d' => (post nexts (those_in (part_now []) C) s, d' :: []))). exact Hd. }
          destruct (IHu _ _ (fun z Hz => Hu z (or_intror Hz)) Hn Hm') as (pl & H0 & Hp & Hj).
          apply (in_post n) in H0 as (b & Hb & Hb'). apply filter_In in Hb as [Hb Hbj]. apply N.eqb_eq in Hbj.
          exists (fun i => match i with O => b | S i => pl i end). split; [exact Hb|]. split.
          * intros [|i]; cbn; [exact Hb' | apply Hp].
          * intros [|i]; cbn [column_parts length repeat app nth]; [exact Hbj | apply Hj].
      - assert (Hr2 : forall s, In s u2 -> (s < n)%N).
        { intros s Hin. apply Hs. cbn [flat_map]. apply in_or_app. left. eapply symbols_of_clause_ok; eauto. }
        induction u as [|s u IHu]; intros d C Hu Hin Hm.
        + pose proof (Hall _ Hin) as Ha. apply andb_true_iff in Ha as [Hon _]. rewrite forallb_forall in Hon.
          assert (Hn : In (C, r :: rest) seen).
          { apply has_stage_in, Hon. unfold later_stages. cbn [snd fst]. rewrite (nullable_ok _ _ Hm eq_refl).
            left. reflexivity. }
          cbn [length] in Hlen.
          destruct (IHrest ltac:(lia) (fun s Hin => Hs s (in_or_app _ _ _ (or_intror Hin))) u2 r C Hr2 Hn Hr) as (pl & H0 & Hp & Hj).
          exists pl. split; [exact H0|]. split; [exact Hp|]. intros i. rewrite Hj. cbn [column_parts length repeat app].
          replace (N.succ (part_now (r :: rest))) with (part_now rest); [reflexivity|]. unfold part_now. cbn [length]. lia.
        + destruct (derive_ok _ _ Hm s u eq_refl) as (d' & Hd & Hm').
          pose proof (Hall _ Hin) as Ha. apply andb_true_iff in Ha as [Hon _]. rewrite forallb_forall in Hon.
          assert (Hn : In (post nexts (those_in (part_now (r :: rest)) C) s, d' :: r :: rest) seen).
          { apply has_stage_in, Hon. unfold later_stages. cbn [snd fst]. apply in_or_app. right. apply in_flat_map.
            exists s. split; [apply in_below, Hu; left; reflexivity|].
            apply (in_map (fun d' => (post nexts (those_in (part_now (r :: rest)) C) s, d' :: r :: rest))). exact Hd. }
          destruct (IHu _ _ (fun z Hz => Hu z (or_intror Hz)) Hn Hm') as (pl & H0 & Hp & Hj).
          apply (in_post n) in H0 as (b & Hb & Hb'). apply filter_In in Hb as [Hb Hbj]. apply N.eqb_eq in Hbj.
          exists (fun i => match i with O => b | S i => pl i end). split; [exact Hb|]. split.
          * intros [|i]; cbn; [exact Hb' | apply Hp].
          * intros [|i]; cbn [column_parts length repeat app nth]; [exact Hbj | apply Hj]. }
    inversion Hparts as [E1 E2 | d u rest us Hd Hrest E1 E2]; [symmetry in E1; contradiction|]. subst parts.
    apply has_stage_in in Hfirst. rewrite <- E1 in Hfirst, Hsym.
    destruct (G rest us Hrest) with (u := u) (d := d) (C := fold_right add_place [] starts) as (pl & H0 & Hp & Hj); auto.
    - rewrite <- E1. simpl. lia.
    - intros s Hin. apply N.ltb_lt, Hsym. cbn [flat_map]. apply in_or_app. right. exact Hin.
    - intros s Hin. apply N.ltb_lt, Hsym. cbn [flat_map]. apply in_or_app. left. eapply symbols_of_clause_ok; eauto.
    - exists pl. split; [apply in_all_places; exact H0|]. split; [exact Hp|]. intros i. rewrite Hj.
      replace (part_now rest) with 1%N; [reflexivity|]. unfold part_now. rewrite <- E1. cbn [length]. lia.
  Qed.

  (** * Distances *)
  Definition option_is {A} (eqb : A -> A -> bool) (a : option A) (b : A) : bool :=
    match a with Some a => eqb a b | None => false end.
  Definition first_step (a b : option Z) : bool :=
    match b with None => true | Some j => option_is Z.eqb a (j - 1)%Z end.
  Definition end_step (blank : bool) (a b : option Z) : bool :=
    match a with
    | None => true
    | Some i => if blank then (0 <=? i)%Z else (i <? 0)%Z && option_is Z.eqb b (i + 1)%Z
    end &&
    match b with
    | None => true
    | Some j => if blank then (0 <? j)%Z && option_is Z.eqb a (j - 1)%Z else (j <=? 0)%Z
    end.
  Definition distances_ok (places starts : list place) : bool :=
    forallb (fun c => in_set places c &&
      match from_first (at_place c) with None => true | Some j => (j =? 0)%Z end &&
      match from_end (at_place c) with None => true | Some j => (j <=? 0)%Z end) starts &&
    forallb (fun c => forallb (fun s => forallb (fun d => in_set places d &&
      first_step (from_first (at_place c)) (from_first (at_place d)) &&
      end_step (s =? 0)%N (from_end (at_place c)) (from_end (at_place d))) (nexts c s)) (below n)) places.

  Lemma option_is_eq {A} eqb (a : option A) b : (forall x y : A, eqb x y = true -> x = y) -> option_is eqb a b = true -> a = Some b.
  Proof. destruct a; simpl; [intros H E; f_equal; auto | discriminate]. Qed.
  Lemma in_set_in E c : in_set E c = true -> In c E.
  Proof. intros H. apply existsb_exists in H as (z & Hz & Ez). apply N.eqb_eq in Ez. subst. exact Hz. Qed.

  Section Path.
    Variables (places starts : list place) (pl : nat -> place) (t : list symbol).
    Hypothesis ok : distances_ok places starts = true.
    Hypothesis start_ok : In (pl O) starts.
    Hypothesis path_ok : path nexts pl t.
    Hypothesis symbols_ok : forall i, (row_symbol t i < n)%N.
    Hypothesis no_blank : forall s, In s t -> s <> 0%N.

    Lemma path_step i : In (pl i) places /\
      first_step (from_first (at_place (pl i))) (from_first (at_place (pl (S i)))) = true /\
      end_step (row_symbol t i =? 0)%N (from_end (at_place (pl i))) (from_end (at_place (pl (S i)))) = true.
    Proof.
      unfold distances_ok in ok. apply andb_true_iff in ok as [H1 H2]. rewrite forallb_forall in H1, H2.
      assert (Hin : In (pl i) places).
      { induction i as [|i IH].
        - specialize (H1 _ start_ok). do 2 (apply andb_true_iff in H1 as [H1 _]). apply in_set_in. exact H1.
        - specialize (H2 _ IH). rewrite forallb_forall in H2. specialize (H2 _ (in_below _ _ (symbols_ok i))).
          rewrite forallb_forall in H2. specialize (H2 _ (path_ok i)).
          do 2 (apply andb_true_iff in H2 as [H2 _]). apply in_set_in. exact H2. }
      split; [exact Hin|]. specialize (H2 _ Hin). rewrite forallb_forall in H2. specialize (H2 _ (in_below _ _ (symbols_ok i))).
      rewrite forallb_forall in H2. specialize (H2 _ (path_ok i)).
      apply andb_true_iff in H2 as [H2 H3]. apply andb_true_iff in H2 as [_ H2]. auto.
    Qed.

    Lemma from_first_ok i j : from_first (at_place (pl i)) = Some j -> Z.of_nat i = j.
    Proof.
      revert j. induction i as [|i IH]; intros j Hj.
      - unfold distances_ok in ok. apply andb_true_iff in ok as [H1 _]. rewrite forallb_forall in H1.
        specialize (H1 _ start_ok). apply andb_true_iff in H1 as [H1 _]. apply andb_true_iff in H1 as [_ H1].
        rewrite Hj in H1. apply Z.eqb_eq in H1. subst j. reflexivity.
      - destruct (path_step i) as (_ & H & _). rewrite Hj in H. unfold first_step in H.
        apply option_is_eq in H; [|apply Z.eqb_eq]. apply IH in H. lia.
    Qed.

    Lemma read_within i : (i < length t)%nat -> (row_symbol t i =? 0)%N = false.
    Proof. intros H. apply N.eqb_neq. apply no_blank. apply nth_In. exact H. Qed.
    Lemma read_beyond i : (length t <= i)%nat -> (row_symbol t i =? 0)%N = true.
    Proof. intros H. apply N.eqb_eq. apply nth_overflow. exact H. Qed.

    Lemma from_end_after i : (length t <= i)%nat -> forall j, from_end (at_place (pl i)) = Some j ->
      (Z.of_nat i = Z.of_nat (length t) + j)%Z.
    Proof.
      intros Hi. induction i as [|i IH]; intros j Hj.
      - destruct (path_step O) as (_ & _ & H). rewrite Hj, read_beyond in H by exact Hi. apply andb_true_iff in H as [H _].
        apply Z.leb_le in H. unfold distances_ok in ok. apply andb_true_iff in ok as [H1 _]. rewrite forallb_forall in H1.
        specialize (H1 _ start_ok). apply andb_true_iff in H1 as [_ H1]. rewrite Hj in H1. apply Z.leb_le in H1. lia.
      - destruct (path_step i) as (_ & _ & H). destruct (path_step (S i)) as (_ & _ & H').
        rewrite Hj in H, H'. rewrite read_beyond in H' by exact Hi. apply andb_true_iff in H' as [H' _]. apply Z.leb_le in H'.
        apply andb_true_iff in H as [_ H]. destruct (Nat.le_gt_cases (length t) i) as [Hle|Hgt].
        + rewrite read_beyond in H by exact Hle. apply andb_true_iff in H as [_ H].
          apply option_is_eq in H; [|apply Z.eqb_eq]. apply IH in H; lia.
        + rewrite read_within in H by exact Hgt. apply Z.leb_le in H. lia.
    Qed.
    Lemma from_end_ok i j : from_end (at_place (pl i)) = Some j -> (Z.of_nat i = Z.of_nat (length t) + j)%Z.
    Proof.
      destruct (Nat.le_gt_cases (length t) i) as [Hle|Hgt]; [apply from_end_after; exact Hle|].
      remember (length t - i)%nat as m eqn:Em. revert i j Hgt Em. induction m as [|m IH]; intros i j Hgt Em Hj; [lia|].
      destruct (path_step i) as (_ & _ & H). rewrite Hj, read_within in H by exact Hgt. apply andb_true_iff in H as [H _].
      apply andb_true_iff in H as [H0 H]. apply Z.ltb_lt in H0. apply option_is_eq in H; [|apply Z.eqb_eq].
      destruct (Nat.eq_dec (S i) (length t)) as [E|E].
      - apply from_end_after in H; [lia|lia].
      - apply IH in H; lia.
    Qed.
  End Path.
End Told.

(** * Parts and offsets *)
Definition part_here (parts : list (list symbol)) (X : Z) : N :=
  if (X <? 0)%Z then 0%N else nth (Z.to_nat X) (column_parts 1 parts) (N.succ (N.of_nat (length parts))).

Lemma offset_le parts k l : (k <= l)%nat -> (offset parts k <= offset parts l)%nat.
Proof.
  unfold offset. revert k l. induction parts as [|t parts IH]; intros [|k] [|l] H; simpl; try lia.
  rewrite !app_length. specialize (IH k l ltac:(lia)). lia.
Qed.
Lemma offset_all parts : offset parts (length parts) = length (concat parts).
Proof. unfold offset. rewrite firstn_all. reflexivity. Qed.

Lemma column_parts_spec parts : forall j i, (i < length (concat parts))%nat -> forall d,
  exists k, nth i (column_parts j parts) d = (j + N.of_nat k)%N /\ (k < length parts)%nat /\
    (offset parts k <= i < offset parts (S k))%nat.
Proof.
  induction parts as [|t parts IH]; intros j i Hi d; simpl in Hi; [lia|]. rewrite app_length in Hi. cbn [column_parts].
  destruct (Nat.lt_ge_cases i (length t)) as [Hlt|Hge].
  - exists O. rewrite app_nth1 by (rewrite repeat_length; exact Hlt).
    split; [|unfold offset; simpl; rewrite app_nil_r; lia].
    rewrite nth_indep with (d' := j) by (rewrite repeat_length; exact Hlt). rewrite nth_repeat. lia.
  - rewrite app_nth2 by (rewrite repeat_length; exact Hge). rewrite repeat_length.
    destruct (IH (N.succ j) (i - length t)%nat ltac:(lia) d) as (k & Hk & Hlen & Ho). exists (S k).
    split; [rewrite Hk; lia|]. split; [simpl; lia|]. unfold offset in *. cbn [firstn concat] in *. rewrite !app_length. lia.
Qed.
Lemma column_parts_length parts : forall j, length (column_parts j parts) = length (concat parts).
Proof. induction parts as [|t parts IH]; intros j; simpl; [reflexivity|]. rewrite !app_length, repeat_length, IH. reflexivity. Qed.

(** The first column of part k (from 0) is not after column X, if that is in part k or later; and so on. *)
Lemma part_here_from parts X k : (k <= length parts)%nat -> (N.of_nat k < part_here parts X)%N -> (Z.of_nat (offset parts k) <= X)%Z.
Proof.
  intros Hk H. unfold part_here in H. destruct (Z.ltb_spec X 0); [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & Hj & Hlen & Ho). rewrite Hj in H.
    pose proof (offset_le parts k j ltac:(lia)). lia.
  - pose proof (offset_le parts k (length parts) Hk). rewrite offset_all in *. lia.
Qed.
Lemma part_here_before parts X k : (k <= length parts)%nat -> (part_here parts X <= N.of_nat k)%N -> (X < Z.of_nat (offset parts k))%Z.
Proof.
  intros Hk H. unfold part_here in H. destruct (Z.ltb_spec X 0); [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & Hj & Hlen & Ho). rewrite Hj in H.
    pose proof (offset_le parts (S j) k ltac:(lia)). lia.
  - rewrite nth_overflow in H by (rewrite column_parts_length; exact Hge). lia.
Qed.
Lemma part_here_most parts X : (part_here parts X <= N.succ (N.of_nat (length parts)))%N.
Proof.
  unfold part_here. destruct (Z.ltb_spec X 0); [lia|]. destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge].
  - destruct (column_parts_spec parts 1 _ Hlt (N.succ (N.of_nat (length parts)))) as (j & -> & Hlen & _). lia.
  - rewrite nth_overflow by (rewrite column_parts_length; exact Hge). lia.
Qed.
Lemma part_here_grows parts X Y : (X <= Y)%Z -> (part_here parts X <= part_here parts Y)%N.
Proof.
  intros H. destruct (N.le_gt_cases (part_here parts X) (part_here parts Y)) as [|Hgt]; [assumption|]. exfalso. pose proof (part_here_most parts X).
  pose proof (part_here_before parts Y (N.to_nat (part_here parts Y)) ltac:(lia) ltac:(lia)).
  pose proof (part_here_from parts X (N.to_nat (part_here parts Y)) ltac:(lia) ltac:(lia)). lia.
Qed.
