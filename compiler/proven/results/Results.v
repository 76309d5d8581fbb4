(** (V9): where LEFT halts, the world holds what its output clause says. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Totals Joint Maps Windows Columns Strips Descents Starts Closures Rows Readings
  Counters Counted Conditions Verdicts Covered HaltedColumns.
Import ListNotations.
Local Open Scope Z_scope.

(** * The checker, for any reading *)
Record told_result := Told_result {
  t_row : Z; t_anchor : option (bool * Z);             (* whether from the end of the input, and how far *)
  t_before : list (list place); t_beside : list (list place);
  t_expects : list wanted; t_expects_before : list wanted }.

Definition wanted_at (count : N) (wants wants_left : place -> wanted) (pl : N) : wanted :=
  if (pl =? 0)%N then wants_left 0%N else if (pl <=? count)%N then wants (N.pred pl) else wants_left (pl - count)%N.
Definition place_in_label (l : label) : N := snd (fst l).
Definition column_kind (numeric : bool) (zero : symbol) (at_row : nat) (label_at : N -> label) (wants : N -> wanted)
  (i : N) : option held :=
  let l := label_at i in
  match only_at at_row (cells_of l) with
  | Some s => holding zero numeric s (wants (place_in_label l))
  | None => None
  end.
Definition halting_symbol (L : table) (p : state) (s : symbol) : bool :=
  match L p s with Some (s', m, _) => (s' =? s)%N && move_eqb m MS | None => false end.

Section Halting.
  Variables (n : N) (L : table) (low : Z) (class_of : symbol -> N) (kind_of : state -> N).
  Variables (label_at : N -> label) (kind_at : N -> option held).
  Definition halting_chains (el : Strips.element) : option (list chain) :=
    let '(p, _, y, c, l, r) := el in
    match nth_error (cells_of (label_at c)) (Z.to_nat (y - low)) with
    | None => None
    | Some v =>
        if existsb (halting_symbol L p) (symbols_held n class_of v) then
          match kind_at c with
          | Some h => Some [(false, kind_of p, l, h); (true, kind_of p, r, h)]
          | None => None
          end
        else Some []
    end.
End Halting.

Definition same_place (label_at : N -> label) : follow_rule := fun a _ label _ _ =>
  let '(_, _, _, c, _, _) := a in (place_in_label (label_at label) =? place_in_label (label_at c))%N.

Definition check_reading {S} (r : reading S) (state_eqb : S -> S -> bool) (state_hash : S -> N) (numeric : bool)
  (zero : symbol)
    (n : N) (pieces : list clause) (left right : rules) (fuel : nat) (e : strip) (t : told_result) : bool :=
  let labels := array (s_labels e) in
  let label_at := get ([], 0%N, 0%N) labels in
  let coarses := array (s_coarse e) in
  let coarse_at := get 0%N coarses in
  let kinds := array (s_kinds e) in
  let classes := array (s_classes e) in
  let steps := array (map array (s_steps e)) in
  let nexts at_ s := get [] (get (PM.empty _) steps at_) s in
  let before := array (t_before t) in
  let expects := array (t_expects t) in
  let expects_before := array (t_expects_before t) in
  let starts := combine (s_starts e) (t_beside t) in
  let aheads := members gram (fun g => let '(s, K, x, w) := g in ahead_hash s K (coarse_at x :: firstn (s_d e) w))
    (s_grams e) in
  let ahead s K a := bucket gram aheads (ahead_hash s K a) in
  let L := rows_of left in
  let kind_at := column_kind numeric zero (Z.to_nat (t_row t - s_low e)) label_at
                   (wanted_at (count_of e) (get Empty expects) (get Empty expects_before)) in
  match s_descents e with [] => true | _ => false end &&
  ((s_low e <=? t_row t) && (t_row t <? s_low e + Z.of_nat (s_height e))) &&
  check_columns Never n left right e (t_before t) starts (same_place label_at) &&
  covered r state_eqb state_hash n nexts (get [] before) (get Empty expects) (get Empty expects_before)
    (count_of e) (N.of_nat (length (t_before t))) starts fuel pieces &&
  match gather (halting_chains n (find_rule L) (s_low e) (get 0%N classes) (get 0%N kinds) label_at kind_at)
    (s_elements e) with
  | Some firsts => all_right chain chain_hash chain_eqb (next_chains numeric (s_d e) coarse_at kind_at ahead) fuel
    firsts
  | None => false
  end.

Section Soundness.
  Context {St : Type}.
  Variables (r : reading St) (state_eqb : St -> St -> bool) (state_hash : St -> N) (numeric : bool) (zero : symbol).
  Hypothesis state_eqb_eq : forall a b, state_eqb a b = true -> a = b.
  Variables (n : N) (o : output_clause) (left right : rules) (fuel : nat) (e : strip) (t : told_result).
  Hypothesis right_reading : is_right r numeric o.
  Hypothesis zero_ok : numeric = true -> place_in (o_digits o) zero = Some 0 /\ zero <> 0%N.
  Hypothesis checked : check_reading r state_eqb state_hash numeric zero n (o_pieces o) left right fuel e t = true.

  Notation wants := (get Empty (array (t_expects t))).
  Notation wants_left := (get Empty (array (t_expects_before t))).
  Notation kind_at := (column_kind numeric zero (Z.to_nat (t_row t - s_low e)) (labels_of e)
                         (wanted_at (count_of e) wants wants_left)).
  (** The strip stands for the world, and its places are those of the input. *)
  Definition placed (lefts pl : nat -> place) (p q : state) (x y : Z) (w : world) (lab : Z -> N) : Prop :=
    in_strip n e p q x y w lab /\ forall X, place_in_label (labels_of e (lab X)) = place_at (count_of e) lefts pl X.

  Lemma placed_steps lefts pl p q x y w lab : placed lefts pl p q x y w lab ->
    match joint_step Never (table_of left) (table_of right) p q (w x y) with
    | Bad => False
    | Done => True
    | Go s m p' q' => exists lab', placed lefts pl p' q' (x + dx m) (y + dy m) (put w x y s) lab'
    end.
  Proof.
    intros [HI Hp]. unfold check_reading in checked. rewrite !andb_true_iff in checked.
    destruct checked as [[[[Hd _] Hc] _] _]. apply check_columns_runs in Hc as (_ & _ & D & Hsteps & _).
    specialize (Hsteps _ _ _ _ _ _ HI). destruct (joint_step Never _ _ p q (w x y)) as [| |s m p' q']; auto.
    destruct Hsteps as [(c & HI' & Hm) | (sd & last & f & _ & Hne & _)].
    - exists (relabelled lab x c). split; [exact HI'|]. intros X. unfold relabelled.
      destruct (Z.eqb_spec X x) as [->|]; [|apply Hp]. rewrite <- Hp. apply N.eqb_eq in Hm. exact Hm.
    - exfalso. apply Hne. destruct (s_descents e); [reflexivity | discriminate].
  Qed.

  (** An input: where it begins, and what is wanted. *)
  Lemma placed_first u us : declared (o_inputs o) (u :: us) -> exists lefts pl lab W v,
    placed lefts pl 0%N 0%N 0 0 (input_world (u ++ concat us)) lab /\
    (forall X, wanted_at (count_of e) wants wants_left (place_at (count_of e) lefts pl X) = W X) /\
    value_of o (u :: us) = Some v /\ shows (o_digits o) numeric W v.
  Proof.
    intros Hm. destruct (right_reading u us Hm) as (q & outs & ws & known & Hq & Ha & Hknown).
    unfold check_reading in checked. rewrite !andb_true_iff in checked. destruct checked as [[[_ Hc] Hcov] _].
    apply check_columns_runs in Hc as (_ & Hbegin & _).
    destruct (covered_sound r state_eqb state_hash state_eqb_eq _ _ _ _ _ _ _ _ _ _ Hcov _ _ _ _ _ _ Hq Ha (proj1 Hm))
      as (after & pl & lefts & Ek & Hb & Hw & Hwl). destruct (Hknown after Ek) as (v & Hv & Hs).
    destruct (Hbegin _ _ _ Hb) as (lab & HI & Hlab & Hlt).
    exists lefts, pl, lab, (told outs ws after (r_left r)), v. split; [split; [exact HI|]|split; [|split; assumption]].
    - intros X. rewrite Hlab. reflexivity.
    - intros X. unfold wanted_at, place_at, told. destruct (Z.ltb_spec X 0).
      + unfold left_place. rewrite <- Hwl.
        destruct (N.eqb_spec (lefts (Z.to_nat (-1 - X))) 0) as [->|Hne]; [reflexivity|].
        destruct (N.eqb_spec (count_of e + lefts (Z.to_nat (-1 - X))) 0); [lia|].
        destruct (N.leb_spec (count_of e + lefts (Z.to_nat (-1 - X))) (count_of e)); [lia|]. f_equal. lia.
      + unfold right_place. destruct (N.eqb_spec (N.succ (pl (Z.to_nat X))) 0); [lia|].
        specialize (Hlt (Z.to_nat X)). destruct (N.leb_spec (N.succ (pl (Z.to_nat X))) (count_of e)); [|lia].
        rewrite N.pred_succ. apply Hw.
  Qed.

  Lemma column_cell w X s h : fits (s_low e) (s_height e) (get 0%N (array (s_classes e))) w X (labels_of e s) ->
    s_low e <= t_row t < s_low e + Z.of_nat (s_height e) -> kind_at s = Some h ->
    (forall Y, inside (s_low e) (s_height e) Y -> Y <> t_row t -> w X Y = 0%N) /\
    holding zero numeric (w X (t_row t)) (wanted_at (count_of e) wants wants_left (place_in_label (labels_of e s))) =
      Some h.
  Proof.
    intros Hf Hrow Hk. unfold column_kind in Hk. destruct (only_at _ _) as [sy|] eqn:E; [|discriminate].
    assert (G : forall Y, inside (s_low e) (s_height e) Y -> w X Y = if Y =? t_row t then sy else 0%N).
    { intros Y HY. unfold inside in HY. destruct (Hf (Z.to_nat (Y - s_low e))) as (v & Hv & Hh); [lia|].
      rewrite (only_at_ok _ _ _ E _ _ Hv) in Hh. simpl in Hh. rewrite Z2Nat.id in Hh by lia.
      replace (s_low e + (Y - s_low e)) with Y in Hh by lia. rewrite Hh.
      destruct (Z.eqb_spec Y (t_row t)) as [->|Hne].
      - rewrite Nat.eqb_refl. reflexivity.
      - replace (Nat.eqb (Z.to_nat (Y - s_low e)) (Z.to_nat (t_row t - s_low e))) with false; [reflexivity|].
        symmetry. apply Nat.eqb_neq. lia. }
    split.
    - intros Y HY Hne. rewrite G by exact HY. apply Z.eqb_neq in Hne. rewrite Hne. reflexivity.
    - rewrite G by exact Hrow. rewrite Z.eqb_refl. exact Hk.
  Qed.

  (** At the halt each column is known, on both sides. *)
  Lemma halted_columns lefts pl p q x y w lab p' : placed lefts pl p q x y w lab ->
    table_of left p (w x y) = Some (w x y, MS, p') ->
    exists kind, (forall X, kind_at (lab X) = Some (kind X)) /\
      (numeric = true -> forall X, ordered (kind X) (kind (X + 1)) = true).
  Proof.
    intros [(Hover & Hy & _ & Hfit & Hel & Hg) _] Hh. unfold check_reading in checked.
    rewrite !andb_true_iff in checked.
    destruct checked as [_ Hch].
    match type of Hch with (match gather ?f _ with _ => _ end) = _ => set (halting := f) in Hch end.
    destruct (gather halting (s_elements e)) as [firsts|] eqn:Eg; [|discriminate].
    apply all_right_sound in Hch as (S_ & Hfirst & Hclosed); [|exact chain_eqb_eq].
    destruct (gather_in _ _ _ Eg _ Hel) as (l & Hl & Hin). unfold halting, halting_chains, here in Hl.
    unfold inside in Hy. destruct (Hfit x (Z.to_nat (y - s_low e))) as (v & Hv & Hholds); [lia|].
    rewrite Z2Nat.id in Hholds by lia. replace (s_low e + (y - s_low e)) with y in Hholds by lia.
    change (get ([], 0%N, 0%N) (array (s_labels e))) with (labels_of e) in Hl. rewrite Hv in Hl.
    replace (existsb _ _) with true in Hl.
    2: { symmetry. apply existsb_exists. exists (w x y). split.
         - apply Strips.held; [exact Hholds | apply Hover].
         - unfold halting_symbol. rewrite find_rows, Hh, N.eqb_refl. reflexivity. }
    destruct (kind_at (lab x)) as [h|] eqn:Ek; [|discriminate]. injection Hl as <-.
    assert (ahead_ok : forall sd K x w, In (sd, K, x, w) (s_grams e) ->
              In (sd, K, x, w) (bucket gram (members gram (fun g => let '(s, K, x, w) := g in
                ahead_hash s K (coarse_of e x :: firstn (s_d e) w)) (s_grams e))
                  (ahead_hash sd K (coarse_of e x :: firstn (s_d e) w)))).
    { intros sd K x0 w0 Hin0. exact (members_complete _ (fun g : gram => let '(s, K, x, w) := g in
        ahead_hash s K (coarse_of e x :: firstn (s_d e) w)) _ _ Hin0). }
    pose proof (all_columns numeric (s_d e) (coarse_of e) kind_at (s_grams e) _ ahead_ok S_ Hclosed) as AC.
    pose proof (ordered_columns numeric (s_d e) (coarse_of e) kind_at (s_grams e) _ ahead_ok S_ Hclosed) as OC.
    set (K := get 0%N (array (s_kinds e)) p) in *.
    assert (HL : In (false, K, near (coarse_of e) (S (s_d e)) (sg false) lab x, h) S_) by (apply Hfirst, Hin; left;
      reflexivity).
    assert (HR : In (true, K, near (coarse_of e) (S (s_d e)) (sg true) lab x, h) S_) by (apply Hfirst, Hin; right; left;
      reflexivity).
    exists (kind_of_column kind_at lab). split.
    - intros X. destruct (Z.lt_ge_cases X x).
      + destruct (AC false K lab x (Hg false) h Ek HL (Z.to_nat (x - X))) as [_ A]. unfold sg in A.
        replace (x + -1 * Z.of_nat (Z.to_nat (x - X))) with X in A by lia. exact A.
      + destruct (AC true K lab x (Hg true) h Ek HR (Z.to_nat (X - x))) as [_ A]. unfold sg in A.
        replace (x + 1 * Z.of_nat (Z.to_nat (X - x))) with X in A by lia. exact A.
    - intros Hnum X. destruct (Z.lt_ge_cases X x).
      + pose proof (OC false K lab x (Hg false) h Ek HL (Z.to_nat (x - X - 1))) as A. cbv zeta in A. unfold sg in A.
        replace (x + -1 * Z.of_nat (Z.to_nat (x - X - 1))) with (X + 1) in A by lia.
        replace (X + 1 + -1) with X in A by lia.
        apply orb_true_iff in A as [A|A]; [rewrite Hnum in A; discriminate | exact A].
      + pose proof (OC true K lab x (Hg true) h Ek HR (Z.to_nat (X - x))) as A. cbv zeta in A. unfold sg in A.
        replace (x + 1 * Z.of_nat (Z.to_nat (X - x))) with X in A by lia.
        apply orb_true_iff in A as [A|A]; [rewrite Hnum in A; discriminate | exact A].
  Qed.

  Theorem check_reading_leaves : o_pieces o <> [] -> leaves_output (table_of left) o.
  Proof.
    intros Hne parts Hm m c (Hrun & [p' Hhalt] & Hbefore).
    destruct parts as [|u us]; [destruct Hm as [Hm _]; inversion Hm as [E|]; unfold o_pieces in Hne; congruence|].
    destruct (placed_first u us Hm) as (lefts & pl & lab0 & W & v & Hfirst & HW & Hv & Hs).
    destruct (invariant_runs Never (table_of left) (table_of right) (fun p q x y w => exists lab,
      placed lefts pl p q x y w lab))
      with (w := input_world (concat (u :: us))) (x := 0) (y := 0) (n := m) (cl := c) as (q & _ & lab & Hpl); auto.
    { intros p q x y w [lab H]. exact (placed_steps lefts pl p q x y w lab H). }
    { exists lab0. exact Hfirst. }
    destruct (halted_columns _ _ _ _ _ _ _ _ p' Hpl Hhalt) as (kind & Hk & Ho).
    destruct Hpl as [(_ & _ & Hout & Hfit & _ & _) Hplace].
    destruct (far_left_blank (table_of left) (input_world (concat (u :: us)))) with (m := m) (c := c) as [far Hfar];
      auto.
    { intros X Y HX. unfold input_world. destruct (Z.leb_spec 0 X); [lia|]. rewrite andb_false_r. reflexivity. }
    assert (Hrow : s_low e <= t_row t < s_low e + Z.of_nat (s_height e)).
    { unfold check_reading in checked. rewrite !andb_true_iff in checked. destruct checked as [[[[_ [H1 H2]] _] _] _].
      apply Z.leb_le in H1. apply Z.ltb_lt in H2. lia. }
    destruct (result_held (o_digits o) zero (cells c) (t_row t) (fun X => cells c X (t_row t)) W kind numeric far v) as
      (l & Hst & Hsay); auto.
    - intros X Y. destruct (Z.eqb_spec Y (t_row t)) as [->|Hy]; [reflexivity|].
      destruct (column_cell _ _ _ _ (Hfit X) Hrow (Hk X)) as [Hz _].
      destruct (Z.lt_ge_cases Y (s_low e)) as [|]; [apply Hout; unfold inside; lia|].
      destruct (Z.lt_ge_cases Y (s_low e + Z.of_nat (s_height e)));
        [apply Hz; [unfold inside; lia | exact Hy] | apply Hout; unfold inside; lia].
    - intros X. rewrite <- HW, <- Hplace. apply (column_cell _ _ _ _ (Hfit X) Hrow (Hk X)).
    - exists v, l. split; [exact Hv|]. split; assumption.
  Qed.

  Theorem check_reading_same parts : declared (o_inputs o) parts -> o_pieces o <> [] ->
    does_what Never (table_of left) (table_of right) (input_world (concat parts)) 0 0.
  Proof.
    intros Hm Hne. destruct parts as [|u us]; [destruct Hm as [Hm _]; inversion Hm as [E|]; unfold o_pieces in Hne;
      congruence|].
    destruct (placed_first u us Hm) as (lefts & pl & lab0 & W & v & Hfirst & _).
    eapply invariant_sound with (I := fun p q x y w => exists lab, placed lefts pl p q x y w lab).
    - intros p q x y w [lab H]. exact (placed_steps lefts pl p q x y w lab H).
    - exists lab0. exact Hfirst.
  Qed.
End Soundness.

(** * The checker *)
Definition divided (v : expression) : option Z :=
  match v with Operation Div (Spelled O) (Constant k) => Some k | _ => None end.
Lemma divided_is v k : divided v = Some k -> v = Operation Div (Spelled O) (Constant k).
Proof.
  destruct v; try discriminate. destruct o; try discriminate. destruct v1; try discriminate.
  destruct i; try discriminate. destruct v2; try discriminate. intros H. injection H as ->. reflexivity.
Qed.

Lemma on_declared_right {S} (r : reading S) numeric o : is_right r numeric o ->
  is_right (on_declared (o_inputs o) r) numeric o.
Proof.
  intros H u us Hd. destruct (H u us Hd) as (q & outs & ws & known & Hq & Ha & Hk).
  exists (q, first_counts (counting (o_inputs o))), outs, ws, known. split; [apply on_declared_starts; exact Hq|].
  split; [apply on_declared_accepts; assumption | exact Hk].
Qed.

Section Check.
  Variables (n : N) (o : output_clause) (left right : rules) (fuel : nat) (e : strip) (t : told_result).
  Notation digits := (o_digits o).
  Notation check_with r eqb hash numeric :=
    (check_reading (on_declared (o_inputs o) r) (with_counters eqb) (hash_with hash) numeric (hd 0%N digits) n
      (o_pieces o)
      left right fuel e t).

  Definition check_quotient (k : Z) : bool :=
    (1 <? k) && (k <=? largest_constant) && part_0_ok o && check_with (quotient digits k) Z.eqb zn true.
  Definition check_verdict : bool :=
    match t_anchor t with
    | Some (from_end, offset) =>
        (period_of (o_value o) <=? largest_constant) && (bound_of (o_value o) <=? largest_constant) &&
          verdict_known o &&
        check_with (verdict_reading o from_end offset) (fun a b => if state_eq_dec a b then true
          else false) state_hash false
    | None => false
    end.
  Definition check_results : bool :=
    match o_pieces o with [] => false | _ => true end &&
    match divided (o_value o) with Some k => check_quotient k | None => check_verdict end.

  Definition both_hold : Prop := leaves_output (table_of left) o /\
    forall parts, declared (o_inputs o) parts -> does_what Never (table_of left) (table_of right)
      (input_world (concat parts)) 0 0.
  Hypothesis some_piece : o_pieces o <> [].
  Lemma with_reading {S} (r : reading S) eqb hash numeric : (forall a b, eqb a b = true -> a = b) ->
    (numeric = true -> digits_ok digits = true) -> is_right r numeric o -> check_with r eqb hash numeric = true ->
      both_hold.
  Proof.
    intros He Hd Hr H. apply on_declared_right in Hr. pose proof (with_counters_eq eqb He).
    assert (Hz : numeric = true -> place_in digits (hd 0%N digits) = Some 0 /\ hd 0%N digits <> 0%N).
    { intros Hn. specialize (Hd Hn). unfold digits_ok in Hd. rewrite !andb_true_iff in Hd. destruct Hd as [[Hl Hb] _].
      revert Hl Hb. destruct digits as [|z l]; [discriminate|]. intros _ Hb. cbn [hd place_in]. rewrite N.eqb_refl.
      split; [reflexivity|]. intros ->. simpl in Hb. discriminate. }
    split; [|intros parts Hm]; [eapply check_reading_leaves | eapply check_reading_same]; eauto.
  Qed.
End Check.

Theorem check_results_sound n o left right fuel e t : check_results n o left right fuel e t = true ->
  both_hold o left right.
Proof.
  unfold check_results. intros H. apply andb_true_iff in H as [Hp H].
  assert (Hne : o_pieces o <> []) by (intros E; rewrite E in Hp; discriminate).
  destruct (divided (o_value o)) as [k|] eqn:E.
  - unfold check_quotient in H. rewrite !andb_true_iff in H. destruct H as [[[Hk _] Hq] Hc]. apply Z.ltb_lt in Hk.
    apply (with_reading n o left right fuel e t Hne (quotient (o_digits o) k) _ _ true) in Hc;
      [exact Hc | intros a b; apply Z.eqb_eq | | apply quotient_right; [exact Hq | apply divided_is, E | lia]].
    intros _. unfold part_0_ok in Hq. apply andb_true_iff in Hq as [_ Hq]. exact Hq.
  - unfold check_verdict in H. destruct (t_anchor t) as [[from_end offset]|]; [|discriminate].
    rewrite !andb_true_iff in H. destruct H as [[_ Hv] Hc].
    apply (with_reading n o left right fuel e t Hne (verdict_reading o from_end offset) _ _ false) in Hc;
      [exact Hc | intros a b; destruct (state_eq_dec a b); congruence | discriminate | apply verdict_right; exact Hv].
Qed.
