//! Several runs over one connection.

use crate::error::{Error, Result};
use crate::meeting::{Meeting, in_session};
use crate::party::Party;
use crate::program::Program;
use crate::run::{Connecting, Run, Settings};
use crate::run_tables::Inputs;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tacit_net::Session;

/// A connection of one party with the others, for several runs one after the other: they exchange no keys of TLS again.
///
/// All parties run the same programs over it, in the same order. Every run compares what it is, has keys and randomness of its
/// own, and passes its checks before it opens anything, as a run by itself does. A run that fails ends the connection for all.
/// [`Party::connect`] makes one; if it is dropped before [`Connection::finish`], the others hear that this party has gone.
///
/// ```
/// use std::thread;
/// use tacit::{Connecting, Party, Program, protocols};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob
///     input a: u8 from alice in 0..100
///     input b: u8 from bob in 0..100
///     reveal a + b to all as "sum"
/// "#)?;
/// let sums = |party: &Party, input: &str, values: [u64; 3]| -> tacit::Result<Vec<i128>> {
///     let connection = party.connect(Connecting::default())?;
///     let mut sums = Vec::new();
///     for value in values {
///         let run = connection.run(&program).protocol(protocols::GMW);
///         sums.extend(run.input(input, value).start()?["sum"].integers());
///     }
///     connection.finish()?;
///     Ok(sums)
/// };
/// let parties = Party::on_loopback(&["alice", "bob"])?;
/// let (alice, bob) = thread::scope(|scope| {
///     let bob = scope.spawn(|| sums(&parties[1], "b", [1, 2, 3]));
///     (sums(&parties[0], "a", [10, 20, 30]), bob.join().expect("no panic"))
/// });
/// assert_eq!(alice?, [11, 22, 33]);
/// assert_eq!(bob?, [11, 22, 33]);
/// # Ok::<(), tacit::Error>(())
/// ```
pub struct Connection {
    party: Party,
    connecting: Connecting,
    session: Mutex<Option<Session>>,
}

impl Connection {
    /// Connects a party with the others.
    pub(crate) fn open(party: &Party, connecting: Connecting) -> Result<Connection> {
        let mut config = connecting.config(party);
        config.workers = connecting.threads.unwrap_or(1);
        let session = Meeting::new(config).connect()?;
        Ok(Connection { party: party.clone(), connecting, session: Mutex::new(Some(session)) })
    }

    /// The party that is connected with the others.
    #[must_use]
    pub fn party(&self) -> &Party {
        &self.party
    }

    /// A run of a program over this connection, as [`Party::run`] gives. Its name, deadlines, threads and what stops it are those
    /// of the connection, whatever else it is told. Runs go one after the other, in the same order at all parties.
    pub fn run<'p>(&'p self, program: &'p Program) -> Run<'p> {
        let settings = Settings::connecting(self.connecting.clone());
        let run = Run::new(&self.party, settings, Inputs::of(program));
        Run { over: Some(self), ..run }
    }

    /// Ends the connection well, when all parties do.
    ///
    /// # Errors
    /// [`ErrorKind::Network`](crate::ErrorKind::Network) where a party is lost.
    pub fn finish(&self) -> Result<()> {
        match self.taken() {
            Some(session) => Ok(session.finish()?),
            None => Ok(()),
        }
    }

    /// Ends the connection for all parties, and the run that is going on, as its [`Stopper`](crate::Stopper) does.
    pub fn stop(&self) {
        self.connecting.stopper.stop();
        // A run that is going on ends first, with an error.
        drop(self.taken());
    }

    fn taken(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Works over the connection, which is over for all when that fails.
    pub(crate) fn with<D>(&self, work: impl FnOnce(&mut Session) -> Result<D>) -> Result<D> {
        let mut place = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(session) = place.as_mut() else {
            return Err(Error::input(
                "this connection has ended, by `finish`, by `stop`, or as a run over it failed: connect again",
            ));
        };
        let done = in_session(session, work);
        if done.is_err() {
            *place = None;
        }
        done
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Connection({})", self.party.name())
    }
}
