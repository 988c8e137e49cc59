package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.LogFiles;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a log: each block by itself and by its seal, and that one follows the other. Used once,
 * by one thread.
 */
final class LogVerifier {
  private final UUID queue;
  private final LogFiles files;
  private final Reporter report;
  private final Progress progress;
  private final int newest;
  private final SideFiles notes;
  private long expected = ContentCheck.UNKNOWN; // the sequence that the next block starts with
  private long first = ContentCheck.UNKNOWN; // of the oldest block
  private int blocks;
  private long messages;

  /** Creates a verifier; the notes were read before the files were listed. */
  LogVerifier(UUID queue, LogFiles files, SideFiles notes, Reporter report, Progress progress) {
    this.queue = queue;
    this.files = files;
    this.notes = notes;
    this.report = report;
    this.progress = progress;
    this.newest = files.blocks().isEmpty() ? 0 : files.blocks().lastKey();
  }

  int blocks() {
    return blocks;
  }

  long messages() {
    return messages;
  }

  /** Returns the sequence after the last message; unknown if there is no block. */
  long endSequence() {
    return expected;
  }

  void run() throws IOException {
    List<Path> misnamed = files.misnamed();
    for (Path aside : files.others()) {
      if (misnamed.contains(aside)) {
        report.note(aside, "is not named like a block; the next opening quarantines it");
      } else {
        boolean ours = DurableFiles.isQuarantined(String.valueOf(aside.getFileName()));
        report.note(aside, ours ? "was quarantined as damaged before" : "is no file of River's");
      }
    }
    notes();
    TreeSet<Integer> numbers = new TreeSet<>(files.blocks().keySet());
    numbers.addAll(files.seals().keySet());
    for (int number : numbers) {
      Path file = files.blocks().get(number);
      Seal seal = seal(number);
      try {
        if (file != null) {
          blocks++;
          block(new BlockFile(number, file), seal);
          progress.done(bytes(file, seal));
        } else if (seal != null) {
          missing(seal);
        }
      } catch (NoSuchFileException e) {
        hasLeft(number, file, seal);
      }
      expected = expected < 0 ? expected : notes.gaps().endOf(expected);
    }
    begin();
    end();
  }

  private void notes() {
    if (!files.blocks().isEmpty()) {
      notes.marksFault().ifPresent(what -> report.damage(notes.marks(), what));
    }
    notes.gapsFault().ifPresent(what -> report.damage(notes.gapsFile(), what));
    for (Gaps.Gap gap : notes.gaps().all()) {
      report.note(
          notes.gapsFile(),
          gap.block(),
          String.format(
              "sequences %d to %d are known to be lost, %s",
              gap.first(),
              gap.end() - 1,
              gap.damaged() ? "by damage" : "for lack of a force before a power loss"));
    }
  }

  /** Checks the beginning: only blocks that were recorded as removed may be missing. */
  private void begin() throws IOException {
    long removedEnd = notes.removed(queue).orElse(Long.MAX_VALUE);
    if (removedEnd < first && notes.gaps().endOf(removedEnd) < first) {
      report.damage(
          notes.marks(),
          files.blocks().firstKey(),
          removedEnd,
          Finding.UNKNOWN,
          "sequences "
              + removedEnd
              + " to "
              + (first - 1)
              + " are missing, and were not taken out");
    }
  }

  /** Checks the end: the log must not end before what its marks say. */
  private void end() {
    long end = Math.max(0, expected);
    if (notes.gaps().endOf(end) < notes.forced()) {
      report.damage(
          notes.marks(),
          newest,
          end,
          Finding.UNKNOWN,
          "all up to sequence " + (notes.forced() - 1) + " was forced, and the log ends before it");
    } else if (notes.gaps().endOf(end) < notes.end()) {
      report.note(
          notes.marks(),
          newest,
          String.format(
              "the log held messages up to sequence %d, and ends at %d: a power loss came before they"
                  + " were forced",
              notes.end() - 1, end));
    }
  }

  /** Returns the bytes that are read of all blocks. */
  static long bytes(LogFiles files) throws IOException {
    long bytes = 0;
    for (Map.Entry<Integer, Path> entry : files.blocks().entrySet()) {
      try {
        bytes += bytes(entry.getValue(), files.seal(entry.getKey()).orElse(null));
      } catch (NoSuchFileException e) {
        // it has left the log meanwhile
      }
    }
    return bytes;
  }

  private static long bytes(Path file, @Nullable Seal seal) throws IOException {
    return seal == null ? Files.size(file) : seal.bytes();
  }

  private @Nullable Seal seal(int number) throws IOException {
    Path file = files.seals().get(number);
    try {
      return file == null ? null : BlockFile.seal(file, number);
    } catch (DamagedException e) {
      report.damage(file, number, Finding.UNKNOWN, Finding.UNKNOWN, ContentCheck.text(e));
    } catch (NoSuchFileException e) {
      progress.done(0); // its block has left the log meanwhile
    }
    return null;
  }

  private void missing(Seal seal) {
    Path file = Objects.requireNonNull(files.seals().get(seal.block()));
    if (files.blocks().isEmpty() || seal.block() < files.blocks().firstKey()) {
      report.note(file, seal.block(), "is left of a block that has left the log");
      return;
    }
    if (!Files.exists(file)) {
      hasLeft(seal.block(), file, seal); // with its seal
      return;
    }
    report.damage(
        file,
        seal.block(),
        seal.firstSequence(),
        Finding.UNKNOWN,
        String.format(
            "its data file is missing, and with it sequences %d to %d",
            seal.firstSequence(), seal.endSequence() - 1));
    expected = seal.endSequence();
  }

  /** Notes that a listed block is missing now: drained blocks leave the log at any time. */
  private void hasLeft(int number, @Nullable Path file, @Nullable Seal seal) {
    if (file != null) {
      report.note(file, number, "has left the log meanwhile");
    }
    expected = seal == null ? ContentCheck.UNKNOWN : seal.endSequence();
  }

  private void block(BlockFile block, @Nullable Seal seal) throws IOException {
    boolean newestOne = block.number() == newest && seal == null;
    Optional<BlockStart> origin = newestOne ? block.settledStart() : block.start();
    String misplaced = misplaced(block, seal, origin.orElse(null));
    if (misplaced != null) {
      damage(block, Finding.UNKNOWN, 0, misplaced);
      expected = seal == null ? ContentCheck.UNKNOWN : seal.endSequence();
      return;
    }
    if (!block.hasHeader()) {
      headerless(block, seal);
      return;
    }
    if (origin.isEmpty() && newestOne && isEmpty(block)) {
      report.note(block.file(), block.number(), "was being made and has not begun");
      return;
    }
    if (origin.isEmpty()) {
      damage(block, expected, 0, "its beginning is damaged: it does not say where it starts");
    }
    long first = first(seal, origin.orElse(null));
    this.first = block.number() == files.blocks().firstKey() ? first : this.first;
    if (expected != ContentCheck.UNKNOWN && first != expected && first != ContentCheck.UNKNOWN) {
      damage(
          block,
          expected,
          0,
          "starts at sequence " + first + " where " + expected + " should follow");
    }
    content(block, seal, first);
    report.ended(block.file(), block.number());
  }

  private boolean isEmpty(BlockFile block) throws IOException {
    BlockFile.End end = block.walk(BlockWalk.Visitor.NONE);
    return end.ending() != BlockWalk.Ending.CLOSED
        && block.behind(0, queue, BlockWalk.Visitor.NONE).messages() == 0;
  }

  /** Returns what shows that this is the file or seal of another block; null if nothing does. */
  private @Nullable String misplaced(
      BlockFile block, @Nullable Seal seal, @Nullable BlockStart origin) {
    if (seal != null && !seal.queue().equals(queue)) {
      return "its seal is that of the queue " + seal.queue();
    }
    if (origin != null && !origin.queue().equals(queue)) {
      return "is a block of the queue " + origin.queue();
    }
    if (origin != null && origin.block() != block.number()) {
      return "is the file of block " + origin.block();
    }
    return seal != null && origin != null && seal.firstSequence() != origin.firstSequence()
        ? String.format(
            "starts at sequence %d, and its seal says that it starts at %d",
            origin.firstSequence(), seal.firstSequence())
        : null;
  }

  private static long first(@Nullable Seal seal, @Nullable BlockStart origin) {
    if (seal != null) {
      return seal.firstSequence();
    }
    return origin == null ? ContentCheck.UNKNOWN : origin.firstSequence();
  }

  private void headerless(BlockFile block, @Nullable Seal seal) throws IOException {
    BlockFile.Behind behind = block.behind(0, queue, BlockWalk.Visitor.NONE);
    if (block.number() == newest && seal == null && behind.messages() == 0) {
      report.note(block.file(), block.number(), "was being made and has not begun");
      return;
    }
    damage(
        block,
        expected,
        0,
        "has lost its first bytes; " + behind.messages() + " of its messages are whole after that");
    messages += behind.messages();
    expected = Math.max(expected, seal == null ? behind.endSequence() : seal.endSequence());
  }

  private void content(BlockFile block, @Nullable Seal seal, long first) throws IOException {
    ContentCheck check =
        new ContentCheck(
            queue,
            block.number(),
            first,
            (sequence, offset, what) -> damage(block, sequence, offset, what));
    BlockFile.End end = seal == null ? block.walk(check) : block.walkClosed(check);
    long behind = ending(block, seal, end, check);
    if (seal != null) {
      check.compareWith(seal);
    }
    messages += check.messages();
    expected = Math.max(check.expected(), behind);
    if (seal != null) {
      expected = Math.max(expected, seal.endSequence());
    }
  }

  /** Checks how a block ends; returns the sequence after the valid messages after a break. */
  private long ending(BlockFile block, @Nullable Seal seal, BlockFile.End end, ContentCheck check)
      throws IOException {
    if (end.noted()) {
      check.breaks(end.offset(), "documents after this were written, and are missing");
    } else if (end.ending() == BlockWalk.Ending.BROKEN) {
      return broken(block, seal, end, check);
    } else if (end.ending() == BlockWalk.Ending.OPEN && seal != null) {
      check.breaks(end.offset(), "its end mark is missing");
    } else if (end.ending() == BlockWalk.Ending.OPEN && block.number() != newest) {
      report.note(block.file(), block.number(), "has no end mark; the next opening writes it");
    }
    return ContentCheck.UNKNOWN;
  }

  private long broken(BlockFile block, @Nullable Seal seal, BlockFile.End end, ContentCheck check)
      throws IOException {
    BlockFile.Behind behind = block.behind(end.offset(), queue, BlockWalk.Visitor.NONE);
    if (behind.messages() > 0) {
      check.breaks(
          end.offset(),
          String.format(
              "a hole; sequences %d to %d are whole after it",
              behind.firstSequence(), behind.endSequence() - 1));
      messages += behind.messages();
      return behind.endSequence();
    }
    if (seal != null) {
      check.breaks(end.offset(), "breaks off");
    } else {
      report.note(
          block.file(),
          block.number(),
          "ends at byte " + end.offset() + " with a document that was not completed");
    }
    return ContentCheck.UNKNOWN;
  }

  private void damage(BlockFile block, long sequence, long offset, String what) {
    report.damage(block.file(), block.number(), sequence, offset, what);
  }
}
