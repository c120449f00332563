//! The role that works ahead really does, whatever it learns and gives itself; and roles that lag
//! hold nobody up.

use std::time::Duration;
use tacit_circuit::{Builder, Circuit};
use tacit_engine::circuit::{
    Assignment, Blocking, Compiled, Evaluation, Job, Preprocessing, evaluate,
};
use tacit_engine::protocols::{ASTRA, MULTI_FAN_IN, QUAD, QUAD_A, QUAD_HET, TETRAD, TRIO};
use tacit_engine::values::Lanes;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{LinkProfile, PartyId};
use tacit_sharing::Protocol;
use tacit_sharing::balance::Balance;

const AHEAD: [Protocol; 3] = [TRIO, ASTRA, MULTI_FAN_IN];

/// `x AND y`, bit by bit.
fn ands(width: u32) -> Circuit {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(width), builder.input(width));
    let products: Vec<_> = x.iter().zip(&y).map(|(x, y)| builder.and(&[*x, *y])).collect();
    builder.output(&products);
    builder.finish()
}

fn lanes(width: u32, words: usize, salt: u64) -> Lanes {
    let word = |i: u64| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7) ^ salt;
    let bits = (0..width).map(|bit| (0..words).map(move |w| word(u64::from(bit) << 32 | w as u64)));
    Lanes::from_bits(bits.map(Iterator::collect).collect(), words * 64)
}

fn run(circuit: &Circuit, job: &Job, network: &MemoryNetwork) -> Vec<Evaluation> {
    run_among(3, circuit, job, network)
}

fn run_among(
    parties: usize,
    circuit: &Circuit,
    job: &Job,
    network: &MemoryNetwork,
) -> Vec<Evaluation> {
    let words = job.instances / 64;
    let widths = circuit.input_widths();
    let inputs: Vec<Lanes> =
        (0..).zip(widths).map(|(salt, width)| lanes(*width, words, salt)).collect();
    let results = memory::run(parties, job.options.workers, network, |mut session| {
        let compiled = Compiled::new(circuit, job.clone()).unwrap();
        let mine = job.owners.iter().zip(&inputs);
        let values = mine.map(|(owner, l)| (*owner == session.me()).then(|| l.clone())).collect();
        let result = evaluate(&mut session, &compiled, values, &|_| {}).unwrap();
        session.finish().unwrap();
        result
    });
    for (evaluation, party) in results.iter().zip(PartyId::all(parties)) {
        for (port, receivers) in job.receivers.iter().enumerate() {
            let Some(opened) = &evaluation.outputs[port] else {
                assert!(!receivers.contains(&party));
                continue;
            };
            let [x, y] = &inputs[..] else { panic!("two inputs") };
            let factors = x.bits().iter().zip(y.bits());
            let expected = factors.map(|(x, y)| x.iter().zip(y).map(|(x, y)| x & y).collect());
            assert!(*opened == Lanes::from_bits(expected.collect(), job.instances));
        }
        assert_eq!(evaluation.report.cost.rounds, evaluation.report.cost.predicted_rounds);
    }
    results
}

/// Ten groups of one block; the least window makes outputs one group late, the usual one all.
fn ten_groups(protocol: Protocol, owner: PartyId, window_bytes: usize) -> Job {
    let ahead = PartyId(protocol.ahead().unwrap() as u8);
    let mut job = Job::new(protocol, vec![owner; 2], vec![vec![ahead]]);
    job.instances = 10 * 64;
    job.blocking = Blocking { block_words: 1, blocks: 1, window_bytes };
    job
}

#[test]
fn learning_outputs_does_not_hold_the_next_groups_up() {
    let circuit = ands(3);
    let [near, far] = [50, 200].map(Duration::from_millis);
    for (protocol, window_bytes) in AHEAD.into_iter().flat_map(|p| [(p, 0), (p, 1)]) {
        let ahead = protocol.ahead().unwrap();
        let [one, other] = [1, 2].map(|i| PartyId(((ahead + i) % 3) as u8));
        let network = MemoryNetwork::uniform(LinkProfile::delay(far))
            .with_link(one, other, LinkProfile::delay(near))
            .with_link(other, one, LinkProfile::delay(near));
        let job = ten_groups(protocol, one, window_bytes);
        let results = run(&circuit, &job, &network);
        let seconds = results[one.index()].report.cost.online_seconds;
        // The evaluators take two rounds of theirs a group. One after the other, each group would
        // take its outputs' way to the ahead role, and its messages' way back, besides; with
        // outputs one group late, two groups share that.
        let rounds = 10.0 * 2.0 * near.as_secs_f64();
        let ways = 10.0 * 2.0 * far.as_secs_f64();
        let most = if window_bytes == 0 { rounds } else { (rounds + ways) / 2.0 };
        let start = 2.0 * far.as_secs_f64();
        assert!(seconds < most + start, "{protocol} {window_bytes}: {seconds} s");
    }
}

/// `x` and ANDs of it with `y`, level after level.
fn chain(depth: usize) -> Circuit {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(1), builder.input(1));
    let mut wire = x[0];
    for _ in 0..depth {
        wire = builder.and(&[wire, y[0]]);
        wire = builder.xor(wire, y[0]);
        wire = builder.xor(wire, x[0]);
    }
    let last = builder.and(&[wire, y[0]]);
    builder.output(&[last]);
    builder.finish()
}

/// Roles in order, and products by some weights.
fn mix(weights: &str) -> Assignment {
    let weights = weights.split(',').map(|one| {
        let (name, weight) = one.split_once('=').unwrap();
        (name, weight.parse().unwrap())
    });
    let balance = Balance::of(QUAD, weights).unwrap();
    Assignment::in_order(QUAD).balanced(balance)
}

/// Four parties, all links slow but the one between P1 and P2: P0, which deals in some variants and
/// lags in all, and P3 cost the others a few ways, not ways per level or per group.
#[test]
fn roles_with_slow_links_cost_a_few_ways() {
    const DEPTH: usize = 60;
    let circuit = chain(DEPTH - 1);
    let [near, far] = [10, 300].map(Duration::from_millis);
    let network = MemoryNetwork::uniform(LinkProfile::delay(far))
        .with_link(PartyId(1), PartyId(2), LinkProfile::delay(near))
        .with_link(PartyId(2), PartyId(1), LinkProfile::delay(near));
    let mixes = ["a=1,het=1", "a=1,b=2,het=1"].map(mix);
    let alone = [QUAD, QUAD_A, QUAD_HET, TETRAD];
    for assignment in alone.map(Assignment::in_order).into_iter().chain(mixes) {
        let protocol = assignment.protocol;
        for (preprocessing, owner) in [
            (Preprocessing::Interleaved, 1),
            (Preprocessing::Separate, 1),
            // In one pass P0's inputs would wait for what it hears of the group before.
            (Preprocessing::Interleaved, 0),
        ] {
            let mut job =
                Job::new(protocol, vec![PartyId(owner), PartyId(2)], vec![vec![PartyId(1)]]);
            job.instances = 4 * 64;
            job.options.assignments = vec![assignment.clone()];
            job.options.preprocessing = preprocessing;
            job.blocking = Blocking { block_words: 1, blocks: 1, window_bytes: 0 };
            if owner == 0 && [QUAD, TETRAD].contains(&protocol) {
                continue;
            }
            let results = memory::run(4, 1, &network, |mut session| {
                let compiled = Compiled::new(&circuit, job.clone()).unwrap();
                let mine = job.owners.iter().enumerate();
                let mine = mine.map(|(salt, owner)| {
                    (*owner == session.me()).then(|| lanes(1, 4, salt as u64))
                });
                let values = mine.collect();
                let result = evaluate(&mut session, &compiled, values, &|_| {}).unwrap();
                session.finish().unwrap();
                result
            });
            let least = 4.0 * DEPTH as f64 * near.as_secs_f64();
            for result in results {
                // Two comparisons of three rounds, the inputs, P0's way, the output.
                let seconds = result.report.cost.online_seconds - least;
                let ways = seconds / far.as_secs_f64();
                assert!(ways < 12.0, "{assignment} {preprocessing:?} {owner}: {ways} ways");
            }
        }
    }
}

/// The same, with as little sent ahead as there can be: slower, but nobody waits in a circle.
#[test]
fn two_passes_run_with_the_least_lead() {
    let mixes = ["a=1,het=1", "a=1,b=1", "b=3,het=1,a-crossed=1"].map(mix);
    for assignment in [QUAD_A, QUAD_HET].map(Assignment::in_order).into_iter().chain(mixes) {
        let protocol = assignment.protocol;
        for preprocessing in [Preprocessing::Interleaved, Preprocessing::Separate] {
            let everybody: Vec<PartyId> = PartyId::all(4).collect();
            let mut job = Job::new(protocol, vec![PartyId(0), PartyId(3)], vec![everybody]);
            job.options.assignments = vec![assignment.clone()];
            job.instances = 7 * 64;
            job.options.workers = 2;
            job.options.preprocessing = preprocessing;
            job.blocking = Blocking { block_words: 1, blocks: 2, window_bytes: 1 };
            run_among(4, &ands(3), &job, &MemoryNetwork::default());
        }
    }
}

#[test]
fn late_inputs_and_outputs_of_the_ahead_role_go_group_by_group() {
    let circuit = ands(5);
    for (protocol, window_bytes) in AHEAD.into_iter().flat_map(|p| [(p, 0), (p, 1)]) {
        for workers in [1, 2] {
            let ahead = PartyId(protocol.ahead().unwrap() as u8);
            let mut job = ten_groups(protocol, ahead, window_bytes);
            job.options.preprocessing = Preprocessing::Separate;
            job.options.workers = workers;
            job.receivers = vec![PartyId::all(3).collect()];
            run(&circuit, &job, &MemoryNetwork::default());
        }
    }
}
