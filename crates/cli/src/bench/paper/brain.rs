//! "Use your brain!": three parties of which one is malicious, over rings modulo powers of two. Its table 1 and its figure 10; figures 1 to
//! 9 are protocols. Figure 10 shows curves without numbers: what is published of them is what the text says.

use super::experiment::{ArrayRun, Experiment};
use super::publication::{Ours, Part, Publication, Quantity, Row, Unit};
use tacit_engine::protocols::{
    BRAIN_BUCKETS, BRAIN_POLYNOMIALS, BRAIN_SACRIFICE, BRAIN_SINGLE, LIFT, POST, REPLICATED,
};
use tacit_sharing::Protocol;

/// The paper.
pub fn publication() -> Publication {
    Publication {
        name: "brain",
        title: "H. Eerikson, M. Keller, C. Orlandi, P. Pullonen, J. Puura, M. Simkin, \"Use Your Brain! Arithmetic 3PC for Any Modulus with \
            Active Security\" (2019)",
        note: NOTE,
        parts: vec![
            table_1(),
            figure_10("10a", "LAN, by batch: `lan-10gbit`", "lan-10gbit"),
            figure_10("10b", "continental, by batch: `continental`", "continental"),
            figure_10("10c", "global, by batch: `global-236ms`", "global-236ms"),
            threads(),
        ],
    }
}

const NOTE: &str = "Published: AWS c5.9xlarge, 36 virtual processors, statistical parameter 40, averages of ten runs, by Sharemind and MP-SPDZ. \
    Here: virtual time, one thread of each party where no other number is said, set-up left out; preprocessing and products are \
    made together, so that their bits are counted in all. A batch is one pass, whose checks end it. \
    `lift` is Tacit's own protocol for the same threat.";

/// Of table 1: protocol, as Tacit has it, bits offline, online and in all; `None`: not in Tacit.
type Bits = (&'static str, Option<Protocol>, [Option<f64>; 3]);

const TABLE_1: [Bits; 7] = [
    ("DOS18 preprocessing (single)", Some(BRAIN_SINGLE), [Some(992.0), Some(128.0), Some(1120.0)]),
    (
        "DOS18 preprocessing (batch)",
        Some(BRAIN_POLYNOMIALS),
        [Some(464.0), Some(128.0), Some(592.0)],
    ),
    ("ABF+17 preprocessing (simple)", Some(BRAIN_BUCKETS), [Some(448.0), Some(128.0), Some(576.0)]),
    ("CDE+18 preprocessing", Some(BRAIN_SACRIFICE), [Some(312.0), Some(128.0), Some(440.0)]),
    ("postprocessing", Some(POST), [None, Some(312.0), Some(312.0)]),
    ("semi-honest", Some(REPLICATED), [None, Some(64.0), Some(64.0)]),
    ("malicious ASTRA", None, [Some(448.0), Some(85.0), Some(553.0)]),
];

/// Multiplications of 64-bit integers.
fn products(protocol: Protocol, batch: [usize; 2], network: &'static str) -> ArrayRun {
    ArrayRun { milliseconds: 500, ..ArrayRun::new(protocol, 64, batch, network) }
}

fn table_1() -> Part {
    let mut rows = Vec::new();
    for (name, protocol, bits) in TABLE_1 {
        for (phase, published) in ["offline", "online", "total"].into_iter().zip(bits) {
            let apart = Ours::Missing("both phases are made together; the total has both");
            let ours = match (protocol, phase) {
                (None, _) => Ours::Missing("Tacit has ASTRA for semi-honest parties alone"),
                // With one phase alone, the total is its.
                (Some(protocol), "total") => {
                    // A million in all; buckets are of so many.
                    let run = products(protocol, [1 << 20, 1 << 12], "lan-10gbit");
                    let run = ArrayRun { milliseconds: 1, ..run };
                    Ours::Measured(Experiment::Array(run), Quantity::BitsPerParty)
                }
                (Some(_), "offline") if published.is_none() => continue,
                (Some(_), _) => apart,
            };
            rows.push(Row::new(name, phase, published, Unit::BITS, ours));
        }
    }
    Part::table("1", "bits that a party sends for a multiplication of 64-bit integers", rows)
}

/// Protocols of figure 10, and Tacit's own.
const CURVES: [(&str, Protocol); 7] = [
    ("semi-honest", REPLICATED),
    (POSTPROCESSING, POST),
    ("lift", LIFT),
    ("CDE+18 preprocessing", BRAIN_SACRIFICE),
    ("ABF+17 preprocessing (simple)", BRAIN_BUCKETS),
    ("DOS18 preprocessing (batch)", BRAIN_POLYNOMIALS),
    ("DOS18 preprocessing (single)", BRAIN_SINGLE),
];
const POSTPROCESSING: &str = "postprocessing";

/// Multiplications in parallel.
const BATCHES: [usize; 5] = [1 << 10, 1 << 12, 1 << 15, 1 << 17, 1 << 20];
/// The one that section 7.3 speaks of, slightly less than 10^6 / 20.
const BATCH: usize = 1 << 15;

/// Millions per second by section 7.3: in a LAN for that batch; "below" so much on a continent, and globally.
fn spoken_of(network: &str, batch: usize) -> Option<f64> {
    match (network, batch) {
        ("lan-10gbit", BATCH) => Some(2.9),
        ("continental", 1_048_576) => Some(1.0),
        ("global-236ms", 1_048_576) => Some(0.2),
        _ => None,
    }
}

const AXES: [&str; 2] = ["multiplications in parallel", "million multiplications per second"];

fn figure_10(number: &'static str, title: &'static str, network: &'static str) -> Part {
    let rows = CURVES.into_iter().flat_map(|(name, protocol)| {
        BATCHES.map(|batch| {
            let published = spoken_of(network, batch).filter(|_| name == POSTPROCESSING);
            let quick = if batch > BATCH { 0 } else { batch };
            let run = products(protocol, [batch, quick], network);
            let ours = Ours::Measured(Experiment::Array(run), Quantity::PerSecond);
            Row::point(name, batch as f64, published, Unit::MEGA_PER_SECOND, ours)
        })
    });
    Part::figure(number, title, AXES, rows.collect())
}

/// Threads of panel d.
const THREADS: [usize; 6] = [1, 2, 4, 8, 16, 32];

fn threads() -> Part {
    let protocols =
        [(POSTPROCESSING, POST), ("CDE+18 preprocessing", BRAIN_SACRIFICE), ("lift", LIFT)];
    let rows = protocols.into_iter().flat_map(|(name, protocol)| {
        let mut rows = THREADS.map(|threads| {
            let run = products(protocol, [1 << 20, 1 << 15], "global-236ms");
            let run = ArrayRun { threads, ..run };
            let ours = Ours::Measured(Experiment::Array(run), Quantity::PerSecond);
            Row::point(name, threads as f64, None, Unit::MEGA_PER_SECOND, ours)
        });
        if name == POSTPROCESSING {
            // "1 million 64-bit multiplications per second with parties located in different continents".
            let [.., most] = &mut rows;
            most.published = Some(1.0);
        }
        rows
    });
    let axes = ["threads of a party", AXES[1]];
    let title =
        "by number of threads, 2^20 in parallel, global: `global-236ms`; the paper goes to 128";
    Part::figure("10d", title, axes, rows.collect())
}
