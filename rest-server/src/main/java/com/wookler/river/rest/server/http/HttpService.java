package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.FigureRecorder;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.ListenFailure;
import com.wookler.river.rest.server.hosting.QueueMetrics;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the hosted queues over HTTP. Thread-safe. */
public final class HttpService implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpService.class);
  private static final int READERS = 2; // each uses the memory of several responses

  private final Vertx vertx;
  private final ServerContext context;
  private final HttpSettings settings;
  private final StreamRegistry streams;
  private final ConsumerRegistry consumers;
  private final StreamTokens tokens;
  private final ServerMetrics metrics;
  private final Listener listener;
  private final Listener health;
  private volatile int healthPort = -1; // set once it listens
  private final FigureRecorder recorder;
  private final FigureRoutes figureRoutes;
  private final List<Endpoint> endpoints;

  /** Creates the service, which does not listen before {@link #listen} is called. */
  public HttpService(
      Vertx vertx, ServerContext context, QueueMetrics figures, HttpSettings settings) {
    this.vertx = vertx;
    this.context = context;
    this.settings = settings;
    this.consumers = new ConsumerRegistry(context.time());
    this.streams = new StreamRegistry(context.time(), context.polls().latencies(), consumers);
    this.tokens = new StreamTokens(context.time());
    RequestCounter counts = new RequestCounter();
    HostValidator hosts = new HostValidator(settings.host(), settings.allowedHosts());
    this.recorder =
        new FigureRecorder(
            context.queues().catalog(), context.time(), this::consumers, figures.deadLetters());
    this.figureRoutes = new FigureRoutes(context.queues(), recorder, context.admission());
    this.metrics =
        new ServerMetrics(
            figures, context.admission(), counts, () -> streams.count() + figureRoutes.count());
    this.endpoints = createEndpoints();
    HttpFrontEnd front = new HttpFrontEnd(new Routes(endpoints), hosts, counts, tokens, context);
    this.listener = new Listener(front, context.admission(), context.time(), settings.tls());
    Routes checks = new Routes(endpoints.stream().filter(HttpService::isOfHealth).toList());
    this.health =
        new Listener(
            new HttpFrontEnd(checks, hosts, counts, tokens, context),
            context.admission(),
            context.time(),
            settings.healthTls());
  }

  private static boolean isOfHealth(Endpoint endpoint) {
    return endpoint.path().startsWith("/health/") || endpoint.path().equals("/metrics");
  }

  private List<HostedSubscriber<?>> consumers() {
    List<HostedSubscriber<?>> all = new ArrayList<>(context.polls().subscribers());
    all.addAll(streams.subscribers());
    return all;
  }

  /** Samples figures from now on, on a thread of its own. */
  private void sampleFigures() {
    WorkerExecutor thread = vertx.createSharedWorkerExecutor("river-figures", 1);
    AtomicBoolean busy = new AtomicBoolean();
    Callable<Boolean> sample =
        () -> {
          try {
            recorder.sample();
          } finally {
            busy.set(false);
          }
          return true;
        };
    Handler<Long> tick =
        unused -> {
          if (!context.stopping().getAsBoolean() && busy.compareAndSet(false, true)) {
            thread
                .executeBlocking(sample)
                .onFailure(e -> LOG.warn("Cannot sample the figures of all queues", e));
          }
        };
    tick.handle(0L);
    vertx.setPeriodic(FigureRecorder.STEP.toMillis(), tick);
  }

  /** Starts to listen, and returns the port. */
  public Future<Integer> listen() {
    sampleFigures();
    return listener
        .listen(vertx, settings.host(), settings.port(), settings.threads())
        .recover(
            e ->
                Future.failedFuture(
                    cannotListen(settings.port(), "--port or server.queue.port", e)))
        .compose(port -> listenForHealth().map(port));
  }

  private Future<Integer> listenForHealth() {
    Integer wanted = settings.healthPort();
    if (wanted == null) {
      return Future.succeededFuture(-1);
    }
    return health
        .listen(vertx, settings.host(), wanted, 1)
        .recover(
            e ->
                Future.failedFuture(cannotListen(wanted, "--health-port or server.health.port", e)))
        .onSuccess(port -> healthPort = port);
  }

  /** Returns the port for health checks and metrics alone; -1 if there is none. */
  public int healthPort() {
    return healthPort;
  }

  private RiverException cannotListen(int port, String portOptions, Throwable e) {
    return ListenFailure.of(settings.host(), port, "--host or server.host", portOptions, e);
  }

  /** Returns all endpoints. */
  public List<Endpoint> endpoints() {
    return endpoints;
  }

  private List<Endpoint> createEndpoints() {
    QueueResolver queues = context.queues();
    WorkerExecutor readers = vertx.createSharedWorkerExecutor("river-readers", READERS);
    List<Endpoint> all = new ArrayList<>();
    all.addAll(new QueueRoutes(queues).endpoints());
    all.addAll(new ForwardRoutes(queues).endpoints());
    all.addAll(new RedriveRoutes(queues).endpoints());
    all.addAll(new MessageRoutes(context, readers).endpoints());
    all.addAll(new RemovalRoutes(context.queues()).endpoints());
    all.addAll(new SnapshotRoutes(queues, snapshotThread()).endpoints());
    all.addAll(new SubscriberRoutes(queues, readers).endpoints());
    all.addAll(new DeliveryRoutes(context, streams, consumers).endpoints());
    all.addAll(new ConsumerRoutes(queues, consumers).endpoints());
    all.addAll(new StreamRoute(queues, streams, context.admission(), tokens).endpoints());
    all.addAll(
        new MetricsRoute(metrics, vertx.createSharedWorkerExecutor("river-metrics", 1))
            .endpoints());
    all.addAll(figureRoutes.endpoints());
    all.addAll(new KeyRoutes(context.authenticator()).endpoints());
    all.addAll(new ServiceRoutes(queues, context.stopping()).endpoints());
    all.addAll(StaticRoutes.endpoints());
    return List.copyOf(all);
  }

  /** Returns the thread on which snapshots are made: so long that no warning is due. */
  private WorkerExecutor snapshotThread() {
    return vertx.createSharedWorkerExecutor("river-snapshots", 1, 1, TimeUnit.DAYS);
  }

  /** Returns the files of certificate and key; none without TLS. */
  public List<Path> certificates() {
    Tls tls = settings.tls();
    return tls == null ? List.of() : tls.files();
  }

  /** Reads the files again, for new connections, if they have changed or could not be used. */
  public void renewCertificates(boolean changed) {
    listener.renewCertificates(vertx, changed);
    if (healthPort >= 0) {
      health.renewCertificates(vertx, changed);
    }
  }

  /** Returns the number of open streams. */
  public int streams() {
    return streams.count();
  }

  /** Ends the streams whose keys do not allow them any more, and all that show what keys may. */
  public void endUnauthorized() {
    streams.endUnauthorized();
    figureRoutes.endStreams();
  }

  /** Ends all streams, and those that start later. */
  public void endStreams() {
    streams.close();
    figureRoutes.close();
  }

  /** Closes the metrics, after the last request. */
  @Override
  public void close() {
    metrics.close();
  }
}
