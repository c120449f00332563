//! Half gates of many garblers: results, bytes and rounds of random circuits, costs as published, and what messages show.

mod common;
mod parties;

use common::{circuit, given, in_the_clear, places, schedule};
use parties::{Trial, bits, garbler_of, network, party, random_circuit, run, sent, stored};
use std::time::Duration;
use tacit_circuit::library::{aes, sha256};
use tacit_circuit::{Builder, Circuit};
use tacit_garbling::protocols::{HALF_GATES, YAO};
use tacit_garbling::{Bits, Ports, Terms};
use tacit_net::Session;
use tacit_net::memory;
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::RoleId;
use tacit_sharing::cost::Traffic;

/// What they are to send.
fn bytes(parties: usize, ports: Ports<'_>, instances: usize) -> Traffic {
    let protocol = HALF_GATES.fitting(parties);
    let mut counter = garbler_of(protocol).counter(&Terms::of(protocol));
    counter.add(ports, instances);
    counter.bytes()
}

/// What this party learns of some instances, which are stored between both phases; it sends what the counter says, and waits
/// as often as it should.
fn play(
    session: &mut Session,
    parties: usize,
    ports: Ports<'_>,
    (values, seed): (&[Bits], u64),
) -> Vec<Bits> {
    let (protocol, me) = (HALF_GATES.fitting(parties), session.me().index());
    let mut party = party(session, (protocol, Terms::of(protocol)), seed).unwrap();
    let start = party.mesh().now();
    let ready = stored(protocol, party.prepare(ports, values.len()).unwrap());
    let prepared = party.mesh().now();
    let learned = run(ready, party.mesh(), &places(parties), (ports, values)).unwrap();
    let done = party.mesh().now();
    drop(party);
    let (meter, all) = (session.meter(), bytes(parties, ports, values.len()));
    for to in (0..parties).filter(|to| *to != me) {
        let want = [all.pre[me][to], all.def[me][to], all.on[me][to]];
        assert_eq!(sent(&meter, to), want, "{me} to {to} of {parties}");
    }
    let terms = Terms::of(protocol);
    assert_eq!(meter.rounds(), garbler_of(protocol).rounds(&terms, ports, me), "{me} of {parties}");
    // Masks, cross terms, products, blocks for columns, columns; public values, labels, results.
    let ahead = if parties > 2 { 5 } else { 1 };
    assert!(prepared - start <= Duration::from_secs(ahead), "{me} of {parties}");
    assert!(done - start <= Duration::from_secs(ahead + 3), "{me} of {parties}");
    learned
}

/// Every party learns what the circuit says, whoever gives and whoever learns.
fn check(parties: usize, circuit: &Circuit, rng: &mut Rng, instances: usize) {
    let schedule = schedule(circuit);
    let owners = circuit.input_widths().iter().map(|_| rng.below(parties)).collect();
    let receivers = |rng: &mut Rng| (0..parties).filter(|_| rng.below(2) == 0).collect();
    let outputs = (0..circuit.output_ports().len()).map(|_| receivers(rng)).collect();
    let trial = Trial::new(circuit, (owners, outputs), instances, rng);
    let (inputs, outputs) = (&trial.inputs, &trial.outputs);
    let ports = Ports { schedule: &schedule, inputs, outputs, guards: 0 };
    let seed = rng.word();
    memory::run(parties, 1, &network(), |mut session| {
        let me = session.me().index();
        let learned = play(&mut session, parties, ports, (&trial.values(me), seed));
        trial.check(me, &learned, &format!("seed {seed}"));
        session.finish().unwrap();
    });
}

#[test]
fn random_circuits_give_what_they_say_at_the_cost_that_is_said() {
    let mut rng = Rng(test_seed());
    for parties in [2, 3, 4, 5, 8] {
        for instances in [1, 3, 9] {
            let gates = 40 + rng.below(110);
            let circuit = random_circuit(&mut rng, parties, gates);
            check(parties, &circuit, &mut rng, instances);
        }
    }
}

#[test]
fn it_encrypts_and_hashes() {
    let mut rng = Rng(test_seed());
    let (direction, key) = (aes::Direction::Encrypt, aes::KeyInput::Key);
    let circuit = aes::circuit(aes::KeySize::Aes128, aes::Sbox::D4, direction, key);
    for parties in [2, 3] {
        check(parties, &circuit, &mut rng, 1);
    }
    check(3, &sha256::circuit(sha256::Additions::Ripple), &mut rng, 1);
}

/// All sixteen values of inputs of the first and the last party, with negated inputs, and outputs that are inputs.
#[test]
fn all_inputs_give_what_the_circuit_says() {
    let schedule = schedule(&circuit());
    let all: Vec<[bool; 4]> = (0..16).map(|i| [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1)).collect();
    for parties in [2, 3, 5] {
        let (last, seed) = (parties - 1, test_seed());
        let (inputs, outputs) = ([(0, 2), (last, 2)], [vec![0, last], vec![last]]);
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        memory::run(parties, 1, &network(), |mut session| {
            let me = session.me().index();
            let values: Vec<Bits> = all.iter().map(|v| given(me, parties, *v)).collect();
            let learned = play(&mut session, parties, ports, (&values, seed));
            for (values, learned) in all.iter().zip(&learned) {
                let want = in_the_clear(*values);
                let mine: &[bool] = match me {
                    _ if me == last => &want,
                    0 => &want[..3],
                    _ => &[],
                };
                assert_eq!(learned.len, mine.len());
                assert!((0..mine.len()).all(|i| learned.get(i) == mine[i]), "{parties} {values:?}");
            }
            session.finish().unwrap();
        });
    }
}

/// An AND of any two wires of two parties, of a wire with itself and with its negation, to every set of receivers.
#[test]
fn every_set_of_parties_may_learn_an_output() {
    let mut b = Builder::new();
    let (x, y) = (b.input(1)[0], b.input(1)[0]);
    let (not, and, square) = (b.not(x), b.and2(x, y), b.and2(x, x));
    let (nothing, again) = (b.and2(x, not), b.and2(x, y));
    let sum = b.xor(x, y);
    b.output(&[and, square, nothing, again, sum, sum, y]);
    // As it was drawn: folding would leave one AND.
    let schedule = tacit_circuit::schedule::Schedule::new(&b.finish());
    for (owners, set) in
        [[0, 1], [1, 2], [2, 2]].into_iter().flat_map(|o| (1..8).map(move |s| (o, s)))
    {
        let inputs = owners.map(|owner| (owner, 1));
        let outputs = [(0..3).filter(|role| set >> role & 1 == 1).collect::<Vec<RoleId>>()];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let seed = test_seed();
        memory::run(3, 1, &network(), |mut session| {
            let me = session.me().index();
            let mine = |case: usize| {
                let given = (0..2).filter(|i| owners[*i] == me).map(|i| case >> i & 1 == 1);
                bits(given.collect())
            };
            let values: Vec<Bits> = (0..4).map(mine).collect();
            let learned = play(&mut session, 3, ports, (&values, seed));
            for (case, learned) in learned.iter().enumerate() {
                let [x, y] = [0, 1].map(|bit| case >> bit & 1 == 1);
                let want = vec![x & y, x, false, x & y, x ^ y, x ^ y, y];
                let want = bits(if outputs[0].contains(&me) { want } else { vec![] });
                assert_eq!(learned.words, want.words, "{me}, {owners:?} to {outputs:?}");
            }
            session.finish().unwrap();
        });
    }
}

/// With whole words of everything, bits are those of the specification, on every link.
#[test]
fn costs_are_the_formulas_of_the_specification() {
    let per_and = [(2, 256), (3, 1_666), (4, 3_846), (5, 6_924), (8, 21_546), (16, 100_050)];
    for (n, all) in per_and.into_iter().chain([(33, 457_696)]) {
        let protocol = HALF_GATES.fitting(n);
        let bits = garbler_of(protocol).and_bits(&Terms::of(protocol));
        assert_eq!(bits.def.iter().flatten().sum::<u64>(), all, "{n}");
        let mut b = Builder::new();
        let inputs: Vec<(RoleId, usize)> = (0..n).map(|role| (role, 64 * (1 + role % 2))).collect();
        let wires: Vec<_> = inputs.iter().map(|(_, width)| b.input(*width as u32)).collect();
        let ands: Vec<_> = (0..64).map(|i| b.and2(wires[0][i], wires[1][i])).collect();
        let more: Vec<_> = (0..64).map(|i| b.and2(ands[i], wires[n - 1][i])).collect();
        b.output(&ands);
        b.output(&more);
        let schedule = schedule(&b.finish());
        let outputs = [(0..n).collect(), vec![n - 1]];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let (cost, ands) = (bytes(n, ports, 3), ports.ands() as u64);
        let given = |role: RoleId| inputs[role].1 as u64;
        let sum: u64 = (0..n).map(given).sum();
        let learned = |role| if role == n - 1 { 128 } else { 64 };
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))) {
            let [ahead, online] = match (from, to) {
                _ if from == to => [0, 0],
                (0, _) => [32 * given(0), given(0) + learned(to)],
                (_, 0) => [learned(0) + if n == 2 { 256 } else { 384 } * ands, 128 * sum],
                _ => [(65 + 384) * ands + 32 * given(from) + learned(to), given(from)],
            };
            let sent = cost.pre[from][to] + cost.def[from][to];
            assert_eq!(
                [8 * sent, 8 * cost.on[from][to]],
                [3 * ahead, 3 * online],
                "{n}: {from} to {to}"
            );
        }
    }
}

/// Between two parties it sends what Yao's protocol does, which has its roles the other way round.
#[test]
fn between_two_parties_it_sends_what_yao_does() {
    let mut rng = Rng(test_seed());
    for _ in 0..20 {
        let gates = 40 + rng.below(110);
        let schedule = schedule(&random_circuit(&mut rng, 2, gates));
        let owners = [(); 2].map(|()| rng.below(2));
        let receivers = [(); 2].map(|()| rng.below(4));
        let costs = [HALF_GATES.fitting(2), YAO].map(|protocol| {
            let role = |role: RoleId| if protocol.is(YAO) { 1 - role } else { role };
            let inputs = owners.map(|owner| (role(owner), 3));
            let learn = |set: usize| (0..2).filter(|it| set >> it & 1 == 1).map(role).collect();
            let outputs = receivers.map(learn);
            let ports =
                Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
            let mut counter = garbler_of(protocol).counter(&Terms::of(protocol));
            counter.add(ports, 3);
            let sum = counter.bytes();
            [[0, 1], [1, 0]].map(|[from, to]| {
                let [from, to] = [role(from), role(to)];
                [sum.pre[from][to] + sum.def[from][to], sum.on[from][to]]
            })
        });
        assert_eq!(costs[0], costs[1]);
    }
}
