package com.wookler.river.rest.server;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.Defaults;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.ReloadResult;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import com.wookler.river.rest.server.hosting.Authenticator;
import com.wookler.river.rest.server.hosting.FileWatcher;
import com.wookler.river.rest.server.hosting.KeyAuthenticator;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.Latencies;
import com.wookler.river.rest.server.hosting.PollRegistry;
import com.wookler.river.rest.server.hosting.PublishTarget;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.QueueMetrics;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.SeriesLimiter;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.ServerLimits;
import com.wookler.river.rest.server.hosting.SnapshotDirectory;
import com.wookler.river.rest.server.hosting.WaitingPublishes;
import com.wookler.river.rest.server.http.Endpoint;
import com.wookler.river.rest.server.http.HostValidator;
import com.wookler.river.rest.server.http.HttpService;
import com.wookler.river.rest.server.http.HttpSettings;
import com.wookler.river.rest.server.http.Tls;
import com.wookler.river.rest.server.memcache.MemcacheService;
import com.wookler.river.rest.server.memcache.MemcacheSettings;
import com.wookler.river.rest.server.memcache.ReplyKey;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.WorkerExecutor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves queues over HTTP/1.1 and, with TLS, HTTP/2. The OpenAPI document at {@code /openapi.yaml}
 * is its contract.
 *
 * <pre>{@code
 * try (RiverServer server = RiverServer.builder().directory(Path.of("river-data")).start()) {
 *   System.out.println("http://127.0.0.1:" + server.port());
 * }
 * }</pre>
 *
 * <p>By default it can be reached from this machine only. Thread-safe.
 */
public final class RiverServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RiverServer.class);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
  private static final long CLOSE_SECONDS = 30;
  private static final long FILE_CHECK_MILLIS = 100;
  private static final int BLOCKING_PUBLISH_THREADS = 32;
  private static final int THREADS = 10; // worker threads; none of them waits for a message
  private static final int MAX_QUEUE_SERIES = 200;
  private static final int MAX_SUBSCRIBER_SERIES = 1_000;

  private final Vertx vertx;
  private final QueueCatalog catalog;
  private final ServerContext context;
  private final HttpService http;
  private final int memcachePort;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final @Nullable AutoCloseable owned;
  private final boolean tls;
  private final int port;

  private RiverServer(Builder from) {
    ServerLimits limits = limits(from.checked());
    this.owned = from.owned;
    this.tls = from.tls != null;
    this.catalog =
        new QueueCatalog(
            from.settings.get(ServerOptions.DIRECTORY),
            from.settings.find(ServerOptions.BACKUP_DIRECTORY),
            SnapshotDirectory.of(
                from.settings.find(ServerOptions.SNAPSHOT_DIRECTORY),
                from.settings.get(ServerOptions.DIRECTORY)),
            from.defaults);
    SeriesLimiter queues = new SeriesLimiter(MAX_QUEUE_SERIES);
    SeriesLimiter subscribers = new SeriesLimiter(MAX_SUBSCRIBER_SERIES);
    Latencies latencies = new Latencies(from.time, queues, subscribers);
    AdmissionControl admission = new AdmissionControl(limits, from.time);
    Vertx started = null;
    HttpService service = null;
    try {
      from.ensureWritable();
      from.queues.forEach(adding -> adding.accept(catalog));
      started =
          Vertx.vertx(
              new VertxOptions()
                  .setEventLoopPoolSize(from.settings.number(ServerOptions.THREADS))
                  .setWorkerPoolSize(THREADS));
      this.vertx = started;
      Path keyFile = from.settings.find(ServerOptions.KEYS_FILE);
      KeyAuthenticator keys =
          keyFile == null ? null : new KeyAuthenticator(new KeyFile(keyFile), from.time);
      this.context =
          new ServerContext(
              new QueueResolver(catalog, from.settings.is(ServerOptions.AUTO_CREATE)),
              keys == null ? Authenticator.DISABLED : keys,
              admission,
              new PollRegistry(latencies, admission.budget()),
              new WaitingPublishes(blockingPublishThreads(started)),
              from.target,
              from.time,
              stopping::get);
      service =
          new HttpService(
              started,
              context,
              new QueueMetrics(catalog, queues, subscribers, latencies),
              from.http());
      this.http = service;
      FileWatcher certificates = new FileWatcher(service.certificates()); // before they are read
      this.port = await(service.listen());
      this.memcachePort = from.speaksMemcache() ? await(memcache(from).listen()) : -1;
      followFiles(keys, certificates); // not before all servers are there that need a change
    } catch (Throwable e) {
      if (started != null) {
        await(started.close());
      }
      if (service != null) {
        service.close();
      }
      catalog.close();
      throw e;
    }
    catalog.warnOfOthers();
    LOG.info(
        "River serves {} at {}://{}:{}",
        Amount.of(catalog.all().size(), "queue"),
        scheme(),
        from.settings.get(ServerOptions.HOST),
        port);
  }

  private MemcacheService memcache(Builder from) {
    MemcacheSettings settings = from.memcacheSettings();
    if (!HostValidator.isLoopback(settings.host())) {
      LOG.warn(
          "Who can reach {} may read, write and delete every queue: memcache's protocol has no"
              + " keys",
          settings.host());
    }
    return new MemcacheService(vertx, context, settings, this::close);
  }

  private static WaitingPublishes.Threads blockingPublishThreads(Vertx vertx) {
    WorkerExecutor threads =
        vertx.createSharedWorkerExecutor("river-patient", BLOCKING_PUBLISH_THREADS);
    return task ->
        threads
            .<Boolean>executeBlocking(
                () -> {
                  task.run();
                  return true;
                },
                false)
            .toCompletionStage();
  }

  /** Checks periodically whether keys or certificates have changed. */
  private void followFiles(@Nullable KeyAuthenticator keys, FileWatcher certificates) {
    if (keys == null && !tls) {
      return;
    }
    WorkerExecutor fileThread = vertx.createSharedWorkerExecutor("river-files", 1);
    Callable<Boolean> check = () -> checkFiles(keys, certificates);
    vertx.setPeriodic(
        FILE_CHECK_MILLIS,
        tick -> {
          if (!stopping.get()) { // closing ends the thread before the timer
            fileThread.executeBlocking(check);
          }
        });
  }

  private boolean checkFiles(@Nullable KeyAuthenticator keys, FileWatcher certificates) {
    if (keys != null && keys.refresh()) {
      context.polls().endUnauthorized();
      http.endUnauthorized();
      context.publishes().endUnauthorized();
    }
    http.renewCertificates(certificates.hasChanged());
    return true;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new RiverException("the server failed: " + RequestException.causeOf(e).getMessage(), e);
    }
  }

  /** Creates a builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens the queues of a file as {@link com.wookler.river.core.River#open} does, and serves them
   * with the settings of its {@code <server>}. {@link #close} closes the queues too. The file may
   * contain no queue, as requests can create queues, and no {@code <server>}, for the default
   * settings.
   *
   * @throws ConfigurationException the file is not valid; the message names line, element and
   *     parameter
   * @throws RiverException a queue cannot be opened, or the port is in use
   */
  public static RiverServer open(Path file) {
    return ServerXml.open(file);
  }

  /** Returns the port on which the server listens. */
  public int port() {
    return port;
  }

  /** Returns the port for health checks and metrics alone; -1 if there is none. */
  public int healthPort() {
    return http.healthPort();
  }

  /** Returns whether requests need an API key. */
  boolean requiresKey() {
    return context.authenticator().requiresKey();
  }

  /** Returns the port at which the server speaks memcache's protocol; -1 if it does not. */
  public int memcachePort() {
    return memcachePort;
  }

  /** Returns {@code http} or {@code https}. */
  public String scheme() {
    return tls ? "https" : "http";
  }

  /**
   * Reads the server's file again, as {@link River#reload()} does, and serves the queues that are
   * new in it. The settings of {@code <server>} are checked as at the start, but stay as they are:
   * what differs is in {@link ReloadResult#needsReopening}.
   *
   * @throws RiverException the server was not opened from a file with queues, or the file cannot be
   *     read or is wrong; nothing has changed
   */
  @CanIgnoreReturnValue
  public ReloadResult reload() {
    return catalog.reload();
  }

  /** Returns the limits in the settings. */
  static ServerLimits limits(Settings settings) {
    ServerLimits limits =
        new ServerLimits(
            settings.get(ServerOptions.MAX_BODY_BYTES),
            settings.number(ServerOptions.MAX_CONNECTIONS),
            settings.number(ServerOptions.MAX_CONNECTIONS_PER_ADDRESS),
            settings.number(ServerOptions.MAX_REQUESTS),
            settings.number(ServerOptions.MAX_WAITING),
            settings.get(ServerOptions.MAX_BUFFERED_BYTES),
            settings.get(ServerOptions.MIN_BODY_RATE),
            settings.get(ServerOptions.IDLE_TIMEOUT),
            settings.get(ServerOptions.REQUEST_TIMEOUT));
    limits.check();
    return limits;
  }

  /** Returns all endpoints of the server. */
  List<Endpoint> endpoints() {
    return http.endpoints();
  }

  /** Returns the number of long polls and streams. */
  int waiting() {
    return context.admission().waiting();
  }

  /** Returns how many bytes requests and answers hold. */
  long bufferedBytes() {
    return context.admission().budget().used();
  }

  /** Returns the number of open streams. */
  int streams() {
    return http.streams();
  }

  /**
   * Closes the server: rejects new requests, ends streams and polls, completes requests in progress
   * for up to 10 seconds, releases the deliveries in flight on streams, and closes the queues that
   * it has created or opened. Idempotent.
   *
   * @throws RiverException a part could not be closed; the others are closed nevertheless
   */
  @Override
  public void close() {
    if (!stopping.compareAndSet(false, true)) {
      return;
    }
    context.polls().close();
    http.endStreams();
    context.admission().awaitIdle(context.time(), CLOSE_TIMEOUT);
    try {
      await(vertx.close().timeout(CLOSE_SECONDS, TimeUnit.SECONDS));
    } finally {
      try {
        http.close();
        closeQueues();
      } finally {
        closed.countDown();
      }
    }
    LOG.info("River's server is closed");
  }

  /** Returns once it is closed, also by a client that may. */
  void awaitClosed() throws InterruptedException {
    closed.await();
  }

  private void closeQueues() {
    catalog.close();
    try {
      if (owned != null) {
        owned.close();
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new RiverException("cannot close the server's queues", e);
    }
  }

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    private Settings settings = ServerOptions.TABLE.defaults();
    private @Nullable Tls tls;
    private @Nullable AutoCloseable owned;
    private TimeSource time = TimeSource.system();
    private PublishTarget target = PublishTarget.QUEUES;
    private Defaults defaults = Defaults.NONE;
    private final Set<String> allowedHosts = new HashSet<>();
    private final List<Consumer<QueueCatalog>> queues = new ArrayList<>();

    private Builder() {}

    private <T> Builder set(Option<T> option, T value) {
      settings = settings.with(option, value);
      return this;
    }

    /** Sets all options except those of TLS and of hosts. */
    Builder settings(Settings all) {
      settings = all;
      return this;
    }

    /**
     * Sets the address to listen on (default {@code 127.0.0.1}: this machine only). An address that
     * other machines can reach needs {@link #keys} and TLS, or {@link #insecure}.
     */
    public Builder host(String name) {
      return set(ServerOptions.HOST, Objects.requireNonNull(name, "name"));
    }

    /** Sets the port to listen on (default 8080); 0: any free port. */
    public Builder port(int number) {
      return set(ServerOptions.PORT, (long) number);
    }

    /** Sets the number of threads that handle connections (default 2). */
    public Builder threads(int number) {
      return set(ServerOptions.THREADS, (long) number);
    }

    /** Sets the base directory of the queues that requests create (default {@code river-data}). */
    public Builder directory(Path base) {
      return set(ServerOptions.DIRECTORY, Objects.requireNonNull(base, "base"));
    }

    /**
     * Sets the base directory of the backups of queues that requests create, each in a subdirectory
     * of its name (default: none, and a request for a queue with a backup is rejected). A request
     * cannot choose the directory. It must neither contain {@link #directory} nor be in it.
     */
    public Builder backupDirectory(Path base) {
      return set(ServerOptions.BACKUP_DIRECTORY, Objects.requireNonNull(base, "base"));
    }

    /**
     * Sets the base directory of the snapshots that requests make, each in a subdirectory of its
     * name (default: none, and such a request is rejected). A request cannot choose the directory.
     * It must be on the volume of {@link #directory}, because snapshots consist of hard links, and
     * neither contain that or {@link #backupDirectory} nor be in one of them.
     */
    public Builder snapshotDirectory(Path base) {
      return set(ServerOptions.SNAPSHOT_DIRECTORY, Objects.requireNonNull(base, "base"));
    }

    /**
     * Sets whether publishing creates a missing queue, and polling a missing subscriber (default
     * true).
     */
    public Builder autoCreate(boolean make) {
      return set(ServerOptions.AUTO_CREATE, make);
    }

    /**
     * Requires an API key with each request except those for health and the contract. {@code river
     * keys add} creates the file; changes take effect within about a second.
     */
    public Builder keys(Path file) {
      return set(ServerOptions.KEYS_FILE, Objects.requireNonNull(file, "file"));
    }

    /**
     * Enables TLS 1.2 and 1.3, with a certificate chain and its private key in PEM. When the files
     * change, new connections use them within about a second, unless they cannot be read or do not
     * belong together: then the previous ones stay in use, and the log says why. At the start such
     * files are an error. A certificate that has expired or is not valid yet is used, with a
     * warning.
     */
    public Builder certificate(Path chain, Path key) {
      tls = new Tls.Pem(Objects.requireNonNull(chain, "chain"), Objects.requireNonNull(key, "key"));
      return this;
    }

    /** Enables TLS as {@link #certificate} does, with certificate and key in a PKCS12 store. */
    public Builder keystore(Path file, String password) {
      tls =
          new Tls.Store(
              Objects.requireNonNull(file, "file"), Objects.requireNonNull(password, "password"));
      return this;
    }

    /**
     * Allows other machines to reach the server without keys or without TLS (default: an error at
     * the start). Every client that can reach it may then read, write and delete every queue.
     */
    public Builder insecure(boolean allowed) {
      return set(ServerOptions.INSECURE, allowed);
    }

    /**
     * Adds a host name that requests may use, besides addresses, {@code localhost} and {@link
     * #host}. Requests with other names are rejected, so that no web page can reach the server by
     * DNS rebinding.
     */
    public Builder allowedHost(String name) {
      allowedHosts.add(Objects.requireNonNull(name, "name"));
      return this;
    }

    /** Sets the largest body of a request (default 1 MB). */
    public Builder maxBodyBytes(long bytes) {
      return set(ServerOptions.MAX_BODY_BYTES, bytes);
    }

    /** Sets the largest number of connections (default 20,000). Further ones are closed at once. */
    public Builder maxConnections(int number) {
      return set(ServerOptions.MAX_CONNECTIONS, (long) number);
    }

    /**
     * Sets the largest number of connections from one address, or one IPv6 network of /64 (default
     * 10,000).
     */
    public Builder maxConnectionsPerAddress(int number) {
      return set(ServerOptions.MAX_CONNECTIONS_PER_ADDRESS, (long) number);
    }

    /**
     * Sets how many bytes of bodies and responses may be in memory together (default a quarter of
     * the heap). At this limit those without progress for the longest time are evicted: a body with
     * status 503, an unread response by closing its connection.
     */
    public Builder maxBufferedBytes(long bytes) {
      return set(ServerOptions.MAX_BUFFERED_BYTES, bytes);
    }

    /** Sets the lowest rate of a body in bytes per second, checked every 5 s (default 1 KB). */
    public Builder minBodyRate(long bytes) {
      return set(ServerOptions.MIN_BODY_RATE, bytes);
    }

    /**
     * Sets the largest number of requests in progress (default 1,000). Further ones are rejected
     * with status 429.
     */
    public Builder maxRequests(int number) {
      return set(ServerOptions.MAX_REQUESTS, (long) number);
    }

    /**
     * Sets the largest number of long polls and streams (default 20,000). Further ones are rejected
     * with status 429.
     */
    public Builder maxWaiting(int number) {
      return set(ServerOptions.MAX_WAITING, (long) number);
    }

    /**
     * Sets how long a connection may be without a complete request, whatever it sends (default 60
     * s).
     */
    public Builder idleTimeout(Duration longest) {
      return set(ServerOptions.IDLE_TIMEOUT, Objects.requireNonNull(longest, "longest"));
    }

    /** Sets how long a request's body may take to arrive (default 30 s). */
    public Builder requestTimeout(Duration longest) {
      return set(ServerOptions.REQUEST_TIMEOUT, Objects.requireNonNull(longest, "longest"));
    }

    /**
     * Serves a queue of the application, which closes it after the server.
     *
     * @param converter converter of the queue
     */
    public <M> Builder queue(MessageQueue<M> queue, MessageConverter<M> converter) {
      Objects.requireNonNull(queue, "queue");
      Objects.requireNonNull(converter, "converter");
      queues.add(catalog -> catalog.add(queue, converter));
      return this;
    }

    /**
     * Speaks memcache's text protocol, as Kestrel does, at this port too (default: it does not); 0:
     * any free port. The protocol has no keys: who can reach the port may do everything.
     */
    public Builder memcache(int number) {
      return set(ServerOptions.MEMCACHE_PORT, (long) number);
    }

    /**
     * Sets the address at which it does (default {@code 127.0.0.1}). One that other machines can
     * reach needs {@link #insecure}.
     */
    public Builder memcacheHost(String name) {
      return set(ServerOptions.MEMCACHE_HOST, Objects.requireNonNull(name, "name"));
    }

    /** Sets what stands as the key of a value (default {@link ReplyKey#ASKED}). */
    public Builder memcacheReplyKey(ReplyKey key) {
      return set(ServerOptions.MEMCACHE_REPLY_KEY, Objects.requireNonNull(key, "key"));
    }

    /** Sets how many reads a connection may have open on a queue (default 100). */
    public Builder memcacheMaxOpen(int reads) {
      return set(ServerOptions.MEMCACHE_MAX_OPEN, (long) reads);
    }

    /** Sets whether a client of that protocol may stop the server (default false). */
    public Builder memcacheShutdown(boolean allowed) {
      return set(ServerOptions.MEMCACHE_SHUTDOWN, allowed);
    }

    /** Sets the clock, for tests (default: the system's). */
    public Builder timeSource(TimeSource source) {
      time = Objects.requireNonNull(source, "source");
      return this;
    }

    /** Sets the target of published messages (default: their queues). */
    Builder publishTarget(PublishTarget value) {
      target = value;
      return this;
    }

    /** Sets what queues and subscribers that requests create have where these say nothing. */
    Builder defaults(Defaults all) {
      defaults = Objects.requireNonNull(all, "all");
      return this;
    }

    /**
     * Serves the queues of a file, which are closed after the server.
     *
     * @param check checks the server's own settings in the file again before each reload, and
     *     returns what would be otherwise after the next start
     */
    Builder serving(River river, Supplier<List<String>> check) {
      owned = river;
      queues.add(catalog -> catalog.serve(river, check));
      return this;
    }

    /**
     * Lets only clients connect whose certificate is signed by one of this file, in PEM (default:
     * clients need no certificate). Needs {@link #certificate} or {@link #keystore}.
     */
    public Builder clientAuthority(Path file) {
      return set(ServerOptions.CLIENT_CA, Objects.requireNonNull(file, "file"));
    }

    /**
     * Answers health checks and {@code /metrics} at a second port too, and nothing else there
     * (default: there is none); 0: any free port. It has the same TLS, but clients need no
     * certificate there.
     */
    public Builder healthPort(int number) {
      return set(ServerOptions.HEALTH_PORT, (long) number);
    }

    private @Nullable Tls mutualTls() {
      Path clients = settings.find(ServerOptions.CLIENT_CA);
      return tls == null || clients == null ? tls : new Tls.Mutual(tls, clients);
    }

    private HttpSettings http() {
      Long health = settings.find(ServerOptions.HEALTH_PORT);
      return new HttpSettings(
          settings.get(ServerOptions.HOST),
          settings.number(ServerOptions.PORT),
          settings.number(ServerOptions.THREADS),
          Set.copyOf(allowedHosts),
          mutualTls(),
          health == null ? null : health.intValue());
    }

    private boolean speaksMemcache() {
      return settings.find(ServerOptions.MEMCACHE_PORT) != null;
    }

    private MemcacheSettings memcacheSettings() {
      return new MemcacheSettings(
          settings.get(ServerOptions.MEMCACHE_HOST),
          settings.number(ServerOptions.MEMCACHE_PORT),
          settings.number(ServerOptions.THREADS),
          settings.get(ServerOptions.MEMCACHE_REPLY_KEY),
          settings.number(ServerOptions.MEMCACHE_MAX_OPEN),
          settings.is(ServerOptions.MEMCACHE_SHUTDOWN));
    }

    /** Returns the settings, which are complete and checked. */
    Settings checked() {
      ServerCheck.check(settings, tls != null, allowedHosts);
      var unused = limits(settings);
      return settings;
    }

    /**
     * Ensures that queues can be created. A server with queues of its own may have no other ones,
     * so that only a directory that was given counts then.
     */
    private void ensureWritable() {
      if (queues.isEmpty() || settings.isGiven(ServerOptions.DIRECTORY)) {
        ServerCheck.ensureWritable(settings.get(ServerOptions.DIRECTORY));
      }
    }

    /**
     * Opens the queues that requests created before, and starts to listen.
     *
     * @throws ConfigurationException a setting is out of its range, or the server would be open to
     *     everyone
     * @throws RiverException the port is in use, the directory cannot be created or written to, or
     *     a queue cannot be opened; nothing stays open
     */
    public RiverServer start() {
      return new RiverServer(this);
    }
  }
}
