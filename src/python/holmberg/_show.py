"""A simulation in a browser: the page of ``holmberg run --watch``, served to this machine alone, below a token."""
from __future__ import annotations

import ctypes
import hmac
import os
import secrets
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Optional

import numpy as np

from . import _abi
from ._library import FileError, lib

APART_S = 0.1  # from one state to the next
LAYOUT = 1.0  # of the state: ten doubles, the floats m[n], x[3 n], v[3 n]; src/run/run_serve.c


def _page() -> bytes:
    """HB_PAGE, or web/holmberg.html beside the library, as where it was built, or where it is installed."""
    library = Path(os.path.realpath(lib._name)).parent
    places = [library / "web", library / "../libexec/holmberg/web", library / "../../libexec/holmberg/web"]
    named = os.environ.get("HB_PAGE")
    for file in [Path(named)] if named else [place / "holmberg.html" for place in places]:
        if file.is_file():
            return file.read_bytes()
    raise FileError("show() needs the page, web/holmberg.html beside the library: see `make web`; HB_PAGE can name it")


class _Answers(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        name = self.path.split("?")[0]
        if hmac.compare_digest(name.encode(), f"/{self.server.token}/".encode()):
            self._send(200, "text/html; charset=utf-8", self.server.page)
        elif hmac.compare_digest(name.encode(), f"/{self.server.token}/state".encode()):
            self.server.wanted, (tag, state) = True, self.server.state
            is_same = self.headers.get("If-None-Match") == tag
            self._send(304 if is_same else 200, "application/octet-stream", b"" if is_same else state, tag)
        else:
            self._send(404, "text/plain", b"there is nothing here\n")

    def _send(self, code: int, kind: str, body: bytes, tag: Optional[str] = None) -> None:
        self.send_response(code)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Cache-Control", "no-cache"),
                            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("ETag", tag)):
            if value is not None:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *words: Any) -> None:
        """Nothing: a notebook is no log."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.page, self.token = _page(), secrets.token_hex(16)
        self.wanted, self.state = True, ('"0"', b"")


class Shown:
    """What `Simulation.show` returns: a frame in Jupyter, else an address for a browser of this machine."""

    def __init__(self, height: int):
        self._server, self._height, self._number, self._published = _Server(), height, 0, 0.0
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/{self._server.token}/#watch=python"

    def publish(self, handle: ctypes.c_void_p, error: float, at_once: bool = False) -> None:
        """The state after a block step, if somebody wants one and the last is old enough, or at once, where a run rests."""
        now = time.monotonic()
        if not at_once and (not self._server.wanted or now - self._published < APART_S):
            return
        from .particles import Particles
        counts, t = _abi.hb_sim_counts(), lib.hb_sim_time(handle)
        lib.hb_sim_counts(handle, ctypes.byref(counts))
        p = Particles._of(lib.hb_sim_state, handle, t)
        head = struct.pack("=10d", LAYOUT, len(p), t, counts.block_steps, counts.particle_steps, counts.pairs, error, 0,
                           now, 0)
        body = b"".join(np.asarray(column, np.float32).tobytes() for column in (p.m, p.x, p.v))
        self._number, self._published, self._server.wanted = self._number + 1, now, False
        self._server.state = f'"{self._number}"', head + body

    def close(self) -> None:
        """Ends the page's updates, and gives the port back."""
        self._server.shutdown()
        self._server.server_close()

    def _repr_html_(self) -> str:
        return (f'<iframe src="{self.url}" width="100%" height="{self._height}" style="border: 0" '
                'title="the simulation as it runs"></iframe>')

    def __repr__(self) -> str:
        return f"<holmberg shown at {self.url}>"
