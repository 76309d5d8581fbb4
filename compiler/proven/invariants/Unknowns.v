(** What the unknowns of the polynomials are (V12), and what is always true of them. *)
From Coq Require Import ZArith NArith List Bool Lia QArith Qcanon.
From Gridlang Require Import Statement Maps Windows Columns Strips Places Polynomials Sums.
Import ListNotations.

(** Columns of a part that were never acted on, or cells of a class in columns that were. *)
Inductive group := Fresh (part : N) | Worn (class : N) (part : option N).
Inductive name :=
| Part_weight (i k : N)                               (* of the first column of a part, from 0 *)
| Part_number (i j : N)                               (* what a part spells *)
| Head_weight (i : N)
| Last_weight (i : N)                                 (* of a column of the result *)
| Cell_value (i : N) (r : nat)                        (* of the head's column: value times weight *)
| Sum_beside (i : N) (right : bool) (r : nat) (g : group).
Definition group_eq_dec (a b : group) : {a = b} + {a <> b}.
Proof. decide equality; try apply N.eq_dec. decide equality. apply N.eq_dec. Defined.
Definition name_eq_dec (a b : name) : {a = b} + {a <> b}.
Proof. decide equality; try apply N.eq_dec; try apply Nat.eq_dec; try apply bool_dec; apply group_eq_dec. Defined.
Definition is_ghost (a : name) : bool := match a with Part_weight _ _ | Part_number _ _ => true | _ => false end.
Definition is_weight (a : name) : bool :=
  match a with Part_weight _ _ | Head_weight _ | Last_weight _ => true | _ => false end.

(** A base, as a quotient, and what symbols are worth. *)
Record system := System { over_ : Z; under : Z; worth : symbol -> Z }.

Section Meaning.
  Variable system_at : N -> system.
  Hypothesis bases : forall i, (over_ (system_at i) <> 0 /\ 0 < under (system_at i))%Z.
  Hypothesis blank_worth : forall i, worth (system_at i) 0%N = 0%Z.
  Variables (low : Z) (height : nat) (class_of : symbol -> N).
  Variable label_at : N -> label.
  Variable told_at : N -> told.                       (* of a label's place *)
  Variable parts : list (list symbol).
  Local Open Scope Qc_scope.

  Definition base (i : N) : Qc := whole (over_ (system_at i)) / whole (under (system_at i)).
  Definition below_1 (i : N) : bool := (over_ (system_at i) <? under (system_at i))%Z.
  Definition anchor (i : N) : Z := if below_1 i then 0%Z else Z.of_nat (length (concat parts)).
  Definition weight (i : N) (X : Z) : Qc := power (base i) (anchor i - X).
  Lemma under_nonzero i : whole (under (system_at i)) <> 0.
  Proof. apply whole_nonzero. pose proof (bases i). lia. Qed.
  Lemma over_nonzero i : whole (over_ (system_at i)) <> 0.
  Proof. apply whole_nonzero. pose proof (bases i). lia. Qed.
  Lemma base_nonzero i : base i <> 0.
  Proof.
    unfold base. intros E. apply (over_nonzero i).
    replace (whole (over_ (system_at i))) with (whole (over_ (system_at i)) / whole (under (system_at i)) * whole
      (under (system_at i)))
      by (field; apply under_nonzero). rewrite E. ring.
  Qed.
  Lemma weight_nonzero i X : weight i X <> 0.
  Proof. apply power_nonzero, base_nonzero. Qed.
  Lemma weight_step i X : weight i X = base i * weight i (X + 1).
  Proof.
    unfold weight. replace (anchor i - X)%Z with (anchor i - (X + 1) + 1)%Z by lia. apply power_step, base_nonzero.
  Qed.
  Lemma whole_power a k : whole (a ^ Z.of_nat k) = whole a ^ k.
  Proof.
    induction k as [|k IH]; [reflexivity|]. rewrite Nat2Z.inj_succ, Z.pow_succ_r by lia. rewrite whole_mult, IH.
    reflexivity.
  Qed.
  Lemma base_power i k : base i ^ k * whole (under (system_at i)) ^ k = whole (over_ (system_at i)) ^ k.
  Proof.
    induction k as [|k IH]; [cbn; ring|]. cbn [Qcpower]. rewrite <- IH. unfold base at 1.
    field. apply under_nonzero.
  Qed.
  Lemma weight_right i X k : weight i X * whole (under (system_at i)) ^ k = whole (over_ (system_at i)) ^ k * weight i
    (X + Z.of_nat k).
  Proof.
    unfold weight. replace (anchor i - X)%Z with (anchor i - (X + Z.of_nat k) + Z.of_nat k)%Z by lia.
    rewrite power_nat by apply base_nonzero. rewrite <- base_power. ring.
  Qed.
  (** Columns of one value: a geometric series. *)
  Lemma series i c k : forall X, (whole (over_ (system_at i)) - whole (under (system_at i))) * sum X k
    (fun X => whole c * weight i X) =
    whole c * whole (over_ (system_at i)) * (weight i X - weight i (X + Z.of_nat k)).
  Proof.
    induction k as [|k IH]; intros X; cbn [sum]; [rewrite Z.add_0_r; ring|].
    pose proof (weight_right i X 1) as W. change (Z.of_nat 1) with 1%Z in W. cbn [Qcpower] in W.
    replace (X + Z.of_nat (S k))%Z with (X + 1 + Z.of_nat k)%Z by lia.
    rewrite Qcmult_plus_distr_r, IH.
    replace ((whole (over_ (system_at i)) - whole (under (system_at i))) * (whole c * weight i X)) with
      (whole c * (whole (over_ (system_at i)) * weight i X - weight i X * (whole (under (system_at i)) * 1))) by ring.
    rewrite W. ring.
  Qed.

  (** * The state of things at a step of a run *)
  Record moment := Moment { m_lo : Z; m_size : nat; m_x : Z; m_world : world; m_lab : Z -> N; m_last : Z }.
  Definition amount (i : N) (r : nat) (w : world) (X : Z) : Qc :=
    whole (worth (system_at i) (w X (low + Z.of_nat r)%Z)) * weight i X.
  Definition class_at (l : label) (r : nat) : option N :=
    option_map (fun v => match v with Is s => class_of s | Of_class c => c end) (nth_error (cells_of l) r).
  Definition in_group (g : group) (r : nat) (l : label) : bool :=
    let '(_, place, mark) := l in
    match g with
    | Fresh j => (mark =? 0)%N && (in_part (told_at place) =? j)%N
    | Worn c j => negb (mark =? 0)%N && match class_at l r with Some c' => (c' =? c)%N | None => false end &&
                  match j with None => true | Some j => (in_part (told_at place) =? j)%N end
    end.
  Definition part_text (j : N) : list symbol := nth (N.to_nat j) parts [].
  Definition part_unit (i j : N) : Qc :=
    if below_1 i then weight i (Z.of_nat (offset parts (N.to_nat j)))
      else weight i (Z.of_nat (offset parts (S (N.to_nat j))) - 1).
  Definition part_sum (i j : N) : Qc :=
    sum (Z.of_nat (offset parts (N.to_nat j))) (length (part_text j))
      (fun X => whole (worth (system_at i) (row_symbol (concat parts) (Z.to_nat X))) * weight i X).
  Definition meaning (M : moment) (a : name) : Qc :=
    match a with
    | Part_weight i k => weight i (Z.of_nat (offset parts (N.to_nat k)))
    | Part_number i j => part_sum i j / part_unit i j
    | Head_weight i => weight i (m_x M)
    | Last_weight i => weight i (m_last M)
    | Cell_value i r => amount i r (m_world M) (m_x M)
    | Sum_beside i rt r g =>
        sum_beside (fun l => in_group g r (label_at l)) rt (m_lo M) (m_size M) (m_x M) (m_lab M)
          (amount i r (m_world M))
    end.
  Lemma ghost_same M M' a : is_ghost a = true -> meaning M a = meaning M' a.
  Proof. destruct a; simpl; try discriminate; reflexivity. Qed.
  Lemma is_weight_nonzero M a : is_weight a = true -> meaning M a <> 0.
  Proof. destruct a; simpl; try discriminate; intros _; apply weight_nonzero. Qed.
  Lemma part_number_ok M i j : meaning M (Part_number i j) * part_unit i j = part_sum i j.
  Proof. cbn [meaning]. field. unfold part_unit. destruct (below_1 i); apply weight_nonzero. Qed.

  (** * Unknowns by number: even before a step, odd after it *)
  Variables (name_at : N -> name) (number : name -> option N) (count : N).
  Hypothesis number_ok : forall a v, number a = Some v -> name_at v = a.

  Definition before (v : N) : N := N.double v.
  Definition after (v : N) : N := if is_ghost (name_at v) then N.double v else N.succ_double v.
  Definition rho (M0 M1 : moment) (u : N) : Qc :=
    if N.odd u then meaning M1 (name_at (N.div2 u)) else meaning M0 (name_at (N.div2 u)).
  Lemma rho_before M0 M1 v : rho M0 M1 (before v) = meaning M0 (name_at v).
  Proof. unfold rho, before. destruct v; reflexivity. Qed.
  Lemma rho_after M0 M1 v : rho M0 M1 (after v) = meaning M1 (name_at v).
  Proof.
    unfold rho, after. destruct (is_ghost (name_at v)) eqn:G; [|destruct v; reflexivity].
    rewrite (ghost_same M1 M0 _ G). destruct v; reflexivity.
  Qed.
  Definition nonzero (u : N) : bool := is_weight (name_at (N.div2 u)).
  Lemma nonzero_rho M0 M1 u : nonzero u = true -> rho M0 M1 u <> 0.
  Proof. intros H. unfold rho. destruct (N.odd u); apply is_weight_nonzero; exact H. Qed.

  (** * Sums of products of named unknowns *)
  Definition factor : Type := bool * name.            (* whether after the step *)
  Definition term : Type := Z * list factor.
  Definition factor_number (f : factor) : option N :=
    match number (snd f) with Some v => Some (if fst f then after v else before v) | None => None end.
  Fixpoint factors_of (l : list factor) : option monomial :=
    match l with
    | [] => Some []
    | f :: l => match factor_number f, factors_of l with
                | Some v, Some m => Some (Polynomials.insert v m)
                | _, _ => None
                end
    end.
  Fixpoint form (l : list term) : option polynomial :=
    match l with
    | [] => Some []
    | (c, fs) :: l => match factors_of fs, form l with
                      | Some m, Some p => Some (plus (of_term c m) p)
                      | _, _ => None
                      end
    end.
  Section Forms.
    Variables M0 M1 : moment.
    Definition factor_value (f : factor) : Qc := meaning (if fst f then M1 else M0) (snd f).
    Definition term_value (t : term) : Qc := whole (fst t) * fold_right (fun f a => factor_value f * a) 1 (snd t).
    Definition form_value (l : list term) : Qc := fold_right (fun t a => term_value t + a) 0 l.
    Lemma factors_value l m : factors_of l = Some m ->
      Polynomials.value_of (rho M0 M1) m = fold_right (fun f a => factor_value f * a) 1 l.
    Proof.
      revert m. induction l as [|[late a] l IH]; intros m H; cbn [factors_of] in H; [injection H as <-; reflexivity|].
      unfold factor_number in H. cbn [fst snd] in H. destruct (number a) as [v|] eqn:E; [|discriminate].
      destruct (factors_of l) as [k|]; [|discriminate]. injection H as <-. rewrite value_insert, (IH k eq_refl).
      cbn [fold_right]. f_equal. apply number_ok in E. unfold factor_value. cbn [fst snd].
      destruct late; [rewrite rho_after | rewrite rho_before]; rewrite E; reflexivity.
    Qed.
    Lemma form_ok l p : form l = Some p -> value (rho M0 M1) p = form_value l.
    Proof.
      revert p. induction l as [|[c fs] l IH]; intros p H; cbn [form] in H; [injection H as <-; reflexivity|].
      destruct (factors_of fs) as [m|] eqn:E; [|discriminate]. destruct (form l) as [q|]; [|discriminate].
      injection H as <-.
      rewrite value_plus, value_of_term, (IH q eq_refl), (factors_value _ _ E). reflexivity.
    Qed.
    Definition forms (l : list (list term)) : list polynomial := flat_map (fun t => match form t with Some p => [p]
      | None => [] end) l.
    Lemma forms_ok l : (forall t, In t l -> form_value t = 0) -> forall p, In p (forms l) -> value (rho M0 M1) p = 0.
    Proof.
      intros H p Hp. apply in_flat_map in Hp as (t & Ht & Hp). destruct (form t) as [q|] eqn:E; [|contradiction].
      destruct Hp as [<-|[]]. rewrite (form_ok _ _ E). apply H. exact Ht.
    Qed.
  End Forms.

  (** * Masks: sets of unknowns by number *)
  Definition mask_of (P : name -> bool) : N := fold_left (fun (m v : N) => if P (name_at v) then N.setbit m v
    else m) (below count) 0%N.
  Lemma mask_bits (P : name -> bool) (l : list N) : forall m v,
    N.testbit (fold_left (fun (m v : N) => if P (name_at v) then N.setbit m v else m) l m) v
    = N.testbit m v || (existsb (N.eqb v) l && P (name_at v)).
  Proof.
    induction l as [|u l IH]; intros m v; cbn [fold_left existsb]; [rewrite orb_false_r; reflexivity|].
    rewrite IH. destruct (N.eqb_spec v u) as [->|Ne]; cbn [orb andb].
    - destruct (P (name_at u)) eqn:E; rewrite ?E; [rewrite N.setbit_eq | ]; destruct (N.testbit m u),
        (existsb (N.eqb u) l); reflexivity.
    - destruct (P (name_at u)); [rewrite N.setbit_neq by congruence|]; reflexivity.
  Qed.
  Lemma mask_bit (P : name -> bool) v : (v < count)%N -> N.testbit (mask_of P) v = P (name_at v).
  Proof.
    intros H. unfold mask_of. rewrite mask_bits, N.bits_0. cbn [orb].
    replace (existsb (N.eqb v) (below count)) with true; [reflexivity|]. symmetry. apply existsb_exists.
    exists v. split; [apply in_below; exact H | apply N.eqb_refl].
  Qed.
End Meaning.

(** Names by number, and back. *)
Definition name_hash (a : name) : positive :=
  Maps.key (match a with
  | Part_weight i k => mix (mix 1 i) k | Part_number i j => mix (mix 2 i) j | Head_weight i => mix 3 i
  | Last_weight i => mix 4 i | Cell_value i r => mix (mix 5 i) (N.of_nat r)
  | Sum_beside i rt r g => mix (mix (mix (if rt then 6 else 7) i) (N.of_nat r))
      (match g with Fresh j => mix 8 j
        | Worn c j => mix (mix 9 c) (match j with None => 0 | Some j => N.succ j end) end)
  end)%N.
Definition is_name (a b : name) : bool := if name_eq_dec a b then true else false.
Definition number_by (name_at : N -> name) (by_name : buckets N) (a : name) : option N :=
  find (fun v => is_name (name_at v) a) (bucket N by_name (name_hash a)).
Lemma number_by_ok name_at by_name a v : number_by name_at by_name a = Some v -> name_at v = a.
Proof. intros H. apply find_some in H as [_ H]. unfold is_name in H.
destruct (name_eq_dec _ _); [assumption | discriminate]. Qed.
