//! The first mistake is reported, where it was made, with what to do.

use tacit_program::build::{Array, Builder, Carried, Value};
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
