//! A run of one party with the others, before it starts.

use crate::choice::{ByChoice, ChunkChoice};
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::meeting::{Meeting, session_named, with_deadlines};
use crate::options::Options;
use crate::outcome::Outcome;
use crate::party::Party;
use crate::progress::Watch;
use crate::roles::Roles;
use crate::wanted::Wanted;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tacit_net::{AbortKind, SessionConfig};
use tacit_planner::Threat;
use tacit_sharing::Protocol;

/// How long the others are told that a run will not come about: they try to connect once a second at least.
const GOODBYE: Duration = Duration::from_millis(1200);

/// A run of one party with the others: what it computes, how, and where this party's inputs come from.
///
/// [`Party::run`] makes one for a program, and [`Party::evaluate`] for a Boolean circuit. [`Run::start`] does everything: it
/// connects with all parties, compares with them what is to be run, computes, lets the protocol's checks pass, opens
/// the results to those who are to learn them, and finishes. If anything fails, all parties hear of it and nobody
/// has part of a result.
///
/// All parties must say the same, except for their inputs, bounds of rows and deadlines; where they differ, the run fails
/// at each with a sentence that says in what.
#[derive(Clone)]
#[must_use = "a run does nothing until `start` is called"]
pub struct Run<'p, T = crate::run_tables::Inputs<'p>> {
    pub(crate) party: &'p Party,
    pub(crate) settings: Settings,
    pub(crate) task: T,
    /// The connection that it is over, if not one of its own.
    pub(crate) over: Option<&'p Connection>,
}

/// What all runs have.
#[derive(Clone, Default)]
pub struct Settings {
    pub(crate) connecting: Connecting,
    protocol: Option<Protocol>,
    wanted: Option<Wanted>,
    roles: Option<Roles>,
    by: Option<ByChoice>,
    chunk_rows: Option<ChunkChoice>,
    stored: Option<PathBuf>,
    pub(crate) watch: Watch,
    pub(crate) gate: Option<Gated>,
    pub(crate) keep: Option<Keep>,
}

/// What is asked before results open.
pub(crate) type Gated = Arc<dyn Fn() -> std::result::Result<(), String> + Send + Sync>;
/// What keeps an outcome before the run finishes.
pub(crate) type Keep = Arc<dyn Fn(&Outcome) -> std::result::Result<(), String> + Send + Sync>;

/// How a party connects with the others: each run by itself, or once for several, by [`Party::connect`].
///
/// ```
/// use tacit::Connecting;
///
/// let how = Connecting { session: "march".into(), threads: Some(2), ..Connecting::default() };
/// assert_eq!(how.timeout.as_secs(), 30);
/// ```
#[derive(Clone)]
pub struct Connecting {
    /// The name: parties whose names for it differ do not meet. `default` unless it is said.
    pub session: String,
    /// How long a wait for data may take without progress: 30 seconds unless it is said. A peer that shows no sign of life is
    /// given up after twice as long, and one that is alive but busy with something else after 120 times as long.
    pub timeout: Duration,
    /// How long the other parties may take to come up: a minute unless it is said.
    pub connect_timeout: Duration,
    /// Worker threads of every party, per assignment of roles. Unless it is said it is one; but where a run connects by itself and
    /// the parties choose the protocol, they choose this too.
    pub threads: Option<usize>,
    /// What ends it from another thread. Clones have the same one: give each party of a process its own.
    pub stopper: Stopper,
}

impl Settings {
    /// The usual ones, of who connects so.
    pub(crate) fn connecting(connecting: Connecting) -> Settings {
        Settings { connecting, ..Settings::default() }
    }
}

impl Default for Connecting {
    fn default() -> Connecting {
        Connecting {
            session: "default".to_owned(),
            timeout: Duration::from_secs(30),
            connect_timeout: Duration::from_secs(60),
            threads: None,
            stopper: Stopper::default(),
        }
    }
}

impl Connecting {
    /// What a party's session is started with.
    pub(crate) fn config(&self, party: &Party) -> SessionConfig {
        let config = party.config().clone();
        let mut config = with_deadlines(config, self.timeout, self.connect_timeout);
        config.session = session_named(&self.session);
        config.stopper = self.stopper.0.clone();
        config
    }
}

/// Ends a run from another thread. Copies stop the same run.
///
/// ```
/// use tacit::{ErrorKind, Party, Program, Stopper};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob
///     input a: u8 from alice in 0..100
///     input b: u8 from bob in 0..100
///     reveal a + b to all as "sum"
/// "#)?;
/// let stopper = Stopper::default();
/// let parties = Party::on_loopback(&["alice", "bob"])?;
/// stopper.stop();
/// // Bob does not come, and nobody waits for him.
/// let run = parties[0].run(&program).input("a", 1).stopper(&stopper);
/// assert_eq!(run.start().unwrap_err().kind(), ErrorKind::Interrupted);
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Stopper(pub(crate) tacit_net::Stopper);

impl Stopper {
    /// Ends the run for all parties, now or as soon as it starts. It fails with
    /// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) here, and with
    /// [`ErrorKind::Peer`](crate::ErrorKind::Peer) elsewhere. A run stopped while results open may have opened some already.
    pub fn stop(&self) {
        self.0.stop(AbortKind::Interrupted, "whoever runs it has stopped it");
    }
}

impl<'p, T> Run<'p, T> {
    pub(crate) fn new(party: &'p Party, settings: Settings, task: T) -> Run<'p, T> {
        Run { party, settings, task, over: None }
    }

    /// The protocol, which decides who is protected from whom, and at what cost: see [`Protocol`] and
    /// `docs/protocols`. Unless it is said, or [chosen](Run::protect_against), the parties choose one that protects against
    /// what the policy in this party's file demands, and without a policy it is [`Party::usual_protocol`].
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        (self.settings.protocol, self.settings.wanted) = (Some(protocol), None);
        self
    }

    /// Lets the parties choose the protocol: of those that protect against this threat, the one that is fastest on the links
    /// between them and on their processors, which they measure at the start, with the best roles. All parties
    /// must want the same. [`Outcome::choice`](crate::Outcome::choice) says what was chosen, and why.
    ///
    /// ```
    /// use std::thread;
    /// use tacit::{Party, Program, Threat};
    ///
    /// let program = Program::parse("sum", r#"
    ///     program sum
    ///     parties alice, bob, carol
    ///     input a: u8 from alice in 0..100
    ///     input b: u8 from bob in 0..100
    ///     reveal a + b to all as "sum"
    /// "#)?;
    /// let parties = Party::on_loopback(&["alice", "bob", "carol"])?;
    /// let outcomes: Vec<_> = thread::scope(|scope| {
    ///     let run = |party| Party::run(party, &program).protect_against(Threat::malicious(1));
    ///     let runs: Vec<_> = parties.iter().map(run).collect();
    ///     let start = |(run, input): (tacit::Run<'_>, Option<&str>)| match input {
    ///         Some(name) => run.input(name, 40).start(),
    ///         None => run.start(),
    ///     };
    ///     let inputs = [Some("a"), Some("b"), None];
    ///     let all: Vec<_> = runs.into_iter().zip(inputs).map(|it| scope.spawn(move || start(it))).collect();
    ///     all.into_iter().map(|it| it.join().expect("no panic")).collect::<tacit::Result<_>>()
    /// })?;
    /// let choice = outcomes[0].choice().expect("a choice");
    /// assert_eq!(outcomes[0]["sum"], 80);
    /// assert_eq!(outcomes[0].report().protocol, choice.candidates[0].protocol);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    pub fn protect_against(mut self, threat: Threat) -> Self {
        (self.settings.wanted, self.settings.protocol) = (Some(Wanted::against(threat)), None);
        self
    }

    /// The name of this run: parties whose names for it differ do not meet. `default` unless it is said.
    pub fn session(mut self, name: &str) -> Self {
        self.settings.connecting.session = name.to_owned();
        self
    }

    /// How long a wait for data may take without progress: 30 seconds unless it is said. A peer that shows no sign of life is
    /// given up after twice as long, and one that is alive but busy with something else after 120 times as long.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.settings.connecting.timeout = timeout;
        self
    }

    /// How long the other parties may take to come up: a minute unless it is said.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.settings.connecting.connect_timeout = timeout;
        self
    }

    /// Worker threads of every party, per assignment of roles. Unless it is said it is one; but where the parties choose the
    /// protocol they choose this too, and whether there are several assignments of roles.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.connecting.threads = Some(threads);
        self
    }

    /// The parties that play roles 0, 1, 2 and so on of the protocol, by name: in their own order unless it is said.
    /// Roles differ in what they send and wait for, not in what they may learn.
    pub fn roles<'n>(mut self, parties: impl IntoIterator<Item = &'n str>) -> Self {
        let parties: Vec<&str> = parties.into_iter().collect();
        self.settings.roles = Some(Roles::Given(vec![parties.join(",")]));
        self
    }

    /// Gives out roles by what the links between the parties are measured to carry, at the start of the run.
    pub fn roles_for_links(mut self) -> Self {
        self.settings.roles = Some(Roles::Auto);
        self
    }

    /// What the program's numbers are computed with under the protocol that is named: elements of rings, circuits over bits, or
    /// what takes less time on links that are measured at the start. Rings unless it is said, where the protocol has them. It changes what
    /// a run costs, not what it computes or protects. All parties say the same.
    ///
    /// ```
    /// # let rows: tacit::ChunkChoice = "512".parse()?;
    /// let by: tacit::ByChoice = "circuits".parse()?;
    /// assert!("shares".parse::<tacit::ByChoice>().is_err());
    /// # Ok::<(), String>(())
    /// ```
    pub fn by(mut self, by: ByChoice) -> Self {
        self.settings.by = Some(by);
        self
    }

    /// How many rows of large arrays go through the program together under the protocol that is named: more take more memory, and fewer
    /// rounds. All parties say the same.
    pub fn chunk_rows(mut self, rows: ChunkChoice) -> Self {
        self.settings.chunk_rows = Some(rows);
        self
    }

    /// Uses preprocessing that `tacit prepare` stored in this directory, once: the run itself is shorter then. What a run
    /// takes from the store is spent, even if the run fails. A run under a [protocol of one's own](crate::own) cannot have any.
    pub fn prepared(mut self, directory: impl AsRef<Path>) -> Self {
        self.settings.stored = Some(directory.as_ref().to_owned());
        self
    }

    /// What ends the run from another thread.
    pub fn stopper(mut self, stopper: &Stopper) -> Self {
        self.settings.connecting.stopper = stopper.clone();
        self
    }

    /// What says how far the run has come, in another thread.
    pub fn watched_by(mut self, watch: &Watch) -> Self {
        self.settings.watch = watch.clone();
        self
    }

    /// How it is computed, and what the protocol must do, if the parties choose it. What this party's policy does not allow is
    /// refused.
    pub(crate) fn options(&self) -> Result<(Options, Option<Wanted>)> {
        let Settings { connecting, protocol, wanted, roles, by, chunk_rows, stored, .. } =
            &self.settings;
        let (parties, demands) = (self.party.config().parties.len(), self.party.demands());
        let by_policy = || demands.threat(parties).map(Wanted::against);
        let wanted = match protocol {
            Some(_) => None,
            None => wanted.or_else(by_policy),
        };
        let protocol = match (wanted, protocol) {
            (Some(wanted), _) => {
                demands.allow_choice(&wanted, parties)?;
                // Any that protects well enough, until the parties have chosen.
                wanted.protocols(parties)?[0]
            }
            (None, Some(protocol)) => *protocol,
            (None, None) => self.party.usual_protocol()?,
        };
        demands.allow(protocol)?;
        let threads = connecting.threads.unwrap_or(1);
        let spread = connecting.threads.is_none() && wanted.is_some();
        if stored.is_some() && protocol.own_roles().is_some() {
            return Err(Error::input(format!(
                "not supported for protocols of one's own: stored preprocessing, which `tacit prepare` makes, under {protocol}"
            )));
        }
        let (roles, by, chunk_rows, stored) = (roles.clone(), *by, *chunk_rows, stored.clone());
        let usual = Options::new(protocol);
        Ok((Options { roles, by, chunk_rows, threads, spread, stored, ..usual }, wanted))
    }

    /// Meets the others and works with them; whatever keeps this party from it is told to them.
    pub(crate) fn meet<D>(&self, work: impl FnOnce(&mut Meeting) -> Result<D>) -> Result<D> {
        if self.over.is_some() {
            return Err(Error::input(
                "not supported over a connection: prepare by a run of the party itself",
            ));
        }
        let mut meeting = Meeting::new(self.settings.connecting.config(self.party));
        work(&mut meeting).inspect_err(|error| {
            if let Some(mut farewell) = meeting.farewell(error) {
                farewell.tell(GOODBYE);
            }
        })
    }
}
