package com.wookler.river.benchmarks.system;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * Chronicle Queue alone, as its documentation shows it: default roll cycle and block size, an
 * appender a thread, {@code writeBytes}; no checksum, no acknowledgement, nothing recycled.
 *
 * @param shared whether all publishing threads have one appender, under a lock, instead
 */
record ChronicleSystem(boolean shared) implements QueueSystem {
  @Override
  public String name() {
    return shared ? "chronicle-shared" : "chronicle";
  }

  @Override
  public String notes() {
    if (shared) {
      return "default settings, one appender for all threads under a lock, writeBytes; no checksums,"
          + " nothing is removed";
    }
    return "default settings, an appender a thread, writeBytes; a batch is one document of lengths"
        + " and bytes (and each document is, if the work is in batches); a tailer copies each"
        + " message into an array of its own, and spins where it waits; DISK is an fdatasync of our own after each append,"
        + " because the appender's sync() brings nothing to the device; no checksums, no"
        + " acknowledgements, nothing is removed";
  }

  @Override
  public boolean supports(Work work) {
    boolean publishing =
        work.publishers() > 1
            && work.consumers() == 0
            && work.batch() == 1
            && work.level() == Work.Level.MEMORY;
    return !work.ack() && work.underWay() == 0 && (publishing || !shared);
  }

  @Override
  public OpenQueue open(Path directory, Work work) {
    boolean forced = work.level() == Work.Level.DISK;
    SingleChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory).build();
    ExcerptAppender appender = shared ? queue.createAppender() : null;
    if (appender != null) {
      appender.singleThreadedCheckDisabled(true); // the senders' lock takes its place
    }
    return new OpenQueue() {
      @Override
      public Sender sender() {
        return appender == null
            ? new ChronicleSender(queue, work.batch() > 1, forced)
            : new SharedSender(appender);
      }

      @Override
      public Receiver receiver(int number) {
        return work.batch() > 1 ? new BatchReceiver(queue) : new ChronicleReceiver(queue);
      }

      @Override
      public void close() {
        if (appender != null) {
          appender.close();
        }
        queue.close();
      }
    };
  }

  /** One thread's buffer before the appender of all, which is used under its own monitor. */
  private record SharedSender(ExcerptAppender appender, Bytes<?> message) implements Sender {
    SharedSender(ExcerptAppender appender) {
      this(appender, Bytes.allocateElasticDirect());
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

  private static final class ChronicleSender implements Sender {
    private final ExcerptAppender appender;
    private final boolean batches;
    private final boolean forced;
    private final Bytes<?> message = Bytes.allocateElasticDirect();
    private @Nullable FileChannel channel;
    private @Nullable File forcedFile;

    ChronicleSender(ChronicleQueue queue, boolean batches, boolean forced) {
      this.appender = queue.createAppender();
      this.batches = batches;
      this.forced = forced;
    }

    @Override
    public void send(byte[] data) throws IOException {
      message.clear();
      if (batches) {
        message.writeInt(data.length); // a batch of one, for who reads batches
      }
      message.write(data);
      appender.writeBytes(message);
      if (forced) {
        force();
      }
    }

    @Override
    public void send(List<byte[]> batch) throws IOException {
      try (DocumentContext context = appender.writingDocument()) {
        Bytes<?> out = context.wire().bytes();
        for (byte[] data : batch) {
          out.writeInt(data.length);
          out.write(data);
        }
      }
      if (forced) {
        force();
      }
    }

    private void force() throws IOException {
      File file = Objects.requireNonNull(appender.currentFile());
      if (channel == null || !file.equals(forcedFile)) {
        closeChannel();
        channel = FileChannel.open(file.toPath(), StandardOpenOption.WRITE);
        forcedFile = file;
      }
      channel.force(false);
    }

    private void closeChannel() throws IOException {
      if (channel != null) {
        channel.close();
      }
    }

    @Override
    public void close() throws IOException {
      closeChannel();
      appender.close();
      message.releaseLast();
    }
  }

  /** One message a document; it spins while it waits. */
  private static class ChronicleReceiver implements Receiver {
    private final ExcerptTailer tailer;

    ChronicleReceiver(ChronicleQueue queue) {
      this.tailer = queue.createTailer();
    }

    @Override
    public int receive(int max, Duration timeout, Sink sink) {
      long deadline = 0;
      int count = 0;
      while (count < max) {
        int read = read(max - count, sink);
        count += read;
        if (read > 0) {
          continue;
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

    /** Delivers one document's messages; returns 0 if there is none. */
    int read(int max, Sink sink) {
      try (DocumentContext context = tailer.readingDocument()) {
        return context.isPresent() ? accept(context.wire().bytes(), max, sink) : 0;
      }
    }

    /** One message a document. */
    int accept(Bytes<?> document, int max, Sink sink) {
      sink.accept(message(document, (int) document.readRemaining()));
      return 1;
    }

    static byte[] message(Bytes<?> document, int length) {
      byte[] data = new byte[length];
      document.read(data);
      return data;
    }

    @Override
    public void close() {
      tailer.close();
    }
  }

  /** Reads documents of lengths and bytes. */
  private static final class BatchReceiver extends ChronicleReceiver {
    /** What the last call had no room for. */
    private final ArrayDeque<byte[]> rest = new ArrayDeque<>();

    BatchReceiver(ChronicleQueue queue) {
      super(queue);
    }

    @Override
    int read(int max, Sink sink) {
      byte[] waiting = rest.poll();
      if (waiting == null) {
        return super.read(max, sink);
      }
      sink.accept(waiting);
      return 1;
    }

    @Override
    int accept(Bytes<?> document, int max, Sink sink) {
      int count = 0;
      while (document.readRemaining() > 0) {
        byte[] data = message(document, document.readInt());
        if (count < max) {
          sink.accept(data);
          count++;
        } else {
          rest.add(data);
        }
      }
      return count;
    }
  }
}
