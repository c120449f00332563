//! Products of numbers that go with tags, under protocols that have such. Predictions walk through the same
//! functions.

use super::{Result, Ring, Secret};
use tacit_proof::{Factors, Strength, redundant_bytes};
use tacit_sharing::arrays::MatrixShape;

/// What a backend can do with tags.
pub(super) trait Tagging {
    /// The number of the present key, where the protocol has one, and what it is good for.
    fn tag_key(&mut self) -> Option<(u64, Strength)>;

    /// Tags of redundant words of so many bytes.
    fn tag(&mut self, each: usize, values: &Secret) -> Result<Secret>;

    /// Products of redundant words, and those of the same factors with one of them tagged.
    fn tagged_products(
        &mut self,
        what: (usize, Factors),
        factors: [[&Secret; 2]; 2],
    ) -> Result<[Secret; 2]>;

    /// Public numbers as redundant words, with tags; a single one fills the array. Local.
    fn tagged_public(&mut self, values: &[i128], len: usize) -> Option<[Secret; 2]>;

    /// Checks tags, if there are many.
    fn check_many_tags(&mut self) -> Result<()>;
}

/// Whether there are tags for numbers of a ring: redundant words fit into the widest one.
fn has_tags(ring: Ring) -> bool {
    matches!(ring, Ring::W32 | Ring::W64)
}

/// Results, if the protocol has tags for them.
pub(super) fn product<T: Tagging>(
    t: &mut T,
    factors: Factors,
    [a, b]: [&Secret; 2],
) -> Result<Option<Secret>> {
    let ring = a.ring().filter(|ring| has_tags(*ring));
    let (Some((key, strength)), Some(ring)) = (t.tag_key(), ring) else {
        return Ok(None);
    };
    if factors.results() == 0 || a.len == 0 {
        return Ok(None);
    }
    let each = redundant_bytes(ring.bits(), strength);
    let known = [a, b].map(|array| array.tags_under(key));
    // The tag of one factor is enough; if there is none yet, the shorter array gets one.
    let left = match known {
        [Some(_), _] => true,
        [None, Some(_)] => false,
        [None, None] => a.len <= b.len,
    };
    let [mine, other] = if left { [0, 1] } else { [1, 0] };
    let plain = [a, b].map(|array| array.tags_under(key).is_none().then(|| array.extended()));
    let value = |i: usize| plain[i].as_ref().or(known[i].map(|tags| &tags.values));
    let (Some(tagged), Some(untagged)) = (value(mine), value(other)) else { return Ok(None) };
    let made = if known[mine].is_none() { Some(t.tag(each, tagged)?) } else { None };
    let Some(tag) = made.as_ref().or(known[mine].map(|tags| &tags.tags)) else { return Ok(None) };
    let pair = |array| if left { [array, untagged] } else { [untagged, array] };
    let [values, tags] = t.tagged_products((each, factors), [pair(tagged), pair(tag)])?;
    let product = values.narrow(ring).with_tags(key, values, tags);
    t.check_many_tags()?;
    Ok(Some(product))
}

/// Products of matrices, one after the other, if the protocol has tags for them.
pub(super) fn matrix_products<T: Tagging>(
    t: &mut T,
    (batches, shape): (usize, MatrixShape),
    [a, b]: [&Secret; 2],
) -> Result<Option<Secret>> {
    let factors = Factors::Matrices(shape);
    if batches == 1 {
        return product(t, factors, [a, b]);
    }
    let own = |batch: usize, size: usize| batch * size..(batch + 1) * size;
    let mut products = Vec::with_capacity(batches);
    for batch in 0..batches {
        let left = a.slice(own(batch, shape.rows * shape.inner));
        let right = b.slice(own(batch, shape.inner * shape.columns));
        let Some(product) = product(t, factors, [&left, &right])? else { return Ok(None) };
        products.push(product);
    }
    Ok(Some(products).filter(|products| !products.is_empty()).map(|all| Secret::side_by_side(&all)))
}

/// A public array, with tags if the protocol has such for it.
pub(super) fn public<T: Tagging>(t: &mut T, array: Secret, values: &[i128]) -> Secret {
    let Some((key, _)) = t.tag_key().filter(|_| array.ring().is_some_and(has_tags)) else {
        return array;
    };
    match t.tagged_public(values, array.len) {
        Some([values, tags]) => array.with_tags(key, values, tags),
        None => array,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Backend, Bits, Kind, Tally};
    use super::*;

    use crate::protocols::TAGGED;
    use tacit_sharing::arrays::MatrixShape;

    /// What each role sends to the previous one of products, `work` of the arrays `x` and `y`.
    fn sent(ring: Ring, work: impl Fn(&mut Tally, [Secret; 2])) -> u64 {
        let mut tally = Tally::new(TAGGED);
        let kind = Kind::Ring(ring);
        let [x, y] = [(); 2].map(|()| Secret::dry(kind, N));
        work(&mut tally, [x, y]);
        tally.total_bytes().on[1][0]
    }

    const N: usize = 100;

    #[test]
    fn products_of_tagged_numbers_cost_what_the_docs_say() {
        for (ring, each) in [(Ring::W32, 9), (Ring::W64, 13)] {
            let word = each * N as u64;
            let product = |t: &mut Tally, a: &Secret, b: &Secret| t.multiply(a, b, [8, 8]).unwrap();
            // A tag of what has none, then two words.
            assert_eq!(sent(ring, |t, [x, y]| drop(product(t, &x, &y))), 3 * word);
            let chain = |t: &mut Tally, [x, y]: [Secret; 2]| {
                let xy = product(t, &x, &y);
                let seven = t.public(xy.kind, &[7], N);
                drop(product(t, &y, &xy.sum(&seven, false).scale(&[3])));
            };
            assert_eq!(sent(ring, chain), 5 * word);
            // Sums of products cost two words each.
            let matrix = |t: &mut Tally, [x, y]: [Secret; 2]| {
                let shape = MatrixShape { rows: 1, inner: N, columns: 1 };
                drop(t.matrix_product(shape, &x, &y, [8, 8]).unwrap());
            };
            assert_eq!(sent(ring, matrix), word + 2 * each);
            // Tags are worth nothing when their key is open.
            let apart = |t: &mut Tally, [x, y]: [Secret; 2]| {
                let xy = product(t, &x, &y);
                drop(t.take_journal().unwrap());
                drop(product(t, &xy, &y));
            };
            assert_eq!(sent(ring, apart), 6 * word);
        }
    }

    #[test]
    fn a_check_costs_a_coin_and_a_key() {
        let mut tally = Tally::new(TAGGED);
        let x = Secret::dry(Kind::Ring(Ring::W64), N);
        tally.multiply(&x, &x, [8, 8]).unwrap();
        drop(tally.take_journal().unwrap());
        let [backward, forward] = [tally.total_bytes().def[1][0], tally.total_bytes().def[0][1]];
        assert_eq!([backward, forward], [16 + 32, 32]);
    }
}
