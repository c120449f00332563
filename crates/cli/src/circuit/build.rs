//! `tacit circuit build`: the designs of the library, each a command with its parameters.

use super::file::WriteArgs;
use super::info::CircuitInfo;
use crate::error::CliError;
use crate::output::Output;
use clap::builder::Arg;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use tacit_circuit::library::{self, BuildError, Param, Params};

/// Arguments of `tacit circuit build`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit circuit build add --width 64 --output add.txt
  tacit circuit build compare --width 32 --signed --relation lt --output less.txt
  tacit circuit build aes --key-bits 128 --sbox d4 --output aes.txt
  tacit circuit build sha256 --fan-in 8 --output sha.tbc

Gates of more than two inputs (--fan-in) mean fewer rounds and more traffic, and only the
protocols multi-fan-in and, up to four inputs, gmw-wide have them. Ports are integers, least significant bit first, in AES
bytes (value files need --bits bytes), in SHA-256 32-bit words (--bits words).")]
pub struct BuildArgs {
    #[command(subcommand)]
    design: DesignArgs,
}

/// A design of the library and its parameters.
#[derive(Debug)]
struct DesignArgs {
    name: String,
    params: Params,
    write: WriteArgs,
}

/// A design as a command.
fn command(design: &'static library::Design) -> Command {
    let params = design.params.iter().map(|&param| argument(param));
    WriteArgs::augment_args(Command::new(design.name).args(params)).about(design.summary)
}

/// A parameter as an option; the value is checked by the library.
fn argument(param: Param) -> Arg {
    let arg = Arg::new(param.name()).long(param.name()).help(param.values());
    match param {
        Param::Signed | Param::CarryIn | Param::CarryOut | Param::ExpandedKey => {
            let arg = arg.value_name("BOOL").num_args(0..=1).require_equals(true);
            arg.default_missing_value("true")
        }
        Param::Form(_) | Param::Relation | Param::Sbox => arg.value_name("NAME"),
        _ => arg.value_name("N"),
    }
}

fn parse(name: &str, matches: &mut ArgMatches) -> Result<DesignArgs, BuildError> {
    let mut params = Params::new();
    let known = library::registry().iter().find(|d| d.name == name);
    for param in known.map_or(&[][..], |d| d.params) {
        if let Some(value) = matches.remove_one::<String>(param.name()) {
            params.set(param.name(), &value)?;
        }
    }
    let write = WriteArgs::from_arg_matches_mut(matches)
        .expect("clap has checked the arguments that it was told of");
    Ok(DesignArgs { name: name.to_owned(), params, write })
}

impl FromArgMatches for DesignArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<DesignArgs, clap::Error> {
        DesignArgs::from_arg_matches_mut(&mut matches.clone())
    }

    fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<DesignArgs, clap::Error> {
        let missing = clap::error::ErrorKind::MissingSubcommand;
        let (name, mut matches) = matches
            .remove_subcommand()
            .ok_or_else(|| clap::Error::raw(missing, "name a design\n"))?;
        let invalid = clap::error::ErrorKind::ValueValidation;
        parse(&name, &mut matches).map_err(|e| clap::Error::raw(invalid, format!("{e}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = DesignArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Subcommand for DesignArgs {
    fn augment_subcommands(cmd: Command) -> Command {
        cmd.subcommands(library::registry().iter().map(command))
    }

    fn augment_subcommands_for_update(cmd: Command) -> Command {
        DesignArgs::augment_subcommands(cmd)
    }

    fn has_subcommand(name: &str) -> bool {
        library::registry().iter().any(|d| d.name == name)
    }
}

/// Runs the command.
pub fn run(args: &BuildArgs, output: Output) -> Result<(), CliError> {
    let DesignArgs { name, params, write } = &args.design;
    let circuit = library::build(name, params).map_err(|e| CliError::input(e.to_string()))?;
    write.write(&circuit)?;
    output.print(&CircuitInfo::new(&circuit, Some(write.path())))
}
