(** (M3): what holds of nodes, states and what is next, if a machine of k states does what traces show. *)
From Coq Require Import NArith PeanoNat List Bool Lia.
From Gridlang Require Import Grid Maps Differences Smallest Derivation Colours.
Import ListNotations.
Local Open Scope N_scope.

(** Node v is state i; state j is next after i on r; state i does a on r; the i-th state without a name was come to
    by the n-th of the nodes that are listed, or by one before it. *)
Inductive variable := Is_state (v i : N) | Next (r i j : N) | Does (r : N) (a : deed) (i : N) | Used (n i : N).
Definition said : Type := bool * variable.

Section Formula.
  Variables (T : table) (k : N) (word : N -> list symbol) (named inner : list N).
  Variables (is_edge : N -> N -> deed -> bool) (is_child : N -> N -> N -> bool) (is_apart : N -> N -> bool).
  Definition state_of (v : N) : N := state_after T (word v).
  Definition next (p r : N) : N := match T p r with Some (_, _, q) => q | None => 0 end.
  Definition order : list N := grow (map state_of named) (map state_of inner).
  Definition colour (p : N) : N := let i := index p order in if i <? k then i else 0.
  Definition with_colour (i : N) : N := nth (N.to_nat i) order 0.
  Definition names : N := N.of_nat (length named).
  Definition value (x : variable) : bool :=
    match x with
    | Is_state v i => colour (state_of v) =? i
    | Next r i j => colour (next (with_colour i) r) =? j
    | Does r a i => deed_eqb (seen (T (with_colour i) r)) a
    | Used n i => existsb (fun v => colour (state_of v) =? names + i) (firstn (S (N.to_nat n)) inner)
    end.
  Definition is_so (c : list said) : bool := existsb (fun l => Bool.eqb (fst l) (value (snd l))) c.
  Definition place (n : N) (v : N) : bool := match nth_error inner (N.to_nat n) with Some u => u =? v | None => false end.
  Definition is_named (v i : N) : bool := match nth_error named (N.to_nat i) with Some u => u =? v | None => false end.

  (** * The clauses, by their forms *)
  Definition variable_eqb (x y : variable) : bool :=
    match x, y with
    | Is_state v i, Is_state w j => (v =? w) && (i =? j)
    | Next r i j, Next r' i' j' => (r =? r') && (i =? i') && (j =? j')
    | _, _ => false
    end.
  Fixpoint all_true (c : list said) (l : list variable) : bool :=
    match c, l with
    | [], [] => true
    | (true, x) :: c, y :: l => variable_eqb x y && all_true c l
    | _, _ => false
    end.
  Definition some_state (c : list said) : bool :=
    match c with
    | (true, Is_state v _) :: _ => all_true c (map (Is_state v) (below k))
    | (true, Next r i _) :: _ => all_true c (map (Next r i) (below k))
    | _ => false
    end.
  Definition not_both (c : list said) : bool :=
    match c with
    | [(false, Is_state v i); (false, Is_state w j)] => (v =? w) && negb (i =? j)
    | [(false, Next r i j); (false, Next r' i' j')] => (r =? r') && (i =? i') && negb (j =? j')
    | [(false, Does r a i); (false, Does r' b i')] => (r =? r') && (i =? i') && negb (deed_eqb a b)
    | _ => false
    end.
  Definition as_shown (c : list said) : bool :=
    match c with
    | [(false, Is_state v i); (true, Does r a i')] => (i =? i') && is_edge v r a
    | [(false, Is_state v i); (false, Is_state w j); (true, Next r i' j')] => (i =? i') && (j =? j') && is_child v r w
    | [(false, Is_state v i); (false, Next r i' j); (true, Is_state w j')] => (i =? i') && (j =? j') && is_child v r w
    | [(true, Is_state v i)] => is_named v i
    | [(false, Is_state v i)] => is_apart v i || place 0 v && (names <? i)
    | _ => false
    end.
  Definition as_used (c : list said) : bool :=
    match c with
    | [(false, Is_state v i); (true, Used n i')] =>
        place n v && (i =? names + i') || place (N.succ n) v && (i =? N.succ (names + i'))
    | [(false, Used n i); (true, Is_state v i')] => (n =? 0) && place n v && (i' =? names + i)
    | [(false, Used n i); (true, Is_state v i'); (true, Used m j)] =>
        (n =? N.succ m) && place n v && (i' =? names + i) && (j =? i)
    | [(false, Used m i); (true, Used n j)] => (n =? N.succ m) && (j =? i)
    | _ => false
    end.
  Definition is_given (c : list said) : bool := some_state c || not_both c || as_shown c || as_used c.

  (** * They hold *)
  Hypothesis small : of_states k T.
  Hypothesis named_apart : NoDup (map state_of named).
  Hypothesis edge_ok : forall v r a, is_edge v r a = true -> In v inner /\ seen (T (state_of v) r) = a.
  Hypothesis child_ok : forall v r w, is_child v r w = true -> In v inner /\ state_of w = next (state_of v) r.
  Hypothesis apart_ok : forall v i, is_apart v i = true -> In v inner /\
    exists u, nth_error named (N.to_nat i) = Some u /\ state_of v <> state_of u.

  Lemma order_nodup : NoDup order. Proof. apply grow_nodup, named_apart. Qed.
  Lemma order_fits : N.of_nat (length order) <= k.
  Proof.
    pose proof order_nodup as H. apply (NoDup_incl_length (l' := below k)) in H.
    - rewrite below_is, map_length, seq_length in H. lia.
    - intros p Hp. apply grow_in in Hp. rewrite !in_map_iff in Hp.
      destruct Hp as [(v & <- & _) | (v & <- & _)]; apply in_below, state_after_below, small.
  Qed.
  Lemma colour_below p : colour p < k.
  Proof. unfold colour. destruct (N.ltb_spec (index p order) k); [assumption | apply small]. Qed.
  Lemma colour_in p : In p order -> colour p = index p order /\ with_colour (colour p) = p.
  Proof.
    intros H. destruct (index_in _ _ H) as [H1 H2]. pose proof order_fits. unfold colour, with_colour.
    destruct (N.ltb_spec (index p order) k); [auto | lia].
  Qed.
  Lemma inner_in v : In v inner -> In (state_of v) order.
  Proof. intros H. apply grow_in. right. apply in_map. exact H. Qed.
  Lemma inner_back v : In v inner -> with_colour (colour (state_of v)) = state_of v.
  Proof. intros H. apply colour_in, inner_in, H. Qed.
  Lemma named_colour u i : nth_error named i = Some u -> colour (state_of u) = N.of_nat i.
  Proof.
    intros H. assert (Hi : (i < length (map state_of named))%nat) by (rewrite map_length; apply nth_error_Some; congruence).
    assert (E : nth i (map state_of named) 0 = state_of u) by (apply nth_error_nth, map_nth_error, H).
    assert (Hu : In (state_of u) (map state_of named)) by (apply in_map; eapply nth_error_In; eauto).
    rewrite (proj1 (colour_in _ (proj2 (grow_in _ _ _) (or_introl Hu)))). unfold order.
    destruct (grow_more (map state_of inner) (map state_of named)) as [t ->]. rewrite (index_app _ _ _ Hu), <- E.
    apply index_nth; assumption.
  Qed.

  Lemma some_state_so c : some_state c = true -> is_so c = true.
  Proof.
    assert (H : forall f, (exists i, i < k /\ value (f i) = true) -> forall c, all_true c (map f (below k)) = true -> is_so c = true).
    { intros f (i & Hi & Hv) c0 H. apply in_below in Hi. revert c0 H. induction (below k) as [|j l IH]; [contradiction|].
      intros [|[[|] x] c0] H; try discriminate. cbn [map all_true] in H. apply andb_true_iff in H as [E H].
      destruct Hi as [->|Hi]; [|cbn [is_so existsb]; apply orb_true_iff; right; exact (IH Hi _ H)].
      assert (x = f i) as ->; [|cbn; rewrite Hv; reflexivity].
      destruct x, (f i); cbn in E; try discriminate; rewrite ?andb_true_iff, ?N.eqb_eq in E; intuition congruence. }
    destruct c as [|[[|] [v i|r i j| |]] c]; try discriminate; intros E; (eapply H; [|exact E]).
    - exists (colour (state_of v)). split; [apply colour_below | apply N.eqb_refl].
    - exists (colour (next (with_colour i) r)). split; [apply colour_below | apply N.eqb_refl].
  Qed.
  Ltac split_all := repeat (progress rewrite ?andb_true_iff, ?orb_true_iff, ?negb_true_iff, ?N.eqb_eq, ?N.eqb_neq, ?N.ltb_lt in *).
  Ltac by_cases := unfold is_so; cbn [existsb fst snd value Bool.eqb]; repeat match goal with
    | |- context [?a =? ?b] => destruct (N.eqb_spec a b); cbn; try reflexivity; try congruence end.
  Lemma not_both_so c : not_both c = true -> is_so c = true.
  Proof.
    destruct c as [|[[|] [v i|r i j|r a i|]] [|[[|] [w j'|r' i' j'|r' b i'|]] [|]]]; try discriminate; intros H;
      cbn [not_both] in H; split_all.
    - destruct H as [-> H]. by_cases.
    - destruct H as [[-> ->] H]. by_cases.
    - destruct H as [[-> ->] H]. unfold is_so. cbn [existsb fst snd value]. set (d := seen _).
      destruct (deed_eqb d a) eqn:Ea, (deed_eqb d b) eqn:Eb; try reflexivity. apply deed_eqb_eq in Ea, Eb.
      rewrite <- Ea, <- Eb, (proj2 (deed_eqb_eq d d) eq_refl) in H. discriminate.
  Qed.
  Lemma placed n v : place n v = true -> exists l1 l2, inner = l1 ++ v :: l2 /\ length l1 = N.to_nat n.
  Proof.
    unfold place. destruct (nth_error inner (N.to_nat n)) as [u|] eqn:E; [|discriminate]. intros H. apply N.eqb_eq in H. subst u.
    apply nth_error_split in E. exact E.
  Qed.
  Lemma used_earlier n v i : place n v = true -> colour (state_of v) = N.succ (names + i) ->
    exists u, In u (firstn (N.to_nat n) inner) /\ colour (state_of u) = names + i.
  Proof.
    intros H Hc. apply placed in H as (l1 & l2 & E & El).
    assert (Hv : In v inner) by (rewrite E; apply in_or_app; right; left; reflexivity).
    rewrite (proj1 (colour_in _ (inner_in v Hv))) in Hc. unfold order in Hc. rewrite E, map_app in Hc. cbn [map] in Hc.
    destruct (used_before (map state_of named) (map state_of l1) (state_of v) (map state_of l2)) as (y & Hy & Ey).
    { exact named_apart. } { rewrite Hc, map_length. unfold names. lia. }
    apply in_map_iff in Hy as (u & <- & Hu). exists u. split; [rewrite E, <- El, firstn_app, firstn_all, Nat.sub_diag, app_nil_r; exact Hu|].
    assert (Hu' : In u inner) by (rewrite E; apply in_or_app; left; exact Hu).
    rewrite (proj1 (colour_in _ (inner_in u Hu'))). unfold order. rewrite E, map_app. cbn [map]. lia.
  Qed.
  Lemma as_shown_so c : as_shown c = true -> is_so c = true.
  Proof.
    destruct c as [|[[|] [v i|r i j|r a i|n i]] c]; try discriminate; intros H; cbn [as_shown] in H.
    - destruct c; [|discriminate]. unfold is_named in H. destruct (nth_error named (N.to_nat i)) as [u|] eqn:E; [|discriminate]. split_all. subst u.
      apply named_colour in E. rewrite N2Nat.id in E. by_cases.
    - destruct c as [|[[|] [w j|r i' j|r a i'|]] c]; try (destruct c; discriminate); cbn [as_shown] in H.
      + split_all. destruct H as [H|[H1 H2]].
        * apply apart_ok in H as (Hin & u & Hu & Hn). pose proof (nth_error_In _ _ Hu) as Hu'. apply named_colour in Hu.
          rewrite N2Nat.id in Hu. unfold is_so. cbn. destruct (N.eqb_spec (colour (state_of v)) i) as [E|]; [|reflexivity].
          elim Hn. rewrite <- (inner_back v Hin), E, <- Hu.
          apply (fun H => proj2 (colour_in (state_of u) H)), grow_in. left. apply in_map, Hu'.
        * by_cases. destruct (used_earlier 0 v (N.pred (colour (state_of v) - names))) as (u & [] & _); [exact H1 | lia].
      + destruct c; [|discriminate]. split_all. destruct H as [-> H]. apply edge_ok in H as [Hin Hs]. unfold is_so. cbn.
        destruct (N.eqb_spec (colour (state_of v)) i') as [E|]; [|reflexivity].
        rewrite <- E, (inner_back _ Hin), Hs, (proj2 (deed_eqb_eq a a) eq_refl). reflexivity.
      + destruct c as [|[[|] [w' j'|r' i'' j'| |]] [|]]; try discriminate. split_all. destruct H as [[-> ->] H].
        apply child_ok in H as [Hin Hs]. apply inner_back in Hin. by_cases.
      + destruct c as [|[[|] [w' j'|r' i'' j'| |]] [|]]; try discriminate. split_all. destruct H as [[-> ->] H].
        apply child_ok in H as [Hin Hs]. apply inner_back in Hin. by_cases.
  Qed.
  Lemma in_firstn_more {A} (x : A) n m l : (n <= m)%nat -> In x (firstn n l) -> In x (firstn m l).
  Proof. revert n m. induction l as [|y l IH]; intros [|n] [|m] H; cbn; try tauto; [lia|]. intros [->|Hx]; [tauto | right; eapply IH; [|exact Hx]; lia]. Qed.
  Lemma used_by n i v : In v (firstn (S (N.to_nat n)) inner) -> colour (state_of v) = names + i -> value (Used n i) = true.
  Proof. intros H E. cbn [value]. apply existsb_exists. exists v. split; [exact H | apply N.eqb_eq, E]. Qed.
  Lemma used_last n i v : place n v = true -> value (Used n i) = true ->
    colour (state_of v) = names + i \/ exists u, In u (firstn (N.to_nat n) inner) /\ colour (state_of u) = names + i.
  Proof.
    intros H Hu. apply placed in H as (l1 & l2 & E & El). cbn [value] in Hu. apply existsb_exists in Hu as (u & Hu & Ec). apply N.eqb_eq in Ec.
    rewrite E, <- El in Hu. replace (S (length l1)) with (length (l1 ++ [v])) in Hu by (rewrite app_length; cbn; lia).
    replace (l1 ++ v :: l2) with ((l1 ++ [v]) ++ l2) in Hu by (rewrite <- app_assoc; reflexivity).
    rewrite firstn_app, firstn_all, Nat.sub_diag, app_nil_r in Hu. apply in_app_or in Hu as [Hu|[->|[]]]; [right|left; exact Ec].
    exists u. split; [|exact Ec]. rewrite E, <- El, firstn_app, firstn_all, Nat.sub_diag, app_nil_r. exact Hu.
  Qed.
  Lemma as_used_so c : as_used c = true -> is_so c = true.
  Proof.
    destruct c as [|[[|] [v i|r i i0|r a i|n i]] [|[[|] [v' i'| | |m j]] c]]; try discriminate; intros H; cbn [as_used] in H.
    - destruct c; [|discriminate]. split_all. unfold is_so. cbn [existsb fst snd Bool.eqb].
      destruct (value (Is_state v i)) eqn:E; [|reflexivity]. cbn [value] in E. apply N.eqb_eq in E.
      assert (Hu : exists u, In u (firstn (S (N.to_nat m)) inner) /\ colour (state_of u) = names + j).
      { destruct H as [[H ->]|[H ->]]; [|rewrite <- N2Nat.inj_succ; exact (used_earlier _ _ _ H E)]. exists v. split; [|exact E].
        apply placed in H as (l1 & l2 & -> & <-). replace (l1 ++ v :: l2) with ((l1 ++ [v]) ++ l2) by (rewrite <- app_assoc; reflexivity).
        rewrite firstn_app. apply in_or_app. left. rewrite firstn_all2 by (rewrite app_length; cbn; lia).
        apply in_or_app. right. left. reflexivity. }
      destruct Hu as (u & Hu & Ec). rewrite (used_by m j u Hu Ec). reflexivity.
    - destruct c as [|[[|] [ | | |m j]] [|]]; try discriminate; split_all.
      + destruct H as [[-> H] ->]. unfold is_so. cbn [existsb fst snd Bool.eqb]. destruct (value (Used 0 i)) eqn:E; [|reflexivity].
        apply (used_last 0 i v' H) in E as [E|(u & [] & _)]. cbn [value]. rewrite E, N.eqb_refl. reflexivity.
      + destruct H as [[[-> H] ->] ->]. unfold is_so. cbn [existsb fst snd Bool.eqb]. destruct (value (Used (N.succ m) i)) eqn:E; [|reflexivity].
        apply (used_last _ i v' H) in E as [E|(u & Hu & E)]; [cbn [value]; rewrite E, N.eqb_refl; reflexivity|].
        rewrite N2Nat.inj_succ in Hu. rewrite (used_by m i u Hu E). cbn. apply orb_true_r.
    - destruct c; [|discriminate]. split_all. destruct H as [-> ->]. unfold is_so. cbn [existsb fst snd Bool.eqb].
      destruct (value (Used n i)) eqn:E; [|reflexivity]. cbn [value] in E. apply existsb_exists in E as (u & Hu & E). apply N.eqb_eq in E.
      rewrite (used_by (N.succ n) i u); [reflexivity | | exact E]. rewrite N2Nat.inj_succ. eapply in_firstn_more; [|exact Hu]. lia.
  Qed.
  Lemma given_so c : is_given c = true -> is_so c = true.
  Proof.
    intros H. unfold is_given in H. rewrite !orb_true_iff in H. destruct H as [[[H|H]|H]|H];
      [apply some_state_so | apply not_both_so | apply as_shown_so | apply as_used_so]; exact H.
  Qed.
End Formula.
