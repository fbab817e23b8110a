//! Calls that fail on a test's request.

use std::collections::BTreeMap;
use std::env;
use std::sync::{Mutex, OnceLock, PoisonError};

/// `NAME:N`, `NAME:N=CODE`, `NAME:N+`, `NAME:N+=CODE`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    name: String,
    call: u64,
    and_later: bool,
    code: Option<u32>,
}

fn parse(text: &str) -> Vec<Order> {
    let orders = text.split(',').filter_map(|part| {
        let (name, rest) = part.trim().split_once(':')?;
        let (call, code) = match rest.split_once('=') {
            Some((call, code)) => (call, Some(code.trim().parse().ok()?)),
            None => (rest, None),
        };
        let and_later = call.ends_with('+');
        let call = call.trim_end_matches('+').trim().parse().ok()?;
        Some(Order {
            name: name.trim().to_owned(),
            call,
            and_later,
            code,
        })
    });
    orders.collect()
}

/// Returns the error of this call, the next of its name, if it must fail; `otherwise` if the
/// request has no code.
pub(crate) fn failure(name: &str, otherwise: u32) -> Option<u32> {
    static ORDERS: OnceLock<Vec<Order>> = OnceLock::new();
    static CALLS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
    let orders = ORDERS.get_or_init(|| parse(&env::var("WEFT_EMULATED_FAIL").unwrap_or_default()));
    if !orders.iter().any(|order| order.name == name) {
        return None;
    }
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let number = calls.entry(name.to_owned()).or_default();
    *number += 1;
    let is_due = |order: &&Order| {
        order.name == name && (order.call == *number || order.and_later && order.call < *number)
    };
    orders
        .iter()
        .find(is_due)
        .map(|order| order.code.unwrap_or(otherwise))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_failure_orders() {
        let orders = parse("cuMemAlloc_v2:3, cuLaunchKernel:1+=719,nonsense,x:y");
        let expected = [
            ("cuMemAlloc_v2", 3, false, None),
            ("cuLaunchKernel", 1, true, Some(719)),
        ];
        let expected: Vec<Order> = expected
            .map(|(name, call, and_later, code)| Order {
                name: name.to_owned(),
                call,
                and_later,
                code,
            })
            .into();
        assert_eq!(orders, expected);
    }
}
