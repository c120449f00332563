//! What a party does with its proofs, or what its products are made from.

use super::{Method, Proofs, Stock};
#[cfg(feature = "testing")]
use std::any::Any;
use tacit_protocol::Strength;
use tacit_ring::Word;
use tacit_sharing::SharingError;
use tacit_sharing::party::{Keys, Party, ProductCheck};

/// What [`Party::proving`] wants, from the keys of a worker, once: `None` under protocols that prove no products.
pub fn check_of(keys: &mut Keys) -> Option<Box<dyn ProductCheck>> {
    Some(Box::new(Proofs::of(keys)?))
}

/// Says that so many words of products of `W` are coming: triples, where products are made from
/// such, come in as few batches as can be.
pub fn expect_products<W: Word>(party: &mut Party<'_>, words: usize) {
    if let Some(proofs) = proofs(party) {
        proofs.expect::<W>(words);
    }
}

/// Makes all triples that are expected.
///
/// # Errors
/// When the network fails, or a peer sends what no honest party does.
pub fn prepare_products(party: &mut Party<'_>) -> Result<(), SharingError> {
    match party.proves() {
        true => with_proofs(party, |proofs, party| proofs.prepare(party)),
        false => Ok(()),
    }
}

/// Hands out all triples of `W`, for a party of another session: nothing where products are made
/// otherwise. What made them is in the transcripts, which are compared in this session.
pub fn store_products<W: Word>(party: &mut Party<'_>) -> Option<Stock<W>> {
    proofs(party).map(Proofs::take_triples)
}

/// Takes what a party of another session stored, before it makes anything itself.
///
/// # Errors
/// When parts are missing.
pub fn hold_products<W: Word>(
    party: &mut Party<'_>,
    stock: Option<Stock<W>>,
) -> Result<(), SharingError> {
    match (proofs(party), stock) {
        (Some(proofs), Some(stock)) => proofs.hold_triples(stock),
        _ => Ok(()),
    }
}

/// By key, how many streams for proofs are left: the same at both holders of a key. None are where no products are proven.
#[cfg(feature = "testing")]
#[must_use]
pub fn streams_left(check: &dyn ProductCheck) -> Vec<u64> {
    let check: &dyn Any = check;
    check.downcast_ref().map_or(Vec::new(), |proofs: &Proofs| proofs.keys.streams_left())
}

/// The number of the key that tags numbers, where the protocol has one, and what it is good for.
pub fn tag_key(party: &mut Party<'_>) -> Option<(u64, Strength)> {
    proofs(party).and_then(|proofs| proofs.tag_key())
}

/// Whether the party proves that rows were moved.
pub fn proves_moves(party: &mut Party<'_>) -> bool {
    proofs(party).is_some_and(|proofs| proofs.proving.method == Method::Lift)
}

/// A party's proofs, for something that they do with it.
///
/// # Errors
/// When the party has none, or the work fails.
pub fn with_proofs<T>(
    party: &mut Party<'_>,
    work: impl FnOnce(&mut Proofs, &mut Party<'_>) -> Result<T, SharingError>,
) -> Result<T, SharingError> {
    party.with_check(|check, party| work(Proofs::of_check(check)?, party))
}

fn proofs<'p>(party: &'p mut Party<'_>) -> Option<&'p mut Proofs> {
    Proofs::of_check(party.check().ok()?).ok()
}
