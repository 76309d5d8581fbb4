(** What is counted along an input: each number as it is below a bound, and above it but for multiples of a period. *)
From Coq Require Import ZArith NArith List Bool Lia.
From Gridlang Require Import Statement Columns Machines.
Import ListNotations.
Local Open Scope Z_scope.

Inductive precision := Exactly | Natural | Modulo.
Definition kept : Type := precision * Z.

Section Kept.
  Variables bound period : Z.

  Definition alike (a z : Z) : Prop := exists k, z = a + k * period.
  Definition natural (a z : Z) : Prop := alike a z /\ 0 <= a /\ 0 <= z /\ (z = a \/ bound <= a /\ bound <= z).
  Definition knows (k : kept) (z : Z) : Prop :=
    match k with (Exactly, a) => z = a /\ 0 <= a | (Natural, a) => natural a z | (Modulo, a) => alike a z end.

  Lemma alike_refl a : alike a a.
  Proof. exists 0. lia. Qed.
  Lemma alike_plus a b y z : alike a y -> alike b z -> alike (a + b) (y + z).
  Proof. intros [j ->] [k ->]. exists (j + k). lia. Qed.
  Lemma alike_times a b y z : alike a y -> alike b z -> alike (a * b) (y * z).
  Proof. intros [j ->] [k ->]. exists (a * k + b * j + j * k * period). ring. Qed.
  Lemma alike_opp a z : alike a z -> alike (- a) (- z).
  Proof. intros [k ->]. exists (- k). lia. Qed.
  Lemma natural_refl a : 0 <= a -> natural a a.
  Proof. intros H. split; [apply alike_refl | lia]. Qed.
  Lemma natural_plus a b y z : natural a y -> natural b z -> natural (a + b) (y + z).
  Proof. intros [A HA] [B HB]. split; [apply alike_plus; assumption | lia]. Qed.
  Lemma natural_times a b y z : natural a y -> natural b z -> natural (a * b) (y * z).
  Proof.
    intros [A (A0 & Y0 & HA)] [B (B0 & Z0 & HB)]. split; [apply alike_times; assumption | split; [nia | split; [nia|]]].
    destruct (Z.le_gt_cases bound 0) as [N|P]; [right; nia|].
    destruct HA as [->|HA], HB as [->|HB]; [left; reflexivity | | |right; nia].
    - destruct (Z.eq_dec a 0) as [->|]; [left; reflexivity | right; nia].
    - destruct (Z.eq_dec b 0) as [->|]; [left; nia | right; nia].
  Qed.
  Lemma knows_natural p a z : knows (p, a) z -> p <> Modulo -> natural a z.
  Proof. destruct p; simpl; try congruence. intros [-> H] _. apply natural_refl. exact H. Qed.
  Lemma knows_alike p a z : knows (p, a) z -> alike a z.
  Proof. destruct p; simpl; [intros [-> _]; apply alike_refl | intros H; apply H | auto]. Qed.

  Definition least (p q : precision) : precision :=
    match p, q with Modulo, _ | _, Modulo => Modulo | Exactly, Exactly => Exactly | _, _ => Natural end.
  Definition operate_kept (o : operator) (x y : kept) : option kept :=
    let '(p, a) := x in let '(q, b) := y in
    match o, q with
    | Add, _ => Some (least p q, a + b)
    | Mul, _ => Some (least p q, a * b)
    | Sub, _ => Some (Modulo, a - b)
    | Mod, Exactly => if (0 <? b) && (period mod b =? 0) then Some (Exactly, a mod b) else None
    | _, _ => None
    end.
  Lemma operate_kept_ok o x y u v k : knows x u -> knows y v -> operate_kept o x y = Some k ->
    exists z, operate o u v = Some z /\ knows k z.
  Proof.
    destruct x as [p a], y as [q b]. intros Hx Hy H. pose proof (knows_alike _ _ _ Hx) as Ax.
    pose proof (knows_alike _ _ _ Hy) as Ay.
    pose proof (knows_natural _ _ _ Hx) as Nx. pose proof (knows_natural _ _ _ Hy) as Ny.
    destruct o; cbn [operate_kept] in H; try discriminate.
    - injection H as <-. eexists. split; [reflexivity|]. destruct p, q; cbn [least knows];
        try (apply alike_plus; assumption); try (apply natural_plus; [apply Nx | apply Ny]; discriminate).
      destruct Hx, Hy; lia.
    - injection H as <-. eexists. split; [reflexivity|]. cbn [knows].
      replace (a - b) with (a + - b) by lia. replace (u - v) with (u + - v) by lia.
      apply alike_plus, alike_opp; assumption.
    - injection H as <-. eexists. split; [reflexivity|]. destruct p, q; cbn [least knows];
        try (apply alike_times; assumption); try (apply natural_times; [apply Nx | apply Ny]; discriminate).
      destruct Hx, Hy; nia.
    - destruct q; try discriminate. destruct ((0 <? b) && (period mod b =? 0)) eqn:E; [|discriminate].
      injection H as <-.
      apply andb_true_iff in E as [E1 E2]. apply Z.ltb_lt in E1. apply Z.eqb_eq in E2. destruct Hy as [-> _].
      cbn [operate].
      destruct (Z.eqb_spec b 0); [lia|]. eexists. split; [reflexivity|]. cbn [knows].
      apply Z.mod_divide in E2 as [d Ed]; [|lia]. destruct Ax as [j ->]. rewrite Ed, Z.mul_assoc, Z.mod_add by lia.
      split; [reflexivity | apply Z.mod_pos_bound; exact E1].
  Qed.

  Definition compare_kept (c : comparator) (x y : kept) : option bool :=
    match x, y with
    | (Exactly, a), (Exactly, b) => Some (compare c a b)
    | (Exactly, a), (Natural, b) => if a <? bound then Some (compare c a b) else None
    | (Natural, a), (Exactly, b) => if b <? bound then Some (compare c a b) else None
    | _, _ => None
    end.
  Lemma compare_kept_ok c x y u v b : knows x u -> knows y v -> compare_kept c x y = Some b -> compare c u v = b.
  Proof.
    destruct x as [[] a], y as [[] d]; cbn [compare_kept knows]; try discriminate.
    - intros [-> _] [-> _] H. congruence.
    - intros [-> _] (_ & _ & _ & H) E. destruct (Z.ltb_spec a bound); [|discriminate]. injection E as <-.
      destruct H as [->|H]; [reflexivity|]. destruct c; cbn [compare]; lia.
    - intros (_ & _ & _ & H) [-> _] E. destruct (Z.ltb_spec d bound); [|discriminate]. injection E as <-.
      destruct H as [->|H]; [reflexivity|]. destruct c; cbn [compare]; lia.
  Qed.

  Hypothesis positive : 0 < period.
  Definition small (z : Z) : Z := if z <? bound then z else bound + (z - bound) mod period.
  Lemma reduced_alike a z : alike a z -> alike (a mod period) z.
  Proof. intros [k ->]. exists (k + a / period). pose proof (Z.div_mod a period ltac:(lia)). lia. Qed.
  Lemma small_natural a z : 0 <= bound -> natural a z -> natural (small a) z.
  Proof.
    intros Hb [A H]. unfold small. destruct (Z.ltb_spec a bound); [split; assumption|].
    pose proof (Z.mod_pos_bound (a - bound) period positive) as M. split; [|lia].
    destruct A as [k ->]. exists (k + (a - bound) / period). pose proof (Z.div_mod (a - bound) period ltac:(lia)). lia.
  Qed.
End Kept.

(** * How often a text was found: what was read of it, once it may still be one *)
Fixpoint fit (t r : list symbol) : list symbol :=
  if begins r t then r else match r with [] => [] | _ :: r => fit t r end.
Lemma not_begun r : forall t v, begins r t = false -> (length r <= length t)%nat -> begins t (r ++ v) = false.
Proof.
  induction r as [|a r IH]; intros [|b t] v H L; cbn in *; try discriminate; try lia. rewrite N.eqb_sym.
  destruct (a =? b)%N; [apply IH; [exact H | lia] | reflexivity].
Qed.
Lemma fit_counts t r v : (length r <= length t)%nat -> count_in t 0 (r ++ v) = count_in t 0 (fit t r ++ v).
Proof.
  induction r as [|a r IH]; intros L; cbn [fit]; destruct (begins _ t) eqn:B; try reflexivity.
  pose proof (not_begun (a :: r) t v B L) as N. cbn [length] in L. cbn [app] in *. cbn [count_in]. rewrite N. apply IH.
  lia.
Qed.
Lemma fit_begins t r : begins (fit t r) t = true.
Proof. induction r as [|a r IH]; cbn [fit]; [reflexivity|]. destruct (begins (a :: r) t) eqn:B; assumption. Qed.
Lemma count_skipped t a v : count_in t (length a) (a ++ v) = count_in t 0 v.
Proof. induction a as [|s a IH]; [reflexivity | exact IH]. Qed.
Lemma begins_itself t v : begins t (t ++ v) = true.
Proof. induction t as [|a t IH]; [reflexivity|]. cbn. rewrite N.eqb_refl. exact IH. Qed.
Lemma count_itself t v : t <> [] -> count_in t 0 (t ++ v) = 1 + count_in t 0 v.
Proof.
  destruct t as [|a t]; [congruence|]. intros _. cbn [app count_in]. change (a :: t ++ v) with ((a :: t) ++ v).
  rewrite begins_itself. cbn [length pred]. rewrite count_skipped. reflexivity.
Qed.
Lemma begins_whole r : forall t, begins r t = true -> r <> t -> (length r < length t)%nat.
Proof.
  induction r as [|a r IH]; intros [|b t] B N; cbn in *; try congruence; try lia.
  apply andb_true_iff in B as [E B]. apply N.eqb_eq in E. subst b. assert (r <> t) by congruence. specialize (IH t B H).
  lia.
Qed.
Lemma count_short t r : (length r < length t)%nat -> count_in t 0 r = 0.
Proof.
  induction r as [|a r IH]; intros L; [reflexivity|]. cbn [count_in].
  replace (begins t (a :: r)) with false; [apply IH; cbn in L; lia|]. symmetry.
  assert (G : forall x y, (length y < length x)%nat -> begins x y = false).
  { induction x as [|b x IHx]; intros [|c y] H; cbn in *; try lia. rewrite IHx by lia. apply andb_false_r. }
  apply G. exact L.
Qed.

(** * Counters of quantities *)
Inductive counter := Kept (z : Z) | Found (z : Z) (begun : list symbol) | Summed (s : sums) | Lost.

Section Counters.
  Variables (bound period : Z) (digits : list symbol) (members : list (list symbol)).
  Hypothesis positive : 0 < period.
  Hypothesis not_negative : 0 <= bound.
  Notation small := (small bound period).
  Notation natural := (natural bound period).
  Notation alike := (alike period).

  Definition part_of (q : expression) : nat :=
    match q with Spelled i | Length i | Count i _ | Calculated i _ => i | _ => O end.
  Definition first_count (q : expression) : counter :=
    match q with
    | Spelled _ | Length _ => Kept 0
    | Count _ (_ :: _) => Found 0 []
    | Calculated _ _ => Summed (0, 1, 1, None)
    | _ => Lost
    end.
  Definition reduced (s : sums) : sums :=
    let '(total, term, negative, number) := s in
    (total mod period, term mod period, negative, option_map (fun n => n mod period) number).
  Definition count_on (q : expression) (c : counter) (s : symbol) : counter :=
    match q, c with
    | Spelled i, Kept z =>
        match place_in (nth i members []) s with
        | Some d => Kept (small (z * Z.of_nat (length (nth i members [])) + d))
        | None => Lost
        end
    | Length _, Kept z => Kept (small (z + 1))
    | Count _ t, Found z r => let r := fit t (r ++ [s]) in if same_text r t then Found (small (z + 1)) [] else Found z r
    | Calculated _ signs, Summed so_far =>
        match calculate digits signs (Some so_far) s with Some so_far => Summed (reduced so_far) | None => Lost end
    | _, _ => Lost
    end.
  Definition counted (c : counter) : option kept :=
    match c with
    | Kept z | Found z _ => Some (Natural, z)
    | Summed (total, term, negative, Some n) => Some (Modulo, total + term * negative * n)
    | _ => None
    end.

  Definition alike_sums (a b : sums) : Prop :=
    let '(total, term, negative, number) := a in let '(total', term', negative', number') := b in
    alike total total' /\ alike term term' /\ alike negative negative' /\
    match number, number' with Some n, Some n' => alike n n' | None, None => True | _, _ => False end.
  Lemma calculate_alike signs a b s : alike_sums a b ->
    match calculate digits signs (Some a) s, calculate digits signs (Some b) s with
    | Some a, Some b => alike_sums a b
    | None, None => True
    | _, _ => False
    end.
  Proof.
    destruct a as [[[t m] n] o], b as [[[t' m'] n'] o']. intros (Ht & Hm & Hn & Ho). cbn [calculate].
    destruct (place_in digits s) as [d|].
    - split; [exact Ht|]. split; [exact Hm|]. split; [exact Hn|]. apply alike_plus; [|apply alike_refl].
      apply alike_times; [|apply alike_refl]. destruct o, o'; try contradiction; [exact Ho | apply alike_refl].
    - destruct (find (fun e => (fst e =? s)%N) signs) as [[? []]|], o, o'; try contradiction; try exact Logic.I;
        repeat split; try assumption; auto using alike_refl, alike_plus, alike_times, alike_opp.
  Qed.
  Lemma reduced_sums a b : alike_sums a b -> alike_sums (reduced a) b.
  Proof.
    destruct a as [[[t m] n] o], b as [[[t' m'] n'] o']. intros (Ht & Hm & Hn & Ho).
    repeat split; try (apply reduced_alike); try assumption. destruct o, o'; try exact Ho.
    apply reduced_alike; assumption.
  Qed.

  (** A counter tells what was read of its part. *)
  Definition tracks (q : expression) (c : counter) (u : list symbol) : Prop :=
    match q, c with
    | _, Lost => True
    | Spelled i, Kept z => exists v, spells (nth i members []) u = Some v /\ natural z v
    | Length _, Kept z => natural z (Z.of_nat (length u))
    | Count _ t, Found z r => exists v, natural z v /\ (length r < length t)%nat /\
        forall w, count_in t 0 (u ++ w) = v + count_in t 0 (r ++ w)
    | Calculated _ signs, Summed s => exists s', fold_left (calculate digits signs) u (Some (0, 1, 1, None)) = Some s'
      /\ alike_sums s s'
    | _, _ => False
    end.
  Lemma first_tracks q : tracks q (first_count q) [].
  Proof.
    destruct q; try exact Logic.I; cbn.
    - exists 0. split; [reflexivity | apply natural_refl; lia].
    - apply natural_refl. lia.
    - destruct t as [|a t]; [exact Logic.I|]. exists 0. split; [apply natural_refl; lia|].
      split; [cbn; lia | reflexivity].
    - eexists. split; [reflexivity|]. repeat split; apply alike_refl.
  Qed.
  Lemma place_in_natural l : forall s d, place_in l s = Some d -> 0 <= d.
  Proof.
    induction l as [|a l IH]; intros s d H; cbn in H; [discriminate|]. destruct (a =? s)%N; [injection H as <-; lia|].
    destruct (place_in l s) as [d'|] eqn:E; [|discriminate]. injection H as <-. specialize (IH s d' E). lia.
  Qed.
  Lemma count_on_tracks q c u s : tracks q c u -> tracks q (count_on q c s) (u ++ [s]).
  Proof.
    destruct q, c; cbn [tracks count_on]; try contradiction; try (intros; exact Logic.I).
    - intros (v & Hv & Hn). destruct (place_in (nth i members []) s) as [d|] eqn:E; [|exact Logic.I].
      eexists. split; [unfold spells in *; rewrite fold_left_app, Hv; cbn; rewrite E; reflexivity|].
      apply small_natural; auto. apply natural_plus; [apply natural_times; [exact Hn|]|]; apply natural_refl; [lia|].
      eapply place_in_natural. exact E.
    - intros Hn. apply small_natural; auto. rewrite app_length, Nat2Z.inj_add.
      apply natural_plus; [exact Hn | apply natural_refl; cbn; lia].
    - intros (v & Hn & Hl & Hc). set (r := fit t (begun ++ [s])).
      assert (L : (length (begun ++ [s]) <= length t)%nat) by (rewrite app_length; cbn; lia).
      assert (C : forall w, count_in t 0 ((u ++ [s]) ++ w) = v + count_in t 0 (r ++ w)).
      { intros w. rewrite <- app_assoc, Hc. f_equal. rewrite app_assoc. apply fit_counts. exact L. }
      destruct (same_text r t) eqn:E.
      + apply same_text_eq in E. exists (v + 1).
        split; [apply small_natural; auto; apply natural_plus; [exact Hn | apply natural_refl; lia]|].
        split; [cbn; lia|]. intros w. rewrite C, E, count_itself; [cbn [app]; lia | intros ->; cbn in Hl; lia].
      + exists v. split; [exact Hn|]. split; [|exact C]. apply begins_whole; [apply fit_begins|].
        intros Er. rewrite Er in E. clear - E. induction t as [|a t IH]; cbn in E; [discriminate|].
        rewrite N.eqb_refl in E. auto.
    - intros (s' & Hf & Ha). pose proof (calculate_alike signs _ _ s Ha) as Hc.
      destruct (calculate digits signs (Some s0) s) as [a|]; [|exact Logic.I].
      destruct (calculate digits signs (Some s') s) as [b|] eqn:E; [|contradiction].
      exists b. split; [rewrite fold_left_app, Hf; exact E | apply reduced_sums; exact Hc].
  Qed.
  Lemma counted_ok q c parts k : tracks q c (nth (part_of q) parts []) -> counted c = Some k ->
    exists z, evaluate digits members q parts = Some (Number z) /\ knows bound period k z.
  Proof.
    destruct q, c; cbn [tracks part_of counted evaluate]; try contradiction; try discriminate.
    - intros (v & -> & Hn) E. injection E as <-. exists v. split; [reflexivity | exact Hn].
    - intros Hn E. injection E as <-. eexists. split; [reflexivity | exact Hn].
    - intros (v & Hn & Hl & Hc) E. injection E as <-. exists v. split; [|exact Hn].
      specialize (Hc []). rewrite !app_nil_r, (count_short t begun Hl), Z.add_0_r in Hc. rewrite Hc. reflexivity.
    - intros (s' & Hf & Ha). unfold calculated. rewrite Hf.
      destruct s as [[[a b] d] [m|]], s' as [[[a' b'] d'] [m'|]]; try discriminate;
        destruct Ha as (H1 & H2 & H3 & H4); try contradiction.
      intros E. injection E as <-. eexists. split; [reflexivity|]. cbn [knows]. auto using alike_plus, alike_times.
  Qed.
End Counters.
