package com.wookler.river.core.delay;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What waits, in the order in which it is due: what is in memory only, and the files. Guarded by
 * the lock of {@link Timers}.
 */
final class NextDue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NextDue.class);

  /** Those that are in no file yet, or are to go into another. */
  final DueHeap fresh = new DueHeap();

  final NearIndex index;
  private final WaitingMessages messages;
  private final LogReader reader;
  private final DelayContext context;
  private final RateLimitedLog saidDamaged;
  private final TakenEntries taken;
  private WaitingSpread spread;

  /**
   * What waits at an opening.
   *
   * @param collected what the files have was published before this sequence
   * @param most so many are taken out at once
   */
  NextDue(
      DelayContext context, WaitingMessages messages, NearIndex index, long collected, int most) {
    this.context = context;
    this.messages = messages;
    this.index = index;
    this.reader = context.log().reader();
    this.saidDamaged = new RateLimitedLog(context.time());
    this.taken = new TakenEntries(most);
    this.spread = new WaitingSpread(collected);
  }

  /** The next of the files are known: where that is all of them, so is when they were published. */
  void opened() {
    if (index.waiting() == index.heap.size() && !index.heap.isEmpty()) {
      DueHeap all = index.heap.sorted();
      long lowest = Long.MAX_VALUE;
      for (int i = 0; i < all.size(); i++) {
        lowest = Math.min(lowest, all.sequence(i));
      }
      spread = new WaitingSpread(lowest);
      for (int i = 0; i < all.size(); i++) {
        spread.add(all.sequence(i), 1);
      }
    }
  }

  /** One that was found in the log. */
  void add(long time, long sequence, long location) {
    fresh.add(time, sequence, location);
    spread.add(sequence, 1);
  }

  /**
   * Takes out what is due, of which the document is made; if it cannot be read now, nothing. Or,
   * where the first is damaged, and not to be passed over, only such messages, for no document:
   * these {@link #waitOn} when all is done.
   *
   * @param most messages
   * @param bytes about so many
   * @return whether it ended at a message that may not be the next: there are files to look into
   */
  boolean takeOut(long now, DocumentWriter document, int most, int bytes) {
    taken.clear();
    try {
      while (taken.count() < most && document.length() < bytes) {
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
    }
  }

  private boolean isNextOfFiles() {
    DueHeap files = index.heap;
    return fresh.isEmpty()
        || (!files.isEmpty()
            && Key.compare(files.time(), files.sequence(), fresh.time(), fresh.sequence()) < 0);
  }

  /** Returns false if it stays, because those before it are of the other kind. */
  private boolean take(DueHeap heap, boolean ofFiles, DocumentWriter document) {
    long time = heap.time();
    long sequence = heap.sequence();
    long place = heap.place();
    StoredMessage message = null;
    boolean waitsOn = false;
    try {
      message = read(ofFiles, sequence, place);
    } catch (DamagedMessageException e) {
      waitsOn = true;
      sayDamaged(e);
    }
    if (!taken.takes(waitsOn)) {
      return false;
    }
    taken.add(time, sequence, place, ofFiles, waitsOn);
    if (ofFiles) {
      index.removeFirst();
    } else {
      heap.removeFirst();
    }
    if (message != null) {
      document.add(message.data(), message.key(), message.headers(), Terms.ofReenqueued(message));
    }
    return true;
  }

  private void sayDamaged(DamagedMessageException e) {
    if (saidDamaged.mayLog()) {
      LOG.error(
          "Queue {}: a delayed message is damaged, and waits, because queue.on.damage is STOP; the"
              + " others come. Opened with SALVAGE the queue passes it over: {}",
          context.queue(),
          e.getMessage());
    }
  }

  private @Nullable StoredMessage read(boolean ofFiles, long sequence, long place) {
    if (ofFiles) {
      return messages.ofFile(index.bucket(place), NearIndex.offset(place), sequence);
    }
    return NearIndex.wasInFile(place)
        ? messages.ofFile(index.find(~place), NearIndex.offset(~place), sequence)
        : messages.ofLog(reader, sequence, place);
  }

  /** Returns how many were taken out last and not put back. */
  int taken() {
    return taken.count();
  }

  /** Returns the last of them. */
  Key last() {
    return taken.last();
  }

  /** Returns whether any of them was in a file. */
  boolean anyOfFiles() {
    return taken.anyOfFiles();
  }

  /** Returns whether they are damaged, and not to be passed over. */
  boolean waitOn() {
    return taken.count() > 0 && taken.waitsOn(0);
  }

  /** Puts them back. */
  void putBack() {
    taken.putBack(index, fresh);
  }

  /** They wait no more; but those that are damaged, and not to be passed over, until later. */
  void done(long later) {
    for (int i = 0; i < taken.count(); i++) {
      if (taken.waitsOn(i)) {
        fresh.add(later, taken.sequence(i), taken.place(i));
      } else {
        spread.add(taken.sequence(i), -1);
      }
    }
  }

  /** Returns when the next is due; {@link Long#MAX_VALUE} if there is none. */
  long time() {
    DueHeap heap = isNextOfFiles() ? index.heap : fresh;
    return heap.isEmpty() ? Long.MAX_VALUE : heap.time();
  }

  /** Returns how many wait. */
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

  /** Lets go of a block that leaves the log. */
  void leave(int block) {
    reader.leave(block);
  }

  @Override
  public void close() {
    reader.close();
  }
}
