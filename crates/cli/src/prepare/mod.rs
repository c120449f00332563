//! `tacit prepare`: the preprocessing of runs to come, into each party's store; `tacit prepared`.

mod circuit;
mod list;
mod program;
mod triples;

pub use list::{PreparedArgs, run as prepared};

use crate::error::CliError;
use crate::local::{self, Child};
use crate::meeting::{self, Failure, hold};
use crate::output::{Output, Report, remark};
use crate::program::NamedValue;
use crate::progress::Progress;
use crate::run::{Misplaced, Parties, RunArgs, open_store_in, refuse, refuse_choice};
use crate::units::seconds;
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tacit::Prepared;
use tacit::runtime::{Meeting, Preparer, agreed};
use tacit_engine::circuit::{
    self as engine, Compiled, EvaluateError, StoredPreprocessing, TripleJob,
};
use tacit_engine::store::{Facts, Preparation, Store};
use tacit_net::{PartyId, Session, SessionConfig};
use tacit_ring::Entropy;

/// Arguments of `tacit prepare`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  Ten runs of a circuit for five parties, all on this machine, and one of them:
    tacit prepare aes.txt --protocol bmr:5 --local --runs 10 --into store
    tacit run aes.txt --protocol bmr:5 --local --prepared store --bits bytes \\
        --input 0=key.hex --input 1=blocks.hex
  The same on alice's machine; the others give the same arguments, except for --party:
    tacit prepare aes.txt --protocol bmr:5 --party alice.toml --runs 10 --into store
  A program on 100 rows, and what is left:
    tacit prepare pay-gap.tacit --protocol authenticated:3 --local --rows n=100 --into store
    tacit prepared list store
  Under authenticated garbling, triples for circuits that are not known yet, and a circuit with them:
    tacit prepare triples --protocol authenticated:3 --local --count 10000 --into store
    tacit prepare aes.txt --protocol authenticated:3 --local --triples store --into store
Say what the run will say: the same circuit or program, protocol, roles, owners, receivers and threads.
Needs no inputs. Files in the store are secrets: keep them to yourself. Their keys, and a ledger of
what is spent, are kept in $TACIT_STATE, $XDG_STATE_HOME/tacit or ~/.local/state/tacit: stores that
are copied to another machine, or put back from a backup, are refused.")]
pub struct PrepareArgs {
    #[command(flatten)]
    pub run: RunArgs,

    /// Runs to prepare
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub runs: u64,

    /// Directory for the stores: each party's is a folder in it, of the party's name
    #[arg(long, value_name = "DIRECTORY")]
    into: PathBuf,

    /// Triples per thread, for `tacit prepare triples`: as many as there are ANDs in a run
    #[arg(long, value_name = "NUMBER")]
    pub count: Option<usize>,

    /// Bits for masks per thread and party beside triples: as many as there are ANDs and, of a party,
    /// input bits in a run [default: 8192 more than --count]
    #[arg(long, value_name = "NUMBER")]
    pub mask_bits: Option<usize>,

    /// Use triples that `tacit prepare triples` stored: the directory that it filled
    #[arg(long, value_name = "DIRECTORY")]
    pub triples: Option<PathBuf>,

    /// Row counts that a program will have: n=6000
    #[arg(long, value_name = "ROWS=NUMBER")]
    pub rows: Vec<NamedValue>,
}

impl PrepareArgs {
    /// With the protocols of the checks that are asked for.
    pub fn checked(self) -> Result<Self, CliError> {
        self.run.named_protocol("tacit prepare")?;
        Ok(PrepareArgs { run: self.run.checked()?, ..self })
    }
}

/// Runs the command.
pub fn run(args: &PrepareArgs, output: Output) -> Result<u8, Failure> {
    let triples = triples::are_meant(args);
    let is_program = !triples && crate::program::is_program(&args.run.path);
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let mut meeting = meeting::of(args.run.deadlines.of(child.config));
            if triples {
                let parties = Parties::numbered(args.run.protocol.parties());
                return triples::one_party(args, &parties, &mut meeting);
            }
            match is_program {
                true => program::local(args, &mut meeting),
                false => circuit::local(args, &mut meeting),
            }
        });
        return Ok(Child::report(result));
    }
    let parties = args.run.protocol.parties();
    let stored = match args.run.party_file()? {
        None => {
            refuse_arguments(args, triples)?;
            match (triples, is_program) {
                (true, _) => triples::check(args),
                (_, true) => program::check(args),
                (_, false) => circuit::check(args),
            }?;
            local::launch(parties, args.run.transport)?.results()?
        }
        Some(path) => {
            let (config, run) = args.run.session(path)?;
            let args = &PrepareArgs { run, ..args.clone() };
            hold(config, |meeting| {
                refuse_arguments(args, triples)?;
                args.run.among(parties)?;
                let parties = args.run.named(&meeting.config, path, false)?;
                Ok(vec![match (triples, is_program) {
                    (true, _) => triples::one_party(args, &parties, meeting),
                    (_, true) => program::configured(args, &parties, meeting),
                    (_, false) => circuit::configured(args, &parties, meeting),
                }?])
            })?
        }
    };
    output.print(&PrepareReport { triples, parties: stored })?;
    Ok(0)
}

fn refuse_arguments(args: &PrepareArgs, triples: bool) -> Result<(), CliError> {
    refuse_inputs(args)?;
    if !triples {
        let count = Misplaced::new(args.count.is_some(), "--count", "--instances or --rows");
        let bits = Misplaced::new(args.mask_bits.is_some(), "--mask-bits", "");
        refuse("`tacit prepare triples`", [count, bits])?;
    }
    Ok(())
}

/// Preparation is independent of inputs.
fn refuse_inputs(args: &PrepareArgs) -> Result<(), CliError> {
    let run = &args.run;
    let tables = &run.program;
    refuse(
        "tacit run, when inputs are there",
        [
            Misplaced::new(!run.inputs.is_empty(), "--input", ""),
            Misplaced::new(!run.repeat.is_empty(), "--repeat", ""),
            Misplaced::new(!tables.rows_at_least.is_empty(), "--rows-at-least", ""),
            Misplaced::new(!tables.rows_at_most.is_empty(), "--rows-at-most", ""),
            Misplaced::new(!run.outputs.is_empty(), "--output", ""),
            Misplaced::new(!tables.tables.is_empty(), "--table", ""),
            Misplaced::new(!tables.results.is_empty(), "--result", ""),
            Misplaced::new(run.prepared.is_some(), "--prepared", ""),
        ],
    )?;
    refuse_choice(run)
}

/// One party that prepares.
struct Party<'a> {
    args: &'a PrepareArgs,
    name: &'a str,
    facts: Facts,
}

impl Party<'_> {
    /// Prepares all runs, one after the other, each in keys of its own. `one` prepares one and keeps it; it
    /// gives the bytes of its file, and those that it took.
    fn all(
        self,
        meeting: &mut Meeting,
        one: impl FnMut(&mut Session, &mut Preparation<'_>) -> Result<[u64; 2], EvaluateError>,
    ) -> Result<Prepared, CliError> {
        let Party { args, name, facts } = self;
        let (run, me) = (&args.run, meeting.config.me);
        let configured = run.party_file()?.is_some();
        if let Some(profile) = run.shape(run.protocol.parties())? {
            meeting.config.shape = profile.leaving(me);
        }
        if configured {
            meeting.config.notice = Some(Arc::new(remark));
        }
        let agreed = match triples::are_meant(args) {
            true => [("command", "prepare triples"), ("stored triples", "not used")],
            false => agreed(args.triples.is_some()),
        };
        let (into, runs) = (args.into.as_path(), args.runs);
        let label = &run.path.file_stem().unwrap_or_default().to_string_lossy();
        let last = configured;
        let preparer = Preparer { into, party: name, label, runs, facts, agreed, last };
        let progress = Progress::new(configured || me == PartyId(0));
        if runs > 1 {
            progress.set_length(runs);
        }
        Ok(preparer.all(meeting, &|more| progress.add(more), one)?)
    }
}

/// This party's store of triples, if the arguments name one.
fn triples_of(
    args: &PrepareArgs,
    config: &SessionConfig,
    party: &str,
) -> Result<Option<Store>, CliError> {
    if args.triples.is_some() && !args.run.protocol.authenticates() {
        return Err(CliError::input("--triples is for authenticated:N"));
    }
    let of = |directory: &Path| open_store_in(&args.run, config, (directory, party));
    args.triples.as_deref().map(of).transpose()
}

/// Makes one run's preprocessing, with stored triples if there are any.
fn make(
    triples: Option<&Store>,
    session: &mut Session,
    compiled: &Compiled,
) -> Result<(StoredPreprocessing, engine::Report), EvaluateError> {
    let Some(store) = triples else {
        return engine::prepare(session, compiled, &mut Entropy::system());
    };
    // Triples are spent for what all parties want.
    session.agree(compiled.facts())?;
    let taken = store.take_pieces(session, |facts| TripleJob::fits(facts, compiled));
    let (name, pieces) = taken.map_err(|error| match error {
        EvaluateError::Job(why) => {
            let [triples, bits] = TripleJob::needs(compiled);
            let (protocol, threads) = (compiled.job().protocol(), compiled.job().options.workers);
            EvaluateError::Job(format!(
                "{why}: `tacit prepare triples --protocol {protocol} --threads {threads} --count {triples} \
                 --mask-bits {bits}` makes triples for one run"
            ))
        }
        error => error,
    })?;
    engine::prepare_from_triples(session, compiled, (&name, &|worker| pieces.next(worker)))
}

/// What the parties that ran here stored.
#[derive(Serialize)]
struct PrepareReport {
    triples: bool,
    parties: Vec<Prepared>,
}

impl Report for PrepareReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.parties.first() else { return Ok(()) };
        let Prepared { runs, seconds: spent, bytes_sent, preparation, .. } = first;
        writeln!(
            out,
            "preprocessing of {runs} run(s), preparation {preparation}: {}, {} sent in all",
            seconds(*spent),
            crate::units::bytes(*bytes_sent)
        )?;
        for Prepared { party, bytes, store, .. } in &self.parties {
            let size = crate::units::bytes(*bytes);
            writeln!(out, "{party}: {size} in {}", store.display())?;
        }
        let into = first.store.parent().unwrap_or(&first.store).display();
        match self.triples {
            true => writeln!(out, "use it with `tacit prepare CIRCUIT ... --triples {into}`"),
            false => writeln!(out, "use it with `tacit run ... --prepared {into}`"),
        }
    }
}
