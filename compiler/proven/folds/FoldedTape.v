(** (V10), the tape: a strip folded between two numbers, and LEFT on it. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Strips Rows.
Import ListNotations.
Local Open Scope Z_scope.

Definition cells_of_column := list symbol.             (* of a column of the strip, from the top *)
Definition track := option cells_of_column.            (* none where the part has no such column *)
Definition column : Type := track * track * (wanted * N).   (* both tracks; what is wanted, and where it lies *)
Definition track_of (second : bool) (c : column) : track := if second then snd (fst c) else fst (fst c).
Definition with_track (second : bool) (t : track) (c : column) : column :=
  let '(one, two, w) := c in if second then (one, t, w) else (t, two, w).

(** LEFT's head is in a track of the folded head's column, or in the column between. From there the folded head
    goes to the end of a part before LEFT goes on, past it and back. *)
Inductive phase :=
| In_track (second : bool) | Between
| To (second : bool) | At (second : bool)
| Put_down | Put | Pick_up | Pick.
(* the column between becomes one of the second part; the next one is held *)
Definition control : Type := state * phase * Z * cells_of_column.  (* LEFT's state, LEFT's row, the column between *)

Inductive move_made := Wrong | Halted | Goes (k : control) (c : column) (d : Z).
Inductive deed_done := Cannot | Idle | Acts (p : state) (y : Z) (cs : cells_of_column) (d : Z).

(** Whatever a step does not touch, it keeps. *)
Definition kept_by (step : control -> column -> move_made) (Holds : control -> Z -> (Z -> column) -> Prop) : Prop :=
  forall k z t, Holds k z t ->
  match step k (t z) with
  | Wrong => False
  | Halted => True
  | Goes k' c d => forall t', t' z = c -> (forall j, j <> z -> t' j = t j) -> Holds k' (z + d) t'
  end.

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
    match f with
    | In_track s =>
        match track_of s c with
        | None => Goes (p, Between, y, b) c 0
        | Some cs =>
            match act p y cs with
            | Cannot => Wrong | Idle => Halted
            | Acts p y cs d => Goes (p, f, y, b) (with_track s (Some cs) c) d
            end
        end
    | Between =>
        match act p y b with
        | Cannot => Wrong | Idle => Halted
        | Acts p y cs d =>
            let next := if d =? 0 then Between else if 0 <? d then To true else if is_shift cs then Put_down
              else To false in
            Goes (p, next, y, cs) c 0
        end
    | To s => walk k c (there (track_of s c)) (- sg s) (At s)
    | At s => if there (track_of s c) then Goes (p, In_track s, y, b) c 0 else Goes k c (sg s)
    | Put_down => walk k c (negb (there (track_of true c))) 1 Put
    | Put => if there (track_of true c) then Goes k c (-1)
             else Goes (p, Pick_up, y, repeat 0%N height) (with_track true (Some b) c) 0
    | Pick_up => walk k c (there (track_of false c)) 1 Pick
    | Pick => match track_of false c with
              | Some cs => Goes (p, Between, y, cs) (with_track false None c) 0
              | None => Goes k c (-1)
              end
    end.

  (** * The folded tape of a world: column z has its columns z + off; parts end at the column x between *)
  Variables (off : bool -> Z) (want : Z -> wanted * N).
  Definition col (w : world) (x : Z) : cells_of_column := map (fun i => w x (low + Z.of_nat i)) (seq 0 height).
  Definition track_at (w : world) (x : Z) (s : bool) (z : Z) : track :=
    if 0 <? sg s * (z + off s - x) then Some (col w (z + off s)) else None.
  Definition folded (w : world) (end_one end_two : Z) (z : Z) : column :=
    (track_at w end_one false z, track_at w end_two true z, want z).

  (** What is kept by the steps of the folded machine. *)
  Variable Holds : control -> Z -> (Z -> column) -> Prop.
  Hypothesis holds_step : kept_by fstep Holds.

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
    intros Hd Hon Hk Hk'.
    assert (Back : forall n z, d * (z - z0) = Z.of_nat n -> Holds k' z t -> Holds k' z0 t).
    { induction n as [|n IH]; intros z1 E H1; [replace z0 with z1 by (destruct Hd; subst; lia); exact H1|].
      apply (IH (z1 + - d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H1|]. apply Hk'. rewrite Hon. lia. }
    assert (Turn : forall z, 0 < d * (z - z0) -> Holds k z t -> Holds k' z0 t).
    { intros z1 L H1. apply (Back (Z.to_nat (d * (z1 - z0) - 1)) (z1 + - d)); [destruct Hd; subst; lia|].
      eapply goes_on; [exact H1|]. rewrite Hk, Hon. replace (d * (z1 - z0) <=? 0) with false by lia. reflexivity. }
    assert (Out : forall n z, d * (z - z0) = 1 - Z.of_nat n -> Holds k z t -> Holds k' z0 t).
    { induction n as [|n IH]; intros z1 E H1; [apply (Turn z1); [lia | exact H1]|].
      apply (IH (z1 + d)); [destruct Hd; subst; lia|]. eapply goes_on; [exact H1|].
      rewrite Hk, Hon. replace (d * (z1 - z0) <=? 0) with true by lia. reflexivity. }
    intros z H. destruct (Z_le_gt_dec (d * (z - z0)) 0); [|apply (Turn z); [lia | exact H]].
    apply (Out (Z.to_nat (1 - d * (z - z0))) z); [lia | exact H].
  Qed.

  Ltac by_track := intros; cbn [fstep walk]; unfold track_of, folded, track_at in *; cbn [fst snd sg] in *;
    repeat match goal with |- context [?a <? ?b] => destruct (Z.ltb_spec a b) end;
    cbn [there negb] in *; try reflexivity; try discriminate; try lia.

  Lemma comes_to s p y b z w e1 e2 : Holds (p, To s, y, b) z (folded w e1 e2) ->
    Holds (p, In_track s, y, b) ((if s then e2 else e1) + sg s - off s) (folded w e1 e2).
  Proof.
    intros H. rewrite <- (Z.add_0_r (_ - off s)). apply goes_on with (k := (p, At s, y, b)).
    - eapply (legs _ (p, At s, y, b) (- sg s) _ (fun z => there (track_of s (folded w e1 e2 z)))) with (z := z);
        [| | | |exact H];
        destruct s; auto; by_track.
    - destruct s; by_track.
  Qed.
  Lemma picks_up p y b z w e1 e2 : Holds (p, Pick_up, y, b) z (folded w e1 e2) ->
    Holds (p, Between, y, col w (e1 - 1)) (e1 - 1 - off false) (folded w (e1 - 1) e2).
  Proof.
    intros H. rewrite <- (Z.add_0_r (_ - off false)). eapply goes with (t := folded w e1 e2) (k := (p, Pick, y, b))
      (c := with_track false None (folded w e1 e2 (e1 - 1 - off false))).
    - eapply (legs _ (p, Pick, y, b) 1 _ (fun z => there (track_of false (folded w e1 e2 z)))) with (z := z);
        [auto| | | |exact H]; by_track.
    - by_track; replace (e1 - 1 - off false + off false) with (e1 - 1) by lia; reflexivity.
    - by_track.
    - by_track.
  Qed.
  Lemma puts_down p y z w e1 e2 : Holds (p, Put_down, y, col w e2) z (folded w e1 e2) ->
    Holds (p, Pick_up, y, repeat 0%N height) (e2 - off true) (folded w e1 (e2 - 1)).
  Proof.
    intros H. rewrite <- (Z.add_0_r (_ - off true)). eapply goes with (t := folded w e1 e2) (k := (p, Put, y, col w e2))
      (c := with_track true (Some (col w e2)) (folded w e1 e2 (e2 - off true))).
    - eapply (legs _ (p, Put, y, col w e2) 1 _ (fun z => negb (there (track_of true (folded w e1 e2 z))))) with
        (z := z); [auto| | | |exact H]; by_track.
    - by_track.
    - by_track; replace (e2 - off true + off true) with e2 by lia; reflexivity.
    - by_track.
  Qed.

  (** * A step of LEFT *)
  Lemma col_nth w x i : (i < height)%nat -> nth_error (col w x) i = Some (w x (low + Z.of_nat i)).
  Proof.
    intros H. unfold col. rewrite nth_error_map. rewrite (nth_error_nth' _ O) by (rewrite seq_length; exact H).
    rewrite seq_nth by exact H. reflexivity.
  Qed.
  Lemma col_reads w x y : inside y -> nth_error (col w x) (Z.to_nat (y - low)) = Some (w x y).
  Proof. unfold inside. intros H. rewrite col_nth by lia. f_equal. f_equal. lia. Qed.
  Lemma col_other w x y s x' : x' <> x -> col (put w x y s) x' = col w x'.
  Proof.
    intros H. unfold col. apply map_ext. intros i. unfold put. replace (x' =? x) with false by lia. reflexivity.
  Qed.
  Lemma put_nth_map (f : nat -> symbol) s : forall m a i, (a <= i < a + m)%nat ->
    put_nth (i - a) s (map f (seq a m)) = map (fun j => if (j =? i)%nat then s else f j) (seq a m).
  Proof.
    induction m as [|m IH]; intros a i Hi; [lia|]. cbn [seq map]. destruct (Nat.eqb_spec a i) as [->|Ne].
    - rewrite Nat.sub_diag. cbn [put_nth]. f_equal. apply map_ext_in. intros j Hj. apply in_seq in Hj.
      destruct (Nat.eqb_spec j i); [lia | reflexivity].
    - replace (i - a)%nat with (S (i - S a)) by lia. cbn [put_nth]. f_equal. apply IH. lia.
  Qed.
  Lemma put_nth_col w x y s : inside y -> put_nth (Z.to_nat (y - low)) s (col w x) = col (put w x y s) x.
  Proof.
    intros H. unfold inside in H. unfold col. rewrite <- (Nat.sub_0_r (Z.to_nat _)), put_nth_map by lia.
    apply map_ext. intros j. unfold put. rewrite Z.eqb_refl. cbn [andb].
    destruct (Nat.eqb_spec j (Z.to_nat (y - low))), (Z.eqb_spec (low + Z.of_nat j) y); try reflexivity; lia.
  Qed.

  Definition blank_outside (w : world) : Prop := forall x y, ~ inside y -> w x y = 0%N.
  Lemma put_blank_outside w x y s : inside y -> blank_outside w -> blank_outside (put w x y s).
  Proof.
    intros Hy H a b Hb. unfold put. destruct (Z.eqb_spec b y) as [->|]; [contradiction|].
    rewrite andb_false_r. apply H. exact Hb.
  Qed.

  Definition after (c : config) (s : symbol) (m : move) (p : state) : config :=
    Config p (hx c + dx m) (hy c + dy m) (put (cells c) (hx c) (hy c) s).
  (** What is done in the column of the head is what LEFT does. *)
  Lemma act_ok c : inside (hy c) -> let deed := act (st c) (hy c) (col (cells c) (hx c)) in deed <> Cannot ->
    exists s m p, acts T c = Some (s, m, p) /\
    ((s = reads c /\ m = MS /\ deed = Idle) \/
     (~ (s = reads c /\ m = MS) /\ inside (hy c + dy m) /\
       deed = Acts p (hy c + dy m) (col (cells (after c s m p)) (hx c)) (dx m))).
  Proof.
    intros Hy deed H. unfold deed, act in *. rewrite (col_reads _ _ _ Hy) in *. unfold acts. fold (reads c) in *.
    destruct (T (st c) (reads c)) as [[[s m] p]|]; [|congruence]. exists s, m, p. split; [reflexivity|].
    destruct ((s =? reads c)%N && move_eqb m MS) eqn:E.
    - left. apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1. apply move_eqb_eq in E2. auto.
    - right. destruct ((low <=? hy c + dy m) && (hy c + dy m <? low + Z.of_nat height)) eqn:B; [|congruence].
      split; [|split; [unfold inside; lia | rewrite (put_nth_col _ _ _ s Hy); reflexivity]].
      intros [-> ->]. rewrite N.eqb_refl in E. discriminate.
  Qed.

  (** The folded tape is LEFT's world, and LEFT's head is where the phase says: x is the column between. *)
  Definition placed (f : phase) (at_ z x : Z) : Prop :=
    match f with
    | In_track s => at_ = z + off s /\ 0 < sg s * (at_ - x)
    | Between => at_ = x
    | _ => False
    end.
  Definition stands_for (c : config) (f : phase) (z x : Z) : Prop :=
    inside (hy c) /\ blank_outside (cells c) /\ placed f (hx c) z x /\
    Holds (st c, f, hy c, col (cells c) x) z (folded (cells c) x x).
  Definition represented (c : config) : Prop := exists f z x, stands_for c f z x.

  Lemma folded_track w x s z : track_of s (folded w x x z) = track_at w x s z.
  Proof. destruct s; reflexivity. Qed.
  Lemma track_elsewhere w x y s e side z : z + off side <> x -> track_at (put w x y s) e side z = track_at w e side z.
  Proof. intros H. unfold track_at. destruct (0 <? _); [rewrite col_other by exact H|]; reflexivity. Qed.
  Lemma track_beyond w x y s e side z : 0 <= sg (negb side) * (x - e) ->
    track_at (put w x y s) e side z = track_at w e side z.
  Proof.
    intros H. unfold track_at. destruct (Z.ltb_spec 0 (sg side * (z + off side - e))); [|reflexivity].
    rewrite col_other; [reflexivity|]. destruct side; cbn [sg negb] in *; lia.
  Qed.
  Lemma folded_is w e1 e2 (s : bool) z (t : track) : track_at w (if s then e2 else e1) s z = t -> forall c : column,
    track_of (negb s) c = track_at w (if s then e1 else e2) (negb s) z ->
    snd c = want z -> folded w e1 e2 z = with_track s t c.
  Proof. intros <- [[one two] wn]. unfold folded, with_track. destruct s; cbn; intros -> ->; reflexivity. Qed.

  Lemma step_in_track s c z x p a m : stands_for c (In_track s) z x -> inside (hy c + dy m) ->
    act (st c) (hy c) (col (cells c) (hx c)) = Acts p (hy c + dy m) (col (cells (after c a m p)) (hx c)) (dx m) ->
    represented (after c a m p).
  Proof.
    intros (Hy & Hb & (Hx & Hl) & H) Hy' A. cbn [after cells] in A. set (w := put (cells c) (hx c) (hy c) a) in *.
    assert (Here : forall w : world, track_at w x s z = Some (col w (hx c))).
    { intros w'. unfold track_at. rewrite <- Hx. destruct (Z.ltb_spec 0 (sg s * (hx c - x))); [reflexivity | lia]. }
    assert (G : Holds (p, In_track s, hy c + dy m, col w x) (z + dx m) (folded w x x)).
    { replace (col w x) with (col (cells c) x) by (symmetry; apply col_other; destruct s; cbn [sg] in Hl; lia).
      eapply goes; [exact H | | |].
      - cbn [fstep]. rewrite folded_track, Here, A. reflexivity.
      - apply folded_is; [destruct s; apply Here | | reflexivity].
        rewrite folded_track. unfold w. destruct s; symmetry; apply track_beyond; cbn [negb sg] in *; lia.
      - intros j Hj. unfold folded, w. f_equal. f_equal;
          destruct s; try (apply track_elsewhere; lia); apply track_beyond; cbn [negb sg] in *; lia. }
    assert (Hb' : blank_outside w) by (apply put_blank_outside; assumption).
    destruct (Z.eq_dec (hx c + dx m) x) as [E|E].
    - exists Between, (z + dx m + 0), x. repeat split; try assumption; try apply Hy'. eapply goes_on; [exact G|].
      change (cells (after c a m p)) with w. cbn [fstep]. rewrite folded_track. unfold track_at.
      destruct (Z.ltb_spec 0 (sg s * (z + dx m + off s - x))); [destruct s; cbn [sg] in *; lia | reflexivity].
    - exists (In_track s), (z + dx m), x.
      repeat split; try assumption; try apply Hy'; cbn [after hx hy st cells placed];
        destruct s, m; cbn [sg dx] in *; lia.
  Qed.

  Lemma step_between c z x p a m : stands_for c Between z x -> inside (hy c + dy m) ->
    act (st c) (hy c) (col (cells c) (hx c)) = Acts p (hy c + dy m) (col (cells (after c a m p)) (hx c)) (dx m) ->
    represented (after c a m p).
  Proof.
    intros (Hy & Hb & Hx & H) Hy' A. cbn [placed] in Hx. subst x. cbn [after cells] in A.
    set (w := put (cells c) (hx c) (hy c) a) in *.
    assert (Hb' : blank_outside w) by (apply put_blank_outside; assumption).
    assert (Same : forall j, folded w (hx c) (hx c) j = folded (cells c) (hx c) (hx c) j).
    { intros j. unfold folded, w. rewrite !track_beyond by (cbn [sg negb]; lia). reflexivity. }
    assert (G : forall f, fstep (st c, Between, hy c, col (cells c) (hx c)) (folded (cells c) (hx c) (hx c) z) =
              Goes (p, f, hy c + dy m, col w (hx c)) (folded (cells c) (hx c) (hx c) z) 0 ->
              Holds (p, f, hy c + dy m, col w (hx c)) (z + 0) (folded w (hx c) (hx c))).
    { intros f E. eapply goes; [exact H | exact E | apply Same | intros; apply Same]. }
    cbn [fstep] in G. rewrite A in G.
    assert (D : dx m = 0 \/ dx m = 1 \/ dx m = -1) by (destruct m; cbn; lia).
    destruct D as [E|[E|E]]; rewrite E in G; cbn [Z.eqb Z.ltb Z.compare] in G.
    - specialize (G Between eq_refl). exists Between, (z + 0), (hx c). repeat split; try assumption; try apply Hy'.
      cbn [placed after hx]. lia.
    - specialize (G (To true) eq_refl). apply comes_to in G. eexists (In_track true), _, (hx c).
      repeat split; try assumption; try apply Hy'; try exact G; cbn [after hx sg]; lia.
    - destruct (is_shift (col w (hx c))).
      + specialize (G Put_down eq_refl). apply puts_down, picks_up in G. eexists Between, _, (hx c - 1).
        repeat split; try assumption; try apply Hy'; try exact G. cbn [placed after hx]. lia.
      + specialize (G (To false) eq_refl). apply comes_to in G. eexists (In_track false), _, (hx c).
        repeat split; try assumption; try apply Hy'; try exact G; cbn [after hx sg]; lia.
  Qed.

  (** LEFT is not stuck; where it goes on, the tape is that of the next world; where it halts, so does the fold. *)
  Theorem tape_step c : represented c ->
    exists s m p, acts T c = Some (s, m, p) /\
    ((s = reads c /\ m = MS /\ exists f z x, stands_for c f z x /\
        fstep (st c, f, hy c, col (cells c) x) (folded (cells c) x x z) = Halted) \/
     (~ (s = reads c /\ m = MS) /\ represented (after c s m p))).
  Proof.
    intros (f & z & x & S). pose proof S as (Hy & Hb & Hp & H). pose proof (holds_step _ _ _ H) as HS.
    set (deed := act (st c) (hy c) (col (cells c) (hx c))).
    assert (A : deed <> Cannot /\
      (deed = Idle -> fstep (st c, f, hy c, col (cells c) x) (folded (cells c) x x z) = Halted)).
    { destruct f as [s| | | | | | |]; cbn [placed] in Hp; try contradiction; cbn [fstep] in *.
      - destruct Hp as [Hx Hl]. assert (E : track_of s (folded (cells c) x x z) = Some (col (cells c) (hx c))).
        { rewrite folded_track. unfold track_at. rewrite <- Hx.
          destruct (Z.ltb_spec 0 (sg s * (hx c - x))); [reflexivity | lia]. }
        rewrite E in *. fold deed in HS |- *. destruct deed; split; try congruence; contradiction.
      - subst x. fold deed in HS |- *. destruct deed; split; try congruence; contradiction. }
    destruct A as [A Ai]. destruct (act_ok c Hy A) as (s & m & p & Ht & [(Hs & Hm & E) | (Hn & Hi & E)]);
      exists s, m, p; (split; [exact Ht|]); [left | right; split; [exact Hn|]].
    - split; [exact Hs|]. split; [exact Hm|]. exists f, z, x. split; [exact S | exact (Ai E)].
    - destruct f; cbn [placed] in Hp; try contradiction; [eapply step_in_track | eapply step_between]; eauto.
  Qed.
End Tape.
