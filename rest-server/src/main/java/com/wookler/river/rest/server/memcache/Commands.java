package com.wookler.river.rest.server.memcache;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageTooLargeException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.HostedSubscriber;
import com.wookler.river.rest.server.hosting.Poll;
import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.ServerContext;
import io.vertx.core.WorkerExecutor;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The commands. Each is called on the event loop of its connection, and its answer completes there.
 * Thread-safe.
 */
final class Commands {
  /** The header that keeps what a client sent as flags. */
  static final String FLAGS = "memcache-flags";

  private static final String SET = "set";
  private static final long RELATIVE_SECONDS = 1_000_000; // from here on they are a time of day
  private static final long MAX_FLAGS = 0xffff_ffffL;

  /** The time to live of a message that has expired when it is set. */
  private static final Duration SHORTEST = Duration.of(1, ChronoUnit.MICROS);

  private static final CompletableFuture<Answer> END = Answer.END.now();
  private static final CompletableFuture<Answer> CLIENT_ERROR = Answer.CLIENT_ERROR.now();
  private static final CompletableFuture<Answer> ILLEGAL = Answer.CLIENT_ERROR.closing().now();

  private final ServerContext context;
  private final MemcacheSettings settings;
  private final Figures figures;
  private final Readers readers;
  private final WorkerExecutor changes;
  private final Administration administration;

  /**
   * Creates them.
   *
   * @param changes the thread that creates and deletes queues, one after the other: no other
   *     command waits for that
   */
  Commands(
      ServerContext context,
      MemcacheSettings settings,
      Figures figures,
      ServerStatus status,
      WorkerExecutor changes,
      Administration administration) {
    this.context = context;
    this.settings = settings;
    this.figures = figures;
    this.readers = new Readers(context.queues(), figures, status);
    this.changes = changes;
    this.administration = administration;
  }

  /** Does what a client asks for. */
  CompletableFuture<Answer> run(Request request, Session session) {
    if (request.fault()) {
      return ILLEGAL;
    }
    CompletableFuture<Answer> answer;
    try {
      answer = answer(request, session);
    } catch (RuntimeException e) {
      return refused(request, e).now();
    }
    return answer.isDone() && !answer.isCompletedExceptionally()
        ? answer
        : answer.exceptionally(e -> refused(request, e));
  }

  private CompletableFuture<Answer> answer(Request request, Session session) {
    return switch (request.verb()) {
      case SET -> set(request, session);
      case "get", "gets" -> get(request, session);
      case "monitor" -> monitor(request, session);
      case "confirm" -> confirm(request, session);
      default -> administration.run(request, session);
    };
  }

  private static Answer refused(Request request, Throwable thrown) {
    Throwable cause = RequestException.causeOf(thrown);
    if (cause instanceof QueueFullException || cause instanceof MessageTooLargeException) {
      return Answer.NOT_STORED;
    }
    RequestException known = RequestException.of(cause);
    if (cause instanceof QueueClosedException
        || (known != null && known.reason() == RequestException.Reason.NOT_FOUND)) {
      return request.verb().equals(SET) ? Answer.NOT_STORED : Answer.END;
    }
    if (known == null) {
      Session.LOG.error("A command failed", cause);
    } else {
      Session.LOG.warn("A command was refused: {}", known.detail());
      if (known.reason() == RequestException.Reason.BAD_REQUEST) {
        return Answer.CLIENT_ERROR; // such as for a name that is too long
      }
    }
    return Answer.SERVER_ERROR.closing();
  }

  // --- set

  private CompletableFuture<Answer> set(Request request, Session session) {
    String name = request.argument(0);
    long flags = RequestParser.number(request.argument(1));
    String expiry = request.argument(2);
    boolean passed = expiry.startsWith("-");
    long seconds = RequestParser.number(passed ? expiry.substring(1) : expiry);
    if (!QueueName.isLegal(name)) {
      return ILLEGAL;
    }
    QueueName queue = QueueName.of(name);
    if (queue.isChild()) {
      return ILLEGAL; // what is for one child only has no place in a log that all share
    }
    if (flags < 0 || flags > MAX_FLAGS || seconds < 0) {
      return CLIENT_ERROR;
    }
    figures.sets.increment();
    byte[] data = request.data();
    if (data == null) {
      return Answer.NOT_STORED.now();
    }
    Message<byte[]> message = Message.of(data);
    if (flags != 0) {
      message = message.withHeader(FLAGS, request.argument(1).getBytes(ISO_8859_1));
    }
    if (passed || seconds > 0) {
      message = message.expiresAfter(passed ? SHORTEST : left(seconds, context.time()));
    }
    return store(queue, message, session);
  }

  private static Duration left(long seconds, TimeSource time) {
    if (seconds < RELATIVE_SECONDS) {
      return Duration.ofSeconds(seconds);
    }
    Duration left = Duration.ofSeconds(seconds).minus(Duration.ofNanos(1_000 * time.epochMicros()));
    return left.compareTo(SHORTEST) < 0 ? SHORTEST : left;
  }

  private CompletableFuture<Answer> store(
      QueueName name, Message<byte[]> message, Session session) {
    HostedQueue<?> known = context.queues().catalog().find(name.queue());
    if (known == null) {
      return session
          .blocking(changes, () -> readers.created(name))
          .thenCompose(made -> stored(made, message, session));
    }
    return stored(known, message, session);
  }

  private CompletableFuture<Answer> stored(
      HostedQueue<?> queue, Message<byte[]> message, Session session) {
    Supplier<CompletableFuture<Answer>> work = () -> put(queue, message);
    CompletableFuture<Answer> answer =
        queue.mayWait()
            ? context.publishes().run(Access.ALL, queue.queue().name(), work)
            : work.get();
    return session.onLoop(answer);
  }

  private <M> CompletableFuture<Answer> put(HostedQueue<M> queue, Message<byte[]> message) {
    return context
        .target()
        .put(queue, List.of(queue.message(message)), Durability.MEMORY)
        .thenApply(
            stored -> {
              figures.stored.increment();
              return Answer.STORED;
            });
  }

  // --- get

  private CompletableFuture<Answer> get(Request request, Session session) {
    if (request.arguments().isEmpty()) {
      return CLIENT_ERROR;
    }
    ReadKey key = ReadKey.of(request.argument(0));
    if (key == null) {
      return ILLEGAL;
    }
    QueueName name = QueueName.of(key.name());
    if (key.abort()) {
      abort(name, session);
      return END;
    }
    if (key.close()) {
      close(name, session);
      if (!key.open()) {
        return END;
      }
    }
    (key.peek() ? figures.peeks : figures.gets).increment();
    int open = session.openReads().count(name);
    if (!key.peek() && (key.open() ? open >= settings.maxOpen() : open > 0)) {
      return Answer.ERROR.closing().now();
    }
    if (key.peek() && key.patience().isZero()) {
      return reader(name, session)
          .thenCompose(
              reader -> reader == null ? END : session.blocking(() -> peeked(key, name, reader)));
    }
    return take(name, key.patience(), session).thenApply(taken -> taken(key, name, taken, session));
  }

  private void abort(QueueName name, Session session) {
    Held oldest = session.openReads().oldest(name);
    if (oldest != null) {
      figures.of(name).canceled.increment();
      oldest.release();
    }
  }

  private static void close(QueueName name, Session session) {
    Held oldest = session.openReads().oldest(name);
    if (oldest != null) {
      oldest.complete();
    }
  }

  private Answer peeked(ReadKey key, QueueName name, HostedSubscriber<?> reader) {
    ServerStatus.checkReads(context.queues().queue(name.queue()), name);
    List<? extends Delivery<?>> first = reader.peek(1, 1);
    if (first.isEmpty()) {
      return miss();
    }
    figures.hits.increment();
    return value(key.asked(), name, first.get(0), null);
  }

  private Answer taken(ReadKey key, QueueName name, @Nullable Taken taken, Session session) {
    if (taken == null) {
      return miss();
    }
    figures.hits.increment();
    if (key.peek()) {
      taken.held().release();
      return value(key.asked(), name, taken.message(), null);
    }
    if (!key.open()) {
      return value(key.asked(), name, taken.message(), taken.held());
    }
    return opened(key.asked(), name, taken, session);
  }

  private Answer opened(String asked, QueueName name, Taken taken, Session session) {
    figures.of(name).opened.increment();
    session.openReads().add(name, taken.held());
    return value(asked, name, taken.message(), null);
  }

  private Answer miss() {
    figures.misses.increment();
    return Answer.END;
  }

  private Answer value(String asked, QueueName name, Delivery<?> message, @Nullable Held taken) {
    return Answer.value(
        settings.replyKey() == ReplyKey.NAME ? name.text() : asked,
        flags(message),
        Objects.requireNonNull(message.bytes(), "bytes"),
        taken);
  }

  /** Returns the flags of a message; 0 where another protocol put something else there. */
  private static long flags(Delivery<?> message) {
    byte[] header = message.headers().get(FLAGS);
    long flags = header == null ? 0 : RequestParser.number(new String(header, ISO_8859_1));
    return flags < 0 || flags > MAX_FLAGS ? 0 : flags;
  }

  /**
   * Takes a message; null if none comes in time, if the queue only forwards, or if the connection
   * has ended meanwhile.
   */
  private CompletableFuture<@Nullable Taken> take(QueueName name, Duration wait, Session session) {
    HostedQueue<?> queue = context.queues().catalog().find(name.queue());
    HostedSubscriber<?> known = queue == null ? null : queue.known(name.subscriber());
    if (queue != null && known != null) {
      return poll(queue, name, known, wait, session);
    }
    return created(name, session)
        .thenCompose(
            reader ->
                reader == null
                    ? CompletableFuture.completedFuture(null)
                    : poll(context.queues().queue(name.queue()), name, reader, wait, session));
  }

  /** Returns the subscriber of a name, as {@link #created} does if it does not exist. */
  private CompletableFuture<@Nullable HostedSubscriber<?>> reader(QueueName name, Session session) {
    HostedQueue<?> queue = context.queues().catalog().find(name.queue());
    HostedSubscriber<?> known = queue == null ? null : queue.known(name.subscriber());
    return known == null ? created(name, session) : CompletableFuture.completedFuture(known);
  }

  /**
   * Creates the subscriber of a name; null where the queue only forwards, or where the connection
   * has ended before that began.
   */
  private CompletableFuture<@Nullable HostedSubscriber<?>> created(
      QueueName name, Session session) {
    return session.blocking(changes, () -> session.hasEnded() ? null : readers.of(name));
  }

  private CompletableFuture<@Nullable Taken> poll(
      HostedQueue<?> queue,
      QueueName name,
      HostedSubscriber<?> reader,
      Duration wait,
      Session session) {
    ServerStatus.checkReads(queue, name);
    Runnable ended = wait.isZero() ? () -> {} : admitWaiting();
    Poll<?> poll;
    try {
      poll = context.polls().begin(Access.ALL, queue, session.leases().of(name, reader), 1, wait);
    } catch (RuntimeException e) {
      ended.run();
      throw e;
    }
    CompletableFuture<? extends List<? extends Delivery<?>>> deliveries = poll.deliveries();
    session.waitsFor(poll);
    return session
        .onLoop(deliveries)
        .handle(
            (some, failed) -> {
              session.waitsFor(null);
              ended.run();
              if (failed != null) {
                throw failed instanceof RuntimeException known
                    ? known
                    : new IllegalStateException(failed);
              }
              if (some.isEmpty()) {
                return null;
              }
              poll.delivered();
              return session.takesOver(new Taken(reader, some.get(0)));
            });
  }

  private Runnable admitWaiting() {
    List<Runnable> ends = new ArrayList<>();
    context.admission().admitRequest(ends::add);
    try {
      context.admission().admitWaiting(ends::add);
    } catch (RequestException e) {
      ends.forEach(Runnable::run);
      throw e;
    }
    return () -> {
      for (int i = ends.size() - 1; i >= 0; i--) {
        ends.get(i).run();
      }
    };
  }

  // --- monitor, confirm

  private CompletableFuture<Answer> monitor(Request request, Session session) {
    String name = request.argument(0);
    long seconds = RequestParser.number(request.argument(1));
    boolean limited = request.arguments().size() > 2;
    long max = limited ? RequestParser.number(request.argument(2)) : settings.maxOpen();
    if (seconds < 0 || max < 0) {
      return CLIENT_ERROR;
    }
    if (!QueueName.isLegal(name)) {
      return ILLEGAL;
    }
    long wait = Math.min(seconds, QueueName.LONGEST.toSeconds());
    long end = context.time().nanoTime() + Duration.ofSeconds(wait).toNanos();
    return monitor(QueueName.of(name), name, max, end, session);
  }

  /** Continues in a loop while messages are there: a call for each could exceed the stack. */
  private CompletableFuture<Answer> monitor(
      QueueName name, String asked, long max, long end, Session session) {
    for (long left = max; left > 0; left--) {
      long nanos = end - context.time().nanoTime();
      if (nanos <= 0 || session.openReads().count(name) >= settings.maxOpen()) {
        break;
      }
      CompletableFuture<Boolean> next = monitored(name, asked, Duration.ofNanos(nanos), session);
      if (!next.isDone()) {
        long after = left - 1;
        return next.thenCompose(found -> found ? monitor(name, asked, after, end, session) : END);
      }
      if (!next.join()) {
        break;
      }
    }
    return END;
  }

  /** Sends the next message; false if none comes in time. */
  private CompletableFuture<Boolean> monitored(
      QueueName name, String asked, Duration wait, Session session) {
    figures.gets.increment();
    return take(name, wait, session)
        .thenCompose(
            taken -> {
              if (taken == null) {
                figures.misses.increment();
                return CompletableFuture.completedFuture(false);
              }
              figures.hits.increment();
              session.write(opened(asked, name, taken, session));
              return session.drained();
            });
  }

  private static CompletableFuture<Answer> confirm(Request request, Session session) {
    String name = request.argument(0);
    long count = RequestParser.number(request.argument(1));
    if (count < 0) {
      return CLIENT_ERROR;
    }
    if (!QueueName.isLegal(name)) {
      return ILLEGAL;
    }
    QueueName queue = QueueName.of(name);
    if (count == 0 || session.openReads().count(queue) < count) {
      return Answer.ERROR.now();
    }
    for (long i = 0; i < count; i++) {
      close(queue, session);
    }
    return END;
  }
}
