package com.wookler.river.forward;

import com.wookler.river.core.QueueExtension;

/** Brings {@code queue.forward} and expiry queues to every queue; found by the service loader. */
public final class ForwardExtension implements QueueExtension {
  /** For the service loader. */
  public ForwardExtension() {}

  @Override
  public Part open(Context queue) {
    return new ForwardPart(queue);
  }
}
