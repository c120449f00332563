//! Gate-level balancing (`docs/spec/honest-majority-rings.md` section 6.4): the products of one circuit made in
//! several ways, so that links which one way leaves idle carry a part of them.
//!
//! The ways of a protocol share keys and sharing, and differ in who sends what for a product:
//!
//! * the variants A, B and Het of Quad;
//! * *crossed*: roles 1 and 2 exchange their jobs for a product, under Quad, Trio and ASTRA.
//!
//! All parties derive from the circuit and from whole weights which product is made in which way, and
//! draw the same words under each key. A check that catches a cheat in a product does so from the words
//! of that product alone, so what each way promises holds for each product of a mix.
//!
//! Only role 0 of Quad must do more than play its part of each way: see `Second`.

mod crossed;
mod second;
mod turns;
mod way;

pub(crate) use crossed::Twin;
pub(crate) use second::Second;
pub(crate) use turns::pieces;
pub use turns::{LevelMix, Mix};
pub use way::Way;

use crate::astra::{ASTRA, Astra};
use crate::quad::{self, Ahead, QUAD, QUAD_A, QUAD_HET, Quad, Variant};
use crate::role::RoleId;
use crate::trio::{TRIO, Trio};
use crate::{Protocol, RoleVisitor};
use crossed::Crossed;
use std::fmt;

/// The variants of Quad, in the order of their ways.
const QUADS: [Protocol; 3] = [QUAD_A, QUAD, QUAD_HET];

impl Way {
    /// The ways in which products of a protocol's shares are made; none where there is no choice.
    #[must_use]
    pub fn all(protocol: Protocol) -> Vec<Way> {
        let protocols: &[Protocol] = match protocol {
            _ if protocol == TRIO => &[TRIO],
            _ if protocol == ASTRA => &[ASTRA],
            _ if QUADS.contains(&protocol) => &QUADS,
            _ => &[],
        };
        let both =
            |protocol: &Protocol| [false, true].map(|crossed| Way { protocol: *protocol, crossed });
        protocols.iter().flat_map(both).collect()
    }

    /// The name used on command lines and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        let quad = QUADS.iter().position(|quad| *quad == self.protocol);
        match (quad, self.crossed) {
            (Some(0), false) => "a",
            (Some(0), true) => "a-crossed",
            (Some(1), false) => "b",
            (Some(1), true) => "b-crossed",
            (Some(_), false) => "het",
            (Some(_), true) => "het-crossed",
            (None, false) => "straight",
            (None, true) => "crossed",
        }
    }

    /// Whether role 0 sends ahead and lags: only a role of two passes can.
    fn has_two_passes(self) -> bool {
        [QUAD_A, QUAD_HET].contains(&self.protocol)
    }
}

/// How products are divided between ways, by weight; without any, all are made as the protocol does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    weights: Vec<(Way, u32)>,
}

/// Weights are at most this.
const MOST: u32 = 1_000_000;

/// Why weights are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BalanceError {
    /// The protocol makes products in one way.
    #[error(
        "not supported: products of {0} are not balanced; those of trio, astra, quad, quad-a and quad-het are"
    )]
    NoWays(Protocol),
    /// There is no such way.
    #[error("{protocol} has no way '{name}' to make a product: choose of {}", names(*.protocol))]
    Unknown {
        /// The protocol whose products were to be made.
        protocol: Protocol,
        /// The name that was given.
        name: String,
    },
    /// A way is named twice.
    #[error("the way '{0}' to make a product has two weights")]
    Twice(&'static str),
    /// A weight is too large, or none is positive.
    #[error("weights of ways are whole numbers up to {MOST}, not all of them zero")]
    Weights,
    /// Other roles must go over the circuit.
    #[error("products by {ways} are made by the roles of {wanted}, not of {given}")]
    Roles {
        /// All ways.
        ways: Balance,
        /// Whose roles go over the circuit.
        wanted: Protocol,
        /// The protocol that was given.
        given: Protocol,
    },
}

fn names(protocol: Protocol) -> String {
    Way::all(protocol).into_iter().map(Way::name).collect::<Vec<_>>().join(", ")
}

impl Balance {
    /// All products in one way.
    #[must_use]
    pub fn only(way: Way) -> Self {
        Balance { weights: vec![(way, 1)] }
    }

    /// By the weights of named ways of a protocol.
    ///
    /// # Errors
    /// When it has no such ways, or the weights are none.
    pub fn of<'n>(
        protocol: Protocol,
        named: impl IntoIterator<Item = (&'n str, u32)>,
    ) -> Result<Self, BalanceError> {
        let all = Way::all(protocol);
        if all.is_empty() {
            return Err(BalanceError::NoWays(protocol));
        }
        let find = |(name, weight): (&str, u32)| match all.iter().find(|way| way.name() == name) {
            Some(way) => Ok((*way, weight)),
            None => Err(BalanceError::Unknown { protocol, name: name.chars().take(40).collect() }),
        };
        Balance::new(named.into_iter().map(find).collect::<Result<Vec<_>, _>>()?)
    }

    /// By weights, which matter up to a common factor.
    ///
    /// # Errors
    /// When a way has two weights, one is too large, or all are zero.
    pub fn new(mut weights: Vec<(Way, u32)>) -> Result<Self, BalanceError> {
        weights.sort_unstable();
        if let Some(pair) = weights.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(BalanceError::Twice(pair[0].0.name()));
        }
        weights.retain(|(_, weight)| *weight > 0);
        let common = weights.iter().fold(0, |common, (_, weight)| divisor(common, *weight));
        if common == 0 || weights.iter().any(|(_, weight)| *weight > MOST) {
            return Err(BalanceError::Weights);
        }
        weights.iter_mut().for_each(|(_, weight)| *weight /= common);
        Ok(Balance { weights })
    }

    /// Whether all products are made as the protocol does.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.weights.is_empty()
    }

    /// The ways in use, and their weights.
    #[must_use]
    pub fn weights(&self) -> &[(Way, u32)] {
        &self.weights
    }

    /// The protocol whose roles go over the circuit, where another one of the same ways was asked for:
    /// one whose role 0 goes in two passes, if any product needs that.
    #[must_use]
    pub fn protocol(&self, asked: Protocol) -> Protocol {
        let two = |protocol| Way { protocol, crossed: false }.has_two_passes();
        let needs = self.weights.iter().map(|(way, _)| *way).find(|way| way.has_two_passes());
        match (needs, self.weights.first()) {
            (Some(_), _) if two(asked) => asked,
            (Some(way), _) => way.protocol,
            (None, Some((way, _))) => way.protocol,
            (None, None) => asked,
        }
    }

    /// Checks that the ways are those of a protocol, and that its roles can go over a circuit.
    ///
    /// # Errors
    /// Says what does not fit.
    pub fn check(&self, protocol: Protocol) -> Result<(), BalanceError> {
        let all = Way::all(protocol);
        if let Some((way, _)) = self.weights.iter().find(|(way, _)| !all.contains(way)) {
            if all.is_empty() {
                return Err(BalanceError::NoWays(protocol));
            }
            return Err(BalanceError::Unknown { protocol, name: way.name().into() });
        }
        let wanted = self.protocol(protocol);
        if wanted == protocol {
            return Ok(());
        }
        Err(BalanceError::Roles { ways: self.clone(), wanted, given: protocol })
    }
}

fn divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { divisor(b, a % b) }
}

impl fmt::Display for Balance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = |(way, weight): &(Way, u32)| format!("{}={weight}", way.name());
        let all: Vec<String> = self.weights.iter().map(weight).collect();
        f.write_str(if all.is_empty() { "none" } else { "" })?;
        f.write_str(&all.join(","))
    }
}

/// Calls a visitor with what role `role` of Quad is for a product made in some way of a mix.
pub(crate) fn quad<T: RoleVisitor>(role: RoleId, way: Way, visitor: T) -> T::Out {
    match way.protocol {
        it if it == QUAD_A => variant::<{ quad::A }, T>(role, way.crossed, visitor),
        it if it == QUAD => variant::<{ quad::B }, T>(role, way.crossed, visitor),
        _ => variant::<{ quad::HET }, T>(role, way.crossed, visitor),
    }
}

fn variant<const V: Variant, T: RoleVisitor>(role: RoleId, crossed: bool, visitor: T) -> T::Out {
    match (role, crossed) {
        (0, false) => visitor.visit::<Second<V>>(),
        (0, true) => visitor.visit::<Crossed<Second<V>, Second<V>>>(),
        (1, false) => visitor.visit::<Quad<V, 1>>(),
        (1, true) => visitor.visit::<Crossed<Quad<V, 1>, Quad<V, 2>>>(),
        (2, false) => visitor.visit::<Quad<V, 2>>(),
        (2, true) => visitor.visit::<Crossed<Quad<V, 2>, Quad<V, 1>>>(),
        (_, false) => visitor.visit::<Quad<V, 3>>(),
        (_, true) => visitor.visit::<Crossed<Quad<V, 3>, Quad<V, 3>>>(),
    }
}

/// Calls a visitor with what the pass ahead of role 0 of Quad is for a product made in some way of a mix.
pub(crate) fn quad_ahead<T: RoleVisitor>(way: Way, visitor: T) -> T::Out {
    match way.protocol {
        it if it == QUAD_A => variant_ahead::<{ quad::A }, T>(way.crossed, visitor),
        it if it == QUAD => variant_ahead::<{ quad::B }, T>(way.crossed, visitor),
        _ => variant_ahead::<{ quad::HET }, T>(way.crossed, visitor),
    }
}

fn variant_ahead<const V: Variant, T: RoleVisitor>(crossed: bool, visitor: T) -> T::Out {
    match crossed {
        false => visitor.visit::<Ahead<V>>(),
        true => visitor.visit::<Crossed<Ahead<V>, Ahead<V>>>(),
    }
}

/// Calls a visitor with what role `role` of Trio is for a product made in some way of a mix.
pub(crate) fn trio<T: RoleVisitor>(role: RoleId, way: Way, visitor: T) -> T::Out {
    match (role, way.crossed) {
        (0, false) => visitor.visit::<Trio<0>>(),
        (0, true) => visitor.visit::<Crossed<Trio<0>, Trio<0>>>(),
        (1, false) => visitor.visit::<Trio<1>>(),
        (1, true) => visitor.visit::<Crossed<Trio<1>, Trio<2>>>(),
        (_, false) => visitor.visit::<Trio<2>>(),
        (_, true) => visitor.visit::<Crossed<Trio<2>, Trio<1>>>(),
    }
}

/// Calls a visitor with what role `role` of ASTRA is for a product made in some way of a mix.
pub(crate) fn astra<T: RoleVisitor>(role: RoleId, way: Way, visitor: T) -> T::Out {
    match (role, way.crossed) {
        (0, false) => visitor.visit::<Astra<0>>(),
        (0, true) => visitor.visit::<Crossed<Astra<0>, Astra<0>>>(),
        (1, false) => visitor.visit::<Astra<1>>(),
        (1, true) => visitor.visit::<Crossed<Astra<1>, Astra<2>>>(),
        (_, false) => visitor.visit::<Astra<2>>(),
        (_, true) => visitor.visit::<Crossed<Astra<2>, Astra<1>>>(),
    }
}

#[cfg(test)]
mod tests;
