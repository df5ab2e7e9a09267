//! Builds `whybox-init`, the freestanding program that the library embeds.
//!
//! It is built by a cargo of its own, in a target directory of its own: its link arguments and its
//! profile must not reach anything else. `WHYBOX_INIT` names a program built elsewhere instead (for
//! packagers, and for type checks of a target that cannot be linked here).

use std::env::{var, var_os};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed=WHYBOX_INIT");
    println!("cargo::rerun-if-changed=build.rs");
    if var("CARGO_CFG_TARGET_OS").as_deref() != Ok("linux") {
        return ExitCode::SUCCESS;
    }
    match program() {
        Ok(path) => {
            println!("cargo::rustc-env=WHYBOX_INIT_PROGRAM={}", path.display());
            ExitCode::SUCCESS
        }
        Err(message) => {
            println!("cargo::error={message}");
            ExitCode::FAILURE
        }
    }
}

fn program() -> Result<PathBuf, String> {
    if let Some(path) = var_os("WHYBOX_INIT") {
        return std::path::absolute(path).map_err(|error| format!("WHYBOX_INIT: {error}"));
    }
    let need = |name: &str| var_os(name).ok_or_else(|| format!("cargo did not set {name}"));
    let source = PathBuf::from(need("DEP_WHYBOX_INIT_MANIFEST_DIR")?);
    let out = PathBuf::from(need("OUT_DIR")?).join("init");
    let target = var("TARGET").map_err(|error| format!("TARGET: {error}"))?;
    for part in ["Cargo.toml", "Cargo.lock", "build.rs", "src"] {
        println!("cargo::rerun-if-changed={}", source.join(part).display());
    }
    let mut cargo = Command::new(need("CARGO")?);
    cargo
        .args([
            "build",
            "--release",
            "--locked",
            "--features",
            "freestanding",
            "--bin",
            "whybox-init",
        ])
        .args(["--target", &target])
        .arg("--manifest-path")
        .arg(source.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&out);
    // What the outer build was given is for the outer build: flags for coverage or a sanitizer need a
    // standard library, and its build directory must stay its own.
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_TARGET_DIR",
    ] {
        cargo.env_remove(name);
    }
    for name in [
        "CARGO_TARGET_DIR",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
    ] {
        cargo.env_remove(name);
    }
    let status = cargo
        .status()
        .map_err(|error| format!("cannot start cargo for whybox-init: {error}"))?;
    let program = out.join(&target).join("release").join("whybox-init");
    if !status.success() || !Path::new(&program).is_file() {
        return Err(format!(
            "whybox-init was not built for {target} ({status}); set WHYBOX_INIT to a ready one"
        ));
    }
    Ok(program)
}
