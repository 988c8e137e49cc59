package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that send half of a body, or read none of an answer, to a server with a small heap. The
 * profile crash has 2,000 bodies of 1 MB against 256 MB, and looks at the latency of others.
 */
@Timeout(600)
class HalfSentBodiesTest {
  private static final int CLIENTS = Integer.getInteger("river.attack.clients", 250);
  private static final int HEAP_MB = Integer.getInteger("river.attack.heap", 128);
  private static final boolean TIMED = Boolean.getBoolean("river.attack.timed");
  private static final int BODY = 1 << 20;
  private static final int HALF = BODY / 2;
  private static final int HEALTHY = TIMED ? 1_000 : 30;
  private static final String MESSAGES = "/v1/queues/orders/messages";

  @TempDir Path directory;

  private ServerProcess server;
  private Asked asked;
  private final List<SocketChannel> crowd = new ArrayList<>();

  @BeforeEach
  void start() throws IOException {
    server =
        new ServerProcess(
            directory,
            List.of("-Xmx" + HEAP_MB + "m", "-XX:+ExitOnOutOfMemoryError"),
            "server",
            "--port",
            "0");
    asked = new Asked(server.port());
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel each : crowd) {
      each.close();
    }
    server.close();
  }

  private SocketChannel connect(int receiveBytes) throws IOException {
    SocketChannel channel = SocketChannel.open();
    if (receiveBytes > 0) {
      channel.socket().setReceiveBufferSize(receiveBytes);
    }
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    channel.configureBlocking(false);
    crowd.add(channel);
    return channel;
  }

  /** Sends half of a body on each connection, as far as the server takes it at once. */
  private void attack(ByteBuffer request) throws IOException {
    List<ByteBuffer> left = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      write(connect(0), request.duplicate(), left);
    }
    for (int i = 0; i < CLIENTS; i++) {
      write(crowd.get(i), left.get(i), new ArrayList<>());
    }
  }

  private static void write(SocketChannel channel, ByteBuffer bytes, List<ByteBuffer> left) {
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

  private static ByteBuffer half() {
    byte[] head =
        Asked.head("POST " + MESSAGES + " HTTP/1.1", "Host: localhost", "Content-Length: " + BODY)
            .getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(head.length + HALF)
        .put(head)
        .put(new byte[HALF])
        .flip()
        .asReadOnlyBuffer();
  }

  /** Publishes one after the other; the 99th percentile of the time that it took. */
  private long healthy(int count) {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long begun = System.nanoTime();
      assertThat(asked.post(MESSAGES, "order " + i).status()).isEqualTo(201);
      nanos[i] = System.nanoTime() - begun;
    }
    Arrays.sort(nanos);
    return nanos[count - 1 - count / 100];
  }

  private long buffered() {
    return asked
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("river_http_buffered_bytes "))
        .mapToLong(line -> (long) Double.parseDouble(line.split(" ", 2)[1]))
        .sum();
  }

  private void assertAlive() throws Exception {
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

  @Test
  void shouldServeOthersWhileManyBodiesAreHalfSent() throws Exception {
    healthy(HEALTHY); // warm
    long usual = healthy(HEALTHY);
    attack(half());
    long meanwhile = healthy(HEALTHY);

    assertThat(buffered()).isLessThanOrEqualTo(((long) HEAP_MB << 20) / 4 + BODY);
    if (TIMED) {
      assertThat(meanwhile).as("usually %d ns", usual).isLessThan(5 * usual);
    }
    assertAlive();
  }

  @Test
  void shouldServeOthersWhileManyDoNotReadTheirAnswers() throws Exception {
    asked.put("/v1/queues/large", "");
    for (int i = 0; i < 40; i++) {
      asked.post("/v1/queues/large/messages", "x".repeat(BODY - 1));
    }
    ByteBuffer request =
        ByteBuffer.wrap(
            Asked.head("GET /v1/queues/large/messages?from=0&max=40 HTTP/1.1", "Host: localhost")
                .getBytes(StandardCharsets.US_ASCII));
    for (int i = 0; i < CLIENTS; i++) {
      write(connect(4_096), request.duplicate(), new ArrayList<>());
    }
    healthy(HEALTHY);

    assertThat(buffered()).isLessThanOrEqualTo(((long) HEAP_MB << 20) / 4 + BODY);
    assertAlive();
  }
}
