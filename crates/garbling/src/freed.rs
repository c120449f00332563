//! What parties leave in memory that they have given back: no offset of labels, and never both labels
//! of a wire.
//!
//! An allocator of this binary keeps a copy of every block that a party frees. A list that grows by moving, and one that
//! is dropped without being wiped, leave their contents in such a block.
#![allow(unsafe_code)]

use crate::authenticated::{Authenticated, Sizes, open, set_up};
use crate::bmr::{AnyBmr, Bmr, Opening};
use crate::half_gates::HalfGates;
use crate::yao::Yao;
use crate::{Bits, Evaluate, Form, Garbling, Ports};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use tacit_circuit::Builder;
use tacit_circuit::schedule::Schedule;
use tacit_gmw::{Correlations, Delta};
use tacit_net::memory::{self, MemoryNetwork};
use tacit_net::{Mesh, PartyId};
use tacit_ring::Entropy;
use tacit_ring::entropy::test_seed;
use tacit_sharing::SharingError;

struct Keeping;

#[global_allocator]
static KEEPING: Keeping = Keeping;

const PARTIES: usize = 3;
/// Words that are kept of a party.
const WORDS: usize = 1 << 23;

/// What one party has freed.
struct Freed {
    words: [AtomicU64; WORDS],
    len: AtomicUsize,
}

static FREED: [Freed; PARTIES] =
    [const { Freed { words: [const { AtomicU64::new(0) }; WORDS], len: AtomicUsize::new(0) } };
        PARTIES];

thread_local! {
    /// The party that this thread plays.
    static ME: Cell<Option<usize>> = const { Cell::new(None) };
}

// SAFETY: all memory is the system allocator's, which is asked with the caller's layouts.
unsafe impl GlobalAlloc for Keeping {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeros, so that all of a block has been written when it is read.
        // SAFETY: as the caller promises of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises of this function.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Ok(Some(me)) = ME.try_with(Cell::get) {
            let (freed, words) = (&FREED[me], layout.size() / 8);
            let from = freed.len.fetch_add(words, Relaxed);
            for (i, place) in freed.words.iter().skip(from).take(words).enumerate() {
                // SAFETY: the block has this many whole words, which are still the caller's to give up.
                let word = unsafe { block.cast::<u64>().add(i).read_unaligned() };
                place.store(word, Relaxed);
            }
        }
        // SAFETY: as the caller promises of this function.
        unsafe { System.dealloc(block, layout) }
    }
}

impl Freed {
    /// All blocks of 16 bytes, at any word.
    fn blocks(&self) -> HashSet<u128> {
        let len = self.len.load(Relaxed);
        assert!((1..=WORDS).contains(&len), "{len} words were freed");
        let words: Vec<u64> = self.words[..len].iter().map(|word| word.load(Relaxed)).collect();
        let block = |pair: &[u64]| u128::from(pair[0]) | u128::from(pair[1]) << 64;
        words.windows(2).map(block).collect()
    }
}

/// Garbles and evaluates a circuit as `party` does, from keys of every party's own, and looks through what was freed.
fn nothing_is_left(
    name: &str,
    (parties, kind): (usize, Delta),
    party: impl Fn(&mut Mesh, &[PartyId], Correlations, Ports<'_>, &[Bits]) -> Result<(), SharingError>
    + Sync,
) {
    // One at a time: what parties free is kept in one place.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock();
    FREED.iter().for_each(|freed| freed.len.store(0, Relaxed));

    let mut b = Builder::new();
    let (x, y) = (b.input(2), b.input(2));
    let first = b.and2(x[0], y[0]);
    let sum = b.xor(first, y[1]);
    let not = b.not(sum);
    let second = b.and2(not, x[1]);
    let third = b.and2(second, first);
    b.output(&[third, sum]);
    let schedule = Schedule::new(&b.finish());
    let all: Vec<usize> = (0..parties).collect();
    let (inputs, outputs) = ([(0, 2), (parties - 1, 2)], [all]);
    let ports = Ports { schedule: &schedule, inputs: &inputs, outputs: &outputs, guards: 0 };
    let seed = test_seed();
    let offsets = memory::run(parties, 1, &MemoryNetwork::default(), |mut session| {
        let me = session.me().index();
        ME.set(Some(me));
        let mut entropy = Entropy::insecure_seeded(seed, me as u8);
        let (mesh, places) = (&mut session.meshes[0], PartyId::all(parties).collect::<Vec<_>>());
        let all = Correlations::exchange(mesh, b"session", &places, kind, &mut entropy);
        let mut all = all.unwrap();
        let offset = **all.worker().delta.as_ref().expect("one for all labels");
        let given: Vec<Bits> = (0..16)
            .map(|case| {
                let mine: &[u32] = match me {
                    0 => &[0, 1],
                    _ if me == parties - 1 => &[2, 3],
                    _ => &[],
                };
                let mut bits = Bits::zeros(mine.len());
                mine.iter().enumerate().for_each(|(i, bit)| bits.flip_if(i, case >> bit & 1 == 1));
                bits
            })
            .collect();
        party(mesh, &places, all, ports, &given).unwrap();
        ME.set(None);
        session.finish().unwrap();
        offset
    });
    let parties: Vec<HashSet<u128>> = FREED[..parties].iter().map(Freed::blocks).collect();
    for (me, (offset, blocks)) in offsets.into_iter().zip(&parties).enumerate() {
        assert!(!blocks.contains(&offset), "{name}: party {me} left its offset");
        // Zero is what was wiped. Labels of inputs are in messages that others have freed: those of the values, not both.
        let both = |block: &&u128| {
            let other = **block ^ offset;
            **block != 0 && parties.iter().any(|blocks| blocks.contains(&other))
        };
        let found = blocks.iter().filter(both).count();
        assert_eq!(
            found, 0,
            "{name}: party {me} left what with others' blocks gives both labels of wires"
        );
    }
}

#[test]
fn authenticated_garbling_leaves_no_offset_and_no_pair_of_labels() {
    for (parties, form) in [(2, Form::HalfGates), (3, Form::HalfGates), (2, Form::FourRows)] {
        let name = format!("authenticated, {parties} parties, {form:?}");
        nothing_is_left(
            &name,
            (parties, Delta::Authenticating),
            |mesh, places, mut all, ports, given| {
                let sid = set_up(mesh, places, all.worker(), b"session")?;
                let party = Authenticated::new(mesh, places, all.worker(), &sid, Sizes::of(1))?;
                let mut party = party.in_form(form);
                let ready = party.prepare(ports, given.len())?;
                let done = ready.run(party.mesh(), places, ports, given)?;
                drop(party);
                open(mesh, places, vec![done])?;
                Ok(())
            },
        );
    }
}

#[test]
fn bmr_leaves_no_offset_and_no_pair_of_labels() {
    for parties in [2, 3] {
        nothing_is_left("bmr", (parties, Delta::Common), |mesh, places, mut all, ports, given| {
            let party = Bmr::new(mesh, places, all.worker(), b"session", Opening::All)?;
            let mut party: AnyBmr<'_> = Box::new(party);
            let ready = party.prepare(ports, given.len())?;
            ready.run(party.mesh(), places, ports, given)?;
            Ok(())
        });
    }
}

#[test]
fn half_gates_leave_no_offset_and_no_pair_of_labels() {
    for parties in [2, 3] {
        let name = format!("half gates, {parties} parties");
        nothing_is_left(&name, (parties, Delta::Common), |mesh, places, mut all, ports, given| {
            let mut party = HalfGates::new(mesh, places, all.worker(), b"session")?;
            let ready = party.prepare(ports, given.len())?;
            ready.run(Garbling::mesh(&mut party), places, ports, given)?;
            Ok(())
        });
    }
}

#[test]
fn yao_leaves_no_offset_and_no_pair_of_labels() {
    nothing_is_left("yao", (2, Delta::Common), |mesh, places, mut all, ports, given| {
        let mut party = Yao::new(mesh, places, all.worker(), b"session")?;
        let ready = party.prepare(ports, given.len())?;
        ready.run(party.mesh(), places, ports, given)?;
        Ok(())
    });
}
