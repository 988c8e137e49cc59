package com.wookler.river.core.log.chronicle;

import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.NotNowException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Appends to the last of a log's blocks, and maps them for reading: all that the log needs of
 * Chronicle while it is open.
 *
 * <p>Appending, {@link #prepare} and {@link #startBlock} are guarded by the log's append lock;
 * windows may be opened by any thread. {@link #close} needs that no window is in use: a mapping
 * that ends under a reader crashes the JVM.
 */
public interface BlockStore extends AutoCloseable {
  /** The name of a file of the store's own in the directory: all in it follows from the blocks. */
  String METADATA = ChronicleStore.METADATA;

  /** Makes this JVM ready, before anything of the store is touched; cheap to call again. */
  static void requireJvm() {
    JdkAccess.ensure(); // before the first class of Chronicle is loaded
    FaultGuard.ensure();
  }

  /**
   * Opens a directory whose files a recovery has looked through.
   *
   * @param block the number of the active block, which may not exist yet
   * @param chunkBytes what is mapped of a block at a time; a document may take a quarter of it
   */
  static BlockStore open(Path directory, IntFunction<Path> files, int block, long chunkBytes) {
    try {
      return new ChronicleStore(directory, files, block, chunkBytes);
    } catch (RuntimeException | InternalError e) { // such as a table that Chronicle made read-only
      PageFaults.settle();
      throw new RiverException(
          "cannot make or map the files of the log in "
              + directory
              + "; see that its volume can be written and has space, then open it again: "
              + e,
          e);
    }
  }

  /** Appends one document to the active block. */
  void append(AppendSource document);

  /** Closes the active block and starts this one, with first bytes that readers don't see. */
  void startBlock(int block, byte[] start);

  /**
   * Opens and maps the file of a block that is about to start, or throws a {@link NotNowException}:
   * a store that cannot open a file in {@link #startBlock} is of no use any more.
   */
  void prepare(int block) throws IOException;

  /** Returns the bytes in use of the active block: where the next header goes, after padding. */
  long position();

  /**
   * Returns pages of the active block, kept mapped until they are closed, up to the end of the
   * mapping at most; null if they are not mapped yet.
   */
  @Nullable MappedPages pages(long from, long to);

  /** Returns what is mapped of a block around an offset; without a valid file it is damaged. */
  BlockWindow window(int block, long offset) throws IOException;

  /** Ends the mapping of a block whose file is about to be deleted, once no window is on it. */
  void remove(int block);

  /** Replaces the file of a block that is appended to no more, and what is known of it. */
  @FunctionalInterface
  interface Replacement {
    void run() throws IOException;
  }

  /**
   * Runs what replaces the file of a block while none is mapped. Windows that are open show the old
   * file; those opened later show the new one, and say so by their generation.
   */
  void replace(int block, Replacement replacement) throws IOException;

  /** To be called twice a second: ends mappings that no reader has used for 10 seconds. */
  void unmapIdle();

  /** Closes the store; its mappings have ended when this returns. */
  @Override
  void close();
}
