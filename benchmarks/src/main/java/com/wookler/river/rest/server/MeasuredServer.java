package com.wookler.river.rest.server;

import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;

/**
 * A server to be measured, in a process of its own. What is published to the queue {@link #NOWHERE}
 * is read, understood and answered like all else, and thrown away instead of being stored. It
 * stands in this package because nobody else shall be able to have such a queue.
 *
 * <p>Prints its port; then, for each line on standard input, {@code WAITING THREADS HEAP}: long
 * polls, threads as the JVM counts them, bytes of the heap in use after a collection. Ends with its
 * input.
 */
@NullMarked
public final class MeasuredServer {
  /** The queue that keeps nothing. */
  public static final String NOWHERE = "nowhere";

  private MeasuredServer() {}

  /** Throws away what goes to {@link #NOWHERE}. */
  private static final class Discarding implements Sink {
    private final AtomicLong sequence = new AtomicLong();

    @Override
    public <M> CompletableFuture<PublishResult> put(
        HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
      return queue.queue().name().equals(NOWHERE)
          ? CompletableFuture.completedFuture(
              PublishResult.stored(sequence.getAndAdd(batch.size()), level))
          : Sink.QUEUES.put(queue, batch, level);
    }
  }

  /** With the directory as the argument, and perhaps the idle limit in milliseconds. */
  public static void main(String[] args) throws IOException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    RiverServer.Builder builder =
        RiverServer.builder()
            .port(0)
            .maxConnectionsPerAddress(20_000) // all come from this machine
            .directory(Path.of(args[0]))
            .sink(new Discarding());
    if (args.length > 1) {
      builder.idleTimeout(Duration.ofMillis(Long.parseLong(args[1])));
    }
    try (RiverServer server = builder.start()) {
      out.println(server.port());
      while (in.readLine() != null) {
        System.gc();
        out.println(
            server.waiting()
                + " "
                + ManagementFactory.getThreadMXBean().getThreadCount()
                + " "
                + ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
      }
    }
  }
}
