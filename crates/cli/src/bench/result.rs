//! Results of a benchmark: per party, and summed up.

use super::args::{BenchArgs, BenchTransport, Operation};
use super::limit::{Limit, limit};
use super::task;
use crate::error::CliError;
use crate::output::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use tacit::runtime::Profile;
use tacit_backend::cost;
use tacit_engine::bench::{Measured, Usage};
use tacit_engine::circuit;

/// What one party measured.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct PartyResult {
    /// Passes over all lanes.
    pub passes: u64,
    /// Results per pass.
    pub lanes: u64,
    seconds: Seconds,
    /// Bytes sent per directed link in all passes, `from->to`.
    bytes_sent: BTreeMap<String, u64>,
    rounds: u64,
    user_seconds: f64,
    system_seconds: f64,
    peak_rss_bytes: u64,
    /// Seconds per message of the bare exchange.
    pub bare: Option<f64>,
}

/// Seconds by phase; `total` is all of them.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Seconds {
    setup: f64,
    offline: f64,
    online: f64,
    verify: f64,
    total: f64,
}

impl Seconds {
    /// What speed is computed from: set-up is paid once per session.
    fn of_passes(&self) -> f64 {
        self.total - self.setup
    }
}

impl PartyResult {
    /// From a measurement on arrays.
    pub fn of_arrays(measured: &Measured) -> PartyResult {
        let mut result = PartyResult {
            passes: measured.passes,
            lanes: measured.elements,
            seconds: Seconds {
                setup: measured.setup_seconds,
                online: measured.seconds,
                total: measured.setup_seconds + measured.seconds,
                ..Seconds::default()
            },
            rounds: 1,
            ..PartyResult::default()
        };
        for (from, to) in cost::links() {
            let bytes = measured.bytes.link(from, to) * measured.passes;
            if bytes > 0 {
                result.bytes_sent.insert(format!("{from}->{to}"), bytes);
            }
        }
        result.set_usage(&measured.usage);
        result
    }

    /// Adds one evaluation of a circuit.
    pub fn add_report(&mut self, report: &circuit::Report) {
        self.passes += 1;
        self.lanes = report.instances;
        self.seconds.setup += report.cost.setup_seconds;
        self.seconds.offline += report.cost.offline_seconds;
        self.seconds.online += report.cost.online_seconds;
        self.seconds.total += report.cost.total_seconds();
        self.rounds = report.cost.rounds;
        for link in &report.cost.links {
            *self.bytes_sent.entry(format!("{}->{}", link.from, link.to)).or_default() +=
                link.bytes;
        }
    }

    /// Adds one batch of triples.
    pub fn add_triples(&mut self, made: &circuit::MadeTriples) {
        self.passes += 1;
        self.lanes = made.triples;
        self.seconds.setup += made.setup_seconds;
        self.seconds.offline += made.seconds;
        self.seconds.total += made.setup_seconds + made.seconds;
        for link in &made.links {
            *self.bytes_sent.entry(format!("{}->{}", link.from, link.to)).or_default() +=
                link.bytes;
        }
    }

    /// Sets CPU time and memory.
    pub fn set_usage(&mut self, usage: &Usage) {
        self.user_seconds = usage.user_seconds;
        self.system_seconds = usage.system_seconds;
        self.peak_rss_bytes = usage.peak_rss_bytes;
    }
}

/// One line of a benchmark.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    op: Operation,
    protocol: String,
    parties: u64,
    /// Assignments of roles side by side.
    assignments: usize,
    /// Weights of the ways in which products are made, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<String>,
    threads: u64,
    transport: String,
    network: Option<String>,
    seconds_asked: f64,
    /// Bits of a ring element, or of an integer; ciphers have none.
    width: Option<u32>,
    /// The S-box of AES; other tasks have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    sbox: Option<String>,
    lanes: u64,
    passes: u64,
    per_second: f64,
    seconds: Seconds,
    cpu_seconds: CpuSeconds,
    bytes_sent: BTreeMap<String, u64>,
    rounds: u64,
    peak_rss_bytes: u64,
    /// What triples cost to make, where that is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes_per_triple: Option<BytesPerTriple>,
    limit: Option<Limit>,
    version: &'static str,
    machine: String,
}

/// Bytes of a triple on the link that carries most.
#[derive(Clone, Copy, Debug, Serialize)]
struct BytesPerTriple {
    /// As the meter has it.
    counted: f64,
    /// By the cost functions, which know of every message.
    predicted: f64,
    /// The leading terms of the CCS 2020 paper: (4 B 128 + 2 B - 1) / 8 for buckets of B.
    published: f64,
}

impl BytesPerTriple {
    fn of(args: &BenchArgs, result: &PartyResult) -> Result<Option<Self>, CliError> {
        if args.operation != Operation::Triples {
            return Ok(None);
        }
        let job = task::triples(args)?;
        let made = (result.passes * result.lanes) as f64;
        let busiest = result.bytes_sent.values().max().copied().unwrap_or(0);
        Ok(Some(BytesPerTriple {
            counted: busiest as f64 / made,
            predicted: job.bytes().busiest() as f64 / (job.triples * job.workers) as f64,
            published: job.bits_per_triple() as f64 / 8.0,
        }))
    }
}

/// CPU seconds of all parties.
#[derive(Clone, Copy, Debug, Serialize)]
struct CpuSeconds {
    user: f64,
    system: f64,
}

/// Sums up the parties' results.
pub fn summary(
    args: &BenchArgs,
    profile: Option<&Profile>,
    parties: &[PartyResult],
) -> Result<Summary, CliError> {
    let slowest = parties
        .iter()
        .max_by(|a, b| a.seconds.of_passes().total_cmp(&b.seconds.of_passes()))
        .ok_or_else(|| CliError::input("no party has a result"))?;
    let results = (slowest.passes * slowest.lanes) as f64;
    // Parties in one process have all its CPU time in common.
    let processes: &[PartyResult] = match args.transport {
        BenchTransport::Memory => &parties[..1],
        _ => parties,
    };
    let cpu = CpuSeconds {
        user: processes.iter().map(|p| p.user_seconds).sum(),
        system: processes.iter().map(|p| p.system_seconds).sum(),
    };
    let per_second = results / slowest.seconds.of_passes();
    let per_cpu_second = results / (cpu.user + cpu.system).max(1e-3);
    let bare = parties.iter().filter_map(|p| p.bare).max_by(f64::total_cmp);
    let limit = match args.vs_limit {
        true => limit(args, profile, bare, per_second, per_cpu_second)?,
        false => None,
    };
    Ok(Summary {
        op: args.operation,
        protocol: args.protocol.to_string(),
        parties: parties.len() as u64,
        assignments: super::task::meshes(args)? / args.threads,
        balance: super::task::weights(args)?,
        threads: args.threads as u64,
        transport: args.transport_name().into(),
        network: profile.map(|p| p.name.clone()),
        seconds_asked: args.seconds,
        width: width(args),
        sbox: matches!(args.operation, Operation::Aes).then(|| args.sbox().into()),
        lanes: slowest.lanes,
        passes: slowest.passes,
        per_second,
        seconds: slowest.seconds,
        cpu_seconds: cpu,
        bytes_sent: slowest.bytes_sent.clone(),
        rounds: parties.iter().map(|p| p.rounds).max().unwrap_or(0),
        peak_rss_bytes: parties.iter().map(|p| p.peak_rss_bytes).max().unwrap_or(0),
        bytes_per_triple: BytesPerTriple::of(args, slowest)?,
        limit,
        version: env!("CARGO_PKG_VERSION"),
        machine: machine(),
    })
}

fn width(args: &BenchArgs) -> Option<u32> {
    match args.operation {
        Operation::And => Some(1),
        Operation::Aes | Operation::Sha256 | Operation::Triples => None,
        _ => Some(args.width),
    }
}

/// Processor and number of cores, as the system names them.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown processor", |(_, name)| name.trim());
    format!("{model}, {cores} cores, {}", std::env::consts::ARCH)
}

impl Report for Summary {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let network = self.network.as_ref().map_or(String::new(), |n| format!(", network {n}"));
        writeln!(
            out,
            "{:?} under {} over {}{network}, {} thread(s) per party, {} lanes",
            self.op, self.protocol, self.transport, self.threads, self.lanes
        )?;
        writeln!(out, "  {} per second", short(self.per_second))?;
        let CpuSeconds { user, system } = self.cpu_seconds;
        let results = (self.passes * self.lanes) as f64;
        writeln!(
            out,
            "  CPU per result, all parties: {:.3} ns user, {:.3} ns system",
            user * 1e9 / results,
            system * 1e9 / results
        )?;
        if let Some(balance) = &self.balance {
            writeln!(out, "  products made in several ways, by weight: {balance}")?;
        }
        for (link, bytes) in &self.bytes_sent {
            writeln!(out, "  {link}: {:.3} bits per result", *bytes as f64 * 8.0 / results)?;
        }
        if let Some(BytesPerTriple { counted, predicted, published }) = self.bytes_per_triple {
            writeln!(
                out,
                "  bytes per triple to each party: {counted:.2}; by the cost functions {predicted:.2}, in \
                 leading terms {published:.2}"
            )?;
        }
        if let Some(limit) = &self.limit {
            let bound = short(limit.per_second);
            writeln!(out, "  {:.1} % of {bound} per second: {}", limit.ratio * 100.0, limit.what)?;
        }
        writeln!(out, "  peak memory {} MB per process", self.peak_rss_bytes / 1_000_000)
    }
}

/// A rate with a prefix.
pub fn short(rate: f64) -> String {
    match rate {
        r if r >= 1e9 => format!("{:.3} billion", r / 1e9),
        r if r >= 1e6 => format!("{:.2} million", r / 1e6),
        r if r >= 1e3 => format!("{:.1} thousand", r / 1e3),
        r => format!("{r:.2}"),
    }
}
