//! What the types of roles say of cheats, where products are proven or checked.

use super::{LIFT, POST, Proofs, with_proofs};
use tacit_protocol::Protocol;
use tacit_ring::Word;
use tacit_sharing::SharingError;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::party::Party;
use tacit_sharing::replicated::Checks;
use tacit_sharing::role::COMPONENTS;

/// Products are proven later: see [`proof`](super). Of these protocols [`LIFT`] stands for the
/// others.
#[derive(Clone, Copy, Debug)]
pub struct ProvenLater;

impl Checks for ProvenLater {
    const PROTOCOL: Protocol = LIFT;
    const PROVEN: bool = true;

    fn keep<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
        terms: usize,
    ) -> Result<(), SharingError> {
        Proofs::of_check(party.check()?)?.keep(factors, results, terms)
    }

    fn keep_matrix<W: Word>(
        party: &mut Party<'_>,
        shape: MatrixShape,
        factors: [[&[W]; COMPONENTS]; 2],
        results: [&[W]; COMPONENTS],
    ) -> Result<bool, SharingError> {
        with_proofs(party, |proofs, party| proofs.keep_matrix(party, shape, factors, results))
    }
}

/// Products are made by a [`Method`](crate::Method) of their own, which keeps them to be checked or
/// makes them from checked ones. Of all these protocols [`POST`] stands for the others.
#[derive(Clone, Copy, Debug)]
pub struct Made;

impl Checks for Made {
    const PROTOCOL: Protocol = POST;
    const PROVEN: bool = true;
    const MADE: bool = true;

    fn begin_made<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; 2]; 2],
        terms: usize,
    ) -> Result<(), SharingError> {
        with_proofs(party, |proofs, party| proofs.begin(party, factors, terms))
    }

    fn finish_made<W: Word>(
        party: &mut Party<'_>,
        factors: [[&[W]; 2]; 2],
        terms: usize,
        out: [&mut [W]; 2],
    ) -> Result<(), SharingError> {
        with_proofs(party, |proofs, party| proofs.finish(party, factors, terms, out))
    }
}
