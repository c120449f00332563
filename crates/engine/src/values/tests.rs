//! Tests of the value files: known orders, round trips, and every malformed case.

use super::*;
use proptest::prelude::*;
use std::io::Cursor;

fn parse(text: &str, format: Format, ports: &[PortSpec]) -> Result<Vec<Lanes>, ValueError> {
    parse_inputs(&mut Cursor::new(text), "f", format, ports)
}

fn write(format: Format, ports: &[PortSpec], lanes: &[Lanes]) -> Vec<u8> {
    let mut out = Vec::new();
    format_outputs(&mut out, format, ports, lanes).expect("writes to memory");
    out
}

/// Port bits of one instance as text, bit 0 first.
fn bits(lanes: &Lanes, instance: usize) -> String {
    (0..lanes.width())
        .map(|b| lanes.bit(b)[instance / 64] >> (instance % 64) & 1)
        .map(|bit| if bit == 1 { '1' } else { '0' })
        .collect()
}

/// The message of the error that `text` must give, without the file name.
fn error(text: &str, format: Format, ports: &[PortSpec]) -> String {
    let error = parse(text, format, ports).expect_err("must be refused");
    assert_eq!(error.file, "f");
    error.to_string()
}

#[test]
fn bit_orders_are_as_documented() {
    let port = |order| [PortSpec::new("x", 16).with_order(order)];
    for (order, expected) in [
        (BitOrder::Integer, "1100010010000000"),
        (BitOrder::Bytes, "1000000011000100"),
        (BitOrder::MsbFirst, "0000000100100011"),
    ] {
        for (format, text) in [
            (Format::Hex, "0123"),
            (Format::Hex, "0x0123\n"),
            (Format::Binary, "0000000100100011"),
            (Format::Decimal, "291"),
            (Format::Csv, "x\n0X0123\n"),
            (Format::Csv, "x\n291"),
            (Format::Raw, "\x01\x23"),
        ] {
            let lanes = parse(text, format, &port(order)).expect("valid");
            assert_eq!(bits(&lanes[0], 0), expected, "{order} {format}");
        }
    }
}

#[test]
fn words_are_in_order_and_each_is_an_integer() {
    let port = [PortSpec::new("x", 64).with_order(BitOrder::Words)];
    let lanes = parse("8000000300000001", Format::Hex, &port).expect("valid");
    let mut expected = ["0"; 64];
    (expected[0], expected[1], expected[31], expected[32]) = ("1", "1", "1", "1");
    assert_eq!(bits(&lanes[0], 0), expected.concat());
}

#[test]
fn several_ports_comments_and_blank_lines() {
    let ports = [PortSpec::new("a", 4), PortSpec::new("none", 0), PortSpec::new("b", 9)];
    let text = "# a b\n\n  f\t1ff # last\r\n0 001\n";
    let lanes = parse(text, Format::Hex, &ports).expect("valid");
    assert_eq!(lanes[0].instances(), 2);
    assert_eq!(bits(&lanes[0], 0), "1111");
    assert_eq!((lanes[1].width(), lanes[1].instances()), (0, 2));
    assert_eq!(write(Format::Hex, &ports, &lanes), b"f 1ff\n0 001\n");
    assert_eq!(bits(&lanes[2], 0), "111111111");
    assert_eq!(bits(&lanes[2], 1), "100000000");
}

#[test]
fn csv_columns_may_be_in_any_order() {
    let ports = [PortSpec::new("a", 8), PortSpec::new("b", 8).with_sign(true)];
    let text = "\u{feff}b, a\n-1,0b00000010\n\"5\",0xff\n";
    let lanes = parse(text, Format::Csv, &ports).expect("valid");
    assert_eq!(bits(&lanes[0], 0), "01000000");
    assert_eq!(bits(&lanes[1], 0), "11111111");
    assert_eq!(bits(&lanes[1], 1), "10100000");
    let written = String::from_utf8(write(Format::Csv, &ports, &lanes)).expect("text");
    assert_eq!(written, "a,b\n2,-1\n255,5\n");
}

#[test]
fn decimal_limits_of_every_width() {
    for width in 1..=128u32 {
        let ones = u128::MAX >> (128 - width);
        let unsigned = [PortSpec::new("x", width)];
        let signed = [PortSpec::new("x", width).with_sign(true)];
        let read = |text: String, ports: &[PortSpec]| parse(&text, Format::Decimal, ports);
        let top = read(ones.to_string(), &unsigned).expect("largest");
        assert_eq!(bits(&top[0], 0), "1".repeat(width as usize));
        let low = read(format!("-{}", (ones >> 1) + 1), &signed).expect("lowest");
        assert_eq!(bits(&low[0], 0), "0".repeat(width as usize - 1) + "1");
        assert_eq!(
            write(Format::Decimal, &signed, &low),
            format!("-{}\n", (ones >> 1) + 1).into_bytes()
        );
        if width < 128 {
            assert!(read((ones + 1).to_string(), &unsigned).is_err());
        }
        assert!(read(((ones >> 1) + 1).to_string(), &signed).is_err());
        assert!(read(format!("-{}", (ones >> 1) + 2), &signed).is_err());
        assert!(read("-1".into(), &unsigned).is_err());
    }
    let too_large = "340282366920938463463374607431768211456";
    assert!(parse(too_large, Format::Decimal, &[PortSpec::new("x", 128)]).is_err());
}

#[test]
fn malformed_text_is_refused_at_its_place() {
    let one = [PortSpec::new("key", 8)];
    let two = [PortSpec::new("a", 8), PortSpec::new("b", 9)];
    for (text, format, ports, start) in [
        ("", Format::Hex, &one[..], "f: the file holds no values"),
        ("\n# only\n", Format::Hex, &one, "f: the file holds no values"),
        ("00\n 0g", Format::Hex, &one, "f:2:3: not a hexadecimal digit"),
        (
            "0",
            Format::Hex,
            &one,
            "f:1:1: expected 2 hexadecimal digits for `key` (8 bits), found 1",
        ),
        ("0x000", Format::Hex, &one, "f:1:3: expected 2 hexadecimal digits"),
        (
            "00 3ff",
            Format::Hex,
            &two,
            "f:1:4: the value of `b` is out of range: 9 bits hold 0 to 2^9 - 1",
        ),
        (
            "00",
            Format::Hex,
            &two,
            "f:1: expected 2 value(s) on this line, one for each of a, b; found 1",
        ),
        ("0000000 1", Format::Binary, &one, "f:1: expected 1 value(s)"),
        ("00000002", Format::Binary, &one, "f:1:8: not a binary digit"),
        ("256", Format::Decimal, &one, "f:1:1: the value of `key` is out of range"),
        ("1_0", Format::Decimal, &one, "f:1:2: not a decimal digit"),
        ("-", Format::Decimal, &one, "f:1:1: the value of `key` has no digits"),
        ("a,b\n1", Format::Csv, &two, "f:2: expected 2 value(s)"),
        ("a,b\n1,2\n3,512", Format::Csv, &two, "f:3:2: the value of `b` is out of range"),
        ("a,c\n1,2", Format::Csv, &two, "f:1:2: this column of the header row names none of a, b"),
        ("a,a\n1,2", Format::Csv, &two, "f:1:2: this column"),
        ("a\n1", Format::Csv, &two, "f:1: the header row lacks the column `b`; it must name a, b"),
        ("17,18\n1,2", Format::Csv, &two, "f:1:1: this column"),
        ("a,b\n,2", Format::Csv, &two, "f:2:1: the value of `a` has no digits"),
        ("a,b\n", Format::Csv, &two, "f: the file holds no values"),
        (
            "\u{1}\u{1}\u{2}\u{3}",
            Format::Raw,
            &two,
            "f: the file ends inside an instance: each has 3 bytes, and 1 are left over after 1",
        ),
        ("\u{1}\u{2}\u{3}", Format::Raw, &two, "f: instance 1: the unused high bits of `b`"),
    ] {
        let message = error(text, format, ports);
        assert!(message.starts_with(start), "{text:?}: {message}");
    }
}

#[test]
fn unsuitable_ports_are_refused() {
    let wide = [PortSpec::new("block", 129)];
    assert!(error("0", Format::Decimal, &wide).contains("write it in hex"));
    let odd = [PortSpec::new("x", 9).with_order(BitOrder::Bytes)];
    assert!(error("000", Format::Hex, &odd).contains("needs a multiple of 8"));
    let lanes = [Lanes::from_bits(vec![vec![0]; 129], 1)];
    let refused = format_outputs(&mut Vec::new(), Format::Decimal, &wide, &lanes);
    assert_eq!(refused.expect_err("too wide").kind(), std::io::ErrorKind::InvalidInput);
    let endless = " ".repeat(1 << 20);
    assert!(error(&endless, Format::Hex, &wide).starts_with("f:1: the line is longer"));
}

#[test]
fn errors_never_show_the_value() {
    let port = [PortSpec::new("key", 32)];
    for (text, format) in [
        ("deadbeef7", Format::Hex),
        ("deadbeefx", Format::Hex),
        ("98765432109876", Format::Decimal),
        ("98765432109876,5", Format::Csv),
        ("key\n98765432109876", Format::Csv),
        ("key\n\"98765432109876", Format::Csv),
    ] {
        let error = parse(text, format, &port).expect_err("must be refused");
        let shown = format!("{error} {error:?}");
        for secret in ["deadbeef", "98765432109876"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    let lanes = parse("deadbeef", Format::Hex, &port).expect("valid");
    assert_eq!(format!("{:?}", lanes[0]), "Lanes(32 bits x 1)");
}

#[test]
fn formats_are_named_and_found_by_extension() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.extension().parse(), Ok(format));
        let path = format!("some.dir/x.{}", format.extension().to_uppercase());
        assert_eq!(Format::of_path(Path::new(&path)), Ok(format));
    }
    assert!("json".parse::<Format>().is_err());
    for order in BitOrder::ALL {
        assert_eq!(order.name().parse(), Ok(order));
    }
    let unknown = Format::of_path(Path::new("x.txt")).expect_err("no such extension");
    assert_eq!(unknown.problem, Problem::UnknownExtension);
}

#[test]
fn one_instance_is_broadcast() {
    let lanes = parse("5", Format::Hex, &[PortSpec::new("x", 4)]).expect("valid");
    let many = lanes.into_iter().next().expect("one").broadcast(70);
    let many = many.expect("one instance");
    assert_eq!(many.bit(0), [u64::MAX, 0x3f]);
    assert_eq!(many.bit(1), [0, 0]);
    assert_eq!(many.clone().broadcast(70), Ok(many.clone()));
    assert!(many.broadcast(71).is_err());
}

#[test]
fn output_files_are_written_whole_or_not_at_all() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("out.dec");
    let ports = [PortSpec::new("x", 129)];
    let lanes = [Lanes::from_bits(vec![vec![1]; 129], 1)];
    assert!(write_outputs(&path, None, &ports, &lanes).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
    let path = folder.path().join("out.hex");
    write_outputs(&path, None, &ports, &lanes).expect("writes");
    assert_eq!(read_inputs(&path, None, &ports).expect("reads"), lanes);
    let missing = folder.path().join("no/out.hex");
    assert!(matches!(
        write_outputs(&missing, None, &ports, &lanes).map_err(|e| e.problem),
        Err(Problem::NoFolder(_))
    ));
}

#[test]
fn output_files_that_cannot_be_written_are_known_before() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let ports = [PortSpec::new("x", 129)];
    let check = |name: &str, format| {
        check_outputs(&folder.path().join(name), format, &ports).map_err(|e| e.problem)
    };
    assert_eq!(check("out.hex", None), Ok(()));
    assert_eq!(check("out.txt", Some(Format::Hex)), Ok(()));
    assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
    assert_eq!(check("out.txt", None), Err(Problem::UnknownExtension));
    assert!(matches!(check("out.dec", None), Err(Problem::TooWideForDecimal { .. })));
    assert!(matches!(check("no/out.hex", None), Err(Problem::NoFolder(_))));
    let itself = check_outputs(folder.path(), Some(Format::Hex), &ports).map_err(|e| e.problem);
    assert_eq!(itself, Err(Problem::Io(std::io::ErrorKind::IsADirectory)));
}

/// Ports with lanes of the same number of instances.
fn arb_values() -> impl Strategy<Value = (Vec<PortSpec>, Vec<Lanes>)> {
    let port = (0u32..200, 0usize..4, any::<bool>()).prop_map(|(width, order, signed)| {
        let order = BitOrder::ALL[order];
        let width = width.next_multiple_of(order.unit());
        (width, order, signed)
    });
    (prop::collection::vec(port, 1..4), 1usize..150).prop_flat_map(|(ports, n)| {
        let specs: Vec<PortSpec> = ports
            .iter()
            .enumerate()
            .map(|(i, &(width, order, signed))| {
                PortSpec::new(format!("in{i}"), width).with_order(order).with_sign(signed)
            })
            .collect();
        let words = n.div_ceil(64);
        let lanes: Vec<_> = specs
            .iter()
            .map(|s| {
                prop::collection::vec(prop::collection::vec(any::<u64>(), words), s.width as usize)
            })
            .collect();
        (Just(specs), lanes).prop_map(move |(specs, bits)| {
            let lanes = bits.into_iter().map(|b| Lanes::from_bits(b, n)).collect();
            (specs, lanes)
        })
    })
}

proptest! {
    #[test]
    fn every_format_round_trips((ports, lanes) in arb_values()) {
        prop_assume!(ports.iter().any(|p| p.width > 0));
        for format in Format::ALL {
            if format == Format::Decimal && ports.iter().any(|p| p.width > 128) {
                continue;
            }
            let written = write(format, &ports, &lanes);
            let read = parse_inputs(&mut Cursor::new(written), "f", format, &ports);
            prop_assert_eq!(read.as_ref(), Ok(&lanes), "{}", format);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let ports = [PortSpec::new("a", 7), PortSpec::new("b", 65).with_sign(true)];
        for format in Format::ALL {
            if let Ok(lanes) = parse_inputs(&mut Cursor::new(&bytes), "f", format, &ports) {
                prop_assert!(lanes[0].instances() >= 1);
                prop_assert_eq!(lanes[0].instances(), lanes[1].instances());
            }
        }
    }
}
