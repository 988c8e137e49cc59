package com.wookler.river.core.subscriber;

enum Acknowledgement {
  NONE,
  ACKED,
  NACKED,
  RELEASED,
  REJECTED
}
