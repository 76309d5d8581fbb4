(** (V15): clauses as what is left of a word, and what is chosen by whether nothing is. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Machines Windows Columns Texts ClausePolynomials Rests Tokens Moves ReducedClauses ReducedRuns.
Import ListNotations.
Local Open Scope N_scope.

Section Verdicts.
  Variables (declaration : inputs) (value : expression) (image : symbol -> symbol).
  Notation pieces := (i_pieces declaration).
  Notation digits := (i_digits declaration).
  Definition same_or_not (k : comparator) : option bool := match k with Equal => Some true | Unequal => Some false | _ => None end.
  Definition no_letters (x : expression) : bool := match x with Letters [] => true | _ => false end.
  Definition compared_with_nothing (a b : expression) : option expression := if no_letters a then Some b else if no_letters b then Some a else None.
  Fixpoint condition_of (c : expression) : option (expression * bool) :=
    match c with
    | Comparison k a b => match same_or_not k, compared_with_nothing a b with Some e, Some x => Some (x, e) | _, _ => None end
    | Not c => option_map (fun xe : expression * bool => (fst xe, negb (snd xe))) (condition_of c)
    | _ => None
    end.
  (** Whether a part is its own mirror image. *)
  Definition part_of (x : expression) : option nat := match x with Part i => Some i | _ => None end.
  Definition turned_part_of (x : expression) : option nat := match x with Reverse y => part_of y | _ => None end.
  Definition compared_with_mirror (a b : expression) : option nat :=
    match part_of a, turned_part_of b with Some i, Some j => if Nat.eqb i j then Some i else None | _, _ => None end.
  Fixpoint mirror_of (c : expression) : option (nat * bool) :=
    match c with
    | Comparison k a b =>
        match same_or_not k, compared_with_mirror a b, compared_with_mirror b a with
        | Some e, Some i, _ | Some e, None, Some i => Some (i, e)
        | _, _, _ => None
        end
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
  Lemma nil_is t : same_text [] t = is_nil t /\ same_text t [] = is_nil t.
  Proof. destruct t; split; reflexivity. Qed.
  Lemma no_letters_ok x : no_letters x = true -> x = Letters [].
  Proof. destruct x as [|[|? ?]| | | | | | | | | | | | | | | | | | | |]; discriminate || reflexivity. Qed.
  Lemma part_of_ok x i : part_of x = Some i -> x = Part i.
  Proof. destruct x; try discriminate. intros [= ->]. reflexivity. Qed.
  Lemma turned_part_of_ok x i : turned_part_of x = Some i -> x = Reverse (Part i).
  Proof. destruct x; try discriminate. intros ->%part_of_ok. reflexivity. Qed.
  Lemma compared_with_mirror_ok a b i : compared_with_mirror a b = Some i -> a = Part i /\ b = Reverse (Part i).
  Proof.
    unfold compared_with_mirror. destruct (part_of a) as [i'|] eqn:Ea; [|discriminate]. destruct (turned_part_of b) as [j|] eqn:Eb; [|discriminate].
    destruct (Nat.eqb_spec i' j) as [->|]; [|discriminate]. intros [= ->]. split; [apply part_of_ok, Ea | apply turned_part_of_ok, Eb].
  Qed.
  (** Two texts that are compared. *)
  Lemma compared_ok k e a b t u parts : same_or_not k = Some e -> value_on parts a = Some (Text t) -> value_on parts b = Some (Text u) ->
    value_on parts (Comparison k a b) = Some (Truth (Bool.eqb e (same_text t u))).
  Proof. intros Hk Ha Hb. cbn [evaluate]. rewrite Ha, Hb. destruct k; try discriminate; injection Hk as <-; cbn [compared]; destruct (same_text t u); reflexivity. Qed.
  Lemma condition_ok cond parts : forall x empty t, condition_of cond = Some (x, empty) -> value_on parts x = Some (Text t) -> value_on parts cond = Some (Truth (Bool.eqb empty (is_nil t))).
  Proof.
    induction cond; intros x0 empty0 t0 H Ht; try discriminate; cbn [condition_of] in H.
    - destruct (same_or_not c) as [e|] eqn:Ek; [|discriminate]. unfold compared_with_nothing in H. destruct (nil_is t0) as [Left_ Right_].
      destruct (no_letters cond1) eqn:E1; [|destruct (no_letters cond2) eqn:E2; [|discriminate]]; injection H as -> ->.
      + rewrite <- Left_. apply compared_ok; [exact Ek | rewrite (no_letters_ok _ E1); reflexivity | exact Ht].
      + rewrite <- Right_. apply compared_ok; [exact Ek | exact Ht | rewrite (no_letters_ok _ E2); reflexivity].
    - destruct (condition_of cond) as [[x' e']|]; [|discriminate]. injection H as <- <-. cbn [fst snd evaluate] in *. rewrite (IHcond _ _ _ eq_refl Ht).
      destruct e', (is_nil t0); reflexivity.
  Qed.
  Lemma mirror_ok cond parts : forall i same, mirror_of cond = Some (i, same) -> value_on parts cond = Some (Truth (Bool.eqb same (palindrome (nth i parts [])))).
  Proof.
    assert (Turned : forall t : list symbol, same_text (rev t) t = palindrome t).
    { intros t. apply eq_true_iff_eq. unfold palindrome. rewrite !same_text_eq. split; congruence. }
    induction cond; intros i0 same0 H; try discriminate; cbn [mirror_of] in H.
    - destruct (same_or_not c) as [e|] eqn:Ek; [|discriminate]. destruct (compared_with_mirror cond1 cond2) as [i|] eqn:E1.
      + injection H as <- <-. apply compared_with_mirror_ok in E1 as [-> ->]. apply (compared_ok c e _ _ _ _ parts Ek); reflexivity.
      + destruct (compared_with_mirror cond2 cond1) as [i|] eqn:E2; [|discriminate]. injection H as <- <-. apply compared_with_mirror_ok in E2 as [-> ->].
        rewrite <- Turned. apply (compared_ok c e _ _ _ _ parts Ek); reflexivity.
    - destruct (mirror_of cond) as [[i1 s1]|]; [|discriminate]. injection H as <- <-. cbn [fst snd evaluate] in *. rewrite (IHcond _ _ eq_refl).
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
    { intros x Hx. destruct (peeled_ok pieces image digits members parts Hm x false [] rc Hx) as (Hmirror & t & Et & Hw). cbn [facing] in Hw. rewrite Et. do 2 f_equal. transitivity (Expressions.without [] t); [|unfold left_, value_left, left_by; rewrite Hmirror; exact Hw].
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
  Lemma said_text_says x t parts : said_text x = Some t -> no_blank t = true /\ exists r, value_on parts x = Some r /\ Statement.says digits r t.
  Proof.
    intros H. destruct x as [z|l| | | | | | | | | | | | | | | | | | | |]; try discriminate; cbn [said_text] in H.
    - destruct (in_digits digits z) as [[|s u]|]; try discriminate. destruct (spells digits (s :: u)) as [z'|] eqn:E; [|discriminate]. destruct (_ && _) eqn:Eb; [|discriminate].
      injection H as <-. apply andb_true_iff in Eb as [Ez Eb]. apply Z.eqb_eq in Ez. subst z'. split; [exact Eb|]. exists (Number z). split; [reflexivity|]. split; [discriminate | exact E].
    - cbv zeta in H. destruct (no_blank _) eqn:E; [|discriminate]. injection H as <-. split; [exact E|]. exists (Text l). split; reflexivity.
  Qed.
End Verdicts.
