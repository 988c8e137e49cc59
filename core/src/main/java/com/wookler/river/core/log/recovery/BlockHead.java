package com.wookler.river.core.log.recovery;

import com.wookler.river.core.log.chronicle.ChronicleHeader;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * What the beginning of a block's file says, and its length: two small reads where the file is
 * whole.
 *
 * @param isWhole whether the store's header has the bytes that it always has
 * @param last the offset of the last document, as the store noted it, if the header is whole
 */
record BlockHead(BlockStart start, boolean isWhole, long last, long length) {
  private static final int PADDING = 3; // after the last document, which a file may lack

  /** Reads it; empty if the file has no valid block start. */
  static Optional<BlockHead> read(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      Optional<BlockStart> start = BlockStart.read(channel);
      if (start.isEmpty()) {
        return Optional.empty();
      }
      ByteBuffer head = ChronicleHeader.head(channel);
      boolean isWhole = ChronicleHeader.isHead(head);
      long last = isWhole ? head.getLong(ChronicleHeader.WRITE_POSITION) : -1;
      return Optional.of(new BlockHead(start.get(), isWhole, last, channel.size()));
    }
  }

  /** Returns how the block differs from its seal; empty if it seems not to. */
  String unlike(Seal seal) {
    if (start.firstSequence() != seal.firstSequence()) {
      return "it starts at sequence " + start.firstSequence() + ", its seal says otherwise";
    }
    if (!isWhole) {
      return "its header is damaged";
    }
    if (last < 0 || last >= seal.bytes()) {
      return "its note of the last document points to " + last;
    }
    return length + PADDING < seal.bytes() ? "it has " + length + " bytes of " + seal.bytes() : "";
  }
}
