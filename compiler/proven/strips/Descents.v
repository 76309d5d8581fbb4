(** (V8 g): a head that leaves the strip for the blank half-plane beyond it, and does not come back. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Strips.
Import ListNotations.

(** Both states, whether the head goes down, and the number of steps to the next descent, or 0: to the end. *)
Definition descent : Type := state * state * bool * nat.

Section Descents.
  Variables (k : stuckness) (L R : table).
  Variable longest : nat.                             (* steps in which a descent must end *)
  Variable descents : list descent.

  Definition is_descent (p q : state) (side : Z) : bool :=
    existsb (fun e : descent => let '(p', q', sd, _) := e in
      (p =? p')%N && (q =? q')%N && (side =? sg sd)%Z) descents.

  (** A run on the half-plane, seen from where it was entered: rows count outwards, [far] is the furthest so far. *)
  Fixpoint descends (sd last : bool) (fuel : nat) (p q : state) (x y far : Z) (w : plane) : bool :=
    match joint_step k L R p q (seen_at w x y) with
    | Bad => false
    | Done => last
    | Go s m p' q' =>
        let y' := (y + sg sd * dy m)%Z in
        (0 <=? y')%Z &&
        match fuel with
        | O => false
        | S fuel =>
            match fuel, last with
            | O, false => (far <? y')%Z && is_descent p' q' (sg sd)
            | _, _ => descends sd last fuel p' q' (x + dx m) y' (Z.max far y') (Maps.written w x y s)
            end
        end
    end.
  Definition descent_ok (e : descent) : bool :=
    let '(p, q, sd, steps) := e in
    match steps with
    | O => descends sd true longest p q 0 0 0 (PM.empty _)
    | _ => descends sd false steps p q 0 0 0 (PM.empty _)
    end.

  Hypothesis all_descents : forall e, In e descents -> descent_ok e = true.

  (** The head is in a half-plane that was entered at (x0, y0). *)
  Definition in_descent (p q : state) (x y : Z) (w : world) (sd last : bool) (fuel : nat) : Prop :=
    exists x0 y0 xr yr far P,
      descends sd last fuel p q xr yr far P = true /\
      x = (x0 + xr)%Z /\ y = (y0 + sg sd * yr)%Z /\ (0 <= yr <= far)%Z /\
      (forall X Y, (0 <= sg sd * (Y - y0))%Z -> w X Y = seen_at P (X - x0) (sg sd * (Y - y0))) /\
      (forall X Y, (far < Y)%Z -> seen_at P X Y = 0%N).

  Lemma enters p q x y w sd : is_descent p q (sg sd) = true ->
    (forall X Y, (0 <= sg sd * (Y - y))%Z -> w X Y = 0%N) ->
    exists last fuel, in_descent p q x y w sd last fuel /\
      ((forall e, In e descents -> snd e = O) -> last = true).
  Proof.
    intros H Hw. apply existsb_exists in H as ([[[p' q'] sd'] steps] & Hin & E).
    apply andb_true_iff in E as [E E3]. apply andb_true_iff in E as [E1 E2].
    apply N.eqb_eq in E1, E2. apply Z.eqb_eq in E3.
    assert (sd' = sd) by (destruct sd, sd'; simpl in E3; congruence). subst.
    pose proof (all_descents _ Hin) as Hok. unfold descent_ok in Hok.
    assert (G : forall last fuel, descends sd last fuel p' q' 0 0 0 (PM.empty _) = true ->
                in_descent p' q' x y w sd last fuel).
    { intros last fuel Hd. exists x, y, 0%Z, 0%Z, 0%Z, (PM.empty _). split; [exact Hd|].
      split; [lia|]. split; [lia|]. split; [lia|]. split; intros; rewrite seen_nothing; auto. }
    destruct steps as [|steps].
    - exists true, longest. auto.
    - exists false, (S steps). split; [apply G; exact Hok|]. intros Hz. discriminate (Hz _ Hin).
  Qed.

  Lemma descent_reads p q x y w sd last fuel : in_descent p q x y w sd last fuel ->
    match joint_step k L R p q (w x y) with
    | Bad => False
    | Done => last = true
    | Go s m p' q' => exists last' fuel',
        in_descent p' q' (x + dx m) (y + dy m) (put w x y s) sd last' fuel' /\
        (last = true -> last' = true /\ fuel = S fuel')
    end.
  Proof.
    intros (x0 & y0 & xr & yr & far & P & Hd & -> & -> & Hyr & Hw & Hfar).
    assert (S1 : (sg sd * sg sd = 1)%Z) by (destruct sd; reflexivity).
    assert (Eat : w (x0 + xr)%Z (y0 + sg sd * yr)%Z = seen_at P xr yr).
    { rewrite Hw.
      - replace (x0 + xr - x0)%Z with xr by lia.
        replace (sg sd * (y0 + sg sd * yr - y0))%Z with (sg sd * sg sd * yr)%Z by ring.
        rewrite S1, Z.mul_1_l. reflexivity.
      - replace (sg sd * (y0 + sg sd * yr - y0))%Z with (sg sd * sg sd * yr)%Z by ring. lia. }
    rewrite Eat. destruct fuel as [|fuel]; cbn [descends] in Hd;
      destruct (joint_step k L R p q (seen_at P xr yr)) as [| |s m p' q']; try discriminate; auto.
    - rewrite andb_false_r in Hd. discriminate.
    - apply andb_true_iff in Hd as [Hy' Hd]. apply Z.leb_le in Hy'.
      set (yr' := (yr + sg sd * dy m)%Z) in *.
      assert (Ey : (y0 + sg sd * yr + dy m)%Z = (y0 + sg sd * yr')%Z).
      { unfold yr'. rewrite Z.mul_add_distr_l, Z.mul_assoc, S1. lia. }
      assert (Hput : forall X Y, (0 <= sg sd * (Y - y0))%Z ->
                put w (x0 + xr) (y0 + sg sd * yr) s X Y = seen_at (Maps.written P xr yr s) (X - x0) (sg sd * (Y - y0))).
      { intros X Y HY. rewrite seen_written. unfold put.
        replace (X =? x0 + xr)%Z with (X - x0 =? xr)%Z by (destruct (Z.eqb_spec (X - x0) xr), (Z.eqb_spec X (x0 + xr));
          lia).
        replace (Y =? y0 + sg sd * yr)%Z with (sg sd * (Y - y0) =? yr)%Z.
        2: { destruct sd; unfold sg in *;
             [destruct (Z.eqb_spec (1 * (Y - y0)) yr), (Z.eqb_spec Y (y0 + 1 * yr))
             |destruct (Z.eqb_spec (-1 * (Y - y0)) yr), (Z.eqb_spec Y (y0 + -1 * yr))]; lia. }
        destruct ((X - x0 =? xr) && (sg sd * (Y - y0) =? yr))%Z; [reflexivity | apply Hw; exact HY]. }
      assert (Hfar' : forall f X Y, (far <= f)%Z -> (f < Y)%Z -> seen_at (Maps.written P xr yr s) X Y = 0%N).
      { intros f X Y Hf HY. rewrite seen_written. replace (Y =? yr)%Z with false by (symmetry; apply Z.eqb_neq; lia).
        rewrite andb_false_r. apply Hfar. lia. }
      assert (Hgo : forall last' fuel', descends sd last' fuel' p' q' (xr + dx m) yr' (Z.max far yr')
        (Maps.written P xr yr s) = true ->
                in_descent p' q' (x0 + xr + dx m) (y0 + sg sd * yr + dy m) (put w (x0 + xr) (y0 + sg sd * yr) s) sd
                  last' fuel').
      { intros last' fuel' H. exists x0, y0, (xr + dx m)%Z, yr', (Z.max far yr'), (Maps.written P xr yr s).
        split; [exact H|]. split; [lia|]. split; [exact Ey|]. split; [lia|]. split; [exact Hput|].
        intros X Y HY. apply (Hfar' (Z.max far yr')); lia. }
      destruct fuel as [|fuel]; [destruct last|].
      + exists true, O. split; [apply Hgo; exact Hd | auto].
      + apply andb_true_iff in Hd as [Hf Hd]. apply Z.ltb_lt in Hf.
        destruct (enters p' q' (x0 + xr + dx m) (y0 + sg sd * yr + dy m) (put w (x0 + xr) (y0 + sg sd * yr) s) sd Hd)
          as (last' & fuel' & H & _).
        { intros X Y HY. rewrite Ey in HY.
          assert (HY' : (yr' <= sg sd * (Y - y0))%Z).
          { replace (sg sd * (Y - (y0 + sg sd * yr')))%Z with (sg sd * (Y - y0) - sg sd * sg sd * yr')%Z in HY by ring.
            rewrite S1 in HY. lia. }
          rewrite Hput by lia. apply (Hfar' far); lia. }
        exists last', fuel'. split; [exact H | discriminate].
      + exists last, (S fuel). split; [apply Hgo; destruct last; exact Hd | auto].
  Qed.
End Descents.
