(** (V6): a run, or a sequence of reads, on which RIGHT does not do what LEFT does. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps.
Import ListNotations.

Definition deed : Type := option (symbol * move).
Definition deed_eqb (a b : deed) : bool :=
  match a, b with
  | Some (s, m), Some (t, l) => (s =? t)%N && move_eqb m l
  | None, None => true
  | _, _ => false
  end.
Lemma deed_eqb_same a b : a = b -> deed_eqb a b = true.
Proof. intros ->. destruct b as [[s m]|]; [|reflexivity]. simpl. rewrite N.eqb_refl. apply move_eqb_eq. reflexivity.
Qed.

(** What was read, and what both sides did. *)
Definition shown : Type := symbol * deed * deed.

(** Whether the claim fails at a read: LEFT does what RIGHT does not, or is stuck where that is not allowed. *)
Definition fails (k : stuckness) (l r : option entry) : bool :=
  match l with
  | Some _ => negb (deed_eqb (seen r) (seen l))
  | None => match k with Unasked => false | Same => match r with None => false | Some _ => true end | Never => true end
  end.

Definition as_shown (k : shown) (l r : option entry) : bool :=
  let '(_, dl, dr) := k in deed_eqb (seen l) dl && deed_eqb (seen r) dr.

(** * On reads *)
Fixpoint reads_differ (observed : bool) (k : stuckness) (n : N) (L R : table) (p q : state) (t : list shown) : bool :=
  match t with
  | [] => false
  | h :: t =>
      let s := fst (fst h) in
      (s <? n)%N && as_shown h (L p s) (R q s) &&
      match t with
      | [] => fails k (L p s) (R q s) && (negb observed || match R q s with Some _ => true | None => false end)
      | _ => match joint_step k L R p q s with Go _ _ p' q' => reads_differ observed k n L R p' q' t | _ => false end
      end
  end.

Lemma reads_differ_after observed k n L R t : forall p q, reads_differ observed k n L R p q t = true ->
  exists r s p' q', Forall (fun a => (a < n)%N) (r ++ [s]) /\ goes_on L p (r ++ [s]) /\
    after L p r = Some p' /\ after R q r = Some q' /\ fails k (L p' s) (R q' s) = true /\
    (observed = true -> exists e, R q' s = Some e).
Proof.
  induction t as [|h t IH]; intros p q H; [discriminate|]. cbn [reads_differ] in H.
  set (s := fst (fst h)) in *. clearbody s.
  apply andb_true_iff in H as [H H2]. apply andb_true_iff in H as [Hs _]. apply N.ltb_lt in Hs.
  destruct t as [|h' t].
  - apply andb_true_iff in H2 as [Hf Ho]. exists [], s, p, q. simpl. repeat split; auto.
    intros ->. destruct (R q s) as [e|]; [eauto | discriminate].
  - destruct (joint_step k L R p q s) as [| |s' m p1 q1] eqn:J; try discriminate.
    apply joint_go in J as (EL & ER & Hn). destruct (IH _ _ H2) as (r & s2 & p' & q' & Hr & Hg & HL & HR & Hf & Ho).
    exists (s :: r), s2, p', q'. simpl. rewrite EL, ER. repeat split; auto.
    destruct (r ++ [s2]) eqn:E; [destruct r; discriminate|]. split; assumption.
Qed.

Theorem reads_differ_sound k n L R t : reads_differ false k n L R 0%N 0%N t = true -> ~ reads_alike k n L R.
Proof.
  intros H A. apply reads_differ_after in H as (r & s & p & q & Hr & Hg & HL & HR & Hf & _).
  destruct (A r s Hr Hg) as (p' & q' & HL' & HR' & K). rewrite HL in HL'. rewrite HR in HR'.
  injection HL' as <-. injection HR' as <-. unfold fails in Hf. destruct (L p s).
  - rewrite (deed_eqb_same _ _ K) in Hf. discriminate.
  - destruct k; [discriminate | rewrite K in Hf; discriminate | exact K].
Qed.

Theorem observed_differ_sound n L R t :
  reads_differ true Unasked n L R 0%N 0%N t = true -> ~ observed_alike n L R.
Proof.
  intros H A. apply reads_differ_after in H as (r & s & p & q & Hr & Hg & HL & HR & Hf & Ho).
  destruct (Ho eq_refl) as [e He]. destruct (A r s q e Hr Hg HR He) as (p' & HL' & K).
  rewrite HL in HL'. injection HL' as <-. unfold fails in Hf. destruct (L p s).
  - rewrite (deed_eqb_same _ _ K) in Hf. discriminate.
  - discriminate.
Qed.

(** * On a world *)
Fixpoint worlds_differ (k : stuckness) (L R : table) (p q : state) (x y : Z) (w : plane) (t : list shown) : bool :=
  match t with
  | [] => false
  | h :: t =>
      let s := seen_at w x y in
      (s =? fst (fst h))%N && as_shown h (L p s) (R q s) &&
      match t with
      | [] => fails k (L p s) (R q s)
      | _ => match joint_step k L R p q s with
             | Go s' m p' q' => worlds_differ k L R p' q' (x + dx m) (y + dy m) (written w x y s') t
             | _ => false
             end
      end
  end.

Lemma worlds_differ_runs k L R t : forall p q x y w W, (forall a b, seen_at w a b = W a b) ->
  worlds_differ k L R p q x y w t = true ->
  exists n c q', run L n (Config p x y W) = Some c /\
    run R n (Config q x y W) = Some (Config q' (hx c) (hy c) (cells c)) /\
    (forall i c', (i < n)%nat -> run L i (Config p x y W) = Some c' -> ~ halts L c') /\
    fails k (acts L c) (R q' (reads c)) = true.
Proof.
  induction t as [|h t IH]; intros p q x y w W HW H; [discriminate|]. cbn [worlds_differ] in H.
  rewrite HW in H. apply andb_true_iff in H as [_ H]. destruct t as [|h' t].
  - exists O, (Config p x y W), q. split; [reflexivity|]. split; [reflexivity|]. split; [intros; lia | exact H].
  - destruct (joint_step k L R p q (W x y)) as [| |s m p1 q1] eqn:J; try discriminate.
    apply joint_go in J as (EL & ER & Hn).
    assert (HW' : forall a b, seen_at (written w x y s) a b = put W x y s a b).
    { intros a b. rewrite seen_written. unfold put. rewrite HW. reflexivity. }
    destruct (IH _ _ _ _ _ _ HW' H) as (n & c & q' & HL & HR & Hh & Hf).
    exists (S n), c, q'. rewrite !run_S. unfold step, acts, reads. cbn [st hx hy cells]. rewrite EL, ER.
    split; [exact HL|]. split; [exact HR|]. split; [|exact Hf].
    intros [|i] c' Hi Hc.
    + injection Hc as <-. intros [e He]. unfold acts, reads in He. cbn in He. rewrite EL in He.
      injection He as E1 E2 _. apply Hn. split; assumption.
    + rewrite run_S in Hc. unfold step, acts, reads in Hc. cbn [st hx hy cells] in Hc. rewrite EL in Hc.
      apply (Hh i c'); [lia | exact Hc].
Qed.

Theorem worlds_differ_sound k L R x y w W t : (forall a b, seen_at w a b = W a b) ->
  worlds_differ k L R 0%N 0%N x y w t = true -> ~ does_what k L R W x y.
Proof.
  intros HW H A. destruct (worlds_differ_runs _ _ _ _ _ _ _ _ _ _ HW H) as (n & c & q & HL & HR & Hh & Hf).
  destruct (A n c HL Hh) as (cr & HR' & _ & _ & _ & K). unfold start in HR'. rewrite HR in HR'. injection HR' as <-.
  unfold fails, acts, reads in *. cbn [st hx hy cells] in *.
  destruct (L (st c) (cells c (hx c) (hy c))).
  - rewrite (deed_eqb_same _ _ K) in Hf. discriminate.
  - destruct k; [discriminate | rewrite K in Hf; discriminate | exact K].
Qed.
