(** The checker as an OCaml program. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlString.
From Gridlang Require Import Json Check.
Extraction Language OCaml.
Set Extraction Output Directory ".".
Extraction "gridcheck_core.ml" check.
