package com.wookler.river.kafka;

import com.wookler.river.common.errors.RiverException;

/** Another forwarder of the same queue and subscriber has taken the position over. */
final class TakenOverException extends RiverException {
  private static final long serialVersionUID = 1;

  TakenOverException(String message) {
    super(message);
  }
}
