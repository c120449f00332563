//! The protocols that garble.

use crate::bmr::{Products, Rounds};
use tacit_protocol::{
    Descriptor, Family, GarbledFacts, Garbling, Opening, Parties, Protocol, Security, Status,
    Transfers,
};

const fn garbled(
    name: &'static str,
    [page, best_for]: [&'static str; 2],
    (parties, security): (Parties, Security),
    status: Status,
    (garbling, transfers): (Garbling, Transfers),
) -> Descriptor {
    let family = Family::Garbled(GarbledFacts { garbling, transfers });
    Descriptor { name, page, best_for, parties, security, status, fan_in: 2, family }
}

/// All of them, those too that this build does not have: a line each.
pub(crate) static ALL: [Protocol; 17] = [
    YAO,
    YAO_SILENT,
    YAO_THREE,
    BMR,
    BMR_SILENT,
    BMR_SHAMIR,
    BMR_REPLICATED,
    BMR_BASIC,
    BMR_REDUCED,
    BMR_CORRELATED,
    BMR_OFFSET,
    BMR_SHAMIR_S4,
    BMR_SHAMIR_S3,
    BMR_SHAMIR_S2,
    HALF_GATES,
    AUTHENTICATED,
    WRK17,
];

/// BMR over oblivious transfer: a constant number of rounds.
pub const BMR: Protocol = Protocol::new(&garbled(
    "bmr",
    ["bmr.md", "deep circuits over slow links: two rounds online"],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Product,
    (Garbling::Together(Opening::Collector), Transfers::Ordinary),
));

/// BMR with silent oblivious transfers.
pub const BMR_SILENT: Protocol = Protocol::new(&garbled(
    "bmr-silent",
    [
        "bmr.md#silent-transfers",
        "as `bmr`, with large circuits: 6 % less traffic ahead, and more computing; its level, 2^151, is our own estimate",
    ],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Product,
    (Garbling::Together(Opening::Collector), Transfers::Silent),
));

/// BMR over Shamir's sharing.
pub const BMR_SHAMIR: Protocol = Protocol::new(&garbled(
    "bmr-shamir",
    [
        "bmr.md#over-shamirs-sharing",
        "as `bmr`, with half to two thirds of the bytes in all; the busiest links save little",
    ],
    (Parties::AtLeast(3), Security::HonestMajority),
    Status::Product,
    (Garbling::Together(Opening::Collector), Transfers::None),
));

/// [`Products::Basic`].
pub const BMR_BASIC: Protocol = Protocol::new(&garbled(
    "bmr-basic",
    [
        "bmr.md#variants-to-compare",
        "to compare: the CCS 2016 paper over oblivious transfer, all four rows",
    ],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::Ordinary),
));

/// [`Products::Reduced`].
pub const BMR_REDUCED: Protocol = Protocol::new(&garbled(
    "bmr-reduced",
    [
        "bmr.md#variants-to-compare",
        "to compare: the CCS 2016 paper over oblivious transfer, three rows",
    ],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::Ordinary),
));

/// [`Products::Correlated`].
pub const BMR_CORRELATED: Protocol = Protocol::new(&garbled(
    "bmr-correlated",
    ["bmr.md#variants-to-compare", "to compare: the CCS 2016 paper over correlated transfer"],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::Ordinary),
));

/// [`Products::Offset`].
pub const BMR_OFFSET: Protocol = Protocol::new(&garbled(
    "bmr-offset",
    [
        "bmr.md#variants-to-compare",
        "to compare: the CCS 2016 paper over transfers that are correlated by the offset",
    ],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::Collector), Transfers::Ordinary),
));

/// [`Rounds::Four`].
pub const BMR_SHAMIR_S4: Protocol = Protocol::new(&garbled(
    "bmr-shamir-s4",
    ["bmr.md#variants-to-compare", "to compare: the CCS 2016 paper over BGW, in four rounds"],
    (Parties::AtLeast(3), Security::HonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::None),
));

/// [`Rounds::Three`].
pub const BMR_SHAMIR_S3: Protocol = Protocol::new(&garbled(
    "bmr-shamir-s3",
    ["bmr.md#variants-to-compare", "to compare: the CCS 2016 paper over BGW, in three rounds"],
    (Parties::AtLeast(3), Security::HonestMajority),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::None),
));

/// [`Rounds::Two`].
pub const BMR_SHAMIR_S2: Protocol = Protocol::new(&garbled(
    "bmr-shamir-s2",
    ["bmr.md#variants-to-compare", "to compare: the CCS 2016 paper over BGW, in two rounds"],
    (Parties::AtLeast(4), Security::FewerThanThird),
    Status::Baseline,
    (Garbling::Together(Opening::All), Transfers::None),
));

/// BMR over replicated sharing.
pub const BMR_REPLICATED: Protocol = Protocol::new(&garbled(
    "bmr-replicated",
    [
        "bmr.md#over-replicated-sharing",
        "as `bmr`, among three equal parties, without oblivious transfer",
    ],
    (Parties::Exactly(3), Security::SemiHonest),
    Status::Product,
    (Garbling::Together(Opening::Collector), Transfers::None),
));

/// Half gates that all parties but one garble together, and that one evaluates.
pub const HALF_GATES: Protocol = Protocol::new(&garbled(
    "half-gates",
    [
        "half-gates.md",
        "as `bmr`, with an eighth (two parties) to two fifths of its bytes: one party evaluates for all",
    ],
    (Parties::AtLeast(2), Security::DishonestMajority),
    Status::Product,
    (Garbling::ForEvaluator, Transfers::Ordinary),
));

/// Yao's garbled circuits, with half gates.
pub const YAO: Protocol = Protocol::new(&garbled(
    "yao",
    ["yao.md", "two parties, with slow links or deep circuits"],
    (Parties::Exactly(2), Security::DishonestMajority),
    Status::Product,
    (Garbling::OneSide, Transfers::Ordinary),
));

/// Yao's garbled circuits between two parties, with silent oblivious transfers.
pub const YAO_SILENT: Protocol = Protocol::new(&garbled(
    "yao-silent",
    [
        "yao.md#silent-transfers",
        "as `yao`, with 80,000 inputs or more of the party that evaluates; its level, 2^151, is our own estimate",
    ],
    (Parties::Exactly(2), Security::DishonestMajority),
    Status::Product,
    (Garbling::OneSide, Transfers::Silent),
));

/// Garbled circuits among three parties: two that have all labels, one that evaluates.
pub const YAO_THREE: Protocol = Protocol::new(&garbled(
    "yao-three",
    ["yao.md#three-parties", "deep circuits over slow links, where a third party helps two"],
    (Parties::Exactly(3), Security::SemiHonest),
    Status::Product,
    (Garbling::OneSide, Transfers::None),
));

/// Authenticated garbling.
pub const AUTHENTICATED: Protocol = Protocol::new(&garbled(
    "authenticated",
    ["authenticated.md", "nobody trusts anybody"],
    (Parties::AtLeast(2), Security::MaliciousDishonestMajority),
    Status::Product,
    (Garbling::Authenticated, Transfers::Ordinary),
));

/// Authenticated garbling with gates of four rows, as in its first paper (CCS 2017).
pub const WRK17: Protocol = Protocol::new(&garbled(
    "wrk17",
    ["authenticated.md#the-form-of-2017", "to compare: gates of four rows, as published in 2017"],
    (Parties::AtLeast(2), Security::MaliciousDishonestMajority),
    Status::Baseline,
    (Garbling::Authenticated, Transfers::Ordinary),
));

impl Products {
    /// The protocol that makes products in this way, for two parties.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Products::Basic => BMR_BASIC,
            Products::Reduced => BMR_REDUCED,
            Products::Correlated => BMR_CORRELATED,
            Products::Offset => BMR_OFFSET,
        }
    }

    /// How a protocol makes products, if it is one of these.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Self> {
        Products::ALL.into_iter().find(|products| products.protocol().is(protocol))
    }
}

impl Rounds {
    /// The protocol that takes so many rounds, for as few parties as it runs with.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        match self {
            Rounds::Four => BMR_SHAMIR_S4,
            Rounds::Three => BMR_SHAMIR_S3,
            Rounds::Two => BMR_SHAMIR_S2,
        }
    }

    /// How many rounds a protocol takes, if it is one of these.
    #[must_use]
    pub fn of(protocol: Protocol) -> Option<Self> {
        Rounds::ALL.into_iter().find(|rounds| rounds.protocol().is(protocol))
    }
}
