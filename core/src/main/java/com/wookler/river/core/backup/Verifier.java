package com.wookler.river.core.backup;

import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.Seal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Verifies a backup against the seal of its block: every message's checksum and sequence, the
 * counts, and the digest over all of them. Finds the first sequence of each frame, too. Used once,
 * by one thread.
 */
final class Verifier {
  private final Path path;
  private final Seal seal;
  private final LongConsumer progress;
  private final ContentCheck check;
  private final List<Frame> located = new ArrayList<>();
  private final List<Verification.Damage> damages = new ArrayList<>();

  Verifier(Path path, Seal seal, LongConsumer progress) {
    this.path = path;
    this.seal = seal;
    this.progress = progress;
    this.check = new ContentCheck(seal.queue(), seal.block(), seal.firstSequence(), this::damage);
  }

  /** Reads all of the file, which should have this length. */
  Verification verify(FrameFile file, List<Frame> frames, long length) throws IOException {
    if (file.length() != length) {
      damage(
          ContentCheck.UNKNOWN,
          ContentCheck.UNKNOWN,
          "the file has " + file.length() + " bytes of " + length);
    }
    for (Frame frame : frames) {
      if (frame.firstSequence() != Frame.UNKNOWN) {
        check.begin(frame.firstSequence(), frame.start());
      }
      located.add(frame.located(check.expected(), check.lastMicros()));
      String fault = file.walk(frame, check);
      if (fault != null) {
        check.breaks(frame.start(), fault);
      }
      progress.accept(frame.length());
    }
    if (damages.isEmpty()) {
      check.compareWith(seal);
    }
    return new Verification(
        path,
        seal.block(),
        seal.firstSequence(),
        seal.endSequence() - 1,
        check.messages(),
        damages);
  }

  /** Returns the frames that {@link #verify} was given, with their sequences and times. */
  List<Frame> located() {
    return located;
  }

  private void damage(long sequence, long offset, String what) {
    damages.add(new Verification.Damage(seal.block(), sequence, offset, what));
  }
}
