//! A party's run of a program: its inputs, and the start.

use crate::error::Result;
use crate::inputs::{Given, Sources, TableSource};
use crate::names::{Names, Parties, takes_outside};
use crate::outcome::Outcome;
use crate::program::Program;
use crate::run::Run;
use crate::run_program::ProgramRun;
use crate::store::{check_store, open_store};
use crate::values::Values;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use tacit_engine::program::check_own_rows;

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

    /// Runs the program with the other parties, to its end: connects, agrees, computes, checks, opens, finishes. It blocks
    /// until then. What this party learns is in the outcome.
    ///
    /// # Errors
    /// [`Error::kind`](crate::Error::kind) says whose fault it is. When this party's own input is wrong, it spends up to 1.2 s
    /// on telling the others, so that they do not wait for it.
    pub fn start(self) -> Result<Outcome> {
        let done = self.meet(|meeting| {
            let (party, program) = (self.party, self.task.program);
            let (options, wanted) = self.options()?;
            let outside = takes_outside(options.protocol);
            let parties = Parties::of(&meeting.config, party.origin(), options.protocol, outside)?;
            let names = Names::configured(program, &parties)?;
            if let Some(directory) = &options.stored {
                check_store(directory)?;
            }
            let given = self.given(&names)?;
            let bounds = self.task.bounds.clone();
            let run = ProgramRun { program, names: &names, options: &options, wanted, bounds };
            meeting.config.workers = run.workers()?;
            let stored = options.stored.as_deref();
            let store = stored
                .map(|directory| open_store((directory, party.name()), &meeting.config, true))
                .transpose()?;
            run.with_others(meeting, given, store, &self.settings.watch)
        })?;
        let outcome = Outcome::new(self.task.program, done.outcome)?;
        Ok(outcome.with_choice(done.auto))
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
