(** What traces show, and that no machine with few states does it: (M1), (M2). *)
From Coq Require Import NArith PeanoNat List Bool Lia.
From Gridlang Require Import Grid Maps Differences.
Import ListNotations.
Local Open Scope N_scope.

(** Reads, and what is done at each; nothing where the machine is stuck. *)
Definition trace : Type := list (symbol * deed).
Definition does_what_it_shows (T : table) (t : trace) : Prop := deeds T 0 (map fst t) = map snd t.

(** A machine whose states are the numbers below k. *)
Definition of_states (k : N) (T : table) : Prop :=
  0 < k /\ forall p s w m q, p < k -> T p s = Some (w, m, q) -> q < k.
Definition too_few (k : N) (traces : list trace) : Prop :=
  forall T, of_states k T -> ~ Forall (does_what_it_shows T) traces.

(** * What a machine does on the last of some reads *)
Fixpoint last_deed (T : table) (p : state) (u : list symbol) : deed :=
  match u with
  | [] => None
  | s :: u => match u with [] => seen (T p s) | _ => match T p s with Some (_, _, q) => last_deed T q u | None => None end end
  end.
Fixpoint shown_after (u : list symbol) (t : trace) : option deed :=
  match u, t with
  | s :: u, (r, a) :: t => if s =? r then match u with [] => Some a | _ => shown_after u t end else None
  | _, _ => None
  end.
Lemma shown_after_ok T u : forall p t a, deeds T p (map fst t) = map snd t -> shown_after u t = Some a -> last_deed T p u = a.
Proof.
  induction u as [|s u IH]; intros p [|[r a'] t] a Hd H; try discriminate. cbn [shown_after map fst snd deeds] in *.
  destruct (N.eqb_spec s r) as [->|]; [|discriminate]. injection Hd as Ha Hd. destruct u as [|s' u]; [cbn; congruence|].
  cbn [last_deed]. destruct (T p r) as [[[w m] q]|]; [exact (IH q t a Hd H)|]. destruct t; discriminate.
Qed.
Lemma shown_further T u x : x <> [] -> forall p t a, deeds T p (map fst t) = map snd t -> shown_after (u ++ x) t = Some a ->
  exists q, after T p u = Some q /\ last_deed T q x = a.
Proof.
  intros Hx. induction u as [|s u IH]; intros p t a Hd H; [exists p; split; [reflexivity | eapply shown_after_ok; eauto]|].
  destruct t as [|[r a'] t]; [discriminate|]. cbn [app shown_after map fst snd deeds after] in *.
  destruct (N.eqb_spec s r) as [->|]; [|discriminate]. injection Hd as _ Hd.
  destruct (u ++ x) as [|s' u'] eqn:E; [destruct u; [contradiction | discriminate]|]. rewrite <- E in *.
  destruct (T p r) as [[[w m] q]|]; [exact (IH q t a Hd H)|]. destruct t; [rewrite E in H|]; discriminate.
Qed.

(** The traces as a tree: what is done on each read, and the tree after it. *)
Inductive tree := Tree (next : PM.t (deed * tree)).
Definition nothing_shown : tree := Tree (PM.empty _).
Fixpoint with_trace (t : trace) (x : tree) : tree :=
  match t, x with
  | [], _ => x
  | (s, a) :: t, Tree m =>
      let '(b, y) := match PM.find (key s) m with Some found => found | None => (a, nothing_shown) end in
      Tree (PM.add (key s) (b, with_trace t y) m)
  end.
Definition tree_of (traces : list trace) : tree := fold_right with_trace nothing_shown traces.
Fixpoint shown_in (x : tree) (u : list symbol) : option deed :=
  match u, x with
  | [], _ => None
  | s :: u, Tree m => match PM.find (key s) m with Some (a, y) => match u with [] => Some a | _ => shown_in y u end | None => None end
  end.
Lemma shown_nowhere u : shown_in nothing_shown u = None.
Proof. destruct u as [|s u]; [reflexivity|]. cbn. rewrite PM.gempty. reflexivity. Qed.
Lemma with_trace_shown t : forall x u a, shown_in (with_trace t x) u = Some a -> shown_in x u = Some a \/ shown_after u t = Some a.
Proof.
  induction t as [|[r b] t IH]; intros [m] u a H; [left; exact H|]. destruct u as [|s u]; [discriminate|]. cbn [with_trace shown_after] in *.
  destruct (N.eqb_spec s r) as [->|Ns].
  - destruct (PM.find (key r) m) as [[b' y]|] eqn:E; cbn [shown_in] in *; rewrite PM.gss in H; destruct u as [|s u]; auto.
    + rewrite E. auto.
    + rewrite E. apply IH. exact H.
    + apply IH in H as [H|H]; [rewrite shown_nowhere in H; discriminate | auto].
  - left. destruct (PM.find (key r) m) as [[b' y]|]; cbn [shown_in] in *; rewrite PM.gso in H by (intros E; apply key_inj in E; congruence); exact H.
Qed.
Lemma shown_in_ok T traces u x a : x <> [] -> Forall (does_what_it_shows T) traces -> shown_in (tree_of traces) (u ++ x) = Some a ->
  exists q, after T 0 u = Some q /\ last_deed T q x = a.
Proof.
  intros Hx. induction 1 as [|t traces Ht _ IH]; [cbn [tree_of fold_right]; rewrite shown_nowhere; discriminate|].
  intros H. apply with_trace_shown in H as [H|H]; [exact (IH H) | eapply shown_further; eauto].
Qed.

(** The state after some reads, 0 where there is none. *)
Definition state_after (T : table) (u : list symbol) : state := match after T 0 u with Some q => q | None => 0 end.
Lemma state_after_below k T u : of_states k T -> state_after T u < k.
Proof.
  intros [Hk Hs]. unfold state_after. assert (H : forall p q, p < k -> after T p u = Some q -> q < k).
  { induction u as [|s u IH]; intros p q Hp H; cbn [after] in H; [congruence|].
    destruct (T p s) as [[[w m] q']|] eqn:E; [|discriminate]. eapply IH; [|exact H]. eapply Hs; eauto. }
  destruct (after T 0 u) as [q|] eqn:E; [eapply H; eauto | exact Hk].
Qed.

(** * A clique: prefixes that are pairwise different states, as reads after both of them tell *)
Definition tells_apart (shown : tree) (u v x : list symbol) : bool :=
  match x, shown_in shown (u ++ x), shown_in shown (v ++ x) with
  | _ :: _, Some a, Some b => negb (deed_eqb a b)
  | _, _, _ => false
  end.
Lemma tells_apart_ok T traces u v x : Forall (does_what_it_shows T) traces -> tells_apart (tree_of traces) u v x = true ->
  state_after T u <> state_after T v.
Proof.
  intros Ht H E. unfold tells_apart in H. destruct x as [|s x]; [discriminate|]. assert (Hx : s :: x <> []) by discriminate.
  destruct (shown_in _ (u ++ _)) as [a|] eqn:Ea; [|discriminate]. destruct (shown_in _ (v ++ _)) as [b|] eqn:Eb; [|discriminate].
  apply (shown_in_ok T _ _ _ _ Hx Ht) in Ea as (q & Hq & <-), Eb as (q' & Hq' & <-). unfold state_after in E. rewrite Hq, Hq' in E.
  subst q'. rewrite (proj2 (deed_eqb_eq _ _) eq_refl) in H. discriminate.
Qed.

Fixpoint pairs {A} (l : list A) : list (A * A) := match l with [] => [] | a :: l => map (pair a) l ++ pairs l end.
Lemma pairs_different {A B} (f : A -> B) l : (forall a b, In (a, b) (pairs l) -> f a <> f b) -> NoDup (map f l).
Proof.
  induction l as [|a l IH]; intros H; cbn [map pairs] in *; constructor.
  - intros Hin. apply in_map_iff in Hin as (b & E & Hb). apply (H a b); [|congruence]. apply in_or_app. left. apply in_map. exact Hb.
  - apply IH. intros x y Hxy. apply H, in_or_app. right. exact Hxy.
Qed.
Definition is_clique (shown : tree) (nodes suffixes : list (list symbol)) : bool :=
  Nat.eqb (length (pairs nodes)) (length suffixes) &&
  forallb (fun e => let '((u, v), x) := e in tells_apart shown u v x) (combine (pairs nodes) suffixes).
Lemma is_clique_ok T traces nodes suffixes : Forall (does_what_it_shows T) traces -> is_clique (tree_of traces) nodes suffixes = true ->
  NoDup (map (state_after T) nodes).
Proof.
  intros Ht H. apply andb_true_iff in H as [Hl H]. apply Nat.eqb_eq in Hl. rewrite forallb_forall in H.
  apply pairs_different. intros u v Hin. assert (Hx : exists x, In ((u, v), x) (combine (pairs nodes) suffixes)).
  { clear H. revert suffixes Hl. induction (pairs nodes) as [|e l IH]; intros [|x xs] Hl; try discriminate; [contradiction|].
    destruct Hin as [->|Hin]; [exists x; left; reflexivity|]. destruct (IH Hin xs) as [y Hy]; [injection Hl; auto|].
    exists y. right. exact Hy. }
  destruct Hx as [x Hx]. exact (tells_apart_ok T traces u v x Ht (H _ Hx)).
Qed.

Theorem clique_sound traces nodes suffixes k : is_clique (tree_of traces) nodes suffixes = true -> k < N.of_nat (length nodes) ->
  too_few k traces.
Proof.
  intros H Hk T HT Ht. pose proof (is_clique_ok T _ _ _ Ht H) as Hd. apply (NoDup_incl_length (l' := below k)) in Hd.
  - rewrite map_length, below_is, map_length, seq_length in Hd. lia.
  - intros p Hp. apply in_map_iff in Hp as (u & <- & _). apply in_below, state_after_below. exact HT.
Qed.
