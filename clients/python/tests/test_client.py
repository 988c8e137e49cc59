"""Tests of the client: against the server at RIVER_URL, and against one that loses answers."""

import http.server
import json
import os
import re
import socketserver
import ssl
import threading
import time
import unittest
import unittest.mock
import uuid

from river_client import Message, River, RiverError, _client

URL = os.environ.get("RIVER_URL", "")


@unittest.skipIf(not URL, "RIVER_URL is not set")
class ServerTest(unittest.TestCase):
    def setUp(self):
        self.river = River(URL)
        self.addCleanup(self.river.close)
        self.queue = self.river.queue("python-" + uuid.uuid4().hex[:8])

    def test_publishes_takes_and_acknowledges(self):
        first = self.queue.publish("größer", key="eü", headers={"type": "order"}, durability="DISK")
        self.assertEqual((0, "DISK", False), (first.sequence, first.durability, first.duplicate))
        self.queue.publish(b"\x00\xff", headers={"raw": b"\xfe"})
        self.assertIn(self.queue.name, self.river.queues())
        billing = self.queue.subscriber("billing")
        text, raw = billing.take(max=10, wait=5)
        self.assertEqual(("größer", "eü", "order"), (text.data, text.key, text.headers["type"]))
        self.assertEqual((b"\x00\xff", b"\xfe", 1), (raw.data, raw.headers["raw"], raw.attempt))
        self.assertEqual(["ok", "ok"], billing.ack(text, raw))
        self.assertEqual([], billing.take())
        self.assertEqual([], billing.ack())

    def test_stores_a_known_id_once(self):
        self.assertFalse(self.queue.publish("a", id="1").duplicate)
        self.assertTrue(self.queue.publish("a", id="1").duplicate)
        batch = self.queue.publish_batch([Message("b"), "c", b"d", Message("a", id="1")])
        self.assertEqual(({3: 0}, 4), (dict(batch.duplicates), batch.count))

    def test_gives_back_rejects_and_extends(self):
        self.queue.publish("a")
        billing = self.queue.subscriber("billing")
        (taken,) = billing.take(wait=5)
        self.assertEqual(["ok"], billing.extend(taken, duration="1m"))
        self.assertEqual(["ok"], billing.nack(taken, reason="later"))
        (again,) = billing.take(wait=5)
        self.assertEqual((2, "later"), (again.attempt, again.previous_failure))
        self.assertEqual(["ok"], billing.release(again))
        (third,) = billing.take(wait=5)
        self.assertEqual(["ok"], billing.reject(third, reason="no"))
        self.assertEqual(["stale"], billing.ack(taken))

    def test_streams(self):
        self.queue.publish_batch(str(i) for i in range(20))
        billing = self.queue.subscriber("billing")
        seen = []
        for delivery in billing.stream(credit=5):
            seen.append(delivery.data)
            billing.ack(delivery)
            if len(seen) == 20:
                break
        self.assertEqual([str(i) for i in range(20)], seen)

    def test_says_what_the_server_refuses(self):
        with self.assertRaises(RiverError) as refused:
            self.queue.publish("a", delay="soon")
        self.assertEqual((400, "bad-request", "delay"), self.facts(refused.exception))

    @staticmethod
    def facts(error):
        return error.status, error.type, error.field


class LosingServer(http.server.BaseHTTPRequestHandler):
    """Reads requests; closes the connection of the first, is overloaded for the second."""

    protocol_version = "HTTP/1.1"
    bodies = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        LosingServer.bodies.append(json.loads(body))
        tries = len(LosingServer.bodies)
        if tries == 1:
            self.close_connection = True
            return
        answer = json.dumps({"sequence": 7, "durability": "MEMORY", "duplicate": True}).encode()
        self.send_response(503 if tries == 2 else 201)
        self.send_header("Content-Length", str(len(answer)))
        if tries == 2:
            self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


class OtherServer(http.server.BaseHTTPRequestHandler):
    """Answers as proxies do: by the path's last word; to a stream, late."""

    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if "/stream" in self.path and "idle" in self.path:
            self.send_response(200)
            self.end_headers()
            time.sleep(1)  # longer than the client's timeout
            late = {"sequence": 1, "receipt": "r", "attempt": 1, "publishedAt": "", "headers": {}}
            self.wfile.write(json.dumps({**late, "data": "late"}).encode() + b"\n")
            self.close_connection = True
            return
        status, body = (301, b"") if "moved" in self.path else (520, b'"busy"')
        self.send_response(200 if "html" in self.path else status)
        body = b"<html>" if "html" in self.path else body
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


class OtherAnswersTest(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherServer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.river = River(f"http://127.0.0.1:{server.server_port}", timeout=0.3, retries=1)
        self.addCleanup(self.river.close)

    def refused(self, call):
        with self.assertRaises(RiverError) as refused:
            call()
        return refused.exception.status

    def test_refuses_to_follow_elsewhere(self):
        moved = self.river.queue("moved")
        self.assertEqual(301, self.refused(lambda: moved.publish("a")))
        self.assertEqual(301, self.refused(lambda: next(moved.subscriber("s").stream())))

    def test_tries_again_after_any_failure_of_a_proxy(self):
        with unittest.mock.patch("time.sleep") as sleep:
            self.assertEqual(520, self.refused(lambda: self.river.queue("busy").publish("a")))
        self.assertEqual(1, sleep.call_count)

    def test_does_not_try_again_what_an_operator_has_stopped(self):
        stopped = RiverError(503, {"type": "urn:river:problem:status"})
        self.assertFalse(_client._is_retried(stopped))
        self.assertTrue(_client._is_retried(RiverError(503, {"type": "urn:river:problem:unavailable"})))

    def test_says_that_an_answer_is_not_the_servers(self):
        self.assertEqual(200, self.refused(lambda: self.river.queue("html").publish("a")))

    def test_waits_on_an_idle_stream_for_longer_than_its_timeout(self):
        self.assertEqual("late", next(self.river.queue("idle").subscriber("s").stream()).data)


class CutServer(socketserver.BaseRequestHandler):
    """Answers one request a connection with the next of its answers, or the last, and closes."""

    answers = []
    bodies = []

    def handle(self):
        head = b""
        while b"\r\n\r\n" not in head:
            more = self.request.recv(65536)
            if not more:
                return
            head += more
        head, _, body = head.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
        while len(body) < length:
            body += self.request.recv(65536)
        CutServer.bodies.append(json.loads(body) if body else None)
        answers = CutServer.answers
        self.request.sendall(answers.pop(0) if len(answers) > 1 else answers[0])


def answer(status, body):
    return b"HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body)


PUBLISHED = answer(b"201 Created", b'{"sequence": 7, "durability": "MEMORY", "duplicate": true}')
TAKEN = answer(
    b"200 OK",
    b'[{"sequence": 1, "receipt": "r", "attempt": 1, "publishedAt": "", "headers": {}, "data": "a"}]',
)
CUT = [
    b"",
    b"HTTP/1.1 20",
    b"HTTP/1.1 201",
    b"HTTP/1.1 201 Created\r\n",
    b"HTTP/1.1 201 Created\r\nContent-Le",
    b"HTTP/1.1 201 Created\r\nContent-Length: 58\r\n",
    b"HTTP/1.1 201 Created\r\nContent-Length: 58\r\n\r\n{",
    b"HTTP/1.1 204 No Content\r\n\r\n",
    answer(b"200 OK", b""),
]


class CutAnswersTest(unittest.TestCase):
    def setUp(self):
        server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), CutServer)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        CutServer.bodies = []
        patched = unittest.mock.patch("time.sleep")
        self.sleep = patched.start()
        self.addCleanup(patched.stop)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        river = River(self.url, retries=2)  # one more than cut answers: it keeps connections
        self.addCleanup(river.close)
        self.queue = river.queue("orders")

    def test_publishes_again_with_the_same_id_after_a_cut_or_empty_answer(self):
        for cut in CUT:
            with self.subTest(cut=cut):
                CutServer.bodies = []
                CutServer.answers = [cut, PUBLISHED]
                self.assertEqual(7, self.queue.publish("a").sequence)
                first, second = CutServer.bodies
                self.assertEqual(first, second)

    def test_takes_again_after_a_cut_or_empty_answer(self):
        for cut in CUT:
            with self.subTest(cut=cut):
                CutServer.answers = [cut, TAKEN]
                self.assertEqual("a", self.queue.subscriber("s").take()[0].data)

    def test_gives_up_with_an_error_of_its_own(self):
        for cut in CUT:
            with self.subTest(cut=cut):
                CutServer.answers = [cut]
                for call in (
                    lambda: self.queue.publish("a"),
                    lambda: self.queue.publish_batch(["a"]),
                    lambda: self.queue.subscriber("s").take(),
                    lambda: self.queue.subscriber("s").ack("r"),
                ):
                    with self.assertRaises(RiverError) as failed:
                        call()
                    self.assertEqual("unreachable", failed.exception.type)

    def test_says_that_json_is_not_the_servers(self):
        for foreign in (b"null", b"{}", b"[]", b'"ok"', b"[{}]", b"7"):
            with self.subTest(foreign=foreign):
                CutServer.answers = [answer(b"200 OK", foreign)]
                with self.assertRaises(RiverError) as failed:
                    self.queue.publish("a")
                self.assertEqual(200, failed.exception.status)
                if foreign != b"[]":
                    with self.assertRaises(RiverError):
                        self.queue.subscriber("s").take()
                    CutServer.answers = [answer(b"200 OK", foreign + b"\n")]
                    with self.assertRaises(RiverError):
                        next(self.queue.subscriber("s").stream())

    def test_closes_at_the_end_of_a_with(self):
        CutServer.answers = [PUBLISHED]
        with River(self.url) as river:
            river.queue("orders").publish("a")
            self.assertIsNotNone(river._local.connection)
        self.assertIsNone(river._local.connection)


class ArgumentsTest(unittest.TestCase):
    def setUp(self):
        self.river = River("http://127.0.0.1:9", retries=0)
        self.queue = self.river.queue("orders")

    def test_refuses_one_message_as_a_batch(self):
        for one in ("abc", b"abc", bytearray(b"abc"), Message("abc")):
            with self.assertRaisesRegex(TypeError, "publish_batch takes several messages"):
                self.queue.publish_batch(one)

    def test_settles_deliveries_of_a_list(self):
        sent = []
        self.river._json = lambda method, path, read, body: sent.append(body["receipts"]) or []
        billing = self.queue.subscriber("billing")
        first = _client.Delivery("1", 0, 1, "", "a", None, None, {}, None)
        billing.ack([first, "2"])
        billing.ack(first, ("2", "3"))
        billing.nack(each for each in [first])
        self.assertEqual([["1", "2"], ["1", "2", "3"], ["1"]], sent)
        self.assertEqual([], billing.ack([]))

    def test_says_what_is_no_delivery(self):
        billing = self.queue.subscriber("billing")
        for wrong in (None, 7, [7], b"r", Message("a")):
            with self.assertRaisesRegex(TypeError, "neither a delivery nor a receipt"):
                billing.ack(wrong)


class LostAnswerTest(unittest.TestCase):
    def test_sends_again_with_the_same_id(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), LosingServer)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        river = River(f"http://127.0.0.1:{server.server_port}")
        self.addCleanup(river.close)
        published = river.queue("orders").publish("a")
        self.assertEqual((7, True), (published.sequence, published.duplicate))
        self.assertEqual(3, len(LosingServer.bodies))
        self.assertEqual(1, len({each["id"] for each in LosingServer.bodies}))

    def test_gives_up_after_all_tries(self):
        river = River("http://127.0.0.1:9", retries=1)
        with self.assertRaises(RiverError) as failed:
            river.queue("orders").publish("a")
        self.assertEqual((0, "unreachable"), (failed.exception.status, failed.exception.type))

    def test_does_not_try_again_without_a_valid_certificate(self):
        river = River("https://127.0.0.1:9")
        broken = unittest.mock.Mock(side_effect=ssl.SSLCertVerificationError("self-signed"))
        opened = unittest.mock.patch.multiple(river, _open=broken, _open_stream=broken)
        with opened:
            with self.assertRaises(ssl.SSLCertVerificationError):
                river.queue("orders").publish("a")
            with self.assertRaises(ssl.SSLCertVerificationError):
                next(river.queue("orders").subscriber("billing").stream())
        self.assertEqual(2, broken.call_count)

    def test_pauses_no_longer_than_the_longest_after_many_tries(self):
        with unittest.mock.patch("time.sleep") as sleep:
            _client._sleep(5000, None)
        self.assertLessEqual(sleep.call_args[0][0], 5.0)

    def test_refuses_what_is_no_address(self):
        with self.assertRaises(ValueError):
            River("river.example.com")


if __name__ == "__main__":
    unittest.main()
