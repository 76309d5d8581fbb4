(** Words as rows of pieces, and their numbers: of parts, of texts, and of every second symbol of a part. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Places Columns Polynomials Sums Unknowns Facts Values Findings Expressions
  ClausePolynomials Words.
Import ListNotations.

(** A part, perhaps backwards; every second symbol of a part, from its first or second on; or a text. *)
Inductive word_piece := Whole (j : nat) (back : bool) | Halved (j : nat) (second : bool)
  | Constant_text (t : list symbol).
Definition halved (second : bool) : list symbol -> list symbol := taken (if second then 1 else 0) 2.
Fixpoint pieces_of_word (back : bool) (x : expression) : option (list word_piece) :=
  match x with
  | Part j => Some [Whole j back]
  | Letters t => Some [Constant_text (facing back t)]
  | Every (Part j) (Constant n) (Constant k) =>
      if negb back && (k =? 2)%Z && ((n =? 1)%Z || (n =? 2)%Z) then Some [Halved j (n =? 2)%Z] else None
  | Reverse a => pieces_of_word (negb back) a
  | Join a b =>
      match pieces_of_word back a, pieces_of_word back b with
      | Some a, Some b => Some (if back then b ++ a else a ++ b)
      | _, _ => None
      end
  | _ => None
  end.
Definition piece_symbols (pieces : list clause) (p : word_piece) : list symbol :=
  match p with Whole j _ | Halved j _ => symbols_of_clause (nth j pieces Nothing) | Constant_text t => t end.
Definition text_of_piece (parts : list (list symbol)) (p : word_piece) : list symbol :=
  match p with
  | Whole j back => facing back (nth j parts [])
  | Halved j second => halved second (nth j parts [])
  | Constant_text t => t
  end.
Lemma pieces_of_word_ok digits members parts x : forall back ps, pieces_of_word back x = Some ps ->
  exists t, evaluate digits members x parts = Some (Text t) /\ facing back t = concat (map (text_of_piece parts) ps).
Proof.
  induction x; intros back ps H; cbn [pieces_of_word] in H; try discriminate.
  - injection H as <-. eexists. split; [reflexivity|]. cbn. rewrite app_nil_r. reflexivity.
  - injection H as <-. eexists. split; [reflexivity|]. cbn. rewrite app_nil_r. reflexivity.
  - destruct (IHx _ _ H) as (t & Et & Ht). exists (rev t). cbn [evaluate]. rewrite Et. split; [reflexivity|].
    rewrite <- Ht.
    destruct back; cbn [facing negb]; [rewrite rev_involutive|]; reflexivity.
  - destruct x1 as [| |j| | | | | | | | | | | | | | | | | ]; try discriminate.
    destruct x2 as [n| | | | | | | | | | | | | | | | | | | ]; try discriminate.
    destruct x3 as [k| | | | | | | | | | | | | | | | | | | ]; try discriminate.
    destruct back; [discriminate|]. cbn [negb andb] in H. destruct (Z.eqb_spec k 2) as [->|]; [|discriminate].
    destruct (Z.eqb_spec n 2) as [->|]; [|destruct (Z.eqb_spec n 1) as [->|]; [|discriminate]]; injection H as <-;
      (eexists; split; [reflexivity|]); cbn [map concat text_of_piece]; rewrite app_nil_r; reflexivity.
  - destruct (pieces_of_word back x1) as [a|] eqn:E1; [|discriminate].
    destruct (pieces_of_word back x2) as [b|] eqn:E2; [|discriminate].
    injection H as <-. destruct (IHx1 _ _ E1) as (t1 & Et1 & Ht1). destruct (IHx2 _ _ E2) as (t2 & Et2 & Ht2).
    exists (t1 ++ t2).
    cbn [evaluate]. rewrite Et1, Et2. split; [reflexivity|].
    destruct back; rewrite map_app, concat_app, <- Ht1, <- Ht2; cbn [facing]; [apply rev_app_distr | reflexivity].
Qed.

(** The halves of a word, by its numbers in a base and in minus this base. *)
Lemma halved_numbers S d t :
  (word_number S d t + word_number (- S) d t = 2 * word_number (S * S) d (halved false t) /\
   word_number S d t - word_number (- S) d t = 2 * S * word_number (S * S) d (halved true t))%Z.
Proof.
  induction t as [|s t [IH0 IH1]]; [cbn; lia|]. change (halved false (s :: t)) with (s :: halved true t).
  change (halved true (s :: t)) with (halved false t).
  cbn [word_number]. split.
  - transitivity (2 * d s + S * (word_number S d t - word_number (- S) d t))%Z; [ring | rewrite IH1; ring].
  - transitivity (S * (word_number S d t + word_number (- S) d t))%Z; [ring | rewrite IH0; ring].
Qed.
Lemma halved_lengths S t : let l := Z.of_nat (length t) in
  (2 * (S * S) ^ Z.of_nat (length (halved false t)) = (S + 1) * S ^ l + - (S - 1) * (- S) ^ l /\
   2 * S * (S * S) ^ Z.of_nat (length (halved true t)) = (S + 1) * S ^ l + (S - 1) * (- S) ^ l)%Z.
Proof.
  cbv zeta. induction t as [|s t [IH0 IH1]];
    [cbn [length halved taken]; change (Z.of_nat 0) with 0%Z; rewrite !Z.pow_0_r; lia|].
  change (halved false (s :: t)) with (s :: halved true t). change (halved true (s :: t)) with (halved false t).
  cbn [length]. rewrite !Nat2Z.inj_succ, !Z.pow_succ_r by lia. split.
  - transitivity (S * (2 * S * (S * S) ^ Z.of_nat (length (halved true t))))%Z; [ring | rewrite IH1; ring].
  - transitivity (S * (2 * (S * S) ^ Z.of_nat (length (halved false t))))%Z; [ring | rewrite IH0; ring].
Qed.
Lemma in_halved second s t : In s (halved second t) -> In s t.
Proof.
  revert second. induction t as [|u t IH]; [contradiction|].
  intros [|]; [|intros [->|H]; [left; reflexivity|]]; try (intros H); right; [exact (IH false H) | exact (IH true H)].
Qed.

(** * The number of a word in a system of whole base, or of an inverse one: from its last column upwards, or from its
    first *)
Section Numbers.
  Context {un : unknowns} {un_ok : unknowns_ok un}.
  Variable parts : list (list symbol).
  Local Open Scope Qc_scope.
  Notation weight := (weight system_at parts).
  Definition radix_of (back : bool) (i : N) : Z := if back then under (system_at i) else over_ (system_at i).
  Definition has_radix (back : bool) (i : N) (R : Z) : bool :=
    (1 <? if back then Z.abs R else R)%Z && (under (system_at i) =? if back then Z.abs R else 1)%Z &&
      (over_ (system_at i) =? if back then Z.sgn R else R)%Z.
  Lemma has_radix_is back i R : has_radix back i R = true ->
    (1 < if back then Z.abs R else R)%Z /\ under (system_at i) = (if back then Z.abs R else 1%Z) /\
      over_ (system_at i) = (if back then Z.sgn R else R).
  Proof. unfold has_radix. intros H. apply andb_true_iff in H as [H Ho]. apply andb_true_iff in H as [H Hu].
  apply Z.ltb_lt in H. apply Z.eqb_eq in Hu, Ho. auto. Qed.
  Lemma weight_up back i R X : has_radix back i R = true ->
    weight i (if back then X + 1 else X)%Z = whole R * weight i (if back then X else X + 1)%Z.
  Proof.
    intros H. apply has_radix_is in H as (H1 & Hu & Ho). pose proof (weight_right system_at bases parts i X 1) as W.
    rewrite Hu, Ho in W. change (Z.of_nat 1) with 1%Z in W. cbn [Qcpower] in W. destruct back.
    - assert (One : whole (Z.sgn R) * whole (Z.sgn R) = 1) by (rewrite <- whole_mult;
        replace (Z.sgn R * Z.sgn R)%Z with 1%Z by lia; apply whole_1).
      assert (Both : whole R = whole (Z.sgn R) * whole (Z.abs R)) by (rewrite <- whole_mult; f_equal; lia).
      transitivity (whole (Z.sgn R) * whole (Z.sgn R) * weight i (X + 1)); [rewrite One; ring|].
      transitivity (whole (Z.sgn R) * (whole (Z.sgn R) * 1 * weight i (X + 1))); [ring|]. rewrite <- W, Both. ring.
    - rewrite whole_1 in W. transitivity (weight i X * (1 * 1)); [ring|]. rewrite W. ring.
  Qed.
  Lemma weight_up_many back i R X k : has_radix back i R = true ->
    weight i (if back then X + Z.of_nat k else X)%Z = whole (R ^ Z.of_nat k) * weight i (if back then X
      else X + Z.of_nat k)%Z.
  Proof.
    intros H. induction k as [|k IH].
    - change (R ^ Z.of_nat 0)%Z with 1%Z. rewrite whole_1, Z.add_0_r. destruct back; ring.
    - rewrite Nat2Z.inj_succ, Z.pow_succ_r, whole_mult by lia. pose proof (weight_up back i R (X + Z.of_nat k) H) as U.
      replace (X + Z.succ (Z.of_nat k))%Z with (X + Z.of_nat k + 1)%Z by lia. destruct back.
      + rewrite U, IH. ring.
      + rewrite IH, U. ring.
  Qed.
  Definition low_first (back : bool) (t : list symbol) : list symbol := facing (negb back) t.
  Lemma sum_word back i R (f : Z -> symbol) t : has_radix back i R = true ->
    forall a, (forall j, (j < length t)%nat -> f (a + Z.of_nat j)%Z = nth j t 0%N) ->
    sum a (length t) (fun X => whole (worth (system_at i) (f X)) * weight i X) =
    whole (word_number R (worth (system_at i)) (low_first back t)) * weight i (unit_column back a (length t)).
  Proof.
    intros H. unfold low_first. destruct back; cbn [facing negb unit_column].
    - induction t as [|s t IH]; intros a Hf; [cbn [sum length word_number]; rewrite whole_0; ring|].
      cbn [length sum word_number].
      rewrite IH by (intros j Hj; replace (a + 1 + Z.of_nat j)%Z with (a + Z.of_nat (S j))%Z by lia;
        rewrite Hf by (cbn; lia); reflexivity).
      pose proof (Hf O ltac:(cbn; lia)) as H0. rewrite Z.add_0_r in H0. rewrite H0. cbn [nth].
      pose proof (weight_up true i R a H) as U. cbv beta iota in U. rewrite U, whole_plus, whole_mult. ring.
    - induction t as [|s t IH] using rev_ind; intros a Hf; [cbn [sum length word_number rev]; rewrite whole_0; ring|].
      rewrite app_length. cbn [length]. rewrite sum_app, rev_app_distr. cbn [rev app word_number].
      rewrite IH by (intros j Hj; rewrite Hf by (rewrite app_length; lia); apply app_nth1; exact Hj). cbn [sum].
      rewrite Hf by (rewrite app_length; cbn; lia). rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
      pose proof (weight_up false i R (a + Z.of_nat (length t) - 1) H) as U. cbv beta iota in U. rewrite U.
      replace (a + Z.of_nat (length t) - 1 + 1)%Z with (a + Z.of_nat (length t))%Z by lia.
      replace (a + Z.of_nat (length t + 1) - 1)%Z with (a + Z.of_nat (length t))%Z by lia.
      rewrite whole_plus, whole_mult. unfold symbol. ring.
  Qed.
End Numbers.
Lemma word_number_same R d d' t : (forall s, In s t -> d s = d' s) -> word_number R d t = word_number R d' t.
Proof.
  induction t as [|s t IH]; intros H; [reflexivity|]. cbn [word_number].
  rewrite (H s (or_introl eq_refl)), IH; [reflexivity|]. intros u Hu. apply H. right. exact Hu.
Qed.
