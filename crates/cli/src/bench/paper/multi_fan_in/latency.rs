//! How long circuits take on wide-area networks: figure 5, tables 6 to 8.

use super::super::experiment::{CircuitRun, Design, Experiment};
use super::super::publication::{Ours, Part, Quantity, Row, Unit};
use super::{ARAKI, BEAVER, NETWORKS, THIS, TREES, WIDTHS, run, seconds, tree};
use tacit_sharing::Protocol;

/// Protocols and fan-ins of figure 5.
const CURVES: [((&str, Protocol), usize); 4] = [(ARAKI, 2), (THIS, 2), (THIS, 4), (THIS, 8)];

/// What the text says of it: how many times faster this protocol is than [1], by fan-in and network.
const CLAIMS: [(usize, usize, f64); 3] = [(2, 1, 1.7), (4, 0, 2.0), (4, 1, 3.5)];

/// AND trees.
pub fn figure_5() -> Part {
    let of = |protocol, fan_in, log, network| run(tree(fan_in, log), protocol, network);
    let mut rows = Vec::new();
    for (setting, network) in NETWORKS {
        for ((name, protocol), fan_in) in CURVES {
            rows.extend(TREES.map(|log| {
                let series = format!("{setting}, {name}, fan-in {fan_in}");
                let ours = seconds(of(protocol, fan_in, log, network));
                Row::point(series, f64::from(1 << log), None, Unit::SECONDS, ours)
            }));
        }
    }
    for (fan_in, network, times) in CLAIMS {
        let (setting, network) = NETWORKS[network];
        let slow = Experiment::Circuit(of(ARAKI.1, 2, 12, network));
        let fast = Experiment::Circuit(of(THIS.1, fan_in, 12, network));
        let ours = Ours::Quotient(slow, fast, Quantity::Online);
        let series = format!("{setting}, [1] by this with fan-in {fan_in}");
        rows.push(Row::new(series, "2^12 inputs", times, Unit::TIMES, ours));
    }
    let axes = ["inputs of the AND tree", "seconds"];
    Part::figure("5", "online latency of AND trees; the text gives quotients", axes, rows)
}

/// Published seconds on both networks, by width; `None`: not given, or unreadable.
type Times<const N: usize> = [[Option<f64>; 2]; N];

/// All numbers of a line are there.
const fn all<const N: usize>(times: [[f64; 2]; N]) -> Times<N> {
    let mut cells = [[None; 2]; N];
    let mut index = 0;
    while index < N {
        cells[index] = [Some(times[index][0]), Some(times[index][1])];
        index += 1;
    }
    cells
}

/// Of a line of table 6: circuit, and seconds of [1] and of this protocol for 16, 32 and 64 bits.
type Narrow = (&'static str, fn(usize) -> Design, Times<3>, Times<3>);

const TABLE_6: [Narrow; 5] = [
    (
        "RC adder",
        |n| Design::Adder(0, n),
        all([[0.906, 0.903], [1.709, 1.678], [3.322, 3.316]]),
        all([[0.865, 0.507], [1.671, 0.927], [3.281, 1.708]]),
    ),
    (
        "Sklansky",
        |n| Design::Adder(2, n),
        all([[0.352, 0.302], [0.405, 0.401], [0.452, 0.448]]),
        all([[0.312, 0.196], [0.361, 0.255], [0.412, 0.257]]),
    ),
    (
        "standard multiplier",
        |n| Design::Multiplier(0, n),
        [[None, None], [Some(6.494), Some(6.492)], [Some(9.607), Some(9.608)]],
        [[None, None], [Some(6.452), Some(3.243)], [Some(9.571), Some(4.789)]],
    ),
    (
        "Wallace",
        |n| Design::Multiplier(2, n),
        [[Some(0.906), None], [Some(1.111), Some(1.059)], [Some(1.317), Some(1.298)]],
        all([[0.865, 0.512], [1.067, 0.609], [1.272, 0.718]]),
    ),
    (
        "comparator",
        |n| Design::Comparator(2, n),
        all([[0.352, 0.351], [0.403, 0.404], [0.453, 0.455]]),
        all([[0.312, 0.203], [0.362, 0.251], [0.413, 0.248]]),
    ),
];

/// Circuits of ANDs of two inputs.
pub fn table_6() -> Part {
    let mut rows = Vec::new();
    for (circuit, design, araki, this) in TABLE_6 {
        for ((name, protocol), times) in [(ARAKI, araki), (THIS, this)] {
            let label = format!("{circuit}, {name}");
            rows.extend(of_widths(&label, &times, |n, network| run(design(n), protocol, network)));
        }
    }
    Part::table(
        "6",
        "seconds of one addition, multiplication and comparison, ANDs of two inputs",
        rows,
    )
}

/// A line of a table over widths and both networks.
fn of_widths<const N: usize>(
    label: &str,
    times: &Times<N>,
    run: impl Fn(usize, &'static str) -> CircuitRun,
) -> Vec<Row> {
    let mut rows = Vec::new();
    for (index, (setting, network)) in NETWORKS.into_iter().enumerate() {
        rows.extend(WIDTHS.into_iter().zip(times).map(|(width, published)| {
            let at = format!("n = {width}, {setting}");
            Row::new(label, at, published[index], Unit::SECONDS, seconds(run(width, network)))
        }));
    }
    rows
}

/// Of a line of table 7: circuit, fan-in, and seconds for 16 to 128 bits.
type Wide = (&'static str, fn(usize, usize) -> Design, usize, Times<4>);

const TABLE_7: [Wide; 8] = [
    (
        "Sklansky",
        Design::Adder,
        2,
        all([[0.312, 0.196], [0.362, 0.255], [0.412, 0.257], [0.463, 0.310]]),
    ),
    (
        "Sklansky",
        Design::Adder,
        4,
        all([[0.211, 0.150], [0.261, 0.194], [0.261, 0.201], [0.312, 0.206]]),
    ),
    (
        "Sklansky",
        Design::Adder,
        8,
        all([[0.203, 0.150], [0.212, 0.152], [0.213, 0.204], [0.266, 0.203]]),
    ),
    (
        "Wallace",
        Design::Multiplier,
        2,
        all([[0.865, 0.512], [1.067, 0.609], [1.272, 0.718], [1.388, 0.865]]),
    ),
    (
        "Wallace",
        Design::Multiplier,
        4,
        all([[0.665, 0.411], [0.767, 0.461], [0.925, 0.628], [1.064, 0.641]]),
    ),
    (
        "comparator",
        Design::Comparator,
        2,
        all([[0.312, 0.203], [0.362, 0.251], [0.413, 0.248], [0.463, 0.316]]),
    ),
    (
        "comparator",
        Design::Comparator,
        4,
        all([[0.211, 0.146], [0.261, 0.203], [0.261, 0.202], [0.313, 0.216]]),
    ),
    (
        "comparator",
        Design::Comparator,
        8,
        all([[0.211, 0.151], [0.211, 0.154], [0.212, 0.155], [0.263, 0.217]]),
    ),
];

/// Circuits of wide ANDs.
pub fn table_7() -> Part {
    let rows = TABLE_7.into_iter().flat_map(|(circuit, design, fan_in, times)| {
        let label = format!("{circuit}, fan-in {fan_in}");
        of_widths(&label, &times, |n, network| run(design(fan_in, n), THIS.1, network))
    });
    Part::table(
        "7",
        "seconds of one addition, multiplication and comparison by fan-in",
        rows.collect(),
    )
}

/// Of a line of table 8: function, circuit, protocol, and seconds of one and of a hundred instances for 32 and 64 bits.
type Batches = (&'static str, fn(usize) -> Design, (&'static str, Protocol), [Times<2>; 2]);

const TABLE_8: [Batches; 6] = [
    (
        "addition",
        |n| Design::Adder(2, n),
        BEAVER,
        [all([[0.150, 0.150], [0.150, 0.207]]), all([[0.583, 1.211], [0.652, 1.37]])],
    ),
    (
        "addition",
        |n| Design::Adder(8, n),
        THIS,
        [all([[0.212, 0.152], [0.213, 0.204]]), all([[0.252, 0.252], [0.252, 0.253]])],
    ),
    (
        "multiplication",
        |n| Design::Multiplier(2, n),
        BEAVER,
        [all([[0.586, 1.179], [0.639, 1.316]]), all([[7.493, 20.35], [11.375, 24.64]])],
    ),
    (
        "multiplication",
        |n| Design::Multiplier(4, n),
        THIS,
        [all([[0.767, 0.461], [0.925, 0.628]]), all([[0.960, 0.727], [1.422, 1.174]])],
    ),
    (
        "comparison",
        |n| Design::Comparator(2, n),
        BEAVER,
        [all([[0.150, 0.200], [0.199, 0.351]]), all([[0.651, 1.448], [0.874, 3.279]])],
    ),
    (
        "comparison",
        |n| Design::Comparator(8, n),
        THIS,
        [all([[0.211, 0.154], [0.212, 0.155]]), all([[0.251, 0.251], [0.252, 0.249]])],
    ),
];

/// Beside garbled circuits.
pub fn table_8() -> Part {
    let mut rows = Vec::new();
    for (function, design, (name, protocol), batches) in TABLE_8 {
        for (batch, times) in [1, 100].into_iter().zip(batches) {
            for (index, (setting, network)) in NETWORKS.into_iter().enumerate() {
                rows.extend([32, 64].into_iter().zip(times).map(|(width, published)| {
                    let run = run(design(width), protocol, network);
                    let ours = seconds(CircuitRun { instances: [batch; 2], ..run });
                    let series = format!("{function}, {name}, batch of {batch}");
                    let at = format!("n = {width}, {setting}");
                    Row::new(series, at, published[index], Unit::SECONDS, ours)
                }));
            }
        }
    }
    Part::table(
        "8",
        "seconds of one and of 100 instances, beside garbled circuits of three parties",
        rows,
    )
}
