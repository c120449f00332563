//! The shares of one block of lanes, by slot.

use crate::role::{COMPONENTS, Few, Role};
use tacit_circuit::schedule::{Linear, Slot};
use tacit_ring::simd::{self, Kernel};
use tacit_ring::{Buffer, Word, Z2};

/// For every slot a run of `words` ring words per component of the shares of one block of lanes: two,
/// or three under some protocols.
pub struct Shares<W> {
    words: usize,
    components: usize,
    data: Buffer<W>,
}

/// One run per component; of two components the third is empty.
pub type Runs<'a, W> = [&'a [W]; COMPONENTS];
/// One mutable run per component; of two components the third is empty.
pub type RunsMut<'a, W> = [&'a mut [W]; COMPONENTS];

impl<W: Word> Shares<W> {
    /// Zero shares of two components in `slots` slots of `words` words.
    #[must_use]
    pub fn new(slots: usize, words: usize) -> Self {
        Shares::with(2, slots, words)
    }

    /// Zero shares of a role.
    #[must_use]
    pub fn of<P: Role>(slots: usize, words: usize) -> Self {
        Shares::with(P::Share::<W>::COUNT, slots, words)
    }

    /// Zeros in `slots` slots of `words` words for each of so many components.
    #[must_use]
    pub fn with(components: usize, slots: usize, words: usize) -> Self {
        Shares { words, components, data: Buffer::zeros(slots * components * words) }
    }

    /// Components of a share.
    #[must_use]
    pub fn components(&self) -> usize {
        self.components
    }

    /// Words per component.
    #[must_use]
    pub fn words(&self) -> usize {
        self.words
    }

    fn range(&self, slot: Slot) -> std::ops::Range<usize> {
        let size = self.components * self.words;
        let start = slot as usize * size;
        start..start + size
    }

    /// The first two components of a slot.
    #[must_use]
    pub fn get(&self, slot: Slot) -> (&[W], &[W]) {
        let [first, second, _] = self.runs(slot);
        (first, second)
    }

    /// The first two components of a slot, to write.
    pub fn get_mut(&mut self, slot: Slot) -> (&mut [W], &mut [W]) {
        let [first, second, _] = self.runs_mut(slot);
        (first, second)
    }

    /// All components of a slot, a third one empty if there is none.
    #[must_use]
    pub fn runs(&self, slot: Slot) -> Runs<'_, W> {
        split(&self.data[self.range(slot)], self.words)
    }

    /// All components of a slot, to write.
    pub fn runs_mut(&mut self, slot: Slot) -> RunsMut<'_, W> {
        let range = self.range(slot);
        split_mut(&mut self.data[range], self.words)
    }

    /// Copies of some slots, in order.
    #[must_use]
    pub fn subset(&self, slots: &[Slot]) -> Self {
        let mut copy = Shares::with(self.components, slots.len(), self.words);
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
    pub fn three(&mut self, dst: Slot, a: Slot, b: Slot) -> (&mut [W], &[W], &[W]) {
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

/// Components that lie side by side.
#[inline(always)]
pub(crate) fn split<W>(share: &[W], words: usize) -> Runs<'_, W> {
    let (first, rest) = share.split_at(words);
    let (second, third) = rest.split_at(words.min(rest.len()));
    [first, second, third]
}

/// Components that lie side by side, to write.
#[inline(always)]
pub(crate) fn split_mut<W>(share: &mut [W], words: usize) -> RunsMut<'_, W> {
    let (first, rest) = share.split_at_mut(words);
    let (second, third) = rest.split_at_mut(words.min(rest.len()));
    [first, second, third]
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
        let one = P::constant(Z2::ONE);
        self.linear_with(gates, &[one[0], one[1], Z2::ZERO][..self.components]);
    }

    /// Evaluates linear gates in order, where `one` is the share of one, component by component.
    /// Local.
    pub fn linear_with(&mut self, gates: &[Linear], one: &[Z2]) {
        simd::run(LinearKernel { shares: self, gates, one });
    }
}

struct LinearKernel<'a> {
    shares: &'a mut Shares<Z2>,
    gates: &'a [Linear],
    one: &'a [Z2],
}

impl Kernel for LinearKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let words = self.shares.words;
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
                    let runs = dst.chunks_exact_mut(words).zip(a.chunks_exact(words));
                    for ((dst, a), one) in runs.zip(self.one) {
                        for (d, a) in dst.iter_mut().zip(a) {
                            *d = a.add(*one);
                        }
                    }
                }
                Linear::Const { dst, value } => {
                    let range = self.shares.range(dst);
                    let runs = self.shares.data[range].chunks_exact_mut(words);
                    for (run, one) in runs.zip(self.one) {
                        run.fill(if value { *one } else { Z2::ZERO });
                    }
                }
            }
        }
    }
}
