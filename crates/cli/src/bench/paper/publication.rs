//! What a paper publishes, as data: its tables and figures, and in each row how Tacit measures the same.

use super::experiment::Experiment;
use serde::Serialize;
use tacit_protocol::NotBuilt;

/// A paper: what `tacit bench paper NAME` prints.
pub struct Publication {
    /// As the command line names it.
    pub name: &'static str,
    /// Authors, title and year.
    pub title: &'static str,
    /// Where the paper measured, what stands beside it here, and what is not comparable.
    pub note: &'static str,
    /// Its tables and figures, in order.
    pub parts: Vec<Part>,
}

/// Whether a part is a table or a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A table, which `--table` names.
    Table,
    /// A figure, which `--figure` names and `--svg` draws.
    Figure,
}

/// A table or a figure.
pub struct Part {
    /// Which of both.
    pub kind: Kind,
    /// Its number in the paper, such as `3` or `10a`; a table without a number has that of its section.
    pub number: &'static str,
    /// What it shows, and where that was measured.
    pub title: &'static str,
    /// What the axes of a figure show; empty for a table.
    pub axes: [&'static str; 2],
    /// Its rows, in order.
    pub rows: Vec<Row>,
}

/// One published number, or one point of a figure.
#[derive(Clone)]
pub struct Row {
    /// The line or curve that it belongs to: protocol, setting, quantity.
    pub series: String,
    /// Where in that line: the column of a table, the place on the horizontal axis of a figure.
    pub at: String,
    /// The place on the horizontal axis, for figures.
    pub x: Option<f64>,
    /// As published, in `unit`; `None` where the paper gives no number, or it cannot be read.
    pub published: Option<f64>,
    /// The unit of both numbers.
    pub unit: Unit,
    /// How Tacit's number comes about.
    pub ours: Ours,
}

/// How Tacit's number comes about.
#[derive(Clone)]
pub enum Ours {
    /// A quantity of an experiment.
    Measured(Experiment, Quantity),
    /// A quantity of one experiment divided by the same of another.
    Quotient(Experiment, Experiment, Quantity),
    /// It cannot be measured: why.
    Missing(&'static str),
}

/// What an experiment yields, in seconds, bytes, bits, results per second, or plain numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Seconds ahead of the inputs.
    Ahead,
    /// Seconds after the inputs are there.
    Online,
    /// Seconds ahead and online.
    Total,
    /// Instances per second of the online phase; all there is, if both are interleaved.
    PerSecond,
    /// Seconds per result.
    Each,
    /// Percent of what the links allow.
    LimitPercent,
    /// Bytes of all parties per instance.
    Bytes,
    /// Bytes of a triple to each other party.
    BytesToEach,
    /// Bits that a party sends per result, on average.
    BitsPerParty,
    /// Ring elements that all parties send per product.
    Elements,
    /// Bytes that the party that sends most sends for any function.
    BytesIndependent,
    /// Bytes that the party that sends most sends ahead for this function.
    BytesDependent,
    /// Bytes that the party that sends most sends online.
    BytesOnline,
    /// Multiplicative depth.
    Depth,
    /// Number of ANDs.
    Ands,
    /// Number of ANDs of two, of three or four, of five to eight inputs: 0, 1, 2.
    AndsOfClass(u8),
    /// Bytes of all parties that a circuit's gates take per instance.
    GateBytes,
    /// Bytes that one of the two evaluators sends for a circuit's gates, per instance.
    EvaluatorBytes,
    /// Bytes that the helper sends for a circuit's gates, per instance.
    HelperBytes,
    /// Random words that a role draws per product.
    Draws(u8),
    /// Bits per second of this processor's randomness.
    RandomBits,
}

/// A unit: its name, and how many of the quantity's own unit it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// As tables show it.
    pub name: &'static str,
    /// Seconds, bytes, bits or results in one.
    pub scale: f64,
}

/// Units of the papers.
impl Unit {
    /// Seconds.
    pub const SECONDS: Unit = Unit { name: "s", scale: 1.0 };
    /// Milliseconds.
    pub const MILLISECONDS: Unit = Unit { name: "ms", scale: 1e-3 };
    /// Microseconds.
    pub const MICROSECONDS: Unit = Unit { name: "us", scale: 1e-6 };
    /// Nanoseconds.
    pub const NANOSECONDS: Unit = Unit { name: "ns", scale: 1e-9 };
    /// Bytes.
    pub const BYTES: Unit = Unit { name: "B", scale: 1.0 };
    /// Thousands of bytes.
    pub const KILOBYTES: Unit = Unit { name: "kB", scale: 1e3 };
    /// Millions of bytes.
    pub const MEGABYTES: Unit = Unit { name: "MB", scale: 1e6 };
    /// Millions of bytes per thousand instances.
    pub const MEGABYTES_PER_THOUSAND: Unit = Unit { name: "MB/1000", scale: 1e3 };
    /// Bits.
    pub const BITS: Unit = Unit { name: "bit", scale: 1.0 };
    /// Results per second.
    pub const PER_SECOND: Unit = Unit { name: "1/s", scale: 1.0 };
    /// Millions of results per second.
    pub const MEGA_PER_SECOND: Unit = Unit { name: "M/s", scale: 1e6 };
    /// Billions of results per second.
    pub const GIGA_PER_SECOND: Unit = Unit { name: "G/s", scale: 1e9 };
    /// Billions of bits per second.
    pub const GIGABITS: Unit = Unit { name: "Gbit/s", scale: 1e9 };
    /// Percent.
    pub const PERCENT: Unit = Unit { name: "%", scale: 1.0 };
    /// How many.
    pub const COUNT: Unit = Unit { name: "", scale: 1.0 };
    /// How many times as much.
    pub const TIMES: Unit = Unit { name: "x", scale: 1.0 };
}

impl Part {
    /// That this build has all protocols of its rows.
    ///
    /// # Errors
    /// If it lacks one; the error says how to get it.
    pub fn built(&self) -> Result<(), NotBuilt> {
        let experiments = self.rows.iter().flat_map(|row| match &row.ours {
            Ours::Measured(experiment, _) => vec![experiment],
            Ours::Quotient(experiment, by, _) => vec![experiment, by],
            Ours::Missing(_) => Vec::new(),
        });
        let mut protocols = experiments.filter_map(Experiment::protocol);
        protocols.try_for_each(|protocol| protocol.descriptor().built())
    }

    /// A table.
    pub fn table(number: &'static str, title: &'static str, rows: Vec<Row>) -> Part {
        Part { kind: Kind::Table, number, title, axes: ["", ""], rows }
    }

    /// A figure, with the titles of its axes.
    pub fn figure(
        number: &'static str,
        title: &'static str,
        axes: [&'static str; 2],
        rows: Vec<Row>,
    ) -> Part {
        Part { kind: Kind::Figure, number, title, axes, rows }
    }

    /// `table 3`, `figure 10a`.
    pub fn name(&self) -> String {
        match self.kind {
            Kind::Table => format!("table {}", self.number),
            Kind::Figure => format!("figure {}", self.number),
        }
    }

    /// How many rows need a run.
    pub fn runs(&self) -> usize {
        let needs_run = |row: &&Row| match &row.ours {
            Ours::Measured(experiment, _) => !experiment.is_exact(),
            Ours::Quotient(..) => true,
            Ours::Missing(_) => false,
        };
        self.rows.iter().filter(needs_run).count()
    }

    /// Whether a number from the command line names it: `10` names `10`, `10a` and `10b`.
    pub fn is(&self, kind: Kind, number: &str) -> bool {
        let letters = self.number.strip_prefix(number);
        let letters = letters.is_some_and(|rest| rest.chars().all(|c| c.is_ascii_lowercase()));
        self.kind == kind && !number.is_empty() && letters
    }
}

impl Row {
    /// A row of a table.
    pub fn new(
        series: impl Into<String>,
        at: impl Into<String>,
        published: impl Into<Option<f64>>,
        unit: Unit,
        ours: Ours,
    ) -> Row {
        let (series, at, published) = (series.into(), at.into(), published.into());
        Row { series, at, x: None, published, unit, ours }
    }

    /// The point of a figure at `x`.
    pub fn point(
        series: impl Into<String>,
        x: f64,
        published: impl Into<Option<f64>>,
        unit: Unit,
        ours: Ours,
    ) -> Row {
        Row { x: Some(x), ..Row::new(series, format!("{x}"), published, unit, ours) }
    }

    /// Its name within a part.
    pub fn name(&self) -> String {
        match (&*self.series, &*self.at) {
            (series, "") => series.into(),
            (series, at) => format!("{series}, {at}"),
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Parts and rows have names of their own, published numbers are positive, and what is missing has a reason.
    pub fn check(publication: &Publication) {
        let distinct = |mut names: Vec<String>| {
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{}", publication.name);
        };
        distinct(publication.parts.iter().map(Part::name).collect());
        for part in &publication.parts {
            assert!(!part.rows.is_empty(), "{} {}", publication.name, part.name());
            distinct(
                part.rows.iter().map(|row| format!("{} {}", part.name(), row.name())).collect(),
            );
            let is_figure = part.kind == Kind::Figure;
            assert_eq!(is_figure, part.axes.iter().all(|axis| !axis.is_empty()), "{}", part.name());
            for row in &part.rows {
                assert!(row.published.is_none_or(|number| number >= 0.0), "{}", row.name());
                match &row.ours {
                    Ours::Missing(why) => assert!(why.len() > 10, "{}", row.name()),
                    _ => assert!(!is_figure || row.x.is_some() || row.unit == Unit::TIMES),
                }
            }
        }
    }

    #[test]
    fn a_number_names_a_part_and_its_panels() {
        let part = |number| Part::figure(number, "", ["x", "y"], Vec::new());
        assert!(part("10").is(Kind::Figure, "10") && part("10a").is(Kind::Figure, "10"));
        assert!(part("10a").is(Kind::Figure, "10a") && !part("10a").is(Kind::Figure, "10b"));
        assert!(!part("10a").is(Kind::Table, "10a") && !part("10").is(Kind::Figure, "1"));
        assert!(!part("10").is(Kind::Figure, ""));
    }
}
