package com.wookler.river.rest.server;

import com.wookler.river.benchmarks.harness.Context;
import com.wookler.river.benchmarks.harness.ThisJvm;
import com.wookler.river.core.PublishResult;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.rest.server.hosting.HostedQueue;
import com.wookler.river.rest.server.hosting.PublishTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A server to be measured, in a JVM of its own. What is published to the queue {@link #NOWHERE} is
 * read, checked and answered like all else, and thrown away instead of being stored. It is in this
 * package because no other server can have such a queue.
 */
@NullMarked
public final class MeasuredServer {
  /** The queue that keeps nothing. */
  public static final String NOWHERE = "nowhere";

  private static @Nullable RiverServer server; // of the thread that does the jobs

  private MeasuredServer() {}

  /**
   * Starts the server and returns its port.
   *
   * @param directory of its queues
   * @param idleMillis its limit of idle connections; 0 for the default
   */
  public record Start(String directory, long idleMillis) implements Context.Job<Integer> {
    @Override
    public Integer call() {
      RiverServer.Builder builder =
          RiverServer.builder()
              .port(0)
              .maxConnectionsPerAddress(20_000) // all come from this machine
              .directory(Path.of(directory))
              .publishTarget(new Discarding());
      if (idleMillis > 0) {
        builder.idleTimeout(Duration.ofMillis(idleMillis));
      }
      RiverServer started = builder.start();
      server = started;
      return started.port();
    }
  }

  /** Returns what the server says of itself. */
  public record Look() implements Context.Job<State> {
    @Override
    public State call() {
      RiverServer started = server;
      if (started == null) {
        throw new IllegalStateException("not started");
      }
      long heap = ThisJvm.heapBytes();
      return new State(started.waiting(), ThisJvm.threads(), heap);
    }
  }

  /** Closes the server, and returns whether there was one. */
  public record Stop() implements Context.Job<Boolean> {
    @Override
    public Boolean call() {
      RiverServer started = server;
      if (started == null) {
        return false;
      }
      started.close();
      return true;
    }
  }

  /**
   * What the server says of itself.
   *
   * @param waiting long polls
   * @param threads as the JVM counts them
   * @param heapBytes in use after collections
   */
  public record State(int waiting, int threads, long heapBytes) {}

  /** Throws away what goes to {@link #NOWHERE}. */
  private static final class Discarding implements PublishTarget {
    private final AtomicLong sequence = new AtomicLong();

    @Override
    public <M> CompletableFuture<PublishResult> put(
        HostedQueue<M> queue, List<Message<M>> batch, Durability level) {
      return queue.queue().name().equals(NOWHERE)
          ? CompletableFuture.completedFuture(
              PublishResult.stored(sequence.getAndAdd(batch.size()), level))
          : PublishTarget.QUEUES.put(queue, batch, level);
    }
  }
}
