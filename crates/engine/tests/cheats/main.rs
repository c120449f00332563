//! A party that cheats under a protocol with checks: every message of a run, changed or left out by
//! its sender, ends the run of all honest parties without a result. Where there are no checks, runs end.

mod faults;
mod harness;
mod messages;
mod programs;
mod random;
mod silence;
