package com.wookler.river.rest.client;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Clients in a process of their own, which can be killed, and goes on where it was when it is
 * started again. It writes down what it is about to do and what has returned; a line is the
 * operating system's before the next step, so that a kill does not take it back.
 *
 * <ul>
 *   <li>{@code I message}: about to be published, with itself as the id
 *   <li>{@code P message}: a publish has returned
 *   <li>{@code S nanos message}: came by a poll that began then
 *   <li>{@code A nanos message}: an acknowledgement had returned by then
 *   <li>{@code F what}: a call failed that should not
 *   <li>{@code D}: no publisher is at work any more
 * </ul>
 */
final class ClientsProcess {
  static final int PUBLISHERS = 20;
  static final int CONSUMERS = 5;
  private static final int REPEAT_EVERY = 7;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final String address;
  private final Path ledger;
  private final int number;
  private Process process;
  private int starts;

  ClientsProcess(String address, Path directory, int number) {
    this.address = address;
    this.ledger = directory.resolve("clients-" + number + ".txt");
    this.number = number;
  }

  void start() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ClientsProcess.class.getName(),
                address,
                ledger.toString(),
                number + "-" + starts++)
            .redirectErrorStream(true)
            .redirectOutput(new File(ledger + ".log"))
            .start();
  }

  /** SIGKILL. */
  void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  /** No new publishes; those under way and those that may not be done are repeated to their end. */
  void stopPublishing() throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Ends it. */
  void end() throws IOException, InterruptedException {
    process.getOutputStream().close();
    if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      throw new IOException("the clients do not end");
    }
  }

  /** All that it has written, but for a line that a kill has cut. */
  List<String> lines() throws IOException {
    if (!Files.exists(ledger)) {
      return List.of();
    }
    String text = Files.readString(ledger);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }

  /** The child: address, ledger, and what its messages begin with. */
  public static void main(String[] args) throws Exception {
    try (Clients clients = new Clients(args[0], Path.of(args[1]), args[2])) {
      clients.run();
    }
  }

  /** The clients of the child, each with a connection of its own. */
  private static final class Clients implements AutoCloseable {
    private final String address;
    private final String name;
    private final FileChannel ledger;
    private final List<String> unsure;
    private volatile boolean publishRequest = true;
    private volatile boolean consuming = true;

    Clients(String address, Path ledger, String name) throws IOException {
      this.address = address;
      this.name = name;
      this.unsure = Files.exists(ledger) ? unsure(ledger) : List.of();
      this.ledger = FileChannel.open(ledger, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** What was about to be published when the process was killed. */
    private static List<String> unsure(Path ledger) throws IOException {
      List<String> unsure = new ArrayList<>();
      for (String line : Files.readAllLines(ledger)) {
        if (line.startsWith("I ")) {
          unsure.add(line.substring(2));
        } else if (line.startsWith("P ")) {
          unsure.remove(line.substring(2));
        }
      }
      return unsure;
    }

    private synchronized void write(String line) throws IOException {
      ledger.write(ByteBuffer.wrap((line + "\n").getBytes(StandardCharsets.UTF_8)));
    }

    void run() throws Exception {
      write(""); // ends a line that a kill has cut
      List<Thread> publishers = new ArrayList<>();
      List<Thread> consumers = new ArrayList<>();
      for (int i = 0; i < PUBLISHERS; i++) {
        int publisher = i;
        publishers.add(start(client -> publish(publisher, client.queue("q"))));
      }
      for (int i = 0; i < CONSUMERS; i++) {
        consumers.add(start(client -> consume(client.subscriber("q", "s"))));
      }
      BufferedReader orders =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      if (orders.readLine() == null) {
        System.exit(1); // whoever has started it is gone
      }
      publishRequest = false;
      for (Thread publisher : publishers) {
        publisher.join();
      }
      write("D");
      if (orders.readLine() == null) {
        consuming = false;
      }
      for (Thread consumer : consumers) {
        consumer.join();
      }
    }

    private interface Work {
      void run(RiverClient client) throws Exception;
    }

    private Thread start(Work work) {
      Thread thread = new Thread(() -> attempt(work));
      thread.start();
      return thread;
    }

    private void attempt(Work work) {
      try (RiverClient client =
          RiverClient.builder(address)
              .retryFor(PATIENCE)
              .timeout(Duration.ofSeconds(5))
              .connectTimeout(Duration.ofSeconds(2))
              .build()) {
        work.run(client);
      } catch (Exception e) {
        try {
          write("F " + e);
        } catch (IOException hidden) {
          e.addSuppressed(hidden);
        }
      }
    }

    private void publish(int publisher, RemoteQueue queue) throws IOException {
      for (int i = publisher; i < unsure.size(); i += PUBLISHERS) {
        publish(queue, unsure.get(i));
      }
      for (int i = 0; publishRequest; i++) {
        String message = name + "-" + publisher + "-" + i;
        write("I " + message);
        publish(queue, message);
        if (i % REPEAT_EVERY == 0) {
          publish(queue, message);
        }
      }
    }

    private void publish(RemoteQueue queue, String message) throws IOException {
      queue.publish(NewMessage.text(message).withId(message));
      write("P " + message);
    }

    private void consume(RemoteSubscriber subscriber) throws Exception {
      while (consuming) {
        long asked = System.nanoTime();
        List<RemoteDelivery> batch = take(subscriber);
        for (RemoteDelivery delivery : batch) {
          write("S " + asked + " " + delivery.text());
        }
        if (!batch.isEmpty()) {
          acknowledge(subscriber, batch);
        }
      }
    }

    private static List<RemoteDelivery> take(RemoteSubscriber subscriber)
        throws InterruptedException {
      try {
        return subscriber.batch(50, Duration.ofMillis(500));
      } catch (ConnectionException | OutcomeUnknownException | UnavailableException e) {
        return List.of(); // a poll is not repeated for longer than it wants to wait
      }
    }

    private void acknowledge(RemoteSubscriber subscriber, List<RemoteDelivery> batch)
        throws IOException {
      try {
        subscriber.ack(batch);
      } catch (StaleReceiptException e) {
        return; // of some nobody knows: they came too late, or the answer to an earlier try is lost
      }
      long returned = System.nanoTime();
      for (RemoteDelivery delivery : batch) {
        write("A " + returned + " " + delivery.text());
      }
    }

    @Override
    public void close() throws IOException {
      ledger.close();
    }
  }
}
