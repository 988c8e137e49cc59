package com.wookler.river.core;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Says up to where {@link MessageQueue#trim} removes messages of the log; immutable. */
public final class Trim {
  final long before; // a sequence; -1: none
  final @Nullable Duration age;
  final long bytes; // -1: any
  final long messages; // -1: any

  private Trim(long before, @Nullable Duration age, long bytes, long messages) {
    this.before = before;
    this.age = age;
    this.bytes = bytes;
    this.messages = messages;
  }

  /** Removes all messages before this sequence. */
  public static Trim before(long sequence) {
    return new Trim(Math.max(0, sequence), null, -1, -1);
  }

  /** Removes the messages that were published longer ago than this. */
  public static Trim olderThan(Duration age) {
    return new Trim(-1, Objects.requireNonNull(age, "age"), -1, -1);
  }

  /** Removes the oldest closed blocks, as long as the others have this many bytes. */
  public static Trim toBytes(long bytes) {
    return new Trim(-1, null, Math.max(1, bytes), -1);
  }

  /** Removes the oldest messages, so that this many remain. */
  public static Trim toCount(long messages) {
    return new Trim(-1, null, -1, Math.max(0, messages));
  }
}
