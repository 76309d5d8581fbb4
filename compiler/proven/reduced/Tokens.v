(** (V15): words of letters and of what is unknown. *)
From Coq Require Import Arith NArith List Bool Lia.
From Gridlang Require Import Statement Columns Machines Unknowns ClausePolynomials Rests.
Import ListNotations.
Local Open Scope N_scope.

(** The image of a cell of the head's column, of the column that it comes to, or of cells on a side, outwards from the head. *)
Inductive atom := Head (r : nat) | Entered (r : nat) | Side (right : bool) (r : nat) (g : group).
Inductive token := Letter (a : symbol) | Named (a : atom) (inwards : bool).
Definition atom_eq_dec (a b : atom) : {a = b} + {a <> b}.
Proof. decide equality; try apply Nat.eq_dec; try apply bool_dec; apply group_eq_dec. Defined.
Definition token_eq_dec (a b : token) : {a = b} + {a <> b}.
Proof. decide equality; try apply N.eq_dec; try apply bool_dec; apply atom_eq_dec. Defined.
Definition tokens_eqb (a b : list token) : bool := if list_eq_dec token_eq_dec a b then true else false.

Section Words.
  Variable env : atom -> list symbol.
  Definition token_word (t : token) : list symbol := match t with Letter a => [a] | Named a b => facing b (env a) end.
  Definition word (ts : list token) : list symbol := flat_map token_word ts.
  Lemma word_app a b : word (a ++ b) = word a ++ word b.
  Proof. apply flat_map_app. Qed.
  Definition turned (ts : list token) : list token :=
    rev (map (fun t => match t with Letter a => Letter a | Named a b => Named a (negb b) end) ts).
  Lemma word_turned ts : word (turned ts) = rev (word ts).
  Proof.
    unfold turned. induction ts as [|t ts IH]; [reflexivity|]. cbn [map rev word flat_map]. change (flat_map token_word ?l) with (word l).
    rewrite word_app, IH, rev_app_distr. f_equal. cbn [word flat_map]. rewrite app_nil_r. destruct t as [a|a []]; cbn [token_word negb facing]; [reflexivity | | reflexivity].
    rewrite rev_involutive. reflexivity.
  Qed.
End Words.
Definition face (b : bool) (ts : list token) : list token := if b then turned ts else ts.
Lemma word_face env b ts : word env (face b ts) = facing b (word env ts).
Proof. destruct b; [apply word_turned | reflexivity]. Qed.
(** Words for what is unknown. *)
Definition put_in (sub : atom -> list token) (ts : list token) : list token :=
  flat_map (fun t => match t with Letter a => [t] | Named a b => face b (sub a) end) ts.
Lemma put_in_ok env env' sub ts : (forall a, word env' (sub a) = env a) -> word env' (put_in sub ts) = word env ts.
Proof.
  intros H. induction ts as [|t ts IH]; [reflexivity|]. unfold put_in. cbn [flat_map]. rewrite word_app. cbn [word flat_map]. f_equal; [|exact IH].
  destruct t as [a|a b]; [reflexivity|]. rewrite word_face, H. reflexivity.
Qed.

(** What is known of unknown words: which letters they may have, and whether they have one; a cell has one at most. *)
Record facts := Facts { letters : atom -> list symbol; sure : atom -> bool }.
Definition is_cell (a : atom) : bool := match a with Side _ _ _ => false | _ => true end.
Definition true_facts (env : atom -> list symbol) (f : facts) : Prop :=
  forall a, (forall l, In l (env a) -> In l (letters f a)) /\ (sure f a = true -> env a <> []) /\ (is_cell a = true -> (length (env a) <= 1)%nat).

Section Known.
  Variables (env : atom -> list symbol) (f : facts).
  Hypothesis ok : true_facts env f.
  Definition settle (a : atom) : list token :=
    match letters f a with
    | [] => []
    | l :: more => if is_cell a && sure f a && forallb (N.eqb l) more then [Letter l] else [Named a false]
    end.
  Definition settle_in (ts : list token) : list token :=
    put_in settle (map (fun t => match t with Named a _ => if is_cell a then Named a false else t | _ => t end) ts).
  Lemma settle_ok a : word env (settle a) = env a.
  Proof.
    destruct (ok a) as (Hl & Hs & Hc). unfold settle. destruct (letters f a) as [|l more].
    - destruct (env a) as [|x u]; [reflexivity|]. destruct (Hl x). left. reflexivity.
    - destruct (is_cell a && sure f a && forallb (N.eqb l) more) eqn:E; [|cbn; apply app_nil_r].
      apply andb_true_iff in E as [E Em]. apply andb_true_iff in E as [Ec Es]. specialize (Hs Es). specialize (Hc Ec).
      destruct (env a) as [|x [|? ?]]; [congruence | | cbn in Hc; lia]. cbn. f_equal. rewrite forallb_forall in Em.
      destruct (Hl x (or_introl eq_refl)) as [->|Hx]; [reflexivity|]. symmetry. specialize (Em x Hx). apply N.eqb_eq in Em. congruence.
  Qed.
  Lemma settle_in_ok ts : word env (settle_in ts) = word env ts.
  Proof.
    unfold settle_in. rewrite (put_in_ok env env settle) by exact settle_ok. induction ts as [|t ts IH]; [reflexivity|]. cbn [map word flat_map].
    f_equal; [|exact IH]. destruct t as [a|a b]; [reflexivity|]. destruct (is_cell a) eqn:E; [|reflexivity]. destruct (ok a) as (_ & _ & Hc). specialize (Hc E).
    cbn [token_word facing]. destruct b; [|reflexivity]. destruct (env a) as [|x [|? ?]]; [reflexivity | reflexivity | cbn in Hc; lia].
  Qed.

  Definition token_letters (t : token) : list symbol := match t with Letter a => [a] | Named a _ => letters f a end.
  Definition token_sure (t : token) : bool := match t with Letter _ => true | Named a _ => sure f a end.
  Lemma token_letters_ok t l : In l (token_word env t) -> In l (token_letters t).
  Proof. destruct t as [a|a b]; [auto|]. cbn. intros H. apply (ok a), (in_facing b), H. Qed.
  Lemma token_sure_ok t : token_sure t = true -> token_word env t <> [].
  Proof.
    destruct t as [a|a b]; [discriminate|]. cbn. intros H E. apply (proj1 (proj2 (ok a)) H).
    apply (f_equal (@length symbol)) in E. rewrite facing_length in E. apply length_zero_iff_nil. exact E.
  Qed.

  Variable pairs : list (symbol * symbol).
  Definition none_cancel (a b : list symbol) : bool := forallb (fun x => forallb (fun y => negb (is_pair pairs x y)) b) a.
  Lemma none_cancel_ok a b x y : none_cancel a b = true -> In x a -> In y b -> is_pair pairs x y = false.
  Proof. unfold none_cancel. rewrite forallb_forall. intros H Hx. specialize (H x Hx). rewrite forallb_forall in H. intros Hy. apply negb_true_iff, H, Hy. Qed.
  Fixpoint next_letters (ts : list token) : list symbol :=
    match ts with [] => [] | t :: ts => token_letters t ++ if token_sure t then [] else next_letters ts end.
  Definition alone_settled (t : token) : bool :=
    match t with Named (Side _ _ _) _ => none_cancel (token_letters t) (token_letters t) | _ => true end.
  Fixpoint settled_tokens (ts : list token) : bool :=
    match ts with [] => true | t :: ts => alone_settled t && none_cancel (token_letters t) (next_letters ts) && settled_tokens ts end.
  Lemma next_letters_ok ts b : hd_error (word env ts) = Some b -> In b (next_letters ts).
  Proof.
    induction ts as [|t ts IH]; [discriminate|]. cbn [word flat_map next_letters]. intros H. apply in_or_app.
    destruct (token_word env t) as [|x u] eqn:E.
    - right. cbn [app] in H. destruct (token_sure t) eqn:Es; [apply token_sure_ok in Es; congruence | apply IH; exact H].
    - left. cbn in H. injection H as ->. apply token_letters_ok. rewrite E. left. reflexivity.
  Qed.
  Lemma alone_settled_ok t : alone_settled t = true -> settled pairs (token_word env t) = true.
  Proof.
    assert (Few : forall u : list symbol, (length u <= 1)%nat -> settled pairs u = true) by (intros [|a [|b u]] H; [reflexivity | reflexivity | cbn in H; lia]).
    destruct t as [a|a b]; intros H; [reflexivity|]. destruct a as [r|r|sd r g]; cbn [token_word];
      [apply Few; rewrite facing_length; apply (ok (Head r)); reflexivity | apply Few; rewrite facing_length; apply (ok (Entered r)); reflexivity|].
    apply settled_each. intros x y Hx Hy. apply (none_cancel_ok _ _ _ _ H); apply (token_letters_ok (Named (Side sd r g) b)); assumption.
  Qed.
  Lemma settled_tokens_ok ts : settled_tokens ts = true -> settled pairs (word env ts) = true.
  Proof.
    induction ts as [|t ts IH]; [reflexivity|]. cbn [settled_tokens word flat_map]. intros H. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
    apply settled_app; [apply alone_settled_ok; exact H1 | apply IH; exact H3|]. intros a b Ha Hb.
    apply (none_cancel_ok _ _ _ _ H2); [apply token_letters_ok; exact Ha | apply next_letters_ok; exact Hb].
  Qed.

  Hypothesis apart_ok : apart pairs = true.
  Variable erased : list symbol.
  Notation left_of := (left_of pairs erased).
  (** * Reducing *)
  Definition push (k : list token) (t : token) : list token :=
    match t, k with Letter b, Letter a :: k' => if is_pair pairs a b then k' else t :: k | _, _ => t :: k end.
  Definition is_lost (a : symbol) : bool := is_erased erased a && negb (is_first pairs a).
  Fixpoint drop_lost (ts : list token) : list token := match ts with Letter a :: us => if is_lost a then drop_lost us else ts | _ => ts end.
  Definition reduced (ts : list token) : list token := drop_lost (rev (fold_left push ts [])).
  Lemma push_ok k t : alike pairs (word env (rev (push k t))) (word env (rev k ++ [t])).
  Proof.
    destruct t as [b|a i]; [|intros s; reflexivity]. destruct k as [|[a|] k]; try (intros s; reflexivity). cbn [push].
    destruct (is_pair pairs a b) eqn:E; [|intros s; reflexivity]. cbn [rev]. rewrite <- app_assoc, word_app. cbn [app]. intros s.
    rewrite fold_left_app. change (word env [Letter a; Letter b]) with [a; b]. symmetry. apply (pair_alike pairs apart_ok a b E).
  Qed.
  Lemma pushes_ok ts : forall k, alike pairs (word env (rev (fold_left push ts k))) (word env (rev k ++ ts)).
  Proof.
    induction ts as [|t ts IH]; intros k; cbn [fold_left]; [rewrite app_nil_r; intros s; reflexivity|]. intros s. rewrite IH, word_app, fold_left_app, push_ok.
    rewrite <- fold_left_app, <- word_app, <- app_assoc. reflexivity.
  Qed.
  Lemma reduced_ok ts : left_of (word env (reduced ts)) = left_of (word env ts).
  Proof.
    unfold reduced. transitivity (left_of (word env (rev (fold_left push ts [])))); [|apply alike_left, (pushes_ok ts [])].
    generalize (rev (fold_left push ts [])). clear ts. induction l as [|[a|] us IH]; try reflexivity. cbn [drop_lost]. destruct (is_lost a) eqn:E; [|reflexivity].
    rewrite IH. apply andb_true_iff in E as [E1 E2]. apply negb_true_iff in E2. symmetry. apply lost_first; assumption.
  Qed.

  (** * Whether nothing is left *)
  Definition stays_at (ts : list token) (i : nat) : bool :=
    match nth_error ts i with
    | Some t => token_sure t && forallb (fun l => negb (is_erased erased l) && negb (is_first pairs l)) (token_letters t) && settled_tokens (firstn (S i) ts)
    | None => false
    end.
  Definition known_empty (ts : list token) : option bool :=
    match ts with
    | [] => Some true
    | _ => if existsb (stays_at ts) (seq 0 (length ts)) ||
              (existsb (fun t => token_sure t && forallb (fun l => negb (is_erased erased l)) (token_letters t)) ts && settled_tokens ts)
           then Some false else None
    end.
  Lemma known_empty_ok ts b : known_empty ts = Some b -> if b then left_of (word env ts) = [] else left_of (word env ts) <> [].
  Proof.
    unfold known_empty. destruct ts as [|t0 ts0] eqn:Ets; [intros H; injection H as <-; reflexivity|]. rewrite <- Ets. clear Ets t0 ts0.
    destruct (_ || _) eqn:E; [|discriminate]. intros H. injection H as <-. apply orb_true_iff in E as [E|E].
    - apply existsb_exists in E as (i & _ & E). unfold stays_at in E. destruct (nth_error ts i) as [t|] eqn:Et; [|discriminate].
      apply andb_true_iff in E as [E Es]. apply andb_true_iff in E as [Hsure Hl]. rewrite forallb_forall in Hl. apply settled_tokens_ok in Es.
      destruct (nth_error_split _ _ Et) as (u & v & -> & Hi). replace (firstn (S i) (u ++ t :: v)) with (u ++ [t]) in Es.
      + rewrite word_app in Es. cbn [word flat_map] in Es. rewrite app_nil_r in Es. apply token_sure_ok in Hsure.
        destruct (exists_last Hsure) as (x & z & Ez). rewrite Ez, app_assoc in Es. specialize (Hl z). rewrite andb_true_iff, !negb_true_iff in Hl.
        destruct Hl as [H1 H2]; [apply token_letters_ok; rewrite Ez; apply in_or_app; right; left; reflexivity|].
        rewrite word_app. cbn [word flat_map]. rewrite Ez. change (flat_map (token_word env) ?l) with (word env l). rewrite <- app_assoc. cbn [app].
        rewrite app_assoc. apply kept_first; assumption.
      + rewrite <- Hi. clear. induction u as [|a u IH]; [reflexivity|]. cbn [length app]. rewrite firstn_cons, <- IH. reflexivity.
    - apply andb_true_iff in E as [E Es]. apply settled_tokens_ok in Es. apply existsb_exists in E as (t & Ht & E). apply andb_true_iff in E as [E1 E2].
      apply token_sure_ok in E1. destruct (token_word env t) as [|z u] eqn:Et; [congruence|]. rewrite forallb_forall in E2.
      apply (kept_settled pairs erased (word env ts) z Es); [apply in_flat_map; exists t; split; [exact Ht | rewrite Et; left; reflexivity]|].
      apply negb_true_iff, E2, token_letters_ok. rewrite Et. left. reflexivity.
  Qed.
  (** That all of it is left. *)
  Definition all_left (ts : list token) : bool :=
    forallb (fun t => forallb (fun l => negb (is_erased erased l)) (token_letters t)) ts && settled_tokens ts.
  Lemma all_left_ok ts : all_left ts = true -> left_of (word env ts) = word env ts.
  Proof.
    unfold all_left. intros H. apply andb_true_iff in H as [H Hs]. rewrite forallb_forall in H. apply all_kept; [apply settled_tokens_ok; exact Hs|].
    intros z Hz. apply in_flat_map in Hz as (t & Ht & Hz). specialize (H t Ht). rewrite forallb_forall in H. apply negb_true_iff, H, token_letters_ok, Hz.
  Qed.
End Known.

(** * Words that are their own mirror images *)
Definition palindrome (t : list symbol) : bool := same_text t (rev t).
Lemma palindrome_ends a b t : palindrome (a :: t ++ [b]) = (a =? b) && palindrome t.
Proof.
  apply eq_true_iff_eq. unfold palindrome. rewrite andb_true_iff, !same_text_eq, N.eqb_eq. cbn [rev]. rewrite rev_app_distr. cbn [rev app]. split.
  - intros H. injection H as -> H. apply app_inj_tail in H. tauto.
  - intros [-> <-]. reflexivity.
Qed.
Section Mirrors.
  Variables (env : atom -> list symbol) (f : facts).
  Hypothesis ok : true_facts env f.
  (** Without letters that are the same at both ends. *)
  Fixpoint between (n : nat) (ts : list token) : list token :=
    match n, ts with
    | S n, Letter a :: us => match rev us with Letter b :: vs => if a =? b then between n (rev vs) else ts | _ => ts end
    | _, _ => ts
    end.
  Lemma between_ok n : forall ts, palindrome (word env (between n ts)) = palindrome (word env ts).
  Proof.
    induction n as [|n IH]; intros ts; [reflexivity|]. destruct ts as [|[a|a i] us]; try reflexivity. cbn [between].
    destruct (rev us) as [|[b|] vs] eqn:E; try reflexivity. destruct (N.eqb_spec a b) as [<-|]; [|reflexivity]. rewrite IH.
    rewrite <- (rev_involutive us), E. cbn [rev word flat_map token_word]. change (flat_map (token_word env) ?l) with (word env l). rewrite word_app.
    change (word env [Letter a]) with [a]. cbn [app]. rewrite palindrome_ends, N.eqb_refl. reflexivity.
  Qed.
  Definition is_short (t : token) : bool := match t with Letter _ => true | Named a _ => is_cell a end.
  Definition known_mirrored (ts : list token) : option bool :=
    match ts with
    | [] => Some true
    | [t] => if is_short t then Some true else None
    | t :: us =>
        match rev us with
        | u :: _ => if token_sure f t && token_sure f u && forallb (fun a => negb (existsb (N.eqb a) (token_letters f u))) (token_letters f t) then Some false else None
        | [] => None
        end
    end.
  Lemma known_mirrored_ok ts b : known_mirrored ts = Some b -> palindrome (word env ts) = b.
  Proof.
    unfold known_mirrored. destruct ts as [|t [|t' us]]; [intros H; injection H as <-; reflexivity | |].
    - destruct (is_short t) eqn:E; [|discriminate]. intros H. injection H as <-. cbn [word flat_map]. rewrite app_nil_r.
      assert (L : (length (token_word env t) <= 1)%nat).
      { destruct t as [a|a i]; [cbn; lia|]. cbn [token_word]. rewrite facing_length. apply (ok a). exact E. }
      destruct (token_word env t) as [|x [|? ?]]; [reflexivity | | cbn in L; lia]. unfold palindrome. cbn. rewrite N.eqb_refl. reflexivity.
    - destruct (rev (t' :: us)) as [|u vs] eqn:Er; [discriminate|]. destruct (_ && _ && _) eqn:E; [|discriminate]. intros H. injection H as <-.
      apply andb_true_iff in E as [E Hd]. apply andb_true_iff in E as [St Su]. apply (token_sure_ok env f ok) in St, Su. rewrite forallb_forall in Hd.
      replace (t :: t' :: us) with (t :: rev vs ++ [u]) by (rewrite <- (rev_involutive (t' :: us)), Er; reflexivity).
      destruct (token_word env t) as [|x tx] eqn:Ex; [congruence|]. destruct (exists_last Su) as (ux & z & Ez).
      cbn [word flat_map]. change (flat_map (token_word env) ?l) with (word env l). rewrite word_app. cbn [word flat_map]. rewrite app_nil_r, Ex, Ez. cbn [app].
      rewrite (app_assoc (word env (rev vs))), (app_assoc tx). rewrite palindrome_ends. apply andb_false_iff. left. apply N.eqb_neq. intros ->.
      assert (I1 : In z (token_letters f t)) by (apply (token_letters_ok env f ok); rewrite Ex; left; reflexivity).
      assert (I2 : existsb (N.eqb z) (token_letters f u) = true).
      { apply existsb_exists. exists z. split; [apply (token_letters_ok env f ok); rewrite Ez; apply in_or_app; right; left; reflexivity | apply N.eqb_refl]. }
      specialize (Hd z I1). apply negb_true_iff in Hd. exact (Bool.diff_true_false (eq_trans (eq_sym I2) Hd)).
  Qed.
End Mirrors.
