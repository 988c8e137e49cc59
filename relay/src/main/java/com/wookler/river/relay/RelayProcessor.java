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
import com.wookler.river.rest.client.BadRequestException;
import com.wookler.river.rest.client.CallInterruptedException;
import com.wookler.river.rest.client.Durability;
import com.wookler.river.rest.client.NewMessage;
import com.wookler.river.rest.client.OutcomeUnknownException;
import com.wookler.river.rest.client.QueueSettings;
import com.wookler.river.rest.client.RiverClient;
import com.wookler.river.rest.client.RiverClientException;
import com.wookler.river.rest.client.TooLargeException;
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
 * Forwards messages to a queue of a River server, with their keys and headers, and passes them on.
 * Their expiry is the other queue's.
 *
 * <p><b>At least once, and stored once.</b> A message is finished here when the server has it, on
 * its device unless told otherwise. Each has an id of the source queue's identity and its sequence
 * ({@link MessageIds}), so that a repetition, after a lost answer or a crash, stores nothing, if
 * the other queue knows ids for longer than that takes: queues that servers make do for 10 minutes
 * ({@link QueueSettings#deduplicate}). <b>In order</b>, in a reactor with one thread.
 *
 * <p><b>While the server is away</b>, full, overloaded, or refuses the key or the queue, messages
 * are given back without costing an attempt, and the reactor takes nothing: for 100 ms, then twice
 * as long each time, up to a longest pause, or as long as the server says ({@code Retry-After}).
 * They wait in the local queue, whose publishers go on. A message that the server refuses as wrong
 * or too large is rejected, alone. Where the connection breaks twice in a row, or no answer comes,
 * requests are halved until they pass: something in between may cut large ones.
 *
 * <p><b>One target.</b> Ids are known to one queue on one server. Sending to another one, by
 * another configuration, may store there again what this one has.
 *
 * <p>In XML, {@code server.url} and {@code server.queue}; perhaps {@code server.key.env} or {@code
 * server.key.file}, the environment variable or file that has the API key; {@code server.timeout},
 * {@code relay.durability}, {@code relay.batch.messages}, {@code relay.batch.bytes}, {@code
 * relay.pause}. The key is never logged. Thread-safe.
 *
 * @param <M> type of the data; it is sent as it is stored, or, where a processor before this one
 *     has passed on something else, as bytes or text
 */
public final class RelayProcessor<M>
    implements BatchProcessor<M>, ReactorAware<M>, Configurable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayProcessor.class);
  private static final int MOST_DOUBLINGS = 20;
  private static final int MOST_MESSAGES = 1 << 20;
  private static final int WELL = 16; // so many requests, and the next ones are twice as large
  private static final int OVERHEAD_BYTES = 200; // of a message in a request, about

  private @Nullable RelaySettings settings; // set before the first message, like the origin
  private @Nullable String origin;
  private final AtomicInteger failures = new AtomicInteger(); // in a row
  private final AtomicInteger fits = new AtomicInteger(MOST_MESSAGES); // messages in a request
  private final AtomicInteger wentWell = new AtomicInteger(); // requests since that was changed
  private volatile boolean checked; // only to log once

  /** For XML. */
  public RelayProcessor() {}

  private RelayProcessor(RelaySettings settings) {
    this.settings = settings;
  }

  /**
   * Starts from the defaults.
   *
   * @param client of one server, best with {@link RiverClient.Builder#retryFor} of zero: the pauses
   *     are here. It stays the caller's to close
   * @param queue name of the queue there
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

  /** Whether the last call failed: messages wait. */
  public boolean isAway() {
    return failures.get() > 0;
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    while (results.size() < batch.size()) {
      List<Delivery<M>> part = part(batch, results.size());
      List<ProcessResult<M>> its = forward(part);
      results.addAll(its);
      if (its.stream().anyMatch(ProcessResult::isReleased)) {
        results.addAll(Collections.nCopies(batch.size() - results.size(), ProcessResult.release()));
      }
    }
    return results;
  }

  /** As many as go into one request. */
  private List<Delivery<M>> part(List<Delivery<M>> batch, int from) {
    RelaySettings limits = settings();
    long bytes = 0;
    int to = from;
    int most = Math.min(limits.batchMessages(), fits.get());
    while (to < batch.size() && to - from < most) {
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
      stored();
      return Collections.nCopies(part.size(), ProcessResult.pass());
    } catch (CallInterruptedException e) { // its flag is set
      return Collections.nCopies(part.size(), ProcessResult.release());
    } catch (BadRequestException | TooLargeException e) {
      return refused(part, e);
    } catch (RiverClientException e) {
      Duration pause = failed(e);
      if (e instanceof OutcomeUnknownException && failures.get() > 1) {
        fits.set(Math.max(1, part.size() / 2)); // something in between may cut large requests
        wentWell.set(0);
      }
      return Collections.nCopies(part.size(), ProcessResult.holdBack(pause));
    } catch (RuntimeException e) { // a message that has no bytes, or cannot be told
      return part.size() == 1 ? List.of(ProcessResult.failed(e)) : alone(part);
    }
  }

  private List<ProcessResult<M>> refused(List<Delivery<M>> part, RiverClientException why) {
    return part.size() == 1
        ? List.of(ProcessResult.reject(String.valueOf(why.getMessage())))
        : alone(part);
  }

  private List<ProcessResult<M>> alone(List<Delivery<M>> part) {
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
      throw new IllegalStateException("a relay works in a reactor only");
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

  private void stored() {
    if (failures.getAndSet(0) > 0) {
      LOG.info("{} takes messages again", settings());
    }
    if (fits.get() < settings().batchMessages() && wentWell.incrementAndGet() >= WELL) {
      fits.updateAndGet(most -> Math.min(MOST_MESSAGES, 2 * most));
      wentWell.set(0);
    }
    if (!checked) {
      checked = true;
      warnIfItDoesNotDeduplicate();
    }
  }

  private void warnIfItDoesNotDeduplicate() {
    try {
      QueueSettings there = settings().target().info().settings();
      if (there != null && there.deduplicate() != null && there.deduplicate().isZero()) {
        LOG.warn("{} does not deduplicate: messages may be in it twice", settings());
      }
    } catch (RiverClientException e) {
      LOG.debug("Cannot see whether {} deduplicates", settings(), e);
    }
  }

  /** How long to wait. */
  private Duration failed(RiverClientException e) {
    int inARow = failures.getAndIncrement();
    if (inARow == 0) {
      LOG.warn("{} takes no messages: {}. They wait", settings(), e.getMessage());
    }
    Duration pause = RelaySettings.FIRST_PAUSE.multipliedBy(1L << Math.min(inARow, MOST_DOUBLINGS));
    Duration longest = settings().pause();
    Duration own = pause.compareTo(longest) < 0 ? pause : longest;
    return own.compareTo(e.retryAfter()) >= 0 ? own : e.retryAfter();
  }

  /** Closes the client that it has made. */
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

    /** What a message survives there before it is finished here (default {@code DISK}). */
    public Builder<M> durability(Durability level) {
      settings = settings.with(Objects.requireNonNull(level, "level"));
      return this;
    }

    /** How many messages go into one request at most (default 500). */
    public Builder<M> batchMessages(int messages) {
      settings = settings.with(messages, settings.batchBytes(), settings.pause());
      return this;
    }

    /** How many bytes of data go into one request, but for one that is larger (default 256 KB). */
    public Builder<M> batchBytes(long bytes) {
      settings = settings.with(settings.batchMessages(), bytes, settings.pause());
      return this;
    }

    /** The longest pause while the server is away (default 5 s). */
    public Builder<M> pause(Duration longest) {
      settings = settings.with(settings.batchMessages(), settings.batchBytes(), longest);
      return this;
    }

    /**
     * The processor.
     *
     * @throws ConfigurationException a setting is out of its range
     */
    public RelayProcessor<M> build() {
      return new RelayProcessor<>(settings.checked());
    }
  }
}
