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
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Very many connections with a long poll each, by one thread. Confined to that thread. */
final class PollCrowd implements AutoCloseable {
  private static final Pattern LENGTH =
      Pattern.compile("(?i)\r\ncontent-length: *(\\d+)\r\n(?:.*\r\n)*?\r\n");
  private static final int BUFFER_BYTES = 16 << 10;

  private final InetSocketAddress server;
  private final Selector selector = Selector.open();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private int unanswered;

  /** What has come of one. */
  private static final class Answer {
    final StringBuilder text = new StringBuilder();
  }

  PollCrowd(int port) throws IOException {
    server = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** One more, which waits for a minute. */
  void poll(String queue, String subscriber) throws IOException {
    SocketChannel channel = SocketChannel.open(server);
    String request =
        "POST /v1/queues/"
            + queue
            + "/subscribers/"
            + subscriber
            + "/deliveries?create=true&max=1&wait=60s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n";
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
    channel.configureBlocking(false);
    channel.register(selector, SelectionKey.OP_READ, new Answer());
    unanswered++;
  }

  /**
   * Reads all answers, each of which must have one message.
   *
   * @throws IOException one has something else, or was not there in time
   */
  void awaitAnswers(Duration most) throws IOException {
    long started = System.nanoTime();
    while (unanswered > 0) {
      selector.select(TimeUnit.SECONDS.toMillis(1));
      for (SelectionKey key : selector.selectedKeys()) {
        read(key);
      }
      selector.selectedKeys().clear();
      if (System.nanoTime() - started > most.toNanos()) {
        throw new IOException(unanswered + " polls have no answer after " + most);
      }
    }
  }

  private void read(SelectionKey key) throws IOException {
    StringBuilder answer = ((Answer) key.attachment()).text;
    buffer.clear();
    int read = ((SocketChannel) key.channel()).read(buffer);
    answer.append(StandardCharsets.ISO_8859_1.decode(buffer.flip()));
    Matcher head = LENGTH.matcher(answer);
    boolean whole = head.find() && answer.length() >= head.end() + Integer.parseInt(head.group(1));
    if (whole) {
      check(answer.toString());
      key.cancel();
      key.channel().close();
      unanswered--;
    } else if (read < 0) {
      throw new IOException("the server has ended a connection after: " + answer);
    }
  }

  private static void check(String answer) throws IOException {
    if (!answer.startsWith("HTTP/1.1 200 ") || answer.split("\"receipt\"", -1).length != 2) {
      throw new IOException("a poll was answered with: " + answer);
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
