//! `tacit completions` and `tacit manual`: what shells and `man` know of the commands.

use crate::error::CliError;
use crate::output::{Output, Report};
use clap::Args;
use clap_complete::Shell;
use serde::Serialize;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of `tacit completions`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  tacit completions bash > ~/.local/share/bash-completion/completions/tacit
  tacit completions zsh > ~/.zfunc/_tacit
  tacit completions fish > ~/.config/fish/completions/tacit.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Arguments of `tacit manual`.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  tacit manual --into ~/.local/share/man/man1    # then `man tacit-run`")]
pub struct ManualArgs {
    /// The folder, which is made if it is not there
    #[arg(long, value_name = "DIRECTORY")]
    into: PathBuf,
}

#[derive(Serialize)]
struct Completions {
    shell: String,
    script: String,
}

impl Report for Completions {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.script.as_bytes())
    }
}

/// Prints completions.
pub fn completions(args: &CompletionsArgs, output: Output) -> Result<(), CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut crate::command(), "tacit", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    output.print(&Completions { shell: args.shell.to_string(), script })
}

#[derive(Serialize)]
struct Written {
    folder: PathBuf,
    pages: usize,
}

impl Report for Written {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}: {} pages", self.folder.display(), self.pages)
    }
}

/// Writes a manual page for each command.
pub fn manual(args: &ManualArgs, output: Output) -> Result<(), CliError> {
    let folder = &args.into;
    let wrong = |e: &io::Error| CliError::file(folder, e);
    fs::create_dir_all(folder).map_err(|e| wrong(&e))?;
    clap_mangen::generate_to(crate::command(), folder).map_err(|e| wrong(&e))?;
    let pages = fs::read_dir(folder).map_err(|e| wrong(&e))?;
    let pages = pages
        .filter_map(Result::ok)
        .filter(|it| it.file_name().to_string_lossy().starts_with("tacit"));
    output.print(&Written { folder: folder.clone(), pages: pages.count() })
}
