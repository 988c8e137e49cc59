package com.wookler.river.benchmarks.rest;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Very many connections that ask nothing, by one thread: half of them are silent, the others send a
 * byte of a header now and then. Confined to that thread.
 */
final class IdleCrowd implements AutoCloseable {
  private static final byte[] BEGIN =
      "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
          .getBytes(StandardCharsets.US_ASCII);
  private static final Duration BETWEEN_BYTES = Duration.ofSeconds(10);
  private static final int STEPS_BETWEEN_BYTES = 100;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1_024);
  private final List<SocketChannel> slow = new ArrayList<>();
  private int open;
  private int next;

  IdleCrowd(int port) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** One more. */
  void add() throws IOException {
    SocketChannel channel = SocketChannel.open(server);
    if (open % 2 == 1) {
      channel.write(ByteBuffer.wrap(BEGIN));
      slow.add(channel);
    }
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ);
    open++;
  }

  /** How many the server has not closed. */
  int open() {
    return open;
  }

  /** A hundredth of the time from byte to byte, in which as many of them send one. */
  void step() throws IOException {
    int bytes = Math.max(1, slow.size() / STEPS_BETWEEN_BYTES);
    for (int i = 0; i < bytes && !slow.isEmpty(); i++) {
      send(slow.get(next++ % slow.size()));
    }
    long until = System.nanoTime() + BETWEEN_BYTES.dividedBy(STEPS_BETWEEN_BYTES).toNanos();
    long left;
    while ((left = until - System.nanoTime()) > 0) {
      selector.select(Math.max(1, Duration.ofNanos(left).toMillis()));
      for (SelectionKey key : selector.selectedKeys()) {
        read(key);
      }
      selector.selectedKeys().clear();
    }
  }

  private static void send(SocketChannel channel) {
    try {
      channel.write(ByteBuffer.wrap(new byte[] {'x'}));
    } catch (IOException e) {
      // the server has closed it, which reading will show
    }
  }

  private void read(SelectionKey key) throws IOException {
    buffer.clear();
    boolean ended;
    try {
      ended = ((SocketChannel) key.channel()).read(buffer) < 0;
    } catch (IOException e) { // a byte was on its way when it was closed
      ended = true;
    }
    if (ended) {
      key.cancel();
      key.channel().close();
      open--;
    } else {
      throw new IOException(
          "a connection that asks nothing is answered: "
              + StandardCharsets.ISO_8859_1.decode(buffer.flip()));
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
