//! Names of environment variables that hold secrets, or open a way to them, as data.

/// Grows with every change of the tables.
pub(crate) const VERSION: u32 = 1;

/// Patterns of names that are dropped; `*` is any text, case does not matter.
const SECRET: &[&str] = &[
    // What a secret is called, whoever's it is.
    "*TOKEN",
    "*_TOKEN_*",
    "*TOKENS",
    "*SECRET*",
    "*PASSWORD*",
    "*PASSWD*",
    "*PASSPHRASE*",
    "*_PASS",
    "*_PWD",
    "*CREDENTIAL*",
    "*API_KEY*",
    "*APIKEY*",
    "*ACCESS_KEY*",
    "*PRIVATE_KEY*",
    "*SIGNING_KEY*",
    "*ENCRYPTION_KEY*",
    "*MASTER_KEY*",
    "*SERVICE_KEY*",
    "*_AUTH",
    "*_AUTHTOKEN*",
    "*:_AUTH*",
    "*BEARER*",
    "*_JWT",
    "*COOKIE*",
    "*_WEBHOOK_URL",
    // Addresses that carry a password.
    "DATABASE_URL",
    "*_DATABASE_URL",
    "*_DSN",
    "*CONNECTION_STRING*",
    "*CONNSTR*",
    "REDIS_URL",
    "*_REDIS_URL",
    "MONGO*_UR?",
    "AMQP_URL",
    "*_AMQP_URL",
    // Clouds and hosting: whole families, since most of their names hold or lead to keys.
    "AWS_*",
    "AZURE_*",
    "ARM_*",
    "GOOGLE_*",
    "GCLOUD_*",
    "CLOUDSDK_AUTH_*",
    "DIGITALOCEAN_*",
    "CLOUDFLARE_*",
    "CF_API_*",
    "ALICLOUD_*",
    "ALIBABA_CLOUD_*",
    "OS_AUTH_*",
    "OS_PASSWORD",
    "VAULT_*",
    "KUBECONFIG",
    "DOCKER_AUTH_CONFIG",
    "PULUMI_*",
    "TF_VAR_*",
    "TWINE_*",
    "GH_ENTERPRISE_*",
    "ACTIONS_*_URL",
    "ACTIONS_RUNTIME_*",
    "ACTIONS_ID_TOKEN_*",
    "CI_JOB_JWT*",
    "CI_REGISTRY_*",
    "SONAR_LOGIN",
    // Sockets and helpers that act in the user's name.
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "GPG_AGENT_INFO",
    "GNOME_KEYRING_*",
    "KEYRING_*",
    "DBUS_SESSION_BUS_ADDRESS",
    "XAUTHORITY",
    "DOCKER_HOST",
    "CONTAINER_HOST",
    "ICEAUTHORITY",
    "KRB5CCNAME",
    "PGPASSFILE",
    "NETRC",
];

/// Names that a pattern above covers but that hold no secret and are needed.
const HARMLESS: &[&str] = &[
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_DEFAULT_OUTPUT",
    "GOOGLE_CLOUD_PROJECT",
    "GOOGLE_CLOUD_REGION",
];

/// Whether a variable of this name is dropped unless a policy names it.
pub(crate) fn is_secret(name: &[u8]) -> bool {
    let matches = |pattern: &&str| matches(pattern.as_bytes(), name);
    SECRET.iter().any(matches) && !HARMLESS.iter().any(matches)
}

/// Matches `*` (any text) and `?` (any byte), ignoring case. Never backtracks further than to the last `*`.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while let Some(byte) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == b'?' || c.eq_ignore_ascii_case(byte) => {
                p += 1;
                n += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    p = at + 1;
                    n = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern
        .get(p..)
        .unwrap_or_default()
        .iter()
        .all(|c| *c == b'*')
}
