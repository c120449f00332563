//! Division and square root as operations of the target, or by circuits, on the fewest bits that hold the operands; by constant
//! powers of two, shifts.

use super::circuits::{Drawn, Port};
use super::emit::{Emitter, narrowest};
use super::target::{DivisionSizes, root_bits};
use crate::infer::{quotients, range, width};
use crate::ir::{Op, ValueId};
use crate::types::{Element, Interval, Type, Visibility};
use std::sync::Arc;
use tacit_circuit::Circuit;

/// A value in its narrowest type, and the port for it.
fn port(emitter: &mut Emitter<'_>, value: ValueId) -> (ValueId, Port) {
    let value = emitter.narrowed(value);
    let ty = emitter.ty(value);
    let signed = ty.interval.low < 0;
    let bits = ty.interval.signed_bits() - u32::from(!signed);
    (value, Port { width: width(ty.element), bits: bits.max(1), signed })
}

/// A circuit of one result.
fn apply(
    emitter: &mut Emitter<'_>,
    name: String,
    circuit: Arc<Circuit>,
    operands: &[ValueId],
    (element, interval): (Element, Interval),
) -> ValueId {
    let shape = emitter.ty(operands[0]).shape.clone();
    let visibilities = operands.iter().map(|v| emitter.ty(*v).visibility);
    let visibility = visibilities.fold(Visibility::Public, Visibility::join);
    let ty = Type { element, shape, visibility, interval };
    let op = Op::Circuit { name, circuit };
    emitter.push(op, operands, Some(&[ty]))
}

fn result(element: Element, interval: Option<Interval>) -> (Element, Interval) {
    let interval = interval.expect("inferred");
    let grown = crate::infer::element::grow(element, interval).expect("inferred");
    (narrowest(grown, interval), interval)
}

fn common(emitter: &Emitter<'_>, a: ValueId, b: ValueId) -> Element {
    let elements = [emitter.ty(a).element, emitter.ty(b).element];
    crate::infer::element::common(&elements).expect("inferred")
}

/// The integer that fixed point was cast from, if it was.
fn integer_behind(emitter: &Emitter<'_>, value: ValueId) -> Option<ValueId> {
    let node = &emitter.nodes[value.node as usize];
    match (&node.op, node.operands.as_slice()) {
        (Op::Cast(_), &[from]) if matches!(emitter.ty(from).element, Element::Int { .. }) => {
            Some(from)
        }
        _ => None,
    }
}

/// The exponent of a public constant that is a power of two.
fn power_of_two(emitter: &Emitter<'_>, value: ValueId) -> Option<u8> {
    let ty = emitter.ty(value);
    let Interval { low, high } = ty.interval;
    let constant = ty.visibility == Visibility::Public && low == high;
    let power = constant && low > 0 && low & (low - 1) == 0;
    power.then(|| low.trailing_zeros() as u8)
}

fn shifted_right(emitter: &mut Emitter<'_>, a: ValueId, by: u8) -> ValueId {
    match by {
        0 => a,
        by => emitter.push(Op::ShiftRight { by }, &[a], None),
    }
}

/// `floor(a / b)`. Raw values of fixed point are scaled by `2^fraction`, unless the divisor was
/// an integer: then its scale and that cancel.
pub fn quotient(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId, bits: Option<u8>) -> ValueId {
    let element = common(emitter, a, b);
    let (divisor, shift) = match integer_behind(emitter, b) {
        Some(integer) if element.fraction() > 0 => (integer, 0),
        _ => (b, element.fraction()),
    };
    if let Some(places) = power_of_two(emitter, divisor) {
        return match places.checked_sub(shift) {
            Some(by) => shifted_right(emitter, a, by),
            None => emitter.push(Op::ShiftLeft { by: shift - places }, &[a], None),
        };
    }
    let scaled = range::shift_left(emitter.interval(a), shift).expect("inferred");
    // As many bits as were asked for, or all of them.
    let ways = [bits.map(Some), Some(None)];
    let own = ways.into_iter().flatten().find(|bits| divides(emitter, a, shift, divisor, *bits));
    let bits = own.flatten();
    let out = result(element, quotients(scaled, emitter.interval(divisor), bits));
    if own.is_some() {
        let shape = emitter.ty(a).shape.clone();
        let visibility = emitter.ty(a).visibility.join(emitter.ty(divisor).visibility);
        let ty = Type { element: out.0, shape, visibility, interval: out.1 };
        return emitter.push(Op::Quotient { shift, bits }, &[a, divisor], Some(&[ty]));
    }
    let (a, x) = port(emitter, a);
    let (b, y) = port(emitter, divisor);
    let drawn = Drawn::Quotient { a: x, b: y, shift: shift.into() };
    let circuit = drawn.circuit(width(out.0), emitter.target.adders);
    apply(emitter, format!("divide {}+{shift} by {} bits", x.bits, y.bits), circuit, &[a, b], out)
}

/// Whether the target divides by itself.
fn divides(emitter: &Emitter<'_>, a: ValueId, shift: u8, b: ValueId, bits: Option<u8>) -> bool {
    let sizes = DivisionSizes::of(emitter.interval(a), shift, emitter.interval(b));
    sizes.is_some_and(|sizes| (emitter.target.divides)(sizes, bits))
}

/// `a - b floor(a / b)`.
pub fn remainder(emitter: &mut Emitter<'_>, a: ValueId, b: ValueId) -> ValueId {
    let element = common(emitter, a, b);
    let interval = range::rem(emitter.interval(a), emitter.interval(b));
    if let Some(by) = power_of_two(emitter, b) {
        let whole = shifted_right(emitter, a, by);
        let multiple = emitter.push(Op::ShiftLeft { by }, &[whole], None);
        let rest = emitter.push(Op::Sub { wrap: true }, &[a, multiple], None);
        return emitter.assume(rest, interval);
    }
    if divides(emitter, a, 0, b, None) {
        return emitter.push(Op::Rem, &[a, b], None);
    }
    let out = result(element, Some(interval));
    let (a, x) = port(emitter, a);
    let (b, y) = port(emitter, b);
    let circuit = Drawn::Remainder { a: x, b: y }.circuit(width(out.0), emitter.target.adders);
    apply(emitter, format!("remainder {} by {} bits", x.bits, y.bits), circuit, &[a, b], out)
}

/// `floor(sqrt(a))`.
pub fn root(emitter: &mut Emitter<'_>, a: ValueId) -> ValueId {
    let element = emitter.ty(a).element;
    let shift = element.fraction();
    if (emitter.target.roots)(root_bits(emitter.interval(a), shift)) {
        return emitter.push(Op::Sqrt, &[a], None);
    }
    let out = result(element, range::sqrt(emitter.interval(a), shift));
    let (a, x) = port(emitter, a);
    let drawn = Drawn::Root { a: x, shift: shift.into() };
    let circuit = drawn.circuit(width(out.0), emitter.target.adders);
    apply(emitter, format!("square root {}+{shift} bits", x.bits), circuit, &[a], out)
}
