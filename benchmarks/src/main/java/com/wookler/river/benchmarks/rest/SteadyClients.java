package com.wookler.river.benchmarks.rest;

import com.wookler.river.benchmarks.harness.Latencies;
import com.wookler.river.benchmarks.harness.ThisJvm;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A few clients that publish 1 KiB a hundred times a second each, on a connection of their own; for
 * every tenth they connect anew.
 */
final class SteadyClients implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final int ANEW_EACH = 10;
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final int BYTES = 1_024;

  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final int port;
  private final byte[] request;

  /**
   * Times until an answer was there.
   *
   * @param known on a connection that was open
   * @param anew with the time to connect
   */
  record Times(Latencies known, Latencies anew) {}

  SteadyClients(int port, String queue) {
    this.port = port;
    String head =
        "POST /v1/queues/%s/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
            .formatted(queue, BYTES);
    this.request = (head + "x".repeat(BYTES)).getBytes(StandardCharsets.US_ASCII);
  }

  /** Starts the clients; each future is complete when the time is over. */
  List<Future<Times>> start(Duration howLong) {
    List<Future<Times>> all = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      all.add(threads.submit(() -> publish(howLong)));
    }
    return all;
  }

  /** Returns the times of all clients together. */
  static Times gathered(List<Future<Times>> all) throws Exception {
    Times sum = new Times(new Latencies(), new Latencies());
    for (Future<Times> one : all) {
      sum.known().add(one.get().known());
      sum.anew().add(one.get().anew());
    }
    return sum;
  }

  private Times publish(Duration howLong) throws IOException {
    Times times = new Times(new Latencies(), new Latencies());
    try (Socket known = connect()) {
      long end = System.nanoTime() + howLong.toNanos();
      for (int i = 0; i < 2 || System.nanoTime() < end; i++) {
        long start = System.nanoTime();
        if (i % ANEW_EACH == 0) {
          try (Socket anew = connect()) {
            send(anew);
          }
          times.anew().record(System.nanoTime() - start);
        } else {
          send(known);
          times.known().record(System.nanoTime() - start);
        }
        ThisJvm.pause(PAUSE.minusNanos(System.nanoTime() - start));
      }
    }
    return times;
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout((int) Duration.ofSeconds(30).toMillis());
    return socket;
  }

  /** Publishes, and reads the answer: a head, and an object of JSON without another in it. */
  private void send(Socket socket) throws IOException {
    socket.getOutputStream().write(request);
    StringBuilder answer = new StringBuilder();
    InputStream in = socket.getInputStream();
    byte[] buffer = new byte[BYTES];
    while (answer.isEmpty() || answer.charAt(answer.length() - 1) != '}') {
      int read = in.read(buffer);
      if (read < 0) {
        throw new IOException("the server has ended a connection after: " + answer);
      }
      answer.append(new String(buffer, 0, read, StandardCharsets.US_ASCII));
    }
    if (answer.indexOf("HTTP/1.1 201 ") != 0) {
      throw new IOException("a publish was answered with: " + answer);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
