//! `tacit circuit info`.

use super::file::{self, ReadArgs};
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tacit_circuit::Circuit;
use tacit_circuit::passes::cost::{Form, circuit_traffic};

/// Arguments of `tacit circuit info`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit circuit info aes_128.txt
  tacit --json circuit info sha256.txt | jq .and_depth")]
pub struct InfoArgs {
    /// The circuit
    #[arg(value_name = "CIRCUIT")]
    path: PathBuf,

    #[command(flatten)]
    read: ReadArgs,
}

/// What there is to know about a circuit.
#[derive(Serialize, Debug)]
pub struct CircuitInfo {
    file: Option<PathBuf>,
    input_widths: Vec<u32>,
    output_widths: Vec<u32>,
    and_depth: u32,
    gates: usize,
    wires: usize,
    and_gates: u64,
    and_gates_by_fan_in: BTreeMap<usize, u64>,
    polynomial_gates: u64,
    xor_gates: u64,
    not_gates: u64,
    /// Bits per instance that all parties send with multi-fan-in, gate by gate.
    multi_fan_in_bits: FormBits,
    digest: String,
}

/// Bits in the two forms of multi-fan-in.
#[derive(Serialize, Debug)]
struct FormBits {
    symmetric: u64,
    dealer: u64,
}

impl CircuitInfo {
    /// Counts the gates of a circuit; `file` is where it is stored.
    pub fn new(circuit: &Circuit, file: Option<&Path>) -> CircuitInfo {
        let stats = circuit.stats();
        let by_fan_in = stats.ands.iter().copied().enumerate().filter(|&(_, n)| n > 0);
        CircuitInfo {
            file: file.map(Path::to_path_buf),
            input_widths: circuit.input_widths().to_vec(),
            output_widths: circuit.output_ports().iter().map(|p| p.len() as u32).collect(),
            and_depth: stats.and_depth,
            gates: circuit.gate_count(),
            wires: circuit.wire_count(),
            and_gates: stats.and_count(),
            and_gates_by_fan_in: by_fan_in.collect(),
            polynomial_gates: stats.polys,
            xor_gates: stats.xors,
            not_gates: stats.nots,
            multi_fan_in_bits: FormBits {
                symmetric: circuit_traffic(circuit, Form::Symmetric).total(),
                dealer: circuit_traffic(circuit, Form::Dealer).total(),
            },
            digest: hex::encode(circuit.digest()),
        }
    }
}

impl Report for CircuitInfo {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &self.file {
            writeln!(out, "file       {}", file.display())?;
        }
        writeln!(out, "inputs     {}", ports("in", &self.input_widths))?;
        writeln!(out, "outputs    {}", ports("out", &self.output_widths))?;
        writeln!(out, "AND depth  {}", self.and_depth)?;
        write!(out, "AND gates  {}", self.and_gates)?;
        for (fan_in, count) in &self.and_gates_by_fan_in {
            write!(out, "{} {count} of {fan_in} inputs", separator(*fan_in, self))?;
        }
        writeln!(out)?;
        if self.polynomial_gates > 0 {
            writeln!(out, "polynomial {}", self.polynomial_gates)?;
        }
        writeln!(out, "XOR gates  {}", self.xor_gates)?;
        writeln!(out, "NOT gates  {}", self.not_gates)?;
        writeln!(out, "wires      {}", self.wires)?;
        let bits = &self.multi_fan_in_bits;
        let (symmetric, dealer) = (bits.symmetric, bits.dealer);
        writeln!(
            out,
            "traffic    {symmetric} bits per instance with multi-fan-in, {dealer} in its dealer form"
        )?;
        writeln!(out, "digest     {}", self.digest)
    }
}

fn separator(fan_in: usize, info: &CircuitInfo) -> &'static str {
    match info.and_gates_by_fan_in.keys().next() == Some(&fan_in) {
        true => ":",
        false => ",",
    }
}

fn ports(name: &str, widths: &[u32]) -> String {
    let port = |(i, w): (usize, &u32)| match w {
        1 => format!("{name}{i}: 1 bit"),
        w => format!("{name}{i}: {w} bits"),
    };
    widths.iter().enumerate().map(port).collect::<Vec<_>>().join(", ")
}

/// Runs the command.
pub fn run(args: &InfoArgs, output: Output) -> Result<(), CliError> {
    let circuit = file::read(&args.path, &args.read)?;
    output.print(&CircuitInfo::new(&circuit, Some(&args.path)))
}
