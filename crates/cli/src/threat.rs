//! `--security` and `--corruptions`: what a protocol that is chosen must protect against.

use crate::error::CliError;
use clap::{Args, ValueEnum};
use std::str::FromStr;
use tacit::Threat;

/// What a protocol must protect against.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ThreatArgs {
    /// What corrupted parties do: look at what they see (semi-honest), or whatever they like (malicious) [default:
    /// semi-honest; `tacit run --protocol auto` between machines must say it]
    #[arg(long)]
    pub security: Option<SecurityArg>,

    /// How many parties may be corrupted and pool what they see: one, minority (fewer than half), all-but-one,
    /// or a number [default: one]
    #[arg(long, value_name = "one|minority|all-but-one|NUMBER")]
    pub corruptions: Option<Corruptions>,
}

/// What corrupted parties do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SecurityArg {
    /// They follow the protocol
    #[default]
    SemiHonest,
    /// They do whatever they like
    Malicious,
}

/// How many parties may be corrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruptions {
    /// Fewer than half.
    Minority,
    /// All but one.
    AllButOne,
    /// So many.
    Number(usize),
}

impl FromStr for Corruptions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "one" => Ok(Corruptions::Number(1)),
            "minority" => Ok(Corruptions::Minority),
            "all-but-one" => Ok(Corruptions::AllButOne),
            number => {
                let number = number.parse().ok().filter(|number| *number > 0);
                let hint = "write one, minority, all-but-one, or a number from 1 on";
                number.map(Corruptions::Number).ok_or_else(|| hint.to_string())
            }
        }
    }
}

impl ThreatArgs {
    /// What so many parties are to be protected against.
    pub fn among(&self, parties: usize) -> Result<Threat, CliError> {
        let corruptions = match self.corruptions {
            // With two parties either may be.
            Some(Corruptions::Minority) => parties.div_ceil(2).saturating_sub(1).max(1),
            Some(Corruptions::AllButOne) => parties.saturating_sub(1),
            Some(Corruptions::Number(number)) => number,
            None => 1,
        };
        if corruptions >= parties {
            return Err(CliError::input(format!(
                "--corruptions {corruptions}: of {parties} parties {} may be corrupted at most",
                parties.saturating_sub(1)
            )));
        }
        let security = self.security.unwrap_or_default();
        Ok(Threat { corruptions, malicious: security == SecurityArg::Malicious })
    }
}
