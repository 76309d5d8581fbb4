(** (V13): where the agent halts, the result is the word that the output clause says. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Starts Places Polynomials Elimination Sums
  Unknowns Facts Values Findings Expressions Invariants
  ClausePolynomials Stretches Texts Ends Goals Words WordNumbers.
Import ListNotations.

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
    (** A system of a base, or of its inverse, in which the symbols of a part are worth the same. *)
    Definition agrees (b : bool) (r : Z) (j : nat) (k : N) : bool :=
      has_radix b k r && forallb (fun s => (worth (system_at k) s =? digit s)%Z) (symbols_of_clause (piece j)).
    Definition agreeing (b : bool) (r : Z) (j : nat) : option N :=
      if Nat.ltb j (length pieces) then find (agrees b r j) (i :: ids) else None.
    (** Of inverse bases, those of both roots of R. *)
    Definition root : Z := Z.sqrt R.
    Definition roots (j : nat) : option (N * N) :=
      if back && (root * root =? R)%Z then
        match agreeing true root j, agreeing true (- root) j with Some k, Some l => Some (k, l) | _, _ => None end
      else None.
    Definition share (second : bool) : Z := if second then 2 * root else 2.
    (** The number of a piece, times a constant: of a part, in a system whose lowest column is that of the piece. *)
    Definition own_number (p : word_piece) : option (polynomial * Z) :=
      match p with
      | Constant_text t => Some (constant (word_number R digit t), 1%Z)
      | Whole j b => match agreeing (negb b) R j with Some k => option_map (fun v => (v, 1%Z))
        (one_name (Part_number k (N.of_nat j))) | None => None end
      | Halved j second =>
          match roots j with
          | Some (k, l) =>
              match one_name (Part_number k (N.of_nat j)), one_name (Part_number l (N.of_nat j)) with
              | Some v, Some v' => Some (if second then minus v v' else plus v v', share second)
              | _, _ => None
              end
          | None => None
          end
      end.
    (** The weights of the first column of a part, and of the one behind it. *)
    Definition ends_of_part (k : N) (j : nat) : option (polynomial * polynomial) :=
      match one_name (Part_weight (scale k) (N.of_nat j)), one_name (Part_weight (scale k) (N.of_nat (S j))) with
      | Some first, Some after => Some (first, after)
      | _, _ => None
      end.
    (** R to its length, over weights. *)
    Definition own_length (p : word_piece) : option (polynomial * polynomial) :=
      match p with
      | Constant_text t => Some (constant (R ^ Z.of_nat (length t)), constant 1)
      | Whole j _ => match ends_of_part i j with Some (first, after) => Some (if back then (after, first)
        else (first, after)) | None => None end
      | Halved j second =>
          match roots j with
          | Some (k, l) =>
              match ends_of_part k j, ends_of_part l j with
              | Some (f, a), Some (f', a') =>
                  Some (plus (product (constant (root + 1)) (product a f'))
                    (product (constant (if second then root - 1 else - (root - 1))) (product a' f)),
                        product (constant (share second)) (product f f'))
              | _, _ => None
              end
          | None => None
          end
      end.
    (** The number of all pieces, over a product of weights. *)
    Fixpoint whole_number (ps : list word_piece) : option (polynomial * polynomial) :=
      match ps with
      | [] => Some ([], constant 1)
      | [p] => match own_number p with Some (v, c) => Some (v, constant c) | None => None end
      | p :: ps =>
          match own_number p, own_length p, whole_number ps with
          | Some (v, c), Some (a, z), Some (u, o) =>
              Some (plus (product v (product z o)) (product (constant c) (product a u)),
                product (constant c) (product z o))
          | _, _, _ => None
          end
      end.
  End System.
  Definition in_symbols (p : word_piece) : bool :=
    forallb allowed (piece_symbols pieces p).
  (** Nothing but blanks can stand. *)
  Definition empty_here (el : Strips.element) (read : symbol) : bool :=
    let '(p, _, y, c, l, r) := el in
    shows_blank (head_cells y c read) && is_over (level_at false (kind_of p) (head_of l)) &&
      is_over (level_at true (kind_of p) (head_of r)).
  Definition word_ok (back : bool) (x : expression) : bool :=
    match find (reads_words back symbols) ids, pieces_of_word (negb back) x with
    | Some i, Some ps =>
        match whole_number back i ps, form name_at number (row_terms i), one_name (Last_weight (scale i)) with
        | Some (u, o), Some t, Some wt =>
            let g := minus (product o t) (product wt u) in
            forallb in_symbols ps && rows_ok i &&
            at_ends (fun el s => if empty_here el s then goal_ok [] u el s []
                                 else text_ok false el s &&
                                   forallb (goal_ok [] g el s) (end_units units (negb back) el s))
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
        intros H. rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ H). unfold form_value, term_value, factor_value.
        cbn [fold_right fst snd]. rewrite whole_1. ring.
      Qed.
      Variables (back : bool) (i : N).
      Notation R := (radix_of back i).
      Notation digit := (worth (system_at i)).
      Hypothesis radix : has_radix back i R = true.
      Notation text := (text_of_piece parts).

      Lemma part_number_word b k S j : (j < length pieces)%nat -> has_radix b k S = true ->
        meaning M (Part_number k (N.of_nat j)) = whole
          (word_number S (worth (system_at k)) (low_first b (nth j parts []))).
      Proof.
        intros Hj H. pose proof (part_number_ok system_at bases low class_of label_at told_at parts M k (N.of_nat j)) as
          P.
        destruct (piece_part parts parts_ok j Hj) as [_ Hn].
        unfold part_sum, part_text in P. rewrite Nat2N.id in P.
        rewrite (sum_word parts b k S (fun X => row_symbol (concat parts) (Z.to_nat X)) _ H) in P by (intros l Hl;
          apply part_symbol_at; assumption).
        assert (U : part_unit system_at parts k (N.of_nat j) = weight k
          (unit_column b (Z.of_nat (offset parts j)) (length (nth j parts [])))).
        { apply has_radix_is in H as (H1 & Hu & Ho). unfold part_unit.
          rewrite Nat2N.id, (offset_next _ _ _ Hn), Nat2Z.inj_add. unfold below_1, unit_column.
          rewrite Hu, Ho. destruct b; [destruct (Z.ltb_spec (Z.sgn S) (Z.abs S)) | destruct (Z.ltb_spec S 1)];
            try reflexivity; lia. }
        rewrite U in P. eapply cancel; [|exact P]. apply weight_nonzero, bases.
      Qed.
      (** A part in a system that agrees: its number, and the weights of its ends. *)
      Lemma agreeing_number b r j k : agreeing i b r j = Some k ->
        meaning M (Part_number k (N.of_nat j)) = whole (word_number r digit (low_first b (nth j parts []))).
      Proof.
        unfold agreeing. destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate]. intros H.
        apply find_some in H as [_ H].
        unfold agrees in H. apply andb_true_iff in H as [Hk Hs]. rewrite forallb_forall in Hs.
        rewrite (part_number_word b k r j Hj Hk). f_equal.
        apply word_number_same. intros s Hin. unfold low_first in Hin. apply in_facing in Hin. apply Z.eqb_eq, Hs.
        destruct (piece_part parts parts_ok j Hj) as [Hm _]. eapply symbols_of_clause_ok; eassumption.
      Qed.
      Lemma ends_of_part_ok b k r j f a : has_radix b k r = true -> (j < length pieces)%nat ->
        ends_of_part k j = Some (f, a) ->
        let high := if b then value a else value f in let low_ := if b then value f else value a in
        high = whole (r ^ Z.of_nat (length (nth j parts []))) * low_ /\ low_ <> 0.
      Proof.
        intros Hr Hj H. unfold ends_of_part in H.
        destruct (one_name (Part_weight (scale k) (N.of_nat j))) as [f'|] eqn:Ef; [|discriminate].
        destruct (one_name (Part_weight (scale k) (N.of_nat (S j)))) as [a'|] eqn:Ea; [|discriminate].
        injection H as <- <-.
        apply one_name_ok in Ef, Ea. cbn [Unknowns.meaning] in Ef, Ea. rewrite Nat2N.id, scale_weight in Ef, Ea.
        destruct (piece_part parts parts_ok j Hj) as [_ Hn]. rewrite (offset_next _ _ _ Hn), Nat2Z.inj_add in Ea.
        pose proof (weight_up_many parts b k r (Z.of_nat (offset parts j)) (length (nth j parts [])) Hr) as U.
        destruct b; cbv zeta; rewrite Ef, Ea; (split; [exact U | apply weight_nonzero, bases]).
      Qed.
      Lemma roots_are j k l : roots back i j = Some (k, l) -> (j < length pieces)%nat /\
        (root back i * root back i = R)%Z /\ (1 < root back i)%Z /\
        agreeing i true (root back i) j = Some k /\ agreeing i true (- root back i) j = Some l /\
        has_radix true k (root back i) = true /\ has_radix true l (- root back i) = true.
      Proof.
        unfold roots. destruct back; [|discriminate].
        destruct (Z.eqb_spec (root true i * root true i) (radix_of true i)) as [E|]; [|discriminate].
        destruct (agreeing i true (root true i) j) as [k'|] eqn:Ek; [|discriminate].
        destruct (agreeing i true (- root true i) j) as [l'|] eqn:El; [|discriminate].
        intros H. injection H as <- <-. pose proof Ek as Fk. pose proof El as Fl. unfold agreeing in Fk, Fl.
        destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate].
        apply find_some in Fk as [_ Fk], Fl as [_ Fl].
        unfold agrees in Fk, Fl. apply andb_true_iff in Fk as [Fk _], Fl as [Fl _].
        pose proof (has_radix_is _ _ _ Fk) as (H1 & _).
        pose proof (Z.sqrt_nonneg (radix_of true i)) as H0. fold (root true i) in H0. repeat split; try assumption. lia.
      Qed.
      Lemma share_nonzero second : (1 < root back i)%Z -> whole (share back i second) <> 0.
      Proof. intros H. apply whole_nonzero. unfold share. destruct second; lia. Qed.

      Lemma own_number_ok p v c : own_number back i p = Some (v, c) ->
        value v = whole c * whole (word_number R digit (text p)) /\ whole c <> 0.
      Proof.
        destruct p as [j b|j second|t]; cbn [own_number text_of_piece].
        - destruct (agreeing i (negb b) R j) as [k|] eqn:E; [|discriminate].
          destruct (one_name (Part_number k (N.of_nat j))) as [u|] eqn:Eu; [|discriminate].
          intros H. injection H as <- <-. rewrite (one_name_ok _ _ Eu), (agreeing_number _ _ _ _ E), whole_1.
          unfold low_first. rewrite negb_involutive.
          split; [ring | discriminate].
        - destruct (roots back i j) as [[k l]|] eqn:E; [|discriminate].
          apply roots_are in E as (_ & ER & H1 & Ek & El & _).
          destruct (one_name (Part_number k (N.of_nat j))) as [u|] eqn:Eu; [|discriminate].
          destruct (one_name (Part_number l (N.of_nat j))) as [u'|] eqn:Eu'; [|discriminate].
          intros H. injection H as <- <-. split; [|apply share_nonzero; exact H1].
          apply one_name_ok in Eu, Eu'. rewrite (agreeing_number _ _ _ _ Ek) in Eu.
          rewrite (agreeing_number _ _ _ _ El) in Eu'.
          unfold low_first in Eu, Eu'. cbn [negb facing] in Eu, Eu'.
          destruct (halved_numbers (root back i) digit (nth j parts [])) as [N0 N1]. rewrite ER in N0, N1.
          unfold share. destruct second; [rewrite value_minus | rewrite value_plus]; rewrite Eu, Eu', <- whole_mult,
            <- ?N0, <- ?N1; [|rewrite whole_plus; reflexivity].
          rewrite <- Z.add_opp_r, whole_plus, whole_opp. ring.
        - intros H. injection H as <- <-. rewrite value_constant, whole_1. split; [ring | discriminate].
      Qed.
      Lemma own_length_ok p v c a z : own_number back i p = Some (v, c) -> own_length back i p = Some (a, z) ->
        value a = whole (R ^ Z.of_nat (length (text p))) * value z /\ value z <> 0.
      Proof.
        destruct p as [j b|j second|t]; cbn [own_number own_length text_of_piece]; intros Hv H.
        - unfold agreeing in Hv. destruct (Nat.ltb_spec j (length pieces)) as [Hj|]; [|discriminate]. clear Hv.
          destruct (ends_of_part i j) as [[f l]|] eqn:E; [|discriminate]. rewrite facing_length.
          pose proof (ends_of_part_ok back i R j _ _ radix Hj E) as U. destruct back; injection H as <- <-; exact U.
        - clear Hv. destruct (roots back i j) as [[k l]|] eqn:E; [|discriminate].
          apply roots_are in E as (Hj & ER & H1 & _ & _ & Hk & Hl).
          destruct (ends_of_part k j) as [[f g]|] eqn:Ek; [|discriminate].
          destruct (ends_of_part l j) as [[f' g']|] eqn:El; [|discriminate].
          injection H as <- <-. apply (ends_of_part_ok true _ _ _ _ _ Hk Hj) in Ek as [Eg Hf].
          apply (ends_of_part_ok true _ _ _ _ _ Hl Hj) in El as [Eg' Hf'].
          cbv beta zeta iota in Eg, Hf, Eg', Hf'. destruct (halved_lengths (root back i) (nth j parts [])) as [L0 L1].
          rewrite ER in L0, L1. rewrite value_plus, !value_product, !value_constant, Eg, Eg'.
          set (A := (root back i ^ _)%Z) in *. set (B := ((- root back i) ^ _)%Z) in *. split.
          + transitivity (whole ((root back i + 1) * A + (if second then root back i - 1 else - (root back i - 1)) * B)
              * (value f * value f')); [rewrite (whole_plus (_ * A)), !whole_mult; ring|].
            unfold share, halved in *. destruct second; rewrite <- ?L0, <- ?L1, !whole_mult; ring.
          + intros X. apply Qcmult_integral in X as [X|X]; [exact (share_nonzero second H1 X)|].
            apply Qcmult_integral in X as [X|X]; auto.
        - injection H as <- <-. rewrite !value_constant, whole_1. split; [ring | discriminate].
      Qed.
      Lemma whole_number_ok ps : forall u o, whole_number back i ps = Some (u, o) ->
        value u = whole (word_number R digit (concat (map text ps))) * value o /\ value o <> 0.
      Proof.
        induction ps as [|p ps IH]; intros u o H; cbn [whole_number] in H.
        - injection H as <- <-. rewrite value_constant, whole_1. cbn.
          split; [rewrite whole_0; unfold Polynomials.value; cbn; ring | discriminate].
        - destruct (own_number back i p) as [[v c]|] eqn:Ev; [|destruct ps; discriminate].
          pose proof (own_number_ok _ _ _ Ev) as [Hv Hc].
          destruct ps as [|p' ps].
          + injection H as <- <-. rewrite Hv, value_constant. cbn [map concat]. rewrite app_nil_r.
            split; [ring | exact Hc].
          + destruct (own_length back i p) as [[a z]|] eqn:El; [|discriminate].
            destruct (whole_number back i (p' :: ps)) as [[u' o']|] eqn:Eu; [|discriminate].
            injection H as <- <-. destruct (IH _ _ eq_refl) as [Hu Ho].
            destruct (own_length_ok _ _ _ _ _ Ev El) as [Ha Hz].
            change (concat (map text (p :: p' :: ps))) with (text p ++ concat (map text (p' :: ps))).
            set (rest := concat (map text (p' :: ps))) in *.
            rewrite value_plus, !value_product, value_constant, Hv, Ha, Hu, word_number_app, whole_plus, whole_mult.
            split; [ring|].
            intros E. apply Qcmult_integral in E as [E|E]; [exact (Hc E)|]. apply Qcmult_integral in E as [E|E]; auto.
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
        intros H. unfold empty_here, here in H. cbn [near head_of] in H. apply andb_true_iff in H as [H Hr].
        apply andb_true_iff in H as [Hh Hl].
        assert (Blank : forall X Y, w X Y = 0%N).
        { intros X. destruct (Z.lt_total X x) as [HX|[->|HX]].
          - pose proof (over_is_blank all_levels now false (Z.to_nat (x - X)) ltac:(lia)) as B.
            replace (Stretches.column false (Z.to_nat (x - X))) with X in B by (unfold Stretches.column, sg; lia).
            apply B. unfold Stretches.level_of, Stretches.column, sg.
            replace (x + -1 * Z.of_nat 1)%Z with (x + -1)%Z by lia. exact Hl.
          - exact (shows_blank_ok all_levels now _ _ (head_fits now) Hh).
          - pose proof (over_is_blank all_levels now true (Z.to_nat (X - x)) ltac:(lia)) as B.
            replace (Stretches.column true (Z.to_nat (X - x))) with X in B by (unfold Stretches.column, sg; lia).
            apply B. unfold Stretches.level_of, Stretches.column, sg.
            replace (x + 1 * Z.of_nat 1)%Z with (x + 1)%Z by lia. exact Hr. }
        split; [intros; apply Blank | intros X HX; lia].
      Qed.
      Theorem word_here back ex : units_ok units (negb back) = true -> word_ok back ex = true ->
        exists a len, holds_text symbols w y_row a len /\
          evaluate digits members ex parts = Some (Text (text_in w y_row a len)).
      Proof.
        intros all_units H. unfold word_ok in H.
        destruct (find (reads_words back symbols) ids) as [i|] eqn:Ei; [|discriminate].
        apply find_some in Ei as [_ Hreads]. unfold reads_words in Hreads.
        apply andb_true_iff in Hreads as [Hradix Hdigits].
        destruct (pieces_of_word (negb back) ex) as [ps|] eqn:Eps; [|discriminate].
        destruct (whole_number back i ps) as [[u o]|] eqn:Eu; [|discriminate].
        destruct (form name_at number (row_terms i)) as [t|] eqn:Et; [|discriminate].
        destruct (one_name (Last_weight (scale i))) as [wt|] eqn:Ew; [|discriminate].
        apply andb_true_iff in H as [H Hends]. apply andb_true_iff in H as [Hsym Hrow].
        apply (at_ends_ok parts p q x y w lab lo m now _ halted) in Hends. cbv beta in Hends.
        destruct (pieces_of_word_ok digits members parts ex _ _ Eps) as (T & HT & Hface).
        assert (HTin : forall s, In s (concat (map (text_of_piece parts) ps)) -> In s symbols).
        { intros s Hs. apply in_concat in Hs as (l & Hl & Hs). apply in_map_iff in Hl as (pc & <- & Hpc).
          rewrite forallb_forall in Hsym. specialize (Hsym _ Hpc).
          unfold in_symbols in Hsym. rewrite forallb_forall in Hsym. assert (A : allowed s = true).
          { assert (Of_part : forall j, In s (nth j parts []) -> In s (symbols_of_clause (piece j))).
            { intros j Hin. destruct (Nat.lt_ge_cases j (length pieces)) as [Hj|Hj].
              - destruct (piece_part parts parts_ok j Hj) as [Hm _]. eapply symbols_of_clause_ok; eassumption.
              - rewrite nth_overflow in Hin by (rewrite <- (same_length _ _ _ _ _ parts_ok); exact Hj). contradiction. }
            apply Hsym. destruct pc as [j b|j second|l]; cbn [text_of_piece] in Hs;
              [exact (Of_part j (proj1 (in_facing _ _ _) Hs)) | exact (Of_part j (in_halved _ _ _ Hs)) | exact Hs]. }
          apply existsb_exists in A as (s' & Hin & E). apply N.eqb_eq in E. rewrite E. exact Hin. }
        assert (Same : forall a len, holds_text symbols w y_row a len ->
          word_number (radix_of back i) (worth (system_at i)) (low_first back (text_in w y_row a len)) =
          word_number (radix_of back i) (worth (system_at i)) (concat (map (text_of_piece parts) ps)) ->
            text_in w y_row a len = T).
        { intros a len Ht E. apply (word_number_injective _ _ _ Hdigits) in E; [| |exact HTin].
          - rewrite <- Hface in E. unfold low_first in E. destruct back; cbn [negb facing] in E; [exact E|].
            rewrite <- (rev_involutive T), <- E, rev_involutive. reflexivity.
          - intros s Hs. unfold low_first in Hs. apply in_facing in Hs. apply (text_in_symbols _ _ _ _ _ _ Ht Hs). }
        destruct (empty_here el (w x y)) eqn:Eempty.
        - pose proof (empty_here_ok Eempty) as Ht. exists 0%Z, O. split; [exact Ht|]. rewrite HT. do 2 f_equal.
          symmetry. apply (Same 0%Z O Ht).
          pose proof (goal_zero [] parts parts_ok ltac:(intros ? ? []) p q x y w lab lo m now Hv _ [] x
            ltac:(intros k d []) Hends) as Hzero.
          destruct (whole_number_ok (Moment lo m x w lab x) back i Hradix ps _ _ Eu) as [Hu Ho]. rewrite Hzero in Hu.
          apply whole_inj. transitivity (whole 0); [unfold low_first; destruct back; reflexivity|]. rewrite whole_0.
          symmetry. symmetry in Hu. apply Qcmult_integral in Hu as [Hu|Hu]; [exact Hu | contradiction].
        - apply andb_true_iff in Hends as [Htext Hgoal].
          destruct (unit_here units all_levels parts parts_ok p q x y w lab lo m now back all_units Htext) as
            (_ & a & len & v & Hlen & Ht & Hv1 & Hat).
          set (b := unit_column back a len) in *.
          rewrite forallb_forall in Hgoal. specialize (Hgoal v Hv1).
          pose proof (goal_zero [] parts parts_ok ltac:(intros ? ? []) p q x y w lab lo m now Hv _ v b Hat Hgoal) as
            Hzero.
          set (M := Moment lo m x w lab b) in *. destruct (whole_number_ok M back i Hradix ps _ _ Eu) as [Hu Ho].
          rewrite value_minus, !value_product, Hu in Hzero.
          rewrite (form_ok _ _ _ _ _ _ _ _ number_ok M M _ _ Et), (one_name_ok M _ _ Ew) in Hzero.
          pose proof (row_total parts p q x y w lab lo m b now i Hrow) as RT. fold M in RT.
          rewrite RT, (row_in_text parts p q x y w lab lo m now i a len Ht) in Hzero.
          cbn [Unknowns.meaning] in Hzero. rewrite scale_weight in Hzero. change (m_last M) with b in Hzero.
          rewrite (sum_word parts back i (radix_of back i) (fun X => w X y_row) _ Hradix) in Hzero by (intros k Hk;
            apply (text_at w a len k Hk)).
          rewrite text_in_length in Hzero. fold b in Hzero. exists a, len. split; [exact Ht|]. rewrite HT. do 2 f_equal.
          symmetry. apply (Same a len Ht).
          apply whole_inj. set (n1 := whole (word_number _ _ (low_first back _))) in *.
          set (n2 := whole (word_number _ _ (concat _))) in *.
          match type of Hzero with ?O * _ - _ = 0 => set (VO := O) in * end.
          apply (cancel _ _ (VO * weight i b)).
          + intros E. apply Qcmult_integral in E as [E|E];
              [exact (Ho E) | exact (weight_nonzero system_at bases parts i b E)].
          + transitivity (VO * (n1 * weight i b) - weight i b * (n2 * VO) + n2 * (VO * weight i b)); [ring|].
            rewrite Hzero. ring.
      Qed.
    End Halted.
  End Run.
End WordGoals.
