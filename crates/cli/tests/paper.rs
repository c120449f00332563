//! `tacit bench paper`: tables beside Tacit's numbers, files of rows, plots, and what is refused.

#[path = "common/commands.rs"]
mod commands;

use commands::{fails, ok};
use serde_json::Value;

/// Rows of JSON text.
fn rows(part: &Value) -> &Vec<Value> {
    part["rows"].as_array().expect("rows")
}

#[test]
fn a_table_has_published_numbers_and_ours() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let dir = folder.path();
    let bench = "bench paper multi-fan-in --table 2 --figure 5 --quick --json --result rows.jsonl --svg plot.svg";
    let all: Value = serde_json::from_str(&ok(dir, bench)).expect("JSON");
    assert_eq!(all["paper"], "multi-fan-in");
    let parts = all["parts"].as_array().expect("parts");
    let numbers: Vec<_> = parts.iter().map(|part| (&part["kind"], &part["number"])).collect();
    let [table, figure] = ["table", "figure"].map(Value::from);
    let [two, five] = ["2", "5"].map(Value::from);
    assert_eq!(numbers, [(&table, &two), (&figure, &five)]);
    // The same designs: every number that can be read is ours too.
    for row in rows(&parts[0]).iter().filter(|row| !row["published"].is_null()) {
        assert_eq!(row["ratio"], 1.0, "{row}");
    }
    // Latencies of the paper's simulated network, where ANDs of two inputs take seven and more one-way delays.
    let trees: Vec<&Value> =
        rows(&parts[1]).iter().filter(|row| row["series"] == "sim, this, fan-in 2").collect();
    assert_eq!(trees.len(), 5);
    for (row, levels) in trees.iter().zip([4.0, 6.0, 8.0, 10.0, 12.0]) {
        let seconds = row["tacit"].as_f64().expect("a number");
        assert!((0.05 * levels..0.05 * levels + 0.2).contains(&seconds), "{row}");
    }
    let lines = std::fs::read_to_string(dir.join("rows.jsonl")).expect("rows");
    assert_eq!(lines.lines().count(), rows(&parts[0]).len() + rows(&parts[1]).len());
    let first: Value = serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
    assert_eq!((&first["part"], &first["unit"]), (&"table 2".into(), &"".into()));
    let plot = std::fs::read_to_string(dir.join("plot.svg")).expect("a plot");
    assert!(plot.contains("WAN, this, fan-in 8") && plot.contains("polyline"));
}

#[test]
fn repetitions_are_a_median_and_their_ends() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let text = ok(folder.path(), "bench paper trio-quad --table 4");
    assert!(text.contains("Ours (4-PC), P3, random words") && text.contains("1.00"), "{text}");
    assert!(text.contains("Tacit states no counts"), "{text}");
    let bench = "bench paper trio-quad --figure 11 --repeat 2 --json";
    let all: Value = serde_json::from_str(&ok(folder.path(), bench)).expect("JSON");
    for row in rows(&all["parts"][0]) {
        assert_eq!(row["repetitions"], 2, "{row}");
        assert!(row["low"] == row["high"] && row["low"] == row["tacit"], "{row}");
        assert!(row["published"].is_null() || row["ratio"] == 1.0, "{row}");
    }
}

#[test]
fn what_papers_have_not_is_refused() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for (arguments, what) in [
        ("paper brain --hosts hosts.toml", "not supported"),
        ("paper ccs20 --hosts hosts.toml", "not supported"),
        ("paper brain --network lan", "--network"),
        ("paper brain --protocol lift", "--protocol"),
        ("paper brain --threads 4", "--threads"),
        ("paper brain --table 7", "brain has 1"),
        ("paper multi-fan-in --figure 10a", "multi-fan-in has 5"),
        ("paper ccs16 --synthetic --figure 6", "ccs16 has none"),
        ("paper brain --table 1 --svg plot.svg", "--figure"),
        ("paper brain --synthetic", "ccs16"),
        ("paper brain --quick --repeat 3", "--repeat"),
        ("and --table 3", "PAPER"),
        ("and --quick", "PAPER"),
        ("paper brain --repeat 0", "0"),
    ] {
        let (code, error) = fails(folder.path(), &format!("bench {arguments}"));
        assert_eq!(code, 2, "{arguments}: {error}");
        assert!(error.contains(what), "{arguments}: {error}");
    }
    let entries = std::fs::read_dir(folder.path()).expect("folder").count();
    assert!(entries <= 1, "nothing is written but the ledger's folder");
}
