//! What proofs and triples cost.

use std::ops::{Add, AddAssign};

/// What each role pays, and the rounds that it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Charge {
    /// Bytes to the previous role, without coins.
    pub bytes: u64,
    /// Coins, of 32 bytes to each other role.
    pub coins: u64,
    pub rounds: u64,
}

impl Charge {
    /// The charge for doing this `times` times.
    pub fn times(self, times: u64) -> Charge {
        let Charge { bytes, coins, rounds } = self;
        Charge { bytes: bytes * times, coins: coins * times, rounds: rounds * times }
    }
}

impl Add for Charge {
    type Output = Charge;
    fn add(self, other: Charge) -> Charge {
        let Charge { bytes, coins, rounds } = other;
        Charge {
            bytes: self.bytes + bytes,
            coins: self.coins + coins,
            rounds: self.rounds + rounds,
        }
    }
}

impl AddAssign for Charge {
    fn add_assign(&mut self, other: Charge) {
        *self = *self + other;
    }
}
