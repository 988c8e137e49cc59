package com.wookler.river.common.errors;

/**
 * Bytes on disk are not what was written: a checksum, a length or an owner is wrong. They are never
 * used, and never skipped without a report. The text begins with "damaged" or names the file.
 *
 * <p>A file that is there and cannot be opened or read now is not damaged: that is another {@link
 * RiverException}, and the next call tries again.
 */
public class DamagedException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names what is damaged. */
  public DamagedException(String message) {
    super(message);
  }

  /** Creates the exception; the message names what is damaged. */
  public DamagedException(String message, Throwable cause) {
    super(message, cause);
  }
}
