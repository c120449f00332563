//! Programs as people write them.

use super::*;
use crate::clear::{self, Array, evaluate};
use crate::domain::{Domain, Meaning};
use crate::summary::summary;
use crate::text::digest;
use crate::types::{Element, Interval, Visibility};
use std::sync::Arc;

#[test]
fn the_tour_is_read_and_printed() {
    let program = read(TOUR);
    assert_eq!(program.name, "tour");
    assert_eq!(program.parties, ["alice", "bob", "Carol & Co"]);
    assert_eq!(program.dims.len(), 2);
    let inputs: Vec<&str> = program.inputs().map(|(_, name, _)| name).collect();
    assert_eq!(inputs, ["salary", "level", "Base pay", "factor", "mail", "flags"]);
    let reveals: Vec<&str> = program.reveals.iter().map(|r| r.name.as_str()).collect();
    assert_eq!(reveals, ["total", "sums by level", "both", "x"]);
    assert_eq!(program.reveals[1].to.len(), 3);
    assert_round_trip(&program);
}

#[test]
fn canonical_text_has_types_and_no_user_names() {
    let program = read(
        "program p # a comment\nparties a\nrows n <= 9\ninput pay: u8[n] from a in 0..9\n\
         let twice = pay + pay\nlet t = sum(twice, axis 0)\nreveal t to a as \"it\"\n",
    );
    let expected = "program p\nparties a\nrows n <= 9\n\
                    input pay: u8[n] from a in 0..9\n\
                    let v1: u8[n] from a in 0..18 = add(pay, pay)\n\
                    let v2: u8 from a in 0..162 = sum(v1, axis 0)\n\
                    reveal v2 to a as \"it\"\n";
    assert_eq!(print(&program), expected);
}

/// Fewest rows narrow intervals, too, and programs that say none are as they were.
#[test]
fn row_counts_have_a_minimum() {
    let text = "program p\nparties a\nrows n in RANGE\ninput pay: u8[n] from a in 2..9\n\
                reveal sum(pay, axis 0) to a as \"it\"\n";
    let program = read(&text.replace("RANGE", "3..9"));
    assert_round_trip(&program);
    let canonical = print(&program);
    assert!(
        canonical.contains("\nrows n in 3..9\n") && canonical.contains("in 6..81"),
        "{canonical}"
    );
    assert_ne!(digest(&program), digest(&read(&text.replace("RANGE", "2..9"))));
    let from_zero = digest(&read(&text.replace("RANGE", "0..9")));
    assert_eq!(from_zero, digest(&read(&text.replace("in RANGE", "<= 9"))));
    let shown = summary(&program).to_string();
    assert!(shown.contains("row count n") && shown.contains("in 3..9"), "{shown}");
    let run = |rows: u64| {
        let pay = Array::from_values(Element::uint(8), vec![rows as usize], vec![2; rows as usize]);
        clear::evaluate(&program, &[rows], [("pay".to_string(), pay.unwrap())].into()).map(drop)
    };
    assert_eq!(run(2).unwrap_err().to_string(), "`n` has 2 rows, the program asks for at least 3");
    assert!(run(3).is_ok() && run(10).is_err());
}

#[test]
fn the_digest_is_stable_and_ignores_names_and_comments() {
    let text = "program p\nparties a, b\ninput x: u8 from a\ninput y: u8 from b\n\
                let NAME = x * y # COMMENT\nreveal NAME to a as \"product\"\n";
    let first = digest(&read(text));
    assert_eq!(first, digest(&read(&text.replace("NAME", "z").replace("COMMENT", ""))));
    assert_ne!(first, digest(&read(&text.replace("x * y", "x + y"))));
    assert_ne!(first, digest(&read(&text.replace("to a", "to a, b"))));
    assert_ne!(first, digest(&read(&text.replace("x: u8 from a", "x: u8 from a in 0..9"))));
    assert_eq!(hex::encode(first), PINNED);
}

const PINNED: &str = "1b50c5c3d6e90e12bc82bc39e2481d2e8da247cc3a7358d16645e0deff229cbb";

#[test]
fn numbers_become_constants_of_the_other_type() {
    let program = read(
        "program p\nparties a\ninput x: fixed(16,8)[3] from a\ninput y: u8 from a\n\
         let p = x + 0.75\nlet q = 300 - y\nlet b = x < 1\nlet s = select(b, y, -1)\n",
    );
    let constants: Vec<(Element, i128)> = program
        .body
        .nodes
        .iter()
        .filter_map(|node| match &node.op {
            Op::Constant(values) => Some((node.types[0].element, values[0])),
            _ => None,
        })
        .collect();
    let fixed = Element::Fixed { bits: 16, fraction: 8 };
    let expected = [(fixed, 192), (Element::uint(16), 300), (fixed, 256), (Element::int(8), -1)];
    assert_eq!(constants, expected);
    assert_round_trip(&program);
}

#[test]
fn comparisons_bind_tighter_than_logic_and_looser_than_sums() {
    let ops = |text: &str| -> Vec<String> {
        let header = "program p\nparties a\ninput x: u8 from a\ninput y: u8 from a\nlet r = ";
        let program = read(&format!("{header}{text}\n"));
        let nodes = program.body.nodes.iter().skip(2);
        nodes.map(|n| crate::text::op_names::name(&n.op).to_owned()).collect()
    };
    assert_eq!(
        ops("x + y * y < x & y == x | x < y"),
        ["mul", "add", "less", "equal", "and", "less", "or"]
    );
    assert_eq!(ops("x - y - x"), ["sub", "sub"]);
    assert_eq!(ops("!(x < y)"), ["less", "not"]);
    assert_eq!(ops("x >= y"), ["less", "not"]);
    assert_eq!(ops("-x + -3"), ["neg", "constant", "add"]);
}

#[test]
fn loops_capture_what_they_read() {
    let program = read(
        "program p\nparties a\ninput x: i64 from a in 0..9\ninput z: i64 from a in 0..9\n\
         let (r, c) = loop 3 carry (x = x, count: i64 public = 0) index i {\n\
           let inner = loop 2 carry (y: i64 in 0..9 = z) {\n    yield min(y, z)\n  }\n\
           yield add(x, inner, wrap), i\n}\nreveal r to a\n",
    );
    let Some(Op::Loop(outer)) =
        program.body.nodes.iter().map(|n| &n.op).find(|op| matches!(op, Op::Loop(_)))
    else {
        panic!("no loop")
    };
    assert_eq!(outer.carried, 2);
    assert_eq!(outer.body.nodes[0].types[0].visibility, Visibility::Secret);
    assert_eq!(outer.body.nodes[1].types[0].visibility, Visibility::Public);
    assert_eq!(outer.body.nodes[2].types[0].interval, Interval { low: 0, high: 2 });
    assert!(matches!(outer.body.nodes[3].op, Op::Parameter(3)), "z is captured");
    assert_round_trip(&program);
}

#[test]
fn circuits_are_built_embedded_and_loaded() {
    let mut b = tacit_circuit::Builder::new();
    let (x, y) = (b.input(3), b.input(1));
    let all = b.and(&[x[0], x[1], y[0]]);
    b.output(&[all]);
    let bytes = tacit_circuit::formats::binary::write(&b.finish());
    let text = "program p\nparties a\ninput x: fixed(3,1)[4] from a\n\
                let r: bit[4] = circuit_file(\"maps/odd.one.tbc\")(x, true)\n";
    let mut asked = Vec::new();
    let mut load = |name: &str| {
        asked.push(name.to_owned());
        Ok(bytes.clone())
    };
    let program = super::super::parse_with("p.tacit", text, &mut load).unwrap();
    assert_eq!(asked, ["maps/odd.one.tbc"]);
    let canonical = print(&program);
    assert!(canonical.contains("circuit c0 \"odd\" (\n  \"7461636974626331"), "{canonical}");
    assert_round_trip(&program);
    let library = "program p\nparties a\ninput x: u8 from a\n\
                   let r = circuit(\"multiply\", width 8, form \"dadda\")(x, x)\n";
    let program = read(library);
    let canonical = print(&program);
    assert!(
        canonical.contains("circuit(\"multiply\", form dadda, width 8, digest \""),
        "{canonical}"
    );
    assert_round_trip(&program);
    let (before, after) = canonical.split_at(canonical.find("digest \"").unwrap() + 8);
    let other =
        format!("{before}{}{}", if after.starts_with('0') { '1' } else { '0' }, &after[1..]);
    let error = parse("p.tacit", &other).unwrap_err();
    assert!(error.message.contains("builds another circuit"), "{error}");
}

#[test]
fn names_that_are_no_words_are_quoted() {
    let program = read(
        "program \"two words\"\nparties \"to\", \"all\", \"B \\\"x\\\"\"\nrows \"n m\" <= 4\n\
         input \"v1\" as w: u8[2*\"n m\" + 1] from \"to\"\nlet v0 = w + 1\n\
         reveal v0 to \"all\", \"B \\\"x\\\"\" as \"a\\u{a}b\"\n",
    );
    assert!(print(&program).contains("input \"v1\" as v0: u8[2*\"n m\" + 1] from \"to\"\n"));
    assert_round_trip(&program);
}

#[test]
fn row_counts_are_public_numbers_of_known_bounds() {
    let program = read(
        "program p\nparties a\nrows n <= 1000\nrows m <= 9\ninput x: u8[n] from a\n\
         let per_row = sum(x, axis 0) / max(n, 1)\nlet length: u16 public in 1..2010 = rows(2*n + m + 1)\n\
         let own: u16 public in 0..1000 = n\nreveal own + length to a as \"all\"\n",
    );
    assert_round_trip(&program);
    let inputs = [("x".to_owned(), Array::from_values(Element::uint(8), vec![7], [3; 7]).unwrap())];
    let revealed = evaluate(&program, &[7, 2], inputs.into()).unwrap();
    assert_eq!(revealed[0].1.values().collect::<Vec<_>>(), [7 + 14 + 2 + 1]);
    // A value goes before a row count of its name.
    let program = read("program p\nparties a\nrows n <= 9\nlet n = 3\nreveal n to a\n");
    let public = program.body.type_of(program.reveals[0].value);
    assert_eq!(public.interval, Interval { low: 3, high: 3 });
}

#[test]
fn results_by_group_are_labelled_by_their_domains() {
    let header = "program p\nparties a\nrows n <= 9\ndomain level = [\"low\", \"hi\"]\n\
                  domain year = 2020..2022\ninput k: u8[n] from a of level\n\
                  input y: i32[n] from a of year\ninput x: u8[n] from a\n\
                  let cell = k * 3 + (y - 2020)\n";
    let labels = |expression: &str, clause: &str| {
        let program = read(&format!("{header}reveal {expression} to a{clause} as \"r\"\n"));
        assert_round_trip(&program);
        let names = |axis: &Vec<Arc<Domain>>| {
            axis.iter().map(|domain| domain.name.as_str()).collect::<Vec<_>>().join(" ")
        };
        let labels = program.labels(&program.reveals[0]);
        labels.iter().map(names).collect::<Vec<_>>()
    };
    let both = "[level, year]";
    assert_eq!(labels("group_sum(k, x, by level)", ""), ["level"]);
    assert_eq!(labels("group_count(y, by year)", ""), ["year"]);
    assert_eq!(labels(&format!("group_mean(cell, x, by {both})"), ""), ["level year"]);
    assert_eq!(labels(&format!("group_std(cell, x, by {both}, fraction 4)"), ""), ["level year"]);
    let counts = format!("group_count(cell, by {both})");
    assert_eq!(labels(&format!("select({counts} > 2, {counts}, 0)"), ""), ["level year"]);
    let table = format!("reshape({counts}, shape [2, 3])");
    assert_eq!(labels(&table, ""), ["level", "year"]);
    assert_eq!(labels(&format!("sum({table}, axis 0)"), ""), ["year"]);
    assert_eq!(labels(&format!("transpose({table}, order [1, 0])"), ""), ["year", "level"]);
    let column = format!("slice({table}, axis 1, start 0, length 1)");
    assert_eq!(labels(&format!("reshape({column}, shape [2])"), ""), ["level"]);
    assert_eq!(labels(&format!("reshape({counts}, shape [3, 2])"), ""), ["", ""]);
    assert_eq!(labels("sort(group_sum(k, x, by level))", ""), [""]);
    assert_eq!(labels("group_sum(k, x, first 0, groups 2)", ""), [""]);
    assert_eq!(labels("group_sum(k, x, first 0, groups 2)", " by level"), ["level"]);
    assert_eq!(
        labels("group_sum(k, x, by level) + group_sum(y, x, first 0, groups 2)", ""),
        ["level"]
    );
}

#[test]
fn dates_are_days_and_inputs_say_what_they_stand_for() {
    let program = read(
        "program p\nparties a\nrows n <= 9\ndomain \"a b\" = [\"x\", \"\\\"y\\\"\"]\n\
         input born: date[n] from a in date(\"1900-01-01\")..date(\"2024-12-31\")\n\
         input k: u8[n] from a of \"a b\"\nlet old = sum(born < date(\"1970-01-02\"), axis 0)\n\
         reveal old to a\nreveal median(born) to a of date as \"middle\"\n",
    );
    assert_round_trip(&program);
    let born = &program.body.nodes[0];
    assert_eq!(born.types[0].interval, Interval { low: -25_567, high: 20_088 });
    assert_eq!(*program.meaning(0), Meaning::Date);
    assert!(print(&program).contains("i32[n] from a in -25567..20088 of date\n"));
    assert!(print(&program).contains("input k: u8[n] from a in 0..1 of \"a b\"\n"));
    let values = Array::from_values(Element::int(32), vec![3], [-1, 0, 1]).unwrap();
    let codes = Array::from_values(Element::uint(8), vec![3], [0; 3]).unwrap();
    let inputs = [("born".to_owned(), values), ("k".to_owned(), codes)];
    let revealed = evaluate(&program, &[3], inputs.into()).unwrap();
    assert_eq!(revealed[0].1.values().collect::<Vec<_>>(), [2]);
    assert_eq!(revealed[1].1.values().collect::<Vec<_>>(), [0]);
}
