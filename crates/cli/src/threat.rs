//! `--security` and `--corruptions`: what a protocol that is chosen must protect against.

use crate::error::CliError;
use clap::{Args, ValueEnum};
use tacit::Threat;
use tacit_net::config::Corruptions;

/// What a protocol must protect against.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ThreatArgs {
    /// What corrupted parties do: look at what they see (semi-honest), or whatever they like (malicious) [default:
    /// semi-honest; `tacit run --party` must say it, or the party's file, if no protocol is named]
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

impl ThreatArgs {
    /// What so many parties are to be protected against.
    pub fn among(&self, parties: usize) -> Result<Threat, CliError> {
        let corruptions = self.corruptions.unwrap_or_default().among(parties);
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
