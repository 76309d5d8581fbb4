(** (V15): the words beside the head, what is known of them at an element, and what a step makes of them. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Unknowns Facts Values Findings Situations Stretches ClausePolynomials Tokens.
Import ListNotations.

Lemma flat_map_nothing {A B} (h : A -> list B) l : (forall i, In i l -> h i = []) -> flat_map h l = [].
Proof. induction l as [|i l IH]; intros H; [reflexivity|]. cbn. rewrite H, IH; [reflexivity | intros j Hj; apply H; right; exact Hj | left; reflexivity]. Qed.

Lemma part_symbol parts i : (i < length (concat parts))%nat -> (0 < part_here parts (Z.of_nat i))%N /\ In (row_symbol (concat parts) i) (nth (N.to_nat (N.pred (part_here parts (Z.of_nat i)))) parts []).
Proof.
  intros Hi. unfold part_here, row_symbol. destruct (Z.ltb_spec (Z.of_nat i) 0); [lia|]. rewrite Nat2Z.id.
  destruct (column_parts_spec parts 1 i Hi (N.succ (N.of_nat (length parts)))) as (k & -> & Hk & Ho).
  split; [lia|]. replace (N.to_nat (N.pred (1 + N.of_nat k))) with k by lia. pose proof (nth_error_nth' parts [] Hk) as Hn.
  rewrite (offset_next _ _ _ Hn) in Ho. replace i with (offset parts k + (i - offset parts k))%nat by lia.
  rewrite (nth_concat _ _ _ _ Hn) by lia. apply nth_In. lia.
Qed.
Lemma part_bound pieces parts X : Forall2 matches pieces parts -> In (part_here parts X) (below (N.of_nat (length pieces) + 2)).
Proof.
  intros parts_ok. apply in_below. rewrite (same_length _ _ _ _ _ parts_ok). unfold part_here. destruct (X <? 0)%Z; [lia|].
  destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [H|H].
  - destruct (column_parts_spec parts 1 _ H (N.succ (N.of_nat (length parts)))) as (k & -> & Hk & _). lia.
  - rewrite nth_overflow by (rewrite column_parts_length; exact H). lia.
Qed.

Section Moves.
  Context {sc : scene}.
  Import Scene.
  Variable image : symbol -> symbol.                  (* 0 for none *)
  Hypothesis image_blank : image 0%N = 0%N.
  Definition img (s : symbol) : list symbol := if (image s =? 0)%N then [] else [image s].
  Lemma img_blank : img 0%N = [].
  Proof. unfold img. rewrite image_blank. reflexivity. Qed.
  Lemma img_short s : (length (img s) <= 1)%nat.
  Proof. unfold img. destruct (image s =? 0)%N; cbn; lia. Qed.
  Definition cell_image (w : world) (X : Z) (r : nat) : list symbol := img (w X (low + Z.of_nat r)%Z).
  Definition beside_word (r : nat) (g : group) (w : world) (lab : Z -> N) (X : Z) : list symbol :=
    if in_group class_of told_at g r (label_at (lab X)) then cell_image w X r else [].
  Definition outs (sd : bool) (r : nat) (g : group) (x : Z) (w : world) (lab : Z -> N) (k : nat) : list symbol :=
    flat_map (fun i => beside_word r g w lab (x + sg sd * Z.of_nat i)) (seq 1 k).
  Definition env_at (x : Z) (w : world) (lab : Z -> N) (k : nat) (a : atom) : list symbol :=
    match a with Head r => cell_image w x r | Entered _ => [] | Side sd r g => outs sd r g x w lab k end.

  Lemma outs_more sd r g x w lab k d : (forall i Y, (k < i)%nat -> w (x + sg sd * Z.of_nat i)%Z Y = 0%N) ->
    outs sd r g x w lab (k + d) = outs sd r g x w lab k.
  Proof.
    intros H. unfold outs. rewrite seq_app, flat_map_app. rewrite <- app_nil_r. f_equal.
    apply flat_map_nothing. intros i Hi. apply in_seq in Hi. unfold beside_word, cell_image. rewrite H by lia. rewrite img_blank.
    destruct (in_group _ _ _ _ _); reflexivity.
  Qed.
  Lemma outs_first sd r g x w lab k : outs sd r g x w lab (S k) = beside_word r g w lab (x + sg sd) ++ outs sd r g (x + sg sd) w lab k.
  Proof.
    unfold outs. cbn [seq flat_map]. f_equal; [f_equal; lia|]. rewrite <- seq_shift, flat_map_concat_map, map_map, flat_map_concat_map. f_equal.
    apply map_ext. intros i. f_equal. lia.
  Qed.
  Lemma outs_same sd r g x w lab w' lab' k : (forall X, (0 < sg sd * (X - x))%Z -> (forall Y, w' X Y = w X Y) /\ lab' X = lab X) ->
    outs sd r g x w' lab' k = outs sd r g x w lab k.
  Proof.
    intros H. unfold outs. rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros i Hi. apply in_seq in Hi.
    destruct (H (x + sg sd * Z.of_nat i)%Z) as [Hw Hl]; [destruct sd; unfold sg; lia|]. unfold beside_word, cell_image. rewrite Hw, Hl. reflexivity.
  Qed.

  (** * What is known at an element *)
  Context {un : unknowns} {fi : findings} {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis tells : telling = true.
  Definition letters_beside (mask : N) (r : nat) (g : group) : list symbol :=
    match g with
    | Fresh j => if (0 <? j)%N && existsb (fun c => N.testbit mask (cell_bit true j c r)) all_classes
                 then nodup N.eq_dec (flat_map img (symbols_of_clause (nth (N.to_nat (N.pred j)) pieces Nothing))) else []
    | Worn c _ => if existsb (fun j => N.testbit mask (cell_bit false j c r)) (below (N.of_nat (length pieces) + 2))
                  then nodup N.eq_dec (flat_map img (class_symbols c)) else []
    end.
  Definition facts_at (cells : list known) (l r : N) : facts :=
    Tokens.Facts
      (fun a => match a with
        | Head i => match nth_error cells i with Some v => nodup N.eq_dec (flat_map img (symbols_held n class_of v)) | None => [] end
        | Entered _ => []
        | Side sd i g => letters_beside (if sd then r else l) i g
        end)
      (fun a => match a with
        | Head i => Nat.ltb i height && match nth_error cells i with Some v => forallb (fun s => negb (image s =? 0)%N) (symbols_held n class_of v) | None => false end
        | _ => false
        end).
  Definition masks_of (el : Strips.element) : N * N :=
    let '(p, _, _, _, l, r) := el in (there false (kind_of p) (head_of l), there true (kind_of p) (head_of r)).

  Section At.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    (** Fresh columns hold what they held. *)
    Definition untouched (w : world) (lab : Z -> N) : Prop :=
      forall X Y, snd (label_at (lab X)) = 0%N -> w X Y = input_world (concat parts) X Y.

    Lemma facts_at_ok p q x y w lab lo m cells : present parts p q x y w lab lo m -> untouched w lab -> @fits_cells _ w cells x ->
      true_facts (env_at x w lab m) (let '(l, r) := masks_of (here (s_d e) coarse_at p q x y lab) in facts_at cells l r).
    Proof.
      intros now Hu Hf. pose proof (inside_strip now) as (Hover & _ & Hout & Hfit & _). unfold masks_of, here. cbn [near head_of].
      assert (Low : forall X r, (height <= r)%nat -> cell_image w X r = []) by (intros X r Hr; unfold cell_image; rewrite Hout by (unfold inside; lia); apply img_blank).
      intros [r|r|sd r g]; cbn [env_at letters sure facts_at is_cell].
      - split; [|split; [|intros _; apply img_short]]; (destruct (Nat.lt_ge_cases r height) as [Hr|Hr]; [destruct (Hf r Hr) as (v & -> & Hh); pose proof (held _ _ _ _ Hh (Hover x _)) as Hin | rewrite (Low x r Hr)]).
        + intros l Hl. apply nodup_In, in_flat_map. eexists. split; [exact Hin | exact Hl].
        + intros l [].
        + intros Hs. apply andb_true_iff in Hs as [_ Hs]. rewrite forallb_forall in Hs. specialize (Hs _ Hin). apply negb_true_iff in Hs. unfold cell_image, img. unfold symbol in *. rewrite Hs. discriminate.
        + intros Hs. apply andb_true_iff in Hs as [Hs _]. apply Nat.ltb_lt in Hs. lia.
      - split; [intros l []|]. split; [discriminate | intros _; cbn; lia].
      - split; [|split; discriminate]. intros a Ha. unfold outs in Ha. apply in_flat_map in Ha as (i & Hi & Ha). apply in_seq in Hi.
        set (X := (x + sg sd * Z.of_nat i)%Z) in *. assert (HX : (0 < sg sd * (X - x))%Z) by (unfold X; destruct sd; unfold sg; lia).
        unfold beside_word in Ha. destruct (in_group class_of told_at g r (label_at (lab X))) eqn:Eg; [|destruct Ha].
        destruct (Nat.lt_ge_cases r height) as [Hr|Hr]; [|rewrite (Low X r Hr) in Ha; destruct Ha].
        pose proof (class_here p q x y w lab X r (inside_strip now) Hr) as Hc.
        pose proof (there_here p q x y w lab sd X _ tells (inside_strip now) HX (cells_mask_bit _ r _ Hr Hc)) as Hbit.
        replace (if sd then there true (kind_of p) (coarse_at (lab (x + 1)%Z)) else there false (kind_of p) (coarse_at (lab (x + -1)%Z)))
          with (there sd (kind_of p) (coarse_at (lab (x + sg sd)%Z))) by (destruct sd; reflexivity).
        set (mask := there _ _ _) in *. destruct (places now X) as [Hp _]. rewrite Hp in Hbit.
        destruct (label_at (lab X)) as [[cs place] mark] eqn:El. unfold is_fresh in Hbit. cbn [snd] in Hbit. unfold place_of in Hp. unfold in_group in Eg.
        destruct g as [j|c j]; cbn [letters_beside].
        + apply andb_true_iff in Eg as [Em Ej]. rewrite Em in Hbit. apply N.eqb_eq in Em, Ej. rewrite Hp in Ej. rewrite Ej in Hbit.
          unfold cell_image in Ha. rewrite (Hu X) in Ha by (rewrite El; exact Em). unfold input_world in Ha.
          destruct ((low + Z.of_nat r =? 0)%Z && (0 <=? X)%Z) eqn:E0; [|rewrite img_blank in Ha; destruct Ha].
          apply andb_true_iff in E0 as [_ E0]. apply Z.leb_le in E0.
          destruct (Nat.lt_ge_cases (Z.to_nat X) (length (concat parts))) as [Hlt|Hge];
            [|unfold row_symbol in Ha; rewrite nth_overflow in Ha by exact Hge; rewrite img_blank in Ha; destruct Ha].
          pose proof (part_symbol parts _ Hlt) as [Hpos Hs]. rewrite Z2Nat.id, Ej in Hpos, Hs by exact E0. apply N.ltb_lt in Hpos. rewrite Hpos. cbn [andb].
          replace (existsb _ all_classes) with true.
          2: { symmetry. apply existsb_exists. exists (class_of (w X (low + Z.of_nat r)%Z)). split; [apply nodup_In, in_map, in_below, Hover | exact Hbit]. }
          apply nodup_In, in_flat_map. eexists. split; [|exact Ha].
          destruct (Nat.lt_ge_cases (N.to_nat (N.pred j)) (length pieces)) as [Hj|Hj].
          * eapply symbols_of_clause_ok; [apply (each_pair _ _ _ _ _ parts_ok); exact Hj | exact Hs].
          * rewrite (same_length _ _ _ _ _ parts_ok) in Hj. rewrite nth_overflow in Hs by exact Hj. destruct Hs.
        + apply andb_true_iff in Eg as [Eg _]. apply andb_true_iff in Eg as [Em Ec]. apply negb_true_iff in Em. rewrite Em in Hbit.
          rewrite Hc in Ec. apply N.eqb_eq in Ec. rewrite Ec in Hbit.
          replace (existsb _ _) with true.
          2: { symmetry. apply existsb_exists. exists (part_here parts X). split; [apply part_bound; exact parts_ok | exact Hbit]. }
          apply nodup_In, in_flat_map. exists (w X (low + Z.of_nat r)%Z). split; [|exact Ha].
          apply filter_In. split; [apply in_below, Hover | apply N.eqb_eq; exact Ec].
    Qed.
  End At.

  (** * A step: words behind the head as they are before it, words ahead as they are after it *)
  Definition new_cell (row : nat) (s : symbol) (r : nat) : list token := if Nat.eqb r row then map Letter (img s) else [Named (Head r) false].
  Definition as_before (side : Z) (entered : N) (a : atom) : list token :=
    match a with
    | Side sd r g => (if (sg sd =? side)%Z && in_group class_of told_at g r (label_at entered) then [Named (Entered r) false] else []) ++ [Named a false]
    | Head _ => [Named a false]
    | Entered _ => []
    end.
  Definition as_after (side : Z) (left_ : N) (row : nat) (s : symbol) (a : atom) : list token :=
    match a with
    | Side sd r g => (if (sg sd =? - side)%Z && in_group class_of told_at g r (label_at left_) then new_cell row s r else []) ++ [Named a false]
    | Head r => if (side =? 0)%Z then new_cell row s r else [Named (Entered r) false]
    | Entered _ => []
    end.
  Definition facts_of_step (side : Z) (left_ entered : N) (f f' : facts) : facts :=
    Tokens.Facts
      (fun a => match a with
        | Head _ => letters f a
        | Entered r => letters f' (Head r)
        | Side sd r g =>
            let ahead := (sg sd =? side)%Z in
            let changed := in_group class_of told_at g r (label_at (if ahead then entered else left_)) && negb (side =? 0)%Z in
            let '(own, other) := if ahead then (letters f' a, letters f a) else (letters f a, letters f' a) in
            if changed then own else match other with [] => [] | _ => own end
        end)
      (fun a => match a with Head _ => sure f a | Entered r => sure f' (Head r) | _ => false end).

  Section Step.
    Variable parts : list (list symbol).
    Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat) (s : symbol) (mv : move) (p' q' : state) (c : N).
    Hypothesis now : present parts p q x y w lab lo m.
    Notation x' := (x + dx mv)%Z.
    Notation w' := (put w x y s).
    Notation lab' := (relabelled lab x c).
    Notation row := (Z.to_nat (y - low)).
    Notation env := (env_at x w lab m).
    Notation env' := (env_at x' w' lab' (S (S m))).
    Definition env_of_step (a : atom) : list symbol :=
      match a with
      | Head _ => env a
      | Entered r => env' (Head r)
      | Side sd _ _ => if (sg sd =? dx mv)%Z then env' a else env a
      end.
    Lemma blank_out sd i Y : (m < i)%nat -> w (x + sg sd * Z.of_nat i)%Z Y = 0%N.
    Proof. intros Hi. apply (blank now). pose proof (head_within now). destruct sd; unfold sg; lia. Qed.
    Lemma beyond sd X : (0 < sg sd * (X - x))%Z -> X <> x.
    Proof. intros H ->. destruct sd; unfold sg in H; lia. Qed.
    Lemma elsewhere X : X <> x -> (forall Y, w' X Y = w X Y) /\ lab' X = lab X.
    Proof. intros H. apply Z.eqb_neq in H. unfold put, relabelled. rewrite H. auto. Qed.
    Lemma new_cell_ok r : word env_of_step (new_cell row s r) = cell_image w' x r.
    Proof.
      pose proof (inside_strip now) as (_ & Hy & _). unfold inside in Hy. unfold new_cell, cell_image, put. rewrite Z.eqb_refl. cbn [andb].
      destruct (Nat.eqb_spec r row) as [->|Ne].
      - replace (low + Z.of_nat row =? y)%Z with true by (symmetry; apply Z.eqb_eq; lia). unfold img. destruct (image s =? 0)%N; reflexivity.
      - replace (low + Z.of_nat r =? y)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbn. apply app_nil_r.
    Qed.
    Lemma outs_ahead sd r g : sg sd = dx mv -> outs sd r g x w lab m = beside_word r g w' lab' x' ++ outs sd r g x' w' lab' (S (S m)).
    Proof.
      intros E. rewrite <- E. transitivity (outs sd r g x w lab (S (S (S m)))).
      - replace (S (S (S m))) with (m + 3)%nat by lia. symmetry. apply outs_more. intros i Y. apply blank_out.
      - rewrite outs_first. assert (Ne : forall X, (0 <= sg sd * (X - (x + sg sd)))%Z -> X <> x) by (intros X HX ->; destruct sd; unfold sg in *; lia).
        f_equal; [|symmetry; apply outs_same; intros X HX; apply elsewhere, Ne; lia].
        destruct (elsewhere (x + sg sd)%Z) as [Ew El]; [destruct sd; unfold sg; lia|]. unfold beside_word, cell_image. rewrite Ew, El. reflexivity.
    Qed.
    Lemma outs_behind sd r g : sg sd = (- dx mv)%Z -> outs sd r g x' w' lab' (S (S m)) = beside_word r g w' lab' x ++ outs sd r g x w lab m.
    Proof.
      intros E. rewrite outs_first. replace (x' + sg sd)%Z with x by lia. f_equal.
      rewrite (outs_same sd r g x w lab) by (intros X HX; exact (elsewhere X (beyond sd X HX))). replace (S m) with (m + 1)%nat by lia. apply outs_more. intros i Y. apply blank_out.
    Qed.
    Lemma outs_stay sd r g : dx mv = 0%Z -> outs sd r g x' w' lab' (S (S m)) = outs sd r g x w lab m.
    Proof.
      intros E. rewrite E, Z.add_0_r, (outs_same sd r g x w lab) by (intros X HX; exact (elsewhere X (beyond sd X HX))).
      replace (S (S m)) with (m + 2)%nat by lia. apply outs_more. intros i Y. apply blank_out.
    Qed.
    Lemma sides sd : sg sd = dx mv \/ sg sd = (- dx mv)%Z /\ sg sd <> dx mv \/ dx mv = 0%Z /\ sg sd <> dx mv.
    Proof. destruct sd, mv; cbn; lia. Qed.

    Lemma as_before_ok a : word env_of_step (as_before (dx mv) (lab' x') a) = env a.
    Proof.
      destruct a as [r|r|sd r g]; [cbn; apply app_nil_r | reflexivity |]. cbn [as_before]. rewrite word_app.
      destruct (Z.eqb_spec (sg sd) (dx mv)) as [E|E].
      - cbn [andb]. transitivity (beside_word r g w' lab' x' ++ outs sd r g x' w' lab' (S (S m))); [|symmetry; apply outs_ahead; exact E].
        f_equal; [unfold beside_word; destruct (in_group _ _ _ _ _); [cbn; apply app_nil_r | reflexivity]|].
        cbn. rewrite app_nil_r. apply Z.eqb_eq in E. rewrite E. reflexivity.
      - cbn. rewrite app_nil_r. apply Z.eqb_neq in E. rewrite E. reflexivity.
    Qed.
    Lemma as_after_ok a : word env_of_step (as_after (dx mv) c row s a) = env' a.
    Proof.
      assert (Ec : lab' x = c) by (unfold relabelled; rewrite Z.eqb_refl; reflexivity).
      destruct a as [r|r|sd r g]; [| reflexivity |]; cbn [as_after env_at].
      - destruct (Z.eqb_spec (dx mv) 0) as [E|E]; [rewrite new_cell_ok, E, Z.add_0_r; reflexivity | cbn; apply app_nil_r].
      - rewrite word_app. assert (Own : word env_of_step [Named (Side sd r g) false] = if (sg sd =? dx mv)%Z then outs sd r g x' w' lab' (S (S m)) else outs sd r g x w lab m).
        { cbn. rewrite app_nil_r. reflexivity. }
        rewrite Own. destruct (sides sd) as [E|[[E Ne]|[E Ne]]].
        + assert (sg sd <> (- dx mv)%Z) by (destruct sd; unfold sg in *; lia). apply Z.eqb_neq in H. rewrite H. apply Z.eqb_eq in E. rewrite E. reflexivity.
        + apply Z.eqb_neq in Ne. rewrite Ne, (outs_behind sd r g E). f_equal. apply Z.eqb_eq in E. rewrite E. cbn [andb]. unfold beside_word. rewrite Ec.
          destruct (in_group _ _ _ _ _); [apply new_cell_ok | reflexivity].
        + rewrite (outs_stay sd r g E). apply Z.eqb_neq in Ne. rewrite Ne. replace (sg sd =? - dx mv)%Z with false; [reflexivity|]. symmetry. apply Z.eqb_neq. destruct sd; unfold sg; lia.
    Qed.
    Lemma facts_of_step_ok f f' : true_facts env f -> true_facts env' f' -> true_facts env_of_step (facts_of_step (dx mv) c (lab' x') f f').
    Proof.
      intros F F'. assert (Ec : lab' x = c) by (unfold relabelled; rewrite Z.eqb_refl; reflexivity).
      intros [r|r|sd r g]; cbn [env_of_step facts_of_step letters sure]; [exact (F (Head r)) | exact (F' (Head r)) |].
      split; [|split; discriminate]. destruct (F (Side sd r g)) as [Fl _]. destruct (F' (Side sd r g)) as [Fl' _]. intros l Hl.
      assert (Same : in_group class_of told_at g r (label_at (if (sg sd =? dx mv)%Z then lab' x' else c)) && negb (dx mv =? 0)%Z = false -> env (Side sd r g) = env' (Side sd r g)).
      { intros G. cbn [env_at]. destruct (sides sd) as [E|[[E Ne]|[E Ne]]].
        - assert (dx mv <> 0)%Z by (destruct sd; unfold sg in *; lia). apply Z.eqb_neq in H. rewrite H, andb_true_r in G. apply Z.eqb_eq in E. rewrite E in G. apply Z.eqb_eq in E.
          rewrite (outs_ahead sd r g E). unfold beside_word. rewrite G. reflexivity.
        - assert (dx mv <> 0)%Z by (destruct sd; unfold sg in *; lia). apply Z.eqb_neq in H. rewrite H, andb_true_r in G. apply Z.eqb_neq in Ne. rewrite Ne in G.
          rewrite (outs_behind sd r g E). unfold beside_word. rewrite Ec, G. reflexivity.
        - symmetry. apply outs_stay. exact E. }
      destruct (in_group _ _ _ _ _ && _) eqn:G.
      - destruct (sg sd =? dx mv)%Z; auto.
      - specialize (Same eq_refl). destruct (sg sd =? dx mv)%Z.
        + specialize (Fl l). rewrite Same in Fl. specialize (Fl Hl). destruct (letters f (Side sd r g)); [destruct Fl | exact (Fl' l Hl)].
        + specialize (Fl' l). rewrite <- Same in Fl'. specialize (Fl' Hl). destruct (letters f' (Side sd r g)); [destruct Fl' | exact (Fl l Hl)].
    Qed.
  End Step.
End Moves.
