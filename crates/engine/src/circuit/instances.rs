//! How many instances are evaluated: a fact that every party consents to before any input is offered.

use super::{EvaluateError, Job};
use tacit_circuit::Circuit;
use tacit_net::{PartyId, Session};

/// Bytes of inputs and outputs of one run that a party holds because others say how many instances there are.
pub const UNSAID_VALUE_BYTES: usize = 1 << 30;

/// In how many instances a party lets a circuit be evaluated.
///
/// Whoever gives one value, and lets it be used in as many instances as others want, answers as many questions about it:
/// under a comparison one run tells all of it. So nothing is repeated unless its owner says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// In so many: as many as this party gives values for, or as it says.
    Exactly(usize),
    /// In as many as the others say, but no more than this: it gives no input, or repeats what it gives.
    UpTo(usize),
}

impl Consent {
    /// In as many as the others say, as long as values fit [`UNSAID_VALUE_BYTES`].
    #[must_use]
    pub fn as_others(circuit: &Circuit) -> Consent {
        let bits = circuit.input_bits() + circuit.output_bits();
        Consent::UpTo(UNSAID_VALUE_BYTES / (8 * bits.max(1)) * 64)
    }

    /// What is told to others: nothing for as many as they say.
    fn encode(self) -> [u8; 8] {
        let count = match self {
            Consent::Exactly(count) => count as u64,
            Consent::UpTo(_) => 0,
        };
        count.to_le_bytes()
    }
}

/// Finds the number of instances: what all that say one say alike, or one. First the parties compare everything else
/// about the job. Nothing is allocated for instances before all have consented to their number.
///
/// # Errors
/// [`NetError::Disagreement`](tacit_net::NetError::Disagreement), which names the other party and its number, when
/// parties say different numbers, or more than this party consents to; when the network fails. The session is over
/// for everybody then.
pub fn agree_instances(
    session: &mut Session,
    circuit: &Circuit,
    job: &Job,
    mine: Consent,
) -> Result<usize, EvaluateError> {
    if mine == Consent::Exactly(0) {
        return Err(EvaluateError::Job("a job needs at least one instance".into()));
    }
    let mut facts = job.facts(circuit);
    facts.retain(|(name, _)| *name != "instances");
    facts.insert(0, ("command", "run".into()));
    session.agree(&facts)?;
    let offered = session.publish(&mine.encode())?;
    let mut said = Vec::new();
    for (party, bytes) in PartyId::all(offered.len()).zip(offered) {
        let count = <[u8; 8]>::try_from(bytes).ok().map(u64::from_le_bytes);
        match count.and_then(|count| usize::try_from(count).ok()) {
            Some(0) => {}
            Some(count) => said.push((party, count)),
            None => {
                return Err(EvaluateError::Misbehaviour {
                    party: party.index(),
                    what: "it offers a number of instances that no input has".into(),
                });
            }
        }
    }
    // What this party says itself comes first.
    let me = session.me();
    said.sort_by_key(|(party, _)| *party != me);
    let Some((first, count)) = said.first().copied() else { return Ok(1) };
    if let Some((party, other)) = said.into_iter().find(|(_, other)| *other != count) {
        let here = match first == me {
            true => count.to_string(),
            false => format!("{count}, which party {} says", first.0),
        };
        return Err(session.disagree(party, INSTANCES, here, other.to_string()).into());
    }
    match mine {
        Consent::UpTo(most) if count > most => {
            let here = format!("up to {most}, unless --instances says how many");
            Err(session.disagree(first, INSTANCES, here, count.to_string()).into())
        }
        _ => Ok(count),
    }
}

/// What parties disagree about, and how the owner of a single value consents.
const INSTANCES: &str = "the number of instances (a value that is given once is used in all of them only where its \
                         owner says so, with --repeat or --instances)";
