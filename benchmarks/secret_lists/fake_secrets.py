"""Makes the lists that the secret redaction is measured on: fake secrets in realistic snippets, and ordinary text.

Every value is random and belongs to nobody. The lists have two halves, `dev` and `held-out`, with other seeds and
other surroundings; the patterns in `redact.py` were written while looking at the first only. Run this file to
write both lists again; a test checks that they still come out the same.
"""

from __future__ import annotations

import base64
import json
import os
import random
import string
from collections.abc import Callable, Iterator

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = {"dev": 20250117, "held-out": 88440021}
PER_KIND = 10
MARK = "§"

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = LOWER + UPPER + DIGITS
URLSAFE = ALNUM + "-_"
HEX = "0123456789abcdef"
B64 = ALNUM + "+/"

Maker = Callable[[random.Random], str]


def pick(rng: random.Random, alphabet: str, count: int) -> str:
    """Return `count` random characters."""
    return "".join(rng.choice(alphabet) for _ in range(count))


def shape(*parts: str | tuple[str, int]) -> Maker:
    """Return a maker of values: literal parts as they are, (alphabet, count) parts at random."""
    return lambda rng: "".join(part if isinstance(part, str) else pick(rng, *part) for part in parts)


def one_of(*makers: Maker) -> Maker:
    """Return a maker that calls one of these."""
    return lambda rng: rng.choice(makers)(rng)


def uuid(rng: random.Random) -> str:
    """Return a random value in the shape of a UUID."""
    return "-".join(pick(rng, HEX, count) for count in (8, 4, 4, 4, 12))


def jwt(rng: random.Random) -> str:
    """Return a JSON web token with a readable header and claims and a random signature."""
    claims = {
        "sub": pick(rng, DIGITS, 8),
        "name": rng.choice(["ada", "lin", "tove"]),
        "iat": 1700000000 + rng.randrange(10**7),
    }
    parts = [{"alg": rng.choice(["HS256", "RS256"]), "typ": "JWT"}, claims]
    head = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*head, pick(rng, URLSAFE, 43)])


def pem_body(rng: random.Random, joint: str = "\n") -> str:
    """Return a few lines of base64, as between the lines BEGIN and END of a key."""
    lines = [pick(rng, B64, 64) for _ in range(rng.randint(3, 8))]
    return joint.join([*lines, pick(rng, B64, 34) + "=="])


def pem_body_one_line(rng: random.Random) -> str:
    """Return the body of a key with its line ends written as backslash and n, as JSON has it."""
    return pem_body(rng, "\\n")


WORDS = [
    "harbor",
    "copper",
    "tractor",
    "violet",
    "glacier",
    "mango",
    "falcon",
    "ember",
    "quartz",
    "willow",
    "pepper",
    "saddle",
    "comet",
    "barrel",
]


def human_password(rng: random.Random) -> str:
    """Return a password as people make them: words, digits and a sign."""
    first, second = rng.sample(WORDS, 2)
    number, sign = rng.randint(10, 9999), rng.choice("!#%&*?")
    forms = [
        f"{first.title()}{number}{sign}",
        f"{first}-{second}-{number}",
        f"{first.replace('e', '3').replace('a', '4')}{second.title()}{number}",
        f"{sign}{second}{number}{first.title()}",
    ]
    return rng.choice(forms)


def machine_password(rng: random.Random) -> str:
    """Return a password as a generator makes it."""
    return rng.choice([pick(rng, ALNUM, 16), pick(rng, ALNUM + "-_!%^*~", 20), pick(rng, URLSAFE, 24)])


def url_password(rng: random.Random) -> str:
    """Return a password that may stand in a URL as it is."""
    return rng.choice([pick(rng, ALNUM, 18), rng.choice(WORDS) + pick(rng, DIGITS, 4), pick(rng, ALNUM + "-_.~!", 22)])


PASSWORD = one_of(human_password, machine_password)
OPAQUE = one_of(shape((HEX, 32)), shape((ALNUM, 40)), shape((URLSAFE, 43)), shape((HEX, 64)))

GITHUB = one_of(
    *(shape(f"gh{letter}_", (ALNUM, 36)) for letter in "pousr"),
    shape("github_pat_", (ALNUM, 22), "_", (ALNUM, 59)),
)
SLACK = one_of(
    shape("xoxb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (ALNUM, 24)),
    shape("xoxp-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 12), "-", (HEX, 32)),
    shape("xapp-1-A0", (UPPER + DIGITS, 9), "-", (DIGITS, 13), "-", (HEX, 64)),
)
OPENAI = one_of(
    shape("sk-proj-", (URLSAFE, 74), "T3BlbkFJ", (URLSAFE, 74)),
    shape("sk-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)),
    shape("sk-svcacct-", (URLSAFE, 58), "T3BlbkFJ", (URLSAFE, 58)),
)
GOOGLE_OAUTH = one_of(shape("GOCSPX-", (URLSAFE, 28)), shape("ya29.a0", (URLSAFE, 120)), shape("1//0", (URLSAFE, 60)))

# kind -> (maker, the name it usually has in an environment). These are known by their own shape, in any surroundings.
SHAPED: dict[str, tuple[Maker, str]] = {
    "aws-access-key-id": (
        one_of(*(shape(head, (UPPER + "234567", 16)) for head in ("AKIA", "ASIA"))),
        "AWS_ACCESS_KEY_ID",
    ),
    "github-token": (GITHUB, "GITHUB_TOKEN"),
    "gitlab-token": (
        one_of(shape("glpat-", (URLSAFE, 20)), shape("gldt-", (URLSAFE, 20)), shape("glrt-", (URLSAFE, 20))),
        "CI_JOB_TOKEN",
    ),
    "slack-token": (SLACK, "SLACK_BOT_TOKEN"),
    "stripe-key": (
        one_of(shape("sk_live_", (ALNUM, 24)), shape("rk_live_51", (ALNUM, 97)), shape("whsec_", (ALNUM, 32))),
        "STRIPE_KEY",
    ),
    "openai-key": (OPENAI, "OPENAI_API_KEY"),
    "anthropic-key": (shape("sk-ant-api03-", (URLSAFE, 93), "AA"), "ANTHROPIC_API_KEY"),
    "google-api-key": (shape("AIza", (URLSAFE, 35)), "MAPS_KEY"),
    "google-oauth": (GOOGLE_OAUTH, "GOOGLE_OAUTH"),
    "jwt": (jwt, "SESSION_JWT"),
    "npm-token": (shape("npm_", (ALNUM, 36)), "NPM_TOKEN"),
    "pypi-token": (shape("pypi-AgEIcHlwaS5vcmcC", (URLSAFE, 150)), "TWINE_PASSWORD"),
    "twilio-key": (shape("SK", (HEX, 32)), "TWILIO_API_SID"),
    "sendgrid-key": (shape("SG.", (URLSAFE, 22), ".", (URLSAFE, 43)), "SENDGRID_API_KEY"),
    "telegram-token": (shape("7", (DIGITS, 9), ":AA", (URLSAFE, 33)), "TELEGRAM_BOT"),
    "discord-token": (shape("MT", (ALNUM, 24), ".G", (URLSAFE, 5), ".", (URLSAFE, 38)), "DISCORD_BOT"),
    "huggingface-token": (shape("hf_", (LOWER + UPPER, 34)), "HF_TOKEN"),
    "digitalocean-token": (one_of(shape("dop_v1_", (HEX, 64)), shape("doo_v1_", (HEX, 64))), "DO_PAT"),
    "shopify-token": (one_of(shape("shpat_", (HEX, 32)), shape("shpss_", (HEX, 32))), "SHOPIFY_ADMIN"),
    "vault-token": (one_of(shape("hvs.", (URLSAFE, 24)), shape("hvs.CAESI", (URLSAFE, 90))), "VAULT_TOKEN"),
}

SHAPED_FRAMES = {
    "dev": [
        "NAME=§",
        "export NAME='§'",
        "curl -s -H 'X-Key: §' https://api.acme.test/v2/items?page=2",
        'services:\n  web:\n    environment:\n      NAME: §\n      DEBUG: "1"',
        'client = Client("§", timeout=30)',
        "ok here it is: § please do not paste it anywhere",
        "2025-03-04T11:20:31Z WARN auth: rejected credential § from 10.0.4.7",
        '{"user": "deploy", "credential": "§", "ttl": 3600}',
        "docker run --rm -e NAME=§ acme/worker:1.4",
        "- I set NAME to `§` in the pipeline, and the job went green.",
    ],
    "held-out": [
        '[auth]\nvalue = "§"\nretries = 3',
        "const client = new Api({ auth: '§', retry: true });",
        'os.Setenv("NAME", "§")',
        "FROM alpine:3.20\nENV NAME §\nRUN apk add curl",
        'variable "cred" {\n  default = "§"\n}',
        '{"type":"tool_result","content":"$ env | sort\\nHOME=/root\\nNAME=§\\nPWD=/app\\n"}',
        "HTTP 401 for https://api.acme.test/v1/me?auth=§&verbose=1",
        "E   AssertionError: assert '§' == 'expected'",
        "| staging | `§` | rotates monthly |",
        "hey, can you rotate §? it was in the build log (see line 48).",
    ],
}

# Known only by what stands around them.
KEYED: dict[str, Maker] = {
    "aws-secret-key": shape((B64, 40)),
    "slack-webhook": shape("T0", (UPPER + DIGITS, 8), "/B0", (UPPER + DIGITS, 8), "/", (ALNUM, 24)),
    "discord-webhook": shape("1184450113224560001/", (URLSAFE, 68)),
    "private-key": pem_body,
    "service-account": pem_body_one_line,
    "authorization": one_of(shape((ALNUM, 40)), shape((HEX, 64)), shape((URLSAFE, 32))),
    "basic-auth-url": url_password,
    "database-url": url_password,
    "azure-storage": shape((B64, 86), "=="),
    "twilio-auth-token": shape((HEX, 32)),
    "heroku-key": uuid,
    "datadog-key": one_of(shape((HEX, 32)), shape((HEX, 40))),
    "password": PASSWORD,
    "password-prose": PASSWORD,
    "api-key": OPAQUE,
    "command-line": one_of(PASSWORD, OPAQUE),
}

KEYED_FRAMES = {
    "dev": {
        "aws-secret-key": [
            "AWS_SECRET_ACCESS_KEY=§",
            "[default]\naws_secret_access_key = §\nregion = eu-west-1",
            'session = boto3.Session(aws_secret_access_key="§", region_name="us-east-1")',
            '{"SecretAccessKey": "§", "Expiration": "2025-01-01T00:00:00Z"}',
        ],
        "slack-webhook": [
            'curl -X POST -d \'{"text":"hi"}\' https://hooks.slack.com/services/§',
            "SLACK_WEBHOOK_URL=https://hooks.slack.com/services/§",
            "alerts go to https://hooks.slack.com/services/§ now",
        ],
        "discord-webhook": [
            "WEBHOOK=https://discord.com/api/webhooks/§",
            'requests.post("https://discord.com/api/webhooks/§", json=body)',
        ],
        "private-key": [
            "-----BEGIN RSA PRIVATE KEY-----\n§\n-----END RSA PRIVATE KEY-----\n",
            "cat id_ed25519\n-----BEGIN OPENSSH PRIVATE KEY-----\n§\n-----END OPENSSH PRIVATE KEY-----\nthat is all",
            "key: |\n-----BEGIN EC PRIVATE KEY-----\n§\n-----END EC PRIVATE KEY-----\nname: web",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n§\n-----END PGP PRIVATE KEY BLOCK-----",
        ],
        "service-account": [
            '{"type": "service_account", '
            '"private_key": "-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n"}',
            'GOOGLE_CREDENTIALS={"private_key":"-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n","x":1}',
        ],
        "authorization": [
            "curl -H 'Authorization: Bearer §' https://api.acme.test/me",
            "> Authorization: Bearer §\n> Accept: */*",
            'headers = {"Authorization": "Bearer §"}',
            "authorization: token §",
        ],
        "basic-auth-url": [
            "git clone https://deploy:§@git.acme.test/team/app.git",
            "http://admin:§@10.1.2.3:8080/status returned 200",
            'PROXY = "http://proxyuser:§@proxy.acme.test:3128"',
        ],
        "database-url": [
            "DATABASE_URL=postgres://app:§@db.internal:5432/app",
            'engine = create_engine("postgresql+psycopg://svc:§@localhost/shop")',
            "mongodb+srv://root:§@cluster0.acme.test/?retryWrites=true",
            "redis://:§@cache:6379/0",
        ],
        "azure-storage": [
            "DefaultEndpointsProtocol=https;AccountName=acmestore;AccountKey=§;EndpointSuffix=core.windows.net",
            'AZURE_STORAGE_CONNECTION_STRING="DefaultEndpointsProtocol=https;AccountName=a1;AccountKey=§"',
        ],
        "twilio-auth-token": [
            "TWILIO_AUTH_TOKEN=§",
            'client = TwilioClient(account_sid=sid, auth_token="§")',
            "twilio:\n  auth_token: §",
        ],
        "heroku-key": [
            "HEROKU_API_KEY=§",
            "heroku_api_key: §",
            "export HEROKU_API_KEY=§ && git push heroku main",
        ],
        "datadog-key": [
            "DD_API_KEY=§",
            "datadog:\n  api_key: §\n  site: datadoghq.eu",
            'docker run -e DD_APP_KEY="§" agent:7',
        ],
        "password": [
            "DB_PASSWORD=§",
            'password = "§"',
            '{"username": "ops", "password": "§"}',
            "postgres:\n  user: app\n  password: '§'",
            "conn = connect(host=host, user='app', password='§')",
            "Server=db;Database=shop;User Id=app;Password=§;Encrypt=true",
            '{"output": "user: app\\npassword: \\"§\\"\\n"}',
        ],
        "password-prose": [
            "the password is § and the user is admin",
            "Login with ops / the new password: §",
            "my wifi password is `§`, try again",
            "I changed the root password to § yesterday.",
        ],
        "api-key": [
            "WEATHER_API_KEY=§",
            'const apiKey = "§";',
            "client_secret: §",
            '"access_token": "§",',
            "secret_key = '§'",
            "x-api-key: §",
        ],
        "command-line": [
            "vault-cli login --password=§ --user ops",
            "deployctl push --token § --env prod",
            "curl -u 'ops:§' https://ci.acme.test/job/1",
            "mysql -h db -u root -p'§' shop",
        ],
    },
    "held-out": {
        "aws-secret-key": [
            'provider "aws" {\n  secret_key = "§"\n}',
            "aws configure set aws_secret_access_key §",
            "const creds = { secretAccessKey: '§' };",
            "- name: AWS_SECRET_ACCESS_KEY\n  value: §",
        ],
        "slack-webhook": [
            'notifier = SlackNotifier(url="https://hooks.slack.com/services/§")',
            "  webhook: 'https://hooks.slack.com/services/§' # ops channel",
        ],
        "discord-webhook": [
            "curl -F content=hi https://discordapp.com/api/webhooks/§",
            '{"hook": "https://canary.discord.com/api/webhooks/§"}',
        ],
        "private-key": [
            "Here is the key:\n\n```\n-----BEGIN PRIVATE KEY-----\n§\n-----END PRIVATE KEY-----\n```\nUse it.",
            'KEY = """-----BEGIN ENCRYPTED PRIVATE KEY-----\n§\n-----END ENCRYPTED PRIVATE KEY-----"""',
            "-----BEGIN DSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"
            "§\n-----END DSA PRIVATE KEY-----",
        ],
        "service-account": [
            'json.loads(\'{"private_key_id": "1", '
            '"private_key": "-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n"}\')',
            'FIREBASE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n§\\n-----END PRIVATE KEY-----\\n"',
        ],
        "authorization": [
            'req.Header.Set("Authorization", "Bearer §")',
            "fetch(url, { headers: { authorization: `Bearer §` } })",
            'http GET api.acme.test/me "Authorization: Token §"',
            "wget --header='Authorization: Basic §' https://files.acme.test/a.zip",
            'DEBUG send: b"GET / HTTP/1.1\\r\\nAuthorization: Bearer §\\r\\n"',
        ],
        "basic-auth-url": [
            "remote: https://x-access-token:§@github.com/acme/app.git (fetch)",
            "export HTTPS_PROXY=http://corp%5Cuser:§@10.0.0.1:8888",
            "index-url = https://reader:§@repo.acme.test/simple",
        ],
        "database-url": [
            "spring.datasource.url=jdbc:postgresql://app:§@db:5432/app",
            "  DSN: mysql://shop:§@tcp(db:3306)/shop",
            'conn, err := amqp.Dial("amqp://worker:§@mq.acme.test:5672/")',
            "psql postgresql://ops:§@10.2.0.4/metrics -c 'select 1'",
        ],
        "azure-storage": [
            "az storage blob list --connection-string 'BlobEndpoint=https://a.test/;AccountName=x;AccountKey=§'",
            "Endpoint=sb://bus.test/;SharedAccessKeyName=Root;SharedAccessKey=§",
        ],
        "twilio-auth-token": [
            "twilio_auth_token: '§'",
            "const client = twilio(accountSid, authToken = '§')",
            "the twilio auth token is §",
        ],
        "heroku-key": [
            "- name: HEROKU_API_KEY\n  value: '§'",
            'heroku = Heroku(api_key="§")',
            "HEROKU_AUTH_TOKEN: §",
        ],
        "datadog-key": [
            "helm install dd datadog/datadog --set datadog.apiKey=§",
            '{"DD-API-KEY": "§", "Content-Type": "application/json"}',
            "export DATADOG_APP_KEY=§",
        ],
        "password": [
            "spring.datasource.password=§",
            "<property><password>§</password></property>",
            "GRANT ALL ON shop.* TO 'app'; ALTER USER app IDENTIFIED WITH PASSWORD '§';",
            "const db = { user: 'root', password: \"§\", port: 3306 }",
            "  - MYSQL_ROOT_PASSWORD=§",
            "smtp_pass: §",
            'os.environ["ADMIN_PASSWORD"] = "§"',
            "PGPASSWORD=§ psql -h db -U app",
        ],
        "password-prose": [
            "For staging log in as qa with password § until Friday.",
            "pw for the NAS: §",
            "Passwort ist §, bitte nicht teilen",
            "user: admin, pass: §",
            "You can use `§` as the password for the demo account.",
        ],
        "api-key": [
            "api_key = '§'  # billing service",
            '  apiToken: "§"',
            "client-secret=§",
            "https://maps.acme.test/tiles?api_key=§&z=4",
            "ApiKey: §",
            'AUTH_TOKEN := "§"',
            'refreshToken?: string = "§"',
        ],
        "command-line": [
            "acmectl auth login --api-key §",
            "docker login -u bot -p § registry.acme.test",
            "sshpass -p '§' ssh ops@10.0.0.9",
            "curl --user ops:§ https://ci.acme.test/api",
            "mysqldump -uroot -p§ shop > shop.sql",
            "kubectl create secret generic db --from-literal=password=§",
        ],
    },
}


def snippets(half: str) -> Iterator[dict[str, str]]:
    """Yield ten snippets of each kind for one half: the kind, the text and the value that must go."""
    rng = random.Random(SEEDS[half])
    for kind, (maker, name) in SHAPED.items():
        frames = [frame.replace("NAME", name) for frame in SHAPED_FRAMES[half]]
        yield from _fill(rng, half, kind, maker, frames)
    for kind, maker in KEYED.items():
        yield from _fill(rng, half, kind, maker, KEYED_FRAMES[half][kind])


def _fill(rng: random.Random, half: str, kind: str, maker: Maker, frames: list[str]) -> Iterator[dict[str, str]]:
    for number in range(PER_KIND):
        value = maker(rng)
        text = frames[number % len(frames)].replace(MARK, value)
        yield {"half": half, "kind": kind, "text": text, "value": value}


NOUNS = [
    "order",
    "invoice",
    "widget",
    "session",
    "cache",
    "parser",
    "queue",
    "worker",
    "report",
    "ledger",
    "cursor",
    "index",
    "shard",
    "bucket",
]
VERBS = [
    "load",
    "parse",
    "merge",
    "fetch",
    "build",
    "render",
    "flush",
    "retry",
    "split",
    "rotate",
    "check",
    "update",
    "resolve",
]

# Lines with no secret in them. Upper-case names in braces are filled in below.
ORDINARY = [
    # Python
    'password = os.environ["{NOUN_UP}_PASSWORD"]',
    "def {VERB}_{NOUN}(token: str, password: str | None = None) -> {NOUN_CAP}:",
    "    token = self._tokens.get({NOUN}_id)",
    "self.password = password",
    "client = Client(api_key=settings.api_key, secret=config.secret_{NOUN}, timeout={INT})",
    "token: str",
    'parser.add_argument("--token", help="the token for {NOUN}s", default=None)',
    'assert response.json()["token_type"] == "bearer"',
    "password=None, secret=None, token=None",
    'API_KEY = os.getenv("{NOUN_UP}_API_KEY", "")',
    "tokens = tokenizer.encode(text, max_tokens={INT})",
    'hashlib.sha256(password.encode("utf-8")).hexdigest()',
    "password_hash = hash_password(password, rounds={SMALL})",
    'raise ValueError("password must be at least {SMALL} characters")',
    '_TOKEN = re.compile(r"[A-Za-z0-9_]{{20,}}")',
    "from {NOUN}.auth import token_required, {VERB}_secret",
    "{NOUN}s = [{VERB}({NOUN}) for {NOUN} in {NOUN}s if {NOUN}.key != key]",
    'secret = keyring.get_password("{NOUN}", user)',
    'cache_key = f"{NOUN}:{{user.id}}:v{SMALL}"',
    'password = getpass.getpass("Password: ")',
    "token = tokens[{SMALL}]",
    # JavaScript and TypeScript
    "const token = req.headers.authorization?.split(' ')[1];",
    "interface {NOUN_CAP}Props {{ token: string; apiKey?: string | null; password: string }}",
    "const apiKey = process.env.{NOUN_UP}_API_KEY ?? '';",
    "if (!password) throw new Error('password is required');",
    '<input type="password" name="password" placeholder="Enter your password" />',
    "export const {VERB}Token = async ({{ token, secret }}) => {{",
    "headers: {{ Authorization: `Bearer ${{token}}` }},",
    "  password: z.string().min({SMALL}),",
    "localStorage.setItem('token', token);",
    "import {{ {NOUN_CAP}Token }} from './{NOUN}-token.js';",
    "const secret = await client.getSecret('{NOUN}-secret');",
    # Go, Rust, SQL, CSS
    "func {NOUN_CAP}Token(ctx context.Context, password string) (string, error) {{",
    'Token string `json:"token"`',
    'token := os.Getenv("{NOUN_UP}_TOKEN")',
    "pub fn new(token: &str, secret: Option<String>) -> Self {{",
    'let api_key = std::env::var("{NOUN_UP}_API_KEY")?;',
    "password: password.into(), token: Token::default(),",
    "CREATE TABLE {NOUN}s (id BIGINT PRIMARY KEY, password_hash VARCHAR(255) NOT NULL, token UUID);",
    "SELECT id, token FROM {NOUN}s WHERE password = $1 AND secret = ?;",
    ".{NOUN}-password {{ color: #{HEX6}; background: url(data:image/png;base64,{B64LONG}); }}",
    "--token-color: #{HEX6};",
    # YAML, shell, Docker, CI
    "password: ${{{{ secrets.{NOUN_UP}_PASSWORD }}}}",
    "  token: {{{{ {NOUN}_token }}}}",
    'export {NOUN_UP}_TOKEN="$(cat /run/secrets/{NOUN}_token)"',
    "DB_PASSWORD=${{DB_PASSWORD:-changeme}}",
    "API_KEY=<your-api-key>",
    "password: changeme",
    'SECRET_KEY = "your-secret-key-here"',
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "        secretKeyRef:\n          name: {NOUN}-secret\n          key: password",
    "secret: projects/{INT}/secrets/{NOUN}/versions/{SMALL}",
    "curl -H 'Authorization: Bearer $TOKEN' https://api.acme.test/{NOUN}s/{INT}",
    "docker run -u 1000:1000 -p 8080:80 acme/{NOUN}:{SMALL}.{SMALL}",
    "FROM docker.acme.test/{NOUN}:1.{SMALL}@sha256:{HEX64}",
    "uses: acme/{VERB}-{NOUN}@{HEX40}",
    "git clone git@git.acme.test:team/{NOUN}.git && cd {NOUN}",
    "ssh://git@git.acme.test:2222/team/{NOUN}.git",
    "kubectl get secret {NOUN}-tls -o yaml > {NOUN}-secret.yaml",
    "DATABASE_URL=postgres://user:password@localhost:5432/{NOUN}",
    # Hashes, ids, lock files, logs
    "commit {HEX40}",
    "{HEX7} {VERB} the {NOUN} token before the password check (#{INT})",
    '      "integrity": "sha512-{B64LONG}==",',
    'checksum = "{HEX64}"',
    "    --hash=sha256:{HEX64}",
    "request_id={UUID} {NOUN}_id={UUID} status=200 tokens={INT}",
    'key = "{NOUN}/{UUID}"',
    "index {HEX7}..{HEX7} 100644",
    "{HEX64}  {NOUN}-{SMALL}.tar.gz",
    '  File "/srv/app/{NOUN}/{VERB}.py", line {INT}, in {VERB}_{NOUN}_token',
    "2025-0{DIGIT}-1{DIGIT}T10:0{DIGIT}:31Z INFO {NOUN}: token refreshed for user {INT}, expires in {INT}s",
    "usage: input_tokens={INT} output_tokens={INT} cache_read_tokens={INT}",
    '{{"total_tokens": {INT}, "token_count": {INT}, "max_tokens": {INT}, "id": "{UUID}"}}',
    "https://docs.acme.test/{NOUN}/token?page={SMALL}#password-reset",
    "src/{NOUN}/{VERB}_password.py | {SMALL} ++--",
    "TypeError: {VERB}Token is not a function at {NOUN_CAP}.{VERB} (/app/dist/{NOUN}.js:{INT}:{SMALL})",
    '"resolved": "https://packages.acme.test/{NOUN}/-/{NOUN}-{SMALL}.{SMALL}.{SMALL}.tgz#{HEX40}",',
    'etag: W/"{HEX40}"',
    # Prose
    "The password is stored as a hash, never as text; see the {NOUN} module.",
    "Please rotate the {NOUN} token every {SMALL} days and tell the team.",
    "I forgot my password for the {NOUN} service, can you send a reset link?",
    "The token is {SMALL} characters long and base64-encoded.",
    "We decided that the API key is read from the environment, not from the {NOUN} file.",
    "The secret is to {VERB} the {NOUN} before the {NOUN} is {VERB}ed.",
    "Set the password to something strong and put it into the vault.",
    "A bearer token is sent in the Authorization header; basic authentication is off.",
    "Wrong password: the {NOUN} rejects it with status 401.",
    "The key is to keep the {NOUN} small; {INT} rows were {VERB}ed in {SMALL} minutes.",
    "Use OAuth2 with PKCE; the client secret is not needed for a public client.",
    "password: the word that a person types; token: what a machine sends.",
    "She said the access token was expired since 2025-0{DIGIT}-1{DIGIT}.",
    "Das Passwort ist falsch, bitte noch einmal versuchen ({NOUN}).",
    "TODO: move the secret to the {NOUN} config, then delete token.json",
    "Passwords with sha256 are weak; prefer argon2id or bcrypt with cost 1{DIGIT}.",
]
ORDINARY_COUNT = 1500


def ordinary() -> Iterator[dict[str, str]]:
    """Yield snippets of prose and code, each with other names and numbers, none with a secret."""
    rng = random.Random(SEEDS["dev"] + 1)
    for number in range(ORDINARY_COUNT):
        yield {"text": ORDINARY[number % len(ORDINARY)].format(**_names(rng))}


def _names(rng: random.Random) -> dict[str, str | int]:
    noun = rng.choice(NOUNS)
    hexes = {f"HEX{count}": pick(rng, HEX, count) for count in (6, 7, 40, 64)}
    words = {"NOUN": noun, "NOUN_UP": noun.upper(), "NOUN_CAP": noun.title(), "VERB": rng.choice(VERBS)}
    numbers = {"INT": rng.randint(100, 99999), "SMALL": rng.randint(2, 64), "DIGIT": rng.randint(1, 9)}
    return {**hexes, **words, **numbers, "UUID": uuid(rng), "B64LONG": pick(rng, B64, 86)}


def encoded(rows: Iterator[dict[str, str]]) -> str:
    """Return the rows as lines of JSON, texts and values in base64.

    The values are fake, but the scanners of code hosts cannot know that and would raise an alarm for each.
    """
    return "".join(json.dumps({name: _hide(name, cell) for name, cell in row.items()}) + "\n" for row in rows)


def _hide(name: str, cell: str) -> str:
    return base64.b64encode(cell.encode()).decode() if name in ("text", "value") else cell


def read(name: str) -> list[dict[str, str]]:
    """Return the rows of a committed list, decoded."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [{key: _show(key, cell) for key, cell in row.items()} for row in rows]


def _show(name: str, cell: str) -> str:
    return base64.b64decode(cell).decode() if name in ("text", "value") else cell


def leaks(value: str, text: str) -> bool:
    """Say whether eight characters in a row of the value, or all of a shorter one, are still in the text."""
    return any(value[start : start + 8] in text for start in range(max(1, len(value) - 7)))


def lists() -> dict[str, str]:
    """Return the content of each committed list."""
    secrets = (row for half in SEEDS for row in snippets(half))
    return {"fake_secrets.jsonl": encoded(secrets), "ordinary_text.jsonl": encoded(ordinary())}


if __name__ == "__main__":
    for name, content in lists().items():
        with open(os.path.join(HERE, name), "w", encoding="utf-8") as file:
            file.write(content)
