//! One party's run.

use super::args::RunArgs;
use super::instances;
use super::report::{PartyRun, Printed};
use super::stored::{open_store, refuse_choice};
use crate::error::CliError;
use crate::output::remark;
use crate::ports::{self, PortFile};
use crate::progress::Progress;
use crate::signals;
use std::num::NonZeroUsize;
use std::sync::Arc;
use tacit::runtime::{
    CircuitDone, CircuitRun, Meeting, Parties, check_store, circuit_job, in_turn,
};
use tacit_circuit::Circuit;
use tacit_engine::circuit::Job;
use tacit_engine::values::{Format, Lanes, format_outputs};
use tacit_net::PartyId;
use zeroize::Zeroizing;

/// The job that the arguments describe, for one instance unless they say how many.
pub fn job(args: &RunArgs, circuit: &Circuit, parties: &Parties) -> Result<Job, CliError> {
    let ports = circuit.input_widths().len();
    let mut owners: Vec<PartyId> = in_turn(ports, parties.0.len()).collect();
    for given in &args.owners {
        let [name] = &given.parties[..] else {
            return Err(CliError::input("an input port has one owner: --owner 0=alice"));
        };
        let port = given.port.ok_or_else(|| CliError::input("write --owner PORT=PARTY"))?;
        let party = parties.find(name)?;
        *owners.get_mut(port).ok_or_else(|| {
            CliError::input(format!(
                "--owner: there is no input port {port}: the circuit has {ports}"
            ))
        })? = party;
    }
    let outputs = circuit.output_ports().len();
    let everybody: Vec<PartyId> = PartyId::all(parties.0.len()).collect();
    let mut receivers = vec![everybody; outputs];
    for given in &args.reveal {
        let learn: Vec<PartyId> =
            given.parties.iter().map(|name| parties.find(name)).collect::<Result<_, _>>()?;
        match given.port {
            None => receivers.fill(learn),
            Some(port) => {
                *receivers.get_mut(port).ok_or_else(|| {
                    CliError::input(format!(
                        "--reveal: there is no output port {port}: the circuit has {outputs}"
                    ))
                })? = learn;
            }
        }
    }
    let instances = args.instances.map_or(1, NonZeroUsize::get);
    Ok(circuit_job(&args.options(), circuit, parties, (owners, receivers), instances)?)
}

/// Checks the arguments of one party, or of all local ones.
pub fn check(
    args: &RunArgs,
    circuit: &Circuit,
    parties: &Parties,
    me: Option<PartyId>,
) -> Result<Job, CliError> {
    let job = job(args, circuit, parties)?;
    let out_ports = args.style.output_ports(circuit)?;
    ports::check_output_files(&args.outputs, &out_ports, args.style.format())?;
    ports::check_input_files(&args.inputs, circuit.input_widths().len())?;
    check_receivers(args, &job, me)?;
    instances::check(args, &job, me)?;
    check_standard_input(args, me)?;
    let store = args.prepared.as_deref();
    if let Some(directory) = store {
        refuse_choice(args)?;
        check_store(directory)?;
    }
    args.shape(args.protocol.parties())?;
    for (port, owner) in job.owners.iter().enumerate() {
        let given = args.inputs.iter().any(|file| file.ports.contains(&port));
        let mine = me.is_none_or(|me| me == *owner);
        let (name, width) = (&parties.0[owner.index()], circuit.input_widths()[port]);
        if mine && !given && width > 0 {
            return Err(CliError::input(format!(
                "input port {port} ({width} bits) is {name}'s, but has no values; \
                 add --input {port}=FILE"
            )));
        }
        if !mine && given {
            return Err(CliError::input(format!(
                "input port {port} is {name}'s: only {name} gives --input {port}=FILE \
                 (or name another owner with --owner, at all parties)"
            )));
        }
    }
    Ok(job)
}

/// Refuses output files for ports that the writing party does not learn.
fn check_receivers(args: &RunArgs, job: &Job, me: Option<PartyId>) -> Result<(), CliError> {
    for file in &args.outputs {
        let writes = match me {
            Some(me) => learns_all(job, file, me),
            None => writer(job, file).is_some(),
        };
        if !writes {
            return Err(CliError::input(format!(
                "output ports {:?} are not revealed to a party that could write {}; see --reveal",
                file.ports,
                file.path.display()
            )));
        }
    }
    Ok(())
}

/// Which local party writes an output file: the first that learns all its ports.
fn writer(job: &Job, file: &PortFile) -> Option<PartyId> {
    PartyId::all(job.protocol().parties()).find(|party| learns_all(job, file, *party))
}

fn learns_all(job: &Job, file: &PortFile, party: PartyId) -> bool {
    file.ports.iter().all(|port| job.receivers[*port].contains(&party))
}

/// Local parties are processes of their own, which this one's standard input does not reach.
fn check_standard_input(args: &RunArgs, me: Option<PartyId>) -> Result<(), CliError> {
    if me.is_none() && args.inputs.iter().any(PortFile::is_standard_stream) {
        return Err(CliError::input(
            "with --local, inputs cannot come from standard input: write them to a file, and \
             give its name instead of `-`",
        ));
    }
    Ok(())
}

/// Runs one party to the end: reads its inputs, evaluates, writes what it learns.
pub fn evaluate(
    args: &RunArgs,
    circuit: &Circuit,
    parties: &Parties,
    meeting: &mut Meeting,
    json: bool,
) -> Result<PartyRun, CliError> {
    let me = meeting.config.me;
    let configured = args.party_file()?.is_some();
    let job = check(args, circuit, parties, configured.then_some(me))?;
    if let Some(profile) = args.shape(args.protocol.parties())? {
        meeting.config.shape = profile.leaving(me);
    }
    let values = own_values(args, circuit, &job, me)?;
    let consent = instances::consent(args, circuit, &values)?;
    if configured {
        meeting.config.notice = Some(Arc::new(remark));
    }
    let options = args.options();
    let (names, wanted) = (&parties.0[..], args.wanted);
    let run = CircuitRun { circuit, names, options: &options, wanted, job, consent };
    meeting.config.workers = run.workers()?;
    let store = open_store(args, &meeting.config, &parties.0[me.index()])?;
    let progress = Progress::new(configured || me == PartyId(0));
    let CircuitDone { job, result, choice, auto, stored } =
        run.with_others(meeting, values, store, &progress)?;
    drop(progress);
    signals::opened();
    let writes = |file: &&PortFile| configured || writer(&job, file) == Some(me);
    let written: Vec<PortFile> = args.outputs.iter().filter(writes).cloned().collect();
    let (printed, unwritten) = deliver(args, circuit, &written, &result.outputs, json)?;
    let (names, report) = (parties.0.clone(), result.report);
    Ok(PartyRun { names, report, roles: choice, auto, stored, printed, unwritten })
}

/// Values of the ports that this party owns.
fn own_values(
    args: &RunArgs,
    circuit: &Circuit,
    job: &Job,
    me: PartyId,
) -> Result<Vec<Option<Lanes>>, CliError> {
    let specs = args.style.input_ports(circuit)?;
    let is_mine = |port: &usize| job.owners.get(*port) == Some(&me);
    let mine: Vec<_> =
        args.inputs.iter().filter(|file| file.ports.iter().any(is_mine)).cloned().collect();
    let mut values = ports::read_ports(&mine, &specs, args.style.format())?;
    for (port, value) in values.iter_mut().enumerate() {
        if !is_mine(&port) {
            *value = None;
        } else if value.is_none() {
            *value = Some(Lanes::from_bits(Vec::new(), 1));
        }
    }
    Ok(values)
}

/// Writes the output files that are this party's. Returns what to print if none was asked for at all, or if
/// one cannot be written, and why not.
fn deliver(
    args: &RunArgs,
    circuit: &Circuit,
    written: &[PortFile],
    outputs: &[Option<Lanes>],
    json: bool,
) -> Result<(Option<Printed>, Option<String>), CliError> {
    let specs = args.style.output_ports(circuit)?;
    let mut unwritten = None;
    if !args.outputs.is_empty() {
        let lanes = outputs.iter().zip(&specs);
        let lanes = lanes.map(|(lanes, spec)| lanes.clone().unwrap_or_else(|| empty(spec.width)));
        let lanes: Vec<Lanes> = lanes.collect();
        match ports::write_ports(written, &specs, args.style.format(), &lanes) {
            Ok(()) => return Ok((None, None)),
            Err(error) => unwritten = Some(error.message),
        }
    }
    let known = outputs.iter().zip(&specs).filter_map(|(lanes, spec)| Some((lanes.clone()?, spec)));
    let (lanes, specs): (Vec<Lanes>, Vec<_>) = known.map(|(l, spec)| (l, spec.clone())).unzip();
    if lanes.is_empty() {
        return Ok((None, unwritten));
    }
    let format = args.style.format().unwrap_or(Format::Hex);
    if json {
        return Ok((Some(Printed::Values(ports::listed(format, &specs, &lanes)?)), unwritten));
    }
    // Never grown beyond its capacity, so that no copy stays behind.
    let line: usize = specs.iter().map(|spec| spec.width as usize + 64).sum();
    let instances = lanes.first().map_or(0, Lanes::instances);
    let mut text = Zeroizing::new(Vec::with_capacity((line * (instances + 1)).min(MAX_TEXT)));
    format_outputs(&mut *text, format, &specs, &lanes)
        .map_err(|e| CliError::input(e.to_string()))?;
    let text = Zeroizing::new(String::from_utf8_lossy(&text).into_owned());
    Ok((Some(Printed::Text(text)), unwritten))
}

/// Bytes of printed values that are set aside at once.
const MAX_TEXT: usize = 1 << 26;

fn empty(width: u32) -> Lanes {
    Lanes::from_bits(vec![Vec::new(); width as usize], 0)
}
