//! Jobs, as options say them.

use crate::choice::{ByChoice, ChunkChoice};
use crate::error::Result;
use crate::names::{Names, Parties};
use crate::options::Options;
use crate::roles::{self, Roles};
use tacit_engine::circuit::{EvaluateError, Preprocessing};
use tacit_engine::program::ProgramJob;
use tacit_program::Program;

/// What options say of a job among these parties, whatever it computes.
pub fn common(options: &Options, parties: &Parties) -> Result<tacit_engine::Options> {
    let assignments = roles::named(options.roles.as_ref(), options.protocol, parties)?;
    if assignments.is_empty() {
        return Err(EvaluateError::Job("a job needs an assignment of roles".into()).into());
    }
    Ok(tacit_engine::Options {
        assignments,
        workers: options.threads,
        preprocessing: match options.stored {
            Some(_) => Preprocessing::Separate,
            None => options.preprocessing,
        },
        stored: options.stored.is_some(),
        opening: options.opening,
        label_function: options.label_function,
        garbling: options.garbling,
    })
}

/// The job of a program with so many rows, under these options.
pub fn program_job(
    options: &Options,
    program: &Program,
    names: &Names,
    rows: Vec<u64>,
) -> Result<ProgramJob> {
    let mut job = ProgramJob {
        options: common(options, &Parties(names.session.clone()))?,
        by: ByChoice::or_usual(options.by, options.protocol),
        chunk_rows: ChunkChoice::or_usual(options.chunk_rows),
        block_ands: options.block_ands,
        range_check: options.range_check,
        ..ProgramJob::new(options.protocol, names.parties.clone(), rows)
    };
    if options.roles == Some(Roles::Split) {
        let protocols = roles::eligible(options.protocol, &options.mix);
        roles::split_program_evenly(&mut job, program, &protocols)?;
    }
    job.check(program)?;
    Ok(job)
}
