(** What is proven, on one page: agents, worlds, runs, inputs, and what a certificate may claim of them. Nothing here is
    about evidence. Of clauses, [evaluate] in semantics/Expressions.v says what their expressions mean; of learned
    weights, Engines.v what may run them. Theorem.v says what holds. *)
From Coq Require Import ZArith NArith List Bool.
From Gridlang Require Export Expressions.
Import ListNotations.

(** * Agents, worlds, runs *)

Definition state := N.
Inductive move := MU | MD | ML | MR | MS.
Definition dx (m : move) : Z := match m with ML => (-1)%Z | MR => 1%Z | _ => 0%Z end.
Definition dy (m : move) : Z := match m with MU => (-1)%Z | MD => 1%Z | _ => 0%Z end.

(** What an agent does in a state on a symbol: write, move, next state; or nothing, then it is stuck. *)
Definition entry : Type := symbol * move * state.
Definition table := state -> symbol -> option entry.

(** A table is written as rules, of which the first for a pair counts. *)
Definition rules := list (state * symbol * entry).
Fixpoint table_of (r : rules) : table :=
  match r with
  | [] => fun _ _ => None
  | (p, s, e) :: r => fun p' s' => if ((p' =? p) && (s' =? s))%N then Some e else table_of r p' s'
  end.

(** A symbol in each cell of the plane, the blank being 0; [over k]: all are of an alphabet of k symbols. *)
Definition world := Z -> Z -> symbol.
Definition over (k : N) (w : world) : Prop := forall x y, (w x y < k)%N.
Definition put (w : world) (x y : Z) (s : symbol) : world :=
  fun a b => if ((a =? x) && (b =? y))%Z then s else w a b.

Record config := Config { st : state; hx : Z; hy : Z; cells : world }.
Definition start (w : world) (x y : Z) : config := Config 0%N x y w.
Definition reads (c : config) : symbol := cells c (hx c) (hy c).
Definition acts (T : table) (c : config) : option entry := T (st c) (reads c).
Definition step (T : table) (c : config) : option config :=
  match acts T c with
  | Some (s, m, p) => Some (Config p (hx c + dx m)%Z (hy c + dy m)%Z (put (cells c) (hx c) (hy c) s))
  | None => None
  end.
Fixpoint run (T : table) (n : nat) (c : config) : option config :=
  match n with
  | O => Some c
  | S n => match run T n c with Some c' => step T c' | None => None end
  end.

(** An entry that writes what it reads and stays is the agent's halt. A run ends with that, or stuck. *)
Definition halts (T : table) (c : config) : Prop := exists p, acts T c = Some (reads c, MS, p).
Definition ends (T : table) (w : world) (x y : Z) : Prop :=
  exists n c, run T n (start w x y) = Some c /\ (acts T c = None \/ halts T c).

(** After n steps, and not before. *)
Definition halts_after (T : table) (n : nat) (w : world) (x y : Z) (c : config) : Prop :=
  run T n (start w x y) = Some c /\ halts T c /\
  forall i d, (i < n)%nat -> run T i (start w x y) = Some d -> ~ halts T d.

(** * RIGHT does what LEFT does *)

(** What is seen of an action: what it writes, and how it moves. *)
Definition seen (a : option entry) : option (symbol * move) :=
  match a with Some (s, m, _) => Some (s, m) | None => None end.

(** Where LEFT is stuck, nothing is asked, or RIGHT is stuck too, or that does not happen. *)
Inductive stuckness := Unasked | Same | Never.

(** At every step [n] that LEFT takes, having halted at no earlier one, RIGHT has come to the same world and head, and
    writes and moves as LEFT does. *)
Definition does_what (k : stuckness) (LEFT RIGHT : table) (w : world) (x y : Z) : Prop :=
  forall n cl,
    run LEFT n (start w x y) = Some cl ->
    (forall i c, (i < n)%nat -> run LEFT i (start w x y) = Some c -> ~ halts LEFT c) ->
    exists cr,
      run RIGHT n (start w x y) = Some cr /\
      hx cr = hx cl /\ hy cr = hy cl /\ cells cr = cells cl /\
      match acts LEFT cl with
      | Some _ => seen (acts RIGHT cr) = seen (acts LEFT cl)
      | None => match k with Unasked => True | Same => acts RIGHT cr = None | Never => False end
      end.

(** The same of sequences of reads, which no world need show; no read but the last halts LEFT or finds it stuck. *)
Fixpoint after (T : table) (p : state) (r : list symbol) : option state :=
  match r with
  | [] => Some p
  | s :: r => match T p s with Some (_, _, p') => after T p' r | None => None end
  end.
Fixpoint goes_on (T : table) (p : state) (r : list symbol) : Prop :=
  match r with
  | [] | [_] => True
  | s :: r => match T p s with Some (s', m, p') => ~ (s' = s /\ m = MS) /\ goes_on T p' r | None => False end
  end.
Definition reads_alike (k : stuckness) (n : N) (LEFT RIGHT : table) : Prop :=
  forall r s, Forall (fun a => (a < n)%N) (r ++ [s]) -> goes_on LEFT 0%N (r ++ [s]) ->
    exists p q, after LEFT 0%N r = Some p /\ after RIGHT 0%N r = Some q /\
      match LEFT p s with
      | Some _ => seen (RIGHT q s) = seen (LEFT p s)
      | None => match k with Unasked => True | Same => RIGHT q s = None | Never => False end
      end.

(** Where RIGHT was not observed, nothing is asked of it, nor of what comes after. *)
Definition observed_alike (n : N) (LEFT RIGHT : table) : Prop :=
  forall r s q e, Forall (fun a => (a < n)%N) (r ++ [s]) -> goes_on LEFT 0%N (r ++ [s]) ->
    after RIGHT 0%N r = Some q -> RIGHT q s = Some e ->
    exists p, after LEFT 0%N r = Some p /\
      match LEFT p s with Some _ => seen (RIGHT q s) = seen (LEFT p s) | None => True end.

(** * Inputs *)

Inductive clause := Nothing | Cell (among : list symbol) | Then (a b : clause) | Or (a b : clause) | Many (a : clause).
Inductive matches : clause -> list symbol -> Prop :=
| m_nothing : matches Nothing []
| m_cell l s : In s l -> matches (Cell l) [s]
| m_then a b t u : matches a t -> matches b u -> matches (Then a b) (t ++ u)
| m_or_l a b t : matches a t -> matches (Or a b) t
| m_or_r a b t : matches b t -> matches (Or a b) t
| m_many_0 a : matches (Many a) []
| m_many_S a t u : matches a t -> matches (Many a) u -> matches (Many a) (t ++ u).
Definition number_piece (ds : list symbol) : clause := Then (Cell ds) (Many (Cell ds)).

(** The symbols of all cells of a part, if they are the same ones in the same order: as digits, they spell numbers. *)
Fixpoint cells_in (c : clause) : list (list symbol) :=
  match c with
  | Nothing => []
  | Cell l => [l]
  | Then a b | Or a b => cells_in a ++ cells_in b
  | Many a => cells_in a
  end.
Definition members_of (c : clause) : list symbol :=
  match cells_in c with
  | [] => []
  | l :: others => if forallb (same_text l) others then l else []
  end.

(** Declared inputs: a text for each piece, of which no condition is false; one without a value leaves none out. *)
Record inputs := Declared { i_pieces : list clause; i_digits : list symbol; i_where : list expression }.
Definition value_on (i : inputs) (e : expression) (parts : list (list symbol)) : option result :=
  evaluate (i_digits i) (map members_of (i_pieces i)) e parts.
Definition declared (i : inputs) (parts : list (list symbol)) : Prop :=
  Forall2 matches (i_pieces i) parts /\ forall e, In e (i_where i) -> value_on i e parts <> Some (Truth false).

(** The input stands in row 0 from column 0 on, all else is blank; the head starts on its first cell. *)
Definition row_symbol (t : list symbol) (i : nat) : symbol := nth i t 0%N.
Definition input_world (t : list symbol) : world :=
  fun x y => if ((y =? 0) && (0 <=? x))%Z then row_symbol t (Z.to_nat x) else 0%N.

(** * Outputs *)

(** A text in one row, all else blank. *)
Definition stands (w : world) (l : list symbol) : Prop :=
  exists r x0, forall x y, w x y = if ((y =? r) && (x0 <=? x))%Z then nth (Z.to_nat (x - x0)) l 0%N else 0%N.

(** A number may have zeros before it, but never be empty; of a text, blanks at its ends cannot be seen. *)
Definition says (digits : list symbol) (r : result) (l : list symbol) : Prop :=
  match r with
  | Number z => l <> [] /\ spells digits l = Some z
  | Text t => l = without_blanks t
  | Truth _ => False
  end.

Record output_clause := Output_clause { o_inputs : inputs; o_value : expression }.
Definition o_pieces (o : output_clause) : list clause := i_pieces (o_inputs o).
Definition o_digits (o : output_clause) : list symbol := i_digits (o_inputs o).
Definition value_of (o : output_clause) (parts : list (list symbol)) : option result :=
  evaluate (o_digits o) (map members_of (o_pieces o)) (o_value o) parts.

(** However an input is cut into its parts: where the agent halts, it has left the clause's value. *)
Definition leaves_output (T : table) (o : output_clause) : Prop :=
  forall parts, declared (o_inputs o) parts ->
  forall n c, halts_after T n (input_world (concat parts)) 0 0 c ->
  exists r l, value_of o parts = Some r /\ stands (cells c) l /\ says (o_digits o) r l.

(** Of an acceptor the value says whether it halts, or else is stuck. *)
Definition ends_as_said (T : table) (o : output_clause) : Prop :=
  forall parts, declared (o_inputs o) parts -> let at_first := start (input_world (concat parts)) 0 0 in
  exists accepts n c, value_of o parts = Some (Truth accepts) /\ run T n at_first = Some c /\
    (if accepts then halts T c else acts T c = None) /\
    forall i d, (i < n)%nat -> run T i at_first = Some d -> ~ halts T d.

(** * The claim of a certificate *)

Inductive scope := Worlds | Inputs (i : inputs) | Reads | Observed.
Record claim := Claim {
  alphabet : N;                                       (* how many symbols *)
  left_states : N; right_states : N;
  left : rules; right : rules;
  equal : bool;                                       (* or different *)
  stuck : stuckness;
  at_scope : scope;
  halting : bool;
  leaves : option output_clause;                      (* what LEFT leaves where it halts, if that is claimed *)
  ends_as : option output_clause }.                   (* of an acceptor: where it halts *)
Definition LEFT (c : claim) : table := table_of (left c).
Definition RIGHT (c : claim) : table := table_of (right c).

(** RIGHT does what LEFT does, at a scope, over an alphabet of n symbols. *)
Definition equivalent (k : stuckness) (n : N) (s : scope) (LEFT RIGHT : table) : Prop :=
  match s with
  | Worlds => forall w x y, over n w -> does_what k LEFT RIGHT w x y
  | Inputs i => forall parts, declared i parts -> does_what k LEFT RIGHT (input_world (concat parts)) 0 0
  | Reads => reads_alike k n LEFT RIGHT
  | Observed => observed_alike n LEFT RIGHT
  end.

(** Whether a claim asks where RIGHT stops. *)
Definition asks_for_stops (k : stuckness) (s : scope) : bool :=
  match k, s with Same, _ | _, Observed => true | _, _ => false end.

(** Every run of LEFT on a declared input ends; it halts where it is claimed to be never stuck. *)
Definition left_ends (c : claim) : Prop :=
  match at_scope c with
  | Inputs i => forall parts, declared i parts -> let t := concat parts in
      match stuck c with
      | Never => exists n e, run (LEFT c) n (start (input_world t) 0 0) = Some e /\ halts (LEFT c) e
      | _ => ends (LEFT c) (input_world t) 0 0
      end
  | _ => False
  end.

Definition holds (c : claim) : Prop :=
  (if equal c then equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c)
   else ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c)) /\
  (halting c = true -> left_ends c) /\
  match leaves c with Some o => leaves_output (LEFT c) o | None => True end /\
  match ends_as c with Some o => ends_as_said (LEFT c) o | None => True end.
