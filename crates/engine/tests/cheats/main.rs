//! A party that cheats under a protocol with checks: every message of a run, changed or left out by
//! its sender, ends the run of all honest parties without a result.

mod harness;
mod messages;
mod programs;
mod random;
mod silence;
