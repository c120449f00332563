//! From which depth on BMR takes less time than GMW: the table of `docs/spec/bmr-and-gmw.md` section 12.
//!
//! It counts bits of one instance. A word of lanes holds 64, and GMW sends words, so 64 instances are predicted here, and
//! a 64th of their bytes and work is taken; latencies are those of all of them.

use super::{circuit, compiled};
use tacit_engine::protocols::{BMR, GMW};
use tacit_planner::{Calibration, Costs, Network, Phase, of_circuit};
use tacit_sharing::Protocol;

/// The size of the circuits of the CCS 2016 paper.
const ANDS: usize = 90_825;
const INPUTS: usize = 512;
const OUTPUTS: usize = 256;

const PARTIES: [usize; 6] = [2, 3, 5, 7, 13, 33];
/// Lanes of a word.
const LANES: usize = 64;
/// Cores of a party.
const THREADS: usize = 8;

/// 2.5 ns for a block, 25 ns for a transfer and 2 ns for a bit; base transfers do not count.
const SPEED: Calibration = Calibration {
    peer: 0.0,
    transfer: 25e-9,
    block: 2.5e-9,
    gate: 0.0,
    bit: 2e-9,
    step: 0.0,
    drawn: 0.0,
};

/// Round-trip seconds, bytes per second of a party and of a link; break-even depths in all and online.
type Row = (f64, f64, f64, [[u64; 2]; 6]);
const TABLE: [Row; 5] = [
    (1e-4, 1.25e9, 1.25e9, [[214, 3], [422, 6], [843, 15], [1269, 31], [2581, 110], [7318, 737]]),
    (1e-3, 1.25e9, 3e8, [[86, 2], [88, 2], [92, 3], [131, 4], [262, 12], [736, 75]]),
    (1e-2, 1.25e8, 5e7, [[53, 2], [53, 2], [82, 2], [121, 2], [239, 4], [642, 21]]),
    (7.5e-2, 1.25e8, 7e6, [[50, 2], [50, 2], [50, 2], [50, 2], [51, 2], [90, 4]]),
    (7.5e-2, 1.25e8, 1.25e8, [[7, 2], [10, 2], [15, 2], [20, 2], [36, 2], [90, 4]]),
];

/// What one instance of some protocol costs, but for the depth.
fn costs(protocol: Protocol) -> Costs {
    let circuit = circuit(ANDS, 10, protocol.parties(), [INPUTS, OUTPUTS]);
    let mut costs = of_circuit(&compiled(&circuit, protocol, LANES, true));
    let part = 1.0 / LANES as f64;
    for phase in [&mut costs.ahead, &mut costs.online] {
        phase.bytes.iter_mut().for_each(|link| link.2 *= part);
        phase.work = phase.work * part;
    }
    costs
}

/// The phase if it has so many steps.
fn with_steps(phase: &Phase, steps: u64) -> Phase {
    let mut phase = phase.clone();
    let mut links = phase.waits.iter().map(|waits| waits.links.len());
    let most = links.clone().max().and_then(|most| links.position(|links| links == most));
    for (index, waits) in phase.waits.iter_mut().enumerate() {
        waits.steps = if Some(index) == most { steps } else { 0 };
    }
    phase
}

/// Seconds in all and online at some depth.
fn seconds(protocol: Protocol, costs: &Costs, network: &Network, depth: u64) -> [f64; 2] {
    let opening = protocol.opening();
    let online =
        with_steps(&costs.online, tacit_planner::latencies(protocol, opening, depth).online);
    let [ahead, online] =
        [&costs.ahead, &online].map(|phase| phase.seconds(network, &SPEED, THREADS).total());
    [ahead + online, online]
}

/// The least depth from which on the second protocol takes less than the first.
fn break_even(network: &Network, protocols: [(Protocol, &Costs); 2], objective: usize) -> u64 {
    let better = |depth: u64| {
        let [by_levels, constant] =
            protocols.map(|(protocol, costs)| seconds(protocol, costs, network, depth)[objective]);
        constant < by_levels
    };
    let (mut low, mut high) = (1, 1 << 20);
    while low < high {
        let middle = (low + high) / 2;
        if better(middle) { high = middle } else { low = middle + 1 }
    }
    low
}

/// Within a step, or 3 %: the specification's bits of inputs and outputs are not padded to words, and it adds up
/// those of all inputs where a party gets labels of others' alone.
fn near(found: u64, wanted: u64) -> bool {
    found.abs_diff(wanted) as f64 <= (0.03 * wanted as f64).max(1.0)
}

#[test]
fn bmr_beats_gmw_from_the_depths_of_the_specification_on() {
    for (column, parties) in PARTIES.into_iter().enumerate() {
        let protocols = [GMW.fitting(parties), BMR.fitting(parties)];
        let costs = protocols.map(costs);
        for (rtt, host, stream, row) in TABLE {
            let network = Network::new(parties, |_, _| (stream, rtt / 2.0)).with_uplinks(host);
            let both = [(protocols[0], &costs[0]), (protocols[1], &costs[1])];
            let found = [0, 1].map(|objective| break_even(&network, both, objective));
            let right = (0..2).all(|objective| near(found[objective], row[column][objective]));
            assert!(right, "{parties} parties, {rtt} s: {found:?}, not {:?}", row[column]);
        }
    }
}

/// What the table takes from the depth alone.
#[test]
fn only_the_steps_of_gmw_depend_on_the_depth() {
    let sized = |depth| circuit(640, depth, 3, [16, 16]);
    for protocol in [GMW.fitting(3), BMR.fitting(3)] {
        let [shallow, deep] =
            [10, 320].map(|depth| of_circuit(&compiled(&sized(depth), protocol, LANES, true)));
        assert_eq!(shallow.ahead, deep.ahead);
        assert_eq!(shallow.online.bytes, deep.online.bytes);
        let more = if protocol == GMW.fitting(3) { 310 } else { 0 };
        assert_eq!(deep.online.steps() - shallow.online.steps(), more, "{protocol}");
    }
}
