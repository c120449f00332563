//! What `tacit plan` prints.

use super::args::PlanArgs;
use super::commands::Commands;
use crate::output::Report;
use crate::run::Parties;
use crate::task::Task;
use crate::units::seconds;
use serde::Serialize;
use std::io::{self, Write};
use tacit::runtime::{Profile, roles};
use tacit_planner::{Bound, Estimate, LeftOut, Objective, Seconds, Threat};
use tacit_sharing::Protocol;

/// Which protocol, and why.
#[derive(Serialize)]
pub struct PlanReport {
    network: String,
    description: String,
    parties: Vec<String>,
    security: &'static str,
    corruptions: usize,
    objective: &'static str,
    chosen: String,
    why: String,
    commands: Commands,
    candidates: Vec<Candidate>,
    left_out: Vec<Omitted>,
}

/// A protocol that could be taken.
#[derive(Serialize)]
struct Candidate {
    protocol: String,
    protects_against: String,
    by: Option<&'static str>,
    /// Rows of a program that are computed together.
    chunk_rows: Option<usize>,
    /// As `--roles` takes them.
    roles: String,
    seconds: Phases,
    /// What counts of that is waiting, sending and computing.
    latency_seconds: f64,
    bandwidth_seconds: f64,
    computing_seconds: f64,
    bound: &'static str,
    /// Waits one after the other, online.
    rounds: u64,
    total_bytes: u64,
    online_bytes: u64,
    memory_bytes: u64,
    chosen: bool,
}

/// Seconds of phases.
#[derive(Serialize)]
struct Phases {
    set_up: f64,
    ahead: f64,
    online: f64,
    total: f64,
}

/// A protocol that cannot be taken.
#[derive(Serialize)]
pub struct Omitted {
    pub protocol: String,
    pub why: String,
}

impl Omitted {
    /// With the reason.
    pub fn new(protocol: Protocol, why: &LeftOut) -> Self {
        Omitted { protocol: protocol.to_string(), why: why.to_string() }
    }
}

impl PlanReport {
    /// The report on estimates, of which the first is the best.
    pub fn new(
        args: &PlanArgs,
        (task, parties, profile): (&Task, &Parties, &Profile),
        threat: Threat,
        estimates: &[Estimate],
        left_out: Vec<Omitted>,
    ) -> Self {
        let (objective, chosen) = (args.objective(), &estimates[0]);
        let candidates = estimates.iter().enumerate();
        PlanReport {
            network: profile.name.clone(),
            description: profile.description.clone(),
            parties: parties.0.clone(),
            security: if threat.malicious { "malicious" } else { "semi-honest" },
            corruptions: threat.corruptions,
            objective: name(objective),
            chosen: chosen.protocol.to_string(),
            why: why(estimates, objective),
            commands: Commands::new(args, task, parties, chosen),
            candidates: candidates.map(|(i, it)| Candidate::new(it, objective, i == 0)).collect(),
            left_out,
        }
    }
}

fn name(objective: Objective) -> &'static str {
    match objective {
        Objective::Total => "total",
        Objective::Online => "online",
    }
}

impl Candidate {
    fn new(estimate: &Estimate, objective: Objective, chosen: bool) -> Self {
        let [set_up, ahead, online] = estimate.seconds.map(|seconds| seconds.total());
        let counted = estimate.counted(objective);
        Candidate {
            protocol: estimate.protocol.to_string(),
            protects_against: estimate.protocol.security().among(estimate.protocol.parties()),
            by: estimate.by.map(|by| by.name()),
            chunk_rows: estimate.chunk_rows,
            roles: roles::written(&estimate.assignments),
            seconds: Phases { set_up, ahead, online, total: set_up + ahead + online },
            latency_seconds: counted.latency,
            bandwidth_seconds: counted.bandwidth,
            computing_seconds: counted.computing,
            bound: counted.bound().name(),
            rounds: estimate.steps(Objective::Online),
            total_bytes: estimate.total_bytes(Objective::Total) as u64,
            online_bytes: estimate.total_bytes(Objective::Online) as u64,
            memory_bytes: estimate.costs.memory_bytes as u64,
            chosen,
        }
    }
}

/// A sentence that sets the best beside the fastest that works otherwise, or the next one.
fn why(estimates: &[Estimate], objective: Objective) -> String {
    let best = &estimates[0];
    let counts = match objective {
        Objective::Total => "in all",
        Objective::Online => "online",
    };
    let chosen = format!(
        "{} takes {} {counts}: {}",
        best.protocol,
        seconds(best.counted(objective).total()),
        reason(best, objective)
    );
    let others = &estimates[1..];
    let otherwise = others.iter().find(|it| it.protocol.garbles() != best.protocol.garbles());
    match otherwise.or(others.first()) {
        None => format!("{chosen}; no other protocol protects against as much here"),
        Some(other) => format!(
            "{chosen}; {} {}: {}",
            other.protocol,
            seconds(other.counted(objective).total()),
            reason(other, objective)
        ),
    }
}

/// What takes most of the time.
fn reason(estimate: &Estimate, objective: Objective) -> String {
    let Seconds { latency, bandwidth, computing } = estimate.counted(objective);
    match estimate.bound(objective) {
        Bound::Latency => {
            format!("{} rounds take {}", estimate.steps(objective), seconds(latency))
        }
        Bound::Bandwidth => {
            let megabytes = estimate.total_bytes(objective) / 1e6;
            format!("{megabytes:.3} MB take {}", seconds(bandwidth))
        }
        Bound::Computing => format!("computing takes {}", seconds(computing)),
    }
}

impl Report for PlanReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let people = self.parties.len();
        writeln!(out, "network {}: {}", self.network, self.description)?;
        writeln!(
            out,
            "{people} parties, {} of them {}; what is to be short: {}",
            self.corruptions, self.security, self.objective
        )?;
        let mut table = comfy_table::Table::new();
        table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
        table.set_header([
            "",
            "protects against",
            "protocol",
            "roles",
            "set-up",
            "ahead",
            "online",
            "total",
            "MB sent",
            "rounds",
            "bound",
        ]);
        for it in &self.candidates {
            let by = it.by.map_or(String::new(), |by| format!(" ({by})"));
            table.add_row([
                if it.chosen { "*" } else { "" }.to_string(),
                it.protects_against.clone(),
                format!("{}{by}", it.protocol),
                it.roles.clone(),
                seconds(it.seconds.set_up),
                seconds(it.seconds.ahead),
                seconds(it.seconds.online),
                seconds(it.seconds.total),
                format!("{:.3}", it.total_bytes as f64 / 1e6),
                it.rounds.to_string(),
                it.bound.to_string(),
            ]);
        }
        writeln!(out, "{table}")?;
        for Omitted { protocol, why } in &self.left_out {
            writeln!(out, "left out: {protocol} {why}")?;
        }
        writeln!(out, "\n{}\n", self.why)?;
        for (what, command) in self.commands.explained() {
            if !what.is_empty() {
                writeln!(out, "{what}")?;
            }
            writeln!(out, "  {command}")?;
        }
        Ok(())
    }
}
