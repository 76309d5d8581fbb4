(** Whether polynomials are 0 where others are: substitution, then elimination. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Maps Polynomials.
Import ListNotations.

Section Elimination.
  Variable rho : N -> Qc.
  Local Open Scope Qc_scope.
  Notation value := (value rho).
  Notation value_of := (value_of rho).

  (** * Substitutions: d times an unknown is a polynomial *)
  Record image := Image { of_unknown : N; times_by : Z; is_form : polynomial }.
  Definition true_image (i : image) : Prop :=
    times_by i <> 0%Z /\ whole (times_by i) * rho (of_unknown i) = value (is_form i).
  Definition substituted_once (i : image) (a r : polynomial) : polynomial :=
    combined 1 (product a (is_form i)) (times_by i) r.
  (** Again where it stood in a power. *)
  Fixpoint substituted (powers : nat) (i : image) (p : polynomial) : polynomial :=
    match split_at (of_unknown i) p with
    | ([], _) => p
    | (a, r) => let q := substituted_once i a r in
                match powers with
                | S powers => if existsb (fun t => existsb (N.eqb (of_unknown i)) (snd t)) a then substituted powers i q
                  else q
                | O => q
                end
    end.
  (** Where an image is true, this is 0 where the polynomial is. *)
  Lemma substituted_ok powers i p : true_image i -> (value (substituted powers i p) = 0 <-> value p = 0).
  Proof.
    intros [Hd Hi]. revert p. induction powers as [|powers IH]; intros p; cbn [substituted];
      pose proof (value_split rho (of_unknown i) p) as H; destruct (split_at (of_unknown i) p) as [a r];
        destruct a as [|t a]; try reflexivity;
      (assert (Once : value (substituted_once i (t :: a) r) = 0 <-> value p = 0);
       [unfold substituted_once; rewrite value_combined, value_product, whole_1, <- Hi;
        replace (1 * (value (t :: a) * (whole (times_by i) * rho (of_unknown i))) + whole (times_by i) * value r)
          with (whole (times_by i) * value p) by (rewrite H; ring);
        split; intros E; [|rewrite E; ring]; apply Qcmult_integral in E as [E|E];
          [exfalso; exact (whole_nonzero _ Hd E) | exact E] |]).
    - exact Once.
    - match goal with |- context [if ?b then _ else _] => destruct b end; [rewrite IH|]; exact Once.
  Qed.
  Definition all_substituted (l : list image) (p : polynomial) : polynomial :=
    fold_left (fun p i => substituted 8 i p) l p.
  Lemma all_substituted_ok l : Forall true_image l -> forall p, value (all_substituted l p) = 0 <-> value p = 0.
  Proof.
    induction 1 as [|i l Hi _ IH]; intros p; [reflexivity|]. cbn [all_substituted fold_left].
    fold (all_substituted l (substituted 8 i p)). rewrite IH. apply substituted_ok. exact Hi.
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
    pose proof (value_split rho u p) as H. destruct (split_at u p) as [a r'].
    destruct a as [|[d' [|? ?]] [|? ?]]; try exact IH.
    intros E. injection E as <- <- <-. rewrite H. unfold Polynomials.value at 1, Polynomials.value_of.
    cbn [fold_right fst snd]. ring.
  Qed.

  Variable nonzero : N -> bool.                       (* unknowns that are not 0 *)
  Hypothesis nonzero_ok : forall v, nonzero v = true -> rho v <> 0.

  (** What a polynomial that is 0 adds to images; None if it cannot be 0. *)
  Definition learnt (l : list image) (f : polynomial) : option (list image) :=
    match all_substituted l f with
    | [] => Some l
    | [(c, m)] => if (c =? 0)%Z then Some l else if forallb nonzero m then None else
        match m with [v] => Some (l ++ [Image v 1 []]) | _ => Some l end
    | g => match alone g with
           | Some (d, v, r) => if (d =? 0)%Z then Some l else Some (l ++ [Image v (- d) r])
           | None => Some l
           end
    end.
  Definition true_images (known : option (list image)) : Prop :=
    match known with Some l => Forall true_image l | None => False end.
  Lemma one_more l i : Forall true_image l -> true_image i -> true_images (Some (l ++ [i])).
  Proof. intros Hl Hi. apply Forall_app. auto. Qed.
  Lemma nonzero_product m : forallb nonzero m = true -> value_of m <> 0.
  Proof.
    rewrite forallb_forall. induction m as [|v m IH]; intros H; [discriminate|]. intros E.
    cbn [Polynomials.value_of fold_right] in E. apply Qcmult_integral in E as [E|E].
    - eapply nonzero_ok; [apply H; left; reflexivity | exact E].
    - apply IH; [intros u Hu; apply H; right; exact Hu | exact E].
  Qed.
  Lemma learnt_ok l f : Forall true_image l -> value f = 0 -> true_images (learnt l f).
  Proof.
    intros Hl Hf. unfold learnt. apply (all_substituted_ok l Hl) in Hf.
    destruct (all_substituted l f) as [|[c m] [|t g]]; [exact Hl | |].
    - destruct (Z.eqb_spec c 0) as [|Hc]; [exact Hl|].
      assert (Zm : value_of m = 0).
      { rewrite value_cons in Hf.
        assert (E : whole c * value_of m = 0) by (rewrite <- Hf; unfold Polynomials.value; cbn; ring).
        apply Qcmult_integral in E as [E|E]; [exfalso; exact (whole_nonzero _ Hc E) | exact E]. }
      destruct (forallb nonzero m) eqn:En; [exact (nonzero_product m En Zm)|].
      destruct m as [|v [|? ?]]; [exact Hl | | exact Hl]. apply one_more; [exact Hl|].
      split; [discriminate|]. cbn in Zm |- *. rewrite whole_1, <- Zm. ring.
    - destruct (alone _) as [[[d v] r]|] eqn:Ea; [|exact Hl]. destruct (Z.eqb_spec d 0) as [|Hd]; [exact Hl|].
      apply alone_ok in Ea. apply one_more; [exact Hl|]. split; cbn [times_by of_unknown is_form]; [lia|].
      rewrite Hf in Ea. rewrite whole_opp. replace (value r) with (0 - whole d * rho v) by (rewrite Ea; ring). ring.
  Qed.

  (** Polynomials that are 0, as images; None if they cannot all be. *)
  Fixpoint solved_from (l : list image) (facts : list polynomial) : option (list image) :=
    match facts with
    | [] => Some l
    | f :: facts => match learnt l f with Some l => solved_from l facts | None => None end
    end.
  Definition solved : list polynomial -> option (list image) := solved_from [].
  Lemma solved_ok facts : (forall f, In f facts -> value f = 0) -> true_images (solved facts).
  Proof.
    unfold solved. assert (N : Forall true_image []) by constructor. revert N. generalize (@nil image).
    induction facts as [|f facts IH]; intros l Hl H; [exact Hl|]. cbn [solved_from].
    pose proof (learnt_ok l f Hl (H f (or_introl eq_refl))) as G. destruct (learnt l f) as [l'|]; [|exact G].
    apply IH; [exact G | intros g Hg; apply H; right; exact Hg].
  Qed.

  (** * Rows that are 0, each with a leading monomial *)
  Definition row_of : Type := (monomial * Z * polynomial).   (* of its leading term, monomial and coefficient *)
  Fixpoint coefficient (m : monomial) (p : polynomial) : Z :=
    match p with
    | [] => 0
    | (c, k) :: p => match monomial_compare m k with Eq => c | _ => coefficient m p end
    end.
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
  Fixpoint rows_after (rows : list row_of) (l : list polynomial) : list row_of :=
    match l with
    | [] => rows
    | p :: l => rows_after (match leading (reduced rows p) with Some r => rows ++ [r] | None => rows end) l
    end.
  Definition rows_from : list polynomial -> list row_of := rows_after [].
  Lemma rows_from_ok l : (forall p, In p l -> value p = 0) -> Forall zero_row (rows_from l).
  Proof.
    unfold rows_from. assert (N : Forall zero_row []) by constructor. revert N. generalize (@nil row_of).
    induction l as [|p l IH]; intros rows Hr H; [exact Hr|]. cbn [rows_after].
    apply IH; [|intros q Hq; apply H; right; exact Hq]. unfold leading.
    pose proof (reduced_zero rows Hr p (H p (or_introl eq_refl))) as Hz.
    destruct (rev (reduced rows p)) as [|[c m] ?]; [exact Hr|]. destruct (Z.eqb_spec c 0); [exact Hr|].
    apply Forall_app. split; [exact Hr|]. constructor; [|constructor]. split; assumption.
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
End Elimination.
