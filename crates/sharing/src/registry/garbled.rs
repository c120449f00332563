//! What protocols that garble say of themselves. The protocols are in the crate `tacit-garbling`.

use tacit_protocol::{
    Descriptor, Family, GarbledFacts, Garbling, Opening, Parties, Security, Status, Transfers,
};

pub(super) static BMR: Descriptor = Descriptor {
    name: "bmr",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::Collector),
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static BMR_SILENT: Descriptor = Descriptor {
    name: "bmr-silent",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::Collector),
        transfers: Transfers::Silent,
    }),
};

pub(super) static BMR_SHAMIR: Descriptor = Descriptor {
    name: "bmr-shamir",
    parties: Parties::AtLeast(3),
    security: Security::HonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::Collector),
        transfers: Transfers::None,
    }),
};

pub(super) static BMR_BASIC: Descriptor = Descriptor {
    name: "bmr-basic",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static BMR_REDUCED: Descriptor = Descriptor {
    name: "bmr-reduced",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static BMR_CORRELATED: Descriptor = Descriptor {
    name: "bmr-correlated",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static BMR_OFFSET: Descriptor = Descriptor {
    name: "bmr-offset",
    parties: Parties::AtLeast(2),
    security: Security::DishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::Collector),
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static BMR_SHAMIR_S4: Descriptor = Descriptor {
    name: "bmr-shamir-s4",
    parties: Parties::AtLeast(3),
    security: Security::HonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::None,
    }),
};

pub(super) static BMR_SHAMIR_S3: Descriptor = Descriptor {
    name: "bmr-shamir-s3",
    parties: Parties::AtLeast(3),
    security: Security::HonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::None,
    }),
};

pub(super) static BMR_SHAMIR_S2: Descriptor = Descriptor {
    name: "bmr-shamir-s2",
    parties: Parties::AtLeast(4),
    security: Security::FewerThanThird,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::All),
        transfers: Transfers::None,
    }),
};

pub(super) static BMR_REPLICATED: Descriptor = Descriptor {
    name: "bmr-replicated",
    parties: Parties::Exactly(3),
    security: Security::SemiHonest,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Together(Opening::Collector),
        transfers: Transfers::None,
    }),
};

pub(super) static YAO: Descriptor = Descriptor {
    name: "yao",
    parties: Parties::Exactly(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::OneSide,
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static YAO_SILENT: Descriptor = Descriptor {
    name: "yao-silent",
    parties: Parties::Exactly(2),
    security: Security::DishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::OneSide,
        transfers: Transfers::Silent,
    }),
};

pub(super) static YAO_THREE: Descriptor = Descriptor {
    name: "yao-three",
    parties: Parties::Exactly(3),
    security: Security::SemiHonest,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::OneSide,
        transfers: Transfers::None,
    }),
};

pub(super) static AUTHENTICATED: Descriptor = Descriptor {
    name: "authenticated",
    parties: Parties::AtLeast(2),
    security: Security::MaliciousDishonestMajority,
    status: Status::Product,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Authenticated,
        transfers: Transfers::Ordinary,
    }),
};

pub(super) static WRK17: Descriptor = Descriptor {
    name: "wrk17",
    parties: Parties::AtLeast(2),
    security: Security::MaliciousDishonestMajority,
    status: Status::Baseline,
    fan_in: 2,
    family: Family::Garbled(GarbledFacts {
        garbling: Garbling::Authenticated,
        transfers: Transfers::Ordinary,
    }),
};
