//! Trio and Quad: throughput of three semi-honest parties, and of four of which one is malicious. Its tables 1 to 5 and
//! figures 6 to 11. Its figures show curves without numbers in the text: what is published of them is what the text says.

use super::experiment::{ArrayRun, CircuitRun, Design, Experiment, Net};
use super::publication::{Ours, Part, Publication, Quantity, Row, Unit};
use tacit_engine::bench::Operation;
use tacit_engine::protocols::{
    ASTRA, FANTASTIC_FOUR, PLAIN, QUAD, QUAD_HET, REPLICATED, TETRAD, TRIO,
};
use tacit_sharing::Protocol;

/// The paper.
pub fn publication() -> Publication {
    Publication {
        name: "trio-quad",
        title: "Trio and Quad: three parties, semi-honest, and four parties, one of them malicious, over rings",
        note: NOTE,
        parts: vec![
            table_1(),
            table_2(),
            table_3(),
            figure_6(),
            figure_7(),
            table_4(),
            table_5(),
            figure_8(),
            figure_9(),
            figure_10('a'),
            figure_10('b'),
            figure_10('c'),
            figure_11(),
        ],
    }
}

const NOTE: &str = "Published: nodes of 32 cores (EPYC 7543) with 25 Gbit/s and 0.3 ms between them, timed from outside, so that starting \
    counts. Here: virtual time on `lan-25gbit`, 32 threads of each party, each with a core of this machine to itself, set-up left out; \
    rates depend on this core, shares of the limit less so. \"Ours\" is `trio` and `quad`. Online rows run random circuits, inputs \
    and outputs included; all others independent gates.";

const NETWORK: &str = "lan-25gbit";
/// Threads of a party, as the paper's machines have cores.
const THREADS: usize = 32;
/// ANDs of a pass, and with `--quick`.
const GATES: [usize; 2] = [1 << 26, 1 << 23];

/// ANDs under a protocol.
fn ands(protocol: Protocol, threads: usize, split: bool) -> ArrayRun {
    let run = ArrayRun::new(protocol, 1, GATES, NETWORK);
    ArrayRun { threads, split, ..run }
}

fn measured(run: ArrayRun, quantity: Quantity) -> Ours {
    Ours::Measured(Experiment::Array(run), quantity)
}

/// The online phase of ANDs alone, with roles split.
fn online(protocol: Protocol, threads: usize) -> Ours {
    let run = CircuitRun::new(Design::Random(4096, 2, 64, 64), protocol, NETWORK);
    let run =
        CircuitRun { instances: [1 << 18, 1 << 14], results: 4096, threads, split: true, ..run };
    Ours::Measured(Experiment::Circuit(run), Quantity::PerSecond)
}

/// Of table 1: what MP-SPDZ does, the same protocol here, bits, and millions per second by its own and by an outer clock.
const TABLE_1: [(&str, Protocol, u32, [f64; 2]); 4] = [
    ("Replicated, Mult", REPLICATED, 64, [9.7, 0.48]),
    ("Replicated, AND", REPLICATED, 1, [7.5, 0.58]),
    ("Fantastic Four, Mult", FANTASTIC_FOUR, 64, [2.8, 0.37]),
    ("Fantastic Four, AND", FANTASTIC_FOUR, 1, [6.4, 0.45]),
];

fn table_1() -> Part {
    let rows = TABLE_1.into_iter().flat_map(|(what, protocol, bits, rates)| {
        let elements = if bits == 1 { [1 << 22, 1 << 20] } else { [1 << 18, 1 << 16] };
        let run = ArrayRun::new(protocol, bits, elements, NETWORK);
        let inner = measured(run, Quantity::PerSecond);
        let outer =
            Ours::Missing("Tacit times its phases itself; starting processes is not measured");
        [
            Row::new(what, "internal", rates[0], Unit::MEGA_PER_SECOND, inner),
            Row::new(what, "external", rates[1], Unit::MEGA_PER_SECOND, outer),
        ]
    });
    Part::table(
        "1",
        "MP-SPDZ, a run of another system; beside it the same protocol of Tacit on one thread",
        rows.collect(),
    )
}

/// Of table 2: protocol, billions of ANDs per second, percent of the limit.
const TABLE_2: [(&str, Protocol, f64, f64); 6] = [
    ("3-PC semi-honest, Replicated", REPLICATED, 24.30, 97.22),
    ("3-PC semi-honest, Astra", ASTRA, 24.10, 96.40),
    ("3-PC semi-honest, Ours", TRIO, 24.27, 97.06),
    ("4-PC malicious, Fantastic Four", FANTASTIC_FOUR, 20.46, 81.85),
    ("4-PC malicious, Tetrad", TETRAD, 15.78, 63.12),
    ("4-PC malicious, Ours", QUAD, 22.68, 90.71),
];
/// Billions of ANDs per second of a trusted third party.
const TRUSTED: f64 = 512.0;

/// Rate and share of the limit.
fn rate_and_limit(name: &str, run: ArrayRun, rate: f64, percent: f64) -> [Row; 2] {
    let ours = |quantity| measured(run.clone(), quantity);
    [
        Row::new(name, "rate", rate, Unit::GIGA_PER_SECOND, ours(Quantity::PerSecond)),
        Row::new(name, "of the limit", percent, Unit::PERCENT, ours(Quantity::LimitPercent)),
    ]
}

fn table_2() -> Part {
    let rows = TABLE_2.into_iter().flat_map(|(name, protocol, rate, percent)| {
        rate_and_limit(name, ands(protocol, THREADS, false), rate, percent)
    });
    let trusted = measured(ands(PLAIN, THREADS, false), Quantity::PerSecond);
    let trusted = Row::new("trusted third party", "rate", TRUSTED, Unit::GIGA_PER_SECOND, trusted);
    Part::table("2", "ANDs with one assignment of roles", rows.chain([trusted]).collect())
}

/// Of table 3: protocol, parties, billions of ANDs per second, percent of the limit.
const TABLE_3: [(&str, Protocol, usize, f64, f64); 9] = [
    ("3-PC semi-honest, Replicated", REPLICATED, 3, 40.16, 80.31),
    ("3-PC semi-honest, Astra", ASTRA, 3, 44.14, 88.28),
    ("3-PC semi-honest, Ours", TRIO, 3, 44.39, 88.79),
    ("4-PC semi-honest, Replicated", REPLICATED, 4, 61.85, 61.85),
    ("4-PC semi-honest, Astra", ASTRA, 4, 67.77, 67.77),
    ("4-PC semi-honest, Ours", TRIO, 4, 71.17, 71.17),
    ("4-PC malicious, Fantastic Four", FANTASTIC_FOUR, 4, 26.48, 44.14),
    ("4-PC malicious, Tetrad", TETRAD, 4, 33.03, 55.05),
    ("4-PC malicious, Ours", QUAD, 4, 41.51, 69.19),
];

/// Of table 3, the online phase alone.
const TABLE_3_ONLINE: [(&str, Protocol, usize, f64, f64); 6] = [
    ("3-PC semi-honest, Astra", ASTRA, 3, 68.25, 91.00),
    ("3-PC semi-honest, Ours", TRIO, 3, 71.84, 95.79),
    ("4-PC semi-honest, Astra", ASTRA, 4, 126.69, 84.46),
    ("4-PC semi-honest, Ours", TRIO, 4, 130.79, 87.19),
    ("4-PC malicious, Tetrad", TETRAD, 4, 42.22, 42.22),
    ("4-PC malicious, Ours", QUAD, 4, 70.80, 70.80),
];

fn table_3() -> Part {
    let all = TABLE_3.into_iter().flat_map(|(name, protocol, parties, rate, percent)| {
        let run = ArrayRun { parties, ..ands(protocol, THREADS, true) };
        rate_and_limit(name, run, rate, percent)
    });
    let online = TABLE_3_ONLINE.into_iter().flat_map(|(name, protocol, parties, rate, percent)| {
        let ours = match parties == protocol.parties() {
            true => online(protocol, THREADS),
            false => Ours::Missing("circuits of three roles are not split among four parties"),
        };
        let limit = Ours::Missing("the bound of the online phase alone is not computed");
        let name = format!("{name} (online)");
        [
            Row::new(&*name, "rate", rate, Unit::GIGA_PER_SECOND, ours),
            Row::new(&*name, "of the limit", percent, Unit::PERCENT, limit),
        ]
    });
    Part::table("3", "ANDs with roles split over all links", all.chain(online).collect())
}

/// Links of figure 6 that keep their rate: those that `quad-het` uses.
const KEPT: &[(u8, u8)] = &[(0, 2), (1, 2)];
/// Rates of all others, in percent.
const PERCENTS: [f64; 5] = [100.0, 50.0, 20.0, 10.0, 5.0];
/// Billions of ANDs per second of the heterogeneous protocol, at any rate of the other links.
const HETEROGENEOUS: f64 = 10.0;

fn figure_6() -> Part {
    let protocols = [
        ("quad-het", QUAD_HET),
        ("quad", QUAD),
        ("Tetrad", TETRAD),
        ("Fantastic Four", FANTASTIC_FOUR),
    ];
    let rows = protocols.into_iter().flat_map(|(name, protocol)| {
        PERCENTS.map(|percent| {
            let network = Net::Throttled(NETWORK, percent, KEPT);
            let run = ArrayRun { network, ..ands(protocol, THREADS, false) };
            let published = (name == "quad-het").then_some(HETEROGENEOUS);
            let ours = measured(run, Quantity::PerSecond);
            Row::point(name, percent, published, Unit::GIGA_PER_SECOND, ours)
        })
    });
    let axes = ["rate of all links but 0-2 and 1-2, percent", "billion ANDs per second"];
    Part::figure(
        "6",
        "four parties with throttled links; the text says \"approx. 10\"",
        axes,
        rows.collect(),
    )
}

/// Lengths of inner products.
const LENGTHS: [usize; 3] = [100, 1_000, 10_000];

/// A thousand inner products, or fewer, on one thread.
fn dots(protocol: Protocol, length: usize) -> Experiment {
    let run = ArrayRun::new(protocol, 64, [1000, 100], NETWORK);
    Experiment::Array(ArrayRun { operation: Operation::Dot { length }, ..run })
}

fn figure_7() -> Part {
    let protocols = [
        ("quad", QUAD),
        ("Tetrad", TETRAD),
        ("Fantastic Four", FANTASTIC_FOUR),
        ("trusted third party", PLAIN),
    ];
    let rows = protocols.into_iter().flat_map(|(name, protocol)| {
        LENGTHS.map(|length| {
            let ours = Ours::Measured(dots(protocol, length), Quantity::PerSecond);
            Row::point(name, length as f64, None, Unit::PER_SECOND, ours)
        })
    });
    let longest = LENGTHS[LENGTHS.len() - 1];
    let claims = [
        ("quad by Tetrad", QUAD, TETRAD, 2.0),
        ("quad by Fantastic Four", QUAD, FANTASTIC_FOUR, 2.0),
        ("trusted third party by quad, at most", PLAIN, QUAD, 3.0),
    ];
    let claims = claims.map(|(name, fast, slow, times)| {
        let [fast, slow] = [fast, slow].map(|protocol| dots(protocol, longest));
        let ours = Ours::Quotient(fast, slow, Quantity::PerSecond);
        Row::new(name, format!("{longest} terms"), times, Unit::TIMES, ours)
    });
    let axes = ["terms of an inner product of 64-bit integers", "inner products per second"];
    Part::figure(
        "7",
        "inner products, one thread; the text gives quotients",
        axes,
        rows.chain(claims).collect(),
    )
}

/// Of table 4: protocol; additions, multiplications and random words of each party. The column that counts hashing has
/// no counterpart: views are hashed by the byte.
type Work = (&'static str, Protocol, &'static [[f64; 3]]);

const TABLE_4: [Work; 6] = [
    ("Replicated", REPLICATED, &[[4.0, 2.0, 2.0], [4.0, 2.0, 2.0], [4.0, 2.0, 2.0]]),
    ("Astra", ASTRA, &[[2.0, 1.0, 3.0], [4.0, 2.0, 2.0], [5.0, 3.0, 1.0]]),
    ("Ours (3-PC)", TRIO, &[[4.0, 2.0, 3.0], [3.0, 2.0, 2.0], [3.0, 1.0, 1.0]]),
    (
        "Fantastic Four",
        FANTASTIC_FOUR,
        &[[15.0, 9.0, 4.0], [15.0, 9.0, 4.0], [15.0, 9.0, 4.0], [15.0, 9.0, 4.0]],
    ),
    ("Tetrad", TETRAD, &[[14.0, 5.0, 3.0], [12.0, 8.0, 4.0], [12.0, 8.0, 3.0], [14.0, 9.0, 5.0]]),
    ("Ours (4-PC)", QUAD, &[[7.0, 3.0, 3.0], [5.0, 3.0, 4.0], [6.0, 3.0, 3.0], [7.0, 3.0, 5.0]]),
];

fn table_4() -> Part {
    let mut rows = Vec::new();
    for (name, protocol, parties) in TABLE_4 {
        for (role, numbers) in parties.iter().enumerate() {
            let draws = Ours::Measured(Experiment::Draws(protocol), Quantity::Draws(role as u8));
            let unstated =
                Ours::Missing("Tacit states no counts of local operations but random words");
            let cells = [
                ("additions", unstated.clone()),
                ("multiplications", unstated),
                ("random words", draws),
            ];
            rows.extend(cells.into_iter().zip(numbers).map(|((what, ours), number)| {
                Row::new(format!("{name}, P{role}"), what, *number, Unit::COUNT, ours)
            }));
        }
    }
    Part::table("4", "operations of a multiplication gate", rows)
}

/// Of table 5: operation, its form, Gbit/s on AMD EPYC 7543 and on Intel Xeon Gold 6312U; `None`: "N/A".
const TABLE_5: [(&str, &str, [Option<f64>; 2]); 18] = [
    ("XOR", "32-bit", [Some(97.12), Some(56.94)]),
    ("XOR", "64-bit", [Some(117.00), Some(75.39)]),
    ("XOR", "intrinsics", [Some(193.65), Some(76.03)]),
    ("AND", "32-bit", [Some(117.22), Some(89.64)]),
    ("AND", "64-bit", [Some(192.79), Some(98.17)]),
    ("AND", "intrinsics", [Some(99.21), Some(41.73)]),
    ("ADD", "32-bit", [Some(98.02), Some(54.41)]),
    ("ADD", "64-bit", [Some(116.89), Some(75.83)]),
    ("ADD", "32-bit intrinsics", [Some(180.16), Some(75.99)]),
    ("ADD", "64-bit intrinsics", [None, Some(76.07)]),
    ("MULT", "32-bit", [Some(29.82), Some(23.74)]),
    ("MULT", "64-bit", [Some(48.12), Some(34.32)]),
    ("MULT", "32-bit intrinsics", [Some(196.62), Some(76.14)]),
    ("MULT", "64-bit intrinsics", [None, Some(76.49)]),
    ("AES", "bitsliced", [Some(8.62), Some(10.35)]),
    (VAES.0, VAES.1, [Some(22.70), Some(27.76)]),
    ("SHA-256", "portable", [Some(2.44), Some(2.13)]),
    ("SHA-256", "intrinsics", [Some(14.84), Some(10.24)]),
];
/// The row that has a counterpart.
const VAES: (&str, &str) = ("AES", "VAES");

fn table_5() -> Part {
    let rows = TABLE_5.into_iter().flat_map(|(operation, form, rates)| {
        let ours = match operation {
            "AES" if form == VAES.1 => Ours::Measured(Experiment::Randomness, Quantity::RandomBits),
            "AES" => Ours::Missing("Tacit has no bitsliced AES outside circuits"),
            "SHA-256" => Ours::Missing(
                "Tacit compares views by BLAKE3: `cargo bench -p tacit-ring --bench digests`",
            ),
            _ => Ours::Missing("measured by `cargo bench -p tacit-ring --bench words` alone"),
        };
        ["AMD", "Intel"].into_iter().zip(rates).map(move |(processor, rate)| {
            let series = format!("{operation}, {form}");
            Row::new(series, processor, rate, Unit::GIGABITS, ours.clone())
        })
    });
    Part::table(
        "5",
        "instructions on one core; beside them this processor's, whatever it is",
        rows.collect(),
    )
}

fn figure_8() -> Part {
    let why = "this program takes the widest registers that the processor has, and no option forces others";
    let widths = [1.0, 8.0, 32.0, 64.0, 128.0, 256.0];
    let mut rows: Vec<Row> = widths
        .map(|width| Row::point("ours", width, None, Unit::GIGA_PER_SECOND, Ours::Missing(why)))
        .into();
    let claim = Row::new("AVX2 by Boolean variables", "", 100.0, Unit::TIMES, Ours::Missing(why));
    rows.push(claim);
    let axes = ["bits of a register", "billion ANDs per second"];
    Part::figure("8", "bitslicing; the text says \"over 100 times\"", axes, rows)
}

/// All protocols, and what the figures call them.
const ALL: [(&str, Protocol); 6] = [
    ("Replicated", REPLICATED),
    ("Astra", ASTRA),
    ("Ours (3-PC)", TRIO),
    ("Fantastic Four", FANTASTIC_FOUR),
    ("Tetrad", TETRAD),
    ("Ours (4-PC)", QUAD),
];

/// Processes of the paper, threads here.
const SWEEP: [usize; 4] = [1, 4, 8, 32];

fn figure_9() -> Part {
    let rows = ALL.into_iter().flat_map(|(name, protocol)| {
        SWEEP.map(|threads| {
            let ours = measured(ands(protocol, threads, false), Quantity::PerSecond);
            Row::point(name, threads as f64, None, Unit::GIGA_PER_SECOND, ours)
        })
    });
    let axes = ["threads of a party", "billion ANDs per second"];
    let title = "ANDs by number of threads; the text says more than 20 for all but Tetrad";
    Part::figure("9", title, axes, rows.collect())
}

/// Panel a: one assignment for each protocol's own parties; b: three-party protocols on four machines; c: online alone.
/// Threads are split over the assignments.
fn figure_10(panel: char) -> Part {
    let axes = ["threads of a party", "billion ANDs per second"];
    let figure = |number, title, rows: Vec<Row>| Part::figure(number, title, axes, rows);
    let curves = |protocols: &[(&'static str, Protocol)],
                  ours: &dyn Fn(Protocol, usize) -> Ours| {
        let points = protocols.iter().flat_map(|(name, protocol)| {
            SWEEP.map(|threads| {
                let ours = ours(*protocol, threads);
                Row::point(*name, threads as f64, None, Unit::GIGA_PER_SECOND, ours)
            })
        });
        points.collect::<Vec<Row>>()
    };
    let split = |protocol, threads| measured(ands(protocol, threads, true), Quantity::PerSecond);
    match panel {
        'a' => figure("10a", "roles split among as many parties as roles", curves(&ALL, &split)),
        'b' => figure(
            "10b",
            "roles of three split among four parties",
            curves(&ALL[..3], &|protocol, threads| {
                let run = ArrayRun { parties: 4, ..ands(protocol, threads, true) };
                measured(run, Quantity::PerSecond)
            }),
        ),
        _ => figure(
            "10c",
            "roles split, the online phase alone",
            curves(&[ALL[1], ALL[2], ALL[4], ALL[5]], &online),
        ),
    }
}

/// Elements that all parties exchange, as sections 1, 4, 5 and 7.5 have them.
const ELEMENTS: [(&str, Protocol, Option<f64>); 7] = [
    ("Replicated", REPLICATED, None),
    ("Astra", ASTRA, None),
    ("Ours (3-PC)", TRIO, Some(3.0)),
    ("Fantastic Four", FANTASTIC_FOUR, None),
    ("Tetrad", TETRAD, Some(5.0)),
    ("Ours (4-PC)", QUAD, Some(5.0)),
    ("Ours (4-PC, heterogeneous)", QUAD_HET, Some(5.0)),
];

fn figure_11() -> Part {
    let rows = ELEMENTS.into_iter().enumerate().map(|(index, (name, protocol, elements))| {
        let run = ArrayRun::new(protocol, 64, [1 << 16, 1 << 14], NETWORK);
        let ours = measured(run, Quantity::Elements);
        let row = Row::new(name, "", elements, Unit::COUNT, ours);
        Row { x: Some(index as f64 + 1.0), ..row }
    });
    let axes = ["protocol, in this order", "ring elements per product"];
    Part::figure(
        "11",
        "ring elements that all parties exchange for a product",
        axes,
        rows.collect(),
    )
}
