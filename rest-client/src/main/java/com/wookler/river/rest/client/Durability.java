package com.wookler.river.rest.client;

/** What a message survives once its publish has returned. */
public enum Durability {
  /** The death of the server's process. */
  MEMORY,
  /** A power loss: it is on the server's device. */
  DISK
}
