package com.wookler.river.core.backup;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * Compresses a block into independent zstd frames of at most {@link #FRAME_BYTES} of content each,
 * cut between documents; a larger document has its own. Needs 2 MB of direct memory and zstd's own,
 * whatever the block's size. Used once, by one thread.
 */
final class BlockCompressor implements Closeable {
  static final int FRAME_BYTES = 1 << 20;
  private static final int LEVEL = 3;

  private final long bytes;
  private final FileChannel from;
  private final FileChannel to;
  private final ByteBuffer in;
  private final ByteBuffer out;
  private final ZstdCompressCtx zstd = new ZstdCompressCtx();
  private final CRC32C crc = new CRC32C();
  private long taken; // of the block
  private long written;

  private BlockCompressor(FileChannel from, FileChannel to, long bytes) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    int size = (int) Math.min(FRAME_BYTES, bytes);
    this.in = ByteBuffer.allocateDirect(size).order(ByteOrder.LITTLE_ENDIAN).limit(0);
    this.out = ByteBuffer.allocateDirect((int) Zstd.compressBound(size));
    zstd.setLevel(LEVEL);
    zstd.setChecksum(true);
  }

  /** Compresses a block's first bytes into a new, forced file; the frames have no sequences yet. */
  static List<Frame> compress(Path block, long bytes, Path target) throws IOException {
    try (FileChannel from = FileChannel.open(block, StandardOpenOption.READ);
        FileChannel to = DurableFiles.create(target);
        BlockCompressor compressor = new BlockCompressor(from, to, bytes)) {
      List<Frame> frames = compressor.run();
      to.force(true);
      return frames;
    }
  }

  private List<Frame> run() throws IOException {
    List<Frame> frames = new ArrayList<>();
    long start = 0;
    while (start < bytes) {
      fill();
      long content = content(start);
      long offset = written;
      crc.reset();
      compress(content);
      frames.add(
          new Frame(
              offset,
              written - offset,
              start,
              content,
              Frame.UNKNOWN,
              Frame.UNKNOWN,
              (int) crc.getValue()));
      start += content;
    }
    return frames;
  }

  /** Reads until the buffer is full or the block ends. */
  private void fill() throws IOException {
    in.compact();
    in.limit((int) Math.min(in.capacity(), in.position() + bytes - taken));
    while (in.hasRemaining()) {
      int read = from.read(in, taken);
      if (read < 0) {
        throw damaged("the file ends at byte " + taken + " of " + bytes);
      }
      taken += read;
    }
    in.flip();
  }

  /** Returns the bytes of the entire documents in the buffer, or of the first if it is larger. */
  private long content(long start) {
    long whole = 0;
    while (in.remaining() - whole >= DocumentHeader.BYTES) {
      long document = document(start + whole, in.getInt(in.position() + (int) whole));
      if (whole + document > in.remaining()) {
        if (whole == 0) {
          return document;
        }
        break;
      }
      whole += document;
    }
    if (whole == 0) {
      throw damaged("the block breaks off in a header at byte " + start);
    }
    return whole;
  }

  /** Returns the bytes of a document with header and padding. */
  private long document(long offset, int header) {
    long length = DocumentHeader.sizeOf(header);
    if (length == 0) {
      throw damaged("a header of 0x" + Integer.toHexString(header) + " at byte " + offset);
    }
    if (offset + length > bytes) {
      throw damaged("the document at byte " + offset + " ends after the end of the block");
    }
    return length;
  }

  private void compress(long content) throws IOException {
    zstd.setPledgedSrcSize(content);
    long left = content;
    do {
      if (!in.hasRemaining()) {
        fill();
      }
      int end = in.limit();
      int step = (int) Math.min(left, in.remaining());
      in.limit(in.position() + step);
      left -= step;
      boolean flushed;
      do {
        EndDirective directive = left == 0 ? EndDirective.END : EndDirective.CONTINUE;
        flushed = zstd.compressDirectByteBufferStream(out, in, directive);
        write();
      } while (in.hasRemaining() || (left == 0 && !flushed));
      in.limit(end);
    } while (left > 0);
  }

  private void write() throws IOException {
    out.flip();
    written += out.remaining();
    crc.update(out.duplicate());
    while (out.hasRemaining()) {
      to.write(out);
    }
    out.clear();
  }

  @Override
  public void close() {
    zstd.close();
  }

  private static DamagedMessageException damaged(String what) {
    return new DamagedMessageException("damaged: " + what);
  }
}
