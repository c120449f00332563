//! `tacit circuit optimise`.

use super::file::{self, ReadArgs, WriteArgs};
use super::info::CircuitInfo;
use crate::error::CliError;
use crate::output::{Output, Report};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit_circuit::passes::cost::Form;
use tacit_circuit::passes::{Goal, Options, optimise};

/// Arguments of `tacit circuit optimise`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit circuit optimise in.txt --output out.txt
  tacit circuit optimise in.txt --goal depth --fan-in 8 --output shallow.txt
  tacit circuit optimise in.txt --level-cost 59 --fan-in 4 --polynomial --output out.tbc

A level's cost in bits is latency x bandwidth / instances: at 25 ms and 235 Mbit/s it is
5900 for 1,000 instances and 59 for 100,000.")]
pub struct OptimiseArgs {
    /// The circuit to read
    #[arg(value_name = "CIRCUIT")]
    path: PathBuf,

    /// What to make small
    #[arg(long, default_value = "size")]
    goal: GoalName,

    /// Minimise traffic plus this many bits per AND level
    #[arg(long, value_name = "BITS", conflicts_with = "goal", value_parser = level_cost)]
    level_cost: Option<f64>,

    /// Largest number of inputs of an AND gate
    #[arg(long, value_name = "N", default_value = "2")]
    #[arg(value_parser = clap::value_parser!(u8).range(2..=8))]
    fan_in: u8,

    /// The result may have polynomial gates
    #[arg(long)]
    polynomial: bool,

    /// Count the traffic of the dealer form of multi-fan-in
    #[arg(long)]
    dealer: bool,

    #[command(flatten)]
    read: ReadArgs,

    #[command(flatten)]
    write: WriteArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GoalName {
    /// Traffic; the AND depth does not grow
    Size,
    /// AND depth, then traffic
    Depth,
}

fn level_cost(text: &str) -> Result<f64, String> {
    let cost = text.parse().ok().filter(|c: &f64| c.is_finite() && *c >= 0.0);
    cost.ok_or_else(|| "the cost of a level is a number of bits, 0 or more".into())
}

impl OptimiseArgs {
    fn options(&self) -> Options {
        let goal = match (self.level_cost, self.goal) {
            (Some(level_cost), _) => Goal::Cost { level_cost, bit_cost: 1.0 },
            (None, GoalName::Size) => Goal::Size,
            (None, GoalName::Depth) => Goal::Depth,
        };
        Options {
            goal,
            max_fan_in: usize::from(self.fan_in),
            polynomial: self.polynomial,
            form: if self.dealer { Form::Dealer } else { Form::Symmetric },
        }
    }
}

/// The circuit before and after.
#[derive(Serialize)]
struct Optimised {
    before: CircuitInfo,
    after: CircuitInfo,
}

impl Report for Optimised {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "BEFORE")?;
        self.before.text(out)?;
        writeln!(out, "\nAFTER")?;
        self.after.text(out)
    }
}

/// Runs the command.
pub fn run(args: &OptimiseArgs, output: Output) -> Result<(), CliError> {
    let circuit = file::read(&args.path, &args.read)?;
    let optimised = optimise(&circuit, &args.options());
    args.write.write(&optimised)?;
    output.print(&Optimised {
        before: CircuitInfo::new(&circuit, Some(&args.path)),
        after: CircuitInfo::new(&optimised, Some(args.write.path())),
    })
}
