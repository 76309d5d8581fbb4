(** (V10), folds: two numbers on one tape, digits of equal weight in one column. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Totals Joint Maps Columns Strips Rows.
From Gridlang Require Import FoldedTape FoldedChains FoldedReadings FoldedInputs FoldedResults FoldedCheck FoldedWorld
  FoldedSays.
Import ListNotations.
Local Open Scope Z_scope.

(** * The checker *)
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
          let number_of_label := number_in _ column_hash column_eqb label_at (number_index _ column_hash (d_labels e))
            in
          let number_of_control := number_in _ control_hash control_eqb control_at
            (number_index _ control_hash (d_controls e)) in
          let head_maps := (array (map by_label (d_heads e false)), array (map by_label (d_heads e true))) in
          let gram_maps := (array (map (by_coarse coarse) (d_grams e false)),
            array (map (by_coarse coarse) (d_grams e true))) in
          let heads side := if side : bool then snd head_maps else fst head_maps in
          let grams side := if side : bool then snd gram_maps else fst gram_maps in
          two_numbers (o_digits o) one sign two &&
          (d_low e <=? 0) && (0 <? d_low e + Z.of_nat (d_height e)) && (d_row e <? d_height e)%nat &&
          starts_ok depth (o_digits o) (reading_of (o_digits o) a) (orders_of e (i_where (o_inputs o))) (fine_for a)
            (symbols_of_clause sign) e coarse number_of_control number_of_label
            heads grams &&
          steps_ok depth (find_rule (rows_of left)) e kind_at control_at label_at coarse number_of_control
            number_of_label heads grams
      end
  | _, _ => false
  end.

(** * The theorem *)
Lemma fstep_same T T' low height is_shift k c : (forall p s, T p s = T' p s) ->
  fstep T low height is_shift k c = fstep T' low height is_shift k c.
Proof.
  intros H. assert (A : forall p y cs, act T low height p y cs = act T' low height p y cs).
  { intros p y cs. unfold act. destruct (nth_error cs _); [|reflexivity]. rewrite H. reflexivity. }
  destruct k as [[[p f] y] b]. unfold fstep.
  destruct f; try reflexivity; [destruct (track_of second c); [|reflexivity]|]; rewrite A; reflexivity.
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
    { intros p q x y w1 [<- H]. destruct (goes_on _ H) as (s & m & p' & E & D). unfold acts, reads in *.
      cbn [st hx hy cells] in *.
      unfold joint_step, joint_of. rewrite E. rewrite N.eqb_refl.
      replace (move_eqb m m) with true by (symmetry; apply move_eqb_eq; reflexivity). cbn [andb].
      destruct ((s =? w1 x y)%N && move_eqb m MS) eqn:B; [exact Logic.I|]. destruct D as [[-> ->] | [_ D]].
      - rewrite N.eqb_refl in B. discriminate.
      - split; [reflexivity | exact D]. }
    split; [eapply invariant_sound; [exact K | split; [reflexivity | exact H0]]|].
    intros n c (Hr & _ & Hn).
    destruct (invariant_runs Never T T I K w 0 0 (conj eq_refl H0) n c Hr Hn) as (q & _ & _ & HI).
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
  Kept (0%N, In_track false, 0, on_row_0 (d_low e) (d_height e) s) (1 - Z.of_nat (length A))
    (first_tape (d_low e) (d_height e) digits r A B) ->
  represented (d_low e) (d_height e) (fun second => if second then la + Z.of_nat (length b)
    else la - 1) (want r A B) Kept (start (input_world (a ++ s :: b)) 0 0).
Proof.
  intros K Ha Hb Na Hr A B la Same H. exists (In_track false), (1 - la), la. unfold stands_for, start, inside.
  cbn [st hx hy cells].
  assert (0 < la) by (unfold la; destruct a; [congruence | cbn [length]; lia]).
  split; [exact Hr|]. split; [|split; [cbn [placed sg]; lia|]].
  - intros x y Hy. unfold input_world. destruct (Z.eqb_spec y 0) as [->|]; [contradiction | reflexivity].
  - rewrite row_col. destruct (Z.leb_spec 0 la); [|lia]. replace (Z.to_nat la) with (length a) by (unfold la; lia).
    rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
    unfold A in H. rewrite values_length in H. eapply Same; [exact H|]. intros z. apply first_world; assumption.
Qed.

Theorem check_folds_sound depth left o e : check_folds depth left o e = true ->
  leaves_output (table_of left) o /\
  forall parts, declared (o_inputs o) parts -> does_what Never (table_of left) (table_of left)
    (input_world (concat parts)) 0 0.
Proof.
  intros H.
  assert (G : forall parts, declared (o_inputs o) parts ->
    does_what Never (table_of left) (table_of left) (input_world (concat parts)) 0 0 /\
    forall n c, halts_after (table_of left) n (input_world (concat parts)) 0 0 c ->
      exists r l, value_of o parts = Some r /\ stands (cells c) l /\ says (o_digits o) r l).
  2: { split; intros parts Hp; apply (G parts Hp). }
  intros parts [Hp Hwhere]. unfold check_folds in H. fold (o_pieces o) in Hp. unfold value_on in Hwhere.
  fold (o_pieces o) (o_digits o) in Hwhere.
  destruct (o_pieces o) as [|one [|sign [|two [|? ?]]]] eqn:Eo; try discriminate.
  destruct (aim_of (o_digits o) (o_value o)) as [a|] eqn:Ea; [|discriminate].
  destruct (kinds_of e (o_digits o) a) as [kind_at|] eqn:Ek; [|discriminate].
  set (digits := o_digits o) in *. set (r := reading_of digits a) in *.
  set (label_at := get no_column (array (d_labels e))) in H.
  set (control_at := get no_control (array (d_controls e))) in H.
  set (coarse := get 0%N (array (d_coarse e))) in H.
  set (nl := number_in column _ _ _ _) in H. set (nc := number_in control _ _ _ _) in H.
  set (heads := fun side : bool => if side then snd _ else _) in H.
  set (grams := fun side : bool => if side then snd _ else _) in H.
  assert (Hnl : forall c i, nl c = Some i -> label_at i = c) by (intros c i; apply number_in_ok, column_eqb_eq).
  assert (Hnc : forall k i, nc k = Some i -> control_at i = k) by (intros k i; apply number_in_ok, control_eqb_eq).
  clearbody nl nc heads grams label_at control_at coarse.
  rewrite !andb_true_iff in H. destruct H as [[[[[Htwo Hlow] Hhigh] Hrow] Hstarts] Hsteps]. apply Nat.ltb_lt in Hrow.
  destruct (two_numbers_digits _ _ _ _ Htwo) as (Hbig & Hblank & Hone & Hsecond & Hknown).
  destruct (two_numbers_parts _ _ _ _ _ Htwo Hp) as (ta & s & tb & -> & Hs & Na & Nb & Da & Db).
  cbn [concat app] in *. rewrite app_nil_r in *. set (w0 := input_world (ta ++ s :: tb)).
  set (A := values_of digits ta). set (B := values_of digits tb).
  set (la := Z.of_nat (length ta)).
  set (off := fun second : bool => if second then la + Z.of_nat (length tb) else la - 1).
  set (Kept := FoldedCheck.kept control_at label_at coarse heads grams).
  set (T := table_of left) in *.
  assert (Step : kept_by (fstep T (d_low e) (d_height e) (is_shift e)) Kept).
  { intros k z t Hk. pose proof (kept_step _ _ _ _ _ _ _ _ _ _ _ Hnc Hnl Hsteps k z t Hk) as S. unfold step_here in S.
    rewrite (fstep_same _ T) in S by (intros; apply find_rows). exact S. }
  assert (NA : A <> []) by (intros E; apply (f_equal (@length N)) in E; unfold A in E; rewrite values_length in E;
    destruct ta; simpl in E; congruence).
  assert (NB : B <> []) by (intros E; apply (f_equal (@length N)) in E; unfold B in E; rewrite values_length in E;
    destruct tb; simpl in E; congruence).
  assert (DA : Forall (fun v => (v < N.of_nat (length digits))%N) A) by (apply values_below; assumption).
  assert (DB : Forall (fun v => (v < N.of_nat (length digits))%N) B) by (apply values_below; assumption).
  assert (Allowed : forall j, (longer A B <= j)%nat ->
    orders_of e (i_where (o_inputs o)) (order_at (orders_of e (i_where (o_inputs o))) A B j) = true).
  { intros j Hj. unfold order_at. destruct (FoldedInputs.compares (orders_of e (i_where (o_inputs o)))) eqn:Ec.
    - unfold orders_of. destruct (d_conditioned e); [|reflexivity].
      eapply (orders_met digits (map members_of [one; sign; two]) ta [s] tb e Hknown Hbig Da Db Hone Hsecond Hrow);
        [exact Hj | exact Hwhere].
    - unfold FoldedInputs.compares in Ec. apply negb_false_iff in Ec. cbn [forallb] in Ec. rewrite !andb_true_iff in Ec.
      apply Ec. }
  assert (First : represented (d_low e) (d_height e) off (want r A B) Kept (start w0 0 0)).
  { apply (first_represented digits r e Kept ta s tb); try assumption; [lia | |].
    - intros k z t (i & lab & Ek' & El & S) t' Ht. exists i, lab. split; [exact Ek'|]. split; [|exact S]. intros j.
      rewrite Ht. apply El.
    - apply (kept_first _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hnc Hnl Hstarts A B DA DB NA NB Allowed); try assumption; lia. }
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
  { destruct Hh as (Hr & _). eapply far_left_blank; [|exact Hr]. intros x' y' Hx. unfold w0, input_world.
    replace (0 <=? x') with false by lia. rewrite andb_false_r. reflexivity. }
  unfold value_of. rewrite Eo. unfold kinds_of in Ek.
  destruct a as [k m' c'|less equal more], (d_stands e) as [second|]; try discriminate; injection Ek as <-.
  - eapply (adds digits _ (o_value o) ta [s] tb e (To_add k m' c')) with (w := cells c) (x := x) (off := off)
      (y := hy c) (p := st c) (f := f); eauto;
      [|apply Z.leb_le; exact (fine_first _ _ _ _ _ _ _ _ _ _ _ _ Hstarts A B DA DB NA NB Allowed)].
    unfold aim_of in Ea. destruct (linear (o_value o)) as [[[k1 m1] c1]|]; [destruct (_ && _ && _); congruence|].
    exfalso.
    unfold Json.bind in Ea.
    repeat (match type of Ea with match ?x with _ => _ end = _ => destruct x end; try discriminate).
  - eapply (compares digits _ (o_value o) ta [s] tb e (To_compare less equal more)) with (w := cells c) (x := x)
      (off := off)
      (y := hy c) (p := st c) (f := f); eauto.
Qed.
