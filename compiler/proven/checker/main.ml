(* gridcheck FILE [MODEL]: reads a certificate, and the weights it is about, and asks the proven checkers;
   gridcheck --run STEPS FILE: runs a table on a world, and gridcheck --says FILE: evaluates an output clause, by the
   definitions of the proofs. All that is not proven stands here. *)
open Gridcheck_core

let bytes_of file =
  let channel = open_in_bin file and buffer = Buffer.create 65536 in
  (try
     while true do
       Buffer.add_channel buffer channel 1
     done
   with End_of_file -> ());
  close_in channel;
  List.of_seq (Buffer.to_seq buffer)

let rec positive i = if i = 1 then XH else if i land 1 = 1 then XI (positive (i / 2)) else XO (positive (i / 2))
let n_of i = if i = 0 then N0 else Npos (positive i)
let rec int_of = function XH -> 1 | XO p -> 2 * int_of p | XI p -> (2 * int_of p) + 1
let of_n = function N0 -> 0 | Npos p -> int_of p
let of_z = function Z0 -> 0 | Zpos p -> int_of p | Zneg p -> -int_of p

let show_run steps file =
  match run_file (bytes_of file) (n_of steps) with
  | None -> print_endline "not a run"; exit 1
  | Some shown ->
    List.iter
      (fun (((state, x), y), read) ->
        Printf.printf "%d %d %d %d\n" (of_n state) (of_z x) (of_z y) (of_n read))
      shown

let show_answers file =
  match answer_file (bytes_of file) with
  | None -> print_endline "not an output clause"; exit 1
  | Some answers -> List.iter (fun (has_value, says) -> Printf.printf "%b %b\n" has_value says) answers

(* That of the certificate, and if that is valid, of the weights. *)
let verdict_with certificate model =
  match check certificate with
  | Valid -> (
    match Weights_core.weights_verdict certificate (bytes_of model) with
    | Weights_core.Valid -> Valid
    | Weights_core.Invalid -> Invalid
    | Weights_core.Unknown -> Unknown)
  | other -> other

let show = function
  | Valid -> print_endline "valid"
  | Invalid -> print_endline "not valid"; exit 1
  | Unknown -> print_endline "not of this checker"; exit 6

let answer () =
  match Sys.argv with
  | [| _; "--run"; steps; file |] -> show_run (int_of_string steps) file
  | [| _; "--says"; file |] -> show_answers file
  | [| _; file |] -> show (check (bytes_of file))
  | [| _; file; model |] -> show (verdict_with (bytes_of file) model)
  | _ -> prerr_endline "gridcheck FILE [MODEL], or gridcheck with --run STEPS FILE or --says FILE"; exit 3

(* What breaks off is no answer, and no exception of its own exit status. *)
let () =
  try answer () with
  | Stack_overflow -> prerr_endline "gridcheck ran out of stack; `ulimit -s unlimited` gives it more"; exit 4
  | Out_of_memory -> prerr_endline "gridcheck ran out of memory"; exit 5
  | Sys_error why | Failure why -> prerr_endline ("gridcheck: " ^ why); exit 3
