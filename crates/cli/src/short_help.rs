//! What `tacit run -h` shows: the flags that a first run needs, a line each. `--help` explains all flags.

use clap::{Arg, Command};

/// Flags of `tacit run` on the short page, in this order, by their ids.
const RUN: [(&str, &str); 17] = [
    ("local", "Run all parties on this machine"),
    ("party", "Run one party: its file from `tacit party new`"),
    ("asked", "trio, lift, quad, yao, gmw:N, bmr:N, authenticated:N, and others; or auto"),
    ("security", "What auto protects against: semi-honest or malicious"),
    ("corruptions", "How many of them may be corrupted"),
    ("explain", "Show what auto chose from"),
    ("tables", "A party's CSV or Parquet file; with --party the file alone"),
    ("values", "An input without rows: rate=0.25"),
    ("results", "File for what a party learns; `-` for results alone"),
    ("inputs", "Circuits: file with the values of an input port"),
    ("outputs", "Circuits: file for the values of an output port"),
    ("reveal", "Circuits: who learns the outputs"),
    ("prepared", "Use what `tacit prepare` stored"),
    ("threads", "Threads per party"),
    ("network", "Network to play: lan, continental, global, 1gbit, a file"),
    ("session", "Name of this run, the same at all parties"),
    ("timeout", "Seconds without progress after which a run fails"),
];

/// The command line, with a short page of help for `tacit run`.
pub fn shortened(command: Command) -> Command {
    command.mut_subcommand("run", |run| {
        let long = run.get_after_help().cloned().unwrap_or_default();
        let run = run.mut_args(shorten).after_long_help(long);
        run.after_help("`tacit run --help` explains all flags, and has examples.")
    })
}

fn shorten(arg: Arg) -> Arg {
    let place = RUN.iter().position(|(id, _)| arg.get_id() == id);
    let Some(place) = place else { return arg.hide_short_help(true) };
    let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
    let arg = match arg.get_id().as_str() {
        // What may stand there is said in the help; a long one makes all others take two lines.
        "asked" => arg.value_name("PROTOCOL"),
        "corruptions" => arg.value_name("HOW_MANY"),
        "tables" => arg.value_name("[PARTY=]FILE"),
        "security" => arg.hide_possible_values(true),
        _ => arg,
    };
    arg.help(RUN[place].1).long_help(long).display_order(place).help_heading(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_short_page_fits_a_screen_and_names_flags_that_are_there() {
        let mut command = shortened(crate::command());
        let run = command.find_subcommand_mut("run").expect("run");
        for (id, _) in RUN {
            assert!(run.get_arguments().any(|arg| arg.get_id() == id), "{id}");
        }
        let page = run.render_help().to_string();
        assert!(page.lines().count() <= 40, "{page}");
        assert!(page.lines().all(|line| line.chars().count() <= 100), "{page}");
        assert!(run.render_long_help().to_string().contains("wide-lift@64"));
    }
}
