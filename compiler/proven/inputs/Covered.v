(** (V9 a): every input has a path of places on which is wanted what the clause says of it. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns FirstWorld Closures Machines.
Import ListNotations.

Definition those (wants : place -> wanted) (w : wanted) (C : list place) : list place :=
  filter (fun c => wanted_eqb (wants c) w) C.
Lemma in_those wants w C c : In c (those wants w C) -> In c C /\ wants c = w.
Proof. intros H. apply filter_In in H as [H E]. apply wanted_eqb_eq in E. auto. Qed.

(** A path beside the input that wants these, and then the same for ever. *)
Section Beside.
  Variables (onward : place -> list place) (wants : place -> wanted) (rest : wanted) (E : list place).
  Definition beside_ok : bool := endless_ok (fun c _ => onward c) E && forallb (fun c => wanted_eqb (wants c) rest) E.
  Fixpoint spelled (C : list place) (l : list wanted) : bool :=
    match l with
    | [] => existsb (in_set E) C
    | w :: l => spelled (post (fun c _ => onward c) (those wants w C) 0%N) l
    end.
  Lemma spelled_path : beside_ok = true -> forall l C, spelled C l = true -> exists pl, In (pl O) C /\
    (forall i, In (pl (S i)) (onward (pl i))) /\ forall i, wants (pl i) = nth i l rest.
  Proof.
    intros H. apply andb_true_iff in H as [He Hr]. rewrite forallb_forall in Hr.
    induction l as [|w l IH]; intros C HC; cbn [spelled] in HC.
    - apply existsb_exists in HC as (c & Hc & Hs). apply existsb_exists in Hs as (z & Hz & Ez). apply N.eqb_eq in Ez.
      subst z.
      destruct (endless_path _ E He c Hz) as (pl & <- & Hp & Hin). exists pl. split; [exact Hc|].
      split; [intros i; exact (Hp i)|]. intros i. replace (nth i [] rest) with rest by (destruct i; reflexivity).
      apply wanted_eqb_eq, Hr, Hin.
    - destruct (IH _ HC) as (pl & H0 & Hp & Hw). apply in_post in H0 as (b & Hb & H0). apply in_those in Hb as [Hb Eb].
      exists (fun i => match i with O => b | S i => pl i end). split; [exact Hb|].
      split; [intros [|i]; [exact H0 | apply Hp] | intros [|i]; [exact Eb | apply Hw]].
  Qed.
End Beside.
Definition for_ever (onward : place -> list place) (wants : place -> wanted) (rest : wanted) (places : list place) :
  list place :=
  endless (fun c _ => onward c) (S (length places)) (those wants rest places).

Section Cover.
  Context {S : Type}.
  Variables (r : reading S) (state_eqb : S -> S -> bool) (state_hash : S -> N).
  Hypothesis state_eqb_eq : forall a b, state_eqb a b = true -> a = b.
  Variables (n : N) (nexts : place -> symbol -> list place) (before : place -> list place).
  Variables (wants wants_left : place -> wanted) (count left_count : N) (starts : list (place * list place)).
  Definition after_it : list place := for_ever (fun c => nexts c 0%N) wants Empty (below count).
  Definition left_of_it : list place := for_ever before wants_left (r_left r) (below left_count).

  (** Where one may be; the part, what is left of it, and the others; the state of the reading. *)
  Definition node : Type := list place * nat * clause * list clause * S.
  Definition node_eqb (a b : node) : bool :=
    let '(C, i, d, rest, q) := a in let '(C', i', d', rest', q') := b in
    same_text C C' && Nat.eqb i i' && state_eqb q q' && clause_eqb d d' && list_eqb clause_eqb rest rest'.
  Lemma node_eqb_eq a b : node_eqb a b = true -> a = b.
  Proof.
    destruct a as [[[[C i] d] rest] q], b as [[[[C' i'] d'] rest'] q']. simpl. rewrite !andb_true_iff.
    intros [[[[H1 H2] H3] H4] H5]. apply same_text_eq in H1. apply Nat.eqb_eq in H2. apply state_eqb_eq in H3.
    apply clause_eqb_eq in H4. apply (list_eqb_eq _ clause_eqb_eq) in H5. congruence.
  Qed.
  Definition node_hash (a : node) : positive :=
    let '(C, i, _, _, q) := a in Maps.key (mixes (mix (state_hash q) (N.of_nat i)) C).

  Definition read_on (a : node) : list node :=
    let '(C, i, d, rest, q) := a in
    flat_map (fun s => flat_map (fun d' => map (fun e => (post nexts (those wants (snd e) C) s, i, d', rest, fst e))
      (r_step r q i s)) (derive s d)) (below n).
  Definition next_nodes (ends : list place) (a : node) : option (list node) :=
    let '(C, i, d, rest, q) := a in
    if nullable d then
      match rest with
      | c :: rest => Some ((C, Datatypes.S i, c, rest, q) :: read_on a)
      | [] =>
          match r_ended r q with
          | Some (Some after) => if spelled (fun c => nexts c 0%N) wants ends C after then Some (read_on a) else None
          | Some None => None
          | None => Some (read_on a)
          end
      end
    else Some (read_on a).
  Definition first_nodes (lefts : list place) (pieces : list clause) : list node :=
    match pieces with
    | [] => []
    | p :: rest => map (fun e => (map fst (filter (fun s => spelled before wants_left lefts (snd s) (snd e)) starts), O,
      p, rest, fst e))
                     (r_starts r)
    end.
  Definition covered (fuel : nat) (pieces : list clause) : bool :=
    let ends := after_it in
    let lefts := left_of_it in
    beside_ok (fun c => nexts c 0%N) wants Empty ends && beside_ok before wants_left (r_left r) lefts &&
    (0 <? n)%N && forallb (fun c => forallb (fun s => (s <? n)%N) (symbols_of_clause c)) pieces &&
    all_right node node_hash node_eqb (next_nodes ends) fuel (first_nodes lefts pieces).

  Section Sound.
    Variables (ends : list place) (S_ : list node).
    Hypothesis ends_ok : beside_ok (fun c => nexts c 0%N) wants Empty ends = true.
    Hypothesis closed_ : forall a, In a S_ -> exists l, next_nodes ends a = Some l /\ forall b, In b l -> In b S_.

    Lemma node_next C i d rest q : In (C, i, d, rest, q) S_ -> forall b, In b (read_on (C, i, d, rest, q)) -> In b S_.
    Proof.
      intros H b Hb. destruct (closed_ _ H) as (l & Hl & Hin). apply Hin. unfold next_nodes in Hl.
      destruct (nullable d);
        [destruct rest; [destruct (r_ended r q) as [[]|];
        [destruct (spelled _ _ _ _ _); [|discriminate]|discriminate|]|]|];
        injection Hl as <-; try exact Hb. right. exact Hb.
    Qed.
    Lemma accepted_path i q u us ws known : accepts r i q u us ws known -> forall C d rest,
      In (C, i, d, rest, q) S_ -> matches d u -> Forall2 matches rest us ->
        Forall (fun s => (s < n)%N) (u ++ concat us) ->
      exists after pl, known = Some after /\ In (pl O) C /\ path nexts pl (u ++ concat us) /\
        forall j, wants (pl j) = nth j (ws ++ after) Empty.
    Proof.
      induction 1 as [i q s u us q' w ws known Hs _ IH | i q u us ws known _ IH | i q known Hq];
        intros C d rest HS Hm Hr Hn.
      - destruct (derive_ok _ _ Hm s u eq_refl) as (d' & Hd & Hm'). inversion Hn as [|? ? Hlt Hn']; subst.
        destruct (IH (post nexts (those wants w C) s) d' rest) as (after & pl & Ek & H0 & Hp & Hw); auto.
        { eapply node_next; [exact HS|]. unfold read_on. apply in_flat_map. exists s.
          split; [apply in_below; exact Hlt|].
          apply in_flat_map. exists d'. split; [exact Hd|]. apply in_map_iff. exists (q', w).
          split; [reflexivity | exact Hs]. }
        apply in_post in H0 as (b & Hb & H0). apply in_those in Hb as [Hb Eb].
        exists after, (fun j => match j with O => b | Datatypes.S j => pl j end). split; [exact Ek|].
        split; [exact Hb|].
        split; [intros [|j]; [exact H0 | apply Hp] | intros [|j]; [exact Eb | apply Hw]].
      - inversion Hr as [|c ? rest' ? Hc Hr']; subst. destruct (closed_ _ HS) as (l & Hl & Hin).
        unfold next_nodes in Hl.
        rewrite (nullable_ok _ _ Hm eq_refl) in Hl. injection Hl as <-.
        apply (IH C c rest'); auto. apply Hin. left. reflexivity.
      - inversion Hr; subst. destruct (closed_ _ HS) as (l & Hl & _). unfold next_nodes in Hl.
        rewrite (nullable_ok _ _ Hm eq_refl), Hq in Hl. destruct known as [after|]; [|discriminate].
        destruct (spelled (fun c => nexts c 0%N) wants ends C after) eqn:E; [|discriminate].
        destruct (spelled_path _ _ _ _ ends_ok _ _ E) as (pl & H0 & Hp & Hw). exists after, pl. split; [reflexivity|].
        split; [exact H0|].
        split; [|exact Hw]. intros j. replace (row_symbol ([] ++ concat []) j) with 0%N by (destruct j; reflexivity).
        apply Hp.
    Qed.
  End Sound.

  Theorem covered_sound fuel pieces : covered fuel pieces = true -> forall q outs u us ws known,
    In (q, outs) (r_starts r) -> accepts r 0 q u us ws known -> Forall2 matches pieces (u :: us) ->
    exists after pl lefts, known = Some after /\ begins_with n nexts before starts lefts pl (u ++ concat us) /\
      (forall j, wants (pl j) = nth j (ws ++ after) Empty) /\ forall j, wants_left (lefts j) = nth j outs (r_left r).
  Proof.
    intros H q outs u us ws known Hq Ha Hm. unfold covered in H. rewrite !andb_true_iff in H.
    destruct H as [[[[Hend Hleft] Hn] Hsym] Hall]. apply N.ltb_lt in Hn.
    apply all_right_sound in Hall as (S_ & Hfirst & Hclosed); [|exact node_eqb_eq].
    inversion Hm as [|p ? rest ? Hp Hrest]; subst. clear Hm. rewrite forallb_forall in Hsym.
    assert (Hlt : Forall (fun s => (s < n)%N) (u ++ concat us)).
    { assert (B : forall ps ts, Forall2 matches ps ts -> (forall c, In c ps -> In c (p :: rest)) ->
        Forall (fun s => (s < n)%N) (concat ts)).
      { induction 1 as [|c t ps ts Hc _ IH]; intros Hin; [constructor|]. cbn [concat]. apply Forall_app. split.
        - apply Forall_forall. intros s Hs. specialize (Hsym c (Hin c (or_introl eq_refl))).
          rewrite forallb_forall in Hsym.
          apply N.ltb_lt, Hsym. eapply symbols_of_clause_ok; eauto.
        - apply IH. intros c' Hc'. apply Hin. right. exact Hc'. }
      apply (B (p :: rest) (u :: us)); auto. }
    set (C0 := map fst (filter (fun s => spelled before wants_left left_of_it (snd s) outs) starts)).
    destruct (accepted_path after_it S_ Hend Hclosed 0 q u us ws known Ha C0 p rest) as
      (after & pl & Ek & H0 & Hpath & Hw); auto.
    { apply Hfirst. cbn [first_nodes]. apply in_map_iff. exists (q, outs). split; [reflexivity | exact Hq]. }
    unfold C0 in H0. apply in_map_iff in H0 as ([s lefts0] & E0 & Hin). cbn [fst] in E0. subst s.
    apply filter_In in Hin as [Hin Hsp]. cbn [snd] in Hsp.
    destruct (spelled_path _ _ _ _ Hleft _ _ Hsp) as (lefts & Hl0 & Hlp & Hlw).
    exists after, pl, lefts. split; [exact Ek|]. split; [|split; assumption].
    split; [exists lefts0; split; assumption|].
    split; [exact Hpath|]. split; [exact Hlp|]. intros i. unfold row_symbol.
    destruct (nth_in_or_default i (u ++ concat us) 0%N) as [Hi | ->]; [|exact Hn].
    rewrite Forall_forall in Hlt. apply Hlt. exact Hi.
  Qed.
End Cover.
