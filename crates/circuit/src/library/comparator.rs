//! Comparators (`docs/spec/circuits.md` section 3).
//!
//! | form | depth | size |
//! |---|---|---|
//! | [`greater_prefix`] | `1 + ceil(log_F n)` | products of all prefixes, Fischlin's design |
//! | [`compare`] (select tree) | `ceil(log_F (n+1))` | less than half of it |
//! | [`equal`] | `ceil(log_F n)` | an AND tree |

use super::adder::published_radices;
use super::and_tree;
use super::bits::FanIn;
use super::scan::{Block, scan_levels};
use super::select_tree::SelectTree;
use crate::{Builder, Wire};

/// Which order is tested, as in `x > y`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `x > y`
    Greater,
    /// `x >= y`
    GreaterEqual,
    /// `x < y`
    Less,
    /// `x <= y`
    LessEqual,
}

/// Compares two words of one width by the select tree; `signed` takes them as
/// two's complement.
///
/// # Panics
/// If the operands are empty or differ in width.
pub fn compare(
    b: &mut Builder,
    relation: Relation,
    signed: bool,
    x: &[Wire],
    y: &[Wire],
    fan_in: FanIn,
) -> Wire {
    let tree = SelectTree::new(x.len() + 1, fan_in, 0);
    compare_with(b, &tree, relation, signed, x, y)
}

/// [`compare`] over a tree planned once for `width + 1` positions.
pub(crate) fn compare_with(
    b: &mut Builder,
    tree: &SelectTree,
    relation: Relation,
    signed: bool,
    x: &[Wire],
    y: &[Wire],
) -> Wire {
    assert!(!x.is_empty() && x.len() == y.len(), "operands of one width");
    let (x, y) = match relation {
        Relation::Greater | Relation::GreaterEqual => (x, y),
        Relation::Less | Relation::LessEqual => (y, x),
    };
    let (x, y) = (ordered(b, x, signed), ordered(b, y, signed));
    let or_equal = matches!(relation, Relation::GreaterEqual | Relation::LessEqual);
    let mut blocks = vec![Block::carry_in(b.constant(or_equal))];
    for (&x, &y) in x.iter().zip(&y) {
        // The highest differing bit decides, and x > y iff x holds the 1.
        let same = equal_bit(b, x, y);
        blocks.push(Block::bit(x, same));
    }
    tree.carry_out(b, &blocks)
}

/// The word whose unsigned order is the wanted one: two's complement becomes
/// offset binary when the sign bit is inverted.
fn ordered(b: &mut Builder, x: &[Wire], signed: bool) -> Vec<Wire> {
    let mut word = x.to_vec();
    if signed {
        let top = word.len() - 1;
        word[top] = b.not(word[top]);
    }
    word
}

fn equal_bit(b: &mut Builder, x: Wire, y: Wire) -> Wire {
    let differ = b.xor(x, y);
    b.not(differ)
}

/// `x == y`: the cheapest AND tree over the equal bits.
pub fn equal(b: &mut Builder, x: &[Wire], y: &[Wire], fan_in: FanIn) -> Wire {
    assert_eq!(x.len(), y.len(), "operands of one width");
    let same: Vec<Wire> = x.iter().zip(y).map(|(&x, &y)| equal_bit(b, x, y)).collect();
    and_tree::cheapest(b, &same, fan_in)
}

/// Results of Fischlin's comparator.
pub struct PrefixComparison {
    /// `x > y`, unsigned.
    pub greater: Wire,
    /// `x == y`, the last prefix product; dead unless read.
    pub equal: Wire,
}

/// Fischlin's comparator (`docs/spec/circuits.md` section 3.1): the XOR over `i` of `x_i !y_i` times the
/// product of the equal bits above, all prefix products by a scan from the top.
/// Kept beside [`compare`] to reproduce the published sizes.
pub fn greater_prefix(b: &mut Builder, x: &[Wire], y: &[Wire], fan_in: FanIn) -> PrefixComparison {
    assert!(!x.is_empty() && x.len() == y.len(), "operands of one width");
    let same: Vec<Wire> = x.iter().zip(y).rev().map(|(&x, &y)| equal_bit(b, x, y)).collect();
    let above = prefix_products(b, &same, fan_in);
    let mut terms = Vec::with_capacity(x.len());
    for (i, (&x, &y)) in x.iter().zip(y).rev().enumerate() {
        let mut factors = vec![x, b.not(y)];
        if fan_in == FanIn::TWO {
            factors = vec![b.and(&factors)];
        }
        factors.extend(i.checked_sub(1).map(|above_i| above[above_i]));
        terms.push(b.and(&factors));
    }
    PrefixComparison { greater: b.xor_all(&terms), equal: above[above.len() - 1] }
}

/// Products of the first bits: of one, of two, and so on to all of them.
pub fn prefix_products(b: &mut Builder, bits: &[Wire], fan_in: FanIn) -> Vec<Wire> {
    let mut radices = published_radices(bits.len(), fan_in);
    if radices == [8, 4] {
        radices.reverse(); // the published 32-bit comparator takes the small radix first
    }
    let mut products = bits.to_vec();
    for level in scan_levels(bits.len(), &radices) {
        let merged: Vec<(usize, Wire)> = level
            .iter()
            .map(|m| {
                let mut factors = vec![products[m.at]];
                factors.extend(m.lower.iter().map(|&i| products[i]));
                (m.at, b.and(&factors))
            })
            .collect();
        for (at, product) in merged {
            products[at] = product;
        }
    }
    products
}
