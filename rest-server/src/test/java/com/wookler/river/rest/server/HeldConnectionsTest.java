package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients whose connections hold headers, requests or handshakes, but no body. */
@Tag("full")
class HeldConnectionsTest extends AttackFixture {
  private static final int HEADERS = 15 << 10; // a little less than is allowed
  private static final int PIPELINED = 200;
  private static final int UNREAD = 60;

  private static ByteBuffer ascii(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String manyHeaders() {
    StringBuilder all = new StringBuilder();
    for (int i = 0; all.length() < HEADERS; i++) {
      all.append("X-").append(i).append(": a\r\n");
    }
    return all.toString();
  }

  private void send(String request, int receiveBytes) throws IOException {
    for (int i = 0; i < CLIENTS; i++) {
      write(connect(receiveBytes), ascii(request), new ArrayList<>());
    }
  }

  /** Their headers never end. */
  @Test
  void shouldServeOthersWhileManyHeadersAreHalfSent() throws Exception {
    send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n" + manyHeaders(), 0);
    healthy(HEALTHY);
    assertAlive();
  }

  @Test
  void shouldServeOthersWhileManyPollsWithLargeHeadersWait() throws Exception {
    asked.put("/v1/queues/quiet", "");
    send(
        "POST /v1/queues/quiet/subscribers/billing/deliveries?wait=60s HTTP/1.1\r\n"
            + "Host: localhost\r\nContent-Length: 0\r\n"
            + manyHeaders()
            + "\r\n",
        0);
    healthy(HEALTHY);
    assertAlive();
  }

  /** One connection asks often for what is large, and a crowd does so too; nobody reads. */
  @Test
  void shouldServeOthersWhilePipelinedAnswersAreNotRead() throws Exception {
    asked.put("/v1/queues/large", "");
    for (int i = 0; i < 10; i++) {
      asked.post("/v1/queues/large/messages", "x".repeat(BODY - 1));
    }
    String request =
        Asked.head("GET /v1/queues/large/messages?from=0&max=10 HTTP/1.1", "Host: localhost");
    send(request.repeat(PIPELINED), 4_096);
    healthy(HEALTHY);

    assertBounded();
    assertAlive();
  }

  /** Their answers fill the memory for buffers. Vert.x closes a connection when all is written. */
  @Test
  void shouldServeOthersWhileLargeAnswersAreNotRead() throws Exception {
    asked.put("/v1/queues/large", "");
    for (int i = 0; i < 10; i++) {
      asked.post("/v1/queues/large/messages", "x".repeat(BODY - 1));
    }
    String request =
        Asked.head("GET /v1/queues/large/messages?from=0&max=10 HTTP/1.1", "Host: localhost");
    for (int i = 0; i < UNREAD; i++) {
      SocketChannel channel = connect(4_096);
      channel.configureBlocking(true);
      channel.write(StandardCharsets.US_ASCII.encode(request));
      channel.read(ByteBuffer.allocate(1)); // the answer is under way
    }
    healthy(HEALTHY);
    assertAlive();
  }

  /** The first bytes of a ClientHello come, and no more; the server gives each ten seconds. */
  @Test
  void shouldServeOthersWhileManyTlsHandshakesAreHalfOpen() throws Exception {
    Path other = Files.createDirectory(directory.resolve("tls"));
    Path store = new Certificates(other).store("tls");
    Path xml =
        Files.writeString(
            other.resolve("river.xml"),
            "<river><server><params><param name='server.queue.port' value='0'/>"
                + "<param name='server.ssl.keystore' value='%s'/>".formatted(store)
                + "<param name='server.ssl.password' value='%s'/>".formatted(Certificates.PASSWORD)
                + "</params></server></river>");
    try (ServerProcess secure = process(other, "--config", xml.toString())) {
      List<Socket> half = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), secure.port());
        half.add(socket);
        socket.getOutputStream().write(new byte[] {0x16, 3, 1, 1, 0, 1, 0, 0, (byte) 0xfc, 3, 3});
      }
      HttpClient client = HttpClient.newBuilder().sslContext(Certificates.trusting(store)).build();
      HttpRequest request =
          HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + secure.port() + "/health/live"))
              .build();
      for (int i = 0; i < HEALTHY; i++) {
        assertThat(client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
            .isEqualTo(200);
      }
      for (Socket each : half) {
        each.setSoTimeout(60_000);
        assertThat(each.getInputStream().read()).isEqualTo(-1);
        each.close();
      }
      assertThat(secure.terminate()).isEqualTo(143);
      assertThat(secure.errors()).doesNotContain("OutOfMemory");
    }
  }
}
