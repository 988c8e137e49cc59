package com.wookler.river.rest.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A queue of a server: publishes messages, reads them, and creates or changes the queue.
 *
 * <p>When a publish returns, the message has the durability of the queue's settings, or of the call
 * if that is higher. Messages of one thread keep their order on one server. Publishing is retried
 * as {@link RiverClient} says. After an exception whose {@link RiverClientException#mayBeDone} is
 * true, and after a {@link CallInterruptedException}, the message may be stored or not; publish it
 * again with the same id to be sure that it is stored once.
 *
 * <p>Thread-safe.
 */
public final class RemoteQueue {
  private static final String BATCH = "application/x-ndjson";
  private static final String DATA = "application/octet-stream";

  /** Random prefix of the ids of this client; a number distinguishes its messages. */
  private static final String CLIENT = clientId();

  private static final AtomicLong PUBLISHED = new AtomicLong();

  private final RequestSender caller;
  private final String name;
  private final String path;

  RemoteQueue(RequestSender caller, String name) {
    this.caller = caller;
    this.name = name;
    this.path = Paths.queue(name) + "/messages";
  }

  private static String clientId() {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    return HexFormat.of().formatHex(random) + "-";
  }

  /** Returns the message with a unique id, unless it has an id. */
  static NewMessage withIdIfNone(NewMessage message) {
    return message.id() == null
        ? message.withId(CLIENT + Long.toString(PUBLISHED.getAndIncrement(), Character.MAX_RADIX))
        : message;
  }

  /** Returns the name of the queue. */
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

  /** Publishes one message with at least this durability, and returns its sequence. */
  public long publish(NewMessage message, Durability level) {
    NewMessage identified = withIdIfNone(message);
    return HeaderFormat.fits(identified)
        ? put(identified, level).sequence()
        : publishAll(List.of(identified), level);
  }

  /**
   * Publishes several messages atomically: all of them are stored or none.
   *
   * @param batch one message or more, together no larger than the server accepts (1 MB by default)
   * @return the first sequence
   */
  public long publishAll(List<NewMessage> batch) {
    return publishAll(batch, Durability.MEMORY);
  }

  /**
   * Publishes several messages atomically with at least this durability, and returns the first
   * sequence.
   */
  public long publishAll(List<NewMessage> batch, Durability level) {
    return putAll(batch, level).first();
  }

  /**
   * Publishes one message, and returns whether it was a duplicate: see {@link Published#duplicate}.
   *
   * @throws IllegalArgumentException key, id, or a header's name or value is not plain ASCII, or
   *     they are longer than 4 KB together; {@link #publish(NewMessage)} accepts them
   */
  public Published put(NewMessage message, Durability level) {
    return caller.call(publishRequest(message, level)).as(Published.class);
  }

  /**
   * Publishes several messages atomically, if the next sequence of the queue is this one.
   *
   * @throws PreconditionFailedException it is another one; nothing was stored
   */
  public PublishedBatch putAllIf(
      long expectedNextSequence, List<NewMessage> batch, Durability level) {
    Request request = publishRequest(batch, level);
    return caller
        .call(request.header("If-Match", "\"next-" + expectedNextSequence + "\""))
        .as(PublishedBatch.class);
  }

  /**
   * Publishes one message, if the last one with its key is the expected one, or with an empty
   * sequence if there is none. The queue has to index keys.
   *
   * @throws PreconditionFailedException it is another one; nothing was stored
   */
  public PublishedBatch putIfLatest(
      OptionalLong expectedSequence, NewMessage message, Durability level) {
    Request request = publishRequest(List.of(message), level);
    return caller
        .call(
            expectedSequence.isPresent()
                ? request.header("If-Match", "\"last-" + expectedSequence.getAsLong() + "\"")
                : request.header("If-None-Match", "*"))
        .as(PublishedBatch.class);
  }

  /**
   * Publishes one message without waiting. Messages that are in flight at the same time may be
   * stored in any order; {@link #batching} keeps the order. The caller limits how many are in
   * flight.
   */
  public CompletableFuture<Long> publishAsync(NewMessage message, Durability level) {
    NewMessage identified = withIdIfNone(message);
    return HeaderFormat.fits(identified)
        ? putAsync(identified, level).thenApply(Published::sequence)
        : publishAllAsync(List.of(identified), level);
  }

  /**
   * Publishes several messages atomically without waiting, and completes with the first sequence.
   */
  public CompletableFuture<Long> publishAllAsync(List<NewMessage> batch, Durability level) {
    return putAllAsync(batch, level).thenApply(PublishedBatch::first);
  }

  /** Publishes one message as {@link #put} does, without waiting. */
  public CompletableFuture<Published> putAsync(NewMessage message, Durability level) {
    return caller
        .send(publishRequest(message, level))
        .thenApply(answer -> answer.as(Published.class));
  }

  private Request publishRequest(NewMessage message, Durability level) {
    NewMessage identified = withIdIfNone(message);
    Request request = Request.post(path + "?durability=" + level).body(DATA, identified.data());
    HeaderFormat.apply(identified, request);
    return request;
  }

  /** Publishes a batch atomically, and returns which of its messages were duplicates. */
  public PublishedBatch putAll(List<NewMessage> batch, Durability level) {
    return caller.call(publishRequest(batch, level)).as(PublishedBatch.class);
  }

  /** Publishes a batch as {@link #putAll} does, without waiting. */
  public CompletableFuture<PublishedBatch> putAllAsync(List<NewMessage> batch, Durability level) {
    return send(publishRequest(batch, level));
  }

  CompletableFuture<PublishedBatch> send(Request batch) {
    return caller.send(batch).thenApply(answer -> answer.as(PublishedBatch.class));
  }

  Request publishRequest(List<NewMessage> batch, Durability level) {
    if (batch.isEmpty()) {
      throw new IllegalArgumentException("a batch without messages");
    }
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (NewMessage message : batch) {
      lines.writeBytes(JsonCodec.toBatchLine(withIdIfNone(message)));
      lines.write('\n');
    }
    return Request.post(path + "?durability=" + level).body(BATCH, lines.toByteArray());
  }

  /** Creates a publisher that collects messages into batches, with default settings. */
  public BatchingPublisher batching() {
    return batching(BatchingPublisher.Settings.DEFAULT);
  }

  /**
   * Creates a publisher that collects messages into batches. {@link BatchingPublisher#close Close}
   * it to send the last ones.
   */
  public BatchingPublisher batching(BatchingPublisher.Settings settings) {
    return new BatchingPublisher(caller.transport(), this, settings);
  }

  /**
   * Creates the queue on the server, if it does not exist with these settings.
   *
   * @return the queue as it is on the server
   * @throws ConflictException the queue exists with other settings
   */
  public QueueInfo create(QueueSettings settings) {
    return caller.callOne(Request.put(Paths.queue(name)).json(settings)).as(QueueInfo.class);
  }

  /**
   * Changes settings while the queue runs. Settings that are null keep their values.
   *
   * @return the changed queue
   * @throws ConflictException one of the settings cannot change while the queue runs, or the
   *     server's configuration created the queue; nothing has changed
   */
  public QueueInfo change(QueueSettings settings) {
    return caller.callOne(Request.patch(Paths.queue(name)).json(settings)).as(QueueInfo.class);
  }

  /** Returns the settings and statistics of the queue. */
  public QueueInfo info() {
    return caller.callOne(Request.get(Paths.queue(name))).as(QueueInfo.class);
  }

  /** Returns what the queue accepts and delivers. */
  public QueueStatus status() {
    return caller.callOne(Request.get(Paths.queue(name) + "/status")).as(Status.class).status();
  }

  /**
   * Sets what the queue accepts and delivers, until it is set again, also after a restart of the
   * server. What it refuses fails with {@link QueueStatusException}.
   */
  public void status(QueueStatus status) {
    caller.callOne(
        Request.put(Paths.queue(name) + "/status")
            .json(new Status(Objects.requireNonNull(status, "status"))));
  }

  record Status(QueueStatus status) {}

  /**
   * Deletes the queue and its messages, if it was created by a request. Backups are kept.
   *
   * @param force whether to delete it although a subscriber has messages that are not completed
   * @throws ConflictException a subscriber has such messages, or the server's configuration created
   *     the queue
   */
  public void delete(boolean force) {
    caller.callOne(Request.delete(Paths.queue(name) + "?force=" + force).once());
  }

  /**
   * Removes messages of which a later one has the key, and returns how many; waits until it is
   * done. Of a queue that indexes keys.
   */
  public long compact() {
    return removed("/compact");
  }

  /**
   * Makes a consistent copy of the queue on the server's disk, below the directory that the
   * server's settings say. Not retried: after {@link RiverClientException#mayBeDone} there may be
   * one of this name.
   *
   * @param snapshot name of the copy, 1 to 64 of {@code A-Z a-z 0-9 . _ -}, not starting with a dot
   *     or hyphen
   * @param timeout how long the server may take
   * @throws ConflictException the queue has a snapshot of this name or is on another volume, or the
   *     server has no directory for snapshots
   */
  public SnapshotInfo snapshot(String snapshot, Duration timeout) {
    Request request =
        Request.post(Paths.queue(name) + "/snapshots")
            .json(new Named(snapshot))
            .serverWait(timeout)
            .once();
    return caller.callOne(request).as(SnapshotInfo.class);
  }

  record Named(String name) {}

  /** Returns the subscribers of the queue. */
  public List<SubscriberInfo> subscribers() {
    return caller
        .callOne(Request.get(Paths.queue(name) + "/subscribers"))
        .as(Subscribers.class)
        .subscribers();
  }

  record Subscribers(List<SubscriberInfo> subscribers) {}

  /**
   * Returns the blocks below a number, in log and backup, the newest first.
   *
   * @param below {@link Integer#MAX_VALUE} for the newest, then the last number that was returned
   * @param max 1 to 1,000
   */
  public List<BlockInfo> blocks(int below, int max) {
    return caller
        .callOne(Request.get(Paths.queue(name) + "/blocks?below=" + below + "&max=" + max))
        .as(Blocks.class)
        .blocks();
  }

  record Blocks(List<BlockInfo> blocks) {}

  /** Returns the redrives of dead letters that are not over, and the last ones that are. */
  public List<RedriveInfo> redrives() {
    return caller
        .callOne(Request.get(Paths.queue(name) + "/redrives"))
        .as(Redrives.class)
        .redrives();
  }

  record Redrives(List<RedriveInfo> redrives) {}

  /**
   * Returns how far a redrive has come.
   *
   * @throws NotFoundException there is no such redrive
   */
  public RedriveInfo redrive(String id) {
    return caller
        .callOne(Request.get(Paths.queue(name) + "/redrives/" + Paths.name(id)))
        .as(RedriveInfo.class);
  }

  /**
   * Cancels a redrive, and returns how far it has come; it may have been over.
   *
   * @throws NotFoundException there is no such redrive
   */
  public RedriveInfo cancelRedrive(String id) {
    return caller
        .callOne(Request.delete(Paths.queue(name) + "/redrives/" + Paths.name(id)))
        .as(RedriveInfo.class);
  }

  /**
   * Returns the queues to which this one forwards, and what else passes messages of it in the
   * server's process, and how far they are.
   */
  public List<ForwardInfo> forwards() {
    return caller
        .callOne(Request.get(Paths.queue(name) + "/forwards"))
        .as(Forwards.class)
        .forwards();
  }

  record Forwards(List<ForwardInfo> forwards) {}

  /**
   * Forwards to one more queue of the server, or changes how. Of a target that is there, settings
   * that are null keep their values, and the start does not count.
   *
   * @throws ConflictException the server's configuration names the target, or messages would come
   *     back
   */
  public ForwardInfo forward(String target, ForwardSettings settings) {
    return caller.callOne(Request.put(forwardPath(target)).json(settings)).as(ForwardInfo.class);
  }

  /**
   * Ends a forward; what the target has not got it does not get.
   *
   * @throws NotFoundException there is no such forward
   * @throws ConflictException the server's configuration names the target
   */
  public void removeForward(String target) {
    caller.callOne(Request.delete(forwardPath(target)).once());
  }

  private String forwardPath(String target) {
    return Paths.queue(name) + "/forwards/" + Paths.name(target);
  }

  /**
   * Waits until queues to which this one forwards hold a message and all before it, as durable as
   * their own publishes are.
   *
   * @param timeout at most a minute
   * @param targets their names; none: all
   * @return whether they do
   */
  public boolean awaitForwards(long sequence, Duration timeout, String... targets) {
    Await asked = new Await(sequence, timeout, targets.length == 0 ? null : List.of(targets));
    return caller
        .callOne(
            Request.post(Paths.queue(name) + "/await-forwards").json(asked).serverWait(timeout))
        .as(Held.class)
        .held();
  }

  record Await(long sequence, Duration timeout, @Nullable List<String> targets) {}

  record Held(boolean held) {}

  /** Returns a message by its sequence, if it is stored. */
  public Optional<StoredMessage> message(long sequence) {
    try {
      return Optional.of(
          new StoredMessage(
              caller.callOne(Request.get(path + "/" + sequence)).as(JsonCodec.MessageJson.class)));
    } catch (NotFoundException e) {
      info(); // throws if the queue does not exist
      return Optional.empty();
    }
  }

  /**
   * Returns consecutive messages, fewer if some are missing.
   *
   * @param max 1 to 1,000
   */
  public List<StoredMessage> messages(long from, int max) {
    return query("from=" + from + "&max=" + max);
  }

  /**
   * Returns the first messages with this key from a sequence on, from a queue that indexes keys.
   *
   * @param max 1 to 1,000
   */
  public List<StoredMessage> messages(String key, long from, int max) {
    return query("key=" + Paths.query(key) + "&from=" + from + "&max=" + max);
  }

  /** Returns the first message that was published at or after a time. */
  public Optional<StoredMessage> messageAt(Instant time) {
    return query("at=" + Paths.query(time.toString())).stream().findFirst();
  }

  /** Returns the last message with this key, from a queue that indexes keys. */
  public Optional<StoredMessage> latest(String key) {
    return query("key=" + Paths.query(key)).stream().findFirst();
  }

  /**
   * Cancels a message that waits, delayed or not, for all subscribers. Not retried: after {@link
   * RiverClientException#mayBeDone} it may be cancelled.
   */
  public CancelResult cancel(long sequence) {
    return cancelled(Request.delete(path + "/" + sequence));
  }

  /** Cancels the last message with an id in the same way, of a queue that keeps ids. */
  public CancelResult cancelById(String id) {
    return cancelled(Request.delete(path + "?id=" + Paths.query(id)));
  }

  /** Cancels all messages with a key that wait in the same way. */
  public CancelResult cancelByKey(String key) {
    return cancelled(Request.delete(path + "?key=" + Paths.query(key)));
  }

  private CancelResult cancelled(Request request) {
    return caller.callOne(request.once()).as(Cancelled.class).result();
  }

  record Cancelled(CancelResult result) {}

  /**
   * Publishes a message in place of one that waits, and cancels that one: both or neither. Nothing
   * is published if it does not wait any more. Not retried.
   *
   * @throws IllegalArgumentException as {@link #put} says
   */
  public Replaced replace(long sequence, NewMessage message) {
    return replaced(Request.put(path + "/" + sequence), message);
  }

  /** Replaces the last message with an id in the same way; the new one takes the id over. */
  public Replaced replace(String id, NewMessage message) {
    return replaced(Request.put(path + "?id=" + Paths.query(id)), message);
  }

  private Replaced replaced(Request request, NewMessage message) {
    HeaderFormat.apply(message, request.body(DATA, message.data()));
    return caller.callOne(request.once()).as(Replaced.class);
  }

  /** Removes the messages from one sequence up to, and without, another; returns how many. */
  public long removeMessages(long from, long end) {
    return removed("/remove?from=" + from + "&end=" + end);
  }

  /** Removes all messages before a sequence, and moves all subscribers past them. */
  public long trimBefore(long sequence) {
    return removed("/trim?before=" + sequence);
  }

  /** Removes the messages that were published longer ago than this in the same way. */
  public long trimOlderThan(Duration age) {
    return removed("/trim?olderThan=" + JsonCodec.formatDuration(age));
  }

  /** Removes the oldest closed blocks, as long as the others have this many bytes. */
  public long trimToBytes(long bytes) {
    return removed("/trim?bytes=" + bytes);
  }

  /** Removes the oldest messages, so that this many remain. */
  public long trimToMessages(long messages) {
    return removed("/trim?messages=" + messages);
  }

  /**
   * Removes a message, and its bytes from the log and the backups; returns how many bytes, 0 if it
   * was not there.
   */
  public long erase(long sequence) {
    return number("/erase?sequence=" + sequence, "bytes");
  }

  /**
   * Removes messages, and their bytes from the log and the backups. Not retried, but repeating it
   * is harmless.
   *
   * @param sequences 1 to 1,000; what none has is passed over
   * @param timeout how long the server may take, which writes each file anew that has some of them
   */
  public EraseResult erase(Collection<Long> sequences, Duration timeout) {
    Request request =
        Request.post(Paths.queue(name) + "/erase-batch")
            .json(new Sequences(List.copyOf(sequences)))
            .serverWait(timeout)
            .once();
    return caller.callOne(request).as(Erased.class).result();
  }

  record Sequences(List<Long> sequences) {}

  record Erased(long bytes, List<Each> results) {
    record Each(long sequence, String result) {}

    EraseResult result() {
      return new EraseResult(
          bytes,
          results.stream()
              .filter(each -> each.result().equals("erased"))
              .map(Each::sequence)
              .collect(Collectors.toSet()));
    }
  }

  private long removed(String verb) {
    return number(verb, "removed");
  }

  private long number(String verb, String field) {
    return caller.callOne(Request.post(Paths.queue(name) + verb).once()).number(field);
  }

  private List<StoredMessage> query(String query) {
    return caller.callOne(Request.get(path + "?" + query)).as(Messages.class).stored();
  }

  record Messages(List<JsonCodec.MessageJson> messages) {
    List<StoredMessage> stored() {
      return messages.stream().map(StoredMessage::new).toList();
    }
  }

  /** Maps the attributes of a message to headers of the request. */
  private static final class HeaderFormat {
    private static final int MAX_CHARACTERS = 4_096;
    private static final String NAME = "[a-z0-9!#$%&'*+.^_`|~-]+";

    static boolean fits(NewMessage message) {
      int length = length(message.key()) + length(message.id());
      boolean plain = isPlainAscii(message.key()) && isPlainAscii(message.id());
      for (Map.Entry<String, byte[]> header : message.headers().entrySet()) {
        String value = new String(header.getValue(), StandardCharsets.ISO_8859_1);
        length += header.getKey().length() + value.length();
        plain &= header.getKey().matches(NAME) && isPlainAscii(value);
      }
      return plain && length <= MAX_CHARACTERS;
    }

    private static int length(@Nullable String text) {
      return text == null ? 0 : text.length();
    }

    /**
     * Returns whether a text survives as the value of a header: printable ASCII, without a space at
     * either end.
     */
    private static boolean isPlainAscii(@Nullable String text) {
      return text == null
          || (!text.isEmpty()
              && text.chars().allMatch(c -> c >= ' ' && c < 0x7f)
              && text.charAt(0) != ' '
              && text.charAt(text.length() - 1) != ' ');
    }

    static void apply(NewMessage message, Request request) {
      if (!fits(message)) {
        throw new IllegalArgumentException(
            "key, id and headers are not plain ASCII of 4 KB at most; publish() accepts them");
      }
      request
          .header("River-Key", message.key())
          .header("River-Id", message.id())
          .header("River-Delay", text(message.delay()))
          .header(
              "River-Deliver-At",
              message.deliverAt() == null ? null : message.deliverAt().toString())
          .header("River-Expires", text(message.expiry()));
      message
          .headers()
          .forEach(
              (name, value) ->
                  request.header(
                      "River-Header-" + name, new String(value, StandardCharsets.US_ASCII)));
    }

    private static @Nullable String text(@Nullable Duration duration) {
      return duration == null ? null : JsonCodec.formatDuration(duration);
    }
  }
}
