//! Networks that parties of one process play.

use crate::error::Result;
use crate::profile::Profile;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::LinkProfile;
use tacit_net::memory::MemoryNetwork;

/// The links between parties that all run in this process: how long a message takes from each to each other, and how
/// many bits a second go through.
///
/// Time on it is virtual: a run over [`Network::GLOBAL`] takes no longer than one without delays, and its
/// [`Report`](crate::Report) says how long it would take there. Computing takes no virtual time, so a run's times are the
/// same whenever it is repeated.
///
/// ```
/// use tacit::{LocalParties, Network, Program, protocols};
///
/// let program = Program::parse("sum", r#"
///     program sum
///     parties alice, bob, carol
///     input a: u8 from alice in 0..100
///     input b: u8 from bob in 0..100
///     reveal a + b to all as "sum"
/// "#)?;
/// let parties = LocalParties::new(&program, protocols::TRIO).input("a", 20).input("b", 22);
/// let near = parties.clone().network(Network::LAN).run()?;
/// let far = parties.network(Network::GLOBAL).run()?;
/// assert!(near.report().cost.online_seconds < far.report().cost.online_seconds);
/// # Ok::<(), tacit::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network(Links);

#[derive(Clone, Debug)]
enum Links {
    /// All links are alike.
    Alike(LinkProfile),
    /// A profile that comes with Tacit, by name.
    Shipped(&'static str),
    /// A profile from a file.
    Described(Arc<Profile>),
}

impl Network {
    /// No delay, and no bound on bandwidth.
    pub const INSTANT: Network =
        Network(Links::Alike(LinkProfile { delay: Duration::ZERO, bits_per_second: None }));
    /// Machines in one room: round trips of 0.3 ms, 1 Gbit/s.
    pub const LAN: Network = Network(Links::Shipped("lan"));
    /// Data centres of one continent: round trips of 8 to 14 ms, 1 Gbit/s.
    pub const CONTINENTAL: Network = Network(Links::Shipped("continental"));
    /// Three continents: round trips of 50, 100 and 150 ms, 235, 115 and 75 Mbit/s; further parties are further away.
    pub const GLOBAL: Network = Network(Links::Shipped("global"));

    /// All links alike: `round_trip` there and back, and `bits_per_second` in each direction, or no bound.
    #[must_use]
    pub fn uniform(round_trip: Duration, bits_per_second: Option<u64>) -> Network {
        Network(Links::Alike(LinkProfile { delay: round_trip / 2, bits_per_second }))
    }

    /// A network described in a TOML file, as `tacit lab --network` reads it (see `docs/plan.md`).
    ///
    /// # Errors
    /// An [`ErrorKind::Input`](crate::ErrorKind::Input) where the file cannot be read, or does not describe all links.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Network> {
        let profile = Profile::load(&path.as_ref().display().to_string())?;
        Ok(Network(Links::Described(Arc::new(profile))))
    }

    /// A network by the name that `tacit lab --network` knows it by (`lan`, `continental`, `global`, `1gbit`), or from a file.
    ///
    /// # Errors
    /// As [`Network::from_file`].
    pub fn named(name: &str) -> Result<Network> {
        Ok(match name {
            "instant" => Network::INSTANT,
            "lan" => Network::LAN,
            "continental" => Network::CONTINENTAL,
            "global" => Network::GLOBAL,
            file => return Network::from_file(file),
        })
    }

    /// The links as the planner sees them.
    pub(crate) fn planned(&self, parties: usize) -> Result<tacit_planner::Network> {
        let described = |profile: &Profile| {
            tacit_planner::Network::described(parties, |from, to| profile.link(from, to))
        };
        Ok(match &self.0 {
            Links::Alike(link) => tacit_planner::Network::described(parties, |_, _| *link),
            Links::Shipped(name) => described(&Profile::of_parties(name, parties)?),
            Links::Described(profile) => {
                profile.check_parties(parties)?;
                described(profile)
            }
        })
    }

    /// The network that the memory transport plays, between `parties` parties.
    pub(crate) fn played(&self, parties: usize) -> Result<MemoryNetwork> {
        Ok(match &self.0 {
            Links::Alike(link) => MemoryNetwork::uniform(*link),
            Links::Shipped(name) => Profile::of_parties(name, parties)?.virtual_network(),
            Links::Described(profile) => {
                profile.check_parties(parties)?;
                profile.virtual_network()
            }
        })
    }
}

impl Default for Network {
    /// [`Network::INSTANT`].
    fn default() -> Network {
        Network::INSTANT
    }
}
