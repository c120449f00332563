//! A. Ben-Efraim, Y. Lindell, E. Omri, "Optimizing Semi-Honest Secure Multiparty Computation for the Internet"
//! (CCS 2016): its tables and its figures 4 to 6, with our circuits of AES and SHA-256, or with random ones of the paper's sizes.

use super::experiment::{CircuitRun, Design, Experiment};
use super::publication::{Ours, Part, Publication, Quantity, Row, Unit};
use tacit_engine::protocols::{
    BMR, BMR_BASIC, BMR_CORRELATED, BMR_OFFSET, BMR_REDUCED, BMR_REPLICATED, BMR_SHAMIR,
    BMR_SHAMIR_S2, BMR_SHAMIR_S3, BMR_SHAMIR_S4, GMW, GMW_OT,
};
use tacit_sharing::Protocol;

/// The paper; `synthetic`: with random circuits of its sizes.
pub fn publication(synthetic: bool) -> Publication {
    let parts = match synthetic {
        false => {
            vec![steps(), table(&AES), table(&SHA), figure_4(), figure_5(), figure_6()]
        }
        true => vec![random()],
    };
    Publication {
        name: "ccs16",
        title: "A. Ben-Efraim, Y. Lindell, E. Omri, \"Optimizing Semi-Honest Secure Multiparty Computation for the Internet\" (CCS 2016)",
        note: if synthetic { SYNTHETIC } else { OURS },
        parts,
    }
}

const OURS: &str = "Published: machines in Virginia and Ireland (75 ms), 76 ms or 0.1 ms apart; SHA-256 of 90,825 ANDs and 42,029 \
    XORs, which cost as much without free XOR; GMW has 4,000 levels for it. Here: 6,800 and some 22,600 ANDs, virtual time on `ccs16` \
    and `create`, with this machine's time for computing. BMR by OT is `bmr-correlated`, BMR by BGW in 4, 3 and 2 rounds `bmr-shamir-s4`, \
    `bmr-shamir-s3` and `bmr-shamir-s2`, all with free XOR and correlated OT of fewer bits; `bmr`, `bmr-shamir` and `bmr-replicated` do \
    the same for less.";
const SYNTHETIC: &str = "Published: machines in Virginia and Ireland. Here: random circuits of as many ANDs, levels and inputs, virtual time \
    on `ccs16`, with this machine's time for computing.";

/// Numbers of parties of the tables.
const PARTIES: [usize; 3] = [3, 7, 13];

/// Milliseconds ahead and online for each number of parties. `None`: not given.
type Times = [Option<[f64; 2]>; 3];

/// A table of one circuit: its number and title, ANDs and levels as published, and published times.
struct Table {
    number: &'static str,
    title: &'static str,
    ours: fn() -> Design,
    times: [(&'static str, Times); 5],
}

const AES: Table = Table {
    number: "1",
    title: "AES-128, 6,800 ANDs in 40 levels, on `ccs16`",
    ours: || Design::library("aes", &[("key-bits", "128"), ("sbox", "d4")]),
    times: [
        (OT, [Some([698.0, 138.0]), Some([1093.0, 107.0]), Some([9699.0, 362.0])]),
        (BGW3, [Some([329.0, 143.0]), Some([2314.0, 142.0]), Some([9774.0, 329.0])]),
        (BGW2, [None, Some([2212.0, 148.0]), Some([8745.0, 264.0])]),
        (BGW4, [Some([498.0, 139.0]), Some([3149.0, 159.0]), Some([13298.0, 308.0])]),
        (GMW_TEN, [Some([231.0, 3337.0]), Some([277.0, 3232.0]), Some([382.0, 3341.0])]),
    ],
};

const SHA: Table = Table {
    number: "2",
    title: "SHA-256, published with 90,825 ANDs, on `ccs16`; with as many here by --synthetic",
    ours: sha,
    times: [
        (OT, [Some([6426.0, 172.0]), Some([10291.0, 226.0]), Some([25215.0, 456.0])]),
        (BGW3, [Some([5404.0, 182.0]), Some([17011.0, 237.0]), Some([38584.0, 520.0])]),
        (BGW2, [None, Some([14781.0, 283.0]), Some([37585.0, 459.0])]),
        (BGW4, [Some([8124.0, 226.0]), Some([23521.0, 282.0]), Some([65736.0, 454.0])]),
        (GMW_TEN, [Some([850.0, 309_741.0]), Some([5002.0, 333_996.0]), Some([5042.0, 329_220.0])]),
    ],
};

fn sha() -> Design {
    Design::library("sha256", &[("fan-in", "2"), ("form", "ripple")])
}

const OT: &str = "BMR by OT";
const BGW2: &str = "BMR by BGW2";
const BGW3: &str = "BMR by BGW3";
const BGW4: &str = "BMR by BGW4";
const GMW_TEN: &str = "GMW";

/// What is run here, and beside which published protocol it stands, if beside any.
const PROTOCOLS: [(Option<&str>, Protocol); 12] = [
    (Some(OT), BMR_CORRELATED),
    (Some(OT), BMR),
    (None, BMR_BASIC),
    (None, BMR_REDUCED),
    (None, BMR_OFFSET),
    (Some(BGW4), BMR_SHAMIR_S4),
    (Some(BGW3), BMR_SHAMIR_S3),
    (Some(BGW2), BMR_SHAMIR_S2),
    (Some(BGW3), BMR_SHAMIR),
    (None, BMR_REPLICATED),
    (Some(GMW_TEN), GMW_OT),
    (Some(GMW_TEN), GMW),
];

/// Levels of GMW in table 2, with published times.
const LEVELS: [(u32, Times); 3] = [
    (10, [Some([598.0, 880.0]), Some([1180.0, 906.0]), Some([5360.0, 904.0])]),
    (100, [Some([735.0, 8038.0]), Some([2610.0, 8327.0]), Some([4969.0, 8341.0])]),
    (1000, [Some([701.0, 77_147.0]), Some([3581.0, 83_168.0]), Some([7932.0, 82_111.0])]),
];

/// ANDs and levels of the circuit for SHA-256; bits that each party gives, and bits that all learn.
const SIZE: (u64, u32) = (90_825, 4_000);
const PORTS: (u32, usize) = (512, 256);

fn random_circuit(levels: u32) -> Design {
    Design::Random(SIZE.0, levels, PORTS.0, PORTS.1)
}

/// Both phases of a run, as two rows.
fn phases(series: &str, parties: usize, published: Option<[f64; 2]>, run: &CircuitRun) -> Vec<Row> {
    let quantities = [("ahead", Quantity::Ahead), ("online", Quantity::Online)];
    let rows = quantities.into_iter().enumerate().map(|(index, (phase, quantity))| {
        let ours = Ours::Measured(Experiment::Circuit(run.clone()), quantity);
        let (series, at) = (format!("{series}, {phase}"), format!("{parties} parties"));
        Row::new(series, at, published.map(|times| times[index]), Unit::MILLISECONDS, ours)
    });
    rows.collect()
}

fn published(table: &Table, name: &str) -> Times {
    table.times.iter().find(|(known, _)| *known == name).map_or([None; 3], |(_, times)| *times)
}

/// Table 1 or 2: every protocol for every number of parties that it runs with.
fn table(table: &Table) -> Part {
    let mut rows = Vec::new();
    for (beside, protocol) in PROTOCOLS {
        let name = protocol.name();
        let (series, times) = match beside {
            Some(paper) => (format!("{paper}, `{name}`"), published(table, paper)),
            None => (format!("`{name}`"), [None; 3]),
        };
        for (parties, times) in PARTIES.into_iter().zip(times) {
            let protocol = protocol.fitting(parties);
            if protocol.parties() == parties {
                let run = CircuitRun::new((table.ours)(), protocol, "ccs16");
                rows.extend(phases(&series, parties, times, &run));
            }
        }
    }
    Part::table(table.number, table.title, rows)
}

/// Table 2 with random circuits.
fn random() -> Part {
    let mut rows = Vec::new();
    let deep = [(GMW_TEN, GMW), (OT, BMR), (BGW3, BMR_SHAMIR)].map(|(paper, protocol)| {
        (format!("{paper}, `{}`", protocol.name()), protocol, SIZE.1, published(&SHA, paper))
    });
    let shallow = LEVELS.map(|(levels, times)| (format!("{GMW_TEN}, `gmw`"), GMW, levels, times));
    for (series, protocol, levels, times) in shallow.into_iter().chain(deep) {
        for (parties, times) in PARTIES.into_iter().zip(times) {
            let run = CircuitRun::new(random_circuit(levels), protocol.fitting(parties), "ccs16");
            rows.extend(phases(&format!("{series}, {levels} levels"), parties, times, &run));
        }
    }
    Part::table("2", "random circuits of 90,825 ANDs, on `ccs16`", rows)
}

/// Of section 4.1: a step, the protocol that is nearest to it, and milliseconds ahead and online.
type Step = (&'static str, Option<Protocol>, [Option<f64>; 2]);

/// With a ping time of 0.1 ms.
const NEAR: [Step; 5] = [
    ("basic", Some(BMR_BASIC), [Some(6434.0), None]),
    ("reduced OT", Some(BMR_REDUCED), [Some(5549.0), Some(399.0)]),
    ("correlated OT", None, [Some(4011.0), Some(434.0)]),
    ("free XOR", Some(BMR_CORRELATED), [Some(2851.0), Some(313.0)]),
    ("2 OT threads", None, [Some(2633.0), Some(311.0)]),
];

/// With 76 ms.
const FAR: [Step; 5] = [
    ("basic", Some(BMR_BASIC), [Some(45_631.0), None]),
    ("reduced OT", Some(BMR_REDUCED), [Some(42_408.0), Some(746.0)]),
    ("correlated OT", None, [Some(40_644.0), Some(773.0)]),
    ("free XOR", Some(BMR_CORRELATED), [Some(31_071.0), Some(664.0)]),
    ("2 OT threads", None, [Some(28_805.0), Some(655.0)]),
];

/// BGW in three rounds, with a ping time of 0.1 ms, ahead.
const BGW: [(&str, f64); 4] = [
    ("basic", 9179.0),
    ("optimized multiplications", 8472.0),
    ("free XOR", 5809.0),
    ("2 threads", 5027.0),
];

/// The tables of section 4.1.
fn steps() -> Part {
    const ALWAYS_FREE: &str = "free XOR is always on, so that this step is the next one here";
    const ONE_THREAD: &str = "one instance is garbled and evaluated by one thread";
    let mut rows = Vec::new();
    for (setting, network, steps) in [("0.1 ms", "create", NEAR), ("76 ms", "ccs16", FAR)] {
        for (step, protocol, times) in steps {
            let phases = [("ahead", Quantity::Ahead), ("online", Quantity::Online)];
            for ((phase, quantity), published) in phases.into_iter().zip(times) {
                let ours = match protocol {
                    Some(protocol) => {
                        let run = CircuitRun::new(sha(), protocol.fitting(13), network);
                        Ours::Measured(Experiment::Circuit(run), quantity)
                    }
                    None if step == "correlated OT" => Ours::Missing(ALWAYS_FREE),
                    None => Ours::Missing(ONE_THREAD),
                };
                let series = format!("{OT}, {step}, {phase}");
                rows.push(Row::new(series, setting, published, Unit::MILLISECONDS, ours));
            }
        }
    }
    for (step, time) in BGW {
        let ours = match step {
            "free XOR" => {
                let run = CircuitRun::new(sha(), BMR_SHAMIR_S3.fitting(13), "create");
                Ours::Measured(Experiment::Circuit(run), Quantity::Ahead)
            }
            "2 threads" => Ours::Missing(ONE_THREAD),
            _ => Ours::Missing(ALWAYS_FREE),
        };
        let series = format!("{BGW3}, {step}, ahead");
        rows.push(Row::new(series, "0.1 ms", time, Unit::MILLISECONDS, ours));
    }
    Part::table("4.1", "steps of the protocols, 13 parties, SHA-256", rows)
}

/// Points of a figure over numbers of parties.
fn points(
    series: &str,
    protocol: Protocol,
    network: &'static str,
    quantity: Quantity,
    published: &[(usize, Option<f64>)],
) -> Vec<Row> {
    let points = published.iter().map(|(parties, time)| {
        let run = CircuitRun::new(sha(), protocol.fitting(*parties), network);
        let ours = Ours::Measured(Experiment::Circuit(run), quantity);
        Row::point(series, *parties as f64, *time, Unit::MILLISECONDS, ours)
    });
    points.collect()
}

const AXES: [&str; 2] = ["parties", "milliseconds"];

/// The sums of table 2.
fn figure_4() -> Part {
    let of = |paper: &str, protocol| {
        let times = published(&SHA, paper).map(|times| times.map(|[ahead, online]| ahead + online));
        let all: Vec<_> = PARTIES.into_iter().zip(times).collect();
        points(paper, protocol, "ccs16", Quantity::Total, &all)
    };
    let rows = [of(OT, BMR_CORRELATED), of(BGW3, BMR_SHAMIR_S3), of(GMW_TEN, GMW)];
    Part::figure("4", "total time, SHA-256, on `ccs16`", AXES, rows.concat())
}

fn figure_5() -> Part {
    let all = [(3, None), (7, None), (13, None)];
    let of = |paper, protocol| points(paper, protocol, "create", Quantity::Total, &all);
    let rows =
        [of(OT, BMR_CORRELATED), of(BGW3, BMR_SHAMIR_S3), of("`bmr`", BMR), of(GMW_TEN, GMW)];
    Part::figure("5", "total time, SHA-256, on `create`", AXES, rows.concat())
}

/// As the text has it: "approximately 400 ms" for GMW with three parties.
fn figure_6() -> Part {
    let bmr = [(3, Some(85.0)), (7, None), (13, None), (33, Some(1506.0))];
    let gmw = [(3, Some(400.0)), (7, None), (13, None), (33, Some(1113.0))];
    let of = |paper, protocol, times| points(paper, protocol, "create", Quantity::Online, times);
    let rows = [of("BMR, `bmr`", BMR, &bmr), of("GMW, `gmw`", GMW, &gmw)];
    Part::figure("6", "online time, SHA-256, on `create`", AXES, rows.concat())
}
