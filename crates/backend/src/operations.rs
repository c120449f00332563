//! The operations of a program on shares.

use super::bits::Circuits;
use super::planes::Planes;
use super::put_off::PutOff;
use super::result::{Result, Values, wrong};
use super::secret::{Kind, Ring, Secret};
use super::sort::Shuffles;
use crate::convert::Layered;
use std::sync::Arc;
use std::time::Duration;
use tacit_net::AbortKind;
use tacit_proof::Needs;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::cost::{MAX_ROLES, Rounds};
use tacit_sharing::role::RoleId;
use tacit_sharing::verify::{Journal, Verifier};

/// Shared bits, and circuits on them: what every protocol has. All parties call the same operations
/// in the same order, on planes of the same sizes.
pub trait Bits {
    /// Shares planes of `owner`, who passes their words, plane after plane.
    ///
    /// # Errors
    /// When the network fails or the owner has no values.
    fn input_planes(
        &mut self,
        owner: RoleId,
        values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes>;

    /// Shares of public planes. Local.
    fn public_planes(&mut self, values: &[Z2], planes: usize, lanes: usize) -> Planes;

    /// Opens planes to `receivers`. Their words at those, with zeros beyond the last lane.
    ///
    /// # Errors
    /// When the network fails.
    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>>;

    /// Opens planes, each to its receivers: where that takes fewer messages, all at once.
    ///
    /// # Errors
    /// When the network fails.
    fn open_all_planes(&mut self, all: &[(Planes, &[RoleId])]) -> Result<Vec<Option<Buffer<Z2>>>> {
        all.iter().map(|(planes, receivers)| self.open_planes(planes, receivers)).collect()
    }

    /// Evaluates a circuit on bit planes.
    ///
    /// # Errors
    /// When the network fails or widths do not fit.
    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>>;

    /// Circuits laid out for this protocol.
    fn circuits(&mut self) -> &mut Circuits;

    /// The transcripts of what was done since they were taken last; empty under protocols without
    /// checks.
    ///
    /// # Errors
    /// When what was done cannot be proven, or the network fails.
    fn take_journal(&mut self) -> Result<Journal> {
        Ok(Journal::default())
    }

    /// Compares the transcripts of all workers, in their order, with those of all parties. Under
    /// protocols with checks nothing opens that was computed after the last time. Without a
    /// verifier, in dry runs, it is only counted.
    ///
    /// # Errors
    /// When a check fails, or the network does.
    fn end_epoch(&mut self, _: Option<&mut Verifier>, _journals: Vec<Journal>) -> Result<()> {
        Ok(())
    }

    /// Compares them before something opens, with which the run goes on or which is compared itself before it leaves: never the last time.
    /// Where bits [open at once](Bits::opens_at_once) it takes a round less.
    ///
    /// # Errors
    /// As [`Bits::end_epoch`].
    fn settle_epoch(
        &mut self,
        verifier: Option<&mut Verifier>,
        journals: Vec<Journal>,
    ) -> Result<()> {
        self.end_epoch(verifier, journals)
    }

    /// Whether bits that open to everybody, and places of rows, are sent by two roles each: whoever goes on has the right ones, and
    /// they are not compared afterwards.
    fn opens_at_once(&self) -> bool {
        false
    }

    /// Says how many products are coming, where it is known: triples, under protocols that make products
    /// from them, then come in as few batches as can be.
    fn announce(&mut self, _needs: &Needs) {}

    /// Makes all triples that are announced.
    ///
    /// # Errors
    /// When the network fails, or a peer sends what no honest party does.
    fn make_triples(&mut self) -> Result<()> {
        Ok(())
    }

    /// Ends preprocessing, and hands it out for a party of another session.
    ///
    /// # Errors
    /// Where there is none that can be stored.
    fn put_off(&mut self) -> Result<PutOff> {
        Err(wrong("preprocessing that cannot be stored"))
    }

    /// Takes what a party of another session with the same keys put off, before anything else.
    ///
    /// # Errors
    /// When it is for another protocol.
    fn resume(&mut self, _: PutOff) -> Result<()> {
        Err(wrong("preprocessing that cannot be stored"))
    }

    /// Whether all that was put off is used.
    ///
    /// # Errors
    /// Says what is left.
    fn check_used_up(&mut self) -> Result<()> {
        Ok(())
    }

    /// Says which line of the program what follows is of: for backends that count by line.
    fn at_line(&mut self, _line: u32) {}

    /// The steps so far, by role, in which it waited for online messages: a party knows its own, a dry run
    /// those of all. Zero where nothing is sent.
    fn rounds(&mut self) -> Rounds {
        [0; MAX_ROLES]
    }

    /// Time since the session started, with what this thread worked until now; zero in dry runs.
    fn now(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Work of this thread counts from here, and could not begin before `at`: on a virtual clock.
    fn begin_at(&mut self, _at: Duration) {}

    /// Pushes out what is still buffered.
    ///
    /// # Errors
    /// When the network fails.
    fn flush(&mut self) -> Result<()>;

    /// Ends the session for all threads and parties; `reason` must hold nothing secret.
    fn abort(&mut self, kind: AbortKind, reason: &str);
}

/// Operations on secret arrays. All parties call the same ones in the same order, on arrays of the
/// same kinds and lengths. What is local and the same for every protocol is a method of
/// [`Secret`].
///
/// What has a default here is local in rings. Where numbers are bits it is a circuit, whose size
/// depends on the public numbers passed: all parties, and predictions, must pass the same ones.
pub trait Backend: Bits {
    /// Shares `len` values of `owner`, who passes them.
    ///
    /// # Errors
    /// When the network fails or the owner has no values.
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret>;

    /// Shares of public values; a single one fills the array. Local.
    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret;

    /// Opens an array to `receivers`. Its values, as signed numbers of the ring, at those.
    ///
    /// # Errors
    /// When the network fails.
    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>>;

    /// Opens arrays, each to its receivers: where that takes fewer messages, all at once.
    ///
    /// # Errors
    /// When the network fails.
    fn open_all(&mut self, all: &[(&Secret, Vec<RoleId>)]) -> Result<Vec<Option<Values>>> {
        all.iter().map(|(secret, receivers)| self.open(secret, receivers)).collect()
    }

    /// `a + b` or `a - b`, element by element; of bits: exclusive or.
    ///
    /// # Errors
    /// When the network fails.
    fn sum(&mut self, a: &Secret, b: &Secret, subtract: bool) -> Result<Secret> {
        Ok(a.sum(b, subtract))
    }

    /// A number of the program added to every element.
    ///
    /// # Errors
    /// When the network fails.
    fn plus(&mut self, a: &Secret, number: i128) -> Result<Secret> {
        let constant = self.public(a.kind, &[number], a.len);
        Ok(a.sum(&constant, false))
    }

    /// Every element times a number of the program.
    ///
    /// # Errors
    /// When the network fails.
    fn times(&mut self, a: &Secret, factor: i128) -> Result<Secret> {
        Ok(a.scale(&[factor]))
    }

    /// Each element times a public number of at most `bits` bits; one factor serves all.
    ///
    /// # Errors
    /// When the network fails.
    fn times_each(&mut self, a: &Secret, factors: &[i128], bits: u32) -> Result<Secret> {
        let _ = bits;
        Ok(a.scale(factors))
    }

    /// Sums of `outer x axis x inner` numbers of at most `bits` bits over the middle axis.
    ///
    /// # Errors
    /// When the network fails.
    fn sum_axis(
        &mut self,
        a: &Secret,
        [outer, axis, inner]: [usize; 3],
        bits: u32,
    ) -> Result<Secret> {
        let _ = bits;
        if axis == 0 {
            return Ok(self.public(a.kind, &[0], outer * inner));
        }
        Ok(a.sum_axis(outer, axis, inner))
    }

    /// Of `outer x axis x inner` numbers the sums of those up to each one along the middle axis, or from each one on:
    /// as wide as the ring. Numbers that are held as bits are added two by two, in about twice as many additions one
    /// after the other as an axis has binary digits.
    ///
    /// # Errors
    /// When the network fails.
    fn prefix_sums(
        &mut self,
        a: &Secret,
        [outer, axis, inner]: [usize; 3],
        reverse: bool,
    ) -> Result<Secret> {
        Ok(a.prefix_sums(outer, axis, inner, reverse))
    }

    /// Products, element by element; of bits: conjunctions. The factors are numbers of at most
    /// `bits` bits, which matters only where they are held as bits.
    ///
    /// # Errors
    /// When the network fails.
    fn multiply(&mut self, a: &Secret, b: &Secret, bits: [u32; 2]) -> Result<Secret>;

    /// A matrix product; inner products are one with a single column. `bits` as in
    /// [`Backend::multiply`].
    ///
    /// # Errors
    /// When the network fails.
    fn matrix_product(
        &mut self,
        shape: MatrixShape,
        a: &Secret,
        b: &Secret,
        bits: [u32; 2],
    ) -> Result<Secret> {
        self.matrix_products((1, shape), a, b, bits)
    }

    /// As many products of matrices of one shape as are said, each of a matrix of `a` and the one at its place in `b`. They take the
    /// rounds of one, but for protocols with tags.
    ///
    /// # Errors
    /// When the network fails.
    fn matrix_products(
        &mut self,
        of: (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
        bits: [u32; 2],
    ) -> Result<Secret>;

    /// `a / 2^by`, rounded down or up, for `|a| < 2^(bits - 2)`.
    ///
    /// # Errors
    /// When the network fails.
    fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret>;

    /// Extends signed numbers to a wider ring. They must be from `-2^(bits - 2)` to less than `2^(bits - 2)`, where `bits` is the
    /// width of their own ring.
    ///
    /// # Errors
    /// When the network fails.
    fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret>;

    /// The bits in `planes` as signed numbers of a ring.
    ///
    /// # Errors
    /// When the network fails.
    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret>;

    /// Bits as 0 and 1 of a ring.
    ///
    /// # Errors
    /// When the network fails.
    fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret>;

    /// Bits times elements.
    ///
    /// # Errors
    /// When the network fails.
    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret>;

    /// `a` where the bit is one, else `b`.
    ///
    /// # Errors
    /// When the network fails.
    fn select(&mut self, bits: &Secret, a: &Secret, b: &Secret) -> Result<Secret> {
        let differ = a.sum(b, true);
        let chosen = match differ.kind {
            Kind::Bits => self.multiply(bits, &differ, [1, 1])?,
            Kind::Ring(_) => self.inject(bits, &differ)?,
        };
        Ok(b.sum(&chosen, false))
    }

    /// `a` where the public bit is one, else `b`. Local.
    fn select_public(&mut self, bits: &[i128], a: &Secret, b: &Secret) -> Secret {
        match a.kind {
            Kind::Bits | Kind::Ring(Ring::Bits(_)) => b.xor(&a.xor(b).and_public(bits)),
            Kind::Ring(_) => b.sum(&a.sum(b, true).scale(bits), false),
        }
    }

    /// `a / 2^by`, rounded down, for every signed `a`.
    ///
    /// # Errors
    /// When the network fails.
    fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret>;

    /// For each array of bits the sum of all its bits times elements, which have at most so many
    /// bits; without elements, the number of ones.
    ///
    /// # Errors
    /// When the network fails.
    fn group_sums(
        &mut self,
        groups: &[&Secret],
        a: Option<(&Secret, u32)>,
        ring: Ring,
    ) -> Result<Secret>;

    /// Whether `a < b`, where `a - b` is a signed number of `bits` bits.
    ///
    /// # Errors
    /// When the network fails.
    fn less(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret>;

    /// Whether `a = b`, where `a - b` is a signed number of `bits` bits.
    ///
    /// # Errors
    /// When the network fails.
    fn equal(&mut self, pair: [&Term; 2], bits: u32) -> Result<Secret>;

    /// The low `bits` bits, in two's complement.
    ///
    /// # Errors
    /// When the network fails.
    fn low_bits(&mut self, a: &Secret, bits: u32) -> Result<Planes>;

    /// What sorts by shuffles, where there are any.
    fn shuffles(&mut self) -> Option<&mut dyn Shuffles> {
        None
    }

    /// What sorts so many rows by shuffles, where that is worth it.
    fn shuffles_for(&mut self, rows: usize) -> Option<&mut dyn Shuffles> {
        let least = self.shuffles()?.least_rows();
        if rows < least { None } else { self.shuffles() }
    }

    /// The order that sorts rows by the unsigned numbers in `planes`, ascending and stably, applied
    /// to `columns`: after a shuffle, else by a network.
    ///
    /// # Errors
    /// When the network fails.
    fn sort(&mut self, planes: &Planes, columns: &[&Secret]) -> Result<Vec<Secret>> {
        if planes.lanes < 2 {
            return Ok(columns.iter().map(|column| column.slice(0..column.len)).collect());
        }
        if let Some(on) = self.shuffles()
            && let Some(way) = super::sort::way(on, planes.lanes, planes.planes)
        {
            return super::sort::by_shuffles(on, way, planes, columns);
        }
        super::network::sort(self, planes, columns)
    }
}

/// One side of a comparison. Not both are constants.
pub enum Term {
    /// An array.
    Array(Arc<Secret>),
    /// A number of the program.
    Constant(i128),
}
