package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** Chronicle Queue alone with one appender for all publishing threads, under a lock. */
final class SharedChronicleSystem implements QueueSystem {
  @Override
  public String name() {
    return "chronicle-shared";
  }

  @Override
  public String notes() {
    return "default settings, one appender for all threads under a lock, writeBytes; no checksums,"
        + " nothing is removed";
  }

  @Override
  public boolean supports(Work work) {
    return work.publishers() > 1
        && work.consumers() == 0
        && work.batch() == 1
        && work.level() == Work.Level.MEMORY;
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    ChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory).build();
    ExcerptAppender appender = queue.createAppender();
    appender.singleThreadedCheckDisabled(true); // the senders' lock takes its place
    return new OpenQueue() {
      @Override
      public Sender sender() {
        return new SharedSender(appender);
      }

      @Override
      public Receiver receiver(int number) {
        return new ChronicleSystem.ChronicleReceiver(queue);
      }

      @Override
      public void close() {
        appender.close();
        queue.close();
      }
    };
  }

  /** One thread's buffer before the appender of all. */
  private static final class SharedSender implements Sender {
    private final ExcerptAppender appender; // used under its own monitor
    private final Bytes<?> message = Bytes.allocateElasticDirect();

    SharedSender(ExcerptAppender appender) {
      this.appender = appender;
    }

    @Override
    public void send(byte[] data) {
      message.clear();
      message.write(data);
      synchronized (appender) {
        appender.writeBytes(message);
      }
    }

    @Override
    public void send(List<byte[]> batch) {
      batch.forEach(this::send);
    }

    @Override
    public void close() {
      message.releaseLast();
    }
  }
}
