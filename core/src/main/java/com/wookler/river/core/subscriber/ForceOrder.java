package com.wookler.river.core.subscriber;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.utils.FirstFailure;
import com.wookler.river.core.log.AfterLog;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.QueueFailedException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The order of forces: forces the files of a queue in an order by which nothing on the device tells
 * of a message that is not there:
 *
 * <ol>
 *   <li>the <b>log</b>: messages, then seals and watermarks, in the order of {@code core.log};
 *   <li>for each subscriber the <b>queues that took its expired messages</b>, then its
 *       <b>ledger</b>, which counts these as completed. Dead letters need no step here: {@code
 *       DeadLettering} completes a message in the ledger only once its letter is forced;
 *   <li>what is <b>derived</b> from the log: origins of transferred messages, ids, delayed
 *       messages.
 * </ol>
 *
 * <p>A ledger is written in four situations: {@link #force} writes it with everything else in the
 * background, {@link #beforeLedger} precedes acknowledgements that wait for the device, {@link
 * #writeLedger} a snapshot of the ledger, and {@link #writeLedgerNow} the last force of one.
 *
 * <p>Outside it three files follow what is forced already: the position of a forward follows the
 * target's own force, the index of keys a force of the log, and a position in a database a force of
 * the queue.
 *
 * <p><b>A log that cannot be forced.</b> Where that may pass, what is derived waits for the next
 * force. Where the log has failed, it is never written again: ids would refuse a message that is
 * nowhere, sent again. Ledgers are forced in both cases, so that completed messages are not
 * delivered again. They may tell of messages that the device never took. The next opening continues
 * above everything that a subscriber was given or has completed; what is between is a gap, whose
 * sequences no other message gets, and the other subscribers skip it. Thread-safe.
 */
public final class ForceOrder {
  private final String queue;
  private final BlockLog log;
  private final ExpiredMessages expired;
  private final WorkerPool.Serial flusher;
  private final WorkerPool.Serial committer;
  private final List<AfterExpired> subscribers = new CopyOnWriteArrayList<>();
  private final List<AfterLog> derived = new CopyOnWriteArrayList<>();

  /** A subscriber, whose ledger is forced after what expired for it. */
  public interface AfterExpired {
    String name();

    /** Returns whether there is something to {@link #force}. */
    boolean isUnforced();

    /** Forces the ledger; called by {@link ForceOrder}, after what precedes it. */
    void force();
  }

  /**
   * Orders the forces of a queue: on {@code flusher} all that no acknowledgement waits for, on
   * {@code committer} the acknowledgements that wait for the device.
   */
  public ForceOrder(
      String queue,
      BlockLog log,
      ExpiredMessages expired,
      WorkerPool.Serial flusher,
      WorkerPool.Serial committer) {
    this.queue = queue;
    this.log = log;
    this.expired = expired;
    this.flusher = flusher;
    this.committer = committer;
  }

  /** Includes what is derived from the log. */
  public void add(AfterLog state) {
    derived.add(state);
  }

  /** Includes a subscriber's ledger, until {@link #remove}. */
  public void add(AfterExpired subscriber) {
    subscribers.add(subscriber);
  }

  /** Excludes the ledger of a subscriber that was closed. */
  public void remove(AfterExpired subscriber) {
    subscribers.remove(subscriber);
  }

  /** Returns whether something is not on the device. */
  public boolean isUnforced() {
    return log.isDirty()
        || subscribers.stream().anyMatch(AfterExpired::isUnforced)
        || derived.stream().anyMatch(AfterLog::isDirty);
  }

  /** Forces all parts on the flusher, even if one fails; returns whether the log was forced. */
  public boolean force() {
    derived.forEach(AfterLog::capture);
    long end = log.nextSequence();
    forceLog();
    FirstFailure failure = new FirstFailure();
    for (AfterExpired subscriber : subscribers) {
      failure.run(
          () -> {
            expired.force(subscriber.name());
            subscriber.force();
          });
    }
    boolean failed = log.failure().isPresent();
    boolean forced = !failed && log.forcedEnd() >= end;
    if (!failed) {
      derived.forEach(state -> failure.run(forced ? state::flush : state::postpone));
    }
    failure.rethrow();
    return forced;
  }

  /** Requests a {@link #force} soon. */
  public void forceSoon() {
    flusher.execute(this::force);
  }

  private void forceLog() {
    if (log.isDirty()) {
      log.forceNow();
    }
  }

  /** Forces what precedes a ledger: the log to a sequence, and the queues of what expired. */
  void beforeLedger(String subscriber, long end) {
    if (log.forcedEnd() < end) {
      log.forceAppended();
    }
    expired.force(subscriber);
  }

  /** Returns where {@link #beforeLedger} and the ledger's force after it run. */
  WorkerPool.Serial committer() {
    return committer;
  }

  /** Has the flusher write something of a subscriber's ledger, after what precedes it. */
  public void writeLedger(String subscriber, Runnable write) {
    flusher.execute(() -> forceThenWrite(subscriber, write));
  }

  /** As {@link #writeLedger}, but waits; throws {@link QueueFailedException} if a write failed. */
  public void writeLedgerNow(String subscriber, Runnable write) {
    FirstFailure failure = new FirstFailure();
    flusher.execute(() -> failure.run(() -> forceThenWrite(subscriber, write)));
    flusher.drain();
    Throwable cause = failure.get();
    if (cause != null) {
      throw new QueueFailedException(
          "queue " + queue + ": acknowledgements may not be on the device", cause);
    }
  }

  private void forceThenWrite(String subscriber, Runnable write) {
    forceLog();
    expired.force(subscriber);
    write.run();
  }
}
