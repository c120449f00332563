//! A "generator" whose output is written down: tests go through every choice of masks with it.

/// The bytes of its first stream; it has no other.
pub(super) struct Cipher(Vec<u8>);

impl Cipher {
    pub(super) fn new(bytes: Vec<u8>) -> Cipher {
        Cipher(bytes)
    }

    /// # Panics
    /// For another stream, or beyond the last byte: a test scripts exactly what is drawn.
    pub(super) fn fill(&self, stream: u64, position: u64, out: &mut [u8]) {
        assert_eq!(stream, 0, "a script has one stream");
        let start = position as usize * super::BLOCK;
        let bytes = self.0.get(start..start + out.len()).expect("the script is too short");
        out.copy_from_slice(bytes);
    }
}
