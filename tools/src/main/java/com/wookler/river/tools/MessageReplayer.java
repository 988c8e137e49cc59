package com.wookler.river.tools;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.CheckedJson;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.tools.inspect.MessageSource;
import com.wookler.river.tools.inspect.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Publishes the messages of a source into a queue. Batches remain batches.
 *
 * <p>The progress is saved in a checkpoint beside the queue, {@code <queue>.replay-<id>.json}: the
 * next sequence of the source, and the one that it gets in the queue. The checkpoint is written
 * after the queue was forced, so that it is never ahead of the queue. Messages that were published
 * after it are recognized by comparison, and skipped.
 */
final class MessageReplayer implements AutoCloseable {
  private static final int CHECKPOINT_FORMAT = 1;
  private static final int CHECKPOINT_INTERVAL = 10_000;
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final MessageSource source;
  private final SequenceRanges removed;
  private final MessageQueue<byte[]> queue;
  private final Path checkpoint;
  private final long rate;
  private final TimeSource time = TimeSource.system();

  MessageReplayer(MessageSource source, Path base, String name, long rate) throws IOException {
    this.source = source;
    this.removed = source.removed();
    this.rate = rate;
    this.checkpoint = base.resolve(name + ".replay-" + source.queue() + ".json");
    this.queue = MessageQueue.builder(name, MessageConverter.bytes()).directory(base).open();
  }

  /**
   * The result of a replay.
   *
   * @param published number of messages published
   * @param present number of messages that an earlier run had published
   * @param lost number of messages that are damaged or missing in the source
   */
  record Result(long published, long present, long lost) {}

  /** Continues at the checkpoint, or starts at the beginning of the range. */
  Result run(MessageRange range, Consumer<MessageSource.Lost> losses, Progress progress)
      throws IOException {
    long next = range.firstSequence();
    long target = queue.stats().nextSequence();
    if (Files.exists(checkpoint)) {
      ObjectNode saved = readCheckpoint();
      next = Math.max(next, saved.path("next").asLong());
      target = saved.path("target").asLong();
    }
    Writer writer = new Writer(range, losses, target);
    source.walk(next, range.lastSequence(), writer, progress);
    writer.finish();
    return new Result(writer.published, writer.present, writer.lost);
  }

  private final class Writer implements MessageSource.Sink {
    private final MessageRange range;
    private final Consumer<MessageSource.Lost> losses;
    private final long started = time.nanoTime();
    private long target; // the sequence that the next message gets, or has
    private long next = -1; // of the source
    private long published;
    private long present;
    private long lost;
    private long sinceCheckpoint;

    Writer(MessageRange range, Consumer<MessageSource.Lost> losses, long target) {
      this.range = range;
      this.losses = losses;
      this.target = target;
    }

    @Override
    public void lost(MessageSource.Lost range) {
      lost += range.count();
      losses.accept(range);
    }

    @Override
    public boolean messages(List<StoredMessage> run) throws IOException {
      List<Message<byte[]>> batch = new ArrayList<>(run.size());
      for (StoredMessage message : run) {
        if (range.isAfter(message)) {
          break;
        }
        boolean isHidden = Terms.isHidden(message.terms()) || message.isIn(removed);
        if (!isHidden && !range.isBefore(message) && !isPresent(message)) {
          batch.add(copy(message));
        }
        next = message.sequence() + 1;
      }
      if (!batch.isEmpty()) {
        queue.publisher().putAll(batch, Durability.MEMORY);
        published += batch.size();
        target = queue.stats().nextSequence();
        sinceCheckpoint += batch.size();
        limitRate();
      }
      if (sinceCheckpoint >= CHECKPOINT_INTERVAL) {
        writeCheckpoint();
      }
      return next == run.get(run.size() - 1).sequence() + 1;
    }

    /**
     * Returns whether an earlier run that was interrupted published the message after its last
     * checkpoint.
     */
    private boolean isPresent(StoredMessage message) {
      if (published > 0 || target >= queue.stats().nextSequence()) {
        return false;
      }
      Delivery<byte[]> stored = queue.read(target).orElse(null);
      if (stored == null
          || !Arrays.equals(stored.data(), message.data())
          || !Objects.equals(stored.key(), message.key())) {
        return false;
      }
      target++;
      present++;
      return true;
    }

    private void limitRate() {
      if (rate > 0) {
        long due = started + (long) ((double) published / rate * SECOND);
        for (long left = due - time.nanoTime(); left > 0; left = due - time.nanoTime()) {
          time.park(this, left);
        }
      }
    }

    private void writeCheckpoint() throws IOException {
      queue.force();
      ObjectNode json = CheckedJson.object(CHECKPOINT_FORMAT);
      json.put("source", source.queue().toString());
      json.put("next", next).put("target", target);
      CheckedJson.write(checkpoint, json);
      sinceCheckpoint = 0;
    }

    void finish() throws IOException {
      if (next >= 0) {
        writeCheckpoint();
      }
    }
  }

  private ObjectNode readCheckpoint() throws IOException {
    try {
      return CheckedJson.read(checkpoint, CHECKPOINT_FORMAT);
    } catch (DamagedException e) {
      throw new DamagedMessageException(
          e.getMessage()
              + "; remove it, and start with --from after the messages that the queue contains",
          e);
    }
  }

  private static Message<byte[]> copy(StoredMessage stored) {
    Message<byte[]> message = Message.of(stored.data());
    if (stored.key() != null) {
      message = message.withKey(stored.key());
    }
    for (Map.Entry<String, byte[]> header : stored.headers().entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    Terms terms = stored.terms();
    return terms == null || terms.id() == null ? message : message.withId(terms.id());
  }

  @Override
  public void close() {
    queue.close();
  }
}
