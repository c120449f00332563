//! The first mistake is reported, where it was made, with what to do.

use tacit_program::build::{Along, Array, Builder, Carried, Value};
use tacit_program::{Element, ProgramError};

const I64: Element = Element::int(64);

/// What a program with two columns, of 4 and `n` integers, fails with.
fn mistake(write: impl FnOnce(&mut Builder, Value, Value)) -> ProgramError {
    let mut b = Builder::new("test");
    let alice = b.party("alice");
    let n = b.rows("n", 10);
    let x = b.input("x", alice, Array::of(I64).axis(4));
    let y = b.input("y", alice, Array::of(Element::int(16)).axis(n));
    write(&mut b, x, y);
    b.finish().unwrap_err()
}

fn says(error: &ProgramError, parts: &[&str]) {
    let shown = error.to_string();
    assert!(shown.starts_with(&format!("{}:", file!())), "{shown}");
    assert!(error.span.column > 0);
    for part in parts {
        assert!(shown.contains(part), "`{part}` in `{shown}`");
    }
}

#[test]
fn overflow() {
    let line = line!() + 2;
    let error = mistake(|b, x, _| {
        b.mul(x, x);
        b.add(x, 0.5);
    });
    assert_eq!(error.span.line, line);
    says(&error, &["64 bits", "narrower ranges", "assume", "wrapping"]);
}

type Write = fn(&mut Builder, Value, Value);

#[test]
fn shapes_and_types() {
    let mistakes: [(Write, &[&str]); 8] = [
        (|b, x, y| _ = b.mul(x, y), &["[4] and [n] do not broadcast", "reshape"]),
        (|b, x, _| _ = b.add(x, 0.5), &["0.5", "fixed point"]),
        (|b, x, _| _ = b.and(x, x), &["bits are needed", "compare"]),
        (|b, _, y| _ = b.product(y, 0), &["symbolic length", "not supported"]),
        (|b, _, y| _ = b.slice(y, 0, 0, 3, 1), &["leaves the axis", "some row counts"]),
        (|b, x, _| _ = b.sum(x, 1), &["axis 1", "1 axes"]),
        (|b, x, _| _ = b.cast(x, Element::int(8)), &["do not fit i8", "assume"]),
        (|b, x, _| _ = b.exp(x), &["fixed point is needed", "cast"]),
    ];
    for (write, parts) in mistakes {
        says(&mistake(write), parts);
    }
}

#[test]
fn loops() {
    says(
        &mistake(|b, x, _| {
            b.repeat(3, &[Carried::within(x, 0..=9)], |b, now, _| vec![b.add(now[0], 1)]);
        }),
        &["carried value 0", "range [0, 9]", "[1, 10]", "assume"],
    );
    says(
        &mistake(|b, x, _| {
            b.repeat(3, &[Carried::within(x, 0..=9)], |_, now, _| vec![now[0]]);
        }),
        &["carried value 0", "assume"],
    );
    says(
        &mistake(|b, x, _| {
            let mut stray = None;
            b.repeat(3, &[x.into()], |_, now, _| {
                stray = Some(now[0]);
                vec![now[0]]
            });
            b.neg(stray.unwrap());
        }),
        &["used outside", "carry"],
    );
}

#[test]
fn names() {
    let mut b = Builder::new("test");
    let alice = b.party("alice");
    let x = b.input("x", alice, Array::of(I64));
    b.reveal("x", x, &[alice]);
    b.reveal("x", x, &[alice]);
    let error = b.finish().unwrap_err();
    assert!(error.message.contains("result `x`"), "{error}");
}

/// A program of the variance of up to `rows` values in a range.
fn variance(range: std::ops::RangeInclusive<i64>, rows: u64, fraction: u8) -> Option<String> {
    let mut b = Builder::new("test");
    let alice = b.party("alice");
    let n = b.rows("n", rows);
    let x = b.input("x", alice, Array::of(I64).axis(n).range(range));
    let variance = b.variance(x, Along::axis(0), fraction);
    b.reveal("variance", variance, &[alice]);
    b.finish().err().map(|error| error.to_string())
}

/// What is advised about a variance that does not fit helps, and nothing less does.
#[test]
fn variances_that_do_not_fit_say_what_would() {
    let told = variance(0..=1 << 27, 1 << 8, 16).expect("does not fit");
    assert!(told.contains("ask for fewer fractional bits, with `fraction "), "{told}");
    let bits = told.rsplit("`fraction ").next().and_then(|end| end.split('`').next());
    let bits: u8 = bits.and_then(|bits| bits.parse().ok()).expect("a number");
    assert_eq!(variance(0..=1 << 27, 1 << 8, bits), None);
    assert!(variance(0..=1 << 27, 1 << 8, bits + 1).is_some());

    for low in [0, -(1i64 << 40), 7] {
        let told = variance(low..=1 << 40, 1000, 4).expect("does not fit");
        assert!(told.contains("declare a narrower range for them"), "{told}");
        let range = told.rsplit(": [").next().and_then(|end| end.strip_suffix("] fits"));
        let (from, to) = range.and_then(|range| range.split_once(", ")).expect("two ends");
        let [from, to] = [from, to].map(|end| end.parse::<i64>().expect("a number"));
        assert_eq!(variance(from..=to, 1000, 4), None, "{told}");
        let wider = if from < 0 { 2 * from..=2 * to } else { from..=from.max(0) + 2 * (to - from) };
        assert!(variance(wider, 1000, 4).is_some(), "{told}");
    }
}
