//! What a party demands of every run that it takes part in: `[policy]` in its configuration file.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::str::FromStr;

/// What the protocols of a party's runs must protect against, at least.
///
/// ```toml
/// [policy]
/// security = "malicious"     # or "semi-honest"
/// corruptions = "minority"   # or "one" (the default), "all-but-one", or a number
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// What corrupted parties do.
    pub security: Behaviour,
    /// How many parties may be corrupted.
    #[serde(default)]
    pub corruptions: Corruptions,
}

/// What corrupted parties do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Behaviour {
    /// They follow the protocol, and look at what they see.
    SemiHonest,
    /// They do whatever they like.
    Malicious,
}

/// How many parties may be corrupted, and pool what they see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruptions {
    /// Fewer than half of the parties.
    Minority,
    /// All parties but one.
    AllButOne,
    /// So many.
    Number(usize),
}

impl Corruptions {
    /// The number of corrupted parties among so many.
    #[must_use]
    pub fn among(self, parties: usize) -> usize {
        match self {
            // With two parties either may be.
            Corruptions::Minority => parties.div_ceil(2).saturating_sub(1).max(1),
            Corruptions::AllButOne => parties.saturating_sub(1),
            Corruptions::Number(number) => number,
        }
    }
}

impl Default for Corruptions {
    fn default() -> Corruptions {
        Corruptions::Number(1)
    }
}

impl FromStr for Corruptions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "one" => Ok(Corruptions::Number(1)),
            "minority" => Ok(Corruptions::Minority),
            "all-but-one" => Ok(Corruptions::AllButOne),
            number => {
                let number = number.parse().ok().filter(|number| *number > 0);
                let hint = "write one, minority, all-but-one, or a number from 1 on";
                number.map(Corruptions::Number).ok_or_else(|| hint.to_string())
            }
        }
    }
}

impl<'de> Deserialize<'de> for Corruptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(usize),
            Text(String),
        }
        let text = match Written::deserialize(deserializer)? {
            Written::Number(number) => number.to_string(),
            Written::Text(text) => text,
        };
        text.parse().map_err(D::Error::custom)
    }
}

impl fmt::Display for Corruptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Corruptions::Minority => f.write_str("minority"),
            Corruptions::AllButOne => f.write_str("all-but-one"),
            Corruptions::Number(1) => f.write_str("one"),
            Corruptions::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Behaviour::SemiHonest => "semi-honest",
            Behaviour::Malicious => "malicious",
        })
    }
}

impl fmt::Display for Policy {
    /// As configuration files have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Policy { security, corruptions } = self;
        writeln!(f, "[policy]\nsecurity = \"{security}\"\ncorruptions = \"{corruptions}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_read_as_they_are_written() {
        for security in [Behaviour::SemiHonest, Behaviour::Malicious] {
            for corruptions in ["one", "minority", "all-but-one", "3"] {
                let corruptions = corruptions.parse().expect("is one");
                let policy = Policy { security, corruptions };
                let text = policy.to_string().replace("[policy]\n", "");
                assert_eq!(toml::from_str::<Policy>(&text), Ok(policy), "{text}");
            }
        }
        let short: Policy = toml::from_str("security = \"malicious\"").expect("is one");
        assert_eq!(short.corruptions, Corruptions::Number(1));
        let number: Policy =
            toml::from_str("security = \"malicious\"\ncorruptions = 2").expect("is one");
        assert_eq!(number.corruptions, Corruptions::Number(2));
    }

    #[test]
    fn odd_policies_are_refused() {
        for text in [
            "",
            "security = \"honest\"",
            "corruptions = 1",
            "security = \"malicious\"\ncorruptions = 0",
            "security = \"malicious\"\ncorruptions = \"some\"",
            "security = \"malicious\"\nprotocol = \"trio\"",
        ] {
            assert!(toml::from_str::<Policy>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn corruptions_are_counted() {
        let counted =
            |text: &str, parties| text.parse::<Corruptions>().expect("is one").among(parties);
        assert_eq!([2, 3, 4, 5, 6].map(|n| counted("minority", n)), [1, 1, 1, 2, 2]);
        assert_eq!([2, 3, 7].map(|n| counted("all-but-one", n)), [1, 2, 6]);
        assert_eq!(counted("2", 7), 2);
    }
}
