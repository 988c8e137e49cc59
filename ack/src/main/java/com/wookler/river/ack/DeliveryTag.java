package com.wookler.river.ack;

/**
 * The bits of a delivery tag.
 *
 * <pre>
 * bit 63  62 ........... 29  28 ...... 17  16 ........ 0
 *     0   epoch (34 bits)    token (12)    attempt (17)
 * </pre>
 *
 * <p>Attempt and token are those of the message's entry; the token distinguishes two deliveries
 * with the same attempt. The epoch changes with each opening and each seek.
 */
public final class DeliveryTag {
  static final int ATTEMPT_BITS = 17;
  static final int TOKEN_BITS = 12;
  static final int MAX_ATTEMPT = (1 << ATTEMPT_BITS) - 1;

  private static final int LOW_BITS = ATTEMPT_BITS + TOKEN_BITS;
  private static final int LOW_MASK = (1 << LOW_BITS) - 1;

  private DeliveryTag() {}

  /** Returns the delivery tag of an entry's low bits, which hold token and attempt. */
  public static long of(long epoch, int tokenAndAttempt) {
    return ((epoch << LOW_BITS) | (tokenAndAttempt & LOW_MASK)) & Long.MAX_VALUE;
  }

  static int attempt(long tag) {
    return (int) tag & MAX_ATTEMPT;
  }
}
