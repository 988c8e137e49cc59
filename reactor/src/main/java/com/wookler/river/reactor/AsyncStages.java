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
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Begins the messages of one asynchronous processor in one reactor, at most a number at once, and
 * passes on the result of each when its stage completes. Thread-safe.
 */
final class AsyncStages<M> {
  private final AsyncProcessor<M> processor;
  private final boolean ignoring;
  private final @Nullable ReactorRuntime<M> runtime;
  private final boolean oneAtATime;
  private final TimeSource time;
  private final ReactorContext<M> reactor; // gets the results that come later
  private final UnaryOperator<ProcessResult<M>> judge;
  private final Semaphore permits; // one for each message that may begin
  private final Set<Begun<M>> begun = ConcurrentHashMap.newKeySet(); // also those that are stuck
  private volatile boolean ended; // set before begun is read; it is added to before this is read

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
   * Creates the state without a message.
   *
   * @param ignoring as in {@link ProcessorAdapter}
   * @param most how many messages may have begun and not ended; one if the reactor processes them
   *     one at a time
   * @param judge gets one result for each message, and returns the result that is applied
   */
  AsyncStages(
      AsyncProcessor<M> processor,
      boolean ignoring,
      int most,
      ReactorContext<M> reactor,
      UnaryOperator<ProcessResult<M>> judge) {
    this.processor = processor;
    this.ignoring = ignoring;
    this.reactor = reactor;
    this.runtime = ReactorRuntime.of(reactor);
    this.oneAtATime = runtime != null && runtime.oneAtATime();
    this.time = runtime == null ? TimeSource.system() : runtime.time();
    this.judge = judge;
    this.permits = new Semaphore(oneAtATime ? 1 : most, true);
  }

  /** Returns whether this is of a reactor. */
  boolean isOf(@Nullable ReactorRuntime<M> reactor) {
    return runtime == reactor;
  }

  /** Returns whether the reactor takes no more messages, as far as is known. */
  boolean isOver() {
    return runtime == null || runtime.gate().isStopped();
  }

  /** Begins a message, when fewer than the most have begun. */
  ProcessResult<M> begin(Delivery<M> delivery) {
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
      stage = Objects.requireNonNull(processor.process(delivery), "the processor's stage");
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
      reactor.decide(List.of(message.delivery), List.of(inTime ? judge.apply(its) : its));
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

  /**
   * Waits for the stages of all messages that have begun, also of those that are stuck, and lets
   * none begin afterwards. Several threads may wait.
   *
   * @return whether they have completed in time
   */
  boolean awaitEnd(long nanos) {
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
}
