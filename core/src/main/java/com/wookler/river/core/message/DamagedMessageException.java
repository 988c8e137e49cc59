package com.wookler.river.core.message;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;

/**
 * Bytes on disk are not what was published: a checksum, a length or a sequence is wrong, or their
 * file is missing. They are never delivered, and never skipped without a report. The text names
 * queue, file, block, sequence, offset and what is wrong.
 *
 * <p>A file that is there and cannot be opened or mapped now, for want of descriptors or memory, is
 * not damaged: that is a {@link RiverException} which says so, and the next call tries again.
 */
public final class DamagedMessageException extends DamagedException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public DamagedMessageException(String message) {
    super(message);
  }

  /** Creates the exception; the message names the queue and what to do. */
  public DamagedMessageException(String message, Throwable cause) {
    super(message, cause);
  }
}
