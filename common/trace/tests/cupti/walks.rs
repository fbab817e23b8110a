//! Buffers read by NVIDIA's library and by ours.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use weft_trace::cupti::{Activity, Buffer, Lengths, Unread, kind};

use super::install::{Install, cuda_12, cuda_13};
use super::library::Cupti;

/// Returns a record of random bytes with a given kind.
fn record(kind: u32, length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let noise = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    });
    let head = kind.to_ne_bytes();
    head.into_iter().chain(noise).take(length).collect()
}

/// Copies bytes into memory with the alignment that CUPTI needs.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks(8)
        .map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_ne_bytes(word)
        })
        .collect()
}

/// Generates the kinds and random seeds of the records of a buffer.
fn records() -> impl Strategy<Value = Vec<(u32, u64)>> {
    prop::collection::vec((prop::sample::select(&kind::ALL[..]), any::<u64>()), 0..200)
}

fn check(install: &Install) {
    let cupti = Cupti::load(install);
    assert_eq!(cupti.version(), install.version);
    let lengths = Lengths::of_version(cupti.version()).expect("a measured version");
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let walked = runner.run(&records(), |records| {
        let mut bytes = Vec::new();
        for (kind, seed) in &records {
            let length = lengths.of(*kind).expect("a known kind");
            bytes.extend(record(*kind, length, *seed));
        }
        let mut buffer = aligned(&bytes);
        let (theirs, ended) = cupti.walk(&mut buffer, bytes.len());
        prop_assert!(ended);
        prop_assert_eq!(theirs.len(), records.len());
        let theirs: Vec<_> = theirs
            .into_iter()
            .map(|range| Activity::parse(&bytes[range]))
            .collect();
        let ours: Vec<_> = Buffer::new(&bytes, lengths).collect();
        prop_assert_eq!(&ours, &theirs);
        prop_assert!(ours.iter().all(Result::is_ok));

        // A kind that is unknown to both. Both stop there, and agree on the records before.
        bytes.extend(record(0x5eed, 64, 7));
        let mut buffer = aligned(&bytes);
        let (theirs, ended) = cupti.walk(&mut buffer, bytes.len());
        let ours: Vec<_> = Buffer::new(&bytes, lengths).collect();
        prop_assert!(!ended);
        prop_assert_eq!(theirs.len(), records.len());
        prop_assert_eq!(ours.last(), Some(&Err(Unread::Unknown(0x5eed))));
        prop_assert_eq!(ours.len(), records.len() + 1);
        Ok(())
    });
    walked.expect("the same walk");
}

#[test]
fn walks_buffers_like_cuda_13_0() {
    if let Some(install) = cuda_13() {
        check(&install);
    }
}

#[test]
fn walks_buffers_like_cuda_12_4() {
    if let Some(install) = cuda_12() {
        check(&install);
    }
}
