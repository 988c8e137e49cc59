package com.wookler.river.rest.client;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One call that no thread waits for, from its first attempt to its last; {@link Attempts} decides
 * about each. It completes on a thread of the client that may block, whichever thread the JDK's
 * client completes on.
 */
final class Exchange {
  private final Transport transport;
  private final Ask ask;
  private final Attempts attempts;
  private final CompletableFuture<Answer> result = new CompletableFuture<>();

  private volatile @Nullable CompletableFuture<?> current; // any thread may end the call

  /** One attempt under way. */
  private record Limit(CompletableFuture<?> sent, long deadline, CompletableFuture<Boolean> late)
      implements TimeLimits.Limited {
    @Override
    public boolean isLate(long now) {
      return now - deadline >= 0;
    }

    @Override
    public void end() {
      late.complete(true);
      sent.cancel(true);
    }
  }

  Exchange(Transport transport, Ask ask) {
    this.transport = transport;
    this.ask = ask;
    this.attempts = new Attempts(transport.servers(), transport.settings(), ask);
  }

  /** Begins; cancelling what it returns ends it. */
  CompletableFuture<Answer> run() {
    var unused =
        result.whenComplete(
            (answer, failure) -> {
              CompletableFuture<?> underWay = current;
              if (underWay != null) {
                underWay.cancel(true);
              }
            });
    attempt();
    return result;
  }

  private void attempt() {
    if (result.isDone()) {
      return;
    }
    CompletableFuture<HttpResponse<byte[]>> sent;
    try {
      sent = transport.attempt(attempts.server(), ask);
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
      return;
    }
    current = sent;
    if (result.isDone()) {
      sent.cancel(true); // it was ended in between
    }
    Limit limit = new Limit(sent, attempts.limit(), new CompletableFuture<>());
    transport.limits().add(limit);
    var unused =
        sent.whenCompleteAsync(
            (response, failure) -> {
              transport.limits().remove(limit);
              completed(response, failure, limit.late().isDone());
            },
            transport.threads());
  }

  private void completed(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure, boolean late) {
    try {
      Throwable cause = failure == null ? null : Attempts.cause(failure);
      Answer answer = attempts.after(response, cause, late);
      if (answer != null) {
        result.complete(answer);
      } else if (attempts.pauseNanos() == 0) {
        attempt();
      } else {
        CompletableFuture<?> timer = transport.after(Duration.ofNanos(attempts.pauseNanos()));
        current = timer;
        if (result.isDone()) {
          timer.cancel(false);
        }
        var unused = timer.thenRun(this::attempt);
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }
}
