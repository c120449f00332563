//! What opens before anything else, and ends the run unless it is zero.

use super::EvaluateError;
use tacit_net::PartyId;

/// Bits that open to everybody before anything else does, all of which are zero unless a party gave an input a value
/// outside its declared range, or a value left a range that the program checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guard {
    tested: Vec<Tested>,
    /// Whether a last bit says that a value left a range that the program checks.
    checked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tested {
    bits: usize,
    owner: PartyId,
    input: String,
}

impl Guard {
    /// Adds so many bits, of an input of a party.
    pub fn add(&mut self, bits: usize, owner: PartyId, input: &str) {
        self.tested.push(Tested { bits, owner, input: input.to_owned() });
    }

    /// Adds the bit of everything that the program checks, as the last one.
    pub fn check_values(&mut self) {
        self.checked = true;
    }

    /// Whether there are no bits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tested.is_empty() && !self.checked
    }

    /// How many bits there are.
    #[must_use]
    pub fn bits(&self) -> usize {
        self.tested.iter().map(|tested| tested.bits).sum::<usize>() + usize::from(self.checked)
    }

    /// Looks at the bits that opened.
    ///
    /// # Errors
    /// When one is set: says whose input left its range, or that a value did which the program checks. Which values did
    /// is not said.
    pub fn check(&self, mut opened: impl Iterator<Item = bool>) -> Result<(), EvaluateError> {
        for Tested { bits, owner, input } in &self.tested {
            // All of them, so that the next input's come next.
            if opened.by_ref().take(*bits).filter(|bit| *bit).count() > 0 {
                let what = format!(
                    "it shared a value outside the declared range of its input `{input}` (range check); nothing else \
                     was opened"
                );
                return Err(EvaluateError::Misbehaviour { party: owner.index(), what });
            }
        }
        if self.checked && opened.next() == Some(true) {
            return Err(EvaluateError::Check(None));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_of_a_bit_that_is_set_is_named() {
        let mut guard = Guard::default();
        guard.add(2, PartyId(1), "x");
        guard.add(1, PartyId(0), "y");
        assert!(guard.check([false; 3].into_iter()).is_ok());
        for (bit, party, input) in [(0, 1, "`x`"), (1, 1, "`x`"), (2, 0, "`y`")] {
            let error = guard.check((0..3).map(|i| i == bit)).err();
            let Some(EvaluateError::Misbehaviour { party: named, what }) = error else {
                panic!("bit {bit} is not noticed")
            };
            assert!(named == party && what.contains(input), "{bit}: {named}, {what}");
        }
        guard.check_values();
        assert_eq!(guard.bits(), 4);
        assert!(guard.check([false; 4].into_iter()).is_ok());
        let error = guard.check((0..4).map(|i| i == 3)).err();
        assert!(matches!(error, Some(EvaluateError::Check(None))));
    }
}
