(** (V15): what is left of a word in which pairs of letters cancel, whatever words stand around them. *)
From Coq Require Import NArith List Bool.
From Gridlang Require Import Statement.
Import ListNotations.
Local Open Scope N_scope.

Section Rests.
  Variable pairs : list (symbol * symbol).
  Notation run := (fold_left (crossed pairs)).
  Definition is_first (a : symbol) : bool := existsb (fun p => fst p =? a) pairs.
  Definition apart : bool := forallb (fun p => negb (existsb (fun q => snd q =? fst p) pairs)) pairs.
  Hypothesis ok : apart = true.

  Lemma pair_first a b : is_pair pairs a b = true -> is_first a = true.
  Proof.
    unfold is_pair, is_first. intros H. apply existsb_exists in H as (p & Hp & H). apply andb_true_iff in H as [H _].
    apply existsb_exists. eauto.
  Qed.
  Lemma not_second c a b : is_pair pairs a b = true -> is_pair pairs c a = false.
  Proof.
    intros H. destruct (is_pair pairs c a) eqn:E; [|reflexivity]. unfold is_pair in H, E.
    apply existsb_exists in H as (p & Hp & H). apply andb_true_iff in H as [H _]. apply N.eqb_eq in H.
    apply existsb_exists in E as (q & Hq & E). apply andb_true_iff in E as [_ E]. apply N.eqb_eq in E.
    pose proof ok as A. unfold apart in A. rewrite forallb_forall in A. specialize (A p Hp). apply negb_true_iff in A.
    rewrite <- A. symmetry. apply existsb_exists. exists q. split; [exact Hq|].
    apply N.eqb_eq. transitivity a; [exact E | symmetry; exact H].
  Qed.

  (** Words that may stand for each other, wherever they stand. *)
  Definition alike (u v : list symbol) : Prop := forall k, run u k = run v k.
  Lemma pair_alike a b : is_pair pairs a b = true -> alike [a; b] [].
  Proof.
    intros H k. cbn [fold_left]. assert (E : crossed pairs k a = a :: k).
    { destruct k as [|c k]; [reflexivity|]. cbn [crossed]. rewrite (not_second c a b H). reflexivity. }
    rewrite E. cbn [crossed]. rewrite H. reflexivity.
  Qed.

  (** A letter that is the first of no pair stays where it is, and all before it. *)
  Lemma stays z : is_first z = false -> forall t k l, run t (k ++ z :: l) = run t k ++ z :: l.
  Proof.
    intros Hz. induction t as [|s t IH]; intros k l; [reflexivity|]. cbn [fold_left]. rewrite <- IH. f_equal.
    destruct k as [|c k]; cbn [app crossed].
    - destruct (is_pair pairs z s) eqn:E; [apply pair_first in E; congruence | reflexivity].
    - destruct (is_pair pairs c s); reflexivity.
  Qed.

  (** Words in which nothing cancels. *)
  Fixpoint settled (t : list symbol) : bool :=
    match t with
    | a :: (b :: _) as u => negb (is_pair pairs a b) && settled u
    | _ => true
    end.
  Lemma settled_run t : forall k, settled (match k with a :: _ => a :: t | [] => t end) = true -> run t k = rev t ++ k.
  Proof.
    induction t as [|s t IH]; intros k H; [reflexivity|]. cbn [fold_left rev]. rewrite <- app_assoc. cbn [app]. destruct k as [|a k]; cbn [crossed].
    - apply IH. exact H.
    - change (settled (a :: s :: t)) with (negb (is_pair pairs a s) && settled (s :: t)) in H. apply andb_true_iff in H as [H1 H].
      apply negb_true_iff in H1. rewrite H1. apply IH. exact H.
  Qed.
  Lemma settled_rest t : settled t = true -> rest pairs t = t.
  Proof. intros H. unfold rest. rewrite (settled_run t []) by exact H. rewrite app_nil_r. apply rev_involutive. Qed.
  Lemma settled_app u v : settled u = true -> settled v = true ->
    (forall a b, In a u -> hd_error v = Some b -> is_pair pairs a b = false) -> settled (u ++ v) = true.
  Proof.
    intros Hu Hv H. induction u as [|a u IH]; [exact Hv|]. destruct u as [|b u].
    - cbn [app]. destruct v as [|b v]; [reflexivity|]. cbn [settled]. rewrite (H a b) by (left + idtac; reflexivity). exact Hv.
    - cbn [app] in *. change (settled (a :: b :: u)) with (negb (is_pair pairs a b) && settled (b :: u)) in Hu.
      apply andb_true_iff in Hu as [H1 Hu]. change (settled (a :: b :: u ++ v)) with (negb (is_pair pairs a b) && settled (b :: u ++ v)).
      rewrite H1. apply IH; [exact Hu|]. intros c d Hc. apply H. right. exact Hc.
  Qed.
  Lemma settled_each t : (forall a b, In a t -> In b t -> is_pair pairs a b = false) -> settled t = true.
  Proof.
    induction t as [|a t IH]; intros H; [reflexivity|]. destruct t as [|b t]; [reflexivity|].
    change (settled (a :: b :: t)) with (negb (is_pair pairs a b) && settled (b :: t)). rewrite (H a b) by (cbn; auto).
    apply IH. intros c d Hc Hd. apply H; right; assumption.
  Qed.

  (** * What is left without the letters that are erased at last *)
  Variable erased : list symbol.
  Definition is_erased (a : symbol) : bool := existsb (N.eqb a) erased.
  Definition left_of (t : list symbol) : list symbol := filter (fun a => negb (is_erased a)) (rest pairs t).
  Lemma alike_left u v : alike u v -> left_of u = left_of v.
  Proof. intros H. unfold left_of, rest. rewrite (H []). reflexivity. Qed.
  Lemma lost_first z t : is_first z = false -> is_erased z = true -> left_of (z :: t) = left_of t.
  Proof.
    intros Hz He. unfold left_of, rest. change (run (z :: t) []) with (run t ([] ++ [z])). rewrite (stays z Hz), rev_app_distr.
    cbn [rev app filter]. rewrite He. reflexivity.
  Qed.
  Lemma kept_first u z v : settled (u ++ [z]) = true -> is_first z = false -> is_erased z = false -> left_of (u ++ z :: v) <> [].
  Proof.
    intros Hu Hz He. unfold left_of, rest. replace (u ++ z :: v) with ((u ++ [z]) ++ v) by (rewrite <- app_assoc; reflexivity).
    rewrite fold_left_app, (settled_run (u ++ [z]) []) by exact Hu. rewrite app_nil_r, rev_app_distr. cbn [rev app].
    change (z :: rev u) with ([] ++ z :: rev u). rewrite (stays z Hz), rev_app_distr, filter_app. cbn [rev]. rewrite filter_app. cbn [filter].
    rewrite He. cbn [negb]. intros E. apply app_eq_nil in E as [E _]. apply app_eq_nil in E as [_ E]. discriminate.
  Qed.
  Lemma kept_settled t z : settled t = true -> In z t -> is_erased z = false -> left_of t <> [].
  Proof.
    intros Ht Hz He E. unfold left_of in E. rewrite (settled_rest t Ht) in E.
    assert (In z (filter (fun a => negb (is_erased a)) t)) by (apply filter_In; rewrite He; auto). rewrite E in H. exact H.
  Qed.
  Lemma all_kept t : settled t = true -> (forall z, In z t -> is_erased z = false) -> left_of t = t.
  Proof.
    intros Ht H. unfold left_of. rewrite (settled_rest t Ht). induction t as [|a t IH]; [reflexivity|]. cbn [filter].
    rewrite (H a (or_introl eq_refl)). cbn [negb]. f_equal. apply IH; [destruct t; [reflexivity | apply andb_true_iff in Ht; apply Ht] | intros z Hz; apply H; right; exact Hz].
  Qed.
End Rests.
