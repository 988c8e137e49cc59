package com.wookler.river.core.subscriber;

import com.wookler.river.core.message.Message;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A durable, named reader of a queue with a position of its own.
 *
 * <p>Thread-safe: several threads may share one as competing consumers; each message goes to one of
 * them. Messages are delivered in the order of their sequences; those that are delivered again come
 * first. With {@link Order#KEY} at most one message of a key is in flight at a time.
 *
 * <p><b>Without acknowledgement</b> a message is completed when it is delivered: at most once, also
 * across a kill. <b>With acknowledgement</b> ({@link SubscriberConfig#ackRequired}) it is completed
 * by its ack, and delivered again to whichever consumer asks next when it was not acknowledged in
 * time, was given back, or was in flight when the process ended: at least once.
 *
 * <p>At the in-flight limit, or when the window is full because an old message is not completed,
 * polls return what is due again, but nothing new.
 *
 * <p>Every method but {@link #close}, {@link #name} and {@link #config} throws {@link
 * com.wookler.river.core.message.QueueClosedException} once the subscriber or the queue is closed;
 * threads that wait then are woken and get it too. Messages that are damaged are skipped and
 * reported, once; with {@link com.wookler.river.core.OnDamage#STOP} each poll there ends with a
 * {@link com.wookler.river.core.message.DamagedMessageException} until the subscriber is moved past
 * them.
 *
 * <p>A number that is out of its range is an {@link IllegalArgumentException}, which says what is
 * allowed; null, where it is not an answer, a {@link NullPointerException} with the parameter's
 * name. Nothing has happened then.
 *
 * @param <M> type of the data
 */
public interface Subscriber<M> extends AutoCloseable {
  /** Returns its name, unique in the queue. */
  String name();

  /** Returns its settings; the defaults if it is no queue's, as in a test. */
  default SubscriberConfig config() {
    return SubscriberConfig.builder(name()).build();
  }

  /**
   * Names the data that it reads: the name of its queue, and the queue's identity, which stays for
   * as long as its data does. So this and a sequence name one message for good, also where a queue
   * of the same name began anew from sequence 0. One that is no queue's has its name, if it says
   * nothing else.
   */
  default String origin() {
    return name();
  }

  /**
   * Returns this subscriber for polls by an owner, of which an exclusive one ({@link
   * SubscriberConfig#exclusive}) delivers to one at a time; what is polled here has the empty name.
   * All else is that of this subscriber, but closing it only releases the lease.
   */
  default Subscriber<M> consumer(String owner) {
    return this;
  }

  /** Returns who an exclusive subscriber delivers to; null if no owner has a lease. */
  default @Nullable Lease lease() {
    return null;
  }

  /**
   * Takes the lease for the owner that polls here, or renews it, without taking a message. Returns
   * false if another owner has it, which {@link #lease} names.
   */
  default boolean renewLease() {
    return true;
  }

  /** Releases the lease, if polls here have it: the next owner that polls, or waits, takes it. */
  default void releaseLease() {}

  /** Returns the next message, or null if there is none now. Does not wait. */
  @Nullable Delivery<M> next();

  /**
   * Returns the next message, waiting for it if there is none.
   *
   * @return null if none came in time
   * @throws InterruptedException interrupted while waiting; nothing was taken
   */
  @Nullable Delivery<M> next(Duration timeout) throws InterruptedException;

  /**
   * Returns what is there, up to a number, waiting only while there is nothing: it never waits to
   * fill the batch.
   *
   * @param max 1 or more
   * @return empty if nothing came in time
   * @throws InterruptedException interrupted while waiting; nothing was taken
   */
  List<Delivery<M>> batch(int max, Duration timeout) throws InterruptedException;

  /**
   * Takes what is there, up to a number, as {@link #batch(int, Duration)} does, and shows each
   * message in order to a handler, which answers with its acknowledgement. The handler runs on this
   * thread, without a lock. A plain message costs no object and no array: what has headers, an id,
   * an expiry or a delay, what is delivered again or comes out of a backup, and what passes a
   * filter or has a key with {@link Order#KEY} is read as other polls read it, and shown the same
   * way.
   *
   * <p>Messages are taken some at a time, up to 4 KB or 128 of them, and acknowledged together once
   * the handler has seen these; after a kill in between, all of them come again. With {@link
   * SubscriberConfig#ackDurability} {@code DISK} this waits for the device once, at the end.
   *
   * <p>If the handler throws, that is thrown here, a checked exception as the cause of a {@link
   * com.wookler.river.common.errors.RiverException}, after what it had answered before was carried
   * out. The message at which it threw counts as failed ({@link Delivery#fail}); those that were
   * taken and not shown are given back, and their attempt does not count. Without acknowledgement
   * the one at which it threw is completed, and those come with the next poll, unless the
   * subscriber is moved or closed before.
   *
   * <p>The default is for doubles, which have no views to show: it throws an {@link
   * UnsupportedOperationException}.
   *
   * @param max 1 or more
   * @return how many messages the handler has answered for; 0 if nothing came in time
   * @throws InterruptedException interrupted while waiting, and nothing was taken; or thrown by the
   *     handler
   * @throws com.wookler.river.core.message.StaleReceiptException a message was delivered again, or
   *     completed otherwise, before its answer counted; all other answers so far are carried out
   * @throws com.wookler.river.core.message.QueueClosedException it was closed before, or while the
   *     handler ran: what that had answered since the last acknowledgement comes again
   */
  default int consume(int max, Duration timeout, ViewHandler handler) throws InterruptedException {
    throw new UnsupportedOperationException("this subscriber shows no views");
  }

  /**
   * As many as {@link SubscriberConfig#batchSize}, waiting for {@link
   * SubscriberConfig#pollTimeout}.
   */
  default List<Delivery<M>> batch() throws InterruptedException {
    return batch(config().batchSize(), config().pollTimeout());
  }

  /**
   * Returns what is there, as {@link #batch(int, Duration)} gives it, without a thread that waits:
   * those who wait are served in the order in which they came, each from another thread than a
   * publisher's. What is attached to the future runs on the pool that futures use by themselves.
   *
   * <p>With a filter, which may refuse much that is there, the caller only asks: with a timeout of
   * zero the answer comes, too, when all that is there was looked at.
   *
   * <p>The future may be cancelled, or completed otherwise: no message is taken for it then. While
   * messages are being taken for it that waits for the outcome, and is refused if there are any.
   * Only the returned future itself knows; cancelling one that was derived from it loses what
   * comes.
   *
   * @param max 1 or more
   * @return completed with an empty list if nothing came in time, exceptionally with what {@code
   *     batch} would have thrown
   */
  CompletableFuture<List<Delivery<M>>> batchAsync(int max, Duration timeout);

  /**
   * As {@link #batchAsync(int, Duration)}; what is attached to the future runs as a task of an
   * executor. {@code Runnable::run} saves the change of threads, and is for what is done in
   * microseconds and waits for nothing: it runs on a thread of River's that looks for the messages
   * of others, too. What the executor refuses runs there as well.
   *
   * <p>The default is for doubles, which have no thread to change: it leaves the executor alone.
   */
  default CompletableFuture<List<Delivery<M>>> batchAsync(
      int max, Duration timeout, Executor completer) {
    return batchAsync(max, timeout);
  }

  /**
   * Looks at what would be delivered now, without changing anything: in order of sequence, what
   * waits to be delivered again and what is new, with {@link Order#KEY} one message of a key that
   * is not locked. {@link Delivery#attempt} says how often a message was delivered before; there is
   * no receipt, and acknowledgements do nothing. What has left the log is shown out of its backup,
   * which costs the reading of a frame of up to 1 MB for each run of them.
   *
   * @param max 1 or more
   */
  List<Delivery<M>> peek(int max);

  /**
   * Looks at what would be delivered now like {@link #peek(int)}, at fewer messages where their
   * data reaches {@code maxBytes}: no further one is read then. The default is for doubles, which
   * hold little.
   */
  default List<Delivery<M>> peek(int max, long maxBytes) {
    return peek(max);
  }

  /**
   * Acknowledges deliveries by their receipts, for clients that have nothing else: another process
   * perhaps. A receipt cannot be made up, works at this subscriber only, and until it is closed.
   *
   * <p>Repeating an acknowledgement that took effect is OK for as long as the subscriber remembers
   * it: the last one by receipt for each of the last messages, at least twice as many as may be in
   * flight, at most 65,536.
   *
   * @return an answer to each, in their order
   * @throws com.wookler.river.common.errors.RiverException a dead letter cannot be kept; its
   *     message is in flight again, all others are acknowledged
   */
  List<Settled> settle(Collection<String> receipts, Settlement action);

  /**
   * Publishes what continues a message and acknowledges it by its receipt: see {@link
   * Delivery#ackAndPublish}. OK, too, if what continues it was published before; stale if it was
   * acknowledged without that.
   */
  default <T> Settled ackAndPublish(
      String receipt, ContinuationTarget<T> target, List<Message<T>> messages) {
    throw new UnsupportedOperationException();
  }

  /** Completes a message; see {@link Delivery#ack}. The delivery must be of this subscriber. */
  void ack(Delivery<M> delivery);

  /**
   * Completes several messages, at the cost of one lock, and with {@link
   * SubscriberConfig#ackDurability} {@code DISK} of one force.
   *
   * @throws com.wookler.river.core.message.StaleReceiptException some were stale; all others are
   *     completed
   */
  void ack(Collection<Delivery<M>> deliveries);

  /**
   * Completes this message and everything below it that was delivered: below its {@link
   * Delivery#place}. That of a message that was delayed is where it is since it was due, so this
   * completes what was published while it waited, too; and what was published before it and is
   * still delayed stays. With {@link Order#KEY}, messages below it that wait for their key were not
   * delivered, and stay; and of a message that is completed already this does nothing.
   */
  void ackUpTo(Delivery<M> delivery);

  /**
   * Moves the position. What is before it counts as completed, everything from it on is delivered
   * anew with attempt 1; all deliveries in flight are void. Durable when it returns.
   *
   * @throws com.wookler.river.common.errors.RiverException it cannot be moved; or it was moved, but
   *     a power loss may undo it
   */
  void seek(Position position);

  /**
   * Stops delivering: polls return nothing until {@link #resume}, or until it is opened anew; what
   * is in flight may still be acknowledged.
   */
  void pause();

  /** Ends {@link #pause}. */
  void resume();

  /**
   * Skips to the end: all messages so far count as completed, also those in flight, but not delayed
   * ones that are not due. Durable when it returns. Returns how many were skipped.
   *
   * @throws com.wookler.river.common.errors.RiverException as {@link #seek}
   */
  long purge();

  /** Returns its dead letters. */
  DeadLetters<M> deadLetters();

  /**
   * Returns whether it has completed a message: acknowledged, delivered without acknowledgement,
   * refused by the filter, expired, kept as a dead letter, lost, or skipped otherwise.
   *
   * @param place {@link Delivery#place}: its sequence, unless it was delayed
   */
  default boolean isFinished(long place) {
    return place < stats().ackFloor();
  }

  /** Returns its figures, taken at one moment. */
  SubscriberStats stats();

  /**
   * Closes the object, not the subscription: the durable position stays, still keeps unfinished
   * messages in the log, and the queue opens a new object by the same name. Deliveries in flight
   * are void and come again with one attempt more. Idempotent.
   *
   * @throws com.wookler.river.core.message.QueueFailedException what it had completed may not be on
   *     the device, because that refused, or refused what expired and has to come before; it is
   *     closed all the same
   */
  @Override
  void close();
}
