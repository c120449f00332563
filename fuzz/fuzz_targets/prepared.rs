//! What stores keep, and what is done with it: any bytes are prepared material or an error. (The digest
//! of a store's file and its head are checked before.)
#![no_main]

use libfuzzer_sys::fuzz_target;
use tacit_engine::circuit::StoredPreprocessing;

fuzz_target!(|data: &[u8]| {
    match StoredPreprocessing::insecure_from_bytes(data) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(prepared) => {
            let bytes = prepared.insecure_bytes().expect("what was read");
            assert!(StoredPreprocessing::insecure_from_bytes(&bytes).is_ok());
        }
    }
});
