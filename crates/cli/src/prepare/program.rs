//! Preparation of a program's runs.

use super::{Party, PrepareArgs, make, triples_of};
use crate::error::CliError;
use crate::program::{self, Names, refuse_circuit_arguments};
use crate::run::{Misplaced, Parties, refuse};
use tacit::runtime::{Meeting, program_job};
use tacit::{Prepared, Program};
use tacit_engine::circuit::{Compiled, Preprocessing};
use tacit_engine::program::{self as engine, CompiledProgram};
use tacit_net::Session;

/// Refuses wrong arguments, before any party starts.
pub fn check(args: &PrepareArgs) -> Result<(), CliError> {
    let program = Program::read(&args.run.path)?;
    refuse("circuits", [Misplaced::new(args.run.instances.is_some(), "--instances", "--rows")])?;
    refuse_circuit_arguments(&args.run)?;
    let prepared = prepared(args, &program, &Names::local(&program, args.run.protocol)?)?;
    Ok(engine::check_storable(&prepared)?)
}

/// One of all parties on this machine.
pub fn local(args: &PrepareArgs, meeting: &mut Meeting) -> Result<Prepared, CliError> {
    let program = Program::read(&args.run.path)?;
    let names = Names::local(&program, args.run.protocol)?;
    one_party(args, &program, &names, meeting)
}

/// The party of a configuration file.
pub fn configured(
    args: &PrepareArgs,
    parties: &Parties,
    meeting: &mut Meeting,
) -> Result<Prepared, CliError> {
    check(args)?;
    let program = Program::read(&args.run.path)?;
    let names = Names::configured(&program, parties)?;
    one_party(args, &program, &names, meeting)
}

fn prepared(
    args: &PrepareArgs,
    program: &Program,
    names: &Names,
) -> Result<CompiledProgram, CliError> {
    let rows = program::rows(program, &args.rows)?;
    let missing =
        program.dims.iter().find(|dim| args.rows.iter().all(|given| given.name != dim.name));
    if let Some(dim) = missing {
        return Err(CliError::input(format!(
            "say how many rows the run will have: add --rows {}=NUMBER",
            dim.name
        )));
    }
    let mut job = program_job(&args.run.options(), program, names, rows)?;
    job.options.stored = true;
    job.options.preprocessing = Preprocessing::Separate;
    Ok(CompiledProgram::new(program, job)?)
}

fn one_party(
    args: &PrepareArgs,
    program: &Program,
    names: &Names,
    meeting: &mut Meeting,
) -> Result<Prepared, CliError> {
    let prepared = prepared(args, program, names)?;
    let public = args.run.program.sources(&|_| Ok(false))?.public(program)?.inputs;
    meeting.config.workers = args.run.threads();
    let facts = engine::facts(&prepared, &public);
    let name = &names.session[meeting.config.me.index()];
    let preparer = Party { args, name, facts };
    let triples = triples_of(args, &meeting.config, name)?;
    preparer.all(meeting, |session, preparation| {
        let one =
            |session: &mut Session, compiled: &Compiled| make(triples.as_ref(), session, compiled);
        let (ready, links) = engine::prepare(session, &prepared, &public, one)?;
        Ok([preparation.add(ready)?, links.iter().map(|link| link.bytes).sum()])
    })
}
