//! A basis of a set of sums over GF(2).

/// Rows in echelon form: each has its own highest column.
pub(crate) struct Basis {
    words: usize,
    /// Row by highest column.
    pivot: Vec<Option<u32>>,
    rows: Vec<Vec<u64>>,
    vector: Vec<u64>,
}

impl Basis {
    /// For sums over this many columns.
    pub fn new(columns: usize) -> Basis {
        let words = columns.div_ceil(64);
        Basis { words, pivot: vec![None; columns], rows: Vec::new(), vector: vec![0; words] }
    }

    fn load(&mut self, columns: &[u32]) {
        self.vector.fill(0);
        for &c in columns {
            self.vector[c as usize / 64] ^= 1 << (c % 64);
        }
    }

    /// Highest column of the vector, at or below word `top`.
    fn highest(&self, top: usize) -> Option<(usize, usize)> {
        (0..=top).rev().find(|&i| self.vector[i] != 0).map(|i| (i, 64 * i + 63 - self.vector[i].leading_zeros() as usize))
    }

    /// Reduces the vector; calls `f` with each row used. Returns the highest column left.
    fn reduce(&mut self, mut f: impl FnMut(u32)) -> Option<usize> {
        let mut top = self.words.checked_sub(1)?;
        while let Some((word, column)) = self.highest(top) {
            top = word;
            let Some(row) = self.pivot[column] else { return Some(column) };
            f(row);
            for (v, r) in self.vector[..=word].iter_mut().zip(&self.rows[row as usize]) {
                *v ^= r;
            }
        }
        None
    }

    /// Adds a sum if it is not one of rows already there.
    pub fn insert(&mut self, columns: &[u32]) {
        self.load(columns);
        if let Some(column) = self.reduce(|_| {}) {
            self.pivot[column] = Some(self.rows.len() as u32);
            self.rows.push(self.vector.clone());
        }
    }

    /// The rows as lists of columns, and for each sum the rows that it is the sum of.
    pub fn finish<'a>(mut self, sums: impl Iterator<Item = &'a [u32]>) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let mut of = Vec::new();
        for columns in sums {
            self.load(columns);
            let mut used = Vec::new();
            self.reduce(|row| used.push(row));
            of.push(used);
        }
        let list = |row: &Vec<u64>| {
            (0..64 * self.words as u32).filter(|&c| row[c as usize / 64] >> (c % 64) & 1 == 1).collect()
        };
        (self.rows.iter().map(list).collect(), of)
    }
}
