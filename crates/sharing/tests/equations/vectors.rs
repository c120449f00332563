//! Published test vectors (honest-majority specification, 10.1), and correctness everywhere.

use crate::table::{input, open, product, roles};
use tacit_ring::Word;
use tacit_sharing::astra::Astra;
use tacit_sharing::multi_fan_in::MultiFanIn;
use tacit_sharing::replicated::Replicated;
use tacit_sharing::trio::Trio;
use tacit_sharing::{Canonical, Protocol, Timing};

const A: u8 = 200;
const B: u8 = 77;
// Masks of a and b, and draws of the product.
const X: [u8; 2] = [17, 101];
const Y: [u8; 2] = [250, 3];
const R: u8 = 90;
const Z: [u8; 2] = [44, 199];

fn sum(values: &[u8]) -> u8 {
    values.iter().fold(0, |s, v| s.wrapping_add(*v))
}

#[test]
fn trio() {
    let share =
        |v: u8, m: [u8; 2]| [[m[0], m[1]], [sum(&[v, m[1]]), m[0]], [sum(&[v, m[0]]), m[1]]];
    let draws = [[R, Z[0]], [0, 0], [Z[1], 0]];
    let (shares, messages, _) = product(&roles(Protocol::Trio), share(A, X), share(B, Y), &draws);
    assert_eq!(messages, [149, 112, 139]);
    assert_eq!(shares, [[44, 199], [239, 44], [84, 199]]);
}

#[test]
fn astra() {
    let share = |v: u8, m: [u8; 2]| {
        let masked = sum(&[v, m[0], m[1]]);
        [[m[0], m[1]], [masked, m[0]], [masked, m[1]]]
    };
    let draws = [[R, Z[0]], [0, 0], [Z[1], 0]];
    let (shares, messages, _) = product(&roles(Protocol::Astra), share(A, X), share(B, Y), &draws);
    assert_eq!(messages, [68, 16, 11]);
    assert_eq!(shares, [[44, 199], [27, 44], [27, 199]]);
}

#[test]
fn replicated() {
    let share = |v: u8, m: [u8; 2]| {
        let s0 = v.wrapping_sub(m[0]).wrapping_sub(m[1]);
        [[s0, m[0]], [m[0], m[1]], [m[1], s0]]
    };
    // K01: 90, K12: 199, K02: 44.
    let draws = [[90, 0], [199, 0], [44, 0]];
    let (shares, messages, _) =
        product(&roles(Protocol::Replicated), share(A, X), share(B, Y), &draws);
    assert_eq!(messages, [50, 220, 26]);
    assert_eq!(shares, [[50, 220], [220, 26], [26, 50]]);
}

struct Random(u64);

impl Random {
    fn word<W: Word>(&mut self) -> W {
        let mut half = || {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            u128::from(self.0 >> 11)
        };
        let (a, b, c) = (half(), half(), half());
        W::from_u128(a ^ b << 40 ^ c << 80)
    }
}

fn every_input_multiplies_and_opens<W: Word + std::fmt::Debug>() {
    let mut random = Random(0x7ac17);
    for protocol in Protocol::ALL {
        for (owners, timing) in (0..9).flat_map(|o| [(o, Timing::Early), (o, Timing::Late)]) {
            let [x, y]: [W; 2] = [random.word(), random.word()];
            let mut shared = |owner, value| {
                input(protocol, owner, timing, value, &[0; 3].map(|_| random.word())).0
            };
            let (a, b) = (shared(owners % 3, x), shared(owners / 3, y));
            let draws = [[0; 2]; 3].map(|pair| pair.map(|_| random.word()));
            let (shares, _, _) = product(&roles(protocol), a, b, &draws);
            for receiver in 0..3 {
                assert_eq!(open(protocol, a, receiver), x, "{protocol} input");
                assert_eq!(open(protocol, shares, receiver), x.mul(y), "{protocol} product");
            }
        }
    }
}

#[test]
fn all_rings() {
    every_input_multiplies_and_opens::<tacit_ring::Z2>();
    every_input_multiplies_and_opens::<u8>();
    every_input_multiplies_and_opens::<u16>();
    every_input_multiplies_and_opens::<u32>();
    every_input_multiplies_and_opens::<u64>();
    every_input_multiplies_and_opens::<u128>();
}

/// All protocols' shares of one value are one replicated sharing; moving between them is local.
#[test]
fn shares_move_between_protocols() {
    fn through<A: Canonical, B: Canonical>(share: [u64; 2]) -> [u64; 2] {
        B::from_replicated(A::to_replicated(share))
    }
    let mut random = Random(99);
    for _ in 0..50 {
        let x: u64 = random.word();
        let owner = (random.word::<u64>() % 3) as usize;
        let draws = [0; 3].map(|_| random.word());
        let trio = input(Protocol::Trio, owner, Timing::Late, x, &draws).0;
        let astra = [
            through::<Trio<0>, Astra<0>>(trio[0]),
            through::<Trio<1>, Astra<1>>(trio[1]),
            through::<Trio<2>, Astra<2>>(trio[2]),
        ];
        let ring = [
            through::<Astra<0>, Replicated<0>>(astra[0]),
            through::<Astra<1>, Replicated<1>>(astra[1]),
            through::<Astra<2>, Replicated<2>>(astra[2]),
        ];
        let fan = [
            through::<Replicated<0>, MultiFanIn<0>>(ring[0]),
            through::<Replicated<1>, MultiFanIn<1>>(ring[1]),
            through::<Replicated<2>, MultiFanIn<2>>(ring[2]),
        ];
        let back = [
            through::<MultiFanIn<0>, Trio<0>>(fan[0]),
            through::<MultiFanIn<1>, Trio<1>>(fan[1]),
            through::<MultiFanIn<2>, Trio<2>>(fan[2]),
        ];
        assert_eq!(back, trio);
        for receiver in 0..3 {
            assert_eq!(open(Protocol::Trio, trio, receiver), x);
            assert_eq!(open(Protocol::Astra, astra, receiver), x);
            assert_eq!(open(Protocol::Replicated, ring, receiver), x);
            assert_eq!(open(Protocol::MultiFanIn, fan, receiver), x);
        }
    }
}
