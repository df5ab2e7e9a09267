//! Instructions of classic BPF, as seccomp takes them; see seccomp(2) and the kernel's `linux/filter.h`.

/// Offset of the call's number in `struct seccomp_data`.
pub(super) const NUMBER: u32 = 0;
/// Offset of the architecture.
pub(super) const ARCHITECTURE: u32 = 4;

/// Offset of the lower half of an argument (both architectures are little-endian).
pub(super) fn low(argument: u8) -> u32 {
    16 + 8 * u32::from(argument)
}

/// Offset of the upper half.
pub(super) fn high(argument: u8) -> u32 {
    low(argument) + 4
}

/// A `sock_filter`, as the 8 bytes that the kernel reads.
fn encode(code: u16, jt: u8, jf: u8, k: u32) -> u64 {
    let [a, b] = code.to_ne_bytes();
    let [k0, k1, k2, k3] = k.to_ne_bytes();
    u64::from_ne_bytes([a, b, jt, jf, k0, k1, k2, k3])
}

/// Loads a word of the call's description.
pub(super) fn load(offset: u32) -> u64 {
    encode(0x20, 0, 0, offset)
}

/// Goes `yes` or `no` instructions on, by whether the loaded word equals.
pub(super) fn equals(value: u32, yes: u8, no: u8) -> u64 {
    encode(0x15, yes, no, value)
}

/// The same by greater.
pub(super) fn greater(value: u32, yes: u8, no: u8) -> u64 {
    encode(0x25, yes, no, value)
}

/// The same by any common bit.
pub(super) fn any_bit(mask: u32, yes: u8, no: u8) -> u64 {
    encode(0x45, yes, no, mask)
}

/// Ends with an action.
pub(super) fn give(action: u32) -> u64 {
    encode(0x06, 0, 0, action)
}
