(** (V15): clauses in which letters cancel, as a word of letters and parts, and what is made of its rest. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Windows Columns Unknowns ClausePolynomials Rests Moves.
Import ListNotations.
Local Open Scope N_scope.

Inductive item := Item_letter (a : symbol) | Item_part (j : nat) (back : bool).
Record reduced_clause := Reduced_clause {
  c_items : list item; c_pairs : list (symbol * symbol); c_erased : list symbol; c_back : bool;
  c_mirror : bool }.                                  (* nothing is left of a word that is its own mirror image, and something of others *)
Lemma img_rev f t : rev (flat_map (img f) t) = flat_map (img f) (rev t).
Proof.
  induction t as [|s t IH]; [reflexivity|]. cbn [flat_map rev]. rewrite rev_app_distr, IH, flat_map_app. f_equal.
  cbn [flat_map]. rewrite app_nil_r. unfold img. destruct (f s =? 0); reflexivity.
Qed.
Definition is_in (l : list symbol) (s : symbol) : bool := existsb (N.eqb s) l.
Definition lose (l : list symbol) (f : symbol -> symbol) (s : symbol) : symbol := if is_in l s then 0 else f s.
Lemma lose_img l f t : flat_map (img (lose l f)) t = flat_map (img f) (without l t).
Proof.
  induction t as [|s t IH]; [reflexivity|]. unfold without. cbn [flat_map filter]. fold (is_in l s). rewrite IH. unfold img at 1, lose.
  destruct (is_in l s); cbn [negb]; [reflexivity|]. cbn [flat_map]. reflexivity.
Qed.
Lemma img_own t : (forall s, In s t -> s <> 0) -> flat_map (img (fun s => s)) t = t.
Proof.
  induction t as [|s t IH]; intros H; [reflexivity|]. cbn [flat_map]. rewrite IH by (intros u Hu; apply H; right; exact Hu).
  unfold img. specialize (H s (or_introl eq_refl)). apply N.eqb_neq in H. rewrite H. reflexivity.
Qed.
Lemma facing_twice b t : facing (negb b) t = facing b (rev t).
Proof. destruct b; cbn; [rewrite rev_involutive|]; reflexivity. Qed.
Lemma without_rev l t : without l (rev t) = rev (without l t).
Proof. unfold without. generalize (fun s => negb (existsb (N.eqb s) l)). intros f. induction t as [|s t IH]; [reflexivity|]. cbn [rev filter]. rewrite filter_app. etransitivity; [apply f_equal2; [exact IH | reflexivity]|]. cbn [filter]. destruct (f s); [reflexivity | apply app_nil_r]. Qed.
Lemma without_app a b t : without b (without a t) = without (a ++ b) t.
Proof.
  unfold without. assert (G : forall f g, filter f (filter g t) = filter (fun s => g s && f s) t).
  { intros f g. induction t as [|s u IH]; [reflexivity|]. cbn [filter]. destruct (g s); cbn [filter andb]; [destruct (f s); [f_equal|]; exact IH | exact IH]. }
  rewrite G. apply filter_ext. intros s. rewrite existsb_app, negb_orb. reflexivity.
Qed.
Lemma rest_nothing t : rest [] t = t.
Proof. apply settled_rest. apply settled_each. reflexivity. Qed.

Section Clause.
  Variables (pieces : list clause) (image : symbol -> symbol) (digits : list symbol) (members : list (list symbol)).
  Definition no_blank (t : list symbol) : bool := forallb (fun s => negb (s =? 0)) t.
  Lemma no_blank_ok t s : no_blank t = true -> In s t -> s <> 0.
  Proof. unfold no_blank. rewrite forallb_forall. intros H Hs. specialize (H s Hs). apply negb_true_iff, N.eqb_neq in H. exact H. Qed.
  (** A word whose letters become others later. *)
  Fixpoint plain (after : symbol -> symbol) (back : bool) (x : expression) : option (list item) :=
    match x with
    | Letters t => if no_blank t then Some (map Item_letter (facing back (flat_map (img after) t))) else None
    | Part j => let symbols := symbols_of_clause (nth j pieces Nothing) in
        if Nat.ltb j (length pieces) && no_blank symbols && forallb (fun s => image s =? after s) symbols then Some [Item_part j back] else None
    | Reverse a => plain after (negb back) a
    | Join a b => match plain after back a, plain after back b with Some a, Some b => Some (if back then b ++ a else a ++ b) | _, _ => None end
    | Replace a old new =>
        match new with
        | [] => plain (lose [old] after) back a
        | [n] => if n =? 0 then None else plain (fun s => if s =? old then after n else after s) back a
        | _ => None
        end
    | Cancel a singles [] => plain (lose singles after) back a
    | _ => None
    end.
  Fixpoint peeled (back : bool) (erased : list symbol) (x : expression) : option reduced_clause :=
    match x with
    | Reverse a => peeled (negb back) erased a
    | Cancel a singles [] => peeled back (singles ++ erased) a
    | Cancel a singles pairs => option_map (fun w => Reduced_clause w pairs erased back false) (plain (lose singles (fun s => s)) false a)
    | _ => option_map (fun w => Reduced_clause w [] [] back false) (plain (lose erased (fun s => s)) false x)
    end.

  Variable parts : list (list symbol).
  Hypothesis parts_ok : Forall2 matches pieces parts.
  Definition item_word (i : item) : list symbol :=
    match i with Item_letter a => [a] | Item_part j back => facing back (flat_map (img image) (nth j parts [])) end.
  Notation value x := (evaluate digits members x parts).
  Lemma letters_word t : flat_map item_word (map Item_letter t) = t.
  Proof. induction t as [|s t IH]; [reflexivity|]. cbn. f_equal. exact IH. Qed.
  Lemma plain_ok x : forall after back w, plain after back x = Some w ->
    exists t, value x = Some (Text t) /\ (forall s, In s t -> s <> 0) /\ facing back (flat_map (img after) t) = flat_map item_word w.
  Proof.
    induction x; intros after back w H; cbn [plain] in H; try discriminate.
    - destruct (no_blank t) eqn:Ht; [|discriminate]. injection H as <-. exists t. split; [reflexivity|]. split; [intros s; apply no_blank_ok, Ht|].
      rewrite letters_word. reflexivity.
    - destruct (_ && _ && _) eqn:E; [|discriminate]. injection H as <-. apply andb_true_iff in E as [E Ei]. apply andb_true_iff in E as [Ej Eb].
      apply Nat.ltb_lt in Ej. rewrite forallb_forall in Ei. exists (nth i parts []).
      assert (Hs : forall s, In s (nth i parts []) -> In s (symbols_of_clause (nth i pieces Nothing))).
      { apply symbols_of_clause_ok. apply (each_pair _ _ _ _ _ parts_ok). exact Ej. }
      split; [reflexivity|]. split; [intros s Hin; apply (no_blank_ok _ _ Eb), Hs, Hin|]. cbn [flat_map item_word]. rewrite app_nil_r. f_equal.
      rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros s Hin. specialize (Ei s (Hs s Hin)). apply N.eqb_eq in Ei. unfold img. rewrite Ei. reflexivity.
    - destruct (IHx _ _ _ H) as (t & Et & Hb & Hw). exists (rev t). cbn [evaluate]. rewrite Et. split; [reflexivity|]. split; [intros s Hs; apply Hb, in_rev, Hs|].
      rewrite <- img_rev, <- facing_twice. exact Hw.
    - destruct (plain after back x1) as [a|] eqn:E1; [|discriminate]. destruct (plain after back x2) as [b|] eqn:E2; [|discriminate]. injection H as <-.
      destruct (IHx1 _ _ _ E1) as (t1 & Et1 & B1 & W1). destruct (IHx2 _ _ _ E2) as (t2 & Et2 & B2 & W2). exists (t1 ++ t2). cbn [evaluate]. rewrite Et1, Et2.
      split; [reflexivity|]. split; [intros s Hs; apply in_app_or in Hs as [Hs|Hs]; auto|].
      rewrite flat_map_app. destruct back; rewrite flat_map_app, <- W1, <- W2; cbn [facing]; [apply rev_app_distr | reflexivity].
    - destruct pairs; [|discriminate]. destruct (IHx _ _ _ H) as (t & Et & Hb & Hw). exists (without singles t). cbn [evaluate]. rewrite Et, rest_nothing.
      split; [reflexivity|]. split; [intros s Hs; apply filter_In in Hs; apply Hb, Hs|]. rewrite <- lose_img. exact Hw.
    - assert (G : forall after', plain after' back x = Some w -> (forall s, s <> 0 -> flat_map (img after) (if s =? old then new else [s]) = img after' s) ->
        (forall s, In s new -> s <> 0) ->
        exists t, value (Replace x old new) = Some (Text t) /\ (forall s, In s t -> s <> 0) /\ facing back (flat_map (img after) t) = flat_map item_word w).
      { intros after' H' Hi Hn. destruct (IHx _ _ _ H') as (t & Et & Hb & Hw). exists (replaced old new t). cbn [evaluate]. rewrite Et. split; [reflexivity|]. split.
        - intros s Hs. apply in_flat_map in Hs as (u & Hu & Hs). destruct (u =? old); [apply Hn; exact Hs|]. destruct Hs as [<-|[]]. apply Hb, Hu.
        - rewrite <- Hw. f_equal. clear - Hi Hb. induction t as [|s t IH]; [reflexivity|]. unfold replaced. cbn [flat_map]. rewrite flat_map_app, Hi by (apply Hb; left; reflexivity).
          f_equal. apply IH. intros u Hu. apply Hb. right. exact Hu. }
      destruct new as [|n0 [|? ?]]; [| |discriminate].
      + apply (G _ H); [|intros s []]. intros s _. unfold lose, is_in, img. cbn [existsb]. rewrite orb_false_r. destruct (s =? old); cbn; [reflexivity | apply app_nil_r].
      + destruct (N.eqb_spec n0 0) as [|Hn0]; [discriminate|]. apply (G _ H); [|intros s [<-|[]]; exact Hn0].
        intros s _. unfold img. destruct (s =? old); cbn; apply app_nil_r.
  Qed.
  Lemma own_word l t : (forall s, In s t -> s <> 0) -> flat_map (img (lose l (fun s => s))) t = without l t.
  Proof. intros H. rewrite lose_img. apply img_own. intros s Hs. apply filter_In in Hs. apply H, Hs. Qed.
  Lemma peeled_ok x : forall back erased c, peeled back erased x = Some c ->
    c_mirror c = false /\ exists t, value x = Some (Text t) /\ facing back (without erased t) = facing (c_back c) (left_of (c_pairs c) (c_erased c) (flat_map item_word (c_items c))).
  Proof.
    assert (Last : forall y back erased c, option_map (fun w => Reduced_clause w [] [] back false) (plain (lose erased (fun s => s)) false y) = Some c ->
      c_mirror c = false /\ exists t, value y = Some (Text t) /\ facing back (without erased t) = facing (c_back c) (left_of (c_pairs c) (c_erased c) (flat_map item_word (c_items c)))).
    { intros y back erased c H. destruct (plain _ false y) as [w|] eqn:E; [|discriminate]. injection H as <-. destruct (plain_ok _ _ _ _ E) as (t & Et & Hb & Hw).
      split; [reflexivity|]. exists t. split; [exact Et|]. cbn [c_back c_pairs c_erased c_items facing] in *. f_equal. rewrite <- Hw, (own_word _ _ Hb). symmetry. apply all_kept; [apply settled_each; reflexivity | reflexivity]. }
    induction x; intros back erased rc H; try exact (Last _ _ _ _ H).
    - destruct (IHx _ _ _ H) as (Hm & t & Et & Hw). split; [exact Hm|]. exists (rev t). cbn [evaluate]. rewrite Et. split; [reflexivity|]. rewrite without_rev, <- facing_twice. exact Hw.
    - cbn [peeled] in H. destruct pairs as [|p0 ps].
      + destruct (IHx _ _ _ H) as (Hm & t & Et & Hw). split; [exact Hm|]. exists (without singles t). cbn [evaluate]. rewrite Et, rest_nothing. split; [reflexivity|]. rewrite <- Hw. rewrite without_app. reflexivity.
      + destruct (plain _ false x) as [w|] eqn:E; [|discriminate]. injection H as <-. destruct (plain_ok _ _ _ _ E) as (t & Et & Hb & Hw).
        split; [reflexivity|]. eexists. cbn [evaluate]. rewrite Et. split; [reflexivity|]. cbn [c_back c_pairs c_erased c_items facing] in *. rewrite <- Hw, (own_word _ _ Hb). reflexivity.
  Qed.
End Clause.
