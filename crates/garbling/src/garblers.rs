//! The list of protocols that garble.

use crate::garbler::Garbler;
use crate::protocols::{
    AUTHENTICATED, BMR, BMR_BASIC, BMR_CORRELATED, BMR_OFFSET, BMR_REDUCED, BMR_REPLICATED,
    BMR_SHAMIR, BMR_SHAMIR_S2, BMR_SHAMIR_S3, BMR_SHAMIR_S4, BMR_SILENT, HALF_GATES, WRK17, YAO,
    YAO_SILENT, YAO_THREE,
};
use crate::{authenticated, bmr, half_gates, yao};
use tacit_protocol::{Descriptor, Protocol};

/// All protocols of this crate, and how they garble: a line each.
static GARBLERS: [(Protocol, &dyn Garbler); 17] = [
    (YAO, yao::YAO),
    (YAO_SILENT, yao::YAO_SILENT),
    (YAO_THREE, yao::three::YAO_THREE),
    (BMR, bmr::BMR),
    (BMR_SILENT, bmr::BMR_SILENT),
    (BMR_SHAMIR, bmr::BMR_SHAMIR),
    (BMR_REPLICATED, bmr::BMR_REPLICATED),
    (BMR_BASIC, bmr::BMR_BASIC),
    (BMR_REDUCED, bmr::BMR_REDUCED),
    (BMR_CORRELATED, bmr::BMR_CORRELATED),
    (BMR_OFFSET, bmr::BMR_OFFSET),
    (BMR_SHAMIR_S4, bmr::BMR_SHAMIR_S4),
    (BMR_SHAMIR_S3, bmr::BMR_SHAMIR_S3),
    (BMR_SHAMIR_S2, bmr::BMR_SHAMIR_S2),
    (HALF_GATES, half_gates::HALF_GATES),
    (AUTHENTICATED, authenticated::AUTHENTICATED),
    (WRK17, authenticated::WRK17),
];

/// The descriptors of all protocols of this crate.
pub fn descriptors() -> impl Iterator<Item = &'static Descriptor> {
    GARBLERS.iter().map(|(protocol, _)| protocol.descriptor())
}

/// How a protocol garbles, if it does.
#[must_use]
pub fn garbler(protocol: Protocol) -> Option<&'static dyn Garbler> {
    GARBLERS.iter().find(|(known, _)| known.is(protocol)).map(|(_, garbler)| *garbler)
}
