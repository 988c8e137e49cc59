package com.wookler.river.reactor.processors;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.Queues;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFailedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.MessageIds;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes messages into another queue, with their keys and headers, and passes them on. Their
 * expiry is the other queue's.
 *
 * <p><b>Exactly once</b>, if the other queue deduplicates ({@code queue.deduplicate}) within a
 * window that is longer than a message may wait to be delivered again: each is published with an id
 * of the source queue's identity and its sequence ({@link MessageIds}), so that a repetition after
 * a crash stores nothing. Else at least once, which is logged. A batch is published as one, on the
 * device ({@link Durability#DISK}) before its messages are completed, unless it is configured
 * otherwise.
 *
 * <p>While the other queue is full, closed, failed, or not there yet, messages are given back
 * without costing an attempt, and the reactor waits: in order, with one thread.
 *
 * <p>In XML: {@code queue.name}, and {@code queue.durability} ({@code DISK} or {@code MEMORY}). The
 * queue of that name must run in this JVM; it may start later. Thread-safe.
 *
 * @param <M> type of the data, which the other queue's converter must take
 */
public final class QueueProcessor<M> implements BatchProcessor<M>, ReactorAware<M>, Configurable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueProcessor.class);
  private static final Duration HOLD = Duration.ofMillis(200);
  private static final String NAME = "queue.name";
  private static final String DURABILITY = "queue.durability";
  private static final int IDENTITY_CHARS = 1 + 36; // a hyphen and a UUID

  private String queue = "the target"; // like what follows, set before the first message
  private @Nullable Publisher<M> given;
  private Durability durability = Durability.DISK;
  private @Nullable String origin;
  private volatile @Nullable Publisher<M> last; // only to log what is new
  private volatile boolean away; // only to log what is new

  /** For XML. */
  public QueueProcessor() {}

  /**
   * Publishes by a publisher.
   *
   * @param durability before messages are completed; more than the queue's own counts
   */
  public QueueProcessor(Publisher<M> target, Durability durability) {
    this.given = Objects.requireNonNull(target, "target");
    this.durability = Objects.requireNonNull(durability, "durability");
  }

  /** Publishes into the queue of a name, whenever that runs in this JVM. */
  public QueueProcessor(String queue, Durability durability) {
    this.queue = Objects.requireNonNull(queue, "queue");
    this.durability = Objects.requireNonNull(durability, "durability");
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(List.of(NAME, DURABILITY));
    queue = node.requireParam(NAME);
    String level = node.param(DURABILITY).orElse(durability.name());
    durability =
        Arrays.stream(Durability.values())
            .filter(known -> known.name().equals(level))
            .findFirst()
            .orElseThrow(
                () -> node.error(DURABILITY, "is " + level + "; it may be MEMORY or DISK"));
  }

  @Override
  public void startIn(ReactorContext<M> reactor) {
    origin = reactor.subscriber().origin();
    if (origin.startsWith(queue) && origin.length() == queue.length() + IDENTITY_CHARS) {
      throw new ConfigurationException(
          "subscriber "
              + reactor.subscriber().name()
              + " would publish into its own queue "
              + queue);
    }
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    Publisher<M> target = target().orElse(null);
    if (target == null) {
      return held(batch, "does not run");
    }
    try {
      target.putAll(batch.stream().map(this::message).toList(), durability);
      returned();
      return Collections.nCopies(batch.size(), ProcessResult.pass());
    } catch (QueueFullException | QueueClosedException | QueueFailedException e) {
      return held(batch, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      if (batch.size() == 1) {
        throw e;
      }
      return oneByOne(batch); // together too large, or the fault of one of them
    }
  }

  private List<ProcessResult<M>> oneByOne(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    boolean held = false;
    for (Delivery<M> delivery : batch) {
      ProcessResult<M> result = held ? ProcessResult.release() : alone(delivery);
      held = held || result.isReleased();
      results.add(result);
    }
    return results;
  }

  private ProcessResult<M> alone(Delivery<M> delivery) {
    try {
      return process(List.of(delivery)).get(0);
    } catch (RuntimeException e) {
      return ProcessResult.failed(e);
    }
  }

  private Message<M> message(Delivery<M> delivery) {
    if (origin == null) {
      throw new IllegalStateException("a processor of queues works in a reactor only");
    }
    Message<M> message = Message.of(delivery.data()).withId(origin + "/" + MessageIds.of(delivery));
    for (Map.Entry<String, byte[]> header : delivery.headers().entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    String key = delivery.key();
    return key == null ? message : message.withKey(key);
  }

  private Optional<Publisher<M>> target() {
    Publisher<M> found = given;
    if (found == null) {
      found = Queues.<M>publisher(queue).orElse(null);
    }
    if (found != null && found != last) {
      last = found;
      if (found.window().isZero()) {
        LOG.warn(
            "{} does not deduplicate (queue.deduplicate): after a crash, messages may be in it"
                + " twice",
            queue);
      }
    }
    return Optional.ofNullable(found);
  }

  private List<ProcessResult<M>> held(List<Delivery<M>> batch, String why) {
    if (!away) {
      away = true;
      LOG.warn("{} takes no messages: {}. They wait", queue, why);
    }
    return Collections.nCopies(batch.size(), ProcessResult.holdBack(HOLD));
  }

  private void returned() {
    if (away) {
      away = false;
      LOG.info("{} takes messages again", queue);
    }
  }
}
