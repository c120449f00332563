//! How circuits are garbled.

use clap::Args;
use tacit_engine::program::{Garbling, ProgramJob};
use tacit_garbling::bmr::LabelFunction;

/// Arguments of commands that run circuits or programs.
#[derive(Args, Clone, Debug)]
pub struct GarblingArgs {
    /// How circuits are garbled: whole, ready before the inputs; or streamed, in memory that does not grow with tables:
    /// gate by gate under yao, yao-silent and yao-three, and programs circuit by circuit under bmr and its kin, half-gates and
    /// authenticated; auto: streamed, but for programs of fewer than 65536 ANDs, or of one such circuit, and unless they are to come
    /// first
    #[arg(long, value_name = "auto|whole|streamed", default_value = "auto")]
    pub garbling: Garbling,

    /// Where a program is garbled circuit by circuit, about how many ANDs each has, at most: more take more memory, and
    /// fewer rounds [default: 262144, or 2097152 under authenticated, divided by the parties]
    #[arg(long, value_name = "ANDS")]
    pub block_ands: Option<usize>,

    /// What hides the rows of garbled tables that parties make together (bmr and its kin): dk-mmo, AES under a key for
    /// each gate; dk-tmmo, the same with one block more for each pair of labels; aes256, AES-256 under both labels:
    /// slower, and no ideal cipher is assumed, but that related keys, by a secret relation, do no harm; attacks on
    /// AES-256 are known where the attacker chooses the relation [default: dk-mmo]
    #[arg(long, value_name = "dk-mmo|dk-tmmo|aes256")]
    pub label_function: Option<LabelFunction>,
}

impl GarblingArgs {
    /// The job of a program with these options of garbling.
    pub fn of(&self, mut job: ProgramJob) -> ProgramJob {
        job.block_ands = self.block_ands;
        job.options.garbling = self.garbling;
        job.options.label_function = self.label_function;
        job
    }

    /// The job of a program with those options of garbling that its protocol has.
    pub fn where_it_can(&self, job: ProgramJob) -> ProgramJob {
        let block_ands = self.block_ands.filter(|_| job.in_blocks());
        let label_function = self.label_function.filter(|_| job.protocol().opens_tables());
        match job.may_stream() {
            true => GarblingArgs { block_ands, label_function, ..self.clone() }.of(job),
            false => job,
        }
    }
}
