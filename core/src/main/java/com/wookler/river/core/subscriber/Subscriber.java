package com.wookler.river.core.subscriber;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A durable, named reader of a queue with a read pointer of its own.
 *
 * <p>Thread-safe: several threads may share one as competing consumers; each message goes to one of
 * them. Without keys messages are handed over in the order of their sequences; those that are
 * delivered again come first.
 *
 * <p><b>Without acknowledgement</b> a message is finished when it is handed over: at most once,
 * also across a kill. <b>With acknowledgement</b> ({@link SubscriberConfig#ackRequired}) it is
 * finished by its ack, and delivered again to whichever consumer asks next when it was not
 * acknowledged in time, was given back, or was out when the process ended: at least once.
 *
 * <p>At the in-flight limit, or when the window is full because an old message is not finished,
 * polls return what is due again, but nothing new.
 *
 * <p>Every method but {@link #close}, {@link #name} and {@link #config} throws {@link
 * com.wookler.river.core.message.QueueClosedException} once the subscriber or the queue is closed;
 * threads that wait then are woken and get it too. Bytes that are not what was published are a
 * {@link com.wookler.river.core.message.DamagedMessageException} at each call until the subscriber
 * is moved past them.
 *
 * @param <M> type of the data
 */
public interface Subscriber<M> extends AutoCloseable {
  /** Its name, unique in the queue. */
  String name();

  /** The settings it works with. */
  SubscriberConfig config();

  /** The next message, or null if there is none now. Does not wait. */
  @Nullable Delivery<M> next();

  /**
   * The next message, waiting for it if there is none.
   *
   * @return null if none came in time
   * @throws InterruptedException interrupted while waiting; nothing was taken
   */
  @Nullable Delivery<M> next(Duration timeout) throws InterruptedException;

  /**
   * What is there, up to a number, waiting only while there is nothing: it never waits to fill the
   * batch.
   *
   * @param max 1 or more
   * @return empty if nothing came in time
   * @throws InterruptedException interrupted while waiting; nothing was taken
   */
  List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException;

  /**
   * As many as {@link SubscriberConfig#batchSize}, waiting for {@link
   * SubscriberConfig#pollTimeout}.
   */
  List<Delivery<M>> batch() throws InterruptedException;

  /** Finishes a message; see {@link Delivery#ack}. The delivery must be of this subscriber. */
  void ack(Delivery<M> delivery);

  /**
   * Finishes several messages, at the cost of one lock, and with {@link
   * SubscriberConfig#ackDurability} {@code DISK} of one force.
   *
   * @throws com.wookler.river.core.message.StaleReceiptException some were stale; all others are
   *     finished
   */
  void ack(Collection<? extends Delivery<M>> deliveries);

  /** Finishes this message and everything handed over before it. */
  void ackUpTo(Delivery<M> delivery);

  /**
   * Moves the read pointer. What lies before it counts as finished, everything from it on is
   * delivered anew with attempt 1; all deliveries that are out are void. Durable when it returns.
   */
  void seek(Position position);

  /**
   * Stops handing over: polls return nothing until {@link #resume}; what is out may still be
   * acknowledged.
   */
  void pause();

  /** Ends {@link #pause}. */
  void resume();

  /**
   * Skips to the end: all messages so far count as finished, also those that are out.
   *
   * @return how many were skipped
   */
  long purge();

  /** The messages that it gave up. */
  DeadLetters<M> deadLetters();

  /** Where it stands. */
  SubscriberStats stats();

  /**
   * Gives the object up, not the subscription: the durable pointer stays, still keeps unfinished
   * messages in the log, and the queue opens a new object by the same name. Deliveries that are out
   * are void and come again with one attempt more. Idempotent.
   */
  @Override
  void close();
}
