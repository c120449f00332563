//! What a program needs from a protocol: one object per party and worker, whatever the setting.
//!
//! [`three_party`] runs the operations under a three-party protocol; [`Tally`] only counts what they
//! cost. Both walk the same program, so predictions follow every decision of a real run.

mod bits;
mod secret;
mod sort;
mod tally;
mod three_party;

pub use bits::{Circuits, Name};
pub use secret::{Data, Kind, Ring, Secret};
pub use tally::Tally;
pub use three_party::RingKeys;

use crate::arrays::MatrixShape;
use crate::convert::Layered;
use crate::party::{Party, SharingError};
use crate::registry::{CanonicalVisitor, Protocol};
use crate::role::{Canonical, RoleId};
use std::sync::Arc;
use three_party::ThreeParty;
use zeroize::Zeroizing;

type Result<T> = std::result::Result<T, SharingError>;

/// Values in the clear, raw in fixed point. They are wiped when dropped.
pub type Values = Zeroizing<Vec<i128>>;

/// Operations on secret arrays. All parties call the same ones in the same order, on arrays of the
/// same kinds and lengths. What is local and the same for every protocol is a method of
/// [`Secret`].
pub trait Backend {
    /// Shares `len` values of `owner`, who passes them.
    ///
    /// # Errors
    /// When the network fails or the owner has no values.
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret>;

    /// Shares of public values; a single one fills the array. Local.
    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret;

    /// Opens an array to `receivers`. Its values, as signed numbers of the ring, at those.
    ///
    /// # Errors
    /// When the network fails.
    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>>;

    /// Products, element by element; of bits: conjunctions.
    ///
    /// # Errors
    /// When the network fails.
    fn multiply(&mut self, a: &Secret, b: &Secret) -> Result<Secret>;

    /// A matrix product; inner products are one with a single column.
    ///
    /// # Errors
    /// When the network fails.
    fn matrix_product(&mut self, shape: MatrixShape, a: &Secret, b: &Secret) -> Result<Secret>;

    /// `a / 2^by`, rounded down or up, for `|a| < 2^(bits - 2)`.
    ///
    /// # Errors
    /// When the network fails.
    fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret>;

    /// The same signed numbers in a wider ring, for `|a| < 2^(bits - 2)` of the own ring.
    ///
    /// # Errors
    /// When the network fails.
    fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret>;

    /// The bits in `planes` as signed numbers of a ring.
    ///
    /// # Errors
    /// When the network fails.
    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret>;

    /// Bits as 0 and 1 of a ring.
    ///
    /// # Errors
    /// When the network fails.
    fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret>;

    /// Bits times elements.
    ///
    /// # Errors
    /// When the network fails.
    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret>;

    /// `a / 2^by`, rounded down, for every signed `a`.
    ///
    /// # Errors
    /// When the network fails.
    fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret>;

    /// For each array of bits the sum of all its bits times elements; without elements, the number
    /// of ones.
    ///
    /// # Errors
    /// When the network fails.
    fn group_sums(&mut self, groups: &[&Secret], a: Option<&Secret>, ring: Ring) -> Result<Secret>;

    /// The low `bits` bits of `m` and of `lambda`, where `a = m - lambda`: what a circuit needs to
    /// compute on `a`.
    ///
    /// # Errors
    /// When the network fails.
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]>;

    /// Evaluates a circuit on bit planes.
    ///
    /// # Errors
    /// When the network fails or widths do not fit.
    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>>;

    /// The order that sorts rows by the unsigned numbers in `planes`, ascending and stably, applied
    /// to `columns`.
    ///
    /// # Errors
    /// When the network fails.
    fn sort(&mut self, planes: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>>;

    /// Circuits laid out for this protocol.
    fn circuits(&mut self) -> &mut Circuits;

    /// Pushes out what is still buffered.
    ///
    /// # Errors
    /// When the network fails.
    fn flush(&mut self) -> Result<()>;

    /// Ends the session for all threads and parties.
    fn abort(&mut self, reason: &str);
}

/// A party of a three-party protocol, in the role that it plays. `None` for protocols whose
/// shares are no replicated sharing.
#[must_use]
pub fn three_party<'m>(
    protocol: Protocol,
    party: Party<'m>,
    keys: RingKeys,
) -> Option<Box<dyn Backend + Send + 'm>> {
    struct Start<'m>(Party<'m>, RingKeys);
    impl<'m> CanonicalVisitor for Start<'m> {
        type Out = Option<Box<dyn Backend + Send + 'm>>;
        fn visit<P: Canonical>(self) -> Self::Out {
            Some(Box::new(ThreeParty::<P>::new(self.0, self.1)?))
        }
    }
    let role = party.role();
    protocol.visit_canonical(role, Start(party, keys)).flatten()
}

/// Bits of numbers, plane after plane, or only their count in a dry run.
pub struct Planes {
    /// Bits of each number.
    pub planes: usize,
    /// How many numbers.
    pub lanes: usize,
    /// The shares.
    pub data: Option<crate::convert::BitPlanes>,
}

impl Planes {
    /// Plane `j` as an array of bits.
    #[must_use]
    pub fn plane(&self, j: usize) -> Secret {
        match &self.data {
            Some(data) => Secret::bits(data.plane(j)),
            None => Secret::dry(Kind::Bits, self.lanes),
        }
    }

    /// Arrays of bits as planes.
    ///
    /// # Panics
    /// If lengths differ or one is not of bits.
    #[must_use]
    pub fn of(bits: &[&Secret]) -> Self {
        let lanes = bits.first().map_or(0, |b| b.len);
        let dry = bits.iter().any(|b| matches!(b.data, Data::None));
        let data = (!dry).then(|| {
            let mut all = crate::convert::BitPlanes::zeros(bits.len(), lanes);
            let words = all.words();
            for (j, bit) in bits.iter().enumerate() {
                let from = &secret::bits_of(bit).shares;
                let at = j * words..(j + 1) * words;
                all.shares.first[at.clone()].copy_from_slice(&from.first);
                all.shares.second[at].copy_from_slice(&from.second);
            }
            all
        });
        Planes { planes: bits.len(), lanes, data }
    }
}
