//! A party's run of a program: its inputs, and the start.

use crate::error::{Error, ErrorKind, Result};
use crate::inputs::{Given, Sources, TableSource};
use crate::job::program_job;
use crate::names::{Names, Parties, takes_outside};
use crate::outcome::Outcome;
use crate::prepare::{Prepared, Preparer, agreed};
use crate::program::Program;
use crate::progress::Progress;
use crate::roles::Roles;
use crate::run::Run;
use crate::run_program::{ProgramDone, ProgramRun};
use crate::store::{check_store, open_store};
use crate::values::Values;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;
use tacit_engine::circuit::{self, Compiled};
use tacit_engine::program::{self as engine, CompiledProgram, check_own_rows};
use tacit_engine::store::Store;
use tacit_net::Session;
use tacit_ring::Entropy;

/// How many runs are prepared at once.
const RUNS: RangeInclusive<u64> = 1..=1_000_000;

/// A program and one party's inputs of it: what a [`Run`] is of, unless it is of a circuit.
#[derive(Clone)]
pub struct Inputs<'p> {
    program: &'p Program,
    sources: Sources,
    bounds: BTreeMap<String, RangeInclusive<u64>>,
}

impl<'p> Inputs<'p> {
    pub(crate) fn of(program: &'p Program) -> Inputs<'p> {
        Inputs { program, sources: Sources::default(), bounds: BTreeMap::new() }
    }
}

/// Runs of programs.
impl Run<'_> {
    /// The values of one of this party's inputs, or of a public one, which all parties give alike.
    ///
    /// The values stay on this machine; what leaves it are shares of them. Values outside the range that the program declares
    /// are refused here.
    pub fn input(mut self, name: &str, values: impl Into<Values>) -> Self {
        self.task.sources.values.insert(name.to_owned(), values.into());
        self
    }

    /// A CSV or Parquet file with this party's inputs, a column each: the input `alice.age` of alice is the column `age`. Each
    /// cell is checked against the program's types and ranges.
    pub fn table(mut self, path: impl AsRef<Path>) -> Self {
        self.task.sources.tables.push(TableSource { path: path.as_ref().to_owned(), rows: None });
        self
    }

    /// Gives a table as [`Run::table`] does, for the inputs with this row count. It is for parties that have inputs
    /// with several row counts.
    pub fn table_of(mut self, rows: &str, path: impl AsRef<Path>) -> Self {
        let (path, rows) = (path.as_ref().to_owned(), Some(rows.to_owned()));
        self.task.sources.tables.push(TableSource { path, rows });
        self
    }

    /// A TOML file that says which column of the tables is which input, with missing values (see `docs/tables.md`).
    pub fn schema(mut self, path: impl AsRef<Path>) -> Self {
        self.task.sources.schema = Some(path.as_ref().to_owned());
        self
    }

    /// Computes only with so many rows, by name of the row count, whatever else the program allows. It is a matter of
    /// privacy: a mean of one row is that row. The row counts are compared before any input leaves this party.
    pub fn rows_within(mut self, rows: &str, range: RangeInclusive<u64>) -> Self {
        self.task.bounds.insert(rows.to_owned(), range);
        self
    }

    /// Asks this once, after the protocol's checks and just before the first message from which anybody could learn a result:
    /// for whoever has to count releases, durably, before they happen. (Where the protocol garbles, before the circuit is
    /// evaluated.) Where it refuses, the run ends at all parties and no result is opened anywhere; otherwise it waits for the
    /// gates of all others. All parties of a run have a gate, or none has.
    ///
    /// ```
    /// use std::thread;
    /// use tacit::{ErrorKind, Party, Program, protocols};
    ///
    /// let program = Program::parse("sum", r#"
    ///     program sum
    ///     parties alice, bob
    ///     input a: u8 from alice in 0..100
    ///     input b: u8 from bob in 0..100
    ///     reveal a + b to all as "sum"
    /// "#)?;
    /// let parties = Party::on_loopback(&["alice", "bob"])?;
    /// let (alice, bob) = thread::scope(|scope| {
    ///     let run = |party: &'static str, refuses: bool| {
    ///         let (parties, program) = (&parties, &program);
    ///         scope.spawn(move || {
    ///             let me = parties.iter().find(|it| it.name() == party).expect("a party");
    ///             let input = if party == "alice" { "a" } else { "b" };
    ///             let run = me.run(program).protocol(protocols::GMW).input(input, 20);
    ///             run.gate(move || if refuses { Err("the budget is spent".into()) } else { Ok(()) }).start()
    ///         })
    ///     };
    ///     let (alice, bob) = (run("alice", false), run("bob", true));
    ///     (alice.join().expect("no panic"), bob.join().expect("no panic"))
    /// });
    /// assert_eq!(alice.unwrap_err().kind(), ErrorKind::Peer);
    /// assert_eq!(bob.unwrap_err().kind(), ErrorKind::Interrupted);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) with the reason where it refuses; the others hear that this
    /// party refused, without the reason.
    pub fn gate(
        mut self,
        gate: impl Fn() -> std::result::Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.settings.gate = Some(Arc::new(gate));
        self
    }

    /// Gives the outcome to this before the run says to the others that it has finished: what is kept there is not lost where
    /// the last messages are.
    ///
    /// # Errors
    /// [`ErrorKind::System`](crate::ErrorKind::System) with its reason where it fails; the run ends for the others, too, as far as
    /// they have not finished.
    pub fn keep(
        mut self,
        keep: impl Fn(&Outcome) -> std::result::Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.settings.keep = Some(Arc::new(keep));
        self
    }

    /// Runs the program with the other parties, to its end: connects, agrees, computes, checks, opens, finishes. It blocks
    /// until then. What this party learns is in the outcome.
    ///
    /// # Errors
    /// [`Error::kind`](crate::Error::kind) says whose fault it is. When this party's own input is wrong, it spends up to 1.2 s
    /// on telling the others, so that they do not wait for it.
    pub fn start(self) -> Result<Outcome> {
        let watch = &self.settings.watch;
        let kept = |done: ProgramDone| {
            let outcome = Outcome::new(self.task.program, done.outcome)?.with_choice(done.auto);
            let kept = self.settings.keep.as_ref().map_or(Ok(()), |keep| keep(&outcome));
            kept.map_err(|why| Error::new(ErrorKind::System, why))?;
            Ok(outcome)
        };
        match self.over {
            None => self.meet(|meeting| {
                self.ready(|run, given, store| {
                    meeting.config.workers = run.workers()?;
                    run.with_others_until(meeting, given, store, watch, kept)
                })
            }),
            Some(connection) => connection.with(|session| {
                self.ready(|run, given, store| {
                    let (needs, has) = (run.workers()?, session.meshes.len());
                    if needs != has {
                        return Err(Error::input(format!(
                            "this run needs {needs} threads between the parties, and its connection has {has}: give the connection \
                             as many, and let roles be chosen for links by runs that connect by themselves"
                        )));
                    }
                    kept(run.over(session, given, store, watch)?)
                })
            }),
        }
    }

    /// Looks at everything that this party gives, before `go` computes with the others.
    fn ready<D>(
        &self,
        go: impl FnOnce(&ProgramRun<'_>, Given, Option<Store>) -> Result<D>,
    ) -> Result<D> {
        let (party, program) = (self.party, self.task.program);
        let (options, wanted) = self.options()?;
        let outside = takes_outside(options.protocol);
        let parties = Parties::of(party.config(), party.origin(), options.protocol, outside)?;
        let names = Names::configured(program, &parties)?;
        let stored = options.stored.as_deref();
        stored.map(check_store).transpose()?;
        let given = self.given(&names)?;
        let bounds = self.task.bounds.clone();
        let gate = self.settings.gate.clone();
        let run = ProgramRun { program, names: &names, options: &options, wanted, bounds, gate };
        let open = |directory| open_store((directory, party.name()), party.config(), true);
        go(&run, given, stored.map(open).transpose()?)
    }

    /// Makes the preprocessing of so many runs to come with the other parties, which do the same, and keeps it in this party's
    /// store in a directory: a folder of its name. A run with the same settings and row counts, and
    /// [`Run::prepared`] of the same directory, is shorter then. Needs no inputs but public ones.
    ///
    /// What is stored is as secret as the inputs of the runs that will use it. The files are encrypted; their keys, and a ledger of
    /// what is spent, are kept apart, in `$TACIT_STATE`, `$XDG_STATE_HOME/tacit` or `~/.local/state/tacit`.
    ///
    /// ```no_run
    /// use tacit::{Party, Program, protocols};
    ///
    /// let program = Program::read("pay-gap.tacit")?;
    /// let party = Party::from_file("alice.toml")?;
    /// let run = party.run(&program).protocol(protocols::LIFT);
    /// run.clone().prepare("store", &[("a", 100), ("b", 80), ("c", 120)], 10)?;
    /// // Ten times, when there are inputs:
    /// let outcome = run.prepared("store").table("alice.csv").start()?;
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where no protocol is named, a row count is missing, or the protocol has
    /// nothing that comes before inputs; else as [`Run::start`].
    pub fn prepare(
        mut self,
        directory: impl AsRef<Path>,
        rows: &[(&str, u64)],
        runs: u64,
    ) -> Result<Prepared> {
        let directory = directory.as_ref();
        self = self.prepared(directory);
        self.meet(|meeting| {
            let (party, program) = (self.party, self.task.program);
            let (options, wanted) = self.options()?;
            if wanted.is_some() {
                return Err(Error::input("what is prepared is for one protocol: name it"));
            }
            if options.roles == Some(Roles::Auto) {
                return Err(Error::input(
                    "what is prepared is for roles that are given: name them",
                ));
            }
            if !RUNS.contains(&runs) {
                return Err(Error::input("prepare from 1 to 1000000 runs"));
            }
            let outside = takes_outside(options.protocol);
            let parties = Parties::of(&meeting.config, party.origin(), options.protocol, outside)?;
            let names = Names::configured(program, &parties)?;
            let job = program_job(&options, program, &names, program.all_row_counts(rows)?)?;
            let compiled = CompiledProgram::new(program, job)?;
            engine::check_storable(&compiled)?;
            let public = self.task.sources.public(program)?.inputs;
            meeting.config.workers = compiled.job().threads();
            let preparer = Preparer {
                into: directory,
                party: party.name(),
                label: program.name(),
                runs,
                facts: engine::facts(&compiled, &public),
                agreed: agreed(false),
                last: true,
            };
            let watch = &self.settings.watch;
            watch.total(runs);
            preparer.all(meeting, &|more| watch.done(more), |session, preparation| {
                let garble = |session: &mut Session, compiled: &Compiled| {
                    circuit::prepare(session, compiled, &mut Entropy::system())
                };
                let (ready, links) = engine::prepare(session, &compiled, &public, garble)?;
                Ok([preparation.add(ready)?, links.iter().map(|link| link.bytes).sum()])
            })
        })
    }

    /// What this party gives, and what is public.
    fn given(&self, names: &Names) -> Result<Given> {
        let Inputs { program, sources, .. } = &self.task;
        let own = names.own(self.party.id());
        sources.check_names(program, own)?;
        let mut given = sources.public(program)?;
        if let Some(own) = own {
            let Given { inputs, rows } = sources.of_party(program, own)?;
            check_own_rows(program, &rows)?;
            given.inputs.extend(inputs);
            given.rows = rows;
        }
        Ok(given)
    }
}
