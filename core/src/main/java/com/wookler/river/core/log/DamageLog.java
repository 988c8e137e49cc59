package com.wookler.river.core.log;

import com.wookler.river.common.file.Checksum;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.ReadFailedException;
import com.wookler.river.core.log.files.FileWindow;
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
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code damage.log} of a queue, with one line of JSON for each run of lost messages, and
 * the directory {@code damaged} with their damaged bytes. Of a gap that an opening has found,
 * {@code gaps} is the file and nothing is kept.
 *
 * <p>A line is on the device before the messages count as completed, so damage is reported once:
 *
 * <pre>
 * {"time":"2026-11-20T10:00:00Z","queue":"orders","block":2,"file":"b00000002.cq4","first":13,
 * "last":14,"offset":66012,"end":66140,"messages":2,"kept":"damaged/b00000002.cq4-66012",
 * "crc":"9ae0daaf"}
 * </pre>
 *
 * <p>Without the line breaks; {@code crc} is the CRC32C of the line before {@code ,"crc"}, in
 * hexadecimal. A torn or damaged line stays, and does not count: its damage is reported again.
 */
final class DamageLog {
  private static final Logger LOG = LoggerFactory.getLogger(DamageLog.class);
  static final String NAME = "damage.log";
  private static final String KEPT_IN = "damaged";
  private static final int KEPT_BYTES = 1 << 20; // of each damage
  private static final Pattern LINE =
      Pattern.compile(
          "(\\{\"time\":\"[^\"]*\",\"queue\":\"[^\"]*\",\"block\":(-?\\d{1,9}),\"file\":\"([^\"]*)\","
              + "\"first\":(-?\\d{1,18}),\"last\":(-?\\d{1,18}),\"offset\":(\\d{1,18}),\"end\":(\\d{1,18}),"
              + "\"messages\":\\d+,\"kept\":\"[^\"]*\"),\"crc\":\"([0-9a-f]{8})\"\\}");

  private final Path directory;
  private final String queue;

  DamageLog(Path directory, String queue) {
    this.directory = directory;
    this.queue = queue;
  }

  List<Damage> read() throws IOException {
    List<Integer> broken = new ArrayList<>();
    List<Damage> known = read(broken);
    if (!broken.isEmpty()) {
      LOG.warn(
          "Queue {}: damaged: lines {} of {} are torn or damaged and do not count; their damage"
              + " is reported again when it is met",
          queue,
          broken,
          directory.resolve(NAME));
    }
    return known;
  }

  /** Reads it, and adds the numbers of the lines that do not count. */
  List<Damage> read(List<Integer> broken) throws IOException {
    List<Damage> known = new ArrayList<>();
    byte[] bytes;
    try {
      bytes = ReadFailedException.all(directory.resolve(NAME));
    } catch (NoSuchFileException e) {
      return known;
    }
    String[] lines = new String(bytes, StandardCharsets.UTF_8).split("\n", -1);
    for (int i = 0; i < lines.length; i++) {
      Matcher found = LINE.matcher(lines[i]);
      if (found.matches() && found.group(8).equals(Checksum.ofText(found.group(1)))) {
        known.add(decode(found));
      } else if (!lines[i].isEmpty()) {
        broken.add(i + 1);
      }
    }
    return known;
  }

  private Damage decode(Matcher line) {
    return new Damage(
        Integer.parseInt(line.group(2)),
        directory.resolve(line.group(3)),
        Long.parseLong(line.group(4)),
        Long.parseLong(line.group(5)) + 1,
        Long.parseLong(line.group(6)),
        Long.parseLong(line.group(7)));
  }

  /** Keeps the damaged bytes in a file, and adds a line; both are on the device when it returns. */
  void add(Damage damage, Instant time) throws IOException {
    String kept = damage.isGap() ? "" : KEPT_IN + "/" + keep(damage).getFileName();
    String fields =
        String.format(
            Locale.ROOT,
            "{\"time\":\"%s\",\"queue\":\"%s\",\"block\":%d,\"file\":\"%s\",\"first\":%d,"
                + "\"last\":%d,\"offset\":%d,\"end\":%d,\"messages\":%d,\"kept\":\"%s\"",
            time,
            queue,
            damage.block(),
            damage.file().getFileName(),
            damage.first(),
            damage.end() - 1,
            damage.from(),
            damage.to(),
            damage.messages(),
            kept);
    String line = fields + ",\"crc\":\"" + Checksum.ofText(fields) + "\"}\n";
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
    byte[] bytes = new byte[(int) Math.min(KEPT_BYTES, damage.to() - damage.from())];
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
    Path aside = directory.resolve(KEPT_IN);
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
