package com.wookler.river.core.backup;

import com.wookler.river.common.file.Sealed;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

/**
 * What a backup holds and where, kept beside it as {@code b00000042.seal}.
 *
 * <p>The seal of the block, as it stood in the log, is followed by a second {@link Sealed} part of
 * the same owner:
 *
 * <pre>
 *  offset  size  what
 *       0     8  time of the backup, microseconds since 1970
 *       8     8  length of the .zst file
 *      16     4  number of frames n
 *      20   36n  the frames in order, each:
 *                  0  8  offset in the .zst file
 *                  8  8  offset of its content in the block
 *                 16  8  sequence of the first message at or after that
 *                 24  8  publish time of the last message before that, 0 in the first frame
 *                 32  4  CRC32C of the compressed frame
 * </pre>
 *
 * <p>A frame ends where the next one starts, the last one with the file and the block. The frames
 * cover the block from byte 0 to the end of its last document, so {@code zstd -d} gives it back.
 *
 * @param block what the block holds
 * @param madeMicros when the backup was made, microseconds since 1970
 * @param length of the {@code .zst} file
 * @param frames in order, at least one
 */
record BackupSeal(Seal block, long madeMicros, long length, List<Frame> frames) {
  private static final Sealed FORM = new Sealed("BAK", 1);
  private static final int FRAMES_AT = 20;
  private static final int FRAME_BYTES = 36;

  BackupSeal {
    frames = List.copyOf(frames);
  }

  /** Returns how much of a block is backed up: what is in use, and its last padding. */
  static long covered(Seal block) {
    return (block.bytes() + 3) & ~3L;
  }

  /** Reads a whole seal, or throws a DamagedMessageException. */
  static BackupSeal read(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    Seal block = Seal.decode(file, bytes);
    Sealed.Part part = FORM.decode(file, bytes, Seal.BYTES);
    ByteBuffer in = part.payload();
    int count = in.limit() < FRAMES_AT + FRAME_BYTES ? 0 : in.getInt(FRAMES_AT - 4);
    if (count <= 0
        || in.limit() != FRAMES_AT + (long) count * FRAME_BYTES
        || part.end() != bytes.length
        || !part.owner().equals(block.queue())) {
      throw damaged("the seal of a backup has " + bytes.length + " bytes for " + count + " frames");
    }
    long length = in.getLong(8);
    return new BackupSeal(block, in.getLong(0), length, frames(in, count, length, covered(block)));
  }

  byte[] encode() {
    ByteBuffer out = Sealed.payload(FRAMES_AT + frames.size() * FRAME_BYTES);
    out.putLong(madeMicros).putLong(length).putInt(frames.size());
    for (Frame frame : frames) {
      out.putLong(frame.offset()).putLong(frame.start()).putLong(frame.firstSequence());
      out.putLong(frame.microsBefore()).putInt(frame.checksum());
    }
    byte[] seal = block.encode();
    byte[] part = FORM.encode(block.queue(), out);
    byte[] both = Arrays.copyOf(seal, seal.length + part.length);
    System.arraycopy(part, 0, both, seal.length, part.length);
    return both;
  }

  private static List<Frame> frames(ByteBuffer in, int count, long length, long bytes) {
    List<Frame> frames = new ArrayList<>(count);
    long offset = in.getLong(FRAMES_AT);
    long start = in.getLong(FRAMES_AT + 8);
    if (offset != 0 || start != 0) {
      throw damaged("the first frame of a backup starts elsewhere");
    }
    for (int i = 0; i < count; i++) {
      int at = FRAMES_AT + i * FRAME_BYTES;
      boolean last = i == count - 1;
      long nextOffset = last ? length : in.getLong(at + FRAME_BYTES);
      long nextStart = last ? bytes : in.getLong(at + FRAME_BYTES + 8);
      if (nextOffset <= offset || nextStart <= start) {
        throw damaged("the frames of a backup are out of order");
      }
      frames.add(
          new Frame(
              offset,
              nextOffset - offset,
              start,
              nextStart - start,
              in.getLong(at + 16),
              in.getLong(at + 24),
              in.getInt(at + 32)));
      offset = nextOffset;
      start = nextStart;
    }
    return frames;
  }

  /** Returns the frame that holds a message of this block. */
  Frame holding(long sequence) {
    return frames.get(last(frame -> frame.firstSequence() <= sequence));
  }

  /**
   * Returns the frames from the one that holds the first message published at or after this time.
   */
  List<Frame> publishedFrom(long micros) {
    return frames.subList(last(frame -> frame.microsBefore() < micros), frames.size());
  }

  /** Returns the index of the last of the first frames that match, 0 if none does. */
  private int last(Predicate<Frame> matches) {
    int low = 0;
    int high = frames.size() - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (matches.test(frames.get(middle))) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  private static DamagedMessageException damaged(String what) {
    return new DamagedMessageException("damaged: " + what);
  }
}
