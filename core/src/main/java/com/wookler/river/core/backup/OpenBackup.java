package com.wookler.river.core.backup;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A backup that is open, with the seal of just these data. Its files may be replaced while they are
 * opened, and a later backup of the block may have their names: so the seal is read before the data
 * are opened and after it, and counts if it is the same. Not thread-safe.
 */
record OpenBackup(BackupSeal seal, FrameFile file) implements Closeable {
  private static final int TRIES = 20;

  /** Opens data. */
  @FunctionalInterface
  interface Opener {
    /** Opens the file. */
    FrameFile open(Path zst) throws IOException;
  }

  /** Opens a backup; one that has another name by now is found by its block. */
  static OpenBackup of(StoredBlock stored) throws IOException {
    Path at = stored.file();
    for (int tries = 1; ; tries++) {
      try {
        return of(at);
      } catch (NoSuchFileException | FileNotFoundException e) {
        if (tries == TRIES) {
          throw e;
        }
        at = BackupFiles.now(stored).orElseThrow(() -> e).file();
      }
    }
  }

  /** Opens the backup of this name. */
  static OpenBackup of(Path zst) throws IOException {
    return of(zst, FrameFile::new);
  }

  static OpenBackup of(Path zst, Opener opener) throws IOException {
    Path sealFile = BackupLayout.sealOf(zst);
    for (int tries = 0; tries < TRIES; tries++) {
      BackupSeal seal = BackupSeal.read(sealFile);
      FrameFile file = opener.open(zst);
      boolean isSame = false;
      try {
        isSame = BackupSeal.read(sealFile).equals(seal);
      } finally {
        if (!isSame) {
          file.close();
        }
      }
      if (isSame) {
        return new OpenBackup(seal, file);
      }
    }
    throw new IOException(zst + " is replaced again and again while it is read");
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
