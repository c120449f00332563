//! `tacit party show`.

use super::{file, words};
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_net::config::{Card, PartyConfig, Policy};

/// Arguments of `tacit party show`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit party show                     # the configuration in this folder
  tacit party show --party alice.toml
  tacit party show bob.card.toml       # a card, before it is added
  tacit party show --card > alice.card.toml")]
pub struct ShowArgs {
    /// A card to show in place of a configuration
    #[arg(value_name = "CARD", conflicts_with_all = ["party", "card"])]
    path: Option<PathBuf>,

    /// This party's configuration file [default: the only one in this folder]
    #[arg(long, value_name = "FILE")]
    party: Option<PathBuf>,

    /// Print this party's own card again, for the other parties
    #[arg(long)]
    card: bool,
}

/// The parties of a configuration.
#[derive(Serialize)]
pub struct Members {
    party: String,
    listen: String,
    /// What its runs must protect against, if it says so.
    policy: Option<String>,
    members: Vec<Member>,
}

#[derive(Serialize)]
struct Member {
    id: usize,
    name: String,
    address: String,
    fingerprint: String,
    words: String,
    /// Names of those to whom it opens connections.
    dials: Vec<String>,
}

impl Members {
    /// All parties of a configuration.
    pub fn new(config: &PartyConfig) -> Members {
        let names: Vec<String> = config.parties.iter().map(|p| p.name.clone()).collect();
        let member = |(id, party): (usize, &tacit_net::PartyAddress)| {
            let fingerprint = party.fingerprint.unwrap_or_else(|| config.identity.fingerprint());
            let own = id == config.id.index();
            Member {
                id,
                name: party.name.clone(),
                address: if own { config.address.clone() } else { party.address.clone() },
                fingerprint: fingerprint.to_string(),
                words: words(fingerprint),
                dials: names[..id].to_vec(),
            }
        };
        Members {
            party: config.name.clone(),
            listen: config.listen.clone(),
            policy: config.policy.map(|Policy { security, corruptions }| {
                format!("{security}, corruptions: {corruptions}")
            }),
            members: config.parties.iter().enumerate().map(member).collect(),
        }
    }
}

impl Report for Members {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for Member { id, name, address, fingerprint, words, dials } in &self.members {
            write!(out, "party {id}: {name} at {address}")?;
            if *name == self.party {
                write!(out, ", this party, listens on {}", self.listen)?;
            }
            if !dials.is_empty() {
                write!(out, "; dials {}", dials.join(", "))?;
            }
            writeln!(out, "\n  {fingerprint}\n  {words}")?;
        }
        if let Some(policy) = &self.policy {
            writeln!(
                out,
                "Policy of {}: its runs protect against parties that are {policy}",
                self.party
            )?;
        }
        match self.members.len() {
            1 => writeln!(out, "No other party is known yet: tacit party add CARD..."),
            _ => writeln!(
                out,
                "Compare each fingerprint, or its words, with the party by telephone."
            ),
        }
    }
}

/// A card.
#[derive(Serialize)]
struct Shown {
    name: String,
    address: String,
    fingerprint: String,
    words: String,
}

impl Report for Shown {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} at {}", self.name, self.address)?;
        writeln!(out, "  {}\n  {}", self.fingerprint, self.words)
    }
}

/// A card as its file has it.
struct CardText(Card);

impl Serialize for CardText {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        shown(&self.0).serialize(s)
    }
}

impl Report for CardText {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{}", self.0.to_toml())
    }
}

fn shown(card: &Card) -> Shown {
    Shown {
        name: card.name.clone(),
        address: card.address.clone(),
        fingerprint: card.fingerprint.to_string(),
        words: words(card.fingerprint),
    }
}

/// Runs the command.
pub fn run(args: &ShowArgs, output: Output) -> Result<(), CliError> {
    if let Some(path) = &args.path {
        return output.print(&shown(&Card::load(path)?));
    }
    let (_, config) = file::load(args.party.as_deref())?;
    match args.card {
        true => output.print(&CardText(config.card())),
        false => output.print(&Members::new(&config)),
    }
}
