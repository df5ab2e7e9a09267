//! System calls for which rustix has no function.
#![allow(unsafe_code)]

/// See landlock_create_ruleset(2) with `LANDLOCK_CREATE_RULESET_VERSION`. 0 where there is no Landlock.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: libc::c_ulong = 1;
    // SAFETY: with this flag the call takes no structure.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0usize,
            VERSION,
        )
    };
    u32::try_from(version).unwrap_or(0)
}
