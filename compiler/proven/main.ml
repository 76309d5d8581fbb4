(* gridcheck FILE: reads a file and asks the proven checker. All that is not proven stands here. *)
let bytes_of file =
  let channel = open_in_bin file and buffer = Buffer.create 65536 in
  (try
     while true do
       Buffer.add_channel buffer channel 1
     done
   with End_of_file -> ());
  close_in channel;
  List.of_seq (Buffer.to_seq buffer)

let () =
  match Gridcheck_core.check (bytes_of Sys.argv.(1)) with
  | Gridcheck_core.Valid -> print_endline "valid"
  | Gridcheck_core.Invalid -> print_endline "not valid"; exit 1
  | Gridcheck_core.Unknown -> print_endline "not of this checker"; exit 2
