(** (V8) on all worlds: a column may be any, and so may be those beside it. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Strips Starts.
Import ListNotations.

Fixpoint words {A} (among : list A) (m : nat) : list (list A) :=
  match m with O => [[]] | S m => flat_map (fun w => map (fun a => a :: w) among) (words among m) end.
Lemma in_words {A} (among : list A) l : (forall a, In a l -> In a among) -> In l (words among (length l)).
Proof.
  induction l as [|a l IH]; intros H; [left; reflexivity|]. apply in_flat_map. exists l.
  split; [apply IH; intros b Hb; apply H; right; exact Hb|]. apply (in_map (fun a => a :: l)), H. left. reflexivity.
Qed.

Definition most_beginnings : N := 1000000.

Section First.
  Variables (n : N) (low : Z) (height d : nat) (class_of : symbol -> N) (kind_of : state -> N).
  Variables (label_at : N -> label) (coarse_at : N -> N) (number : label -> option N).
  Hypothesis number_ok : forall l i, number l = Some i -> label_at i = l.
  Variables (elements : list Strips.element) (grams : list gram).
  Variables (is_element : Strips.element -> bool) (is_gram : gram -> bool).
  Hypothesis is_element_ok : forall e, is_element e = true -> In e elements.
  Hypothesis is_gram_ok : forall g, is_gram g = true -> In g grams.

  Definition any_label (cells : list known) : label := (cells, right_place 0%N, 0%N).
  Definition any_coarse (columns : list (list known)) : list N :=
    nodup N.eq_dec (flat_map (fun c => match number (any_label c) with Some i => [coarse_at i]
      | None => [] end) columns).
  Definition begins_ok (beside : list (list N)) (cells : list known) : bool :=
    match number (any_label cells) with
    | Some i => forallb (fun w => is_gram (false, kind_of 0%N, i, w) && is_gram (true, kind_of 0%N, i, w) &&
                  forallb (fun l => is_element (0%N, 0%N, 0%Z, i, l, w)) beside) beside
    | None => false
    end.
  Definition anywhere_ok : bool :=
    (low <=? 0)%Z && (0 <? low + Z.of_nat height)%Z && (n ^ N.of_nat height <=? most_beginnings)%N &&
    let columns := words (map Is (below n)) height in
    let coarse := any_coarse columns in
    (n ^ N.of_nat height * N.of_nat (length coarse) ^ N.of_nat (2 * S d) <=? most_beginnings)%N &&
    let beside := words coarse (S d) in forallb (begins_ok beside) columns.

  Variables (w : world) (x : Z).
  Hypothesis over_n : over n w.
  Hypothesis blank_outside : forall X Y, ~ inside low height Y -> w X Y = 0%N.
  Definition cells_at (X : Z) : list known := map (fun i => Is (w X (low + Z.of_nat i)%Z)) (seq 0 height).
  Definition label_of (X : Z) : N := match number (any_label (cells_at X)) with Some i => i | None => 0%N end.

  Lemma cells_among X : In (cells_at X) (words (map Is (below n)) height).
  Proof.
    assert (E : length (cells_at X) = height) by (unfold cells_at; rewrite map_length; apply seq_length).
    rewrite <- E. apply in_words. intros a Ha. apply in_map_iff in Ha as (i & <- & _). apply in_map, in_below, over_n.
  Qed.
  Lemma cells_fit X : fits low height class_of w X (any_label (cells_at X)).
  Proof.
    intros i Hi. exists (Is (w X (low + Z.of_nat i)%Z)). split; [|reflexivity]. unfold any_label, cells_of, cells_at.
    cbn [fst].
    rewrite nth_error_map, (nth_error_nth' _ O) by (rewrite seq_length; exact Hi). rewrite seq_nth by exact Hi.
    reflexivity.
  Qed.
  Lemma near_among among m sigma lab : (forall X, In (coarse_at (lab X)) among) -> forall X,
    In (near coarse_at m sigma lab X) (words among m).
  Proof.
    intros H. induction m as [|m IH]; intros X; [left; reflexivity|]. cbn [near words]. apply in_flat_map.
    eexists. split; [apply IH|]. apply in_map_iff. eexists. split; [reflexivity | apply H].
  Qed.

  Lemma anywhere_stands : anywhere_ok = true ->
    labelled n low height d class_of kind_of label_at coarse_at elements grams 0%N 0%N x 0%Z w label_of.
  Proof.
    unfold anywhere_ok. intros H. rewrite !andb_true_iff in H. destruct H as [[[Hlow Hhi] _] [_ H]].
    apply Z.leb_le in Hlow. apply Z.ltb_lt in Hhi. set (among := any_coarse _) in H. rewrite forallb_forall in H.
    assert (Hn : forall X, number (any_label (cells_at X)) = Some (label_of X)).
    { intros X. specialize (H _ (cells_among X)). unfold begins_ok, label_of in *.
      destruct (number _); [reflexivity | discriminate]. }
    assert (Hc : forall X, In (coarse_at (label_of X)) among).
    { intros X. apply nodup_In, in_flat_map. exists (cells_at X). split; [apply cells_among|]. rewrite Hn. left.
      reflexivity. }
    assert (Hb : forall X sigma tau,
      In (false, kind_of 0%N, label_of X, near coarse_at (S d) sigma label_of X) grams /\
      In (true, kind_of 0%N, label_of X, near coarse_at (S d) sigma label_of X) grams /\
      In (0%N, 0%N, 0%Z, label_of X, near coarse_at (S d) tau label_of X, near coarse_at (S d) sigma label_of X)
        elements).
    { intros X sigma tau. specialize (H _ (cells_among X)). unfold begins_ok in H. rewrite Hn, forallb_forall in H.
      specialize (H _ (near_among among (S d) sigma label_of Hc X)). rewrite !andb_true_iff, forallb_forall in H.
      destruct H as [[H1 H2] H3]. specialize (H3 _ (near_among among (S d) tau label_of Hc X)). auto. }
    split; [exact over_n|]. split; [unfold inside; lia|]. split; [exact blank_outside|].
    split; [intros X; rewrite (number_ok _ _ (Hn X)); apply cells_fit|]. split; [apply Hb|].
    intros side X _. destruct side; apply Hb; exact 0%Z.
  Qed.
End First.

Definition is_anywhere (e : strip) : bool := match s_steps e with [] => true | _ => false end.
Definition no_descents (e : strip) : bool := match s_descents e with [] => true | _ => false end.
Definition check_anywhere (k : stuckness) (n : N) (left right : rules) (e : strip) : bool :=
  no_descents e && (0 <? n)%N &&
  check_moves k n left right e (fun _ _ _ _ _ => true)
    (anywhere_ok n (s_low e) (s_height e) (s_d e) (kinds_of e) (coarse_of e)).

(** What the strip sees of a world, its row 0 being the one where the head starts: all else is blank. *)
Definition seen_from (low : Z) (height : nat) (w : world) (y0 : Z) : world :=
  fun X Y => if ((low <=? Y) && (Y <? low + Z.of_nat height))%Z then w X (Y + y0)%Z else 0%N.
Lemma seen_inside low height w y0 X Y : inside low height Y -> seen_from low height w y0 X Y = w X (Y + y0)%Z.
Proof. intros [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2. unfold seen_from. rewrite H1, H2. reflexivity. Qed.
Lemma seen_outside low height w y0 X Y : ~ inside low height Y -> seen_from low height w y0 X Y = 0%N.
Proof.
  intros H. unfold seen_from. destruct ((low <=? Y) && (Y <? low + Z.of_nat height))%Z eqn:E; [|reflexivity].
  apply andb_true_iff in E as [H1 H2]. apply Z.leb_le in H1. apply Z.ltb_lt in H2. elim H. split; assumption.
Qed.

Theorem check_anywhere_sound k n left right e : check_anywhere k n left right e = true ->
  forall w x y, over n w -> does_what k (table_of left) (table_of right) w x y.
Proof.
  intros H w x y0 Hw. unfold check_anywhere in H. rewrite !andb_true_iff in H. destruct H as [[Hd Hn] H].
  apply N.ltb_lt in Hn.
  apply check_moves_runs in H as ((number & is_element & is_gram & H1 & H2 & H3 & Hf) & D & Hstep & _).
  eapply invariant_sound with (I := fun p q x y w => exists v lab, in_strip n e p q x (y - y0) v lab /\
    forall X Y, inside (s_low e) (s_height e) Y -> v X Y = w X (Y + y0)%Z).
  - intros p q x' y u (v & lab & HI & Hv). specialize (Hstep _ _ _ _ _ _ HI).
    assert (Hy : inside (s_low e) (s_height e) (y - y0)) by apply HI. rewrite (Hv _ _ Hy), Z.sub_add in Hstep.
    destruct (joint_step k _ _ p q (u x' y)) as [| |s m p' q']; auto.
    destruct Hstep as [(c & HI' & _) | (? & ? & ? & _ & Hno & _)];
      [|elim Hno; unfold no_descents in Hd; destruct (s_descents e); congruence].
    replace (y - y0 + dy m)%Z with (y + dy m - y0)%Z in HI' by lia. eexists. eexists. split; [exact HI'|].
    intros X Y HY. unfold put. rewrite (Hv X Y HY). replace (Y =? y - y0)%Z with (Y + y0 =? y)%Z; [reflexivity|].
    destruct (Z.eqb_spec (Y + y0) y), (Z.eqb_spec Y (y - y0)); lia.
  - exists (seen_from (s_low e) (s_height e) w y0). eexists. rewrite Z.sub_diag. split; [|apply seen_inside].
    eapply anywhere_stands; eauto; [|intros; apply seen_outside; assumption].
    intros X Y. unfold seen_from. destruct (_ && _)%bool; [apply Hw | exact Hn].
Qed.
