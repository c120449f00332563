//! Which of the parties' stored preprocessing all of them have.

use crate::circuit::EvaluateError;
use std::collections::{BTreeMap, BTreeSet};
use tacit_net::Session;

/// Ranges of runs that a party offers at once: the first ones.
const MOST: usize = 4000;

/// A range of runs of a preparation: the first and the last.
type Range = (String, u64, u64);

/// Runs that a party has, by preparation.
#[derive(Default)]
pub struct Offers(BTreeMap<String, BTreeSet<u64>>);

impl Offers {
    pub fn add(&mut self, preparation: String, number: u64) {
        self.0.entry(preparation).or_default().insert(number);
    }

    fn ranges(&self) -> Vec<Range> {
        let mut ranges: Vec<Range> = Vec::new();
        for (preparation, numbers) in &self.0 {
            for number in numbers {
                match ranges.last_mut() {
                    Some((known, _, last)) if known == preparation && *last + 1 == *number => {
                        *last = *number;
                    }
                    _ => ranges.push((preparation.clone(), *number, *number)),
                }
            }
        }
        ranges.truncate(MOST);
        ranges
    }

    /// The first run that all parties have, or why there is none.
    pub fn agree(
        mut self,
        session: &mut Session,
    ) -> Result<Result<(String, u64), String>, EvaluateError> {
        let mine = serde_json::to_vec(&self.ranges())
            .map_err(|e| EvaluateError::Bug(format!("cannot write an offer: {e}")))?;
        let mut empty = Vec::new();
        for (party, bytes) in session.publish(&mine)?.iter().enumerate() {
            let theirs: Vec<Range> = serde_json::from_slice(bytes).map_err(|_| {
                let what = "it offered stored preprocessing in a form that cannot be read".into();
                EvaluateError::Misbehaviour { party, what }
            })?;
            if theirs.is_empty() {
                empty.push(party.to_string());
            }
            self.keep(&theirs);
        }
        let first = self.0.iter().find_map(|(name, numbers)| Some((name, numbers.first()?)));
        Ok(first.map(|(name, number)| (name.clone(), *number)).ok_or_else(|| {
            let whose = match &empty[..] {
                [] => "the parties have no stored preprocessing for this run in common".into(),
                parties => {
                    format!("no stored preprocessing for this run at party {}", parties.join(", "))
                }
            };
            format!("{whose}: make some with `tacit prepare` at all parties")
        }))
    }

    /// Keeps what is in some of the ranges.
    fn keep(&mut self, ranges: &[Range]) {
        for (name, numbers) in &mut self.0 {
            let mine = ranges.iter().filter(|(preparation, ..)| preparation == name);
            let common = mine.flat_map(|(_, first, last)| {
                let range = *first..=(*last).max(*first);
                numbers.range(range).copied().collect::<Vec<_>>()
            });
            *numbers = common.collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offers(numbers: &[(&str, u64)]) -> Offers {
        let mut offers = Offers::default();
        numbers.iter().for_each(|(name, number)| offers.add((*name).to_string(), *number));
        offers
    }

    #[test]
    fn what_both_have_is_kept() {
        let mut mine = offers(&[("a", 1), ("a", 2), ("a", 5), ("b", 7)]);
        assert_eq!(mine.ranges().len(), 3);
        mine.keep(&offers(&[("a", 2), ("a", 3), ("a", 4), ("a", 5), ("c", 7)]).ranges());
        assert_eq!(mine.ranges(), [("a".to_string(), 2, 2), ("a".to_string(), 5, 5)]);
        // Ranges that end before they begin, and endless ones.
        mine.keep(&[("a".to_string(), 5, 0), ("a".to_string(), 2, u64::MAX)]);
        assert_eq!(mine.ranges(), [("a".to_string(), 2, 2), ("a".to_string(), 5, 5)]);
    }
}
