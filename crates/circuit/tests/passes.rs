//! Every pass on random circuits: same function, not deeper, not dearer.

mod common;

use common::{Shape, assert_same, published, random_circuit};
use proptest::prelude::*;
use tacit_circuit::formats::{ReadOptions, read_file};
use tacit_circuit::passes::cost::{CostModel, Form, circuit_traffic};
use tacit_circuit::passes::*;
use tacit_circuit::{Builder, Circuit, Gate, Wire};
use tacit_ring::entropy::Rng;

fn depth(c: &Circuit) -> u32 {
    c.stats().and_depth
}

fn widest(c: &Circuit) -> usize {
    (2..=8).rev().find(|&l| c.stats().ands[l] > 0).unwrap_or(0)
}

fn circuit(rng: &mut Rng, gates: usize, polys: bool) -> Circuit {
    random_circuit(rng, Shape { gates, fan_in: 8, polys, constants: true })
}

fn models() -> [CostModel; 6] {
    let model = |level_cost, form| CostModel { level_cost, bit_cost: 1.0, form };
    let s = Form::Symmetric;
    let d = Form::Dealer;
    [model(0.0, s), model(20.0, s), model(1e9, s), model(0.0, d), model(20.0, d), model(1e9, d)]
}

fn check_levels(c: &Circuit, levels: &[u32]) {
    for (w, gate) in c.gates() {
        let level = levels[w.index()];
        gate.for_each_input(|x| {
            let at = levels[x.index()] + u32::from(gate.is_level());
            assert!(at <= level, "{x:?} is read by {w:?} too early");
        });
    }
    assert_eq!(levels.iter().max().copied().unwrap_or(0), depth(c));
}

/// Failing seeds are printed; no files are left behind.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases) }
}

fn check_folding(seed: u64, gates: usize) {
    let mut rng = Rng(seed);
    let c = circuit(&mut rng, gates, true);
    for pass in [fold, drop_dead] {
        let new = pass(&c);
        assert_same(&c, &new, &mut rng);
        assert!(depth(&new) <= depth(&c));
        assert!(new.gate_count() <= c.gate_count());
        assert_eq!(pass(&new), new);
    }
}

/// A polynomial gate that becomes a plain product once its other output is dead.
#[test]
fn folding_after_an_output_of_a_polynomial_died() {
    check_folding(12724139344332729134, 180);
}

fn check_merging(seed: u64, gates: usize, fan: usize, model: usize) {
    let mut rng = Rng(seed);
    let model = models()[model];
    let any = circuit(&mut rng, gates, true);
    let new = merge_trees(&any, fan, &model);
    assert_same(&any, &new, &mut rng);
    assert!(widest(&new) <= fan);
    let narrow =
        random_circuit(&mut rng, Shape { gates, fan_in: fan, polys: true, constants: true });
    let new = merge_trees(&narrow, fan, &model);
    assert_same(&narrow, &new, &mut rng);
    // A polynomial of one product is an AND, and may be a wide one.
    if widest(&narrow) <= fan {
        assert!(depth(&new) <= depth(&narrow));
        assert!(model.circuit(&new) <= model.circuit(&narrow));
    }
}

/// A polynomial gate that becomes a wide product while the ANDs before it are made narrow.
#[test]
fn merging_after_a_polynomial_gate_became_a_wide_product() {
    check_merging(8766500314939355219, 63, 2, 0);
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn folding_and_dead_gates(seed: u64, gates in 1usize..200) {
        check_folding(seed, gates);
    }

    #[test]
    fn xor_sharing(seed: u64, gates in 1usize..300) {
        let mut rng = Rng(seed);
        let c = circuit(&mut rng, gates, true);
        let new = share_xors(&c);
        assert_same(&c, &new, &mut rng);
        prop_assert!(depth(&new) <= depth(&c));
        prop_assert!(new.stats().xors <= c.stats().xors);
        let products = |c: &Circuit| c.stats().and_count() + c.stats().polys;
        prop_assert!(products(&new) <= products(&c));
    }

    #[test]
    fn lowering(seed: u64, gates in 1usize..150, fan in 2usize..9) {
        let mut rng = Rng(seed);
        let c = circuit(&mut rng, gates, true);
        let new = lower(&c, fan);
        assert_same(&c, &new, &mut rng);
        prop_assert!(widest(&new) <= fan && new.stats().polys == 0);
        prop_assert_eq!(lower(&new, fan), new);
    }

    #[test]
    fn merging(seed: u64, gates in 1usize..200, fan in 2usize..9, model in 0usize..6) {
        check_merging(seed, gates, fan, model);
    }

    #[test]
    fn collapsing(seed: u64, gates in 1usize..100, fan in 2usize..9, model in 0usize..6, polynomial: bool) {
        let mut rng = Rng(seed);
        let model = models()[model];
        let c = random_circuit(&mut rng, Shape { gates, fan_in: fan, polys: false, constants: true });
        let new = collapse_levels(&c, fan, &model, polynomial);
        assert_same(&c, &new, &mut rng);
        prop_assert!(depth(&new) <= depth(&c));
        prop_assert!(widest(&new) <= fan);
        if !polynomial {
            prop_assert!(model.circuit(&new) <= model.circuit(&c));
        }
    }

    #[test]
    fn fusing(seed: u64, gates in 1usize..150, fan in 2usize..9, polys: bool) {
        let mut rng = Rng(seed);
        let c = random_circuit(&mut rng, Shape { gates, fan_in: fan, polys, constants: true });
        for form in [Form::Symmetric, Form::Dealer] {
            let new = fuse(&c, form);
            assert_same(&c, &new, &mut rng);
            prop_assert!(depth(&new) <= depth(&c));
            prop_assert!(circuit_traffic(&new, form).total() <= circuit_traffic(&c, form).total());
        }
    }

    #[test]
    fn level_programs(seed: u64, gates in 1usize..200) {
        let mut rng = Rng(seed);
        let c = circuit(&mut rng, gates, true);
        let program = LevelProgram::new(&c);
        prop_assert!(program.levels.len() as u32 <= depth(&c));
        for _ in 0..3 {
            let inputs = rng.words(c.input_bits());
            prop_assert_eq!(program.eval_lanes(&c, &inputs), c.eval_lanes(&inputs));
        }
    }

    #[test]
    fn levelling(seed: u64, gates in 1usize..300) {
        let mut rng = Rng(seed);
        let c = circuit(&mut rng, gates, true);
        check_levels(&c, &c.levels());
        check_levels(&c, &latest_levels(&c));
        let soon = c.levels();
        for goal in [Balance::Traffic(Form::Symmetric), Balance::Traffic(Form::Dealer), Balance::LiveWires] {
            let levels = balance(&c, goal);
            check_levels(&c, &levels);
            prop_assert!(peak(&c, &levels, goal) <= peak(&c, &soon, goal));
            let late = latest_levels(&c);
            prop_assert!(levels.iter().zip(&late).all(|(l, late)| l <= late));
        }
    }

    #[test]
    fn the_whole_pipeline(seed: u64, gates in 1usize..120, fan in 2usize..9, polynomial: bool, goal in 0usize..3) {
        let mut rng = Rng(seed);
        let goal = [Goal::Depth, Goal::Size, Goal::Cost { level_cost: 30.0, bit_cost: 1.0 }][goal];
        let c = random_circuit(&mut rng, Shape { gates, fan_in: fan, polys: false, constants: true });
        let new = optimise(&c, &Options { goal, max_fan_in: fan, polynomial, form: Form::Symmetric });
        assert_same(&c, &new, &mut rng);
        prop_assert!(depth(&new) <= depth(&c));
        prop_assert!(widest(&new) <= fan);
        prop_assert!(polynomial || new.stats().polys == 0);
        let any = circuit(&mut rng, gates, true);
        assert_same(&any, &optimise(&any, &Options { goal, max_fan_in: fan, polynomial, form: Form::Dealer }), &mut rng);
    }
}

/// An AND of 100 inputs, one after the other.
fn chain() -> Circuit {
    let mut b = Builder::new();
    let x = b.input(100);
    let all = x[1..].iter().fold(x[0], |r, &y| b.and2(r, y));
    b.output(&[all]);
    b.finish()
}

/// The tree in which every gate has as many inputs as it can.
fn uniform_tree(inputs: u32, fan: usize) -> Circuit {
    let mut b = Builder::new();
    let mut x = b.input(inputs);
    while x.len() > 1 {
        x = x.chunks(fan).map(|g| b.and(g)).collect();
    }
    b.output(&x);
    b.finish()
}

#[test]
fn a_chain_becomes_the_best_tree() {
    let c = chain();
    for form in [Form::Symmetric, Form::Dealer] {
        for level_cost in [0.0, 50.0, 100.0, 200.0, 1e6] {
            let model = CostModel { level_cost, bit_cost: 1.0, form };
            let new = merge_trees(&c, 8, &model);
            assert_same(&c, &new, &mut Rng(3));
            println!(
                "chain, {form:?}, {level_cost}: {:?} {}",
                new.stats(),
                new.stats().direction_bits()
            );
            for fan in 2..=8 {
                assert!(
                    model.circuit(&new) <= model.circuit(&uniform_tree(100, fan)),
                    "{model:?} {fan}"
                );
            }
        }
    }
    // `docs/spec/model/circuits.py` (`docs/spec/circuits.md` section 9, item 5) has depth 7 with 99 bits per direction,
    // depth 3 with 635.
    let bits = |level_cost| {
        merge_trees(&c, 8, &CostModel { level_cost, bit_cost: 1.0, form: Form::Symmetric }).stats()
    };
    assert_eq!((bits(0.0).and_depth, bits(0.0).direction_bits()), (7, 99));
    assert_eq!((bits(1e6).and_depth, bits(1e6).direction_bits()), (3, 403));
}

#[test]
fn sharing_finds_common_pairs() {
    let mut b = Builder::new();
    let x = b.input(6);
    // each sum associates differently
    let one = b.xor_all(&[x[0], x[1], x[2], x[3]]);
    let two = b.xor_all(&[x[3], x[4], x[2], x[1]]);
    let three = b.xor_all(&[x[5], x[1], x[4], x[3], x[2]]);
    b.output(&[one, two, three]);
    let c = b.finish();
    let new = share_xors(&c);
    assert_same(&c, &new, &mut Rng(4));
    assert_eq!((c.stats().xors, new.stats().xors), (10, 5));
}

#[test]
fn published_circuits_through_the_pipeline() {
    for (name, goals) in [("adder64.txt", 3), ("mult64.txt", 1), ("aes_128.txt", 2)] {
        let Some(path) = published(name) else { return };
        let c = read_file(path, &ReadOptions::default()).expect("well formed");
        for goal in [Goal::Size, Goal::Cost { level_cost: 3000.0, bit_cost: 1.0 }, Goal::Depth]
            .into_iter()
            .take(goals)
        {
            for (max_fan_in, polynomial) in [(2, false), (8, false), (2, true)] {
                let start = std::time::Instant::now();
                let new =
                    optimise(&c, &Options { goal, max_fan_in, polynomial, form: Form::Symmetric });
                assert_same(&c, &new, &mut Rng(6));
                let (old, s) = (c.stats(), new.stats());
                println!(
                    "{name} {goal:?} fan {max_fan_in} polynomial {polynomial}: depth {} -> {}, ANDs {} -> {:?} + {}, xors {} -> {}, elements {} -> {}, {:?}",
                    old.and_depth,
                    s.and_depth,
                    old.and_count(),
                    s.by_class(),
                    s.polys,
                    old.xors,
                    s.xors,
                    circuit_traffic(&c, Form::Symmetric).total(),
                    circuit_traffic(&new, Form::Symmetric).total(),
                    start.elapsed()
                );
                assert!(s.and_depth <= old.and_depth);
                if goal == Goal::Size {
                    assert!(
                        circuit_traffic(&new, Form::Symmetric).total()
                            <= circuit_traffic(&c, Form::Symmetric).total()
                    );
                }
            }
        }
    }
}

#[test]
fn levels_with_slack_are_evened_out() {
    // a long chain beside many independent ANDs that are read at the end only
    let mut b = Builder::new();
    let x = b.input(33);
    let mut chain = x[32];
    for &y in &x[..16] {
        chain = b.and2(chain, y);
    }
    let mut terms: Vec<Wire> = (0..16).map(|i| b.and2(x[2 * i], x[2 * i + 1])).collect();
    terms.push(chain);
    let sum = b.xor_all(&terms);
    b.output(&[sum]);
    let c = b.finish();
    let goal = Balance::Traffic(Form::Symmetric);
    assert_eq!(peak(&c, &c.levels(), goal), 17 * 3);
    assert_eq!(peak(&c, &balance(&c, goal), goal), 2 * 3);
    assert!(c.gates().filter(|(_, g)| matches!(g, Gate::And(_))).count() == 32);
}
