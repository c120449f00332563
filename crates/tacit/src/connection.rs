//! Several runs over one connection.

use crate::error::{Error, Result};
use crate::meeting::{Meeting, in_session};
use crate::party::Party;
use crate::program::Program;
use crate::run::{Run, Settings, Stopper};
use crate::run_tables::Inputs;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tacit_net::{AbortKind, Session};

/// A connection of one party with the others, for several runs one after the other: they exchange no keys of TLS again.
///
/// All parties run the same programs over it, in the same order. Every run compares what it is, has keys and randomness of its
/// own, and passes its checks before it opens anything, as a run by itself does. A run that fails ends the connection for all.
///
/// ```
/// use std::thread;
/// use tacit::{Connection, Party, Program, protocols};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob
///     input a: u8 from alice in 0..100
///     input b: u8 from bob in 0..100
///     reveal a + b to all as "sum"
/// "#)?;
/// let sums = |party: &Party, input: &str, values: [u64; 3]| -> tacit::Result<Vec<i128>> {
///     let connection = Connection::of(party).open()?;
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
    settings: Settings,
    session: Mutex<Option<Session>>,
}

/// How a party connects with the others: [`Connection::of`] makes one, and [`Connecting::open`] connects.
#[derive(Clone)]
#[must_use = "nothing connects until `open` is called"]
pub struct Connecting<'p> {
    party: &'p Party,
    settings: Settings,
}

impl Connecting<'_> {
    /// The name of the connection: parties whose names for it differ do not meet. `default` unless it is said.
    pub fn session(mut self, name: &str) -> Self {
        self.settings.session = name.to_owned();
        self
    }

    /// How long a wait for data may take without progress, as for [`Run::timeout`]: between runs too.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.timeout = timeout;
        self
    }

    /// How long the other parties may take to come up: a minute unless it is said.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connect = timeout;
        self
    }

    /// Worker threads of every party in every run; one unless it is said.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = threads;
        self
    }

    /// What ends the connection, and the run that is going on, from another thread.
    pub fn stopper(mut self, stopper: &Stopper) -> Self {
        self.settings.stopper = stopper.clone();
        self
    }

    /// Connects. It blocks until all parties are there.
    ///
    /// # Errors
    /// [`ErrorKind::Network`](crate::ErrorKind::Network) where they do not come in time.
    pub fn open(self) -> Result<Connection> {
        let mut config = self.settings.config(self.party);
        config.workers = self.settings.threads;
        let session = Meeting::new(config).connect()?;
        let (party, settings) = (self.party.clone(), self.settings);
        Ok(Connection { party, settings, session: Mutex::new(Some(session)) })
    }
}

impl Connection {
    /// How a party connects.
    pub fn of(party: &Party) -> Connecting<'_> {
        Connecting { party, settings: Settings::default() }
    }

    /// The party that is connected with the others.
    #[must_use]
    pub fn party(&self) -> &Party {
        &self.party
    }

    /// A run of a program over this connection, as [`Party::run`] gives. Deadlines, threads and what stops it are those of the
    /// connection.
    pub fn run<'p>(&'p self, program: &'p Program) -> Run<'p> {
        let run = Run::new(&self.party, self.settings.clone(), Inputs::of(program));
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

    /// Ends the connection for all parties, which are told that whoever runs this one has stopped it.
    pub fn stop(&self) {
        if let Some(mut session) = self.taken() {
            session.abort(AbortKind::Interrupted, "whoever runs it has stopped it");
        }
    }

    fn taken(&self) -> Option<Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Works over the connection, which is over for all when that fails.
    pub(crate) fn with<D>(&self, work: impl FnOnce(&mut Session) -> Result<D>) -> Result<D> {
        let mut place = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(session) = place.as_mut() else {
            return Err(Error::input("this connection is over: connect again"));
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
