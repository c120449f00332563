//! Quotients, remainders and square roots of numbers in rings, rounded down exactly
//! (`docs/spec/approximations.md` sections 2 to 5).
//!
//! A divisor is scaled to between a half and one by the position of its leading one, its reciprocal is approximated by
//! Goldschmidt's iteration, and the quotient is corrected by the sign of its remainder. [`Plan`] says how precise the
//! iteration has to be, so that one or two comparisons correct every quotient, however truncations are rounded. It takes
//! a sixth of the rounds of a circuit that divides digit by digit.
//!
//! Nothing is opened, and what is computed depends on the declared sizes alone. Under protocols that notice
//! cheats, products, truncations and circuits are checked as all others are.

mod leading;
mod machine;
mod plan;
mod quotient;
mod root;
#[cfg(test)]
mod tests;

pub use leading::LeadingOne;
pub use plan::{Plan, Sizes};
pub use quotient::{Divisor, divide};
pub use root::{Root, root};

/// What is wanted of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The quotient, rounded down.
    Quotient,
    /// What is left: of the sign of the divisor.
    Remainder,
}
