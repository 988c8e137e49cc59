package com.wookler.river.test;

/** What goes wrong around one delivery, or one publish. */
public enum Fault {
  /** Nothing does. */
  NONE("no fault"),
  /** The handler is not called: the delivery fails as if the handler had thrown at once. */
  THROW_BEFORE("the handler throws before it does anything"),
  /** The handler is called, and its delivery fails as if it had thrown at its end. */
  THROW_AFTER("the handler throws after it has done its work"),
  /** The acknowledgement gets lost: the delivery times out, and the message comes again. */
  LOSE_ACK("the acknowledgement is lost"),
  /** The handler takes longer than its acknowledgement timeout, so its answer comes too late. */
  TOO_LATE("the handler takes longer than its acknowledgement timeout"),
  /** The process is killed with the message delivered, before the handler was called. */
  KILL_BEFORE("kill before the handler"),
  /** The process is killed after the handler returned, before the message is acknowledged. */
  KILL_AFTER("kill after the handler, before the acknowledgement"),
  /** The process is killed after the message was acknowledged. */
  KILL_ACKED("kill after the acknowledgement"),
  /** Messages of different keys, or without a key, are processed in another order. */
  REORDER("messages of different keys change places"),
  /** Publishing is refused with a {@code QueueFullException} meanwhile. */
  DISK_FULL("the disk is full");

  private final String text;

  Fault(String text) {
    this.text = text;
  }

  @Override
  public String toString() {
    return text;
  }
}
