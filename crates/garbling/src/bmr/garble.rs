//! Preprocessing of one instance, message by message.

use super::party::{Common, Garbled};
use super::wires::Wires;
use crate::cot::{choose, take};
use crate::prf::combine;
use crate::{Bits, Ports};
use tacit_circuit::schedule::{Product, Schedule};
use tacit_ot::{OtError, Receiver, Sender};
use tacit_ring::Buffer;
use zeroize::Zeroizing;

/// What every AND reads: its wires' blocks and flags.
struct Gate<'w> {
    number: usize,
    u: (&'w [u128], bool),
    v: (&'w [u128], bool),
}

/// One instance that is being garbled.
pub(super) struct Garbling<'p> {
    ports: Ports<'p>,
    /// The number of its first AND in the session.
    pub first_gate: u64,
    ands: usize,
    /// As [`Wires`], of all inputs, then of all outputs of ANDs.
    sources: Zeroizing<Vec<u128>>,
    /// As [`Wires`], of the products of the masks of ANDs' inputs.
    crossed: Zeroizing<Vec<u128>>,
    /// This party's shares of those products.
    shares: Bits,
    /// By role, pads that this party's masks chose.
    pads: Vec<Bits>,
    /// This party's masks of the first inputs of ANDs.
    lambda_u: Bits,
    /// This party's column: four rows per gate.
    column: Buffer<u128>,
    /// Shares of masks that open, by role.
    pub opened: Vec<Bits>,
}

impl<'p> Garbling<'p> {
    /// Draws labels and masks.
    pub fn new(common: &Common, ports: Ports<'p>, first_gate: u64, random: &[u128]) -> Self {
        let (ands, width, me) = (ports.ands(), common.width(), common.me);
        let inputs = ports.schedule.inputs().len();
        let mut sources = Zeroizing::new(vec![0; (inputs + ands) * width]);
        let owners: Vec<usize> = ports.owners().collect();
        for (index, (wire, random)) in sources.chunks_exact_mut(width).zip(random).enumerate() {
            wire[me] = random & !1;
            let mine = owners.get(index).is_none_or(|owner| *owner == me);
            wire[common.parties + me] = if mine { random & 1 } else { 0 };
        }
        Garbling {
            ports,
            first_gate,
            ands,
            sources,
            crossed: Zeroizing::new(vec![0; ands * width]),
            shares: Bits::zeros(ands),
            pads: (0..common.parties).map(|_| Bits::zeros(ands)).collect(),
            lambda_u: Bits::zeros(ands),
            column: Buffer::default(),
            opened: Vec::new(),
        }
    }

    /// ANDs of the circuit.
    pub fn ands(&self) -> usize {
        self.ands
    }

    /// Blocks that [`Garbling::new`] takes.
    pub fn random_blocks(ports: Ports<'_>) -> usize {
        ports.schedule.inputs().len() + ports.ands()
    }

    /// The sources that a role's masks are chosen for: its inputs, and all ANDs.
    fn chosen_by(&self, role: usize) -> impl Iterator<Item = usize> + use<> {
        let owners: Vec<usize> = self.ports.owners().collect();
        let (inputs, ands) = (owners.len(), self.ands);
        let given = (0..inputs).filter(move |index| owners[*index] == role);
        given.chain(inputs..inputs + ands)
    }

    /// Round 1: this party's masks, chosen towards `peer`.
    pub fn choose_masks(
        &mut self,
        common: &Common,
        peer: usize,
        receiver: &mut Receiver,
    ) -> Result<Vec<u64>, OtError> {
        let (width, n, me) = (common.width(), common.parties, common.me);
        let chosen: Vec<usize> = self.chosen_by(me).collect();
        let mut bits = Bits::zeros(chosen.len());
        for (i, source) in chosen.iter().enumerate() {
            bits.flip_if(i, self.sources[source * width + n + me] == 1);
        }
        let sources = &mut self.sources;
        choose(receiver, &bits, |i, block| sources[chosen[i] * width + n + peer] = block)
    }

    /// What `peer` chose in round 1, so many words.
    pub fn masks_message(&self, peer: usize, receiver_words: impl Fn(usize) -> usize) -> usize {
        receiver_words(self.chosen_by(peer).count().div_ceil(64))
    }

    /// Takes what `peer` chose in round 1.
    pub fn take_masks(
        &mut self,
        common: &Common,
        peer: usize,
        sender: &mut Sender,
        message: &[u64],
    ) -> Result<(), OtError> {
        let width = common.width();
        let chosen: Vec<usize> = self.chosen_by(peer).collect();
        let sources = &mut self.sources;
        take(sender, chosen.len(), message, |i, block| sources[chosen[i] * width + peer] = block)
    }

    /// Round 2: the cross terms towards every peer, by role.
    pub fn cross(&mut self, common: &Common) -> Vec<Bits> {
        let (n, me, r) = (common.parties, common.me, *common.offset);
        let ands = self.ands;
        let mut keys: Vec<Zeroizing<Vec<u128>>> =
            (0..2 * n).map(|_| Zeroizing::new(Vec::with_capacity(ands))).collect();
        let mut lambda_v = Bits::zeros(ands);
        let (lambda_u, shares) = (&mut self.lambda_u, &mut self.shares);
        walk(self.ports.schedule, common.width(), &self.sources, |Gate { number, u, v }| {
            let (mine_u, mine_v) = (u.0[n + me] == 1, v.0[n + me] == 1);
            lambda_u.flip_if(number, mine_u);
            lambda_v.flip_if(number, mine_v);
            shares.flip_if(number, mine_u & mine_v);
            for (keys, block) in keys.iter_mut().zip(u.0) {
                keys.push(*block);
            }
        });
        let hashed = |blocks: &[u128], offset: u128, [sender, receiver]: [usize; 2]| {
            let mut blocks: Zeroizing<Vec<u128>> =
                Zeroizing::new(blocks.iter().map(|block| block ^ offset).collect());
            let start = 1 << 127
                | u128::from(self.first_gate) << 32
                | (sender as u128) << 16
                | receiver as u128;
            common.pi.hash_tweaked(start, 1 << 32, &mut blocks);
            let mut bits = Bits::zeros(blocks.len());
            blocks.iter().enumerate().for_each(|(i, block)| bits.flip_if(i, block & 1 == 1));
            bits
        };
        let mut messages: Vec<Bits> = (0..n).map(|_| Bits::zeros(0)).collect();
        for peer in (0..n).filter(|peer| *peer != me) {
            let zeros = hashed(&keys[peer], 0, [me, peer]);
            let mut message = hashed(&keys[peer], r, [me, peer]);
            for (i, word) in message.words.iter_mut().enumerate() {
                *word ^= zeros.words[i] ^ lambda_v.words[i];
                self.shares.words[i] ^= zeros.words[i];
            }
            messages[peer] = message;
            self.pads[peer] = hashed(&keys[n + peer], 0, [peer, me]);
        }
        messages
    }

    /// Takes the cross terms of `peer`.
    pub fn take_cross(&mut self, peer: usize, message: &[u64]) {
        for (i, z) in message.iter().enumerate() {
            self.shares.words[i] ^= self.pads[peer].words[i] ^ (self.lambda_u.words[i] & z);
        }
    }

    /// Adds a share of zero to every product, of which this party's shares are fixed then.
    pub fn fix_products(&mut self, common: &Common, zero: &[u64]) {
        let (width, at) = (common.width(), common.parties + common.me);
        self.shares.words.iter_mut().zip(zero).for_each(|(share, zero)| *share ^= zero);
        for (i, product) in self.crossed.chunks_exact_mut(width).enumerate() {
            product[at] = u128::from(self.shares.get(i));
        }
    }

    /// Round 3: this party's shares of products, chosen towards `peer`.
    pub fn choose_products(
        &mut self,
        common: &Common,
        peer: usize,
        receiver: &mut Receiver,
    ) -> Result<Vec<u64>, OtError> {
        let (width, n) = (common.width(), common.parties);
        let crossed = &mut self.crossed;
        choose(receiver, &self.shares, |i, block| crossed[i * width + n + peer] = block)
    }

    /// Takes what `peer` chose in round 3.
    pub fn take_products(
        &mut self,
        common: &Common,
        peer: usize,
        sender: &mut Sender,
        message: &[u64],
    ) -> Result<(), OtError> {
        let width = common.width();
        let crossed = &mut self.crossed;
        take(sender, self.ands, message, |i, block| crossed[i * width + peer] = block)
    }

    /// Round 4: this party's part of every column, by role; its own column stays here. `zeros` are shares
    /// of zero for the output bits that each role learns.
    pub fn rows(&mut self, common: &Common, zeros: &[Bits]) -> Vec<Buffer<u128>> {
        let (n, width) = (common.parties, common.width());
        let inputs = self.ports.schedule.inputs().len();
        let mut columns: Vec<Buffer<u128>> = (0..n).map(|_| Buffer::zeros(4 * self.ands)).collect();
        let (sources, crossed) = (&self.sources, &self.crossed);
        let mut hidden = Buffer::zeros(4 * n);
        let wires = walk(self.ports.schedule, width, sources, |gate| {
            let number = gate.number;
            let w = &sources[(inputs + number) * width..][..width];
            let product = &crossed[number * width..][..width];
            common.rows(self.first_gate, &gate, [w, product], &mut hidden);
            for (j, column) in columns.iter_mut().enumerate() {
                for row in 0..4 {
                    column[4 * number + row] = hidden[row * n + j];
                }
            }
        });
        for (role, zero) in zeros.iter().enumerate() {
            let mut masks = Bits::zeros(self.ports.learned_by(role));
            for (i, slot) in self.ports.slots_learned_by(role).enumerate() {
                masks.flip_if(i, wires.get(slot).0[n + common.me] == 1);
            }
            masks.words.iter_mut().zip(&zero.words).for_each(|(mask, zero)| *mask ^= zero);
            self.opened.push(masks);
        }
        self.column = std::mem::take(&mut columns[common.me]);
        columns
    }

    /// Adds a peer's part of this party's column.
    pub fn add_rows(&mut self, rows: &[u128]) {
        self.column.iter_mut().zip(rows).for_each(|(sum, row)| *sum ^= row);
    }

    /// Round 5: this party's column.
    pub fn column(&self) -> &[u128] {
        &self.column
    }

    /// The garbled circuit, from all columns by role, and the masks that this party learns.
    pub fn finish(self, common: &Common, columns: &[Buffer<u128>], masks: Bits) -> Garbled {
        let (n, me, width) = (common.parties, common.me, common.width());
        let mut table = Buffer::zeros(4 * n * self.ands);
        for (row, blocks) in table.chunks_exact_mut(n).enumerate() {
            for (j, block) in blocks.iter_mut().enumerate() {
                *block = if j == me { self.column[row] } else { columns[j][row] };
            }
        }
        let inputs = self.sources.chunks_exact(width).take(self.ports.schedule.inputs().len());
        let (labels, lambdas): (Vec<u128>, Vec<u128>) =
            inputs.map(|wire| (wire[me], wire[n + me])).unzip();
        Garbled {
            first_gate: self.first_gate,
            table,
            labels: Zeroizing::new(labels),
            lambdas: Zeroizing::new(lambdas),
            masks,
        }
    }
}

impl Common {
    /// This party's part of the four rows of a gate, row after row a block for every column.
    fn rows(&self, first_gate: u64, gate: &Gate<'_>, [w, product]: [&[u128]; 2], out: &mut [u128]) {
        let (n, me, r) = (self.parties, self.me, *self.offset);
        let Gate { number, u: (u, flag_u), v: (v, flag_v) } = *gate;
        let labels = |a: u128, b: u128| combine(u[me] ^ (a * r), v[me] ^ (b * r));
        let pairs = [labels(0, 0), labels(0, 1), labels(1, 0), labels(1, 1)];
        self.prf.gate(first_gate + number as u64, &pairs, n, out);
        for (row, out) in out.chunks_exact_mut(n).enumerate() {
            let (a, b) = (row >> 1 == 1, row & 1 == 1);
            let (a, b) = (u128::from(a ^ flag_u), u128::from(b ^ flag_v));
            let at = |i: usize| product[i] ^ w[i] ^ (a * v[i]) ^ (b * u[i]);
            let mut own = w[me];
            for j in (0..n).filter(|j| *j != me) {
                out[j] ^= at(n + j);
                own ^= at(j);
            }
            let bit = (at(n + me) ^ (a * b)) & 1;
            out[me] ^= own ^ (bit * r);
        }
    }
}

/// Takes the wires of a circuit through it, and shows every AND. Gives the wires at the end.
fn walk(
    schedule: &Schedule,
    width: usize,
    sources: &[u128],
    mut each: impl FnMut(Gate<'_>),
) -> Wires {
    let mut wires = Wires::new(schedule.slots(), width);
    let mut sources = sources.chunks_exact(width);
    for input in schedule.inputs() {
        wires.set(input.slot, sources.next().unwrap_or_default());
    }
    let mut number = 0;
    for level in 0..=schedule.depth() {
        wires.linear(schedule.linear(level));
        if level == schedule.depth() {
            break;
        }
        for Product { dst, a, b } in schedule.products(level) {
            each(Gate { number, u: wires.get(*a), v: wires.get(*b) });
            wires.set(*dst, sources.next().unwrap_or_default());
            number += 1;
        }
    }
    wires
}
