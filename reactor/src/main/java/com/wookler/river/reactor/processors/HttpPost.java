package com.wookler.river.reactor.processors;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.reactor.processors.StatusRules.Meaning;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Posts to a URL, and says what the answer means. Thread-safe. */
final class HttpPost {
  private static final long LONGEST_DELAY_SECONDS = 3600;
  private static final String KEY = "Idempotency-Key";

  private final URI url;
  private final Duration timeout;
  private final Map<String, String> headers;
  private final StatusRules rules;
  private final HttpClient client;

  /**
   * An answer.
   *
   * @param status of HTTP
   * @param after how long the server asks to wait; null: it does not say
   */
  record Answer(Meaning meaning, int status, @Nullable Duration after) {}

  /**
   * To one URL.
   *
   * @param ssl whom to trust; null: whom the JVM trusts
   */
  HttpPost(
      URI url,
      Duration timeout,
      Map<String, String> headers,
      StatusRules rules,
      @Nullable SSLContext ssl) {
    this.url = url;
    this.rules = rules;
    this.timeout = timeout;
    this.headers = Map.copyOf(headers);
    HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(timeout);
    if (ssl != null) {
      builder.sslContext(ssl);
    }
    this.client = builder.build();
    check(); // now, and not over each message
  }

  /** What the JDK says of a header has its value, which may be a secret. */
  private void check() {
    HttpRequest.Builder request;
    try {
      request = HttpRequest.newBuilder(url);
    } catch (IllegalArgumentException e) {
      throw new ConfigurationException("cannot post to " + this + ": " + e.getMessage(), e);
    }
    headers.forEach(
        (name, value) -> {
          boolean sent = !name.equalsIgnoreCase(KEY);
          try {
            request.header(name, value);
          } catch (IllegalArgumentException e) {
            sent = false;
          }
          if (!sent) {
            throw new ConfigurationException(
                "cannot post to "
                    + this
                    + ": the header '"
                    + name
                    + "' cannot be set: River or the JDK sets it itself, or its name or value has"
                    + " characters that are not allowed");
          }
        });
  }

  private HttpRequest.Builder request() {
    HttpRequest.Builder request = HttpRequest.newBuilder(url).timeout(timeout);
    headers.forEach(request::header);
    return request;
  }

  /**
   * Sends.
   *
   * @throws IOException there is no connection, none to whom is trusted, or no answer in time
   */
  Answer send(String idempotencyKey, byte[] body) throws IOException, InterruptedException {
    HttpRequest.Builder request = request().header(KEY, idempotencyKey);
    HttpResponse<Void> response = send(request.POST(BodyPublishers.ofByteArray(body)).build());
    int status = response.statusCode();
    return new Answer(rules.of(status), status, retryAfter(response));
  }

  /** The client's own time limit ends with the header of the answer; this one with its body. */
  private HttpResponse<Void> send(HttpRequest request) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<Void>> answer =
        client.sendAsync(request, BodyHandlers.discarding());
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new HttpTimeoutException(this + " has not answered whole within " + timeout);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw new IOException(reason(failed), failed);
      }
      throw new RiverException(this + " cannot be asked", e);
    } finally {
      answer.cancel(true); // no effect on one that is there
    }
  }

  /** What the JDK says of a certificate names neither the server nor what it is about. */
  private String reason(IOException failed) {
    for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return this + " is not sent to, its certificate is not trusted: " + cause.getMessage();
      }
    }
    return failed.toString();
  }

  private static @Nullable Duration retryAfter(HttpResponse<Void> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(text -> text.matches("\\d{1,9}"))
        .map(text -> Duration.ofSeconds(Math.min(LONGEST_DELAY_SECONDS, Long.parseLong(text))))
        .orElse(null);
  }

  /** The URL without what may be a secret in it: user and query. */
  static String shown(URI url) {
    String text = url.toString();
    String user = url.getRawUserInfo();
    String query = url.getRawQuery();
    text = user == null ? text : text.replace(user + "@", "");
    return query == null ? text : text.replace("?" + query, "?…");
  }

  @Override
  public String toString() {
    return shown(url);
  }
}
