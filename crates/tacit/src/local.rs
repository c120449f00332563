//! All parties in one process, over a network that is played.

use crate::choice::{ByChoice, ChunkChoice};
use crate::error::{Error, Result};
use crate::inputs::{Given, Sources, TableSource};
use crate::names::Names;
use crate::network::Network;
use crate::options::Options;
use crate::outcome::Outcome;
use crate::program::Program;
use crate::progress::Watch;
use crate::roles::Roles;
use crate::run::Stopper;
use crate::run_program::ProgramRun;
use crate::values::Values;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use tacit_net::{PartyId, Session, memory};
use tacit_sharing::Protocol;

/// All parties of a program in this process, a thread each, in virtual time: for tests, for examples, and to learn what
/// a run would take on another network.
///
/// The parties run the real protocol and exchange all of its messages, but in memory: nothing is encrypted, and whoever runs
/// the process sees all inputs. **It protects nobody.** Use [`Party`](crate::Party) for parties that do not trust each other.
///
/// The program's parties come first, in its order; where the protocol has more, others that give nothing join.
///
/// ```
/// use tacit::{LocalParties, Network, Program, protocols};
///
/// let program = Program::parse("stay.tacit", r#"
///     program stay
///     parties alice, bob, carol
///     rows n in 1..1000
///     input age: u8[n] from alice in 0..120
///     input days: u16[n] from bob in 0..1000
///     let mean = mean(days, age >= 65, axis 0, fraction 8)
///     reveal mean to all as "mean stay"
/// "#)?;
/// let outcome = LocalParties::new(&program, protocols::LIFT)
///     .network(Network::GLOBAL)
///     .input("age", &[70, 30, 81])
///     .input("days", &[4, 2, 7])
///     .run()?;
/// assert_eq!(outcome["mean stay"], 5.5);
/// // Virtual seconds: it takes far less here.
/// assert!(outcome.report().cost.online_seconds > 1.0);
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "parties compute when `run` is called"]
pub struct LocalParties {
    program: Program,
    options: Options,
    network: Network,
    sources: Sources,
    tables: BTreeMap<String, Vec<TableSource>>,
    stopper: Stopper,
    watch: Watch,
}

impl LocalParties {
    /// The parties of a program, and those that the protocol has more. The network is [`Network::INSTANT`] unless another
    /// one is given.
    pub fn new(program: &Program, protocol: Protocol) -> LocalParties {
        LocalParties {
            program: program.clone(),
            options: Options::new(protocol),
            network: Network::INSTANT,
            sources: Sources::default(),
            tables: BTreeMap::new(),
            stopper: Stopper::default(),
            watch: Watch::default(),
        }
    }

    /// The network that is played.
    pub fn network(mut self, network: Network) -> LocalParties {
        self.network = network;
        self
    }

    /// The values of an input, whoever gives it.
    pub fn input(mut self, name: &str, values: impl Into<Values>) -> LocalParties {
        self.sources.values.insert(name.to_owned(), values.into());
        self
    }

    /// A CSV or Parquet file with a party's inputs, a column each: the input `alice.age` of alice is the column `age`. It
    /// is read when the parties [run](LocalParties::run).
    pub fn table(mut self, party: &str, path: impl AsRef<Path>) -> LocalParties {
        let table = TableSource { path: path.as_ref().to_owned(), rows: None };
        self.tables.entry(party.to_owned()).or_default().push(table);
        self
    }

    /// Worker threads of every party; one unless it is said.
    pub fn threads(mut self, threads: usize) -> LocalParties {
        self.options.threads = threads;
        self
    }

    /// The parties that play roles 0, 1, 2 and so on of the protocol, by name: in their own order unless it is said. Those that
    /// the protocol has more than the program are called by their numbers.
    pub fn roles<'n>(mut self, parties: impl IntoIterator<Item = &'n str>) -> LocalParties {
        let parties: Vec<&str> = parties.into_iter().collect();
        self.options.roles = Some(Roles::Given(vec![parties.join(",")]));
        self
    }

    /// Gives out roles by what the links of the network carry.
    pub fn roles_for_links(mut self) -> LocalParties {
        self.options.roles = Some(Roles::Auto);
        self
    }

    /// What the program's numbers are computed with; see [`Run::by`](crate::Run::by).
    pub fn by(mut self, by: ByChoice) -> LocalParties {
        self.options.by = Some(by);
        self
    }

    /// How many rows of large arrays go through the program together; see [`Run::chunk_rows`](crate::Run::chunk_rows).
    pub fn chunk_rows(mut self, rows: ChunkChoice) -> LocalParties {
        self.options.chunk_rows = Some(rows);
        self
    }

    /// What ends the run from another thread: for all parties, with [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted).
    pub fn stopper(mut self, stopper: &Stopper) -> LocalParties {
        self.stopper = stopper.clone();
        self
    }

    /// What says how far the run has come, in another thread.
    pub fn watched_by(mut self, watch: &Watch) -> LocalParties {
        self.watch = watch.clone();
        self
    }

    /// Runs the program to its end: the results of all parties together, and what the run cost the first party.
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where an input is missing or is none of the program's, the protocol cannot run the
    /// program, a value leaves its declared range, or the network has links of too few parties.
    pub fn run(&self) -> Result<Outcome> {
        let mut all = self.run_each()?.into_iter();
        let first = all.next().ok_or_else(|| Error::input("a program has at least one party"))?;
        Ok(all.fold(first, |mut first, other| {
            first.add(other);
            first
        }))
    }

    /// Runs the program to its end: what each party has, by number.
    ///
    /// # Errors
    /// When [`LocalParties::run`] fails.
    pub fn run_each(&self) -> Result<Vec<Outcome>> {
        self.sources.check_names(&self.program, None)?;
        let names = Names::local(&self.program, self.options.protocol)?;
        let (program, options, bounds) = (&*self.program, &self.options, BTreeMap::new());
        let run = ProgramRun { program, names: &names, options, wanted: None, bounds, gate: None };
        let parties = names.session.len();
        let mut network = self.network.played(parties)?;
        network.stopper = self.stopper.0.clone();
        let given = PartyId::all(parties).map(|me| Ok(Mutex::new(Some(self.given(&names, me)?))));
        let given: Vec<Mutex<Option<Given>>> = given.collect::<Result<_>>()?;
        let party = |mut session: Session| -> Result<Outcome> {
            let own =
                given[session.me().index()].lock().unwrap_or_else(PoisonError::into_inner).take();
            let done = run.over(&mut session, own.unwrap_or_default(), None, &self.watch)?;
            session.finish()?;
            Outcome::new(&self.program, done.outcome)
        };
        all_or_cause(memory::run(parties, run.workers()?, &network, party))
    }

    /// What a party gives, and what is public.
    fn given(&self, names: &Names, me: PartyId) -> Result<Given> {
        let mut given = self.sources.public(&self.program)?;
        let Some(own) = names.own(me) else { return Ok(given) };
        let name = &self.program.parties()[usize::from(own.0)];
        let tables = self.tables.get(name).cloned().unwrap_or_default();
        let Given { inputs, rows } =
            Sources { tables, ..self.sources.clone() }.of_party(&self.program, own)?;
        given.inputs.extend(inputs);
        given.rows = rows;
        Ok(given)
    }
}

/// All results, or the error that caused the others.
fn all_or_cause(results: Vec<Result<Outcome>>) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::with_capacity(results.len());
    let mut worst: Option<Error> = None;
    for result in results {
        match result {
            Ok(outcome) => outcomes.push(outcome),
            Err(error) => {
                if worst.as_ref().is_none_or(|known| known.is_heard() && !error.is_heard()) {
                    worst = Some(error);
                }
            }
        }
    }
    worst.map_or(Ok(outcomes), Err)
}
