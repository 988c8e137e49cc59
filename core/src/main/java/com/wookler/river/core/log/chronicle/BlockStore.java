package com.wookler.river.core.log.chronicle;

import com.wookler.river.common.PageFaults;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.NotNowException;
import com.wookler.river.core.message.DamagedMessageException;
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

  /**
   * Makes this JVM ready; to be called before anything of the store is touched. Cheap to call
   * again.
   *
   * @throws RiverException the JVM does not let River do what the store needs; it names the flag
   */
  static void requireJvm() {
    JdkAccess.ensure(); // before the first class of Chronicle is loaded
    FaultGuard.ensure();
  }

  /**
   * Opens a directory whose files a recovery has looked through.
   *
   * @param files the data file of each block, by its number
   * @param block the number of the active block, which may not exist yet
   * @param chunkBytes what is mapped of a block at a time; a document may take a quarter of it
   * @throws RiverException the files cannot be made or mapped
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

  /**
   * Closes the active block and starts this one, whose first bytes are {@code start}, hidden from
   * readers.
   */
  void startBlock(int block, byte[] start);

  /**
   * Opens and maps the file of a block that is about to start, so that {@link #startBlock} opens
   * nothing: a store is of no use any more once it could not open a file there.
   *
   * @throws NotNowException the file cannot be opened or mapped now
   */
  void prepare(int block) throws IOException;

  /** Returns the bytes in use of the active block: where the next header goes, after padding. */
  long position();

  /**
   * Returns pages of the active block, kept mapped until they are closed; null if they are not
   * mapped yet.
   *
   * @param to may be beyond the mapping, which then ends them
   */
  @Nullable MappedPages pages(long from, long to);

  /**
   * Returns what is mapped of a block around an offset.
   *
   * @throws DamagedMessageException the block has no file, or one that is none of a block
   * @throws IOException its file cannot be opened or mapped now
   */
  BlockWindow window(int block, long offset) throws IOException;

  /** Notices that block files were removed. */
  void forgetRemoved();

  /** Closes the store; its mappings have ended when this returns. */
  @Override
  void close();
}
