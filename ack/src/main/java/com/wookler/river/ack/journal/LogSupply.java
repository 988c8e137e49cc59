package com.wookler.river.ack.journal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.MappedFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes log files ahead, all zero and mapped, so that the ledger finds the next one ready when its
 * log is full. Thread-safe: the flusher prepares, the ledger takes.
 */
final class LogSupply {
  private final Generations generations;

  @GuardedBy("this")
  private @Nullable MappedFile prepared;

  @GuardedBy("this")
  private long preparedGeneration;

  @GuardedBy("this")
  private boolean closed;

  LogSupply(Generations generations) {
    this.generations = generations;
  }

  /** Makes the log of this generation, unless it is there or already taken. */
  synchronized void prepare(long generation) throws IOException {
    if (!closed && generation > preparedGeneration) {
      MappedFile made = make(generation);
      discard();
      prepared = made;
      preparedGeneration = generation;
    }
  }

  /** Returns the log of this generation, made now if it was not made ahead. */
  synchronized MappedFile take(long generation) throws IOException {
    prepare(generation);
    MappedFile taken = prepared;
    if (taken == null || preparedGeneration != generation) {
      throw new IOException("the log of generation " + generation + " was taken before");
    }
    prepared = null;
    return taken;
  }

  synchronized void putBack(MappedFile unused) {
    prepared = unused;
  }

  synchronized void close() throws IOException {
    closed = true;
    discard();
  }

  private MappedFile make(long generation) throws IOException {
    Path path = generations.log(generation);
    List<Path> spare = generations.spareLogs();
    if (!spare.isEmpty()) {
      DurableFiles.truncate(spare.get(0), AckLog.SIZE);
      DurableFiles.zero(spare.get(0), 0, AckLog.SIZE);
      DurableFiles.move(spare.get(0), path);
    } else {
      DurableFiles.createFile(path);
      DurableFiles.zero(path, 0, AckLog.SIZE);
    }
    return MappedFile.open(path, AckLog.SIZE, generations.owner()::isSound);
  }

  @GuardedBy("this")
  private void discard() throws IOException {
    MappedFile unused = prepared;
    prepared = null;
    if (unused != null) {
      unused.close();
      if (!generations.isLost()) {
        generations.recycleLog(unused.path());
      }
    }
  }
}
