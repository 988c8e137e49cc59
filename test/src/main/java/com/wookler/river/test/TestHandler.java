package com.wookler.river.test;

import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.reactor.NonFatalProcessorException;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import com.wookler.river.test.HandlerResult.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A handler of a subscriber that gets its messages one by one, on the test's thread. What it
 * returns and throws has the effect that it has in a reactor with one thread.
 *
 * @param <M> type of the data
 */
public final class TestHandler<M> {
  private static final int MOST_DELIVERIES = 100_000;
  private static final int MOST_REORDERED = 8;

  private final TestProcess process;
  private final TestQueue<M> queue;
  private final SubscriberConfig config;
  private final Processor<M> handler;
  private @Nullable HandlerResult last;
  private long heldUntil;
  private long delivered;

  TestHandler(
      TestProcess process, TestQueue<M> queue, SubscriberConfig config, Processor<M> handler) {
    this.process = process;
    this.queue = queue;
    this.config = config;
    this.handler = handler;
    this.heldUntil = process.clock().nanoTime();
  }

  /**
   * Delivers the next message, if there is one now; returns whether there was. With {@link
   * Fault#REORDER} up to eight.
   */
  public boolean deliverNext() {
    return deliver(queue.nextFault(), Duration.ZERO);
  }

  /**
   * Delivers until there is nothing now; returns the number of deliveries. What is due later comes
   * after {@link TestClock#advance}.
   *
   * @throws AssertionError it does not end: the handler lets messages come again at once
   */
  public int runUntilIdle() {
    long before = delivered;
    while (deliverNext()) {
      if (delivered - before > MOST_DELIVERIES) {
        throw new AssertionError(
            "%s.%s is not idle after %d deliveries; the last was %s. A retry without a delay, of a subscriber without a backoff, comes again at once"
                .formatted(queue.name(), config.name(), MOST_DELIVERIES, last));
      }
    }
    return (int) (delivered - before);
  }

  /**
   * Returns what became of the last delivery.
   *
   * @throws IllegalStateException there was none
   */
  public HandlerResult lastResult() {
    if (last == null) {
      throw new IllegalStateException(
          "nothing was delivered to " + queue.name() + "." + config.name() + " yet");
    }
    return last;
  }

  /**
   * Checks what became of the last delivery.
   *
   * @throws AssertionError it was something else
   */
  public void assertLast(Kind expected) {
    HandlerResult is = lastResult();
    if (is.kind() != expected) {
      throw new AssertionError("expected " + expected + ", but it was " + is, is.cause());
    }
  }

  /** Returns how many deliveries there were, also those that failed. */
  public long delivered() {
    return delivered;
  }

  /** Returns the subscriber, as it is open now. */
  public Subscriber<M> subscriber() {
    return queue.queue().subscriber(config);
  }

  /** Delivers with a fault, waiting by the clock; returns whether there was a message. */
  boolean deliver(Fault fault, Duration wait) {
    process.clock().settle();
    long held = heldUntil - process.clock().nanoTime();
    if (held > wait.toNanos()) {
      return false;
    }
    if (held > 0) {
      process.clock().advance(Duration.ofNanos(held));
    }
    int most = fault == Fault.REORDER ? MOST_REORDERED : 1;
    List<Delivery<M>> taken = take(most, wait);
    if (taken.isEmpty()) {
      return false;
    }
    while (!taken.isEmpty()) {
      process(remove(taken, fault), fault);
    }
    if (fault != Fault.NONE && fault != Fault.REORDER && fault != Fault.DISK_FULL) {
      return true; // the process may be another one
    }
    process.clock().settle();
    return true;
  }

  private List<Delivery<M>> take(int most, Duration wait) {
    try {
      return new ArrayList<>(subscriber().batch(most, wait));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("the test was interrupted", e);
    }
  }

  /** Removes the delivery that is next; what has a key stays in the order of its key. */
  private Delivery<M> remove(List<Delivery<M>> from, Fault fault) {
    if (fault != Fault.REORDER) {
      return from.remove(0);
    }
    Set<String> keys = new HashSet<>();
    List<Delivery<M>> first = new ArrayList<>();
    for (Delivery<M> each : from) {
      String key = each.key();
      if (key == null || keys.add(key)) {
        first.add(each);
      }
    }
    Delivery<M> drawn = first.get(process.faults().draw(first.size()));
    from.remove(drawn);
    return drawn;
  }

  private void process(Delivery<M> delivery, Fault fault) {
    delivered++;
    String which = Texts.of(delivery);
    switch (fault) {
      case THROW_BEFORE -> {
        Throwable cause = new IllegalStateException(fault.toString());
        delivery.fail(cause);
        end(delivery, Kind.FAILED, null, cause, fault);
      }
      case KILL_BEFORE -> {
        process.kill();
        end(delivery, Kind.KILLED, null, null, fault);
      }
      case DISK_FULL -> {
        queue.diskFull(true);
        ProcessResult<M> result = call(delivery);
        queue.diskFull(false);
        answer(delivery, result, fault);
      }
      default -> answer(delivery, call(delivery), fault);
    }
    process.note(queue.name() + "." + config.name() + " " + which + ": " + text());
  }

  private String text() {
    HandlerResult is = lastResult();
    return is.kind()
        + (is.delay() == null ? "" : " in " + is.delay())
        + (is.cause() == null ? "" : " (" + is.cause().getClass().getSimpleName() + ")")
        + (is.fault() == Fault.NONE ? "" : " <- " + is.fault());
  }

  private ProcessResult<M> call(Delivery<M> delivery) {
    try {
      return Objects.requireNonNull(handler.process(delivery), "the handler returned null");
    } catch (NonFatalProcessorException e) { // as a reactor does
      return ProcessResult.done();
    } catch (Exception | AssertionError e) {
      return ProcessResult.failed(e);
    }
  }

  private void answer(Delivery<M> delivery, ProcessResult<M> result, Fault fault) {
    switch (fault) {
      case THROW_AFTER -> {
        Throwable cause = new IllegalStateException(fault.toString());
        delivery.fail(cause);
        end(delivery, Kind.FAILED, null, cause, fault);
      }
      case LOSE_ACK -> end(delivery, Kind.LOST, null, null, fault);
      case KILL_AFTER -> {
        process.kill();
        end(delivery, Kind.KILLED, null, null, fault);
      }
      case TOO_LATE -> {
        process.clock().advance(config.ackTimeout().plusMillis(1));
        take(1, Duration.ZERO).forEach(again -> process(again, Fault.NONE));
        apply(delivery, result, fault);
      }
      case KILL_ACKED -> {
        apply(delivery, result, fault);
        process.kill();
      }
      default -> apply(delivery, result, fault);
    }
  }

  /** Does with the message what the result says. */
  private void apply(Delivery<M> delivery, ProcessResult<M> result, Fault fault) {
    Kind kind = kind(result);
    try {
      switch (kind) {
        case ACK -> delivery.ack();
        case RETRY -> retry(delivery, result.pause());
        case REJECT -> delivery.reject(result.reason());
        case FAILED -> delivery.fail(Objects.requireNonNull(result.cause()));
        case RELEASE -> {
          delivery.release();
          Duration hold = result.pause();
          if (hold != null) {
            heldUntil = process.clock().nanoTime() + hold.toNanos();
          }
        }
        default -> {} // later
      }
      end(delivery, kind, result.pause(), result.cause(), fault);
    } catch (StaleReceiptException e) {
      end(delivery, Kind.STALE, null, e, fault);
    }
  }

  private static void retry(Delivery<?> delivery, @Nullable Duration delay) {
    if (delay == null) {
      delivery.nack();
    } else {
      delivery.nack(delay);
    }
  }

  private static Kind kind(ProcessResult<?> result) {
    if (result.isRejected()) {
      return Kind.REJECT;
    }
    if (result.isReleased()) {
      return Kind.RELEASE;
    }
    if (result.isRetry()) {
      return Kind.RETRY;
    }
    if (result.isLater()) {
      return Kind.LATER;
    }
    return result.isSuccess() ? Kind.ACK : Kind.FAILED;
  }

  private void end(
      Delivery<M> delivery,
      Kind kind,
      @Nullable Duration delay,
      @Nullable Throwable cause,
      Fault fault) {
    last = new HandlerResult(kind, delivery.sequence(), delivery.attempt(), delay, cause, fault);
  }
}
