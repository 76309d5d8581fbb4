(** (V10), the tape: a strip folded between two numbers, and LEFT on it. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Joint Strips.
Import ListNotations.
Local Open Scope Z_scope.

Definition cells_of_column := list symbol.             (* of a column of the strip, from the top *)
Definition track := option cells_of_column.            (* none where the part has no such column *)
Definition column : Type := track * track * (Z * N).   (* both tracks; what is wanted, and where it lies *)

(** LEFT's head is in a track of the folded head's column, or in the column between. From there the folded head
    goes to the end of a part before LEFT goes on, past it and back. *)
Inductive phase :=
| In_first | In_second | Between
| To_first | At_first | To_second | At_second          (* to the last column of the first part; to the first of the second *)
| Put_down | Put | Pick_up | Pick.                     (* the column between becomes one of the second part; the next one is held *)
Definition control : Type := state * phase * Z * cells_of_column.  (* LEFT's state, LEFT's row, the column between *)

Inductive move_made := Wrong | Halted | Goes (k : control) (c : column) (d : Z).
Inductive deed_done := Cannot | Idle | Acts (p : state) (y : Z) (cs : cells_of_column) (d : Z).

Section Tape.
  Variables (T : table) (low : Z) (height : nat) (is_shift : cells_of_column -> bool).

  Definition inside (y : Z) : Prop := low <= y < low + Z.of_nat height.
  Fixpoint put_nth (i : nat) (s : symbol) (l : cells_of_column) : cells_of_column :=
    match l, i with
    | [], _ => []
    | _ :: l, O => s :: l
    | u :: l, S i => u :: put_nth i s l
    end.

  (** LEFT acts in a column of the strip. *)
  Definition act (p : state) (y : Z) (cs : cells_of_column) : deed_done :=
    let i := Z.to_nat (y - low) in
    match nth_error cs i with
    | None => Cannot
    | Some s =>
        match T p s with
        | None => Cannot
        | Some (s', m, p') =>
            if (s' =? s)%N && move_eqb m MS then Idle
            else let y' := y + dy m in
              if (low <=? y') && (y' <? low + Z.of_nat height) then Acts p' y' (put_nth i s' cs) (dx m) else Cannot
        end
    end.

  (** The folded head walks while a condition holds; then it turns back, in the next phase. *)
  Definition walk (k : control) (c : column) (on : bool) (d : Z) (next : phase) : move_made :=
    if on then Goes k c d else let '(p, _, y, b) := k in Goes (p, next, y, b) c (- d).
  Definition there (t : track) : bool := match t with Some _ => true | None => false end.

  Definition fstep (k : control) (c : column) : move_made :=
    let '(p, f, y, b) := k in
    let '(one, two, w) := c in
    match f with
    | In_first =>
        match one with
        | None => Goes (p, Between, y, b) c 0
        | Some cs =>
            match act p y cs with
            | Cannot => Wrong | Idle => Halted
            | Acts p y cs d => Goes (p, In_first, y, b) (Some cs, two, w) d
            end
        end
    | In_second =>
        match two with
        | None => Goes (p, Between, y, b) c 0
        | Some cs =>
            match act p y cs with
            | Cannot => Wrong | Idle => Halted
            | Acts p y cs d => Goes (p, In_second, y, b) (one, Some cs, w) d
            end
        end
    | Between =>
        match act p y b with
        | Cannot => Wrong | Idle => Halted
        | Acts p y cs d =>
            let next := if d =? 0 then Between else if 0 <? d then To_second
                        else if is_shift cs then Put_down else To_first in
            Goes (p, next, y, cs) c 0
        end
    | To_first => walk k c (there one) 1 At_first
    | At_first => match one with Some _ => Goes (p, In_first, y, b) c 0 | None => Goes k c (-1) end
    | To_second => walk k c (there two) (-1) At_second
    | At_second => match two with Some _ => Goes (p, In_second, y, b) c 0 | None => Goes k c 1 end
    | Put_down => walk k c (negb (there two)) 1 Put
    | Put => match two with
             | Some _ => Goes k c (-1)
             | None => Goes (p, Pick_up, y, repeat 0%N height) (one, Some b, w) 0
             end
    | Pick_up => walk k c (there one) 1 Pick
    | Pick => match one with
              | Some cs => Goes (p, Between, y, cs) (None, two, w) 0
              | None => Goes k c (-1)
              end
    end.

  (** * The folded tape of a world *)
  Variables (one_at two_at : Z) (want : Z -> Z * N).    (* column z has columns z + one_at and z + two_at of the world *)
  Definition col (w : world) (x : Z) : cells_of_column := map (fun i => w x (low + Z.of_nat i)) (seq 0 height).
  Definition folded (w : world) (end_one end_two : Z) (z : Z) : column :=
    (if z + one_at <? end_one then Some (col w (z + one_at)) else None,
     if end_two <? z + two_at then Some (col w (z + two_at)) else None, want z).

  (** What is kept by the steps of the folded machine. *)
  Variable Holds : control -> Z -> (Z -> column) -> Prop.
  Hypothesis holds_step : forall k z t, Holds k z t ->
    match fstep k (t z) with
    | Wrong => False
    | Halted => True
    | Goes k' c d => forall t', t' z = c -> (forall j, j <> z -> t' j = t j) -> Holds k' (z + d) t'
    end.

  Lemma goes k z t k' c d : Holds k z t -> fstep k (t z) = Goes k' c d ->
    forall t', t' z = c -> (forall j, j <> z -> t' j = t j) -> Holds k' (z + d) t'.
  Proof. intros H E. pose proof (holds_step k z t H) as S. rewrite E in S. exact S. Qed.
  Lemma goes_on k z t k' d : Holds k z t -> fstep k (t z) = Goes k' (t z) d -> Holds k' (z + d) t.
  Proof. intros H E. eapply goes; eauto. Qed.

  (** From anywhere to the last place z0 where a condition holds, seen in the direction d. *)
  Lemma legs k k' d t (on : Z -> bool) z0 : d = 1 \/ d = -1 ->
    (forall z, on z = (d * (z - z0) <=? 0)) ->
    (forall z, fstep k (t z) = if on z then Goes k (t z) d else Goes k' (t z) (- d)) ->
    (forall z, on z = false -> fstep k' (t z) = Goes k' (t z) (- d)) ->
    forall z, Holds k z t -> Holds k' z0 t.
  Proof.
    intros Hd Hon Hk Hk' z H.
    assert (Back : forall n z, d * (z - z0) = Z.of_nat n -> Holds k' z t -> Holds k' z0 t).
    { induction n as [|n IH]; intros z1 E H1; [replace z0 with z1 by (destruct Hd; subst; lia); exact H1|].
      apply (IH (z1 + - d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H1|]. apply Hk'. rewrite Hon. lia. }
    assert (Out : forall n z, d * (z - z0) = 1 - Z.of_nat n -> Holds k z t -> Holds k' z0 t).
    { induction n as [|n IH]; intros z1 E H1.
      - apply (Back O (z1 + - d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H1|].
        rewrite Hk, Hon. replace (d * (z1 - z0) <=? 0) with false by lia. reflexivity.
      - apply (IH (z1 + d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H1|].
        rewrite Hk, Hon. replace (d * (z1 - z0) <=? 0) with true by lia. reflexivity. }
    destruct (Z_le_gt_dec (d * (z - z0)) 1) as [L|G].
    - apply (Out (Z.to_nat (1 - d * (z - z0))) z); [lia | exact H].
    - apply (Back (Z.to_nat (d * (z - z0) - 1)) (z + - d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H|].
      rewrite Hk, Hon. replace (d * (z - z0) <=? 0) with false by lia. reflexivity.
  Qed.

  Ltac by_track := intros; unfold folded; cbn [fstep walk there];
    repeat match goal with |- context [?a <? ?b] => destruct (Z.ltb_spec a b) end;
    cbn [there negb]; try reflexivity; try lia.

  Lemma comes_to_first p y b z w e1 e2 : Holds (p, To_first, y, b) z (folded w e1 e2) ->
    Holds (p, In_first, y, b) (e1 - 1 - one_at) (folded w e1 e2).
  Proof.
    intros H. replace (e1 - 1 - one_at) with (e1 - 1 - one_at + 0) by lia. eapply goes_on.
    - eapply (legs _ (p, At_first, y, b) 1 _ (fun z => z + one_at <? e1)) with (z0 := e1 - 1 - one_at); [auto| | | |exact H]; by_track.
    - by_track.
  Qed.
  Lemma comes_to_second p y b z w e1 e2 : Holds (p, To_second, y, b) z (folded w e1 e2) ->
    Holds (p, In_second, y, b) (e2 + 1 - two_at) (folded w e1 e2).
  Proof.
    intros H. replace (e2 + 1 - two_at) with (e2 + 1 - two_at + 0) by lia. eapply goes_on.
    - eapply (legs _ (p, At_second, y, b) (-1) _ (fun z => e2 <? z + two_at)) with (z0 := e2 + 1 - two_at); [auto| | | |exact H]; by_track.
    - by_track.
  Qed.
  Lemma picks_up p y b z w e1 e2 : Holds (p, Pick_up, y, b) z (folded w e1 e2) ->
    Holds (p, Between, y, col w (e1 - 1)) (e1 - 1 - one_at) (folded w (e1 - 1) e2).
  Proof.
    intros H. replace (e1 - 1 - one_at) with (e1 - 1 - one_at + 0) by lia.
    eapply goes with (t := folded w e1 e2) (k := (p, Pick, y, b)).
    - eapply (legs _ (p, Pick, y, b) 1 _ (fun z => z + one_at <? e1)) with (z0 := e1 - 1 - one_at); [auto| | | |exact H]; by_track.
    - unfold folded at 1. cbn [fstep]. replace (e1 - 1 - one_at + one_at) with (e1 - 1) by lia.
      replace (e1 - 1 <? e1) with true by lia. reflexivity.
    - unfold folded. replace (e1 - 1 - one_at + one_at <? e1 - 1) with false by lia. reflexivity.
    - intros j Hj. unfold folded. replace (j + one_at <? e1 - 1) with (j + one_at <? e1) by lia. reflexivity.
  Qed.
  Lemma puts_down p y z w e1 e2 : Holds (p, Put_down, y, col w e2) z (folded w e1 e2) ->
    Holds (p, Pick_up, y, repeat 0%N height) (e2 - two_at) (folded w e1 (e2 - 1)).
  Proof.
    intros H. replace (e2 - two_at) with (e2 - two_at + 0) by lia.
    eapply goes with (t := folded w e1 e2) (k := (p, Put, y, col w e2)).
    - eapply (legs _ (p, Put, y, col w e2) 1 _ (fun z => negb (e2 <? z + two_at))) with (z0 := e2 - two_at); [auto| | | |exact H]; by_track.
    - unfold folded at 1. cbn [fstep]. replace (e2 <? e2 - two_at + two_at) with false by lia. reflexivity.
    - unfold folded. replace (e2 - 1 <? e2 - two_at + two_at) with true by lia.
      replace (e2 - two_at + two_at) with e2 by lia. reflexivity.
    - intros j Hj. unfold folded. replace (e2 - 1 <? j + two_at) with (e2 <? j + two_at) by lia. reflexivity.
  Qed.
  Lemma shifts p y z w x : Holds (p, Put_down, y, col w x) z (folded w x x) ->
    exists z', Holds (p, Between, y, col w (x - 1)) z' (folded w (x - 1) (x - 1)).
  Proof. intros H. apply puts_down in H. apply picks_up in H. eauto. Qed.

  (** * A step of LEFT *)
  Lemma col_length w x : length (col w x) = height.
  Proof. unfold col. rewrite map_length, seq_length. reflexivity. Qed.
  Lemma col_nth w x i : (i < height)%nat -> nth_error (col w x) i = Some (w x (low + Z.of_nat i)).
  Proof.
    intros H. unfold col. rewrite nth_error_map. rewrite (nth_error_nth' _ O) by (rewrite seq_length; exact H).
    rewrite seq_nth by exact H. reflexivity.
  Qed.
  Lemma col_reads w x y : inside y -> nth_error (col w x) (Z.to_nat (y - low)) = Some (w x y).
  Proof.
    intros H. unfold inside in H. rewrite col_nth by lia. f_equal. f_equal. lia.
  Qed.
  Lemma col_other w x y s x' : x' <> x -> col (put w x y s) x' = col w x'.
  Proof.
    intros H. unfold col. apply map_ext. intros i. unfold put. replace (x' =? x) with false by lia. reflexivity.
  Qed.
  Lemma put_nth_col w x y s : inside y -> put_nth (Z.to_nat (y - low)) s (col w x) = col (put w x y s) x.
  Proof.
    intros H. unfold inside in H. unfold col.
    assert (G : forall m a i, (a <= i < a + m)%nat -> put_nth (i - a) s (map (fun i => w x (low + Z.of_nat i)) (seq a m)) =
              map (fun j => put w x (low + Z.of_nat i) s x (low + Z.of_nat j)) (seq a m)).
    { induction m as [|m IH]; intros a i Hi; [lia|]. cbn [seq map]. destruct (Nat.eq_dec i a) as [->|Ne].
      - rewrite Nat.sub_diag. cbn [put_nth]. f_equal.
        + unfold put. rewrite !Z.eqb_refl. reflexivity.
        + apply map_ext_in. intros j Hj. apply in_seq in Hj. unfold put. rewrite Z.eqb_refl.
          replace (low + Z.of_nat j =? low + Z.of_nat a) with false by lia. reflexivity.
      - replace (i - a)%nat with (S (i - S a)) by lia. cbn [put_nth]. f_equal.
        + unfold put. rewrite Z.eqb_refl. replace (low + Z.of_nat a =? low + Z.of_nat i) with false by lia. reflexivity.
        + apply IH. lia. }
    specialize (G height O (Z.to_nat (y - low)) ltac:(lia)). rewrite Nat.sub_0_r in G. rewrite G.
    apply map_ext. intros i. replace (low + Z.of_nat (Z.to_nat (y - low))) with y by lia. reflexivity.
  Qed.

  Definition blank_outside (w : world) : Prop := forall x y, ~ inside y -> w x y = 0%N.
  Lemma act_ok p y w x : inside y -> act p y (col w x) <> Cannot ->
    exists s m p', T p (w x y) = Some (s, m, p') /\
    ((s = w x y /\ m = MS /\ act p y (col w x) = Idle) \/
     (~ (s = w x y /\ m = MS) /\ inside (y + dy m) /\ act p y (col w x) = Acts p' (y + dy m) (col (put w x y s) x) (dx m))).
  Proof.
    intros Hy H. unfold act in *. rewrite (col_reads w x y Hy) in *.
    destruct (T p (w x y)) as [[[s m] p']|]; [|congruence]. exists s, m, p'. split; [reflexivity|].
    destruct ((s =? w x y)%N && move_eqb m MS) eqn:E.
    - left. apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1. apply move_eqb_eq in E2. auto.
    - right. destruct ((low <=? y + dy m) && (y + dy m <? low + Z.of_nat height)) eqn:B; [|congruence].
      split; [|split; [unfold inside; lia | rewrite (put_nth_col w x y s Hy); reflexivity]].
      intros [-> ->]. rewrite N.eqb_refl in E. discriminate.
  Qed.

  (** The folded tape is LEFT's world, and LEFT's head is where the phase says: x is the column between. *)
  Definition placed (f : phase) (at_ z x : Z) : Prop :=
    match f with
    | In_first => at_ = z + one_at /\ at_ < x
    | In_second => at_ = z + two_at /\ x < at_
    | Between => at_ = x
    | _ => False
    end.
  Definition stands_for (c : config) (f : phase) (z x : Z) : Prop :=
    inside (hy c) /\ blank_outside (cells c) /\ placed f (hx c) z x /\
    Holds (st c, f, hy c, col (cells c) x) z (folded (cells c) x x).
  Definition represented (c : config) : Prop := exists f z x, stands_for c f z x.

  (** Where the head has come to the end of a part. *)
  Lemma comes_between c z x f : inside (hy c) -> blank_outside (cells c) ->
    Holds (st c, f, hy c, col (cells c) x) z (folded (cells c) x x) ->
    (f = In_first /\ hx c = z + one_at /\ hx c <= x) \/ (f = In_second /\ hx c = z + two_at /\ x <= hx c) ->
    represented c.
  Proof.
    intros Hy Hb H [(-> & Hx & Hl) | (-> & Hx & Hl)]; (destruct (Z.eq_dec (hx c) x) as [E|E];
      [exists Between, (z + 0), x; split; [exact Hy|]; split; [exact Hb|]; split; [exact E|];
       eapply goes_on; [exact H|]; cbn [fstep folded] | eexists _, z, x; split; [exact Hy|]; split; [exact Hb|];
       split; [|exact H]; cbn [placed]; lia]).
    - replace (z + one_at <? x) with false by lia. reflexivity.
    - replace (x <? z + two_at) with false by lia. reflexivity.
  Qed.

  Lemma put_blank_outside w x y s : inside y -> blank_outside w -> blank_outside (put w x y s).
  Proof.
    intros Hy H a b Hb. unfold put. destruct (Z.eqb_spec b y) as [->|]; [contradiction|].
    rewrite andb_false_r. apply H. exact Hb.
  Qed.
  Lemma folded_elsewhere w x y s z e : (forall j, j <> z -> j + one_at < e -> j + one_at <> x) ->
    (forall j, j <> z -> e < j + two_at -> j + two_at <> x) ->
    forall j, j <> z -> folded (put w x y s) e e j = folded w e e j.
  Proof.
    intros H1 H2 j Hj. unfold folded. f_equal. f_equal.
    - destruct (Z.ltb_spec (j + one_at) e); [|reflexivity]. rewrite col_other; auto.
    - destruct (Z.ltb_spec e (j + two_at)); [|reflexivity]. rewrite col_other; auto.
  Qed.

  Definition after (c : config) (s : symbol) (m : move) (p : state) : config :=
    Config p (hx c + dx m) (hy c + dy m) (put (cells c) (hx c) (hy c) s).

  Lemma step_first c z x p s m : stands_for c In_first z x -> inside (hy c + dy m) ->
    act (st c) (hy c) (col (cells c) (hx c)) = Acts p (hy c + dy m) (col (put (cells c) (hx c) (hy c) s) (hx c)) (dx m) ->
    represented (after c s m p).
  Proof.
    intros (Hy & Hb & (Hx & Hl) & H) Hy' A.
    eapply comes_between with (z := z + dx m) (x := x) (f := In_first); unfold after; cbn [st hx hy cells];
      [exact Hy' | apply put_blank_outside; assumption | | left; split; [reflexivity | destruct m; cbn [dx]; lia]].
    rewrite (col_other _ (hx c) (hy c) s x) by lia.
    eapply goes; [exact H | | |].
    - cbn [fstep folded]. replace (z + one_at <? x) with true by lia. rewrite <- Hx, A. reflexivity.
    - unfold folded. replace (z + one_at <? x) with true by lia. rewrite <- Hx.
      destruct (Z.ltb_spec x (z + two_at)); [|reflexivity]. rewrite (col_other _ _ _ _ (z + two_at)) by lia. reflexivity.
    - apply folded_elsewhere; lia.
  Qed.
  Lemma step_second c z x p s m : stands_for c In_second z x -> inside (hy c + dy m) ->
    act (st c) (hy c) (col (cells c) (hx c)) = Acts p (hy c + dy m) (col (put (cells c) (hx c) (hy c) s) (hx c)) (dx m) ->
    represented (after c s m p).
  Proof.
    intros (Hy & Hb & (Hx & Hl) & H) Hy' A.
    eapply comes_between with (z := z + dx m) (x := x) (f := In_second); unfold after; cbn [st hx hy cells];
      [exact Hy' | apply put_blank_outside; assumption | | right; split; [reflexivity | destruct m; cbn [dx]; lia]].
    rewrite (col_other _ (hx c) (hy c) s x) by lia.
    eapply goes; [exact H | | |].
    - cbn [fstep folded]. replace (x <? z + two_at) with true by lia. rewrite <- Hx, A. reflexivity.
    - unfold folded. replace (x <? z + two_at) with true by lia. rewrite <- Hx.
      destruct (Z.ltb_spec (z + one_at) x); [|reflexivity]. rewrite (col_other _ _ _ _ (z + one_at)) by lia. reflexivity.
    - apply folded_elsewhere; lia.
  Qed.
  Lemma step_between c z x p s m : stands_for c Between z x -> inside (hy c + dy m) ->
    act (st c) (hy c) (col (cells c) (hx c)) = Acts p (hy c + dy m) (col (put (cells c) (hx c) (hy c) s) (hx c)) (dx m) ->
    represented (after c s m p).
  Proof.
    intros (Hy & Hb & Hx & H) Hy' A. cbn [placed] in Hx. subst x.
    set (w := put (cells c) (hx c) (hy c) s) in *.
    assert (Hsame : forall j, folded w (hx c) (hx c) j = folded (cells c) (hx c) (hx c) j).
    { intros j. unfold folded, w. f_equal. f_equal.
      - destruct (Z.ltb_spec (j + one_at) (hx c)); [|reflexivity]. rewrite col_other by lia. reflexivity.
      - destruct (Z.ltb_spec (hx c) (j + two_at)); [|reflexivity]. rewrite col_other by lia. reflexivity. }
    assert (G : forall f d, fstep (st c, Between, hy c, col (cells c) (hx c)) (folded (cells c) (hx c) (hx c) z) =
              Goes (p, f, hy c + dy m, col w (hx c)) (folded (cells c) (hx c) (hx c) z) d ->
              Holds (p, f, hy c + dy m, col w (hx c)) (z + d) (folded w (hx c) (hx c))).
    { intros f d E. eapply goes; [exact H | exact E | apply Hsame | intros; apply Hsame]. }
    cbn [fstep folded] in G. rewrite A in G.
    assert (Hb' : blank_outside w) by (apply put_blank_outside; assumption).
    destruct (Z.eq_dec (dx m) 0) as [E|N]; [|destruct (Z_lt_ge_dec 0 (dx m)) as [R|L]].
    - specialize (G Between 0). rewrite E in G. exists Between, (z + 0), (hx c). unfold stands_for, after.
      cbn [st hx hy cells placed]. rewrite E, Z.add_0_r. repeat split; try assumption; try (apply Hy'). apply G. reflexivity.
    - specialize (G To_second 0). replace (dx m =? 0) with false in G by lia. replace (0 <? dx m) with true in G by lia.
      eexists In_second, _, (hx c). unfold stands_for, after. cbn [st hx hy cells].
      split; [exact Hy'|]. split; [exact Hb'|].
      split; [|eapply comes_to_second; apply G; reflexivity]. cbn [placed]. destruct m; cbn [dx] in *; lia.
    - replace (dx m =? 0) with false in G by lia. replace (0 <? dx m) with false in G by lia.
      destruct (is_shift (col w (hx c))).
      + specialize (G Put_down 0 eq_refl). apply shifts in G as (z' & G).
        exists Between, z', (hx c - 1). unfold stands_for, after. cbn [st hx hy cells].
        split; [exact Hy'|]. split; [exact Hb'|]. split; [cbn [placed]; destruct m; cbn [dx] in *; lia | exact G].
      + specialize (G To_first 0 eq_refl). eexists In_first, _, (hx c). unfold stands_for, after. cbn [st hx hy cells].
        split; [exact Hy'|]. split; [exact Hb'|].
        split; [|eapply comes_to_first; exact G]. cbn [placed]. destruct m; cbn [dx] in *; lia.
  Qed.

  (** LEFT is not stuck; where it goes on, the tape is that of the next world; where it halts, so does the fold. *)
  Theorem tape_step c : represented c ->
    exists s m p, acts T c = Some (s, m, p) /\
    ((s = reads c /\ m = MS /\ exists f z x, stands_for c f z x /\
        fstep (st c, f, hy c, col (cells c) x) (folded (cells c) x x z) = Halted) \/
     (~ (s = reads c /\ m = MS) /\ represented (after c s m p))).
  Proof.
    intros (f & z & x & S). pose proof S as (Hy & Hb & Hp & H). pose proof (holds_step _ _ _ H) as HS.
    assert (A : act (st c) (hy c) (col (cells c) (hx c)) <> Cannot /\
              (act (st c) (hy c) (col (cells c) (hx c)) = Idle ->
               fstep (st c, f, hy c, col (cells c) x) (folded (cells c) x x z) = Halted)).
    { destruct f; cbn [placed] in Hp; try contradiction; cbn [fstep folded] in *.
      - destruct Hp as [Hx Hl]. replace (z + one_at <? x) with true in * by lia. rewrite <- Hx in *.
        destruct (act _ _ _); split; try congruence; contradiction.
      - destruct Hp as [Hx Hl]. replace (x <? z + two_at) with true in * by lia. rewrite <- Hx in *.
        destruct (act _ _ _); split; try congruence; contradiction.
      - subst x. destruct (act _ _ _); split; try congruence; contradiction. }
    destruct A as [A Ai]. destruct (act_ok _ _ _ _ Hy A) as (s & m & p & Ht & [(Hs & Hm & E) | (Hn & Hi & E)]);
      exists s, m, p; (split; [exact Ht|]); [left | right; split; [exact Hn|]].
    - split; [exact Hs|]. split; [exact Hm|]. exists f, z, x. split; [exact S | exact (Ai E)].
    - destruct f; cbn [placed] in Hp; try contradiction; [eapply step_first | eapply step_second | eapply step_between]; eauto.
  Qed.
End Tape.
