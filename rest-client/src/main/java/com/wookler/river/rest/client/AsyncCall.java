package com.wookler.river.rest.client;

import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call that no thread waits for, with all its attempts; {@link RetryHandler} decides about
 * each. It completes on a thread of the client that may block, not on the thread that the JDK's
 * client completes on.
 */
final class AsyncCall {
  private final Transport transport;
  private final Sender sender;
  private final Request request;
  private final RetryHandler retries;
  private final @Nullable Consumer<Response> unclaimed;
  private final CompletableFuture<Response> result = new CompletableFuture<>();

  private volatile boolean answering; // the head of the attempt's response has arrived
  private volatile @Nullable CompletableFuture<?> current; // any thread may cancel it

  /** Sends a request once, as {@link Transport#attempt} does. */
  interface Sender {
    CompletableFuture<HttpResponse<byte[]>> send(
        Server server, Request request, HttpResponse.BodyHandler<byte[]> handler);
  }

  /** An attempt in flight. */
  private record TimedAttempt(
      CompletableFuture<?> sent, long deadline, CompletableFuture<Boolean> late)
      implements TimeoutChecker.TimedTask {
    @Override
    public boolean isTimedOut(long now) {
      return now - deadline >= 0;
    }

    @Override
    public void end() {
      late.complete(true);
      sent.cancel(true);
    }
  }

  /**
   * @param unclaimed gets a response that had begun to arrive when the call was cancelled; null:
   *     such a response is aborted, too
   */
  AsyncCall(Transport transport, Request request, @Nullable Consumer<Response> unclaimed) {
    this(transport, transport::attempt, request, unclaimed);
  }

  AsyncCall(
      Transport transport, Sender sender, Request request, @Nullable Consumer<Response> unclaimed) {
    this.transport = transport;
    this.sender = sender;
    this.request = request;
    this.unclaimed = unclaimed;
    this.retries = new RetryHandler(transport.servers(), transport.settings(), request);
  }

  /** Starts the call. Cancelling the returned future aborts it. */
  CompletableFuture<Response> run() {
    var unused = result.whenComplete((answer, failure) -> abort());
    attempt();
    return result;
  }

  /** Aborts what is under way, unless it is a response that has begun to arrive and is wanted. */
  private void abort() {
    CompletableFuture<?> underWay = current;
    boolean wanted = unclaimed != null && answering && !transport.isClosed();
    if (underWay != null && !wanted) {
      underWay.cancel(true);
    }
  }

  private void attempt() {
    if (result.isDone()) {
      return;
    }
    CompletableFuture<HttpResponse<byte[]>> sent;
    answering = false;
    try {
      sent = sender.send(retries.server(), request, this::answering);
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
      return;
    }
    current = sent;
    if (result.isDone()) {
      abort(); // it was cancelled in between
    }
    TimedAttempt timed =
        new TimedAttempt(sent, retries.attemptDeadline(), new CompletableFuture<>());
    transport.timeouts().add(timed);
    var unused =
        sent.whenCompleteAsync(
            (response, failure) -> {
              transport.timeouts().remove(timed);
              completed(response, failure, timed.late().isDone());
            },
            transport.threads());
  }

  private BodySubscriber<byte[]> answering(HttpResponse.ResponseInfo head) {
    answering = true;
    return BodySubscribers.ofByteArray();
  }

  private void completed(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure, boolean late) {
    answering = false;
    try {
      Throwable cause = failure == null ? null : RetryHandler.cause(failure);
      Response answer = retries.handle(response, cause, late);
      if (answer != null) {
        if (!result.complete(answer) && unclaimed != null) {
          unclaimed.accept(answer);
        }
      } else if (retries.pauseNanos() == 0) {
        attempt();
      } else {
        CompletableFuture<?> timer = transport.after(Duration.ofNanos(retries.pauseNanos()));
        current = timer;
        if (result.isDone()) {
          abort();
        }
        var unused = timer.thenRun(this::attempt);
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }
}
