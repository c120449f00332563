//! `tacit party new`.

use super::words;
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_net::config::PartyConfig;

/// Arguments of `tacit party new`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit party new alice --address alice.example.org:7000
  tacit party new bob --address 203.0.113.7:7000 --listen 192.168.1.5:7000   # behind a router

It writes alice.toml, which holds the private key and stays on this machine, and alice.card.toml,
which goes to the other parties by any way.")]
pub struct NewArgs {
    /// The party's name, as programs and the other parties call it
    name: String,

    /// Where the other parties reach it
    #[arg(long, value_name = "HOST:PORT")]
    address: String,

    /// What it listens on [default: the port of --address on every interface, or on loopback if the
    /// address is there]
    #[arg(long, value_name = "HOST:PORT")]
    listen: Option<String>,

    /// Where to write NAME.toml and NAME.card.toml; nothing is overwritten
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
}

/// What was made.
#[derive(Serialize)]
struct Made {
    name: String,
    address: String,
    listen: String,
    fingerprint: String,
    words: String,
    file: PathBuf,
    card: PathBuf,
}

impl Report for Made {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: the private key of {}; it stays here", self.file.display(), self.name)?;
        writeln!(out, "{}: for the other parties", self.card.display())?;
        writeln!(out, "  {}", self.fingerprint)?;
        writeln!(out, "  {}", self.words)?;
        writeln!(
            out,
            "{} listens on {}; the others reach it at {}.\nNext: tacit party add CARD..., with the cards \
             of the others",
            self.name, self.listen, self.address
        )
    }
}

/// Runs the command.
pub fn run(args: &NewArgs, output: Output) -> Result<(), CliError> {
    let config = PartyConfig::new(&args.name, &args.address, args.listen.as_deref())?;
    std::fs::create_dir_all(&args.dir).map_err(|e| CliError::file(&args.dir, &e))?;
    let file = args.dir.join(format!("{}.toml", args.name));
    let card = args.dir.join(format!("{}.card.toml", args.name));
    if card.symlink_metadata().is_ok() {
        return Err(CliError::input(format!(
            "{} exists already and is not overwritten; choose another directory or remove it",
            card.display()
        )));
    }
    config.create(&file)?;
    config.card().create(&card)?;
    let fingerprint = config.identity.fingerprint();
    output.print(&Made {
        words: words(fingerprint),
        fingerprint: fingerprint.to_string(),
        name: config.name,
        address: config.address,
        listen: config.listen,
        file,
        card,
    })
}
