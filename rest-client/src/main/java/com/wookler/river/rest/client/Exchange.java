package com.wookler.river.rest.client;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * One call, from its first attempt to its last.
 *
 * <p><b>What decides where the next attempt goes.</b> A message's id is known to one queue on one
 * server. So as long as nothing was sent (the connection was refused), any server will do; once
 * something may have been done (no answer, a broken connection, a status 5xx), only the same server
 * can tell whether it was, and all further attempts go there. Sending it to another instead would
 * be quicker, and store it twice.
 *
 * <p>Attempts follow one another, so that the fields need no lock: each attempt happens before the
 * completion that leads to the next.
 */
final class Exchange {
  private final Transport transport;
  private final Ask ask;
  private final long deadline;
  private final CompletableFuture<Answer> result = new CompletableFuture<>();
  private final Pause pause = new Pause();
  private final Set<Server> refused = new HashSet<>();

  private Server server;
  private boolean mayBeDone;
  private volatile @Nullable CompletableFuture<?> current; // for whoever ends the call

  Exchange(Transport transport, Ask ask) {
    this.transport = transport;
    this.ask = ask;
    Duration within = ask.within() == null ? transport.settings().retryFor() : ask.within();
    this.deadline = Ticker.nanos() + within.toNanos();
    this.server = ask.server() == null ? transport.servers().next() : ask.server();
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
    try {
      attempt();
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
    return result;
  }

  private void attempt() {
    if (result.isDone()) {
      return;
    }
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<HttpResponse<byte[]>> sent = transport.attempt(server, ask);
    current = sent;
    if (result.isDone()) {
      sent.cancel(true); // it was ended in between
    }
    CompletableFuture<?> watch = transport.after(transport.settings().patience(ask.patience()));
    var unused =
        watch.thenRun(
            () -> {
              late.set(true);
              sent.cancel(true);
            });
    var unused2 =
        sent.whenComplete(
            (response, failure) -> {
              watch.cancel(false);
              try {
                completed(response, failure, late.get());
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
  }

  private void completed(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure, boolean late) {
    if (response != null) {
      answered(response);
    } else if (late) {
      lost("no answer in " + transport.settings().patience(ask.patience()), null);
    } else if (failure != null) {
      failed(cause(failure));
    }
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private void answered(HttpResponse<byte[]> response) {
    server.answered();
    if (ask.isFine(response.statusCode())) {
      result.complete(new Answer(server, response.statusCode(), response.body()));
      return;
    }
    RiverClientException refusal = Problems.of(response, server.toString());
    mayBeDone |= refusal.mayBeDone();
    boolean again =
        refusal instanceof QueueFullException
            || refusal instanceof TooManyRequestsException
            || refusal instanceof UnavailableException
            || ((refusal instanceof QueueFailedException
                    || refusal instanceof ServerFailedException)
                && ask.repeatable());
    if (again) {
      later(Math.max(pause.nextNanos(), refusal.retryAfter().toNanos()), refusal);
    } else {
      fail(refusal);
    }
  }

  private void failed(Throwable failure) {
    if (nothingSent(failure)) {
      unreached(failure);
    } else {
      lost(String.valueOf(failure), failure);
    }
  }

  /** Whether it is certain that the server got nothing of the request. */
  static boolean nothingSent(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof HttpConnectTimeoutException
        || failure instanceof UnresolvedAddressException
        || failure instanceof SSLException;
  }

  private void unreached(Throwable failure) {
    server.refused();
    refused.add(server);
    ConnectionException none =
        new ConnectionException("cannot reach " + server + " for " + ask + ": " + failure, failure);
    if (mayBeDone || ask.server() != null) {
      later(pause.nextNanos(), none);
      return;
    }
    Server other = transport.servers().other(refused);
    if (other != null) {
      server = other;
      attempt();
      return;
    }
    refused.clear();
    server = transport.servers().next();
    later(pause.nextNanos(), none);
  }

  private void lost(String what, @Nullable Throwable failure) {
    mayBeDone = true;
    OutcomeUnknownException unknown =
        new OutcomeUnknownException(
            "no answer from " + server + " to " + ask + " (" + what + "); it may have been done",
            failure);
    if (ask.repeatable()) {
      later(pause.nextNanos(), unknown);
    } else {
      fail(unknown);
    }
  }

  private void later(long nanos, RiverClientException failure) {
    if (Ticker.nanos() + nanos - deadline > 0) {
      fail(failure);
      return;
    }
    CompletableFuture<?> timer = transport.after(Duration.ofNanos(nanos));
    current = timer;
    if (result.isDone()) {
      timer.cancel(false);
    }
    var unused = timer.thenRun(this::attempt);
  }

  private void fail(RiverClientException failure) {
    result.completeExceptionally(
        mayBeDone && !failure.mayBeDone()
            ? new OutcomeUnknownException(
                "an earlier attempt had no answer, and may have been done; then "
                    + failure.getMessage(),
                failure)
            : failure);
  }
}
