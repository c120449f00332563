//! Shared bits of many values, plane after plane.

use crate::arrays::SharedVec;
use crate::reseat::Reseat;
use crate::role::Role;
use crate::wires::Wires;
use std::ops::Range;
use tacit_ring::{Buffer, Word, Z2, transpose, word};

/// Shares of bits, plane after plane: bit `j` of value `i` is lane `i` of plane `j`, and a plane
/// has `lanes.div_ceil(64)` words. Lanes beyond the last are unspecified.
pub struct BitPlanes {
    /// The shares; none where there are wires.
    pub shares: SharedVec<Z2>,
    /// Wires, or their labels, in place of shares.
    pub wires: Option<Wires>,
    /// Number of values.
    pub lanes: usize,
}

impl BitPlanes {
    /// Planes of `lanes` values that are held as shares.
    #[must_use]
    pub fn shared(shares: SharedVec<Z2>, lanes: usize) -> Self {
        BitPlanes { shares, wires: None, lanes }
    }

    /// Converts the shares to the roles of another assignment. The planes must be shares, not wires.
    #[must_use]
    pub fn reseated(&self, to: &Reseat) -> Self {
        BitPlanes::shared(to.apply(&self.shares), self.lanes)
    }

    /// Planes that are held as garbled wires, one wire for each plane and lane.
    #[must_use]
    pub fn of_wires(wires: Wires, lanes: usize) -> Self {
        BitPlanes { shares: SharedVec::zeros(0), wires: Some(wires), lanes }
    }

    /// Zeros.
    #[must_use]
    pub fn zeros(planes: usize, lanes: usize) -> Self {
        BitPlanes::shared(SharedVec::zeros(planes * lanes.div_ceil(64)), lanes)
    }

    /// Zeros of a role.
    #[must_use]
    pub fn zeros_of<P: Role>(planes: usize, lanes: usize) -> Self {
        BitPlanes::shared(SharedVec::zeros_of::<P>(planes * lanes.div_ceil(64)), lanes)
    }

    /// Zeros, of as many components as one of `others` has.
    #[must_use]
    pub fn zeros_like<'a>(
        planes: usize,
        lanes: usize,
        others: impl IntoIterator<Item = &'a BitPlanes>,
    ) -> Self {
        let others: Vec<&BitPlanes> = others.into_iter().collect();
        if let Some(wires) = others.iter().find_map(|other| other.wires.as_ref()) {
            return BitPlanes::of_wires(wires.zeros_like(planes * lanes), lanes);
        }
        let others = others.into_iter().map(|other| &other.shares);
        BitPlanes::shared(SharedVec::zeros_like(planes * lanes.div_ceil(64), others), lanes)
    }

    /// Words of a plane.
    #[must_use]
    pub fn words(&self) -> usize {
        self.lanes.div_ceil(64)
    }

    /// Number of planes.
    #[must_use]
    pub fn planes(&self) -> usize {
        if let Some(wires) = &self.wires {
            return wires.len().checked_div(self.lanes).unwrap_or(0);
        }
        self.shares.len().checked_div(self.words()).unwrap_or(0)
    }

    /// A copy with zeros in the lanes beyond the last.
    #[must_use]
    pub fn only_lanes(&self) -> BitPlanes {
        let mut copy = self.range(0..self.planes());
        if self.wires.is_some() {
            return copy;
        }
        let kept = Z2(u64::MAX >> ((64 - self.lanes % 64) % 64));
        for run in copy.shares.components_mut() {
            for plane in run.chunks_exact_mut(self.words().max(1)) {
                let last = plane.len() - 1;
                plane[last] = plane[last].mul(kept);
            }
        }
        copy
    }

    /// A copy of plane `j`.
    #[must_use]
    pub fn plane(&self, j: usize) -> BitPlanes {
        self.range(j..j + 1)
    }

    /// A copy of planes `at`.
    #[must_use]
    pub fn range(&self, at: Range<usize>) -> BitPlanes {
        if let Some(wires) = &self.wires {
            let at = at.start * self.lanes..at.end * self.lanes;
            return BitPlanes::of_wires(wires.range(at), self.lanes);
        }
        let at = at.start * self.words()..at.end * self.words();
        let shares = self.shares.map(|run| Buffer::from_slice(&run[at.clone()]));
        BitPlanes::shared(shares, self.lanes)
    }
}

/// Bit planes of words in the clear. Local.
#[must_use]
pub fn to_planes<W: Word>(values: &[W], bits: usize) -> Buffer<Z2> {
    let mut planes = Buffer::<Z2>::zeros(bits * values.len().div_ceil(64));
    if !values.is_empty() {
        transpose::pack(values, bits, word::lanes_mut(&mut planes));
    }
    planes
}
