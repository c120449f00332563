//! Views of polynomial gates in every form, with their openings.
//!
//! Gates start from shares under free masks and end with shares; a role's view holds both, so
//! that gates which hide their inputs each do so one after the other.

use crate::lanes::{
    Column, Reuse, Scene, SortedViews, Stage, assert_told_alone, constant, leaks, sum, views,
};
use tacit_backend::protocols::{ASTRA, MULTI_FAN_IN, REPLICATED, TRIO};
use tacit_circuit::Poly;
use tacit_ring::{Word, Z2};
use tacit_sharing::balance::Way;
use tacit_sharing::multi_fan_in::plan::{Form, PolyPlan};
use tacit_sharing::multi_fan_in::wide::{self, Gate, WideScratch};
use tacit_sharing::transfer::{self, Output, TransferScratch};
use tacit_sharing::verify::Pass;
use tacit_sharing::{Protocol, Role, RoleId, RoleVisitor, Shares};

/// A gate on fixed secrets.
struct GateScene<'a> {
    protocol: Protocol,
    /// In which way of a mix the gate is made.
    way: Option<Way>,
    poly: &'a Poly,
    plan: PolyPlan,
    secrets: usize,
    /// Who learns the outputs.
    receivers: &'a [RoleId],
    /// Opens input 0 too, which it must not.
    careless: bool,
}

impl<'a> GateScene<'a> {
    fn new(protocol: Protocol, poly: &'a Poly, form: Form, secrets: usize) -> Self {
        let plan = PolyPlan::new(poly, form);
        assert_eq!(plan.form(), form);
        GateScene { protocol, way: None, poly, plan, secrets, receivers: &[], careless: false }
    }

    fn inputs(&self) -> u32 {
        self.poly.arity() as u32
    }

    fn slots(&self) -> (Vec<u32>, Vec<u32>) {
        let outputs = self.poly.outputs().len() as u32;
        ((0..self.inputs()).collect(), (self.inputs()..self.inputs() + outputs).collect())
    }

    fn secret(&self, input: u32) -> u64 {
        (self.secrets >> input & 1) as u64
    }

    /// The outputs in the clear, one bit each.
    fn outputs(&self) -> Vec<u64> {
        clear_outputs(self.poly, self.secrets)
    }
}

fn clear_outputs(poly: &Poly, secrets: usize) -> Vec<u64> {
    let inputs: Vec<u64> = (0..poly.arity()).map(|i| (secrets >> i & 1) as u64).collect();
    let mut outputs = vec![0; poly.outputs().len()];
    poly.eval(&inputs, &mut outputs);
    outputs.iter().map(|bit| bit & 1).collect()
}

/// A role's share of the secret `x` under the masks `a` and `b`.
fn share(protocol: Protocol, role: RoleId, x: &[Z2], a: &[Z2], b: &[Z2]) -> [Column; 2] {
    let (masked_a, masked_b, masked) = (sum(&[x, a]), sum(&[x, b]), sum(&[x, a, b]));
    let (a, b) = (a.to_vec(), b.to_vec());
    match (protocol, role) {
        (it, 0) if it == MULTI_FAN_IN => [masked_a, b],
        (it, 1) if it == MULTI_FAN_IN => [masked_b, a],
        (it, 0) if [TRIO, ASTRA].contains(&it) => [a, b],
        (it, _) if it == MULTI_FAN_IN => [a, b],
        (it, 1) if it == TRIO => [masked_b, a],
        (it, _) if it == TRIO => [masked_a, b],
        (it, 1) if it == ASTRA => [masked, a],
        (it, _) if it == ASTRA => [masked, b],
        (it, 0) if it == REPLICATED => [masked, a],
        (it, 1) if it == REPLICATED => [a, b],
        (it, _) if it == REPLICATED => [b, masked],
        (protocol, _) => unreachable!("{protocol} is not among these"),
    }
}

/// Words that a role draws per two-factor product under its next key.
struct Next;
impl RoleVisitor for Next {
    type Out = u32;
    fn visit<P: Role>(self) -> u32 {
        P::DRAWS[0] as u32
    }
}

/// The same in some way of a mix.
struct NextIn(Way);
impl RoleVisitor for NextIn {
    type Out = u32;
    fn visit<P: Role>(self) -> u32 {
        P::in_way(self.0, Next)
    }
}

/// A gate from beginning to end, as the role that makes it.
struct WholeGate<'a, 'k, 'm> {
    stage: &'a mut Stage<'k, 'm>,
    shares: &'a mut Shares<Z2>,
    gate: Gate<'a>,
}

impl RoleVisitor for WholeGate<'_, '_, '_> {
    type Out = ();
    fn visit<P: Role>(self) {
        let WholeGate { stage: Stage { party, draws, .. }, shares, gate } = self;
        let mut scratch = WideScratch::default();
        wide::begin::<P, Z2>(party, draws, &mut scratch, shares, gate).unwrap();
        wide::finish::<P, Z2>(party, draws, &mut scratch, shares, gate).unwrap();
    }
}

impl Scene for GateScene<'_> {
    fn free(&self) -> u32 {
        2 * self.inputs()
    }

    fn draws(&self) -> [u32; 3] {
        let (messages, outputs) = (self.plan.messages() as u32, self.poly.outputs().len() as u32);
        match self.plan.form() {
            Form::Quadratic => [0, 1, 2].map(|role| {
                let drawn = match self.way {
                    None => tacit_backend::visit::visit(self.protocol, role, Next),
                    Some(way) => tacit_backend::visit::visit(self.protocol, role, NextIn(way)),
                };
                drawn * outputs
            }),
            Form::Symmetric => [0, messages + outputs, messages + outputs],
            Form::Dealer => [0, outputs, messages + outputs],
        }
    }

    fn play<P: Role>(&self, stage: &mut Stage<'_, '_>) {
        let (inputs, outputs) = self.slots();
        let mut shares = Shares::<Z2>::new(inputs.len() + outputs.len(), stage.words);
        for &input in &inputs {
            let x = constant(self.secret(input), stage.words);
            let [a, b] = [0, 1].map(|mask| &stage.free[2 * input as usize + mask]);
            let [first, second] = share(P::PROTOCOL, P::ROLE, &x, a, b);
            let slot = shares.get_mut(input);
            slot.0.copy_from_slice(&first);
            slot.1.copy_from_slice(&second);
        }
        let gate = Gate { plan: &self.plan, inputs: &inputs, outputs: &outputs };
        let whole = WholeGate { stage: &mut *stage, shares: &mut shares, gate };
        match self.way {
            None => whole.visit::<P>(),
            Some(way) => P::in_way(way, whole),
        }
        for slot in inputs.iter().chain(&outputs) {
            let (first, second) = shares.get(*slot);
            stage.seen.extend([first.to_vec(), second.to_vec()]);
        }
        self.open::<P>(stage, &shares, &outputs);
    }
}

impl GateScene<'_> {
    fn open<P: Role>(&self, stage: &mut Stage<'_, '_>, shares: &Shares<Z2>, outputs: &[u32]) {
        let mut slots = outputs.to_vec();
        slots.extend(self.careless.then_some(0));
        let opened = opened::<P>(stage, shares, self.receivers, &slots);
        for (column, clear) in opened.iter().zip(self.outputs()) {
            assert!(*column == constant(clear, stage.words), "a wrong output");
        }
        stage.seen.extend(opened);
    }
}

/// Opens slots; the values, if this role learns them.
pub fn opened<P: Role>(
    stage: &mut Stage<'_, '_>,
    shares: &Shares<Z2>,
    receivers: &[RoleId],
    slots: &[u32],
) -> Vec<Column> {
    let output = Output { receivers, slots };
    let words = if receivers.contains(&P::ROLE) { slots.len() * stage.words } else { 0 };
    let (mut scratch, mut values) = (TransferScratch::default(), vec![Z2::ZERO; words]);
    let party = &mut stage.party;
    let pass = Pass::unchecked(P::PROTOCOL).expect("a protocol without checks");
    transfer::output_begin::<P, Z2>(party, &pass, &mut scratch, shares, output).unwrap();
    let scratch = &mut scratch;
    transfer::output_finish::<P, Z2>(party, &pass, scratch, shares, output, &mut values).unwrap();
    values.chunks_exact(stage.words).map(<[Z2]>::to_vec).collect()
}

/// Views for all secrets.
fn all_views(of: impl Fn(usize) -> SortedViews, poly: &Poly) -> Vec<SortedViews> {
    (0..1 << poly.arity()).map(of).collect()
}

#[test]
fn top_products_travel_fused() {
    let fused = &gates(Form::Dealer)[1];
    // ab, ac, bc, and one for the output: not one for abc and one for ad.
    assert_eq!(PolyPlan::new(fused, Form::Dealer).messages(), 4);
}

/// The gates of the tests, by form: a product, and sums whose top products travel fused.
fn gates(form: Form) -> Vec<Poly> {
    match form {
        // ab + bc + 1, and the same pair in two outputs.
        Form::Quadratic => vec![
            Poly::new(3, vec![vec![0b011, 0b110, 0]]),
            Poly::new(2, vec![vec![0b11], vec![0b11, 0b01]]),
        ],
        // abc; abc + ad + b, where one message carries abc + ad; abc + a and bc.
        _ => vec![
            Poly::new(3, vec![vec![0b111]]),
            Poly::new(4, vec![vec![0b0111, 0b1001, 0b0010]]),
            Poly::new(3, vec![vec![0b111, 0b001], vec![0b110]]),
        ],
    }
}

const FORMS: [(Protocol, Form); 6] = [
    (MULTI_FAN_IN, Form::Symmetric),
    (MULTI_FAN_IN, Form::Dealer),
    (MULTI_FAN_IN, Form::Quadratic),
    (TRIO, Form::Quadratic),
    (ASTRA, Form::Quadratic),
    (REPLICATED, Form::Quadratic),
];

const RECEIVERS: [&[RoleId]; 4] = [&[0], &[1], &[2], &[0, 1, 2]];

#[test]
fn gates_look_the_same_for_all_secrets() {
    for (protocol, form) in FORMS {
        for poly in gates(form) {
            let of =
                |secrets| views(protocol, &GateScene::new(protocol, &poly, form, secrets), None);
            let label = format!("{protocol} {form:?} {poly:?}");
            assert_told_alone(&all_views(of, &poly), |_, _| 0, &label);
        }
    }
}

/// Gates in the ways of a mix give the same outputs, and tell nobody more.
#[test]
fn gates_of_a_mix_tell_receivers_the_outputs_alone() {
    for way in [TRIO, ASTRA].into_iter().flat_map(Way::all) {
        for (poly, receivers) in
            gates(Form::Quadratic).iter().flat_map(|p| RECEIVERS.map(|r| (p, r)))
        {
            let of = |secrets| {
                let scene = GateScene::new(way.protocol, poly, Form::Quadratic, secrets);
                views(way.protocol, &GateScene { way: Some(way), receivers, ..scene }, None)
            };
            let told = |role, secrets| {
                let outputs = clear_outputs(poly, secrets);
                let learned = outputs.iter().fold(0, |all, bit| all << 1 | bit);
                if receivers.contains(&role) { learned } else { 0 }
            };
            assert_told_alone(&all_views(of, poly), told, &format!("{way:?} to {receivers:?}"));
        }
    }
}

#[test]
fn openings_tell_receivers_the_outputs_alone() {
    for (protocol, form) in FORMS {
        let poly = &gates(form)[0];
        for receivers in RECEIVERS {
            let of = |secrets| {
                let scene = GateScene::new(protocol, poly, form, secrets);
                views(protocol, &GateScene { receivers, ..scene }, None)
            };
            let told = |role, secrets| {
                if receivers.contains(&role) { clear_outputs(poly, secrets)[0] } else { 0 }
            };
            let views = all_views(of, poly);
            assert_told_alone(&views, told, &format!("{protocol} {form:?} to {receivers:?}"));
            // The outputs do show: views of different outputs differ for receivers, and only there.
            let differing = leaks(&views, |_, _| 0);
            assert!(differing.iter().all(|(role, ..)| receivers.contains(role)));
            assert!(receivers.iter().all(|r| differing.iter().any(|(role, ..)| role == r)));
        }
    }
}

/// Whether a gate with a mask used twice shows secrets to `role`.
fn shows(protocol: Protocol, form: Form, reuse: Reuse, role: RoleId) -> bool {
    let poly = &gates(form)[0];
    let of = |secrets| views(protocol, &GateScene::new(protocol, poly, form, secrets), Some(reuse));
    leaks(&all_views(of, poly), |_, _| 0).iter().any(|(shown, ..)| *shown == role)
}

#[test]
fn a_mask_that_hides_two_messages_shows() {
    let reuse = |key, first, again| Reuse { key, first, again };
    // Of the symmetric form, messages 0 and 1 to either evaluator.
    assert!(shows(MULTI_FAN_IN, Form::Symmetric, reuse(1, 0, 1), 0));
    assert!(shows(MULTI_FAN_IN, Form::Symmetric, reuse(2, 0, 1), 1));
    // Of the dealer form, two of the helper's messages.
    assert!(shows(MULTI_FAN_IN, Form::Dealer, reuse(2, 0, 1), 1));
    // Of a two-factor product, the summands of P1 and P2, which P0 gets both.
    assert!(shows(MULTI_FAN_IN, Form::Quadratic, reuse(1, 0, 1), 0));
}

#[test]
fn an_opening_too_many_shows() {
    for (protocol, form) in FORMS {
        let poly = &gates(form)[0];
        let of = |secrets| {
            let scene = GateScene::new(protocol, poly, form, secrets);
            views(protocol, &GateScene { receivers: &[1], careless: true, ..scene }, None)
        };
        let told = |role, secrets| if role == 1 { clear_outputs(poly, secrets)[0] } else { 0 };
        let found = leaks(&all_views(of, poly), told);
        assert!(!found.is_empty(), "{protocol} {form:?}");
        assert!(found.iter().all(|(role, ..)| *role == 1), "{protocol} {form:?}");
    }
}
