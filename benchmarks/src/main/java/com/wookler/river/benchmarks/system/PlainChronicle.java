package com.wookler.river.benchmarks.system;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/** Chronicle Queue alone, as its documentation shows it. */
final class PlainChronicle implements OpenQueue {
  private final Work work;
  private final SingleChronicleQueue queue;
  private final @Nullable ExcerptAppender shared; // of all senders, used under its own monitor

  PlainChronicle(Path directory, Work work, boolean oneAppender) {
    this.work = work;
    this.queue = SingleChronicleQueueBuilder.binary(directory).build();
    this.shared = oneAppender ? queue.createAppender() : null;
    if (shared != null) {
      shared.singleThreadedCheckDisabled(true); // the monitor takes its place
    }
  }

  @Override
  public Sender sender() {
    return new ChronicleSender();
  }

  @Override
  public Receiver receiver(int number) {
    return new ChronicleReceiver();
  }

  @Override
  public void close() {
    if (shared != null) {
      shared.close();
    }
    queue.close();
  }

  private final class ChronicleSender implements Sender {
    private final ExcerptAppender appender = shared == null ? queue.createAppender() : shared;
    private final boolean batches = work.batch() > 1;
    private final Bytes<?> message = Bytes.allocateElasticDirect();
    private @Nullable FileChannel channel;
    private @Nullable File forcedFile;

    @Override
    public void send(byte[] data) throws IOException {
      message.clear();
      if (batches) {
        message.writeInt(data.length); // a batch of one, for who reads batches
      }
      message.write(data);
      if (shared == null) {
        appender.writeBytes(message);
      } else {
        synchronized (shared) {
          shared.writeBytes(message);
        }
      }
      force();
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
      force();
    }

    private void force() throws IOException {
      if (!work.disk()) {
        return;
      }
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
      if (shared == null) {
        appender.close();
      }
      message.releaseLast();
    }
  }

  /** Reads documents of one message, or of lengths and messages; it spins while it waits. */
  private final class ChronicleReceiver extends SpinningReceiver {
    private final ExcerptTailer tailer = queue.createTailer();
    private final boolean batches = work.batch() > 1;
    private final ArrayDeque<byte[]> rest = new ArrayDeque<>(); // beyond what the last call took

    /** Delivers what is left of a document, or the next one; returns 0 if there is none. */
    @Override
    int read(int max, Sink sink) {
      if (batches && !rest.isEmpty()) {
        sink.accept(rest.remove());
        return 1;
      }
      try (DocumentContext context = tailer.readingDocument()) {
        if (!context.isPresent()) {
          return 0;
        }
        Bytes<?> document = context.wire().bytes();
        if (!batches) {
          sink.accept(message(document, (int) document.readRemaining()));
          return 1;
        }
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

    private static byte[] message(Bytes<?> document, int length) {
      byte[] data = new byte[length];
      document.read(data);
      return data;
    }

    @Override
    public void close() {
      tailer.close();
    }
  }
}
