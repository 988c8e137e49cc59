package com.wookler.river.rest.client;

import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Decides after each attempt of one call whether, where and when there is another.
 *
 * <p><b>Where the next attempt goes.</b> A message's id is known to one queue on one server. So as
 * long as nothing was sent (the connection was refused), any server will do; once something may
 * have been done (no answer, a broken connection, a status 5xx), only the same server knows whether
 * it was, and all further attempts go there. Sending it to another instead would be quicker, and
 * store it twice.
 *
 * <p>Attempts follow one another, so that the fields need no lock: each attempt happens before the
 * next one.
 */
final class Attempts {
  private static final int SILENCE_COUNTS = 2; // as so many broken connections, for it takes long

  private final Servers servers;
  private final Duration patience;
  private final Ask ask;
  private final long deadline;
  private final Pause pause = new Pause();
  private final Set<Server> refused = new HashSet<>(2);

  private Server server;
  private boolean mayBeDone;
  private int lostInARow;
  private long pauseNanos;

  Attempts(Servers servers, Transport.Settings settings, Ask ask) {
    this.servers = servers;
    this.patience = settings.patience(ask.patience());
    this.ask = ask;
    Duration within = ask.within() == null ? settings.retryFor() : ask.within();
    this.deadline = Ticker.nanos() + Ticker.nanos(within);
    this.server = ask.server() == null ? servers.next() : ask.server();
  }

  /** Returns where the next attempt goes. */
  Server server() {
    return server;
  }

  /** Returns until when an attempt that begins now may take. */
  long limit() {
    return Ticker.nanos() + patience.toNanos();
  }

  /** Returns how long to wait before the next attempt. */
  long pauseNanos() {
    return pauseNanos;
  }

  /**
   * Judges what an attempt has brought.
   *
   * @param late whether it was ended because it took too long
   * @return the answer, or null if there is to be another attempt, after {@link #pauseNanos}
   * @throws RiverClientException the call has failed
   */
  @Nullable Answer after(
      @Nullable HttpResponse<byte[]> response, @Nullable Throwable failure, boolean late) {
    pauseNanos = 0;
    if (response != null) {
      return answered(response);
    }
    if (late || failure == null) {
      lost("no answer in " + patience, null);
    } else if (nothingSent(failure)) {
      unreached(failure);
    } else {
      lost(String.valueOf(failure), failure);
    }
    return null;
  }

  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  private @Nullable Answer answered(HttpResponse<byte[]> response) {
    server.answered();
    lostInARow = 0;
    if (ask.isFine(response.statusCode())) {
      return new Answer(server, response.statusCode(), response.body());
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
    if (!again) {
      throw failed(refusal);
    }
    later(Math.max(pause.nextNanos(), Ticker.nanos(refusal.retryAfter())), refusal);
    return null;
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
    Server other = servers.other(refused);
    if (other != null) {
      server = other;
      return;
    }
    refused.clear();
    server = servers.next();
    later(pause.nextNanos(), none);
  }

  private void lost(String what, @Nullable Throwable failure) {
    mayBeDone = true;
    lostInARow += failure == null ? SILENCE_COUNTS : 1;
    OutcomeUnknownException unknown =
        new OutcomeUnknownException(
            "no answer from " + server + " to " + ask + " (" + what + "); it may have been done",
            failure,
            server);
    if (!ask.repeatable() || lostInARow >= ask.mostLost()) {
      throw failed(unknown);
    }
    later(pause.nextNanos(), unknown);
  }

  private void later(long nanos, RiverClientException failure) {
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
