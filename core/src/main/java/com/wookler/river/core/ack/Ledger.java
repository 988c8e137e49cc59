package com.wookler.river.core.ack;

/**
 * What one subscriber has been given and has finished, in memory and on disk.
 *
 * <p><b>Threads.</b> Not thread-safe: every call but {@link #force()} and {@link #forceFinished()}
 * is made under the subscriber's lock. Those two are called by the flusher without it.
 *
 * <p><b>Sequences.</b> Below {@link #floor()} everything is finished. From the floor up to {@link
 * #position()} each message is in flight, waits for its next delivery, or is finished. From the
 * position on, nothing has been looked at in this run.
 *
 * <p><b>Tickets.</b> Each hand-over returns a ticket, the proof that its holder has the latest
 * delivery of that message. A verdict with an older ticket, one from before a {@link #seek}, or one
 * from before a reopening is {@link Outcome#STALE}. A ticket is used up by {@link #release} and
 * {@link #retry}; a timeout alone doesn't void it until the message is handed over again.
 *
 * <p><b>Limit on deliveries.</b> A message that {@link Retries#maxDeliveries} deliveries did not
 * finish is spent: it is delivered no more, and finished by {@link #buried} when its dead letter is
 * safe. So is one whose holder gives it up, {@link #bury(long, long)}. All verdicts on it are
 * {@link Outcome#STALE} then.
 *
 * <p><b>Order of keys.</b> With {@link Limits#byKey}, at most one message of a key is out: from its
 * hand-over until it is finished, through all its further deliveries and its dead letter, the later
 * ones of that key that are read wait, in the order of their sequences, within the window. Keys are
 * 64-bit hashes; two with the same hash count as one. {@link #acknowledgeUpTo} leaves those that
 * wait: nobody has seen them.
 *
 * <p><b>Durability.</b> What a method has changed survives the death of the process once it
 * returned: the mark of what was handed over, each acknowledgement, each attempt. It survives a
 * power loss once {@link #force()} has run after it; {@link #seek} is forced before it returns.
 * After a reopening, everything unfinished is available at once, with one attempt more than before;
 * but what is delayed, by {@link #retry} or after a timeout, only when its time has come. If the
 * clock was set forward meanwhile that is sooner, and if it was set back, the message waits no
 * longer than was asked for when the subscriber gets to it again, in full seconds. A delay of more
 * than eight years ends eight years behind the reopening.
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
  /** The highest attempt that is told apart; further ones stay at it. */
  int MAX_ATTEMPT = Ticket.MAX_ATTEMPT;

  /** In place of a key, of a message without. */
  long NO_KEY = KeyOrder.NONE;

  /** In place of a ticket: the message is not handed over now. */
  long NOT_NOW = -1;

  /** The attempt that a ticket stands for: 1 for the first delivery of a message. */
  static int attempt(long ticket) {
    return Ticket.attempt(ticket);
  }

  /**
   * The ack floor: the lowest sequence that isn't finished. Never decreases, except by {@link
   * #seek}.
   */
  long floor();

  /** Takes other limits, but for the order, which is fixed. */
  void limit(Limits to);

  /**
   * The next sequence to read from the log; passes by itself what was finished before a restart.
   */
  long position();

  /**
   * Whether the message at {@link #position()} may be handed over now: in-flight limit and window
   * leave room.
   */
  boolean hasRoom();

  /**
   * Takes the message at {@link #position()} into flight and moves the position on. The mark of
   * what was handed over is written before this returns, so that a message that kills the process
   * is known to have been tried.
   *
   * @param sequence must be {@link #position()}
   * @param location where the log has it; kept for {@link #location}
   * @return the ticket: attempt 1, or one more than before if it had been handed over in an earlier
   *     run
   * @throws IllegalStateException without {@link #hasRoom()}
   */
  long handOver(long sequence, long location, long nowMillis);

  /**
   * Likewise in the order of keys: moves the position on in any case, and hands the message over
   * unless an earlier one of its key is unfinished, for which it waits, or its deliveries are used
   * up, so that it is among {@link #nextSpent}, or it is delayed since an earlier run.
   *
   * @param key a hash of its key; {@link #NO_KEY} without
   * @return the ticket, or {@link #NOT_NOW}
   * @throws IllegalStateException without {@link #hasRoom()}, or without {@link Limits#byKey}
   */
  long handOver(long sequence, long location, long key, long nowMillis);

  /** Whether a message with this key that is read now would wait. */
  boolean isBusy(long key);

  /**
   * Whether a message that waited for its key has become available, or spent, since this was asked
   * last: no publish tells.
   */
  boolean hasGoneOn();

  /**
   * Finishes, without a delivery, what lies from {@link #position()} up to but not including {@code
   * end}: a gap in the log, or messages that are gone or were refused. Goes as far as the window
   * allows.
   *
   * @return the position then; less than {@code end} if the window is full: call again when the
   *     floor has moved
   */
  long skip(long end);

  /**
   * Finishes everything below {@code end}, whether it was handed over or not: it is to be given up,
   * or gone. Verdicts on what was out are {@link Outcome#STALE} then.
   *
   * @return how many messages that finished
   */
  long discard(long end);

  /** Finishes a message. Also counts after its timeout, as long as it wasn't handed over again. */
  Outcome acknowledge(long sequence, long ticket);

  /**
   * Finishes this message and everything below it that was handed over. In the order of keys, does
   * nothing if this one is finished already: what was handed over since is not meant.
   */
  Outcome acknowledgeUpTo(long sequence, long ticket);

  /** Gives a message back unprocessed: available again at once, and this attempt doesn't count. */
  Outcome release(long sequence, long ticket);

  /** Gives a message back to be tried again after a delay; the attempt counts. */
  Outcome retry(long sequence, long ticket, long delayMillis, long nowMillis);

  /**
   * Gives the holder more time: {@code millis} from now on, but not beyond {@code latestMillis}. A
   * message that has timed out and hasn't been handed over again is in flight again then.
   */
  Outcome extend(long sequence, long ticket, long millis, long nowMillis, long latestMillis);

  /**
   * Makes available what is overdue: in flight for longer than its timeout, or delayed until now.
   * What timed out waits for {@link Retries#delayMillis} first, or is spent. Does a bounded amount
   * of work; if {@link #nextDueMillis()} isn't in the future afterwards, there is more.
   *
   * @return how many messages became available
   */
  int expire(long nowMillis);

  /**
   * The sequence that should be handed over next as a redelivery; -1 if none waits or the in-flight
   * limit is reached.
   */
  long nextReady();

  /**
   * Where the log has a message, as {@link #handOver} was told; for sequences from the floor up to
   * the position. 0 for one that was never told: see {@link #passPostponed} and {@link #skipSpent}.
   */
  long location(long sequence);

  /**
   * Hands over once more: takes {@link #nextReady()} into flight with a new ticket and, unless it
   * had been released, one attempt more. The attempt is in the journal before this returns.
   *
   * @param sequence must be {@link #nextReady()}
   */
  long redeliver(long sequence, long nowMillis);

  /**
   * Takes the message at {@link #position()} out of delivery, and moves the position on, if the
   * deliveries of earlier runs have used it up; it is among {@link #nextSpent} then.
   *
   * @return whether it did
   */
  boolean skipSpent();

  /**
   * Moves the position over the message there if it is delayed since an earlier run: it becomes
   * available when its time has come. In the order of keys {@link #handOver(long, long, long,
   * long)} does so.
   *
   * @return whether it did
   */
  boolean passPostponed(long nowMillis);

  /** A message whose deliveries are used up; -1 if there is none. */
  long nextSpent();

  /**
   * Takes {@link #nextSpent} for its dead letter to be written.
   *
   * @return the ticket for {@link #buried} or {@link #exhume}
   */
  long bury(long sequence);

  /**
   * Takes a message out of delivery for its dead letter to be written, because its holder gives it
   * up. The ticket is then good for {@link #buried} and {@link #exhume} only.
   */
  Outcome bury(long sequence, long ticket);

  /**
   * Finishes a message whose dead letter is safe.
   *
   * @return false if it is finished or moved over otherwise
   */
  boolean buried(long sequence, long ticket);

  /**
   * Undoes {@link #bury}, because the dead letter could not be written: what is spent is that
   * again, the rest is in flight again, with the ticket it had.
   */
  void exhume(long sequence, long ticket, long nowMillis);

  /**
   * Finishes one message, whatever was known of it: one whose dead letter an earlier run has
   * written, before anything is handed over; or one that expired while it waited for a delivery, or
   * was lost meanwhile.
   *
   * @return false if it was finished
   */
  boolean finish(long sequence);

  /** Whether a message is finished, however that came. */
  boolean isFinished(long sequence);

  /** Deliveries of an unfinished message that count. */
  int attempts(long sequence);

  /**
   * The lowest sequence, from this one on, that waits for a delivery, or has not been looked at in
   * this run. Looks at every entry of the window in the worst case.
   */
  long available(long from);

  /** Whether one that has not been looked at in this run is delayed since an earlier one. */
  boolean isPostponed(long sequence, long nowMillis);

  /**
   * When the earliest message in flight or delayed falls due; {@link Long#MAX_VALUE} if there is
   * none.
   */
  long nextDueMillis();

  /**
   * Moves the subscriber: floor and position are this sequence then, everything below counts as
   * finished and everything from it on as never delivered. All tickets are void. Durable, also
   * against power loss, before it returns.
   *
   * @throws com.wookler.river.common.errors.RiverException if it cannot be written; nothing has
   *     changed then
   */
  void seek(long sequence);

  /** Messages in flight. */
  int inFlight();

  /** Messages that are available for a further delivery. */
  int ready();

  /** Messages below {@link #position()} that wait for the end of a delay. */
  int delayed();

  /** Messages that wait for their key: read, and never handed over in this run. */
  int waiting();

  /**
   * Finished messages above the floor: they are kept in memory until what lies below them is
   * finished.
   */
  long finishedAboveFloor();

  /**
   * Messages below {@link #position()} that aren't finished: in flight, available, delayed, waiting
   * for their key, or on their way to a dead letter.
   */
  long unfinished();

  /** Further deliveries in this run, those of messages handed over before a restart included. */
  long redelivered();

  /** Deliveries that timed out in this run. */
  long timedOut();

  /**
   * Changes of this run that could not be written because the disk is full or failing, and would be
   * lost by a kill; they count 0 again once a later snapshot has caught up.
   */
  long unjournaled();

  /** What was found on disk at the opening. */
  RecoveryReport recovery();

  /**
   * Forces to the device what was written since the last call; returns at once if nothing was.
   * Called by the flusher, at the queue's sync interval and after the log itself was forced,
   * without the subscriber's lock. Does nothing after {@link #close()}.
   *
   * @throws com.wookler.river.common.errors.RiverException if the device refuses
   */
  void force();

  /**
   * Likewise, but only what is finished and how often the others were handed over: what an
   * acknowledgement waits for that must survive a power loss. The mark of what was handed over is
   * left to {@link #force()}.
   *
   * @throws com.wookler.river.common.errors.RiverException if the device refuses
   */
  void forceFinished();

  /**
   * Ends all use of the files and unmaps them; waits for a snapshot that is being written. Forces
   * nothing.
   */
  @Override
  void close();
}
