(** The checker of smallest machines, from the bytes of a file with traces, a claim and its evidence. *)
From Coq Require Import ZArith NArith List Bool String Lia.
From Gridlang Require Import Json Certificate Evidence Grid Maps Windows Columns Differences Smallest Derivation Colours Refutation.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.
Local Open Scope N_scope.

(** What the file says: this machine does what the traces show, and none with so few states. *)
Record question := Question { shown_traces : list trace; machine : option (N * rules); excluded : N }.
Definition smallest (q : question) : Prop :=
  match machine q with
  | Some (n, r) => of_states n (table_of r) /\ Forall (does_what_it_shows (table_of r)) (shown_traces q)
  | None => True
  end /\ too_few (excluded q) (shown_traces q).

(** * The machine *)
Fixpoint repeats (T : table) (p : state) (t : trace) : bool :=
  match t with
  | [] => true
  | (s, a) :: t => deed_eqb (seen (T p s)) a &&
                   match T p s, t with Some (_, _, q), _ => repeats T q t | None, [] => true | None, _ => false end
  end.
Lemma repeats_ok T t : forall p, repeats T p t = true -> deeds T p (map fst t) = map snd t.
Proof.
  induction t as [|[s a] t IH]; intros p H; [reflexivity|]. cbn [repeats] in H. apply andb_true_iff in H as [Ha H]. apply deed_eqb_eq in Ha.
  cbn [deeds map fst snd]. destruct (T p s) as [[[w m] q]|]; [rewrite Ha, (IH q H); reflexivity|].
  destruct t; [rewrite <- Ha; reflexivity | discriminate].
Qed.
Definition has_states (n : N) (r : rules) : bool :=
  (0 <? n) && forallb (fun u => let '(_, (_, _, q)) := u in q <? n) r.
Lemma has_states_ok n r : has_states n r = true -> of_states n (table_of r).
Proof.
  intros H. apply andb_true_iff in H as [Hn H]. split; [apply N.ltb_lt, Hn|]. intros p s w m q _.
  induction r as [|[[p1 s1] [[w1 m1] q1]] r IH]; [discriminate|]. cbn [forallb table_of] in *. apply andb_true_iff in H as [H1 H].
  destruct ((p =? p1) && (s =? s1)); [|exact (IH H)]. intros E. injection E as <- <- <-. apply N.ltb_lt, H1.
Qed.
Definition machine_ok (q : question) : bool :=
  match machine q with
  | Some (n, r) => let rows := rows_of r in has_states n r && forallb (repeats (find_rule rows) 0) (shown_traces q)
  | None => true
  end.
Lemma machine_ok_sound q n r : machine_ok q = true -> machine q = Some (n, r) ->
  of_states n (table_of r) /\ Forall (does_what_it_shows (table_of r)) (shown_traces q).
Proof.
  unfold machine_ok. intros H E. rewrite E in H. apply andb_true_iff in H as [Hn H]. split; [apply has_states_ok, Hn|].
  rewrite forallb_forall in H. apply Forall_forall. intros t Ht. apply H, repeats_ok in Ht. unfold does_what_it_shows. rewrite <- Ht.
  clear Ht. generalize 0. induction (map fst t) as [|s u IH]; intros p; [reflexivity|]. cbn [deeds]. rewrite find_rows.
  destruct (table_of r p s) as [[[w m] p']|]; [rewrite IH|]; reflexivity.
Qed.

(** * A refutation: nodes by what was read up to them, edges, those without a name in the order of `inner` *)
Definition edge : Type := N * N * deed * option N.      (* node, read, what is done, next node *)
Record refutation := Refutation {
  r_words : PM.t (list symbol); r_named : list N; r_inner : list N; r_suffixes : list (list symbol);
  r_edges : list edge; r_apart : list (N * N * list symbol); r_variables : PM.t variable; r_lines : list line }.

Section Refuted.
  Variables (traces : list trace) (shown : tree) (k : N) (e : refutation).
  Definition word_of : N -> list symbol := get [] (r_words e).
  Definition edge_ok (is_inner : N -> bool) (x : edge) : bool :=
    let '(v, r, a, c) := x in
    is_inner v && match shown_in shown (word_of v ++ [r]) with Some b => deed_eqb b a | None => false end &&
    match c with Some w => nlist_eqb (word_of w) (word_of v ++ [r]) | None => true end.
  Definition apart_ok (is_inner : N -> bool) (x : N * N * list symbol) : bool :=
    let '(v, i, suffix) := x in
    is_inner v && match nth_error (r_named e) (N.to_nat i) with Some u => tells_apart shown (word_of v) (word_of u) suffix | None => false end.
  Definition edge_hash (v r : N) : positive := Maps.key (mix (mix 7 v) r).
  Definition by_hash : PM.t (list edge) := members edge (fun x => let '(v, r, _, _) := x in edge_hash v r) (r_edges e).
  Definition apart_hash (x : N * N * list symbol) : positive := let '(v, i, _) := x in edge_hash v i.
  Definition some_edge (found : PM.t (list edge)) (v r : N) (f : edge -> bool) : bool :=
    existsb (fun x => let '(v', r', _, _) := x in (v =? v') && (r =? r') && f x) (bucket edge found (edge_hash v r)).
  Definition typed (l : literal) : said := (negb (N.odd l), get (Is_state 0 0) (r_variables e) (N.div2 l)).
  Definition refutes : bool :=
    let inner := members N Maps.key (r_inner e) in
    let is_inner := is_member N Maps.key N.eqb inner in
    let edges := by_hash in
    let aparts := members _ apart_hash (r_apart e) in
    let is_edge v r a := some_edge edges v r (fun x => let '(_, _, b, _) := x in deed_eqb b a) in
    let is_child v r w := some_edge edges v r (fun x => let '(_, _, _, c) := x in match c with Some u => u =? w | None => false end) in
    let is_apart v i := existsb (fun x => let '(u, j, _) := x in (v =? u) && (i =? j)) (bucket _ aparts (edge_hash v i)) in
    is_clique shown (map word_of (r_named e)) (r_suffixes e) &&
    forallb (edge_ok is_inner) (r_edges e) && forallb (apart_ok is_inner) (r_apart e) &&
    derives (fun c => is_given k (r_named e) (r_inner e) is_edge is_child is_apart (map typed c)) (PM.empty _) (r_lines e).

  Hypothesis shown_is : shown = tree_of traces.
  Lemma in_members {A} (hash : A -> positive) l h a : In a (bucket A (members A hash l) h) -> In a l.
  Proof. intros H. apply members_from in H as [H|H]; [exact H|]. unfold bucket in H. rewrite PM.gempty in H. contradiction. Qed.
  Lemma some_edge_ok v r f : some_edge by_hash v r f = true -> exists a c, In (v, r, a, c) (r_edges e) /\ f (v, r, a, c) = true.
  Proof.
    intros H. apply existsb_exists in H as ([[[v' r'] a] c] & Hin & H). rewrite !andb_true_iff, !N.eqb_eq in H.
    destruct H as [[-> ->] H]. apply in_members in Hin. eauto.
  Qed.
  Lemma after_app T u r : forall p, after T p (u ++ [r]) =
    match after T p u with Some q => match T q r with Some (_, _, q') => Some q' | None => None end | None => None end.
  Proof. induction u as [|s u IH]; intros p; cbn [app after]; [|destruct (T p s) as [[[w m] q]|]; [apply IH | reflexivity]]. destruct (T p r) as [[[w m] q]|]; reflexivity. Qed.
  Lemma edge_shown T is_inner v r a c : (forall v, is_inner v = true -> In v (r_inner e)) -> Forall (does_what_it_shows T) traces ->
    edge_ok is_inner (v, r, a, c) = true -> In v (r_inner e) /\ seen (T (state_of T word_of v) r) = a /\
    forall w, c = Some w -> state_of T word_of w = next T (state_of T word_of v) r.
  Proof.
    intros Hi Ht H. unfold edge_ok in H. rewrite shown_is, !andb_true_iff in H. destruct H as [[Hv Hs] Hc]. split; [apply Hi, Hv|].
    destruct (shown_in _ (word_of v ++ [r])) as [b|] eqn:E; [|discriminate]. apply deed_eqb_eq in Hs. subst b.
    apply (shown_in_ok T) in E as (q & Hq & Ha); [|discriminate | exact Ht]. unfold state_of, state_after. rewrite Hq.
    split; [exact Ha|]. intros w ->. apply nlist_eqb_eq in Hc. rewrite Hc, after_app, Hq. unfold next. destruct (T q r) as [[[? ?] ?]|]; reflexivity.
  Qed.

  Theorem refutes_sound : refutes = true -> too_few k traces.
  Proof.
    intros H T HT Ht. unfold refutes in H. rewrite !andb_true_iff in H. destruct H as [[[Hq He] Ha] Hd].
    rewrite forallb_forall in He, Ha. set (is_inner := is_member N Maps.key N.eqb _) in *.
    assert (Hi : forall v, is_inner v = true -> In v (r_inner e)).
    { intros v. apply is_member_sound. intros a b E. apply N.eqb_eq, E. }
    eapply (derives_sound (fun n => value T k word_of (r_named e) (r_inner e) (get (Is_state 0 0) (r_variables e) n))); [|exact Hd].
    intros c Hc. apply (given_so T k word_of) in Hc.
    - unfold is_so in Hc. apply existsb_exists in Hc as (x & Hx & E). apply in_map_iff in Hx as (l & <- & Hl). exists l. split; [exact Hl|].
      unfold holds_literal. cbn [typed fst snd] in E. destruct (N.odd l), (value _ _ _ _ _ _); try discriminate; reflexivity.
    - exact HT.
    - rewrite shown_is in Hq. apply (is_clique_ok T) in Hq; [|exact Ht]. rewrite map_map in Hq. exact Hq.
    - intros v r a H. apply some_edge_ok in H as (b & w & Hin & E). apply deed_eqb_eq in E. subst b.
      apply He, (edge_shown T) in Hin; auto. tauto.
    - intros v r w H. apply some_edge_ok in H as (b & c' & Hin & E). destruct c' as [u|]; [|discriminate]. apply N.eqb_eq in E. subst u.
      apply He, (edge_shown T) in Hin; auto. destruct Hin as (H1 & _ & H2). auto.
    - intros v i H. apply existsb_exists in H as ([[u j] x] & Hin & E). rewrite andb_true_iff, !N.eqb_eq in E. destruct E as [<- <-].
      apply in_members, Ha in Hin. apply andb_true_iff in Hin as [Hv Hin]. split; [apply Hi, Hv|].
      destruct (nth_error (r_named e) (N.to_nat i)) as [u|]; [|discriminate]. exists u. split; [reflexivity|].
      rewrite shown_is in Hin. eapply tells_apart_ok; eauto.
  Qed.
End Refuted.

(** * How a file is read *)
Definition deed_of_numbers (w m : Z) : option deed :=
  if (w <? 0)%Z then Some None
  else let? m := nth_error [MU; MD; ML; MR; MS] (Z.to_nat m) in Some (Some (Z.to_N w, m)).
Definition trace_step (j : json) : option (symbol * deed) :=
  match j with
  | List [r; w; m] => let? r := natural r in let? w := whole w in let? m := whole m in let? a := deed_of_numbers w m in Some (r, a)
  | _ => None
  end.
Definition question_of (j : json) : option question :=
  let? names := field "symbols" j in let? names := each letter names in let? symbols := numbering names in
  let? traces := field "traces" j in let? traces := each (each trace_step) traces in
  let? table := field "table" j in
  let? machine := match table with Null => Some None | _ => let? m := rules_of symbols table in Some (Some m) end in
  let? k := field "excluded" j in let? k := natural k in Some (Question traces machine k).

Definition edge_of (j : json) : option edge :=
  match j with
  | List [v; r; w; m; c] =>
      let? v := natural v in let? r := natural r in let? w := whole w in let? m := whole m in let? a := deed_of_numbers w m in
      let? c := whole c in Some (v, r, a, if (c <? 0)%Z then None else Some (Z.to_N c))
  | _ => None
  end.
Definition apart_of (j : json) : option (N * N * list symbol) :=
  match j with
  | List [v; i; suffix] => let? v := natural v in let? i := natural i in let? x := each natural suffix in Some (v, i, x)
  | _ => None
  end.
Definition line_of (j : json) : option line :=
  match j with
  | List [id; c] => let? id := natural id in let? c := each natural c in Some (Given id c)
  | List [id; c; by_] => let? id := natural id in let? c := each natural c in let? by_ := each natural by_ in Some (Follows id c by_)
  | _ => None
  end.
(** The first node has read nothing; each other one a symbol after one before it. *)
Definition words_of (nodes : list (N * N)) : PM.t (list symbol) :=
  fst (fold_left (fun acc e => let '(m, i) := acc in (PM.add (Maps.key i) (get [] m (fst e) ++ [snd e]) m, N.succ i))
                 nodes (PM.add (Maps.key 0) [] (PM.empty _), 1%N)).
Definition variables_of (k nodes inner named : N) (reads : list N) (acts : list (symbol * deed)) : list variable :=
  flat_map (fun v => map (Is_state v) (below k)) (below nodes) ++
  flat_map (fun r => flat_map (fun i => map (Next r i) (below k)) (below k)) reads ++
  flat_map (fun a => map (Does (fst a) (snd a)) (below k)) acts ++
  flat_map (fun n => map (Used n) (below (k - named))) (below inner).
Definition refutation_of (k : N) (j : json) : option refutation :=
  let? nodes := field "nodes" j in let? nodes := each pair_of nodes in
  let? named := field "clique" j in let? named := each natural named in
  let? inner := field "inner" j in let? inner := each natural inner in
  let? suffixes := field "suffixes" j in let? suffixes := each (each natural) suffixes in
  let? edges := field "edges" j in let? edges := each edge_of edges in
  let? apart := field "apart" j in let? apart := each apart_of apart in
  let? reads := field "reads" j in let? reads := each natural reads in
  let? acts := field "acts" j in let? acts := each trace_step acts in
  let? lines := field "lines" j in let? lines := each line_of lines in
  let count {A} (l : list A) := N.of_nat (List.length l) in
  Some (Refutation (words_of nodes) named inner suffixes edges apart
    (array (variables_of k (N.succ (count nodes)) (count inner) (count named) reads acts)) lines).

(** States beyond these are not looked at: names of variables grow with the square of their number. *)
Definition most_states : N := 1000.
Definition none_is_smaller (q : question) (j : json) : bool :=
  let shown := tree_of (shown_traces q) in
  match field "kind" j with
  | Some kind =>
      if is_text "clique" kind then
        match field "clique" j, field "suffixes" j with
        | Some nodes, Some suffixes =>
            match each (each natural) nodes, each (each natural) suffixes with
            | Some nodes, Some suffixes => is_clique shown nodes suffixes && (excluded q <? N.of_nat (List.length nodes))
            | _, _ => false
            end
        | _, _ => false
        end
      else is_text "refutation" kind && (excluded q <=? most_states) &&
        match refutation_of (excluded q) j with Some e => refutes shown (excluded q) e | None => false end
  | None => false
  end.
Definition is_smallest (bytes : string) : bool :=
  match json_of bytes with
  | Some j =>
      match question_of j, field "evidence" j with
      | Some q, Some e => machine_ok q && none_is_smaller q e
      | _, _ => false
      end
  | None => false
  end.

Theorem is_smallest_sound bytes : is_smallest bytes = true ->
  exists j q, json_of bytes = Some j /\ question_of j = Some q /\ smallest q.
Proof.
  unfold is_smallest. destruct (json_of bytes) as [j|]; [|discriminate]. destruct (question_of j) as [q|] eqn:Eq; [|discriminate].
  destruct (field "evidence" j) as [e|]; [|discriminate]. intros H. apply andb_true_iff in H as [Hm H].
  exists j, q. split; [reflexivity|]. split; [exact Eq|]. split.
  - destruct (machine q) as [[n r]|] eqn:E; [|exact I]. eapply machine_ok_sound; eauto.
  - unfold none_is_smaller in H. destruct (field "kind" e) as [kind|]; [|discriminate]. destruct (is_text _ kind).
    + destruct (field "clique" e) as [nodes|], (field "suffixes" e) as [suffixes|]; try discriminate.
      destruct (each (each natural) nodes) as [ns|], (each (each natural) suffixes) as [xs|]; try discriminate. apply andb_true_iff in H as [H Hk].
      apply N.ltb_lt in Hk. eapply clique_sound; eauto.
    + apply andb_true_iff in H as [_ H]. destruct (refutation_of (excluded q) e) as [r|]; [|discriminate]. eapply refutes_sound; [reflexivity | exact H].
Qed.
