package com.wookler.river.core.log;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Adds up what the documents of an unsealed block hold, by walking its file. */
final class BlockContent implements BlockScanner.Visitor {
  private static final int READ_BYTES = 1 << 20;

  private final int number;
  private final DocumentReader reader;
  private long first = Long.MIN_VALUE;
  private long end;
  private long documents;
  private long bytes;
  private long firstMicros;
  private long lastMicros;
  private long digest;
  private boolean endUnknown;
  private long damaged;
  private @Nullable String firstDamage;

  private BlockContent(int number, LogSettings settings) {
    this.number = number;
    this.reader = new DocumentReader(settings.identity());
  }

  /**
   * A block that was walked.
   *
   * @param block with the content found
   * @param ending how its file ends
   * @param start its first document, empty if it has none
   * @param endUnknown its last document is damaged where its sequences stand: what is appended
   *     behind it could not be found by place
   * @param damaged documents that are
   * @param firstDamage what is wrong with the first of those, and where; empty without
   */
  record Walked(
      Block block,
      BlockScanner.Ending ending,
      Optional<BlockStart> start,
      boolean endUnknown,
      long damaged,
      String firstDamage) {}

  /**
   * Walks a block file.
   *
   * @param expectedFirst its first sequence, if nothing in it says so
   */
  static Walked walk(int number, Path file, long expectedFirst, LogSettings settings)
      throws IOException {
    BlockContent content = new BlockContent(number, settings);
    BlockScanner.Result result;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), READ_BYTES)) {
      result = BlockScanner.scan(in, content);
    }
    long first =
        result
            .start()
            .map(BlockStart::firstSequence)
            .orElse(Math.max(expectedFirst, content.first));
    Seal seal =
        new Seal(
            settings.identity(),
            number,
            first,
            Math.max(0, content.end - first),
            content.documents,
            result.end(),
            content.firstMicros,
            content.lastMicros,
            content.digest);
    return new Walked(
        Block.unsealed(seal, file, content.bytes),
        result.ending(),
        result.start(),
        content.endUnknown,
        content.damaged,
        content.firstDamage == null ? "" : content.firstDamage);
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    documents++;
    bytes += length;
    endUnknown = true;
    try {
      reader.open(document, length, number);
      endUnknown = false;
      if (first == Long.MIN_VALUE) {
        first = reader.firstSequence();
        firstMicros = reader.micros();
      }
      end = reader.firstSequence() + reader.count();
      lastMicros = reader.micros();
      digest = DocumentFormat.digest(digest, reader.verify());
    } catch (DamagedMessageException e) {
      damaged++;
      if (firstDamage == null) {
        firstDamage = "byte " + offset + ": " + e.getMessage();
      }
    }
  }
}
