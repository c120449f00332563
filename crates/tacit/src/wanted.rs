//! What a protocol must do that the parties choose together.

use crate::error::{Error, Result};
use crate::options::Options;
use crate::roles::checked;
use tacit_engine::circuit::{FormChoice, Garbling};
use tacit_engine::protocols;
use tacit_planner::Threat;
use tacit_protocol::{BatchSize, Protocol, Strength};

/// Bytes that a party may keep, unless it is said.
pub const MEMORY_BYTES: f64 = 8e9;

/// What the chosen protocol must do.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// What it protects against.
    pub threat: Threat,
    /// How rarely a cheat may pass checks of products, if not as usual.
    pub strength: Option<Strength>,
    /// How many products are checked together, if not as usual.
    pub batch: Option<BatchSize>,
    /// Bytes that a party may keep.
    pub memory_bytes: f64,
}

impl Wanted {
    /// Protection against a threat, with the usual parameters.
    #[must_use]
    pub fn against(threat: Threat) -> Wanted {
        Wanted { threat, strength: None, batch: None, memory_bytes: MEMORY_BYTES }
    }

    /// How parties call it among themselves: all must want the same.
    #[must_use]
    pub fn fact(&self) -> String {
        let Wanted { threat, strength, batch, memory_bytes } = self;
        let strength = strength.map(|it| format!(", 2^-{}", it.bits())).unwrap_or_default();
        let batch = batch.map(|it| format!(", batches of {it}")).unwrap_or_default();
        let memory = match *memory_bytes {
            MEMORY_BYTES => String::new(),
            bytes => format!(", {:.0} MB", bytes * 1e-6),
        };
        format!("auto against {threat}{strength}{batch}{memory}")
    }

    /// Protocols for so many parties that protect well enough.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) where there is none.
    pub fn protocols(&self, parties: usize) -> Result<Vec<Protocol>> {
        let all = protocols::all().filter_map(|it| checked(it, self.strength, self.batch).ok());
        let found = self.threat.protocols(all, parties, false);
        if !found.is_empty() {
            return Ok(found);
        }
        let most = parties.saturating_sub(1);
        let why = match self.threat.corruptions {
            0 => "somebody may be corrupted: say how many".to_owned(),
            many if many > most => format!("of {parties} parties {most} may be corrupted at most"),
            _ => "ask for less, or let other parties take part".to_owned(),
        };
        let threat = self.threat;
        Err(Error::input(format!(
            "no protocol of {parties} parties protects against {threat}: {why}"
        )))
    }

    /// Refuses options that say what the parties choose, or what single protocols have.
    pub fn check(&self, options: &Options) -> Result<()> {
        let form = !matches!(options.form, FormChoice::Dealer);
        let said = [
            (options.by.is_some(), "what numbers are computed with (--by)"),
            (options.roles.is_some(), "who plays which role (--roles)"),
            (!options.mix.is_empty(), "protocols to mix (--mix)"),
            (!options.balance.is_none(), "how products are divided (--balance)"),
            (options.chunk_rows.is_some(), "how many rows go together (--chunk-rows)"),
            (
                options.stored.is_some(),
                "stored preprocessing, which is for one protocol (--prepared)",
            ),
            (form, "the form of wide products (--form)"),
            (options.garbling != Garbling::Auto, "how circuits are garbled (--garbling)"),
            (options.opening.is_some(), "how garbled tables open (--opening)"),
            (
                options.label_function.is_some(),
                "what hides rows of garbled tables (--label-function)",
            ),
            (options.block_ands.is_some(), "sizes of garbled circuits (--block-ands)"),
        ];
        match said.into_iter().find(|(given, _)| *given) {
            Some((_, what)) => Err(Error::input(format!(
                "{what} cannot be said where the parties choose the protocol: leave it out, or name a protocol"
            ))),
            None => Ok(()),
        }
    }
}
