//! Element types of results: wide enough for every value that can occur.

use crate::types::{Element, Interval};

/// Whether a type can be used at all.
pub fn valid(element: Element) -> Result<(), String> {
    match element {
        Element::Int { bits, .. } if !matches!(bits, 8 | 16 | 32 | 64) => {
            Err(format!("no integer type has {bits} bits: use 8, 16, 32 or 64"))
        }
        Element::Fixed { bits, .. } if !(2..=64).contains(&bits) => {
            Err(format!("fixed point of {bits} bits: use 2 to 64"))
        }
        Element::Fixed { bits, fraction } if fraction >= bits => Err(format!(
            "fixed({bits},{fraction}) has no room for its sign: the fraction must be below {bits}"
        )),
        _ => Ok(()),
    }
}

/// The smallest integer type, unsigned where nothing is negative, that holds an interval.
#[must_use]
pub fn smallest(interval: Interval) -> Option<Element> {
    let signed = interval.low < 0;
    [8, 16, 32, 64]
        .map(|bits| Element::Int { signed, bits })
        .into_iter()
        .find(|element| element.interval().contains(interval))
}

/// The type of values of several types: integers, or fixed point of one fraction, or bits.
pub fn common(elements: &[Element]) -> Result<Element, String> {
    let mut all = elements[0];
    for &other in &elements[1..] {
        all = common_of_two(all, other)?;
    }
    Ok(all)
}

fn common_of_two(a: Element, b: Element) -> Result<Element, String> {
    use Element::{Bit, Fixed, Int};
    match (a, b) {
        (Bit, Bit) => Ok(Bit),
        (Int { signed: s, bits: n }, Int { signed: t, bits: m }) => {
            Ok(Int { signed: s || t, bits: n.max(m) })
        }
        (Fixed { bits: n, fraction: f }, Fixed { bits: m, fraction: g }) if f == g => {
            Ok(Fixed { bits: n.max(m), fraction: f })
        }
        _ => Err(format!("operands of types {a} and {b}: cast one to the other's type first")),
    }
}

/// `element` if it holds the interval, else the next wider one of its kind that does.
pub fn grow(element: Element, interval: Interval) -> Result<Element, String> {
    if element.interval().contains(interval) {
        return Ok(element);
    }
    let wider = match element {
        Element::Bit => None,
        Element::Int { signed, bits } => grow_int(signed, bits, interval),
        Element::Fixed { bits, fraction } => {
            let need = interval.signed_bits();
            (need <= 64).then(|| Element::Fixed { bits: bits.max(need as u8), fraction })
        }
    };
    wider.ok_or_else(|| too_wide(element, interval))
}

fn grow_int(signed: bool, bits: u8, interval: Interval) -> Option<Element> {
    let signed = signed || interval.low < 0;
    [8, 16, 32, 64]
        .into_iter()
        .filter(|&wider| wider >= bits)
        .map(|bits| Element::Int { signed, bits })
        .chain([Element::uint(64)])
        .find(|element| element.interval().contains(interval))
}

fn too_wide(element: Element, interval: Interval) -> String {
    format!(
        "the result may be anything in {}, more than 64 bits hold: {REMEDY}",
        describe(element, interval)
    )
}

/// What to do about results that do not fit.
pub(crate) const REMEDY: &str = "declare narrower ranges for the inputs, promise a range with `assume`, or, \
                      of integers, ask for the wrapping form";

/// The error for intervals that not even 128 bits hold.
#[must_use]
pub fn beyond() -> String {
    format!("the result may need more than 128 bits: {REMEDY}")
}

/// An interval as the numbers that it stands for.
#[must_use]
pub fn describe(element: Element, interval: Interval) -> String {
    let show = |raw: i128| match element {
        Element::Fixed { fraction, .. } => format!("{}", raw as f64 / 2f64.powi(fraction.into())),
        _ => raw.to_string(),
    };
    format!("[{}, {}]", show(interval.low), show(interval.high))
}
