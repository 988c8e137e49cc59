package com.wookler.river.rest.client;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Publishes to queues of River servers, and takes from them.
 *
 * <pre>{@code
 * try (RiverClient client = RiverClient.builder("http://127.0.0.1:8080").build()) {
 *   client.queue("orders").publish("order 1");
 *   RemoteDelivery delivery = client.subscriber("orders", "billing").next(Duration.ofSeconds(20));
 *   System.out.println(delivery.text());
 *   delivery.ack();
 * }
 * }</pre>
 *
 * <p><b>Repetition.</b> A call that fails is repeated until {@link Builder#retryFor} has passed,
 * after pauses that grow, or that the server asks for ({@code Retry-After}): when no server can be
 * reached, when one is full, overloaded, starting or stopping, and when there is no answer, or one
 * of status 5xx. Every message has an id, given or random, so that a publish that is repeated is
 * stored once, by queues that deduplicate: those that servers make do, for 10 minutes. What is not
 * the same done twice ({@link RemoteSubscriber#purge}, {@link RemoteSubscriber#redrive}, deleting)
 * is not repeated once it may have been done.
 *
 * <p><b>Several servers</b> are servers of their own, each with its own messages. Calls go to them
 * in turn. One that cannot be reached is passed over; but once a request may have been carried out,
 * it is repeated on the same server only, because the others do not know its id. A delivery is
 * decided over at the server that it came from. What is about one server's state, such as making
 * queues, looking messages up or moving a subscriber, needs a client {@link #at at one server}.
 *
 * <p><b>Threads.</b> Thread-safe; one client serves a whole application. A call that waits is sent
 * by the thread that calls; it costs about what the JDK's client costs. What is attached to futures
 * runs on the client's own threads, and may block. All connections and streams together need a few
 * threads; handlers that block get further ones. HTTP/2 is used where {@code https} offers it.
 *
 * <p><b>Errors</b> are {@link RiverClientException}s, a class for each kind. A thread that is
 * interrupted gets a {@link CallInterruptedException} with its flag set, or, where the method says
 * so, an {@link InterruptedException}.
 */
public final class RiverClient implements AutoCloseable {
  private final Transport transport;
  private final @Nullable Server only;

  private RiverClient(Transport transport, @Nullable Server only) {
    this.transport = transport;
    this.only = only;
  }

  /**
   * A client of these servers, with default settings.
   *
   * @param server {@code http://host:port} or {@code https://host:port}, with a path in front of
   *     the contract's perhaps
   * @throws IllegalArgumentException one is none of these
   */
  public static Builder builder(String server, String... more) {
    List<String> all = new ArrayList<>();
    all.add(server);
    all.addAll(List.of(more));
    return new Builder(Servers.of(all));
  }

  private Caller caller() {
    return new Caller(transport, only);
  }

  /**
   * A queue; the server is not asked.
   *
   * @throws IllegalArgumentException this cannot be a name
   */
  public RemoteQueue queue(String name) {
    return new RemoteQueue(caller(), Paths.name(name));
  }

  /**
   * A subscriber of a queue; the server is not asked. Taking makes it, where the server is set to
   * do so.
   *
   * @throws IllegalArgumentException this cannot be a name
   */
  public RemoteSubscriber subscriber(String queue, String name) {
    return new RemoteSubscriber(caller(), Paths.name(queue), Paths.name(name));
  }

  /** The servers, as they were given. */
  public List<URI> servers() {
    return only == null
        ? transport.servers().all().stream().map(Server::base).toList()
        : List.of(only.base());
  }

  /**
   * This client at one of its servers. Both share all; closing either closes both.
   *
   * @throws IllegalArgumentException it is none of them
   */
  public RiverClient at(URI server) {
    for (Server known : transport.servers().all()) {
      if (known.base().equals(server)) {
        return new RiverClient(transport, known);
      }
    }
    throw new IllegalArgumentException(server + " is none of " + servers());
  }

  /** The queues that the API key may see, by name. */
  public List<QueueInfo> queues() {
    return caller().callOne(Ask.get("/v1/queues")).as(Queues.class).queues();
  }

  record Queues(List<QueueInfo> queues) {}

  /** Whether the server's process works: it answers. Asked once. */
  public boolean isLive() {
    Ask ask = Ask.get("/health/live").alsoFine(503).within(Duration.ZERO);
    return caller().callOne(ask).status() == 200;
  }

  /** Whether every queue of the server takes and delivers messages. Asked once. */
  public boolean isReady() {
    Ask ask = Ask.get("/health/ready").alsoFine(503).within(Duration.ZERO);
    return caller().callOne(ask).status() == 200;
  }

  /** The server's figures, in Prometheus' text format. */
  public String metrics() {
    return caller().callOne(Ask.get("/metrics")).text();
  }

  /** The server's contract, an OpenAPI document in YAML. */
  public String contract() {
    return caller().callOne(Ask.get("/openapi.yaml")).text();
  }

  /**
   * Ends everything: calls under way end with {@link ClientClosedException}, streams and batching
   * publishers are closed, the latter with what they still have ({@link BatchingPublisher#close}
   * them before to have it sent). Connections end once nobody uses them. Idempotent.
   */
  @Override
  public void close() {
    transport.close();
  }

  /** Collects the settings of a client. Not thread-safe. */
  public static final class Builder {
    private final Servers servers;
    private @Nullable String apiKey;
    private Duration timeout = Duration.ofSeconds(10);
    private Duration connectTimeout = Duration.ofSeconds(5);
    private Duration retryFor = Duration.ofSeconds(30);
    private Duration silence = Duration.ofSeconds(45); // three signs of life of a server
    private @Nullable SSLContext ssl;

    private Builder(Servers servers) {
      this.servers = servers;
    }

    /**
     * The API key (default: none). It is sent to every server, also over {@code http}, where others
     * can read it.
     *
     * @throws IllegalArgumentException it is empty, or has characters that no key has
     */
    public Builder apiKey(String key) {
      if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
        throw new IllegalArgumentException("this cannot be an API key"); // which is not shown
      }
      apiKey = key;
      return this;
    }

    /**
     * How long to wait for an answer, beyond the time that a poll asks the server to wait (default
     * 10 seconds). After that the attempt counts as failed.
     */
    public Builder timeout(Duration time) {
      timeout = positive(time);
      return this;
    }

    /** How long to wait for a connection (default 5 seconds). */
    public Builder connectTimeout(Duration time) {
      connectTimeout = positive(time);
      return this;
    }

    /**
     * How long a call is repeated (default 30 seconds); zero: it is not, but for another server if
     * one cannot be reached. Should be well below the time for which queues know ids.
     */
    public Builder retryFor(Duration time) {
      if (time.isNegative()) {
        throw new IllegalArgumentException("repeat for " + time);
      }
      retryFor = time;
      return this;
    }

    /** After which a stream on which nothing comes, not even an empty line, is opened again. */
    Builder silence(Duration time) {
      silence = positive(time);
      return this;
    }

    /** Whom to trust, and with what to prove who we are (default: the JVM's). */
    public Builder sslContext(SSLContext context) {
      ssl = Objects.requireNonNull(context, "context");
      return this;
    }

    private static Duration positive(Duration time) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException("a timeout of " + time);
      }
      return Ticker.limited(time);
    }

    /** The client. Nothing is sent before the first call. */
    public RiverClient build() {
      return new RiverClient(
          new Transport(
              servers,
              new Transport.Settings(apiKey, timeout, connectTimeout, retryFor, silence, ssl)),
          null);
    }
  }
}
