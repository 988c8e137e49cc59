package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server process with a small heap, many clients that misuse it, and one that does not. The
 * profile crash has 2,000 clients and a heap of 256 MB, and looks at the latency of others.
 */
@Timeout(600)
abstract class AttackFixture {
  static final int CLIENTS = Integer.getInteger("river.attack.clients", 250);
  static final int HEAP_MB = Integer.getInteger("river.attack.heap", 128);
  static final boolean TIMED = Boolean.getBoolean("river.attack.timed");
  static final int BODY = 1 << 20;
  static final int HEALTHY = TIMED ? 1_000 : 30;
  static final String MESSAGES = "/v1/queues/orders/messages";

  @TempDir Path directory;

  ServerProcess server;
  Asked asked;
  final List<SocketChannel> crowd = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server = process(directory, "--port", "0");
    asked = new Asked(server.port());
  }

  static ServerProcess process(Path directory, String... options) throws IOException {
    List<String> arguments = new ArrayList<>(List.of("server"));
    arguments.addAll(List.of(options));
    return new ServerProcess(
        directory,
        List.of("-Xmx" + HEAP_MB + "m", "-XX:+ExitOnOutOfMemoryError"),
        arguments.toArray(new String[0]));
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel each : crowd) {
      each.close();
    }
    server.close();
  }

  SocketChannel connect(int receiveBytes) throws IOException {
    SocketChannel channel = SocketChannel.open();
    if (receiveBytes > 0) {
      channel.socket().setReceiveBufferSize(receiveBytes);
    }
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    channel.configureBlocking(false);
    crowd.add(channel);
    return channel;
  }

  static void write(SocketChannel channel, ByteBuffer bytes, List<ByteBuffer> left) {
    left.add(bytes);
    try {
      int stuck = 0;
      while (bytes.hasRemaining() && stuck < 3) {
        stuck = channel.write(bytes) == 0 ? stuck + 1 : 0;
        Thread.onSpinWait();
      }
    } catch (IOException e) {
      bytes.position(bytes.limit()); // the server has closed it
    }
  }

  /** Publishes one after the other; the 99th percentile of the time that it took. */
  long healthy(int count) {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long begun = System.nanoTime();
      Asked.Reply reply = asked.post(MESSAGES, "order " + i);
      assertThat(reply.status()).as(reply.body()).isEqualTo(201);
      nanos[i] = System.nanoTime() - begun;
    }
    Arrays.sort(nanos);
    return nanos[count - 1 - count / 100];
  }

  long buffered() {
    return asked
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("river_http_buffered_bytes "))
        .mapToLong(line -> (long) Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }

  /** A quarter of the heap, and what is about to be given back while others take it already. */
  void assertBounded() {
    long limit = ((long) HEAP_MB << 20) / 4;
    assertThat(buffered()).isLessThan(limit + limit / 4);
  }

  void assertAlive() throws Exception {
    for (SocketChannel each : crowd) {
      each.close();
    }
    await().until(() -> buffered() == 0);
    for (int i = 0; i < 20; i++) {
      assertThat(asked.post(MESSAGES, "x".repeat(BODY - 1)).status()).isEqualTo(201);
    }
    assertThat(server.terminate()).isEqualTo(143);
    assertThat(server.errors()).doesNotContain("OutOfMemory");
  }
}
