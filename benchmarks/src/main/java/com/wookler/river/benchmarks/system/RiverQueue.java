package com.wookler.river.benchmarks.system;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** River with its default settings. */
final class RiverQueue implements OpenQueue {
  private final Work work;
  private final MessageQueue<byte[]> queue;

  RiverQueue(Path directory, Work work) {
    this.work = work;
    this.queue =
        MessageQueue.builder("bench", MessageConverter.bytes())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .durability(work.disk() ? Durability.DISK : Durability.MEMORY)
            .open();
  }

  @Override
  public Sender sender() {
    return work.underWay() == 0 ? new WaitingSender(queue.publisher()) : new AsyncSender();
  }

  @Override
  public Receiver receiver(int number) {
    Subscriber<byte[]> subscriber =
        queue.subscriber(SubscriberConfig.builder("s" + number).ack(work.ack()).build());
    return work.view() ? new ViewReceiver(subscriber) : new RiverReceiver(subscriber);
  }

  @Override
  public void close() {
    queue.close();
  }

  private record WaitingSender(Publisher<byte[]> publisher) implements Sender {
    @Override
    public void send(byte[] message) {
      publisher.publish(message);
    }

    @Override
    public void send(List<byte[]> batch) {
      publisher.publishAll(batch);
    }
  }

  /** Has several publishes under way; the first that fails is thrown by a later call. */
  private final class AsyncSender implements Sender {
    private final Publisher<byte[]> publisher = queue.publisher();
    private final Semaphore free = new Semaphore(work.underWay());
    private volatile @Nullable Throwable failure; // written by the thread that completes

    @Override
    public void send(byte[] message) throws InterruptedException, ExecutionException {
      send(List.of(message));
    }

    @Override
    public void send(List<byte[]> batch) throws InterruptedException, ExecutionException {
      acquire(1);
      var unused =
          publisher
              .putAsync(batch.stream().map(Message::of).toList(), Durability.DISK)
              .whenComplete(
                  (result, failed) -> {
                    if (failed != null) {
                      failure = failed;
                    }
                    free.release();
                  });
    }

    private void acquire(int permits) throws InterruptedException, ExecutionException {
      free.acquire(permits);
      Throwable failed = failure;
      if (failed != null) {
        throw new ExecutionException(failed);
      }
    }

    @Override
    public void finish() throws InterruptedException, ExecutionException {
      acquire(work.underWay());
      free.release(work.underWay());
    }
  }

  private record ViewReceiver(Subscriber<byte[]> subscriber) implements Receiver {
    @Override
    public int receive(int max, Duration timeout, Sink sink) throws InterruptedException {
      return subscriber.consume(
          max,
          timeout,
          message -> {
            sink.view(message.data());
            return Action.ACK;
          });
    }

    @Override
    public void close() {
      subscriber.close();
    }
  }

  private record RiverReceiver(Subscriber<byte[]> subscriber) implements Receiver {
    @Override
    public int receive(int max, Duration timeout, Sink sink) throws InterruptedException {
      if (max == 1) {
        Delivery<byte[]> delivery = timeout.isZero() ? subscriber.next() : subscriber.next(timeout);
        if (delivery == null) {
          return 0;
        }
        sink.accept(delivery.data());
        delivery.ack();
        return 1;
      }
      List<Delivery<byte[]>> deliveries = subscriber.batch(max, timeout);
      for (Delivery<byte[]> delivery : deliveries) {
        sink.accept(delivery.data());
      }
      subscriber.ack(deliveries);
      return deliveries.size();
    }

    @Override
    public void close() {
      subscriber.close();
    }
  }
}
