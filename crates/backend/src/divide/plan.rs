//! How precisely a quotient has to be approximated, so that a comparison with the divisor makes it exact
//! (`docs/spec/approximations.md` section 4).
//!
//! Plans are found in floating point, by additions, multiplications and divisions of positive numbers alone: all parties
//! compute the same. A few hundred operations are wrong by less than [`SLACK`], by which every bound is enlarged.

use crate::Ring;
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

/// The initial approximation of `1 / b` for `1/2 <= b <= 1` is `INITIAL / 1024 - 15/8 b`; it is within 0.06 of it.
pub(super) const INITIAL: i128 = 2885;

/// By how much bounds are enlarged for the rounding of their own computation.
const SLACK: f64 = 1.0 + 1e-11;

/// Places that a reciprocal has more than the fraction.
pub(super) const MORE: u32 = 3;

/// Sizes of a division: `|n| <= 2^dividend`, `1 <= |d| <= 2^divisor` and `|n / d| <= 2^quotient`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// Bits of the dividend.
    pub dividend: u32,
    /// Bits of the divisor.
    pub divisor: u32,
    /// Bits of the quotient.
    pub quotient: u32,
}

/// Parameters of a division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The sizes that it is for.
    pub(super) sizes: Sizes,
    /// The ring that it is computed in.
    pub ring: Ring,
    /// Fractional bits of the divisor, scaled to `1/2..1`, and of its reciprocal.
    pub(super) fraction: u32,
    /// Bits of quotients behind the point, until the last truncation.
    pub(super) guard: u32,
    /// Bits of the dividend that are cut off before it is scaled.
    pub(super) cut: u32,
    /// How often the error is squared.
    pub(super) iterations: u32,
    /// None where quotients are approximate; else one, and one more for each time that the remainder is divided again.
    pub(super) steps: u32,
    /// Fractional bits of the reciprocal that remainders are multiplied by.
    pub(super) scale: u32,
    /// Twice what is taken off before the last truncation.
    pub(super) twice_offset: u32,
}

/// For quotients with so many right bits: fractional bits, and iterations (`docs/spec/approximations.md` section 3).
const APPROXIMATE: [(u32, u32, u32); 5] =
    [(8, 14, 1), (12, 15, 2), (16, 21, 2), (20, 23, 3), (24, 27, 3)];
/// Bits of approximate quotients behind the point, until the last truncation.
const APPROXIMATE_GUARD: u32 = 3;

/// What the iterations reach.
struct Reached {
    /// Relative error of quotients.
    relative: f64,
    /// Absolute error of quotients, in units behind the point.
    absolute: f64,
    /// Relative error of the reciprocal.
    reciprocal: f64,
}

/// `2^exponent`, exactly.
fn power(exponent: i64) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << (f64::MANTISSA_DIGITS - 1))
}

fn reached(fraction: u32, iterations: u32) -> Reached {
    let unit = power(-i64::from(fraction));
    let initial = INITIAL as f64 / 1024.0;
    let off = |b: f64| (1.0 - b * initial + 1.875 * b * b).abs();
    // The ends of the range, and the vertex between them.
    let mut error = off(0.5 - unit).max(off(1.0 + unit)).max(off(initial * 4.0 / 15.0)) * SLACK;
    let mut distance = unit;
    let mut factors = Vec::new();
    for _ in 0..iterations {
        factors.push(1.0 + error + distance);
        let next = distance + error * error + error * distance;
        (error, distance) = (next, distance * (1.0 + error + distance) + unit);
    }
    // (1 + error) (1 + 2 u / (1 - 2 u)) - 1, without taking one off again.
    let rounded = 2.0 * unit / (1.0 - 2.0 * unit);
    let relative = (error + rounded + error * rounded) * SLACK;
    let (mut later, mut sum, mut all_but_first) = (1.0, 0.0, 0.0);
    for (i, factor) in factors.iter().rev().enumerate() {
        sum += later;
        all_but_first += if i > 0 { later } else { 0.0 };
        later *= factor;
    }
    let absolute = (2.0 * (1.0 + relative) + later + all_but_first) * SLACK;
    let more = power(-i64::from(fraction + MORE));
    Reached { relative, absolute, reciprocal: (relative + sum * more) * SLACK }
}

impl Plan {
    /// The plan of the fewest rounds, then of the fewest products, in the narrowest ring that has one. `None` where not even
    /// the widest has.
    #[must_use]
    pub fn new(sizes: Sizes) -> Option<Plan> {
        static KNOWN: LazyLock<Mutex<HashMap<Sizes, Option<Plan>>>> = LazyLock::new(Mutex::default);
        let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(plan) = known().get(&sizes) {
            return *plan;
        }
        let plan = [Ring::W64, Ring::W128].into_iter().find_map(|ring| Plan::within(sizes, ring));
        known().insert(sizes, plan);
        plan
    }

    /// The plan for quotients that are within `2^-bits` of themselves and two units, in the narrowest ring that has one.
    #[must_use]
    pub fn approximate_to(sizes: Sizes, bits: u32) -> Option<Plan> {
        // Half a unit of the greatest quotient is as good.
        let bits = bits.min(sizes.quotient + 1);
        let (_, fraction, iterations) = *APPROXIMATE.iter().find(|(right, ..)| *right >= bits)?;
        let Sizes { dividend, divisor, quotient } = sizes;
        let plan = |ring| Plan {
            sizes,
            ring,
            fraction,
            guard: APPROXIMATE_GUARD.min(divisor),
            cut: 0,
            iterations,
            steps: 0,
            scale: 0,
            twice_offset: 0,
        };
        [Ring::W64, Ring::W128].into_iter().map(plan).find(|plan| {
            let most = plan.shifts().into_iter().max().unwrap_or(0).max(0) as u32;
            let scaled = (fraction + most + 1).max(dividend + plan.guard + most);
            let widths = [
                2 * fraction + 5,
                quotient + plan.guard + fraction + 4,
                scaled,
                dividend + divisor,
            ];
            widths.iter().all(|&bits| bits <= Plan::room(plan.ring))
        })
    }

    /// Whether quotients are rounded down exactly.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.steps > 0
    }

    /// The best plan within a ring.
    pub(super) fn within(sizes: Sizes, ring: Ring) -> Option<Plan> {
        let mut best: Option<Plan> = None;
        for iterations in 1..6 {
            for steps in 1..4 {
                // More fractional bits make neither rounds nor products fewer, but perhaps comparisons.
                for fraction in 9..64 {
                    let plan = Plan::with(sizes, ring, iterations, steps, fraction);
                    let better =
                        plan.filter(|plan| best.is_none_or(|best| plan.cost() < best.cost()));
                    best = better.or(best);
                }
            }
        }
        best
    }

    /// Rounds, products and comparisons.
    fn cost(&self) -> (u32, u32, u32) {
        (self.rounds(), self.products(), self.comparisons())
    }

    /// Rounds from the scaling of the divisor to the approximate quotient and its remainder.
    fn rounds(&self) -> u32 {
        let again = 3 * (self.steps - 1) + u32::from(self.steps > 1);
        2 + 2 + 2 * self.iterations + 1 + again + u32::from(self.cut > 0)
    }

    /// Products of the same part.
    pub(super) fn products(&self) -> u32 {
        let reciprocal = if self.steps > 1 { self.iterations + 1 } else { 0 };
        2 + 2 + (2 * self.iterations - 1) + 1 + reciprocal + 2 * (self.steps - 1)
    }

    /// Comparisons of the remainder that make the quotient exact.
    pub(super) fn comparisons(&self) -> u32 {
        1 + self.twice_offset
    }

    /// The bits that a remainder less multiples of the divisor has.
    pub(super) fn remainder_bits(&self) -> u32 {
        self.sizes.divisor + 3
    }

    /// What is truncated stays below `2^(bits - 2)`.
    fn room(ring: Ring) -> u32 {
        ring.bits() - 2
    }

    fn with(sizes: Sizes, ring: Ring, iterations: u32, steps: u32, fraction: u32) -> Option<Plan> {
        let Sizes { dividend, divisor, quotient } = sizes;
        let room = Plan::room(ring);
        let cut = (dividend + divisor).saturating_sub(room);
        let guard = if steps == 1 { 5 } else { 2 };
        let guard = if divisor < guard + cut { divisor.checked_sub(cut)? } else { guard };
        let plan = Plan {
            sizes,
            ring,
            fraction,
            guard,
            cut,
            iterations,
            steps,
            scale: 0,
            twice_offset: 2,
        };
        // Both operands are truncated at once, by the greater of their distances.
        let most = plan.shifts().into_iter().max().unwrap_or(0).max(0) as u32;
        // A negative power of two is scaled to `2^divisor` itself.
        let scaled = (fraction + most + 1).max(dividend + guard + most);
        let extra = if steps > 1 { guard } else { 0 };
        let widths = [2 * fraction + 5 + extra, quotient + guard + fraction + 4, scaled];
        if widths.iter().any(|&bits| bits > room) {
            return None;
        }
        let Reached { relative, absolute, reciprocal } = reached(fraction, iterations);
        let long = absolute * power(-i64::from(guard));
        let cut_off = if cut > 0 { power(cut.into()) * (1.0 + relative) } else { 0.0 };
        if steps == 1 {
            let off = (relative * power(quotient.into()) + long + cut_off) * SLACK;
            return plan.enough(off);
        }
        let mut found: Option<Plan> = None;
        for extra in 2..fraction + MORE {
            let scale = divisor + extra;
            // As the specification has them, with one more in beta.
            let (mut alpha, mut beta, mut gamma) = (relative, long + 1.0, cut_off);
            let mut wide = 0.0f64;
            for _ in 1..steps {
                let rest = 2.0 * (alpha * power(quotient.into()) + beta + gamma);
                wide = wide.max(rest);
                let all = alpha * power(dividend.into()) + beta * power(divisor.into()) + gamma;
                beta = beta * reciprocal + all * power(-i64::from(scale)) + 1.0;
                (alpha, gamma) = (alpha * reciprocal, gamma * reciprocal);
            }
            if bits_of(wide * SLACK) + scale > room || fraction + 4 + divisor > room {
                break;
            }
            let off = (alpha * power(quotient.into()) + (beta - 1.0) + gamma) * SLACK;
            let Some(enough) = (Plan { scale, ..plan }).enough(off) else { continue };
            if found.is_none_or(|found| enough.twice_offset < found.twice_offset) {
                found = Some(enough);
            }
            if enough.twice_offset == 1 {
                break;
            }
        }
        found
    }

    /// The plan, if a quotient that is off by so much is close enough.
    fn enough(self, off: f64) -> Option<Plan> {
        let twice_offset = match off {
            off if off <= 0.5 => 1,
            off if off <= 1.0 => 2,
            _ => return None,
        };
        Some(Plan { twice_offset, ..self })
    }

    /// By how many places the scaled divisor and the scaled dividend are truncated; upwards if it is negative.
    pub(super) fn shifts(&self) -> [i64; 2] {
        let divisor = i64::from(self.sizes.divisor);
        [divisor - i64::from(self.fraction), divisor - i64::from(self.guard + self.cut)]
    }
}

/// Binary digits of a positive number's whole part.
fn bits_of(number: f64) -> u32 {
    let exponent = (number.to_bits() >> (f64::MANTISSA_DIGITS - 1)) as i64 - 1023;
    (exponent + 1).max(0) as u32
}
