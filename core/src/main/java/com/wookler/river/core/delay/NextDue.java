package com.wookler.river.core.delay;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.WaitingSpread;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.utils.DueHeap;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Returns the waiting messages in the order in which they are due, those that are only in memory
 * and those in files. Guarded by the lock of {@link Timers}.
 */
final class NextDue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NextDue.class);
  private static final long AGAIN_MICROS = 60_000_000; // after which what is damaged is tried again

  // messages that are in no file yet, or are to go into another
  final DueHeap fresh = new DueHeap();
  final NearIndex index;
  private final WaitingMessages messages;
  private final LogReader reader;
  private final BucketReader files;
  private final DelayContext context;
  private final RateLimitedLog damagedLog;
  private final List<Taken> taken = new ArrayList<>();
  private WaitingSpread spread;
  private Key done; // messages up to it are done

  /** A message that was taken out to be copied; {@code waitsOn}: damaged, not to be passed over. */
  private record Taken(Key key, long address, boolean ofFile, boolean waitsOn) {}

  /** Begins with the state of an opening: what its files have was collected before. */
  NextDue(DelayContext context, WaitingMessages messages, NearIndex index, TimerState state) {
    this.context = context;
    this.messages = messages;
    this.index = index;
    this.reader = context.log().reader();
    this.files = new BucketReader(context.identity());
    this.damagedLog = new RateLimitedLog(context.time());
    this.spread = new WaitingSpread(state.collected());
    this.done = state.done();
  }

  /** Counts what the index holds, if it holds all that waits; called when the files are open. */
  void opened() {
    if (index.waiting() == index.heap.size() && !index.heap.isEmpty()) {
      long[] sequences = index.heap.sequences();
      spread = new WaitingSpread(Arrays.stream(sequences).min().orElse(0));
      for (long sequence : sequences) {
        spread.add(sequence, 1);
      }
    }
  }

  /** Returns the key up to which all messages are done. */
  Key done() {
    return done;
  }

  /** Counts messages up to a key as done. */
  void doneUpTo(Key key) {
    done = done.compareTo(key) < 0 ? key : done;
  }

  /** Adds a message that was found; one whose key is done gets the next key. */
  void add(long time, long sequence, long address) {
    long next = done.time() + (done.isBefore(done.time(), sequence) ? 0 : 1);
    fresh.add(done.isBefore(time, sequence) ? time : next, sequence, address);
    spread.add(sequence, 1);
  }

  /**
   * Takes out what is due and adds it to the document; if one message cannot be read now, nothing.
   * Where the first is damaged and not to be passed over, only such messages are taken, and none is
   * added: they {@link #waitOn} at {@link #complete}.
   *
   * @param most messages
   * @param bytes size of the document at which this ends
   * @return whether it ended at a message that may not be the next: files have to be looked into
   */
  boolean takeOut(long now, DocumentWriter document, int most, int bytes) {
    taken.clear();
    try {
      while (taken.size() < most && document.length() < bytes) {
        boolean ofFiles = isNextOfFiles();
        DueHeap heap = ofFiles ? index.heap : fresh;
        if (heap.isEmpty() || heap.time() > now) {
          return false;
        }
        if (!index.covers(heap.time(), heap.sequence())) {
          return true;
        }
        if (!take(heap, ofFiles, document)) {
          return false;
        }
      }
      return false;
    } catch (Throwable e) { // one that cannot be read now
      putBack();
      document.finish();
      throw e;
    } finally {
      closeFiles(); // the flusher may write what was read
    }
  }

  private void closeFiles() {
    try {
      files.close();
    } catch (IOException e) {
      LOG.warn("Queue {}: cannot close a file in {}", context.queue(), context.directory(), e);
    }
  }

  private boolean isNextOfFiles() {
    DueHeap files = index.heap;
    return fresh.isEmpty()
        || (!files.isEmpty()
            && DueHeap.compare(files.time(), files.sequence(), fresh.time(), fresh.sequence()) < 0);
  }

  /** Returns false if it stays, because those before it are of the other kind. */
  private boolean take(DueHeap heap, boolean ofFiles, DocumentWriter document) {
    Key key = new Key(heap.time(), heap.sequence());
    long address = heap.address();
    StoredMessage message = null;
    boolean waitsOn = false;
    try {
      message =
          context.log().removed().contains(key.sequence())
              ? null
              : ofFiles
                  ? messages.ofFile(
                      files, index.bucket(address), NearIndex.offset(address), key.sequence())
                  : messages.fresh(reader, files, key.sequence(), address);
    } catch (DamagedException e) {
      waitsOn = true;
      logDamaged(e);
    }
    if (!taken.isEmpty() && waitOn() != waitsOn) {
      return false;
    }
    taken.add(new Taken(key, address, ofFiles, waitsOn));
    if (ofFiles) {
      index.removeFirst();
    } else {
      heap.removeFirst();
    }
    if (message != null && !Terms.isErased(message.terms())) {
      document.add(message.data(), message.key(), message.headers(), Terms.ofReenqueued(message));
    }
    return true;
  }

  private void logDamaged(DamagedException e) {
    if (damagedLog.mayLog()) {
      LOG.error(
          "Queue {}: a delayed message is damaged, and waits, because queue.on.damage is STOP; the"
              + " others come. Opened with SALVAGE the queue passes it over: {}",
          context.queue(),
          e.getMessage());
    }
  }

  /** Returns how many were taken out last and not put back. */
  int taken() {
    return taken.size();
  }

  /** Returns whether any of them was in a file. */
  boolean anyOfFiles() {
    return taken.stream().anyMatch(Taken::ofFile);
  }

  /** Returns whether they are damaged, and not to be passed over. */
  boolean waitOn() {
    return !taken.isEmpty() && taken.get(0).waitsOn;
  }

  void putBack() {
    for (Taken each : taken) {
      if (each.ofFile) {
        index.putBack(each.key.time(), each.key.sequence(), each.address);
      } else {
        fresh.add(each.key.time(), each.key.sequence(), each.address);
      }
    }
    taken.clear();
  }

  /** Counts what was taken out as done; damaged messages that are not passed over wait on. */
  void complete(long now) {
    doneUpTo(taken.get(taken.size() - 1).key);
    long later = Math.max(now, done.time()) + AGAIN_MICROS;
    for (Taken each : taken) {
      if (each.waitsOn) {
        fresh.add(later, each.key.sequence(), each.ofFile ? ~each.address : each.address);
      } else {
        spread.add(each.key.sequence(), -1);
      }
    }
  }

  /** Returns when the next is due; {@link Long#MAX_VALUE} if there is none. */
  long time() {
    DueHeap heap = isNextOfFiles() ? index.heap : fresh;
    return heap.isEmpty() ? Long.MAX_VALUE : heap.time();
  }

  long waiting() {
    return fresh.size() + index.waiting();
  }

  /** Returns how many wait that were published before a sequence. */
  long waitingBelow(long sequence) {
    return Math.max(0, waiting() - spread.from(sequence));
  }

  long heapBytes() {
    return fresh.bytes() + index.heap.bytes();
  }

  void leave(int block) {
    reader.leave(block);
  }

  @Override
  public void close() {
    reader.close();
  }
}
