//! Polynomial gates per level: the figures of `spec/circuits.md` 9.6 and of
//! `spec/multi-fan-in-3pc.md` 8.1.

mod common;

use common::{Rng, assert_same};
use tacit_circuit::library::aes::Sbox;
use tacit_circuit::library::comparator::{Relation, compare};
use tacit_circuit::library::multiplier::{Fusion, carry_save};
use tacit_circuit::library::{FanIn, adder};
use tacit_circuit::passes::cost::{Form, circuit_traffic};
use tacit_circuit::passes::{LevelProgram, fuse};
use tacit_circuit::{Builder, Circuit, Wire};

fn two_words(width: u32, f: impl FnOnce(&mut Builder, &[Wire], &[Wire]) -> Vec<Wire>) -> Circuit {
    let mut b = Builder::new();
    let (x, y) = (b.input(width), b.input(width));
    let out = f(&mut b, &x, &y);
    b.output(&out);
    b.finish()
}

fn fan(n: usize) -> FanIn {
    FanIn::new(n).expect("2 to 8")
}

/// Name, circuit, depth, and total bits: gate by gate, symmetric, dealer.
fn cases() -> Vec<(String, Circuit, u32, [u64; 3])> {
    let adder = |f: usize| two_words(64, |b, x, y| adder::select(b, x, y, None, false, fan(f)));
    let greater = two_words(64, |b, x, y| vec![compare(b, Relation::Greater, false, x, y, fan(8))]);
    let product = two_words(32, |b, x, y| carry_save(b, x, y, 64, fan(4), Fusion::Off));
    let mut cases = vec![
        ("64-bit adder, fan-in 8".to_owned(), adder(8), 2, [34535, 13543, 6936]),
        ("64-bit adder, fan-in 4".to_owned(), adder(4), 3, [3543, 2082, 1284]),
        ("64-bit comparator, fan-in 8".to_owned(), greater, 3, [973, 746, 430]),
        ("32-bit multiplier, fan-in 4".to_owned(), product, 8, [30366, 21126, 13039]),
    ];
    for (sbox, bits) in
        [(Sbox::D4, [102, 57, 57]), (Sbox::D3, [127, 64, 54]), (Sbox::D2, [627, 362, 195]), (Sbox::D1, [0, 508, 262])]
    {
        cases.push((format!("S-box {}", sbox.name()), sbox.circuit(), sbox.depth(), bits));
    }
    cases
}

#[test]
fn figures_of_the_specification() {
    for (name, c, depth, [plain, symmetric, dealer]) in cases() {
        let levels = LevelProgram::new(&c);
        let local = LevelProgram::local(&c);
        let total = |p: &LevelProgram| [Form::Symmetric, Form::Dealer].map(|f| p.traffic(f).total());
        let fused = [Form::Symmetric, Form::Dealer].map(|f| {
            let new = fuse(&c, f);
            assert_same(&c, &new, &mut Rng(7));
            circuit_traffic(&new, f).total()
        });
        println!(
            "{name}: depth {}, gate by gate {} (spec {plain}), levels {:?} (spec {symmetric} {dealer}), local {:?}, fused {fused:?}",
            c.stats().and_depth, circuit_traffic(&c, Form::Symmetric).total(), total(&levels), total(&local),
        );
        assert_eq!(c.stats().and_depth, depth);
        let mut rng = Rng(8);
        for program in [&levels, &local] {
            let inputs = rng.words(c.input_bits());
            assert_eq!(program.eval_lanes(&c, &inputs), c.eval_lanes(&inputs), "{name}");
        }
    }
}
