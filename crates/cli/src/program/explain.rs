//! `tacit program explain`: what each operation of a program takes.

use super::args::NamedValue;
use super::show;
use crate::error::CliError;
use crate::flags;
use crate::output::{Output, Report};
use crate::units::{bytes, seconds};
use clap::Args;
use comfy_table::{Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tacit::{Explained, Network, Operation, Program, Threat, protocols};

/// Arguments of `tacit program explain`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit program explain pay-gap.tacit --network global --rows a=6000
  tacit program explain visits.sql --protocol lift

Of a query, its operators come first, with what each of them takes. An operation has the line that it is written in; in a query, the line of the part that needs it.
Operations of one line and name are one row, and those that are computed together, to save rounds, are counted with the first of them.")]
pub struct ExplainArgs {
    /// The program, or a query
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,

    /// The protocol [default: the fastest there that protects against one semi-honest party]
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,

    /// The network: lan, continental, global, one of a paper, a bandwidth such as 1gbit, or a TOML file
    #[arg(long, default_value = "lan", value_name = "NETWORK")]
    network: String,

    #[arg(long, value_name = "ROWS=NUMBER", help = flags::ROWS)]
    rows: Vec<NamedValue>,
}

/// Says what each operation takes.
pub fn run(args: &ExplainArgs, output: Output) -> Result<(), CliError> {
    let program = Program::read(&args.path)?;
    let counts = show::rows(&program, &args.rows)?;
    let names = program.dims.iter().map(|dim| dim.name.as_str());
    let rows: Vec<(&str, u64)> = names.zip(counts).collect();
    let name = match &args.protocol {
        Some(name) => name.clone(),
        None => {
            let network = Network::named(&args.network)?;
            program.plan(&network, Threat::semi_honest(1), &rows)?.candidates[0].protocol.clone()
        }
    };
    let protocol = protocols::named(&name).map_err(|error| CliError::input(error.to_string()))?;
    let explained = program.explain(&args.network, protocol, &rows)?;
    let rows = rows.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    output.print(&ExplainReport { rows, explained })
}

/// Operations of one name and line as one, the most seconds first: so often as they are there in all, with the most rows and bits of them.
fn alike(operations: &[Operation]) -> Vec<Operation> {
    let mut found: Vec<Operation> = Vec::new();
    for it in operations {
        let same = |other: &&mut Operation| {
            (&other.file, other.line, &other.name) == (&it.file, it.line, &it.name)
        };
        let Some(all) = found.iter_mut().find(same) else {
            found.push(it.clone());
            continue;
        };
        all.times += it.times;
        all.rows = all.rows.max(it.rows);
        all.bits = all.bits.max(it.bits);
        all.waiting_seconds += it.waiting_seconds;
        all.sending_seconds += it.sending_seconds;
        all.computing_seconds += it.computing_seconds;
        all.rounds += it.rounds;
        all.bytes += it.bytes;
    }
    found.sort_by(|a, b| b.seconds().total_cmp(&a.seconds()));
    found
}

/// A table of what something takes, with columns in front that say what.
fn table(what: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    let taken = ["seconds", "waiting", "sending", "computing", "rounds", "sent"];
    table.set_header([what, &taken].concat());
    table
}

/// What an operation takes, as cells.
fn taken(it: &Operation) -> [String; 6] {
    [
        seconds(it.seconds()),
        seconds(it.waiting_seconds),
        seconds(it.sending_seconds),
        seconds(it.computing_seconds),
        format!("{:.0}", it.rounds),
        bytes(it.bytes as u64),
    ]
}

#[derive(Serialize)]
struct ExplainReport {
    /// Row counts that it is for.
    rows: Vec<(String, u64)>,
    #[serde(flatten)]
    explained: Explained,
}

impl Report for ExplainReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Explained { protocol, network, total, plan, operations, free } = &self.explained;
        let rows = self.rows.iter().map(|(name, count)| format!("{name} = {count}"));
        let rows: Vec<String> = rows.collect();
        let with =
            if rows.is_empty() { String::new() } else { format!(", with {}", rows.join(", ")) };
        writeln!(out, "under {protocol}, by {}, predicted on {network}{with}", total.by)?;
        if !plan.is_empty() {
            let mut table = table(&["operator", "rows"]);
            for it in plan {
                let rows = if it.rows == 0 { String::new() } else { it.rows.to_string() };
                table.add_row([it.name.clone(), rows].into_iter().chain(taken(it)));
            }
            writeln!(out, "{table}")?;
        }
        let mut table = table(&["line", "operation", "times", "rows", "bits"]);
        for it in &alike(operations) {
            let own = it.line > 0 || !it.file.is_empty();
            let file = Path::new(&it.file).file_name().unwrap_or_default().to_string_lossy();
            let (line, times, rows, bits) = match own {
                true => (
                    format!("{file}:{}", it.line),
                    it.times.to_string(),
                    it.rows.to_string(),
                    it.bits.to_string(),
                ),
                false => Default::default(),
            };
            let known = [line, it.name.clone(), times, rows, bits];
            table.add_row(known.into_iter().chain(taken(it)));
        }
        writeln!(out, "{table}")?;
        let s = if *free == 1 { "" } else { "s" };
        writeln!(
            out,
            "{} and {} in all; {free} operation{s} more take nothing",
            seconds(total.seconds),
            bytes(total.bytes as u64),
        )
    }
}
