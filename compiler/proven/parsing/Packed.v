(** Long texts as short literals (LZW): Rocq reads a literal character by character, which takes longer than to unpack
    it. *)
From Coq Require Import NArith List Init.Byte Strings.Byte Ascii String.
From Gridlang Require Import Maps.
Import ListNotations.
Local Open Scope N_scope.

Inductive packed := Packed (l : list byte).
Definition bytes_in (p : packed) : list byte := let 'Packed l := p in l.
Declare Scope packed_scope.
Delimit Scope packed_scope with packed.
String Notation packed Packed bytes_in : packed_scope.

(** The first symbol of a phrase, and what puts the phrase before a text. *)
Definition phrase : Type := ascii * (string -> string).
Definition single (c : N) : phrase := let a := ascii_of_N c in (a, String a).
Definition longer (p : phrase) (c : ascii) : phrase := (fst p, fun s => snd p (String c s)).

(** A code is three symbols from 35 on, in base 90: a single symbol, or a phrase. Each phrase but the first, with the
    symbol after it,
    is a new one, which the next code may be already. *)
Definition code (a b c : byte) : N := ((to_N a - 35) * 90 + (to_N b - 35)) * 90 + (to_N c - 35).
Fixpoint phrases (l : list byte) (known : PM.t phrase) (next : N) (last : phrase) (done : list phrase) : list phrase :=
  match l with
  | a :: b :: c :: l =>
      let code := code a b c in
      let now := if code <? 256 then single code else
                 match PM.find (Maps.key code) known with Some p => p | None => longer last (fst last) end in
      phrases l (PM.add (Maps.key next) (longer last (fst now)) known) (N.succ next) now (now :: done)
  | _ => done
  end.
Definition unpacked (l : list packed) : string :=
  match List.concat (map bytes_in l) with
  | a :: b :: c :: l => let first := single (code a b c) in
      fold_left (fun s p => snd p s) (phrases l (PM.empty _) 256 first [first]) EmptyString
  | _ => EmptyString
  end.
