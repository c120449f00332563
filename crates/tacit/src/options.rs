//! How a program or a circuit is computed: what all parties say alike.

use crate::balance::Balancing;
use crate::choice::{ByChoice, ChunkChoice};
use crate::roles::Roles;
use std::path::PathBuf;
use tacit_engine::circuit::{FormChoice, Garbling, Preprocessing};
use tacit_garbling::bmr::{LabelFunction, Opening};
use tacit_sharing::Protocol;

/// How a program or a circuit is computed. All but `stored` and `window_bytes` are compared by the parties.
#[derive(Clone, Debug)]
pub struct Options {
    /// The protocol.
    pub protocol: Protocol,
    /// What a program's numbers are computed with, if not as usual under the protocol.
    pub by: Option<ByChoice>,
    /// Who plays which role, if not the parties in their order.
    pub roles: Option<Roles>,
    /// Protocols that roles may be split with.
    pub mix: Vec<Protocol>,
    /// How products of a circuit are divided among ways to make them.
    pub balance: Balancing,
    /// Worker threads per party and assignment of roles.
    pub threads: usize,
    /// Whether parties that choose a protocol may take more threads than that, and several assignments of roles.
    pub spread: bool,
    /// When what does not depend on inputs is made.
    pub preprocessing: Preprocessing,
    /// The directory of stores of preprocessing, one of which is used.
    pub stored: Option<PathBuf>,
    /// Form of a circuit's products with more than two factors.
    pub form: FormChoice,
    /// How garbled tables open, if not as the protocol does by itself.
    pub opening: Option<Opening>,
    /// How circuits are garbled.
    pub garbling: Garbling,
    /// About how many ANDs each circuit has of a program that is garbled circuit by circuit.
    pub block_ands: Option<usize>,
    /// What hides rows of garbled tables, if not the usual function.
    pub label_function: Option<LabelFunction>,
    /// Whether declared ranges of a program's inputs are checked, where the protocol notices cheats.
    pub range_check: bool,
    /// Rows of a program that are computed together.
    pub chunk_rows: Option<ChunkChoice>,
    /// Bytes of a circuit's messages under way per direction; 0 is the usual.
    pub window_bytes: usize,
}

impl Options {
    /// The usual ones.
    #[must_use]
    pub fn new(protocol: Protocol) -> Options {
        Options {
            protocol,
            by: None,
            roles: None,
            mix: Vec::new(),
            balance: Balancing::None,
            threads: 1,
            spread: false,
            preprocessing: Preprocessing::Interleaved,
            stored: None,
            form: FormChoice::Dealer,
            opening: None,
            garbling: Garbling::Auto,
            block_ands: None,
            label_function: None,
            range_check: true,
            chunk_rows: None,
            window_bytes: 0,
        }
    }
}
