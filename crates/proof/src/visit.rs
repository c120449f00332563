//! Roles by type.

use super::checks::{Made, ProvenLater};
use super::method::Method;
use super::wide_lift::WideLift;
use tacit_protocol::Protocol;
use tacit_sharing::replicated::Replicated;
use tacit_sharing::role::{Canonical, CanonicalVisitor, RoleId, RoleVisitor};

/// Calls `visitor` with the type of role `role` of a protocol that proves products, all of which are on replicated sharing.
///
/// # Panics
/// When it is another protocol, or `role` is not below its number of parties.
pub fn visit<V: RoleVisitor>(protocol: Protocol, role: RoleId, visitor: V) -> V::Out {
    struct AnyRole<V>(V);
    impl<V: RoleVisitor> CanonicalVisitor for AnyRole<V> {
        type Out = V::Out;
        fn visit<P: Canonical>(self) -> V::Out {
            self.0.visit::<P>()
        }
    }
    visit_canonical(protocol, role, AnyRole(visitor))
}

/// The same, with what replicated sharing has.
///
/// # Panics
/// As [`visit`].
pub fn visit_canonical<V: CanonicalVisitor>(
    protocol: Protocol,
    role: RoleId,
    visitor: V,
) -> V::Out {
    let method = Method::of(protocol).expect("a protocol that proves products");
    if method == Method::WideLift {
        return match role {
            0 => visitor.visit::<WideLift<0>>(),
            1 => visitor.visit::<WideLift<1>>(),
            2 => visitor.visit::<WideLift<2>>(),
            _ => panic!("{protocol} has no role {role}"),
        };
    }
    match (method.proves_later(), role) {
        (true, 0) => visitor.visit::<Replicated<0, ProvenLater>>(),
        (true, 1) => visitor.visit::<Replicated<1, ProvenLater>>(),
        (true, 2) => visitor.visit::<Replicated<2, ProvenLater>>(),
        (false, 0) => visitor.visit::<Replicated<0, Made>>(),
        (false, 1) => visitor.visit::<Replicated<1, Made>>(),
        (false, 2) => visitor.visit::<Replicated<2, Made>>(),
        _ => panic!("{protocol} has no role {role}"),
    }
}
