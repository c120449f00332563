//! Authenticated garbling: results and bytes of every input, and every message altered.

#[path = "../common/mod.rs"]
mod common;
mod messages;
#[path = "../store/mod.rs"]
mod store;

use common::{circuit, given, in_the_clear, places, schedule};
use messages::{CASE, Change, Message, Run, altered, are_all_caught, is_caught, nobody_is_wrong};
use store::stored;
use tacit_garbling::Form;
use tacit_garbling::authenticated::{Authenticated, Sizes, open, set_up};
use tacit_garbling::protocols::{AUTHENTICATED, WRK17};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports, Terms, garbler};
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;

fn party<'m>(
    session: &'m mut Session,
    form: Form,
    parties: usize,
    seed: u64,
) -> Result<Authenticated<'m>, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(parties));
    let kind = Delta::Authenticating;
    let mut all = Correlations::exchange(mesh, b"session", &places, kind, &mut entropy)?;
    let sid = set_up(mesh, &places, all.worker(), b"session")?;
    Ok(Authenticated::new(mesh, &places, all.worker(), &sid, Sizes::of(1))?.in_form(form))
}

const FORMS: [Form; 2] = [Form::HalfGates, Form::FourRows];

fn cases() -> Vec<[bool; 4]> {
    (0..16).map(|i| [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1)).collect()
}

#[test]
fn all_inputs_give_what_the_circuit_says_at_the_price_of_the_formulas() {
    let schedule = schedule(&circuit());
    for (parties, form) in [2, 3, 5].into_iter().flat_map(|n| FORMS.map(|form| (n, form))) {
        let inputs = [(0, 2), (parties - 1, 2)];
        let outputs = [vec![0, parties - 1], vec![parties - 1]];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
        let seed = test_seed();
        memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let mut party = party(&mut session, form, parties, seed).unwrap();
            // The second chunk has triples left by the first.
            let mut done = Vec::new();
            for cases in cases().chunks(11) {
                let ready = party.prepare(ports, cases.len()).unwrap();
                let values: Vec<Bits> = cases.iter().map(|v| given(me, parties, *v)).collect();
                done.push(
                    stored(ready).run(party.mesh(), &places(parties), ports, &values).unwrap(),
                );
            }
            drop(party);
            let learned = open(&mut session.meshes[0], &places(parties), done).unwrap();
            for (values, learned) in cases().iter().zip(learned.iter().flatten()) {
                let want = in_the_clear(*values);
                let mine: &[bool] = match me {
                    _ if me == parties - 1 => &want,
                    0 => &want[..3],
                    _ => &[],
                };
                assert_eq!(learned.len, mine.len());
                assert!((0..mine.len()).all(|i| learned.get(i) == mine[i]), "{values:?}");
            }
            let protocol = match form {
                Form::HalfGates => AUTHENTICATED.fitting(parties),
                Form::FourRows => WRK17.fitting(parties),
            };
            let mut counter = garbler(protocol).unwrap().counter(&Terms::of(protocol));
            [11, 5].into_iter().for_each(|instances| counter.add(ports, instances));
            let all = counter.bytes();
            let meter = session.meter();
            for to in (0..parties).filter(|to| *to != me) {
                let id = PartyId(to as u8);
                let sent = |stream| -> u64 {
                    let phases = [Phase::Offline, Phase::Online];
                    phases.map(|phase| meter.count(id, stream, phase).bytes_sent).iter().sum()
                };
                assert_eq!(sent(Stream::Pre), 0);
                assert_eq!(sent(Stream::Def), all.def[me][to], "{form:?}, {me} to {to}, ahead");
                assert_eq!(sent(Stream::On), all.on[me][to], "{form:?}, {me} to {to}, online");
            }
            session.finish().unwrap();
        });
    }
}

/// Every kind of message, from and to every kind of role, is altered on its way: a named check finds it, and
/// no honest party has a wrong result.
#[test]
fn every_altered_message_is_caught_by_its_check() {
    for (parties, link) in [(2, [0, 1]), (2, [1, 0])]
        .into_iter()
        .chain([[0, 1], [1, 0], [1, 2], [2, 0], [2, 1], [0, 2]].map(|link| (3, link)))
    {
        are_all_caught(Run::new(parties, link), |_| true);
    }
}

/// What differs where gates are four rows.
#[test]
fn every_altered_message_of_four_rows_is_caught_by_its_check() {
    for (parties, link) in
        [(2, [0, 1]), (2, [1, 0]), (3, [1, 0]), (3, [2, 0]), (3, [0, 1]), (3, [0, 2]), (3, [1, 2])]
    {
        let run = Run { form: Form::FourRows, ..Run::new(parties, link) };
        // The rest is the same code: the last of it is what products are opened by.
        let same = run.messages().iter().rposition(|m| m.what == "bits and MACs of products");
        are_all_caught(run, |number| same.is_none_or(|same| number >= same));
    }
}

/// What was said before is not taken for what is said now: everything carries its number, or is under a MAC or
/// mask of its own.
#[test]
fn a_replayed_message_is_caught_by_its_check() {
    for (parties, link) in [(2, [1, 0]), (3, [0, 2])] {
        let (run, mut replayed) = (Run::new(parties, link), 0);
        let all = run.messages();
        for (number, message) in all.iter().enumerate().filter(|(_, m)| !m.checks.is_empty()) {
            // Few bits may be the same by chance.
            let digests = ["commitment", "digest", "echo", "opening", "hash"];
            let macs = number % 2 == 1 && message.what.starts_with("bits and MACs");
            if macs || digests.iter().any(|what| message.what.starts_with(what)) {
                let message = Message { change: Change::Replay, ..*message };
                // The first of its length has nothing before it.
                replayed += usize::from(is_caught(run, number, message));
            }
        }
        assert!(replayed >= 10, "{replayed} of {run:?}");
    }
}

/// Where a digest is not sent, nobody waits for ever, and nobody has a wrong result.
#[test]
fn a_dropped_digest_ends_the_session() {
    for (parties, link) in [(2, [0, 1]), (3, [1, 0])] {
        let all = Run::new(parties, link).messages();
        let digests = all.iter().enumerate().filter(|(number, message)| {
            let second = number % 2 == 1 && message.what.starts_with("bits and MACs");
            second || message.what.starts_with("digest")
        });
        let run = Run { deadline_seconds: 3, ..Run::new(parties, link) };
        let mut dropped = 0;
        for (number, message) in digests {
            let results = altered(run, number, Change::Drop, test_seed()).results;
            let label = format!("{parties} parties, {link:?}, {number}: no {}", message.what);
            assert!(results[link[1]].is_err(), "{label}");
            nobody_is_wrong(&results, link[0], &label);
            dropped += 1;
        }
        assert!(dropped >= 2, "{parties} parties, {link:?}");
    }
}

/// A wrong column of choices goes unnoticed where the peer's bit of Delta is zero: half of the time, at the
/// risk of being caught. Then all MACs are right and so is the result.
#[test]
fn a_guess_of_a_bit_of_delta_is_caught_half_of_the_time() {
    let run = Run::new(2, [1, 0]);
    let choices = run.messages().iter().position(|message| message.what == "choices");
    const RUNS: usize = 40;
    let caught = (0..RUNS).filter(|i| {
        let change = Change::Column(3 + i);
        let results = altered(run, choices.expect("there are"), change, test_seed()).results;
        nobody_is_wrong(&results, 1, "a column of choices");
        let error = results[0].as_ref().err().map(ToString::to_string);
        assert!(error.as_ref().is_none_or(|error| error.contains("'cot-consistency'")));
        error.is_some()
    });
    let caught = caught.count();
    assert!((5..=35).contains(&caught), "caught {caught} times of {RUNS}");
}

/// An even error in what turns a bit of `a` into a product is found half of the time: when that bit is one.
/// That is the leak that buckets make up for; nobody has a wrong result.
#[test]
fn one_wrong_product_is_caught_half_of_the_time() {
    let link = Run::new(2, [1, 0]);
    let number =
        link.messages().iter().position(|message| message.what == "products").expect("there are");
    const RUNS: u64 = 40;
    let mut caught = 0;
    for run in 0..RUNS {
        let seed = test_seed().wrapping_add(run);
        let results = altered(link, number, Change::Bit(1), seed).results;
        match &results[0] {
            Ok(learned) => {
                let want = in_the_clear(CASE);
                assert!((0..learned.len).all(|i| learned.get(i) == want[i]), "a wrong result");
            }
            // Both see the check fail; who is first tells the other.
            Err(_) => {
                let found = |error: &String| error.contains("'leaky-and'");
                let errors: Vec<_> = results
                    .iter()
                    .filter_map(|r| r.as_ref().err().map(ToString::to_string))
                    .collect();
                assert!(errors.iter().any(found), "{errors:?}");
                caught += 1;
            }
        }
    }
    // Forty fair coins; five standard deviations are 16.
    assert!((5..=35).contains(&caught), "caught {caught} times of {RUNS}");
}
