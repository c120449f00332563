//! Pages of help for commands that have more flags than a screen has lines: `-h` and `--help` show those that a first use
//! needs, a line each, and `tacit help COMMAND` explains all of them.

use clap::{Arg, ArgAction, Command};

/// The flags of a command's page in their order: their ids, and what they are for.
type Page = &'static [(&'static str, &'static str)];

const SECURITY: (&str, &str) = ("security", "What auto protects against: semi-honest or malicious");
const CORRUPTIONS: (&str, &str) = ("corruptions", "How many of them may be corrupted");
const NETWORK: (&str, &str) =
    ("network", "Network to play: lan, continental, global, 1gbit, a file");
const THREADS: (&str, &str) = ("threads", "Threads per party");
const PROTOCOL: &str = "trio, lift, quad, yao, gmw:N, bmr:N, authenticated:N, and others; or auto";
const PROTOCOLS: &str = "trio, lift, quad, yao, gmw:N, and others, with commas; auto, or all";
const LOCAL: (&str, &str) = ("local", "Run all parties on this machine");
const PARTY: (&str, &str) = ("party", "Run one party: its file from `tacit party new`");
const ROWS: (&str, &str) = ("rows", "Row counts of a program: n=6000");
const INSTANCES: (&str, &str) = ("instances", "Instances of a circuit, side by side");
const TIMEOUT: (&str, &str) = ("timeout", "Seconds without progress after which a run fails");
const SESSION: (&str, &str) = ("session", "Name of this run, the same at all parties");

const RUN: Page = &[
    LOCAL,
    PARTY,
    ("asked", PROTOCOL),
    SECURITY,
    CORRUPTIONS,
    ("explain", "Show what auto chose from"),
    ("tables", "A party's CSV or Parquet file; with --party the file alone"),
    ("values", "An input without rows: rate=0.25"),
    ("results", "File for what a party learns; `-` for results alone"),
    ("inputs", "Circuits: file with the values of an input port"),
    ("outputs", "Circuits: file for the values of an output port"),
    ("reveal", "Circuits: who learns the outputs"),
    ("prepared", "Use what `tacit prepare` stored"),
    THREADS,
    NETWORK,
    SESSION,
    TIMEOUT,
];

const PREPARE: Page = &[
    LOCAL,
    PARTY,
    ("asked", PROTOCOL),
    SECURITY,
    CORRUPTIONS,
    ("into", "Directory for the stores, a folder for each party"),
    ("runs", "Runs to prepare"),
    ROWS,
    INSTANCES,
    ("reveal", "Circuits: who learns the outputs"),
    ("count", "For `tacit prepare triples`: triples per thread"),
    ("triples", "Use what `tacit prepare triples` stored"),
    THREADS,
    SESSION,
    TIMEOUT,
];

const PLAN: Page = &[
    NETWORK,
    ("parties", "How many parties there are, or their names"),
    SECURITY,
    CORRUPTIONS,
    ("objective", "What is to be short: the whole run (total), or online"),
    ROWS,
    INSTANCES,
    THREADS,
    ("memory", "Megabytes that a party may keep"),
    ("computing", "How fast parties compute: measured, here, typical or none"),
    ("fewer", "Protocols of fewer parties, too"),
];

const LAB: Page = &[
    NETWORK,
    ("protocol", PROTOCOLS),
    SECURITY,
    CORRUPTIONS,
    ROWS,
    INSTANCES,
    ("parties", "How many parties, for protocols of any number"),
    ("roles", "Who plays which role: 2,0,1, split or auto"),
    THREADS,
    ("network_only", "The network's time alone, the same in every run"),
    ("links", "Show bytes by link too"),
];

const BENCH: Page = &[
    ("protocols", "trio, lift, quad, yao, gmw:N, bmr:N, authenticated:N, and others"),
    ("width", "Bits of numbers"),
    INSTANCES,
    ("length", "Terms of an inner product"),
    ("size", "Rows and columns of a matrix"),
    ("roles", "Who plays which role: 2,0,1, split or auto"),
    THREADS,
    ("transport", "How the parties talk: memory, tcp or tls"),
    NETWORK,
    ("seconds", "Seconds to measure"),
    ("vs_limit", "Measure the bound of the setting in the same run"),
    ("plot", "Plot the speed over throttled links"),
    ("tables", "With `paper`: this table"),
    ("figures", "With `paper`: this figure"),
    ("quick", "With `paper`: smaller sizes, within a minute"),
    ("svg", "With `paper`: draw figures"),
];

const PROGRAM_BENCH: Page = &[
    ROWS,
    ("asked", PROTOCOL),
    SECURITY,
    CORRUPTIONS,
    ("by", "What numbers are computed with: rings or circuits"),
    ("roles", "Who plays which role: 2,0,1 or split"),
    THREADS,
    ("transport", "How the parties are connected: tls or tcp"),
    NETWORK,
    ("runs", "Runs, whose median is reported"),
];

/// Commands with a page.
const PAGES: [(&str, Page); 6] = [
    ("run", RUN),
    ("prepare", PREPARE),
    ("plan", PLAN),
    ("lab", LAB),
    ("bench", BENCH),
    ("program bench", PROGRAM_BENCH),
];

/// The command line, with the pages.
pub fn with_pages(command: Command) -> Command {
    PAGES.into_iter().fold(command, |command, (name, page)| match name.split_once(' ') {
        Some((group, of_group)) => command.mut_subcommand(group, |group| {
            group.mut_subcommand(of_group, |command| paged(command, name, page))
        }),
        None => command.mut_subcommand(name, |command| paged(command, name, page)),
    })
}

fn paged(command: Command, name: &str, page: Page) -> Command {
    let examples = command.get_after_help().cloned().unwrap_or_default();
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    command
        .mut_args(|arg| if arg.is_positional() { arg } else { on_page(arg, page) })
        .disable_help_flag(true)
        .arg(help.help("Show this page").help_heading(None).display_order(page.len()))
        .after_long_help(examples)
        .after_help(format!("`tacit help {name}` explains all flags, and has examples."))
}

/// A flag in its place on the page, if it has one there.
fn on_page(arg: Arg, page: Page) -> Arg {
    let place = page.iter().position(|(id, _)| arg.get_id() == id);
    let Some(place) = place else { return arg.hide_short_help(true) };
    let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
    let (id, line) = page[place];
    // What may stand there is said in the line; a long one makes all others take two lines.
    let arg = match id {
        "asked" | "protocol" => arg.value_name("PROTOCOL"),
        "corruptions" => arg.value_name("HOW_MANY"),
        "tables" if line.starts_with("A party's") => arg.value_name("[PARTY=]FILE"),
        "roles" => arg.value_name("ROLES"),
        "by" => arg.value_name("BY"),
        "security" | "objective" | "computing" | "transport" => arg.hide_possible_values(true),
        _ => arg,
    };
    arg.help(line).long_help(long).display_order(place).help_heading(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_a_screen_and_name_flags_that_are_there() {
        let mut command = with_pages(crate::command());
        for (name, page) in PAGES {
            let mut found = &mut command;
            for word in name.split(' ') {
                found = found.find_subcommand_mut(word).expect("a command");
            }
            for (id, _) in page {
                assert!(found.get_arguments().any(|arg| arg.get_id() == id), "{name}: {id}");
            }
            let text = found.render_help().to_string();
            assert!(text.lines().count() <= 40, "{name}: {text}");
            assert!(text.lines().all(|line| line.chars().count() <= 100), "{name}: {text}");
            let all = found.render_long_help().to_string();
            assert!(all.contains("Examples:") && all.len() > 2 * text.len(), "{name}: {all}");
        }
    }
}
