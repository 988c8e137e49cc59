package com.wookler.river.core;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.ids.IdStore;
import com.wookler.river.core.log.AfterLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Capacity;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores messages with an id once within a window. A publish with an id holds the lock of the ids
 * from looking it up until its message is in the log and the id is known; not while it waits for
 * capacity, after which it looks again.
 */
final class Deduplicator implements AfterLog {
  private static final Logger LOG = LoggerFactory.getLogger(Deduplicator.class);

  private final String queue;
  private final IdStore ids;
  private final BlockLog log;
  private final TimeSource time;
  private long capturedEnd; // confined to the flusher
  private long foundAgain; // ids that files have lost; confined to the opening thread

  private record Known(BlockLog log, DataDirectory directory) implements IdStore.Log {
    @Override
    public boolean hasFiles() {
      return directory.has(Part.IDS);
    }

    @Override
    public void begunFiles() throws IOException {
      directory.begun(Part.IDS);
    }

    @Override
    public long firstSequence() {
      return log.firstSequence();
    }

    @Override
    public long nextSequence() {
      return log.nextSequence();
    }

    @Override
    public boolean isLost(long sequence) {
      return log.gaps().endOf(sequence) > sequence;
    }

    @Override
    public long wallOf(long storedMicros) {
      return log.times().wallOf(storedMicros);
    }
  }

  /** Reads the ids of earlier runs, and those that only the log or its backups have. */
  Deduplicator(QueueStorage storage) {
    QueueConfig<?> config = storage.config;
    DataDirectory directory = storage.directory;
    this.log = storage.log;
    this.time = config.time();
    Duration window = config.get(QueueOptions.DEDUPLICATE);
    long now = time.epochMicros();
    this.queue = config.name();
    this.ids =
        IdStore.open(
            directory.ids(),
            new IdStore.Owner(queue, directory.identity()),
            window,
            now,
            new Known(log, directory));
    log.times().saw(ids.lastMicros());
    addMissing(storage.lookup, now - TimeUnit.NANOSECONDS.toMicros(window.toNanos()));
  }

  private void addMissing(Lookup lookup, long sinceMicros) {
    long from = ids.covered();
    if (from < log.firstSequence()) {
      from = Math.max(from, lookup.sequenceAt(sinceMicros).orElse(log.nextSequence()));
    }
    int before = ids.size();
    if (lookup.scan(from, this::addFromLog)) {
      LOG.warn("Queue {}: damaged messages are left out of its ids", queue);
    }
    if (!ids.fault().isEmpty()) {
      long nowhere = ids.missing() - foundAgain;
      LOG.warn(
          "Queue {}: its ids are not whole: {}; the log and its backups were asked for those of the"
              + " window, and had {} more{}",
          queue,
          ids.fault(),
          ids.size() - before,
          nowhere <= 0
              ? ""
              : "; up to "
                  + nowhere
                  + " are known nowhere any more: messages with these would be stored again");
    }
  }

  private void addFromLog(StoredMessage message) {
    Terms terms = message.terms();
    if (terms != null && terms.id() != null && terms.origin() == null) { // a copy is no publish
      addFromLog(terms.id(), message.sequence(), message.publishedMicros());
    }
  }

  private void addFromLog(String id, long sequence, long micros) {
    IdStore.Original known = ids.find(id, log.times().wallOf(micros));
    if (known == null || known.sequence() < sequence) { // else its file grows at each opening
      ids.add(id, sequence, micros);
      foundAgain += sequence < ids.missingBelow() ? 1 : 0;
    }
  }

  /** Returns the newest message with an id within the window; -1 if there is none. */
  long find(String id) {
    IdStore.Original known = ids.find(id, time.epochMicros());
    return known == null ? -1 : known.sequence();
  }

  /** Stores a message that takes its id over from another one. */
  long append(PublishBuffer buffer, String id) {
    ids.lock().lock();
    try {
      long sequence = log.append(buffer, time.epochMicros());
      ids.add(id, sequence, log.times().now());
      return sequence;
    } finally {
      ids.lock().unlock();
    }
  }

  /** Stores those of the messages whose id is not known, as one document. */
  Placed publish(AdmissionControl intake, List<? extends Message<?>> messages, byte[][] converted) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    Attempt attempt = new Attempt(intake, buffer, messages, converted);
    try {
      intake.append(buffer, attempt);
      return attempt.placed();
    } finally {
      buffer.document().finish();
    }
  }

  /** One try to store a batch, repeated when there may be capacity. */
  final class Attempt implements LongSupplier {
    private final AdmissionControl intake;
    private final PublishBuffer buffer;
    private final List<? extends Message<?>> messages;
    private final byte[][] converted;
    private final long[] sequences; // of each message; if it is new, ~ of its index in the document
    private long base;

    Attempt(
        AdmissionControl intake,
        PublishBuffer buffer,
        List<? extends Message<?>> messages,
        byte[][] converted) {
      this.intake = intake;
      this.buffer = buffer;
      this.messages = messages;
      this.converted = converted;
      this.sequences = new long[converted.length];
    }

    @Override
    public long getAsLong() {
      ids.lock().lock();
      try {
        long now = time.epochMicros();
        plan(now);
        if (buffer.document().count() == 0) {
          return 0; // all are known
        }
        intake.check(buffer);
        base = log.append(buffer, now);
        if (base != Capacity.NONE) {
          remember(log.times().now());
        }
        return base;
      } finally {
        ids.lock().unlock();
      }
    }

    /** Looks the ids up, and adds the messages whose id is new to the document. */
    private void plan(long now) {
      DocumentWriter document = buffer.document();
      document.start();
      Map<String, Integer> inBatch = new HashMap<>();
      for (int i = 0; i < sequences.length; i++) {
        Message<?> message = messages.get(i);
        String id = message.id();
        IdStore.Original known = id == null ? null : ids.find(id, now);
        Integer before = id == null ? null : inBatch.putIfAbsent(id, i);
        if (known != null) {
          sequences[i] = known.sequence();
        } else if (before != null) {
          sequences[i] = sequences[before];
        } else {
          sequences[i] = ~(long) document.count();
          document.add(converted[i], message.key(), message.headers(), message.terms());
        }
      }
    }

    private void remember(long storedMicros) {
      long added = 0;
      for (int i = 0; i < sequences.length; i++) {
        String id = messages.get(i).id();
        if (sequences[i] == ~added) {
          if (id != null) {
            ids.add(id, base + added, storedMicros);
          }
          added++;
        }
      }
    }

    Placed placed() {
      int stored = 0;
      long end = 0;
      Map<Integer, Long> duplicates = Map.of();
      for (int i = 0; i < sequences.length; i++) {
        long sequence = sequence(sequences[i]);
        end = Math.max(end, sequence + 1);
        if (sequences[i] == ~(long) stored) {
          stored++;
        } else {
          duplicates = duplicates.isEmpty() ? new TreeMap<>() : duplicates;
          duplicates.put(i, sequence);
        }
      }
      return new Placed(stored > 0 ? base : sequence(sequences[0]), end, duplicates);
    }

    private long sequence(long known) {
      return known < 0 ? base + ~known : known;
    }
  }

  @Override
  public boolean isDirty() {
    return ids.isDirty(log.nextSequence(), log.times().now());
  }

  @Override
  public void capture() {
    capturedEnd = log.nextSequence();
  }

  @Override
  public void flush() {
    ids.flush(capturedEnd, log.times().now());
  }

  @Override
  public void postpone() {} // the ids themselves know what was not written
}
