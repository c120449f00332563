//! Half gates of many garblers: results, bytes and rounds of random circuits, costs as published, and what messages show.

mod common;
mod parties;

use common::{circuit, given, in_the_clear, places, schedule};
use parties::{bits, garbler_of, network, party, random_circuit, run, sent, stored};
use std::time::Duration;
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
    let widths = circuit.input_widths().to_vec();
    let inputs: Vec<(RoleId, usize)> =
        widths.iter().map(|width| (rng.below(parties), *width as usize)).collect();
    let receivers = |rng: &mut Rng| (0..parties).filter(|_| rng.below(2) == 0).collect();
    let outputs: Vec<Vec<RoleId>> =
        (0..circuit.output_ports().len()).map(|_| receivers(rng)).collect();
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let given: Vec<Vec<Vec<bool>>> = (0..instances)
        .map(|_| {
            inputs.iter().map(|(_, w)| (0..*w).map(|_| rng.word() & 1 == 1).collect()).collect()
        })
        .collect();
    let want: Vec<Vec<Vec<bool>>> = given.iter().map(|given| circuit.eval(given)).collect();
    let seed = rng.word();
    memory::run(parties, 1, &network(), |mut session| {
        let me = session.me().index();
        let mine = |given: &Vec<Vec<bool>>| {
            let ports = given.iter().zip(&inputs).filter(|(_, (owner, _))| *owner == me);
            bits(ports.flat_map(|(bits, _)| bits.iter().copied()).collect())
        };
        let values: Vec<Bits> = given.iter().map(mine).collect();
        let learned = play(&mut session, parties, ports, (&values, seed));
        for (learned, want) in learned.iter().zip(&want) {
            let ports = want.iter().zip(&outputs).filter(|(_, to)| to.contains(&me));
            let want = bits(ports.flat_map(|(bits, _)| bits.iter().copied()).collect());
            assert_eq!((learned.len, &learned.words), (want.len, &want.words), "{me}, {seed}");
        }
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
