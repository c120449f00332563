//! Arguments of `tacit plan`.

use super::described;
use crate::checks::Checks;
use crate::circuit::file::ReadArgs;
use crate::error::CliError;
use crate::flags;
use crate::program::NamedValue;
use crate::run::{Misplaced, Parties};
use crate::task::Task;
use crate::threat::ThreatArgs;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use tacit::runtime::{Profile, Wire, auto, bandwidth};
use tacit_planner::{Calibration, Network, Objective};
use tacit_protocol::MAX_PARTIES;

/// Arguments of `tacit plan`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  tacit plan aes.txt --network global
  tacit plan sha256.txt --parties 7 --network ccs16 --corruptions all-but-one
  tacit plan aes.txt --parties 5 --network lan --corruptions minority --objective online
  tacit plan pay-gap.tacit --network global --security malicious --rows a=2000 --rows b=2000
  tacit plan aes.txt --parties alice,bob,carol --network mynetwork.toml --json")]
pub struct PlanArgs {
    /// A program, or a circuit
    #[arg(value_name = "PROGRAM|CIRCUIT")]
    pub path: PathBuf,

    /// How many parties there are, or their names, those of a program first [default: those that give inputs]
    #[arg(long, value_name = "NUMBER|NAMES")]
    parties: Option<String>,

    #[arg(long, value_name = "NETWORK", default_value = "global", help = flags::NETWORK)]
    pub network: String,

    /// What each party sends at most over all its links together, such as 1gbit [default: its links alone
    /// are limited]
    #[arg(long, value_name = "BANDWIDTH")]
    uplink: Option<String>,

    #[command(flatten)]
    pub threat: ThreatArgs,

    /// Protocols of fewer parties, too: the first ones compute, of whom as many may be corrupted. The others take
    /// no part, or, in programs, give inputs and learn results
    #[arg(long)]
    pub fewer: bool,

    #[command(flatten)]
    pub checks: Checks,

    /// What is to be short: the whole run, or what comes after the inputs, where preprocessing was made before
    #[arg(long, default_value = "total")]
    objective: ObjectiveArg,

    /// Number of instances of a circuit, all evaluated side by side [default: 1]
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    pub instances: Option<usize>,

    #[arg(long, value_name = "ROWS=NUMBER", help = flags::ROWS)]
    pub rows: Vec<NamedValue>,

    #[arg(long, default_value_t = 1, value_parser = flags::threads(), help = flags::THREADS)]
    pub threads: usize,

    /// Megabytes that a party may keep: protocols that need more are left out
    #[arg(long, value_name = "MB", default_value_t = 8192)]
    pub memory: u64,

    /// How fast the parties' processors, and TLS, are: as this machine, measured first; here, all parties on this one machine,
    /// whose cores they share; typical, from a table; or left out, for the network's time alone
    #[arg(long, default_value = "measured")]
    computing: Computing,

    #[command(flatten)]
    pub read: ReadArgs,
}

/// What is to be short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ObjectiveArg {
    /// Set-up, preprocessing and the online phase
    Total,
    /// The online phase
    Online,
}

/// How fast processors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Computing {
    /// As this machine
    Measured,
    /// As this machine, which all parties share
    Here,
    /// As in a table
    Typical,
    /// Infinitely
    None,
}

impl PlanArgs {
    /// What is to be computed.
    pub fn task(&self) -> Result<Task, CliError> {
        let for_programs = [Misplaced::new(!self.rows.is_empty(), "--rows", "--instances NUMBER")];
        let for_circuits =
            [Misplaced::new(self.instances.is_some(), "--instances", "--rows ROWS=NUMBER")];
        Task::read(&self.path, &self.read, for_programs, for_circuits)
    }

    /// All parties, by name.
    pub fn parties(&self, task: &Task) -> Result<Parties, CliError> {
        let own = task.party_names();
        let usual = task.parties().clamp(2, MOST);
        let Some(given) = &self.parties else { return sized(usual, own) };
        if let Ok(number) = given.trim().parse() {
            return sized(number, own);
        }
        let names: Vec<String> = given.split(',').map(|name| name.trim().to_string()).collect();
        let known = names.iter().enumerate().all(|(i, name)| {
            let first = names.iter().position(|other| other == name);
            !name.is_empty() && first == Some(i)
        });
        if !known {
            return Err(CliError::input(
                "--parties: write a number, or different names: alice,bob",
            ));
        }
        if task.is_program() && !names.starts_with(&own) {
            let own = own.join(",");
            return Err(CliError::input(format!(
                "--parties begins with the program's parties, in its order: {own}"
            )));
        }
        sized(names.len(), names)
    }

    /// The network between so many parties.
    pub fn network(&self, profile: &Profile, parties: usize) -> Result<Network, CliError> {
        let network = match self.computing {
            Computing::Measured => Wire::measured()?.on(described(profile, parties)),
            Computing::Here => Wire::shared(parties)?.on(described(profile, parties)),
            Computing::Typical | Computing::None => described(profile, parties),
        };
        let Some(uplink) = &self.uplink else { return Ok(network) };
        let bits = bandwidth(uplink).ok_or_else(|| {
            CliError::input(format!(
                "--uplink {uplink}: write a bandwidth such as 1gbit or 100mbit"
            ))
        })?;
        Ok(network.with_uplinks(bits as f64 / 8.0))
    }

    /// How fast processors are, of so many parties.
    pub fn calibration(&self, parties: usize) -> Result<Calibration, CliError> {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let busy = (parties * self.threads) as f64 / cores as f64;
        Ok(match self.computing {
            Computing::Measured => auto::this_machine()?,
            Computing::Here => auto::this_machine()?.times(busy.max(1.0)),
            Computing::Typical => Calibration::TYPICAL,
            Computing::None => Calibration::FREE,
        })
    }

    /// What is to be short.
    pub fn objective(&self) -> Objective {
        match self.objective {
            ObjectiveArg::Total => Objective::Total,
            ObjectiveArg::Online => Objective::Online,
        }
    }
}

/// Parties at most.
const MOST: usize = MAX_PARTIES as usize;

/// So many parties, of whom some have names.
fn sized(parties: usize, names: Vec<String>) -> Result<Parties, CliError> {
    if parties < names.len() {
        return Err(CliError::input(format!(
            "{} parties give inputs or learn results: --parties {} or more",
            names.len(),
            names.len()
        )));
    }
    if !(2..=MOST).contains(&parties) {
        return Err(CliError::input(format!("--parties: from 2 to {MOST}")));
    }
    let Parties(mut all) = Parties::numbered(parties);
    all.splice(..names.len(), names);
    Ok(Parties(all))
}
