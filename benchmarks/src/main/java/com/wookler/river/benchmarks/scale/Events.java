package com.wookler.river.benchmarks.scale;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Events as applications publish them: JSON of about 500 bytes, always the same ones. */
final class Events {
  private static final List<String> TYPES =
      List.of("order.created", "order.paid", "order.packed", "order.shipped", "order.returned");
  private static final List<String> CITIES =
      List.of("Lisbon", "Uppsala", "Pune", "Quito", "Leeds", "Osaka", "Turku", "Graz");
  private static final List<String> GOODS =
      List.of("lamp", "desk", "chair", "shelf", "rug", "clock", "vase", "mirror", "stool");

  private final byte[][] events;

  private Events(byte[][] events) {
    this.events = events;
  }

  /** So many different ones. */
  static Events of(int count) {
    Random random = new Random(20_140_601);
    byte[][] events = new byte[count][];
    for (int i = 0; i < count; i++) {
      events[i] = event(random, i).getBytes(StandardCharsets.UTF_8);
    }
    return new Events(events);
  }

  /** So many different ones of exactly this size, made of as many events as it takes. */
  static Events ofSize(int count, int bytes) {
    Random random = new Random(20_140_602);
    byte[][] events = new byte[count][];
    for (int i = 0; i < count; i++) {
      StringBuilder text = new StringBuilder();
      while (text.length() < bytes) {
        text.append(event(random, i));
      }
      events[i] = text.substring(0, bytes).getBytes(StandardCharsets.US_ASCII);
    }
    return new Events(events);
  }

  byte[] get(long number) {
    return events[(int) (number % events.length)];
  }

  private static String event(Random random, int number) {
    StringBuilder items = new StringBuilder();
    for (int i = 1 + random.nextInt(4); i > 0; i--) {
      items.append(
          String.format(
              Locale.ROOT,
              "{\"sku\":\"%08x\",\"name\":\"%s\",\"quantity\":%d,\"price\":%d.%02d}%s",
              random.nextInt(),
              GOODS.get(random.nextInt(GOODS.size())),
              1 + random.nextInt(5),
              random.nextInt(500),
              random.nextInt(100),
              i > 1 ? "," : ""));
    }
    return String.format(
        Locale.ROOT,
        "{\"id\":\"%016x%016x\",\"type\":\"%s\",\"time\":\"2026-03-%02dT%02d:%02d:%02d.%06dZ\","
            + "\"customer\":{\"id\":%d,\"session\":\"%016x\",\"city\":\"%s\"},\"items\":[%s],"
            + "\"trace\":\"%016x\",\"version\":%d}",
        random.nextLong(),
        random.nextLong(),
        TYPES.get(random.nextInt(TYPES.size())),
        1 + random.nextInt(28),
        random.nextInt(24),
        random.nextInt(60),
        random.nextInt(60),
        random.nextInt(1_000_000),
        random.nextInt(1_000_000),
        random.nextLong(),
        CITIES.get(random.nextInt(CITIES.size())),
        items,
        random.nextLong(),
        number);
  }
}
