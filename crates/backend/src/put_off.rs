//! Preprocessing of a program for a run in another session.

use super::Result;
use tacit_gmw::Pieces;
use tacit_proof::Stock;
use tacit_ring::{Buffer, Z2};
use tacit_sharing::party::{Fetched, Party};
use tacit_sharing::stored;

/// What one worker keeps of preprocessing: secret.
pub struct PutOff {
    /// What came ahead.
    fetched: Fetched,
    /// Triples of every ring, where products are made from such.
    bits: Option<Stock<Z2>>,
    w32: Option<Stock<u32>>,
    w64: Option<Stock<u64>>,
    w128: Option<Stock<u128>>,
    /// On masked values, operation after operation.
    pieces: Pieces,
}

/// How the parts of [`PutOff`] are kept.
type Parts = (Buffer<u8>, [Option<Buffer<u8>>; 4], Buffer<u8>);

impl PutOff {
    /// Encodes this for storage between two sessions. The bytes are as secret as what they encode.
    ///
    /// # Errors
    /// When it cannot be encoded.
    pub fn into_bytes(self) -> Result<Buffer<u8>> {
        let PutOff { fetched, bits, w32, w64, w128, pieces } = self;
        let stocks = [
            bits.map(Stock::into_bytes).transpose()?,
            w32.map(Stock::into_bytes).transpose()?,
            w64.map(Stock::into_bytes).transpose()?,
            w128.map(Stock::into_bytes).transpose()?,
        ];
        stored::encode::<Parts>(&(fetched.into_bytes()?, stocks, pieces.into_bytes()?))
    }

    /// Decodes what `into_bytes` gave in another session, and consumes the bytes.
    ///
    /// # Errors
    /// When the bytes are not such an encoding.
    pub fn from_bytes(bytes: Buffer<u8>) -> Result<Self> {
        let (fetched, [bits, w32, w64, w128], pieces): Parts = stored::decode(&bytes)?;
        Ok(PutOff {
            fetched: Fetched::from_bytes(fetched)?,
            bits: bits.map(Stock::from_bytes).transpose()?,
            w32: w32.map(Stock::from_bytes).transpose()?,
            w64: w64.map(Stock::from_bytes).transpose()?,
            w128: w128.map(Stock::from_bytes).transpose()?,
            pieces: Pieces::from_bytes(pieces)?,
        })
    }

    /// Takes it from a party that has done nothing else.
    pub(super) fn of(party: &mut Party<'_>) -> Self {
        PutOff {
            fetched: party.put_off(),
            bits: tacit_proof::store_products(party),
            w32: tacit_proof::store_products(party),
            w64: tacit_proof::store_products(party),
            w128: tacit_proof::store_products(party),
            pieces: Pieces::default(),
        }
    }

    /// Wraps the preprocessing of a party on masked values.
    pub(crate) fn of_pieces(pieces: Pieces) -> Self {
        let fetched = Fetched::default();
        PutOff { fetched, bits: None, w32: None, w64: None, w128: None, pieces }
    }

    /// For a party on masked values.
    pub(crate) fn into_pieces(self) -> Pieces {
        self.pieces
    }

    /// Gives it to a party that has done nothing yet.
    ///
    /// # Errors
    /// When parts are missing.
    pub(super) fn give(self, party: &mut Party<'_>) -> Result<()> {
        party.resume(self.fetched);
        tacit_proof::hold_products(party, self.bits)?;
        tacit_proof::hold_products(party, self.w32)?;
        tacit_proof::hold_products(party, self.w64)?;
        tacit_proof::hold_products(party, self.w128)
    }
}
