//! Every kind of message of a run, changed or left out by its sender.

use crate::harness::*;
use std::sync::{Arc, Mutex};
use tacit_engine::circuit::{Assignment, EvaluateError, Preprocessing};
use tacit_engine::protocols::{
    self, AUTHENTICATED, FANTASTIC_FOUR, QUAD, QUAD_A, QUAD_HET, TETRAD,
};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Stream};
use tacit_sharing::Protocol;

/// All protocols are in [`every_changed_message_ends_the_run_in_a_check_under_every_protocol`].
#[test]
fn every_changed_message_ends_the_run_in_a_check() {
    changed_messages(of_each_family);
}

#[test]
#[ignore = "minutes: all protocols that check"]
fn every_changed_message_ends_the_run_in_a_check_under_every_protocol() {
    changed_messages(checked);
}

fn changed_messages<P: Iterator<Item = Protocol>>(protocols: impl Fn() -> P) {
    for (preprocessing, workers) in [
        (Preprocessing::Interleaved, 1),
        (Preprocessing::Separate, 1),
        (Preprocessing::Interleaved, 2),
    ] {
        for protocol in protocols() {
            let job = job(protocol, preprocessing, workers);
            each_cheat(&job, LONG, flip_first, a_check_ends_it);
            each_cheat(&job, LONG, flip_last, a_check_ends_it);
        }
    }
}

/// Others are in [`every_changed_message_ends_the_run_in_a_check_with_other_parameters`].
#[test]
fn every_changed_message_ends_the_run_in_a_check_when_strong_or_in_small_batches() {
    changed_messages_with(&["post@64", "lift/128"]);
}

#[test]
#[ignore = "minutes: all protocols with a statistical parameter, or with batches"]
fn every_changed_message_ends_the_run_in_a_check_with_other_parameters() {
    changed_messages_with(&[
        "lift@64",
        "wide-lift@64",
        "wide-lift/64",
        "integers@64",
        "post@64",
        "brain-buckets@64",
    ]);
    changed_messages_with(&["lift/128", "integers/128", "post/64", "brain-buckets/128"]);
}

fn changed_messages_with(names: &[&str]) {
    for name in names {
        let job = job(protocols::named(name).unwrap(), Preprocessing::Interleaved, 1);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
    }
}

/// What is cheated with online, after honest preprocessing in another session. All protocols are in
/// [`every_message_changed_before_or_after_preprocessing_is_stored_is_noticed`].
#[test]
fn every_message_changed_after_stored_preprocessing_ends_the_run_in_a_check() {
    assert_eq!(changed_after_preparations(of_each_family()), 3);
}

/// What is cheated with ahead, in the session before: whoever is honest notices there, or in a check of the run. All
/// protocols are in [`every_message_changed_before_or_after_preprocessing_is_stored_is_noticed`].
#[test]
fn every_message_changed_in_a_preparation_leaves_nobody_honest_a_result() {
    changed_in_preparations(of_each_family());
}

#[test]
#[ignore = "minutes: all protocols that check"]
fn every_message_changed_before_or_after_preprocessing_is_stored_is_noticed() {
    // Lift, wide lift, integers, post, brain, and four parties' five.
    assert_eq!(changed_after_preparations(checked()), 10);
    changed_in_preparations(checked());
}

/// Says of how many protocols preprocessing can be stored.
fn changed_after_preparations(protocols: impl Iterator<Item = Protocol>) -> usize {
    let mut count = 0;
    for protocol in storing(protocols) {
        let job = stored(protocol, 1);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
        count += 1;
    }
    count
}

fn changed_in_preparations(protocols: impl Iterator<Item = Protocol>) {
    for protocol in storing(protocols) {
        let job = Case { ahead: true, ..stored(protocol, 1) };
        each_cheat(&job, LONG, flip_first, nobody_honest_has_a_result);
        each_cheat(&job, LONG, flip_last, nobody_honest_has_a_result);
    }
}

/// Split-Roles: one check covers all assignments, and nothing opens before it. Also where each assignment
/// has several threads, and where protocols are mixed. More pairs are in
/// [`every_changed_message_of_any_assignment_of_any_pair_ends_the_run_in_a_check`].
#[test]
fn every_changed_message_of_any_assignment_ends_the_run_in_a_check() {
    changed_messages_of(&[(QUAD_A, QUAD_HET, 1)]);
}

#[test]
#[ignore = "a minute: more pairs, and several threads each"]
fn every_changed_message_of_any_assignment_of_any_pair_ends_the_run_in_a_check() {
    changed_messages_of(&[
        (QUAD, QUAD, 2),
        (QUAD_A, QUAD_HET, 1),
        (TETRAD, TETRAD, 1),
        (FANTASTIC_FOUR, QUAD, 1),
    ]);
}

fn changed_messages_of(pairs: &[(Protocol, Protocol, usize)]) {
    for &(first, second, workers) in pairs {
        let mut job = job(first, Preprocessing::Interleaved, workers);
        let places = [0, 1, 2, 3].map(PartyId).to_vec();
        job.options.assignments.push(Assignment { weight: 2, ..Assignment::new(second, places) });
        assert_eq!(job.threads(), 2 * workers);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
    }
}

/// Products of several ways over the same links: messages of every class. All mixes, and every message of each class, are in
/// [`every_changed_message_of_any_mix_ends_the_run_in_a_check`].
#[test]
fn every_changed_message_of_a_mix_ends_the_run_in_a_check() {
    let job = mixed("a,b-crossed,het", job(QUAD, Preprocessing::Separate, 1));
    learn_the_function(&job);
    each_cheat(&job, LONG, flip_first, a_check_ends_it);
    each_cheat(&job, LONG, flip_last, a_check_ends_it);
}

#[test]
#[ignore = "a minute: every message of five mixes"]
fn every_changed_message_of_any_mix_ends_the_run_in_a_check() {
    let cases = [
        ("a,het", Preprocessing::Interleaved, 1),
        ("a,b,het", Preprocessing::Separate, 1),
        ("a,a-crossed,b,b-crossed,het,het-crossed", Preprocessing::Interleaved, 1),
        ("b,b-crossed", Preprocessing::Interleaved, 2),
    ];
    for (ways, preprocessing, workers) in cases {
        let job = mixed(ways, job(QUAD, preprocessing, workers));
        learn_the_function(&job);
        every_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
    }
    let stored = mixed("a,b,het-crossed", stored(QUAD, 1));
    learn_the_function(&stored);
    each_cheat(&stored, LONG, flip_first, a_check_ends_it);
    let ahead = Case { ahead: true, ..stored };
    each_cheat(&ahead, LONG, flip_first, nobody_honest_has_a_result);
}

/// All protocols are in [`every_message_cut_short_ends_the_run_under_every_protocol`].
#[test]
fn every_message_cut_short_ends_the_run() {
    cut_short(of_each_family());
}

#[test]
#[ignore = "half a minute: all protocols that check"]
fn every_message_cut_short_ends_the_run_under_every_protocol() {
    cut_short(checked());
}

fn cut_short(protocols: impl Iterator<Item = Protocol>) {
    let half = |bytes: &[u8]| Verdict::Truncate(bytes.len() / 2);
    let cut_short = |job: &Case| each_cheat(job, SHORT, half, nobody_honest_has_a_result);
    let interleaved = |protocol| job(protocol, Preprocessing::Interleaved, 1);
    let mut cases: Vec<Case> = protocols.map(interleaved).collect();
    cases.push(mixed("a,b,het-crossed", interleaved(QUAD)));
    // Parties mostly wait.
    std::thread::scope(|scope| {
        for cases in cases.chunks(cases.len().div_ceil(3)) {
            scope.spawn(move || cases.iter().for_each(cut_short));
        }
    });
}

#[test]
fn honest_parties_learn_the_function_in_every_mode() {
    let circuit = circuit();
    let modes = [(Preprocessing::Interleaved, 1), (Preprocessing::Separate, 2)];
    for (protocol, (preprocessing, workers)) in checked().flat_map(|p| modes.map(|mode| (p, mode)))
    {
        let job = job(protocol, preprocessing, workers);
        learn_the_function(&job);
    }
    for protocol in storing(checked()) {
        learn_the_function(&stored(protocol, 2));
    }
    assert_eq!(circuit.stats().and_depth, 3);
}

fn learn_the_function(job: &Case) {
    for result in run(job, LONG, None, |_| Tamper::new(|_| Verdict::Keep)) {
        assert!(is_right(&result.unwrap()), "{}", job.protocol());
    }
}

/// Under authenticated garbling, the evaluator lies in one worker: no garbler opens outputs, of no worker and
/// no chunk, and all are told of misbehaviour.
#[test]
fn no_garbler_opens_outputs_while_a_check_of_any_worker_fails() {
    let mut job = job(AUTHENTICATED.fitting(3), Preprocessing::Interleaved, 2);
    job.assign(PartyId::all(3).collect());
    let sent: Arc<Mutex<Vec<(PartyId, usize)>>> = Arc::default();
    let results = run_each(&job, LONG, |party, worker| {
        let sent = sent.clone();
        Some(Tamper::new(move |m| {
            let online = m.stream == Stream::On && m.place.phase == Phase::Online;
            match (online, m.place.step) {
                // The evaluator's public values, a digest and a seed.
                (true, 3) if party == PartyId(0) && worker == 1 => flip_first(m.bytes),
                // All but the sums of MACs are openings.
                (true, 4 | 5) if m.bytes.len() != 16 => {
                    sent.lock().unwrap().push((party, worker));
                    Verdict::Keep
                }
                _ => Verdict::Keep,
            }
        }))
    });
    let sent = sent.lock().unwrap();
    assert!(sent.is_empty(), "openings by party and worker: {sent:?}");
    let mut named = 0;
    for (party, result) in results.iter().enumerate() {
        let error = result.as_ref().err().expect("nobody has a result");
        named += usize::from(error.to_string().contains("'label-check'"));
        let told = match error {
            EvaluateError::Net(NetError::Check(_)) => true,
            EvaluateError::Net(NetError::PeerAborted { kind, reason, .. }) => {
                assert!(!reason.contains("label"), "peers are not told which check: {reason}");
                *kind == AbortKind::Misbehaviour
            }
            _ => false,
        };
        assert!(told, "party {party}: {error}");
    }
    assert!(named > 0, "the check is named where it failed");
}
