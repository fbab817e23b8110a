//! Conversion of bytes to words of 64 bits, the unit of data between ranks and tiles.

/// Packs bytes into words. The last word is padded with zeros.
pub(crate) fn words_of(bytes: &[u8]) -> Vec<u64> {
    let (whole, rest) = bytes.as_chunks();
    let mut words: Vec<u64> = whole.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_ne_bytes(last));
    }
    words
}

/// Returns all bytes of some words.
pub(crate) fn bytes_of(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_round_trip_through_padded_words() {
        for length in 0..40 {
            let bytes: Vec<u8> = (1..=length).collect();
            let words = words_of(&bytes);
            assert_eq!(words.len(), bytes.len().div_ceil(8));
            let back = bytes_of(&words);
            let (own, rest) = back.split_at(bytes.len());
            assert_eq!(own, bytes);
            assert!(rest.len() < 8 && rest.iter().all(|byte| *byte == 0));
        }
    }
}
