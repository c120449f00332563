//! What hides messages of Mirror. Nobody but its author can say this: Tacit takes a protocol's word for it.

use own_protocol::MirrorRole;
use tacit::own::{Drawn, Role, RoleId, SLOTS, Sink, Timing};

/// A role's summand of a product, and its input, go to the next role, under a word from the key with the role before, which the
/// next role does not have. The other word in the summand makes the three of them a sum of zero.
fn hides<const R: RoleId>() {
    let receivers = |sinks: &[Sink]| -> Vec<RoleId> {
        let to = |sink: &Sink| match sink {
            Sink::Send(to, _) => *to,
            Sink::Log(_) => panic!("nothing is compared"),
        };
        sinks.iter().map(to).collect()
    };
    let next = (R + 1) % 3;
    assert_eq!(receivers(MirrorRole::<R>::OUT), [next]);
    for (v, known, hiding) in [(0u64, 5, 9), (7, u64::MAX, 1 << 63), (1 << 40, 0, 3)] {
        let draws: Drawn<u64> = [[known, 0], [hiding, 0], [0; 2], [0; 2]];
        let ([sent, _], _) = MirrorRole::<R>::mask([v, 0], draws, 0);
        assert_eq!(sent, v.wrapping_add(known).wrapping_sub(hiding));

        let rule = MirrorRole::<R>::input_rule(R, Timing::Early);
        assert_eq!(rule.to.iter().map(|(to, ..)| *to).collect::<Vec<_>>(), [next]);
        assert_eq!(MirrorRole::<R>::input_draws(R, Timing::Early), [false, true, false, false]);
        let mut draws = [0; SLOTS];
        draws[1] = hiding;
        let (_, [sent, _]) = MirrorRole::<R>::input_own(Timing::Early, v, draws);
        assert_eq!(sent, v.wrapping_sub(hiding));
    }
}

#[test]
fn every_message_is_hidden_by_a_word_that_its_receiver_lacks() {
    hides::<0>();
    hides::<1>();
    hides::<2>();
}

/// Shares of a value by components, as role i has them.
fn share<const R: RoleId>(t: [u64; 3]) -> [u64; 2] {
    [t[R], t[(R + 2) % 3]]
}

#[test]
fn summands_add_up_to_the_product_and_openings_to_the_value() {
    let (a, b) = ([3u64, 1 << 63, u64::MAX], [11, 1 << 20, 77]);
    let sum = |t: [u64; 3]| t.into_iter().fold(0, u64::wrapping_add);
    let summands = [
        MirrorRole::<0>::cross(share::<0>(a), share::<0>(b))[0],
        MirrorRole::<1>::cross(share::<1>(a), share::<1>(b))[0],
        MirrorRole::<2>::cross(share::<2>(a), share::<2>(b))[0],
    ];
    assert_eq!(sum(summands), sum(a).wrapping_mul(sum(b)));
    assert_eq!(MirrorRole::<0>::opener(0).0, 2);
    let word = MirrorRole::<2>::open_word(0, share::<2>(a));
    assert_eq!(MirrorRole::<0>::opened(share::<0>(a), word), sum(a));
}
