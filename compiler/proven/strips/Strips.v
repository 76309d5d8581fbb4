(** (V8): the world as a tape of columns; grams of labels to the left and right of the head. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Columns.
Import ListNotations.

Inductive known := Is (s : symbol) | Of_class (c : N).
Definition label : Type := list known * N * N.        (* cells from the top; place; mark *)
Definition gram : Type := bool * N * N * list N.      (* right?; kind; label; coarse numbers beyond it *)
Definition element : Type := state * state * Z * N * list N * list N.  (* p, q, row, label, left, right *)
Definition sg (side : bool) : Z := if side then 1%Z else (-1)%Z.

Section Strips.
  Variables (k : stuckness) (n : N) (L R : table).
  Variables (low : Z) (height d : nat).                (* the depth is S d *)
  Variable class_of : symbol -> N.
  Variable many : symbol -> bool.                      (* whether what is written is known by its class alone *)
  Variable kind_of : state -> N.
  Variable mark_of : state -> N -> option N.           (* the mark that a state leaves on one that it finds *)
  Variable label_at : N -> label.
  Variable coarse_at : N -> N.
  Variable number : label -> option N.
  Hypothesis number_ok : forall l i, number l = Some i -> label_at i = l.
  Variables (elements : list element) (grams : list gram) (flows : list (N * N)).
  Variables (is_gram : gram -> bool) (is_flow : N * N -> bool).
  (** Whether one element may follow another, by a step that reads a symbol, writes a label and goes to a side;
      what more is known then. *)
  Variable follows : element -> symbol -> N -> Z -> element -> bool.
  Variable known_of : element -> symbol -> N -> Z -> element -> Prop.
  Hypothesis follows_ok : forall e s c side f, follows e s c side f = true -> In f elements /\ known_of e s c side f.
  Variable is_descent : state -> state -> Z -> bool.
  Hypothesis is_gram_ok : forall g, is_gram g = true -> In g grams.
  Hypothesis is_flow_ok : forall f, is_flow f = true -> In f flows.
  Variable ahead : bool -> N -> list N -> list gram.
  Hypothesis ahead_ok : forall sd K x w, In (sd, K, x, w) grams ->
    In (sd, K, x, w) (ahead sd K (coarse_at x :: firstn d w)).

  Definition cells_of (l : label) : list known := fst (fst l).
  Definition holds (v : known) (s : symbol) : Prop :=
    match v with Is t => s = t | Of_class c => class_of s = c end.
  Definition fits (w : world) (X : Z) (l : label) : Prop :=
    forall i, (i < height)%nat -> exists v, nth_error (cells_of l) i = Some v /\ holds v (w X (low + Z.of_nat i)%Z).

  (** Coarse numbers of [m] columns beyond x, nearest first. *)
  Fixpoint near (m : nat) (sigma : Z) (lab : Z -> N) (x : Z) : list N :=
    match m with
    | O => []
    | S m => coarse_at (lab (x + sigma)%Z) :: near m sigma lab (x + sigma)
    end.

  Definition here (p q : state) (x y : Z) (lab : Z -> N) : element :=
    (p, q, y, lab x, near (S d) (-1) lab x, near (S d) 1 lab x).
  Definition inside (y : Z) : Prop := (low <= y < low + Z.of_nat height)%Z.

  (** An element stands for a world whose columns have these labels. *)
  Definition labelled (p q : state) (x y : Z) (w : world) (lab : Z -> N) : Prop :=
    over n w /\ inside y /\ (forall X Y, ~ inside Y -> w X Y = 0%N) /\
    (forall X, fits w X (label_at (lab X))) /\
    In (here p q x y lab) elements /\
    (forall side X, (0 < sg side * (X - x))%Z -> In (side, kind_of p, lab X, near (S d) (sg side) lab X) grams).
  Definition relabelled (lab : Z -> N) (x : Z) (c : N) : Z -> N := fun X => if (X =? x)%Z then c else lab X.

  (** * The checker *)
  Fixpoint set_nth (i : nat) (v : known) (l : list known) : list known :=
    match l, i with
    | [], _ => []
    | _ :: l, O => v :: l
    | u :: l, S i => u :: set_nth i v l
    end.
  Definition dimmed (v : known) : known :=
    match v with Is s => if many s then Of_class (class_of s) else v | Of_class _ => v end.
  Definition written (p : state) (c : N) (i : nat) (s : symbol) : option N :=
    let '(cs, pl, before) := label_at c in
    match mark_of p before with
    | None => None
    | Some mark => number (map dimmed (set_nth i (Is s) cs), pl, mark)
    end.
  Definition symbols_held (v : known) : list symbol :=
    match v with Is s => [s] | Of_class c => filter (fun s => (class_of s =? c)%N) (below n) end.

  Definition aside_ok (e : element) (read : symbol) (side : bool) (p p' q' : state) (y : Z) (c' : N)
    (behind front : list N) : bool :=
    is_gram (negb side, kind_of p', c', behind) &&
    forallb (fun g : gram => let '(sd, K, x, w) := g in
      if (Bool.eqb sd side && (K =? kind_of p)%N && same_text (coarse_at x :: firstn d w) front) then
        let b := coarse_at c' :: firstn d behind in
        follows e read c' (sg side) (p', q', y, x, if side then b else w, if side then w else b)
      else true) (ahead side (kind_of p) front).

  Definition step_ok (e : element) (read : symbol) (j : joint) : bool :=
    let '(p, q, y, c, l, r) := e in
    match j with
    | Bad => false
    | Done => true
    | Go s m p' q' =>
        match written p c (Z.to_nat (y - low)) s with
        | None => false
        | Some c' =>
            is_flow (kind_of p, kind_of p') &&
            match m with
            | MR => aside_ok e read true p p' q' y c' l r
            | ML => aside_ok e read false p p' q' y c' r l
            | _ => let y' := (y + dy m)%Z in
                   if ((low <=? y') && (y' <? low + Z.of_nat height))%Z then
                     follows e read c' 0%Z (p', q', y', c', l, r)
                   else is_descent p' q' (dy m)
            end
        end
    end.

  Definition element_ok (e : element) : bool :=
    let '(p, q, y, c, l, r) := e in
    match nth_error (cells_of (label_at c)) (Z.to_nat (y - low)) with
    | None => false
    | Some v => forallb (fun s => step_ok e s (joint_step k L R p q s)) (symbols_held v)
    end.

  Definition flow_ok (f : N * N) : bool :=
    let '(K, K') := f in
    forallb (fun g : gram => let '(sd, K0, x, w) := g in
      if (K0 =? K)%N then is_gram (sd, K', x, w) else true) grams.

  (** * Soundness of a step *)
  Hypothesis writes : forall p s s' m p', L p s = Some (s', m, p') -> (s' < n)%N.
  Hypothesis all_elements : forall e, In e elements -> element_ok e = true.
  Hypothesis all_flows : forall f, In f flows -> flow_ok f = true.

  Lemma near_firstn m sigma lab : forall x, firstn m (near (S m) sigma lab x) = near m sigma lab x.
  Proof.
    induction m as [|m IH]; intros x; [reflexivity|].
    change (near (S (S m)) sigma lab x) with (coarse_at (lab (x + sigma)%Z) :: near (S m) sigma lab (x + sigma)).
    cbn [firstn]. rewrite IH. reflexivity.
  Qed.
  Lemma near_same m sigma lab lab' : forall x,
    (forall i, (1 <= i)%Z -> lab' (x + sigma * i)%Z = lab (x + sigma * i)%Z) ->
      near m sigma lab' x = near m sigma lab x.
  Proof.
    induction m as [|m IH]; intros x H; [reflexivity|]. cbn [near]. f_equal.
    - f_equal. specialize (H 1%Z ltac:(lia)). rewrite Z.mul_1_r in H. exact H.
    - apply IH. intros i Hi. replace (x + sigma + sigma * i)%Z with (x + sigma * (i + 1))%Z by ring.
      apply H. lia.
  Qed.

  Lemma nth_set_same i v l : forall u, nth_error l i = Some u -> nth_error (set_nth i v l) i = Some v.
  Proof. revert i. induction l as [|a l IH]; intros [|i] u H; simpl in *; try discriminate; eauto. Qed.
  Lemma nth_set_other i j v l : i <> j -> nth_error (set_nth i v l) j = nth_error l j.
  Proof. revert i j. induction l as [|a l IH]; intros [|i] [|j] H; simpl; auto; congruence. Qed.
  Lemma dimmed_holds v s : holds v s -> holds (dimmed v) s.
  Proof. destruct v; simpl; auto. intros ->. destruct (many s0); reflexivity. Qed.

  Lemma written_fits w x y p c s c' : inside y ->
    fits w x (label_at c) -> written p c (Z.to_nat (y - low)) s = Some c' ->
    fits (put w x y s) x (label_at c').
  Proof.
    intros Hy Hf Hw. unfold written, inside in *. destruct (label_at c) as [[cs pl] mk] eqn:El.
    destruct (mark_of p mk) as [mark|]; [|discriminate]. apply number_ok in Hw. rewrite Hw. unfold fits, cells_of in *.
    cbn [fst snd] in *.
    intros i Hi. destruct (Hf i Hi) as (v & Hv & Hh).
    destruct (Nat.eq_dec i (Z.to_nat (y - low))) as [->|Ni].
    - exists (dimmed (Is s)). split.
      + rewrite nth_error_map. erewrite nth_set_same by exact Hv. reflexivity.
      + apply dimmed_holds. simpl. unfold put. rewrite Z2Nat.id by lia.
        replace (low + (y - low))%Z with y by lia. rewrite !Z.eqb_refl. reflexivity.
    - exists (dimmed v). split.
      + rewrite nth_error_map, nth_set_other by congruence. rewrite Hv. reflexivity.
      + apply dimmed_holds. unfold put.
        replace (low + Z.of_nat i =? y)%Z with false by (symmetry; apply Z.eqb_neq; lia).
        rewrite andb_false_r. exact Hh.
  Qed.
  Lemma other_fits w x y s X l : X <> x -> fits w X l -> fits (put w x y s) X l.
  Proof.
    intros H Hf i Hi. destruct (Hf i Hi) as (v & Hv & Hh). exists v. split; [exact Hv|].
    unfold put. replace (X =? x)%Z with false by (symmetry; apply Z.eqb_neq; exact H). exact Hh.
  Qed.
  Lemma held v s : holds v s -> (s < n)%N -> In s (symbols_held v).
  Proof.
    destruct v; simpl; intros H Hs; [left; congruence|].
    apply filter_In. split; [apply in_below; exact Hs | apply N.eqb_eq; exact H].
  Qed.
  Lemma flows_on sd p p' x w : In (kind_of p, kind_of p') flows ->
    In (sd, kind_of p, x, w) grams -> In (sd, kind_of p', x, w) grams.
  Proof.
    intros Hf Hg. apply all_flows in Hf. unfold flow_ok in Hf. rewrite forallb_forall in Hf.
    specialize (Hf _ Hg). cbn in Hf. rewrite N.eqb_refl in Hf. apply is_gram_ok. exact Hf.
  Qed.

  Lemma same_text_refl a : same_text a a = true.
  Proof. induction a; simpl; [reflexivity|]. rewrite N.eqb_refl. exact IHa. Qed.

  (** A step keeps the labels, but for the head's column; or it leaves the strip, where all is blank. *)
  Definition after_step (p q : state) (x y : Z) (w : world) (lab : Z -> N) (s : symbol) (m : move) (p' q' : state) :
    Prop :=
    (exists c, labelled p' q' (x + dx m) (y + dy m) (put w x y s) (relabelled lab x c) /\
       known_of (here p q x y lab) (w x y) c (dx m) (here p' q' (x + dx m) (y + dy m) (relabelled lab x c))) \/
    (dx m = 0%Z /\ ~ inside (y + dy m) /\ is_descent p' q' (dy m) = true /\
       forall X Y, ~ inside Y -> put w x y s X Y = 0%N).

  Lemma strips_step p q x y w lab : labelled p q x y w lab ->
    match joint_step k L R p q (w x y) with
    | Bad => False
    | Done => True
    | Go s m p' q' => after_step p q x y w lab s m p' q'
    end.
  Proof.
    intros (Hw & Hy & Hout0 & Hfit & Hel & Hg). unfold inside in Hy.
    pose proof (all_elements _ Hel) as Hok. unfold element_ok, here in Hok.
    assert (Hi : (Z.to_nat (y - low) < height)%nat) by lia.
    destruct (Hfit x _ Hi) as (v & Hv & Hh). rewrite Hv in Hok.
    rewrite Z2Nat.id in Hh by lia. replace (low + (y - low))%Z with y in Hh by lia.
    rewrite forallb_forall in Hok. specialize (Hok _ (held _ _ Hh (Hw x y))).
    destruct (joint_step k L R p q (w x y)) as [| |s m p' q'] eqn:J; simpl in Hok; [discriminate | exact Logic.I |].
    destruct (written p (lab x) (Z.to_nat (y - low)) s) as [c'|] eqn:Ew; [|discriminate].
    apply andb_true_iff in Hok as [Hfl Hok]. apply is_flow_ok in Hfl.
    assert (Hw' : over n (put w x y s)).
    { intros a b. unfold put. destruct ((a =? x) && (b =? y))%Z; [|apply Hw].
      unfold joint_step, joint_of in J. destruct (L p (w x y)) as [[[s1 m1] p1]|] eqn:EL.
      - apply writes in EL. destruct (R q (w x y)) as [[[s2 m2] q2]|]; [|discriminate].
        destruct ((s1 =? s2)%N && move_eqb m1 m2); [|discriminate].
        destruct ((s1 =? w x y)%N && move_eqb m1 MS); [discriminate|]. injection J as <- <- <- <-. exact EL.
      - destruct k; [discriminate | | discriminate]. destruct (R q (w x y)); discriminate. }
    assert (Hout' : forall X Y, ~ inside Y -> put w x y s X Y = 0%N).
    { intros X Y HY. unfold put, inside in *. replace (Y =? y)%Z with false by (symmetry; apply Z.eqb_neq; lia).
      rewrite andb_false_r. apply Hout0. exact HY. }
    set (lab' := relabelled lab x c').
    assert (Hx : lab' x = c') by (unfold lab', relabelled; rewrite Z.eqb_refl; reflexivity).
    assert (Ho : forall X, X <> x -> lab' X = lab X).
    { intros X HX. unfold lab', relabelled. apply Z.eqb_neq in HX. rewrite HX. reflexivity. }
    assert (Hfit' : forall X, fits (put w x y s) X (label_at (lab' X))).
    { intros X. destruct (Z.eq_dec X x) as [->|HX].
      - rewrite Hx. eapply written_fits; eauto.
      - rewrite (Ho X HX). apply other_fits; auto. }
    assert (Hout : forall side X, (0 <= sg side * (X - x))%Z ->
      near (S d) (sg side) lab' X = near (S d) (sg side) lab X).
    { intros side X HX. apply near_same. intros i Hi1. apply Ho. destruct side; unfold sg in *; lia. }
    assert (Hold : forall side X, (0 < sg side * (X - x))%Z ->
              In (side, kind_of p', lab' X, near (S d) (sg side) lab' X) grams).
    { intros side X HX. rewrite (Ho X) by (destruct side; unfold sg in *; lia).
      rewrite Hout by lia. eapply flows_on; [exact Hfl|]. apply Hg. exact HX. }
    assert (HoL : near (S d) (-1) lab' x = near (S d) (-1) lab x) by (apply (Hout false); lia).
    assert (HoR : near (S d) 1 lab' x = near (S d) 1 lab x) by (apply (Hout true); lia).
    assert (Hside : forall side,
       aside_ok (here p q x y lab) (w x y) side p p' q' y c' (near (S d) (- sg side) lab x) (near (S d) (sg side) lab x)
         = true ->
       labelled p' q' (x + sg side) y (put w x y s) lab' /\
       known_of (here p q x y lab) (w x y) c' (sg side) (here p' q' (x + sg side) y lab')).
    { intros side Ha. unfold aside_ok in Ha. apply andb_true_iff in Ha as [Hl Ha]. apply is_gram_ok in Hl.
      rewrite forallb_forall in Ha.
      pose proof (Hg side (x + sg side)%Z ltac:(destruct side; unfold sg; lia)) as Hn.
      pose proof (ahead_ok _ _ _ _ Hn) as Hah. rewrite near_firstn in Hah.
      change (coarse_at (lab (x + sg side)%Z) :: near d (sg side) lab (x + sg side)) with (near (S d) (sg side) lab x)
        in Hah.
      specialize (Ha _ Hah). cbv beta iota in Ha.
      rewrite Bool.eqb_reflx, N.eqb_refl in Ha. rewrite near_firstn in Ha.
      change (coarse_at (lab (x + sg side)%Z) :: near d (sg side) lab (x + sg side)) with (near (S d) (sg side) lab x)
        in Ha.
      rewrite same_text_refl in Ha. cbn [andb] in Ha.
      rewrite near_firstn in Ha.
      assert (Hb : near (S d) (- sg side) lab' (x + sg side) = coarse_at c' :: near d (- sg side) lab x).
      { cbn [near]. replace (x + sg side + - sg side)%Z with x by lia. rewrite Hx. f_equal.
        apply near_same. intros i Hi1. apply Ho. destruct side; unfold sg; lia. }
      assert (Hf : near (S d) (sg side) lab' (x + sg side) = near (S d) (sg side) lab (x + sg side)).
      { apply Hout. destruct side; unfold sg; lia. }
      assert (Hc : lab' (x + sg side)%Z = lab (x + sg side)%Z) by (apply Ho; destruct side; unfold sg; lia).
      assert (Hnew : follows (here p q x y lab) (w x y) c' (sg side) (here p' q' (x + sg side) y lab') = true).
      { unfold here at 2. destruct side; unfold sg in *.
        - change (- (1))%Z with (-1)%Z in *. rewrite Hc, Hb, Hf. exact Ha.
        - change (- (-1))%Z with 1%Z in *. rewrite Hc, Hb, Hf. exact Ha. }
      apply follows_ok in Hnew as [Hin Hknown]. split; [|exact Hknown].
      split; [exact Hw'|]. split; [exact Hy|]. split; [exact Hout'|]. split; [exact Hfit'|]. split; [exact Hin|].
      intros sd X HX. destruct (Z.eq_dec X x) as [->|HXx].
      - assert (Es : sd = negb side) by (destruct sd, side; unfold sg in *; try reflexivity; lia). subst sd.
        rewrite Hx. rewrite Hout by lia.
        replace (sg (negb side)) with (- sg side)%Z by (destruct side; reflexivity). exact Hl.
      - apply Hold. destruct sd, side; unfold sg in *; lia. }
    assert (Hstay : dx m = 0%Z ->
       (if ((low <=? y + dy m) && (y + dy m <? low + Z.of_nat height))%Z
        then follows (here p q x y lab) (w x y) c' 0%Z (p', q', (y + dy m)%Z, c', near (S d) (-1) lab x,
          near (S d) 1 lab x)
        else is_descent p' q' (dy m)) = true ->
       after_step p q x y w lab s m p' q').
    { intros Hm Hc. unfold after_step. rewrite Hm, Z.add_0_r.
      destruct ((low <=? y + dy m) && (y + dy m <? low + Z.of_nat height))%Z eqn:Ein.
      - left. apply andb_true_iff in Ein as [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2.
        exists c'. fold lab'.
        assert (Hnew : follows (here p q x y lab) (w x y) c' 0%Z (here p' q' x (y + dy m) lab') = true).
        { unfold here at 2. rewrite Hx, HoL, HoR. exact Hc. }
        apply follows_ok in Hnew as [Hin Hknown]. split; [|exact Hknown].
        split; [exact Hw'|]. split; [unfold inside; lia|]. split; [exact Hout'|]. split; [exact Hfit'|].
        split; [exact Hin | exact Hold].
      - right. split; [reflexivity|]. split; [|split; [exact Hc | exact Hout']].
        intros [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2. rewrite H1, H2 in Ein. discriminate. }
    destruct m; [apply Hstay; [reflexivity | exact Hok] | apply Hstay; [reflexivity | exact Hok] | | |
                 apply Hstay; [reflexivity | exact Hok]].
    - left. exists c'. cbn [dx dy]. rewrite Z.add_0_r. exact (Hside false Hok).
    - left. exists c'. cbn [dx dy]. rewrite Z.add_0_r. exact (Hside true Hok).
  Qed.
End Strips.
