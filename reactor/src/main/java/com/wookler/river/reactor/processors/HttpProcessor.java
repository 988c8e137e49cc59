package com.wookler.river.reactor.processors;

import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.Processor;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Posts each message to a URL.
 *
 * <table>
 * <caption>What becomes of a message</caption>
 * <tr><td>status 2xx</td><td>passed on</td></tr>
 * <tr><td>408, 425, 429, 5xx</td><td>delivered again: after what {@code Retry-After} says in
 *     seconds, at most an hour; without it by the subscriber's retry policy</td></tr>
 * <tr><td>any other status</td><td>rejected: another try would not help</td></tr>
 * <tr><td>no answer in time, no connection</td><td>delivered again by the retry policy</td></tr>
 * </table>
 *
 * <p>The request has the header {@code Idempotency-Key}, the same at each attempt of a message, by
 * which the receiver can tell repetitions. Redirections are not followed. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class HttpProcessor<M> implements Processor<M> {
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);
  private static final long LONGEST_DELAY_SECONDS = 3600;
  private static final int TIMEOUT = 408;
  private static final int TOO_EARLY = 425;
  private static final int TOO_MANY = 429;

  private final URI url;
  private final Function<? super Delivery<M>, byte[]> body;
  private final Duration timeout;
  private final Map<String, String> headers;
  private final String source;
  private final HttpClient client;

  private HttpProcessor(Builder<M> settings) {
    this.url = settings.url;
    this.body = settings.body;
    this.timeout = settings.timeout;
    this.headers = Map.copyOf(settings.headers);
    this.source = settings.source;
    this.client = HttpClient.newBuilder().connectTimeout(timeout).build();
  }

  /**
   * Collects the settings.
   *
   * @param source names where the messages come from, such as the queue; part of each idempotency
   *     key
   * @param body what to send for a message
   */
  public static <M> Builder<M> builder(
      URI url, String source, Function<? super Delivery<M>, byte[]> body) {
    return new Builder<>(url, source, body);
  }

  @Override
  public ProcessResult<M> process(Delivery<M> delivery) throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(url)
            .timeout(timeout)
            .header("Idempotency-Key", source + "-" + delivery.sequence());
    headers.forEach(request::header);
    HttpResponse<Void> response =
        client.send(
            request.POST(BodyPublishers.ofByteArray(body.apply(delivery))).build(),
            BodyHandlers.discarding());
    return result(response);
  }

  private ProcessResult<M> result(HttpResponse<Void> response) throws IOException {
    int status = response.statusCode();
    if (status / 100 == 2) {
      return ProcessResult.pass();
    }
    if (status / 100 == 5 || status == TIMEOUT || status == TOO_EARLY || status == TOO_MANY) {
      Optional<Duration> after = retryAfter(response);
      if (after.isPresent()) {
        return ProcessResult.retry(after.get());
      }
      throw new IOException(url + " answered " + status);
    }
    return ProcessResult.reject(url + " answered " + status);
  }

  private static Optional<Duration> retryAfter(HttpResponse<Void> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(text -> text.matches("\\d{1,9}"))
        .map(text -> Duration.ofSeconds(Math.min(LONGEST_DELAY_SECONDS, Long.parseLong(text))));
  }

  /**
   * Collects the settings of a processor. Not thread-safe.
   *
   * @param <M> type of the data
   */
  public static final class Builder<M> {
    private final URI url;
    private final String source;
    private final Function<? super Delivery<M>, byte[]> body;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private Duration timeout = DEFAULT_TIMEOUT;

    private Builder(URI url, String source, Function<? super Delivery<M>, byte[]> body) {
      this.url = Objects.requireNonNull(url, "url");
      this.source = Objects.requireNonNull(source, "source");
      this.body = Objects.requireNonNull(body, "body");
    }

    /** For the connection, and for the whole answer (default 10 s). */
    public Builder<M> timeout(Duration limit) {
      this.timeout = Objects.requireNonNull(limit, "limit");
      return this;
    }

    /** A header of each request, such as {@code Content-Type}. */
    public Builder<M> header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    /** The processor. */
    public HttpProcessor<M> build() {
      return new HttpProcessor<>(this);
    }
  }
}
