package com.wookler.river.core;

import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.TransferTarget;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds an optional part to every queue. Found by {@link java.util.ServiceLoader}; the module
 * river-forward brings one, for {@code queue.forward}, expiry queues and dead letters.
 */
public interface QueueExtension {
  /**
   * Checks the name of another queue that a queue transfers messages to.
   *
   * @param what has named it
   * @throws com.wookler.river.common.errors.ConfigurationException it is no queue's name, or the
   *     queue itself
   */
  static void checkOther(String queue, String what, String other) {
    QueueConfig.checkOther(queue, what, other);
  }

  /** What the part of an extension is configured with; see {@link MessageQueue.Builder#with}. */
  interface Setting {
    /**
     * Checks that it fits the queue.
     *
     * @throws com.wookler.river.common.errors.ConfigurationException it does not
     */
    void check(String queue, Settings settings);
  }

  /** Returns the names of the further elements of a {@code <queue>} that it reads. */
  default List<String> elements() {
    return List.of();
  }

  /**
   * Reads these elements of a queue, if there are any. Touches nothing on disk.
   *
   * @throws com.wookler.river.common.errors.ConfigurationException something in them is wrong
   */
  default List<Setting> configure(ConfigNode queue) {
    return List.of();
  }

  /**
   * Opens its part of a queue, before the queue's subscribers. Nothing stays open if this throws.
   * One extension serves all queues of the JVM, several of which may open at once.
   *
   * @throws com.wookler.river.common.errors.RiverException the queue cannot be opened
   */
  Part open(Context queue);

  /**
   * A queue that is being opened, as its parts see it.
   *
   * @param own its name, directory and log
   * @param target takes messages of other queues
   * @param settings returns the settings of now; some change while the queue runs
   * @param expiryQueues returns the queues that take what expires, as the queue and its subscribers
   *     name them now
   * @param given of all extensions, what the builder or XML has said
   * @param deadLetters returns the dead letters of a subscriber that is open; null if it is not
   * @param passOver returns where the log continues after lost messages; the same sequence if that
   *     is not known
   * @param workers makes serial executors on the worker, at any time; they are released after the
   *     part is closed
   */
  record Context(
      Endpoint own,
      TransferTarget target,
      Supplier<Settings> settings,
      Supplier<List<String>> expiryQueues,
      List<Setting> given,
      Function<String, @Nullable DeadLetters<?>> deadLetters,
      LongUnaryOperator passOver,
      Supplier<WorkerPool.Serial> workers) {}

  /**
   * A part of a queue: it may read the log, keep its blocks, and take what expires. Thread-safe.
   */
  interface Part extends ExpiredMessages, AutoCloseable {
    /**
     * Checks the names of queues that are to take what expires in this one.
     *
     * @throws com.wookler.river.common.errors.ConfigurationException it would come back to this one
     */
    default void refuseCycle(List<String> expiryQueues) {}

    /** Begins its work: the queue accepts messages from now on. */
    void start();

    /**
     * Ends its work, before anything else of the queue is closed; called though it did not start.
     */
    void stop();

    /** Closes, after the subscribers; the log is still open, and nothing is appended any more. */
    @Override
    void close();

    /** Returns what it passes to elsewhere now. */
    default List<Transfer> transfers() {
      return List.of();
    }

    /** Moves dead letters of a subscriber to another queue, as far as that takes them now. */
    default void transfer(String subscriber, DeadLetters<?> letters, String target) {}

    /** Returns the lower of the low watermark of the subscribers, if there are any, and its own. */
    OptionalLong lower(OptionalLong lowWatermark);

    /** Returns whether it needs nothing below this sequence. */
    boolean havePassed(long sequence);

    /** Gives up what is below a sequence: the log is going to lose it. */
    void discard(long end);

    /** Returns how many messages it gave up since the queue was opened. */
    long discarded();

    /** Closes a block that leaves the log. */
    void leave(int block);
  }
}
