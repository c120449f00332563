//! Reading and writing circuits: Bristol Fashion, the old Bristol format, the extension for
//! wide ANDs and polynomial gates (`docs/spec/circuits.md` section 8), and a binary form.
//!
//! Readers take a file as it is: no gate is merged or dropped. Memory while reading is
//! bounded by the file's own size plus [`FREE_INPUT_BITS`], whatever its header claims, and
//! time is linear in it.
//!
//! ```
//! use tacit_circuit::formats::{ReadOptions, binary, parse};
//!
//! let file = b"1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n"; // one gate and three wires; ports; the gate
//! let and = parse("and.txt", file, &ReadOptions::default())?;
//! assert_eq!(and.stats().and_count(), 1);
//! assert_eq!(parse("and.bin", &binary::write(&and), &ReadOptions::default())?, and);
//!
//! let cut = parse("cut.txt", &file[..20], &ReadOptions::default()).unwrap_err();
//! assert!(cut.to_string().starts_with("cut.txt"));
//! # Ok::<(), tacit_circuit::formats::FormatError>(())
//! ```

use std::path::Path;

pub mod binary;
mod binary_read;
mod bristol_read;
mod bristol_write;
mod error;
mod order;
mod text;

pub use bristol_write::{TextOptions, WriteError, write_text};
pub use error::{FormatError, Place, Reason};
pub use order::PortOrder;

use crate::form::Circuit;

/// Input bits that a file may declare whatever its size (inputs need not be mentioned by any
/// gate, so they take no room in a file). Beyond, one bit per byte of the file.
pub const FREE_INPUT_BITS: u64 = 1 << 20;

/// Largest file accepted, so that wire ids cannot run out while reading.
pub const MAX_FILE_BYTES: u64 = 1 << 31;

/// A text format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// The reader finds out from the header; the writer takes the least format that can say it.
    #[default]
    Auto,
    /// Bristol Fashion.
    Fashion,
    /// The format before: two input ports, one output port, AND, XOR and INV.
    Old,
    /// Bristol Fashion with wide ANDs, wide XORs and polynomial gates. Reading takes these
    /// in any dialect.
    Extended,
}

/// The options for reading a file.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The text format.
    pub dialect: Dialect,
    /// Bit order of the first input ports; the others are as in the file.
    pub inputs: Vec<PortOrder>,
    /// Bit order of the first output ports; the others are as in the file.
    pub outputs: Vec<PortOrder>,
}

/// Reads a circuit from bytes in any of the formats; `name` is used in errors only.
pub fn parse(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Circuit, FormatError> {
    let read = if bytes.len() as u64 > MAX_FILE_BYTES {
        let (claimed, most) = (bytes.len() as u64, MAX_FILE_BYTES);
        Err((Place::File, Reason::TooMany { what: "bytes", claimed, most }))
    } else if bytes.starts_with(binary::MAGIC) {
        binary_read::read(bytes).and_then(|c| order::reorder(c, options))
    } else {
        bristol_read::read(bytes, options)
    };
    read.map_err(|(place, reason)| FormatError { file: name.to_owned(), place, reason })
}

/// Reads a circuit file in any of the formats.
pub fn read_file(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Circuit, FormatError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match std::fs::read(path) {
        Ok(bytes) => parse(&name, &bytes, options),
        Err(e) => {
            Err(FormatError { file: name, place: Place::File, reason: Reason::Io(e.to_string()) })
        }
    }
}

/// Most input bits accepted from a file of `len` bytes.
pub(crate) fn most_input_bits(len: usize) -> u64 {
    (FREE_INPUT_BITS + len as u64).min(1 << 30)
}
