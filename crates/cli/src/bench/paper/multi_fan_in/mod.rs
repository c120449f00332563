//! "3PC for WANs": AND gates of two to eight inputs for three semi-honest parties. Its tables 2 to 12 and its figure 5; table 1 and
//! figures 1 to 4 are definitions.

mod aes;
mod latency;

use super::experiment::{CircuitRun, Design, Experiment};
use super::publication::{Ours, Part, Publication, Quantity, Row, Unit};
use tacit_circuit::table::published::{
    ADDERS, AND_TREES, COMPARATORS, DepthSize, GATES, MULTIPLIERS,
};
use tacit_engine::circuit::Preprocessing;
use tacit_engine::protocols::{BMR_REPLICATED, MULTI_FAN_IN, REPLICATED};
use tacit_sharing::Protocol;

/// The paper.
pub fn publication() -> Publication {
    Publication {
        name: "multi-fan-in",
        title: "AND gates of several inputs for three semi-honest parties on wide-area networks (3PC for WANs)",
        note: NOTE,
        parts: vec![
            adders(),
            multipliers(),
            comparators(),
            latency::figure_5(),
            and_trees(),
            latency::table_6(),
            latency::table_7(),
            latency::table_8(),
            table_9(),
            table_10(),
            aes::table_11(),
            aes::table_12(),
        ],
    }
}

const NOTE: &str = "Published: AWS t2.large, three on one machine with 100 ms and 160 Mbit/s (sim), or in three regions (WAN). \
    Here: virtual time on `wan-100ms` and `global`, with this machine's time for computing; roles in order on `global`, so that the \
    closest pair evaluates, and in reverse on `wan-100ms`, so that the owner of an input helps; wide products in dealer form, which \
    sends less. [1] is `replicated`, [4] is `bmr-replicated` with all that \
    its parties send in the time, [42] is ABY2.0. Numbers that cannot be read in the source are left out. Bytes by the meter \
    have inputs, outputs and whole words of 64 instances in them; bytes by the gates are counted in the circuit. The 165.7 kB of \
    table 11 are more than the gates of the paper's own S-boxes take, 16.7 kB per block.";

/// Widths of tables 2 to 4 and 7.
const WIDTHS: [usize; 4] = [16, 32, 64, 128];

/// A run of the paper: without preprocessing of its own. Where all links are alike, the owner of an input helps, which
/// saves a message; else the closest pair evaluates.
fn run(design: Design, protocol: Protocol, network: &'static str) -> CircuitRun {
    CircuitRun {
        preprocessing: Preprocessing::Interleaved,
        reversed: protocol == MULTI_FAN_IN && network == SIMULATED,
        ..CircuitRun::new(design, protocol, network)
    }
}

/// The time of a run.
fn seconds(run: CircuitRun) -> Ours {
    Ours::Measured(Experiment::Circuit(run), Quantity::Online)
}

/// What is counted in a circuit.
fn counted(design: Design, quantity: Quantity) -> Ours {
    Ours::Measured(Experiment::Size(design), quantity)
}

/// Depths and sizes of one design over all widths.
fn depths_and_sizes(
    label: &str,
    published: DepthSize,
    design: impl Fn(usize) -> Design,
) -> Vec<Row> {
    let rows = WIDTHS.into_iter().zip(published).flat_map(|(width, (depth, size))| {
        let at = format!("n = {width}");
        let row = |what: &str, published: Option<f64>, quantity| {
            let ours = counted(design(width), quantity);
            Row::new(format!("{label}, {what}"), at.clone(), published, Unit::COUNT, ours)
        };
        let size = size.map(|size| size as f64);
        [row("depth", depth.map(f64::from), Quantity::Depth), row("size", size, Quantity::Ands)]
    });
    rows.collect()
}

fn adders() -> Part {
    let rows = ADDERS.into_iter().flat_map(|(label, fan_in, published)| {
        depths_and_sizes(label, published, |width| Design::Adder(fan_in, width))
    });
    Part::table("2", "adders of n bits, the same designs", rows.collect())
}

fn multipliers() -> Part {
    let rows = MULTIPLIERS.into_iter().flat_map(|(fan_in, published)| {
        let label = match fan_in {
            0 => "standard".into(),
            2 => "Wallace".into(),
            _ => format!("fan-in <= {fan_in}"),
        };
        depths_and_sizes(&label, published, |width| Design::Multiplier(fan_in, width))
    });
    Part::table(
        "3",
        "multipliers of n bits; Tacit's are carry-save designs of its own",
        rows.collect(),
    )
}

fn comparators() -> Part {
    let rows = COMPARATORS.into_iter().flat_map(|(fan_in, published)| {
        let label = format!("fan-in <= {fan_in}");
        depths_and_sizes(&label, published, |width| Design::Comparator(fan_in, width))
    });
    Part::table(
        "4",
        "comparators of n bits, the same designs; above fan-in 2 the paper leaves one gate out",
        rows.collect(),
    )
}

/// The logarithms of the numbers of inputs of AND trees.
const TREES: [u32; 5] = [4, 6, 8, 10, 12];

/// An AND tree of so many inputs, all of whose gates have the fan-in.
fn tree(fan_in: usize, log: u32) -> Design {
    let (width, fan_in) = ((1 << log).to_string(), fan_in.to_string());
    Design::library("and-tree", &[("width", &width), ("fan-in", &fan_in), ("form", "uniform")])
}

fn and_trees() -> Part {
    let rows = AND_TREES.into_iter().flat_map(|(fan_in, published)| {
        TREES.into_iter().zip(published).flat_map(move |(log, (evaluator, helper))| {
            let row = |party: &str, published: f64, quantity| {
                let series = format!("{party}, fan-in {fan_in}");
                let ours = counted(tree(fan_in, log), quantity);
                Row::new(series, format!("2^{log} inputs"), published, Unit::KILOBYTES, ours)
            };
            [
                row("P1 or P2", evaluator, Quantity::EvaluatorBytes),
                row("P3", helper, Quantity::HelperBytes),
            ]
        })
    });
    Part::table(
        "5",
        "bytes that a party sends for an AND tree, one instance, by the gates; the paper's have some 10 bytes of framing",
        rows.collect(),
    )
}

/// Of table 9: function, circuit of fan-in 2 and of the best one, and published kB under [4] and under the paper's
/// protocol for 32 and 64 bits.
type Communication = (&'static str, fn(usize) -> [Design; 2], [f64; 2], [f64; 2]);

const COMMUNICATION: [Communication; 3] = [
    ("addition", |n| [Design::Adder(2, n), Design::Adder(8, n)], [38.9, 78.3], [1.325, 4.378]),
    (
        "multiplication",
        |n| [Design::Multiplier(2, n), Design::Multiplier(4, n)],
        [3600.0, 4940.0],
        [8.533, 37.173],
    ),
    (
        "comparison",
        |n| [Design::Comparator(2, n), Design::Comparator(8, n)],
        [87.05, 194.1],
        [0.584, 2.010],
    ),
];

fn table_9() -> Part {
    let mut rows = Vec::new();
    for (function, designs, beaver, this) in COMMUNICATION {
        for (index, width) in [32, 64].into_iter().enumerate() {
            let [narrow, wide] = designs(width);
            let metered = |design, protocol| {
                let run = run(design, protocol, SIMULATED);
                Ours::Measured(Experiment::Circuit(run), Quantity::Bytes)
            };
            let mut row = |series: &str, published: f64, ours| {
                let series = format!("{function}, {series}");
                let at = format!("n = {width}");
                rows.push(Row::new(series, at, published, Unit::KILOBYTES, ours));
            };
            row("[4], by the meter", beaver[index], metered(narrow, BMR_REPLICATED));
            row("this, by the meter", this[index], metered(wide.clone(), MULTI_FAN_IN));
            row("this, by the gates", this[index], counted(wide, Quantity::GateBytes));
        }
    }
    Part::table("9", "bytes of all parties for one instance", rows)
}

fn table_10() -> Part {
    let mut rows = Vec::new();
    for (function, fan_in, published) in GATES {
        for (width, (gates, megabytes)) in WIDTHS.into_iter().zip(published) {
            let design = match function {
                "adder" => Design::Adder(fan_in, width),
                "comparator" => Design::Comparator(fan_in, width),
                _ => Design::Multiplier(fan_in, width),
            };
            let mut row = |what: &str, published: f64, unit, quantity| {
                let series = format!("{function}, fan-in {fan_in}, {what}");
                let ours = counted(design.clone(), quantity);
                rows.push(Row::new(series, format!("n = {width}"), published, unit, ours));
            };
            let classes = ["ANDs of 2", "ANDs of 3 or 4", "ANDs of 5 to 8"];
            for (class, (what, count)) in classes.into_iter().zip(gates).enumerate() {
                row(what, count as f64, Unit::COUNT, Quantity::AndsOfClass(class as u8));
            }
            row("bytes", megabytes, Unit::MEGABYTES_PER_THOUSAND, Quantity::GateBytes);
        }
    }
    Part::table(
        "10",
        "gates by number of inputs, and bytes of all parties for 1,000 instances, by the gates",
        rows,
    )
}

/// The protocols as the tables call them.
const ARAKI: (&str, Protocol) = ("[1]", REPLICATED);
const THIS: (&str, Protocol) = ("this", MULTI_FAN_IN);
const BEAVER: (&str, Protocol) = ("[4]", BMR_REPLICATED);

/// Three parties on one machine, with delays.
const SIMULATED: &str = "wan-100ms";

/// The two wide-area networks: as the tables call them, and as Tacit does.
const NETWORKS: [(&str, &str); 2] = [("sim", SIMULATED), ("WAN", "global")];
