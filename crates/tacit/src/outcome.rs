//! What a party has after a run.

use crate::answer::{Answer, write_table};
use crate::candidate::Choice;
use crate::program::Program;
use std::fmt;
use std::ops::Index;
use std::sync::Arc;
use tacit_engine::program::{Outcome as Computed, ProgramReport};
use tacit_program::clear::Array;
use tacit_program::{Element, Meaning};
use tacit_query::lower::Shown;
use tacit_tables::{Format, OutputColumn, OutputTable};
use zeroize::Zeroizing;

use crate::error::{Error, ErrorKind, Result};

/// What a run cost: times in seconds, bytes and messages of every directed link, rounds, roles. Its fields are public, and
/// it can be serialised. Times of [`LocalParties`](crate::LocalParties) are virtual.
///
/// It holds nothing secret: costs follow from what is public.
pub type Report = ProgramReport;

/// What one party has after a run: the results that the program reveals to it, and what the run cost.
///
/// Results are wiped from memory when this is dropped, and `Debug` shows their names and types only. `Display` prints them
/// as `tacit run` does.
///
/// ```
/// use tacit::{LocalParties, Program, protocols};
///
/// let program = Program::parse("compare", r#"
///     program compare
///     parties alice, bob, carol
///     input a: u16 from alice in 0..1000
///     input b: u16 from bob in 0..1000
///     reveal a + b to all as "sum"
///     reveal a < b to alice as "bob has more"
/// "#)?;
/// let lab = LocalParties::new(&program, protocols::TRIO).input("a", 3).input("b", 4);
/// let [alice, bob, carol] = lab.run_each()?.try_into().expect("three parties");
/// assert_eq!(alice["sum"], 7);
/// assert_eq!(alice["bob has more"], true);
/// assert!(bob.get("bob has more").is_none() && carol.get("bob has more").is_none());
/// assert_eq!(alice.report().protocol, "trio");
/// # Ok::<(), tacit::Error>(())
/// ```
pub struct Outcome {
    results: Vec<(String, Value)>,
    report: Report,
    warnings: Vec<String>,
    choice: Option<Choice>,
    /// How the results make up the answer of a query, if they do.
    shown: Option<Arc<Shown>>,
}

impl Outcome {
    /// The outcome of a program's run.
    pub(crate) fn new(program: &Program, computed: Computed) -> Result<Outcome> {
        let Computed { revealed, report, warnings } = computed;
        let value = |(name, array): (String, Array)| {
            let reveal = program.reveals.iter().find(|reveal| reveal.name == name);
            let labels = reveal.map(|reveal| program.labels(reveal)).unwrap_or_default();
            let meaning = reveal.map(|reveal| reveal.meaning.clone()).unwrap_or_default();
            (name, Value { array, labels, meaning })
        };
        Ok(Outcome {
            results: revealed?.into_iter().map(value).collect(),
            report,
            warnings,
            choice: None,
            shown: program.shared_shown(),
        })
    }

    /// With why the protocol is what it is, if the parties chose it.
    pub(crate) fn with_choice(self, choice: Option<Choice>) -> Outcome {
        Outcome { choice, ..self }
    }

    /// Adds what another party learned. Rounds are those of the party that waits most often.
    pub(crate) fn add(&mut self, other: Outcome) {
        if other.report.cost.rounds > self.report.cost.rounds {
            self.report.cost.rounds = other.report.cost.rounds;
            self.report.cost.predicted_rounds = other.report.cost.predicted_rounds;
        }
        for (name, value) in other.results {
            if self.get(&name).is_none() {
                self.results.push((name, value));
            }
        }
        self.warnings.extend(other.warnings);
    }

    /// A result, if this party learned one of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.results.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The results with their names, in the program's order.
    pub fn results(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.results.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// The answer of the query that the program was read from; none if it was read from none, or this party learned nothing.
    ///
    /// ```
    /// use tacit::{LocalParties, Program, protocols};
    ///
    /// let program = Program::parse_sql("visits.sql", "
    ///     CREATE TABLE alice.visits (plan ENUM ('basic', 'full') NOT NULL) WITH (max_rows = 100);
    ///     CREATE TABLE bob.visits (LIKE alice.visits);
    ///     CREATE ROLE carol;
    ///     GRANT SELECT ON result TO alice;
    ///     SELECT plan, count(*) AS people FROM visits GROUP BY plan;
    /// ")?;
    /// let lab = LocalParties::new(&program, protocols::TRIO);
    /// let lab = lab.input("alice.visits.plan", &["full", "full"]).input("bob.visits.plan", &["full"]);
    /// let answer = lab.run()?.answer()?.expect("a query");
    /// assert_eq!(answer.names().collect::<Vec<_>>(), ["plan", "people"]);
    /// assert_eq!(answer.rows(), 1);
    /// # Ok::<(), tacit::Error>(())
    /// ```
    ///
    /// # Errors
    /// An [`ErrorKind::Bug`](crate::ErrorKind::Bug) if a result is missing.
    pub fn answer(&self) -> Result<Option<Answer>> {
        match &self.shown {
            Some(shown) if !self.results.is_empty() => {
                Answer::of(shown, |name| self.get(name).map(|value| &value.array)).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The results as JSON, as `tacit run --json` prints them. It is wiped from memory when it is dropped.
    ///
    /// # Errors
    /// An [`ErrorKind::Bug`](crate::ErrorKind::Bug) if results do not make up a table.
    pub fn json(&self) -> Result<Zeroizing<String>> {
        let mut text = Zeroizing::new(Vec::new());
        let table = match self.answer()? {
            Some(answer) => answer.table().clone(),
            None => OutputTable::new(
                self.results.iter().map(|(name, value)| value.output(name)).collect(),
            )?,
        };
        table
            .write_to(&mut *text, Format::Json, usize::MAX)
            .map_err(|e| Error::new(ErrorKind::System, format!("results as JSON: {e}")))?;
        Ok(Zeroizing::new(String::from_utf8_lossy(&text).into_owned()))
    }

    /// What the run cost.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Why the protocol is what it is, if the parties [chose](crate::Run::protect_against) it.
    #[must_use]
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// Under the protocol `plain`, at the party that everybody trusts: where values left their ranges, so that a real
    /// protocol would give wrong results. Places and counts, no values.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }
}

impl Index<&str> for Outcome {
    type Output = Value;

    /// The result of this name.
    ///
    /// # Panics
    /// If this party learned none of that name: [`Outcome::get`] says so instead.
    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("this party learned no result `{name}`"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(answer) = self.answer().map_err(|_| fmt::Error)? {
            return write!(f, "{answer}");
        }
        let columns = self.results.iter().map(|(name, value)| value.output(name)).collect();
        write_columns(f, columns)
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.results.iter().map(|(name, value)| (name, value))).finish()
    }
}

/// A result: a number, or an array of them.
///
/// It compares with numbers and with lists of them. `Display` prints a single number as it is (a date or a member of a
/// domain by its name), and an array as a table.
pub struct Value {
    array: Array,
    labels: Vec<Vec<std::sync::Arc<tacit_program::Domain>>>,
    meaning: Meaning,
}

impl Value {
    /// Lengths of the axes, outermost first: none for a single number.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.array.shape()
    }

    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.array.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.array.is_empty()
    }

    /// All numbers in row-major order. Those of more than 53 bits are rounded.
    pub fn numbers(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        let scale = self.unit() as f64;
        self.array.values().map(move |raw| raw as f64 / scale)
    }

    /// All whole numbers in row-major order, exactly: 0 or 1 for a bit. Of fixed-point numbers and decimals the whole
    /// part, rounded towards minus infinity.
    pub fn integers(&self) -> impl ExactSizeIterator<Item = i128> + '_ {
        let unit = self.unit();
        self.array.values().map(move |raw| raw.div_euclid(unit))
    }

    /// What all numbers stand for, in row-major order: members of a domain and dates by their names, else the numbers.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = String> + '_ {
        let fraction = self.array.element().fraction();
        let show = move |raw: i128, number: f64| match fraction {
            0 => self.meaning.show(raw),
            _ => number.to_string(),
        };
        let numbers: Vec<f64> = self.numbers().collect();
        self.array.values().zip(numbers).map(move |(raw, number)| show(raw, number))
    }

    /// What is one, among raw values: a power of two in fixed point, of ten for decimals.
    fn unit(&self) -> i128 {
        10i128.pow(u32::from(self.meaning.decimals())) << self.array.element().fraction()
    }

    /// What its elements are: `bit`, `int` or `fixed`. Decimals are `int`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.array.element() {
            Element::Bit => "bit",
            Element::Int { .. } => "int",
            Element::Fixed { .. } => "fixed",
        }
    }

    /// Bits behind the point: none of whole numbers.
    #[must_use]
    pub fn fraction(&self) -> u8 {
        self.array.element().fraction()
    }

    /// Digits behind the decimal point: none but of decimals.
    #[must_use]
    pub fn decimals(&self) -> u8 {
        self.meaning.decimals()
    }

    /// All numbers exactly, times 2 to the number of bits behind the point, or 10 to the number of decimals, in row-major order.
    pub fn raw(&self) -> impl ExactSizeIterator<Item = i128> + '_ {
        self.array.values()
    }

    /// Whether the numbers stand for dates or members of a domain.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !matches!(self.meaning, Meaning::Number | Meaning::Decimal(_))
    }

    /// What labels each axis, outermost first: domains with the names of their members, those of the last one fastest.
    #[must_use]
    pub fn axis_labels(&self) -> Vec<Vec<(String, Vec<String>)>> {
        let names = |domain: &std::sync::Arc<tacit_program::Domain>| {
            let members = domain.first()..domain.first() + domain.len() as i64;
            (
                domain.name.clone(),
                members.map(|it| domain.label(it.into()).unwrap_or_default()).collect(),
            )
        };
        self.labels.iter().map(|axis| axis.iter().map(names).collect()).collect()
    }

    /// This result, called `name`, as `tacit-tables` takes it.
    #[doc(hidden)]
    #[must_use]
    pub fn output(&self, name: &str) -> OutputColumn {
        let shape = self.array.shape().iter().map(|n| *n as u64).collect();
        let raw = self.array.raw().to_vec().into();
        let column = OutputColumn::new(name, self.array.element(), shape, raw);
        let labels = match self.labels.len() == self.array.shape().len() {
            true => self.labels.clone(),
            false => column.labels.clone(),
        };
        OutputColumn { labels, meaning: self.meaning.clone(), ..column }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.array.shape() {
            [] => self.texts().try_for_each(|text| f.write_str(&text)),
            _ => write_columns(f, vec![self.output("")]),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({}{:?})", self.array.element(), self.array.shape())
    }
}

/// Writes results as a table.
fn write_columns(f: &mut fmt::Formatter<'_>, columns: Vec<OutputColumn>) -> fmt::Result {
    write_table(f, &OutputTable::new(columns).map_err(|_| fmt::Error)?)
}

impl PartialEq<f64> for Value {
    /// Whether this is a single number, and that one.
    fn eq(&self, other: &f64) -> bool {
        self.shape().is_empty() && self.numbers().eq([*other])
    }
}

impl PartialEq<i64> for Value {
    /// Whether this is a single number, and that one.
    fn eq(&self, other: &i64) -> bool {
        *self == [*other][..] && self.shape().is_empty()
    }
}

impl PartialEq<bool> for Value {
    /// Whether this is a single bit, and that one.
    fn eq(&self, other: &bool) -> bool {
        *self == i64::from(*other)
    }
}

impl PartialEq<[i64]> for Value {
    /// Whether these are the numbers in row-major order.
    fn eq(&self, other: &[i64]) -> bool {
        let unit = self.unit();
        self.array.values().eq(other.iter().map(|value| i128::from(*value) * unit))
    }
}

impl PartialEq<[f64]> for Value {
    /// Whether these are the numbers in row-major order.
    fn eq(&self, other: &[f64]) -> bool {
        self.numbers().eq(other.iter().copied())
    }
}

impl<T, const N: usize> PartialEq<[T; N]> for Value
where
    Value: PartialEq<[T]>,
{
    /// Whether these are the numbers in row-major order.
    fn eq(&self, other: &[T; N]) -> bool {
        *self == other[..]
    }
}
