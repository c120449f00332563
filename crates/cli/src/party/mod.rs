//! `tacit party`: a party's own key, and the cards of the others.

mod add;
mod file;
mod new;
mod show;

use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use tacit_net::Fingerprint;

/// Arguments of `tacit party`.
#[derive(Args, Debug)]
#[command(after_help = "Alice, Bob and Carol, each on an own machine:
  tacit party new alice --address alice.example.org:7000   # writes alice.toml and alice.card.toml
  ... sends alice.card.toml to Bob and Carol, and gets theirs ...
  tacit party add bob.card.toml carol.card.toml            # into alice.toml
  tacit party show                                         # compares fingerprints by telephone
  tacit network check --party alice.toml                   # as Bob and Carol do")]
pub struct PartyArgs {
    #[command(subcommand)]
    command: PartyCommand,
}

#[derive(Subcommand, Debug)]
enum PartyCommand {
    /// Make a key for this party: a private file, and a card for the others
    New(new::NewArgs),
    /// Take other parties' cards: they become members of this party's sessions
    Add(add::AddArgs),
    /// Forget a party
    Remove(add::RemoveArgs),
    /// Show who the parties are, who dials whom, and fingerprints to compare by telephone
    Show(show::ShowArgs),
}

/// Runs a `tacit party` command.
pub fn run(args: PartyArgs, output: Output) -> Result<(), CliError> {
    match args.command {
        PartyCommand::New(args) => new::run(&args, output),
        PartyCommand::Add(args) => add::run(&args, output),
        PartyCommand::Remove(args) => add::remove(&args, output),
        PartyCommand::Show(args) => show::run(&args, output),
    }
}

/// Half of a fingerprint as twelve words of the BIP 39 list, easy to read out: to make another key
/// with the same words takes 2^128 tries.
fn words(fingerprint: Fingerprint) -> String {
    let words = bip39::Mnemonic::from_entropy(&fingerprint.0[..16]);
    words.map_or_else(|_| String::new(), |words| words.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors of BIP 39 itself.
    #[test]
    fn words_are_those_of_bip_39() {
        assert_eq!(
            words(Fingerprint([0x7f; 32])),
            "legal winner thank year wave sausage worth useful legal winner thank yellow"
        );
        let mut key = [9; 32];
        key[..16].fill(0);
        assert!(words(Fingerprint(key)).ends_with("abandon abandon about"));
    }
}
