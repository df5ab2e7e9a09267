//! Tells dependents where this package lies (its program is built by the build
//! script of the library that embeds it) and how the program is linked: static,
//! without a C library or start files, at a fixed address.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(dir) = std::env::var("CARGO_MANIFEST_DIR") {
        println!("cargo::metadata=manifest_dir={dir}");
    }
    if std::env::var_os("CARGO_FEATURE_FREESTANDING").is_some() {
        for arg in [
            "-nostartfiles",
            "-nostdlib",
            "-static",
            "-no-pie",
            "-Wl,--build-id=none",
            "-Wl,-z,noseparate-code",
        ] {
            println!("cargo::rustc-link-arg-bins={arg}");
        }
    }
}
