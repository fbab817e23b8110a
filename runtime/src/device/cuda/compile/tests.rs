use super::*;

#[test]
fn a_known_architecture_gets_a_cubin_and_a_newer_one_ptx() {
    let known = [75, 80, 90, 100];
    assert_eq!(target(90, &known), Some(Target::Cubin(90)));
    assert_eq!(target(121, &known), Some(Target::Ptx(100)));
    assert_eq!(target(89, &known), Some(Target::Ptx(80)));
    assert_eq!(target(70, &known), None);
}
