//! A worker of a party, as programs see it.

use super::boolean::Boolean;
use super::gmw::GmwBits;
use super::operations::Backend;
use super::party_bits::PartyBits;
use super::proven::Proven;
use super::ring_keys::RingKeys;
use super::rings::Rings;
use super::visit;
use tacit_sharing::coordinates::{Coordinates, CoordinatesVisitor};
use tacit_sharing::role::{Canonical, CanonicalVisitor, Role, RoleVisitor};
use tacit_sharing::{Party, Protocol};

/// A party of GMW, with numbers held as bits.
#[must_use]
pub fn on_masked_values<'m>(party: GmwBits<'m>) -> Box<dyn Backend + Send + 'm> {
    Box::new(Boolean::new(party))
}

/// A party of a protocol, in the role that it plays, with numbers in rings. `None` for protocols
/// that have none: see [`Protocol::has_rings`].
#[must_use]
pub fn in_rings<'m>(
    protocol: Protocol,
    party: Party<'m>,
    keys: RingKeys,
) -> Option<Box<dyn Backend + Send + 'm>> {
    struct Start<'m>(Party<'m>, RingKeys);
    impl<'m> CoordinatesVisitor for Start<'m> {
        type Out = Box<dyn Backend + Send + 'm>;
        fn visit<P: Coordinates>(self) -> Self::Out {
            Box::new(Rings::<P>::new(self.0, self.1))
        }
    }
    impl<'m> CanonicalVisitor for Start<'m> {
        type Out = Box<dyn Backend + Send + 'm>;
        fn visit<P: Canonical>(self) -> Self::Out {
            Box::new(Proven::<P>::new(self.0, self.1))
        }
    }
    let (role, start) = (party.role(), Start(party, keys));
    if protocol.proves_products() {
        return Some(tacit_proof::visit_canonical(protocol, role, start));
    }
    visit::visit_coordinates(protocol, role, start)
}

/// A party of any protocol with shares, with numbers held as bits. `None` for the baseline.
#[must_use]
pub fn by_circuits<'m>(
    protocol: Protocol,
    party: Party<'m>,
    keys: RingKeys,
) -> Option<Box<dyn Backend + Send + 'm>> {
    struct Start<'m>(Party<'m>, RingKeys);
    impl<'m> RoleVisitor for Start<'m> {
        type Out = Box<dyn Backend + Send + 'm>;
        fn visit<P: Role>(self) -> Self::Out {
            Box::new(Boolean::new(PartyBits::<P>::new(self.0, self.1.split().0)))
        }
    }
    if protocol.is_trusted_party() {
        return None;
    }
    let role = party.role();
    Some(visit::visit(protocol, role, Start(party, keys)))
}
