//! Polynomial gates per level: the figures of `docs/spec/circuits.md` section 9, item 6, and of
//! `docs/spec/multi-fan-in-3pc.md` section 8.1.

mod common;

use common::assert_same;
use tacit_circuit::library::aes::Sbox;
use tacit_circuit::library::comparator::{Relation, compare};
use tacit_circuit::library::multiplier::{Fusion, carry_save};
use tacit_circuit::library::{FanIn, Params, adder, build};
use tacit_circuit::passes::cost::{Form, circuit_traffic};
use tacit_circuit::passes::{Goal, LevelProgram, Options, fuse, optimise};
use tacit_circuit::{Builder, Circuit, Gate, Wire};
use tacit_ring::entropy::Rng;

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
    for (sbox, bits) in [
        (Sbox::D4, [102, 57, 57]),
        (Sbox::D3, [127, 64, 54]),
        (Sbox::D2, [627, 362, 195]),
        (Sbox::D1, [0, 508, 262]),
    ] {
        cases.push((format!("S-box {}", sbox.name()), sbox.circuit(), sbox.depth(), bits));
    }
    cases
}

#[test]
fn figures_of_the_specification() {
    for (name, c, depth, [plain, symmetric, dealer]) in cases() {
        let levels = LevelProgram::new(&c);
        let local = LevelProgram::local(&c);
        let total =
            |p: &LevelProgram| [Form::Symmetric, Form::Dealer].map(|f| p.traffic(f).total());
        let fused = [Form::Symmetric, Form::Dealer].map(|f| {
            let new = fuse(&c, f);
            assert_same(&c, &new, &mut Rng(7));
            assert!(new.stats().and_depth <= depth);
            let [old, new] = [&c, &new].map(|c| circuit_traffic(c, f).total());
            assert!(new <= old, "{name}");
            new
        });
        println!(
            "{name}: depth {}, gate by gate {} (spec {plain}), levels {:?} (spec {symmetric} {dealer}), local {:?}, fused {fused:?}",
            c.stats().and_depth,
            circuit_traffic(&c, Form::Symmetric).total(),
            total(&levels),
            total(&local),
        );
        assert_eq!(c.stats().and_depth, depth);
        // The comparator and the multiplier are smaller here than in `docs/spec/circuits.md`.
        let own = name.contains("comparator") || name.contains("multiplier");
        let [s, d] = total(&levels);
        assert!(
            if own { s <= symmetric && d <= dealer } else { (s, d) == (symmetric, dealer) },
            "{name}"
        );
        let mut rng = Rng(8);
        for program in [&levels, &local] {
            let inputs = rng.words(c.input_bits());
            assert_eq!(program.eval_lanes(&c, &inputs), c.eval_lanes(&inputs), "{name}");
        }
    }
}

/// In whole AES the S-boxes of two-input ANDs become inner products, which any protocol with
/// an inner product can use: 11,400 elements are the least that levels allow.
#[test]
fn aes_as_inner_products() {
    let c = build("aes", &Params::default()).expect("a design");
    let fused = optimise(&c, &Options { polynomial: true, ..Options::default() });
    assert_same(&c, &fused, &mut Rng(10));
    let elements = |c: &Circuit| circuit_traffic(c, Form::Symmetric).total();
    println!(
        "AES-128: {} -> {} elements, {:?} -> {:?}",
        elements(&c),
        elements(&fused),
        c.stats(),
        fused.stats()
    );
    assert_eq!(c.stats().and_depth, fused.stats().and_depth);
    assert!(elements(&fused) <= 12_000);
    let degree = fused.gates().filter_map(|(_, g)| {
        if let Gate::Poly { poly, .. } = g { Some(poly.degree()) } else { None }
    });
    assert_eq!(degree.max(), Some(2));
}

/// Collapsing the levels of the S-box of depth 4, gate by gate, gives the published S-box of
/// three levels, 130 elements (`docs/spec/multi-fan-in-3pc.md` section 8.1). For two levels the searched
/// S-boxes of the library are cheaper (814 published, 627).
#[test]
fn collapsing_the_sbox() {
    let c = Sbox::D4.circuit();
    for (level_cost, depth, most) in [(0.0, 4, 102), (30.0, 3, 130), (1e6, 2, 1258)] {
        let goal = Goal::Cost { level_cost, bit_cost: 1.0 };
        let new = optimise(&c, &Options { goal, max_fan_in: 8, ..Options::default() });
        assert_same(&c, &new, &mut Rng(11));
        let elements = circuit_traffic(&new, Form::Symmetric).total();
        println!("level cost {level_cost}: {:?}, {elements} elements", new.stats());
        assert!(new.stats().and_depth <= depth && elements <= most);
    }
}
