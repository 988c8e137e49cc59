package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.AppendCondition;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Capacity;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.transfer.TransferTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Publishes into a log: converts and checksums on the caller's thread, appends, and waits for the
 * device if that was promised. The user's converter and list run before the thread's buffer is
 * touched: they may publish themselves.
 */
final class LogPublisher<M> implements Publisher<M> {
  private static final int SAMPLE_MASK = 63;

  private final String queue;
  private final MessageConverter<M> converter;
  private final int maxMessageBytes;
  private final QueueConfig<M> config;
  private final BlockLog log;
  private final UUID identity;
  private final AdmissionControl intake;
  private final @Nullable Deduplicator deduplicator;
  private final Delays delays;
  private final Duration window;
  private final TimeSource time;
  private final AbstractCounter addTime;
  private final Distribution times;
  private final Distribution sizes;
  private final @Nullable PublishInterceptor<M> interceptor;

  LogPublisher(
      QueueConfig<M> config,
      QueueStorage storage,
      AdmissionControl intake,
      @Nullable Deduplicator deduplicator,
      Delays delays) {
    this.queue = config.name();
    this.converter = config.converter();
    this.maxMessageBytes = config.get(QueueOptions.MAX_MESSAGE_BYTES).intValue();
    this.config = config;
    this.log = storage.log;
    this.identity = storage.directory.identity();
    this.intake = intake;
    this.deduplicator = deduplicator;
    this.delays = delays;
    this.window = config.get(QueueOptions.DEDUPLICATE);
    this.time = config.time();
    this.addTime = storage.counters.addTime();
    this.times = storage.counters.publishTimes();
    this.sizes = storage.counters.publishSizes();
    this.interceptor = interceptor(config);
  }

  @SuppressWarnings("unchecked") // as with the converter, XML names the class
  private static <M> @Nullable PublishInterceptor<M> interceptor(QueueConfig<M> config) {
    return (PublishInterceptor<M>) config.find(QueueOptions.INTERCEPTOR);
  }

  private static boolean hasTime(@Nullable Message<?> message) {
    return message != null && message.deliverAt() != null;
  }

  /** Returns what is to be published in place of a message. */
  private Message<M> intercepted(Message<M> message) {
    Message<M> chosen =
        interceptor == null ? message : interceptor.intercept(queue, present(message));
    return hasTime(chosen) ? chosen.delayedFrom(time.wallTime()) : chosen;
  }

  @Override
  public Duration window() {
    return window;
  }

  @Override
  public long publish(M data) {
    if (interceptor != null) {
      return publish(Message.of(present(data)));
    }
    long started = started();
    return ended(started, reached(level(), store(data, null, Map.of(), null), 1));
  }

  /** Returns when a publish began; 0 while nothing observes how long they take. */
  private long started() {
    return times.isObserved() ? time.nanoTime() : 0;
  }

  private long ended(long started, long sequence) {
    if (started != 0) {
      times.record(time.nanoTime() - started);
    }
    return sequence;
  }

  private PublishResult ended(long started, PublishResult result) {
    long unused = ended(started, result.sequence());
    return result;
  }

  @Override
  public long publish(Message<M> published) {
    long started = started();
    Message<M> message = intercepted(published);
    return ended(
        started,
        hasId(message)
            ? reached(level(), once(List.of(message))).first()
            : reached(level(), store(message), 1));
  }

  @Override
  public PublishResult put(Message<M> published, Durability asked) {
    Durability promised = atLeast(asked);
    long started = started();
    Message<M> message = intercepted(published);
    return ended(
        started,
        hasId(message)
            ? reached(promised, once(List.of(message))).result(promised)
            : PublishResult.stored(reached(promised, store(message), 1), promised));
  }

  @Override
  public PublishResult putAll(List<Message<M>> batch, Durability asked) {
    Durability promised = atLeast(asked);
    long started = started();
    return ended(started, reached(promised, store(copy(batch))).result(promised));
  }

  @Override
  public CompletableFuture<PublishResult> putAsync(List<Message<M>> batch, Durability asked) {
    try {
      Durability promised = atLeast(asked);
      long started = started();
      Placed placed = store(copy(batch));
      PublishResult result = placed.result(promised);
      return promised == Durability.DISK
          ? log.commits()
              .future(placed.first(), placed.end())
              .thenApply(first -> ended(started, result))
          : CompletableFuture.completedFuture(ended(started, result));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** See {@link MessageQueue#putAllIf}. */
  PublishResult putAllIf(
      Function<String, AppendCondition> expected, List<Message<M>> batch, Durability asked) {
    Durability promised = atLeast(asked);
    List<Message<M>> messages = copy(batch);
    byte[][] bytes = converted(messages);
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.condition(expected.apply(queue));
    Placed placed;
    try {
      placed = store(messages, bytes);
    } finally {
      buffer.condition(null);
    }
    return reached(promised, placed).result(promised);
  }

  /** Returns the newest message with an id; -1 if there is none. */
  long known(String id) {
    if (deduplicator == null) {
      throw new ConfigurationException(
          "queue " + queue + " keeps no ids: set queue.deduplicate, or deduplicate(window)");
    }
    return deduplicator.find(id);
  }

  /** See {@link MessageQueue#replace(String, Message)}. */
  ReplaceResult replace(MessageRemoval removal, long sequence, Message<M> published) {
    Message<M> message = intercepted(published);
    byte[] bytes = bytes(present(message).data());
    LongSupplier append = () -> append(message, bytes, new ForwardOrigin(identity, sequence));
    return removal.replace(
        sequence,
        () ->
            reached(
                level(),
                isDelayed(message) ? delays.publishing(append::getAsLong) : append.getAsLong(),
                1));
  }

  /**
   * Stores a message in place of another, over the limits too: that one does not count any more.
   */
  private long append(Message<M> message, byte[] bytes, ForwardOrigin replaced) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    document.addReplacing(bytes, message, replaced);
    buffer.condition(unused -> intake.checkStatus());
    buffer.admit(true);
    try {
      String id = message.id();
      return deduplicator == null || id == null
          ? log.append(buffer, time.epochMicros())
          : deduplicator.append(buffer, id);
    } finally {
      buffer.admit(false);
      buffer.condition(null);
      document.finish();
    }
  }

  /** See {@link MessageQueue#putFrom}. */
  PublishResult putFrom(
      TransferTarget target, ForwardOrigin from, Message<M> published, Durability asked) {
    Durability promised = atLeast(asked);
    Message<M> message = intercepted(published);
    byte[] bytes = bytes(present(message).data());
    Supplier<Long> put = () -> target.putFrom(from, message, bytes);
    long sequence = isDelayed(message) ? delays.publishing(put) : put.get();
    if (sequence == TransferTarget.NONE) {
      reached(promised, log.nextSequence(), 0);
      return PublishResult.duplicateOf(sequence, promised);
    }
    return PublishResult.stored(reached(promised, sequence, 1), promised);
  }

  /** See {@link MessageQueue#publishContinuation}. */
  boolean publishContinuation(
      TransferTarget target, ForwardOrigin origin, long oldest, List<Message<M>> batch) {
    List<Message<M>> messages = copy(batch);
    byte[][] bytes = converted(messages);
    Supplier<Long> put = () -> target.takeContinued(origin, oldest, messages, bytes);
    long sequence = anyIsDelayed(messages) ? delays.publishing(put) : put.get();
    boolean stored = sequence != TransferTarget.NONE;
    reached(Durability.DISK, stored ? sequence + bytes.length : log.nextSequence(), 0);
    return stored;
  }

  private long store(Message<M> message) {
    Message<M> present = present(message);
    return isDelayed(present) ? delays.publishing(() -> append(present)) : append(present);
  }

  private long append(Message<M> message) {
    return store(message.data(), message.key(), message.headers(), message.terms());
  }

  private static boolean isDelayed(@Nullable Message<?> message) {
    return message != null && Terms.isDelayed(message.terms());
  }

  private static boolean anyIsDelayed(List<? extends Message<?>> messages) {
    for (Message<?> message : messages) {
      if (isDelayed(message)) {
        return true;
      }
    }
    return false;
  }

  private long store(
      M data, @Nullable String key, Map<String, byte[]> headers, @Nullable Terms terms) {
    byte[] bytes = bytes(data);
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    document.add(bytes, key, headers, terms);
    return append(buffer);
  }

  /** Returns whether the message has to be looked for before it is stored. */
  private boolean hasId(@Nullable Message<M> message) {
    return deduplicator != null && message != null && message.id() != null;
  }

  private Placed once(List<Message<M>> messages) {
    return once(messages, converted(messages));
  }

  private Placed once(List<Message<M>> messages, byte[][] bytes) {
    Deduplicator ids = Objects.requireNonNull(deduplicator);
    return anyIsDelayed(messages)
        ? delays.publishing(() -> ids.publish(intake, messages, bytes))
        : ids.publish(intake, messages, bytes);
  }

  private byte[][] converted(List<Message<M>> messages) {
    byte[][] bytes = new byte[messages.size()][];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = bytes(present(messages.get(i)).data());
    }
    return bytes;
  }

  private Placed store(List<Message<M>> messages) {
    return store(messages, converted(messages));
  }

  private Placed store(List<Message<M>> messages, byte[][] bytes) {
    if (messages.stream().anyMatch(this::hasId)) {
      return once(messages, bytes);
    }
    long first =
        anyIsDelayed(messages)
            ? delays.publishing(() -> append(messages, bytes))
            : append(messages, bytes);
    return new Placed(first, first + bytes.length, Map.of());
  }

  private long append(List<Message<M>> messages, byte[][] bytes) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (int i = 0; i < bytes.length; i++) {
      Message<M> message = messages.get(i);
      document.add(bytes[i], message.key(), message.headers(), message.terms());
    }
    return append(buffer);
  }

  @Override
  public long publishAll(List<M> batch) {
    long started = started();
    Object[] all = elements(batch);
    if (interceptor != null) {
      List<Message<M>> messages = new ArrayList<>(all.length);
      for (Object data : all) {
        messages.add(Message.of(present(as(data))));
      }
      return putAll(messages, level()).sequence();
    }
    convert(all);
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (Object bytes : all) {
      document.add((byte[]) bytes, null, Map.of());
    }
    return ended(started, reached(level(), append(buffer), all.length));
  }

  /**
   * Publishes messages as they are in a log, without the converter, onto the device; returns false
   * if there is no capacity and the policy is to wait for it.
   */
  boolean republish(List<StoredMessage> messages) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    DocumentWriter document = buffer.document();
    document.start();
    for (StoredMessage message : messages) {
      document.add(message.data(), message.key(), message.headers());
    }
    long sequence;
    try {
      sequence = intake.appendNow(buffer);
    } finally {
      document.finish();
    }
    if (sequence == Capacity.NONE) {
      return false;
    }
    reached(Durability.DISK, sequence, messages.size());
    return true;
  }

  /** Replaces each element by its bytes: one array a batch is garbage enough. */
  private void convert(Object[] all) {
    for (int i = 0; i < all.length; i++) {
      all[i] = bytes(as(all[i]));
    }
  }

  @SuppressWarnings("unchecked") // an element of a List<M>
  private M as(Object data) {
    return (M) data;
  }

  /** Copies the list, which may compute its elements, or change: each is asked for once. */
  private static Object[] elements(List<?> batch) {
    Object[] elements = Objects.requireNonNull(batch, "batch").toArray();
    if (elements.length == 0) {
      throw new IllegalArgumentException("an empty batch has no sequence");
    }
    return elements.getClass() == Object[].class
        ? elements
        : Arrays.copyOf(elements, elements.length, Object[].class);
  }

  @SuppressWarnings("unchecked") // the elements of a List<Message<M>>
  private List<Message<M>> copy(List<Message<M>> batch) {
    List<Message<M>> messages = (List<Message<M>>) (List<?>) Arrays.asList(elements(batch));
    if (interceptor != null || messages.stream().anyMatch(LogPublisher::hasTime)) {
      messages.replaceAll(this::intercepted);
    }
    return messages;
  }

  private <T> T present(@Nullable T message) {
    if (message == null) {
      throw new RiverException("queue " + queue + ": a message is null");
    }
    return message;
  }

  private byte[] bytes(M data) {
    byte @Nullable [] bytes = converter.toBytes(present(data)); // the user's may return null
    if (bytes == null) {
      throw new RiverException(
          "queue %s: the converter %s returned null"
              .formatted(queue, converter.getClass().getName()));
    }
    if (bytes.length > maxMessageBytes) {
      throw new MessageTooLargeException(
          "queue %s: a message of %s bytes is over the limit of %s (queue.max.message.bytes)"
              .formatted(queue, bytes.length, maxMessageBytes));
    }
    if (sizes.isObserved()) {
      sizes.record(bytes.length);
    }
    return bytes;
  }

  private long append(PublishBuffer buffer) {
    long started = time.epochMicros();
    boolean sampled = buffer.sample(SAMPLE_MASK);
    long startedNanos = sampled ? time.nanoTime() : 0;
    try {
      long sequence = intake.append(buffer, started);
      if (sampled) {
        addTime.add(time.nanoTime() - startedNanos, 1);
      }
      return sequence;
    } finally {
      buffer.document().finish();
    }
  }

  private Durability level() {
    return config.get(QueueOptions.DURABILITY);
  }

  /** Returns the level of a call, which may raise the queue's and never lowers it. */
  private Durability atLeast(Durability asked) {
    return Objects.requireNonNull(asked, "level") == Durability.DISK ? asked : level();
  }

  private Placed reached(Durability promised, Placed placed) {
    if (promised == Durability.DISK) {
      log.commits().await(placed.end());
    }
    return placed;
  }

  private long reached(Durability promised, long sequence, int count) {
    if (promised == Durability.DISK) {
      log.commits().await(sequence + count);
    }
    return sequence;
  }
}
