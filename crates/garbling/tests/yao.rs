//! Yao's protocol: all inputs, bytes, and what either party sees.

mod store;

use store::stored;
use tacit_circuit::schedule::Schedule;
use tacit_circuit::{Builder, passes};
use tacit_garbling::protocols::{YAO, YAO_SILENT, YAO_THREE};
use tacit_garbling::yao::Yao;
use tacit_garbling::yao::three::{ThreeKeys, YaoThree};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports, Terms, garbler};
use tacit_gmw::{Correlations, Delta, silent_bytes_by};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ot::silent::{Chain, Set, Setting};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::cost::Traffic;
use tacit_sharing::{Protocol, SharingError};

const PLACES: [PartyId; 2] = [PartyId(0), PartyId(1)];
const THREE: [PartyId; 3] = [PartyId(0), PartyId(1), PartyId(2)];

/// `not (x and not y) and (x xor z)`, and more: negations and outputs that are inputs.
fn schedule() -> Schedule {
    let mut b = Builder::new();
    let (x, y) = (b.input(2), b.input(1));
    let not = b.not(y[0]);
    let and = b.and2(x[0], not);
    let nand = b.not(and);
    let sum = b.xor(x[0], x[1]);
    let last = b.and2(nand, sum);
    b.output(&[and, last]);
    b.output(&[nand, y[0]]);
    Schedule::new(&passes::lower(&passes::fold(&b.finish()), 2))
}

fn in_the_clear([x0, x1, y]: [bool; 3]) -> [bool; 4] {
    let and = x0 & !y;
    [and, !and & (x0 ^ x1), !and, y]
}

fn party(session: &mut Session, seed: u64, silent: bool) -> Result<Yao<'_>, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let mesh = &mut session.meshes[0];
    let all = Correlations::exchange(mesh, b"session", &PLACES, Delta::Common, &mut entropy)?;
    let mut all = if silent { all.silent(b"session") } else { all };
    Yao::new(mesh, &PLACES, all.worker(), b"session")
}

fn packed(bits: &[bool]) -> Bits {
    let mut packed = Bits::zeros(bits.len());
    bits.iter().enumerate().for_each(|(i, bit)| packed.flip_if(i, *bit));
    packed
}

fn cases() -> Vec<[bool; 3]> {
    (0..8).map(|i| [0, 1, 2].map(|bit| i >> bit & 1 == 1)).collect()
}

/// What eight instances are to send.
fn bytes(protocol: Protocol, ports: Ports<'_>) -> Traffic {
    let mut counter = garbler(protocol).unwrap().counter(&Terms::of(protocol));
    counter.add(ports, 8);
    counter.bytes()
}

#[test]
fn all_inputs_give_what_the_circuit_says_at_the_price_of_the_table() {
    let schedule = schedule();
    // Either party gives the first input; outputs go to one, to both, to the other.
    for (owner, silent) in [(0, false), (1, false), (0, true), (1, true)] {
        let inputs = [(owner, 2), (1 - owner, 1)];
        let outputs = [vec![0], vec![0, 1]];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let seed = test_seed();
        memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let mut party = party(&mut session, seed, silent).unwrap();
            let ready = party.prepare(ports, 8).unwrap();
            let mine = |case: &[bool; 3]| {
                if me == owner { packed(&case[..2]) } else { packed(&case[2..]) }
            };
            let values: Vec<Bits> = cases().iter().map(mine).collect();
            let learned = stored(ready).run(party.mesh(), &PLACES, ports, &values).unwrap();
            drop(party);
            for (case, learned) in cases().into_iter().zip(&learned) {
                let want = in_the_clear(case);
                let want = if me == 0 { &want[..] } else { &want[2..] };
                assert_eq!(learned.len, want.len());
                assert!((0..want.len()).all(|i| learned.get(i) == want[i]), "{case:?}");
            }
            let protocol = if silent { YAO_SILENT } else { YAO };
            let all = bytes(protocol, ports);
            let to = 1 - me;
            let meter = session.meter();
            for (stream, links) in [(Stream::Def, &all.def), (Stream::On, &all.on)] {
                let phases = [Phase::Offline, Phase::Online];
                let sent = phases.map(|p| meter.count(PartyId(to as u8), stream, p).bytes_sent);
                assert_eq!(sent.iter().sum::<u64>(), links[me][to], "{stream:?}");
            }
            session.finish().unwrap();
        });
    }
}

/// More inputs of role 1 than a chain of rounds has transfers: another starts in the midst of them.
#[test]
fn silent_transfers_start_anew_when_a_chain_ends() {
    const INPUTS: usize = 500_000;
    let chain = Chain { set: Set::S16, rounds: 1 };
    assert!(INPUTS > 2 * chain.transfers());
    let mut b = Builder::new();
    let (x, y) = (b.input(1), b.input(INPUTS as u32));
    let first = b.and2(x[0], y[0]);
    let sum = b.xor(first, y[INPUTS - 1]);
    b.output(&[y[INPUTS / 2], sum]);
    let schedule = Schedule::new(&passes::fold(&b.finish()));
    let (inputs, outputs) = ([(0, 1), (1, INPUTS)], [vec![0]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let mut ours = vec![false; INPUTS];
    [0, INPUTS / 2].iter().for_each(|place| ours[*place] = true);
    memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
        let mesh = &mut session.meshes[0];
        let all = Correlations::exchange(mesh, b"session", &PLACES, Delta::Common, &mut entropy);
        let mut all = all.unwrap().silent_by(Setting::new(chain, b"session"));
        let mut party = Yao::new(mesh, &PLACES, all.worker(), b"session").unwrap();
        let ready = party.prepare(ports, 1).unwrap();
        let given = packed(if me == 0 { &[true] } else { &ours });
        let learned = ready.run(party.mesh(), &PLACES, ports, &[given]).unwrap();
        drop(party);
        if me == 0 {
            assert!(learned[0].get(0) && learned[0].get(1));
        }
        let sent = session.meter().count(PartyId(1 - me as u8), Stream::Def, Phase::Offline);
        let [start, trees] = silent_bytes_by(chain, INPUTS);
        let ours = if me == 0 { trees + 2 * 16 } else { start };
        assert_eq!(sent.bytes_sent, ours);
        session.finish().unwrap();
    });
}

/// Role 1's corrections, and the lowest bits of labels that role 0 sends, are fair coins whatever the
/// inputs.
#[test]
fn online_messages_are_uniform() {
    let mut b = Builder::new();
    let (x, y) = (b.input(64), b.input(64));
    let and = b.and2(x[0], y[0]);
    b.output(&[and]);
    let schedule = Schedule::new(&passes::fold(&b.finish()));
    let (inputs, outputs) = ([(0, 64), (1, 64)], [vec![]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    const RUNS: usize = 64;
    for (ones, silent) in [(false, false), (true, false), (false, true), (true, true)] {
        let seed = test_seed();
        let seen = memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            let (sink, sent) = std::sync::mpsc::channel();
            session.meshes[0].set_tamper(Tamper::new(move |message| {
                if message.stream == Stream::On && message.place.phase == Phase::Online {
                    let _ = sink.send(message.bytes.to_vec());
                }
                Verdict::Keep
            }));
            let mut party = party(&mut session, seed, silent).unwrap();
            let ready = party.prepare(ports, RUNS).unwrap();
            let values: Vec<Bits> = (0..RUNS).map(|_| packed(&[ones; 64])).collect();
            stored(ready).run(party.mesh(), &PLACES, ports, &values).unwrap();
            drop(party);
            session.finish().unwrap();
            sent.try_iter().flatten().collect::<Vec<u8>>()
        });
        let labels = seen[0].chunks(16).map(|label| u32::from(label[0] & 1)).collect::<Vec<_>>();
        assert_eq!(labels.len(), 128 * RUNS);
        // 8192 and 4096 fair coins; five standard deviations are 227 and 160.
        let shown: u32 = labels.iter().sum();
        assert!(shown.abs_diff(4096) < 227, "{shown} of 8192");
        let chosen: u32 = seen[1].iter().map(|byte| byte.count_ones()).sum();
        assert!(chosen.abs_diff(2048) < 160, "{chosen} of 4096");
    }
}

fn three(session: &mut Session, seed: u64) -> YaoThree<'_> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], [0, 1, 2].map(PartyId));
    let mut all = ThreeKeys::exchange(mesh, b"session", &places, &mut entropy).unwrap();
    YaoThree::new(mesh, &places, all.worker(), b"session").unwrap()
}

/// Whoever of three gives which input, and learns which output.
#[test]
fn three_parties_learn_what_the_circuit_says_at_the_price_of_the_table() {
    let (schedule, seed) = (schedule(), test_seed());
    for [first, second] in (0..9).map(|i| [i / 3, i % 3]) {
        let (inputs, outputs) = ([(first, 2), (second, 1)], [vec![first], vec![0, 2]]);
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let mut party = three(&mut session, seed);
            let ready = party.prepare(ports, 8).unwrap();
            let mine = |case: &[bool; 3]| {
                let mut bits = Vec::new();
                bits.extend(case[..2].iter().filter(|_| me == first));
                bits.extend(case[2..].iter().filter(|_| me == second));
                packed(&bits)
            };
            let values: Vec<Bits> = cases().iter().map(mine).collect();
            let learned = stored(ready).run(party.mesh(), &THREE, ports, &values).unwrap();
            drop(party);
            for (case, learned) in cases().into_iter().zip(&learned) {
                let all = in_the_clear(case);
                let mut want = Vec::new();
                want.extend(all[..2].iter().filter(|_| me == first));
                want.extend(all[2..].iter().filter(|_| me != 1));
                assert_eq!(learned.len, want.len());
                assert!((0..want.len()).all(|i| learned.get(i) == want[i]), "{case:?}");
            }
            let (all, meter) = (bytes(YAO_THREE, ports), session.meter());
            for to in (0..3).filter(|to| *to != me) {
                for (stream, links) in [(Stream::Def, &all.def), (Stream::On, &all.on)] {
                    let phases = [Phase::Offline, Phase::Online];
                    let sent = |phase| meter.count(PartyId(to as u8), stream, phase).bytes_sent;
                    assert_eq!(phases.map(sent).iter().sum::<u64>(), links[me][to]);
                }
            }
            session.finish().unwrap();
        });
    }
}

/// What role 0 is sent of role 2's bits are fair coins, whatever the bits.
#[test]
fn shares_that_a_garbler_sees_are_uniform() {
    let mut b = Builder::new();
    let (x, y) = (b.input(64), b.input(64));
    let and = b.and2(x[0], y[0]);
    b.output(&[and]);
    let schedule = Schedule::new(&passes::lower(&passes::fold(&b.finish()), 2));
    let (inputs, outputs) = ([(2, 64), (1, 64)], [vec![2]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    const RUNS: usize = 64;
    for ones in [false, true] {
        let seen = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let (sink, sent) = std::sync::mpsc::channel();
            session.meshes[0].set_tamper(Tamper::new(move |message| {
                let online = message.stream == Stream::On && message.place.phase == Phase::Online;
                if online && message.bytes.len() == 8 {
                    let _ = sink.send(message.bytes.to_vec());
                }
                Verdict::Keep
            }));
            let me = session.me().index();
            let mut party = three(&mut session, test_seed());
            let ready = party.prepare(ports, RUNS).unwrap();
            let bits = if me == 0 { Vec::new() } else { vec![ones; 64] };
            let values: Vec<Bits> = (0..RUNS).map(|_| packed(&bits)).collect();
            stored(ready).run(party.mesh(), &THREE, ports, &values).unwrap();
            drop(party);
            session.finish().unwrap();
            sent.try_iter().flatten().map(|byte| byte.count_ones()).sum::<u32>()
        });
        // 4096 fair coins; five standard deviations are 160.
        assert!(seen[2].abs_diff(2048) < 160, "{} of 4096", seen[2]);
    }
}

/// Messages among three that are changed on their way end the session or change results: no panic, no hang.
#[test]
fn changed_messages_among_three_end_the_session_or_change_results() {
    let (schedule, seed) = (schedule(), test_seed());
    let (inputs, outputs) = ([(0, 2), (2, 1)], [vec![0, 2], vec![1, 2]]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let case = [true, false, true];
    let mut wrong = 0;
    for (index, cheat) in (1..8).flat_map(|index| [0, 1, 2].map(|cheat| (index, cheat))) {
        let results = memory::run(3, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            if me == cheat {
                session.meshes[0].set_tamper(Tamper::flip(index, 64 * index as usize + 1));
            }
            let mut party = three(&mut session, seed);
            let ready = party.prepare(ports, 1)?;
            let mine = match me {
                0 => packed(&case[..2]),
                2 => packed(&case[2..]),
                _ => packed(&[]),
            };
            let learned = ready.run(party.mesh(), &THREE, ports, &[mine])?;
            drop(party);
            session.finish()?;
            let all = in_the_clear(case);
            let want = match me {
                0 => all[..2].to_vec(),
                1 => all[2..].to_vec(),
                _ => all.to_vec(),
            };
            Ok::<bool, SharingError>((0..want.len()).all(|i| learned[0].get(i) == want[i]))
        });
        wrong += u32::from(results.iter().any(|result| !matches!(result, Ok(true))));
    }
    assert!(wrong > 0, "no change ever mattered");
}
