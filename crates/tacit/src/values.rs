//! Values that an embedder gives a program.

use std::fmt;
use tacit_program::clear::Array;
use tacit_program::domain::{Members, parse_date};
use tacit_program::{Element, Meaning};
use tacit_tables::{decimal, decimal_of};
use zeroize::Zeroizing;

/// The values of one input: a number, or a list of them, in row-major order.
///
/// They come from numbers (`bool`, the integers up to 64 bits, `f64`), from slices, arrays and vectors of them, and from
/// texts: numbers as they are written, dates (`2024-01-31`), and names of a domain's members. What they stand for is the
/// program's matter:
///
/// * an input of integers takes whole numbers; `f64` only where they are whole;
/// * one of fixed-point numbers takes any number, rounded to the nearest that it can hold;
/// * one of bits takes `bool`, 0 and 1.
///
/// The first axis of an input with rows is as long as the values are many. Values are wiped from memory when this is
/// dropped, and `Debug` shows only how many there are.
///
/// ```
/// let ages = tacit::Values::from(&[70, 80]);
/// assert_eq!(format!("{ages:?}"), "Values(2)");
/// let rate = tacit::Values::from(0.25);
/// let teams = tacit::Values::from(&["red", "blue"]);
/// # let _ = (rate, teams);
/// ```
#[derive(Clone)]
pub struct Values(Given);

#[derive(Clone)]
pub enum Given {
    Whole(Zeroizing<Vec<i128>>),
    Real(Zeroizing<Vec<f64>>),
    Text(Vec<Zeroizing<String>>),
    Raw(Zeroizing<Vec<i128>>),
}

/// What [`Values`] are made of: numbers and texts.
pub trait Scalar: Copy + sealed::Sealed {}

mod sealed {
    pub trait Sealed {
        /// Values that are these, read from memory that is not copied anywhere else.
        fn gather<'s>(all: impl ExactSizeIterator<Item = &'s Self>) -> super::Given
        where
            Self: 's;
    }
}

/// Scalars that are whole numbers.
macro_rules! whole {
    ($($scalar:ty),*) => { $(
        impl Scalar for $scalar {}
        impl sealed::Sealed for $scalar {
            fn gather<'s>(all: impl ExactSizeIterator<Item = &'s Self>) -> Given
            where
                Self: 's,
            {
                Given::Whole(Zeroizing::new(all.map(|value| i128::from(*value)).collect()))
            }
        }
    )* };
}

whole!(bool, i8, i16, i32, i64, u8, u16, u32, u64);

impl Scalar for f64 {}
impl sealed::Sealed for f64 {
    fn gather<'s>(all: impl ExactSizeIterator<Item = &'s Self>) -> Given
    where
        Self: 's,
    {
        Given::Real(Zeroizing::new(all.copied().collect()))
    }
}

impl Scalar for &str {}
impl sealed::Sealed for &str {
    fn gather<'s>(all: impl ExactSizeIterator<Item = &'s Self>) -> Given
    where
        Self: 's,
    {
        Given::Text(all.map(|text| Zeroizing::new((*text).to_owned())).collect())
    }
}

impl<T: Scalar> From<T> for Values {
    fn from(value: T) -> Values {
        Values(T::gather([value].iter()))
    }
}

impl<T: Scalar> From<&[T]> for Values {
    fn from(values: &[T]) -> Values {
        Values(T::gather(values.iter()))
    }
}

impl<T: Scalar> From<&Vec<T>> for Values {
    fn from(values: &Vec<T>) -> Values {
        values.as_slice().into()
    }
}

impl<T: Scalar, const N: usize> From<&[T; N]> for Values {
    fn from(values: &[T; N]) -> Values {
        values.as_slice().into()
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Values({})", self.len())
    }
}

impl Values {
    /// Values as a program holds them: numbers in fixed point times 2 to the bits behind the point, decimals times 10 to the digits behind
    /// it, dates as days since 1970-01-01, and members of a domain by their codes. Nothing is rounded.
    ///
    /// ```
    /// use tacit::{LocalParties, Program, Values, protocols};
    ///
    /// let program = Program::parse("sum", r#"
    ///     program sum
    ///     parties alice, bob, carol
    ///     input a: i32 from alice in 0..10000 of decimal(2)
    ///     reveal a to bob of decimal(2) as "a"
    /// "#)?;
    /// let lab = LocalParties::new(&program, protocols::TRIO).input("a", Values::raw(&[1234]));
    /// assert_eq!(lab.run()?["a"].to_string(), "12.34");
    /// # Ok::<(), tacit::Error>(())
    /// ```
    #[must_use]
    pub fn raw(values: &[i128]) -> Values {
        Values(Given::Raw(Zeroizing::new(values.to_vec())))
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Given::Raw(all) => all.len(),
            Given::Whole(all) => all.len(),
            Given::Real(all) => all.len(),
            Given::Text(all) => all.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As an array of a program's element type and of this shape, or what is wrong with them; no values.
    pub(crate) fn array(
        &self,
        (element, meaning): (Element, &Meaning),
        shape: Vec<usize>,
    ) -> Result<Array, String> {
        let raw = self.as_raw(element, meaning).ok_or_else(|| match meaning {
            Meaning::Number | Meaning::Padding => format!("not numbers of type {element}"),
            Meaning::Date => "not dates such as 2024-01-31".into(),
            Meaning::Decimal(digits) => format!("not numbers that decimal({digits}) holds"),
            Meaning::Text | Meaning::Derived(_) => "not texts".into(),
            Meaning::Domain(domain) => format!("none of {domain}"),
        })?;
        Array::from_values(element, shape, raw.iter().copied()).map_err(|e| e.to_string())
    }

    /// Raw values of an element type.
    fn as_raw(&self, element: Element, meaning: &Meaning) -> Option<Zeroizing<Vec<i128>>> {
        // Sized first: a vector that grows leaves copies behind.
        let mut raw = Zeroizing::new(Vec::with_capacity(self.len()));
        let (scale, decimals) = (element.fraction(), meaning.decimals());
        let unit = 10i128.pow(u32::from(decimals)) << scale;
        match &self.0 {
            Given::Raw(all) => raw.extend_from_slice(all),
            // What stands for a text comes from the text alone.
            Given::Whole(_) | Given::Real(_) if meaning.is_of_texts() => return None,
            Given::Whole(all) => {
                for value in all.iter() {
                    raw.push(value.checked_mul(unit)?);
                }
            }
            Given::Real(all) => {
                for value in all.iter() {
                    raw.push(match decimals {
                        0 => fixed(*value, scale)?,
                        _ => decimal_of(*value, decimals)?,
                    });
                }
            }
            Given::Text(all) => {
                for text in all {
                    // What stands for a text trims it itself.
                    let text = if meaning.is_of_texts() { text } else { text.trim() };
                    raw.push(code(text, element, meaning)?);
                }
            }
        }
        Some(raw)
    }
}

/// A real number with so many bits behind the point, if it is one; whole where there are none.
fn fixed(value: f64, fraction: u8) -> Option<i128> {
    let scaled = value * (1u128 << fraction) as f64;
    let fits = scaled.is_finite() && (fraction > 0 || scaled.fract() == 0.0);
    fits.then(|| scaled.round() as i128)
}

/// The raw value of a text: a number, a date, or a category.
fn code(text: &str, element: Element, meaning: &Meaning) -> Option<i128> {
    match meaning {
        Meaning::Number | Meaning::Padding => number(text, element),
        Meaning::Date => parse_date(text).map(i128::from),
        Meaning::Decimal(digits) => decimal(text, *digits),
        Meaning::Text | Meaning::Derived(_) => meaning.raw_of(text).map(i128::from),
        Meaning::Domain(domain) => match &domain.members {
            Members::Names(names) => {
                names.iter().position(|name| name == text).map(|code| code as i128)
            }
            Members::Numbers { .. } => number(text, element),
        },
    }
}

fn number(text: &str, element: Element) -> Option<i128> {
    match element.fraction() {
        0 if element == Element::Bit => match text {
            "true" | "1" => Some(1),
            "false" | "0" => Some(0),
            _ => None,
        },
        0 => text.replace('_', "").parse().ok(),
        fraction => {
            let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
            Some((value * (1u128 << fraction) as f64).round() as i128)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: Element = Element::Fixed { bits: 16, fraction: 8 };
    const SMALL: Element = Element::Int { signed: false, bits: 8 };

    fn raw(values: impl Into<Values>, element: Element) -> Option<Vec<i128>> {
        let array = values.into().array((element, &Meaning::Number), vec![1]).ok()?;
        Some(array.values().collect())
    }

    #[test]
    fn numbers_fit_the_element_or_are_refused() {
        assert_eq!(raw(3, FIXED), Some(vec![3 << 8]));
        assert_eq!(raw(0.25, FIXED), Some(vec![64]));
        assert_eq!(raw("0.25", FIXED), Some(vec![64]));
        assert_eq!(raw(7.0, SMALL), Some(vec![7]));
        assert_eq!(raw(true, Element::Bit), Some(vec![1]));
        assert_eq!(raw("true", Element::Bit), Some(vec![1]));
        for refused in [raw(7.5, SMALL), raw(256, SMALL), raw(-1, SMALL), raw(f64::NAN, FIXED)] {
            assert_eq!(refused, None);
        }
        assert_eq!(raw(2, Element::Bit), None);
        assert_eq!(raw("x", SMALL), None);
    }

    #[test]
    fn texts_are_what_tables_make_of_them() {
        use tacit_program::domain::text_code;
        let raw = |values: Values| {
            let array = values.array((Element::uint(64), &Meaning::Text), vec![1]).ok()?;
            array.values().next()
        };
        let code = |text: &str| Some(i128::from(text_code(text)));
        assert_eq!(raw(" ann ".into()), code("ann"));
        assert_eq!(raw("\u{a0}ann".into()), code("\u{a0}ann"));
        assert_ne!(code("\u{a0}ann"), code("ann"));
        for refused in [raw("".into()), raw(" \t".into()), raw(7.into()), raw(0.5.into())] {
            assert_eq!(refused, None);
        }
    }

    #[test]
    fn nothing_shows_a_value() {
        let error = Values::from(4711).array((SMALL, &Meaning::Number), vec![1]).unwrap_err();
        assert!(!error.contains("4711"), "{error}");
        assert!(!format!("{:?}", Values::from("4711")).contains("4711"));
    }
}
