package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts a server and uses what most clients use, in a JVM that then writes the classes it has
 * loaded into an archive, from which later servers load them faster. {@code ./river} runs it.
 */
final class ClassArchiveTraining {
  /** The command, which no user needs. */
  static final String COMMAND = "class-archive";

  private static final int TURNS = 50;
  private static final int PATIENCE_MINUTES = 10; // the script gives it the lowest priority
  private static final String QUEUE = "/v1/queues/training";
  private static final String SUBSCRIBER = QUEUE + "/subscribers/training";

  private static final Pattern RECEIPT = Pattern.compile("(?<=\"receipt\":)\"[^\"]+\"");

  private final HttpClient client = HttpClient.newBuilder().version(Version.HTTP_1_1).build();
  private final String address;

  private ClassArchiveTraining(int port) {
    this.address = "http://127.0.0.1:" + port;
  }

  /**
   * Runs the server in a temporary directory; the archive is written when the JVM exits. A JVM that
   * has not ended after {@value #PATIENCE_MINUTES} minutes is halted.
   */
  static int run() throws IOException, InterruptedException {
    CompletableFuture.delayedExecutor(PATIENCE_MINUTES, TimeUnit.MINUTES)
        .execute(() -> Runtime.getRuntime().halt(Main.REFUSED));
    Path directory = Files.createTempDirectory("river-training");
    try {
      try (RiverServer server =
          new ServerStart(
                  Map.of(
                      ServerFlag.PORT, "0",
                      ServerFlag.MEMCACHE, "0",
                      ServerFlag.DATA, directory.toString()))
              .start()) {
        ServerStart.welcome(new PrintWriter(Writer.nullWriter()), server);
        new ClassArchiveTraining(server.port()).use();
        useMemcache(server.memcachePort());
      }
    } finally {
      delete(directory);
    }
    return Main.DONE;
  }

  private void use() throws IOException, InterruptedException {
    String line = "{\"data\":\"line\",\"key\":\"key\",\"headers\":{\"name\":\"value\"}}";
    for (int turn = 0; turn < TURNS; turn++) {
      post(QUEUE + "/messages", "text/plain", "a message");
      post(QUEUE + "/messages", "application/x-ndjson", line + "\n" + line);
      post(QUEUE + "/publish", "application/json", line);
      String taken = post(SUBSCRIBER + "/deliveries?max=3&wait=1s", "application/json", "");
      String receipts =
          RECEIPT.matcher(taken).results().map(MatchResult::group).collect(Collectors.joining(","));
      post(SUBSCRIBER + "/ack", "application/json", "{\"receipts\":[" + receipts + "]}");
    }
  }

  /** Sends all at once, and reads the answers until the server ends the connection. */
  private static void useMemcache(int port) throws IOException {
    String turn =
        "set training 0 0 5\r\nhello\r\nget training/t=10/open\r\nget training/close\r\nstats\r\n";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write((turn.repeat(TURNS) + "quit\r\n").getBytes(US_ASCII));
      String answers = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      if (!answers.startsWith("STORED")) {
        throw new IOException("set failed: " + answers.lines().findFirst());
      }
    }
  }

  private String post(String path, String type, String body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + path))
            .header("Content-Type", type)
            .POST(BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response =
        client.send(request, BodyHandlers.ofString(StandardCharsets.UTF_8));
    if (response.statusCode() / 100 != 2) {
      throw new IOException(path + " failed: " + response.body());
    }
    return response.body();
  }

  private static void delete(Path directory) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(directory)) {
      all = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }
}
