//! What is proven of the messages of polynomial gates, on shares of replicated sharing: [`Relations`](super::plan::Relations)
//! as sums of products of shared values, given to [`Role::keep`].
//!
//! Nothing is sent for it. Of the three components, with `w` the masked value and `d` the mask of an input, the sharing of `w`
//! is `w` in component 1, which P0 and P1 have, and zero in the others; that of `d` is zero in component 1, and what P2 has
//! in common with P0 in component 0, with P1 in component 2. Honest roles have the same of each component, whatever the
//! third one sent.

use super::wide::Gate;
use crate::SharingError;
use crate::party::Party;
use crate::role::Role;
use crate::shares::{Runs, Shares};
use std::collections::VecDeque;
use tacit_ring::{Buffer, Word};

/// The component that both evaluators have.
const MASKED: usize = 1;

/// What a role has of the products of masks that are dealt: the helper all of it, evaluators one component.
pub(super) struct Dealt<W> {
    first: Buffer<W>,
    second: Buffer<W>,
}

impl<W: Word> Dealt<W> {
    /// What the helper sent to P1, and what it drew with P0.
    pub fn of_helper(sent: &[W], drawn: &[W]) -> Self {
        Dealt { first: Buffer::from_slice(sent), second: Buffer::from_slice(drawn) }
    }

    /// What an evaluator drew, or received.
    pub fn of_evaluator(words: &[W]) -> Self {
        Dealt { first: Buffer::from_slice(words), second: Buffer::default() }
    }
}

/// Both components of some shared words, this role's own and the next role's.
type Two<W> = [Buffer<W>; 2];

fn zeros<W: Word>(len: usize) -> Two<W> {
    [Buffer::zeros(len), Buffer::zeros(len)]
}

fn runs<W: Word>(two: &Two<W>) -> Runs<'_, W> {
    [&two[0], &two[1], &[]]
}

/// The gates that have begun and are not finished, oldest first.
pub(super) struct Scratch<W> {
    begun: VecDeque<Dealt<W>>,
}

impl<W> Default for Scratch<W> {
    fn default() -> Self {
        Scratch { begun: VecDeque::new() }
    }
}

impl<W: Word> Scratch<W> {
    /// Keeps what was dealt for a gate until it is finished.
    pub fn began(&mut self, dealt: Dealt<W>) {
        self.begun.push_back(dealt);
    }

    /// Keeps what is proven of the gate that began first, which is finished but for what is added to its outputs as it is:
    /// its inputs' components, and at evaluators the products of its inputs' masked values.
    ///
    /// # Errors
    /// When no gate began, or it cannot be kept.
    pub fn keep<P: Role>(
        &mut self,
        party: &mut Party<'_>,
        shares: &Shares<W>,
        gate: Gate<'_>,
        (inputs, masked): ([&[W]; 2], &[W]),
    ) -> Result<(), SharingError> {
        let dealt = self.begun.pop_front();
        let dealt = dealt.ok_or_else(|| SharingError::Shape("a gate that never began".into()))?;
        let words = shares.words();
        let masks = Masks::<W>::of::<P>(gate, words, inputs, &dealt);
        let at = Kept { gate, words, masks: &masks, masked };
        at.singles::<P>(party)?;
        at.fused::<P>(party)?;
        at.exchanges::<P>(party, shares)
    }
}

/// The table of products of masks, as a role has it.
struct Masks<W> {
    table: Two<W>,
    /// Fused sums, by output.
    fused: Two<W>,
}

impl<W: Word> Masks<W> {
    fn of<P: Role>(gate: Gate<'_>, words: usize, inputs: [&[W]; 2], dealt: &Dealt<W>) -> Self {
        let plan = gate.plan;
        let (mut table, mut fused) = (zeros(plan.table() * words), zeros(0));
        let singles = plan.singles.len() * words;
        for c in 0..2 {
            if (P::ROLE + c) % 3 == MASKED {
                fused[c] = Buffer::zeros(plan.messages() * words - singles);
                continue;
            }
            let of_inputs = &mut table[c][words..words + plan.inputs * words];
            for (to, component) in of_inputs.iter_mut().zip(inputs[c]) {
                *to = component.neg();
            }
            // The helper's own component is the one that P1 has, too.
            let dealt = if P::ROLE == 2 && c == 1 { &dealt.second } else { &dealt.first };
            for (entry, run) in plan.singles.iter().zip(dealt.chunks_exact(words)) {
                let at = *entry as usize * words;
                table[c][at..at + words].copy_from_slice(run);
            }
            fused[c] = Buffer::from_slice(&dealt[singles..]);
        }
        Masks { table, fused }
    }
}

/// A gate of which statements are kept.
struct Kept<'a, W> {
    gate: Gate<'a>,
    words: usize,
    masks: &'a Masks<W>,
    /// At evaluators the table of products of masked values.
    masked: &'a [W],
}

/// Writes a run of words as the terms of as many results, each of which has so many.
fn place<W: Word>(to: &mut [W], run: &[W], (term, terms): (usize, usize), minus: bool) {
    for (to, word) in to.iter_mut().skip(term).step_by(terms).zip(run) {
        *to = if minus { word.neg() } else { *word };
    }
}

impl<W: Word> Kept<'_, W> {
    fn mask(&self, c: usize, entry: u32) -> &[W] {
        &self.masks.table[c][entry as usize * self.words..][..self.words]
    }

    /// Products of masks that are dealt by themselves.
    fn singles<P: Role>(&self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let pairs = &self.gate.plan.relations().singles;
        if pairs.is_empty() {
            return Ok(());
        }
        let total = pairs.len() * self.words;
        let [mut x, mut y, mut z] = [(); 3].map(|()| zeros(total));
        for (index, pair) in pairs.iter().enumerate() {
            let at = index * self.words..(index + 1) * self.words;
            for c in 0..2 {
                x[c][at.clone()].copy_from_slice(self.mask(c, pair.rest));
                y[c][at.clone()].copy_from_slice(self.mask(c, pair.input));
                z[c][at.clone()].copy_from_slice(self.mask(c, pair.product));
            }
        }
        P::keep(party, [runs(&x), runs(&y)], runs(&z), 1)
    }

    /// Sums of products of masks, each dealt as one.
    fn fused<P: Role>(&self, party: &mut Party<'_>) -> Result<(), SharingError> {
        let plan = self.gate.plan;
        for (output, pairs) in plan.relations().fused.iter().enumerate() {
            let (words, terms) = (self.words, pairs.len());
            let [mut x, mut y] = [(); 2].map(|()| zeros(terms * words));
            for (term, pair) in pairs.iter().enumerate() {
                for c in 0..2 {
                    let minus = plan.is_odd(pair.product);
                    place(&mut x[c], self.mask(c, pair.rest), (term, terms), minus);
                    place(&mut y[c], self.mask(c, pair.input), (term, terms), false);
                }
            }
            let at = output * words..(output + 1) * words;
            let [own, next] = &self.masks.fused;
            let z = [&own[at.clone()], &next[at], &[][..]];
            P::keep(party, [runs(&x), runs(&y)], z, terms)?;
        }
        Ok(())
    }

    /// What the evaluators' messages make of what was dealt.
    fn exchanges<P: Role>(
        &self,
        party: &mut Party<'_>,
        shares: &Shares<W>,
    ) -> Result<(), SharingError> {
        let plan = self.gate.plan;
        let add = |to: &mut [W], run: &[W], minus: bool| {
            for (to, word) in to.iter_mut().zip(run) {
                *to = if minus { to.sub(*word) } else { to.add(*word) };
            }
        };
        let product = |entry: u32| &self.masked[entry as usize * self.words..][..self.words];
        let mut factor = Buffer::zeros(self.words);
        for (index, exchange) in plan.relations().exchanges.iter().enumerate() {
            let (words, terms) = (self.words, exchange.terms.len());
            let [mut x, mut y] = [(); 2].map(|()| zeros(terms * words));
            let mut z = zeros(words);
            for c in 0..2 {
                z[c].copy_from_slice(shares.runs(self.gate.outputs[index])[c]);
                let evaluators = (P::ROLE + c) % 3 == MASKED;
                for (term, (entry, factors)) in exchange.terms.iter().enumerate() {
                    let minus = plan.is_odd(*entry);
                    if evaluators {
                        factor.fill(W::ZERO);
                        for product_of in &exchange.factors[factors.clone()] {
                            add(&mut factor, product(*product_of), minus);
                        }
                        place(&mut x[c], &factor, (term, terms), false);
                    }
                    place(&mut y[c], self.mask(c, *entry), (term, terms), false);
                }
                for entry in plan.outputs[index].products.iter().filter(|_| evaluators) {
                    add(&mut z[c], product(*entry), true);
                }
                for entry in &exchange.dealt {
                    add(&mut z[c], self.mask(c, *entry), !plan.is_odd(*entry));
                }
                if plan.fused {
                    let at = index * words..(index + 1) * words;
                    add(&mut z[c], &self.masks.fused[c][at], true);
                }
            }
            P::keep(party, [runs(&x), runs(&y)], runs(&z), terms)?;
        }
        Ok(())
    }
}

/// Keeps the outputs of a gate that are sums of products of two factors, before what is added to them as it is.
///
/// # Errors
/// When they cannot be kept.
pub(super) fn keep_sums<P: Role, W: Word>(
    party: &mut Party<'_>,
    shares: &Shares<W>,
    gate: Gate<'_>,
) -> Result<(), SharingError> {
    let words = shares.words();
    for (slot, output) in gate.outputs.iter().zip(&gate.plan.outputs) {
        let terms = output.pairs.len();
        let [mut x, mut y] = [(); 2].map(|()| zeros(terms * words));
        for (term, (a, b)) in output.pairs.iter().enumerate() {
            for (to, input) in [(&mut x, *a), (&mut y, *b)] {
                let from = shares.runs(gate.inputs[input as usize]);
                to.iter_mut().zip(from).for_each(|(to, run)| {
                    place(to, run, (term, terms), false);
                });
            }
        }
        P::keep(party, [runs(&x), runs(&y)], shares.runs(*slot), terms)?;
    }
    Ok(())
}
