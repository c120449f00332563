//! The protocols, by name.

mod garbled;
mod names;
mod visit;

pub use names::{OtherBatch, OtherStrength, UnknownProtocol};
pub use tacit_protocol::{MAX_PARTIES, Security};
pub use visit::{CanonicalVisitor, CoordinatesVisitor, RoleVisitor};

use crate::bmr::{Opening, Products, Rounds};
use crate::gmw;
use crate::proof::{BatchSize, Method, Proving, Source, Strength};
use crate::role::RoleId;
use crate::{astra, fantastic_four, multi_fan_in, plain, quad, replicated, tetrad, trio};
use tacit_circuit::{Circuit, passes};
use tacit_protocol::{
    Descriptor, Family, GarbledFacts, Garbling, Parties, RoleFacts, Status, Transfers,
};

/// A protocol that Tacit can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// Trio: dealer and two online parties.
    Trio,
    /// ASTRA: dealer and two online parties.
    Astra,
    /// Replicated sharing in a ring of three equal parties.
    Replicated,
    /// The same with proven products: one of three parties may cheat.
    Lift,
    /// As [`Protocol::Lift`]; products of rings are proven in an extension of the ring.
    Galois,
    /// The same with products over the integers.
    Integers,
    /// The same with products on redundant shares, which are checked one by one.
    Post,
    /// As [`Protocol::Post`]; numbers of programs go with their products with a secret key.
    Tagged,
    /// The same with products made from random ones that were checked before.
    Brain(Source),
    /// One of those with a statistical parameter of 64 in place of 40, of a method that
    /// [can](Method::can_be_strong) have it.
    Strong(Method),
    /// One of those with this statistical parameter that checks so many products together, which is
    /// [sound](Proving::is_sound).
    Batched(Method, Strength, BatchSize),
    /// Products of two to eight factors in one round.
    MultiFanIn,
    /// Quad: four parties, one of which may cheat. Role 3 sends all that is sent ahead.
    Quad,
    /// Quad, variant A: role 0 sends a part of what is sent ahead.
    QuadA,
    /// Quad for heterogeneous networks: two links carry everything.
    QuadHet,
    /// Tetrad: as Quad, with other shares.
    Tetrad,
    /// Fantastic Four: four equal parties, one of which may cheat.
    FantasticFour,
    /// GMW for so many parties, of which all but one may pool what they see.
    Gmw(u8),
    /// The same with silent oblivious transfers: a tenth of the traffic for many products.
    GmwSilent(u8),
    /// The same with ordinary transfers, and role 0 between all others online: two bits for each of them, and twice
    /// the latency.
    GmwStar(u8),
    /// The same with ordinary transfers, and products of up to four factors in one round.
    GmwWide(u8),
    /// GMW on shares, as published: products from random oblivious transfers.
    GmwOt(u8),
    /// GMW on shares: products from random triples.
    GmwTriples(u8),
    /// BMR over oblivious transfer for so many parties, of which all but one may pool what they see: a
    /// constant number of rounds.
    Bmr(u8),
    /// The same with silent oblivious transfers.
    BmrSilent(u8),
    /// BMR over Shamir's sharing for so many parties, of which fewer than half may pool what they see.
    BmrShamir(u8),
    /// BMR over oblivious transfer in another way, for comparison: for so many parties, of which all but one
    /// may pool what they see.
    BmrOt(Products, u8),
    /// BMR over Shamir's sharing of whole blocks, for comparison: for so many parties, of which fewer than half,
    /// or a third, may pool what they see.
    BmrBlocks(Rounds, u8),
    /// BMR over replicated sharing, for three parties.
    BmrReplicated,
    /// Yao's garbled circuits, with half gates, for two parties: a constant number of rounds.
    Yao,
    /// The same with silent oblivious transfers.
    YaoSilent,
    /// Garbled circuits among three parties: two that have all labels, one that evaluates.
    YaoThree,
    /// Authenticated garbling for so many parties, of which all but one may cheat: a constant number of
    /// rounds.
    Authenticated(u8),
    /// The same with gates of four rows, as in its first paper (CCS 2017): to be compared with.
    Wrk17(u8),
    /// A trusted third party computes in the clear.
    Plain,
}

impl Protocol {
    /// All protocols; those for any number of parties with three.
    pub const ALL: [Protocol; 43] = [
        Protocol::Trio,
        Protocol::Astra,
        Protocol::Replicated,
        Protocol::Lift,
        Protocol::Galois,
        Protocol::Integers,
        Protocol::Post,
        Protocol::Tagged,
        Protocol::Brain(Source::Sacrifice),
        Protocol::Brain(Source::Buckets),
        Protocol::Brain(Source::Integers),
        Protocol::Brain(Source::Batch),
        Protocol::Brain(Source::Polynomials),
        Protocol::Brain(Source::Single),
        Protocol::MultiFanIn,
        Protocol::Quad,
        Protocol::QuadA,
        Protocol::QuadHet,
        Protocol::Tetrad,
        Protocol::FantasticFour,
        Protocol::Gmw(3),
        Protocol::GmwSilent(3),
        Protocol::GmwStar(3),
        Protocol::GmwWide(3),
        Protocol::GmwOt(3),
        Protocol::GmwTriples(3),
        Protocol::Bmr(3),
        Protocol::BmrSilent(3),
        Protocol::BmrShamir(3),
        Protocol::BmrOt(Products::Basic, 3),
        Protocol::BmrOt(Products::Reduced, 3),
        Protocol::BmrOt(Products::Correlated, 3),
        Protocol::BmrOt(Products::Offset, 3),
        Protocol::BmrBlocks(Rounds::Four, 3),
        Protocol::BmrBlocks(Rounds::Three, 3),
        Protocol::BmrBlocks(Rounds::Two, 4),
        Protocol::BmrReplicated,
        Protocol::Yao,
        Protocol::YaoSilent,
        Protocol::YaoThree,
        Protocol::Authenticated(3),
        Protocol::Wrk17(3),
        Protocol::Plain,
    ];

    /// Those with a statistical parameter of 64, which run where they are named.
    pub const STRONG: [Protocol; 8] = [
        Protocol::Strong(Method::Lift),
        Protocol::Strong(Method::Galois),
        Protocol::Strong(Method::Integers),
        Protocol::Strong(Method::Post),
        Protocol::Strong(Method::Tagged),
        Protocol::Strong(Method::Brain(Source::Sacrifice)),
        Protocol::Strong(Method::Brain(Source::Buckets)),
        Protocol::Strong(Method::Brain(Source::Integers)),
    ];

    /// What it says of itself, in its own module.
    #[must_use]
    pub fn descriptor(self) -> &'static Descriptor {
        match self {
            Protocol::Trio => &trio::TRIO,
            Protocol::Astra => &astra::ASTRA,
            Protocol::Replicated => &replicated::REPLICATED,
            Protocol::MultiFanIn => &multi_fan_in::MULTI_FAN_IN,
            Protocol::Lift => Method::Lift.descriptor(),
            Protocol::Galois => Method::Galois.descriptor(),
            Protocol::Integers => Method::Integers.descriptor(),
            Protocol::Post => Method::Post.descriptor(),
            Protocol::Tagged => Method::Tagged.descriptor(),
            Protocol::Brain(source) => Method::Brain(source).descriptor(),
            Protocol::Strong(method) | Protocol::Batched(method, ..) => method.descriptor(),
            Protocol::Quad => &quad::QUAD,
            Protocol::QuadA => &quad::QUAD_A,
            Protocol::QuadHet => &quad::QUAD_HET,
            Protocol::Tetrad => &tetrad::TETRAD,
            Protocol::FantasticFour => &fantastic_four::FANTASTIC_FOUR,
            Protocol::Gmw(_) => gmw::Method::Masked.descriptor(),
            Protocol::GmwSilent(_) => gmw::Method::Silent.descriptor(),
            Protocol::GmwStar(_) => gmw::Method::Star.descriptor(),
            Protocol::GmwWide(_) => gmw::Method::Wide.descriptor(),
            Protocol::GmwOt(_) => gmw::Method::Transfers.descriptor(),
            Protocol::GmwTriples(_) => gmw::Method::Triples.descriptor(),
            Protocol::Bmr(_) => &garbled::BMR,
            Protocol::BmrSilent(_) => &garbled::BMR_SILENT,
            Protocol::BmrShamir(_) => &garbled::BMR_SHAMIR,
            Protocol::BmrOt(Products::Basic, _) => &garbled::BMR_BASIC,
            Protocol::BmrOt(Products::Reduced, _) => &garbled::BMR_REDUCED,
            Protocol::BmrOt(Products::Correlated, _) => &garbled::BMR_CORRELATED,
            Protocol::BmrOt(Products::Offset, _) => &garbled::BMR_OFFSET,
            Protocol::BmrBlocks(Rounds::Four, _) => &garbled::BMR_SHAMIR_S4,
            Protocol::BmrBlocks(Rounds::Three, _) => &garbled::BMR_SHAMIR_S3,
            Protocol::BmrBlocks(Rounds::Two, _) => &garbled::BMR_SHAMIR_S2,
            Protocol::BmrReplicated => &garbled::BMR_REPLICATED,
            Protocol::Yao => &garbled::YAO,
            Protocol::YaoSilent => &garbled::YAO_SILENT,
            Protocol::YaoThree => &garbled::YAO_THREE,
            Protocol::Authenticated(_) => &garbled::AUTHENTICATED,
            Protocol::Wrk17(_) => &garbled::WRK17,
            Protocol::Plain => &plain::PLAIN,
        }
    }

    /// Whether it is here to be compared with: see [`Status::Baseline`].
    #[must_use]
    pub fn for_comparison(self) -> bool {
        self.descriptor().status == Status::Baseline
    }

    /// What is particular to it, if its parties have roles.
    fn roles(self) -> Option<&'static RoleFacts> {
        match &self.descriptor().family {
            Family::Roles(facts) => Some(facts),
            Family::Gmw(_) | Family::Garbled(_) | Family::TrustedParty => None,
        }
    }

    /// What is particular to it, if it garbles.
    fn garbled(self) -> Option<GarbledFacts> {
        match self.descriptor().family {
            Family::Garbled(facts) => Some(facts),
            Family::Roles(_) | Family::Gmw(_) | Family::TrustedParty => None,
        }
    }

    /// Which oblivious transfers it is made of.
    fn transfers(self) -> Transfers {
        match self.descriptor().family {
            Family::Gmw(transfers) | Family::Garbled(GarbledFacts { transfers, .. }) => transfers,
            Family::Roles(_) | Family::TrustedParty => Transfers::None,
        }
    }

    /// Those that differ on circuits: triples of bits are all made in the same way, tags are of numbers, and
    /// the field that bits are proven in is one extension.
    pub fn on_bits() -> impl Iterator<Item = Protocol> {
        let other = |protocol| match protocol {
            Protocol::Brain(source) => source != Source::Buckets,
            other => matches!(other, Protocol::Tagged | Protocol::Galois),
        };
        Protocol::ALL.into_iter().filter(move |protocol| !other(*protocol))
    }

    /// The name used on command lines and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Strong(method) | Protocol::Batched(method, Strength::Strong, _) => {
                method.strong_name()
            }
            _ => self.descriptor().name,
        }
    }

    /// Number of roles.
    #[must_use]
    pub fn parties(self) -> usize {
        match (self.descriptor().parties, self) {
            (Parties::Exactly(parties), _) => parties.into(),
            (
                Parties::AtLeast(_),
                Protocol::Gmw(parties)
                | Protocol::GmwSilent(parties)
                | Protocol::GmwStar(parties)
                | Protocol::GmwWide(parties)
                | Protocol::GmwOt(parties)
                | Protocol::GmwTriples(parties)
                | Protocol::Bmr(parties)
                | Protocol::BmrSilent(parties)
                | Protocol::BmrShamir(parties)
                | Protocol::BmrOt(_, parties)
                | Protocol::BmrBlocks(_, parties)
                | Protocol::Authenticated(parties)
                | Protocol::Wrk17(parties),
            ) => parties.into(),
            (Parties::AtLeast(_), _) => unreachable!("{} has no number of parties", self.name()),
        }
    }

    /// Whether parties play roles of [`Protocol::visit`]. Elsewhere they do not share by those.
    #[must_use]
    pub fn has_roles(self) -> bool {
        matches!(self.descriptor().family, Family::Roles(_) | Family::TrustedParty)
    }

    /// Whether it matters for links who plays which role, and orders are few enough to try them all.
    #[must_use]
    pub fn has_unlike_roles(self) -> bool {
        self.has_roles() || self.one_garbles()
    }

    /// How products of bits are made, where it is a form of GMW.
    #[must_use]
    pub fn gmw(self) -> Option<gmw::Method> {
        match self {
            Protocol::Gmw(_) => Some(gmw::Method::Masked),
            Protocol::GmwSilent(_) => Some(gmw::Method::Silent),
            Protocol::GmwStar(_) => Some(gmw::Method::Star),
            Protocol::GmwWide(_) => Some(gmw::Method::Wide),
            Protocol::GmwOt(_) => Some(gmw::Method::Transfers),
            Protocol::GmwTriples(_) => Some(gmw::Method::Triples),
            _ => None,
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
        self.one_garbles() && self.parties() == 2
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

    /// Whether it is authenticated garbling, in any form.
    #[must_use]
    pub fn authenticates(self) -> bool {
        self.garbled().is_some_and(|facts| facts.garbling == Garbling::Authenticated)
    }

    /// Whether parties open garbled tables together: BMR.
    #[must_use]
    pub fn opens_tables(self) -> bool {
        let garbling = self.garbled().map(|facts| facts.garbling);
        matches!(garbling, Some(Garbling::Together(_)))
    }

    /// How garbled tables open, unless another way is asked for.
    #[must_use]
    pub fn opening(self) -> Opening {
        match self.garbled().map(|facts| facts.garbling) {
            Some(Garbling::Together(opening)) => opening,
            // Nothing opens in parts.
            Some(Garbling::OneSide | Garbling::Authenticated) | None => Opening::Collector,
        }
    }

    /// Whether it runs with any number of parties, from two, three or four on.
    #[must_use]
    pub fn takes_any_number(self) -> bool {
        matches!(self.descriptor().parties, Parties::AtLeast(_))
    }

    /// The same, for so many parties where it runs with any number: at least two, three or four.
    #[must_use]
    pub fn fitting(self, parties: usize) -> Self {
        let parties = self.descriptor().parties.fitting(parties);
        match self {
            Protocol::Gmw(_) => Protocol::Gmw(parties),
            Protocol::GmwSilent(_) => Protocol::GmwSilent(parties),
            Protocol::GmwStar(_) => Protocol::GmwStar(parties),
            Protocol::GmwWide(_) => Protocol::GmwWide(parties),
            Protocol::GmwOt(_) => Protocol::GmwOt(parties),
            Protocol::GmwTriples(_) => Protocol::GmwTriples(parties),
            Protocol::Bmr(_) => Protocol::Bmr(parties),
            Protocol::BmrSilent(_) => Protocol::BmrSilent(parties),
            Protocol::BmrShamir(_) => Protocol::BmrShamir(parties),
            Protocol::BmrOt(products, _) => Protocol::BmrOt(products, parties),
            Protocol::BmrBlocks(rounds, _) => Protocol::BmrBlocks(rounds, parties),
            Protocol::Authenticated(_) => Protocol::Authenticated(parties),
            Protocol::Wrk17(_) => Protocol::Wrk17(parties),
            other => other,
        }
    }

    /// Ring words of a share.
    #[must_use]
    pub fn components(self) -> usize {
        self.roles().map_or(2, |facts| facts.components)
    }

    /// Whether programs compute on its shares in rings; under all but the baseline they can compute
    /// by circuits.
    #[must_use]
    pub fn has_rings(self) -> bool {
        match self.descriptor().family {
            Family::Roles(facts) => facts.rings,
            Family::TrustedParty => true,
            Family::Gmw(_) | Family::Garbled(_) => false,
        }
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

    /// Whether products of replicated sharing are proven, or made from proven ones, before anything opens.
    #[must_use]
    pub fn proves_products(self) -> bool {
        self.method().is_some()
    }

    /// What is done about products of replicated sharing, where one of three parties may cheat.
    #[must_use]
    pub fn method(self) -> Option<Method> {
        match self {
            Protocol::Lift => Some(Method::Lift),
            Protocol::Galois => Some(Method::Galois),
            Protocol::Integers => Some(Method::Integers),
            Protocol::Post => Some(Method::Post),
            Protocol::Tagged => Some(Method::Tagged),
            Protocol::Brain(source) => Some(Method::Brain(source)),
            Protocol::Strong(method) | Protocol::Batched(method, ..) => Some(method),
            _ => None,
        }
    }

    /// The statistical parameter of what is done about products.
    #[must_use]
    pub fn strength(self) -> Strength {
        match self {
            Protocol::Strong(_) => Strength::Strong,
            Protocol::Batched(_, strength, _) => strength,
            _ => Strength::Usual,
        }
    }

    /// How many products are checked together, where that was asked for.
    #[must_use]
    pub fn batch(self) -> Option<BatchSize> {
        match self {
            Protocol::Batched(_, _, batch) => Some(batch),
            _ => None,
        }
    }

    /// What is done about products, and how rarely it is passed.
    #[must_use]
    pub fn proving(self) -> Option<Proving> {
        let (strength, batch) = (self.strength(), self.batch());
        self.method().map(|method| Proving { method, strength, batch })
    }

    /// Bits of soundness of its checks of products, where it has any: a cheat passes them with two to the minus
    /// this at most.
    #[must_use]
    pub fn soundness(self) -> Option<f64> {
        self.proving().map(Proving::soundness)
    }

    /// The same protocol with a statistical parameter.
    ///
    /// # Errors
    /// If it has none, or not this one.
    pub fn with_strength(self, strength: Strength) -> Result<Self, OtherStrength> {
        // What finds every error does so with any parameter.
        let always = self.is_checked() && !self.proves_products();
        if self.is_malicious() && (always || strength == self.strength()) {
            return Ok(self);
        }
        let same =
            |strong: &Protocol| strength == Strength::Strong && strong.method() == self.method();
        let mut strong = Protocol::STRONG.into_iter();
        strong.find(same).ok_or(OtherStrength { protocol: self, strength })
    }

    /// The same protocol with so many products checked together.
    ///
    /// # Errors
    /// If it checks none in batches, has other ones, or such a batch would not be sound.
    pub fn with_batch(self, batch: BatchSize) -> Result<Self, OtherBatch> {
        let other = OtherBatch { protocol: self, batch };
        let proving = self.proving().ok_or(other)?;
        let proving = Proving { batch: Some(proving.batch.unwrap_or(batch)), ..proving };
        let fits = batch.bucket().is_none() || proving.method == Method::Brain(Source::Buckets);
        match proving.batch == Some(batch) && fits && proving.is_sound() {
            true => Ok(Protocol::Batched(proving.method, proving.strength, batch)),
            false => Err(other),
        }
    }

    /// What it protects against: the one place that says so.
    #[must_use]
    pub fn security(self) -> Security {
        self.descriptor().security
    }

    /// Largest number of factors of a product that takes one round.
    #[must_use]
    pub fn fan_in(self) -> usize {
        self.descriptor().fan_in
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

    /// The role that works ahead and waits for nobody, if there is one.
    #[must_use]
    pub fn ahead(self) -> Option<RoleId> {
        self.roles().and_then(|facts| facts.offline_role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::Coordinates;
    use crate::role::{Few, Role};

    #[test]
    fn fewer_parties_may_be_corrupted_than_compute() {
        for (protocol, corruptions) in [
            (Protocol::Plain, 0),
            (Protocol::Trio, 1),
            (Protocol::Quad, 1),
            (Protocol::Yao, 1),
            (Protocol::YaoThree, 1),
            (Protocol::Gmw(7), 6),
            (Protocol::BmrShamir(3), 1),
            (Protocol::BmrShamir(6), 2),
            (Protocol::BmrShamir(7), 3),
            (Protocol::BmrBlocks(Rounds::Two, 6), 1),
            (Protocol::BmrBlocks(Rounds::Two, 7), 2),
            (Protocol::Authenticated(5), 4),
        ] {
            assert_eq!(protocol.security().corruptions(protocol.parties()), corruptions);
        }
    }

    /// What descriptors say of shares is what the types of roles are.
    #[test]
    fn shares_have_as_many_components_as_descriptors_say() {
        struct Count;
        impl RoleVisitor for Count {
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
        for protocol in Protocol::ALL.into_iter().filter(|protocol| protocol.roles().is_some()) {
            for role in 0..protocol.parties() {
                let (components, waits_for_nobody) = protocol.visit(role, Count);
                assert_eq!(components, protocol.components(), "{protocol}");
                assert_eq!(protocol.ahead() == Some(role), waits_for_nobody, "{protocol} {role}");
            }
            let rings =
                protocol.proves_products() || protocol.visit_coordinates(0, Found).is_some();
            assert_eq!(protocol.has_rings(), rings, "{protocol}");
        }
    }

    #[test]
    fn names_are_those_of_protocols_with_enough_parties() {
        for protocol in Protocol::ALL.into_iter().chain(Protocol::STRONG) {
            assert_eq!(protocol.to_string().parse(), Ok(protocol));
            let least = protocol.fitting(0);
            assert_eq!(protocol.name().parse(), Ok(least));
            for parties in 0..=usize::from(MAX_PARTIES) + 1 {
                let parsed = format!("{}:{parties}", protocol.name()).parse::<Protocol>();
                let takes = protocol.takes_any_number()
                    && (least.parties()..=usize::from(MAX_PARTIES)).contains(&parties);
                assert_eq!(parsed.ok(), takes.then(|| protocol.fitting(parties)), "{protocol}");
                assert!(!takes || protocol.fitting(parties).parties() == parties);
            }
        }
        for protocol in Protocol::ALL {
            let strong = protocol.with_strength(Strength::Strong);
            match protocol.method() {
                Some(method) if method.can_be_strong() => {
                    assert_eq!(strong, Ok(Protocol::Strong(method)));
                    assert_eq!(strong.unwrap().proving().unwrap().strength, Strength::Strong);
                    assert!(strong.unwrap().with_strength(Strength::Usual).is_err());
                }
                None if protocol.is_checked() => assert_eq!(strong, Ok(protocol)),
                _ => assert!(strong.is_err(), "{protocol}"),
            }
            let usual = protocol.with_strength(Strength::Usual);
            assert_eq!(usual.ok(), protocol.is_malicious().then_some(protocol));
        }
        let sizes = ["1", "4096", "4688x4"].map(|text| text.parse::<BatchSize>().unwrap());
        for protocol in Protocol::ALL.into_iter().chain(Protocol::STRONG) {
            for batch in sizes {
                let found = protocol.with_batch(batch);
                let buckets = protocol == Protocol::Brain(Source::Buckets);
                let fits = protocol.proves_products() && (batch.bucket().is_none() || buckets);
                assert_eq!(found.is_ok(), fits, "{protocol} {batch}");
                let Ok(found) = found else { continue };
                assert_eq!(found.to_string(), format!("{protocol}/{batch}"));
                assert_eq!(found.to_string().parse(), Ok(found));
                let same = |p: Protocol| (p.method(), p.strength(), p.security(), p.parties());
                assert_eq!(same(found), same(protocol));
                assert_eq!(found.with_batch(batch), Ok(found));
                assert!(found.with_batch("7".parse().unwrap()).is_err(), "{found}");
            }
        }
        let told = |name: &str| name.parse::<Protocol>().unwrap_err().to_string();
        for (name, what) in [
            ("brain-buckets/1024x3", "2^-22.2, and brain-buckets promises 2^-40: 494303 or more"),
            ("brain-buckets@64/29010x5", "2^-64: 29011 or more"),
            ("brain-buckets/9x2", "larger buckets would do"),
            ("post/4096x4", "compares no numbers in buckets"),
            ("lift/0", "a batch has 1 to 16777216 products"),
            ("quad/4096", "not supported: quad has no batches"),
            ("trio/4096", "notices no cheats"),
            ("authenticated:3/4096", "not supported"),
            ("lift/7/8", "1 to 16777216"),
            ("lit/7", "unknown protocol 'lit'; did you mean `lift`?"),
            ("gnw:3", "did you mean `gmw`?"),
            ("nothing like it", "choose one of trio; astra"),
            ("gmw:100", "gmw does not run with '100' parties: write gmw:N with N from 2 to 64"),
            ("bmr-shamir:2", "N from 3 to 64"),
            ("gmw:x", "N from 2 to 64"),
            ("trio:4", "3 parties compute, so write trio alone"),
        ] {
            assert!(told(name).contains(what), "{}", told(name));
        }
        let least = |name: &str| name.parse::<Protocol>().map(Protocol::parties).ok();
        let names = ["gmw", "bmr-offset", "bmr-shamir-s3", "bmr-shamir-s2", "bmr-replicated"];
        assert_eq!(names.map(least), [2, 2, 3, 4, 3].map(Some));
        assert!("bmr-shamir-s2:5".parse::<Protocol>().is_ok());
    }
}
