//! BMR: results and bytes of every input, what peers see, and peers that deviate.

mod common;
mod kinds;
mod parties;

use common::{circuit, given, in_the_clear, places, schedule};
use kinds::{Kind, Play, check_costs, network, run};
use std::ops::Range;
use tacit_circuit::Builder;
use tacit_garbling::bmr::{LabelFunction, Opening};
use tacit_garbling::protocols::{BMR, BMR_SHAMIR, BMR_SILENT, HALF_GATES};
use tacit_garbling::{AnyWorker, Bits, Ports, Terms};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{NetError, Phase, Session, Stream};
use tacit_ring::entropy::{Rng, test_seed};
use tacit_sharing::{Protocol, SharingError};

fn party(
    session: &mut Session,
    protocol: Protocol,
    seed: u64,
) -> Result<Box<dyn AnyWorker<'_> + '_>, SharingError> {
    kinds::party(session, (protocol, Terms::of(protocol)), seed)
}

/// Of kinds that are there to be compared with, one opening each; all are in [`all_inputs_of_baselines_give_the_same`].
#[test]
fn all_inputs_give_what_the_circuit_says_at_the_price_of_the_table() {
    all_inputs(Kind::usual());
    for (kind, parties) in Kind::baselines() {
        check_all(kind, Opening::Collector, LabelFunction::default(), parties[0]);
    }
}

#[test]
#[ignore = "for kinds that are there to be compared with"]
fn all_inputs_of_baselines_give_the_same() {
    all_inputs(Kind::baselines());
    all_functions_of_labels(Kind::baselines());
}

fn all_inputs(kinds: Vec<(Kind, &[usize])>) {
    for (kind, parties) in kinds {
        for opening in Opening::ALL {
            parties
                .iter()
                .for_each(|parties| check_all(kind, opening, LabelFunction::default(), *parties));
        }
    }
}

/// Others are in [`all_inputs_of_baselines_give_the_same`].
#[test]
fn all_functions_of_labels_hide_rows_of_every_kind() {
    all_functions_of_labels(Kind::usual());
}

fn all_functions_of_labels(kinds: Vec<(Kind, &[usize])>) {
    for (kind, parties) in kinds {
        for function in LabelFunction::ALL {
            check_all(kind, Opening::Collector, function, parties[0]);
        }
    }
}

fn check_all(kind: Kind, opening: Opening, function: LabelFunction, parties: usize) {
    let circuit = circuit();
    let schedule = schedule(&circuit);
    let inputs = [(0, 2), (parties - 1, 2)];
    let outputs = [vec![0, parties - 1], vec![parties - 1]];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let all: Vec<[bool; 4]> = (0..16).map(|i| [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1)).collect();
    let seed = test_seed();
    memory::run(parties, 1, &network(), |mut session| {
        let me = session.me().index();
        let values: Vec<Bits> = all.iter().map(|v| given(me, parties, *v)).collect();
        let play = Play { kind, opening, function, ports, parties, values: &values, seed };
        let played = play.play(&mut session);
        for (values, learned) in all.iter().zip(&played.learned) {
            let want = in_the_clear(*values);
            let mine: &[bool] = match me {
                _ if me == parties - 1 => &want,
                0 => &want[..3],
                _ => &[],
            };
            assert_eq!(learned.len, mine.len());
            assert!((0..mine.len()).all(|i| learned.get(i) == mine[i]), "{kind:?} {values:?}");
        }
        check_costs(&session, &play, &played);
        session.finish().unwrap();
    });
}

/// A product in the field of bytes in shares.
fn times(a: u8, b: u8) -> u8 {
    (0..8).rev().fold(0, |sum: u8, i| {
        let carry = if sum >> 7 == 1 { 0x1b } else { 0 };
        (sum << 1) ^ carry ^ if b >> i & 1 == 1 { a } else { 0 }
    })
}

/// Without shares of zero, every block of a part would be a share of an offset times some byte.
#[test]
fn parts_of_rows_are_no_multiples_of_each_other() {
    let circuit = circuit();
    let schedule = schedule(&circuit);
    let (inputs, outputs) = ([(0, 2), (2, 2)], [vec![0], vec![1]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let parts = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
        let (sink, sent) = std::sync::mpsc::channel();
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            if message.stream == Stream::Def && message.bytes.len() == 3 * 4 * 16 {
                let _ = sink.send(message.bytes.to_vec());
            }
            Verdict::Keep
        }));
        let mut party = party(&mut session, BMR_SHAMIR.fitting(3), seed).unwrap();
        party.prepare(ports, 5).unwrap();
        drop(party);
        session.finish().unwrap();
        sent.try_iter().collect::<Vec<Vec<u8>>>()
    });
    // Role 2 has no labels that would hide its parts.
    let blocks: Vec<&[u8]> = parts[2].iter().flat_map(|part| part.chunks(16)).collect();
    assert_eq!(blocks.len(), 5 * 2 * 3 * 4, "instances, keepers, gates, rows");
    let least = |block: &&[u8]| {
        let multiple = |by| block.iter().map(|byte| times(*byte, by)).collect::<Vec<u8>>();
        (1..=255).map(multiple).min().unwrap()
    };
    let mut classes: Vec<Vec<u8>> = blocks.iter().map(least).collect();
    classes.sort_unstable();
    classes.dedup();
    assert_eq!(classes.len(), blocks.len());
}

/// Public values of inputs are fair coins, whatever the inputs.
#[test]
fn public_values_of_inputs_are_uniform() {
    are_uniform(BMR.fitting(2));
    // The evaluator's bits plus its choices, and a garbler's public values.
    are_uniform(HALF_GATES.fitting(3));
}

fn are_uniform(protocol: Protocol) {
    let mut b = Builder::new();
    let (x, y) = (b.input(64), b.input(64));
    let and = b.and2(x[0], y[0]);
    b.output(&[and]);
    let schedule = schedule(&b.finish());
    let (inputs, outputs) = ([(0, 64), (1, 64)], [vec![0]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    const RUNS: usize = 64;
    let seed = test_seed();
    for ones in [false, true] {
        let parties = protocol.parties();
        let mut seen = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            let (me, (sink, sent)) = (session.me().index(), std::sync::mpsc::channel());
            session.meshes[0].set_tamper(Tamper::new(move |message| {
                let online = message.stream == Stream::On && message.place.phase == Phase::Online;
                if online && message.bytes.len() == 8 {
                    let _ = sink.send(message.bytes.to_vec());
                }
                Verdict::Keep
            }));
            let mut party = party(&mut session, protocol, seed).unwrap();
            let ready = party.prepare(ports, RUNS).unwrap();
            let value = || {
                let mut bits = Bits::zeros(64);
                (0..64).for_each(|i| bits.flip_if(i, ones));
                bits
            };
            let values: Vec<Bits> =
                (0..RUNS).map(|_| if me < 2 { value() } else { Bits::zeros(0) }).collect();
            run(ready, party.mesh(), &places(parties), (ports, &values)).unwrap();
            drop(party);
            session.finish().unwrap();
            // To several the same.
            let mut sent: Vec<Vec<u8>> = sent.try_iter().collect();
            sent.sort_unstable();
            sent.dedup();
            sent.iter().flatten().map(|byte| byte.count_ones()).sum::<u32>()
        });
        seen.truncate(2);
        for count in seen {
            // 4096 fair coins; five standard deviations are 160.
            assert!(count.abs_diff(2048) < 160, "{count} of 4096");
        }
    }
}

/// Messages that are changed on their way do no worse than end the session or change results: no
/// panic, no hang. Some are noticed, because the labels of a wire no longer agree.
#[test]
fn changed_messages_end_the_session_or_change_results() {
    let circuit = circuit();
    let schedule = schedule(&circuit);
    let (inputs, outputs) = ([(0, 2), (1, 2)], [vec![0, 1], vec![1]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let mut rng = Rng(test_seed());
    let mut found = 0;
    for index in (3..12).cycle().take(45) {
        let (seed, bit) = (rng.word(), rng.below(1 << 16));
        let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            if me == 0 {
                session.meshes[0].set_tamper(Tamper::flip(index, bit));
            }
            let mut party = party(&mut session, BMR.fitting(2), seed)?;
            let ready = party.prepare(ports, 1)?;
            ready.run(
                party.mesh(),
                &places(2),
                ports,
                &[given(me, 2, [true, false, true, true])],
            )?;
            drop(party);
            session.finish()?;
            Ok::<(), SharingError>(())
        });
        let check = |result: &Result<(), SharingError>| matches!(result, Err(SharingError::Net(NetError::Check(what))) if what.contains("agree"));
        found += u32::from(results.iter().any(check));
    }
    assert!(found > 0, "no change was ever noticed");
}

/// The same of what silent transfers start from, of trees, and of all that is made of them.
#[test]
fn changed_messages_of_silent_transfers_end_the_session_or_change_results() {
    let schedule = schedule(&circuit());
    let (inputs, outputs) = ([(0, 2), (1, 2)], [vec![0, 1], vec![1]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let mut rng = Rng(test_seed());
    let mut wrong = 0;
    for index in (3..13).cycle().take(60) {
        let (seed, bit) = (rng.word(), rng.below(1 << 16));
        let results = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            if me == 0 {
                session.meshes[0].set_tamper(Tamper::flip(index, bit));
            }
            let mut party = party(&mut session, BMR_SILENT.fitting(2), seed)?;
            let ready = party.prepare(ports, 1)?;
            let case = [true, false, true, true];
            let values = [given(me, 2, case)];
            let learned = run(ready, party.mesh(), &places(2), (ports, &values))?;
            drop(party);
            session.finish()?;
            let all = in_the_clear(case);
            let want = if me == 0 { &all[..3] } else { &all[..] };
            Ok::<bool, SharingError>((0..want.len()).all(|i| learned[0].get(i) == want[i]))
        });
        wrong += u32::from(results.iter().any(|result| !matches!(result, Ok(true))));
    }
    assert!(wrong > 0, "no change ever mattered");
}

/// The same over Shamir's sharing, whoever changes them.
#[test]
fn changed_messages_of_a_majority_end_the_session_or_change_results() {
    change_messages(BMR_SHAMIR.fitting(3), 4..14);
}

/// The same where one party evaluates half gates of the others.
#[test]
fn changed_messages_of_half_gates_end_the_session_or_change_results() {
    change_messages(HALF_GATES.fitting(3), 4..14);
}

/// Changes messages of each of three parties, by their numbers.
fn change_messages(protocol: Protocol, indices: Range<u64>) {
    let schedule = schedule(&circuit());
    let (inputs, outputs) = ([(0, 2), (2, 2)], [vec![0, 1], vec![1, 2]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let mut rng = Rng(test_seed());
    let mut wrong = 0;
    let each: Vec<_> = indices.flat_map(|index| [0, 1, 2].map(|cheat| (index, cheat))).collect();
    // Many bits do not matter: again with others, if none of the first did.
    for (tried, &(index, cheat)) in each.iter().cycle().take(10 * each.len()).enumerate() {
        if wrong > 0 && tried >= each.len() {
            break;
        }
        let (seed, bit) = (rng.word(), rng.below(1 << 16));
        let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            if me == cheat {
                session.meshes[0].set_tamper(Tamper::flip(index, bit));
            }
            let mut party = party(&mut session, protocol, seed)?;
            let ready = party.prepare(ports, 1)?;
            let case = [true, false, true, true];
            let values = [given(me, 3, case)];
            let learned = run(ready, party.mesh(), &places(3), (ports, &values))?;
            drop(party);
            session.finish()?;
            let all = in_the_clear(case);
            let want = [&all[..3], &all[..], &all[3..]][me];
            Ok::<bool, SharingError>((0..want.len()).all(|i| learned[0].get(i) == want[i]))
        });
        wrong += u32::from(results.iter().any(|result| !matches!(result, Ok(true))));
    }
    assert!(wrong > 0, "no change ever mattered");
}

/// No two instances, rows or columns are hidden by the same blocks.
#[test]
fn instances_have_tables_of_their_own() {
    let circuit = circuit();
    let schedule = schedule(&circuit);
    let (inputs, outputs) = ([(0, 2), (1, 2)], [vec![0], vec![1]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let columns = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let (sink, sent) = std::sync::mpsc::channel();
        session.meshes[0].set_tamper(Tamper::new(move |message| {
            if message.stream == Stream::Def && message.bytes.len() == 3 * 4 * 16 {
                let _ = sink.send(message.bytes.to_vec());
            }
            Verdict::Keep
        }));
        let mut party = party(&mut session, BMR.fitting(2), seed).unwrap();
        party.prepare(ports, 3).unwrap();
        drop(party);
        session.finish().unwrap();
        sent.try_iter().collect::<Vec<Vec<u8>>>()
    });
    for sent in columns {
        let mut blocks: Vec<&[u8]> = sent.iter().flat_map(|message| message.chunks(16)).collect();
        let all = blocks.len();
        assert_eq!(all, 3 * 2 * 4 * 3, "instances, messages, rows, gates");
        blocks.sort_unstable();
        blocks.dedup();
        assert_eq!(blocks.len(), all);
    }
}
