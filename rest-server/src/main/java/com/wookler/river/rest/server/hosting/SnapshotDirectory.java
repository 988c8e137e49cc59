package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.QueueSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where requests may make snapshots: {@code <base>/<name>/<queue>}. A request chooses the name,
 * which is a name as a queue's is and so one directory, never the base. Snapshots consist of hard
 * links, on the queues' volume: a copy to another one would hold up the queue for as long as it is
 * large.
 *
 * @param base directory from the server's settings; null: requests make none
 */
public record SnapshotDirectory(@Nullable Path base) {
  /** A server that makes no snapshots. */
  public static final SnapshotDirectory NONE = new SnapshotDirectory(null);

  /**
   * Refuses a directory on another volume than that of the queues that requests make.
   *
   * @param base null: requests make no snapshots
   */
  public static SnapshotDirectory of(@Nullable Path base, Path queues) {
    try {
      if (base != null && !DurableFiles.onOneVolume(queues, base)) {
        throw new ConfigurationException(
            ("the directory of snapshots, %s (server.snapshot.directory, --snapshots), is on another"
                    + " volume than that of the queues, %s (server.directory, --data): snapshots"
                    + " consist of hard links. Choose one on the same volume, and copy finished"
                    + " snapshots elsewhere")
                .formatted(base.toAbsolutePath(), queues.toAbsolutePath()));
      }
    } catch (IOException e) {
      throw new RiverException(
          "cannot use the directory of snapshots, %s, with that of the queues, %s: %s"
              .formatted(base, queues, e),
          e);
    }
    return new SnapshotDirectory(base);
  }

  /**
   * Makes a snapshot of a queue. Blocks until it is on the device.
   *
   * @throws RequestException the name is none, the server has no directory for snapshots, the queue
   *     is on another volume, or it has a snapshot of this name, whole or not
   */
  public QueueSnapshot make(HostedQueue<?> queue, String name) {
    String checked = ContractFormat.name("name", name);
    if (base == null) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "this server makes no snapshots, because server.snapshot.directory is not set");
    }
    String of = queue.queue().name();
    try {
      DurableFiles.createDirectories(base);
    } catch (IOException e) {
      throw new RiverException("cannot use the directory of snapshots, " + base + ": " + e, e);
    }
    if (!queue.queue().canLinkTo(base)) {
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          "queue "
              + of
              + " is on another volume than server.snapshot.directory, and snapshots consist of hard"
              + " links");
    }
    Path target = base.resolve(checked).resolve(of);
    try {
      return queue.queue().snapshot(target);
    } catch (ConfigurationException e) { // without its text, which has a path of the server
      throw RequestException.of(
          RequestException.Reason.CONFLICT,
          Files.exists(target, LinkOption.NOFOLLOW_LINKS)
              ? "queue " + of + " has a snapshot '" + checked + "'; choose another name"
              : "the snapshot would be in the directory of a queue");
    }
  }
}
