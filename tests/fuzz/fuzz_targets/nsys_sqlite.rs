#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| weft_fuzz::try_input(bytes));
