//! What the types of roles say of cheats, where products are proven or checked.

use super::{LIFT, POST};
use crate::replicated::Checks;
use tacit_protocol::Protocol;

/// Products are proven later: see [`proof`](super). Of these protocols [`LIFT`] stands for the
/// others.
#[derive(Clone, Copy, Debug)]
pub struct ProvenLater;

impl Checks for ProvenLater {
    const PROTOCOL: Protocol = LIFT;
    const PROVEN: bool = true;
}

/// Products are made by a [`Method`](crate::proof::Method) of their own, which keeps them to be checked or
/// makes them from checked ones. Of all these protocols [`POST`] stands for the others.
#[derive(Clone, Copy, Debug)]
pub struct Made;

impl Checks for Made {
    const PROTOCOL: Protocol = POST;
    const PROVEN: bool = true;
    const MADE: bool = true;
}
