//! The entry point, and what the language needs where there is no standard library.

use core::arch::naked_asm;

/// The kernel enters here with the initial stack; nothing on it is needed.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn _start() -> ! {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("xor ebp, ebp", "and rsp, -16", "call {main}", "ud2", main = sym main);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("mov x29, xzr", "mov x30, xzr", "bl {main}", "brk #1", main = sym main);
}

extern "C" fn main() -> ! {
    crate::launch::run()
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    crate::control::fail(
        whybox_init::Stage::Start,
        0,
        u32::from(u16::MAX),
        rustix::io::Errno::NOTRECOVERABLE,
    )
}
