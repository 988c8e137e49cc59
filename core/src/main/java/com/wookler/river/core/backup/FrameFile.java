package com.wookler.river.core.backup;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.wookler.river.core.log.files.BlockWalk;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one backup, each as a stream of documents.
 *
 * <p>Uses a {@link RandomAccessFile}, because a channel would close when the reading thread, which
 * may be a user's, is interrupted. Not thread-safe.
 */
final class FrameFile implements Closeable {
  private static final int PIECE_BYTES = 64 << 10;
  private static final int MAX_WINDOW_LOG = 23; // 8 MB; a damaged frame may ask for 128

  private final RandomAccessFile file;

  FrameFile(Path path) throws FileNotFoundException {
    this.file = new RandomAccessFile(path.toFile(), "r");
  }

  long length() throws IOException {
    return file.length();
  }

  /**
   * Writes the content of a frame as it was in the block, and never more than the frame says.
   *
   * @return what is wrong with the frame, null if nothing is
   * @throws IOException the file cannot be read, or the stream cannot be written
   */
  @Nullable String copy(Frame frame, OutputStream to) throws IOException {
    return read(
        frame,
        content -> {
          content.transferTo(to);
          return content.left > 0 ? "a frame holds less than it should" : null;
        });
  }

  /**
   * Shows each document of a frame to the visitor, with its offset in the block.
   *
   * @return what is wrong with the frame, null if nothing is; the visitor may have seen documents
   *     before that was found
   * @throws IOException the file cannot be read
   */
  @Nullable String walk(Frame frame, BlockWalk.Visitor visitor) throws IOException {
    return read(
        frame,
        content -> {
          BlockWalk.Ending ending =
              BlockWalk.walk(
                  content,
                  (at, bytes, length) -> visitor.document(frame.start() + at, bytes, length));
          return ending != BlockWalk.Ending.OPEN || content.left > 0
              ? "a frame does not hold whole documents"
              : null;
        });
  }

  @FunctionalInterface
  private interface Reading {
    /** Reads the content of a frame; returns what is wrong with it, or null. */
    @Nullable String read(Content content) throws IOException;
  }

  private @Nullable String read(Frame frame, Reading reading) throws IOException {
    Compressed compressed = new Compressed(frame.offset(), frame.length());
    try (ZstdInputStreamNoFinalizer zstd = new ZstdInputStreamNoFinalizer(compressed)) {
      zstd.setLongMax(MAX_WINDOW_LOG);
      String fault = reading.read(new Content(zstd, frame.bytes()));
      if (fault != null) {
        return fault;
      }
      if (zstd.read() >= 0) {
        return "a frame holds more than it should";
      }
    } catch (ZstdIOException e) {
      return "a frame cannot be decompressed: " + e.getMessage();
    }
    return compressed.checksum() == frame.checksum() ? null : "the checksum of a frame is wrong";
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  /** The compressed bytes of a frame. */
  private final class Compressed extends InputStream {
    private final CRC32C crc = new CRC32C();
    private long left;

    Compressed(long offset, long length) throws IOException {
      file.seek(offset);
      left = length;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      int read = left == 0 ? -1 : file.read(bytes, offset, (int) Math.min(length, left));
      if (read > 0) {
        crc.update(bytes, offset, read);
        left -= read;
      }
      return read;
    }

    /** Returns the checksum of all of them, including those that zstd has not read. */
    int checksum() throws IOException {
      transferTo(OutputStream.nullOutputStream());
      return (int) crc.getValue();
    }
  }

  /** The decompressed bytes of a frame, never more than it should have. */
  private static final class Content extends InputStream {
    private final InputStream zstd;
    private final byte[] piece;
    private long left;
    private int at;
    private int end;

    Content(InputStream zstd, long length) {
      this.zstd = zstd;
      this.piece = new byte[(int) Math.min(PIECE_BYTES, length)];
      this.left = length;
    }

    @Override
    public int read() throws IOException {
      return refill() ? piece[at++] & 0xFF : -1;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      if (!refill()) {
        return -1;
      }
      int copied = Math.min(length, end - at);
      System.arraycopy(piece, at, bytes, offset, copied);
      at += copied;
      return copied;
    }

    private boolean refill() throws IOException {
      if (at < end) {
        return true;
      }
      int read = left == 0 ? -1 : zstd.read(piece, 0, (int) Math.min(piece.length, left));
      if (read <= 0) {
        return false;
      }
      left -= read;
      at = 0;
      end = read;
      return true;
    }
  }
}
