"""The sessions of MCP over HTTP: the SDK's, around our own server, with the token of each message."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request as HttpRequest
from starlette.types import Receive, Scope, Send

from holdfast import agents
from holdfast.errors import Refused
from holdfast.surfaces.mcp.caller import CallContext, Caller, Request
from holdfast.surfaces.mcp.handlers import Handlers
from holdfast.surfaces.mcp.protocol import guidance
from holdfast.surfaces.mcp.server import Context, MemoryServer, server_of
from holdfast.surfaces.web.api.endpoints import bound_to, own_project
from holdfast.surfaces.web.security import MAX_BODY, Principal
from holdfast.surfaces.web.site import Site

MAX_SESSIONS = 100
IDLE_SECONDS = 1_800.0
# What a shell says about itself holds for no client.
_OF_A_SHELL = ("HOLDFAST_SESSION", "HOLDFAST_PROFILE")


class TokenHandlers(Handlers):
    """The handlers of all connections: who calls is told by the token of each message."""

    def __init__(self, site: Site, seconds: float) -> None:
        self._site = site
        self._environment = {name: value for name, value in site.environment.items() if name not in _OF_A_SHELL}
        super().__init__(self._caller(""), seconds)
        if not site.has_home:
            # The others are about sessions and pages of one machine.
            self.tools = ("memory_store", "memory_recall", "memory_forget")
            self.prompts, self.pages = ("review",), self.pages[:1]

    def _caller(self, project: str) -> Caller:
        site = self._site
        where = {"folder": site.folder, "project": project, "stores": site.stores}
        return Caller(self._environment, home=site.home, flags=site.flags, **where)  # type: ignore[arg-type]

    def check(self, context: Context, right: str) -> None:
        """Raise Refused where the token lacks the right."""
        principal = _principal(context)[0]
        if right not in principal.may:
            raise Refused(f"the token {principal.name} may not {right}", "Ask the person for one that may.")

    def request(self, context: Context, told: CallContext, flags: Mapping[str, str]) -> Request:
        """Return the call in the project of the token, or in the one that it asks for and may have."""
        principal, asked = _principal(context)
        site = self._site
        if not site.has_home:
            caller = "agent" if agents.of_client(told.client) else "unknown"
            workspace = site.workspace(asked, caller=caller, principal=principal, via="mcp")
            workspace.settings = site.settings_now(flags)
            return Request(workspace, "", self.caller.name(told.client))
        found = self._caller(own_project(principal, asked)).request(told, flags, self._site.say)
        bound_to(found.workspace, principal)
        return found


class TokenSessions(StreamableHTTPSessionManager):
    """The SDK's sessions; one belongs to the token that began it."""

    @classmethod
    def of(cls, site: Site) -> TokenSessions:
        """Return the sessions of a site, with the settings that hold now."""
        # What the SDK logs may hold what was sent.
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
        settings = site.settings_now()
        variant, seconds = settings.text("mcp.guidance"), settings.number("mcp.timeout_ms")
        said = guidance(variant, site.home or "") if site.has_home else guidance("hub")
        return cls(
            # The folders of a client say nothing about what its token may see.
            server_of(MemoryServer(TokenHandlers(site, seconds / 1000), asks_roots=False), said),
            session_idle_timeout=IDLE_SECONDS,
            max_sessions=MAX_SESSIONS,
            max_request_body_size=MAX_BODY,
            # The next message of a client may come to another process.
            stateless=not site.has_home,
        )

    async def answer(self, scope: Scope, receive: Receive, send: Send, principal: Principal) -> None:
        """Answer a request of this principal."""
        known = AccessToken(token="", client_id=principal.name, scopes=sorted(principal.may))
        scope["user"], scope["principal"] = AuthenticatedUser(known), principal
        await self.handle_request(scope, receive, send)


def _principal(context: Context) -> tuple[Principal, str]:
    """Return who sent the message that is being answered, and the project that its address names."""
    sent = context.request
    if not isinstance(sent, HttpRequest):
        raise Refused("this message came without a request", "Send it again.")
    return sent.scope["principal"], sent.query_params.get("project", "")
