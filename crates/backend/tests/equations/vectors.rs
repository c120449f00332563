//! Published test vectors (`docs/spec/honest-majority-rings.md` section 10.1), and correctness everywhere.

use crate::table::{input, open, product, roles};
use tacit_backend::protocols::{
    self, ASTRA, FANTASTIC_FOUR, MULTI_FAN_IN, QUAD, QUAD_A, QUAD_HET, REPLICATED, TETRAD, TRIO,
};
use tacit_ring::Word;
use tacit_sharing::astra::Astra;
use tacit_sharing::multi_fan_in::MultiFanIn;
use tacit_sharing::replicated::Replicated;
use tacit_sharing::trio::Trio;
use tacit_sharing::{Canonical, Timing};

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
    let played = product(&roles(TRIO), &share(A, X), &share(B, Y), &draws.to_vec());
    assert_eq!(played.words, [[149], [112], [139]]);
    assert_eq!(played.shares, [[44, 199], [239, 44], [84, 199]]);
}

#[test]
fn astra() {
    let share = |v: u8, m: [u8; 2]| {
        let masked = sum(&[v, m[0], m[1]]);
        [[m[0], m[1]], [masked, m[0]], [masked, m[1]]]
    };
    let draws = [[R, Z[0]], [0, 0], [Z[1], 0]];
    let played = product(&roles(ASTRA), &share(A, X), &share(B, Y), &draws.to_vec());
    assert_eq!(played.words, [[68], [16], [11]]);
    assert_eq!(played.shares, [[44, 199], [27, 44], [27, 199]]);
}

#[test]
fn replicated() {
    let share = |v: u8, m: [u8; 2]| {
        let s0 = v.wrapping_sub(m[0]).wrapping_sub(m[1]);
        [[s0, m[0]], [m[0], m[1]], [m[1], s0]]
    };
    // K01: 90, K12: 199, K02: 44.
    let draws = [[90, 0], [199, 0], [44, 0]];
    let played = product(&roles(REPLICATED), &share(A, X), &share(B, Y), &draws.to_vec());
    assert_eq!(played.words, [[50], [220], [26]]);
    assert_eq!(played.shares, [[50, 220], [220, 26], [26, 50]]);
}

/// All variants compute the same words, and send different ones: o is 235; k, and the result under
/// masks, are 2.
#[test]
fn quad() {
    let share = |v: u8, m: [u8; 2], u: u8| {
        let x0 = sum(&m);
        [[sum(&[v, u]), x0], [sum(&[v, x0]), m[0]], [sum(&[v, x0]), m[1]], [u, x0]]
    };
    // By the role that lacks the key: q under K123, z2 under K023, z1 and r under K013; then w.
    let draws = vec![[12, 0], [Z[1], 0], [Z[0], R], [0, 0], [231, 0]];
    for protocol in [QUAD, QUAD_A, QUAD_HET] {
        let played = product(&roles(protocol), &share(A, X, 33), &share(B, Y, 150), &draws);
        let words: [&[u8]; 4] = [&[235, 2], &[208, 248, 2], &[1, 248, 2], &[235, 2]];
        assert_eq!(played.words, words);
        assert_eq!(played.shares, [[15, 243], [27, 44], [27, 199], [231, 243]]);
        // V = g1 + g2 + q of Het in `docs/spec/honest-majority-rings.md` section 10.1 is 221: h + w - F.
        assert_eq!(221u8, 248u8.wrapping_add(231).wrapping_sub(2));
    }
}

#[test]
fn tetrad() {
    let share = |v: u8, [l1, l2]: [u8; 2], l3: u8| {
        let m = sum(&[v, l1, l2, l3]);
        [[m, l1, l2], [m, l1, l3], [m, l2, l3], [l1, l2, l3]]
    };
    // s under K123, u2 under K023, u1 and q1 under K013; then p3.
    let draws = vec![[12, 0], [199, 0], [90, 44], [0, 0], [231, 0]];
    let played = product(&roles(TETRAD), &share(A, X, 33), &share(B, Y, 150), &draws);
    let view = sum(&[58, 10, 12]);
    let words: [&[u8]; 4] = [&[134, view], &[58, view, 193], &[10, view, 193], &[134, 82]];
    assert_eq!(played.words, words);
    assert_eq!(played.shares, [[193, 44, 134], [193, 44, 231], [193, 134, 231], [44, 134, 231]]);
}

#[test]
fn fantastic_four() {
    let share = |s: [u8; 4]| {
        [[s[3], s[1], s[2]], [s[3], s[0], s[2]], [s[3], s[0], s[1]], [s[0], s[1], s[2]]]
    };
    // By the role that lacks the key: of 02 and 03, 13 and 01, 12, 23.
    let draws = vec![[12, 231], [199, 44], [90, 0], [61, 0], [0, 0]];
    let [a, b] = [[33, 101, 17, 49], [150, 3, 250, 186]].map(share);
    let played = product(&roles(FANTASTIC_FOUR), &a, &b, &draws);
    let [d12, d13, d23, d02, d03, d01] = [123, 46, 247, 36, 201, 101];
    assert_eq!(played.words, [[d13, d23, d12], [d03, d23, d02], [d03, d13, d01], [d01, d02, d12]]);
    assert_eq!(played.shares, share([174, 157, 15, 206]));
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
    for protocol in protocols::all().filter(|protocol| protocol.has_roles()) {
        let n = protocol.parties();
        for (owners, timing) in (0..n * n).flat_map(|o| [(o, Timing::Early), (o, Timing::Late)]) {
            let [x, y]: [W; 2] = [random.word(), random.word()];
            let mut shared = |owner, value| {
                input(protocol, owner, timing, value, &[0; 5].map(|_| random.word())).0
            };
            let (a, b) = (shared(owners % n, x), shared(owners / n, y));
            let draws = [[0; 2]; 5].map(|pair| pair.map(|_| random.word())).to_vec();
            let shares = product(&roles(protocol), &a, &b, &draws).shares;
            for receiver in 0..n {
                assert_eq!(open(protocol, &a, receiver), x, "{protocol} input");
                assert_eq!(open(protocol, &shares, receiver), x.mul(y), "{protocol} product");
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
    fn through<A: Canonical, B: Canonical>(share: &[u64]) -> [u64; 2] {
        B::from_replicated(A::to_replicated([share[0], share[1]]))
    }
    let mut random = Random(99);
    for _ in 0..50 {
        let x: u64 = random.word();
        let owner = (random.word::<u64>() % 3) as usize;
        let draws = [0; 3].map(|_| random.word());
        let trio = input(TRIO, owner, Timing::Late, x, &draws).0;
        let astra = [
            through::<Trio<0>, Astra<0>>(&trio[0]),
            through::<Trio<1>, Astra<1>>(&trio[1]),
            through::<Trio<2>, Astra<2>>(&trio[2]),
        ];
        let ring = [
            through::<Astra<0>, Replicated<0>>(&astra[0]),
            through::<Astra<1>, Replicated<1>>(&astra[1]),
            through::<Astra<2>, Replicated<2>>(&astra[2]),
        ];
        let fan = [
            through::<Replicated<0>, MultiFanIn<0>>(&ring[0]),
            through::<Replicated<1>, MultiFanIn<1>>(&ring[1]),
            through::<Replicated<2>, MultiFanIn<2>>(&ring[2]),
        ];
        let back = [
            through::<MultiFanIn<0>, Trio<0>>(&fan[0]),
            through::<MultiFanIn<1>, Trio<1>>(&fan[1]),
            through::<MultiFanIn<2>, Trio<2>>(&fan[2]),
        ];
        assert_eq!(trio, back);
        for receiver in 0..3 {
            assert_eq!(open(TRIO, &trio, receiver), x);
            assert_eq!(open(ASTRA, &astra, receiver), x);
            assert_eq!(open(REPLICATED, &ring, receiver), x);
            assert_eq!(open(MULTI_FAN_IN, &fan, receiver), x);
        }
    }
}
