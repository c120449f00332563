//! Evaluation of programs over arrays.
//!
//! [`ProgramJob`] says which program is computed by whom on how many rows; [`CompiledProgram`] lays it
//! out for a protocol; [`run`] evaluates it over an open session and returns the revealed values
//! with a [`ProgramReport`].

mod ahead;
mod checks;
mod compiled;
mod context;
mod cost;
mod difference;
mod drawn;
mod epochs;
mod exec;
mod facts;
mod frame;
mod garbled;
mod indices;
mod job;
mod layout;
mod lines;
mod operand;
mod ops;
mod outside;
mod parties;
mod plain;
mod plans;
mod predict;
mod prepare;
mod quotients;
mod ranges;
mod report;
mod rings;
mod rows;
mod run;
mod seats;
mod stream;
mod streamed;
mod team;
mod verdict;
mod walk;

pub use crate::circuit::Garbling;
pub use compiled::CompiledProgram;
pub use cost::Cost;
pub use job::{By, CHUNK_ROWS, ProgramJob, share_values};
pub use report::{Outcome, ProgramReport, Revealed, RolesUse};

pub use facts::facts;
pub use rows::{RowTerms, agree_rows, check_own_rows};
pub use run::{
    check_inputs, check_storable, prepare, prepare_with, run, run_gated, run_prepared,
    run_prepared_gated, run_with,
};
pub use tacit_backend::{ALL_LINES, LINE_OF_CHECKS, LineCost};
