//! The values of a circuit's input and output ports: files of hex, binary or decimal
//! text, CSV or raw bytes on one side, bit-sliced lanes on the other.
//!
//! Every format writes one *instance* (one value for each port of the file) after the
//! other: one line per instance in the text formats, one row in CSV, a fixed number of
//! bytes in raw files. A value of a `w`-bit port is always read as a `w`-bit number whose
//! first written digit is the most significant one; [`BitOrder`] then says which bit of
//! that number is which bit of the port.
//!
//! Values are secret: errors name the file, line, column and the rule that was broken,
//! never the text found there; [`Lanes`] has no `Debug` of its contents and is wiped
//! when dropped.

mod csv_file;
mod digits;
mod error;
mod format;
mod lanes;
mod order;
mod parse;
mod raw;
mod text;

#[cfg(test)]
mod tests;

pub use error::{Problem, ValueError};
pub use format::{check_outputs, format_outputs, write_outputs};
pub use lanes::Lanes;
pub use order::BitOrder;
pub use parse::{parse_inputs, read_inputs};

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How a file writes its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Hexadecimal text, exactly `ceil(width / 4)` digits a value (`.hex`).
    Hex,
    /// Text of `0` and `1`, exactly `width` digits a value (`.bin`).
    Binary,
    /// Decimal integers of at most 128 bits, signed where the port says so (`.dec`).
    Decimal,
    /// CSV with a header row and a column per port (`.csv`); a cell is a decimal
    /// integer, `0x` and hexadecimal digits, or `0b` and binary digits.
    Csv,
    /// Raw bytes, `ceil(width / 8)` a value, without separators (`.raw`).
    Raw,
}

impl Format {
    /// All formats, in the order in which help texts list them.
    pub const ALL: [Format; 5] =
        [Format::Hex, Format::Binary, Format::Decimal, Format::Csv, Format::Raw];

    /// The name used on the command line; also the file extension, except for
    /// [`Format::Binary`] and [`Format::Decimal`] (see [`Format::extension`]).
    pub fn name(self) -> &'static str {
        match self {
            Format::Hex => "hex",
            Format::Binary => "binary",
            Format::Decimal => "decimal",
            Format::Csv => "csv",
            Format::Raw => "raw",
        }
    }

    /// The file extension, without the dot, by which the format is recognised.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Hex => "hex",
            Format::Binary => "bin",
            Format::Decimal => "dec",
            Format::Csv => "csv",
            Format::Raw => "raw",
        }
    }

    /// The format that a file's extension stands for.
    pub fn of_path(path: &Path) -> Result<Format, ValueError> {
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        Format::ALL.into_iter().find(|f| f.extension().eq_ignore_ascii_case(extension)).ok_or_else(
            || ValueError::in_file(&path.display().to_string(), Problem::UnknownExtension),
        )
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(s: &str) -> Result<Format, String> {
        Format::ALL.into_iter().find(|f| s == f.name() || s == f.extension()).ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            format!("no such value format; the formats are {names}")
        })
    }
}

/// What a file has to hold for one port of a circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortSpec {
    /// The name used in errors and as the CSV column, such as `in0`.
    pub name: String,
    /// Number of bits. A port of width 0 has no text, no column and no bytes.
    pub width: u32,
    /// Which bit of the written number is which bit of the port.
    pub order: BitOrder,
    /// Decimal integers are two's complement: -2^(width-1) to 2^(width-1)-1.
    pub signed: bool,
}

impl PortSpec {
    /// An unsigned port in [`BitOrder::Integer`].
    pub fn new(name: impl Into<String>, width: u32) -> PortSpec {
        PortSpec { name: name.into(), width, order: BitOrder::Integer, signed: false }
    }

    /// Changes the bit order of the port.
    pub fn with_order(self, order: BitOrder) -> PortSpec {
        PortSpec { order, ..self }
    }

    /// Says whether the port's decimal integers are signed.
    pub fn with_sign(self, signed: bool) -> PortSpec {
        PortSpec { signed, ..self }
    }

    /// 64-bit limbs of a number of this width.
    fn limbs(&self) -> usize {
        self.width.div_ceil(64) as usize
    }

    /// Fails where the bit order does not suit the width.
    fn check(&self, file: &str) -> Result<(), ValueError> {
        let unit = self.order.unit();
        if !self.width.is_multiple_of(unit) {
            let (port, width, order) = (self.name.clone(), self.width, self.order);
            let problem = Problem::PartialUnit { port, width, order, unit };
            return Err(ValueError::in_file(file, problem));
        }
        Ok(())
    }
}
