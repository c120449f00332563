//! The program `tacit`, as a library: so that whoever embeds it has the engine once.

mod bench;
mod checks;
mod choice;
mod circuit;
mod deadlines;
mod error;
mod flags;
mod garbling;
mod harden;
mod invocation;
mod lab;
mod local;
mod logging;
mod manual;
mod meeting;
mod network;
mod output;
mod pages;
mod party;
mod plan;
mod ports;
mod prepare;
mod program;
mod progress;
mod protocols;
mod ranges;
mod run;
mod service;
mod signals;
mod sql;
mod task;
mod threat;
mod units;

pub use invocation::Invocation;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use error::{CliError, ErrorKind};
use logging::LogArgs;
use meeting::Failure;
use output::Output;

/// Computes a function of several parties' private data and reveals the result, and nothing
/// else. Nobody has audited it.
#[derive(Parser, Debug)]
#[command(name = "tacit", version, after_help = error::exit_codes(), max_term_width = 100)]
struct Cli {
    /// Print one JSON object instead of text (errors too, on standard error)
    #[arg(long, global = true)]
    json: bool,

    #[command(flatten)]
    log: LogArgs,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Build, inspect, convert and evaluate Boolean circuits
    Circuit(circuit::CircuitArgs),
    /// Make a party's key, and take the cards of the other parties
    Party(party::PartyArgs),
    /// Test the links between the parties, or set them all up on one machine for a trial
    Network(network::NetworkArgs),
    /// Show, check and try programs over arrays
    Program(Box<program::ProgramArgs>),
    /// Show what a query in SQL takes, shows to whom and computes; write it as a program
    Sql(sql::SqlArgs),
    /// Compute a program or a circuit on the parties' private inputs
    Run(Box<run::RunArgs>),
    /// Make the preprocessing of runs to come, and store it
    Prepare(Box<prepare::PrepareArgs>),
    /// Show what is left of stored preprocessing
    Prepared(prepare::PreparedArgs),
    /// Run this party's node: studies that all approve, sessions without three people at three keyboards
    Serve(service::ServeArgs),
    /// Propose, read, approve and close studies, at a node
    Study(service::StudyArgs),
    /// Give this party's tables to its node
    Dataset(service::DatasetArgs),
    /// Start and watch sessions of studies, and take their results
    Session(service::SessionArgs),
    /// Check, show and drain a node
    Node(service::NodeArgs),
    /// Show and check a node's audit log
    Audit(service::AuditArgs),
    /// Take part in one attempt: the daemon alone starts this
    #[command(hide = true)]
    Worker,
    /// List the protocols: what each protects against, and what it is best for
    Protocols(protocols::ProtocolsArgs),
    /// Say which protocol is fastest for a program or a circuit, and why, without running anything
    Plan(plan::PlanArgs),
    /// Predict how long a program or a circuit takes on another network
    Lab(lab::LabArgs),
    /// Measure a protocol's speed, beside the bound of the setting
    Bench(bench::BenchArgs),
    /// Print completions for a shell
    Completions(manual::CompletionsArgs),
    /// Write manual pages of all commands
    Manual(manual::ManualArgs),
}

/// Runs the program as it was called, once in a process. Gives its exit code, where it does not end the process itself.
#[must_use]
pub fn main(invocation: Invocation) -> u8 {
    let parsed = pages::with_pages(command()).try_get_matches_from(invocation.words());
    invocation.remember();
    let cli = parsed.and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = cli.unwrap_or_else(|e| usage(&e));
    let output = Output::new(cli.json);
    report_panics(output);
    let serves = matches!(cli.command, Command::Serve(_));
    let logging = cli.log.start(serves, cli.json).map_err(early);
    let ended = logging.and_then(|()| run(cli.command, output));
    ended.unwrap_or_else(|failure| failure.end(output))
}

/// The command line, as it is declared.
fn command() -> clap::Command {
    Cli::command()
}

fn run(command: Command, output: Output) -> Result<u8, Failure> {
    harden::harden()?;
    signals::watch(output)?;
    Ok(match command {
        Command::Circuit(args) => done(circuit::run(args, output)?),
        Command::Party(args) => done(party::run(args, output)?),
        Command::Network(args) => done(network::run(args, output)?),
        Command::Program(args) => program::run(*args, output)?,
        Command::Sql(args) => done(sql::run(&args, output)?),
        Command::Run(args) => run::run(&args.checked().map_err(early)?, output)?,
        Command::Prepare(args) => prepare::run(&args.checked().map_err(early)?, output)?,
        Command::Prepared(args) => done(prepare::prepared(&args, output)?),
        Command::Serve(args) => done(service::serve(&args, output)?),
        Command::Study(args) => done(service::study(args, output)?),
        Command::Dataset(args) => done(service::dataset(args, output)?),
        Command::Session(args) => done(service::session(args, output)?),
        Command::Node(args) => done(service::node(args, output)?),
        Command::Audit(args) => done(service::audit(args, output)?),
        Command::Worker => done(service::worker()?),
        Command::Protocols(args) => done(protocols::run(&args, output)?),
        Command::Plan(args) => done(plan::run(&args, output)?),
        Command::Lab(args) => done(lab::run(&args, output)?),
        Command::Bench(args) => bench::run(&args.checked()?, output)?,
        Command::Completions(args) => done(manual::completions(&args, output)?),
        Command::Manual(args) => done(manual::manual(&args, output)?),
    })
}

fn done((): ()) -> u8 {
    0
}

/// A failure of arguments that are all known.
fn early(error: CliError) -> Failure {
    meeting::early(error, Some(run::DEFAULT_SESSION))
}

/// Prints help, or says what is wrong with the command line, to the other parties too, and ends the process.
fn usage(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        let code = if error.print().is_ok() { 0 } else { ErrorKind::System.exit_code() };
        std::process::exit(code.into());
    }
    let wrong = CliError::input(error.to_string().trim_end());
    if invocation::arguments().iter().any(|a| a == "--json") {
        Output::new(true).error(&wrong);
    } else {
        // Where the terminal is gone there is nobody to say it to.
        let _ = error.print();
    }
    let all_known = error.kind() != clap::error::ErrorKind::UnknownArgument;
    let failure = meeting::early(wrong, all_known.then_some(run::DEFAULT_SESSION));
    std::process::exit(i32::from(failure.part()));
}

/// A panic in any thread is a bug: say so and end the process with its exit code.
fn report_panics(output: Output) {
    std::panic::set_hook(Box::new(move |info| {
        let place = info.location().map_or_else(String::new, |l| format!(" at {l}"));
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = text.unwrap_or("no message");
        let kind = ErrorKind::Bug;
        let message = format!("this is a bug in Tacit, please report it: {message}{place}");
        output.error(&CliError { kind, message });
        std::process::exit(i32::from(kind.exit_code()));
    }));
}
