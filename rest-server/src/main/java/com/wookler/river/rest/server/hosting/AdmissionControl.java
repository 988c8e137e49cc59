package com.wookler.river.rest.server.hosting;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts connections and requests, and rejects those beyond the limits. Thread-safe. */
public final class AdmissionControl {
  private static final Logger LOG = LoggerFactory.getLogger(AdmissionControl.class);
  private static final int RETRY_SECONDS = 1;
  private static final long POLL_NANOS = 2_000_000;

  private final ServerLimits limits;
  private final BufferBudget budget;
  private final AtomicInteger connections = new AtomicInteger();
  private final Map<String, Integer> connectionsByAddress = new ConcurrentHashMap<>();
  private final AtomicInteger arriving = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder rejectedConnections = new LongAdder();

  @GuardedBy("this")
  private final RateLimitedLog rejectionLog;

  public AdmissionControl(ServerLimits limits, TimeSource time) {
    this.limits = limits;
    this.budget = new BufferBudget(limits.bufferedBytes(), time);
    this.rejectionLog = new RateLimitedLog(time);
  }

  /** Returns the budget of the memory that bodies and responses hold. */
  public BufferBudget budget() {
    return budget;
  }

  public ServerLimits limits() {
    return limits;
  }

  /**
   * Returns whether a connection from an address is admitted; one that is not has to be closed, and
   * is logged from time to time.
   */
  public boolean admitConnection(String address) {
    String reached = null;
    if (connectionsByAddress.merge(address, 1, Integer::sum) > limits.connectionsPerAddress()) {
      reached = "server.max.connections.per.address";
    } else if (!tryIncrement(connections, limits.connections())) {
      reached = "server.max.connections";
    }
    if (reached == null) {
      return true;
    }
    decrement(address);
    rejectedConnections.increment();
    if (mayLogRejection()) {
      LOG.warn(
          "There are {} connections, as many as {} allows; further ones are closed at once, the"
              + " last one from {}",
          connections(),
          reached,
          address);
    }
    return false;
  }

  private synchronized boolean mayLogRejection() {
    return rejectionLog.mayLog();
  }

  /**
   * Returns the address of a client; for IPv6 its /64 network, in which it can choose addresses
   * freely.
   *
   * @param address literal; null if it is not known
   */
  public static String networkOf(@Nullable String address) {
    if (address == null || address.indexOf(':') < 0) {
      return String.valueOf(address);
    }
    try {
      byte[] bytes = InetAddress.getByName(address).getAddress(); // a literal: no DNS lookup
      return HexFormat.of().formatHex(bytes, 0, bytes.length / 2);
    } catch (UnknownHostException e) {
      return address;
    }
  }

  private void decrement(String address) {
    connectionsByAddress.computeIfPresent(address, (key, count) -> count == 1 ? null : count - 1);
  }

  public int connections() {
    return connections.get();
  }

  /** Returns the number of connections that were rejected. */
  public long rejectedConnections() {
    return rejectedConnections.sum();
  }

  public void disconnected(String address) {
    decrement(address);
    connections.decrementAndGet();
  }

  /** Counts a request whose body is arriving, for which {@link #awaitIdle} waits. */
  public void bodyArriving(CompletionStage<?> body) {
    arriving.incrementAndGet();
    var unused = body.whenComplete((there, failed) -> arriving.decrementAndGet());
  }

  /**
   * Admits a request and counts it as in progress until it ends.
   *
   * @param onEnd runs its argument when the request ends
   * @throws RequestException the limit is reached
   */
  public void admitRequest(Consumer<Runnable> onEnd) {
    if (!tryIncrement(requests, limits.requests())) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          limits.requests() + " requests are in progress, as many as server.max.requests allows",
          RETRY_SECONDS);
    }
    onEnd.accept(requests::decrementAndGet);
  }

  /**
   * Admits a request that waits for messages, and counts it as waiting instead of in progress until
   * it ends.
   *
   * @param onEnd runs its argument when the request ends
   * @throws RequestException the limit is reached
   */
  public void admitWaiting(Consumer<Runnable> onEnd) {
    if (!tryIncrement(waiting, limits.waiting())) {
      throw RequestException.later(
          RequestException.Reason.TOO_MANY_REQUESTS,
          limits.waiting() + " requests wait for messages, as many as server.max.waiting allows",
          RETRY_SECONDS);
    }
    requests.decrementAndGet();
    onEnd.accept(
        () -> {
          waiting.decrementAndGet();
          requests.incrementAndGet(); // its end as a request decrements it
        });
  }

  /**
   * Returns the number of requests in progress, without those that wait for messages and those
   * whose body is arriving.
   */
  public int requests() {
    return requests.get();
  }

  /** Returns the number of requests that wait for messages. */
  public int waiting() {
    return waiting.get();
  }

  private static boolean tryIncrement(AtomicInteger count, int limit) {
    if (count.incrementAndGet() <= limit) {
      return true;
    }
    count.decrementAndGet();
    return false;
  }

  /** Waits until no request is in progress, or the time has passed. */
  public void awaitIdle(TimeSource time, Duration most) {
    long start = time.nanoTime();
    while ((requests.get() > 0 || waiting.get() > 0 || arriving.get() > 0)
        && time.nanoTime() - start < most.toNanos()
        && !Thread.currentThread().isInterrupted()) {
      time.park(this, POLL_NANOS);
    }
  }
}
