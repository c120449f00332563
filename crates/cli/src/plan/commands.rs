//! The commands that run what was chosen, as a shell takes them.

use super::args::PlanArgs;
use crate::program::samples;
use crate::run::{Parties, in_turn};
use crate::task::Task;
use serde::Serialize;
use std::path::Path;
use tacit::runtime::roles;
use tacit_engine::program::CHUNK_ROWS;
use tacit_planner::{Estimate, Objective};

/// Parties whose commands are shown one by one.
const SHOWN: usize = 5;

/// Command lines, whole: they need nothing but the files that they name.
#[derive(Serialize)]
pub struct Commands {
    /// All parties on this machine.
    pub run: String,
    /// All parties in virtual time, on the network that was asked about, without inputs.
    pub lab: String,
    /// Each party on its own machine, by party.
    pub parties: Vec<String>,
    /// Files of inputs that they name and that are not there yet.
    pub missing: Vec<String>,
}

impl Commands {
    /// The command lines that run a task as the chosen estimate says.
    pub fn new(args: &PlanArgs, task: &Task, Parties(names): &Parties, chosen: &Estimate) -> Self {
        let path = args.path.display().to_string();
        let options = options(args, chosen);
        let mut run = vec!["tacit".to_owned(), "run".into(), path.clone()];
        run.extend(options.iter().cloned());
        let mut lab: Vec<String> =
            ["tacit", "lab", &path, "--network", &args.network].map(String::from).into();
        lab.extend(options);
        match task {
            Task::Circuit(_) => {
                let instances =
                    args.instances.iter().flat_map(|n| ["--instances".into(), n.to_string()]);
                let words: Vec<String> = instances.chain(args.read.words()).collect();
                run.extend(words.clone());
                lab.extend(words);
            }
            Task::Program(_) => {
                let rows = args.rows.iter().map(|rows| format!("{}={}", rows.name, rows.value));
                lab.extend(rows.flat_map(|rows| ["--rows".into(), rows]));
            }
        }
        let inputs = inputs(&args.path, task, chosen.protocol.parties());
        let local = inputs.iter().flat_map(|(_, words, _)| words.clone());
        let local = run.iter().cloned().chain(["--local".into()]).chain(local);
        let taking_part = chosen.protocol.parties().max(task.party_names().len());
        let party = |(number, name): (usize, &String)| {
            let mine = |owner: &Option<usize>| owner.is_none_or(|owner| owner == number);
            let own = inputs.iter().filter(|(owner, ..)| mine(owner));
            let own = own.flat_map(|(_, _, words)| words.clone());
            let config = ["--party".to_owned(), format!("{name}.toml")];
            line(run.iter().cloned().chain(config).chain(own))
        };
        let parties = names.iter().take(taking_part).enumerate().map(party).collect();
        Commands { run: line(local), lab: line(lab), parties, missing: missing(&inputs) }
    }

    /// In their order, with what each is for.
    pub fn explained(&self) -> Vec<(String, &str)> {
        let here = match &self.missing[..] {
            [] => "all parties on this machine:".to_owned(),
            missing => format!(
                "all parties on this machine, once you have written {}:",
                missing.join(", ")
            ),
        };
        let mut all = vec![
            (here, self.run.as_str()),
            ("in virtual time, on this network, without inputs:".to_owned(), &self.lab),
        ];
        let shown = if self.parties.len() > SHOWN { 1 } else { self.parties.len() };
        for (number, command) in self.parties[..shown].iter().enumerate() {
            let what = match (number, shown < self.parties.len()) {
                (0, true) => "each party on its own machine; the first, and the others likewise:",
                (0, false) => {
                    "each party on its own machine, with its own file of `tacit party new`:"
                }
                _ => "",
            };
            all.push((what.to_owned(), command));
        }
        all
    }
}

/// What `tacit run` and `tacit lab` are told of the choice.
fn options(args: &PlanArgs, chosen: &Estimate) -> Vec<String> {
    let mut options = vec!["--protocol".to_owned(), chosen.protocol.to_string()];
    let mut add = |flag: &str, value: String| options.extend([flag.to_owned(), value]);
    if chosen.protocol.has_unlike_roles() {
        add("--roles", roles::written(&chosen.assignments));
    }
    if let Some(by) = chosen.by.filter(|_| chosen.protocol.has_rings()) {
        add("--by", by.to_string());
    }
    if let Some(rows) = chosen.chunk_rows.filter(|rows| *rows != CHUNK_ROWS) {
        add("--chunk-rows", rows.to_string());
    }
    if args.threads > 1 {
        add("--threads", args.threads.to_string());
    }
    if args.objective() == Objective::Online {
        add("--preprocessing", "separate".into());
    }
    options
}

/// Whose an input is, if anybody's, and the arguments that give it: among all, and to its owner alone.
type Input = (Option<usize>, Vec<String>, Vec<String>);

fn inputs(path: &Path, task: &Task, parties: usize) -> Vec<Input> {
    match task {
        Task::Circuit(circuit) => {
            let widths = circuit.input_widths();
            let owners = in_turn(widths.len(), parties);
            let given = owners.enumerate().filter(|(port, _)| widths[*port] > 0);
            given
                .map(|(port, owner)| {
                    let file = path.with_file_name(format!("in{port}.hex"));
                    let words = vec!["--input".into(), format!("{port}={}", file.display())];
                    (Some(owner.index()), words.clone(), words)
                })
                .collect()
        }
        Task::Program(program) => samples(program, path)
            .into_iter()
            .map(|sample| {
                let owner = sample.party.map(|party| usize::from(party.0));
                let [all, alone] = [true, false].map(|local| sample.words(program, local).into());
                (owner, all, alone)
            })
            .collect(),
    }
}

/// Files of inputs that do not exist.
fn missing(inputs: &[Input]) -> Vec<String> {
    let words = inputs.iter().flat_map(|(_, words, _)| words.chunks_exact(2));
    let files = words.filter(|pair| ["--table", "--input"].contains(&pair[0].as_str()));
    let files = files.filter_map(|pair| Some(pair[1].split_once('=')?.1));
    files.filter(|file| !Path::new(file).exists()).map(str::to_owned).collect()
}

/// Words as a shell takes them.
fn line(words: impl IntoIterator<Item = String>) -> String {
    words.into_iter().map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// A word with quotes if a shell would not take it as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@+%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_not_take_them() {
        let words = ["--roles", "0,1;1,0", "my file", "it's", ""].map(String::from);
        assert_eq!(line(words), r"--roles '0,1;1,0' 'my file' 'it'\''s' ''");
    }
}
