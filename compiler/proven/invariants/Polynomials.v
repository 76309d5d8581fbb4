(** Polynomials with whole coefficients, and whether one is 0 where others are. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Maps.
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
             transitivity (whole a * value p + whole b * value q + (whole a * whole c + whole b * whole d) * value_of m);
               [rewrite W|]; ring.
          -- rewrite !value_cons, IHp, whole_plus, !whole_mult. ring.
        * rewrite value_cons, IHp, !value_cons, whole_mult. ring.
        * rewrite value_cons, IHq, !value_cons, whole_mult. ring.
  Qed.
  Lemma value_plus p q : value (plus p q) = value p + value q.
  Proof. unfold plus. rewrite value_combined, whole_1. ring. Qed.
  Lemma value_minus p q : value (minus p q) = value p - value q.
  Proof. unfold minus. rewrite value_combined, whole_1. change (-1)%Z with (- (1))%Z. rewrite whole_opp, whole_1. ring. Qed.
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
  Proof. unfold of_term. destruct (Z.eqb_spec c 0) as [->|]; [rewrite whole_0|]; unfold value; cbn [fold_right fst snd]; ring. Qed.
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

  (** * Substitutions: d times an unknown is a polynomial *)
  Record image := Image { of_unknown : N; times_by : Z; is_form : polynomial }.
  Definition true_image (i : image) : Prop :=
    times_by i <> 0%Z /\ whole (times_by i) * rho (of_unknown i) = value (is_form i).
  Definition substituted (i : image) (p : polynomial) : polynomial :=
    match split_at (of_unknown i) p with
    | ([], _) => p
    | (a, r) => combined 1 (product a (is_form i)) (times_by i) r
    end.
  (** Where an image is true, this is 0 where the polynomial is. *)
  Lemma substituted_ok i p : true_image i -> (value (substituted i p) = 0 <-> value p = 0).
  Proof.
    intros [Hd Hi]. unfold substituted. pose proof (value_split (of_unknown i) p) as H.
    destruct (split_at (of_unknown i) p) as [a r]. destruct a as [|t a]; [reflexivity|].
    rewrite value_combined, value_product, whole_1, <- Hi.
    replace (1 * (value (t :: a) * (whole (times_by i) * rho (of_unknown i))) + whole (times_by i) * value r)
      with (whole (times_by i) * value p) by (rewrite H; ring).
    split; intros E; [|rewrite E; ring]. apply Qcmult_integral in E as [E|E]; [|exact E].
    exfalso. exact (whole_nonzero _ Hd E).
  Qed.
  Definition all_substituted (l : list image) (p : polynomial) : polynomial := fold_left (fun p i => substituted i p) l p.
  Lemma all_substituted_ok l : Forall true_image l -> forall p, value (all_substituted l p) = 0 <-> value p = 0.
  Proof.
    induction 1 as [|i l Hi _ IH]; intros p; [reflexivity|]. cbn [all_substituted fold_left].
    fold (all_substituted l (substituted i p)). rewrite IH. apply substituted_ok. exact Hi.
  Qed.

  (** The largest unknown that stands alone in a term, and in no other term. *)
  Definition alone (p : polynomial) : option (Z * N * polynomial) :=
    fold_right (fun t best =>
      match t with
      | (c, [v]) =>
          if match best with Some (_, u, _) => (u <? v)%N | None => true end then
            match split_at v p with ([(d, [])], r) => Some (d, v, r) | _ => best end
          else best
      | _ => best
      end) None p.
  Lemma alone_ok p d v r : alone p = Some (d, v, r) -> value p = whole d * rho v + value r.
  Proof.
    unfold alone. generalize p at 2. intros q. induction q as [|[c m] q IH]; cbn [fold_right]; [discriminate|].
    destruct m as [|u [|u' m]]; try exact IH.
    match goal with |- context [if ?b then _ else _] => destruct b end; [|exact IH].
    pose proof (value_split u p) as H. destruct (split_at u p) as [a r'].
    destruct a as [|[d' [|? ?]] [|? ?]]; try exact IH.
    intros E. injection E as <- <- <-. rewrite H. unfold value at 1, value_of. cbn [fold_right fst snd]. ring.
  Qed.

  Variable nonzero : N -> bool.                       (* unknowns that are not 0 *)
  Hypothesis nonzero_ok : forall v, nonzero v = true -> rho v <> 0.

  (** Polynomials that are 0, as images; None if they cannot all be. *)
  Definition solved (facts : list polynomial) : option (list image) :=
    fold_left (fun known f =>
      match known with
      | None => None
      | Some l =>
          match all_substituted l f with
          | [] => Some l
          | [(c, m)] => if (c =? 0)%Z then Some l else if forallb nonzero m then None else
              match m with [v] => Some (l ++ [Image v 1 []]) | _ => Some l end
          | g => match alone g with
                 | Some (d, v, r) => if (d =? 0)%Z then Some l else Some (l ++ [Image v (- d) r])
                 | None => Some l
                 end
          end
      end) facts (Some []).

  Lemma solved_ok facts : (forall f, In f facts -> value f = 0) ->
    match solved facts with Some l => Forall true_image l | None => False end.
  Proof.
    unfold solved. intros H.
    assert (G : forall known, match known with Some l => Forall true_image l | None => False end ->
      match fold_left (fun known f =>
        match known with
        | None => None
        | Some l =>
            match all_substituted l f with
            | [] => Some l
            | [(c, m)] => if (c =? 0)%Z then Some l else if forallb nonzero m then None else
                match m with [v] => Some (l ++ [Image v 1 []]) | _ => Some l end
            | g => match alone g with
                   | Some (d, v, r) => if (d =? 0)%Z then Some l else Some (l ++ [Image v (- d) r])
                   | None => Some l
                   end
            end
        end) facts known with Some l => Forall true_image l | None => False end).
    { induction facts as [|f facts IH]; intros known Hk; [exact Hk|]. cbn [fold_left].
      apply IH; [intros g Hg; apply H; right; exact Hg|]. destruct known as [l|]; [|contradiction].
      assert (Z0 : value (all_substituted l f) = 0) by (apply all_substituted_ok; [exact Hk | apply H; left; reflexivity]).
      destruct (all_substituted l f) as [|[c m] [|t g]] eqn:Ef; [exact Hk | |].
      - destruct (Z.eqb_spec c 0) as [|Hc]; [exact Hk|].
        assert (Zm : value_of m = 0).
        { unfold value in Z0. cbn [fold_right fst snd] in Z0.
          assert (E : whole c * value_of m = 0) by (rewrite <- Z0; ring).
          apply Qcmult_integral in E as [E|E]; [exfalso; exact (whole_nonzero _ Hc E) | exact E]. }
        destruct (forallb nonzero m) eqn:En.
        + rewrite forallb_forall in En. clear - En Zm nonzero_ok. induction m as [|v m IH].
          * unfold value_of in Zm. cbn in Zm. discriminate Zm.
          * cbn [value_of fold_right] in Zm. fold (value_of m) in Zm. apply Qcmult_integral in Zm as [Zm|Zm].
            -- eapply nonzero_ok; [apply En; left; reflexivity | exact Zm].
            -- apply IH; [exact Zm | intros u Hu; apply En; right; exact Hu].
        + destruct m as [|v [|? ?]]; [exact Hk | | exact Hk]. apply Forall_app. split; [exact Hk|]. constructor; [|constructor].
          split; [discriminate|]. cbn [times_by of_unknown is_form]. unfold value_of in Zm. cbn in Zm.
          unfold value. cbn. rewrite whole_1. rewrite <- Zm. ring.
      - destruct (alone _) as [[[d v] r]|] eqn:Ea; [|exact Hk]. destruct (Z.eqb_spec d 0) as [|Hd]; [exact Hk|].
        apply alone_ok in Ea. apply Forall_app. split; [exact Hk|]. constructor; [|constructor].
        split; cbn [times_by of_unknown is_form]; [lia|]. rewrite Z0 in Ea. rewrite whole_opp.
        replace (value r) with (0 - whole d * rho v) by (rewrite Ea; ring). ring. }
    apply (G (Some [])). constructor.
  Qed.

  (** * Rows that are 0, each with a leading monomial *)
  Definition row_of : Type := (monomial * Z * polynomial).   (* of its leading term, monomial and coefficient *)
  Fixpoint coefficient (m : monomial) (p : polynomial) : Z :=
    match p with
    | [] => 0
    | (c, k) :: p => match monomial_compare m k with Eq => c | _ => coefficient m p end
    end.
  Definition content (p : polynomial) : Z := fold_left (fun g t => Z.gcd g (fst t)) p 0%Z.
  Definition reduced_by (p : polynomial) (r : row_of) : polynomial :=
    let '(m, lead, q) := r in
    let c := coefficient m p in
    if (c =? 0)%Z then p else
    let g := Z.gcd c lead in combined (lead / g) p (- (c / g)) q.
  Definition reduced (rows : list row_of) (p : polynomial) : polynomial := fold_left reduced_by rows p.
  Definition leading (p : polynomial) : option row_of :=
    match rev p with
    | [] => None
    | (c, m) :: _ => if (c =? 0)%Z then None else Some (m, c, p)
    end.
  Definition zero_row (r : row_of) : Prop := let '(_, lead, q) := r in lead <> 0%Z /\ value q = 0.

  Lemma reduced_by_ok p r : zero_row r -> value (reduced_by p r) = 0 -> value p = 0.
  Proof.
    destruct r as [[m lead] q]. intros [Hl Hq]. unfold reduced_by. destruct (Z.eqb_spec (coefficient m p) 0); [auto|].
    rewrite value_combined, Hq. set (g := Z.gcd _ _). intros E.
    assert (Hg : (lead / g <> 0)%Z).
    { assert (D : (g | lead)%Z) by apply Z.gcd_divide_r. destruct D as [k Hk]. rewrite Hk.
      assert (g <> 0)%Z by (intros G0; apply Hl; rewrite Hk, G0; lia).
      rewrite Z.div_mul by assumption. intros ->. apply Hl. rewrite Hk. lia. }
    assert (E' : whole (lead / g) * value p = 0) by (rewrite <- E; ring).
    apply Qcmult_integral in E' as [E'|E']; [exfalso; exact (whole_nonzero _ Hg E') | exact E'].
  Qed.
  Lemma reduced_ok rows : Forall zero_row rows -> forall p, value (reduced rows p) = 0 -> value p = 0.
  Proof.
    induction 1 as [|r rows Hr _ IH]; intros p H; [exact H|]. cbn [reduced fold_left] in H.
    apply IH in H. eapply reduced_by_ok; eassumption.
  Qed.
  Lemma reduced_zero rows : Forall zero_row rows -> forall p, value p = 0 -> value (reduced rows p) = 0.
  Proof.
    induction 1 as [|[[m lead] q] rows [_ Hq] _ IH]; intros p H; [exact H|]. cbn [reduced fold_left]. apply IH.
    unfold reduced_by. destruct (coefficient m p =? 0)%Z; [exact H|]. rewrite value_combined, H, Hq. ring.
  Qed.
  Definition rows_from (l : list polynomial) : list row_of :=
    fold_left (fun rows p => match leading (reduced rows p) with Some r => rows ++ [r] | None => rows end) l [].
  Lemma rows_from_ok l : (forall p, In p l -> value p = 0) -> Forall zero_row (rows_from l).
  Proof.
    unfold rows_from. intros H.
    assert (G : forall rows, Forall zero_row rows ->
      Forall zero_row (fold_left (fun rows p => match leading (reduced rows p) with Some r => rows ++ [r] | None => rows end) l rows)).
    { induction l as [|p l IH]; intros rows Hr; [exact Hr|]. cbn [fold_left]. apply IH; [intros q Hq; apply H; right; exact Hq|].
      unfold leading. pose proof (reduced_zero rows Hr p (H p (or_introl eq_refl))) as Hz.
      destruct (rev (reduced rows p)) as [|[c m] ?]; [exact Hr|]. destruct (Z.eqb_spec c 0); [exact Hr|].
      apply Forall_app. split; [exact Hr|]. constructor; [|constructor]. split; assumption. }
    apply G. constructor.
  Qed.

  Definition is_nothing {A} (l : list A) : bool := match l with [] => true | _ => false end.
  (** Whether polynomials are 0 if facts and rows are. *)
  Definition implied (facts rows goals : list polynomial) : bool :=
    match solved facts with
    | None => true
    | Some l =>
        let rows := rows_from (map (all_substituted l) rows) in
        forallb (fun g => is_nothing (reduced rows (all_substituted l g))) goals
    end.
  Theorem implied_sound facts rows goals : implied facts rows goals = true ->
    (forall f, In f facts -> value f = 0) -> (forall r, In r rows -> value r = 0) ->
    forall g, In g goals -> value g = 0.
  Proof.
    unfold implied. intros H Hf Hr g Hg. pose proof (solved_ok facts Hf) as S.
    destruct (solved facts) as [l|]; [|contradiction]. rewrite forallb_forall in H. specialize (H g Hg).
    destruct (reduced _ _) eqn:E in H; [|discriminate].
    apply (all_substituted_ok l S). eapply reduced_ok; [|rewrite E; reflexivity].
    apply rows_from_ok. intros p Hp. apply in_map_iff in Hp as (r & <- & Hin).
    apply (all_substituted_ok l S). apply Hr. exact Hin.
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
