//! Programs on numbers shared in rings among three parties that prove their products.

use super::components::{self, Components, Shift};
use super::masked::{self, MaskedBits};
use super::moving::delegate_shuffles;
use super::numbers::{Numbers, delegate_bits, delegate_transfers};
use super::ring_keys::RingKeys;
use super::secret::{Element, bits_of, typed};
use super::sort::{Column, Shuffles, with_column};
use super::tags::{self, Tagging};
use super::{
    Backend, Bits, Circuits, Kind, Name, Planes, Result, Ring, Secret, Term, Values, wrong,
};
use crate::convert::shuffle::{self, Hop};
use crate::convert::{BitPlanes, Layered, to_planes};
use std::ops::Range;
use std::sync::Arc;
use tacit_proof::{Factors, Move, Moves, Proofs, Strength};
use tacit_ring::{Buffer, Word, Z2, transpose, word};
use tacit_sharing::arrays::{MatrixShape, SharedVec};
use tacit_sharing::coordinates::Coordinates;
use tacit_sharing::party::Party;
use tacit_sharing::role::{Role, RoleId};
use tacit_sharing::verify::{Journal, Verifier};

/// A party of replicated sharing in role `P`: role `i` holds components `i` and `i + 1`.
pub(super) struct Proven<'m, P> {
    numbers: Numbers<'m, P>,
}

impl<'m, P: Coordinates> Proven<'m, P> {
    /// A party with fresh keys.
    pub fn new(party: Party<'m>, keys: RingKeys) -> Self {
        Proven { numbers: Numbers::new(party, keys) }
    }
}

/// Which of role `P`'s words holds component `j`.
fn place<P: Role>(j: usize) -> Option<usize> {
    match (j + 3 - P::ROLE) % 3 {
        at @ 0..2 => Some(at),
        _ => None,
    }
}

/// The sharing whose component `j` is this, at those who know it, and whose others are zero.
fn alone<P: Role, W: Word>(
    j: usize,
    n: usize,
    component: impl FnOnce(usize) -> Buffer<W>,
) -> SharedVec<W> {
    match place::<P>(j) {
        Some(0) => SharedVec::pair(component(0), Buffer::zeros(n)),
        Some(at) => SharedVec::pair(Buffer::zeros(n), component(at)),
        None => SharedVec::zeros(n),
    }
}

fn words<W: Word>(shares: &SharedVec<W>, at: usize) -> &[W] {
    if at == 0 { &shares.first } else { &shares.second }
}

fn component_planes<P: Role, W: Element>(a: &Secret, j: usize, plus: u128, bits: u32) -> Planes {
    let (shares, bits) = (typed::<W>(a), bits as usize);
    let planes = alone::<P, Z2>(j, bits * a.len.div_ceil(64), |at| {
        let plus = W::from_u128(plus);
        let mut shifted = Buffer::from_slice(words(shares, at));
        shifted.iter_mut().for_each(|word| *word = word.add(plus));
        to_planes(&shifted, bits)
    });
    Planes::new(BitPlanes::shared(planes, a.len), bits)
}

fn component_shifted<P: Role, N: Element, W: Element>(
    a: &Secret,
    j: usize,
    shift: Shift,
) -> Secret {
    let shares = typed::<N>(a);
    Secret::of(alone::<P, W>(j, a.len, |at| {
        let plus = N::from_u128(shift.plus);
        let mut shifted = Buffer::zeros(a.len);
        for (to, word) in shifted.iter_mut().zip(words(shares, at)) {
            *to = W::from_u128(word.add(plus).to_u128() >> shift.by);
        }
        shifted
    }))
}

fn component_of_bits<P: Role, W: Element>(bits: &Secret, j: usize) -> Secret {
    let shares = &bits_of(bits).shares;
    Secret::of(alone::<P, W>(j, bits.len, |at| {
        let mut numbers = Buffer::zeros(bits.len);
        if bits.len > 0 {
            transpose::unpack(word::lanes(words(shares, at)), 1, &mut numbers);
        }
        numbers
    }))
}

impl<P: Coordinates> Components for Proven<'_, P> {
    fn component_bits(&mut self, a: &Secret, j: usize, plus: u128, bits: u32) -> Planes {
        match a.ring() {
            Some(Ring::W32) => component_planes::<P, u32>(a, j, plus, bits),
            Some(Ring::W64) => component_planes::<P, u64>(a, j, plus, bits),
            _ => component_planes::<P, u128>(a, j, plus, bits),
        }
    }

    fn component_shifted(&mut self, a: &Secret, j: usize, shift: Shift) -> Secret {
        match (a.ring(), shift.ring) {
            (Some(Ring::W32), Ring::W32) => component_shifted::<P, u32, u32>(a, j, shift),
            (Some(Ring::W32), Ring::W64) => component_shifted::<P, u32, u64>(a, j, shift),
            (Some(Ring::W32), _) => component_shifted::<P, u32, u128>(a, j, shift),
            (Some(Ring::W64), Ring::W64) => component_shifted::<P, u64, u64>(a, j, shift),
            (Some(Ring::W64), _) => component_shifted::<P, u64, u128>(a, j, shift),
            _ => component_shifted::<P, u128, u128>(a, j, shift),
        }
    }

    fn component_of_bits(&mut self, bits: &Secret, j: usize, ring: Ring) -> Secret {
        match ring {
            Ring::W32 => component_of_bits::<P, u32>(bits, j),
            Ring::W64 => component_of_bits::<P, u64>(bits, j),
            _ => component_of_bits::<P, u128>(bits, j),
        }
    }
}

/// A role's words of an array of redundant words.
fn redundant(array: &Secret) -> [&[u128]; 2] {
    let shares = typed::<u128>(array);
    [&shares.first, &shares.second]
}

fn array([first, second]: [Buffer<u128>; 2]) -> Secret {
    Secret::of(SharedVec::pair(first, second))
}

impl<P: Coordinates> Tagging for Proven<'_, P> {
    fn tag_key(&mut self) -> Option<(u64, Strength)> {
        tacit_proof::tag_key(self.numbers.bits.party())
    }

    fn tag(&mut self, each: usize, values: &Secret) -> Result<Secret> {
        let (party, _) = self.numbers.bits.step();
        let work =
            |proofs: &mut Proofs, party: &mut Party<'_>| proofs.tag(party, each, redundant(values));
        Ok(array(tacit_proof::with_proofs(party, work)?))
    }

    fn tagged_products(
        &mut self,
        what: (usize, Factors),
        factors: [[&Secret; 2]; 2],
    ) -> Result<[Secret; 2]> {
        let (party, _) = self.numbers.bits.step();
        let factors = factors.map(|pair| pair.map(redundant));
        let work = |proofs: &mut Proofs, party: &mut Party<'_>| {
            proofs.tagged_products(party, what, factors)
        };
        Ok(tacit_proof::with_proofs(party, work)?.map(array))
    }

    fn tagged_public(&mut self, values: &[i128], len: usize) -> Option<[Secret; 2]> {
        let party = self.numbers.bits.party();
        let key = tacit_proof::with_proofs(party, |proofs, party| proofs.tag_shares(party)).ok()?;
        let public = self.numbers.public_ring::<u128>(values, len);
        let value = |i: usize| values[if values.len() == 1 { 0 } else { i }] as u128;
        let tags = key.map(|key| {
            let mut tags = Buffer::zeros(len);
            tags.iter_mut().enumerate().for_each(|(i, tag)| *tag = key.mul(value(i)));
            tags
        });
        Some([public, array(tags)])
    }

    fn check_many_tags(&mut self) -> Result<()> {
        self.numbers.bits.same_step().0.prove_if_many()
    }
}

impl<P: Coordinates> Bits for Proven<'_, P> {
    delegate_bits!(numbers.bits);
}

impl<P: Coordinates> MaskedBits for Proven<'_, P> {
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]> {
        components::masked_bits(self, a, bits)
    }
}

impl<P: Coordinates> Backend for Proven<'_, P> {
    delegate_transfers!(numbers);

    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        let array = self.numbers.public(kind, values, len);
        tags::public(self, array, values)
    }

    fn multiply(&mut self, a: &Secret, b: &Secret, _bits: [u32; 2]) -> Result<Secret> {
        match tags::product(self, Factors::Pairs(a.len), [a, b])? {
            Some(product) => Ok(product),
            None => self.numbers.multiply(a, b),
        }
    }

    fn matrix_products(
        &mut self,
        of: (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
        _bits: [u32; 2],
    ) -> Result<Secret> {
        match tags::matrix_products(self, of, [a, b])? {
            Some(product) => Ok(product),
            None => self.numbers.matrix_products(of, a, b),
        }
    }

    components::conversions!();

    masked::comparisons!();

    fn shuffles(&mut self) -> Option<&mut dyn Shuffles> {
        if tacit_proof::proves_moves(self.numbers.bits.party()) { Some(self) } else { None }
    }
}

impl<P: Coordinates> Shuffles for Proven<'_, P> {
    delegate_shuffles!(numbers);

    fn draw(&mut self, hop: RoleId, n: usize) -> Result<Hop> {
        let (party, _) = self.numbers.bits.same_step();
        tacit_proof::with_proofs(party, |proofs, _| {
            proofs.expect_moves();
            Ok(())
        })?;
        self.numbers.draw_hop(hop, n)
    }

    fn proves(&mut self) -> bool {
        true
    }

    fn prove(&mut self, moves: &[(Hop, Vec<Column>)], after: &[Column]) -> Result<()> {
        let mut all = Moves::default();
        for (at, (hop, before)) in moves.iter().enumerate() {
            let after = moves.get(at + 1).map_or(after, |(_, columns)| columns);
            for pair in before.iter().zip(after) {
                match pair {
                    (Column::Words(from), Column::Words(to)) => {
                        all.words.push(moved(hop, from, to))
                    }
                    (Column::W32(from), Column::W32(to)) => all.w32.push(moved(hop, from, to)),
                    (Column::W64(from), Column::W64(to)) => all.w64.push(moved(hop, from, to)),
                    (Column::W128(from), Column::W128(to)) => all.w128.push(moved(hop, from, to)),
                    _ => return Err(wrong("columns of a shuffle")),
                }
            }
        }
        // Peers may wait for what this party sent last.
        let (party, _) = self.numbers.bits.same_step();
        party.flush()?;
        tacit_proof::with_proofs(party, |proofs, party| proofs.prove_moves(party, &all))
    }
}

fn moved<'a, W: Word>(hop: &'a Hop, from: &'a SharedVec<W>, to: &'a SharedVec<W>) -> Move<'a, W> {
    let components = |shares: &'a SharedVec<W>| [&shares.first[..], &shares.second[..]];
    Move { pair: hop.which(), order: hop.order(), from: components(from), to: components(to) }
}
