(** (V15): clauses as what is left of a word, and what is chosen by whether nothing is. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Machines Windows Columns Texts ClausePolynomials Rests Tokens Moves ReducedClauses ReducedRuns.
Import ListNotations.
Local Open Scope N_scope.

Section Verdicts.
  Variables (declaration : inputs) (value : expression) (image : symbol -> symbol).
  Notation pieces := (i_pieces declaration).
  Notation digits := (i_digits declaration).
  Fixpoint condition_of (c : expression) : option (expression * bool) :=
    match c with
    | Comparison Equal (Letters []) x | Comparison Equal x (Letters []) => Some (x, true)
    | Comparison Unequal (Letters []) x | Comparison Unequal x (Letters []) => Some (x, false)
    | Not c => option_map (fun xe : expression * bool => (fst xe, negb (snd xe))) (condition_of c)
    | _ => None
    end.
  (** Whether a part is its own mirror image. *)
  Fixpoint mirror_of (c : expression) : option (nat * bool) :=
    match c with
    | Comparison Equal (Part i) (Reverse (Part j)) | Comparison Equal (Reverse (Part j)) (Part i) => if Nat.eqb i j then Some (i, true) else None
    | Comparison Unequal (Part i) (Reverse (Part j)) | Comparison Unequal (Reverse (Part j)) (Part i) => if Nat.eqb i j then Some (i, false) else None
    | Not c => option_map (fun xe : nat * bool => (fst xe, negb (snd xe))) (mirror_of c)
    | _ => None
    end.
  (** With what is chosen where nothing is left, and where something is. *)
  Definition clause_of_value : option (reduced_clause * option (expression * expression)) :=
    match value with
    | If c a b =>
        match condition_of c with
        | Some (x, empty) => option_map (fun rc => (rc, Some (if empty then (a, b) else (b, a)))) (peeled pieces image false [] x)
        | None =>
            match mirror_of c with
            | Some (i, same) => option_map (fun w => (Reduced_clause w [] [] false true, Some (if same then (a, b) else (b, a)))) (plain pieces image (fun s => s) false (Part i))
            | None => None
            end
        end
    | x => option_map (fun rc => (rc, None)) (peeled pieces image false [] x)
    end.
  (** A text as it is seen, or the digits of a number. *)
  Definition said_text (x : expression) : option (list symbol) :=
    match x with
    | Letters t => let u := without_blanks t in if no_blank u then Some u else None
    | Constant z =>
        match in_digits digits z with
        | Some (s :: u) => match spells digits (s :: u) with Some z' => if (z' =? z)%Z && no_blank (s :: u) then Some (s :: u) else None | None => None end
        | _ => None
        end
    | _ => None
    end.
  Definition ends_so (x : expression) : option bool :=
    match x with
    | Comparison Equal (Constant 0%Z) (Constant 0%Z) => Some true
    | Not (Comparison Equal (Constant 0%Z) (Constant 0%Z)) => Some false
    | _ => None
    end.

  Notation members := (map members_of pieces).
  Notation value_on parts x := (evaluate digits members x parts).
  Definition is_nil (t : list symbol) : bool := match t with [] => true | _ => false end.
  Lemma condition_ok cond parts : forall x empty t, condition_of cond = Some (x, empty) -> value_on parts x = Some (Text t) -> value_on parts cond = Some (Truth (Bool.eqb empty (is_nil t))).
  Proof.
    assert (Left_ : forall t, same_text [] t = is_nil t) by (intros [|? ?]; reflexivity). assert (Right_ : forall t, same_text t [] = is_nil t) by (intros [|? ?]; reflexivity).
    assert (One : forall k (a b x : expression) empty t, match k with
        | Equal => match a with Letters [] => Some (b, true) | _ => match b with Letters [] => Some (a, true) | _ => None end end
        | Unequal => match a with Letters [] => Some (b, false) | _ => match b with Letters [] => Some (a, false) | _ => None end end
        | _ => None end = Some (x, empty) -> value_on parts x = Some (Text t) -> value_on parts (Comparison k a b) = Some (Truth (Bool.eqb empty (is_nil t)))).
    { intros k a b x empty t H Ht. assert (Cases : (k = Equal /\ empty = true \/ k = Unequal /\ empty = false) /\ (a = Letters [] /\ x = b \/ b = Letters [] /\ x = a)).
      { destruct k; try discriminate; (destruct a as [|[|? ?]| | | | | | | | | | | | | | | | | | | |]; [..|]); try (injection H as <- <-; auto);
          destruct b as [|[|? ?]| | | | | | | | | | | | | | | | | | | |]; try discriminate; injection H as <- <-; auto. }
      cbn [evaluate]. destruct Cases as [[[-> ->]|[-> ->]] [[-> ->]|[-> ->]]]; rewrite Ht; cbn [evaluate compared]; rewrite ?Left_, ?Right_; destruct (is_nil t); reflexivity. }
    induction cond; intros x0 empty0 t0 H Ht; try discriminate.
    - apply (One c cond1 cond2 x0 empty0 t0); [|exact Ht]. rewrite <- H. cbn [condition_of]. destruct c; try reflexivity;
        (destruct cond1 as [|[|? ?]| | | | | | | | | | | | | | | | | | | |]; try reflexivity).
    - cbn [condition_of] in H. destruct (condition_of cond) as [[x' e']|]; [|discriminate]. injection H as <- <-. cbn [fst snd evaluate] in *. rewrite (IHcond _ _ _ eq_refl Ht).
      destruct e', (is_nil t0); reflexivity.
  Qed.
  Lemma mirror_ok cond parts : forall i same, mirror_of cond = Some (i, same) -> value_on parts cond = Some (Truth (Bool.eqb same (palindrome (nth i parts [])))).
  Proof.
    assert (Turned : forall t : list symbol, same_text (rev t) t = palindrome t).
    { intros t. apply eq_true_iff_eq. unfold palindrome. rewrite !same_text_eq. split; congruence. }
    induction cond; intros i0 same0 H; try discriminate.
    - cbn [mirror_of] in H. destruct c; try discriminate; destruct cond1; try discriminate; destruct cond2; try discriminate;
        repeat match type of H with context [match ?z with _ => _ end] => destruct z eqn:?; try discriminate end;
        match goal with E : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in E; subst end; injection H as <- <-; cbn [evaluate compared];
        match goal with |- context [nth ?k parts []] => set (t := nth k parts []) end; rewrite ?Turned; change (same_text t (rev t)) with (palindrome t);
        destruct (palindrome t); reflexivity.
    - cbn [mirror_of] in H. destruct (mirror_of cond) as [[i1 s1]|]; [|discriminate]. injection H as <- <-. cbn [fst snd evaluate] in *. rewrite (IHcond _ _ eq_refl).
      destruct s1, (palindrome (nth i1 parts [])); reflexivity.
  Qed.
  (** What the clause says, by what is left. *)
  Lemma clause_of_value_ok rc chosen parts : Forall2 matches pieces parts -> clause_of_value = Some (rc, chosen) ->
    let left_ := value_left image rc parts in
    value_on parts value = match chosen with
      | None => Some (Text (facing (c_back rc) left_))
      | Some (x, x') => value_on parts (if is_nil left_ then x else x')
      end.
  Proof.
    intros Hm H left_. unfold clause_of_value in H.
    assert (Whole_ : forall x, peeled pieces image false [] x = Some rc -> value_on parts x = Some (Text (facing (c_back rc) left_))).
    { intros x Hx. destruct (peeled_ok pieces image digits members parts Hm x false [] rc Hx) as (Hmirror & t & Et & Hw). cbn [facing] in Hw. rewrite Et. do 2 f_equal. transitivity (Output.without [] t); [|unfold left_, value_left, left_by; rewrite Hmirror; exact Hw].
      clear. induction t as [|s t IH]; [reflexivity|]. cbn. f_equal. exact IH. }
    assert (Plain_ : forall x, option_map (fun rc => (rc, None)) (peeled pieces image false [] x) = Some (rc, chosen) ->
      value_on parts x = match chosen with None => Some (Text (facing (c_back rc) left_)) | Some (y, y') => value_on parts (if is_nil left_ then y else y') end).
    { intros x Hx. destruct (peeled pieces image false [] x) as [rc'|] eqn:E; [|discriminate]. injection Hx as -> <-. apply Whole_. exact E. }
    destruct value as [| | | | | | | | | | | | | |cond a b| | | | | | |]; try exact (Plain_ _ H). clear Plain_. destruct (condition_of cond) as [[x empty]|] eqn:Ec.
    2: { clear Whole_. destruct (mirror_of cond) as [[i same]|] eqn:Em; [|discriminate]. destruct (plain pieces image (fun s => s) false (Part i)) as [w|] eqn:Ew; [|discriminate].
      injection H as <- <-. destruct (plain_ok pieces image digits members parts Hm _ _ _ _ Ew) as (t & Et & Hb & Hw). cbn [facing] in Hw. rewrite (img_own t Hb) in Hw.
      cbn [evaluate] in Et. injection Et as <-. cbn [evaluate]. rewrite (mirror_ok _ parts _ _ Em).
      assert (Nil : is_nil left_ = palindrome (nth i parts [])) by (unfold left_, value_left, left_by; cbn [c_mirror c_items]; rewrite <- Hw; destruct (palindrome _); reflexivity).
      rewrite Nil. destruct same, (palindrome (nth i parts [])); reflexivity. }
    destruct (peeled pieces image false [] x) as [rc'|] eqn:Ep; [|discriminate]. injection H as -> <-.
    pose proof (condition_ok _ parts _ _ _ Ec (Whole_ x Ep)) as Hc. cbn [evaluate]. rewrite Hc.
    assert (Same : is_nil (facing (c_back rc) left_) = is_nil left_).
    { destruct (c_back rc); [|reflexivity]. destruct left_ as [|s l]; [reflexivity|]. cbn [facing rev is_nil]. destruct (rev l); reflexivity. }
    rewrite Same. destruct empty, (is_nil left_); reflexivity.
  Qed.
  Lemma said_text_says x t parts : said_text x = Some t -> no_blank t = true /\ exists r, value_on parts x = Some r /\ Output.says digits r t.
  Proof.
    intros H. destruct x as [z|l| | | | | | | | | | | | | | | | | | | |]; try discriminate; cbn [said_text] in H.
    - destruct (in_digits digits z) as [[|s u]|]; try discriminate. destruct (spells digits (s :: u)) as [z'|] eqn:E; [|discriminate]. destruct (_ && _) eqn:Eb; [|discriminate].
      injection H as <-. apply andb_true_iff in Eb as [Ez Eb]. apply Z.eqb_eq in Ez. subst z'. split; [exact Eb|]. exists (Number z). split; [reflexivity|]. split; [discriminate | exact E].
    - cbv zeta in H. destruct (no_blank _) eqn:E; [|discriminate]. injection H as <-. split; [exact E|]. exists (Text l). split; reflexivity.
  Qed.
End Verdicts.
