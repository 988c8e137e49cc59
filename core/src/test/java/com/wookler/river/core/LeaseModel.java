package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.Lease;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Who an exclusive subscriber must deliver to, of owners that poll one after another. */
final class LeaseModel {
  private static final List<String> OWNERS = List.of("", "ann", "bob"); // the first has no name

  private final Duration time;
  private String polling = OWNERS.get(0);
  private @Nullable String owner;
  private @Nullable String last;
  private long end;

  /** What a poll has come to. */
  enum Result {
    REFUSED,
    HELD,
    TAKEN_OVER
  }

  LeaseModel(Duration time) {
    this.time = time;
  }

  /** This one polls from now on. */
  void switchTo(int which) {
    polling = OWNERS.get(which % OWNERS.size());
  }

  /** Who polls now. */
  String polling() {
    return polling;
  }

  /** It polls, or renews. */
  Result take(long now) {
    if (!polling.equals(ownerAt(now)) && ownerAt(now) != null) {
      return Result.REFUSED;
    }
    boolean another = last != null && !last.equals(polling);
    owner = polling;
    last = polling;
    end = now + time.toMillis();
    return another ? Result.TAKEN_OVER : Result.HELD;
  }

  /** An acknowledgement has counted. */
  void renew(long now) {
    if (owner != null) {
      end = now + time.toMillis();
    }
  }

  /** Who polls now releases it, if it is theirs. */
  void release() {
    owner = polling.equals(owner) ? null : owner;
  }

  /** The subscriber was opened again. */
  void reset() {
    owner = null;
    last = null;
  }

  private @Nullable String ownerAt(long now) {
    return now < end ? owner : null;
  }

  void shouldBe(@Nullable Lease lease, long now) {
    String has = ownerAt(now);
    assertThat(lease)
        .as("lease")
        .isEqualTo(has == null ? null : new Lease(has, Duration.ofMillis(end - now)));
  }
}
