//! The user's guide, `docs/programs.md`, says what is so.

use super::*;
use crate::summary::summary;
use crate::text::functions::FUNCTIONS;

const GUIDE: &str = include_str!("../../../../../docs/programs.md");

/// The code blocks of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let parts = GUIDE.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(kind)?.strip_prefix('\n')).collect()
}

#[test]
fn its_programs_are_right() {
    let programs = blocks("tacit");
    assert_eq!(programs.len(), 3);
    programs.iter().for_each(|text| assert_round_trip(&read(text)));
}

#[test]
fn its_canonical_form_and_summary_are_those_of_its_first_program() {
    let program = read(blocks("tacit")[0]);
    let shown = blocks("");
    assert_eq!(*shown.last().unwrap(), print(&program));
    let summary = summary(&program).to_string();
    assert!(summary.contains(shown[0]), "{summary}");
}

#[test]
fn it_has_every_function() {
    for function in FUNCTIONS {
        let call = format!("{}(", function.name);
        assert!(GUIDE.contains(&call), "{call}");
    }
}
