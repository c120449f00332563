//! Networks to play: shipped by name, or read from a TOML file.

use crate::error::{Error, Result};
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;
use tacit_circuit::spelling;
use tacit_net::memory::MemoryNetwork;
use tacit_net::{LinkProfile, PartyId};

/// Networks that come with Tacit: three of its own, and those of papers. Each file says where its numbers are from.
const SHIPPED: [(&str, &str); 10] = [
    ("lan", include_str!("../profiles/lan.toml")),
    ("continental", include_str!("../profiles/continental.toml")),
    ("global", include_str!("../profiles/global.toml")),
    ("ccs16", include_str!("../profiles/ccs16.toml")),
    ("create", include_str!("../profiles/create.toml")),
    ("wan-100ms", include_str!("../profiles/wan-100ms.toml")),
    ("loopback-20gbit", include_str!("../profiles/loopback-20gbit.toml")),
    ("lan-25gbit", include_str!("../profiles/lan-25gbit.toml")),
    ("lan-10gbit", include_str!("../profiles/lan-10gbit.toml")),
    ("global-236ms", include_str!("../profiles/global-236ms.toml")),
];

/// Delay and bandwidth of every directed link between some parties.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name in reports.
    pub name: String,
    /// One line about it.
    pub description: String,
    links: HashMap<(u8, u8), LinkProfile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    #[serde(default)]
    description: String,
    links: Vec<Link>,
    /// All links that are not listed, of as many parties as there may be.
    others: Option<Speed>,
}

/// Delay and bandwidth of a link. Without either it has no limit.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Speed {
    rtt_ms: Option<f64>,
    one_way_ms: Option<f64>,
    mbit_per_s: Option<f64>,
}

/// A link in both directions (`between`), or in one (`from`, `to`).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Link {
    between: Option<[u8; 2]>,
    from: Option<u8>,
    to: Option<u8>,
    rtt_ms: Option<f64>,
    one_way_ms: Option<f64>,
    mbit_per_s: Option<f64>,
}

impl Profile {
    /// A shipped profile, or a file's.
    ///
    /// `1gbit`, `100mbit`: all links of this bandwidth, no added delay.
    ///
    /// # Errors
    /// There is no such profile, or it is not whole.
    pub fn load(name: &str) -> Result<Profile> {
        if let Some((_, text)) = SHIPPED.iter().find(|(shipped, _)| *shipped == name) {
            return Profile::parse(name, text);
        }
        if let Some(bits) = bandwidth(name) {
            let link = LinkProfile { delay: Duration::ZERO, bits_per_second: Some(bits) };
            let description = format!("all links {name}/s");
            let links = uniform(link, MAX_PARTIES);
            return Ok(Profile { name: name.into(), description, links });
        }
        let path = Path::new(name);
        let text = std::fs::read_to_string(path).map_err(|e| {
            Error::input(format!(
                "{name} is neither a shipped network ({}), nor a bandwidth such as 1gbit, nor a readable \
                 file: {e}{}",
                SHIPPED.map(|(name, _)| name).join(", "),
                spelling::hint(name, SHIPPED.map(|(name, _)| name))
            ))
        })?;
        Profile::parse(name, &text)
    }

    fn parse(source: &str, text: &str) -> Result<Profile> {
        let file: File =
            toml::from_str(text).map_err(|e| Error::input(format!("{source}: {e}")))?;
        let wrong =
            || Error::input(format!("{source}: delays and bandwidths are positive numbers"));
        let mut links = match file.others {
            Some(others) => uniform(others.profile().ok_or_else(wrong)?, MAX_PARTIES),
            None => HashMap::new(),
        };
        for link in &file.links {
            let pairs = link.pairs().ok_or_else(|| {
                Error::input(format!(
                    "{source}: a link names `between = [a, b]`, or `from` and `to`; parties are numbers from 0 to 63"
                ))
            })?;
            let profile = link.profile().ok_or_else(wrong)?;
            links.extend(pairs.into_iter().map(|pair| (pair, profile)));
        }
        let parties = links.keys().map(|(from, _)| usize::from(*from) + 1).max().unwrap_or(0);
        let all = parties * parties.saturating_sub(1);
        if parties < 2 || links.len() != all {
            let message = format!(
                "{source}: {} of {all} directed links between {parties} parties are described",
                links.len()
            );
            return Err(Error::input(message));
        }
        Ok(Profile { name: file.name, description: file.description, links })
    }

    /// Loads a profile as [`Profile::load`] does, and checks that it describes at least `parties` parties.
    ///
    /// # Errors
    /// When [`Profile::load`] fails, or the profile has fewer parties.
    pub fn of_parties(name: &str, parties: usize) -> Result<Profile> {
        let profile = Profile::load(name)?;
        profile.check_as(name, parties)?;
        Ok(profile)
    }

    /// Refuses it for more parties than it describes.
    pub(crate) fn check_parties(&self, parties: usize) -> Result<()> {
        self.check_as(&self.name, parties)
    }

    fn check_as(&self, name: &str, parties: usize) -> Result<()> {
        let has = self.parties();
        if has < parties {
            return Err(Error::input(format!(
                "network {name} has {has} parties; this needs {parties}: describe the links of all"
            )));
        }
        Ok(())
    }

    /// How many parties it describes.
    #[must_use]
    pub fn parties(&self) -> usize {
        self.links.keys().map(|(from, _)| usize::from(*from) + 1).max().unwrap_or(0)
    }

    /// The directed link between two parties.
    #[must_use]
    pub fn link(&self, from: PartyId, to: PartyId) -> LinkProfile {
        self.links.get(&(from.0, to.0)).copied().unwrap_or_default()
    }

    /// The profile as a virtual network.
    #[must_use]
    pub fn virtual_network(&self) -> MemoryNetwork {
        let mut network = MemoryNetwork::default();
        for (&(from, to), &link) in &self.links {
            network = network.with_link(PartyId(from), PartyId(to), link);
        }
        network
    }

    /// The links that leave a party, for the shaper.
    #[must_use]
    pub fn leaving(&self, me: PartyId) -> HashMap<PartyId, LinkProfile> {
        let mine = self.links.iter().filter(|((from, _), _)| *from == me.0);
        mine.map(|((_, to), link)| (PartyId(*to), *link)).collect()
    }
}

impl Link {
    fn pairs(&self) -> Option<Vec<(u8, u8)>> {
        let pairs = match (self.between, self.from, self.to) {
            (Some([a, b]), None, None) => vec![(a, b), (b, a)],
            (None, Some(from), Some(to)) => vec![(from, to)],
            _ => return None,
        };
        let fits = |(a, b): &(u8, u8)| a != b && usize::from(*a.max(b)) < MAX_PARTIES;
        pairs.iter().all(fits).then_some(pairs)
    }

    fn profile(&self) -> Option<LinkProfile> {
        let Link { rtt_ms, one_way_ms, mbit_per_s, .. } = *self;
        Speed { rtt_ms, one_way_ms, mbit_per_s }.profile()
    }
}

impl Speed {
    fn profile(self) -> Option<LinkProfile> {
        let one_way_ms = match (self.rtt_ms, self.one_way_ms) {
            (Some(rtt), None) => rtt / 2.0,
            (None, Some(one_way)) => one_way,
            (None, None) => 0.0,
            _ => return None,
        };
        let delay = Duration::try_from_secs_f64(one_way_ms * 1e-3).ok()?;
        let bits_per_second = match self.mbit_per_s {
            None => None,
            Some(mbit) if mbit > 0.0 && mbit < 1e9 => Some((mbit * 1e6) as u64),
            Some(_) => return None,
        };
        Some(LinkProfile { delay, bits_per_second })
    }
}

/// Parties that a profile describes at most.
const MAX_PARTIES: usize = 64;

fn uniform(link: LinkProfile, parties: usize) -> HashMap<(u8, u8), LinkProfile> {
    let parties = 0..parties as u8;
    let pairs = parties.clone().flat_map(|from| parties.clone().map(move |to| (from, to)));
    pairs.filter(|(from, to)| from != to).map(|pair| (pair, link)).collect()
}

/// `1gbit`, `2.5gbit`, `100mbit`.
#[must_use]
pub fn bandwidth(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix("gbit") {
        Some(number) => (number, 1e9),
        None => (text.strip_suffix("mbit")?, 1e6),
    };
    let bits = number.parse::<f64>().ok()? * unit;
    (1.0..1e15).contains(&bits).then_some(bits as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_profiles_are_whole() {
        for (name, _) in SHIPPED {
            assert_eq!(Profile::load(name).unwrap().name, name);
        }
        let global = Profile::load("global").unwrap();
        assert_eq!(global.link(PartyId(2), PartyId(1)).delay, Duration::from_millis(75));
        // Any number of parties.
        assert_eq!(global.parties(), MAX_PARTIES);
        assert_eq!(global.link(PartyId(2), PartyId(40)).delay, Duration::from_millis(75));
    }

    #[test]
    fn bandwidths_are_read() {
        assert_eq!(bandwidth("1gbit"), Some(1_000_000_000));
        assert_eq!(bandwidth("0.5mbit"), Some(500_000));
        assert_eq!(bandwidth("0gbit"), None);
        assert_eq!(bandwidth("gbit"), None);
    }

    #[test]
    fn incomplete_profiles_are_refused() {
        let error = Profile::parse("x", "name='x'\nlinks=[{between=[0,1]},{between=[1,2]}]");
        let error = error.unwrap_err();
        assert!(error.to_string().contains("4 of 6"), "{error}");
        assert!(Profile::parse("x", "name='x'\nlinks=[{between=[0,3]}]").is_err());
        assert!(Profile::parse("x", "name='x'\nlinks=[{between=[0,1], speed=3}]").is_err());
    }
}
