package com.wookler.river.test;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.Processor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler with many seeds, each of which makes faults at other deliveries, and checks an
 * invariant after each run. Each run has a queue and a clock of its own, publishes some messages,
 * and delivers them until all are completed.
 *
 * <pre>{@code
 * RiverChaos.of(Billing::new)
 *     .seeds(1, 1_000)
 *     .check(run -> assertEquals(20, run.handler().invoices().size()));
 * }</pre>
 *
 * <p>The same seed makes the same run: its {@link #trace} is the same, byte for byte, if the
 * handler does the same for the same messages. For the first seed that fails, messages and faults
 * are left out as long as the invariant fails without them, with this seed or one of the next, and
 * the trace of what is left is in the error.
 *
 * @param <M> type of the data
 * @param <P> type of the handler
 */
public final class RiverChaos<M, P extends Processor<M>> {
  static final String SUBSCRIBER = "handler";

  private static final int MESSAGES = 20;
  private static final int TRIES = 10; // seeds, to find a shorter trace
  private static final int KEYS = 4;
  private static final int MOST_STEPS = 100; // for each message
  private static final double SHARE = 0.3; // of deliveries that have a fault
  private static final Duration LONGEST_WAIT = Duration.ofDays(366);

  private final MessageConverter<M> converter;
  private final Supplier<? extends P> handlers;
  private final boolean anew;
  private List<Message<M>> messages;
  private UnaryOperator<SubscriberConfig.Builder> subscriber = settings -> settings;
  private UnaryOperator<MessageQueue.Builder<M>> queue = settings -> settings;
  private Set<Fault> faults = EnumSet.complementOf(EnumSet.of(Fault.NONE));
  private @Nullable Runnable before;
  private @Nullable Path directory;
  private long first = 1;
  private long last = 100;

  /**
   * What holds after each run, whatever went wrong in it.
   *
   * @param <M> type of the data
   * @param <P> type of the handler
   */
  @FunctionalInterface
  public interface Invariant<M, P> {
    /**
     * Checks a run.
     *
     * @throws Exception or an error, such as of an assertion: it does not hold
     */
    void check(ChaosRun<M, P> run) throws Exception;
  }

  private RiverChaos(
      MessageConverter<M> converter,
      Supplier<? extends P> handlers,
      boolean anew,
      List<Message<M>> messages) {
    this.converter = Objects.requireNonNull(converter, "converter");
    this.handlers = Objects.requireNonNull(handlers, "handlers");
    this.anew = anew;
    this.messages = messages;
  }

  /**
   * Runs one handler of texts for all seeds. What it keeps has to be reset by {@link #before}, else
   * the error has the whole trace, with nothing left out.
   */
  public static RiverChaos<String, Processor<String>> of(Processor<String> handler) {
    return new RiverChaos<>(MessageConverter.utf8(), () -> handler, false, texts());
  }

  /** Runs a handler of texts that is made anew for each run. */
  public static <P extends Processor<String>> RiverChaos<String, P> of(Supplier<P> handlers) {
    return new RiverChaos<>(MessageConverter.utf8(), handlers, true, texts());
  }

  /** Runs a handler that is made anew for each run. */
  public static <M, P extends Processor<M>> RiverChaos<M, P> of(
      MessageConverter<M> converter, List<Message<M>> messages, Supplier<P> handlers) {
    return new RiverChaos<>(converter, handlers, true, List.copyOf(messages));
  }

  private static List<Message<String>> texts() {
    List<Message<String>> all = new ArrayList<>();
    for (int i = 0; i < MESSAGES; i++) {
      all.add(Message.of("message-" + i).withKey("key-" + i % KEYS));
    }
    return all;
  }

  /** Sets the messages (default: 20 texts, with 4 keys). */
  public RiverChaos<M, P> messages(List<Message<M>> all) {
    messages = List.copyOf(all);
    return this;
  }

  /** Changes settings of the subscriber, which acknowledges. */
  public RiverChaos<M, P> subscriber(UnaryOperator<SubscriberConfig.Builder> settings) {
    subscriber = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /** Changes settings of the queue. */
  public RiverChaos<M, P> queue(UnaryOperator<MessageQueue.Builder<M>> settings) {
    queue = Objects.requireNonNull(settings, "settings");
    return this;
  }

  /** Sets which faults come (default: all), equally often. */
  public RiverChaos<M, P> faults(Fault one, Fault... others) {
    faults = EnumSet.of(one, others);
    faults.remove(Fault.NONE);
    return this;
  }

  /** Sets the seeds (default: 1 to 100), the last one included. */
  public RiverChaos<M, P> seeds(long from, long to) {
    if (to < from) {
      throw new IllegalArgumentException("no seeds: from " + from + " to " + to);
    }
    first = from;
    last = to;
    return this;
  }

  /** Sets what is run before each run, such as what empties the store of the handler. */
  public RiverChaos<M, P> before(Runnable reset) {
    before = Objects.requireNonNull(reset, "reset");
    return this;
  }

  /**
   * Sets where the directories of the runs are made (default: in {@code /dev/shm} if it has 512 MB,
   * else where temporary files are).
   */
  public RiverChaos<M, P> directory(Path base) {
    directory = Objects.requireNonNull(base, "base");
    return this;
  }

  /**
   * Runs all seeds.
   *
   * @throws AssertionError the invariant does not hold for a seed, or the run does not end: the
   *     text has the shortest trace that was found, the cause says what the invariant said
   */
  public void check(Invariant<? super M, ? super P> invariant) {
    for (long seed = first; seed <= last; seed++) {
      Outcome outcome = run(seed, messages, null, invariant);
      if (outcome.failure != null) {
        throw error(anew || before != null ? shortest(seed, outcome, invariant) : outcome);
      }
    }
  }

  private AssertionError error(Outcome outcome) {
    String text =
        "the invariant does not hold with seed %d: %s%nWith %d of %d messages and %d faults:%n%s"
            .formatted(
                outcome.seed,
                outcome.failure,
                outcome.messages.size(),
                messages.size(),
                outcome.came.size(),
                outcome.trace);
    return new AssertionError(text, outcome.failure);
  }

  /**
   * Returns the trace of a run, also if it fails: what was published, delivered, and went wrong.
   */
  public String trace(long seed) {
    return run(seed, messages, null, run -> {}).trace;
  }

  /** The end of a run. */
  private final class Outcome {
    final long seed;
    final List<Message<M>> messages;
    final Set<Integer> came;
    final String trace;
    final @Nullable Throwable failure;

    Outcome(
        long seed,
        List<Message<M>> messages,
        Set<Integer> came,
        String trace,
        @Nullable Throwable failure) {
      this.seed = seed;
      this.messages = messages;
      this.came = new TreeSet<>(came);
      this.trace = trace;
      this.failure = failure;
    }

    boolean isShorterThan(Outcome other) {
      return trace.length() < other.trace.length()
          || (trace.length() == other.trace.length() && came.size() < other.came.size());
    }
  }

  /** Leaves out messages, then faults, as long as it fails. */
  private Outcome shortest(long seed, Outcome failed, Invariant<? super M, ? super P> invariant) {
    Outcome best = fewer(seed, failed, invariant);
    boolean shorter = true;
    while (shorter) {
      shorter = false;
      for (int fault : best.came) {
        Set<Integer> without = new TreeSet<>(best.came);
        without.remove(fault);
        Outcome tried = run(best.seed, best.messages, without, invariant);
        if (tried.failure != null && tried.isShorterThan(best)) {
          best = tried;
          shorter = true;
          break;
        }
      }
    }
    return best;
  }

  /** Returns a run with the fewest messages, of this seed or one of the next, that fails. */
  private Outcome fewer(long seed, Outcome failed, Invariant<? super M, ? super P> invariant) {
    for (int count = 1; count < failed.messages.size(); count *= 2) {
      for (long other = seed; other < seed + TRIES; other++) {
        Outcome tried = run(other, failed.messages.subList(0, count), null, invariant);
        if (tried.failure != null) {
          return tried;
        }
      }
    }
    return failed;
  }

  private Outcome run(
      long seed,
      List<Message<M>> some,
      @Nullable Set<Integer> only,
      Invariant<? super M, ? super P> invariant) {
    if (before != null) {
      before.run();
    }
    FaultSource source = new FaultSource(seed, only);
    faults.forEach(fault -> source.set(fault, SHARE / faults.size()));
    Throwable failure = null;
    String trace;
    try (TestProcess process = new TestProcess(directory)) {
      process.faults(source);
      try {
        P handler = handlers.get();
        TestQueue<M> opened = process.queue("chaos", converter, queue);
        TestHandler<M> delivery = opened.handle(SUBSCRIBER, handler, subscriber);
        deliver(seed, some, process, opened, delivery);
        invariant.check(cast(new ChaosRun<>(handler, some, opened, delivery, process)));
      } catch (Exception | AssertionError e) {
        failure = e;
      }
      trace = process.trace();
    }
    return new Outcome(seed, some, source.came(), trace, failure);
  }

  @SuppressWarnings("unchecked") // a run is only read
  private static <M, P, N, Q> ChaosRun<N, Q> cast(ChaosRun<M, P> run) {
    return (ChaosRun<N, Q>) run;
  }

  private void deliver(
      long seed,
      List<Message<M>> some,
      TestProcess process,
      TestQueue<M> opened,
      TestHandler<M> delivery) {
    Random actions = new Random(~seed);
    int published = 0;
    int steps = 0;
    while (true) {
      if (++steps > MOST_STEPS * (some.size() + 1)) {
        throw new AssertionError("not all messages are completed after " + steps + " steps");
      }
      // faults end, so that the run does
      boolean more = steps < MOST_STEPS * some.size() / 2;
      Fault fault = more ? process.faults().next() : Fault.NONE;
      boolean publishes = published < some.size() && actions.nextBoolean();
      if (publishes) {
        published += publish(some.get(published), fault, process, opened);
      } else if (!delivery.deliver(fault, Duration.ZERO)
          && published == some.size()
          && (isCompleted(opened) || !delivery.deliver(Fault.NONE, LONGEST_WAIT))) {
        return;
      }
    }
  }

  private static boolean isCompleted(TestQueue<?> queue) {
    return queue.queue().subscriber(SUBSCRIBER).stats().lag() == 0
        && queue.queue().stats().delayed() == 0;
  }

  /** Publishes a message, unless the disk is full; returns how many were. */
  private int publish(Message<M> message, Fault fault, TestProcess process, TestQueue<M> opened) {
    opened.diskFull(fault == Fault.DISK_FULL);
    try {
      long sequence = opened.publish(message);
      process.note("publish sequence " + sequence);
      return 1;
    } catch (QueueFullException e) {
      process.note("publish refused <- " + Fault.DISK_FULL);
      return 0;
    } finally {
      opened.diskFull(false);
    }
  }
}
