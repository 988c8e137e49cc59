package com.wookler.river.reactor.processors;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.MessageIds;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Posts messages to a URL: each in a request of its own, or several in one, a line each.
 *
 * <table>
 * <caption>What becomes of a message</caption>
 * <tr><td>status 2xx</td><td>passed on</td></tr>
 * <tr><td>401, 407, 408, 425, 429, 5xx</td><td>delivered again: after what {@code Retry-After} says in
 *     seconds, at most an hour; without it by the subscriber's retry policy</td></tr>
 * <tr><td>any other status</td><td>rejected: another try would not help. Of several in one request
 *     each is sent again alone, to find the one</td></tr>
 * <tr><td>no answer in time, no connection, a certificate that is not trusted</td><td>delivered again by the retry policy</td></tr>
 * </table>
 *
 * <p>A {@link RetryProcessor} around it waits until the receiver is there: it takes {@code
 * Retry-After}, 401, 407, 408, 425, 429, 502, 503, 504 and connections that fail for an absence,
 * any other 5xx for the message's own failure.
 *
 * <p>The request has the header {@code Idempotency-Key}, the same at each attempt of a message, by
 * which the receiver can tell repetitions: the source and what {@link MessageIds} says; of several
 * messages that of the first and of the last. A batch may be put together otherwise after a crash;
 * where repetitions matter, send messages alone. Redirections are not followed.
 *
 * <p>{@code https} trusts what the JVM trusts, or the certificates that it is given. Those are read
 * when it is made: a restart is needed to trust others.
 *
 * <p>In XML: {@code http.url}, {@code http.timeout}, {@code http.content.type}, {@code
 * http.batch.messages}, and {@code http.ssl.trust}, or {@code http.ssl.truststore} with {@code
 * http.ssl.password}; the body is the data, as bytes or text. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class HttpProcessor<M> implements BatchProcessor<M>, ReactorAware<M>, Configurable {
  private static final String URL = "http.url";
  private static final String TIMEOUT = "http.timeout";
  private static final String TYPE = "http.content.type";
  private static final String BATCH = "http.batch.messages";

  private @Nullable Parts<M> parts; // set before the first message, like the source
  private String source = "";

  /** What it works with. */
  private record Parts<M>(
      HttpPost post, Function<? super Delivery<M>, byte[]> body, int batchMessages) {}

  /** For XML. */
  public HttpProcessor() {}

  private HttpProcessor(Builder<M> settings) {
    this.parts = settings.parts();
    this.source = settings.source;
  }

  /**
   * Collects the settings.
   *
   * @param source names where the messages come from, part of each idempotency key; empty: the
   *     queue's name and identity
   * @param body what to send for a message
   */
  public static <M> Builder<M> builder(
      URI url, String source, Function<? super Delivery<M>, byte[]> body) {
    return new Builder<>(url, source, body);
  }

  @Override
  public void configure(ConfigNode node) {
    node.allowParams(
        Stream.concat(Stream.of(URL, TIMEOUT, TYPE, BATCH), Trust.PARAMS.stream()).toList());
    URI url;
    try {
      url = URI.create(node.requireParam(URL));
    } catch (IllegalArgumentException e) {
      throw node.error(URL, "is no URL: " + e.getMessage());
    }
    Builder<M> builder =
        new Builder<>(url, "", delivery -> Bytes.of(Objects.requireNonNull(delivery.data())));
    node.param(TYPE).ifPresent(type -> builder.header("Content-Type", type));
    Trust.of(node).ifPresent(builder::sslContext);
    builder
        .timeout(node.duration(TIMEOUT, builder.timeout))
        .batchMessages(node.integer(BATCH, builder.batchMessages));
    parts = builder.parts();
  }

  private Parts<M> parts() {
    if (parts == null) {
      throw new ConfigurationException("an HTTP processor needs the parameter " + URL);
    }
    return parts;
  }

  @Override
  public void startIn(ReactorContext<M> reactor) {
    if (source.isEmpty()) {
      source = reactor.subscriber().origin();
    }
  }

  @Override
  public int mostAtOnce() {
    return parts().batchMessages();
  }

  @Override
  public List<ProcessResult<M>> process(List<Delivery<M>> batch) {
    int max = parts().batchMessages();
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i += max) {
      List<Delivery<M>> some = batch.subList(i, Math.min(batch.size(), i + max));
      if (Thread.currentThread().isInterrupted()) {
        results.addAll(Collections.nCopies(some.size(), ProcessResult.release()));
      } else {
        results.addAll(attempt(some));
      }
    }
    return results;
  }

  private List<ProcessResult<M>> attempt(List<Delivery<M>> some) {
    try {
      return send(some);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Collections.nCopies(some.size(), ProcessResult.retry(Duration.ZERO)); // it had begun
    }
  }

  private List<ProcessResult<M>> send(List<Delivery<M>> some) throws InterruptedException {
    try {
      HttpPost.Answer answer = parts().post().send(key(some), body(some));
      return switch (answer.verdict()) {
        case TAKEN -> Collections.nCopies(some.size(), ProcessResult.pass());
        case LATER -> Collections.nCopies(some.size(), ProcessResult.retry(answer.after()));
        case REFUSED -> refused(some, answer.status());
      };
    } catch (IOException e) {
      return Collections.nCopies(some.size(), ProcessResult.failed(e));
    } catch (RuntimeException e) { // the body of one, or the server's over one
      return some.size() == 1 ? List.of(ProcessResult.failed(e)) : alone(some);
    }
  }

  private List<ProcessResult<M>> refused(List<Delivery<M>> some, int status)
      throws InterruptedException {
    return some.size() == 1
        ? List.of(ProcessResult.reject(parts().post().url() + " answered " + status))
        : alone(some);
  }

  private List<ProcessResult<M>> alone(List<Delivery<M>> some) throws InterruptedException {
    List<ProcessResult<M>> results = new ArrayList<>(some.size());
    for (Delivery<M> delivery : some) {
      results.addAll(send(List.of(delivery)));
    }
    return results;
  }

  private String key(List<Delivery<M>> some) {
    String first = source + "-" + MessageIds.of(some.get(0));
    return some.size() == 1 ? first : first + "-" + MessageIds.of(some.get(some.size() - 1));
  }

  private byte[] body(List<Delivery<M>> some) {
    if (some.size() == 1) {
      return parts().body().apply(some.get(0));
    }
    ByteArrayOutputStream lines = new ByteArrayOutputStream();
    for (Delivery<M> delivery : some) {
      lines.writeBytes(parts().body().apply(delivery));
      lines.write('\n');
    }
    return lines.toByteArray();
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
    private Duration timeout = Duration.ofSeconds(10);
    private int batchMessages = 1;
    private @Nullable SSLContext ssl;

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
      headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
      return this;
    }

    /** How many messages are sent at most in one request, a line each (default 1: no line end). */
    public Builder<M> batchMessages(int messages) {
      this.batchMessages = messages;
      return this;
    }

    /**
     * Trusts the certificates in a file, in PEM, and no others (default: what the JVM trusts): a
     * server's own, or that of the authority that has signed it.
     *
     * @throws ConfigurationException it cannot be read, or has none
     */
    public Builder<M> trust(Path certificates) {
      return sslContext(Trust.ofPem(certificates));
    }

    /**
     * Likewise those in a store, PKCS12 or JKS.
     *
     * @throws ConfigurationException it cannot be read, also by this password, or has none
     */
    public Builder<M> truststore(Path store, String password) {
      return sslContext(Trust.ofStore(store, password));
    }

    /** Whom to trust, and with what to prove who we are. The last of these three calls counts. */
    public Builder<M> sslContext(SSLContext context) {
      this.ssl = Objects.requireNonNull(context, "context");
      return this;
    }

    private Parts<M> parts() {
      if (batchMessages < 1 || timeout.toMillis() < 1) {
        throw new ConfigurationException(
            "requests to " + url + " of " + batchMessages + " messages, in " + timeout);
      }
      return new Parts<>(new HttpPost(url, timeout, headers, ssl), body, batchMessages);
    }

    /**
     * The processor.
     *
     * @throws ConfigurationException a setting is out of its range
     */
    public HttpProcessor<M> build() {
      return new HttpProcessor<>(this);
    }
  }
}
