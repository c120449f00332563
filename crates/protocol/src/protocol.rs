//! A protocol as a value: what it is, and for how many parties.

use crate::{
    BatchSize, CheckFacts, Descriptor, Family, GarbledFacts, Garbling, Opening, OtherBatch,
    OtherStrength, OwnRoles, Parties, RoleFacts, RoleId, Security, Status, Strength, Transfers,
};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use tacit_circuit::{Circuit, passes};

/// A protocol for so many parties, with its statistical parameter and the size of its batches where it has them.
///
/// Two values are equal if all of that is; the name stands for the protocol.
#[derive(Clone, Copy)]
pub struct Protocol {
    of: &'static Descriptor,
    parties: u8,
    strength: Strength,
    batch: Option<BatchSize>,
}

impl Protocol {
    /// A protocol with as few parties as it runs with.
    #[must_use]
    pub const fn new(of: &'static Descriptor) -> Self {
        let parties = match of.parties {
            Parties::Exactly(parties) | Parties::AtLeast(parties) => parties,
        };
        Protocol { of, parties, strength: Strength::Usual, batch: None }
    }

    /// What it says of itself, in its own module.
    #[must_use]
    pub const fn descriptor(self) -> &'static Descriptor {
        self.of
    }

    /// Whether it is that one, for any number of parties, with any parameters.
    #[must_use]
    pub fn is(self, other: Protocol) -> bool {
        self.of.name == other.of.name
    }

    /// The name used on command lines and in reports, without the number of parties.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.of.name_with(self.strength).unwrap_or(self.of.name)
    }

    /// Number of roles.
    #[must_use]
    pub fn parties(self) -> usize {
        self.parties.into()
    }

    /// Whether it runs with any number of parties, from two, three or four on.
    #[must_use]
    pub fn takes_any_number(self) -> bool {
        matches!(self.of.parties, Parties::AtLeast(_))
    }

    /// The same protocol for so many parties where it runs with any number: at least two, three or four.
    #[must_use]
    pub fn fitting(self, parties: usize) -> Self {
        Protocol { parties: self.of.parties.fitting(parties), ..self }
    }

    /// What it protects against.
    #[must_use]
    pub fn security(self) -> Security {
        self.of.security
    }

    /// Whether results are right whatever corrupted parties do.
    #[must_use]
    pub fn is_malicious(self) -> bool {
        self.security().is_malicious()
    }

    /// Whether nothing opens before the parties have compared transcripts of what they did.
    #[must_use]
    pub fn is_checked(self) -> bool {
        self.security() == Security::MaliciousWithAbort
    }

    /// Whether it is there to be compared with: see [`Status::Baseline`].
    #[must_use]
    pub fn for_comparison(self) -> bool {
        self.of.status == Status::Baseline
    }

    /// The largest number of factors of a product of bits that takes one round.
    #[must_use]
    pub fn fan_in(self) -> usize {
        self.of.fan_in
    }

    /// The same circuit with gates that this protocol has: products of as many factors as it can take,
    /// and sums of products where they cost as much as one.
    #[must_use]
    pub fn lower(self, circuit: &Circuit) -> Circuit {
        match self.fan_in() {
            8.. => circuit.clone(),
            // Each product is proven, or made, on its own.
            fan_in if self.proves_products() || !self.has_roles() => passes::lower(circuit, fan_in),
            fan_in => passes::lower_to_sums(circuit, fan_in),
        }
    }

    /// Whether parties compute on shares in roles of their own.
    #[must_use]
    pub fn has_roles(self) -> bool {
        matches!(self.of.family, Family::Roles(_) | Family::OwnRoles(..) | Family::TrustedParty)
    }

    /// What runs its roles, if it is in no list: a protocol of whoever runs it.
    #[must_use]
    pub fn own_roles(self) -> Option<OwnRoles> {
        match self.of.family {
            Family::OwnRoles(_, roles) => Some(roles),
            Family::Roles(_) | Family::Gmw(_) | Family::Garbled(_) | Family::TrustedParty => None,
        }
    }

    /// Whether one party computes alone, on values in the clear.
    #[must_use]
    pub fn is_trusted_party(self) -> bool {
        matches!(self.of.family, Family::TrustedParty)
    }

    /// Whether it is a form of GMW.
    #[must_use]
    pub fn is_gmw(self) -> bool {
        matches!(self.of.family, Family::Gmw(_))
    }

    /// Whether it matters for links who plays which role, and orders are few enough to try them all.
    #[must_use]
    pub fn has_unlike_roles(self) -> bool {
        self.has_roles() || self.one_garbles()
    }

    /// What is particular to it, if its parties have roles.
    #[must_use]
    pub fn roles(self) -> Option<&'static RoleFacts> {
        self.of.roles()
    }

    /// The role that works ahead and waits for nobody, if there is one.
    #[must_use]
    pub fn ahead(self) -> Option<RoleId> {
        self.roles()?.offline_role
    }

    /// Ring words of a share.
    #[must_use]
    pub fn components(self) -> usize {
        self.roles().map_or(2, |facts| facts.shares[0].len())
    }

    /// Whether programs compute on its shares in rings; under all but the trusted party they can compute by circuits.
    #[must_use]
    pub fn has_rings(self) -> bool {
        self.is_trusted_party() || self.roles().is_some_and(|facts| facts.rings)
    }

    /// What is done about products, if anything.
    #[must_use]
    pub fn checks(self) -> Option<&'static CheckFacts> {
        self.of.checks()
    }

    /// Whether products of replicated sharing are proven, or made from proven ones, before anything opens.
    #[must_use]
    pub fn proves_products(self) -> bool {
        self.checks().is_some()
    }

    /// Whether it differs from all others on circuits: products of bits are made in a way of its own.
    #[must_use]
    pub fn has_own_bits(self) -> bool {
        self.checks().is_none_or(|checks| checks.own_bits)
    }

    /// The statistical parameter of what is done about products.
    #[must_use]
    pub fn strength(self) -> Strength {
        self.strength
    }

    /// How many products are checked together, where that was asked for.
    #[must_use]
    pub fn batch(self) -> Option<BatchSize> {
        self.batch
    }

    /// Bits of soundness of its checks of products, where it has any: a cheat passes them with two to the minus
    /// this at most.
    #[must_use]
    pub fn soundness(self) -> Option<f64> {
        self.checks().map(|checks| checks.soundness.bits(self.strength, self.batch))
    }

    /// The same protocol with a statistical parameter.
    ///
    /// # Errors
    /// If it has none, or not this one.
    pub fn with_strength(self, strength: Strength) -> Result<Self, OtherStrength> {
        // What finds every error does so with any parameter.
        let always = self.is_checked() && !self.proves_products();
        if self.is_malicious() && (always || strength == self.strength) {
            return Ok(self);
        }
        let offered = strength > self.strength && self.of.name_with(strength).is_some();
        match offered && self.checks().is_some_and(|it| is_sound(it, strength, self.batch)) {
            true => Ok(Protocol { strength, ..self }),
            false => Err(OtherStrength { protocol: self, strength }),
        }
    }

    /// The same protocol with so many products checked together.
    ///
    /// # Errors
    /// If it checks none in batches, has other ones, or such a batch would not be sound.
    pub fn with_batch(self, batch: BatchSize) -> Result<Self, OtherBatch> {
        let other = OtherBatch { protocol: self, batch };
        let checks = self.checks().ok_or(other)?;
        let fits = self.batch.is_none_or(|own| own == batch)
            && (batch.bucket().is_none() || checks.buckets);
        match fits && is_sound(checks, self.strength, Some(batch)) {
            true => Ok(Protocol { batch: Some(batch), ..self }),
            false => Err(other),
        }
    }

    /// What is particular to it, if it garbles.
    #[must_use]
    pub fn garbled(self) -> Option<GarbledFacts> {
        match self.of.family {
            Family::Garbled(facts) => Some(facts),
            Family::Roles(_) | Family::OwnRoles(..) | Family::Gmw(_) | Family::TrustedParty => None,
        }
    }

    /// Whether it evaluates garbled circuits.
    #[must_use]
    pub fn garbles(self) -> bool {
        self.garbled().is_some()
    }

    /// Whether one party garbles and one evaluates, so that gates can be sent as they are garbled.
    #[must_use]
    pub fn one_garbles(self) -> bool {
        self.garbled().is_some_and(|facts| facts.garbling == Garbling::OneSide)
    }

    /// Whether one of two parties garbles and the other evaluates.
    #[must_use]
    pub fn is_yao(self) -> bool {
        self.one_garbles() && self.parties == 2
    }

    /// Whether it is authenticated garbling, in any form.
    #[must_use]
    pub fn authenticates(self) -> bool {
        self.garbled().is_some_and(|facts| facts.garbling == Garbling::Authenticated)
    }

    /// Whether parties open garbled tables together: BMR.
    #[must_use]
    pub fn opens_tables(self) -> bool {
        self.garbled().is_some_and(|facts| matches!(facts.garbling, Garbling::Together(_)))
    }

    /// How garbled tables open, unless another way is asked for.
    #[must_use]
    pub fn opening(self) -> Opening {
        match self.garbled().map(|facts| facts.garbling) {
            Some(Garbling::Together(opening)) => opening,
            // Nothing opens in parts.
            Some(Garbling::OneSide | Garbling::Authenticated | Garbling::ForEvaluator) | None => {
                Opening::Collector
            }
        }
    }

    /// Which oblivious transfers it is made of.
    fn transfers(self) -> Transfers {
        match self.of.family {
            Family::Gmw(transfers) | Family::Garbled(GarbledFacts { transfers, .. }) => transfers,
            Family::Roles(_) | Family::OwnRoles(..) | Family::TrustedParty => Transfers::None,
        }
    }

    /// Whether it is made of oblivious transfers.
    #[must_use]
    pub fn has_transfers(self) -> bool {
        self.transfers() != Transfers::None
    }

    /// Whether its oblivious transfers are silent.
    #[must_use]
    pub fn is_silent(self) -> bool {
        self.transfers() == Transfers::Silent
    }

    fn key(self) -> (&'static str, u8, Strength, Option<BatchSize>) {
        (self.of.name, self.parties, self.strength, self.batch)
    }
}

/// Whether a batch is as sound as the statistical parameter says.
fn is_sound(checks: &CheckFacts, strength: Strength, batch: Option<BatchSize>) -> bool {
    checks.soundness.bits(strength, batch) >= f64::from(strength.bits())
}

impl PartialEq for Protocol {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Protocol {}

impl PartialOrd for Protocol {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Protocol {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Hash for Protocol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.batch, self.takes_any_number()) {
            (Some(batch), _) => write!(f, "{}/{batch}", self.name()),
            (None, true) => write!(f, "{}:{}", self.name(), self.parties),
            (None, false) => f.write_str(self.name()),
        }
    }
}

impl fmt::Debug for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
