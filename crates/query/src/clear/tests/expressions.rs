//! Expressions.

use super::*;
use crate::plan::{Compute, DatePart};

fn converted(value: impl Into<Cell>, from: Kind, to: Kind) -> Cell {
    super::value(expr(Compute::Convert(Box::new(raw(value, from))), to))
}

fn fixed(fraction: u8) -> Kind {
    Kind::Fixed { fraction }
}

#[test]
fn conversions() {
    let decimal = |scale| Kind::Decimal { scale };
    // More digits exactly, fewer to the nearest, half away from zero.
    assert_eq!(converted(-7, INTEGER, MONEY), Some(-700));
    let tenths =
        [(125, 13), (124, 12), (-125, -13), (-124, -12), (-126, -13), (0, 0), (5, 1), (-5, -1)];
    for (raw, rounded) in tenths {
        assert_eq!(converted(raw, MONEY, decimal(1)), Some(rounded), "{raw}");
    }
    assert_eq!(converted(-49, MONEY, INTEGER), Some(0));
    assert_eq!(converted(-50, MONEY, INTEGER), Some(-1));
    // Decimals to fixed point are rounded down: 0.01 is 0.16 sixteenths.
    assert_eq!(converted(1, MONEY, FIXED), Some(0));
    assert_eq!(converted(-1, MONEY, FIXED), Some(-1));
    assert_eq!(converted(150, MONEY, FIXED), Some(24));
    assert_eq!(converted(-3, INTEGER, FIXED), Some(-48));
    // Fixed point to decimals: to the nearest, half away from zero. 8 / 16 is one half.
    for (raw, rounded) in [(8, 1), (7, 0), (-8, -1), (-7, 0), (-24, -2), (-23, -1), (25, 2)] {
        assert_eq!(converted(raw, FIXED, INTEGER), Some(rounded), "{raw}");
    }
    assert_eq!(converted(1, FIXED, MONEY), Some(6));
    assert_eq!(converted(-2, FIXED, MONEY), Some(-13));
    assert_eq!(converted(5, fixed(0), MONEY), Some(500));
    // To fewer bits: rounded down.
    assert_eq!(converted(-1, FIXED, fixed(2)), Some(-1));
    assert_eq!(converted(7, FIXED, fixed(2)), Some(1));
    assert_eq!(converted(-3, FIXED, fixed(6)), Some(-12));
    assert_eq!(converted(1, Kind::Bit, INTEGER), Some(1));
    assert_eq!(converted(1, Kind::Bit, MONEY), Some(100));
    assert_eq!(converted(1, Kind::Bit, FIXED), Some(16));
    assert_eq!(converted(None, MONEY, FIXED), None);
    assert_eq!(converted(3, Kind::Date, Kind::Date), Some(3));
    let refused = expr(Compute::Convert(Box::new(int(1))), Kind::Bit);
    assert!(wrong(refused).contains("q.sql:3:7: malformed plan"));
}

fn computed(operator: Operator, a: impl Into<Cell>, b: impl Into<Cell>) -> Cell {
    value(binary(operator, int(a), int(b), INTEGER))
}

#[test]
fn sums_differences_and_signs() {
    assert_eq!(computed(Operator::Add, 3, -5), Some(-2));
    assert_eq!(computed(Operator::Subtract, 3, -5), Some(8));
    assert_eq!(computed(Operator::Add, None, 1), None);
    assert_eq!(computed(Operator::Subtract, 1, None), None);
    let of = |compute: fn(Box<Expr>) -> Compute, value: Cell| {
        super::value(expr(compute(Box::new(int(value))), INTEGER))
    };
    assert_eq!(of(Compute::Negate, Some(-4)), Some(4));
    assert_eq!(of(Compute::Absolute, Some(-4)), Some(4));
    assert_eq!(of(Compute::Absolute, Some(4)), Some(4));
    assert_eq!(of(Compute::Negate, None), None);
    assert_eq!(of(Compute::Absolute, None), None);
}

#[test]
fn dates_and_days() {
    let date = |days: i128| raw(days, Kind::Date);
    assert_eq!(value(binary(Operator::Add, date(10), int(5), Kind::Date)), Some(15));
    assert_eq!(value(binary(Operator::Subtract, date(10), int(15), Kind::Date)), Some(-5));
    assert_eq!(value(binary(Operator::Subtract, date(10), date(15), INTEGER)), Some(-5));
    assert!(wrong(binary(Operator::Add, date(1), date(1), Kind::Date)).contains("malformed plan"));
    assert!(wrong(binary(Operator::Add, int(1), date(1), Kind::Date)).contains("malformed plan"));
}

#[test]
fn products() {
    let product = binary(
        Operator::Multiply,
        raw(-150, MONEY),
        raw(25, Kind::Decimal { scale: 1 }),
        Kind::Decimal { scale: 3 },
    );
    assert_eq!(value(product), Some(-3750));
    // In sixteenths: 1.5 times -0.0625 is -1.5 sixteenths.
    let fixed =
        |a: i128, b: i128| value(binary(Operator::Multiply, raw(a, FIXED), raw(b, FIXED), FIXED));
    assert_eq!(fixed(24, -1), Some(-2));
    assert_eq!(fixed(24, 1), Some(1));
    assert_eq!(fixed(-24, -16), Some(24));
    let mixed = binary(Operator::Multiply, raw(1, FIXED), raw(1, fixed_of_two()), FIXED);
    assert!(wrong(mixed).contains("malformed plan"));
}

fn fixed_of_two() -> Kind {
    fixed(2)
}

#[test]
fn quotients() {
    let fixed =
        |a: Cell, b: Cell| value(binary(Operator::Divide, raw(a, FIXED), raw(b, FIXED), FIXED));
    // 1 / 3 is 5.33 sixteenths.
    assert_eq!(fixed(Some(16), Some(48)), Some(5));
    assert_eq!(fixed(Some(-16), Some(48)), Some(-6));
    assert_eq!(fixed(Some(16), Some(-48)), Some(-6));
    assert_eq!(fixed(Some(-16), Some(-48)), Some(5));
    assert_eq!(fixed(Some(-32), Some(16)), Some(-32));
    assert_eq!(fixed(Some(16), Some(0)), None);
    assert_eq!(fixed(None, Some(0)), None);
    assert!(wrong(binary(Operator::Divide, int(1), int(1), FIXED)).contains("malformed plan"));
    let cases = [
        (7, 2, 3, 1),
        (-7, 2, -3, -1),
        (7, -2, -3, 1),
        (-7, -2, 3, -1),
        (-6, 3, -2, 0),
        (1, 5, 0, 1),
    ];
    for (a, b, quotient, remainder) in cases {
        assert_eq!(computed(Operator::IntegerDivide, a, b), Some(quotient), "{a} // {b}");
        assert_eq!(computed(Operator::Remainder, a, b), Some(remainder), "{a} % {b}");
    }
    assert_eq!(computed(Operator::IntegerDivide, 7, 0), None);
    assert_eq!(computed(Operator::Remainder, 7, 0), None);
    assert_eq!(computed(Operator::Remainder, 7, None), None);
}

#[test]
fn large_numbers_are_errors() {
    let large = [
        binary(Operator::Add, int(i128::MAX), int(1), INTEGER),
        binary(Operator::Subtract, int(i128::MIN), int(1), INTEGER),
        binary(Operator::Multiply, int(i128::MAX), int(2), INTEGER),
        binary(Operator::IntegerDivide, int(i128::MIN), int(-1), INTEGER),
        binary(Operator::Divide, raw(i128::MAX, FIXED), raw(1, FIXED), FIXED),
        expr(Compute::Negate(Box::new(int(i128::MIN))), INTEGER),
        expr(Compute::Absolute(Box::new(int(i128::MIN))), INTEGER),
        expr(Compute::Convert(Box::new(int(i128::MAX))), MONEY),
        expr(Compute::Convert(Box::new(int(i128::MAX))), FIXED),
    ];
    for expr in large {
        assert_eq!(wrong(expr), "q.sql:3:7: a number becomes larger than 128 bits here");
    }
}

#[test]
fn logic_has_three_values() {
    let all = [Some(0), None, Some(1)];
    for a in all {
        for b in all {
            let and = match (a, b) {
                (Some(a), Some(b)) => Some(a * b),
                (Some(0), None) | (None, Some(0)) => Some(0),
                _ => None,
            };
            let or = match (a, b) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (Some(1), None) | (None, Some(1)) => Some(1),
                _ => None,
            };
            assert_eq!(value(binary(Operator::And, bit(a), bit(b), Kind::Bit)), and);
            assert_eq!(value(binary(Operator::Or, bit(a), bit(b), Kind::Bit)), or);
        }
        let not = expr(Compute::Not(Box::new(bit(a))), Kind::Bit);
        assert_eq!(value(not), a.map(|a| 1 - a));
        let mut is_null = expr(Compute::IsNull(Box::new(bit(a))), Kind::Bit);
        is_null.nullable = false;
        assert_eq!(value(is_null), Some(i128::from(a.is_none())));
    }
}

#[test]
fn comparisons() {
    for (a, b) in [(1, 2), (2, 1), (-1, -1), (-2, 1)] {
        let holds = |operator| value(binary(operator, int(a), int(b), Kind::Bit)) == Some(1);
        assert_eq!(holds(Operator::Less), a < b);
        assert_eq!(holds(Operator::LessOrEqual), a <= b);
        assert_eq!(holds(Operator::Equal), a == b);
    }
    for operator in [Operator::Less, Operator::LessOrEqual, Operator::Equal] {
        assert_eq!(value(binary(operator, int(None), int(None), Kind::Bit)), None);
        assert_eq!(value(binary(operator, int(1), int(None), Kind::Bit)), None);
    }
    let red_first = binary(Operator::Less, raw(0, colours()), raw(1, colours()), Kind::Bit);
    assert_eq!(value(red_first), Some(1));
    assert!(
        wrong(binary(Operator::Equal, int(1), raw(100, MONEY), Kind::Bit)).contains("malformed")
    );
    assert!(wrong(raw(2, colours())).contains("this literal is not of its kind"));
    assert!(wrong(bit(2)).contains("this literal is not of its kind"));
}

#[test]
fn choices() {
    let case = |conditions: &[Cell]| {
        let numbered = conditions.iter().enumerate();
        let branches = numbered.map(|(number, it)| (bit(*it), int(number as i128))).collect();
        value(expr(Compute::Case(branches, Box::new(int(None))), INTEGER))
    };
    assert_eq!(case(&[Some(1), Some(1)]), Some(0));
    assert_eq!(case(&[None, Some(1)]), Some(1));
    assert_eq!(case(&[Some(0), None]), None);
    assert_eq!(case(&[]), None);
    let coalesce = |of: &[Cell]| {
        value(expr(Compute::Coalesce(of.iter().map(|it| int(*it)).collect()), INTEGER))
    };
    assert_eq!(coalesce(&[None, Some(-3), Some(4)]), Some(-3));
    assert_eq!(coalesce(&[None, None]), None);
    assert!(wrong(expr(Compute::Coalesce(Vec::new()), INTEGER)).contains("malformed"));
    let extreme = |greatest, of: &[Cell]| {
        value(expr(
            Compute::Extreme { greatest, of: of.iter().map(|it| int(*it)).collect() },
            INTEGER,
        ))
    };
    assert_eq!(extreme(true, &[None, Some(-3), Some(-4)]), Some(-3));
    assert_eq!(extreme(false, &[Some(-3), None, Some(-4)]), Some(-4));
    assert_eq!(extreme(false, &[None, None]), None);
}

#[test]
fn parts_of_dates() {
    let part = |part, days: Cell| {
        value(expr(Compute::DatePart(part, Box::new(raw(days, Kind::Date))), INTEGER))
    };
    // 1969-12-31, a Wednesday; 1970-01-01; 2000-02-29, a Tuesday; 2023-10-01, a Sunday.
    let days = [
        (-1, [1969, 4, 12, 31, 3]),
        (0, [1970, 1, 1, 1, 4]),
        (11_016, [2000, 1, 2, 29, 2]),
        (19_631, [2023, 4, 10, 1, 0]),
    ];
    let parts =
        [DatePart::Year, DatePart::Quarter, DatePart::Month, DatePart::Day, DatePart::Weekday];
    for (day, wanted) in days {
        assert_eq!(parts.map(|it| part(it, Some(day))), wanted.map(Some));
    }
    assert_eq!(part(DatePart::Year, None), None);
    let far = expr(Compute::DatePart(DatePart::Day, Box::new(raw(1 << 40, Kind::Date))), INTEGER);
    assert_eq!(wrong(far), "q.sql:3:7: this date is too far from today");
}

#[test]
fn scalar_subqueries() {
    let scalar = |tables: &[Rows]| {
        let scalar = expr(Compute::Scalar(Box::new(scan(0, integers(1)))), INTEGER);
        evaluated(
            &project(scan(1, integers(1)), vec![binary(Operator::Add, scalar, column(0), INTEGER)]),
            tables,
        )
    };
    let two = rows(&[[Some(1)], [Some(2)]]);
    assert_eq!(scalar(&[rows(&[[Some(5)]]), two.clone()]), Ok(vec![vec![Some(6)], vec![Some(7)]]));
    assert_eq!(scalar(&[rows::<1>(&[]), two.clone()]), Ok(vec![vec![None], vec![None]]));
    assert_eq!(scalar(&[rows(&[[None]]), two.clone()]), Ok(vec![vec![None], vec![None]]));
    let several = scalar(&[two.clone(), two]).expect_err("two rows").to_string();
    assert_eq!(several, "q.sql:3:7: this subquery has several rows where one value is needed");
}

#[test]
fn what_is_never_null_is_not() {
    let mut never = int(None);
    never.nullable = false;
    assert!(wrong(never).contains("this is null, and it says that it never is"));
}
