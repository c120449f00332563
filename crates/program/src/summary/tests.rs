use super::*;
use crate::text::parse;

const TEXT: &str = "program gap\nparties alice, bob, carol\nrows n <= 1000\nrows m <= 10\n\
    input pay: u32[n] from alice in 0..1000000\ninput level: u8[n] from bob in 0..5\n\
    input rate: fixed(16,8) public in 0..2\n\
    let sums = group_sum(level, pay, first 0, groups 6)\n\
    let total = sum(pay * 3, axis 0)\n\
    let product = reshape(pay, shape [n, 1]) @ reshape(level, shape [1, n])\n\
    let x = loop 2*m + 1 carry (x: u8[n] in 0..5 = level) {\n\
      let y = loop 3 carry (y: u8[n] in 0..5 = x) {\n    yield min(y, level)\n  }\n  yield y\n}\n\
    reveal sums to alice, bob as \"sums by level\"\nreveal total to bob\n";

fn example() -> Summary {
    summary(&parse("gap.tacit", TEXT).unwrap())
}

fn count<'a>(summary: &'a Summary, name: &str, secret: bool) -> &'a Operation {
    summary.operations.iter().find(|o| o.name == name && o.secret == secret).expect("used")
}

#[test]
fn elements_are_counted_with_rows_and_loops() {
    let summary = example();
    let names = |dim: crate::DimId| ["n", "m"][dim.0 as usize].to_owned();
    let text = |count: &Count| count.text(names);
    assert_eq!(text(&count(&summary, "group_sum", true).elements), "n");
    assert_eq!(text(&count(&summary, "mul", false).elements), "n");
    assert_eq!(text(&count(&summary, "matmul", true).elements), "n*n");
    assert_eq!(text(&count(&summary, "min", true).elements), "6*n*m + 3*n");
    assert_eq!(text(&summary.nonlinear), "6*n*m + n*n + 4*n");
    assert_eq!(summary.nonlinear.at(&[10, 2]), 120 + 100 + 40);
    let loops: Vec<_> = summary
        .loops
        .iter()
        .map(|l| (l.depth, l.trips.as_str(), l.carried, l.operations))
        .collect();
    assert_eq!(loops, [(0, "2*m + 1", 1, 1), (1, "3", 1, 1)]);
}

#[test]
fn what_is_revealed_to_whom_comes_first() {
    let shown = example().to_string();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[0], "program gap");
    let revealed = [
        "REVEALED, and nothing else",
        "  alice learns      \"sums by level\"  u32[6]  in 0..1000000000",
        "  bob learns        \"sums by level\"  u32[6]  in 0..1000000000",
        "                    total            u32     in 0..3000000000",
        "  carol learns      no result",
        "  everybody learns  row count n              in 0..1000",
        "                    row count m              in 0..10",
        "",
        "TAKEN",
        "  from alice  pay    u32[n]       in 0..1000000",
        "  from bob    level  u8[n]        in 0..5",
        "  public      rate   fixed(16,8)  in 0..2",
    ];
    assert_eq!(lines[3..15], revealed, "{shown}");
}

#[test]
fn names_cannot_forge_lines() {
    let text = "program p\nparties a\ninput x: u8 from a\n\
                reveal x to a as \"x\\u{a}bob learns nothing\\u{202e}\"\n";
    let shown = summary(&parse("p.tacit", text).unwrap()).to_string();
    assert!(shown.contains("\"x\\u{a}bob learns nothing\\u{202e}\""), "{shown}");
}

#[test]
fn counts_stay_small() {
    let dims: Vec<_> =
        (0..40).map(|i| crate::ir::Dim { name: format!("d{i}"), min: 0, max: 7 }).collect();
    let extent =
        (0..40).map(|i| crate::Extent::rows(crate::DimId(i))).reduce(|a, b| a + b).unwrap();
    let count = Count::of_shape(&[extent.clone(), extent.clone(), extent], &dims);
    assert_eq!(count.at(&[7; 40]), 280 * 280 * 280);
    assert!(count.terms().count() <= 64);
    let huge = Count::from(u64::MAX);
    let huge = huge.times(&huge, &[]).times(&huge, &[]);
    assert_eq!(huge.at(&[]), u128::MAX);
}

#[test]
fn domains_and_labels_are_shown() {
    let text = "program p\nparties a\nrows n <= 9\ndomain level = [\"low\", \"hi\"]\n\
        input k: u8[n] from a of level\ninput d: date[n] from a in date(\"2020-01-01\")..date(\"2020-12-31\")\n\
        reveal group_count(k, by level) to a as \"counts\"\nreveal median(d) to a of date as \"middle\"\n";
    let shown = summary(&parse("p.tacit", text).unwrap()).to_string();
    for part in [
        "counts       u8[2]  in 0..9 by level",
        "from a  k  u8[n]   in 0..1 of level",
        "from a  d  i32[n]  in 2020-01-01..2020-12-31",
        "DOMAINS, what numbers stand for\n  level  low, hi\n",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
}
