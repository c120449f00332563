//! Comparisons and bits of ring elements in masked coordinates: circuits on the bits of `m` and of
//! `lambda`, where `a = m - lambda`.

use super::{Backend, Name, Planes, Result, Secret, Term, wrong};

/// A backend that computes on masked coordinates.
pub(super) trait MaskedBits: Backend {
    /// The low `bits` bits of `m` and of `lambda`.
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]>;

    /// Evaluates a circuit on them.
    fn on_masked(&mut self, name: Name, a: &Secret, bits: u32) -> Result<Planes> {
        let circuit = self.circuits().get(name);
        let [m, lambda] = self.masked_bits(a, bits)?;
        Ok(self.circuit(&circuit, &[&m, &lambda])?.remove(0))
    }

    /// Evaluates a comparison with zero on `a - b`.
    fn compare(&mut self, name: Name, pair: [&Term; 2], bits: u32) -> Result<Secret> {
        let difference = match pair {
            [Term::Array(a), Term::Array(b)] => a.sum(b, true),
            [Term::Array(a), Term::Constant(b)] => self.plus(a, b.wrapping_neg())?,
            [Term::Constant(a), Term::Array(b)] => self.plus(&b.scale(&[-1]), *a)?,
            [Term::Constant(_), Term::Constant(_)] => return Err(wrong("two constants")),
        };
        Ok(self.on_masked(name, &difference, bits)?.plane(0))
    }
}

/// What [`Backend`] wants of comparisons, for a backend with masked bits.
macro_rules! comparisons {
    () => {
        fn less(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
            self.compare(Name::Sign(bits), pair, bits)
        }

        fn equal(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret> {
            self.compare(Name::Equal(bits), pair, bits)
        }

        fn low_bits(&mut self, a: &Secret, bits: u32) -> Result<Planes> {
            self.on_masked(Name::Difference(bits), a, bits)
        }
    };
}
pub(super) use comparisons;
