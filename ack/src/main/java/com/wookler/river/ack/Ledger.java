package com.wookler.river.ack;

import java.util.function.LongSupplier;

/**
 * Keeps, in memory and on disk, which messages were delivered to one subscriber and which are
 * completed.
 *
 * <p><b>Threads.</b> Not thread-safe: every call but {@link #force()} and {@link #forceCompleted()}
 * is made under the subscriber's lock. Those two are called by the flusher without it.
 *
 * <p><b>Sequences.</b> Below {@link #lowWatermark()} everything is completed. From the low
 * watermark up to {@link #position()} each message is in flight, waits for its next delivery, or is
 * completed. From the position on, nothing has been looked at in this run.
 *
 * <p><b>Delivery tags.</b> Each delivery returns a delivery tag, the proof that its holder has the
 * latest delivery of that message. An acknowledgement with an older delivery tag, one from before a
 * {@link #seek}, or one from before a reopening is {@link AckResult#STALE}. A delivery tag is used
 * up by {@link #release} and {@link #retry}; a timeout alone doesn't void it until the message is
 * delivered again.
 *
 * <p><b>Limit on deliveries.</b> A message that {@link Retries#maxDeliveries} deliveries did not
 * complete is exhausted: it is delivered no more, and completed by {@link #completeDeadLetter} when
 * its dead letter is safe. So is one whose holder gives it up, {@link #startDeadLetter(long,
 * long)}. All acknowledgements on it are {@link AckResult#STALE} then.
 *
 * <p><b>Order by key.</b> With {@link Limits#byKey}, at most one message of a key is in flight:
 * from its delivery until it is completed, through all its further deliveries and its dead letter,
 * the later ones of that key that are read wait, in the order of their sequences, within the
 * window. Keys are 64-bit hashes; two with the same hash count as one. {@link #acknowledgeUpTo}
 * leaves those that wait: they were not delivered.
 *
 * <p><b>Durability.</b> What a method has changed survives the death of the process once it
 * returned: the end of what was delivered, each acknowledgement, each attempt. It survives a power
 * loss once {@link #force()} has run after it; {@link #seek} is forced before it returns. After a
 * reopening, everything unfinished is available at once, with one attempt more than before; but
 * what is delayed, by {@link #retry} or after a timeout, only when its time has come. If the clock
 * was set forward meanwhile that is sooner, and if it was set back, the message waits no longer
 * than was asked for when the subscriber gets to it again, in full seconds. A message whose time
 * had come, but that was not delivered since, may then wait again, as long at most. A delay of more
 * than eight years ends eight years after the reopening.
 *
 * <p><b>Cost.</b> Every call is O(1), amortised, at any backlog, and allocates nothing per message.
 *
 * <p><b>Time.</b> {@code nowMillis} are milliseconds since 1970 by a clock that never goes back
 * within a run.
 *
 * <p>After {@link #close()} every method but {@code close}, {@code recovery} and the two that force
 * throws {@link IllegalStateException}.
 */
public interface Ledger extends AutoCloseable {
  /** The highest attempt that is counted. */
  int MAX_ATTEMPT = DeliveryTag.MAX_ATTEMPT;

  /** In place of a key, of a message without. */
  long NO_KEY = KeyOrder.NONE;

  /** Returned in place of a delivery tag: the message is not delivered now. */
  long NOT_NOW = -1;

  /** Returns the attempt of a delivery tag: 1 for the first delivery of a message. */
  static int attempt(long tag) {
    return DeliveryTag.attempt(tag);
  }

  /** Returns the lowest sequence that isn't completed; it decreases by {@link #seek} only. */
  long lowWatermark();

  /** Replaces the limits, except the order, which is fixed. */
  void limit(Limits to);

  /**
   * Has delays outlive this run by the wall clock, as the next run reads it.
   *
   * @param aheadMillis returns by how much it is ahead of {@code nowMillis}, as after it was set
   */
  default void wallClock(LongSupplier aheadMillis) {}

  /** Returns the next sequence to read from the log, past what was completed before a restart. */
  long position();

  /** Returns whether limit and window allow to deliver the message at {@link #position()} now. */
  boolean canDeliver();

  /**
   * Delivers the message at {@link #position()}, if {@link #canDeliver()}, and advances the
   * position. The end of what was delivered is written before this returns, so that a message that
   * kills the process is known to have been tried.
   *
   * @param address where the log has it; kept for {@link #address}
   * @return the delivery tag: attempt 1, or one more than before if an earlier run delivered it
   */
  default long deliver(long sequence, long address, long nowMillis) {
    long tag = deliverNext(sequence, address, nowMillis);
    writeDelivered();
    return tag;
  }

  /**
   * Delivers the message at {@link #position()} as {@link #deliver(long, long, long)} does, but
   * leaves the end of what was delivered to {@link #writeDelivered}, once for several messages.
   */
  long deliverNext(long sequence, long address, long nowMillis);

  /**
   * Writes the end of what {@link #deliverNext} has delivered. To be called before a consumer has
   * any of these messages, and before the lock is released. If it throws, a ledger without
   * acknowledgement has delivered none of them.
   */
  void writeDelivered();

  /**
   * Delivers the message at {@link #position()} with order by key, and advances the position in any
   * case. The message is not delivered if an earlier one of its key is unfinished, for which it
   * waits; if it has reached the delivery limit, so that {@link #nextExhausted} returns it; or if
   * it is delayed since an earlier run.
   *
   * @param key a hash of its key; {@link #NO_KEY} without
   * @return the delivery tag, or {@link #NOT_NOW}
   */
  long deliver(long sequence, long address, long key, long nowMillis);

  /** Returns whether a message with this key would wait if it were read now. */
  boolean isLocked(long key);

  /** Returns whether a message was unlocked since the last call; no publish notifies of that. */
  boolean pollUnlocked();

  /**
   * Completes, without a delivery, what lies from {@link #position()} up to {@code end}, as far as
   * the window allows: a gap in the log, or messages that are lost or were filtered. Returns the
   * position then; if it is below {@code end}, call again when the low watermark has moved.
   */
  long skip(long end);

  /**
   * Completes everything below {@code end}, delivered or not, because it is discarded or lost, and
   * returns how many. Acknowledgements on what was in flight are then {@link AckResult#STALE}.
   */
  long discard(long end);

  /** Completes a message. Also counts after its timeout, as long as it wasn't delivered again. */
  AckResult acknowledge(long sequence, long tag);

  /**
   * Completes a run of messages by their delivery tags, up to the first that {@link
   * #acknowledge(long, long)} would not answer {@link AckResult#DONE}; costs one journal entry.
   *
   * @param tags of the messages from {@code first} on, from index {@code from} on
   * @return how many were completed
   */
  int acknowledge(long first, long[] tags, int from, int count);

  /**
   * Completes this message and everything below it that was delivered. With order by key, does
   * nothing if this one is completed already: what was delivered since is not meant.
   */
  AckResult acknowledgeUpTo(long sequence, long tag);

  /** Gives a message back unprocessed: available again at once, and this attempt doesn't count. */
  AckResult release(long sequence, long tag);

  /**
   * Takes back all that is in flight, to be delivered again at once; the attempts count. All
   * delivery tags before are used up, but to complete or cancel dead letters that were begun: what
   * is cancelled is delivered again at once too. Does nothing without acknowledgement.
   */
  default void takeBack() {}

  /** Gives a message back to be tried again after a delay; the attempt counts. */
  AckResult retry(long sequence, long tag, long delayMillis, long nowMillis);

  /**
   * Gives the holder more time: {@code millis} from now on, but not beyond {@code latestMillis}. A
   * message that has timed out and hasn't been delivered again is in flight again then.
   */
  AckResult extend(long sequence, long tag, long millis, long nowMillis, long latestMillis);

  /**
   * Makes available what is overdue: in flight for longer than its timeout, or delayed until now.
   * What timed out waits for {@link Retries#delayMillis} first, or is exhausted. Does a bounded
   * amount of work; what is left is due by {@link #nextDueMillis()}. Returns how many became
   * available.
   */
  int collectTimedOut(long nowMillis);

  /** Returns the sequence to redeliver next; -1 if none, or the in-flight limit is reached. */
  long nextReady();

  /** Returns the address that {@link #deliver} got for a sequence below the position; 0: none. */
  long address(long sequence);

  /**
   * Takes this sequence, which is {@link #nextReady()}, into flight with a new delivery tag and,
   * unless it was released, one attempt more, which is in the journal when this returns.
   */
  long redeliver(long sequence, long nowMillis);

  /** Moves the position over a message that earlier runs have exhausted; returns whether it did. */
  boolean skipExhausted();

  /**
   * Moves the position over a message that is delayed since an earlier run, until its time; returns
   * whether it did. {@link #deliver(long, long, long, long)} does so itself.
   */
  boolean skipPostponed(long nowMillis);

  /** Returns a message that has reached the delivery limit; -1 if there is none. */
  long nextExhausted();

  /** Begins the dead letter of {@link #nextExhausted}; returns the delivery tag to end it with. */
  long startDeadLetter(long sequence);

  /**
   * Begins the dead letter of a message that its consumer has rejected. The delivery tag is then
   * good only for {@link #completeDeadLetter} and {@link #cancelDeadLetter}.
   */
  AckResult startDeadLetter(long sequence, long tag);

  /**
   * Completes a message whose dead letter is safe, and uses its delivery tags up; false if it is
   * completed otherwise.
   */
  boolean completeDeadLetter(long sequence, long tag);

  /**
   * Undoes {@link #startDeadLetter}, because the dead letter could not be written: what is
   * exhausted is that again, the rest is in flight again, with the delivery tag it had, unless it
   * was {@link #takeBack taken back} since.
   */
  void cancelDeadLetter(long sequence, long tag, long nowMillis);

  /**
   * Completes one message, whatever was known of it: an earlier run has written its dead letter, it
   * expired before a delivery, or it was lost. Its delivery tags are used up. Returns false if it
   * was completed.
   */
  boolean complete(long sequence);

  /**
   * Completes a message that was read and waits for a further delivery, and uses its delivery tags
   * up. One that is in flight, or waits for its key, is left as it is.
   *
   * @return the state in which it was; below the low watermark completed, and from {@link
   *     #position()} on unseen, unless it is completed
   */
  EntryState withdraw(long sequence);

  /** Returns whether a message is completed, for whatever reason. */
  boolean isCompleted(long sequence);

  /** Returns the number of deliveries of an unfinished message that count. */
  int attempts(long sequence);

  /**
   * Returns the lowest sequence, from this one on, that waits for a delivery, or has not been
   * looked at in this run. Looks at every entry of the window in the worst case.
   */
  long available(long from);

  /** Returns whether a message that was not read in this run is delayed since an earlier run. */
  boolean isPostponed(long sequence, long nowMillis);

  /** Returns when the first message in flight or delayed is due; {@link Long#MAX_VALUE}: none. */
  long nextDueMillis();

  /**
   * Moves the subscriber to a sequence: everything below it counts as completed, everything from it
   * on as never delivered, and all delivery tags become void. Durable, also against power loss,
   * when it returns; if it throws, nothing has changed.
   */
  void seek(long sequence);

  /** Returns how many messages are in a state; completed ones only above the low watermark. */
  int count(EntryState state);

  /** Returns the number of messages below {@link #position()} that aren't completed. */
  long unfinished();

  /** Returns the number of redeliveries in this run, also of what earlier runs delivered first. */
  long redelivered();

  /** Returns the number of deliveries that timed out in this run. */
  long timedOut();

  /**
   * Returns the number of changes of this run that could not be written because the disk is full or
   * failing, and would be lost by a kill. It is 0 again after a later snapshot.
   */
  long unjournaled();

  /** Returns what was found on disk at the opening. */
  RecoveryReport recovery();

  /**
   * Forces to the device what was written since the last call. Called by the flusher, at the sync
   * interval and after the log was forced, without the subscriber's lock. Does nothing after {@link
   * #close()}.
   */
  void force();

  /**
   * Forces which messages are completed and how often the others were delivered, but not the end of
   * what was delivered. An acknowledgement that must survive a power loss waits for this.
   */
  void forceCompleted();

  /** Runs a task while nothing changes the files. */
  default void whileStill(Runnable task) {
    task.run(); // under the subscriber's lock
  }

  /** Ends all use of the files, forcing nothing; waits for a snapshot that is being written. */
  @Override
  void close();
}
