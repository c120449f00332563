//! Control frames of a peer: any bytes are frames or an error, and it makes no difference in
//! which pieces they arrive.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_net::testing::decode_frames;

fuzz_target!(|data: &[u8]| {
    let Some((&cut, bytes)) = data.split_first() else { return };
    let whole = decode_frames(bytes, usize::MAX);
    assert_eq!(decode_frames(bytes, usize::from(cut)), whole);
    // A frame has at least a length and a kind.
    assert!(whole.is_err() || whole.is_ok_and(|count| count <= bytes.len() / 5));
});
