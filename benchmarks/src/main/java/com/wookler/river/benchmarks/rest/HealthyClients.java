package com.wookler.river.benchmarks.rest;

import com.wookler.river.common.TimeSource;
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
final class HealthyClients implements AutoCloseable {
  private static final int CLIENTS = 8;
  private static final int ANEW_EACH = 10;
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final int BYTES = 1_024;

  private final TimeSource time = TimeSource.system();
  private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
  private final int port;
  private final byte[] request;

  /**
   * Times until an answer was there, in microseconds, in ascending order.
   *
   * @param known on a connection that was open
   * @param anew with the time to connect
   */
  record Latencies(List<Double> known, List<Double> anew) {
    /** What this part of them was not longer than. */
    static double quantile(List<Double> sorted, double part) {
      return sorted.get((int) Math.min(sorted.size() - 1, Math.ceil(sorted.size() * part)));
    }
  }

  HealthyClients(int port, String queue) {
    this.port = port;
    String head =
        "POST /v1/queues/%s/messages HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n"
            .formatted(queue, BYTES);
    this.request = (head + "x".repeat(BYTES)).getBytes(StandardCharsets.US_ASCII);
  }

  /** Begins; what the future has comes when the time is over. */
  List<Future<Latencies>> start(Duration howLong) {
    List<Future<Latencies>> all = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      all.add(threads.submit(() -> publish(howLong)));
    }
    return all;
  }

  /** Of all clients together. */
  static Latencies gathered(List<Future<Latencies>> all) throws Exception {
    Latencies sum = new Latencies(new ArrayList<>(), new ArrayList<>());
    for (Future<Latencies> one : all) {
      sum.known().addAll(one.get().known());
      sum.anew().addAll(one.get().anew());
    }
    sum.known().sort(null);
    sum.anew().sort(null);
    return sum;
  }

  private Latencies publish(Duration howLong) throws IOException {
    Latencies latencies = new Latencies(new ArrayList<>(), new ArrayList<>());
    try (Socket known = connect()) {
      long end = time.nanoTime() + howLong.toNanos();
      for (int i = 0; i < 2 || time.nanoTime() < end; i++) {
        long start = time.nanoTime();
        if (i % ANEW_EACH == 0) {
          try (Socket anew = connect()) {
            send(anew);
          }
          latencies.anew().add((time.nanoTime() - start) / 1e3);
        } else {
          send(known);
          latencies.known().add((time.nanoTime() - start) / 1e3);
        }
        long next = start + PAUSE.toNanos();
        long left;
        while ((left = next - time.nanoTime()) > 0) {
          time.park(this, left);
        }
      }
    }
    return latencies;
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
