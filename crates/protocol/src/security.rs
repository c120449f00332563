//! What protocols protect against, in words and in numbers.

/// What one party of a protocol can learn or do. In lists what protects against more comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Security {
    /// Private and correct against any number of parties, whatever they do; each can make the run end
    /// without a result.
    MaliciousDishonestMajority,
    /// Private and correct against any single party, whatever it does; it can make the run end
    /// without a result.
    MaliciousWithAbort,
    /// Private against any number of parties that follow the protocol and pool what they see.
    DishonestMajority,
    /// Private against any number of parties that follow the protocol and pool what they see, if they are
    /// fewer than half.
    HonestMajority,
    /// Private against any number of parties that follow the protocol and pool what they see, if they are
    /// fewer than a third.
    FewerThanThird,
    /// Private against any single party that follows the protocol.
    SemiHonest,
    /// None against the computing party.
    TrustedParty,
}

impl Security {
    /// How many of so many parties may be corrupted.
    #[must_use]
    pub fn corruptions(self, parties: usize) -> usize {
        let below = |part: usize| parties.div_ceil(part).saturating_sub(1);
        match self {
            Security::SemiHonest | Security::MaliciousWithAbort => 1,
            Security::DishonestMajority | Security::MaliciousDishonestMajority => below(1),
            Security::HonestMajority => below(2),
            Security::FewerThanThird => below(3),
            Security::TrustedParty => 0,
        }
    }

    /// Whether results are right whatever corrupted parties do.
    #[must_use]
    pub fn is_malicious(self) -> bool {
        matches!(self, Security::MaliciousWithAbort | Security::MaliciousDishonestMajority)
    }

    /// What corrupted parties may do, and how many of so many they may be: `semi-honest, one of three`.
    #[must_use]
    pub fn among(self, parties: usize) -> String {
        let how = match (self, self.is_malicious()) {
            (Security::TrustedParty, _) => return "nothing: one party sees all inputs".into(),
            (_, true) => "malicious with abort",
            (_, false) => "semi-honest",
        };
        format!("{how}, {} of {}", number(self.corruptions(parties)), number(parties))
    }

    /// What it protects against, for any number of parties, as a part of a sentence.
    #[must_use]
    pub fn protects_against(self) -> &'static str {
        match self {
            Security::MaliciousDishonestMajority => {
                "all parties but one, who do whatever they like"
            }
            Security::MaliciousWithAbort => "one party, which does whatever it likes",
            Security::DishonestMajority => {
                "all parties but one, who follow the protocol and pool what they see"
            }
            Security::HonestMajority => {
                "fewer than half of the parties, who follow the protocol and pool what they see"
            }
            Security::FewerThanThird => {
                "fewer than a third of the parties, who follow the protocol and pool what they see"
            }
            Security::SemiHonest => {
                "one party, which follows the protocol and looks at what it sees"
            }
            Security::TrustedParty => "nothing: one party sees all inputs",
        }
    }

    /// What everybody who gives an input trusts so many parties with, in a sentence.
    #[must_use]
    pub fn trust(self, parties: usize) -> String {
        if self == Security::TrustedParty {
            return "no protection: one party sees all inputs, and computes whatever it likes"
                .into();
        }
        let deviates = match self.is_malicious() {
            true => "whoever deviates can end the run without a result",
            false => "anyone who deviates can make results wrong or learn inputs",
        };
        let corruptions = self.corruptions(parties);
        let pooled = match parties - corruptions {
            1 => String::new(),
            _ => format!("; any {} who pool what they see learn inputs", number(corruptions + 1)),
        };
        format!("{}: {deviates}{pooled}", self.among(parties))
    }
}

/// In words as far as words are short.
fn number(number: usize) -> String {
    const WORDS: [&str; 9] =
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    match number.checked_sub(1).and_then(|index| WORDS.get(index)) {
        Some(word) => (*word).into(),
        None => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_trusted_is_a_sentence_about_the_parties_at_hand() {
        for (security, parties, sentence) in [
            (
                Security::SemiHonest,
                3,
                "semi-honest, one of three: anyone who deviates can make results wrong or learn inputs; any two \
                 who pool what they see learn inputs",
            ),
            (
                Security::DishonestMajority,
                12,
                "semi-honest, 11 of 12: anyone who deviates can make results wrong or learn inputs",
            ),
            (
                Security::HonestMajority,
                5,
                "semi-honest, two of five: anyone who deviates can make results wrong or learn inputs; any three \
                 who pool what they see learn inputs",
            ),
            (
                Security::MaliciousWithAbort,
                3,
                "malicious with abort, one of three: whoever deviates can end the run without a result; any \
                 two who pool what they see learn inputs",
            ),
            (
                Security::MaliciousDishonestMajority,
                2,
                "malicious with abort, one of two: whoever deviates can end the run without a result",
            ),
            (
                Security::TrustedParty,
                3,
                "no protection: one party sees all inputs, and computes whatever it likes",
            ),
        ] {
            assert_eq!(security.trust(parties), sentence);
        }
    }

    #[test]
    fn fewer_parties_may_be_corrupted_than_compute() {
        for (security, parties, corruptions) in [
            (Security::TrustedParty, 3, 0),
            (Security::SemiHonest, 3, 1),
            (Security::MaliciousWithAbort, 4, 1),
            (Security::DishonestMajority, 2, 1),
            (Security::DishonestMajority, 7, 6),
            (Security::HonestMajority, 3, 1),
            (Security::HonestMajority, 6, 2),
            (Security::HonestMajority, 7, 3),
            (Security::FewerThanThird, 6, 1),
            (Security::FewerThanThird, 7, 2),
            (Security::MaliciousDishonestMajority, 5, 4),
        ] {
            assert_eq!(security.corruptions(parties), corruptions);
        }
    }

    #[test]
    fn lists_begin_with_what_protects_against_most_and_end_with_nothing() {
        use Security::{MaliciousDishonestMajority, SemiHonest, TrustedParty};
        let mut some = [TrustedParty, SemiHonest, MaliciousDishonestMajority];
        some.sort();
        assert_eq!(some, [MaliciousDishonestMajority, SemiHonest, TrustedParty]);
    }
}
