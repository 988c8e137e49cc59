from __future__ import annotations

import base64
import http.client
import json
import random
import ssl
import threading
import time
import uuid
from dataclasses import dataclass, field
from typing import (
    Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union
)
from urllib.parse import quote, urlencode, urlsplit

Data = Union[str, bytes]
_T = TypeVar("_T")
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_SILENCE = 45.0  # of a stream, on which the server writes an empty line every 15 seconds
_LOST = (OSError, http.client.HTTPException)


class RiverError(Exception):
    """The server refused a request, or could not be reached in all tries (``status`` 0)."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: Optional[float] = None):
        self.status = status
        self.type: str = str(problem.get("type", "")).replace("urn:river:problem:", "")
        self.detail: str = str(problem.get("detail", problem.get("title", "")))
        self.field: Optional[str] = problem.get("field")
        self.retry_after = retry_after
        where = f"{self.field} " if self.field else ""
        super().__init__(f"{status} {self.type}: {where}{self.detail}")


@dataclass(frozen=True)
class Message:
    """
    A message to publish. A delay or expiry is a text such as ``30s``, as the server has it. Bytes
    are sent in base64, so that they take a third more of the server's limit of a request.
    """

    data: Data
    key: Optional[str] = None
    id: Optional[str] = None
    headers: Mapping[str, Data] = field(default_factory=dict)
    delay: Optional[str] = None
    expires: Optional[str] = None

    def _json(self) -> Dict[str, Any]:
        made: Dict[str, Any] = {"id": self.id or uuid.uuid4().hex}
        if isinstance(self.data, str):
            made["data"] = self.data
        else:
            made["base64"] = base64.b64encode(self.data).decode("ascii")
        if self.key is not None:
            made["key"] = self.key
        if self.delay is not None:
            made["delay"] = self.delay
        if self.expires is not None:
            made["expires"] = self.expires
        if self.headers:
            made["headers"] = {
                name: value
                if isinstance(value, str)
                else {"base64": base64.b64encode(value).decode("ascii")}
                for name, value in self.headers.items()
            }
        return made


@dataclass(frozen=True)
class Published:
    """Where a message is; ``duplicate`` if its id was there already."""

    sequence: int
    durability: str
    duplicate: bool


@dataclass(frozen=True)
class PublishedBatch:
    """Where the messages of a batch begin; ``duplicates`` by index in the batch."""

    first: int
    count: int
    duplicates: Mapping[int, int]


@dataclass(frozen=True)
class Delivery:
    """A message that was taken. ``data`` is text where it is UTF-8, else bytes."""

    receipt: str
    sequence: int
    attempt: int
    published_at: str
    data: Data
    key: Optional[str]
    id: Optional[str]
    headers: Mapping[str, Data]
    previous_failure: Optional[str]

    @staticmethod
    def _of(json_delivery: Mapping[str, Any]) -> "Delivery":
        headers = {
            name: value if isinstance(value, str) else base64.b64decode(value["base64"])
            for name, value in json_delivery["headers"].items()
        }
        data: Data = (
            json_delivery["data"]
            if "data" in json_delivery
            else base64.b64decode(json_delivery["base64"])
        )
        return Delivery(
            receipt=json_delivery["receipt"],
            sequence=json_delivery["sequence"],
            attempt=json_delivery["attempt"],
            published_at=json_delivery["publishedAt"],
            data=data,
            key=json_delivery.get("key"),
            id=json_delivery.get("id"),
            headers=headers,
            previous_failure=json_delivery.get("previousFailure"),
        )

    @staticmethod
    def _all_of(json_deliveries: Any) -> "List[Delivery]":
        if not isinstance(json_deliveries, list):
            raise TypeError("deliveries are a list")
        return [Delivery._of(each) for each in json_deliveries]


Deliveries = Union[Delivery, str, Iterable[Union[Delivery, str]]]


def _receipts(deliveries: Deliveries) -> Iterator[str]:
    """Yields the receipts of one delivery, or of several."""
    several: Iterable[Union[Delivery, str]]
    if isinstance(deliveries, (Delivery, str)):
        several = [deliveries]
    elif isinstance(deliveries, bytes) or not isinstance(deliveries, Iterable):
        raise _no_delivery(deliveries)
    else:
        several = deliveries
    for each in several:
        if not isinstance(each, (Delivery, str)):
            raise _no_delivery(each)
        yield each if isinstance(each, str) else each.receipt


def _no_delivery(given: Any) -> TypeError:
    return TypeError(f"{given!r} is neither a delivery nor a receipt")


class River:
    """
    A server. Can be used by several threads, each of which has a connection of its own; the end of
    a ``with`` closes that of its thread.
    """

    def __init__(
        self,
        url: str,
        key: Optional[str] = None,
        timeout: float = 30.0,
        retries: int = 8,
        ssl_context: Optional[ssl.SSLContext] = None,
    ):
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url} is no address such as https://river.example.com:8443")
        self._tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port
        self._base = parts.path.rstrip("/")
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self._timeout = timeout
        self._retries = retries
        self._ssl = ssl_context
        self._local = threading.local()

    def __enter__(self) -> "River":
        return self

    def __exit__(self, *failure: Any) -> None:
        self.close()

    def queue(self, name: str) -> "Queue":
        return Queue(self, name)

    def queues(self) -> List[str]:
        """Returns the names of the queues that the key may see."""
        return self._json("GET", "/v1/queues", _names)

    def close(self) -> None:
        """Closes the connection of this thread; it is opened again when needed."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def _connect(self, timeout: float) -> http.client.HTTPConnection:
        if self._tls:
            return http.client.HTTPSConnection(
                self._host, self._port, timeout=timeout, context=self._ssl
            )
        return http.client.HTTPConnection(self._host, self._port, timeout=timeout)

    def _open(
        self, connection: http.client.HTTPConnection, method: str, path: str, body: bytes, accept: str
    ) -> http.client.HTTPResponse:
        headers = {**self._headers, "Accept": accept, "Content-Type": "application/json"}
        connection.request(method, self._base + path, body=body, headers=headers)
        answer = connection.getresponse()
        if not 200 <= answer.status < 300:
            raise _error(answer)
        return answer

    def _open_stream(
        self, connection: http.client.HTTPConnection, path: str
    ) -> http.client.HTTPResponse:
        connection.connect()
        connection.sock.settimeout(max(self._timeout, _SILENCE))
        return self._open(connection, "POST", path, b"", "application/x-ndjson")

    def _json(
        self,
        method: str,
        path: str,
        read: Callable[[Any], _T],
        body: Optional[Any] = None,
        wait: float = 0.0,
    ) -> _T:
        """Sends a request, again where its answer was lost or says later; reads its JSON."""
        sent = b"" if body is None else json.dumps(body).encode("utf-8")

        def once() -> _T:
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self._connect(self._timeout)
            if connection.sock is not None:
                connection.sock.settimeout(self._timeout + wait)
            connection.timeout = self._timeout + wait
            try:
                with self._open(connection, method, path, sent, "application/json") as answer:
                    text = answer.read()
                if not text:  # cut in its head, or a proxy's: the server answers with JSON
                    raise http.client.HTTPException(f"the answer {answer.status} has no content")
            except _LOST:
                self.close()
                raise
            return _read(answer.status, text, read)

        return self._retried(once)

    def _retried(self, once: Callable[[], _T]) -> _T:
        tries = 0
        while True:
            try:
                return once()
            except RiverError as refused:
                if not _is_retried(refused) or tries >= self._retries:
                    raise
                pause = refused.retry_after
            except ssl.SSLCertVerificationError:
                raise  # it will be no better
            except _LOST as lost:
                if tries >= self._retries:
                    raise RiverError(0, {"type": "unreachable", "detail": str(lost)}) from lost
                pause = None
            _sleep(tries, pause)
            tries += 1


def _sleep(tries: int, retry_after: Optional[float]) -> None:
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(tries, 16))
    time.sleep(longest * random.uniform(0.5, 1.0) if retry_after is None else retry_after)


def _is_retried(refused: RiverError) -> bool:
    if refused.type == "status":  # of the queue, which lasts until an operator sets another
        return False
    return refused.status >= 500 or refused.status in (408, 429)


def _read(status: int, text: bytes, read: Callable[[Any], _T]) -> _T:
    try:
        return read(json.loads(text))
    except (AttributeError, LookupError, TypeError, ValueError) as foreign:  # a proxy's
        title = text[:200].decode("utf-8", "replace")
        raise RiverError(status, {"title": f"the answer is not a server's of River: {title}"}) from foreign


def _names(answer: Any) -> List[str]:
    return [each["name"] for each in answer["queues"]]


def _published(answer: Any) -> Published:
    return Published(answer["sequence"], answer["durability"], answer["duplicate"])


def _published_batch(answer: Any) -> PublishedBatch:
    duplicates = {each["index"]: each["sequence"] for each in answer["duplicates"]}
    return PublishedBatch(answer["first"], answer["count"], duplicates)


def _results(answer: Any) -> List[str]:
    return [each["result"] for each in answer["results"]]


def _error(answer: http.client.HTTPResponse) -> RiverError:
    text = answer.read()
    try:
        problem = json.loads(text)
    except ValueError:
        problem = None
    if not isinstance(problem, dict):  # a proxy's
        problem = {"title": text[:200].decode("utf-8", "replace")}
    after = answer.getheader("Retry-After", "")
    return RiverError(answer.status, problem, float(after) if after.isdigit() else None)


class Queue:
    """A queue of a server."""

    def __init__(self, river: River, name: str):
        self._river = river
        self.name = name
        self._path = f"/v1/queues/{quote(name, safe='')}"

    def publish(
        self,
        data: Data,
        *,
        key: Optional[str] = None,
        id: Optional[str] = None,
        headers: Optional[Mapping[str, Data]] = None,
        delay: Optional[str] = None,
        expires: Optional[str] = None,
        durability: str = "MEMORY",
    ) -> Published:
        """Stores a message. Without an id it gets one, so that it can be sent again."""
        message = Message(data, key, id, headers or {}, delay, expires)
        path = f"{self._path}/publish?durability={durability}"
        return self._river._json("POST", path, _published, message._json())

    def publish_batch(
        self, messages: Iterable[Union[Message, Data]], *, durability: str = "MEMORY"
    ) -> PublishedBatch:
        """Stores all of the messages, or none."""
        if isinstance(messages, (str, bytes, bytearray, memoryview, Message)):
            raise TypeError(
                f"publish_batch takes several messages, not one {type(messages).__name__};"
                " put it into a list, or use publish"
            )
        all_messages = [
            (each if isinstance(each, Message) else Message(each))._json() for each in messages
        ]
        path = f"{self._path}/publish-batch?durability={durability}"
        return self._river._json("POST", path, _published_batch, {"messages": all_messages})

    def subscriber(self, name: str) -> "Subscriber":
        return Subscriber(self._river, self._path, name)


class Subscriber:
    """A durable reader of a queue, which several consumers may share. Taking creates it."""

    def __init__(self, river: River, queue_path: str, name: str):
        self._river = river
        self.name = name
        self._path = f"{queue_path}/subscribers/{quote(name, safe='')}"

    def take(self, max: int = 1, wait: float = 0.0) -> List[Delivery]:
        """Takes up to ``max`` messages; waits up to ``wait`` seconds, at most 60, for the first."""
        query = urlencode({"max": max, "wait": f"{int(wait * 1000)}ms", "create": "true"})
        path = f"{self._path}/deliveries?{query}"
        return self._river._json("POST", path, Delivery._all_of, wait=wait)

    def stream(self, credit: int = 100) -> Iterator[Delivery]:
        """
        Yields messages as they come, with at most ``credit`` not settled. Begins anew when the
        connection is lost; fails when the server refuses, or cannot be reached in all tries.
        """
        query = urlencode({"credit": credit, "create": "true"})
        tries = 0
        pauses = 0
        while True:
            connection = self._river._connect(self._river._timeout)
            pause: Optional[float] = None
            try:
                answer = self._river._open_stream(connection, f"{self._path}/stream?{query}")
                tries = 0
                for line in answer:
                    pauses = 0
                    if line.strip() and line.endswith(b"\n"):  # else the connection was cut
                        yield _read(answer.status, line, Delivery._of)
            except RiverError as refused:
                if not _is_retried(refused) or tries >= self._river._retries:
                    raise
                pause = refused.retry_after
            except ssl.SSLCertVerificationError:
                raise  # it will be no better
            except _LOST as lost:
                if tries >= self._river._retries:
                    raise RiverError(0, {"type": "unreachable", "detail": str(lost)}) from lost
            finally:
                connection.close()
            _sleep(pauses, pause)
            pauses += 1
            tries += 1

    def ack(self, *deliveries: Deliveries) -> List[str]:
        """Completes messages: of deliveries, receipts, or lists of these."""
        return self._settle("ack", deliveries)

    def nack(
        self, *deliveries: Deliveries, delay: Optional[str] = None, reason: Optional[str] = None
    ) -> List[str]:
        """Gives messages back for another attempt."""
        return self._settle("nack", deliveries, delay=delay, reason=reason)

    def release(self, *deliveries: Deliveries) -> List[str]:
        """Gives messages back unprocessed; the attempt does not count."""
        return self._settle("release", deliveries)

    def reject(self, *deliveries: Deliveries, reason: str) -> List[str]:
        """Makes messages dead letters."""
        return self._settle("reject", deliveries, reason=reason)

    def extend(self, *deliveries: Deliveries, duration: str) -> List[str]:
        """Takes more time for messages."""
        return self._settle("extend", deliveries, duration=duration)

    def _settle(
        self, verb: str, deliveries: Tuple[Deliveries, ...], **more: Optional[str]
    ) -> List[str]:
        receipts = [receipt for each in deliveries for receipt in _receipts(each)]
        if not receipts:
            return []
        body: Dict[str, Any] = {"receipts": receipts}
        body.update({name: value for name, value in more.items() if value is not None})
        return self._river._json("POST", f"{self._path}/{verb}", _results, body)
