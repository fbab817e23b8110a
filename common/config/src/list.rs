//! Lists of numbers such as `0-3,8`, and equal parts of a whole.

/// Parses a list such as `0-3,8` into sorted, distinct numbers; `None` if it is malformed.
pub fn parse(list: &str) -> Option<Vec<usize>> {
    // More cores than any machine has, so that a typing error such as 0-99999999 is reported.
    const MAX_ITEMS: usize = 1 << 16;
    let mut numbers = Vec::new();
    for range in list.split(',').map(str::trim) {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last) = (number(first)?, number(last)?);
        if first > last || last >= MAX_ITEMS {
            return None;
        }
        numbers.extend(first..=last);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Some(numbers)
}

/// Digits only: `parse` alone would accept a sign.
fn number(text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

/// Formats numbers as a list: `0-3,8`.
pub fn show(numbers: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &number in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => ranges.push((number, number)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    shown.collect::<Vec<_>>().join(",")
}

/// Returns the size of one of `parts` parts of a whole, which are as equal as possible: the first
/// parts are the larger ones.
pub(crate) fn part(whole: usize, parts: usize, at: usize) -> usize {
    let parts = parts.max(1);
    whole / parts + usize::from(at < whole % parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_and_formats_integer_lists() {
        assert_eq!(parse("8,0-3, 2"), Some(vec![0, 1, 2, 3, 8]));
        assert_eq!(show(&[0, 1, 2, 3, 8, 10, 11]), "0-3,8,10-11");
        assert_eq!(show(&[]), "");
        for list in ["", "a", "3-1", "-1", "1-", "+1", "0-9999999999", "0,,1"] {
            assert_eq!(parse(list), None, "{list}");
        }
    }

    #[test]
    fn shares_sum_to_the_total() {
        let parts = |whole, parts| {
            (0..parts)
                .map(|at| part(whole, parts, at))
                .collect::<Vec<_>>()
        };
        assert_eq!(parts(8, 3), [3, 3, 2]);
        assert_eq!(parts(2, 4), [1, 1, 0, 0]);
        assert_eq!(part(5, 0, 0), 5);
    }
}
