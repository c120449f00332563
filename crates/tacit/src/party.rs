//! One party, on its own machine.

use crate::circuit::Circuit;
use crate::connection::Connection;
use crate::error::{Error, Result};
use crate::policy::Demands;
use crate::program::Program;
use crate::run::{Connecting, Run, Settings};
use crate::run_ports::Ports;
use crate::run_tables::Inputs;
use std::fmt;
use std::path::Path;
use tacit_engine::protocols;
use tacit_net::config::PartyConfig;
use tacit_net::{PartyAddress, PartyId, Security, SessionConfig, SessionId};
use tacit_planner::Threat;
use tacit_sharing::Protocol;

/// One party of a computation: its name, its private key, and the parties that it computes with, each known by the
/// fingerprint of its key.
///
/// `tacit party new` and `tacit party add` make the file that it comes from. The party reaches the others over TLS 1.3 with
/// pinned keys: nobody else can listen, or stand in for one of them. What the *parties* may do to each other is a matter
/// of the [protocol](crate::Protocol), which [`Run::protocol`] chooses.
///
/// Its file may have a policy, which says what the protocols of all its runs must protect against:
///
/// ```toml
/// [policy]
/// security = "malicious"     # or "semi-honest"
/// corruptions = "minority"   # or "one" (the default), "all-but-one", or a number
/// ```
///
/// A party opens its listening port for the time of a run. So its runs go one after the other, unless each thread has a party
/// with a port of its own.
///
/// ```
/// use std::thread;
/// use tacit::{Party, Program, protocols};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob
///     input a: u8 from alice in 0..100
///     input b: u8 from bob in 0..100
///     reveal a + b to all as "sum"
/// "#)?;
/// // In real life each on its own machine, by `Party::from_file("alice.toml")`.
/// let [alice, bob] = Party::on_loopback(&["alice", "bob"])?.try_into().expect("two");
/// let gmw = protocols::GMW;
/// let bob = {
///     let program = program.clone();
///     thread::spawn(move || bob.run(&program).protocol(gmw).input("b", 22).start())
/// };
/// let outcome = alice.run(&program).protocol(gmw).input("a", 20).start()?;
/// assert_eq!(outcome["sum"], 42);
/// assert_eq!(bob.join().expect("no panic")?["sum"], 42);
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone)]
pub struct Party {
    config: SessionConfig,
    demands: Demands,
}

impl Party {
    /// The party of a configuration file, from `tacit party new` or `tacit network init`.
    ///
    /// # Errors
    /// An [`ErrorKind::Config`](crate::ErrorKind::Config) where the file cannot be read, other users may read it, or it
    /// is no configuration; the last with line and column.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Party> {
        let path = path.as_ref();
        Ok(Party::of(&PartyConfig::load(path)?, path.display().to_string()))
    }

    /// The party of a configuration that is in memory: from a vault, say. `name` stands for the file in messages.
    ///
    /// # Errors
    /// When the text is no configuration, as for [`Party::from_file`].
    pub fn parse(name: &str, text: &str) -> Result<Party> {
        Ok(Party::of(&PartyConfig::parse(text, name)?, name.to_owned()))
    }

    /// Parties of these names with fresh keys, on free ports of this machine's loopback interface: for tests of what
    /// embeds them. They do all that parties on several machines do.
    ///
    /// # Errors
    /// An [`ErrorKind::Config`](crate::ErrorKind::Config) where a name cannot be one, or there are not enough ports.
    pub fn on_loopback(names: &[&str]) -> Result<Vec<Party>> {
        let party = |config: SessionConfig| {
            let name = &config.parties[config.me.index()].name;
            let demands = Demands::none(format!("the configuration of {name}"));
            Party { config, demands }
        };
        Ok(crate::loopback::sessions(names)?.into_iter().map(party).collect())
    }

    fn of(config: &PartyConfig, origin: String) -> Party {
        let demands = Demands::of(config, origin);
        Party { config: config.session(SessionId::named("")), demands }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.config.parties[self.config.me.index()].name
    }

    /// Names of all parties, by number; its own is among them.
    pub fn parties(&self) -> impl ExactSizeIterator<Item = &str> {
        self.config.parties.iter().map(|party| party.name.as_str())
    }

    /// Fingerprints of all parties' keys, by number, as `tacit party show` prints them; none where a party has no key because
    /// all talk in plaintext.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<Option<String>> {
        let of = |(number, party): (usize, &PartyAddress)| match &self.config.security {
            Security::Tls(own) if number == self.config.me.index() => Some(own.fingerprint()),
            _ => party.fingerprint,
        };
        let all = self.config.parties.iter().enumerate().map(of);
        all.map(|fingerprint| fingerprint.map(|it| it.to_string())).collect()
    }

    /// The protocol that its runs take unless they say otherwise, or its file has a policy: one against malicious parties, with abort. It is `lift`
    /// for three parties and `quad` for four, which are secure if one party at most is corrupted, and
    /// `authenticated:N` for two and for more than four, of which all but one may be.
    ///
    /// (`tacit run` has no such default: name a protocol, or what it must protect against, where the two meet.)
    ///
    /// # Errors
    /// An [`ErrorKind::Config`](crate::ErrorKind::Config) where the party knows no others, or more than 63.
    pub fn usual_protocol(&self) -> Result<Protocol> {
        let parties = self.config.parties.len();
        let usual = match parties {
            3 => protocols::LIFT,
            4 => protocols::QUAD,
            parties => protocols::AUTHENTICATED.fitting(parties),
        };
        match usual.parties() == parties {
            true => Ok(usual),
            false => Err(Error::new(
                crate::ErrorKind::Config,
                format!("{}: no protocol is for {parties} parties; name one", self.origin()),
            )),
        }
    }

    /// A run of a program, which starts with [`Run::start`].
    pub fn run<'p>(&'p self, program: &'p Program) -> Run<'p> {
        Run::new(self, Settings::default(), Inputs::of(program))
    }

    /// An evaluation of a Boolean circuit, which starts with `start`, as a [`Run`] of a program does.
    ///
    /// ```
    /// use std::thread;
    /// use tacit::{Circuit, CircuitBuilder, Party, protocols};
    ///
    /// // Whether two codes of eight bits are the same: one bit opens, and only to alice.
    /// let mut builder = CircuitBuilder::new();
    /// let (a, b) = (builder.input(8), builder.input(8));
    /// let same = |(a, b)| {
    ///     let differ = builder.xor(a, b);
    ///     builder.not(differ)
    /// };
    /// let same: Vec<_> = a.into_iter().zip(b).map(same).collect();
    /// let equal = builder.and(&same);
    /// builder.output(&[equal]);
    /// let circuit = Circuit::from(builder.finish());
    ///
    /// let [alice, bob] = Party::on_loopback(&["alice", "bob"])?.try_into().expect("two");
    /// let protocol = protocols::GMW;
    /// let (a, b) = thread::scope(|scope| {
    ///     let run = |party: &Party, port, codes: [u8; 3]| {
    ///         party.evaluate(&circuit).protocol(protocol).input(port, &codes).reveal(0, ["alice"]).start()
    ///     };
    ///     // Three instances, side by side.
    ///     let bob = scope.spawn(move || run(&bob, 1, [7, 8, 9]));
    ///     (run(&alice, 0, [7, 7, 9]), bob.join().expect("no panic"))
    /// });
    /// assert_eq!(a?.numbers(0), Some(vec![1, 0, 1]));
    /// assert_eq!(b?.numbers(0), None);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    pub fn evaluate<'p>(&'p self, circuit: &'p Circuit) -> Run<'p, Ports<'p>> {
        Run::new(self, Settings::default(), Ports::of(circuit))
    }

    /// Connects with the other parties, for several runs of programs. It blocks until all are there.
    ///
    /// # Errors
    /// An [`ErrorKind::Network`](crate::ErrorKind::Network) where they do not come in time.
    pub fn connect(&self, connecting: Connecting) -> Result<Connection> {
        Connection::open(self, connecting)
    }

    /// What the policy in its file demands that the protocols of its runs protect against.
    #[must_use]
    pub fn policy(&self) -> Option<Threat> {
        self.demands.threat(self.config.parties.len())
    }

    pub(crate) fn id(&self) -> PartyId {
        self.config.me
    }

    pub(crate) fn config(&self) -> &SessionConfig {
        &self.config
    }

    pub(crate) fn origin(&self) -> &str {
        self.demands.origin()
    }

    pub(crate) fn demands(&self) -> &Demands {
        &self.demands
    }
}

impl fmt::Debug for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Party({} of {})", self.name(), self.config.parties.len())
    }
}
