"""A client of River's REST server, with nothing but the standard library."""

from ._client import (
    Delivery,
    Message,
    Published,
    PublishedBatch,
    Queue,
    River,
    RiverError,
    Subscriber,
)

__all__ = [
    "Delivery",
    "Message",
    "Published",
    "PublishedBatch",
    "Queue",
    "River",
    "RiverError",
    "Subscriber",
]
