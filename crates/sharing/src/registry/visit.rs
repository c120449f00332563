//! Roles of protocols, by type.

use super::Protocol;
use crate::astra::Astra;
use crate::convert::Coordinates;
use crate::fantastic_four::FantasticFour;
use crate::multi_fan_in::MultiFanIn;
use crate::plain::Plain;
use crate::proof::Method;
use crate::quad::{self, Quad};
use crate::replicated::{Made, ProvenLater, Replicated};
use crate::role::{Canonical, Role, RoleId};
use crate::tetrad::Tetrad;
use crate::trio::Trio;

/// Something to do with the type of a role whose shares have canonical coordinates.
pub trait CanonicalVisitor {
    /// The result.
    type Out;
    /// Does it.
    fn visit<P: Canonical>(self) -> Self::Out;
}

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

/// Something to do with the type of a role whose shares have masked coordinates.
pub trait CoordinatesVisitor {
    /// The result.
    type Out;
    /// Does it.
    fn visit<P: Coordinates>(self) -> Self::Out;
}

/// A visitor of roles with masked coordinates, for those whose shares are canonical.
struct AnyCoordinates<V>(V);

impl<V: CoordinatesVisitor> CanonicalVisitor for AnyCoordinates<V> {
    type Out = V::Out;
    fn visit<P: Canonical>(self) -> V::Out {
        self.0.visit::<P>()
    }
}

/// Something to do with the type of a role.
pub trait RoleVisitor {
    /// The result.
    type Out;
    /// Does it.
    fn visit<P: Role>(self) -> Self::Out;
}

impl Protocol {
    /// Calls `visitor` with the type of role `role` of this protocol.
    ///
    /// # Panics
    /// When `role` is not below [`Protocol::parties`].
    pub fn visit<V: RoleVisitor>(self, role: RoleId, visitor: V) -> V::Out {
        let visitor = match self.four(role, AnyRole(visitor)) {
            Ok(out) => return out,
            Err(AnyRole(visitor)) => visitor,
        };
        match (self, role) {
            _ if self.proves_products() => self.visit_proven(role, visitor),
            (Protocol::Plain, 0) => visitor.visit::<Plain<0>>(),
            (Protocol::Plain, 1) => visitor.visit::<Plain<1>>(),
            (Protocol::Plain, 2) => visitor.visit::<Plain<2>>(),
            _ => match self.canonical(role, AnyRole(visitor)) {
                Ok(out) => out,
                Err(_) => panic!("{self} has no role {role}"),
            },
        }
    }

    /// Calls `visitor` with the type of role `role` of a protocol that proves products: replicated
    /// sharing.
    ///
    /// # Panics
    /// When `role` is not below [`Protocol::parties`], or it is another protocol.
    pub fn visit_proven<V: RoleVisitor>(self, role: RoleId, visitor: V) -> V::Out {
        assert!(self.proves_products(), "{self} does not prove products");
        match (self.method().is_some_and(Method::proves_later), role) {
            (true, 0) => visitor.visit::<Replicated<0, ProvenLater>>(),
            (true, 1) => visitor.visit::<Replicated<1, ProvenLater>>(),
            (true, 2) => visitor.visit::<Replicated<2, ProvenLater>>(),
            (_, 0) => visitor.visit::<Replicated<0, Made>>(),
            (_, 1) => visitor.visit::<Replicated<1, Made>>(),
            (_, 2) => visitor.visit::<Replicated<2, Made>>(),
            _ => panic!("{self} has no role {role} that proves products"),
        }
    }

    /// Calls `visitor` with the type of role `role` if this protocol's shares are replicated
    /// sharing in some coordinates.
    ///
    /// # Panics
    /// When `role` is not below [`Protocol::parties`].
    pub fn visit_canonical<V: CanonicalVisitor>(self, role: RoleId, visitor: V) -> Option<V::Out> {
        self.canonical(role, visitor).ok()
    }

    /// Calls `visitor` with the type of role `role` if this protocol's shares have masked
    /// coordinates, which is what programs in rings compute on.
    ///
    /// # Panics
    /// When `role` is not below [`Protocol::parties`].
    pub fn visit_coordinates<V: CoordinatesVisitor>(
        self,
        role: RoleId,
        visitor: V,
    ) -> Option<V::Out> {
        match self.four(role, visitor) {
            Ok(out) => Some(out),
            Err(visitor) => self.canonical(role, AnyCoordinates(visitor)).ok(),
        }
    }

    /// As [`Protocol::visit_coordinates`], for four parties; gives the visitor back for others.
    fn four<V: CoordinatesVisitor>(self, role: RoleId, visitor: V) -> Result<V::Out, V> {
        Ok(match (self, role) {
            (Protocol::Quad, 0) => visitor.visit::<Quad<{ quad::B }, 0>>(),
            (Protocol::Quad, 1) => visitor.visit::<Quad<{ quad::B }, 1>>(),
            (Protocol::Quad, 2) => visitor.visit::<Quad<{ quad::B }, 2>>(),
            (Protocol::Quad, 3) => visitor.visit::<Quad<{ quad::B }, 3>>(),
            (Protocol::QuadA, 0) => visitor.visit::<Quad<{ quad::A }, 0>>(),
            (Protocol::QuadA, 1) => visitor.visit::<Quad<{ quad::A }, 1>>(),
            (Protocol::QuadA, 2) => visitor.visit::<Quad<{ quad::A }, 2>>(),
            (Protocol::QuadA, 3) => visitor.visit::<Quad<{ quad::A }, 3>>(),
            (Protocol::QuadHet, 0) => visitor.visit::<Quad<{ quad::HET }, 0>>(),
            (Protocol::QuadHet, 1) => visitor.visit::<Quad<{ quad::HET }, 1>>(),
            (Protocol::QuadHet, 2) => visitor.visit::<Quad<{ quad::HET }, 2>>(),
            (Protocol::QuadHet, 3) => visitor.visit::<Quad<{ quad::HET }, 3>>(),
            (Protocol::Tetrad, 0) => visitor.visit::<Tetrad<0>>(),
            (Protocol::Tetrad, 1) => visitor.visit::<Tetrad<1>>(),
            (Protocol::Tetrad, 2) => visitor.visit::<Tetrad<2>>(),
            (Protocol::Tetrad, 3) => visitor.visit::<Tetrad<3>>(),
            (Protocol::FantasticFour, 0) => visitor.visit::<FantasticFour<0>>(),
            (Protocol::FantasticFour, 1) => visitor.visit::<FantasticFour<1>>(),
            (Protocol::FantasticFour, 2) => visitor.visit::<FantasticFour<2>>(),
            (Protocol::FantasticFour, 3) => visitor.visit::<FantasticFour<3>>(),
            _ => return Err(visitor),
        })
    }

    /// As [`Protocol::visit_canonical`]; gives the visitor back if there are no such shares.
    fn canonical<V: CanonicalVisitor>(self, role: RoleId, visitor: V) -> Result<V::Out, V> {
        Ok(match (self, role) {
            (Protocol::Plain, _) => return Err(visitor),
            (protocol, _) if protocol.proves_products() => return Err(visitor),
            (protocol, _) if !protocol.has_roles() => {
                return Err(visitor);
            }
            (protocol, _) if protocol.parties() == 4 => return Err(visitor),
            (Protocol::Trio, 0) => visitor.visit::<Trio<0>>(),
            (Protocol::Trio, 1) => visitor.visit::<Trio<1>>(),
            (Protocol::Trio, 2) => visitor.visit::<Trio<2>>(),
            (Protocol::Astra, 0) => visitor.visit::<Astra<0>>(),
            (Protocol::Astra, 1) => visitor.visit::<Astra<1>>(),
            (Protocol::Astra, 2) => visitor.visit::<Astra<2>>(),
            (Protocol::Replicated, 0) => visitor.visit::<Replicated<0>>(),
            (Protocol::Replicated, 1) => visitor.visit::<Replicated<1>>(),
            (Protocol::Replicated, 2) => visitor.visit::<Replicated<2>>(),
            (Protocol::MultiFanIn, 0) => visitor.visit::<MultiFanIn<0>>(),
            (Protocol::MultiFanIn, 1) => visitor.visit::<MultiFanIn<1>>(),
            (Protocol::MultiFanIn, 2) => visitor.visit::<MultiFanIn<2>>(),
            (protocol, role) => panic!("{protocol} has no role {role}"),
        })
    }
}
