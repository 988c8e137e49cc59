package com.wookler.river.rest.server.memcache;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import java.util.Objects;

/**
 * A message that was taken for a connection.
 *
 * @param reader the subscriber that delivered it
 * @param message the message
 */
record Taken(HostedSubscriber<?> reader, Delivery<?> message) {
  byte[] bytes() {
    return Objects.requireNonNull(message.bytes(), "bytes");
  }

  Held held() {
    return Held.of(this);
  }
}
