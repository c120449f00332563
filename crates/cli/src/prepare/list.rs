//! `tacit prepared list`: what is left in stores.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::{Args, Subcommand};
use comfy_table::{Table, presets};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use tacit_engine::store::{Listed, State, Store, check_is_there};

/// Arguments of `tacit prepared`.
#[derive(Args, Debug)]
pub struct PreparedArgs {
    #[command(subcommand)]
    command: PreparedCommand,
}

#[derive(Subcommand, Debug)]
enum PreparedCommand {
    /// Show how many runs are left of what `tacit prepare` stored
    #[command(after_help = "Example:\n  tacit prepared list store")]
    List {
        /// A directory of stores, or one party's
        #[arg(value_name = "DIRECTORY")]
        directory: PathBuf,
    },
}

/// Runs the command.
pub fn run(args: &PreparedArgs, output: Output) -> Result<(), CliError> {
    let PreparedCommand::List { directory } = &args.command;
    let mut stores = Vec::new();
    let state = State::of_user()?;
    for path in stores_in(directory)? {
        let store = Store::open(&path, state.clone())?;
        let (preparations, unfinished) = (store.list()?, store.unfinished()?);
        if !preparations.is_empty() || !unfinished.is_empty() {
            stores.push(StoreReport { store: path, unfinished, preparations });
        }
    }
    output.print(&ListReport { stores })
}

/// The directory itself, and those in it, where they have files of a store.
fn stores_in(directory: &Path) -> Result<Vec<PathBuf>, CliError> {
    let failed = |e: io::Error| CliError::file(directory, &e);
    check_is_there(directory)?;
    let mut stores = vec![directory.to_path_buf()];
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            stores.push(path);
        }
    }
    let mut found = Vec::new();
    for path in stores {
        if Store::is_in(&path).map_err(|e| CliError::file(&path, &e))? {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[derive(Serialize)]
struct StoreReport {
    store: PathBuf,
    unfinished: Vec<PathBuf>,
    preparations: Vec<Listed>,
}

#[derive(Serialize)]
struct ListReport {
    stores: Vec<StoreReport>,
}

impl Report for ListReport {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.stores.is_empty() {
            return writeln!(out, "nothing is stored there; see `tacit prepare --help`");
        }
        let mut table = Table::new();
        table.load_style(presets::UTF8_HORIZONTAL_ONLY);
        table.set_header([
            "store",
            "for",
            "protocol",
            "size of a run",
            "ready",
            "spent",
            "bytes",
            "made",
        ]);
        for StoreReport { store, preparations, .. } in &self.stores {
            for it in preparations {
                table.add_row([
                    store.display().to_string(),
                    if it.name.is_empty() { "(all spent)".into() } else { it.name.clone() },
                    fact(it, "protocol"),
                    size(it),
                    it.ready.to_string(),
                    it.spent.to_string(),
                    crate::units::bytes(it.bytes),
                    if it.made == 0 { String::new() } else { ago(it.made) },
                ]);
            }
        }
        writeln!(out, "{table}")?;
        for path in self.stores.iter().flat_map(|store| &store.unfinished) {
            writeln!(out, "unfinished: {}; remove it, unless it is being written", path.display())?;
        }
        for (store, it) in
            self.stores.iter().flat_map(|StoreReport { store, preparations, .. }| {
                preparations.iter().map(move |it| (store, it))
            })
        {
            for path in &it.damaged {
                writeln!(out, "damaged, or put back: {}; remove it", path.display())?;
            }
            if it.copies > 0 {
                let (copies, path) = (it.copies, store.join(&it.preparation));
                writeln!(
                    out,
                    "copies of another machine's or user's, whose keys are not here: {copies} run(s), {}-*; remove \
                     them",
                    path.display()
                )?;
            }
            if it.foreign > 0 {
                let (foreign, path) = (it.foreign, store.join(&it.preparation));
                writeln!(
                    out,
                    "of another build of tacit: {foreign} run(s), {}-*; remove them",
                    path.display()
                )?;
            }
        }
        Ok(())
    }
}

fn fact(it: &Listed, name: &str) -> String {
    it.facts.iter().find(|(known, _)| known == name).map_or_else(String::new, |(_, v)| v.clone())
}

/// Instances of a circuit, or rows of a program.
fn size(it: &Listed) -> String {
    let [instances, rows, triples] = ["instances", "rows", "triples"].map(|name| fact(it, name));
    match (instances.as_str(), triples.as_str()) {
        ("", "") => rows,
        ("", triples) => format!("{triples} triples"),
        (instances, _) => format!("{instances} instance(s)"),
    }
}

/// How long ago a moment was.
fn ago(made: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    match now.saturating_sub(made) {
        s if s < 120 => format!("{s} s ago"),
        s if s < 7200 => format!("{} min ago", s / 60),
        s if s < 172_800 => format!("{} h ago", s / 3600),
        s => format!("{} days ago", s / 86_400),
    }
}
