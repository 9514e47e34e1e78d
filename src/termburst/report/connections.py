"""Connections of the live page: those that ask nothing cannot keep others out."""

from __future__ import annotations

from typing import Any

MOST_CONNECTIONS = 256
PATIENCE = 1.0  # seconds that a connection may be open without a request, if there are many


def protocol() -> Any:
    """The protocol of uvicorn, which also closes connections that wait, if more than half of all places are taken.

    uvicorn itself waits without limit for the first request of a connection, and answers 503 if all places are taken.
    """
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        opened = 0.0  # by the clock of the loop

        def connection_made(self, transport: Any) -> None:
            self.opened = self.loop.time()
            super().connection_made(transport)
            too_many = len(self.connections) - MOST_CONNECTIONS // 2
            if too_many > 0:
                for other in sorted(filter(self._is_idle, self.connections), key=_opened)[:too_many]:
                    other.transport.close()

        def _is_idle(self, other: Any) -> bool:
            """Whether another connection has no request that is being answered, and has had the time to send one."""
            answers = other.cycle is not None and not other.cycle.response_complete
            return other is not self and not answers and self.loop.time() - _opened(other) >= PATIENCE

    return Protocol


def _opened(connection: Any) -> float:
    opened: float = connection.opened
    return opened
