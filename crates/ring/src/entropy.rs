//! Where fresh secrets come from: the operating system, or in tests a seed.

use crate::secret::Seed;
use thiserror::Error;

/// The operating system has no randomness to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the system gives no randomness: {0}")]
pub struct NoEntropy(getrandom::Error);

/// A source of fresh seeds. Every secret of a session is derived from what it gives, so this is
/// the only place where a run is not deterministic.
///
/// Without the feature `testing` there is one source, the operating system.
///
/// ```
/// use tacit_ring::Entropy;
///
/// let mut entropy = Entropy::system();
/// let [a, b] = [entropy.seed()?, entropy.seed()?];
/// assert!(a != b, "every seed is a fresh one");
/// # Ok::<(), tacit_ring::NoEntropy>(())
/// ```
pub struct Entropy(Source);

enum Source {
    System,
    #[cfg(feature = "testing")]
    Seeded {
        seed: Seed,
        given: u64,
    },
}

impl Entropy {
    /// Gives the operating system's source.
    #[must_use]
    pub fn system() -> Entropy {
        Entropy(Source::System)
    }

    /// Draws a fresh seed of 256 bits.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn seed(&mut self) -> Result<Seed, NoEntropy> {
        match &mut self.0 {
            Source::System => Seed::random().map_err(NoEntropy),
            #[cfg(feature = "testing")]
            Source::Seeded { seed, given } => {
                *given += 1;
                Ok(seed.derive("tacit 2026 insecure test entropy: seeds", &[&given.to_le_bytes()]))
            }
        }
    }
}

impl Entropy {
    /// Makes another source, for another thread. What the two give is independent.
    ///
    /// # Errors
    /// When the operating system has no randomness to give.
    pub fn fork(&mut self) -> Result<Entropy, NoEntropy> {
        match &self.0 {
            Source::System => Ok(Entropy(Source::System)),
            #[cfg(feature = "testing")]
            Source::Seeded { .. } => {
                let seed = self.seed()?;
                Ok(Entropy(Source::Seeded { seed, given: 0 }))
            }
        }
    }
}

#[cfg(feature = "testing")]
impl Entropy {
    /// Gives a source with **no security at all**: everything that comes out is a function of `seed` and `party`, so
    /// that one number reproduces a test run. Parties of one run need different `party` numbers.
    #[must_use]
    pub fn insecure_seeded(seed: u64, party: u8) -> Entropy {
        let parts: [&[u8]; 2] = [&seed.to_le_bytes(), &[party]];
        let seed =
            Seed::from_bytes(crate::hash::derive_key("tacit 2026 insecure test entropy", &parts));
        Entropy(Source::Seeded { seed, given: 0 })
    }
}

/// Gives the seed of this run of a test binary: another one each time, unless `TACIT_TEST_SEED` says
/// which. Every call prints it, so that a test that fails says how to repeat it.
///
/// # Panics
/// When `TACIT_TEST_SEED` is not a number.
#[cfg(feature = "testing")]
#[must_use]
pub fn test_seed() -> u64 {
    static SEED: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    let seed = *SEED.get_or_init(|| match std::env::var("TACIT_TEST_SEED") {
        Ok(given) => given.parse().expect("TACIT_TEST_SEED is a decimal number"),
        Err(_) => getrandom::u64().expect("the system gives randomness"),
    });
    eprintln!("repeat this run with TACIT_TEST_SEED={seed}");
    seed
}

/// A generator of numbers for tests, the same on every machine (SplitMix64). Anybody can guess what it gives.
#[cfg(feature = "testing")]
pub struct Rng(pub u64);

#[cfg(feature = "testing")]
impl Rng {
    /// Gives the next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Gives the next `count` numbers.
    pub fn words(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.word()).collect()
    }

    /// Gives a number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_repeats_nothing() {
        let mut entropy = Entropy::system();
        assert_ne!(entropy.seed().unwrap(), entropy.seed().unwrap());
        assert_ne!(entropy.seed().unwrap(), Entropy::system().seed().unwrap());
    }

    #[test]
    fn a_seed_and_a_party_say_everything() {
        let of = |seed, party| {
            let mut entropy = Entropy::insecure_seeded(seed, party);
            [entropy.seed().unwrap(), entropy.seed().unwrap()]
        };
        assert_eq!(of(1, 0), of(1, 0));
        let [first, second] = of(1, 0);
        assert_ne!(first, second);
        assert_ne!(first, of(2, 0)[0]);
        assert_ne!(first, of(1, 1)[0]);
    }
}
