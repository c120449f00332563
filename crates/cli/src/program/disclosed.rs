//! What a program shows to whom, said to people before anything leaves this machine.

use crate::output::remark;
use tacit::Program;
use tacit_program::Op;
use tacit_program::derived::computed;
use tacit_query::explain::Explained;

/// Says what the parties learn from a program or a query, and what it checks.
pub fn announce(program: &Program) {
    lines(program).iter().for_each(|line| remark(line));
}

fn lines(program: &Program) -> Vec<String> {
    let Some(Explained { learned, public, computed: of_owners, checked, advice, .. }) =
        program.disclosed()
    else {
        let learned = vec![format!("discloses: {}", of_program(program).join("; "))];
        return learned.into_iter().chain(of_texts(&computed(program))).collect();
    };
    let mut lines = vec![format!("discloses: {}", learned.join(", "))];
    let titled = |title: &str, what: &[String]| {
        (!what.is_empty()).then(|| format!("{title}{}", what.join("; ")))
    };
    lines.extend(titled("everybody learns ", public));
    lines.extend(of_texts(of_owners));
    lines.extend(titled("checks in the run: ", checked));
    // Behind its code.
    let advice = advice.iter().map(|advice| advice.split_once("  ").unwrap_or(("", advice)));
    lines.extend(advice.map(|(code, advice)| format!("look at {code}: {advice}")));
    lines
}

/// What owners compute of texts, if they do.
fn of_texts(computed: &[String]) -> Option<String> {
    (!computed.is_empty())
        .then(|| format!("of texts, each for its own rows: {}", computed.join("; ")))
}

/// Who learns which results, and which row counts everybody does.
fn of_program(program: &Program) -> Vec<String> {
    let mut learned: Vec<String> = Vec::new();
    for party in program.parties() {
        let results: Vec<String> = program.results_of(party).map(str::to_owned).collect();
        let results = if results.is_empty() { "no result".into() } else { results.join(", ") };
        learned.push(format!("{party} learns {results}"));
    }
    // Of padded tables and the like it is known before.
    let open = program.dims.iter().filter(|dim| dim.min < dim.max);
    let rows: Vec<String> = open.map(|dim| format!("\"{}\"", dim.name)).collect();
    match &rows[..] {
        [] => {}
        [one] => learned.push(format!("everybody learns the row count {one}")),
        several => learned.push(format!("everybody learns the row counts {}", several.join(", "))),
    }
    if program.body.any_node(&|node| matches!(node.op, Op::Check(_))) {
        learned.push("everybody learns whether all holds that the program checks".into());
    }
    learned
}
