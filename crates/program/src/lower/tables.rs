//! Piecewise polynomials whose coefficients a circuit looks up.
//!
//! A row is picked by one-hot lines: one AND each; every output bit is then an XOR of lines.

use super::emit::{Emitter, narrowest, product, sum};
use crate::infer::elementary::power_of_two;
use crate::infer::range::hull;
use crate::ir::ValueId;
use crate::types::{Element, Interval};
use tacit_circuit::library::FanIn;
use tacit_circuit::library::bits;
use tacit_circuit::library::comparator::{Relation, compare};
use tacit_circuit::{Builder, Wire};

/// Fractional bits of everything within an approximation.
pub const FRACTION: u8 = 30;

/// Coefficients of a polynomial of degree 4 in `[0, 1)`, constant first, raw.
pub type Row = [i128; 5];

/// The raw value nearest to a number.
pub fn raw(x: f64) -> i128 {
    (x * power_of_two(FRACTION.into())).round() as i128
}

/// Interpolates `f` on `[0, 1)` at the Chebyshev nodes.
pub fn interpolate(f: impl Fn(f64) -> f64) -> Row {
    // cos(pi/10) and cos(3 pi/10).
    const OUTER: f64 = 0.951_056_516_295_153_5;
    const INNER: f64 = 0.587_785_252_292_473_1;
    let nodes = [-OUTER, -INNER, 0.0, INNER, OUTER].map(|c| (1.0 + c) / 2.0);
    let mut divided = nodes.map(f);
    for level in 1..5 {
        for i in (level..5).rev() {
            divided[i] = (divided[i] - divided[i - 1]) / (nodes[i] - nodes[i - level]);
        }
    }
    // Newton's form, multiplied out from the innermost bracket.
    let mut row = [0.0; 5];
    for i in (0..5).rev() {
        for power in (1..5).rev() {
            row[power] = row[power - 1] - nodes[i] * row[power];
        }
        row[0] = divided[i] - nodes[i] * row[0];
    }
    row.map(raw)
}

/// A fixed-point type with [`FRACTION`] fractional bits for some raw values.
pub fn element_of(interval: Interval) -> Element {
    narrowest(Element::Fixed { bits: 64, fraction: FRACTION }, interval)
}

/// Outputs of a circuit of lookups: their types, in the order of the ports.
#[derive(Default)]
pub struct Ports(pub Vec<(Element, Interval)>);

impl Ports {
    /// An output port of fixed point, one value per line.
    pub fn values(&mut self, c: &mut Builder, lines: &[Wire], values: &[i128]) {
        let interval = hull(values.iter().copied()).expect("a table has rows");
        let element = element_of(interval);
        let Element::Fixed { bits, .. } = element else { unreachable!("fixed point") };
        let out: Vec<Wire> = (0..bits).map(|bit| any_of(c, lines, values, bit)).collect();
        c.output(&out);
        self.0.push((element, interval));
    }

    /// Output ports for the coefficients.
    pub fn rows(&mut self, c: &mut Builder, lines: &[Wire], rows: &[Row]) {
        for power in 0..5 {
            let column: Vec<i128> = rows.iter().map(|row| row[power]).collect();
            self.values(c, lines, &column);
        }
    }

    /// An output port of one bit.
    pub fn bit(&mut self, c: &mut Builder, wire: Wire) {
        c.output(&[wire]);
        self.0.push((Element::Bit, Element::Bit.interval()));
    }

    /// An output port of a number in `[0, 1)`, of [`FRACTION`] bits.
    pub fn unit(&mut self, c: &mut Builder, wires: &[Wire]) {
        let interval = Interval { low: 0, high: (1 << FRACTION) - 1 };
        let zero = c.constant(false);
        c.output(&[wires, &[zero]].concat());
        self.0.push((element_of(interval), interval));
    }
}

/// Whether the chosen line's value has a bit.
pub fn any_of(c: &mut Builder, lines: &[Wire], values: &[i128], bit: u8) -> Wire {
    let chosen: Vec<Wire> = lines
        .iter()
        .zip(values)
        .filter(|(_, v)| *v >> bit & 1 == 1)
        .map(|(&line, _)| line)
        .collect();
    if chosen.len() == lines.len() {
        return c.constant(true);
    }
    c.xor_all(&chosen)
}

/// One line for each value of a word, of which one is set.
pub fn one_hot(c: &mut Builder, word: &[Wire]) -> Vec<Wire> {
    match word {
        [] => vec![c.constant(true)],
        &[bit] => vec![c.not(bit), bit],
        _ => {
            let (low, high) = word.split_at(word.len() / 2);
            let (low, high) = (one_hot(c, low), one_hot(c, high));
            let pairs: Vec<(Wire, Wire)> =
                high.iter().flat_map(|&h| low.iter().map(move |&l| (h, l))).collect();
            pairs.into_iter().map(|(h, l)| c.and2(h, l)).collect()
        }
    }
}

/// Lines for a two's complement word that is brought into `first..=last`, and whether it was
/// above. `within` is where the word lies anyway.
pub fn clamped_lines(
    c: &mut Builder,
    word: &[Wire],
    (first, last): (i128, i128),
    within: Interval,
) -> (Vec<Wire>, Wire) {
    let bits_needed = 128 - (last - first).leading_zeros();
    let width = word.len().max(bits_needed as usize + 1);
    let sign = *word.last().expect("a sign");
    let mut low: Vec<Wire> = word.to_vec();
    low.resize(width, sign);
    let above = outside(c, &low, Relation::Greater, last, within.high > last);
    let below = outside(c, &low, Relation::Less, first, within.low < first);
    low.truncate(bits_needed as usize);
    for (bit, end) in [(above, last), (below, first)] {
        let end = bits::constant(c, end as u128, low.len());
        low = bits::choose(c, bit, &end, &low);
    }
    let hot = one_hot(c, &low);
    let modulus = hot.len() as i128;
    let lines = (first..=last).map(|v| hot[v.rem_euclid(modulus) as usize]).collect();
    (lines, above)
}

fn outside(c: &mut Builder, word: &[Wire], relation: Relation, end: i128, possible: bool) -> Wire {
    if !possible {
        return c.constant(false);
    }
    let end = bits::constant(c, end as u128, word.len());
    compare(c, relation, true, word, &end, FanIn::TWO)
}

/// Horner's rule.
pub fn polynomial(emitter: &mut Emitter<'_>, coefficients: &[ValueId], t: ValueId) -> ValueId {
    let (&last, others) = coefficients.split_last().expect("has coefficients");
    others.iter().rev().fold(last, |value, &coefficient| {
        let value = product(emitter, value, t);
        sum(emitter, value, coefficient)
    })
}
