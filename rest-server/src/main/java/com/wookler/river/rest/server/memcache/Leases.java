package com.wookler.river.rest.server.memcache;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclusive subscribers that a connection has polled, as an owner of its own: its leases end
 * with it. Confined to the connection's event loop.
 */
final class Leases {
  private static final Logger LOG = LoggerFactory.getLogger(Leases.class);

  private final String owner;
  private final Map<QueueName, Subscriber<?>> polled = new HashMap<>();

  Leases(String owner) {
    this.owner = owner;
  }

  /** Returns the subscriber for polls by this connection. */
  <M> HostedSubscriber<M> of(QueueName name, HostedSubscriber<M> reader) {
    if (!reader.subscriber().config().exclusive()) {
      return reader;
    }
    HostedSubscriber<M> own = reader.by(owner);
    polled.put(name, own.consumer());
    return own;
  }

  /** Releases all that it has, so that another connection is delivered to at once. */
  void releaseAll() {
    polled.values().forEach(Leases::release);
    polled.clear();
  }

  private static void release(Subscriber<?> subscriber) {
    try {
      subscriber.releaseLease();
    } catch (RiverException e) {
      LOG.debug("The lease of {} was not released", subscriber.name(), e);
    }
  }
}
