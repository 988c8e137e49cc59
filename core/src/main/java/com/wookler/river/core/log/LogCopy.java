package com.wookler.river.core.log;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.ChangingBytes;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.ClockSteps;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogMarks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A log as it was at one moment, which is copied while it grows: sealed blocks get a second name,
 * as nothing changes them, the others are copied as far as they went.
 */
public final class LogCopy {
  private final LogSettings settings;
  private final List<Part> parts = new ArrayList<>();
  private final long firstSequence;
  private final long nextSequence;
  private int newest;
  private long copiedBytes;

  /** A block as far as it goes; what is still changing of it is null once it is closed. */
  private record Part(int block, Path file, long end, @Nullable ChangingBytes changing) {}

  /** Notes how far each block goes; under the append lock. */
  LogCopy(LogSettings settings, Collection<Block> blocks, long nextSequence) throws IOException {
    this.settings = settings;
    this.nextSequence = nextSequence;
    this.firstSequence = blocks.iterator().next().firstSequence();
    for (Block block : blocks) {
      newest = block.number() - 1;
      if (block.isStarted() || block.isClosed()) {
        newest = block.number();
        ChangingBytes changing =
            block.isClosed() ? null : ChangingBytes.of(block.file(), block.end());
        parts.add(new Part(newest, block.file(), block.end(), changing));
      }
    }
  }

  /** Returns the first sequence of the oldest block. */
  public long firstSequence() {
    return firstSequence;
  }

  public long nextSequence() {
    return nextSequence;
  }

  /** Returns the bytes that were copied; what was linked does not count. */
  public long copiedBytes() {
    return copiedBytes;
  }

  /** Writes the copy, of which it forces the marks only. No block must be deleted meanwhile. */
  void writeTo(Path to) throws IOException {
    DurableFiles.makeDirectories(to);
    Path from = settings.directory();
    for (Part part : parts) {
      Path copy = BlockName.data(to, part.block());
      Path seal = BlockName.seal(from, part.block());
      ChangingBytes changing = part.changing();
      if (changing == null && Files.exists(seal)) {
        copiedBytes += DurableFiles.link(part.file(), copy);
        copiedBytes += DurableFiles.link(seal, BlockName.seal(to, part.block()));
      } else {
        long end = changing == null ? Files.size(part.file()) : part.end(); // with its end mark
        DurableFiles.copy(part.file(), copy, end);
        if (changing != null) {
          changing.writeTo(copy);
        }
        copiedBytes += end;
      }
    }
    for (String name : List.of(Gaps.NAME, ClockSteps.NAME)) {
      if (Files.exists(from.resolve(name))) {
        DurableFiles.copy(from.resolve(name), to.resolve(name), Files.size(from.resolve(name)));
      }
    }
    LogMarks.write(to, settings.identity(), nextSequence, newest, firstSequence);
  }
}
