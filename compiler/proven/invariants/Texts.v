(** (V12), the end of clauses that leave a text: one stretch of symbols stands in one row, in order; or nothing stands at all. *)
From Coq Require Import ZArith NArith List Bool Lia Permutation.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Starts Places Unknowns Facts Values Invariants Output Stretches Ends.
Import ListNotations.

(** * Texts in order *)
Lemma insert_swap a b t : insert a (insert b t) = insert b (insert a t).
Proof.
  induction t as [|c t IH]; cbn [insert].
  - destruct (N.leb_spec a b), (N.leb_spec b a); try reflexivity; [f_equal; [lia | f_equal; lia] | lia].
  - destruct (N.leb_spec b c), (N.leb_spec a c); cbn [insert];
      repeat match goal with |- context [(?x <=? ?y)%N] => destruct (N.leb_spec x y) end; try lia; try reflexivity; try congruence.
    assert (a = b) by lia. congruence.
Qed.
Lemma sorted_same a b : Permutation a b -> sorted a = sorted b.
Proof.
  induction 1 as [|x a b _ IH|x y a|a b c _ IH1 _ IH2]; [reflexivity | cbn; f_equal; exact IH | apply insert_swap | congruence].
Qed.
Definition in_order (s t : symbol) : bool := (s =? 0)%N || (t =? 0)%N || (s <=? t)%N.

(** * A text in a row *)
Definition text_in (w : world) (y a : Z) (len : nat) : list symbol := map (fun j => w (a + Z.of_nat j)%Z y) (seq 0 len).
Definition holds_text (symbols : list symbol) (w : world) (y a : Z) (len : nat) : Prop :=
  (forall X Y, (X < a \/ a + Z.of_nat len <= X \/ Y <> y)%Z -> w X Y = 0%N) /\
  (forall X, (a <= X < a + Z.of_nat len)%Z -> w X y <> 0%N /\ In (w X y) symbols) /\
  (forall X, in_order (w X y) (w (X + 1)%Z y) = true).

Lemma text_in_nth w y a len j : (j < len)%nat -> nth j (text_in w y a len) 0%N = w (a + Z.of_nat j)%Z y.
Proof.
  intros H. unfold text_in. rewrite (nth_indep _ _ ((fun j => w (a + Z.of_nat j)%Z y) 0%nat)) by (rewrite map_length, seq_length; exact H).
  rewrite (map_nth (fun j => w (a + Z.of_nat j)%Z y)), seq_nth by exact H. reflexivity.
Qed.
Lemma text_in_length w y a len : length (text_in w y a len) = len.
Proof. unfold text_in. rewrite map_length, seq_length. reflexivity. Qed.
Lemma text_in_symbols symbols w y a len s : holds_text symbols w y a len -> In s (text_in w y a len) -> s <> 0%N /\ In s symbols.
Proof. intros (_ & H & _) Hs. apply in_map_iff in Hs as (j & <- & Hj). apply in_seq in Hj. apply H. lia. Qed.
Lemma text_stands symbols w y a len : holds_text symbols w y a len -> stands w (text_in w y a len).
Proof.
  intros (H & _). exists y, a. intros X Y. destruct (Z.eqb_spec Y y) as [->|N]; cbn [andb]; [|apply H; lia].
  destruct (Z.leb_spec a X); [|apply H; lia]. destruct (Z_lt_dec X (a + Z.of_nat len)).
  - rewrite text_in_nth by lia. f_equal. lia.
  - rewrite nth_overflow by (rewrite text_in_length; lia). apply H. lia.
Qed.
Lemma text_in_order symbols w y a len : holds_text symbols w y a len -> sorted (text_in w y a len) = text_in w y a len.
Proof.
  intros (_ & Hs & Ho). unfold text_in.
  assert (G : forall len j, (forall X, (a + Z.of_nat j <= X < a + Z.of_nat j + Z.of_nat len)%Z -> w X y <> 0%N) ->
    sorted (map (fun j => w (a + Z.of_nat j)%Z y) (seq j len)) = map (fun j => w (a + Z.of_nat j)%Z y) (seq j len)).
  { clear Hs. clear len. induction len as [|len IH]; intros j Hs; [reflexivity|]. cbn [seq map sorted fold_right].
    change (fold_right insert [] ?l) with (sorted l). rewrite IH by (intros X HX; apply Hs; lia).
    destruct len as [|len]; [reflexivity|]. cbn [seq map insert].
    specialize (Ho (a + Z.of_nat j)%Z). replace (a + Z.of_nat j + 1)%Z with (a + Z.of_nat (S j))%Z in Ho by lia. unfold in_order in Ho.
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
Lemma sorted_by_counts symbols w y a len u : holds_text symbols w y a len -> (forall s, In s u -> In s symbols) ->
  (forall s, In s symbols -> length (filter (N.eqb s) (text_in w y a len)) = length (filter (N.eqb s) u)) ->
  text_in w y a len = without_blanks (sorted u).
Proof.
  intros Ht Hu Hc. assert (P : Permutation (text_in w y a len) u).
  { apply (Permutation_count_occ N.eq_dec). intros s. rewrite !count_occ_filter. destruct (in_dec N.eq_dec s symbols) as [Hs|Hs]; [apply Hc; exact Hs|].
    rewrite <- !count_occ_filter, !(proj1 (count_occ_not_In N.eq_dec _ s)); [reflexivity | |].
    - intros E. apply Hs, Hu, E.
    - intros E. apply Hs. eapply text_in_symbols; eassumption. }
  rewrite <- (sorted_same _ _ P), (text_in_order _ _ _ _ _ Ht). symmetry. apply nothing_to_strip.
  intros s Hs. eapply text_in_symbols; eassumption.
Qed.
Lemma repeated_by_count c w y a len : holds_text [c] w y a len ->
  text_in w y a len = without_blanks (repeated [c] (Z.of_nat (length (filter (N.eqb c) (text_in w y a len))))).
Proof.
  intros Ht. assert (E : forall t, (forall s, In s t -> s = c) -> concat (repeat [c] (length (filter (N.eqb c) t))) = t).
  { induction t as [|s t IH]; intros H; [reflexivity|]. cbn [filter]. rewrite (H s (or_introl eq_refl)), N.eqb_refl. cbn.
    f_equal. apply IH. intros u Hu. apply H. right. exact Hu. }
  unfold repeated. rewrite Nat2Z.id, E.
  - symmetry. apply nothing_to_strip. intros s Hs. eapply text_in_symbols; eassumption.
  - intros s Hs. apply (text_in_symbols _ _ _ _ _ _ Ht) in Hs as [_ [<-|[]]]. reflexivity.
Qed.

(** * That one stands where the agent halts *)
Section Texts.
  Variables (n : N) (e : strip).
  Variables (label_at : N -> label) (coarse_at : N -> N) (class_of : symbol -> N) (kind_of : state -> N) (told_at : N -> told).
  Variable pieces : list clause.
  Variables (row : nat) (symbols : list symbol).
  Variable level_at : bool -> N -> N -> level.
  Variable held_at : N -> list symbol.                (* what may stand in the row, by coarse number *)
  Notation low := (s_low e).
  Notation allowed := (fun s => existsb (N.eqb s) symbols).
  Notation in_strip := (labelled n (s_low e) (s_height e) (s_d e) class_of kind_of label_at coarse_at (s_elements e) (s_grams e)).
  Notation y_row := (y_row e row).

  Definition row_symbols (cells : list known) : list symbol :=
    match nth_error cells row with Some v => symbols_held n class_of v | None => [] end.
  Definition ordered_beside (sd : bool) (s t : symbol) : bool := if sd then in_order s t else in_order t s.
  Definition pair_ok (g : gram) : bool :=
    let '(sd, K, x, w) := g in
    match level_at sd K (coarse_at x) with
    | Unknown_level => true
    | _ => forallb (fun s => existsb (N.eqb s) (held_at (coarse_at x)) && forallb (ordered_beside sd s) (held_at (head_of w)))
             (row_symbols (cells_of (label_at x)))
    end.
  Definition is_known (l : level) : bool := match l with Unknown_level => false | _ => true end.
  Definition begins_here (l : level) : bool := match l with Nothing_more | Stretch => true | _ => false end.
  Definition is_over (l : level) : bool := match l with Nothing_more => true | _ => false end.
  Definition text_ok (el : Strips.element) (read : symbol) : bool :=
    let '(p, _, y, c, l, r) := el in
    let cells := set_nth (Z.to_nat (y - low)) (Is read) (cells_of (label_at c)) in
    let before := level_at false (kind_of p) (head_of l) in
    let after := level_at true (kind_of p) (head_of r) in
    (if shows_symbol n e class_of row allowed cells then begins_here before && begins_here after
     else shows_blank e class_of row cells && (is_over before && is_known after || is_known before && is_over after)) &&
    forallb (fun s => forallb (ordered_beside false s) (held_at (head_of l)) && forallb (ordered_beside true s) (held_at (head_of r)))
      (row_symbols cells).

  Hypothesis all_levels : levels_ok n e label_at coarse_at class_of told_at pieces row allowed level_at = true.
  Hypothesis all_pairs : forallb pair_ok (s_grams e) = true.

  Section At.
    Variables (parts : list (list symbol)) (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
    Hypothesis lens : length parts = length pieces.
    Hypothesis inside_strip : in_strip p q x y w lab.
    Hypothesis places : all_places label_at told_at parts lab.
    Hypothesis blank : blank_beyond lo m w.
    Hypothesis fresh : fresh_beyond label_at lo m lab.
    Hypothesis head_within : (lo <= x < lo + Z.of_nat m)%Z.
    Notation symbol_column := (symbol_column e row allowed w).
    Notation blank_column := (blank_column w).
    Notation level_of := (level_of coarse_at kind_of level_at p x lab).
    Notation column := (column x).
    Definition levels_here := column_level n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip.
    Definition far_here := column_far label_at told_at pieces parts x w lab lo m lens places blank fresh head_within.

    Lemma row_inside : (row < s_height e)%nat.
    Proof. unfold levels_ok in all_levels. apply andb_true_iff in all_levels as [H _]. apply andb_true_iff in H as [_ H]. apply Nat.ltb_lt. exact H. Qed.
    Lemma in_row_symbols cells X : fits_cells e class_of w cells X -> In (w X y_row) (row_symbols cells).
    Proof.
      intros Hf. destruct (Hf row row_inside) as (v & Hv & Hh). unfold row_symbols. rewrite Hv. apply held; [exact Hh | apply inside_strip].
    Qed.

    (** Outwards: blanks, then symbols, then blanks. *)
    Lemma outwards sd i : (1 <= i)%nat -> level_of sd i <> Unknown_level -> exists j k, (i <= j <= k)%nat /\
      (begins_here (level_of sd i) = true -> j = i) /\ (is_over (level_of sd i) = true -> k = i) /\
      forall h, (i <= h)%nat -> if Nat.leb j h && Nat.ltb h k then symbol_column (column sd h) else blank_column (column sd h).
    Proof.
      set (far := bound parts x lo m).
      assert (G : forall d i, (1 <= i)%nat -> (far <= i + d)%nat -> level_of sd i <> Unknown_level -> exists j k, (i <= j <= k)%nat /\
        (begins_here (level_of sd i) = true -> j = i) /\ (is_over (level_of sd i) = true -> k = i) /\
        forall h, (i <= h)%nat -> if Nat.leb j h && Nat.ltb h k then symbol_column (column sd h) else blank_column (column sd h)).
      { induction d as [|d IH]; intros k Hk Hd Hl.
        - exists k, k. split; [lia|]. split; [auto|]. split; [auto|]. intros h Hh.
          replace (Nat.leb k h && Nat.ltb h k) with false by (symmetry; apply andb_false_iff; right; apply Nat.ltb_ge; exact Hh).
          apply (far_here sd). unfold far in Hd. lia.
        - assert (Next : level_of sd (S k) <> Unknown_level -> exists j' k', (S k <= j' <= k')%nat /\
            (begins_here (level_of sd (S k)) = true -> j' = S k) /\ (is_over (level_of sd (S k)) = true -> k' = S k) /\
            forall h, (S k <= h)%nat -> if Nat.leb j' h && Nat.ltb h k' then symbol_column (column sd h) else blank_column (column sd h))
            by (intros H; apply IH; [lia | lia | exact H]).
          pose proof (levels_here sd k Hk) as H. destruct (level_of sd k) eqn:E; [| | | |congruence].
          + destruct H as [Hb Hn]. destruct Next as (j' & k' & Hj & H1 & H2 & Hall); [rewrite Hn; discriminate|].
            rewrite Hn in H1, H2. specialize (H1 eq_refl). specialize (H2 eq_refl). subst j' k'.
            exists k, k. split; [lia|]. split; [auto|]. split; [auto|]. intros h Hh.
            replace (Nat.leb k h && Nat.ltb h k) with false by (symmetry; apply andb_false_iff; right; apply Nat.ltb_ge; exact Hh).
            destruct (Nat.eq_dec h k) as [->|]; [exact Hb|]. specialize (Hall h ltac:(lia)).
            replace (Nat.leb (S k) h && Nat.ltb h (S k)) with false in Hall by (symmetry; apply andb_false_iff; right; apply Nat.ltb_ge; lia). exact Hall.
          + destruct H as [Hs Hn]. assert (B : begins_here (level_of sd (S k)) = true) by (destruct Hn as [->| ->]; reflexivity).
            destruct Next as (j' & k' & Hj & H1 & _ & Hall); [destruct Hn as [->| ->]; discriminate|]. specialize (H1 B). subst j'.
            exists k, k'. split; [lia|]. split; [auto|]. split; [discriminate|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|]; [rewrite Nat.leb_refl; replace (Nat.ltb k k') with true by (symmetry; apply Nat.ltb_lt; lia); exact Hs|].
            specialize (Hall h ltac:(lia)). replace (Nat.leb k h) with (Nat.leb (S k) h); [exact Hall|].
            destruct (Nat.leb_spec (S k) h), (Nat.leb_spec k h); lia.
          + destruct H as [Hb Hn]. destruct Next as (j' & k' & Hj & _ & _ & Hall); [exact Hn|].
            exists j', k'. split; [lia|]. split; [discriminate|]. split; [discriminate|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|]; [|apply Hall; lia]. replace (Nat.leb j' k) with false by (symmetry; apply Nat.leb_gt; lia). exact Hb.
          + destruct H as (Hb & _ & Hn). destruct Next as (j' & k' & Hj & _ & _ & Hall); [destruct Hn as [->| ->]; discriminate|].
            exists j', k'. split; [lia|]. split; [discriminate|]. split; [discriminate|]. intros h Hh.
            destruct (Nat.eq_dec h k) as [->|]; [|apply Hall; lia]. replace (Nat.leb j' k) with false by (symmetry; apply Nat.leb_gt; lia). exact Hb. }
      intros Hi Hl. apply (G far i Hi); [lia | exact Hl].
    Qed.
    Lemma known_outwards sd : level_of sd 1 <> Unknown_level -> forall i, (1 <= i)%nat -> level_of sd i <> Unknown_level.
    Proof.
      intros H1. induction i as [|i IH]; [lia|]. intros _. destruct (Nat.eq_dec i 0) as [->|]; [exact H1|].
      pose proof (levels_here sd i ltac:(lia)) as H. specialize (IH ltac:(lia)).
      destruct (level_of sd i); [destruct H as [_ ->] | destruct H as [_ [->| ->]] | exact (proj2 H) | destruct H as (_ & _ & [->| ->]) |]; congruence.
    Qed.
    Lemma gram_pair sd i : (1 <= i)%nat -> level_of sd i <> Unknown_level ->
      In (w (column sd i) y_row) (held_at (coarse_at (lab (column sd i)))) /\
      forall t, In t (held_at (coarse_at (lab (column sd (S i))))) -> ordered_beside sd (w (column sd i) y_row) t = true.
    Proof.
      intros Hi Hl. assert (Hs : (0 < sg sd * (column sd i - x))%Z) by (unfold Stretches.column; destruct sd; unfold sg; lia).
      pose proof all_pairs as H. rewrite forallb_forall in H.
      specialize (H _ (grams_here _ _ _ _ _ _ _ _ _ _ _ _ sd (column sd i) inside_strip Hs)). unfold pair_ok in H.
      cbn [near head_of] in H. replace (column sd i + sg sd)%Z with (column sd (S i)) in H by (unfold Stretches.column; destruct sd; unfold sg; lia).
      fold (level_of sd i) in H. assert (Hin : In (w (column sd i) y_row) (row_symbols (cells_of (label_at (lab (column sd i)))))).
      { apply in_row_symbols. destruct inside_strip as (_ & _ & _ & Hfit & _). intros k Hk. exact (Hfit (column sd i) k Hk). }
      destruct (level_of sd i); try congruence; rewrite forallb_forall in H; specialize (H _ Hin);
        apply andb_true_iff in H as [H1 H2]; rewrite forallb_forall in H2;
        (split; [apply existsb_exists in H1 as (s & H1 & E); apply N.eqb_eq in E; rewrite E; exact H1 | exact H2]).
    Qed.

    Lemma text_here : text_ok (here (s_d e) coarse_at p q x y lab) (w x y) = true -> exists a len, holds_text symbols w y_row a len.
    Proof.
      intros H. unfold text_ok, here in H. cbn [near head_of] in H.
      change (level_at false (kind_of p) (coarse_at (lab (x + -1)%Z))) with (level_of false 1) in H.
      change (level_at true (kind_of p) (coarse_at (lab (x + 1)%Z))) with (level_of true 1) in H.
      set (cells := set_nth _ _ _) in H.
      assert (Hf : fits_cells e class_of w cells x).
      { exact (head_fits n e label_at coarse_at class_of kind_of p q x y w lab m inside_strip). }
      apply andb_true_iff in H as [Hshape Hord]. rewrite forallb_forall in Hord. specialize (Hord _ (in_row_symbols _ _ Hf)).
      apply andb_true_iff in Hord as [OL OR]. rewrite forallb_forall in OL, OR.
      assert (K : level_of false 1 <> Unknown_level /\ level_of true 1 <> Unknown_level).
      { destruct (shows_symbol n e class_of row allowed cells); [|apply andb_true_iff in Hshape as [_ Hshape]];
          destruct (level_of false 1), (level_of true 1); cbn in Hshape; try discriminate; split; discriminate. }
      destruct K as [KL KR].
      destruct (outwards false 1 ltac:(lia) KL) as (jl & kl & Hjl & BL & EL & AL).
      destruct (outwards true 1 ltac:(lia) KR) as (jr & kr & Hjr & BR & ER & AR).
      assert (AR' : forall X, (x < X)%Z -> if (x + Z.of_nat jr <=? X)%Z && (X <? x + Z.of_nat kr)%Z then symbol_column X else blank_column X).
      { intros X HX. specialize (AR (Z.to_nat (X - x)) ltac:(lia)). replace (column true (Z.to_nat (X - x))) with X in AR by (unfold Stretches.column, sg; lia).
        destruct (Nat.leb_spec jr (Z.to_nat (X - x))), (Nat.ltb_spec (Z.to_nat (X - x)) kr), (Z.leb_spec (x + Z.of_nat jr) X), (Z.ltb_spec X (x + Z.of_nat kr));
          cbn [andb] in *; try exact AR; lia. }
      assert (AL' : forall X, (X < x)%Z -> if (x - Z.of_nat kl <? X)%Z && (X <=? x - Z.of_nat jl)%Z then symbol_column X else blank_column X).
      { intros X HX. specialize (AL (Z.to_nat (x - X)) ltac:(lia)). replace (column false (Z.to_nat (x - X))) with X in AL by (unfold Stretches.column, sg; lia).
        destruct (Nat.leb_spec jl (Z.to_nat (x - X))), (Nat.ltb_spec (Z.to_nat (x - X)) kl), (Z.ltb_spec (x - Z.of_nat kl) X), (Z.leb_spec X (x - Z.of_nat jl));
          cbn [andb] in *; try exact AL; lia. }
      assert (Order : forall X, in_order (w X y_row) (w (X + 1)%Z y_row) = true).
      { intros X. pose proof (known_outwards false KL) as NL. pose proof (known_outwards true KR) as NR.
        destruct (Z_lt_dec x X) as [HX|HX].
        - pose proof (gram_pair true (Z.to_nat (X - x)) ltac:(lia) (NR (Z.to_nat (X - x)) ltac:(lia))) as [_ P].
          destruct (gram_pair true (S (Z.to_nat (X - x))) ltac:(lia) (NR (S (Z.to_nat (X - x))) ltac:(lia))) as [Hin _]. specialize (P _ Hin).
          replace (column true (Z.to_nat (X - x))) with X in P by (unfold Stretches.column, sg; lia).
          replace (column true (S (Z.to_nat (X - x)))) with (X + 1)%Z in P by (unfold Stretches.column, sg; lia). exact P.
        - destruct (Z.eq_dec X x) as [->|].
          + destruct (gram_pair true 1 ltac:(lia) KR) as [Hin _]. exact (OR _ Hin).
          + destruct (Z.eq_dec (X + 1) x) as [E|].
            * destruct (gram_pair false 1 ltac:(lia) KL) as [Hin _]. specialize (OL _ Hin). unfold ordered_beside in OL.
              replace (column false 1) with X in OL by (unfold Stretches.column, sg; lia). rewrite E. exact OL.
            * pose proof (gram_pair false (Z.to_nat (x - (X + 1))) ltac:(lia) (NL (Z.to_nat (x - (X + 1))) ltac:(lia))) as [_ P].
              destruct (gram_pair false (S (Z.to_nat (x - (X + 1)))) ltac:(lia) (NL (S (Z.to_nat (x - (X + 1)))) ltac:(lia))) as [Hin _]. specialize (P _ Hin).
              replace (column false (Z.to_nat (x - (X + 1)))) with (X + 1)%Z in P by (unfold Stretches.column, sg; lia).
              replace (column false (S (Z.to_nat (x - (X + 1))))) with X in P by (unfold Stretches.column, sg; lia). exact P. }
      assert (Found : forall a b, (a <= b)%Z -> (forall X, (a <= X < b)%Z -> symbol_column X) -> (forall X, (X < a \/ b <= X)%Z -> blank_column X) ->
        exists a len, holds_text symbols w y_row a len).
      { intros a b Hab Hs Hb. exists a, (Z.to_nat (b - a)). split; [|split; [|exact Order]].
        - intros X Y HX. destruct (Z_lt_dec X a); [apply Hb; lia|]. destruct (Z_lt_dec X b); [|apply Hb; lia].
          destruct (Hs X ltac:(lia)) as (Ho & _). apply Ho. lia.
        - intros X HX. destruct (Hs X ltac:(lia)) as (_ & Hn & Ha). split; [exact Hn|].
          apply existsb_exists in Ha as (s & Ha & E). apply N.eqb_eq in E. rewrite E. exact Ha. }
      assert (Left : forall X, (X < x)%Z -> (x - Z.of_nat kl < X)%Z -> (X <= x - Z.of_nat jl)%Z -> symbol_column X).
      { intros X HX H1 H2. specialize (AL' X HX). apply Z.ltb_lt in H1. apply Z.leb_le in H2. rewrite H1, H2 in AL'. exact AL'. }
      assert (Right : forall X, (x < X)%Z -> (x + Z.of_nat jr <= X)%Z -> (X < x + Z.of_nat kr)%Z -> symbol_column X).
      { intros X HX H1 H2. specialize (AR' X HX). apply Z.leb_le in H1. apply Z.ltb_lt in H2. rewrite H1, H2 in AR'. exact AR'. }
      assert (Left0 : forall X, (X < x)%Z -> (X <= x - Z.of_nat kl \/ x - Z.of_nat jl < X)%Z -> blank_column X).
      { intros X HX H1. specialize (AL' X HX). destruct (Z.ltb_spec (x - Z.of_nat kl) X), (Z.leb_spec X (x - Z.of_nat jl)); cbn [andb] in AL'; try exact AL'. lia. }
      assert (Right0 : forall X, (x < X)%Z -> (X < x + Z.of_nat jr \/ x + Z.of_nat kr <= X)%Z -> blank_column X).
      { intros X HX H1. specialize (AR' X HX). destruct (Z.leb_spec (x + Z.of_nat jr) X), (Z.ltb_spec X (x + Z.of_nat kr)); cbn [andb] in AR'; try exact AR'. lia. }
      destruct (shows_symbol n e class_of row allowed cells) eqn:Esym.
      - assert (Hx : symbol_column x).
        { eapply (shows_symbol_ok n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip); [exact Hf | exact Esym]. }
        apply andb_true_iff in Hshape as [B1 B2]. specialize (BL B1). specialize (BR B2). subst jl jr.
        apply (Found (x - Z.of_nat kl + 1)%Z (x + Z.of_nat kr)%Z); [lia | |].
        + intros X HX. destruct (Z_lt_dec X x); [apply Left; lia|]. destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right; lia].
        + intros X HX. destruct (Z_lt_dec X x); [apply Left0; lia | apply Right0; lia].
      - apply andb_true_iff in Hshape as [Eb Hshape].
        assert (Hx : blank_column x).
        { eapply (shows_blank_ok n e label_at coarse_at class_of kind_of told_at pieces row allowed level_at all_levels parts p q x y w lab m lens inside_strip); [exact Hf | exact Eb]. }
        apply orb_true_iff in Hshape as [Hshape|Hshape]; apply andb_true_iff in Hshape as [O1 O2].
        + specialize (EL O1). subst kl. apply (Found (x + Z.of_nat jr)%Z (x + Z.of_nat kr)%Z); [lia | intros X HX; apply Right; lia|].
          intros X HX. destruct (Z_lt_dec X x); [apply Left0; lia|]. destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right0; lia].
        + specialize (ER O2). subst kr. apply (Found (x - Z.of_nat kl + 1)%Z (x - Z.of_nat jl + 1)%Z); [lia | intros X HX; apply Left; lia|].
          intros X HX. destruct (Z_lt_dec X x); [apply Left0; lia|]. destruct (Z.eq_dec X x) as [->|]; [exact Hx | apply Right0; lia].
    Qed.
  End At.
End Texts.
