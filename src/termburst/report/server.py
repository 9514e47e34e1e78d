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


def answers(explorer: Explorer) -> Any:
    """The application behind the guard: each path is one call of the explorer."""
    import anyio
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import HTMLResponse, JSONResponse, Response
    from starlette.routing import Route

    room = anyio.Semaphore(AT_ONCE)

    def answered(compute: Callable[[Asked], Any], kind: Callable[[Any], Any]) -> Callable[[Any], Any]:
        async def answer(request: Any) -> Any:
            try:
                async with room:
                    return kind(await run_in_threadpool(compute, Asked(request.query_params)))
            except LookupError as error:
                return JSONResponse({"error": _sentence(error)}, 404)
            except (ValueError, OSError) as error:
                return JSONResponse({"error": _sentence(error)}, 400)
            except MemoryError:
                return JSONResponse({"error": "there is not enough memory for this answer"}, 500)

        return answer

    def attachment(page: str) -> Response:
        return HTMLResponse(page, headers={"Content-Disposition": 'attachment; filename="termburst.html"'})

    paths: dict[str, tuple[Callable[[Asked], Any], Callable[[Any], Any]]] = {
        "/": (lambda asked: explorer.page(), HTMLResponse),
        "/compare": (lambda asked: explorer.compare(asked.text("by")), HTMLResponse),
        "/keep": (lambda asked: explorer.keep(asked.texts("term")), attachment),
        "/api/term": (lambda asked: explorer.term(asked.text("term"), asked.parameters.get("by", "")), JSONResponse),
        "/api/kwic": (lambda asked: explorer.kwic(**asked.kwic()), JSONResponse),
        "/api/collocates": (lambda asked: explorer.collocates(asked.text("term")), JSONResponse),
        "/api/triggers": (lambda asked: explorer.triggers(asked.text("term")), JSONResponse),
    }
    return Starlette(routes=[Route(path, answered(*call)) for path, call in paths.items()])


def guarded(inner: Any, token: str, hosts: set[str]) -> Any:
    """The application *inner* under the path of the token; everything else is answered with 403."""
    from starlette.datastructures import Headers
    from starlette.responses import PlainTextResponse, Response

    def allowed(path: str, headers: Headers) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        return (
            hmac.compare_digest(path[1:].partition("/")[0].encode(), token.encode())
            and headers.get("host") in hosts
            and (origin is None or origin.removeprefix("http://") in hosts)
            and (
                site in ("none", "same-origin") or headers.get("sec-fetch-mode") == "navigate"
            )  # a link, or a notebook
        )

    async def app(scope: Any, receive: Any, send: Any) -> None:
        async def decorated(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        if scope["type"] != "http":
            return None  # there are no sockets here
        path = scope["path"]
        if not allowed(path, Headers(scope=scope)):
            refusal = PlainTextResponse("403: use the address that termburst explore printed", 403)
            return await refusal(scope, receive, decorated)
        if path == f"/{token}":  # without the slash, addresses within the page would be wrong
            return await Response(status_code=307, headers={"Location": f"/{token}/"})(scope, receive, decorated)
        rest = path.removeprefix(f"/{token}")
        return await inner({**scope, "path": rest, "raw_path": rest.encode()}, receive, decorated)

    return app


class Asked:
    """The parameters of a request, checked."""

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters

    def text(self, name: str) -> str:
        """A text that must be given."""
        found = self.texts(name)
        if len(found) != 1 or not found[0].strip():
            raise ValueError(f"{name} must be given, once")
        return found[0]

    def texts(self, name: str) -> list[str]:
        """All texts of that name."""
        found: list[str] = self.parameters.getlist(name)
        for text in found:
            if len(text) > LONGEST_QUERY:
                raise ValueError(f"{name} has {len(text):,} characters; at most {LONGEST_QUERY} are allowed")
        return found

    def kwic(self) -> dict[str, Any]:
        """The arguments of a search for lines."""
        return {
            "query": self.text("q"),
            "regex": self.number("regex", 0, 1) == 1,
            "sort": self.parameters.get("sort", ""),
            "offset": self.number("offset", 0, 10_000_000),
        }

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number between 0 and *most*."""
        given = self.parameters.get(name, str(default))
        if not (given.isascii() and given.isdigit() and len(given) < 10 and int(given) <= most):
            raise ValueError(f"{name} must be a whole number up to {most:,}; got {given!r:.60}")
        return int(given)


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


class Server:
    """A running server. Close it, or leave its context, and the port is free again."""

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
        self.port: int = self.socket.getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        app = guarded(answers(explorer), self.token, {f"{name}:{self.port}" for name in (HOST, "localhost")})
        config = uvicorn.Config(
            app, log_level="critical", access_log=False, lifespan="off",
            http=protocol(), ws="none", limit_concurrency=MOST_CONNECTIONS, timeout_graceful_shutdown=1,
            server_header=False,
        )  # fmt: skip
        self.server = uvicorn.Server(config)

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def run(self) -> None:
        """Serve until Ctrl-C."""
        with contextlib.suppress(KeyboardInterrupt):
            self.server.run(sockets=[self.socket])


class Exploration:
    """The live page, served by a thread of this process until it is closed.

    Use it as a context, or call `close`. In a notebook it shows the page in the cell.
    """

    def __init__(self, server: Server, *, browser: bool = False) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.run, daemon=True, name="termburst-explore")
        self._thread.start()
        if browser and not _in_notebook():
            import webbrowser

            webbrowser.open(server.address)

    @property
    def address(self) -> str:
        """Where the page is, with its secret token."""
        return self._server.address

    def close(self) -> None:
        """End the server."""
        self._server.server.should_exit = True
        self._thread.join(5)

    def __enter__(self) -> Exploration:
        """Itself."""
        return self

    def __exit__(self, *error: object) -> None:
        """End the server."""
        self.close()

    def __repr__(self) -> str:
        """Whether it runs, and where."""
        return f"Exploration at {self.address}" if self._thread.is_alive() else "Exploration (closed)"

    def _repr_html_(self) -> str:
        """The page in a frame, for notebooks."""
        return f'<iframe src="{self.address}" width="100%" height="900" title="termburst"></iframe>'


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found = shell.get_ipython() if shell is not None else None
    return found is not None and "IPKernelApp" in found.config
