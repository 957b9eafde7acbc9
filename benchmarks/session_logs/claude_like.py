"""Logs of the shape that Claude Code writes, with invented contents: what `holdfast bench sweep` reads.

The shape was measured on 65 public transcripts (12.3 MB, 4,260 lines, 0.1 % of them no JSON). MEASURED has the share of
each kind of line in the bytes; `Written.shares` has what was generated. Also after the measure: which tools are called
how often, how long their inputs and outputs are (median 257 characters, one in a hundred over 32,000), that a result
stands there twice (once for the model, once for the program, with the whole file for an edit), one message of the model
over one to five lines that each repeat its usage, base64 images (0.7 %), signatures of thoughts (2.2 %), sub-agents.
"""

from __future__ import annotations

import binascii
import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import msgspec
from invented_text import Texts

# Share of the bytes by kind of line, in per cent, as measured.
MEASURED = {
    "result": 65.1,
    "assistant": 18.9,
    "progress": 12.5,
    "prompt": 2.2,
    "snapshot": 0.6,
    "system": 0.5,
    "other": 0.3,
}
MEAN_SESSION = 350_000
LONG_LINE = 64 * 2**20
# How often each tool is called, as measured; those that are rare are left out.
TOOLS = {"Bash": 260, "Read": 161, "Edit": 159, "Grep": 90, "TaskUpdate": 41, "Glob": 26, "TaskCreate": 21, "Write": 13}
COMMANDS = (
    *("pytest tests/{a} -q", "git status", "git diff --stat", "ls -la src/{a}", "make test", "npm test -- {a}"),
    *("ruff check .", "git add -A && git commit -m '{a} {b}'", "cat {a}/{b}.toml", "git push", "go test ./{a}/..."),
    *("python -m {a}.{b} --{c} 3", "grep -rn {a} src | head -20", "docker compose logs {a}", "cd {a} && npm run build"),
)
ENDINGS = ("12 passed in 0.41s", "3 failed, 9 passed in 1.20s", "Done in 2.1s.", "error: {a} not found", "", "", "")
MODELS = ("claude-opus-4-5-20251101", "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001")
# Of all lines one in a thousand; broken are only those that tell nothing, so that calls can be counted.
BAD_LINES = 0.003
_BEGIN = 1_767_225_600
_encode = msgspec.json.Encoder().encode


@dataclass
class Written:
    """What was written: files, lines and bytes, the bytes of each kind of line, and the lines that are no JSON."""

    files: int = 0
    sessions: int = 0
    lines: int = 0
    bytes: int = 0
    malformed: int = 0
    calls: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def longest(self) -> int:
        """The bytes of the one very long line."""
        return self.kinds["long line"]

    @property
    def shares(self) -> dict[str, float]:
        """The share of each kind of line in the bytes, in per cent; the one very long line is left out."""
        whole = sum(self.kinds[kind] for kind in MEASURED) or 1
        return {kind: 100 * self.kinds[kind] / whole for kind in MEASURED}


def write_logs(root: str, size: int, files: int = 0, seed: int = 5, long_line: int = LONG_LINE) -> Written:
    """Write sessions below `root` until they have this many bytes; the first has one line that is very long."""
    chance = random.Random(seed)
    texts = Texts(seed, min(16_000_000, max(400_000, size // 8)))
    written = Written()
    mean = (size - long_line) / files if files else MEAN_SESSION
    while written.bytes < size:
        wanted = int(min(max(chance.lognormvariate(0, 0.9) * mean / 1.5, 2_000), 40 * mean))
        wanted = min(wanted, max(2_000, size - written.bytes - (0 if written.files else long_line)))
        _write_session(root, Session(texts, chance, written), wanted, 0 if written.files else long_line)
    return written


def write_small_logs(root: str, files: int, seed: int = 6) -> Written:
    """Write this many sessions of one short turn each."""
    chance, written = random.Random(seed), Written()
    texts = Texts(seed, 400_000)
    while written.files < files:
        _write_session(root, Session(texts, chance, written), 0)
    return written


def _write_session(root: str, session: Session, size: int, long_line: int = 0) -> None:
    folder = os.path.join(root, session.folder.replace("/", "-"))
    session.written.sessions += 1
    _write_file(os.path.join(folder, f"{session.id}.jsonl"), session, size, long_line)
    if size and session.chance.random() < 0.12:
        helping = session.subagent()
        session.written.sessions += 1
        _write_file(os.path.join(folder, session.id, "subagents", f"agent-{helping.agent}.jsonl"), helping, size // 4)


def _write_file(path: str, session: Session, size: int, long_line: int = 0) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    length = 0
    with open(path, "wb") as file:
        for line in session.lines(size, long_line):
            file.write(line)
            length += len(line)
    session.written.files += 1
    session.written.bytes += length
    os.utime(path, (session.time, session.time))


class Session:
    """One session being written: `lines` yields it."""

    def __init__(self, texts: Texts, chance: random.Random, written: Written) -> None:
        self.texts, self.chance, self.written = texts, chance, written
        self.id = self.uuid()
        self.agent = ""
        self.folder = f"/home/someone/{'-'.join(texts.some(2))}-{chance.randrange(20)}"
        self.branch = f"{texts.some(1)[0]}/{texts.some(1)[0]}"
        self.model = chance.choice(MODELS)
        self.time = _BEGIN + chance.randrange(200 * 86_400) + chance.random()
        self.files = {self._path(): texts.code_piece(self._length(14_000, 0.9)) for _ in range(chance.randint(2, 7))}
        self.last = ""
        self.length = 0

    def subagent(self) -> Session:
        """Return the session of a sub-agent of this one."""
        helping = Session(self.texts, self.chance, self.written)
        helping.id, helping.folder, helping.branch = self.id, self.folder, self.branch
        helping.agent = f"a{self.chance.getrandbits(64):016x}"
        return helping

    def uuid(self) -> str:
        """Return one more id."""
        text = f"{self.chance.getrandbits(128):032x}"
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    def lines(self, size: int, long_line: int = 0) -> Iterator[bytes]:
        """Yield lines, turn by turn, until there are this many bytes; without a size a question and its answer."""
        if not size:
            yield self._prompt()
            yield from self._message([{"type": "text", "text": self.texts.prose_piece(120)}])
            return
        yield from self._turn()
        if long_line:
            yield self._long(long_line)
        while self.length < size:
            yield from self._turn()

    def _turn(self) -> Iterator[bytes]:
        yield self._snapshot()
        yield self._prompt()
        for _ in range(1 + min(30, int(self.chance.expovariate(1 / 5)))):
            yield from self._step()
        yield from self._message([{"type": "text", "text": self.texts.prose_piece(self._length(130, 1.0))}])
        if self.chance.random() < 0.8:
            yield self._line("system", "system", subtype="turn_duration", durationMs=91_000, isMeta=False)
        if self.chance.random() < 0.3:
            reminder = {"type": "task_reminder", "content": self.texts.prose_piece(150), "itemCount": 3}
            yield self._line("other", "attachment", attachment=reminder)
        if self.chance.random() < 0.2:
            prompt = self.texts.prose_piece(80)
            yield self._line("other", "queue-operation", operation="enqueue", content=prompt)

    def _snapshot(self) -> bytes:
        backups = {path: {"backupFileName": None, "version": 1} for path in list(self.files)[:2]}
        snapshot = {"messageId": self.uuid(), "trackedFileBackups": backups, "timestamp": self._at()}
        record = {"type": "file-history-snapshot", "messageId": snapshot["messageId"], "snapshot": snapshot}
        return self._put("snapshot", {**record, "isSnapshotUpdate": False})

    def _prompt(self) -> bytes:
        text = self.texts.prose_piece(self._length(70, 1.5))
        if self.chance.random() < 0.15:
            text += f"\n\n{self.texts.code_piece(self._length(4_000, 0.8))}"
        return self._line("prompt", "user", message={"role": "user", "content": text}, promptId=self.uuid())

    def _step(self) -> Iterator[bytes]:
        """Yield a message of the model with one call, what the program tells meanwhile, and the result."""
        [tool] = self.chance.choices(list(TOOLS), weights=list(TOOLS.values()))
        given, output, told = getattr(self, f"_{tool.lower()}")()
        call = f"toolu_{self.chance.getrandbits(96):024x}"
        blocks: list[dict[str, Any]] = []
        if self.chance.random() < 0.45:
            thought = self.texts.prose_piece(self._length(180, 1.0))
            blocks.append({"type": "thinking", "thinking": thought, "signature": self._base64(560)})
        if self.chance.random() < 0.6:
            blocks.append({"type": "text", "text": self.texts.prose_piece(self._length(70, 1.0))})
        yield from self._message([*blocks, {"type": "tool_use", "id": call, "name": tool, "input": given}])
        self.written.calls += 1
        yield from self._progress(call)
        yield self._result(call, output, told)

    def _message(self, blocks: list[dict[str, Any]]) -> Iterator[bytes]:
        """Yield one line for each block; all of them have one id and repeat the usage, which grows on the way."""
        chance, id, request = self.chance, f"msg_{self.uuid()}", f"req_{self.uuid()}"
        usage = {
            "input_tokens": chance.randrange(12),
            "cache_creation_input_tokens": chance.randrange(4_000),
            "cache_read_input_tokens": chance.randrange(20_000, 150_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 1,
            "service_tier": "standard",
        }
        for block in blocks:
            usage["output_tokens"] += chance.randrange(200)
            message = {"model": self.model, "id": id, "type": "message", "role": "assistant", "content": [block]}
            message |= {"stop_reason": None, "stop_sequence": None, "usage": usage}
            yield self._line("assistant", "assistant", message=message, requestId=request)

    def _progress(self, call: str) -> Iterator[bytes]:
        about = {"parentToolUseID": call, "toolUseID": call}
        if self.chance.random() < 0.68:
            data = {"type": "hook_progress", "hookEvent": "PostToolUse", "hookName": "PostToolUse:Edit"}
            yield self._line("progress", "progress", data={**data, "command": "check-after-each-edit"}, **about)
        if self.chance.random() < 0.42:
            output = self.texts.code_piece(120)
            data = {"type": "bash_progress", "output": output, "fullOutput": output, "elapsedTimeSeconds": 3}
            yield self._line("progress", "progress", data=data, **about)
        if self.chance.random() < 0.215:
            content = [{"tool_use_id": call, "type": "tool_result", "content": self.texts.code_piece(4_200)}]
            inner = {"type": "user", "message": {"role": "user", "content": content}, "uuid": self.uuid()}
            data = {"message": inner, "type": "agent_progress", "prompt": "", "agentId": "a1b2c3d"}
            yield self._line("progress", "progress", data=data, **about)

    def _result(self, call: str, output: str, told: Any) -> bytes:
        failed = self.chance.random() < 0.05
        content: Any = output
        if self.chance.random() < 0.0075:
            source = {"type": "base64", "media_type": "image/png", "data": self._base64(15_000)}
            content = [{"type": "text", "text": output}, {"type": "image", "source": source}]
        block = {"tool_use_id": call, "type": "tool_result", "content": content}
        message = {"role": "user", "content": [{**block, "is_error": True} if failed else block]}
        told = f"Error: {output}" if failed else told
        return self._line("result", "user", message=message, toolUseResult=told, sourceToolAssistantUUID=self.last)

    def _long(self, size: int) -> bytes:
        """Return one result that is as long as this, as the dump of a file by a command."""
        empty = len(_encode(self._record("user", message={"content": [{"content": ""}]}))) + 200
        # One letter beyond Latin makes every letter of a text take two bytes of memory.
        text = f"→{self.texts.code}"
        text = text * (size // len(text) + 1)
        # The text grows when it is encoded, by its quotes and line ends.
        kept = int((size - empty) * len(text) / len(_encode(text)))
        block = {"tool_use_id": f"toolu_{self.uuid()}", "type": "tool_result", "content": text[:kept]}
        return self._line("long line", "user", message={"role": "user", "content": [block]})

    def _bash(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        a, b, c = self.texts.some(3)
        command = self.chance.choice(COMMANDS).format(a=a, b=b, c=c)
        output = self.texts.code_piece(self._length(300, 1.7)) + "\n" + self.chance.choice(ENDINGS).format(a=a)
        if self.chance.random() < 0.004:
            output += f"\n{a.upper()}_TOKEN=ghp_{self._base64(27)[:36].replace('+', 'a').replace('/', 'b')}"
        told = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
        return {"command": command, "description": self.texts.prose_piece(60)}, output, told

    def _read(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        path, content = self._file()
        start = self.chance.randrange(max(1, len(content) // 2))
        content = content[start : start + self._length(5_000, 1.4)]
        numbered = "\n".join(f"{number:6d}→{line}" for number, line in enumerate(content.split("\n"), 1))
        told = {"type": "text", "file": {"filePath": path, "content": content, "numLines": 90, "startLine": 1}}
        return {"file_path": path}, numbered, told

    def _edit(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        path, content = self._file()
        start = self.chance.randrange(max(1, len(content) - 900))
        old, new = content[start : start + self._length(250, 1.0)], self.texts.code_piece(self._length(400, 1.0))
        self.files[path] = content[:start] + new + content[start + len(old) :]
        patch = [*(f"-{line}" for line in old.split("\n")), *(f"+{line}" for line in new.split("\n"))]
        told = {"filePath": path, "oldString": old, "newString": new, "originalFile": content, "replaceAll": False}
        told |= {"structuredPatch": [{"oldStart": 3, "newStart": 3, "lines": patch}], "userModified": False}
        given = {"file_path": path, "old_string": old, "new_string": new, "replace_all": False}
        return given, f"The file {path} has been updated successfully.", told

    def _write(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        path, content = self._path(), self.texts.code_piece(self._length(4_000, 0.7))
        self.files[path] = content
        told = {"type": "create", "filePath": path, "content": content, "structuredPatch": [], "originalFile": None}
        return {"file_path": path, "content": content}, f"File created successfully at: {path}", told

    def _grep(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        [pattern], output = self.texts.some(1), self.texts.code_piece(self._length(420, 1.3))
        told = {"mode": "content", "numFiles": 3, "filenames": [], "content": output * 3, "numLines": 20}
        return {"pattern": pattern, "output_mode": "content", "-n": True}, output, told

    def _glob(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        names = [self._path() for _ in range(self.chance.randint(1, 12))]
        return {"pattern": "**/*.py"}, "\n".join(names), {"filenames": names, "numFiles": len(names)}

    def _taskcreate(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        given = {"subject": self.texts.prose_piece(50), "description": self.texts.prose_piece(140)}
        return given, "Task created successfully", {"task": {"id": "3", "subject": given["subject"]}}

    def _taskupdate(self) -> tuple[dict[str, Any], str, dict[str, Any]]:
        return {"taskId": "3", "status": "completed"}, "Updated task #3 status", {"success": True, "taskId": "3"}

    def _file(self) -> tuple[str, str]:
        return self.chance.choice(list(self.files.items()))

    def _path(self) -> str:
        a, b, c = self.texts.some(3)
        return f"{self.folder}/src/{a}/{b}_{c}.py"

    def _length(self, median: int, spread: float) -> int:
        """Return a length as uneven as real ones are."""
        return min(60_000, 8 + int(self.chance.lognormvariate(0, spread) * median))

    def _base64(self, length: int) -> str:
        return binascii.b2a_base64(self.chance.randbytes(length), newline=False).decode()

    def _at(self) -> str:
        return (
            datetime.fromtimestamp(self.time, UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{int(self.time * 1e3) % 1000:03}Z"
        )

    def _record(self, kind: str, **more: Any) -> dict[str, Any]:
        self.time += self.chance.expovariate(1 / 4)
        above, self.last = self.last or None, self.uuid()
        record = {"parentUuid": above, "isSidechain": bool(self.agent), "userType": "external", "cwd": self.folder}
        record |= {"sessionId": self.id, "version": "2.1.30", "gitBranch": self.branch, "type": kind}
        if self.agent:
            record["agentId"] = self.agent
        return {**record, **more, "uuid": self.last, "timestamp": self._at()}

    def _line(self, kind: str, type: str, **more: Any) -> bytes:
        return self._put(kind, self._record(type, **more))

    def _put(self, kind: str, record: dict[str, Any]) -> bytes:
        line = _encode(record)
        if self.chance.random() < BAD_LINES and kind in ("progress", "system", "snapshot"):
            line = line[: len(line) // 2]
            self.written.malformed += 1
        self.written.lines += 1
        self.written.kinds[kind] += len(line) + 1
        self.length += len(line) + 1
        return line + b"\n"


__all__ = ["LONG_LINE", "MEAN_SESSION", "MEASURED", "Written", "write_logs", "write_small_logs"]
