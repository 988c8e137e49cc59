package com.wookler.river.rest.server.memcache;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.ListenFailure;
import com.wookler.river.rest.server.hosting.ServerContext;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Serves the hosted queues over memcache's text protocol on a port of its own. It has no keys: who
 * can reach the port may read, write and delete every queue. Thread-safe.
 */
public final class MemcacheService {
  private final Vertx vertx;
  private final ServerContext server;
  private final MemcacheSettings settings;
  private final Figures figures = new Figures();
  private final Commands commands;
  private final List<NetServer> servers = new CopyOnWriteArrayList<>();

  /**
   * Creates the service, which does not listen before {@link #listen} is called.
   *
   * @param stop stops the server, for a client that may; called on a thread of its own
   */
  public MemcacheService(
      Vertx vertx, ServerContext context, MemcacheSettings settings, Runnable stop) {
    this.vertx = vertx;
    this.server = context;
    this.settings = settings;
    ServerStatus status = new ServerStatus(context.queues().catalog());
    WorkerExecutor changes = vertx.createSharedWorkerExecutor("river-catalog", 1);
    this.commands =
        new Commands(
            context,
            settings,
            figures,
            status,
            changes,
            new Administration(context, settings, figures, status, changes, stop));
  }

  /** Starts to listen, and returns the port. */
  public Future<Integer> listen() {
    SocketAddress address =
        settings.port() == 0
            ? SocketAddress.sharedRandomPort(2, settings.host()) // the same for all loops
            : SocketAddress.inetSocketAddress(settings.port(), settings.host());
    return vertx
        .deployVerticle(
            () -> new Loop(address), new DeploymentOptions().setInstances(settings.threads()))
        .map(deployed -> servers.get(0).actualPort())
        .recover(e -> Future.failedFuture(cannotListen(e)));
  }

  private RiverException cannotListen(Throwable e) {
    return ListenFailure.of(
        settings.host(),
        settings.port(),
        "--host or memcache.host",
        "--memcache or memcache.port",
        e);
  }

  /** The part of the service on one event loop. */
  private final class Loop extends AbstractVerticle {
    private final SocketAddress address;

    Loop(SocketAddress address) {
      this.address = address;
    }

    @Override
    public void start(Promise<Void> started) {
      vertx
          .createNetServer(new NetServerOptions().setTcpNoDelay(true))
          .connectHandler(this::opened)
          .listen(address)
          .onSuccess(servers::add)
          .<Void>mapEmpty()
          .onComplete(started);
    }

    private void opened(NetSocket socket) {
      AdmissionControl admission = server.admission();
      String network = AdmissionControl.networkOf(socket.remoteAddress().hostAddress());
      if (!admission.admitConnection(network)) {
        var unused = socket.close();
        return;
      }
      figures.connected.increment();
      figures.connections.incrementAndGet();
      Session session =
          new Session(
              socket,
              vertx.getOrCreateContext(),
              commands,
              figures,
              admission.budget(),
              admission.limits().bodyBytes());
      socket.closeHandler(
          closed -> {
            figures.connections.decrementAndGet();
            admission.disconnected(network);
            session.ended();
          });
      session.start();
    }
  }
}
