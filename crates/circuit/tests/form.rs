//! The form and the builder: folding, merging, counting, evaluation, liveness.

mod common;

use common::{Shape, assert_same, random_circuit, random_poly};
use proptest::prelude::*;
use tacit_circuit::passes::lower;
use tacit_circuit::{Builder, Gate, Poly, Wire};
use tacit_ring::entropy::Rng;

#[test]
fn folding_follows_the_rules() {
    let mut b = Builder::new();
    let x = b.input(3);
    let (zero, one) = (b.constant(false), b.constant(true));
    let not = b.not(x[0]);
    assert_eq!(b.not(not), x[0]);
    assert_eq!(b.not(one), zero);
    assert_eq!(b.xor(x[0], x[0]), zero);
    assert_eq!(b.xor(x[0], not), one);
    assert_eq!(b.xor(x[0], one), not);
    assert_eq!(b.xor(zero, x[1]), x[1]);
    let sum = b.xor(x[0], x[1]);
    let complement = b.not(sum);
    assert_eq!(b.xor(not, x[1]), complement, "the complement is pulled out of the sum");
    let not1 = b.not(x[1]);
    assert_eq!(b.xor(not1, not), sum);
    assert_eq!(b.and(&[x[0], x[0]]), x[0]);
    assert_eq!(b.and(&[x[0], not, x[1]]), zero);
    assert_eq!(b.and(&[x[0], one, x[0], one]), x[0]);
    assert_eq!(b.and(&[x[1], zero]), zero);
    assert_eq!(b.and(&[]), one);
    assert_eq!(b.xor_all(&[]), zero);
    let three = b.and(&x);
    assert_eq!(b.and(&[x[2], x[0], x[1], x[0]]), three);
    assert_eq!(b.level(three), 1);
    assert_eq!(b.or(x[0], not), one);
    let before = b.wire_count();
    b.xor(x[1], x[0]);
    b.and2(x[1], x[0]);
    b.and2(x[0], x[1]);
    assert_eq!(b.wire_count(), before + 1);
}

#[test]
fn wide_ands_become_trees_of_least_depth() {
    for (inputs, depth) in [(8, 1), (9, 2), (64, 2), (65, 3), (100, 3)] {
        let mut b = Builder::new();
        let x = b.input(inputs);
        let all = b.and(&x);
        b.output(&[all]);
        let c = b.finish();
        assert_eq!(c.stats().and_depth, depth);
        let mut words = vec![!0u64; inputs as usize];
        words[inputs as usize / 2] = 0b1011;
        assert_eq!(c.eval_lanes(&words), [0b1011]);
    }
}

#[test]
fn only_what_outputs_need_is_kept_and_counted() {
    let mut b = Builder::new();
    let x = b.input(4);
    let kept = b.and2(x[0], x[1]);
    let dead = b.and2(x[2], x[3]);
    b.xor(dead, kept);
    let y = b.input(2);
    let sum = b.xor(kept, y[1]);
    let not = b.not(sum);
    b.output(&[not, x[3]]);
    let c = b.finish();
    assert_eq!(c.input_widths(), [4, 2]);
    let s = c.stats();
    assert_eq!((s.and_count(), s.xors, s.nots, c.gate_count(), c.wire_count()), (1, 1, 1, 3, 9));
    let ports: Vec<Gate<'_>> = (0..6).map(|i| c.gate(Wire(i))).collect();
    assert_eq!(ports[4], Gate::Input { port: 1, bit: 0 });
    assert_eq!(c.output_ports(), [[Wire(8), Wire(3)]]);
    let bits = |v: &[u8]| v.iter().map(|&b| b == 1).collect::<Vec<bool>>();
    assert_eq!(c.eval(&[bits(&[1, 1, 0, 1]), bits(&[0, 1])]), [bits(&[1, 1])]);
}

#[test]
fn polynomial_gates_are_simplified() {
    let mut b = Builder::new();
    let x = b.input(4);
    // linear, repeated, single product, and two real outputs
    let poly = Poly::new(4, vec![vec![1, 2, 0], vec![3, 12], vec![12, 3], vec![7, 8], vec![7, 7]]);
    let out = b.poly(&x, poly.clone());
    assert_eq!(out[1], out[2]);
    assert_eq!(out[4], b.constant(false));
    assert!(matches!(b.gate(out[0]), Gate::Not(_)));
    assert_eq!((b.level(out[0]), b.level(out[1])), (0, 1));
    let before = b.wire_count();
    assert_eq!(b.poly(&x, poly), out);
    assert_eq!(b.wire_count(), before);
    let product = b.poly(&[x[0], x[1], x[0]], Poly::new(3, vec![vec![7]]));
    assert_eq!(product[0], b.and2(x[0], x[1]));
    b.output(&out[3..4]);
    let c = b.finish();
    let Gate::Poly { inputs, poly } = c.gate(c.output_ports()[0][0]) else {
        panic!("a gate is left")
    };
    assert_eq!((inputs.len(), poly.outputs().len()), (4, 1), "the other outputs are dead");
    assert_eq!(c.stats().polys, 1);
}

#[test]
fn invalid_tables_are_refused() {
    assert!(Poly::try_new(13, vec![vec![1]]).is_err());
    assert!(Poly::try_new(2, vec![]).is_err());
    assert!(Poly::try_new(2, vec![vec![4]]).is_err());
    assert_eq!(Poly::new(2, vec![vec![3, 1, 3, 0]]).outputs(), [[0, 1]]);
}

#[test]
fn liveness() {
    let mut b = Builder::new();
    let x = b.input(8);
    let all = x[1..].iter().fold(x[0], |r, &y| b.and2(r, y));
    b.output(&[all]);
    let c = b.finish();
    let last = c.last_use();
    assert_eq!((last[0], last[1], last[7]), (8, 8, 14));
    assert_eq!(last[14], u32::MAX);
    assert_eq!(c.peak_live(), 9);
    assert!(c.live().iter().all(|&l| l));
    assert_eq!(c.uses()[14], 1);
}

#[test]
fn digests_tell_circuits_apart() {
    let build = |swap: bool, width: u32| {
        let mut b = Builder::new();
        let x = b.input(width);
        let (and, xor) = (b.and2(x[0], x[1]), b.xor(x[0], x[1]));
        b.output(&if swap { [xor, and] } else { [and, xor] });
        b.finish().digest()
    };
    assert_eq!(build(false, 2), build(false, 2));
    assert_ne!(build(false, 2), build(true, 2));
    assert_ne!(build(false, 2), build(false, 3));
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) }
}

proptest! {
    #![proptest_config(config())]

    /// Inlining a circuit twice: the second copy is found, not built.
    #[test]
    fn appending(seed: u64, gates in 1usize..120) {
        let mut rng = Rng(seed);
        let c = random_circuit(&mut rng, Shape { gates, fan_in: 8, polys: true, constants: true });
        let mut b = Builder::new();
        let inputs: Vec<Vec<Wire>> = c.input_widths().to_vec().into_iter().map(|w| b.input(w)).collect();
        let out = b.append(&c, &inputs);
        let wires = b.wire_count();
        prop_assert_eq!(&b.append(&c, &inputs), &out);
        prop_assert_eq!(b.wire_count(), wires);
        out.iter().for_each(|port| b.output(port));
        assert_same(&c, &b.finish(), &mut rng);
    }

    /// A polynomial gate over any mix of wires is the sum of its products.
    #[test]
    fn polynomial_gates(seed: u64, inputs in 0usize..9) {
        let mut rng = Rng(seed);
        let poly = random_poly(&mut rng, inputs);
        let mut b = Builder::new();
        let x = b.input(4);
        let mut wires = vec![b.constant(false), b.constant(true), b.not(x[0])];
        wires.extend(&x);
        let picked: Vec<Wire> = (0..inputs).map(|_| wires[rng.below(wires.len())]).collect();
        let out = b.poly(&picked, poly.clone());
        let mut sums = Vec::new();
        for products in poly.outputs() {
            let terms: Vec<Wire> = products
                .iter()
                .map(|m| {
                    let factors: Vec<Wire> =
                        (0..inputs).filter(|k| m >> k & 1 == 1).map(|k| picked[k]).collect();
                    b.and(&factors)
                })
                .collect();
            sums.push(b.xor_all(&terms));
        }
        b.output(&out);
        b.output(&sums);
        let c = b.finish();
        for c in [lower(&c, 2), c] {
            let words = rng.words(4);
            let got = c.eval_lanes(&words);
            prop_assert_eq!(&got[..out.len()], &got[out.len()..]);
        }
    }

    #[test]
    fn wires_are_in_topological_order(seed: u64, gates in 1usize..200) {
        let mut rng = Rng(seed);
        let c = random_circuit(&mut rng, Shape { gates, fan_in: 8, polys: true, constants: true });
        let mut next = 0;
        for (w, gate) in c.gates() {
            prop_assert_eq!(w.index(), next, "ids are dense");
            next += gate.width();
            gate.for_each_input(|x| assert!(x < w));
        }
        prop_assert_eq!(next, c.wire_count());
        prop_assert_eq!(c.levels().into_iter().max().unwrap_or(0), c.stats().and_depth);
    }
}
