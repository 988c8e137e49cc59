package com.wookler.river.rest.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a server, to publish to, to look into and to make.
 *
 * <p>When a publish returns, the message is as durable as the queue's settings say, or as the call
 * asked if that is more. Messages of one thread keep their order on one server. Publishing repeats
 * itself as {@link RiverClient} says; of exceptions whose {@link RiverClientException#mayBeDone} is
 * true, and of {@link CallInterruptedException}, nobody knows whether the message was stored, and
 * repeating the publish with the same id settles it.
 *
 * <p>Thread-safe.
 */
public final class RemoteQueue {
  private static final String BATCH = "application/x-ndjson";
  private static final String DATA = "application/octet-stream";

  /** Random enough to differ from that of any other client; the number tells its messages apart. */
  private static final String CLIENT = clientId();

  private static final AtomicLong PUBLISHED = new AtomicLong();

  private final Caller caller;
  private final String name;
  private final String path;

  RemoteQueue(Caller caller, String name) {
    this.caller = caller;
    this.name = name;
    this.path = Paths.queue(name) + "/messages";
  }

  private static String clientId() {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random) + "-";
  }

  /** An id that no other message has. */
  static NewMessage identified(NewMessage message) {
    return message.id() == null
        ? message.withId(CLIENT + Long.toString(PUBLISHED.getAndIncrement(), Character.MAX_RADIX))
        : message;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** Publishes one message and returns its sequence. */
  public long publish(byte[] data) {
    return publish(NewMessage.of(data));
  }

  /** Publishes one text and returns its sequence. */
  public long publish(String text) {
    return publish(NewMessage.text(text));
  }

  /** Publishes one message and returns its sequence. */
  public long publish(NewMessage message) {
    return publish(message, Durability.MEMORY);
  }

  /** Publishes one message, at least as durable as asked. */
  public long publish(NewMessage message, Durability level) {
    NewMessage identified = identified(message);
    return HeaderForm.fits(identified)
        ? put(identified, level).sequence()
        : publishAll(List.of(identified), level);
  }

  /**
   * Publishes several messages as one: all of them are stored or none.
   *
   * @param batch one message or more, together no larger than the server takes (1 MB by default)
   * @return the first sequence
   */
  public long publishAll(List<NewMessage> batch) {
    return publishAll(batch, Durability.MEMORY);
  }

  /** Likewise, at least as durable as asked. */
  public long publishAll(List<NewMessage> batch, Durability level) {
    return putAll(batch, level).first();
  }

  /**
   * Publishes one message, and tells whether it was a duplicate: see {@link Published#duplicate}.
   *
   * @throws IllegalArgumentException key, id, a header's name or value is not plain ASCII, or they
   *     are longer than 4 KB together, so that the contract's answer does not tell
   */
  public Published put(NewMessage message, Durability level) {
    return caller.call(publishing(message, level)).as(Published.class);
  }

  /**
   * Publishes one message without waiting. Several that are under way at the same time may be
   * stored in any order; {@link #batching} keeps theirs. How many are, is up to the caller.
   */
  public CompletableFuture<Long> publishAsync(NewMessage message, Durability level) {
    NewMessage identified = identified(message);
    return HeaderForm.fits(identified)
        ? putAsync(identified, level).thenApply(Published::sequence)
        : publishAllAsync(List.of(identified), level);
  }

  /** Likewise, for a batch. */
  public CompletableFuture<Long> publishAllAsync(List<NewMessage> batch, Durability level) {
    return putAllAsync(batch, level).thenApply(PublishedBatch::first);
  }

  /** Like {@link #put}, without waiting. */
  public CompletableFuture<Published> putAsync(NewMessage message, Durability level) {
    return caller.send(publishing(message, level)).thenApply(answer -> answer.as(Published.class));
  }

  private Ask publishing(NewMessage message, Durability level) {
    NewMessage identified = identified(message);
    Ask ask = Ask.post(path + "?durability=" + level).body(DATA, identified.data());
    HeaderForm.apply(identified, ask);
    return ask;
  }

  /** Publishes a batch, all of it or nothing, and tells which of its messages were known. */
  public PublishedBatch putAll(List<NewMessage> batch, Durability level) {
    return caller.call(publishing(batch, level)).as(PublishedBatch.class);
  }

  /** Like {@link #putAll}, without waiting. */
  public CompletableFuture<PublishedBatch> putAllAsync(List<NewMessage> batch, Durability level) {
    return send(publishing(batch, level));
  }

  CompletableFuture<PublishedBatch> send(Ask batch) {
    return caller.send(batch).thenApply(answer -> answer.as(PublishedBatch.class));
  }

  Ask publishing(List<NewMessage> batch, Durability level) {
    if (batch.isEmpty()) {
      throw new IllegalArgumentException("a batch without messages");
    }
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (NewMessage message : batch) {
      lines.writeBytes(Wire.line(identified(message)));
      lines.write('\n');
    }
    return Ask.post(path + "?durability=" + level).body(BATCH, lines.toByteArray());
  }

  /** A publisher that collects messages to batches, with default settings. */
  public BatchingPublisher batching() {
    return batching(BatchingPublisher.Settings.DEFAULT);
  }

  /** Likewise, with others. Close it, to have the last ones sent. */
  public BatchingPublisher batching(BatchingPublisher.Settings settings) {
    return new BatchingPublisher(caller.transport(), this, settings);
  }

  /**
   * Makes the queue on the server, or finds it there with these settings.
   *
   * @return it, as it is there
   * @throws ConflictException it is there with others
   */
  public QueueInfo create(QueueSettings settings) {
    return caller.callOne(Ask.put(Paths.queue(name)).json(settings)).as(QueueInfo.class);
  }

  /**
   * Changes settings while the queue runs; what is null stays as it is.
   *
   * @return it, as it is then
   * @throws ConflictException one of them cannot change while the queue runs, or the server's
   *     configuration has made the queue; nothing has changed
   */
  public QueueInfo change(QueueSettings settings) {
    return caller.callOne(Ask.patch(Paths.queue(name)).json(settings)).as(QueueInfo.class);
  }

  /** Its settings and figures. */
  public QueueInfo info() {
    return caller.callOne(Ask.get(Paths.queue(name))).as(QueueInfo.class);
  }

  /**
   * Removes it and its messages, if it was made by a request; backups stay.
   *
   * @param force also if a subscriber has not finished all
   * @throws ConflictException it has messages that are not finished, or the server's configuration
   *     has made it
   */
  public void delete(boolean force) {
    caller.callOne(Ask.delete(Paths.queue(name) + "?force=" + force).once());
  }

  /** Its subscribers. */
  public List<SubscriberInfo> subscribers() {
    return caller
        .callOne(Ask.get(Paths.queue(name) + "/subscribers"))
        .as(Subscribers.class)
        .subscribers();
  }

  record Subscribers(List<SubscriberInfo> subscribers) {}

  /** A message by its sequence, if it is there. */
  public Optional<StoredMessage> message(long sequence) {
    try {
      return Optional.of(
          new StoredMessage(
              caller.callOne(Ask.get(path + "/" + sequence)).as(Wire.MessageJson.class)));
    } catch (NotFoundException e) {
      info(); // throws where it is the queue that is not there
      return Optional.empty();
    }
  }

  /**
   * Messages in a row, fewer where one is missing.
   *
   * @param max 1 to 1,000
   */
  public List<StoredMessage> messages(long from, int max) {
    return found("from=" + from + "&max=" + max);
  }

  /** The first message that was published at or after a time. */
  public Optional<StoredMessage> messageAt(Instant time) {
    return found("at=" + Paths.query(time.toString())).stream().findFirst();
  }

  /** The last message with this key, on a queue that indexes keys. */
  public Optional<StoredMessage> latest(String key) {
    return found("key=" + Paths.query(key)).stream().findFirst();
  }

  private List<StoredMessage> found(String query) {
    return caller.callOne(Ask.get(path + "?" + query)).as(Messages.class).stored();
  }

  record Messages(List<Wire.MessageJson> messages) {
    List<StoredMessage> stored() {
      return messages.stream().map(StoredMessage::new).toList();
    }
  }

  /** How a message's parts travel beside its data, as headers of the request. */
  private static final class HeaderForm {
    private static final int MOST_CHARACTERS = 4_096;
    private static final String NAME = "[a-z0-9!#$%&'*+.^_`|~-]+";

    static boolean fits(NewMessage message) {
      int length = length(message.key()) + length(message.id());
      boolean plain = isPlain(message.key()) && isPlain(message.id());
      for (Map.Entry<String, byte[]> header : message.headers().entrySet()) {
        String value = new String(header.getValue(), StandardCharsets.ISO_8859_1);
        length += header.getKey().length() + value.length();
        plain &= header.getKey().matches(NAME) && isPlain(value);
      }
      return plain && length <= MOST_CHARACTERS;
    }

    private static int length(@Nullable String text) {
      return text == null ? 0 : text.length();
    }

    /** Comes through as it is: printable ASCII, and no blank at either end. */
    private static boolean isPlain(@Nullable String text) {
      return text == null
          || (!text.isEmpty()
              && text.chars().allMatch(c -> c >= ' ' && c < 0x7f)
              && text.charAt(0) != ' '
              && text.charAt(text.length() - 1) != ' ');
    }

    static void apply(NewMessage message, Ask ask) {
      if (!fits(message)) {
        throw new IllegalArgumentException(
            "key, id and headers are not plain ASCII of 4 KB at most; publish() takes them");
      }
      ask.header("River-Key", message.key())
          .header("River-Id", message.id())
          .header("River-Delay", text(message.delay()))
          .header("River-Expires", text(message.expiry()));
      message
          .headers()
          .forEach(
              (name, value) ->
                  ask.header("River-Header-" + name, new String(value, StandardCharsets.US_ASCII)));
    }

    private static @Nullable String text(@Nullable Duration duration) {
      return duration == null ? null : Wire.text(duration);
    }
  }
}
