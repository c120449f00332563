//! What is written is read again, bit by bit, and no text makes reading panic.

use proptest::prelude::*;
use tacit_program::Element;
use tacit_tables::{Field, OutputColumn, OutputTable, Schema};

use crate::{raw, read, read_csv, wanted};

fn element() -> impl Strategy<Value = Element> {
    let bits = prop::sample::select(vec![8_u8, 16, 32, 64]);
    let fixed = (2_u8..=64).prop_flat_map(|bits| (Just(bits), 0..bits));
    prop_oneof![
        Just(Element::Bit),
        (any::<bool>(), bits).prop_map(|(signed, bits)| Element::Int { signed, bits }),
        fixed.prop_map(|(bits, fraction)| Element::Fixed { bits, fraction }),
    ]
}

/// Raw values of a type, its ends among them.
fn column() -> impl Strategy<Value = (Element, Vec<i64>)> {
    element().prop_flat_map(|element| {
        let all = element.interval();
        let value = prop_oneof![
            8 => all.low..=all.high,
            1 => prop::sample::select(vec![all.low, all.high, 0, 1.min(all.high)]),
        ];
        #[expect(clippy::cast_possible_truncation, reason = "u64 keeps its bits")]
        let raw = prop::collection::vec(value.prop_map(|v| v as i64), 17);
        (Just(element), raw)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn files_round_trip(columns in prop::collection::vec(column(), 1..5), parquet: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(if parquet { "a.parquet" } else { "a.csv" });
        let outputs = columns.iter().enumerate().map(|(i, (element, raw))| {
            OutputColumn::new(&format!("c,\"{i}"), *element, vec![17], raw.clone().into())
        });
        OutputTable::new(outputs.collect()).unwrap().write(&path, None).unwrap();
        let fields: Vec<Field> = columns
            .iter()
            .enumerate()
            .map(|(i, (element, _))| Field::new(format!("c,\"{i}"), *element))
            .collect();
        let table = read(&path, &Schema::for_inputs(&fields)).unwrap();
        for (column, (_, values)) in table.columns.iter().zip(&columns) {
            prop_assert_eq!(&*column.raw, values);
        }
    }

    #[test]
    fn shortened_numbers_keep_their_value((element, values) in column()) {
        let raw_values = values.clone();
        let output = OutputColumn::new("x", element, vec![17], raw_values.into());
        let mut text = Vec::new();
        let table = OutputTable::new(vec![output]).unwrap();
        table.write_to(&mut text, tacit_tables::Format::Table, 99).unwrap();
        let text = String::from_utf8(text).unwrap();
        let is_number = |line: &&str| line.contains(|c: char| c.is_ascii_digit() || c == 'x');
        let csv: Vec<&str> = text.lines().filter(is_number).map(str::trim).collect();
        let read = read_csv(csv.join("\n"), &wanted(&[("x", element)])).unwrap();
        prop_assert_eq!(raw(&read, "x"), values);
    }

    #[test]
    fn reading_does_not_panic(bytes in prop::collection::vec(
        prop_oneof![prop::sample::select(b"xy,\"\n\r\t0123.-+e".to_vec()), any::<u8>()], 0..200,
    )) {
        let fine = Element::Fixed { bits: 64, fraction: 63 };
        let schema = wanted(&[("x", fine), ("y", Element::uint(64))]);
        let text = [b"x,y\n", &bytes[..]].concat();
        let _ = read_csv(text, &schema);
        let _ = read_csv(bytes, &schema);
    }

    #[test]
    fn decimal_text_is_the_nearest_raw_value(
        digits in "[0-9]{1,30}", point in 0_usize..=2, bits in 2_u8..=64,
    ) {
        let point = point.min(digits.len());
        let text = format!("0{}.{}", &digits[..point], &digits[point..]);
        let fraction = bits.min(20) - 1;
        let element = Element::Fixed { bits, fraction };
        let scale = u32::try_from(digits.len() - point).unwrap();
        let value: u128 = digits.parse().unwrap();
        match read_csv(format!("x\n{text}\n"), &wanted(&[("x", element)])) {
            Ok(table) => {
                let found = u128::try_from(raw(&table, "x")[0]).unwrap();
                let unit = 10_u128.pow(scale.min(15));
                // Compared in units of 10^-scale, cut to what 128 bits hold.
                let cut = value / 10_u128.pow(scale - scale.min(15));
                let error = (cut << fraction).abs_diff(found * unit);
                prop_assert!(error <= unit / 2 + (1 << fraction));
            }
            // At least half a unit below the first value that does not fit.
            Err(_) => {
                let first = 10_u128.pow(scale.min(15)) << (bits - 1);
                let cut = (value / 10_u128.pow(scale - scale.min(15)) + 1) << fraction;
                prop_assert!(cut + 10_u128.pow(scale.min(15)) / 2 >= first);
            }
        }
    }
}
