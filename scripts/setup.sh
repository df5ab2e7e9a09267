# shellcheck shell=bash
# What the other scripts install, on Debian and Ubuntu, and only where it is missing. To be sourced, in the root of
# the checkout.

# Runs a command as root: directly, or through sudo.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "this needs root, and there is no sudo: $*" >&2
        return 1
    fi
}

# Installs packages. The lists of a fresh machine are empty or old, so they are fetched first, once.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        echo "no apt-get here; install what these Debian packages hold: $*" >&2
        return 1
    fi
    refresh_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends "$@"
}

refresh_lists() {
    [ -n "${lists_are_fresh-}" ] || as_root apt-get update --quiet
    lists_are_fresh=yes
}

# Makes sure of programs, each given as PROGRAM or PROGRAM=PACKAGE[,PACKAGE...].
need_programs() {
    local one missing=()
    for one; do
        command -v "${one%%=*}" >/dev/null || missing+=("${one##*=}")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        local packages
        IFS=' ,' read -ra packages <<<"${missing[*]}"
        install_packages "${packages[@]}"
    fi
}

# Makes sure of a linker and of a Rust toolchain that is new enough, and of its place in PATH.
need_toolchain() {
    need_programs cc=gcc,libc6-dev
    # Without certificates nothing can be fetched; minimal machines have none.
    if command -v apt-get >/dev/null && [ ! -s /etc/ssl/certs/ca-certificates.crt ]; then
        install_packages ca-certificates
    fi
    local wanted
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
    is_new_enough "$wanted" && return
    # Where rustup puts its programs; a shell that was started before that does not know.
    export PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
    is_new_enough "$wanted" && return
    echo "installing a Rust toolchain ($wanted or newer)"
    command -v rustup >/dev/null || install_toolchain
    if command -v rustup >/dev/null; then
        rustup toolchain install stable --profile minimal --component rustfmt,clippy
        export RUSTUP_TOOLCHAIN=stable
    fi
    hash -r
    if ! is_new_enough "$wanted"; then
        echo "no Rust toolchain $wanted or newer could be installed; see https://rustup.rs" >&2
        return 1
    fi
}

is_new_enough() {
    local program
    for program in cargo rustc; do
        printf '%s\n%s\n' "$1" "$("$program" --version 2>/dev/null | cut -d' ' -f2)" | sort -C -V || return
    done
}

# rustup where the distribution has it (Debian 13, Ubuntu 24.04), else the toolchain that Debian keeps current for
# its browsers (Debian 12), else rustup from its makers.
install_toolchain() {
    refresh_lists
    if has_package rustup; then
        install_packages rustup
    elif has_package rustc-web; then
        install_packages rustc-web cargo-web
    else
        need_programs curl
        curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --no-modify-path
    fi
}

has_package() {
    [[ $(apt-cache policy "$1" 2>/dev/null) == *Candidate:\ [0-9]* ]]
}
