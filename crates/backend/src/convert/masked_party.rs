//! Who sits where, and the three things that are sent: deals, raises and gadgets.

use super::{Masked, seat};
use seat::{CORRECTION, RAISE, Seat, Seats};
use tacit_net::Stream;
use tacit_ring::simd;
use tacit_ring::{Buffer, Word, Z2, transpose, word};
use tacit_sharing::SharingError;
use tacit_sharing::party::{Draws, Party};
use tacit_sharing::planes::to_planes;
use tacit_sharing::role::{Few, Role, RoleId, Sink, Source};

/// Words of a message that are received in one go.
const PIECE: usize = 1 << 16;

/// A party at its seat. Not generic over the protocol: its roles differ in coordinates only.
pub struct MaskedParty<'p, 'm> {
    party: &'p mut Party<'m>,
    seats: Seats,
    seat: Seat,
    /// Whether shares have a third component, which is to be kept.
    full: bool,
}

/// A mask, by the key that it is drawn from.
#[derive(Clone, Copy)]
enum Mask {
    /// Drawn by the first and those that know the masks.
    First,
    /// Drawn by the second and those that know the masks.
    Second,
    /// Drawn by all but the role behind, among four parties.
    Upper,
}

impl<'p, 'm> MaskedParty<'p, 'm> {
    /// A party that plays role `P`, in masked coordinates.
    #[must_use]
    pub fn new<P: Role>(party: &'p mut Party<'m>) -> Self {
        let full = P::Share::<u8>::COUNT > 2;
        MaskedParty { party, seats: Seats::of(P::PROTOCOL), seat: Seat::of::<P>(), full }
    }

    /// What a deal gives keeps the first's half at the roles ahead and behind, too, whatever shares have.
    #[must_use]
    pub(super) fn keeping_all(self) -> Self {
        MaskedParty { full: true, ..self }
    }

    /// Where this party sits.
    #[must_use]
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Whether upper values that others are to compute with must be [raised](MaskedParty::raise): of four
    /// parties.
    #[must_use]
    pub fn raises(&self) -> bool {
        self.seats.are_four()
    }

    /// Whether shares have a third component: see [`Masked`].
    #[must_use]
    pub fn keeps_third(&self) -> bool {
        self.full
    }

    fn role(&self, seat: Seat) -> RoleId {
        self.seats.role(seat)
    }

    /// The slot of a mask's key, if this seat knows the mask.
    fn slot(&self, mask: Mask) -> Option<usize> {
        match (mask, self.seat) {
            // Of three: the keys with the next role and with the one before.
            (Mask::First, Seat::Dealer) => Some(0),
            (Mask::Second, Seat::Dealer) => Some(1),
            (Mask::First, Seat::First) => Some(1),
            (Mask::Second, Seat::Second) => Some(if self.seats.are_four() { 1 } else { 0 }),
            // Of four: in the order of the role that lacks the key.
            (Mask::First, Seat::Behind) => Some(1),
            (Mask::Second, Seat::Behind) => Some(0),
            (Mask::First, Seat::Ahead) => Some(2),
            (Mask::Second, Seat::Ahead) => Some(1),
            (Mask::Upper, Seat::First | Seat::Second | Seat::Ahead) => Some(0),
            _ => None,
        }
    }

    /// Fills `out` with a mask; leaves it where this seat does not know it.
    fn draw<W: Word>(&self, draws: &mut Draws<'_>, mask: Mask, out: &mut [W]) {
        if let Some(slot) = self.slot(mask) {
            draws.fill(slot, out);
        }
    }

    /// Splits lower values: `t = q1 + q2`, `q1` to the first (a draw), `q2` to the second (a
    /// message). `t` counts only where lower values are known.
    ///
    /// # Errors
    /// When the network fails.
    pub fn deal<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        t: &[W],
        n: usize,
    ) -> Result<Split<W>, SharingError> {
        self.deal_bits(draws, t, n, W::BITS)
    }

    /// Deals in a smaller ring `Z_{2^bits}`, sent as bit planes: halves count modulo `2^bits`.
    ///
    /// # Errors
    /// When the network fails.
    pub fn deal_bits<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        t: &[W],
        n: usize,
        bits: u32,
    ) -> Result<Split<W>, SharingError> {
        let seat = self.seat;
        let mut q1 = Buffer::zeros(n);
        self.draw(draws, Mask::First, &mut q1);
        let none = Buffer::default();
        match seat {
            Seat::First => return Ok(Split { seat, first: q1, second: none.clone(), x1: none }),
            Seat::Second => {
                let (dealer, stream) = (self.seats.dealer(), self.seats.deals());
                let log = self.raises().then(|| self.seats.dealt());
                self.receive(Source { from: dealer, stream, log }, &mut q1, bits)?;
                return Ok(Split { seat, first: none.clone(), second: q1, x1: none });
            }
            _ => check(t.len() == n, "a deal")?,
        }
        let mut q2 = Buffer::from_slice(t);
        sub_assign(&mut q2, &q1);
        let sink = match self.role(seat) == self.seats.dealer() {
            true => Sink::Send(self.role(Seat::Second), self.seats.deals()),
            false => Sink::Log(self.seats.dealt()),
        };
        self.emit(sink, &q2, bits)?;
        if seat == Seat::Dealer {
            return Ok(Split { seat, first: q1, second: q2, x1: none });
        }
        let first = if seat == Seat::Ahead { Buffer::zeros(n) } else { none.clone() };
        let x1 = if self.full { q1 } else { none };
        Ok(Split { seat, first, second: Buffer::from_slice(t), x1 })
    }

    /// Gives `c`, which the pair knows, to the role behind, masked by a draw `k` that the role ahead has too. The
    /// result is what a seat computes with in place of `c`: the pair `c`, the role behind `c + k`, the role ahead `k`.
    /// Among three parties this does nothing.
    ///
    /// # Errors
    /// When the network fails.
    pub fn raise<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        c: Buffer<W>,
    ) -> Result<Buffer<W>, SharingError> {
        self.raise_bits(draws, c, W::BITS)
    }

    /// Raises in a smaller ring `Z_{2^bits}`, sent as bit planes.
    ///
    /// # Errors
    /// When the network fails.
    pub fn raise_bits<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        c: Buffer<W>,
        bits: u32,
    ) -> Result<Buffer<W>, SharingError> {
        Ok(self.raise_under(draws, c, bits)?.0)
    }

    /// A sharing of `c`, known to the pair, without masks of its own: `lambda = 0`, and `u` is the
    /// draw that it is raised under.
    ///
    /// # Errors
    /// When the network fails.
    pub fn share_upper<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        c: Buffer<W>,
    ) -> Result<Masked<W>, SharingError> {
        let n = c.len();
        let (first, mask) = self.raise_under(draws, c, W::BITS)?;
        let third = match self.full {
            true if self.seat.is_pair() => mask,
            true => Buffer::zeros(n),
            false => Buffer::default(),
        };
        Ok(Masked { first, second: Buffer::zeros(n), third })
    }

    /// What a seat computes with in place of `c`, and in the pair of four the draw.
    fn raise_under<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        mut c: Buffer<W>,
        bits: u32,
    ) -> Result<(Buffer<W>, Buffer<W>), SharingError> {
        if !self.raises() {
            return Ok((c, Buffer::default()));
        }
        if self.seat == Seat::Behind {
            let source = Source::logged(self.role(Seat::Second), Stream::Def, RAISE);
            self.receive(source, &mut c, bits)?;
            return Ok((c, Buffer::default()));
        }
        let mut k = Buffer::zeros(c.len());
        self.draw(draws, Mask::Upper, &mut k);
        if self.seat == Seat::Ahead {
            return Ok((k, Buffer::default()));
        }
        let mut raised = k.clone();
        add_assign(&mut raised, &c);
        let sink = match self.seat {
            Seat::First => Sink::Log(RAISE),
            _ => Sink::Send(self.role(Seat::Behind), Stream::Def),
        };
        self.emit(sink, &raised, bits)?;
        Ok((c, k))
    }

    /// A fresh sharing of `c + g1 + g2`: the pair's local sums `g1` and `g2`, and the upper value
    /// `c` that both know. `sum` holds this party's `g` and becomes `m`; a dealer's is not read.
    ///
    /// Among four parties, the two that know the masks pass the same sums over raised upper values and whole lower
    /// ones, and `c` raised.
    ///
    /// # Errors
    /// When the network fails.
    pub fn gadget<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        mut sum: Buffer<W>,
        c: Option<&[W]>,
    ) -> Result<Masked<W>, SharingError> {
        let n = sum.len();
        let mut mask = Buffer::zeros(n);
        let mut third = Buffer::default();
        match self.seat {
            Seat::Dealer => {
                self.draw(draws, Mask::First, &mut sum);
                self.draw(draws, Mask::Second, &mut mask);
            }
            Seat::First | Seat::Second => {
                self.draw(draws, Mask::First, &mut mask);
                self.draw(draws, Mask::Second, &mut mask);
                add_assign(&mut sum, &mask);
                self.exchange(&mut sum, c)?;
                if self.raises() {
                    third = self.give_result(draws, &sum)?;
                }
            }
            Seat::Ahead | Seat::Behind => {
                if let Some(c) = c {
                    add_assign(&mut sum, c);
                }
                self.draw(draws, Mask::First, &mut mask);
                third = mask.clone();
                let mut z2 = Buffer::zeros(n);
                self.draw(draws, Mask::Second, &mut z2);
                add_assign(&mut mask, &z2);
                sum = self.check_gadget(draws, sum, &mask)?;
            }
        }
        let third = if self.full { third } else { Buffer::default() };
        Ok(Masked { first: sum, second: mask, third })
    }

    /// Sends this party's masked sum to the other one of the pair, adds up both and `c`.
    fn exchange<W: Word>(&mut self, sum: &mut [W], c: Option<&[W]>) -> Result<(), SharingError> {
        let n = sum.len();
        let peer = self.role(if self.seat == Seat::First { Seat::Second } else { Seat::First });
        let mut theirs = Buffer::zeros(n.min(PIECE));
        self.party.send(peer, Stream::On, sum)?;
        for start in (0..n).step_by(PIECE) {
            let at = start..(start + PIECE).min(n);
            let theirs = &mut theirs[..at.len()];
            self.party.recv(peer, Stream::On, theirs)?;
            add_assign(&mut sum[at.clone()], theirs);
            if let Some(c) = c {
                add_assign(&mut sum[at.clone()], &c[at]);
            }
        }
        Ok(())
    }

    /// Gives the pair's `f + z0 + w` to the transcript, or to the role behind, and returns `w` (four parties only).
    fn give_result<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        sum: &[W],
    ) -> Result<Buffer<W>, SharingError> {
        let mut w = Buffer::zeros(sum.len());
        self.draw(draws, Mask::Upper, &mut w);
        let mut result = w.clone();
        add_assign(&mut result, sum);
        let sink = match self.seats.result_is_sent() && self.seat == Seat::Second {
            true => Sink::Send(self.role(Seat::Behind), Stream::Def),
            false => Sink::Log(self.seats.result()),
        };
        self.emit(sink, &result, W::BITS)?;
        Ok(w)
    }

    /// The part of those of four parties that know the masks `z0`. The role ahead's sum, over the
    /// masks of raised values, less a fresh `w`, corrects that of the role behind: of the result
    /// `f + z0 + w` and the correction the role behind gets one, and checks the other.
    fn check_gadget<W: Word>(
        &mut self,
        draws: &mut Draws<'_>,
        mut sum: Buffer<W>,
        z0: &[W],
    ) -> Result<Buffer<W>, SharingError> {
        let sent = self.seats.result_is_sent();
        let mut other = Buffer::zeros(sum.len());
        if self.seat == Seat::Ahead {
            self.draw(draws, Mask::Upper, &mut other);
            sub_assign(&mut sum, &other);
            let sink = match sent {
                true => Sink::Log(CORRECTION),
                false => Sink::Send(self.role(Seat::Behind), self.seats.deals()),
            };
            self.emit(sink, &sum, W::BITS)?;
            return Ok(other);
        }
        add_assign(&mut sum, z0);
        let (source, check) = match sent {
            true => {
                let second = self.role(Seat::Second);
                (Source::logged(second, Stream::Def, self.seats.result()), CORRECTION)
            }
            false => (Source::new(self.role(Seat::Ahead), self.seats.deals()), self.seats.result()),
        };
        self.receive(source, &mut other, W::BITS)?;
        sub_assign(&mut sum, &other);
        self.party.log(check, &sum);
        Ok(if sent { other } else { sum })
    }

    /// Sends words, or their low bits as planes, or puts them into a transcript.
    fn emit<W: Word>(&mut self, sink: Sink, words: &[W], bits: u32) -> Result<(), SharingError> {
        if bits < W::BITS {
            let planes = to_planes(words, bits as usize);
            return self.emit(sink, &planes[..], Z2::BITS);
        }
        match sink {
            Sink::Send(to, stream) => self.party.send(to, stream, words),
            Sink::Log(item) => {
                self.party.log(item, words);
                Ok(())
            }
        }
    }

    /// Receives words, or their low bits.
    fn receive<W: Word>(
        &mut self,
        source: Source,
        words: &mut [W],
        bits: u32,
    ) -> Result<(), SharingError> {
        if bits < W::BITS {
            let mut planes = Buffer::<Z2>::zeros(bits as usize * words.len().div_ceil(64));
            self.receive(source, &mut planes[..], Z2::BITS)?;
            if !words.is_empty() {
                transpose::unpack(word::lanes(&planes), bits as usize, words);
            }
            return Ok(());
        }
        self.party.recv(source.from, source.stream, words)?;
        if let Some(item) = source.log {
            self.party.log(item, words);
        }
        Ok(())
    }
}

/// A lower value, as seats compute with it.
pub struct Split<W> {
    seat: Seat,
    /// The first's half, which a dealer has too; zeros at the role ahead.
    pub(super) first: Buffer<W>,
    /// The second's half, which a dealer has too; all of it at the roles ahead and behind.
    pub(super) second: Buffer<W>,
    /// The first's half at the roles ahead and behind, where shares have three components.
    pub(super) x1: Buffer<W>,
}

impl<W: Word> Split<W> {
    /// What this seat multiplies upper values by.
    #[must_use]
    pub fn part(&self) -> &[W] {
        if self.seat == Seat::First { &self.first } else { &self.second }
    }

    /// What this seat multiplies public factors by: a public value needs no mask, so the role ahead
    /// has nothing to correct.
    #[must_use]
    pub fn plain(&self) -> &[W] {
        if self.seat == Seat::Ahead { &self.first } else { self.part() }
    }
}

fn add_assign<W: Word>(to: &mut [W], from: &[W]) {
    simd::vectorize(
        #[inline(always)]
        || {
            for (to, from) in to.iter_mut().zip(from) {
                *to = to.add(*from);
            }
        },
    );
}

fn sub_assign<W: Word>(to: &mut [W], from: &[W]) {
    simd::vectorize(
        #[inline(always)]
        || {
            for (to, from) in to.iter_mut().zip(from) {
                *to = to.sub(*from);
            }
        },
    );
}

pub(super) fn check(fits: bool, what: &str) -> Result<(), SharingError> {
    if fits { Ok(()) } else { Err(SharingError::Shape(format!("sizes do not fit: {what}"))) }
}
