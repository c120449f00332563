//! Arguments of `tacit bench`.

use super::paper::args::{Paper, PaperArgs};
use crate::checks::Checks;
use crate::deadlines::Deadlines;
use crate::error::CliError;
use crate::flags;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::PathBuf;
use std::str::FromStr;
use tacit::runtime::{Balancing, Profile, Roles};
use tacit_engine::protocols::{self, TRIO};
use tacit_sharing::Protocol;
use tacit_sharing::balance::Way;

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// AND gates on independent lanes
    And,
    /// Products in the ring of --width bits
    Mul,
    /// Inner products of --length terms
    Dot,
    /// Products of square matrices of --size rows: output entries
    Matmul,
    /// AES-128 blocks, key schedule included
    Aes,
    /// SHA-256 compressions
    Sha256,
    /// Comparisons of --width-bit integers
    Compare,
    /// Authenticated AND triples, under authenticated:N: as many per pass and thread as --instances says
    Triples,
    /// The experiments of a paper in virtual time, beside what it reports: name the paper
    Paper,
}

/// The ways for parties to talk in a benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BenchTransport {
    /// Threads of one process, no network
    Memory,
    /// Plain TCP on loopback
    #[default]
    Tcp,
    /// TLS 1.3 on loopback
    Tls,
}

impl BenchTransport {
    pub(super) fn name(self) -> &'static str {
        match self {
            BenchTransport::Memory => "memory",
            BenchTransport::Tcp => "tcp",
            BenchTransport::Tls => "tls",
        }
    }
}

/// Arguments of `tacit bench`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  tacit bench and --protocol trio --vs-limit
  tacit bench mul --width 64 --protocol replicated --transport tls
  tacit bench and --protocol astra --network 1gbit --vs-limit
  tacit bench dot --width 32 --length 1000 --protocol trio --json
  tacit bench aes --protocol multi-fan-in --instances 1000 --network global
  tacit bench and --protocol quad --roles split --network 1gbit --vs-limit
  tacit bench paper trio-quad --quick
  tacit bench paper multi-fan-in --table 7 --table 8 --repeat 5
  tacit bench paper brain --figure 10c --svg global.svg --result rows.jsonl
  tacit bench paper ccs16 --table 1 --json
  tacit bench paper ccs16 --synthetic
  tacit bench triples --protocol authenticated:3 --threads 2
  tacit bench aes --protocol bmr:3 --hosts hosts.toml
  tacit bench and --network 1gbit --protocol quad,trio --keep 0-2,1-2 --plot throttled.svg")]
pub struct BenchArgs {
    /// What to measure
    pub operation: Operation,

    /// With `paper`: which one
    #[arg(value_name = "PAPER", required_if_eq("operation", "paper"))]
    pub paper: Option<Paper>,

    #[command(flatten)]
    pub tables: PaperArgs,

    #[arg(
        long = "protocol",
        default_value = "trio",
        default_value_if("operation", "triples", "authenticated:3"),
        value_parser = protocols::named,
        value_delimiter = ',',
        value_name = "PROTOCOL",
        help = flags::protocol("; with --plot, several with commas between them [of `triples`: authenticated:3]")
    )]
    pub(super) protocols: Vec<Protocol>,

    /// The first of them.
    #[arg(skip = TRIO)]
    pub protocol: Protocol,

    #[command(flatten)]
    checks: Checks,

    /// Parties, if they are more than a protocol has roles: with --roles split all have work. For
    /// `and`, `mul`, `dot` and `matmul` [default: one per role]
    #[arg(long, value_parser = clap::value_parser!(u8).range(3..=4))]
    pub parties: Option<u8>,

    /// Who plays roles 0, 1, 2 and so on: parties by number, or several assignments side by side,
    /// such as `0,1,2;2,1,0`; `split` for assignments that use all links alike; `auto` for what
    /// fits the network of --network [default: parties in their order]
    #[arg(long, value_name = "PARTIES|split|auto")]
    pub roles: Option<Roles>,

    /// Bits of a ring element (8, 16, 32, 64 or 128; `and` has 1), or of integers to compare (1 to 128)
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=128))]
    pub width: u32,

    /// Instances per pass, computed side by side [default: fitted to the operation]
    #[arg(long, value_parser = up_to(MAX_INSTANCES))]
    pub instances: Option<usize>,

    /// Terms of an inner product
    #[arg(long, default_value_t = 1000, value_parser = up_to(MAX_LENGTH))]
    pub length: usize,

    /// Rows and columns of a matrix
    #[arg(long, default_value_t = 256, value_parser = up_to(MAX_SIZE))]
    pub size: usize,

    /// Protocols that --roles split and auto may use beside --protocol
    #[arg(long, value_parser = protocols::named, value_delimiter = ',', requires = "roles", value_name = "PROTOCOLS")]
    pub mix: Vec<Protocol>,

    /// Divide the products of one assignment of roles between ways to make them, by weight, so that
    /// links which one way leaves idle carry a part: a, b, het (quad, quad-a, quad-het) or straight
    /// (trio, astra), each also with roles 1 and 2 exchanged: a-crossed, b-crossed, het-crossed, crossed.
    /// `auto`: weights that are fastest on the network of --network. Not for `dot`, `matmul` and `triples`
    #[arg(long, value_name = "auto|none|a=2,het=1", default_value = "none")]
    pub balance: Balancing,

    #[arg(long, default_value_t = 1, value_parser = flags::threads(), help = flags::THREADS)]
    pub threads: usize,

    /// How the parties talk
    #[arg(long, default_value = "tcp")]
    pub transport: BenchTransport,

    /// Start a party on each host of a file, by SSH or a command that it names, over TLS
    #[arg(long, value_name = "FILE", conflicts_with = "plot")]
    pub hosts: Option<PathBuf>,

    #[arg(long, value_name = "NETWORK", help = flags::NETWORK)]
    pub network: Option<String>,

    /// Seconds to measure
    #[arg(long, default_value_t = 2.0)]
    pub seconds: f64,

    /// Measure the bound of the setting in the same run, and print the ratio
    #[arg(long)]
    pub vs_limit: bool,

    /// Words per message [default: 8192]
    #[arg(long, value_parser = up_to(MAX_PIECE))]
    pub piece: Option<usize>,

    /// Messages under way at once [default: 16]
    #[arg(long, value_parser = up_to(MAX_PIECE))]
    pub pieces: Option<usize>,

    /// S-box of AES: d6, d4, d3, d2, d2p or d1; fewer rounds for more traffic [default: d6, of the fewest ANDs, where
    /// circuits are garbled, else d4]
    #[arg(long)]
    pub sbox: Option<String>,

    #[command(flatten)]
    pub deadlines: Deadlines,

    #[command(flatten)]
    pub sweep: SweepArgs,
}

const MAX_INSTANCES: u64 = 1 << 36;
const MAX_LENGTH: u64 = 1 << 32;
const MAX_SIZE: u64 = 1 << 16;
/// Words per message, and messages under way.
const MAX_PIECE: u64 = 1 << 24;

/// A whole number from 1 to `max`.
fn up_to(max: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..=max)
}

impl BenchArgs {
    /// The form of AES's S-box: the fewest ANDs where they are garbled, else few rounds too.
    pub(super) fn sbox(&self) -> &str {
        self.sbox.as_deref().unwrap_or(if self.protocol.garbles() { "d6" } else { "d4" })
    }

    /// How the parties talk, by name.
    pub(super) fn transport_name(&self) -> &'static str {
        match self.hosts {
            Some(_) => BenchTransport::Tls.name(),
            None => self.transport.name(),
        }
    }

    /// With the protocols of the checks that are asked for.
    pub fn checked(mut self) -> Result<Self, CliError> {
        for protocol in self.mix.iter_mut().chain(&mut self.protocols) {
            *protocol = self.checks.apply(*protocol)?;
        }
        let several = self.protocols.len() > 1 && self.sweep.plot.is_none();
        match self.protocols.first() {
            Some(first) if !several => self.protocol = *first,
            _ => return Err(CliError::input("--protocol: one protocol, or several with --plot")),
        }
        Ok(self)
    }

    /// Refuses options that have no meaning beside `paper`, whose rows say what is run.
    pub(super) fn refuse_beside_paper(&self) -> Result<(), CliError> {
        if self.hosts.is_some() {
            return Err(CliError::input(
                "not supported: `bench paper` runs all parties in this process, in virtual time; measure one operation on \
                 several hosts, such as `tacit bench and --protocol trio --hosts hosts.toml`",
            ));
        }
        let given = [
            ("--protocol", self.protocols[..] != [TRIO]),
            ("--parties", self.parties.is_some()),
            ("--roles", self.roles.is_some()),
            ("--balance", !self.balance.is_none()),
            ("--width", self.width != 64),
            ("--instances", self.instances.is_some()),
            ("--length", self.length != 1000),
            ("--size", self.size != 256),
            ("--threads", self.threads != 1),
            ("--transport", self.transport != BenchTransport::Tcp),
            ("--network", self.network.is_some()),
            ("--seconds", self.seconds != 2.0),
            ("--vs-limit", self.vs_limit),
            ("--piece", self.piece.is_some()),
            ("--pieces", self.pieces.is_some()),
            ("--sbox", self.sbox.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((flag, _)) => Err(CliError::input(format!(
                "{flag} is not for `bench paper`: each row of a paper says what is run, and on which network"
            ))),
            None => Ok(()),
        }
    }

    /// Number of parties.
    pub fn parties(&self) -> usize {
        self.parties.map_or(self.protocol.parties(), usize::from)
    }

    /// The arguments of one point of a plot, without its network.
    pub(super) fn of_point(&self, protocol: Protocol, percent: f64) -> Vec<String> {
        let operation = self.operation.to_possible_value();
        let operation = operation.map_or(String::new(), |value| value.get_name().to_owned());
        let mut arguments = vec!["bench".to_owned(), operation, "--json".into()];
        let mut add = |flag: &str, value: String| arguments.extend([flag.to_owned(), value]);
        add("--protocol", protocol.to_string());
        add("--width", self.width.to_string());
        add("--length", self.length.to_string());
        add("--size", self.size.to_string());
        add("--threads", self.threads.to_string());
        add("--transport", self.transport.name().into());
        add("--seconds", self.seconds.to_string());
        if !Way::all(protocol).is_empty() {
            add("--balance", self.balance.to_string());
        }
        // Passes over throttled links are to take no longer than others.
        let instances = self.instances.unwrap_or(1 << 22) as f64 * percent / 100.0;
        add("--instances", (instances as usize).max(1 << 12).to_string());
        arguments
    }

    /// The network to play.
    pub fn profile(&self) -> Result<Option<Profile>, CliError> {
        let load = |name| Profile::of_parties(name, self.parties());
        Ok(self.network.as_deref().map(load).transpose()?)
    }
}

/// Arguments of a plot.
#[derive(Args, Clone, Debug)]
pub struct SweepArgs {
    /// Write a plot (SVG) of the speed of the protocols while all links but those of --keep are
    /// throttled to parts of --network, which is a bandwidth here
    #[arg(long, value_name = "FILE.svg", requires = "network")]
    pub plot: Option<PathBuf>,

    /// Links that keep their full rate in both directions: 0-2,1-2
    #[arg(long, value_delimiter = ',', requires = "plot", value_name = "LINKS")]
    pub(super) keep: Vec<Pair>,

    /// Rates of all other links, in percent
    #[arg(
        long,
        value_delimiter = ',',
        requires = "plot",
        value_name = "PERCENTS",
        default_value = "100,50,20,10,5,2,1"
    )]
    pub(super) throttle: Vec<f64>,
}

/// A link between two parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair(pub(super) u8, pub(super) u8);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Pair, String> {
        let pair =
            text.split_once('-').and_then(|(a, b)| Some(Pair(a.parse().ok()?, b.parse().ok()?)));
        let fits = pair.filter(|Pair(a, b)| a != b && *a.max(b) < 4);
        fits.ok_or_else(|| "write a link as two parties, such as 0-2".into())
    }
}

impl Pair {
    pub(super) fn is(self, a: u8, b: u8) -> bool {
        (self.0, self.1) == (a, b) || (self.0, self.1) == (b, a)
    }
}
