//! From the table to a filter.

use super::calls::{Answer, CALLS, Call, NEWEST, When};
use super::instruction::{ARCHITECTURE, NUMBER, any_bit, equals, give, greater, high, load, low};

const ALLOW: u32 = 0x7fff_0000;
const NOTIFY: u32 = 0x7fc0_0000;
const ERRNO: u32 = 0x0005_0000;

#[cfg(target_arch = "x86_64")]
pub(crate) const THIS: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
pub(crate) const THIS: u32 = 0xc000_00b7;

/// Whether refused calls are told to a supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// The filter answers itself.
    Off,
    /// A supervisor answers; where it is gone the kernel answers `ENOSYS`.
    On,
}

/// The filter, one `sock_filter` an element, without the calls of lifted classes.
///
/// A call of another architecture or of the x32 variant, and one newer than the table, answers `ENOSYS`.
pub(crate) fn filter(watch: Watch, lifted: &[&str]) -> Vec<u64> {
    let missing = match watch {
        Watch::On => NOTIFY,
        Watch::Off => ERRNO | libc::ENOSYS as u32,
    };
    let mut out = vec![
        load(ARCHITECTURE),
        equals(THIS, 1, 0),
        give(missing),
        load(NUMBER),
        // The numbers of x32 lie above all others.
        greater(NEWEST as u32, 0, 1),
        give(missing),
    ];
    for call in CALLS.iter().filter(|call| !lifted.contains(&call.class)) {
        let action = match (call.answer, watch) {
            (Answer::MissingSilently, _) | (_, Watch::Off) => ERRNO | call.errno() as u32,
            (_, Watch::On) => NOTIFY,
        };
        let body = body(call, action);
        out.push(equals(call.number as u32, 0, body.len() as u8));
        out.extend(body);
    }
    out.push(give(ALLOW));
    out
}

/// What stands behind a matching number. It leaves the number loaded when it does not end.
fn body(call: &Call, action: u32) -> Vec<u64> {
    match call.when {
        When::Always => vec![give(action)],
        When::Equals { argument, value } => {
            vec![
                load(low(argument)),
                equals(value, 0, 1),
                give(action),
                load(NUMBER),
            ]
        }
        When::AnyBit { argument, mask } => {
            vec![
                load(low(argument)),
                any_bit(mask, 0, 1),
                give(action),
                load(NUMBER),
            ]
        }
        When::BothBits { one, other } => vec![
            load(low(one.0)),
            any_bit(one.1, 0, 3),
            load(low(other.0)),
            any_bit(other.1, 0, 1),
            give(action),
            load(NUMBER),
        ],
        When::BothSet { first, other } => vec![
            load(low(first)),
            equals(0, 5, 0),
            load(low(other)),
            equals(0, 0, 2),
            load(high(other)),
            equals(0, 1, 0),
            give(action),
            load(NUMBER),
        ],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing)]
    use super::*;
    use proptest::prelude::*;

    /// Runs a filter as the kernel does.
    fn run(program: &[u64], architecture: u32, number: u32, arguments: [u64; 6]) -> u32 {
        let mut data = Vec::from(number.to_ne_bytes());
        data.extend(architecture.to_ne_bytes());
        data.extend([0; 8]);
        arguments
            .iter()
            .for_each(|argument| data.extend(argument.to_ne_bytes()));
        let (mut at, mut loaded) = (0, 0u32);
        loop {
            let bytes = program[at].to_ne_bytes();
            let k = u32::from_ne_bytes(bytes[4..].try_into().unwrap());
            at += 1;
            let jump = match u16::from_ne_bytes([bytes[0], bytes[1]]) {
                0x20 => {
                    let k = k as usize;
                    loaded = u32::from_ne_bytes(data[k..k + 4].try_into().unwrap());
                    continue;
                }
                0x06 => return k,
                0x15 => loaded == k,
                0x25 => loaded > k,
                0x45 => loaded & k != 0,
                other => unreachable!("{other:#x}"),
            };
            at += usize::from(bytes[if jump { 2 } else { 3 }]);
        }
    }

    fn refused(action: u32) -> bool {
        action != ALLOW
    }

    #[test]
    fn each_row_is_refused_and_its_neighbour_is_not() {
        let program = filter(Watch::On, &[]);
        for call in CALLS {
            let mut arguments = [0u64; 6];
            match call.when {
                When::Always => {}
                When::AnyBit { argument, mask } => {
                    arguments[usize::from(argument)] = u64::from(mask & mask.wrapping_neg())
                }
                When::Equals { argument, value } => {
                    arguments[usize::from(argument)] = u64::from(value)
                }
                When::BothBits { one, other } => {
                    arguments[usize::from(one.0)] = u64::from(one.1 & one.1.wrapping_neg());
                    assert_eq!(
                        run(&program, THIS, call.number as u32, arguments),
                        ALLOW,
                        "{} half",
                        call.name
                    );
                    arguments[usize::from(other.0)] = u64::from(other.1);
                }
                When::BothSet { first, other } => {
                    arguments[usize::from(first)] = 1;
                    arguments[usize::from(other)] = 1 << 40;
                }
            }
            assert!(
                refused(run(&program, THIS, call.number as u32, arguments)),
                "{}",
                call.name
            );
            // The upper half of a 32-bit argument is garbage and must not help (ENF-04).
            if let When::AnyBit { argument, .. } | When::Equals { argument, .. } = call.when {
                arguments[usize::from(argument)] |= 0xdead_beef << 32;
                assert!(
                    refused(run(&program, THIS, call.number as u32, arguments)),
                    "{} high bits",
                    call.name
                );
            }
            if call.when != When::Always {
                assert_eq!(
                    run(&program, THIS, call.number as u32, [0; 6]),
                    ALLOW,
                    "{} control",
                    call.name
                );
            }
            let lifted = filter(Watch::On, &[call.class]);
            assert_eq!(
                run(&lifted, THIS, call.number as u32, arguments),
                ALLOW,
                "{} lifted",
                call.name
            );
        }
    }

    #[test]
    fn foreign_and_unknown_calls_do_not_exist() {
        for (watch, missing) in [
            (Watch::Off, ERRNO | libc::ENOSYS as u32),
            (Watch::On, NOTIFY),
        ] {
            let program = filter(watch, &[]);
            assert_eq!(
                run(&program, 0x4000_0003, 11, [0; 6]),
                missing,
                "32-bit entry"
            );
            assert_eq!(
                run(&program, THIS, 0x4000_0000 | 59, [0; 6]),
                missing,
                "x32"
            );
            assert_eq!(
                run(&program, THIS, NEWEST as u32 + 1, [0; 6]),
                missing,
                "newer than the table"
            );
            assert_eq!(
                run(&program, THIS, libc::SYS_read as u32, [0; 6]),
                ALLOW,
                "control"
            );
        }
    }

    #[test]
    fn nothing_waits_for_a_supervisor_that_is_off() {
        let (off, on) = (filter(Watch::Off, &[]), filter(Watch::On, &[]));
        for call in CALLS {
            let arguments = [1 | u64::from(calls_value(call)); 6];
            let (off, on) = (
                run(&off, THIS, call.number as u32, arguments),
                run(&on, THIS, call.number as u32, arguments),
            );
            assert_eq!(refused(off), refused(on), "{}", call.name);
            assert_ne!(off, NOTIFY, "{}", call.name);
        }
    }

    fn calls_value(call: &Call) -> u32 {
        match call.when {
            When::Equals { value, .. } => value,
            When::AnyBit { mask, .. } => mask,
            When::BothBits { one, other } => one.1 | other.1,
            _ => 0,
        }
    }

    proptest! {
        /// The supervisor's own test and the filter's agree on every call.
        #[test]
        fn the_filter_and_the_table_agree(number in 0..=NEWEST as u32, arguments in any::<[u64; 6]>(), pick in any::<prop::sample::Index>(), odd in any::<bool>()) {
            let program = filter(Watch::On, &[]);
            let number = if odd { CALLS[pick.index(CALLS.len())].number as u32 } else { number };
            let found = Call::find(i64::from(number), &arguments);
            prop_assert_eq!(refused(run(&program, THIS, number, arguments)), found.is_some());
        }
    }
}
