//! Preparation of a circuit's runs.

use super::{Party, PrepareArgs, make, triples_of};
use crate::circuit::file;
use crate::error::CliError;
use crate::run::{Misplaced, Parties, job, refuse};
use tacit::Prepared;
use tacit::runtime::Meeting;
use tacit_circuit::Circuit;
use tacit_engine::circuit::{self as engine, Compiled, Preprocessing};

/// Refuses wrong arguments, before any party starts.
pub fn check(args: &PrepareArgs) -> Result<(), CliError> {
    let rows = Misplaced::new(!args.rows.is_empty(), "--rows", "--instances");
    let by = Misplaced::new(args.run.by.is_some(), "--by", "");
    refuse("programs", args.run.program.flags().into_iter().chain([by, rows]))?;
    let circuit = file::read(&args.run.path, &args.run.read)?;
    let parties = Parties::numbered(args.run.protocol.parties());
    let compiled = compile(args, &circuit, &parties)?;
    Ok(engine::check_storable(&compiled)?)
}

/// One of all parties on this machine.
pub fn local(args: &PrepareArgs, meeting: &mut Meeting) -> Result<Prepared, CliError> {
    let parties = Parties::numbered(args.run.protocol.parties());
    one_party(args, &parties, meeting)
}

/// The party of a configuration file.
pub fn configured(
    args: &PrepareArgs,
    parties: &Parties,
    meeting: &mut Meeting,
) -> Result<Prepared, CliError> {
    check(args)?;
    one_party(args, parties, meeting)
}

fn one_party(
    args: &PrepareArgs,
    parties: &Parties,
    meeting: &mut Meeting,
) -> Result<Prepared, CliError> {
    let circuit = file::read(&args.run.path, &args.run.read)?;
    let compiled = compile(args, &circuit, parties)?;
    meeting.config.workers = compiled.job().threads();
    let facts = compiled.facts().iter().map(|(name, value)| (name.to_string(), value.clone()));
    let name = &parties.0[meeting.config.me.index()];
    let preparer = Party { args, name, facts: facts.collect() };
    let triples = triples_of(args, &meeting.config, name)?;
    preparer.all(meeting, |session, preparation| {
        let (prepared, report) = make(triples.as_ref(), session, &compiled)?;
        Ok([preparation.add(prepared)?, report.cost.total_bytes()])
    })
}

fn compile(args: &PrepareArgs, circuit: &Circuit, parties: &Parties) -> Result<Compiled, CliError> {
    let mut job = job(&args.run, circuit, parties)?;
    job.options.preprocessing = Preprocessing::Separate;
    job.options.stored = true;
    Ok(Compiled::new(circuit, job)?)
}
