(** Fast look-up of rules, and of the members of a list; only soundness is needed of the latter. *)
From Coq Require Import ZArith NArith List Bool Lia FMapPositive.
From Gridlang Require Import Statement.
Import ListNotations.
Module PM := PositiveMap.

Definition key (n : N) : positive := N.succ_pos n.
Lemma key_inj a b : key a = key b -> a = b.
Proof. unfold key. intros H. apply (f_equal N.pos) in H. rewrite !N.succ_pos_spec in H. lia. Qed.

(** * Equality of lists and options *)
Fixpoint list_eqb {A} (eqb : A -> A -> bool) (a b : list A) : bool :=
  match a, b with [], [] => true | x :: a, y :: b => eqb x y && list_eqb eqb a b | _, _ => false end.
Lemma list_eqb_eq {A} (eqb : A -> A -> bool) : (forall x y, eqb x y = true -> x = y) -> forall a b,
  list_eqb eqb a b = true -> a = b.
Proof.
  intros H. induction a as [|x a IH]; intros [|y b] E; simpl in E; try discriminate; [reflexivity|].
  apply andb_true_iff in E as [E1 E2]. f_equal; auto.
Qed.
Definition option_eqb {A} (eqb : A -> A -> bool) (a b : option A) : bool :=
  match a, b with Some x, Some y => eqb x y | None, None => true | _, _ => false end.
Lemma option_eqb_eq {A} (eqb : A -> A -> bool) : (forall x y, eqb x y = true -> x = y) -> forall a b,
  option_eqb eqb a b = true -> a = b.
Proof. intros H [x|] [y|] E; try discriminate; [f_equal; auto | reflexivity]. Qed.

(** * Rules *)
Definition rows := PM.t (PM.t entry).
Definition row (m : rows) (p : state) : PM.t entry :=
  match PM.find (key p) m with Some r => r | None => PM.empty _ end.
Definition find_rule (m : rows) (p : state) (s : symbol) : option entry := PM.find (key s) (row m p).

Fixpoint rows_of (r : rules) : rows :=
  match r with
  | [] => PM.empty _
  | (p, s, e) :: r => let m := rows_of r in PM.add (key p) (PM.add (key s) e (row m p)) m
  end.

Lemma find_rows r p s : find_rule (rows_of r) p s = table_of r p s.
Proof.
  induction r as [|[[p1 s1] e] r IH]; simpl.
  - unfold find_rule, row. rewrite !PM.gempty. reflexivity.
  - unfold find_rule, row in *. cbn [rows_of].
    destruct (N.eqb_spec p p1) as [->|Np].
    + rewrite PM.gss. destruct (N.eqb_spec s s1) as [->|Ns]; simpl.
      * rewrite PM.gss. reflexivity.
      * rewrite PM.gso by (intros E; apply key_inj in E; congruence). exact IH.
    + rewrite PM.gso by (intros E; apply key_inj in E; congruence). exact IH.
Qed.

(** * Members of a list, by a hash of which nothing need be known *)
Section Members.
  Variables (A : Type) (hash : A -> positive) (eqb : A -> A -> bool).
  Hypothesis eqb_eq : forall a b, eqb a b = true -> a = b.

  Definition buckets := PM.t (list A).
  Definition bucket (m : buckets) (h : positive) : list A :=
    match PM.find h m with Some l => l | None => [] end.
  Definition members (l : list A) : buckets :=
    fold_left (fun m a => let h := hash a in PM.add h (a :: bucket m h) m) l (PM.empty _).
  Definition is_member (m : buckets) (a : A) : bool := existsb (eqb a) (bucket m (hash a)).

  Lemma members_from l : forall m h a,
    In a (bucket (fold_left (fun m a => let h := hash a in PM.add h (a :: bucket m h) m) l m) h) ->
    In a l \/ In a (bucket m h).
  Proof.
    induction l as [|b l IH]; intros m h a H; [right; exact H|]. simpl in H. apply IH in H as [H|H].
    - left. right. exact H.
    - unfold bucket at 1 in H. destruct (Pos.eq_dec h (hash b)) as [->|N].
      + rewrite PM.gss in H. destruct H as [->|H]; [left; left; reflexivity | right; exact H].
      + rewrite PM.gso in H by exact N. right. exact H.
  Qed.

  Lemma members_keep l : forall m h a, In a (bucket m h) ->
    In a (bucket (fold_left (fun m a => let h := hash a in PM.add h (a :: bucket m h) m) l m) h).
  Proof.
    induction l as [|b l IH]; intros m h a H; [exact H|]. simpl. apply IH. unfold bucket at 1.
    destruct (Pos.eq_dec h (hash b)) as [->|N].
    - rewrite PM.gss. right. exact H.
    - rewrite PM.gso by exact N. exact H.
  Qed.
  Lemma members_complete l a : In a l -> In a (bucket (members l) (hash a)).
  Proof.
    unfold members. generalize (PM.empty (list A)). induction l as [|b l IH]; intros m H; [destruct H|].
    simpl. destruct H as [->|H]; [|apply IH; exact H].
    apply members_keep. unfold bucket. rewrite PM.gss. left. reflexivity.
  Qed.

  Lemma is_member_sound l a : is_member (members l) a = true -> In a l.
  Proof.
    unfold is_member. intros H. apply existsb_exists in H as (b & Hin & E). apply eqb_eq in E. subst b.
    apply members_from in Hin as [H|H]; [exact H|]. unfold bucket in H. rewrite PM.gempty in H. destruct H.
  Qed.
End Members.

Fixpoint counted (from : N) (m : nat) : list N :=
  match m with O => [] | S m => from :: counted (N.succ from) m end.
Definition below (n : N) : list N := counted 0 (N.to_nat n).
Lemma below_is n : below n = map N.of_nat (seq 0 (N.to_nat n)).
Proof.
  unfold below. change 0%N with (N.of_nat 0). generalize (N.to_nat n) as m. intros m. generalize O.
  induction m as [|m IH]; intros k; [reflexivity|]. cbn [counted seq map]. f_equal.
  rewrite <- IH. f_equal. lia.
Qed.
Lemma in_below n s : (s < n)%N -> In s (below n).
Proof.
  intros H. rewrite below_is. rewrite <- (N2Nat.id s). apply in_map. apply in_seq. lia.
Qed.

(** Lists by number *)
Section Arrays.
  Variable A : Type.
  Definition array (l : list A) : PM.t A :=
    fst (fold_left (fun m a => (PM.add (key (snd m)) a (fst m), N.succ (snd m))) l (PM.empty A, 0%N)).
  Definition get (default : A) (m : PM.t A) (i : N) : A := match PM.find (key i) m with Some a => a
    | None => default end.
End Arrays.
Arguments array {A}. Arguments get {A}.

(** * A world in which all but finitely many cells are blank *)
Definition place_key (z : Z) : positive := match z with Z0 => xH | Zpos p => xO p | Zneg p => xI p end.
Lemma place_key_inj a b : place_key a = place_key b -> a = b.
Proof. destruct a, b; simpl; congruence. Qed.

Definition plane := PM.t (PM.t symbol).
Definition column (w : plane) (x : Z) : PM.t symbol :=
  match PM.find (place_key x) w with Some c => c | None => PM.empty _ end.
Definition seen_at (w : plane) (x y : Z) : symbol :=
  match PM.find (place_key y) (column w x) with Some s => s | None => 0%N end.
Definition written (w : plane) (x y : Z) (s : symbol) : plane :=
  PM.add (place_key x) (PM.add (place_key y) s (column w x)) w.

Lemma seen_written w x y s a b :
  seen_at (written w x y s) a b = if ((a =? x) && (b =? y))%Z then s else seen_at w a b.
Proof.
  unfold seen_at, written, column. destruct (Z.eqb_spec a x) as [->|Na].
  - rewrite PM.gss. destruct (Z.eqb_spec b y) as [->|Nb]; simpl.
    + rewrite PM.gss. reflexivity.
    + rewrite PM.gso by (intros E; apply place_key_inj in E; congruence). reflexivity.
  - rewrite PM.gso by (intros E; apply place_key_inj in E; congruence). reflexivity.
Qed.
Lemma seen_nothing x y : seen_at (PM.empty _) x y = 0%N.
Proof. unfold seen_at, column. rewrite !PM.gempty. reflexivity. Qed.
