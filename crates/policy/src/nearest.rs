//! What a misspelt word may have been meant to be.

/// A sentence that names the nearest of `words`, or all of them.
pub(crate) fn did_you_mean(word: &str, words: &[&str]) -> String {
    let near = words.iter().map(|w| (distance(word, w), *w)).min();
    match near {
        Some((1 | 2, near)) => format!("did you mean {near:?}?"),
        _ => format!("there are {}", words.join(", ")),
    }
}

/// Edit distance; words that differ much in length are simply far.
fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(row.first_mut().unwrap_or(&mut 0), i + 1);
        let mut left = i + 1;
        for (slot, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let best = (diagonal + usize::from(x != y))
                .min(left + 1)
                .min(*slot + 1);
            diagonal = std::mem::replace(slot, best);
            left = best;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
