//! Bit orders: which bit of a written number is which bit of a port.

use std::fmt;
use std::str::FromStr;

/// Which bit of the written number is which bit of the port.
///
/// A circuit file does not say how its wires are meant; each family of files has its
/// convention. Take the 16-bit value written `0123` in hex (bytes 01, 23):
///
/// | order | port bits 0, 1, 2, ... 15 | used by |
/// |---|---|---|
/// | `integer` | `1100 0100 1000 0000` | arithmetic; the published Bristol Fashion files |
/// | `bytes` | `1000 0000 1100 0100` | Tacit's AES; little-endian integers in raw files |
/// | `words` | (32-bit words) | Tacit's SHA-256 |
/// | `msb-first` | `0000 0001 0010 0011` | the AES and SHA files in the old Bristol format |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BitOrder {
    /// The text is a number, most significant digit first; port bit 0 is its least
    /// significant bit.
    #[default]
    Integer,
    /// The text is a string of bytes; port bit `8 i + j` is bit `j` (counted from the
    /// least significant) of byte `i`. The width must be a multiple of 8.
    Bytes,
    /// The text is a string of 32-bit words, most significant byte first; port bit
    /// `32 i + j` is bit `j` of word `i`. The width must be a multiple of 32.
    Words,
    /// Port bits in the order in which the digits are written: bit 0 is the most
    /// significant bit of the first byte. The exact reverse of [`BitOrder::Integer`].
    MsbFirst,
}

impl BitOrder {
    /// All orders, in the order in which help texts list them.
    pub const ALL: [BitOrder; 4] =
        [BitOrder::Integer, BitOrder::Bytes, BitOrder::Words, BitOrder::MsbFirst];

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            BitOrder::Integer => "integer",
            BitOrder::Bytes => "bytes",
            BitOrder::Words => "words",
            BitOrder::MsbFirst => "msb-first",
        }
    }

    /// Bits of the units that the order rearranges: the width must be a multiple of it.
    pub fn unit(self) -> u32 {
        match self {
            BitOrder::Integer | BitOrder::MsbFirst => 1,
            BitOrder::Bytes => 8,
            BitOrder::Words => 32,
        }
    }

    /// The port bit that holds bit `k` (0 = least significant) of the number. Every
    /// order is its own inverse, so the same map leads back.
    pub(super) fn port_bit(self, k: u32, width: u32) -> u32 {
        match self {
            BitOrder::Integer => k,
            BitOrder::Bytes | BitOrder::Words => {
                let unit = self.unit();
                (width / unit - 1 - k / unit) * unit + k % unit
            }
            BitOrder::MsbFirst => width - 1 - k,
        }
    }
}

impl fmt::Display for BitOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BitOrder {
    type Err = String;

    fn from_str(s: &str) -> Result<BitOrder, String> {
        BitOrder::ALL.into_iter().find(|o| s == o.name()).ok_or_else(|| {
            let names = BitOrder::ALL.map(BitOrder::name).join(", ");
            format!("no such bit order; the orders are {names}")
        })
    }
}
