//! Where a program's inputs come from and where its results go.

use crate::error::CliError;
use crate::run::Misplaced;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;
use tacit::ChunkChoice;
use tacit::Values;
use tacit::runtime::{Padding, Sources, TableSource};
use tacit_tables::Format;

/// Arguments for inputs and results of programs.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Programs (files that end in .tacit or .sql)")]
pub struct TableArgs {
    /// CSV or Parquet file with a party's inputs, a column each: alice=pay.csv; with --party just
    /// the file. If a party has inputs with different row counts, name the one: alice/n=pay.csv
    #[arg(long = "table", value_name = "[PARTY[/ROWS]=]FILE")]
    pub tables: Vec<PartyFile>,

    /// An input without rows, of a party or public: rate=0.25, or weights=1,2,3
    #[arg(long = "value", value_name = "INPUT=VALUES")]
    pub values: Vec<NamedValue>,

    /// TOML file that maps a party's columns to inputs, with types, ranges and missing values; without
    /// PARTY it serves all
    #[arg(long = "schema", value_name = "[PARTY=]FILE")]
    pub schemas: Vec<PartyFile>,

    /// The column of an input, if it has another name
    #[arg(long = "column", value_name = "INPUT=COLUMN")]
    pub columns: Vec<String>,

    /// What to do where an input has no value: error (default), drop (the row) or fill:VALUE
    #[arg(long = "missing", value_name = "INPUT=POLICY")]
    pub missing: Vec<String>,

    /// Hide how many rows there are: append rows up to the maximum of row count ROWS; the bits
    /// INPUT say which rows are real
    #[arg(long = "pad", value_name = "ROWS=INPUT")]
    pub pads: Vec<NamedValue>,

    /// Compute only if there are so many rows at least, whatever the program allows: n=100. The others' tables
    /// are meant; repeatable. Compared before inputs leave this party
    #[arg(long = "rows-at-least", value_name = "ROWS=NUMBER")]
    pub rows_at_least: Vec<RowBound>,

    /// Compute only if there are so many rows at most: n=5000
    #[arg(long = "rows-at-most", value_name = "ROWS=NUMBER")]
    pub rows_at_most: Vec<RowBound>,

    /// File for what a party learns: .csv, .parquet, .json or .txt; `-` prints it alone on standard output, as CSV
    /// unless --result-format says otherwise, and all else on standard error [default: print it, with the rest]
    #[arg(long = "result", value_name = "[PARTY=]FILE")]
    pub results: Vec<PartyFile>,

    /// How results are printed: table, csv or json [default: table]
    #[arg(long, value_name = "FORMAT")]
    pub result_format: Option<Format>,

    /// Rows of large arrays computed together [default: 32768]; fewer take less memory and more rounds;
    /// `auto` (or with --roles or --by auto): as many as the measured links need
    #[arg(long, value_name = "ROWS|auto")]
    pub chunk_rows: Option<ChunkChoice>,
}

impl TableArgs {
    /// Whether standard output is for results alone.
    pub fn prints_alone(&self) -> bool {
        self.results.iter().any(PartyFile::is_standard_output)
    }

    /// Where the inputs of the party come from whose files `is_me` knows, and public ones.
    pub fn sources(
        &self,
        is_me: &dyn Fn(&Option<String>) -> Result<bool, CliError>,
    ) -> Result<Sources, CliError> {
        let (mut tables, mut schema) = (Vec::new(), None);
        for file in &self.tables {
            if is_me(&file.party)? {
                tables.push(TableSource { path: file.path.clone(), rows: file.rows.clone() });
            }
        }
        for file in self.schemas.iter().filter(|file| file.party.is_some()) {
            if is_me(&file.party)? {
                schema = schema.or(Some(file));
            }
        }
        // A party's own schema goes before the one that all parties share.
        let schema = schema.or(self.schemas.iter().find(|file| file.party.is_none()));
        let padding =
            |pad: &NamedValue| Padding { rows: pad.name.clone(), validity: pad.value.clone() };
        let words = |given: &NamedValue| {
            let words: Vec<&str> = given.value.split(',').collect();
            (given.name.clone(), Values::from(&words))
        };
        Ok(Sources {
            tables,
            schema: schema.map(|file| file.path.clone()),
            columns: self.columns.clone(),
            missing: self.missing.clone(),
            pads: self.pads.iter().map(padding).collect(),
            values: self.values.iter().map(words).collect(),
            of_command_line: true,
        })
    }

    /// What is no use to circuits.
    pub fn flags(&self) -> [Misplaced; 11] {
        let inputs = "--input PORTS=FILE";
        [
            Misplaced::new(!self.tables.is_empty(), "--table", inputs),
            Misplaced::new(!self.values.is_empty(), "--value", inputs),
            Misplaced::new(!self.schemas.is_empty(), "--schema", "--format and --bits"),
            Misplaced::new(!self.columns.is_empty(), "--column", inputs),
            Misplaced::new(!self.missing.is_empty(), "--missing", ""),
            Misplaced::new(!self.pads.is_empty(), "--pad", ""),
            Misplaced::new(!self.rows_at_least.is_empty(), "--rows-at-least", "--instances NUMBER"),
            Misplaced::new(!self.rows_at_most.is_empty(), "--rows-at-most", "--instances NUMBER"),
            Misplaced::new(!self.results.is_empty(), "--result", "--output PORTS=FILE"),
            Misplaced::new(self.result_format.is_some(), "--result-format", "--format"),
            Misplaced::new(self.chunk_rows.is_some(), "--chunk-rows", "--window BYTES"),
        ]
    }
}

/// `ROWS=NUMBER`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowBound {
    /// Name of the row count.
    pub name: String,
    /// The bound.
    pub rows: u64,
}

impl FromStr for RowBound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rows) = text.split_once('=').ok_or("write ROWS=NUMBER, such as n=100")?;
        let rows = rows.trim().replace('_', "").parse().map_err(|_| "rows are a whole number")?;
        Ok(RowBound { name: name.trim().into(), rows })
    }
}

/// A file of a party.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartyFile {
    /// Whose; the own party's if it is not said.
    pub party: Option<String>,
    /// For which row count.
    pub rows: Option<String>,
    /// Which.
    pub path: PathBuf,
}

impl PartyFile {
    /// Whether `-` stands for the file.
    pub fn is_standard_output(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

impl FromStr for PartyFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((who, path)) = text.split_once('=') else {
            return Ok(PartyFile { party: None, rows: None, path: text.into() });
        };
        let (party, rows) = match who.split_once('/') {
            Some((party, rows)) => (party, Some(rows.to_string())),
            None => (who, None),
        };
        if path.is_empty() {
            return Err("a file's name is missing after `=`".into());
        }
        let party = (!party.is_empty()).then(|| party.to_string());
        Ok(PartyFile { party, rows, path: path.into() })
    }
}

/// `NAME=VALUE`.
#[derive(Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// The name.
    pub name: String,
    /// What it is given.
    pub value: String,
}

impl std::fmt::Debug for NamedValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}=..", self.name)
    }
}

impl FromStr for NamedValue {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
        Ok(NamedValue { name: name.trim().into(), value: value.trim().into() })
    }
}
