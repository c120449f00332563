//! `tacit network init`.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;
use tacit_net::config::{self, PartyConfig};

/// Arguments of `tacit network init`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit network init --dir keys --parties a=localhost:7001,b=localhost:7002,c=localhost:7003

This is for trials: whoever runs it has the private keys of all parties. Parties that do not trust
each other make their own keys, each on its own machine, with `tacit party new`. Here parties have
the ids 0, 1, 2 in the order given.")]
pub struct InitArgs {
    /// The parties: name and the address at which the others reach it
    #[arg(long, value_name = "NAME=HOST:PORT", value_delimiter = ',', required = true)]
    parties: Vec<NamedAddress>,

    /// Where to write NAME.toml for each party; nothing is overwritten
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

/// `NAME=HOST:PORT`.
#[derive(Clone, Debug)]
struct NamedAddress {
    name: String,
    address: String,
}

impl FromStr for NamedAddress {
    type Err = String;

    fn from_str(s: &str) -> Result<NamedAddress, String> {
        let (name, address) =
            s.split_once('=').ok_or("write it as NAME=HOST:PORT, such as alice=10.0.0.1:7000")?;
        Ok(NamedAddress { name: name.trim().into(), address: address.trim().into() })
    }
}

/// The files written.
#[derive(Serialize)]
struct Initialised {
    parties: Vec<Party>,
}

#[derive(Serialize)]
struct Party {
    id: u8,
    name: String,
    address: String,
    fingerprint: String,
    file: PathBuf,
}

impl Report for Initialised {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for p in &self.parties {
            writeln!(out, "{}: party {}, {} at {}", p.file.display(), p.id, p.name, p.address)?;
            writeln!(out, "  {}", p.fingerprint)?;
        }
        writeln!(
            out,
            "For trials: you hold the private keys of all parties. Parties that do not trust each other \
             make their own with `tacit party new`."
        )
    }
}

/// Runs the command.
pub fn run(args: &InitArgs, output: Output) -> Result<(), CliError> {
    let named: Vec<(String, String)> =
        args.parties.iter().map(|p| (p.name.clone(), p.address.clone())).collect();
    let files = config::init(&named, &args.dir)?;
    let parties: Result<Vec<Party>, CliError> = files
        .into_iter()
        .map(|file| {
            let config = PartyConfig::load(&file)?;
            Ok(Party {
                id: config.id.0,
                fingerprint: config.identity.fingerprint().to_string(),
                name: config.name,
                address: config.listen,
                file,
            })
        })
        .collect();
    output.print(&Initialised { parties: parties? })
}
