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
 * and makes the next block's file. Only lack of space may make an append fail here. All methods but
 * {@link #end}, {@link #isShort} and {@link #shortage} run under the append lock.
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

  void opened(long micros) {
    preallocator.started(0, micros);
  }

  /** Continues in this block, of which only the content is known to have space. */
  void continues(Block active) {
    begin(active, BlockSpace.roundUp(active.end()));
  }

  private void begin(Block active, long zeros) {
    space.started(active, zeros, preallocator.expectedBytes());
    toucher.started(active.end());
  }

  /**
   * Gives the file of a block the space that it needs to start, or throws a {@link
   * QueueFullException}; opens it, and returns how many of its bytes were made.
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

  void started(Block block, long made) {
    begin(block, made);
  }

  void recycled(Block before, long micros) {
    preallocator.started(before.end(), micros);
  }

  /** Takes space in the active block for a document, or throws a QueueFullException. */
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

  void grown(Block active, long micros) {
    try {
      preallocator.grown(active.end(), micros);
      space.grown(active, micros);
      toucher.grown(active.end(), space.allocated());
    } catch (RuntimeException | OutOfMemoryError e) { // what was appended is stored all the same
      LOG.warn("Nothing is made ahead of {}", active.file(), e);
    }
  }

  boolean isShort() {
    return volume.isShort();
  }

  Optional<Shortage> shortage() {
    return volume.shortage();
  }

  /** Returns whether the next block's file has what a start needs, by force from the reserve. */
  boolean hasNext(boolean force) {
    return preallocator.hasNext() || (force && preallocator.makeOfReserve());
  }

  /** Stops: from now on no page is touched and no zero written, and the file may be cut. */
  void end() {
    toucher.end();
    space.end();
  }
}
