//! Gates as four rows, the form of X. Wang, S. Ranellucci, J. Katz, "Global-Scale Secure Multiparty Computation"
//! (CCS 2017): what garblers sent before half gates took their place. It is here to be compared with.
//!
//! For the public values u and v of a gate's inputs, every garbler i has a share `r^i` of the output's public value
//! `r = l_a l_b + l_c + u l_b + v l_a + u v`. Row (u, v) carries, under the hash of both its labels for u and v,
//!
//! ```text
//! L_0 + s_i(r), its label for r but for the others' MACs;  M_j[r^i] for every other garbler j;
//! 63 bits of M_0[r^i] and r^i itself, for the evaluator
//! ```
//!
//! The evaluator adds up all shares, checks their MACs (`row-mac`), and so knows that r is right. It shows garblers
//! the public values of outputs that they learn, with the labels that authenticate them (`label-check`); there is
//! no other check of the circuit.
//!
//! The two labels are hashed together, as `2 A + 4 B` in GF(2^128), with a tweak for every row: each is used for
//! one hash, and to go from one row's to another's a multiple of Delta must be known. Hashes of each label for
//! itself would not do: the four rows would add up to Delta.

use super::EVALUATOR;
use super::channel::Digest;
use super::evaluate::Level;
use super::garble::Garbler;
use super::masks::learned_slots;
use super::online::Online;
use super::outputs::Checked;
use super::rows::{Layout, Rows, add_masked, mask};
use crate::garbler::Form;
use crate::tweak::{Hash, Use};
use crate::{Bits, Ports};
use tacit_net::Stream;
use tacit_ring::gf128::times_x;
use tacit_ring::{Buffer, hash, word};
use tacit_sharing::{RoleId, SharingError};
use zeroize::{Zeroize, Zeroizing};

impl Form {
    /// Blocks that a garbler sends for a gate.
    pub(super) fn blocks(self, parties: usize) -> usize {
        match self {
            Form::HalfGates => 2 + 3 * (parties - 2),
            // The words of all rows for the evaluator are two blocks.
            Form::FourRows => 4 * (parties - 1) + 2,
        }
    }
}

/// The public values of a row.
const ROWS: [[u128; 2]; 4] = [[0, 0], [0, 1], [1, 0], [1, 1]];

/// Where a gate's blocks are: those of a row for `target`, at `from`.
fn place(parties: usize, row: usize, from: RoleId, target: RoleId) -> usize {
    let others = if target == from { 0 } else { target - usize::from(target > from) };
    row * (parties - 1) + others
}

/// The word of a row for the evaluator: which block, and how far up.
fn word_place(parties: usize, row: usize) -> (usize, usize) {
    (4 * (parties - 1) + row / 2, 64 * (row % 2))
}

/// The share of a gate's output in a row: a closed row of three.
fn share(layout: Layout, masks: [&[u128]; 3], [u, v]: [u128; 2], delta: u128, out: &mut [u128]) {
    let [first, second, third] = masks;
    out.copy_from_slice(third);
    add_masked(out, second, mask(u));
    add_masked(out, first, mask(v));
    layout.add_public_closed(out, u & v, delta);
}

impl Garbler<'_> {
    /// The rows of a level's gates, from the zero labels of inputs and outputs.
    pub(super) fn four_rows(
        &self,
        gate: usize,
        inputs: [&[u128]; 2],
        table: &mut [u128],
        labels: &[u128],
    ) {
        let (layout, parties) = (self.layout, self.layout.parties);
        let size = Form::FourRows.blocks(parties);
        let mut shares = Rows::zeros(labels.len(), layout.closed());
        for (row, [u, v]) in ROWS.into_iter().enumerate() {
            for i in 0..labels.len() {
                let masks = self.masks.gates().map(|rows| rows.get(self.start + gate + i));
                share(layout, masks, [u, v], self.delta, shares.get_mut(i));
            }
            for target in 0..parties {
                let pads = self.pads(gate, (row, [u, v]), target, inputs);
                for (i, pad) in pads.iter().enumerate() {
                    let (share, table) = (shares.get(i), &mut table[size * i..size * (i + 1)]);
                    if target == EVALUATOR {
                        let (at, shift) = word_place(parties, row);
                        let mac = share[layout.mac(EVALUATOR)] as u64 & !1 | share[0] as u64;
                        table[at] |= u128::from(mac ^ *pad as u64) << shift;
                    } else if target == layout.me {
                        let at = place(parties, row, target, target);
                        table[at] = pad ^ labels[i] ^ self.scaled(share);
                    } else {
                        let at = place(parties, row, layout.me, target);
                        table[at] = pad ^ share[layout.mac(target)];
                    }
                }
            }
        }
    }

    /// What hides a row for a target, gate by gate.
    fn pads(
        &self,
        gate: usize,
        (row, [u, v]): (usize, [u128; 2]),
        target: RoleId,
        [a, b]: [&[u128]; 2],
    ) -> Zeroizing<Vec<u128>> {
        let mut keys = vec![0; a.len()];
        let pair = [self.layout.me, target];
        self.hash.keys(Use::Row(row as u8), pair, self.first + gate as u64, &mut keys);
        let delta = [mask(u) & self.delta, mask(v) & self.delta];
        let both = a.iter().zip(b).map(|(a, b)| of_both(a ^ delta[0], b ^ delta[1]));
        let mut pads = Zeroizing::new(both.collect::<Vec<u128>>());
        Hash::hash(&keys, [&mut pads]);
        pads
    }
}

/// Both labels of a row, to be hashed.
fn of_both(a: u128, b: u128) -> u128 {
    times_x(a ^ times_x(b))
}

impl Level<'_, '_> {
    /// Adds what one garbler's rows give, for every target.
    pub(super) fn take_rows(&mut self, garbler: usize, [a, b]: [&[u128]; 2]) {
        let it = self.it;
        let (parties, size) = (it.layout.parties, Form::FourRows.blocks(it.layout.parties));
        let table = &it.tables[garbler][size * self.gate..];
        let number = it.first + self.gate as u64;
        let row = |[u, v]: [u128; 2]| (2 * u + v) as usize;
        for target in 0..parties {
            let of_gate = (number..).zip(&self.public);
            let keys: Vec<u128> = of_gate
                .map(|(number, pair)| {
                    it.hash.key(Use::Row(row(*pair) as u8), [garbler, target], number)
                })
                .collect();
            let both = a.iter().zip(b).map(|(a, b)| of_both(*a, *b));
            let mut pads = Zeroizing::new(both.collect::<Vec<u128>>());
            Hash::hash(&keys, [&mut pads]);
            for (i, (table, pair)) in table.chunks_exact(size).zip(&self.public).enumerate() {
                if target == EVALUATOR {
                    let (at, shift) = word_place(parties, row(*pair));
                    self.words[i] ^= (table[at] >> shift) as u64 ^ pads[i] as u64;
                } else {
                    let at = place(parties, row(*pair), garbler, target);
                    self.rows.get_mut(i)[target] ^= table[at] ^ pads[i];
                }
            }
        }
    }

    /// Public values of outputs: all shares added up. Gives what is not zero unless the MACs of all are right.
    pub(super) fn values_of_rows(&mut self) -> u64 {
        let (it, mut wrong) = (self.it, 0);
        let mut own = vec![0; it.layout.closed()];
        for (i, pair) in self.public.iter().enumerate() {
            let masks = it.masks.gates().map(|rows| rows.get(it.start + self.gate + i));
            share(it.layout, masks, *pair, it.delta, &mut own);
            let theirs = u128::from(self.words[i] & 1);
            let macs = own[it.layout.keys()] ^ (mask(theirs) & it.delta);
            wrong |= (macs as u64 ^ self.words[i]) & !1;
            self.rows.get_mut(i)[0] = own[0] ^ theirs;
        }
        own.zeroize();
        wrong
    }
}

impl Online<'_, '_> {
    /// Shows every garbler the public values of what it learns, and a digest of its labels for them. `ends` has, for
    /// every instance, values and labels of all slots.
    pub(super) fn show_outputs(
        &mut self,
        ports: Ports<'_>,
        ends: &[Rows],
    ) -> Result<(), SharingError> {
        let learned = learned_slots(ports, self.layout.parties);
        let number = self.channel.agreed_number();
        for (garbler, slots) in learned.iter().enumerate().skip(1) {
            if slots.is_empty() {
                continue;
            }
            let all =
                || ends.iter().flat_map(|ends| slots.iter().map(|slot| ends.get(*slot as usize)));
            let mut public = Bits::zeros(ends.len() * slots.len());
            all().enumerate().for_each(|(i, row)| public.flip_if(i, row[0] == 1));
            let labels = all().map(|row| row[garbler]);
            let digest = self.channel.voice.labels(number, garbler, labels);
            self.channel.say("public values", word::bytes_mut(&mut public.words));
            self.channel.links.send(garbler, Stream::On, &public.words)?;
            self.channel.links.send(garbler, Stream::On, &digest)?;
        }
        Ok(())
    }

    /// Takes the public values of what a garbler learns, and checks them against its zero labels.
    pub(super) fn check_outputs(
        &mut self,
        ports: Ports<'_>,
        zeros: &[u128],
    ) -> Result<Checked, SharingError> {
        let (me, instances) = (self.layout.me, self.garbled.instances);
        let slots = learned_slots(ports, self.layout.parties).swap_remove(me);
        let number = self.channel.agreed_number();
        let mut all = vec![vec![false; ports.schedule.slots()]; instances];
        if slots.is_empty() {
            return Ok(Checked(all));
        }
        let public = self.channel.recv_bits(EVALUATOR, zeros.len())?;
        let mut digest = Digest::default();
        self.channel.links.recv_into(EVALUATOR, Stream::On, &mut digest)?;
        let delta = *self.garbled.delta;
        let active = zeros.iter().enumerate();
        let active = active.map(|(i, zero)| zero ^ (u128::from(public.get(i)) * delta));
        let mine = self.channel.voice.labels(number, me, active);
        self.channel.ensure(hash::equal(&mine, &digest), "label-check", Some(EVALUATOR))?;
        for (instance, values) in all.iter_mut().enumerate() {
            for (i, slot) in slots.iter().enumerate() {
                values[*slot as usize] = public.get(instance * slots.len() + i);
            }
        }
        Ok(Checked(all))
    }
}

/// Zero labels of what a garbler learns, from those of all slots.
pub(super) fn labels_of_outputs(ports: Ports<'_>, layout: Layout, wires: &[u128]) -> Buffer<u128> {
    let slots = learned_slots(ports, layout.parties).swap_remove(layout.me);
    let labels: Zeroizing<Vec<u128>> =
        Zeroizing::new(slots.iter().map(|slot| wires[*slot as usize]).collect());
    Buffer::from_slice(&labels)
}
