//! The memory functions that the compiler calls by name.
//!
//! Written in assembly, since a loop in Rust would be compiled to a call of itself.

use core::arch::naked_asm;

#[cfg(target_arch = "x86_64")]
mod arch {
    use super::naked_asm;

    /// See memcpy(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        naked_asm!("mov rax, rdi", "mov rcx, rdx", "rep movsb", "ret")
    }

    /// See memmove(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        naked_asm!(
            "mov rax, rdi",
            "mov rcx, rdx",
            "mov r8, rdi",
            "sub r8, rsi",
            "cmp r8, rdx",
            "jb 2f",
            "rep movsb",
            "ret",
            "2:",
            "lea rdi, [rdi + rdx - 1]",
            "lea rsi, [rsi + rdx - 1]",
            "std",
            "rep movsb",
            "cld",
            "ret",
        )
    }

    /// See memset(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
        naked_asm!(
            "mov r8, rdi",
            "mov eax, esi",
            "mov rcx, rdx",
            "rep stosb",
            "mov rax, r8",
            "ret"
        )
    }

    /// See memcmp(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
        naked_asm!(
            "xor eax, eax",
            "mov rcx, rdx",
            "test rcx, rcx",
            "jz 2f",
            "repe cmpsb",
            "je 2f",
            "movzx eax, byte ptr [rdi - 1]",
            "movzx ecx, byte ptr [rsi - 1]",
            "sub eax, ecx",
            "2:",
            "ret",
        )
    }

    /// See strlen(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn strlen(text: *const u8) -> usize {
        naked_asm!(
            "xor eax, eax",
            "2:",
            "cmp byte ptr [rdi + rax], 0",
            "je 3f",
            "inc rax",
            "jmp 2b",
            "3:",
            "ret"
        )
    }
}

#[cfg(target_arch = "aarch64")]
mod arch {
    use super::naked_asm;

    /// See memcpy(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "cbz x2, 3f",
            "ldrb w4, [x1], #1",
            "strb w4, [x3], #1",
            "sub x2, x2, #1",
            "b 2b",
            "3:",
            "ret"
        )
    }

    /// See memmove(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
        naked_asm!(
            "sub x3, x0, x1",
            "cmp x3, x2",
            "b.lo 4f",
            "mov x3, x0",
            "2:",
            "cbz x2, 3f",
            "ldrb w4, [x1], #1",
            "strb w4, [x3], #1",
            "sub x2, x2, #1",
            "b 2b",
            "3:",
            "ret",
            "4:",
            "cbz x2, 3b",
            "sub x2, x2, #1",
            "ldrb w4, [x1, x2]",
            "strb w4, [x0, x2]",
            "b 4b"
        )
    }

    /// See memset(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
        naked_asm!(
            "mov x3, x0",
            "2:",
            "cbz x2, 3f",
            "strb w1, [x3], #1",
            "sub x2, x2, #1",
            "b 2b",
            "3:",
            "ret"
        )
    }

    /// See memcmp(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
        naked_asm!(
            "2:",
            "cbz x2, 3f",
            "ldrb w3, [x0], #1",
            "ldrb w4, [x1], #1",
            "sub x2, x2, #1",
            "subs w3, w3, w4",
            "b.eq 2b",
            "mov w0, w3",
            "ret",
            "3:",
            "mov w0, wzr",
            "ret"
        )
    }

    /// See strlen(3).
    #[unsafe(naked)]
    #[unsafe(no_mangle)]
    unsafe extern "C" fn strlen(text: *const u8) -> usize {
        naked_asm!(
            "mov x1, x0",
            "mov x0, xzr",
            "2:",
            "ldrb w2, [x1, x0]",
            "cbz w2, 3f",
            "add x0, x0, #1",
            "b 2b",
            "3:",
            "ret"
        )
    }
}

/// See bcmp(3): as memcmp, of which only equality counts.
#[unsafe(naked)]
#[unsafe(no_mangle)]
unsafe extern "C" fn bcmp(a: *const u8, b: *const u8, count: usize) -> i32 {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("jmp memcmp");
    #[cfg(target_arch = "aarch64")]
    naked_asm!("b memcmp");
}
