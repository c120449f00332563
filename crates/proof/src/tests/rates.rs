//! What passes by chance, where chances are made large: as often as it should, no more.

use super::{
    Gf8, Small, TRIALS, add_one, assert_rate, changing, honest, passes, passes_with, public,
};
use crate::buckets::{self, Sizes};
use crate::channel::ProofChannel;
use crate::extension::{Element, Extension};
use crate::field::Field;
use crate::integers::{self, Claims, Factors, Products};
use crate::modular::{self, Modular};
use crate::polynomials;
use crate::redundant;
use crate::tagged::{self, Tagging};
use crate::{Batch, Scratch, Strength, fold, galois, lift, wide};
use tacit_net::testing::{Tamper, Verdict};
use tacit_net::{PartyId, Stream};
use tacit_ring::Word;
use tacit_sharing::SharingError;

/// Claims that 3 * 5 + 2 * 7 is off by `error` from what it is, in a proof that does not fold vectors of so many elements.
fn claim<const UNFOLDED: usize>(
    error: u64,
) -> impl Fn(usize, &mut ProofChannel<'_, '_, '_>) -> Result<(), SharingError> + Sync {
    move |role, channel| {
        let column = |values: [u64; 2]| {
            let pairs = values.map(|value| public(role, value));
            [0, 1].map(|c| [pairs[0][c], pairs[1][c]])
        };
        let field = Gf8::<UNFOLDED>;
        let value = field.mul(3, 5) ^ field.mul(2, 7) ^ error;
        let columns = [column([3, 2]), column([5, 7])];
        let vectors = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        fold::prove(channel, field, vectors, 2, public(role, value))
    }
}

/// The ring of 256 numbers, and as many challenges as [`Gf8`] has elements.
type Galois8 = Extension<u8, 3, 1>;

/// Claims in an extension that one and one is off by one from what it is.
fn claim_in_an_extension(
    role: usize,
    channel: &mut ProofChannel<'_, '_, '_>,
) -> Result<(), SharingError> {
    let shared = |value: u64| public(role, value).map(|word| Element::<u8>::from_u128(word.into()));
    let ones = [shared(1); 2];
    let column = [0, 1].map(|c| [ones[0][c], ones[1][c]]);
    let vectors = [&column, &column].map(|column| column.each_ref().map(|run| &run[..]));
    fold::prove(channel, Galois8::NEW, vectors, 2, shared(3))
}

#[test]
fn a_wrong_claim_in_an_extension_passes_as_in_a_field() {
    assert_rate(passes(honest, claim_in_an_extension), 1.0 - (7.0 / 8.0) * (7.0 / 8.0));
    // At infinity 1 / (1 - X) more: the error r + r (r - 1) / (1 - X) is zero at 0 and at X.
    let plant = || {
        Tamper::new(|m| {
            let mut bytes = m.bytes.to_vec();
            // Two values of the grid, and two masked products.
            if m.stream == Stream::Def && bytes.len() == 12 {
                let errors = [86u8, 171, 171];
                bytes[3..6]
                    .iter_mut()
                    .zip(errors)
                    .for_each(|(byte, e)| *byte = byte.wrapping_add(e));
            }
            Verdict::Replace(bytes)
        })
    };
    assert_rate(passes(plant, claim_in_an_extension), 1.0 - (7.0 / 8.0) * (6.0 / 8.0));
}

/// Products of 3 and 5 in the ring of 256 numbers, in results of so many, the last result off by `error`.
fn products_in_an_extension_pass(runs: &[(usize, usize)], error: u8) -> usize {
    passes(honest, |role, channel| {
        let shared = |values: Vec<u8>| {
            let pairs: Vec<_> =
                values.into_iter().map(|value| public(role, value.into())).collect();
            [0, 1].map(|c| pairs.iter().map(|pair| pair[c] as u8).collect::<Vec<u8>>())
        };
        let each = runs.iter().flat_map(|(results, terms)| vec![*terms as u8; *results]);
        let mut z: Vec<u8> = each.map(|terms| terms.wrapping_mul(15)).collect();
        let terms = runs.iter().map(|(results, terms)| results * terms).sum();
        *z.last_mut().unwrap() ^= error;
        let columns = [vec![3; terms], vec![5; terms], z].map(shared);
        let [x, y, z] = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        let batch = Batch { x, y, z, runs: runs.to_vec() };
        galois::prove_in::<u8, 3, 1>(channel, &batch)
    })
}

#[test]
fn a_wrong_product_passes_where_what_it_counts_for_is_zero_in_an_extension() {
    let found = 7.0 / 8.0f64;
    for runs in [vec![(1, 1)], vec![(2, 1)], vec![(1, 2)], vec![(20, 1)], vec![(3, 7), (20, 2)]] {
        assert_eq!(products_in_an_extension_pass(&runs, 0), TRIALS, "{runs:?}");
    }
    // A factor of the result, a coordinate where there are two terms, and a last factor.
    for error in [1, 1 << 7] {
        assert_rate(products_in_an_extension_pass(&[(1, 1)], error), 1.0 - found.powi(2));
        assert_rate(products_in_an_extension_pass(&[(2, 1)], error), 1.0 - found.powi(3));
        assert_rate(products_in_an_extension_pass(&[(1, 2)], error), 1.0 - found.powi(3));
    }
}

#[test]
fn right_claims_always_pass() {
    assert_eq!(passes(honest, claim::<1>(0)), TRIALS);
    assert_eq!(passes(honest, claim::<2>(0)), TRIALS);
}

#[test]
fn a_wrong_claim_passes_where_the_point_or_the_last_factor_is_zero() {
    // The error at the random point is r times it.
    assert_rate(passes(honest, claim::<1>(1)), 1.0 - (7.0 / 8.0) * (7.0 / 8.0));
}

/// What opens is not folded: there is the last factor alone, whatever the length, and an error of the masked product
/// moves the one value where it is zero.
#[test]
fn a_wrong_claim_on_short_vectors_passes_where_the_last_factor_is_zero() {
    assert_rate(passes(honest, claim::<2>(1)), 1.0 / 8.0);
    let moved = || {
        Tamper::new(|m| {
            let mut bytes = m.bytes.to_vec();
            // The masked product, to the previous role.
            if m.stream == Stream::Def && bytes.len() == 8 {
                bytes[0] ^= 5;
            }
            Verdict::Replace(bytes)
        })
    };
    assert_rate(passes(moved, claim::<2>(1)), 1.0 / 8.0);
    assert_eq!(passes(moved, claim::<2>(0)), 0);
}

#[test]
fn what_one_role_opens_differently_of_short_vectors_never_passes() {
    assert_eq!(passes(opening::<0>, claim::<2>(0)), 0);
    assert_eq!(passes(opening::<1>, claim::<2>(0)), 0);
}

/// Changes one of two elements that open, for the previous role.
fn opening<const ELEMENT: usize>() -> Tamper {
    Tamper::new(|m| {
        let mut bytes = m.bytes.to_vec();
        if m.stream == Stream::Def && m.to == PartyId(0) && bytes.len() == 16 {
            bytes[8 * ELEMENT] ^= 1;
        }
        Verdict::Replace(bytes)
    })
}

#[test]
fn a_cheat_that_plants_two_roots_passes_twice_as_often_at_a_level() {
    // With two more at infinity the error is r + 2 r (r - 1), which has a second root.
    assert_rate(passes(|| at_level(8, 2), claim::<1>(1)), 1.0 - (7.0 / 8.0) * (6.0 / 8.0));
}

/// Changes a byte of what is shared at the one level: the values at 0 and at infinity, and the products of the mask with both blocks. The
/// hash of a half of a coin, which follows, is as long.
fn at_level(byte: usize, change: u8) -> Tamper {
    let mut seen = 0;
    Tamper::new(move |m| {
        if m.stream != Stream::Def || m.to != PartyId(0) || m.bytes.len() != 32 {
            return Verdict::Keep;
        }
        seen += 1;
        let mut bytes = m.bytes.to_vec();
        bytes[byte] ^= if seen % 2 == 1 { change } else { 0 };
        Verdict::Replace(bytes)
    })
}

/// The products of the mask are fixed before the point, and the factor that what opens is multiplied with. A right claim passes where
/// an error of theirs is zero at the point; a wrong one no more often than without.
#[test]
fn wrong_products_of_masks_help_no_wrong_claim() {
    // Errors are 5 (1 - r) of the first block, and 5 r of the second.
    assert_rate(passes(|| at_level(16, 5), claim::<1>(0)), 1.0 / 8.0);
    assert_rate(passes(|| at_level(24, 5), claim::<1>(0)), 1.0 / 8.0);
    // t r = 5 (1 - r) for one t of each r, unless that is zero.
    assert_rate(passes(|| at_level(16, 5), claim::<1>(1)), 7.0 / 64.0);
    // t r = 5 r for all t where r is zero, and else for one.
    assert_rate(passes(|| at_level(24, 5), claim::<1>(1)), 15.0 / 64.0);
}

/// The zero that it leads to would be found one time in eight, where a component is zero: that all opened the
/// same is compared, too.
#[test]
fn what_one_role_opens_differently_never_passes() {
    let opened = || {
        Tamper::new(|m| {
            // The one message to the previous role that is a single element.
            if m.stream != Stream::Def || m.to != PartyId(0) || m.bytes.len() != 8 {
                return Verdict::Keep;
            }
            let mut bytes = m.bytes.to_vec();
            bytes[0] ^= 1;
            Verdict::Replace(bytes)
        })
    };
    assert_eq!(passes(opened, claim::<1>(0)), 0);
}

/// Products of 3 and 5, one of them off by 2^63, and three sets.
fn a_wrong_result_of_a_ring_passes(strength: Strength) -> usize {
    passes(honest, |role, channel| {
        let shared = |values: [u64; 3]| values.map(|value| public(role, value));
        let columns = [[3, 3, 3], [5, 5, 5], [15, 15 ^ 1 << 63, 15]].map(|values| {
            let pairs = shared(values);
            [0, 1].map(|c| pairs.map(|pair| pair[c]))
        });
        let [x, y, z] = columns.each_ref().map(|column| column.each_ref().map(|run| &run[..]));
        lift::prove_with::<u64, 3>(
            channel,
            &mut Scratch::default(),
            strength,
            &Batch { x, y, z, runs: vec![(3, 1)] },
        )
    })
}

#[test]
fn a_wrong_result_of_a_ring_passes_where_no_set_has_it() {
    for strength in [Strength::Usual, Strength::Strong] {
        assert_rate(a_wrong_result_of_a_ring_passes(strength), 1.0 / 8.0);
    }
}

/// A result is off by `ERROR`, and a second product made to fit the challenge 1, one of `2^LAMBDA`.
fn sacrifices_that_pass<const ERROR: u64, const LAMBDA: u32>() -> usize {
    const EACH: usize = redundant::bytes(64, Strength::Usual);
    let guess = || {
        changing(EACH, true, |bytes| {
            let mut c = [0; 16];
            c[..EACH].copy_from_slice(bytes);
            let c = u128::from_le_bytes(c).wrapping_sub(u128::from(ERROR));
            bytes.copy_from_slice(&c.to_le_bytes()[..EACH]);
        })
    };
    passes(guess, |role, channel| {
        let shared = |value: u64| public(role, value).map(|word| [u128::from(word)]);
        let [x, y, z] = [3, 5, 15 + ERROR].map(shared);
        let [x, y, z] = [&x, &y, &z].map(|pair| pair.each_ref().map(|run| &run[..]));
        let claims = redundant::Claims { each: EACH, x, y, z, runs: &[(1, 1)] };
        redundant::sacrifice_with::<u128, LAMBDA>(channel, &claims)
    })
}

#[test]
fn a_sacrifice_is_passed_by_who_guesses_the_challenge() {
    assert_rate(sacrifices_that_pass::<{ 1 << 63 }, 3>(), 1.0 / 8.0);
    assert_rate(sacrifices_that_pass::<1, 3>(), 1.0 / 8.0);
    assert_rate(sacrifices_that_pass::<{ 1 << 63 }, 5>(), 1.0 / 32.0);
}

/// How many of many batches of triples pass in which a cheat makes the first ones wrong.
fn buckets_pass(sizes: Sizes, tamper: fn() -> Tamper) -> usize {
    passes(tamper, |role, channel| {
        let (_, right) = buckets::triples_in::<u64>(channel, sizes)?;
        if !right {
            // As good as a check that differs.
            channel.agree(&[role as u8]);
        }
        Ok(())
    })
}

#[test]
fn a_spoilt_bucket_passes_where_its_triples_meet() {
    let two = || changing(9 * 8, false, |bytes| add_one(&mut bytes[..2 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 1 }, two), 4.0 / 36.0);
}

#[test]
fn spoilt_triples_pass_where_none_of_them_opens() {
    let all_but_one = || changing(9 * 8, false, |bytes| add_one(&mut bytes[..8 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 1 }, all_but_one), 1.0 / 9.0);
    let all_but_two = || changing(10 * 8, false, |bytes| add_one(&mut bytes[..8 * 8]));
    assert_rate(buckets_pass(Sizes { kept: 4, bucket: 2, opened: 2 }, all_but_two), 1.0 / 45.0);
}

impl<const P: u64> Modular for Small<P> {
    type Element = u64;
    const DRAWN: usize = 1;
    const ZERO: u64 = 0;

    fn add(self, a: &u64, b: &u64) -> u64 {
        Field::add(self, *a, *b)
    }

    fn sub(self, a: &u64, b: &u64) -> u64 {
        Field::sub(self, *a, *b)
    }

    fn mul(self, a: &u64, b: &u64) -> u64 {
        Field::mul(self, *a, *b)
    }

    fn random(self, words: &[u64]) -> u64 {
        Field::random(self, u128::from(words[0]))
    }

    fn packed(self, elements: &[u64]) -> Vec<u8> {
        elements.iter().map(|element| *element as u8).collect()
    }

    fn unpacked(self, bytes: &[u8]) -> Option<Vec<u64>> {
        let elements: Vec<u64> = bytes.iter().map(|byte| u64::from(*byte)).collect();
        elements.iter().all(|element| self.has(*element)).then_some(elements)
    }
}

/// A product modulo 11 that is off by one, and a second one made to fit the challenge 4.
#[test]
fn a_triple_modulo_a_small_prime_is_passed_by_who_guesses_the_challenge() {
    let guess = || changing(1, true, |bytes| bytes[0] = (bytes[0] + 4) % 11);
    let check = |product: u64| {
        move |role: usize, channel: &mut ProofChannel<'_, '_, '_>| {
            let triple = [3, 5, product].map(|value| public(role, value));
            modular::check(channel, Small::<11>, 1, |_| triple)
        }
    };
    assert_rate(passes(guess, check(5)), 1.0 / 11.0);
    assert_eq!(passes(honest, check(4)), TRIALS);
    // An error that nothing makes up for is found unless the challenge is zero.
    assert_rate(passes(honest, check(5)), 1.0 / 11.0);
}

/// Products of 3 and 5 modulo 101 as values of polynomials, in one block, each off by what `error` says.
fn products_in_a_block_pass(tamper: fn() -> Tamper, n: usize, error: fn(u64) -> u64) -> usize {
    passes(tamper, move |role, channel| {
        let triple = |k: usize| [3, 5, 15 + error(k as u64)].map(|value| public(role, value % 101));
        polynomials::check(channel, Small::<101>, n, triple)
    })
}

/// Six roots, at none of the points where values are known.
fn with_six_roots(point: u64) -> u64 {
    (50..56).fold(1, |product, root| product * (101 + point - root) % 101)
}

#[test]
fn wrong_products_of_a_block_pass_where_a_cheat_planted_roots() {
    for n in [1, 2, 4, 70] {
        assert_eq!(products_in_a_block_pass(honest, n, |_| 0), TRIALS, "{n}");
    }
    // What is shared of h at 4, 5 and 6.
    let plant = || {
        changing(3, false, |bytes| {
            for (byte, point) in bytes.iter_mut().zip(4..) {
                *byte = ((u64::from(*byte) + with_six_roots(point)) % 101) as u8;
            }
        })
    };
    let (roots, found) = (6.0 / 101.0, 95.0 / 101.0);
    assert_rate(products_in_a_block_pass(plant, 4, with_six_roots), roots + found / 101.0);
}

/// Four products over the integers, proven together modulo 101.
fn products_modulo_101_pass(tamper: fn() -> Tamper) -> usize {
    passes(tamper, |_, channel| {
        let products = Products::make(channel, (Factors::Known, Strength::Usual), 8, 4)?;
        let mut challenge = channel.coin()?;
        integers::prove_triples(
            channel,
            &mut Scratch::default(),
            (Small::<101>, &mut challenge),
            &products,
        )
    })
}

#[test]
fn a_wrong_product_of_a_batch_passes_where_a_factor_of_its_error_is_zero() {
    assert_eq!(products_modulo_101_pass(honest), TRIALS);
    // The error counts for a weight, two coordinates of a point, and a last factor.
    let one = || changing(4 * EACH_INTEGER, false, |bytes| bytes[0] ^= 1);
    let found = 100.0 / 101.0f64;
    assert_rate(products_modulo_101_pass(one), 1.0 - found.powi(4));
}

/// Sums of so many products of 3 and 5, as they are on wires, proven modulo 101: the last one is off by `error`.
fn sums_modulo_101_pass(runs: &[(usize, usize)], error: u64) -> usize {
    let mut sums: Vec<u64> =
        runs.iter().flat_map(|(results, terms)| vec![15 * *terms as u64; *results]).collect();
    *sums.last_mut().unwrap() += error;
    passes(honest, |role, channel| {
        let component = |value: u64, c: usize| public(role, value)[c];
        let mut challenge = channel.coin()?;
        let claims = Claims {
            runs,
            factors: |c: usize, _: usize| [3, 5].map(|value| component(value, c)),
            result: |c: usize, at: usize| wide::from_bytes(&component(sums[at], c).to_le_bytes()),
        };
        integers::prove(channel, &mut Scratch::default(), (Small::<101>, &mut challenge), &claims)
    })
}

#[test]
fn a_wrong_sum_of_a_batch_passes_where_a_factor_of_its_error_is_zero() {
    let found = 100.0 / 101.0f64;
    for (runs, factors) in [
        // A weight, coordinates of a point, and a last factor: of one sum of four, of two of two, and of two alone.
        (vec![(1, 4)], 4),
        (vec![(2, 2)], 4),
        (vec![(1, 2)], 3),
        // Of eight terms three.
        (vec![(1, 3), (1, 5)], 5),
    ] {
        // What the prime divides is no error.
        assert_eq!(sums_modulo_101_pass(&runs, 101), TRIALS, "{runs:?}");
        assert_rate(sums_modulo_101_pass(&runs, 1), 1.0 - found.powi(factors));
    }
}

/// Bytes of a masked product of factors of eight bits.
const EACH_INTEGER: usize = (2 * 8 + 2 + 64 + 1usize).div_ceil(8);

/// The best that can be done about a claim on a batch: an error with as many zeros as its degree has room
/// for, and a last factor that may be zero.
#[test]
fn a_cheat_that_plants_all_roots_passes_as_often_as_the_bound_says() {
    // (r1 - 1) (r1 - 2) (r2 - 1) (r2 - 2) has this sum over 0 and 1.
    const ERROR: u64 = 2 * 2;
    let plant = || {
        Tamper::new(|m| {
            // Eight values of the grid, and four masked products.
            if m.stream != Stream::Def || m.bytes.len() != 96 {
                return Verdict::Keep;
            }
            let (grid, products) = m.bytes.split_at(64);
            // Values at 0, 1 and infinity; that at (1, 1) is not sent.
            let root = [2, 0, 1];
            let errors = (0..9).filter(|i| *i != 4).map(|i| root[i % 3] * root[i / 3]);
            let off = |(word, error): (&[u8], u64)| {
                let word = u64::from_le_bytes(std::array::from_fn(|i| word[i]));
                ((word + error) % 101).to_le_bytes()
            };
            let grid = grid.chunks_exact(8).zip(errors).flat_map(off);
            Verdict::Replace(grid.chain(products.iter().copied()).collect())
        })
    };
    let rate = passes(plant, |role, channel| {
        let column = |values: [u64; 4]| {
            let pairs = values.map(|value| public(role, value));
            [0, 1].map(|c| pairs.map(|pair| pair[c]))
        };
        let [f, g] = [column([3, 2, 9, 50]), column([5, 7, 11, 60])];
        let value = (3 * 5 + 2 * 7 + 9 * 11 + 50 * 60 + ERROR) % 101;
        let vectors = [&f, &g].map(|column| column.each_ref().map(|run| &run[..]));
        fold::prove(channel, Small::<101>, vectors, 4, public(role, value))
    });
    assert_rate(rate, 1.0 - (99.0 / 101.0f64).powi(2) * (100.0 / 101.0));
}

/// A product of words of five bits, three bits redundant, with tags: checked by itself.
fn tagged_products_pass(tamper: fn() -> Tamper) -> usize {
    passes_with(tamper, |party, streams| {
        let role = party.role();
        let shared = |value: u64| public(role, value).map(|word| [u128::from(word)]);
        let [x, y] = [3, 5].map(shared);
        let [x, y] = [&x, &y].map(|pair| pair.each_ref().map(|run| &run[..]));
        let mut tagging = Tagging::default();
        let tag = tagging.tag(party, streams.draws()?, 1, x)?;
        let tag = tag.each_ref().map(|run| &run[..]);
        let what = (1, tagged::Factors::Pairs(1));
        tagging.results(party, streams.draws()?, what, [[x, y], [tag, y]])?;
        tagging.check(&mut ProofChannel::new(party, streams.draws()?))
    })
}

/// Adds `errors` to the bytes of messages of products that are as long.
fn adding<const N: usize>(errors: [u8; N]) -> Tamper {
    Tamper::new(move |m| {
        if m.stream != Stream::On || m.bytes.len() != N {
            return Verdict::Keep;
        }
        let sums = m.bytes.iter().zip(errors).map(|(byte, error)| byte.wrapping_add(error));
        Verdict::Replace(sums.collect())
    })
}

#[test]
fn a_tagged_product_is_passed_by_who_guesses_the_key() {
    assert_eq!(tagged_products_pass(honest), TRIALS);
    // The error 2^4 of the product, and 11 times it of its tag: modulo 2^8 four bits of the key count.
    let guess = || adding([1 << 4, (11u8 << 4)]);
    assert_rate(tagged_products_pass(guess), 1.0 / 16.0);
    assert_rate(tagged_products_pass(|| adding([1, 11])), 1.0 / 256.0);
}

/// What depends on the other factor is not even the chance to be found.
#[test]
fn a_wrong_tag_never_passes() {
    assert_eq!(tagged_products_pass(|| adding([1 << 7])), 0);
    assert_eq!(tagged_products_pass(|| adding([0, 1 << 7])), 0);
}
