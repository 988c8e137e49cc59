package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.TaskShare;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.DeliveryFilter;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a subscriber's messages and pushes them through a chain of processors.
 *
 * <pre>{@code
 * Subscriber<String> billing =
 *     orders.subscriber(SubscriberConfig.builder("billing").ack(true).build());
 * try (Reactor<String> reactor =
 *     Reactor.builder(billing).processor("store", d -> store(d.data())).threads(4).start()) {
 *   ...
 * }
 * }</pre>
 *
 * <p>A message is acknowledged when the whole chain is done with it, together with the rest of its
 * batch; if a processor throws, it is delivered again by the subscriber's retry policy. So the
 * subscriber should require acknowledgement: without it a message counts as finished before the
 * first processor sees it. Each thread holds at most a batch, so a slow processor makes messages
 * wait on disk, not in memory. With one thread messages are processed in the order of delivery,
 * with several and {@link Order#KEY} those of each key are.
 *
 * <p>Thread-safe. Close the reactor before its queue; if the subscriber is closed first, the
 * reactor stops by itself.
 *
 * @param <M> type of the data
 */
public final class Reactor<M> implements AutoCloseable {
  /** How long {@link #close()} lets processors finish. */
  public static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final Plan<M> plan;
  private final Gate gate;
  private final Crew<M> crew;
  private final TaskShare tasks;
  private final StuckWatch<M> watch;
  private final List<ProcessorCounters> counters;
  private final @Nullable Executor owned; // ends with the reactor
  private final boolean hasThreads;
  private final ReentrantLock turn = new ReentrantLock(); // of those who call process, in order
  private final ReentrantLock closing = new ReentrantLock();

  @GuardedBy("closing")
  private boolean closed;

  private Reactor(Builder<M> settings, Plan<M> plan, List<ProcessorCounters> counters) {
    this.plan = plan;
    this.counters = counters;
    this.owned = settings.ownsExecutor ? settings.executor : null;
    this.gate = plan.gate();
    this.crew = new Crew<>(plan, settings.executor);
    plan.home().crew().set(crew);
    this.hasThreads = settings.threads > 0;
    this.watch = new StuckWatch<>(plan, crew, settings.threads, settings.limit());
    this.tasks = TaskShare.acquire();
  }

  /** Collects the settings of a reactor. */
  public static <M> Builder<M> builder(Subscriber<M> subscriber) {
    return new Builder<>(subscriber);
  }

  private Reactor<M> begin(int workers) {
    tasks.manager().add(watch);
    try {
      for (int i = 0; i < workers; i++) {
        crew.hire();
      }
    } catch (RuntimeException | Error e) {
      close(Duration.ZERO);
      throw e;
    }
    return this;
  }

  /** The subscriber whose messages it takes. */
  public Subscriber<M> subscriber() {
    return plan.subscriber();
  }

  /**
   * Takes messages once and processes them on the calling thread; for reactors without threads.
   *
   * @param timeout how long to wait for the first message
   * @return how many messages there were: 0 if none came, or while it is paused or closed, or if
   *     the thread is interrupted, whose flag stays set
   * @throws Error one that a processor threw; the message is delivered again
   * @throws IllegalStateException it has a thread, and keeps the order of sequences; without,
   *     callers take turns then
   */
  public int process(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (!plan.oneAtATime()) {
      return takeAndProcess(timeout);
    }
    if (hasThreads) {
      throw new IllegalStateException(this + " keeps the order of sequences by its own thread");
    }
    turn.lock();
    try {
      return takeAndProcess(timeout);
    } finally {
      turn.unlock();
    }
  }

  private int takeAndProcess(Duration timeout) {
    Worker<M> worker = crew.guest();
    return worker == null ? 0 : worker.once(timeout);
  }

  /** Takes no further messages until {@link #resume}; batches under way are finished. */
  public void pause() {
    gate.become(Gate.State.PAUSED);
    crew.wake();
  }

  /** Ends {@link #pause}. */
  public void resume() {
    gate.become(Gate.State.OPEN);
    crew.resume();
  }

  /** Whether it takes messages: neither paused nor closed, by it or by its subscriber's end. */
  public boolean isRunning() {
    return gate.state() == Gate.State.OPEN;
  }

  /** What it has done so far. */
  public ReactorStats stats() {
    return ReactorStats.of(plan.tally());
  }

  /** As {@link #close(Duration)} with {@link #CLOSE_TIMEOUT}. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Ends it: takes no further messages and waits for the batches under way. Those that take longer
   * are interrupted. What no processor has begun is given back as if it had not been delivered,
   * what one has begun comes again as a further attempt. Then processors that are {@link
   * AutoCloseable} are closed, unless one is still stuck. Idempotent; may be called in a shutdown
   * hook, and by a processor, which is not waited for.
   *
   * @return whether all batches ended in time
   */
  public boolean close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    boolean within = crew.isWithin();
    gate.become(Gate.State.STOPPED);
    crew.wake();
    boolean inTime = crew.awaitEnd(timeout);
    boolean ended = inTime;
    if (!inTime) {
      crew.abort();
      ended = crew.awaitEnd(GRACE);
      crew.abandon();
    }
    if (!within) {
      closing.lock();
    } else if (!closing.tryLock()) {
      return inTime; // whoever ends it may wait for this batch
    }
    try {
      if (!closed) {
        closed = true;
        end(ended);
      }
    } finally {
      closing.unlock();
    }
    return inTime;
  }

  @GuardedBy("closing")
  private void end(boolean ended) {
    tasks.manager().remove(watch);
    tasks.close();
    crew.close();
    if (owned instanceof ExecutorService service) {
      service.shutdown();
    } else if (owned != null) {
      Closing.close(owned);
    }
    if (ended) {
      plan.chain().close();
    } else {
      LOG.warn(
          "Processors of subscriber {} do not end; they are left alone", plan.subscriber().name());
    }
    counters.forEach(ProcessorCounters::close);
  }

  @Override
  public String toString() {
    return "Reactor[" + plan.subscriber().name() + ", " + gate.state() + "]";
  }

  /**
   * Collects the settings of a reactor. Stages run in the order in which they are added. Not
   * thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final Subscriber<M> subscriber;
    private final List<Part<M>> parts = new ArrayList<>();
    private int processors;
    private int threads = 1;
    private int batchSize; // 0: as the subscriber says
    private @Nullable Order order;
    private @Nullable Executor executor;
    private boolean ownsExecutor;
    private @Nullable Duration timeLimit;
    private boolean ackAsync;
    private TimeSource time = TimeSource.system();

    /** Makes a stage of the reactor that is being built. */
    @FunctionalInterface
    private interface Part<M> {
      Stage<M> build(Assembly<M> assembly);
    }

    private Builder(Subscriber<M> subscriber) {
      this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
    }

    /** Adds a processor, named by its place. */
    public Builder<M> processor(Processor<M> processor) {
      return processor("processor-" + (processors + 1), processor);
    }

    /**
     * Adds a processor.
     *
     * @param name in counters and log
     */
    public Builder<M> processor(String name, Processor<M> processor) {
      return processor(name, processor, true);
    }

    /**
     * Adds a processor.
     *
     * @param name in counters and log
     * @param ignoring whether a message over which it throws {@link NonFatalProcessorException} is
     *     finished (default), or fails
     */
    public Builder<M> processor(String name, Processor<M> processor, boolean ignoring) {
      return batchProcessor(name, new OneByOne<>(processor, ignoring));
    }

    /**
     * Adds a processor of batches.
     *
     * @param name in counters and log
     */
    public Builder<M> batchProcessor(String name, BatchProcessor<M> processor) {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(processor, "processor");
      processors++;
      parts.add(assembly -> assembly.stage(name, processor));
      return this;
    }

    /**
     * Lets through to what is added behind it only what a predicate accepts; the rest is finished.
     *
     * @param filter pure, fast and thread-safe; what it throws fails the message
     */
    public Builder<M> filter(Predicate<? super Delivery<M>> filter) {
      Objects.requireNonNull(filter, "filter");
      parts.add(assembly -> new FilterStage<>(filter, assembly.home().tally()));
      return this;
    }

    /**
     * Likewise by an expression over key, headers and JSON fields; see {@link
     * com.wookler.river.core.filter.FilterExpression}.
     *
     * @throws ConfigurationException it is no expression, with the column
     */
    public Builder<M> filter(String expression) {
      return filter(DeliveryFilter.of(expression));
    }

    /** Sends each message to one of several processors. */
    public Builder<M> select(Selector<M> selector) {
      Objects.requireNonNull(selector, "selector");
      processors++;
      parts.add(assembly -> assembly.stage(selector));
      return this;
    }

    /**
     * How many threads process messages (default 1; 0: {@link #process} alone does). They are
     * started for messages, and end a second after the last one.
     */
    public Builder<M> threads(int number) {
      this.threads = number;
      return this;
    }

    /**
     * Where to run instead of own threads: as many tasks at once as {@link #threads} says, each of
     * which takes a thread as long as there are messages; they are in flight when the task is
     * handed over. One whose thread is interrupted gives it back, and asks for another a second
     * later, as does one that the executor refuses; one that it refuses because it was shut down
     * ends for good.
     *
     * <p>{@link InlineExecutor} processes messages where they come from. So does {@code
     * Runnable::run}, by which {@link #start} and {@link #resume} also process what is there.
     */
    public Builder<M> executor(Executor own) {
      this.executor = Objects.requireNonNull(own, "own");
      return this;
    }

    /** As {@link #executor}, and it ends with the reactor. */
    Builder<M> ownExecutor(Executor own) {
      this.ownsExecutor = true;
      return executor(own);
    }

    /**
     * How many messages a thread takes at most at once (default: the subscriber's batch size; 1 for
     * several threads in the order of keys, where a batch holds the key of each of its messages).
     */
    public Builder<M> batchSize(int messages) {
      check(messages >= 1, "takes " + messages + " messages at once");
      this.batchSize = messages;
      return this;
    }

    /**
     * In which order messages are processed. It must be the subscriber's own (default: nothing is
     * asked for).
     *
     * <p>{@link Order#KEY}: of one key, one message after the other, whichever thread has it; a
     * message that is retried holds its key and no other. So it is for each reactor of such a
     * subscriber, whether asked for or not.
     *
     * <p>{@link Order#SEQUENCE}: one batch after the other in the order of delivery, whatever
     * {@link #threads} says: one thread processes, and none takes its place when it is stuck. A
     * message that fails comes again behind those taken meanwhile.
     */
    public Builder<M> orderBy(Order wanted) {
      this.order = Objects.requireNonNull(wanted, "wanted");
      return this;
    }

    private int takes() {
      if (batchSize > 0) {
        return batchSize;
      }
      boolean shares = threads > 1 && subscriber.config().order() == Order.KEY;
      return shares ? 1 : subscriber.config().batchSize();
    }

    /**
     * How long a batch may take before it is reported as stuck and a substitute thread is started
     * (default: the subscriber's acknowledgement timeout, after which its messages come again).
     */
    public Builder<M> timeLimit(Duration limit) {
      this.timeLimit = Objects.requireNonNull(limit, "limit");
      return this;
    }

    /**
     * Whether messages that the last stage passes on are left to whoever keeps their deliveries
     * (default: they are acknowledged): a processor may begin something, pass its message on, and
     * acknowledge when that is done, from any thread. Until then it is in flight, and its
     * acknowledgement timeout runs. What fails, is rejected, refused by a filter or {@link
     * ProcessResult#done} is decided by the reactor all the same.
     */
    public Builder<M> ackAsync(boolean left) {
      this.ackAsync = left;
      return this;
    }

    /** The clock, for tests that move it (default: the system's). */
    public Builder<M> timeSource(TimeSource source) {
      this.time = Objects.requireNonNull(source, "source");
      return this;
    }

    private Duration limit() {
      return timeLimit == null ? subscriber.config().ackTimeout() : timeLimit;
    }

    /**
     * Makes the reactor; it takes messages at once.
     *
     * @throws ConfigurationException a setting is out of its range, or there is no processor
     */
    public Reactor<M> start() {
      check(processors > 0, "has no processor");
      check(threads >= 0, "has " + threads + " threads");
      Order own = subscriber.config().order();
      check(
          order == null || order == own,
          "is to keep the order " + order + ", but its subscriber has subscriber.order=" + own);
      check(limit().toMillis() >= 1, "has a time limit of " + limit());
      Home<M> home = new Home<>(subscriber, new Tally(), new Gate(time), new AtomicReference<>());
      Assembly<M> assembly = new Assembly<>(home, time, new ArrayList<>());
      Chain<M> chain =
          new Chain<>(parts.stream().map(part -> part.build(assembly)).toList(), ackAsync);
      try {
        chain.start();
      } catch (RuntimeException | Error e) {
        assembly.counters().forEach(ProcessorCounters::close);
        throw e;
      }
      boolean oneAtATime = order == Order.SEQUENCE;
      Plan<M> plan = new Plan<>(home, takes(), chain, time, oneAtATime);
      return new Reactor<>(this, plan, assembly.counters())
          .begin(oneAtATime ? Math.min(1, threads) : threads);
    }

    private void check(boolean right, String what) {
      if (!right) {
        throw new ConfigurationException("the reactor of " + subscriber.name() + " " + what);
      }
    }
  }
}
