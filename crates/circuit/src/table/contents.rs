//! Which circuits each table shows.

use super::published;
use super::{Cell, Row, Sizes, Table};
use crate::Circuit;
use crate::library::aes::{self, Direction, KeyInput, KeySize, Sbox};
use crate::library::sha256::{self, Additions};
use crate::library::{FanIn, Params, build};
use crate::passes::LevelProgram;
use crate::passes::cost::{Form, Traffic};

/// A table's name and maker.
type Maker = (&'static str, fn() -> Table);

/// All tables, in the order of `docs/spec/circuits.md`.
pub(super) const ALL: [Maker; 13] = [
    ("adders", adders),
    ("comparators", comparators),
    ("and-trees", and_trees),
    ("counters", counters),
    ("multipliers", multipliers),
    ("dividers", dividers),
    ("s-boxes", sboxes),
    ("aes", aes_ciphers),
    ("sha256", sha256_compression),
    ("published-adders", published_adders),
    ("published-multipliers", published_multipliers),
    ("published-comparators", published_comparators),
    ("published-gates", published_gates),
];

const WIDTHS: [usize; 4] = [16, 32, 64, 128];
const FAN_INS: [FanIn; 3] = [FanIn::TWO, FanIn::FOUR, FanIn::EIGHT];

/// A circuit of the registry. The tables ask for nothing that it does not have.
pub(super) fn design(
    name: &str,
    width: usize,
    fan_in: FanIn,
    settings: &[(&str, &str)],
) -> Circuit {
    let mut params = Params::new().width(width).fan_in(fan_in);
    for (key, value) in settings {
        params.set(key, value).expect("a parameter's value");
    }
    build(name, &params).expect("a design of the registry")
}

pub(super) fn fan_in(limit: usize) -> FanIn {
    FanIn::new(limit).expect("a fan-in from 2 to 8")
}

type Style = fn(&Sizes) -> String;

fn depth_size(s: &Sizes) -> String {
    format!("{}/{}", s.depth, s.size)
}

fn depth_size_bits(s: &Sizes) -> String {
    format!("{}/{} ({})", s.depth, s.size, s.direction_bits)
}

fn cell(circuit: &Circuit, style: Style) -> Cell {
    let sizes = Sizes::of(circuit);
    Cell { ours: style(&sizes), published: None, sizes }
}

fn beside(circuit: &Circuit, style: Style, published: String) -> Cell {
    Cell { published: Some(published), ..cell(circuit, style) }
}

fn row<T>(
    label: impl Into<String>,
    columns: impl IntoIterator<Item = T>,
    make: impl FnMut(T) -> Cell,
) -> Row {
    Row { label: label.into(), cells: columns.into_iter().map(make).collect() }
}

fn bits_columns(widths: &[usize]) -> Vec<String> {
    widths.iter().map(|n| format!("{n} bits")).collect()
}

/// Rows of one design over the widths, for each fan-in.
fn rows(label: &str, name: &'static str, widths: &[usize], settings: &[(&str, &str)]) -> Vec<Row> {
    let row_of = |f: FanIn| {
        row(format!("{label}, F = {f}"), widths, |&n| {
            cell(&design(name, n, f, settings), depth_size_bits)
        })
    };
    FAN_INS.into_iter().map(row_of).collect()
}

fn adders() -> Table {
    let carry = ("carry-out", "true");
    let ripple = row("ripple", WIDTHS, |n| {
        cell(&design("add", n, FanIn::TWO, &[("form", "ripple"), carry]), depth_size_bits)
    });
    let parts = [
        vec![ripple],
        rows("generate/propagate", "add", &WIDTHS, &[("form", "prefix"), carry]),
        rows("select mod 2^n", "add", &WIDTHS, &[]),
        rows("select with carry out", "add", &WIDTHS, &[carry]),
    ];
    Table {
        name: "adders",
        title: "depth/size (bits per direction)",
        columns: bits_columns(&WIDTHS),
        rows: parts.concat(),
    }
}

fn comparators() -> Table {
    let parts = [
        rows("prefix", "compare", &WIDTHS, &[("form", "prefix")]),
        rows("select tree", "compare", &WIDTHS, &[]),
        rows("equality", "compare", &WIDTHS, &[("relation", "eq")]),
    ];
    Table {
        name: "comparators",
        title: "x > y and x == y: depth/size (bits per direction)",
        columns: bits_columns(&WIDTHS),
        rows: parts.concat(),
    }
}

const TREES: [u32; 5] = [4, 6, 8, 10, 12];

fn and_trees() -> Table {
    let tree = |form: &str, f: FanIn, log: u32| design("and-tree", 1 << log, f, &[("form", form)]);
    let bytes =
        |s: &Sizes| format!("{}/{}", s.direction_bits.div_ceil(8), s.helper_bits.div_ceil(8));
    let mut rows = Vec::new();
    for (f, kilobytes) in published::AND_TREES {
        rows.push(row(
            format!("uniform, F = {f}"),
            TREES.into_iter().zip(kilobytes),
            |(log, (p0, p2))| {
                beside(&tree("uniform", fan_in(f), log), bytes, format!("{p0:.3}/{p2:.3} kB"))
            },
        ));
        rows.push(row(format!("cheapest, F = {f}"), TREES, |log| {
            cell(&tree("cheapest", fan_in(f), log), bytes)
        }));
    }
    Table {
        name: "and-trees",
        title: "bytes that an evaluator and the helper send for one instance",
        columns: TREES.iter().map(|log| format!("2^{log} inputs")).collect(),
        rows,
    }
}

fn counters() -> Table {
    let one = |name: &str| build(name, &Params::new()).expect("a design of the registry");
    let make = |label: &str, name: &str| row(label, [one(name)], |c| cell(&c, gates_and_bits));
    Table {
        name: "counters",
        title: "one level: gates by fan-in 2, 3, ..., 8 (bits per direction)",
        columns: vec!["gates".into()],
        rows: vec![make("7:3", "counter7"), make("15:4", "counter15")],
    }
}

fn gates_and_bits(s: &Sizes) -> String {
    let last = s.ands.iter().rposition(|&n| n > 0).unwrap_or(0);
    let ands: Vec<String> = s.ands[..=last].iter().map(u64::to_string).collect();
    format!("{} ({})", ands.join(", "), s.direction_bits)
}

fn multipliers() -> Table {
    let mut rows: Vec<Row> =
        [("array", "array"), ("staged, Wallace", "wallace"), ("staged, Dadda", "dadda")]
            .map(|(label, form)| {
                row(label, WIDTHS, |n| {
                    cell(&design("multiply", n, FanIn::TWO, &[("form", form)]), depth_size_bits)
                })
            })
            .into();
    rows.extend(self::rows("carry-save", "multiply", &WIDTHS, &[]));
    rows.push(row("carry-save, not fused, F = 4", WIDTHS, |n| {
        cell(&design("multiply", n, FanIn::FOUR, &[("fuse-to", "0")]), depth_size_bits)
    }));
    rows.push(row("carry-save mod 2^n, F = 4", WIDTHS, |n| {
        cell(
            &design("multiply", n, FanIn::FOUR, &[("product-bits", &n.to_string())]),
            depth_size_bits,
        )
    }));
    rows.push(row("carry-save mod 2^n, F = 8", WIDTHS, |n| {
        cell(
            &design("multiply", n, FanIn::EIGHT, &[("product-bits", &n.to_string())]),
            depth_size_bits,
        )
    }));
    Table {
        name: "multipliers",
        title: "2n-bit product: depth/size (bits per direction)",
        columns: bits_columns(&WIDTHS),
        rows,
    }
}

fn dividers() -> Table {
    let widths = [8, 16, 32, 64];
    let forms = ["ripple", "scan", "digits1", "digits2", "digits3", "digits4"];
    let rows = forms
        .into_iter()
        .flat_map(|form| rows(form, "divide", &widths, &[("form", form)]))
        .collect();
    Table {
        name: "dividers",
        title: "quotient and remainder, unsigned: depth/size (bits per direction)",
        columns: bits_columns(&widths),
        rows,
    }
}

/// An S-box and its traffic with every level fused into polynomial gates.
struct Substitution {
    form: Sbox,
    sizes: Sizes,
    fused: Traffic,
    dealer: Traffic,
}

impl Substitution {
    fn new(form: Sbox) -> Substitution {
        let circuit = form.circuit();
        let levels = LevelProgram::new(&circuit);
        let traffic = |form| levels.traffic(form);
        Substitution {
            form,
            sizes: Sizes::of(&circuit),
            fused: traffic(Form::Symmetric),
            dealer: traffic(Form::Dealer),
        }
    }

    /// Traffic gate by gate, if there are only ANDs.
    fn gate_by_gate(&self) -> String {
        let s = &self.sizes;
        let text = format!("{}, {}, {}", s.direction_bits, s.helper_bits, s.total_bits);
        if s.polys == 0 { text } else { "--".into() }
    }

    fn polynomial(&self) -> String {
        let (t, helper) = (self.fused, self.fused.p2_p0 + self.fused.p2_p1);
        format!("{}, {helper}, {}", t.p0_p1, t.total())
    }

    fn columns(&self) -> [(&'static str, String); 6] {
        [
            ("depth", self.sizes.depth.to_string()),
            ("ANDs by fan-in (bits)", gates_and_bits(&self.sizes)),
            ("XOR", self.sizes.xors.to_string()),
            ("gate by gate", self.gate_by_gate()),
            ("polynomial gates", self.polynomial()),
            ("dealer form", self.dealer.total().to_string()),
        ]
    }
}

fn sboxes() -> Table {
    let forms = Sbox::ALL.map(Substitution::new);
    let rows = forms.iter().map(|form| {
        row(form.form.name(), form.columns(), |(_, ours)| Cell {
            ours,
            published: None,
            sizes: form.sizes.clone(),
        })
    });
    Table {
        name: "s-boxes",
        title: "AES S-box; bits: one direction between the evaluators, from the helper, in all",
        columns: forms[0].columns().map(|(name, _)| name.into()).into(),
        rows: rows.collect(),
    }
}

fn aes_ciphers() -> Table {
    let forms = [Sbox::D4, Sbox::D3, Sbox::D2, Sbox::D2p, Sbox::D1].map(Substitution::new);
    let mut rows = Vec::new();
    for size in KeySize::ALL {
        for form in &forms {
            let label = format!("AES-{}, {}", size.bits(), form.form.name());
            rows.push(row(label, [KeyInput::Key, KeyInput::RoundKeys], |key| {
                cipher(size, form, key)
            }));
        }
    }
    Table {
        name: "aes",
        title: "depth, S-boxes; bytes per block of all parties gate by gate, polynomial gates, dealer form",
        columns: vec!["with key schedule".into(), "expanded key".into()],
        rows,
    }
}

fn cipher(size: KeySize, form: &Substitution, key: KeyInput) -> Cell {
    let sizes = Sizes::of(&aes::circuit(size, form.form, Direction::Encrypt, key));
    let count = (sizes.size + sizes.polys) / (form.sizes.size + form.sizes.polys);
    let gates = if sizes.polys == 0 { (sizes.total_bits / 8).to_string() } else { "--".into() };
    let (fused, dealer) = (count * form.fused.total() / 8, count * form.dealer.total() / 8);
    Cell {
        ours: format!("{}, {count}; {gates}, {fused}, {dealer}", sizes.depth),
        published: None,
        sizes,
    }
}

fn sha256_compression() -> Table {
    let forms = FAN_INS.map(|f| (format!("low depth, F = {f}"), Additions::LowDepth(f)));
    let forms = [("ripple".to_owned(), Additions::Ripple)].into_iter().chain(forms);
    Table {
        name: "sha256",
        title: "compression function: depth/size (bits per direction)",
        columns: vec!["one block".into()],
        rows: forms
            .map(|(label, form)| row(label, [form], |f| cell(&sha256::circuit(f), depth_size_bits)))
            .collect(),
    }
}

fn figures((depth, size): (Option<u32>, Option<u64>)) -> String {
    let text = |n: Option<u64>| n.map_or("--".to_owned(), |n| n.to_string());
    format!("{}/{}", text(depth.map(u64::from)), text(size))
}

fn published_adders() -> Table {
    let rows = published::ADDERS.map(|(label, f, paper)| {
        row(label, WIDTHS.into_iter().zip(paper), |(n, p)| {
            beside(&published::adder(f, n), depth_size, figures(p))
        })
    });
    Table {
        name: "published-adders",
        title: "depth/size, ours [published], same design",
        columns: bits_columns(&WIDTHS),
        rows: rows.into(),
    }
}

fn published_multipliers() -> Table {
    let rows = published::MULTIPLIERS.map(|(f, paper)| {
        let label = if f == 0 { "array".to_owned() } else { format!("F = {f}") };
        row(label, WIDTHS.into_iter().zip(paper), |(n, p)| {
            beside(&published::multiplier(f, n), depth_size, figures(p))
        })
    });
    Table {
        name: "published-multipliers",
        title: "depth/size, ours [published]",
        columns: bits_columns(&WIDTHS),
        rows: rows.into(),
    }
}

fn published_comparators() -> Table {
    let rows = published::COMPARATORS.map(|(f, paper)| {
        row(format!("F = {f}"), WIDTHS.into_iter().zip(paper), |(n, p)| {
            beside(&published::comparator(f, n), depth_size, figures(p))
        })
    });
    Table {
        name: "published-comparators",
        title: "depth/size, ours [published], same design; for F > 2 the paper does not count one gate",
        columns: bits_columns(&WIDTHS),
        rows: rows.into(),
    }
}

fn published_gates() -> Table {
    let rows = published::GATES.map(|(what, f, paper)| {
        row(format!("{what}, F = {f}"), WIDTHS.into_iter().zip(paper), |(n, (gates, megabytes))| {
            let circuit = match what {
                "adder" => published::adder(f, n),
                "comparator" => published::comparator(f, n),
                _ => published::multiplier(f, n),
            };
            beside(&circuit, classes_text, classes_and_megabytes(gates, megabytes))
        })
    });
    Table {
        name: "published-gates",
        title: "gates of 2, 3-4, 5-8 inputs; MB of all parties per 1000 instances, ours [published]",
        columns: bits_columns(&WIDTHS[..3]),
        rows: rows.into(),
    }
}

fn classes_text(s: &Sizes) -> String {
    classes_and_megabytes(s.classes(), s.total_bits as f64 / 8e3)
}

fn classes_and_megabytes(gates: [u64; 3], megabytes: f64) -> String {
    format!("{}, {}, {}; {megabytes:.3}", gates[0], gates[1], gates[2])
}
