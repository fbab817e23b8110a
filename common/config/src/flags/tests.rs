use super::*;

fn read(text: &str) -> Result<Flags, ConfigError> {
    Flags::from_text(text)
}

fn refused(text: &str) -> (ErrorKind, String) {
    let error = read(text).unwrap_err();
    (error.kind, error.to_string())
}

#[test]
fn accepts_both_flag_forms_and_last_value_wins() {
    let flags = read("--cpus 1 --profile --cpus=3 --profile=no").unwrap();
    assert_eq!(flags.number(Flag::Cpus), Some(3));
    assert_eq!(flags.switch(Flag::Profile), Some(false));
    assert_eq!(flags.number(Flag::Utility), None);
}

#[test]
fn quotes_preserve_spaces() {
    let flags = read(r#"--logdir "a b/c" --profile-name='it is'"#).unwrap();
    assert_eq!(flags.text(Flag::Logdir), Some("a b/c"));
    assert_eq!(flags.text(Flag::ProfileName), Some("it is"));
    assert_eq!(
        refused("--logdir 'a b"),
        (
            ErrorKind::Quoting,
            r#"WEFT_CONFIG '--logdir '\''a b': a quote is not closed; quote it as for a shell"#
                .into()
        )
    );
}

#[test]
fn switches_take_values_only_after_equals_sign() {
    assert_eq!(
        refused("--profile false"),
        (
            ErrorKind::StrayWord,
            "false: is not a flag; write flags as --flag or --flag=value".into()
        )
    );
}

#[test]
fn detects_help_among_other_flags() {
    assert!(read("--cpus 2 --help").unwrap().wants_help());
    assert!(!read("--cpus 2").unwrap().wants_help());
}

#[test]
fn error_messages_state_allowed_values() {
    let cases = [
        (
            "--cpus many",
            ErrorKind::BadValue,
            "--cpus many: it is not a whole number; give a whole number from 0 to 4096",
        ),
        (
            "--sysmem -1",
            ErrorKind::BadValue,
            "--sysmem -1: it is negative; give a size of at least 1 MiB, such as 4096 (MiB), 100M, 1.5GiB or 50%",
        ),
        (
            "--sysmem=0",
            ErrorKind::BadValue,
            "--sysmem 0: it is too small; give a size of at least 1 MiB, such as 4096 (MiB), 100M, 1.5GiB or 50%",
        ),
        (
            "--utility=2",
            ErrorKind::BadValue,
            "--utility 2: it is too large; give a whole number from 0 to 1",
        ),
        (
            "--profile=maybe",
            ErrorKind::BadValue,
            "--profile maybe: it is neither true nor false; give one of 0, 1, f, t, n, y, no, yes, false, true",
        ),
        (
            "--logdir --profile",
            ErrorKind::MissingValue,
            "--logdir: it needs a value; give a folder",
        ),
        (
            "--cpus",
            ErrorKind::MissingValue,
            "--cpus: it needs a value; give a whole number from 0 to 4096",
        ),
        (
            "--logdir=",
            ErrorKind::BadValue,
            "--logdir '': it is empty; give a folder",
        ),
        (
            "--profile-name a/b",
            ErrorKind::BadValue,
            "--profile-name a/b: it has a slash; give a name without a slash",
        ),
        (
            "--logging loud",
            ErrorKind::BadValue,
            "--logging loud: \"loud\" is not a level; give a level (off, error, warn, info, debug, trace), or subsystem=level pairs separated by commas",
        ),
        (
            "--run-id 12",
            ErrorKind::BadValue,
            "--run-id 12: it is not 32 hexadecimal digits; give 32 hexadecimal digits",
        ),
        (
            "--cpu 2",
            ErrorKind::UnknownFlag,
            "--cpu: no flag has this name; did you mean --cpus? --help lists all",
        ),
        (
            "--window-size=2",
            ErrorKind::UnknownFlag,
            "--window-size: no flag has this name; --help lists all",
        ),
        (
            "--dry-run",
            ErrorKind::LaunchFlag,
            "--dry-run: is not for WEFT_CONFIG; give it to `weft run`",
        ),
        (
            "prog",
            ErrorKind::StrayWord,
            "prog: is not a flag; write flags as --flag or --flag=value",
        ),
        (
            "--",
            ErrorKind::StrayWord,
            "--: is not a flag; write flags as --flag or --flag=value",
        ),
    ];
    for (text, kind, message) in cases {
        assert_eq!(refused(text), (kind, message.to_owned()), "{text}");
    }
}

#[test]
fn collects_words_of_repeated_flags() {
    let words = ["--nsys-extra=--trace=cuda -y", "--nsys-extra", "'a b'"].map(String::from);
    let flags = Flags::from_words(&words, Reader::Launcher).unwrap();
    assert_eq!(
        flags.words(Flag::NsysExtra),
        ["--trace=cuda", "-y", "a b"].map(String::from)
    );
}
