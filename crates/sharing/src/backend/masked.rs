//! Comparisons and bits of ring elements in masked coordinates: circuits on the bits of `m` and of
//! `lambda`, where `a = m - lambda`.

use super::{Bits, Name, Planes, Result, Secret};

/// A backend that computes on masked coordinates.
pub(super) trait MaskedBits: Bits {
    /// The low `bits` bits of `m` and of `lambda`.
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]>;

    /// Evaluates a circuit on them.
    fn on_masked(&mut self, name: Name, a: &Secret, bits: u32) -> Result<Planes> {
        let circuit = self.circuits().get(name);
        let [m, lambda] = self.masked_bits(a, bits)?;
        Ok(self.circuit(&circuit, &[&m, &lambda])?.remove(0))
    }

    /// Whether numbers of `bits` bits are negative.
    fn negative(&mut self, a: &Secret, bits: u32) -> Result<Secret> {
        Ok(self.on_masked(Name::Sign(bits), a, bits)?.plane(0))
    }

    /// Whether numbers of `bits` bits are zero.
    fn zero(&mut self, a: &Secret, bits: u32) -> Result<Secret> {
        Ok(self.on_masked(Name::Equal(bits), a, bits)?.plane(0))
    }
}
