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
 * Accounts in the {@link BufferBudget} for data that a connection has sent and that belongs to no
 * body: incomplete heads of requests, and pipelined requests that wait. A header of ten bytes takes
 * two hundred in memory, so that otherwise 16 KB of headers from each of some thousand connections
 * would exhaust the heap. HTTP/1 only. Confined to the connection's event loop.
 */
final class ConnectionBufferLimiter extends ChannelInboundHandlerAdapter {
  private static final int WEIGHT = 20; // bytes in memory for each byte of short headers
  private static final int FREE_BYTES = 1 << 10; // not accounted for

  private static final int HEAD_READ_BYTES = 2 << 10;
  private static final int BODY_READ_BYTES = 64 << 10;
  private static final int LINE_BYTES = 12; // of a request line, besides its path
  private static final int HEADER_BYTES = 4;

  private final BufferBudget budget;
  private @Nullable ChannelHandlerContext connection;
  private BufferBudget.@Nullable Share share; // null while nothing is accounted for
  private @Nullable Body arrivingBody;
  private long read; // since the connection was last idle
  private long consumed; // the part of it that was consumed
  private boolean idle = true; // no request is in progress
  private boolean discarding; // the rest of a rejected body

  ConnectionBufferLimiter(BufferBudget budget) {
    this.budget = budget;
  }

  /**
   * Reads little at once while no body arrives, and once before the data is handled: by default
   * Netty reads 16 times in a row, and the data waits in memory although the request is paused.
   */
  private final class SmallReads extends DefaultMaxMessagesRecvByteBufAllocator {
    SmallReads() {
      super(1);
    }

    @Override
    public MaxMessageHandle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public int guess() {
          return arrivingBody == null && !discarding ? HEAD_READ_BYTES : BODY_READ_BYTES;
        }
      };
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    connection = context;
    context.channel().config().setRecvByteBufAllocator(new SmallReads());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (idle) {
      idle = false;
      discarding = false;
      read = 0;
      consumed = 0;
    }
    if (message instanceof ByteBuf bytes) {
      read += bytes.readableBytes();
    }
    super.channelRead(context, message); // runs the request's handler
    updateShare();
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    release();
    super.channelInactive(context);
  }

  /** Records that a request has started: the one that was just read, or a pipelined one. */
  void requestStarted() {
    if (idle) {
      idle = false;
      updateShare();
    }
  }

  /** Records that the body of the current request starts to arrive. */
  void bodyArriving(Body body) {
    arrivingBody = body;
    body.whole()
        .onComplete(
            done -> {
              arrivingBody = null;
              consumed += body.received();
              discarding = done.failed();
            });
  }

  /** Records that a request has ended. */
  void requestEnded(HttpServerRequest request, boolean isLast) {
    if (read - consumed > FREE_BYTES) {
      consumed += size(request);
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

  private void updateShare() {
    if (idle || discarding) {
      return;
    }
    long held = read - consumed - (arrivingBody == null ? 0 : arrivingBody.received());
    if (held <= FREE_BYTES) {
      release();
      return;
    }
    BufferBudget.Share current = share;
    if (current == null) {
      current = budget.share(this::evict);
      share = current;
    }
    switch (current.resize(arrivingBody == null ? WEIGHT * held : held)) {
      case GRANTED -> {}
      case PENDING -> pause();
      case DENIED -> close();
    }
  }

  /** Stops reading until memory is available; Vert.x itself pauses only after a complete head. */
  private void pause() {
    ChannelHandlerContext context = connection;
    if (context != null && context.channel().config().isAutoRead()) {
      context.channel().config().setAutoRead(false);
      budget.whenAvailable(
          () -> context.executor().execute(() -> context.channel().config().setAutoRead(true)));
    }
  }

  private void release() {
    if (share != null) {
      share.close();
      share = null;
    }
  }

  /** Closes the connection. Called by any thread. */
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
