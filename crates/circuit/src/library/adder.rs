//! Adders and subtraction (`docs/spec/circuits.md` section 2).
//!
//! | form | depth | ANDs without / with carry out |
//! |---|---|---|
//! | [`ripple`] | `n - 1` / `n` | `n - 1` / `n` |
//! | [`ripple_two_and`] | `n` | `2n - 1` |
//! | [`prefix`] | `1 + ceil(log_F n)` | fan-in 2: `n log2 n + 1` |
//! | [`select`] | `ceil(log_F n)` / `ceil(log_F (n+1))` | fan-in 2: `n log2 n - n + 1` / one more |
//!
//! A carry in costs nothing in `ripple` and at most one position in `select`.

use super::bits::{self, FanIn};
use super::scan::{Block, Radices, scan_blocks, scan_levels, scan_radices};
use crate::{Builder, Wire};

/// How the carries of an addition are computed.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum AdderForm {
    /// One AND per bit, one after the other: least traffic, most rounds.
    Ripple,
    /// The textbook full adder with two ANDs per bit; kept to compare sizes.
    RippleTwoAnd,
    /// Generate/propagate scan, the published design.
    Prefix,
    /// Carry-select scan: one level less than `Prefix`, and smaller. The default.
    Select,
}

/// `x + y + carry_in` in the given form: `n` bits, or `n + 1` with `carry_out`.
///
/// # Panics
/// If the operands are empty or differ in width.
pub fn add(
    b: &mut Builder,
    form: AdderForm,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
    fan_in: FanIn,
) -> Vec<Wire> {
    match form {
        AdderForm::Ripple => ripple(b, x, y, carry_in, carry_out),
        AdderForm::RippleTwoAnd => ripple_two_and(b, x, y, carry_in, carry_out),
        AdderForm::Prefix => prefix(b, x, y, carry_in, carry_out, fan_in),
        AdderForm::Select => select(b, x, y, carry_in, carry_out, fan_in),
    }
}

/// `x - y` as `x + !y + 1`; the carry out, if asked for, is 1 iff `x >= y`.
pub fn subtract(
    b: &mut Builder,
    form: AdderForm,
    x: &[Wire],
    y: &[Wire],
    carry_out: bool,
    fan_in: FanIn,
) -> Vec<Wire> {
    let inverted = bits::not(b, y);
    let one = b.constant(true);
    add(b, form, x, &inverted, Some(one), carry_out, fan_in)
}

fn check(x: &[Wire], y: &[Wire]) {
    assert!(!x.is_empty(), "operands have at least one bit");
    assert_eq!(x.len(), y.len(), "operands of one width");
}

/// Ripple carry with one AND per bit: `c' = (x + c)(y + c) + c`.
pub fn ripple(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
) -> Vec<Wire> {
    ripple_with(b, x, y, carry_in, carry_out, |b, x, y, carry| {
        let (u, v) = (b.xor(x, carry), b.xor(y, carry));
        let flips = b.and2(u, v);
        b.xor(flips, carry)
    })
}

/// Ripple carry with two ANDs per bit: `c' = x y + (x + y) c`, the size 2n - 1
/// that is usually quoted (a half adder at the lowest bit).
pub fn ripple_two_and(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
) -> Vec<Wire> {
    ripple_with(b, x, y, carry_in, carry_out, |b, x, y, carry| {
        let p = b.xor(x, y);
        let (generated, passed) = (b.and2(x, y), b.and2(p, carry));
        b.xor(generated, passed)
    })
}

fn ripple_with(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
    next: impl Fn(&mut Builder, Wire, Wire, Wire) -> Wire,
) -> Vec<Wire> {
    check(x, y);
    let mut carry = carry_in.unwrap_or_else(|| b.constant(false));
    let width = x.len();
    let mut sum = Vec::with_capacity(width + 1);
    for (i, (&x, &y)) in x.iter().zip(y).enumerate() {
        sum.push(b.xor_all(&[x, y, carry]));
        if carry_out || i + 1 < width {
            carry = next(b, x, y, carry);
        }
    }
    sum.extend(carry_out.then_some(carry));
    sum
}

/// The radices of the published generate/propagate adders: full radix F first,
/// then the smallest power of two that still covers the width.
pub fn published_radices(width: usize, fan_in: FanIn) -> Vec<usize> {
    let mut radices = Vec::new();
    let mut reach = 1;
    while reach < width {
        let mut radix = 2;
        while radix < fan_in.get() && reach * radix < width {
            radix = (radix * 2).min(fan_in.get());
        }
        radices.push(radix);
        reach *= radix;
    }
    radices
}

/// Generate/propagate parallel prefix adder (`docs/spec/circuits.md` section 2.3) over the published radices.
pub fn prefix(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
    fan_in: FanIn,
) -> Vec<Wire> {
    check(x, y);
    let width = x.len();
    let half = bits::xor(b, x, y);
    let mut generate: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| b.and2(x, y)).collect();
    if let Some(carry) = carry_in {
        generate[0] = super::counter::majority(b, x[0], y[0], carry);
    }
    let mut pass = half.clone();
    for level in scan_levels(width, &published_radices(width, fan_in)) {
        let merged: Vec<_> =
            level.iter().map(|m| (m.at, merge_generate(b, &generate, &pass, m))).collect();
        for (at, (g, p)) in merged {
            (generate[at], pass[at]) = (g, p);
        }
    }
    let mut sum = half;
    sum[0] = carry_in.map_or(sum[0], |carry| b.xor(sum[0], carry));
    for i in 1..width {
        sum[i] = b.xor(sum[i], generate[i - 1]);
    }
    sum.extend(carry_out.then_some(generate[width - 1]));
    sum
}

/// `G = G_q + P_q G_q-1 + P_q P_q-1 G_q-2 + ...` and the product of the P's; the
/// summands exclude each other, so OR is XOR.
fn merge_generate(
    b: &mut Builder,
    generate: &[Wire],
    pass: &[Wire],
    m: &super::scan::Merge,
) -> (Wire, Wire) {
    let mut prefix = vec![pass[m.at]];
    let mut terms = vec![generate[m.at]];
    for &lower in &m.lower {
        prefix.push(generate[lower]);
        terms.push(b.and(&prefix));
        prefix.pop();
        prefix.push(pass[lower]);
    }
    let product = if m.final_block { pass[m.at] } else { b.and(&prefix) };
    (b.xor_all(&terms), product)
}

/// Carry-select scan adder (`docs/spec/circuits.md` section 2.4) of least depth for the fan-in limit,
/// with the cheapest radices of that depth.
pub fn select(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
    fan_in: FanIn,
) -> Vec<Wire> {
    let positions = x.len() + usize::from(carry_out);
    let radices = least_depth(positions, fan_in).radices;
    select_with(b, x, y, carry_in, carry_out, &radices)
}

fn least_depth(positions: usize, fan_in: FanIn) -> Radices {
    scan_radices(positions, fan_in, fan_in.levels(positions))
        .expect("ceil(log_F n) levels reach n positions")
}

/// The cheapest radices for [`select_with`] in exactly `levels` levels, if they reach.
pub fn select_radices(
    width: usize,
    carry_out: bool,
    fan_in: FanIn,
    levels: u32,
) -> Option<Radices> {
    let positions = width + usize::from(carry_out);
    if levels > FanIn::TWO.levels(positions) {
        return None;
    }
    scan_radices(positions, fan_in, levels)
}

/// [`select`] with chosen radices, whose product reaches `n` positions (`n + 1`
/// with carry out); see [`choose_select`].
pub fn select_with(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    carry_in: Option<Wire>,
    carry_out: bool,
    radices: &[usize],
) -> Vec<Wire> {
    check(x, y);
    let width = x.len();
    let half = bits::xor(b, x, y);
    let positions = width + usize::from(carry_out);
    let mut blocks = vec![Block::carry_in(carry_in.unwrap_or_else(|| b.constant(false)))];
    blocks.extend(x.iter().zip(&half).map(|(&x, &p)| Block::bit(x, p)).take(positions - 1));
    let carries = scan_blocks(b, blocks, radices);
    let mut sum = bits::xor(b, &half, &carries[..width]);
    sum.extend(carries.get(width));
    sum
}

/// The select adder with the least `level_bits * depth + bits`, where one level
/// is worth `level_bits` bits per lane (`docs/spec/circuits.md` section 9, cost model). The ripple
/// adder (one bit per position) is cheaper still where a level is worth less than
/// about half a bit per position.
pub fn choose_select(width: usize, carry_out: bool, limit: FanIn, level_bits: f64) -> Radices {
    let positions = width + usize::from(carry_out);
    let cost = |r: &Radices| r.radices.len() as f64 * level_bits + r.bits as f64;
    (limit.levels(positions)..=FanIn::TWO.levels(positions))
        .filter_map(|levels| scan_radices(positions, limit, levels))
        .min_by(|p, q| cost(p).total_cmp(&cost(q)))
        .expect("ceil(log_F n) levels reach n positions")
}
