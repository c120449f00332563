//! Programs, as embedders hold them.

use crate::candidate::Choice;
use crate::error::{Error, Result};
use crate::explain::Explained as Costs;
use crate::inputs;
use crate::network::Network;
use crate::values::Values;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use tacit_planner::Threat;
use tacit_program::summary::summary;
use tacit_program::{self as form, text};
use tacit_protocol::Protocol;
use tacit_query::explain::Explained;
use tacit_query::lower::{Shown, Steps};
use tacit_query::{Catalog, QueryError};

/// A program: what it takes from whom, what it computes, and exactly what it reveals to whom.
///
/// It is written once, as text (see `docs/programs.md`) or by [`tacit_program::build::Builder`], and all parties run
/// the same one: before any input leaves a party, the parties compare its digest. Copies share one allocation.
///
/// ```
/// let program = tacit::Program::parse("pay.tacit", r#"
///     program pay
///     parties alice, bob
///     input a: u16 from alice in 0..10000
///     input b: u16 from bob in 0..10000
///     reveal a < b to alice as "bob has more"
/// "#)?;
/// assert_eq!(program.name(), "pay");
/// assert_eq!(program.parties(), ["alice", "bob"]);
/// assert_eq!(program.inputs_of("alice").collect::<Vec<_>>(), ["a"]);
/// assert_eq!(program.results_of("bob").count(), 0);
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone)]
pub struct Program {
    form: Arc<form::Program>,
    /// The query that it was read from, if it was one.
    query: Option<Arc<Asked>>,
}

/// A query, beyond the program that it was lowered to.
struct Asked {
    /// How the results make up its answer.
    shown: Arc<Shown>,
    /// What it does and discloses.
    explained: Explained,
    /// Which operator each operation is of.
    steps: Steps,
    /// Inputs that no two rows of a table have equal values of, together.
    unique: Vec<Vec<String>>,
}

impl Program {
    /// Reads a program from a file: in SQL, if it is called `.sql` (see [`Program::parse_sql`]).
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where the file cannot be read, is no program (with line and
    /// column), or describes a program that reveals nothing.
    pub fn read(path: impl AsRef<Path>) -> Result<Program> {
        let path = path.as_ref();
        let source = std::fs::read_to_string(path).map_err(|e| Error::file(path, &e))?;
        let name = path.display().to_string();
        match path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("sql")) {
            true => Program::parse_sql(&name, &source),
            false => Program::parse(&name, &source),
        }
    }

    /// Reads a program from text. `name` stands for the file in messages.
    ///
    /// # Errors
    /// When the text is no program, or describes one that reveals nothing, as for [`Program::read`].
    pub fn parse(name: &str, source: &str) -> Result<Program> {
        let wrong = |e: form::ProgramError| Error::input(e.to_string()).at(&e.span);
        let program = text::parse(name, source).map_err(wrong)?;
        if program.reveals.is_empty() {
            return Err(Error::input(format!(
                "{name}: the program reveals nothing to anybody: is the file whole? A result is given \
                 with `reveal VALUE to PARTY as \"NAME\"`"
            )));
        }
        Ok(program.into())
    }

    /// Reads a query in SQL, with the tables that it is about (see `docs/sql.md`), as a program: its inputs are the columns of the
    /// tables that it needs. `name` stands for the file in messages.
    ///
    /// ```
    /// let program = tacit::Program::parse_sql("visits.sql", "
    ///     CREATE TABLE alice.visits (plan ENUM ('basic', 'full') NOT NULL, visits INT NOT NULL CHECK (visits BETWEEN 0 AND 100))
    ///         WITH (max_rows = 1000);
    ///     CREATE TABLE bob.visits (LIKE alice.visits);
    ///     GRANT SELECT ON result TO alice, bob;
    ///     SELECT plan, count(*) AS people, sum(visits) AS visits FROM visits GROUP BY plan;
    /// ")?;
    /// assert_eq!(program.inputs_of("bob").collect::<Vec<_>>(), ["bob.visits.plan", "bob.visits.visits"]);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the text is no query, or one that is not supported: with line and column, and what can be written instead.
    pub fn parse_sql(name: &str, source: &str) -> Result<Program> {
        let wrong = |error: QueryError| {
            let message = error.to_string();
            Error::input(message).at(&error.span)
        };
        let (catalog, query) = tacit_query::sql::parse(name, source).map_err(wrong)?;
        let lowered = tacit_query::lower::lower(&query, &catalog).map_err(wrong)?;
        let explained = tacit_query::explain::explain(&query, &catalog, &lowered);
        let unique = unique(&catalog, &lowered.program);
        let (shown, steps) = (Arc::new(lowered.shown), lowered.steps);
        let query = Asked { shown, explained, steps, unique };
        Ok(Program { form: Arc::new(lowered.program), query: Some(Arc::new(query)) })
    }

    /// How its results make up the answer of a query, if it was read from one.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        self.query.as_ref().map(|query| &*query.shown)
    }

    pub(crate) fn shared_shown(&self) -> Option<Arc<Shown>> {
        self.query.as_ref().map(|query| query.shown.clone())
    }

    /// What the query does and discloses that it was read from, if it was read from one.
    #[must_use]
    pub fn disclosed(&self) -> Option<&Explained> {
        self.query.as_ref().map(|query| &query.explained)
    }

    /// Inputs that no two rows of a table have equal values of, together, by what a query says (`UNIQUE`, `PRIMARY KEY`).
    #[must_use]
    pub fn unique(&self) -> &[Vec<String>] {
        self.query.as_ref().map_or(&[], |query| &query.unique)
    }

    /// The inputs that a party's table gives, read from a CSV or Parquet file and checked as [`Run::table`](crate::Run::table) does. `rows`
    /// is the table's row count, where the party has several: of `alice.visits` also `visits`.
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where the party has no such table, or the file cannot be read or does not fit.
    pub fn read_table(
        &self,
        party: &str,
        rows: Option<&str>,
        path: impl AsRef<Path>,
    ) -> Result<Vec<(String, Values)>> {
        let number = self.parties().iter().position(|known| known == party);
        let number = number.and_then(|number| u8::try_from(number).ok()).ok_or_else(|| {
            Error::input(format!(
                "there is no party `{party}`; there are {}",
                self.parties().join(", ")
            ))
        })?;
        inputs::read_table(&self.form, form::PartyId(number), rows, path.as_ref())
    }

    /// The name that the program gives itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.form.name
    }

    /// Names of the parties that give inputs or learn results, in the program's order.
    #[must_use]
    pub fn parties(&self) -> &[String] {
        &self.form.parties
    }

    /// Names of the inputs that a party gives. There are none of a party that the program does not have.
    pub fn inputs_of<'p>(&'p self, party: &'p str) -> impl Iterator<Item = &'p str> {
        let inputs = self.form.inputs();
        let own = inputs.filter(move |(_, _, owner)| owner.is_some_and(|id| self.is(id, party)));
        own.map(|(_, name, _)| name)
    }

    /// Names of the results that a party learns.
    pub fn results_of<'p>(&'p self, party: &'p str) -> impl Iterator<Item = &'p str> {
        let learns = move |reveal: &&form::Reveal| reveal.to.iter().any(|id| self.is(*id, party));
        self.form.reveals.iter().filter(learns).map(|reveal| reveal.name.as_str())
    }

    /// What it takes from whom, what it computes, and what it reveals to whom, for people to read before they consent.
    #[must_use]
    pub fn summary(&self) -> String {
        summary(&self.form).to_string()
    }

    /// Its canonical text. Programs with the same one are the same program: their digests are what parties compare.
    #[must_use]
    pub fn text(&self) -> String {
        text::print(&self.form)
    }

    /// What it would take under each protocol that protects against a threat, on a network, the fastest first: the one that
    /// [`Run::protect_against`](crate::Run::protect_against) takes there. `rows` are its row counts; of those that are left
    /// out, the most that the program allows. The processor of this machine stands for those of all parties.
    ///
    /// ```
    /// use tacit::{Network, Program, Threat};
    ///
    /// let program = Program::parse("less", r#"
    ///     program less
    ///     parties alice, bob, carol
    ///     input a: u32 from alice
    ///     input b: u32 from bob
    ///     reveal a < b to all as "bob has more"
    /// "#)?;
    /// let plan = program.plan(&Network::GLOBAL, Threat::semi_honest(1), &[])?;
    /// assert!(plan.candidates[0].seconds <= 1.01 * plan.candidates[1].seconds);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where a row count is none of the program's or outside its range, or
    /// no protocol of the program's parties protects against the threat.
    pub fn plan(&self, network: &Network, threat: Threat, rows: &[(&str, u64)]) -> Result<Choice> {
        crate::auto::plan(&self.form, network, threat, &self.row_counts(rows)?)
    }

    /// What it would take under a protocol on a network (see [`Network::named`]), operation by operation, the worst first.
    /// `rows` are as for [`Program::plan`].
    ///
    /// ```
    /// use tacit::{Program, protocols};
    ///
    /// let program = Program::parse("less", r#"
    ///     program less
    ///     parties alice, bob, carol
    ///     input a: u32 from alice
    ///     input b: u32 from bob
    ///     let less = a < b
    ///     reveal less to all as "bob has more"
    /// "#)?;
    /// let explained = program.explain("global", protocols::TRIO, &[])?;
    /// let seconds: f64 = explained.operations.iter().map(|it| it.seconds()).sum();
    /// assert!((seconds - explained.total.seconds).abs() < 1e-9);
    /// assert!(explained.operations.iter().any(|it| it.name == "less" && it.rounds > 0.0));
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Program::plan`]; where the protocol does not run the program, or computes in the clear.
    pub fn explain(
        &self,
        network: &str,
        protocol: Protocol,
        rows: &[(&str, u64)],
    ) -> Result<Costs> {
        let known = Network::named(network)?;
        let rows = self.row_counts(rows)?;
        let steps = self.query.as_ref().map(|query| &query.steps);
        crate::explain::explain(&self.form, (&known, network), protocol, &rows, steps)
    }

    /// A row count for each of the program's.
    fn row_counts(&self, given: &[(&str, u64)]) -> Result<Vec<u64>> {
        if let Some((name, _)) = given.iter().find(|(name, _)| self.form.dim(name).is_none()) {
            let known: Vec<&str> = self.form.dims.iter().map(|dim| dim.name.as_str()).collect();
            let known = known.join(", ");
            return Err(Error::input(format!(
                "there is no row count `{name}`; the program's are {known}"
            )));
        }
        let count = |dim: &form::ir::Dim| {
            let given = given.iter().find(|(name, _)| *name == dim.name);
            given.map_or(dim.max, |(_, rows)| *rows)
        };
        let rows: Vec<u64> = self.form.dims.iter().map(count).collect();
        form::clear::check_rows(&self.form, &rows).map_err(|e| Error::input(e.to_string()))?;
        Ok(rows)
    }

    /// Row counts by number, of which all are given.
    pub(crate) fn all_row_counts(&self, given: &[(&str, u64)]) -> Result<Vec<u64>> {
        let missing = |dim: &&form::ir::Dim| given.iter().all(|(name, _)| *name != dim.name);
        match self.form.dims.iter().find(missing) {
            Some(dim) => Err(Error::input(format!("say how many rows `{}` will be", dim.name))),
            None => self.row_counts(given),
        }
    }

    fn is(&self, id: form::PartyId, name: &str) -> bool {
        self.form.parties.get(usize::from(id.0)).is_some_and(|known| known == name)
    }
}

impl From<form::Program> for Program {
    /// A program that was built.
    fn from(program: form::Program) -> Program {
        Program { form: Arc::new(program), query: None }
    }
}

/// The sets of columns that are unique by what the tables say, where a program takes all of them.
fn unique(catalog: &Catalog, program: &form::Program) -> Vec<Vec<String>> {
    let is_input = |wanted: &String| program.inputs().any(|(_, name, _)| name == wanted);
    let mut found = Vec::new();
    for table in &catalog.tables {
        for key in &table.unique {
            let input =
                |column: &usize| format!("{}.{}", table.full_name(), table.columns[*column].name);
            let inputs: Vec<String> = key.iter().map(input).collect();
            if inputs.iter().all(is_input) {
                found.push(inputs);
            }
        }
    }
    found
}

#[doc(hidden)]
impl Deref for Program {
    type Target = form::Program;

    fn deref(&self) -> &form::Program {
        &self.form
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Program({})", self.form.name)
    }
}
