//! What to do about a variance that does not fit 64 bits.

use super::{Along, Builder};
use crate::infer::{element, number, shape};
use crate::ir::Op;
use crate::types::{Extent, Interval, PartyId, Type, Visibility};

impl Builder {
    /// Replaces the error that the variance of values of a type does not fit by one that says what
    /// would: fewer fractional bits if that is enough, else a narrower range.
    pub(super) fn advise(&mut self, of: &Type, axis: Option<Extent>, fraction: u8) {
        // Of a result that is too wide, or a cast to fixed point that is.
        let too_wide =
            |message: &str| message.contains(element::REMEDY) || message.contains(number::UNFIT);
        if !self.error.as_ref().is_some_and(|error| too_wide(&error.message)) {
            return;
        }
        let most = axis.and_then(|axis| shape::most(&axis, &self.program.dims)).unwrap_or(u64::MAX);
        let fewer = (0..fraction).rev().find(|&bits| fits(of, of.interval, most, bits));
        let advice = match fewer {
            Some(bits) => format!("ask for fewer fractional bits, with `fraction {bits}`"),
            None => {
                let fits = |range| format!(": {} fits", element::describe(of.element, range));
                let fits = narrower(of, most, fraction).map(fits).unwrap_or_default();
                format!("declare a narrower range for them, or promise one with `assume`{fits}")
            }
        };
        if let Some(error) = &mut self.error {
            error.message = format!(
                "the variance of up to {most} values in {} does not fit 64 bits with {fraction} \
                 fractional bits: {advice}",
                element::describe(of.element, of.interval)
            );
        }
    }
}

/// The widest range that begins as the type's does, or around zero if that has negative values, with
/// a power of two as its end.
fn narrower(of: &Type, most: u64, fraction: u8) -> Option<Interval> {
    let range = |bits: u32| {
        let end = 1i128 << bits;
        let low = if of.interval.low < 0 { -end } else { of.interval.low };
        Interval { low, high: low.max(0) + end }
    };
    let mut narrower = (0..63).rev().map(range).filter(|range| of.interval.contains(*range));
    narrower.find(|range| fits(of, *range, most, fraction))
}

/// Whether the variance of so many values fits.
fn fits(of: &Type, interval: Interval, most: u64, fraction: u8) -> bool {
    let mut trial = Builder::new("trial");
    let party = trial.party("party");
    let rows = trial.rows("rows", most);
    let visibility = Visibility::Private(party);
    let ty = Type { element: of.element, shape: vec![rows.into()], visibility, interval };
    let op = Op::Input { name: "x".into(), party: Some(PartyId(0)), meaning: Default::default() };
    let x = trial.push(op, &[], Some(std::slice::from_ref(&ty)));
    trial.spread_along(x, ty, Along::axis(0), fraction);
    trial.error.is_none()
}
