package com.wookler.river.rest.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server, asked over HTTP. */
@Timeout(60)
class RiverServerTest {
  @TempDir Path directory;

  private final HttpClient client = HttpClient.newHttpClient();
  private RiverServer server;

  @BeforeEach
  void start() {
    server = RiverServer.builder().port(0).directory(directory).start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldPublishTakeAndAcknowledge() throws Exception {
    HttpResponse<String> published = send("POST", "/v1/queues/orders/messages", "order 1");
    assertThat(published.body())
        .isEqualTo("{\"sequence\":0,\"durability\":\"MEMORY\",\"duplicate\":false}");
    assertThat(published.statusCode()).isEqualTo(201);
    HttpResponse<String> taken =
        send("POST", "/v1/queues/orders/subscribers/billing/deliveries?wait=5s", "");
    assertThat(taken.statusCode()).isEqualTo(200);
    assertThat(taken.body()).contains("\"data\":\"order 1\"", "\"attempt\":1");
    String receipt = taken.body().replaceAll(".*\"receipt\":\"([^\"]+)\".*", "$1");
    HttpResponse<String> acked =
        send(
            "POST",
            "/v1/queues/orders/subscribers/billing/ack",
            "{\"receipts\":[\"" + receipt + "\"]}");
    assertThat(acked.body()).contains("\"result\":\"ok\"");
    assertThat(send("GET", "/v1/queues/orders/subscribers/billing", "").body())
        .contains("\"lag\":0");
  }
}
