//! A party that leaves messages out, sends them twice, or is gone from some point on; and what honest
//! parties do not send.

use crate::harness::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tacit_engine::circuit::Preprocessing;
use tacit_engine::protocols::AUTHENTICATED;
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase};
use tacit_sharing::Protocol;

fn interleaved(protocols: &[Protocol]) -> impl Iterator<Item = Case> {
    protocols.iter().map(|protocol| job(*protocol, Preprocessing::Interleaved, 1))
}

/// Of each family of protocols that check, one; all are in [`all_of_this_under_every_protocol_that_checks`].
fn some() -> Vec<Protocol> {
    of_each_family().collect()
}

#[test]
#[ignore = "minutes: all protocols that check"]
fn all_of_this_under_every_protocol_that_checks() {
    let all: Vec<Protocol> = checked().collect();
    messages_left_out(&all);
    messages_sent_twice(&all);
    parties_fall_silent(&all);
    openings_after_cheats(&all);
    threads_timed_otherwise(&all);
}

/// Under authenticated garbling what is not looked at may be missing: results are right, or none.
fn garbled() -> impl Iterator<Item = Case> {
    let protocols = [2, 3].map(|n| AUTHENTICATED.fitting(n)).into_iter();
    protocols.map(|protocol| job(protocol, Preprocessing::Interleaved, 1))
}

/// As [`each_cheat`], of the message in the middle of each class.
fn each_class(
    job: &Case,
    deadline: Duration,
    what: fn(&[u8]) -> Verdict,
    check: impl Fn(&str, PartyId, &Results),
) {
    for (cheat, classes) in (0..).map(PartyId).zip(classes(job)) {
        for (class, count) in classes {
            let tamper = |worker| cheat_at(class, count / 2, worker, what);
            let results = run(job, deadline, Some(cheat), tamper);
            check(&format!("{}: {cheat} in {class:?}", job.protocol()), cheat, &results);
        }
    }
}

#[test]
fn a_message_left_out_leaves_nobody_honest_a_result() {
    messages_left_out(&some());
}

fn messages_left_out(protocols: &[Protocol]) {
    for job in interleaved(protocols) {
        each_class(&job, SHORT, |_| Verdict::Drop, nobody_honest_has_a_result);
    }
}

/// Where nothing follows it, it is not even read.
#[test]
fn a_message_sent_twice_leaves_nobody_honest_a_wrong_result() {
    messages_sent_twice(&some());
}

fn messages_sent_twice(protocols: &[Protocol]) {
    for job in interleaved(protocols).chain(garbled()) {
        each_class(&job, SHORT, |_| Verdict::Repeat, right_or_none);
    }
}

#[test]
fn under_authenticated_garbling_what_is_left_out_or_cut_short_leaves_no_wrong_result() {
    for job in garbled() {
        each_class(&job, SHORT, |_| Verdict::Drop, right_or_none);
        each_class(&job, SHORT, |bytes| Verdict::Truncate(bytes.len() / 2), right_or_none);
        each_class(&job, LONG, flip_first, right_or_none);
        each_class(&job, LONG, flip_last, right_or_none);
    }
}

/// Each party says nothing more from its first message of a phase on: between the checks and the
/// opening, and between the opening and its checks, too.
#[test]
fn a_party_that_falls_silent_in_any_phase_leaves_nobody_a_result() {
    parties_fall_silent(&some());
}

fn parties_fall_silent(protocols: &[Protocol]) {
    for job in interleaved(protocols) {
        for silent in PartyId::all(job.protocol().parties()) {
            let begins = [Phase::Online, Phase::Verify, Phase::Open];
            let begins = begins.into_iter().flat_map(|phase| [(phase, 1), (phase, 2)]);
            let phases = begins.filter(|(phase, times)| silent_from(&job, silent, *phase, *times));
            assert!(phases.count() > 0, "{}: {silent} was never silent", job.protocol());
        }
    }
}

/// From the first message of a phase on that begins for so many times; not every phase does. Says whether it did.
pub fn silent_from(job: &Case, silent: PartyId, phase: Phase, times: u32) -> bool {
    let label = format!("{}: {silent} from {phase} on, {times}", job.protocol());
    let fell_silent = Arc::new(AtomicBool::new(false));
    // Silent transfers take a while to begin, and nobody is to give up before they have.
    let mut patience = if job.protocol().is_silent() { 8 * SHORT } else { SHORT };
    loop {
        let results = run(job, patience, Some(silent), |_| {
            let fell_silent = fell_silent.clone();
            let (mut begun, mut before) = (0, None);
            Tamper::new(move |message| {
                let now = message.place.phase;
                begun += u32::from(now == phase && before != Some(phase));
                before = Some(now);
                if begun < times {
                    return Verdict::Keep;
                }
                fell_silent.store(true, Ordering::Relaxed);
                Verdict::Drop
            })
        });
        if fell_silent.load(Ordering::Relaxed) {
            nobody_honest_has_a_result(&label, silent, &results);
            return true;
        }
        // Nothing was left out: results came, or this machine was too busy for them to come in time.
        right_or_none(&label, silent, &results);
        if results.iter().all(Result::is_ok) || patience > LONG {
            return false;
        }
        patience *= 4;
    }
}

/// Nobody honest opens anything after a cheat in what was computed.
#[test]
fn honest_parties_send_no_opening_after_a_cheat() {
    openings_after_cheats(&some());
}

fn openings_after_cheats(protocols: &[Protocol]) {
    for job in interleaved(protocols) {
        let all = classes(&job);
        let opens = |(.., phase): &Class| *phase == Phase::Open;
        assert!(all.iter().any(|sent| sent.keys().any(opens)), "honest runs open results");
        for (party, classes) in all.into_iter().enumerate() {
            let cheat = PartyId(party as u8);
            let computing = |phase| matches!(phase, Phase::Setup | Phase::Offline | Phase::Online);
            for (class, count) in classes.into_iter().filter(|((.., phase), _)| computing(*phase)) {
                let opened = Arc::new(AtomicU64::new(0));
                let results = run_each(&job, LONG, |party, worker| {
                    if party == cheat {
                        return Some(cheat_at(class, count / 2, worker, flip_first));
                    }
                    let opened = opened.clone();
                    Some(Tamper::new(move |message| {
                        let opening = message.place.phase == Phase::Open;
                        opened.fetch_add(u64::from(opening), Ordering::Relaxed);
                        Verdict::Keep
                    }))
                });
                let label = format!("{}: {cheat} in {class:?}", job.protocol());
                a_check_ends_it(&label, cheat, &results);
                assert_eq!(opened.load(Ordering::Relaxed), 0, "{label}: openings");
            }
        }
    }
}

/// Transcripts are the same however messages and threads are timed: else these runs would fail.
#[test]
fn honest_parties_agree_however_threads_are_timed() {
    threads_timed_otherwise(&some());
}

fn threads_timed_otherwise(protocols: &[Protocol]) {
    for &protocol in protocols {
        let job = job(protocol, Preprocessing::Interleaved, 3);
        for round in 0..3u64 {
            let results = run_each(&job, LONG, |party, worker| {
                let salt = round << 16 | u64::from(party.0) << 8 | worker as u64;
                Some(Tamper::new(move |message| {
                    let random = (message.index ^ salt << 20).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    if random >> 61 == 0 {
                        std::thread::sleep(Duration::from_micros(random >> 40 & 0x7ff));
                    }
                    Verdict::Keep
                }))
            });
            for result in results {
                assert!(is_right(&result.unwrap()), "{protocol}");
            }
        }
    }
}
