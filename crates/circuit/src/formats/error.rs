//! What can be wrong with a circuit file.

use std::fmt;

use thiserror::Error;

use crate::poly::PolyError;

/// A place in a circuit file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(u64),
    /// A byte, counted from 0 (binary form).
    Byte(u64),
}

/// A circuit file that cannot be read: which file, where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatError {
    /// Name of the file as the caller gave it.
    pub file: String,
    /// The place in the file.
    pub place: Place,
    /// The reason why it cannot be read.
    pub reason: Reason,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Place::File => write!(f, "{}: {}", self.file, self.reason),
            Place::Line(n) => write!(f, "{}:{}: {}", self.file, n, self.reason),
            Place::Byte(n) => write!(f, "{} at byte {}: {}", self.file, n, self.reason),
        }
    }
}

impl std::error::Error for FormatError {}

/// The reason why a circuit file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Reason {
    /// The file could not be opened or read.
    #[error("cannot read the file: {0}")]
    Io(String),
    /// The file ends too early.
    #[error("the file ends before {0}: it may have been cut off")]
    Truncated(&'static str),
    /// A header line with the wrong number of numbers.
    #[error("{what} should have {expected} numbers, not {found}")]
    Header {
        /// Which line.
        what: &'static str,
        /// What it should hold.
        expected: String,
        /// How many tokens it holds.
        found: usize,
    },
    /// The file ends within a gate.
    #[error(
        "the file is cut off in this line: {found} of the {claimed} gates that its first line promises are there"
    )]
    CutOff {
        /// What the header says.
        claimed: u64,
        /// Whole gates.
        found: u64,
    },
    /// Not a number, or too large a one.
    #[error("{what} should be a number from 0 to {max}, not '{token}'")]
    Number {
        /// What the number is for.
        what: &'static str,
        /// Largest value allowed.
        max: u64,
        /// What stands there.
        token: String,
    },
    /// More wires than this implementation or this file can hold.
    #[error(
        "the file says that it has {claimed} {what}, but one of this size can hold {most} at most: it may have \
         been cut off"
    )]
    TooMany {
        /// What there are too many of.
        what: &'static str,
        /// What the header says.
        claimed: u64,
        /// The most that is accepted.
        most: u64,
    },
    /// Widths that do not fit in the header's wires.
    #[error("the header's inputs and outputs need {need} wires, but it claims {wires}")]
    Ports {
        /// Wires needed.
        need: u64,
        /// Wires claimed.
        wires: u64,
    },
    /// A gate name that does not exist.
    #[error("unknown gate '{0}'")]
    UnknownGate(String),
    /// A gate with a number of inputs or outputs that its kind does not have.
    #[error("{gate} cannot have {inputs} inputs and {outputs} outputs")]
    Arity {
        /// Gate name.
        gate: &'static str,
        /// Inputs stated.
        inputs: u64,
        /// Outputs stated.
        outputs: u64,
    },
    /// A gate line with too few or too many words.
    #[error("this gate line should have {expected} words, not {found}")]
    WordCount {
        /// Words that the line's numbers call for.
        expected: u64,
        /// Words that it has.
        found: usize,
    },
    /// A wire number beyond the header's count.
    #[error("wire {wire} does not exist: the header says {wires} wires")]
    NoSuchWire {
        /// The wire.
        wire: u64,
        /// Number of wires.
        wires: u64,
    },
    /// A wire read before any gate assigns it.
    #[error("wire {0} is used before it is assigned")]
    UseBeforeDefinition(u64),
    /// A wire assigned by two gates.
    #[error("wire {0} is assigned twice")]
    DoubleAssignment(u64),
    /// A gate that assigns an input wire.
    #[error("wire {0} is an input and cannot be assigned")]
    AssignedInput(u64),
    /// A wire of the header that no gate assigns.
    #[error("wire {wire} is never assigned ({missing} such wires)")]
    Unassigned {
        /// The first such wire.
        wire: u64,
        /// How many there are.
        missing: u64,
    },
    /// Fewer gate lines than the header says.
    #[error(
        "the file ends here with {found} of the {claimed} gates that its first line promises: it may have been \
         cut off"
    )]
    MissingGates {
        /// What the header says.
        claimed: u64,
        /// What there is.
        found: u64,
    },
    /// Something after the last gate.
    #[error("this line is beyond the last of the header's {0} gates")]
    TrailingLine(u64),
    /// A table that is not hexadecimal or too large for the number of inputs.
    #[error("'{token}' is not a hexadecimal table of {bits} bits")]
    Table {
        /// What stands there.
        token: String,
        /// Bits that the table has.
        bits: u64,
    },
    /// A polynomial gate that is not valid.
    #[error(transparent)]
    Poly(#[from] PolyError),
    /// A port order that does not fit the port.
    #[error("{side} port {port} is {width} bits wide, so its bytes cannot be reversed")]
    PortOrder {
        /// "input" or "output".
        side: &'static str,
        /// Which port.
        port: usize,
        /// Its width.
        width: u32,
    },
    /// An order was given for a port that the circuit does not have.
    #[error("an order is given for {side} port {port}, but the circuit has only {ports}")]
    NoSuchPort {
        /// "input" or "output".
        side: &'static str,
        /// Which port.
        port: usize,
        /// How many there are.
        ports: usize,
    },
    /// Binary form: a malformed item.
    #[error("{0}")]
    Binary(&'static str),
}

/// A token as shown in a message: printable and short.
pub(crate) fn show(token: &[u8]) -> String {
    let text = String::from_utf8_lossy(&token[..token.len().min(40)]);
    let mut s: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    if token.len() > 40 {
        s.push_str("...");
    }
    s
}
