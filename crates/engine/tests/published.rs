//! Published Bristol circuits under every protocol, with answers from outside: 64-bit arithmetic,
//! and the FIPS-197 and FIPS 180-4 vectors.

use std::path::PathBuf;
use tacit_circuit::{Circuit, formats};
use tacit_engine::circuit::{Compiled, Job, evaluate_with};
use tacit_engine::protocols;
use tacit_engine::values::Lanes;
use tacit_net::PartyId;
use tacit_net::memory::{self, MemoryNetwork};
use tacit_ring::{Entropy, entropy};

/// A published circuit; `None`, with a line, where the folder of published circuits is absent.
fn published(name: &str) -> Option<Circuit> {
    let folder = std::env::var_os("TACIT_SHARED").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")),
        PathBuf::from,
    );
    let path = folder.join("circuits").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        println!("SKIPPED: no published circuit {}", path.display());
        return None;
    };
    Some(formats::parse(name, &bytes, &formats::ReadOptions::default()).expect("a valid circuit"))
}

/// Lanes of numbers given as bits, most significant first, as hexadecimal digits.
fn lanes(numbers: &[&str]) -> Lanes {
    let width = numbers[0].len() * 4;
    let bit = |number: &str, bit: usize| {
        let digit = number.as_bytes()[number.len() - 1 - bit / 4] as char;
        u64::from(digit.to_digit(16).expect("a digit")) >> (bit % 4) & 1
    };
    let bits = (0..width).map(|index| {
        let word = numbers.iter().enumerate().map(|(lane, n)| bit(n, index) << lane);
        vec![word.sum()]
    });
    Lanes::from_bits(bits.collect(), numbers.len())
}

/// Evaluates under every protocol, inputs and outputs at different parties.
fn check(name: &str, inputs: &[Lanes], expected: &Lanes) {
    let Some(circuit) = published(name) else { return };
    let seed = entropy::test_seed();
    for protocol in protocols::on_bits() {
        let owners = (0..inputs.len()).map(|p| PartyId(p as u8)).collect();
        let last = protocol.parties() - 1;
        let mut job = Job::new(protocol, owners, vec![vec![PartyId(0), PartyId(last as u8)]]);
        job.instances = expected.instances();
        let opened =
            memory::run(protocol.parties(), 1, &MemoryNetwork::default(), |mut session| {
                let me = session.me().index();
                let compiled = Compiled::new(&circuit, job.clone()).expect("fits");
                let values = inputs.iter().enumerate();
                let values = values.map(|(port, l)| (port == me).then(|| l.clone())).collect();
                let mut entropy = Entropy::insecure_seeded(seed, session.me().0);
                let result = evaluate_with(&mut session, &compiled, values, &mut entropy, &|_| {});
                let result = result.expect("runs");
                session.finish().expect("ends");
                result.outputs.into_iter().next().expect("one output")
            });
        assert!(opened[0].as_ref() == Some(expected), "{name} under {protocol}");
        assert!(opened[last].as_ref() == Some(expected), "{name} under {protocol}");
        assert!(opened[1..last].iter().all(Option::is_none));
    }
}

fn arithmetic(name: &str, f: impl Fn(u64, u64) -> u64) {
    let a: [u64; 4] = [0, 1, u64::MAX, 0x0123_4567_89ab_cdef];
    let b: [u64; 4] = [0, u64::MAX, u64::MAX, 0xfedc_ba98_7654_3211];
    let text =
        |values: Vec<u64>| -> Vec<String> { values.iter().map(|v| format!("{v:016x}")).collect() };
    let pack = |values: Vec<u64>| {
        let text = text(values);
        lanes(&text.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let results = a.iter().zip(b).map(|(a, b)| f(*a, b)).collect();
    check(name, &[pack(a.to_vec()), pack(b.to_vec())], &pack(results));
}

#[test]
fn sixty_four_bit_arithmetic() {
    arithmetic("adder64.txt", u64::wrapping_add);
    arithmetic("sub64.txt", u64::wrapping_sub);
    arithmetic("mult64.txt", u64::wrapping_mul);
}

#[test]
fn aes_128_of_fips_197() {
    let key = lanes(&["000102030405060708090a0b0c0d0e0f"; 2]);
    let blocks = lanes(&["00112233445566778899aabbccddeeff"; 2]);
    let cipher = lanes(&["69c4e0d86a7b0430d8cdb78070b4c55a"; 2]);
    check("aes_128.txt", &[key, blocks], &cipher);
}

#[test]
fn sha_256_of_fips_180() {
    // The padded message "abc" and the initial state.
    let block = format!("61626380{:0120}", 18);
    let state = "6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19";
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    check("sha256.txt", &[lanes(&[&block]), lanes(&[state])], &lanes(&[digest]));
}
