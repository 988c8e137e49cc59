package com.wookler.river.rest.server;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers queues over HTTP/1.1 and HTTP/2, as the OpenAPI document says that it serves at {@code
 * /openapi.yaml}.
 *
 * <pre>{@code
 * try (RiverServer server = RiverServer.builder().directory(Path.of("river-data")).start()) {
 *   System.out.println("http://127.0.0.1:" + server.port());
 * }
 * }</pre>
 *
 * <p>Thread-safe.
 */
public final class RiverServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RiverServer.class);
  private static final long CLOSE_SECONDS = 30;

  private final Vertx vertx;
  private final QueueCatalog catalog;
  private final Streams streams;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final int port;

  private RiverServer(Builder from) {
    this.streams = new Streams(from.time);
    this.catalog = new QueueCatalog(from.directory);
    Vertx started = null;
    try {
      from.queues.forEach(adding -> adding.accept(catalog));
      started = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(from.threads));
      Front front = new Front(endpoints(new Offers(catalog, from.autoCreate)), from.limits);
      this.vertx = started;
      this.port = listen(front, from);
    } catch (Throwable e) {
      if (started != null) {
        await(started.close());
      }
      catalog.close();
      throw e;
    }
    LOG.info("River serves {} queues at http://{}:{}", catalog.all().size(), from.host, port);
  }

  private List<Endpoint> endpoints(Offers offers) {
    List<Endpoint> all = new ArrayList<>();
    all.addAll(new QueueRoutes(offers).endpoints());
    all.addAll(new MessageRoutes(offers).endpoints());
    all.addAll(new SubscriberRoutes(offers).endpoints());
    all.addAll(new DeliveryRoutes(offers, streams).endpoints());
    all.addAll(new StreamRoute(offers, streams).endpoints());
    all.addAll(new ServiceRoutes(offers, stopping::get).endpoints());
    return all;
  }

  private int listen(Front front, Builder from) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost(from.host)
            .setPort(from.port)
            .setMaxHeaderSize(from.limits.headerBytes())
            .setIdleTimeout((int) from.limits.idle().toSeconds())
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    List<Integer> ports = new ArrayList<>();
    await(
        vertx.deployVerticle(
            () -> new Loop(front, options, ports),
            new DeploymentOptions().setInstances(from.port == 0 ? 1 : from.threads)));
    synchronized (ports) {
      return ports.get(0);
    }
  }

  /** One event loop's part of the server; all listen at the same port. */
  private static final class Loop extends AbstractVerticle {
    private final Front front;
    private final HttpServerOptions options;
    private final List<Integer> ports;

    Loop(Front front, HttpServerOptions options, List<Integer> ports) {
      this.front = front;
      this.options = options;
      this.ports = ports;
    }

    @Override
    public void start(Promise<Void> started) {
      HttpServer server = vertx.createHttpServer(options).requestHandler(front.router(vertx));
      server
          .listen()
          .onSuccess(
              listening -> {
                synchronized (ports) {
                  ports.add(listening.actualPort());
                }
              })
          .<Void>mapEmpty()
          .onComplete(started);
    }
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new RiverException("the server cannot go on: " + Problems.cause(e).getMessage(), e);
    }
  }

  /** A server with default settings, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /** The port at which it listens. */
  public int port() {
    return port;
  }

  /**
   * Ends it: takes no more connections, ends streams and polls, answers what is under way, and
   * closes the queues that it has made. Idempotent.
   */
  @Override
  public void close() {
    if (!stopping.compareAndSet(false, true)) {
      return;
    }
    streams.close();
    try {
      await(vertx.close().timeout(CLOSE_SECONDS, TimeUnit.SECONDS));
    } finally {
      catalog.close();
    }
    LOG.info("River's server has ended");
  }

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    private String host = "127.0.0.1";
    private int port = 8080;
    private int threads = 2;
    private Path directory = Path.of("river-data");
    private boolean autoCreate = true;
    private ServerLimits limits = ServerLimits.DEFAULT;
    private TimeSource time = TimeSource.system();
    private final List<Consumer<QueueCatalog>> queues = new ArrayList<>();

    private Builder() {}

    /** Address to listen at (default {@code 127.0.0.1}: this machine only). */
    public Builder host(String name) {
      host = Objects.requireNonNull(name, "name");
      return this;
    }

    /** Port to listen at (default 8080); 0: any that is free. */
    public Builder port(int number) {
      port = number;
      return this;
    }

    /** Threads that handle connections (default 2). */
    public Builder threads(int number) {
      threads = number;
      return this;
    }

    /** Base directory of the queues that requests make (default {@code river-data}). */
    public Builder directory(Path base) {
      directory = Objects.requireNonNull(base, "base");
      return this;
    }

    /** Whether publishing makes a queue, and taking a subscriber, that is not there (default). */
    public Builder autoCreate(boolean make) {
      autoCreate = make;
      return this;
    }

    /**
     * Offers a queue of the application, which closes it itself, after the server.
     *
     * @param converter of the queue
     */
    public <M> Builder queue(MessageQueue<M> queue, MessageConverter<M> converter) {
      Objects.requireNonNull(queue, "queue");
      Objects.requireNonNull(converter, "converter");
      queues.add(catalog -> catalog.add(queue, converter));
      return this;
    }

    /** The clock, for tests that move it (default: the system's). */
    public Builder timeSource(TimeSource source) {
      time = Objects.requireNonNull(source, "source");
      return this;
    }

    /**
     * Opens the queues that were made before, and listens.
     *
     * @throws RiverException the port is taken, or a queue cannot be opened; nothing stays open
     */
    public RiverServer start() {
      return new RiverServer(this);
    }
  }
}
