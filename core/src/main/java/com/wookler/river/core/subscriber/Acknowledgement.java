package com.wookler.river.core.subscriber;

enum Acknowledgement {
  NONE,
  ACKED,
  NACKED,
  RELEASED,
  REJECTED,
  CONTINUED // and acknowledged once what continues it is published
}
