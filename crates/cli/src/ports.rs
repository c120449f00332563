//! Command-line options about the values of a circuit's ports.

use crate::error::CliError;
use crate::run::Misplaced;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use tacit_circuit::Circuit;
use tacit_engine::values::{
    BitOrder, Format, Lanes, PortSpec, Problem, check_outputs, format_outputs, parse_inputs,
    read_inputs, write_outputs,
};
use zeroize::Zeroizing;

/// How the values of input and output ports are written.
#[derive(Args, Clone, Debug)]
pub struct ValueStyle {
    /// Which bit of a written value is which bit of the port: integer, bytes,
    /// words or msb-first; for all ports, or for one: in0=bytes, out0=integer. Repeatable
    #[arg(long = "bits", value_name = "[PORT=]ORDER")]
    bits: Vec<PortOrder>,

    /// Decimal integers are signed: on all ports, or on the listed ones (in0,out0)
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "all")]
    #[arg(value_delimiter = ',', require_equals = true)]
    signed: Vec<String>,

    /// Format of all value files: hex, binary, decimal, csv or raw [default: by the file's
    /// extension: .hex, .bin, .dec, .csv, .raw]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

impl ValueStyle {
    /// What is no use to programs.
    pub fn flags(&self) -> [Misplaced; 3] {
        [
            Misplaced::new(!self.bits.is_empty(), "--bits", ""),
            Misplaced::new(!self.signed.is_empty(), "--signed", "the program's types"),
            Misplaced::new(self.format.is_some(), "--format", "--result-format"),
        ]
    }
}

/// `ORDER` or `PORT=ORDER`.
#[derive(Clone, Debug)]
struct PortOrder {
    port: Option<String>,
    order: BitOrder,
}

impl FromStr for PortOrder {
    type Err = String;

    fn from_str(s: &str) -> Result<PortOrder, String> {
        let (port, order) = match s.split_once('=') {
            Some((port, order)) => (Some(port.to_string()), order),
            None => (None, s),
        };
        Ok(PortOrder { port, order: order.parse()? })
    }
}

/// `PORTS=FILE`: the ports, by number, whose values a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortFile {
    /// Port numbers, in the order in which the file writes them.
    pub ports: Vec<usize>,
    /// The file; `-` is standard input or output.
    pub path: PathBuf,
}

impl FromStr for PortFile {
    type Err = String;

    fn from_str(s: &str) -> Result<PortFile, String> {
        let (ports, path) = s.split_once('=').ok_or("write it as PORT=FILE, such as 0=key.hex")?;
        let ports: Result<Vec<usize>, _> = ports.split(',').map(|p| p.trim().parse()).collect();
        let ports = ports.map_err(|_| "ports are numbers, such as 0=key.hex or 0,1=all.csv")?;
        if path.is_empty() {
            return Err("the file name is missing".into());
        }
        Ok(PortFile { ports, path: path.into() })
    }
}

impl PortFile {
    /// Whether `-` stands for the file.
    pub fn is_standard_stream(&self) -> bool {
        self.path == Path::new("-")
    }

    /// The file's ports, in its order.
    fn specs(&self, ports: &[PortSpec]) -> Vec<PortSpec> {
        self.ports.iter().map(|&port| ports[port].clone()).collect()
    }
}

impl ValueStyle {
    /// The format named on the command line.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// The input ports of a circuit, named `in0`, `in1`, ...
    pub fn input_ports(&self, circuit: &Circuit) -> Result<Vec<PortSpec>, CliError> {
        self.check_names(circuit)?;
        let widths = circuit.input_widths().iter();
        Ok(widths.enumerate().map(|(i, &w)| self.port(format!("in{i}"), w)).collect())
    }

    /// The output ports of a circuit, named `out0`, `out1`, ...
    pub fn output_ports(&self, circuit: &Circuit) -> Result<Vec<PortSpec>, CliError> {
        self.check_names(circuit)?;
        let widths = circuit.output_ports().iter().map(|p| p.len() as u32);
        Ok(widths.enumerate().map(|(i, w)| self.port(format!("out{i}"), w)).collect())
    }

    fn port(&self, name: String, width: u32) -> PortSpec {
        let of_port = |o: &&PortOrder| o.port.as_deref() == Some(name.as_str());
        let of_all = |o: &&PortOrder| o.port.is_none();
        let order = self.bits.iter().rfind(of_port).or(self.bits.iter().rfind(of_all));
        let signed = self.signed.iter().any(|p| *p == name || p == "all");
        let order = order.map(|o| o.order).unwrap_or_default();
        PortSpec::new(name, width).with_order(order).with_sign(signed)
    }

    /// Refuses options for ports that the circuit does not have.
    fn check_names(&self, circuit: &Circuit) -> Result<(), CliError> {
        let (inputs, outputs) = (circuit.input_widths().len(), circuit.output_ports().len());
        let known = |name: &str| {
            name == "all"
                || (0..inputs).any(|i| name == format!("in{i}"))
                || (0..outputs).any(|i| name == format!("out{i}"))
        };
        let in_bits = self.bits.iter().filter_map(|o| o.port.as_deref());
        match in_bits.chain(self.signed.iter().map(String::as_str)).find(|name| !known(name)) {
            None => Ok(()),
            Some(name) => Err(CliError::input(format!(
                "the circuit has no port `{name}`: its input ports are {}, its output ports {}",
                range("in", inputs),
                range("out", outputs)
            ))),
        }
    }
}

/// `in0`, or `in0 to in3`.
fn range(kind: &str, ports: usize) -> String {
    match ports {
        0 => "none".into(),
        1 => format!("{kind}0"),
        _ => format!("{kind}0 to {kind}{}", ports - 1),
    }
}

/// Refuses port numbers that do not exist or come twice.
fn check_ports(files: &[PortFile], count: usize, what: &str) -> Result<(), CliError> {
    let mut seen = vec![false; count];
    for &port in files.iter().flat_map(|f| &f.ports) {
        match seen.get_mut(port) {
            None => {
                let has = match count {
                    0 => "none".into(),
                    1 => "port 0 alone".into(),
                    _ => format!("ports 0 to {}", count - 1),
                };
                let message = format!("there is no {what} port {port}: the circuit has {has}");
                return Err(CliError::input(message));
            }
            Some(true) => {
                return Err(CliError::input(format!("{what} port {port} is given twice")));
            }
            Some(seen) => *seen = true,
        }
    }
    Ok(())
}

/// Reads the values of the ports that `files` name; entries of other ports are `None`.
pub fn read_ports(
    files: &[PortFile],
    ports: &[PortSpec],
    format: Option<Format>,
) -> Result<Vec<Option<Lanes>>, CliError> {
    check_ports(files, ports.len(), "input")?;
    let mut values: Vec<Option<Lanes>> = vec![None; ports.len()];
    for file in files {
        let specs = file.specs(ports);
        let read = if file.is_standard_stream() {
            let format = format.ok_or_else(|| {
                CliError::input("standard input needs --format, as it has no file extension")
            })?;
            let mut stdin = BufReader::new(io::stdin().lock());
            parse_inputs(&mut stdin, "standard input", format, &specs)?
        } else {
            read_inputs(&file.path, format, &specs)?
        };
        for (&port, lanes) in file.ports.iter().zip(read) {
            values[port] = Some(lanes);
        }
    }
    Ok(values)
}

/// The number of instances that the inputs have together: all the same, single ones aside. For what is computed in the
/// clear: parties consent to repeat what they give once.
pub fn common_instances(files: &[PortFile], values: &[Option<Lanes>]) -> Result<usize, CliError> {
    let mut all = 1;
    for file in files {
        let own = file.ports.iter().find_map(|&p| values[p].as_ref()).map_or(1, Lanes::instances);
        match (all, own) {
            (1, _) => all = own,
            (_, 1) => {}
            (expected, found) if expected == found => {}
            (expected, found) => {
                let problem = Problem::InstanceCount { expected, found };
                return Err(CliError::input(format!("{}: {problem}", file.path.display())));
            }
        }
    }
    Ok(all)
}

/// Writes the values of the ports that `files` name to them.
pub fn write_ports(
    files: &[PortFile],
    ports: &[PortSpec],
    format: Option<Format>,
    values: &[Lanes],
) -> Result<(), CliError> {
    for file in files {
        let specs = file.specs(ports);
        let lanes: Vec<Lanes> = file.ports.iter().map(|&p| values[p].clone()).collect();
        write_outputs(&file.path, format, &specs, &lanes)?;
    }
    Ok(())
}

/// Refuses input files for ports that do not exist or come twice.
pub fn check_input_files(files: &[PortFile], ports: usize) -> Result<(), CliError> {
    check_ports(files, ports, "input")
}

/// Refuses output files for ports that do not exist or come twice, and files that could not be
/// written in the end.
pub fn check_output_files(
    files: &[PortFile],
    ports: &[PortSpec],
    format: Option<Format>,
) -> Result<(), CliError> {
    check_ports(files, ports.len(), "output")?;
    for file in files {
        if file.is_standard_stream() {
            return Err(CliError::input(
                "--output names files; leave it out to print the values on standard output",
            ));
        }
        check_outputs(&file.path, format, &file.specs(ports))?;
    }
    Ok(())
}

/// The values of a port, as JSON has them. No `Debug`: they are opened values.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
pub struct PortValues {
    port: String,
    width: u32,
    /// As many as there are instances.
    values: Vec<Zeroizing<String>>,
}

/// All outputs as one text, a line per instance.
pub fn printed(format: Format, ports: &[PortSpec], values: &[Lanes]) -> Result<Vec<u8>, CliError> {
    let mut text = Vec::new();
    format_outputs(&mut text, format, ports, values).map_err(|e| CliError::input(e.to_string()))?;
    Ok(text)
}

/// All outputs port by port, a string per instance.
pub fn listed(
    format: Format,
    ports: &[PortSpec],
    values: &[Lanes],
) -> Result<Vec<PortValues>, CliError> {
    let format = match format {
        Format::Csv | Format::Raw => Format::Hex,
        other => other,
    };
    let list = ports.iter().zip(values).map(|(port, lanes)| {
        let text = printed(format, std::slice::from_ref(port), std::slice::from_ref(lanes))?;
        let text = Zeroizing::new(text);
        let lines = String::from_utf8_lossy(&text);
        let values = lines.lines().map(|line| Zeroizing::new(line.to_owned())).collect();
        Ok(PortValues { port: port.name.clone(), width: port.width, values })
    });
    list.collect()
}
