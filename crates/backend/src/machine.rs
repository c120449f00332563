//! The arithmetic that division, roots and elementary functions are made of, on shares and, in tests, on numbers whose rounding a
//! test chooses.

#[cfg(test)]
pub(crate) mod rounded;

use crate::{Backend, Result, Ring, Secret};

/// Numbers modulo `2^bits`, and what is done with them. Each call takes the rounds of one operation.
pub(crate) trait Machine {
    /// A number, or an array of numbers.
    type Number;

    /// Products, all at once.
    fn products(&mut self, pairs: &[[&Self::Number; 2]]) -> Result<Vec<Self::Number>>;

    /// `constant` and numbers times factors, added up. Local.
    fn linear(&mut self, constant: i128, terms: &[(i128, &Self::Number)]) -> Result<Self::Number>;

    /// Numbers below `2^(bits - 2)` in absolute value over `2^by`, rounded down or up, all at once.
    fn truncate(&mut self, numbers: &[&Self::Number], by: u32) -> Result<Vec<Self::Number>>;

    /// Numbers over powers of two, all at once: all are truncated by as many places as the one of the most.
    fn truncated(&mut self, numbers: &[(&Self::Number, i64)]) -> Result<Vec<Self::Number>> {
        let most = numbers.iter().map(|(_, by)| *by).max().unwrap_or(0).max(0);
        let up = |by: i64| 1i128 << (most - by);
        let scaled = numbers.iter().map(|(number, by)| self.linear(0, &[(up(*by), number)]));
        let scaled = scaled.collect::<Result<Vec<_>>>()?;
        if most == 0 {
            return Ok(scaled);
        }
        self.truncate(&scaled.iter().collect::<Vec<_>>(), most as u32)
    }

    /// One number over a power of two.
    fn cut(&mut self, number: &Self::Number, by: u32) -> Result<Self::Number> {
        let mut all = self.truncated(&[(number, by.into())])?;
        Ok(all.swap_remove(0))
    }
}

/// Arrays of a ring on shares.
pub(crate) struct OnShares<'b> {
    pub backend: &'b mut dyn Backend,
    pub ring: Ring,
}

impl OnShares<'_> {
    /// Applies an operation to arrays of one length one after the other.
    pub fn at_once(
        &mut self,
        arrays: &[&Secret],
        apply: impl FnOnce(&mut dyn Backend, &Secret) -> Result<Secret>,
    ) -> Result<Vec<Secret>> {
        let done = apply(self.backend, &Secret::side_by_side(arrays))?;
        Ok(apart(&done, arrays.len()))
    }
}

/// As many arrays of one length as were put one after the other, without places between them.
pub(crate) fn apart(joined: &Secret, count: usize) -> Vec<Secret> {
    let length = joined.len / count;
    (0..count).map(|i| joined.slice(i * length..(i + 1) * length)).collect()
}

impl Machine for OnShares<'_> {
    type Number = Secret;

    fn products(&mut self, pairs: &[[&Secret; 2]]) -> Result<Vec<Secret>> {
        let side =
            |i: usize| Secret::side_by_side(&pairs.iter().map(|pair| pair[i]).collect::<Vec<_>>());
        let bits = [self.ring.bits(); 2];
        let joined = self.backend.multiply(&side(0), &side(1), bits)?;
        Ok(apart(&joined, pairs.len()))
    }

    fn linear(&mut self, constant: i128, terms: &[(i128, &Secret)]) -> Result<Secret> {
        let mut all: Option<Secret> = None;
        for (factor, number) in terms {
            all = Some(match (all, *factor) {
                (Some(sum), 1) => self.backend.sum(&sum, number, false)?,
                (Some(sum), -1) => self.backend.sum(&sum, number, true)?,
                (Some(sum), factor) => {
                    let scaled = self.backend.times(number, factor)?;
                    self.backend.sum(&sum, &scaled, false)?
                }
                (None, factor) => self.backend.times(number, factor)?,
            });
        }
        let all = all.ok_or_else(|| crate::result::wrong("a sum of nothing"))?;
        if constant == 0 { Ok(all) } else { self.backend.plus(&all, constant) }
    }

    fn truncate(&mut self, numbers: &[&Secret], by: u32) -> Result<Vec<Secret>> {
        self.at_once(numbers, |backend, joined| backend.truncate(joined, by))
    }
}
