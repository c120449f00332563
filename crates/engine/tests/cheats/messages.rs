//! Every kind of message of a run, changed or left out by its sender.

use crate::harness::*;
use std::sync::{Arc, Mutex};
use tacit_engine::circuit::{Assignment, EvaluateError, Preprocessing};
use tacit_engine::protocols::{
    self, AUTHENTICATED, FANTASTIC_FOUR, QUAD, QUAD_A, QUAD_HET, TETRAD,
};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{AbortKind, NetError, PartyId, Phase, Stream};
use tacit_sharing::proof::Strength;
use tacit_sharing::proof::{Method, Source};

#[test]
fn every_changed_message_ends_the_run_in_a_check() {
    for (preprocessing, workers) in [
        (Preprocessing::Interleaved, 1),
        (Preprocessing::Separate, 1),
        (Preprocessing::Interleaved, 2),
    ] {
        for protocol in checked() {
            let job = job(protocol, preprocessing, workers);
            each_cheat(&job, LONG, flip_first, a_check_ends_it);
            each_cheat(&job, LONG, flip_last, a_check_ends_it);
        }
    }
}

#[test]
fn every_changed_message_ends_the_run_in_a_check_with_a_statistical_parameter_of_64() {
    for method in [Method::Lift, Method::Integers, Method::Post, Method::Brain(Source::Buckets)] {
        let job = job(
            method.protocol().with_strength(Strength::Strong).unwrap(),
            Preprocessing::Interleaved,
            1,
        );
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
    }
}

#[test]
fn every_changed_message_ends_the_run_in_a_check_with_batches_of_another_size() {
    for name in ["lift/128", "integers/128", "post/64", "brain-buckets/128"] {
        let job = job(protocols::named(name).unwrap(), Preprocessing::Interleaved, 1);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
    }
}

/// What is cheated with online, after honest preprocessing in another session.
#[test]
fn every_message_changed_after_stored_preprocessing_ends_the_run_in_a_check() {
    let mut protocols = 0;
    for protocol in storing() {
        let job = stored(protocol, 1);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
        each_cheat(&job, LONG, flip_last, a_check_ends_it);
        protocols += 1;
    }
    // Lift, integers, post, brain, and four parties' five.
    assert_eq!(protocols, 9);
}

/// What is cheated with ahead, in the session before: whoever is honest notices there, or in a check of the run.
#[test]
fn every_message_changed_in_a_preparation_leaves_nobody_honest_a_result() {
    for protocol in storing() {
        let job = Case { ahead: true, ..stored(protocol, 1) };
        each_cheat(&job, LONG, flip_first, nobody_honest_has_a_result);
        each_cheat(&job, LONG, flip_last, nobody_honest_has_a_result);
    }
}

/// Split-Roles: one check covers all assignments, and nothing opens before it. Also where each assignment
/// has several threads, and where protocols are mixed.
#[test]
fn every_changed_message_of_any_assignment_ends_the_run_in_a_check() {
    let cases =
        [(QUAD, QUAD, 2), (QUAD_A, QUAD_HET, 1), (TETRAD, TETRAD, 1), (FANTASTIC_FOUR, QUAD, 1)];
    for (first, second, workers) in cases {
        let mut job = job(first, Preprocessing::Interleaved, workers);
        let places = [0, 1, 2, 3].map(PartyId).to_vec();
        job.assignments.push(Assignment { weight: 2, ..Assignment::new(second, places) });
        assert_eq!(job.threads(), 2 * workers);
        each_cheat(&job, LONG, flip_first, a_check_ends_it);
    }
}

/// Products of several ways over the same links: every message of every class.
#[test]
fn every_changed_message_of_a_mix_ends_the_run_in_a_check() {
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

#[test]
fn every_message_cut_short_ends_the_run() {
    let half = |bytes: &[u8]| Verdict::Truncate(bytes.len() / 2);
    let cut_short = |job: &Case| each_cheat(job, SHORT, half, nobody_honest_has_a_result);
    let interleaved = |protocol| job(protocol, Preprocessing::Interleaved, 1);
    let mut cases: Vec<Case> = checked().map(interleaved).collect();
    cases.push(mixed("a,b,het-crossed", interleaved(QUAD)));
    // Parties mostly wait.
    std::thread::scope(|scope| {
        for cases in cases.chunks(3) {
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
    for protocol in storing() {
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
