//! K. Yang, X. Wang, J. Zhang, "More Efficient MPC from Improved Triple Generation and Authenticated Garbling" (CCS
//! 2020): its tables 3 and 4, of triples, and what its costs say of table 5, of AES.

use super::evaluated;
use crate::bench::task;
use crate::error::CliError;
use crate::output::{Report, remark};
use comfy_table::{Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use tacit::runtime::Profile;
use tacit_engine::circuit::{Assignment, MadeTriples, TripleJob, measure_triples};
use tacit_engine::protocols::{AUTHENTICATED, WRK17};
use tacit_net::memory::{self, Compute};
use tacit_ring::Entropy;
use tacit_sharing::Protocol;

/// The network of the experiments.
const NETWORK: &str = "10gbit";
/// ANDs of the circuit for AES.
const ANDS: f64 = 6800.0;
/// Bits of a label, and the paper's statistical parameter.
const KAPPA: f64 = 128.0;
const RHO: f64 = 40.0;

/// Table 3: nanoseconds per triple of two parties, by threads; bytes that each sends.
const THREADS: [usize; 5] = [2, 4, 8, 16, 32];
const TABLE_3: [(&str, u32, [u32; 5]); 2] =
    [("WRK17", 286, [3978, 2255, 1263, 765, 588]), ("YWZ20", 193, [677, 412, 239, 203, 184])];

/// Table 4: microseconds per triple, with 2 (n - 1) threads: parties, WRK17, YWZ20.
const TABLE_4: [(usize, Option<f64>, f64); 12] = [
    (3, Some(5.02), 1.26),
    (4, Some(5.98), 1.43),
    (5, Some(7.13), 1.62),
    (6, Some(8.26), 1.86),
    (7, Some(9.46), 2.17),
    (8, Some(10.77), 2.31),
    (16, Some(29.09), 4.95),
    (24, Some(40.55), 6.37),
    (32, Some(51.6), 8.7),
    (40, Some(62.66), 11.41),
    (48, Some(75.0), 13.54),
    (56, None, 16.86),
];

/// Triples per thread for buckets of four, where there are many parties in one process, with up to 16 threads each.
const SMALL: usize = 10_322;
/// Threads and parties that are measured here: the rest takes more memory than one machine has.
const MEASURED_THREADS: usize = 4;
const MEASURED_PARTIES: usize = 8;

/// Triples, as published or here.
#[derive(Serialize)]
struct Triples {
    table: u8,
    parties: usize,
    threads: usize,
    source: &'static str,
    bucket: u64,
    /// Wall-clock time of all of them, divided by their number.
    nanoseconds: Option<f64>,
    /// Bytes that a party sends to each other one, per triple.
    bytes: Option<f64>,
}

/// AES, megabytes that the party that sends most sends.
#[derive(Serialize)]
struct Aes {
    parties: usize,
    source: String,
    independent: f64,
    dependent: f64,
    online: f64,
    /// Seconds ahead of the inputs, and then.
    seconds: Option<[f64; 2]>,
}

#[derive(Serialize)]
pub struct PaperReport {
    paper: &'static str,
    network: String,
    triples: Vec<Triples>,
    aes: Vec<Aes>,
}

/// Runs the experiments in virtual time.
pub fn run() -> Result<PaperReport, CliError> {
    let mut triples = Vec::new();
    for (column, threads) in THREADS.into_iter().enumerate() {
        for (source, bytes, times) in TABLE_3 {
            let nanoseconds = Some(f64::from(times[column]));
            let bytes = Some(f64::from(bytes));
            triples.push(Triples {
                table: 3,
                parties: 2,
                threads,
                source,
                bucket: 3,
                nanoseconds,
                bytes,
            });
        }
        if threads <= MEASURED_THREADS {
            triples.push(measured(3, 2, threads, TripleJob::large(threads))?);
        }
    }
    for (parties, old, new) in TABLE_4 {
        let threads = 2 * (parties - 1);
        for (source, time) in [("WRK17", old), ("YWZ20", Some(new))] {
            let nanoseconds = time.map(|time| time * 1e3);
            triples.push(Triples {
                table: 4,
                parties,
                threads,
                source,
                bucket: 3,
                nanoseconds,
                bytes: None,
            });
        }
        if parties <= MEASURED_PARTIES {
            triples.push(measured(4, parties, threads, SMALL)?);
        }
    }
    let profile = Profile::load(NETWORK)?;
    let mut aes = Vec::new();
    for parties in 2..=5 {
        aes.extend([published_wrk17(parties), published_ywz20(parties)]);
        for protocol in [WRK17.fitting(2), AUTHENTICATED.fitting(2)] {
            aes.push(here(protocol.fitting(parties), &profile)?);
        }
    }
    Ok(PaperReport { paper: "CCS 2020", network: profile.description, triples, aes })
}

fn job(parties: usize, workers: usize, triples: usize, bits: usize) -> TripleJob {
    let assignment = Assignment::in_order(AUTHENTICATED.fitting(parties));
    TripleJob { assignment, workers, triples, bits }
}

/// Triples of parties in this process.
fn measured(table: u8, parties: usize, threads: usize, each: usize) -> Result<Triples, CliError> {
    remark(&format!("triples of {parties} parties with {threads} threads each"));
    let job = job(parties, threads, each, 0);
    let network = Profile::load(NETWORK)?.virtual_network();
    let network = network.with_compute(Compute::ThreadCpuTime(1.0));
    let all = memory::run(parties, threads, &network, |mut session| {
        let made = measure_triples(&mut session, &job, &mut Entropy::system())?;
        session.finish()?;
        Ok::<MadeTriples, CliError>(made)
    });
    let all: Vec<MadeTriples> = all.into_iter().collect::<Result<_, _>>()?;
    let seconds = all.iter().map(|made| made.seconds).fold(0.0, f64::max);
    let count = (each * threads) as f64;
    let bytes = all[0].links.iter().map(|link| link.bytes).max().unwrap_or(0);
    Ok(Triples {
        table,
        parties,
        threads,
        source: "Tacit",
        // 4 B 128 + 2 B - 1 bits.
        bucket: (job.bits_per_triple() + 1) / (4 * 128 + 2),
        nanoseconds: Some(seconds * 1e9 / count),
        bytes: Some(bytes as f64 / count),
    })
}

/// Megabytes of so many bits.
fn megabytes(bits: f64) -> f64 {
    bits / 8e6
}

/// Parties other than one, and input bits: a block or a key of everybody.
fn sizes(parties: usize) -> [f64; 3] {
    let n = parties as f64;
    [n, n - 1.0, 128.0 * n]
}

/// By table 2, with buckets of four.
fn published_wrk17(parties: usize) -> Aes {
    let ([n, others, inputs], long) = (sizes(parties), KAPPA + RHO);
    let triples = (12.0 + 4.0 * KAPPA / long + 1.0) * others * ANDS * long;
    Aes {
        parties,
        source: "WRK17 (published costs)".into(),
        independent: megabytes(triples + others * inputs * long),
        dependent: megabytes(
            4.0 * others * ANDS * KAPPA + 4.0 * ANDS * RHO + 2.0 * others * ANDS + others * inputs,
        ),
        online: megabytes(inputs * KAPPA + inputs / n + 128.0),
        seconds: None,
    }
}

/// By table 2, with buckets of four and rows of four blocks.
fn published_ywz20(parties: usize) -> Aes {
    let [n, others, inputs] = sizes(parties);
    Aes {
        parties,
        source: "YWZ20 (published costs)".into(),
        independent: megabytes(17.0 * others * ANDS * KAPPA + (1.0 - 1.0 / n) * inputs * KAPPA),
        dependent: megabytes((4.0 * n - 6.0) * ANDS * KAPPA + (2.0 * n - 1.0) * ANDS),
        online: megabytes((inputs * KAPPA).max(ANDS) + inputs / n + 128.0),
        seconds: None,
    }
}

/// AES in this process, of a block and a key, as the meter has it. What it sends ahead is cut by the cost function
/// of triples and of bits for masks.
fn here(protocol: Protocol, profile: &Profile) -> Result<Aes, CliError> {
    remark(&format!("AES under {protocol}"));
    let aes = task::built("aes", &[("key-bits", "128"), ("sbox", "d4")])?;
    let (report, _) = evaluated(&aes, protocol, profile)?;
    let parties = protocol.parties();
    let sent = |online: bool| {
        let of = |party: usize| {
            let links = report.links.iter().filter(|link| usize::from(link.from) == party);
            let links = links.filter(|link| (link.stream == "online") == online);
            links.map(|link| link.bytes).sum::<u64>()
        };
        (0..parties).map(of).max().unwrap_or(0) as f64 / 1e6
    };
    let ands = aes.stats().ands.iter().sum::<u64>() as usize;
    // Of the party that gives most inputs.
    let made = job(parties, 1, ands, ands + 128).bytes();
    let independent = (1..parties).map(|to| made.link(0, to)).sum::<u64>() as f64 / 1e6;
    Ok(Aes {
        parties,
        source: protocol.to_string(),
        independent,
        dependent: sent(false) - independent,
        online: sent(true),
        seconds: Some([report.offline_seconds, report.online_seconds]),
    })
}

fn table<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(header);
    table
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or(String::new(), |value| format!("{value:.digits$}"))
}

impl Report for PaperReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, {}", self.paper, self.network)?;
        let names = [(3, "Table 3: triples of two parties"), (4, "Table 4: triples of n parties")];
        for (number, name) in names {
            let mut rows =
                table(["parties", "threads", "", "bucket", "ns per triple", "bytes to each"]);
            for it in self.triples.iter().filter(|it| it.table == number) {
                rows.add_row([
                    it.parties.to_string(),
                    it.threads.to_string(),
                    it.source.to_string(),
                    it.bucket.to_string(),
                    shown(it.nanoseconds, 0),
                    shown(it.bytes, 1),
                ]);
            }
            writeln!(out, "{name}\n{rows}")?;
        }
        let columns = [
            "parties",
            "",
            "any function MB",
            "this function MB",
            "online MB",
            "ahead ms",
            "online ms",
        ];
        let mut rows = table(columns);
        for it in &self.aes {
            let seconds = |i: usize| it.seconds.map(|seconds| seconds[i] * 1e3);
            rows.add_row([
                it.parties.to_string(),
                it.source.clone(),
                format!("{:.3}", it.independent),
                format!("{:.3}", it.dependent),
                format!("{:.3}", it.online),
                shown(seconds(0), 0),
                shown(seconds(1), 1),
            ]);
        }
        writeln!(out, "Table 5: AES-128, one block; of the party that sends most\n{rows}")?;
        writeln!(
            out,
            "Published: tables 3 and 4 on 36 virtual processors each, with 2^23 and 2^20 triples; costs of AES by the \
             formulas of table 2 for 6,800 ANDs and 128 bits of input from everybody. Here: virtual time on the \
             network above, with this machine's time for computing in every thread; one block and one key; \
             `wrk17` has the triples of `authenticated`."
        )
    }
}
