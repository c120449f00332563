//! Multipliers (`docs/spec/circuits.md` section 5): the array, and carry-save trees by
//! AND level. Any two widths, and any number of product bits, so that the same
//! code gives the full `2n`-bit product and the product modulo `2^n`.
//!
//! | form | depth | ANDs |
//! |---|---|---|
//! | [`array()`] | `2n - 1` | `2n^2 - n` |
//! | [`carry_save`] | 1 + levels of [`level_targets`] + `ceil(log_F 2n)` | about `2 n^2` at fan-in 2, `3.1 n^2` at 4 |

use super::adder;
use super::bits::{self, FanIn};
use super::carry_save::{Columns, level_targets, sum_columns};
use crate::{Builder, Wire, gate_bits};

/// Whether full adders share the AND level of the partial products.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fusion {
    /// Never: smallest.
    Off,
    /// Where it saves a level at moderate cost; see [`carry_save`].
    Auto,
    /// Until no column is higher than this.
    To(usize),
}

/// Shift-and-add array: `x.len() * y.len()` partial products and one AND per adder.
/// Returns the low `width` product bits.
///
/// # Panics
/// If an operand is empty or `width` exceeds the sum of the operands' widths.
pub fn array(b: &mut Builder, x: &[Wire], y: &[Wire], width: usize) -> Vec<Wire> {
    check(x, y, width);
    let mut product = Vec::with_capacity(width);
    let mut row = bits::mask(b, y[0], &x[..x.len().min(width)]);
    for (i, &bit) in y.iter().enumerate().take(width).skip(1) {
        product.push(row.remove(0));
        let left = width - i;
        let partial = bits::mask(b, bit, &x[..x.len().min(left)]);
        let running = bits::shifted(b, &row, 0, partial.len());
        row = adder::ripple(b, &running, &partial, None, left > x.len());
    }
    product.extend(row);
    bits::shifted(b, &product, 0, width)
}

fn check(x: &[Wire], y: &[Wire], width: usize) {
    assert!(!x.is_empty() && !y.is_empty(), "operands have at least one bit");
    assert!(
        (1..=x.len() + y.len()).contains(&width),
        "a product of {} + {} bits",
        x.len(),
        y.len()
    );
}

/// Carry-save multiplier: partial products, reduction by AND levels, select adder.
/// Returns the low `width` product bits.
///
/// With [`Fusion`], full adders on three partial products are computed in the
/// level of the products themselves (their carry is three 4-input ANDs of operand
/// bits), until every column fits the next lower level target. `Auto` does so where
/// it takes at most one bit (at fan-in 8, ten bits) per partial product.
///
/// # Panics
/// If an operand is empty or `width` exceeds the sum of the operands' widths.
pub fn carry_save(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    width: usize,
    fan_in: FanIn,
    fusion: Fusion,
) -> Vec<Wire> {
    let columns = partial_products(b, x, y, width, fan_in, fusion);
    sum_columns(b, columns, fan_in)
}

/// The low `width` bits of `x * y`, both taken as two's complement. Up to the
/// narrower operand's width that is [`carry_save`]; above, products of one sign bit
/// count negatively (Baugh and Wooley): `-p` is `!p - 1`, and the constants are collected.
pub fn carry_save_signed(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    width: usize,
    fan_in: FanIn,
) -> Vec<Wire> {
    check(x, y, width);
    let columns = signed_columns(b, x, y, width);
    sum_columns(b, columns, fan_in)
}

/// Bits whose sum is `x * y` modulo `2^width`, both taken as two's complement: the partial products
/// of [`carry_save_signed`].
pub fn signed_columns(b: &mut Builder, x: &[Wire], y: &[Wire], width: usize) -> Columns {
    let mut columns: Columns = vec![Vec::new(); width];
    let mut correction = vec![false; width];
    for (i, &p) in x.iter().enumerate() {
        for (k, &q) in y.iter().enumerate().take_while(|(k, _)| i + k < width) {
            let product = b.and2(p, q);
            let negative = (i + 1 == x.len()) != (k + 1 == y.len());
            columns[i + k].push(if negative { b.not(product) } else { product });
            if negative {
                subtract_power(&mut correction, i + k);
            }
        }
    }
    for (column, _) in columns.iter_mut().zip(correction).filter(|(_, bit)| *bit) {
        column.push(b.constant(true));
    }
    columns
}

/// `number - 2^at`, modulo 2 to its number of bits.
fn subtract_power(number: &mut [bool], at: usize) {
    for bit in &mut number[at..] {
        *bit = !*bit;
        if !*bit {
            return;
        }
    }
}

/// Partial products of column `j`.
fn column_height(n: usize, m: usize, j: usize) -> usize {
    (j + 1).min(n).min(m).min((n + m - 1).saturating_sub(j))
}

/// The next lower level target, if reaching it by fused adders is cheap.
fn automatic_limit(n: usize, m: usize, width: usize, fan_in: FanIn) -> Option<usize> {
    let height = (0..width).map(|j| column_height(n, m, j)).max()?;
    let targets = level_targets(height, fan_in);
    let limit = *targets.iter().rev().find(|&&t| t < height)?;
    let price = if fan_in == FanIn::EIGHT { 10 } else { 1 };
    (limit > 3 && fused_bits(n, m, width, limit) <= price * (n * m) as u64).then_some(limit)
}

/// Bits per direction of the fused adders that bring every column to `limit`.
fn fused_bits(n: usize, m: usize, width: usize, limit: usize) -> u64 {
    let (mut bits, mut carries) = (0, 0);
    for j in 0..width {
        let mut partials = vec![1u64; column_height(n, m, j)];
        let arriving = std::mem::take(&mut carries);
        while partials.len() >= 3 && partials.len() + arriving > limit {
            partials.sort_unstable();
            let (p, q, r) = (partials[0], partials[1], partials[2]);
            partials.splice(..3, [p + q + r]);
            bits += (p * q + p * r + q * r) * gate_bits(4);
            carries += 1;
        }
    }
    bits
}

/// A bit of the first level: the operand pairs whose products it is the XOR of.
struct Partial {
    pairs: Vec<[Wire; 2]>,
    wire: Wire,
}

/// Gives the partial products by column, and with fusion the carries of first-level adders, for [`carry_save`] to add
/// up.
///
/// # Panics
/// If [`carry_save`] would panic: operands are empty, or the width is larger than that of the product.
pub fn partial_products(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    width: usize,
    fan_in: FanIn,
    fusion: Fusion,
) -> Columns {
    check(x, y, width);
    let limit = match fusion {
        _ if fan_in < FanIn::FOUR => None,
        Fusion::Off => None,
        Fusion::To(limit) => Some(limit.max(2)),
        Fusion::Auto => automatic_limit(x.len(), y.len(), width, fan_in),
    };
    let mut columns: Columns = vec![Vec::new(); width + 1];
    for j in 0..width {
        let mut partials = Vec::new();
        for (i, &bit) in y.iter().enumerate().take(j + 1) {
            if let Some(&other) = x.get(j - i) {
                partials.push(Partial { pairs: vec![[other, bit]], wire: b.and2(other, bit) });
            }
        }
        while limit
            .is_some_and(|limit| partials.len() >= 3 && partials.len() + columns[j].len() > limit)
        {
            let carry = fuse_adder(b, &mut partials);
            columns[j + 1].push(carry);
        }
        columns[j].extend(partials.iter().map(|p| p.wire));
    }
    columns.truncate(width);
    columns
}

/// Replaces the three partials of fewest products by their sum; returns their
/// carry, the XOR of pairwise products of operand bits, in the same level.
fn fuse_adder(b: &mut Builder, partials: &mut Vec<Partial>) -> Wire {
    partials.sort_by_key(|p| p.pairs.len());
    let three: Vec<Partial> = partials.drain(..3).collect();
    let mut terms = Vec::new();
    for (p, q) in [(0, 1), (0, 2), (1, 2)] {
        for [u, v] in &three[p].pairs {
            for [s, t] in &three[q].pairs {
                terms.push(b.and(&[*u, *v, *s, *t]));
            }
        }
    }
    let wires: Vec<Wire> = three.iter().map(|p| p.wire).collect();
    partials.push(Partial {
        pairs: three.into_iter().flat_map(|p| p.pairs).collect(),
        wire: b.xor_all(&wires),
    });
    b.xor_all(&terms)
}
