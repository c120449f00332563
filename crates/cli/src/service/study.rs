//! `tacit study`.

use super::{At, Print, Shown, names, text};
use crate::error::CliError;
use crate::output::Output;
use clap::{Args, Subcommand};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tacit_serve::study::StudyFile;

/// Arguments of `tacit study`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit study lint pay.study.toml          # what everybody gives and learns
  tacit study propose pay.study.toml       # at one party
  tacit study lint pay                     # at each party, once `tacit study list` has it; read it, then:
  tacit study approve pay
  tacit dataset add salaries salaries.csv && tacit study bind pay --table salaries

docs/operations.md has a study file, and says what each refusal of a session means.")]
pub struct StudyArgs {
    #[command(flatten)]
    at: At,
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(Subcommand, Debug)]
enum StudyCommand {
    /// Say what a study takes from whom and shows to whom, and whether this node would refuse its sessions
    Lint {
        /// A study file, or the name of a study that the node knows
        study: String,
    },
    /// Propose a study to all its parties
    Propose {
        /// The study file
        file: PathBuf,
    },
    /// Approve a study for this party: read `tacit study lint` first
    Approve(Named),
    /// Say which dataset is this party's table
    Bind {
        #[command(flatten)]
        study: Named,
        /// The dataset, from `tacit dataset add`
        #[arg(long, value_name = "DATASET")]
        table: String,
    },
    /// List the studies that the node knows
    List,
    /// Show one study
    Show(Named),
    /// Close a study: no party starts another session of it
    Close(Named),
    /// Withdraw a study at all parties: what has not opened yet ends
    Withdraw(Named),
    /// Let sessions run at this node again after somebody cheated
    Clear(Named),
}

#[derive(Args, Debug)]
struct Named {
    /// The study's name, or the beginning of its id
    study: String,
}

/// A study file and its program.
fn proposal(path: &Path) -> Result<Value, CliError> {
    let read = |path: &Path| fs::read_to_string(path).map_err(|e| CliError::file(path, &e));
    let study = read(path)?;
    let file = StudyFile::parse(&path.display().to_string(), &study)?;
    let program = path.parent().unwrap_or(Path::new(".")).join(&file.program);
    if program.extension().is_some_and(|it| it.eq_ignore_ascii_case("sql")) {
        return Err(CliError::input(
            "not supported: a study of a query in SQL; `tacit sql` writes it as a program",
        ));
    }
    Ok(json!({ "study": study, "program": read(&program)? }))
}

/// Runs a `tacit study` command.
pub fn run(args: StudyArgs, output: Output) -> Result<(), CliError> {
    let client = args.at.client();
    let post = |Named { study }: Named, what: &str| {
        client.post(&format!("/v1/studies/{study}/{what}"), &Value::Null, None)
    };
    let (answer, text): (Value, Print) = match args.command {
        StudyCommand::Lint { study } => {
            // No name of a study ends so.
            let file = Path::new(&study).is_file() || study.ends_with(".toml");
            let answer = match file {
                true => client.post("/v1/lint", &proposal(Path::new(&study))?, None)?,
                false => client.get(&format!("/v1/studies/{study}/lint"))?,
            };
            (answer, lint)
        }
        StudyCommand::Propose { file } => {
            (client.post("/v1/studies", &proposal(&file)?, None)?, one)
        }
        StudyCommand::Approve(study) => (post(study, "approve")?, approved),
        StudyCommand::Bind { study, table } => {
            let path = format!("/v1/studies/{}/bind", study.study);
            (client.post(&path, &json!({ "dataset": table }), None)?, one)
        }
        StudyCommand::List => (client.get("/v1/studies")?, list),
        StudyCommand::Show(study) => (client.get(&format!("/v1/studies/{}", study.study))?, show),
        StudyCommand::Close(study) => (post(study, "close")?, one),
        StudyCommand::Withdraw(study) => (post(study, "withdraw")?, one),
        StudyCommand::Clear(study) => (post(study, "clear")?, one),
    };
    output.print(&Shown { answer, text })
}

fn lint(answer: &Value, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", text(answer, "text"))?;
    let refused = answer["refused"].as_array().into_iter().flatten().filter_map(Value::as_str);
    refused.into_iter().try_for_each(|why| writeln!(out, "REFUSED here: {why}"))
}

fn one(study: &Value, out: &mut dyn Write) -> io::Result<()> {
    let releases = &study["releases"];
    write!(
        out,
        "{}  {}  {}  releases {} of {}",
        text(study, "study"),
        study["id"].as_str().unwrap_or_default().get(..12).unwrap_or_default(),
        text(study, "state"),
        releases["spent"],
        releases["agreed"]
    )?;
    let missing = names(&study["not_approved_by"]);
    if !missing.is_empty() {
        write!(out, "  not approved by {missing}")?;
    }
    if study["quarantined"] == true {
        write!(out, "  quarantined")?;
    }
    writeln!(out)
}

/// With the whole id: that of `tacit study lint`.
fn approved(study: &Value, out: &mut dyn Write) -> io::Result<()> {
    one(study, out)?;
    writeln!(out, "id {}", text(study, "id"))
}

fn list(all: &Value, out: &mut dyn Write) -> io::Result<()> {
    all.as_array().into_iter().flatten().try_for_each(|study| one(study, out))
}

fn show(study: &Value, out: &mut dyn Write) -> io::Result<()> {
    one(study, out)?;
    writeln!(out, "id        {}", text(study, "id"))?;
    writeln!(out, "purpose   {}", text(study, "purpose"))?;
    writeln!(out, "protocol  {}", text(study, "protocol"))?;
    writeln!(out, "parties   {}; home {}", names(&study["parties"]), text(study, "home"))?;
    match (study["bound"].as_str(), study["asked"] == true) {
        (Some(table), _) => writeln!(out, "table     {table}")?,
        (None, true) => writeln!(out, "table     none yet: `tacit study bind`")?,
        (None, false) => writeln!(out, "table     none is asked of this party")?,
    }
    for (what, by) in [("closed", "closed_by"), ("withdrawn", "withdrawn_by")] {
        if let Some(party) = study[by].as_str() {
            writeln!(out, "{what:9} by {party}")?;
        }
    }
    let approved = names(&study["approved_by"]);
    writeln!(out, "approved  {}", if approved.is_empty() { "by nobody yet" } else { &approved })
}
