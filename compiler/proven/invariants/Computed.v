(** (V12): what the checker computes of a strip, and need not be believed. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Joint Maps Windows Columns Strips Descents Starts Closures Places Polynomials
  Elimination Unknowns Facts Values Findings Invariants
  Stretches Texts Ends Goals Saturation.
Import ListNotations.
Local Open Scope N_scope.

(** * Unknowns *)
Section Names.
  Context {sc : scene}.
  Import Scene.
  Variables (by_part : bool) (systems : list system).
  Definition class_numbers : list N := below (N.succ (fold_left N.max (s_classes e) 0)).
  Definition has_worth (s : system) (symbols : list symbol) : bool :=
    existsb (fun x => negb (worth s x =? 0)%Z) symbols.
  Definition class_members (c : N) : list symbol :=
    map fst (filter (fun sc => snd sc =? c) (combine (below n) (s_classes e))).
  Definition names_for : list name :=
    let ids := below (N.of_nat (length systems)) in
    let scales := scales (get no_system (array systems)) ids in
    let parts := below (N.of_nat (length pieces)) in
    let rows := seq 0 (s_height e) in
    let regions := if by_part then map Some (below (N.of_nat (length pieces) + 2)) else [None] in
    flat_map (fun i => map (Part_weight i) (below (N.succ (N.of_nat (length pieces))))) scales ++
    flat_map (fun i => map (Part_number i) parts) ids ++
    map Last_weight scales ++ map Head_weight scales ++
    flat_map (fun i => map (Cell_value i) rows) ids ++
    flat_map (fun is : N * system => let '(i, s) := is in
      flat_map (fun rt =>
        flat_map (fun j => if has_worth s (symbols_of_clause (nth (N.to_nat j) pieces Nothing))
                           then [Sum_beside i rt (Z.to_nat (- s_low e)) (Fresh (N.succ j))] else []) parts ++
        flat_map (fun r => flat_map (fun c => if has_worth s (class_members c) then
          map (fun j => Sum_beside i rt r (Worn c j)) regions else [])
                             class_numbers) rows) [false; true]) (combine ids systems).
  Definition unknowns_of : unknowns :=
    let system_list := array systems in
    let names := names_for in
    let name_list := array names in let name_at := get (Part_weight 0 0) name_list in
    let by_name := members N (fun v => name_hash (name_at v)) (below (N.of_nat (length names))) in
    Numbered systems (get no_system system_list) name_at (number_by name_at by_name) (N.of_nat (length names)).
End Names.

(** A state, a row, the classes of the head's column, and its part, if that is told. *)
Definition node : Type := state * Z * list N * option N.
Definition node_hash (nd : node) : positive := let '(p, y, c, _) := nd in Maps.key (mixes (mix p (zn y)) c).
Definition node_eqb (a b : node) : bool :=
  let '(p, y, c, j) := a in let '(p', y', c', j') := b in (p =? p') && (y =? y')%Z && same_text c c' &&
    option_eqb N.eqb j j'.
Definition node_numbers (nodes : list (node * list polynomial)) : state -> Z -> list N -> N -> N :=
  let table := members _ (fun ie => node_hash (fst (snd ie)))
    (combine (map N.succ (below (N.of_nat (length nodes)))) nodes) in
  let find_node nd := find (fun ie => node_eqb nd (fst (snd ie))) (bucket _ table (node_hash nd)) in
  fun p y c j => match find_node (p, y, c, Some j) with
                 | Some (i, _) => i
                 | None => match find_node (p, y, c, None) with Some (i, _) => i | None => 0 end
                 end.

(** Sets of numbers that shrink until they are consistent; and masks that grow. *)
Definition entry_of : Type := N * N * (bool * bool * bool).       (* coarse number, the next; blank, a symbol, far *)
Definition holds_in {A} (m : PM.t A) (f : N) : bool := match PM.find (Maps.key f) m with Some _ => true
  | None => false end.
Definition greatest (ok : PM.t Datatypes.unit -> entry_of -> bool) (entries : list entry_of) : PM.t Datatypes.unit :=
  fst (repeat_until 16 (fun s : PM.t Datatypes.unit * bool => snd s)
    (fun s => fold_left (fun s en => let '(f, _, _) := en in
       if holds_in (fst s) f && negb (ok (fst s) en) then (PM.remove (Maps.key f) (fst s), false)
         else s) entries (fst s, true))
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

(** A function of numbers, computed once for each of some. *)
Definition noted {A} (f : N -> option A) (l : list N) : N -> option A :=
  let table := array (map (fun c => (c, f c)) l) in
  fun c => match PM.find (Maps.key c) table with Some (c', b) => if c' =? c then b else None | None => None end.
Lemma noted_ok {A} (f : N -> option A) l c a : noted f l c = Some a -> f c = Some a.
Proof.
  unfold noted. destruct (PM.find _ _) as [[c' b]|] eqn:E; [|discriminate]. apply array_from in E.
  apply in_map_iff in E as (x & Ex & _). injection Ex as <- <-.
  destruct (N.eqb_spec x c) as [->|]; [auto | discriminate].
Qed.
(** * What stands where *)
Section Levels.
  Context {sc : scene} {ra : row_aim}.
  Import Scene.
  Definition halting_kinds : PM.t Datatypes.unit :=
    fold_left (fun m p => if existsb (halts_on p) (below n) then PM.add (Maps.key (kind_of p)) tt m else m)
      (below (N.of_nat (length (s_kinds e)))) (PM.empty _).
  (** The sides and coarse numbers of all columns that may stand beside the head where the agent halts. *)
  Definition beside_ends : buckets (N * N) :=
    let beyond := fold_left (fun m g => let '(sd, K, x, w) := g in
      let k := Maps.key (side_key sd K) in let row := match PM.find k m with Some l => l | None => PM.empty _ end in
      PM.add k (PM.add (Maps.key (coarse_at x)) (head_of w :: get [] row (coarse_at x)) row) m) (s_grams e)
        (PM.empty _) in
    let next := fun kf : N * N => Some (map (pair (fst kf)) (get [] (get (PM.empty _) beyond (fst kf)) (snd kf))) in
    let firsts := flat_map (fun el : Strips.element => let '(p, _, y, c, l, r) := el in
      match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
      | Some v => if existsb (halts_on p) (symbols_held n class_of v)
                  then [(side_key false (kind_of p), head_of l); (side_key true (kind_of p), head_of r)] else []
      | None => []
      end) (s_elements e) in
    members _ pair_hash (found _ pair_hash pair_eqb next 24 firsts).
  Definition levels : PM.t (PM.t level) :=
    let reached := beside_ends in
    let looks := once_each ([], 0, 0) (fun l => (shows_blank (cells_of l), shows_symbol (cells_of l))) (s_labels e) in
    let far_right := once_each ([], 0, 0) (fun l => is_far l true) (s_labels e) in
    let far_left := once_each ([], 0, 0) (fun l => is_far l false) (s_labels e) in
    let sides := by_side (s_grams e) in
    fold_left (fun m k => match PM.find (Maps.key k) sides with
      | None => m
      | Some grams =>
          let far := if N.odd k then far_right else far_left in
          let entries := map (fun g : gram => let '(_, _, x, w) := g in
            let '(b, s) := looks x in (coarse_at x, head_of w, (b, s, far x)))
            (filter (fun g : gram => let '(_, _, x, _) := g in is_member _ pair_hash pair_eqb reached (k, coarse_at x))
              grams) in
          let none := greatest (fun m en => let '(_, g, (b, _, _)) := en in b && holds_in m g) entries in
          let some := greatest (fun m en => let '(_, g, (_, s, _)) := en in s && (holds_in m g || holds_in none g))
            entries in
          let later := greatest (fun m en => let '(_, g, (b, _, f)) := en in
            b && negb f && (holds_in m g || holds_in some g)) entries in
          let perhaps := greatest (fun m en => let '(_, g, (b, _, _)) := en in
            b && (holds_in m g || holds_in none g || holds_in some g || holds_in later g)) entries in
          let put l s m := PM.fold (fun k _ m => PM.add k l m) s m in
          PM.add (Maps.key k) (put Nothing_more none
            (put Stretch some (put Later later (put Perhaps_later perhaps (PM.empty _))))) m
      end) (flat_map (fun Ku => let K := N.pred (Npos (fst Ku)) in [N.double K; N.succ_double K])
        (PM.elements halting_kinds)) (PM.empty _).

  Definition held_views : PM.t (list N) :=
    fold_left (fun m lc => let k := Maps.key (snd lc) in
      PM.add k (nodup N.eq_dec (row_views (cells_of (fst lc)) ++ match PM.find k m with Some l => l | None => [] end))
        m)
      (combine (s_labels e) (s_coarse e)) (PM.empty _).
  Definition seen_views (held : PM.t (list N)) : PM.t (PM.t (list (N * N))) :=
    fold_left (fun m g => let '(sd, K, x, w) := g in
      let k := Maps.key (side_key sd K) in let row := match PM.find k m with Some l => l | None => PM.empty _ end in
      let add l st := if existsb (pair_eqb st) l then l else st :: l in
      PM.add k (PM.add (Maps.key (coarse_at x))
        (fold_left add (list_prod (row_views (cells_of (label_at x))) (get [] held (head_of w)))
          (get [] row (coarse_at x))) row) m) (s_grams e) (PM.empty _).
  Definition levels_of : row_levels :=
    let level_list := levels in let held := held_views in let seen := seen_views held in
    Row_levels (two_keys Unknown_level level_list) (get [] held) (two_keys [] seen).
End Levels.

Section Found.
  Context {sc : scene} {un : unknowns} {rl : row_levels}.
  Import Scene.
  Definition units_for (last : bool) : list Ends.unit :=
    fold_left (fun us g => match unit_of last g with
      | Some u => if existsb (unit_eqb u) us then us else u :: us
      | None => us
      end) (s_grams e) [].
  Variables (units : list Ends.unit) (last words : bool).
  Definition alike : N -> N -> option Z :=
    let table := noted
      (fun i => Some (noted (fun c => one_worth system_at i (class_symbols c)) class_numbers)) ids in
    fun i c => match table i with Some f => f c | None => None end.
  Lemma alike_ok i c z : alike i c = Some z -> one_worth system_at i (class_symbols c) = Some z.
  Proof.
    unfold alike. destruct (noted _ ids i) as [f|] eqn:E; [|discriminate]. apply noted_ok in E.
    injection E as <-. intros H. apply noted_ok in H. exact H.
  Qed.
  Definition theres : PM.t (PM.t N) :=
    if words then PM.map
      (fun grams => grown (map (fun g : gram => let '(_, _, x, w) := g in
      (coarse_at x, cells_mask (label_at x), head_of w)) grams)) (by_side (s_grams e))
    else PM.empty _.
  Definition unit_mask (u : Ends.unit) : N :=
    fold_left (fun m iu => if unit_eqb u (snd iu) then N.setbit m (unit_bit (fst iu)) else m) (numbered_units units) 0.
  Definition reaches (mask_at : N -> N) : PM.t (PM.t N) :=
    PM.map (fun grams => grown (map (fun g : gram => let '(sd, K, x, w) := g in
      (coarse_at x, N.lor (mask_at x) (match unit_of last g with Some u => unit_mask u | None => 0 end), head_of w))
        grams))
      (by_side (s_grams e)).
  Definition findings_of (nodes : list (node * list polynomial)) : findings :=
    let mask_at := once_each ([], 0, 0) group_mask (s_labels e) in
    let reach_list := reaches mask_at in
    let there_list := theres in
    let node_polys := array ([] :: map snd nodes) in
    let told_in := array
      (0 :: map (fun nd => fold_left (fun m q => fold_left (fun m t => fold_left N.setbit (snd t) m) q m) (snd nd) 0)
      nodes) in
    Findings (two_keys 0 reach_list) (node_numbers nodes) (get [] node_polys) (get 0 told_in) mask_at (side_mask true)
      (side_mask false)
      words (two_keys 0 there_list) alike
        (always system_at ids name_at number pieces).
End Found.

(** * The steps that a strip may take, for the keys that must be verified *)
Section Steps.
  Context {sc : scene} {un : unknowns} {fi : findings}.
  Import Scene.
  Definition tried : Type := buckets step_key * list step_key * buckets step_key.   (* right, with a list; wrong *)
  Definition try_key (t : tried) (k : step_key) : tried * bool :=
    let '(right_, l, wrong) := t in
    let h := key_hash k in
    if existsb (key_eqb k) (bucket _ right_ h) then (t, true)
    else if existsb (key_eqb k) (bucket _ wrong h) then (t, false)
    else if problem_ok k then ((PM.add h (k :: bucket _ right_ h) right_, k :: l, wrong), true)
    else ((right_, l, PM.add h (k :: bucket _ wrong h) wrong), false).
  Definition try_step (t : tried) (a : Strips.element) (s : symbol) (c : N) (side : Z) (b : Strips.element) : tried :=
    if is_nothing (polys (node_at b)) then t else
      let '(t, found) := try_key t (key_at 1 a s c side b) in
      if found then t else
      let '(t, found) := try_key t (key_at 2 a s c side b) in
      if found then t else fst (try_key t (key_at 3 a s c side b)).
  Variables (number : label -> N) (aheads : buckets gram) (mark_of : state -> N) (many : symbol -> bool).
  Definition try_read (a : Strips.element) (t : tried) (s : symbol) : tried :=
    let '(p, _, y, c, l, r) := a in
    match rule p s with
    | None => t
    | Some (write, mv, p') =>
        if (write =? s) && move_eqb mv MS then t else
        let '(cells, place, _) := label_at c in
        let c' := number (map (dimmed class_of many) (set_nth (Z.to_nat (y - s_low e)) (Is write) cells), place,
          mark_of p + 1) in
        let aside sd first := fold_left (fun t g => let '(sd', K, x, w) := g in
          if Bool.eqb sd sd' && (K =? kind_of p) && (coarse_at x =? first)
          then try_step t a s c' (sg sd) (enter sd (p', y, coarse_at c') x (head_of w))
            else t) (bucket _ aheads (one_ahead sd (kind_of p) first)) t in
        match mv with
        | MR => aside true (head_of r)
        | ML => aside false (head_of l)
        | _ => try_step t a s c' 0%Z (p', p', (y + dy mv)%Z, c', l, r)
        end
    end.
  Definition tried_steps : list step_key :=
    snd (fst (fold_left (fun t a => let '(_, _, y, c, _, _) := a in
      match nth_error (cells_of (label_at c)) (Z.to_nat (y - s_low e)) with
      | Some x => fold_left (try_read a) (symbols_held n class_of x) t
      | None => t
      end) (s_elements e) (PM.empty _, [], PM.empty _))).

  (** All that were found right are right. *)
  Definition all_right (t : tried) : Prop := forall k, In k (snd (fst t)) -> problem_ok k = true.
  Lemma fold_keeps {A B} (P : A -> Prop) (f : A -> B -> A) l : (forall a b, P a -> P (f a b)) -> forall a, P a ->
    P (fold_left f l a).
  Proof. intros H. induction l as [|b l IH]; intros a Ha; cbn [fold_left]; auto. Qed.
  Lemma try_key_right t k : all_right t -> all_right (fst (try_key t k)).
  Proof.
    destruct t as [[r l] w]. unfold try_key. destruct (existsb _ _); [auto|]. destruct (existsb _ _); [auto|].
    destruct (problem_ok k) eqn:E; [|auto]. intros H k' [<-|Hin]; [exact E | exact (H k' Hin)].
  Qed.
  Lemma try_step_right t a s c side b : all_right t -> all_right (try_step t a s c side b).
  Proof.
    intros H. unfold try_step. destruct (is_nothing _); [exact H|].
    pose proof (try_key_right t (key_at 1 a s c side b) H) as H1. destruct (try_key t _) as [t1 []]; [exact H1|].
    pose proof (try_key_right t1 (key_at 2 a s c side b) H1) as H2. destruct (try_key t1 _) as [t2 []]; [exact H2|].
    exact (try_key_right t2 _ H2).
  Qed.
  Lemma try_read_right a t s : all_right t -> all_right (try_read a t s).
  Proof.
    intros H. unfold try_read. destruct a as [[[[[p q] y] c] l] r].
    destruct (rule p s) as [[[write mv] p']|]; [|exact H].
    destruct (_ && _); [exact H|]. destruct (label_at c) as [[cells place] mark].
    destruct mv; try (apply try_step_right; exact H);
      (apply fold_keeps; [|exact H]); intros t' [[[sd' K] x] w] H'; destruct (_ && _); auto using try_step_right.
  Qed.
  Lemma tried_steps_right k : In k tried_steps -> problem_ok k = true.
  Proof.
    apply (fold_keeps all_right).
    - intros t [[[[[p q] y] c] l] r] H. destruct (nth_error _ _); [|exact H].
      apply fold_keeps; [intros; apply try_read_right; assumption | exact H].
    - intros k' [].
  Qed.
End Steps.
