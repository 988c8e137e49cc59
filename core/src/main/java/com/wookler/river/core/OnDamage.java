package com.wookler.river.core;

/**
 * What a subscriber does where the log is damaged. Whatever it is, nothing damaged is delivered.
 */
public enum OnDamage {
  /**
   * It continues at the next valid message. What is lost counts as completed for it, and is
   * reported: in the log, to listeners, in a counter and in {@code damage.log} of the queue's
   * directory, with the damaged bytes in {@code damaged} beside it.
   */
  SALVAGE,
  /**
   * It stops: each poll ends with a {@code DamagedMessageException} until {@code seek} moves it. A
   * delayed message that is found damaged when it is due waits, and holds up no other; it is tried
   * again, and that is logged, once a minute.
   */
  STOP
}
