//! Transcripts: what every party sends. As hashes that are kept in the repository they are golden; as sizes they are compared between
//! runs on other values.
//!
//! A change that moves code and is meant to change no protocol leaves all of them as they are. A change that is meant
//! to change what is sent writes them again, with `TACIT_GOLDEN=write`, in a commit that says why.
//!
//! Nothing in the product depends on this crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Phase, Session, Stream};

/// Sender, receiver, mesh (of the worker with that number), stream.
type Sent = (PartyId, PartyId, usize, Stream);

/// What was sent over one stream of a link.
#[derive(Default)]
struct Traffic {
    messages: u64,
    /// Of the bytes.
    bytes: blake3::Hasher,
    /// Of phase, step and length of each message.
    sizes: blake3::Hasher,
    /// Lengths of messages that open values.
    openings: Vec<u64>,
}

/// Hashes of what parties of one run send.
#[derive(Clone, Default)]
pub struct Transcript {
    sent: Arc<Mutex<BTreeMap<Sent, Traffic>>>,
}

impl Transcript {
    /// Records everything that this party sends from now on.
    pub fn watch(&self, session: &mut Session) {
        let from = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate() {
            let all = Arc::clone(&self.sent);
            mesh.set_tamper(Tamper::new(move |message| {
                let sent = (from, message.to, worker, message.stream);
                let mut all = all.lock().expect("no recorder panics");
                let traffic = all.entry(sent).or_default();
                let (place, bytes) = (message.place, message.bytes.len() as u64);
                traffic.messages += 1;
                traffic.bytes.update(message.bytes);
                for number in [place.phase.index() as u64, place.step.into(), bytes] {
                    traffic.sizes.update(&number.to_le_bytes());
                }
                traffic.openings.extend((place.phase == Phase::Open).then_some(bytes));
                Verdict::Keep
            }));
        }
    }

    /// One line: for every link, worker and stream the number of bytes and the first 32 bits of their hash.
    #[must_use]
    pub fn line(&self) -> String {
        self.lines(|traffic| format!("{}:{}", traffic.bytes.count(), short(&traffic.bytes)))
    }

    /// One line that no value shows in, unless how much is sent depends on it: for every link, worker and stream the numbers of messages
    /// and bytes, and the first 32 bits of a hash of phases, steps and lengths of all messages, in order.
    #[must_use]
    pub fn sizes(&self) -> String {
        self.lines(|it| format!("{}:{}:{}", it.messages, it.bytes.count(), short(&it.sizes)))
    }

    fn lines(&self, of: impl Fn(&Traffic) -> String) -> String {
        let mut line = String::new();
        for ((from, to, worker, stream), traffic) in
            self.sent.lock().expect("no recorder panics").iter()
        {
            let link = format!("{}>{}.{worker}.{stream}", from.index(), to.index());
            write!(line, " {link}={}", of(traffic)).expect("a String takes everything");
        }
        line.trim_start().to_owned()
    }

    /// Lengths of the messages that opened values to a party, in the order in which they were sent over each link and stream.
    #[must_use]
    pub fn opened_to(&self, party: PartyId) -> Vec<u64> {
        let all = self.sent.lock().expect("no recorder panics");
        let to_it = all.iter().filter(|((_, to, ..), _)| *to == party);
        to_it.flat_map(|(_, traffic)| traffic.openings.iter().copied()).collect()
    }
}

/// The first 32 bits of a hash.
fn short(hasher: &blake3::Hasher) -> String {
    hex::encode(&hasher.finalize().as_bytes()[..4])
}

/// Compares what was found, by case, with the golden file; or writes the file, if the environment has
/// `TACIT_GOLDEN=write`. Cases that the file has and `found` lacks are a difference too.
///
/// # Panics
/// If they differ: with the first cases that do, line by line.
pub fn check(file: impl AsRef<Path>, found: &BTreeMap<String, String>) {
    let file = file.as_ref();
    if std::env::var_os("TACIT_GOLDEN").is_some_and(|mode| mode == "write") {
        let lines: String = found.iter().map(|(case, line)| format!("{case}: {line}\n")).collect();
        std::fs::write(file, lines).expect("the golden file can be written");
        return;
    }
    let text = std::fs::read_to_string(file).expect("the golden file can be read");
    if let Some(differences) = differences(&text, found) {
        panic!(
            "{}: {differences}If that is meant, write the file again with TACIT_GOLDEN=write and say why in the \
             commit.",
            file.display()
        );
    }
}

/// How many cases differ, and the first of them; none if all are as in the golden text.
fn differences(text: &str, found: &BTreeMap<String, String>) -> Option<String> {
    let golden: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once(": ")).collect();
    let found: BTreeMap<&str, &str> =
        found.iter().map(|(case, line)| (case.as_str(), line.as_str())).collect();
    let cases: BTreeSet<&str> = golden.keys().chain(found.keys()).copied().collect();
    let differ: Vec<&str> =
        cases.iter().copied().filter(|case| golden.get(case) != found.get(case)).collect();
    let line = |of: &BTreeMap<&str, &str>, case| {
        of.get(case).map_or("(no such case)", |line| *line).to_owned()
    };
    let shown = differ.iter().take(5).map(|case| {
        format!("{case}\n  was {}\n  is  {}\n", line(&golden, case), line(&found, case))
    });
    let shown: String = shown.collect();
    (!differ.is_empty())
        .then(|| format!("{} of {} cases differ; the first:\n{shown}", differ.len(), cases.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_net::memory::{self, MemoryNetwork};

    /// Each party sends three bytes to the other one: so many in one message, and the others in one that opens something.
    fn transcript(bytes: [u8; 3], cut: usize) -> Transcript {
        let transcript = Transcript::default();
        memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            transcript.watch(&mut session);
            let other = PartyId(1 - session.me().0);
            let mesh = &mut session.meshes[0];
            mesh.set_phase(Phase::Online);
            mesh.send(other, Stream::On, &bytes[..cut]).unwrap();
            mesh.set_phase(Phase::Open);
            mesh.send(other, Stream::On, &bytes[cut..]).unwrap();
            let mut taken = [0; 3];
            mesh.recv(other, Stream::On, &mut taken).unwrap();
            session.finish().unwrap();
        });
        transcript
    }

    #[test]
    fn every_byte_counts() {
        let line = |byte: u8| transcript([byte; 3], 1).line();
        assert_eq!(line(1), line(1));
        assert_ne!(line(1), line(2));
        assert!(line(1).starts_with("0>1.0.on=3:"), "{}", line(1));
    }

    #[test]
    fn of_sizes_no_byte_counts_but_all_lengths_do() {
        let sizes = |byte: u8, cut: usize| transcript([byte; 3], cut).sizes();
        assert_eq!(sizes(1, 1), sizes(2, 1));
        assert_ne!(sizes(1, 1), sizes(1, 2));
        assert!(sizes(1, 1).starts_with("0>1.0.on=2:3:"), "{}", sizes(1, 1));
        assert_eq!(transcript([1; 3], 1).opened_to(PartyId(0)), [2]);
    }

    #[test]
    fn cases_that_differ_come_or_go_are_told() {
        let differ = |cases: &[(&str, &str)]| {
            let found =
                cases.iter().map(|(case, line)| ((*case).to_owned(), (*line).to_owned())).collect();
            differences("a: 1\nb: 2\n", &found)
        };
        assert_eq!(differ(&[("a", "1"), ("b", "2")]), None);
        let told = differ(&[("a", "1"), ("b", "3")]).expect("a difference");
        assert!(
            told.contains("1 of 2 cases differ") && told.contains("b\n  was 2\n  is  3"),
            "{told}"
        );
        let told = differ(&[("a", "1")]).expect("a difference");
        assert!(told.contains("is  (no such case)"), "{told}");
        assert!(differ(&[("a", "1"), ("b", "2"), ("c", "3")]).is_some());
    }
}
