package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** How much is under way, and whether there is room for more. Thread-safe. */
public final class Load {
  private static final int RETRY_SECONDS = 1;
  private static final long LOOK_AGAIN_NANOS = 2_000_000;

  private final ServerLimits limits;
  private final BufferBudget budget;
  private final AtomicInteger connections = new AtomicInteger();
  private final Map<String, Integer> connectionsByAddress = new ConcurrentHashMap<>();
  private final AtomicInteger arriving = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder refused = new LongAdder();

  public Load(ServerLimits limits, TimeSource time) {
    this.limits = limits;
    this.budget = new BufferBudget(limits.bufferedBytes(), time);
  }

  /** The memory that bodies and answers may hold. */
  public BufferBudget budget() {
    return budget;
  }

  public ServerLimits limits() {
    return limits;
  }

  /** Whether one more connection from this address is taken; why not, if it is not. */
  public @Nullable String connected(String address) {
    String full = null;
    if (connectionsByAddress.merge(address, 1, Integer::sum) > limits.connectionsPerAddress()) {
      full = "server.max.connections.per.address";
    } else if (!taken(connections, limits.connections())) {
      full = "server.max.connections";
    }
    if (full != null) {
      left(address);
      refused.increment();
    }
    return full;
  }

  private void left(String address) {
    connectionsByAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
  }

  public int connections() {
    return connections.get();
  }

  /** Connections that were not taken. */
  public long refused() {
    return refused.sum();
  }

  public void disconnected(String address) {
    left(address);
    connections.decrementAndGet();
  }

  /** A request is not under way before its body is there, but the end waits for it. */
  public void arriving(CompletionStage<?> body) {
    arriving.incrementAndGet();
    var unused = body.whenComplete((there, failed) -> arriving.decrementAndGet());
  }

  /**
   * Counts a request as under way until it is over.
   *
   * @param whenOver runs what it is given when the request is over
   * @throws RequestException there are enough
   */
  public void begin(Consumer<Runnable> whenOver) {
    if (!taken(requests, limits.requests())) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          limits.requests() + " requests are under way",
          RETRY_SECONDS);
    }
    whenOver.accept(requests::decrementAndGet);
  }

  /**
   * Counts a request as waiting for messages, and no more as under way, until it is over.
   *
   * @param whenOver runs what it is given when the request is over
   * @throws RequestException enough wait
   */
  public void beginWaiting(Consumer<Runnable> whenOver) {
    if (!taken(waiting, limits.waiting())) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          limits.waiting() + " requests wait for messages",
          RETRY_SECONDS);
    }
    requests.decrementAndGet();
    whenOver.accept(
        () -> {
          waiting.decrementAndGet();
          requests.incrementAndGet(); // which its end as a request takes back
        });
  }

  /** How many are under way, without those that wait, and those whose body is not here yet. */
  public int requests() {
    return requests.get();
  }

  /** How many wait for messages. */
  public int waiting() {
    return waiting.get();
  }

  private static boolean taken(AtomicInteger count, int most) {
    if (count.incrementAndGet() <= most) {
      return true;
    }
    count.decrementAndGet();
    return false;
  }

  /** Returns when nothing is under way, or the time is over. */
  public void awaitEnd(TimeSource time, Duration most) {
    long start = time.nanoTime();
    while ((requests.get() > 0 || waiting.get() > 0 || arriving.get() > 0)
        && time.nanoTime() - start < most.toNanos()
        && !Thread.currentThread().isInterrupted()) {
      time.park(this, LOOK_AGAIN_NANOS);
    }
  }
}
