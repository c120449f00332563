//! A backend that computes nothing and counts what everything costs.

use super::components::{self, Components, Shift};
use super::masked::{self, MaskedBits};
use super::sort::{Column, Shuffles};
use super::tags::{self, Tagging};
use super::{Backend, Bits, Circuits, Kind, Name, Planes, Result, Ring, Secret, Term, Values};
use crate::awaited::Awaited;
use crate::convert::shuffle::{self, Hop};
use crate::convert::{Layered, deal_cost, gadget_cost, hears_before_it_deals, raise_cost};
use crate::cost::{self, Links, MAX_ROLES, Products, Rounds, Traffic};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use tacit_net::{AbortKind, Stream};
use tacit_proof::{Bill, Factors, Method, Needs, Strength};
use tacit_ring::{Buffer, Z2};
use tacit_sharing::Protocol;
use tacit_sharing::arrays::MatrixShape;
use tacit_sharing::role::{RoleId, Timing};
use tacit_sharing::verify::{Journal, Verifier};

/// What a program costs so far.
pub struct Tally {
    protocol: Protocol,
    circuits: Circuits,
    /// Bytes per directed link, without what silent transfers take over those of each product.
    bytes: Traffic,
    /// What triples cost.
    triples: Traffic,
    /// What proofs of products cost, or triples.
    bill: Bill,
    /// When inputs are known.
    timing: Timing,
    /// Words of products of bits so far.
    words: usize,
    /// Products so far, of bits or as many as there are bits in numbers.
    products: Products,
    /// By role, the number of steps in which it waits for online messages.
    pub rounds: Rounds,
    /// What is waited for online, by links.
    awaited: Awaited,
    /// Whether the role that works ahead was told something since it last dealt: then it is not ahead any more.
    told: bool,
    /// Rounds of proofs of products.
    proof_rounds: u64,
    /// Rounds in which transcripts are compared, where they are.
    check_rounds: u64,
    /// How often products of bits are made together, of one circuit's lanes: what comes ahead of them comes as often.
    batches: u64,
    /// What a circuit costs that was evaluated before, by its address and lanes: it is asked for thousands of times.
    evaluated: HashMap<(usize, usize), Evaluated>,
    /// What each line costs, if that is asked for.
    lines: Option<Lines>,
}

/// What the lines of a program cost so far.
#[derive(Default)]
struct Lines {
    /// The line that what follows is of.
    line: u32,
    /// What all of them had cost when it began.
    before: LineCost,
    each: BTreeMap<u32, LineCost>,
}

/// The line of what is of no line alone: results, proofs of products, comparisons of transcripts.
pub const ALL_LINES: u32 = 0;

/// The line of the comparisons with the ranges that a program checks: those of all checks are made together.
pub const LINE_OF_CHECKS: u32 = u32::MAX;

/// What a line of a program costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineCost {
    /// Bytes that all roles send.
    pub bytes: u64,
    /// The part of them that preprocessing takes, where that comes first.
    pub ahead: u64,
    /// By role, steps in which it waits for online messages.
    pub rounds: Rounds,
    /// Products of bits, or as many as there are bits in products of numbers.
    pub products: Products,
}

impl Default for LineCost {
    fn default() -> Self {
        LineCost { bytes: 0, ahead: 0, rounds: [0; MAX_ROLES], products: Products::default() }
    }
}

impl LineCost {
    /// What is more here than there was `before`.
    fn since(&self, before: &LineCost) -> LineCost {
        LineCost {
            bytes: self.bytes - before.bytes,
            ahead: self.ahead - before.ahead,
            rounds: std::array::from_fn(|role| self.rounds[role] - before.rounds[role]),
            products: Products {
                preprocessed: self.products.preprocessed - before.products.preprocessed,
                online: self.products.online - before.products.online,
            },
        }
    }

    fn add(&mut self, more: &LineCost) {
        self.bytes += more.bytes;
        self.ahead += more.ahead;
        self.rounds.iter_mut().zip(more.rounds).for_each(|(all, more)| *all += more);
        self.products += more.products;
    }
}

/// What a circuit costs.
struct Evaluated {
    /// Held, so that no other one gets its address.
    _circuit: Arc<Layered>,
    /// Without what silent transfers take.
    bytes: Traffic,
    /// Words of products of bits.
    words: usize,
    products: Products,
    rounds: Rounds,
    awaited: Awaited,
    /// How many parts of its lanes go through it one after the other.
    batches: u64,
}

impl Tally {
    /// Nothing yet.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Tally {
            protocol,
            circuits: Circuits::new(protocol),
            bytes: Traffic::default(),
            triples: Traffic::default(),
            bill: Bill::of(protocol),
            timing: Timing::Early,
            words: 0,
            products: Products::default(),
            rounds: [0; MAX_ROLES],
            awaited: Awaited::default(),
            told: false,
            check_rounds: 0,
            batches: 0,
            proof_rounds: 0,
            evaluated: HashMap::new(),
            lines: None,
        }
    }

    /// Counts what each line costs, too.
    #[must_use]
    pub fn by_line(self) -> Self {
        Tally { lines: Some(Lines::default()), ..self }
    }

    /// What each line cost, if it was counted: together all that was counted.
    #[must_use]
    pub fn lines(mut self) -> BTreeMap<u32, LineCost> {
        self.settle(0);
        self.lines.map(|lines| lines.each).unwrap_or_default()
    }

    /// Charges the line that ends to itself; what follows is of another one.
    fn settle(&mut self, next: u32) {
        if self.lines.is_none() {
            return;
        }
        let now = LineCost {
            bytes: self.total_bytes().total(),
            ahead: self.bytes_ahead().total(),
            rounds: self.rounds,
            products: self.products,
        };
        if let Some(Lines { line, before, each }) = &mut self.lines {
            each.entry(*line).or_default().add(&now.since(before));
            (*line, *before) = (next, now);
        }
    }

    /// Counts for a given worker, which tags under keys of its own.
    #[must_use]
    pub fn of_worker(self, worker: usize) -> Self {
        Tally { bill: self.bill.of_worker(worker), ..self }
    }

    /// Counts neither proofs of products nor triples: what a program costs at least, quickly.
    #[must_use]
    pub fn without_proofs(self) -> Self {
        Tally { bill: Bill::of_nothing(), ..self }
    }

    /// Counts for a run in which all preprocessing comes before inputs are known.
    #[must_use]
    pub fn separate(self) -> Self {
        Tally { timing: Timing::Late, ..self }
    }

    /// Bytes per directed link of a program that ends here.
    #[must_use]
    pub fn total_bytes(&self) -> Traffic {
        let transfers = cost::transfers(self.protocol, 0..self.words);
        self.bytes.clone() + self.triples.clone() + transfers
    }

    /// The part that preprocessing takes: what goes ahead, or triples.
    #[must_use]
    pub fn bytes_ahead(&self) -> Traffic {
        if self.protocol.has_roles() {
            return Traffic { pre: self.bytes.pre.clone(), ..Traffic::default() }
                + self.triples.clone();
        }
        Traffic { on: Links::default(), ..self.total_bytes() }
    }

    /// The products that were made from triples so far.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.bill.needs()
    }

    /// Products so far, of bits or as many as there are bits in numbers.
    #[must_use]
    pub fn products(&self) -> Products {
        self.products
    }

    /// Rounds of proofs of products, or of checks of triples, so far.
    #[must_use]
    pub fn proof_rounds(&self) -> u64 {
        self.proof_rounds
    }

    /// Rounds in which transcripts are compared so far, where they are.
    #[must_use]
    pub fn check_rounds(&self) -> u64 {
        self.check_rounds
    }

    /// What is waited for online so far, by links.
    #[must_use]
    pub fn awaited(&self) -> &Awaited {
        &self.awaited
    }

    /// How often products of bits were made together so far.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.batches
    }

    /// Integers that each role sent under a mask so far.
    #[must_use]
    pub fn masked(&self) -> u64 {
        self.bill.masked()
    }

    /// One step: messages that are waited for together.
    fn step(&mut self, bytes: Traffic) {
        self.deal(&bytes.pre);
        for (role, rounds) in self.rounds.iter_mut().enumerate() {
            *rounds += u64::from(bytes.is_awaited_by(role));
        }
        self.awaited.step(self.protocol, 1, &bytes);
        self.bytes += bytes;
    }

    /// What is sent ahead is waited for after the role that sends it was told something, as if it had been told by those to whom
    /// it sends. That takes two steps, and in one of them the others go on with what they have (sorts in virtual time).
    fn deal(&mut self, pre: &Links) {
        let Some(ahead) = self.protocol.ahead().filter(|_| self.told) else { return };
        let receivers = (0..MAX_ROLES).filter(|role| pre[ahead][*role] > 0);
        let links = receivers.fold(Traffic::default(), |sum, role| {
            sum.sent(role, ahead, Stream::On, 1).sent(ahead, role, Stream::On, 1)
        });
        if links.total() > 0 {
            self.awaited.hear(self.protocol, 1, links.on);
            self.told = false;
        }
    }

    /// One step in which something opens.
    fn tell(&mut self, bytes: Traffic) {
        let told = |ahead: RoleId| bytes.is_awaited_by(ahead);
        let told = self.told || self.protocol.ahead().is_some_and(told);
        self.step(bytes);
        self.told = told;
    }

    /// One step of so many bytes of products.
    fn multiply(&mut self, bytes: u64) {
        self.products += Products::of(8 * bytes);
        self.step(cost::product(self.protocol) * bytes);
    }

    /// Results, each a sum of so many products.
    fn results(&mut self, kind: Kind, results: usize, terms: usize) {
        let (bits, words) = match kind {
            Kind::Bits => (1, results.div_ceil(64)),
            Kind::Ring(ring) => (ring.bits(), results),
        };
        self.bill.add(bits, words, terms);
        self.multiply(cost::result_bytes(self.protocol, bits, words, terms));
    }

    fn size(kind: Kind, len: usize) -> u64 {
        match kind {
            Kind::Bits => 8 * len.div_ceil(64) as u64,
            Kind::Ring(ring) => ring.bytes() * len as u64,
        }
    }

    /// Elements out of gadgets, each with so many elements dealt and raised.
    fn block(&mut self, ring: Ring, [deals, raises]: [usize; 2], len: usize) -> Secret {
        let bytes = |elements: usize| ring.bytes() * (elements * len) as u64;
        self.gadget([bytes(deals), bytes(raises)], ring, len)
    }

    /// Elements out of gadgets, with so many bytes dealt and raised in all.
    fn gadget(&mut self, known: [u64; 2], ring: Ring, len: usize) -> Secret {
        if hears_before_it_deals(self.protocol) && known[0] > 0 {
            // Not a round of anybody's: what was deferred, and what is sent ahead.
            let [dealt, raised] = known;
            let mut on = (deal_cost(self.protocol) * dealt).pre;
            on += &(raise_cost(self.protocol) * raised).def;
            self.awaited.hear(self.protocol, 2, on);
        }
        let known = self.known(known);
        let bytes = ring.bytes() * len as u64;
        self.products += Products::of(8 * bytes);
        self.step(known + gadget_cost(self.protocol) * bytes);
        Secret::dry(Kind::Ring(ring), len)
    }

    /// Traffic of values that are dealt and raised, in bytes of values.
    fn known(&self, [dealt, raised]: [u64; 2]) -> Traffic {
        deal_cost(self.protocol) * dealt + raise_cost(self.protocol) * raised
    }
}

/// Where a dealer hears first what others deferred, gates of a level are sent while others of it are dealt: of what is dealt this
/// part is waited for (comparisons, sums by group and ReLU under Quad's variants in virtual time: 0.40 to 0.54).
const WITH_ITS_LEVEL: u64 = 2;

impl Evaluated {
    fn new(protocol: Protocol, circuit: &Arc<Layered>, lanes: usize, window: usize) -> Self {
        let words = lanes.div_ceil(64);
        let mut bytes = circuit.traffic(protocol) * (8 * words as u64);
        bytes -= cost::gaps(protocol, circuit.schedule(), lanes) * 8;
        let levels = || (0..circuit.depth()).map(|level| circuit.level(level));
        let products = levels().map(|level| level.products()).sum();
        let each = circuit.groups(words, window) as u64 * cost::rounds(protocol);
        let (mut rounds, mut awaited) = ([0; MAX_ROLES], Awaited::default());
        for traffic in levels().map(|level| cost::level(level, protocol)) {
            for (role, rounds) in rounds.iter_mut().enumerate() {
                *rounds += each * u64::from(traffic.is_awaited_by(role));
            }
            let bytes = traffic * (8 * words as u64);
            let dealt = Traffic { pre: bytes.pre.clone(), ..Traffic::default() } / WITH_ITS_LEVEL;
            awaited.step(protocol, each, &Traffic { pre: dealt.pre, ..bytes });
        }
        let words = cost::made_words(protocol, products, lanes);
        let products = cost::products(protocol, circuit.schedule(), lanes);
        let batches =
            if circuit.depth() > 0 { circuit.groups(lanes.div_ceil(64), window) as u64 } else { 0 };
        Evaluated { _circuit: circuit.clone(), bytes, words, products, rounds, awaited, batches }
    }
}

impl Bits for Tally {
    fn input_planes(
        &mut self,
        owner: RoleId,
        _values: Option<&[Z2]>,
        planes: usize,
        lanes: usize,
    ) -> Result<Planes> {
        let bytes = planes as u64 * Self::size(Kind::Bits, lanes);
        self.step(cost::input(self.protocol, owner, self.timing) * bytes);
        Ok(Planes::dry(planes, lanes))
    }

    fn public_planes(&mut self, _values: &[Z2], planes: usize, lanes: usize) -> Planes {
        Planes::dry(planes, lanes)
    }

    fn open_planes(&mut self, planes: &Planes, receivers: &[RoleId]) -> Result<Option<Buffer<Z2>>> {
        let bytes = planes.planes as u64 * Self::size(Kind::Bits, planes.lanes);
        let each = match receivers.len() == self.protocol.parties() {
            true => cost::open_to_all(self.protocol),
            false => cost::output(self.protocol, receivers),
        };
        self.tell(each * bytes);
        Ok(None)
    }

    fn circuit(&mut self, circuit: &Arc<Layered>, inputs: &[&Planes]) -> Result<Vec<Planes>> {
        let lanes = inputs.first().map_or(0, |p| p.lanes);
        let key = (Arc::as_ptr(circuit) as usize, lanes);
        let cost = self.evaluated.entry(key).or_insert_with(|| {
            Evaluated::new(self.protocol, circuit, lanes, self.circuits.window())
        });
        let dealt = cost.bytes.pre.clone();
        self.bytes += &cost.bytes;
        self.awaited += &cost.awaited;
        self.batches += cost.batches;
        self.words += cost.words;
        self.products += cost.products;
        for (rounds, more) in self.rounds.iter_mut().zip(cost.rounds) {
            *rounds += more;
        }
        if self.bill.counts() {
            circuit.add_to(&mut self.bill, lanes.div_ceil(64), self.circuits.window());
        }
        self.deal(&dealt);
        Ok(circuit.outputs().iter().map(|width| Planes::dry(*width, lanes)).collect())
    }

    fn circuits(&mut self) -> &mut Circuits {
        &mut self.circuits
    }

    fn take_journal(&mut self) -> Result<Journal> {
        self.bill.finish();
        match tacit_proof::Method::of(self.protocol) {
            Some(Method::Brain(..)) => self.triples += cost::proofs(&self.bill),
            _ => self.bytes += cost::proofs(&self.bill),
        }
        self.proof_rounds += self.bill.rounds;
        self.bill.settle();
        Ok(Journal::default())
    }

    fn end_epoch(&mut self, _: Option<&mut Verifier>, _journals: Vec<Journal>) -> Result<()> {
        self.bytes += cost::checks(self.protocol);
        self.check_rounds += cost::CHECK_ROUNDS;
        Ok(())
    }

    fn settle_epoch(&mut self, _: Option<&mut Verifier>, _journals: Vec<Journal>) -> Result<()> {
        self.bytes += cost::settling(self.protocol);
        self.check_rounds += cost::settling_rounds(self.protocol);
        Ok(())
    }

    fn opens_at_once(&self) -> bool {
        cost::opens_at_once(self.protocol)
    }

    fn announce(&mut self, needs: &Needs) {
        needs.iter().for_each(|(bits, words)| self.bill.announce(*bits, *words));
    }

    fn at_line(&mut self, line: u32) {
        self.settle(line);
    }

    fn rounds(&mut self) -> Rounds {
        self.rounds
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }

    fn abort(&mut self, _kind: AbortKind, _reason: &str) {}
}

impl Components for Tally {
    fn component_bits(&mut self, a: &Secret, _: usize, _: u128, bits: u32) -> Planes {
        Planes::dry(bits as usize, a.len)
    }

    fn component_shifted(&mut self, a: &Secret, _: usize, shift: Shift) -> Secret {
        Secret::dry(Kind::Ring(shift.ring), a.len)
    }

    fn component_of_bits(&mut self, bits: &Secret, _: usize, ring: Ring) -> Secret {
        Secret::dry(Kind::Ring(ring), bits.len)
    }
}

impl Tagging for Tally {
    fn tag_key(&mut self) -> Option<(u64, Strength)> {
        self.bill.tag_key()
    }

    fn tag(&mut self, each: usize, values: &Secret) -> Result<Secret> {
        self.bill.tag(values.len);
        self.multiply((each * values.len) as u64);
        Ok(Secret::dry(values.kind, values.len))
    }

    fn tagged_products(
        &mut self,
        (each, factors): (usize, Factors),
        [[values, _], _]: [[&Secret; 2]; 2],
    ) -> Result<[Secret; 2]> {
        let results = factors.results();
        self.bill.tag(results);
        self.multiply((2 * each * results) as u64);
        Ok([(); 2].map(|()| Secret::dry(values.kind, results)))
    }

    fn tagged_public(&mut self, _values: &[i128], len: usize) -> Option<[Secret; 2]> {
        Some([(); 2].map(|()| Secret::dry(Kind::Ring(Ring::W128), len)))
    }

    fn check_many_tags(&mut self) -> Result<()> {
        self.bill.check_many_tags();
        Ok(())
    }
}

impl MaskedBits for Tally {
    fn masked_bits(&mut self, a: &Secret, bits: u32) -> Result<[Planes; 2]> {
        if self.protocol.proves_products() {
            return components::masked_bits(self, a, bits);
        }
        let bytes = 8 * u64::from(bits) * a.len.div_ceil(64) as u64;
        self.step(self.known([bytes, bytes]));
        let planes = bits as usize;
        Ok([Planes::dry(planes, a.len), Planes::dry(planes, a.len)])
    }
}

impl Backend for Tally {
    fn input(
        &mut self,
        kind: Kind,
        owner: RoleId,
        _values: Option<&[i128]>,
        len: usize,
    ) -> Result<Secret> {
        self.step(cost::input(self.protocol, owner, self.timing) * Self::size(kind, len));
        Ok(Secret::dry(kind, len))
    }

    fn public(&mut self, kind: Kind, values: &[i128], len: usize) -> Secret {
        tags::public(self, Secret::dry(kind, len), values)
    }

    fn open(&mut self, secret: &Secret, receivers: &[RoleId]) -> Result<Option<Values>> {
        let to_all = receivers.len() == self.protocol.parties();
        let each = match secret.kind {
            Kind::Bits if to_all => cost::open_to_all(self.protocol),
            _ => cost::output(self.protocol, receivers),
        };
        self.tell(each * Self::size(secret.kind, secret.len));
        Ok(None)
    }

    fn multiply(&mut self, a: &Secret, b: &Secret, _bits: [u32; 2]) -> Result<Secret> {
        if let Some(product) = tags::product(self, Factors::Pairs(a.len), [a, b])? {
            return Ok(product);
        }
        self.results(a.kind, a.len, 1);
        Ok(Secret::dry(a.kind, a.len))
    }

    fn matrix_products(
        &mut self,
        (batches, shape): (usize, MatrixShape),
        a: &Secret,
        b: &Secret,
        _bits: [u32; 2],
    ) -> Result<Secret> {
        if let Some(product) = tags::matrix_products(self, (batches, shape), [a, b])? {
            return Ok(product);
        }
        let len = batches * shape.rows * shape.columns;
        let Kind::Ring(ring) = a.kind else {
            self.results(a.kind, len, shape.inner);
            return Ok(Secret::dry(a.kind, len));
        };
        (0..batches).for_each(|_| self.bill.add_matrix(ring.bits(), shape));
        self.multiply(cost::result_bytes(self.protocol, ring.bits(), len, shape.inner));
        Ok(Secret::dry(a.kind, len))
    }

    fn truncate(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::floor_shift(self, a, by);
        }
        Ok(self.block(a.ring().unwrap_or(Ring::W64), [2, 2], a.len))
    }

    fn widen(&mut self, a: &Secret, ring: Ring) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::widen(self, a, ring);
        }
        Ok(self.block(ring, [2, 2], a.len))
    }

    fn compose(&mut self, planes: &Planes, signed: bool, ring: Ring) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::compose(self, planes, signed, ring);
        }
        let words = planes.lanes.div_ceil(64) as u64;
        let bits = ring.bits();
        let small: u64 = (0..planes.planes as u64)
            .map(|i| (u64::from(bits) - 1).saturating_sub(i) * words * 8)
            .sum();
        let known = small + ring.bytes() * planes.lanes as u64;
        Ok(self.gadget([known, known], ring, planes.lanes))
    }

    fn bit_to_ring(&mut self, bits: &Secret, ring: Ring) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::bit_to_ring(self, bits, ring);
        }
        Ok(self.block(ring, [1, 1], bits.len))
    }

    fn inject(&mut self, bits: &Secret, a: &Secret) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::inject(self, bits, a);
        }
        Ok(self.block(a.ring().unwrap_or(Ring::W64), [2, 2], bits.len))
    }

    fn floor_shift(&mut self, a: &Secret, by: u32) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::floor_shift(self, a, by);
        }
        let ring = a.ring().unwrap_or(Ring::W64);
        self.masked_bits(a, ring.bits())?;
        let circuit = self.circuits.get(Name::Borrows { low: by, high: ring.bits() });
        let planes = Planes::dry(ring.bits() as usize, a.len);
        self.circuit(&circuit, &[&planes, &planes])?;
        Ok(self.block(ring, [3, 3], a.len))
    }

    fn group_sums(
        &mut self,
        groups: &[&Secret],
        a: Option<(&Secret, u32)>,
        ring: Ring,
    ) -> Result<Secret> {
        if self.protocol.proves_products() {
            return components::group_sums(self, groups, a.map(|(a, _)| a), ring);
        }
        let each = if a.is_some() { 2 } else { 1 };
        let known: usize = groups.iter().map(|bits| each * bits.len).sum();
        let known = ring.bytes() * known as u64;
        Ok(self.gadget([known, known], ring, groups.len()))
    }

    masked::comparisons!();

    fn shuffles(&mut self) -> Option<&mut dyn Shuffles> {
        let separate = self.timing == Timing::Late && self.protocol.ahead().is_some();
        if separate || !shuffle::has_shuffles(self.protocol) { None } else { Some(self) }
    }
}

impl Shuffles for Tally {
    fn hops(&mut self) -> Vec<RoleId> {
        shuffle::hops(self.protocol)
    }

    fn least_rows(&mut self) -> usize {
        shuffle::least_rows(self.protocol)
    }

    fn enter(&mut self, columns: Vec<Column>) -> Result<Vec<Column>> {
        if self.protocol.parties() == 4 {
            let bytes = columns.iter().map(|column| column.row_bytes() * column.len() as u64).sum();
            self.step(self.known([bytes, 0]));
        }
        Ok(columns)
    }

    fn leave(&mut self, columns: Vec<Column>) -> Vec<Column> {
        columns
    }

    fn draw(&mut self, hop: RoleId, _n: usize) -> Result<Hop> {
        Ok(Hop::dry(hop))
    }

    fn turn(&mut self, _hop: &Hop, _column: &mut Column) {}

    fn hop(&mut self, hop: &Hop, columns: &[Column], to: Range<usize>) -> Result<Vec<Column>> {
        let bytes = columns.iter().map(Column::row_bytes).sum::<u64>() * to.len() as u64;
        self.step(shuffle::cost(self.protocol, hop.which()) * bytes);
        let dry = |column: &Column| Column::Dry { rows: to.len(), bits: column.bits() };
        Ok(columns.iter().map(dry).collect())
    }

    fn proves(&mut self) -> bool {
        shuffle::proves_shuffles(self.protocol)
    }

    fn prove(&mut self, moves: &[(Hop, Vec<Column>)], after: &[Column]) -> Result<()> {
        let mut columns: BTreeMap<u32, usize> = BTreeMap::new();
        for column in moves.iter().flat_map(|(_, columns)| columns) {
            *columns.entry(column.bits()).or_default() += 1;
            // Numbers are proven like as many products, and a word of bits as one element, which costs as eight bits do.
            let bits = if column.bits() == 1 { 8 } else { u64::from(column.bits()) };
            self.products += Products::of(bits * column.len() as u64);
        }
        self.bill.add_moves(&columns, after.first().map_or(0, Column::len));
        Ok(())
    }

    fn row_dots(&mut self, rows: usize, a: &Secret, _b: &Secret) -> Result<Secret> {
        self.results(a.kind, rows, a.len.checked_div(rows).unwrap_or(0));
        Ok(Secret::dry(a.kind, rows))
    }

    fn open_places(&mut self, places: &Column, at: Range<usize>) -> Result<Buffer<u32>> {
        let bytes = places.row_bytes() * at.len() as u64;
        let opened = cost::open_to_all(self.protocol) * bytes;
        self.tell(opened);
        Ok(Buffer::default())
    }

    fn numbers(&mut self, n: usize) -> [Column; 2] {
        [1, 32].map(|bits| Column::Dry { rows: n, bits })
    }

    fn one(&mut self) -> [u32; 2] {
        [0; 2]
    }
}
