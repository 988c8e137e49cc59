package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a poll has taken and cannot be written to its end is there again at once. */
@Timeout(120)
@Tag("full")
class BrokenPollTest {
  private static final int MESSAGES = 7;
  private static final String BIG = "x".repeat(1_000_000);
  private static final String WINDOW = "jdk.httpclient.windowsize";
  private static final String QUEUE = "/v1/queues/orders";
  private static final String BILLING = QUEUE + "/subscribers/billing";

  @TempDir Path directory;

  private void fill(Asked asked) {
    asked.put(QUEUE, "");
    asked.put(BILLING, "{\"ackTimeout\":\"1h\"}");
    for (int i = 0; i < MESSAGES; i++) {
      assertThat(asked.post(QUEUE + "/messages", BIG).status()).isEqualTo(201);
    }
  }

  private static void assertAllAreThereAgain(Asked asked) {
    List<String> attempts = new ArrayList<>();
    while (attempts.size() < MESSAGES) {
      Asked.Reply reply = asked.post(BILLING + "/deliveries?wait=30s&max=1", "");
      assertThat(reply.receipts()).as("after %s", attempts).hasSize(1);
      reply.json().forEach(delivery -> attempts.add(delivery.get("attempt").asText()));
    }
    assertThat(attempts).containsOnly("1");
  }

  @Test
  void shouldGiveBackWhatAResetConnectionDidNotTake() throws Exception {
    try (RiverServer server = RiverServer.builder().port(0).directory(directory).start()) {
      Asked asked = new Asked(server);
      fill(asked);
      try (Socket socket = new Socket()) {
        socket.setReceiveBufferSize(4_096);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        String request =
            Asked.head(
                "POST " + BILLING + "/deliveries?max=100 HTTP/1.1",
                "Host: localhost",
                "Content-Length: 0");
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        assertThat(socket.getInputStream().readNBytes(1_000)).hasSize(1_000);
        socket.setSoLinger(true, 0);
      }
      assertAllAreThereAgain(asked);
    }
  }

  @Test
  void shouldGiveBackWhatAResetStreamOfHttp2DidNotTake() throws Exception {
    Certificates certificates = new Certificates(directory);
    Path store = certificates.store("first");
    Path queues = directory.resolve("data");
    try (RiverServer plain = RiverServer.builder().port(0).directory(queues).start()) {
      fill(new Asked(plain));
    }
    try (RiverServer server =
        RiverServer.builder()
            .port(0)
            .directory(queues)
            .keystore(store, Certificates.PASSWORD)
            .start()) {
      System.setProperty(WINDOW, "65536"); // else all of the answer is sent before it is read
      HttpClient client = HttpClient.newBuilder().sslContext(Certificates.trusting(store)).build();
      String base = "https://127.0.0.1:" + server.port() + BILLING + "/deliveries?wait=30s&max=";
      HttpResponse<InputStream> cut =
          client.send(post(base + 100), HttpResponse.BodyHandlers.ofInputStream());
      assertThat(cut.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(cut.body().readNBytes(1_000)).hasSize(1_000);
      cut.body().close();
      for (int i = 0; i < MESSAGES; i++) {
        HttpResponse<String> again =
            client.send(post(base + 1), HttpResponse.BodyHandlers.ofString());
        assertThat(again.body()).contains("\"attempt\":1");
      }
    } finally {
      System.clearProperty(WINDOW);
    }
  }

  private static HttpRequest post(String uri) {
    return HttpRequest.newBuilder(URI.create(uri))
        .POST(HttpRequest.BodyPublishers.noBody())
        .build();
  }
}
