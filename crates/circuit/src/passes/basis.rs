//! A sparse basis of a set of sums over GF(2).

/// Where a row of a sparse basis comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// A single column.
    Column(u32),
    /// A natural sum, by position.
    Natural(usize),
    /// One of the sums, or a row of their echelon form.
    Other,
}

/// A sparse basis.
pub(crate) struct SparseBasis {
    /// The rows as lists of columns, and where they come from.
    pub rows: Vec<(Vec<u32>, Source)>,
    /// Each sum as the rows that it is the sum of.
    pub sums: Vec<Vec<u32>>,
}

/// A basis of the span of `sums`, which are lists of columns below `columns`. As many rows as
/// possible lie in the first `narrow` columns. Rows are the shortest that offer themselves:
/// single columns, `natural` sums that lie in the span, the sums themselves, rows of the
/// reduced echelon form (which do not mix parts of the sums that are independent).
pub(crate) fn sparse_basis(
    columns: usize,
    narrow: usize,
    sums: &[&[u32]],
    natural: &[Vec<u32>],
) -> SparseBasis {
    let mut span = Basis::new(columns);
    for s in sums {
        span.insert(s);
    }
    span.reduce_rows();
    let echelon = span.columns();
    let single: Vec<[u32; 1]> = (0..columns as u32).map(|c| [c]).collect();
    let mut offered: Vec<(&[u32], Source)> =
        single.iter().map(|c| (&c[..], Source::Column(c[0]))).collect();
    offered.extend(natural.iter().enumerate().map(|(i, s)| (s.as_slice(), Source::Natural(i))));
    offered.extend(sums.iter().map(|s| (*s, Source::Other)));
    offered.extend(echelon.iter().map(|s| (s.as_slice(), Source::Other)));
    offered.sort_by_key(|(s, _)| (s.iter().any(|&c| c as usize >= narrow), s.len()));
    let mut chosen = Basis::new(columns);
    let mut rows: Vec<(Vec<u32>, Source)> = Vec::new();
    for (s, source) in offered {
        if rows.len() == echelon.len() {
            break;
        }
        if span.contains(s) && chosen.insert(s) {
            rows.push((s.to_vec(), source));
        }
    }
    let sums = sums.iter().map(|s| chosen.express(s)).collect();
    SparseBasis { rows, sums }
}

/// Rows in echelon form: each has its own highest column.
struct Basis {
    words: usize,
    /// Row by highest column.
    pivot: Vec<Option<u32>>,
    rows: Vec<Vec<u64>>,
    /// For each row, which of the inserted sums it is the sum of.
    made_of: Vec<Vec<u64>>,
    vector: Vec<u64>,
    /// Which inserted sums the reduced vector has taken in.
    taken: Vec<u64>,
}

impl Basis {
    /// For sums over this many columns.
    fn new(columns: usize) -> Basis {
        let words = columns.div_ceil(64);
        Basis {
            words,
            pivot: vec![None; columns],
            rows: Vec::new(),
            made_of: Vec::new(),
            vector: vec![0; words],
            taken: Vec::new(),
        }
    }

    fn load(&mut self, columns: &[u32]) {
        self.vector.fill(0);
        for &c in columns {
            flip(&mut self.vector, c);
        }
        self.taken.clear();
        self.taken.resize(self.words, 0);
    }

    /// Highest column of the vector, in word `top` or below.
    fn highest(&self, top: usize) -> Option<(usize, usize)> {
        let word = (0..=top).rev().find(|&i| self.vector[i] != 0)?;
        Some((word, 64 * word + 63 - self.vector[word].leading_zeros() as usize))
    }

    /// Reduces the vector by the rows. Returns the highest column left.
    fn reduce(&mut self) -> Option<usize> {
        let mut top = self.words.checked_sub(1)?;
        while let Some((word, column)) = self.highest(top) {
            top = word;
            let Some(row) = self.pivot[column] else { return Some(column) };
            add(&mut self.vector, &self.rows[row as usize]);
            add(&mut self.taken, &self.made_of[row as usize]);
        }
        None
    }

    /// Whether a sum is one of rows.
    fn contains(&mut self, columns: &[u32]) -> bool {
        self.load(columns);
        self.reduce().is_none()
    }

    /// Adds a sum unless it is one of rows already; returns whether it was added.
    fn insert(&mut self, columns: &[u32]) -> bool {
        self.load(columns);
        let Some(column) = self.reduce() else { return false };
        let row = self.rows.len() as u32;
        flip(&mut self.taken, row);
        self.pivot[column] = Some(row);
        self.rows.push(self.vector.clone());
        self.made_of.push(self.taken.clone());
        true
    }

    /// Which inserted sums (in order of insertion) a sum is the sum of.
    fn express(&mut self, columns: &[u32]) -> Vec<u32> {
        self.load(columns);
        self.reduce();
        ones(&self.taken)
    }

    /// Clears each row's highest column from the other rows.
    fn reduce_rows(&mut self) {
        for column in 0..self.pivot.len() {
            let Some(row) = self.pivot[column] else { continue };
            let pivot = std::mem::take(&mut self.rows[row as usize]);
            for r in self
                .rows
                .iter_mut()
                .filter(|r| r.get(column / 64).is_some_and(|v| v >> (column % 64) & 1 == 1))
            {
                add(r, &pivot);
            }
            self.rows[row as usize] = pivot;
        }
    }

    /// The rows as lists of columns.
    fn columns(&self) -> Vec<Vec<u32>> {
        self.rows.iter().map(|r| ones(r)).collect()
    }
}

fn flip(bits: &mut [u64], at: u32) {
    bits[at as usize / 64] ^= 1 << (at % 64);
}

fn add(to: &mut [u64], row: &[u64]) {
    to.iter_mut().zip(row).for_each(|(v, r)| *v ^= r);
}

fn ones(bits: &[u64]) -> Vec<u32> {
    (0..64 * bits.len() as u32).filter(|&c| bits[c as usize / 64] >> (c % 64) & 1 == 1).collect()
}
