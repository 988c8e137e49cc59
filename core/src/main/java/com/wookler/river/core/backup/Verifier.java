package com.wookler.river.core.backup;

import com.wookler.river.core.log.BlockScanner;
import com.wookler.river.core.log.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentFormat;
import com.wookler.river.core.message.DocumentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Proves a backup against the seal of its block: every message's checksum and sequence, the counts,
 * and the digest over all of them. Finds on the way where each frame stands among the sequences.
 *
 * <p>Used once, by one thread.
 */
final class Verifier implements BlockScanner.Visitor {
  private static final String PREFIX = "damaged: ";

  private final Path path;
  private final Seal seal;
  private final DocumentReader reader;
  private final List<Frame> located = new ArrayList<>();
  private final List<Verification.Damage> damages = new ArrayList<>();

  private long expected; // sequence of the next message
  private boolean lost; // whether messages are missing right before the next one
  private long messages;
  private long documents;
  private long firstMicros;
  private long lastMicros;
  private long digest;

  Verifier(Path path, Seal seal) {
    this.path = path;
    this.seal = seal;
    this.reader = new DocumentReader(seal.queue());
    this.expected = seal.firstSequence();
  }

  /** Reads all of the file; {@code length} is how long it should be. */
  Verification verify(FrameFile file, List<Frame> frames, long length) throws IOException {
    if (file.length() != length) {
      damage(-1, -1, "the file has " + file.length() + " bytes of " + length);
    }
    for (Frame frame : frames) {
      enter(frame);
      String fault = file.walk(frame, this);
      if (fault != null) {
        damage(expected, frame.start(), fault);
        lost = true;
      }
    }
    if (damages.isEmpty()) {
      compareWithSeal();
    }
    return new Verification(
        path, seal.block(), seal.firstSequence(), seal.endSequence() - 1, messages, damages);
  }

  /** The frames that {@link #verify} was given, with their sequences and times. */
  List<Frame> located() {
    return located;
  }

  private void enter(Frame frame) {
    long known = frame.firstSequence();
    if (known != Frame.UNKNOWN) {
      if (known != expected && !lost) {
        damage(expected, frame.start(), "a frame starts with sequence " + known);
      }
      expected = known;
      lost = false;
    }
    located.add(frame.located(expected, lastMicros));
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    try {
      reader.open(document, length, seal.block());
      long first = reader.firstSequence();
      if (lost ? first < expected : first != expected) {
        throw new DamagedMessageException("sequence " + first + " stands in its place");
      }
      digest = DocumentFormat.digest(digest, reader.verify());
      if (documents == 0) {
        firstMicros = reader.micros();
      }
      lastMicros = reader.micros();
      documents++;
      messages += reader.count();
      expected = first + reader.count();
      lost = false;
    } catch (DamagedMessageException e) {
      damage(reader.hasNext() ? reader.nextSequence() : expected, offset, text(e));
      lost = true;
    }
  }

  private void compareWithSeal() {
    compare("messages", messages, seal.messages());
    compare("documents", documents, seal.documents());
    compare("as its first publish time", firstMicros, seal.firstMicros());
    compare("as its last publish time", lastMicros, seal.lastMicros());
    compare("as its digest", digest, seal.digest());
  }

  private void compare(String what, long found, long sealed) {
    if (found != sealed) {
      damage(-1, -1, "the seal says " + sealed + " " + what + ", the block " + found);
    }
  }

  private void damage(long sequence, long offset, String what) {
    damages.add(new Verification.Damage(seal.block(), sequence, offset, what));
  }

  static String text(DamagedMessageException e) {
    String text = String.valueOf(e.getMessage());
    return text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
  }
}
