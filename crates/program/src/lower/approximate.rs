//! Exponential, logarithm and sigmoid: a circuit splits the argument and looks coefficients up,
//! fixed-point arithmetic does the rest. Bounds are in the documentation of [`super`].

use super::circuits::Port;
use super::emit::{Emitter, product, select, sum};
use super::tables::{self, FRACTION, Ports, clamped_lines, interpolate, one_hot, polynomial};
use crate::infer::{elementary, exp_limit, infer, width};
use crate::ir::{Op, ValueId};
use crate::types::{Element, Interval, Type};
use std::sync::Arc;
use tacit_circuit::library::{FanIn, and_tree, bits};
use tacit_circuit::{Builder, Circuit, Wire};

/// One of the functions.
///
/// # Panics
/// If the operation is another one.
pub fn value(emitter: &mut Emitter<'_>, op: &Op, a: ValueId) -> ValueId {
    let argument = emitter.ty(a);
    let inferred = infer(op, &[argument], emitter.dims(), None).expect("inferred");
    // From the limit on exponentials are cut off.
    let cut_off = matches!(op, Op::Exp { .. })
        && argument.interval.high
            > exp_limit(argument.element.fraction()) << argument.element.fraction();
    if !cut_off && (emitter.target.approximates)(op, [argument, &inferred[0]]) {
        return emitter.push(op.clone(), &[a], None);
    }
    match op {
        Op::Exp { .. } => exp(emitter, a),
        Op::Log { bits } => log(emitter, a, *bits),
        Op::Sigmoid { .. } => sigmoid(emitter, a),
        _ => unreachable!("{op:?} is not approximated"),
    }
}

/// Fractional bits of the argument of a type.
fn fraction_of(emitter: &Emitter<'_>, a: ValueId) -> u8 {
    emitter.ty(a).element.fraction()
}

/// The argument in two's complement with exactly [`FRACTION`] fractional bits and a sign, the
/// rest cut off.
fn aligned(c: &mut Builder, port: Port, fraction: u8) -> Vec<Wire> {
    let mut wires = c.input(port.width);
    wires.truncate(port.bits as usize);
    if !port.signed {
        wires.push(c.constant(false));
    }
    let sign = *wires.last().expect("a sign");
    let wires = match FRACTION.checked_sub(fraction) {
        Some(more) => [bits::zeros(c, more.into()), wires].concat(),
        None => wires.into_iter().skip((fraction - FRACTION).into()).collect(),
    };
    let width = wires.len().max(usize::from(FRACTION) + 1);
    (0..width).map(|i| wires.get(i).copied().unwrap_or(sign)).collect()
}

/// Applies a circuit to an argument in its narrowest type.
fn apply(
    emitter: &mut Emitter<'_>,
    name: &str,
    a: ValueId,
    build: impl FnOnce(&mut Builder, Port, Interval) -> Ports,
) -> Vec<ValueId> {
    let a = emitter.narrowed(a);
    let ty = emitter.ty(a).clone();
    let signed = ty.interval.low < 0;
    let bits = (ty.interval.signed_bits() - u32::from(!signed)).max(1);
    let mut c = Builder::new();
    let Ports(ports) = build(&mut c, Port { width: width(ty.element), bits, signed }, ty.interval);
    let circuit: Arc<Circuit> = Arc::new(c.finish());
    let typed = |(element, interval)| Type { element, interval, ..ty.clone() };
    let types: Vec<Type> = ports.into_iter().map(typed).collect();
    let node = emitter.push_all(Op::Circuit { name: name.into(), circuit }, &[a], Some(&types));
    (0..types.len() as u32).map(|index| ValueId { node, index }).collect()
}

/// The scale of `e^i`, `i` an integer: `mantissa 2^places`, in units of the result over 8.
struct Scale {
    mantissa: i128,
    places: i128,
}

impl Scale {
    fn of(integer: i128, fraction: u8) -> Scale {
        let (mantissa, exponent) = elementary::exp_normal(integer as f64);
        let places = i128::from(exponent) + i128::from(fraction) + 3;
        match places < 0 {
            // Less than a unit, whatever is between this integer and the next.
            true => Scale { mantissa: 0, places: 0 },
            false => Scale { mantissa: tables::raw(mantissa), places },
        }
    }
}

/// Distances of shifts, each taken or not, that reach every distance up to `most` and no more.
fn shifts(most: i128) -> Vec<i128> {
    let bits = 128 - most.leading_zeros();
    let mut all: Vec<i128> = (0..bits.saturating_sub(1)).rev().map(|bit| 1 << bit).collect();
    if bits > 0 {
        all.insert(0, most - all.iter().sum::<i128>());
    }
    all
}

/// Which of these distances are taken, as bits, to shift by `places`.
fn taken(shifts: &[i128], places: i128) -> i128 {
    let mut left = places;
    (0..).zip(shifts).fold(0, |mask, (i, &by)| {
        let takes = by > 0 && left >= by;
        left -= if takes { by } else { 0 };
        mask | i128::from(takes) << i
    })
}

/// Places that a shift in one go may have: a product below `2^33` stays below `2^63`.
const MOST_PLACES: i128 = 30;
/// Places between units of the result over 8 and [`FRACTION`].
const PLACES_OVER: u8 = FRACTION + 3;

/// `e^i` for the integers `i` from `first` on, one row each.
struct Powers {
    first: i128,
    last: i128,
    mantissas: Vec<i128>,
    /// The distances that make up the places.
    shifts: Vec<i128>,
    /// Which of them each row takes.
    masks: Vec<i128>,
    /// Whether a row has `MOST_PLACES + 1` places more.
    high: Vec<i128>,
}

impl Powers {
    fn of(interval: Interval, fraction: u8) -> Powers {
        let last = (interval.high >> fraction).min(exp_limit(fraction) - 1);
        // Below, `e^(i + 1)` is less than half a unit: 0.7 > ln 2.
        let least = -((i128::from(fraction) + 4) * 7 / 10) - 2;
        let first = (interval.low >> fraction).clamp(least.min(last), last);
        let scales: Vec<Scale> = (first..=last).map(|i| Scale::of(i, fraction)).collect();
        let most = scales.iter().map(|s| s.places).max().unwrap_or(0);
        let shifts = shifts(most.min(MOST_PLACES));
        let is_high = |s: &Scale| s.places > MOST_PLACES;
        let rest = |s: &Scale| s.places - if is_high(s) { MOST_PLACES + 1 } else { 0 };
        Powers {
            first,
            last,
            mantissas: scales.iter().map(|s| s.mantissa).collect(),
            masks: scales.iter().map(|s| taken(&shifts, rest(s))).collect(),
            high: scales.iter().map(|s| is_high(s).into()).collect(),
            shifts,
        }
    }

    /// Whether any row has more places than one shift reaches.
    fn wide(&self) -> bool {
        self.high.contains(&1)
    }

    /// Ports: the place within an eighth, five coefficients, the mantissa, a bit for each shift,
    /// and whether the row is a high one.
    fn circuit(&self, c: &mut Builder, x: &[Wire], within: Interval) -> Ports {
        let (rest, whole) = x.split_at(FRACTION.into());
        let (lines, above) = clamped_lines(c, whole, (self.first, self.last), within);
        let rest: Vec<Wire> = rest.iter().map(|&bit| c.or(bit, above)).collect();
        let mut ports = Ports::default();
        eighths(c, &rest, &mut ports);
        ports.values(c, &lines, &self.mantissas);
        for i in 0..self.shifts.len() {
            let bit = tables::any_of(c, &lines, &self.masks, i as u8);
            ports.bit(c, bit);
        }
        let high = tables::any_of(c, &lines, &self.high, 0);
        ports.bit(c, high);
        ports
    }
}

/// `e^x = e^i e^r`: `i` the integer and `r` the fractional part. `e^i` is a mantissa in `[1, 2)`
/// and a power of two, both looked up; `e^r` is a polynomial on each eighth.
fn exp(emitter: &mut Emitter<'_>, a: ValueId) -> ValueId {
    let fraction = fraction_of(emitter, a);
    let powers = Powers::of(emitter.interval(a), fraction);
    let parts = apply(emitter, "exp lookup", a, |c, port, interval| {
        let x = aligned(c, port, fraction);
        powers.circuit(c, &x, shifted(interval, fraction))
    });
    let power = polynomial(emitter, &parts[1..6], parts[0]);
    let scaled = product(emitter, power, parts[6]);
    let value = raised(emitter, scaled, &powers.shifts, &parts[7..]);
    if !powers.wide() && fraction <= FRACTION {
        return cut_to(emitter, value, fraction);
    }
    let low = emitter.push(Op::ShiftRight { by: PLACES_OVER }, &[value], None);
    let by = PLACES_OVER - MOST_PLACES as u8 - 1;
    let high = emitter.push(Op::ShiftRight { by }, &[value], None);
    let value = select(emitter, parts[7 + powers.shifts.len()], high, low);
    reread(emitter, value, fraction)
}

/// Over `2^PLACES_OVER`, in units of the result: the cast takes part of that.
fn cut_to(emitter: &mut Emitter<'_>, value: ValueId, fraction: u8) -> ValueId {
    let by = PLACES_OVER - (FRACTION - fraction);
    let value = emitter.push(Op::ShiftRight { by }, &[value], None);
    let bits = emitter.interval(value).signed_bits() as u8;
    let bits = bits.saturating_sub(FRACTION - fraction).max(fraction + 2);
    emitter.cast(value, Element::Fixed { bits, fraction })
}

/// Integer parts of raw values.
fn shifted(interval: Interval, fraction: u8) -> Interval {
    Interval { low: interval.low >> fraction, high: interval.high >> fraction }
}

/// `e^r` by eighths of `[0, 1)`: the place within one, and coefficients.
fn eighths(c: &mut Builder, rest: &[Wire], ports: &mut Ports) {
    let (place, index) = rest.split_at(rest.len() - 3);
    let place = [&bits::zeros(c, 3), place].concat();
    ports.unit(c, &place);
    let lines = one_hot(c, index);
    let rows: Vec<tables::Row> =
        (0..8).map(|i| interpolate(|t| elementary::exp((f64::from(i) + t) / 8.0))).collect();
    ports.rows(c, &lines, &rows);
}

/// Shifted up by the distances that are taken. Two units are added first, so that nothing is
/// negative where a protocol rounds zero to less.
fn raised(
    emitter: &mut Emitter<'_>,
    value: ValueId,
    shifts: &[i128],
    taken: &[ValueId],
) -> ValueId {
    let element = emitter.ty(value).element;
    let two = emitter.constant(element, 2, value);
    let value = sum(emitter, value, two);
    shifts.iter().zip(taken).fold(value, |value, (&by, &bit)| {
        let up = emitter.push(Op::ShiftLeft { by: by as u8 }, &[value], None);
        select(emitter, bit, up, value)
    })
}

/// Raw integers that count units of the result, read as that: the circuit is wires only.
fn reread(emitter: &mut Emitter<'_>, value: ValueId, fraction: u8) -> ValueId {
    let Interval { low, high } = emitter.interval(value);
    let interval = Interval { low: low.max(0), high };
    let value = emitter.assume(value, interval);
    let value = emitter.narrowed(value);
    let ty = emitter.ty(value).clone();
    let bits = width(ty.element) as u8;
    let to = Element::Fixed { bits: bits.max(fraction + 2), fraction };
    let mut c = Builder::new();
    let mut wires = c.input(bits.into());
    let zero = c.constant(false);
    wires.resize(width(to) as usize, zero);
    c.output(&wires);
    let op = Op::Circuit { name: "reread".into(), circuit: Arc::new(c.finish()) };
    emitter.push(op, &[value], Some(&[Type { element: to, ..ty }]))
}

/// `ln x` of `x = 2^e (1 + m)`: a table of `e ln 2`, and a polynomial on each sixteenth of `m`.
fn log(emitter: &mut Emitter<'_>, a: ValueId, bits: u8) -> ValueId {
    let element = emitter.ty(a).element;
    let fraction = element.fraction();
    let original = emitter.interval(a);
    let parts = apply(emitter, "log lookup", a, |c, port, _| {
        let mut x = c.input(port.width);
        x.truncate(port.bits as usize);
        let negative = if port.signed { x.pop() } else { None };
        normalised(c, &x, negative, fraction)
    });
    let value = polynomial(emitter, &parts[1..6], parts[0]);
    let value = sum(emitter, value, parts[6]);
    let width = emitter.interval(value).signed_bits() as u8;
    let wide = (width + fraction.saturating_sub(FRACTION)).max(fraction + 2).min(64);
    let value = emitter.cast(value, Element::Fixed { bits: wide, fraction });
    if original.low > 0 {
        return value;
    }
    let interval = crate::infer::log_interval(original, fraction, bits).expect("inferred");
    let least = interval.low;
    let element = crate::infer::element::grow(element, Interval::point(least)).expect("inferred");
    let least = emitter.constant(element, least, a);
    select(emitter, parts[7], value, least)
}

/// Ports: the place in a sixteenth of what follows the leading one, five coefficients, `e ln 2`,
/// and whether there was a leading one and no sign.
fn normalised(c: &mut Builder, x: &[Wire], negative: Option<Wire>, fraction: u8) -> Ports {
    let count = x.len();
    let (word, zeros) = leading_one_up(c, x);
    let after = [bits::zeros(c, 34), word.clone()].concat();
    let (place, index) = after[count - 1..count + 33].split_at(FRACTION.into());
    let mut ports = Ports::default();
    ports.unit(c, place);
    let lines = one_hot(c, index);
    let at = |i: u32, t: f64| 1.0 + (f64::from(i) + t) / 16.0;
    let rows: Vec<tables::Row> =
        (0..16).map(|i| interpolate(|t| elementary::ln(at(i, t)))).collect();
    ports.rows(c, &lines, &rows);
    let top = count as i128 - 1 - i128::from(fraction);
    let exponents: Vec<i128> = (0..count as i128)
        .map(|zeros| tables::raw((top - zeros) as f64 * elementary::ln(2.0)))
        .collect();
    let lines = one_hot(c, &zeros);
    ports.values(c, &lines[..count], &exponents);
    let zero = c.constant(false);
    let unsigned = c.not(negative.unwrap_or(zero));
    let positive = c.and2(word[count - 1], unsigned);
    ports.bit(c, positive);
    ports
}

/// The word shifted until its leading one is on top, by halving steps, and by how much.
fn leading_one_up(c: &mut Builder, x: &[Wire]) -> (Vec<Wire>, Vec<Wire>) {
    let count = x.len();
    let (mut word, mut zeros) = (x.to_vec(), Vec::new());
    for step in (0..usize::BITS - (count - 1).leading_zeros()).rev() {
        let by = 1 << step;
        let top = bits::not(c, &word[count - by.min(count)..]);
        let clear = and_tree::cheapest(c, &top, FanIn::TWO);
        let moved = bits::shifted(c, &word, by, count);
        word = bits::choose(c, clear, &moved, &word);
        zeros.insert(0, clear);
    }
    (word, zeros)
}

/// Where the sigmoid is taken for 0 or 1: it is within `2^-25` of them.
const SIGMOID_END: i128 = 18;

/// By quarters of `[-18, 18)`; beyond them a constant. Results are eight raw units within `(0, 1)`,
/// so that no rounding leaves that.
fn sigmoid(emitter: &mut Emitter<'_>, a: ValueId) -> ValueId {
    let fraction = fraction_of(emitter, a);
    let interval = emitter.interval(a);
    let quarters = |raw: i128| (raw << 2) >> fraction;
    let end = 4 * SIGMOID_END;
    let first = quarters(interval.low).clamp(-end - 1, end);
    let last = quarters(interval.high).clamp(-end - 1, end);
    let rows: Vec<tables::Row> = (first..=last).map(sigmoid_row).collect();
    let parts = apply(emitter, "sigmoid lookup", a, |c, port, _| {
        let x = aligned(c, port, fraction);
        let (place, index) = x.split_at(usize::from(FRACTION) - 2);
        let within = Interval { low: quarters(interval.low), high: quarters(interval.high) };
        let (lines, _) = clamped_lines(c, index, (first, last), within);
        let mut ports = Ports::default();
        let place = [&bits::zeros(c, 2), place].concat();
        ports.unit(c, &place);
        ports.rows(c, &lines, &rows);
        ports
    });
    let value = polynomial(emitter, &parts[1..6], parts[0]);
    let Interval { low, high } = emitter.interval(value);
    let value = emitter.assume(value, Interval { low: low.max(0), high: high.min(1 << FRACTION) });
    emitter.cast(value, Element::Fixed { bits: (fraction + 2).min(64), fraction })
}

fn sigmoid_row(quarter: i128) -> tables::Row {
    let margin = 8;
    if quarter < -4 * SIGMOID_END {
        return [margin, 0, 0, 0, 0];
    }
    if quarter >= 4 * SIGMOID_END {
        return [(1 << FRACTION) - margin, 0, 0, 0, 0];
    }
    let at = |t: f64| 1.0 / (1.0 + elementary::exp(-(quarter as f64 + t) / 4.0));
    let mut row = interpolate(at);
    row[0] += if quarter < 0 { margin } else { -margin };
    row
}
