(** (V10), the chains: what may stand on a folded tape beside the head, for each control. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Maps Strips Rows FoldedTape.
Import ListNotations.
Local Open Scope Z_scope.

Definition kind_eqb (a b : held) : bool :=
  match a, b with Bare, Bare | Digit, Digit | Omitted, Omitted => true | _, _ => false end.
Definition ordered_towards (side : bool) (here there : held) : bool :=
  if side then ordered here there else ordered there here.

Fixpoint subset (a b : list N) : bool :=               (* of sorted lists *)
  match b with
  | [] => match a with [] => true | _ => false end
  | y :: b => match a with
              | [] => true
              | x :: a' => if (x =? y)%N then subset a' b else subset a b
              end
  end.
Lemma subset_sound b : forall a, subset a b = true -> forall x, In x a -> In x b.
Proof.
  induction b as [|y b IH]; intros [|x a] H z Hz; simpl in *; try discriminate; try contradiction.
  destruct (N.eqb_spec x y) as [->|]; [destruct Hz as [->|Hz]; [left; reflexivity|]|]; right;
    [apply (IH a) | apply (IH (x :: a))]; auto.
Qed.

(** * Grams: for each control and label the coarse numbers beside it, by some key *)
Definition rows_by_label := PM.t (N * list N).
Definition rows_of_map (m : rows_by_label) : list (N * list N) := map snd (PM.elements m).
Definition has (m : rows_by_label) (x : N) (ws : list N) : bool :=
  match PM.find (key x) m with
  | Some (x', ws') => (x' =? x)%N && subset ws ws'
  | None => match ws with [] => true | _ => false end
  end.
Definition within (m : rows_by_label) (x w : N) : Prop := exists ws, In (x, ws) (rows_of_map m) /\ In w ws.
Lemma has_sound m x ws w : has m x ws = true -> In w ws -> within m x w.
Proof.
  unfold has, within. destruct (PM.find (key x) m) as [[x' ws']|] eqn:E; intros H Hw;
    [|destruct ws; [contradiction | discriminate]].
  apply andb_true_iff in H as [Hx H]. apply N.eqb_eq in Hx. subst x'. exists ws'. split; [|eapply subset_sound; eauto].
  apply PM.elements_correct in E. unfold rows_of_map. change (x, ws') with (snd (key x, (x, ws'))). apply in_map.
  exact E.
Qed.

(** What is left to do once the head's own columns are checked. *)
Inductive duty :=
| Enter (side : bool) (k near k' behind : N)           (* the head goes to the side: from k to k' *)
| Flow (side : bool) (k k' near : N)                   (* chains of k that begin so are chains of k' *)
| Chain (side : bool) (k near : N) (before : held).    (* LEFT has halted *)
Definition duty_eqb (a b : duty) : bool :=
  match a, b with
  | Enter s k n k' b, Enter s1 k1 n1 k1' b1 =>
      Bool.eqb s s1 && (k =? k1)%N && (n =? n1)%N && (k' =? k1')%N && (b =? b1)%N
  | Flow s k k' n, Flow s1 k1 k1' n1 => Bool.eqb s s1 && (k =? k1)%N && (k' =? k1')%N && (n =? n1)%N
  | Chain s k n b, Chain s1 k1 n1 b1 => Bool.eqb s s1 && (k =? k1)%N && (n =? n1)%N && kind_eqb b b1
  | _, _ => false
  end.
Lemma duty_eqb_eq a b : duty_eqb a b = true -> a = b.
Proof.
  destruct a, b; simpl; try discriminate; rewrite !andb_true_iff, ?N.eqb_eq; intros H; decompose [and] H; clear H;
    repeat match goal with E : Bool.eqb _ _ = true |- _ => apply Bool.eqb_prop in E end; subst; try reflexivity.
  destruct before, before0; simpl in *; congruence.
Qed.

Section Chains.
  Variables (step_of : control -> column -> move_made) (kind_at : control -> column -> option held).
  Variables (control_at : N -> control) (label_at : N -> column) (coarse : N -> N).
  Variables (number_of_control : control -> option N) (number_of_label : column -> option N).
  Hypothesis number_control_ok : forall k i, number_of_control k = Some i -> control_at i = k.
  Hypothesis number_label_ok : forall c i, number_of_label c = Some i -> label_at i = c.
  Variables (heads : bool -> N -> rows_by_label) (grams : bool -> N -> N -> rows_by_label).
  (* the latter by coarse number too *)

  Definition in_heads (side : bool) (k x w : N) : Prop := within (heads side k) x w.
  Definition in_grams (side : bool) (k x w : N) : Prop := within (grams side k (coarse x)) x w.
  Definition stands_at (k : N) (z : Z) (lab : Z -> N) : Prop :=
    (forall side, in_heads side k (lab z) (coarse (lab (z + sg side)))) /\
    (forall side j, 0 < sg side * (j - z) -> in_grams side k (lab j) (coarse (lab (j + sg side)))).

  (** * The checker *)
  Definition flows (side : bool) (k k' : N) (ws : list N) : list duty :=
    if (k =? k')%N then [] else map (Flow side k k') ws.
  Definition head_duties (side : bool) (k : N) (row : N * list N) : option (list duty) :=
    let '(x, ws) := row in
    match step_of (control_at k) (label_at x) with
    | Wrong => None
    | Halted =>
        match kind_at (control_at k) (label_at x) with
        | Some u => Some (map (fun w => Chain side k w u) ws)
        | None => None
        end
    | Goes k' c d =>
        match number_of_control k', number_of_label c with
        | Some k', Some c =>
            if d =? sg side then Some (map (fun w => Enter side k w k' (coarse c)) ws)
            else if (d =? 0) && has (heads side k') c ws || (d =? - sg side) && has (grams side k' (coarse c)) c ws
            then Some (flows side k k' ws)
            else None
        | _, _ => None
        end
    end.

  Definition duty_ok (o : duty) : bool :=
    match o with
    | Enter side k n k' b =>
        forallb (fun r => has (heads side k') (fst r) (snd r) && has (heads (negb side) k') (fst r) [b])
          (rows_of_map (grams side k n))
    | Flow side k k' n =>
        forallb (fun r => has (grams side k' (coarse (fst r))) (fst r) (snd r)) (rows_of_map (grams side k n))
    | Chain side k n u =>
        forallb (fun r => match kind_at (control_at k) (label_at (fst r)) with
                          | Some v => ordered_towards side u v
                          | None => false
                          end) (rows_of_map (grams side k n))
    end.
  Definition later_duties (o : duty) : list duty :=
    match o with
    | Enter side k n k' _ => flat_map (fun r => flows side k k' (snd r)) (rows_of_map (grams side k n))
    | Flow side k k' n => flat_map (fun r => map (Flow side k k') (snd r)) (rows_of_map (grams side k n))
    | Chain side k n _ =>
        flat_map (fun r => match kind_at (control_at k) (label_at (fst r)) with
                           | Some v => map (fun w => Chain side k w v) (snd r)
                           | None => []
                           end) (rows_of_map (grams side k n))
    end.

  (** * Soundness *)
  Variable duties : list duty.
  Hypothesis heads_ok : forall side k x w, in_heads side k x w ->
    exists ws l, In w ws /\ head_duties side k (x, ws) = Some l /\ incl l duties.
  Hypothesis duties_ok : forall o, In o duties -> duty_ok o = true /\ incl (later_duties o) duties.

  Lemma in_flows side k k' w ws : In w ws -> incl (flows side k k' ws) duties -> k = k' \/ In (Flow side k k' w) duties.
  Proof.
    unfold flows. destruct (N.eqb_spec k k') as [->|]; [left; reflexivity|]. intros Hw H. right. apply H. apply in_map.
    exact Hw.
  Qed.

  Lemma outwards side z (P : Z -> Prop) : P (z + sg side) ->
    (forall j, 0 < sg side * (j - z) -> P j -> P (j + sg side)) ->
    forall j, 0 < sg side * (j - z) -> P j.
  Proof.
    intros H0 H j Hj. replace j with (z + sg side * (Z.of_nat (Z.to_nat (sg side * (j - z) - 1)) + 1)) by
      (destruct side; cbn [sg] in *; lia).
    induction (Z.to_nat _) as [|i IH]; [rewrite Z.mul_1_r; exact H0|].
    replace (z + sg side * (Z.of_nat (S i) + 1)) with (z + sg side * (Z.of_nat i + 1) + sg side) by lia.
    apply H; [destruct side; cbn [sg]; lia | exact IH].
  Qed.

  (** Chains go on as they were. *)
  Lemma chain_flows side k k' lab z :
    (forall j, 0 < sg side * (j - z) -> in_grams side k (lab j) (coarse (lab (j + sg side)))) ->
    k = k' \/ In (Flow side k k' (coarse (lab (z + sg side)))) duties ->
    forall j, 0 < sg side * (j - z) -> in_grams side k' (lab j) (coarse (lab (j + sg side))).
  Proof.
    intros Hg [<-|Hf]; [exact Hg|].
    assert (Next : forall j, 0 < sg side * (j - z) -> In (Flow side k k' (coarse (lab j))) duties ->
              in_grams side k' (lab j) (coarse (lab (j + sg side))) /\
                In (Flow side k k' (coarse (lab (j + sg side)))) duties).
    { intros j Hj Hd. destruct (Hg j Hj) as (ws & Hin & Hw). destruct (duties_ok _ Hd) as [Hok Hl].
      cbn [duty_ok] in Hok. rewrite forallb_forall in Hok. split; [eapply has_sound; [apply (Hok _ Hin) | exact Hw]|].
      apply Hl. cbn [later_duties]. apply in_flat_map. eexists. split; [exact Hin|]. apply in_map. exact Hw. }
    intros j Hj. apply Next; [exact Hj|]. revert j Hj. apply outwards; [exact Hf|]. intros j Hj Hd.
    apply Next; assumption.
  Qed.

  Lemma relabelled_same lab z c : relabelled lab z c z = c.
  Proof. unfold relabelled. rewrite Z.eqb_refl. reflexivity. Qed.
  Lemma relabelled_other lab z c j : j <> z -> relabelled lab z c j = lab j.
  Proof. unfold relabelled. intros H. apply Z.eqb_neq in H. rewrite H. reflexivity. Qed.
  Ltac relabel := repeat (rewrite relabelled_other by (match goal with s : bool |- _ => destruct s;
    cbn [sg negb] in * end; lia)).

  (** What there is on a side after a step. *)
  Definition side_stands (side : bool) (k : N) (z : Z) (lab : Z -> N) : Prop :=
    in_heads side k (lab z) (coarse (lab (z + sg side))) /\
    forall j, 0 < sg side * (j - z) -> in_grams side k (lab j) (coarse (lab (j + sg side))).

  Lemma entered side k k' z lab c : side_stands side k z lab ->
    In (Enter side k (coarse (lab (z + sg side))) k' (coarse c)) duties ->
    side_stands side k' (z + sg side) (relabelled lab z c) /\
    in_heads (negb side) k' (lab (z + sg side)) (coarse c).
  Proof.
    intros [_ Hg] He. destruct (Hg (z + sg side)) as (ws & Hin & Hw); [destruct side; cbn [sg]; lia|].
    destruct (duties_ok _ He) as [Hok Hl]. cbn [duty_ok] in Hok. rewrite forallb_forall in Hok.
    specialize (Hok _ Hin). cbn [fst snd] in Hok. apply andb_true_iff in Hok as [H1 H2]. split; [split|].
    - relabel. eapply has_sound; eauto.
    - intros j Hj. relabel. refine (chain_flows side k k' lab (z + sg side) _ _ j Hj).
      + intros i Hi. apply Hg. destruct side; cbn [sg] in *; lia.
      + apply (in_flows side k k' _ ws Hw). intros o Ho. apply Hl. cbn [later_duties]. apply in_flat_map.
        eexists. split; [exact Hin | exact Ho].
    - eapply has_sound; [exact H2 | left; reflexivity].
  Qed.

  Lemma stayed side k k' z lab c ws : side_stands side k z lab -> In (coarse (lab (z + sg side))) ws ->
    has (heads side k') c ws = true -> incl (flows side k k' ws) duties ->
      side_stands side k' (z + 0) (relabelled lab z c).
  Proof.
    intros [_ Hg] Hw Hh Hf. rewrite Z.add_0_r. split.
    - rewrite relabelled_same. relabel. eapply has_sound; eauto.
    - intros j Hj. relabel. refine (chain_flows side k k' lab z Hg _ j Hj). eapply in_flows; eauto.
  Qed.

  Lemma left_behind side k k' z lab c ws : side_stands side k z lab -> In (coarse (lab (z + sg side))) ws ->
    has (grams side k' (coarse c)) c ws = true -> incl (flows side k k' ws) duties ->
    forall j, 0 < sg side * (j - (z - sg side)) ->
      in_grams side k' (relabelled lab z c j) (coarse (relabelled lab z c (j + sg side))).
  Proof.
    intros [_ Hg] Hw Hh Hf j Hj. destruct (Z.eq_dec j z) as [->|Nj].
    - rewrite relabelled_same. relabel. eapply has_sound; eauto.
    - relabel. refine (chain_flows side k k' lab z Hg _ j _);
        [eapply in_flows; eauto | destruct side; cbn [sg] in *; lia].
  Qed.

  (** A step to a side, seen from both. *)
  Definition step_seen (side : bool) (k k' : N) (d : Z) (c : N) (w : N) : Prop :=
    (d = sg side /\ In (Enter side k w k' (coarse c)) duties) \/
    exists ws, In w ws /\ incl (flows side k k' ws) duties /\
      ((d = 0 /\ has (heads side k') c ws = true) \/ (d = - sg side /\ has (grams side k' (coarse c)) c ws = true)).
  Lemma moved side k k' z lab c : (forall s, side_stands s k z lab) ->
    (forall s, step_seen s k k' (sg side) c (coarse (lab (z + sg s)))) ->
      stands_at k' (z + sg side) (relabelled lab z c).
  Proof.
    intros S H. destruct (H side) as [[_ He] | (? & _ & _ & [[E _] | [E _]])]; try (destruct side; discriminate).
    destruct (H (negb side)) as [[E _] | (ws & Hw & Hf & [[E _] | [_ Hh]])]; try (destruct side; discriminate).
    destruct (entered side k k' z lab c (S side) He) as [E1 E2].
    pose proof (left_behind (negb side) k k' z lab c ws (S (negb side)) Hw Hh Hf) as B.
    assert (Other : forall s, s = side \/ s = negb side) by (intros [|]; destruct side; auto).
    split; intros s; destruct (Other s) as [-> | ->]; try apply E1.
    - rewrite relabelled_other by (destruct side; cbn [sg]; lia).
      replace (z + sg side + sg (negb side)) with z by (destruct side; cbn [sg negb]; lia).
      rewrite relabelled_same. exact E2.
    - intros j Hj. apply B. destruct side; cbn [sg negb] in *; lia.
  Qed.
  Lemma stands_step k z lab : stands_at k z lab ->
    match step_of (control_at k) (label_at (lab z)) with
    | Wrong => False
    | Halted => True
    | Goes k' c d => exists nk nc, control_at nk = k' /\ label_at nc = c /\ stands_at nk (z + d) (relabelled lab z nc)
    end.
  Proof.
    intros [Hh Hg]. assert (S : forall side, side_stands side k z lab) by (intros side; split; [apply Hh | apply Hg]).
    assert (D : forall side, exists ws l, In (coarse (lab (z + sg side))) ws /\
      head_duties side k (lab z, ws) = Some l /\ incl l duties)
      by (intros side; apply heads_ok, Hh).
    cbn [head_duties] in D. destruct (step_of (control_at k) (label_at (lab z))) as [| |k' c d];
      [destruct (D true) as (? & ? & _ & E & _); discriminate | exact Logic.I|].
    destruct (number_of_control k') as [nk|] eqn:Ek; [|destruct (D true) as (? & ? & _ & E & _); discriminate].
    destruct (number_of_label c) as [nc|] eqn:Ec; [|destruct (D true) as (? & ? & _ & E & _); discriminate].
    exists nk, nc. split; [apply number_control_ok; exact Ek|]. split; [apply number_label_ok; exact Ec|].
    assert (Seen : forall side, step_seen side k nk d nc (coarse (lab (z + sg side)))).
    { intros side. destruct (D side) as (ws & l & Hw & E & Hl). destruct (Z.eqb_spec d (sg side)) as [->|_].
      - left. split; [reflexivity|]. injection E as <-. apply Hl.
        apply (in_map (fun w => Enter side k w nk (coarse nc))). exact Hw.
      - right. exists ws. destruct (_ || _) eqn:O; [|discriminate]. injection E as <-. split; [exact Hw|].
        split; [exact Hl|].
        rewrite orb_true_iff, !andb_true_iff, !Z.eqb_eq in O. exact O. }
    destruct (Seen true) as [[-> _] | (wr & Hwr & Hfr & [[-> Hr] | [-> _]])];
      [apply (moved true k); assumption | | apply (moved false k); assumption].
    destruct (Seen false) as [[E _] | (wl & Hwl & Hfl & [[_ Hl] | [E _]])]; try discriminate.
    destruct (stayed true k nk z lab nc wr (S true) Hwr Hr Hfr), (stayed false k nk z lab nc wl (S false) Hwl Hl Hfl).
    split; intros [|]; assumption.
  Qed.

  (** Where LEFT halts, every column has a kind that fits to the next one's. *)
  Lemma chain_kinds side k lab z u :
    (forall j, 0 < sg side * (j - z) -> in_grams side k (lab j) (coarse (lab (j + sg side)))) ->
    kind_at (control_at k) (label_at (lab z)) = Some u -> In (Chain side k (coarse (lab (z + sg side))) u) duties ->
    forall j, 0 < sg side * (j - z) -> exists u v, kind_at (control_at k) (label_at (lab (j - sg side))) = Some u /\
      kind_at (control_at k) (label_at (lab j)) = Some v /\ ordered_towards side u v = true.
  Proof.
    intros Hg Hu Hc.
    assert (Next : forall j u, 0 < sg side * (j - z) -> In (Chain side k (coarse (lab j)) u) duties ->
              exists v, kind_at (control_at k) (label_at (lab j)) = Some v /\ ordered_towards side u v = true /\
              In (Chain side k (coarse (lab (j + sg side))) v) duties).
    { intros j u' Hj Hd. destruct (Hg j Hj) as (ws & Hin & Hw).
      destruct (duties_ok _ Hd) as [Hok Hl]. cbn [duty_ok] in Hok. rewrite forallb_forall in Hok.
      specialize (Hok _ Hin).
      cbn [fst snd] in Hok. destruct (kind_at (control_at k) (label_at (lab j))) as [v|] eqn:Ev; [|discriminate].
      exists v. split; [reflexivity|]. split; [exact Hok|]. apply Hl. cbn [later_duties]. apply in_flat_map.
      eexists. split; [exact Hin|]. cbn [fst snd]. rewrite Ev. apply (in_map (fun w => Chain side k w v)). exact Hw. }
    assert (P : forall j, 0 < sg side * (j - z) -> exists u,
      kind_at (control_at k) (label_at (lab (j - sg side))) = Some u /\
              In (Chain side k (coarse (lab j)) u) duties).
    { apply outwards; [exists u; replace (z + sg side - sg side) with z by lia; auto|].
      intros j Hj (u' & _ & Hd). destruct (Next j u' Hj Hd) as (v & Hv & _ & Hd'). exists v.
      replace (j + sg side - sg side) with j by lia. auto. }
    intros j Hj. destruct (P j Hj) as (u' & Hu' & Hd). destruct (Next j u' Hj Hd) as (v & Hv & Ho & _). eauto.
  Qed.
  Lemma stands_halted k z lab : stands_at k z lab -> step_of (control_at k) (label_at (lab z)) = Halted ->
    forall j, exists u v, kind_at (control_at k) (label_at (lab j)) = Some u /\
      kind_at (control_at k) (label_at (lab (j + 1))) = Some v /\ ordered u v = true.
  Proof.
    intros [Hh Hg] E j.
    assert (Both : forall side j, 0 < sg side * (j - z) -> exists u v,
      kind_at (control_at k) (label_at (lab (j - sg side))) = Some u /\
      kind_at (control_at k) (label_at (lab j)) = Some v /\ ordered_towards side u v = true).
    { intros side. destruct (heads_ok _ _ _ _ (Hh side)) as (ws & l & Hw & Ed & Hl). cbn [head_duties] in Ed.
      rewrite E in Ed.
      destruct (kind_at (control_at k) (label_at (lab z))) as [u|] eqn:Eu; [|discriminate]. injection Ed as <-.
      apply (chain_kinds side k lab z u (Hg side) Eu). apply Hl. apply (in_map (fun w => Chain side k w u)). exact Hw. }
    destruct (Z_le_gt_dec z j) as [R|L].
    - destruct (Both true (j + 1)) as (u & v & A & B & C); cbn [sg] in *; [lia|].
      replace (j + 1 - 1) with j in A by lia. eauto.
    - destruct (Both false j) as (u & v & A & B & C); cbn [sg] in *; [lia|]. replace (j - -1) with (j + 1) in A by lia.
      eauto.
  Qed.

  (** Without numbers *)
  Definition Holds (k : control) (z : Z) (t : Z -> column) : Prop :=
    exists i lab, control_at i = k /\ (forall j, label_at (lab j) = t j) /\ stands_at i z lab.
  Theorem holds_step : kept_by step_of Holds.
  Proof.
    intros k z t (i & lab & <- & Ht & S). pose proof (stands_step i z lab S) as H. rewrite <- Ht.
    destruct (step_of (control_at i) (label_at (lab z))) as [| |k' c d]; [exact H | exact H|].
    intros t' Hc Ho. destruct H as (nk & nc & Ek & Ec & S'). exists nk, (relabelled lab z nc). split; [exact Ek|].
    split; [|exact S']. intros j. destruct (Z.eq_dec j z) as [->|Nj].
    - rewrite relabelled_same. congruence.
    - rewrite relabelled_other by exact Nj. rewrite Ht, Ho by exact Nj. reflexivity.
  Qed.
  Theorem holds_halted k z t : Holds k z t -> step_of k (t z) = Halted ->
    forall j, exists u v, kind_at k (t j) = Some u /\ kind_at k (t (j + 1)) = Some v /\ ordered u v = true.
  Proof.
    intros (i & lab & <- & Ht & S) E j. rewrite <- Ht in E.
    destruct (stands_halted i z lab S E j) as (u & v & A & B & C). rewrite Ht in A, B. eauto.
  Qed.
End Chains.
