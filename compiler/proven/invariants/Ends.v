(** (V12), the end: where the last column of a result lies, or its first. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Polynomials Sums Unknowns Facts
  Values Findings Expressions Stretches Texts.
Import ListNotations.

Definition unit : Type := list (N * Z).               (* where a column lies: a part, and the columns after its first *)
Definition unit_eqb : unit -> unit -> bool := list_eqb (fun x y => (fst x =? fst y)%N && (snd x =? snd y)%Z).
Lemma unit_eqb_eq a b : unit_eqb a b = true -> a = b.
Proof.
  apply list_eqb_eq. intros [x1 x2] [y1 y2] E. cbn in E. apply andb_true_iff in E as [E1 E2].
  apply N.eqb_eq in E1. apply Z.eqb_eq in E2. congruence.
Qed.

Section Ends.
  Context {sc : scene} {un : unknowns} {fi : findings} {ra : row_aim} {rl : row_levels}.
  Import Scene.
  Variable units : list unit.

  Definition unit_bit (i : nat) : N := (count + N.of_nat i)%N.
  Definition numbered_units : list (nat * unit) := combine (seq 0 (length units)) units.
  Definition has_unit (mask : N) (u : unit) : bool :=
    existsb (fun iu => unit_eqb u (snd iu) && N.testbit mask (unit_bit (fst iu))) numbered_units.
  Definition units_in (mask : N) : list unit :=
    map snd (filter (fun iu => N.testbit mask (unit_bit (fst iu))) numbered_units).
  Lemma has_unit_in mask u : has_unit mask u = true -> forall mask',
    (forall v, N.testbit mask v = true -> N.testbit mask' v = true) ->
    In u (units_in mask').
  Proof.
    intros H mask' Hm. apply existsb_exists in H as ([i u'] & Hin & E). cbn [fst snd] in E.
    apply andb_true_iff in E as [E1 E2].
    apply unit_eqb_eq in E1. subst u'. unfold units_in. apply in_map_iff. exists (i, u). split; [reflexivity|].
    apply filter_In. split; [exact Hin | apply Hm; exact E2].
  Qed.

  (** The column at one end of a result, its last or else its first: where it lies, by its neighbour outside. *)
  Variable last : bool.
  Definition lies_beside (t neighbour : told) : unit :=
    if last then lies_at pieces None t (Some (in_part neighbour)) else lies_at pieces (Some (in_part neighbour)) t None.
  (** What a gram shows of it. *)
  Definition unit_of (g : gram) : option unit :=
    let '(sd, K, x, w) := g in
    let '(here, next) := (told_at (place_of (label_at x)), coarse_told (head_of w)) in
    match Bool.eqb sd last, level_at sd K (coarse_at x), level_at sd K (head_of w) with
    | true, Stretch, Nothing_more => Some (lies_beside here next)
    | false, (Later | Perhaps_later), Stretch => Some (lies_beside next here)
    | _, _, _ => None
    end.
  Definition units_ok : bool :=
    forallb (fun g => match unit_of g with
                      | Some u => let '(sd, K, x, _) := g in has_unit (reach sd K (coarse_at x)) u
                      | None => true
                      end) (s_grams e).
  Definition end_units (el : Strips.element) (read : symbol) : list unit :=
    let '(p, _, y, c, l, r) := el in
    let '(K, here) := (kind_of p, told_at (place_of (label_at c))) in
    let '(outer, inner) := if last then (head_of r, head_of l) else (head_of l, head_of r) in
    if negb (is_over (level_at last K outer)) then units_in (reach last K outer)
    else if shows_symbol (head_cells y c read) then
      [lies_at pieces (Some (in_part (coarse_told (head_of l)))) here (Some (in_part (coarse_told (head_of r))))]
    else match level_at (negb last) K inner with
         | Stretch => [lies_beside (coarse_told inner) here]
         | _ => units_in (reach (negb last) K inner)
         end.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis all_levels : levels_ok = true.
  Hypothesis all_units : units_ok = true.

  Section At.
    Context {parts : list (list symbol)} {p q : state} {x y : Z} {w : world} {lab : Z -> N} {lo : Z} {m : nat}.
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Hypothesis now : present parts p q x y w lab lo m.
    Notation symbol_column := (@symbol_column _ _ w).
    Notation blank_column := (@blank_column w).
    Notation level_of := (@level_of _ _ p x lab).
    Notation column := (@column x).
    Notation el := (here (s_d e) coarse_at p q x y lab).
    Hypothesis known : levels_known (p := p) (x := x) (lab := lab).

    Definition at_unit (b : Z) (u : unit) : Prop := forall k d, In (k, d) u ->
      b = (Z.of_nat (offset parts (N.to_nat k)) + d)%Z.
    Lemma told_true X : X <> x -> true_place parts X (coarse_told (coarse_at (lab X))).
    Proof. apply (coarse_told_here parts p q x y w lab X (inside_strip now) (places now)). Qed.
    Lemma unit_true jl t jr b : true_place parts b t -> (forall j, jl = Some j -> j = part_here parts (b - 1)) ->
      (forall j, jr = Some j -> j = part_here parts (b + 1)) -> at_unit b (lies_at pieces jl t jr).
    Proof. intros H1 H2 H3 k d Hin. eapply lies_at_ok; eauto. Qed.
    Lemma beside_true b t t' : true_place parts b t -> true_place parts (b + sg last) t' ->
      at_unit b (lies_beside t t').
    Proof.
      intros Ht [Hp _]. unfold lies_beside. destruct last; apply unit_true; try exact Ht; try discriminate; intros j E;
        injection E as <-; exact Hp.
    Qed.
    (** What a gram beside the head shows is known at the head. *)
    Lemma unit_known sd i u : (1 <= i)%nat ->
      unit_of (sd, kind_of p, lab (column sd i), near coarse_at (S (s_d e)) (sg sd) lab (column sd i)) = Some u ->
      In u (units_in (reach sd (kind_of p) (coarse_at (lab (x + sg sd)%Z)))).
    Proof.
      intros Hi E. assert (Hb : (0 < sg sd * (column sd i - x))%Z) by (unfold Stretches.column; destruct sd; unfold sg;
        lia).
      pose proof all_units as Hu. unfold units_ok in Hu. rewrite forallb_forall in Hu.
      specialize (Hu _ (grams_here _ _ _ _ _ _ sd _ (inside_strip now) Hb)).
      rewrite E in Hu. eapply has_unit_in; [exact Hu|]. intros v Hv.
      exact (reach_nearer _ _ _ _ _ _ _ _ _ (inside_strip now) Hb Hv).
    Qed.
    Lemma next_column sd i : (column sd i + sg sd)%Z = column sd (S i).
    Proof. unfold Stretches.column. destruct sd; unfold sg; lia. Qed.
    Lemma over_is_blank sd i : (1 <= i)%nat -> is_over (level_of sd 1) = true -> blank_column (column sd i).
    Proof.
      intros Hi H. assert (G : forall k, is_over (level_of sd (S k)) = true).
      { induction k as [|k IH]; [exact H|]. pose proof (column_level all_levels now sd (S k) ltac:(lia)) as C.
        destruct (level_of sd (S k)); try discriminate. rewrite (proj2 C). reflexivity. }
      pose proof (column_level all_levels now sd i Hi) as C. specialize (G (pred i)).
      replace (S (pred i)) with i in G by lia.
      destruct (level_of sd i); try discriminate. apply C.
    Qed.

    (** The column at the end of a result: all are blank from the next one on. *)
    Theorem end_units_ok perhaps c : text_ok perhaps el (w x y) = true -> symbol_column c ->
      (forall X, (0 < sg last * (X - c))%Z -> blank_column X) -> exists u, In u (end_units el (w x y)) /\ at_unit c u.
    Proof.
      intros Hok Hc Hbeyond. unfold text_ok, here in Hok. cbn [near head_of] in Hok.
      apply andb_true_iff in Hok as [Hok _].
      set (cells := head_cells _ _ _) in Hok.
      assert (Known : forall sd i, (1 <= i)%nat -> is_known (level_of sd i) = true) by (intros sd;
        apply (known_outwards all_levels now), known).
      assert (Never : forall X, symbol_column X -> (0 < sg last * (X - c))%Z -> False) by (intros X Hs HX;
        exact (not_both _ Hs (Hbeyond X HX))).
      assert (Outer : (if last then coarse_at (lab (x + 1)%Z) else coarse_at (lab (x + -1)%Z)) = coarse_at
        (lab (x + sg last)%Z)) by (destruct last; reflexivity).
      assert (Inner : (if last then coarse_at (lab (x + -1)%Z) else coarse_at (lab (x + 1)%Z)) = coarse_at
        (lab (x + sg (negb last))%Z)) by (destruct last; reflexivity).
      assert (E : end_units el (w x y) =
        if negb (is_over (level_of last 1)) then units_in (reach last (kind_of p) (coarse_at (lab (x + sg last)%Z)))
        else if shows_symbol cells then
          [lies_at pieces (Some (in_part (coarse_told (coarse_at (lab (x + -1)%Z)))))
            (told_at (place_of (label_at (lab x)))) (Some (in_part (coarse_told (coarse_at (lab (x + 1)%Z)))))]
        else match level_of (negb last) 1 with
             | Stretch => [lies_beside (coarse_told (coarse_at (lab (x + sg (negb last))%Z)))
               (told_at (place_of (label_at (lab x))))]
             | _ => units_in (reach (negb last) (kind_of p) (coarse_at (lab (x + sg (negb last))%Z)))
             end).
      { unfold end_units, here, Stretches.level_of, Stretches.column. rewrite !Z.mul_1_r. fold cells.
        destruct last; reflexivity. }
      rewrite E. clear E Outer Inner.
      destruct (Z.lt_total 0 (sg last * (c - x))) as [Hfar|[Hat|Hnear]].
      - (* beyond the head *)
        set (i := Z.to_nat (sg last * (c - x))).
        assert (Ec : c = column last i) by (unfold i, Stretches.column; destruct last; unfold sg in *; lia).
        assert (Hi : (1 <= i)%nat) by lia. rewrite Ec in Hc.
        destruct (is_over (level_of last 1)) eqn:Eo; [exfalso; exact (not_both _ Hc (over_is_blank last i Hi Eo))|].
        cbn [negb].
        pose proof (level_of_symbol all_levels now last i Hi (Known last i Hi) Hc) as L1.
        assert (B : blank_column (column last (S i))) by (apply Hbeyond; rewrite <- next_column, <- Ec; destruct last;
          unfold sg; lia).
        pose proof (column_level all_levels now last i Hi) as C. rewrite L1 in C. destruct C as [_ [L2|L2]];
          [|exfalso; exact (level_of_blank all_levels now last (S i) ltac:(lia) B L2)].
        eexists. split.
        + apply (unit_known last i); [exact Hi|]. cbn [unit_of near head_of]. rewrite next_column, Bool.eqb_reflx.
          unfold Stretches.level_of in L1, L2. rewrite L1, L2. reflexivity.
        + rewrite <- Ec. apply beside_true; [apply (places now)|]. rewrite Ec, next_column. apply told_true.
          unfold Stretches.column; destruct last; unfold sg; lia.
      - (* the head's *)
        assert (c = x) by (destruct last; unfold sg in *; lia). subst c.
        assert (Hs : shows_symbol cells = true).
        { destruct (shows_symbol cells) eqn:Es; [reflexivity|]. exfalso. apply andb_true_iff in Hok as [Hb _].
          apply (not_both _ Hc). exact (shows_blank_ok all_levels now _ _ (head_fits now) Hb). }
        rewrite Hs in *. assert (B : blank_column (column last 1)) by (apply Hbeyond; unfold Stretches.column;
          destruct last; unfold sg; lia).
        assert (Eo : is_over (level_of last 1) = true).
        { apply andb_true_iff in Hok as [O1 O2]. pose proof (level_of_blank all_levels now last 1 ltac:(lia) B) as Hn.
          assert (Hb : begins_here (level_of last 1) = true) by (destruct last; assumption).
          destruct (level_of last 1); try discriminate; try reflexivity. congruence. }
        rewrite Eo. cbn [negb]. eexists. split; [left; reflexivity|]. apply unit_true; [apply (places now) | |];
          intros j Ej; injection Ej as <-; apply told_true; lia.
      - (* on the other side of the head *)
        set (i := Z.to_nat (sg (negb last) * (c - x))).
        assert (Ec : c = column (negb last) i) by (unfold i, Stretches.column; destruct last; cbn [negb sg] in *; lia).
        assert (Hi : (1 <= i)%nat) by (unfold i; destruct last; cbn [negb sg] in *; lia). rewrite Ec in Hc.
        pose proof (level_of_symbol all_levels now (negb last) i Hi (Known (negb last) i Hi) Hc) as L1.
        assert (Bx : blank_column x) by (apply Hbeyond; destruct last; unfold sg in *; lia).
        assert (Hs : shows_symbol cells = false).
        { destruct (shows_symbol cells) eqn:Es; [|reflexivity]. exfalso.
          exact (not_both _ (shows_symbol_ok all_levels now _ _ (head_fits now) Es) Bx). }
        rewrite Hs in *. apply andb_true_iff in Hok as [_ Hok].
        assert (Hno : is_over (level_of (negb last) 1) = false).
        { destruct (is_over (level_of (negb last) 1)) eqn:Eo; [|reflexivity]. exfalso.
          exact (not_both _ Hc (over_is_blank _ i Hi Eo)). }
        assert (Eo : is_over (level_of last 1) = true).
        { change (level_at false (kind_of p) (coarse_at (lab (x + -1)%Z))) with (level_of false 1) in Hok.
          change (level_at true (kind_of p) (coarse_at (lab (x + 1)%Z))) with (level_of true 1) in Hok.
          clear - Hok Hno. destruct last; cbn [negb] in Hno; rewrite Hno, ?andb_false_r, ?orb_false_r in Hok;
            cbn [andb orb] in Hok; apply andb_true_iff in Hok as [H1 H2]; assumption. }
        rewrite Eo. cbn [negb].
        assert (Back : forall k, (column (negb last) (S k) + sg last)%Z = column (negb last) k) by (intros k;
          unfold Stretches.column; destruct last; cbn [negb sg]; lia).
        destruct (Nat.eq_dec i 1) as [E1|Hi1].
        + rewrite E1 in *. rewrite L1. eexists. split; [left; reflexivity|]. rewrite Ec.
          replace (x + sg (negb last))%Z with (column (negb last) 1) by (unfold Stretches.column; lia).
          apply beside_true; [apply told_true; unfold Stretches.column; destruct last; cbn [negb sg]; lia|].
          rewrite Back. replace (column (negb last) 0) with x by (unfold Stretches.column; lia). apply (places now).
        + assert (Hp : (1 <= pred i)%nat) by lia. assert (Ei : S (pred i) = i) by lia.
          assert (B : forall k, (1 <= k < i)%nat -> blank_column (column (negb last) k)).
          { intros k Hk. apply Hbeyond. rewrite Ec. unfold Stretches.column. destruct last; cbn [negb sg]; lia. }
          pose proof (column_level all_levels now (negb last) (pred i) Hp) as C. rewrite Ei, L1 in C.
          pose proof (level_of_blank all_levels now (negb last) _ Hp (B (pred i) ltac:(lia))) as Hn.
          pose proof (level_of_blank all_levels now (negb last) _ (le_n 1) (B 1%nat ltac:(lia))) as Hn1.
          assert (HU : exists u, unit_of (negb last, kind_of p, lab (column (negb last) (pred i)),
            near coarse_at (S (s_d e)) (sg (negb last)) lab (column (negb last) (pred i))) = Some u /\ at_unit c u).
          { eexists. split.
            - cbn [unit_of near head_of]. rewrite next_column, Ei.
              replace (Bool.eqb (negb last) last) with false by (destruct last; reflexivity).
              specialize (Known (negb last) (pred i) Hp). unfold Stretches.level_of in *. rewrite L1.
              destruct (level_at (negb last) (kind_of p) (coarse_at (lab (column (negb last) (pred i)))));
                try discriminate; try reflexivity; try (contradiction (Hn eq_refl)).
              destruct C as [_ C]. discriminate.
            - rewrite Ec. apply beside_true; [apply told_true; unfold Stretches.column; destruct last; cbn [negb sg];
                lia|].
              rewrite <- Ei, Back. apply (places now). }
          destruct HU as (u & HU & Hat). exists u. split; [|exact Hat].
          pose proof (unit_known (negb last) (pred i) u Hp HU) as Hin.
          destruct (level_of (negb last) 1); try exact Hin. congruence.
    Qed.
  End At.
End Ends.
