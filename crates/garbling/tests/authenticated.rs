//! Authenticated garbling: results and bytes of every input, and every message altered.

mod common;
mod store;

use common::{circuit, given, in_the_clear, places, schedule};
use store::stored;
use tacit_garbling::authenticated::{Authenticated, bytes, open, set_up};
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;
use tacit_sharing::gmw::{Correlations, Delta};

fn party<'m>(
    session: &'m mut Session,
    parties: usize,
    seed: u64,
) -> Result<Authenticated<'m>, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(parties));
    let kind = Delta::Authenticating;
    let mut all = Correlations::exchange(mesh, b"session", &places, kind, &mut entropy)?;
    let sid = set_up(mesh, &places, all.worker(), b"session")?;
    Authenticated::new(mesh, &places, all.worker(), &sid)
}

fn cases() -> Vec<[bool; 4]> {
    (0..16).map(|i| [0, 1, 2, 3].map(|bit| i >> bit & 1 == 1)).collect()
}

#[test]
fn all_inputs_give_what_the_circuit_says_at_the_price_of_the_formulas() {
    let schedule = schedule(&circuit());
    for parties in [2, 3, 5] {
        let inputs = [(0, 2), (parties - 1, 2)];
        let outputs = [vec![0, parties - 1], vec![parties - 1]];
        let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs };
        let seed = test_seed();
        memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
            let me = session.me().index();
            let mut party = party(&mut session, parties, seed).unwrap();
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
            let all = bytes(ports, parties, [11, 5].into_iter());
            let meter = session.meter();
            for to in (0..parties).filter(|to| *to != me) {
                let id = PartyId(to as u8);
                let sent = |stream| -> u64 {
                    let phases = [Phase::Offline, Phase::Online];
                    phases.map(|phase| meter.count(id, stream, phase).bytes_sent).iter().sum()
                };
                assert_eq!(sent(Stream::Pre), 0);
                assert_eq!(sent(Stream::Def), all.def[me][to], "{me} to {to}, ahead");
                assert_eq!(sent(Stream::On), all.on[me][to], "{me} to {to}, online");
            }
            session.finish().unwrap();
        });
    }
}

/// What happens to a message.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// All bits are flipped.
    All,
    /// A bit of the first byte is.
    Bit(u32),
    /// A bit of a column of choices is, of so many.
    Column(usize),
    /// It is replaced by the last one before it of the same length, if there is one.
    Replay,
    /// It is not sent.
    Drop,
}

impl Change {
    /// What becomes of a message, after others.
    fn of(self, bytes: &[u8], before: &[Vec<u8>]) -> Verdict {
        let mut bytes = bytes.to_vec();
        match self {
            Change::All => bytes.iter_mut().for_each(|byte| *byte ^= 0xff),
            Change::Bit(bit) => bytes[0] ^= 1 << bit,
            Change::Column(column) => {
                let at = bytes.len() / 128 * column;
                bytes[at] ^= 1;
            }
            Change::Replay => {
                let same = before.iter().rev().find(|earlier| earlier.len() == bytes.len());
                same.into_iter().for_each(|earlier| bytes.copy_from_slice(earlier));
            }
            Change::Drop => return Verdict::Drop,
        }
        Verdict::Replace(bytes)
    }
}

/// A message of one party to another: what it is, what is altered, and the checks that may fail.
#[derive(Clone, Copy, Debug)]
struct Message {
    what: &'static str,
    change: Change,
    checks: &'static [&'static str],
}

fn message(what: &'static str, checks: &'static [&'static str]) -> Message {
    Message { what, change: Change::Bit(0), checks }
}

fn coin(commit: &'static [&'static str]) -> [Message; 2] {
    [message("commitment to a coin", commit), message("opening of a coin", commit)]
}

/// Messages of authenticated bits.
fn extension(tiles: usize, many: bool) -> Vec<Message> {
    let [committed, opened] = coin(&["commit:coin:cot"]);
    let choices = Message { what: "choices", change: Change::All, checks: &["cot-consistency"] };
    let mut all = vec![committed];
    all.extend(vec![choices; tiles]);
    all.push(opened);
    all.push(message("hash of choices", &["cot-consistency"]));
    all.push(message("digest of columns", &["cot-consistency"]));
    all.extend(many.then_some(message("echo of hashes", &["echo:uhat"])));
    all
}

/// What `from` sends to `to`, in order, for one instance of the test's circuit.
fn messages(parties: usize, from: usize, to: usize) -> Vec<Message> {
    let many = parties > 2;
    let mut all = coin(&["commit:coin:sid"]).to_vec();
    if many {
        all.extend(extension(1, many));
        all.push(message("masked sum", &["echo:keyy"]));
        all.push(message("echo of masked sums", &["echo:keyy"]));
        all.push(message("commitment to Z", &["commit:keyz"]));
        all.push(message("opening of Z", &["commit:keyz"]));
    }
    all.extend(extension(2, many));
    let products = Message { what: "products", change: Change::All, checks: &["leaky-and"] };
    all.extend([products; 3]);
    let (leaky, bucket) = (coin(&["commit:coin:leaky"]), coin(&["commit:coin:bucket"]));
    all.extend([message("commitment to d", &["commit:d"]), leaky[0]]);
    all.extend([message("opening of d", &["commit:d"]), leaky[1]]);
    all.extend([message("commitment to theta", &["commit:theta"]), bucket[0]]);
    all.extend([message("opening of theta", &["commit:theta"]), bucket[1]]);
    all.extend([message("bits and MACs of buckets", &["open-mac:bucket"]); 2]);
    all.extend([message("bits and MACs of products", &["open-mac:beaver"]); 2]);
    const GARBLED: &[&str] = &["label-check", "z-check"];
    if to == 0 {
        all.push(Message { what: "garbled gates", change: Change::All, checks: GARBLED });
        all.extend((from == 1).then_some(message("lowest bits", GARBLED)));
    }
    if from == 0 || from == parties - 1 {
        // Towards a single other party it is just another input.
        all.push(message("masked input", if many { &["echo:masked"] } else { &[] }));
    }
    all.extend(many.then_some(message("echo of masked inputs", &["echo:masked"])));
    if to == 0 {
        all.push(message("labels", GARBLED));
    }
    if from == 0 {
        all.push(message("public values", &["label-check"]));
        all.push(message("digest of labels", &["label-check"]));
        all.push(message("seed of coefficients", &["z-check"]));
    } else if to == 0 {
        all.push(message("sum of MACs", &["z-check"]));
    }
    if to == 0 || to == parties - 1 {
        all.extend([message("bits and MACs of outputs", &["open-mac:output"]); 2]);
    }
    all
}

const CASE: [bool; 4] = [true, false, true, true];

/// Runs with message `number` of `from` to `to` altered; gives what every party has in the end.
fn altered(
    parties: usize,
    [from, to]: [usize; 2],
    number: usize,
    change: Change,
    seed: u64,
) -> (usize, Vec<Result<Bits, SharingError>>) {
    let schedule = schedule(&circuit());
    let inputs = [(0, 2), (parties - 1, 2)];
    let outputs = [vec![0, parties - 1], vec![parties - 1]];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs };
    let sent = std::sync::atomic::AtomicUsize::new(0);
    let sent = std::sync::Arc::new(sent);
    let counter = sent.clone();
    let results = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        let counter = counter.clone();
        if me == from {
            // Four messages of base OTs go before.
            let (mut skipped, mut before) = (0, Vec::new());
            session.meshes[0].set_tamper(Tamper::new(move |message| {
                if message.to.index() != to || message.bytes.is_empty() {
                    return Verdict::Keep;
                }
                if message.place.phase == Phase::Setup && message.stream == Stream::On {
                    skipped += 1;
                    return Verdict::Keep;
                }
                assert_eq!(skipped, 4, "base OTs come first");
                if counter.fetch_add(1, std::sync::atomic::Ordering::SeqCst) != number {
                    before.push(message.bytes.to_vec());
                    return Verdict::Keep;
                }
                change.of(message.bytes, &before)
            }));
        }
        let mut party = party(&mut session, parties, seed)?;
        let ready = party.prepare(ports, 1)?;
        let done = ready.run(party.mesh(), &places(parties), ports, &[given(me, parties, CASE)])?;
        drop(party);
        let mut learned = open(&mut session.meshes[0], &places(parties), vec![done])?;
        session.finish()?;
        Ok::<Bits, SharingError>(learned[0].swap_remove(0))
    });
    (sent.load(std::sync::atomic::Ordering::SeqCst), results)
}

/// Every kind of message, from and to every kind of role, is altered on its way: a named check finds it, and
/// no honest party has a wrong result.
#[test]
fn every_altered_message_is_caught_by_its_check() {
    for (parties, link) in [(2, [0, 1]), (2, [1, 0])]
        .into_iter()
        .chain([[0, 1], [1, 0], [1, 2], [2, 0], [2, 1], [0, 2]].map(|link| (3, link)))
    {
        let all = messages(parties, link[0], link[1]);
        let (sent, _) = altered(parties, link, usize::MAX, Change::All, test_seed());
        assert_eq!(sent, all.len(), "messages of {parties} parties, {link:?}");
        for (number, message) in all.iter().enumerate().filter(|(_, m)| !m.checks.is_empty()) {
            is_caught(parties, link, number, *message);
        }
    }
}

/// Alters a message: a check of it finds that, and no honest party has a wrong result.
fn is_caught(parties: usize, link: [usize; 2], number: usize, message: Message) {
    let (_, results) = altered(parties, link, number, message.change, test_seed());
    let label = format!("{parties} parties, {link:?}, {number}: {message:?}");
    let finds = |result: &Result<Bits, SharingError>| {
        let error = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
        message.checks.iter().any(|check| error.contains(&format!("'{check}'")))
    };
    let mut honest = results.iter().enumerate().filter(|(party, _)| *party != link[0]);
    let found = honest.any(|(_, result)| finds(result));
    let unused = message.what == "garbled gates";
    // Whose message is altered runs the protocol, and may be who finds it where that is a check of
    // the other's answer: to wrong gates, or to other coefficients than the evaluator's own.
    let answer = message.what == "seed of coefficients" || message.checks.contains(&"z-check");
    let own = answer && finds(&results[link[0]]);
    assert!(
        found || unused || own,
        "{label}: {:?}",
        results.iter().map(|r| r.as_ref().err()).collect::<Vec<_>>()
    );
    nobody_is_wrong(&results, link[0], &label);
}

/// No honest party has a wrong result.
fn nobody_is_wrong(results: &[Result<Bits, SharingError>], cheat: usize, label: &str) {
    let want = in_the_clear(CASE);
    for (party, result) in results.iter().enumerate().filter(|(party, _)| *party != cheat) {
        let Ok(learned) = result else { continue };
        let mine = if party == 0 { &want[..3] } else { &want[..] };
        let right = (0..learned.len).all(|i| learned.get(i) == mine[i]);
        assert!(right, "{label}: party {party} has a wrong result");
    }
}

/// What was said before is not taken for what is said now: everything carries its number, or is under a MAC or
/// mask of its own.
#[test]
fn a_replayed_message_is_caught_by_its_check() {
    for (parties, link) in [(2, [1, 0]), (3, [0, 2])] {
        let all = messages(parties, link[0], link[1]);
        for (number, message) in all.iter().enumerate().filter(|(_, m)| !m.checks.is_empty()) {
            // The first of its length has nothing before it; bits may be the same by chance.
            const DIGESTS: [&str; 6] =
                ["commitment", "digest", "echo", "opening", "hash", "choices"];
            let first =
                ["commitment to a coin", "opening of a coin"].contains(&message.what) && number < 2;
            if first || !DIGESTS.iter().any(|what| message.what.starts_with(what)) {
                continue;
            }
            is_caught(parties, link, number, Message { change: Change::Replay, ..*message });
        }
    }
}

/// Whatever is not sent, nobody waits for ever, and nobody has a wrong result.
#[test]
fn a_dropped_message_ends_the_session() {
    for (parties, link) in [(2, [0, 1]), (3, [1, 0])] {
        let all = messages(parties, link[0], link[1]);
        for (number, message) in all.iter().enumerate() {
            let (_, results) = altered(parties, link, number, Change::Drop, test_seed());
            let label = format!("{parties} parties, {link:?}, {number}: no {}", message.what);
            assert!(results[link[1]].is_err(), "{label}");
            nobody_is_wrong(&results, link[0], &label);
        }
    }
}

/// A wrong column of choices goes unnoticed where the peer's bit of Delta is zero: half of the time, at the
/// risk of being caught. Then all MACs are right and so is the result.
#[test]
fn a_guess_of_a_bit_of_delta_is_caught_half_of_the_time() {
    let choices = messages(2, 1, 0).iter().position(|message| message.what == "choices");
    const RUNS: usize = 40;
    let caught = (0..RUNS).filter(|run| {
        let change = Change::Column(3 + run);
        let (_, results) = altered(2, [1, 0], choices.expect("there are"), change, test_seed());
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
    let all = messages(2, 1, 0);
    let number = all.iter().position(|message| message.what == "products").expect("there are");
    const RUNS: u64 = 40;
    let mut caught = 0;
    for run in 0..RUNS {
        let seed = test_seed().wrapping_add(run);
        let (_, results) = altered(2, [1, 0], number, Change::Bit(1), seed);
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
