//! Figures of the paper on multi-input AND gates that the library's designs are held
//! against (`docs/spec/circuits.md` section 10), and the designs that stand beside them. `None` and `--`: unreadable in
//! the source.

use super::contents::{design, fan_in};
use crate::library::comparator as comparators;
use crate::{Builder, Circuit};

/// Depth and size for widths 16, 32, 64, 128.
pub type DepthSize = [(Option<u32>, Option<u64>); 4];

/// (row label, fan-in, figures); the ripple adder has fan-in 0.
pub const ADDERS: [(&str, usize, DepthSize); 4] = [
    (
        "ripple, 2 ANDs per bit",
        0,
        [(Some(16), Some(31)), (Some(32), Some(63)), (Some(64), Some(127)), (Some(128), Some(255))],
    ),
    ("Sklansky", 2, [(Some(5), None), (Some(6), Some(161)), (Some(7), Some(385)), (Some(8), None)]),
    ("fan-in <= 4", 4, [(Some(3), Some(73)), (Some(4), None), (None, Some(433)), (None, None)]),
    (
        "fan-in <= 8",
        8,
        [(Some(3), Some(87)), (Some(3), Some(213)), (Some(3), Some(561)), (Some(4), None)],
    ),
];

/// The published comparators by fan-in.
pub const COMPARATORS: [(usize, DepthSize); 3] = [
    (2, [(Some(5), Some(63)), (Some(6), Some(143)), (Some(7), Some(319)), (Some(8), Some(703))]),
    (4, [(Some(3), Some(39)), (Some(4), Some(95)), (Some(4), Some(207)), (Some(5), Some(479))]),
    (8, [(Some(3), Some(37)), (Some(3), Some(83)), (Some(3), Some(175)), (Some(4), Some(415))]),
];

/// The published multipliers by fan-in, where 0 stands for the array multiplier.
pub const MULTIPLIERS: [(usize, DepthSize); 4] = [
    (
        0,
        [
            (Some(45), Some(496)),
            (Some(93), Some(2016)),
            (Some(189), Some(8128)),
            (Some(381), Some(32640)),
        ],
    ),
    (
        2,
        [
            (Some(13), Some(512)),
            (Some(15), Some(2058)),
            (Some(18), Some(8226)),
            (Some(21), Some(32836)),
        ],
    ),
    (
        4,
        [
            (Some(7), Some(1229)),
            (Some(9), Some(5304)),
            (Some(9), Some(21997)),
            (Some(11), Some(89416)),
        ],
    ),
    (
        8,
        [
            (Some(6), Some(1422)),
            (Some(6), Some(6612)),
            (Some(8), Some(24834)),
            (Some(11), Some(96679)),
        ],
    ),
];

/// Gates of 2, 3 to 4, and 5 to 8 inputs, and MB per 1000 instances, for widths 16, 32, 64.
pub type Gates = [([u64; 3], f64); 3];

/// (what, fan-in, figures)
pub const GATES: [(&str, usize, Gates); 8] = [
    ("adder", 2, [([65, 0, 0], 0.056), ([161, 0, 0], 0.094), ([385, 0, 0], 0.182)]),
    ("adder", 4, [([43, 30, 0], 0.104), ([107, 70, 0], 0.208), ([235, 198, 0], 0.504)]),
    ("adder", 8, [([39, 24, 24], 0.595), ([87, 74, 52], 1.325), ([183, 190, 188], 4.378)]),
    ("comparator", 2, [([63, 0, 0], 0.056), ([143, 0, 0], 0.089), ([319, 0, 0], 0.161)]),
    ("comparator", 4, [([8, 31, 0], 0.088), ([32, 63, 0], 0.154), ([48, 159, 0], 0.342)]),
    ("comparator", 8, [([10, 19, 8], 0.291), ([12, 55, 16], 0.584), ([16, 95, 64], 2.010)]),
    ("multiplier", 2, [([828, 0, 0], 0.342), ([3330, 0, 0], 1.282), ([13098, 0, 0], 4.949)]),
    (
        "multiplier",
        4,
        [([718, 511, 0], 1.783), ([2755, 2549, 0], 8.533), ([10830, 11167, 0], 37.173)],
    ),
];

/// kB sent by an evaluator and by the helper for the AND of 2^4, 2^6, 2^8, 2^10, 2^12 inputs.
pub const AND_TREES: [(usize, [(f64, f64); 5]); 3] = [
    (2, [(0.013, 0.011), (0.018, 0.017), (0.042, 0.041), (0.138, 0.137), (0.522, 0.521)]),
    (4, [(0.017, 0.011), (0.039, 0.015), (0.127, 0.031), (0.479, 0.095), (1.887, 0.351)]),
    (8, [(0.072, 0.010), (0.288, 0.012), (1.123, 0.019), (4.518, 0.046), (18.072, 0.156)]),
];

/// The generate/propagate adder, or for fan-in 0 the ripple adder of two ANDs per bit.
///
/// # Panics
/// When the fan-in is above 8, or the library has no such width.
#[must_use]
pub fn adder(f: usize, width: usize) -> Circuit {
    let form = if f == 0 { "ripple-two-and" } else { "prefix" };
    design("add", width, fan_in(f.max(2)), &[("form", form), ("carry-out", "true")])
}

/// The carry-save multiplier, or for fan-in 0 the array multiplier.
///
/// # Panics
/// When the fan-in is above 8, or the library has no such width.
#[must_use]
pub fn multiplier(f: usize, width: usize) -> Circuit {
    let form = if f == 0 { "array" } else { "carry-save" };
    design("multiply", width, fan_in(f.max(2)), &[("form", form)])
}

/// Fischlin's comparator with the unneeded all-equal product kept, as published.
///
/// # Panics
/// When the fan-in is not from 2 to 8.
#[must_use]
pub fn comparator(f: usize, width: usize) -> Circuit {
    let mut b = Builder::new();
    let (x, y) = (b.input(width as u32), b.input(width as u32));
    let result = comparators::greater_prefix(&mut b, &x, &y, fan_in(f));
    b.output(&[result.greater, result.equal]);
    b.finish()
}
