(** (V13): where the agent halts, the result is the word that the output clause says. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Grid Joint Maps Windows Columns Strips Starts Places Polynomials Elimination Sums Unknowns Facts Values Findings Invariants Output
  ClausePolynomials Stretches Texts Ends Goals Words.
Import ListNotations.

(** A part, perhaps backwards, or a text. *)
Definition word_piece : Type := ((nat * bool) + list symbol)%type.
Fixpoint pieces_of_word (back : bool) (x : expression) : option (list word_piece) :=
  match x with
  | Part j => Some [inl (j, back)]
  | Letters t => Some [inr (facing back t)]
  | Reverse a => pieces_of_word (negb back) a
  | Join a b =>
      match pieces_of_word back a, pieces_of_word back b with
      | Some a, Some b => Some (if back then b ++ a else a ++ b)
      | _, _ => None
      end
  | _ => None
  end.
Definition text_of_piece (parts : list (list symbol)) (p : word_piece) : list symbol :=
  match p with inl (j, back) => facing back (nth j parts []) | inr t => t end.
Lemma pieces_of_word_ok digits members parts x : forall back ps, pieces_of_word back x = Some ps ->
  exists t, evaluate digits members x parts = Some (Text t) /\ facing back t = concat (map (text_of_piece parts) ps).
Proof.
  induction x; intros back ps H; cbn [pieces_of_word] in H; try discriminate.
  - injection H as <-. eexists. split; [reflexivity|]. cbn. rewrite app_nil_r. reflexivity.
  - injection H as <-. eexists. split; [reflexivity|]. cbn. rewrite app_nil_r. reflexivity.
  - destruct (IHx _ _ H) as (t & Et & Ht). exists (rev t). cbn [evaluate]. rewrite Et. split; [reflexivity|]. rewrite <- Ht.
    destruct back; cbn [facing negb]; [rewrite rev_involutive|]; reflexivity.
  - destruct (pieces_of_word back x1) as [a|] eqn:E1; [|discriminate]. destruct (pieces_of_word back x2) as [b|] eqn:E2; [|discriminate].
    injection H as <-. destruct (IHx1 _ _ E1) as (t1 & Et1 & Ht1). destruct (IHx2 _ _ E2) as (t2 & Et2 & Ht2). exists (t1 ++ t2).
    cbn [evaluate]. rewrite Et1, Et2. split; [reflexivity|]. destruct back; rewrite map_app, concat_app, <- Ht1, <- Ht2; cbn [facing]; [apply rev_app_distr | reflexivity].
Qed.

(** * The number of a word in a system of whole base, or of an inverse one: from its last column upwards, or from its first *)
Section Numbers.
  Context {un : unknowns} {un_ok : unknowns_ok un}.
  Variable parts : list (list symbol).
  Local Open Scope Qc_scope.
  Notation weight := (weight system_at parts).
  Definition radix_of (back : bool) (i : N) : Z := if back then under (system_at i) else over_ (system_at i).
  Definition has_radix (back : bool) (i : N) (R : Z) : bool :=
    (1 <? R)%Z && (under (system_at i) =? if back then R else 1)%Z && (over_ (system_at i) =? if back then 1 else R)%Z.
  Lemma has_radix_is back i R : has_radix back i R = true ->
    (1 < R)%Z /\ under (system_at i) = (if back then R else 1%Z) /\ over_ (system_at i) = (if back then 1%Z else R).
  Proof. unfold has_radix. intros H. apply andb_true_iff in H as [H Ho]. apply andb_true_iff in H as [H Hu]. apply Z.ltb_lt in H. apply Z.eqb_eq in Hu, Ho. auto. Qed.
  Lemma weight_up back i R X : has_radix back i R = true ->
    weight i (if back then X + 1 else X)%Z = whole R * weight i (if back then X else X + 1)%Z.
  Proof.
    intros H. apply has_radix_is in H as (_ & Hu & Ho). pose proof (weight_right system_at bases parts i X 1) as W.
    rewrite Hu, Ho in W. change (Z.of_nat 1) with 1%Z in W. cbn [Qcpower] in W. destruct back; rewrite whole_1 in W.
    - transitivity (1 * 1 * weight i (X + 1)); [ring|]. rewrite <- W. ring.
    - transitivity (weight i X * (1 * 1)); [ring|]. rewrite W. ring.
  Qed.
  Lemma weight_up_many back i R X k : has_radix back i R = true ->
    weight i (if back then X + Z.of_nat k else X)%Z = whole (R ^ Z.of_nat k) * weight i (if back then X else X + Z.of_nat k)%Z.
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
    - induction t as [|s t IH]; intros a Hf; [cbn [sum length word_number]; rewrite whole_0; ring|]. cbn [length sum word_number].
      rewrite IH by (intros j Hj; replace (a + 1 + Z.of_nat j)%Z with (a + Z.of_nat (S j))%Z by lia; rewrite Hf by (cbn; lia); reflexivity).
      pose proof (Hf O ltac:(cbn; lia)) as H0. rewrite Z.add_0_r in H0. rewrite H0. cbn [nth].
      pose proof (weight_up true i R a H) as U. cbv beta iota in U. rewrite U, whole_plus, whole_mult. ring.
    - induction t as [|s t IH] using rev_ind; intros a Hf; [cbn [sum length word_number rev]; rewrite whole_0; ring|].
      rewrite app_length. cbn [length]. rewrite sum_app, rev_app_distr. cbn [rev app word_number].
      rewrite IH by (intros j Hj; rewrite Hf by (rewrite app_length; lia); apply app_nth1; exact Hj). cbn [sum].
      rewrite Hf by (rewrite app_length; cbn; lia). rewrite app_nth2, Nat.sub_diag by lia. cbn [nth].
      pose proof (weight_up false i R (a + Z.of_nat (length t) - 1) H) as U. cbv beta iota in U. rewrite U.
      replace (a + Z.of_nat (length t) - 1 + 1)%Z with (a + Z.of_nat (length t))%Z by lia.
      replace (a + Z.of_nat (length t + 1) - 1)%Z with (a + Z.of_nat (length t))%Z by lia. rewrite whole_plus, whole_mult. unfold symbol. ring.
  Qed.
End Numbers.
Lemma word_number_same R d d' t : (forall s, In s t -> d s = d' s) -> word_number R d t = word_number R d' t.
Proof.
  induction t as [|s t IH]; intros H; [reflexivity|]. cbn [word_number]. rewrite (H s (or_introl eq_refl)), IH; [reflexivity|]. intros u Hu. apply H. right. exact Hu.
Qed.

Section WordGoals.
  Context {sc : scene} {un : unknowns} {fi : findings} {ra : row_aim} {rl : row_levels}.
  Import Scene.
  Variable units : list unit.
  Variable digits : list symbol.
  Notation members := (map members_of pieces).
  Notation scale := (scale system_at ids).

  Definition reads_words (back : bool) (symbols : list symbol) (i : N) : bool :=
    has_radix back i (radix_of back i) && are_digits (radix_of back i) (worth (system_at i)) symbols.
  Definition one_name (a : name) : option polynomial := form name_at number [(1%Z, [(false, a)])].
  Section System.
    Variables (back : bool) (i : N).
    Notation R := (radix_of back i).
    Notation digit := (worth (system_at i)).
    (** The number of a piece: of a part, in a system whose lowest column is that of the piece. *)
    Definition own_number (p : word_piece) : option polynomial :=
      match p with
      | inr t => Some (constant (word_number R digit t))
      | inl (j, b) =>
          if Nat.ltb j (length pieces) then
            match find (fun k => has_radix (negb b) k R && forallb (fun s => (worth (system_at k) s =? digit s)%Z) (symbols_of_clause (piece j))) (i :: ids) with
            | Some k => one_name (Part_number k (N.of_nat j))
            | None => None
            end
          else None
      end.
    (** R to its length, as one weight over another. *)
    Definition own_length (p : word_piece) : option (polynomial * polynomial) :=
      match p with
      | inr t => Some (constant (R ^ Z.of_nat (length t)), constant 1)
      | inl (j, _) =>
          match one_name (Part_weight (scale i) (N.of_nat j)), one_name (Part_weight (scale i) (N.of_nat (S j))) with
          | Some first, Some after => Some (if back then (after, first) else (first, after))
          | _, _ => None
          end
      end.
    (** The number of all pieces, over a product of weights. *)
    Fixpoint whole_number (ps : list word_piece) : option (polynomial * polynomial) :=
      match ps with
      | [] => Some ([], constant 1)
      | [p] => match own_number p with Some v => Some (v, constant 1) | None => None end
      | p :: ps =>
          match own_number p, own_length p, whole_number ps with
          | Some v, Some (a, z), Some (u, o) => Some (plus (product v (product z o)) (product a u), product z o)
          | _, _, _ => None
          end
      end.
  End System.
  Definition in_symbols (p : word_piece) : bool :=
    forallb allowed (match p with inl (j, _) => symbols_of_clause (piece j) | inr t => t end).
  (** Nothing but blanks can stand. *)
  Definition empty_here (el : Strips.element) (read : symbol) : bool :=
    let '(p, _, y, c, l, r) := el in
    shows_blank (head_cells y c read) && is_over (level_at false (kind_of p) (head_of l)) && is_over (level_at true (kind_of p) (head_of r)).
  Definition word_ok (back : bool) (x : expression) : bool :=
    match find (reads_words back symbols) ids, pieces_of_word (negb back) x with
    | Some i, Some ps =>
        match whole_number back i ps, form name_at number (row_terms i), one_name (Last_weight (scale i)) with
        | Some (u, o), Some t, Some wt =>
            let g := minus (product o t) (product wt u) in
            forallb in_symbols ps && rows_ok i &&
            at_ends (fun el s => if empty_here el s then goal_ok u el s []
                                 else text_ok false el s && forallb (goal_ok g el s) (end_units units (negb back) el s))
        | _, _, _ => false
        end
    | _, _ => false
    end.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis all_levels : levels_ok = true.
  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Notation weight := (weight system_at parts).
    Notation meaning := (meaning system_at low class_of label_at told_at parts).
    Local Open Scope Qc_scope.

    Section Value.
      Variable M : moment.
      Notation value := (value (rho system_at low class_of label_at told_at parts name_at M M)).
      Lemma one_name_ok a p : one_name a = Some p -> value p = meaning M a.
      Proof.
        intros H. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ H). unfold form_value, term_value, factor_value. cbn [fold_right fst snd]. rewrite whole_1. ring.
      Qed.
      Variables (back : bool) (i : N).
      Notation R := (radix_of back i).
      Notation digit := (worth (system_at i)).
      Hypothesis radix : has_radix back i R = true.
      Notation text := (text_of_piece parts).

      Lemma part_number_word b k j : (j < length pieces)%nat -> has_radix b k R = true ->
        meaning M (Part_number k (N.of_nat j)) = whole (word_number R (worth (system_at k)) (low_first b (nth j parts []))).
      Proof.
        intros Hj H. pose proof (part_number_ok system_at bases low class_of label_at told_at parts M k (N.of_nat j)) as P.
        destruct (piece_part parts parts_ok j Hj) as [_ Hn].
        unfold part_sum, part_text in P. rewrite Nat2N.id in P.
        rewrite (sum_word parts b k R (fun X => row_symbol (concat parts) (Z.to_nat X)) _ H) in P by (intros l Hl; apply part_symbol_at; assumption).
        assert (U : part_unit system_at parts k (N.of_nat j) = weight k (unit_column b (Z.of_nat (offset parts j)) (length (nth j parts [])))).
        { apply has_radix_is in H as (H1 & Hu & Ho). unfold part_unit. rewrite Nat2N.id, (offset_next _ _ _ Hn), Nat2Z.inj_add. unfold below_1, unit_column.
          rewrite Hu, Ho. destruct b; [destruct (Z.ltb_spec 1 R) | destruct (Z.ltb_spec R 1)]; try reflexivity; lia. }
        rewrite U in P. eapply cancel; [|exact P]. apply weight_nonzero, bases.
      Qed.
      Lemma own_number_ok p v : own_number back i p = Some v -> value v = whole (word_number R digit (text p)).
      Proof.
        destruct p as [[j b]|t]; cbn [own_number text_of_piece]; [|intros H; injection H as <-; apply value_constant].
        destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate]. destruct (find _ (i :: ids)) as [k|] eqn:E; [|discriminate].
        apply find_some in E as [_ E]. apply andb_true_iff in E as [Hk Hs]. rewrite forallb_forall in Hs. intros H. rewrite (one_name_ok _ _ H), (part_number_word (negb b) k j Hj Hk).
        f_equal. unfold low_first. rewrite negb_involutive. apply word_number_same. intros s Hin. apply in_facing in Hin. apply Z.eqb_eq, Hs.
        destruct (piece_part parts parts_ok j Hj) as [Hm _]. eapply symbols_of_clause_ok; eassumption.
      Qed.
      Lemma own_length_ok p v a z : own_number back i p = Some v -> own_length back i p = Some (a, z) ->
        value a = whole (R ^ Z.of_nat (length (text p))) * value z /\ value z <> 0.
      Proof.
        destruct p as [[j b]|t]; cbn [own_number own_length text_of_piece]; intros Hv H.
        - destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate]. clear Hv.
          destruct (one_name (Part_weight (scale i) (N.of_nat j))) as [f|] eqn:Ef; [|discriminate].
          destruct (one_name (Part_weight (scale i) (N.of_nat (S j)))) as [l|] eqn:El; [|discriminate].
          apply one_name_ok in Ef, El. cbn [Unknowns.meaning] in Ef, El. rewrite Nat2N.id, scale_weight in Ef, El.
          destruct (piece_part parts parts_ok j Hj) as [_ Hn]. rewrite (offset_next _ _ _ Hn), Nat2Z.inj_add in El. rewrite facing_length.
          pose proof (weight_up_many parts back i R (Z.of_nat (offset parts j)) (length (nth j parts [])) radix) as U.
          destruct back; injection H as <- <-; rewrite Ef, El; (split; [exact U | apply weight_nonzero, bases]).
        - injection H as <- <-. rewrite !value_constant, whole_1. split; [ring | discriminate].
      Qed.
      Lemma whole_number_ok ps : forall u o, whole_number back i ps = Some (u, o) ->
        value u = whole (word_number R digit (concat (map text ps))) * value o /\ value o <> 0.
      Proof.
        induction ps as [|p ps IH]; intros u o H; cbn [whole_number] in H.
        - injection H as <- <-. rewrite value_constant, whole_1. cbn. split; [rewrite whole_0; unfold Polynomials.value; cbn; ring | discriminate].
        - assert (Step : match own_number back i p, own_length back i p, whole_number back i ps with
            | Some v, Some (a, z), Some (u, o) => Some (plus (product v (product z o)) (product a u), product z o) | _, _, _ => None end = Some (u, o) ->
            value u = whole (word_number R digit (concat (map text (p :: ps)))) * value o /\ value o <> 0).
          { clear H. intros H. destruct (own_number back i p) as [v|] eqn:Ev; [|discriminate]. destruct (own_length back i p) as [[a z]|] eqn:El; [|discriminate].
            destruct (whole_number back i ps) as [[u' o']|] eqn:Eu; [|discriminate]. injection H as <- <-.
            destruct (IH _ _ eq_refl) as [Hu Ho]. destruct (own_length_ok _ _ _ _ Ev El) as [Ha Hz]. apply own_number_ok in Ev.
            cbn [map concat]. rewrite value_plus, !value_product, Ev, Ha, Hu, word_number_app, whole_plus, whole_mult. split; [ring|].
            intros E. apply Qcmult_integral in E as [E|E]; auto. }
          destruct ps as [|p' ps]; [|exact (Step H)]. destruct (own_number back i p) as [v|] eqn:Ev; [|discriminate]. injection H as <- <-.
          apply own_number_ok in Ev. rewrite Ev, value_constant, whole_1. cbn [map concat]. rewrite app_nil_r. split; [ring | discriminate].
      Qed.
    End Value.

    Section Halted.
      Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
      Hypothesis now : present parts p q x y w lab lo m.
      Notation el := (here (s_d e) coarse_at p q x y lab).
      Hypothesis Hv : forall last, vanish parts (Moment lo m x w lab last) (polys (node_at el)).
      Hypothesis halted : halts_on p (w x y) = true.

      Lemma empty_here_ok : empty_here el (w x y) = true -> holds_text symbols w y_row 0 0.
      Proof.
        intros H. unfold empty_here, here in H. cbn [near head_of] in H. apply andb_true_iff in H as [H Hr]. apply andb_true_iff in H as [Hh Hl].
        assert (Blank : forall X Y, w X Y = 0%N).
        { intros X. destruct (Z.lt_total X x) as [HX|[->|HX]].
          - pose proof (over_is_blank all_levels now false (Z.to_nat (x - X)) ltac:(lia)) as B.
            replace (Stretches.column false (Z.to_nat (x - X))) with X in B by (unfold Stretches.column, sg; lia).
            apply B. unfold Stretches.level_of, Stretches.column, sg. replace (x + -1 * Z.of_nat 1)%Z with (x + -1)%Z by lia. exact Hl.
          - exact (shows_blank_ok all_levels now _ _ (head_fits now) Hh).
          - pose proof (over_is_blank all_levels now true (Z.to_nat (X - x)) ltac:(lia)) as B.
            replace (Stretches.column true (Z.to_nat (X - x))) with X in B by (unfold Stretches.column, sg; lia).
            apply B. unfold Stretches.level_of, Stretches.column, sg. replace (x + 1 * Z.of_nat 1)%Z with (x + 1)%Z by lia. exact Hr. }
        split; [intros; apply Blank | intros X HX; lia].
      Qed.
      Theorem word_here back ex : units_ok units (negb back) = true -> word_ok back ex = true ->
        exists a len, holds_text symbols w y_row a len /\ evaluate digits members ex parts = Some (Text (text_in w y_row a len)).
      Proof.
        intros all_units H. unfold word_ok in H. destruct (find (reads_words back symbols) ids) as [i|] eqn:Ei; [|discriminate].
        apply find_some in Ei as [_ Hreads]. unfold reads_words in Hreads. apply andb_true_iff in Hreads as [Hradix Hdigits].
        destruct (pieces_of_word (negb back) ex) as [ps|] eqn:Eps; [|discriminate].
        destruct (whole_number back i ps) as [[u o]|] eqn:Eu; [|discriminate]. destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
        destruct (one_name (Last_weight (scale i))) as [wt|] eqn:Ew; [|discriminate].
        apply andb_true_iff in H as [H Hends]. apply andb_true_iff in H as [Hsym Hrow].
        apply (at_ends_ok parts p q x y w lab lo m now _ halted) in Hends. cbv beta in Hends.
        destruct (pieces_of_word_ok digits members parts ex _ _ Eps) as (T & HT & Hface).
        assert (HTin : forall s, In s (concat (map (text_of_piece parts) ps)) -> In s symbols).
        { intros s Hs. apply in_concat in Hs as (l & Hl & Hs). apply in_map_iff in Hl as (pc & <- & Hpc). rewrite forallb_forall in Hsym. specialize (Hsym _ Hpc).
          unfold in_symbols in Hsym. rewrite forallb_forall in Hsym. assert (A : allowed s = true).
          { apply Hsym. destruct pc as [[j b]|l]; cbn [text_of_piece] in Hs; [|exact Hs]. apply in_facing in Hs.
            destruct (Nat.lt_ge_cases j (length pieces)) as [Hj|Hj].
            - destruct (piece_part parts parts_ok j Hj) as [Hm _]. eapply symbols_of_clause_ok; eassumption.
            - rewrite nth_overflow in Hs by (rewrite <- (same_length _ _ _ _ _ parts_ok); exact Hj). contradiction. }
          apply existsb_exists in A as (s' & Hin & E). apply N.eqb_eq in E. rewrite E. exact Hin. }
        assert (Same : forall a len, holds_text symbols w y_row a len ->
          word_number (radix_of back i) (worth (system_at i)) (low_first back (text_in w y_row a len)) =
          word_number (radix_of back i) (worth (system_at i)) (concat (map (text_of_piece parts) ps)) -> text_in w y_row a len = T).
        { intros a len Ht E. apply (word_number_injective _ _ _ Hdigits) in E; [| |exact HTin].
          - rewrite <- Hface in E. unfold low_first in E. destruct back; cbn [negb facing] in E; [exact E|].
            rewrite <- (rev_involutive T), <- E, rev_involutive. reflexivity.
          - intros s Hs. unfold low_first in Hs. apply in_facing in Hs. apply (text_in_symbols _ _ _ _ _ _ Ht Hs). }
        destruct (empty_here el (w x y)) eqn:Eempty.
        - pose proof (empty_here_ok Eempty) as Ht. exists 0%Z, O. split; [exact Ht|]. rewrite HT. do 2 f_equal. symmetry. apply (Same 0%Z O Ht).
          pose proof (goal_zero parts parts_ok p q x y w lab lo m now Hv _ [] x ltac:(intros k d []) Hends) as Hzero.
          destruct (whole_number_ok (Moment lo m x w lab x) back i Hradix ps _ _ Eu) as [Hu Ho]. rewrite Hzero in Hu.
          apply whole_inj. transitivity (whole 0); [unfold low_first; destruct back; reflexivity|]. rewrite whole_0.
          symmetry. symmetry in Hu. apply Qcmult_integral in Hu as [Hu|Hu]; [exact Hu | contradiction].
        - apply andb_true_iff in Hends as [Htext Hgoal]. destruct (text_here all_levels parts_ok now false Htext) as (K & a & len & Ht & Hlen). specialize (Hlen eq_refl).
          set (b := unit_column back a len).
          destruct (end_units_ok units (negb back) all_levels all_units parts_ok now K false b Htext) as (v & Hv1 & Hat).
          { destruct Ht as [Hout Hin]. assert (Hb : (a <= b < a + Z.of_nat len)%Z) by (unfold b, unit_column; destruct back; lia).
            split; [intros Y HY; apply Hout; auto|]. destruct (Hin b Hb) as [Hn Hs]. split; [exact Hn|]. apply existsb_exists. exists (w b y_row). split; [exact Hs | apply N.eqb_refl]. }
          { intros X HX Y. apply Ht. unfold b, unit_column in HX. destruct back; cbn [negb sg] in HX; lia. }
          rewrite forallb_forall in Hgoal. specialize (Hgoal v Hv1).
          pose proof (goal_zero parts parts_ok p q x y w lab lo m now Hv _ v b Hat Hgoal) as Hzero.
          set (M := Moment lo m x w lab b) in *. destruct (whole_number_ok M back i Hradix ps _ _ Eu) as [Hu Ho].
          rewrite value_minus, !value_product, Hu in Hzero. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et), (one_name_ok M _ _ Ew) in Hzero.
          pose proof (row_total parts p q x y w lab lo m b now i Hrow) as RT. fold M in RT. rewrite RT, (row_in_text parts p q x y w lab lo m now i a len Ht) in Hzero.
          cbn [Unknowns.meaning] in Hzero. rewrite scale_weight in Hzero. change (m_last M) with b in Hzero.
          rewrite (sum_word parts back i (radix_of back i) (fun X => w X y_row) _ Hradix) in Hzero by (intros k Hk; apply (text_at w a len k Hk)).
          rewrite text_in_length in Hzero. fold b in Hzero. exists a, len. split; [exact Ht|]. rewrite HT. do 2 f_equal. symmetry. apply (Same a len Ht).
          apply whole_inj. set (n1 := whole (word_number _ _ (low_first back _))) in *. set (n2 := whole (word_number _ _ (concat _))) in *.
          match type of Hzero with ?O * _ - _ = 0 => set (VO := O) in * end.
          apply (cancel _ _ (VO * weight i b)).
          + intros E. apply Qcmult_integral in E as [E|E]; [exact (Ho E) | exact (weight_nonzero system_at bases parts i b E)].
          + transitivity (VO * (n1 * weight i b) - weight i b * (n2 * VO) + n2 * (VO * weight i b)); [ring|]. rewrite Hzero. ring.
      Qed.
    End Halted.
  End Run.
End WordGoals.
