//! Arguments of `tacit run`.

use crate::checks::Checks;
use crate::circuit::file::ReadArgs;
use crate::deadlines::Deadlines;
use crate::error::CliError;
use crate::flags;
use crate::garbling::GarblingArgs;
use crate::local::Transport;
use crate::ports::{PortFile, ValueStyle};
use crate::program::{ByChoice, TableArgs};
use crate::ranges::RangeArgs;
use crate::threat::ThreatArgs;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tacit::Threat;
use tacit::runtime::{Balancing, Demands, Options, Parties, Profile, Roles, Wanted, session_named};
use tacit_engine::circuit::{FormChoice, Preprocessing};
use tacit_engine::protocols;
use tacit_garbling::bmr::Opening;
use tacit_net::SessionConfig;
use tacit_sharing::Protocol;

/// The name of a run that is given none.
pub const DEFAULT_SESSION: &str = "default";

/// Arguments of `tacit run`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  A program on three companies' tables, all parties on this machine:
    tacit run pay-gap.tacit --local --table alice=a.csv --table bob=b.csv --table carol=c.csv
  The same on alice's machine:
    tacit run pay-gap.tacit --party alice.toml --security malicious --table a.csv
  A circuit on this machine, input port i given by party i, results to everybody, one key for all blocks:
    tacit run aes.txt --local --bits bytes --input 0=key.hex --repeat 0 --input 1=blocks.hex --output 0=out.hex
  One of three machines, results to bob only:
    tacit run aes.txt --party alice.toml --security malicious --bits bytes --owner 0=alice --owner 1=bob --reveal bob \\
        --input 0=key.hex --repeat
  With what `tacit prepare` stored (see there):
    tacit run aes.txt --protocol bmr:3 --local --prepared store --bits bytes --input 0=key.hex ...
  Other machines give the same arguments, except for --party, --input, --repeat and --output.")]
pub struct RunArgs {
    /// A program, or a circuit: the same at all parties
    #[arg(value_name = "PROGRAM|CIRCUIT")]
    pub path: PathBuf,

    #[arg(long = "protocol", help = flags::protocol(&format!("{AUTO} [default: auto]")), value_name = "PROTOCOL|auto")]
    asked: Option<Asked>,

    /// The protocol. Where the parties choose it, one of those that they choose from, until they have.
    #[arg(skip = protocols::TRIO)]
    pub protocol: Protocol,

    /// What the protocol must do that the parties choose, if they choose it.
    #[arg(skip)]
    pub wanted: Option<Wanted>,

    /// What the party's file demands.
    #[arg(skip)]
    demands: Option<Demands>,

    #[command(flatten)]
    threat: ThreatArgs,

    /// Where the parties choose the protocol: show what every protocol that protects well enough would take
    #[arg(long)]
    pub explain: bool,

    #[command(flatten)]
    checks: Checks,

    /// What a program's numbers are computed with: shares in rings, or circuits alone, which
    /// round exactly; `auto` to measure the links and take what is faster on them [default: rings, if
    /// the protocol has them]
    #[arg(long, value_name = "rings|circuits|auto")]
    pub by: Option<ByChoice>,

    /// Run all parties as processes on this machine, over TLS with throw-away identities
    #[arg(long)]
    local: bool,

    /// Run one party: its configuration from `tacit party new`
    #[arg(long, value_name = "FILE", conflicts_with = "local")]
    party: Option<PathBuf>,

    /// File with the values of an input port, or of several: 0=key.hex, 0,1=all.csv. A file has
    /// one value for each instance. With --party, only ports that this party owns, and `-`
    /// is standard input
    #[arg(long = "input", value_name = "PORTS=FILE")]
    pub inputs: Vec<PortFile>,

    /// Use the one value of an input port in as many instances as the others have: of this port, or of all. Without it
    /// a party that gives one value takes part in one instance: who chooses other inputs for it in many may find it out
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "all")]
    pub repeat: Vec<Repeat>,

    /// Instances of a circuit, compared before anybody's inputs leave. Values that are given once are used in all of them
    /// [default: as many as there are values; a party that gives none takes part in as many as the others]
    #[arg(long, value_name = "NUMBER")]
    pub instances: Option<NonZeroUsize>,

    /// File for the values of an output port, or of several [default: print them]. With --local,
    /// the first party that learns all of them writes the file
    #[arg(long = "output", value_name = "PORTS=FILE")]
    pub outputs: Vec<PortFile>,

    /// Who gives an input port: 0=alice. Repeatable [default: port i is party i's, and
    /// so on in turn]
    #[arg(long = "owner", value_name = "PORT=PARTY")]
    pub owners: Vec<PortParties>,

    /// Who learns the outputs, or one output port: bob, or alice,bob, or 0=bob. Repeatable
    /// [default: all parties learn all outputs]
    #[arg(long = "reveal", value_name = "[PORT=]PARTIES")]
    pub reveal: Vec<PortParties>,

    /// Who plays roles 0, 1, 2 and so on of the protocol: parties, or several assignments side by
    /// side, such as `0,1,2;2,1,0` (`0,1,2,3;quad-het:3,2,1,0` of two protocols, `0,1,2 x3;2,1,0` with three times the rows or instances for the first); `split` for assignments that use all links alike; `auto` to
    /// measure the links and take what is fastest on them [default: parties in their order]
    #[arg(long, value_name = "PARTIES|split|auto")]
    pub roles: Option<Roles>,

    /// Protocols that --roles split and auto may use beside --protocol, and that protect against
    /// the same: quad-a,quad-het
    #[arg(long, value_parser = protocols::named, value_delimiter = ',', requires = "roles", value_name = "PROTOCOLS")]
    pub mix: Vec<Protocol>,

    /// Divide the products of one assignment of roles between ways to make them, by weight, so that
    /// links which one way leaves idle carry a part: a, b, het (quad, quad-a, quad-het) or straight
    /// (trio, astra), each also with roles 1 and 2 exchanged: a-crossed, b-crossed, het-crossed, crossed.
    /// `auto`: measure the links and take the weights that are fastest on them
    #[arg(long, value_name = "auto|none|a=2,het=1", default_value = "none")]
    pub balance: Balancing,

    /// Threads per party; with several assignments of roles, per assignment [default: 1; where the parties choose the protocol
    /// they choose this too]
    #[arg(long, value_name = "THREADS", value_parser = flags::threads())]
    threads: Option<usize>,

    /// When messages that do not depend on inputs are sent
    #[arg(long, default_value = "interleaved")]
    pub preprocessing: PreprocessingArg,

    /// Use stored preprocessing, once: the directory that `tacit prepare` filled
    #[arg(long, value_name = "DIRECTORY")]
    pub prepared: Option<PathBuf>,

    /// Form of products with more than two factors (multi-fan-in): dealer, symmetric, or a
    /// ratio of the evaluators' bandwidth to the helper's, such as 2.5, to choose per level
    #[arg(long, default_value = "dealer", value_parser = form)]
    pub form: FormChoice,

    /// How garbled tables that parties make together open (bmr and its variants): all, everybody sends
    /// everybody everything, in one round; collector, column by column, in two rounds and fewer bytes; single,
    /// the same, but only role 0 has the tables, evaluates, and tells the others: half the bytes, and a round more
    /// [default: collector; all for forms of bmr that are there to compare]
    #[arg(long, value_name = "all|collector|single", value_parser = opening)]
    pub opening: Option<Opening>,

    #[command(flatten)]
    pub garbling: GarblingArgs,

    #[command(flatten)]
    pub ranges: RangeArgs,

    /// Bytes of messages under way per direction; more hides more latency
    #[arg(long, value_name = "BYTES")]
    window: Option<usize>,

    /// How local parties are connected
    #[arg(long, default_value = "tls")]
    pub transport: Transport,

    #[arg(long, value_name = "NETWORK", help = flags::NETWORK)]
    network: Option<String>,

    /// Name of this run; parties with different names do not meet
    #[arg(long, default_value = DEFAULT_SESSION)]
    session: String,

    #[command(flatten)]
    pub deadlines: Deadlines,

    #[command(flatten)]
    pub style: ValueStyle,

    #[command(flatten)]
    pub read: ReadArgs,

    #[command(flatten)]
    pub program: TableArgs,
}

/// What `--protocol` says beside names of protocols.
pub const AUTO: &str = "; or auto: the parties measure their links and processors, and take the fastest that protects against \
                        --security and --corruptions";

/// A protocol, named or to be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// By the parties.
    Auto,
    /// By its name.
    Named(Protocol),
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        match text {
            "auto" => Ok(Asked::Auto),
            name => protocols::named(name).map(Asked::Named).map_err(|e| e.to_string()),
        }
    }
}

/// When messages that do not depend on inputs are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PreprocessingArg {
    /// Just ahead of their use
    Interleaved,
    /// All before the online phase, kept in memory
    Separate,
}

impl From<PreprocessingArg> for Preprocessing {
    fn from(arg: PreprocessingArg) -> Preprocessing {
        match arg {
            PreprocessingArg::Interleaved => Preprocessing::Interleaved,
            PreprocessingArg::Separate => Preprocessing::Separate,
        }
    }
}

/// A way to open tables, by name.
pub fn opening(text: &str) -> Result<Opening, String> {
    let named = Opening::ALL.into_iter().find(|opening| opening.name() == text);
    named.ok_or_else(|| "write all, collector or single".into())
}

fn form(text: &str) -> Result<FormChoice, String> {
    match text {
        "dealer" => Ok(FormChoice::Dealer),
        "symmetric" => Ok(FormChoice::Symmetric),
        ratio => match ratio.parse::<f64>() {
            Ok(ratio) if ratio > 0.0 && ratio < 1e6 => {
                Ok(FormChoice::Cheaper { ratio_percent: (ratio * 100.0).round() as u32 })
            }
            _ => Err("write dealer, symmetric, or a positive ratio such as 2.5".into()),
        },
    }
}

/// Input ports whose one value may be used in many instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// All that the party gives.
    All,
    /// One.
    Port(usize),
}

impl FromStr for Repeat {
    type Err = String;

    fn from_str(text: &str) -> Result<Repeat, String> {
        match text {
            "all" => Ok(Repeat::All),
            port => {
                let port = port.parse().map(Repeat::Port);
                port.map_err(|_| {
                    "ports are numbers: --repeat 0, or --repeat behind all else".into()
                })
            }
        }
    }
}

/// Parties, of one port or of all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortParties {
    /// The port; `None` is all.
    pub port: Option<usize>,
    /// Names or numbers.
    pub parties: Vec<String>,
}

impl FromStr for PortParties {
    type Err = String;

    fn from_str(text: &str) -> Result<PortParties, String> {
        let (port, names) = match text.split_once('=') {
            Some((port, names)) => {
                let number = port.trim().parse();
                (Some(number.map_err(|_| "ports are numbers, such as 0=alice")?), names)
            }
            None => (None, text),
        };
        let parties: Vec<String> = match names.trim() {
            "none" => Vec::new(),
            names => names.split(',').map(|n| n.trim().to_string()).collect(),
        };
        if parties.iter().any(String::is_empty) {
            return Err("a party's name is missing; `none` is nobody".into());
        }
        Ok(PortParties { port, parties })
    }
}

/// A flag that may have been given for a program or circuit that it is not for.
pub struct Misplaced {
    given: bool,
    flag: &'static str,
    instead: &'static str,
}

impl Misplaced {
    /// `instead` is what does the same there, or nothing.
    pub fn new(given: bool, flag: &'static str, instead: &'static str) -> Misplaced {
        Misplaced { given, flag, instead }
    }
}

/// Refuses flags that are given although they are for `others` only.
pub fn refuse(others: &str, flags: impl IntoIterator<Item = Misplaced>) -> Result<(), CliError> {
    match flags.into_iter().find(|flag| flag.given) {
        None => Ok(()),
        Some(Misplaced { flag, instead: "", .. }) => {
            Err(CliError::input(format!("{flag} is for {others} only")))
        }
        Some(Misplaced { flag, instead, .. }) => {
            Err(CliError::input(format!("{flag} is for {others}; here use {instead}")))
        }
    }
}

impl RunArgs {
    /// For so many parties: with what they choose a protocol by, if they do. What the party's file does not allow is
    /// refused.
    pub fn among(&self, parties: usize) -> Result<Self, CliError> {
        let mut args = self.clone();
        if !self.names_protocol() {
            let wanted = self.checks.wanted(self.threat(parties)?);
            if let Some(demands) = &self.demands {
                demands.allow_choice(&wanted, parties)?;
            }
            args.protocol = wanted.protocols(parties)?[0];
            wanted.check(&args.options())?;
            args.wanted = Some(wanted);
        } else if let Some(demands) = &self.demands {
            demands.allow(self.protocol)?;
        }
        Ok(args)
    }

    /// What so many parties are to be protected against: as the command line says, or else the party's file.
    fn threat(&self, parties: usize) -> Result<Threat, CliError> {
        let demanded = self.demands.as_ref().and_then(|demands| demands.threat(parties));
        match (self.threat.security, demanded) {
            (None, Some(demanded)) if self.threat.corruptions.is_none() => Ok(demanded),
            (None, _) if self.party.is_some() => Err(CliError::input(
                "say what the run must be protected against: --security malicious (parties that do whatever they like) or \
                 --security semi-honest (parties that only look), here or as `security` under [policy] in the party's file; \
                 or name a protocol",
            )),
            _ => self.threat.among(parties),
        }
    }

    fn names_protocol(&self) -> bool {
        matches!(self.asked, Some(Asked::Named(_)))
    }

    /// With the protocol that is named, and the checks that are asked for.
    pub fn checked(mut self) -> Result<Self, CliError> {
        if let Some(Asked::Named(protocol)) = self.asked {
            self.protocol = self.checks.apply(protocol)?;
            let flags = [
                Misplaced::new(self.threat.security.is_some(), "--security", ""),
                Misplaced::new(self.threat.corruptions.is_some(), "--corruptions", ""),
                Misplaced::new(self.explain, "--explain", ""),
            ];
            refuse("--protocol auto", flags)?;
        }
        for other in &mut self.mix {
            *other = self.checks.apply(*other)?;
        }
        Ok(self)
    }

    /// Refuses to leave the protocol to the parties.
    pub fn named_protocol(&self, command: &str) -> Result<(), CliError> {
        match self.names_protocol() {
            true => Ok(()),
            false => Err(CliError::input(format!(
                "{command} needs --protocol and a name: what is stored is for one protocol (`tacit plan` compares them)"
            ))),
        }
    }

    /// The configuration file of the one party to run, or `None` for all local ones.
    pub fn party_file(&self) -> Result<Option<&Path>, CliError> {
        match (&self.party, self.local) {
            (Some(_), _) if self.transport != Transport::Tls => Err(CliError::input(
                "--transport is about parties that are all on this machine (--local); with --party it is always TLS",
            )),
            (Some(path), _) => Ok(Some(path)),
            (None, true) => Ok(None),
            (None, false) => Err(CliError::input(
                "say --local to run all parties on this machine, or --party FILE to run one",
            )),
        }
    }

    /// A party's session, from its configuration file: what it must know to meet the others; and the arguments, with what the
    /// file demands.
    pub fn session(&self, path: &Path) -> Result<(SessionConfig, Self), CliError> {
        let file = tacit_net::config::PartyConfig::load(path)?;
        let config = file.session(session_named(&self.session));
        let demands = Some(Demands::of(&file, path.display().to_string()));
        Ok((self.deadlines.of(config), RunArgs { demands, ..self.clone() }))
    }

    /// The parties of a configuration file. There may be more than compute if `outside` says so.
    pub fn named(
        &self,
        config: &SessionConfig,
        path: &Path,
        outside: bool,
    ) -> Result<Parties, CliError> {
        Ok(Parties::of(config, &path.display().to_string(), self.protocol, outside)?)
    }

    /// Threads per party, at first.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or(1)
    }

    /// The network to play between so many local parties.
    pub fn shape(&self, parties: usize) -> Result<Option<Profile>, CliError> {
        let load = |name| Profile::of_parties(name, parties);
        Ok(self.network.as_deref().map(load).transpose()?)
    }

    /// How it is computed.
    pub fn options(&self) -> Options {
        let GarblingArgs { garbling, block_ands, label_function } = self.garbling;
        Options {
            by: self.by,
            roles: self.roles.clone(),
            mix: self.mix.clone(),
            balance: self.balance.clone(),
            threads: self.threads(),
            spread: self.threads.is_none() && self.wanted.is_some(),
            preprocessing: self.preprocessing.into(),
            stored: self.prepared.clone(),
            form: self.form,
            opening: self.opening,
            garbling,
            block_ands,
            label_function,
            range_check: !self.ranges.no_range_check,
            chunk_rows: self.program.chunk_rows,
            window_bytes: self.window.unwrap_or(0),
            ..Options::new(self.protocol)
        }
    }
}
