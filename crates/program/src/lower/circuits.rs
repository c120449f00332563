//! Circuits for division, remainder and square root of integers of any widths, rounded down.
//!
//! Depth: one adder of fan-in 2 (a logarithm of its width, if it is a select adder) per bit of the result's
//! magnitude; size: one adder per such bit, of one AND per bit in ripple form.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use tacit_circuit::library::adder::{self, AdderForm};
use tacit_circuit::library::{FanIn, and_tree, bits};
use tacit_circuit::{Builder, Circuit, Wire};

/// What a port holds: its width, the bits of it that values need, and their sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    /// Bits of the port.
    pub width: u32,
    /// The low bits that determine the value.
    pub bits: u32,
    /// Whether those are in two's complement and values may be negative.
    pub signed: bool,
}

impl Port {
    /// The bits of the magnitude.
    fn input(self, b: &mut Builder) -> Vec<Wire> {
        let mut wires = b.input(self.width);
        wires.truncate(self.bits as usize);
        wires
    }
}

/// One of these circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Drawn {
    /// [`divide_floor`].
    Quotient { a: Port, b: Port, shift: u32 },
    /// [`remainder_floor`].
    Remainder { a: Port, b: Port },
    /// [`square_root`].
    Root { a: Port, shift: u32 },
}

/// Circuits that are kept for the whole process: more than programs have, and bounded all the same.
const MOST_KEPT: usize = 256;

impl Drawn {
    /// The circuit, drawn once in this process: a plan lowers a program for every protocol.
    pub fn circuit(self, width: u32, form: AdderForm) -> Arc<Circuit> {
        type Kept = HashMap<(Drawn, u32, AdderForm), Arc<Circuit>>;
        static ALL: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
        let all = || ALL.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (self, width, form);
        if let Some(known) = all().get(&key) {
            return known.clone();
        }
        // Not under the lock: others draw other ones meanwhile.
        let circuit = Arc::new(match self {
            Drawn::Quotient { a, b, shift } => divide_floor(a, b, shift, width, form),
            Drawn::Remainder { a, b } => remainder_floor(a, b, width, form),
            Drawn::Root { a, shift } => square_root(a, shift, width, form),
        });
        let mut all = all();
        if all.len() >= MOST_KEPT {
            all.clear();
        }
        all.entry(key).or_insert(circuit).clone()
    }
}

/// `floor(a 2^shift / b)`, zero where `b` is zero; output of `width` bits, two's complement.
#[must_use]
pub fn divide_floor(a: Port, b: Port, shift: u32, width: u32, form: AdderForm) -> Circuit {
    let mut c = Builder::new();
    let (x, y) = (a.input(&mut c), b.input(&mut c));
    let division = divide(&mut c, form, (x, a.signed), (y, b.signed), shift);
    let quotient = bits::mask(&mut c, division.defined, &division.quotient);
    let out = extend(&mut c, &quotient, a.signed || b.signed, width);
    c.output(&out);
    c.finish()
}

/// `a - b floor(a / b)`, zero where `b` is zero; output of `width` bits, two's complement.
#[must_use]
pub fn remainder_floor(a: Port, b: Port, width: u32, form: AdderForm) -> Circuit {
    let mut c = Builder::new();
    let (x, y) = (a.input(&mut c), b.input(&mut c));
    let division = divide(&mut c, form, (x, a.signed), (y, b.signed), 0);
    let remainder = bits::mask(&mut c, division.defined, &division.remainder);
    let out = extend(&mut c, &remainder, a.signed || b.signed, width);
    c.output(&out);
    c.finish()
}

/// `floor(sqrt(a 2^shift))`, zero of negative values; output of `width` bits.
#[must_use]
pub fn square_root(a: Port, shift: u32, width: u32, form: AdderForm) -> Circuit {
    let mut c = Builder::new();
    let mut x = a.input(&mut c);
    if a.signed {
        let sign = x.pop().expect("a sign");
        let positive = c.not(sign);
        x = bits::mask(&mut c, positive, &x);
    }
    let radicand = [bits::zeros(&mut c, shift as usize), x].concat();
    let root = root(&mut c, form, &radicand);
    let out = extend(&mut c, &root, false, width);
    c.output(&out);
    c.finish()
}

/// Cut, or extended by zeros or the sign.
fn extend(c: &mut Builder, x: &[Wire], signed: bool, width: u32) -> Vec<Wire> {
    let zero = c.constant(false);
    let fill = if signed { x.last().copied().unwrap_or(zero) } else { zero };
    (0..width as usize).map(|i| x.get(i).copied().unwrap_or(fill)).collect()
}

/// Quotient and remainder, one bit longer than their magnitudes if anything was signed, and
/// whether the divisor is not zero.
struct Division {
    quotient: Vec<Wire>,
    remainder: Vec<Wire>,
    defined: Wire,
}

/// With `b > 0` (else both are negated): `floor(a / b) = ~floor(~a / b)` for negative `a`, and
/// the remainder is `b - 1` less that of `~a`. Complements are free.
fn divide(
    c: &mut Builder,
    form: AdderForm,
    (a, a_signed): (Vec<Wire>, bool),
    (b, b_signed): (Vec<Wire>, bool),
    shift: u32,
) -> Division {
    let zero = c.constant(false);
    let clear = bits::not(c, &b);
    let undefined = and_tree::cheapest(c, &clear, FanIn::TWO);
    let defined = c.not(undefined);
    let flip = if b_signed { b[b.len() - 1] } else { zero };
    let divisor = negate_if(c, form, flip, &b);
    let mut dividend = a;
    if b_signed {
        // One more bit, for the negation of the least value.
        let top = if a_signed { dividend[dividend.len() - 1] } else { zero };
        dividend.push(top);
        dividend = negate_if(c, form, flip, &dividend);
    }
    let signed = a_signed || b_signed;
    let sign = if signed { dividend.pop().expect("a sign") } else { zero };
    let dividend = [bits::zeros(c, shift as usize), dividend].concat();
    let magnitude = xor_all(c, &dividend, sign);
    let (quotient, rest) = divide_unsigned(c, form, &magnitude, &divisor);
    let mut quotient = xor_all(c, &quotient, sign);
    let mut remainder = rest;
    if signed {
        quotient.push(sign);
        remainder = signed_remainder(c, form, &remainder, &divisor, [sign, flip]);
    }
    Division { quotient, remainder, defined }
}

/// `r`, or `b - 1 - r` where the dividend was negative; negated where the divisor was.
fn signed_remainder(
    c: &mut Builder,
    form: AdderForm,
    rest: &[Wire],
    divisor: &[Wire],
    [negative, flip]: [Wire; 2],
) -> Vec<Wire> {
    let width = divisor.len() + 1;
    let base = bits::mask(c, negative, divisor);
    let base = bits::shifted(c, &base, 0, width);
    let rest = bits::shifted(c, rest, 0, width);
    let rest = xor_all(c, &rest, negative);
    // b + ~r = b - 1 - r.
    let sum = adder::add(c, form, &base, &rest, None, false, FanIn::TWO);
    negate_if(c, form, flip, &sum)
}

/// `-x` if the bit is set.
fn negate_if(c: &mut Builder, form: AdderForm, sign: Wire, x: &[Wire]) -> Vec<Wire> {
    let (zero, flipped) = (bits::zeros(c, x.len()), xor_all(c, x, sign));
    adder::add(c, form, &zero, &flipped, Some(sign), false, FanIn::TWO)
}

fn xor_all(c: &mut Builder, x: &[Wire], bit: Wire) -> Vec<Wire> {
    x.iter().map(|&x| c.xor(x, bit)).collect()
}

/// Non-restoring division of words of any two widths: the partial remainder stays in `[-b, b)`,
/// so a step adds or subtracts `b` modulo `2^(b.len() + 1)`. The remainder has `b`'s width.
fn divide_unsigned(
    c: &mut Builder,
    form: AdderForm,
    a: &[Wire],
    b: &[Wire],
) -> (Vec<Wire>, Vec<Wire>) {
    let width = b.len() + 1;
    let divisor = bits::shifted(c, b, 0, width);
    let mut remainder = bits::zeros(c, width);
    let mut subtracts = c.constant(true);
    let mut quotient = Vec::with_capacity(a.len());
    for &bit in a.iter().rev() {
        remainder.pop();
        remainder.insert(0, bit);
        let operand = xor_all(c, &divisor, subtracts);
        let carry = Some(subtracts);
        remainder = adder::add(c, form, &remainder, &operand, carry, false, FanIn::TWO);
        subtracts = c.not(remainder[width - 1]);
        quotient.push(subtracts);
    }
    quotient.reverse();
    let negative = remainder.pop().expect("a sign");
    let back = bits::mask(c, negative, b);
    let rest = adder::add(c, form, &remainder, &back, None, false, FanIn::TWO);
    (quotient, rest)
}

/// Non-restoring digit recurrence: with root `q` so far and remainder `r`, the next two bits of
/// the radicand come in and `4 q + 1` is subtracted, or, if `r` was negative, `4 q + 3` added. The
/// next bit of the root is 1 iff the new remainder is not negative.
fn root(c: &mut Builder, form: AdderForm, radicand: &[Wire]) -> Vec<Wire> {
    let zero = c.constant(false);
    let one = c.constant(true);
    let mut radicand = radicand.to_vec();
    if radicand.len() % 2 == 1 {
        radicand.push(zero);
    }
    // Most significant bit first.
    let mut root: Vec<Wire> = Vec::new();
    let mut remainder: Vec<Wire> = Vec::new();
    let mut subtracts = one;
    for pair in radicand.rchunks(2) {
        let width = root.len() + 3;
        let sign = remainder.last().copied().unwrap_or(zero);
        remainder.splice(0..0, [pair[0], pair[1]]);
        remainder.resize(width, sign);
        // ~(4 q + 1) = ..~q 10 or 4 q + 3 = ..q 11, as the sign says; the carry makes it minus.
        let not_subtracts = c.not(subtracts);
        let mut operand = vec![not_subtracts, one];
        for &bit in root.iter().rev() {
            operand.push(c.xor(bit, subtracts));
        }
        operand.resize(width, subtracts);
        let carry = Some(subtracts);
        remainder = adder::add(c, form, &remainder, &operand, carry, false, FanIn::TWO);
        subtracts = c.not(remainder[width - 1]);
        root.push(subtracts);
    }
    root.reverse();
    root
}
