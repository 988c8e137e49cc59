package com.wookler.river.core;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.files.BlockCompactor;
import com.wookler.river.core.log.files.BlockCompactor.Compacted;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.util.Collection;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Erases messages of a running queue: removes them, so that no reader is given them, and then
 * writes their blocks and backups anew without them, each once for a call, on the queue's serial
 * executor on the worker. A crash leaves a message removed, and in some of its files perhaps:
 * erasing it again does the rest. Thread-safe.
 */
final class MessageEraser {
  private final String queue;
  private final BlockLog log;
  private final @Nullable Backup backup;
  private final Executor worker;
  private final MessageRemoval removal;
  private final BlockRewriter files;

  MessageEraser(QueueStorage storage, MessageRemoval removal, BlockRewriter files) {
    this.queue = storage.config.name();
    this.log = storage.log;
    this.backup = storage.backup;
    this.worker = storage.worker;
    this.removal = removal;
    this.files = files;
  }

  /** See {@link MessageQueue#tryErase}. */
  EraseResult erase(Collection<Long> sequences) {
    long end = log.nextSequence();
    Erasure erasure =
        new Erasure(
            removal.deletePlaces(
                sequences.stream().filter(each -> each >= 0 && each < end).toList()));
    long bytes = 0;
    while (!erasure.places.isEmpty()) {
      bytes += eraseFirst(erasure);
    }
    return new EraseResult(bytes, erasure.erased);
  }

  /** The places that are left to erase, and what was erased; on one thread at a time. */
  private static final class Erasure implements Predicate<StoredMessage> {
    private final NavigableMap<Long, Set<Long>> places; // with the sequences asked for there
    private final Set<Long> erased = new HashSet<>(); // of the asked sequences

    Erasure(NavigableMap<Long, Set<Long>> places) {
      this.places = places;
    }

    @Override
    public boolean test(StoredMessage message) {
      Set<Long> asked = places.get(message.sequence());
      if (asked != null) {
        erased.addAll(asked);
      }
      return asked != null;
    }
  }

  /** Erases the first of the places and all others of its block, and takes them out. */
  private long eraseFirst(Erasure erasure) {
    try {
      return CompletableFuture.supplyAsync(() -> eraseNow(erasure), worker).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + queue + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RiverException known
          ? known
          : failed(erasure.places.firstKey(), e.getCause());
    }
  }

  private RiverException failed(long place, @Nullable Throwable why) {
    return new RiverException(
        String.format(
            "queue %s: sequence %d is removed, but its bytes could not be erased; erase it again:"
                + " %s",
            queue, place, why),
        why);
  }

  private long eraseNow(Erasure erasure) {
    long place = erasure.places.firstKey();
    try {
      if (!log.closeBlockOf(place)) {
        return eraseFromBackup(erasure);
      }
      files.force(); // so that the block is sealed
      Seal block =
          log.sealedFrom(place)
              .orElseThrow(() -> new IOException("its block cannot be closed now"));
      Compacted found = BlockCompactor.count(log.file(block), block, erasure);
      if (found.removed() > 0) {
        boolean unused = files.rewrite(block, erasure, () -> true);
      }
      erasure.places.headMap(block.endSequence()).clear();
      return found.removedBytes();
    } catch (IOException e) {
      throw failed(place, e);
    }
  }

  private long eraseFromBackup(Erasure erasure) throws IOException {
    long place = erasure.places.firstKey();
    Backup past = backup;
    StoredBlock holding =
        past == null
            ? null
            : past.endingAfter(place).filter(each -> each.holds(place)).orElse(null);
    if (past == null || holding == null) {
      erasure.places.remove(place);
      return 0;
    }
    long bytes = bytes(holding, erasure);
    boolean isThere = bytes > 0;
    for (StoredBlock twin : past.twins(holding)) { // which a crash has left
      bytes += bytes(twin, erasure);
    }
    past.deleteTwins(holding);
    if (isThere) {
      boolean unused = files.rewrite(past, holding, erasure, () -> true);
    }
    erasure.places.headMap(holding.block().endSequence()).clear();
    return bytes;
  }

  private static long bytes(StoredBlock stored, Predicate<StoredMessage> which) throws IOException {
    return Backup.count(stored, which).removedBytes();
  }
}
