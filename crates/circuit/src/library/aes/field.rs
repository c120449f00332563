//! The S-box by its definition (FIPS 197): inversion in GF(2^8), then an affine map.

/// Product in GF(2^8) modulo x^8 + x^4 + x^3 + x + 1.
pub(super) fn multiply(mut x: u8, mut y: u8) -> u8 {
    let mut product = 0;
    while y != 0 {
        if y & 1 == 1 {
            product ^= x;
        }
        x = (x << 1) ^ if x & 0x80 != 0 { 0x1b } else { 0 };
        y >>= 1;
    }
    product
}

/// The S-box of one byte.
fn substitute(x: u8) -> u8 {
    let inverse = (0..254).fold(1, |power, _| multiply(power, x));
    (1..5).fold(inverse, |y, turn| y ^ inverse.rotate_left(turn)) ^ 0x63
}

/// The S-box.
pub fn sbox_table() -> [u8; 256] {
    std::array::from_fn(|x| substitute(x as u8))
}

/// The algebraic normal form of a Boolean function from its truth table: the
/// masks of the products with coefficient 1.
pub(super) fn normal_form(mut table: Vec<bool>) -> Vec<u16> {
    let mut step = 1;
    while step < table.len() {
        for x in (0..table.len()).filter(|x| x & step != 0) {
            table[x] ^= table[x ^ step];
        }
        step *= 2;
    }
    (0..table.len()).filter(|&mask| table[mask]).map(|mask| mask as u16).collect()
}
