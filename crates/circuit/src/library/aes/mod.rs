//! AES-128, -192 and -256, both directions, with or without the key schedule (FIPS
//! 197; `docs/spec/circuits.md` section 6.6).
//!
//! Input 0 is the key (or the expanded key: all round keys in order), input 1 the
//! block; bytes in the order of the standard, each least significant bit first.
//! S-boxes: 160/192/224 in the rounds, 40/32/52 in the key schedule. Encryption has
//! depth rounds x S-box depth, since the schedule runs beside the rounds;
//! decryption starts with the last round key and so takes twice that when it
//! expands the key itself.

mod cipher;
mod field;
mod program;
mod sbox;

pub use cipher::{Direction, KeyInput, circuit, decrypt, encrypt, expand_key};
pub use field::sbox_table;
pub use sbox::Sbox;

/// Key length.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum KeySize {
    /// 128 bits, 10 rounds.
    Aes128,
    /// 192 bits, 12 rounds.
    Aes192,
    /// 256 bits, 14 rounds.
    Aes256,
}

impl KeySize {
    /// All sizes.
    pub const ALL: [KeySize; 3] = [KeySize::Aes128, KeySize::Aes192, KeySize::Aes256];

    /// The size of `bits` bits.
    pub fn from_bits(bits: u32) -> Option<KeySize> {
        KeySize::ALL.into_iter().find(|k| k.bits() == bits)
    }

    /// Bits of the key.
    pub fn bits(self) -> u32 {
        match self {
            KeySize::Aes128 => 128,
            KeySize::Aes192 => 192,
            KeySize::Aes256 => 256,
        }
    }

    /// Rounds of the cipher.
    pub fn rounds(self) -> usize {
        self.words() + 6
    }

    /// 32-bit words of the key.
    fn words(self) -> usize {
        self.bits() as usize / 32
    }

    /// Bits of all round keys.
    pub fn expanded_bits(self) -> u32 {
        128 * (self.rounds() as u32 + 1)
    }
}
