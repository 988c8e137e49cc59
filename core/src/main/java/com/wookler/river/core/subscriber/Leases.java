package com.wookler.river.core.subscriber;

import com.wookler.river.common.TimeSource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Who of its owners an exclusive subscriber delivers to: the one that has the lease. A lease ends
 * when its owner releases it, or when its time has passed since the owner's last poll or
 * acknowledgement; it is kept in memory. Guarded by the subscriber's lock.
 */
final class Leases {
  private final TimeSource time;
  private final long nanos;
  private @Nullable String owner; // null: none
  private @Nullable String last; // who had it last
  private long end;

  /** What a poll of an owner has come to. */
  enum Result {
    REFUSED, // another has the lease
    HELD, // it has the lease
    TAKEN_OVER // as above, and another one may have messages in flight
  }

  private Leases(Duration lease, TimeSource time) {
    this.nanos = lease.toNanos();
    this.time = time;
  }

  /** Returns the leases of a subscriber; null if it is not exclusive. */
  static @Nullable Leases of(SubscriberConfig config, TimeSource time) {
    return config.exclusive() ? new Leases(config.lease(), time) : null;
  }

  /** Takes or renews the lease for an owner, if no other one has it. */
  Result poll(String by) {
    if (!by.equals(owner) && nanosLeft() > 0) {
      return Result.REFUSED;
    }
    boolean another = last != null && !last.equals(by);
    owner = by;
    last = by;
    end = time.nanoTime() + nanos;
    return another ? Result.TAKEN_OVER : Result.HELD;
  }

  /** Renews the lease, because a message was acknowledged that its owner has. */
  void renew() {
    if (owner != null) {
      end = time.nanoTime() + nanos;
    }
  }

  /** Ends the lease of an owner; returns whether it had it. */
  boolean release(String by) {
    boolean had = by.equals(owner);
    owner = had ? null : owner;
    return had;
  }

  /** Returns how long the present lease lasts; 0: there is none. */
  long nanosLeft() {
    return owner == null ? 0 : Math.max(0, end - time.nanoTime());
  }

  /** Returns when an owner has to poll again: to renew its lease, or to take one that ends. */
  long nanosUntilPoll(String by) {
    return by.equals(owner) ? nanos / 2 : nanosLeft();
  }

  boolean isOwner(String by) {
    return by.equals(owner);
  }

  /** Returns the present lease; null if there is none. */
  @Nullable Lease present() {
    long left = nanosLeft();
    return left == 0 || owner == null ? null : new Lease(owner, Duration.ofNanos(left));
  }
}
