//! `tacit run` of a program.

use super::args::TableArgs;
use super::{check, disclosed, results};
use crate::checks::write_soundness;
use crate::choice::{write_auto, write_candidates, write_choice};
use crate::error::{CliError, ErrorKind};
use crate::local::{self, Child};
use crate::meeting::{self, Failure, hold};
use crate::output::{Output, Report, remark};
use crate::progress::Progress;
use crate::ranges;
use crate::run::{
    Misplaced, Parties, RunArgs, all_written, announce_run, open_store, refuse, refuse_choice,
    sentence, write_waits,
};
use crate::signals;
use crate::units::{bytes, seconds};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use tacit::runtime::{
    self, Given, Meeting, Names, ProgramChoice, ProgramDone, least_rows, program_job, roles,
    takes_outside,
};
use tacit::{Choice, Program, protocols};
use tacit_circuit::spelling;
use tacit_engine::circuit::FormChoice;
use tacit_engine::program::{self as engine, ProgramReport, RolesUse};
use tacit_net::PartyId;
use tacit_program as form;
use tacit_query::explain::Explained;
use zeroize::Zeroizing;

/// Whether a file is a program: by its name, or because it begins like one.
pub fn is_program(path: &Path) -> bool {
    if path.extension().is_some_and(|extension| extension == "tacit" || extension == "sql") {
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
pub fn run_program(args: &RunArgs, output: Output) -> Result<u8, Failure> {
    if let Some(child) = local::from_environment() {
        let result = child.and_then(|child| {
            let program = Program::read(&args.path)?;
            let args = &args.among(local_parties(&program))?;
            let names = Names::local(&program, args.protocol)?;
            let mut meeting = meeting::of(args.deadlines.of(child.config));
            one_party(args, &program, &names, &mut meeting, output.is_json())
        });
        return Ok(Child::report(result));
    }
    let runs = match args.party_file()? {
        None => {
            let program = load_checked(args)?;
            let args = &args.among(local_parties(&program))?;
            let names = Names::local(&program, args.protocol)?;
            // Wrong arguments are better told here, once.
            check_files(args, &names)?;
            program_job(&args.options(), &program, &names, least_rows(&program))?;
            announce_run(args, &Parties(names.session.clone()), true, program.parties.len());
            disclosed::announce(&program);
            local::launch(names.session.len(), args.transport)?.results()?
        }
        Some(path) => {
            let (config, args) = args.session(path)?;
            hold(config, |meeting| {
                let program = load_checked(&args)?;
                let args = &args.among(meeting.config.parties.len())?;
                let outside = takes_outside(args.protocol);
                let parties = args.named(&meeting.config, path, outside)?;
                let names = Names::configured(&program, &parties)?;
                check_own_files(args, &names, meeting.config.me)?;
                announce_run(args, &parties, false, program.parties.len());
                disclosed::announce(&program);
                Ok(vec![one_party(args, &program, &names, meeting, output.is_json())?])
            })?
        }
    };
    // What could not be written is printed with the rest.
    let alone = args.program.prints_alone() && runs.iter().all(|run| run.unwritten.is_none());
    // What the parties have chosen, if they have.
    let used = runs.first().and_then(|run| protocols::named(&run.report.protocol).ok());
    let trust = sentence(used.unwrap_or(args.protocol));
    let report = ProgramRuns { trust, alone, explain: args.explain, parties: runs };
    output.print_results(&report)?;
    all_written(report.parties.iter().map(|run| &run.unwritten))?;
    Ok(0)
}

/// How many parties there are when all are local: those of the program, or two.
fn local_parties(program: &Program) -> usize {
    program.parties.len().max(2)
}

/// Reads the program, and refuses arguments that do not fit it.
fn load_checked(args: &RunArgs) -> Result<Program, CliError> {
    let program = Program::read(&args.path)?;
    refuse_circuit_arguments(args)?;
    args.ranges.warn(args.protocol);
    if let Some(directory) = &args.prepared {
        refuse_choice(args)?;
        runtime::check_store(directory)?;
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
        Misplaced::new(args.options().window_bytes > 0, "--window", "--chunk-rows ROWS"),
    ];
    let values = args.style.flags().into_iter().chain(args.read.flags());
    refuse("circuits", flags.into_iter().chain(values))
}

/// Whether a file named for `party` is that of party `me`.
fn is(names: &Names, party: &Option<String>, me: PartyId, alone: bool) -> Result<bool, CliError> {
    let Some(name) = party else {
        return if alone {
            Ok(true)
        } else {
            Err(CliError::input("with --local, say whose file it is: PARTY=FILE"))
        };
    };
    let by_name = names.session.iter().position(|known| known == name);
    let found = by_name.or_else(|| name.parse().ok().filter(|n| *n < names.session.len()));
    let found = found.ok_or_else(|| {
        let known = names.session.join(", ");
        let hint = spelling::hint(name, names.session.iter().map(String::as_str));
        CliError::input(format!("there is no party `{name}`: choose from {known}{hint}"))
    })?;
    Ok(found == me.index())
}

/// Checks that every file is somebody's.
fn check_files(args: &RunArgs, names: &Names) -> Result<(), CliError> {
    let TableArgs { tables, schemas, results, .. } = &args.program;
    // A schema of nobody serves all.
    let own = schemas.iter().filter(|schema| schema.party.is_some());
    for file in tables.iter().chain(own).chain(results) {
        is(names, &file.party, PartyId(0), false)?;
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
        if !is(names, &file.party, me, true)? {
            let own = &names.session[me.index()];
            let path = file.path.display();
            return Err(CliError::input(format!(
                "{path} is named for another party; this is {own}, who gives its own files only"
            )));
        }
    }
    Ok(())
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
    let is_me = |party: &Option<String>| is(names, party, me, configured);
    let sources = args.program.sources(&is_me)?;
    let mut given = sources.public(program)?;
    if let Some(own) = names.own(me) {
        let Given { inputs, rows } = sources.of_party(program, own)?;
        engine::check_own_rows(program, &rows)?;
        given.inputs.extend(inputs);
        given.rows = rows;
    }
    if configured {
        meeting.config.notice = Some(Arc::new(remark));
    }
    let (options, bounds) = (args.options(), check::bounds(&args.program));
    let wanted = args.wanted;
    let gate = None;
    let run = runtime::ProgramRun { program, names, options: &options, wanted, bounds, gate };
    meeting.config.workers = run.workers()?;
    let store = open_store(args, &meeting.config, &names.session[me.index()])?;
    let progress = Progress::new(configured || me == PartyId(0));
    let ProgramDone { outcome, choice, auto, stored } = run
        .with_others(meeting, given, store, &progress)
        .map_err(|e| checked(program, e.into()))?;
    drop(progress);
    signals::opened();
    let (printed, unwritten) = deliver(args, program, &is_me, &outcome.revealed?, json)?;
    let (report, warnings) = (outcome.report, outcome.warnings);
    let names = names.session.clone();
    Ok(ProgramRun { names, report, choice, auto, stored, warnings, printed, unwritten })
}

/// What a check that failed means in a query.
fn checked(program: &Program, error: CliError) -> CliError {
    let query = program.disclosed().filter(|_| error.kind == ErrorKind::Check);
    let Some(Explained { checked, .. }) = query.filter(|it| !it.checked.is_empty()) else {
        return error;
    };
    let message = format!(
        "{}. This query checks {}: whose rows these are must look for values that repeat",
        error.message,
        checked.join(", and ")
    );
    CliError { message, ..error }
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
    /// Why the protocol is what it is, if the parties chose it.
    auto: Option<Choice>,
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
    /// Whether all candidates are shown that the protocol was chosen from.
    #[serde(skip)]
    explain: bool,
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
            "auto": run.auto,
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
        if let Some(choice) = first.auto.as_ref().filter(|_| self.explain) {
            write_candidates(choice, &first.names, out)?;
        }
        write_cost(out, first)?;
        if self.parties.len() > 1 {
            let rounds = |run: &ProgramRun| {
                format!("{} {}", run.names[usize::from(run.report.party)], run.report.cost.rounds)
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
    let ProgramRun { names, report, choice, auto, stored, .. } = run;
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
        write_choice(choice, out)?;
    }
    if let Some(choice) = auto {
        write_auto(choice, out)?;
    }
    if let Some(name) = stored {
        writeln!(out, "with stored preprocessing {name}")?;
    }
    let cost = &report.cost;
    let ahead = match cost.offline_seconds {
        0.0 => String::new(),
        offline => format!("{} preprocessing, ", seconds(offline)),
    };
    let (set_up, computing) = (seconds(cost.setup_seconds), seconds(cost.online_seconds));
    let sent = bytes(cost.total_bytes());
    write!(out, "took {set_up} setup, {ahead}{computing} computing; {sent} sent in all; ")?;
    write_waits(out, names, report.party, cost)
}
