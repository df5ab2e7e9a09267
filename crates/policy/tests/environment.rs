//! Which variables a run gets.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use whybox_policy::{Context, Environment, Policy, ResolvedEnvironment};

fn resolve(environment: &Environment, names: &[&str]) -> ResolvedEnvironment {
    environment.resolve(names.iter().map(|name| (name.into(), "value".into())))
}

#[test]
fn needed_names_pass_and_secrets_do_not() {
    let needed = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "TERM",
        "COLORTERM",
        "TZ",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "EDITOR",
        "PAGER",
        "CARGO_HOME",
        "RUSTUP_HOME",
        "RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "GOPATH",
        "GOROOT",
        "JAVA_HOME",
        "NVM_DIR",
        "PYENV_ROOT",
        "VIRTUAL_ENV",
        "PYTHONPATH",
        "NODE_PATH",
        "NODE_OPTIONS",
        "LD_LIBRARY_PATH",
        "PKG_CONFIG_PATH",
        "CC",
        "CFLAGS",
        "MAKEFLAGS",
        "XDG_CONFIG_HOME",
        "XDG_RUNTIME_DIR",
        "CI",
        "GITHUB_ACTIONS",
        "GITHUB_SHA",
        "AWS_REGION",
        "GIT_AUTHOR_NAME",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "HTTP_PROXY",
        "NO_PROXY",
        "DISPLAY",
        "COLUMNS",
        "NO_COLOR",
        "PS1",
        "INIT_CWD",
        "KEYBOARD",
        "MONKEY",
        "TOKENIZERS_PARALLELISM",
        "SSL_CERT_FILE",
        "npm_config_cache",
        "npm_lifecycle_event",
    ];
    let secret = [
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "NPM_TOKEN",
        "CARGO_REGISTRY_TOKEN",
        "CARGO_REGISTRIES_X_TOKEN",
        "SLACK_BOT_TOKEN",
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "STRIPE_SECRET_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_PROFILE",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AZURE_CLIENT_SECRET",
        "DATABASE_URL",
        "PGPASSWORD",
        "MYSQL_PWD",
        "DB_PASS",
        "REDIS_URL",
        "MONGODB_URI",
        "SENTRY_DSN",
        "SSH_AUTH_SOCK",
        "KUBECONFIG",
        "DOCKER_AUTH_CONFIG",
        "VAULT_ADDR",
        "TWINE_PASSWORD",
        "npm_config__auth",
        "npm_config_//registry.npmjs.org/:_authToken",
        "secret",
        "DBUS_SESSION_BUS_ADDRESS",
        "TF_VAR_db",
        "APP_PRIVATE_KEY",
    ];
    let environment = Environment::pass();
    assert_eq!(
        resolve(&environment, &needed).dropped,
        Vec::<OsString>::new()
    );
    assert_eq!(resolve(&environment, &secret).vars, Vec::new());
    assert_eq!(resolve(&environment, &secret).dropped.len(), secret.len());
}

#[test]
fn lists_and_assignments_win() {
    let mut environment = Environment::empty();
    environment
        .allow("LC_*")
        .unwrap()
        .allow("API_KEY")
        .unwrap()
        .set("X", "set")
        .unwrap();
    let resolved = resolve(
        &environment,
        &["LC_ALL", "LC", "API_KEY", "API_KEYS", "X", "PATH"],
    );
    let names: Vec<_> = resolved
        .vars
        .iter()
        .map(|(name, _)| name.to_str().unwrap())
        .collect();
    assert_eq!(names, ["API_KEY", "LC_ALL", "X"]);
    assert_eq!(resolved.vars[2].1, "set");
    assert_eq!(resolved.dropped, ["API_KEYS", "LC", "PATH"]);
    for bad in ["", "A=B", "A\0", "A*B", "A**"] {
        assert!(environment.allow(bad).is_err(), "{bad:?}");
        assert!(environment.set(bad, "").is_err(), "{bad:?}");
    }
    assert!(environment.set("A", "\0").is_err());
}

#[test]
fn v11_names_that_are_not_utf8_are_judged_by_their_bytes() {
    let name = OsString::from_vec(b"\xff_TOKEN".to_vec());
    let plain = OsString::from_vec(b"\xff".to_vec());
    let vars = [(name.clone(), "v".into()), (plain.clone(), "v".into())];
    let resolved = Environment::pass().resolve(vars.into_iter());
    assert_eq!(resolved.dropped, [name]);
    assert_eq!(resolved.vars[0].0, plain);
}

#[test]
fn a_file_adds_to_its_presets_environment_or_replaces_it() {
    let read = |rest: &str| {
        let text = format!("version = 1\npreset = \"agent\"\n[environment]\n{rest}");
        Policy::from_toml(&text, "/p/p.toml".as_ref(), &Context::new("/p"))
            .unwrap()
            .environment()
            .clone()
    };
    let added = resolve(
        &read("allow = [\"MY_TOKEN\"]"),
        &["MY_TOKEN", "PATH", "OTHER_TOKEN"],
    );
    assert_eq!(added.dropped, ["OTHER_TOKEN"]);
    assert!(
        added
            .vars
            .iter()
            .any(|(name, value)| name == "TMPDIR" && value == "/tmp")
    );
    let replaced = resolve(
        &read("mode = \"allow\"\nallow = [\"PATH\"]"),
        &["MY_TOKEN", "PATH"],
    );
    assert_eq!(replaced.vars, [("PATH".into(), "value".into())]);
}
