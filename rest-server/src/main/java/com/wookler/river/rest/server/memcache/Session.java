package com.wookler.river.rest.server.memcache;

import com.wookler.river.rest.server.hosting.BufferBudget;
import com.wookler.river.rest.server.hosting.Poll;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Context;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection: answers its commands one after the other, in the order in which they came. While
 * a command is not answered, or its client does not read, nothing more is read from it. What it has
 * open is given back when it ends. Confined to its event loop.
 */
final class Session {
  static final Logger LOG = LoggerFactory.getLogger(Session.class);

  private static final int AHEAD_BYTES = 64 << 10; // read while a command is not answered
  private static final int FLUSH_BYTES = 64 << 10;

  private final NetSocket socket;
  private final Context context;
  private final Commands commands;
  private final Figures figures;
  private final RequestParser parser;
  private final BufferBudget budget;
  private final BufferBudget.Share share;
  private final OpenReads open = new OpenReads();
  private final Leases leases;
  private final List<Held> sending = new ArrayList<>(); // completed once they are sent
  private Buffer out = Buffer.buffer();
  private long unsent; // bytes
  private @Nullable Poll<?> waiting;
  private @Nullable CompletableFuture<Boolean> draining;
  private boolean busy; // with a command that is not answered
  private boolean running;
  private boolean pausedByBudget;
  private boolean paused;
  private boolean closing;
  private volatile boolean ended; // written by the event loop

  Session(
      NetSocket socket,
      Context context,
      Commands commands,
      Figures figures,
      BufferBudget budget,
      long maxData) {
    this.socket = socket;
    this.context = context;
    this.commands = commands;
    this.figures = figures;
    this.budget = budget;
    this.parser = new RequestParser(maxData);
    this.leases = new Leases("memcache " + socket.remoteAddress());
    this.share = budget.share(() -> context.runOnContext(now -> abort()));
  }

  /** Begins to read. */
  void start() {
    readOnceAtATime();
    socket.handler(this::arrived);
    socket.drainHandler(now -> drainedNow());
    socket.exceptionHandler(e -> LOG.debug("Connection {}", socket.remoteAddress(), e));
  }

  /**
   * Has Netty read once before what it read is handled. By default it reads 16 times in a row, and
   * a megabyte of each connection would wait in memory, although that is paused.
   */
  private void readOnceAtATime() {
    netty()
        .channel()
        .config()
        .setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator().maxMessagesPerRead(1));
  }

  private ChannelHandlerContext netty() {
    return ((NetSocketInternal) socket).channelHandlerContext();
  }

  /**
   * Disconnects a client whose memory others need. Closing the socket would wait until all was
   * sent, and so as long as the client does not read.
   */
  private void abort() {
    var unused = netty().close();
  }

  OpenReads openReads() {
    return open;
  }

  Leases leases() {
    return leases;
  }

  /** Sets the poll that ends with the connection, at once if that has ended; null for none. */
  void waitsFor(@Nullable Poll<?> poll) {
    waiting = poll;
    if (ended && poll != null) {
      poll.end();
    }
  }

  /** Returns a message that was taken for this connection; null if the connection has ended. */
  @Nullable Taken takesOver(Taken taken) {
    if (!ended) {
      return taken;
    }
    taken.held().release();
    return null;
  }

  /** Runs what may block elsewhere; the future completes on the event loop. */
  <T> CompletableFuture<T> blocking(Supplier<T> work) {
    return context.executeBlocking(work::get, false).toCompletionStage().toCompletableFuture();
  }

  /** Runs what may block on one of these threads; the future completes on the event loop. */
  <T> CompletableFuture<T> blocking(WorkerExecutor threads, Callable<T> work) {
    return threads.executeBlocking(work, false).toCompletionStage().toCompletableFuture();
  }

  /** Returns whether its connection is no more; any thread. */
  boolean hasEnded() {
    return ended;
  }

  /** Returns a future that completes on the event loop as another one does. */
  <T> CompletableFuture<T> onLoop(CompletableFuture<? extends T> future) {
    CompletableFuture<T> here = new CompletableFuture<>();
    if (future.isDone()) {
      var unused = future.whenComplete((value, failed) -> complete(here, value, failed));
    } else {
      var unused =
          future.whenComplete(
              (value, failed) -> context.runOnContext(now -> complete(here, value, failed)));
    }
    return here;
  }

  private static <T> void complete(
      CompletableFuture<T> future, T value, @Nullable Throwable failed) {
    if (failed == null) {
      future.complete(value);
    } else {
      future.completeExceptionally(failed);
    }
  }

  private void arrived(Buffer bytes) {
    if (closing || ended) {
      return;
    }
    figures.bytesRead.add(bytes.length());
    parser.feed(bytes);
    if (parser.isBinary()) {
      LOG.warn(
          "{} speaks memcache's binary protocol, which is not supported; it is disconnected",
          socket.remoteAddress());
      close();
      return;
    }
    if (account() == BufferBudget.Reservation.DENIED) {
      write(Answer.SERVER_ERROR);
      close();
      return;
    }
    run();
  }

  private BufferBudget.Reservation account() {
    BufferBudget.Reservation now = share.resize(parser.size() + unsent + out.length());
    if (now == BufferBudget.Reservation.PENDING && !pausedByBudget) {
      pausedByBudget = true;
      flow();
      budget.whenAvailable(
          () ->
              context.runOnContext(
                  later -> {
                    pausedByBudget = false;
                    flow();
                  }));
    }
    return now;
  }

  /** Answers commands as long as there are some, and the last one is answered. */
  private void run() {
    if (running) {
      return; // further up on this stack
    }
    running = true;
    try {
      while (!busy && !closing && !ended && !isFull()) {
        Request next = parser.next();
        if (next == null) {
          break;
        }
        begin(next);
      }
    } finally {
      running = false;
    }
    flush();
    flow();
    account();
  }

  private void begin(Request request) {
    busy = true;
    CompletableFuture<Answer> answer = commands.run(request, this);
    var unused =
        answer.whenComplete(
            (done, failed) -> {
              busy = false;
              answered(request, failed == null ? done : Answer.SERVER_ERROR.closing());
              run();
            });
  }

  private void answered(Request request, Answer answer) {
    if (!request.noreply()) {
      write(answer);
    } else if (answer.taken() != null) {
      answer.taken().release();
    }
    if (answer.close()) {
      close();
    }
  }

  /** Sends bytes of an answer, now or with others. */
  void write(Answer answer) {
    if (ended) {
      if (answer.taken() != null) {
        answer.taken().release();
      }
      return;
    }
    if (answer.bytes().length() >= FLUSH_BYTES) {
      flush();
      out = answer.bytes(); // not copied: it is large
    } else {
      out.appendBuffer(answer.bytes());
    }
    if (answer.taken() != null) {
      sending.add(answer.taken());
    }
    if (out.length() >= FLUSH_BYTES || !running) {
      flush();
    }
  }

  private void flush() {
    if (out.length() == 0 || ended) {
      return;
    }
    Buffer bytes = out;
    int length =
        bytes.length(); // of the bytes nothing is held here, so that the socket can free them
    List<Held> taken = List.copyOf(sending);
    out = Buffer.buffer();
    sending.clear();
    unsent += length;
    figures.bytesWritten.add(length);
    var unused =
        socket
            .write(bytes)
            .onComplete(
                sent -> {
                  boolean wasFull = isFull();
                  unsent -= length;
                  taken.forEach(sent.succeeded() ? Held::complete : Held::release);
                  if (wasFull && !isFull()) {
                    drainedNow();
                  }
                });
  }

  /** Returns whether the client has to read first; the socket alone would take many large ones. */
  private boolean isFull() {
    return unsent > FLUSH_BYTES || socket.writeQueueFull();
  }

  /** Completes once the client has read enough of what it was sent. */
  CompletableFuture<Boolean> drained() {
    flush();
    if (ended || !isFull()) {
      return CompletableFuture.completedFuture(true);
    }
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    draining = later;
    return later;
  }

  private void drainedNow() {
    CompletableFuture<Boolean> waits = draining;
    draining = null;
    if (waits != null) {
      waits.complete(true);
    }
    run();
  }

  /** Reads, or does not, as long as the client has to wait. */
  private void flow() {
    if (ended) {
      return;
    }
    boolean pause = pausedByBudget || isFull() || (busy && parser.size() > AHEAD_BYTES);
    if (pause != paused) {
      paused = pause;
      if (pause) {
        socket.pause();
      } else {
        socket.resume();
      }
    }
  }

  private void close() {
    if (!closing) {
      closing = true;
      flush();
      var unused = socket.end(); // after what was written
    }
  }

  /** Gives back what is open, as the connection is no more. */
  void ended() {
    ended = true;
    if (waiting != null) {
      waiting.end();
    }
    sending.forEach(Held::release);
    sending.clear();
    open.releaseAll();
    leases.releaseAll();
    share.close();
    if (draining != null) {
      draining.complete(true);
    }
  }
}
