//! Straight-line programs: the notation of the S-box gate lists.
//!
//! Statements are separated by white space: `c=a+b` (XOR), `c=a*b*..` (one AND gate),
//! `c=!a` (NOT). A program runs over anything that has these three operations:
//! wires, truth tables, or linear masks.

use std::collections::HashMap;

/// The values of a program's names.
pub(super) type Values<T> = HashMap<String, T>;

/// What a program computes over.
pub(super) trait Algebra<T> {
    fn xor(&mut self, x: T, y: T) -> T;
    fn and(&mut self, factors: &[T]) -> T;
    fn not(&mut self, x: T) -> T;
}

/// Runs a program, adding its names to `values`.
///
/// # Panics
/// If the program is malformed; programs are constants of this crate.
pub(super) fn run<T: Copy>(program: &str, values: &mut Values<T>, algebra: &mut impl Algebra<T>) {
    for statement in program.split_whitespace() {
        let (name, expression) = statement.split_once('=').expect("name=expression");
        let value = evaluate(expression, values, algebra);
        values.insert(name.to_owned(), value);
    }
}

fn evaluate<T: Copy>(expression: &str, values: &Values<T>, algebra: &mut impl Algebra<T>) -> T {
    let value =
        |name: &str| *values.get(name).unwrap_or_else(|| panic!("{name} is set before use"));
    if let Some(name) = expression.strip_prefix('!') {
        algebra.not(value(name))
    } else if let Some((x, y)) = expression.split_once('+') {
        algebra.xor(value(x), value(y))
    } else {
        let factors: Vec<T> = expression.split('*').map(value).collect();
        algebra.and(&factors)
    }
}
