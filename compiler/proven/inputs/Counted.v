(** What counters say of numbers and conditions, and what is counted for them. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Maps Windows Machines Counters.
Import ListNotations.
Local Open Scope Z_scope.

Definition expression_eq_dec (a b : expression) : {a = b} + {a <> b}.
Proof.
  assert (symbols : forall s t : list symbol, {s = t} + {s <> t}) by (apply list_eq_dec, N.eq_dec).
  decide equality; try apply Z.eq_dec; try apply Nat.eq_dec; try apply N.eq_dec; try apply symbols;
    try (decide equality; fail);
    apply list_eq_dec; intros [x y] [x' y']; decide equality; try apply N.eq_dec; decide equality.
Defined.

Section Counted.
  Variables (bound period : Z) (digits : list symbol) (members : list (list symbol)).
  Hypothesis positive : 0 < period.
  Hypothesis not_negative : 0 <= bound.
  Definition counters : Type := list (expression * counter).
  Definition advance (A : counters) (i : nat) (s : symbol) : counters :=
    map (fun qc => (fst qc, if Nat.eqb (part_of (fst qc)) i then
      count_on bound period digits members (fst qc) (snd qc) s else snd qc)) A.

  Fixpoint number (A : counters) (e : expression) : option kept :=
    match e with
    | Constant z => if 0 <=? z then Some (Exactly, z) else None
    | Operation o a b => match number A a, number A b with Some x, Some y => operate_kept period o x y
      | _, _ => None end
    | _ => match find (fun qc => if expression_eq_dec e (fst qc) then true else false) A with Some (_, c) => counted c
      | None => None end
    end.
  Fixpoint condition (A : counters) (e : expression) : option bool :=
    match e with
    | Comparison c a b => match number A a, number A b with Some x, Some y => compare_kept bound c x y
      | _, _ => None end
    | And a b => match condition A a, condition A b with Some x, Some y => Some (x && y) | _, _ => None end
    | Either a b => match condition A a, condition A b with Some x, Some y => Some (x || y) | _, _ => None end
    | Not a => option_map negb (condition A a)
    | If c a b => match condition A c with Some true => condition A a | Some false => condition A b | None => None end
    | _ => None
    end.

  Section True.
    Variables (parts : list (list symbol)) (A : counters).
    Notation value e := (evaluate digits members e parts).
    Hypothesis all_true : forall q c, In (q, c) A -> tracks bound period digits members q c (nth (part_of q) parts []).

    Lemma number_ok e : forall k, number A e = Some k -> exists z, value e = Some (Number z) /\ knows bound period k z.
    Proof.
      assert (Q : forall e k, match find (fun qc => if expression_eq_dec e (fst qc) then true else false) A with Some
        (_, c) => counted c | None => None end = Some k ->
        exists z, value e = Some (Number z) /\ knows bound period k z).
      { intros q k H. destruct (find _ A) as [[q' c]|] eqn:F; [|discriminate]. apply find_some in F as [Hin F].
        cbn [fst] in F.
        destruct (expression_eq_dec q q') as [->|]; [|discriminate].
        eapply counted_ok; [apply all_true; exact Hin | exact H]. }
      induction e; intros k H; try (exact (Q _ k H)).
      - cbn [number] in H. destruct (Z.leb_spec 0 z); [|discriminate]. injection H as <-. exists z.
        repeat split; assumption.
      - cbn [number] in H. destruct (number A e1) as [x|]; [|discriminate].
        destruct (number A e2) as [y|]; [|discriminate].
        destruct (IHe1 x eq_refl) as (u & Eu & Ku). destruct (IHe2 y eq_refl) as (v & Ev & Kv).
        destruct (operate_kept_ok _ _ _ _ _ _ _ _ Ku Kv H) as (z & Ez & Kz). exists z. cbn [evaluate].
        rewrite Eu, Ev, Ez. split; [reflexivity | exact Kz].
    Qed.
    Lemma condition_ok e : forall b, condition A e = Some b -> value e = Some (Truth b).
    Proof.
      induction e; intros truth H; cbn [condition] in H; try discriminate.
      - destruct (number A e1) as [x|] eqn:E1; [|discriminate]. destruct (number A e2) as [y|] eqn:E2; [|discriminate].
        apply number_ok in E1 as (u & Eu & Ku). apply number_ok in E2 as (v & Ev & Kv). cbn [evaluate]. rewrite Eu, Ev.
        cbn [compared].
        rewrite (compare_kept_ok _ _ _ _ _ _ _ _ Ku Kv H). destruct c; reflexivity.
      - destruct (condition A e1) as [x|]; [|discriminate]. destruct (condition A e2) as [y|]; [|discriminate].
        injection H as <-.
        cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct x; reflexivity.
      - destruct (condition A e1) as [x|]; [|discriminate]. destruct (condition A e2) as [y|]; [|discriminate].
        injection H as <-.
        cbn [evaluate]. rewrite (IHe1 _ eq_refl), (IHe2 _ eq_refl). destruct x; reflexivity.
      - destruct (condition A e) as [x|]; [|discriminate]. injection H as <-. cbn [evaluate]. rewrite (IHe _ eq_refl).
        reflexivity.
      - destruct (condition A e1) as [[]|] eqn:E; [| |discriminate]; cbn [evaluate]; rewrite (IHe1 _ eq_refl); auto.
    Qed.
  End True.

  Lemma read_tracks : forall parts i A (f : nat -> list symbol),
    (forall q c, In (q, c) A -> tracks bound period digits members q c (f (part_of q))) ->
    forall q c, In (q, c) (read_parts advance A i parts) ->
    tracks bound period digits members q c (f (part_of q) ++ if Nat.leb i (part_of q) then nth (part_of q - i) parts []
      else []).
  Proof.
    induction parts as [|u us IH]; intros i A f Hf q c Hin; cbn [read_parts] in Hin.
    - replace (if Nat.leb i (part_of q) then nth (part_of q - i) [] [] else []) with (@nil symbol).
      + rewrite app_nil_r. apply Hf. exact Hin.
      + destruct (Nat.leb i (part_of q)), (part_of q - i)%nat; reflexivity.
    - assert (U : forall u A f, (forall q c, In (q, c) A -> tracks bound period digits members q c (f (part_of q))) ->
        forall q c, In (q, c) (fold_left (fun a s => advance a i s) u A) ->
        tracks bound period digits members q c (f (part_of q) ++ if Nat.eqb (part_of q) i then u else [])).
      { clear - positive not_negative. induction u as [|s u IHu]; intros A f Hf q c Hin; cbn [fold_left] in Hin.
        - destruct (Nat.eqb _ _); rewrite app_nil_r; apply Hf; exact Hin.
        - apply (IHu (advance A i s) (fun j => f j ++ if Nat.eqb j i then [s] else [])) in Hin.
          + destruct (Nat.eqb (part_of q) i); rewrite <- app_assoc in Hin; exact Hin.
          + intros q' c' H'. unfold advance in H'. apply in_map_iff in H' as ([q0 c0] & E & H0). cbn [fst snd] in E.
            injection E as <- <-.
            destruct (Nat.eqb (part_of q0) i); [apply count_on_tracks; auto | rewrite app_nil_r; auto]. }
      apply (IH (S i) _ (fun j => f j ++ if Nat.eqb j i then u else [])) in Hin;
        [|intros q' c' H'; apply (U u A f Hf); exact H'].
      rewrite <- app_assoc in Hin. replace (if Nat.leb i (part_of q) then _ else _) with
        ((if Nat.eqb (part_of q) i then u else []) ++ (if Nat.leb (S i) (part_of q) then nth (part_of q - S i) us []
          else [])); [exact Hin|].
      destruct (Nat.eqb_spec (part_of q) i) as [->|N].
      + rewrite Nat.leb_refl, Nat.sub_diag. replace (Nat.leb (S i) i) with false by (symmetry; apply Nat.leb_gt; lia).
        apply app_nil_r.
      + destruct (Nat.leb_spec (S i) (part_of q)), (Nat.leb_spec i (part_of q)); try lia; [|reflexivity].
        replace (part_of q - i)%nat with (S (part_of q - S i)) by lia. reflexivity.
  Qed.
End Counted.

(** * What a clause counts, and compares with; this need not be believed *)
Fixpoint operands (e : expression) : list expression :=
  match e with
  | Spelled _ | Length _ | Count _ _ | Calculated _ _ => [e]
  | Written a | Not a => operands a
  | Operation _ a b | Comparison _ a b | And a b | Either a b => operands a ++ operands b
  | If c a b => operands c ++ operands a ++ operands b
  | _ => []
  end.
Definition quantities_of (e : expression) : list expression := nodup expression_eq_dec (operands e).
Fixpoint period_of (e : expression) : Z :=
  match e with
  | Operation Mod a (Constant d) => Z.lcm (period_of a) (if 0 <? d then d else 1)
  | Written a | Not a => period_of a
  | Operation _ a b | Comparison _ a b | And a b | Either a b => Z.lcm (period_of a) (period_of b)
  | If c a b => Z.lcm (period_of c) (Z.lcm (period_of a) (period_of b))
  | _ => 1
  end.
Definition beyond (e : expression) : Z := match e with Constant z => z + 1 | _ => 1 end.
Fixpoint bound_of (e : expression) : Z :=
  match e with
  | Comparison _ a b => Z.max (beyond a) (beyond b)
  | Not a => bound_of a
  | And a b | Either a b => Z.max (bound_of a) (bound_of b)
  | If c a b => Z.max (bound_of c) (Z.max (bound_of a) (bound_of b))
  | _ => 1
  end.
Definition counter_hash (h : N) (c : counter) : N :=
  match c with
  | Kept z => mix h (zn z)
  | Found z r => mix (mix h (zn z)) (N.of_nat (length r))
  | Summed (a, b, _, n) => mix (mix (mix h (zn a)) (zn b)) (match n with Some n => zn n | None => 1 end)%N
  | Lost => mix h 1
  end.

Definition counter_eq_dec (a b : counter) : {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition counters_eq_dec (a b : counters) : {a = b} + {a <> b}.
Proof. apply list_eq_dec. intros [x c] [x' c']. decide equality; [apply counter_eq_dec | apply expression_eq_dec].
Defined.
