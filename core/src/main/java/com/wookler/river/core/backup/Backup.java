package com.wookler.river.core.backup;

import com.wookler.river.common.TimeSource;
import com.wookler.river.core.log.Seal;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** The backup directory of one queue. */
public final class Backup implements AutoCloseable {

  /** Signatures first; the implementation follows at once. */
  public Backup(
      String queue, UUID identity, Path directory, Duration retention, TimeSource time) {}

  /** Archives one block. */
  public Path archive(Seal seal, Path blockFile) throws IOException {
    throw new UnsupportedOperationException();
  }

  /** Removes backups older than the retention. */
  public int expire() throws IOException {
    throw new UnsupportedOperationException();
  }

  /** One message out of the backups. */
  public Optional<StoredMessage> read(long sequence) {
    throw new UnsupportedOperationException();
  }

  /** The first message in the backups published at or after this time. */
  public OptionalLong sequenceAt(long micros) {
    throw new UnsupportedOperationException();
  }

  /** The oldest message in the backups. */
  public OptionalLong firstSequence() {
    throw new UnsupportedOperationException();
  }

  /** Number of backups. */
  public int count() {
    throw new UnsupportedOperationException();
  }

  /** Bytes of all backups. */
  public long bytes() {
    throw new UnsupportedOperationException();
  }

  /** Reads and proves all of one backup. */
  public Verification verify(Path zst) {
    throw new UnsupportedOperationException();
  }

  /** All backups, oldest block first. */
  public List<Path> list() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
