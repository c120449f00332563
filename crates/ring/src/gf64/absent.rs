//! What stands for [`Wide`] where there are no such instructions.

use super::{BLOCKS, GRID};

/// What computes on many elements at once. There is no value of this type here.
#[derive(Clone, Copy, Debug)]
pub enum Wide {}

impl Wide {
    /// Gives none.
    #[must_use]
    pub fn detect() -> Option<Self> {
        None
    }

    /// Is never called.
    #[must_use]
    pub fn dot(self, _: &[u64], _: &[u64]) -> u128 {
        match self {}
    }

    /// Is never called.
    pub fn add_weighted<const N: usize>(self, _: [&[u64]; N], _: [u64; N], _: &mut [u64]) {
        match self {}
    }

    /// Is never called.
    #[must_use]
    pub fn squares(self, _: [[&[u64]; 4]; 2], _: [[&[u64]; 4]; 2]) -> [u128; 9] {
        match self {}
    }

    /// Is never called.
    pub fn spread(self, _: &[u64], _: &[u64; BLOCKS], _: Option<&[u64]>, _: &mut [u64]) {
        match self {}
    }

    /// Is never called.
    #[must_use]
    pub fn grid(self, _: [&[u64]; 2], _: [&[u64]; 2], _: &[u64]) -> Box<[u128; GRID]> {
        match self {}
    }
}
