//! Circuits that nobody here wrote, with known answers.

mod common;

use common::{bits_le, bytes_le, published};
use tacit_circuit::Circuit;
use tacit_circuit::formats::{
    Dialect, PortOrder, ReadOptions, TextOptions, binary, parse, read_file, write_text,
};
use tacit_ring::entropy::Rng;

fn load(name: &str, options: &ReadOptions) -> Option<Circuit> {
    let circuit = read_file(published(name)?, options).expect("a published file is well formed");
    Some(circuit)
}

fn as_in_file(name: &str) -> Option<Circuit> {
    load(name, &ReadOptions::default())
}

/// Two 64-bit ports in, one out, against wrapping integers.
fn check_word(name: &str, f: fn(u64, u64) -> u64) {
    let Some(c) = as_in_file(name) else { return };
    assert_eq!(c.input_widths(), [64, 64]);
    let mut rng = Rng(5);
    let extremes = [0, 1, u64::MAX, 1 << 63, (1 << 63) - 1];
    let mut pairs: Vec<(u64, u64)> =
        extremes.iter().flat_map(|&x| extremes.map(|y| (x, y))).collect();
    pairs.extend((0..40).map(|_| (rng.word(), rng.word())));
    for (x, y) in pairs {
        let out = c.eval(&[bits_le(&x.to_le_bytes()), bits_le(&y.to_le_bytes())]);
        assert_eq!(bytes_le(&out[0]), f(x, y).to_le_bytes(), "{name} {x} {y}");
    }
}

#[test]
fn words() {
    check_word("adder64.txt", u64::wrapping_add);
    check_word("sub64.txt", u64::wrapping_sub);
    check_word("mult64.txt", u64::wrapping_mul);
}

/// These files have the bytes of a port last first, each least significant bit first.
fn bytes_reversed() -> ReadOptions {
    let order = PortOrder { reverse_bytes: true, ..PortOrder::default() };
    ReadOptions { inputs: vec![order; 2], outputs: vec![order], ..ReadOptions::default() }
}

fn hex(s: &str) -> Vec<u8> {
    (0..s.len() / 2).map(|i| u8::from_str_radix(&s[2 * i..2 * i + 2], 16).expect("hex")).collect()
}

fn check_aes(c: &Circuit) {
    let key = hex("000102030405060708090a0b0c0d0e0f");
    let block = hex("00112233445566778899aabbccddeeff");
    let out = c.eval(&[bits_le(&key), bits_le(&block)]);
    assert_eq!(bytes_le(&out[0]), hex("69c4e0d86a7b0430d8cdb78070b4c55a"));
}

#[test]
fn aes_128() {
    let Some(c) = load("aes_128.txt", &bytes_reversed()) else { return };
    check_aes(&c);
}

fn check_sha256(c: &Circuit) {
    let mut block = b"abc\x80".to_vec();
    block.resize(63, 0);
    block.push(24);
    let iv = hex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19");
    let out = c.eval(&[bits_le(&block), bits_le(&iv)]);
    let want = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(bytes_le(&out[0]), want);
}

#[test]
fn sha256() {
    let Some(c) = load("sha256.txt", &bytes_reversed()) else { return };
    check_sha256(&c);
    let stats = c.stats();
    assert_eq!(
        (stats.and_count(), stats.and_depth, stats.xors, stats.nots),
        (22573, 1607, 110_644, 1856)
    );
    assert_eq!(c.gate_count(), 135_073);
}

#[test]
fn every_format_keeps_aes() {
    let Some(c) = load("aes_128.txt", &bytes_reversed()) else { return };
    for dialect in [Dialect::Auto, Dialect::Fashion, Dialect::Old, Dialect::Extended] {
        let text = write_text(&c, TextOptions { dialect, no_eqw: false }).expect("fits the format");
        let again = parse("again", &text, &ReadOptions::default()).expect("what we write we read");
        assert_eq!(again.digest(), c.digest());
    }
    let again =
        parse("again", &binary::write(&c), &ReadOptions::default()).expect("what we write we read");
    assert_eq!(again, c);
    check_aes(&again);
}

#[test]
fn the_order_option_works_on_the_binary_form() {
    let Some(plain) = as_in_file("sha256.txt") else { return };
    let c =
        parse("binary", &binary::write(&plain), &bytes_reversed()).expect("what we write we read");
    check_sha256(&c);
}
