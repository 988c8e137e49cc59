package com.wookler.river.reactor.processors;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.Configurable;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.reactor.BatchProcessor;
import com.wookler.river.reactor.MessageIds;
import com.wookler.river.reactor.ProcessResult;
import com.wookler.river.reactor.ReactorAware;
import com.wookler.river.reactor.ReactorContext;
import com.wookler.river.reactor.processors.StatusRules.Meaning;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
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
 * <tr><td>3xx, 401, 403, 404, 407, 408, 421, 425, 429, 502, 503, 504</td><td>the receiver is away: the message
 *     and those after it are given back, no attempt is used up, and the reactor waits for as long as
 *     {@code Retry-After} says in seconds, at most an hour; without it 100 ms, then twice as long each
 *     time, up to a second</td></tr>
 * <tr><td>any other 5xx</td><td>delivered again: after {@code Retry-After}; without it by the
 *     subscriber's retry policy. Of several in one request each is sent again alone at once, to find
 *     the one</td></tr>
 * <tr><td>any other status</td><td>rejected: another try would not help. Of several in one request
 *     each is sent again alone as well</td></tr>
 * <tr><td>no answer in time, no connection, a certificate that is not trusted</td><td>delivered again by the retry policy</td></tr>
 * </table>
 *
 * <p>Which status means what can be changed: {@link Builder#away}, {@link Builder#retry}, {@link
 * Builder#reject}. Redirections are not followed.
 *
 * <p>After 10 messages in a row that were rejected a brake stops: messages wait in their queue, and
 * every 10 s one is sent, until one is not rejected ({@link Builder#brake}). So a receiver that
 * rejects everything, because it is deployed wrongly, does not make a dead letter of everything.
 *
 * <p>A {@link RetryProcessor} around it waits until the receiver is there: it takes what means
 * "away" and connections that fail for an absence, any other 5xx for the message's own failure,
 * also one with {@code Retry-After}.
 *
 * <p>The request has the header {@code Idempotency-Key}, the same at each attempt of a message, by
 * which the receiver can recognize repetitions: the source and what {@link MessageIds} says; of
 * several messages that of the first and of the last. A batch may be put together otherwise after a
 * crash; where repetitions matter, send messages alone.
 *
 * <p>{@code https} trusts what the JVM trusts, or the certificates that it is given. Those are read
 * when it is made: a restart is needed to trust others.
 *
 * <p>In XML: {@code http.url}, {@code http.timeout}, {@code http.content.type}, {@code
 * http.header.NAME} for any other header, {@code http.batch.messages}, {@code http.status.away},
 * {@code http.status.retry}, {@code http.status.reject}, {@code http.brake.rejections}, {@code
 * http.brake.wait}, and {@code http.ssl.trust}, or {@code http.ssl.truststore} with {@code
 * http.ssl.password}; the body is the data, as bytes or text. The values of headers are neither
 * logged nor part of errors. Thread-safe.
 *
 * @param <M> type of the data
 */
public final class HttpProcessor<M> implements BatchProcessor<M>, ReactorAware<M>, Configurable {
  private static final String URL = "http.url";
  private static final String TIMEOUT = "http.timeout";
  private static final String TYPE = "http.content.type";
  private static final String BATCH = "http.batch.messages";
  private static final String HEADER = "http.header.";
  private static final String REJECTIONS = "http.brake.rejections";
  private static final String WAIT = "http.brake.wait";
  private static final int MOST_REJECTIONS = 10_000;
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(100);
  private static final int DOUBLINGS = 4; // of it; then it is the longest
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final AtomicInteger away = new AtomicInteger(); // answers in a row that said so
  private static final List<Meaning> CHANGEABLE =
      List.of(Meaning.AWAY, Meaning.RETRY, Meaning.REJECT);

  private @Nullable Parts<M> parts; // set before the first message, like the source
  private String source = "";

  /** What it works with. */
  private record Parts<M>(
      HttpPost post,
      Function<? super Delivery<M>, byte[]> body,
      int batchMessages,
      @Nullable TimedCircuitBreaker brake,
      TimeSource time) {}

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
    node.allowParams(known(node));
    URI url;
    try {
      url = URI.create(node.requireParam(URL));
    } catch (IllegalArgumentException e) {
      throw node.error(URL, "is no URL: " + e.getMessage());
    }
    Builder<M> builder =
        new Builder<>(
            url, "", delivery -> MessageBytes.of(Objects.requireNonNull(delivery.data())));
    headers(node, builder);
    for (Meaning meaning : CHANGEABLE) {
      node.param(StatusRules.param(meaning)).ifPresent(text -> builder.statuses.put(meaning, text));
    }
    TrustedCertificates.of(node).ifPresent(builder::sslContext);
    builder
        .timeout(node.duration(TIMEOUT, builder.timeout))
        .batchMessages(node.integer(BATCH, builder.batchMessages))
        .brake(
            node.integer(REJECTIONS, builder.rejections), node.duration(WAIT, builder.brakeWait));
    parts = builder.parts();
  }

  /** The headers' names are the user's. */
  private static List<String> known(ConfigNode node) {
    return Stream.of(
            Stream.of(URL, TIMEOUT, TYPE, BATCH, REJECTIONS, WAIT),
            CHANGEABLE.stream().map(StatusRules::param),
            TrustedCertificates.PARAMS.stream(),
            node.paramNames().stream().filter(name -> name.startsWith(HEADER)))
        .flatMap(names -> names)
        .toList();
  }

  private static <M> void headers(ConfigNode node, Builder<M> to) {
    node.param(TYPE).ifPresent(type -> to.header("Content-Type", type));
    for (String param : node.paramNames()) {
      if (param.startsWith(HEADER)) {
        String name = param.substring(HEADER.length());
        if (to.headers.keySet().stream().anyMatch(name::equalsIgnoreCase)) {
          throw node.error(param, "sets a header that is set already");
        }
        to.header(name, node.requireParam(param));
      }
    }
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
    return inRequestsOf(parts().batchMessages(), batch);
  }

  private List<ProcessResult<M>> inRequestsOf(int most, List<Delivery<M>> batch) {
    List<ProcessResult<M>> results = new ArrayList<>(batch.size());
    boolean held = false; // then what follows waits too, so that the order is kept
    for (int i = 0; i < batch.size(); i += most) {
      List<Delivery<M>> some = batch.subList(i, Math.min(batch.size(), i + most));
      if (held || Thread.currentThread().isInterrupted()) {
        results.addAll(Collections.nCopies(some.size(), ProcessResult.release()));
      } else {
        results.addAll(attempt(some));
        held = results.get(results.size() - 1).isReleased();
      }
    }
    return results;
  }

  private List<ProcessResult<M>> attempt(List<Delivery<M>> some) {
    TimedCircuitBreaker brake = parts().brake();
    if (brake != null && !brake.mayCall()) {
      return Collections.nCopies(some.size(), ProcessResult.holdBack(brake.untilNext()));
    }
    try {
      return results(some, send(some, brake));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Collections.nCopies(some.size(), ProcessResult.retry(Duration.ZERO)); // it had begun
    } catch (IOException e) {
      return Collections.nCopies(some.size(), ProcessResult.failed(e));
    } catch (RuntimeException e) { // the body of one
      return some.size() == 1 ? List.of(ProcessResult.failed(e)) : inRequestsOf(1, some);
    }
  }

  /** The brake counts messages that were rejected; another answer says nothing about it. */
  private HttpPost.Answer send(List<Delivery<M>> some, @Nullable TimedCircuitBreaker brake)
      throws IOException, InterruptedException {
    long started = parts().time().nanoTime();
    Meaning meaning = null;
    try {
      HttpPost.Answer answer = parts().post().send(key(some), body(some));
      meaning = answer.meaning();
      return answer;
    } finally {
      if (brake != null && meaning == Meaning.TAKEN) {
        brake.succeeded(started);
      } else if (brake != null && meaning == Meaning.REJECT && some.size() == 1) {
        brake.failed(started, new RiverException("rejected by " + parts().post()));
      } else if (brake != null) {
        brake.undecided();
      }
    }
  }

  private List<ProcessResult<M>> results(List<Delivery<M>> some, HttpPost.Answer answer) {
    int before = answer.meaning() == Meaning.AWAY ? away.getAndIncrement() : away.getAndSet(0);
    String what = parts().post() + " answered " + answer.status();
    Duration asked = answer.after();
    if (answer.meaning() == Meaning.TAKEN) {
      return Collections.nCopies(some.size(), ProcessResult.pass());
    }
    if (answer.meaning() == Meaning.AWAY) {
      List<ProcessResult<M>> held =
          new ArrayList<>(Collections.nCopies(some.size(), ProcessResult.release()));
      Duration pause = asked == null ? pause(before) : asked;
      held.set(0, ProcessResult.holdBack(pause, new IOException(what)));
      return held;
    }
    if (some.size() > 1) { // to find the one
      return inRequestsOf(1, some);
    }
    if (answer.meaning() == Meaning.REJECT) {
      return List.of(ProcessResult.reject(what));
    }
    RiverException cause = new RiverException(what);
    return List.of(asked == null ? ProcessResult.failed(cause) : ProcessResult.retry(asked, cause));
  }

  /** Twice as long each time. */
  private static Duration pause(int before) {
    return before < DOUBLINGS ? SHORTEST_PAUSE.multipliedBy(1L << before) : LONGEST_PAUSE;
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
    private final Map<Meaning, String> statuses = new EnumMap<>(Meaning.class);
    private int batchMessages = 1;
    private int rejections = 10;
    private Duration brakeWait = Duration.ofSeconds(10);
    private TimeSource time = TimeSource.system();
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

    /**
     * A header of each request, such as {@code Content-Type} or {@code Authorization}. The value is
     * neither logged nor part of errors.
     */
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
     * Statuses that mean the receiver is away, whatever they mean by default: messages wait, and no
     * attempt is used up.
     *
     * @param numbers from 300 to 599, one by one, as {@code 500-504} or as {@code 5xx}, separated
     *     by spaces or commas
     */
    public Builder<M> away(String numbers) {
      return statuses(Meaning.AWAY, numbers);
    }

    /** Statuses over which a message is delivered again by its subscriber's retry policy. */
    public Builder<M> retry(String numbers) {
      return statuses(Meaning.RETRY, numbers);
    }

    /** Statuses that reject a message: it becomes a dead letter. */
    public Builder<M> reject(String numbers) {
      return statuses(Meaning.REJECT, numbers);
    }

    private Builder<M> statuses(Meaning meaning, String numbers) {
      statuses.put(meaning, Objects.requireNonNull(numbers, "numbers"));
      return this;
    }

    /**
     * Stops when many messages in a row are rejected (default: after 10, for 10 s). Then messages
     * wait in their queue, and one is sent from time to time; the first that is not rejected ends
     * it.
     *
     * @param rejectedInARow that stop it; 0: it never stops
     * @param wait until one more is sent
     */
    public Builder<M> brake(int rejectedInARow, Duration wait) {
      this.rejections = rejectedInARow;
      this.brakeWait = Objects.requireNonNull(wait, "wait");
      return this;
    }

    /** The clock of the brake, for tests that move it (default: the system's). */
    public Builder<M> timeSource(TimeSource source) {
      this.time = Objects.requireNonNull(source, "source");
      return this;
    }

    /**
     * Trusts the certificates in a file, in PEM, and no others (default: what the JVM trusts): a
     * server's own, or that of the authority that has signed it.
     *
     * @throws ConfigurationException it cannot be read, or has none
     */
    public Builder<M> trust(Path certificates) {
      return sslContext(TrustedCertificates.ofPem(certificates));
    }

    /**
     * Trusts the certificates in a store, PKCS12 or JKS.
     *
     * @throws ConfigurationException it cannot be read, also by this password, or has none
     */
    public Builder<M> truststore(Path store, String password) {
      return sslContext(TrustedCertificates.ofStore(store, password));
    }

    /** Whom to trust, and with what to prove who we are. The last of these three calls counts. */
    public Builder<M> sslContext(SSLContext context) {
      this.ssl = Objects.requireNonNull(context, "context");
      return this;
    }

    private Parts<M> parts() {
      check(timeout.toMillis() >= 1, TIMEOUT + " is " + timeout + "; it must be 1 ms or more");
      check(batchMessages >= 1, BATCH + " is " + batchMessages + "; it must be 1 or more");
      check(
          rejections >= 0 && rejections <= MOST_REJECTIONS,
          REJECTIONS + " is " + rejections + "; 0, which is never, to 10000 are allowed");
      check(brakeWait.toMillis() >= 1, WAIT + " is " + brakeWait + "; it must be 1 ms or more");
      HttpPost post = new HttpPost(url, timeout, headers, new StatusRules(statuses), ssl);
      return new Parts<>(post, body, batchMessages, rejections == 0 ? null : brake(post), time);
    }

    private TimedCircuitBreaker brake(HttpPost post) {
      return new TimedCircuitBreaker(
          post
              + " has rejected "
              + rejections
              + " messages in a row; the others wait in their queue, until it is mended",
          post + " takes messages again",
          rejections,
          brakeWait,
          Duration.ZERO,
          time);
    }

    private void check(boolean right, String what) {
      if (!right) {
        throw new ConfigurationException("requests to " + HttpPost.shown(url) + ": " + what);
      }
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
