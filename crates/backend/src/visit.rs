//! Roles of protocols, by type: the list of the protocols with roles.

use tacit_protocol::{Baseline, Protocol};
use tacit_sharing::astra::{ASTRA, Astra};
use tacit_sharing::coordinates::{Coordinates, CoordinatesVisitor};
use tacit_sharing::fantastic_four::{FANTASTIC_FOUR, FantasticFour};
use tacit_sharing::multi_fan_in::{MULTI_FAN_IN, MultiFanIn};
use tacit_sharing::plain::{PLAIN, Plain};
use tacit_sharing::quad::{A, B, HET, QUAD, QUAD_A, QUAD_HET, Quad};
use tacit_sharing::replicated::{REPLICATED, Replicated};
use tacit_sharing::role::{Canonical, CanonicalVisitor, RoleId, RoleVisitor};
use tacit_sharing::tetrad::{TETRAD, Tetrad};
use tacit_sharing::trio::{TRIO, Trio};

/// A visitor of any role, for those whose shares are canonical or have masked coordinates.
struct AnyRole<V>(V);

impl<V: RoleVisitor> CoordinatesVisitor for AnyRole<V> {
    type Out = V::Out;
    fn visit<P: Coordinates>(self) -> V::Out {
        self.0.visit::<P>()
    }
}

impl<V: RoleVisitor> CanonicalVisitor for AnyRole<V> {
    type Out = V::Out;
    fn visit<P: Canonical>(self) -> V::Out {
        self.0.visit::<P>()
    }
}

/// A visitor of roles with masked coordinates, for those whose shares are canonical.
struct AnyCoordinates<V>(V);

impl<V: CoordinatesVisitor> CanonicalVisitor for AnyCoordinates<V> {
    type Out = V::Out;
    fn visit<P: Canonical>(self) -> V::Out {
        self.0.visit::<P>()
    }
}

/// Calls `visitor` with the type of role `role` of a protocol.
///
/// # Panics
/// When the protocol has no roles, or `role` is not below its number of parties.
pub fn visit<V: RoleVisitor>(protocol: Protocol, role: RoleId, visitor: V) -> V::Out {
    let visitor = match four(protocol, role, AnyRole(visitor)) {
        Ok(out) => return out,
        Err(AnyRole(visitor)) => visitor,
    };
    if protocol.proves_products() {
        return tacit_proof::visit(protocol, role, visitor);
    }
    match (protocol.is(PLAIN), role) {
        (true, 0) => visitor.visit::<Plain<0>>(),
        (true, 1) => visitor.visit::<Plain<1>>(),
        (true, 2) => visitor.visit::<Plain<2>>(),
        _ => match canonical(protocol, role, AnyRole(visitor)) {
            Ok(out) => out,
            Err(_) => panic!("{protocol} has no role {role}"),
        },
    }
}

/// Calls `visitor` with the type of role `role` if a protocol's shares are replicated sharing in some coordinates.
///
/// # Panics
/// When `role` is not below its number of parties.
pub fn visit_canonical<V: CanonicalVisitor>(
    protocol: Protocol,
    role: RoleId,
    visitor: V,
) -> Option<V::Out> {
    canonical(protocol, role, visitor).ok()
}

/// Calls `visitor` with the type of role `role` if a protocol's shares have masked coordinates, which is what programs in
/// rings compute on.
///
/// # Panics
/// When `role` is not below its number of parties.
pub fn visit_coordinates<V: CoordinatesVisitor>(
    protocol: Protocol,
    role: RoleId,
    visitor: V,
) -> Option<V::Out> {
    match four(protocol, role, visitor) {
        Ok(out) => Some(out),
        Err(visitor) => canonical(protocol, role, AnyCoordinates(visitor)).ok(),
    }
}

/// What a visitor makes of the role of the protocol that is asked for, of a list: a protocol a line.
macro_rules! roles {
    ($protocol:ident, $role:ident, $visitor:ident; $($name:ident: $($id:literal => $type:ty),+;)+) => {{
        $(if $protocol.is($name) {
            $(if $role == $id {
                return Ok($visitor.visit::<$type>());
            })+
        })+
        panic!("{} has no role {}", $protocol, $role)
    }};
}

/// Protocols of the sharings of four parties. Gives the visitor back for others.
#[rustfmt::skip]
fn four<V: CoordinatesVisitor>(protocol: Protocol, role: RoleId, visitor: V) -> Result<V::Out, V> {
    if protocol.parties() != 4 || protocol.roles().is_none() {
        return Err(visitor);
    }
    // Types of roles are what most code is made for: none for those that this build does not have.
    if let (true, Some(_)) = (protocol.is(TETRAD), Baseline::HERE) {
        roles! { protocol, role, visitor;
            TETRAD: 0 => Tetrad<0>, 1 => Tetrad<1>, 2 => Tetrad<2>, 3 => Tetrad<3>;
        }
    }
    roles! { protocol, role, visitor;
        QUAD: 0 => Quad<{ B }, 0>, 1 => Quad<{ B }, 1>, 2 => Quad<{ B }, 2>, 3 => Quad<{ B }, 3>;
        QUAD_A: 0 => Quad<{ A }, 0>, 1 => Quad<{ A }, 1>, 2 => Quad<{ A }, 2>, 3 => Quad<{ A }, 3>;
        QUAD_HET: 0 => Quad<{ HET }, 0>, 1 => Quad<{ HET }, 1>, 2 => Quad<{ HET }, 2>, 3 => Quad<{ HET }, 3>;
        FANTASTIC_FOUR: 0 => FantasticFour<0>, 1 => FantasticFour<1>, 2 => FantasticFour<2>, 3 => FantasticFour<3>;
    }
}

/// Protocols on replicated sharing of three parties, whose products nothing is done about. Gives the visitor back for
/// others.
#[rustfmt::skip]
fn canonical<V: CanonicalVisitor>(protocol: Protocol, role: RoleId, visitor: V) -> Result<V::Out, V> {
    if protocol.parties() != 3 || protocol.roles().is_none_or(|facts| facts.checks.is_some()) {
        return Err(visitor);
    }
    roles! { protocol, role, visitor;
        TRIO: 0 => Trio<0>, 1 => Trio<1>, 2 => Trio<2>;
        ASTRA: 0 => Astra<0>, 1 => Astra<1>, 2 => Astra<2>;
        REPLICATED: 0 => Replicated<0>, 1 => Replicated<1>, 2 => Replicated<2>;
        MULTI_FAN_IN: 0 => MultiFanIn<0>, 1 => MultiFanIn<1>, 2 => MultiFanIn<2>;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols;
    use tacit_sharing::role::{Few, Role};

    /// What descriptors say of roles is what the types of roles are.
    #[test]
    fn roles_are_what_descriptors_say() {
        struct Facts;
        impl RoleVisitor for Facts {
            type Out = (usize, bool);
            fn visit<P: Role>(self) -> (usize, bool) {
                (P::Share::<u8>::COUNT, P::LATE.is_empty() && !P::TWO_PASSES)
            }
        }
        struct Found;
        impl CoordinatesVisitor for Found {
            type Out = ();
            fn visit<P: Coordinates>(self) {}
        }
        for protocol in protocols::all() {
            let Some(facts) = protocol.roles() else { continue };
            assert_eq!(facts.shares.len(), protocol.parties(), "{protocol}");
            for role in 0..protocol.parties() {
                let (components, waits_for_nobody) = visit(protocol, role, Facts);
                assert_eq!(components, facts.shares[role].len(), "{protocol} {role}");
                assert_eq!(protocol.ahead() == Some(role), waits_for_nobody, "{protocol} {role}");
            }
            let rings =
                protocol.proves_products() || visit_coordinates(protocol, 0, Found).is_some();
            assert_eq!(facts.rings, rings, "{protocol}");
        }
    }
}
