//! Conversions of four parties: what catches what, published values, and what a party sees.

mod tampered;
mod vectors;
mod views;

use tacit_backend::protocols::{FANTASTIC_FOUR, QUAD, QUAD_A, QUAD_HET, TETRAD};
use tacit_net::PartyId;
use tacit_sharing::Protocol;

const PLACES: [PartyId; 4] = [PartyId(0), PartyId(1), PartyId(2), PartyId(3)];

/// Those of four parties.
const FOUR: [Protocol; 5] = [QUAD, QUAD_A, QUAD_HET, TETRAD, FANTASTIC_FOUR];
