(** (V12): polynomials that are 0 at every step of every run on a declared input. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Polynomials Sums Unknowns Facts.
Import ListNotations.

Lemma array_map {A B} (f : A -> B) l i : PM.find (Maps.key i) (array (map f l)) = option_map f
  (PM.find (Maps.key i) (array l)).
Proof.
  unfold array. assert (G : forall m m' k, (forall i, PM.find (Maps.key i) m' = option_map f (PM.find (Maps.key i) m))
    ->
    PM.find (Maps.key i)
      (fst (fold_left (fun m a => (PM.add (Maps.key (snd m)) a (fst m), N.succ (snd m))) (map f l) (m', k))) =
    option_map f (PM.find (Maps.key i)
      (fst (fold_left (fun m a => (PM.add (Maps.key (snd m)) a (fst m), N.succ (snd m))) l (m, k))))).
  { induction l as [|a l IH]; intros m m' k H; cbn [map fold_left]; [apply H|]. apply IH. intros j. cbn [fst snd].
    destruct (N.eq_dec j k) as [->|Ne]; [rewrite !PM.gss; reflexivity|].
    rewrite !PM.gso by (intros E; apply Maps.key_inj in E; congruence). apply H. }
  apply G. intros j. rewrite !PM.gempty. reflexivity.
Qed.
Lemma array_from {A} (l : list A) i a : PM.find (Maps.key i) (array l) = Some a -> In a l.
Proof.
  unfold array. assert (G : forall m k,
    PM.find (Maps.key i) (fst (fold_left (fun m a => (PM.add (Maps.key (snd m)) a (fst m), N.succ (snd m))) l (m, k))) =
    Some a ->
    In a l \/ PM.find (Maps.key i) m = Some a).
  { induction l as [|b l IH]; intros m k H; cbn [fold_left] in H; [right; exact H|].
    apply IH in H as [H|H]; [left; right; exact H|].
    cbn [fst snd] in H. destruct (N.eq_dec i k) as [->|Ne].
    - rewrite PM.gss in H. injection H as ->. left. left. reflexivity.
    - rewrite PM.gso in H by (intros E; apply Maps.key_inj in E; congruence). right. exact H. }
  intros H. apply G in H as [H|H]; [exact H|]. rewrite PM.gempty in H. discriminate.
Qed.
(** A function of the members of a list, computed once for each. *)
Definition once_each {A B} (default : A) (f : A -> B) (l : list A) : N -> B :=
  let table := array (map f l) in fun i => match PM.find (Maps.key i) table with Some b => b | None => f default end.
Lemma once_each_is {A B} (default : A) (f : A -> B) l i : once_each default f l i = f (get default (array l) i).
Proof. unfold once_each, get. rewrite array_map. destruct (PM.find _ (array l)); reflexivity. Qed.

Definition subset (a b : N) : bool := (N.land a b =? a)%N.
Lemma subset_bit a b v : subset a b = true -> N.testbit a v = true -> N.testbit b v = true.
Proof. unfold subset. intros H T. apply N.eqb_eq in H. rewrite <- H, N.land_spec in T.
apply andb_true_iff in T as [_ T]. exact T. Qed.

(** * Keys of steps: what is asked of them, and all that it rests on *)
Record step_key := Step_key { k_from : N; k_to : N; k_shape : shape; k_before : situation; k_after : situation }.
Definition situation_eqb (a b : situation) : bool :=
  (s_zeros a =? s_zeros b)%N && list_eqb (option_eqb known_eqb) (s_cells a) (s_cells b) &&
  list_eqb (fun x y => (fst x =? fst y)%N && (snd x =? snd y)%Z) (s_at a) (s_at b) &&
  list_eqb (list_eqb (fun x y => (fst x =? fst y)%Z && list_eqb is_name (snd x) (snd y))) (s_forms a) (s_forms b).
Definition shape_eqb (a b : shape) : bool :=
  Nat.eqb (h_row a) (h_row b) && (h_write a =? h_write b)%N && (h_side a =? h_side b)%Z &&
  (h_sums a =? h_sums b)%N && (h_left a =? h_left b)%N && (h_entered a =? h_entered b)%N.
Definition key_eqb (a b : step_key) : bool :=
  (k_from a =? k_from b)%N && (k_to a =? k_to b)%N && shape_eqb (k_shape a) (k_shape b) &&
  situation_eqb (k_before a) (k_before b) && situation_eqb (k_after a) (k_after b).
Lemma situation_eqb_eq a b : situation_eqb a b = true -> a = b.
Proof.
  destruct a as [c1 z1 a1 f1], b as [c2 z2 a2 f2]. unfold situation_eqb. cbn [s_zeros s_cells s_at s_forms].
  rewrite !andb_true_iff, N.eqb_eq.
  intros [[[H1 H2] H3] H4].
  apply list_eqb_eq in H4; [|apply list_eqb_eq; intros [x1 x2] [y1 y2] E; cbn [fst snd] in E;
    apply andb_true_iff in E as [E1 E2];
    apply Z.eqb_eq in E1; apply list_eqb_eq in E2;
      [congruence | intros x y Exy; unfold is_name in Exy; destruct (name_eq_dec x y); [assumption | discriminate]]].
  apply list_eqb_eq in H2; [|apply option_eqb_eq, known_eqb_eq].
  apply list_eqb_eq in H3; [congruence|]. intros [x1 x2] [y1 y2] E. cbn in E. apply andb_true_iff in E as [E1 E2].
  apply N.eqb_eq in E1. apply Z.eqb_eq in E2. congruence.
Qed.
Lemma key_eqb_eq a b : key_eqb a b = true -> a = b.
Proof.
  destruct a as [f t [r w s m l d] sb sa], b as [f' t' [r' w' s' m' l' d'] sb' sa']. unfold key_eqb, shape_eqb. cbn.
  rewrite !andb_true_iff, !N.eqb_eq, Nat.eqb_eq, Z.eqb_eq. intros H. decompose [and] H. clear H.
  repeat match goal with E : situation_eqb _ _ = true |- _ => apply situation_eqb_eq in E end. congruence.
Qed.
Definition situation_hash (h : N) (s : situation) : N :=
  fold_left (fun h t => fold_left (fun h cl => fold_left (fun h a => mix h (Npos (name_hash a))) (snd cl)
    (mix h (zn (fst cl)))) t h) (s_forms s) (
  fold_left (fun h kd => mix (mix h (fst kd)) (zn (snd kd))) (s_at s)
    (fold_left (fun h v => mix h (match v with None => 0 | Some (Is s) => 1 + 2 * s | Some (Of_class c) => 2 + 2 * c
      end)%N) (s_cells s)
      (mix (mix h (s_zeros s)) (N.shiftr (s_zeros s) 20)))).
Definition key_hash (k : step_key) : positive :=
  let h := k_shape k in
  Maps.key (situation_hash
    (situation_hash (mixes 7 [k_from k; k_to k; N.of_nat (h_row h); h_write h; zn (h_side h); h_left h;
    N.shiftr (h_left h) 20; h_entered h; N.shiftr (h_entered h) 20])
    (k_before k)) (k_after k)).

Definition told_eqb (a b : told) : bool :=
  (in_part a =? in_part b)%N && option_eqb Z.eqb (from_first a) (from_first b) &&
    option_eqb Z.eqb (from_end a) (from_end b).
Lemma told_eqb_eq a b : told_eqb a b = true -> a = b.
Proof.
  destruct a, b. unfold told_eqb. cbn. rewrite !andb_true_iff, N.eqb_eq. intros [[-> F] E].
  apply option_eqb_eq in F, E; try apply Z.eqb_eq. congruence.
Qed.

Section Values.
  Variables (e : strip) (near_first : N) (rights : list told).
  Variable pieces : list clause.

  (** * Where columns lie *)
  Definition told_left (k : N) : told := Told 0 (if (k <? near_first)%N then Some (-1 - Z.of_N k)%Z else None) None.
  Definition told_in : N -> told :=
    let right_told := get (Told 0 None None) (array rights) in
    let count := count_of e in
    fun place => if (place =? 0)%N then told_left 0
                 else if (place <=? count)%N then right_told (N.pred place) else told_left (place - count).
  Definition left_steps : list (list place) := map (fun k => [N.min (N.succ k) near_first]) (below (N.succ near_first)).

  Definition after_input : N := N.of_nat (length pieces).
  Definition numbers_between (a b : N) : list N :=
    filter (fun k => (a <=? k)%N && (k <? b)%N) (below (N.succ after_input)).
  (** The number of columns after the first one of a part: by the parts of the neighbours that are given, and by its
      place. *)
  Definition lies_at (left_part : option N) (t : told) (right_part : option N) : list (N * Z) :=
    match left_part with Some j => map (fun k => (k, 0%Z)) (numbers_between j (in_part t)) | None => [] end ++
    match right_part with Some j => map (fun k => (k, (-1)%Z)) (numbers_between (in_part t) j) | None => [] end ++
    match from_first t with Some z => [(0%N, z)] | None => [] end ++
    match from_end t with Some z => [(after_input, z)] | None => [] end.

  Definition place_of (l : label) : N := let '(_, place, _) := l in place.

  Section True.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Definition true_place (X : Z) (t : told) : Prop :=
      in_part t = part_here parts X /\ (forall z, from_first t = Some z -> X = z) /\
      (forall z, from_end t = Some z -> X = (Z.of_nat (length (concat parts)) + z)%Z).
    Lemma numbers_between_in a b k : In k (numbers_between a b) -> (a <= k < b)%N /\ (N.to_nat k <= length parts)%nat.
    Proof.
      intros H. apply filter_In in H as [H1 H2]. apply andb_true_iff in H2 as [H2 H3].
      apply N.leb_le in H2. apply N.ltb_lt in H3. rewrite below_is in H1. apply in_map_iff in H1 as (j & <- & Hj).
      apply in_seq in Hj.
      unfold after_input in Hj. pose proof (same_length _ _ _ _ _ parts_ok). lia.
    Qed.
    Lemma lies_at_ok X t jl jr : true_place X t -> (forall j, jl = Some j -> j = part_here parts (X - 1)) ->
      (forall j, jr = Some j -> j = part_here parts (X + 1)) ->
      forall k d, In (k, d) (lies_at jl t jr) -> X = (Z.of_nat (offset parts (N.to_nat k)) + d)%Z.
    Proof.
      intros (Hp & Hf & He) Hl Hr k d H. unfold lies_at in H.
      apply in_app_or in H as [H|H]; [|apply in_app_or in H as [H|H]; [|apply in_app_or in H as [H|H]]].
      - destruct jl as [j|]; [|contradiction]. apply in_map_iff in H as (k' & E & H). injection E as <- <-.
        apply numbers_between_in in H as [H Hk]. specialize (Hl j eq_refl). subst j. rewrite Hp in H.
        pose proof (part_here_from parts X (N.to_nat k') Hk ltac:(lia)).
        pose proof (part_here_before parts (X - 1) (N.to_nat k') Hk ltac:(lia)). lia.
      - destruct jr as [j|]; [|contradiction]. apply in_map_iff in H as (k' & E & H). injection E as <- <-.
        apply numbers_between_in in H as [H Hk]. specialize (Hr j eq_refl). subst j. rewrite Hp in H.
        pose proof (part_here_from parts (X + 1) (N.to_nat k') Hk ltac:(lia)).
        pose proof (part_here_before parts X (N.to_nat k') Hk ltac:(lia)). lia.
      - destruct (from_first t) as [z|]; [|contradiction]. destruct H as [H|[]]. injection H as <- <-.
        rewrite (Hf z eq_refl). unfold offset. simpl. lia.
      - destruct (from_end t) as [z|]; [|contradiction]. destruct H as [H|[]]. injection H as <- <-.
        rewrite (He z eq_refl). unfold after_input. rewrite Nat2N.id, (same_length _ _ _ _ _ parts_ok), offset_all. lia.
    Qed.
  End True.
End Values.

(** * A strip that was read: its lists as functions, and what is claimed of its inputs *)
Class scene := Scene {
  size : N; tape : strip; pieces : list clause; rule : state -> symbol -> option entry;
  label_at : N -> label; coarse_at : N -> N; class_of : symbol -> N; kind_of : state -> N; told_at : N -> told;
  coarse_told : N -> told }.                          (* where a column lies, by its coarse number *)
Module Scene.
  Notation n := size.
  Notation e := tape.
  Notation low := (s_low tape).
  Notation height := (s_height tape).
  (** The elements and grams of the strip stand for a world. *)
  Notation in_strip :=
    (labelled n (s_low e) (s_height e) (s_d e) class_of kind_of label_at coarse_at (s_elements e) (s_grams e)).
End Scene.
