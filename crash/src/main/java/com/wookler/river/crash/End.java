package com.wookler.river.crash;

/**
 * How a round ended, as far as it changes what was promised: of what was not forced, a power loss
 * may take what came late.
 *
 * @param power whether unforced bytes may be lost
 * @param forcedEnd messages at MEMORY below this sequence must be there
 * @param ackedBefore acknowledgements and deliveries that were noted before this time must hold, on
 *     the machine's monotonic clock
 * @param at when it ended; what was promised after a power loss does not count
 */
record End(boolean power, long forcedEnd, long ackedBefore, long at) {
  /** The process was killed: all that returned must hold. */
  static End killed(long at) {
    return new End(false, Long.MAX_VALUE, Long.MAX_VALUE, at);
  }
}
