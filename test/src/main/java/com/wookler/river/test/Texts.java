package com.wookler.river.test;

import com.wookler.river.core.subscriber.Delivery;
import java.nio.charset.StandardCharsets;

/** Texts of traces and of assertions. */
final class Texts {
  private Texts() {}

  static String header(Delivery<?> delivery, String name) {
    byte[] value = delivery.headers().get(name);
    return value == null ? "" : new String(value, StandardCharsets.UTF_8);
  }

  /** Returns which delivery it is: the same in each run. */
  static String of(Delivery<?> delivery) {
    String key = delivery.key();
    return "sequence %d%s attempt %d"
        .formatted(delivery.sequence(), key == null ? "" : " key " + key, delivery.attempt());
  }
}
