(** Where LEFT halts, whatever does what LEFT does halts too, and leaves the same. *)
From Coq Require Import ZArith NArith List Lia Wf_nat.
From Gridlang Require Import Statement.
Import ListNotations.

Lemma halts_dec T c : halts T c \/ ~ halts T c.
Proof.
  unfold halts. destruct (acts T c) as [[[s m] p]|]; [|right; intros [p H]; discriminate].
  destruct (N.eq_dec s (reads c)) as [->|Ns]; [|right; intros [q H]; congruence].
  destruct m; try (right; intros [q H]; discriminate). left. exists p. reflexivity.
Qed.
Lemma halted_before T w x y n : (exists i d, (i < n)%nat /\ run T i (start w x y) = Some d /\ halts T d) \/
  forall i d, (i < n)%nat -> run T i (start w x y) = Some d -> ~ halts T d.
Proof.
  induction n as [|n [(i & d & Hi & H) | Hno]]; [right; lia | left; exists i, d; split; [lia | exact H] |].
  destruct (run T n (start w x y)) as [e|] eqn:E.
  - destruct (halts_dec T e) as [Hh|Hh]; [left; exists n, e; split; [lia | auto]|]. right. intros i d Hi Hd.
    destruct (Nat.eq_dec i n) as [->|]; [congruence | apply (Hno i d); [lia | exact Hd]].
  - right. intros i d Hi Hd. destruct (Nat.eq_dec i n) as [->|]; [congruence | apply (Hno i d); [lia | exact Hd]].
Qed.
Lemma first_halt T w x y n : forall c, run T n (start w x y) = Some c -> halts T c -> exists i e,
  halts_after T i w x y e.
Proof.
  induction n as [n IH] using (well_founded_induction lt_wf). intros c Hr Hh.
  destruct (halted_before T w x y n) as [(i & d & Hi & Hd & Hhd) | Hno]; [exact (IH i Hi d Hd Hhd)|]. exists n, c.
  repeat split; assumption.
Qed.
Lemma first_end T w x y : ends T w x y -> exists n c, run T n (start w x y) = Some c /\
  (acts T c = None \/ halts T c) /\
  forall i d, (i < n)%nat -> run T i (start w x y) = Some d -> ~ halts T d.
Proof.
  assert (H : forall n c, run T n (start w x y) = Some c -> halts T c -> exists n c, run T n (start w x y) = Some c /\
    (acts T c = None \/ halts T c) /\ forall i d, (i < n)%nat -> run T i (start w x y) = Some d -> ~ halts T d).
  { intros n c Hr Hh. destruct (first_halt _ _ _ _ _ _ Hr Hh) as (i & e & H1 & H2 & H3). exists i, e. auto. }
  intros (n & c & Hr & [He|He]); [|exact (H n c Hr He)].
  destruct (halted_before T w x y n) as [(i & d & _ & Hd & Hh) | Hno]; [exact (H i d Hd Hh) | exists n, c; auto].
Qed.

(** Where LEFT is never stuck, a run that ends has halted. *)
Lemma never_stuck_halts L R w x y : does_what Never L R w x y -> ends L w x y ->
  exists n c, run L n (start w x y) = Some c /\ halts L c.
Proof.
  intros A H. apply first_end in H as (n & c & Hr & [He|He] & Hno); [|eauto].
  destruct (A n c Hr Hno) as (cr & _ & _ & _ & _ & K). rewrite He in K. contradiction.
Qed.
Lemma run_prefix T s i n : forall c, run T n s = Some c -> (i < n)%nat -> exists d, run T i s = Some d /\
  acts T d <> None.
Proof.
  induction n as [|n IH]; intros c H Hi; [lia|]. simpl in H. destruct (run T n s) as [d|] eqn:E; [|discriminate].
  destruct (Nat.eq_dec i n) as [->|]; [exists d; split; [exact E|]; unfold step in H; intros A; rewrite A in H;
    discriminate|].
  apply (IH d eq_refl). lia.
Qed.

(** A halt is an action that is seen: the symbol read, and no move. *)
Lemma halts_seen T c : halts T c <-> seen (acts T c) = Some (reads c, MS).
Proof.
  unfold halts. split; [intros [p ->]; reflexivity|]. destruct (acts T c) as [[[s m] p]|]; [|discriminate].
  simpl. intros H. injection H as -> ->. eauto.
Qed.

Theorem halts_alike k L T w x y n c : does_what k L T w x y -> halts_after L n w x y c ->
  exists d, halts_after T n w x y d /\ cells d = cells c.
Proof.
  intros A (Hr & Hh & Hno). destruct (A n c Hr Hno) as (d & Hd & Ex & Ey & Ec & Hs).
  assert (R : forall a b, hx a = hx b -> hy a = hy b -> cells a = cells b -> reads a = reads b)
    by (intros a b E1 E2 E3; unfold reads; rewrite E1, E2, E3; reflexivity).
  exists d. split; [|exact Ec]. split; [exact Hd|]. split.
  - apply halts_seen. apply halts_seen in Hh. rewrite (R d c) by assumption.
    destruct (acts L c) as [[[s m] p]|]; [congruence | discriminate].
  - intros i di Hi Hdi Hhi. destruct (run_prefix L _ i n c Hr Hi) as (ci & Hci & Ha).
    destruct (A i ci Hci) as (di' & Hdi' & Fx & Fy & Fc & Hs'); [intros j e Hj; apply Hno; lia|].
    assert (di' = di) by congruence. subst di'. apply (Hno i ci Hi Hci). apply halts_seen. apply halts_seen in Hhi.
    rewrite (R ci di) by congruence. destruct (acts L ci) as [[[s m] p]|]; [congruence | contradiction].
Qed.

(** So every engine of which a total claim holds halts, and leaves the value of the clause. *)
Theorem leaves_alike k L T o parts : does_what k L T (input_world (concat parts)) 0 0 ->
  (exists n e, run L n (start (input_world (concat parts)) 0 0) = Some e /\ halts L e) ->
  leaves_output L o -> declared (o_inputs o) parts ->
  exists n d, halts_after T n (input_world (concat parts)) 0 0 d /\
    exists r l, value_of o parts = Some r /\ stands (cells d) l /\ says (o_digits o) r l.
Proof.
  intros A (n & e & Hr & Hh) Hl Hp. destruct (first_halt _ _ _ _ _ _ Hr Hh) as (i & c & Hc).
  destruct (halts_alike _ _ _ _ _ _ _ _ A Hc) as (d & Hd & Ec). exists i, d. split; [exact Hd|].
  rewrite Ec. exact (Hl parts Hp i c Hc).
Qed.

(** A run changes finitely many cells. *)
Lemma far_left_blank T w : (forall X Y, (X < 0)%Z -> w X Y = 0%N) -> forall m c, run T m (start w 0 0) = Some c ->
  exists far, forall X Y, (X < far)%Z -> cells c X Y = 0%N.
Proof.
  intros H. induction m as [|m IH]; intros c Hr; [injection Hr as <-; exists 0%Z; exact H|]. cbn [run] in Hr.
  destruct (run T m (start w 0 0)) as [c'|]; [|discriminate]. destruct (IH c' eq_refl) as [far Hf].
  unfold step in Hr. destruct (acts T c') as [[[s mv] p]|]; [|discriminate]. injection Hr as <-. cbn [cells].
  exists (Z.min far (hx c')). intros X Y HX. unfold put. destruct (Z.eqb_spec X (hx c')); [lia|]. apply Hf. lia.
Qed.
