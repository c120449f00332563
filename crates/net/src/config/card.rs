//! Cards: what a party tells the others about itself. Everything in them is public.

use super::{MAX_FILE_BYTES, check_address, check_name, malformed, write_new};
use crate::error::NetError;
use crate::identity::Fingerprint;
use serde::Deserialize;
use std::fs;
use std::io::Read;
use std::net::IpAddr;
use std::path::Path;

/// What one party tells the others about itself. Whoever changes a card on the way can take the party's place: those
/// who take it compare the fingerprint with the party, by telephone.
///
/// ```
/// use tacit_net::config::{Card, PartyConfig};
///
/// let alice = PartyConfig::new("alice", "alice.example.org:7000", None)?;
/// let card = Card::parse(&alice.card().to_toml(), "alice.card")?;
/// assert_eq!(card.fingerprint, alice.identity.fingerprint());
/// # Ok::<(), tacit_net::NetError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Card {
    /// The name of the party.
    pub name: String,
    /// The address, `host:port`, at which the others reach the party.
    pub address: String,
    /// The SHA-256 digest of its public key.
    pub fingerprint: Fingerprint,
}

impl Card {
    /// Reads a card from a file.
    ///
    /// # Errors
    /// [`NetError::Configuration`] with file, and line and column where there are any.
    pub fn load(path: &Path) -> Result<Card, NetError> {
        let shown = path.display();
        let wrong = |e: std::io::Error| NetError::Configuration(format!("{shown}: {e}"));
        let mut text = String::new();
        let file = fs::File::open(path).map_err(wrong)?;
        file.take(MAX_FILE_BYTES).read_to_string(&mut text).map_err(wrong)?;
        Card::parse(&text, &shown.to_string())
    }

    /// Reads a card from text; `origin` names it in errors.
    ///
    /// # Errors
    /// [`NetError::Configuration`] with `origin`, and line and column where there are any.
    pub fn parse(text: &str, origin: &str) -> Result<Card, NetError> {
        if text.contains("PRIVATE KEY") {
            return Err(NetError::Configuration(format!(
                "{origin}: this is a party's configuration with its private key, no card; its owner gives \
                 away the file NAME.card.toml"
            )));
        }
        let card: Card = toml::from_str(text).map_err(|e| malformed(text, origin, &e))?;
        card.check().map_err(|why| NetError::Configuration(format!("{origin}: {why}")))?;
        Ok(card)
    }

    /// Gives the card as text.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let Card { name, address, fingerprint } = self;
        format!(
            "# Tacit party card: public. Compare the fingerprint with {name} by telephone.\n\
             name = \"{name}\"\naddress = \"{address}\"\nfingerprint = \"{fingerprint}\"\n"
        )
    }

    /// Writes the card to a new file.
    ///
    /// # Errors
    /// The file exists already, or cannot be written.
    pub fn create(&self, path: &Path) -> Result<(), NetError> {
        write_new(path, self.to_toml().as_bytes(), 0o644)
    }

    pub(super) fn check(&self) -> Result<(), String> {
        check_name(&self.name)?;
        check_address(&self.address)?;
        let host = self.address.rsplit_once(':').map_or("", |(host, _)| host);
        let ip = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        match ip {
            Ok(ip) if ip.is_unspecified() => Err(format!(
                "{} is no address at which others reach {}; say it with --listen if it is what the party \
                 listens on",
                self.address, self.name
            )),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Added, PartyConfig};
    use super::*;

    fn party(name: &str) -> PartyConfig {
        PartyConfig::new(name, &format!("{name}.example.org:7000"), None).unwrap()
    }

    #[test]
    fn parties_that_exchange_cards_agree_on_ids_whatever_the_order() {
        let names = ["carol", "alice", "bob"];
        let mut parties = names.map(party);
        let cards = parties.each_ref().map(PartyConfig::card);
        for (i, party) in parties.iter_mut().enumerate() {
            for k in [i + 1, i + 2] {
                assert_eq!(party.add(&cards[k % 3], false), Ok(Added::New));
            }
            let text = party.to_toml();
            let read = PartyConfig::parse(&text, "own").unwrap();
            let names: Vec<&str> = read.parties.iter().map(|p| p.name.as_str()).collect();
            assert_eq!(names, ["alice", "bob", "carol"]);
            assert_eq!(read.parties, party.parties);
            assert_eq!(read.parties[read.id.index()].address, "0.0.0.0:7000");
            assert_eq!(read.card(), cards[i]);
        }
        parties[0].remove("alice").unwrap();
        assert_eq!((parties[0].parties.len(), parties[0].id.0), (2, 1));
        assert!(parties[0].remove("alice").is_err());
        assert!(parties[0].remove("carol").is_err());
    }

    #[test]
    fn a_members_key_is_not_replaced_unasked() {
        let (mut alice, bob, other) = (party("alice"), party("bob"), party("bob"));
        assert_eq!(alice.add(&bob.card(), false), Ok(Added::New));
        assert_eq!(alice.add(&bob.card(), false), Ok(Added::Known));
        let moved = Card { address: "10.0.0.2:7001".into(), ..bob.card() };
        assert_eq!(alice.add(&moved, false), Ok(Added::Changed));
        let refused = alice.add(&other.card(), false).unwrap_err().to_string();
        assert!(refused.contains("by telephone"), "{refused}");
        assert_eq!(alice.parties[1].fingerprint, Some(bob.identity.fingerprint()));
        assert_eq!(alice.add(&other.card(), true), Ok(Added::Changed));
        let twice = Card { name: "carol".into(), ..other.card() };
        assert!(alice.add(&twice, false).is_err(), "two parties with one key");
        let own = alice.card();
        assert!(alice.add(&own, false).is_err());
    }

    #[test]
    fn malformed_cards_say_where() {
        let good = party("bob").card().to_toml();
        assert!(Card::parse(&good, "bob").is_ok());
        for (bad, says) in [
            (good.replace("name =", "nam ="), "c.toml:2:1"),
            (good.replace("7000", "x"), "host:port"),
            (good.replace("bob.example.org", "0.0.0.0"), "0.0.0.0"),
            (party("bob").to_toml().to_string(), "no card"),
        ] {
            let error = Card::parse(&bad, "c.toml").unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(!error.contains("BEGIN"), "{error}");
        }
    }
}
