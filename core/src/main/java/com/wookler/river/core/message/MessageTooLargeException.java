package com.wookler.river.core.message;

import com.wookler.river.common.errors.RiverException;

/** The message, or the batch, is over the queue's size limit; nothing of it was stored. */
public final class MessageTooLargeException extends RiverException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception; the message names the queue and what to do. */
  public MessageTooLargeException(String message) {
    super(message);
  }
}
