"""A page at an address of this computer, for as long as one looks at it; nobody else can reach it."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from .page import Page

__all__ = ["PageServer"]


class PageServer(ThreadingHTTPServer):
    """Serves one page on the loopback interface; port 0 takes a free one. Run it with `serve_forever()`."""

    daemon_threads = True

    def __init__(self, page: Page, port: int = 0):
        self.content = page.text.encode()
        super().__init__(("127.0.0.1", port), _Answer)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self.server_port}/"


class _Answer(BaseHTTPRequestHandler):
    server: PageServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        """Answer with the page at the root, with nothing anywhere else."""
        found = self.path == "/"
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(self.server.content) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(self.server.content)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: the command line has told where the page is."""
