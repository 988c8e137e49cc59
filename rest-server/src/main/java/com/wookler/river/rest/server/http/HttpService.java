package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.Hosting;
import com.wookler.river.rest.server.hosting.QueueFigures;
import com.wookler.river.rest.server.hosting.QueueResolver;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Offers what a server hosts over HTTP. Thread-safe. */
public final class HttpService implements AutoCloseable {
  private static final int READERS = 2; // each with as much memory as some answers have

  private final Vertx vertx;
  private final Hosting hosting;
  private final HttpSettings settings;
  private final Streams streams;
  private final Metrics metrics;
  private final Listener listener;
  private final List<Endpoint> endpoints;

  /** Listens at once when {@link #listen} is called, not before. */
  public HttpService(Vertx vertx, Hosting hosting, QueueFigures figures, HttpSettings settings) {
    this.vertx = vertx;
    this.hosting = hosting;
    this.settings = settings;
    this.streams = new Streams(hosting.time(), hosting.polls().latencies());
    RequestCounts counts = new RequestCounts();
    this.metrics = new Metrics(figures, hosting.load(), counts, streams);
    Hosts hosts = new Hosts(settings.host(), settings.allowedHosts());
    this.endpoints = made();
    HttpFrontEnd front = new HttpFrontEnd(new Routes(endpoints), hosts, counts, hosting);
    this.listener = new Listener(front, hosting.load(), hosting.time(), settings.tls());
  }

  /** Begins to listen; the future has the port. */
  public Future<Integer> listen() {
    return listener
        .listen(vertx, settings.host(), settings.port(), settings.threads())
        .recover(e -> Future.failedFuture(cannotListen(e)));
  }

  private RiverException cannotListen(Throwable e) {
    return new RiverException(
        "%s:%d: %s; --port, or server.queue.port, names another port"
            .formatted(settings.host(), settings.port(), e.getMessage()),
        e);
  }

  /** Returns all that it answers. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  private List<Endpoint> made() {
    QueueResolver queues = hosting.queues();
    WorkerExecutor readers = vertx.createSharedWorkerExecutor("river-readers", READERS);
    List<Endpoint> all = new ArrayList<>();
    all.addAll(new QueueRoutes(queues).endpoints());
    all.addAll(new MessageRoutes(hosting, readers).endpoints());
    all.addAll(new SubscriberRoutes(queues, readers).endpoints());
    all.addAll(new DeliveryRoutes(queues, hosting.polls(), streams, hosting.load()).endpoints());
    all.addAll(new StreamRoute(queues, streams, hosting.load()).endpoints());
    all.addAll(
        new MetricsRoute(metrics, vertx.createSharedWorkerExecutor("river-metrics", 1))
            .endpoints());
    all.addAll(new ServiceRoutes(queues, hosting.stopping()).endpoints());
    all.addAll(Documents.endpoints());
    return List.copyOf(all);
  }

  /** Returns the files of the certificate; none without TLS. */
  public List<Path> certificates() {
    Tls tls = settings.tls();
    return tls == null ? List.of() : tls.files();
  }

  /** Takes new connections with what the files of the certificate have now. */
  public void renewCertificates() {
    listener.renewCertificates(vertx);
  }

  /** Returns how many streams are open. */
  public int streams() {
    return streams.count();
  }

  /** Ends the streams whose keys do not allow them any more. */
  public void endForbidden() {
    streams.endForbidden();
  }

  /** Ends all streams, and those that begin from now on. */
  public void endStreams() {
    streams.close();
  }

  /** Ends its metrics; behind the last request. */
  @Override
  public void close() {
    metrics.close();
  }
}
