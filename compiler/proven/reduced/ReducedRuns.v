(** (V15): after each step of a run, what the evidence says at the element is true of what is left of the clause's word. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents FirstWorld Starts Places Polynomials Unknowns Facts Values Findings Situations Invariants
  Beginning Stretches Texts ClausePolynomials Rests Tokens Moves ReducedClauses.
Import ListNotations.

(** At an element: a word, or whether nothing is left. *)
Inductive says := Says_word (ts : list token) | Says_empty (b : bool).

Section Runs.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Variables (image : symbol -> symbol) (clause_ : reduced_clause) (says_at : Strips.element -> option says).
  Notation pairs := (c_pairs clause_).
  Notation erased := (c_erased clause_).
  Notation items := (c_items clause_).
  Definition facts_here (cells : list known) (el : Strips.element) : facts := let '(l, r) := masks_of el in facts_at image cells l r.
  (** What is left of a word. *)
  Definition left_by (t : list symbol) : list symbol := if c_mirror clause_ then (if palindrome t then [] else [0%N]) else left_of pairs erased t.
  Definition known_word (f : facts) (ts : list token) : list token :=
    let us := settle_in f ts in if c_mirror clause_ then between (length us) us else reduced pairs erased us.
  Definition known_left (f : facts) (ts : list token) : option bool := if c_mirror clause_ then known_mirrored f ts else known_empty f pairs erased ts.
  (** Whether a spot says what is so of a word. *)
  Definition is_said (f : facts) (word_ : list token) (s : says) (as_said : list token -> list token) : bool :=
    match s with
    | Says_word us => tokens_eqb word_ (as_said us)
    | Says_empty j => match known_left f word_ with Some i => Bool.eqb i j | None => false end
    end.
  Definition keeps_words : follow_rule := fun a read c side b =>
    let '(p, _, y, ca, _, _) := a in let '(_, _, _, cb, _, _) := b in
    (place_of (label_at c) =? place_of (label_at ca))%N && negb (snd (label_at c) =? 0)%N &&
    match says_at a, says_at b with
    | Some (Says_empty i), Some (Says_empty j) => Bool.eqb i j
    | Some (Says_word ts), Some sb =>
        let f := facts_here (head_cells y ca read) a in let f' := facts_here (cells_of (label_at cb)) b in
        let both := facts_of_step side c cb f f' in
        is_said both (known_word both (put_in (as_before side cb) (settle_in f ts))) sb
          (fun us => known_word both (put_in (as_after image side c (Z.to_nat (y - low)) (write_of p read)) (settle_in f' us)))
    | _, _ => false
    end.

  (** * The start *)
  Definition row_0 : nat := Z.to_nat (- low).
  Definition item_tokens (here_ : N) (i : item) : list token :=
    match i with
    | Item_letter a => [Letter a]
    | Item_part j back => face back ((if (here_ =? N.succ (N.of_nat j))%N then [Named (Head row_0) false] else []) ++ [Named (Side true row_0 (Fresh (N.succ (N.of_nat j)))) false])
    end.
  Definition begins_left (f : N) : bool :=
    existsb (fun g : gram => let '(sd, _, x, _) := g in negb sd && (coarse_at x =? f)%N && is_fresh (label_at x) && (in_part (told_at (place_of (label_at x))) =? 0)%N) (s_grams e).
  Definition first_ok (el : Strips.element) : bool :=
    let '(p, _, y, c, l, _) := el in
    negb ((p =? 0)%N && (y =? 0)%Z && is_fresh (label_at c) && begins_left (head_of l)) ||
    match says_at el with
    | Some s =>
        let f := facts_here (cells_of (label_at c)) el in
        is_said f (known_word f (flat_map (item_tokens (in_part (told_at (place_of (label_at c))))) items)) s (known_word f)
    | None => false
    end.
  Definition clause_ok : bool :=
    apart pairs && (image 0 =? 0)%N && telling && forallb (fun i => match i with Item_part j _ => Nat.ltb j (length pieces) | _ => true end) items.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis ok : clause_ok = true.
  Lemma clause_is : apart pairs = true /\ image 0%N = 0%N /\ telling = true /\ forall j b, In (Item_part j b) items -> (j < length pieces)%nat.
  Proof.
    pose proof ok as H. unfold clause_ok in H. apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2].
    apply N.eqb_eq in H2. rewrite forallb_forall in H4. do 3 (split; [assumption|]). intros j b Hj. apply Nat.ltb_lt. exact (H4 _ Hj).
  Qed.
  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Definition value_left : list symbol := left_by (flat_map (item_word image parts) items).
    Definition said_true (env : atom -> list symbol) (s : says) : Prop :=
      match s with Says_word ts => left_by (word env ts) = value_left | Says_empty b => if b then value_left = [] else value_left <> [] end.
    Definition good_words (p q : state) (x y : Z) (w : world) : Prop :=
      exists lab lo m s, present parts p q x y w lab lo m /\ untouched parts w lab /\
        says_at (here (s_d e) coarse_at p q x y lab) = Some s /\ said_true (env_at image x w lab m) s.

    Lemma known_word_ok env f ts : true_facts env f -> left_by (word env (known_word f ts)) = left_by (word env ts).
    Proof.
      intros F. destruct clause_is as (Ha & _). unfold known_word, left_by. destruct (c_mirror clause_); [rewrite between_ok | rewrite (reduced_ok env pairs Ha)]; rewrite (settle_in_ok env f F); reflexivity.
    Qed.
    Lemma known_left_ok env f ts b : true_facts env f -> known_left f ts = Some b -> if b then left_by (word env ts) = [] else left_by (word env ts) <> [].
    Proof.
      intros F. unfold known_left, left_by. destruct (c_mirror clause_); [|apply (known_empty_ok env f F)]. intros H. rewrite (known_mirrored_ok env f F _ _ H).
      destruct b; [reflexivity | discriminate].
    Qed.
    Lemma is_said_ok env env' f ts s as_said : true_facts env f -> left_by (word env ts) = value_left -> is_said f ts s as_said = true ->
      (forall us, left_by (word env (as_said us)) = left_by (word env' us)) -> said_true env' s.
    Proof.
      intros F Hw H Hs. destruct s as [us|j]; cbn [is_said said_true] in *.
      - unfold tokens_eqb in H. destruct (list_eq_dec _ _ _) as [->|]; [|discriminate]. rewrite <- Hs. exact Hw.
      - destruct (known_left _ _) as [i|] eqn:E; [|discriminate]. apply Bool.eqb_prop in H. subst i. apply (known_left_ok env f _ _ F) in E. rewrite Hw in E. exact E.
    Qed.

    Lemma good_words_step T D : (forall p s, rule p s = T p s) -> s_descents e = [] -> labels_of e = label_at -> coarse_of e = coarse_at ->
      get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of ->
      strip_steps Unasked n T T e keeps_words D -> forall p q x y w, good_words p q x y w ->
      match joint_step Unasked T T p q (w x y) with
      | Bad => False
      | Done => True
      | Go s m p' q' => good_words p' q' (x + dx m) (y + dy m) (put w x y s)
      end.
    Proof.
      intros Hrule Hno El Ec Ecl Ek [Hstep _] p q x y w (lab & lo & m & sa & now & Hu & Hsa & Ha). pose proof (inside_strip now) as HI.
      destruct clause_is as (Hapart & Hblank & Htells & _).
      unfold Starts.in_strip in Hstep. rewrite El, Ec, Ecl, Ek in Hstep. specialize (Hstep _ _ _ _ _ _ HI).
      destruct (joint_step Unasked T T p q (w x y)) as [| |s mv p' q'] eqn:J; [exact Hstep | exact Hstep |].
      destruct Hstep as [(c & HI' & Hk) | (sd & l & f & _ & Hsome & _)]; [|contradiction].
      apply joint_go in J as (HT & _ & _). unfold keeps_words in Hk. cbn [here] in Hk. apply andb_true_iff in Hk as [Hk Hsays].
      apply andb_true_iff in Hk as [Hplace Hmark]. apply N.eqb_eq in Hplace. apply negb_true_iff, N.eqb_neq in Hmark.
      pose proof (present_step parts _ _ _ _ _ _ _ _ _ _ _ _ _ now HI' Hplace) as now'. set (lab' := relabelled lab x c) in *.
      change (p, q, y, lab x, near coarse_at (S (s_d e)) (-1) lab x, near coarse_at (S (s_d e)) 1 lab x) with (here (s_d e) coarse_at p q x y lab) in Hsays.
      set (a := here (s_d e) coarse_at p q x y lab) in *.
      match type of Hsays with context [says_at ?el] => match el with a => fail 1 | _ => set (b := el) in Hsays end end.
      assert (Eb : here (s_d e) coarse_at p' q' (x + dx mv) (y + dy mv) lab' = b) by reflexivity.
      rewrite Hsa in Hsays.
      assert (Hu' : untouched parts (put w x y s) lab').
      { intros X Y HX. unfold lab', relabelled in HX. unfold put. destruct (Z.eqb_spec X x) as [->|Ne]; [congruence|]. cbn [andb]. apply Hu. exact HX. }
      assert (Hw : write_of p (w x y) = s) by (unfold write_of; rewrite Hrule, HT; reflexivity).
      destruct (says_at b) as [sb|] eqn:Esb; [|destruct sa; discriminate].
      exists lab', (lo - 1)%Z, (S (S m)), sb. split; [exact now'|]. split; [exact Hu'|]. rewrite Eb. split; [exact Esb|].
      destruct sa as [ts|i]; [|destruct sb as [|j]; [discriminate|]; apply Bool.eqb_prop in Hsays; subst j; exact Ha].
      set (env := env_at image x w lab m) in *. set (env' := env_at image (x + dx mv) (put w x y s) lab' (S (S m))).
      assert (F : true_facts env (facts_here (head_cells y (lab x) (w x y)) a)) by (apply (facts_at_ok image Hblank Htells parts parts_ok _ _ _ _ _ _ _ _ _ now Hu), (head_fits now)).
      assert (F' : true_facts env' (facts_here (cells_of (label_at (lab' (x + dx mv)%Z))) b)).
      { rewrite <- Eb. apply (facts_at_ok image Hblank Htells parts parts_ok _ _ _ _ _ _ _ _ _ now' Hu'). destruct HI' as (_ & _ & _ & Hfit & _). intros i Hi. exact (Hfit _ i Hi). }
      pose proof (facts_of_step_ok image Hblank parts p q x y w lab lo m s mv c now _ _ F F') as B. fold lab' env env' in B.
      eapply is_said_ok; [exact B | | exact Hsays |].
      - rewrite (known_word_ok _ _ _ B), (put_in_ok env) by (intros u; apply (as_before_ok image Hblank parts p q x y w lab lo m s mv c now)). rewrite (settle_in_ok env _ F). exact Ha.
      - intros us. cbv beta. rewrite (known_word_ok _ _ _ B). rewrite Hw.
        rewrite (put_in_ok env') by (intros u; apply (as_after_ok image Hblank parts p q x y w lab lo m s mv c now)). rewrite (settle_in_ok env' _ F'). reflexivity.
    Qed.

    (** The text of a part, by the columns that are in it. *)
    Lemma columns_of_part (f : symbol -> list symbol) (d : N) j : (j < length parts)%nat ->
      flat_map (fun i => if (nth i (column_parts 1 parts) d =? N.succ (N.of_nat j))%N then f (nth i (concat parts) 0%N) else []) (seq 0 (length (concat parts))) = flat_map f (nth j parts []).
    Proof.
      assert (Split : forall (h : nat -> list symbol) a b, flat_map h (seq 0 (a + b)) = flat_map h (seq 0 a) ++ flat_map (fun i => h (a + i)%nat) (seq 0 b)).
      { intros h a b. rewrite seq_app, flat_map_app. f_equal. cbn [Nat.add]. replace a with (a + 0)%nat at 1 by lia. generalize 0%nat. induction b as [|b IH]; intros k; [reflexivity|].
        cbn [seq flat_map]. f_equal. replace (S (a + k)) with (a + S k)%nat by lia. apply IH. }
      assert (G : forall ps k j, (j < length ps)%nat ->
        flat_map (fun i => if (nth i (column_parts k ps) d =? k + N.of_nat j)%N then f (nth i (concat ps) 0%N) else []) (seq 0 (length (concat ps))) = flat_map f (nth j ps [])).
      { clear j. induction ps as [|t ps IH]; intros k j Hj; cbn [length] in Hj; [lia|]. cbn [concat column_parts]. rewrite app_length, Split.
        transitivity ((if (k =? k + N.of_nat j)%N then flat_map f t else []) ++
          flat_map (fun i => if (nth i (column_parts (N.succ k) ps) d =? k + N.of_nat j)%N then f (nth i (concat ps) 0%N) else []) (seq 0 (length (concat ps)))).
        { f_equal.
          - transitivity (flat_map (fun i => if (k =? k + N.of_nat j)%N then f (nth i t 0%N) else []) (seq 0 (length t))).
            + rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros i Hi. apply in_seq in Hi. rewrite (app_nth1 t) by lia. rewrite app_nth1 by (rewrite repeat_length; lia).
              rewrite (nth_indep _ d k) by (rewrite repeat_length; lia). rewrite nth_repeat. reflexivity.
            + destruct (k =? k + N.of_nat j)%N; [|apply flat_map_nothing; reflexivity].
              clear. induction t as [|s t IHt]; [reflexivity|]. cbn [length seq flat_map nth]. f_equal. rewrite <- IHt, <- seq_shift, !flat_map_concat_map, map_map. reflexivity.
          - apply flat_map_ext. intros i. rewrite (app_nth2 t) by lia. rewrite app_nth2 by (rewrite repeat_length; lia). rewrite repeat_length.
            replace (length t + i - length t)%nat with i by lia. reflexivity. }
        destruct j as [|j].
        - replace (k =? k + N.of_nat 0)%N with true by (symmetry; apply N.eqb_eq; lia). cbn [nth]. rewrite <- app_nil_r. f_equal.
          apply flat_map_nothing. intros i Hi. apply in_seq in Hi. destruct (column_parts_spec ps (N.succ k) i ltac:(lia) d) as (h & -> & _).
          replace (N.succ k + N.of_nat h =? k + N.of_nat 0)%N with false by (symmetry; apply N.eqb_neq; lia). reflexivity.
        - replace (k =? k + N.of_nat (S j))%N with false by (symmetry; apply N.eqb_neq; lia). cbn [nth app]. rewrite <- (IH (N.succ k) j) by lia.
          apply flat_map_ext. intros i. replace (k + N.of_nat (S j))%N with (N.succ k + N.of_nat j)%N by lia. reflexivity. }
      intros Hj. rewrite <- (G parts 1%N j Hj). apply flat_map_ext. intros i. replace (1 + N.of_nat j)%N with (N.succ (N.of_nat j)) by lia. reflexivity.
    Qed.
    Lemma first_words declaration near_first rights nexts before_ starts_ : told_at = told_in e near_first rights -> nexts_of e = nexts -> declared declaration parts ->
      labels_of e = label_at -> coarse_of e = coarse_at -> get 0%N (array (s_classes e)) = class_of -> get 0%N (array (s_kinds e)) = kind_of ->
      begins_ok declaration rights nexts = true -> before_ = left_steps near_first -> starts_ = left_starts ->
      strip_begins n e before_ starts_ -> forallb first_ok (s_elements e) = true -> good_words 0%N 0%N 0%Z 0%Z (input_world (concat parts)).
    Proof.
      intros Htold Hnexts Hd El Ec Ecl Ek Hok E1 E2 Hb Hfirst. destruct clause_is as (Hapart & Hblank & Htells & Hitems).
      destruct (first_present declaration near_first rights nexts Htold Hnexts parts parts_ok Hd _ _ El Ec Ecl Ek Hok E1 E2 Hb) as (lefts & pl & lab & _ & _ & Hplaces & Hlab & now).
      set (t := concat parts) in *. set (m := S (length t)) in *. pose proof (inside_strip now) as HI.
      assert (Hf : forall X, is_fresh (label_at (lab X)) = true) by (intros X; rewrite Hlab; reflexivity).
      assert (Hp : forall X, in_part (told_at (place_of (label_at (lab X)))) = part_here parts X) by (intros X; apply (places now X)).
      assert (Hu : untouched parts (input_world t) lab) by (intros X Y _; reflexivity).
      assert (Hlow : (low <= 0)%Z).
      { unfold begins_ok in Hok. do 4 (apply andb_true_iff in Hok as [Hok _]). apply andb_true_iff in Hok as [Hok _]. apply andb_true_iff in Hok as [_ Hok]. apply Z.leb_le. exact Hok. }
      rewrite forallb_forall in Hfirst. set (el := here (s_d e) coarse_at 0%N 0%N 0%Z 0%Z lab). assert (Hin : In el (s_elements e)) by apply HI.
      specialize (Hfirst el Hin). unfold first_ok in Hfirst. unfold el at 1, here in Hfirst. cbv beta iota in Hfirst.
      rewrite (Hf 0%Z) in Hfirst. cbn [near head_of] in Hfirst.
      assert (Hl : begins_left (coarse_at (lab (0 + -1)%Z)) = true).
      { unfold begins_left. apply existsb_exists. eexists. split; [apply (grams_here _ _ _ _ _ _ false (-1)%Z HI); cbn; lia|]. cbv beta iota.
        rewrite (Hf (-1)%Z), Hp. rewrite N.eqb_refl. reflexivity. }
      rewrite Hl in Hfirst. cbn [N.eqb Z.eqb andb negb orb] in Hfirst. fold el in Hfirst.
      destruct (says_at el) as [s|] eqn:Es; [|discriminate].
      exists lab, 0%Z, m, s. split; [exact now|]. split; [exact Hu|]. split; [exact Es|].
      assert (F : true_facts (env_at image 0 (input_world t) lab m) (facts_here (cells_of (label_at (lab 0%Z))) el)).
      { apply (facts_at_ok image Hblank Htells parts parts_ok _ _ _ _ _ _ _ _ _ now Hu). destruct HI as (_ & _ & _ & Hfit & _). intros i Hi. exact (Hfit _ i Hi). }
      eapply is_said_ok; [exact F | | exact Hfirst | intros us; apply known_word_ok; exact F].
      rewrite known_word_ok by exact F. unfold value_left. f_equal. rewrite Hp.
      assert (Item : forall i, In i items -> word (env_at image 0 (input_world t) lab m) (item_tokens (part_here parts 0) i) = item_word image parts i).
      { intros [a|j back] Hi; [reflexivity|]. specialize (Hitems j back Hi). rewrite (same_length _ _ _ _ _ parts_ok) in Hitems. cbn [item_tokens item_word].
        rewrite word_face. f_equal. rewrite word_app.
        set (h := fun i : nat => if (part_here parts (Z.of_nat i) =? N.succ (N.of_nat j))%N then img image (row_symbol t i) else []).
        assert (Own : forall X, cell_image image (input_world t) (Z.of_nat X) row_0 = img image (row_symbol t X)).
        { intros X. unfold cell_image, input_world, row_0. replace (low + Z.of_nat (Z.to_nat (- low)) =? 0)%Z with true by (symmetry; apply Z.eqb_eq; lia).
          replace (0 <=? Z.of_nat X)%Z with true by (symmetry; apply Z.leb_le; lia). cbn [andb]. rewrite Nat2Z.id. reflexivity. }
        transitivity (flat_map h (seq 0 (S m))).
        - cbn [seq flat_map]. f_equal.
          + unfold h. cbn [Z.of_nat]. destruct (part_here parts 0 =? N.succ (N.of_nat j))%N; [|reflexivity]. cbn. rewrite app_nil_r. apply (Own O).
          + cbn [word flat_map token_word env_at facing]. rewrite app_nil_r. unfold outs. apply flat_map_ext. intros i. unfold h, beside_word. change (0 + sg true * Z.of_nat i)%Z with (1 * Z.of_nat i)%Z. rewrite Z.mul_1_l.
            rewrite Own. unfold in_group. pose proof (Hf (Z.of_nat i)) as Hfi. pose proof (Hp (Z.of_nat i)) as Hpi. destruct (label_at (lab (Z.of_nat i))) as [[cs place] mark].
            unfold is_fresh in Hfi. cbn [snd place_of] in Hfi, Hpi. rewrite Hfi, Hpi. reflexivity.
        - rewrite <- (columns_of_part (img image) (N.succ (N.of_nat (length parts))) j Hitems). fold t.
          replace (S m) with (length t + 2)%nat by (unfold m; lia). rewrite seq_app, flat_map_app. rewrite <- app_nil_r. f_equal.
          + apply flat_map_ext. intros i. unfold h, part_here, row_symbol. destruct (Z.ltb_spec (Z.of_nat i) 0); [lia|]. rewrite Nat2Z.id. reflexivity.
          + assert (Far : forall i, (length t <= i)%nat -> h i = []).
            { intros i Hge. unfold h, row_symbol. rewrite nth_overflow by exact Hge. rewrite (img_blank image Hblank). destruct (_ =? _)%N; reflexivity. }
            cbn [seq flat_map Nat.add]. rewrite !Far by lia. reflexivity. }
      clear - Item. induction items as [|i l IH]; [reflexivity|]. cbn [flat_map]. rewrite word_app. f_equal; [apply Item; left; reflexivity|].
      apply IH. intros k Hk. apply Item. right. exact Hk.
    Qed.
  End Run.
End Runs.
