package com.wookler.river.rest.server.memcache;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A message that was sent and is neither completed nor given back. Of a large one only its receipt
 * is held: else each open read would keep its data in memory, outside of all limits. A small one is
 * completed itself, which costs less.
 *
 * @param delivery the message; null if it is large
 * @param reader the subscriber that delivered it
 * @param receipt of a large one; empty else
 */
record Held(@Nullable Delivery<?> delivery, Subscriber<?> reader, String receipt) {
  private static final Logger LOG = LoggerFactory.getLogger(Held.class);
  private static final int SMALL_BYTES = 1 << 10;

  static Held of(Taken taken) {
    Delivery<?> message = taken.message();
    Subscriber<?> reader = taken.reader().subscriber();
    return taken.bytes().length <= SMALL_BYTES
        ? new Held(message, reader, "")
        : new Held(null, reader, message.receipt());
  }

  /** Gives it back; if its queue is closed or deleted it comes again anyway. */
  void release() {
    try {
      if (delivery != null) {
        delivery.release();
      } else {
        settle(Settlement.release());
      }
    } catch (RiverException e) {
      LOG.debug("A message of {} was not given back", reader.name(), e);
    }
  }

  /** Completes it; it was delivered again, or its queue deleted, if that cannot be. */
  void complete() {
    try {
      if (delivery != null) {
        delivery.ack();
      } else {
        settle(Settlement.ack());
      }
    } catch (RiverException e) {
      LOG.debug("A message of {} was not completed", reader.name(), e);
    }
  }

  private void settle(Settlement action) {
    var unused = reader.settle(List.of(receipt), action);
  }
}
