package com.wookler.river.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.github.luben.zstd.ZstdInputStream;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.backup.Backup;
import com.wookler.river.core.backup.Verification;
import com.wookler.river.core.crash.Journal.Entry;
import com.wookler.river.core.crash.Journal.Kind;
import com.wookler.river.core.log.BlockScanner;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Compares, after each kill, the raw bytes of log and backup with the journals. The queue is not
 * open then, and nothing of it is changed, but that backups which were compared are removed when
 * they have become many.
 */
final class CrashCheck {
  private static final int KEPT_BACKUPS = 400;

  private final CrashSite site;
  private final Set<Path> checkedBackups = new HashSet<>();
  private final BillingCheck billing = new BillingCheck();

  private long[] ids = new long[1 << 16]; // of the content, by sequence
  private long end; // of what the rounds before have left
  private long auditNext;
  private long unseenByAudit;

  CrashCheck(CrashSite site) {
    this.site = site;
  }

  /** Messages so far. */
  long messages() {
    return end;
  }

  /** The content of a sequence. */
  long id(long sequence) {
    return ids[(int) sequence];
  }

  /** What the subscriber without acknowledgement had been given, but could not note any more. */
  long unseenByAudit() {
    return unseenByAudit;
  }

  BillingCheck billing() {
    return billing;
  }

  /** After the child of this round was killed. */
  void round(int round) throws IOException {
    long before = end;
    if (Files.exists(site.queueDirectory().resolve("queue.json"))) {
      walkAll();
    }
    for (long sequence = before; sequence < end; sequence++) {
      long id = id(sequence);
      assertThat(id).as("sequence %s of %s in log or backup", sequence, end).isNotZero();
      assertThat(Content.round(id)).as("round of sequence %s", sequence).isEqualTo(round);
    }
    for (int publisher = 0; publisher < CrashSite.PUBLISHERS; publisher++) {
      comparePublisher(round, publisher, before);
    }
    compareAudit(Journal.read(site.audit(round)));
    billing.round(Journal.read(site.billing(round)), this::expectContent);
  }

  /** All that is there, backups that were compared before too, is still what it was. */
  void walkAgain() throws IOException {
    long before = end;
    checkedBackups.clear();
    walkAll();
    assertThat(end).isEqualTo(before);
  }

  private void walkAll() throws IOException {
    UUID identity = identity();
    try (Stream<Path> all = Files.walk(site.backups().resolve(CrashSite.QUEUE))) {
      List<Path> files = all.filter(file -> file.toString().endsWith(".cq4.zst")).sorted().toList();
      try (Backup backup = backup(identity)) {
        for (Path file : files) {
          if (checkedBackups.add(file)) {
            Verification verification = backup.verify(file);
            assertThat(verification.damages()).as("backup %s", file).isEmpty();
            walk(identity, block(file), zstd(file));
          }
        }
      }
      prune(files);
    } catch (NoSuchFileException e) {
      // nothing was archived yet
    }
    Path log = site.queueDirectory().resolve("log");
    try (Stream<Path> all = Files.list(log)) {
      for (Path file : all.filter(f -> f.toString().endsWith(".cq4")).sorted().toList()) {
        walk(identity, block(file), Files.newInputStream(file));
      }
    } catch (NoSuchFileException e) {
      assertThat(end).isZero();
    }
  }

  private UUID identity() throws IOException {
    byte[] json = Files.readAllBytes(site.queueDirectory().resolve("queue.json"));
    return UUID.fromString(JsonMapper.builder().build().readTree(json).path("id").asText());
  }

  private Backup backup(UUID identity) {
    return new Backup(
        CrashSite.QUEUE,
        identity,
        site.backups().resolve(CrashSite.QUEUE),
        Duration.ZERO,
        TimeSource.system());
  }

  private static InputStream zstd(Path file) throws IOException {
    return new ZstdInputStream(Files.newInputStream(file));
  }

  private static int block(Path file) {
    return Integer.parseInt(String.valueOf(file.getFileName()).substring(1, 9));
  }

  private void walk(UUID identity, int block, InputStream content) throws IOException {
    DocumentReader reader = new DocumentReader(identity);
    try (InputStream in = new BufferedInputStream(content, 1 << 20)) {
      BlockScanner.walk(
          in,
          (offset, document, length) -> {
            reader.open(document, length, block);
            while (reader.hasNext()) {
              take(reader.next());
            }
          });
    }
  }

  private void take(StoredMessage message) {
    int sequence = Math.toIntExact(message.sequence());
    if (sequence >= ids.length) {
      ids = Arrays.copyOf(ids, Math.max(sequence + 1, ids.length * 2));
    }
    long id = Content.check(message.data(), sequence);
    if (ids[sequence] != 0 && ids[sequence] != id) {
      throw new AssertionError(
          "sequence "
              + sequence
              + " is twice there: "
              + Content.text(ids[sequence])
              + " and "
              + Content.text(id));
    }
    ids[sequence] = id;
    end = Math.max(end, sequence + 1L);
  }

  /** The oldest go, so that a long run fits on the disk. */
  private void prune(List<Path> sorted) throws IOException {
    for (int i = 0; i < sorted.size() - KEPT_BACKUPS; i++) {
      Path file = sorted.get(i);
      if (Files.notExists(site.queueDirectory().resolve("log").resolve(name(file)))) {
        Files.delete(file);
        Files.delete(file.resolveSibling(name(file).replace(".cq4", ".seal")));
        checkedBackups.remove(file);
      }
    }
  }

  private static String name(Path backup) {
    return String.valueOf(backup.getFileName()).replace(".zst", "");
  }

  private void comparePublisher(int round, int publisher, long before) throws IOException {
    List<Long> sequences = new ArrayList<>(); // by number
    for (long sequence = before; sequence < end; sequence++) {
      long id = id(sequence);
      if (Content.publisher(id) == publisher) {
        assertThat(Content.number(id))
            .as("the next number of publisher %s, at sequence %s", publisher, sequence)
            .isEqualTo(sequences.size());
        sequences.add(sequence);
      }
    }
    List<Entry> entries = Journal.read(site.published(round, publisher));
    long promised = 0;
    Entry last = null;
    for (Entry entry : entries) {
      if (entry.kind() == Kind.PUBLISHED) {
        expectWhole(sequences, entry, publisher);
        assertThat(sequences.get((int) entry.a())).as("sequence of %s", entry).isEqualTo(entry.c());
        promised = entry.a() + entry.b();
      }
      last = entry;
    }
    boolean underWay = last != null && last.kind() == Kind.INTENT && sequences.size() > promised;
    if (underWay) {
      expectWhole(sequences, last, publisher); // all of it or nothing
      promised += last.b();
    }
    assertThat(sequences)
        .as("messages of publisher %s in %s", publisher, round)
        .hasSize((int) promised);
  }

  /** The batch is there, in a row. */
  private static void expectWhole(List<Long> sequences, Entry batch, int publisher) {
    assertThat(sequences.size())
        .as("messages of publisher %s, who published %s", publisher, batch)
        .isGreaterThanOrEqualTo((int) (batch.a() + batch.b()));
    long first = sequences.get((int) batch.a());
    for (int i = 1; i < batch.b(); i++) {
      assertThat(sequences.get((int) batch.a() + i))
          .as("in a batch %s", batch)
          .isEqualTo(first + i);
    }
  }

  /** Nothing twice, nothing out of order, and lost is at most what was in hand at the kill. */
  void compareAudit(List<Entry> entries) {
    boolean first = true;
    for (Entry entry : entries) {
      long sequence = entry.a();
      expectContent(entry);
      assertThat(entry.b()).as("attempt of %s without ack", sequence).isEqualTo(1);
      if (first) {
        assertThat(sequence)
            .as("first sequence after a kill, without ack")
            .isBetween(auditNext, auditNext + CrashSite.AUDIT_BATCH);
        unseenByAudit += sequence - auditNext;
        first = false;
      } else {
        assertThat(sequence).as("sequence without ack").isEqualTo(auditNext);
      }
      auditNext = sequence + 1;
    }
  }

  /** Where the subscriber without acknowledgement has come to. */
  long auditNext() {
    return auditNext;
  }

  void expectContent(Entry delivered) {
    long sequence = delivered.a();
    if (sequence >= end || id(sequence) != delivered.c()) {
      throw new AssertionError(
          "sequence "
              + sequence
              + " was delivered as "
              + Content.text(delivered.c())
              + ", the log has "
              + Content.text(sequence >= end ? 0 : id(sequence)));
    }
  }

  /** What the subscriber with acknowledgement was given and has finished. */
  static final class BillingCheck {
    private final BitSet acked = new BitSet();
    private byte[] attempts = new byte[1 << 16]; // highest so far, by sequence
    private long redelivered;

    void round(List<Entry> entries, Consumer<Entry> expectContent) {
      BitSet ackedBefore = (BitSet) acked.clone();
      byte[] attemptsBefore = attempts.clone();
      Set<Long> seen = new HashSet<>();
      byte[] ackedAttempt = new byte[attempts.length];
      for (Entry entry : entries) {
        int sequence = Math.toIntExact(entry.a());
        if (entry.kind() == Kind.ACKED) {
          ackedAttempt = ensure(ackedAttempt, sequence);
          ackedAttempt[sequence] = (byte) entry.b();
          acked.set(sequence);
        } else if (entry.kind() == Kind.DELIVERED) {
          expectContent.accept(entry);
          attempts = ensure(attempts, sequence);
          ackedAttempt = ensure(ackedAttempt, sequence);
          attemptsBefore = ensure(attemptsBefore, sequence);
          assertThat(ackedBefore.get(sequence))
              .as("acked before, delivered again: %s", entry)
              .isFalse();
          if (acked.get(sequence)) {
            assertThat(entry.b())
                .as("acked, then delivered: %s", entry)
                .isLessThanOrEqualTo(ackedAttempt[sequence]);
          }
          assertThat(seen.add(entry.a() * 128 + entry.b())).as("a second time %s", entry).isTrue();
          assertThat(entry.b()).as("attempt of %s", entry).isGreaterThan(attemptsBefore[sequence]);
          attempts[sequence] = (byte) Math.max(attempts[sequence], entry.b());
          redelivered += entry.b() > 1 ? 1 : 0;
        }
      }
    }

    private static byte[] ensure(byte[] array, int index) {
      return index < array.length
          ? array
          : Arrays.copyOf(array, Math.max(index + 1, array.length * 2));
    }

    /** Every message was delivered; call when all have been taken. */
    void expectAllDelivered(long messages) {
      for (int sequence = 0; sequence < messages; sequence++) {
        assertThat(sequence < attempts.length && attempts[sequence] > 0)
            .as("sequence %s was delivered to the subscriber with acknowledgement", sequence)
            .isTrue();
      }
    }

    long acked() {
      return acked.cardinality();
    }

    long redelivered() {
      return redelivered;
    }
  }
}
