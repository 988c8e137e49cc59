package com.wookler.river.rest.server;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Asks a server, and holds each answer to the contract. */
final class Asked {
  private static final Contract CONTRACT = new Contract();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final int port;

  Asked(RiverServer server) {
    this(server.port());
  }

  Asked(int port) {
    this.port = port;
  }

  /** An answer. */
  record Reply(HttpResponse<String> http) {
    int status() {
      return http.statusCode();
    }

    String body() {
      return http.body();
    }

    JsonNode json() {
      return Contract.json(body());
    }

    String header(String name) {
      return http.headers().firstValue(name).orElse("");
    }

    /** What a problem is about; its type without what all types begin with. */
    String problem() {
      return json().path("type").asText().replace("urn:river:problem:", "");
    }

    String field() {
      return json().path("field").asText();
    }

    List<String> receipts() {
      List<String> receipts = new ArrayList<>();
      json().forEach(delivery -> receipts.add(delivery.get("receipt").asText()));
      return receipts;
    }
  }

  static HttpClient client() {
    return CLIENT;
  }

  String uri(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  HttpRequest request(String method, String path, String body, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(uri(path)))
            .method(
                method,
                body.isEmpty()
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    return headers.length == 0 ? request.build() : request.headers(headers).build();
  }

  Reply send(String method, String path, String body, String... headers) {
    return later(method, path, body, headers).join();
  }

  CompletableFuture<Reply> later(String method, String path, String body, String... headers) {
    return CLIENT
        .sendAsync(request(method, path, body, headers), HttpResponse.BodyHandlers.ofString())
        .thenApply(
            answer -> {
              CONTRACT.check(method, path, answer);
              return new Reply(answer);
            });
  }

  Reply get(String path) {
    return send("GET", path, "");
  }

  Reply put(String path, String body) {
    return send("PUT", path, body);
  }

  Reply post(String path, String body) {
    return send("POST", path, body);
  }

  Reply delete(String path) {
    return send("DELETE", path, "");
  }

  /** The head of a request: these lines, and an empty one. */
  static String head(String... lines) {
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  /** Sends these bytes as they are, and reads until the server ends the connection. */
  String raw(String text) {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      socket.getOutputStream().flush();
      socket.setSoTimeout(10_000);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    return socket;
  }
}
