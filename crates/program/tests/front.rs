//! Programs that another language records: what is cut out of what was recorded, and mistakes.

use tacit_program::build::{Array, Value};
use tacit_program::text::{self, Argument, Carried, FrontEnd, Revealed, Setting};
use tacit_program::{Element, Extent, Interval, Meaning, Program, ProgramError, Span};

type Result<T> = std::result::Result<T, ProgramError>;

const BYTE: Element = Element::Int { signed: false, bits: 8 };
const WHOLE: Interval = Interval { low: 0, high: 255 };

fn place(line: u32) -> Span {
    Span { file: "user.py".into(), line, column: 0 }
}

fn number(text: &str) -> Argument {
    Argument::Numbers { numbers: vec![text.into()], shape: Vec::new() }
}

/// A front end with rows of a party.
fn begun() -> (FrontEnd, Value, Extent) {
    let mut front = FrontEnd::new();
    let alice = front.party("alice").unwrap();
    let n = Extent::rows(front.rows("n", 0..=100));
    let ty = (BYTE, vec![n.clone()], WHOLE);
    let x = front.input(&place(1), "x", Some(alice), ty, Meaning::Number).unwrap();
    (front, x, n)
}

fn revealed(value: Value) -> Vec<Revealed> {
    let to = vec![tacit_program::PartyId(0)];
    vec![Revealed { name: "r".into(), value, to, meaning: Meaning::Number, place: place(9) }]
}

fn total(front: &mut FrontEnd, x: Value) -> Result<Program> {
    let sum =
        front.call(&place(2), "sum", &[Argument::Value(x)], vec![("axis", Setting::Number(0))])?;
    front.program("total", revealed(sum[0]))
}

#[test]
fn the_same_function_is_the_same_program_as_text() {
    let (mut front, x, _) = begun();
    let program = total(&mut front, x).unwrap();
    let source = "program total\nparties alice\nrows n <= 100\ninput x: u8[n] from alice\n\
        reveal sum(x, axis 0) to alice as \"r\"\n";
    assert_eq!(text::digest(&program), text::digest(&text::parse("total", source).unwrap()));
}

#[test]
fn what_nothing_needs_is_left_out() {
    let (mut front, x, n) = begun();
    let plain = text::print(&total(&mut front, x).unwrap());
    let other = Extent::rows(front.rows("other", 1..=7));
    let ty = (BYTE, vec![other], WHOLE);
    let unused = front.input(&place(3), "unused", None, ty, Meaning::Number).unwrap();
    front.operator(&place(4), "*", [Argument::Value(unused), number("3")]).unwrap();
    assert_eq!(front.rows("n", 0..=100), n.terms[0].0);
    // The same input again, as in a cell that runs twice: only one of the two is needed.
    let ty = (BYTE, vec![n], WHOLE);
    let again = front.input(&place(1), "x", Some(tacit_program::PartyId(0)), ty, Meaning::Number);
    assert_eq!(text::print(&total(&mut front, again.unwrap()).unwrap()), plain);
}

/// A check that is tied to a value is in each program that computes something from it, and in no other.
#[test]
fn checks_that_are_tied_to_values() {
    let (mut front, x, n) = begun();
    let tied = front.record(|b| {
        let y = b.shared_input("y", tacit_program::PartyId(0), Array::of(BYTE).axis(n.clone()));
        let again = b.shared_input("y", tacit_program::PartyId(0), Array::of(BYTE).axis(n.clone()));
        assert_eq!(b.operations(), 2);
        let sum = b.sum(again, 0);
        let check = b.check(sum, 0..=7);
        let twice = b.add(x, y);
        b.tie(twice, check);
        Ok::<Value, ProgramError>(twice)
    });
    let checks = |program: &Program| text::print(program).matches("check").count();
    let of_tied = total(&mut front, tied.unwrap()).unwrap();
    assert_eq!((checks(&of_tied), of_tied.inputs().count()), (1, 2));
    let of_other = total(&mut front, x).unwrap();
    assert_eq!((checks(&of_other), of_other.inputs().count()), (0, 1));
    // Inputs are taken before loops.
    let carried = [Carried { start: x, element: BYTE, interval: WHOLE }];
    let (_, _, open) = front.open_loop(&place(5), &n, &carried).unwrap();
    let refused = front.record(|_| Ok::<(), ProgramError>(())).unwrap_err();
    assert!(refused.message.contains("outside of loops"), "{refused}");
    front.abandon_loop(open);
}

#[test]
fn two_inputs_of_one_name_are_refused_where_both_are_needed() {
    let (mut front, x, n) = begun();
    let ty = (BYTE, vec![n], WHOLE);
    let again = front.input(&place(5), "x", None, ty, Meaning::Number).unwrap();
    let sum = front.operator(&place(6), "+", [Argument::Value(x), Argument::Value(again)]).unwrap();
    let error = front.program("twice", revealed(sum)).unwrap_err();
    assert!(error.message.contains("two of the same name"), "{error}");
}

#[test]
fn mistakes_have_the_place_and_leave_what_was_before() {
    let (mut front, x, n) = begun();
    let before = text::print(&total(&mut front, x).unwrap());
    let wrong = [
        front.call(&place(11), "summ", &[Argument::Value(x)], vec![]).unwrap_err(),
        front.call(&place(11), "sum", &[Argument::Value(x)], vec![]).unwrap_err(),
        front
            .call(&place(11), "sum", &[Argument::Value(x)], vec![("axes", Setting::Number(0))])
            .unwrap_err(),
        front
            .call(&place(11), "sum", &[Argument::Value(x)], vec![("axis", Setting::Number(4))])
            .unwrap_err(),
        front.operator(&place(11), "+", [Argument::Value(x), number("0.5")]).unwrap_err(),
    ];
    for error in wrong {
        assert!(error.to_string().starts_with("user.py:11: "), "{error}");
    }
    // A loop whose body has a mistake is forgotten, with the loops within it.
    let start = front.constant(&place(12), (BYTE, vec![]), vec![0]).unwrap();
    let carried = [Carried { start, element: BYTE, interval: WHOLE }];
    let (_, _, outer) = front.open_loop(&place(13), &n, &carried).unwrap();
    let (inner, _, _open) = front.open_loop(&place(14), &Extent::fixed(3), &carried).unwrap();
    front.operator(&place(15), "@", [Argument::Value(inner[0]), Argument::Value(x)]).unwrap_err();
    front.abandon_loop(outer);
    assert!(front.operator(&place(16), "+", [Argument::Value(inner[0]), number("1")]).is_err());
    assert_eq!(text::print(&total(&mut front, x).unwrap()), before);
    assert!(front.program("nothing", vec![]).is_err());
}

#[test]
fn loops_keep_what_they_carry_within_their_type() {
    let (mut front, _, n) = begun();
    let start = front.constant(&place(1), (BYTE, vec![]), vec![1]).unwrap();
    let carried = [Carried { start, element: BYTE, interval: Interval { low: 0, high: 100 } }];
    let (values, _, open) = front.open_loop(&place(2), &n, &carried).unwrap();
    let next = front.operator(&place(3), "+", [Argument::Value(values[0]), number("1")]).unwrap();
    let error = front.close_loop(open, &[next]).unwrap_err();
    assert!(error.message.contains("range"), "{error}");
    let (values, _, open) = front.open_loop(&place(2), &n, &carried).unwrap();
    let next = front.operator(&place(3), "+", [Argument::Value(values[0]), number("1")]).unwrap();
    let range = Setting::Range("0".into(), "100".into());
    let kept =
        front.call(&place(4), "assume", &[Argument::Value(next)], vec![("in", range)]).unwrap();
    let last = front.close_loop(open, &kept).unwrap();
    let program = front.program("count", revealed(last[0])).unwrap();
    assert!(text::parse("count", &text::print(&program)).is_ok());
    assert_eq!(program.dims.len(), 1);
}
