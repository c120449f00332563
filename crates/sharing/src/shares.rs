//! The shares of one block of lanes, by slot.

use crate::role::Role;
use tacit_circuit::schedule::{Linear, Slot};
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word, Z2};

/// For every slot two runs of `words` ring words: the first and the second component of the
/// shares of one block of lanes.
pub struct Shares<W> {
    words: usize,
    data: Buffer<W>,
}

impl<W: Word> Shares<W> {
    /// Zero shares in `slots` slots of `words` words.
    #[must_use]
    pub fn new(slots: usize, words: usize) -> Self {
        Shares { words, data: Buffer::zeros(slots * 2 * words) }
    }

    /// Words per component.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        let start = slot as usize * 2 * self.words;
        start..start + 2 * self.words
    }

    /// Both components of a slot.
    #[must_use]
    pub fn get(&self, slot: Slot) -> (&[W], &[W]) {
        self.data[self.range(slot)].split_at(self.words)
    }

    /// Both components of a slot, to write.
    pub fn get_mut(&mut self, slot: Slot) -> (&mut [W], &mut [W]) {
        let range = self.range(slot);
        self.data[range].split_at_mut(self.words)
    }

    /// Copies of some slots, in order.
    #[must_use]
    pub fn subset(&self, slots: &[Slot]) -> Self {
        let mut copy = Shares::new(slots.len(), self.words);
        for (to, from) in (0..).zip(slots) {
            let range = copy.range(to);
            copy.data[range].copy_from_slice(&self.data[self.range(*from)]);
        }
        copy
    }

    /// A slot to write and two others to read, components side by side.
    ///
    /// # Panics
    /// When the slots are not distinct; a schedule's are.
    #[inline(always)]
    pub(crate) fn three(&mut self, dst: Slot, a: Slot, b: Slot) -> (&mut [W], &[W], &[W]) {
        let ranges = [self.range(dst), self.range(a), self.range(b)];
        let [dst, a, b] = self.data.get_disjoint_mut(ranges).expect("slots are distinct");
        (dst, a, b)
    }

    #[inline(always)]
    fn two(&mut self, dst: Slot, a: Slot) -> (&mut [W], &[W]) {
        let ranges = [self.range(dst), self.range(a)];
        let [dst, a] = self.data.get_disjoint_mut(ranges).expect("slots are distinct");
        (dst, a)
    }
}

impl<W: Word> Shares<W> {
    /// `dst += a`. Local.
    pub(crate) fn add_assign(&mut self, dst: Slot, a: Slot) {
        let (dst, a) = self.two(dst, a);
        for (dst, a) in dst.iter_mut().zip(a) {
            *dst = dst.add(*a);
        }
    }
}

impl Shares<Z2> {
    /// Evaluates linear gates in order. Local.
    pub fn linear<P: Role>(&mut self, gates: &[Linear]) {
        simd::run(LinearKernel::<P> { shares: self, gates, role: std::marker::PhantomData });
    }
}

struct LinearKernel<'a, P> {
    shares: &'a mut Shares<Z2>,
    gates: &'a [Linear],
    role: std::marker::PhantomData<P>,
}

impl<P: Role> Kernel for LinearKernel<'_, P> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let words = self.shares.words;
        let one = P::constant(Z2::ONE);
        for gate in self.gates {
            match *gate {
                Linear::Xor { dst, a, b } => {
                    let (dst, a, b) = self.shares.three(dst, a, b);
                    for ((d, a), b) in dst.iter_mut().zip(a).zip(b) {
                        *d = a.add(*b);
                    }
                }
                Linear::Not { dst, a } => {
                    let (dst, a) = self.shares.two(dst, a);
                    for (i, (d, a)) in dst.iter_mut().zip(a).enumerate() {
                        *d = a.add(one[usize::from(i >= words)]);
                    }
                }
                Linear::Const { dst, value } => {
                    let share = P::constant(if value { Z2::ONE } else { Z2::ZERO });
                    let (first, second) = self.shares.get_mut(dst);
                    first.fill(share[0]);
                    second.fill(share[1]);
                }
            }
        }
    }
}
