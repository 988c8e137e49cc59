package com.wookler.river.core.log.chronicle;

import com.wookler.river.core.message.DocumentWriter;
import java.nio.ByteBuffer;
import net.openhft.chronicle.bytes.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A thread's document in the form in which Chronicle takes it: a view of the memory in which it was
 * built, made once and kept. Confined to the document's thread.
 */
public final class AppendSource {
  private final DocumentWriter document;
  private @Nullable Bytes<ByteBuffer> view;
  private @Nullable ByteBuffer viewed;

  public AppendSource(DocumentWriter document) {
    this.document = document;
  }

  @SuppressWarnings("ReferenceEquality") // the same memory, not equal content
  Bytes<ByteBuffer> bytes() {
    ByteBuffer memory = document.memory();
    Bytes<ByteBuffer> bytes = view;
    if (bytes == null || viewed != memory) {
      bytes = Bytes.wrapForRead(memory.duplicate().clear());
      view = bytes;
      viewed = memory;
    }
    bytes.readPositionRemaining(0, document.length());
    return bytes;
  }
}
