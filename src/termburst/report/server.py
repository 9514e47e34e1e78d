"""The server of `termburst explore`: the live page on this machine, for the person who started it and for nobody else.

It listens on 127.0.0.1. Every path begins with a random token, which only the printed address has; anything else is
answered with 403. So is a request that names another host (a web site that points its own name at this machine), or
that comes from another origin. There are no files to serve and nothing to write: every answer is computed.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import socket
import sys
import threading
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from termburst.messages import named
from termburst.report.explorer import LONGEST_QUERY, Explorer

HOST = "127.0.0.1"
MOST_CONNECTIONS = 256
PATIENCE = 1.0  # seconds that a connection may be open without a request, if there are many
AT_ONCE = 4  # answers that are computed at the same time; others wait
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": f"frame-ancestors 'self' http://localhost:* http://{HOST}:*",  # notebooks here
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def application(explorer: Explorer, token: str, hosts: set[str]) -> Any:
    """The application: under the path of the token, each path is one call of the explorer; all else is a 403."""
    import anyio
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
    from starlette.routing import Mount, Route

    room = anyio.Semaphore(AT_ONCE)

    def answered(compute: Callable[[Any], Any], kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def answer(request: Any) -> Any:
            try:
                async with room:
                    return kind(await run_in_threadpool(compute, request.query_params))
            except LookupError as error:
                return JSONResponse({"error": _sentence(error)}, 404)
            except (ValueError, OSError) as error:
                return JSONResponse({"error": _sentence(error)}, 400)
            except MemoryError:
                return JSONResponse({"error": "there is not enough memory for this answer"}, 500)

        return answer

    async def guard(request: Any, call_next: Any) -> Any:
        headers, given = request.headers, request.url.path[1:].partition("/")[0]
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        allowed = (
            hmac.compare_digest(given.encode(), token.encode())
            and headers.get("host") in hosts
            and (origin is None or origin.removeprefix("http://") in hosts)
            # a link, or a notebook
            and (site in ("none", "same-origin") or headers.get("sec-fetch-mode") == "navigate")
        )
        refusal = PlainTextResponse("403: use the address that termburst explore printed", 403)
        response = await call_next(request) if allowed else refusal
        response.headers.update(_HEADERS)
        return response

    def attachment(page: str) -> Response:
        return HTMLResponse(page, headers={"Content-Disposition": 'attachment; filename="termburst.html"'})

    def kwic(given: Any) -> Any:
        regex = number(given, "regex", most=1) == 1
        return explorer.kwic(text(given, "q"), regex, given.get("sort", ""), number(given, "offset", most=10_000_000))

    paths: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
        "/": (lambda given: explorer.page(), HTMLResponse),
        "/compare": (lambda given: explorer.compare(text(given, "by")), HTMLResponse),
        "/keep": (lambda given: explorer.keep(texts(given, "term")), attachment),
        "/api/term": (lambda given: explorer.term(text(given, "term"), given.get("by", "")), JSONResponse),
        "/api/kwic": (kwic, JSONResponse),
        "/api/collocates": (lambda given: explorer.collocates(text(given, "term")), JSONResponse),
        "/api/triggers": (lambda given: explorer.triggers(text(given, "term")), JSONResponse),
    }
    routes = [Route(path, answered(*call)) for path, call in paths.items()]
    guarded = Middleware(BaseHTTPMiddleware, dispatch=guard)
    return Starlette(routes=[Mount(f"/{token}", routes=routes)], middleware=[guarded])


def text(given: Any, name: str) -> str:
    """The parameter of a request that must be given."""
    found = texts(given, name)
    if len(found) != 1 or not found[0].strip():
        raise ValueError(f"{name} must be given, once")
    return found[0]


def texts(given: Any, name: str) -> list[str]:
    """All parameters of that name."""
    found: list[str] = given.getlist(name)
    for one in found:
        if len(one) > LONGEST_QUERY:
            raise ValueError(f"{name} has {len(one):,} characters; at most {LONGEST_QUERY} are allowed")
    return found


def number(given: Any, name: str, *, most: int) -> int:
    """A parameter that is a whole number from 0, which it is if it is not given, to *most*."""
    found = given.get(name, "0")
    if not (found.isascii() and found.isdigit() and len(found) < 10 and int(found) <= most):
        raise ValueError(f"{name} must be a whole number up to {most:,}; got {found!r:.60}")
    return int(found)


def _sentence(error: BaseException) -> str:
    return str(error.args[0] if error.args else error).splitlines()[0][:500] if str(error) else type(error).__name__


def protocol() -> Any:
    """The protocol of uvicorn, which also closes connections that wait, if more than half of all places are taken.

    Those that ask nothing cannot keep others out. uvicorn itself waits without limit for the first request of a
    connection, and answers 503 if all places are taken.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        opened = 0.0  # by the clock of the loop

        def connection_made(self, transport: Any) -> None:
            self.opened = self.loop.time()
            super().connection_made(transport)
            too_many = len(self.connections) - MOST_CONNECTIONS // 2
            if too_many > 0:
                for other in sorted(filter(self._is_idle, self.connections), key=attrgetter("opened"))[:too_many]:
                    other.transport.close()

        def _is_idle(self, other: Any) -> bool:
            """Whether another connection has no request that is being answered, and has had the time to send one."""
            answers = other.cycle is not None and not other.cycle.response_complete
            return other is not self and not answers and self.loop.time() - other.opened >= PATIENCE

    return Protocol


class Exploration:
    """The live page: `run` serves it until Ctrl-C, `start` by a thread of this process until it is closed.

    Use it as a context, or call `close`: the port is free again. In a notebook it shows the page in the cell.
    """

    def __init__(self, explorer: Explorer, port: int = 0) -> None:
        try:
            import starlette  # noqa: F401
            import uvicorn
        except ImportError as error:
            raise ImportError("explore needs Starlette and uvicorn; pip install 'termburst[explore]'") from error
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self.socket.bind((HOST, port))
            self.socket.listen(MOST_CONNECTIONS)  # from now on requests wait, and are not refused
        except OSError as error:
            self.socket.close()
            raise ValueError(
                f"port {port} cannot be used ({error.strerror}); omit " + named("port") + " to take a free one"
            ) from None
        port, token = self.socket.getsockname()[1], secrets.token_urlsafe(24)
        self.address = f"http://{HOST}:{port}/{token}/"
        config = uvicorn.Config(
            application(explorer, token, {f"{name}:{port}" for name in (HOST, "localhost")}), log_level="critical",
            access_log=False, lifespan="off", http=protocol(), ws="none", limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=1, server_header=False,
        )  # fmt: skip
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.run, daemon=True, name="termburst-explore")

    def run(self) -> None:
        """Serve until Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            self.server.run(sockets=[self.socket])

    def start(self, *, browser: bool = False) -> Exploration:
        """Serve in a thread, and open the page in the browser, unless this is a notebook."""
        self.thread.start()
        if browser and not _in_notebook():
            import webbrowser

            webbrowser.open(self.address)
        return self

    def close(self) -> None:
        """End the server."""
        self.server.should_exit = True
        if self.thread.is_alive():
            self.thread.join(5)

    def __enter__(self) -> Exploration:
        """Itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the server."""
        self.close()

    def __repr__(self) -> str:
        """Whether it runs, and where."""
        return f"Exploration at {self.address}" if self.thread.is_alive() else "Exploration (closed)"

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        return f'<iframe src="{self.address}" width="100%" height="900" title="termburst"></iframe>'


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and "IPKernelApp" in found.config
