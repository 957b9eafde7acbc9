"""More planted patterns, written after the code; looked at when it was decided what is proposed."""

from __future__ import annotations

from noise import Noise
from planted import Planted, asks, attempts, churn, detour, fails, loop, mends, overflow, reddens, refused, runs, says
from script import Script

_FAILED = ("failed-command",)
_UNREAD = (
    "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>",
    "Error: You must read the file before editing it.",
)
_OUT_OF_STEP = (
    "npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when your package.json and "
    "package-lock.json are in sync."
)
_NO_DEPENDENCY = (
    "[ERROR] Failed to execute goal on project core: Could not resolve dependencies: com.acme:legacy-auth:jar:2.{n} "
    "was not found in central"
)


def _unread(script: Script, noise: Noise) -> None:
    given = {"file_path": f"{script.folder}/{noise.words()['path']}", "old_string": "a", "new_string": "b"}
    script.call(script.dialect.edit, given, script.random.choice(_UNREAD), failed=True)


def _poll(script: Script, noise: Noise) -> None:
    for _ in range(4):
        script.run("tail -n 3 build.log", "waiting for the compiler")


def _search(script: Script, noise: Noise) -> None:
    script.search("MAX_UPLOAD_BYTES")


HELD = (
    Planted(
        "undefined",
        _FAILED,
        "tlsconfig",
        fails(("go build ./...", "go build ./cmd/{a}"), ("internal/mail/smtp.go:{n}:{m}: undefined: tlsConfig",)),
    ),
    Planted("no dependency", _FAILED, "legacy", fails(("mvn -q test", "mvn test -pl core"), (_NO_DEPENDENCY,))),
    Planted(
        "not logged in",
        _FAILED,
        "kubectl",
        fails(
            ("kubectl apply -f k8s/", "kubectl apply -f k8s/{a}.yaml"),
            ("error: You must be logged in to the server (Unauthorized)",),
        ),
    ),
    Planted("lock out of step", _FAILED, "npm ci", fails(("npm ci", "npm ci --no-audit"), (_OUT_OF_STEP,))),
    Planted(
        "missing gem",
        _FAILED,
        "rake",
        fails(
            ("bundle exec rspec", "bundle exec rspec spec/{a}_spec.rb"),
            ("Could not find rake-13.{n} in locally installed gems\nRun `bundle install` to install missing gems.",),
        ),
    ),
    Planted(
        "missing settings",
        _FAILED,
        "local.yaml",
        fails(
            ("cat config/settings.local.yaml", "head -20 config/settings.local.yaml"),
            ("cat: config/settings.local.yaml: No such file or directory",),
        ),
    ),
    Planted(
        "managed environment",
        _FAILED,
        "externally",
        fails(
            ("pip install -r requirements.txt", "pip3 install {a}"),
            ("error: externally-managed-environment\n\n× This environment is externally managed",),
        ),
    ),
    Planted(
        "commit hook",
        _FAILED,
        "subject",
        fails(
            ("git commit -m '{a}'", "git commit -am 'Change {b}'"),
            ("✖   subject may not be empty [subject-empty]\n✖   found 1 problems\nhusky - commit-msg hook exited",),
        ),
    ),
    Planted(
        "no key",
        _FAILED,
        "publickey",
        fails(
            ("ssh deploy@10.0.0.{n} uptime", "ssh deploy@10.0.0.{n} systemctl restart {a}"),
            ("deploy@10.0.0.{n}: Permission denied (publickey).",),
            255,
        ),
    ),
    Planted(
        "wrong type",
        _FAILED,
        "incompatible",
        fails(
            ("poetry run mypy .", "mypy app"),
            ('app/models.py:{n}: error: Incompatible types in assignment (expression has type "None")  [assignment]',),
        ),
    ),
    Planted(
        "one page that fails",
        _FAILED,
        "voucher",
        fails(
            ("npx playwright test", "npx playwright test --project=chromium"),
            ("Running {n} tests\n  ✘  1 [chromium] › checkout.spec.ts:{n}:5 › pays with voucher (3{m}ms)\n  1 failed",),
        ),
    ),
    Planted(
        "rerun loop",
        ("retry-loop",),
        "rerun",
        loop("gh run rerun 4711 --failed", "HTTP 403: Resource not accessible by integration"),
    ),
    Planted("waiting loop", ("retry-loop",), "build.log", _poll),
    Planted(
        "churn",
        ("edit-churn",),
        "dockerfile",
        churn("deploy/Dockerfile", 6, "docker build -t acme ."),
        one_project=True,
    ),
    Planted(
        "where tests are",
        ("correction",),
        "spec",
        says(
            "No! Tests go into spec/, not tests/.",
            "Wrong place: tests belong in spec/, not in tests/.",
            "I said spec/, not tests/.",
            "Don't put tests into tests/, we use spec/.",
        ),
    ),
    Planted(
        "comments",
        ("correction",),
        "comments",
        says(
            "Stop writing comments that repeat the code.",
            "No more comments that repeat the code, please.",
            "I don't want comments which repeat the code!",
            "You keep writing comments that only repeat the code.",
        ),
    ),
    Planted(
        "version",
        ("correction",),
        "version",
        says(
            "Don't bump the major version without a changelog entry.",
            "No, never bump a major version without an entry in the changelog!",
            "You should not bump the major version without a changelog entry.",
        ),
    ),
    Planted(
        "unfinished",
        ("low-rating",),
        "",
        says("4 - half of it is missing", "3: you forgot the tests", "2/10 this is unfinished", "3 - incomplete again"),
    ),
    Planted(
        "too much",
        ("low-rating",),
        "",
        says("3 - way too complicated", "4/10 overengineered", "3: needlessly complex", "2 - far too complex for that"),
    ),
    Planted(
        "clean",
        ("high-rating",),
        "",
        says("9 - very clean code", "10: clean and readable", "8/10 nice clean solution", "9 - clean work"),
    ),
    Planted(
        "install refused",
        ("permission-denied",),
        "apt",
        refused("sudo apt-get install -y {a}", "sudo apt-get install {b} {a}"),
    ),
    Planted("publish refused", ("permission-denied",), "publish", refused("npm publish", "npm publish --tag next")),
    Planted("long way", ("long-detour",), "scheduler", detour("lib/scheduler/tick.rb"), one_project=True),
    Planted(
        "many attempts",
        ("long-detour",),
        "openssl",
        attempts(
            "openssl req {option}",
            ("-x509 -new", "-newkey rsa", "-key a.pem", "-subj /CN", "-batch -utf8"),
            "req: unable to load {option}",
            "openssl req -x509 -newkey rsa:4096 -nodes -batch",
        ),
    ),
    Planted(
        "copy mends",
        ("fix-worked",),
        "env.example",
        mends("make dev", "Error: file .env not found, cannot start the server", "cp .env.example .env"),
    ),
    Planted(
        "network mends",
        ("fix-worked",),
        "network",
        mends(
            "docker compose up -d",
            "network acme_default declared as external, but could not be found",
            "docker network create acme_default",
        ),
    ),
    Planted("help", ("lookup-anew",), "clippy", runs("cargo clippy --help", "cargo clippy -h", "cargo help clippy")),
    Planted("manual", ("lookup-anew",), "rsync", runs("man rsync", "rsync --help", "rsync --help | head -40")),
    Planted("what is the limit", ("lookup-anew",), "upload", _search, one_project=True),
    Planted(
        "review asked for",
        ("repeated-ask",),
        "review",
        asks("Review the diff as a stranger would.", "review the diff as a stranger would"),
    ),
)

HELD_UNWANTED = (
    Planted("not read before", _FAILED, "read", _unread),
    Planted("overflow", ("context-overflow",), "", overflow),
    Planted(
        "types to green",
        ("red-green",),
        "tsc",
        reddens(("npx tsc --noEmit",), "{path}({n},{m}): error TS2322: Type 'x' is not assignable.", ""),
    ),
    Planted(
        "go to green",
        ("red-green",),
        "go test",
        reddens(
            ("go test ./...", "go test ./{a}"),
            "--- FAIL: Test{name} (0.1s)\nFAIL\nFAIL\tacme/{a}\t0.2s",
            "ok  \tacme/{a}\t0.2s",
        ),
    ),
)
