//! Whether declared ranges of a program's inputs are checked.

use clap::Args;
use tacit_engine::program::ProgramJob;
use tacit_sharing::Protocol;

/// What is said where they are not, and could be.
pub const UNCHECKED: &str = "declared ranges of inputs are not checked (--no-range-check): a party that deviates from \
    the protocol can share numbers outside them, and read bits of the others' inputs from the results";

/// Arguments of commands that run programs.
#[derive(Args, Clone, Copy, Debug)]
pub struct RangeArgs {
    /// Under protocols that notice cheats, do not check that the others' inputs lie in the ranges that the program
    /// declares. It is faster, and NOT SAFE: a party that deviates from the protocol can then read bits of the others'
    /// inputs. All parties must say the same. (Under other protocols every party's word is taken anyway.) Programs only
    #[arg(long)]
    pub no_range_check: bool,
}

impl RangeArgs {
    /// The job of a program, with ranges checked or not.
    pub fn of(self, job: ProgramJob) -> ProgramJob {
        ProgramJob { range_check: !self.no_range_check, ..job }
    }

    /// Warns on standard error where checks are left out.
    pub fn warn(self, protocol: Protocol) {
        if self.no_range_check && protocol.is_malicious() {
            eprintln!("warning: {UNCHECKED}");
        } else if self.no_range_check {
            eprintln!(
                "note: --no-range-check changes nothing: under {protocol} every party's word for its inputs is taken"
            );
        }
    }
}
