package com.wookler.river.rest.client;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Publishes messages in batches: one request carries the messages that were added while the
 * previous one was in flight, or within the linger time.
 *
 * <p><b>Order.</b> One batch is in flight at a time, so that messages are stored in the order of
 * the calls, on one server. A batch that fails permanently fails its messages, and the next one is
 * sent. <b>Memory</b> is bounded: {@link #publish} waits while more than {@link
 * Settings#maxPendingBytes} are not stored yet, and no message is kept once it is stored or has
 * failed. An action that follows a result and blocks keeps a thread of the client and the futures
 * of its batch; later batches are sent meanwhile.
 *
 * <p>A batch is atomic for the server, not for the caller: if the server rejects it as too large or
 * invalid, its halves are sent, so that one invalid message fails alone. Its halves are also sent
 * if the connection broke twice or no response came in time, because a proxy may cut large
 * requests: the halves go to the same server with the same ids, and batches stay that small until a
 * number of them succeeded. Messages of a batch without a response fail once {@link
 * RiverClient.Builder#retryFor} has passed and none of them was stored.
 *
 * <p>Thread-safe.
 */
public final class BatchingPublisher implements AutoCloseable {
  private static final int OVERHEAD_BYTES = 200; // of a message, in memory and in the request
  private static final int MAX_UNANSWERED = 2; // attempts with a batch, before its halves are sent

  private final Transport transport;
  private final Batcher<NewMessage, Boolean> batches;

  /**
   * Says when a batch is sent: as soon as one of the first three limits is reached.
   *
   * @param maxMessages 1 to 10,000
   * @param maxBytes well below the largest request that the server accepts (1 MB by default)
   * @param linger how long a message waits for others; zero: it does not
   * @param maxPendingBytes how many bytes may be not stored yet, about
   * @param durability the level that is requested
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
            new PublishSender(queue, settings.durability(), transport.settings().retryFor()));
    transport.add(this);
  }

  /**
   * Sends batches. The messages of a batch without a response may be stored on that server, so that
   * they go to no other. Batches follow one another, so that the fields need no lock.
   */
  private static final class PublishSender implements Batcher.BatchSender<NewMessage, Boolean> {
    private final RemoteQueue queue;
    private final Durability durability;
    private final Duration retryFor;

    private @Nullable Server unansweredServer;
    private int unanswered; // the count of next messages that may be stored there
    private long retryDeadline;

    PublishSender(RemoteQueue queue, Durability durability, Duration retryFor) {
      this.queue = queue;
      this.durability = durability;
      this.retryFor = retryFor;
    }

    @Override
    public CompletableFuture<List<Boolean>> send(List<NewMessage> batch) {
      Request request = queue.publishRequest(batch, durability);
      if (unanswered > 0) {
        request
            .to(unansweredServer)
            .retryFor(Duration.ofNanos(Math.max(0, retryDeadline - Ticker.nanos())));
      } else {
        retryDeadline = Ticker.nanos() + Ticker.nanos(retryFor);
      }
      if (batch.size() > 1) {
        request.maxUnanswered(MAX_UNANSWERED);
      }
      return queue
          .send(request)
          .thenApply(
              stored -> {
                completed(batch.size());
                retryDeadline = Ticker.nanos() + Ticker.nanos(retryFor);
                return Collections.nCopies(batch.size(), true);
              })
          .whenComplete(
              (stored, failure) -> {
                if (failure != null && batch.size() == 1) {
                  completed(1);
                }
              });
    }

    private void completed(int messages) {
      unanswered = Math.max(0, unanswered - messages);
    }

    @Override
    public Batcher.SplitMode onFailure(List<NewMessage> batch, Throwable failure) {
      if (failure instanceof BadRequestException) {
        return Batcher.SplitMode.SPLIT_ONCE;
      }
      if (failure instanceof TooLargeException) {
        return Batcher.SplitMode.SPLIT_AND_SHRINK;
      }
      if (failure instanceof OutcomeUnknownException unknown
          && unknown.server() != null
          && retryDeadline - Ticker.nanos() > 0) {
        unanswered = Math.max(unanswered, batch.size());
        unansweredServer = unknown.server();
        return Batcher.SplitMode.SPLIT_AND_SHRINK;
      }
      completed(batch.size());
      return Batcher.SplitMode.FAIL;
    }
  }

  /** Publishes a text, as {@link #publish(NewMessage)} does. */
  public CompletableFuture<Void> publish(String text) {
    return publish(NewMessage.text(text));
  }

  /**
   * Publishes a message with the next batch, and waits while too many bytes are pending.
   *
   * @return completes once the message is stored, or with the exception that it failed with
   * @throws CallInterruptedException the thread was interrupted while it waited; the message is not
   *     published
   * @throws ClientClosedException the publisher or the client is closed; the message is not
   *     published
   */
  public CompletableFuture<Void> publish(NewMessage message) {
    NewMessage identified = RemoteQueue.withIdIfNone(message);
    return batches
        .add(identified, identified.data().length + (long) OVERHEAD_BYTES)
        .thenApply(stored -> null);
  }

  /**
   * Sends the waiting messages without lingering, and waits until all that were added before are
   * stored or have failed: each future says which.
   *
   * @throws CallInterruptedException the thread was interrupted while it waited
   */
  public void flush() {
    batches.flush();
  }

  /**
   * Accepts no more messages, and waits until all that were added are stored or have failed. If the
   * client is closed, those that were not stored fail. Idempotent.
   */
  @Override
  public void close() {
    batches.close();
    transport.remove(this);
    flush();
  }
}
