//! Keys and seeds: wiped on drop, never printed, compared in constant time.

use std::fmt;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Gives all ones for a bit that is one, else zeros: what is taken or left by a secret. The compiler does not learn
/// that it is nothing else; where it does, it may branch on the bit, or leave out a loop over what is masked.
#[must_use]
#[inline(always)]
pub fn mask(bit: u8) -> u128 {
    u128::conditional_select(&0, &u128::MAX, Choice::from(bit & 1))
}

/// Gives `block` if the bit is one, else zeros, without a branch on the bit.
#[must_use]
#[inline(always)]
pub fn if_set(bit: bool, block: u128) -> u128 {
    mask(bit.into()) & block
}

macro_rules! secret {
    ($(#[$doc:meta])* $name:ident, $len:literal) => {
        $(#[$doc])*
        #[derive(Clone, Zeroize, ZeroizeOnDrop)]
        pub struct $name([u8; $len]);

        impl $name {
            /// Length in bytes.
            pub const LEN: usize = $len;

            /// Draws a fresh secret from the operating system.
            ///
            /// # Errors
            /// When the operating system has no randomness to give.
            pub fn random() -> Result<Self, getrandom::Error> {
                let mut fresh = Self([0; $len]);
                getrandom::fill(&mut fresh.0)?;
                Ok(fresh)
            }

            /// Makes a secret of these bytes. Wiping the original is the caller's matter.
            #[must_use]
            pub fn from_bytes(bytes: [u8; $len]) -> Self {
                Self(bytes)
            }

            /// Gives the secret bytes themselves.
            #[must_use]
            pub fn expose(&self) -> &[u8; $len] {
                &self.0
            }

            /// Gives the secret bytes to write into, for example by a receive.
            pub fn expose_mut(&mut self) -> &mut [u8; $len] {
                &mut self.0
            }
        }

        impl ConstantTimeEq for $name {
            fn ct_eq(&self, other: &Self) -> Choice {
                self.0.ct_eq(&other.0)
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.ct_eq(other).into()
            }
        }

        impl Eq for $name {}

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}

secret! {
    /// A 128-bit key of a [`Prg`](crate::Prg).
    Key, 16
}

secret! {
    /// A 256-bit master secret, from which keys are derived.
    Seed, 32
}

impl Seed {
    /// Derives the seed for `context` and `parts` under this one. See [`crate::hash::derive_key`].
    #[must_use]
    pub fn derive(&self, context: &'static str, parts: &[&[u8]]) -> Seed {
        Seed(crate::hash::derive(context, Some(&self.0), parts))
    }

    /// Derives the PRG key for `context` and `parts` under this seed: the first 16 bytes of the derived seed.
    #[must_use]
    pub fn derive_key(&self, context: &'static str, parts: &[&[u8]]) -> Key {
        let seed = self.derive(context, parts);
        let mut key = Key([0; Key::LEN]);
        key.0.copy_from_slice(&seed.0[..Key::LEN]);
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_nothing() {
        assert_eq!(format!("{:?}", Key::from_bytes([7; 16])), "Key(..)");
        assert_eq!(format!("{:?}", Seed::from_bytes([7; 32])), "Seed(..)");
    }

    #[test]
    fn masks_are_all_or_nothing() {
        assert_eq!([0, 1, 2, 255].map(mask), [0, u128::MAX, 0, u128::MAX]);
    }

    #[test]
    fn random_ones_differ() {
        assert_ne!(Seed::random().unwrap(), Seed::random().unwrap());
        assert_ne!(Key::random().unwrap(), Key::random().unwrap());
    }

    #[test]
    fn wiping_leaves_zeros() {
        let mut key = Key::from_bytes([7; 16]);
        key.zeroize();
        assert_eq!(key, Key::from_bytes([0; 16]));
    }

    #[test]
    fn derived_secrets_depend_on_everything() {
        let seed = Seed::from_bytes([1; 32]);
        let one = seed.derive("test a", &[b"x"]);
        assert_eq!(one, seed.derive("test a", &[b"x"]));
        assert_ne!(one, seed.derive("test b", &[b"x"]));
        assert_ne!(one, seed.derive("test a", &[b"y"]));
        assert_ne!(one, Seed::from_bytes([2; 32]).derive("test a", &[b"x"]));
        assert_eq!(seed.derive_key("test a", &[b"x"]).expose()[..], one.expose()[..16]);
    }
}
