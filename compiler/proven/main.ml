(* gridcheck FILE: reads the file and asks the proven checker. All that is not proven stands here. *)
let () =
  let file = Sys.argv.(1) in
  let channel = open_in_bin file in
  let text = really_input_string channel (in_channel_length channel) in
  close_in channel;
  if Gridcheck_core.check (List.of_seq (String.to_seq text)) then print_endline "valid"
  else (print_endline "not valid"; exit 1)
