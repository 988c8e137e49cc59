package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.BufferBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts in the {@link BufferBudget} what a connection has sent and no body has taken: the head of
 * a request that has not ended, the heads of requests that wait, and the requests behind them. A
 * header of ten bytes takes two hundred in memory, so without this 16 KB of headers from each of
 * some thousand connections use up the heap. HTTP/1 only. Confined to the connection's event loop.
 */
final class HeadGuard extends ChannelInboundHandlerAdapter {
  private static final int WEIGHT = 20; // bytes in memory a byte of short headers
  private static final int FREE_BYTES = 1 << 10; // of which nothing is counted

  private static final int HEAD_READ_BYTES = 2 << 10;
  private static final int BODY_READ_BYTES = 64 << 10;
  private static final int LINE_BYTES = 12; // of a request line, besides its path; of a header, 4
  private static final int HEADER_BYTES = 4;

  private final BufferBudget budget;
  private @Nullable ChannelHandlerContext connection;
  private BufferBudget.@Nullable Share share; // null while what is held counts for nothing
  private @Nullable Body arriving;
  private long read; // since a request was under way for the first time after none was
  private long taken; // of it
  private boolean idle = true; // no request is under way
  private boolean discarding; // the rest of a body that was refused

  HeadGuard(BufferBudget budget) {
    this.budget = budget;
  }

  /**
   * Reads a little at once while no body arrives, and once before all that was read is looked at:
   * by default Netty reads 16 times in a row, and what comes meanwhile waits in memory although the
   * request is paused.
   */
  private final class Reads extends DefaultMaxMessagesRecvByteBufAllocator {
    Reads() {
      super(1);
    }

    @Override
    public MaxMessageHandle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public int guess() {
          return arriving == null && !discarding ? HEAD_READ_BYTES : BODY_READ_BYTES;
        }
      };
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    connection = context;
    context.channel().config().setRecvByteBufAllocator(new Reads());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (idle) {
      idle = false;
      discarding = false;
      read = 0;
      taken = 0;
    }
    if (message instanceof ByteBuf bytes) {
      read += bytes.readableBytes();
    }
    super.channelRead(context, message); // up to the request's handler
    hold();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    release();
    super.channelInactive(context);
  }

  /** A request is under way: the one that was just read, or one that waited behind another. */
  void began() {
    if (idle) {
      idle = false;
      hold();
    }
  }

  /** The body of the request under way begins to arrive. */
  void arriving(Body body) {
    arriving = body;
    body.whole()
        .onComplete(
            done -> {
              arriving = null;
              taken += body.received();
              discarding = done.failed();
            });
  }

  /** A request is over. */
  void ended(HttpServerRequest request, boolean isLast) {
    if (read - taken > FREE_BYTES) {
      taken += size(request);
    }
    if (isLast) {
      idle = true;
      release();
    }
  }

  private static long size(HttpServerRequest request) {
    long bytes = request.uri().length() + (long) LINE_BYTES;
    for (Map.Entry<String, String> header : request.headers()) {
      bytes += HEADER_BYTES + header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  private void hold() {
    if (idle || discarding) {
      return;
    }
    long held = read - taken - (arriving == null ? 0 : arriving.received());
    if (held <= FREE_BYTES) {
      release();
      return;
    }
    BufferBudget.Share current = share;
    if (current == null) {
      current = budget.share(this::evict);
      share = current;
    }
    switch (current.resize(arriving == null ? WEIGHT * held : held)) {
      case FREE -> {}
      case SOON -> pause();
      case NONE -> close();
    }
  }

  /** Reads no more until there is room; Vert.x itself pauses only behind a whole head. */
  private void pause() {
    ChannelHandlerContext context = connection;
    if (context != null && context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(false);
      budget.whenRoom(
          () -> context.executor().execute(() -> context.channel().config().setAutoRead(true)));
    }
  }

  private void release() {
    if (share != null) {
      share.close();
      share = null;
    }
  }

  /** Called by any thread. */
  private void evict() {
    if (connection != null) {
      connection.executor().execute(this::close);
    }
  }

  private void close() {
    if (connection != null) {
      var unused = connection.close();
    }
  }
}
