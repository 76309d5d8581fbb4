(** (V12) of `sorted(part)`, by a strip for each symbol of the part: in the row those from it on stand after all
    others. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Windows Columns Texts ClausePolynomials ValueCheck.
Import ListNotations.
Local Open Scope N_scope.

Section Check.
  Variables (n : N) (table : rules) (declaration : inputs) (value : expression).
  Notation pieces := (i_pieces declaration).

  Definition threshold_level (t s : symbol) : N := if s =? 0 then 0 else if from t s then 2 else 1.
  Definition check_sorted (strips : list values) : bool :=
    match value, strips with
    | Sorted (Part j), first :: _ =>
        let symbols := Expressions.sorted (nodup N.eq_dec (symbols_of_clause (nth j pieces Nothing))) in
        Nat.eqb (length symbols) (length strips) &&
        forallb (fun tv : symbol * values => let (t, v) := tv in (result_row v =? result_row first)%Z &&
          negb (v_words v) &&
          counted v (shows_on_strip n table declaration v) (from t) (threshold_level t) symbols (In_part j))
            (combine symbols strips)
    | _, _ => false
    end.
  Lemma in_sorted s t : In s (Expressions.sorted t) <-> In s t.
  Proof.
    assert (G : forall a t, In s (Expressions.insert a t) <-> a = s \/ In s t).
    { intros a u. induction u as [|b u IH]; cbn [Expressions.insert]; [reflexivity|].
      destruct (a <=? b); [reflexivity|]. cbn [In]. tauto. }
    induction t as [|a t IH]; [reflexivity|].
    change (Expressions.sorted (a :: t)) with (Expressions.insert a (Expressions.sorted t)). rewrite G, IH. reflexivity.
  Qed.
  Lemma in_combine_some A B (a : list A) (b : list B) x : length a = length b -> In x a -> exists y,
    In (x, y) (combine a b).
  Proof.
    revert b. induction a as [|u a IH]; intros [|v b] L H; try discriminate; [destruct H|]. cbn [combine].
    destruct H as [->|H]; [exists v; left; reflexivity|].
    destruct (IH b) as [y Hy]; [cbn in L; congruence | exact H|]. exists y. right. exact Hy.
  Qed.
  Theorem check_sorted_sound strips : check_sorted strips = true ->
    leaves_output (table_of table) (Output_clause declaration value).
  Proof.
    unfold check_sorted. destruct value as [| | | | | | | | | | | | | | | |ex| | | ]; try discriminate.
    destruct ex as [| |j| | | | | | | | | | | | | | | | | ]; try discriminate.
    destruct strips as [|first strips]; [discriminate|].
    set (symbols := Expressions.sorted _). intros H parts Hd k c Hh. apply andb_true_iff in H as [L H].
    apply Nat.eqb_eq in L. rewrite forallb_forall in H.
    set (w := cells c) in *. set (y := result_row first) in *.
    assert (All : forall t, In t symbols ->
      shows_aim declaration y (Counts (from t) (threshold_level t) symbols (In_part j)) parts w).
    { intros t Ht. destruct (in_combine_some _ _ symbols (first :: strips) t L Ht) as [v Hv]. specialize (H _ Hv).
      cbv beta iota in H.
      apply andb_true_iff in H as [H Hc]. apply andb_true_iff in H as [Hy _]. apply Z.eqb_eq in Hy. rewrite <- Hy.
      eapply counted_shows_aim; eassumption. }
    destruct symbols as [|t0 symbols'] eqn:Es; [discriminate|]. rewrite <- Es in *.
    destruct (All t0) as (_ & (a & len & Ht) & Hc0); [rewrite Es; left; reflexivity|].
    destruct (Hc0 a len Ht) as [Hj _].
    assert (Hpart : forall s, In s (nth j parts []) -> In s symbols).
    { intros s Hs. apply in_sorted, nodup_In. revert s Hs.
      apply symbols_of_clause_ok, (each_pair _ _ _ _ _ (proj1 Hd)), Hj. }
    exists (Text (Expressions.sorted (nth j parts []))), (text_in w y a len). split; [reflexivity|].
    split; [eapply text_stands; exact Ht|].
    cbn [says]. eapply sorted_by_counts; [exact Ht | | exact Hpart |].
    - intros X. unfold in_order. destruct (w X y =? 0) eqn:E1; [reflexivity|].
      destruct (w (X + 1)%Z y =? 0) eqn:E2; [reflexivity|].
      destruct (All (w X y)) as (Hup & _); [|specialize (Hup X)].
      + destruct Ht as [Hout Hin]. apply N.eqb_neq in E1. destruct (Z_lt_dec X a); [exfalso; apply E1, Hout; lia|].
        destruct (Z_lt_dec X (a + Z.of_nat len)); [apply Hin; lia | exfalso; apply E1, Hout; lia].
      + unfold in_order, threshold_level in Hup. rewrite E1, E2 in Hup. unfold from in Hup. rewrite N.leb_refl in Hup.
        destruct (w X y <=? w (X + 1)%Z y); [reflexivity | discriminate].
    - intros s _. eapply counts_by_thresholds; [intros u Hu; apply (text_in_symbols _ _ _ _ _ _ Ht Hu) | exact Hpart|].
      intros t Hin. destruct (All t Hin) as (_ & _ & Hc). exact (proj2 (Hc a len Ht)).
  Qed.
End Check.
