//! Quotients, remainders and square roots of numbers in rings, rounded down exactly
//! (`docs/spec/approximations.md` sections 2 to 5).
//!
//! A divisor is scaled to between a half and one by the position of its leading one, its reciprocal is approximated by
//! Goldschmidt's iteration, and the quotient is corrected by the sign of its remainder. [`Plan`] says how precise the
//! iteration has to be, so that one or two comparisons correct every quotient, however truncations are rounded. It takes
//! a fraction of the rounds of a circuit that divides digit by digit.
//!
//! Nothing is opened, and what is computed depends on the declared sizes alone. Under protocols that notice
//! cheats, products, truncations and circuits are checked as all others are.

mod leading;
mod plan;
mod quotient;
mod root;
#[cfg(test)]
mod tests;

pub use leading::LeadingOne;
pub(crate) use leading::looked_up;
pub use plan::{Plan, Sizes};
pub use quotient::{Division, Divisor};
pub use root::{Root, root};

use crate::{Result, Secret};

/// What is wanted of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The quotient, rounded down.
    Quotient,
    /// What is left: of the sign of the divisor.
    Remainder,
}

/// Lanes that are computed together: intermediate numbers of all of them are in memory.
const TOGETHER: usize = 1 << 17;

/// Applies an operation to arrays of one length, to at most so many lanes at a time.
pub(crate) fn in_parts<const N: usize>(
    arrays: [&Secret; N],
    together: usize,
    mut apply: impl FnMut([&Secret; N]) -> Result<Secret>,
) -> Result<Secret> {
    let length = arrays[0].len;
    if length <= together {
        return if length == 0 { Ok(arrays[0].slice(0..0)) } else { apply(arrays) };
    }
    let mut all: Option<Secret> = None;
    for start in (0..length).step_by(together) {
        let at = start..length.min(start + together);
        let parts = arrays.map(|array| array.slice(at.clone()));
        let part = apply(parts.each_ref())?;
        all.get_or_insert_with(|| part.zeros_like(length)).copy_in(start, &part);
    }
    all.ok_or_else(|| crate::result::wrong("arrays of some length"))
}
