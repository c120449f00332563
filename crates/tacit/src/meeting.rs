//! Meeting the other parties. Whatever keeps this one from it is told to them, too: nobody is to
//! wait for a party that has ended.

use crate::error::{Error, Result};
use std::time::Duration;
use tacit_net::{AbortKind, Farewell, PartyAddress, Session, SessionConfig, SessionId, meet};

/// A peer that is alive may be busy with something else for so many times the deadline.
const BUSY: u32 = 120;

/// What a party must know to meet the others, before anything that can go wrong here.
pub struct Meeting {
    /// How to connect.
    pub config: SessionConfig,
    met: bool,
    farewell: Option<Farewell>,
}

/// An error that peers can be told of.
pub trait ForPeers {
    /// Its kind, and a sentence without names, values or places.
    fn for_peers(&self) -> (AbortKind, &'static str);
}

impl ForPeers for Error {
    fn for_peers(&self) -> (AbortKind, &'static str) {
        Error::for_peers(self)
    }
}

impl Meeting {
    /// A meeting of this configuration.
    #[must_use]
    pub fn new(config: SessionConfig) -> Meeting {
        Meeting { config, met: false, farewell: None }
    }

    /// Connects this party with all others.
    pub fn connect(&mut self) -> Result<Session> {
        self.met = true;
        meet(&self.config).map_err(|missed| {
            self.farewell = Some(missed.farewell);
            missed.error.into()
        })
    }

    /// The session, with as many meshes as it needs: where it has fewer, a second one in its place.
    pub fn widened(&mut self, session: Session, meshes: usize) -> Result<Session> {
        if meshes <= session.meshes.len() {
            return Ok(session);
        }
        session.finish()?;
        self.config.workers = meshes;
        // All were there a moment ago: nobody waits for them as for those who are yet to be started.
        let limits = &mut self.config.limits;
        limits.connect = limits.connect.min(limits.progress);
        self.connect()
    }

    /// Who has not heard of an error yet that ended this: all, before they were met; of those that were met, nobody.
    pub fn farewell(self, error: &impl ForPeers) -> Option<Farewell> {
        match self.met {
            true => self.farewell,
            false => {
                let (kind, reason) = error.for_peers();
                Some(Farewell::new(&self.config, kind, reason))
            }
        }
    }
}

/// How many threads a party can have: the processors of its machine, which it shares with the parties that have an address
/// there.
#[must_use]
pub fn threads_of(config: &SessionConfig) -> usize {
    let host = |address: &PartyAddress| {
        address.address.rsplit_once(':').map_or(String::new(), |(host, _)| host.to_owned())
    };
    let own = host(&config.parties[config.me.index()]);
    let here = |host: &str| host == own || host == "localhost" || host.starts_with("127.");
    let parties = config.parties.iter().filter(|party| here(&host(party))).count();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    (processors / parties.max(1)).clamp(1, MOST_THREADS)
}

/// Threads of a party that may be taken where nobody says how many: more gain little.
const MOST_THREADS: usize = 16;

/// Does `work` in a session; an error ends it for everybody, and peers hear what kind it is.
pub fn in_session<T, E: ForPeers>(
    session: &mut Session,
    work: impl FnOnce(&mut Session) -> std::result::Result<T, E>,
) -> std::result::Result<T, E> {
    work(session).inspect_err(|error| {
        let (kind, reason) = error.for_peers();
        session.abort(kind, reason);
    })
}

/// What parties call a run of this name among themselves.
#[must_use]
pub fn session_named(name: &str) -> SessionId {
    SessionId::named(&format!("tacit run {name}"))
}

/// A session's configuration with these deadlines: for progress, and for the others to come up.
#[must_use]
pub fn with_deadlines(
    mut config: SessionConfig,
    progress: Duration,
    connect: Duration,
) -> SessionConfig {
    config.limits.progress = progress;
    config.limits.meeting = progress.saturating_mul(BUSY);
    config.limits.connect = connect;
    config
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_net::{PartyId, Security};

    #[test]
    fn parties_share_the_processors_of_their_machine() {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = |addresses: [&str; 3]| {
            let party = |address: &&str| PartyAddress {
                name: String::new(),
                address: (*address).to_owned(),
                fingerprint: None,
            };
            let parties = addresses.iter().map(party).collect();
            threads_of(&SessionConfig::new(
                PartyId(1),
                session_named("x"),
                parties,
                Security::InsecurePlaintextOnLoopback,
            ))
        };
        let alone = threads(["alice.example.org:7000", "0.0.0.0:7000", "carol.example.org:7000"]);
        assert_eq!(alone, processors.min(MOST_THREADS));
        let together = threads(["127.0.0.1:7000", "127.0.0.1:7001", "localhost:7002"]);
        assert_eq!(together, (processors / 3).clamp(1, MOST_THREADS));
    }
}
