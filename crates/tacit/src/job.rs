//! The job of a program, as options say it.

use crate::choice::{ByChoice, ChunkChoice};
use crate::error::Result;
use crate::names::{Names, Parties};
use crate::options::Options;
use crate::roles::{self, Roles};
use tacit_engine::circuit::Preprocessing;
use tacit_engine::program::ProgramJob;
use tacit_program::Program;

/// The job of a program with so many rows, under these options.
pub fn program_job(
    options: &Options,
    program: &Program,
    names: &Names,
    rows: Vec<u64>,
) -> Result<ProgramJob> {
    let mut job = ProgramJob {
        by: ByChoice::or_usual(options.by, options.protocol),
        workers: options.threads,
        stored: options.stored.is_some(),
        preprocessing: match options.stored {
            Some(_) => Preprocessing::Separate,
            None => options.preprocessing,
        },
        chunk_rows: ChunkChoice::or_usual(options.chunk_rows),
        opening: options.opening,
        label_function: options.label_function,
        garbling: options.garbling,
        block_ands: options.block_ands,
        range_check: options.range_check,
        ..ProgramJob::new(options.protocol, names.parties.clone(), rows)
    };
    let parties = Parties(names.session.clone());
    job.assign(roles::named(options.roles.as_ref(), options.protocol, &parties)?)?;
    if options.roles == Some(Roles::Split) {
        let protocols = roles::eligible(options.protocol, &options.mix);
        roles::split_program_evenly(&mut job, program, &protocols)?;
    }
    job.check(program)?;
    Ok(job)
}
