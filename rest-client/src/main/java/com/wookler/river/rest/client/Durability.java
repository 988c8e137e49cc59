package com.wookler.river.rest.client;

/** Says what a message survives once its publish has returned. */
public enum Durability {
  /** The end of the server's process. */
  MEMORY,
  /** A power loss: it is on the server's device. */
  DISK
}
