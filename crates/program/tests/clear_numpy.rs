//! Evaluation in the clear against results that NumPy gave: see `vectors/generate.py` and, of whole programs,
//! `vectors/programs.py`.

use serde_json::Value;
use tacit_program::clear::{self, Array, evaluate_op};
use tacit_program::{Element, Extent, MOST_BITS, Op, Type, Visibility, text};

#[test]
fn clear_gives_what_numpy_gives() {
    let lines = include_str!("vectors/numpy.jsonl").lines();
    let wrong: Vec<String> = lines.filter_map(difference).collect();
    assert!(wrong.is_empty(), "{} differ, the first:\n{}", wrong.len(), wrong[0]);
}

#[test]
fn programs_in_the_clear_give_what_numpy_gives() {
    for line in include_str!("vectors/programs.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("JSON");
        let body = case["program"].as_str().expect("a program");
        let source = format!("program test\nparties alice, bob, carol\nrows n <= 1000\n{body}");
        let program =
            text::parse("test.tacit", &source).unwrap_or_else(|e| panic!("{e}\n{source}"));
        let rows = case["in"]["a"].as_array().or(case["in"]["x"].as_array()).expect("rows").len();
        let column = |id: u32, name: &str| {
            let element = program.body.nodes[id as usize].types[0].element;
            let values = integers(&case["in"][name]);
            (name.to_owned(), Array::from_values(element, vec![rows], values).expect("values"))
        };
        let inputs = program.inputs().map(|(id, name, _)| column(id, name)).collect();
        let within = u128::from(case["within"].as_u64().expect("units"));
        for (name, got) in clear::evaluate(&program, &[rows as u64], inputs).expect("evaluates") {
            let want: Vec<i128> = integers(&case["out"][&name]).collect();
            let got: Vec<i128> = got.values().collect();
            assert_eq!(got.len(), want.len(), "{name}");
            let near = got.iter().zip(&want).all(|(got, want)| got.abs_diff(*want) <= within);
            assert!(near, "{name} of {rows} rows: {got:?} for {want:?}\n{source}");
        }
    }
}

fn integers(values: &Value) -> impl Iterator<Item = i128> + '_ {
    let values = values.as_array().expect("values").iter();
    values.map(|v| i128::from(v.as_i64().expect("an integer")))
}

/// What differs from the line's result, if anything does.
fn difference(line: &str) -> Option<String> {
    let case: Value = serde_json::from_str(line).expect("JSON");
    let arrays = |key: &str| -> Vec<Array> {
        case[key].as_array().expect("arrays").iter().map(array).collect()
    };
    let (operands, expected) = (arrays("in"), arrays("out"));
    let types: Vec<Type> = expected.iter().map(type_of).collect();
    let op = op(case["op"].as_str().expect("a name"), &case["args"], types[0].element);
    let operands: Vec<&Array> = operands.iter().collect();
    match evaluate_op(&op, &operands, &types, &[]) {
        Ok(results) if results == expected => None,
        Ok(results) => {
            let values: Vec<Vec<i128>> = results.iter().map(|r| r.values().collect()).collect();
            Some(format!("{line}\ngave {values:?}"))
        }
        Err(error) => Some(format!("{line}\nfailed: {error}")),
    }
}

fn array(value: &Value) -> Array {
    let integer =
        |v: &Value| v.as_i64().map(i128::from).or(v.as_u64().map(i128::from)).expect("an integer");
    let shape = value[1].as_array().expect("a shape").iter().map(|n| integer(n) as usize);
    let values = value[2].as_array().expect("values").iter().map(integer);
    let element = element(value[0].as_str().expect("an element"));
    Array::from_values(element, shape.collect(), values).unwrap_or_else(|e| panic!("{e}: {value}"))
}

fn element(name: &str) -> Element {
    let number = |digits: &str| digits.parse::<u8>().expect("a number");
    if let Some(inner) = name.strip_prefix("fixed(") {
        let (bits, fraction) = inner.trim_end_matches(')').split_once(',').expect("two numbers");
        return Element::Fixed { bits: number(bits), fraction: number(fraction) };
    }
    match name.split_at(1) {
        _ if name == "bit" => Element::Bit,
        ("i", bits) => Element::int(number(bits)),
        ("u", bits) => Element::uint(number(bits)),
        _ => panic!("no element {name}"),
    }
}

fn type_of(array: &Array) -> Type {
    Type {
        element: array.element(),
        shape: array.shape().iter().map(|&n| Extent::fixed(n as u64)).collect(),
        visibility: Visibility::Public,
        interval: array.element().interval(),
    }
}

fn op(name: &str, args: &Value, to: Element) -> Op {
    let number = |key: &str| args[key].as_u64().unwrap_or_default();
    let numbers = |key: &str| args[key].as_array().into_iter().flatten().filter_map(Value::as_u64);
    let wrap = args["wrap"].as_bool().unwrap_or(false);
    let axis = number("axis") as u32;
    let (first, groups) = (args["first"].as_i64().unwrap_or_default(), number("groups"));
    match name {
        "add" => Op::Add { wrap },
        "sub" => Op::Sub { wrap },
        "neg" => Op::Neg { wrap },
        "mul" => Op::Mul { wrap },
        "abs" => Op::Abs,
        "min" => Op::Min,
        "max" => Op::Max,
        "shift_left" => Op::ShiftLeft { by: number("by") as u8 },
        "shift_right" => Op::ShiftRight { by: number("by") as u8 },
        "div" => Op::Div { bits: None },
        "rem" => Op::Rem,
        "sqrt" => Op::Sqrt,
        "exp" => Op::Exp { bits: MOST_BITS },
        "log" => Op::Log { bits: MOST_BITS },
        "sigmoid" => Op::Sigmoid { bits: MOST_BITS },
        "less" => Op::Less,
        "equal" => Op::Equal,
        "select" => Op::Select,
        "and" => Op::And,
        "or" => Op::Or,
        "xor" => Op::Xor,
        "not" => Op::Not,
        "cast" => Op::Cast(to),
        "wrap" => Op::Wrap(to),
        "sum" => Op::Sum { axis },
        "product" => Op::Product { axis },
        "min_over" => Op::MinOver { axis },
        "max_over" => Op::MaxOver { axis },
        "matmul" => Op::MatMul,
        "reshape" => Op::Reshape,
        "slice" => Op::Slice { axis, start: number("start"), step: number("step") },
        "concat" => Op::Concat { axis },
        "transpose" => Op::Transpose { order: numbers("order").map(|n| n as u32).collect() },
        "broadcast" => Op::Broadcast,
        "gather" => Op::Gather { axis, indices: numbers("indices").collect() },
        "group_sum" => Op::GroupSum { first, groups },
        "group_count" => Op::GroupCount { first, groups },
        "sort" => Op::Sort { descending: args["descending"] == true },
        _ => panic!("no operation {name}"),
    }
}
