//! Counters: how many of a column's bits are set (`docs/spec/circuits.md` section 5.1).
//!
//! | counter | levels | gates |
//! |---|---|---|
//! | 3:2 (full adder) | 1 | one 2-input |
//! | 7:3 | 1 | three 2-, two 3-, three 4-input: 44 bits |
//! | 15:4 | 1 | 440 gates up to 8 inputs: 31,434 bits; never worth it |

use crate::{Builder, Wire};
use std::collections::BTreeSet;

/// Majority of three with one AND: `(x + z)(y + z) + z`.
pub fn majority(b: &mut Builder, x: Wire, y: Wire, z: Wire) -> Wire {
    let carry = full_adder(b, x, y, z).1;
    carry.wire(b)
}

/// A full adder's carry, not yet computed: `u v + l`. Written out only where it
/// is wanted, so that several carries can be multiplied in the same level.
#[derive(Clone, Copy)]
pub(crate) struct Carry {
    pub u: Wire,
    pub v: Wire,
    pub l: Wire,
}

impl Carry {
    /// The carry as a wire: one AND.
    pub fn wire(self, b: &mut Builder) -> Wire {
        let product = b.and2(self.u, self.v);
        b.xor(product, self.l)
    }
}

/// Sum (free) and carry of three bits; `l` is the third of them.
pub(crate) fn full_adder(b: &mut Builder, x: Wire, y: Wire, z: Wire) -> (Wire, Carry) {
    let carry = Carry { u: b.xor(x, z), v: b.xor(y, z), l: z };
    (b.xor_all(&[x, y, z]), carry)
}

/// One adder of a chain along a column: running sum in, two bits, running sum out.
#[derive(Clone, Copy)]
pub(crate) struct ChainedAdder {
    pub carry: Carry,
    /// The chain's sum before the adder, its two bits, and the sum after it;
    /// absent for a half adder.
    pub bits: Option<(Wire, Wire, Wire, Wire)>,
}

impl ChainedAdder {
    /// Adds two bits to a running sum.
    pub fn full(b: &mut Builder, running: Wire, x: Wire, y: Wire) -> (Wire, ChainedAdder) {
        let (sum, carry) = full_adder(b, running, x, y);
        (sum, ChainedAdder { carry, bits: Some((running, x, y, sum)) })
    }

    /// Adds one bit to a running sum; its carry is their product.
    pub fn half(b: &mut Builder, running: Wire, x: Wire) -> (Wire, ChainedAdder) {
        let carry = Carry { u: running, v: x, l: b.constant(false) };
        (b.xor(running, x), ChainedAdder { carry, bits: None })
    }

    /// Gives this carry in the form with `l = NOT sum`: `(p + y + 1)(x + y + 1) + sum + 1`.
    fn with_not_sum(self, b: &mut Builder) -> Carry {
        let Some((running, x, y, sum)) = self.bits else { return self.carry };
        let (u, v) = (b.xor(running, y), b.xor(x, y));
        Carry { u: b.not(u), v: b.not(v), l: b.not(sum) }
    }

    /// Gives this carry in the form where `l` is the running sum that came in.
    fn with_running(self, b: &mut Builder) -> Carry {
        let Some((running, x, y, _)) = self.bits else { return self.carry };
        Carry { u: b.xor(x, running), v: b.xor(y, running), l: running }
    }
}

/// Adds two or three carries of one chain within the level that computes them:
/// (their parity, of the carries' weight; their majority, of twice that weight).
///
/// The carry forms are chosen so that the linear parts of the second and third
/// adder are complements, which makes most cross terms of the majority vanish.
pub(crate) fn fold(b: &mut Builder, chain: &[ChainedAdder]) -> (Wire, Wire) {
    match *chain {
        [first, second] => {
            let (c, d) = (first.carry, second.carry);
            (parity(b, &[c, d]), both(b, c, d))
        }
        [first, second, third] => {
            let carries = [first.carry, second.with_not_sum(b), third.with_running(b)];
            (parity(b, &carries), majority_of_carries(b, carries))
        }
        _ => unreachable!("two or three carries are folded at a time"),
    }
}

fn parity(b: &mut Builder, carries: &[Carry]) -> Wire {
    let wires: Vec<Wire> = carries.iter().map(|c| c.wire(b)).collect();
    b.xor_all(&wires)
}

/// The product of two carries, expanded to one level.
fn both(b: &mut Builder, c: Carry, d: Carry) -> Wire {
    let terms = [
        b.and(&[c.u, c.v, d.u, d.v]),
        b.and(&[c.u, c.v, d.l]),
        b.and(&[d.u, d.v, c.l]),
        b.and2(c.l, d.l),
    ];
    b.xor_all(&terms)
}

/// Majority of three carries, expanded to one level.
fn majority_of_carries(b: &mut Builder, carries: [Carry; 3]) -> Wire {
    let [c, d, e] = carries;
    let pair_terms = [(c, d), (c, e), (d, e)].map(|(p, q)| b.and(&[p.u, p.v, q.u, q.v]));
    let single_terms = [(c, d, e), (d, c, e), (e, c, d)].map(|(own, p, q)| {
        let others = b.xor(p.l, q.l);
        b.and(&[own.u, own.v, others])
    });
    let linear = majority(b, c.l, d.l, e.l);
    let mut terms = vec![linear];
    terms.extend(pair_terms);
    terms.extend(single_terms);
    b.xor_all(&terms)
}

/// 7:3 counter: weights 1, 2 and 4, in one level of gates of up to four inputs.
pub fn seven_to_three(b: &mut Builder, x: [Wire; 7]) -> [Wire; 3] {
    let mut sum = x[0];
    let chain: Vec<ChainedAdder> = x[1..]
        .chunks(2)
        .map(|pair| {
            let (next, adder) = ChainedAdder::full(b, sum, pair[0], pair[1]);
            sum = next;
            adder
        })
        .collect();
    let (twos, fours) = fold(b, &chain);
    [sum, twos, fours]
}

/// 15:4 counter: weights 1, 2, 4 and 8, in one level of gates of up to eight
/// inputs. Provided for completeness: seven full adders and a 7:3 counter do the
/// same in two levels for 51 bits.
pub fn fifteen_to_four(b: &mut Builder, x: [Wire; 15]) -> [Wire; 4] {
    let mut sum = x[0];
    let mut carries = Vec::with_capacity(7);
    for pair in x[1..].chunks(2) {
        let (next, carry) = full_adder(b, sum, pair[0], pair[1]);
        sum = next;
        carries.push(Products::carry(b, carry));
    }
    let (p, c1) = Products::add3(b, &carries[0], &carries[1], &carries[2]);
    let (q, c2) = Products::add3(b, &carries[3], &carries[4], &carries[5]);
    let (twos, c3) = Products::add3(b, &p, &q, &carries[6]);
    let (fours, eights) = Products::add3(b, &c1, &c2, &c3);
    [sum, twos.emit(b), fours.emit(b), eights.emit(b)]
}

/// An XOR of products of wires: several levels of arithmetic flattened into one.
/// All products of one wire are kept as a single linear wire.
#[derive(Clone)]
struct Products(BTreeSet<BTreeSet<Wire>>);

impl Products {
    fn carry(b: &mut Builder, c: Carry) -> Products {
        Products([BTreeSet::from([c.u, c.v]), BTreeSet::from([c.l])].into()).normal(b)
    }

    fn plus(&self, other: &Products) -> Products {
        Products(self.0.symmetric_difference(&other.0).cloned().collect())
    }

    fn times(&self, other: &Products) -> Products {
        let mut product = BTreeSet::new();
        for term in self.0.iter().flat_map(|p| other.0.iter().map(move |q| p | q)) {
            if !product.remove(&term) {
                product.insert(term);
            }
        }
        Products(product)
    }

    /// Merges the linear terms into one wire.
    fn normal(self, b: &mut Builder) -> Products {
        let (linear, mut rest): (BTreeSet<_>, BTreeSet<_>) =
            self.0.into_iter().partition(|t| t.len() == 1);
        let wires: Vec<Wire> = linear.into_iter().flatten().collect();
        let wire = b.xor_all(&wires);
        if wire == b.constant(true) {
            let one = BTreeSet::new();
            if !rest.remove(&one) {
                rest.insert(one);
            }
        } else if wire != b.constant(false) {
            rest.insert(BTreeSet::from([wire]));
        }
        Products(rest)
    }

    /// Sum and carry of three flattened bits.
    fn add3(b: &mut Builder, p: &Products, q: &Products, r: &Products) -> (Products, Products) {
        let sum = p.plus(q).plus(r).normal(b);
        let (u, v) = (p.plus(r).normal(b), q.plus(r).normal(b));
        (sum, u.times(&v).plus(r).normal(b))
    }

    fn emit(&self, b: &mut Builder) -> Wire {
        let terms: Vec<Wire> =
            self.0.iter().map(|t| b.and(&t.iter().copied().collect::<Vec<_>>())).collect();
        b.xor_all(&terms)
    }
}
