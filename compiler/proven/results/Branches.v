(** (V17): a clause that chooses, case by case. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Columns Strips Starts Places Facts Values Numerals ClausePolynomials.
Import ListNotations.

Section Branches.
  Variable i : inputs.
  Notation pieces := (i_pieces i).
  Notation members := (map members_of pieces).

  (** Numbers, and comparisons of them, that every declared input has. *)
  Definition spells_numbers (j : nat) : bool :=
    Nat.ltb j (length pieces) &&
    forallb (fun s => match place_in (nth j members []) s with Some _ => true | None => false end)
      (symbols_of_clause (nth j pieces Nothing)).
  Fixpoint is_number (e : expression) : bool :=
    match e with
    | Constant _ | Length _ | Count _ _ => true
    | Spelled j | Backwards j => spells_numbers j
    | Operation (Add | Sub | Mul) a b => is_number a && is_number b
    | Operation (Div | Mod) a (Constant c) => is_number a && negb (c =? 0)%Z
    | _ => false
    end.
  Fixpoint has_value (e : expression) : bool :=
    match e with
    | Not a => has_value a
    | And a b | Either a b => has_value a && has_value b
    | Comparison _ a b => is_number a && is_number b
    | _ => false
    end.

  Section On.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Lemma spells_numbers_ok back j : spells_numbers j = true -> exists z,
      spells (nth j members []) (facing back (nth j parts [])) = Some z.
    Proof.
      intros H. apply andb_true_iff in H as [Hj H]. apply Nat.ltb_lt in Hj. rewrite forallb_forall in H.
      apply place_in_some.
      intros s Hs. apply in_facing in Hs. destruct (each_pair _ _ _ _ _ parts_ok j Nothing [] Hj) as [Hm _].
      specialize (H s (symbols_of_clause_ok _ _ Hm s Hs)).
      destruct (place_in (nth j members []) s) as [d|] eqn:E; [|discriminate]. apply place_in_is in E as [Hd <-].
      apply nth_In. lia.
    Qed.
    Lemma is_number_ok e : is_number e = true -> exists z, value_on i e parts = Some (Number z).
    Proof.
      unfold value_on. induction e; cbn [is_number]; try discriminate; intros H; cbn [evaluate]; eauto.
      - destruct (spells_numbers_ok false _ H) as [z E]. cbn [facing] in E. rewrite E. eexists. reflexivity.
      - destruct (spells_numbers_ok true _ H) as [z E]. cbn [facing] in E. rewrite E. eexists. reflexivity.
      - destruct o; [| | |destruct e2; try discriminate..]; apply andb_true_iff in H as [Ha Hb];
          destruct (IHe1 Ha) as [a Ea]; rewrite Ea.
        1-3: destruct (IHe2 Hb) as [b Eb]; rewrite Eb; eexists; reflexivity.
        all: apply negb_true_iff in Hb; cbn [evaluate operate]; rewrite Hb; eexists; reflexivity.
    Qed.
    Lemma has_value_ok e : has_value e = true -> exists b, value_on i e parts = Some (Truth b).
    Proof.
      unfold value_on. induction e; cbn [has_value]; try discriminate; intros H; cbn [evaluate].
      - apply andb_true_iff in H as [Ha Hb]. destruct (is_number_ok _ Ha) as [a Ea], (is_number_ok _ Hb) as [b Eb].
        unfold value_on in Ea, Eb. rewrite Ea, Eb. eexists. reflexivity.
      - apply andb_true_iff in H as [Ha Hb]. destruct (IHe1 Ha) as [[] Ea]; rewrite Ea; eauto.
      - apply andb_true_iff in H as [Ha Hb]. destruct (IHe1 Ha) as [[] Ea]; rewrite Ea; eauto.
      - destruct (IHe H) as [b Eb]. rewrite Eb. eauto.
    Qed.
  End On.

  (** Inputs that meet one more condition, which is split where it is several. *)
  Fixpoint apart (e : expression) : list expression := match e with And a b => apart a ++ apart b | _ => [e] end.
  Definition given (e : expression) : inputs := Declared pieces (i_digits i) (apart e ++ i_where i).
  Lemma apart_met parts e : value_on i e parts = Some (Truth true) -> forall x, In x (apart e) ->
    value_on i x parts = Some (Truth true).
  Proof.
    induction e; cbn [apart]; intros H x Hx; try (destruct Hx as [<-|[]]; exact H).
    unfold value_on in *. cbn [evaluate] in H. destruct (evaluate _ _ e1 parts) as [[?|?|[]]|]; try discriminate.
    apply in_app_or in Hx as [Hx|Hx]; auto.
  Qed.
  Lemma declared_given parts e : declared i parts -> value_on i e parts = Some (Truth true) -> declared (given e) parts.
  Proof.
    intros [Hm Hw] He. split; [exact Hm|]. intros x Hx. apply in_app_or in Hx as [Hx|Hx]; [|exact (Hw x Hx)].
    change (value_on i x parts <> Some (Truth false)). rewrite (apart_met parts e He x Hx). discriminate.
  Qed.

  Lemma given_declared parts e : declared (given e) parts -> declared i parts.
  Proof. intros [Hm Hw]. split; [exact Hm|]. intros x Hx. apply Hw, in_or_app. right. exact Hx. Qed.

  (** So what is so of the values that either way gives, is so of the clause. *)
  Lemma either_way (P : list (list symbol) -> option result -> Prop) c a b : has_value c = true ->
    (forall parts, declared (given c) parts -> P parts (value_on i a parts)) ->
    (forall parts, declared (given (Not c)) parts -> P parts (value_on i b parts)) ->
    forall parts, declared i parts -> P parts (value_on i (If c a b) parts).
  Proof.
    intros Hc Ha Hb parts Hd. destruct (has_value_ok parts (proj1 Hd) c Hc) as [t Et]. unfold value_on in *.
    cbn [evaluate]. rewrite Et. destruct t; [apply Ha | apply Hb]; (apply declared_given; [exact Hd|]);
      unfold value_on; cbn [evaluate]; rewrite Et; reflexivity.
  Qed.
End Branches.

(** Whether the conditions hold by which a clause chooses, from the outside in: the inputs, and what it says there. *)
Fixpoint assumed (ways : list bool) (i : inputs) (x : expression) : option (inputs * expression) :=
  match ways, x with
  | [], _ => Some (i, x)
  | way :: ways, If c a b =>
      if has_value i c then if way then assumed ways (given i c) a else assumed ways (given i (Not c)) b else None
  | _, _ => None
  end.
Definition after (way : bool) (l : list (list bool)) : list (list bool) :=
  flat_map (fun ways => match ways with w :: ways => if Bool.eqb w way then [ways] else [] | [] => [] end) l.
Definition is_all (ways : list bool) : bool := match ways with [] => true | _ => false end.
(** Whether these are all ways that there are. *)
Fixpoint covered (x : expression) (l : list (list bool)) : bool :=
  existsb is_all l || match x with If _ a b => covered a (after true l) && covered b (after false l) | _ => false end.

Lemma in_after way ways l : In ways (after way l) -> In (way :: ways) l.
Proof.
  intros H. apply in_flat_map in H as ([|w ws] & Hw & H); [contradiction|].
  destruct (Bool.eqb w way) eqn:E; [|contradiction]. destruct H as [<-|[]]. apply eqb_prop in E. subst. exact Hw.
Qed.
Lemma covered_some x : forall l, covered x l = true -> exists ways, In ways l.
Proof.
  induction x; intros l H; cbn [covered] in H; apply orb_true_iff in H as [H|H]; try discriminate;
    try (apply existsb_exists in H as (ways & Hw & _); exists ways; exact Hw).
  apply andb_true_iff in H as [H _]. apply IHx2 in H as [ways H]. apply in_after in H. eexists. exact H.
Qed.
Theorem covered_sound (Q : inputs -> expression -> Prop) :
  (forall i c a b, has_value i c = true -> Q (given i c) a -> Q (given i (Not c)) b -> Q i (If c a b)) ->
  forall x i l, covered x l = true ->
  (forall ways, In ways l -> exists i' x', assumed ways i x = Some (i', x') /\ Q i' x') -> Q i x.
Proof.
  intros Join. induction x; intros i0 l H Hl; cbn [covered] in H; apply orb_true_iff in H as [H|H]; try discriminate;
    try (apply existsb_exists in H as ([|w ws] & Hw & H); [|discriminate];
      destruct (Hl _ Hw) as (i' & x' & E & HQ); injection E as <- <-; exact HQ).
  apply andb_true_iff in H as [Ha Hb]. assert (Hc : has_value i0 x1 = true).
  { destruct (covered_some _ _ Ha) as [ways Hw]. apply in_after, Hl in Hw as (? & ? & E & _). cbn [assumed] in E.
    destruct (has_value i0 x1); [reflexivity | discriminate]. }
  apply Join; [exact Hc | eapply IHx2; [exact Ha|] | eapply IHx3; [exact Hb|]]; intros ways Hw;
    apply in_after, Hl in Hw as (i' & x' & E & HQ); exists i', x'; cbn [assumed] in E; rewrite Hc in E; auto.
Qed.
