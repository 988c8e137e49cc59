package com.wookler.river.core.log.chronicle;

import net.openhft.chronicle.core.time.TimeProvider;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.rollcycles.RollCycleArithmetic;

/**
 * Makes Chronicle roll on request instead of by the clock: its cycle number is our block number.
 *
 * <p>Files are called {@code b00000042.cq4}: the format prints the cycle as a modified Julian day,
 * and the epoch is that calendar's day 0. The counter lives in memory because the directory has one
 * owner (its LOCK), and is set from the files on opening.
 */
final class BlockRollCycle implements RollCycle {
  /** Day 0 of the modified Julian calendar, in milliseconds since 1970. */
  static final long EPOCH = -40_587L * 86_400_000L;

  private static final int DAY_MILLIS = 86_400_000;
  private static final int INDEX_COUNT = 4_096;
  private static final int INDEX_SPACING = 16;

  private final RollCycleArithmetic arithmetic = RollCycleArithmetic.of(INDEX_COUNT, INDEX_SPACING);
  private volatile int block; // written under the append lock, read by Chronicle on any thread

  BlockRollCycle(int block) {
    this.block = block;
  }

  void block(int number) {
    block = number;
  }

  @Override
  public int current(TimeProvider time, long epoch) {
    return block;
  }

  @Override
  public String format() {
    return "'b'gggggggg";
  }

  @Override
  public int lengthInMillis() {
    return DAY_MILLIS;
  }

  @Override
  public int defaultIndexCount() {
    return arithmetic.indexCount();
  }

  @Override
  public int defaultIndexSpacing() {
    return arithmetic.indexSpacing();
  }

  @Override
  public long toIndex(int cycle, long sequence) {
    return arithmetic.toIndex(cycle, sequence);
  }

  @Override
  public long toSequenceNumber(long index) {
    return arithmetic.toSequenceNumber(index);
  }

  @Override
  public int toCycle(long index) {
    return arithmetic.toCycle(index);
  }

  @Override
  public long maxMessagesPerCycle() {
    return arithmetic.maxMessagesPerCycle();
  }
}
