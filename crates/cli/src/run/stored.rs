//! What a run has to do with preprocessing that is stored: this party's store, and choices that must be made before.

use super::args::RunArgs;
use crate::error::CliError;
use crate::program::{ByChoice, ChunkChoice};
use std::path::Path;
use tacit::runtime::{self, Balancing, Roles};
use tacit_engine::store::Store;
use tacit_net::SessionConfig;

/// What is stored has the roles that it was made for.
pub fn refuse_choice(run: &RunArgs) -> Result<(), CliError> {
    if run.roles == Some(Roles::Auto) {
        return Err(CliError::input(
            "stored preprocessing is for roles that are given: name the parties in the order of their \
             roles, such as --roles 0,1,2",
        ));
    }
    if run.balance == Balancing::Auto {
        return Err(CliError::input(
            "stored preprocessing is for weights that are given, such as --balance a=2,het=1",
        ));
    }
    if run.by == Some(ByChoice::Auto) {
        return Err(CliError::input("stored preprocessing is for one form: say --by circuits"));
    }
    if run.program.chunk_rows == Some(ChunkChoice::Auto) {
        return Err(CliError::input(
            "stored preprocessing is for chunks of one size: say --chunk-rows ROWS",
        ));
    }
    Ok(())
}

/// Opens this party's store for a run that is to use what was prepared.
pub fn open_store(
    run: &RunArgs,
    config: &SessionConfig,
    party: &str,
) -> Result<Option<Store>, CliError> {
    run.prepared
        .as_deref()
        .map(|directory| open_store_in(run, config, (directory, party)))
        .transpose()
}

/// Opens this party's store in a directory of stores. Parties of `--local` have keys that are thrown away.
pub fn open_store_in(
    run: &RunArgs,
    config: &SessionConfig,
    place: (&Path, &str),
) -> Result<Store, CliError> {
    Ok(runtime::open_store(place, config, run.party_file()?.is_some())?)
}
