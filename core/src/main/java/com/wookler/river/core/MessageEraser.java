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
import java.util.NavigableSet;
import java.util.TreeSet;
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

  /** See {@link MessageQueue#erase}. */
  long erase(Collection<Long> sequences) {
    NavigableSet<Long> places = new TreeSet<>();
    for (long sequence : sequences) {
      if (sequence >= 0 && sequence < log.nextSequence()) {
        places.addAll(removal.deletePlaces(sequence));
      }
    }
    long bytes = 0;
    while (!places.isEmpty()) {
      bytes += eraseFirst(places);
    }
    return bytes;
  }

  /** Erases the first of these and all others of its block, and takes them out. */
  private long eraseFirst(NavigableSet<Long> places) {
    try {
      return CompletableFuture.supplyAsync(() -> eraseNow(places), worker).join();
    } catch (RejectedExecutionException e) {
      throw new QueueClosedException("queue " + queue + " is closed", e);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RiverException known
          ? known
          : failed(places.first(), e.getCause());
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

  private long eraseNow(NavigableSet<Long> places) {
    long place = places.first();
    Predicate<StoredMessage> which = message -> places.contains(message.sequence());
    try {
      if (!log.closeBlockOf(place)) {
        return eraseFromBackup(places, which);
      }
      files.force(); // so that the block is sealed
      Seal block =
          log.sealedFrom(place)
              .orElseThrow(() -> new IOException("its block cannot be closed now"));
      Compacted found = BlockCompactor.count(log.file(block), block, which);
      if (found.removed() > 0) {
        boolean unused = files.rewrite(block, which, () -> true);
      }
      places.headSet(block.endSequence()).clear();
      return found.removedBytes();
    } catch (IOException e) {
      throw failed(place, e);
    }
  }

  private long eraseFromBackup(NavigableSet<Long> places, Predicate<StoredMessage> which)
      throws IOException {
    long place = places.first();
    Backup past = backup;
    StoredBlock holding =
        past == null
            ? null
            : past.endingAfter(place).filter(each -> each.holds(place)).orElse(null);
    if (past == null || holding == null) {
      places.remove(place);
      return 0;
    }
    long bytes = bytes(holding, which);
    boolean isThere = bytes > 0;
    for (StoredBlock twin : past.twins(holding)) { // which a crash has left
      bytes += bytes(twin, which);
    }
    past.deleteTwins(holding);
    if (isThere) {
      boolean unused = files.rewrite(past, holding, which, () -> true);
    }
    places.headSet(holding.block().endSequence()).clear();
    return bytes;
  }

  private static long bytes(StoredBlock stored, Predicate<StoredMessage> which) throws IOException {
    return Backup.count(stored, which).removedBytes();
  }
}
