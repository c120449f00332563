//! `tacit protocols`: which protocols there are, as each describes itself.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use tacit_engine::protocols;
use tacit_protocol::{Baseline, Descriptor, MAX_PARTIES, Parties, Status};

/// Arguments of `tacit protocols`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit protocols
  tacit protocols lift quad
  tacit protocols --all --json | jq -r '.protocols[] | select(.malicious) | .name'

`tacit plan` says which of them is fastest for a program and a network, and `tacit run` chooses by itself.")]
pub struct ProtocolsArgs {
    /// Protocols to show [default: all that are offered]
    #[arg(value_name = "PROTOCOL")]
    names: Vec<String>,

    /// Those that are there to compare, too
    #[arg(long, conflicts_with = "names")]
    all: bool,
}

/// Runs the command.
pub fn run(args: &ProtocolsArgs, output: Output) -> Result<(), CliError> {
    let named = |name: &String| {
        protocols::named(name)
            .map(|protocol| protocol.descriptor())
            .map_err(|e| CliError::input(e.to_string()))
    };
    let mut shown: Vec<&Descriptor> = match args.names.is_empty() {
        false => args.names.iter().map(named).collect::<Result<_, _>>()?,
        true => protocols::ALL
            .iter()
            .copied()
            .filter(|of| of.is_built())
            .filter(|of| args.all || of.status == Status::Product)
            .collect(),
    };
    shown.sort_by_key(|of| of.security);
    let left_out = match args.names.is_empty() {
        true => protocols::ALL.len() - shown.len(),
        false => 0,
    };
    output.print(&ProtocolsReport { protocols: shown.into_iter().map(about).collect(), left_out })
}

/// What a protocol says of itself.
#[derive(Serialize)]
struct About {
    /// As `--protocol` takes it.
    name: &'static str,
    least_parties: u8,
    most_parties: u8,
    #[serde(skip)]
    parties: String,
    protects_against: &'static str,
    /// Whether corrupted parties may do whatever they like.
    malicious: bool,
    best_for: &'static str,
    /// Whether it is there to compare.
    to_compare: bool,
    /// Its page in the documentation.
    page: String,
}

fn about(of: &Descriptor) -> About {
    let (least_parties, most_parties) = match of.parties {
        Parties::Exactly(parties) => (parties, parties),
        Parties::AtLeast(least) => (least, MAX_PARTIES),
    };
    About {
        name: of.name,
        least_parties,
        most_parties,
        parties: of.parties.to_string(),
        protects_against: of.security.protects_against(),
        malicious: of.security.is_malicious(),
        best_for: of.best_for,
        to_compare: of.status == Status::Baseline,
        page: format!("docs/protocols/{}", of.page),
    }
}

#[derive(Serialize)]
struct ProtocolsReport {
    protocols: Vec<About>,
    #[serde(skip)]
    left_out: usize,
}

impl Report for ProtocolsReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(["protocol", "parties", "protects against", "best for"]);
        for of in &self.protocols {
            // In the terminal nothing is code.
            let best_for = of.best_for.replace('`', "");
            table.add_row([of.name, of.parties.as_str(), of.protects_against, best_for.as_str()]);
        }
        writeln!(out, "{table}")?;
        match self.left_out {
            0 => Ok(()),
            more if Baseline::HERE.is_none() => writeln!(
                out,
                "{more} more are there to compare, in builds with `--features baselines`"
            ),
            more => writeln!(out, "{more} more are there to compare: tacit protocols --all"),
        }
    }
}
