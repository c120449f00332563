//! A party that cheats under a protocol with checks: every message of a run, changed or left out by
//! its sender, ends the run of all honest parties without a result. Where there are no checks, runs end.
//!
//! `make test` takes one protocol of each family, [`harness::of_each_family`]. Long tests, which `make test-all` runs, take
//! all, and are named in the short ones. What every message of every protocol does to its shares is tested in
//! `tacit-sharing`, by `tampered`, `four` and `proven`.

mod faults;
mod harness;
mod messages;
mod programs;
mod random;
mod silence;
