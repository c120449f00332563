//! The gate before results: what a party is asked once, just before the first message from which anybody could learn one.
//!
//! Whoever counts releases has to count this one, durably, before anything opens, and not much earlier. So a run may have a
//! [`Gate`]: in programs on shares the party passes it after all that was computed has been verified, and before results open
//! or what the program checks, as a check that fails shows something of inputs (under protocols that verify nothing, with
//! preprocessing that came first, before anything else, as what opens results was sent with that), in garbled ones before the
//! circuit is evaluated, and with a trusted party before inputs leave. All parties meet before they ask; when its own gate has let
//! a party pass it waits for all others: nothing opens anywhere unless all gates have been passed. What protocols open inside, values under masks, places
//! after a shuffle and tests that inputs are in their ranges, is no result: it is the same for all inputs of honest parties.

use crate::circuit::EvaluateError;
use std::fmt;
use std::sync::{Mutex, PoisonError};
use tacit_net::{MeetingPoint, Session};
use tracing::info;

/// What is asked before results may open.
type Ask = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// What a party is asked once, before results open to anybody. It may refuse, with a reason that holds nothing secret:
/// the run then ends at all parties without a result. All parties of a run have a gate, or none has.
pub struct Gate(Ask);

impl Gate {
    /// A gate that asks this.
    pub fn new(ask: impl FnOnce() -> Result<(), String> + Send + 'static) -> Gate {
        Gate(Box::new(ask))
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gate")
    }
}

/// How far a party is.
enum State {
    Before(Ask),
    Passed,
    Refused,
}

/// A party's gate, and where it meets the others behind it.
pub(crate) struct Door {
    state: Mutex<State>,
    point: MeetingPoint,
}

impl Door {
    /// The door of a run over this session, if the run has a gate.
    pub fn of(session: &Session, gate: Option<Gate>) -> Option<Door> {
        let state = |Gate(ask)| Mutex::new(State::Before(ask));
        gate.map(|gate| Door { state: state(gate), point: session.meeting_point() })
    }

    /// Passes the gate, and waits until all parties have passed theirs. Of the workers of a party the first one asks, and the
    /// others wait for the answer. Whatever peers need to get here has to be flushed.
    pub fn pass(&self) -> Result<(), EvaluateError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let ask = match std::mem::replace(&mut *state, State::Refused) {
            State::Before(ask) => ask,
            State::Passed => {
                *state = State::Passed;
                return Ok(());
            }
            State::Refused => return Err(EvaluateError::Refused("it was refused before".into())),
        };
        // What stopped a party before this costs the others no release.
        self.point.barrier()?;
        info!("asking whether results may be released");
        ask().map_err(EvaluateError::Refused)?;
        self.point.barrier()?;
        *state = State::Passed;
        Ok(())
    }
}

/// What a run tells its caller: the door that it passes, if it has one, and how far it is.
pub(crate) type Asking<'a> = (Option<&'a Door>, &'a (dyn Fn(u64) + Sync));

/// Passes the gate of a run that has one.
pub(crate) fn pass(door: Option<&Door>) -> Result<(), EvaluateError> {
    door.map_or(Ok(()), Door::pass)
}
