(** (V12), the end of clauses that leave a text: one stretch of symbols stands in one row, in order; or nothing stands
    at all. *)
From Coq Require Import ZArith NArith List Bool Lia Permutation.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Unknowns Facts Values Findings
  Expressions Stretches.
Import ListNotations.

(** * Texts in order *)
Lemma insert_swap a b t : insert a (insert b t) = insert b (insert a t).
Proof.
  induction t as [|c t IH]; cbn [insert].
  - destruct (N.leb_spec a b), (N.leb_spec b a); try reflexivity; [f_equal; [lia | f_equal; lia] | lia].
  - destruct (N.leb_spec b c), (N.leb_spec a c); cbn [insert];
      repeat match goal with |- context [(?x <=? ?y)%N] => destruct (N.leb_spec x y) end; try lia; try reflexivity;
        try congruence.
    assert (a = b) by lia. congruence.
Qed.
Lemma sorted_same a b : Permutation a b -> sorted a = sorted b.
Proof.
  induction 1 as [|x a b _ IH|x y a|a b c _ IH1 _ IH2]; [reflexivity | cbn; f_equal; exact IH | apply insert_swap
    | congruence].
Qed.
Definition in_order (s t : symbol) : bool := (s =? 0)%N || (t =? 0)%N || (s <=? t)%N.

(** * A text in a row *)
Definition text_in (w : world) (y a : Z) (len : nat) : list symbol := map (fun j => w (a + Z.of_nat j)%Z y) (seq 0 len).
Definition holds_text (symbols : list symbol) (w : world) (y a : Z) (len : nat) : Prop :=
  (forall X Y, (X < a \/ a + Z.of_nat len <= X \/ Y <> y)%Z -> w X Y = 0%N) /\
  (forall X, (a <= X < a + Z.of_nat len)%Z -> w X y <> 0%N /\ In (w X y) symbols).
Definition goes_up (w : world) (y : Z) : Prop := forall X, in_order (w X y) (w (X + 1)%Z y) = true.

Lemma text_in_nth w y a len j : (j < len)%nat -> nth j (text_in w y a len) 0%N = w (a + Z.of_nat j)%Z y.
Proof.
  intros H. unfold text_in.
  rewrite (nth_indep _ _ ((fun j => w (a + Z.of_nat j)%Z y) 0%nat)) by (rewrite map_length, seq_length; exact H).
  rewrite (map_nth (fun j => w (a + Z.of_nat j)%Z y)), seq_nth by exact H. reflexivity.
Qed.
Lemma text_in_length w y a len : length (text_in w y a len) = len.
Proof. unfold text_in. rewrite map_length, seq_length. reflexivity. Qed.
Lemma text_in_symbols symbols w y a len s : holds_text symbols w y a len -> In s (text_in w y a len) -> s <> 0%N /\
  In s symbols.
Proof. intros (_ & H) Hs. apply in_map_iff in Hs as (j & <- & Hj). apply in_seq in Hj. apply H. lia. Qed.
Lemma text_stands symbols w y a len : holds_text symbols w y a len -> stands w (text_in w y a len).
Proof.
  intros (H & _). exists y, a. intros X Y. destruct (Z.eqb_spec Y y) as [->|N]; cbn [andb]; [|apply H; lia].
  destruct (Z.leb_spec a X); [|apply H; lia]. destruct (Z_lt_dec X (a + Z.of_nat len)).
  - rewrite text_in_nth by lia. f_equal. lia.
  - rewrite nth_overflow by (rewrite text_in_length; lia). apply H. lia.
Qed.
Lemma text_in_order symbols w y a len : holds_text symbols w y a len -> goes_up w y ->
  sorted (text_in w y a len) = text_in w y a len.
Proof.
  intros (_ & Hs) Ho. unfold text_in.
  assert (G : forall len j, (forall X, (a + Z.of_nat j <= X < a + Z.of_nat j + Z.of_nat len)%Z -> w X y <> 0%N) ->
    sorted (map (fun j => w (a + Z.of_nat j)%Z y) (seq j len)) = map (fun j => w (a + Z.of_nat j)%Z y) (seq j len)).
  { clear Hs. clear len. induction len as [|len IH]; intros j Hs; [reflexivity|]. cbn [seq map sorted fold_right].
    change (fold_right insert [] ?l) with (sorted l). rewrite IH by (intros X HX; apply Hs; lia).
    destruct len as [|len]; [reflexivity|]. cbn [seq map insert].
    specialize (Ho (a + Z.of_nat j)%Z). replace (a + Z.of_nat j + 1)%Z with (a + Z.of_nat (S j))%Z in Ho by lia.
    unfold in_order in Ho.
    pose proof (Hs (a + Z.of_nat j)%Z ltac:(lia)) as N1. pose proof (Hs (a + Z.of_nat (S j))%Z ltac:(lia)) as N2.
    apply N.eqb_neq in N1, N2. rewrite N1, N2 in Ho. cbn [orb] in Ho. rewrite Ho. reflexivity. }
  apply G. intros X HX. apply Hs. lia.
Qed.
Lemma nothing_to_strip t : (forall s, In s t -> s <> 0%N) -> without_blanks t = t.
Proof.
  assert (G : forall t, (forall s, In s t -> s <> 0%N) -> without_blanks_before t = t).
  { intros [|[|p] l] H; try reflexivity. exfalso. apply (H 0%N); [left|]; reflexivity. }
  intros H. unfold without_blanks. rewrite (G t H), G, rev_involutive; [reflexivity|]. intros s Hs. apply H, in_rev, Hs.
Qed.

(** The texts that clauses say, by how often symbols stand in them. *)
Lemma count_occ_filter s t : count_occ N.eq_dec t s = length (filter (N.eqb s) t).
Proof.
  induction t as [|a t IH]; [reflexivity|]. cbn. destruct (N.eq_dec a s) as [->|Ne].
  - rewrite N.eqb_refl. cbn. congruence.
  - apply N.eqb_neq in Ne. rewrite N.eqb_sym, Ne. exact IH.
Qed.
Lemma sorted_by_counts symbols w y a len u : holds_text symbols w y a len -> goes_up w y ->
  (forall s, In s u -> In s symbols) ->
  (forall s, In s symbols -> length (filter (N.eqb s) (text_in w y a len)) = length (filter (N.eqb s) u)) ->
  text_in w y a len = without_blanks (sorted u).
Proof.
  intros Ht Ho Hu Hc. assert (P : Permutation (text_in w y a len) u).
  { apply (Permutation_count_occ N.eq_dec). intros s. rewrite !count_occ_filter.
    destruct (in_dec N.eq_dec s symbols) as [Hs|Hs]; [apply Hc; exact Hs|].
    rewrite <- !count_occ_filter, !(proj1 (count_occ_not_In N.eq_dec _ s)); [reflexivity | |].
    - intros E. apply Hs, Hu, E.
    - intros E. apply Hs. eapply text_in_symbols; eassumption. }
  rewrite <- (sorted_same _ _ P), (text_in_order _ _ _ _ _ Ht Ho). symmetry. apply nothing_to_strip.
  intros s Hs. eapply text_in_symbols; eassumption.
Qed.
(** From a threshold on. *)
Definition from (t s : symbol) : bool := (t <=? s)%N.
Lemma from_less t u : length (filter (from t) u) =
  (length (filter (N.eqb t) u) + length (filter (from (N.succ t)) u))%nat.
Proof.
  unfold from. induction u as [|s u IH]; [reflexivity|]. cbn [filter].
  destruct (N.leb_spec t s), (N.eqb_spec t s), (N.leb_spec (N.succ t) s); cbn [length]; lia.
Qed.
Lemma counts_by_thresholds symbols a b : (forall s, In s a -> In s symbols) -> (forall s, In s b -> In s symbols) ->
  (forall t, In t symbols -> length (filter (from t) a) = length (filter (from t) b)) ->
  forall s, length (filter (N.eqb s) a) = length (filter (N.eqb s) b).
Proof.
  intros Ha Hb H. assert (None_ : forall t u, (forall s, In s u -> In s symbols) -> ~ In t symbols ->
    length (filter (N.eqb t) u) = O).
  { intros t u Hu Ht. rewrite <- count_occ_filter. apply count_occ_not_In. auto. }
  assert (All : forall t, length (filter (from t) a) = length (filter (from t) b)).
  { assert (Far : forall t u, (forall s, In s u -> (s < t)%N) -> length (filter (from t) u) = O).
    { unfold from. induction u as [|s u IH]; intros Hu; [reflexivity|]. cbn [filter]. destruct (N.leb_spec t s).
      - specialize (Hu s (or_introl eq_refl)). lia.
      - apply IH. intros v Hv. apply Hu. right. exact Hv. }
    assert (Most : forall s, In s symbols -> (s <= fold_right N.max 0 symbols)%N).
    { clear. induction symbols as [|c l IH]; intros s Hs; [destruct Hs|]. cbn [fold_right].
      destruct Hs as [->|Hs]; [lia|]. specialize (IH s Hs). lia. }
    assert (G : forall k t, (fold_right N.max 0 symbols < t + N.of_nat k)%N ->
      length (filter (from t) a) = length (filter (from t) b)).
    { induction k as [|k IH]; intros t Hk.
      - rewrite !Far; [reflexivity | |]; intros s Hs; [specialize (Most s (Hb s Hs)) | specialize (Most s (Ha s Hs))];
          lia.
      - destruct (in_dec N.eq_dec t symbols) as [Ht|Ht]; [exact (H t Ht)|].
        rewrite (from_less t a), (from_less t b), !(None_ t) by assumption. apply IH. lia. }
    intros t. apply (G (N.to_nat (N.succ (fold_right N.max 0%N symbols)))). lia. }
  intros s. pose proof (All s) as E. rewrite (from_less s a), (from_less s b), (All (N.succ s)) in E. lia.
Qed.
Lemma repeated_by_count c w y a len : holds_text [c] w y a len ->
  text_in w y a len = without_blanks (repeated [c] (Z.of_nat (length (filter (N.eqb c) (text_in w y a len))))).
Proof.
  intros Ht. assert (E : forall t, (forall s, In s t -> s = c) ->
    concat (repeat [c] (length (filter (N.eqb c) t))) = t).
  { induction t as [|s t IH]; intros H; [reflexivity|]. cbn [filter]. rewrite (H s (or_introl eq_refl)), N.eqb_refl.
    cbn.
    f_equal. apply IH. intros u Hu. apply H. right. exact Hu. }
  unfold repeated. rewrite Nat2Z.id, E.
  - symmetry. apply nothing_to_strip. intros s Hs. eapply text_in_symbols; eassumption.
  - intros s Hs. apply (text_in_symbols _ _ _ _ _ _ Ht) in Hs as [_ [<-|[]]]. reflexivity.
Qed.

(** * That one stands where the agent halts *)
Section Texts.
  Context {sc : scene} {ra : row_aim} {rl : row_levels}.
  Import Scene.

  Definition row_views (cells : list known) : list N :=
    nodup N.eq_dec (map view (match nth_error cells row with Some v => symbols_held n class_of v | None => [] end)).
  Definition fine_outwards (sd : bool) (nearer here further : N) : bool := if sd then fine nearer here further
    else fine further here nearer.
  Definition views_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    negb (is_known (level_at sd K (coarse_at x))) ||
    forallb (fun s => existsb (N.eqb s) (held_at (coarse_at x)) &&
        forallb (fun t => existsb (pair_eqb (s, t)) (seen_at sd K (coarse_at x))) (held_at (head_of w)) &&
        forallb (fun tu => fine_outwards sd s (fst tu) (snd tu)) (seen_at sd K (head_of w)))
      (row_views (cells_of (label_at x))).
  Definition head_cells (y : Z) (c : N) (read : symbol) : list known :=
    set_nth (Z.to_nat (y - low)) (Is read) (cells_of (label_at c)).
  (** A text stands, perhaps an empty one, and no symbol of it beside one that it must not stand beside. *)
  Definition text_ok (perhaps_empty : bool) (el : Strips.element) (read : symbol) : bool :=
    let '(p, _, y, c, l, r) := el in
    let cells := head_cells y c read in
    let before := level_at false (kind_of p) (head_of l) in
    let after := level_at true (kind_of p) (head_of r) in
    let enough := if perhaps_empty then is_known else is_some in
    (if shows_symbol cells then begins_here before && begins_here after
     else shows_blank cells && (is_over before && enough after || enough before && is_over after)) &&
    forallb (fun s =>
        forallb (fun t => forallb (fun u => fine t s u) (held_at (head_of r))) (held_at (head_of l)) &&
        forallb (fun sd => forallb (fun tu => fine_outwards sd s (fst tu) (snd tu))
          (seen_at sd (kind_of p) (head_of (if sd then r else l)))) [false; true])
      (row_views cells).

  Hypothesis all_levels : levels_ok = true.
  Hypothesis all_views : forallb views_ok (s_grams e) = true.

  Section At.
    Context {parts : list (list symbol)} {p q : state} {x y : Z} {w : world} {lab : Z -> N} {lo : Z} {m : nat}.
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis now : present parts p q x y w lab lo m.
    Notation symbol_column := (@symbol_column _ _ w).
    Notation blank_column := (@blank_column w).
    Notation level_of := (@level_of _ _ p x lab).
    Notation column := (@column x).
    Definition seen (X : Z) : N := view (w X y_row).

    Lemma head_fits : @fits_cells _ w (head_cells y (lab x) (w x y)) x.
    Proof.
      destruct (inside_strip now) as (_ & Hy & _ & Hfit & _). intros i Hi. destruct (Hfit x i Hi) as (v & Hv & Hh).
      unfold head_cells.
      destruct (Nat.eq_dec i (Z.to_nat (y - low))) as [->|Ne].
      - exists (Is (w x y)). split; [eapply nth_set_same; exact Hv|]. cbn [holds]. f_equal. unfold inside in Hy. lia.
      - exists v. split; [rewrite nth_set_other by congruence; exact Hv | exact Hh].
    Qed.
    Lemma in_row_views cells X : @fits_cells _ w cells X -> In (seen X) (row_views cells).
    Proof.
      assert (Hr : (row < height)%nat).
      { unfold levels_ok in all_levels. apply andb_true_iff in all_levels as [H _]. apply andb_true_iff in H as [_ H].
        apply Nat.ltb_lt. exact H. }
      intros Hf. destruct (Hf row Hr) as (v & Hv & Hh). unfold row_views, seen. rewrite Hv.
      apply nodup_In, in_map, held; [exact Hh | apply (inside_strip now)].
    Qed.
    Lemma outer_views sd i : (1 <= i)%nat -> is_known (level_of sd i) = true ->
      In (seen (column sd i)) (held_at (coarse_at (lab (column sd i)))) /\
      (forall t, In t (held_at (coarse_at (lab (column sd (S i))))) ->
        In (seen (column sd i), t) (seen_at sd (kind_of p) (coarse_at (lab (column sd i))))) /\
      (forall t u, In (t, u) (seen_at sd (kind_of p) (coarse_at (lab (column sd (S i))))) ->
        fine_outwards sd (seen (column sd i)) t u = true).
    Proof.
      intros Hi Hl. assert (Hs : (0 < sg sd * (column sd i - x))%Z) by (unfold Stretches.column; destruct sd; unfold sg;
        lia).
      pose proof all_views as H. rewrite forallb_forall in H.
      specialize (H _ (grams_here _ _ _ _ _ _ sd (column sd i) (inside_strip now) Hs)). unfold views_ok in H.
      cbn [near head_of] in H.
      replace (column sd i + sg sd)%Z with (column sd (S i)) in H by (unfold Stretches.column; destruct sd; unfold sg;
        lia).
      unfold Stretches.level_of in Hl. rewrite Hl in H. cbn [negb orb] in H. rewrite forallb_forall in H.
      assert (Hin : In (seen (column sd i)) (row_views (cells_of (label_at (lab (column sd i)))))).
      { apply in_row_views. destruct (inside_strip now) as (_ & _ & _ & Hfit & _). intros k Hk.
        exact (Hfit (column sd i) k Hk). }
      specialize (H _ Hin). apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
      rewrite forallb_forall in H2, H3.
      split; [apply existsb_exists in H1 as (s & H1 & E); apply N.eqb_eq in E; rewrite E; exact H1|]. split.
      - intros t Ht. specialize (H2 t Ht). apply existsb_exists in H2 as ([a b] & H2 & E). unfold pair_eqb in E.
        cbn [fst snd] in E.
        apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1, E2. subst a b. exact H2.
      - intros t v Htv. exact (H3 (t, v) Htv).
    Qed.

    Definition levels_known : Prop := forall sd, is_known (level_of sd 1) = true.
    Lemma fine_here perhaps : text_ok perhaps (here (s_d e) coarse_at p q x y lab) (w x y) = true -> levels_known ->
      forall X, fine (seen (X - 1)) (seen X) (seen (X + 1)) = true.
    Proof.
      intros H K X. unfold text_ok, here in H. cbn [near head_of] in H. apply andb_true_iff in H as [_ H].
      rewrite forallb_forall in H. specialize (H _ (in_row_views _ _ head_fits)).
      apply andb_true_iff in H as [Hhere Hbeside]. rewrite forallb_forall in Hhere, Hbeside.
      assert (Known : forall sd i, (1 <= i)%nat -> is_known (level_of sd i) = true) by (intros sd;
        apply (known_outwards all_levels now), K).
      assert (Held : forall sd, In (seen (column sd 1)) (held_at (coarse_at (lab (x + sg sd)%Z)))).
      { intros sd. destruct (outer_views sd 1 ltac:(lia) (K sd)) as [H1 _].
        replace (x + sg sd)%Z with (column sd 1) by (unfold Stretches.column; lia). exact H1. }
      assert (Pair : forall sd i, (1 <= i)%nat -> In (seen (column sd i), seen (column sd (S i)))
        (seen_at sd (kind_of p) (coarse_at (lab (column sd i))))).
      { intros sd i Hi. apply (outer_views sd i Hi (Known sd i Hi)).
        apply (outer_views sd (S i) ltac:(lia) (Known sd (S i) ltac:(lia))). }
      assert (Outer : forall sd i, (1 <= i)%nat -> fine_outwards sd (seen (column sd (pred i))) (seen (column sd i))
        (seen (column sd (S i))) = true).
      { intros sd [|[|i]] Hi; [lia| |]; cbn [pred].
        - assert (In sd [false; true]) as Hsd by (destruct sd; cbn; auto). specialize (Hbeside sd Hsd).
          rewrite forallb_forall in Hbeside.
          specialize (Hbeside (seen (column sd 1), seen (column sd 2))).
          replace (column sd 0) with x by (unfold Stretches.column; lia).
          apply Hbeside. specialize (Pair sd 1%nat ltac:(lia)).
          replace (column sd 1) with (x + sg sd)%Z in Pair at 3 by (unfold Stretches.column; lia).
          destruct sd; exact Pair.
        - apply (outer_views sd (S i) ltac:(lia) (Known sd (S i) ltac:(lia))). apply Pair. lia. }
      destruct (Z.lt_total X x) as [HX|[->|HX]].
      - specialize (Outer false (Z.to_nat (x - X)) ltac:(lia)). unfold fine_outwards, Stretches.column, sg in Outer.
        replace (x + -1 * Z.of_nat (pred (Z.to_nat (x - X))))%Z with (X + 1)%Z in Outer by lia.
        replace (x + -1 * Z.of_nat (Z.to_nat (x - X)))%Z with X in Outer by lia.
        replace (x + -1 * Z.of_nat (S (Z.to_nat (x - X))))%Z with (X - 1)%Z in Outer by lia. exact Outer.
      - specialize (Hhere _ (Held false)). rewrite forallb_forall in Hhere. specialize (Hhere _ (Held true)).
        unfold Stretches.column, sg in Hhere. replace (x + -1 * Z.of_nat 1)%Z with (x - 1)%Z in Hhere by lia.
        replace (x + 1 * Z.of_nat 1)%Z with (x + 1)%Z in Hhere by lia. exact Hhere.
      - specialize (Outer true (Z.to_nat (X - x)) ltac:(lia)). unfold fine_outwards, Stretches.column, sg in Outer.
        replace (x + 1 * Z.of_nat (pred (Z.to_nat (X - x))))%Z with (X - 1)%Z in Outer by lia.
        replace (x + 1 * Z.of_nat (Z.to_nat (X - x)))%Z with X in Outer by lia.
        replace (x + 1 * Z.of_nat (S (Z.to_nat (X - x))))%Z with (X + 1)%Z in Outer by lia. exact Outer.
    Qed.

    Lemma text_here perhaps : text_ok perhaps (here (s_d e) coarse_at p q x y lab) (w x y) = true ->
      levels_known /\ exists a len, holds_text symbols w y_row a len /\ (perhaps = false -> (0 < len)%nat).
    Proof.
      intros H. unfold text_ok, here in H. cbn [near head_of] in H. apply andb_true_iff in H as [H _].
      change (level_at false (kind_of p) (coarse_at (lab (x + -1)%Z))) with (level_of false 1) in H.
      change (level_at true (kind_of p) (coarse_at (lab (x + 1)%Z))) with (level_of true 1) in H.
      set (cells := head_cells _ _ _) in H. pose proof head_fits as Hf. fold cells in Hf.
      assert (K : levels_known).
      { intros sd. destruct (shows_symbol cells); [|apply andb_true_iff in H as [_ H]];
          destruct (level_of false 1) eqn:E1, (level_of true 1) eqn:E2, perhaps, sd; cbn in H; try discriminate;
            rewrite ?E1, ?E2; reflexivity. }
      split; [exact K|].
      assert (Out : forall sd, exists j k, stretches (p := p) (x := x) (w := w) (lab := lab) sd 1 j k)
        by (intros sd; apply (outwards all_levels parts_ok now); [lia | apply K]).
      destruct (Out false) as (jl & kl & Hjl & BL & EL & SL & AL).
      destruct (Out true) as (jr & kr & Hjr & BR & ER & SR & AR).
      assert (Right : forall X, (x < X)%Z -> ((x + Z.of_nat jr <= X < x + Z.of_nat kr)%Z -> symbol_column X) /\
                                             ((X < x + Z.of_nat jr \/ x + Z.of_nat kr <= X)%Z -> blank_column X)).
      { intros X HX. specialize (AR (Z.to_nat (X - x)) ltac:(lia)).
        replace (column true (Z.to_nat (X - x))) with X in AR by (unfold Stretches.column, sg; lia).
        destruct (Nat.leb_spec jr (Z.to_nat (X - x))), (Nat.ltb_spec (Z.to_nat (X - x)) kr); cbn [andb] in AR; split;
          intros; try exact AR; lia. }
      assert (Left : forall X, (X < x)%Z -> ((x - Z.of_nat kl < X <= x - Z.of_nat jl)%Z -> symbol_column X) /\
                                            ((X <= x - Z.of_nat kl \/ x - Z.of_nat jl < X)%Z -> blank_column X)).
      { intros X HX. specialize (AL (Z.to_nat (x - X)) ltac:(lia)).
        replace (column false (Z.to_nat (x - X))) with X in AL by (unfold Stretches.column, sg; lia).
        destruct (Nat.leb_spec jl (Z.to_nat (x - X))), (Nat.ltb_spec (Z.to_nat (x - X)) kl); cbn [andb] in AL; split;
          intros; try exact AL; lia. }
      assert (Found : forall a b, (a <= b)%Z -> (perhaps = false -> (a < b)%Z) ->
        (forall X, (a <= X < b)%Z -> symbol_column X) -> (forall X, (X < a \/ b <= X)%Z -> blank_column X) ->
        exists a len, holds_text symbols w y_row a len /\ (perhaps = false -> (0 < len)%nat)).
      { intros a b Hab Hne Hs Hb. exists a, (Z.to_nat (b - a)). split; [split|].
        - intros X Y HX. destruct (Z_lt_dec X a); [apply Hb; lia|]. destruct (Z_lt_dec X b); [|apply Hb; lia].
          destruct (Hs X ltac:(lia)) as (Ho & _). apply Ho. lia.
        - intros X HX. destruct (Hs X ltac:(lia)) as (_ & Hn & Ha). split; [exact Hn|].
          apply existsb_exists in Ha as (s & Ha & E). apply N.eqb_eq in E. rewrite E. exact Ha.
        - intros E. specialize (Hne E). lia. }
      destruct (shows_symbol cells) eqn:Esym.
      - assert (Hx : symbol_column x) by (eapply (shows_symbol_ok all_levels now); [exact Hf | exact Esym]).
        apply andb_true_iff in H as [B1 B2]. specialize (BL B1). specialize (BR B2). subst jl jr.
        apply (Found (x - Z.of_nat kl + 1)%Z (x + Z.of_nat kr)%Z); [lia | lia | |].
        + intros X HX. destruct (Z_lt_dec X x); [apply Left; lia|].
          destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right; lia].
        + intros X HX. destruct (Z_lt_dec X x); [apply Left; lia | apply Right; lia].
      - apply andb_true_iff in H as [Eb H].
        assert (Hx : blank_column x) by (eapply (shows_blank_ok all_levels now); [exact Hf | exact Eb]).
        apply orb_true_iff in H as [H|H]; apply andb_true_iff in H as [O1 O2].
        + specialize (EL O1). subst kl. apply (Found (x + Z.of_nat jr)%Z (x + Z.of_nat kr)%Z);
            [lia | intros E; rewrite E in O2; specialize (SR O2); lia | intros X HX; apply Right; lia|].
          intros X HX. destruct (Z_lt_dec X x); [apply Left; lia|].
          destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right; lia].
        + specialize (ER O2). subst kr. apply (Found (x - Z.of_nat kl + 1)%Z (x - Z.of_nat jl + 1)%Z);
            [lia | intros E; rewrite E in O1; specialize (SL O1); lia | intros X HX; apply Left; lia|].
          intros X HX. destruct (Z_lt_dec X x); [apply Left; lia|].
          destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right; lia].
    Qed.
  End At.
End Texts.
