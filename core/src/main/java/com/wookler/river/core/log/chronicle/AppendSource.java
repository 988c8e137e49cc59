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
  private long address; // of the memory that is viewed

  public AppendSource(DocumentWriter document) {
    this.document = document;
  }

  int length() {
    return document.length();
  }

  /** Returns the address of the document's first byte. */
  @SuppressWarnings("ReferenceEquality") // the same memory, not equal content
  long address() {
    if (viewed != document.memory()) {
      view();
    }
    return address;
  }

  Bytes<ByteBuffer> bytes() {
    Bytes<ByteBuffer> bytes = view();
    bytes.readPositionRemaining(0, document.length());
    return bytes;
  }

  @SuppressWarnings("ReferenceEquality") // the same memory, not equal content
  private Bytes<ByteBuffer> view() {
    ByteBuffer memory = document.memory();
    Bytes<ByteBuffer> bytes = view;
    if (bytes == null || viewed != memory) {
      bytes = Bytes.wrapForRead(memory.duplicate().clear());
      view = bytes;
      viewed = memory;
      address = bytes.addressForRead(0);
    }
    return bytes;
  }
}
