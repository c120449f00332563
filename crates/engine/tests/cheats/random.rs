//! A party that changes several messages of a run, whichever they are.

use crate::harness::*;
use std::sync::{Arc, Mutex};
use tacit_engine::circuit::Preprocessing;
use tacit_engine::protocols::AUTHENTICATED;
use tacit_net::PartyId;
use tacit_net::testing::{Outgoing, Tamper, Verdict};
use tacit_ring::entropy;
use tacit_sharing::Protocol;

/// Cheats of each party under a protocol.
const TRIES: u64 = 6;
/// Messages that are changed besides the first, on average.
const MORE: u64 = 2;

/// Well mixed bits of numbers.
fn mix(numbers: &[u64]) -> u64 {
    numbers.iter().fold(0x9e37_79b9_7f4a_7c15, |state, number| {
        let word = (state ^ number).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (word ^ word >> 29).wrapping_mul(0x94d0_49bb_1331_11eb).rotate_left(31)
    })
}

/// How many messages a party sends over each of its meshes.
fn counts(job: &Case, party: PartyId) -> Vec<u64> {
    let counts = Arc::new(Mutex::new(vec![0; job.threads()]));
    let results = run(job, LONG, Some(party), |worker| {
        let counts = counts.clone();
        Tamper::new(move |message| {
            counts.lock().unwrap()[worker] = message.index + 1;
            Verdict::Keep
        })
    });
    assert!(results.iter().all(Result::is_ok));
    let counts = counts.lock().unwrap();
    counts.clone()
}

/// One bit changed, one byte, or all of them.
fn changed(message: Outgoing<'_>, random: u64) -> Verdict {
    let mut bytes = message.bytes.to_vec();
    if bytes.is_empty() {
        return Verdict::Keep;
    }
    let at = (random >> 8) as usize % bytes.len();
    match random % 3 {
        0 => bytes[at] ^= 1 << ((random >> 4) % 8),
        1 => bytes[at] = bytes[at].wrapping_add((random >> 56) as u8 | 1),
        _ => {
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte ^= mix(&[random, i as u64]) as u8 | u8::from(i == at);
            }
        }
    }
    Verdict::Replace(bytes)
}

/// Changes one message, drawn from those of all meshes, and others by chance.
fn cheat(seed: u64, counts: &[u64], worker: usize) -> Tamper {
    let total: u64 = counts.iter().sum();
    let target = mix(&[seed, 1]) % total;
    let before: u64 = counts[..worker].iter().sum();
    Tamper::new(move |message| {
        let random = mix(&[seed, 2, worker as u64, message.index]);
        let chosen = before + message.index == target || random % total < MORE;
        if chosen { changed(message, mix(&[random])) } else { Verdict::Keep }
    })
}

fn each_try(job: &Case, check: impl Fn(&str, PartyId, &Results)) {
    let protocol = job.protocol();
    for party in PartyId::all(protocol.parties()) {
        let counts = counts(job, party);
        for attempt in 0..TRIES {
            let seed = mix(&[entropy::test_seed(), u64::from(party.0), attempt]);
            let results = run(job, LONG, Some(party), |worker| cheat(seed, &counts, worker));
            check(&format!("{protocol}: {party}, try {attempt}"), party, &results);
        }
    }
}

/// All protocols are in [`random_changes_of_several_messages_end_the_run_in_a_check_under_every_protocol`].
#[test]
fn random_changes_of_several_messages_end_the_run_in_a_check() {
    random_changes(of_each_family);
}

#[test]
#[ignore = "half a minute: all protocols that check"]
fn random_changes_of_several_messages_end_the_run_in_a_check_under_every_protocol() {
    random_changes(checked);
}

fn random_changes<P: Iterator<Item = Protocol>>(protocols: impl Fn() -> P) {
    for (preprocessing, workers) in [(Preprocessing::Interleaved, 2), (Preprocessing::Separate, 1)]
    {
        for protocol in protocols() {
            each_try(&job(protocol, preprocessing, workers), a_check_ends_it);
        }
    }
}

/// What a garbler changes in rows that are not looked at does no harm.
#[test]
fn under_authenticated_garbling_honest_parties_have_the_right_result_or_none() {
    for parties in [2, 3] {
        let job = job(AUTHENTICATED.fitting(parties), Preprocessing::Interleaved, 1);
        each_try(&job, right_or_none);
    }
}
