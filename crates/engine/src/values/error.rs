//! Errors in files of values: where, which rule, what to do, and never the value.

use super::BitOrder;
use std::fmt;

/// A file of values that cannot be read, or breaks a rule of its format.
///
/// Neither `Display` nor `Debug` shows any text of the file: it may be secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// The file, as the user named it.
    pub file: String,
    /// Line, from 1; in raw files 0; 0 also where the file as a whole is wrong.
    pub line: u64,
    /// Column in bytes, from 1 (in CSV the number of the cell); 0 where a line or the
    /// file as a whole is wrong.
    pub column: u64,
    /// The rule that was broken.
    pub problem: Problem,
}

impl ValueError {
    /// A problem of the file as a whole.
    pub(super) fn in_file(file: &str, problem: Problem) -> ValueError {
        ValueError::at(file, 0, 0, problem)
    }

    /// A problem at a line and column.
    pub(super) fn at(file: &str, line: u64, column: u64, problem: Problem) -> ValueError {
        ValueError { file: file.to_string(), line, column, problem }
    }
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (0, _) => write!(f, "{}: {}", self.file, self.problem),
            (line, 0) => write!(f, "{}:{line}: {}", self.file, self.problem),
            (line, column) => write!(f, "{}:{line}:{column}: {}", self.file, self.problem),
        }
    }
}

impl std::error::Error for ValueError {}

/// A rule that a file of values broke.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The operating system could not read or write the file.
    #[error("cannot read or write the file: {0}")]
    Io(std::io::ErrorKind),
    /// The file to read does not exist.
    #[error("there is no such file")]
    NotFound,
    /// The folder of the file to write does not exist.
    #[error("there is no folder {0}")]
    NoFolder(String),
    /// The file to write is a device or the like.
    #[error("this is no plain file; leave it out to print the values on standard output")]
    NoFile,
    /// The extension does not name a format.
    #[error(
        "the file extension names no value format; use .hex, .bin, .dec, .csv or .raw, \
         or give the format explicitly"
    )]
    UnknownExtension,
    /// There is no instance in the file.
    #[error("the file holds no values; write at least one instance")]
    Empty,
    /// A line has too few or too many values.
    #[error("expected {expected} value(s) on this line, one for each of {ports}; found {found}")]
    ValueCount {
        /// Values needed.
        expected: usize,
        /// Values there.
        found: usize,
        /// The ports' names.
        ports: String,
    },
    /// A value of the hex or binary format has the wrong number of digits.
    #[error(
        "expected {expected} {base} digits for `{port}` ({width} bits), found {found}; \
         write leading zeros, and check that the circuit is the one you mean"
    )]
    DigitCount {
        /// The port's name.
        port: String,
        /// The port's bits.
        width: u32,
        /// `hexadecimal` or `binary`.
        base: &'static str,
        /// Digits needed.
        expected: usize,
        /// Digits there.
        found: usize,
    },
    /// Something that is not a digit of the base.
    #[error("not a {base} digit, in the value of `{port}`")]
    NotADigit {
        /// The port's name.
        port: String,
        /// `hexadecimal`, `binary` or `decimal`.
        base: &'static str,
    },
    /// A number without digits, such as an empty cell or a lone minus sign.
    #[error("the value of `{port}` has no digits")]
    NoDigits {
        /// The port's name.
        port: String,
    },
    /// A number too large (or, for unsigned ports, negative).
    #[error("the value of `{port}` is out of range: {width} bits hold {range}")]
    OutOfRange {
        /// The port's name.
        port: String,
        /// The port's bits.
        width: u32,
        /// The range, in words.
        range: String,
    },
    /// Decimal text for a port of more than 128 bits.
    #[error("`{port}` has {width} bits; decimal integers go up to 128: write it in hex")]
    TooWideForDecimal {
        /// The port's name.
        port: String,
        /// The port's bits.
        width: u32,
    },
    /// A bit order of bytes or words on a port that is not a whole number of them.
    #[error("`{port}` has {width} bits; the bit order `{order}` needs a multiple of {unit}")]
    PartialUnit {
        /// The port's name.
        port: String,
        /// The port's bits.
        width: u32,
        /// The bit order.
        order: BitOrder,
        /// Bits that the width must be a multiple of.
        unit: u32,
    },
    /// A line longer than any valid line of these ports.
    #[error("the line is longer than {limit} bytes, which no line for these ports can be")]
    LineTooLong {
        /// Bytes that a line may have.
        limit: usize,
    },
    /// The CSV header lacks the column of a port.
    #[error("the header row lacks the column `{port}`; it must name {ports}")]
    MissingColumn {
        /// The port's name.
        port: String,
        /// All ports' names.
        ports: String,
    },
    /// The CSV header has a column that is no port, or the same one twice.
    #[error(
        "this column of the header row names none of {ports}, or one of them again; \
         the first row of a CSV file must be the header"
    )]
    UnknownColumn {
        /// All ports' names.
        ports: String,
    },
    /// The CSV syntax itself is broken.
    #[error("not a valid CSV file: {0}")]
    Csv(&'static str),
    /// A raw file that ends in the middle of an instance.
    #[error(
        "the file ends inside an instance: each has {instance_bytes} bytes, and {left} are left \
         over after {instances} instance(s)"
    )]
    PartialInstance {
        /// Bytes of one instance.
        instance_bytes: usize,
        /// Bytes after the last whole instance.
        left: usize,
        /// Whole instances before.
        instances: usize,
    },
    /// Unused bits of a raw value are not zero.
    #[error("instance {instance}: the unused high bits of `{port}` ({width} bits) are not zero")]
    RawPadding {
        /// The instance, from 1.
        instance: usize,
        /// The port's name.
        port: String,
        /// The port's bits.
        width: u32,
    },
    /// Inputs with different numbers of instances, none of which is one.
    #[error(
        "{found} instances here, but {expected} are asked for or given elsewhere; only a single one is repeated"
    )]
    InstanceCount {
        /// Instances that were asked for, or of the other inputs.
        expected: usize,
        /// Instances of this one.
        found: usize,
    },
}
