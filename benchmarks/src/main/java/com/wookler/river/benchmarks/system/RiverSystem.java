package com.wookler.river.benchmarks.system;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.Publisher;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

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
    return work.level() == Work.Level.MEMORY;
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    MessageQueue<byte[]> queue =
        MessageQueue.builder("bench", MessageConverter.bytes())
            .directory(directory)
            .backup(directory.resolve("backup"), Duration.ofDays(1))
            .open();
    return new OpenQueue() {
      @Override
      public Sender sender() {
        return new RiverSender(queue.publisher());
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
