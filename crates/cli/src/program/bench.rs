//! `tacit program bench`: how fast a program is here, on random inputs within their ranges.

use super::args::NamedValue;
use super::show;
use crate::checks::Checks;
use crate::choice::write_auto;
use crate::deadlines::Deadlines;
use crate::error::CliError;
use crate::flags;
use crate::garbling::GarblingArgs;
use crate::local::{self, Child, Transport};
use crate::output::{Output, Report};
use crate::progress::Progress;
use crate::ranges::RangeArgs;
use crate::run::{AUTO, Asked, Misplaced, PreprocessingArg, opening, refuse};
use crate::threat::ThreatArgs;
use crate::units::{bytes, seconds};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime};
use tacit::Choice;
use tacit::runtime::{Names, Options, Profile, Roles, Wanted, auto, program_job};
use tacit::{ByChoice, ChunkChoice};
use tacit_engine::bench::Usage;
use tacit_engine::program::{self as engine, By, CompiledProgram, ProgramJob};
use tacit_engine::protocols;
use tacit_garbling::bmr::Opening;
use tacit_net::{PartyId, Session, SessionConfig, connect};
use tacit_program::clear::Array;
use tacit_program::{Interval, Program, Type};
use tacit_sharing::Protocol;

/// Arguments of `tacit program bench`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  tacit program bench examples/bench/compare.tacit --rows n=1000000
  tacit program bench examples/bench/compare.tacit --rows n=1000000 --roles split --network 1gbit
  tacit program bench examples/bench/sort.tacit --rows n=1000000 --protocol replicated --json
  tacit program bench examples/bench/sort.tacit --rows n=1000 --network global --protocol auto --security malicious")]
pub struct ProgramBenchArgs {
    /// The program
    #[arg(value_name = "PROGRAM")]
    path: PathBuf,

    #[arg(long, value_name = "ROWS=NUMBER", help = flags::ROWS)]
    rows: Vec<NamedValue>,

    #[arg(long = "protocol", default_value = "trio", help = flags::protocol(AUTO), value_name = "PROTOCOL|auto")]
    asked: Asked,

    /// The protocol. Where the parties choose it, one of those that they choose from, until they have.
    #[arg(skip = protocols::TRIO)]
    protocol: Protocol,

    /// What the protocol must do that the parties choose, if they choose it.
    #[arg(skip)]
    wanted: Option<Wanted>,

    #[command(flatten)]
    threat: ThreatArgs,

    #[command(flatten)]
    checks: Checks,

    /// Parties by number that play roles 0, 1, 2 and so on, or several assignments side by side, such as
    /// `0,1,2;2,1,0`; `split` for assignments that use all links alike [default: parties in their order]
    #[arg(long, value_name = "PARTIES|split")]
    roles: Option<Roles>,

    #[arg(long, default_value_t = 1, value_parser = flags::threads(), help = flags::THREADS)]
    threads: usize,

    /// How the parties are connected
    #[arg(long, default_value = "tcp")]
    transport: Transport,

    #[arg(long, value_name = "NETWORK", help = flags::NETWORK)]
    network: Option<String>,

    /// Runs; the median is reported
    #[arg(long, default_value_t = 3)]
    runs: usize,

    /// Rows of large arrays computed together
    #[arg(long, value_name = "ROWS")]
    chunk_rows: Option<usize>,

    /// What numbers are computed with [default: rings, if the protocol has them]
    #[arg(long, value_name = "rings|circuits")]
    by: Option<By>,

    /// When messages that do not depend on inputs are sent; `separate` times the rest alone
    #[arg(long, default_value = "interleaved")]
    preprocessing: PreprocessingArg,

    /// How garbled tables open that parties make together (bmr and its variants) [default: as the
    /// protocol does by itself]
    #[arg(long, value_name = "all|collector|single", value_parser = opening)]
    opening: Option<Opening>,

    #[command(flatten)]
    garbling: GarblingArgs,

    #[command(flatten)]
    deadlines: Deadlines,

    #[command(flatten)]
    ranges: RangeArgs,
}

impl ProgramBenchArgs {
    /// With the protocol that is named, and the checks that are asked for.
    pub fn checked(self) -> Result<Self, CliError> {
        let Asked::Named(named) = self.asked else { return Ok(self) };
        let flags = [
            Misplaced::new(self.threat.security.is_some(), "--security", ""),
            Misplaced::new(self.threat.corruptions.is_some(), "--corruptions", ""),
        ];
        refuse("--protocol auto", flags)?;
        let protocol = self.checks.apply(named)?;
        Ok(ProgramBenchArgs { protocol, ..self })
    }

    /// With what the program's parties choose a protocol by, if they do.
    fn among(&self, program: &Program) -> Result<Self, CliError> {
        let mut args = self.clone();
        if self.asked == Asked::Auto {
            let parties = program.parties.len();
            let wanted = self.checks.wanted(self.threat.among(parties)?);
            args.protocol = wanted.protocols(parties)?[0];
            wanted.check(&args.options())?;
            args.wanted = Some(wanted);
        }
        Ok(args)
    }

    fn options(&self) -> Options {
        let GarblingArgs { garbling, block_ands, label_function } = self.garbling;
        Options {
            by: self.by.map(ByChoice::Given),
            roles: self.roles.clone(),
            threads: self.threads,
            chunk_rows: self.chunk_rows.map(ChunkChoice::Given),
            opening: self.opening,
            garbling,
            block_ands,
            label_function,
            preprocessing: self.preprocessing.into(),
            range_check: !self.ranges.no_range_check,
            ..Options::new(self.protocol)
        }
    }
}

/// Runs the command.
pub fn run(args: &ProgramBenchArgs, output: Output) -> Result<u8, CliError> {
    let program = tacit::Program::read(&args.path)?;
    let args = &args.among(&program)?;
    if let Some(child) = local::from_environment() {
        let bench = |child: Child| party(args, &program, child.me, args.deadlines.of(child.config));
        return Ok(Child::report(child.and_then(bench)));
    }
    let names = names(args, &program)?;
    if args.roles == Some(Roles::Auto) {
        return Err(CliError::input(
            "not supported: roles chosen for measured links in a benchmark of one protocol; say --protocol auto, or use tacit lab",
        ));
    }
    // Wrong arguments are better told here, once.
    job(args, &program, &names)?;
    if args.runs == 0 {
        return Err(CliError::input("--runs is at least one"));
    }
    let profile = args.network.as_deref().map(Profile::load).transpose()?;
    let progress = Progress::new(true);
    let under = match args.wanted {
        Some(wanted) => format!("what is fastest against {}", wanted.threat),
        None => args.protocol.to_string(),
    };
    progress.step(&format!("{} runs of {} under {under}", args.runs, program.name));
    let parties: Vec<Measured> = local::launch(names.session.len(), args.transport)?.results()?;
    drop(progress);
    let last = |f: fn(&Measured) -> f64| parties.iter().map(f).fold(0.0, f64::max);
    let rows =
        program.dims.iter().map(|dim| dim.name.clone()).zip(show::rows(&program, &args.rows)?);
    let (cpu_seconds, rounds) = (
        parties.iter().map(|party| party.cpu_seconds).sum(),
        parties.iter().map(|party| party.rounds).max().unwrap_or(0),
    );
    let peak_rss_bytes = parties.iter().map(|party| party.peak_rss_bytes).max().unwrap_or(0);
    let [seconds, offline_seconds] = [last(|it| it.seconds), last(|it| it.offline_seconds)];
    let [setup_seconds, total_seconds] = [last(|it| it.setup_seconds), last(|it| it.total_seconds)];
    let Some(first) = parties.into_iter().next() else {
        return Err(CliError::input("no party ran"));
    };
    output.print(&Benchmark {
        op: program.name.clone(),
        protocol: first.protocol,
        by: first.by,
        parties: names.session.len() as u64,
        assignments: first.assignments,
        threads: args.threads,
        transport: args.transport,
        network: profile.map(|profile| profile.name),
        rows: rows.collect(),
        runs: args.runs,
        seconds,
        offline_seconds,
        setup_seconds,
        total_seconds,
        cpu_seconds,
        rounds,
        peak_rss_bytes,
        bytes_sent: first.bytes_sent,
        choice: first.choice,
        version: env!("CARGO_PKG_VERSION"),
    })?;
    Ok(0)
}

fn names(args: &ProgramBenchArgs, program: &Program) -> Result<Names, CliError> {
    Ok(Names::local(program, args.protocol)?)
}

fn job(args: &ProgramBenchArgs, program: &Program, names: &Names) -> Result<ProgramJob, CliError> {
    Ok(program_job(&args.options(), program, names, show::rows(program, &args.rows)?)?)
}

/// One party: all runs over one session.
fn party(
    args: &ProgramBenchArgs,
    program: &Program,
    me: PartyId,
    mut config: SessionConfig,
) -> Result<Measured, CliError> {
    let mut longest = Duration::ZERO;
    if let Some(name) = &args.network {
        let profile = Profile::load(name)?;
        longest = longest_delay(&profile, config.parties.len());
        config.shape = profile.leaving(me);
    }
    let names = names(args, program)?;
    let (mut session, job, choice) = match args.wanted {
        None => {
            let job = job(args, program, &names)?;
            config.workers = job.threads();
            (connect(&config)?, job, None)
        }
        Some(wanted) => {
            config.workers = args.threads;
            let mut session = connect(&config)?;
            let rows = show::rows(program, &args.rows)?;
            let how = (&args.options(), wanted, None);
            let (job, choice) = auto::for_program(&mut session, program, &names, &rows, how)?;
            (session, job, Some(choice))
        }
    };
    let prepared = CompiledProgram::new(program, job)?;
    let mut runs = Vec::new();
    for _ in 0..args.runs {
        runs.push(one_run(&mut session, program, &prepared, (me, longest))?);
    }
    session.finish()?;
    runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    let mut median = runs.swap_remove(runs.len() / 2);
    median.peak_rss_bytes = Usage::now().peak_rss_bytes;
    median.choice = choice;
    Ok(median)
}

fn one_run(
    session: &mut Session,
    program: &Program,
    prepared: &CompiledProgram,
    (me, longest): (PartyId, Duration),
) -> Result<Measured, CliError> {
    let inputs = random_inputs(program, &prepared.job().rows, me)?;
    begin_together(session, longest)?;
    let before = Usage::now();
    let outcome = engine::run(session, prepared, inputs, &|_| {})?;
    let usage = Usage::now().since(&before);
    let report = outcome.report;
    let mut bytes_sent: BTreeMap<String, u64> = BTreeMap::new();
    for link in &report.cost.links {
        *bytes_sent.entry(format!("{}->{}", link.from, link.to)).or_default() += link.bytes;
    }
    Ok(Measured {
        seconds: report.cost.online_seconds,
        offline_seconds: report.cost.offline_seconds,
        setup_seconds: report.cost.setup_seconds,
        total_seconds: report.cost.total_seconds(),
        cpu_seconds: usage.user_seconds + usage.system_seconds,
        rounds: report.cost.rounds,
        peak_rss_bytes: 0,
        bytes_sent,
        protocol: report.protocol,
        by: report.by,
        assignments: report.assignments.len(),
        choice: None,
    })
}

/// The delay of the longest link between so many parties.
fn longest_delay(profile: &Profile, parties: usize) -> Duration {
    let all = || PartyId::all(parties);
    let links = all().flat_map(|from| all().map(move |to| (from, to)));
    let links = links.filter(|(from, to)| from != to);
    links.map(|(from, to)| profile.link(from, to).delay).max().unwrap_or_default()
}

/// What parties have to get ready in, beyond the delay of the longest link.
const READY: Duration = Duration::from_millis(5);

/// Lets parties begin at the same time, by the clock of the machine that they share: those who leave a barrier first would wait for
/// messages of the others, as if that belonged to the run.
fn begin_together(session: &mut Session, longest: Duration) -> Result<(), CliError> {
    let now = || SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let here = now().as_nanos() as u64;
    let said = session.publish(&here.to_le_bytes())?;
    let said = said.iter().filter_map(|bytes| Some(u64::from_le_bytes(bytes[..].try_into().ok()?)));
    let latest = said.max().unwrap_or(here);
    let wait = Duration::from_nanos(latest).saturating_sub(now()) + longest + READY;
    // No clock of one machine is further ahead.
    thread::sleep(wait.min(2 * longest + 2 * READY));
    Ok(())
}

/// Random values for the inputs of the program's party of the same number, and the public ones.
pub fn random_inputs(
    program: &Program,
    rows: &[u64],
    me: PartyId,
) -> Result<BTreeMap<String, Array>, CliError> {
    let mut inputs = BTreeMap::new();
    for (number, (id, name, owner)) in program.inputs().enumerate() {
        if owner.is_none_or(|owner| owner.0 == me.0) {
            let ty = &program.body.nodes[id as usize].types[0];
            inputs.insert(name.to_owned(), random(ty, rows, number as u64)?);
        }
    }
    Ok(inputs)
}

/// Values all over the type's interval, of which no two are equal if it has as many: a program may want that of keys. Which ones they
/// are does not change the time.
fn random(ty: &Type, rows: &[u64], seed: u64) -> Result<Array, CliError> {
    let lengths = ty.shape.iter().map(|extent| extent.bound(rows).map(|n| n as usize));
    let shape: Option<Vec<usize>> = lengths.collect();
    let shape = shape.ok_or_else(|| CliError::input("an input has too many elements"))?;
    let Interval { low, high } = ty.interval;
    let span = (high - low) as u128 + 1;
    let common = |mut a: u128, mut b: u128| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // Steps of the golden section, which reach every value once before they come back.
    let step = (span as f64 * 0.618_033_988_75) as u128;
    let step = (step.max(1)..).find(|step| common(*step, span) == 1).unwrap_or(1);
    let first = u128::from(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)) % span;
    let value = |i: usize| low + ((first + i as u128 * step) % span) as i128;
    let len: usize = shape.iter().product();
    Array::from_values(ty.element, shape, (0..len).map(value))
        .map_err(|e| CliError::input(e.to_string()))
}

/// One party's median run.
#[derive(Serialize, Deserialize)]
struct Measured {
    seconds: f64,
    offline_seconds: f64,
    setup_seconds: f64,
    total_seconds: f64,
    cpu_seconds: f64,
    rounds: u64,
    peak_rss_bytes: u64,
    bytes_sent: BTreeMap<String, u64>,
    protocol: String,
    by: String,
    assignments: usize,
    choice: Option<Choice>,
}

/// A benchmark of a program.
#[derive(Serialize)]
struct Benchmark {
    op: String,
    protocol: String,
    by: String,
    parties: u64,
    /// How many assignments of roles run side by side.
    assignments: usize,
    threads: usize,
    transport: Transport,
    network: Option<String>,
    rows: BTreeMap<String, u64>,
    runs: usize,
    /// From the first share to the last revealed value, of the slowest party.
    seconds: f64,
    /// Before that, where preprocessing comes first.
    offline_seconds: f64,
    setup_seconds: f64,
    /// All of it, of the party that takes longest: parts of different parties may add up to more.
    total_seconds: f64,
    cpu_seconds: f64,
    rounds: u64,
    peak_rss_bytes: u64,
    bytes_sent: BTreeMap<String, u64>,
    /// Why the protocol is what it is, if the parties chose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<Choice>,
    version: &'static str,
}

impl Report for Benchmark {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows: Vec<String> =
            self.rows.iter().map(|(dim, rows)| format!(", {dim} = {rows}")).collect();
        let split = match self.assignments {
            1 => String::new(),
            many => format!(", {many} assignments of roles side by side"),
        };
        writeln!(
            out,
            "{} under {} by {}{}{split}, {} thread(s) per party: median of {} runs",
            self.op,
            self.protocol,
            self.by,
            rows.concat(),
            self.threads,
            self.runs
        )?;
        let sent: u64 = self.bytes_sent.values().sum();
        writeln!(
            out,
            "  {} ({} CPU of all parties), {} sent in all, {} rounds, peak memory {} MB",
            seconds(self.seconds),
            seconds(self.cpu_seconds),
            bytes(sent),
            self.rounds,
            self.peak_rss_bytes / 1_000_000
        )?;
        if let Some(choice) = &self.choice {
            write!(out, "  ")?;
            write_auto(choice, out)?;
        }
        if self.offline_seconds > 0.0 {
            writeln!(out, "  after {} of preprocessing", seconds(self.offline_seconds))?;
        }
        if let Some(rows) = self.rows.values().max().filter(|rows| **rows > 0) {
            writeln!(out, "  {:.3} million rows per second", *rows as f64 / self.seconds * 1e-6)?;
        }
        Ok(())
    }
}
