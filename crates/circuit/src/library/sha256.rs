//! The SHA-256 compression function (FIPS 180-4; `docs/spec/circuits.md` section 7).
//!
//! Inputs: 16 message words, then 8 chaining words, each 32 bits least significant
//! bit first; output: 8 chaining words.
//!
//! | form | depth | ANDs |
//! |---|---|---|
//! | ripple | 1607 | 22,573 |
//! | fan-in 2 / 4 / 8 | 456 / 326 / 261 | 46,650 / 47,758 / 53,646 |

use super::bits::{self, FanIn};
use super::carry_save::{sum_ripple, sum_words};
use super::counter::majority;
use crate::{Builder, Circuit, Wire};

type Word = Vec<Wire>;

/// How words are added.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Additions {
    /// One AND per carry, in the order of the standard: least traffic.
    Ripple,
    /// Carry-save compression and select adders of this fan-in: few levels.
    LowDepth(FanIn),
}

/// The initial chaining value.
pub fn initial_state() -> [u32; 8] {
    let primes = first_primes(8);
    std::array::from_fn(|i| root_fraction(primes[i], 2))
}

/// The round constants: fractions of the cube roots of the first 64 primes.
fn round_constants() -> Vec<u32> {
    first_primes(64).into_iter().map(|p| root_fraction(p, 3)).collect()
}

fn first_primes(count: usize) -> Vec<u128> {
    (2..).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).take(count).collect()
}

/// The first 32 fractional bits of the `degree`-th root of `value`.
fn root_fraction(value: u128, degree: u32) -> u32 {
    let target = value << (32 * degree);
    let (mut low, mut high) = (0u128, value << 32);
    while high - low > 1 {
        let middle = (low + high) / 2;
        match middle.checked_pow(degree) {
            Some(power) if power <= target => low = middle,
            _ => high = middle,
        }
    }
    low as u32
}

/// The compression function as a circuit of two input ports (512, 256 bits).
pub fn circuit(additions: Additions) -> Circuit {
    let mut b = Builder::new();
    let message = b.input(512);
    let state = b.input(256);
    let next = compress(&mut b, additions, &message, &state);
    b.output(&next);
    b.finish()
}

/// One application: 512 message bits and 256 chaining bits to 256 bits.
pub fn compress(
    b: &mut Builder,
    additions: Additions,
    message: &[Wire],
    state: &[Wire],
) -> Vec<Wire> {
    assert_eq!((message.len(), state.len()), (512, 256), "a message block and a chaining value");
    let schedule = message_schedule(b, additions, message);
    let start: Vec<Word> = state.chunks(32).map(<[Wire]>::to_vec).collect();
    let mut work = start.clone();
    for (word, constant) in schedule.iter().zip(round_constants()) {
        let constant = bits::constant(b, u128::from(constant), 32);
        work = round(b, additions, &work, word, constant);
    }
    let sums = start.into_iter().zip(work).map(|(x, y)| additions.sum(b, &[x, y]));
    sums.collect::<Vec<_>>().concat()
}

impl Additions {
    fn sum(self, b: &mut Builder, words: &[Word]) -> Word {
        match self {
            Additions::Ripple => sum_ripple(b, words),
            Additions::LowDepth(fan_in) => sum_words(b, words, fan_in),
        }
    }
}

fn message_schedule(b: &mut Builder, additions: Additions, message: &[Wire]) -> Vec<Word> {
    let mut w: Vec<Word> = message.chunks(32).map(<[Wire]>::to_vec).collect();
    for t in 16..64 {
        let (near, far) = (shifted_down(b, &w[t - 2], 10), shifted_down(b, &w[t - 15], 3));
        let s0 = xor3(b, &rotated(&w[t - 15], 7), &rotated(&w[t - 15], 18), &far);
        let s1 = xor3(b, &rotated(&w[t - 2], 17), &rotated(&w[t - 2], 19), &near);
        let next = additions.sum(b, &[w[t - 16].clone(), s0, w[t - 7].clone(), s1]);
        w.push(next);
    }
    w
}

/// One round on the eight working words a..h.
fn round(
    b: &mut Builder,
    additions: Additions,
    work: &[Word],
    word: &Word,
    constant: Word,
) -> Vec<Word> {
    let [a, bb, c, d, e, f, g, h] = work else { unreachable!("eight working words") };
    let s1 = xor3(b, &rotated(e, 6), &rotated(e, 11), &rotated(e, 25));
    let choice: Word = (0..32).map(|i| b.mux(e[i], f[i], g[i])).collect();
    let s0 = xor3(b, &rotated(a, 2), &rotated(a, 13), &rotated(a, 22));
    let middle: Word = (0..32).map(|i| majority(b, a[i], bb[i], c[i])).collect();
    let terms = vec![h.clone(), constant, word.clone(), s1, choice];
    let (new_e, new_a) = match additions {
        Additions::Ripple => {
            let t1 = sum_ripple(b, &terms);
            (sum_ripple(b, &[d.clone(), t1.clone()]), sum_ripple(b, &[t1, s0, middle]))
        }
        Additions::LowDepth(fan_in) => {
            let to_e = [vec![d.clone()], terms.clone()].concat();
            let to_a = [terms, vec![s0, middle]].concat();
            (sum_words(b, &to_e, fan_in), sum_words(b, &to_a, fan_in))
        }
    };
    vec![new_a, a.clone(), bb.clone(), c.clone(), new_e, e.clone(), f.clone(), g.clone()]
}

fn rotated(x: &[Wire], by: usize) -> Word {
    [&x[by..], &x[..by]].concat()
}

fn shifted_down(b: &mut Builder, x: &[Wire], by: usize) -> Word {
    [&x[by..], &bits::zeros(b, by)].concat()
}

fn xor3(b: &mut Builder, x: &[Wire], y: &[Wire], z: &[Wire]) -> Word {
    (0..x.len()).map(|i| b.xor_all(&[x[i], y[i], z[i]])).collect()
}
