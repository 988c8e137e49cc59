package com.wookler.river.core.log;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.RecoveredBlock;
import com.wookler.river.core.message.DocumentFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One block of the log, active or sealed. Its mutable fields are written under the append lock.
 * Other threads read them after the log's volatile next sequence, which is stored after them.
 */
final class Block implements BlockInfo {
  private static final Logger LOG = LoggerFactory.getLogger(Block.class);

  private final int number;
  private final long firstSequence;
  private final Path file;
  private long messages;
  private long documents;
  private boolean holdsBatch; // once true it stays so
  private long end;
  private long contentBytes;
  private long firstMicros;
  private long lastMicros;
  private long digest;
  private int lost; // of its messages, before this run
  private int generation; // how often its file was replaced in this run
  private @Nullable TimeSource time; // null before it is opened
  private long openedNanos; // of that clock
  private boolean started;
  private volatile boolean closed; // read by housekeeping without the lock

  Block(int number, long firstSequence, Path file) {
    this.number = number;
    this.firstSequence = firstSequence;
    this.file = file;
  }

  static Block of(RecoveredBlock found) {
    Seal seal = found.seal();
    Block block = new Block(seal.block(), seal.firstSequence(), found.file());
    block.messages = seal.messages();
    block.documents = seal.documents();
    block.holdsBatch = seal.documents() != seal.messages();
    block.end = seal.bytes();
    block.contentBytes = found.contentBytes();
    block.firstMicros = seal.firstMicros();
    block.lastMicros = seal.lastMicros();
    block.digest = seal.digest();
    block.lost = seal.lost();
    return block;
  }

  /** Returns the closed block after its file was replaced by one with the same messages. */
  Block replaced(Seal seal) {
    long content = Math.max(0, seal.bytes() - ChronicleHeader.BYTES);
    Block block = of(new RecoveredBlock(seal, file, content));
    block.generation = generation + 1;
    block.close();
    return block;
  }

  /** Returns how often its file was replaced in this run: what is mapped of it says the same. */
  int generation() {
    return generation;
  }

  Block next(long sequence) {
    Path parent = Objects.requireNonNull(file.getParent());
    return new Block(number + 1, sequence, BlockName.data(parent, number + 1));
  }

  void appended(int count, int length, long micros, long documentDigest) {
    if (messages == 0) {
      firstMicros = micros;
    }
    messages += count;
    documents++;
    if (count > 1) {
      holdsBatch = true;
    }
    lastMicros = micros;
    digest = DocumentFormat.digest(digest, documentDigest);
    contentBytes += length;
  }

  /** It has its file, and in it its first document. */
  void started() {
    started = true;
  }

  boolean isStarted() {
    return started;
  }

  /** From now on its age is measured by this clock; its first message has this age. */
  void opened(TimeSource clock, long ageMicros) {
    time = clock;
    long age = messages == 0 ? 0 : TimeUnit.MICROSECONDS.toNanos(Math.max(0, ageMicros));
    openedNanos = clock.nanoTime() - Math.min(age, Long.MAX_VALUE / 2);
  }

  /** Returns where its file ends, as far as it is in use. */
  long end() {
    return end;
  }

  void end(long offset) {
    end = offset;
  }

  /** Cuts its file at its end once nothing maps it: the next opening would read all of it. */
  void trim() {
    try {
      DurableFiles.truncate(file, end);
    } catch (IOException e) {
      LOG.warn("Cannot trim {}", file, e);
    }
  }

  /** Notes that no message is appended to it any more. */
  void close() {
    closed = true;
  }

  Seal toSeal(UUID queue) {
    return new Seal(
        queue,
        number,
        firstSequence,
        messages,
        documents,
        end,
        firstMicros,
        lastMicros,
        digest,
        lost);
  }

  /** Returns how many of its messages a power loss took before they were forced. */
  int lost() {
    return lost;
  }

  boolean isClosed() {
    return closed;
  }

  Path file() {
    return file;
  }

  long documents() {
    return documents;
  }

  /** Returns whether a document has several messages; unlike two counts it never goes back. */
  boolean holdsBatch() {
    return holdsBatch;
  }

  long firstMicros() {
    return firstMicros;
  }

  long lastMicros() {
    return lastMicros;
  }

  /** Returns the sequence after its last message. */
  long endSequence() {
    return firstSequence + messages;
  }

  boolean holds(long sequence) {
    return sequence >= firstSequence && sequence < endSequence();
  }

  @Override
  public int number() {
    return number;
  }

  @Override
  public long firstSequence() {
    return firstSequence;
  }

  @Override
  public long messages() {
    return messages;
  }

  @Override
  public long bytes() {
    return contentBytes;
  }

  @Override
  public long ageNanos() {
    return time == null || messages == 0 ? 0 : Math.max(0, time.nanoTime() - openedNanos);
  }
}
