(** From the bytes of a certificate and of a model to a theorem about every engine that runs its weights. *)
From Coq Require Import Reals ZArith NArith List Bool String.
From Gridlang Require Import Statement Json Certificate Check Simulates Totals Engines Weights Models.
Import ListNotations.
Local Open Scope string_scope.
Local Open Scope list_scope.

(** Whether the weights do what RIGHT's table does; Unknown where there are none, or they are stored otherwise. *)
Definition weights_verdict (certificate model : string) : verdict :=
  match json_of certificate with
  | None => Invalid
  | Some j =>
      match claim_of j, weights_of j model with
      | Some c, Some W => if check_weights W (right c) then Valid else Invalid
      | _, _ => Unknown
      end
  end.

(** The weights of a file, and none where it has none. *)
Definition no_weights : weights :=
  Weights 0 1 (fun _ => []) (fun _ => []) (fun _ => []) [] 0 [] 1 [] (fun _ _ => false).
Definition weights_for (certificate model : string) : weights :=
  match json_of certificate with
  | Some j => match weights_of j model with Some W => W | None => no_weights end
  | None => no_weights
  end.

Lemma weights_known j model W c : weights_of j model = Some W -> claim_of j = Some c -> known_ok W (right c).
Proof.
  unfold weights_of. intros H Hc. rewrite Hc in H. cbn [bind] in H. intros p x.
  destruct (tables_of j) as [[l r]|]; [|discriminate]. cbn [bind] in H.
  destruct (symbols_of l) as [symbols|]; [|discriminate]. cbn [bind] in H.
  destruct (field "right" j) as [side|]; [|discriminate]. cbn [bind] in H.
  destruct (field "snapping" side) as [snapping|]; [|discriminate]. cbn [bind] in H.
  unfold weights_in, bind in H. cbv zeta in H.
  repeat match type of H with
         | match ?a with Some _ => _ | None => None end = Some _ => destruct a; [|discriminate]
         end.
  injection H as <-. reflexivity.
Qed.

Section Learned.
  Variables (certificate model : string).
  Hypothesis table_ok : check certificate = Valid.
  Hypothesis weights_ok : weights_verdict certificate model = Valid.
  Local Notation c := (claim_in certificate).
  Local Notation W := (weights_for certificate model).

  Lemma learned_checked : check_weights W (right c) = true /\ known_ok W (right c).
  Proof.
    unfold claim_in, weights_for. unfold weights_verdict in weights_ok.
    destruct (json_of certificate) as [j|]; [|discriminate]. destruct (claim_of j) as [c0|] eqn:Ec; [|discriminate].
    destruct (weights_of j model) as [W0|] eqn:Ew; [|discriminate].
    destruct (check_weights W0 (right c0)) eqn:E; [|discriminate].
    split; [reflexivity | exact (weights_known _ _ _ _ Ew Ec)].
  Qed.
  Lemma claimed_of_right : if equal c then equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c)
                           else ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) (RIGHT c).
  Proof. exact (proj1 (claim_in_holds certificate table_ok)). Qed.

  (** Every engine that runs the weights does what LEFT does. *)
  Theorem learned_engines : equal c = true -> asks_for_stops (stuck c) (at_scope c) = false ->
    forall T, engine W T -> equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) T.
  Proof.
    intros He Hk T HT. destruct learned_checked as [Hok Hknown]. pose proof claimed_of_right as H. rewrite He in H.
    exact (engines_do_what W (right c) Hok Hknown _ _ _ _ T Hk HT H).
  Qed.

  (** Where it is claimed that LEFT halts and leaves the value of its output clause, every engine does so. *)
  Theorem learned_total : equal c = true -> stuck c = Never -> halting c = true ->
    forall o, leaves c = Some o -> at_scope c = Inputs (o_inputs o) ->
    forall T, engine W T -> forall parts, declared (o_inputs o) parts ->
    exists n d, halts_after T n (input_world (List.concat parts)) 0 0 d /\
      exists r l, value_of o parts = Some r /\ stands (cells d) l /\ says (o_digits o) r l.
  Proof.
    intros He Hk Hh o Ho Hi T HT parts Hp. destruct (claim_in_holds certificate table_ok) as (_ & Hends & Hleaves & _).
    assert (A : does_what Never (LEFT c) T (input_world (List.concat parts)) 0 0).
    { pose proof (learned_engines He) as K. rewrite Hk, Hi in K. exact (K eq_refl T HT _ Hp). }
    specialize (Hends Hh). unfold left_ends in Hends. rewrite Hi, Hk in Hends. rewrite Ho in Hleaves.
    exact (leaves_alike _ _ _ _ _ A (Hends _ Hp) Hleaves Hp).
  Qed.

  (** Where a claim asks when RIGHT stops, or says that RIGHT differs, it holds of those that stop where nothing is
      known. *)
  Theorem learned_careful_engines : forall T, careful_engine W T ->
    if equal c then equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) T
    else ~ equivalent (stuck c) (alphabet c) (at_scope c) (LEFT c) T.
  Proof.
    intros T HT. destruct learned_checked as [Hok Hknown]. pose proof claimed_of_right as H.
    pose proof (careful_engines_do_what W (right c) Hok Hknown (stuck c) (alphabet c) (at_scope c) (LEFT c) T HT) as E.
    fold (RIGHT c) in E. destruct (equal c); [apply E; exact H | intros A; apply H, E; exact A].
  Qed.
End Learned.
