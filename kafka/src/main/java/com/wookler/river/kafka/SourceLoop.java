package com.wookler.river.kafka;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.QueueStatusException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a source's thread does: it stores what a session reads. */
final class SourceLoop extends SessionLoop<SourceSession<?>> {
  private static final Logger LOG = LoggerFactory.getLogger(SourceLoop.class);
  private static final Duration WAIT = Duration.ofMillis(200); // after which it sees that it ends
  private static final long COMMIT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LOOK_NANOS = Duration.ofSeconds(3).toNanos();

  private final MessageQueue<?> queue;
  private final List<String> topics;
  private final Supplier<SourceSession<?>> sessions;
  private long committedAt;
  private long heardAt;

  SourceLoop(
      MessageQueue<?> queue,
      List<String> topics,
      Supplier<SourceSession<?>> sessions,
      BrokerProbe probe,
      Duration pause,
      TimeSource time) {
    super(LOG, "Queue " + queue.name() + ": reading from Kafka", probe, pause, time);
    this.queue = queue;
    this.topics = topics;
    this.sessions = sessions;
  }

  /** Also while there is nothing to store. */
  @Override
  void requireOpen() {
    var unused = queue.identity();
  }

  @Override
  SourceSession<?> create() {
    return sessions.get();
  }

  @Override
  void begin(SourceSession<?> session) {
    session.open(topics);
    heardAt = time().nanoTime();
  }

  @Override
  void step(SourceSession<?> session) {
    requireOpen();
    try {
      if (session.step(WAIT)) {
        heardAt = time().nanoTime();
        state().working();
      } else if (time().nanoTime() - heardAt > LOOK_NANOS) {
        requireReachable(); // a consumer says nothing of brokers that are away, but in its log
        heardAt = time().nanoTime();
        state().working();
      }
    } catch (QueueFullException | QueueStatusException e) {
      state().failed(e); // the session stays in its group, and stores the rest when there is room
    }
    if (time().nanoTime() - committedAt > COMMIT_NANOS) {
      session.commit();
      committedAt = time().nanoTime();
    }
  }
}
