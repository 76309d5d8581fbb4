(** What learned weights may do: the definition of an engine, which is all that one must believe of them.

    A learned model holds a vector h. On a symbol x the largest entries of B[x] h and C[x] h say what it writes
    and how it moves; A[x] h is its next vector. With snapped inference, h is always a centre of a codebook,
    one for each state: the one nearest to A[x] h, scaled to length one, if that is within its reach. Engines
    multiply in float32, in any order, so no two need come to the same numbers; Float32.v shows that their
    products are [product]s in the sense of this file. *)
From Coq Require Import Reals ZArith NArith List.
From Gridlang Require Import Statement.
Import ListNotations.
Local Open Scope R_scope.

Fixpoint dot (a b : list R) : R :=
  match a, b with x :: a, y :: b => x * y + dot a b | _, _ => 0 end.
Definition absdot (a b : list R) : R := dot (map Rabs a) (map Rabs b).
Definition norm (a : list R) : R := sqrt (dot a a).
Fixpoint sub (a b : list R) : list R :=
  match a, b with x :: a, y :: b => (x - y) :: sub a b | _, _ => [] end.
Definition scale (s : R) (a : list R) : list R := map (fun x => s * x) a.
Definition unit_of (a : list R) : list R := scale (/ norm a) a.

(** All numbers of a model are whole, over one [denominator]; those of reaches over their own. *)
Record weights := Weights {
  dimensions : Z;
  denominator : Z;
  A_of : symbol -> list (list Z);
  B_of : symbol -> list (list Z);                (* a row for each symbol *)
  C_of : symbol -> list (list Z);                (* a row for each move, in the order U D L R S *)
  h0 : list Z;
  largest_weight : Z;
  centres : list (list Z);                       (* of state 0, 1, … *)
  reach_denominator : Z;
  reaches : list Z;
  known : state -> symbol -> bool }.             (* the pairs of which anything is asked *)

Section Engine.
  Variable W : weights.

  Definition numbers (a : list Z) : list R := map (fun z => IZR z / IZR (denominator W)) a.

  (** The errors of float32: of a sum of products, by rounding and by underflow; of measuring a distance. *)
  Definition rounding : R := IZR (dimensions W) / IZR (2 ^ 24 - dimensions W).
  Definition underflow : R :=
    4 * IZR (dimensions W) * (1 + IZR (largest_weight W) / IZR (denominator W)) / IZR (2 ^ 126).
  Definition measuring : R := IZR (dimensions W + 16) / IZR (2 ^ 23).

  Definition product (row h : list R) (out : R) : Prop :=
    Rabs (out - dot row h) <= rounding * absdot row h + underflow.

  Definition largest (outs : list R) (i : nat) : Prop :=
    exists out, nth_error outs i = Some out /\ forall j other, nth_error outs j = Some other -> other <= out.

  (** A vector snaps to the state whose centre is measured to be nearest, if that is within its reach. *)
  Definition measures (v : list R) (distance : list Z -> R) : Prop :=
    forall c, In c (centres W) -> Rabs (distance c - norm (sub (unit_of v) (numbers c))) <= measuring.
  Definition nearest (distance : list Z -> R) (q : state) (c : list Z) : Prop :=
    nth_error (centres W) (N.to_nat q) = Some c /\ forall c', In c' (centres W) -> distance c <= distance c'.
  Definition reach (q : state) : R := IZR (nth (N.to_nat q) (reaches W) 0%Z) / IZR (reach_denominator W).
  Definition snaps (v : list R) (q : state) : Prop :=
    exists distance c, measures v distance /\ nearest distance q c /\ distance c <= reach q.
  Definition strays (v : list R) : Prop :=
    exists distance q c, measures v distance /\ nearest distance q c /\ reach q < distance c.

  (** ** An engine by its way to sum *)
  Variable sum : list R -> list R -> R -> Prop.  (* of a row and a vector *)
  Definition products (rows : list (list Z)) (h : list Z) (outs : list R) : Prop :=
    Forall2 (fun row out => sum (numbers row) (numbers h) out) rows outs.

  Definition place (m : move) : nat := match m with MU => 0 | MD => 1 | ML => 2 | MR => 3 | MS => 4 end.
  Definition idle (x w : symbol) (m : move) : Prop := w = x /\ m = MS.

  (** What may come of a centre [h] on a symbol: the two decisions, and where they lead. *)
  Definition decides (h : list Z) (x w : symbol) (m : move) : Prop :=
    exists outs moves, products (B_of W x) h outs /\ largest outs (N.to_nat w) /\
                       products (C_of W x) h moves /\ largest moves (place m).
  Definition may_do (p : state) (x w : symbol) (m : move) (q : state) : Prop :=
    exists h, nth_error (centres W) (N.to_nat p) = Some h /\ decides h x w m /\
      ((idle x w m /\ q = p) \/ (~ idle x w m /\ exists v, products (A_of W x) h v /\ snaps v q)).
  Definition may_stop (p : state) (x : symbol) : Prop :=
    exists h, nth_error (centres W) (N.to_nat p) = Some h /\
      ((exists outs moves, products (B_of W x) h outs /\ products (C_of W x) h moves /\
          Forall (fun out => out <= 0) (outs ++ moves)) \/
       (exists w m v, decides h x w m /\ ~ idle x w m /\ products (A_of W x) h v /\ strays v)).

  (** An engine, as an agent: its states stand for centres, the first for what h0 snaps to. More of its
      states than one may stand for the same centre, so it may also do its sums otherwise each time. *)
  Definition runs (stands_for : state -> state) (T : table) : Prop :=
    snaps (numbers (h0 W)) (stands_for 0%N) /\
    forall p x, known W (stands_for p) x = true ->
      match T p x with
      | Some (w, m, q) => may_do (stands_for p) x w m (stands_for q)
      | None => may_stop (stands_for p) x
      end.
End Engine.

(** Any engine whose sums are off by no more than float32 may be. *)
Definition engine (W : weights) (T : table) : Prop := exists stands_for, runs W (product W) stands_for T.

(** One that stops wherever nothing is known. *)
Definition careful_engine (W : weights) (T : table) : Prop :=
  exists stands_for, runs W (product W) stands_for T /\ forall p x, known W (stands_for p) x = false -> T p x = None.
