package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Polls the servers of a client for messages, until one has some or the timeout has passed.
 *
 * <p>A single server is asked to wait for the whole time, in long slices. Several servers are first
 * asked in turn without waiting, then to wait for a short time each. Steps follow one another, so
 * that the fields need no lock.
 */
final class Poll {
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final AtomicInteger TURN = new AtomicInteger();

  private final RemoteSubscriber subscriber;
  private final Transport transport;
  private final List<Server> servers;
  private final int max;
  private final long deadline;
  private final int first = TURN.getAndIncrement();
  private final CompletableFuture<List<RemoteDelivery>> result = new CompletableFuture<>();
  private final RetryBackoff backoff = new RetryBackoff();

  private int requests;
  private int failedInARow;
  private volatile @Nullable CompletableFuture<?> current; // any thread may cancel it

  Poll(RemoteSubscriber subscriber, int max, Duration timeout) {
    this.subscriber = subscriber;
    this.transport = subscriber.caller().transport();
    this.servers = subscriber.caller().servers();
    this.max = max;
    this.deadline = Ticker.nanos() + Ticker.nanos(timeout);
  }

  CompletableFuture<List<RemoteDelivery>> run() {
    var unused =
        result.whenComplete(
            (taken, failure) -> {
              CompletableFuture<?> underWay = current;
              if (underWay != null) {
                underWay.cancel(true);
              }
            });
    sendNext();
    return transport.failWhenClosed(result);
  }

  /** Polls on the calling thread, until messages came or the timeout has passed. */
  List<RemoteDelivery> runBlocking() throws InterruptedException {
    while (true) {
      try {
        List<RemoteDelivery> taken = readDeliveries(transport.callInterruptibly(nextRequest()));
        if (taken != null) {
          return taken;
        }
      } catch (RiverClientException e) {
        transport.pause(pauseAfter(e));
      }
    }
  }

  private void sendNext() {
    if (result.isDone()) {
      return;
    }
    CompletableFuture<Response> answer = transport.send(nextRequest(), this::unclaimed);
    current = answer;
    if (result.isDone()) {
      answer.cancel(true);
    }
    var unused =
        answer.whenComplete(
            (taken, failure) -> {
              try {
                answered(taken, failure);
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
  }

  private Request nextRequest() {
    Server server = servers.get(Math.floorMod(first + requests, servers.size()));
    long slice = servers.size() == 1 ? LONG_NANOS : requests < servers.size() ? 0 : SHORT_NANOS;
    long left = Math.max(0, deadline - Ticker.nanos());
    requests++;
    Duration wait = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(Math.min(left, slice)));
    return pollRequest(server, wait, Duration.ofNanos(left));
  }

  private Request pollRequest(Server server, Duration wait, Duration left) {
    Duration most = transport.settings().retryFor();
    return Request.post(
            subscriber.path()
                + "/deliveries?create=true&max="
                + max
                + "&wait="
                + JsonCodec.formatDuration(wait)
                + subscriber.ownerInQuery())
        .serverWait(wait)
        .retryFor(servers.size() > 1 ? Duration.ZERO : left.compareTo(most) < 0 ? left : most)
        .to(server);
  }

  private void answered(@Nullable Response answer, @Nullable Throwable failure) {
    if (answer == null) {
      failed(RetryHandler.cause(failure == null ? Transport.closedNow() : failure));
      return;
    }
    List<RemoteDelivery> taken = readDeliveries(answer);
    if (taken == null) {
      sendNext();
    } else if (!result.complete(taken)) {
      releaseUnclaimed(taken);
    }
  }

  /** Releases the messages of a response that was on its way when the poll was cancelled. */
  private void unclaimed(Response answer) {
    List<RemoteDelivery> taken = readDeliveries(answer);
    if (taken != null) {
      releaseUnclaimed(taken);
    }
  }

  /** Returns the messages that came, or null if there is to be another request. */
  private @Nullable List<RemoteDelivery> readDeliveries(Response answer) {
    failedInARow = 0;
    JsonCodec.MessageJson[] read = answer.as(JsonCodec.MessageJson[].class);
    boolean over = deadline - Ticker.nanos() <= 0 && requests >= servers.size();
    return read.length == 0 && !over
        ? null
        : Arrays.stream(read)
            .map(one -> new RemoteDelivery(subscriber, answer.server(), one))
            .toList();
  }

  private void releaseUnclaimed(List<RemoteDelivery> taken) {
    if (!taken.isEmpty() && !transport.isClosed()) {
      var unused = subscriber.settleAsync(taken, Acknowledgement.release());
    }
  }

  private void failed(Throwable failure) {
    if (!(failure instanceof RiverClientException ours)) {
      result.completeExceptionally(failure);
      return;
    }
    long nanos = pauseAfter(ours);
    if (nanos == 0) {
      sendNext();
      return;
    }
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    if (result.isDone()) {
      timer.cancel(false);
    }
    var unused = timer.thenRun(this::sendNext);
  }

  /**
   * Returns how long to wait before the next request; zero if there is a server that did not fail.
   *
   * @throws RiverClientException all servers have failed, or the request itself is wrong
   */
  private long pauseAfter(RiverClientException failure) {
    failedInARow++;
    boolean transientFailure =
        (failure.mayBeDone() || failure.status() == 0 || failure.status() >= 429)
            && !(failure instanceof ClientClosedException);
    if (!transientFailure || servers.size() == 1) {
      throw failure;
    }
    if (failedInARow < servers.size()) {
      return 0;
    }
    long nanos = backoff.nextNanos();
    if (Ticker.nanos() + nanos - deadline > 0) {
      throw failure;
    }
    failedInARow = 0;
    return nanos;
  }
}
