//! Element-wise operations.

use super::context::Context;
use super::element::{self, describe};
use super::whole::check_type;
use super::{elementary, range};
use crate::domain::{MAX_DECIMALS, Meaning, TEXTS};
use crate::ir::{LEAST_BITS, MOST_BITS, Op};
use crate::types::{Element, Interval, PartyId, Type, Visibility};

/// Whether values are numbers.
pub fn expect_number(ty: &Type) -> Result<(), String> {
    match ty.element {
        Element::Bit => Err("bits where numbers are needed: cast them first".into()),
        _ => Ok(()),
    }
}

fn expect_int(ty: &Type) -> Result<(), String> {
    match ty.element {
        Element::Int { .. } => Ok(()),
        other => Err(format!("{other} where integers are needed: cast it first")),
    }
}

fn expect_fixed(ty: &Type) -> Result<(), String> {
    match ty.element {
        Element::Fixed { .. } => Ok(()),
        other => Err(format!("{other} where fixed point is needed: cast it first")),
    }
}

/// Whether values are bits.
pub fn expect_bits(ty: &Type) -> Result<(), String> {
    match ty.element {
        Element::Bit => Ok(()),
        other => Err(format!("{other} where bits are needed: compare it with something")),
    }
}

/// Arithmetic on numbers of one kind and shape.
pub fn arithmetic(op: &Op, context: &Context<'_>) -> Result<Type, String> {
    context.operands.iter().try_for_each(|t| expect_number(t))?;
    let shape = context.shape()?;
    let elements: Vec<Element> = context.operands.iter().map(|t| t.element).collect();
    let common = element::common(&elements)?;
    if let Op::Add { wrap: true }
    | Op::Sub { wrap: true }
    | Op::Neg { wrap: true }
    | Op::Mul { wrap: true } = op
    {
        return wrapping(context, op);
    }
    if matches!(op, Op::Rem) {
        expect_int(context.operands[0])?;
    }
    if matches!(op, Op::Exp { .. } | Op::Log { .. } | Op::Sigmoid { .. }) {
        expect_fixed(context.operands[0])?;
    }
    if let Op::Exp { bits } | Op::Log { bits } | Op::Sigmoid { bits } | Op::Div { bits: Some(bits) } =
        op
        && !(LEAST_BITS..=MOST_BITS).contains(bits)
    {
        return Err(format!("{bits} right bits: {LEAST_BITS} to {MOST_BITS}"));
    }
    if let Op::ShiftLeft { by } | Op::ShiftRight { by } = op
        && *by > 63
    {
        return Err(format!("a shift by {by} places: at most 63"));
    }
    let a = context.operands[0].interval;
    let b = context.operands.last().expect("has operands").interval;
    context.numbers(&elements, shape, interval(op, a, b, common.fraction()))
}

fn interval(op: &Op, a: Interval, b: Interval, fraction: u8) -> Option<Interval> {
    match op {
        Op::Add { .. } => range::add(a, b),
        Op::Sub { .. } => range::sub(a, b),
        Op::Neg { .. } => range::neg(a),
        Op::Mul { .. } => range::rounded(range::mul(a, b)?, fraction),
        Op::Abs => range::abs(a),
        Op::Min => Some(range::min(a, b)),
        Op::Max => Some(range::max(a, b)),
        Op::ShiftLeft { by } => range::shift_left(a, *by),
        Op::ShiftRight { by } => Some(range::shift_right(a, *by)),
        Op::Div { bits } => quotients(range::shift_left(a, fraction)?, b, *bits),
        Op::Rem => Some(range::rem(a, b)),
        Op::Sqrt => range::sqrt(a, fraction),
        Op::Exp { bits } => exp(a, fraction, *bits),
        Op::Log { bits } => log(a, fraction, *bits),
        Op::Sigmoid { .. } => Some(Interval { low: 0, high: 1 << fraction }),
        _ => None,
    }
}

/// Of quotients, with room for the error of those with a stated number of bits.
pub fn quotients(a: Interval, b: Interval, bits: Option<u8>) -> Option<Interval> {
    let Interval { low, high } = range::div(a, b)?;
    let Some(bits) = bits else { return Some(Interval { low, high }) };
    let room = (low.unsigned_abs().max(high.unsigned_abs()) >> bits) as i128 + 3;
    // Quotients that are not negative are not approximated by less than zero.
    let least = if low >= 0 { 0 } else { i128::MIN };
    Some(Interval { low: low.checked_sub(room)?.max(least), high: high.checked_add(room)? })
}

/// A quotient of raw values in a lowered program.
pub fn quotient(context: &Context<'_>, shift: u8, bits: Option<u8>) -> Result<Type, String> {
    context.operands.iter().try_for_each(|t| expect_number(t))?;
    let shape = context.shape()?;
    let [a, b] = [context.operands[0], context.operands[1]].map(|ty| ty.interval);
    let interval = range::shift_left(a, shift).and_then(|scaled| quotients(scaled, b, bits));
    let interval = interval.ok_or_else(element::beyond)?;
    let element = context.declaration("a quotient")?.element;
    let ty = context.result(element, shape, interval);
    check_type(&ty, context.dims).map(|()| ty)
}

/// From here on `e^x` is cut off, in fixed point with so many fractional bits: the greatest
/// integer whose exponential stays below `2^60` units of the last place.
#[must_use]
pub fn exp_limit(fraction: u8) -> i128 {
    let ln_2 = elementary::ln(2.0);
    ((60.0 - f64::from(fraction)) * ln_2).floor() as i128
}

/// Of `e^x`, with room for the stated error.
fn exp(a: Interval, fraction: u8, bits: u8) -> Option<Interval> {
    let unit = elementary::power_of_two(fraction.into());
    let limit = exp_limit(fraction) as f64;
    let value = |raw: i128| elementary::exp((raw as f64 / unit).clamp(-64.0, limit)) * unit;
    let room = elementary::power_of_two(-i32::from(bits));
    let low = (value(a.low) * (1.0 - room)) as i128 - 2;
    Some(Interval { low: low.max(0), high: (value(a.high) * (1.0 + room)) as i128 + 2 })
}

/// Of natural logarithms, with room for the stated error.
pub fn log(a: Interval, fraction: u8, bits: u8) -> Option<Interval> {
    let unit = elementary::power_of_two(fraction.into());
    let value = |raw: i128| (elementary::ln(raw.max(1) as f64 / unit) * unit).floor() as i128;
    let room = (1i128 << fraction >> bits) + 3;
    Some(Interval { low: value(a.low) - room, high: value(a.high) + 1 + room })
}

fn wrapping(context: &Context<'_>, op: &Op) -> Result<Type, String> {
    let first = context.operands[0];
    if let Some(other) = context.operands.iter().find(|t| t.element != first.element) {
        let (a, b) = (first.element, other.element);
        return Err(format!("wrapping arithmetic on {a} and {b}: wrap one to the other's type"));
    }
    if matches!(op, Op::Mul { .. }) {
        expect_int(first)?;
    }
    Ok(context.result(first.element, first.shape.clone(), first.element.interval()))
}

/// An input, as declared.
pub fn input(
    context: &Context<'_>,
    party: Option<PartyId>,
    meaning: &Meaning,
) -> Result<Type, String> {
    let ty = context.declaration("an input")?;
    check_type(ty, context.dims)?;
    stands_for(ty, meaning)?;
    let expected = party.map_or(Visibility::Public, Visibility::Private);
    if ty.visibility != expected {
        return Err("an input is private to the party that gives it, or public".into());
    }
    Ok(ty.clone())
}

/// Whether values of a type can stand for dates or members of a domain.
fn stands_for(ty: &Type, meaning: &Meaning) -> Result<(), String> {
    match meaning {
        Meaning::Number => Ok(()),
        _ if ty.element.fraction() > 0 || matches!(ty.element, Element::Fixed { .. }) => {
            Err(format!("{} cannot stand for anything: use an integer type", ty.element))
        }
        Meaning::Date | Meaning::Decimal(_) if ty.element == Element::Bit => {
            Err("bits cannot stand for dates or decimals: use i32".into())
        }
        Meaning::Decimal(digits) if !(1..=MAX_DECIMALS).contains(digits) => {
            Err(format!("decimals have 1 to {MAX_DECIMALS} digits behind the point"))
        }
        Meaning::Derived(derived) => derived.function.check_type(ty),
        Meaning::Padding if ty.element != Element::Bit || ty.shape.len() != 1 => {
            Err("padding is a bit for each row of a table".into())
        }
        Meaning::Text if ty.element != Element::uint(64) || ty.interval != TEXTS => {
            Err("texts are of the type u64, and in the range of all texts".into())
        }
        Meaning::Domain(domain) if !domain.interval().contains(ty.interval) => Err(format!(
            "values in {} where domain `{}` has the codes {}",
            describe(ty.element, ty.interval),
            domain.name,
            describe(ty.element, domain.interval())
        )),
        _ => Ok(()),
    }
}

/// A constant: as declared, with the interval of its values.
pub fn constant(context: &Context<'_>, values: &[i128]) -> Result<Type, String> {
    let declared = context.declaration("a constant")?;
    element::valid(declared.element)?;
    super::shape::valid(&declared.shape, context.dims)?;
    let count = declared.shape.iter().try_fold(1u64, |n, e| n.checked_mul(e.known()?));
    if values.len() != 1 && count != Some(values.len() as u64) {
        return Err(format!(
            "a constant of {} values does not fill the shape {}",
            values.len(),
            super::shape::describe(&declared.shape, context.dims)
        ));
    }
    let interval = range::hull(values.iter().copied()).unwrap_or(Interval::point(0));
    let element = declared.element;
    if !element.interval().contains(interval) {
        return Err(format!(
            "a constant in {} does not fit {element}, which holds {}",
            describe(element, interval),
            describe(element, element.interval())
        ));
    }
    Ok(context.result(element, declared.shape.clone(), interval))
}

/// Comparisons.
pub fn compare(context: &Context<'_>) -> Result<Type, String> {
    context.operands.iter().try_for_each(|t| expect_number(t))?;
    element::common(&[context.operands[0].element, context.operands[1].element])?;
    Ok(context.result(Element::Bit, context.shape()?, Element::Bit.interval()))
}

/// One of two by a bit.
pub fn select(context: &Context<'_>) -> Result<Type, String> {
    expect_bits(context.operands[0])?;
    let [a, b] = [context.operands[1], context.operands[2]];
    let interval = a.interval.join(b.interval);
    context.numbers(&[a.element, b.element], context.shape()?, Some(interval))
}

/// Logic on bits.
pub fn logic(context: &Context<'_>) -> Result<Type, String> {
    context.operands.iter().try_for_each(|t| expect_bits(t))?;
    Ok(context.result(Element::Bit, context.shape()?, Element::Bit.interval()))
}

/// What the error of a cast says.
pub(crate) const UNFIT: &str = "do not fit";

/// The type of a cast.
pub fn cast(context: &Context<'_>, to: Element) -> Result<Type, String> {
    element::valid(to)?;
    let from = context.operands[0];
    if to == Element::Bit && from.element != Element::Bit {
        return Err("numbers cannot be cast to bits: compare them with something".into());
    }
    let (old, new) = (from.element.fraction(), to.fraction());
    let interval = if new >= old {
        range::shift_left(from.interval, new - old).ok_or_else(element::beyond)?
    } else {
        range::shift_right(from.interval, old - new)
    };
    if !to.interval().contains(interval) {
        return Err(format!(
            "values in {} {UNFIT} {to}, which holds {}: promise a range with `assume`, or use \
             a wider type{}",
            describe(to, interval),
            describe(to, to.interval()),
            if old == 0 && new == 0 { ", or `wrap`" } else { "" }
        ));
    }
    Ok(context.result(to, from.shape.clone(), interval))
}

/// The type of the low bits of an integer.
pub fn wrap(context: &Context<'_>, to: Element) -> Result<Type, String> {
    element::valid(to)?;
    let from = context.operands[0];
    expect_int(from)?;
    if !matches!(to, Element::Int { .. }) {
        return Err(format!("integers wrap to integer types, not {to}"));
    }
    let fits = to.interval().contains(from.interval);
    let interval = if fits { from.interval } else { to.interval() };
    Ok(context.result(to, from.shape.clone(), interval))
}

/// The type of values in a promised or checked interval, which may also be wider than the known one.
pub fn assume(context: &Context<'_>, promised: Interval) -> Result<Type, String> {
    let ty = context.operands[0];
    expect_number(ty)?;
    let ty = Type { interval: promised, ..ty.clone() };
    check_type(&ty, context.dims).map(|()| ty)
}
