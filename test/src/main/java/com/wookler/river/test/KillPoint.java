package com.wookler.river.test;

/** Where in a delivery {@link TestQueue#killAfter} kills the process. */
public enum KillPoint {
  /** The message was delivered; the handler is not called. */
  DELIVERY(Fault.KILL_BEFORE),
  /** The handler has returned; the message is not acknowledged. */
  HANDLER(Fault.KILL_AFTER),
  /** The message is acknowledged. */
  ACK(Fault.KILL_ACKED);

  private final Fault fault;

  KillPoint(Fault fault) {
    this.fault = fault;
  }

  Fault fault() {
    return fault;
  }
}
