package com.wookler.river.core.crash;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * An append-only file of records, kept outside the queue's directory. What {@link #append} has
 * written is in the page cache when it returns, and so survives a kill of the process.
 */
final class Journal implements AutoCloseable {
  private static final int RECORD = 4 * Long.BYTES;

  /** One line of the journal; what the fields mean depends on the kind. */
  record Entry(Kind kind, long a, long b, long c) {}

  /** What happened. */
  enum Kind {
    /** About to publish: first number a, b messages. */
    INTENT,
    /** Published: first number a, b messages, first sequence c. */
    PUBLISHED,
    /** Delivered: sequence a, attempt b, id of the content c. */
    DELIVERED,
    /** About to ack: sequence a, attempt b. */
    ACKING,
    /** The ack returned: sequence a, attempt b. */
    ACKED
  }

  private static final List<Kind> KINDS = List.of(Kind.values());

  private final FileChannel channel;

  Journal(Path file) throws IOException {
    channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
  }

  void append(Kind kind, long a, long b, long c) {
    append(List.of(new Entry(kind, a, b, c)));
  }

  synchronized void append(List<Entry> entries) {
    ByteBuffer out = ByteBuffer.allocate(entries.size() * RECORD);
    for (Entry entry : entries) {
      out.putLong(KINDS.indexOf(entry.kind)).putLong(entry.a).putLong(entry.b).putLong(entry.c);
    }
    out.flip();
    try {
      while (out.hasRemaining()) {
        channel.write(out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  /** All records that were written whole; none if there is no file. */
  static List<Entry> read(Path file) throws IOException {
    List<Entry> entries = new ArrayList<>();
    if (!Files.exists(file)) {
      return entries;
    }
    ByteBuffer in = ByteBuffer.wrap(Files.readAllBytes(file));
    while (in.remaining() >= RECORD) {
      Kind kind = KINDS.get((int) in.getLong());
      entries.add(new Entry(kind, in.getLong(), in.getLong(), in.getLong()));
    }
    return entries;
  }
}
