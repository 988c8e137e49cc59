package com.wookler.river.rest.client;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages to queues of River servers, and consumes them.
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
 * <p><b>Retries.</b> A call that fails is retried until {@link Builder#retryFor} has passed, with
 * exponential backoff or after the server's {@code Retry-After}: when no server can be reached,
 * when one is full, overloaded, starting or stopping, and when there is no response or one of
 * status 5xx. Every message has an id, given or random, so that queues that deduplicate store a
 * retried publish once; queues that servers create deduplicate for 10 minutes. Calls that are not
 * idempotent ({@link RemoteSubscriber#purge}, {@link RemoteSubscriber#redrive}, deleting) are not
 * retried once they may have been carried out.
 *
 * <p><b>Several servers</b> are independent, each with its own messages. Calls go to them in turn.
 * A server that cannot be reached is skipped; but once a request may have been carried out, it is
 * retried at the same server only, because the others do not know its id. A delivery is
 * acknowledged at the server that it came from. Calls that concern the state of one server, such as
 * creating queues, reading messages or moving a subscriber, need a client {@link #at at one
 * server}.
 *
 * <p><b>Threads.</b> Thread-safe; one client serves a whole application. A blocking call is sent by
 * the calling thread; it costs about what the JDK's client costs. Actions attached to futures run
 * on the client's own threads, and may block. All connections and streams share a few threads;
 * handlers that block get additional ones. HTTP/2 is used if an {@code https} server offers it.
 *
 * <p><b>Errors</b> are {@link RiverClientException}s, one class for each kind. A thread that is
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
   * Creates a builder for a client of one or more servers.
   *
   * @param server {@code http://host:port} or {@code https://host:port}, optionally with a path
   *     that precedes the contract's
   * @throws IllegalArgumentException an address has another form
   */
  public static Builder builder(String server, String... more) {
    List<String> all = new ArrayList<>();
    all.add(server);
    all.addAll(List.of(more));
    return new Builder(Servers.of(all));
  }

  private RequestSender caller() {
    return new RequestSender(transport, only);
  }

  /**
   * Returns a queue. No request is sent.
   *
   * @throws IllegalArgumentException the name is not valid
   */
  public RemoteQueue queue(String name) {
    return new RemoteQueue(caller(), Paths.name(name));
  }

  /**
   * Returns a subscriber of a queue. No request is sent. The first poll creates the subscriber, if
   * the server is configured to do so.
   *
   * @throws IllegalArgumentException a name is not valid
   */
  public RemoteSubscriber subscriber(String queue, String name) {
    return new RemoteSubscriber(caller(), Paths.name(queue), Paths.name(name));
  }

  /** Returns the addresses of the servers, as they were given. */
  public List<URI> servers() {
    return only == null
        ? transport.servers().all().stream().map(Server::base).toList()
        : List.of(only.base());
  }

  /**
   * Returns this client restricted to one of its servers. Both share connections and threads;
   * closing either closes both.
   *
   * @throws IllegalArgumentException the client has no such server
   */
  public RiverClient at(URI server) {
    for (Server known : transport.servers().all()) {
      if (known.base().equals(server)) {
        return new RiverClient(transport, known);
      }
    }
    throw new IllegalArgumentException(server + " is not one of the client's servers " + servers());
  }

  /** Returns the queues that the API key may read, ordered by name. */
  public List<QueueInfo> queues() {
    return caller().callOne(Request.get("/v1/queues")).as(Queues.class).queues();
  }

  record Queues(List<QueueInfo> queues) {}

  /**
   * Has the server read its file again: see {@link Reloaded}. A key needs the right to administer
   * every queue.
   *
   * @throws ConflictException the file is wrong, and nothing has changed; or there is no file
   */
  public Reloaded reload() {
    return caller().callOne(Request.post("/v1/reload")).as(Reloaded.class);
  }

  /** Returns whether the server answers its liveness check. Not retried. */
  public boolean isLive() {
    Request request = Request.get("/health/live").alsoAccept(503).retryFor(Duration.ZERO);
    return caller().callOne(request).status() == 200;
  }

  /** Returns whether every queue of the server accepts and delivers messages. Not retried. */
  public boolean isReady() {
    Request request = Request.get("/health/ready").alsoAccept(503).retryFor(Duration.ZERO);
    return caller().callOne(request).status() == 200;
  }

  /** Returns the metrics of the server, in Prometheus' text format. */
  public String metrics() {
    return caller().callOne(Request.get("/metrics")).text();
  }

  /** Returns the contract of the server, an OpenAPI document in YAML. */
  public String contract() {
    return caller().callOne(Request.get("/openapi.yaml")).text();
  }

  /**
   * Closes the client: calls in flight fail with {@link ClientClosedException}, and streams and
   * batching publishers are closed. Messages that a batching publisher has not sent fail; {@link
   * BatchingPublisher#close close} it before to send them. Idle connections are closed. Idempotent.
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
    private Duration silence = Duration.ofSeconds(45); // three keep-alives of a server
    private @Nullable SSLContext ssl;

    private Builder(Servers servers) {
      this.servers = servers;
    }

    /**
     * Sets the API key (default: none). It is sent to every server, also over {@code http}, where
     * others can read it.
     *
     * @throws IllegalArgumentException the key is empty, or has characters that no key has
     */
    public Builder apiKey(String key) {
      if (key.isEmpty() || !key.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
        throw new IllegalArgumentException(
            "not a valid API key: it is empty or has invalid characters"); // never shown
      }
      apiKey = key;
      return this;
    }

    /**
     * Sets the timeout of a response, beyond the time that a poll asks the server to wait (default
     * 10 seconds). After that the attempt counts as failed.
     */
    public Builder timeout(Duration time) {
      timeout = positive(time);
      return this;
    }

    /** Sets the timeout of connecting (default 5 seconds). */
    public Builder connectTimeout(Duration time) {
      connectTimeout = positive(time);
      return this;
    }

    /**
     * Sets how long a call is retried (default 30 seconds). With zero it is not retried, except at
     * another server if one cannot be reached. Should be well below the deduplication window of the
     * queues.
     */
    public Builder retryFor(Duration time) {
      if (time.isNegative()) {
        throw new IllegalArgumentException("a negative retry time: " + time);
      }
      retryFor = time;
      return this;
    }

    /** Sets the time after which a stream without data, not even an empty line, is opened again. */
    Builder silence(Duration time) {
      silence = positive(time);
      return this;
    }

    /** Sets the TLS context: trusted certificates and the client's own (default: the JVM's). */
    public Builder sslContext(SSLContext context) {
      ssl = Objects.requireNonNull(context, "context");
      return this;
    }

    private static Duration positive(Duration time) {
      if (time.isNegative() || time.isZero()) {
        throw new IllegalArgumentException("a timeout of " + time + "; it must be positive");
      }
      return Ticker.limited(time);
    }

    /** Creates the client. Nothing is sent before the first call. */
    public RiverClient build() {
      return new RiverClient(
          new Transport(
              servers,
              new Transport.Settings(apiKey, timeout, connectTimeout, retryFor, silence, ssl)),
          null);
    }
  }
}
