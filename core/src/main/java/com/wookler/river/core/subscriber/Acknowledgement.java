package com.wookler.river.core.subscriber;

/** What the holder of a delivery has decided, as far as it took effect. */
enum Acknowledgement {
  NONE,
  ACKED,
  NACKED,
  RELEASED,
  REJECTED
}
