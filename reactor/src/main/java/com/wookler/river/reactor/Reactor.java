package com.wookler.river.reactor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.SharedTaskManager;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.FilterExpression;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages from a subscriber and pushes them through a chain of processors.
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
 * <p>A message is acknowledged after the whole chain has processed it, together with the rest of
 * its batch. If a processor throws, the message is delivered again by the subscriber's retry
 * policy. So the subscriber should require acknowledgement: without it, a message is completed
 * before the first processor sees it. Each thread holds at most one batch, so with a slow processor
 * messages wait on disk, not in memory. One thread processes messages in the order of delivery;
 * several threads do so for the messages of each key, with {@link Order#KEY}.
 *
 * <p>Thread-safe. Close the reactor before its queue; if the subscriber is closed first, the
 * reactor stops by itself.
 *
 * @param <M> type of the data
 */
public final class Reactor<M> implements AutoCloseable {
  /** The time for which {@link #close()} waits for processors. */
  public static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(30);

  private static final Logger LOG = LoggerFactory.getLogger(Reactor.class);
  private static final Duration GRACE = Duration.ofSeconds(1);

  private final ReactorRuntime<M> runtime;
  private final Chain<M> chain;
  private final PauseGate gate;
  private final WorkerGroup<M> workers;
  private final SharedTaskManager tasks;
  private final StuckBatchDetector<M> watch;
  private final List<ProcessorCounters> counters;
  private final @Nullable Executor owned; // shut down with the reactor
  private final boolean hasThreads;
  private final Duration answerLimit;
  private final ReentrantLock turn =
      new ReentrantLock(); // held while process runs, if the order of sequences is kept
  private final ReentrantLock closing = new ReentrantLock();

  @GuardedBy("closing")
  private boolean closed;

  @GuardedBy("closing")
  private boolean processorsClosed;

  private Reactor(
      Builder<M> settings,
      ReactorRuntime<M> runtime,
      Chain<M> chain,
      List<ProcessorCounters> counters) {
    this.runtime = runtime;
    this.chain = chain;
    this.counters = counters;
    this.owned = settings.ownsExecutor ? settings.executor : null;
    this.gate = runtime.gate();
    this.workers = new WorkerGroup<>(runtime, chain, settings.executor);
    runtime.setWorkers(workers);
    this.hasThreads = settings.threads > 0;
    this.answerLimit = settings.limit();
    this.watch = new StuckBatchDetector<>(runtime, workers, settings.threads, settings.limit());
    this.tasks = SharedTaskManager.acquire();
  }

  /** Returns a builder for a reactor that takes messages from a subscriber. */
  public static <M> Builder<M> builder(Subscriber<M> subscriber) {
    return new Builder<>(subscriber);
  }

  /**
   * Returns a builder for a reactor that takes messages from a source: another engine perhaps. What
   * the source cannot do is refused by {@link Builder#start}.
   */
  public static <M> Builder<M> builder(DeliverySource<M> source) {
    return new Builder<>(
        source instanceof SubscriberSource<M> own
            ? own.subscriber()
            : new SourceSubscriber<>(source));
  }

  private Reactor<M> begin(int number) {
    tasks.manager().add(watch);
    try {
      if (runtime.subscriber() instanceof SourceSubscriber<M> source) {
        source.start(number, runtime.batchSize(), answerLimit);
      }
      for (int i = 0; i < number; i++) {
        workers.startWorker();
      }
    } catch (RuntimeException | Error e) {
      close(Duration.ZERO);
      throw e;
    }
    return this;
  }

  /**
   * Returns the subscriber from which the reactor takes messages. Over a {@link DeliverySource} it
   * is of the reactor's own: its stats say what these consumers have taken, and whatever concerns a
   * position is refused.
   */
  public Subscriber<M> subscriber() {
    return runtime.subscriber();
  }

  /**
   * Takes one batch and processes it on the calling thread; for reactors without threads. If the
   * reactor keeps the order of sequences, one caller runs at a time.
   *
   * @param timeout how long to wait for the first message
   * @return the number of messages: 0 if there were none, if the reactor is paused or closed, or if
   *     the thread is interrupted, whose flag stays set
   * @throws Error one that a processor threw; the message is delivered again
   * @throws IllegalStateException the reactor keeps the order of sequences and has a thread
   */
  public int process(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    if (!runtime.oneAtATime()) {
      return takeAndProcess(timeout);
    }
    if (hasThreads) {
      throw new IllegalStateException(
          this + " keeps the order of sequences and has a thread of its own: do not call process");
    }
    turn.lock();
    try {
      return takeAndProcess(timeout);
    } finally {
      turn.unlock();
    }
  }

  private int takeAndProcess(Duration timeout) {
    Worker<M> worker = workers.addBorrowed();
    return worker == null ? 0 : worker.processOnce(timeout);
  }

  /** Stops taking messages until {@link #resume}. Batches that have begun are processed. */
  public void pause() {
    gate.setState(PauseGate.State.PAUSED);
    workers.wake();
  }

  /** Takes messages again after {@link #pause}. */
  public void resume() {
    gate.setState(PauseGate.State.OPEN);
    workers.resume();
  }

  /**
   * Returns whether the reactor takes messages: it is not paused, and neither it nor its subscriber
   * is closed.
   */
  public boolean isRunning() {
    return gate.state() == PauseGate.State.OPEN;
  }

  /** Returns the totals since the reactor was started. */
  public ReactorStats stats() {
    return ReactorStats.of(runtime.counters());
  }

  /** Closes the reactor as {@link #close(Duration)} does, with {@link #CLOSE_TIMEOUT}. */
  @Override
  public void close() {
    close(CLOSE_TIMEOUT);
  }

  /**
   * Closes the reactor: it takes no further messages and waits for the batches that have begun.
   * Batches that take longer than the timeout are interrupted. Messages that no processor has begun
   * are released as if they had not been delivered; the others are delivered again as a further
   * attempt. Stages of asynchronous processors are waited for as well, until the timeout; what they
   * give later still counts while the subscriber is open. Then processors that are {@link
   * AutoCloseable} are closed, unless one is still stuck, or a stage has not completed; a later
   * call closes them once all have ended. Idempotent. A shutdown hook may call. So may a processor;
   * then the method waits neither for that one nor for stages.
   *
   * @return whether all batches ended in time, and with a source its consumers, which are
   *     interrupted otherwise
   */
  public boolean close(Duration timeout) {
    Objects.requireNonNull(timeout, "timeout");
    boolean byWorker = workers.isWorkerThread();
    gate.setState(PauseGate.State.STOPPED);
    workers.wake();
    long began = TimeSource.system().nanoTime();
    boolean inTime = workers.awaitEnd(timeout);
    boolean ended = inTime;
    if (inTime && !byWorker) {
      long nanos = TimeUnit.NANOSECONDS.convert(timeout) - (TimeSource.system().nanoTime() - began);
      inTime = runtime.awaitStages(Math.max(0, nanos));
      ended = inTime;
    } else if (!inTime) {
      workers.interrupt();
      ended = workers.awaitEnd(GRACE) && (byWorker || runtime.awaitStages(0));
      workers.returnBatches();
    }
    if (!byWorker) {
      closing.lock();
    } else if (!closing.tryLock()) {
      return inTime; // the thread that closes it may wait for this batch
    }
    try {
      if (!closed) {
        closed = true;
        long used = TimeSource.system().nanoTime() - began;
        inTime &= end(TimeUnit.NANOSECONDS.convert(timeout) - used);
      }
      closeProcessors(ended);
    } finally {
      closing.unlock();
    }
    return inTime;
  }

  /** Returns whether the threads of a source, if there is one, end within some nanoseconds. */
  @GuardedBy("closing")
  private boolean end(long nanos) {
    tasks.manager().remove(watch);
    tasks.close();
    workers.close();
    boolean inTime = true;
    if (runtime.subscriber() instanceof SourceSubscriber<M> source) {
      if (workers.isWorkerThread()) {
        source.beginClose();
      } else {
        inTime = source.close(Duration.ofNanos(Math.max(0, nanos)));
      }
    }
    if (owned instanceof ExecutorService service) {
      service.shutdown();
    } else if (owned != null) {
      Closeables.closeAndLog(owned);
    }
    return inTime;
  }

  @GuardedBy("closing")
  private void closeProcessors(boolean ended) {
    if (processorsClosed) {
      return;
    }
    processorsClosed = ended;
    if (ended) {
      chain.close();
    } else {
      LOG.warn(
          "Processors of subscriber {} do not end; they are not closed",
          runtime.subscriber().name());
    }
    counters.forEach(ProcessorCounters::close);
  }

  @Override
  public String toString() {
    return "Reactor[" + runtime.subscriber().name() + ", " + gate.state() + "]";
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
    private boolean ended; // by an asynchronous processor
    private int threads = 1;
    private int batchSize; // 0: the default
    private @Nullable Order order;
    private @Nullable Executor executor;
    private boolean ownsExecutor;
    private @Nullable Duration timeLimit;
    private boolean ackAsync;
    private @Nullable ProcessorInterceptor<M> interceptor;
    private final Map<Class<? extends Throwable>, FailurePolicy> policies = new LinkedHashMap<>();
    private TimeSource time = TimeSource.system();

    /** Creates a stage of the reactor that is being built. */
    @FunctionalInterface
    private interface Part<M> {
      Stage<M> create(StageFactory<M> factory);
    }

    private Builder(Subscriber<M> subscriber) {
      this.subscriber = Objects.requireNonNull(subscriber, "subscriber");
    }

    private void add(Part<M> part) {
      check(!ended, "has something after an asynchronous processor, which must be the last");
      parts.add(part);
    }

    /** Adds a processor with the name {@code processor-<n>}, n counting from 1. */
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
     * @param ignoring whether a message for which it throws {@link NonFatalProcessorException} is
     *     acknowledged (default), or fails
     */
    public Builder<M> processor(String name, Processor<M> processor, boolean ignoring) {
      return batchProcessor(name, new ProcessorAdapter<>(processor, ignoring));
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
      add(factory -> factory.processor(name, processor));
      return this;
    }

    /**
     * Adds an asynchronous processor, the last of the chain: it acknowledges when its stage
     * completes.
     *
     * @param name in counters and log
     * @param maxInFlight how many messages may have begun and not ended; then the reactor's threads
     *     wait. With {@link #orderBy} {@link Order#SEQUENCE} one
     */
    public Builder<M> asyncProcessor(String name, AsyncProcessor<M> processor, int maxInFlight) {
      check(maxInFlight >= 1, "has a processor with " + maxInFlight + " messages in flight");
      batchProcessor(name, new AsyncAdapter<>(processor, true, maxInFlight));
      ended = true;
      return this;
    }

    /**
     * Adds a filter: messages that the predicate accepts continue to the next stage, the others are
     * acknowledged.
     *
     * @param filter pure, fast and thread-safe; if it throws, the message fails
     */
    public Builder<M> filter(Predicate<? super Delivery<M>> filter) {
      Objects.requireNonNull(filter, "filter");
      add(factory -> factory.filter(filter));
      return this;
    }

    /**
     * Adds a filter by an expression over key, headers and JSON fields; see {@link
     * FilterExpression}.
     *
     * @throws ConfigurationException the text is not an expression; names the column
     */
    public Builder<M> filter(String expression) {
      return filter(FilterExpression.parse(expression)::matches);
    }

    /** Adds a selector, which sends each message to one of several processors. */
    public Builder<M> select(Selector<M> selector) {
      Objects.requireNonNull(selector, "selector");
      processors++;
      add(factory -> factory.selector(selector));
      return this;
    }

    /**
     * Sets the number of threads that process messages (default 1; with 0, only {@link #process}
     * does). Threads are started for messages, and end a second after the last one.
     */
    public Builder<M> threads(int number) {
      this.threads = number;
      return this;
    }

    /**
     * Sets an executor that runs the workers in place of threads of the reactor's own. It gets as
     * many tasks at once as {@link #threads} says. Each task occupies a thread as long as there are
     * messages; they are in flight when the task is submitted. A task whose thread is interrupted
     * returns, and is submitted again a second later; so is a task that the executor rejects. If
     * the executor was shut down, a rejected task is not submitted again.
     *
     * <p>{@link InlineExecutor} processes messages on the threads on which their futures complete.
     * So does {@code Runnable::run}, with which {@link #start} and {@link #resume} also process the
     * messages that are available.
     */
    public Builder<M> executor(Executor own) {
      this.executor = Objects.requireNonNull(own, "own");
      return this;
    }

    /** Sets an executor as {@link #executor} does; it is shut down with the reactor. */
    Builder<M> ownExecutor(Executor own) {
      this.ownsExecutor = true;
      return executor(own);
    }

    /**
     * Sets the largest number of messages that a thread takes at once (default: the subscriber's
     * batch size; 1 for several threads with order by key, because a batch locks the key of each of
     * its messages).
     */
    public Builder<M> batchSize(int messages) {
      check(messages >= 1, "takes " + messages + " messages at once");
      this.batchSize = messages;
      return this;
    }

    /**
     * Sets the order in which messages are processed. It must be the order of the subscriber
     * (default: not checked).
     *
     * <p>{@link Order#KEY}: the messages of one key are processed one after the other, on any
     * thread; a message that is retried locks its key and no other. Every reactor of such a
     * subscriber does so, whether this method was called or not.
     *
     * <p>{@link Order#SEQUENCE}: batches are processed one after the other in the order of
     * delivery, whatever {@link #threads} says: by one thread, without a substitute when it is
     * stuck. A message that fails is delivered again after those that were taken meanwhile.
     *
     * <p>{@link Order#STRICT}: in the same way, and nothing is taken before a message that failed
     * is completed or dead.
     */
    public Builder<M> orderBy(Order wanted) {
      this.order = Objects.requireNonNull(wanted, "wanted");
      return this;
    }

    private int effectiveBatchSize() {
      if (batchSize > 0) {
        return batchSize;
      }
      // The consumers of a source share no keys.
      boolean locksKeys =
          threads > 1
              && subscriber.config().order() == Order.KEY
              && !(subscriber instanceof SourceSubscriber);
      return locksKeys ? 1 : subscriber.config().batchSize();
    }

    /**
     * Sets the time after which a batch is logged as stuck and a substitute thread is started
     * (default: the subscriber's acknowledgement timeout, after which its messages are delivered
     * again). The stage of an asynchronous processor is logged as stuck after it as well, and
     * another message may begin. With a {@link DeliverySource} it is also how long answers are
     * waited for that come after the last processor; then the messages are delivered again, since
     * the source's consumer takes no others before.
     */
    public Builder<M> timeLimit(Duration limit) {
      this.timeLimit = Objects.requireNonNull(limit, "limit");
      return this;
    }

    /**
     * Sets whether processors acknowledge by themselves the messages that the last stage passes on
     * (default: the reactor does). Then a processor may begin an asynchronous operation, pass its
     * message on, and acknowledge it after the operation, from any thread. Until then the message
     * is in flight, and its acknowledgement timeout runs. The reactor still completes messages that
     * fail, are rejected, are refused by a filter or are {@link ProcessResult#done}.
     */
    public Builder<M> ackAsync(boolean byProcessors) {
      this.ackAsync = byProcessors;
      return this;
    }

    /**
     * Sets what becomes of messages over which a processor, filter or route throws an exception of
     * a class or its subclasses (default {@link FailurePolicy#RETRY}). The most specific class
     * counts, and causes are looked at too: the rule with the fewest classes between itself and the
     * exception or one of its causes, of equals the one of the outermost. {@link
     * FailurePolicy#REJECT} and {@link FailurePolicy#PAUSE} need a subscriber with acknowledgement.
     *
     * @throws ConfigurationException the class has another policy already
     */
    public Builder<M> onFailure(Class<? extends Throwable> type, FailurePolicy policy) {
      Objects.requireNonNull(policy, "policy");
      FailurePolicy before = policies.putIfAbsent(Objects.requireNonNull(type, "type"), policy);
      check(
          before == null || before == policy,
          "has two policies for " + type.getName() + ": " + before + " and " + policy);
      return this;
    }

    /** Adds what runs around each call of a processor; the first one is around the others. */
    public Builder<M> around(ProcessorInterceptor<M> added) {
      Objects.requireNonNull(added, "added");
      interceptor = interceptor == null ? added : interceptor.andThen(added);
      return this;
    }

    /** Sets the clock, for tests that move it (default: the system's). */
    public Builder<M> timeSource(TimeSource source) {
      this.time = Objects.requireNonNull(source, "source");
      return this;
    }

    private Duration limit() {
      return timeLimit == null ? subscriber.config().ackTimeout() : timeLimit;
    }

    /**
     * Creates the reactor and starts it; it takes messages at once.
     *
     * @throws ConfigurationException a setting is out of its range, there is no processor, or a
     *     failure's policy needs acknowledgement and the subscriber has none
     */
    public Reactor<M> start() {
      check(processors > 0, "has no processor");
      check(threads >= 0, "has " + threads + " threads");
      Order own = subscriber.config().order();
      if (order != null && subscriber instanceof SourceSubscriber<M> source) {
        String refusal = source.refusal(order);
        check(refusal == null, "is to keep the order " + order + ", but " + refusal);
      }
      check(
          order == null || order == own || subscriber instanceof SourceSubscriber,
          "is to keep the order " + order + ", but its subscriber has subscriber.order=" + own);
      checkPolicies();
      check(limit().toMillis() >= 1, "has a time limit of " + limit());
      boolean oneAtATime = order == Order.SEQUENCE || order == Order.STRICT;
      Subscriber<M> from =
          subscriber instanceof SourceSubscriber<M> source ? source.another() : subscriber;
      ReactorRuntime<M> runtime =
          new ReactorRuntime<>(
              from, time, effectiveBatchSize(), oneAtATime, new FailurePolicies(policies));
      StageFactory<M> factory = new StageFactory<>(runtime, new ArrayList<>(), interceptor);
      Chain<M> chain =
          new Chain<>(parts.stream().map(part -> part.create(factory)).toList(), ackAsync);
      try {
        chain.start();
      } catch (RuntimeException | Error e) {
        runtime.gate().setState(PauseGate.State.STOPPED); // what has started may start in another
        factory.counters().forEach(ProcessorCounters::close);
        throw e;
      }
      return new Reactor<>(this, runtime, chain, factory.counters())
          .begin(oneAtATime ? Math.min(1, threads) : threads);
    }

    private void checkPolicies() {
      policies.forEach(
          (type, policy) ->
              check(
                  policy == FailurePolicy.RETRY || subscriber.config().ackRequired(),
                  "has the policy "
                      + policy
                      + " for "
                      + type.getName()
                      + ", which needs subscriber.ack.required=true: without acknowledgement a"
                      + " message that fails is lost"));
    }

    private void check(boolean right, String what) {
      if (!right) {
        throw new ConfigurationException("the reactor of " + subscriber.name() + " " + what);
      }
    }
  }
}
