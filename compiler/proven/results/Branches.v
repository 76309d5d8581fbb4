(** (V17): a clause that chooses, branch by branch. *)
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

  Theorem branches_leave T c a b : has_value c = true -> leaves_output T (Output_clause (given c) a) ->
    leaves_output T (Output_clause (given (Not c)) b) ->
    leaves_output T (Output_clause i (If c a b)).
  Proof.
    intros Hc Ha Hb parts Hd k d Hh. cbn [o_inputs] in Hd. destruct (has_value_ok parts (proj1 Hd) c Hc) as [t Et].
    unfold value_of, o_digits, o_pieces. cbn [o_inputs o_value evaluate]. unfold value_on in Et. rewrite Et. destruct t.
    - exact (Ha parts (declared_given parts c Hd Et) k d Hh).
    - apply (Hb parts) in Hh; [exact Hh|]. apply declared_given; [exact Hd|]. unfold value_on. cbn [evaluate].
      rewrite Et. reflexivity.
  Qed.
End Branches.
