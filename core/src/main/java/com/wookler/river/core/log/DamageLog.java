package com.wookler.river.core.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The file {@code damage.log} of a queue, with one line of JSON for each run of messages that was
 * lost to damage and passed over, and the directory {@code damaged} with the bytes in their place.
 *
 * <p>A line is on the device before the messages count as finished, so damage is reported once,
 * whatever ends the process. Lines that a crash has torn are not counted.
 */
final class DamageLog {
  private static final String NAME = "damage.log";
  private static final String ASIDE = "damaged";
  private static final int ASIDE_BYTES = 1 << 20; // of each damage
  private static final Pattern LINE =
      Pattern.compile(
          "\\{.*\"block\":(\\d+),.*\"first\":(\\d+),\"last\":(\\d+),"
              + "\"offset\":(\\d+),\"end\":(\\d+).*\\}");

  private final Path directory;
  private final String queue;

  DamageLog(Path directory, String queue) {
    this.directory = directory;
    this.queue = queue;
  }

  /** What was recorded so far. */
  List<Damage> read() throws IOException {
    List<Damage> known = new ArrayList<>();
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(directory.resolve(NAME));
    } catch (NoSuchFileException e) {
      return known;
    }
    for (String line : new String(bytes, StandardCharsets.UTF_8).split("\n", -1)) {
      Matcher found = LINE.matcher(line);
      if (found.matches()) {
        known.add(decode(found));
      }
    }
    return known;
  }

  private Damage decode(Matcher line) {
    try {
      return new Damage(
          Integer.parseInt(line.group(1)),
          directory,
          Long.parseLong(line.group(2)),
          Long.parseLong(line.group(3)) + 1,
          Long.parseLong(line.group(4)),
          Long.parseLong(line.group(5)));
    } catch (NumberFormatException e) { // damaged itself: it will be reported again
      return new Damage(0, directory, 0, 0, 0, 0);
    }
  }

  /** Sets the damaged bytes aside, and adds a line; both are on the device when it returns. */
  void add(Damage damage, Instant time) throws IOException {
    Path kept = keep(damage);
    String line =
        String.format(
            "{\"time\":\"%s\",\"queue\":\"%s\",\"block\":%d,\"file\":\"%s\",\"first\":%d,"
                + "\"last\":%d,\"offset\":%d,\"end\":%d,\"messages\":%d,\"kept\":\"%s\"}\n",
            time,
            queue,
            damage.block(),
            damage.file().getFileName(),
            damage.first(),
            damage.end() - 1,
            damage.from(),
            damage.to(),
            damage.messages(),
            ASIDE + "/" + kept.getFileName());
    Path file = directory.resolve(NAME);
    boolean isNew = !Files.exists(file);
    try (FileChannel out =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      DurableFiles.ownerOnly(file);
      long end = out.size();
      write(out, isTorn(out, end) ? "\n" + line : line, end);
      out.force(true);
    }
    if (isNew) {
      DurableFiles.forceDirectory(directory);
    }
  }

  private static boolean isTorn(FileChannel file, long end) throws IOException {
    ByteBuffer last = ByteBuffer.allocate(1);
    return end > 0 && file.read(last, end - 1) == 1 && last.get(0) != '\n';
  }

  private static void write(FileChannel out, String text, long offset) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    long at = offset;
    while (bytes.hasRemaining()) {
      at += out.write(bytes, at);
    }
  }

  private Path keep(Damage damage) throws IOException {
    Path aside = aside().resolve(damage.file().getFileName() + "-" + damage.from());
    byte[] bytes = new byte[(int) Math.min(ASIDE_BYTES, damage.to() - damage.from())];
    try (FileWindow window = new FileWindow(damage.file(), damage.to())) {
      if (window.has(damage.from(), bytes.length)) {
        window.copy(damage.from(), bytes, bytes.length);
      }
    } catch (NoSuchFileException e) {
      bytes = new byte[0]; // nothing is left
    }
    DurableFiles.write(aside, bytes);
    return aside;
  }

  private Path aside() throws IOException {
    Path aside = directory.resolve(ASIDE);
    DurableFiles.createDirectories(aside);
    return aside;
  }

  /** Moves a block there whose backup cannot be made, instead of deleting it. */
  Path keepBlock(Path file) throws IOException {
    Path kept = aside().resolve(file.getFileName());
    if (!Files.exists(file)) {
      return kept;
    }
    for (int i = 1; Files.exists(kept); i++) {
      kept = kept.resolveSibling(file.getFileName() + "." + i);
    }
    DurableFiles.rename(file, kept);
    return kept;
  }
}
