//! Medians and how sure they are.

/// A median with the 95 % interval of the order statistics, which assumes nothing of the distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Median {
    /// The median.
    pub(crate) value: f64,
    /// Where the interval starts.
    pub(crate) low: f64,
    /// Where it ends.
    pub(crate) high: f64,
}

/// The median of a sample; not a number for an empty one.
pub(crate) fn median(sample: &[f64]) -> Median {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    let count = sorted.len();
    let last = count.saturating_sub(1);
    let middle = f64::midpoint(at(last / 2), at(count / 2));
    // The ranks about the middle between which the true median lies: half the sample, less 1.96 deviations.
    let size = count as f64;
    let rank = (((size - 1.96 * size.sqrt()) / 2.0).max(0.0) as usize).min(last / 2);
    Median {
        value: middle,
        low: at(rank),
        high: at(last - rank),
    }
}

/// The median of the quotients of two samples that were taken in turns.
pub(crate) fn ratio(above: &[f64], below: &[f64]) -> Median {
    median(
        &above
            .iter()
            .zip(below)
            .map(|(above, below)| above / below)
            .collect::<Vec<_>>(),
    )
}

/// The median of the differences of two samples that were taken in turns.
pub(crate) fn difference(above: &[f64], below: &[f64]) -> Median {
    median(
        &above
            .iter()
            .zip(below)
            .map(|(above, below)| above - below)
            .collect::<Vec<_>>(),
    )
}

#[cfg(test)]
mod tests {
    use super::{Median, median, ratio};

    #[test]
    fn twenty_pairs_give_the_sixth_and_the_fifteenth() {
        let sample: Vec<f64> = (1..=20).rev().map(f64::from).collect();
        assert_eq!(
            median(&sample),
            Median {
                value: 10.5,
                low: 6.0,
                high: 15.0
            }
        );
    }

    #[test]
    fn a_few_pairs_give_the_whole_range() {
        assert_eq!(
            median(&[3.0, 1.0, 2.0]),
            Median {
                value: 2.0,
                low: 1.0,
                high: 3.0
            }
        );
        assert!(median(&[]).value.is_nan());
    }

    #[test]
    fn ratios_are_of_pairs_and_not_of_medians() {
        assert_eq!(ratio(&[2.0, 30.0, 4.0], &[1.0, 10.0, 4.0]).value, 2.0);
    }
}
