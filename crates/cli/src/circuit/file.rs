//! Reading and writing circuit files, and the options for it.

use crate::error::CliError;
use crate::run::Misplaced;
use clap::{Args, ValueEnum};
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tacit_circuit::Circuit;
use tacit_circuit::formats::{
    Dialect, PortOrder, ReadOptions, TextOptions, binary, parse, write_text,
};

/// The extension of circuits in binary form.
const BINARY_EXTENSION: &str = "tbc";

/// How to read a circuit file.
#[derive(Args, Clone, Debug)]
pub struct ReadArgs {
    /// The circuit's text format [default: found out from its header]
    #[arg(long, value_name = "FORMAT")]
    from: Option<TextFormat>,

    /// The file has the bits or bytes of a port in the opposite order: in0=reverse-bits,
    /// out0=reverse-bytes. Repeatable
    #[arg(long, value_name = "PORT=ORDER")]
    reorder: Vec<Reorder>,
}

impl ReadArgs {
    /// The words of a command line that say the same.
    pub fn words(&self) -> Vec<String> {
        let named = |format: TextFormat| format.to_possible_value().map(|it| it.get_name().into());
        let from = self.from.and_then(named).map(|name| ["--from".into(), name]);
        let reorder = self.reorder.iter().map(|reorder| ["--reorder".into(), reorder.to_string()]);
        from.into_iter().chain(reorder).flatten().collect()
    }

    /// What is no use to programs.
    pub fn flags(&self) -> [Misplaced; 2] {
        [
            Misplaced::new(self.from.is_some(), "--from", ""),
            Misplaced::new(!self.reorder.is_empty(), "--reorder", ""),
        ]
    }
}

/// The text formats of circuits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TextFormat {
    /// Bristol Fashion
    Fashion,
    /// The old Bristol format
    Old,
    /// Bristol Fashion with wide ANDs and polynomial gates
    Extended,
}

impl From<TextFormat> for Dialect {
    fn from(format: TextFormat) -> Dialect {
        match format {
            TextFormat::Fashion => Dialect::Fashion,
            TextFormat::Old => Dialect::Old,
            TextFormat::Extended => Dialect::Extended,
        }
    }
}

/// `PORT=reverse-bits` or `PORT=reverse-bytes`.
#[derive(Clone, Debug)]
struct Reorder {
    is_input: bool,
    port: usize,
    order: PortOrder,
}

impl fmt::Display for Reorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_input { "in" } else { "out" };
        let order = if self.order.reverse_bits { "reverse-bits" } else { "reverse-bytes" };
        write!(f, "{side}{}={order}", self.port)
    }
}

impl FromStr for Reorder {
    type Err = String;

    fn from_str(s: &str) -> Result<Reorder, String> {
        let (name, order) = s.split_once('=').unwrap_or((s, ""));
        let (is_input, number) = match (name.strip_prefix("in"), name.strip_prefix("out")) {
            (Some(number), _) => (true, number),
            (None, Some(number)) => (false, number),
            (None, None) => (true, ""),
        };
        let port = number.parse().map_err(|_| "ports are in0, in1, ..., out0, out1, ...")?;
        let order = match order {
            "reverse-bits" => PortOrder { reverse_bits: true, reverse_bytes: false },
            "reverse-bytes" => PortOrder { reverse_bits: false, reverse_bytes: true },
            _ => return Err("orders are reverse-bits and reverse-bytes".into()),
        };
        Ok(Reorder { is_input, port, order })
    }
}

impl ReadArgs {
    fn options(&self, path: &Path) -> Result<ReadOptions, CliError> {
        let mut options = ReadOptions {
            dialect: self.from.map_or(Dialect::Auto, Dialect::from),
            ..Default::default()
        };
        for reorder in &self.reorder {
            let side = match reorder.is_input {
                true => &mut options.inputs,
                false => &mut options.outputs,
            };
            // The reader refuses ports that the circuit lacks; this keeps the list small.
            if reorder.port >= 1 << 20 {
                let message = format!("{}: there is no port {}", path.display(), reorder.port);
                return Err(CliError::input(message));
            }
            if side.len() <= reorder.port {
                side.resize(reorder.port + 1, PortOrder::default());
            }
            let order = &mut side[reorder.port];
            order.reverse_bits |= reorder.order.reverse_bits;
            order.reverse_bytes |= reorder.order.reverse_bytes;
        }
        Ok(options)
    }
}

/// Reads a circuit in any format.
pub fn read(path: &Path, args: &ReadArgs) -> Result<Circuit, CliError> {
    let options = args.options(path)?;
    let bytes = std::fs::read(path).map_err(|e| CliError::file(path, &e))?;
    parse(&path.display().to_string(), &bytes, &options).map_err(|e| CliError::input(e.to_string()))
}

/// How and where to write a circuit file.
#[derive(Args, Clone, Debug)]
pub struct WriteArgs {
    /// The file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// The format to write. fashion and old have two-input gates only: wide ANDs become trees
    /// of them, polynomial gates ANDs and XORs [default: binary for .tbc, else Bristol Fashion,
    /// extended where the circuit needs it]
    #[arg(long, value_name = "FORMAT")]
    to: Option<OutputFormat>,

    /// Write XOR, AND and INV gates only, for tools that know no EQW (wire copies)
    #[arg(long)]
    no_eqw: bool,
}

/// The formats that circuits are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OutputFormat {
    /// Bristol Fashion
    Fashion,
    /// The old Bristol format
    Old,
    /// Bristol Fashion with wide ANDs and polynomial gates
    Extended,
    /// The binary form
    Binary,
}

impl WriteArgs {
    /// The file to write.
    pub fn path(&self) -> &Path {
        &self.output
    }

    /// Writes the circuit.
    pub fn write(&self, circuit: &Circuit) -> Result<(), CliError> {
        let bytes = self.bytes(circuit)?;
        std::fs::write(&self.output, bytes).map_err(|e| CliError::file(&self.output, &e))
    }

    fn bytes(&self, circuit: &Circuit) -> Result<Vec<u8>, CliError> {
        let is_binary = self.output.extension().is_some_and(|e| e == BINARY_EXTENSION);
        let dialect = match self.to {
            Some(OutputFormat::Binary) => return Ok(binary::write(circuit)),
            None if is_binary => return Ok(binary::write(circuit)),
            None => Dialect::Auto,
            Some(OutputFormat::Fashion) => Dialect::Fashion,
            Some(OutputFormat::Old) => Dialect::Old,
            Some(OutputFormat::Extended) => Dialect::Extended,
        };
        write_text(circuit, TextOptions { dialect, no_eqw: self.no_eqw })
            .map_err(|e| CliError::input(format!("{}: {e}", self.output.display())))
    }
}
