//! The numbers of every table, from the circuits as built.
//!
//! `tables.txt` holds them: they may only get smaller, and then the file is updated
//! with them. The figures of `docs/spec/circuits.md` are repeated here for the designs that came out
//! smaller than it says.

use tacit_circuit::library::{BuildError, FanIn, Params, build, registry};
use tacit_circuit::table;

#[test]
fn tables_hold_their_numbers() {
    let mut sections = include_str!("tables.txt").trim_end().split("\n\n");
    for made in table::tables() {
        let mut expected = sections.next().expect("a section per table").lines();
        assert_eq!(expected.next(), Some(made.name));
        for row in &made.rows {
            let cells: Vec<String> = row.cells.iter().map(|c| c.text()).collect();
            let line = format!("{} : {}", row.label, cells.join(" : "));
            assert_eq!(Some(line.as_str()), expected.next(), "table {}", made.name);
        }
        assert_eq!(expected.next(), None, "table {}", made.name);
    }
    assert_eq!(sections.next(), None);
}

/// Depth and bits for four widths.
type Figures = [(u32, Option<u64>); 4];

/// Depth and bits of `docs/spec/circuits.md` sections 3.2 (select tree) and 5.3 (carry-save multipliers), for
/// 16, 32, 64 and 128 bits at fan-in 4 and 8. Bits that it does not state are `None`.
const SPECIFIED: [(&str, usize, Figures); 4] = [
    ("compare", 4, [(3, Some(43)), (3, Some(136)), (4, Some(199)), (4, Some(600))]),
    ("compare", 8, [(2, Some(139)), (2, Some(610)), (3, Some(412)), (3, Some(1463))]),
    ("multiply", 4, [(7, Some(2555)), (8, Some(12685)), (9, Some(54217)), (10, None)]),
    ("multiply", 8, [(6, Some(3874)), (6, Some(33891)), (8, Some(58732)), (9, None)]),
];

#[test]
fn nothing_is_deeper_or_dearer_than_specified() {
    for (name, fan_in, figures) in SPECIFIED {
        for (width, (depth, bits)) in [16, 32, 64, 128].into_iter().zip(figures) {
            let params = Params::new().width(width).fan_in(FanIn::new(fan_in).unwrap());
            let stats = build(name, &params).unwrap().stats();
            assert!(stats.and_depth <= depth, "{name} {width} {fan_in}: depth {}", stats.and_depth);
            if let Some(bits) = bits {
                assert!(
                    stats.direction_bits() <= bits,
                    "{name} {width} {fan_in}: {} bits",
                    stats.direction_bits()
                );
            }
        }
    }
}

#[test]
fn tables_are_found_by_name_and_serialise() {
    assert!(table::table("no such table").is_none());
    let counters = table::table("counters").unwrap();
    let json: serde_json::Value = serde_json::to_value(&counters).unwrap();
    assert_eq!(json["rows"][0]["cells"][0]["sizes"]["direction_bits"], 44);
    assert_eq!(counters.cell("7:3", 0).unwrap().sizes.ands[..3], [3, 2, 3]);
    let text = counters.to_string();
    assert!(text.contains("3, 2, 3 (44)"), "{text}");
    assert!(table::names().contains(&"published-adders"));
}

#[test]
fn every_design_builds_with_its_defaults() {
    for design in registry() {
        let circuit = build(design.name, &Params::new()).unwrap();
        assert!(circuit.output_bits() > 0, "{}", design.name);
        assert!(!design.summary.is_empty() && design.params.iter().all(|p| !p.values().is_empty()));
    }
}

#[test]
fn wrong_parameters_are_named() {
    let error = |name: &str, settings: &[(&str, &str)]| -> Option<BuildError> {
        let mut params = Params::new();
        for (key, value) in settings {
            if let Err(error) = params.set(key, value) {
                return Some(error);
            }
        }
        build(name, &params).err()
    };
    let text = |name, settings| error(name, settings).unwrap().to_string();
    assert!(text("adder", &[]).contains("no design is called `adder`; there are: add, sub"));
    assert!(text("add", &[("depth", "3")]).contains("no parameter is called `depth`"));
    assert!(text("add", &[("sbox", "d4")]).contains("`add` has no parameter `sbox`"));
    assert!(text("add", &[("width", "129")]).contains("1 to 128"));
    assert!(text("add", &[("width", "0")]).contains("width"));
    assert!(text("add", &[("fan-in", "9")]).contains("2 to 8"));
    assert!(text("add", &[("form", "fast")]).contains("select, prefix, ripple"));
    assert!(text("add", &[("levels", "2"), ("fan_in", "2")]).contains("levels"));
    assert!(text("add", &[("levels", "60")]).contains("levels"));
    assert!(
        text("compare", &[("relation", "eq"), ("form", "prefix")]).contains("unsigned gt only")
    );
    assert!(text("multiply", &[("width", "8"), ("product-bits", "17")]).contains("1 to 16"));
    assert!(text("aes", &[("key-bits", "160")]).contains("128, 192 or 256"));
    assert!(text("aes", &[("sbox", "d5")]).contains("d2p"));
    assert!(text("aes", &[("expanded-key", "yes")]).contains("true or false"));
    assert!(error("and-tree", &[("width", "5000")]).is_none());
}
