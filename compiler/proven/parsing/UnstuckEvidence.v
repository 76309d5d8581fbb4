(** Evidence that an agent is never stuck, read from a certificate. *)
From Coq Require Import ZArith NArith List Bool String.
From Gridlang Require Import Grid Output Json Maps Certificate Clauses StripEvidence Inequalities NeverStuck ValueEvidence.
Import ListNotations.
Local Open Scope N_scope.

(** The comparisons in it are of LEFT's inputs. *)
Definition condition_of (j : json) (i : inputs) (e : json) : option expression :=
  let? symbols := numbers_in j in expression_of symbols (i_digits i) (map members_of (i_pieces i)) e.
Definition unstuck_of (j : json) (i : inputs) (e : json) : option unstuck :=
  let? kind := field "kind" e in
  if is_text "strips" kind then let? s := strip_of e in Some (By_labels s)
  else let? v := inequalities_of (condition_of j i) e in Some (By_inequalities v).

(** Both halves of an acceptor. *)
Definition acceptance_of (j : json) (i : inputs) (e : json) : option (unstuck * unstuck) :=
  let? kind := field "kind" e in let? _ := guard (is_text "acceptance" kind) in
  let? accept := field "accept" e in let? accept := unstuck_of j i accept in
  let? stuck := field "stuck" e in let? stuck := unstuck_of j i stuck in Some (accept, stuck).

(** What shows of LEFT alone that it is never stuck, if the file has it. *)
Definition own_unstuck (j : json) : option json := let? t := field "total" j in field "stuck" t.
