package com.wookler.river.common;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Keeps which of several owners has the lease of a thing that one may use at a time. A lease ends
 * when its owner releases it, or when its time has passed since it was renewed last; it is kept in
 * memory. Not thread-safe.
 */
public final class Leases {
  private final TimeSource time;
  private final long nanos;
  private @Nullable String owner; // null: none
  private @Nullable String last; // who had it last
  private long end;

  /** What taking the lease has come to. */
  public enum Result {
    /** Another owner has the lease. */
    REFUSED,
    /** The owner has the lease. */
    HELD,
    /** The owner has the lease, and another one had it last. */
    TAKEN_OVER
  }

  /** Creates it; {@code lease}: how long one lasts if it is not renewed. */
  public Leases(Duration lease, TimeSource time) {
    this.nanos = lease.toNanos();
    this.time = time;
  }

  /** Takes or renews the lease for an owner, if no other one has it. */
  public Result take(String by) {
    if (!by.equals(owner) && nanosLeft() > 0) {
      return Result.REFUSED;
    }
    boolean another = last != null && !last.equals(by);
    owner = by;
    last = by;
    end = time.nanoTime() + nanos;
    return another ? Result.TAKEN_OVER : Result.HELD;
  }

  /** Renews the lease of the owner that had it last, unless that has released it. */
  public void renew() {
    if (owner != null) {
      end = time.nanoTime() + nanos;
    }
  }

  /** Ends the lease of an owner; returns whether it had it. */
  public boolean release(String by) {
    boolean had = by.equals(owner);
    owner = had ? null : owner;
    return had;
  }

  /** Returns how long the present lease lasts; 0: there is none. */
  public long nanosLeft() {
    return owner == null ? 0 : Math.max(0, end - time.nanoTime());
  }

  /** Returns when an owner is to call {@link #take} again, to renew its lease or to get it. */
  public long nanosUntilTake(String by) {
    return by.equals(owner) ? nanos / 2 : nanosLeft();
  }

  /** Returns whether this owner took the lease last and has not released it. */
  public boolean isOwner(String by) {
    return by.equals(owner);
  }

  /** Returns who has the lease; null: no owner. */
  public @Nullable String owner() {
    return nanosLeft() == 0 ? null : owner;
  }
}
