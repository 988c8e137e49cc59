package com.wookler.river.crash;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.github.luben.zstd.ZstdInputStream;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.Verification;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * What is in log and backup, read from their raw bytes. The queue is not open then, and nothing of
 * it is changed, but that backups which were read are removed when they have become many.
 */
final class Contents {
  private static final int KEPT_BACKUPS = 400;

  private final Site site;
  private final int largest;
  private final Set<Path> readBackups = new HashSet<>();
  private long[] ids = new long[1 << 16]; // of the content, by sequence; 0 is none
  private long end;

  Contents(Site site, int largest) {
    this.site = site;
    this.largest = largest;
  }

  /** The sequence after the last message. */
  long end() {
    return end;
  }

  /** The id of a sequence's content; 0 if it is not there. */
  long id(long sequence) {
    return sequence < end ? ids[(int) sequence] : 0;
  }

  /** Reads what has come. */
  void update() throws IOException {
    if (!Files.exists(site.queueDirectory().resolve("queue.json"))) {
      return;
    }
    UUID identity = identity();
    readBackups(identity);
    try (Stream<Path> all = Files.list(site.log())) {
      for (Path file : all.filter(f -> f.toString().endsWith(".cq4")).sorted().toList()) {
        walk(identity, file, Files.newInputStream(file));
      }
    } catch (NoSuchFileException e) {
      BrokenPromise.unless(end == 0, "the log's directory is missing: %s", site.log());
    }
  }

  private void readBackups(UUID identity) throws IOException {
    try (Stream<Path> all = Files.walk(site.backups().resolve(Site.QUEUE))) {
      List<Path> files = all.filter(file -> file.toString().endsWith(".cq4.zst")).sorted().toList();
      try (Backup backup = backup(identity)) {
        for (Path file : files) {
          if (readBackups.add(file)) {
            Verification verification = backup.verify(file);
            BrokenPromise.unless(verification.ok(), "backup %s: %s", file, verification.damages());
            walk(identity, file, new ZstdInputStream(Files.newInputStream(file)));
          }
        }
      }
      prune(files);
    } catch (NoSuchFileException e) {
      // nothing was archived yet
    }
  }

  private UUID identity() throws IOException {
    byte[] json = Files.readAllBytes(site.queueDirectory().resolve("queue.json"));
    return UUID.fromString(JsonMapper.builder().build().readTree(json).path("id").asText());
  }

  private Backup backup(UUID identity) {
    return new Backup(
        Site.QUEUE,
        identity,
        site.backups().resolve(Site.QUEUE),
        Duration.ZERO,
        TimeSource.system());
  }

  private void walk(UUID identity, Path file, InputStream content) throws IOException {
    int block = Integer.parseInt(String.valueOf(file.getFileName()).substring(1, 9));
    DocumentReader reader = new DocumentReader(identity);
    try (InputStream in = new BufferedInputStream(content, 1 << 20)) {
      BlockWalk.walk(
          in,
          (offset, document, length) -> {
            try {
              reader.open(document, length, block);
              while (reader.hasNext()) {
                take(reader.next());
              }
            } catch (DamagedException e) {
              throw new BrokenPromise(file + ", at " + offset + ": " + e.getMessage());
            }
          });
    }
  }

  private void take(StoredMessage message) {
    int sequence = Math.toIntExact(message.sequence());
    if (sequence >= ids.length) {
      ids = Arrays.copyOf(ids, Math.max(sequence + 1, ids.length * 2));
    }
    long id = Content.check(message.data(), largest, sequence);
    BrokenPromise.unless(
        ids[sequence] == 0 || ids[sequence] == id,
        "sequence %d is twice there: %s and %s",
        sequence,
        Content.text(ids[sequence]),
        Content.text(id));
    ids[sequence] = id;
    end = Math.max(end, sequence + 1L);
  }

  /** The oldest go, so that a long run fits on the disk. */
  private void prune(List<Path> sorted) throws IOException {
    for (int i = 0; i < sorted.size() - KEPT_BACKUPS; i++) {
      Path file = sorted.get(i);
      if (Files.notExists(site.log().resolve(name(file)))) {
        Files.delete(file);
        Files.delete(file.resolveSibling(name(file).replace(".cq4", ".seal")));
        readBackups.remove(file);
      }
    }
  }

  private static String name(Path backup) {
    return String.valueOf(backup.getFileName()).replace(".zst", "");
  }
}
