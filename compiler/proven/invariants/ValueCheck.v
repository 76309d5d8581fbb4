(** (V12) and (V13), the checker: the strip, what may stand beside the head, and the steps are computed; all of it is
    checked. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Unknowns
  Facts Values Findings Invariants
  Beginning Numerals ClausePolynomials Stretches Texts Ends Goals WordNumbers WordGoals Saturation Computed
    Inequalities.
Import ListNotations.
Local Open Scope N_scope.

(** What a certificate says. *)
Record proof := Proof {
  p_by_part : bool; p_systems : list system;
  p_nodes : list name -> list (node * list polynomial) }.   (* by the numbers of the unknowns *)
Record values := Values {
  v_low : Z; v_high : Z; v_row : Z; v_near : N; v_far : N; v_dim : bool;
  v_classes : list N; v_marks : list N; v_kinds : list N; v_words : bool; v_proofs : list proof;
  v_ends : option (list ending) }.                    (* what no run comes to, by the proof *)

(** What a proof must show of the row: the number that it spells, perhaps backwards, and perhaps without zeros before
    it;
    how often some symbols stand in its text, the levels of which go up; or the text, by its number from its last column
    upwards, or from its first. *)
Inductive amount := Said (x : expression) | In_part (j : nat).
Inductive aim :=
| Spells (back exact : bool) (x : expression)
| Counts (one : symbol -> bool) (level : symbol -> N) (symbols : list symbol) (x : amount)
| Says_word (back : bool) (symbols : list symbol) (x : expression).

Section Check.
  Variables (n : N) (table : rules) (declaration : inputs) (value : expression) (v : values).
  Notation pieces := (i_pieces declaration).
  Notation digits := (i_digits declaration).

  (** A zero must not be the first symbol of several. *)
  Definition blank_zero_other (s : symbol) : N := if s =? 0 then 0 else if s =? hd 0 digits then 1 else 2.
  Definition no_zero_first (before here after : N) : bool := negb ((before =? 0) && (here =? 1) && negb (after =? 0)).
  Definition aim_at (row : nat) (a : aim) : row_aim :=
    match a with
    | Spells back true _ => Row_aim row digits blank_zero_other (if back then fun a b c => no_zero_first c b a
      else no_zero_first)
    | Spells _ false _ => Row_aim row digits (fun _ => 0) (fun _ _ _ => true)
    | Counts _ level symbols _ => Row_aim row symbols level (fun a b _ => in_order a b)
    | Says_word _ symbols _ => Row_aim row symbols (fun _ => 0) (fun _ _ _ => true)
    end.
  Definition scene_of (e : strip) (rights : list told) : scene :=
    let labels := array (s_labels e) in let coarses := array (s_coarse e) in
    let classes := array (s_classes e) in let kinds := array (s_kinds e) in let rows := rows_of table in
    let told_at := told_in e (v_near v) rights in
    let coarse_tolds := fold_left (fun m lc => PM.add (Maps.key (snd lc)) (told_at (place_of (fst lc))) m)
      (combine (s_labels e) (s_coarse e)) (PM.empty _) in
    Scene n e pieces (find_rule rows) (get ([], 0, 0) labels) (get 0 coarses) (get 0 classes) (get 0 kinds) told_at
      (get (Told 0 None None) coarse_tolds).

  (** * The check *)
  Section Found.
    Context {sc : scene} {un : unknowns} {fi : findings} {ra : row_aim} {rl : row_levels}.
    Import Scene.
    Definition verified_steps : list step_key :=
      let by_label := members N (fun i => label_hash (label_at i)) (below (N.of_nat (length (s_labels e)))) in
      let label_number l := match find (fun i => label_eqb (label_at i) l) (bucket N by_label (label_hash l)) with Some
        i => i | None => 0 end in
      let aheads := members gram (fun g => let '(s, K, x, w) := g in one_ahead s K (coarse_at x)) (s_grams e) in
      let marks := array (v_marks v) in
      let manys := array (map (fun c => v_dim v && Nat.ltb 1 (length (filter (N.eqb c) (v_classes v)))) (v_classes v))
        in
      tried_steps label_number aheads (get 0 marks) (get false manys).
    Definition amount_of (one : symbol -> bool) (x : amount) : option polynomial :=
      match x with Said x => polynomial_of x | In_part j => number_of_part (fun i => counts i one) j end.
    Definition skipped : Strips.element -> symbol -> bool :=
      match v_ends v with
      | Some ends => let read := read_ends ends in let cases := cases_together (i_where declaration) in
        excluded read cases
      | None => fun _ _ => false
      end.
    Definition aim_ok (units : list Ends.unit) (a : aim) : bool :=
      let given := equalities (i_where declaration) in let skip := skipped in
      match a with
      | Spells back exact x => negb (exact && Nat.ltb (length digits) 2) && units_ok units (negb back) &&
        ends_ok units digits given skip back x
      | Counts one _ _ x => counts_ok given skip one (amount_of one x)
      | Says_word back _ x => units_ok units (negb back) && word_ok units back x
      end.
    (** What holds at the start, and at every step. *)
    Definition kept_ok (rights : list told) (nexts : place -> symbol -> list place) : bool :=
      let verified := members _ key_hash verified_steps in
      systems_ok && grams_ok && match v_ends v with Some ends => signs_ok && are_ends ends | None => true end &&
      check_columns Unasked n table table e (left_steps (v_near v)) left_starts
        (keeps (is_member _ key_hash key_eqb verified) skipped) &&
      begins_ok declaration rights nexts.
    Definition found_ok (rights : list told) (nexts : place -> symbol -> list place) (units : list Ends.unit)
      (a : aim) : bool :=
      kept_ok rights nexts && levels_ok && forallb views_ok (s_grams e) && aim_ok units a.
  End Found.
  Definition check_proof (sc : scene) (rights : list told) (nexts : place -> symbol -> list place) (row : nat) (a : aim)
    (p : proof) : bool :=
    let ra := aim_at row a in
    let rl := @levels_of sc ra in
    let un := @unknowns_of sc (p_by_part p) (p_systems p) in
    let last := match a with Spells back _ _ | Says_word back _ _ => negb back | Counts _ _ _ _ => true end in
    let units := match a with Counts _ _ _ _ => [] | _ => @units_for sc rl last end in
    let fi := @findings_of sc un rl units last (v_words v) (p_nodes p (map (@name_at un) (below (@count un)))) in
    @found_ok sc un fi ra rl rights nexts units a.
  Definition systems_in (p : proof) : unknowns :=
    let system_list := array (p_systems p) in
      Numbered (p_systems p) (get no_system system_list) (fun _ => Part_weight 0 0) (fun _ => None) 0.
  Definition counts_in (one : symbol -> bool) (symbols : list symbol) (p : proof) : bool :=
    existsb (fun i => @counts (systems_in p) i one symbols) (@ids (systems_in p)).
  (** The symbols of a word, and whether the first system that reads them does so from the first column upwards. *)
  Definition word_symbols : option (list symbol) :=
    option_map (fun ps => nodup N.eq_dec (flat_map (piece_symbols pieces) ps)) (pieces_of_word false value).
  Definition word_back (symbols : list symbol) (p : proof) : option bool :=
    option_map (fun i => @reads_words (systems_in p) true symbols i)
      (find (fun i => @reads_words (systems_in p) false symbols i || @reads_words (systems_in p) true symbols i)
        (@ids (systems_in p))).
  (** All proofs are about one strip. *)
  Definition shows_on_strip : aim -> proof -> bool :=
    let '(told_list, starts, steps) := places_for n declaration (v_near v) (v_far v) in
    let e := strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v)
      (v_near v) starts steps in
    let sc := scene_of e told_list in
    let step_list := array (map array (s_steps e)) in
    let nexts := fun at_ s => get [] (get (PM.empty _) step_list at_) s in
    check_proof sc told_list nexts (Z.to_nat (v_row v - v_low v)).
  Definition counted (shown : aim -> proof -> bool) (one : symbol -> bool) (level : symbol -> N) (symbols : list symbol)
    (x : amount) : bool :=
    existsb (fun p => counts_in one symbols p && shown (Counts one level symbols x) p) (v_proofs v).
  Definition check_values : bool :=
    let shown := shows_on_strip in
    let word symbols p := match word_back symbols p with Some back => shown (Says_word back symbols value) p
      | None => false end in
    if v_words v then match word_symbols with Some symbols => existsb (word symbols) (v_proofs v)
      | None => false end else
    match value with
    | Sorted (Part j) =>
        match symbols_of_clause (nth j pieces Nothing) with
        | [] => false
        | symbols => Nat.ltb j (length pieces) &&
          forallb (fun s => counted shown (N.eqb s) (fun s => s) symbols (In_part j)) (nodup N.eq_dec symbols)
        end
    | Repeat (Letters [c]) x => counted shown (N.eqb c) (fun _ => 0) [c] (Said x)
    | Letters [c] => counted shown (N.eqb c) (fun _ => 0) [c] (Said (Constant 1))
    | Written x => existsb (shown (Spells false true x)) (v_proofs v)
    | Reverse (Written x) => existsb (shown (Spells true true x)) (v_proofs v)
    | x => existsb (shown (Spells false false x)) (v_proofs v)
    end.

  (** * Soundness *)
  Definition shows_aim (y : Z) (a : aim) (parts : list (list symbol)) (w : world) : Prop :=
    let members := map members_of pieces in
    match a with
    | Spells back exact x =>
        exists a len z, (0 < len)%nat /\ holds_text digits w y a len /\
          evaluate digits members x parts = Some (Number z) /\
          spells digits (facing back (text_in w y a len)) = Some z /\
            (exact = true -> in_digits digits z = Some (facing back (text_in w y a len)))
    | Counts one level symbols x =>
        (forall X, in_order (level (w X y)) (level (w (X + 1)%Z y)) = true) /\
          (exists a len, holds_text symbols w y a len) /\
        forall a len, holds_text symbols w y a len -> let many t := length (filter one t) in
        match x with
        | Said x => evaluate digits members x parts = Some (Number (Z.of_nat (many (text_in w y a len))))
        | In_part j => (j < length pieces)%nat /\ many (text_in w y a len) = many (nth j parts [])
        end
    | Says_word _ symbols x => exists a len, holds_text symbols w y a len /\
      evaluate digits members x parts = Some (Text (text_in w y a len))
    end.
  Lemma first_of_text w y a len back : (0 < len)%nat ->
    hd 0 (facing back (text_in w y a len)) = w (if back then a + Z.of_nat len - 1 else a)%Z y.
  Proof.
    destruct len as [|len]; [lia|]. intros _. unfold text_in. destruct back; cbn [facing].
    - rewrite seq_S, map_app, rev_app_distr. cbn [map rev app hd]. f_equal. lia.
    - cbn [seq map hd]. f_equal. lia.
  Qed.
  Lemma no_zero_begins back row x (w : world) y a len : (0 < len)%nat -> holds_text digits w y a len ->
    (forall X, @fine (aim_at row (Spells back true x)) (blank_zero_other (w (X - 1)%Z y)) (blank_zero_other (w X y))
      (blank_zero_other (w (X + 1)%Z y)) = true) ->
    (1 < len)%nat -> ~ begins_with_zero digits (facing back (text_in w y a len)).
  Proof.
    intros H0 [Hout Hin] Hfine Hlen Hz. unfold begins_with_zero in Hz. rewrite first_of_text in Hz by exact H0.
    apply place_in_is in Hz as [_ Hz]. change (Z.to_nat 0) with O in Hz.
    replace (nth 0 digits 0) with (hd 0 digits) in Hz by (destruct digits; reflexivity).
    set (X := (if back then a + Z.of_nat len - 1 else a)%Z) in *. specialize (Hfine X).
    assert (HX : blank_zero_other (w X y) = 1).
    { unfold blank_zero_other. destruct (Hin X) as [Hn _]; [unfold X; destruct back; lia|]. apply N.eqb_neq in Hn.
      rewrite Hn, Hz, N.eqb_refl. reflexivity. }
    assert (Blank : forall X', (X' < a \/ a + Z.of_nat len <= X')%Z -> blank_zero_other (w X' y) = 0) by (intros X' HX';
      unfold blank_zero_other; rewrite Hout by lia; reflexivity).
    assert (Some_ : forall X', (a <= X' < a + Z.of_nat len)%Z -> (blank_zero_other (w X' y) =? 0) = false).
    { intros X' HX'. destruct (Hin X' HX') as [Hn _]. apply N.eqb_neq in Hn. unfold blank_zero_other. rewrite Hn.
      destruct (w X' y =? hd 0 digits); reflexivity. }
    cbn [fine aim_at] in Hfine. destruct back; cbn [fine] in Hfine; unfold no_zero_first in Hfine; rewrite HX in Hfine.
    - rewrite (Blank (X + 1)%Z), (Some_ (X - 1)%Z) in Hfine by (unfold X; lia). discriminate.
    - rewrite (Blank (X - 1)%Z), (Some_ (X + 1)%Z) in Hfine by (unfold X; lia). discriminate.
  Qed.
  (** Systems and what was found of them are right, and so is what holds along every run. *)
  Lemma kept_right e rights by_part listed rl units last nodes : s_descents e = [] ->
    let sc := scene_of e rights in let un := @unknowns_of sc by_part listed in
      let fi := @findings_of sc un rl units last (v_words v) nodes in
    @kept_ok sc un fi rights (nexts_of e) = true -> unknowns_ok un /\ findings_ok sc un fi /\
    (forall parts, declared declaration parts -> @unreached sc un fi (@skipped sc un fi) parts) /\
    forall parts k c, declared declaration parts -> run (table_of table) k (start (input_world (concat parts)) 0 0) =
      Some c ->
    (forall i d, (i < k)%nat -> run (table_of table) i (start (input_world (concat parts)) 0 0) = Some d ->
      ~ halts (table_of table) d) ->
    exists q, @good sc un fi parts (st c) q (hx c) (hy c) (cells c).
  Proof.
    intros Hno sc un fi H. unfold kept_ok in H.
    apply andb_true_iff in H as [H Hbegin]. apply andb_true_iff in H as [H Hcols].
    apply andb_true_iff in H as [H Hsigns]. apply andb_true_iff in H as [Hsys Hgrams].
    assert (un_ok : unknowns_ok un).
    { constructor; [| |exact Hsys].
      - intros i. unfold un, unknowns_of. cbn [system_at systems]. unfold get.
        destruct (PM.find _ _) eqn:E; [right; eapply array_from; exact E | left; reflexivity].
      - intros name u. apply number_by_ok. }
    assert (fi_ok : findings_ok sc un fi).
    { constructor; try reflexivity; [intros i; apply once_each_is | intros i c' z;
        apply alike_ok | exact Hgrams]. }
    assert (Never_ : forall parts, declared declaration parts -> @unreached sc un fi (@skipped sc un fi) parts).
    { intros parts Hd p q x y w lab lo m now el Hv. unfold skipped. destruct (v_ends v) as [ends|]; [|reflexivity].
      apply andb_true_iff in Hsigns as [Hsigns _]. destruct (excluded _ _ el (w x y)) eqn:E; [exfalso | reflexivity].
      exact (excluded_never (sc := sc) (i_digits declaration) parts (proj1 Hd) _ _ _ _ _ _ _ _ _ _ Hsigns (proj2 Hd) now
        Hv E). }
    split; [exact un_ok|]. split; [exact fi_ok|]. split; [exact Never_|]. intros parts k c Hd Hrun Hbefore.
    pose proof (proj1 Hd) as Hparts. specialize (Never_ parts Hd).
    set (skip := @skipped sc un fi) in *.
    set (verified := @verified_steps sc un fi) in *.
    assert (Hver : forallb problem_ok verified = true) by (apply forallb_forall; intros key Hk;
      exact (tried_steps_right _ _ _ _ _ Hk)).
    assert (Hknown : forall key, is_member _ key_hash key_eqb (members _ key_hash verified) key = true ->
      In key verified) by (intros key; apply is_member_sound, key_eqb_eq).
    clearbody verified skip fi un.
    apply check_columns_runs in Hcols as (Hn & Hstart & D & Hsteps).
    assert (Hrule : forall q s, rule q s = table_of table q s) by (intros q s; apply find_rows).
    destruct (invariant_runs Unasked (table_of table) (table_of table) (good parts)) with
      (w := input_world (concat parts)) (x := 0%Z) (y := 0%Z) (n := k) (cl := c) as (q & _ & Hgood);
        [| |exact Hrun | exact Hbefore | exists q; exact Hgood].
    - eapply (good_step _ _ _ Hrule verified Hknown Hver parts Hparts); try reflexivity;
        [exact Never_ | exact Hno | exact Hsteps].
    - assert (Htold : @told_at sc = told_in e (v_near v) rights) by reflexivity.
      assert (Hnexts : nexts_of (@tape sc) = nexts_of e) by reflexivity.
      eapply (first_good declaration (v_near v) rights (nexts_of e) Htold Hnexts parts Hparts Hd); try reflexivity;
        [exact Hbegin | exact Hstart].
  Qed.
  Lemma proof_shows_aim e rights row a p : s_descents e = [] ->
    check_proof (scene_of e rights) rights (nexts_of e) row a p = true ->
    forall parts k c, declared declaration parts -> halts_after (table_of table) k (input_world (concat parts)) 0 0 c ->
    shows_aim (s_low e + Z.of_nat row) a parts (cells c).
  Proof.
    intros Hno H parts k c Hd (Hrun & Hhalt & Hbefore). unfold check_proof in H. pose proof (proj1 Hd) as Hparts.
    set (sc := scene_of e rights) in *.
    set (ra := aim_at row a) in *. set (rl := @levels_of sc ra) in *. set (un := @unknowns_of sc _ _) in *.
    set (units := match a with Counts _ _ _ _ => _ | _ => _ end) in *. set (fi := @findings_of sc un _ _ _ _ _) in *.
    unfold found_ok in H. apply andb_true_iff in H as [H Haim]. apply andb_true_iff in H as [H Hviews].
    apply andb_true_iff in H as [H Hlevels].
    destruct (kept_right e rights _ _ rl units _ _ Hno H) as (un_ok & fi_ok & Never_ & Hgood).
    destruct (Hgood parts k c Hd Hrun Hbefore) as (q & lab & lo & m & now & Hv).
    fold sc un fi in un_ok, fi_ok, now, Hv, Never_. clear Hgood.
    pose proof (Never_ parts Hd _ _ _ _ _ _ _ _ now Hv) as Hkept. clear Never_.
    pose proof (fun M => equalities_ok (sc := sc) (un_ok := un_ok) digits parts Hparts M _ (proj2 Hd)) as Hgiven.
    clearbody rl units fi un.
    assert (Hrule : forall q s, @rule sc q s = table_of table q s) by (intros q' s; apply find_rows).
    assert (Hon : halts_on (st c) (cells c (hx c) (hy c)) = true).
    { destruct Hhalt as [p' Hp]. unfold acts, reads in Hp. unfold halts_on. rewrite Hrule, Hp. apply N.eqb_refl. }
    destruct a as [back exact x|one level syms x|back syms x]; cbn [shows_aim aim_ok] in *.
    - apply andb_true_iff in Haim as [Haim Hends]. apply andb_true_iff in Haim as [Htwo Hunits].
      destruct (spelled_here units digits _ _ Hlevels Hviews parts Hparts Hgiven _ _ _ _ _ _ _ _ now Hv Hon Hkept back
        x) as (Hfine & first & len & z & Hlen & Ht & Hz & Hs);
        [destruct exact; reflexivity | exact Hunits | exact Hends|].
      assert (Ey : (s_low e + Z.of_nat row)%Z = y_row) by (unfold ra; destruct exact; reflexivity).
      rewrite Ey. exists first, len, z. split; [exact Hlen|]. split; [exact Ht|]. split; [exact Hz|].
      split; [exact Hs|].
      intros ->. apply in_digits_only;
        [destruct (Nat.ltb_spec (length digits) 2); [discriminate | assumption] | | |exact Hs].
      + intros E. apply (f_equal (@length symbol)) in E. rewrite facing_length, text_in_length in E. cbn in E. lia.
      + intros Hlong. rewrite facing_length, text_in_length in Hlong.
        apply (no_zero_begins back row x); [exact Hlen | exact Ht | exact Hfine | exact Hlong].
    - destruct (counted_here _ _ Hlevels Hviews parts Hparts Hgiven _ _ _ _ _ _ _ _ now Hv Hon Hkept one _ Haim) as
        (Hfine & Hsome & P & EP & Hcount).
      split; [intros X; specialize (Hfine (X + 1)%Z); replace (X + 1 - 1)%Z with X in Hfine by lia; exact Hfine|].
      split; [exact Hsome|].
      intros first len Ht. specialize (Hcount first len Ht).
      set (M := Moment lo m (hx c) (cells c) lab (hx c)) in Hcount. destruct x as [x|j]; cbn [amount_of] in EP.
      + destruct (polynomial_of_ok (sc := sc) digits parts Hparts M M _ _ EP) as (z & Ez & Hz). rewrite Hz in Hcount.
        apply whole_inj in Hcount. rewrite Hcount in Ez. exact Ez.
      + destruct (number_of_part_ok (sc := sc) parts M M _ _ _ EP) as (i & Hj & Hi & HP). split; [exact Hj|].
        rewrite HP, (part_number_counted (sc := sc) parts Hparts _ _ _ _ Hj Hi) in Hcount.
        apply whole_inj in Hcount. apply Nat2Z.inj. symmetry. exact Hcount.
    - apply andb_true_iff in Haim as [Hunits Hword].
      exact (word_here units digits Hlevels parts Hparts _ _ _ _ _ _ _ _ now Hv Hon back x Hunits Hword).
  Qed.

  (** The row of the results. *)
  Definition result_row : Z := (v_low v + Z.of_nat (Z.to_nat (v_row v - v_low v)))%Z.
  Lemma strip_shows_aim a p : shows_on_strip a p = true ->
    forall parts k c, declared declaration parts -> halts_after (table_of table) k (input_world (concat parts)) 0 0 c ->
      shows_aim result_row a parts (cells c).
  Proof.
    unfold shows_on_strip. destruct (places_for n declaration (v_near v) (v_far v)) as [[rights starts] steps].
    change (fun at_ s => get [] (get (PM.empty _) _ at_) s) with
      (nexts_of (strip_for n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v)
      (v_near v) starts steps)).
    apply proof_shows_aim. reflexivity.
  Qed.
  Lemma counted_shows_aim one level symbols x : counted shows_on_strip one level symbols x = true ->
    forall parts k c, declared declaration parts -> halts_after (table_of table) k (input_world (concat parts)) 0 0 c ->
    shows_aim result_row (Counts one level symbols x) parts (cells c).
  Proof. unfold counted. intros H. apply existsb_exists in H as (p & _ & H). apply andb_true_iff in H as [_ H].
  exact (strip_shows_aim _ _ H). Qed.

  Theorem check_values_sound : check_values = true -> leaves_output (table_of table) (Output_clause declaration value).
  Proof.
    unfold check_values. intros H parts Hd k c Hh. pose proof (proj1 Hd) as Hm. set (y := result_row).
    assert (Shown : forall a, existsb (shows_on_strip a) (v_proofs v) = true -> shows_aim y a parts (cells c)).
    { intros a Ha. apply existsb_exists in Ha as (p & _ & Ha). eapply strip_shows_aim; eassumption. }
    assert (Number_ : existsb (shows_on_strip (Spells false false value)) (v_proofs v) = true ->
      exists r l, evaluate digits (map members_of pieces) value parts = Some r /\ stands (cells c) l /\
        says digits r l).
    { intros Hs. destruct (Shown _ Hs) as (a & len & z & Hlen & Ht & Hz & Hs' & _).
      exists (Number z), (text_in (cells c) y a len).
      split; [exact Hz|]. split; [eapply text_stands; exact Ht|]. split; [|exact Hs'].
      intros E. apply (f_equal (@length symbol)) in E. rewrite text_in_length in E. cbn in E. lia. }
    assert (Text_ : forall back x, existsb (shows_on_strip (Spells back true x)) (v_proofs v) = true ->
      exists t, evaluate digits (map members_of pieces) (Written x) parts = Some (Text (facing back t)) /\
        stands (cells c) t /\ t = without_blanks t).
    { intros back x Hs. destruct (Shown _ Hs) as (a & len & z & Hlen & Ht & Hz & _ & Hx).
      exists (text_in (cells c) y a len).
      cbn [evaluate]. rewrite Hz, (Hx eq_refl). split; [reflexivity|]. split; [eapply text_stands; exact Ht|].
      symmetry. apply nothing_to_strip. intros s Hin. eapply text_in_symbols; eassumption. }
    unfold Statement.value_of, o_digits, o_pieces. cbn [o_inputs o_value].
    destruct (v_words v).
    { destruct word_symbols as [symbols|]; [|discriminate]. apply existsb_exists in H as (p & Hp & H).
      destruct (word_back symbols p) as [back|]; [|discriminate].
      destruct (Shown (Says_word back symbols value)) as (a & len & Ht & Hx); [apply existsb_exists; eauto|].
      eexists _, (text_in (cells c) y a len).
      split; [exact Hx|]. split; [eapply text_stands; exact Ht|]. cbn [says]. symmetry. apply nothing_to_strip.
      intros s Hs. eapply text_in_symbols; eassumption. }
    assert (Repeated : forall s z,
      counted shows_on_strip (N.eqb s) (fun _ => 0) [s] (Said z) = true -> exists m t,
        evaluate digits (map members_of pieces) z parts = Some (Number m) /\
        stands (cells c) t /\ t = without_blanks (repeated [s] m)).
    { intros s z Hs. destruct (counted_shows_aim _ _ _ _ Hs _ _ _ Hd Hh) as (_ & (a & len & Ht) & Hc).
      specialize (Hc a len Ht). eexists _, _.
      split; [exact Hc|]. split; [eapply text_stands; exact Ht | apply repeated_by_count; exact Ht]. }
    destruct value as [|letters_| | | | | | |x| | | | | | |back_x|ex|text x| | ]; try exact (Number_ H).
    - destruct letters_ as [|s [|? ?]]; try exact (Number_ H).
      destruct (Repeated s (Constant 1) H) as (m & t & Em & Ht & Es). injection Em as <-.
      exists (Text [s]), t. split; [reflexivity|]. split; [exact Ht | exact Es].
    - destruct (Text_ false x H) as (t & Hx & Ht & Es). exists (Text t), t. auto.
    - destruct back_x as [| | | | | | | |x| | | | | | | | | | | ]; try exact (Number_ H).
      destruct (Text_ true x H) as (t & Hx & Ht & Es). exists (Text t), t. cbn [evaluate] in *. rewrite Hx.
      cbn [facing]. rewrite rev_involutive. auto.
    - destruct ex as [| |j| | | | | | | | | | | | | | | | | ]; try exact (Number_ H).
      destruct (symbols_of_clause (nth j pieces Nothing)) as [|s0 symbols'] eqn:Es; [discriminate|].
      set (symbols := s0 :: symbols') in *.
      apply andb_true_iff in H as [Hj H]. apply Nat.ltb_lt in Hj. rewrite forallb_forall in H.
      assert (All : forall s, In s symbols -> shows_aim y (Counts (N.eqb s) (fun s => s) symbols (In_part j)) parts
        (cells c)).
      { intros s Hs. eapply counted_shows_aim; [apply H, nodup_In, Hs | exact Hd | exact Hh]. }
      destruct (All s0 (or_introl eq_refl)) as (Hup & (a & len & Ht) & _).
      exists (Text (Expressions.sorted (nth j parts []))), (text_in (cells c) y a len).
      split; [reflexivity|]. split; [eapply text_stands; exact Ht|]. cbn [says].
      eapply sorted_by_counts; [exact Ht | exact Hup | |].
      + rewrite <- Es. apply symbols_of_clause_ok. apply (each_pair _ _ _ _ _ Hm). exact Hj.
      + intros s Hs. destruct (All s Hs) as (_ & _ & Hc). exact (proj2 (Hc a len Ht)).
    - destruct text as [|t| | | | | | | | | | | | | | | | | | ]; try exact (Number_ H).
      destruct t as [|s [|? ?]]; try exact (Number_ H).
      destruct (Repeated s x H) as (m & l & Em & Hl & Es). cbn [evaluate]. rewrite Em. eexists _, l.
      split; [reflexivity|]. split; [exact Hl | exact Es].
  Qed.
End Check.
