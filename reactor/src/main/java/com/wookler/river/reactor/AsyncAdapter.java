package com.wookler.river.reactor;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Adapts an asynchronous processor to one of batches: begins messages, at most a number at once,
 * and passes on the result of each when its stage completes. Thread-safe.
 */
final class AsyncAdapter<M> implements BatchProcessor<M>, ReactorAware<M>, AutoCloseable {
  static final int MOST_BY_DEFAULT = 100;

  private final AsyncProcessor<M> processor;
  private final boolean ignoring;
  private final int most;
  private final Semaphore permits; // one for each message that may begin
  private final Set<Begun<M>> begun = ConcurrentHashMap.newKeySet(); // also those that are stuck
  private volatile boolean oneAtATime;
  private volatile boolean ended; // set before begun is read; it is added to before this is read
  private volatile TimeSource time = TimeSource.system(); // that of its reactor
  private volatile AsyncProcessor<M> called; // the processor, or what is around it
  private volatile UnaryOperator<ProcessResult<M>> judge = UnaryOperator.identity();
  private volatile @Nullable BiConsumer<Delivery<M>, ProcessResult<M>> target;

  /** A message whose stage has not completed, and when it began. */
  private static final class Begun<M> {
    private final Delivery<M> delivery;
    private final long startedNanos;
    private final AtomicBoolean judged = new AtomicBoolean(); // by its result, or as stuck
    private final CompletableFuture<Void> completion = new CompletableFuture<>();
    private volatile boolean hasStage; // set by the thread that begins it

    Begun(Delivery<M> delivery, long startedNanos) {
      this.delivery = delivery;
      this.startedNanos = startedNanos;
    }
  }

  /**
   * Creates an adapter.
   *
   * @param ignoring as in {@link ProcessorAdapter}
   * @param most how many messages may have begun and not ended
   */
  AsyncAdapter(AsyncProcessor<M> processor, boolean ignoring, int most) {
    if (most < 1) {
      throw new IllegalArgumentException(most + " messages at once; it must be 1 or more");
    }
    this.processor = Objects.requireNonNull(processor, "processor");
    this.called = processor;
    this.ignoring = ignoring;
    this.most = most;
    this.permits = new Semaphore(most, true);
  }

  /** Sets what gets the results that come later; without, the reactor applies them. */
  void resultsTo(BiConsumer<Delivery<M>, ProcessResult<M>> results) {
    target = results;
  }

  /** Calls the processor through an interceptor. */
  void around(String name, ProcessorInterceptor<M> interceptor) {
    called = delivery -> interceptor.aroundAsync(name, delivery, processor);
  }

  /** Sets what gets one result for each message, and returns the result that is applied. */
  void judgeBy(UnaryOperator<ProcessResult<M>> results) {
    judge = results;
  }

  @Override
  @SuppressWarnings("unchecked") // a processor of these messages
  public void startIn(ReactorContext<M> reactor) {
    if (target == null) { // it is within another processor
      resultsTo((delivery, result) -> reactor.decide(List.of(delivery), List.of(result)));
    }
    if (reactor instanceof ReactorRuntime<M> runtime) {
      time = runtime.time();
      if (runtime.oneAtATime()) {
        permits.acquireUninterruptibly(most - 1);
        oneAtATime = true;
      }
      runtime.add(this);
    }
    if (processor instanceof ReactorAware<?> aware) {
      ((ReactorAware<M>) aware).startIn(reactor);
    }
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (Delivery<M> delivery : batch) {
      results.add(begin(delivery));
    }
    return results;
  }

  private ProcessResult<M> begin(Delivery<M> delivery) {
    try {
      permits.acquire();
    } catch (InterruptedException e) { // the reactor is being closed
      Thread.currentThread().interrupt();
      return ProcessResult.release();
    }
    Begun<M> message = new Begun<>(delivery, time.nanoTime());
    begun.add(message);
    if (ended) { // the reactor has been closed
      remove(message, true);
      return ProcessResult.release();
    }
    CompletionStage<ProcessResult<M>> stage;
    try {
      stage = Objects.requireNonNull(called.process(delivery), "the processor's stage");
    } catch (InterruptedException e) {
      remove(message, true);
      Thread.currentThread().interrupt();
      return ProcessResult.retry(Duration.ZERO); // the attempt counts
    } catch (Throwable e) { // an Error too: it must not fail the other messages
      remove(message, true);
      return failed(e);
    }
    message.hasStage = true;
    var unused = stage.whenComplete((result, thrown) -> completed(message, result, thrown));
    return ProcessResult.later();
  }

  private void completed(
      Begun<M> message, @Nullable ProcessResult<M> result, @Nullable Throwable thrown) {
    boolean inTime = message.judged.compareAndSet(false, true);
    try {
      ProcessResult<M> its = result(result, thrown);
      Objects.requireNonNull(target, "target")
          .accept(message.delivery, inTime ? judge.apply(its) : its);
    } finally {
      remove(message, inTime || oneAtATime);
    }
  }

  private void remove(Begun<M> message, boolean holdsPermit) {
    begun.remove(message);
    message.completion.complete(null);
    if (holdsPermit) {
      permits.release();
    }
  }

  /**
   * Returns the messages whose stages have taken longer than a time, each once, and lets others
   * begin in their place unless messages are processed one at a time.
   */
  List<Delivery<M>> takeStuck(Duration limit) {
    long now = time.nanoTime();
    List<Delivery<M>> stuck = new ArrayList<>();
    for (Begun<M> message : begun) {
      if (message.hasStage
          && now - message.startedNanos > limit.toNanos()
          && message.judged.compareAndSet(false, true)) { // else it completes just now
        stuck.add(message.delivery);
        ProcessResult<M> unused =
            judge.apply(ProcessResult.failed(new TimeoutException("no result within " + limit)));
        if (!oneAtATime) {
          permits.release();
        }
      }
    }
    return stuck;
  }

  private ProcessResult<M> result(@Nullable ProcessResult<M> result, @Nullable Throwable thrown) {
    if (thrown != null) {
      Throwable cause = thrown.getCause();
      boolean wraps = thrown instanceof CompletionException || thrown instanceof ExecutionException;
      return failed(wraps && cause != null ? cause : thrown);
    }
    return result == null
        ? ProcessResult.failed(new NullPointerException("the stage completed with null"))
        : result;
  }

  private ProcessResult<M> failed(Throwable e) {
    return ignoring && e instanceof NonFatalProcessorException
        ? ProcessResult.ignored(e)
        : ProcessResult.failed(e);
  }

  @Override
  public int mostAtOnce() {
    return 1;
  }

  /**
   * Waits for the stages of all messages that have begun, also of those that are stuck, and lets
   * none begin afterwards. Several threads may wait.
   *
   * @return whether they have completed in time
   */
  boolean awaitStages(long nanos) {
    ended = true;
    CompletableFuture<?>[] completions =
        begun.stream().map(message -> message.completion).toArray(CompletableFuture<?>[]::new);
    try {
      CompletableFuture.allOf(completions).get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("these never fail", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    Closeables.closeAndLog(processor);
  }
}
