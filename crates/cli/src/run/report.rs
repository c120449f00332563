//! What `tacit run` prints.

use super::args::RunArgs;
use super::trust::sentence;
use crate::checks::write_soundness;
use crate::choice::{write_auto, write_candidates};
use crate::error::CliError;
use crate::output::Report;
use crate::ports::PortValues;
use crate::units::seconds;
use comfy_table::{Table, presets};
use serde::{Deserialize, Serialize, Serializer};
use std::io::{self, Write};
use tacit::protocols;
use tacit::runtime::roles::{self, Choice};
use tacit_engine::circuit::{self, AssignmentUse};
use tacit_engine::{LinkUse, RunCost};
use zeroize::Zeroizing;

/// One party's run. No `Debug`: it holds opened values.
#[derive(Serialize, Deserialize)]
pub struct PartyRun {
    /// Names of all parties.
    pub names: Vec<String>,
    /// What it cost.
    pub report: circuit::Report,
    /// Why roles are as they are, if they were chosen.
    pub roles: Option<Choice>,
    /// Why the protocol is what it is, if the parties chose it.
    pub auto: Option<tacit::Choice>,
    /// The stored preprocessing that it used.
    pub stored: Option<String>,
    /// Outputs to print, if no file was asked for, or none can be written.
    pub printed: Option<Printed>,
    /// Why an output file is not written.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unwritten: Option<String>,
}

/// Outputs that are printed.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
pub enum Printed {
    /// A line per instance.
    Text(Zeroizing<String>),
    /// Port by port, for JSON.
    Values(Vec<PortValues>),
}

/// The run of one party, or of all local ones.
#[derive(Serialize)]
pub struct RunReport {
    /// What the protocol protects against.
    trust: String,
    /// Whether all candidates are shown that the protocol was chosen from.
    #[serde(skip)]
    explain: bool,
    #[serde(serialize_with = "with_outputs")]
    parties: Vec<PartyRun>,
}

/// Outputs as JSON, and each party's report under its name.
fn with_outputs<S: Serializer>(runs: &[PartyRun], serializer: S) -> Result<S::Ok, S::Error> {
    let run = |run: &PartyRun| {
        let outputs = match &run.printed {
            Some(Printed::Values(values)) => Some(values),
            _ => None,
        };
        serde_json::json!({
            "name": run.names[usize::from(run.report.party)],
            "outputs": outputs,
            "choice": run.roles,
            "auto": run.auto,
            "stored": run.stored,
            "report": run.report,
        })
    };
    serializer.collect_seq(runs.iter().map(run))
}

impl RunReport {
    /// The report of the parties that ran here.
    pub fn new(args: &RunArgs, parties: Vec<PartyRun>) -> RunReport {
        // What the parties have chosen, if they have.
        let used = parties.first().and_then(|run| protocols::named(&run.report.protocol).ok());
        let trust = sentence(used.unwrap_or(args.protocol));
        RunReport { trust, explain: args.explain, parties }
    }

    /// An error if an output file is not written.
    pub fn all_written(&self) -> Result<(), CliError> {
        all_written(self.parties.iter().map(|run| &run.unwritten))
    }
}

/// An error if a file of results is not written; they are printed then.
pub fn all_written<'r>(
    mut unwritten: impl Iterator<Item = &'r Option<String>>,
) -> Result<(), CliError> {
    match unwritten.find_map(Option::as_ref) {
        None => Ok(()),
        Some(why) => {
            let message = format!("{why}; the run is over and its results are printed instead");
            Err(CliError::system(message))
        }
    }
}

impl RunReport {
    /// Writes the values that the parties learned: once if they learned the same, else each
    /// under its name.
    fn write_values(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = |run: &'_ PartyRun| match &run.printed {
            Some(Printed::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let learned: Vec<_> =
            self.parties.iter().filter_map(|run| Some((run, text(run)?))).collect();
        let Some((_, first)) = learned.first() else { return Ok(()) };
        if learned.iter().all(|(_, text)| text == first) {
            return out.write_all(first.as_bytes());
        }
        for (run, text) in learned {
            writeln!(out, "# {}", run.names[usize::from(run.report.party)])?;
            out.write_all(text.as_bytes())?;
        }
        Ok(())
    }
}

impl Report for RunReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.write_values(out)?;
        let Some(first) = self.parties.first() else { return Ok(()) };
        if let Some(choice) = first.auto.as_ref().filter(|_| self.explain) {
            write_candidates(choice, &first.names, out)?;
        }
        write_roles(out, first)?;
        if let Some(choice) = &first.auto {
            write_auto(choice, out)?;
        }
        if let Some(name) = &first.stored {
            writeln!(out, "with stored preprocessing {name}")?;
        }
        write_cost(out, &first.names, &first.report, "took")?;
        if self.parties.len() > 1 {
            let times = self.parties.iter().map(|run| {
                let name = &run.names[usize::from(run.report.party)];
                format!(
                    "{name} {}",
                    seconds(run.report.cost.offline_seconds + run.report.cost.online_seconds)
                )
            });
            let rounds = self.parties.iter().map(|run| run.report.cost.rounds.to_string());
            let (times, rounds): (Vec<_>, Vec<_>) = (times.collect(), rounds.collect());
            writeln!(
                out,
                "by party: {}; rounds waited for: {}",
                times.join(", "),
                rounds.join(", ")
            )?;
        }
        Ok(())
    }
}

/// Writes who played which role, and why.
fn write_roles(out: &mut dyn Write, run: &PartyRun) -> io::Result<()> {
    let all: u64 = run.report.assignments.iter().map(|a| a.words).sum();
    let mut balanced = false;
    if let [AssignmentUse { protocol, roles, balance, .. }] = &run.report.assignments[..] {
        writeln!(out, "\n{protocol} with roles {}", roles::names(roles, &run.names))?;
        if let Some(balance) = balance {
            balanced = true;
            writeln!(out, "products made in several ways, by weight: {balance}")?;
        }
    } else {
        writeln!(out, "\n{} assignments of roles side by side:", run.report.assignments.len())?;
        for AssignmentUse { protocol, roles, words, .. } in &run.report.assignments {
            let percent = 100.0 * *words as f64 / all.max(1) as f64;
            let names = roles::names(roles, &run.names);
            writeln!(out, "  {protocol} with roles {names}: {percent:.0} % of the instances")?;
        }
    }
    let least = run.report.assignments.iter().filter_map(|one| one.soundness_bits);
    write_soundness(out, least.min_by(f64::total_cmp))?;
    let Some(choice) = &run.roles else { return Ok(()) };
    let [best, single] = [choice.seconds, choice.single_seconds].map(seconds);
    match run.report.assignments.len() {
        1 if balanced => writeln!(
            out,
            "chosen for the measured links, which take at least {best}; without several ways {single}"
        ),
        1 if choice.balanced => writeln!(
            out,
            "chosen for the measured links, which take at least {best}; no weights of several ways \
             save a tenth of that"
        ),
        1 => writeln!(
            out,
            "chosen for the measured links, which take at least {best}; no mix of assignments \
             saves a tenth of that"
        ),
        _ => writeln!(
            out,
            "chosen for the measured links, which take at least {best}; with the best single \
             assignment {single}"
        ),
    }
}

/// Writes times, rounds and traffic of a run.
fn write_cost(
    out: &mut dyn Write,
    names: &[String],
    report: &circuit::Report,
    verb: &str,
) -> io::Result<()> {
    writeln!(
        out,
        "{} instance(s), AND depth {}, {} products and {} wide gates each",
        report.instances, report.depth, report.products, report.wide_gates
    )?;
    let [set_up, offline, online] = report.cost.seconds().map(seconds);
    let speed = report.instances_per_second();
    writeln!(
        out,
        "{verb} {set_up} setup, {offline} offline, {online} online; {speed:.0} instances per second"
    )?;
    write_waits(out, names, report.party, &report.cost)
}

/// Writes how many rounds a party waited for, and the traffic of all links.
pub fn write_waits(
    out: &mut dyn Write,
    names: &[String],
    party: u8,
    RunCost { rounds, predicted_rounds, links, .. }: &RunCost,
) -> io::Result<()> {
    let name = &names[usize::from(party)];
    writeln!(out, "{name} waited for {rounds} rounds (predicted {predicted_rounds})")?;
    write_links(out, names, links)
}

/// Rows of traffic that are still shown one by one.
const ROWS: usize = 60;

/// Writes the traffic of all links; if they are many, of what each party sends.
pub fn write_links(out: &mut dyn Write, names: &[String], links: &[LinkUse]) -> io::Result<()> {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.set_header(["link", "stream", "bytes", "predicted", "messages", "waited"]);
    let name = |party: u8| names[usize::from(party)].as_str();
    let mut row = |link: String, stream: &str, links: &[&LinkUse]| {
        let sum = |of: fn(&LinkUse) -> u64| {
            links.iter().fold(0, |sum: u64, link| sum.saturating_add(of(link))).to_string()
        };
        let waited = links.iter().map(|link| link.waited_seconds).fold(0.0, f64::max);
        let [bytes, predicted, messages] =
            [sum(|link| link.bytes), sum(|link| link.predicted_bytes), sum(|link| link.messages)];
        table.add_row([link, stream.into(), bytes, predicted, messages, seconds(waited)]);
    };
    if links.len() <= ROWS {
        for link in links {
            row(format!("{} -> {}", name(link.from), name(link.to)), &link.stream, &[link]);
        }
        return writeln!(out, "{table}");
    }
    for (party, from) in (0..).zip(names) {
        let all: Vec<&LinkUse> = links.iter().filter(|link| link.from == party).collect();
        row(format!("{from} -> all"), "all", &all);
    }
    writeln!(out, "{table}\nwaited: the longest wait on one link; --json shows every link")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parties: u8) -> String {
        let names: Vec<String> = (0..parties).map(|party| format!("p{party}")).collect();
        let pairs = (0..parties).flat_map(|from| (0..parties).map(move |to| (from, to)));
        let link = |(from, to)| LinkUse {
            from,
            to,
            stream: "online".into(),
            bytes: 10,
            predicted_bytes: 10,
            messages: 1,
            waited_seconds: f64::from(to),
        };
        let links: Vec<LinkUse> = pairs.filter(|(from, to)| from != to).map(link).collect();
        let mut out = Vec::new();
        write_links(&mut out, &names, &links).expect("writes to memory");
        String::from_utf8(out).expect("is text")
    }

    #[test]
    fn few_links_are_shown_one_by_one_and_many_by_party() {
        assert!(shown(3).contains("p0 -> p2"));
        let many = shown(33);
        assert!(many.contains("p32 -> all") && !many.contains("p0 -> p2"), "{many}");
        assert!(many.contains("320") && many.contains("31.000 s"), "{many}");
    }
}
