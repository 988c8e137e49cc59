package com.wookler.river.core.backup;

import com.github.luben.zstd.ZstdIOException;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.wookler.river.common.file.LimitedStream;
import com.wookler.river.core.log.files.BlockWalk;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one backup, each as a stream of documents. A {@link RandomAccessFile}, unlike
 * a channel, stays open when the reading thread is interrupted. Not thread-safe.
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

  /** Writes a frame's content, never more than the frame says; returns what is wrong, or null. */
  @Nullable String copy(Frame frame, OutputStream to) throws IOException {
    return read(
        frame,
        content -> {
          content.transferTo(to);
          return content.left() > 0 ? "a frame holds less than it should" : null;
        });
  }

  /** Shows the documents of a frame; returns what is found wrong with it in the end, or null. */
  @Nullable String walk(Frame frame, BlockWalk.Visitor visitor) throws IOException {
    return read(
        frame,
        content -> {
          BlockWalk.Ending ending =
              BlockWalk.walk(
                  content,
                  (at, bytes, length) -> visitor.document(frame.start() + at, bytes, length));
          return ending != BlockWalk.Ending.OPEN || content.left() > 0
              ? "a frame does not hold whole documents"
              : null;
        });
  }

  @FunctionalInterface
  private interface Reading {
    /** Reads the content of a frame; returns what is wrong with it, or null. */
    @Nullable String read(LimitedStream content) throws IOException;
  }

  private @Nullable String read(Frame frame, Reading reading) throws IOException {
    file.seek(frame.offset());
    CheckedInputStream compressed =
        new CheckedInputStream(new LimitedStream(file::read, frame.length()), new CRC32C());
    try (ZstdInputStreamNoFinalizer zstd = new ZstdInputStreamNoFinalizer(compressed)) {
      zstd.setLongMax(MAX_WINDOW_LOG);
      int piece = (int) Math.min(PIECE_BYTES, frame.bytes());
      InputStream content = new BufferedInputStream(zstd, piece);
      String fault = reading.read(new LimitedStream(content::read, frame.bytes()));
      if (fault != null) {
        return fault;
      }
      if (content.read() >= 0) {
        return "a frame holds more than it should";
      }
    } catch (ZstdIOException e) {
      return "a frame cannot be decompressed: " + e.getMessage();
    }
    compressed.transferTo(OutputStream.nullOutputStream()); // what zstd has not read
    return (int) compressed.getChecksum().getValue() == frame.checksum()
        ? null
        : "the checksum of a frame is wrong";
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
