//! `tacit circuit eval`.

use super::file::{self, ReadArgs};
use crate::error::CliError;
use crate::output::{Output, Report};
use crate::ports::{self, PortFile, PortValues, ValueStyle};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_circuit::Circuit;
use tacit_engine::values::{Format, Lanes, PortSpec};

/// Arguments of `tacit circuit eval`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit circuit eval adder64.txt --input 0=a.dec --input 1=b.dec --output 0=sum.dec
  tacit circuit eval aes_128.txt --input 0=key.hex --input 1=blocks.hex
  tacit circuit eval aes.txt --bits bytes --input 0=key.hex --input 1=blocks.hex
  tacit circuit eval adder64.txt --input 0,1=pairs.csv --output 0=sums.csv")]
pub struct EvalArgs {
    /// The circuit
    #[arg(value_name = "CIRCUIT")]
    path: PathBuf,

    /// File with the values of an input port, or of several: 0=key.hex, 0,1=all.csv; `-` is
    /// standard input. Repeatable; a file with one instance is repeated for all
    #[arg(long = "input", value_name = "PORTS=FILE")]
    inputs: Vec<PortFile>,

    /// File for the values of an output port, or of several [default: print all, in hex or
    /// the format given]
    #[arg(long = "output", value_name = "PORTS=FILE")]
    outputs: Vec<PortFile>,

    #[command(flatten)]
    style: ValueStyle,

    #[command(flatten)]
    read: ReadArgs,
}

/// The result: where the outputs are, or the outputs themselves.
#[derive(Serialize)]
struct Evaluated {
    instances: usize,
    /// Files written.
    files: Vec<PathBuf>,
    /// Values, where no files were asked for.
    outputs: Vec<PortValues>,
    #[serde(skip)]
    text: Vec<u8>,
}

impl Report for Evaluated {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.text)
    }
}

/// Runs the command.
pub fn run(args: &EvalArgs, output: Output) -> Result<(), CliError> {
    let circuit = file::read(&args.path, &args.read)?;
    let in_ports = args.style.input_ports(&circuit)?;
    let out_ports = args.style.output_ports(&circuit)?;
    let format = args.style.format();
    ports::check_output_files(&args.outputs, &out_ports, format)?;
    let values = ports::read_ports(&args.inputs, &in_ports, format)?;
    let instances = ports::common_instances(&args.inputs, &values)?;
    let inputs = complete(values, &in_ports, instances)?;
    let results = evaluate(&circuit, &inputs, instances);
    let mut report =
        Evaluated { instances, files: Vec::new(), outputs: Vec::new(), text: Vec::new() };
    if args.outputs.is_empty() {
        let format = format.unwrap_or(Format::Hex);
        report.text = ports::printed(format, &out_ports, &results)?;
        if output.is_json() {
            report.outputs = ports::listed(format, &out_ports, &results)?;
        }
    } else {
        ports::write_ports(&args.outputs, &out_ports, format, &results)?;
        report.files = args.outputs.iter().map(|f| f.path.clone()).collect();
    }
    output.print(&report)
}

/// Values of all input ports, repeated to the common number of instances.
fn complete(
    values: Vec<Option<Lanes>>,
    ports: &[PortSpec],
    instances: usize,
) -> Result<Vec<Lanes>, CliError> {
    let complete = values.into_iter().zip(ports).map(|(lanes, port)| match lanes {
        Some(lanes) => lanes.broadcast(instances).map_err(|e| CliError::input(e.to_string())),
        None if port.width == 0 => Ok(Lanes::from_bits(Vec::new(), instances)),
        None => {
            let number = port.name.trim_start_matches("in");
            Err(CliError::input(format!(
                "input port {number} ({} bits) has no values; add --input {number}=FILE",
                port.width
            )))
        }
    });
    complete.collect()
}

/// Evaluates all instances, 64 at a time.
fn evaluate(circuit: &Circuit, inputs: &[Lanes], instances: usize) -> Vec<Lanes> {
    let words = instances.div_ceil(64);
    let mut bits: Vec<Vec<u64>> = vec![Vec::with_capacity(words); circuit.output_bits()];
    let mut block = Vec::with_capacity(circuit.input_bits());
    for word in 0..words {
        block.clear();
        block.extend(inputs.iter().flat_map(Lanes::bits).map(|bit| bit[word]));
        for (bit, value) in bits.iter_mut().zip(circuit.eval_lanes(&block)) {
            bit.push(value);
        }
    }
    let mut bits = bits.into_iter();
    let ports = circuit.output_ports().iter();
    ports.map(|p| Lanes::from_bits(bits.by_ref().take(p.len()).collect(), instances)).collect()
}
