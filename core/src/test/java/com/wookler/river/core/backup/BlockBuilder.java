package com.wookler.river.core.backup;

import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Writes block files as Chronicle leaves them, and knows what is in them. */
final class BlockBuilder {
  private static final int HIDDEN = 0x4000_0000;
  private static final int END = 0xC000_0000;

  private final UUID queue;
  private final int block;
  private final long firstSequence;
  private final Stamp stamp;
  private final DocumentWriter document = new DocumentWriter();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final List<byte[]> messages = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();

  private long documents;
  private long digest;
  private long end; // of the last document, without its padding

  BlockBuilder(UUID queue, int block, long firstSequence) {
    this.queue = queue;
    this.block = block;
    this.firstSequence = firstSequence;
    this.stamp = new Stamp(queue);
    hidden(500);
  }

  /** Adds a document that readers don't see, like those of Chronicle's own. */
  BlockBuilder hidden(int length) {
    byte[] content = new byte[length];
    for (int i = 0; i < length; i++) {
      content[i] = (byte) i;
    }
    put(HIDDEN | length, content);
    return this;
  }

  /** Adds a document with one message. */
  BlockBuilder message(long micros, byte[] data) {
    return batch(micros, List.of(data));
  }

  /** Adds a document with several messages. */
  BlockBuilder batch(long micros, List<byte[]> batch) {
    document.start();
    for (byte[] data : batch) {
      document.add(data, "key-" + data.length, Map.of("h", new byte[] {1, 2}));
    }
    long sequence = firstSequence + messages.size();
    digest = DocumentFormat.digest(digest, stamp.stamp(document, block, sequence, micros));
    byte[] content = new byte[document.length()];
    document.memory().get(0, content);
    put(content.length, content);
    for (byte[] data : batch) {
      messages.add(data);
      times.add(micros);
    }
    documents++;
    return this;
  }

  private void put(int header, byte[] content) {
    bytes.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(header).array());
    bytes.writeBytes(content);
    end = bytes.size();
    bytes.writeBytes(new byte[-content.length & 3]);
  }

  List<byte[]> messages() {
    return messages;
  }

  List<Long> times() {
    return times;
  }

  /** What a backup of it must give back. */
  byte[] content() {
    return bytes.toByteArray();
  }

  Seal seal() {
    return new Seal(
        queue,
        block,
        firstSequence,
        messages.size(),
        documents,
        end,
        times.get(0),
        times.get(times.size() - 1),
        digest,
        0);
  }

  /** Writes the file: the documents, the end mark, and zeros up to the size of the mapping. */
  Path write(Path directory) throws IOException {
    Path file = directory.resolve("b%08d.cq4".formatted(block));
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(content());
    whole.writeBytes(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(END).array());
    whole.writeBytes(new byte[10_000]);
    return Files.write(file, whole.toByteArray());
  }
}
