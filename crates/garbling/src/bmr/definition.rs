//! Garbled tables beside what they are defined to be, entry by entry, which takes the secrets of all parties; and
//! what rows give to who has other labels.

use super::blocks::{self, BmrBlocks};
use super::chain::{Blocks, Worker};
use super::common::{Common, Garbled, Ready};
use super::over_ot::BmrOt;
use super::party::Bmr;
use super::replicated::{BmrReplicated, ReplicatedKeys};
use super::shamir::{BmrShamir, ShamirKeys};
use crate::Ports;
use crate::bmr::{Opening, Products, Rounds};
use tacit_circuit::Builder;
use tacit_circuit::schedule::{Linear, Product, Schedule, Slot};
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{PartyId, Session};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;

/// Instances of the circuit.
const INSTANCES: usize = 2;

/// What all parties together know of a wire.
#[derive(Clone, Default)]
struct Wire {
    /// Zero labels, by keeper.
    labels: Vec<u128>,
    mask: bool,
    /// Whether the value is the mask plus the public value plus one.
    flag: bool,
}

impl Wire {
    /// One plus the mask plus the value that goes with a public value.
    fn at(&self, public: bool) -> bool {
        self.mask ^ self.flag ^ public
    }
}

/// An AND with all its secrets.
struct Gate<'t> {
    number: u64,
    inputs: [Wire; 2],
    output: Wire,
    table: &'t [u128],
}

/// What all parties together know of an instance.
struct Gathered<'t> {
    /// By keeper.
    commons: &'t [Common],
    gates: Vec<Gate<'t>>,
    wires: Vec<Wire>,
}

/// Both public values of a row.
fn row(number: usize) -> [bool; 2] {
    [number >> 1 == 1, number & 1 == 1]
}

impl<'t> Gathered<'t> {
    /// From all parties' secrets for inputs, and the opened table: what the first row of an AND hides are its
    /// output's labels and mask.
    fn new(
        commons: &'t [Common],
        ports: Ports<'_>,
        parties: &[&Garbled],
        table: &'t Garbled,
    ) -> Self {
        let schedule = ports.schedule;
        let mut it =
            Gathered { commons, gates: vec![], wires: vec![Wire::default(); schedule.slots()] };
        for (i, (input, owner)) in schedule.inputs().iter().zip(ports.owners()).enumerate() {
            let labels = parties.iter().take(commons.len()).map(|party| party.labels[i]).collect();
            let mask = parties[owner].lambdas[i] == 1;
            it.wires[input.slot as usize] = Wire { labels, mask, flag: false };
        }
        let mut tables = table.table.chunks_exact(4 * commons.len()).zip(table.first_gate..);
        for level in 0..=schedule.depth() {
            schedule.linear(level).iter().for_each(|gate| it.linear(gate));
            if level == schedule.depth() {
                break;
            }
            for Product { dst, a, b } in schedule.products(level) {
                let (table, number) = tables.next().unwrap();
                let inputs = [a, b].map(|slot: &Slot| it.wires[*slot as usize].clone());
                let mut gate = Gate { number, inputs, output: Wire::default(), table };
                gate.output = it.first_row(&gate);
                it.wires[*dst as usize] = gate.output.clone();
                it.gates.push(gate);
            }
        }
        it
    }

    fn linear(&mut self, gate: &Linear) {
        let of = |slot: Slot| self.wires[slot as usize].clone();
        let (dst, wire) = match *gate {
            Linear::Xor { dst, a, b } => {
                let (a, b) = (of(a), of(b));
                let labels = a.labels.iter().zip(&b.labels).map(|(a, b)| a ^ b).collect();
                (dst, Wire { labels, mask: a.mask ^ b.mask, flag: a.flag ^ b.flag })
            }
            Linear::Not { dst, a } => (dst, Wire { flag: !of(a).flag, ..of(a) }),
            Linear::Const { dst, value } => {
                let labels = vec![0; self.commons.len()];
                (dst, Wire { labels, mask: false, flag: value })
            }
        };
        self.wires[dst as usize] = wire;
    }

    /// The label of a keeper for a public value.
    fn label(&self, wire: &Wire, keeper: usize, public: bool) -> u128 {
        wire.labels[keeper] ^ if public { *self.commons[keeper].offset } else { 0 }
    }

    /// What a row of a gate hides, column after column, if keeper `i` has its labels for the public values `at(i)`.
    fn opened(&self, gate: &Gate<'_>, number: usize, at: impl Fn(usize) -> [bool; 2]) -> Vec<u128> {
        let columns = self.commons.len();
        let mut entries = gate.table[number * columns..][..columns].to_vec();
        for (i, common) in self.commons.iter().enumerate() {
            let [a, b] = at(i);
            let [u, v] = &gate.inputs;
            let pair = [self.label(u, i, a), self.label(v, i, b)];
            let mut hidden = vec![0; columns];
            common.prf.hide_pair(gate.number, pair, &mut hidden);
            entries.iter_mut().zip(hidden).for_each(|(entry, hidden)| *entry ^= hidden);
        }
        entries
    }

    /// Labels and mask of an output, from the first row.
    fn first_row(&self, gate: &Gate<'_>) -> Wire {
        let labels = self.opened(gate, 0, |_| row(0));
        let public = labels[0] & 1 == 1;
        let [u, v] = &gate.inputs;
        let mask = (u.at(false) & v.at(false)) ^ public;
        let change =
            |(label, common): (&u128, &Common)| label ^ if public { *common.offset } else { 0 };
        let labels = labels.iter().zip(self.commons).map(change).collect();
        Wire { labels, mask, flag: false }
    }

    /// Whether every entry is what it is defined to be: the sum of all keepers' functions under the row's labels,
    /// of the column's label, and of the offset where the row's value is not the output's mask.
    fn is_as_defined(&self) -> bool {
        let right = |gate: &Gate<'_>, number: usize| {
            let [a, b] = row(number);
            let [u, v] = &gate.inputs;
            let public = (u.at(a) & v.at(b)) ^ gate.output.mask;
            let label = |j: usize| self.label(&gate.output, j, public);
            let want: Vec<u128> = (0..self.commons.len()).map(label).collect();
            self.opened(gate, number, |_| [a, b]) == want
        };
        let even = |gate: &Gate<'_>| gate.output.labels.iter().all(|label| label & 1 == 0);
        self.gates.iter().all(|gate| even(gate) && (0..4).all(|number| right(gate, number)))
    }

    /// How many entries give a label to who lacks one keeper's labels for their row, and has those for another.
    fn given_away(&self) -> usize {
        let mut given = 0;
        for gate in &self.gates {
            let rows = (0..4).flat_map(|number| (0..4).map(move |active| (number, active)));
            for (number, active) in rows.filter(|(number, active)| number != active) {
                // But for one keeper's, labels are the row's; or all are those of the active row.
                let lacking = (0..self.commons.len()).map(|honest| {
                    self.opened(gate, number, |i| row(if i == honest { active } else { number }))
                });
                let nothing = std::iter::once(self.opened(gate, number, |_| row(active)));
                for entries in lacking.chain(nothing) {
                    let is_label = |(j, entry): &(usize, u128)| {
                        [false, true].map(|it| self.label(&gate.output, *j, it)).contains(entry)
                    };
                    given += entries.into_iter().enumerate().filter(is_label).count();
                }
            }
        }
        given
    }
}

/// Every kind of gate, of negated and constant wires too; every AND's output goes on into another, or is an output.
fn schedule() -> Schedule {
    let mut b = Builder::new();
    let (x, y) = (b.input(2), b.input(2));
    let not = b.not(x[0]);
    let and = b.and2(not, y[0]);
    let sum = b.xor(and, y[1]);
    let not_sum = b.not(sum);
    let again = b.and2(not_sum, x[1]);
    let square = b.and2(and, and);
    let deep = b.and2(again, square);
    let last = b.and2(deep, sum);
    b.output(&[and, sum, not_sum, again, x[0]]);
    b.output(&[deep, last]);
    Schedule::new(&b.finish())
}

type Prepared = (&'static str, Ready);

fn prepare<W: Worker>(
    party: Result<W, SharingError>,
    (name, ports): (&'static str, Ports<'_>),
) -> Prepared {
    let nothing = vec![Blocks::default(); INSTANCES];
    (name, party.unwrap().garble_on(ports, &nothing).unwrap().0)
}

/// Circuits garbled by this party over oblivious transfer, in all ways.
fn over_transfer(
    session: &mut Session,
    places: &[PartyId],
    (opening, entropy): (Opening, &mut Entropy),
    ports: Ports<'_>,
) -> Vec<Prepared> {
    let mesh = &mut session.meshes[0];
    let keys = Correlations::exchange(mesh, b"ot", places, Delta::Common, entropy);
    let mut keys = keys.unwrap();
    let wires = Bmr::new(mesh, places, keys.worker(), b"wires", opening);
    let mut all = vec![prepare(wires, ("wires", ports))];
    for products in Products::ALL {
        let party = BmrOt::new(mesh, places, keys.worker(), b"rows", products, opening);
        all.push(prepare(party, (products.name(), ports)));
    }
    all
}

/// Circuits garbled by this party over shares, in all ways in which fewer than half, or a third, may be curious.
fn over_shares(
    session: &mut Session,
    places: &[PartyId],
    (opening, entropy): (Opening, &mut Entropy),
    ports: Ports<'_>,
) -> Vec<Prepared> {
    let mesh = &mut session.meshes[0];
    let mut all = Vec::new();
    let keys = ShamirKeys::exchange(mesh, b"bytes", places, entropy).unwrap().worker();
    let party = BmrShamir::new(mesh, places, keys, b"bytes", opening);
    all.push(prepare(party, ("bytes", ports)));
    for rounds in Rounds::ALL.into_iter().filter(|it| places.len() >= it.least().into()) {
        let keys = blocks::exchange(mesh, b"blocks", places, rounds, entropy).unwrap().worker();
        let party = BmrBlocks::new(mesh, places, keys, b"blocks", (rounds, opening));
        all.push(prepare(party, (rounds.name(), ports)));
    }
    if places.len() == 3 {
        let keys = ReplicatedKeys::exchange(mesh, b"replicated", places, entropy).unwrap().worker();
        let party = BmrReplicated::new(mesh, places, keys, b"replicated", opening);
        all.push(prepare(party, ("replicated", ports)));
    }
    all
}

/// Garbles between so many parties in all ways, and shows each instance with what all parties know of it.
fn gather(
    parties: usize,
    with_transfer: bool,
    opening: Opening,
    mut show: impl FnMut(&str, Gathered<'_>),
) {
    let schedule = schedule();
    let (inputs, last) = ([(0, 2), (parties - 1, 2)], parties - 1);
    let outputs = [(0..parties).collect(), vec![last]];
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let all = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let entropy = &mut Entropy::insecure_seeded(seed, session.me().0);
        let places: Vec<PartyId> = PartyId::all(parties).collect();
        let mut all = Vec::new();
        if with_transfer {
            all.extend(over_transfer(&mut session, &places, (opening, entropy), ports));
        }
        if parties > 2 {
            all.extend(over_shares(&mut session, &places, (opening, entropy), ports));
        }
        session.finish().unwrap();
        all
    });
    for (kind, (name, first)) in all[0].iter().enumerate() {
        let ready: Vec<&Ready> = all.iter().map(|party| &party[kind].1).collect();
        let commons: Vec<Common> =
            (0..first.columns).map(|role| ready[role].common(parties, role)).collect();
        for instance in 0..INSTANCES {
            let garbled: Vec<&Garbled> = ready.iter().map(|it| &it.circuits[instance]).collect();
            let gathered = Gathered::new(&commons, ports, &garbled, garbled[0]);
            for (role, garbled) in garbled.iter().enumerate() {
                let table: &[u128] =
                    if opening.evaluates(role) { &first.circuits[instance].table } else { &[] };
                assert!(*garbled.table == *table, "{name}: all have the same table");
                for (i, slot) in ports.slots_learned_by(role).enumerate() {
                    let mask = gathered.wires[slot as usize].mask;
                    assert_eq!(garbled.masks.get(i), mask, "{name}: mask {i} of role {role}");
                }
            }
            show(name, gathered);
        }
    }
}

#[test]
fn tables_are_as_defined_and_give_nothing_else() {
    for (parties, with_transfer) in [(2, true), (3, true), (4, true), (5, false)] {
        let opening = Opening::ALL[parties % Opening::ALL.len()];
        gather(parties, with_transfer, opening, |name, gathered| {
            assert!(gathered.is_as_defined(), "{name}, {parties} parties");
            assert_eq!(gathered.given_away(), 0, "{name}, {parties} parties");
        });
    }
}

#[test]
fn a_changed_entry_is_seen() {
    gather(3, false, Opening::All, |name, gathered| {
        let Gathered { commons, ref gates, .. } = gathered;
        for (at, gate) in gates.iter().enumerate() {
            for entry in 0..gate.table.len() {
                let mut table = gate.table.to_vec();
                table[entry] ^= 2;
                let inputs = gate.inputs.clone();
                let mut changed = Gate { inputs, output: Wire::default(), table: &table, ..*gate };
                changed.output = gathered.first_row(&changed);
                let alone = Gathered { commons, gates: vec![changed], wires: vec![] };
                assert!(!alone.is_as_defined(), "{name}: gate {at}, entry {entry}");
            }
        }
    });
}
