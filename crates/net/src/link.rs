//! Delay and bandwidth of a directed link, for the memory transport and the shaper.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One directed link: how long a byte travels, and how many leave per second.
///
/// ```
/// use std::time::Duration;
/// use tacit_net::LinkProfile;
/// use tacit_net::memory::MemoryNetwork;
///
/// let ocean = LinkProfile::new(Duration::from_millis(40), 100_000_000); // 40 ms one way, 100 Mbit/s
/// let network = MemoryNetwork::uniform(ocean);
/// assert_eq!(network.default_link.bits_per_second, Some(100_000_000));
/// ```
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LinkProfile {
    /// The one-way delay.
    pub delay: Duration,
    /// Bandwidth in bits per second; `None` is unlimited.
    pub bits_per_second: Option<u64>,
}

impl LinkProfile {
    /// Makes a link with a delay and a bandwidth in bits per second.
    #[must_use]
    pub fn new(delay: Duration, bits_per_second: u64) -> LinkProfile {
        LinkProfile { delay, bits_per_second: Some(bits_per_second) }
    }

    /// Makes a link with a delay and no limit of bandwidth.
    #[must_use]
    pub fn delay(delay: Duration) -> LinkProfile {
        LinkProfile { delay, bits_per_second: None }
    }

    /// Gives the time on the wire of one byte, in picoseconds (rounded to the nearest).
    pub(crate) fn byte_ps(&self) -> u64 {
        match self.bits_per_second {
            None => 0,
            Some(bits) => {
                let bits = u128::from(bits.max(1));
                ((8_000_000_000_000 + bits / 2) / bits) as u64
            }
        }
    }

    /// Gives the delay in picoseconds (saturating).
    pub(crate) fn delay_ps(&self) -> u64 {
        u64::try_from(self.delay.as_nanos() * 1000).unwrap_or(u64::MAX / 4)
    }
}
