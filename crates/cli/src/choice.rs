//! What was chosen for the links, in words.

use crate::run::sentence;
use crate::units::seconds;
use std::io::{self, Write};
use tacit::runtime::{ProgramChoice, roles};
use tacit::{Candidate, Choice, protocols};
use tacit_engine::program::CHUNK_ROWS;

/// Says what was chosen, and why.
pub fn write_choice(choice: &ProgramChoice, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "chosen for the measured links, which take at least {}", seconds(choice.seconds))?;
    match choice.given_seconds {
        Some(given) if given > choice.seconds * 1.01 => {
            write!(out, "; with the usual roles, form and chunks {}", seconds(given))?;
        }
        Some(_) => write!(out, ", as with the usual roles and form")?,
        None => write!(out, "; the usual form is not possible")?,
    }
    match choice.chunk_rows {
        CHUNK_ROWS => writeln!(out),
        rows => writeln!(out, "; {rows} rows at a time"),
    }
}

/// Says what was predicted for the protocol that the parties chose, and how long they took to choose it.
pub fn write_auto(choice: &Choice, out: &mut dyn Write) -> io::Result<()> {
    let predicted = choice.candidates.first().map_or(0.0, |best| best.seconds);
    writeln!(
        out,
        "chosen by the parties, predicted {}, after {} of measuring links and processors and {} of planning",
        seconds(predicted),
        seconds(choice.measuring_seconds),
        seconds(choice.planning_seconds)
    )
}

/// Which protocol the parties chose, beside the next one, in a sentence.
pub fn why(choice: &Choice, names: &[String]) -> String {
    let [best, others @ ..] = &choice.candidates[..] else { return String::new() };
    let Candidate { protocol, by, .. } = best;
    let chosen = format!(
        "chosen against {}: {protocol}{} with roles {}, predicted {}: {}",
        choice.against,
        by_words(by),
        placed(best, names),
        seconds(best.seconds),
        reason(best)
    );
    match others.first() {
        None => format!("{chosen}; no other protocol protects against as much here"),
        Some(next) => {
            format!(
                "{chosen}; the next is {}, {}: {}",
                next.protocol,
                seconds(next.seconds),
                reason(next)
            )
        }
    }
}

/// What the parties trust each other with under the protocol that they chose.
pub fn trusted(choice: &Choice) -> Option<String> {
    let best = choice.candidates.first()?;
    protocols::named(&best.protocol).ok().map(|protocol| format!("trusted: {}", sentence(protocol)))
}

/// Who plays which role, and what is computed side by side.
fn placed(candidate: &Candidate, names: &[String]) -> String {
    let mut text = roles::names(&candidate.roles, names);
    if candidate.assignments > 1 {
        text += &format!(" and {} other assignments", candidate.assignments - 1);
    }
    if candidate.threads > 1 {
        text += &format!(" on {} threads", candidate.threads);
    }
    text
}

/// What numbers are computed with, if it is a program.
fn by_words(by: &str) -> String {
    if by.is_empty() { String::new() } else { format!(" by {by}") }
}

fn reason(candidate: &Candidate) -> String {
    match candidate.bound.as_str() {
        "latency" => format!("{} rounds take most of it", candidate.steps),
        "bandwidth" => format!("{:.3} MB take most of it", candidate.bytes / 1e6),
        _ => "computing takes most of it".to_owned(),
    }
}

/// Shows what every protocol would take that the parties could choose.
pub fn write_candidates(choice: &Choice, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    let mut table = comfy_table::Table::new();
    table.load_style(comfy_table::presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["protocol", "by", "roles", "predicted", "MB sent", "rounds", "bound"]);
    for it in &choice.candidates {
        table.add_row([
            it.protocol.clone(),
            it.by.clone(),
            placed(it, names),
            seconds(it.seconds),
            format!("{:.3}", it.bytes / 1e6),
            it.steps.to_string(),
            it.bound.clone(),
        ]);
    }
    writeln!(out, "\nprotocols against {}, by predicted time:\n{table}", choice.against)?;
    for (protocol, why) in &choice.left_out {
        writeln!(out, "left out: {protocol} {why}")?;
    }
    for link in &choice.links {
        let [from, to] = [link.from, link.to].map(|party| names[usize::from(party)].as_str());
        let rate =
            link.mbit_per_second.map_or("no limit".into(), |rate| format!("{rate:.0} Mbit/s"));
        writeln!(out, "measured: {from} to {to} {:.1} ms there and back, {rate}", link.rtt_ms)?;
    }
    Ok(())
}
