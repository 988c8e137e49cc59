package com.wookler.river.relay;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.MessageIds;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import com.wookler.river.rest.client.CallInterruptedException;
import com.wookler.river.rest.client.Durability;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.OutcomeUnknownException;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.RiverClientException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards messages to a queue of a River server, with their keys and headers, and passes them on
 * to the next processor. The target queue determines their expiry.
 *
 * <p><b>At least once, and stored once.</b> A message is acknowledged when the server has stored
 * it, with durability {@code DISK} by default. Each has an id of the source queue's identity and
 * its sequence ({@link MessageIds}), so that a retry after a lost response or a crash stores
 * nothing, if the deduplication window of the target queue is longer than that takes: queues that
 * servers create have one of 10 minutes ({@link QueueSettings#deduplicate}). <b>In order</b>, in a
 * reactor with one thread.
 *
 * <p><b>While the server is unavailable</b>, full, overloaded, or rejects the key or the queue,
 * messages are released without costing an attempt, and the reactor takes none: for 100 ms, then
 * twice as long each time, up to a longest pause, or as long as the server says ({@code
 * Retry-After}). They wait in the local queue, whose publishers continue. A message that the server
 * rejects as invalid or too large is rejected, alone. If the connection breaks twice in a row, or
 * no response comes, requests are halved until they succeed: a proxy may cut large ones.
 *
 * <p><b>One target.</b> Ids are known to one queue on one server. After a change of the target,
 * messages that the old target has may be stored in the new one again.
 *
 * <p>XML parameters: {@code server.url} and {@code server.queue}; optionally {@code server.key.env}
 * or {@code server.key.file}, the environment variable or file that has the API key; {@code
 * server.timeout}, {@code relay.durability}, {@code relay.batch.messages}, {@code
 * relay.batch.bytes}, {@code relay.pause}. The key is never logged. Thread-safe.
 *
 * @param <M> type of the data; the stored bytes are sent; if a processor before this one replaced
 *     the message, its data as bytes or text
 */
public final class RelayProcessor<M>
    implements BatchProcessor<M>, ReactorAware<M>, Configurable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayProcessor.class);
  private static final String BAD_REQUEST = "urn:river:problem:bad-request";
  private static final int TOO_LARGE = 413;
  private static final int MAX_DOUBLINGS = 20;
  private static final int MAX_MESSAGES = 1 << 20;
  private static final int GROW_AFTER =
      16; // after this many successful requests the next ones are twice as large
  private static final int OVERHEAD_BYTES = 200; // of a message in a request, about

  private @Nullable RelaySettings settings; // set before the first message, like the origin
  private @Nullable String origin;
  private final AtomicInteger failures = new AtomicInteger(); // in a row
  private final AtomicInteger batchLimit = new AtomicInteger(MAX_MESSAGES); // messages in a request
  private final AtomicInteger successesInARow =
      new AtomicInteger(); // requests since the limit changed
  private volatile boolean deduplicationChecked; // so that it is logged once

  /** Creates a relay that {@link #configure} configures from XML. */
  public RelayProcessor() {}

  private RelayProcessor(RelaySettings settings) {
    this.settings = settings;
  }

  /**
   * Creates a builder with the default settings.
   *
   * @param client client of one server, best with a {@link RiverClient.Builder#retryFor} of zero,
   *     because the relay retries itself; the caller closes it
   * @param queue name of the target queue
   */
  public static <M> Builder<M> builder(RiverClient client, String queue) {
    return new Builder<>(client, queue);
  }

  @Override
  public void configure(ConfigNode node) {
    settings = RelaySettings.of(node);
  }

  private RelaySettings settings() {
    if (settings == null) {
      throw new ConfigurationException("a relay needs the parameter " + RelaySettings.URL);
    }
    return settings;
  }

  @Override
  public void startIn(ReactorContext<M> reactor) {
    settings();
    origin = reactor.subscriber().origin();
  }

  /** Returns whether the last request failed, so that messages wait. */
  public boolean isAway() {
    return failures.get() > 0;
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    while (results.size() < batch.size()) {
      List<Delivery<M>> part = part(batch, results.size());
      List<ProcessResult<M>> partResults = forward(part);
      results.addAll(partResults);
      if (partResults.stream().anyMatch(ProcessResult::isReleased)) {
        results.addAll(Collections.nCopies(batch.size() - results.size(), ProcessResult.release()));
      }
    }
    return results;
  }

  /** Returns the messages of the next request. */
  private List<Delivery<M>> part(List<Delivery<M>> batch, int from) {
    RelaySettings limits = settings();
    long bytes = 0;
    int to = from;
    int limit = Math.min(limits.batchMessages(), batchLimit.get());
    while (to < batch.size() && to - from < limit) {
      bytes += size(batch.get(to)) + OVERHEAD_BYTES;
      if (to > from && bytes > limits.batchBytes()) {
        break;
      }
      to++;
    }
    return batch.subList(from, to);
  }

  private static int size(Delivery<?> delivery) {
    byte[] bytes = delivery.bytes();
    return bytes == null ? 0 : bytes.length;
  }

  private List<ProcessResult<M>> forward(List<Delivery<M>> part) {
    try {
      List<NewMessage> messages = part.stream().map(this::message).toList();
      settings().target().publishAll(messages, settings().durability());
      recordSuccess();
      return Collections.nCopies(part.size(), ProcessResult.pass());
    } catch (CallInterruptedException e) { // its flag is set
      return Collections.nCopies(part.size(), ProcessResult.release());
    } catch (RiverClientException e) {
      if (BAD_REQUEST.equals(e.type())
          || e.status() == TOO_LARGE) { // others' 4xx say nothing of it
        return rejected(part, e);
      }
      Duration pause = recordFailure(e);
      if (e instanceof OutcomeUnknownException && failures.get() > 1) {
        batchLimit.set(Math.max(1, part.size() / 2)); // a proxy may cut large requests
        successesInARow.set(0);
      }
      return Collections.nCopies(part.size(), ProcessResult.holdBack(pause));
    } catch (RuntimeException e) { // a message without bytes, or that the contract cannot express
      return part.size() == 1 ? List.of(ProcessResult.failed(e)) : forwardEach(part);
    }
  }

  private List<ProcessResult<M>> rejected(List<Delivery<M>> part, RiverClientException why) {
    return part.size() == 1
        ? List.of(ProcessResult.reject(String.valueOf(why.getMessage())))
        : forwardEach(part);
  }

  private List<ProcessResult<M>> forwardEach(List<Delivery<M>> part) {
    List<ProcessResult<M>> results = new ArrayList<>(part.size());
    boolean held = false;
    for (Delivery<M> delivery : part) {
      ProcessResult<M> result = held ? ProcessResult.release() : forward(List.of(delivery)).get(0);
      held = held || result.isReleased();
      results.add(result);
    }
    return results;
  }

  private NewMessage message(Delivery<M> delivery) {
    if (origin == null) {
      throw new IllegalStateException("the relay was not started in a reactor");
    }
    NewMessage message =
        NewMessage.of(bytes(delivery)).withId(origin + "/" + MessageIds.of(delivery));
    for (Map.Entry<String, byte[]> header : delivery.headers().entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    String key = delivery.key();
    return key == null ? message : message.withKey(key);
  }

  private static byte[] bytes(Delivery<?> delivery) {
    byte[] stored = delivery.bytes();
    if (stored != null) {
      return stored;
    }
    Object data = Objects.requireNonNull(delivery.data());
    return data instanceof byte[] bytes ? bytes : data.toString().getBytes(StandardCharsets.UTF_8);
  }

  private void recordSuccess() {
    if (failures.getAndSet(0) > 0) {
      LOG.info("{} accepts messages again", settings());
    }
    if (batchLimit.get() < settings().batchMessages()
        && successesInARow.incrementAndGet() >= GROW_AFTER) {
      batchLimit.updateAndGet(limit -> Math.min(MAX_MESSAGES, 2 * limit));
      successesInARow.set(0);
    }
    if (!deduplicationChecked) {
      deduplicationChecked = true;
      warnIfNotDeduplicating();
    }
  }

  private void warnIfNotDeduplicating() {
    try {
      QueueSettings target = settings().target().info().settings();
      if (target != null && target.deduplicate() != null && target.deduplicate().isZero()) {
        LOG.warn("{} does not deduplicate: messages may be stored twice", settings());
      }
    } catch (RiverClientException e) {
      LOG.debug("Cannot determine whether {} deduplicates", settings(), e);
    }
  }

  /** Counts a failure, and returns how long to wait before the next request. */
  private Duration recordFailure(RiverClientException e) {
    int failuresBefore = failures.getAndIncrement();
    if (failuresBefore == 0) {
      LOG.warn(
          "{} accepts no messages; they wait in the local queue: {}", settings(), e.getMessage());
    }
    Duration pause =
        RelaySettings.FIRST_PAUSE.multipliedBy(1L << Math.min(failuresBefore, MAX_DOUBLINGS));
    Duration longest = settings().pause();
    Duration backoff = pause.compareTo(longest) < 0 ? pause : longest;
    return backoff.compareTo(e.retryAfter()) >= 0 ? backoff : e.retryAfter();
  }

  /** Closes the client that was created from XML. */
  @Override
  public void close() {
    if (settings != null) {
      settings.close();
    }
  }

  /**
   * Collects the settings of a relay. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private RelaySettings settings;

    private Builder(RiverClient client, String queue) {
      settings = RelaySettings.of(client, queue);
    }

    /**
     * Sets the durability that a message must have on the server before it is acknowledged (default
     * {@code DISK}).
     */
    public Builder<M> durability(Durability level) {
      settings = settings.with(Objects.requireNonNull(level, "level"));
      return this;
    }

    /** Sets the largest number of messages in one request (default 500). */
    public Builder<M> batchMessages(int messages) {
      settings = settings.with(messages, settings.batchBytes(), settings.pause());
      return this;
    }

    /**
     * Sets the largest number of bytes in one request (default 256 KB). A message that is larger is
     * sent alone.
     */
    public Builder<M> batchBytes(long bytes) {
      settings = settings.with(settings.batchMessages(), bytes, settings.pause());
      return this;
    }

    /** Sets the longest pause while the server is unavailable (default 5 s). */
    public Builder<M> pause(Duration longest) {
      settings = settings.with(settings.batchMessages(), settings.batchBytes(), longest);
      return this;
    }

    /**
     * Creates the processor.
     *
     * @throws ConfigurationException a setting is out of its range
     */
    public RelayProcessor<M> build() {
      return new RelayProcessor<>(settings.validated());
    }
  }
}
