package com.wookler.river.core.log;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.NotNowException;
import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.message.QueueFullException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what is needed ahead of the appender: takes space for the active block, touches its pages,
 * and makes the next block's file.
 *
 * <p>All methods run under the append lock but {@link #end}, {@link #isShort} and {@link
 * #shortage}. Except for lack of space, nothing here may make an append fail.
 */
final class Preallocation {
  private static final Logger LOG = LoggerFactory.getLogger(Preallocation.class);

  private final String queue;
  private final BlockStore store;
  private final Volume volume;
  private final BlockSpace space;
  private final Preallocator preallocator;
  private final PageToucher toucher;

  Preallocation(
      LogSettings settings, LogExecutors executors, BlockStore store, Block active, Device device) {
    this.queue = settings.queue();
    this.store = store;
    this.volume = new Volume(settings, device);
    this.space = new BlockSpace(volume, executors.toucher(), settings.blockBytes(), active);
    this.preallocator = new Preallocator(settings, executors.maker(), active.number(), volume);
    this.toucher = new PageToucher(store, executors.toucher());
  }

  /** Notes that the log was opened. */
  void opened(long micros) {
    preallocator.started(0, micros);
  }

  /** Continues in this block, of which only the content is known to have space. */
  void goesOn(Block active) {
    begin(active, BlockSpace.roundUp(active.end()));
  }

  private void begin(Block active, long zeros) {
    space.started(active, zeros, preallocator.expectedBytes());
    toucher.started(active.end());
  }

  /**
   * Gives the file of a block that is about to start the space that the start needs, and opens it.
   *
   * @return how many bytes of its file were made
   * @throws QueueFullException there is no space for it
   * @throws RiverException its file cannot be opened now, such as without descriptors
   */
  long starting(Block block) throws IOException {
    try {
      long made = preallocator.starting(block.number());
      store.prepare(block.number());
      volume.granted();
      return made;
    } catch (NoSpaceException e) {
      throw volume.refused(e);
    } catch (FileSystemException | NotNowException e) {
      throw notNow("start block " + block.number(), e);
    }
  }

  private RiverException notNow(String what, IOException e) {
    return new RiverException(
        "queue " + queue + ": cannot " + what + " now; nothing was stored, try again: " + e, e);
  }

  /** Notes that a block has started, and is the active one. */
  void started(Block block, long made) {
    begin(block, made);
  }

  /** Notes that the active block has replaced this one. */
  void recycled(Block before, long micros) {
    preallocator.started(before.end(), micros);
  }

  /**
   * Takes space in the active block for a document of this length.
   *
   * @throws QueueFullException there is none
   * @throws RiverException its file cannot be opened now, such as without descriptors
   */
  void require(Block active, int length) throws IOException {
    if (!space.has(active, length)) {
      take(active, length);
    }
  }

  /** Returns whether there is space again after a publisher was refused. */
  boolean relieve(Block active) {
    try {
      space.takeMore();
      volume.granted();
      return true;
    } catch (IOException e) {
      LOG.debug("Still no space for {}", active.file(), e);
      return false;
    }
  }

  private void take(Block active, int length) throws IOException {
    try {
      try {
        space.take(active, length);
      } catch (NoSpaceException e) {
        if (!preallocator.giveBack()) {
          throw e;
        }
        space.take(active, length);
      }
      volume.granted();
    } catch (NoSpaceException e) {
      throw volume.refused(e);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (FileSystemException e) { // thrown by opening, not by writing
      throw notNow("open " + active.file() + " to take space for the message", e);
    }
  }

  /** Notes that the active block has grown. */
  void grown(Block active, long micros) {
    try {
      preallocator.grown(active.end(), micros);
      space.grown(active, micros);
      toucher.grown(active.end(), space.allocated());
    } catch (RuntimeException | OutOfMemoryError e) { // what was appended is stored all the same
      LOG.warn("Nothing is made ahead of {}", active.file(), e);
    }
  }

  /** Returns whether the last publisher that needed space was refused. */
  boolean isShort() {
    return volume.isShort();
  }

  /** Returns why publishers were refused the last time. */
  Optional<Shortage> shortage() {
    return volume.shortage();
  }

  /**
   * Returns whether the next block's file has what it needs to start.
   *
   * @param force take that from the reserve if need be
   */
  boolean hasNext(boolean force) {
    return preallocator.hasNext() || (force && preallocator.makeOfReserve());
  }

  /**
   * Stops: when this returns no page is touched and no zero written any more, and the file may be
   * cut.
   */
  void end() {
    toucher.end();
    space.end();
  }
}
