//! `tacit run` of a program.

use super::args::TableArgs;
use super::choice::{self, ByArg, ChunkArg, ProgramChoice};
use super::inputs::{self, Given};
use super::{check, load, results};
use crate::checks::write_soundness;
use crate::error::CliError;
use crate::local::{self, Child};
use crate::meeting::{Failure, Meeting, hold, in_session};
use crate::output::{Output, Report, remark};
use crate::prepare;
use crate::progress::Progress;
use crate::ranges;
use crate::roles::{self, Roles};
use crate::run::{
    Misplaced, Parties, RunArgs, all_written, announce, refuse, seconds, sentence, write_links,
};
use crate::signals;
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use tacit_circuit::spelling;
use tacit_engine::circuit::{FormChoice, Preprocessing};
use tacit_engine::program::{
    self as engine, Outcome, Prepared, ProgramJob, ProgramReport, RolesUse, RowTerms,
};
use tacit_engine::protocols::PLAIN;
use tacit_engine::store::Store;
use tacit_net::{PartyId, Session};
use tacit_program::{self as form, Program};
use tacit_sharing::Protocol;
use zeroize::Zeroizing;

/// Whether a file is a program: by its name, or because it begins like one.
pub fn is_program(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "tacit") {
        return true;
    }
    let mut start = String::new();
    let file = std::fs::File::open(path).map(|file| file.take(1 << 16));
    // What is no text is no program; files that cannot be read are told about later.
    if file.and_then(|mut file| file.read_to_string(&mut start)).is_err() {
        return false;
    }
    let mut lines = start.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines.next().is_some_and(|line| line.starts_with("program "))
}

/// Runs the command.
pub fn run_program(args: &RunArgs, output: Output) -> Result<ExitCode, Failure> {
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let program = load(&args.path)?;
            let names = Names::local(&program, args.protocol)?;
            let mut meeting = Meeting::new(args.deadlines.of(child.config));
            one_party(args, &program, &names, &mut meeting, output.is_json())
        });
        return Ok(Child::report(result));
    }
    let runs = match args.party_file()? {
        None => {
            let program = load_checked(args)?;
            let names = Names::local(&program, args.protocol)?;
            // Wrong arguments are better told here, once.
            check_files(args, &names)?;
            job(args, &program, &names, least_rows(&program))?;
            announce(args.protocol, &names.session, true, program.parties.len());
            local::launch(names.session.len(), args.transport)?.results()?
        }
        Some(path) => hold(args.session(path)?, |meeting| {
            let program = load_checked(args)?;
            let outside = super::takes_outside(args.protocol);
            let parties = args.named(&meeting.config, path, outside)?;
            let names = Names::configured(&program, &parties)?;
            check_own_files(args, &names, meeting.config.me)?;
            announce(args.protocol, &names.session, false, program.parties.len());
            Ok(vec![one_party(args, &program, &names, meeting, output.is_json())?])
        })?,
    };
    // What could not be written is printed with the rest.
    let alone = args.program.prints_alone() && runs.iter().all(|run| run.unwritten.is_none());
    let report = ProgramRuns { trust: sentence(args.protocol), alone, parties: runs };
    output.print_results(&report)?;
    all_written(report.parties.iter().map(|run| &run.unwritten))?;
    Ok(ExitCode::SUCCESS)
}

/// Reads the program, and refuses arguments that do not fit it.
fn load_checked(args: &RunArgs) -> Result<Program, CliError> {
    let program = load(&args.path)?;
    refuse_circuit_arguments(args)?;
    args.ranges.warn(args.protocol);
    if let Some(directory) = &args.prepared {
        prepare::refuse_choice(args)?;
        prepare::check_store(directory)?;
    }
    check::flags(&program, &args.program)?;
    check::results(&program, &args.program)?;
    Ok(program)
}

/// What does in programs what `--reveal` does for circuits.
pub const WHO_LEARNS: &str = "the program, which says who learns what";

/// Refuses flags that are for circuits only.
pub fn refuse_circuit_arguments(args: &RunArgs) -> Result<(), CliError> {
    let other_form = !matches!(args.form, FormChoice::Dealer);
    let tables = "--table PARTY=FILE or --value INPUT=VALUE";
    let flags = [
        Misplaced::new(!args.inputs.is_empty(), "--input", tables),
        Misplaced::new(!args.repeat.is_empty(), "--repeat", ""),
        Misplaced::new(args.instances.is_some(), "--instances", "tables, and --rows-at-most"),
        Misplaced::new(!args.outputs.is_empty(), "--output", "--result PARTY=FILE"),
        Misplaced::new(
            !args.owners.is_empty(),
            "--owner",
            "the program, which says who gives what",
        ),
        Misplaced::new(!args.reveal.is_empty(), "--reveal", WHO_LEARNS),
        Misplaced::new(!args.balance.is_none(), "--balance", ""),
        Misplaced::new(other_form, "--form", ""),
        Misplaced::new(args.blocking().window_bytes > 0, "--window", "--chunk-rows ROWS"),
    ];
    let values = args.style.flags().into_iter().chain(args.read.flags());
    refuse("circuits", flags.into_iter().chain(values))
}

/// Names of the session's parties when all are local: those of the program, and others that only compute.
pub fn local_names(program: &Program, protocol: Protocol) -> Result<Vec<String>, CliError> {
    if !super::takes_outside(protocol) {
        super::check_parties(program, protocol)?;
    }
    let mut names = program.parties.clone();
    names.extend((names.len()..protocol.parties()).map(|i| format!("party{i}")));
    Ok(names)
}

/// Who is who: parties of the program and of the session.
pub struct Names {
    /// Of the session's parties.
    pub session: Vec<String>,
    /// The session's party that each party of the program is.
    parties: Vec<PartyId>,
}

impl Names {
    /// Locally, the program's first party is party 0, and so on.
    pub fn local(program: &Program, protocol: Protocol) -> Result<Self, CliError> {
        let session = local_names(program, protocol)?;
        let parties = (0..program.parties.len() as u8).map(PartyId).collect();
        Ok(Names { session, parties })
    }

    /// Otherwise parties are told by name.
    pub fn configured(program: &Program, parties: &Parties) -> Result<Self, CliError> {
        let find = |name: &String| {
            let found = parties.0.iter().position(|known| known == name);
            found.map(|i| PartyId(i as u8)).ok_or_else(|| {
                let hint = parties.hint(name);
                CliError::input(format!(
                    "the program's party `{name}` is none of {}{hint}; use the same names in the \
                     program and in the configuration (`tacit party show`)",
                    parties.0.join(", ")
                ))
            })
        };
        let found = program.parties.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Names { session: parties.0.clone(), parties: found })
    }

    /// Whether a file named for `party` is that of party `me`.
    fn is(&self, party: &Option<String>, me: PartyId, alone: bool) -> Result<bool, CliError> {
        let Some(name) = party else {
            return if alone {
                Ok(true)
            } else {
                Err(CliError::input("with --local, say whose file it is: PARTY=FILE"))
            };
        };
        let by_name = self.session.iter().position(|known| known == name);
        let found = by_name.or_else(|| name.parse().ok().filter(|n| *n < self.session.len()));
        let found = found.ok_or_else(|| {
            let known = self.session.join(", ");
            let hint = spelling::hint(name, self.session.iter().map(String::as_str));
            CliError::input(format!("there is no party `{name}`: choose from {known}{hint}"))
        })?;
        Ok(found == me.index())
    }

    /// The program's party that `me` is.
    fn own(&self, me: PartyId) -> Option<form::PartyId> {
        let own = self.parties.iter().position(|party| *party == me);
        own.map(|party| form::PartyId(party as u8))
    }
}

/// Checks that every file is somebody's.
fn check_files(args: &RunArgs, names: &Names) -> Result<(), CliError> {
    let TableArgs { tables, schemas, results, .. } = &args.program;
    // A schema of nobody serves all.
    let own = schemas.iter().filter(|schema| schema.party.is_some());
    for file in tables.iter().chain(own).chain(results) {
        names.is(&file.party, PartyId(0), false)?;
    }
    for file in tables.iter().chain(schemas) {
        std::fs::metadata(&file.path).map_err(|e| CliError::file(&file.path, &e))?;
    }
    Ok(())
}

/// One party alone takes and writes its own files only.
fn check_own_files(args: &RunArgs, names: &Names, me: PartyId) -> Result<(), CliError> {
    let TableArgs { tables, schemas, results, .. } = &args.program;
    for file in tables.iter().chain(schemas).chain(results) {
        if !names.is(&file.party, me, true)? {
            let own = &names.session[me.index()];
            let path = file.path.display();
            return Err(CliError::input(format!(
                "{path} is named for another party; this is {own}, who gives its own files only"
            )));
        }
    }
    Ok(())
}

/// The job that the arguments describe.
pub fn job(
    args: &RunArgs,
    program: &Program,
    names: &Names,
    rows: Vec<u64>,
) -> Result<ProgramJob, CliError> {
    let job = ProgramJob {
        by: ByArg::or_usual(args.by, args.protocol),
        workers: args.threads,
        stored: args.prepared.is_some(),
        preprocessing: match args.prepared {
            Some(_) => Preprocessing::Separate,
            None => args.preprocessing.into(),
        },
        chunk_rows: ChunkArg::or_usual(args.program.chunk_rows),
        opening: args.opening,
        ..ProgramJob::new(args.protocol, names.parties.clone(), rows)
    };
    let mut job = args.ranges.of(args.garbling.of(job));
    let parties = Parties(names.session.clone());
    job.assign(roles::named(args.roles.as_ref(), args.protocol, &parties)?)?;
    if args.roles == Some(Roles::Split) {
        let protocols = roles::eligible(args.protocol, &args.mix);
        roles::split_program_evenly(&mut job, program, &protocols)?;
    }
    job.check(program)?;
    Ok(job)
}

/// Runs one party to the end: reads its inputs, computes, delivers what it learns.
fn one_party(
    args: &RunArgs,
    program: &Program,
    names: &Names,
    meeting: &mut Meeting,
    json: bool,
) -> Result<ProgramRun, CliError> {
    let me = meeting.config.me;
    let configured = args.party_file()?.is_some();
    if let Some(profile) = args.shape(names.session.len())? {
        meeting.config.shape = profile.leaving(me);
    }
    let is_me = |party: &Option<String>| names.is(party, me, configured);
    let mut given = inputs::public(program, &args.program)?;
    if let Some(own) = names.own(me) {
        let Given { inputs, rows } = inputs::of_party(program, &args.program, own, &is_me)?;
        engine::check_own_rows(program, &rows)?;
        given.inputs.extend(inputs);
        given.rows = rows;
    }
    if configured {
        meeting.config.notice = Some(Arc::new(remark));
    }
    meeting.config.workers = workers(args, program, names)?;
    let store = prepare::open_store(args, &meeting.config, &names.session[me.index()])?;
    let progress = Progress::new(configured || me == PartyId(0));
    let mut session = meeting.connect()?;
    let Done { outcome, choice, stored } = in_session(&mut session, |session| {
        compute(args, program, names, session, (given, store, &progress))
    })?;
    session.finish()?;
    drop(progress);
    signals::opened();
    let (printed, unwritten) = deliver(args, program, &is_me, &outcome.revealed?, json)?;
    let (report, warnings) = (outcome.report, outcome.warnings);
    let names = names.session.clone();
    Ok(ProgramRun { names, report, choice, stored, warnings, printed, unwritten })
}

/// What a party has after the session.
struct Done {
    outcome: Outcome,
    choice: Option<ProgramChoice>,
    stored: Option<String>,
}

/// What the parties do together.
fn compute(
    args: &RunArgs,
    program: &Program,
    names: &Names,
    session: &mut Session,
    (given, store, progress): (Given, Option<Store>, &Progress),
) -> Result<Done, CliError> {
    let me = session.me();
    let terms = RowTerms { own: given.rows, bounds: check::bounds(&args.program) };
    let rows = engine::agree_rows(session, program, &terms)?;
    let mut job = job(args, program, names, rows)?;
    let choice = choice::for_links(session, program, &mut job, args)?;
    let prepared = Prepared::new(program, job)?;
    progress.set_length(prepared.streamed_rows());
    let count = |rows| progress.add(rows);
    let mut stored = None;
    let outcome = match store {
        None => engine::run(session, &prepared, given.inputs, &count),
        Some(store) => {
            engine::check_storable(&prepared)?;
            engine::check_inputs(&prepared, me, &given.inputs)?;
            let facts = engine::facts(&prepared, &given.inputs);
            let facts: Vec<(&str, String)> =
                facts.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
            let taken = store.take(session, &facts);
            let (name, ready) =
                taken.inspect_err(|e| session.abort(e.abort_kind(), prepare::UNUSABLE))?;
            let ready = (stored.insert(name).as_str(), ready);
            engine::run_prepared(session, &prepared, given.inputs, ready, &count)
        }
    };
    Ok(Done { outcome: outcome?, choice, stored })
}

/// The fewest rows that a program may have: for what does not depend on how many there are.
fn least_rows(program: &Program) -> Vec<u64> {
    program.dims.iter().map(|dim| dim.min).collect()
}

/// Meshes of a session: of as many assignments of roles as may be chosen.
fn workers(args: &RunArgs, program: &Program, names: &Names) -> Result<usize, CliError> {
    match args.roles {
        Some(Roles::Auto) if args.protocol.has_roles() && args.protocol != PLAIN => {
            Ok(args.threads.saturating_mul(roles::most(args.protocol.parties())))
        }
        _ => Ok(job(args, program, names, least_rows(program))?.threads()),
    }
}

/// Writes this party's result files. Returns the text to print if there is none, or if one cannot be written,
/// and why not.
fn deliver(
    args: &RunArgs,
    program: &Program,
    is_me: &dyn Fn(&Option<String>) -> Result<bool, CliError>,
    revealed: &[(String, form::clear::Array)],
    json: bool,
) -> Result<(Option<Zeroizing<String>>, Option<String>), CliError> {
    let (mut written, mut unwritten, alone) = (false, None, args.program.prints_alone());
    let mut prints = !alone;
    for file in &args.program.results {
        match (is_me(&file.party)?, file.is_standard_output()) {
            (true, true) => prints = true,
            (true, false) => match results::write(program, &file.path, revealed) {
                Ok(()) => written = true,
                Err(error) => unwritten = Some(error.message),
            },
            (false, _) => {}
        }
    }
    let done = if alone { !prints } else { written };
    if revealed.is_empty() || (done && unwritten.is_none()) {
        return Ok((None, unwritten));
    }
    Ok((Some(results::text(program, &args.program, revealed, json)?), unwritten))
}

/// One party's run. No `Debug`: it holds opened values.
#[derive(Serialize, Deserialize)]
struct ProgramRun {
    /// Names of all parties.
    names: Vec<String>,
    /// What it cost.
    report: ProgramReport,
    /// Why roles and form are as they are, if they were chosen.
    choice: Option<ProgramChoice>,
    /// The stored preprocessing that it used.
    stored: Option<String>,
    /// Under `plain`: where values left their ranges.
    warnings: Vec<String>,
    /// Results to print, if no file was asked for, or one cannot be written.
    printed: Option<Zeroizing<String>>,
    /// Why a result file is not written.
    unwritten: Option<String>,
}

/// The run of one party, or of all local ones.
#[derive(Serialize)]
struct ProgramRuns {
    /// What the protocol protects against.
    trust: String,
    /// Whether results are all that is printed.
    #[serde(skip)]
    alone: bool,
    #[serde(serialize_with = "with_results")]
    parties: Vec<ProgramRun>,
}

/// Results as JSON rather than as text.
fn with_results<S: Serializer>(runs: &[ProgramRun], serializer: S) -> Result<S::Ok, S::Error> {
    let run = |run: &ProgramRun| {
        let results = run.printed.as_ref().map(|text| results::parsed(text));
        serde_json::json!({
            "name": run.names[usize::from(run.report.party)],
            "results": results,
            "choice": run.choice,
            "stored": run.stored,
            "warnings": run.warnings,
            "report": run.report,
        })
    };
    serializer.collect_seq(runs.iter().map(run))
}

impl Report for ProgramRuns {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.alone {
            self.write_results(out)?;
        }
        for warning in self.parties.iter().flat_map(|run| &run.warnings) {
            writeln!(out, "warning: {warning}: under a protocol results would be wrong")?;
        }
        let Some(first) = self.parties.first() else { return Ok(()) };
        write_cost(out, first)?;
        if self.parties.len() > 1 {
            let rounds = |run: &ProgramRun| {
                format!("{} {}", run.names[usize::from(run.report.party)], run.report.rounds)
            };
            let rounds: Vec<String> = self.parties.iter().map(rounds).collect();
            writeln!(out, "rounds waited for, by party: {}", rounds.join(", "))?;
        }
        Ok(())
    }

    fn data(&self) -> Option<&[u8]> {
        let text = self.parties.iter().find_map(|run| run.printed.as_ref());
        self.alone.then(|| text.map_or(&[][..], |text| text.as_bytes()))
    }
}

impl ProgramRuns {
    /// Writes what the parties learned: the same results once, with the names of those who
    /// learned them.
    fn write_results(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut learned: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for run in &self.parties {
            if let Some(text) = &run.printed {
                let name = &run.names[usize::from(run.report.party)];
                learned.entry(text.as_str()).or_default().push(name);
            }
        }
        for (text, names) in learned {
            writeln!(out, "{} learned:", names.join(", "))?;
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

fn write_cost(out: &mut dyn Write, run: &ProgramRun) -> io::Result<()> {
    let ProgramRun { names, report, choice, stored, .. } = run;
    let name = |party: &u8| names[usize::from(*party)].as_str();
    let rows: Vec<String> =
        report.rows.iter().map(|(dim, rows)| format!("{dim} = {rows}")).collect();
    let rows = if rows.is_empty() { String::new() } else { format!(", {}", rows.join(", ")) };
    let (protocol, by) = (&report.protocol, &report.by);
    match &report.assignments[..] {
        [_] => {
            let roles = roles::names(&report.roles, names);
            writeln!(out, "\n{protocol} by {by} with roles {roles}{rows}")?;
        }
        all => {
            writeln!(out, "\n{} assignments of roles side by side, by {by}{rows}:", all.len())?;
            let sum: u32 = all.iter().map(|it| it.weight).sum();
            for RolesUse { protocol, roles, weight, .. } in all {
                let part = 100.0 * f64::from(*weight) / f64::from(sum);
                let roles = roles::names(roles, names);
                writeln!(out, "  {protocol} with roles {roles}: {part:.0} % of rows")?;
            }
        }
    }
    let least = report.assignments.iter().filter_map(|one| one.soundness_bits);
    write_soundness(out, least.min_by(f64::total_cmp))?;
    if report.ranges_checked == Some(false) {
        writeln!(out, "warning: {}", ranges::UNCHECKED)?;
    }
    if let Some(choice) = choice {
        choice.write(out)?;
    }
    if let Some(name) = stored {
        writeln!(out, "with stored preprocessing {name}")?;
    }
    let ahead = match report.offline_seconds {
        0.0 => String::new(),
        offline => format!("{} preprocessing, ", seconds(offline)),
    };
    writeln!(
        out,
        "took {} setup, {ahead}{} computing; {} sent in all; {} waited for {} rounds (predicted {})",
        seconds(report.setup_seconds),
        seconds(report.online_seconds),
        bytes(report.total_bytes()),
        name(&report.party),
        report.rounds,
        report.predicted_rounds
    )?;
    write_links(out, names, &report.links)
}

/// A number of bytes with a fitting unit.
pub fn bytes(bytes: u64) -> String {
    match bytes {
        b if b >= 10_000_000_000 => format!("{:.1} GB", b as f64 * 1e-9),
        b if b >= 10_000_000 => format!("{:.1} MB", b as f64 * 1e-6),
        b if b >= 10_000 => format!("{:.1} kB", b as f64 * 1e-3),
        b => format!("{b} bytes"),
    }
}
