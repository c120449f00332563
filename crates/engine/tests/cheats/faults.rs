//! Protocols against parties that follow them, when messages are lost, cut short, doubled or out of order, or a party is
//! gone from some point on: every run ends, in no panic, and who misses bytes has no result.

use crate::harness::*;
use crate::silence::silent_from;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tacit_engine::circuit::{Garbling, Preprocessing};
use tacit_engine::protocols::*;
use tacit_garbling::bmr::Opening;
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase};
use tacit_sharing::Protocol;

/// Without an honest majority, or garbled.
fn protocols() -> Vec<Protocol> {
    let three = [GMW, GMW_STAR, GMW_WIDE, GMW_OT, BMR, HALF_GATES].map(|it| it.fitting(3));
    let two = [GMW_SILENT, GMW_TRIPLES, BMR_SILENT, BMR_BASIC].map(|it| it.fitting(2));
    let others = [BMR_SHAMIR, BMR_REPLICATED, BMR_SHAMIR_S3, YAO, YAO_SILENT, YAO_THREE];
    [&three[..], &two, &others].concat()
}

/// In all modes that differ in what is sent when.
fn cases(protocol: Protocol) -> Vec<Case> {
    let mut cases = vec![job(protocol, Preprocessing::Separate, 1)];
    if protocol.one_garbles() {
        let mut streamed = job(protocol, Preprocessing::Interleaved, 1);
        streamed.options.garbling = Garbling::Streamed;
        cases.push(streamed);
    }
    if protocol.opens_tables() {
        for opening in [Opening::All, Opening::Single] {
            let mut other = job(protocol, Preprocessing::Separate, 1);
            other.options.opening = Some(opening);
            cases.push(other);
        }
    }
    cases
}

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Lost,
    CutShort,
    Doubled,
    /// It comes after the next one of its class.
    OutOfOrder,
}

impl Fault {
    const ALL: [Fault; 4] = [Fault::Lost, Fault::CutShort, Fault::Doubled, Fault::OutOfOrder];

    /// Message `index` of a class. `missing` is whether its receiver lacks bytes.
    fn at(self, class: Class, index: usize, worker: usize, missing: Arc<AtomicBool>) -> Tamper {
        let (mut seen, mut held) = (0, None::<Vec<u8>>);
        Tamper::new(move |m| {
            if (worker, m.to, m.stream, m.place.phase) != class {
                return Verdict::Keep;
            }
            seen += 1;
            if let Some(held) = held.take() {
                missing.store(false, Ordering::Relaxed);
                return Verdict::Replace([m.bytes, &held].concat());
            }
            if seen != index + 1 {
                return Verdict::Keep;
            }
            missing.store(self != Fault::Doubled && !m.bytes.is_empty(), Ordering::Relaxed);
            match self {
                Fault::Lost => Verdict::Drop,
                Fault::CutShort => Verdict::Truncate(m.bytes.len() / 2),
                Fault::Doubled => Verdict::Repeat,
                Fault::OutOfOrder => {
                    held = Some(m.bytes.to_vec());
                    Verdict::Drop
                }
            }
        })
    }
}

/// One message of every class of these parties goes wrong, in these ways for the class of a number. Says how often
/// somebody lacked bytes.
fn every_class<'f>(
    case: &Case,
    faulty: impl Fn(PartyId) -> bool,
    faults: impl Fn(usize) -> &'f [Fault],
) -> usize {
    let mut lacking = 0;
    for (party, classes) in (0..).map(PartyId).zip(classes(case)).filter(|(at, _)| faulty(*at)) {
        for (number, (class, count)) in classes.into_iter().enumerate() {
            for &fault in faults(number) {
                let missing = Arc::new(AtomicBool::new(false));
                let results = run(case, SHORT, Some(party), |worker| {
                    fault.at(class, count / 2, worker, missing.clone())
                });
                let missing = missing.load(Ordering::Relaxed);
                lacking += usize::from(missing);
                let ended = !missing || results[class.1.index()].is_err();
                assert!(ended, "{}: {party}'s {class:?} {fault:?}: a result", case.protocol());
            }
        }
    }
    lacking
}

/// Parties mostly wait: some protocols at a time.
fn side_by_side(protocols: &[Protocol], check: impl Fn(usize, Protocol) + Sync) {
    const THREADS: usize = 6;
    let check = &check;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let some = protocols.iter().enumerate().skip(thread).step_by(THREADS);
            scope.spawn(move || some.for_each(|(turn, protocol)| check(turn, *protocol)));
        }
    });
}

/// Those that are not there to be compared with; long tests have all.
fn usual() -> Vec<Protocol> {
    protocols().into_iter().filter(|protocol| !protocol.for_comparison()).collect()
}

/// Parties and faults in turn. All of them, and more protocols, are in
/// [`whatever_goes_wrong_on_the_way_ends_runs_of_semi_honest_protocols`].
#[test]
fn what_goes_wrong_on_the_way_ends_runs_of_semi_honest_protocols() {
    side_by_side(&usual(), |turn, protocol| {
        let faulty = PartyId((turn % protocol.parties()) as u8);
        let fault = |number: usize| std::slice::from_ref(&Fault::ALL[(turn + number) % 4]);
        let lacking = every_class(&cases(protocol)[0], |party| party == faulty, fault);
        assert!(lacking > 0, "{protocol}: no byte was missing");
    });
}

#[test]
#[ignore = "minutes: the same of all parties, in all modes"]
fn whatever_goes_wrong_on_the_way_ends_runs_of_semi_honest_protocols() {
    side_by_side(&protocols(), |_, protocol| {
        for case in cases(protocol) {
            assert!(
                every_class(&case, |_| true, |_| &Fault::ALL) > 0,
                "{protocol}: no byte was missing"
            );
        }
    });
}

/// More protocols are in [`a_party_that_is_gone_leaves_nobody_a_result_of_any_semi_honest_protocol`].
#[test]
fn a_party_that_is_gone_leaves_nobody_a_result_of_semi_honest_protocols() {
    parties_are_gone(&usual());
}

#[test]
#[ignore = "half a minute: also protocols that are there to be compared with"]
fn a_party_that_is_gone_leaves_nobody_a_result_of_any_semi_honest_protocol() {
    parties_are_gone(&protocols());
}

fn parties_are_gone(protocols: &[Protocol]) {
    side_by_side(protocols, |_, protocol| {
        for phase in [Phase::Setup, Phase::Offline, Phase::Online] {
            let all = PartyId::all(protocol.parties());
            let gone = all.filter(|gone| silent_from(&cases(protocol)[0], *gone, phase, 1));
            assert!(gone.count() > 0, "{protocol}: nobody was gone from {phase} on");
        }
    });
}
