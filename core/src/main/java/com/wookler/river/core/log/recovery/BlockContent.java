package com.wookler.river.core.log.recovery;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.LastUsedByte;
import com.wookler.river.common.file.ReadFailedException;
import com.wookler.river.core.log.chronicle.ChronicleHeaderCheck;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.LogDirectory;
import com.wookler.river.core.message.DocumentReader;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Adds up what the documents of an unsealed block hold, by reading its file. */
final class BlockContent implements BlockWalk.Visitor {
  private static final int READ_BYTES = 1 << 20;

  private final int number;
  private final LogDirectory log;
  private final DocumentReader reader;
  private final BlockTotals totals = new BlockTotals();
  private long expected = Long.MIN_VALUE;
  private boolean valid = true;

  private BlockContent(int number, LogDirectory log) {
    this.number = number;
    this.log = log;
    this.reader = new DocumentReader(log.identity());
  }

  /**
   * The result for a block.
   *
   * @param holes its sequences that are known to be lost
   * @param fault what is wrong with what the store keeps beside the documents; empty if nothing is
   * @param isValid whether it is a run of valid documents, each next to the other
   */
  record Walked(
      RecoveredBlock block,
      BlockWalk.Ending ending,
      Optional<BlockStart> start,
      List<Hole> holes,
      String fault,
      boolean isValid) {}

  /** Sequences that a document declares lost; those below {@code forced} had been forced. */
  record Hole(long first, long end, long forced) {}

  /** Walks a block file; {@code expectedFirst} is its first sequence if nothing in it says so. */
  static Walked walk(int number, Path file, long expectedFirst, LogDirectory log)
      throws IOException {
    BlockContent content = new BlockContent(number, log);
    BlockWalk.Result result;
    try (InputStream in = new BufferedInputStream(ReadFailedException.open(file), READ_BYTES)) {
      result = BlockWalk.scan(in, content, offset -> LastUsedByte.of(file, offset) == offset);
    }
    return content.found(file, expectedFirst, result);
  }

  private Walked found(Path file, long expectedFirst, BlockWalk.Result result) throws IOException {
    BlockTotals sum = totals;
    long first = result.start().map(BlockStart::firstSequence).orElse(expectedFirst);
    boolean starts = result.start().isPresent() && (sum.documents() == 0 || sum.first() == first);
    RecoveredBlock block =
        sum.block(log.identity(), number, file, Math.max(0, first), result.end());
    return new Walked(
        block,
        result.ending(),
        result.start(),
        sum.holes(),
        ChronicleHeaderCheck.fault(file, sum.spaced(), sum.documents(), result.end()),
        valid && starts && result.ending() != BlockWalk.Ending.BROKEN);
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    try {
      reader.open(document, length, number);
      valid &= expected == Long.MIN_VALUE || expected == reader.firstSequence();
      expected = reader.firstSequence() + reader.count();
      totals.add(offset, length, reader, reader.verify());
    } catch (DamagedException e) {
      valid = false;
    }
  }
}
