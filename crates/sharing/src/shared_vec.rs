//! Shared arrays.

use crate::role::{COMPONENTS, Few, Role, Share};
use crate::shares::{Runs, RunsMut};
use std::ops::Range;
use tacit_ring::{Buffer, Word};

/// A shared array, component by component.
pub struct SharedVec<W> {
    /// First components.
    pub first: Buffer<W>,
    /// Second components.
    pub second: Buffer<W>,
    /// Third components under protocols whose shares have three; else empty.
    pub third: Buffer<W>,
}

impl<W: Word> SharedVec<W> {
    /// `n` zero shares of two components.
    #[must_use]
    pub fn zeros(n: usize) -> Self {
        SharedVec::pair(Buffer::zeros(n), Buffer::zeros(n))
    }

    /// `n` zero shares of a role.
    #[must_use]
    pub fn zeros_of<P: Role>(n: usize) -> Self {
        let third = if P::Share::<W>::COUNT > 2 { n } else { 0 };
        SharedVec { third: Buffer::zeros(third), ..SharedVec::zeros(n) }
    }

    /// `n` zero shares of as many components as those of one of `others` have.
    #[must_use]
    pub fn zeros_like<'a>(n: usize, others: impl IntoIterator<Item = &'a Self>) -> Self
    where
        W: 'a,
    {
        let three = others.into_iter().any(|other| !other.third.is_empty());
        SharedVec { third: Buffer::zeros(if three { n } else { 0 }), ..SharedVec::zeros(n) }
    }

    /// Shares of two components.
    #[must_use]
    pub fn pair(first: Buffer<W>, second: Buffer<W>) -> Self {
        SharedVec { first, second, third: Buffer::default() }
    }

    /// Shares of a role: the components of a slot.
    #[must_use]
    pub fn copied(runs: [&[W]; COMPONENTS]) -> Self {
        let [first, second, third] = runs.map(Buffer::from_slice);
        SharedVec { first, second, third }
    }

    /// Does the same to every component that there is.
    #[must_use]
    pub fn map<T: Word>(&self, f: impl Fn(&Buffer<W>) -> Buffer<T>) -> SharedVec<T> {
        let third = if self.third.is_empty() { Buffer::default() } else { f(&self.third) };
        SharedVec { first: f(&self.first), second: f(&self.second), third }
    }

    /// All components; a third one is empty if there is none.
    #[must_use]
    pub fn components(&self) -> [&[W]; COMPONENTS] {
        [&self.first, &self.second, &self.third]
    }

    /// All components, to write.
    pub fn components_mut(&mut self) -> [&mut [W]; COMPONENTS] {
        [&mut self.first, &mut self.second, &mut self.third]
    }

    /// Writes all of `from` from place `at`.
    ///
    /// # Panics
    /// If there is no room.
    pub fn copy_in(&mut self, at: usize, from: &Self) {
        if self.third.len() < self.len() && !from.third.is_empty() {
            self.third = Buffer::zeros(self.len());
        }
        for (to, from) in self.components_mut().into_iter().zip(from.components()) {
            if !from.is_empty() {
                to[at..at + from.len()].copy_from_slice(from);
            }
        }
    }

    /// Copies the first two components of elements.
    pub(crate) fn copy_to(&self, at: Range<usize>, to: &mut [Buffer<W>; 2]) {
        to[0].copy_from_slice(&self.first[at.clone()]);
        to[1].copy_from_slice(&self.second[at]);
    }

    /// Number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The first two components at `i`.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, i: usize) -> Share<W> {
        [self.first[i], self.second[i]]
    }

    pub(crate) fn runs(&self, at: Range<usize>) -> Runs<'_, W> {
        let third = if self.third.is_empty() { &[] } else { &self.third[at.clone()] };
        [&self.first[at.clone()], &self.second[at], third]
    }

    pub(crate) fn runs_mut(&mut self, at: Range<usize>) -> RunsMut<'_, W> {
        let third: &mut [W] =
            if self.third.is_empty() { &mut [] } else { &mut self.third[at.clone()] };
        [&mut self.first[at.clone()], &mut self.second[at], third]
    }
}
