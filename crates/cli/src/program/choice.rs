//! What was chosen for the links, in words.

use crate::run::seconds;
use std::io::{self, Write};
use tacit::runtime::ProgramChoice;
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
