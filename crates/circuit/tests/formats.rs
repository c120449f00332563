//! Text and binary formats: round trips, every kind of gate, every malformed case.

mod common;

use common::{Shape, assert_same, random_circuit};
use proptest::prelude::*;
use tacit_circuit::formats::{
    Dialect, Place, PortOrder, ReadOptions, Reason, TextOptions, WriteError, binary, parse,
    read_file, write_text,
};
use tacit_circuit::{Builder, Circuit, Poly};
use tacit_ring::entropy::Rng;

fn read(text: &str) -> Result<Circuit, tacit_circuit::formats::FormatError> {
    parse("test.txt", text.as_bytes(), &ReadOptions::default())
}

fn ok(text: &str) -> Circuit {
    read(text).expect("well formed")
}

/// Bits of `x`, least significant first, as lanes 0 of words.
fn run(c: &Circuit, inputs: &[u64]) -> Vec<u64> {
    c.eval_lanes(inputs)
}

#[test]
fn every_gate_of_bristol_fashion() {
    let c = ok(
        "6 11\n2 2 2\n2 2 1\n# a comment\n\n1 1 1 4 EQ # set\n4 2 0 1 2 3 5 6 MAND\n2 1 4 5 7 XOR\n1 1 6 8 NOT\n\r\n1 1 7 9 EQW\r\n1 1 8 10 INV",
    );
    let out = run(&c, &[0b0011, 0b0101, 0b1111, 0b0110]);
    // outputs 8, 9 | 10
    assert_eq!(out, [!0b0100, !0b0011, 0b0100]);
    let s = c.stats();
    assert_eq!((s.ands[2], s.xors, s.nots, s.and_depth), (2, 1, 2, 1));
}

#[test]
fn wide_gates() {
    let c = ok("3 7\n1 3\n1 3\n3 1 0 1 2 3 AND\n3 1 0 1 2 4 XOR\n3 2 0 1 2 5 6 80 96 ANF\n"
        .replace("1 3\n3 1", "1 4\n3 1")
        .as_str());
    let all = [0b1010_1010, 0b1100_1100, 0b1111_0000];
    let out = run(&c, &all);
    assert_eq!(out[0], 0b1000_0000);
    assert_eq!(out[1], 0b1001_0110);
    assert_eq!(out[2], out[0]);
    // 0x96: products 1 (x1), 2 (x2), 4 (x3), 7 (x1 x2 x3)
    assert_eq!(out[3], 0b1001_0110 ^ 0b1000_0000);
    assert_eq!(c.stats().polys, 1);
    assert_eq!(c.stats().ands[3], 1);
}

#[test]
fn old_format_is_recognised() {
    let text = "3 6\n2 1 1\n\n2 1 0 1 3 AND\n2 1 2 3 4 XOR\n1 1 4 5 INV\n";
    for dialect in [Dialect::Auto, Dialect::Old] {
        let c = parse("old", text.as_bytes(), &ReadOptions { dialect, ..ReadOptions::default() })
            .expect("old format");
        assert_eq!(c.input_widths(), [2, 1]);
        assert_eq!(run(&c, &[0b1100, 0b1010, 0]), [!0b1000]);
    }
    let one_port = ok("1 2\n1 0 1\n\n1 1 0 1 INV\n");
    assert_eq!(one_port.input_widths(), [1]);
    assert_eq!(ok("0 2\n1 1 0\n").output_ports(), [vec![]]);
}

#[test]
fn ports_in_any_order_of_bits() {
    let order = |bits, bytes| PortOrder { reverse_bits: bits, reverse_bytes: bytes };
    // 16 copies in, 16 out
    let gates: String = (0..16).map(|i| format!("1 1 {i} {} EQW\n", 16 + i)).collect();
    let text = format!("16 32\n1 16\n1 16\n{gates}");
    let value = |c: &Circuit, v: u64| {
        let bits: Vec<u64> = (0..16).map(|i| v >> i & 1).collect();
        c.eval_lanes(&bits).iter().enumerate().fold(0, |a, (i, b)| a | (b & 1) << i)
    };
    for (o, want) in [
        (order(false, false), 0x1234),
        (order(false, true), 0x3412),
        (order(true, false), 0x2c48),
        (order(true, true), 0x482c),
    ] {
        let on_input = ReadOptions { inputs: vec![o], ..ReadOptions::default() };
        let on_output = ReadOptions { outputs: vec![o], ..ReadOptions::default() };
        for options in [on_input, on_output] {
            let c = parse("t", text.as_bytes(), &options).expect("well formed");
            assert_eq!(value(&c, 0x1234), want);
            let from_binary =
                parse("t", &binary::write(&ok(&text)), &options).expect("well formed");
            assert_eq!(from_binary, c);
        }
    }
}

/// The reason and line of a rejected text.
fn refused(text: &str) -> (u64, Reason) {
    let e = read(text).expect_err("malformed");
    assert_eq!(e.file, "test.txt");
    let line = if let Place::Line(n) = e.place { n } else { 0 };
    assert!(e.to_string().starts_with("test.txt"), "{e}");
    (line, e.reason)
}

#[test]
fn malformed_gates() {
    let head = "2 4\n1 2\n1 1\n\n2 1 0 1 2 XOR\n";
    let gate = |line: &str| refused(&format!("{head}{line}\n"));
    assert_eq!(gate("2 1 0 1 3 NAND"), (6, Reason::UnknownGate("NAND".into())));
    assert_eq!(gate("2 1 0 1 2 AND"), (6, Reason::DoubleAssignment(2)));
    assert_eq!(gate("2 1 0 1 1 AND"), (6, Reason::AssignedInput(1)));
    assert_eq!(gate("2 1 0 3 3 AND"), (6, Reason::UseBeforeDefinition(3)));
    assert_eq!(gate("2 1 0 4 3 AND"), (6, Reason::NoSuchWire { wire: 4, wires: 4 }));
    assert_eq!(gate("2 1 0 1 9 AND"), (6, Reason::NoSuchWire { wire: 9, wires: 4 }));
    assert_eq!(gate("1 1 0 3 AND"), (6, Reason::Arity { gate: "AND", inputs: 1, outputs: 1 }));
    assert_eq!(
        gate("9 1 0 1 2 0 1 2 0 1 2 3 AND").1,
        Reason::Arity { gate: "AND", inputs: 9, outputs: 1 }
    );
    assert_eq!(gate("3 2 0 1 2 3 4 MAND").1, Reason::Arity { gate: "MAND", inputs: 3, outputs: 2 });
    assert_eq!(gate("2 1 0 1 INV").1, Reason::Arity { gate: "INV", inputs: 2, outputs: 1 });
    assert_eq!(gate("2 1 0 3 XOR"), (6, Reason::WordCount { expected: 6, found: 5 }));
    assert_eq!(gate("2 1 0 1 3 7 XOR"), (6, Reason::WordCount { expected: 6, found: 7 }));
    assert_eq!(gate("XOR").1, Reason::WordCount { expected: 3, found: 1 });
    assert!(matches!(gate("1 1 2 3 EQ").1, Reason::Number { what: "the constant", max: 1, .. }));
    assert!(matches!(gate("2 1 0 x 3 XOR").1, Reason::Number { .. }));
    assert!(matches!(gate("2 1 0 -1 3 XOR").1, Reason::Number { .. }));
    assert!(matches!(gate("2 1 0 99999999999999999999999 3 XOR").1, Reason::Number { .. }));
    assert!(matches!(gate("99999999999999999999 1 0 1 3 XOR").1, Reason::Number { .. }));
    assert!(matches!(gate("4294967294 4294967294 0 1 3 ANF").1, Reason::Arity { .. }));
    assert!(matches!(gate("4294967294 1 0 1 3 XOR").1, Reason::WordCount { .. }));
    assert_eq!(gate("2 1 0 1 3 1f ANF").1, Reason::Table { token: "1f".into(), bits: 4 });
    assert_eq!(gate("2 1 0 1 3 g ANF").1, Reason::Table { token: "g".into(), bits: 4 });
    assert_eq!(
        gate("13 1 0 0 0 0 0 0 0 0 0 0 0 0 0 3 1 ANF").1,
        Reason::Arity { gate: "ANF", inputs: 13, outputs: 1 }
    );
    assert_eq!(gate("2 1 0 1 3 ANF").1, Reason::WordCount { expected: 7, found: 6 });
    assert_eq!(gate("2 1 0 1 3 AND\n2 1 0 1 3 AND"), (7, Reason::TrailingLine(2)));
    assert_eq!(gate(""), (6, Reason::MissingGates { claimed: 2, found: 1 }));
    let long = "A".repeat(1000);
    assert!(gate(&long).1.to_string().len() < 100);
}

#[test]
fn malformed_headers() {
    let number = |r: Reason| matches!(r, Reason::Number { .. });
    assert_eq!(refused("").1, Reason::Truncated("the line of gate and wire counts"));
    assert_eq!(refused("# nothing\n\n").1, Reason::Truncated("the line of gate and wire counts"));
    assert_eq!(refused("1 3\n").1, Reason::Truncated("the line of input widths"));
    assert_eq!(refused("1 3\n1 2\n").1, Reason::Truncated("the line of output widths"));
    assert!(matches!(
        refused("1 3 4\n1 2\n1 1\n2 1 0 1 2 AND\n"),
        (1, Reason::Header { found: 3, .. })
    ));
    assert!(matches!(refused("1 3\n1 2 2 7\n1 1\n2 1 0 1 2 AND\n"), (2, Reason::Header { .. })));
    assert!(matches!(refused("1 3\n1 2\n2 1\n2 1 0 1 2 AND\n"), (3, Reason::Header { .. })));
    assert!(number(refused("x 3\n1 2\n1 1\n").1));
    assert!(number(refused("1 18446744073709551616\n1 2\n1 1\n").1));
    assert_eq!(refused("1 3\n1 2\n1 4\n2 1 0 1 2 AND\n"), (2, Reason::Ports { need: 4, wires: 3 }));
    assert_eq!(refused("1 3\n1 4\n1 1\n2 1 0 1 2 AND\n"), (2, Reason::Ports { need: 4, wires: 3 }));
    assert_eq!(
        refused("1 4\n1 2\n1 1\n2 1 0 1 2 AND\n").1,
        Reason::Unassigned { wire: 3, missing: 1 }
    );
    assert!(matches!(
        read_file("/nonexistent/x", &ReadOptions::default()).expect_err("no file").reason,
        Reason::Io(_)
    ));
}

#[test]
fn a_header_cannot_ask_for_memory() {
    let wires = refused("1 4000000000\n1 2\n1 1\n2 1 0 1 2 AND\n");
    assert!(matches!(wires, (1, Reason::TooMany { what: "wires", .. })));
    let inputs = refused("1 4000000001\n1 4000000000\n1 1\n2 1 0 1 2 AND\n");
    assert!(matches!(inputs, (2, Reason::TooMany { what: "input bits", .. })));
    let many = refused("1 4000000001\n3 4000000000 4000000000 4000000000\n1 1\n2 1 0 1 2 AND\n");
    assert!(matches!(many, (2, Reason::TooMany { what: "input bits", .. })));
    let gates = refused("4000000000 3\n1 2\n1 1\n2 1 0 1 2 AND\n");
    assert!(matches!(gates, (4, Reason::MissingGates { .. })));
    // input bits that no gate reads are fine up to a limit
    assert_eq!(ok("0 1000000\n1 1000000\n1 1\n").input_bits(), 1_000_000);
}

#[test]
fn orders_that_do_not_fit() {
    let text = "1 3\n1 2\n1 1\n2 1 0 1 2 AND\n";
    let bytes = PortOrder { reverse_bytes: true, ..PortOrder::default() };
    let wrong = ReadOptions { inputs: vec![bytes], ..ReadOptions::default() };
    let e = parse("t", text.as_bytes(), &wrong).expect_err("2 bits are no bytes");
    assert_eq!(e.reason, Reason::PortOrder { side: "input", port: 0, width: 2 });
    let wrong = ReadOptions { outputs: vec![PortOrder::default(); 2], ..ReadOptions::default() };
    let e = parse("t", text.as_bytes(), &wrong).expect_err("one output port");
    assert_eq!(e.reason, Reason::NoSuchPort { side: "output", port: 1, ports: 1 });
}

#[test]
fn outputs_take_their_numbers_directly() {
    let mut b = Builder::new();
    let x = b.input(2);
    let and = b.and2(x[0], x[1]);
    let not = b.not(and);
    b.output(&[and, not]);
    b.output(&[x[1], and]);
    let c = b.finish();
    let text =
        String::from_utf8(write_text(&c, TextOptions::default()).expect("fits")).expect("ASCII");
    assert_eq!(text, "4 6\n1 2\n2 2 2\n\n2 1 0 1 2 AND\n1 1 2 3 INV\n1 1 1 4 EQW\n1 1 2 5 EQW\n");
    let plain = TextOptions { dialect: Dialect::Fashion, no_eqw: true };
    let text = String::from_utf8(write_text(&c, plain).expect("fits")).expect("ASCII");
    assert!(!text.contains("EQW"));
    assert_same(&c, &ok(&text), &mut Rng(1));
}

#[test]
fn the_old_format_has_limits() {
    let mut b = Builder::new();
    for _ in 0..3 {
        b.input(1);
    }
    b.output(&[]);
    let old = TextOptions { dialect: Dialect::Old, no_eqw: false };
    assert_eq!(write_text(&b.finish(), old), Err(WriteError::Ports { inputs: 3, outputs: 1 }));
    let mut b = Builder::new();
    let one = b.constant(true);
    b.output(&[one]);
    assert_eq!(write_text(&b.finish(), old), Err(WriteError::NoInputs));
}

#[test]
fn malformed_binary() {
    let mut b = Builder::new();
    let x = b.input(4);
    let and = b.and(&x);
    let poly = b.poly(&x, Poly::new(4, vec![vec![3, 7], vec![12, 1]]));
    let out = b.xor(and, poly[0]);
    b.output(&[out, poly[1]]);
    let bytes = binary::write(&b.finish());
    for end in 8..bytes.len() {
        assert!(parse("cut", &bytes[..end], &ReadOptions::default()).is_err(), "cut at {end}");
    }
    let mut long = bytes.clone();
    long.push(0);
    let e = parse("long", &long, &ReadOptions::default()).expect_err("trailing byte");
    assert_eq!(e.place, Place::Byte(bytes.len() as u64));
    for bad in [
        &[0xff; 12][..],                          // endless varint
        &[0x80, 0x00],                            // not the shortest form
        &[0xff, 0xff, 0xff, 0xff, 0x0f],          // more ports than bytes
        &[1, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0], // too many input bits
        &[1, 1, 1, 3, 1, 2, 0],                   // reads before the first wire
        &[1, 1, 1, 3, 0, 1, 0],                   // reads itself
        &[1, 2, 1, 10, 1, 1, 0],                  // AND of one wire twice
        &[1, 2, 1, 9, 1, 0],                      // AND of one
        &[1, 2, 1, 77, 1, 0],                     // no such gate
        &[1, 2, 1, 5, 2, 1, 2, 1, 2, 4, 0, 0],    // product repeated
        &[1, 2, 1, 5, 2, 1, 2, 1, 1, 4, 0],       // product beyond the inputs
        &[1, 2, 1, 5, 2, 0, 2, 1, 0],             // no outputs
        &[1, 1, 0, 1, 1, 1],                      // output does not exist
    ] {
        let bytes = [&b"tacitbc1"[..], bad].concat();
        assert!(parse("bad", &bytes, &ReadOptions::default()).is_err(), "{bad:?}");
    }
}

/// Failing seeds are printed; no files are left behind.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn round_trip(seed: u64, gates in 0usize..150) {
        let mut rng = Rng(seed);
        let c = random_circuit(&mut rng, Shape { gates, fan_in: 8, polys: true, constants: true });
        let again = parse("binary", &binary::write(&c), &ReadOptions::default()).expect("binary");
        prop_assert_eq!(&again, &c);
        prop_assert_eq!(again.digest(), c.digest());
        for no_eqw in [false, true] {
            let text = write_text(&c, TextOptions { dialect: Dialect::Extended, no_eqw }).expect("fits");
            let again = parse("text", &text, &ReadOptions::default()).expect("text");
            assert_same(&c, &again, &mut rng);
            if !no_eqw {
                prop_assert_eq!(&again, &c);
            }
            let text = write_text(&c, TextOptions { dialect: Dialect::Fashion, no_eqw }).expect("fits");
            prop_assert!(!text.windows(3).any(|w| w == b"ANF"));
            prop_assert!(!no_eqw || !text.windows(3).any(|w| w == b"EQW"));
            assert_same(&c, &parse("plain", &text, &ReadOptions::default()).expect("text"), &mut rng);
        }
        if c.input_widths().len() <= 2 && c.output_ports().len() == 1 {
            let text = write_text(&c, TextOptions { dialect: Dialect::Old, no_eqw: false }).expect("fits");
            prop_assert!(!text.windows(2).any(|w| w == b"EQ"));
            assert_same(&c, &parse("old", &text, &ReadOptions::default()).expect("text"), &mut rng);
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse("x", &bytes, &ReadOptions::default());
        let _ = parse("x", &[&b"tacitbc1"[..], &bytes].concat(), &ReadOptions::default());
    }

    #[test]
    fn damaged_files_never_panic(seed: u64, hits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..5)) {
        let mut rng = Rng(seed);
        let c = random_circuit(&mut rng, Shape { gates: 30, fan_in: 8, polys: true, constants: true });
        let mut binary = binary::write(&c);
        let mut text = write_text(&c, TextOptions::default()).expect("fits");
        for (at, value) in hits {
            let n = binary.len();
            binary[at % n] = value;
            let n = text.len();
            text[at % n] = b"0123456789 \nXANDFINV#"[value as usize % 21];
        }
        for bytes in [binary, text] {
            if let Ok(c) = parse("x", &bytes, &ReadOptions::default()) {
                let inputs = rng.words(c.input_bits());
                c.eval_lanes(&inputs);
                prop_assert_eq!(&parse("y", &binary::write(&c), &ReadOptions::default()).expect("ours"), &c);
            }
        }
    }
}
