"""Words of secrets in paths, addresses, modules and names of code: nothing there is given a value."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdfast.privacy.redact import redact

NAMES = (
    *("secrets", "secret", "passwords", "password-store", "pass", "passwd", "token-service", "tokens", "token", "auth"),
    *("auth-service", "oauth", "keys", "api-keys", "credentials", "creds", "login", "keyring", "secrets-manager"),
    *("my-api-key", "access-token", "keystore", "authorization", "private-key", "ssh-keys", "pwd"),
)
PLACES = (
    *("/home/me/{n}/project/a8f3k2Xq9", "~/code/{n}/src/main2.py", "cd /tmp/{n}/pytest-of-me/pytest-12/test_a0/work3"),
    *("pi/acme__{n}-go/019e44d4-6ecf-7c1d-96ab-582effc13411.jsonl", "me/{n}-2/0B1F44D4-6ecf-4c1d-96ab-582effc13411"),
    *("C:\\Users\\me\\{n}\\proj3\\x9", "file:///home/u/{n}/a1b2c3.txt", "projects/-home-me-{n}-proj7/4f3a2b1c.jsonl"),
    *("https://github.com/acme/{n}/tree/4f3a2b1", "http://localhost:8080/{n}/a7f3/b2?x=1", "{n}/ 2fa.md"),
    *("origin\tgit@github.com:acme/{n}.git (fetch)", "git clone git@host:{n} work2dir", "+++ b/{n}/handler2.go"),
    *("import {m}.base64x2 as b2", "from app.{m}.v2x import Thing3", "import x2 from '@acme/{n}/dist/v3'"),
    *("mod {m}; use {m}::v2::Item3;", "package com.acme.{m}.v2x;", "{m}.v2.client3.get_user8(x)"),
    *("pip install {n}==2.3.1", '"{n}": "^4.17.21",', "docker run acme/{n}:2024-11-03-4f3a2b1"),
    "-rw-r--r--  1 me staff  128 Nov 16 12:03 {n}\n-rw-r--r--  1 me staff 2048 Nov 16 12:03 main2.py",
    '  File "/srv/{n}/app2.py", line 42, in handle_v2\n    return x9(y)',
    "    at Object.<anonymous> (/srv/{n}/index2.js:12:5)",
    "/tmp/{n}-cli-test-LxX61e/suite/.results/2026-07-01T11-54-29-537Z",
    '{{"cwd": "/home/me/{n}", "id": "b7f3a9c2d1"}}',
)


@pytest.mark.parametrize("place", PLACES)
def test_a_part_of_a_place_is_given_no_value(place: str) -> None:
    """A repository, a folder or a module of such a name does not cost the paths and lines that mention it."""
    texts = [place.format(n=name, m=name.replace("-", "_")) for name in NAMES]
    assert [text for text in texts if redact(text)[1]] == []


@pytest.mark.parametrize(
    "text",
    [
        "---\nkey: uv-807-821-see\nscope: project\n---\n\nUse uv.\n",
        "---\nkey: pytest-q-modulenotfounderror-no-module-named-6eb2886b\n---\n",
        "# The primary key is order-item-variant-id\n\nThe primary key is order-item-variant-id.\n",
        "i18n key: checkout-button-label-text",
        "The hotkey is Ctrl+Shift+F10",
        "---\nkey: spring3-vue3-8080-8888\n---\n",
        "MLKEM768X25519PrivateKey = rust_openssl.hpke.MLKEM768X25519PrivateKey",
        '"arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret3-a1b2c3"',
        '"AWS::AppSync::ApiKey": "3d104ea0be48564b",',
        "credentials = standard_b64encode(credentials).decode('ascii')",
        "aws cognito-idp forgot-password --client-id 38fjsnc484p94kpqsnet7mpld0",
        "aws ec2 get-password-data --instance-id i-1234567890abcdef0",
        "To generate valid datetimes, pass `asn1Spec` to guide the decoder",
        "self.assertTrue(urllib.request.proxy_bypass_environment('my.proxy:1234'))",
        "'IsClientMuted', 'TR_GetPointContents', 'TR_TraceRayFilterEx'",
        '"encryptionKey": "arn:aws:kms:us-west-2:417498243647:key/c9fe2447-0795-4fda-afbe-8464574ae162"',
        'AccessToken: "exchanged-1", ExpiresAt: time.Now()',
        'form.Set("subject_token_type", "urn:ietf:params:oauth:token-type:saml2")',
        "https://t.me/Bot?start=tg_auth\nindex-D15hx25p.js:105 done",
        'alarm: "web-app-AlarmHigh-d4f0770c-b46e-434a-a60f-3b36d653feca"',
        "PASS: x86-64 encoding option\nPASS: binutils-all/x86-64/pr23494c",
        "We thank @Antoliny0919, @DongEun02 and @raon0211",
        '"@octokit/auth-token": "^6.0.0",\n"@octokit/graphql": "^9.0.5",',
        "Last login: Wed Mar  5 20:15:10 on ttys006",
        "createWarning('MyAppWarning', 'FST_ERROR_CODE_2', 'Hello %s')",
        '["Turkey (26)", "TR610000100000000000000001"],',
        "warnOnce @ react-router-dom.js?v=42916fca:4393Understand this warning",
        "host: 'localhost:3000', headers: { cookie: 'x' }",
        "onresumptiontoken: onLastEventIdUpdate",
        "`Basic ${Buffer.from('username:password').toString('base64')}`",
        "paths: ['users.*.password', 'users.*.profile.preferences.*']",
        "hGug29p0Mpz1PS2Sk0meJpDa6gDsGrYsltmw5jiA80EgxQ8WHtpcd7dKeyHv4aDBCFsvZEWQpGvbD+HCIwrVZ7odATvdh8xgAAv+jwFwPWJIOJb8F",
    ],
)
def test_names_of_code_and_of_resources_stay(text: str) -> None:
    """What real sessions and libraries hold beside such a word is left as it is."""
    assert redact(text) == (text, ())


@pytest.mark.parametrize(
    "text",
    [
        'aws ssm put-parameter --name /app/db_password --value "uwwjz850$wdq"',
        "consul kv put app/db/password P3O7CGlpAPZNn9",
        "npm set //npm.example.com/:_authToken 4c3c557585cbf405300cf886a979fb7dcec9eb97",
        "cmdkey /add:srv /user:bob /pass:P@ss0cGPKT42",
        "vault kv put secret/app/password=Tr0ub4dor-x9",
    ],
)
def test_a_store_whose_names_are_paths_is_given_one(text: str) -> None:
    """Where a command or a sign gives a value to the end of a path, it goes."""
    assert redact(text)[1]


@pytest.mark.parametrize(
    "text", ["/home/anna1987/shop", "cwd=/srv/shop2024x/app", "0198c1a2-7f3e-4d5b-9a6c-0f1e2d3c4b5a.agent-a1"]
)
def test_folders_and_ids_are_never_put_to_the_judge(text: str) -> None:
    """What every hook sees, a folder and the id of a session, costs no hook the loading of the judge."""
    code = f"import sys; from holdfast.privacy.redact import redact; redact({text!r}); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "holdfast.privacy.redact" in said and "holdfast.privacy.secret_judge" not in said


@pytest.mark.parametrize(
    "name",
    [
        *(
            "ticket8001",
            "utf8mb4",
            "iPhone15Pro",
            "Win32Exception",
            "node18-alpine3",
            "PR1234b",
            "Sprint2025",
            "TMS320C4x",
        ),
        *("Roadmap2026", "gpt-4o-2024-08-06", "libc6-riscv64-cross", "python3-xhtml2pdf", "parseV2Header", "T1234b"),
        *("gcc-12-plugin-dev-mipsisa64r6-linux-gnuabi64", "dQw4w9WgXcQ.mp4", "d878ab82..91dae255", "CVE-2023-7008"),
    ],
)
def test_names_with_numbers_stay_in_what_people_say(name: str) -> None:
    """A name that ends in a number, or has one within, is no password where a person speaks of it."""
    said = (f"look at {name}", f"fix {name}!", f"- [ ] check {name}", f"the {name} job fails", f"restart {name} please")
    said += (f"what is {name}?", f"where do we use {name}, and why?", f"{name} is missing", f"Fix {name}! Then deploy.")
    assert [text for text in said if redact(text)[1]] == []
