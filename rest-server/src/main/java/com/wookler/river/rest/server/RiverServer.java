package com.wookler.river.rest.server;

import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.utils.Amount;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.settings.Option;
import com.wookler.river.core.settings.Settings;
import com.wookler.river.rest.server.hosting.Callers;
import com.wookler.river.rest.server.hosting.Changes;
import com.wookler.river.rest.server.hosting.Hosting;
import com.wookler.river.rest.server.hosting.KeyFile;
import com.wookler.river.rest.server.hosting.Keys;
import com.wookler.river.rest.server.hosting.Latencies;
import com.wookler.river.rest.server.hosting.Load;
import com.wookler.river.rest.server.hosting.Polls;
import com.wookler.river.rest.server.hosting.QueueCatalog;
import com.wookler.river.rest.server.hosting.QueueFigures;
import com.wookler.river.rest.server.hosting.QueueResolver;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.ServerLimits;
import com.wookler.river.rest.server.hosting.Sink;
import com.wookler.river.rest.server.hosting.Subjects;
import com.wookler.river.rest.server.hosting.WaitingPublishes;
import com.wookler.river.rest.server.http.Endpoint;
import com.wookler.river.rest.server.http.Hosts;
import com.wookler.river.rest.server.http.HttpService;
import com.wookler.river.rest.server.http.HttpSettings;
import com.wookler.river.rest.server.http.Tls;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Offers queues over HTTP/1.1 and, with TLS, HTTP/2, as the OpenAPI document says that it serves at
 * {@code /openapi.yaml}.
 *
 * <pre>{@code
 * try (RiverServer server = RiverServer.builder().directory(Path.of("river-data")).start()) {
 *   System.out.println("http://127.0.0.1:" + server.port());
 * }
 * }</pre>
 *
 * <p>Without more it can be reached from this machine only. Thread-safe.
 */
public final class RiverServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RiverServer.class);
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(10);
  private static final long CLOSE_SECONDS = 30;
  private static final long LOOK_AT_FILES_MILLIS = 100;
  private static final int PATIENT_THREADS = 32;
  private static final int THREADS = 10; // none of them waits for a message
  private static final int QUEUES_WITH_FIGURES = 200;
  private static final int SUBSCRIBERS_WITH_FIGURES = 1_000;

  private final Vertx vertx;
  private final QueueCatalog catalog;
  private final Hosting hosting;
  private final HttpService http;
  private final AtomicBoolean stopping = new AtomicBoolean();
  private final @Nullable AutoCloseable owned;
  private final boolean tls;
  private final int port;

  private RiverServer(Builder from) {
    from.check();
    ServerLimits limits = limits(from.settings);
    this.owned = from.owned;
    this.tls = from.tls != null;
    this.catalog =
        new QueueCatalog(
            from.settings.get(ServerOptions.DIRECTORY),
            from.settings.find(ServerOptions.BACKUP_DIRECTORY));
    Subjects queues = new Subjects(QUEUES_WITH_FIGURES);
    Subjects subscribers = new Subjects(SUBSCRIBERS_WITH_FIGURES);
    Latencies latencies = new Latencies(from.time, queues, subscribers);
    Load load = new Load(limits, from.time);
    Vertx started = null;
    HttpService made = null;
    try {
      from.queues.forEach(adding -> adding.accept(catalog));
      started =
          Vertx.vertx(
              new VertxOptions()
                  .setEventLoopPoolSize(from.settings.number(ServerOptions.THREADS))
                  .setWorkerPoolSize(THREADS));
      this.vertx = started;
      Path keyFile = from.settings.find(ServerOptions.KEYS_FILE);
      Keys keys = keyFile == null ? null : new Keys(new KeyFile(keyFile));
      this.hosting =
          new Hosting(
              new QueueResolver(catalog, from.settings.is(ServerOptions.AUTO_CREATE)),
              keys == null ? Callers.ALL : keys,
              load,
              new Polls(latencies, load.budget()),
              new WaitingPublishes(patient(started)),
              from.sink,
              from.time,
              stopping::get);
      made =
          new HttpService(
              started,
              hosting,
              new QueueFigures(catalog, queues, subscribers, latencies),
              from.http());
      this.http = made;
      followFiles(keys);
      this.port = await(made.listen());
    } catch (Throwable e) {
      if (started != null) {
        await(started.close());
      }
      if (made != null) {
        made.close();
      }
      catalog.close();
      throw e;
    }
    LOG.info(
        "River serves {} at {}://{}:{}",
        Amount.of(catalog.all().size(), "queue"),
        scheme(),
        from.settings.get(ServerOptions.HOST),
        port);
  }

  private static WaitingPublishes.Threads patient(Vertx vertx) {
    WorkerExecutor threads = vertx.createSharedWorkerExecutor("river-patient", PATIENT_THREADS);
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

  /** Follows changes of keys and certificates. */
  private void followFiles(@Nullable Keys keys) {
    if (keys == null && !tls) {
      return;
    }
    Changes certificates = new Changes(http.certificates());
    WorkerExecutor looker = vertx.createSharedWorkerExecutor("river-files", 1);
    Callable<Boolean> look = () -> look(keys, certificates);
    vertx.setPeriodic(
        LOOK_AT_FILES_MILLIS,
        tick -> {
          if (!stopping.get()) { // its end closes the thread before the timer
            looker.executeBlocking(look);
          }
        });
  }

  private boolean look(@Nullable Keys keys, Changes certificates) {
    if (keys != null && keys.refresh()) {
      hosting.polls().endForbidden();
      http.endForbidden();
      hosting.publishes().endForbidden();
    }
    if (certificates.seen()) {
      http.renewCertificates();
    }
    return true;
  }

  private static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new RiverException(
          "the server cannot go on: " + RequestException.causeOf(e).getMessage(), e);
    }
  }

  /** A server with default settings, to be changed. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Opens the queues of a file as {@link com.wookler.river.core.River#open} does, and offers them
   * as its {@code <server>} says; {@link #close} closes them too. The file needs neither a queue
   * nor a {@code <server>}: then there is what requests make, and the defaults.
   *
   * @throws ConfigurationException the file is wrong, naming line, element and parameter
   * @throws RiverException a queue cannot be opened, or the port is taken
   */
  public static RiverServer open(Path file) {
    return ServerXml.open(file);
  }

  /** The port at which it listens. */
  public int port() {
    return port;
  }

  /** {@code http} or {@code https}. */
  public String scheme() {
    return tls ? "https" : "http";
  }

  /** Returns the limits that these settings say. */
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

  /** Returns all that the server answers over HTTP. */
  List<Endpoint> endpoints() {
    return http.endpoints();
  }

  /** How many long polls and streams there are. */
  int waiting() {
    return hosting.load().waiting();
  }

  /** How many streams are open. */
  int streams() {
    return http.streams();
  }

  /**
   * Ends it: refuses new requests, ends streams and polls, answers what is under way for up to 10
   * seconds, gives back what is out on streams, and closes the queues that it has made or opened.
   * Idempotent.
   *
   * @throws RiverException something does not close; the rest is closed all the same
   */
  @Override
  public void close() {
    if (!stopping.compareAndSet(false, true)) {
      return;
    }
    hosting.polls().close();
    http.endStreams();
    hosting.load().awaitEnd(hosting.time(), LONGEST_ANSWER);
    try {
      await(vertx.close().timeout(CLOSE_SECONDS, TimeUnit.SECONDS));
    } finally {
      http.close();
      closeQueues();
    }
    LOG.info("River's server has ended");
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
      throw new RiverException("the server's queues do not close", e);
    }
  }

  /** Collects the settings of a server. Not thread-safe. */
  public static final class Builder {
    private Settings settings = ServerOptions.TABLE.defaults();
    private @Nullable Tls tls;
    private @Nullable AutoCloseable owned;
    private TimeSource time = TimeSource.system();
    private Sink sink = Sink.QUEUES;
    private final Set<String> allowedHosts = new HashSet<>();
    private final List<Consumer<QueueCatalog>> queues = new ArrayList<>();

    private Builder() {}

    private <T> Builder set(Option<T> option, T value) {
      settings = settings.with(option, value);
      return this;
    }

    /** Sets all options but those of TLS and of hosts. */
    Builder settings(Settings all) {
      settings = all;
      return this;
    }

    /**
     * Address to listen at (default {@code 127.0.0.1}: this machine only). Any that others can
     * reach needs {@link #keys} and TLS, or {@link #insecure}.
     */
    public Builder host(String name) {
      return set(ServerOptions.HOST, Objects.requireNonNull(name, "name"));
    }

    /** Port to listen at (default 8080); 0: any that is free. */
    public Builder port(int number) {
      return set(ServerOptions.PORT, (long) number);
    }

    /** Threads that handle connections (default 2). */
    public Builder threads(int number) {
      return set(ServerOptions.THREADS, (long) number);
    }

    /** Base directory of the queues that requests make (default {@code river-data}). */
    public Builder directory(Path base) {
      return set(ServerOptions.DIRECTORY, Objects.requireNonNull(base, "base"));
    }

    /**
     * Base directory of the backups of queues that requests make, each below its name (default:
     * none, and a request for a queue with a backup is refused). No request says where. It lies
     * neither in {@link #directory} nor around it.
     */
    public Builder backupDirectory(Path base) {
      return set(ServerOptions.BACKUP_DIRECTORY, Objects.requireNonNull(base, "base"));
    }

    /** Whether publishing makes a queue, and taking a subscriber, that is not there (default). */
    public Builder autoCreate(boolean make) {
      return set(ServerOptions.AUTO_CREATE, make);
    }

    /**
     * Demands an API key with each request but those for health and the contract. The file is made
     * by {@code river keys add}; changes take effect within about a second.
     */
    public Builder keys(Path file) {
      return set(ServerOptions.KEYS_FILE, Objects.requireNonNull(file, "file"));
    }

    /**
     * Speaks TLS, 1.2 or 1.3, with a certificate chain and its private key in PEM. When the files
     * change, new connections use the new ones within about a second, unless they cannot be read or
     * do not belong together: then those before stay, and the log says why. At the start such files
     * are refused. A certificate that has expired or is not valid yet is used, with a warning.
     */
    public Builder certificate(Path chain, Path key) {
      tls = new Tls.Pem(Objects.requireNonNull(chain, "chain"), Objects.requireNonNull(key, "key"));
      return this;
    }

    /** Likewise, with both in a PKCS12 store. */
    public Builder keystore(Path file, String password) {
      tls =
          new Tls.Store(
              Objects.requireNonNull(file, "file"), Objects.requireNonNull(password, "password"));
      return this;
    }

    /**
     * Lets others reach the server without keys or without TLS (default: refused at the start).
     * Whoever reaches it may then read, write and remove every queue.
     */
    public Builder insecure(boolean allowed) {
      return set(ServerOptions.INSECURE, allowed);
    }

    /**
     * A name by which requests may call the server, besides addresses, {@code localhost} and {@link
     * #host}; all others are refused, so that no web page reaches it under a name of its own.
     */
    public Builder allowedHost(String name) {
      allowedHosts.add(Objects.requireNonNull(name, "name"));
      return this;
    }

    /** Largest body of a request (default 1 MB). */
    public Builder maxBodyBytes(long bytes) {
      return set(ServerOptions.MAX_BODY_BYTES, bytes);
    }

    /** How many connections there may be (default 20,000); those beyond are closed at once. */
    public Builder maxConnections(int number) {
      return set(ServerOptions.MAX_CONNECTIONS, (long) number);
    }

    /** How many of them may come from one address (default 10,000), or one IPv6 network of /64. */
    public Builder maxConnectionsPerAddress(int number) {
      return set(ServerOptions.MAX_CONNECTIONS_PER_ADDRESS, (long) number);
    }

    /**
     * How many bytes of bodies and answers there may be in memory together (default a quarter of
     * the heap). When they are, what made no progress for the longest time is given up: a body with
     * 503, an answer that is not read by closing its connection.
     */
    public Builder maxBufferedBytes(long bytes) {
      return set(ServerOptions.MAX_BUFFERED_BYTES, bytes);
    }

    /** How many bytes a second a body has to bring, looked at every 5 s (default 1 KB). */
    public Builder minBodyRate(long bytes) {
      return set(ServerOptions.MIN_BODY_RATE, bytes);
    }

    /** How many requests may be under way (default 1,000); those beyond are answered with 429. */
    public Builder maxRequests(int number) {
      return set(ServerOptions.MAX_REQUESTS, (long) number);
    }

    /** How many long polls and streams there may be (default 20,000); likewise. */
    public Builder maxWaiting(int number) {
      return set(ServerOptions.MAX_WAITING, (long) number);
    }

    /** How long a connection may be without a request, whatever it sends (default 60 s). */
    public Builder idleTimeout(Duration longest) {
      return set(ServerOptions.IDLE_TIMEOUT, Objects.requireNonNull(longest, "longest"));
    }

    /** How long a request's body may take to arrive (default 30 s). */
    public Builder requestTimeout(Duration longest) {
      return set(ServerOptions.REQUEST_TIMEOUT, Objects.requireNonNull(longest, "longest"));
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

    /** Where messages go that are published (default: into their queues). */
    Builder sink(Sink where) {
      sink = where;
      return this;
    }

    /** What is closed after the server. */
    Builder owning(AutoCloseable what) {
      owned = what;
      return this;
    }

    private HttpSettings http() {
      return new HttpSettings(
          settings.get(ServerOptions.HOST),
          settings.number(ServerOptions.PORT),
          settings.number(ServerOptions.THREADS),
          Set.copyOf(allowedHosts),
          tls);
    }

    private void check() {
      settings.check("server");
      String host = settings.get(ServerOptions.HOST);
      Path directory = settings.get(ServerOptions.DIRECTORY);
      Path backups = settings.find(ServerOptions.BACKUP_DIRECTORY);
      Path keys = settings.find(ServerOptions.KEYS_FILE);
      if (backups != null && oneHoldsTheOther(directory, backups)) {
        throw new ConfigurationException(
            "the directory of backups, "
                + backups
                + ", is, holds or lies in that of the queues, "
                + directory
                + ", so a queue's name could be that of the other's directory");
      }
      if (!settings.is(ServerOptions.INSECURE)
          && (keys == null || tls == null)
          && !Hosts.isLoopback(host)) {
        throw new ConfigurationException(
            "others can reach "
                + host
                + ", so it needs API keys (server.keys.file) and TLS (server.ssl.certificate and"
                + " server.ssl.key, or server.ssl.keystore); there is no "
                + (keys == null ? tls == null ? "file of keys, and no TLS" : "file of keys" : "TLS")
                + ". To let everybody in, say server.insecure=true");
      }
    }

    private static boolean oneHoldsTheOther(Path queues, Path backups) {
      Path one = queues.toAbsolutePath().normalize();
      Path other = backups.toAbsolutePath().normalize();
      return one.startsWith(other) || other.startsWith(one);
    }

    /**
     * Opens the queues that were made before, and listens.
     *
     * @throws ConfigurationException a setting is out of its range, or the server would be open to
     *     everybody
     * @throws RiverException the port is taken, or a queue cannot be opened; nothing stays open
     */
    public RiverServer start() {
      return new RiverServer(this);
    }
  }
}
