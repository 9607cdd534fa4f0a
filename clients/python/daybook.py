"""Consumers of a Daybook ledger. One file, only the standard library, Python 3.9 or later.

    from daybook import Daybook

    def handle(event):
        print(event["dedupe_key"])

    Daybook("http://127.0.0.1:8765").consume("printer", handle, filters={"kind": "build.*"})

The ledger keeps the checkpoint under the name of the consumer. Each event comes at least once, those of one subject in order,
to one instance at a time.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import socket
import sys
import threading
import time
from collections import deque
from typing import Any, Callable, Mapping, Optional, Sequence
from urllib.parse import quote, urlencode, urlsplit

__all__ = ["Daybook", "LedgerError", "NotNow"]

Event = dict[str, Any]

WAIT_SECONDS = 50
IDLE_SECONDS = 30
# A killed instance holds its lease for so long. It is extended while an event takes longer.
LEASE_SECONDS = 15
ACKNOWLEDGE_SECONDS = 1
MOST_ANSWER_BYTES = 64 * 1024 * 1024
MOST_RETRY_AFTER_SECONDS = 3600
ERROR_BYTES = 4096
REQUEST_WAIT = (0.25, 10)
EVENT_WAIT = (0.5, 30)


class LedgerError(Exception):
    """The ledger refused a request, or cannot be reached.

    code: for programs, such as "lease_held" or "server_unreachable". status: of the answer, None without one.
    """

    def __init__(self, code: str, message: str, status: Optional[int] = None, retry_after: float = 0, next_since: Any = None):
        super().__init__(message)
        self.code = code
        self.status = status
        self.retry_after = retry_after
        self.next_since = next_since

    @property
    def is_passing(self) -> bool:
        """Whether a retry can help."""
        return self.status is None or self.status == 429 or self.status >= 500


class NotNow(Exception):
    """Raise it while what the work needs is away: the event comes again later, and the attempt is not counted."""

    def __init__(self, message: str, seconds: float = 5):
        super().__init__(message)
        self.seconds = seconds


class Daybook:
    """A ledger, over its REST API.

    url: such as "http://127.0.0.1:8765". token: an API token, for a ledger that needs one.
    """

    def __init__(self, url: str, token: Optional[str] = None):
        parts = urlsplit(url)
        unwanted = parts.username or parts.password or parts.query or parts.fragment
        if parts.scheme not in ("http", "https") or not parts.hostname or unwanted:
            raise ValueError("url must be an http or https address without user name, query and fragment")
        token = (token or "").strip()  # A file from which it is read ends with a line break.
        if not re.fullmatch(r"[!-~]*", token):
            raise ValueError("token must be one word of printable ASCII characters")
        self._address = (parts.scheme, parts.hostname, parts.port)
        self._base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._path = parts.path.rstrip("/")
        self._token = token or None
        self._waiting: set[socket.socket] = set()
        self.is_stopping = False

    def consume(
        self,
        name: str,
        handle: Callable[[Any], object],
        *,
        filters: Optional[Mapping[str, Any]] = None,
        start: str = "now",
        batch: Optional[int] = None,
        concurrency: int = 1,
        key: Optional[Callable[[Event], object]] = None,
        retries: int = 5,
        on_failure: str = "stop",
        on_restore: str = "continue",
        once: bool = False,
        report: Optional[Callable[[str], object]] = None,
    ) -> None:
        """Processes the events of the named consumer, which is created if it is new, until `stop` is called.

        handle receives one event as a dict, or with `batch` a list of up to this many. An event is acknowledged when handle
        returns; an exception is a failure. With concurrency 1 it runs in the thread of the caller.
        filters: those of GET /api/events by name; None: those of the consumer stay.
        start: where a new consumer begins: "beginning", "now" or a time.
        key: events with the same key are handled in order, one after the other. Default: the subject.
        retries: how often a failed event is tried again, with growing waits.
        on_failure: then "stop" raises the error, and "dead-letter" keeps the event as a dead letter and continues.
        on_restore: after the ledger was restored or replaced, "continue" reads on from the checkpoint that it has, and
        "stop" raises LedgerError "epoch_changed".
        once: end when there are no more events. While another instance reads, LedgerError "lease_held" is raised.
        report: receives a sentence for each interruption and its end. Default: standard error.
        """
        if on_failure not in ("stop", "dead-letter") or on_restore not in ("continue", "stop"):
            raise ValueError('on_failure is "stop" or "dead-letter", and on_restore is "continue" or "stop"')
        counts = {"batch": (1 if batch is None else batch, 1), "concurrency": (concurrency, 1)}
        counts["retries"] = (0 if retries == float("inf") else retries, 0)
        for option, (value, least) in counts.items():
            if not isinstance(value, int) or value < least:
                raise ValueError(f"{option} must be an integer of at least {least}" + (", or infinite" if option == "retries" else ""))
        if not callable(handle) or not (key is None or callable(key)):
            raise TypeError("handle and key must be functions")
        report = report or (lambda sentence: print(f"Consumer {name}: {sentence}", file=sys.stderr, flush=True))
        place = {"position": start} if start in ("beginning", "now") else {"from": start}
        create = {**({} if filters is None else {"filters": _lists(filters)}), **place}
        unit = 1 if batch is None else batch
        reader = _Reader(self, name, create, min(500, max(100, unit * concurrency)), once, on_restore, report)
        plan = {"unit": unit, "key": key or _subject_of, "retries": retries, "on_failure": on_failure}
        plan["handle"] = handle if batch is not None else lambda events: handle(events[0])
        try:
            reader.open()
            for found in iter(reader.next, None):
                _run(_Work(found["ack"], found["items"], plan, self), reader, concurrency)
        finally:
            reader.release({})

    def stop(self) -> None:
        """Ends `consume`, also from a signal handler or another thread: it finishes what it has begun, and acknowledges it."""
        self.is_stopping = True
        for waiting in list(self._waiting):
            try:
                waiting.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It has ended at this moment.

    def _sleep(self, seconds: float) -> None:
        """Without a lock, which a signal handler could not take."""
        end = time.monotonic() + seconds
        while not self.is_stopping and time.monotonic() < end:
            time.sleep(min(0.25, max(0, end - time.monotonic())))

    def _connect(self) -> http.client.HTTPConnection:
        scheme, host, port = self._address
        kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
        # Without a port, it would be read from the host, also from the end of an IPv6 address.
        return kind(host, port or kind.default_port, timeout=IDLE_SECONDS)


class _Channel:
    """One connection, kept open. Not for several threads."""

    def __init__(self, ledger: Daybook):
        self._ledger = ledger
        self._connection: Optional[http.client.HTTPConnection] = None

    def send(self, method: str, path: str, body: Any = None, wait: int = 0) -> Any:
        try:
            status, headers, data = self._exchange(method, path, body, wait)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            base = self._ledger._base
            if isinstance(error, socket.timeout):
                raise LedgerError("server_timeout", f"{base} did not answer in time.") from error
            raise LedgerError("server_unreachable", f"No server answers at {base} ({error or type(error).__name__}).") from error
        if 200 <= status < 300:
            return self._json(data)
        raise self._error(status, headers, data)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _exchange(self, method: str, path: str, body: Any, wait: int) -> tuple[int, Any, bytes]:
        headers = {"Accept": "application/json, application/problem+json"}
        if self._ledger._token is not None:
            headers["Authorization"] = f"Bearer {self._ledger._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        payload = None if body is None else json.dumps(body).encode()
        is_kept = self._connection is not None
        connection = self._connection = self._connection or self._ledger._connect()
        try:
            connection.request(method, self._ledger._path + path, payload, headers)
            answer = self._await(connection, wait)
        except ConnectionError:
            self.close()
            # The server closes connections that were idle for long.
            if not is_kept or self._ledger.is_stopping:
                raise
            return self._exchange(method, path, body, wait)
        data = answer.read(MOST_ANSWER_BYTES + 1)
        if len(data) > MOST_ANSWER_BYTES:
            self.close()
            raise LedgerError("answer_too_large", f"The answer is larger than {MOST_ANSWER_BYTES} bytes.", 413)
        return answer.status, answer.headers, data

    def _await(self, connection: http.client.HTTPConnection, wait: int) -> http.client.HTTPResponse:
        sock = connection.sock
        sock.settimeout(IDLE_SECONDS + wait)
        if wait:
            self._ledger._waiting.add(sock)
        try:
            if wait and self._ledger.is_stopping:
                raise ConnectionAbortedError("stopped")
            return connection.getresponse()
        finally:
            self._ledger._waiting.discard(sock)

    def _json(self, data: bytes) -> Any:
        try:
            return json.loads(data)
        except ValueError as error:
            raise LedgerError("not_a_ledger", f"The answer of {self._ledger._base} is not JSON. Check the address.") from error

    def _error(self, status: int, headers: Any, data: bytes) -> LedgerError:
        """A problem as of RFC 9457, or the answer of a proxy. Any other is not from a ledger."""
        is_problem = headers.get_content_type() == "application/problem+json"
        if not is_problem and status not in (413, 429) and status < 502:
            message = f"{self._ledger._base} answered with status {status}, but not as a ledger does. Check the address."
            return LedgerError("not_a_ledger", message)
        try:
            problem = dict(json.loads(data))
        except (ValueError, TypeError):
            problem = {}  # A proxy's page; the status is enough.
        asked = headers.get("Retry-After", "")
        retry_after = min(int(asked), MOST_RETRY_AFTER_SECONDS) if re.fullmatch(r"\d{1,9}", asked) else 0
        message = problem.get("detail") or f"The server answered with status {status}."
        return LedgerError(problem.get("code") or f"http_{status}", message, status, retry_after, problem.get("next_since"))


class _Reader:
    """The next events, again and again. Waits while the server is away, and while another instance reads."""

    def __init__(self, ledger: Daybook, name: str, create: Any, limit: int, once: bool, on_restore: str, report: Any):
        self.ledger = ledger
        self.path = f"/api/consumers/{quote(name, safe='')}"
        self.create, self.limit, self.once, self.on_restore, self.report = create, limit, once, on_restore, report
        self.channel = _Channel(ledger)
        self.fence: Optional[int] = None
        self.checkpoint: Optional[str] = None
        self.filters: Any = None  # Those of the stored consumer when this reader began.
        self.is_interrupted = False
        self.failures = 0

    @property
    def is_stopping(self) -> bool:
        return self.ledger.is_stopping

    def open(self) -> None:
        saved = self._until_answered("PUT", "", self.create, is_patient=not self.once)
        consumer = saved.get("consumer") if isinstance(saved, dict) else None
        self.filters = consumer.get("filters") if isinstance(consumer, dict) else None

    def next(self) -> Any:
        """A batch with events; None when it stops, or with `once` when there is nothing left."""
        while not self.is_stopping:
            query: dict[str, Any] = {"limit": self.limit, "lease_seconds": LEASE_SECONDS}
            if self.fence is not None:
                query["fence"] = self.fence
            wait = 0 if self.once else WAIT_SECONDS
            if wait:
                query["wait"] = wait
            try:
                batch = self.channel.send("GET", f"{self.path}/events?{urlencode(query)}", wait=wait)
                if not isinstance(batch, dict) or "items" not in batch or "ack" not in batch:
                    raise LedgerError("not_a_ledger", "The answer is not a batch of events. Check the address.")
                self.fence = batch["ack"]["fence"]
                self._resumed()
                if batch["items"]:
                    return batch
                if "retried" in batch["ack"]:
                    self.report(f"The event of dead letter {batch['ack']['retried']} was removed.")
                self.acknowledge(self.channel, batch["ack"])
                if self.once and not batch["has_more"]:
                    return None
            except LedgerError as error:
                if self.is_stopping:
                    return None
                self._overcome(error)
        return None

    def acknowledge(self, channel: _Channel, body: Mapping[str, Any]) -> bool:
        """False if the lease is lost: another instance has the events now, or the position was set. Also when it stops."""
        while True:
            try:
                channel.send("POST", f"{self.path}/ack", {**body, "lease_seconds": LEASE_SECONDS})
                self.checkpoint = body.get("checkpoint", self.checkpoint)
                self._resumed()
                return True
            except LedgerError as error:
                if error.code in ("lease_lost", "epoch_changed", "not_found"):
                    self.fence = None
                    return False
                if not error.is_passing:
                    raise
                if self.is_stopping:
                    return False
                self._wait(error)

    def release(self, body: Mapping[str, Any]) -> None:
        """Another instance may read immediately. If that fails, the lease expires, and events may come again."""
        fence, self.fence = self.fence, None
        if fence is None:
            return
        self.channel.close()  # It may still wait for an answer.
        try:
            self.channel.send("POST", f"{self.path}/ack", {**body, "fence": fence, "release": True})
        except LedgerError as error:
            self.report(f"The last events may be delivered again: {error}")
        self.channel.close()

    def _overcome(self, error: LedgerError) -> None:
        if error.code == "lease_held":
            if self.once:
                raise error
            self._interrupted("Another instance reads for this consumer. This one waits.")
            self.ledger._sleep(REQUEST_WAIT[0])
        elif error.code == "lease_lost":
            self.fence = None
            self.ledger._sleep(REQUEST_WAIT[0])
        elif error.code == "epoch_changed" and self.on_restore == "continue":
            self.fence = None
            self.report("The ledger was restored or replaced. Continuing at the checkpoint that it has.")
            self._until_answered("POST", "/seek", {"position": "same"})
        elif error.code == "pruned":
            self.fence = None
            self.report(f"{error} Continuing after them.")
            self._until_answered("POST", "/seek", {"since": error.next_since})
        elif error.code == "not_found" and self.filters is not None:  # Without its filters, it would pass on every event.
            self.fence = None
            self.report("This ledger does not have the consumer any more. Creating it again.")
            place = self.create if self.checkpoint is None else {"since": self.checkpoint}
            self._until_answered("PUT", "", {**place, "filters": self.filters})
        elif error.is_passing:
            self._wait(error)
        else:
            raise error

    def _until_answered(self, method: str, path: str, body: Any, is_patient: bool = True) -> Any:
        """The answer; None when it stops."""
        while not self.is_stopping:
            try:
                answer = self.channel.send(method, self.path + path, body)
                self._resumed()
                return answer
            except LedgerError as error:
                if not is_patient or not error.is_passing:
                    raise
                self._wait(error)

    def _wait(self, error: LedgerError) -> None:
        self.failures += 1
        self._interrupted(f"{error} Waiting.")
        self.ledger._sleep(max(error.retry_after, _growing_wait(self.failures, REQUEST_WAIT)))

    def _interrupted(self, sentence: str) -> None:
        if not self.is_interrupted:
            self.report(sentence)
        self.is_interrupted = True

    def _resumed(self) -> None:
        if self.is_interrupted:
            self.report("Continuing.")
        self.is_interrupted = False
        self.failures = 0


class _Task:
    """An event, with what is read from it before the work, which may change it."""

    def __init__(self, event: Event, key: object):
        self.event, self.key = event, key
        self.place = {name: event[name] for name in ("dedupe_key", "captured_at")}
        self.is_done = False
        self.is_alone = False  # After a failure together with others.
        self.attempts = 0


class _Work:
    """The events of a batch, those of one key in order. An event that waits for a retry keeps only its own key waiting."""

    def __init__(self, ack: Mapping[str, Any], events: Sequence[Event], plan: Mapping[str, Any], ledger: Daybook):
        self.ack, self.plan, self.ledger = ack, plan, ledger
        self.tasks = [_Task(event, plan["key"](event)) for event in events]
        self.queues: dict[object, deque[_Task]] = {}
        for task in self.tasks:
            self.queues.setdefault(task.key, deque()).append(task)
        self.ready = deque(self.queues)
        self.delayed: list[tuple[float, list[_Task]]] = []
        self.letters: dict[str, Any] = {}
        self.running = self.acknowledged = 0
        self.is_over = self.is_lost = False
        self.failure: Optional[BaseException] = None
        self.changed = threading.Condition()
        self.ended = threading.Event()

    def work(self) -> None:
        """What each thread does."""
        for unit in iter(self._take, None):
            try:
                self.plan["handle"]([task.event for task in unit])
            except Exception as error:
                self._failed(unit, error)
            except BaseException as error:  # KeyboardInterrupt, SystemExit: raised again where consume was called.
                return self.end(error)
            else:
                self._finish(unit)

    def end(self, failure: Optional[BaseException] = None, is_lost: bool = False) -> None:
        """Begins no more work."""
        with self.changed:
            self.is_over = True
            self.is_lost = self.is_lost or is_lost
            self.failure = self.failure or failure
            self.changed.notify_all()

    @property
    def done(self) -> int:
        """How many events are done, from the first one on without a gap."""
        return next((at for at, task in enumerate(self.tasks) if not task.is_done), len(self.tasks))

    def state(self) -> tuple[int, dict[str, Any]]:
        """How many are done, and the body that acknowledges them."""
        with self.changed:
            done = self.done
            instants = [task.place["captured_at"] for task in self.tasks[:done]]
            body: dict[str, Any] = {}
            if "retried" in self.ack:
                body = {"retried": self.ack["retried"]} if done else {}
            elif done:
                body = {"checkpoint": self.ack["checkpoint"] if done == len(self.tasks) else instants[-1]}
            letters = [self.letters[instant] for instant in instants[self.acknowledged :] if instant in self.letters]
            return done, {**body, "dead_letters": letters, "error": letters[-1]["error"]} if letters else body

    def _take(self) -> Optional[list[_Task]]:
        with self.changed:
            while not self.is_over and not self.ledger.is_stopping:
                now = time.monotonic()
                for due, unit in [each for each in self.delayed if each[0] <= now]:
                    self.delayed.remove((due, unit))
                    self._put_back(unit)
                if self.ready:
                    self.running += 1
                    return self._next_unit()
                if self.running == 0 and not self.delayed:
                    break
                self.changed.wait(min([0.5] + [max(0, due - now) for due, _ in self.delayed]))
            self.changed.notify_all()
            return None

    def _next_unit(self) -> list[_Task]:
        unit: list[_Task] = []
        while self.ready and len(unit) < self.plan["unit"]:
            queue = self.queues[self.ready[0]]
            if queue[0].is_alone and unit:
                break
            self.ready.popleft()
            if queue[0].is_alone:
                return [queue.popleft()]
            while queue and not queue[0].is_alone and len(unit) < self.plan["unit"]:
                unit.append(queue.popleft())
        return unit

    def _put_back(self, unit: Sequence[_Task]) -> None:
        for task in reversed(unit):
            self.queues[task.key].appendleft(task)
        self._free(unit)

    def _free(self, unit: Sequence[_Task]) -> None:
        for key in {task.key: None for task in unit}:
            if self.queues[key]:
                self.ready.append(key)

    def _finish(self, unit: Sequence[_Task]) -> None:
        with self.changed:
            self.running -= 1
            for task in unit:
                task.is_done = True
            self._free(unit)
            self.changed.notify_all()

    def _failed(self, unit: list[_Task], error: Exception) -> None:
        first = unit[0]
        with self.changed:
            self.running -= 1
            first.attempts += 0 if isinstance(error, NotNow) or len(unit) > 1 else 1
            if isinstance(error, NotNow):
                self.delayed.append((time.monotonic() + error.seconds, unit))
            elif len(unit) > 1:  # One of them failed: each comes alone, so that only that one fails again.
                for task in unit:
                    task.is_alone = True
                self._put_back(unit)
            elif first.attempts <= self.plan["retries"]:
                self.delayed.append((time.monotonic() + _growing_wait(first.attempts, EVENT_WAIT), unit))
            elif self.plan["on_failure"] == "stop":
                self.end(error)
            else:
                letter = {**first.place, "error": _end_of(error), "attempts": first.attempts}
                self.letters[first.place["captured_at"]] = letter
                first.is_done = True
                self._free(unit)
            self.changed.notify_all()


def _run(work: _Work, reader: _Reader, concurrency: int) -> None:
    """The work on one batch, and its acknowledgements."""
    keeper = threading.Thread(target=_keep, args=(work, reader), daemon=True)
    threads = [threading.Thread(target=work.work, daemon=True) for _ in range(concurrency - 1)]
    try:
        for thread in [keeper, *threads]:
            thread.start()
        work.work()
        for thread in threads:
            thread.join()
    except BaseException as error:  # Also KeyboardInterrupt, and SystemExit of a signal handler.
        work.end(error)
    work.ended.set()
    for thread in [keeper, *threads]:
        thread.join()
    done, body = work.state()
    if work.failure is not None or work.ledger.is_stopping:
        failed = {"error": _end_of(work.failure)} if isinstance(work.failure, Exception) else {}
        reader.release({**body, **failed})
        if work.failure is not None:
            raise work.failure
    elif not work.is_lost:
        reader.acknowledge(reader.channel, {**body, "fence": work.ack["fence"]})


def _keep(work: _Work, reader: _Reader) -> None:
    """Acknowledges what is done about every second, and extends the lease while an event takes long."""
    channel = _Channel(reader.ledger)
    sent_at = time.monotonic()
    while not work.ended.wait(ACKNOWLEDGE_SECONDS) and not work.is_lost:
        done, body = work.state()
        if done == work.acknowledged and time.monotonic() - sent_at < LEASE_SECONDS / 3:
            continue
        try:
            if reader.acknowledge(channel, {**body, "fence": work.ack["fence"]}):
                work.acknowledged = done
            else:
                work.end(is_lost=True)
        except LedgerError as error:
            work.end(error)
        sent_at = time.monotonic()
    channel.close()


def _growing_wait(failures: int, bounds: tuple[float, float]) -> float:
    """Seconds. Half of it is left to chance, so that many programs do not come back together."""
    first, last = bounds
    doublings = min(failures - 1, 16)  # Too large a power is no float.
    return min(first * 2.0**doublings, last) * (0.5 + random.random() / 2)


def _subject_of(event: Event) -> object:
    return event["source"], event["subject_type"], event["subject_id"]


def _end_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".encode(errors="replace")[-ERROR_BYTES:].decode(errors="replace")


def _lists(filters: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, str) else list(value) for name, value in filters.items()}
