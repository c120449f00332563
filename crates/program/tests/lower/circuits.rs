//! The circuits by themselves, exhaustively at small widths.

use tacit_circuit::Circuit;
use tacit_circuit::library::adder::AdderForm;
use tacit_program::infer::range::{floor_div, isqrt};
use tacit_program::lower::{Port, divide_floor, remainder_floor, square_root};

fn bits_of(value: i128, width: u32) -> Vec<bool> {
    (0..width).map(|i| value >> i & 1 == 1).collect()
}

fn signed(bits: &[bool]) -> i128 {
    let raw: i128 = bits.iter().enumerate().map(|(i, &b)| i128::from(b) << i).sum();
    if bits[bits.len() - 1] { raw - (1 << bits.len()) } else { raw }
}

fn eval(circuit: &Circuit, operands: &[(i128, Port)]) -> i128 {
    let ports: Vec<Vec<bool>> = operands.iter().map(|(v, p)| bits_of(*v, p.width)).collect();
    signed(&circuit.eval(&ports)[0])
}

fn all(port: Port) -> std::ops::Range<i128> {
    let half = 1i128 << (port.bits - 1);
    if port.signed { -half..half } else { 0..2 * half }
}

fn ports() -> Vec<Port> {
    let sizes = [1, 2, 3, 5];
    let port = |&bits: &u32| [false, true].map(|signed| Port { width: bits + 1, bits, signed });
    sizes.iter().flat_map(port).collect()
}

#[test]
fn division_rounds_down_at_all_widths() {
    for x in ports() {
        for y in ports() {
            for shift in [0, 2] {
                let form = if shift == 0 { AdderForm::Select } else { AdderForm::Ripple };
                let quotient = divide_floor(x, y, shift, 12, form);
                let remainder = remainder_floor(x, y, 12, form);
                for a in all(x) {
                    for b in all(y) {
                        let (q, r) = match b {
                            0 => (0, 0),
                            _ => (floor_div(a << shift, b), a - b * floor_div(a, b)),
                        };
                        let operands = [(a, x), (b, y)];
                        assert_eq!(
                            eval(&quotient, &operands),
                            q,
                            "{a} << {shift} / {b} {x:?} {y:?}"
                        );
                        assert_eq!(eval(&remainder, &operands), r, "{a} % {b} {x:?} {y:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn roots_round_down_at_all_widths() {
    for bits in 1..=10 {
        for signed in [false, true] {
            for shift in [0, 1, 4] {
                let port = Port { width: bits, bits, signed };
                let form = if shift == 1 { AdderForm::Select } else { AdderForm::Ripple };
                let circuit = square_root(port, shift, 9, form);
                for a in all(port) {
                    assert_eq!(eval(&circuit, &[(a, port)]), isqrt(a << shift), "{a} {shift}");
                }
            }
        }
    }
}
