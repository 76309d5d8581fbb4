(** What agents do, and what may be claimed of two of them. Nothing here is about evidence: this file,
    and how a file is read (Json.v, Certificate.v), is what one must believe. *)
From Coq Require Import ZArith NArith List Bool Lia.
Import ListNotations.

Definition symbol := N.
Definition state := N.
Inductive move := MU | MD | ML | MR | MS.
Definition dx (m : move) : Z := match m with ML => (-1)%Z | MR => 1%Z | _ => 0%Z end.
Definition dy (m : move) : Z := match m with MU => (-1)%Z | MD => 1%Z | _ => 0%Z end.

(** What a table says of a state and a symbol: write, move, next state; or nothing. *)
Definition entry : Type := symbol * move * state.
Definition table := state -> symbol -> option entry.

(** A world has a symbol in each cell of the plane; [over k]: they are of an alphabet of k symbols. *)
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

(** An entry that writes what it reads and stays is the agent's halt. *)
Definition halts (T : table) (c : config) : Prop := exists p, acts T c = Some (reads c, MS, p).

(** What is seen of an action: what it writes and how it moves. *)
Definition seen (a : option entry) : option (symbol * move) :=
  match a with Some (s, m, _) => Some (s, m) | None => None end.

Inductive stuckness := Unasked | Same | Never.

(** The claim (V2) of one run: at every step [n] that LEFT takes, having halted at no earlier one, RIGHT
    has come to the same world and head, and writes and moves as LEFT does; where LEFT is stuck, nothing is
    asked, or RIGHT is stuck too, or that does not happen. *)
Definition does_what (k : stuckness) (LEFT RIGHT : table) (w : world) (x y : Z) : Prop :=
  forall n cl,
    run LEFT n (start w x y) = Some cl ->
    (forall i c, (i < n)%nat -> run LEFT i (start w x y) = Some c -> ~ halts LEFT c) ->
    exists cr,
      run RIGHT n (start w x y) = Some cr /\
      hx cr = hx cl /\ hy cr = hy cl /\ cells cr = cells cl /\
      match acts LEFT cl with
      | Some _ => seen (acts RIGHT cr) = seen (acts LEFT cl)
      | None => match k with
                | Unasked => True
                | Same => acts RIGHT cr = None
                | Never => False
                end
      end.

(** The same of sequences of reads, which no world need show (scopes `table` and `observed`). *)
Fixpoint after (T : table) (p : state) (r : list symbol) : option state :=
  match r with
  | [] => Some p
  | s :: r => match T p s with Some (_, _, p') => after T p' r | None => None end
  end.

(** No read of the sequence but the last halts the agent or finds it stuck. *)
Fixpoint goes_on (T : table) (p : state) (r : list symbol) : Prop :=
  match r with
  | [] => True
  | [_] => True
  | s :: r => match T p s with
              | Some (s', m, p') => ~ (s' = s /\ m = MS) /\ goes_on T p' r
              | None => False
              end
  end.

Definition reads_alike (k : stuckness) (n : N) (LEFT RIGHT : table) : Prop :=
  forall r s, Forall (fun a => (a < n)%N) (r ++ [s]) -> goes_on LEFT 0%N (r ++ [s]) ->
    exists p q, after LEFT 0%N r = Some p /\ after RIGHT 0%N r = Some q /\
      match LEFT p s with
      | Some _ => seen (RIGHT q s) = seen (LEFT p s)
      | None => match k with Unasked => True | Same => RIGHT q s = None | Never => False end
      end.

(** Where RIGHT was not observed, nothing is asked of it, nor of what comes after (scope `observed`). *)
Definition observed_alike (n : N) (LEFT RIGHT : table) : Prop :=
  forall r s q e, Forall (fun a => (a < n)%N) (r ++ [s]) -> goes_on LEFT 0%N (r ++ [s]) ->
    after RIGHT 0%N r = Some q -> RIGHT q s = Some e ->
    exists p, after LEFT 0%N r = Some p /\
      match LEFT p s with Some _ => seen (RIGHT q s) = seen (LEFT p s) | None => True end.

(** * Inputs *)
Inductive clause :=
| Nothing
| Cell (among : list symbol)
| Then (a b : clause)
| Or (a b : clause)
| Many (a : clause).

Inductive matches : clause -> list symbol -> Prop :=
| m_nothing : matches Nothing []
| m_cell l s : In s l -> matches (Cell l) [s]
| m_then a b t u : matches a t -> matches b u -> matches (Then a b) (t ++ u)
| m_or_l a b t : matches a t -> matches (Or a b) t
| m_or_r a b t : matches b t -> matches (Or a b) t
| m_many_0 a : matches (Many a) []
| m_many_S a t u : matches a t -> matches (Many a) u -> matches (Many a) (t ++ u).

(** Pieces one behind the other. *)
Definition one_after_another (l : list clause) : clause := fold_right Then Nothing l.

(** The input in row 0 from column 0 on, all else blank; the head starts on its first cell. *)
Definition row_symbol (t : list symbol) (i : nat) : symbol := nth i t 0%N.
Definition input_world (t : list symbol) : world :=
  fun x y => if ((y =? 0) && (0 <=? x))%Z then row_symbol t (Z.to_nat x) else 0%N.

(** A run ends: the agent halts, or is stuck. *)
Definition ends (T : table) (w : world) (x y : Z) : Prop :=
  exists n c, run T n (start w x y) = Some c /\ (acts T c = None \/ halts T c).

(** * Tables as they are in certificates: rules, of which the first for a pair counts. *)
Definition rules := list (state * symbol * entry).
Fixpoint table_of (r : rules) : table :=
  match r with
  | [] => fun _ _ => None
  | (p, s, e) :: r => fun p' s' => if ((p' =? p) && (s' =? s))%N then Some e else table_of r p' s'
  end.
