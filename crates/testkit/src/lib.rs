//! Golden transcripts: what every party sends, as hashes that are kept in the repository.
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
use tacit_net::{PartyId, Session, Stream};

/// Sender, receiver, mesh (of the worker with that number), stream.
type Sent = (PartyId, PartyId, usize, Stream);

/// Hashes of what parties of one run send.
#[derive(Clone, Default)]
pub struct Transcript {
    hashers: Arc<Mutex<BTreeMap<Sent, blake3::Hasher>>>,
}

impl Transcript {
    /// Records everything that this party sends from now on.
    pub fn watch(&self, session: &mut Session) {
        let from = session.me();
        for (worker, mesh) in session.meshes.iter_mut().enumerate() {
            let hashers = Arc::clone(&self.hashers);
            mesh.set_tamper(Tamper::new(move |message| {
                let sent = (from, message.to, worker, message.stream);
                let mut hashers = hashers.lock().expect("no recorder panics");
                hashers.entry(sent).or_default().update(message.bytes);
                Verdict::Keep
            }));
        }
    }

    /// One line: for every link, worker and stream the number of bytes and the first 32 bits of their hash.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = String::new();
        for ((from, to, worker, stream), hasher) in
            self.hashers.lock().expect("no recorder panics").iter()
        {
            let hash = hex::encode(&hasher.finalize().as_bytes()[..4]);
            let link = format!("{}>{}.{worker}.{stream}", from.index(), to.index());
            write!(line, " {link}={}:{hash}", hasher.count()).expect("a String takes everything");
        }
        line.trim_start().to_owned()
    }
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
    use tacit_net::Phase;
    use tacit_net::memory::{self, MemoryNetwork};

    fn transcript(byte: u8) -> String {
        let transcript = Transcript::default();
        memory::run(2, 1, &MemoryNetwork::default(), |mut session| {
            transcript.watch(&mut session);
            let other = PartyId(1 - session.me().0);
            let mesh = &mut session.meshes[0];
            mesh.set_phase(Phase::Online);
            mesh.send(other, Stream::On, &[byte; 3]).unwrap();
            let mut taken = [0; 3];
            mesh.recv(other, Stream::On, &mut taken).unwrap();
            session.finish().unwrap();
        });
        transcript.line()
    }

    #[test]
    fn every_byte_counts() {
        assert_eq!(transcript(1), transcript(1));
        assert_ne!(transcript(1), transcript(2));
        assert!(transcript(1).starts_with("0>1.0.on=3:"), "{}", transcript(1));
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
