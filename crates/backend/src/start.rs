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
use tacit_sharing::role::{Canonical, CanonicalVisitor, Role, RoleId, RoleVisitor};
use tacit_sharing::{Party, Protocol};

/// A party of GMW, with numbers held as bits.
#[must_use]
pub fn on_masked_values<'m>(party: GmwBits<'m>) -> Box<dyn Backend + Send + 'm> {
    Box::new(Boolean::new(party))
}

/// A worker of a party.
type Worker<'m> = Box<dyn Backend + Send + 'm>;

/// What starts a worker in a role of a type that no list names.
pub(super) struct StartOwn {
    in_rings: for<'m> fn(Party<'m>, RingKeys) -> Worker<'m>,
    by_circuits: for<'m> fn(Party<'m>, RingKeys) -> Worker<'m>,
}

impl StartOwn {
    /// What starts a worker in the role of the type `P`.
    pub const fn of<P: Coordinates>() -> Self {
        StartOwn { in_rings: rings_of::<P>, by_circuits: bits_of::<P> }
    }

    /// What does so in a role of a protocol that is in no list; none of one that is.
    fn find(protocol: Protocol, role: RoleId) -> Option<&'static StartOwn> {
        protocol.own_roles()?.part::<[StartOwn; 3]>()?.get(role)
    }
}

fn rings_of<P: Coordinates>(party: Party<'_>, keys: RingKeys) -> Worker<'_> {
    Box::new(Rings::<P>::new(party, keys))
}

fn bits_of<P: Role>(party: Party<'_>, keys: RingKeys) -> Worker<'_> {
    Box::new(Boolean::new(PartyBits::<P>::new(party, keys.split().0)))
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
        type Out = Worker<'m>;
        fn visit<P: Coordinates>(self) -> Self::Out {
            rings_of::<P>(self.0, self.1)
        }
    }
    impl<'m> CanonicalVisitor for Start<'m> {
        type Out = Worker<'m>;
        fn visit<P: Canonical>(self) -> Self::Out {
            Box::new(Proven::<P>::new(self.0, self.1))
        }
    }
    if let Some(own) = StartOwn::find(protocol, party.role()) {
        return Some((own.in_rings)(party, keys));
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
        type Out = Worker<'m>;
        fn visit<P: Role>(self) -> Self::Out {
            bits_of::<P>(self.0, self.1)
        }
    }
    if protocol.is_trusted_party() {
        return None;
    }
    let role = party.role();
    if let Some(own) = StartOwn::find(protocol, role) {
        return Some((own.by_circuits)(party, keys));
    }
    Some(visit::visit(protocol, role, Start(party, keys)))
}
