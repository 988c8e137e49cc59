package com.wookler.river.rest.client;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Decides after each attempt of one call whether, when and at which server it is retried.
 *
 * <p><b>Where the next attempt goes.</b> A message's id is known to one queue on one server. As
 * long as nothing was sent (the connection was refused), a retry may go to any server. Once the
 * request may have been carried out (no answer, a broken connection, a status 5xx), only the same
 * server can recognize the duplicate, so all further attempts go there. A retry at another server
 * would be quicker, but store the message twice.
 *
 * <p>Attempts follow one another, so that the fields need no lock: each attempt happens before the
 * next one.
 */
final class RetryHandler {
  private static final int TIMEOUT_WEIGHT =
      2; // counts as this many broken connections, because it takes long

  private final Servers servers;
  private final Duration timeout;
  private final Request request;
  private final long deadline;
  private final RetryBackoff backoff = new RetryBackoff();
  private final Set<Server> unreachableServers = new HashSet<>(2);

  private Server server;
  private boolean mayBeDone;
  private int unansweredInARow;
  private long pauseNanos;

  RetryHandler(Servers servers, Transport.Settings settings, Request request) {
    this.servers = servers;
    this.timeout = settings.attemptTimeout(request.serverWait());
    this.request = request;
    Duration retryFor = request.retryFor() == null ? settings.retryFor() : request.retryFor();
    this.deadline = Ticker.nanos() + Ticker.nanos(retryFor);
    this.server = request.server() == null ? servers.next() : request.server();
  }

  /** Returns the server of the next attempt. */
  Server server() {
    return server;
  }

  /** Returns the deadline of an attempt that begins now, in {@link Ticker#nanos}. */
  long attemptDeadline() {
    return Ticker.nanos() + timeout.toNanos();
  }

  /** Returns how long to wait before the next attempt. */
  long pauseNanos() {
    return pauseNanos;
  }

  /**
   * Evaluates the result of an attempt.
   *
   * @param late whether the attempt was aborted because it took too long
   * @return the response, or null if the call is to be retried after {@link #pauseNanos}
   * @throws RiverClientException the call has failed
   */
  @Nullable Response handle(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure, boolean late) {
    pauseNanos = 0;
    if (response != null) {
      return answered(response);
    }
    if (late || failure == null) {
      unanswered("no answer in " + timeout, null);
    } else if (isNothingSent(failure)) {
      unreachable(failure);
    } else {
      unanswered(String.valueOf(failure), failure);
    }
    return null;
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private @Nullable Response answered(HttpResponse<byte[]> response) {
    server.markReachable();
    unansweredInARow = 0;
    if (request.isExpected(response.statusCode())) {
      return new Response(server, response.statusCode(), response.body());
    }
    RiverClientException error = ErrorResponses.toException(response, server.toString());
    mayBeDone |= error.mayBeDone();
    boolean retry =
        error instanceof QueueFullException
            || error instanceof TooManyRequestsException
            || error instanceof UnavailableException
            || ((error instanceof QueueFailedException || error instanceof ServerFailedException)
                && request.repeatable());
    if (!retry) {
      throw failed(error);
    }
    retryLater(Math.max(backoff.nextNanos(), Ticker.nanos(error.retryAfter())), error);
    return null;
  }

  /** Returns whether it is certain that the server received nothing of the request. */
  static boolean isNothingSent(Throwable failure) {
    return failure instanceof ConnectException
        || failure instanceof HttpConnectTimeoutException
        || failure instanceof UnresolvedAddressException
        || failure instanceof SSLHandshakeException
        || failure instanceof SSLPeerUnverifiedException // later ones may follow a request
        || failure.getCause() instanceof SSLPeerUnverifiedException; // of a call that waits
  }

  private void unreachable(Throwable failure) {
    server.markUnreachable();
    unreachableServers.add(server);
    ConnectionException none =
        new ConnectionException(
            "cannot reach " + server + " for " + request + ": " + failure, failure);
    if (mayBeDone || request.server() != null) {
      retryLater(backoff.nextNanos(), none);
      return;
    }
    Server other = servers.other(unreachableServers);
    if (other != null) {
      server = other;
      return;
    }
    unreachableServers.clear();
    server = servers.next();
    retryLater(backoff.nextNanos(), none);
  }

  private void unanswered(String what, @Nullable Throwable failure) {
    mayBeDone = true;
    unansweredInARow += failure == null ? TIMEOUT_WEIGHT : 1;
    OutcomeUnknownException unknown =
        new OutcomeUnknownException(
            "no answer from "
                + server
                + " to "
                + request
                + " ("
                + what
                + "); it may have been done",
            failure,
            server);
    if (!request.repeatable() || unansweredInARow >= request.maxUnanswered()) {
      throw failed(unknown);
    }
    retryLater(backoff.nextNanos(), unknown);
  }

  private void retryLater(long nanos, RiverClientException failure) {
    if (Ticker.nanos() + nanos - deadline > 0) {
      throw failed(failure);
    }
    pauseNanos = nanos;
  }

  private RiverClientException failed(RiverClientException failure) {
    return mayBeDone && !failure.mayBeDone()
        ? new OutcomeUnknownException(
            "an earlier attempt had no answer, and may have been done; then "
                + failure.getMessage(),
            failure,
            server)
        : failure;
  }
}
