//! Which of the parties' stored preprocessing all of them have.

use crate::circuit::EvaluateError;
use std::collections::BTreeSet;
use tacit_net::Session;

/// Runs that a party offers at once: the first ones.
const MOST: usize = 1000;

/// Runs that a party has: of which preparation, and their number.
#[derive(Default)]
pub struct Offers(BTreeSet<(String, u64)>);

impl Offers {
    pub fn add(&mut self, preparation: String, number: u64) {
        self.0.insert((preparation, number));
    }

    /// The first run that all parties have, or why there is none.
    pub fn agree(
        self,
        session: &mut Session,
    ) -> Result<Result<(String, u64), String>, EvaluateError> {
        let mine: Vec<&(String, u64)> = self.0.iter().take(MOST).collect();
        let mine = serde_json::to_vec(&mine)
            .map_err(|e| EvaluateError::Bug(format!("cannot write an offer: {e}")))?;
        let mut common = self.0;
        let mut empty = Vec::new();
        for (party, bytes) in session.publish(&mine)?.iter().enumerate() {
            let theirs: BTreeSet<(String, u64)> = serde_json::from_slice(bytes).map_err(|_| {
                let what = "it offered stored preprocessing in a form that cannot be read".into();
                EvaluateError::Misbehaviour { party, what }
            })?;
            if theirs.is_empty() {
                empty.push(party.to_string());
            }
            common.retain(|run| theirs.contains(run));
        }
        Ok(common.pop_first().ok_or_else(|| {
            let whose = match &empty[..] {
                [] => "the parties have no stored preprocessing for this run in common".into(),
                parties => {
                    format!("no stored preprocessing for this run at party {}", parties.join(", "))
                }
            };
            format!("{whose}: make some with `tacit prepare` at all parties")
        }))
    }
}
