//! Where two texts differ, line by line, for people to read. The other one is a peer's: it may be anything.

use std::fmt::Write;
use tacit_net::clean_text;

/// Lines that are shown, at most, and bytes of each.
const SHOWN: usize = 80;
const SHOWN_BYTES: usize = 200;
/// Lines that are shown around a difference.
const AROUND: usize = 2;
/// Pairs of lines that are compared, at most: longer texts are shown to differ as a whole, but for how they begin and end.
const MOST_PAIRS: usize = 1 << 22;

/// A line of both texts, of mine, or of theirs, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Both(usize),
    Mine(usize),
    Theirs(usize),
}

/// A line without what it says of where it was written, as [`tacit_program::text::print_with_places`] has it.
fn bare(line: &[u8]) -> &[u8] {
    const MARK: &[u8] = b"  # ";
    let at = line.windows(MARK.len()).rposition(|part| part == MARK);
    // Texts may have anything between their quotation marks.
    let comment = at.filter(|at| !line[*at..].contains(&b'"'));
    &line[..comment.unwrap_or(line.len())]
}

/// What differs between my text and a peer's, as a unified diff without its head. Where a line was written makes no difference, and is
/// shown.
pub(super) fn between(mine: &str, theirs: &[u8]) -> String {
    let a: Vec<&[u8]> = mine.as_bytes().split(|byte| *byte == b'\n').collect();
    let b: Vec<&[u8]> = theirs.split(|byte| *byte == b'\n').collect();
    let [bare_a, bare_b] =
        [&a, &b].map(|lines| lines.iter().map(|it| bare(it)).collect::<Vec<_>>());
    let steps = steps(&bare_a, &bare_b);
    let near = |at: usize| {
        let around = &steps[at.saturating_sub(AROUND)..(at + AROUND + 1).min(steps.len())];
        around.iter().any(|step| !matches!(step, Step::Both(_)))
    };
    let (mut out, mut shown, mut left, mut last) = (String::new(), 0, 0, None);
    let (mut line_a, mut line_b) = (1, 1);
    for (at, step) in steps.iter().enumerate() {
        if near(at) && shown < SHOWN {
            if last != at.checked_sub(1) || at == 0 {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "@@ line {line_a}, line {line_b} there @@");
            }
            let (sign, line) = match step {
                Step::Both(line) => (' ', a[*line]),
                Step::Mine(line) => ('-', a[*line]),
                Step::Theirs(line) => ('+', b[*line]),
            };
            let _ = writeln!(out, "{sign}{}", clean_text(line, SHOWN_BYTES));
            (shown, last) = (shown + 1, Some(at));
        } else if !matches!(step, Step::Both(_)) {
            left += 1;
        }
        line_a += usize::from(!matches!(step, Step::Theirs(_)));
        line_b += usize::from(!matches!(step, Step::Mine(_)));
    }
    if left > 0 {
        let _ = writeln!(out, "and {left} more lines that differ");
    }
    out.truncate(out.trim_end().len());
    out
}

/// From one text to the other, with as many lines of both as there can be, unless the texts are long.
fn steps(a: &[&[u8]], b: &[&[u8]]) -> Vec<Step> {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (rest_a, rest_b) = (&a[start..], &b[start..]);
    let end = rest_a.iter().rev().zip(rest_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (n, m) = (rest_a.len() - end, rest_b.len() - end);
    let mut steps: Vec<Step> = (0..start).map(Step::Both).collect();
    if n.saturating_mul(m) <= MOST_PAIRS {
        // Lines that the rests have in common from a pair of lines on.
        let mut common = vec![0u32; (n + 1) * (m + 1)];
        let at = |i: usize, j: usize| i * (m + 1) + j;
        for (i, j) in (0..n).rev().flat_map(|i| (0..m).rev().map(move |j| (i, j))) {
            common[at(i, j)] = match rest_a[i] == rest_b[j] {
                true => common[at(i + 1, j + 1)] + 1,
                false => common[at(i + 1, j)].max(common[at(i, j + 1)]),
            };
        }
        let (mut i, mut j) = (0, 0);
        while i < n || j < m {
            if i < n && j < m && rest_a[i] == rest_b[j] {
                steps.push(Step::Both(start + i));
                (i, j) = (i + 1, j + 1);
            } else if j == m || (i < n && common[at(i + 1, j)] >= common[at(i, j + 1)]) {
                steps.push(Step::Mine(start + i));
                i += 1;
            } else {
                steps.push(Step::Theirs(start + j));
                j += 1;
            }
        }
    } else {
        steps.extend((0..n).map(|i| Step::Mine(start + i)));
        steps.extend((0..m).map(|j| Step::Theirs(start + j)));
    }
    steps.extend((0..end).map(|i| Step::Both(start + n + i)));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_differ_are_shown_with_what_is_around_them() {
        let mine = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n";
        let theirs = mine.replace("two", "zwei").replace("nine\n", "nine\nten\n");
        let shown = between(mine, theirs.as_bytes());
        let wanted = "@@ line 1, line 1 there @@\n one\n-two\n+zwei\n three\n four\n\
            @@ line 8, line 8 there @@\n eight\n nine\n+ten\n";
        assert_eq!(shown.trim_end(), wanted.trim_end(), "{shown}");
    }

    #[test]
    fn where_lines_were_written_is_shown_and_makes_no_difference() {
        let mine = "let v0 = a  # mine.py:3\nlet v1 = \"x  # y\"\nlet v2 = b  # mine.py:5\n";
        let theirs = "let v0 = a  # theirs.py:7\nlet v1 = \"x  # z\"\nlet v2 = c  # theirs.py:9\n";
        let shown = between(mine, theirs.as_bytes());
        let wanted = "@@ line 1, line 1 there @@\n let v0 = a  # mine.py:3\n-let v1 = \"x  # y\"\n\
            -let v2 = b  # mine.py:5\n+let v1 = \"x  # z\"\n+let v2 = c  # theirs.py:9\n";
        assert_eq!(shown, wanted.trim_end());
    }

    #[test]
    fn a_peer_that_sends_anything_is_shown_little_of_it() {
        let theirs = "x\u{1b}[2J\n".repeat(200_000);
        let shown = between("program a\nparties b\n", theirs.as_bytes());
        assert!(!shown.contains('\u{1b}') && shown.lines().count() < SHOWN + 3, "{shown}");
        assert!(shown.contains("more lines that differ"), "{shown}");
        let shown = between("a", &[0xff; 1 << 20]);
        assert!(shown.len() < 2000, "{}", shown.len());
        assert!(between("a\n", b"a\n").is_empty());
    }
}
