//! Which messages there are, and what becomes of a run when one of them is altered.

use crate::common::{circuit, given, in_the_clear, places, schedule};
use crate::party;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use tacit_garbling::Form;
use tacit_garbling::authenticated::open;
use tacit_garbling::{Bits, Evaluate, Garbling, Ports};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{Phase, Stream};
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;

/// What happens to a message.
#[derive(Clone, Copy, Debug)]
pub enum Change {
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
pub struct Message {
    pub what: &'static str,
    pub change: Change,
    pub checks: &'static [&'static str],
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
fn messages(form: Form, parties: usize, from: usize, to: usize) -> Vec<Message> {
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
    all.push(products);
    let (leaky, bucket) = (coin(&["commit:coin:leaky"]), coin(&["commit:coin:bucket"]));
    all.extend([message("commitment to d", &["commit:d"]), leaky[0]]);
    all.extend([message("opening of d", &["commit:d"]), leaky[1]]);
    all.extend([message("commitment to theta", &["commit:theta"]), bucket[0]]);
    all.extend([message("opening of theta", &["commit:theta"]), bucket[1]]);
    all.extend([message("bits and MACs of buckets", &["open-mac:bucket"]); 2]);
    if many && (to == 0 || to == parties - 1) {
        all.extend([message("bits and MACs of masks of inputs", &["open-mac:input"]); 2]);
    }
    all.extend([message("bits and MACs of products", &["open-mac:beaver"]); 2]);
    const GARBLED: &[&str] = &["label-check", "z-check", "row-mac"];
    let rows = form == Form::FourRows;
    if to == 0 {
        all.push(Message { what: "garbled gates", change: Change::All, checks: GARBLED });
        all.extend((from == 1 && !rows).then_some(message("lowest bits", GARBLED)));
    }
    if from == 0 || from == parties - 1 {
        // Towards a single other party it is just another input.
        all.push(message("masked input", if many { &["echo:masked"] } else { &[] }));
    }
    all.extend(many.then_some(message("echo of masked inputs", &["echo:masked"])));
    if to == 0 {
        all.push(message("labels", GARBLED));
    }
    if from == 0 && (!rows || to == parties - 1) {
        all.push(message("public values", &["label-check"]));
        all.push(message("digest of labels", &["label-check"]));
        all.extend((!rows).then_some(message("seed of coefficients", &["z-check"])));
    } else if to == 0 && !rows {
        all.push(message("sum of MACs", &["z-check"]));
    }
    if to == 0 || to == parties - 1 {
        all.extend([message("bits and MACs of outputs", &["open-mac:output"]); 2]);
    }
    all
}

pub const CASE: [bool; 4] = [true, false, true, true];

/// Whose messages are altered, and how.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub form: Form,
    pub parties: usize,
    pub link: [usize; 2],
    pub deadline_seconds: u64,
}

impl Run {
    pub fn new(parties: usize, link: [usize; 2]) -> Run {
        Run { form: Form::HalfGates, parties, link, deadline_seconds: 60 }
    }

    pub fn messages(&self) -> Vec<Message> {
        messages(self.form, self.parties, self.link[0], self.link[1])
    }
}

/// What came of a run.
pub struct Altered {
    /// Messages on the link.
    pub sent: usize,
    /// Whether one of them was another than it should be.
    pub changed: bool,
    /// What every party has in the end.
    pub results: Vec<Result<Bits, SharingError>>,
}

/// Runs with message `number` of a link altered.
pub fn altered(
    Run { form, parties, link: [from, to], deadline_seconds }: Run,
    number: usize,
    change: Change,
    seed: u64,
) -> Altered {
    let schedule = schedule(&circuit());
    let inputs = [(0, 2), (parties - 1, 2)];
    let outputs = [vec![0, parties - 1], vec![parties - 1]];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let (sent, changed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    let deadline = std::time::Duration::from_secs(deadline_seconds);
    let network = MemoryNetwork { deadline, ..MemoryNetwork::default() };
    let results = memory::run(parties, 1, &network, |mut session| {
        let me = session.me().index();
        let (counter, changes) = (sent.clone(), changed.clone());
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
                if counter.fetch_add(1, SeqCst) != number {
                    before.push(message.bytes.to_vec());
                    return Verdict::Keep;
                }
                let verdict = change.of(message.bytes, &before);
                changes.store(verdict != Verdict::Replace(message.bytes.to_vec()), SeqCst);
                verdict
            }));
        }
        let mut party = party(&mut session, form, parties, seed)?;
        let ready = party.prepare(ports, 1)?;
        let done = ready.run(party.mesh(), &places(parties), ports, &[given(me, parties, CASE)])?;
        drop(party);
        let mut learned = open(&mut session.meshes[0], &places(parties), vec![done])?;
        session.finish()?;
        Ok::<Bits, SharingError>(learned[0].swap_remove(0))
    });
    Altered { sent: sent.load(SeqCst), changed: changed.load(SeqCst), results }
}

/// Alters every message of a link that `picks` picks.
pub fn are_all_caught(run: Run, picks: impl Fn(usize) -> bool) {
    let all = run.messages();
    let honest = altered(run, usize::MAX, Change::All, test_seed());
    assert_eq!(honest.sent, all.len(), "messages of {run:?}");
    for (number, message) in all.iter().enumerate().filter(|(_, m)| !m.checks.is_empty()) {
        if picks(number) {
            assert!(is_caught(run, number, *message), "message {number} of {run:?}");
        }
    }
}

/// Alters a message: a check of it finds that, and no honest party has a wrong result. False where nothing was
/// altered.
///
/// Whose message is altered runs the protocol. Where it sees the same check fail, an honest party may hear of that
/// before its own check: then once more, as it must see that itself.
pub fn is_caught(run: Run, number: usize, message: Message) -> bool {
    const ATTEMPTS: usize = 10;
    for _ in 0..ATTEMPTS {
        let Altered { results, changed, .. } = altered(run, number, message.change, test_seed());
        if !changed {
            return false;
        }
        let label = format!("{run:?}, {number}: {message:?}");
        nobody_is_wrong(&results, run.link[0], &label);
        if is_found(run, message, &results) {
            return true;
        }
        let errors: Vec<_> = results.iter().map(|result| result.as_ref().err()).collect();
        assert!(names_check(message, &results[run.link[0]]), "{label}: {errors:?}");
    }
    panic!("{run:?}, {number}: {message:?}: found by whose message was altered, and by nobody else")
}

/// Whether a party says that a check of the message failed.
fn names_check(message: Message, result: &Result<Bits, SharingError>) -> bool {
    let error = result.as_ref().err().map(ToString::to_string).unwrap_or_default();
    message.checks.iter().any(|check| error.contains(&format!("'{check}'")))
}

/// Whether whoever must find the altered message found it.
fn is_found(run: Run, message: Message, results: &[Result<Bits, SharingError>]) -> bool {
    let cheat = run.link[0];
    let mut honest = results.iter().enumerate().filter(|(party, _)| *party != cheat);
    let unused = message.what == "garbled gates";
    // Whose message is altered may be who finds it where that is a check of the other's answer: to wrong
    // gates, or to other coefficients than the evaluator's own.
    let answer = message.what == "seed of coefficients" || message.checks.contains(&"z-check");
    honest.any(|(_, result)| names_check(message, result))
        || unused
        || answer && names_check(message, &results[cheat])
}

/// No honest party has a wrong result.
pub fn nobody_is_wrong(results: &[Result<Bits, SharingError>], cheat: usize, label: &str) {
    let want = in_the_clear(CASE);
    for (party, result) in results.iter().enumerate().filter(|(party, _)| *party != cheat) {
        let Ok(learned) = result else { continue };
        let mine = if party == 0 { &want[..3] } else { &want[..] };
        let right = (0..learned.len).all(|i| learned.get(i) == mine[i]);
        assert!(right, "{label}: party {party} has a wrong result");
    }
}
