//! K. Yang, X. Wang, J. Zhang, "More Efficient MPC from Improved Triple Generation and Authenticated Garbling" (CCS
//! 2020): its tables 3 and 4 and figures 8 and 9, of triples, and what its costs say of table 5, of AES.

use super::experiment::{CircuitRun, Design, Experiment};
use super::publication::{Ours, Part, Publication, Quantity, Row, Unit};
use tacit_engine::circuit::TripleJob;
use tacit_engine::protocols::{AUTHENTICATED, WRK17};

/// The paper.
pub fn publication() -> Publication {
    Publication {
        name: "ccs20",
        title: "K. Yang, X. Wang, J. Zhang, \"More Efficient MPC from Improved Triple Generation and Authenticated Garbling\" (CCS 2020)",
        note: "Published: tables 3 and 4 on 36 virtual processors each, with 2^23 and 2^20 triples; costs of AES by the formulas of \
            table 2 for 6,800 ANDs and 128 bits of input from everybody. Here: virtual time on `10gbit`, with this machine's time for \
            computing in every thread; one block and one key; `wrk17` has the triples of `authenticated`.",
        parts: vec![table_3(), table_4(), figure_8(), figure_9(), table_5()],
    }
}

/// ANDs of the circuit for AES.
const ANDS: f64 = 6800.0;
/// Bits of a label, and the paper's statistical parameter.
const KAPPA: f64 = 128.0;
const RHO: f64 = 40.0;

/// Table 3: nanoseconds per triple of two parties, by threads; bytes that each sends.
const THREADS: [usize; 5] = [2, 4, 8, 16, 32];
const WRK17_TRIPLES: (f64, [f64; 5]) = (286.0, [3978.0, 2255.0, 1263.0, 765.0, 588.0]);
const YWZ20_TRIPLES: (f64, [f64; 5]) = (193.0, [677.0, 412.0, 239.0, 203.0, 184.0]);

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
/// Threads and parties that are measured here.
const MEASURED_THREADS: usize = 4;
const MEASURED_PARTIES: usize = 8;

const NO_WRK17: Ours = Ours::Missing("`wrk17` takes the triples of `authenticated`");
const TOO_LARGE: Ours =
    Ours::Missing("all parties in one process take more memory than one machine has");

fn table_3() -> Part {
    let mut rows = Vec::new();
    for (index, threads) in THREADS.into_iter().enumerate() {
        let at = format!("{threads} threads");
        let mut row = |series: &str, published: f64, unit, ours| {
            rows.push(Row::new(series, at.clone(), published, unit, ours));
        };
        let ours = |quantity| match threads <= MEASURED_THREADS {
            true => {
                let each = TripleJob::large(threads);
                Ours::Measured(Experiment::Triples { parties: 2, threads, each }, quantity)
            }
            false => TOO_LARGE,
        };
        row("WRK17, time", WRK17_TRIPLES.1[index], Unit::NANOSECONDS, NO_WRK17);
        row("YWZ20, time", YWZ20_TRIPLES.1[index], Unit::NANOSECONDS, ours(Quantity::Each));
        row("WRK17, bytes", WRK17_TRIPLES.0, Unit::BYTES, NO_WRK17);
        row("YWZ20, bytes", YWZ20_TRIPLES.0, Unit::BYTES, ours(Quantity::BytesToEach));
    }
    Part::table("3", "a triple of two parties", rows)
}

/// The time of a triple of so many parties.
fn each(parties: usize) -> Ours {
    let threads = 2 * (parties - 1);
    match parties <= MEASURED_PARTIES {
        true => {
            let experiment = Experiment::Triples { parties, threads, each: SMALL };
            Ours::Measured(experiment, Quantity::Each)
        }
        false => TOO_LARGE,
    }
}

fn table_4() -> Part {
    let rows = TABLE_4.into_iter().flat_map(|(parties, old, new)| {
        let at = format!("{parties} parties");
        [
            Row::new("WRK17", at.clone(), old, Unit::MICROSECONDS, NO_WRK17),
            Row::new("YWZ20", at, new, Unit::MICROSECONDS, each(parties)),
        ]
    });
    Part::table("4", "a triple of n parties, with 2 (n - 1) threads of each", rows.collect())
}

/// Points of table 4 from so many parties to so many.
fn curves(least: usize, most: usize) -> Vec<Row> {
    let points = TABLE_4.into_iter().filter(|(parties, ..)| (least..=most).contains(parties));
    let rows = points.flat_map(|(parties, old, new)| {
        let x = parties as f64;
        [
            Row::point("WRK17", x, old, Unit::MICROSECONDS, NO_WRK17),
            Row::point("YWZ20", x, new, Unit::MICROSECONDS, each(parties)),
        ]
    });
    rows.collect()
}

const AXES: [&str; 2] = ["parties", "microseconds per triple"];

fn figure_8() -> Part {
    Part::figure("8", "a triple of 3 to 12 parties, by the numbers of table 4", AXES, curves(3, 12))
}

fn figure_9() -> Part {
    Part::figure("9", "a triple of 8 to 80 parties, by the numbers of table 4", AXES, curves(8, 80))
}

/// Megabytes of so many bits.
fn megabytes(bits: f64) -> f64 {
    bits / 8e6
}

/// Parties, parties other than one, and input bits: a block or a key of everybody.
fn sizes(parties: usize) -> [f64; 3] {
    let n = parties as f64;
    [n, n - 1.0, 128.0 * n]
}

/// By table 2, with buckets of four: for any function, for this one, and online.
fn published_wrk17(parties: usize) -> [f64; 3] {
    let ([n, others, inputs], long) = (sizes(parties), KAPPA + RHO);
    let triples = (12.0 + 4.0 * KAPPA / long + 1.0) * others * ANDS * long;
    [
        megabytes(triples + others * inputs * long),
        megabytes(
            4.0 * others * ANDS * KAPPA + 4.0 * ANDS * RHO + 2.0 * others * ANDS + others * inputs,
        ),
        megabytes(inputs * KAPPA + inputs / n + 128.0),
    ]
}

/// By table 2, with buckets of four and rows of four blocks.
fn published_ywz20(parties: usize) -> [f64; 3] {
    let [n, others, inputs] = sizes(parties);
    [
        megabytes(17.0 * others * ANDS * KAPPA + (1.0 - 1.0 / n) * inputs * KAPPA),
        megabytes((4.0 * n - 6.0) * ANDS * KAPPA + (2.0 * n - 1.0) * ANDS),
        megabytes((inputs * KAPPA).max(ANDS) + inputs / n + 128.0),
    ]
}

/// AES of a block and a key, as the meter has it.
fn table_5() -> Part {
    let mut rows = Vec::new();
    for parties in 2..=5 {
        let protocols = [
            ("WRK17", WRK17, published_wrk17(parties)),
            ("YWZ20", AUTHENTICATED, published_ywz20(parties)),
        ];
        for (paper, protocol, published) in protocols {
            let aes = Design::library("aes", &[("key-bits", "128"), ("sbox", "d4")]);
            let run = CircuitRun::new(aes, protocol.fitting(parties), "10gbit");
            let mut row = |what: &str, published: Option<f64>, unit, quantity| {
                let ours = Ours::Measured(Experiment::Circuit(run.clone()), quantity);
                let series = format!("{paper}, `{}`, {what}", protocol.name());
                rows.push(Row::new(series, format!("{parties} parties"), published, unit, ours));
            };
            let bytes = [
                ("any function", Quantity::BytesIndependent),
                ("this function", Quantity::BytesDependent),
                ("online", Quantity::BytesOnline),
            ];
            for ((what, quantity), published) in bytes.into_iter().zip(published) {
                row(what, Some(published), Unit::MEGABYTES, quantity);
            }
            row("time ahead", None, Unit::MILLISECONDS, Quantity::Ahead);
            row("time online", None, Unit::MILLISECONDS, Quantity::Online);
        }
    }
    Part::table("5", "AES-128, one block; bytes of the party that sends most", rows)
}
