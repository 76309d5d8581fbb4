(** (V12), the checker: the strip, what may stand beside the head, and the steps are computed; all of it is checked. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Grid Output Joint Maps Windows Columns Strips Descents Starts Places Polynomials Sums Unknowns Facts Values Invariants
  Beginning Stretches Ends Goals Saturation.
Import ListNotations.
Local Open Scope N_scope.

(** What a certificate says. *)
Record proof := Proof {
  p_by_part : bool; p_systems : list system;
  p_nodes : list name -> list (state * Z * list N * list polynomial) }.   (* by the numbers of the unknowns *)
Record values := Values {
  v_low : Z; v_high : Z; v_row : Z; v_near : N; v_far : N; v_dim : bool;
  v_classes : list N; v_marks : list N; v_kinds : list N; v_proofs : list proof }.

(** * What is computed, and need not be believed *)
Section Names.
  Variables (n : N) (pieces : list clause) (e : strip) (by_part : bool) (systems : list system).
  Definition class_numbers : list N := below (N.succ (fold_left N.max (s_classes e) 0)).
  Definition has_worth (s : system) (symbols : list symbol) : bool := existsb (fun x => negb (worth s x =? 0)%Z) symbols.
  Definition class_members (c : N) : list symbol := filter (fun s => Values.class_of e s =? c) (below n).
  Definition names_for : list name :=
    let scales := scales (system_at systems) (ids systems) in
    let parts := below (N.of_nat (length pieces)) in
    let rows := seq 0 (s_height e) in
    let regions := if by_part then map Some (below (N.of_nat (length pieces) + 2)) else [None] in
    flat_map (fun i => map (Part_weight i) (below (N.succ (N.of_nat (length pieces))))) scales ++
    flat_map (fun i => map (Part_number i) parts) (ids systems) ++
    map Last_weight scales ++ map Head_weight scales ++
    flat_map (fun i => map (Cell_value i) rows) (ids systems) ++
    flat_map (fun is : N * system => let '(i, s) := is in
      flat_map (fun rt =>
        flat_map (fun j => if has_worth s (symbols_of_clause (nth (N.to_nat j) pieces Nothing))
                           then [Sum_beside i rt (Z.to_nat (- s_low e)) (Fresh (N.succ j))] else []) parts ++
        flat_map (fun r => flat_map (fun c => if has_worth s (class_members c) then map (fun j => Sum_beside i rt r (Worn c j)) regions else [])
                             class_numbers) rows) [false; true]) (combine (ids systems) systems).
End Names.

Definition node_hash (p : state) (y : Z) (c : list N) : positive := Maps.key (mixes (mix (mix 7 p) (zn y)) c).
Definition node_numbers (nodes : list (state * Z * list N * list polynomial)) : state -> Z -> list N -> N :=
  let table := members _ (fun ie => let '(_, (p, y, c, _)) := ie in node_hash p y c) (combine (map N.succ (below (N.of_nat (length nodes)))) nodes) in
  fun p y c => match find (fun ie => let '(_, (p', y', c', _)) := ie in (p =? p') && (y =? y')%Z && nlist_eqb c c') (bucket _ table (node_hash p y c)) with
               | Some (i, _) => i
               | None => 0
               end.

(** Sets of numbers that shrink until they are consistent; and masks that grow. *)
Definition entry_of : Type := N * N * (bool * bool * bool).       (* coarse number, the next; blank, a symbol, far *)
Definition holds_in {A} (m : PM.t A) (f : N) : bool := match PM.find (Maps.key f) m with Some _ => true | None => false end.
Definition greatest (ok : PM.t Datatypes.unit -> entry_of -> bool) (entries : list entry_of) : PM.t Datatypes.unit :=
  fst (repeat_until 16 (fun s : PM.t Datatypes.unit * bool => snd s)
    (fun s => fold_left (fun s en => let '(f, _, _) := en in
       if holds_in (fst s) f && negb (ok (fst s) en) then (PM.remove (Maps.key f) (fst s), false) else s) entries (fst s, true))
    (fold_left (fun m en => let '(f, _, _) := en in PM.add (Maps.key f) tt m) entries (PM.empty _), false)).
Definition grown (entries : list (N * N * N)) : PM.t N :=  (* coarse number, what stands there, the next *)
  fst (repeat_until 16 (fun s : PM.t N * bool => snd s)
    (fun s => fold_left (fun s en => let '(f, own, next) := en in
       let old := get 0 (fst s) f in let new := N.lor old (N.lor own (get 0 (fst s) next)) in
       if old =? new then s else (PM.add (Maps.key f) new (fst s), false)) entries (fst s, true))
    (PM.empty _, false)).

Definition side_key (sd : bool) (K : N) : N := if sd then N.succ_double K else N.double K.
Definition by_side (grams : list gram) : PM.t (list gram) :=
  fold_left (fun m g => let '(sd, K, _, _) := g in let k := Maps.key (side_key sd K) in
    PM.add k (g :: match PM.find k m with Some l => l | None => [] end) m) grams (PM.empty _).
Definition two_keys {A} (d : A) (m : PM.t (PM.t A)) (sd : bool) (K f : N) : A :=
  match PM.find (Maps.key (side_key sd K)) m with Some l => get d l f | None => d end.

Section Check.
  Variables (n : N) (table : rules) (pieces : list clause) (digits : list symbol) (value : expression) (v : values).
  Definition places := places_for n pieces (v_near v) (v_far v).
  Definition rights : list told := fst (fst places).
  Definition the_strip : strip :=
    saturated n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) (snd (fst places)) (snd places).

  Section Strip.
    Variables (e : strip) (rights : list told) (row : nat).
    Definition told_by : N -> told := told_at e (v_near v) rights.
    Definition coarse_told : N -> told :=
      let told := told_by in
      get (Told 0 None None) (fold_left (fun m lc => PM.add (Maps.key (snd lc)) (told (place_of (fst lc))) m) (combine (s_labels e) (s_coarse e)) (PM.empty _)).
    Definition halting_kinds : PM.t Datatypes.unit :=
      fold_left (fun m el => let '(p, _, _, _, _, _) := el in
        if existsb (halts_on table p) (below n) then PM.add (Maps.key (Values.kind_of e p)) tt m else m) (s_elements e) (PM.empty _).
    Definition levels : PM.t (PM.t level) :=
      let label_at := labels_of e in
      let coarse := coarse_of e in
      let kinds := halting_kinds in
      let looks := once_each ([], 0, 0) (fun l => (shows_blank e row (cells_of l), shows_symbol n e row (is_digit digits) (cells_of l))) (s_labels e) in
      let far := fun sd => once_each ([], 0, 0) (fun l => is_far e (v_near v) rights pieces l sd) (s_labels e) in
      let far_r := far true in let far_l := far false in
      fold_left (fun m k => match PM.find (Maps.key k) (by_side (s_grams e)) with
        | None => m
        | Some grams =>
            let sd := N.odd k in
            let entries := map (fun g : gram => let '(_, _, x, w) := g in
              (coarse x, head_of w, (fst (looks x), snd (looks x), if sd then far_r x else far_l x))) grams in
            let none := greatest (fun m en => let '(_, g, (b, _, _)) := en in b && holds_in m g) entries in
            let some := greatest (fun m en => let '(_, g, (_, s, _)) := en in s && (holds_in m g || holds_in none g)) entries in
            let later := greatest (fun m en => let '(_, g, (b, _, f)) := en in b && negb f && (holds_in m g || holds_in some g)) entries in
            let put l s m := PM.fold (fun k _ m => PM.add k l m) s m in
            PM.add (Maps.key k) (put Nothing_more none (put Stretch some (put Later later (PM.empty _)))) m
        end) (flat_map (fun Ku => let K := N.pred (Npos (fst Ku)) in [N.double K; N.succ_double K]) (PM.elements kinds)) (PM.empty _).

    Section Proof.
      Variable p : proof.
      Definition systems := p_systems p.
      Definition names : list name := names_for n pieces e (p_by_part p) systems.
      Definition nodes := p_nodes p names.
      Definition polys : N -> list polynomial := get [] (array ([] :: map (fun nd => let '(_, _, _, l) := nd in l) nodes)).
      Definition mentioned : N -> N :=
        get 0 (array (0 :: map (fun nd => let '(_, _, _, l) := nd in
          fold_left (fun m q => fold_left (fun m t => fold_left N.setbit (snd t) m) q m) l 0) nodes)).

      Variables (level_at : bool -> N -> N -> level) (told : N -> told).
      Definition units_for : list Ends.unit :=
        fold_left (fun us g => match unit_of e (v_near v) rights pieces told level_at g with
          | Some u => if existsb (unit_eqb u) us then us else u :: us
          | None => us
          end) (s_grams e) [].
      Variable names_ : list name.
      Variable units : list Ends.unit.
      Definition unit_mask (u : Ends.unit) : N :=
        fold_left (fun m iu => if unit_eqb u (snd iu) then N.setbit m (unit_bit names_ (fst iu)) else m) (numbered_units units) 0.
      Definition reaches : PM.t (PM.t N) :=
        let masks := mask_at e (v_near v) rights names_ in
        let coarse := coarse_of e in
        PM.map (fun grams => grown (map (fun g : gram => let '(sd, K, x, w) := g in
          (coarse x, N.lor (masks x) (match unit_of e (v_near v) rights pieces told level_at g with Some u => unit_mask u | None => 0 end), head_of w)) grams))
          (by_side (s_grams e)).

      (** The steps that a strip may take, for the keys that must be verified. *)
      Variable key_of : N -> Strips.element -> symbol -> N -> Z -> Strips.element -> step_key.
      Variable ok : step_key -> bool.
      Variable needed : Strips.element -> bool.
      Definition tried : Type := buckets step_key * list step_key * buckets step_key.   (* right, with a list; wrong *)
      Definition try_key (t : tried) (k : step_key) : tried * bool :=
        let '(right_, l, wrong) := t in
        let h := key_hash k in
        if existsb (key_eqb k) (bucket _ right_ h) then (t, true)
        else if existsb (key_eqb k) (bucket _ wrong h) then (t, false)
        else if ok k then ((PM.add h (k :: bucket _ right_ h) right_, k :: l, wrong), true)
        else ((right_, l, PM.add h (k :: bucket _ wrong h) wrong), false).
      Definition try_step (t : tried) (a : Strips.element) (s : symbol) (c : N) (side : Z) (b : Strips.element) : tried :=
        if needed b then
          let '(t, found) := try_key t (key_of 1 a s c side b) in
          if found then t else
          let '(t, found) := try_key t (key_of 2 a s c side b) in
          if found then t else fst (try_key t (key_of 3 a s c side b))
        else t.
      Definition tried_steps : list step_key :=
        let label_at := labels_of e in let coarse := coarse_of e in
        let class_of := Values.class_of e in let kind_of := Values.kind_of e in
        let L := rows_of table in
        let by_label := members N (fun i => label_hash (label_at i)) (below (N.of_nat (length (s_labels e)))) in
        let number l := match find (fun i => label_eqb (label_at i) l) (bucket N by_label (label_hash l)) with Some i => i | None => 0 end in
        let aheads := members gram (fun g => let '(s, K, x, w) := g in one_ahead s K (coarse x)) (s_grams e) in
        let marks := mark_of (v_marks v) in
        let dims := dim_cell (v_dim v) (v_classes v) in
        let step t a s := let '(p, _, y, c, l, r) := a in
          match find_rule L p s with
          | None => t
          | Some (write, mv, p') =>
              if (write =? s) && move_eqb mv MS then t else
              let '(cells, place, _) := label_at c in
              let c' := number (map dims (set_nth (Z.to_nat (y - s_low e)) (Is write) cells), place, marks p + 1) in
              let aside sd first := fold_left (fun t g => let '(sd', K, x, w) := g in
                if Bool.eqb sd sd' && (K =? kind_of p) && (coarse x =? first)
                then try_step t a s c' (sg sd) (enter sd (p', y, coarse c') x (head_of w)) else t) (bucket _ aheads (one_ahead sd (kind_of p) first)) t in
              match mv with
              | MR => aside true (head_of r)
              | ML => aside false (head_of l)
              | _ => try_step t a s c' 0%Z (p', p', (y + dy mv)%Z, c', l, r)
              end
          end in
        snd (fst (fold_left (fun t a => let '(_, _, y, c, _, _) := a in
          match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
          | Some x => fold_left (fun t s => step t a s) (symbols_held n class_of x) t
          | None => t
          end) (s_elements e) (PM.empty _, [], PM.empty _))).
    End Proof.
  End Strip.

  (** * The check *)
  Definition check_proof (fuel : nat) (e : strip) (rights : list told) (told : N -> told) (level_at : bool -> N -> N -> level) (row : nat) (p : proof) : bool :=
    let systems := p_systems p in
    let near := v_near v in
    let names := names_for n pieces e (p_by_part p) systems in
    let nodes := p_nodes p names in
    let node_number := node_numbers nodes in
    let polys := get [] (array ([] :: map (fun nd => let '(_, _, _, l) := nd in l) nodes)) in
    let mentioned := get 0 (array (0 :: map (fun nd => let '(_, _, _, l) := nd in
          fold_left (fun m q => fold_left (fun m t => fold_left N.setbit (snd t) m) q m) l 0) nodes)) in
    let units := units_for e rights level_at told in
    let reach := two_keys 0 (reaches e rights level_at told names units) in
    let key_of := key_at n e near rights pieces systems names table told reach node_number mentioned in
    let verified := tried_steps e key_of (problem_ok e pieces systems names polys)
                      (fun b => match polys (node_at e node_number b) with [] => false | _ => true end) in
    systems_ok systems && grams_ok e near rights names told reach &&
    forallb (problem_ok e pieces systems names polys) verified &&
    check_columns Unasked n table table e (left_steps near) (left_starts e)
      (keeps n e near rights pieces systems names table told reach node_number polys mentioned verified) &&
    begins_ok n e near rights pieces systems names node_number polys fuel &&
    levels_ok n e near rights pieces row (is_digit digits) level_at &&
    units_ok e near rights pieces names told reach level_at units &&
    ends_ok n e near rights pieces systems names table told reach node_number polys level_at units row digits value.
  Definition check_values (fuel : nat) : bool :=
    let '(told_list, starts, steps) := places_for n pieces (v_near v) (v_far v) in
    let e := saturated n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps in
    let told := coarse_told e told_list in
    let row := Z.to_nat (v_row v - v_low v) in
    let level_at := two_keys Unknown_level (levels e told_list row) in
    existsb (check_proof fuel e told_list told level_at row) (v_proofs v).

  Theorem check_values_sound fuel : check_values fuel = true -> leaves_output (table_of table) (Output_clause pieces digits value).
  Proof.
    unfold check_values. destruct (places_for n pieces (v_near v) (v_far v)) as [[told_list starts] steps].
    set (e := saturated n (rows_of table) (v_low v) (v_high v) (v_dim v) (v_classes v) (v_kinds v) (v_marks v) (v_near v) starts steps).
    assert (Hno : s_descents e = []) by reflexivity. clearbody e.
    intros H. apply existsb_exists in H as (p & _ & H). revert H. generalize (two_keys Unknown_level (levels e told_list (Z.to_nat (v_row v - v_low v)))).
    generalize (coarse_told e told_list). generalize (Z.to_nat (v_row v - v_low v)). intros row told level_at H.
    unfold check_proof in H. revert H. set (names := names_for _ _ _ _ _). set (nodes := p_nodes p names).
    set (units := units_for _ _ _ _). set (reach := two_keys 0 _). set (mentioned := get 0 (array (0 :: _))). set (verified := tried_steps _ _ _ _).
    set (polys := get [] (array ([] :: _))). generalize (node_numbers nodes). intros node_number.
    clearbody names nodes units reach mentioned verified polys. intros H.
    apply andb_true_iff in H as [H Hends]. apply andb_true_iff in H as [H Hunits]. apply andb_true_iff in H as [H Hlevels].
    apply andb_true_iff in H as [H Hbegin]. apply andb_true_iff in H as [H Hcols]. apply andb_true_iff in H as [H Hver].
    apply andb_true_iff in H as [Hsys Hgrams].
    apply check_columns_runs in Hcols as (Hn & Hstart & D & Hsteps).
    intros parts Hparts k c (Hrun & Hhalt & Hbefore). cbn [o_pieces] in Hparts.
    pose proof (invariant_runs Unasked (table_of table) (table_of table)
      (good n e (v_near v) told_list (p_systems p) names node_number polys parts)) as I.
    specialize (I (good_step n e (v_near v) told_list pieces (p_systems p) names table told reach node_number polys mentioned verified Hsys Hgrams Hver parts Hparts D Hno Hsteps)).
    destruct (I (input_world (concat parts)) 0%Z 0%Z) with (n := k) (cl := c) as (q & _ & Hgood).
    - eapply first_good; [exact Hsys | exact Hparts | exact Hbegin | reflexivity | reflexivity | exact Hstart].
    - exact Hrun.
    - exact Hbefore.
    - assert (Hon : halts_on table (st c) (cells c (hx c) (hy c)) = true).
      { destruct Hhalt as [p' Hp]. unfold acts, reads in Hp. unfold halts_on. rewrite Hp. apply N.eqb_refl. }
      destruct (result_here n e (v_near v) told_list pieces (p_systems p) names table told reach node_number polys level_at units row digits value
                  Hsys Hgrams Hlevels Hunits Hends parts Hparts _ _ _ _ _ Hgood Hon) as (z & l & Hz & Hst & Hsay).
      exists (Number z), l. split; [exact Hz|]. split; [exact Hst | exact Hsay].
  Qed.
End Check.
