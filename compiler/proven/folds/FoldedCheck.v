(** (V10), the checker: grams that are closed under all steps, and hold all inputs. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Json Joint Maps Windows Columns Strips Starts Closures Rows.
From Gridlang Require Import FoldedTape FoldedChains FoldedReadings FoldedInputs FoldedResults.
Import ListNotations.
Local Open Scope Z_scope.

Lemma all_in {X Y} (f : X -> option Y) l : forall l', all f l = Some l' -> forall x, In x l -> exists y, f x = Some y /\
  In y l'.
Proof.
  induction l as [|a l IH]; intros l' H x Hx; [destruct Hx|]. cbn [all] in H. unfold bind in H.
  destruct (f a) as [b|] eqn:E; [|discriminate]. destruct (all f l) as [m|]; [|discriminate]. injection H as <-.
  destruct Hx as [->|Hx]; [exists b; split; [exact E | left; reflexivity]|].
  destruct (IH m eq_refl x Hx) as (y & Hy & Hin). exists y. split; [exact Hy | right; exact Hin].
Qed.

(** * Evidence *)
Record fold := Fold {
  d_low : Z; d_height : nat; d_row : nat;              (* the row of the result, from the top *)
  d_stands : place;
  d_conditioned : bool;                                (* whether conditions are used *)
  d_shifts : list cells_of_column;
  d_controls : list control; d_labels : list column; d_coarse : list N;
  d_heads : bool -> list (list (N * list N));          (* on the right?; for each control *)
  d_grams : bool -> list (list (N * list N)) }.

Definition phase_number (f : phase) : N :=
  match f with
  | In_track false => 0 | In_track true => 1 | Between => 2 | To false => 3 | At false => 4 | To true => 5
    | At true => 6
  | Put_down => 7 | Put => 8 | Pick_up => 9 | Pick => 10
  end.
Lemma phase_number_inj f g : phase_number f = phase_number g -> f = g.
Proof. destruct f as [[]| |[]|[]| | | |], g as [[]| |[]|[]| | | |]; simpl; congruence. Qed.
Definition control_eqb (k l : control) : bool :=
  let '(p, f, y, b) := k in let '(p', f', y', b') := l in
  (p =? p')%N && (phase_number f =? phase_number f')%N && (y =? y') && same_text b b'.
Lemma control_eqb_eq k l : control_eqb k l = true -> k = l.
Proof.
  destruct k as [[[p f] y] b], l as [[[p' f'] y'] b']. unfold control_eqb. rewrite !andb_true_iff, !N.eqb_eq, Z.eqb_eq.
  intros [[[-> E] ->] B]. apply phase_number_inj in E. apply same_text_eq in B. congruence.
Qed.
Definition column_eqb (c d : column) : bool :=
  let '(a, b, (w, at_)) := c in let '(a', b', (w', at_')) := d in
  option_eqb same_text a a' && option_eqb same_text b b' && wanted_eqb w w' && (at_ =? at_')%N.
Lemma column_eqb_eq c d : column_eqb c d = true -> c = d.
Proof.
  destruct c as [[a b] [w i]], d as [[a' b'] [w' i']]. unfold column_eqb. rewrite !andb_true_iff, N.eqb_eq.
  intros [[[A B] W] ->]. apply option_eqb_eq in A, B; try apply same_text_eq. apply wanted_eqb_eq in W. congruence.
Qed.

Definition track_hash (h : N) (t : track) : N := match t with Some l => mixes h l | None => mix h 77 end.
Definition column_hash (c : column) : positive :=
  let '(a, b, (w, at_)) := c in
    key (mix (mix (track_hash (track_hash 3 a) b) (match w with Wants s => s + 2 | Leads => 1 | Empty => 0 end)%N) at_).
Definition control_hash (k : control) : positive :=
  let '(p, f, y, b) := k in key (mixes (mix (mix (mix 5 p) (phase_number f)) (Z.to_N (y + 1000))) b).
Definition duty_hash (o : duty) : positive :=
  match o with
  | Enter s k n k' b => key (mix (mix (mix (mix (if s then 1 else 2)%N k) n) k') b)
  | Flow s k k' n => key (mix (mix (mix (if s then 3 else 4)%N k) k') n)
  | Chain s k n b => key (mix (mix (mix (if s then 5 else 6)%N k) n) (match b with Bare => 0 | Digit => 1
    | Omitted => 2 end)%N)
  end.

(** Numbers by what they stand for *)
Section Numbered.
  Variables (A : Type) (hash : A -> positive) (eqb : A -> A -> bool) (at_ : N -> A).
  Hypothesis eqb_eq : forall a b, eqb a b = true -> a = b.
  Definition number_index (l : list A) : buckets (positive * N) :=
    members _ (fun e => fst e) (combine (map hash l) (below (N.of_nat (length l)))).
  Definition number_in (m : buckets (positive * N)) (a : A) : option N :=
    option_map snd (find (fun e => eqb (at_ (snd e)) a) (bucket _ m (hash a))).
  Lemma number_in_ok m a i : number_in m a = Some i -> at_ i = a.
  Proof.
    unfold number_in. destruct (find _ _) as [[h j]|] eqn:E; [|discriminate]. cbn. intros H. injection H as <-.
    apply find_some in E as [_ E]. apply eqb_eq, E.
  Qed.
End Numbered.

Fixpoint sorted_with (w : N) (l : list N) : list N :=
  match l with
  | [] => [w]
  | v :: l' => match (w ?= v)%N with Lt => w :: l | Eq => l | Gt => v :: sorted_with w l' end
  end.
Definition no_rows : rows_by_label := PM.empty _.
Definition row_added (m : rows_by_label) (row : N * list N) : rows_by_label :=
  PM.add (key (fst row)) (fst row, fold_right sorted_with [] (snd row)) m.
Definition by_label (l : list (N * list N)) : rows_by_label := fold_left row_added l no_rows.
Definition by_coarse (coarse : N -> N) (l : list (N * list N)) : PM.t rows_by_label :=
  fold_left (fun m row => let n := coarse (fst row) in PM.add (key n) (row_added (get no_rows m n) row) m) l
    (PM.empty _).

(** * The checker *)
Definition head_rows (maps : bool -> PM.t rows_by_label) : list (bool * N * (N * list N)) :=
  flat_map (fun side : bool => flat_map (fun km => map (pair (side, Pos.pred_N (fst km))) (rows_of_map (snd km)))
    (PM.elements (maps side))) [false; true].

Definition line_hash (l : line) : positive :=
  match l with At_right => 1%positive
    | Line s o a b => key (mix (mix (mix s o) (if a then 1 else 2)) (if b then 1 else 2))%N end.

Section Check.
  Variables (depth : nat) (T : table) (digits : list symbol) (r : reading) (orders fine : N -> bool)
    (signs : list symbol) (e : fold).
  Variable kind_at : control -> column -> option held.
  Variables (control_at : N -> control) (label_at : N -> column) (coarse : N -> N).
  Variables (number_of_control : control -> option N) (number_of_label : column -> option N).
  Variables (heads : bool -> PM.t rows_by_label) (grams : bool -> PM.t (PM.t rows_by_label)).
  Definition heads_at (side : bool) (k : N) : rows_by_label := get no_rows (heads side) k.
  Definition grams_at (side : bool) (k n : N) : rows_by_label :=
    get no_rows (get (PM.empty rows_by_label) (grams side) k) n.
  Definition is_shift (cs : cells_of_column) : bool := existsb (same_text cs) (d_shifts e).
  Definition step_here : control -> column -> move_made := fstep T (d_low e) (d_height e) is_shift.

  Definition next_lines (l : line) : list line := map snd (columns (d_low e) (d_height e) digits r orders l).
  Definition among (lines : list line) : line -> bool :=
    is_member line line_hash line_eqb (members line line_hash lines).
  Definition leads_to (live : line -> bool) (l : line) : bool := is_end l || existsb live (next_lines l).
  (** Lines from which an input may come to its end. *)
  Fixpoint live_lines (fuel : nat) (all live : list line) : list line :=
    match fuel with
    | O => live
    | S fuel => let more := filter (leads_to (among live)) all in if Nat.eqb (length more) (length live) then live
      else live_lines fuel all more
    end.
  Definition numbered (live : line -> bool) (l : line) : list (option N * column * line) :=
    map (fun cl => (number_of_label (fst cl), fst cl, snd cl))
      (filter (fun cl => live (snd cl)) (columns (d_low e) (d_height e) digits r orders l)).
  Definition first_ok (lines : list (line * list (option N * column * line))) (k : N) : bool :=
    forallb (fun l => forallb (fun c => let '(x, c, l') := c in
      match find (fun m => line_eqb l' (fst m)) lines with
      | Some (_, lefts) => forallb (fun d => let '(x2, c2, _) := d in pair_ok coarse heads_at grams_at k x c x2 c2)
        lefts
      | None => false
      end) (snd l)) lines.

  Definition steps_ok : bool :=
    let duties_at row := let '(side, k, row) := row in
      head_duties step_here kind_at control_at label_at coarse number_of_control number_of_label heads_at grams_at side
        k row in
    match all duties_at (head_rows heads) with
    | None => false
    | Some l =>
        all_right duty duty_hash duty_eqb (fun o =>
          if duty_ok kind_at control_at label_at coarse heads_at grams_at o
          then Some (later_duties kind_at control_at label_at grams_at o) else None) depth (concat l)
    end.
  Definition starts_ok : bool :=
    let next l := Some (next_lines l) in
    all_right line line_hash line_eqb next depth [At_right] &&
    let all := found line line_hash line_eqb next depth [At_right] in
    let kept := live_lines (S (length all)) all [] in
    let live := among kept in
    forallb (fun l => implb (leads_to live l) (live l)) all &&
    forallb (fun l => match l with Line s o _ _ => implb (orders o) (fine s) | At_right => true end) kept &&
    let lines := map (fun l => (l, numbered live l)) kept in
    forallb (fun s => match number_of_control (0%N, In_track false, 0, on_row_0 (d_low e) (d_height e) s) with
                      | Some k => first_ok lines k
                      | None => false
                      end) signs.

  (** * Soundness *)
  Hypothesis number_control_ok : forall k i, number_of_control k = Some i -> control_at i = k.
  Hypothesis number_label_ok : forall c i, number_of_label c = Some i -> label_at i = c.
  Hypothesis steps : steps_ok = true.
  Hypothesis starts : starts_ok = true.
  Definition kept : control -> Z -> (Z -> column) -> Prop := Holds control_at label_at coarse heads_at grams_at.

  Lemma in_head_rows side k x ws : In (x, ws) (rows_of_map (heads_at side k)) ->
    In (side, k, (x, ws)) (head_rows heads).
  Proof.
    unfold heads_at, get. destruct (PM.find (key k) (heads side)) as [m|] eqn:E; [|intros H; exact (False_ind _ H)].
    intros H.
    apply PM.elements_correct in E. unfold head_rows. apply in_flat_map. exists side.
    split; [destruct side; simpl; auto|].
    apply in_flat_map. exists (key k, m). split; [exact E|]. cbn [fst snd].
    replace (Pos.pred_N (key k)) with k by (unfold key; rewrite N.pos_pred_succ; reflexivity). apply in_map. exact H.
  Qed.
  Lemma duties_known : exists duties,
    (forall side k x w, in_heads heads_at side k x w -> exists ws l, In w ws /\
      head_duties step_here kind_at control_at label_at coarse number_of_control number_of_label heads_at grams_at side
        k (x, ws) = Some l /\
      incl l duties) /\
    (forall o, In o duties -> duty_ok kind_at control_at label_at coarse heads_at grams_at o = true /\
      incl (later_duties kind_at control_at label_at grams_at o) duties).
  Proof.
    unfold steps_ok in steps. destruct (all _ _) as [l|] eqn:E; [|discriminate].
    apply all_right_sound in steps as (duties & C1 & C2); [|exact duty_eqb_eq]. exists duties. split.
    - intros side k x w (ws & Hin & Hw). apply in_head_rows in Hin. destruct (all_in _ _ _ E _ Hin) as (y & Hy & Hl).
      exists ws, y. split; [exact Hw|]. split; [exact Hy|]. intros o Ho. apply C1. apply in_concat. eauto.
    - intros o Ho. destruct (C2 o Ho) as (later & E' & Hl). destruct (duty_ok _ _ _ _ _ _ o); [|discriminate].
      injection E' as <-. split; [reflexivity | exact Hl].
  Qed.
  Lemma kept_step : kept_by step_here kept.
  Proof. destruct duties_known as (duties & D1 & D2). eapply holds_step; eauto. Qed.
  Lemma kept_halted k z t : kept k z t -> step_here k (t z) = Halted ->
    forall j, exists u v, kind_at k (t j) = Some u /\ kind_at k (t (j + 1)) = Some v /\ ordered u v = true.
  Proof. destruct duties_known as (duties & D1 & D2). eapply holds_halted; eauto. Qed.

  Section First.
    Variables A B : list N.
    Hypotheses (A_digits : Forall (fun v => (v < N.of_nat (length digits))%N) A)
      (B_digits : Forall (fun v => (v < N.of_nat (length digits))%N) B).
    Hypotheses (A_some : A <> []) (B_some : B <> []).
    Hypothesis allowed : forall j, (longer A B <= j)%nat -> orders (order_at orders A B j) = true.
    Lemma live_found : exists kept, (forall j, In (line_at r orders A B j) kept) /\
      (forall z, exists l l' l'', In l kept /\ In (first_tape (d_low e) (d_height e) digits r A B z, l')
        (columns (d_low e) (d_height e) digits r orders l) /\
         In l' kept /\ In (first_tape (d_low e) (d_height e) digits r A B (z - 1), l'')
           (columns (d_low e) (d_height e) digits r orders l') /\ In l'' kept) /\
      forallb (fun l => match l with Line s o _ _ => implb (orders o) (fine s) | At_right => true end) kept = true /\
      forallb (fun s => match number_of_control (0%N, In_track false, 0, on_row_0 (d_low e) (d_height e) s) with
                        | Some k => first_ok (map (fun l => (l, numbered (among kept) l)) kept) k
                        | None => false
                        end) signs = true.
    Proof.
      unfold starts_ok in starts. apply andb_true_iff in starts as [C S1].
      apply all_right_found in C as [C1 C2]; [|exact line_eqb_eq].
      cbv zeta in S1. set (all := found _ _ _ _ _ _) in *. set (kept := live_lines _ _ _) in *. clearbody kept.
      apply andb_true_iff in S1 as [S1 S3]. apply andb_true_iff in S1 as [S1 S2]. rewrite forallb_forall in S1.
      assert (Closed : forall l c l', In l all -> In (c, l') (columns (d_low e) (d_height e) digits r orders l) ->
        In l' all).
      { intros l c l' Hl Hc. destruct (C2 l Hl) as (l0 & E & Hn). injection E as <-. apply Hn. apply in_map_iff.
        exists (c, l'). auto. }
      assert (Live : forall l, In l kept -> among kept l = true).
      { intros l Hl. unfold among, is_member. apply existsb_exists. exists l.
        split; [apply (members_complete line line_hash); exact Hl|].
        destruct l; cbn; rewrite ?N.eqb_refl, ?Bool.eqb_reflx; reflexivity. }
      assert (Alive : forall l, In l all -> is_end l = true \/
        (exists c l', In (c, l') (columns (d_low e) (d_height e) digits r orders l) /\ In l' kept) -> In l kept).
      { intros l Hl Hd. specialize (S1 l Hl). apply (is_member_sound line line_hash line_eqb line_eqb_eq kept l).
        fold (among kept).
        destruct (leads_to (among kept) l) eqn:E; [exact S1|]. exfalso. unfold leads_to in E.
        apply orb_false_iff in E as [E1 E2].
        destruct Hd as [Hd | (c & l' & Hc & Hl')]; [congruence|]. apply not_true_iff_false in E2.
        apply E2, existsb_exists. exists l'.
        split; [apply in_map_iff; exists (c, l'); auto | apply Live; exact Hl']. }
      exists kept. split; [|split; [|split; assumption]].
      - apply (on_lines (d_low e) (d_height e) digits r orders A B A_digits B_digits A_some B_some allowed all kept);
          auto. apply C1. left. reflexivity.
      - apply (neighbours (d_low e) (d_height e) digits r orders A B A_digits B_digits A_some B_some allowed all kept);
          auto. apply C1. left. reflexivity.
    Qed.
    Lemma fine_first : fine (state_at r (FoldedInputs.digit_of A) (FoldedInputs.digit_of B) (longer A B) (longer A B)) =
      true.
    Proof.
      destruct live_found as (kept & Hk & _ & Hf & _). rewrite forallb_forall in Hf.
      specialize (Hf _ (Hk (longer A B))).
      assert (P : (0 < longer A B)%nat) by (unfold longer; destruct A; [congruence | cbn [length]; lia]).
      pose proof (allowed (longer A B) (Nat.le_refl _)) as Al. destruct (longer A B) as [|i] eqn:E; [lia|].
      unfold line_at in Hf. rewrite E in Hf. cbv iota beta in Hf.
      rewrite Al in Hf. exact Hf.
    Qed.
    Lemma kept_first s : d_low e <= 0 < d_low e + Z.of_nat (d_height e) -> ~ In 0%N digits -> In s signs ->
      kept (0%N, In_track false, 0, on_row_0 (d_low e) (d_height e) s) (1 - Z.of_nat (length A))
        (first_tape (d_low e) (d_height e) digits r A B).
    Proof.
      intros Hr Hb Hs. destruct live_found as (lines & _ & Hnear & _ & Hok). rewrite forallb_forall in Hok.
      specialize (Hok s Hs).
      destruct (number_of_control _) as [k|] eqn:Ek in Hok; [|discriminate]. apply number_control_ok in Ek.
      destruct (first_stands (d_low e) (d_height e) digits r A B A_digits A_some Hr Hb label_at coarse number_of_label
        number_label_ok
                  heads_at grams_at k) as (lab & Hl & S).
      - intros z. destruct (Hnear z) as (l & l' & l'' & Hin & Hc & Hin' & Hc' & Hin'').
        unfold first_ok in Hok. rewrite forallb_forall in Hok.
        specialize (Hok (l, numbered (among lines) l) ltac:(apply (in_map (fun l => (l, numbered (among lines) l)));
          exact Hin)). cbn [snd] in Hok.
        rewrite forallb_forall in Hok.
        assert (Hn : forall l c l', In (c, l') (columns (d_low e) (d_height e) digits r orders l) -> In l' lines ->
          In (number_of_label c, c, l') (numbered (among lines) l)).
        { intros l0 c l0' H0 H1. unfold numbered. apply in_map_iff. exists (c, l0'). split; [reflexivity|].
          apply filter_In. split; [exact H0|].
          unfold among, is_member. apply existsb_exists. exists l0'.
          split; [apply (members_complete line line_hash); exact H1|].
          cbn [snd]. destruct l0'; cbn; rewrite ?N.eqb_refl, ?Bool.eqb_reflx; reflexivity. }
        specialize (Hok _ (Hn _ _ _ Hc Hin')). cbv beta iota in Hok.
        destruct (find _ _) as [[l1 lefts]|] eqn:F; [|discriminate]. apply find_some in F as [F1 F2]. cbn [fst] in F2.
        apply line_eqb_eq in F2. subst l1. apply in_map_iff in F1 as (l1 & E & _). injection E as -> <-.
        rewrite forallb_forall in Hok. exact (Hok _ (Hn _ _ _ Hc' Hin'')).
      - exists k, lab. auto.
    Qed.
  End First.
End Check.
