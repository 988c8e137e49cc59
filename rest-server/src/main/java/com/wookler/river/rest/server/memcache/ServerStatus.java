package com.wookler.river.rest.server.memcache;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The status of the server as Kestrel has it: one for all queues, which keep it. Thread-safe.
 *
 * <p>At a start it is the one that all queues have, or up. A queue that was given another status by
 * itself has that one.
 */
final class ServerStatus {
  private static final Map<String, QueueStatus> BY_NAME =
      Map.of(
          "UP", QueueStatus.UP,
          "READONLY", QueueStatus.READ_ONLY,
          "QUIESCENT", QueueStatus.QUIESCENT);

  private final QueueCatalog catalog;
  private volatile QueueStatus status;

  ServerStatus(QueueCatalog catalog) {
    this.catalog = catalog;
    this.status = common(Readers.open(catalog));
  }

  private static QueueStatus common(Collection<? extends HostedQueue<?>> queues) {
    QueueStatus first =
        queues.stream().map(queue -> queue.queue().status()).findFirst().orElse(QueueStatus.UP);
    return queues.stream().allMatch(queue -> queue.queue().status() == first)
        ? first
        : QueueStatus.UP;
  }

  /** Returns the status with a name in any case; null where a client cannot ask for it. */
  static @Nullable QueueStatus named(String name) {
    return BY_NAME.get(name.toUpperCase(Locale.ROOT));
  }

  String name() {
    return status.name().replace("_", "");
  }

  /** Gives all queues the status. Blocks. */
  synchronized void become(QueueStatus to) {
    QueueStatus before = status;
    status = to; // before the queues have it: no queue is created meanwhile that has another
    try {
      Readers.open(catalog).forEach(queue -> queue.queue().status(to));
    } catch (RiverException e) {
      status = before;
      throw e;
    }
  }

  /** Refuses to create a queue where the server would not store anything in it. */
  void checkCreates(QueueName name) {
    check(status.accepts(), name, status, "new queues");
  }

  /** Refuses what changes the messages of a queue that does not. */
  static void checkChanges(HostedQueue<?> queue, QueueName name) {
    QueueStatus now = queue.queue().status();
    check(now.accepts(), name, now, "changes");
  }

  /** Refuses to look for messages of a queue that delivers none. */
  static void checkReads(HostedQueue<?> queue, QueueName name) {
    QueueStatus now = queue.queue().status();
    check(now.delivers(), name, now, "reads");
  }

  private static void check(boolean does, QueueName name, QueueStatus status, String what) {
    if (!does) {
      throw new QueueStatusException("queue " + name.text(), status, what);
    }
  }
}
