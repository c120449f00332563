//! Quotients and remainders.

use super::plan::{INITIAL, MORE, Plan};
use super::{LeadingOne, Part, TOGETHER, in_parts};
use crate::machine::{Machine, OnShares, apart};
use crate::{Backend, Name, Result, Secret, Term};
use std::sync::Arc;

/// What is known of a divisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisor {
    /// Whether it may be negative.
    pub signed: bool,
    /// Whether it may be zero.
    pub zero: bool,
    /// The lowest place where its leading one may be.
    pub lowest: u32,
}

/// A division, and what is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    /// How it is computed.
    pub plan: Plan,
    /// What is known of the divisor.
    pub divisor: Divisor,
    /// What is wanted.
    pub part: Part,
}

impl Division {
    /// `floor(n / d)`, or `n - d floor(n / d)`, of numbers of the plan's ring, within the plan's sizes; zero where the divisor is
    /// zero.
    ///
    /// # Errors
    /// When the network fails.
    pub fn run(&self, backend: &mut dyn Backend, pair: [&Secret; 2]) -> Result<Secret> {
        in_parts(pair, TOGETHER, |pair| self.together(backend, pair))
    }

    fn together(&self, backend: &mut dyn Backend, [n, d]: [&Secret; 2]) -> Result<Secret> {
        let Division { plan, divisor, part } = self;
        let bits = plan.sizes.divisor;
        let leading = LeadingOne { bits, signed: divisor.signed, lowest: divisor.lowest };
        let planes = backend.low_bits(d, bits + u32::from(divisor.signed))?;
        let circuit = backend.circuits().get(Name::LeadingOne(leading));
        let outputs = backend.circuit(&circuit, &[&planes])?;
        let scale = backend.compose(&outputs[0], false, plan.ring)?;
        let nonzero = divisor.zero.then(|| outputs[1].plane(0));
        let negative = divisor.signed.then(|| planes.plane(bits as usize));

        let mut machine = OnShares { backend, ring: plan.ring };
        let turned = negative.as_ref().map(|sign| machine.turned(sign, [n, d])).transpose()?;
        let [n, d] = turned.as_ref().map_or([n, d], |pair| [&pair[0], &pair[1]]);
        if !plan.is_exact() {
            let quotient = plan.quotient(&mut machine, [n, d, &scale])?.quotient;
            return match nonzero {
                Some(nonzero) => machine.backend.inject(&nonzero, &quotient),
                None => Ok(quotient),
            };
        }
        let (quotient, rest) = plan.approximate(&mut machine, [n, d, &scale])?;
        let over = machine.over(&rest, d, plan)?;
        let result = match part {
            Part::Quotient => {
                let count = machine.counted(&over)?;
                machine.linear(0, &[(1, &quotient), (1, &count)])?
            }
            Part::Remainder => {
                let taken = machine.taken(&over, d)?;
                machine.linear(0, &[(1, &rest), (-1, &taken)])?
            }
        };
        // What a divisor of zero gives is replaced by zero; a remainder has the sign of the divisor.
        match (part, negative, nonzero) {
            (Part::Remainder, Some(sign), nonzero) => {
                let positive = match &nonzero {
                    Some(nonzero) => nonzero.sum(&sign, false),
                    None => machine.backend.plus(&sign, 1)?,
                };
                machine.with_signs(&positive, &sign, &result)
            }
            (_, _, Some(nonzero)) => machine.backend.inject(&nonzero, &result),
            (_, _, None) => Ok(result),
        }
    }
}

/// A quotient, and where the remainder is divided again the reciprocal of the scaled divisor.
pub(super) struct Approximate<N> {
    pub quotient: N,
    reciprocal: N,
}

impl Plan {
    /// Approximates a quotient. `scale` is the power of two that takes the divisor between half of `2^bits` and all of it; of a
    /// divisor of zero results mean nothing.
    pub(super) fn quotient<M: Machine>(
        &self,
        machine: &mut M,
        [n, d, scale]: [&M::Number; 3],
    ) -> Result<Approximate<M::Number>> {
        let Plan { fraction, guard, cut, iterations, steps, .. } = *self;
        let one = 1i128 << fraction;
        let again = steps > 1;
        let short = if cut > 0 { Some(machine.cut(n, cut)?) } else { None };
        let scaled = machine.products(&[[d, scale], [short.as_ref().unwrap_or(n), scale]])?;
        let [by, over] = self.shifts();
        let scaled = machine.truncated(&[(&scaled[0], by), (&scaled[1], over)])?;
        let (b, n_scaled) = (&scaled[0], &scaled[1]);

        let initial = INITIAL << (fraction + MORE) >> 10;
        let mut x = machine.linear(initial, &[(-15, b)])?;
        let first = machine.products(&[[b, &x], [n_scaled, &x]])?;
        let places = i64::from(fraction + MORE);
        let mut first = machine.truncated(&[(&first[0], places), (&first[1], places)])?;
        let mut y = first.swap_remove(1);
        let mut error = machine.linear(one, &[(-1, &first[0])])?;

        for i in 0..iterations {
            let last = i + 1 == iterations;
            let factor = machine.linear(one, &[(1, &error)])?;
            let mut pairs = vec![[&y, &factor]];
            pairs.extend(again.then_some([&x, &factor]));
            pairs.extend((!last).then_some([&error, &error]));
            let mut products = machine.products(&pairs)?;
            let mut by = vec![i64::from(fraction); products.len()];
            if last {
                let drop = fraction + guard;
                by[0] = drop.into();
                if !again {
                    products[0] = machine.linear(-self.offset(drop), &[(1, &products[0])])?;
                }
            }
            let mut cut =
                machine.truncated(&products.iter().zip(by).collect::<Vec<_>>())?.into_iter();
            let mut next = || cut.next().ok_or_else(|| crate::result::wrong("as many results"));
            y = next()?;
            if again {
                x = next()?;
            }
            if !last {
                error = next()?;
            }
        }
        Ok(Approximate { quotient: y, reciprocal: x })
    }

    /// Approximates a quotient so closely that comparisons correct it, and computes what is left of it; otherwise as
    /// [`Plan::quotient`].
    pub(super) fn approximate<M: Machine>(
        &self,
        machine: &mut M,
        [n, d, scale]: [&M::Number; 3],
    ) -> Result<(M::Number, M::Number)> {
        let Plan { fraction, steps, .. } = *self;
        let divisor = self.sizes.divisor;
        let Approximate { quotient: mut y, reciprocal: x } =
            self.quotient(machine, [n, d, scale])?;
        let mut pairs = vec![[&y, d]];
        pairs.extend((steps > 1).then_some([&x, scale]));
        let products = machine.products(&pairs)?;
        let mut rest = machine.linear(0, &[(1, n), (-1, &products[0])])?;
        if let [_, reciprocal] = &products[..] {
            let reciprocal = machine.cut(reciprocal, fraction + MORE + divisor - self.scale)?;
            for step in 1..steps {
                let product = machine.products(&[[&rest, &reciprocal]])?;
                let offset = if step + 1 == steps { self.offset(self.scale) } else { 0 };
                let product = machine.linear(-offset, &[(1, &product[0])])?;
                let more = machine.cut(&product, self.scale)?;
                let product = machine.products(&[[&more, d]])?;
                y = machine.linear(0, &[(1, &y), (1, &more)])?;
                rest = machine.linear(0, &[(1, &rest), (-1, &product[0])])?;
            }
        }
        Ok((y, rest))
    }

    /// What is taken off a number with so many places before they are cut off.
    fn offset(&self, places: u32) -> i128 {
        i128::from(self.twice_offset) << places >> 1
    }
}

/// How a remainder compares, as bits: whether it is negative, and whether it is at least the divisor, and twice the divisor.
struct Over {
    negative: Secret,
    at_least: Vec<Secret>,
}

impl OnShares<'_> {
    /// Both numbers with the other sign where a bit is one.
    fn turned(&mut self, sign: &Secret, numbers: [&Secret; 2]) -> Result<Vec<Secret>> {
        let signs = joined_bits(&[sign, sign]);
        let taken = self.at_once(&numbers, |backend, joined| backend.inject(&signs, joined))?;
        let turned = numbers.iter().zip(&taken);
        turned.map(|(number, taken)| self.linear(0, &[(1, number), (-2, taken)])).collect()
    }

    /// A number times one bit less the same number times another.
    fn with_signs(&mut self, plus: &Secret, minus: &Secret, number: &Secret) -> Result<Secret> {
        let bits = joined_bits(&[plus, minus]);
        let both =
            self.at_once(&[number, number], |backend, joined| backend.inject(&bits, joined))?;
        self.linear(0, &[(1, &both[0]), (-1, &both[1])])
    }

    fn over(&mut self, rest: &Secret, d: &Secret, plan: &Plan) -> Result<Over> {
        let mut less = vec![rest.slice(0..rest.len)];
        for multiple in 1..plan.comparisons() {
            less.push(self.linear(0, &[(1, rest), (-i128::from(multiple), d)])?);
        }
        let joined = Term::Array(Arc::new(Secret::side_by_side(&less)));
        let bits = self.backend.less([&joined, &Term::Constant(0)], plan.remainder_bits())?;
        let mut bits = apart(&bits, less.len()).into_iter();
        let negative = bits.next().ok_or_else(|| crate::result::wrong("a comparison"))?;
        let at_least = bits.map(|bit| self.backend.plus(&bit, 1)).collect::<Result<_>>()?;
        Ok(Over { negative, at_least })
    }

    /// By how much the quotient is off.
    fn counted(&mut self, over: &Over) -> Result<Secret> {
        let bits = over.bits();
        let numbers = self.backend.bit_to_ring(&joined_bits(&bits), self.ring)?;
        self.added_up(&numbers, bits.len())
    }

    /// The same, times the divisor.
    fn taken(&mut self, over: &Over, d: &Secret) -> Result<Secret> {
        let bits = over.bits();
        let copies: Vec<&Secret> = bits.iter().map(|_| d).collect();
        let numbers = self.backend.inject(&joined_bits(&bits), &Secret::side_by_side(&copies))?;
        self.added_up(&numbers, bits.len())
    }

    /// The sum of arrays side by side, the first of them with the other sign.
    fn added_up(&mut self, numbers: &Secret, count: usize) -> Result<Secret> {
        let parts = apart(numbers, count);
        let signs = std::iter::once(-1).chain(std::iter::repeat(1));
        let terms: Vec<(i128, &Secret)> = signs.zip(&parts).collect();
        self.linear(0, &terms)
    }
}

impl Over {
    fn bits(&self) -> Vec<&Secret> {
        std::iter::once(&self.negative).chain(&self.at_least).collect()
    }
}

/// Arrays of bits one after the other, without places between them.
fn joined_bits(arrays: &[&Secret]) -> Secret {
    let length = arrays[0].len;
    let mut all = arrays[0].zeros_like(length * arrays.len());
    for (i, array) in arrays.iter().enumerate() {
        all.copy_in(i * length, array);
    }
    all
}
