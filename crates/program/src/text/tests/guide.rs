//! The user's guide, `docs/programs.md`, says what is so.

use super::*;
use crate::clear::{Array, evaluate};
use crate::summary::summary;
use crate::text::functions::FUNCTIONS;
use crate::types::Element;
use std::collections::BTreeMap;

const GUIDE: &str = include_str!("../../../../../docs/programs.md");

/// The code blocks of a kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let parts = GUIDE.split("```").skip(1).step_by(2);
    parts.filter_map(|part| part.strip_prefix(kind)?.strip_prefix('\n')).collect()
}

#[test]
fn its_programs_are_right() {
    let programs = blocks("tacit");
    assert_eq!(programs.len(), 5);
    programs.iter().for_each(|text| assert_round_trip(&read(text)));
}

#[test]
fn its_recipes_give_what_they_say() {
    let program = read(blocks("tacit")[4]);
    let recipes = |pay: &[i128], age: &[i128]| -> BTreeMap<String, Vec<f64>> {
        let column = |bits, values: &[i128]| {
            Array::from_values(Element::uint(bits), vec![values.len()], values.to_vec()).unwrap()
        };
        let inputs = [("pay", column(32, pay)), ("age", column(8, age))];
        let inputs = inputs.map(|(name, array)| (name.to_owned(), array)).into();
        let revealed = evaluate(&program, &[pay.len() as u64], inputs).unwrap();
        let number =
            |array: &Array, raw: i128| raw as f64 / (1u64 << array.element().fraction()) as f64;
        let numbers = |array: &Array| array.values().map(|raw| number(array, raw)).collect();
        revealed.iter().map(|(name, array)| (name.clone(), numbers(array))).collect()
    };
    // Twelve people of 20 to 31, who earn 10 to 120 thousand.
    let pay: Vec<i128> = (1..=12).map(|i| 10_000 * i).collect();
    let found = recipes(&pay, &(20..32).collect::<Vec<_>>());
    assert_eq!(found["mean pay under 30"], [55_000.0]);
    assert_eq!(found["well paid under 30"], [6.0]);
    assert_eq!(found["people by decade"][2..4], [10.0, 0.0]);
    // (12^2 - 1) / 12 and 12 (12 + 1) / 12 times the square of the step.
    assert!((found["population"][0] - 143e8 / 12.0).abs() <= 1.0, "{:?}", found["population"]);
    assert!((found["sample"][0] - 13e8).abs() <= 2.0, "{:?}", found["sample"]);
    assert_eq!(found["median pay under 30"], [50_000.0]);
    assert_eq!(found["quartiles under 30"], [30_000.0, 50_000.0, 70_000.0]);
    assert_eq!(found["pay per person"], [65_000.0]);
    assert_eq!(found["highest"], [120_000.0, 110_000.0, 100_000.0]);
    assert_eq!(found["their ages"], [31.0, 30.0, 29.0]);
    let found = recipes(&[7], &[29]);
    assert_eq!((found["sample"][0], &found["highest"][..]), (0.0, &[7.0, 0.0, 0.0][..]));
    let found = recipes(&[], &[]);
    assert_eq!((found["mean pay under 30"][0], found["median pay under 30"][0]), (0.0, 0.0));
    assert_eq!(found["pay per person"], [0.0]);
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
