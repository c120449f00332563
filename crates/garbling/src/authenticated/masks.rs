//! Masks of wires: which sharing masks which wire, and products of masks for every AND.
//!
//! Between three and more parties masks of inputs are shared by all, and opened to who gives the input. If that party
//! alone knew them, its share of the mask of an output that is linear in inputs would be a function of its own inputs:
//! of `x + y`, revealed to a third party, both summands could be told. (Of two parties only one opens
//! anything to the other, and its share is as good as the value.)

use super::bits::AuthBits;
use super::channel::{CheckedChannel, Opening};
use super::check::excused;
use super::kept::Kept;
use super::packed::Triples;
use super::rows::{Layout, Rows, add_masked, mask};
use crate::ports::KEPT;
use crate::{Bits, Ports};
use serde::{Deserialize, Serialize};
use tacit_circuit::schedule::{Product, Slot};
use tacit_ring::{Buffer, word};
use tacit_sharing::{RoleId, SharingError};

/// Masks of a circuit's wires, for some instances.
#[derive(Serialize, Deserialize)]
pub(super) struct Masks {
    /// By gate, instance after instance: closed sharings of the masks of both inputs, and of the mask of
    /// the output plus their product.
    pub first: Rows,
    pub second: Rows,
    pub third: Rows,
    /// This party's masks of its own inputs, instance after instance.
    pub inputs: Bits,
    /// Open sharings of the masks of outputs, by role that learns them, instance after instance.
    pub outputs: Vec<Rows>,
}

impl Masks {
    /// The sharings of all gates.
    pub fn gates(&self) -> [&Rows; 3] {
        [&self.first, &self.second, &self.third]
    }
}

/// The different slots that each role learns.
pub(super) fn learned_slots(ports: Ports<'_>, parties: usize) -> Vec<Vec<Slot>> {
    (0..parties).map(|role| sorted(ports.slots_learned_by(role))).collect()
}

/// The different slots that each role learns from the ports that open first, or from the others.
pub(super) fn opened_slots(ports: Ports<'_>, parties: usize, first: bool) -> Vec<Vec<Slot>> {
    let opened = |role: RoleId| sorted(ports.slots_opened_to(role, first));
    (0..parties).map(opened).collect()
}

fn sorted(slots: impl Iterator<Item = Slot>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = slots.collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

/// Whether all parties share masks of inputs.
pub(super) fn inputs_are_shared(parties: usize) -> bool {
    parties > 2 && !excused("shared masks of inputs")
}

/// Bits of each role for so many instances, beside those for triples: masks of ANDs, of which every role
/// has a share, and of inputs: of all, or its own.
pub(super) fn extra_bits(ports: Ports<'_>, parties: usize, instances: usize) -> Vec<usize> {
    let inputs = |role| match inputs_are_shared(parties) {
        true => ports.shown(),
        false => ports.given_by(role),
    };
    (0..parties).map(|role| instances * (ports.ands() + inputs(role))).collect()
}

/// Where the bits for masks are.
pub(super) struct Source<'a> {
    pub bits: &'a AuthBits,
    /// How many bits of triples come before the bits for masks.
    pub skipped: usize,
}

struct Walk<'a, 'p> {
    layout: Layout,
    ports: Ports<'p>,
    instances: usize,
    source: Source<'a>,
    /// What the circuit goes on from, and how many of its wires have been taken.
    from: &'a Kept,
    taken: usize,
    /// Open sharings of the masks of what nobody learns, instance after instance.
    kept: Rows,
    /// Bits of each role's inputs so far.
    given: Vec<usize>,
    /// Open sharings of the masks of each role's inputs, instance after instance, where all parties share them.
    shared: Vec<Rows>,
    /// By role, the place of the first of them among all.
    starts: Vec<usize>,
    masks: Masks,
    /// By gate: closed `a`, `b` and `c` of the triple, the output's mask added to `c`.
    triples: [Rows; 3],
    /// By gate: what is opened of both inputs, as open sharings.
    opened: [Rows; 2],
}

/// Draws masks, and multiplies those of every AND's inputs with triples; gives open sharings of the masks of what
/// nobody learns too.
pub(super) fn multiply(
    channel: &mut CheckedChannel<'_>,
    ports: Ports<'_>,
    instances: usize,
    (source, from): (Source<'_>, &Kept),
    triples: &mut Triples,
    delta: u128,
) -> Result<(Masks, Rows), SharingError> {
    let layout = Layout { parties: channel.links.parties(), me: channel.links.me };
    let gates = instances * ports.ands();
    let closed = || Rows::zeros(gates, layout.closed());
    let open = || Rows::zeros(gates, layout.width());
    let learned = learned_slots(ports, layout.parties);
    let kept: Vec<Slot> = ports.slots_kept().collect();
    let outputs = learned.iter().map(|slots| Rows::zeros(instances * slots.len(), layout.width()));
    let given =
        |role| if inputs_are_shared(layout.parties) { instances * ports.given_by(role) } else { 0 };
    let shared: Vec<Rows> =
        (0..layout.parties).map(|role| Rows::zeros(given(role), layout.width())).collect();
    let starts = shared.iter().scan(0, |next, rows| {
        let start = *next;
        *next += rows.len();
        Some(start)
    });
    let mut walk = Walk {
        layout,
        ports,
        instances,
        source,
        from,
        taken: 0,
        kept: Rows::zeros(instances * kept.len(), layout.width()),
        given: vec![0; layout.parties],
        starts: starts.collect(),
        shared,
        masks: Masks {
            first: closed(),
            second: closed(),
            third: closed(),
            inputs: Bits::zeros(instances * ports.given_by(layout.me)),
            outputs: outputs.collect(),
        },
        triples: [closed(), closed(), closed()],
        opened: [open(), open()],
    };
    for instance in 0..instances {
        walk.instance(instance, triples, &learned, &kept)?;
    }
    walk.open(channel, delta)?;
    Ok((walk.masks, walk.kept))
}

impl Walk<'_, '_> {
    fn instance(
        &mut self,
        instance: usize,
        triples: &mut Triples,
        learned: &[Vec<Slot>],
        kept: &[Slot],
    ) -> Result<(), SharingError> {
        let schedule = self.ports.schedule;
        let mut wires = Rows::zeros(schedule.slots(), self.layout.width());
        for (input, owner) in schedule.inputs().iter().zip(self.ports.owners()) {
            if owner == KEPT {
                wires.set(input.slot as usize, self.from.masks.get(self.taken));
                self.taken += 1;
                continue;
            }
            let given = self.given[owner];
            self.given[owner] += 1;
            let at = self.source.skipped + self.instances * self.ports.ands() + given;
            let row = wires.get_mut(input.slot as usize);
            if self.shared[owner].len() > 0 {
                row.fill(0);
                self.source.bits.add_to(at + self.starts[owner], row);
                self.shared[owner].set(given, row);
                continue;
            }
            self.source.bits.put_owned(owner, at, row);
            if owner == self.layout.me {
                self.masks.inputs.flip_if(given, row[0] == 1);
            }
        }
        let mut gate = instance * self.ports.ands();
        let mut output = vec![0; self.layout.width()];
        for level in 0..=schedule.depth() {
            wires.linear(schedule.linear(level));
            if level == schedule.depth() {
                break;
            }
            for Product { dst, a, b } in schedule.products(level) {
                let triple = triples.next();
                let triple = triple.ok_or_else(|| SharingError::Shape("too few triples".into()))?;
                output.fill(0);
                self.source.bits.add_to(self.source.skipped + gate, &mut output);
                self.gate(gate, [wires.get(*a as usize), wires.get(*b as usize)], triple, &output);
                wires.set(*dst as usize, &output);
                gate += 1;
            }
        }
        zeroize::Zeroize::zeroize(&mut output);
        for (rows, slots) in self.masks.outputs.iter_mut().zip(learned) {
            for (i, slot) in slots.iter().enumerate() {
                rows.set(instance * slots.len() + i, wires.get(*slot as usize));
            }
        }
        for (i, slot) in kept.iter().enumerate() {
            self.kept.set(instance * kept.len() + i, wires.get(*slot as usize));
        }
        Ok(())
    }

    fn gate(
        &mut self,
        gate: usize,
        inputs: [&[u128]; 2],
        [a, b, c]: [&[u128]; 3],
        output: &[u128],
    ) {
        let layout = self.layout;
        layout.close(inputs[0], self.masks.first.get_mut(gate));
        layout.close(inputs[1], self.masks.second.get_mut(gate));
        for (opened, (input, factor)) in self.opened.iter_mut().zip(inputs.iter().zip([a, b])) {
            opened.set(gate, input);
            add_masked(opened.get_mut(gate), factor, u128::MAX);
        }
        layout.close(a, self.triples[0].get_mut(gate));
        layout.close(b, self.triples[1].get_mut(gate));
        let third = self.triples[2].get_mut(gate);
        layout.close(output, third);
        layout.add_closed(c, third);
    }

    /// Opens this party's shares of the masks of inputs to who gives them.
    fn give_inputs(&self, channel: &mut CheckedChannel<'_>) -> Result<u64, SharingError> {
        let number = channel.agreed_number();
        for peer in channel.links.peers() {
            let rows = &self.shared[peer];
            if rows.len() > 0 {
                let macs = (0..rows.len()).map(|i| rows.get(i)[self.layout.mac(peer)]);
                channel.send_shares("input", number, peer, &shares(rows), macs)?;
            }
        }
        Ok(number)
    }

    /// The masks of this party's inputs, from the others' shares, if there are any.
    fn take_inputs(
        &self,
        channel: &mut CheckedChannel<'_>,
        number: u64,
        delta: u128,
    ) -> Result<Option<Bits>, SharingError> {
        let rows = &self.shared[self.layout.me];
        if rows.len() == 0 {
            return Ok(None);
        }
        let mut sum = shares(rows);
        for peer in channel.links.peers() {
            let keys = (0..rows.len()).map(|i| rows.get(i)[self.layout.key(peer)]);
            let (label, len) = ("input", sum.len);
            let theirs = channel.recv_shares(peer, Opening { label, number, len, keys, delta })?;
            sum.words.iter_mut().zip(&theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        }
        Ok(Some(sum))
    }

    /// Opens the masked masks of all gates to all, and masks of inputs to who gives them, and finishes the products.
    fn open(&mut self, channel: &mut CheckedChannel<'_>, delta: u128) -> Result<(), SharingError> {
        let (layout, gates) = (self.layout, self.masks.first.len());
        let inputs = self.give_inputs(channel)?;
        let row = |i: usize| self.opened[i % 2].get(i / 2);
        let mut mine = Bits::zeros(2 * gates);
        (0..2 * gates).for_each(|i| mine.flip_if(i, row(i)[0] == 1));
        channel.say("masked masks", word::bytes_mut(&mut mine.words));
        let number = channel.agreed_number();
        for peer in channel.links.peers() {
            let macs = (0..2 * gates).map(|i| row(i)[layout.mac(peer)]);
            channel.send_shares("beaver", number, peer, &mine, macs)?;
        }
        let taken = self.take_inputs(channel, inputs, delta)?;
        let mut sum = Bits { words: mine.words.clone(), len: mine.len };
        for peer in channel.links.peers() {
            let keys = (0..2 * gates).map(|i| row(i)[layout.key(peer)]);
            let (label, len) = ("beaver", sum.len);
            let theirs = channel.recv_shares(peer, Opening { label, number, len, keys, delta })?;
            sum.words.iter_mut().zip(&theirs.words).for_each(|(sum, theirs)| *sum ^= theirs);
        }
        if let Some(masks) = taken {
            self.masks.inputs = masks;
        }
        let [a, b, c] = &self.triples;
        for gate in 0..gates {
            let [d, e] = [0, 1].map(|i| u128::from(sum.get(2 * gate + i)));
            let third = self.masks.third.get_mut(gate);
            third.copy_from_slice(c.get(gate));
            add_masked(third, b.get(gate), mask(d));
            add_masked(third, a.get(gate), mask(e));
            layout.add_public_closed(third, d & e, delta);
        }
        Ok(())
    }
}

/// This party's shares.
pub(super) fn shares(rows: &Rows) -> Bits {
    let mut bits = Bits::zeros(rows.len());
    (0..rows.len()).for_each(|i| bits.flip_if(i, rows.get(i)[0] == 1));
    bits
}

/// Values of the first input times those of the second, gate by gate: what the authentication of gates
/// needs of the masks, for MACs or keys at `place`.
pub(super) fn authenticated(masks: [&Rows; 3], place: usize, public: &[[u128; 2]]) -> Buffer<u128> {
    let mut all = Buffer::zeros(public.len());
    let [first, second, third] = masks.map(Rows::iter);
    let rows = third.zip(second.zip(first));
    for ((out, [u, v]), (third, (second, first))) in all.iter_mut().zip(public).zip(rows) {
        *out = third[place] ^ mask(*u) & second[place] ^ mask(*v) & first[place];
    }
    all
}
