(** (V10), folds: two numbers on one tape, digits of equal weight in one column. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Joint Maps Columns Strips Rows.
From Gridlang Require Import FoldedTape FoldedChains FoldedReadings FoldedInputs FoldedResults FoldedCheck.
Import ListNotations.
Local Open Scope Z_scope.

(** * Two numbers with a sign between them *)
Fixpoint empty_clause (c : clause) : bool :=
  match c with
  | Nothing => true
  | Cell _ => false
  | Then a b | Or a b => empty_clause a && empty_clause b
  | Many a => empty_clause a
  end.
Fixpoint single (c : clause) : bool :=
  match c with
  | Cell _ => true
  | Or a b => single a && single b
  | Then a b => single a && empty_clause b || empty_clause a && single b
  | _ => false
  end.
Lemma empty_ok c t : matches c t -> empty_clause c = true -> t = [].
Proof.
  induction 1; simpl; try discriminate; auto; rewrite ?andb_true_iff; intros E;
    try (destruct E); try (rewrite IHmatches1, IHmatches2 by auto; reflexivity); auto.
Qed.
Lemma single_ok c t : matches c t -> single c = true -> exists s, t = [s] /\ In s (symbols_of_clause c).
Proof.
  induction 1; simpl; try discriminate; intros E.
  - eauto.
  - apply orb_true_iff in E as [E|E]; apply andb_true_iff in E as [E1 E2].
    + destruct (IHmatches1 E1) as (s & -> & Hs). rewrite (empty_ok b u) by assumption. exists s. rewrite in_app_iff. auto.
    + destruct (IHmatches2 E2) as (s & -> & Hs). rewrite (empty_ok a t) by assumption. exists s. rewrite in_app_iff. auto.
  - apply andb_true_iff in E as [E _]. destruct (IHmatches E) as (s & -> & Hs). exists s. rewrite in_app_iff. auto.
  - apply andb_true_iff in E as [_ E]. destruct (IHmatches E) as (s & -> & Hs). exists s. rewrite in_app_iff. auto.
Qed.
Definition place_known (digits : list symbol) (i : nat) : bool :=
  match place_in digits (nth i digits 0%N) with Some z => z =? Z.of_nat i | None => false end.
Definition two_numbers (digits : list symbol) (one sign two : clause) : bool :=
  (2 <=? length digits)%nat && forallb (place_known digits) (seq 0 (length digits)) && negb (existsb (N.eqb 0) digits) &&
  same_text (members_of one) digits && same_text (members_of two) digits &&
  forallb (fun s => existsb (N.eqb s) digits) (symbols_of_clause one ++ symbols_of_clause two) &&
  negb (nullable one) && negb (nullable two) &&
  single sign && forallb (fun s => negb (existsb (N.eqb s) (0%N :: digits))) (symbols_of_clause sign).

Lemma two_numbers_digits digits one sign two : two_numbers digits one sign two = true ->
  (2 <= length digits)%nat /\ ~ In 0%N digits /\ members_of one = digits /\ members_of two = digits /\
  forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
Proof.
  unfold two_numbers. rewrite !andb_true_iff. intros H. decompose [and] H. clear H.
  repeat split; try (apply same_text_eq; assumption); try (apply Nat.leb_le; assumption).
  - intros Hb. assert (E : existsb (N.eqb 0) digits = true) by (apply existsb_exists; exists 0%N; auto).
    rewrite E in *. discriminate.
  - intros i Hi. assert (P : place_known digits i = true).
    { match goal with F : forallb (place_known digits) _ = true |- _ => rewrite forallb_forall in F; apply F end. apply in_seq. lia. }
    unfold place_known in P. destruct (place_in digits (nth i digits 0%N)) as [z|]; [|discriminate]. f_equal. lia.
Qed.
Lemma two_numbers_parts digits one sign two parts : two_numbers digits one sign two = true ->
  Forall2 matches [one; sign; two] parts -> exists a s b, parts = [a; [s]; b] /\ In s (symbols_of_clause sign) /\
  a <> [] /\ b <> [] /\ (forall s, In s a -> In s digits) /\ (forall s, In s b -> In s digits).
Proof.
  unfold two_numbers. rewrite !andb_true_iff. intros H Hp. decompose [and] H. clear H.
  inversion Hp as [|? a ? l Ha Hl]; subst. inversion Hl as [|? s ? l' Hs Hl']; subst. inversion Hl' as [|? b ? l'' Hb Hl'']; subst.
  inversion Hl''; subst. destruct (single_ok _ _ Hs) as (sym & -> & Hsym); [assumption|].
  assert (N : forall c t, matches c t -> negb (nullable c) = true -> t <> []).
  { intros c t Hm Hn E. rewrite (nullable_ok _ _ Hm E) in Hn. discriminate. }
  assert (D : forall c t, matches c t -> incl (symbols_of_clause c) (symbols_of_clause one ++ symbols_of_clause two) ->
            forall s, In s t -> In s digits).
  { intros c t Hm Hc s Hin. apply (symbols_of_clause_ok _ _ Hm), Hc in Hin.
    match goal with F : forallb _ (_ ++ _) = true |- _ => rewrite forallb_forall in F; apply F in Hin end.
    apply existsb_exists in Hin as (d & Hd & E). apply N.eqb_eq in E. subst. exact Hd. }
  exists a, sym, b. repeat split; eauto using incl_appl, incl_appr, incl_refl.
Qed.

(** * The checker *)
Definition kinds_of (e : fold) (digits : list symbol) (a : aim) : option (control -> column -> option held) :=
  match a, d_stands e with
  | To_add _ _ _, In_part second => Some (number_kind second (d_row e) (nth 0 digits 0%N))
  | To_compare less equal more, In_between => Some (verdict_kind (d_row e) less equal more)
  | _, _ => None
  end.
Definition reading_of (digits : list symbol) (a : aim) : reading :=
  match a with To_add k m c => sum_reading digits k m c | To_compare _ _ _ => order_reading end.

Definition no_column : column := (None, None, (Empty, 0%N)).
Definition no_control : control := (0%N, Pick, 0, []).

Definition check_folds (depth : nat) (left : rules) (o : output_clause) (e : fold) : bool :=
  match o_pieces o, aim_of (o_digits o) (o_value o) with
  | [one; sign; two], Some a =>
      match kinds_of e (o_digits o) a with
      | None => false
      | Some kind_at =>
          let label_at := get no_column (array (d_labels e)) in
          let control_at := get no_control (array (d_controls e)) in
          let coarse := get 0%N (array (d_coarse e)) in
          let number_of_label := number_in _ column_hash column_eqb label_at (number_index _ column_hash (d_labels e)) in
          let number_of_control := number_in _ control_hash control_eqb control_at (number_index _ control_hash (d_controls e)) in
          let head_maps := (array (map by_label (d_heads e false)), array (map by_label (d_heads e true))) in
          let gram_maps := (array (map (by_coarse coarse) (d_grams e false)), array (map (by_coarse coarse) (d_grams e true))) in
          let heads side := if side : bool then snd head_maps else fst head_maps in
          let grams side := if side : bool then snd gram_maps else fst gram_maps in
          two_numbers (o_digits o) one sign two &&
          (d_low e <=? 0) && (0 <? d_low e + Z.of_nat (d_height e)) && (d_row e <? d_height e)%nat &&
          starts_ok depth (o_digits o) (reading_of (o_digits o) a) (symbols_of_clause sign) e coarse number_of_control number_of_label
            heads grams &&
          steps_ok depth (find_rule (rows_of left)) e kind_at control_at label_at coarse number_of_control number_of_label heads grams
      end
  | _, _ => false
  end.

(** * The first world *)
Lemma list_by_nth (l : list symbol) : l = map (fun j => nth j l 0%N) (seq 0 (length l)).
Proof.
  induction l as [|a l IH]; [reflexivity|]. cbn [length seq map nth]. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.
Section Texts.
  Variable digits : list symbol.
  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Definition digit_value (s : symbol) : N := match place_in digits s with Some z => Z.to_N z | None => 0%N end.
  Definition values_of (t : list symbol) : list N := map digit_value (rev t).
  Lemma digit_value_ok s : In s digits -> (digit_value s < N.of_nat (length digits))%N /\
    nth (N.to_nat (digit_value s)) digits 0%N = s /\ place_in digits s = Some (Z.of_N (digit_value s)).
  Proof.
    intros H. apply In_nth with (d := 0%N) in H as (i & Hi & <-). unfold digit_value. rewrite (known i Hi).
    replace (N.to_nat (Z.to_N (Z.of_nat i))) with i by lia. repeat split; [lia|]. f_equal. lia.
  Qed.
  Variable t : list symbol.
  Hypothesis t_digits : forall s, In s t -> In s digits.
  Lemma values_below : Forall (fun v => (v < N.of_nat (length digits))%N) (values_of t).
  Proof.
    apply Forall_forall. intros v Hv. apply in_map_iff in Hv as (s & <- & Hs). apply in_rev in Hs.
    apply digit_value_ok, t_digits, Hs.
  Qed.
  Lemma values_length : length (values_of t) = length t.
  Proof. unfold values_of. rewrite map_length, rev_length. reflexivity. Qed.
  Lemma values_nth j : (j < length t)%nat -> nth_error (values_of t) j = Some (digit_value (nth j (rev t) 0%N)).
  Proof.
    intros H. unfold values_of. rewrite nth_error_map, (nth_error_nth' _ 0%N) by (rewrite rev_length; exact H). reflexivity.
  Qed.
  Lemma values_spelled J : (length t <= J)%nat ->
    spells digits t = Some (value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of (values_of t) j)) J).
  Proof.
    intros H. rewrite (value_more _ _ (length t) J); [|intros i Hi; unfold digit_of; rewrite nth_overflow; [reflexivity | rewrite values_length; exact Hi] | exact H].
    assert (E : t = map (fun j => nth j (rev t) 0%N) (rev (seq 0 (length t)))).
    { rewrite map_rev. rewrite <- (rev_involutive t) at 1. f_equal. rewrite <- (rev_length t). apply list_by_nth. }
    rewrite E at 1. apply spells_value. intros i Hi. pose proof (values_nth i Hi) as N.
    unfold digit_of. rewrite (nth_error_nth _ _ _ N). apply digit_value_ok, t_digits, in_rev. apply nth_In. rewrite rev_length. exact Hi.
  Qed.
End Texts.

Lemma row_col low height t X :
  col low height (input_world t) X = on_row_0 low height (if 0 <=? X then nth (Z.to_nat X) t 0%N else 0%N).
Proof.
  unfold col, on_row_0. apply map_ext. intros i. unfold input_world, row_symbol.
  destruct (low + Z.of_nat i =? 0); [|reflexivity]. destruct (0 <=? X); reflexivity.
Qed.
Lemma first_world low height digits r a s b :
  (forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i)) ->
  (forall s, In s a -> In s digits) -> (forall s, In s b -> In s digits) ->
  let la := Z.of_nat (length a) in
  forall z, folded low height (fun second => if second then la + Z.of_nat (length b) else la - 1) (want r (values_of digits a) (values_of digits b))
              (input_world (a ++ s :: b)) la la z =
            first_tape low height digits r (values_of digits a) (values_of digits b) z.
Proof.
  intros K Ha Hb la z. unfold folded, track_at, first_tape. cbn [sg]. rewrite !row_col. unfold cells_with.
  assert (V : forall t j, (forall s, In s t -> In s digits) -> (j < length t)%nat ->
            nth (N.to_nat (digit_value digits (nth j (rev t) 0%N))) digits 0%N = nth (length t - S j) t 0%N).
  { intros t j Ht Hj. rewrite <- rev_nth by exact Hj. apply (digit_value_ok digits K), Ht, in_rev, nth_In. rewrite rev_length. exact Hj. }
  destruct (Z.ltb_spec 0 z) as [P|P].
  - destruct (Z.ltb_spec 0 (-1 * (z + (la - 1) - la))); [lia|]. destruct (Z.ltb_spec 0 (1 * (z + (la + Z.of_nat (length b)) - la))); [|lia].
    destruct (Z.leb_spec 0 (z + (la + Z.of_nat (length b)))); [|lia].
    rewrite nth_overflow by (rewrite app_length; cbn [length]; lia). reflexivity.
  - destruct (Z.ltb_spec 0 (-1 * (z + (la - 1) - la))); [|lia]. f_equal. f_equal.
    + f_equal. f_equal. destruct (Z.leb_spec 0 (z + (la - 1))).
      * rewrite (values_nth digits a) by (unfold la in *; lia). rewrite V by (assumption || (unfold la in *; lia)).
        rewrite app_nth1 by (unfold la in *; lia).
        replace (length a - S (Z.to_nat (- z)))%nat with (Z.to_nat (z + (la - 1))) by (unfold la in *; lia). reflexivity.
      * rewrite (proj2 (nth_error_None _ _)); [reflexivity|]. rewrite values_length. unfold la in *. lia.
    + destruct (Z.ltb_spec 0 (1 * (z + (la + Z.of_nat (length b)) - la))) as [L|L].
      * rewrite (values_nth digits b) by lia. cbn [option_map]. rewrite V by (assumption || lia).
        destruct (Z.leb_spec 0 (z + (la + Z.of_nat (length b)))); [|lia].
        rewrite app_nth2 by (unfold la in *; lia). do 2 f_equal.
        replace (Z.to_nat (z + (la + Z.of_nat (length b))) - length a)%nat with (S (length b - S (Z.to_nat (- z))))%nat by (unfold la in *; lia).
        reflexivity.
      * rewrite (proj2 (nth_error_None _ _)); [reflexivity|]. rewrite values_length. lia.
Qed.

(** All but finitely many columns to the left stay blank. *)
Lemma blank_at_left T w n : forall c, (forall x y, x < 0 -> w x y = 0%N) -> run T n (start w 0 0) = Some c ->
  exists lo, forall x y, x < lo -> cells c x y = 0%N.
Proof.
  induction n as [|n IH]; intros c Hw H; [injection H as <-; exists 0; exact Hw|]. cbn [run] in H.
  destruct (run T n (start w 0 0)) as [d|]; [|discriminate]. destruct (IH d Hw eq_refl) as [lo Hlo].
  unfold step in H. destruct (acts T d) as [[[s m] p]|]; [|discriminate]. injection H as <-.
  exists (Z.min lo (hx d)). intros x y Hx. cbn [cells]. unfold put. replace (x =? hx d) with false by lia. apply Hlo. lia.
Qed.

(** * What a clause says where LEFT halts *)
Section Says.
  Variables (digits : list symbol) (members : list (list symbol)) (value_ : expression) (a s b : list symbol) (e : fold) (aim_ : aim).
  Hypothesis known : forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i).
  Hypothesis big : (2 <= length digits)%nat.
  Hypothesis no_blank : ~ In 0%N digits.
  Hypotheses (a_digits : forall s, In s a -> In s digits) (b_digits : forall s, In s b -> In s digits) (a_some : a <> []) (b_some : b <> []).
  Hypotheses (one_members : nth 0 members [] = digits) (two_members : nth 2 members [] = digits).
  Hypothesis row_ok : (d_row e < d_height e)%nat.
  Let A := values_of digits a.
  Let B := values_of digits b.
  Let J := longer A B.
  Let number (l : list N) : Z := value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of l j)) J.
  Let parts := [a; s; b].

  Lemma spelled_one : evaluate digits members (Spelled 0) parts = Some (Number (number A)).
  Proof.
    cbn [evaluate]. rewrite one_members. cbn [nth parts]. rewrite (values_spelled digits known a a_digits J); [reflexivity|].
    unfold J, longer, A. rewrite !values_length. lia.
  Qed.
  Lemma spelled_two : evaluate digits members (Spelled 2) parts = Some (Number (number B)).
  Proof.
    cbn [evaluate]. rewrite two_members. cbn [nth parts]. rewrite (values_spelled digits known b b_digits J); [reflexivity|].
    unfold J, longer, B. rewrite !values_length. lia.
  Qed.
  Lemma digits_end j : (J <= j)%nat -> digit_of A j = 0%N /\ digit_of B j = 0%N.
  Proof. unfold J, longer, digit_of. intros H. split; apply nth_overflow; lia. Qed.
  Lemma some_digit : (0 < J)%nat.
  Proof.
    assert (0 < length a)%nat by (destruct a; [congruence | cbn [length]; lia]).
    unfold J, longer, A. rewrite values_length. lia.
  Qed.

  Variables (w : world) (x y : Z) (off : bool -> Z) (p : state) (f : phase).
  Hypothesis outside : blank_outside (d_low e) (d_height e) w.
  Hypothesis left_blank : exists lo, forall x y, x < lo -> w x y = 0%N.
  Let tape := folded (d_low e) (d_height e) off (want (reading_of digits aim_) A B) w x x.

  Lemma adds k m c : aim_ = To_add k m c -> linear value_ = Some (k, m, c) -> forall second,
    (forall j, exists u v, number_kind second (d_row e) (nth 0 digits 0%N) (p, f, y, col (d_low e) (d_height e) w x) (tape j) = Some u /\
       number_kind second (d_row e) (nth 0 digits 0%N) (p, f, y, col (d_low e) (d_height e) w x) (tape (j + 1)) = Some v /\ ordered u v = true) ->
    exists v l, evaluate digits members value_ parts = Some v /\ stands w l /\ says digits v l.
  Proof.
    intros Ea El second Hk.
    assert (N : forall z, rest_blank (In_part second) (d_row e) (col (d_low e) (d_height e) w x) (tape z) = true).
    { intros z. destruct (Hk z) as (u & _ & H & _). unfold number_kind in H. destruct (rest_blank _ _ _ _); [reflexivity | discriminate]. }
    pose proof (number_cell _ _ _ _ _ w x _ row_ok outside N second eq_refl) as Cell. destruct left_blank as [lo Hlo].
    set (row := d_low e + Z.of_nat (d_row e)) in *. set (zero := nth 0 digits 0%N) in *.
    assert (H : forall z, exists u v, holding zero true (w (z + off second) row) (wants_at digits (digit_of A) (digit_of B) J k m c z) = Some u /\
      holding zero true (w (z + 1 + off second) row) (wants_at digits (digit_of A) (digit_of B) J k m c (z + 1)) = Some v /\ ordered u v = true).
    { intros z. destruct (Hk z) as (u & v & Hu & Hv & Ho). exists u, v. unfold number_kind in Hu, Hv. rewrite N in Hu, Hv.
      rewrite Cell in Hu, Hv. unfold tape, folded, want in Hu, Hv. cbn [snd] in Hu, Hv. rewrite Ea in Hu, Hv. fold J in Hu, Hv.
      unfold wants_at. split; [|split; [|exact Ho]]; [destruct (0 <? z); exact Hu | destruct (0 <? z + 1); exact Hv]. }
    set (W := fun X => wants_at digits (digit_of A) (digit_of B) J k m c (X - off second)).
    exists (Number (Z.of_N k * number A + Z.of_N m * number B + Z.of_N c)).
    destruct (result_held digits zero w row (fun X => w X row) W
                (fun X => match holding zero true (w X row) (W X) with Some u => u | None => Bare end) true lo
                (Number (Z.of_N k * number A + Z.of_N m * number B + Z.of_N c))) as (l & Hl).
    - intros X Y. destruct (Z.eqb_spec Y row) as [->|NY]; [reflexivity|]. apply (rest_is_blank _ _ _ _ _ w x _ row_ok outside N). right. exact NY.
    - intros X. destruct (H (X - off second)) as (u & _ & Hu & _). replace (X - off second + off second) with X in Hu by lia.
      unfold W. rewrite Hu. reflexivity.
    - intros _ X. destruct (H (X - off second)) as (u & v & Hu & Hv & Ho). replace (X - off second + off second) with X in Hu by lia.
      replace (X - off second + 1 + off second) with (X + 1) in Hv by lia. unfold W. rewrite Hu.
      replace (X + 1 - off second) with (X - off second + 1) by lia. rewrite Hv. exact Ho.
    - intros X HX. apply Hlo. exact HX.
    - intros _. split; [apply (known 0%nat); lia|]. intros E0. apply no_blank. rewrite <- E0. apply nth_In. lia.
    - apply sum_shown; [exact digits_end | exact big | exact known | lia].
    - exists l. split; [|exact Hl]. apply (linear_ok digits members parts _ _ spelled_one spelled_two). exact El.
  Qed.

  Lemma compares less equal more : aim_ = To_compare less equal more -> aim_of digits value_ = Some aim_ ->
    (forall j, exists u v, verdict_kind (d_row e) less equal more (p, f, y, col (d_low e) (d_height e) w x) (tape j) = Some u /\
       verdict_kind (d_row e) less equal more (p, f, y, col (d_low e) (d_height e) w x) (tape (j + 1)) = Some v /\ ordered u v = true) ->
    exists v l, evaluate digits members value_ parts = Some v /\ stands w l /\ says digits v l.
  Proof.
    intros Ea El Hk.
    assert (N : forall z, rest_blank In_between (d_row e) (col (d_low e) (d_height e) w x) (tape z) = true /\
      (snd (want (reading_of digits aim_) A B z) = 3%N ->
       w x (d_low e + Z.of_nat (d_row e)) = verdict_of less equal more (fst (want (reading_of digits aim_) A B z)))).
    { intros z. destruct (Hk z) as (u & _ & H & _). unfold verdict_kind in H. destruct (rest_blank _ _ _ _); [|discriminate].
      split; [reflexivity|]. intros E3. unfold tape, folded in H. cbn [snd] in H. rewrite E3, cell_at in H by exact row_ok.
      cbn [N.eqb Pos.eqb negb orb andb] in H. destruct (N.eqb_spec (w x (d_low e + Z.of_nat (d_row e)))
        (verdict_of less equal more (fst (want (reading_of digits aim_) A B z)))); [assumption | discriminate]. }
    assert (Below : forall l j, Forall (fun v => (v < N.of_nat (length digits))%N) l -> Z.of_N (digit_of l j) < Z.of_nat (length digits)).
    { intros l j Hl. unfold digit_of. destruct (nth_in_or_default j l 0%N) as [H | ->]; [|lia].
      rewrite Forall_forall in Hl. apply Hl in H. lia. }
    destruct (order_ok digits (digit_of A) (digit_of B) J digits_end big
                (fun j => Below A j (values_below digits known a a_digits)) (fun j => Below B j (values_below digits known b b_digits)) (S J)) as [Lo O].
    set (order := state_at order_reading (digit_of A) (digit_of B) J (S J)) in *.
    assert (EJ : forall l, (forall j, (J <= j)%nat -> digit_of l j = 0%N) ->
              value (Z.of_nat (length digits)) (fun j => Z.of_N (digit_of l j)) (S J) = number l).
    { intros l H. apply value_more; [|lia]. intros i Hi. rewrite H by exact Hi. reflexivity. }
    cbv beta in O. rewrite (EJ A), (EJ B) in O by (intros; apply digits_end; assumption).
    assert (Hord : (Z.of_N order = 0 /\ number A < number B) \/ (Z.of_N order = 1 /\ number A = number B) \/
              (Z.of_N order = 2 /\ number B < number A)) by (destruct order as [|[q|[q|q|]|]]; lia).
    destruct (N (- Z.of_nat J)) as [_ V]. unfold want, reading_of in V. rewrite Ea in V. fold J in V. destruct (Z.ltb_spec 0 (- Z.of_nat J)); [lia|].
    replace (Z.to_nat (- - Z.of_nat J)) with J in V by lia. cbn [fst snd] in V.
    unfold where_at in V. fold J in V. pose proof some_digit as P. replace (J =? 0)%nat with false in V by (symmetry; apply Nat.eqb_neq; lia).
    rewrite Nat.ltb_irrefl in V. specialize (V eq_refl).
    assert (Ew : want_at order_reading (digit_of A) (digit_of B) J J = Wants order).
    { unfold want_at, order. cbn [state_at]. rewrite Nat.ltb_irrefl. reflexivity. }
    rewrite Ew in V. set (told := verdict_of less equal more (Wants order)) in *.
    unfold aim_of in El. destruct (linear value_) as [[[k m] c]|]; [destruct (_ && _ && _); congruence|]. unfold Json.bind in El.
    destruct (match chosen value_ 0 with Some v => symbol_of digits v | None => None end) as [l0|] eqn:E0; [|discriminate].
    destruct (match chosen value_ 1 with Some v => symbol_of digits v | None => None end) as [l1|] eqn:E1; [|discriminate].
    destruct (match chosen value_ 2 with Some v => symbol_of digits v | None => None end) as [l2|] eqn:E2; [|discriminate].
    rewrite Ea in El. injection El as -> -> ->.
    assert (C : exists v, chosen value_ (Z.of_N order) = Some v /\ symbol_of digits v = Some told).
    { assert (O3 : order = 0%N \/ order = 1%N \/ order = 2%N) by lia. unfold told. clear - O3 E0 E1 E2. clearbody order.
      destruct O3 as [-> | [-> | ->]]; cbn [verdict_of Z.of_N];
        [destruct (chosen value_ 0) | destruct (chosen value_ 1) | destruct (chosen value_ 2)]; try discriminate; eauto. }
    destruct C as (v & Cv & Sv). exists v, [told]. split; [|split].
    - exact (chosen_ok digits members parts _ _ spelled_one spelled_two (Z.of_N order) Hord value_ v Cv).
    - assert (Alone : forall X Y, X <> x \/ Y <> d_low e + Z.of_nat (d_row e) -> w X Y = 0%N).
      { intros X Y D. apply (rest_is_blank _ _ _ _ _ w x In_between row_ok outside (fun z => proj1 (N z))).
        destruct D as [D|D]; [left; apply Z.eqb_neq; exact D | right; exact D]. }
      exists (d_low e + Z.of_nat (d_row e)), x. intros X Y.
      destruct (Z.eqb_spec Y (d_low e + Z.of_nat (d_row e))) as [->|NY]; cbn [andb]; [|apply Alone; right; exact NY].
      destruct (Z.leb_spec x X); [|apply Alone; left; lia].
      destruct (Z.eq_dec X x) as [->|NX]; [rewrite Z.sub_diag; exact V|].
      rewrite nth_overflow by (cbn [length]; lia). apply Alone. left. exact NX.
    - apply symbol_of_says; assumption.
  Qed.
End Says.

(** * The theorem *)
Definition as_one (l : list clause) : clause := fold_right Then Nothing l.
Lemma as_one_parts l : forall t, matches (as_one l) t -> exists parts, Forall2 matches l parts /\ t = concat parts.
Proof.
  induction l as [|c l IH]; intros t H; cbn [as_one fold_right] in H; inversion H; subst.
  - exists []. split; [constructor | reflexivity].
  - destruct (IH u) as (parts & Hp & ->); [assumption|]. exists (t0 :: parts). split; [constructor; assumption | reflexivity].
Qed.

Lemma fstep_same T T' low height is_shift k c : (forall p s, T p s = T' p s) ->
  fstep T low height is_shift k c = fstep T' low height is_shift k c.
Proof.
  intros H. assert (A : forall p y cs, act T low height p y cs = act T' low height p y cs).
  { intros p y cs. unfold act. destruct (nth_error cs _); [|reflexivity]. rewrite H. reflexivity. }
  destruct k as [[[p f] y] b]. unfold fstep. destruct f; try reflexivity; [destruct (track_of second c); [|reflexivity]|]; rewrite A; reflexivity.
Qed.

Section Run.
  Variables (T : table) (kept : config -> Prop).
  Hypothesis goes_on : forall c, kept c -> exists s m p, acts T c = Some (s, m, p) /\
    ((s = reads c /\ m = MS) \/ (~ (s = reads c /\ m = MS) /\ kept (after c s m p))).
  Lemma kept_runs w : kept (start w 0 0) -> does_what Never T T w 0 0 /\
    forall n c, halts_after T n w 0 0 c -> kept c.
  Proof.
    intros H0. set (I := fun p q x y w => p = q /\ kept (Config p x y w)).
    assert (K : forall p q x y w, I p q x y w ->
              match joint_step Never T T p q (w x y) with
              | Bad => False
              | Done => True
              | Go s m p' q' => I p' q' (x + dx m) (y + dy m) (put w x y s)
              end).
    { intros p q x y w1 [<- H]. destruct (goes_on _ H) as (s & m & p' & E & D). unfold acts, reads in *. cbn [st hx hy cells] in *.
      unfold joint_step, joint_of. rewrite E. rewrite N.eqb_refl.
      replace (move_eqb m m) with true by (symmetry; apply move_eqb_eq; reflexivity). cbn [andb].
      destruct ((s =? w1 x y)%N && move_eqb m MS) eqn:B; [exact Logic.I|]. destruct D as [[-> ->] | [_ D]].
      - rewrite N.eqb_refl in B. discriminate.
      - split; [reflexivity | exact D]. }
    split; [eapply invariant_sound; [exact K | split; [reflexivity | exact H0]]|].
    intros n c (Hr & _ & Hn). destruct (invariant_runs Never T T I K w 0 0 (conj eq_refl H0) n c Hr Hn) as (q & _ & _ & HI).
    destruct c. exact HI.
  Qed.
End Run.

Lemma first_represented digits r e (Kept : control -> Z -> (Z -> column) -> Prop) a s b :
  (forall i, (i < length digits)%nat -> place_in digits (nth i digits 0%N) = Some (Z.of_nat i)) ->
  (forall s, In s a -> In s digits) -> (forall s, In s b -> In s digits) -> a <> [] ->
  d_low e <= 0 < d_low e + Z.of_nat (d_height e) ->
  let A := values_of digits a in
  let B := values_of digits b in
  let la := Z.of_nat (length a) in
  (forall k z t, Kept k z t -> forall t', (forall j, t' j = t j) -> Kept k z t') ->
  Kept (0%N, In_track false, 0, on_row_0 (d_low e) (d_height e) s) (1 - Z.of_nat (length A)) (first_tape (d_low e) (d_height e) digits r A B) ->
  represented (d_low e) (d_height e) (fun second => if second then la + Z.of_nat (length b) else la - 1) (want r A B) Kept (start (input_world (a ++ s :: b)) 0 0).
Proof.
  intros K Ha Hb Na Hr A B la Same H. exists (In_track false), (1 - la), la. unfold stands_for, start, inside. cbn [st hx hy cells].
  assert (0 < la) by (unfold la; destruct a; [congruence | cbn [length]; lia]).
  split; [exact Hr|]. split; [|split; [cbn [placed sg]; lia|]].
  - intros x y Hy. unfold input_world. destruct (Z.eqb_spec y 0) as [->|]; [contradiction | reflexivity].
  - rewrite row_col. destruct (Z.leb_spec 0 la); [|lia]. replace (Z.to_nat la) with (length a) by (unfold la; lia).
    rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
    unfold A in H. rewrite values_length in H. eapply Same; [exact H|]. intros z. apply first_world; assumption.
Qed.

Theorem check_folds_sound depth left o e : check_folds depth left o e = true ->
  leaves_output (table_of left) o /\
  forall t, matches (as_one (o_pieces o)) t -> does_what Never (table_of left) (table_of left) (input_world t) 0 0.
Proof.
  intros H.
  assert (G : forall parts, Forall2 matches (o_pieces o) parts ->
    does_what Never (table_of left) (table_of left) (input_world (concat parts)) 0 0 /\
    forall n c, halts_after (table_of left) n (input_world (concat parts)) 0 0 c ->
      exists r l, value_of o parts = Some r /\ stands (cells c) l /\ says (o_digits o) r l).
  2: { split; [intros parts Hp; apply (G parts Hp)|]. intros t Ht. apply as_one_parts in Ht as (parts & Hp & ->). apply G, Hp. }
  intros parts Hp. unfold check_folds in H.
  destruct (o_pieces o) as [|one [|sign [|two [|? ?]]]] eqn:Eo; try discriminate.
  destruct (aim_of (o_digits o) (o_value o)) as [a|] eqn:Ea; [|discriminate].
  destruct (kinds_of e (o_digits o) a) as [kind_at|] eqn:Ek; [|discriminate].
  set (digits := o_digits o) in *. set (r := reading_of digits a) in *.
  set (label_at := get no_column (array (d_labels e))) in H. set (control_at := get no_control (array (d_controls e))) in H.
  set (coarse := get 0%N (array (d_coarse e))) in H.
  set (nl := number_in column _ _ _ _) in H. set (nc := number_in control _ _ _ _) in H.
  set (heads := fun side : bool => if side then snd _ else _) in H. set (grams := fun side : bool => if side then snd _ else _) in H.
  assert (Hnl : forall c i, nl c = Some i -> label_at i = c) by (intros c i; apply number_in_ok, column_eqb_eq).
  assert (Hnc : forall k i, nc k = Some i -> control_at i = k) by (intros k i; apply number_in_ok, control_eqb_eq).
  clearbody nl nc heads grams label_at control_at coarse.
  rewrite !andb_true_iff in H. destruct H as [[[[[Htwo Hlow] Hhigh] Hrow] Hstarts] Hsteps]. apply Nat.ltb_lt in Hrow.
  destruct (two_numbers_digits _ _ _ _ Htwo) as (Hbig & Hblank & Hone & Hsecond & Hknown).
  destruct (two_numbers_parts _ _ _ _ _ Htwo Hp) as (ta & s & tb & -> & Hs & Na & Nb & Da & Db).
  cbn [concat app] in *. rewrite app_nil_r in *. set (w0 := input_world (ta ++ s :: tb)).
  set (A := values_of digits ta). set (B := values_of digits tb).
  set (la := Z.of_nat (length ta)). set (off := fun second : bool => if second then la + Z.of_nat (length tb) else la - 1).
  set (Kept := FoldedCheck.kept control_at label_at coarse heads grams).
  set (T := table_of left) in *.
  assert (Step : kept_by (fstep T (d_low e) (d_height e) (is_shift e)) Kept).
  { intros k z t Hk. pose proof (kept_step _ _ _ _ _ _ _ _ _ _ _ Hnc Hnl Hsteps k z t Hk) as S. unfold step_here in S.
    rewrite (fstep_same _ T) in S by (intros; apply find_rows). exact S. }
  assert (First : represented (d_low e) (d_height e) off (want r A B) Kept (start w0 0 0)).
  { apply (first_represented digits r e Kept ta s tb); try assumption; [lia | |].
    - intros k z t (i & lab & Ek' & El & S) t' Ht. exists i, lab. split; [exact Ek'|]. split; [|exact S]. intros j. rewrite Ht. apply El.
    - unfold A, B. apply (kept_first _ _ _ _ _ _ _ _ _ _ _ _ Hnc Hnl Hstarts); try assumption; try lia;
        try (apply values_below; assumption); intros E; apply (f_equal (@length N)) in E; rewrite values_length in E;
      [destruct ta | destruct tb]; simpl in E; congruence. }
  destruct (kept_runs T (represented (d_low e) (d_height e) off (want r A B) Kept)) with (w := w0) as [Run1 Run2];
    [|exact First|].
  { intros c Hc. destruct (tape_step _ _ _ _ _ _ _ Step c Hc) as (s' & m & p & E & [(E1 & E2 & _) | D]); eauto 8. }
  split; [exact Run1|]. intros n c Hh. specialize (Run2 n c Hh).
  destruct (tape_step _ _ _ _ _ _ _ Step c Run2) as (s' & m & p & E & [(_ & _ & f & z & x & S & F) | [D _]]).
  2: { destruct Hh as (_ & [p' Hh] & _). exfalso. apply D. rewrite E in Hh. injection Hh as <- <- _. auto. }
  destruct S as (_ & Hout & _ & Hk).
  assert (Kinds := kept_halted _ _ _ _ _ _ _ _ _ _ _ Hsteps _ _ _ Hk). unfold step_here in Kinds.
  rewrite (fstep_same _ T) in Kinds by (intros; apply find_rows). specialize (Kinds F).
  assert (Left : exists lo, forall x y, x < lo -> cells c x y = 0%N).
  { destruct Hh as (Hr & _). eapply blank_at_left; [|exact Hr]. intros x' y' Hx. unfold w0, input_world.
    replace (0 <=? x') with false by lia. rewrite andb_false_r. reflexivity. }
  unfold value_of. rewrite Eo. unfold kinds_of in Ek. destruct a as [k m' c'|less equal more], (d_stands e) as [second|]; try discriminate; injection Ek as <-.
  - eapply (adds digits _ (o_value o) ta [s] tb e (To_add k m' c')) with (w := cells c) (x := x) (off := off)
      (y := hy c) (p := st c) (f := f); eauto.
    unfold aim_of in Ea. destruct (linear (o_value o)) as [[[k1 m1] c1]|]; [destruct (_ && _ && _); congruence|]. exfalso.
    unfold Json.bind in Ea. repeat (match type of Ea with match ?x with _ => _ end = _ => destruct x end; try discriminate).
  - eapply (compares digits _ (o_value o) ta [s] tb e (To_compare less equal more)) with (w := cells c) (x := x) (off := off)
      (y := hy c) (p := st c) (f := f); eauto.
Qed.

(** * The same table on both sides *)
Fixpoint same_rules (l r : rules) : bool :=
  match l, r with
  | [], [] => true
  | (p, s, (w, m, q)) :: l, (p', s', (w', m', q')) :: r =>
      (p =? p')%N && (s =? s')%N && (w =? w')%N && move_eqb m m' && (q =? q')%N && same_rules l r
  | _, _ => false
  end.
Lemma same_rules_eq l : forall r, same_rules l r = true -> l = r.
Proof.
  induction l as [|[[p s] [[w m] q]] l IH]; intros [|[[p' s'] [[w' m'] q']] r]; cbn [same_rules]; try congruence.
  rewrite !andb_true_iff, !N.eqb_eq, move_eqb_eq. intros H. decompose [and] H. f_equal; [congruence | auto].
Qed.
