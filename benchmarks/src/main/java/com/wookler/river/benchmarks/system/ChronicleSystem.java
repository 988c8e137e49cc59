package com.wookler.river.benchmarks.system;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * Chronicle Queue alone, as its documentation shows it: default roll cycle and block size, an
 * appender a thread, {@code writeBytes}; no checksum, no acknowledgement, nothing recycled.
 */
final class ChronicleSystem implements QueueSystem {
  @Override
  public String name() {
    return "chronicle";
  }

  @Override
  public String notes() {
    return "default settings, an appender a thread, writeBytes; a batch is one document of lengths"
        + " and bytes; a tailer copies each message into an array of its own; DISK is the appender's"
        + " sync() with SyncMode.SYNC; no checksums, no acknowledgements, nothing is removed";
  }

  @Override
  public boolean supports(Work work) {
    return !work.ack() && work.underWay() == 0;
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    boolean forced = work.level() == Work.Level.DISK;
    SingleChronicleQueue queue =
        SingleChronicleQueueBuilder.binary(directory)
            .syncMode(forced ? SyncMode.SYNC : SyncMode.NONE)
            .build();
    return new OpenQueue() {
      @Override
      public Sender sender() {
        return new ChronicleSender(queue, forced);
      }

      @Override
      public Receiver receiver(int number) {
        return new ChronicleReceiver(queue);
      }

      @Override
      public void close() {
        queue.close();
      }
    };
  }

  private static final class ChronicleSender implements Sender {
    private final ExcerptAppender appender;
    private final boolean forced;
    private final Bytes<?> message = Bytes.allocateElasticDirect();

    ChronicleSender(ChronicleQueue queue, boolean forced) {
      this.appender = queue.createAppender();
      this.forced = forced;
    }

    @Override
    public void send(byte[] data) {
      message.clear();
      message.write(data);
      appender.writeBytes(message);
      if (forced) {
        appender.sync();
      }
    }

    @Override
    public void send(List<byte[]> batch) {
      try (DocumentContext context = appender.writingDocument()) {
        Bytes<?> out = context.wire().bytes();
        for (byte[] data : batch) {
          out.writeInt(data.length);
          out.write(data);
        }
      }
      if (forced) {
        appender.sync();
      }
    }

    @Override
    public void close() {
      appender.close();
      message.releaseLast();
    }
  }

  private static final class ChronicleReceiver implements Receiver {
    private final ExcerptTailer tailer;

    ChronicleReceiver(ChronicleQueue queue) {
      this.tailer = queue.createTailer();
    }

    @Override
    public int receive(int max, Duration timeout, Sink sink) {
      long deadline = 0;
      int count = 0;
      while (count < max) {
        try (DocumentContext context = tailer.readingDocument()) {
          if (context.isPresent()) {
            Bytes<?> in = context.wire().bytes();
            byte[] data = new byte[(int) in.readRemaining()];
            in.read(data);
            sink.accept(data);
            count++;
            continue;
          }
        }
        if (count > 0 || timeout.isZero()) {
          break;
        }
        long now = System.nanoTime();
        deadline = deadline == 0 ? now + timeout.toNanos() : deadline;
        if (now - deadline >= 0) {
          break;
        }
        Thread.onSpinWait(); // it has no other way to wait
      }
      return count;
    }

    @Override
    public void close() {
      tailer.close();
    }
  }
}
