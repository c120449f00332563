//! The list of protocols that garble.

use crate::garbler::Garbler;
use crate::protocols::{
    AUTHENTICATED, BMR, BMR_BASIC, BMR_CORRELATED, BMR_OFFSET, BMR_REDUCED, BMR_REPLICATED,
    BMR_SHAMIR, BMR_SHAMIR_S2, BMR_SHAMIR_S3, BMR_SHAMIR_S4, BMR_SILENT, HALF_GATES, WRK17, YAO,
    YAO_SILENT, YAO_THREE,
};
use crate::{authenticated, bmr, half_gates, protocols, yao};
use tacit_protocol::{Baseline, Descriptor, Protocol};

/// A protocol, and how it garbles.
type Garbles = (Protocol, &'static dyn Garbler);

/// The protocols of this crate that are offered: a line each.
static OFFERED: [Garbles; 9] = [
    (YAO, yao::YAO),
    (YAO_SILENT, yao::YAO_SILENT),
    (YAO_THREE, yao::three::YAO_THREE),
    (BMR, bmr::BMR),
    (BMR_SILENT, bmr::BMR_SILENT),
    (BMR_SHAMIR, bmr::BMR_SHAMIR),
    (BMR_REPLICATED, bmr::BMR_REPLICATED),
    (HALF_GATES, half_gates::HALF_GATES),
    (AUTHENTICATED, authenticated::AUTHENTICATED),
];

/// Those that are there to be compared with.
static BASELINES: [Garbles; 8] = [
    (BMR_BASIC, bmr::BMR_BASIC),
    (BMR_REDUCED, bmr::BMR_REDUCED),
    (BMR_CORRELATED, bmr::BMR_CORRELATED),
    (BMR_OFFSET, bmr::BMR_OFFSET),
    (BMR_SHAMIR_S4, bmr::BMR_SHAMIR_S4),
    (BMR_SHAMIR_S3, bmr::BMR_SHAMIR_S3),
    (BMR_SHAMIR_S2, bmr::BMR_SHAMIR_S2),
    (WRK17, authenticated::WRK17),
];

/// The descriptors of all protocols of this crate, those too that this build does not have.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    protocols::ALL.iter().map(|protocol| protocol.descriptor())
}

/// How a protocol garbles, if it does, and this build has it.
#[must_use]
pub fn garbler(protocol: Protocol) -> Option<&'static dyn Garbler> {
    // Without them, no code is made for what only their list names.
    let baselines: &[Garbles] = match Baseline::HERE {
        Some(_) => &BASELINES,
        None => &[],
    };
    let mut all = OFFERED.iter().chain(baselines);
    all.find(|(known, _)| known.is(protocol)).map(|(_, garbler)| *garbler)
}
