//! Eight kernels that most of a run's time goes into, each on its own, for `make bench-guard`.
//!
//! `kernels NAME` prepares the inputs of one kernel, and then runs it once inside [`measured`]. The script
//! `scripts/bench_guard.py` counts the instructions of that function alone by `valgrind --tool=callgrind`.
//! Without a name, this program prints the names.

use std::hint::black_box;
use tacit_backend::protocols::{REPLICATED, TRIO};
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::prg::{HalfGate, HalfGates, INSTANCES};
use tacit_ring::{Entropy, Key, Prg, Word, Z2, gf128, transpose};
use tacit_sharing::arrays::{self, Cut, MatrixShape, SharedVec};
use tacit_sharing::products::{self, Scratch};
use tacit_sharing::setup::Secrets;
use tacit_sharing::{Draws, Party, Protocol, Role, RoleVisitor, Shares};

const KERNELS: [(&str, fn()); 8] = [
    ("prg-fill", prg_fill),
    ("bit-transpose", bit_transpose),
    ("gf128-fold", gf128_fold),
    ("half-gate-garbling", half_gate_garbling),
    ("trio-products", || on_shares(TRIO, Kernel::Products)),
    ("replicated-products", || on_shares(REPLICATED, Kernel::Products)),
    ("matrix-product", || on_shares(REPLICATED, Kernel::Matrix)),
    ("circuit-level", || on_shares(TRIO, Kernel::Level)),
];

fn main() {
    let wanted = std::env::args().nth(1);
    match KERNELS.iter().find(|(name, _)| Some(*name) == wanted.as_deref()) {
        Some((_, run)) => run(),
        None => KERNELS.iter().for_each(|(name, _)| println!("{name}")),
    }
}

/// The only function whose instructions, and those of what it calls, are counted.
#[inline(never)]
fn measured(run: &mut dyn FnMut()) {
    run();
    // Something must follow the call, so that this function stays on the stack meanwhile.
    black_box(());
}

/// A megabyte of a pseudorandom stream.
fn prg_fill() {
    let prg = Prg::new(&Key::from_bytes([1; 16]));
    let mut out = vec![0; 1 << 20];
    measured(&mut || prg.fill(1, 0, black_box(&mut out)));
}

/// The transpose of a bit matrix of 4096 rows and 1024 columns.
fn bit_transpose() {
    let input: Vec<u64> = (0..4096 * 16).collect();
    let mut output = vec![0; input.len()];
    measured(&mut || transpose::transpose(4096, 1024, black_box(&input), &mut output));
}

/// An inner product of 16384 elements of GF(2^128).
fn gf128_fold() {
    let a: Vec<u128> = (1..=1 << 14).map(|i| i << 64 | i).collect();
    let b: Vec<u128> = a.iter().map(|a| a.rotate_left(17)).collect();
    measured(&mut || {
        black_box(gf128::inner_product(black_box(&a), &b));
    });
}

/// 1024 ANDs, garbled as half gates in eight instances side by side.
fn half_gate_garbling() {
    const GATES: usize = 1024;
    let place = |wire: usize| wire * INSTANCES;
    let gate = |i: usize| HalfGate { inputs: [place(i), place(i + 1)], to: place(GATES + 1 + i) };
    let gates: Vec<HalfGate> = (0..GATES).map(gate).collect();
    let mut labels: Vec<u128> = (0..place(2 * GATES + 1) as u128).map(|i| i << 64 | i).collect();
    let mut table = vec![0; 2 * INSTANCES * GATES];
    let halves = HalfGates::new([7; 16]);
    measured(&mut || {
        halves.garble(&[0; INSTANCES], &gates, 5, black_box(&mut labels), &mut table);
    });
}

/// What three parties compute on shares.
#[derive(Clone, Copy)]
enum Kernel {
    /// 8192 products of 64-bit integers: one message, so that the order in which threads meet changes nothing.
    Products,
    /// A product of matrices of 128 times 64 and 64 times 128 integers of 64 bits.
    Matrix,
    /// A level of 256 ANDs in 4096 lanes.
    Level,
}

/// Runs a kernel in all roles, each in a thread. All shares are zero: no kernel looks at values.
fn on_shares(protocol: Protocol, kernel: Kernel) {
    let places: Vec<PartyId> = PartyId::all(protocol.parties()).collect();
    memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
        let mesh = &mut session.meshes[0];
        let role = mesh.me().index();
        let mut entropy = Entropy::insecure_seeded(1, mesh.me().0);
        let mut secrets = Secrets::exchange(mesh, b"kernels", protocol, &places, &mut entropy)
            .expect("keys are exchanged");
        let mut keys = secrets.keys("kernels", 64, 1);
        let mut draws = keys[0].streams().draws().expect("no streams are used up");
        let mut party = Party::new(mesh, &places).expect("every role has its place");
        tacit_backend::visit::visit(
            protocol,
            role,
            OnShares { party: &mut party, draws: &mut draws, kernel },
        );
        drop(party);
        session.finish().expect("the session ends well");
    });
}

struct OnShares<'a, 'm, 'd> {
    party: &'a mut Party<'m>,
    draws: &'a mut Draws<'d>,
    kernel: Kernel,
}

impl RoleVisitor for OnShares<'_, '_, '_> {
    type Out = ();

    fn visit<P: Role>(self) {
        match self.kernel {
            Kernel::Products => self.products::<P>(),
            Kernel::Matrix => self.matrix::<P>(),
            Kernel::Level => self.level::<P>(),
        }
    }
}

impl OnShares<'_, '_, '_> {
    fn products<P: Role>(self) {
        let factors = || SharedVec::<u64>::zeros_of::<P>(1 << 13);
        let (a, b, mut out) = (factors(), factors(), factors());
        let mut scratch = Scratch::default();
        let mut run = || {
            let (party, cut) = (&mut *self.party, Cut::default());
            arrays::multiply::<P, _>(party, self.draws, &mut scratch, cut, [&a, &b], &mut out)
                .and_then(|()| party.flush())
                .expect("the network is in memory");
        };
        // Before, so that the memory transport has its buffers.
        run();
        measured(&mut run);
    }

    fn matrix<P: Role>(self) {
        let shape = MatrixShape { rows: 128, inner: 64, columns: 128 };
        let zeros = |rows: usize, columns| SharedVec::<u64>::zeros_of::<P>(rows * columns);
        let (a, b, mut out) = (zeros(128, 64), zeros(64, 128), zeros(128, 128));
        let mut scratch = Scratch::default();
        measured(&mut || {
            let (party, cut, factors) = (&mut *self.party, Cut::default(), [&a, &b]);
            arrays::matrix_product::<P, _>(
                party,
                self.draws,
                &mut scratch,
                cut,
                shape,
                factors,
                &mut out,
            )
            .and_then(|()| party.flush())
            .expect("the network is in memory");
        });
    }

    fn level<P: Role>(self) {
        const GATES: u32 = 256;
        let mut shares = Shares::<Z2>::of::<P>(2 * GATES as usize + 1, 4096 / Z2::LANES);
        let gate = |i| tacit_circuit::schedule::Product { a: i, b: i + 1, dst: GATES + 1 + i };
        let gates: Vec<_> = (0..GATES).map(gate).collect();
        let mut scratch = Scratch::default();
        measured(&mut || {
            let (party, draws) = (&mut *self.party, &mut *self.draws);
            products::begin::<P, _>(party, draws, &mut scratch, &mut shares, &gates)
                .and_then(|()| party.flush())
                .and_then(|()| {
                    products::finish::<P, _>(party, draws, &mut scratch, &mut shares, &gates)
                })
                .expect("the network is in memory");
        });
    }
}
