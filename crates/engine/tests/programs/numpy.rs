//! Whole programs under protocols, against results that NumPy gave: `programs.jsonl` of the crate `program`.

use crate::harness::*;
use serde_json::Value;
use std::collections::BTreeMap;
use tacit_program::Program;
use tacit_program::clear::Array;

/// A line of the vectors.
struct Vector {
    program: Program,
    rows: u64,
    inputs: BTreeMap<String, Array>,
    out: BTreeMap<String, Vec<i128>>,
    within: u128,
}

fn vector(line: &str) -> Vector {
    let line: Value = serde_json::from_str(line).expect("JSON");
    let columns = |key: &str| -> BTreeMap<String, Vec<i128>> {
        let columns = line[key].as_object().expect("columns").iter();
        let values = |values: &Value| {
            let values = values.as_array().expect("values").iter();
            values.map(|v| i128::from(v.as_i64().expect("an integer"))).collect()
        };
        columns.map(|(name, column)| (name.clone(), values(column))).collect()
    };
    let program = parse(line["program"].as_str().expect("a program"));
    let mut given = columns("in");
    let rows = given.values().map(Vec::len).max().expect("an input");
    let array = |(id, name, _): (u32, &str, _)| {
        let element = program.body.nodes[id as usize].types[0].element;
        let values = given.remove(name).expect("values");
        (name.to_owned(), Array::from_values(element, vec![rows], values).expect("values that fit"))
    };
    let inputs = program.inputs().map(array).collect();
    let within = u128::from(line["within"].as_u64().expect("units"));
    Vector { rows: rows as u64, inputs, out: columns("out"), within, program: program.clone() }
}

#[test]
fn protocols_give_what_numpy_gives() {
    let lines = include_str!("../../../program/tests/vectors/programs.jsonl").lines();
    for (i, Vector { program, rows, inputs, out, within }) in lines.map(vector).enumerate() {
        // Half of the protocols each, in turn.
        for setting in kinds().skip(i % 2).step_by(2) {
            let job = job(setting, &[rows, 1]);
            let limits = limits(&program, &job);
            for (name, got) in run(&program, &job, &inputs)[0].revealed.as_ref().unwrap() {
                let bound = limits.iter().find(|(n, _)| n == name).unwrap().1;
                let limit = within + if is_exact(&program, &job) { 0 } else { bound };
                let pairs = got.values().zip(&out[name]);
                let far = pairs.clone().find(|(got, want)| got.abs_diff(**want) > limit);
                assert_eq!(got.len(), out[name].len(), "{name}");
                assert_eq!(far, None, "{} by {}: {name} of {rows} rows", job.protocol(), job.by);
            }
        }
    }
}
