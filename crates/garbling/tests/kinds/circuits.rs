//! The kinds of BMR beside each other: random circuits, AES, and costs as published.

use super::{Kind, Play, check_costs, network};
use crate::common::schedule;
use crate::parties::{Trial, random_circuit};
use tacit_circuit::library::aes::{self, KeySize, Sbox};
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_garbling::bmr::{LabelFunction, Opening, Products, Rounds};
use tacit_garbling::{Bits, Ports};
use tacit_gmw::{FAN, Method};
use tacit_net::memory;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::RoleId;

/// Every party learns what the circuit says, at the price of the table and in so many rounds.
fn check(
    (kind, opening, parties): (Kind, Opening, usize),
    circuit: &Circuit,
    rng: &mut Rng,
    instances: usize,
) {
    let schedule = schedule(circuit);
    let owners = (0..circuit.input_widths().len()).map(|port| port % parties).collect();
    let outputs = (0..circuit.output_ports().len()).map(|port| (port..parties).collect()).collect();
    let trial = Trial::new(circuit, (owners, outputs), instances, rng);
    let (inputs, outputs) = (&trial.inputs, &trial.outputs);
    let ports = Ports { schedule: &schedule, inputs, outputs, guards: 0 };
    let seed = rng.word();
    memory::run(parties, 1, &network(), |mut session| {
        let me = session.me().index();
        let values = trial.values(me);
        let function = LabelFunction::default();
        let play = Play { kind, opening, function, ports, parties, values: &values, seed };
        let played = play.play(&mut session);
        trial.check(me, &played.learned, &format!("{kind:?} {seed}"));
        check_costs(&session, &play, &played);
        session.finish().unwrap();
    });
}

/// Others are in [`baselines_agree_with_circuits`].
#[test]
fn kinds_agree_with_the_circuit_on_random_ones() {
    agree_on_random_circuits(Kind::usual());
}

#[test]
#[ignore = "for kinds that are there to be compared with"]
fn baselines_agree_with_circuits() {
    agree_on_random_circuits(Kind::baselines());
    encrypt(Kind::baselines());
}

fn agree_on_random_circuits(kinds: Vec<(Kind, &[usize])>) {
    let mut rng = Rng(test_seed());
    for (kind, numbers) in kinds {
        for parties in numbers {
            for opening in Opening::ALL {
                let gates = 40 + rng.below(110);
                let circuit = random_circuit(&mut rng, *parties, gates);
                check((kind, opening, *parties), &circuit, &mut rng, 12);
            }
        }
    }
}

/// Others are in [`baselines_agree_with_circuits`].
#[test]
fn kinds_encrypt() {
    encrypt(Kind::usual());
}

fn encrypt(kinds: Vec<(Kind, &[usize])>) {
    let mut rng = Rng(test_seed());
    let (direction, key) = (aes::Direction::Encrypt, aes::KeyInput::Key);
    let circuit = aes::circuit(KeySize::Aes128, Sbox::D4, direction, key);
    for (kind, numbers) in kinds {
        check((kind, Opening::Collector, numbers[0]), &circuit, &mut rng, 1);
    }
}

/// With whole words of everything, bytes are those of the published formulas, and of ours.
#[test]
fn costs_are_the_published_formulas() {
    let (width, k, r) = (64, 128, FAN.message_bits());
    for (kind, numbers) in [Kind::usual(), Kind::baselines()].concat() {
        for (n, opening) in numbers.iter().flat_map(|n| Opening::ALL.map(|opening| (*n, opening))) {
            let mut b = Builder::new();
            let all: Vec<Vec<Wire>> = (0..n).map(|_| b.input(width)).collect();
            let pairs = all[0].iter().zip(&all[1]);
            let ands: Vec<Wire> = pairs.map(|(x, y)| b.and2(*x, *y)).collect();
            let more: Vec<Wire> =
                ands.iter().zip(&all[n - 1]).map(|(x, y)| b.and2(*x, *y)).collect();
            b.output(&more);
            let schedule = schedule(&b.finish());
            let inputs: Vec<(RoleId, usize)> = (0..n).map(|role| (role, 64)).collect();
            let outputs = [(0..n).collect()];
            let ports =
                Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
            let (function, values) = (LabelFunction::default(), &[Bits::zeros(0)]);
            let play = Play { kind, opening, function, ports, parties: n, values, seed: 0 };
            let (cost, a, i, own, o) = (play.bytes(), 128, 64 * n, 64, 64);
            for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
                if from == to {
                    continue;
                }
                let table = |m: usize| match opening {
                    Opening::All => 4 * m * k * a,
                    Opening::Collector => 4 * k * a * (usize::from(from < m) + usize::from(to < m)),
                    Opening::Single => {
                        4 * k * a * (usize::from(from < m && to == 0) + usize::from(to < m))
                    }
                };
                let t = n.div_ceil(2) - 1;
                let reduces = from <= 2 * t;
                let ahead = match kind {
                    Kind::Wires => a * 2 * r + own * r + a + o + table(n),
                    // A start, trees of its own, and a tree.
                    Kind::Silent => {
                        let set = Method::SILENT.set;
                        let trees = set.start_blocks() + set.depth();
                        let start = set.start_words() * 64 * r + trees * k;
                        a * 2 + own + a + o + table(n) + start
                    }
                    Kind::Rows(Products::Basic) => a * (r + 2 + 4 * (r + 2 * k)) + o + table(n),
                    Kind::Rows(Products::Reduced) => a * (r + 2 + 3 * (r + 2 * k)) + o + table(n),
                    Kind::Rows(Products::Correlated) => a * (r + 1 + 3 * (r + k)) + o + table(n),
                    Kind::Rows(Products::Offset) => a * (r + 1 + 3 * r) + o + table(n),
                    // Output masks are bits here, and offsets are in the set-up.
                    Kind::Bytes => {
                        8 * (own + a) + if reduces { 8 * a } else { 0 } + o + table(t + 1)
                    }
                    Kind::Blocks(rounds) => {
                        let reduced = match rounds {
                            Rounds::Two => 0,
                            _ if !reduces => 0,
                            Rounds::Three => 1,
                            Rounds::Four => 1 + 4 * n,
                        };
                        k * (a * (1 + 4 * n + reduced) + own + o) + table(n)
                    }
                    Kind::Replicated if to == (from + 2) % 3 => a + table(3),
                    Kind::Replicated => o + table(3),
                };
                let labels = if matches!(kind, Kind::Bytes) && from > t { 0 } else { i * k };
                let labels = match (opening, from, to) {
                    (Opening::Single, 0, _) => o,
                    (Opening::Single, _, 1..) => 0,
                    _ => labels,
                };
                let sent = cost.pre[from][to] + cost.def[from][to];
                assert_eq!(8 * sent, ahead as u64, "{kind:?} {opening:?} {n}: {from} to {to}");
                assert_eq!(8 * cost.on[from][to], (own + labels) as u64, "{kind:?} {n}");
            }
        }
    }
}
