(** (V12): what an output clause says, as a polynomial in the numbers that the parts of an input spell. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Output Joint Maps Windows Columns Strips Starts Places Polynomials Sums Unknowns Facts Values Invariants.
Import ListNotations.

(** * Numbers in a positional system *)
Section Spelled.
  Variables (system_at : N -> system) (parts : list (list symbol)) (i : N) (digits : list symbol).
  Hypothesis bases : forall i, (0 < over_ (system_at i) /\ 0 < under (system_at i))%Z.
  Hypothesis whole_base : under (system_at i) = 1%Z.
  Hypothesis base_is : over_ (system_at i) = Z.of_nat (length digits).
  Local Open Scope Qc_scope.
  Notation weight := (weight system_at parts).

  Lemma spells_more t s : spells digits (t ++ [s]) = spells_after digits (spells digits t) s.
  Proof. unfold spells. rewrite fold_left_app. reflexivity. Qed.
  Lemma weight_times X : weight i X = whole (Z.of_nat (length digits)) * weight i (X + 1).
  Proof.
    rewrite (weight_step system_at bases parts i X). unfold base. rewrite whole_base, base_is, whole_1. f_equal. field. discriminate.
  Qed.
  Lemma sum_spells (f : Z -> symbol) a t z : (forall j, (j < length t)%nat -> f (a + Z.of_nat j)%Z = nth j t 0%N) ->
    (forall s d, In s t -> place_in digits s = Some d -> worth (system_at i) s = d) -> spells digits t = Some z ->
    sum a (length t) (fun X => whole (worth (system_at i) (f X)) * weight i X) = whole z * weight i (a + Z.of_nat (length t) - 1).
  Proof.
    revert z. induction t as [|s t IH] using rev_ind; intros z Hf Hw Hz.
    - injection Hz as <-. cbn [sum length]. rewrite whole_0. ring.
    - rewrite spells_more in Hz. unfold spells_after in Hz. destruct (spells digits t) as [z'|]; [|discriminate].
      destruct (place_in digits s) as [d|] eqn:Ed; [|discriminate]. injection Hz as <-. rewrite app_length. cbn [length]. rewrite sum_app.
      rewrite (IH z').
      + cbn [sum]. rewrite Hf by (rewrite app_length; cbn; lia). rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
        rewrite (Hw s d) by (auto || (apply in_or_app; right; left; reflexivity)).
        rewrite (weight_times (a + Z.of_nat (length t) - 1)).
        replace (a + Z.of_nat (length t) - 1 + 1)%Z with (a + Z.of_nat (length t))%Z by lia.
        replace (a + Z.of_nat (length t + 1) - 1)%Z with (a + Z.of_nat (length t))%Z by lia.
        rewrite whole_plus, whole_mult. ring.
      + intros j Hj. rewrite Hf by (rewrite app_length; lia). apply app_nth1. exact Hj.
      + intros s' d' Hin. apply Hw. apply in_or_app. left. exact Hin.
      + reflexivity.
  Qed.
End Spelled.

Lemma each_pair A B (R : A -> B -> Prop) a b : Forall2 R a b -> forall j da db, (j < length a)%nat ->
  R (nth j a da) (nth j b db) /\ nth_error b j = Some (nth j b db).
Proof.
  induction 1 as [|x y a b H _ IH]; intros j da db Hj; cbn [length] in Hj; [lia|].
  destruct j as [|j]; cbn [nth nth_error]; [auto|]. apply IH. lia.
Qed.
Lemma cancel (a b w : Qc) : w <> 0%Qc -> (a * w = b * w -> a = b)%Qc.
Proof.
  intros Hw H. assert (E : ((a - b) * w = 0)%Qc) by (transitivity (a * w - b * w)%Qc; [ring | rewrite H; ring]).
  apply Qcmult_integral in E as [E|E]; [|contradiction]. replace a with (a - b + b)%Qc by ring. rewrite E. ring.
Qed.
Lemma place_in_some digits t : (forall s, In s t -> place_in digits s <> None) -> exists z, spells digits t = Some z.
Proof.
  induction t as [|s t IH] using rev_ind; intros H; [exists 0%Z; reflexivity|].
  destruct IH as [z Hz]; [intros u Hu; apply H; apply in_or_app; left; exact Hu|].
  rewrite spells_more, Hz. unfold spells_after. destruct (place_in digits s) as [d|] eqn:E; [eauto|].
  exfalso. eapply H; [apply in_or_app; right; left; reflexivity | exact E].
Qed.

Lemma count_one s t : count_in [s] 0 t = Z.of_nat (length (filter (N.eqb s) t)).
Proof.
  induction t as [|a t IH]; [reflexivity|]. cbn [count_in begins length pred filter].
  rewrite andb_true_r. destruct (s =? a)%N; cbn [length]; rewrite IH; lia.
Qed.

(** * The clause *)
Section Clause.
  Variable pieces : list clause.
  Variables (systems : list system) (system_at : N -> system).
  Hypothesis system_cases : forall i, system_at i = System 1 1 (fun _ => 0%Z) \/ In (system_at i) systems.
  Variables (name_at : N -> name) (number : name -> option N).
  Hypothesis number_ok : forall a v, number a = Some v -> name_at v = a.
  Notation ids := (ids systems).
  Notation members := (map members_of pieces).

  Definition reads_in (i : N) (digits : list symbol) (symbols : list symbol) : bool :=
    (under (system_at i) =? 1)%Z && (over_ (system_at i) =? Z.of_nat (length digits))%Z &&
    forallb (fun s => match place_in digits s with Some d => (worth (system_at i) s =? d)%Z | None => false end) symbols.
  Definition counts (i : N) (one : symbol -> bool) (symbols : list symbol) : bool :=
    (under (system_at i) =? over_ (system_at i))%Z &&
    forallb (fun s => (worth (system_at i) s =? if one s then 1 else 0)%Z) symbols.
  Definition piece (j : nat) : clause := nth j pieces Nothing.
  Definition number_of_part (good : N -> list symbol -> bool) (j : nat) : option polynomial :=
    if Nat.ltb j (length pieces) then
      match find (fun i => good i (symbols_of_clause (piece j))) ids with
      | Some i => form name_at number [(1%Z, [(false, Part_number i (N.of_nat j))])]
      | None => None
      end
    else None.
  Fixpoint polynomial_of (x : expression) : option polynomial :=
    match x with
    | Constant z => Some (constant z)
    | Spelled j => number_of_part (fun i => reads_in i (nth j members [])) j
    | Length j => number_of_part (fun i => counts i (fun _ => true)) j
    | Count j [s] => number_of_part (fun i => counts i (N.eqb s)) j
    | Operation o a b =>
        match polynomial_of a, polynomial_of b, o with
        | Some a, Some b, Add => Some (plus a b)
        | Some a, Some b, Sub => Some (minus a b)
        | Some a, Some b, Mul => Some (product a b)
        | _, _, _ => None
        end
    | _ => None
    end.

  Hypothesis all_systems : systems_ok systems = true.
  Variable digits : list symbol.
  Variables (low : Z) (class_of : symbol -> N) (label_at : N -> label) (told_at : N -> told).
  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Notation weight := (weight system_at parts).
  Notation meaning := (meaning system_at low class_of label_at told_at parts).
  Local Open Scope Qc_scope.

  Lemma piece_part j : (j < length pieces)%nat -> matches (piece j) (nth j parts []) /\ nth_error parts j = Some (nth j parts []).
  Proof.
    intros Hj. apply (each_pair _ _ _ _ _ parts_ok). exact Hj.
  Qed.
  Lemma part_symbol_at j k : (j < length pieces)%nat -> (k < length (nth j parts []))%nat ->
    row_symbol (concat parts) (Z.to_nat (Z.of_nat (offset parts j) + Z.of_nat k)) = nth k (nth j parts []) 0%N.
  Proof.
    intros Hj Hk. unfold row_symbol. replace (Z.to_nat (Z.of_nat (offset parts j) + Z.of_nat k)) with (offset parts j + k)%nat by lia.
    apply nth_concat; [apply piece_part; exact Hj | exact Hk].
  Qed.
  Lemma part_number_spelled M i j ds : (j < length pieces)%nat -> reads_in i ds (symbols_of_clause (piece j)) = true ->
    exists z, spells ds (nth j parts []) = Some z /\ meaning M (Part_number i (N.of_nat j)) = whole z.
  Proof.
    intros Hj H. unfold reads_in in H. apply andb_true_iff in H as [H Hs]. apply andb_true_iff in H as [Hu Ho].
    apply Z.eqb_eq in Hu, Ho. rewrite forallb_forall in Hs. destruct (piece_part j Hj) as [Hm Hn].
    pose proof (symbols_of_clause_ok _ _ Hm) as Hin.
    destruct (place_in_some ds (nth j parts [])) as [z Hz].
    { intros s Hsin E. specialize (Hs s (Hin s Hsin)). rewrite E in Hs. discriminate. }
    exists z. split; [exact Hz|].
    assert (Hb : below_1 system_at i = false) by (unfold below_1; rewrite Hu; apply Z.ltb_ge; pose proof (bases systems system_at system_cases all_systems i); lia).
    pose proof (part_number_ok system_at (bases systems system_at system_cases all_systems) low class_of label_at told_at parts M i (N.of_nat j)) as P.
    unfold part_sum, part_text in P. rewrite Nat2N.id in P.
    rewrite (sum_spells system_at parts i ds (bases systems system_at system_cases all_systems) Hu Ho (fun X => row_symbol (concat parts) (Z.to_nat X)) _ _ z) in P.
    - unfold part_unit in P. rewrite Hb, Nat2N.id, (offset_next _ _ _ Hn), Nat2Z.inj_add in P.
      eapply cancel; [|exact P]. apply weight_nonzero. apply (bases systems system_at system_cases). exact all_systems.
    - intros k Hk. apply part_symbol_at; assumption.
    - intros s d Hsin Hd. specialize (Hs s (Hin s Hsin)). rewrite Hd in Hs. apply Z.eqb_eq. exact Hs.
    - exact Hz.
  Qed.
  Lemma weight_one i X : under (system_at i) = over_ (system_at i) -> weight i X = 1.
  Proof.
    intros H. unfold Unknowns.weight. replace (base system_at i) with 1; [apply power_one|].
    unfold base. rewrite H. field. apply over_nonzero. apply (bases systems system_at system_cases). exact all_systems.
  Qed.
  Lemma sum_counted i one symbols f t : counts i one symbols = true -> (forall s, In s t -> In s symbols) -> forall a,
    (forall k, (k < length t)%nat -> f (a + Z.of_nat k)%Z = nth k t 0%N) ->
    sum a (length t) (fun X => whole (worth (system_at i) (f X)) * weight i X) = whole (Z.of_nat (length (filter one t))).
  Proof.
    intros H. unfold counts in H. apply andb_true_iff in H as [Hb Hs]. apply Z.eqb_eq in Hb. rewrite forallb_forall in Hs.
    induction t as [|s t IH]; intros Hsub a Hf; [reflexivity|]. cbn [length sum filter]. rewrite IH.
    - pose proof (Hf O ltac:(cbn; lia)) as H0. rewrite Z.add_0_r in H0. rewrite H0. cbn [nth]. rewrite weight_one by exact Hb.
      specialize (Hs s (Hsub s (or_introl eq_refl))). apply Z.eqb_eq in Hs. rewrite Hs.
      destruct (one s); cbn [length]; [rewrite Nat2Z.inj_succ, <- Z.add_1_l, whole_plus, whole_1 | rewrite whole_0]; ring.
    - intros u Hu. apply Hsub. right. exact Hu.
    - intros k Hk. replace (a + 1 + Z.of_nat k)%Z with (a + Z.of_nat (S k))%Z by lia. rewrite Hf by (cbn; lia). reflexivity.
  Qed.
  Lemma part_number_counted M i j one : (j < length pieces)%nat -> counts i one (symbols_of_clause (piece j)) = true ->
    meaning M (Part_number i (N.of_nat j)) = whole (Z.of_nat (length (filter one (nth j parts [])))).
  Proof.
    intros Hj H. destruct (piece_part j Hj) as [Hm Hn].
    pose proof (part_number_ok system_at (bases systems system_at system_cases all_systems) low class_of label_at told_at parts M i (N.of_nat j)) as P.
    assert (W : forall X, weight i X = 1) by (intros X; apply weight_one; unfold counts in H; apply andb_true_iff in H as [H _]; apply Z.eqb_eq; exact H).
    unfold part_sum, part_text, part_unit in P. rewrite Nat2N.id, !W in P.
    replace (if below_1 system_at i then 1 else 1) with 1 in P by (destruct (below_1 system_at i); reflexivity).
    rewrite Qcmult_1_r in P. rewrite P. apply (sum_counted i one _ (fun X => row_symbol (concat parts) (Z.to_nat X)) _ H).
    - apply symbols_of_clause_ok. exact Hm.
    - intros k Hk. apply part_symbol_at; assumption.
  Qed.

  Lemma number_of_part_ok M0 M1 good j p : number_of_part good j = Some p ->
    exists i, (j < length pieces)%nat /\ good i (symbols_of_clause (piece j)) = true /\
      value (rho system_at low class_of label_at told_at parts name_at M0 M1) p = meaning M0 (Part_number i (N.of_nat j)).
  Proof.
    unfold number_of_part. destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate].
    destruct (find _ ids) as [i|] eqn:E; [|discriminate]. apply find_some in E as [_ E]. intros H. exists i.
    split; [exact Hj|]. split; [exact E|]. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M0 M1 _ _ H).
    unfold form_value, term_value, factor_value. cbn [fold_right fst snd]. rewrite whole_1. ring.
  Qed.
  Lemma polynomial_of_ok M0 M1 x : forall p, polynomial_of x = Some p -> exists z, evaluate digits members x parts = Some (Number z) /\
    value (rho system_at low class_of label_at told_at parts name_at M0 M1) p = whole z.
  Proof.
    induction x; intros p H; cbn [polynomial_of] in H; try discriminate.
    - injection H as <-. exists z. split; [reflexivity | apply value_constant].
    - apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv).
      destruct (part_number_spelled M0 k i _ Hj Hg) as (z & Hz & Hm). exists z. cbn [evaluate].
      rewrite Hz. split; [reflexivity|]. rewrite Hv, Hm. reflexivity.
    - apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv). eexists. split; [reflexivity|].
      rewrite Hv, (part_number_counted M0 k i _ Hj Hg). f_equal. f_equal. clear. induction (nth i parts []); cbn; congruence.
    - destruct t as [|s [|? ?]]; try discriminate.
      apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv). eexists. split; [reflexivity|].
      rewrite Hv, (part_number_counted M0 k i _ Hj Hg), count_one. reflexivity.
    - destruct (polynomial_of x1) as [a|]; [|discriminate]. destruct (polynomial_of x2) as [b|]; [|destruct o; discriminate].
      destruct (IHx1 a eq_refl) as (za & Ea & Va). destruct (IHx2 b eq_refl) as (zb & Eb & Vb).
      cbn [evaluate]. rewrite Ea, Eb.
      destruct o; try discriminate; injection H as <-; eexists; (split; [reflexivity|]).
      + rewrite value_plus, Va, Vb, whole_plus. reflexivity.
      + rewrite value_minus, Va, Vb. replace (za - zb)%Z with (za + - zb)%Z by lia. rewrite whole_plus, whole_opp. ring.
      + rewrite value_product, Va, Vb, whole_mult. reflexivity.
  Qed.
End Clause.
