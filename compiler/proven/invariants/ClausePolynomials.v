(** (V12): what an output clause says, as a polynomial in the numbers that the parts of an input spell. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Multiplies Joint Maps Windows Columns Strips Starts Places Polynomials Sums
  Unknowns Facts Values Findings Numerals.
Import ListNotations.

(** * Numbers in a positional system, as they stand or backwards *)
Definition facing (back : bool) (t : list symbol) : list symbol := if back then rev t else t.
Definition unit_column (back : bool) (a : Z) (len : nat) : Z := if back then a else (a + Z.of_nat len - 1)%Z.
Lemma in_facing back t s : In s (facing back t) <-> In s t.
Proof. destruct back; [symmetry; apply in_rev | reflexivity]. Qed.
Lemma facing_length back t : length (facing back t) = length t.
Proof. destruct back; [apply rev_length | reflexivity]. Qed.

Section Spelled.
  Context {un : unknowns} {un_ok : unknowns_ok un}.
  Variables (parts : list (list symbol)) (i : N) (digits : list symbol).
  Local Open Scope Qc_scope.
  Notation weight := (weight system_at parts).

  Definition has_base (back : bool) : bool :=
    (under (system_at i) =? if back then Z.of_nat (length digits) else 1)%Z && (over_ (system_at i) =? if back then 1
      else Z.of_nat (length digits))%Z.
  Lemma has_base_is back : has_base back = true ->
    under (system_at i) = (if back then Z.of_nat (length digits) else 1%Z) /\ over_ (system_at i) = (if back then 1%Z
      else Z.of_nat (length digits)).
  Proof. unfold has_base. intros H. apply andb_true_iff in H as [Hu Ho]. apply Z.eqb_eq in Hu, Ho. auto. Qed.
  Lemma weight_times X : has_base false = true -> weight i X = whole (Z.of_nat (length digits)) * weight i (X + 1).
  Proof.
    intros H. apply has_base_is in H as [Hu Ho]. rewrite (weight_step system_at bases parts i X). unfold base.
    rewrite Hu, Ho, whole_1. f_equal. field. discriminate.
  Qed.
  Lemma weight_times_back X : has_base true = true -> weight i (X + 1) = whole (Z.of_nat (length digits)) * weight i X.
  Proof.
    intros H. apply has_base_is in H as [Hu Ho]. rewrite (weight_step system_at bases parts i X). unfold base.
    rewrite Hu, Ho, whole_1. field.
    rewrite <- Hu. apply under_nonzero, bases.
  Qed.
  Lemma sum_spells back (f : Z -> symbol) t : has_base back = true ->
    (forall s d, In s t -> place_in digits s = Some d -> worth (system_at i) s = d) ->
    forall a z, (forall j, (j < length t)%nat -> f (a + Z.of_nat j)%Z = nth j t 0%N) ->
      spells digits (facing back t) = Some z ->
    sum a (length t) (fun X => whole (worth (system_at i) (f X)) * weight i X) = whole z * weight i
      (unit_column back a (length t)).
  Proof.
    intros Hb. destruct back; cbn [facing unit_column].
    - induction t as [|s t IH]; intros Hw a z Hf Hz; [injection Hz as <-; cbn [sum length]; rewrite whole_0; ring|].
      cbn [rev] in Hz. rewrite spells_snoc in Hz. unfold spells_after in Hz.
      destruct (spells digits (rev t)) as [z'|]; [|discriminate].
      destruct (place_in digits s) as [d|] eqn:Ed; [|discriminate]. injection Hz as <-. cbn [length sum].
      rewrite (IH (fun s' d' Hin => Hw s' d' (or_intror Hin)) (a + 1)%Z z'); [| |reflexivity].
      + pose proof (Hf O ltac:(cbn; lia)) as H0. rewrite Z.add_0_r in H0. rewrite H0. cbn [nth].
        rewrite (Hw s d) by (auto || (left; reflexivity)). rewrite (weight_times_back a Hb), whole_plus, whole_mult.
        ring.
      + intros j Hj. replace (a + 1 + Z.of_nat j)%Z with (a + Z.of_nat (S j))%Z by lia. rewrite Hf by (cbn; lia).
        reflexivity.
    - induction t as [|s t IH] using rev_ind; intros Hw a z Hf Hz;
        [injection Hz as <-; cbn [sum length]; rewrite whole_0; ring|].
      rewrite spells_snoc in Hz. unfold spells_after in Hz. destruct (spells digits t) as [z'|]; [|discriminate].
      destruct (place_in digits s) as [d|] eqn:Ed; [|discriminate]. injection Hz as <-. rewrite app_length.
      cbn [length]. rewrite sum_app.
      rewrite (IH (fun s' d' Hin => Hw s' d' (in_or_app _ _ _ (or_introl Hin))) a z'); [| |reflexivity].
      + cbn [sum]. rewrite Hf by (rewrite app_length; cbn; lia). rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
        rewrite (Hw s d) by (auto || (apply in_or_app; right; left; reflexivity)).
        rewrite (weight_times (a + Z.of_nat (length t) - 1) Hb).
        replace (a + Z.of_nat (length t) - 1 + 1)%Z with (a + Z.of_nat (length t))%Z by lia.
        replace (a + Z.of_nat (length t + 1) - 1)%Z with (a + Z.of_nat (length t))%Z by lia.
        rewrite whole_plus, whole_mult. ring.
      + intros j Hj. rewrite Hf by (rewrite app_length; lia). apply app_nth1. exact Hj.
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
Lemma count_one s t : count_in [s] 0 t = Z.of_nat (length (filter (N.eqb s) t)).
Proof.
  induction t as [|a t IH]; [reflexivity|]. cbn [count_in begins length pred filter].
  rewrite andb_true_r. destruct (s =? a)%N; cbn [length]; rewrite IH; lia.
Qed.

(** * The clause *)
Section Clause.
  Context {sc : scene} {un : unknowns}.
  Import Scene.
  Notation members := (map members_of pieces).

  Definition reads_in (back : bool) (i : N) (digits : list symbol) (symbols : list symbol) : bool :=
    has_base i digits back &&
    forallb (fun s => match place_in digits s with Some d => (worth (system_at i) s =? d)%Z
      | None => false end) symbols.
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
    | Spelled j => number_of_part (fun i => reads_in false i (nth j members [])) j
    | Backwards j => number_of_part (fun i => reads_in true i (nth j members [])) j
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

  Context {un_ok : unknowns_ok un}.
  Variable digits : list symbol.
  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Notation weight := (weight system_at parts).
  Notation meaning := (meaning system_at low class_of label_at told_at parts).
  Local Open Scope Qc_scope.

  Lemma piece_part j : (j < length pieces)%nat -> matches (piece j) (nth j parts []) /\
    nth_error parts j = Some (nth j parts []).
  Proof.
    intros Hj. apply (each_pair _ _ _ _ _ parts_ok). exact Hj.
  Qed.
  Lemma part_symbol_at j k : (j < length pieces)%nat -> (k < length (nth j parts []))%nat ->
    row_symbol (concat parts) (Z.to_nat (Z.of_nat (offset parts j) + Z.of_nat k)) = nth k (nth j parts []) 0%N.
  Proof.
    intros Hj Hk. unfold row_symbol.
    replace (Z.to_nat (Z.of_nat (offset parts j) + Z.of_nat k)) with (offset parts j + k)%nat by lia.
    apply nth_concat; [apply piece_part; exact Hj | exact Hk].
  Qed.
  Lemma weight_one i X : under (system_at i) = over_ (system_at i) -> weight i X = 1.
  Proof.
    intros H. unfold Unknowns.weight. replace (base system_at i) with 1; [apply power_one|].
    unfold base. rewrite H. field. apply over_nonzero, bases.
  Qed.
  Lemma unit_of_part back i j ds : (j < length pieces)%nat -> has_base i ds back = true ->
    part_unit system_at parts i (N.of_nat j) = weight i
      (unit_column back (Z.of_nat (offset parts j)) (length (nth j parts []))).
  Proof.
    intros Hj H. apply has_base_is in H as [Hu Ho]. destruct (piece_part j Hj) as [_ Hn]. pose proof (bases i) as Hb.
    unfold part_unit. rewrite Nat2N.id, (offset_next _ _ _ Hn), Nat2Z.inj_add. unfold below_1, unit_column.
    destruct (Z.ltb_spec (over_ (system_at i)) (under (system_at i))), back; try reflexivity; [lia|].
    rewrite !weight_one by lia. reflexivity.
  Qed.
  Lemma part_number_spelled back M i j ds : (j < length pieces)%nat ->
    reads_in back i ds (symbols_of_clause (piece j)) = true ->
    exists z, spells ds (facing back (nth j parts [])) = Some z /\ meaning M (Part_number i (N.of_nat j)) = whole z.
  Proof.
    intros Hj H. unfold reads_in in H. apply andb_true_iff in H as [H Hs]. rewrite forallb_forall in Hs.
    destruct (piece_part j Hj) as [Hm _].
    pose proof (symbols_of_clause_ok _ _ Hm) as Hin.
    destruct (place_in_some ds (facing back (nth j parts []))) as [z Hz].
    { intros s Hsin. apply in_facing in Hsin. specialize (Hs s (Hin s Hsin)).
      destruct (place_in ds s) as [d|] eqn:E; [|discriminate].
      apply place_in_is in E as [Hd <-]. apply nth_In. lia. }
    exists z. split; [exact Hz|].
    pose proof (part_number_ok system_at bases low class_of label_at told_at parts M i (N.of_nat j)) as P.
    unfold part_sum, part_text in P. rewrite Nat2N.id in P.
    rewrite (sum_spells parts i ds back (fun X => row_symbol (concat parts) (Z.to_nat X)) _ H) with (z := z) in P.
    - rewrite (unit_of_part back i j ds Hj H) in P. eapply cancel; [|exact P]. apply weight_nonzero, bases.
    - intros s d Hsin Hd. specialize (Hs s (Hin s Hsin)). rewrite Hd in Hs. apply Z.eqb_eq. exact Hs.
    - intros k Hk. apply part_symbol_at; assumption.
    - exact Hz.
  Qed.
  Lemma sum_counted i one symbols f t : counts i one symbols = true -> (forall s, In s t -> In s symbols) -> forall a,
    (forall k, (k < length t)%nat -> f (a + Z.of_nat k)%Z = nth k t 0%N) ->
    sum a (length t) (fun X => whole (worth (system_at i) (f X)) * weight i X) = whole
      (Z.of_nat (length (filter one t))).
  Proof.
    intros H. unfold counts in H. apply andb_true_iff in H as [Hb Hs]. apply Z.eqb_eq in Hb.
    rewrite forallb_forall in Hs.
    induction t as [|s t IH]; intros Hsub a Hf; [reflexivity|]. cbn [length sum filter]. rewrite IH.
    - pose proof (Hf O ltac:(cbn; lia)) as H0. rewrite Z.add_0_r in H0. rewrite H0. cbn [nth].
      rewrite weight_one by exact Hb.
      specialize (Hs s (Hsub s (or_introl eq_refl))). apply Z.eqb_eq in Hs. rewrite Hs.
      destruct (one s); cbn [length]; [rewrite Nat2Z.inj_succ, <- Z.add_1_l, whole_plus, whole_1 | rewrite whole_0];
        ring.
    - intros u Hu. apply Hsub. right. exact Hu.
    - intros k Hk. replace (a + 1 + Z.of_nat k)%Z with (a + Z.of_nat (S k))%Z by lia. rewrite Hf by (cbn; lia).
      reflexivity.
  Qed.
  Lemma part_number_counted M i j one : (j < length pieces)%nat -> counts i one (symbols_of_clause (piece j)) = true ->
    meaning M (Part_number i (N.of_nat j)) = whole (Z.of_nat (length (filter one (nth j parts [])))).
  Proof.
    intros Hj H. destruct (piece_part j Hj) as [Hm Hn].
    pose proof (part_number_ok system_at bases low class_of label_at told_at parts M i (N.of_nat j)) as P.
    assert (W : forall X, weight i X = 1) by (intros X; apply weight_one; unfold counts in H;
      apply andb_true_iff in H as [H _]; apply Z.eqb_eq; exact H).
    unfold part_sum, part_text, part_unit in P. rewrite Nat2N.id, !W in P.
    replace (if below_1 system_at i then 1 else 1) with 1 in P by (destruct (below_1 system_at i); reflexivity).
    rewrite Qcmult_1_r in P. rewrite P.
    apply (sum_counted i one _ (fun X => row_symbol (concat parts) (Z.to_nat X)) _ H).
    - apply symbols_of_clause_ok. exact Hm.
    - intros k Hk. apply part_symbol_at; assumption.
  Qed.

  Lemma number_of_part_ok M0 M1 good j p : number_of_part good j = Some p ->
    exists i, (j < length pieces)%nat /\ good i (symbols_of_clause (piece j)) = true /\
      value (rho system_at low class_of label_at told_at parts name_at M0 M1) p = meaning M0
        (Part_number i (N.of_nat j)).
  Proof.
    unfold number_of_part. destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate].
    destruct (find _ ids) as [i|] eqn:E; [|discriminate]. apply find_some in E as [_ E]. intros H. exists i.
    split; [exact Hj|]. split; [exact E|]. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M0 M1 _ _ H).
    unfold form_value, term_value, factor_value. cbn [fold_right fst snd]. rewrite whole_1. ring.
  Qed.
  Lemma polynomial_of_ok M0 M1 x : forall p, polynomial_of x = Some p -> exists z,
    evaluate digits members x parts = Some (Number z) /\
    value (rho system_at low class_of label_at told_at parts name_at M0 M1) p = whole z.
  Proof.
    induction x; intros p H; cbn [polynomial_of] in H; try discriminate.
    - injection H as <-. exists z. split; [reflexivity | apply value_constant].
    - apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv).
      destruct (part_number_spelled false M0 k i _ Hj Hg) as (z & Hz & Hm). exists z. cbn [evaluate facing] in *.
      rewrite Hz. split; [reflexivity|]. rewrite Hv, Hm. reflexivity.
    - apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv).
      destruct (part_number_spelled true M0 k i _ Hj Hg) as (z & Hz & Hm). exists z. cbn [evaluate facing] in *.
      rewrite Hz. split; [reflexivity|]. rewrite Hv, Hm. reflexivity.
    - apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv). eexists. split; [reflexivity|].
      rewrite Hv, (part_number_counted M0 k i _ Hj Hg). f_equal. f_equal. clear.
      induction (nth i parts []); cbn; congruence.
    - destruct t as [|s [|? ?]]; try discriminate.
      apply number_of_part_ok with (M0 := M0) (M1 := M1) in H as (k & Hj & Hg & Hv). eexists. split; [reflexivity|].
      rewrite Hv, (part_number_counted M0 k i _ Hj Hg), count_one. reflexivity.
    - destruct (polynomial_of x1) as [a|]; [|discriminate].
      destruct (polynomial_of x2) as [b|]; [|destruct o; discriminate].
      destruct (IHx1 a eq_refl) as (za & Ea & Va). destruct (IHx2 b eq_refl) as (zb & Eb & Vb).
      cbn [evaluate]. rewrite Ea, Eb.
      destruct o; try discriminate; injection H as <-; eexists; (split; [reflexivity|]).
      + rewrite value_plus, Va, Vb, whole_plus. reflexivity.
      + rewrite value_minus, Va, Vb. replace (za - zb)%Z with (za + - zb)%Z by lia. rewrite whole_plus, whole_opp. ring.
      + rewrite value_product, Va, Vb, whole_mult. reflexivity.
  Qed.
End Clause.
