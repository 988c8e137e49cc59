package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages from whichever server has some, waiting no longer than it was told.
 *
 * <p>One server is asked to wait for the whole time, in long slices. Several are first asked for
 * what they have, one after the other, then to wait for a short time each. One step follows the
 * other, so that the fields need no lock.
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
  private final Pause pause = new Pause();

  private int asked;
  private int failedInARow;
  private volatile @Nullable CompletableFuture<?> current; // for whoever ends it

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
    ask();
    return transport.watched(result);
  }

  /** Asks by this thread, until something came or the time is over. */
  List<RemoteDelivery> runNow() throws InterruptedException {
    while (true) {
      try {
        List<RemoteDelivery> taken = taken(transport.callInterruptibly(next()));
        if (taken != null) {
          return taken;
        }
      } catch (RiverClientException e) {
        transport.pause(pauseAfter(e));
      }
    }
  }

  private void ask() {
    if (result.isDone()) {
      return;
    }
    CompletableFuture<Answer> answer = transport.send(next());
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

  private Ask next() {
    Server server = servers.get(Math.floorMod(first + asked, servers.size()));
    long slice = servers.size() == 1 ? LONG_NANOS : asked < servers.size() ? 0 : SHORT_NANOS;
    long left = Math.max(0, deadline - Ticker.nanos());
    asked++;
    Duration wait = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(Math.min(left, slice)));
    return take(server, wait, Duration.ofNanos(left));
  }

  private Ask take(Server server, Duration wait, Duration left) {
    Duration most = transport.settings().retryFor();
    return Ask.post(
            subscriber.path() + "/deliveries?create=true&max=" + max + "&wait=" + Wire.text(wait))
        .waiting(wait)
        .within(servers.size() > 1 ? Duration.ZERO : left.compareTo(most) < 0 ? left : most)
        .to(server);
  }

  private void answered(@Nullable Answer answer, @Nullable Throwable failure) {
    if (answer == null) {
      failed(Attempts.cause(failure == null ? Transport.closedNow() : failure));
      return;
    }
    List<RemoteDelivery> taken = taken(answer);
    if (taken == null) {
      ask();
    } else if (!result.complete(taken) && !taken.isEmpty()) {
      giveBack(taken);
    }
  }

  /** Returns what came, or null if there is to be another request. */
  private @Nullable List<RemoteDelivery> taken(Answer answer) {
    failedInARow = 0;
    Wire.MessageJson[] read = answer.as(Wire.MessageJson[].class);
    boolean over = deadline - Ticker.nanos() <= 0 && asked >= servers.size();
    return read.length == 0 && !over
        ? null
        : Arrays.stream(read)
            .map(one -> new RemoteDelivery(subscriber, answer.server(), one))
            .toList();
  }

  private void giveBack(List<RemoteDelivery> taken) {
    if (!transport.isClosed()) {
      var unused = subscriber.settleAsync(taken, Settlement.release());
    }
  }

  private void failed(Throwable failure) {
    if (!(failure instanceof RiverClientException ours)) {
      result.completeExceptionally(failure);
      return;
    }
    long nanos = pauseAfter(ours);
    if (nanos == 0) {
      ask();
      return;
    }
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    if (result.isDone()) {
      timer.cancel(false);
    }
    var unused = timer.thenRun(this::ask);
  }

  /**
   * Returns how long to wait until another server is asked, zero if there is one that did not fail.
   *
   * @throws RiverClientException all have failed, or the request itself is wrong
   */
  private long pauseAfter(RiverClientException failure) {
    failedInARow++;
    boolean passing =
        (failure.mayBeDone() || failure.status() == 0 || failure.status() >= 429)
            && !(failure instanceof ClientClosedException);
    if (!passing || servers.size() == 1) {
      throw failure;
    }
    if (failedInARow < servers.size()) {
      return 0;
    }
    long nanos = pause.nextNanos();
    if (Ticker.nanos() + nanos - deadline > 0) {
      throw failure;
    }
    failedInARow = 0;
    return nanos;
  }
}
