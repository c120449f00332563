//! Public values of inputs: their owners add masks to them, and tell others.

use crate::links::Links;
use crate::ports::Ports;
use crate::{Bits, bmr::EVALUATOR};
use tacit_net::Stream;
use tacit_sharing::{RoleId, SharingError};

/// Who hears the public values of inputs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Hearers {
    /// All parties.
    All,
    /// All but role 0, which sees them in labels.
    Garblers,
}

impl Hearers {
    fn has(self, role: RoleId) -> bool {
        self == Hearers::All || role != EVALUATOR
    }
}

/// Tells public values of this party's inputs, and hears those of the others'. Gives by instance those of all inputs that this
/// party has heard, or given itself. `values` are this party's bits, and `lambda(instance, input)` is its mask of an
/// input, by its number among all inputs.
pub(crate) fn exchange(
    links: &mut Links<'_>,
    ports: Ports<'_>,
    values: &[Bits],
    lambda: impl Fn(usize, usize) -> bool,
    hearers: Hearers,
) -> Result<Vec<Bits>, SharingError> {
    let (me, owners) = (links.me, ports.owners().collect::<Vec<_>>());
    let of = |role: RoleId| {
        let given = owners.iter().enumerate().filter(move |(_, owner)| **owner == role);
        given.map(|(input, _)| input)
    };
    let inputs = ports.schedule.inputs().len();
    let mut public: Vec<Bits> = values.iter().map(|_| Bits::zeros(inputs)).collect();
    for (instance, (public, values)) in public.iter_mut().zip(values).enumerate() {
        let mut sent = Bits::zeros(ports.given_by(me));
        for (i, input) in of(me).enumerate() {
            let bit = values.get(i) ^ lambda(instance, input);
            sent.flip_if(i, bit);
            public.flip_if(input, bit);
        }
        for peer in links.peers().filter(|peer| hearers.has(*peer)) {
            links.send(peer, Stream::On, &sent.words)?;
        }
    }
    for public in public.iter_mut().filter(|_| hearers.has(me)) {
        for peer in links.peers() {
            let words = links.recv::<u64>(peer, Stream::On, ports.given_by(peer).div_ceil(64))?;
            for (i, input) in of(peer).enumerate() {
                public.flip_if(input, words[i / 64] >> (i % 64) & 1 == 1);
            }
        }
    }
    Ok(public)
}
