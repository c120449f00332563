//! AES: table 11 of one run, table 12 of blocks per second.

use super::super::experiment::{CircuitRun, Design, Experiment};
use super::super::publication::{Ours, Part, Quantity, Row, Unit};
use super::{ARAKI, BEAVER, NETWORKS, THIS, run, seconds};
use tacit_sharing::Protocol;

const KEYS: [&str; 3] = ["128", "192", "256"];
/// Why [42] has no number.
const NO_ABY2: Ours = Ours::Missing("Tacit has no ABY2.0; its nearest is `gmw-wide:2`");

/// AES of a block under round keys, as the paper's bytes have it.
fn aes(key_bits: &str, sbox: &str) -> Design {
    let parameters = [("key-bits", key_bits), ("sbox", sbox), ("expanded-key", "true")];
    Design::library("aes", &parameters)
}

/// Of table 11: the protocol, its S-box and instances; seconds by key size and network; kB by key size.
type Latency = ((&'static str, Protocol), &'static str, usize, [[f64; 2]; 3], [f64; 3]);

const TABLE_11: [Latency; 3] = [
    (ARAKI, "d4", 100, [[1.964, 2.071], [2.417, 2.520], [2.720, 2.885]], [2.04, 2.42, 2.85]),
    (
        BEAVER,
        "d4",
        1,
        [[0.651, 1.147], [0.673, 1.120], [0.677, 1.124]],
        [11680.0, 13080.0, 16110.0],
    ),
    (THIS, "d2", 100, [[1.056, 0.655], [1.258, 0.747], [1.458, 0.858]], [165.7, 198.2, 230.8]),
];

/// Of [42], which Tacit has not.
const ABY2_SECONDS: [[f64; 2]; 3] = [[2.006, 2.052], [2.408, 2.455], [2.810, 2.856]];
const ABY2_KILOBYTES: [f64; 3] = [2.64, 3.16, 3.69];

/// Latency and bytes.
pub fn table_11() -> Part {
    let mut rows = Vec::new();
    for (index, key) in KEYS.into_iter().enumerate() {
        let mut row = |name: &str, what: &str, published: f64, unit, ours| {
            let series = format!("AES-{key}, {name}");
            rows.push(Row::new(series, what, published, unit, ours));
        };
        for ((name, protocol), sbox, instances, times, kilobytes) in TABLE_11 {
            let of = |network| {
                let run = run(aes(key, sbox), protocol, network);
                CircuitRun { instances: [instances; 2], ..run }
            };
            for ((setting, network), time) in NETWORKS.into_iter().zip(times[index]) {
                row(name, setting, time, Unit::SECONDS, seconds(of(network)));
            }
            let bytes = Ours::Measured(Experiment::Circuit(of(NETWORKS[0].1)), Quantity::Bytes);
            row(name, "bytes of all", kilobytes[index], Unit::KILOBYTES, bytes);
        }
        for ((setting, _), time) in NETWORKS.into_iter().zip(ABY2_SECONDS[index]) {
            row("[42]", setting, time, Unit::SECONDS, NO_ABY2);
        }
        row("[42]", "bytes of all", ABY2_KILOBYTES[index], Unit::KILOBYTES, NO_ABY2);
    }
    Part::table("11", "AES, 100 instances of [1] and this, bytes per instance by the meter", rows)
}

/// Of table 12: the protocol, its S-box, instances on both networks, and with `--quick`; blocks per second by key size and
/// network.
type Throughput = ((&'static str, Protocol), &'static str, [[usize; 2]; 2], [[f64; 2]; 3]);

const TABLE_12: [Throughput; 3] = [
    (BEAVER, "d4", [[64, 4]; 2], [[131.9, 3.2], [119.3, 2.4], [89.1, 2.0]]),
    (
        ARAKI,
        "d4",
        [[1 << 15, 1 << 12], [1 << 16, 1 << 12]],
        [[115.5e3, 8.2e3], [95.5e3, 6.8e3], [81.3e3, 5.8e3]],
    ),
    (
        THIS,
        "d3",
        [[1 << 15, 1 << 12], [1 << 16, 1 << 12]],
        [[111.2e3, 18.1e3], [91.6e3, 14.8e3], [78.4e3, 12.2e3]],
    ),
];

/// Of [42]. Its LAN number for AES-128 reads `75 K`.
const ABY2_BLOCKS: [[f64; 2]; 3] = [[75e3, 4.8e3], [62.5e3, 4.2e3], [54.2e3, 3.6e3]];

/// Throughput.
pub fn table_12() -> Part {
    let networks = [("LAN", "loopback-20gbit"), NETWORKS[1]];
    let mut rows = Vec::new();
    for (index, key) in KEYS.into_iter().enumerate() {
        let mut row = |name: &str, setting: &str, published: f64, ours| {
            let series = format!("AES-{key}, {name}");
            rows.push(Row::new(series, setting, published, Unit::PER_SECOND, ours));
        };
        for ((name, protocol), sbox, instances, blocks) in TABLE_12 {
            for (place, (setting, network)) in networks.into_iter().enumerate() {
                let run = run(aes(key, sbox), protocol, network);
                let run = CircuitRun { instances: instances[place], threads: 2, ..run };
                let ours = Ours::Measured(Experiment::Circuit(run), Quantity::PerSecond);
                row(name, setting, blocks[index][place], ours);
            }
        }
        for ((setting, _), blocks) in networks.into_iter().zip(ABY2_BLOCKS[index]) {
            row("[42]", setting, blocks, NO_ABY2);
        }
    }
    Part::table(
        "12",
        "AES blocks per second, LAN on `loopback-20gbit`; two threads of each party, as its machines have cores",
        rows,
    )
}
