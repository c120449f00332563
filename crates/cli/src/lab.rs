//! `tacit lab`: how long a circuit or program takes on a network that is not here.
//!
//! All parties run as threads on the virtual mesh: the real protocol, real messages, virtual
//! time. Computing costs what it costs here, unless it is left out.

use crate::checks::Checks;
use crate::choice::why;
use crate::circuit::file::ReadArgs;
use crate::error::CliError;
use crate::flags;
use crate::garbling::GarblingArgs;
use crate::output::{Output, Report, remark};
use crate::program::{self, NamedValue};
use crate::progress::Progress;
use crate::ranges::RangeArgs;
use crate::run::{Misplaced, Parties, PreprocessingArg, in_turn, opening, write_links};
use crate::task::Task;
use crate::threat::ThreatArgs;
use crate::units::seconds;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;
use tacit::Choice;
use tacit::runtime::auto::Beside;
use tacit::runtime::{Balancing, Names, Options, Profile, Roles, auto, roles};
use tacit_circuit::Circuit;
use tacit_engine::LinkUse;
use tacit_engine::circuit::{self as engine, Assignment, Blocking, Compiled, FormChoice, Job};
use tacit_engine::program::{
    By, CompiledProgram, Garbling, ProgramJob, ProgramReport, run as run_program,
};
use tacit_engine::protocols::{self, MULTI_FAN_IN};
use tacit_garbling::bmr::Opening;
use tacit_net::memory::{self, Compute, MemoryNetwork};
use tacit_net::{PartyId, Session};
use tacit_planner::{
    Calibration, Free, Network, Setting, Wanted, for_circuit, for_program, orders,
};
use tacit_program::Program;
use tacit_protocol::Security;
use tacit_sharing::Protocol;

/// What `--protocol` takes here.
fn every_protocol() -> String {
    let unasked = protocols::all().filter(|protocol| protocol.for_comparison());
    let unasked: Vec<&str> = unasked.map(Protocol::name).collect();
    let but = match unasked.is_empty() {
        true => String::new(),
        false => format!(", but for those that are there to compare ({})", unasked.join(", ")),
    };
    flags::protocol(&format!(
        "; several with commas between them; or all that fit{but}; or auto: the one that parties of `tacit run` would choose on \
         such links, for --security and --corruptions"
    ))
}

/// Arguments of `tacit lab`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  tacit lab pay-gap.tacit --network global --rows a=2000 --rows b=2000 --rows c=2000
  tacit lab aes.txt --network global --protocol multi-fan-in
  tacit lab sha256.txt --network continental --protocol all --instances 1000
  tacit lab adder.txt --network mynetwork.toml --protocol trio --roles 2,0,1
  tacit lab sort.tacit --network lan --protocol trio --rows n=1000000 --threads 4")]
pub struct LabArgs {
    /// A program, or a circuit
    #[arg(value_name = "PROGRAM|CIRCUIT")]
    path: PathBuf,

    #[arg(long, value_name = "ROWS=NUMBER", help = flags::ROWS)]
    rows: Vec<NamedValue>,

    #[arg(long, value_name = "NETWORK", default_value = "global", help = flags::NETWORK)]
    network: String,

    #[arg(long, default_value = "all", value_name = "all|auto|PROTOCOLS", help = every_protocol())]
    protocol: String,

    #[command(flatten)]
    threat: ThreatArgs,

    #[command(flatten)]
    checks: Checks,

    /// What a program's numbers are computed with [default: rings]
    #[arg(long, value_name = "rings|circuits")]
    by: Option<By>,

    /// How many parties there are, for protocols of any number of them; others have fewer, or as many [default:
    /// those that give inputs]
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<usize>::new().range(2..=64))]
    parties: Option<usize>,

    /// Number of instances of a circuit, all evaluated side by side [default: 1]
    #[arg(long)]
    instances: Option<usize>,

    /// Parties that play roles 0, 1, 2 and so on, by number, or as a program calls them; or several
    /// assignments side by side, such as `0,1,2;2,1,0`; `split` for assignments that use all links
    /// alike, `auto` for what fits the network [default: the assignment with the shortest time]
    #[arg(long, value_name = "PARTIES|split|auto")]
    roles: Option<Roles>,

    /// Divide the products of one assignment of roles between ways to make them, by weight, so that
    /// links which one way leaves idle carry a part: a, b, het (quad, quad-a, quad-het) or straight
    /// (trio, astra), each also with roles 1 and 2 exchanged: a-crossed, b-crossed, het-crossed, crossed.
    /// `auto`: weights that are fastest on the network. For a circuit and a named protocol
    #[arg(long, value_name = "auto|none|a=2,het=1", default_value = "none")]
    balance: Balancing,

    /// Parties that learn the outputs of a circuit; the time is theirs [default: all]
    #[arg(long, value_name = "PARTIES")]
    reveal: Option<String>,

    /// When messages that do not depend on inputs are sent; `separate` times the online phase
    /// alone
    #[arg(long, default_value = "interleaved")]
    preprocessing: PreprocessingArg,

    /// How garbled tables open that parties make together (bmr and its variants) [default: as the
    /// protocol does by itself]
    #[arg(long, value_name = "all|collector|single", value_parser = opening)]
    opening: Option<Opening>,

    #[command(flatten)]
    garbling: GarblingArgs,

    #[command(flatten)]
    ranges: RangeArgs,

    #[arg(long, default_value_t = 1, value_parser = flags::threads(), help = flags::THREADS)]
    threads: usize,

    /// Rows of large arrays of a program that are computed together [default: 1048576, all threads together]
    #[arg(long, value_name = "ROWS")]
    chunk_rows: Option<usize>,

    /// Leave computing out: the network's time alone, the same in every run
    #[arg(long)]
    network_only: bool,

    /// Show bytes by link too
    #[arg(long)]
    links: bool,

    #[command(flatten)]
    read: ReadArgs,
}

#[derive(Serialize)]
struct LabReport {
    network: String,
    description: String,
    /// Why the protocol is what it is, if it was chosen.
    auto: Option<Choice>,
    runs: Vec<Run>,
    #[serde(skip)]
    links: bool,
}

#[derive(Serialize)]
struct Run {
    protocol: String,
    #[serde(skip)]
    security: Security,
    protects_against: String,
    /// Roles of the first assignment, as the report of the engine has them.
    roles: Vec<u8>,
    /// Assignments of roles side by side.
    assignments: usize,
    /// Weights of the ways in which products were made, if there were several.
    balance: Option<String>,
    form: Option<String>,
    /// From when the last party is ready for it to when the last one that learns something has done so.
    seconds: f64,
    /// Before that, where preprocessing comes first: until the last party has done it.
    offline_seconds: f64,
    setup_seconds: f64,
    /// All three.
    total_seconds: f64,
    /// At the party that waits for most.
    rounds: u64,
    total_bytes: u64,
    /// All links, as their senders metered them.
    links: Vec<LinkUse>,
}

/// Runs the command.
pub fn run(args: &LabArgs, output: Output) -> Result<(), CliError> {
    let task = task(args)?;
    let profile = Profile::load(&args.network)?;
    let (mut args, mut auto) = (args.clone(), None);
    if args.protocol == "auto" {
        let (chosen, choice) = chosen(&args, &task, &profile)?;
        (args, auto) = (chosen, Some(choice));
    } else if args.threat.security.is_some() || args.threat.corruptions.is_some() {
        return Err(CliError::input("--security and --corruptions are for --protocol auto"));
    }
    let args = &args;
    let protocols: Vec<Protocol> = match args.protocol.as_str() {
        "all" if !args.balance.is_none() => {
            return Err(CliError::input("--balance is for one protocol: name it with --protocol"));
        }
        "all" => {
            let fits = |protocol: &Protocol| all_can(args, &task, &profile, *protocol);
            // Those that have such checks, where any are asked for.
            let strong = |p: Protocol| args.checks.apply(p).ok();
            let all = task.protocols().filter(|p| !p.for_comparison()).filter_map(strong);
            let all = all.map(|p| p.fitting(args.parties.unwrap_or(task.parties())));
            let all = all.filter(|p| args.parties.is_none_or(|most| p.parties() <= most));
            let mut fitting = Vec::new();
            for protocol in all.filter(fits) {
                match too_large(args, &task, protocol)? {
                    Some(ands) => remark(&format!(
                        "{protocol} left out: circuits of some {ands} ANDs; name it with --protocol to run it"
                    )),
                    None => fitting.push(protocol),
                }
            }
            fitting
        }
        _ if args.parties.is_some() => {
            return Err(CliError::input(
                "--parties is for --protocol all and auto; a protocol's name says it, as in gmw:5",
            ));
        }
        names => names.split(',').map(|name| named(args, name)).collect::<Result<_, _>>()?,
    };
    let (mut runs, progress, all) = (Vec::new(), Progress::new(true), protocols.len());
    for (number, protocol) in (1..).zip(protocols) {
        progress.step(&format!("{protocol}, {number} of {all}"));
        runs.push(best(args, &task, &profile, protocol)?);
    }
    drop(progress);
    // What protects against the same stands together, the fastest first.
    runs.sort_by(|a, b| {
        a.security.cmp(&b.security).then(a.total_seconds.total_cmp(&b.total_seconds))
    });
    let (network, description) = (profile.name.clone(), profile.description.clone());
    output.print(&LabReport { network, description, auto, runs, links: args.links })
}

/// The arguments with the protocol that parties would choose on such a network, with its roles, and what is chosen with it.
fn chosen(args: &LabArgs, task: &Task, profile: &Profile) -> Result<(LabArgs, Choice), CliError> {
    if args.roles.is_some()
        || args.by.is_some()
        || args.chunk_rows.is_some()
        || !args.balance.is_none()
    {
        return Err(CliError::input(
            "--protocol auto chooses roles, what numbers are computed with and how many rows at a time: leave out --roles, \
             --by, --chunk-rows and --balance",
        ));
    }
    let parties = args.parties.unwrap_or(task.parties()).max(2);
    let wanted = args.checks.wanted(args.threat.among(parties)?);
    let protocols = wanted.protocols(parties)?;
    let network = Network::described(parties, |from, to| profile.link(from, to));
    let calibration = match args.network_only {
        true => Calibration::FREE,
        false => auto::this_machine()?,
    };
    let memory_bytes = wanted.memory_bytes;
    let setting = Setting { network: &network, calibration: &calibration, memory_bytes };
    let (estimate, choice) = match task {
        Task::Circuit(circuit) => {
            let in_order = [Assignment::in_order(protocols[0])];
            let job = job(args, circuit, &in_order, FormChoice::Dealer)?.0;
            let (estimate, _, choice) = auto::rank(&setting, wanted, protocols, |setting, it| {
                auto::of_circuit(setting, circuit, &job, it, Beside::NOTHING)
            })?;
            (estimate, choice)
        }
        Task::Program(program) => {
            let names = Names::local(program, protocols[0])?;
            let rows = program::rows(program, &args.rows)?;
            let options = Options {
                threads: args.threads,
                range_check: !args.ranges.no_range_check,
                ..Options::new(protocols[0])
            };
            let (estimate, _, choice) = auto::rank(&setting, wanted, protocols, |setting, it| {
                let options = Options { protocol: it, ..options.clone() };
                auto::of_program(setting, program, &names, &rows, (&options, Beside::NOTHING))
            })?;
            (estimate, choice)
        }
    };
    let roles = roles::written(&estimate.assignments).parse().map_err(CliError::input)?;
    let protocol = estimate.protocol;
    let chosen = LabArgs {
        protocol: protocol.to_string(),
        parties: None,
        roles: protocol.has_roles().then_some(roles),
        by: estimate.by,
        chunk_rows: estimate.chunk_rows,
        ..args.clone()
    };
    Ok((chosen, choice))
}

fn named(args: &LabArgs, name: &str) -> Result<Protocol, CliError> {
    let named = protocols::named(name.trim()).map_err(|e| CliError::input(e.to_string()))?;
    args.checks.apply(named)
}

/// What is to be run.
fn task(args: &LabArgs) -> Result<Task, CliError> {
    let for_programs = [
        Misplaced::new(!args.rows.is_empty(), "--rows", "--instances NUMBER"),
        Misplaced::new(args.by.is_some(), "--by", ""),
        Misplaced::new(args.chunk_rows.is_some(), "--chunk-rows", ""),
        Misplaced::new(args.ranges.no_range_check, "--no-range-check", ""),
    ];
    let for_circuits = [
        Misplaced::new(args.instances.is_some(), "--instances", "--rows ROWS=NUMBER"),
        Misplaced::new(args.reveal.is_some(), "--reveal", program::WHO_LEARNS),
        Misplaced::new(!args.balance.is_none(), "--balance", ""),
    ];
    Task::read(&args.path, &args.read, for_programs, for_circuits)
}

/// The ANDs of a program's circuit under a protocol that garbles, if they are too many to be tried unasked.
fn too_large(args: &LabArgs, task: &Task, protocol: Protocol) -> Result<Option<u64>, CliError> {
    let Task::Program(program) = task else { return Ok(None) };
    let in_order = vec![Assignment::in_order(protocol)];
    let prepared = CompiledProgram::new(program, program_job(args, program, protocol, in_order)?)?;
    Ok(prepared.circuit_ands()?.filter(|ands| *ands > program::MAX_ANDS))
}

/// Whether a protocol has the roles that are named, parties in the network, and runs the task.
fn all_can(args: &LabArgs, task: &Task, profile: &Profile, protocol: Protocol) -> bool {
    let roles = match &args.roles {
        Some(Roles::Given(given)) => given.first().map(|one| one.split(',').count()),
        _ => None,
    };
    let parties = protocol.parties();
    roles.is_none_or(|roles| roles == parties)
        && profile.parties() >= parties
        && task.is_run_by(protocol, args.by, args.preprocessing.into())
}

/// The run with the given roles and forms, or the fastest of all.
fn best(
    args: &LabArgs,
    task: &Task,
    profile: &Profile,
    protocol: Protocol,
) -> Result<Run, CliError> {
    let mut best: Option<Run> = None;
    for roles in assignments(args, task, profile, protocol)? {
        let two = protocol == MULTI_FAN_IN && matches!(task, Task::Circuit(_));
        let forms: &[FormChoice] = match two {
            true => &[FormChoice::Dealer, FormChoice::Symmetric],
            false => &[FormChoice::Dealer],
        };
        for form in forms {
            let run = match task {
                Task::Circuit(circuit) => simulate(args, circuit, profile, &roles, *form)?,
                Task::Program(program) => {
                    let network = virtual_network(args, profile);
                    simulate_program(args, program, &network, protocol, &roles)?
                }
            };
            if best.as_ref().is_none_or(|best| run.total_seconds < best.total_seconds) {
                best = Some(run);
            }
        }
    }
    best.ok_or_else(|| CliError::input("no assignment of roles to try"))
}

/// The assignments of roles to try, each alone or several side by side: all, or those asked for.
fn assignments(
    args: &LabArgs,
    task: &Task,
    profile: &Profile,
    protocol: Protocol,
) -> Result<Vec<Vec<Assignment>>, CliError> {
    let parties = protocol.parties();
    if let (Task::Circuit(circuit), false) = (task, args.balance.is_none()) {
        return Ok(vec![vec![balanced(args, circuit, profile, protocol)?]]);
    }
    match (&args.roles, task) {
        (Some(Roles::Auto), Task::Circuit(circuit)) => {
            let network = Network::described(parties, |from, to| profile.link(from, to));
            let job = job(args, circuit, &[Assignment::in_order(protocol)], FormChoice::Dealer)?.0;
            Ok(vec![for_circuit(&network, circuit, &job, &[protocol], Wanted::Best)?.assignments])
        }
        (Some(Roles::Split), Task::Circuit(circuit)) => {
            let in_order = [Assignment::in_order(protocol)];
            let mut job = job(args, circuit, &in_order, FormChoice::Dealer)?.0;
            roles::split_evenly(&mut job, circuit, &[protocol])?;
            Ok(vec![job.options.assignments])
        }
        (Some(Roles::Auto), Task::Program(program)) => {
            let network = Network::described(parties, |from, to| profile.link(from, to));
            let in_order = vec![Assignment::in_order(protocol)];
            let job = program_job(args, program, protocol, in_order)?;
            let free = Free { roles: true, split: true, by: false, chunk: false };
            Ok(vec![for_program(&network, program, &job, free, &[])?.assignments])
        }
        (Some(Roles::Split), Task::Program(program)) => {
            let in_order = vec![Assignment::in_order(protocol)];
            let mut job = program_job(args, program, protocol, in_order)?;
            roles::split_program_evenly(&mut job, program, &[protocol])?;
            Ok(vec![job.options.assignments])
        }
        (None, _) if !protocol.has_roles() => Ok(vec![vec![Assignment::in_order(protocol)]]),
        (None, _) => {
            let one = |places: Vec<PartyId>| vec![Assignment::new(protocol, places)];
            Ok(orders(parties, parties).into_iter().map(one).collect())
        }
        (given, _) => Ok(vec![roles::named(given.as_ref(), protocol, &task.names(protocol)?)?]),
    }
}

/// The assignment whose balanced products fit the network best.
fn balanced(
    args: &LabArgs,
    circuit: &Circuit,
    profile: &Profile,
    protocol: Protocol,
) -> Result<Assignment, CliError> {
    args.balance.check(protocol, args.roles.as_ref(), &[])?;
    let parties = Parties::numbered(protocol.parties());
    let named = roles::named(args.roles.as_ref(), protocol, &parties)?;
    let network = Network::described(parties.0.len(), |from, to| profile.link(from, to));
    let job = job(args, circuit, &named, FormChoice::Dealer)?.0;
    let roles = args.roles.clone().unwrap_or(Roles::Auto);
    Ok(args.balance.for_circuit(&network, circuit, &job, Some(&roles))?.assignment)
}

/// The job of a circuit, and who learns its outputs.
fn job(
    args: &LabArgs,
    circuit: &Circuit,
    assignments: &[Assignment],
    form: FormChoice,
) -> Result<(Job, Vec<PartyId>), CliError> {
    let protocol = assignments[0].protocol;
    let owners = in_turn(circuit.input_widths().len(), protocol.parties()).collect();
    let receivers = match &args.reveal {
        Some(text) => Parties::numbered(protocol.parties()).list(text)?,
        None => PartyId::all(protocol.parties()).collect(),
    };
    let mut job = Job::new(protocol, owners, vec![receivers.clone(); circuit.output_ports().len()]);
    job.instances = args.instances.unwrap_or(1);
    job.options.workers = args.threads;
    job.options.assignments = assignments.to_vec();
    job.form = form;
    job.options.opening = args.opening.filter(|_| protocol.opens_tables());
    job.options.label_function = args.garbling.label_function.filter(|_| protocol.opens_tables());
    job.options.garbling =
        if protocol.one_garbles() { args.garbling.garbling } else { Garbling::Auto };
    job.options.preprocessing = args.preprocessing.into();
    // Latency is what the lab is about: keep a link's worth of messages under way.
    job.blocking = Blocking { window_bytes: 32 << 20, ..Blocking::default() };
    job.check(circuit)?;
    Ok((job, receivers))
}

fn simulate(
    args: &LabArgs,
    circuit: &Circuit,
    profile: &Profile,
    assignments: &[Assignment],
    form: FormChoice,
) -> Result<Run, CliError> {
    let (job, receivers) = job(args, circuit, assignments, form)?;
    let protocol = job.protocol();
    let (report, rounds) = rehearsed(circuit, &job, &receivers, &virtual_network(args, profile))?;
    Ok(Run {
        protocol: protocol.to_string(),
        security: protocol.security(),
        protects_against: protocol.security().among(protocol.parties()),
        roles: report.assignments[0].roles.clone(),
        assignments: report.assignments.len(),
        balance: report.assignments[0].balance.clone(),
        form: (protocol == MULTI_FAN_IN).then(|| form.name()),
        rounds,
        seconds: report.cost.online_seconds,
        offline_seconds: report.cost.offline_seconds,
        setup_seconds: report.cost.setup_seconds,
        total_seconds: report.cost.total_seconds(),
        total_bytes: report.cost.total_bytes(),
        links: report.cost.links,
    })
}

/// Seconds of parties that are through with their phases at different times: of a phase, from when the last of them
/// begins it until the last one ends it; of the last phase, until the last one of those that learn something does.
struct Phases {
    setup: f64,
    offline: f64,
    online: f64,
}

impl Phases {
    /// From whether each party learns something, and its seconds of set-up, offline and online.
    fn of(parties: impl Iterator<Item = (bool, [f64; 3])>) -> Self {
        let mut ends = [0.0_f64; 3];
        for (learns, seconds) in parties {
            let mut end = 0.0;
            for (phase, seconds) in seconds.into_iter().enumerate() {
                end += seconds;
                if phase < 2 || learns {
                    ends[phase] = ends[phase].max(end);
                }
            }
        }
        let [setup, offline, online] = ends;
        Phases { setup, offline: offline - setup, online: (online - offline).max(0.0) }
    }
}

/// Runs a job on zeros: what a party that learns something reports, with the seconds of all, and the rounds of the
/// one that waits most.
pub fn rehearsed(
    circuit: &Circuit,
    job: &Job,
    receivers: &[PartyId],
    network: &MemoryNetwork,
) -> Result<(engine::Report, u64), CliError> {
    let compiled = Compiled::new(circuit, job.clone())?;
    let reports = engine::rehearse(&compiled, circuit.input_widths(), network)?;
    let rounds = reports.iter().map(|report| report.cost.rounds).max().unwrap_or(0);
    let learns = |report: &engine::Report| receivers.contains(&PartyId(report.party));
    let Phases { setup, offline, online } =
        Phases::of(reports.iter().map(|report| (learns(report), report.cost.seconds())));
    let report = reports.into_iter().find(learns);
    let mut report = report.ok_or_else(|| CliError::input("no party has a result"))?;
    (report.cost.setup_seconds, report.cost.offline_seconds) = (setup, offline);
    report.cost.online_seconds = online;
    Ok((report, rounds))
}

fn virtual_network(args: &LabArgs, profile: &Profile) -> MemoryNetwork {
    let compute = if args.network_only { Compute::Nothing } else { Compute::ThreadCpuTime(1.0) };
    profile.virtual_network().with_compute(compute)
}

fn program_job(
    args: &LabArgs,
    program: &Program,
    protocol: Protocol,
    assignments: Vec<Assignment>,
) -> Result<ProgramJob, CliError> {
    program::check_parties(program, protocol)?;
    let rows = program::rows(program, &args.rows)?;
    let parties = (0..program.parties.len() as u8).map(PartyId).collect();
    let job = ProgramJob {
        by: args.by.unwrap_or(By::of(protocol)),
        // Latency is what the lab is about: all rows in as few rounds as can be.
        chunk_rows: args.chunk_rows.unwrap_or((1 << 20) / args.threads),
        ..ProgramJob::new(protocol, parties, rows)
    };
    let mut job = args.ranges.of(args.garbling.where_it_can(job));
    job.options.workers = args.threads;
    job.options.preprocessing = args.preprocessing.into();
    job.options.opening = args.opening.filter(|_| protocol.opens_tables());
    job.assign(assignments)?;
    Ok(job)
}

/// A program on random inputs within their ranges.
fn simulate_program(
    args: &LabArgs,
    program: &Program,
    network: &MemoryNetwork,
    protocol: Protocol,
    assignments: &[Assignment],
) -> Result<Run, CliError> {
    let job = program_job(args, program, protocol, assignments.to_vec())?;
    let (parties, places) = (job.places().len(), job.places().to_vec());
    let prepared = CompiledProgram::new(program, job)?;
    let party = |mut session: Session| -> Result<ProgramReport, CliError> {
        let inputs = program::random_inputs(program, &prepared.job().rows, session.me())?;
        let outcome = run_program(&mut session, &prepared, inputs, &|_| {})?;
        session.finish()?;
        Ok(outcome.report)
    };
    let reports = memory::run(parties, prepared.job().threads(), network, party);
    let reports: Vec<ProgramReport> = reports.into_iter().collect::<Result<_, _>>()?;
    let Phases { setup, offline, online } =
        Phases::of(reports.iter().map(|report| (true, report.cost.seconds())));
    let links = reports.first().map(|report| report.cost.links.clone()).unwrap_or_default();
    Ok(Run {
        protocol: protocol.to_string(),
        security: protocol.security(),
        protects_against: protocol.security().among(protocol.parties()),
        roles: places.iter().map(|p| p.0).collect(),
        assignments: assignments.len(),
        balance: None,
        form: None,
        rounds: reports.iter().map(|report| report.cost.rounds).max().unwrap_or(0),
        seconds: online,
        offline_seconds: offline,
        setup_seconds: setup,
        total_seconds: setup + offline + online,
        total_bytes: reports.first().map_or(0, |report| report.cost.total_bytes()),
        links,
    })
}

impl Report for LabReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "network {}: {}", self.network, self.description)?;
        if let Some(choice) = &self.auto {
            let parties = self.runs.first().map_or(0, |run| run.roles.len());
            writeln!(out, "{}", why(choice, &Parties::numbered(parties).0))?;
        }
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
        table.set_header([
            "protects against",
            "protocol",
            "roles",
            "set-up",
            "ahead",
            "online",
            "total",
            "MB sent",
            "rounds",
        ]);
        for run in &self.runs {
            let roles: Vec<String> = run.roles.iter().map(u8::to_string).collect();
            let name = match run.form.as_ref().or(run.balance.as_ref()) {
                Some(how) => format!("{} ({how})", run.protocol),
                None => run.protocol.clone(),
            };
            table.add_row([
                run.protects_against.clone(),
                name,
                match run.assignments {
                    1 => roles.join(","),
                    several => format!("{several} assignments"),
                },
                seconds(run.setup_seconds),
                match run.offline_seconds {
                    0.0 => String::new(),
                    offline => seconds(offline),
                },
                seconds(run.seconds),
                seconds(run.total_seconds),
                format!("{:.3}", run.total_bytes as f64 / 1e6),
                run.rounds.to_string(),
            ]);
        }
        writeln!(out, "{table}")?;
        if self.links {
            for run in &self.runs {
                let Parties(names) = Parties::numbered(run.roles.len());
                writeln!(out, "\n{} with roles {:?}", run.protocol, run.roles)?;
                write_links(out, &names, &run.links)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_begin_when_the_last_party_begins_and_end_with_the_last() {
        let early = (true, [1.0, 2.0, 6.0]);
        let late = (true, [1.5, 5.5, 2.5]);
        let nothing_learned = (false, [1.0, 3.0, 100.0]);
        let phases = Phases::of([early, late, nothing_learned].into_iter());
        assert_eq!([phases.setup, phases.offline, phases.online], [1.5, 5.5, 2.5]);
    }
}
