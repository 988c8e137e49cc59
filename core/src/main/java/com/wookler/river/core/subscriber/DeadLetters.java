package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.StoredMessage;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * The dead letters of a subscriber: a queue of its own, {@code <queue>.<subscriber>.dead}, in the
 * subscriber's directory.
 *
 * <p>A message comes here when its last delivery failed ({@link SubscriberConfig#maxDeliveries}),
 * or when its holder {@link Delivery#reject rejects} it. It counts as completed for the subscriber
 * once it is here and on the device; after a crash in between it is here once. Nothing is made
 * before the first one comes.
 *
 * <p>A letter has the data, the key and the headers of its message, and the headers named here, as
 * text in UTF-8. Names that begin with {@code river.} are River's own: what a publisher sets under
 * them may be replaced.
 *
 * <p>Dead letters go with what they belong to: {@code removeSubscriber} and {@code delete} remove
 * them too. They are not archived: what was redriven or purged is deleted.
 *
 * <p>Thread-safe. Every method throws {@link com.wookler.river.core.message.QueueClosedException}
 * once the subscriber or the queue is closed.
 *
 * @param <M> type of the data
 */
public interface DeadLetters<M> {
  /** What the names of all headers begin with that a dead letter adds. */
  String PREFIX = "river.dead.";

  /** Name of the queue that the message was published to. */
  String QUEUE = PREFIX + "queue";

  /** Name of the subscriber whose dead letter it is. */
  String SUBSCRIBER = PREFIX + "subscriber";

  /** The message's sequence in that queue, decimal. */
  String SEQUENCE = PREFIX + "sequence";

  /** Of a message that was delayed: the place of the re-enqueued copy, decimal. */
  String PLACE = PREFIX + "place";

  /** When it was published there, such as {@code 2026-11-20T10:15:00.123456Z}. */
  String PUBLISHED = PREFIX + "published";

  /** How many deliveries it had, decimal. */
  String ATTEMPTS = PREFIX + "attempts";

  /**
   * Why: the reason of {@link Delivery#reject}, what its processing threw, {@code nack}, or {@code
   * not acknowledged}.
   */
  String REASON = PREFIX + "reason";

  /** Class of the exception that was passed to {@link Delivery#fail}; only then. */
  String EXCEPTION = PREFIX + "exception";

  /**
   * The deliveries of which it is known why they failed, the last 16, as JSON: {@link
   * DeadLetter#failures} reads it. One that nothing was said of, because its holder was silent or
   * its process ended, is not among them; nor what failed before the subscriber was opened.
   */
  String FAILURES = PREFIX + "failures";

  /** Of a redriven message: the subscriber that it is for; for all others it is completed. */
  String REDRIVEN_TO = "river.redriven.to";

  /** Of a redriven message: the sequence that it had before, decimal. */
  String REDRIVEN_FROM = "river.redriven.from";

  /** Name of the queue that they form; empty where they form none, as in a test. */
  default String name() {
    return "";
  }

  /** Returns how many there are. */
  long size();

  /**
   * Returns the oldest ones, without changing anything. {@link Delivery#sequence} is that in the
   * dead letters' queue, {@link Delivery#publishedAt} the time when it became a dead letter; there
   * is nothing to acknowledge.
   *
   * @param max 1 or more
   */
  List<Delivery<M>> peek(int max);

  /**
   * Returns the oldest ones like {@link #peek(int)}, fewer where their data reaches {@code
   * maxBytes}: no further one is read then.
   */
  default List<Delivery<M>> peek(int max, long maxBytes) {
    return peek(max);
  }

  /**
   * Publishes the oldest ones anew to the queue that they come from, for this subscriber only, and
   * takes them out of here: with the same data, key and headers but those of a dead letter, a new
   * sequence after all that is there, and attempts counted anew. Such a message is never the last
   * of its key, for which it is too old.
   *
   * <p>Goes in steps of up to 64, each on the device before it is taken out of here, so that it can
   * be interrupted and called again at any time; after a crash within a step the messages of that
   * step come twice.
   *
   * <p>Where the queue has no capacity, it waits as a publisher would, and then goes as far as it
   * can.
   *
   * @param max how many at most, 1 or more
   * @return how many
   * @throws com.wookler.river.core.message.QueueFullException there is no capacity for one
   */
  int redrive(int max);

  /**
   * Redrives at a limited rate; ends early when the thread is interrupted, whose flag stays set.
   * Dead letters that are no queue's, as in a test, know no pace if they say nothing else.
   *
   * @param perSecond how many a second at most; 0: as fast as it goes
   */
  default int redrive(int max, int perSecond) {
    return redrive(max);
  }

  /** Transfers letters to another queue. */
  @FunctionalInterface
  interface Mover {
    /**
     * Transfers some of these letters, in the order of their sequences, and returns those
     * sequences; they are on the device in the other queue by then. Must not use these dead
     * letters.
     *
     * @param queue the identity of the dead letters' queue
     */
    Set<Long> move(UUID queue, List<StoredMessage> letters);
  }

  /**
   * Shows letters that are on the device to a mover, from a sequence of the dead letters' queue on,
   * and takes out those that it transfers; that is on the device when this returns. Nothing else
   * redrives, drops or purges letters meanwhile. For extensions such as river-forward: a letter
   * that is transferred in the moment of a crash is shown again.
   *
   * <p>It reaches 1,048,576 letters beyond the oldest one that is here.
   *
   * @param max how many are shown at most
   * @return the sequence after the last letter that was shown; -1 if there is none
   */
  default long move(long from, int max, Mover mover) {
    return -1;
  }

  /** Forces the letters, and returns the sequence after the last one in their queue. */
  default long forcedEnd() {
    return 0;
  }

  /**
   * Drops one letter, on the device when this returns, and returns whether it was here. Of more
   * than 1,048,576 letters it finds the oldest ones only, as {@link #move} does.
   *
   * @param sequence in the dead letters' queue
   */
  default boolean remove(long sequence) {
    boolean[] found = new boolean[1];
    long unused =
        move(
            sequence,
            1,
            (queue, letters) -> {
              found[0] = letters.get(0).sequence() == sequence;
              return found[0] ? Set.of(sequence) : Set.of();
            });
    return found[0];
  }

  /** Drops all dead letters that are here now, and returns how many. */
  long purge();
}
