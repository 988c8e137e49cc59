package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.DirectoryLock;
import com.wookler.river.common.file.OwnerRecord;
import com.wookler.river.core.message.QueueLockedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of a queue that is not open, and is kept from being opened until this is closed.
 */
public final class OfflineQueue implements AutoCloseable {
  private final Path directory;
  private final DirectoryLock lock;
  private final boolean wasClosed;

  private OfflineQueue(Path directory, DirectoryLock lock, boolean wasClosed) {
    this.directory = directory;
    this.lock = lock;
    this.wasClosed = wasClosed;
  }

  /**
   * Locks a queue's directory.
   *
   * @throws QueueLockedException it is open, here or elsewhere
   */
  public static OfflineQueue lock(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      throw new ConfigurationException(path + " is not a directory");
    }
    Path directory = path.toRealPath();
    String name = String.valueOf(directory.getFileName());
    DirectoryLock.claim(directory, name, QueueLockedException::new);
    try {
      OwnerRecord before = OwnerRecord.read(directory);
      DirectoryLock lock = DirectoryLock.acquire(directory, name, QueueLockedException::new);
      return new OfflineQueue(directory, lock, before == null || before.pid() == 0);
    } catch (Throwable e) {
      DirectoryLock.unclaim(directory);
      throw e;
    }
  }

  /**
   * Checks that a queue can be opened under a name.
   *
   * @throws ConfigurationException it is no queue's name, or reserved
   */
  public static void checkName(String name) {
    Names.check("queue", name);
  }

  /** Returns whether its last owner has closed it, and was not killed. */
  public boolean wasClosed() {
    return wasClosed;
  }

  @Override
  public void close() throws IOException {
    try {
      lock.close();
    } finally {
      DirectoryLock.unclaim(directory);
    }
  }
}
