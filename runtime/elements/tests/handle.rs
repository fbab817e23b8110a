//! Handles dereference to their values, and are equal only to themselves.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::Arc;

use weft_elements::Handle;

static ALIKE: [u8; 2] = [7, 7];

fn fixed(at: usize) -> Handle<dyn Debug + Sync> {
    Handle::fixed(&ALIKE[at])
}

fn shared() -> Handle<dyn Debug + Sync> {
    Handle::shared(Arc::new(7_u8))
}

#[test]
fn handles_compare_by_identity() {
    let all = [fixed(0), fixed(1), shared(), shared()];
    for (at, one) in all.iter().enumerate() {
        for (other_at, other) in all.iter().enumerate() {
            assert_eq!(one == other, at == other_at, "{at} and {other_at}");
        }
        assert_eq!(format!("{one:?}"), "7");
    }
    let distinct: HashSet<_> = all.iter().chain(&all).cloned().collect();
    assert_eq!(distinct.len(), 4);
    assert_eq!(fixed(1), fixed(1));
}

#[test]
fn handles_keep_shared_values_alive() {
    let value = Arc::new(5_u8);
    let first: Handle<u8> = value.clone().into();
    let second = first.clone();
    assert_eq!(Arc::strong_count(&value), 3);
    drop(first);
    assert_eq!((*second, Arc::strong_count(&value)), (5, 2));
    // The value has no bytes, but its reference count has an address.
    let [first, second] = [Handle::shared(Arc::new(())), Handle::shared(Arc::new(()))];
    assert_ne!(first, second);
}

#[test]
#[should_panic(expected = "without bytes")]
fn fixed_handle_rejects_zero_sized_values() {
    Handle::fixed(&());
}
