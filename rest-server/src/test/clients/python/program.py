"""Publishes, takes and acknowledges with the client that was generated."""

import io
import sys

from client import Client
from client.api.deliveries import ack, take
from client.api.messages import publish, publish_batch, publish_bytes
from client.models import (
    AckRequest,
    AckResultResult,
    Durability,
    Headers,
    Problem,
    Published,
    PublishBatchRequest,
    PublishRequest,
)
from client.types import File

river = Client(base_url=sys.argv[1])
queue = sys.argv[2]

first = PublishRequest(
    data="order 1 ä", key="eu", id="1", headers=Headers.from_dict({"type": "order"})
)
published = publish.sync(queue, client=river, body=first, durability=Durability.DISK)
assert isinstance(published, Published), published
assert published.sequence == 0 and published.durability == Durability.DISK, published
assert not published.duplicate, published
assert publish.sync(queue, client=river, body=first).duplicate

batch = publish_batch.sync(
    queue,
    client=river,
    body=PublishBatchRequest([PublishRequest(data="order 2"), PublishRequest(base64="AP8=")]),
)
assert batch.first == 1 and batch.count == 2, batch

assert isinstance(
    publish_bytes.sync(queue, client=river, river_key="us", body=File(io.BytesIO(b"order 4"))),
    Published,
)

taken = take.sync(queue, "billing", client=river, create=True, max_=10, wait="5s")
assert len(taken) == 4, taken
assert taken[0].data == "order 1 ä" and taken[0].key == "eu", taken
assert taken[0].headers["type"] == "order", taken
assert taken[2].base64 == "AP8=", taken
assert taken[3].data == "order 4" and taken[3].key == "us", taken

receipts = [delivery.receipt for delivery in taken]
acknowledged = ack.sync(queue, "billing", client=river, body=AckRequest(receipts))
assert [each.result for each in acknowledged.results] == [AckResultResult.OK] * 4, acknowledged
assert take.sync(queue, "billing", client=river) == []

problem = publish.sync(queue, client=river, body=PublishRequest(data="late", expires="0s"))
assert isinstance(problem, Problem), problem
assert problem.status == 400 and problem.field == "expires", problem
print(f"python: published, took and acknowledged {len(taken)} messages")
