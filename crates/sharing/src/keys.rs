//! The keys of a role, and what it draws under them.

use crate::role::{Role, SLOTS, TAIL};
use tacit_ring::{Prg, PrgStream, StreamIds, StreamsExhausted, Word};

/// The generators of a role, one under each key that it holds, and with them the only source of
/// their stream numbers. With three parties the first key is that with role `ROLE + 1`, the second
/// that with `ROLE + 2` (modulo 3); with four they are those of the other three roles but one, in
/// the order of the role that lacks them. Not `Clone`: whoever holds it is alone in drawing under these keys, and
/// no stream is drawn twice however often [`Keys::streams`] is called. Two sources at a time do not
/// compile:
///
/// ```compile_fail,E0499
/// # use tacit_sharing::keys::Keys;
/// fn twice(keys: &mut Keys) {
///     let (mut one, mut other) = (keys.streams(), keys.streams());
///     let _ = (one.draws(), other.draws());
/// }
/// ```
pub struct Keys {
    generators: Vec<Generator>,
    /// The first key gives a second stream per step.
    tail: bool,
    /// Keys for proofs, where the protocol has any, until a party takes them.
    proofs: Option<Box<ProofKeys>>,
}

/// Keys for the proofs of one worker of a party: those of its role, and one that no other role has.
pub struct ProofKeys {
    /// The name of the protocol, with its statistical parameter and batches, which says how products are proven.
    pub protocol: String,
    /// The keys; the last one is [`PRIVATE`].
    pub keys: Keys,
    /// Which worker, from 0.
    pub worker: usize,
}

struct Generator {
    prg: Prg,
    ids: StreamIds,
}

impl Keys {
    /// Keys must be fresh: [`Secrets`](crate::setup::Secrets) gives each out once.
    pub(crate) fn new(generators: impl IntoIterator<Item = Prg>, tail: bool) -> Self {
        let generator = |prg| Generator { prg, ids: StreamIds::new() };
        Keys { generators: generators.into_iter().map(generator).collect(), tail, proofs: None }
    }

    /// With keys for the proofs of one worker of a party.
    pub(crate) fn with_proofs(self, proofs: Option<ProofKeys>) -> Self {
        Keys { proofs: proofs.map(Box::new), ..self }
    }

    /// What a party needs to prove products, under protocols that do. These keys give it once.
    pub fn proofs(&mut self) -> Option<ProofKeys> {
        self.proofs.take().map(|keys| *keys)
    }

    /// Generators that give these bytes, in the order of the keys, for tests of what a party sees:
    /// **not random**. None gives a second stream.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn insecure_scripted(scripts: impl IntoIterator<Item = Vec<u8>>) -> Self {
        Keys::new(scripts.into_iter().map(Prg::insecure_scripted), false)
    }

    /// By key, how many streams are left: the same at all holders of a key, at all times.
    #[cfg(feature = "testing")]
    #[must_use]
    pub fn streams_left(&self) -> Vec<u64> {
        self.generators.iter().map(|generator| generator.ids.remaining()).collect()
    }

    /// The streams that are not used yet.
    pub fn streams(&mut self) -> Streams<'_> {
        let generators = self.generators.iter_mut().map(Generator::streams).collect();
        Streams { generators, tail: self.tail }
    }
}

impl Generator {
    fn streams(&mut self) -> GeneratorStreams<'_> {
        GeneratorStreams { prg: &self.prg, ids: &mut self.ids }
    }
}

/// The unused streams under [`Keys`]. All holders of a key take the same steps in the same order.
pub struct Streams<'k> {
    generators: Vec<GeneratorStreams<'k>>,
    tail: bool,
}

struct GeneratorStreams<'k> {
    prg: &'k Prg,
    ids: &'k mut StreamIds,
}

impl<'k> Streams<'k> {
    /// The next step: the draws of lane blocks `0..n`, in order.
    ///
    /// # Errors
    /// When a key's streams are used up, or a step has not that many blocks.
    pub fn step(&mut self, n: u32) -> Result<Vec<Draws<'k>>, StreamsExhausted> {
        let mut blocks: Vec<Draws<'k>> = (0..n).map(|_| Draws::default()).collect();
        for (slot, generator) in self.generators.iter_mut().enumerate() {
            let slots = [slot, TAIL];
            for slot in &slots[..1 + usize::from(slot == 0 && self.tail)] {
                for (block, stream) in blocks.iter_mut().zip(generator.step(n)?) {
                    block.streams[*slot] = Some(stream);
                }
            }
        }
        Ok(blocks)
    }

    /// The next step, of one lane block.
    ///
    /// # Errors
    /// When a key's streams are used up.
    pub fn draws(&mut self) -> Result<Draws<'k>, StreamsExhausted> {
        let mut draws = Draws::default();
        for (slot, generator) in self.generators.iter_mut().enumerate() {
            draws.streams[slot] = Some(generator.single()?);
            if slot == 0 && self.tail {
                draws.streams[TAIL] = Some(generator.single()?);
            }
        }
        Ok(draws)
    }
}

impl<'k> GeneratorStreams<'k> {
    fn step(
        &mut self,
        n: u32,
    ) -> Result<impl Iterator<Item = PrgStream<'k>> + use<'k>, StreamsExhausted> {
        let prg = self.prg;
        Ok(self.ids.step()?.blocks(n)?.map(|id| prg.stream(id)))
    }

    fn single(&mut self) -> Result<PrgStream<'k>, StreamsExhausted> {
        Ok(self.prg.stream(self.ids.step()?.single()))
    }
}

/// The draws of one lane block: a cursor in each slot that only moves forward.
#[derive(Default)]
pub struct Draws<'k> {
    streams: [Option<PrgStream<'k>>; SLOTS],
    /// There is a pass ahead with the same randomness, or this is it.
    shared: bool,
}

impl<'k> Draws<'k> {
    /// The draws from here on, for the pass of a role that works ahead ([`Role::Ahead`]); `None` for
    /// roles of one pass. It is the same randomness, used for the same step once: what the role
    /// itself then computes from it is what one pass would have computed.
    ///
    /// # Panics
    /// When there was such a pass before: a third use of the same randomness.
    #[must_use]
    pub fn ahead<P: Role>(&mut self) -> Option<Draws<'k>> {
        if !P::TWO_PASSES {
            return None;
        }
        assert!(!self.shared, "randomness for two passes is wanted for a third one");
        self.shared = true;
        let again = |stream: &Option<PrgStream<'k>>| Some(stream.as_ref()?.for_second_pass());
        Some(Draws { streams: self.streams.each_ref().map(again), shared: true })
    }

    /// The cursor of a slot.
    ///
    /// # Panics
    /// When the role holds no such key: roles draw under their own keys only.
    #[must_use]
    pub fn slot(&mut self, slot: usize) -> &mut PrgStream<'k> {
        self.streams[slot].as_mut().expect("a role draws under the keys that it holds")
    }

    /// The cursor under the key that this role has in common with role `ROLE + 1`, among three parties.
    #[must_use]
    pub fn with_next(&mut self) -> &mut PrgStream<'k> {
        self.slot(0)
    }

    /// The cursor under the key that this role has in common with role `ROLE + 2`, among three parties.
    #[must_use]
    pub fn with_prev(&mut self) -> &mut PrgStream<'k> {
        self.slot(1)
    }

    /// Fills `out` with the next words of a slot.
    ///
    /// # Panics
    /// When the role holds no such key.
    pub fn fill<W: Word>(&mut self, slot: usize, out: &mut [W]) {
        self.slot(slot).fill(out);
    }
}

/// The slot of the key that no other role has, in keys for proofs.
pub const PRIVATE: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ring::Key;

    fn drawn(mut draws: Draws<'_>) -> [u64; 4] {
        let mut words = [0; 4];
        draws.with_next().fill(&mut words[..2]);
        draws.with_prev().fill(&mut words[2..]);
        words
    }

    #[test]
    fn both_passes_draw_the_same_words_and_only_roles_of_two_passes_may() {
        use crate::quad::{A, B, Quad};
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut draws = keys.streams().draws().unwrap();
        assert!(draws.ahead::<Quad<B, 0>>().is_none() && draws.ahead::<Quad<A, 1>>().is_none());
        let ahead = draws.ahead::<Quad<A, 0>>().unwrap();
        assert_eq!(drawn(ahead), drawn(draws));
    }

    #[test]
    #[should_panic(expected = "a third one")]
    fn there_is_no_third_pass() {
        use crate::quad::{A, Quad};
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut draws = keys.streams().draws().unwrap();
        let mut ahead = draws.ahead::<Quad<A, 0>>().unwrap();
        drop(ahead.ahead::<Quad<A, 0>>());
    }

    #[test]
    fn streams_taken_again_go_on_where_they_were() {
        let prg = |byte| Prg::new(&Key::from_bytes([byte; Key::LEN]));
        let mut keys = Keys::new([prg(1), prg(2)], false);
        let mut seen: Vec<u64> = Vec::new();
        for _ in 0..3 {
            let mut streams = keys.streams();
            seen.extend(drawn(streams.draws().unwrap()));
            seen.extend(streams.step(3).unwrap().into_iter().flat_map(drawn));
        }
        let all = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!((seen.len(), all), (48, 48), "a word came twice");
    }
}
