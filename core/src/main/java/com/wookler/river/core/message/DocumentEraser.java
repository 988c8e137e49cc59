package com.wookler.river.core.message;

import static com.wookler.river.core.message.DocumentFormat.ENTRY_LENGTH_AT;
import static com.wookler.river.core.message.DocumentFormat.ENTRY_PREFIX_BYTES;
import static com.wookler.river.core.message.DocumentFormat.FLAG_ERASED;
import static com.wookler.river.core.message.DocumentFormat.INT;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.Checksum;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * Overwrites messages of documents by zeros. Lengths, sequences and publish times stay, and each
 * checksum fits what is there then: readers pass the message over as erased. Not thread-safe.
 */
public final class DocumentEraser {
  private final DocumentReader reader;
  private final Predicate<StoredMessage> which;
  private long damaged;

  /** Creates an eraser of those messages of this queue that a predicate selects. */
  public DocumentEraser(UUID queue, Predicate<StoredMessage> which) {
    this.reader = new DocumentReader(queue);
    this.which = which;
  }

  /** Erases the selected messages of a document, in place; returns how many. */
  public int erase(byte[] document, int length, int block) {
    try {
      reader.open(document, length, block);
    } catch (DamagedException e) {
      damaged++;
      return 0;
    }
    int erased = 0;
    while (!reader.isLost() && reader.hasNext()) {
      int at = (int) reader.offset();
      try {
        StoredMessage message = reader.next();
        if (!Terms.isErased(message.terms()) && which.test(message)) {
          overwrite(document, at);
          erased++;
        }
      } catch (DamagedException e) {
        damaged++;
      }
    }
    return erased;
  }

  private static void overwrite(byte[] document, int at) {
    int content = at + ENTRY_PREFIX_BYTES;
    int length = (int) INT.get(document, at + ENTRY_LENGTH_AT);
    Arrays.fill(document, content, content + length, (byte) 0);
    document[content] = FLAG_ERASED;
    int crc = Checksum.of(document, content, length);
    INT.set(document, at, DocumentFormat.entryCheck(crc, length));
  }

  /** Returns how many messages or documents were damaged, so that nothing is known of them. */
  public long damaged() {
    return damaged;
  }
}
