(** (V15), the end: what stands in the row of the results, as a word. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Places Polynomials Unknowns Facts Values Findings Situations
  Stretches Texts ClausePolynomials Rests Tokens Moves ReducedClauses ReducedRuns.
Import ListNotations.

Definition own (s : symbol) : list symbol := if (s =? 0)%N then [] else [s].
(** Columns of a row, without blanks. *)
Section Rows.
  Variables (w : world) (y : Z).
  Definition row_from (b : Z) (k : nat) : list symbol := flat_map (fun i => own (w (b + Z.of_nat i)%Z y)) (seq 0 k).
  Lemma row_from_app b k l : row_from b (k + l) = row_from b k ++ row_from (b + Z.of_nat k) l.
  Proof.
    unfold row_from. rewrite seq_app, flat_map_app. f_equal. cbn [Nat.add].
    assert (G : forall j, flat_map (fun i => own (w (b + Z.of_nat i)%Z y)) (seq (k + j) l) = flat_map (fun i => own (w (b + Z.of_nat k + Z.of_nat i)%Z y)) (seq j l)).
    { induction l as [|l IH]; intros j; [reflexivity|]. cbn [seq flat_map]. f_equal; [do 2 f_equal; lia|]. replace (S (k + j)) with (k + S j)%nat by lia. apply IH. }
    specialize (G 0%nat). rewrite Nat.add_0_r in G. exact G.
  Qed.
  Lemma row_from_blank b k : (forall X, (b <= X < b + Z.of_nat k)%Z -> w X y = 0%N) -> row_from b k = [].
  Proof. intros H. apply flat_map_nothing. intros i Hi. apply in_seq in Hi. rewrite H by lia. reflexivity. Qed.
  Lemma left_row x m : rev (flat_map (fun i => own (w (x + sg false * Z.of_nat i)%Z y)) (seq 1 m)) = row_from (x - Z.of_nat m) m.
  Proof.
    induction m as [|m IH]; [reflexivity|]. rewrite seq_S, flat_map_app, rev_app_distr, IH. cbn [flat_map]. rewrite app_nil_r.
    etransitivity; [|symmetry; exact (row_from_app (x - Z.of_nat (S m)) 1 m)]. f_equal; [|f_equal; lia]. unfold row_from. cbn [seq flat_map]. rewrite app_nil_r.
    replace (x + sg false * Z.of_nat (1 + m))%Z with (x - Z.of_nat (S m) + Z.of_nat 0)%Z by (unfold sg; lia). unfold own. destruct (w _ y =? 0)%N; reflexivity.
  Qed.
  Lemma right_row x m : flat_map (fun i => own (w (x + sg true * Z.of_nat i)%Z y)) (seq 1 m) = row_from (x + 1) m.
  Proof.
    unfold row_from. rewrite <- seq_shift, flat_map_concat_map, map_map, flat_map_concat_map. f_equal. apply map_ext. intros i. do 2 f_equal. unfold sg. lia.
  Qed.
  Lemma row_is_text symbols a len b k : holds_text symbols w y a len -> (forall X, (X < b \/ b + Z.of_nat k <= X)%Z -> w X y = 0%N) -> row_from b k = text_in w y a len.
  Proof.
    intros [Hout Hin] Hb. destruct len as [|len]; [apply row_from_blank; intros X _; apply Hout; lia|].
    assert (H1 : (b <= a)%Z). { destruct (Z_lt_dec a b); [|lia]. exfalso. apply (Hin a); [lia|]. apply Hb. lia. }
    assert (H2 : (a + Z.of_nat len < b + Z.of_nat k)%Z).
    { destruct (Z_lt_dec (a + Z.of_nat len) (b + Z.of_nat k)); [assumption|]. exfalso. apply (Hin (a + Z.of_nat len)%Z); [lia|]. apply Hb. lia. }
    replace k with (Z.to_nat (a - b) + (S len + Z.to_nat (b + Z.of_nat k - a - Z.of_nat (S len))))%nat by lia. rewrite !row_from_app.
    rewrite row_from_blank by (intros X HX; apply Hout; lia). replace (b + Z.of_nat (Z.to_nat (a - b)))%Z with a by lia.
    rewrite (row_from_blank (a + Z.of_nat (S len))) by (intros X HX; apply Hout; lia). rewrite app_nil_r. cbn [app]. unfold row_from, text_in.
    assert (G : forall l, (forall i, In i l -> (i < S len)%nat) -> flat_map (fun i => own (w (a + Z.of_nat i)%Z y)) l = map (fun i => w (a + Z.of_nat i)%Z y) l).
    { induction l as [|i l IH]; intros Hl; [reflexivity|]. cbn [flat_map map]. rewrite IH by (intros j Hj; apply Hl; right; exact Hj). unfold own.
      destruct (Hin (a + Z.of_nat i)%Z) as [Hn _]; [specialize (Hl i (or_introl eq_refl)); lia|]. apply N.eqb_neq in Hn. rewrite Hn. reflexivity. }
    apply G. intros i Hi. apply in_seq in Hi. lia.
  Qed.
End Rows.

Section Ends.
  Context {sc : scene} {un : unknowns} {fi : findings} {ra : row_aim} {rl : row_levels}.
  Import Scene.
  Variables (image : symbol -> symbol) (clause_ : reduced_clause) (says_at : Strips.element -> option says).
  Notation pairs := (c_pairs clause_).
  Notation erased := (c_erased clause_).
  Definition all_groups : list group := map Fresh (below (N.of_nat (length pieces) + 2)) ++ map (fun c => Worn c None) all_classes.
  (** The word on a side, if it is all of one group. *)
  Definition beside_tokens (f : facts) (sd : bool) : option (list token) :=
    match filter (fun g => match letters f (Side sd row g) with [] => false | _ => true end) all_groups with
    | [] => Some []
    | [g] => Some [Named (Side sd row g) (negb sd)]
    | _ => None
    end.
  Definition word_stands (el : Strips.element) (read : symbol) : bool :=
    let '(_, _, y, c, _, _) := el in
    let f := facts_here image (head_cells y c read) el in
    text_ok true el read &&
    match says_at el, beside_tokens f false, beside_tokens f true with
    | Some (Says_word ts), Some before_, Some after_ =>
        let k := known_word clause_ f ts in
        negb (c_mirror clause_) && all_left f pairs erased k && tokens_eqb (settle_in f (face (c_back clause_) k)) (settle_in f (before_ ++ [Named (Head row) false] ++ after_))
    | _, _, _ => false
    end.
  (** Whether nothing is left, by what is said or by the word. *)
  Definition told_empty (el : Strips.element) (read : symbol) : option bool :=
    let '(_, _, y, c, _, _) := el in
    let f := facts_here image (head_cells y c read) el in
    match says_at el with
    | Some (Says_empty b) => Some b
    | Some (Says_word ts) => known_left clause_ f (known_word clause_ f ts)
    | None => None
    end.

  Context {un_ok : unknowns_ok un} {fi_ok : findings_ok sc un fi}.
  Hypothesis ok : clause_ok image clause_ = true.
  Hypothesis all_levels : levels_ok = true.
  Hypothesis own_images : forall s, In s symbols -> image s = s.
  Section Run.
    Variable parts : list (list symbol).
    Hypothesis parts_ok : Forall2 matches pieces parts.
    Variables (p q : state) (x y : Z) (w : world) (lab : Z -> N) (lo : Z) (m : nat).
    Hypothesis now : present parts p q x y w lab lo m.
    Hypothesis fresh_ : untouched parts w lab.
    Notation el := (here (s_d e) coarse_at p q x y lab).
    Notation env := (env_at image x w lab m).
    Notation f := (facts_here image (head_cells y (lab x) (w x y)) el).
    Notation value_left := (value_left image clause_ parts).

    Lemma facts_ok : true_facts env f.
    Proof. destruct (clause_is image clause_ ok) as (_ & Hb & Ht & _). apply (facts_at_ok image Hb Ht parts parts_ok _ _ _ _ _ _ _ _ _ now fresh_), (head_fits now). Qed.
    Lemma row_low : (row < height)%nat.
    Proof. pose proof all_levels as H. unfold levels_ok in H. apply andb_true_iff in H as [H _]. apply andb_true_iff in H as [_ H]. apply Nat.ltb_lt. exact H. Qed.
    Lemma group_here X : exists g, In g all_groups /\ in_group class_of told_at g row (label_at (lab X)) = true.
    Proof.
      pose proof (class_here p q x y w lab X row (inside_strip now) row_low) as Hc. destruct (places now X) as [Hp _]. pose proof (inside_strip now) as (Hover & _).
      destruct (label_at (lab X)) as [[cs place] mark] eqn:E. unfold place_of in Hp. destruct (N.eqb_spec mark 0) as [->|Hm].
      - exists (Fresh (part_here parts X)). split; [apply in_or_app; left; apply in_map, part_bound, parts_ok|]. unfold in_group. rewrite Hp, !N.eqb_refl. reflexivity.
      - exists (Worn (class_of (w X (low + Z.of_nat row)%Z)) None). split; [apply in_or_app; right; apply (in_map (fun c => Worn c None)), nodup_In, in_map, in_below, Hover|].
        unfold in_group. rewrite Hc. apply N.eqb_neq in Hm. rewrite Hm, N.eqb_refl. reflexivity.
    Qed.
    Lemma beside_tokens_ok sd ts : (forall X, cell_image image w X row = own (w X y_row)) -> beside_tokens f sd = Some ts ->
      word env ts = facing (negb sd) (flat_map (fun i => own (w (x + sg sd * Z.of_nat i)%Z y_row)) (seq 1 m)).
    Proof.
      intros Own H. unfold beside_tokens in H.
      assert (Some_ : forall i, In i (seq 1 m) -> own (w (x + sg sd * Z.of_nat i)%Z y_row) <> [] ->
        exists g, In g (filter (fun g => match letters f (Side sd row g) with [] => false | _ => true end) all_groups) /\
          in_group class_of told_at g row (label_at (lab (x + sg sd * Z.of_nat i)%Z)) = true).
      { intros i Hi Hn. destruct (group_here (x + sg sd * Z.of_nat i)%Z) as (g & Hg & Hin). exists g. split; [|exact Hin]. apply filter_In. split; [exact Hg|].
        destruct (own (w (x + sg sd * Z.of_nat i)%Z y_row)) as [|a u] eqn:Eo; [congruence|].
        destruct (facts_ok (Side sd row g)) as [Hl _]. specialize (Hl a). destruct (letters f (Side sd row g)); [exfalso; apply Hl | reflexivity].
        cbn [env_at]. apply in_flat_map. exists i. split; [exact Hi|]. unfold beside_word. rewrite Hin, Own, Eo. left. reflexivity. }
      destruct (filter _ all_groups) as [|g [|? ?]]; [| |discriminate]; injection H as <-.
      - rewrite flat_map_nothing; [destruct sd; reflexivity|]. intros i Hi. destruct (own _) eqn:Eo; [reflexivity|].
        destruct (Some_ i Hi) as (g & [] & _). rewrite Eo. discriminate.
      - cbn [word flat_map token_word env_at]. rewrite app_nil_r. f_equal. unfold outs. rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros i Hi. unfold beside_word.
        destruct (in_group class_of told_at g row (label_at (lab (x + sg sd * Z.of_nat i)%Z))) eqn:Eg; [apply Own|].
        destruct (own _) eqn:Eo; [reflexivity|]. destruct (Some_ i Hi) as (g' & [<-|[]] & Hg'); [rewrite Eo; discriminate | congruence].
    Qed.
    Lemma word_stands_ok s : says_at el = Some s -> said_true image clause_ parts env s -> word_stands el (w x y) = true ->
      exists a len, holds_text symbols w y_row a len /\ text_in w y_row a len = facing (c_back clause_) value_left.
    Proof.
      intros Es Hs H. unfold word_stands in H. cbn [here] in H. apply andb_true_iff in H as [Ht H].
      destruct (text_here all_levels parts_ok now true Ht) as (_ & a & len & Htext & _). exists a, len. split; [exact Htext|].
      change (p, q, y, lab x, near coarse_at (S (s_d e)) (-1) lab x, near coarse_at (S (s_d e)) 1 lab x) with el in H. rewrite Es in H.
      destruct s as [ts|]; [|discriminate]. cbn [said_true] in Hs.
      destruct (beside_tokens f false) as [tl|] eqn:El; [|discriminate]. destruct (beside_tokens f true) as [tr|] eqn:Er; [|discriminate].
      apply andb_true_iff in H as [Hall Heq]. apply andb_true_iff in Hall as [Hmirror Hall]. apply negb_true_iff in Hmirror. unfold tokens_eqb in Heq. destruct (list_eq_dec _ _ _) as [Heq'|]; [|discriminate]. clear Heq.
      destruct (clause_is image clause_ ok) as (_ & Hblank & _). destruct Htext as [Hout Hin].
      assert (Own : forall X, cell_image image w X row = own (w X y_row)).
      { intros X. unfold cell_image, img, own. fold y_row. destruct (N.eqb_spec (w X y_row) 0) as [->|Ne]; [rewrite Hblank; reflexivity|].
        destruct (Z_lt_dec X a); [exfalso; apply Ne, Hout; lia|]. destruct (Z_lt_dec X (a + Z.of_nat len)); [|exfalso; apply Ne, Hout; lia].
        rewrite (own_images (w X y_row)) by (apply Hin; lia). apply N.eqb_neq in Ne. rewrite Ne. reflexivity. }
      apply (f_equal (word env)) in Heq'. rewrite !(settle_in_ok env f facts_ok), word_face in Heq'.
      apply (all_left_ok env f facts_ok) in Hall. assert (Plain : forall t, left_of pairs erased t = left_by clause_ t) by (intros t; unfold left_by; rewrite Hmirror; reflexivity).
      rewrite Plain in Hall. rewrite (known_word_ok image clause_ ok _ f _ facts_ok), Hs in Hall. rewrite <- Hall in Heq'. rewrite Heq'.
      rewrite !word_app, (beside_tokens_ok false tl Own El), (beside_tokens_ok true tr Own Er). cbn [word flat_map token_word env_at facing negb]. rewrite app_nil_r, Own.
      rewrite left_row, right_row. change (own (w x y_row)) with ([] ++ own (w x y_row)).
      replace ([] ++ own (w x y_row)) with (row_from w y_row x 1) by (unfold row_from; cbn [seq flat_map app]; rewrite Z.add_0_r, app_nil_r; reflexivity).
      rewrite <- row_from_app. replace (row_from w y_row (x - Z.of_nat m) m) with (row_from w y_row (x - Z.of_nat m) m) by reflexivity.
      replace (row_from w y_row x (1 + m)) with (row_from w y_row (x - Z.of_nat m + Z.of_nat m) (1 + m)) by (f_equal; lia). rewrite <- row_from_app. symmetry.
      apply (row_is_text w y_row symbols a len); [split; assumption|]. intros X HX. apply (blank now). pose proof (head_within now). lia.
    Qed.
    Lemma told_empty_ok s b : says_at el = Some s -> said_true image clause_ parts env s -> told_empty el (w x y) = Some b -> if b then value_left = [] else value_left <> [].
    Proof.
      intros Es Hs H. unfold told_empty in H. cbn [here] in H.
      change (p, q, y, lab x, near coarse_at (S (s_d e)) (-1) lab x, near coarse_at (S (s_d e)) 1 lab x) with el in H. rewrite Es in H.
      destruct s as [ts|i]; [|injection H as ->; exact Hs]. apply (known_left_ok clause_ env f _ _ facts_ok) in H.
      rewrite (known_word_ok image clause_ ok _ f _ facts_ok) in H. cbn [said_true] in Hs. rewrite Hs in H. exact H.
    Qed.
  End Run.
End Ends.
