package com.wookler.river.rest.server.memcache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.wookler.river.common.MonitoredThread;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.ServerContext;
import com.wookler.river.rest.server.hosting.SettingsSource;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The commands that neither store nor read a message. Thread-safe. */
final class Administration {
  private static final Logger LOG = LoggerFactory.getLogger(Administration.class);
  private static final Answer RELOADED = Answer.line("Reloaded config.");
  private static final Answer FLUSHED_ALL = Answer.line("Flushed all queues.");

  private final ServerContext context;
  private final MemcacheSettings settings;
  private final Figures figures;
  private final Statistics statistics;
  private final ServerStatus status;
  private final WorkerExecutor changes; // creates and deletes queues
  private final Runnable stop;

  Administration(
      ServerContext context,
      MemcacheSettings settings,
      Figures figures,
      ServerStatus status,
      WorkerExecutor changes,
      Runnable stop) {
    this.context = context;
    this.settings = settings;
    this.figures = figures;
    this.statistics = new Statistics(context, figures);
    this.status = status;
    this.changes = changes;
    this.stop = stop;
  }

  CompletableFuture<Answer> run(Request request, Session session) {
    return switch (request.verb()) {
      case "delete" -> named(request, work -> session.blocking(changes, work::get), this::delete);
      case "flush" -> named(request, session::blocking, this::flush);
      case "flush_expired" -> named(request, session::blocking, this::expired);
      case "flush_all" -> session.blocking(this::flushAll);
      case "flush_all_expired" -> Answer.line("0").now();
      case "stats" -> session.blocking(() -> text(statistics.all()));
      case "dump_stats" -> session.blocking(() -> text(statistics.of(request.arguments())));
      case "status" -> status(request, session);
      case "reload" -> session.blocking(this::reload);
      case "version" -> Answer.line("VERSION " + Statistics.VERSION).now();
      case "quit" -> Answer.NOTHING.closing().now();
      case "shutdown" -> shutdown().now();
      default -> Answer.CLIENT_ERROR.closing().now();
    };
  }

  private static Answer text(String lines) {
    return new Answer(Buffer.buffer(lines.getBytes(ISO_8859_1)), false, null);
  }

  /** What is done with a queue that may not exist. */
  @FunctionalInterface
  private interface OnQueue {
    Answer run(QueueName name);
  }

  /** Where something that may block runs. */
  @FunctionalInterface
  private interface Threads {
    CompletableFuture<Answer> run(Supplier<Answer> work);
  }

  private static CompletableFuture<Answer> named(Request request, Threads threads, OnQueue work) {
    if (request.arguments().isEmpty()) {
      return Answer.CLIENT_ERROR.now();
    }
    String name = request.argument(0);
    return QueueName.isLegal(name)
        ? threads.run(() -> work.run(QueueName.of(name)))
        : Answer.CLIENT_ERROR.closing().now();
  }

  /** Returns a queue of which messages may be removed; null if it does not exist. */
  private @Nullable HostedQueue<?> changeable(QueueName name) {
    HostedQueue<?> queue = context.queues().catalog().find(name.queue());
    if (queue != null) {
      ServerStatus.checkChanges(queue, name);
    }
    return queue;
  }

  private Answer delete(QueueName name) {
    HostedQueue<?> queue = changeable(name);
    if (queue != null && remove(queue, name)) {
      figures.deleted.increment();
      figures.forget(name);
    }
    return Answer.DELETED;
  }

  /** Removes what a name means, and returns whether that was there. */
  private boolean remove(HostedQueue<?> queue, QueueName name) {
    if (name.isChild()) {
      return queue.remove(name.subscriber());
    }
    if (queue.settings() == null || hasChildren(queue)) {
      empty(queue, name); // it is in a file or an application, or has what they have not read
    } else {
      context.queues().catalog().delete(queue, true);
    }
    return true;
  }

  private static boolean hasChildren(HostedQueue<?> queue) {
    return queue.queue().subscriberNames().stream()
        .anyMatch(name -> !name.equals(QueueName.READER));
  }

  private Answer flush(QueueName name) {
    HostedQueue<?> queue = changeable(name);
    if (queue != null) {
      empty(queue, name);
    }
    return Answer.END;
  }

  /** Skips all messages of a name. Without a reader the first one would begin with them. */
  private void empty(HostedQueue<?> queue, QueueName name) {
    HostedSubscriber<?> reader =
        name.isChild() ? queue.find(name.subscriber()) : Readers.reader(queue, name);
    if (reader != null) {
      figures.of(name).flushes.increment();
      var unused = reader.subscriber().purge();
    }
  }

  /** Answers with how many messages this call removed: none, as they expire by themselves. */
  private Answer expired(QueueName name) {
    var unused = changeable(name);
    return Answer.line("0");
  }

  private Answer flushAll() {
    for (HostedQueue<?> queue : Readers.open(context.queues().catalog())) {
      List<QueueName> names = statistics.names(queue);
      names.stream().filter(name -> isRead(queue, name)).forEach(this::flush);
    }
    return FLUSHED_ALL;
  }

  /** Returns whether clients have read a name, or are the first that can. */
  private static boolean isRead(HostedQueue<?> queue, QueueName name) {
    List<String> subscribers = queue.queue().subscriberNames();
    return subscribers.contains(name.subscriber())
        || (subscribers.isEmpty() && queue.source() != SettingsSource.APPLICATION);
  }

  private CompletableFuture<Answer> status(Request request, Session session) {
    if (request.arguments().isEmpty()) {
      return Answer.line(status.name()).now();
    }
    QueueStatus to = ServerStatus.named(request.argument(0));
    return to == null
        ? Answer.CLIENT_ERROR.closing().now()
        : session.blocking(
            () -> {
              status.become(to);
              return Answer.END;
            });
  }

  private Answer reload() {
    LOG.info("A client asked for a reload: {}", context.queues().catalog().reload());
    return RELOADED;
  }

  private Answer shutdown() {
    if (!settings.allowsShutdown()) {
      LOG.warn("A client asked for a shutdown, which memcache.shutdown does not allow");
      return Answer.CLIENT_ERROR.closing();
    }
    LOG.info("A client asked for a shutdown");
    new MonitoredThread("river-memcache-shutdown", stop).start();
    return Answer.NOTHING.closing();
  }
}
