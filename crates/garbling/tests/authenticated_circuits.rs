//! Authenticated garbling of all kinds of circuits.

use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_garbling::Form;
use tacit_garbling::authenticated::{Authenticated, Sizes, open, set_up};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_gmw::{Correlations, Delta};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::Entropy;
use tacit_ring::entropy::{Rng, test_seed};

/// A circuit, who gives and learns what, and what it says on some inputs.
struct Case {
    circuit: Circuit,
    inputs: Vec<(usize, usize)>,
    outputs: Vec<Vec<usize>>,
    given: Vec<Vec<bool>>,
    wanted: Vec<Vec<bool>>,
}

/// Wires of an output port with their values, and who learns them.
type Shown = (Vec<(Wire, bool)>, Vec<usize>);

/// A circuit that is built together with the values of its wires.
struct Building {
    b: Builder,
    wires: Vec<(Wire, bool)>,
    given: Vec<Vec<bool>>,
}

impl Building {
    fn with_inputs(parties: usize, widths: &[(usize, usize)], rng: &mut Rng) -> Self {
        let mut it =
            Building { b: Builder::new(), wires: Vec::new(), given: vec![vec![]; parties] };
        for (owner, width) in widths {
            for wire in it.b.input(*width as u32) {
                let value = rng.below(2) == 1;
                it.wires.push((wire, value));
                it.given[*owner].push(value);
            }
        }
        it
    }

    fn finish(mut self, widths: &[(usize, usize)], shown: Vec<Shown>) -> Case {
        let (mut outputs, mut wanted) = (Vec::new(), vec![Vec::new(); self.given.len()]);
        for (wires, receivers) in shown {
            self.b.output(&wires.iter().map(|(wire, _)| *wire).collect::<Vec<_>>());
            for receiver in &receivers {
                wanted[*receiver].extend(wires.iter().map(|(_, value)| *value));
            }
            outputs.push(receivers);
        }
        Case {
            circuit: self.b.finish(),
            inputs: widths.to_vec(),
            outputs,
            given: self.given,
            wanted,
        }
    }
}

/// Any gates, on any wires; outputs that are inputs, repeated or constant, for one party, several or none.
fn random(parties: usize, gates: usize, rng: &mut Rng) -> Case {
    // Somebody gives nothing, somebody twice.
    let widths = [(0, 3), (parties - 1, 2), (0, 1), (parties / 2, 1)];
    let mut it = Building::with_inputs(parties, &widths, rng);
    for _ in 0..gates {
        let recent = it.wires.len().saturating_sub(12);
        let [(a, x), (b, y)] =
            [0, 1].map(|_| it.wires[recent + rng.below(it.wires.len() - recent)]);
        let made = match rng.below(5) {
            0 => (it.b.not(a), !x),
            1 | 2 => (it.b.xor(a, b), x ^ y),
            _ => (it.b.and2(a, b), x & y),
        };
        it.wires.push(made);
    }
    let constant = (it.b.constant(true), true);
    let mut shown: Vec<Shown> = Vec::new();
    for port in 0..4 {
        let mut wires: Vec<_> =
            (0..1 + rng.below(6)).map(|_| it.wires[rng.below(it.wires.len())]).collect();
        wires.push(it.wires[0]);
        wires.push(it.wires[0]);
        wires.push(constant);
        let receivers = (0..parties).filter(|party| (party + port) % 3 < port.min(2)).collect();
        shown.push((wires, receivers));
    }
    it.finish(&widths, shown)
}

/// ANDs of a wire with itself, with its negation, and of the same two wires twice, in a form that nothing
/// simplifies: labels and masks of both inputs are equal, or a Delta apart.
fn alike(parties: usize, rng: &mut Rng) -> Case {
    let widths = [(0, 3), (parties - 1, 1)];
    let mut it = Building::with_inputs(parties, &widths, rng);
    let [(a, x), (b, y), (c, _), (d, z)] = it.wires[..] else { panic!("four wires") };
    let again = |b_: &mut Builder, wire: Wire| {
        let (with, other) = (b_.xor(wire, b), b_.xor(b, c));
        let with = b_.xor(with, c);
        b_.xor(with, other)
    };
    let a_again = again(&mut it.b, a);
    let not_a = it.b.not(a_again);
    let d_again = again(&mut it.b, d);
    let gates = [
        (it.b.and2(a, a_again), x),
        (it.b.and2(a, not_a), false),
        (it.b.and2(a, b), x & y),
        (it.b.and2(a_again, b), x & y),
        (it.b.and2(a, d), x & z),
        (it.b.and2(a_again, d_again), x & z),
    ];
    it.finish(&widths, vec![(gates.to_vec(), (0..parties).collect())])
}

/// All parties' results of circuits, one after the other in one session, are right.
fn are_right(form: Form, parties: usize, cases: &[Case]) {
    let seed = test_seed();
    memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let (mesh, kind) = (&mut session.meshes[0], Delta::Authenticating);
        let places: Vec<PartyId> = PartyId::all(parties).collect();
        let mut all =
            Correlations::exchange(mesh, b"circuits", &places, kind, &mut entropy).unwrap();
        let sid = set_up(mesh, &places, all.worker(), b"circuits").unwrap();
        let party = Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1)).unwrap();
        let mut party = party.in_form(form);
        let mut done = Vec::new();
        for case in cases {
            let schedule = Schedule::new(&case.circuit);
            let (inputs, outputs) = (&case.inputs, &case.outputs);
            let ports = Ports { schedule: &schedule, inputs, outputs, guards: 0 };
            let mut given = Bits::zeros(case.given[me].len());
            case.given[me].iter().enumerate().for_each(|(i, bit)| given.flip_if(i, *bit));
            let ready = party.prepare(ports, 1).unwrap();
            done.push(ready.run(party.mesh(), &places, ports, &[given]).unwrap());
        }
        drop(party);
        let learned = open(&mut session.meshes[0], &places, done).unwrap();
        for (number, (case, learned)) in cases.iter().zip(learned.iter().flatten()).enumerate() {
            let learned: Vec<bool> = (0..learned.len).map(|i| learned.get(i)).collect();
            assert_eq!(learned, case.wanted[me], "{parties} parties, circuit {number}, party {me}");
        }
        session.finish().unwrap();
    });
}

#[test]
fn random_circuits_of_two_to_six_parties_are_right() {
    let mut rng = Rng(test_seed());
    for parties in 2..=6 {
        let mut cases: Vec<Case> =
            [0, 1, 7, 40, 90].map(|gates| random(parties, gates, &mut rng)).into_iter().collect();
        // What nothing learned depends on is left out: one more, until some ANDs are left.
        let ands = |case: &Case| case.circuit.stats().ands.iter().sum::<u64>();
        while !cases.iter().any(|case| ands(case) > 5) {
            cases.push(random(parties, 90, &mut rng));
        }
        for form in [Form::HalfGates, Form::FourRows] {
            are_right(form, parties, &cases);
        }
    }
}

#[test]
fn gates_whose_inputs_are_alike_are_right() {
    let mut rng = Rng(test_seed());
    for parties in [2, 3] {
        let cases: Vec<Case> = (0..6).map(|_| alike(parties, &mut rng)).collect();
        let ands: u64 = cases[0].circuit.stats().ands.iter().sum();
        assert_eq!(ands, 6, "nothing is simplified");
        for form in [Form::HalfGates, Form::FourRows] {
            are_right(form, parties, &cases);
        }
    }
}
