//! A. Ben-Efraim, Y. Lindell, E. Omri, "Optimizing Semi-Honest Secure Multiparty Computation for the Internet"
//! (CCS 2016): its tables 1 and 2, with our circuits of AES and SHA-256, or with random ones of the paper's sizes.

use super::evaluated;
use crate::bench::task;
use crate::error::CliError;
use crate::output::{Report, remark};
use serde::Serialize;
use std::io::{self, Write};
use tacit::runtime::Profile;
use tacit_circuit::Circuit;
use tacit_circuit::library::layered;
use tacit_engine::protocols::{BMR, BMR_REPLICATED, BMR_SHAMIR, GMW, GMW_OT};
use tacit_garbling::bmr::{Products, Rounds};
use tacit_sharing::Protocol;

/// What a protocol takes, here or as published.
#[derive(Serialize)]
struct Measurement {
    circuit: String,
    ands: u64,
    depth: u32,
    parties: usize,
    protocol: String,
    published: bool,
    offline_seconds: f64,
    /// `None`: not given.
    online_seconds: Option<f64>,
    /// Online rounds of the party that waits most.
    rounds: Option<u64>,
    /// Megabytes that a party sends on average.
    megabytes_per_party: Option<f64>,
}

#[derive(Serialize)]
pub struct PaperReport {
    paper: &'static str,
    network: String,
    note: &'static str,
    runs: Vec<Measurement>,
}

/// As published: milliseconds offline and online, between Virginia and Ireland. `None`: not given.
struct Published {
    protocol: &'static str,
    aes: [Option<[u32; 2]>; 3],
    sha: [Option<[u32; 2]>; 3],
}

/// ANDs and levels of the circuits that were measured.
const PUBLISHED_SIZES: [(u64, u32); 2] = [(6_800, 40), (90_825, 4_000)];
/// Bits that each party gives, and bits that all learn, of the second.
const PORTS: [usize; 2] = [512, 256];

/// Numbers of parties of the tables.
const PARTIES: [usize; 3] = [3, 7, 13];

/// Tables 1 and 2.
const CCS16: [Published; 5] = [
    Published {
        protocol: "BMR by OT",
        aes: [Some([698, 138]), Some([1093, 107]), Some([9699, 362])],
        sha: [Some([6426, 172]), Some([10291, 226]), Some([25215, 456])],
    },
    Published {
        protocol: "BMR by BGW3",
        aes: [Some([329, 143]), Some([2314, 142]), Some([9774, 329])],
        sha: [Some([5404, 182]), Some([17011, 237]), Some([38584, 520])],
    },
    Published {
        protocol: "BMR by BGW2",
        aes: [None, Some([2212, 148]), Some([8745, 264])],
        sha: [None, Some([14781, 283]), Some([37585, 459])],
    },
    Published {
        protocol: "BMR by BGW4",
        aes: [Some([498, 139]), Some([3149, 159]), Some([13298, 308])],
        sha: [Some([8124, 226]), Some([23521, 282]), Some([65736, 454])],
    },
    Published {
        protocol: "GMW",
        aes: [Some([231, 3337]), Some([277, 3232]), Some([382, 3341])],
        sha: [Some([850, 309_741]), Some([5002, 333_996]), Some([5042, 329_220])],
    },
];

/// GMW with circuits of the size of SHA-256 and fewer levels: milliseconds offline and online, for each number of
/// parties.
const LEVELS: [(u32, [[u32; 2]; 3]); 3] = [
    (10, [[598, 880], [1180, 906], [5360, 904]]),
    (100, [[735, 8038], [2610, 8327], [4969, 8341]]),
    (1000, [[701, 77_147], [3581, 83_168], [7932, 82_111]]),
];

/// SHA-256 for 13 parties with 76 ms between them, step by step: milliseconds offline, and online where given.
const STEPS: [(&str, u32, Option<u32>); 5] = [
    ("BMR by OT, basic, 76 ms", 45_631, None),
    ("BMR by OT, reduced, 76 ms", 42_408, Some(746)),
    ("BMR by OT, correlated, 76 ms", 40_644, Some(773)),
    ("BMR by OT, correlated, free XOR, 76 ms", 31_071, Some(664)),
    ("BMR by OT, correlated, free XOR, 2 OT threads, 76 ms", 28_805, Some(655)),
];

/// What is run here: what stands for the paper's protocols, and its variants themselves, for so many parties.
fn protocols(parties: usize) -> impl Iterator<Item = Protocol> {
    let ours =
        [BMR.fitting(3), BMR_SHAMIR.fitting(3), BMR_REPLICATED, GMW.fitting(3), GMW_OT.fitting(3)];
    let by_ot = Products::ALL.map(|products| products.protocol().fitting(3));
    let by_bgw = Rounds::ALL.map(|rounds| rounds.protocol().fitting(4));
    let all = ours.into_iter().chain(by_ot).chain(by_bgw).map(move |p| p.fitting(parties));
    all.filter(move |protocol| protocol.parties() == parties)
}

/// What was measured: its name, its ANDs and its levels.
type Named<'a> = (&'a str, (u64, u32));

/// A published time.
fn published(
    (circuit, (ands, depth)): Named<'_>,
    parties: usize,
    protocol: &str,
    (offline, online): (u32, Option<u32>),
) -> Measurement {
    let seconds = |milliseconds: u32| f64::from(milliseconds) / 1e3;
    Measurement {
        circuit: circuit.into(),
        ands,
        depth,
        parties,
        protocol: protocol.into(),
        published: true,
        offline_seconds: seconds(offline),
        online_seconds: online.map(seconds),
        rounds: None,
        megabytes_per_party: None,
    }
}

/// Runs the experiments in virtual time.
pub fn run() -> Result<PaperReport, CliError> {
    let profile = Profile::load("ccs16")?;
    let aes = task::built("aes", &[("key-bits", "128"), ("sbox", "d4")])?;
    let sha = task::built("sha256", &[("fan-in", "2"), ("form", "ripple")])?;
    let circuits = [("AES-128", aes), ("SHA-256", sha)];
    let mut runs = Vec::new();
    for (row, (name, circuit)) in circuits.iter().enumerate() {
        for (column, parties) in PARTIES.into_iter().enumerate() {
            for protocol in protocols(parties) {
                runs.push(measure((name, circuit), protocol, &profile)?);
            }
            for paper in &CCS16 {
                let cells = if row == 0 { paper.aes } else { paper.sha };
                if let Some([offline, online]) = cells[column] {
                    let times = (offline, Some(online));
                    let named = (*name, PUBLISHED_SIZES[row]);
                    runs.push(published(named, parties, paper.protocol, times));
                }
            }
        }
    }
    for (protocol, offline, online) in STEPS {
        runs.push(published(("SHA-256", PUBLISHED_SIZES[1]), 13, protocol, (offline, online)));
    }
    Ok(PaperReport { paper: "CCS 2016", network: profile.description, note: OURS, runs })
}

/// The experiments of table 2 in virtual time, with random circuits of the published sizes.
pub fn run_synthetic() -> Result<PaperReport, CliError> {
    let profile = Profile::load("ccs16")?;
    let (ands, most) = PUBLISHED_SIZES[1];
    let mut runs = Vec::new();
    for (column, parties) in PARTIES.into_iter().enumerate() {
        let shallow = LEVELS.map(|(depth, times)| (depth, times[column]));
        for (depth, [offline, online]) in shallow {
            let circuit = synthetic(ands, depth, parties);
            runs.push(measure(("random", &circuit), GMW.fitting(parties), &profile)?);
            let named = ("random", (ands, depth));
            runs.push(published(named, parties, "GMW", (offline, Some(online))));
        }
        let circuit = synthetic(ands, most, parties);
        let protocols = [GMW.fitting(3), BMR.fitting(3), BMR_SHAMIR.fitting(3)];
        for protocol in protocols.map(|protocol| protocol.fitting(parties)) {
            runs.push(measure(("random", &circuit), protocol, &profile)?);
        }
        for paper in &CCS16 {
            if let Some([offline, online]) = paper.sha[column] {
                let named = ("SHA-256", PUBLISHED_SIZES[1]);
                runs.push(published(named, parties, paper.protocol, (offline, Some(online))));
            }
        }
    }
    Ok(PaperReport { paper: "CCS 2016", network: profile.description, note: SYNTHETIC, runs })
}

/// A circuit of the size of the paper's, of so many levels.
fn synthetic(ands: u64, depth: u32, parties: usize) -> Circuit {
    let [inputs, outputs] = PORTS;
    layered::circuit(&layered::Size {
        ands: ands as usize,
        depth: depth as usize,
        inputs: vec![inputs as u32; parties],
        outputs,
    })
}

/// One instance, all preprocessing first; all parties learn the output.
fn measure(
    (name, circuit): (&str, &Circuit),
    protocol: Protocol,
    profile: &Profile,
) -> Result<Measurement, CliError> {
    let (stats, parties) = (circuit.stats(), protocol.parties());
    remark(&format!("{name}, {} levels, with {parties} parties under {protocol}", stats.and_depth));
    let (report, rounds) = evaluated(circuit, protocol, profile)?;
    Ok(Measurement {
        circuit: name.into(),
        ands: stats.and_count(),
        depth: stats.and_depth,
        parties,
        protocol: protocol.to_string(),
        published: false,
        offline_seconds: report.offline_seconds,
        online_seconds: Some(report.online_seconds),
        rounds: Some(rounds),
        megabytes_per_party: Some(report.total_bytes() as f64 / 1e6 / parties as f64),
    })
}

/// What the figures are of.
const OURS: &str = "Published: machines in Virginia and Ireland, and at last others with 76 ms between them; GMW \
    there has 4,000 levels for SHA-256. Here: smaller circuits, virtual time on the network above, with this \
    machine's time for computing. BMR by OT is `bmr-correlated`, BMR by BGW in 4, 3 and 2 rounds `bmr-shamir-s4`, \
    `bmr-shamir-s3` and `bmr-shamir-s2`, all with free XOR and correlated OT of fewer bits; `bmr`, `bmr-shamir` and \
    `bmr-replicated` do the same for less.";
const SYNTHETIC: &str = "Published: machines in Virginia and Ireland. Here: random circuits of as many ANDs, levels \
    and inputs, virtual time on the network above, with this machine's time for computing.";

impl Report for PaperReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}, {}", self.paper, self.network)?;
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
        let columns = [
            "circuit",
            "ANDs",
            "levels",
            "parties",
            "protocol",
            "offline ms",
            "online ms",
            "rounds",
            "MB each",
        ];
        table.set_header(columns);
        for run in &self.runs {
            let milliseconds = |seconds: f64| format!("{:.0}", seconds * 1e3);
            let source = if run.published { " (published)" } else { "" };
            table.add_row([
                run.circuit.clone(),
                run.ands.to_string(),
                run.depth.to_string(),
                run.parties.to_string(),
                format!("{}{source}", run.protocol),
                milliseconds(run.offline_seconds),
                run.online_seconds.map_or(String::new(), milliseconds),
                run.rounds.map_or(String::new(), |rounds| rounds.to_string()),
                run.megabytes_per_party.map_or(String::new(), |mb| format!("{mb:.2}")),
            ]);
        }
        writeln!(out, "{table}")?;
        writeln!(out, "{}", self.note)
    }
}
