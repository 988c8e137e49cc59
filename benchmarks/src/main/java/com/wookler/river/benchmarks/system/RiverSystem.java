package com.wookler.river.benchmarks.system;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** River with its default settings. */
final class RiverSystem implements QueueSystem {
  @Override
  public String name() {
    return "river";
  }

  @Override
  public String notes() {
    return "default settings: blocks of 64 MB, recycled, and archived once all subscribers have"
        + " finished them, background force, counters and monitor; without subscribers where nobody"
        + " consumes";
  }

  @Override
  public boolean supports(Work work) {
    return work.level() == Work.Level.DISK || work.underWay() == 0;
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    Durability level = work.level() == Work.Level.DISK ? Durability.DISK : Durability.MEMORY;
    MessageQueue<byte[]> queue =
        MessageQueue.builder("bench", MessageConverter.bytes())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .durability(level)
            .open();
    return new OpenQueue() {
      @Override
      public Sender sender() {
        return work.underWay() == 0
            ? new RiverSender(queue.publisher())
            : new AsyncSender(queue.publisher(), level, new UnderWay(work.underWay()));
      }

      @Override
      public Receiver receiver(int number) {
        SubscriberConfig config = SubscriberConfig.builder("s" + number).ack(work.ack()).build();
        return new RiverReceiver(queue.subscriber(config));
      }

      @Override
      public void close() {
        queue.close();
      }
    };
  }

  private record RiverSender(Publisher<byte[]> publisher) implements Sender {
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
  private record AsyncSender(Publisher<byte[]> publisher, Durability level, UnderWay underWay)
      implements Sender {
    @Override
    public void send(byte[] message) throws InterruptedException, ExecutionException {
      underWay.begin();
      watch(publisher.putAsync(List.of(Message.of(message)), level));
    }

    @Override
    public void send(List<byte[]> batch) throws InterruptedException, ExecutionException {
      underWay.begin();
      watch(publisher.putAsync(batch.stream().map(Message::of).toList(), level));
    }

    private void watch(CompletableFuture<?> publish) {
      var unused = publish.whenComplete((result, failed) -> underWay.end(failed));
    }

    @Override
    public void finish() throws InterruptedException, ExecutionException {
      underWay.finish();
    }
  }

  private record RiverReceiver(Subscriber<byte[]> subscriber) implements Receiver {
    @Override
    public int receive(int max, Duration timeout, Sink sink) throws InterruptedException {
      return max == 1 ? receiveOne(timeout, sink) : receiveBatch(max, timeout, sink);
    }

    private int receiveOne(Duration timeout, Sink sink) throws InterruptedException {
      Delivery<byte[]> delivery = timeout.isZero() ? subscriber.next() : subscriber.next(timeout);
      if (delivery == null) {
        return 0;
      }
      sink.accept(delivery.data());
      delivery.ack();
      return 1;
    }

    private int receiveBatch(int max, Duration timeout, Sink sink) throws InterruptedException {
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
