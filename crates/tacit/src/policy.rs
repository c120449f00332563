//! What a party's file demands of its runs, beside what they want.

use crate::error::{Error, ErrorKind, Result};
use crate::wanted::Wanted;
use tacit_net::config::{Behaviour, PartyConfig, Policy};
use tacit_planner::Threat;
use tacit_sharing::Protocol;

/// What a party demands of the protocols of its runs, as its file says it.
#[derive(Clone, Debug)]
pub struct Demands {
    policy: Option<Policy>,
    /// What the file is called in messages.
    origin: String,
}

impl Demands {
    /// What this configuration demands; `origin` is what it is called in messages.
    #[must_use]
    pub fn of(config: &PartyConfig, origin: String) -> Demands {
        Demands { policy: config.policy, origin }
    }

    /// Nothing.
    pub(crate) fn none(origin: String) -> Demands {
        Demands { policy: None, origin }
    }

    /// What the configuration is called in messages.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// What protocols of so many parties must protect against, if the file says so.
    #[must_use]
    pub fn threat(&self, parties: usize) -> Option<Threat> {
        self.policy.map(|Policy { security, corruptions }| Threat {
            malicious: security == Behaviour::Malicious,
            corruptions: corruptions.among(parties),
        })
    }

    /// Refuses a protocol that protects against less.
    ///
    /// # Errors
    /// [`ErrorKind::Config`], which names the file.
    pub fn allow(&self, protocol: Protocol) -> Result<()> {
        match self.threat(protocol.parties()) {
            Some(threat) if !threat.is_met_by(protocol) => {
                let trust = protocol.security().trust(protocol.parties());
                Err(self.refusal(threat, &format!("{protocol} is {trust}")))
            }
            _ => Ok(()),
        }
    }

    /// Refuses to leave the choice of a protocol for so many parties to them, if it may protect against less.
    ///
    /// # Errors
    /// [`ErrorKind::Config`], which names the file.
    pub fn allow_choice(&self, wanted: &Wanted, parties: usize) -> Result<()> {
        match self.threat(parties) {
            Some(threat) if !wanted.threat.covers(threat) => {
                let asks = wanted.threat;
                Err(self.refusal(threat, &format!("this run asks for protection against {asks}")))
            }
            _ => Ok(()),
        }
    }

    fn refusal(&self, threat: Threat, but: &str) -> Error {
        let origin = &self.origin;
        let message = format!(
            "{origin}: its [policy] demands protection against {threat}, but {but}; leave the protocol out, or name one that \
             protects against as much"
        );
        Error::new(ErrorKind::Config, message)
    }
}
