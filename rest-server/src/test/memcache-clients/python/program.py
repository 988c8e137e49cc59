"""Produces and consumes with pymemcache, or with python-memcached. See README.md."""

import hashlib
import os
import sys
import time


def pymemcache(port):
    from pymemcache.client.base import Client

    client = Client(("127.0.0.1", port), connect_timeout=5, timeout=30)

    def store(queue, data):
        if not client.set(queue, data, noreply=False):
            raise OSError("not stored")

    return store, client.get, client.close


def memcached(port):
    import memcache

    client = memcache.Client([f"127.0.0.1:{port}"], socket_timeout=30, dead_retry=0)

    def store(queue, data):
        if not client.set(queue, data):
            raise OSError("not stored")

    def get(key):
        value = client.get(key)
        if value is None and client.servers[0].deaduntil:
            raise OSError("no server")
        return value

    return store, get, client.disconnect_all


def message(number, body):
    return b"%d:%s:" % (number, hashlib.sha256(b"%d:" % number + body).hexdigest().encode()) + body


def produce(connect, port, queue, first, count):
    for number in range(first, first + count):
        data = message(number, os.urandom(number % 300) + b"\r\nEND\r\n")
        while True:
            try:
                connect[0](queue, data)
                break
            except Exception:  # the server is being restarted
                time.sleep(0.1)


def consume(connect, queue, path, stop):
    store, get, disconnect = connect
    with open(path, "a", buffering=1) as out:
        empty = 0
        while empty < 3:
            try:
                data = get(queue + "/close/open/t=200")
            except Exception:
                disconnect()
                time.sleep(0.1)
                continue
            if data is None:
                empty = empty + 1 if os.path.exists(stop) else 0
                continue
            empty = 0
            data = bytes(data)
            number = int(data[: data.index(b":")])
            if data != message(number, data.split(b":", 2)[2]):
                raise SystemExit(f"message {number} is not what was stored")
            out.write(f"{number}\n")
        get(queue + "/close")
        disconnect()


def main():
    client, mode, port, queue = sys.argv[1:5]
    connect = {"pymemcache": pymemcache, "python-memcached": memcached}[client](int(port))
    if mode == "produce":
        produce(connect, port, queue, int(sys.argv[5]), int(sys.argv[6]))
    else:
        consume(connect, queue, sys.argv[5], sys.argv[6])


main()
