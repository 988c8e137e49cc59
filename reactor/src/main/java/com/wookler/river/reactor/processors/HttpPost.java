package com.wookler.river.reactor.processors;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Posts to a URL, and says what the answer means. Thread-safe. */
final class HttpPost {
  private static final long LONGEST_DELAY_SECONDS = 3600;
  private static final int UNAUTHORIZED = 401;
  private static final int PROXY_AUTHENTICATION = 407;
  private static final int TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;
  private static final int BAD_GATEWAY = 502;
  private static final int GATEWAY_TIMEOUT = 504;

  private final URI url;
  private final Duration timeout;
  private final Map<String, String> headers;
  private final HttpClient client;

  /** What an answer means for what was sent. */
  enum Verdict {
    TAKEN,
    LATER,
    REFUSED
  }

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param after how long to wait, of those that are to come later
   */
  record Answer(Verdict verdict, int status, Duration after) {}

  /**
   * To one URL.
   *
   * @param ssl whom to trust; null: whom the JVM trusts
   */
  HttpPost(URI url, Duration timeout, Map<String, String> headers, @Nullable SSLContext ssl) {
    this.url = url;
    this.timeout = timeout;
    this.headers = Map.copyOf(headers);
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
    if (ssl != null) {
      builder.sslContext(ssl);
    }
    this.client = builder.build();
    try {
      request(); // now, and not over each message
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException("cannot post to " + url + ": " + e.getMessage(), e);
    }
  }

  private HttpRequest.Builder request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(timeout);
    headers.forEach(request::header);
    return request;
  }

  /**
   * Sends.
   *
   * @throws IOException there is no connection, none to whom is trusted, no answer in time, or
   *     nobody behind the gateway
   * @throws RiverException the server failed over this request
   */
  Answer send(String idempotencyKey, byte[] body) throws IOException, InterruptedException {
    HttpRequest.Builder request = request().header("Idempotency-Key", idempotencyKey);
    HttpResponse<Void> response = send(request.POST(BodyPublishers.ofByteArray(body)).build());
    int status = response.statusCode();
    if (status / 100 == 2) {
      return new Answer(Verdict.TAKEN, status, Duration.ZERO);
    }
    if (status / 100 != 5 && !isNoVerdict(status)) {
      return new Answer(Verdict.REFUSED, status, Duration.ZERO);
    }
    Optional<Duration> after = retryAfter(response);
    if (after.isPresent()) {
      return new Answer(Verdict.LATER, status, after.get());
    }
    String what = url + " answered " + status;
    if (isNoVerdict(status) || isGateway(status)) {
      throw new IOException(what);
    }
    throw new RiverException(what);
  }

  private static boolean isGateway(int status) {
    return status >= BAD_GATEWAY && status <= GATEWAY_TIMEOUT;
  }

  /** Whether the server has not looked at what was sent: it would say so of any message. */
  private static boolean isNoVerdict(int status) {
    return switch (status) {
      case UNAUTHORIZED, PROXY_AUTHENTICATION, TIMEOUT, TOO_EARLY, TOO_MANY -> true;
      default -> false;
    };
  }

  /** The client's own time limit ends with the header of the answer; this one with its body. */
  private HttpResponse<Void> send(HttpRequest request) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(request, BodyHandlers.discarding());
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException(url + " has not answered whole within " + timeout);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw new IOException(reason(failed), failed);
      }
      throw new RiverException(url + " cannot be asked", e);
    } finally {
      answer.cancel(true); // no effect on one that is there
    }
  }

  /** What the JDK says of a certificate names neither the server nor what it is about. */
  private String reason(IOException failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return url + " is not sent to, its certificate is not trusted: " + cause.getMessage();
      }
    }
    return failed.toString();
  }

  private static Optional<Duration> retryAfter(HttpResponse<Void> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(text -> text.matches("\\d{1,9}"))
        .map(text -> Duration.ofSeconds(Math.min(LONGEST_DELAY_SECONDS, Long.parseLong(text))));
  }

  URI url() {
    return url;
  }
}
