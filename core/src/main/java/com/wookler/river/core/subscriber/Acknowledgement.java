package com.wookler.river.core.subscriber;

/** The acknowledgement of a delivery that took effect. */
enum Acknowledgement {
  NONE,
  ACKED,
  NACKED,
  RELEASED,
  REJECTED
}
