//! Who plays which role: one assignment of roles to parties, or several side by side, each with
//! its part of the instances (*Split-Roles*). All parties are then equally busy, and so are the
//! links between them, whatever a protocol's roles ask of each.
//!
//! Every assignment has keys, streams and transcripts of its own. Nothing opens before the checks
//! of all of them have passed.

use super::EvaluateError;
use crate::protocols;
use std::fmt;
use tacit_net::PartyId;
use tacit_sharing::balance::Balance;
use tacit_sharing::{Protocol, RoleId};

/// One way to give out the roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The protocol.
    pub protocol: Protocol,
    /// `places[r]` plays role `r`.
    pub places: Vec<PartyId>,
    /// The part of the instances that goes this way, in proportion to the weights of all.
    pub weight: u32,
    /// How products are divided between the ways to make them.
    pub balance: Balance,
}

impl Assignment {
    /// Roles given to `places`, in their order.
    #[must_use]
    pub fn new(protocol: Protocol, places: Vec<PartyId>) -> Self {
        Assignment { protocol, places, weight: 1, balance: Balance::default() }
    }

    /// Every party plays the role of its number.
    #[must_use]
    pub fn in_order(protocol: Protocol) -> Self {
        Assignment::new(protocol, PartyId::all(protocol.parties()).collect())
    }

    /// Divides products between ways, and takes the protocol whose roles can make them all.
    #[must_use]
    pub fn balanced(self, balance: Balance) -> Self {
        match balance.weights() {
            // That is what a protocol does by itself.
            [(way, _)] if !way.crossed => {
                Assignment { protocol: way.protocol, balance: Balance::default(), ..self }
            }
            _ => Assignment { protocol: balance.protocol(self.protocol), balance, ..self },
        }
    }

    /// The role that a party plays.
    ///
    /// # Errors
    /// When it plays none.
    pub fn role_of(&self, party: PartyId) -> Result<RoleId, EvaluateError> {
        let role = self.places.iter().position(|p| *p == party);
        role.ok_or_else(|| EvaluateError::Job(format!("party {} plays no role", party.0)))
    }

    /// Checks that this build has the protocol, that one of somebody's own can run, and that every role is played, each by a party of its own.
    pub(crate) fn check(&self) -> Result<(), EvaluateError> {
        let (roles, protocol) = (self.protocol.parties(), self.protocol);
        protocol.descriptor().built().map_err(|not| EvaluateError::Job(not.to_string()))?;
        protocols::check_own(protocol).map_err(EvaluateError::Job)?;
        if self.places.len() != roles {
            let given = self.places.len();
            return Err(EvaluateError::Job(format!("{protocol} has {roles} roles, not {given}")));
        }
        let mut parties: Vec<u8> = self.places.iter().map(|p| p.0).collect();
        parties.sort_unstable();
        parties.dedup();
        if parties.len() < roles {
            return Err(EvaluateError::Job("each role needs a party of its own".into()));
        }
        self.balance.check(protocol).map_err(|e| EvaluateError::Job(e.to_string()))
    }
}

impl fmt::Display for Assignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} x{}", self.protocol, list(self.places.iter()), self.weight)?;
        if self.balance.is_none() { Ok(()) } else { write!(f, " by {}", self.balance) }
    }
}

/// The numbers of parties, for facts that parties compare.
pub(crate) fn list<'a>(parties: impl Iterator<Item = &'a PartyId>) -> String {
    parties.map(|p| p.0.to_string()).collect::<Vec<_>>().join(",")
}

/// Checks assignments that run side by side.
pub(crate) fn check(assignments: &[Assignment]) -> Result<(), EvaluateError> {
    let fail = |text: &str| Err(EvaluateError::Job(text.into()));
    let Some(first) = assignments.first() else {
        return fail("a job needs an assignment of roles");
    };
    if assignments.len() > 1 && !first.protocol.has_roles() {
        let protocol = first.protocol;
        return fail(&format!("roles of {protocol} are not split"));
    }
    for assignment in assignments {
        assignment.check()?;
        let (one, other) = (first.protocol, assignment.protocol);
        let alike = one.parties() == other.parties()
            && one.has_roles() == other.has_roles()
            && one.is_checked() == other.is_checked()
            && one.proves_products() == other.proves_products()
            && one.strength() == other.strength()
            && one.fan_in() == other.fan_in();
        if !alike {
            return fail(&format!(
                "{one} and {other} differ in what they protect against or in their gates: they \
                 do not run side by side"
            ));
        }
    }
    if assignments.iter().all(|assignment| assignment.weight == 0) {
        return fail("all assignments of roles have weight zero");
    }
    Ok(())
}

/// `total` cut in proportion to weights: where each part ends.
pub(crate) fn cut(total: usize, weights: impl Iterator<Item = u64> + Clone) -> Vec<usize> {
    let whole = u128::from(weights.clone().sum::<u64>()).max(1);
    let mut sum = 0;
    weights
        .map(|weight| {
            sum += u128::from(weight);
            (total as u128 * sum / whole) as usize
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocols::{ASTRA, POST, QUAD, QUAD_A, QUAD_HET, TRIO};

    #[test]
    fn a_cut_covers_everything_in_proportion() {
        assert_eq!(cut(10, [1u64, 1, 3].into_iter()), [2, 4, 10]);
        assert_eq!(cut(1, [1u64, 1].into_iter()), [0, 1]);
        assert_eq!(cut(7, [0u64, 5].into_iter()), [0, 7]);
        assert_eq!(cut(usize::MAX, [u64::from(u32::MAX); 2].into_iter())[1], usize::MAX);
    }

    #[test]
    fn one_way_is_a_protocol_and_several_are_those_of_one_that_can() {
        let balanced = |asked, weights: &[(&'static str, u32)]| {
            let balance = Balance::of(asked, weights.iter().copied()).unwrap();
            Assignment::in_order(asked).balanced(balance).to_string()
        };
        assert_eq!(balanced(QUAD_HET, &[("a", 3)]), "quad-a 0,1,2,3 x1");
        assert_eq!(balanced(QUAD_A, &[("b", 1), ("het", 0)]), "quad 0,1,2,3 x1");
        let two = [("b", 1), ("het", 1)];
        assert_eq!(balanced(QUAD, &two), "quad-het 0,1,2,3 x1 by b=1,het=1");
        assert_eq!(balanced(QUAD_A, &two), "quad-a 0,1,2,3 x1 by b=1,het=1");
        assert_eq!(balanced(TRIO, &[("crossed", 2)]), "trio 0,1,2 x1 by crossed=1");
    }

    #[test]
    fn protocols_of_different_classes_do_not_run_side_by_side() {
        let pair = [Assignment::in_order(TRIO), Assignment::in_order(QUAD)];
        assert!(check(&pair).unwrap_err().to_string().contains("side by side"));
        let pair = [Assignment::in_order(TRIO), Assignment::in_order(ASTRA)];
        assert!(check(&pair).is_ok());
        let both = [POST, POST.with_strength(tacit_proof::Strength::Strong).unwrap()]
            .map(Assignment::in_order);
        assert!(check(&both).unwrap_err().to_string().contains("side by side"));
    }
}
