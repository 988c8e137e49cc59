package com.wookler.river.benchmarks.rest;

import java.io.Closeable;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Very many connections by one thread. Confined to that thread. */
abstract class ManyConnections implements Closeable {
  private static final int BUFFER_BYTES = 16 << 10;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private int open;

  /** What has come of one. */
  private static final class Answer {
    final StringBuilder text = new StringBuilder();
  }

  private ManyConnections(int port) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Adds a connection that has sent a request, or a part of one. */
  final SocketChannel connect(String request) throws IOException {
    SocketChannel channel = SocketChannel.open(server);
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, new Answer());
    open++;
    return channel;
  }

  /** Returns how many are not closed. */
  final int open() {
    return open;
  }

  /** Reads what comes, for a time at most. */
  final void read(Duration most) throws IOException {
    selector.select(Math.max(1, most.toMillis()));
    for (SelectionKey key : selector.selectedKeys()) {
      read(key);
    }
    selector.selectedKeys().clear();
  }

  private void read(SelectionKey key) throws IOException {
    StringBuilder answer = ((Answer) key.attachment()).text;
    boolean ended;
    buffer.clear();
    try {
      ended = ((SocketChannel) key.channel()).read(buffer) < 0;
      answer.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
    } catch (IOException e) { // a byte was on its way when it was closed
      ended = true;
    }
    if (isComplete(answer.toString(), ended)) {
      key.cancel();
      key.channel().close();
      open--;
    }
  }

  /**
   * Returns whether a connection has done what it is for.
   *
   * @throws IOException it has something else
   */
  abstract boolean isComplete(String answer, boolean ended) throws IOException;

  @Override
  public final void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }

  /** Connections with a long poll each, which must be answered with one message. */
  static final class Polls extends ManyConnections {
    private static final Pattern LENGTH =
        Pattern.compile("(?i)\r\ncontent-length: *(\\d+)\r\n(?:.*\r\n)*?\r\n");

    Polls(int port) throws IOException {
      super(port);
    }

    /** Adds one that waits for a minute. */
    void poll(String queue, String subscriber) throws IOException {
      connect(
          "POST /v1/queues/%s/subscribers/%s/deliveries?create=true&max=1&wait=60s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
              .formatted(queue, subscriber));
    }

    /** Reads all answers. */
    void awaitAnswers(Duration most) throws IOException {
      long started = System.nanoTime();
      while (open() > 0) {
        read(Duration.ofSeconds(1));
        if (System.nanoTime() - started > most.toNanos()) {
          throw new IOException(open() + " polls have no answer after " + most);
        }
      }
    }

    @Override
    boolean isComplete(String answer, boolean ended) throws IOException {
      Matcher head = LENGTH.matcher(answer);
      boolean whole =
          head.find() && answer.length() >= head.end() + Integer.parseInt(head.group(1));
      boolean right =
          answer.startsWith("HTTP/1.1 200 ") && answer.split("\"receipt\"", -1).length == 2;
      if (whole ? !right : ended) {
        throw new IOException("a poll was answered with: " + answer);
      }
      return whole;
    }
  }

  /** Connections that ask nothing: half are silent, the others send a byte now and then. */
  static final class Idle extends ManyConnections {
    private static final String BEGIN = "GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    private static final Duration BETWEEN_BYTES = Duration.ofSeconds(10);
    private static final int STEPS = 100;

    private final List<SocketChannel> slow = new ArrayList<>();
    private int added;
    private int next;

    Idle(int port) throws IOException {
      super(port);
    }

    /** Adds one. */
    void add() throws IOException {
      if (added++ % 2 == 0) {
        connect("");
      } else {
        slow.add(connect(BEGIN));
      }
    }

    /** A hundredth of the time from byte to byte, in which as many of them send one. */
    void step() throws IOException {
      for (int i = 0; i < Math.max(1, slow.size() / STEPS) && !slow.isEmpty(); i++) {
        try {
          slow.get(next++ % slow.size()).write(ByteBuffer.wrap(new byte[] {'x'}));
        } catch (IOException e) {
          // the server has closed it, which reading will show
        }
      }
      long until = System.nanoTime() + BETWEEN_BYTES.dividedBy(STEPS).toNanos();
      for (long left = 1; left > 0; left = until - System.nanoTime()) {
        read(Duration.ofNanos(until - System.nanoTime()));
      }
    }

    @Override
    boolean isComplete(String answer, boolean ended) throws IOException {
      if (!answer.isEmpty()) {
        throw new IOException("a connection that asks nothing is answered: " + answer);
      }
      return ended;
    }
  }
}
