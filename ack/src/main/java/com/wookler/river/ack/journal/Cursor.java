package com.wookler.river.ack.journal;

import com.wookler.river.common.file.Checkpoint;
import com.wookler.river.common.file.Checkpoint.Slots;
import com.wookler.river.common.file.Checkpoint.Stored;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.MappedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/**
 * The file {@code cursor}: the position, which is the next sequence that was never delivered.
 * Guarded by the subscriber's lock, but for {@link #force}.
 *
 * <p>It is a {@link Checkpoint} of 4,096 bytes, whose owner is the subscriber:
 *
 * <pre>
 *  offset  what
 *      12  attribute, the kind of subscriber: 0 without acknowledgement, 1 with, 2 with it and with
 *          order by key
 *      64  position
 *     192  generation of the log of acknowledgements in use; 0 without acknowledgement
 * </pre>
 *
 * <p>With order by key, messages are delivered before others that have lower sequences. So the
 * position means nothing there: it is where the subscriber began, or was moved to last, and each
 * delivery is an entry of the log of acknowledgements.
 */
final class Cursor {
  static final String NAME = "cursor";
  static final int WITHOUT_ACK = 0;
  static final int WITH_ACK = 1;
  static final int BY_KEY = 2;

  private static final int POSITION = 0;
  private static final int GENERATION = 1;
  private static final Checkpoint FORM = new Checkpoint("CUR", 1, 4096, 64, 192);

  // the content of a file of a subscriber of another kind
  static final Content OF_ANOTHER_KIND =
      new Content(-1, FORM.decode(new byte[0], new UUID(0, 0)).numbers());

  private final MappedFile file;
  private final Stored position;
  private final Stored generation;

  private Cursor(MappedFile file, List<Slots> numbers) {
    this.file = file;
    this.position = new Stored(file, numbers.get(POSITION));
    this.generation = new Stored(file, numbers.get(GENERATION));
  }

  /** The content of a cursor file; {@code kind} is -1 if the header is damaged. */
  record Content(int kind, List<Slots> numbers) {
    /** Returns the highest valid position; -1 if no slot is valid. */
    long position() {
      return numbers.get(POSITION).value();
    }

    int slots() {
      return numbers.get(POSITION).valid();
    }

    /** Returns the log in use; 0 if damaged. */
    long generation() {
      return numbers.get(GENERATION).orZero();
    }

    /** Returns whether it says which log is in use. */
    boolean named() {
      return numbers.get(GENERATION).valid() > 0;
    }

    /** Returns whether the file can be used as it is. */
    boolean sound() {
      return kind >= 0 && slots() > 0;
    }
  }

  /** Reads the file of a subscriber without changing it; whatever it holds, this doesn't fail. */
  static Content read(Path path, Owner owner) throws IOException {
    Checkpoint.Content found = FORM.read(path, Files.readAllBytes(path), owner.id());
    return new Content(found.header() ? found.attribute() : -1, found.numbers());
  }

  /** Makes the file, replacing an old one, and forces it. */
  static Cursor create(Path directory, Owner owner, int kind, long position) throws IOException {
    Checkpoint.Content none = FORM.decode(new byte[0], owner.id());
    List<Slots> numbers =
        List.of(none.number(POSITION).with(position), none.number(GENERATION).with(0));
    Path path = directory.resolve(NAME);
    DurableFiles.write(path, FORM.encode(owner.id(), new Checkpoint.Content(true, kind, numbers)));
    return open(directory, owner, new Content(kind, numbers));
  }

  /** Opens a file that was found sound, for storing. */
  static Cursor open(Path directory, Owner owner, Content content) throws IOException {
    return new Cursor(
        MappedFile.open(directory.resolve(NAME), FORM.bytes(), owner::isSound), content.numbers());
  }

  Path path() {
    return file.path();
  }

  /** Moves the position up. */
  void store(long to) {
    position.store(to);
    file.touched();
  }

  /** Moves the position anywhere: in effect once both slots have it. */
  void reset(long to) {
    position.reset(to);
    file.touched();
  }

  void generation(long number) {
    generation.store(number);
    file.touched();
  }

  void force() throws IOException {
    file.force();
  }

  void close() {
    file.close();
  }
}
