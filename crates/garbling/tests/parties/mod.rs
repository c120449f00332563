//! Parties of any protocol that garbles.

use super::common::places;
use std::time::Duration;
use tacit_circuit::{Builder, Circuit, Wire};
use tacit_garbling::{
    AnyReady, AnyWorker, Bits, Evaluated, Garbler, Parties, Ports, Terms, garbler,
};
use tacit_net::memory::MemoryNetwork;
use tacit_net::{LinkProfile, Mesh, Meter, PartyId, Phase, Session, Stream};
use tacit_ring::Entropy;
use tacit_ring::entropy::Rng;
use tacit_sharing::{Protocol, RoleId, SharingError};

/// How a protocol garbles.
pub fn garbler_of(protocol: Protocol) -> &'static dyn Garbler {
    garbler(protocol).unwrap()
}

/// A party of any protocol that garbles.
pub fn party(
    session: &mut Session,
    (protocol, terms): (Protocol, Terms),
    seed: u64,
) -> Result<Box<dyn AnyWorker<'_> + '_>, SharingError> {
    let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
    let (mesh, places) = (&mut session.meshes[0], places(terms.parties));
    let parties = Parties { terms, places: &places, session: b"session" };
    let seats = garbler_of(protocol).exchange(mesh, parties, &mut entropy)?;
    seats.into_iter().next().unwrap()(mesh, parties)
}

/// What is left of prepared circuits in a store.
pub fn stored(protocol: Protocol, ready: Box<dyn AnyReady>) -> Box<dyn AnyReady> {
    garbler_of(protocol).ready(ready.into_bytes().unwrap()).unwrap()
}

/// What this party learns.
pub fn run(
    ready: Box<dyn AnyReady>,
    mesh: &mut Mesh,
    places: &[PartyId],
    (ports, values): (Ports<'_>, &[Bits]),
) -> Result<Vec<Bits>, SharingError> {
    match ready.run(mesh, places, ports, values)? {
        Evaluated::Learned(learned) => Ok(learned),
        Evaluated::Unopened(_) => unreachable!("nothing is checked before outputs open"),
    }
}

/// A network on which virtual time counts rounds, in seconds.
pub fn network() -> MemoryNetwork {
    MemoryNetwork::uniform(LinkProfile { delay: Duration::from_secs(1), bits_per_second: None })
}

/// Bytes that a party has sent a peer after set-up, of the streams `Pre`, `Def` and `On`.
pub fn sent(meter: &Meter, to: usize) -> [u64; 3] {
    [Stream::Pre, Stream::Def, Stream::On].map(|stream| {
        let bytes = |phase| meter.count(PartyId(to as u8), stream, phase).bytes_sent;
        [Phase::Offline, Phase::Online].map(bytes).iter().sum()
    })
}

/// Gates of all kinds, also with both inputs equal, on inputs of `parties` parties, and outputs that are inputs,
/// or sums or a product of them: without any AND nothing is multiplied, in fewer rounds.
pub fn random_circuit(rng: &mut Rng, parties: usize, gates: usize) -> Circuit {
    let mut b = Builder::new();
    let mut wires: Vec<Wire> = (0..parties).flat_map(|_| b.input(3)).collect();
    for _ in 0..gates {
        let [x, y] = [(); 2].map(|()| wires[rng.below(wires.len())]);
        wires.push(match rng.below(4) {
            0 => b.xor(x, y),
            1 => b.not(x),
            _ => b.and2(x, y),
        });
    }
    let constant = b.constant(true);
    let sum = b.xor(wires[0], wires[3 * parties - 1]);
    let product = b.and2(wires[0], wires[3 * parties - 1]);
    b.output(&wires[wires.len() - 8..]);
    b.output(&[constant, sum, product, wires[1]]);
    b.finish()
}

/// Bits in words.
pub fn bits(list: Vec<bool>) -> Bits {
    let mut bits = Bits::zeros(list.len());
    list.iter().enumerate().for_each(|(i, bit)| bits.flip_if(i, *bit));
    bits
}

/// Some instances of a circuit on random inputs: who gives them, who learns results, and what comes out.
pub struct Trial {
    pub inputs: Vec<(RoleId, usize)>,
    pub outputs: Vec<Vec<RoleId>>,
    given: Vec<Vec<Vec<bool>>>,
    want: Vec<Vec<Vec<bool>>>,
}

impl Trial {
    /// By who gives each input port, and who learns each output port.
    pub fn new(
        circuit: &Circuit,
        (owners, outputs): (Vec<RoleId>, Vec<Vec<RoleId>>),
        instances: usize,
        rng: &mut Rng,
    ) -> Self {
        let widths = circuit.input_widths().iter().map(|width| *width as usize);
        let inputs: Vec<(RoleId, usize)> = owners.into_iter().zip(widths).collect();
        let given: Vec<Vec<Vec<bool>>> = (0..instances)
            .map(|_| {
                inputs.iter().map(|(_, w)| (0..*w).map(|_| rng.word() & 1 == 1).collect()).collect()
            })
            .collect();
        let want = given.iter().map(|given| circuit.eval(given)).collect();
        Trial { inputs, outputs, given, want }
    }

    /// What a party gives, by instance.
    pub fn values(&self, me: RoleId) -> Vec<Bits> {
        let mine = |given: &Vec<Vec<bool>>| {
            let ports = given.iter().zip(&self.inputs).filter(|(_, (owner, _))| *owner == me);
            bits(ports.flat_map(|(bits, _)| bits.iter().copied()).collect())
        };
        self.given.iter().map(mine).collect()
    }

    /// Checks what a party learned.
    pub fn check(&self, me: RoleId, learned: &[Bits], label: &str) {
        assert_eq!(learned.len(), self.want.len(), "{label}");
        for (learned, want) in learned.iter().zip(&self.want) {
            let ports = want.iter().zip(&self.outputs).filter(|(_, to)| to.contains(&me));
            let want = bits(ports.flat_map(|(bits, _)| bits.iter().copied()).collect());
            assert_eq!((learned.len, &learned.words), (want.len, &want.words), "{me}, {label}");
        }
    }
}
