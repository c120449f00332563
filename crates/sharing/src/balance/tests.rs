use super::*;
use crate::role::Role;
use crate::tetrad::TETRAD;
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;

fn ways() -> impl Iterator<Item = Way> {
    [TRIO, ASTRA, QUAD].into_iter().flat_map(Way::all)
}

/// All holders of a key draw as many words under it, and every role as many in each pass.
#[test]
fn holders_of_a_key_draw_alike() {
    struct Draws;
    impl RoleVisitor for Draws {
        type Out = [usize; 4];
        fn visit<P: Role>(self) -> [usize; 4] {
            let mut draws = P::DRAWS;
            draws[3] += P::SETTLE_DRAWS;
            draws
        }
    }
    for way in ways().filter(|way| way.protocol.parties() == 4) {
        let [p0, p1, p2, p3] = [0, 1, 2, 3].map(|role| quad(role, way, Draws));
        assert_eq!(p0, quad_ahead(way, Draws), "{way:?}");
        // K023, K013, K123 and its tail.
        assert_eq!([p0[0]; 2], [p2[1], p3[1]], "{way:?}");
        assert_eq!([p0[1]; 2], [p1[1], p3[2]], "{way:?}");
        assert_eq!([p1[0]; 2], [p2[0], p3[0]], "{way:?}");
        assert_eq!([p1[3]; 2], [p2[3], p3[3]], "{way:?}");
    }
    for way in ways().filter(|way| way.protocol.parties() == 3) {
        let draws = |role| match way.protocol {
            it if it == TRIO => trio(role, way, Draws),
            _ => astra(role, way, Draws),
        };
        let [p0, p1, p2] = [0, 1, 2].map(draws);
        assert_eq!((p0[0], p0[1]), (p1[1], p2[0]), "{way:?}");
    }
}

#[test]
fn products_are_dealt_in_proportion_at_any_time() {
    let balance = Balance::of(QUAD, [("a", 200), ("het", 100), ("b", 0)]).unwrap();
    assert_eq!(balance.to_string(), "a=2,het=1");
    let mut turns = turns::Turns::new(&balance);
    let mut counts = [0u32; 2];
    for products in 1..=300 {
        counts[turns.next(1)] += 1;
        assert!(counts[0].abs_diff(products * 2 / 3) <= 1, "{counts:?}");
    }
    assert_eq!(counts, [200, 100]);
}

#[test]
fn a_chain_is_mixed_over_its_levels() {
    let mut builder = Builder::new();
    let (x, y) = (builder.input(1)[0], builder.input(1)[0]);
    let mut wire = x;
    for _ in 0..30 {
        let product = builder.and(&[wire, y]);
        wire = builder.xor(product, x);
    }
    builder.output(&[wire]);
    let schedule = Schedule::new(&builder.finish());
    let balance = Balance::of(TRIO, [("straight", 1), ("crossed", 2)]).unwrap();
    let mix = Mix::new(&balance, &schedule).unwrap();
    let crossed = |level: &usize| mix.level(*level).products.iter().any(|(way, _)| way.crossed);
    assert_eq!((0..30).filter(crossed).count(), 20);
    assert_eq!(Mix::new(&Balance::default(), &schedule), None);
}

#[test]
fn pieces_cover_an_array() {
    let balance = Balance::of(QUAD_HET, [("a", 2), ("het", 1)]).unwrap();
    for (total, piece) in [(0, 10), (1, 10), (8192, 8192), (100_000, 8192), (5000, 700)] {
        let runs: Vec<_> = pieces(&balance, total, piece).into_iter().flatten().collect();
        let mut at = 0;
        for (_, run) in &runs {
            assert_eq!(run.start, at);
            at = run.end;
        }
        assert_eq!(at, total);
    }
    let pieces = pieces(&balance, 100_000, 8192);
    assert!(pieces.iter().take(12).all(|runs| runs.len() == 2), "both ways in every piece");
}

#[test]
fn nonsense_is_refused() {
    let of = |protocol, weights: &[(&'static str, u32)]| {
        Balance::of(protocol, weights.iter().copied()).unwrap_err()
    };
    assert_eq!(of(TETRAD, &[("a", 1)]), BalanceError::NoWays(TETRAD));
    assert!(of(TRIO, &[("a", 1)]).to_string().contains("straight, crossed"));
    assert_eq!(of(QUAD, &[("a", 1), ("a", 2)]), BalanceError::Twice("a"));
    assert_eq!(of(QUAD, &[]), BalanceError::Weights);
    assert_eq!(of(QUAD, &[("a", 0), ("b", 0)]), BalanceError::Weights);
    assert_eq!(of(QUAD, &[("a", MOST + 1), ("b", 1)]), BalanceError::Weights);
    let het = Balance::of(QUAD, [("b", 1), ("het", 1)]).unwrap();
    assert_eq!(het.protocol(QUAD), QUAD_HET);
    assert!(het.check(QUAD).is_err() && het.check(TRIO).is_err());
    assert!([QUAD_A, QUAD_HET].iter().all(|p| het.check(*p).is_ok()));
}
