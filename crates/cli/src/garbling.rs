//! How circuits are garbled.

use clap::Args;
use tacit_engine::program::{Garbling, ProgramJob};

/// Arguments of commands that run circuits or programs.
#[derive(Args, Clone, Debug)]
pub struct GarblingArgs {
    /// How circuits are garbled: whole, ready before the inputs; or streamed, in memory that does not grow with tables:
    /// gate by gate under yao and yao-silent, and programs circuit by circuit under bmr, bmr-silent and authenticated;
    /// auto: streamed, but for programs of fewer than 65536 ANDs, or of one such circuit, and unless they are to come
    /// first
    #[arg(long, value_name = "auto|whole|streamed", default_value = "auto")]
    pub garbling: Garbling,

    /// Where a program is garbled circuit by circuit, about how many ANDs each has, at most: more take more memory, and
    /// fewer rounds [default: 2097152, divided by the parties]
    #[arg(long, value_name = "ANDS")]
    pub block_ands: Option<usize>,
}

impl GarblingArgs {
    /// The job of a program, garbled so.
    pub fn of(&self, job: ProgramJob) -> ProgramJob {
        ProgramJob { garbling: self.garbling, block_ands: self.block_ands, ..job }
    }

    /// The same, as far as its protocol does that.
    pub fn where_it_can(&self, job: ProgramJob) -> ProgramJob {
        let block_ands = self.block_ands.filter(|_| job.in_blocks());
        match job.may_stream() {
            true => ProgramJob { block_ands, ..self.of(job) },
            false => job,
        }
    }
}
