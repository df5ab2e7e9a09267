//! Reading what strace writes (X2: a witness that is misread is none).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use proptest::prelude::*;
use whybox_oracle::trace::{Call, Event, Outcome, Value, events};

fn calls(text: &str) -> Vec<Call> {
    let events = events(text.as_bytes()).unwrap();
    events
        .into_iter()
        .filter_map(|event| match event {
            Event::Call(call) => Some(call),
            _ => None,
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect()
}

#[test]
fn a_call_has_its_parts() {
    let text = concat!(
        r#"3206<\x63\x61\x74> openat(AT_FDCWD<\x2f\x76>, "\x61\x22\x0a", O_RDONLY|O_CLOEXEC) = 3<\x2f\x76\x2f\x61>"#,
        "\n",
        r#"3206<\x63\x61\x74> newfstatat(3<\x2f\x61>(deleted), "", {st_mode=S_IFREG|0644, st_size=0, ...}, AT_EMPTY_PATH) = 0"#,
        "\n",
        r#"3206<\x63\x61\x74> access("\x62", R_OK) = -1 EACCES (Permission denied)"#,
        "\n",
    );
    let calls = calls(text);
    assert_eq!(calls[0].thread, 3206);
    assert_eq!(calls[0].comm, b"cat");
    assert_eq!(
        calls[0].arguments,
        [
            Value::Here(Some(b"/v".to_vec())),
            Value::Text(b"a\"\n".to_vec()),
            Value::Other("O_RDONLY|O_CLOEXEC".to_owned()),
        ]
    );
    let opened = Outcome::Value {
        number: 3,
        path: Some(b"/v/a".to_vec()),
    };
    assert_eq!(calls[0].outcome, opened);
    assert_eq!(calls[1].arguments[0], Value::Descriptor(3, b"/a".to_vec()));
    assert_eq!(calls[2].outcome, Outcome::Failed("EACCES".to_owned()));
}

#[test]
fn a_new_process_has_the_number_of_the_tracer() {
    let text = concat!(
        "31<\\x73\\x68> clone3({flags=CLONE_VM|CLONE_THREAD, child_tid=0x7f0, stack_size=0x8000, tls=0x7f0} => {parent_tid=[6]}, 88) = 6<\\x61> /* 3205 in strace's PID NS */\n",
        "31<\\x73\\x68> vfork() = 44<\\x61>\n",
    );
    let calls = calls(text);
    let number = |call: &Call| match call.outcome {
        Outcome::Value { number, .. } => number,
        Outcome::Failed(_) | Outcome::Unknown => panic!("no number"),
    };
    assert_eq!(number(&calls[0]), 3205);
    assert_eq!(number(&calls[1]), 44);
}

#[test]
fn interrupted_calls_are_put_together() {
    let text = concat!(
        "7<\\x61> vfork( <unfinished ...>\n",
        "8<\\x61> execve(\"\\x2f\\x62\", [\"\\x62\"], 0x55 /* 35 vars */ <unfinished ...>\n",
        "7<\\x61> <... vfork resumed>) = 8<\\x62>\n",
        "8<\\x62> <... execve resumed>) = 0\n",
        "9<\\x61> <... read resumed>\"\", 1) = 0\n",
    );
    let calls = calls(text);
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["vfork", "execve"]);
    // The name is that of the moment of the call.
    assert_eq!(calls[1].comm, b"a");
    assert_eq!(calls[1].arguments[0], Value::Text(b"/b".to_vec()));
}

#[test]
fn a_thread_that_executes_becomes_the_first() {
    let text = concat!(
        "12<\\x74> execve(\"\\x2f\\x62\", [], 0x55 /* 1 var */ <unfinished ...>\n",
        "11<\\x74> futex(0x1, FUTEX_WAIT, 0, NULL <unfinished ...>\n",
        "11<\\x62> +++ superseded by execve in pid 12 +++\n",
        "11<\\x62> <... execve resumed>) = 0\n",
        "11<\\x62> +++ exited with 0 +++\n",
    );
    let events = events(text.as_bytes()).unwrap();
    assert_eq!(events[0], Event::Superseded { old: 12, new: 11 });
    let Event::Call(call) = &events[1] else {
        panic!("no call")
    };
    assert_eq!((call.thread, call.name.as_str()), (11, "execve"));
    assert_eq!(events[2], Event::Exited(11));
}

#[test]
fn what_never_ended_has_no_outcome() {
    let told = "7<\\x61> openat(AT_FDCWD, \"\\x62\", O_RDONLY <unfinished ...>) = ?\n";
    let cut = "7<\\x61> openat(AT_FDCWD, \"\\x62\", O_RDONLY <unfinished ...>\n";
    for text in [told, cut] {
        let calls = calls(&format!("{text}7<\\x61> +++ killed by SIGKILL +++\n"));
        assert_eq!(calls[0].outcome, Outcome::Unknown);
        assert_eq!(calls[0].arguments[1], Value::Text(b"b".to_vec()));
    }
}

#[test]
fn what_is_not_understood_is_an_error() {
    let odd = "1<\\x61> chdir(\"\\x62\"x) = 0\n";
    for text in ["strace: odd\n", "1<\\x61> chdir(\"\\x62\n", odd] {
        assert!(events(text.as_bytes()).is_err(), "{text}");
    }
}

proptest! {
    #[test]
    fn any_name_is_read_as_it_is(name in proptest::collection::vec(1_u8.., 0..300), comm in proptest::collection::vec(1_u8.., 0..15)) {
        let text = format!("5<{}> chdir(\"{}\") = -1 ENOENT (No such file or directory)\n", hex(&comm), hex(&name));
        let calls = calls(&text);
        prop_assert_eq!(&calls[0].comm, &comm);
        prop_assert_eq!(&calls[0].arguments, &vec![Value::Text(name)]);
    }

    #[test]
    fn no_text_is_a_panic(text in proptest::collection::vec(any::<u8>(), 0..200), tail in "[0-9<>x(){}\"/*=. a-zA-Z+-]{0,60}") {
        let _ = events(&text);
        let _ = events(format!("1<\\x61> {tail}\n").as_bytes());
    }
}
