package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages in batches: one request carries what came while the one before it was under
 * way, or within the linger time.
 *
 * <p><b>Order.</b> One batch is under way at a time, so that messages are stored in the order of
 * the calls, on one server. A batch that fails for good fails its messages, and the next one goes
 * on. <b>Memory</b> is bounded: {@link #publish} waits while more than {@link
 * Settings#maxPendingBytes} have not been stored yet.
 *
 * <p>A batch is atomic for the server, not for the caller: where it is refused as too large or
 * wrong, its halves are tried, so that one bad message fails alone. So they are where the
 * connection broke twice, or no answer came in time, because something between client and server
 * may cut large requests: the halves go to the same server with the same ids, and batches stay that
 * small until a number of them went well. Messages of a batch that had no answer fail once {@link
 * RiverClient.Builder#retryFor} has passed without one of them being stored.
 *
 * <p>Thread-safe.
 */
public final class BatchingPublisher implements AutoCloseable {
  private static final int OVERHEAD_BYTES = 200; // of a message, in memory and on the wire
  private static final int MOST_LOST = 2; // attempts with a batch, before its halves are tried

  private final Transport transport;
  private final Batcher<NewMessage, Boolean> batches;

  /**
   * When a batch is sent: as soon as one of these is reached.
   *
   * @param maxMessages 1 to 10,000
   * @param maxBytes well below what the server takes in one request (1 MB by default)
   * @param linger how long a message waits for others; zero: not at all
   * @param maxPendingBytes that may not have been stored yet, about
   * @param durability that is asked for
   */
  public record Settings(
      int maxMessages, int maxBytes, Duration linger, long maxPendingBytes, Durability durability) {
    /** 500 messages, 256 KB, 5 ms, 16 MB, {@code MEMORY}. */
    public static final Settings DEFAULT =
        new Settings(500, 256 << 10, Duration.ofMillis(5), 16 << 20, Durability.MEMORY);

    /** Checks the numbers. */
    public Settings {
      if (maxMessages < 1
          || maxMessages > 10_000
          || maxBytes < 1
          || maxPendingBytes < 1
          || linger.isNegative()) {
        throw new IllegalArgumentException("a limit is out of its range");
      }
    }
  }

  BatchingPublisher(Transport transport, RemoteQueue queue, Settings settings) {
    this.transport = transport;
    this.batches =
        new Batcher<>(
            transport,
            new Batcher.Limits(
                settings.maxMessages(),
                settings.maxBytes(),
                settings.linger(),
                settings.maxPendingBytes()),
            new Sender(queue, settings.durability(), transport.settings().retryFor()));
    transport.add(this);
  }

  /**
   * Sends batches. After one that had no answer, its messages may be stored on that server, so that
   * they go to no other. Batches follow one another, so that the fields need no lock.
   */
  private static final class Sender implements Batcher.Work<NewMessage, Boolean> {
    private final RemoteQueue queue;
    private final Durability durability;
    private final Duration retryFor;

    private @Nullable Server lostAt;
    private int lost; // so many of the next messages may be stored there
    private long giveUpAt;

    Sender(RemoteQueue queue, Durability durability, Duration retryFor) {
      this.queue = queue;
      this.durability = durability;
      this.retryFor = retryFor;
    }

    @Override
    public CompletableFuture<List<Boolean>> send(List<NewMessage> batch) {
      Ask ask = queue.publishing(batch, durability);
      if (lost > 0) {
        ask.to(lostAt).within(Duration.ofNanos(Math.max(0, giveUpAt - Ticker.nanos())));
      } else {
        giveUpAt = Ticker.nanos() + Ticker.nanos(retryFor);
      }
      if (batch.size() > 1) {
        ask.mostLost(MOST_LOST);
      }
      return queue
          .send(ask)
          .thenApply(
              stored -> {
                over(batch.size());
                giveUpAt = Ticker.nanos() + Ticker.nanos(retryFor);
                return Collections.nCopies(batch.size(), true);
              })
          .whenComplete(
              (stored, failure) -> {
                if (failure != null && batch.size() == 1) {
                  over(1);
                }
              });
    }

    private void over(int messages) {
      lost = Math.max(0, lost - messages);
    }

    @Override
    public Batcher.Halves halves(List<NewMessage> batch, Throwable failure) {
      if (failure instanceof BadRequestException) {
        return Batcher.Halves.THIS_ONCE;
      }
      if (failure instanceof TooLargeException) {
        return Batcher.Halves.FROM_NOW_ON;
      }
      if (failure instanceof OutcomeUnknownException unknown
          && unknown.server() != null
          && giveUpAt - Ticker.nanos() > 0) {
        lost = Math.max(lost, batch.size());
        lostAt = unknown.server();
        return Batcher.Halves.FROM_NOW_ON;
      }
      over(batch.size());
      return Batcher.Halves.NONE;
    }
  }

  /** Publishes a text; see {@link #publish(NewMessage)}. */
  public CompletableFuture<Void> publish(String text) {
    return publish(NewMessage.text(text));
  }

  /**
   * Takes a message, waiting while there is no room.
   *
   * @return completes once it is stored, or with what it failed with
   * @throws CallInterruptedException interrupted while waiting for room; it was not taken
   * @throws ClientClosedException closed; it was not taken
   */
  public CompletableFuture<Void> publish(NewMessage message) {
    NewMessage identified = RemoteQueue.identified(message);
    return batches
        .add(identified, identified.data().length + (long) OVERHEAD_BYTES)
        .thenApply(stored -> null);
  }

  /**
   * Sends what is there without lingering, and waits until all that was taken before is stored, or
   * has failed: each future says which.
   *
   * @throws CallInterruptedException interrupted while waiting
   */
  public void flush() {
    batches.flush();
  }

  /**
   * Takes no more, and waits until all that was taken is stored or has failed. After the client was
   * closed, all that was not stored fails. Idempotent.
   */
  @Override
  public void close() {
    batches.close();
    transport.remove(this);
    flush();
  }
}
