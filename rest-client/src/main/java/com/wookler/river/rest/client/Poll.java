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
    this.deadline = Ticker.nanos() + timeout.toNanos();
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

  private void ask() {
    if (result.isDone()) {
      return;
    }
    Server server = servers.get(Math.floorMod(first + asked, servers.size()));
    long slice = servers.size() == 1 ? LONG_NANOS : asked < servers.size() ? 0 : SHORT_NANOS;
    long left = Math.max(0, deadline - Ticker.nanos());
    asked++;
    Duration wait = Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(Math.min(left, slice)));
    CompletableFuture<Answer> answer = transport.send(take(server, wait, Duration.ofNanos(left)));
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

  private Ask take(Server server, Duration wait, Duration left) {
    Duration most = transport.settings().retryFor();
    return Ask.post(subscriber.path() + "/deliveries?max=" + max + "&wait=" + Wire.text(wait))
        .waiting(wait)
        .within(servers.size() > 1 ? Duration.ZERO : left.compareTo(most) < 0 ? left : most)
        .to(server);
  }

  private void answered(@Nullable Answer answer, @Nullable Throwable failure) {
    if (answer == null) {
      failed(Exchange.cause(failure == null ? Transport.closedNow() : failure));
      return;
    }
    failedInARow = 0;
    List<RemoteDelivery> taken = deliveries(answer);
    boolean over = deadline - Ticker.nanos() <= 0 && asked >= servers.size();
    if (taken.isEmpty() && !over) {
      ask();
    } else if (!result.complete(taken) && !taken.isEmpty()) {
      giveBack(taken);
    }
  }

  private List<RemoteDelivery> deliveries(Answer answer) {
    Wire.MessageJson[] read = answer.as(Wire.MessageJson[].class);
    return Arrays.stream(read)
        .map(one -> new RemoteDelivery(subscriber, answer.server(), one))
        .toList();
  }

  private void giveBack(List<RemoteDelivery> taken) {
    if (!transport.isClosed()) {
      var unused = subscriber.settleAsync(taken, Settlement.release());
    }
  }

  /** Another server may answer, unless the request itself is wrong. */
  private void failed(Throwable failure) {
    failedInARow++;
    boolean passing =
        failure instanceof RiverClientException ours
            && (ours.mayBeDone() || ours.status() == 0 || ours.status() >= 429)
            && !(ours instanceof ClientClosedException);
    if (!passing || servers.size() == 1) {
      result.completeExceptionally(failure);
    } else if (failedInARow < servers.size()) {
      ask();
    } else {
      allFailed(failure);
    }
  }

  private void allFailed(Throwable failure) {
    long nanos = pause.nextNanos();
    if (Ticker.nanos() + nanos - deadline > 0) {
      result.completeExceptionally(failure);
      return;
    }
    failedInARow = 0;
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    var unused = timer.thenRun(this::ask);
  }
}
