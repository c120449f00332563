//! Products that are made by a protocol's own method ([`Role::MADE`]), gate by gate or array by array.

use crate::SharingError;
use crate::arrays::{Cut, SharedVec};
use crate::party::Party;
use crate::products::{PIECE, products_in};
use crate::role::Role;
use crate::shares::Shares;
use std::collections::VecDeque;
use std::ops::Range;
use tacit_circuit::schedule::{Product, Slot};
use tacit_ring::{Buffer, Word};

/// Factors of results that are under way together, in words.
const UNDER_WAY: usize = 1 << 18;

/// Both components of both factors.
type Factors<W> = [[Buffer<W>; 2]; 2];

fn runs<W: Word>(factors: &Factors<W>) -> [[&[W]; 2]; 2] {
    factors.each_ref().map(|factor| factor.each_ref().map(|run| &run[..]))
}

/// The factors of gates, gate after gate.
fn gathered<W: Word>(shares: &Shares<W>, gates: &[Product]) -> Factors<W> {
    let words = shares.words();
    let gather = |slot: fn(&Product) -> Slot, component: usize| {
        let mut run = Buffer::zeros(gates.len() * words);
        for (to, gate) in run.chunks_exact_mut(words.max(1)).zip(gates) {
            to.copy_from_slice(shares.runs(slot(gate))[component]);
        }
        run
    };
    let factors: [fn(&Product) -> Slot; 2] = [|gate| gate.a, |gate| gate.b];
    factors.map(|slot| [0, 1].map(|component| gather(slot, component)))
}

/// Begins the products of a level's gates.
///
/// # Errors
/// When the network fails, or a peer sends what no honest party does.
pub(crate) fn begin_gates<P: Role, W: Word>(
    party: &mut Party<'_>,
    shares: &Shares<W>,
    gates: &[Product],
) -> Result<(), SharingError> {
    for gates in gates.chunks(products_in(PIECE, shares.words())) {
        P::begin_made(party, runs(&gathered(shares, gates)), 1)?;
    }
    Ok(())
}

/// Finishes the products that [`begin_gates`] began. A schedule keeps factors until their level is finished.
///
/// # Errors
/// When the network fails, or a peer sends what no honest party does.
pub(crate) fn finish_gates<P: Role, W: Word>(
    party: &mut Party<'_>,
    shares: &mut Shares<W>,
    gates: &[Product],
) -> Result<(), SharingError> {
    let words = shares.words();
    for gates in gates.chunks(products_in(PIECE, words)) {
        let factors = gathered(shares, gates);
        let mut out = [0, 1].map(|_| Buffer::zeros(gates.len() * words));
        P::finish_made(party, runs(&factors), 1, out.each_mut().map(|run| &mut run[..]))?;
        for (component, run) in out.iter().enumerate() {
            for (gate, from) in gates.iter().zip(run.chunks_exact(words.max(1))) {
                shares.runs_mut(gate.dst)[component].copy_from_slice(from);
            }
        }
    }
    party.prove_if_many()
}

/// Results, each the sum of `terms` products, whose factors `gather` gives, result after result.
///
/// # Errors
/// When the network fails, or a peer sends what no honest party does.
pub(crate) fn results<P: Role, W: Word>(
    party: &mut Party<'_>,
    cut: Cut,
    out: &mut SharedVec<W>,
    terms: usize,
    gather: impl Fn(Range<usize>, &mut Factors<W>),
) -> Result<(), SharingError> {
    if terms == 0 {
        out.components_mut().into_iter().for_each(|run| run.fill(W::ZERO));
        return Ok(());
    }
    let piece = (cut.piece / terms).max(1);
    let window = (UNDER_WAY / (piece * terms)).clamp(1, cut.window.max(1));
    let mut begun: VecDeque<(Range<usize>, Factors<W>)> = VecDeque::new();
    let mut starts = (0..out.len()).step_by(piece);
    loop {
        let next = starts.next();
        if let Some(start) = next {
            let at = start..(start + piece).min(out.len());
            let mut factors = [0, 1].map(|_| [0, 1].map(|_| Buffer::zeros(at.len() * terms)));
            gather(at.clone(), &mut factors);
            P::begin_made(party, runs(&factors), terms)?;
            begun.push_back((at, factors));
        }
        if next.is_none() || begun.len() > window {
            let Some((at, factors)) = begun.pop_front() else { return Ok(()) };
            let [own, next, _] = out.runs_mut(at);
            P::finish_made(party, runs(&factors), terms, [own, next])?;
            party.prove_if_many()?;
        }
    }
}
