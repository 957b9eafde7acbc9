"""A model on loopback: agents talk to it as to a real one, it answers from a script, and every request is kept.

It speaks Anthropic's messages, OpenAI's responses and chat completions, and Gemini's generateContent, streamed or
whole. A turn is a request that offers the agent's tools; each takes the next step of the script, and "ok" when there
is none left. What an agent asks besides (titles, summaries) offers few tools or wants JSON, and takes no step.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import uuid4

MIN_TOOLS = 3
# How often a call may be put off.
PATIENCE = 15


@dataclass(frozen=True)
class Say:
    """A step: answer with this text. `before` is called when the request is there, and the answer waits for it."""

    text: str
    before: Callable[[Request], None] | None = None


@dataclass(frozen=True)
class Call:
    """A step: call this tool. A namespace stands beside the name where the agent keeps the two apart.

    Until the tool is offered and the sign stands in the request, `meanwhile` is called, for a while. What is `beside`
    it is called in the same answer.
    """

    tool: str
    arguments: dict
    namespace: str = ""
    sign: str = ""
    meanwhile: Call | None = None
    before: Callable[[Request], None] | None = None
    beside: tuple[Call, ...] = ()

    def is_ready(self, request: Request) -> bool:
        """Whether the agent can take this call now."""
        return self.tool in request.tools and any(self.sign in text for text in request.texts)


@dataclass
class Request:
    """What an agent sent."""

    path: str
    body: dict

    @property
    def tools(self) -> set[str]:
        """The names of the tools that it offers."""
        return {name for tool in self.body.get("tools") or [] for name in _tool_names(tool)}

    @property
    def is_turn(self) -> bool:
        """Whether this is a turn of the session, and not something that the agent asks besides."""
        return len(self.tools) >= MIN_TOOLS and _wanted_shape(self.body) is None

    @property
    def texts(self) -> list[str]:
        """Every text in it, wherever it stands."""
        return list(_texts(self.body))

    def count(self, words: str) -> int:
        """How often these words stand in it."""
        return sum(text.count(words) for text in self.texts)


class Model:
    """The server. Use it in a `with` block; `url` is where agents find it."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.missing: list[str] = []
        self._steps: list[Say | Call] = []
        self._put_off = 0
        self._lock = threading.Lock()
        handler = type("Handler", (_Handler,), {"model": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Model:
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def play(self, steps: list[Say | Call]) -> None:
        """Begin a new session: this script, and no request so far."""
        with self._lock:
            self.requests, self.missing, self._steps, self._put_off = [], [], list(steps), 0

    def answer(self, request: Request) -> Say | Call:
        """Keep the request and return what to answer. A tool that is not offered is noted in `missing`."""
        with self._lock:
            self.requests.append(request)
            shape = _wanted_shape(request.body)
            if shape is not None:
                return Say(json.dumps(_smallest(shape)))
            if not request.is_turn or not self._steps:
                return Say("ok")
            return self._next(request)

    def _next(self, request: Request) -> Say | Call:
        step = self._steps[0]
        if isinstance(step, Call) and not step.is_ready(request):
            if step.meanwhile is not None and self._put_off < PATIENCE:
                self._put_off += 1
                return step.meanwhile
            self.missing.append(f"{step.tool} {step.sign} is not among {', '.join(sorted(request.tools))}")
            step = Say("no such tool")
        self._steps.pop(0)
        return step

    @property
    def turns(self) -> list[Request]:
        """The turns of the session so far."""
        return [request for request in self.requests if request.is_turn]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: Model

    def log_message(self, *words: object) -> None:
        return

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            # An agent that was killed leaves its connection open, which is no problem of the model's.
            return

    def do_HEAD(self) -> None:
        self._send(b"", "application/json")

    def do_GET(self) -> None:
        self._send_json({"object": "list", "data": [{"id": "loopback", "object": "model"}], "models": []})

    def do_POST(self) -> None:
        try:
            body = json.loads(self._body() or b"{}")
        except ValueError:
            body = {}
        path = self.path.partition("?")[0]
        wire = next((make for ending, make in WIRES.items() if path.endswith(ending)), None)
        if wire is None:
            # Counting tokens, telemetry and the like.
            self._send_json({"input_tokens": 100, "totalTokens": 100})
            return
        request = Request(path, body)
        step = self.model.answer(request)
        if step.before is not None:
            step.before(request)
        whole, events = wire(step, str(body.get("model", "loopback")))
        if body.get("stream") or path.endswith(":streamGenerateContent"):
            self._send("".join(_lines(events())).encode(), "text/event-stream")
        else:
            self._send_json(whole)

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        pieces = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def _send_json(self, value: object) -> None:
        self._send(json.dumps(value).encode(), "application/json")

    def _send(self, data: bytes, kind: str) -> None:
        try:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
        except ConnectionError:
            # An agent that ends in the middle of an answer is no problem of the model's.
            self.close_connection = True


def _lines(events: list[tuple[str, object]]) -> Iterator[str]:
    for name, data in events:
        yield f"event: {name}\n" if name else ""
        yield f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"


def _id(prefix: str) -> str:
    return f"{prefix}_{uuid4().hex[:24]}"


# Each wire returns the whole answer, and a function that makes the events of the same answer when it is streamed.
Wire = tuple[dict, Callable[[], list[tuple[str, object]]]]


def _messages(step: Say | Call, model: str) -> Wire:
    usage = {"input_tokens": 100, "output_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0}
    if isinstance(step, Call):
        calls = (step, *step.beside)
        blocks = [{"type": "tool_use", "id": _id("toolu"), "name": one.tool, "input": one.arguments} for one in calls]
        empty: dict[str, object] = {"input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": json.dumps(one.arguments)} for one in calls]
    else:
        blocks, empty = [{"type": "text", "text": step.text}], {"text": ""}
        deltas = [{"type": "text_delta", "text": step.text}]
    ending = {"stop_reason": "tool_use" if isinstance(step, Call) else "end_turn", "stop_sequence": None}
    head = {"id": _id("msg"), "type": "message", "role": "assistant", "model": model, "usage": usage}

    def events() -> list[tuple[str, object]]:
        begun = {**head, "content": [], "stop_reason": None, "stop_sequence": None}
        data: list[dict] = [{"type": "message_start", "message": begun}]
        for index, (block, delta) in enumerate(zip(blocks, deltas, strict=True)):
            data.append({"type": "content_block_start", "index": index, "content_block": {**block, **empty}})
            data.append({"type": "content_block_delta", "index": index, "delta": delta})
            data.append({"type": "content_block_stop", "index": index})
        data += [{"type": "message_delta", "delta": ending, "usage": usage}, {"type": "message_stop"}]
        return [(str(one["type"]), one) for one in data]

    return {**head, "content": blocks, **ending}, events


def _responses(step: Say | Call, model: str) -> Wire:
    items: list[dict] = []
    for one in (step, *step.beside) if isinstance(step, Call) else ():
        item = {"type": "function_call", "id": _id("fc"), "call_id": _id("call"), "name": one.tool}
        item |= {"arguments": json.dumps(one.arguments), "status": "completed"}
        items.append(item | ({"namespace": one.namespace} if one.namespace else {}))
    if isinstance(step, Say):
        said = {"type": "output_text", "text": step.text, "annotations": []}
        items = [{"type": "message", "id": _id("msg"), "role": "assistant", "status": "completed", "content": [said]}]
    usage = {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110}
    usage |= {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    head = {"id": _id("resp"), "object": "response", "created_at": 0, "model": model}

    def events() -> list[tuple[str, object]]:
        data: list[dict] = [
            {"type": "response.created", "response": {**head, "status": "in_progress", "output": []}},
        ]
        for number, item in enumerate(items):
            begun = {**item, "status": "in_progress"}
            data.append({"type": "response.output_item.added", "output_index": number, "item": begun})
            if isinstance(step, Say):
                place = {"item_id": item["id"], "output_index": number, "content_index": 0}
                data.append({"type": "response.output_text.delta", **place, "delta": step.text})
            data.append({"type": "response.output_item.done", "output_index": number, "item": item})
        data.append({"type": "response.completed", "response": whole})
        return [(one["type"], {**one, "sequence_number": number}) for number, one in enumerate(data)]

    whole = {**head, "status": "completed", "output": items, "usage": usage}
    return whole, events


def _chat(step: Say | Call, model: str) -> Wire:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    said: dict[str, object] = {"role": "assistant", "content": step.text if isinstance(step, Say) else None}
    if isinstance(step, Call):
        functions = [{"name": one.tool, "arguments": json.dumps(one.arguments)} for one in (step, *step.beside)]
        said["tool_calls"] = [
            {"index": number, "id": _id("call"), "type": "function", "function": function}
            for number, function in enumerate(functions)
        ]
    reason = "stop" if isinstance(step, Say) else "tool_calls"
    head = {"id": _id("chatcmpl"), "created": 0, "model": model}

    def events() -> list[tuple[str, object]]:
        piece = {**head, "object": "chat.completion.chunk"}
        first = {**piece, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}
        last = {**piece, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage}
        return [("", first), ("", last), ("", "[DONE]")]

    choice = {"index": 0, "message": said, "finish_reason": reason}
    return {**head, "object": "chat.completion", "choices": [choice], "usage": usage}, events


def _gemini(step: Say | Call, model: str) -> Wire:
    if isinstance(step, Call):
        parts = [{"functionCall": {"name": one.tool, "args": one.arguments}} for one in (step, *step.beside)]
    else:
        parts = [{"text": step.text}]
    candidate = {"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}
    usage = {"promptTokenCount": 100, "candidatesTokenCount": 10, "totalTokenCount": 110}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": model}
    return whole, lambda: [("", whole)]


WIRES = {
    "/messages": _messages,
    "/responses": _responses,
    "/chat/completions": _chat,
    ":generateContent": _gemini,
    ":streamGenerateContent": _gemini,
}


def _tool_names(tool: dict) -> list[str]:
    """Return the names in one entry of a request's tools: alone, as a function, or a group of several."""
    group = tool.get("functionDeclarations") or tool.get("tools")
    if isinstance(group, list):
        return [name for one in group for name in _tool_names(one)]
    named = tool.get("function") if isinstance(tool.get("function"), dict) else tool
    name = named.get("name") or tool.get("type")
    return [name] if name else []


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _wanted_shape(body: dict) -> dict | None:
    """Return the JSON schema of the answer that a request wants, or None where it wants text."""
    config = body.get("generationConfig") or {}
    if config.get("responseMimeType") == "application/json":
        return config.get("responseJsonSchema") or config.get("responseSchema") or {"type": "object"}
    for holder in (body.get("response_format"), body.get("text"), body.get("output_config")):
        form = holder.get("format", holder) if isinstance(holder, dict) else {}
        if isinstance(form, dict) and form.get("type") == "json_schema":
            return form.get("schema") or form.get("json_schema", {}).get("schema") or {"type": "object"}
    return None


def _smallest(shape: dict) -> object:
    """Return the smallest value of that shape."""
    for name in ("anyOf", "oneOf", "allOf"):
        if shape.get(name):
            return _smallest(shape[name][0])
    if "const" in shape or shape.get("enum"):
        return shape["const"] if "const" in shape else shape["enum"][0]
    kind = shape.get("type", "object")
    kind = str(kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        fields = shape.get("properties") or {}
        return {name: _smallest(fields[name]) for name in shape.get("required", fields) if name in fields}
    return {"array": [], "string": "ok", "boolean": False, "null": None}.get(kind, shape.get("minimum", 1))
