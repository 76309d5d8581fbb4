(** Polynomials with whole coefficients, and their values. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Maps.
Import ListNotations.

Definition whole (z : Z) : Qc := Q2Qc (inject_Z z).
Lemma Q2Qc_plus a b : (Q2Qc (a + b) = Q2Qc a + Q2Qc b)%Qc.
Proof. apply Qc_is_canon. unfold Qcplus, Q2Qc. cbn [this]. rewrite !Qred_correct. reflexivity. Qed.
Lemma Q2Qc_mult a b : (Q2Qc (a * b) = Q2Qc a * Q2Qc b)%Qc.
Proof. apply Qc_is_canon. unfold Qcmult, Q2Qc. cbn [this]. rewrite !Qred_correct. reflexivity. Qed.
Lemma whole_plus a b : (whole (a + b) = whole a + whole b)%Qc.
Proof. unfold whole. rewrite <- Q2Qc_plus. f_equal. unfold inject_Z, Qplus. cbn. f_equal. lia. Qed.
Lemma whole_mult a b : (whole (a * b) = whole a * whole b)%Qc.
Proof. unfold whole. rewrite <- Q2Qc_mult. reflexivity. Qed.
Lemma whole_inj a b : whole a = whole b -> a = b.
Proof.
  unfold whole. intros H. apply (f_equal this) in H. cbn [this Q2Qc] in H.
  assert (E : (inject_Z a == inject_Z b)%Q).
  { rewrite <- (Qred_correct (inject_Z a)), <- (Qred_correct (inject_Z b)), H. reflexivity. }
  unfold Qeq, inject_Z in E. simpl in E. lia.
Qed.
Lemma whole_0 : whole 0 = 0%Qc. Proof. reflexivity. Qed.
Lemma whole_1 : whole 1 = 1%Qc. Proof. reflexivity. Qed.
Lemma whole_nonzero a : a <> 0%Z -> whole a <> 0%Qc.
Proof. intros H E. apply H. rewrite <- whole_0 in E. apply whole_inj. exact E. Qed.
Lemma whole_opp a : (whole (- a) = - whole a)%Qc.
Proof.
  assert (E : (whole (- a) + whole a = 0)%Qc) by (rewrite <- whole_plus, Z.add_opp_diag_l; reflexivity).
  replace (whole (- a)) with (whole (- a) + whole a - whole a)%Qc by ring. rewrite E. ring.
Qed.

(** A monomial is a product of unknowns, by number, sorted. *)
Definition monomial : Type := list N.
Definition polynomial : Type := list (Z * monomial).

Fixpoint monomial_compare (a b : monomial) : comparison :=
  match a, b with
  | [], [] => Eq
  | [], _ => Lt
  | _, [] => Gt
  | x :: a, y :: b => match (x ?= y)%N with Eq => monomial_compare a b | c => c end
  end.
Lemma monomial_compare_eq a : forall b, monomial_compare a b = Eq -> a = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; try discriminate; [reflexivity|].
  destruct (N.compare_spec x y); try discriminate. intros H1. subst. f_equal. auto.
Qed.

Fixpoint insert (v : N) (m : monomial) : monomial :=
  match m with [] => [v] | u :: m' => if (v <=? u)%N then v :: m else u :: insert v m' end.
Definition times (a b : monomial) : monomial := fold_right insert b a.
(** Without one occurrence of an unknown, if it is there. *)
Fixpoint without (v : N) (m : monomial) : option monomial :=
  match m with
  | [] => None
  | u :: m => if (v =? u)%N then Some m else option_map (cons u) (without v m)
  end.

(** a p + b q *)
Fixpoint combined (a : Z) (p : polynomial) (b : Z) : polynomial -> polynomial :=
  fix on (q : polynomial) : polynomial :=
    match p, q with
    | [], _ => map (fun t => (b * fst t, snd t)%Z) q
    | _, [] => map (fun t => (a * fst t, snd t)%Z) p
    | (c, m) :: p', (d, k) :: q' =>
        match monomial_compare m k with
        | Lt => ((a * c)%Z, m) :: combined a p' b q
        | Gt => ((b * d)%Z, k) :: on q'
        | Eq => let e := (a * c + b * d)%Z in
                if (e =? 0)%Z then combined a p' b q' else (e, m) :: combined a p' b q'
        end
    end.
Definition plus (p q : polynomial) : polynomial := combined 1 p 1 q.
Definition of_term (c : Z) (m : monomial) : polynomial := if (c =? 0)%Z then [] else [(c, m)].
Definition scaled (m : monomial) (p : polynomial) : polynomial :=
  match m with
  | [] => p
  | _ => fold_right (fun t r => plus [(fst t, times m (snd t))] r) [] p
  end.
Definition product (p q : polynomial) : polynomial :=
  fold_right (fun t r => combined (fst t) (scaled (snd t) q) 1 r) [] p.
Definition minus (p q : polynomial) : polynomial := combined 1 p (-1) q.
Definition unknown (v : N) : polynomial := [(1%Z, [v])].
Definition constant (c : Z) : polynomial := of_term c [].
Definition renamed (f : N -> N) (p : polynomial) : polynomial :=
  fold_right (fun t r => plus [(fst t, fold_right insert [] (map f (snd t)))] r) [] p.

(** What has an unknown as a factor, without it; and the rest. *)
Fixpoint split_at (v : N) (p : polynomial) : polynomial * polynomial :=
  match p with
  | [] => ([], [])
  | (c, m) :: p =>
      let '(with_, rest) := split_at v p in
      match without v m with Some m' => ((c, m') :: with_, rest) | None => (with_, (c, m) :: rest) end
  end.

Section Value.
  Variable rho : N -> Qc.
  Local Open Scope Qc_scope.
  Definition value_of (m : monomial) : Qc := fold_right (fun v a => rho v * a) 1 m.
  Definition value (p : polynomial) : Qc := fold_right (fun t a => whole (fst t) * value_of (snd t) + a) 0 p.

  Lemma value_insert v m : value_of (insert v m) = rho v * value_of m.
  Proof.
    induction m as [|u m IH]; [reflexivity|]. cbn [insert]. destruct (v <=? u)%N; [reflexivity|].
    cbn [value_of fold_right]. fold (value_of (insert v m)). fold (value_of m). rewrite IH. ring.
  Qed.
  Lemma value_times a b : value_of (times a b) = value_of a * value_of b.
  Proof.
    unfold times. induction a as [|v a IH]; cbn [fold_right]; [unfold value_of at 2; cbn; ring|].
    rewrite value_insert, IH. cbn [value_of fold_right]. fold (value_of a). ring.
  Qed.
  Lemma value_without v m m' : without v m = Some m' -> value_of m = rho v * value_of m'.
  Proof.
    revert m'. induction m as [|u m IH]; intros m' H; cbn [without] in H; [discriminate|].
    destruct (N.eqb_spec v u) as [->|]; [injection H as <-; reflexivity|].
    destruct (without v m) as [k|]; [|discriminate]. injection H as <-.
    cbn [value_of fold_right]. fold (value_of m). fold (value_of k). rewrite (IH k eq_refl). ring.
  Qed.
  Lemma value_cons c m p : value ((c, m) :: p) = whole c * value_of m + value p.
  Proof. reflexivity. Qed.
  Lemma value_scale a p : value (map (fun t => (a * fst t, snd t)%Z) p) = whole a * value p.
  Proof.
    induction p as [|[c m] p IH]; cbn [map fst snd]; [unfold value; cbn; ring|].
    rewrite !value_cons, IH, whole_mult. ring.
  Qed.
  Lemma value_combined a b p : forall q, value (combined a p b q) = whole a * value p + whole b * value q.
  Proof.
    induction p as [|[c m] p IHp]; intros q.
    - replace (combined a [] b q) with (map (fun t => (b * fst t, snd t)%Z) q) by (destruct q; reflexivity).
      rewrite value_scale. unfold value at 2. cbn. ring.
    - induction q as [|[d k] q IHq].
      + cbn [combined]. rewrite value_scale. unfold value at 3. cbn. ring.
      + change (combined a ((c, m) :: p) b ((d, k) :: q)) with
          (match monomial_compare m k with
           | Lt => ((a * c)%Z, m) :: combined a p b ((d, k) :: q)
           | Gt => ((b * d)%Z, k) :: combined a ((c, m) :: p) b q
           | Eq => let e := (a * c + b * d)%Z in
                   if (e =? 0)%Z then combined a p b q else (e, m) :: combined a p b q
           end).
        destruct (monomial_compare m k) eqn:E.
        * apply monomial_compare_eq in E. subst k. cbv zeta. destruct (Z.eqb_spec (a * c + b * d) 0) as [Z0|_].
          -- rewrite IHp, !value_cons. assert (W : whole a * whole c + whole b * whole d = 0).
             { rewrite <- !whole_mult, <- whole_plus, Z0. reflexivity. }
             transitivity (whole a * value p + whole b * value q + (whole a * whole c + whole b * whole d) * value_of
               m);
               [rewrite W|]; ring.
          -- rewrite !value_cons, IHp, whole_plus, !whole_mult. ring.
        * rewrite value_cons, IHp, !value_cons, whole_mult. ring.
        * rewrite value_cons, IHq, !value_cons, whole_mult. ring.
  Qed.
  Lemma value_plus p q : value (plus p q) = value p + value q.
  Proof. unfold plus. rewrite value_combined, whole_1. ring. Qed.
  Lemma value_minus p q : value (minus p q) = value p - value q.
  Proof. unfold minus. rewrite value_combined, whole_1. change (-1)%Z with (- (1))%Z. rewrite whole_opp, whole_1. ring.
  Qed.
  Lemma value_scaled m p : value (scaled m p) = value_of m * value p.
  Proof.
    unfold scaled. destruct m as [|v m]; [unfold value_of; cbn; ring|]. generalize (v :: m). clear v m. intros m.
    induction p as [|[c k] p IH]; cbn [fold_right fst snd]; [unfold value; cbn; ring|].
    rewrite value_plus, IH, !value_cons, value_times. unfold value at 1. cbn [fold_right]. ring.
  Qed.
  Lemma value_product p q : value (product p q) = value p * value q.
  Proof.
    induction p as [|[c m] p IH]; cbn [product fold_right fst snd]; [unfold value; cbn; ring|].
    fold (product p q). rewrite value_combined, IH, value_scaled, value_cons, whole_1. ring.
  Qed.
  Lemma value_of_term c m : value (of_term c m) = whole c * value_of m.
  Proof. unfold of_term. destruct (Z.eqb_spec c 0) as [->|]; [rewrite whole_0|]; unfold value; cbn [fold_right fst snd];
    ring. Qed.
  Lemma value_constant c : value (constant c) = whole c.
  Proof. unfold constant. rewrite value_of_term. unfold value_of. cbn. ring. Qed.
  Lemma value_unknown v : value (unknown v) = rho v.
  Proof. unfold value, unknown, value_of. cbn [fold_right fst snd]. rewrite whole_1. ring. Qed.
  Lemma value_split v p : let '(a, r) := split_at v p in value p = rho v * value a + value r.
  Proof.
    induction p as [|[c m] p IH]; cbn [split_at]; [unfold value; cbn; ring|].
    destruct (split_at v p) as [a r]. destruct (without v m) as [m'|] eqn:E.
    - rewrite !value_cons, IH, (value_without _ _ _ E). ring.
    - rewrite !value_cons, IH. ring.
  Qed.
End Value.

Lemma value_renamed rho f p : value rho (renamed f p) = value (fun v => rho (f v)) p.
Proof.
  induction p as [|[c m] p IH]; cbn [renamed fold_right fst snd]; [reflexivity|].
  fold (renamed f p). rewrite value_plus, IH, !value_cons. f_equal.
  unfold value. cbn [fold_right fst snd].
  assert (E : value_of rho (fold_right insert [] (map f m)) = value_of (fun v => rho (f v)) m).
  { induction m as [|v m IHm]; [reflexivity|]. cbn [map fold_right]. rewrite value_insert, IHm. reflexivity. }
  rewrite E. ring.
Qed.
Lemma value_ext f g p : (forall v, f v = g v) -> value f p = value g p.
Proof.
  intros H. induction p as [|[c m] p IH]; [reflexivity|]. rewrite !value_cons, IH. f_equal. f_equal.
  induction m as [|v m IHm]; [reflexivity|]. cbn [value_of fold_right]. fold (value_of f m). fold (value_of g m).
  rewrite IHm, H. reflexivity.
Qed.
