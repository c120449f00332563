//! `tacit party add` and `tacit party remove`.

use super::{file, show::Members};
use crate::error::CliError;
use crate::output::Output;
use clap::Args;
use std::path::PathBuf;
use tacit_net::config::Card;

/// Arguments of `tacit party add`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit party add bob.card.toml carol.card.toml
  tacit party add bob.card.toml --party keys/alice.toml
  tacit party add bob.card.toml --replace    # Bob said by telephone that this is his new key

Whoever could change a card on its way could take the party's place. Compare the fingerprint, or
its words, with the party by telephone: `tacit party show` prints them at both ends.")]
pub struct AddArgs {
    /// Cards of other parties
    #[arg(value_name = "CARD", required = true)]
    cards: Vec<PathBuf>,

    /// This party's configuration file [default: the only one in this folder]
    #[arg(long, value_name = "FILE")]
    party: Option<PathBuf>,

    /// Take a member's new key in place of the one that is known
    #[arg(long)]
    replace: bool,
}

/// Arguments of `tacit party remove`.
#[derive(Args, Debug)]
pub struct RemoveArgs {
    /// The party's name
    name: String,

    /// This party's configuration file [default: the only one in this folder]
    #[arg(long, value_name = "FILE")]
    party: Option<PathBuf>,
}

/// Runs `tacit party add`.
pub fn run(args: &AddArgs, output: Output) -> Result<(), CliError> {
    let cards: Vec<Card> = args.cards.iter().map(|p| Card::load(p)).collect::<Result<_, _>>()?;
    let (path, mut config) = file::load(args.party.as_deref())?;
    for card in &cards {
        config.add(card, args.replace).map_err(|e| {
            let mut e = CliError::from(e);
            if !args.replace && config.parties.iter().any(|p| p.name == card.name) {
                e.message += " (--replace)";
            }
            e
        })?;
    }
    config.replace(&path)?;
    output.print(&Members::new(&config))
}

/// Runs `tacit party remove`.
pub fn remove(args: &RemoveArgs, output: Output) -> Result<(), CliError> {
    let (path, mut config) = file::load(args.party.as_deref())?;
    config.remove(&args.name)?;
    config.replace(&path)?;
    output.print(&Members::new(&config))
}
