"""A proxy on loopback for the conformance suite, which has no token: it puts one on each request."""

from __future__ import annotations

import http.client
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECONDS = 600


class TokenProxy:
    """Passes on what comes, with the Host and Origin that it came with; `url` is where the suite asks."""

    def __init__(self) -> None:
        self.port, self.secret = 0, ""
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Passing", (_Passing,), {"proxy": self}))
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> TokenProxy:
        self._thread = threading.Thread(target=self._http.serve_forever)
        self._thread.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Passing(BaseHTTPRequestHandler):
    proxy: TokenProxy

    def log_message(self, *words: object) -> None:
        return

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        server = http.client.HTTPConnection("127.0.0.1", self.proxy.port, timeout=SECONDS)
        server.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("authorization", "connection"):
                server.putheader(name, value)
        server.putheader("Authorization", f"Bearer {self.proxy.secret}")
        server.endheaders(body or None)
        try:
            answer = server.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in ("transfer-encoding", "connection", "content-length", "date", "server"):
                    self.send_header(name, value)
            self.end_headers()
            while piece := answer.read1(65_536):
                self.wfile.write(piece)
                self.wfile.flush()
        except OSError:
            return
        finally:
            server.close()

    do_GET = do_POST = do_DELETE = do_PUT = do_OPTIONS = _pass_on
