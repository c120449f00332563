//! `tacit protocols`, and the tables of the documentation, which say the same.

#[path = "common/commands.rs"]
mod commands;

use commands::{fails, ok};
use serde_json::Value;
use std::path::Path;
use tacit_engine::protocols;
use tacit_protocol::{Descriptor, Status};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/protocols/README.md");
const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");

/// The table of the protocols of a status, as it stands in docs/protocols/README.md.
fn table(status: Status) -> String {
    let mut shown: Vec<&Descriptor> =
        protocols::ALL.iter().copied().filter(|of| of.status == status).collect();
    shown.sort_by_key(|of| of.security);
    let column = if status == Status::Product { "best for" } else { "why it is there" };
    let head = format!(
        "| protocol | parties | protects against | {column} |\n| --- | --- | --- | --- |\n"
    );
    let rows = shown.iter().map(|of| {
        let Descriptor { name, page, parties, best_for, .. } = of;
        let best_for = best_for.trim_start_matches("to compare: ");
        format!(
            "| [`{name}`]({page}) | {parties} | {} | {best_for} |\n",
            of.security.protects_against()
        )
    });
    head + &rows.collect::<String>()
}

/// The tables come from what each protocol says of itself. `TACIT_GOLDEN=write` writes them.
#[test]
fn the_page_of_protocols_lists_what_they_say_of_themselves() {
    let mut page = std::fs::read_to_string(PAGE).expect("the page");
    for (status, name) in [(Status::Product, "offered"), (Status::Baseline, "to compare")] {
        let [begin, end] = ["begin", "end"].map(|it| format!("<!-- {it} of table: {name} -->\n"));
        let from = page.find(&begin).expect("its begin is marked") + begin.len();
        let to = page.find(&end).expect("its end is marked");
        let wanted = table(status);
        if std::env::var_os("TACIT_GOLDEN").is_some_and(|mode| mode == "write") {
            page.replace_range(from..to, &wanted);
            std::fs::write(PAGE, &page).expect("the page can be written");
        } else {
            assert_eq!(page[from..to], wanted, "write it again with TACIT_GOLDEN=write");
        }
    }
}

#[test]
fn every_protocol_has_its_page_and_says_what_it_is_best_for() {
    let folder = Path::new(PAGE).parent().expect("a folder");
    for of in protocols::ALL.iter() {
        let (file, anchor) = of.page.split_once('#').unwrap_or((of.page, ""));
        let page = std::fs::read_to_string(folder.join(file)).expect(file);
        let anchors: Vec<String> =
            page.lines().filter(|line| line.starts_with('#')).map(anchor_of).collect();
        assert!(anchor.is_empty() || anchors.iter().any(|it| it == anchor), "{}", of.page);
        let compares = of.best_for.starts_with("to compare: ");
        assert_eq!(compares, of.status == Status::Baseline, "{}", of.name);
        assert!(!of.best_for.ends_with('.') && !of.best_for.contains('|'), "{}", of.name);
    }
}

/// What a heading is called in a link.
fn anchor_of(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The seven of the README are offered, for so many parties, against what the table says.
#[test]
fn the_readme_recommends_protocols_that_are_as_it_says() {
    let readme = std::fs::read_to_string(README).expect("the README");
    let rows = readme.lines().skip_while(|line| !line.starts_with("| protocol | parties |"));
    let rows: Vec<Vec<&str>> = rows
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), 7);
    for row in rows {
        let name = row[0].trim_matches('`').trim_end_matches(":N");
        let protocol = protocols::named(name).expect("a protocol");
        assert_eq!(protocol.descriptor().status, Status::Product, "{name}");
        let parties =
            if protocol.takes_any_number() { "N".into() } else { protocol.parties().to_string() };
        assert_eq!(row[1], parties, "{name}");
        let how = if protocol.is_malicious() { "malicious" } else { "semi-honest" };
        let all_but_one = protocol.takes_any_number();
        assert_eq!(row[2], format!("{how}, {}", if all_but_one { "all but one" } else { "one" }));
        let sized = protocol.fitting(5);
        let most = sized.security().corruptions(sized.parties());
        assert_eq!(most, if all_but_one { 4 } else { 1 }, "{name}");
    }
}

#[test]
fn the_command_lists_them() {
    let dir = Path::new(".");
    let text = ok(dir, "protocols");
    assert!(text.contains("fantastic-four") && !text.contains("tetrad"), "{text}");
    assert!(text.contains("more are there to compare"), "{text}");
    let all: Value = serde_json::from_str(&ok(dir, "protocols --all --json")).expect("JSON");
    let all = all["protocols"].as_array().expect("a list");
    assert_eq!(all.len(), protocols::ALL.len());
    let last = &all[all.len() - 1];
    assert_eq!((&last["name"], &last["malicious"]), (&"plain".into(), &false.into()));
    let some = ok(dir, "protocols tetrad gmw:5");
    assert!(
        some.contains("tetrad") && some.contains("2 to 64") && !some.contains("trio"),
        "{some}"
    );
    let (code, error) = fails(dir, "protocols lyft");
    assert!(code == 2 && error.contains("lift"), "{error}");
}
