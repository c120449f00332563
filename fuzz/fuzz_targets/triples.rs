//! Stored triples: any bytes are a piece of them or an error, and a piece is what it was when it is stored again.
//! (The digest of a store's file and its head are checked before.)
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_garbling::authenticated::{Piece, Stock};
use tacit_ring::Buffer;

fuzz_target!(|data: &[u8]| {
    let bytes = || {
        let mut bytes = Buffer::zeros(data.len());
        bytes.copy_from_slice(data);
        bytes
    };
    let _ = Stock::from_bytes(bytes());
    let Ok(piece) = Piece::from_bytes(bytes()) else { return };
    let size = piece.size();
    let bytes = piece.into_bytes().expect("what was read");
    let again = Piece::from_bytes(bytes).expect("what was written");
    assert_eq!(again.size(), size);
    // Whether it is of this party or not, and however long it says that it is.
    for (parties, role) in [(2, 0), (2, 1), (3, 2)] {
        if again.is_for(parties, role) {
            assert!(size[0] * parties <= data.len() && size[1] * parties <= data.len());
        }
    }
});
